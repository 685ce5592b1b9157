//! How much memory a factorization takes, so that one can tell before the work whether it fits.
//!
//! ```text
//! N (12 M + 8 K + 12 min(T, 40) + 64)  bytes; for sparse X, 8 nnz / N instead of the 12 M, and 8 M if residuals are stored;
//!                                      for X in single precision, 4 M instead of the 12 M
//! ```
//!
//! | term | what it is |
//! |---|---|
//! | `8 M N` | residuals `R = XC - X`; of sparse data only where they take at most eight times the memory of `X`, else a residual is computed when it is looked at, as it is for single precision |
//! | `4 M N` | the points packed for the search, as f32; `8 nnz` for sparse data |
//! | `8 K N` | `H` |
//! | `12 N min(T, 40)` | `C`, 12 bytes per nonzero. A step adds at most one to a column, and columns rarely end with more than 40 |
//! | `64 N` | row softmax, row maxima and counts, norms, anchors |
//!
//! `X` itself is there already and is not counted, nor is a worker's scratch: for dense data it hardly grows with them, for
//! sparse data it is `136 M + 128 N` bytes (32 residuals at a time, and the scores of all columns for them), and `128 M` more where
//! residuals are stored.

use crate::DataMatrix;
use crate::precision::Precision;
use crate::solver::{StoredResiduals, residuals_are_stored};

/// A number of bytes in words.
pub(crate) fn gigabytes(bytes: u64) -> String {
    if bytes < 100_000_000 { format!("{:.1} MB", bytes as f64 / 1e6) } else { format!("{:.1} GB", bytes as f64 / 1e9) }
}

/// Nonzeros of a column of `C` that are planned for, however many steps there are.
const PLANNED_NONZEROS: u64 = 40;

/// About how many bytes [`factor`](crate::factor()) takes beside `x`, for `rank` anchors (0 if that is not known yet) and at
/// most `iterations` steps.
///
/// ```
/// use merit::{DenseMatrix, memory::needed_bytes};
/// let x = DenseMatrix::zeros(100, 1000).into();
/// assert_eq!(needed_bytes(&x, 10, 25), 1000 * (12 * 100 + 8 * 10 + 12 * 25 + 64));
/// ```
pub fn needed_bytes(x: &DataMatrix, rank: usize, iterations: usize) -> u64 {
    let DataMatrix::Sparse(sparse) = x else {
        let precision = if let DataMatrix::Single(_) = x { Precision::F32 } else { Precision::F64 };
        return needed_bytes_of_dense(x.rows(), x.cols(), precision, rank, iterations);
    };
    let stored = residuals_are_stored(x, StoredResiduals::Measured);
    let residuals = if stored { (8 * x.rows() as u64).saturating_mul(x.cols() as u64) } else { 0 };
    let points = 8 * sparse.nnz() as u64;
    of_columns(x.cols(), rank, iterations).saturating_add(points).saturating_add(residuals)
}

/// The same for a dense matrix of this size.
pub fn needed_bytes_of_dense(rows: usize, cols: usize, precision: Precision, rank: usize, iterations: usize) -> u64 {
    let each = match precision {
        Precision::F64 => 12,
        Precision::F32 => 4,
    };
    let points_and_residuals = (each * rows as u64).saturating_mul(cols as u64);
    of_columns(cols, rank, iterations).saturating_add(points_and_residuals)
}

/// What is made for every column, however long it is.
fn of_columns(cols: usize, rank: usize, iterations: usize) -> u64 {
    let (h, c) = (8 * rank as u64, 12 * PLANNED_NONZEROS.min(iterations as u64));
    (cols as u64).saturating_mul(h + c + 64)
}
