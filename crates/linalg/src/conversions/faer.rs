//! Matrices of the crate `faer`: types only, nothing is computed here.

use crate::{DataMatrix, DenseMatrix};
use faer::{Mat, MatRef};

impl DenseMatrix {
    /// This matrix as a view, without a copy.
    ///
    /// ```
    /// use faer::{Mat, mat};
    /// use merit_linalg::{DataMatrix, DenseMatrix};
    /// let x = DenseMatrix::from(&mat![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(x.col(1), [2.0, 5.0]);
    /// assert_eq!(x.as_faer()[(1, 2)], 6.0);
    /// assert_eq!(Mat::from(&x), x.as_faer());
    /// assert_eq!(DataMatrix::from(x.as_faer().transpose()).rows(), 3);
    /// ```
    pub fn as_faer(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(self.values(), self.rows(), self.cols())
    }
}

impl<'a> From<&'a DenseMatrix> for MatRef<'a, f64> {
    fn from(matrix: &'a DenseMatrix) -> Self {
        matrix.as_faer()
    }
}

impl From<&DenseMatrix> for Mat<f64> {
    fn from(matrix: &DenseMatrix) -> Self {
        matrix.as_faer().to_owned()
    }
}

impl From<MatRef<'_, f64>> for DenseMatrix {
    fn from(matrix: MatRef<'_, f64>) -> Self {
        Self::from_fn(matrix.nrows(), matrix.ncols(), |m, l| matrix[(m, l)])
    }
}

impl From<&Mat<f64>> for DenseMatrix {
    fn from(matrix: &Mat<f64>) -> Self {
        matrix.as_ref().into()
    }
}

impl From<MatRef<'_, f64>> for DataMatrix {
    fn from(matrix: MatRef<'_, f64>) -> Self {
        DenseMatrix::from(matrix).into()
    }
}

impl From<&Mat<f64>> for DataMatrix {
    fn from(matrix: &Mat<f64>) -> Self {
        DenseMatrix::from(matrix).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_keeps_its_entries() {
        let matrix = Mat::from_fn(5, 7, |m, l| (10 * m + l) as f64);
        let views = [matrix.as_ref(), matrix.transpose(), matrix.submatrix(1, 2, 3, 4), matrix.as_ref().reverse_rows()];
        for view in views {
            let found = DenseMatrix::from(view);
            assert_eq!(found.as_faer(), view);
            assert_eq!(Mat::from(&found), view);
        }
        let x = DenseMatrix::from(&matrix);
        assert_eq!(x.as_faer().as_ptr(), x.values().as_ptr());
        assert_eq!(DenseMatrix::from(&Mat::zeros(0, 3)), DenseMatrix::zeros(0, 3));
    }
}
