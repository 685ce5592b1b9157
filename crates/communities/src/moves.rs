//! Whole nodes moved from community to community while the edges become more likely.
//!
//! ```text
//! m_kl  weight between k and l (within k twice),   m_k = sum_l m_kl
//! sum_kl f(m_kl) - 2 sum_k f(m_k),   f(x) = x log x           the degree-corrected block model (Karrer, Newman 2011)
//! ```
//!
//! A node leaves its community and enters the one that gains most, all nodes in turn, until hardly any moves. Nothing is assumed of how communities
//! connect: groups with few edges within and many between them are found as well. Eigenvectors see how the graph falls apart as a whole; this
//! sets the nodes right that they put on the wrong side. A step costs `O(degree + K k)` for a node whose neighbors are in `k` communities, on one
//! thread: what a node does depends on all before it.

use crate::x_log_x::XLogX;
use merit_linalg::SparseMatrix;
use merit_linalg::interrupt::Interrupt;

/// Gains below this are rounding.
const SETTLED: f64 = 1e-9;

/// The weights between communities.
struct Between {
    communities: usize,
    weights: Vec<f64>,
    sums: Vec<f64>,
    f: XLogX,
}

impl Between {
    fn of(adjacency: &SparseMatrix, community: &[usize], communities: usize) -> Self {
        let mut weights = vec![0.0; communities * communities];
        for (i, &k) in community.iter().enumerate() {
            let (others, values) = adjacency.col(i);
            others.iter().zip(values).for_each(|(&j, v)| weights[k * communities + community[j as usize]] += v);
        }
        let sums = weights.chunks(communities.max(1)).map(|row| row.iter().sum()).collect();
        Self { communities, weights, sums, f: XLogX::of_edges(adjacency) }
    }

    /// What the objective gains when a node with these edges, `degree` in all, enters `k`.
    fn gain(&self, k: usize, edges: &[(usize, f64)], degree: f64) -> f64 {
        let (row, f) = (&self.weights[k * self.communities..][..self.communities], |x: f64| self.f.at(x));
        let term = |&(l, weight): &(usize, f64)| match l == k {
            true => f(row[k] + 2.0 * weight) - f(row[k]),
            false => 2.0 * (f(row[l] + weight) - f(row[l])),
        };
        edges.iter().map(term).sum::<f64>() - 2.0 * (f(self.sums[k] + degree) - f(self.sums[k]))
    }

    /// The node enters `k` (or leaves it, with `sign` -1).
    fn add(&mut self, k: usize, edges: &[(usize, f64)], degree: f64, sign: f64) {
        for &(l, weight) in edges {
            self.weights[k * self.communities + l] += sign * weight;
            self.weights[l * self.communities + k] += sign * weight;
        }
        self.sums[k] += sign * degree;
    }
}

/// Moves nodes, in this order, until hardly any gains (one of 500, and none of fewer nodes), `passes` times at most. Meaningless after an interrupt.
pub fn moved(
    adjacency: &SparseMatrix,
    mut community: Vec<usize>,
    communities: usize,
    order: &[usize],
    passes: usize,
    interrupt: &Interrupt,
) -> Vec<usize> {
    let mut between = Between::of(adjacency, &community, communities);
    let mut members = vec![0usize; communities];
    community.iter().for_each(|&k| members[k] += 1);
    let mut edges_to = vec![0.0; communities];
    let mut edges = Vec::new();
    for _ in 0..passes {
        let mut moves = 0;
        for &i in order {
            let here = community[i];
            if interrupt.asked() {
                return community;
            }
            // A community keeps its last member, because the number of communities was asked for.
            if members[here] < 2 {
                continue;
            }
            let (others, weights) = adjacency.col(i);
            others.iter().zip(weights).for_each(|(&j, weight)| edges_to[community[j as usize]] += weight);
            edges.clear();
            edges.extend(edges_to.iter().enumerate().filter(|(_, weight)| **weight > 0.0).map(|(k, v)| (k, *v)));
            edges_to.fill(0.0);
            let degree: f64 = edges.iter().map(|(_, weight)| weight).sum();
            between.add(here, &edges, degree, -1.0);
            let mut best = (here, between.gain(here, &edges, degree) + SETTLED * degree);
            for k in 0..communities {
                let gain = between.gain(k, &edges, degree);
                if gain > best.1 {
                    best = (k, gain);
                }
            }
            between.add(best.0, &edges, degree, 1.0);
            if best.0 != here {
                (members[here], members[best.0]) = (members[here] - 1, members[best.0] + 1);
                community[i] = best.0;
                moves += 1;
            }
        }
        if moves <= community.len() / 500 {
            break;
        }
    }
    community
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connections::explained;
    use crate::mmsb::Mmsb;

    /// What the block model says, from scratch.
    fn objective(adjacency: &SparseMatrix, community: &[usize], communities: usize) -> f64 {
        let between = Between::of(adjacency, community, communities);
        let f = |m: &f64| between.f.at(*m);
        between.weights.iter().map(f).sum::<f64>() - 2.0 * between.sums.iter().map(f).sum::<f64>()
    }

    #[test]
    fn the_gain_of_a_move_is_the_difference_of_the_objective() {
        let graph = Mmsb { mean_degree: 8.0, seed: 7, ..Mmsb::new(60, 3) }.generate().unwrap().graph().unwrap();
        let nodes = graph.nodes();
        let community: Vec<usize> = (0..nodes).map(|i| i % 4).collect();
        let before = objective(&graph.adjacency, &community, 4);
        for i in 0..nodes {
            let mut between = Between::of(&graph.adjacency, &community, 4);
            let (others, weights) = graph.adjacency.col(i);
            let mut to = [0.0; 4];
            others.iter().zip(weights).for_each(|(&j, weight)| to[community[j as usize]] += weight);
            let edges: Vec<_> = to.iter().copied().enumerate().filter(|(_, weight)| *weight > 0.0).collect();
            let degree = to.iter().sum();
            between.add(community[i], &edges, degree, -1.0);
            let stay = between.gain(community[i], &edges, degree);
            for k in 0..4 {
                let mut other = community.clone();
                other[i] = k;
                let gain = between.gain(k, &edges, degree) - stay;
                let truth = objective(&graph.adjacency, &other, 4) - before;
                assert!((gain - truth).abs() < 1e-8, "node {i} to {k}: {gain} {truth}");
            }
        }
    }

    /// Two sides with no edge within: half of the nodes begin on the wrong one.
    #[test]
    fn sides_are_found_from_a_poor_start() {
        let pairs = (0..10).flat_map(|i| (10..24).map(move |j| (i, j))).filter(|(i, j)| (i * 7 + j * 3) % 4 > 0);
        let both = pairs.flat_map(|(i, j)| [(i, j, 1.0), (j, i, 1.0)]).collect();
        let matrix = SparseMatrix::from_triplets(24, 24, both);
        let begin: Vec<usize> = (0..24).map(|i| usize::from(i >= 10) ^ usize::from(i % 4 == 0)).collect();
        let order: Vec<usize> = (0..24).collect();
        let found = moved(&matrix, begin.clone(), 2, &order, 10, &Interrupt::never());
        assert!((0..24).all(|i| (found[i] == found[0]) == (i < 10)), "{found:?}");
        let some = |community: &[usize]| community.iter().copied().map(Some).collect::<Vec<_>>();
        assert!(explained(&matrix, &some(&found), 2) > explained(&matrix, &some(&begin), 2));
    }

    #[test]
    fn no_community_is_emptied() {
        let pairs = (0..12).flat_map(|i| (0..i).map(move |j| (i, j)));
        let matrix = SparseMatrix::from_triplets(12, 12, pairs.flat_map(|(i, j)| [(i, j, 1.0), (j, i, 1.0)]).collect());
        let order: Vec<usize> = (0..12).collect();
        let found = moved(&matrix, (0..12).map(|i| i % 3).collect(), 3, &order, 10, &Interrupt::never());
        assert!((0..3).all(|k| found.contains(&k)), "{found:?}");
    }
}
