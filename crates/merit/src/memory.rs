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
//! | `4 M N` | the points packed for the search, as f32; `8 nnz` for sparse data. Or `8 N^2`, the products of columns, where these take no more than residuals may: `N <= M` (but not for single precision), or for sparse data `N^2 <= 12 nnz` |
//! | `8 K N` | `H` |
//! | `12 N min(T, 40)` | `C`, 12 bytes per nonzero. A step adds at most one to a column, and columns rarely end with more than 40 |
//! | `64 N` | row softmax, row maxima and counts, norms, anchors |
//!
//! Several processes share these ([`needed_bytes_of_rank`]): all but the packed points, and the row numbers of `64 N`, is `1/R` of it for each of
//! `R`. Where even `X` and its points would be too much, each has its own columns of `X` only, and the columns of all pass by in pieces.
//!
//! `X` itself is there already and is not counted, nor is a worker's scratch: for dense data it hardly grows with them, for
//! sparse data it is `136 M + 128 N` bytes (32 residuals at a time, and the scores of all columns for them), and `128 M` more where
//! residuals are stored.

use crate::DataMatrix;
use crate::plan::Size;
use crate::precision::Precision;
use crate::solver::{StoredResiduals, gram_fits, residuals_are_stored};
use merit_linalg::dense::piece_columns;

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
/// let tall = DenseMatrix::zeros(1000, 1000).into();
/// assert_eq!(needed_bytes(&tall, 10, 25), 1000 * (16 * 1000 + 8 * 10 + 12 * 25 + 64));
/// ```
pub fn needed_bytes(x: &DataMatrix, rank: usize, iterations: usize) -> u64 {
    let DataMatrix::Sparse(sparse) = x else {
        let precision = if let DataMatrix::Single(_) = x { Precision::F32 } else { Precision::F64 };
        return needed_bytes_of_dense(x.rows(), x.cols(), precision, rank, iterations);
    };
    let stored = residuals_are_stored(x, StoredResiduals::Measured);
    let residuals = if stored { (8 * x.rows() as u64).saturating_mul(x.cols() as u64) } else { 0 };
    let mut points = 8 * sparse.nnz() as u64;
    if gram_fits(x) {
        points = points.max(gram(x.cols()));
    }
    of_columns(x.cols(), rank, iterations).saturating_add(points).saturating_add(residuals)
}

/// The same for a dense matrix of this size.
pub fn needed_bytes_of_dense(rows: usize, cols: usize, precision: Precision, rank: usize, iterations: usize) -> u64 {
    let points = (4 * rows as u64).saturating_mul(cols as u64);
    let points_and_residuals = match precision {
        Precision::F64 => {
            let points = if cols <= rows { points.max(gram(cols)) } else { points };
            points.saturating_add((8 * rows as u64).saturating_mul(cols as u64))
        }
        Precision::F32 => points,
    };
    of_columns(cols, rank, iterations).saturating_add(points_and_residuals)
}

/// The products of all columns with each other.
fn gram(cols: usize) -> u64 {
    (8 * cols as u64).saturating_mul(cols as u64)
}

/// How several processes share a dense `X`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Each has all of it, and all of the points packed for the search.
    Replicated,
    /// Each has its own columns; those of all are passed round in pieces, twice a step. Only in double precision.
    Ring,
}

impl Sharing {
    /// The ways there are for `X` in this precision.
    pub fn ways(precision: Precision) -> &'static [Self] {
        match precision {
            Precision::F64 => &[Self::Replicated, Self::Ring],
            Precision::F32 => &[Self::Replicated],
        }
    }
}

/// Bytes of `X` and all that is made beside it in each of `ranks` processes that share a dense matrix of this size. Of certificates
/// nothing is counted, nor is what a program takes in any case.
///
/// ```
/// use merit::memory::{Sharing, needed_bytes_of_rank};
/// use merit::plan::Size;
/// let size = Size { rows: 20, cols: 400_000, rank: 10, iterations: 10, ..Default::default() };
/// let of = |ranks, sharing| needed_bytes_of_rank(&size, ranks, sharing);
/// assert_eq!(of(1, Sharing::Replicated), 400_000 * (20 * 20 + 8 * 10 + 12 * 10 + 64));
/// assert!(of(4, Sharing::Ring) < of(4, Sharing::Replicated) * 6 / 10);
/// ```
pub fn needed_bytes_of_rank(size: &Size, ranks: usize, sharing: Sharing) -> u64 {
    let (of_row_numbers, ranks) = (64, ranks.max(1) as u64);
    let (cols, column) = (size.cols as u64, 8 * size.rows as u64); // a column of `X`, and again of the residuals
    let share = |of_column: u64| cols.saturating_mul(of_column).div_ceil(ranks);
    let own = of_columns(1, size.rank, size.iterations) - of_row_numbers;
    let whole = cols.saturating_mul(of_row_numbers);
    match sharing {
        Sharing::Replicated => {
            let points = cols.saturating_mul(column / 2);
            let residual = if size.precision == Precision::F64 { column } else { 0 };
            whole.saturating_add(size.x_bytes()).saturating_add(points).saturating_add(share(residual + own))
        }
        // A piece as it is sent, as it arrives, and packed; and the best of each column so far.
        Sharing::Ring => {
            let pieces = 2 * piece_columns(size.rows, size.cols, ranks as usize) as u64 * column;
            whole.saturating_add(pieces).saturating_add(share(2 * column + own + 24))
        }
    }
}

/// What is made for every column, however long it is.
pub(crate) fn of_columns(cols: usize, rank: usize, iterations: usize) -> u64 {
    let (h, c) = (8 * rank as u64, 12 * PLANNED_NONZEROS.min(iterations as u64));
    (cols as u64).saturating_mul(h + c + 64)
}
