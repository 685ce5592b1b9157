//! Columns in the flat that their mixtures lie in: `K - 1` centered principal components, and a row of constants below.

use merit_linalg::decompositions::{leading_left_vectors, principal_axes, project};
use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, DenseMatrix};

/// `K x N`: the coordinates of each column, and the largest norm of any of them. `None` where the columns have fewer dimensions than that, or all are
/// the same.
pub(super) fn with_constants(x: &DataMatrix, rank: usize) -> Option<DenseMatrix> {
    if rank < 2 || x.rows() + 1 < rank || x.cols() < rank {
        return None;
    }
    // A flat of K - 1 dimensions lies in K, with the origin.
    let basis = leading_left_vectors(x, rank.min(x.rows()).min(x.cols()))?;
    let few = DataMatrix::from(project(&basis, x));
    let columns = Shards::new(few.cols());
    let mut center = columns.sum_vectors(few.rows(), |l, sum| few.add_to(l, 1.0, sum));
    center.iter_mut().for_each(|c| *c /= few.cols() as f64);
    let axes = principal_axes(&few, &center)?;
    let along = |l: usize, k: usize| {
        let column = few.column(l);
        let parts = axes.col(k).iter().zip(&*column).zip(&center);
        parts.map(|((axis, value), c)| axis * (value - c)).sum::<f64>()
    };
    let dimensions = (rank - 1).min(axes.cols());
    let mut points = DenseMatrix::from_column_fn(dimensions + 1, few.cols(), |l, out| {
        out[..dimensions].iter_mut().enumerate().for_each(|(k, out)| *out = along(l, k));
    });
    let norm = |l: usize| points.col(l).iter().map(|v| v * v).sum::<f64>();
    let largest = columns.max(0.0, norm).sqrt();
    if !(largest > 0.0 && largest.is_finite()) || dimensions + 1 < rank {
        return None;
    }
    (0..points.cols()).for_each(|l| points.col_mut(l)[dimensions] = largest);
    Some(points)
}
