//! A graph without some of its edges.

use merit_linalg::SparseMatrix;
use std::collections::HashSet;

/// The edges without one of `one_in`, and those that are gone. Which ones depends on their places and the seed alone; every node keeps an edge.
pub(crate) fn thinned(adjacency: &SparseMatrix, one_in: u64, seed: u64) -> (SparseMatrix, Vec<(usize, usize)>) {
    // splitmix64 of the pair: the same for both directions.
    let drawn = |i: usize, j: usize| {
        let pair = (i.min(j) as u64) << 32 | i.max(j) as u64;
        let mut z = pair.wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed + 1));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)).is_multiple_of(one_in)
    };
    let mut left: Vec<usize> = (0..adjacency.cols()).map(|i| adjacency.col(i).0.len()).collect();
    let (mut aside, mut gone) = (Vec::new(), HashSet::new());
    for i in 0..adjacency.cols() {
        for j in adjacency.col(i).0.iter().map(|&j| j as usize).filter(|&j| i < j && drawn(i, j)) {
            if left[i] > 1 && left[j] > 1 {
                (left[i], left[j]) = (left[i] - 1, left[j] - 1);
                aside.push((i, j));
                gone.insert((i, j));
            }
        }
    }
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..adjacency.cols() {
        let (others, weights) = adjacency.col(i);
        for (&j, &weight) in others.iter().zip(weights) {
            if !gone.contains(&(i.min(j as usize), i.max(j as usize))) {
                rows.push(j);
                values.push(weight);
            }
        }
        starts.push(rows.len());
    }
    let rest = SparseMatrix::from_compressed(adjacency.cols(), starts, rows, values);
    (rest.expect("rows are sorted and indices in range"), aside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mmsb::Mmsb;

    #[test]
    fn about_as_many_edges_are_gone_as_asked_and_no_node_is_left_alone() {
        let graph = Mmsb { mean_degree: 6.0, seed: 1, ..Mmsb::new(2000, 3) }.generate().unwrap().graph().unwrap();
        let mut first = Vec::new();
        for seed in 0..3 {
            let (rest, gone) = thinned(&graph.adjacency, 10, seed);
            assert_eq!(rest.nnz() / 2 + gone.len(), graph.edges());
            let part = gone.len() as f64 / graph.edges() as f64;
            assert!((0.07..0.12).contains(&part), "{part}");
            assert!(rest.transposed() == rest);
            let alone = |matrix: &SparseMatrix| (0..2000).filter(|&i| matrix.col(i).0.is_empty()).count();
            assert_eq!(alone(&rest), alone(&graph.adjacency));
            assert_ne!(first, gone);
            first = gone;
        }
    }
}
