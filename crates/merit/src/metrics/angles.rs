//! The mean-removed spectral angle, in its three units.

use super::power_of_two_below;
use crate::hungarian;
use merit_linalg::DenseMatrix;
use std::f64::consts::{FRAC_PI_2, PI};

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

/// The factor from radians to the unit of the paper's tables.
///
/// The text says "normalized to [0, 100]", which would be `100/pi = 31.8`; the published numbers are radians times 106.3,
/// measured on Table I (radians .5155 .5201 .5347 .5554 of SPA at K = 40, 50, 60, 70). It is a measured number, known to its four digits.
pub const PAPER_MRSA: f64 = 106.3;

/// An angle in radians in the unit of the paper's tables ([`PAPER_MRSA`]): only for comparison with those.
///
/// ```
/// assert!((merit::metrics::paper_mrsa(0.5155) - 54.8).abs() < 0.01);
/// ```
pub fn paper_mrsa(radians: f64) -> f64 {
    radians * PAPER_MRSA
}

/// The columns with the mean removed, scaled to norm 1 (or left at 0).
fn directions(w: &DenseMatrix, removal: MeanRemoval) -> DenseMatrix {
    let (rows, cols) = (w.rows(), w.cols());
    let scale = power_of_two_below(w.values().iter().copied()); // sums of squares neither overflow nor vanish
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
