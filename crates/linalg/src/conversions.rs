//! From one matrix to another: slices in either order, dense and sparse, and the types of other crates.
//!
//! | from | to | copies |
//! |---|---|---|
//! | a slice by rows or by columns | [`DenseMatrix`] | yes |
//! | values of another owner, by columns | [`DenseMatrix::lent`] | no |
//! | [`DenseMatrix`] | [`SparseMatrix`] or [`SingleMatrix`], and back | yes |
//! | `ndarray`, `nalgebra` arrays by value | [`DenseMatrix`] | not when they lie by columns |
//! | views of `ndarray`, `faer`, `nalgebra` | [`DenseMatrix`], [`DataMatrix`] | yes |
//! | `&DenseMatrix` | a view of `ndarray`, `faer`, `nalgebra` | no |
//! | [`DenseMatrix`] | `ndarray::Array2`, `nalgebra::DMatrix` | no |
//!
//! The last four need the feature of that name, which is off by default: `ndarray` 0.17, `faer` 0.24, `nalgebra` 0.35.
//! Arrays keep their shape: rows stay rows, so a sample is a column on both sides.
//!
//! ```
//! use merit_linalg::{DataMatrix, DenseMatrix};
//! let x = DenseMatrix::from_row_major(2, 3, &[1.0, 0.0, 2.0, 0.0, 4.0, 0.0])?;
//! assert_eq!(x.col(2), [2.0, 0.0]);
//! let sparse = x.to_sparse();
//! assert_eq!(sparse.nnz(), 3);
//! assert_eq!(DataMatrix::from(sparse).into_dense(), x);
//! # Ok::<(), merit_linalg::conversions::MatrixError>(())
//! ```

#[cfg(feature = "faer")]
mod faer;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
mod ndarray;

use crate::{DataMatrix, DenseMatrix, SingleMatrix, SparseMatrix};

/// Why numbers do not make a matrix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// The number of values is not `rows * cols`.
    #[error("{values} values do not fill a {rows} x {cols} matrix")]
    Size {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        cols: usize,
        /// Values given.
        values: usize,
    },
    /// The pointers of compressed columns do not belong to the arrays.
    #[error("the pointers run from {first:?} to {last:?}, but there are {indices} indices and {values} values")]
    Pointers {
        /// The first pointer, which should be 0.
        first: Option<usize>,
        /// The last pointer, which should be the number of indices.
        last: Option<usize>,
        /// Indices given.
        indices: usize,
        /// Values given.
        values: usize,
    },
    /// The pointers of compressed columns fall.
    #[error("the pointer of column {} lies before that of column {column}", column + 1)]
    PointerOrder {
        /// The column that ends before it begins.
        column: usize,
    },
    /// A row index lies outside.
    #[error("index {index}, but there are only {rows} rows")]
    Row {
        /// The index.
        index: u32,
        /// Number of rows.
        rows: usize,
    },
}

pub(crate) fn check_size(rows: usize, cols: usize, values: usize) -> Result<(), MatrixError> {
    let fits = rows.checked_mul(cols) == Some(values);
    if fits { Ok(()) } else { Err(MatrixError::Size { rows, cols, values }) }
}

impl DenseMatrix {
    /// From values listed row after row, as C and NumPy do.
    ///
    /// ```
    /// use merit_linalg::{DenseMatrix, conversions::MatrixError};
    /// let x = DenseMatrix::from_row_major(2, 2, &[1.0, 2.0, 3.0, 4.0]).unwrap();
    /// assert_eq!(x.col(0), [1.0, 3.0]);
    /// let wrong = DenseMatrix::from_row_major(2, 2, &[1.0]).unwrap_err();
    /// assert_eq!(wrong, MatrixError::Size { rows: 2, cols: 2, values: 1 });
    /// ```
    pub fn from_row_major(rows: usize, cols: usize, values: &[f64]) -> Result<Self, MatrixError> {
        check_size(rows, cols, values.len())?;
        Ok(Self::from_fn(rows, cols, |m, l| values[m * cols + l]))
    }

    /// From values listed column after column, as Fortran, MATLAB and R do.
    ///
    /// ```
    /// use merit_linalg::DenseMatrix;
    /// let x = DenseMatrix::from_column_major(2, 2, &[1.0, 2.0, 3.0, 4.0]).unwrap();
    /// assert_eq!(x.col(0), [1.0, 2.0]);
    /// assert!(DenseMatrix::from_column_major(3, 2, &[1.0, 2.0]).is_err());
    /// ```
    pub fn from_column_major(rows: usize, cols: usize, values: &[f64]) -> Result<Self, MatrixError> {
        check_size(rows, cols, values.len())?;
        Ok(Self::from_parts(rows, cols, values.to_vec()))
    }

    /// The same matrix with only its nonzeros stored; at most 2^32 rows.
    pub fn to_sparse(&self) -> SparseMatrix {
        assert!(self.rows() as u64 <= 1 << 32, "{} rows: sparse matrices have at most 2^32", self.rows());
        let mut starts = Vec::with_capacity(self.cols() + 1);
        starts.push(0);
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for l in 0..self.cols() {
            for (m, &value) in self.col(l).iter().enumerate().filter(|(_, value)| **value != 0.0) {
                indices.push(m as u32);
                values.push(value);
            }
            starts.push(indices.len());
        }
        SparseMatrix::from_parts(self.rows(), starts, indices, values)
    }
}

impl SparseMatrix {
    /// The same matrix with its zeros written out: `8 M N` bytes.
    pub fn to_dense(&self) -> DenseMatrix {
        let mut dense = DenseMatrix::zeros(self.rows(), self.cols());
        for l in 0..self.cols() {
            let (rows, values) = self.col(l);
            let column = dense.col_mut(l);
            rows.iter().zip(values).for_each(|(&m, &value)| column[m as usize] = value);
        }
        dense
    }
}

impl DataMatrix {
    /// The matrix with its zeros written out; a dense one is not copied.
    pub fn into_dense(self) -> DenseMatrix {
        match self {
            Self::Dense(matrix) => matrix,
            Self::Single(matrix) => matrix.to_dense(),
            Self::Sparse(matrix) => matrix.to_dense(),
        }
    }

    /// The matrix with only its nonzeros stored; a sparse one is not copied.
    pub fn into_sparse(self) -> SparseMatrix {
        match self {
            Self::Dense(matrix) => matrix.to_sparse(),
            Self::Single(matrix) => matrix.to_dense().to_sparse(),
            Self::Sparse(matrix) => matrix,
        }
    }
}

impl From<&SparseMatrix> for DenseMatrix {
    fn from(matrix: &SparseMatrix) -> Self {
        matrix.to_dense()
    }
}

impl From<&DenseMatrix> for SparseMatrix {
    fn from(matrix: &DenseMatrix) -> Self {
        matrix.to_sparse()
    }
}

impl From<DataMatrix> for DenseMatrix {
    fn from(matrix: DataMatrix) -> Self {
        matrix.into_dense()
    }
}

impl From<DataMatrix> for SparseMatrix {
    fn from(matrix: DataMatrix) -> Self {
        matrix.into_sparse()
    }
}

impl From<DenseMatrix> for DataMatrix {
    fn from(matrix: DenseMatrix) -> Self {
        Self::Dense(matrix)
    }
}

impl From<SingleMatrix> for DataMatrix {
    fn from(matrix: SingleMatrix) -> Self {
        Self::Single(matrix)
    }
}

impl From<SparseMatrix> for DataMatrix {
    fn from(matrix: SparseMatrix) -> Self {
        Self::Sparse(matrix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for (rows, cols) in [(0, 0), (0, 3), (3, 0), (1, 1), (4, 7)] {
            let x = DenseMatrix::from_fn(rows, cols, |m, l| ((m * 3 + l) % 3) as f64);
            let by_rows = x.transposed();
            assert_eq!(DenseMatrix::from_row_major(rows, cols, by_rows.values()).unwrap(), x);
            assert_eq!(DenseMatrix::from_column_major(rows, cols, x.values()).unwrap(), x);
            let sparse = x.to_sparse();
            assert!(sparse.values().iter().all(|&v| v != 0.0));
            assert_eq!((sparse.rows(), sparse.cols()), (rows, cols));
            assert_eq!(DenseMatrix::from(&sparse), x);
            assert_eq!(DataMatrix::from(x.clone()).into_sparse(), sparse);
            assert_eq!(SparseMatrix::from(DataMatrix::from(sparse.clone())), sparse);
        }
    }

    #[test]
    fn sizes_that_do_not_fit_are_errors() {
        for (rows, cols, values) in [(2, 2, 3), (0, 5, 1), (usize::MAX, 2, 6)] {
            let found = DenseMatrix::from_row_major(rows, cols, &vec![0.0; values]);
            assert_eq!(found, Err(MatrixError::Size { rows, cols, values }));
            assert_eq!(DenseMatrix::from_column_major(rows, cols, &vec![0.0; values]), found);
        }
    }
}
