//! Shares that make the edges likely: a few steps of expectation and maximization after the pure nodes.
//!
//! ```text
//! edges of i and j in community k  ~  Poisson(eta(i,k) eta(j,k))          (Ball, Karrer, Newman 2011)
//! q(k | i,j) = eta(i,k) eta(j,k) / sum,      stubs(i,k) = sum_j A(i,j) q(k | i,j),      eta(i,k) = stubs(i,k) / sqrt(sum_i stubs(i,k))
//! theta(i,k) = stubs(i,k) / d_i              the part of a node's edges that belong to k
//! ```
//!
//! Each edge belongs to one community, and a node to those of its edges: the degree-corrected model of [`operator`](crate::operator) with a diagonal
//! `B`. Eigenvectors see what is far, a step of this what is near; started from the pure nodes it corrects the nodes with few edges and stays
//! where it began. Every step makes the edges more likely, or the last is not taken.
//!
//! Where edges lead from group to group, `B` is given, with rates between all groups: `q(k | i,j) ~ stubs(i,k) (B stubs(j))_k`, and `B` stays as it is.
//!
//! Time `O(edges K)` per step, on all threads; memory `16 nodes K` bytes. Sums run over nodes in a fixed order, so threads change no bit.

use merit::progress::Interrupt;
use merit_linalg::dense::dot;
use merit_linalg::{DenseMatrix, SparseMatrix};
use rayon::prelude::*;

/// A part of every share that begins in all communities alike: what is 0 stays 0.
const FLOOR: f64 = 0.01;

/// Nodes of a piece of work.
const PIECE: usize = 1024;

/// Shares and how likely they make the edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Refined {
    /// Communities x nodes; columns sum to 1, or to 0 for nodes without an edge.
    pub shares: DenseMatrix,
    /// The logarithm of the likelihood per unit of weight, relative to one community with the same degrees.
    pub gain: f64,
    /// Steps that were taken.
    pub steps: usize,
}

/// At most `steps` steps from `shares` (communities x nodes), with `rates` between communities or edges within them alone, until the likelihood of an edge rises by less than `tolerance` per step.
/// Meaningless after an interrupt.
pub fn refine(
    adjacency: &SparseMatrix,
    shares: &DenseMatrix,
    rates: Option<&DenseMatrix>,
    steps: usize,
    tolerance: f64,
    interrupt: &Interrupt,
) -> Refined {
    let rank = shares.rows();
    let degrees: Vec<f64> = (0..adjacency.cols()).map(|i| adjacency.col(i).1.iter().sum()).collect();
    let mut stubs = DenseMatrix::from_column_fn(rank, shares.cols(), |i, out| {
        let even = FLOOR / rank as f64;
        out.iter_mut().zip(shares.col(i)).for_each(|(out, share)| *out = degrees[i] * ((1.0 - FLOOR) * share + even));
    });
    let (mut gain, mut taken) = (f64::NEG_INFINITY, 0);
    loop {
        let (next, likelihood) = step(adjacency, &degrees, &stubs, rates);
        let enough = likelihood - gain < tolerance;
        gain = gain.max(likelihood);
        if enough || taken == steps || interrupt.asked() {
            break;
        }
        (stubs, taken) = (next, taken + 1);
    }
    stubs.values_mut().par_chunks_mut(rank.max(1)).for_each(|column| {
        let sum: f64 = column.iter().sum();
        column.iter_mut().for_each(|v| *v = if sum > 0.0 { *v / sum } else { 0.0 });
    });
    Refined { shares: stubs, gain, steps: taken }
}

/// How likely shares (communities x nodes) make the edges, as [`Refined::gain`].
pub fn likelihood(adjacency: &SparseMatrix, shares: &DenseMatrix) -> f64 {
    refine(adjacency, shares, None, 0, 0.0, &Interrupt::never()).gain
}

/// The stubs after a step, and the likelihood before it.
fn step(
    adjacency: &SparseMatrix,
    degrees: &[f64],
    stubs: &DenseMatrix,
    rates: Option<&DenseMatrix>,
) -> (DenseMatrix, f64) {
    let (rank, nodes) = (stubs.rows(), stubs.cols());
    let mut sums = vec![0.0; rank];
    (0..nodes).for_each(|i| sums.iter_mut().zip(stubs.col(i)).for_each(|(sum, v)| *sum += v));
    let inverse: Vec<f64> = sums.iter().map(|sum| if *sum > 0.0 { 1.0 / sum } else { 0.0 }).collect();
    let total: f64 = degrees.iter().sum();
    let received = rates.map(|rates| DenseMatrix::from_column_fn(rank, nodes, |i, out| rates.times(stubs.col(i), out)));
    let (others_of, inverse) = match &received {
        Some(received) => (received, vec![1.0; rank]),
        None => (stubs, inverse),
    };
    let mut next = DenseMatrix::zeros(rank, nodes);
    let pieces = next.values_mut().par_chunks_mut(rank.max(1) * PIECE).enumerate();
    let gains: Vec<f64> = pieces
        .map(|(piece, columns)| {
            let (mut gain, mut scaled) = (0.0, vec![0.0; rank]);
            for (at, out) in columns.chunks_mut(rank.max(1)).enumerate() {
                let i = piece * PIECE + at;
                scaled.iter_mut().zip(stubs.col(i)).zip(&inverse).for_each(|((out, v), inverse)| *out = v * inverse);
                let (others, weights) = adjacency.col(i);
                for (&j, &weight) in others.iter().zip(weights) {
                    let other = others_of.col(j as usize);
                    let rate = dot(&scaled, other);
                    if rate > 0.0 {
                        let part = weight / rate;
                        out.iter_mut().zip(other).zip(&scaled).for_each(|((out, b), a)| *out += part * a * b);
                        // From both ends it is the same.
                        if j as usize > i {
                            gain += 2.0 * weight * (rate * total / (degrees[i] * degrees[j as usize])).ln();
                        }
                    }
                }
            }
            gain
        })
        .collect();
    (next, if total > 0.0 { gains.iter().sum::<f64>() / total } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mmsb::Mmsb;

    /// The step as it is written above, edge by edge.
    fn slow(adjacency: &SparseMatrix, stubs: &DenseMatrix) -> DenseMatrix {
        let (rank, nodes) = (stubs.rows(), stubs.cols());
        let sum = |k: usize| (0..nodes).map(|i| stubs.get(k, i)).sum::<f64>();
        let eta = DenseMatrix::from_fn(rank, nodes, |k, i| stubs.get(k, i) / sum(k).sqrt());
        DenseMatrix::from_fn(rank, nodes, |k, i| {
            let (others, weights) = adjacency.col(i);
            let parts = others.iter().zip(weights).map(|(&j, weight)| {
                let product = |k: usize| eta.get(k, i) * eta.get(k, j as usize);
                weight * product(k) / (0..rank).map(product).sum::<f64>()
            });
            parts.sum()
        })
    }

    #[test]
    fn steps_agree_with_the_slow_twin_and_raise_the_likelihood() {
        let drawn = Mmsb { mean_degree: 12.0, seed: 2, ..Mmsb::new(300, 3) }.generate().unwrap();
        let graph = drawn.graph().unwrap();
        let degrees = graph.degrees();
        let mut stubs = DenseMatrix::from_fn(3, 300, |k, i| degrees[i] * (0.9 * drawn.theta.get(i, k) + 0.1 / 3.0));
        let mut last = f64::NEG_INFINITY;
        for _ in 0..20 {
            let (next, gain) = step(&graph.adjacency, &degrees, &stubs, None);
            assert!(gain >= last - 1e-12, "{gain} {last}");
            let twin = slow(&graph.adjacency, &stubs);
            let worst = next.values().iter().zip(twin.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-10, "{worst}");
            (stubs, last) = (next, gain);
        }
        assert!(last > 0.3, "{last}"); // one community alone would be 0
    }

    /// With the diagonal rates of a step given, it is the same step.
    #[test]
    fn given_rates_on_the_diagonal_change_nothing() {
        let drawn = Mmsb { mean_degree: 10.0, seed: 6, ..Mmsb::new(200, 3) }.generate().unwrap();
        let graph = drawn.graph().unwrap();
        let degrees = graph.degrees();
        let stubs = DenseMatrix::from_fn(3, 200, |k, i| degrees[i] * (0.9 * drawn.theta.get(i, k) + 0.1 / 3.0));
        let sum = |k: usize| (0..200).map(|i| stubs.get(k, i)).sum::<f64>();
        let rates = DenseMatrix::from_fn(3, 3, |k, l| if k == l { 1.0 / sum(k) } else { 0.0 });
        let (plain, gain) = step(&graph.adjacency, &degrees, &stubs, None);
        let (given, other) = step(&graph.adjacency, &degrees, &stubs, Some(&rates));
        let worst = plain.values().iter().zip(given.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12 && (gain - other).abs() < 1e-12, "{worst}, {gain} {other}");
    }

    #[test]
    fn threads_change_no_bit() {
        let drawn = Mmsb { seed: 4, ..Mmsb::new(3000, 4) }.generate().unwrap();
        let graph = drawn.graph().unwrap();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| refine(&graph.adjacency, &drawn.theta.transposed(), None, 5, 0.0, &Interrupt::never()))
        };
        assert!(on(1) == on(3));
    }
}
