//! Least squares over many rows and few topics: `min ||x - W h||` over `h >= 0`, with `W` tall and thin.
//!
//! ```text
//! W = Q R  (Q'Q = I, N x K)      ||x - W h||^2 = ||Q'x - R h||^2 + a constant
//! ```
//!
//! so each column is a problem of size `K x K` in `Q'x`, however many words there are, and a column of the co-occurrence
//! matrix is never needed itself: only `Q'P = (P Q)'`. `O(N K^2)` once, `O(nnz(x) K)` and a small active set for each column.
//! Every column is solved separately, so a document gets the same weights alone as among others.
//!
//! ```
//! use merit::{DenseMatrix, progress::Interrupt};
//! use merit_topics::weights::Basis;
//! let w = DenseMatrix::from_columns(3, vec![1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
//! let basis = Basis::of(&w);
//! let x = DenseMatrix::from_columns(3, vec![2.0, 5.0, 3.0]); // 2 w_0 + 3 w_1
//! let projected = merit_linalg::decompositions::project(basis.q(), &x.into());
//! let h = basis.weights(projected, &Interrupt::never());
//! assert!((h.get(0, 0) - 2.0).abs() < 1e-12 && (h.get(1, 0) - 3.0).abs() < 1e-12);
//! ```

use merit::DenseMatrix;
use merit::least_squares::{Constraint, DEFAULT_TOLERANCE, solve_until};
use merit::progress::Interrupt;
use merit_linalg::small_dense::orthonormal_columns;

/// `W = Q R`.
pub struct Basis {
    q: DenseMatrix,
    r: DenseMatrix,
}

impl Basis {
    /// Of the columns of `w`; dependent columns get no direction of their own.
    pub fn of(w: &DenseMatrix) -> Self {
        let (q, r) = orthonormal_columns(w);
        Self { q, r }
    }

    /// `Q`.
    pub fn q(&self) -> &DenseMatrix {
        &self.q
    }

    /// The weights of columns given as `Q'x`; meaningless after an interrupt.
    pub fn weights(&self, projected: DenseMatrix, interrupt: &Interrupt) -> DenseMatrix {
        if projected.cols() == 0 {
            return projected;
        }
        solve_until(interrupt, &projected.into(), &self.r, Constraint::Nonnegative, DEFAULT_TOLERANCE).h
    }
}
