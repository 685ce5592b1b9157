//! How many materials an image has: a guess, beside the numbers that two methods of the literature give.
//!
//! All three come from the covariance `K` and the mean of one pass, with `R = K + mean mean'`.
//!
//! **HySime** (Bioucas-Dias, Nascimento 2008). What a band has that the others do not explain is taken for noise: with `P = R^-1` and
//! `D = diag(P)`, its residuals have the correlation `D^-1 P D^-1`, of which the diagonal `Rn` is kept, and the signal that is left
//! `Rx = R - 2 D^-1 + D^-1 P D^-1`. An eigenvector `e` of `Rx` counts where `e'R e > 2 e'Rn e`.
//!
//! **HFC** (Harsanyi, Farrand, Chang 1993). The eigenvalues of `R` and `K`, by size, differ only where there is signal; a difference counts
//! above `3.09 sqrt(2 (r^2 + k^2) / N)`, a false alarm in a thousand.
//!
//! **The guess** is HySime's number up to 20. Beyond (on real images, whose noise is not as it assumes), it is one more than the directions of
//! the whitened covariance `Rn^-1/2 K Rn^-1/2` that hold at least a hundredth of all variance above noise: a flat of `d` dimensions has
//! `d + 1` corners. Materials are what a person calls different, so no rule can know; all say "guess".

use crate::error::Error;
use crate::moments::Moments;
use merit::words::counted;
use merit_linalg::DenseMatrix;
use merit_linalg::decompositions::symmetric_eigenpairs;
use merit_linalg::small_dense::inverse;
use serde::{Deserialize, Serialize};

/// A false alarm in a thousand, in standard deviations.
const FALSE_ALARM: f64 = 3.090_232_306_167_813;
/// The part of the signal's variance that a direction must have to count for the guess.
const PART: f64 = 0.01;
/// The most that is guessed.
const MOST: usize = 20;

/// How many materials there may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// The guess.
    pub endmembers: usize,
    /// HySime's number; none where a band is a combination of others.
    pub hysime: Option<usize>,
    /// HFC's number.
    pub hfc: usize,
}

impl Estimate {
    /// In words.
    pub fn statement(&self) -> String {
        let hysime = self.hysime.map_or("none".to_string(), |number| number.to_string());
        format!(
            "{} a guess (HySime says {hysime}, HFC {}): give `endmembers` if you know better",
            counted(self.endmembers, "material is", "materials are"),
            self.hfc
        )
    }
}

/// Looks at the moments of an image.
pub fn estimate(moments: &Moments) -> Result<Estimate, Error> {
    let (k, mean) = (&moments.covariance, &moments.mean);
    let bands = mean.len();
    let r = DenseMatrix::from_fn(bands, bands, |i, j| k.get(i, j) + mean[i] * mean[j]);
    let (of_r, of_k) = (eigenvalues(&r), eigenvalues(k));
    let variance = |r: f64, k: f64| 2.0 * (r * r + k * k) / moments.pixels as f64;
    let hfc = of_r.iter().zip(&of_k).filter(|&(&r, &k)| r - k > FALSE_ALARM * variance(r, k).sqrt()).count();
    let noise = inverse(&r).filter(|p| (0..bands).all(|i| p.get(i, i) > 0.0));
    let hysime = noise.as_ref().and_then(|p| hysime(&r, p));
    let directions = || noise.as_ref().and_then(|p| above_noise(k, p)).unwrap_or_else(|| numerical_rank(&of_k));
    let guess = hysime.filter(|number| (1..=MOST).contains(number)).unwrap_or_else(|| directions() + 1);
    let pixels = moments.pixels;
    Ok(Estimate { endmembers: guess.clamp(1, MOST).min(bands + 1).min(pixels), hysime, hfc })
}

/// Largest first.
fn eigenvalues(matrix: &DenseMatrix) -> Vec<f64> {
    symmetric_eigenpairs(matrix).map_or(Vec::new(), |(values, _)| values.into_iter().rev().collect())
}

fn numerical_rank(values: &[f64]) -> usize {
    let floor = values.first().copied().unwrap_or(0.0) * 1e-12;
    values.iter().filter(|value| **value > floor).count()
}

fn hysime(r: &DenseMatrix, p: &DenseMatrix) -> Option<usize> {
    let bands = r.rows();
    let d = |i: usize| p.get(i, i);
    let signal = DenseMatrix::from_fn(bands, bands, |i, j| {
        let diagonal = if i == j { 2.0 / d(i) } else { 0.0 };
        r.get(i, j) - diagonal + p.get(i, j) / (d(i) * d(j))
    });
    let (_, vectors) = symmetric_eigenpairs(&signal)?;
    let counts = |e: &[f64]| {
        let mut through = vec![0.0; bands];
        r.times(e, &mut through);
        let power: f64 = through.iter().zip(e).map(|(a, b)| a * b).sum();
        let noise: f64 = e.iter().enumerate().map(|(i, e)| e * e / d(i)).sum();
        power > 2.0 * noise
    };
    Some((0..bands).filter(|&j| counts(vectors.col(j))).count())
}

/// Directions of the covariance, in units of each band's noise, that hold a part of what is above noise.
fn above_noise(k: &DenseMatrix, p: &DenseMatrix) -> Option<usize> {
    let bands = k.rows();
    let deviation = |i: usize| (1.0 / p.get(i, i)).sqrt();
    let whitened = DenseMatrix::from_fn(bands, bands, |i, j| k.get(i, j) / (deviation(i) * deviation(j)));
    let values = eigenvalues(&whitened);
    let signal: Vec<f64> = values.iter().map(|value| (value - 1.0).max(0.0)).collect();
    let total: f64 = signal.iter().sum();
    (total > 0.0).then(|| signal.iter().filter(|value| **value >= PART * total).count())
}
