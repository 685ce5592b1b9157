//! The graph as points: leading eigenvectors of its adjacency matrix, and the nodes that carry their energy.
//!
//! ```text
//! S A S V = V Theta,   V nodes x K;   node i is the point V(i,:)          S: the operator's scales, 1 for the adjacency matrix
//! kept: the fewest nodes with  sum ||V(i,:)||^2 >= energy * K
//! ```
//!
//! Time `O(P edges)` for `P` products, memory `8 nodes (9 K + 8)` bytes; see [`merit_linalg::eigen`]. The cut drops the many
//! nodes of low degree whose points lie near the origin and say little.
//!
//! ```
//! use merit::progress::Interrupt;
//! use merit_communities::{graph::EdgeSet, spectrum::{Operator, spectrum}};
//! let mut edges = EdgeSet::new(false);
//! for (i, j) in [("a", "b"), ("b", "c"), ("c", "a")] {
//!     edges.add(i, j, 1.0);
//! }
//! let pairs = spectrum(&edges.build("triangle", "edge list")?, Operator::Adjacency, 1, &Interrupt::never());
//! assert!((pairs.values[0] - 2.0).abs() < 1e-12);
//! # Ok::<(), merit_communities::Error>(())
//! ```

use crate::graph::Graph;
pub use crate::operator::Operator;
use merit_linalg::eigen::{Eigenpairs, Settings, Which, leading_eigenpairs_until};
use merit_linalg::interrupt::Interrupt;
use merit_linalg::{DenseMatrix, SparseMatrix};

/// Nodes above which eigenvectors are not worth the last digits.
const LARGE: usize = 50_000;

/// The `count` eigenpairs of largest value, to the last digits; meaningless after an interrupt.
pub fn spectrum(graph: &Graph, operator: Operator, count: usize, interrupt: &Interrupt) -> Eigenpairs {
    // Where there is no gap after them, as in a graph without communities, pairs take thousands of products: they say little then.
    eigenpairs(&graph.adjacency, operator, &Settings { restarts: 150, ..Settings::new(count) }, interrupt)
}

/// The same as far as it is worth the time, where pure nodes are only where the shares begin: of a large graph to five digits.
pub(crate) fn rough(
    adjacency: &SparseMatrix,
    operator: Operator,
    count: usize,
    which: Which,
    interrupt: &Interrupt,
) -> Eigenpairs {
    let (tolerance, restarts) = if adjacency.cols() <= LARGE { (1e-12, 100) } else { (1e-5, 20) };
    let settings = Settings { which, tolerance, restarts, ..Settings::new(count) };
    eigenpairs(adjacency, operator, &settings, interrupt)
}

/// Whether edges lead from group to group rather than stay within: the least eigenvalue is then far below what the second largest (of `values`) is above.
/// Three digits are enough to see it. Meaningless after an interrupt.
pub(crate) fn between_groups(
    adjacency: &SparseMatrix,
    operator: Operator,
    values: &[f64],
    interrupt: &Interrupt,
) -> bool {
    // Where it is so, that eigenvalue lies alone and is found soon.
    let restarts = if adjacency.cols() <= LARGE { 10 } else { 3 };
    let settings = Settings { which: Which::Magnitude, tolerance: 1e-3, restarts, ..Settings::new(2) };
    let &[top, second, ..] = values else { return false };
    let least = eigenpairs(adjacency, operator, &settings, interrupt).values.into_iter().fold(0.0, f64::min);
    -least > 0.5 * top && -least > 1.5 * second
}

/// The `count` leading eigenpairs to four digits at least: where values lie close together, as most of many do, more take long.
/// Meaningless after an interrupt.
pub(crate) fn leading(
    adjacency: &SparseMatrix,
    operator: Operator,
    count: usize,
    which: Which,
    interrupt: &Interrupt,
) -> Eigenpairs {
    let settings = Settings { which, tolerance: 1e-4, restarts: 30, ..Settings::new(count) };
    eigenpairs(adjacency, operator, &settings, interrupt)
}

/// The negative eigenvalues of the Bethe-Hessian `(r^2 - 1) I - r A + D`, at most `most`: what can be distinguished from noise. The sign of `r` is the sign of `side`: -1
/// for groups with edges between them. Meaningless after an interrupt.
pub(crate) fn bethe_hessian(adjacency: &SparseMatrix, side: f64, most: usize, interrupt: &Interrupt) -> usize {
    let (n, degrees) = (adjacency.cols(), degrees(adjacency));
    let (sum, squares) = degrees.iter().fold((0.0, 0.0), |(sum, squares), d| (sum + d, squares + d * d));
    let square = (squares / sum.max(f64::MIN_POSITIVE) - 1.0).max(1.0);
    let r = square.sqrt();
    let mut wanted = 16.min(n);
    loop {
        let settings = Settings { tolerance: 1e-3, restarts: 20, ..Settings::new(wanted) };
        let found = leading_eigenpairs_until(interrupt, n, &settings, |v, out| {
            adjacency.transposed_times(v, out);
            for (v, out) in v.values().chunks(n).zip(out.values_mut().chunks_mut(n)) {
                let rest = v.iter().zip(&degrees);
                out.iter_mut().zip(rest).for_each(|(out, (v, d))| *out = side * r * *out - (d + square - 1.0) * v);
            }
        });
        // A clique of d + 1 nodes has 0 here, up to rounding, where nothing stands out from noise.
        let scale = found.values.first().copied().unwrap_or(0.0).abs().max(r);
        let count = found.values.iter().filter(|value| **value > 1e-3 * scale).count();
        if count < wanted || wanted >= most.min(n) || interrupt.asked() {
            return count.min(most);
        }
        wanted = (2 * wanted).min(n).min(most + 1);
    }
}

fn eigenpairs(adjacency: &SparseMatrix, operator: Operator, settings: &Settings, interrupt: &Interrupt) -> Eigenpairs {
    let n = adjacency.cols();
    match operator.scales(&degrees(adjacency)) {
        None => leading_eigenpairs_until(interrupt, n, settings, |v, out| adjacency.transposed_times(v, out)),
        Some(scales) => {
            let scale = |block: &mut DenseMatrix| {
                block.values_mut().chunks_mut(n).for_each(|c| c.iter_mut().zip(&scales).for_each(|(v, s)| *v *= s));
            };
            leading_eigenpairs_until(interrupt, n, settings, |v, out| {
                let mut scaled = v.clone();
                scale(&mut scaled);
                adjacency.transposed_times(&scaled, out);
                scale(out);
            })
        }
    }
}

/// Sum of the weights at every node.
pub(crate) fn degrees(adjacency: &SparseMatrix) -> Vec<f64> {
    (0..adjacency.cols()).map(|i| adjacency.col(i).1.iter().sum()).collect()
}

/// `||V(i,:)||^2` of every node.
pub fn row_energies(vectors: &DenseMatrix) -> Vec<f64> {
    (0..vectors.rows()).map(|i| (0..vectors.cols()).map(|k| vectors.get(i, k).powi(2)).sum()).collect()
}

/// Nodes by energy, the largest first: an order that names do not change. Of nodes with equal energy (up to rounding) the
/// first comes first.
pub fn by_energy(energies: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..energies.len()).collect();
    // Equal in the first ten digits is equal; otherwise rounding errors would choose. Nonnegative numbers are ordered as their bits.
    let key = |i: usize| (energies[i].to_bits() + (1 << 17)) >> 18;
    order.sort_by_key(|&i| (std::cmp::Reverse(key(i)), i));
    order
}

/// The fewest nodes that carry this part of the energy, in the order of the nodes. Of nodes with equal energy (up to
/// rounding) at the cut the first ones are kept.
pub fn energy_cut(vectors: &DenseMatrix, energy: f64) -> Vec<usize> {
    let energies = row_energies(vectors);
    let mut order = by_energy(&energies);
    let total: f64 = order.iter().map(|&i| energies[i]).sum();
    let (mut kept, mut sum) = (0, 0.0);
    while kept < order.len() && sum < energy * total && energies[order[kept]] > 0.0 {
        sum += energies[order[kept]];
        kept += 1;
    }
    order.truncate(kept);
    order.sort_unstable();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cut_keeps_the_fewest_nodes() {
        let v = DenseMatrix::from_columns(4, vec![0.1, 0.8, 0.0, 0.5]);
        assert_eq!(energy_cut(&v, 0.7), [1]); // .64 of .90
        assert_eq!(energy_cut(&v, 0.95), [1, 3]);
        assert_eq!(energy_cut(&v, 1.0), [0, 1, 3]); // what carries nothing is never kept
    }
}
