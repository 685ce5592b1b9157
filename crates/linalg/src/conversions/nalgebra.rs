//! Matrices of the crate `nalgebra`.

use crate::{DataMatrix, DenseMatrix};
use nalgebra::{DMatrix, DMatrixView};

impl DenseMatrix {
    /// This matrix as a view, without a copy.
    ///
    /// ```
    /// use merit_linalg::{DataMatrix, DenseMatrix};
    /// use nalgebra::{DMatrix, dmatrix};
    /// let x = DenseMatrix::from(&dmatrix![1.0, 2.0, 3.0; 4.0, 5.0, 6.0]);
    /// assert_eq!(x.col(1), [2.0, 5.0]);
    /// assert_eq!(x.as_nalgebra().sum(), 21.0);
    /// assert_eq!(DMatrix::from(x.clone())[(1, 2)], 6.0); // no copy
    /// assert_eq!(DataMatrix::from(x.as_nalgebra()).cols(), 3);
    /// ```
    pub fn as_nalgebra(&self) -> DMatrixView<'_, f64> {
        DMatrixView::from_slice(self.values(), self.rows(), self.cols())
    }
}

impl<'a> From<&'a DenseMatrix> for DMatrixView<'a, f64> {
    fn from(matrix: &'a DenseMatrix) -> Self {
        matrix.as_nalgebra()
    }
}

impl From<DenseMatrix> for DMatrix<f64> {
    fn from(matrix: DenseMatrix) -> Self {
        DMatrix::from_vec(matrix.rows(), matrix.cols(), matrix.into_values())
    }
}

impl From<DMatrixView<'_, f64>> for DenseMatrix {
    fn from(matrix: DMatrixView<'_, f64>) -> Self {
        Self::from_parts(matrix.nrows(), matrix.ncols(), matrix.iter().copied().collect())
    }
}

impl From<&DMatrix<f64>> for DenseMatrix {
    fn from(matrix: &DMatrix<f64>) -> Self {
        Self::from_parts(matrix.nrows(), matrix.ncols(), matrix.as_slice().to_vec())
    }
}

impl From<DMatrix<f64>> for DenseMatrix {
    fn from(matrix: DMatrix<f64>) -> Self {
        let (rows, cols) = matrix.shape();
        Self::from_parts(rows, cols, matrix.data.into())
    }
}

impl From<DMatrixView<'_, f64>> for DataMatrix {
    fn from(matrix: DMatrixView<'_, f64>) -> Self {
        DenseMatrix::from(matrix).into()
    }
}

impl From<&DMatrix<f64>> for DataMatrix {
    fn from(matrix: &DMatrix<f64>) -> Self {
        DenseMatrix::from(matrix).into()
    }
}

impl From<DMatrix<f64>> for DataMatrix {
    fn from(matrix: DMatrix<f64>) -> Self {
        DenseMatrix::from(matrix).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back_without_a_copy() {
        for (rows, cols) in [(4, 6), (0, 3), (3, 0)] {
            let matrix = DMatrix::from_fn(rows, cols, |m, l| (10 * m + l) as f64);
            let found = DenseMatrix::from(&matrix);
            assert_eq!(found.as_nalgebra(), matrix);
            assert_eq!(DenseMatrix::from(matrix.clone()), found);
            let place = found.values().as_ptr();
            let back = DMatrix::from(found);
            assert_eq!((back.as_ptr(), &back), (place, &matrix));
        }
        let matrix = DMatrix::from_fn(4, 6, |m, l| (10 * m + l) as f64);
        let window = DenseMatrix::from(matrix.view((1, 2), (2, 3)).into_owned());
        assert_eq!(window.col(2), [14.0, 24.0]);
    }
}
