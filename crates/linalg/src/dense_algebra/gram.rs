//! `A A'`: half of a product, summed over slabs of columns, in blocks that depend on the sizes alone. So several processes that share the
//! columns get the same bits from one slab after the other.

use super::products::Block;
use crate::DenseMatrix;
use crate::shards::sum_of_parts;
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Columns of the result that are computed together, where it has enough of them to keep the threads busy.
const TILE: usize = 128;

/// With at most this many rows slabs are worked on side by side instead.
const SMALL: usize = 512;

/// Columns of `A` in a slab.
pub(crate) const SLAB: usize = 2_048;

/// `A A'`, on all threads.
pub(crate) fn gram(a: Block) -> DenseMatrix {
    let (a, n) = (a.0, a.0.nrows());
    let mut out = if n <= SMALL {
        let sum = sum_of_parts(a.ncols().div_ceil(SLAB), n * n, |s, part| {
            of_slab(a.subcols(s * SLAB, SLAB.min(a.ncols() - s * SLAB)), part);
        });
        DenseMatrix::from_parts(n, n, sum)
    } else {
        let mut out = DenseMatrix::zeros(n, n);
        for first in (0..a.ncols()).step_by(SLAB) {
            add_slab(&mut out, a.subcols(first, SLAB.min(a.ncols() - first)));
        }
        out
    };
    mirror(&mut out);
    out
}

/// The same of a matrix whose columns several processes share: every process gets one slab after the other.
pub(crate) fn gram_of_shared(a: &DenseMatrix) -> DenseMatrix {
    let (n, cols) = (a.rows(), a.cols());
    let mut out = DenseMatrix::zeros(n, n);
    for first in (0..cols).step_by(SLAB) {
        let slab = a.gathered(first..(first + SLAB).min(cols));
        let slab = Block::of(&slab).0;
        if n > SMALL {
            add_slab(&mut out, slab);
        } else {
            let mut part = vec![0.0; n * n];
            of_slab(slab, &mut part);
            out.values_mut().iter_mut().zip(part).for_each(|(sum, value)| *sum += value);
        }
    }
    mirror(&mut out);
    out
}

/// Adds the lower triangle of what a slab adds, on all threads: tiles side by side.
fn add_slab(out: &mut DenseMatrix, slab: MatRef<f64>) {
    let n = slab.nrows();
    out.values_mut().par_chunks_mut(TILE * n).enumerate().for_each(|(s, tile)| {
        let (first, width) = (s * TILE, tile.len() / n);
        let below = MatMut::from_column_major_slice_mut(tile, n, width).subrows_mut(first, n - first);
        let (left, right) = (slab.subrows(first, n - first), slab.subrows(first, width));
        matmul(below, Accum::Add, left, right.transpose(), 1.0, Par::Seq);
    });
}

/// The lower triangle of what a slab adds.
fn of_slab(slab: MatRef<f64>, part: &mut [f64]) {
    let n = slab.nrows();
    triangular_matmul(
        MatMut::from_column_major_slice_mut(part, n, n),
        BlockStructure::TriangularLower,
        Accum::Replace,
        slab,
        BlockStructure::Rectangular,
        slab.transpose(),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

fn mirror(lower: &mut DenseMatrix) {
    for l in 1..lower.cols() {
        (0..l).for_each(|m| lower[(m, l)] = lower[(l, m)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_that_of_the_definition() {
        for (rows, cols) in [(1, 1), (3, 5000), (130, 70), (513, 9), (600, 2100), (4, 0)] {
            let a = DenseMatrix::from_fn(rows, cols, |m, l| ((m * 31 + l * 17 + m * l) % 23) as f64 / 23.0 - 0.4);
            let (across, found) = (a.transposed(), gram(Block::of(&a)));
            for m in 0..rows {
                for l in 0..=m {
                    let expected = crate::dense::dot(across.col(m), across.col(l));
                    assert!((found[(m, l)] - expected).abs() <= 1e-14 * (cols + 10) as f64, "{rows} x {cols}");
                    assert_eq!(found[(m, l)], found[(l, m)]);
                }
            }
        }
    }
}
