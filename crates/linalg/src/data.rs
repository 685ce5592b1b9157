//! The data matrix `X`, dense (in double or single precision) or sparse: the few operations on its columns that the methods need.
//!
//! ```
//! use merit_linalg::{DataMatrix, DenseMatrix};
//! let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![3.0, 4.0, 1.0, 0.0]));
//! assert_eq!(x.squared_norm(0), 25.0);
//! assert_eq!(x.dot(1, &[2.0, 7.0]), 2.0);
//! ```

use crate::shards::Shards;
use crate::{DenseMatrix, SingleMatrix, SparseMatrix, dense, single};
use std::borrow::Cow;

/// A dense or sparse `M x N` matrix with a sample per column.
#[derive(Clone, Debug, PartialEq)]
pub enum DataMatrix {
    /// Every entry stored.
    Dense(DenseMatrix),
    /// Every entry stored in single precision; all arithmetic is in double precision.
    Single(SingleMatrix),
    /// Only the nonzero entries stored.
    Sparse(SparseMatrix),
}

impl DataMatrix {
    /// Number of rows, `M`.
    #[inline]
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(x) => x.rows(),
            Self::Single(x) => x.rows(),
            Self::Sparse(x) => x.rows(),
        }
    }

    /// Number of columns, `N`.
    #[inline]
    pub fn cols(&self) -> usize {
        match self {
            Self::Dense(x) => x.cols(),
            Self::Single(x) => x.cols(),
            Self::Sparse(x) => x.cols(),
        }
    }

    /// Which columns are here: all, unless several processes share a dense matrix. Loops over the columns go by these.
    pub fn shards(&self) -> Shards {
        match self {
            Self::Dense(x) => x.shards(),
            Self::Single(_) | Self::Sparse(_) => Shards::new(self.cols()),
        }
    }

    /// Whether several processes have some of the columns each.
    pub fn is_shared(&self) -> bool {
        !self.shards().are_all()
    }

    /// Whether only nonzeros are stored.
    pub fn is_sparse(&self) -> bool {
        matches!(self, Self::Sparse(_))
    }

    /// How many values are stored here.
    pub fn stored_count(&self) -> usize {
        match self {
            Self::Dense(x) => x.values().len(),
            Self::Single(x) => x.values().len(),
            Self::Sparse(x) => x.values().len(),
        }
    }

    /// The stored values that are here, column after column; zeros may be left out.
    pub fn stored_values(&self) -> impl Iterator<Item = f64> {
        let (double, single): (&[f64], &[f32]) = match self {
            Self::Dense(x) => (x.values(), &[]),
            Self::Single(x) => (&[], x.values()),
            Self::Sparse(x) => (x.values(), &[]),
        };
        double.iter().copied().chain(single.iter().map(|&v| f64::from(v)))
    }

    /// The stored values of column `l`; zeros may be left out. Single precision is copied.
    #[inline]
    pub fn stored_col(&self, l: usize) -> Cow<'_, [f64]> {
        match self {
            Self::Dense(x) => x.col(l).into(),
            Self::Single(x) => x.column(l).into(),
            Self::Sparse(x) => x.col(l).1.into(),
        }
    }

    /// Column `l`, which is here, with its zeros; copied unless it is stored so.
    #[inline]
    pub fn column(&self, l: usize) -> Cow<'_, [f64]> {
        match self {
            Self::Dense(x) => x.col(l).into(),
            Self::Single(x) => x.column(l).into(),
            Self::Sparse(_) => {
                let mut column = vec![0.0; self.rows()];
                self.add_to(l, 1.0, &mut column);
                column.into()
            }
        }
    }

    /// `x_l <- factor x_l`; single precision rounds what it stores.
    pub fn scale(&mut self, l: usize, factor: f64) {
        let values = match self {
            Self::Dense(x) => x.col_mut(l),
            Self::Single(x) => return x.col_mut(l).iter_mut().for_each(|v| *v = (f64::from(*v) * factor) as f32),
            Self::Sparse(x) => x.col_mut(l).1,
        };
        values.iter_mut().for_each(|v| *v *= factor);
    }

    /// Divides column `l` by a positive number, also by one so small that its inverse is beyond all numbers.
    ///
    /// ```
    /// use merit_linalg::{DataMatrix, DenseMatrix};
    /// let mut x = DataMatrix::from(DenseMatrix::from_columns(2, vec![1e-310, 3e-310]));
    /// x.divide(0, 4e-310);
    /// assert_eq!(x.stored_col(0)[0], 0.25);
    /// ```
    pub fn divide(&mut self, l: usize, divisor: f64) {
        let inverse = 1.0 / divisor;
        if inverse.is_finite() {
            self.scale(l, inverse);
        } else {
            let larger = 2f64.powi(600); // a power of two: nothing is rounded
            self.scale(l, larger);
            self.scale(l, 1.0 / (larger * divisor));
        }
    }

    /// `<x_n, r>`, in a fixed order.
    #[inline]
    pub fn dot(&self, n: usize, r: &[f64]) -> f64 {
        match self {
            Self::Dense(x) => dense::dot(x.col(n), r),
            Self::Single(x) => single::dot(x.col(n), r),
            Self::Sparse(x) => x.dot(n, r),
        }
    }

    /// `r <- r + factor x_n`.
    #[inline]
    pub fn add_to(&self, n: usize, factor: f64, r: &mut [f64]) {
        match self {
            Self::Dense(x) => r.iter_mut().zip(x.col(n)).for_each(|(r, v)| *r += factor * v),
            Self::Single(x) => r.iter_mut().zip(x.col(n)).for_each(|(r, &v)| *r += factor * f64::from(v)),
            Self::Sparse(x) => {
                let (rows, values) = x.col(n);
                rows.iter().zip(values).for_each(|(&m, v)| r[m as usize] += factor * v);
            }
        }
    }

    /// `out = x_l - W h`, a term for each weight that is not 0, in the order of the columns of `W`.
    pub fn residual(&self, l: usize, w: &DenseMatrix, h: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.add_to(l, 1.0, out);
        for (k, &weight) in h.iter().enumerate().filter(|&(_, &weight)| weight != 0.0) {
            out.iter_mut().zip(w.col(k)).for_each(|(r, w)| *r -= weight * w);
        }
    }

    /// `out = x_l - X(:, columns) h`, a term for each weight that is not 0, in the order of the columns; weights behind the last
    /// column are not looked at. As [`residual`](Self::residual) with these columns for `W`, bit by bit, but a sparse column costs its nonzeros.
    ///
    /// ```
    /// use merit_linalg::{DataMatrix, DenseMatrix};
    /// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![3.0, 4.0, 1.0, 0.0]));
    /// let mut out = [0.0; 2];
    /// x.residual_from(0, &[1], &[2.0], &mut out);
    /// assert_eq!(out, [1.0, 4.0]);
    /// ```
    pub fn residual_from(&self, l: usize, columns: &[usize], h: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.add_to(l, 1.0, out);
        for (&n, &weight) in columns.iter().zip(h).filter(|&(_, &weight)| weight != 0.0) {
            self.add_to(n, -weight, out);
        }
    }

    /// `||x_l||^2`.
    #[inline]
    pub fn squared_norm(&self, l: usize) -> f64 {
        match self {
            Self::Dense(x) => dense::dot(x.col(l), x.col(l)),
            Self::Single(x) => single::square(x.col(l)),
            Self::Sparse(x) => dense::dot(x.col(l).1, x.col(l).1),
        }
    }

    /// The columns `which` as a dense matrix: `8 M K` bytes. Of a matrix that several processes share, every process asks for the
    /// same columns and gets all of them.
    pub fn dense_columns(&self, which: &[usize]) -> DenseMatrix {
        match self {
            Self::Dense(x) => x.select_everywhere(which),
            Self::Single(x) => x.select(which).to_dense(),
            Self::Sparse(x) => x.select(which).to_dense(),
        }
    }

    /// The matrix of the columns `which`, stored as this one.
    pub fn select(&self, which: &[usize]) -> Self {
        match self {
            Self::Dense(x) => x.select(which).into(),
            Self::Single(x) => x.select(which).into(),
            Self::Sparse(x) => x.select(which).into(),
        }
    }

    /// Whether any stored value is negative, of all processes.
    pub fn has_negative(&self) -> bool {
        self.shards().ranks().any(self.stored_values().any(|v| v < 0.0))
    }
}
