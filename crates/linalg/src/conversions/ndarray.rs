//! Matrices of the crate `ndarray`.

use crate::{DataMatrix, DenseMatrix};
use ndarray::{Array2, ArrayView2, ShapeBuilder};

impl DenseMatrix {
    /// This matrix as a view, without a copy.
    ///
    /// ```
    /// use merit_linalg::{DataMatrix, DenseMatrix};
    /// use ndarray::{Array2, array};
    /// let x = DenseMatrix::from(&array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!(x.col(1), [2.0, 5.0]);
    /// assert_eq!(x.as_ndarray().sum(), 21.0);
    /// assert_eq!(Array2::from(x.clone())[(1, 2)], 6.0); // no copy
    /// assert_eq!(DataMatrix::from(x.as_ndarray().t()).rows(), 3);
    /// ```
    pub fn as_ndarray(&self) -> ArrayView2<'_, f64> {
        let shape = (self.rows(), self.cols()).f();
        ArrayView2::from_shape(shape, self.values()).expect("as many values as the shape has")
    }
}

impl<'a> From<&'a DenseMatrix> for ArrayView2<'a, f64> {
    fn from(matrix: &'a DenseMatrix) -> Self {
        matrix.as_ndarray()
    }
}

impl From<DenseMatrix> for Array2<f64> {
    fn from(matrix: DenseMatrix) -> Self {
        let shape = (matrix.rows(), matrix.cols()).f();
        Array2::from_shape_vec(shape, matrix.into_values()).expect("as many values as the shape has")
    }
}

impl From<ArrayView2<'_, f64>> for DenseMatrix {
    fn from(array: ArrayView2<'_, f64>) -> Self {
        let (rows, cols) = array.dim();
        let values = match array.t().to_slice() {
            Some(by_columns) => by_columns.to_vec(),
            None => array.t().iter().copied().collect(),
        };
        Self::from_parts(rows, cols, values)
    }
}

impl From<&Array2<f64>> for DenseMatrix {
    fn from(array: &Array2<f64>) -> Self {
        array.view().into()
    }
}

impl From<Array2<f64>> for DenseMatrix {
    fn from(array: Array2<f64>) -> Self {
        let (rows, cols) = array.dim();
        // An array may be a window of a larger vector.
        if !array.t().is_standard_layout() {
            return array.view().into();
        }
        let (mut values, offset) = array.into_raw_vec_and_offset();
        values.drain(..offset.unwrap_or(0));
        values.truncate(rows * cols);
        Self::from_parts(rows, cols, values)
    }
}

impl From<ArrayView2<'_, f64>> for DataMatrix {
    fn from(array: ArrayView2<'_, f64>) -> Self {
        DenseMatrix::from(array).into()
    }
}

impl From<&Array2<f64>> for DataMatrix {
    fn from(array: &Array2<f64>) -> Self {
        DenseMatrix::from(array).into()
    }
}

impl From<Array2<f64>> for DataMatrix {
    fn from(array: Array2<f64>) -> Self {
        DenseMatrix::from(array).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Axis, s};

    #[test]
    fn every_layout_keeps_its_entries() {
        let array = Array2::from_shape_fn((4, 6), |(m, l)| (10 * m + l) as f64);
        let by_columns = Array2::from_shape_fn((4, 6).f(), |(m, l)| (10 * m + l) as f64);
        let mut flipped = array.clone();
        flipped.invert_axis(Axis(1));
        let windows = [array.slice(s![1..3, ..;2]), array.t(), by_columns.slice(s![.., 2..5]), flipped.view()];
        for view in windows.into_iter().chain([array.view(), by_columns.view()]) {
            let found = DenseMatrix::from(view);
            assert_eq!(found.as_ndarray(), view);
            assert_eq!(Array2::from(found), view);
        }
        let window = by_columns.clone().slice_move(s![.., 2..5]);
        assert_eq!(DenseMatrix::from(window.clone()).as_ndarray(), window);
        assert_eq!(DenseMatrix::from(flipped.clone()).as_ndarray(), flipped);
        for (rows, cols) in [(0, 0), (0, 3), (3, 0)] {
            let empty = DenseMatrix::from(Array2::zeros((rows, cols)));
            assert_eq!(empty, DenseMatrix::zeros(rows, cols));
            assert_eq!(Array2::from(empty).dim(), (rows, cols));
        }
    }

    #[test]
    fn no_copy_where_the_columns_lie_together() {
        let array = Array2::<f64>::zeros((3, 2).f());
        let place = array.as_ptr();
        let matrix = DenseMatrix::from(array);
        assert_eq!(matrix.values().as_ptr(), place);
        assert_eq!(matrix.as_ndarray().as_ptr(), place);
        assert_eq!(Array2::from(matrix).as_ptr(), place);
    }
}
