//! Matrices from NumPy and SciPy and back. Numbers that lie as the solver needs them are lent, not copied.

use crate::errors::{of_merit, wrong};
use merit::precision::Precision;
use merit::{DataMatrix, DenseMatrix, SingleMatrix, SparseMatrix};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;

/// A matrix as Python gives it.
#[derive(FromPyObject)]
pub enum Matrix<'py> {
    /// Dense.
    Dense64(Bound<'py, PyArray2<f64>>),
    /// Dense, in half the memory.
    Dense32(Bound<'py, PyArray2<f32>>),
    /// The parts of a CSR or CSC matrix: `merit_nmf._matrices.Compressed`.
    Sparse(Compressed<'py>),
}

/// The parts of a compressed matrix of SciPy.
#[derive(FromPyObject)]
pub struct Compressed<'py> {
    /// Rows and columns.
    shape: (usize, usize),
    /// Whether rows are kept together (CSR), or columns (CSC).
    by_rows: bool,
    indptr: PyReadonlyArray1<'py, i64>,
    indices: PyReadonlyArray1<'py, u32>,
    data: PyReadonlyArray1<'py, f64>,
}

/// What is a column of ours: the array's rows (samples of scikit-learn) or its columns (the paper's orientation).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// The array's rows.
    Rows,
    /// The array's columns.
    Columns,
}

impl Columns {
    /// As Python says it.
    pub fn are_rows(rows: bool) -> Self {
        if rows { Self::Rows } else { Self::Columns }
    }
}

impl Matrix<'_> {
    /// The matrix of the library.
    pub fn data(&self, columns: Columns) -> PyResult<DataMatrix> {
        Ok(match self {
            Self::Dense64(array) => match lent(array, columns) {
                Some((rows, cols, lender)) => DenseMatrix::lent(rows, cols, lender).map_err(unfit)?.into(),
                None => dense(copied(array, columns)?).into(),
            },
            Self::Dense32(array) => dense(copied(array, columns)?).into(),
            Self::Sparse(parts) => parts.matrix(columns)?.into(),
        })
    }

    /// The same in this precision; `called` is what the caller calls columns.
    pub fn data_in(&self, precision: Precision, columns: Columns, called: &str) -> PyResult<DataMatrix> {
        let Self::Dense32(array) = self else {
            return precision.take(self.data(columns)?).map_err(|error| of_merit(error, called));
        };
        if precision == Precision::F64 {
            return self.data(columns);
        }
        let matrix = match lent(array, columns) {
            Some((rows, cols, lender)) => SingleMatrix::lent(rows, cols, lender),
            None => {
                let (rows, cols, values) = copied(array, columns)?;
                SingleMatrix::from_column_values(rows, cols, values)
            }
        };
        Ok(matrix.map_err(unfit)?.into())
    }
}

impl Compressed<'_> {
    /// The matrix of the library.
    pub fn matrix(&self, columns: Columns) -> PyResult<SparseMatrix> {
        let unusable = || wrong("the arrays of the sparse matrix are not contiguous");
        let pointers = self.indptr.as_slice().map_err(|_| unusable())?;
        let starts = pointers.iter().map(|&start| usize::try_from(start).unwrap_or(usize::MAX)).collect();
        let indices = self.indices.as_slice().map_err(|_| unusable())?.to_vec();
        let values = self.data.as_slice().map_err(|_| unusable())?.to_vec();
        let other = if self.by_rows { self.shape.1 } else { self.shape.0 };
        let matrix = SparseMatrix::from_compressed(other, starts, indices, values);
        let matrix = matrix.map_err(|error| wrong(format!("the sparse matrix is damaged: {error}")))?;
        Ok(if self.by_rows == (columns == Columns::Rows) { matrix } else { matrix.transposed() })
    }
}

/// An array that lends its numbers.
struct Lender<T> {
    values: *const [T],
    _array: Py<PyArray2<T>>,
}

// SAFETY: the pointer is only read, and the array which it belongs to can be held by any thread.
unsafe impl<T> Send for Lender<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Lender<T> {}

impl<T> AsRef<[T]> for Lender<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: the array is alive, because it is held, and NumPy does not move the numbers of an array that others hold. That nobody
        // writes to it meanwhile is up to the caller, as with every function of NumPy that works without the interpreter lock.
        unsafe { &*self.values }
    }
}

fn unfit(error: impl std::fmt::Display) -> PyErr {
    wrong(error.to_string())
}

/// Rows, columns and the array itself, if its columns lie one after another.
fn lent<T: Element>(array: &Bound<'_, PyArray2<T>>, columns: Columns) -> Option<(usize, usize, Arc<Lender<T>>)> {
    let (fits, [first, second]) = match columns {
        Columns::Rows => (array.is_c_contiguous(), [array.shape()[1], array.shape()[0]]),
        Columns::Columns => (array.is_fortran_contiguous(), [array.shape()[0], array.shape()[1]]),
    };
    let aligned = array.data().is_aligned();
    if !fits || !aligned || first * second == 0 {
        return None;
    }
    let values = std::ptr::slice_from_raw_parts(array.data().cast_const(), first * second);
    let lender = Lender { values, _array: array.clone().unbind() };
    Some((first, second, Arc::new(lender)))
}

/// A copy in our layout: rows, columns and values.
fn copied<S: Element + Copy + Into<T>, T>(
    array: &Bound<'_, PyArray2<S>>,
    columns: Columns,
) -> PyResult<(usize, usize, Vec<T>)> {
    let array: PyReadonlyArray2<S> = array.try_readonly().map_err(|error| wrong(error.to_string()))?;
    let view = match columns {
        Columns::Rows => array.as_array(),
        Columns::Columns => array.as_array().reversed_axes(),
    };
    let (cols, rows) = view.dim();
    let mut values = Vec::with_capacity(rows * cols);
    view.rows().into_iter().for_each(|row| values.extend(row.iter().map(|&value| value.into())));
    Ok((rows, cols, values))
}

fn dense((rows, cols, values): (usize, usize, Vec<f64>)) -> DenseMatrix {
    match rows {
        0 => DenseMatrix::zeros(0, cols),
        _ => DenseMatrix::from_columns(rows, values),
    }
}

/// The columns of a matrix as the rows of an array, without a copy.
pub fn rows_of_columns<'py>(py: Python<'py>, matrix: DenseMatrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let shape = [matrix.cols(), matrix.rows()];
    PyArray1::from_vec(py, matrix.into_values()).reshape(shape)
}

/// `indptr`, `indices` and `data` of a matrix stored by columns.
pub type Parts<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// The three arrays of `scipy.sparse.csc_array`.
pub fn parts<'py>(py: Python<'py>, matrix: &SparseMatrix) -> Parts<'py> {
    let (starts, indices, values) = matrix.compressed();
    (
        PyArray1::from_iter(py, starts.iter().map(|&start| start as i64)),
        PyArray1::from_iter(py, indices.iter().map(|&index| i64::from(index))),
        PyArray1::from_slice(py, values),
    )
}
