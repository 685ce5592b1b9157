//! `X` as FastGradient multiplies with it.
//!
//! | | dense, or the triangle of a tall `X` | sparse |
//! |---|---|---|
//! | `X Y` and residuals are held | as they are, `M x N` | transposed, `N x M` |
//! | a product | `2 M N^2` operations at the speed of a matrix product | `2 nnz N`: sums of rows of `Y` |

use merit_linalg::decompositions::triangular_factor;
use merit_linalg::products::{times_transposed_into, transposed_times};
use merit_linalg::{DataMatrix, DenseMatrix, SparseMatrix};
use rayon::prelude::*;

/// A sparse product is taken where this part of `X` at most is not zero: its operations are that much slower (measured).
const SPARSE_SHARE: f64 = 1.0 / 30.0;

pub(super) enum Data {
    Dense(DenseMatrix),
    Sparse { columns: SparseMatrix, rows: SparseMatrix },
}

impl Data {
    pub(super) fn new(x: &DataMatrix) -> Self {
        match x {
            _ if x.rows() > x.cols() => Self::Dense(triangular_factor(x)),
            DataMatrix::Dense(x) => Self::Dense(x.clone()),
            DataMatrix::Single(x) => Self::Dense(x.to_dense()),
            DataMatrix::Sparse(x) if x.nnz() as f64 <= SPARSE_SHARE * (x.rows() * x.cols()) as f64 => {
                Self::Sparse { columns: x.clone(), rows: x.transposed() }
            }
            DataMatrix::Sparse(x) => Self::Dense(x.to_dense()),
        }
    }

    /// Zeros in the shape in which `X Y` is held.
    pub(super) fn zeros(&self) -> DenseMatrix {
        match self {
            Self::Dense(x) => DenseMatrix::zeros(x.rows(), x.cols()),
            Self::Sparse { columns, .. } => DenseMatrix::zeros(columns.cols(), columns.rows()),
        }
    }

    /// `X Y` from `Y'`.
    pub(super) fn fit(&self, y: &DenseMatrix, fitted: &mut DenseMatrix) {
        match self {
            Self::Dense(x) => times_transposed_into(x, y, fitted),
            Self::Sparse { rows, .. } => {
                let out = fitted.values_mut().par_chunks_mut(y.rows().max(1));
                out.enumerate().for_each(|(m, out)| rows.combination(m, y, out));
            }
        }
    }

    /// Subtracts from `values`, column `c` of what is held, the same column of `X`.
    pub(super) fn subtract_from(&self, values: &mut [f64], c: usize) {
        match self {
            Self::Dense(x) => values.iter_mut().zip(x.col(c)).for_each(|(value, x)| *value -= x),
            Self::Sparse { rows, .. } => {
                let (places, x) = rows.col(c);
                places.iter().zip(x).for_each(|(&l, x)| values[l as usize] -= x);
            }
        }
    }

    /// Rows of `X' R`, `N` numbers each, from row `first` on as many as `out` has room for; on this thread.
    pub(super) fn gradient(&self, residual: &DenseMatrix, first: usize, out: &mut [f64]) {
        match self {
            Self::Dense(x) => {
                let (rows, count) = (x.rows(), out.len() / x.cols());
                transposed_times(residual, &x.values()[first * rows..][..count * rows], out);
            }
            Self::Sparse { columns, .. } => {
                let rows = out.chunks_exact_mut(columns.cols()).enumerate();
                rows.for_each(|(i, out)| columns.combination(first + i, residual, out));
            }
        }
    }
}
