//! Algebra of matrices with a few columns, where a page of loops is faster than a library and its bits are ours.
//!
//! ```
//! use merit_linalg::{DenseMatrix, small_dense::{inverse, orthonormal_columns, volume}};
//! let a = DenseMatrix::from_columns(2, vec![2.0, 0.0, 1.0, 4.0]);
//! assert_eq!(volume(&a), 8.0);
//! assert_eq!(inverse(&a).unwrap().values(), [0.5, 0.0, -0.125, 0.25]);
//! let (q, r) = orthonormal_columns(&a);
//! assert_eq!((q.values(), r.values()), (&[1.0, 0.0, 0.0, 1.0][..], &[2.0, 0.0, 1.0, 4.0][..]));
//! ```

use crate::DenseMatrix;
use crate::dense::dot;

/// A column this small beside its norm before is a combination of those before it.
const DEPENDENT: f64 = 1e-13;

/// The inverse by elimination with row pivots; `None` when a pivot is lost in rounding.
pub fn inverse(matrix: &DenseMatrix) -> Option<DenseMatrix> {
    let n = matrix.rows();
    let largest = matrix.values().iter().fold(0.0_f64, |top, v| top.max(v.abs()));
    let mut left = matrix.clone();
    let mut right = DenseMatrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 });
    for k in 0..n {
        let pivot = (k..n).max_by(|&a, &b| left.get(a, k).abs().total_cmp(&left.get(b, k).abs()).then(b.cmp(&a)))?;
        let size = left.get(pivot, k).abs();
        if !(size > 1e-13 * largest && size.is_finite()) {
            return None;
        }
        for matrix in [&mut left, &mut right] {
            (0..n).for_each(|j| matrix.col_mut(j).swap(k, pivot));
        }
        let factor = 1.0 / left.get(k, k);
        for matrix in [&mut left, &mut right] {
            (0..n).for_each(|j| matrix.col_mut(j)[k] *= factor);
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = left.get(i, k);
            for matrix in [&mut left, &mut right] {
                for j in 0..n {
                    let column = matrix.col_mut(j);
                    column[i] -= factor * column[k];
                }
            }
        }
    }
    Some(right)
}

/// The volume that the columns span: the product of what each has beyond the ones before it.
pub fn volume(columns: &DenseMatrix) -> f64 {
    let mut left = columns.clone();
    let mut product = 1.0;
    for k in 0..left.cols() {
        let pivot = left.col(k).to_vec();
        let square: f64 = pivot.iter().map(|v| v * v).sum();
        product *= square.sqrt();
        if square == 0.0 {
            return 0.0;
        }
        for l in k + 1..left.cols() {
            let column = left.col_mut(l);
            let part = column.iter().zip(&pivot).map(|(a, b)| a * b).sum::<f64>() / square;
            column.iter_mut().zip(&pivot).for_each(|(v, p)| *v -= part * p);
        }
    }
    product
}

/// `W = Q R` with orthonormal columns `Q` and a triangle `R`; dependent columns get no direction of their own, but zeros.
pub fn orthonormal_columns(w: &DenseMatrix) -> (DenseMatrix, DenseMatrix) {
    let (mut q, mut r) = (w.clone(), DenseMatrix::zeros(w.cols(), w.cols()));
    for k in 0..w.cols() {
        let mut column = w.col(k).to_vec();
        let before = dot(&column, &column).sqrt();
        for _ in 0..2 {
            // twice is enough for orthogonality to rounding
            for j in 0..k {
                let along = dot(q.col(j), &column);
                column.iter_mut().zip(q.col(j)).for_each(|(c, q)| *c -= along * q);
                r.col_mut(k)[j] += along;
            }
        }
        let norm = dot(&column, &column).sqrt();
        if norm > DEPENDENT * before {
            column.iter_mut().for_each(|c| *c /= norm);
            r.col_mut(k)[k] = norm;
        } else {
            column.fill(0.0);
        }
        q.col_mut(k).copy_from_slice(&column);
    }
    (q, r)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_is_one() {
        let a = DenseMatrix::from_fn(5, 5, |i, j| ((i * 7 + j * 3) % 5) as f64 + if i == j { 4.0 } else { 0.1 });
        let b = inverse(&a).unwrap();
        for i in 0..5 {
            let mut out = vec![0.0; 5];
            a.times(b.col(i), &mut out);
            out.iter().enumerate().for_each(|(j, v)| assert!((v - if i == j { 1.0 } else { 0.0 }).abs() < 1e-12));
        }
        assert!(inverse(&DenseMatrix::from_columns(2, vec![1.0, 2.0, 2.0, 4.0])).is_none());
        assert!(inverse(&DenseMatrix::from_columns(2, vec![f64::NAN, 2.0, 2.0, 4.0])).is_none());
    }

    #[test]
    fn the_volume_is_the_determinant() {
        let a = DenseMatrix::from_columns(3, vec![2.0, 1.0, 0.0, -1.0, 3.0, 0.5, 0.2, 0.1, 4.0]);
        let determinant = 2.0 * (3.0 * 4.0 - 0.1 * 0.5) - (-4.0 - 0.2 * 0.5); // by the first column
        assert!((volume(&a) - determinant).abs() < 1e-12, "{} {determinant}", volume(&a));
        assert_eq!(volume(&DenseMatrix::from_columns(2, vec![1.0, 2.0, 2.0, 4.0])), 0.0);
    }

    #[test]
    fn dependent_columns_have_no_direction() {
        let w = DenseMatrix::from_columns(3, vec![1.0, 2.0, 2.0, 2.0, 4.0, 4.0, 0.0, 1.0, 0.0]);
        let (q, r) = orthonormal_columns(&w);
        assert_eq!((q.col(1), r[(1, 1)]), (&[0.0; 3][..], 0.0));
        for k in 0..3 {
            let mut out = vec![0.0; 3];
            q.times(r.col(k), &mut out);
            out.iter().zip(w.col(k)).for_each(|(found, expected)| assert!((found - expected).abs() < 1e-14));
        }
    }
}
