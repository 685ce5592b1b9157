//! Leading singular vectors of an operator that can only be multiplied with.

use crate::DenseMatrix;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::matrix_free::eigen::{PartialEigenParams, partial_svd, partial_svd_scratch};
use faer::matrix_free::{BiLinOp, LinOp};
use faer::{Col, Mat, MatMut, MatRef, Par};
use std::fmt;

/// The `dim` leading left singular vectors of a `rows x cols` operator `A`, given by `v -> A v` and `u -> A' u`.
///
/// `None` when they do not converge, or when a side is too small for the method (`max(64, 2 dim)` or less).
pub(crate) fn leading_left_vectors(
    (rows, cols): (usize, usize),
    dim: usize,
    times: &(dyn Fn(&[f64]) -> Vec<f64> + Sync),
    transposed_times: &(dyn Fn(&[f64]) -> Vec<f64> + Sync),
) -> Option<DenseMatrix> {
    if rows.min(cols) <= 64.max(2 * dim) {
        return None;
    }
    let operator = Operator { rows, cols, times, transposed_times };
    let params = PartialEigenParams { max_restarts: 200, ..Default::default() };
    let start = Col::from_fn(cols, |_| 1.0 / (cols as f64).sqrt()); // fixed: the same result every time
    let (mut left, mut right) = (Mat::zeros(rows, dim), Mat::zeros(cols, dim));
    let mut values = vec![0.0; dim];
    let mut memory = MemBuffer::new(partial_svd_scratch(&operator, dim, Par::Seq, params));
    let info = partial_svd(
        left.as_mut(),
        right.as_mut(),
        &mut values,
        &operator,
        start.as_ref(),
        f64::EPSILON * 128.0,
        Par::Seq,
        MemStack::new(&mut memory),
        params,
    );
    (info.n_converged_eigen >= dim).then(|| DenseMatrix::from_fn(rows, dim, |m, k| left[(m, k)]))
}

struct Operator<'a> {
    rows: usize,
    cols: usize,
    times: &'a (dyn Fn(&[f64]) -> Vec<f64> + Sync),
    transposed_times: &'a (dyn Fn(&[f64]) -> Vec<f64> + Sync),
}

impl fmt::Debug for Operator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an operator of {} x {}", self.rows, self.cols)
    }
}

fn apply(f: &dyn Fn(&[f64]) -> Vec<f64>, mut out: MatMut<'_, f64>, rhs: MatRef<'_, f64>) {
    for k in 0..rhs.ncols() {
        let v: Vec<f64> = rhs.col(k).iter().copied().collect();
        f(&v).into_iter().enumerate().for_each(|(i, value)| out[(i, k)] = value);
    }
}

impl LinOp<f64> for Operator<'_> {
    fn apply_scratch(&self, _: usize, _: Par) -> StackReq {
        StackReq::EMPTY
    }
    fn nrows(&self) -> usize {
        self.rows
    }
    fn ncols(&self) -> usize {
        self.cols
    }
    fn apply(&self, out: MatMut<'_, f64>, rhs: MatRef<'_, f64>, _: Par, _: &mut MemStack) {
        apply(self.times, out, rhs);
    }
    fn conj_apply(&self, out: MatMut<'_, f64>, rhs: MatRef<'_, f64>, _: Par, _: &mut MemStack) {
        apply(self.times, out, rhs);
    }
}

impl BiLinOp<f64> for Operator<'_> {
    fn transpose_apply_scratch(&self, _: usize, _: Par) -> StackReq {
        StackReq::EMPTY
    }
    fn transpose_apply(&self, out: MatMut<'_, f64>, rhs: MatRef<'_, f64>, _: Par, _: &mut MemStack) {
        apply(self.transposed_times, out, rhs);
    }
    fn adjoint_apply(&self, out: MatMut<'_, f64>, rhs: MatRef<'_, f64>, _: Par, _: &mut MemStack) {
        apply(self.transposed_times, out, rhs);
    }
}
