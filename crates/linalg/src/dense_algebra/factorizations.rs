//! QR, singular values and symmetric eigenpairs of one dense matrix, each on the thread that asks for it.

use crate::DenseMatrix;
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch, recommended_block_size};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Mat, MatMut, MatRef, Par};

/// The triangle `R` (`min(m, n) x n`) of `A = Q R`.
pub(crate) fn qr_triangle(mut a: DenseMatrix) -> DenseMatrix {
    let (rows, cols) = (a.rows(), a.cols());
    let size = rows.min(cols);
    if size > 0 {
        let block = recommended_block_size::<f64>(rows, cols);
        let mut coefficients = Mat::zeros(block, size);
        let mut memory = MemBuffer::new(qr_in_place_scratch::<f64>(rows, cols, block, Par::Seq, Default::default()));
        let matrix = MatMut::from_column_major_slice_mut(a.values_mut(), rows, cols);
        qr_in_place(matrix, coefficients.as_mut(), Par::Seq, MemStack::new(&mut memory), Default::default());
    }
    DenseMatrix::from_fn(size, cols, |m, l| if m <= l { a[(m, l)] } else { 0.0 })
}

/// The singular values of a matrix, largest first; `None` when they are not found.
pub(crate) fn singular_values(a: &DenseMatrix) -> Option<Vec<f64>> {
    let (rows, cols) = (a.rows(), a.cols());
    let mut values = Diag::zeros(rows.min(cols));
    let none = ComputeSvdVectors::No;
    let mut memory = MemBuffer::new(svd_scratch::<f64>(rows, cols, none, none, Par::Seq, Default::default()));
    let matrix = MatRef::from_column_major_slice(a.values(), rows, cols);
    svd(matrix, values.as_mut(), None, None, Par::Seq, MemStack::new(&mut memory), Default::default()).ok()?;
    Some(values.column_vector().iter().copied().collect())
}

/// Eigenvalues (rising) and eigenvectors of a symmetric matrix, of which the lower triangle is read; `None` when it is not
/// finite or they are not found.
pub(crate) fn symmetric_eigen(a: &DenseMatrix) -> Option<(Vec<f64>, DenseMatrix)> {
    let n = a.rows();
    if !a.values().iter().all(|v| v.is_finite()) {
        return None;
    }
    let (mut values, mut vectors) = (Diag::zeros(n), DenseMatrix::zeros(n, n));
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    self_adjoint_evd(
        MatRef::from_column_major_slice(a.values(), n, n),
        values.as_mut(),
        Some(MatMut::from_column_major_slice_mut(vectors.values_mut(), n, n)),
        Par::Seq,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .ok()?;
    Some((values.column_vector().iter().copied().collect(), vectors))
}
