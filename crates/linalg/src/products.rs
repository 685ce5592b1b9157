//! Products of dense matrices at the speed of the machine, with the same bits for any number of threads.
//!
//! A product that splits its work by the number of threads may also split its sums by it. Here the columns of the result
//! are cut into fixed blocks, and each block is one product on one thread.
//!
//! ```
//! use merit_linalg::{DenseMatrix, products::{times_transposed, transposed_times}};
//! let a = DenseMatrix::from_columns(2, vec![1.0, 2.0, 3.0, 4.0]);
//! let b = DenseMatrix::from_columns(2, vec![0.0, 1.0, 1.0, 0.0]);
//! let mut out = vec![0.0; 4];
//! transposed_times(&a, b.values(), &mut out);
//! assert_eq!(out, [2.0, 4.0, 1.0, 3.0]); // A' B
//! assert_eq!(times_transposed(&a, &b).values(), [3.0, 4.0, 1.0, 2.0]); // A B'
//! ```

use crate::DenseMatrix;
use crate::dense_algebra::{Block, product};
use rayon::prelude::*;

/// Columns of the result that are computed together.
const BLOCK: usize = 256;

/// `A' B` on this thread; `b` and `out` list the columns of `B` (`rows of A` each) and of the result.
pub fn transposed_times(a: &DenseMatrix, b: &[f64], out: &mut [f64]) {
    let (inner, rows) = (a.rows(), a.cols());
    let cols = out.len().checked_div(rows).unwrap_or(0);
    assert_eq!((b.len(), out.len()), (inner * cols, rows * cols), "the sizes do not fit together");
    product(out, Block::of(a).transposed(), Block::new(inner, cols, b));
}

/// `A B'`, on all threads.
pub fn times_transposed(a: &DenseMatrix, b: &DenseMatrix) -> DenseMatrix {
    let mut out = DenseMatrix::zeros(a.rows(), b.rows());
    times_transposed_into(a, b, &mut out);
    out
}

/// `A B'` into `out`, on all threads.
pub fn times_transposed_into(a: &DenseMatrix, b: &DenseMatrix, out: &mut DenseMatrix) {
    let (rows, inner, cols) = (a.rows(), a.cols(), b.rows());
    assert_eq!((b.cols(), out.rows(), out.cols()), (inner, rows, cols), "the sizes do not fit together");
    let (a, b) = (Block::of(a), Block::of(b));
    out.values_mut().par_chunks_mut(BLOCK * rows.max(1)).enumerate().for_each(|(s, block)| {
        let first = s * BLOCK;
        product(block, a, b.rows(first..first + block.len() / rows).transposed());
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(rows: usize, cols: usize, salt: usize) -> DenseMatrix {
        DenseMatrix::from_fn(rows, cols, |m, l| ((m * 31 + l * 17 + salt * 7) % 23) as f64 / 23.0 - 0.4)
    }

    #[test]
    fn products_are_those_of_the_definition() {
        for (m, n, k) in [(1, 1, 1), (3, 5, 2), (50, 300, 7), (17, 1, 600), (4, 513, 513)] {
            let (a, b) = (sample(m, k, 1), sample(n, k, 2));
            let naive = DenseMatrix::from_fn(m, n, |i, j| (0..k).map(|l| a.get(i, l) * b.get(j, l)).sum());
            let mut transposed = vec![0.0; m * n];
            transposed_times(&a.transposed(), b.transposed().values(), &mut transposed);
            for (found, expected) in
                [times_transposed(&a, &b).values(), &transposed].into_iter().flat_map(|f| f.iter().zip(naive.values()))
            {
                assert!((found - expected).abs() <= 1e-13 * k as f64, "{m} x {k} times {k} x {n}");
            }
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_the_threads() {
        let (a, b) = (sample(20, 700, 1), sample(700, 700, 2));
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| times_transposed(&a, &b))
        };
        assert!(on(1) == on(3));
    }

    #[test]
    fn no_rows_and_no_columns() {
        assert_eq!(times_transposed(&DenseMatrix::zeros(0, 4), &sample(3, 4, 1)).cols(), 3);
        assert_eq!(times_transposed(&sample(2, 4, 1), &DenseMatrix::zeros(0, 4)).cols(), 0);
        transposed_times(&DenseMatrix::zeros(3, 0), &[], &mut []);
    }
}
