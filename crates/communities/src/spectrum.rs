//! The graph as points: leading eigenvectors of its adjacency matrix, and the nodes that carry their energy.
//!
//! ```text
//! A V = V Theta  (or D^-1/2 A D^-1/2 V = V Theta),   V nodes x K;   node i is the point V(i,:)
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
use merit_linalg::DenseMatrix;
use merit_linalg::eigen::{Eigenpairs, Settings, leading_eigenpairs_until};
use merit_linalg::interrupt::Interrupt;

merit::choices! {
    /// Whose eigenvectors.
    pub enum Operator {
        /// `A`, as the paper has it.
        #[default]
        Adjacency = "adjacency",
        /// `D^-1/2 A D^-1/2` with the degrees `D`: hubs count less.
        Normalized = "normalized",
    }
}

/// The `count` eigenpairs of largest value; of no use once somebody asked for the end.
pub fn spectrum(graph: &Graph, operator: Operator, count: usize, interrupt: &Interrupt) -> Eigenpairs {
    // Where there is no gap after them, as in a graph without communities, pairs take thousands of products: they say little then.
    eigenpairs(graph, operator, &Settings { restarts: 150, ..Settings::new(count) }, interrupt)
}

/// The `count` largest eigenvalues, to four digits at least: where they lie close together, as most of many do, more take long.
/// Of no use once somebody asked for the end.
pub fn eigenvalues(graph: &Graph, operator: Operator, count: usize, interrupt: &Interrupt) -> Vec<f64> {
    eigenpairs(graph, operator, &Settings { tolerance: 1e-4, ..Settings::new(count) }, interrupt).values
}

fn eigenpairs(graph: &Graph, operator: Operator, settings: &Settings, interrupt: &Interrupt) -> Eigenpairs {
    let n = graph.nodes();
    match operator {
        Operator::Adjacency => {
            leading_eigenpairs_until(interrupt, n, settings, |v, out| graph.adjacency.transposed_times(v, out))
        }
        Operator::Normalized => {
            let roots: Vec<f64> =
                graph.degrees().into_iter().map(|d| if d > 0.0 { 1.0 / d.sqrt() } else { 0.0 }).collect();
            let scale = |block: &mut DenseMatrix| {
                block.values_mut().chunks_mut(n).for_each(|c| c.iter_mut().zip(&roots).for_each(|(v, r)| *v *= r));
            };
            leading_eigenpairs_until(interrupt, n, settings, |v, out| {
                let mut scaled = v.clone();
                scale(&mut scaled);
                graph.adjacency.transposed_times(&scaled, out);
                scale(out);
            })
        }
    }
}

/// `||V(i,:)||^2` of every node.
pub fn row_energies(vectors: &DenseMatrix) -> Vec<f64> {
    (0..vectors.rows()).map(|i| (0..vectors.cols()).map(|k| vectors.get(i, k).powi(2)).sum()).collect()
}

/// Nodes by energy, the largest first: an order that names do not change. Of nodes with equal energy (up to rounding) the
/// first comes first.
pub fn by_energy(energies: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..energies.len()).collect();
    // Equal in the first ten digits is equal: else rounding errors would choose. Nonnegative numbers are ordered as their bits.
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
