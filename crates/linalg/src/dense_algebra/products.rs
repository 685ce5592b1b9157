//! Products of blocks of matrices, each on the thread that asks for it.

use crate::DenseMatrix;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use std::ops::Range;

/// A part of a dense matrix, or of its transposed, to multiply with.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a>(pub(super) MatRef<'a, f64>);

impl<'a> Block<'a> {
    /// Whole columns of `rows` entries, one after the other.
    pub fn new(rows: usize, cols: usize, values: &'a [f64]) -> Self {
        Self(MatRef::from_column_major_slice(values, rows, cols))
    }

    /// A whole matrix.
    pub fn of(matrix: &'a DenseMatrix) -> Self {
        Self::new(matrix.rows(), matrix.cols(), matrix.values())
    }

    /// Some columns of a matrix.
    pub fn columns(matrix: &'a DenseMatrix, which: Range<usize>) -> Self {
        let rows = matrix.rows();
        Self::new(rows, which.len(), &matrix.values()[which.start * rows..which.end * rows])
    }

    pub fn transposed(self) -> Self {
        Self(self.0.transpose())
    }

    /// Some rows of this block.
    pub fn rows(self, which: Range<usize>) -> Self {
        Self(self.0.subrows(which.start, which.len()))
    }
}

/// `out = A B`, listed column after column; on this thread.
pub(crate) fn product(out: &mut [f64], a: Block, b: Block) {
    into(out, Accum::Replace, a, b, 1.0);
}

/// `out <- out - A B`; on this thread.
pub(crate) fn subtract_product(out: &mut [f64], a: Block, b: Block) {
    into(out, Accum::Add, a, b, -1.0);
}

fn into(out: &mut [f64], accum: Accum, a: Block, b: Block, factor: f64) {
    let out = MatMut::from_column_major_slice_mut(out, a.0.nrows(), b.0.ncols());
    matmul(out, accum, a.0, b.0, factor, Par::Seq);
}

/// A closure that multiplies two `size x size` matrices of `f32` on all threads, to take its time.
///
/// Its sums depend on the number of threads: for a yardstick, never for a result.
pub(crate) fn all_threads_f32_product_not_reproducible(size: usize) -> impl FnMut() {
    let entry = |i: usize, j: usize| ((i * 31 + j * 17) % 101) as f32 / 101.0;
    let (a, b) = (Mat::from_fn(size, size, entry), Mat::from_fn(size, size, entry));
    let mut c = Mat::<f32>::zeros(size, size);
    let par = if rayon::current_num_threads() > 1 { Par::rayon(0) } else { Par::Seq };
    move || matmul(c.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, par)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_do_not_depend_on_where_the_numbers_lie() {
        let (rows, inner, cols) = (37, 301, 19);
        let number = |i: usize| ((i * 7919) % 1009) as f64 / 1009.0 - 0.3;
        let at = |offset: usize| {
            let a: Vec<f64> = (0..offset + rows * inner).map(|i| number((i + 5000 - offset) % 5000)).collect();
            let b: Vec<f64> = (0..offset + cols * inner).map(|i| number((i + 3000 - offset) % 3000)).collect();
            let mut out = vec![0.0; offset + rows * cols];
            let right = Block::new(cols, inner, &b[offset..]).transposed();
            product(&mut out[offset..], Block::new(rows, inner, &a[offset..]), right);
            out.split_off(offset)
        };
        let first = at(0);
        assert!((1..8).all(|offset| at(offset) == first));
    }
}
