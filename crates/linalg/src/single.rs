//! Dense matrices of single precision: `4 M N` bytes, half of a [`DenseMatrix`].
//!
//! Only the storage is single: every operation takes the stored numbers as `f64`, which they all are, and computes with these. What
//! is found is what a [`DenseMatrix`] of the same numbers gives, bit by bit.
//!
//! ```
//! use merit_linalg::{DataMatrix, DenseMatrix, SingleMatrix};
//! let single = SingleMatrix::rounded(&DenseMatrix::from_columns(2, vec![0.1, 0.2, 3.0, 4.0]))?;
//! let double = DataMatrix::from(single.to_dense());
//! let single = DataMatrix::from(single);
//! assert_eq!(single.dot(0, &[0.3, 0.7]), double.dot(0, &[0.3, 0.7]));
//! # Ok::<(), merit_linalg::single::Unfit>(())
//! ```

use crate::DenseMatrix;
use crate::conversions::{MatrixError, check_size};
use crate::lent_values::Values;
use crate::shards::{SHARD, Shards};
use rayon::prelude::*;
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// A dense `rows x cols` matrix of single precision, stored by columns.
#[derive(Clone, Debug, PartialEq)]
pub struct SingleMatrix {
    rows: usize,
    cols: usize,
    values: Values<f32>,
}

/// A number of double precision that single precision has nothing for.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Unfit {
    /// Its size is beyond all numbers.
    #[error("the value {value:e} in row {row} of column {column} is beyond single precision, which ends at 3.4e38")]
    TooLarge {
        /// Where it is.
        row: usize,
        /// Where it is.
        column: usize,
        /// What it is.
        value: f64,
    },
    /// A column would lose its digits, or become a zero column.
    #[error(
        "column {column} is too small for single precision: its largest value is {value:e}, and digits are lost below 1.2e-38"
    )]
    TooSmall {
        /// The column.
        column: usize,
        /// Its largest value.
        value: f64,
    },
}

impl SingleMatrix {
    /// From values listed column after column, of sizes that fit.
    pub fn from_column_values(rows: usize, cols: usize, values: Vec<f32>) -> Result<Self, MatrixError> {
        check_size(rows, cols, values.len())?;
        Ok(Self { rows, cols, values: Values::Own(values) })
    }

    /// Of values, column after column, that belong to `owner` and are not copied, as [`DenseMatrix::lent`].
    pub fn lent<T: AsRef<[f32]> + Any + Send + Sync>(
        rows: usize,
        cols: usize,
        owner: Arc<T>,
    ) -> Result<Self, MatrixError> {
        let values = Values::lent(owner);
        check_size(rows, cols, values.len())?;
        Ok(Self { rows, cols, values })
    }

    /// Each value rounded to the nearest of single precision; fails where that would be infinite, or where nothing of a column that is
    /// not zero would be left.
    ///
    /// ```
    /// use merit_linalg::{DenseMatrix, SingleMatrix, single::Unfit};
    /// let rounded = |value: f64| SingleMatrix::rounded(&DenseMatrix::from_columns(2, vec![0.0, value]));
    /// assert_eq!(rounded(0.1)?.col(0), [0.0, 0.1_f32]);
    /// assert_eq!(rounded(-1e39), Err(Unfit::TooLarge { row: 1, column: 0, value: -1e39 }));
    /// assert_eq!(rounded(1e-40), Err(Unfit::TooSmall { column: 0, value: 1e-40 }));
    /// # Ok::<(), Unfit>(())
    /// ```
    pub fn rounded(x: &DenseMatrix) -> Result<Self, Unfit> {
        let found = Shards::new(x.cols()).map(|mut range| range.find_map(|l| check_column(l, x.col(l)).err()));
        if let Some(unfit) = found.into_iter().flatten().next() {
            return Err(unfit);
        }
        let (rows, mut values) = (x.rows(), vec![0.0; x.values().len()]);
        values.par_chunks_mut(SHARD * rows.max(1)).zip(x.values().par_chunks(SHARD * rows.max(1))).for_each(
            |(to, from)| {
                to.iter_mut().zip(from).for_each(|(to, &from)| *to = from as f32);
            },
        );
        Ok(Self { rows, cols: x.cols(), values: Values::Own(values) })
    }

    /// Number of rows, `M`.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns, `N`.
    #[inline]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Column `l`.
    #[inline]
    pub fn col(&self, l: usize) -> &[f32] {
        &self.values[l * self.rows..][..self.rows]
    }

    /// Column `l`, to write to.
    #[inline]
    pub fn col_mut(&mut self, l: usize) -> &mut [f32] {
        &mut self.values.own()[l * self.rows..][..self.rows]
    }

    /// All values, column after column.
    #[inline]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The columns `which`, in that order.
    pub fn select(&self, which: &[usize]) -> Self {
        let mut values = Vec::with_capacity(self.rows * which.len());
        which.iter().for_each(|&l| values.extend_from_slice(self.col(l)));
        Self { rows: self.rows, cols: which.len(), values: Values::Own(values) }
    }

    /// Some rows of some columns as a matrix of double precision.
    pub fn part(&self, rows: Range<usize>, cols: Range<usize>) -> DenseMatrix {
        DenseMatrix::from_column_fn(rows.len(), cols.len(), |i, out| {
            widen(&self.col(cols.start + i)[rows.clone()], out);
        })
    }

    /// The same numbers in double precision: `8 M N` bytes.
    pub fn to_dense(&self) -> DenseMatrix {
        self.part(0..self.rows, 0..self.cols)
    }

    /// Column `l` in double precision.
    pub fn column(&self, l: usize) -> Vec<f64> {
        self.col(l).iter().map(|&v| f64::from(v)).collect()
    }
}

/// Whether single precision has something for this column.
fn check_column(column: usize, values: &[f64]) -> Result<(), Unfit> {
    let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    if (largest as f32).is_infinite() {
        let beyond = |value: &f64| (*value as f32).is_infinite();
        let row = values.iter().position(beyond).unwrap_or(0);
        return Err(Unfit::TooLarge { row, column, value: values[row] });
    }
    let rounds = |&value: &f64| f64::from(value as f32) != value;
    if largest < f64::from(f32::MIN_POSITIVE) && values.iter().any(rounds) {
        return Err(Unfit::TooSmall { column, value: largest });
    }
    Ok(())
}

/// The same numbers in double precision.
#[inline]
pub fn widen(from: &[f32], to: &mut [f64]) {
    to.iter_mut().zip(from).for_each(|(to, &from)| *to = f64::from(from));
}

/// `<x, y>` with the bits of [`dense::dot`](crate::dense::dot) on the same numbers.
#[inline]
pub(crate) fn dot(x: &[f32], y: &[f64]) -> f64 {
    debug_assert_eq!(x.len(), y.len());
    let mut sums = [0.0; 4];
    let ((xs, x_tail), (ys, y_tail)) = (x.as_chunks::<4>(), y.as_chunks::<4>());
    for (a, b) in xs.iter().zip(ys) {
        for i in 0..4 {
            sums[i] += f64::from(a[i]) * b[i];
        }
    }
    for (sum, (&a, b)) in sums.iter_mut().zip(x_tail.iter().zip(y_tail)) {
        *sum += f64::from(a) * b;
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// `<x, x>`, likewise.
#[inline]
pub(crate) fn square(x: &[f32]) -> f64 {
    let mut sums = [0.0; 4];
    let (xs, tail) = x.as_chunks::<4>();
    for a in xs {
        for i in 0..4 {
            sums[i] += f64::from(a[i]) * f64::from(a[i]);
        }
    }
    for (sum, &a) in sums.iter_mut().zip(tail) {
        *sum += f64::from(a) * f64::from(a);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataMatrix;

    #[test]
    fn every_operation_has_the_bits_of_double_precision() {
        for (rows, cols) in [(1, 1), (2, 5), (7, 3), (50, 200), (131, 4)] {
            let x = DenseMatrix::from_fn(rows, cols, |m, l| ((m * 31 + l * 17) % 23) as f64 / 23.0 - 0.4);
            let single = SingleMatrix::rounded(&x).unwrap();
            let (double, single) = (DataMatrix::from(single.to_dense()), DataMatrix::from(single));
            let r: Vec<f64> = (0..rows).map(|m| 1.0 / (m as f64 + 0.3) - 0.7).collect();
            for l in 0..cols {
                assert_eq!(single.dot(l, &r), double.dot(l, &r));
                assert_eq!(single.squared_norm(l), double.squared_norm(l));
                assert_eq!(single.column(l), double.column(l));
                assert_eq!(single.stored_col(l), double.stored_col(l));
                let (mut a, mut b) = (r.clone(), r.clone());
                single.add_to(l, -0.3, &mut a);
                double.add_to(l, -0.3, &mut b);
                assert_eq!(a, b);
            }
            assert_eq!(single.stored_values().collect::<Vec<_>>(), double.stored_values().collect::<Vec<_>>());
            assert_eq!(single.dense_columns(&[cols - 1, 0]), double.dense_columns(&[cols - 1, 0]));
            assert_eq!(single.select(&[0]).into_dense(), double.select(&[0]).into_dense());
            assert_eq!(single.has_negative(), double.has_negative());
            assert_eq!((single.is_sparse(), single.stored_count()), (false, rows * cols));
        }
    }
}
