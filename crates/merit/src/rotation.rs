//! Fewer rows, exactly: where rows outnumber columns, the triangle of a QR decomposition stands for `X`.
//!
//! `X = QR` with orthonormal columns of `Q`, so `||X - XC|| = ||R - RC||` for every `C`, and all products of columns are the
//! same: MERIT's problem knows `X'X` alone. A step then costs `2 N^3` operations instead of `2 M N^2`, and residuals and packed
//! points have `N` rows. Numbers agree with those of `X` up to rounding (`8 N 2^-53 ||X||` in all), not in their last bits; a tie that
//! rounding decides may go to the other column.

use crate::progress::Interrupt;
use merit_linalg::decompositions::{SMALL_SIDE, lean_triangle};
use merit_linalg::{DataMatrix, DenseMatrix};

/// What an entry of a sparse column costs in a step, in entries of dense columns.
const SPARSE_ENTRY: f64 = 2.5;

/// What the decomposition costs for a row of `X`, in rows of a step: its operations are as many as those of two steps, in `f64`,
/// on one thread.
const DECOMPOSITION: f64 = 8.0;

/// How many times less it must cost in all.
const WORTH: f64 = 1.25;

/// Whether `steps` steps of MERIT on the triangle, and the decomposition, cost clearly less than on `x`: by counted operations, so
/// that a run takes the same path every time. Never for more than [`SMALL_SIDE`] columns, where it would take long to begin.
pub(crate) fn pays(x: &DataMatrix, steps: usize) -> bool {
    let (rows, cols, steps) = (x.rows() as f64, x.cols() as f64, steps as f64);
    let entries = match x {
        DataMatrix::Dense(_) | DataMatrix::Single(_) => rows,
        DataMatrix::Sparse(x) => SPARSE_ENTRY * x.nnz() as f64 / cols,
    };
    x.rows() > x.cols() && x.cols() <= SMALL_SIDE && WORTH * (cols * steps + DECOMPOSITION * rows) <= entries * steps
}

/// The triangle; of no use once somebody asked for the end.
pub(crate) fn rotated(x: &DataMatrix, interrupt: &Interrupt) -> DataMatrix {
    lean_triangle(x, interrupt).unwrap_or_else(|| DenseMatrix::zeros(1, x.cols())).into()
}

/// What was done, in words.
pub(crate) fn note(rows: usize, cols: usize) -> String {
    format!(
        "{rows} rows and {cols} columns: MERIT searched the {cols} x {cols} triangle of a QR decomposition, whose columns have the \
         same products"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use merit_linalg::SparseMatrix;

    #[test]
    fn it_pays_where_rows_outnumber_what_is_left() {
        let dense = |rows, cols| DataMatrix::from(DenseMatrix::zeros(rows, cols));
        assert!(pays(&dense(300, 100), 100) && !pays(&dense(300, 100), 5), "the decomposition takes some steps");
        assert!(!pays(&dense(120, 100), 1000) && !pays(&dense(50, 100), 100), "too little is left out");
        assert!(!pays(&dense(5000, SMALL_SIDE + 1), 100));
        let sparse = |each: u32| {
            let entries = (0..100).flat_map(|l| (0..each).map(move |m| (m, l, 1.0))).collect();
            DataMatrix::from(SparseMatrix::from_triplets(300, 100, entries))
        };
        assert!(pays(&sparse(80), 100) && !pays(&sparse(40), 100), "few entries are fewer than a dense triangle has");
    }
}
