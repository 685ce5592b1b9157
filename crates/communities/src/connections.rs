//! How communities connect: `B`, the expected edges between nodes that belong to one community each.
//!
//! ```text
//! A(i,j) ~ w_i w_j theta_i' B theta_j,   w_i = d_i / mean degree          B(k,l): between two nodes of mean degree, all in k and all in l
//! min over B >= 0 of norm(T' A T - (T'T) B (T'T)),   T = diag(w) Theta
//! ```
//!
//! solved by multiplicative steps, which keep `B` symmetric and free of signs. `O(edges K + nodes K^2)` and a few hundred products of `K x K`
//! matrices; nodes about which nothing is known do not count.

use merit_linalg::dense::dot;
use merit_linalg::{DenseMatrix, SparseMatrix};

/// Steps; they settle long before.
const STEPS: usize = 300;

/// `B` for shares (nodes x communities).
pub fn connections(adjacency: &SparseMatrix, shares: &DenseMatrix, known: &[bool]) -> DenseMatrix {
    let (nodes, rank) = (shares.rows(), shares.cols());
    let degrees: Vec<f64> = (0..nodes).map(|i| adjacency.col(i).1.iter().sum()).collect();
    let mean = degrees.iter().sum::<f64>() / nodes.max(1) as f64;
    let weight = |i: usize| if known[i] && mean > 0.0 { degrees[i] / mean } else { 0.0 };
    let weights: Vec<f64> = (0..nodes).map(weight).collect();
    let mut t = shares.clone();
    t.values_mut().chunks_mut(nodes.max(1)).for_each(|c| c.iter_mut().zip(&weights).for_each(|(v, w)| *v *= w));
    let mut at = DenseMatrix::zeros(nodes, rank);
    adjacency.transposed_times(&t, &mut at);
    let product = |a: &DenseMatrix, b: &DenseMatrix| {
        DenseMatrix::from_fn(rank, rank, |k, l| a.col(k).iter().zip(b.col(l)).map(|(a, b)| a * b).sum())
    };
    let (edges, gram) = (product(&t, &at), product(&t, &t));
    // Of symmetric matrices rows are columns.
    let small = |a: &DenseMatrix, b: &DenseMatrix| DenseMatrix::from_fn(rank, rank, |k, l| dot(a.col(k), b.col(l)));
    let mut b = DenseMatrix::from_fn(rank, rank, |_, _| 1.0);
    for _ in 0..STEPS {
        let fitted = small(&gram, &small(&b, &gram));
        b = DenseMatrix::from_fn(rank, rank, |k, l| {
            let (up, down) = (edges.get(k, l) + edges.get(l, k), fitted.get(k, l) + fitted.get(l, k));
            if down > 0.0 { b.get(k.min(l), k.max(l)) * up / down } else { 0.0 }
        });
    }
    b
}

/// `m_kl / (m_k m_l)`: the rates between communities of the degree-corrected block model, per unit of both degrees.
pub(crate) fn rates_between(adjacency: &SparseMatrix, community: &[usize], communities: usize) -> DenseMatrix {
    let mut between = DenseMatrix::zeros(communities, communities);
    for (i, &k) in community.iter().enumerate() {
        let (others, weights) = adjacency.col(i);
        others.iter().zip(weights).for_each(|(&j, weight)| between.col_mut(k)[community[j as usize]] += weight);
    }
    let sums: Vec<f64> = (0..communities).map(|k| between.col(k).iter().sum()).collect();
    let rate = |k: usize, l: usize| match sums[k] * sums[l] {
        product if product > 0.0 => between.get(k, l) / product,
        _ => 0.0,
    };
    DenseMatrix::from_fn(communities, communities, rate)
}

/// How much better the communities of the largest shares explain the edges than one community with the same degrees does: the logarithm of the likelihood
/// of the degree-corrected block model, per unit of weight. Nodes without a community do not count.
///
/// ```text
/// sum_kl m_kl log(m_kl m / (m_k m_l)) / m,      m_kl: weight between k and l
/// ```
pub fn explained(adjacency: &SparseMatrix, community: &[Option<usize>], communities: usize) -> f64 {
    let mut between = vec![0.0; communities * communities];
    for (i, k) in community.iter().enumerate().filter_map(|(i, k)| k.map(|k| (i, k))) {
        let (others, weights) = adjacency.col(i);
        for (&j, weight) in others.iter().zip(weights) {
            if let Some(l) = community[j as usize] {
                between[k * communities + l] += weight;
            }
        }
    }
    let of: Vec<f64> = between.chunks(communities.max(1)).map(|row| row.iter().sum()).collect();
    let total: f64 = of.iter().sum();
    let term = |c: usize| match between[c] {
        0.0 => 0.0,
        m => m * (m * total / (of[c / communities] * of[c % communities])).ln(),
    };
    if total > 0.0 { (0..between.len()).map(term).sum::<f64>() / total } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mmsb::Mmsb;

    #[test]
    fn the_rates_of_a_model_are_found_again() {
        let drawn = Mmsb { mean_degree: 60.0, seed: 5, between: 0.1, ..Mmsb::new(3000, 3) }.generate().unwrap();
        let graph = drawn.graph().unwrap();
        let b = connections(&graph.adjacency, &drawn.theta, &[true; 3000]);
        for k in 0..3 {
            for l in 0..3 {
                let (found, truth) = (b.get(k, l), drawn.b.get(k, l));
                assert!(found >= 0.0 && (found - truth).abs() < 0.15 * drawn.b.get(0, 0), "{found} {truth}");
                assert_eq!(found, b.get(l, k));
            }
        }
    }

    #[test]
    fn two_cliques_are_explained_by_two_communities() {
        let edges = [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)];
        let both = edges.iter().flat_map(|&(i, j)| [(i, j, 1.0), (j, i, 1.0)]).collect();
        let matrix = SparseMatrix::from_triplets(6, 6, both);
        let one = explained(&matrix, &[Some(0); 6], 1);
        let two = explained(&matrix, &[0, 0, 0, 1, 1, 1].map(Some), 2);
        assert!(one.abs() < 1e-15 && (two - 2f64.ln()).abs() < 1e-15, "{one} {two}");
    }
}
