//! A map of the topics, and how much they share documents.
//!
//! ```text
//! d(i,j)^2 = JS(i,j) = 1/2 KL(i | m) + 1/2 KL(j | m),  m = (i + j)/2        Jensen-Shannon divergence of two topics' words
//! ```
//!
//! put into two dimensions by classical scaling: the leading eigenvectors of `-1/2 J d^2 J`. `O(K^2 N)` time.

use merit::DenseMatrix;
use merit_linalg::dense::dot;
use merit_linalg::eigen::{Settings, leading_eigenpairs};
use merit_linalg::shards::Shards;

/// Cosines between the rows of `weights`, topics x topics.
pub fn cosines(weights: &DenseMatrix) -> Vec<f64> {
    let by_topic = weights.transposed();
    let count = weights.rows();
    let norms: Vec<f64> = (0..count).map(|k| dot(by_topic.col(k), by_topic.col(k)).sqrt()).collect();
    let cosine = |i: usize, j: usize| {
        let norms = norms[i] * norms[j];
        if norms > 0.0 { dot(by_topic.col(i), by_topic.col(j)) / norms } else { 0.0 }
    };
    (0..count * count).map(|entry| cosine(entry / count, entry % count)).collect()
}

/// The topics in the plane: classical scaling of Jensen-Shannon divergences. Empty where these are not finite.
pub fn positions(topics: &DenseMatrix) -> Vec<(f64, f64)> {
    let count = topics.rows();
    if count < 2 {
        return vec![(0.0, 0.0); count];
    }
    let mut squares = DenseMatrix::zeros(count, count);
    for i in 0..count {
        for j in 0..i {
            let divergence = Shards::new(topics.cols()).sum(|n| {
                let (p, q) = (topics.get(i, n), topics.get(j, n));
                let m = 0.5 * (p + q);
                let part = |p: f64| if p > 0.0 { 0.5 * p * (p / m).ln() } else { 0.0 };
                part(p) + part(q)
            });
            squares.col_mut(i)[j] = divergence;
            squares.col_mut(j)[i] = divergence;
        }
    }
    if count == 2 {
        let half = 0.5 * squares.get(0, 1).max(0.0).sqrt();
        return vec![(-half, 0.0), (half, 0.0)];
    }
    let mean = |k: usize| squares.col(k).iter().sum::<f64>() / count as f64;
    let all = (0..count).map(mean).sum::<f64>() / count as f64;
    let centered = DenseMatrix::from_fn(count, count, |i, j| -0.5 * (squares.get(i, j) - mean(i) - mean(j) + all));
    let pairs = leading_eigenpairs(count, &Settings::new(2), |v, out| {
        for c in 0..v.cols() {
            (0..count).for_each(|i| out.col_mut(c)[i] = dot(centered.col(i), v.col(c)));
        }
    });
    let along = |k: usize, axis: usize| pairs.values[axis].max(0.0).sqrt() * pairs.vectors.get(k, axis);
    let positions: Vec<(f64, f64)> = (0..count).map(|k| (along(k, 0), along(k, 1))).collect();
    if positions.iter().all(|(x, y)| x.is_finite() && y.is_finite()) { positions } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three topics without a common word are ln 2 from each other: an equilateral triangle fits into the plane.
    #[test]
    fn distances_of_three_topics_are_kept() {
        let topics = DenseMatrix::from_fn(3, 6, |k, n| if n / 2 == k { 0.5 } else { 0.0 });
        let positions = positions(&topics);
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let distance = (positions[i].0 - positions[j].0).hypot(positions[i].1 - positions[j].1);
            assert!((distance - 2f64.ln().sqrt()).abs() < 1e-9, "{i} {j}: {distance}");
        }
    }

    #[test]
    fn one_and_two_topics_have_positions_too() {
        assert_eq!(positions(&DenseMatrix::from_columns(1, vec![0.5, 0.5])), [(0.0, 0.0)]);
        let two = positions(&DenseMatrix::from_fn(2, 2, |k, n| f64::from(u8::from(k == n))));
        assert!((two[1].0 - two[0].0 - 2f64.ln().sqrt()).abs() < 1e-12);
    }

    #[test]
    fn topics_that_share_no_document_have_cosine_zero() {
        let weights = DenseMatrix::from_columns(2, vec![3.0, 0.0, 0.0, 4.0, 0.0, 3.0]);
        assert_eq!(cosines(&weights), [1.0, 0.0, 0.0, 1.0]);
    }
}
