//! Choosing lambda without the truth: rules that give the same anchors for `X` times any constant.
//!
//! ```text
//! A0 = SPA(X, K);  R0 = ||X - X(:,A0) H0||_F^2 (simplex least squares);  u = R0 / (N - K)
//! A_c = anchors of MERIT at lambda = c u, for c in {1, 1/2, 1/4};  rho(A) = ||X - X(:,A) H_A||_F^2
//! take the A_c with the smallest rho; but take A0 if rho(A0) < 0.99 rho of it
//! ```
//!
//! Why `u`: using itself pays for a column while `lambda < ||r_l||^2`, and `u` is what `||r_l||^2` is on average. The paper's
//! rule, `||X - X(:,A0) H0||_F / K` (half of it in our convention), grows with the scale of `X` where the fit grows with its
//! square, so it suits one scale only.

use crate::least_squares::{Constraint, DEFAULT_TOLERANCE, squared_residual};
use crate::spa::spa;
use merit_linalg::DataMatrix;
use merit_linalg::shards::Shards;
use serde::Serialize;

/// How lambda is found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Regularization {
    /// The best of three runs by refit residual, checked against SPA.
    #[default]
    Auto,
    /// One run, checked against SPA.
    AutoFast,
    /// The paper's rule, from SPA's residual; not scale-free.
    Paper,
    /// This number; 0 is MERIT(0).
    Value(f64),
}

impl Regularization {
    /// Multiples of the unit `u` that are tried.
    pub(crate) fn multiples(self) -> &'static [f64] {
        match self {
            Self::Auto => &[1.0, 0.5, 0.25],
            Self::AutoFast => &[1.0],
            Self::Paper | Self::Value(_) => &[],
        }
    }
}

/// SPA's part of a run may be left out of a choice only if it is clearly worse.
const SPA_MARGIN: f64 = 0.99;
/// Refit residuals below this part of `||X||_F^2` are rounding error, and equal.
const ROUNDING: f64 = 1e-24;

/// One set of anchors that was considered.
#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    /// `spa`, or `merit` at some regularization.
    pub source: &'static str,
    /// Lambda of that run; none for SPA.
    pub regularization: Option<f64>,
    /// Lambda as a multiple of the unit `u`.
    pub multiple: Option<f64>,
    /// Its anchors.
    pub anchors: Vec<usize>,
    /// `||X - X(:,A) H||_F^2` with `H` on the simplex.
    pub squared_residual: f64,
    /// Whether the run's result is this one.
    pub chosen: bool,
}

/// What SPA gives the rules: its anchors and how well they fit.
#[derive(Clone, Debug)]
pub struct SpaFit {
    /// SPA's anchors, `A0`.
    pub anchors: Vec<usize>,
    /// `R0`.
    pub squared_residual: f64,
    columns: usize,
}

impl SpaFit {
    /// SPA with `rank` anchors and its refit.
    pub fn of(x: &DataMatrix, rank: usize) -> Self {
        let anchors = spa(x, rank);
        Self { squared_residual: refit(x, &anchors), anchors, columns: x.cols() }
    }

    /// The unit of lambda, `R0 / (N - K)`.
    pub fn unit(&self) -> f64 {
        self.squared_residual / (self.columns.saturating_sub(self.anchors.len()).max(1)) as f64
    }

    /// The paper's lambda, in our convention: half of `sqrt(R0) / K`.
    pub fn paper(&self) -> f64 {
        0.5 * self.squared_residual.sqrt() / self.anchors.len() as f64
    }
}

/// `rho(A)`: how well these columns explain all.
pub fn refit(x: &DataMatrix, anchors: &[usize]) -> f64 {
    squared_residual(x, &x.dense_columns(anchors), Constraint::Simplex, DEFAULT_TOLERANCE)
}

/// The position of the candidate to take: the best of MERIT's (the first of equals), unless SPA's is clearly better.
///
/// `square` is `||X||_F^2`. With no candidate from MERIT it is SPA's.
pub fn choose(candidates: &[Candidate], square: f64) -> usize {
    let rho = |i: usize| candidates[i].squared_residual.max(ROUNDING * square);
    let of_merit = (0..candidates.len()).filter(|&i| candidates[i].source == "merit");
    let best = of_merit.reduce(|a, b| if rho(b) < rho(a) { b } else { a });
    let spa = candidates.iter().position(|candidate| candidate.source == "spa");
    match (best, spa) {
        (Some(best), Some(spa)) if rho(spa) < SPA_MARGIN * rho(best) => spa,
        (Some(best), _) => best,
        (None, spa) => spa.expect("there is a candidate"),
    }
}

/// `||X - mean column||_F^2`: what one column for all would leave.
pub fn spread(x: &DataMatrix) -> f64 {
    let columns = Shards::new(x.cols());
    let mut mean = columns.sum_vectors(x.rows(), |l, sum| x.add_to(l, 1.0, sum));
    mean.iter_mut().for_each(|m| *m /= x.cols() as f64);
    let constant = merit_linalg::dense::dot(&mean, &mean);
    match x {
        DataMatrix::Dense(x) => {
            columns.sum(|l| x.col(l).iter().zip(&mean).map(|(x, m)| (x - m) * (x - m)).sum::<f64>())
        }
        DataMatrix::Sparse(_) => columns.sum(|l| x.squared_norm(l) - 2.0 * x.dot(l, &mean) + constant),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(source: &'static str, squared_residual: f64) -> Candidate {
        Candidate { source, regularization: None, multiple: None, anchors: vec![], squared_residual, chosen: false }
    }

    #[test]
    fn spa_needs_one_percent_to_win() {
        let of = |spa: f64| choose(&[candidate("spa", spa), candidate("merit", 1.0), candidate("merit", 1.0)], 10.0);
        assert_eq!((of(0.98), of(0.995), of(2.0)), (0, 1, 1));
        assert_eq!(
            choose(&[candidate("spa", 1e-30), candidate("merit", 5e-30)], 1.0),
            1,
            "rounding error decides nothing"
        );
        assert_eq!(choose(&[candidate("merit", 2.0), candidate("merit", 1.0)], 1.0), 1);
    }
}
