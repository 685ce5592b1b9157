//! Rank correlation, and the memberships of communities compared by it.

use crate::hungarian;
use merit_linalg::DenseMatrix;

/// Spearman's rank correlation: Pearson's correlation of the ranks, from -1 to 1; equal values share their average rank.
///
/// It is 0 where a list is constant (or shorter than two), which says nothing about order: there the quotient would be
/// 0/0. Values must not be NaN, and the lists must be equally long.
///
/// ```
/// use merit::metrics::spearman;
/// assert_eq!(spearman(&[1.0, 2.0, 3.0], &[10.0, 100.0, 1000.0]), 1.0);
/// assert_eq!(spearman(&[1.0, 2.0, 3.0], &[5.0, 5.0, 5.0]), 0.0);
/// ```
pub fn spearman(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len(), "both lists must be equally long");
    correlation(&centered_ranks(x), &centered_ranks(y))
}

/// Spearman correlation of memberships: the mean over the best assignment of estimated to true communities.
///
/// Both matrices are nodes x communities, a **column** per community. With different numbers of columns all of the narrower
/// matrix are matched; a constant column correlates with nothing (0). Without columns: 0.
///
/// ```
/// use merit::DenseMatrix;
/// let truth = DenseMatrix::from_columns(3, vec![0.9, 0.5, 0.1, 0.1, 0.5, 0.9]);
/// assert_eq!(merit::metrics::src(&truth.select(&[1, 0]), &truth), 1.0);
/// ```
pub fn src(estimated: &DenseMatrix, truth: &DenseMatrix) -> f64 {
    assert_eq!(estimated.rows(), truth.rows(), "both matrices must have the same number of rows");
    let (few, many) = if estimated.cols() < truth.cols() { (estimated, truth) } else { (truth, estimated) };
    if few.cols() == 0 {
        return 0.0;
    }
    let ranks = |matrix: &DenseMatrix| (0..matrix.cols()).map(|k| centered_ranks(matrix.col(k))).collect::<Vec<_>>();
    let (rows, cols) = (ranks(few), ranks(many));
    let correlations = DenseMatrix::from_fn(rows.len(), cols.len(), |i, j| correlation(&rows[i], &cols[j]));
    let cost = DenseMatrix::from_fn(rows.len(), cols.len(), |i, j| -correlations.get(i, j));
    let matched = hungarian::assign(&cost);
    matched.iter().enumerate().map(|(i, &j)| correlations.get(i, j)).sum::<f64>() / rows.len() as f64
}

/// Twice the ranks less twice their mean: whole numbers, so sums of their products are exact (up to some 100,000 values).
fn centered_ranks(values: &[f64]) -> Vec<f64> {
    assert!(values.iter().all(|v| !v.is_nan()), "NaN has no rank");
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].partial_cmp(&values[b]).expect("no NaN"));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for run in order.chunk_by(|&a, &b| values[a] == values[b]) {
        // The places first ..= first + len - 1 have the average first + (len - 1)/2; the mean of all is (N - 1)/2.
        let twice = (2 * first + run.len()) as f64 - values.len() as f64;
        run.iter().for_each(|&i| ranks[i] = twice);
        first += run.len();
    }
    ranks
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let (xx, yy) = (product(x, x), product(y, y));
    if xx == 0.0 || yy == 0.0 { 0.0 } else { (product(x, y) / (xx * yy).sqrt()).clamp(-1.0, 1.0) }
}
