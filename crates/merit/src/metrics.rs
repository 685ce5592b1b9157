//! How good is a result? Pure functions of what was found and what is true.
//!
//! | name | formula | best |
//! |---|---|---|
//! | [`anchors_right`], [`success`] | size of found ∩ true; found = true as sets | K, yes |
//! | [`mrsa_radians`] | `1/K min_p sum_k angle(w'_p(k), w'_k)`, `w'` = a column with the mean removed | 0 |
//! | [`scaled_mrsa`] | the same, times `100/pi`: from 0 to 100 | 0 |
//! | [`rae`] | `1 - norm_F(X - W H) / norm_F(X)` | 1 |
//!
//! The angles cost `O(M K^2)`, their assignment `O(K^3)`, [`rae`] `O(M K N)` time and `O(M)` memory a thread: `W H` is
//! never held. Definitions: Gillis and Luce, IEEE Trans. Image Process. 27, 2018; checked against
//! `scripts/metrics_reference.py`.
//!
//! ```
//! use merit::metrics::{MeanRemoval, mrsa_radians, success};
//! use merit_linalg::DenseMatrix;
//! let truth = DenseMatrix::from_columns(3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
//! let found = truth.select(&[2, 0, 1]); // the order of columns does not count
//! assert_eq!(mrsa_radians(&found, &truth, MeanRemoval::MeanColumn), 0.0);
//! assert!(success(&[7, 3], &[3, 7]));
//! ```

use crate::hungarian;
use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, DenseMatrix};
use std::collections::BTreeSet;
use std::f64::consts::{FRAC_PI_2, PI};

/// Number of true anchors among the found ones, each counted once.
///
/// ```
/// assert_eq!(merit::metrics::anchors_right(&[4, 9, 9, 1], &[9, 4, 2]), 2);
/// ```
pub fn anchors_right(found: &[usize], truth: &[usize]) -> usize {
    set(found).intersection(&set(truth)).count()
}

/// Whether the found anchors are the true ones, in any order. Their mean over trials is the success rate.
pub fn success(found: &[usize], truth: &[usize]) -> bool {
    set(found) == set(truth)
}

fn set(indices: &[usize]) -> BTreeSet<usize> {
    indices.iter().copied().collect()
}

/// Which mean the mean-removed spectral angle removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeanRemoval {
    /// The mean **column** of each matrix, `w_k - 1/K sum_j w_j`: what the authors of MERIT compute, and what the tables
    /// of the paper show.
    MeanColumn,
    /// Each column's own mean, `w_k - mean(w_k) 1`: the definition of Gillis.
    OwnMean,
}

/// Mean-removed spectral angle: the mean angle between estimated and true columns, in radians from 0 to pi.
///
/// The mean is removed from both matrices, then columns are matched one to one so that the sum of angles is least. With
/// different numbers of columns all of the narrower matrix are matched. A column that is zero once its mean is removed has
/// no direction: its angle to anything is pi/2 (so it is for a single column less the mean column). Without columns: 0.
///
/// The angle is `arccos(<u, v> / (|u| |v|))`, computed as `2 atan2(|u - v|, |u + v|)` of the unit vectors: the arccosine
/// loses half of the digits of small angles (1e-8 for equal columns, where this gives 0).
pub fn mrsa_radians(estimated: &DenseMatrix, truth: &DenseMatrix, removal: MeanRemoval) -> f64 {
    assert_eq!(estimated.rows(), truth.rows(), "both matrices must have the same number of rows");
    let (few, many) = if estimated.cols() < truth.cols() { (estimated, truth) } else { (truth, estimated) };
    let (few, many) = (directions(few, removal), directions(many, removal));
    if few.cols() == 0 {
        return 0.0;
    }
    let angles = DenseMatrix::from_fn(few.cols(), many.cols(), |i, j| angle(few.col(i), many.col(j)));
    let matched = hungarian::assign(&angles);
    matched.iter().enumerate().map(|(i, &j)| angles.get(i, j)).sum::<f64>() / few.cols() as f64
}

/// An angle in radians on the scale from 0 to 100 that the literature uses.
///
/// ```
/// assert_eq!(merit::metrics::scaled_mrsa(std::f64::consts::FRAC_PI_2), 50.0);
/// ```
pub fn scaled_mrsa(radians: f64) -> f64 {
    radians * (100.0 / PI)
}

/// The columns with the mean removed, scaled to norm 1 (or left at 0).
fn directions(w: &DenseMatrix, removal: MeanRemoval) -> DenseMatrix {
    let (rows, cols) = (w.rows(), w.cols());
    let scale = power_of_two_below(w.values()); // sums of squares neither overflow nor vanish
    let mut out = DenseMatrix::from_fn(rows, cols, |m, k| w.get(m, k) / scale);
    let mean_column: Vec<f64> =
        (0..rows).map(|m| (0..cols).map(|k| out.get(m, k)).sum::<f64>() / cols as f64).collect();
    for k in 0..cols {
        let column = out.col_mut(k);
        // What remains of a column that is all mean is rounding, not a direction.
        let rounding = 4.0 * f64::EPSILON * norm(column);
        let own_mean = column.iter().sum::<f64>() / rows as f64;
        for (v, mean) in column.iter_mut().zip(&mean_column) {
            *v -= if removal == MeanRemoval::MeanColumn { *mean } else { own_mean };
        }
        let length = norm(column);
        let factor = if length > rounding { 1.0 / length } else { 0.0 };
        column.iter_mut().for_each(|v| *v *= factor);
    }
    out
}

fn angle(u: &[f64], v: &[f64]) -> f64 {
    if u.iter().all(|&u| u == 0.0) || v.iter().all(|&v| v == 0.0) {
        return FRAC_PI_2;
    }
    let squared = |sign: f64| u.iter().zip(v).map(|(u, v)| (u + sign * v).powi(2)).sum::<f64>();
    2.0 * squared(-1.0).sqrt().atan2(squared(1.0).sqrt())
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// A power of two within a factor of two of the largest absolute value; 1 when there is none.
fn power_of_two_below(values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    if largest.is_normal() { f64::from_bits(largest.to_bits() & (0x7ff << 52)) } else { 1.0 }
}

/// Relative approximation error as the paper counts it: `1 - ||X - W H||_F / ||X||_F`, 1 for a perfect fit.
///
/// Column by column, without `W H`. For `X = 0` it is 1 if `W H = 0` too and minus infinity if not.
///
/// ```
/// use merit_linalg::{DataMatrix, DenseMatrix};
/// let w = DenseMatrix::from_columns(2, vec![1.0, 0.0]);
/// let h = DenseMatrix::from_columns(1, vec![3.0]);
/// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![3.0, 4.0]));
/// assert!((merit::metrics::rae(&x, &w, &h) - 0.2).abs() < 1e-15); // 1 - 4/5
/// ```
pub fn rae(x: &DataMatrix, w: &DenseMatrix, h: &DenseMatrix) -> f64 {
    assert_eq!((x.rows(), x.cols(), w.cols()), (w.rows(), h.cols(), h.rows()), "X, W and H do not fit together");
    let scale = 1.0 / power_of_two_below(x.stored());
    let sums = Shards::new(x.cols()).map(|columns| {
        let mut residual = vec![0.0; x.rows()];
        let mut sums = (0.0, 0.0);
        for l in columns {
            residual.fill(0.0);
            x.add_to(l, scale, &mut residual);
            sums.1 += residual.iter().map(|v| v * v).sum::<f64>();
            for (k, &weight) in h.col(l).iter().enumerate().filter(|&(_, &weight)| weight != 0.0) {
                let weight = weight * scale;
                residual.iter_mut().zip(w.col(k)).for_each(|(r, v)| *r -= weight * v);
            }
            sums.0 += residual.iter().map(|r| r * r).sum::<f64>();
        }
        sums
    });
    let (left, all) = sums.into_iter().fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d)); // in shard order
    if left == 0.0 { 1.0 } else { 1.0 - (left / all).sqrt() }
}
