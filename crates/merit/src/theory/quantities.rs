//! What `X`, `W` and `H` alone determine (def:set1, def:alpha, and the names in Theorems 3 and 4).

use super::{Evidence, TheoryError};
use crate::least_squares::{Constraint, DEFAULT_TOLERANCE, squared_residual};
use merit_linalg::decompositions::singular_values;
use merit_linalg::dense::dot;
use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, DenseMatrix};
use rayon::prelude::*;
use serde::Serialize;

/// An entry of `H` this close to 1 makes its column a unit vector: weights are solved to 1e-12.
const UNIT: f64 = 1.0 - 1e-12;

/// The quantities of the theorems.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quantities {
    /// `M`.
    pub rows: usize,
    /// `N`.
    pub cols: usize,
    /// `K`.
    pub rank: usize,
    /// `gamma = max_k ||w_k||`.
    pub gamma: f64,
    /// `delta = max_i ||v_i||`.
    pub delta: f64,
    /// `||V||_F`.
    pub noise: f64,
    /// The least `rho` with `||v_i||^2 <= rho/N ||V||_F^2` for all `i`: `N delta^2 / ||V||_F^2`, at least 1; 1 without noise.
    pub rho: f64,
    /// `d(H)`, the largest entry of `H` outside the anchors' columns; 0 if there are no others, 1 from `1 - 1e-12` on.
    pub d: f64,
    /// `d'(H) = sqrt(max(2 (d - 1/2)^2 + 1/2, 2 (1/2 - 1/K)^2 + 1/2))`, at least `||h||` of any other column.
    pub d_prime: f64,
    /// `kappa(W)`, the smallest distance of a `w_k` to the convex hull of the others; infinite for `K = 1`.
    pub kappa: f64,
    /// The largest singular value of `W`.
    pub sigma_max: f64,
    /// The smallest of the `K` singular values of `W` (0 when there are fewer rows).
    pub sigma_min: f64,
    /// Largest entry of `|H(:, K) - I|`: 0 if the data are separable.
    pub separability_error: f64,
    /// Largest deviation of a column of `H` from the simplex: of its sum from 1, or of an entry below 0.
    pub simplex_error: f64,
    /// Largest `||x_l||`.
    pub largest_column: f64,
}

impl Quantities {
    pub(super) fn of(evidence: &Evidence, stage: &mut dyn FnMut(&str)) -> Result<Self, TheoryError> {
        let Evidence { x, w, h, anchors, .. } = *evidence;
        let (rows, cols, rank) = (x.rows(), x.cols(), w.cols());
        stage("noise and weights, column by column");
        let noise = Noise::of(x, w, h);
        let mut is_anchor = vec![false; cols];
        anchors.iter().for_each(|&n| is_anchor[n] = true);
        let columns = Shards::new(cols);
        let largest_weight = |l: usize| h.col(l).iter().fold(0.0, |top: f64, &v| top.max(v));
        let d = columns.max(0.0, |l| if is_anchor[l] { 0.0 } else { largest_weight(l) });
        let d = if d > UNIT { 1.0 } else { d };
        let simplex_error = columns.max(0.0, |l| {
            let lowest = h.col(l).iter().fold(0.0, |low: f64, &v| low.min(v));
            (h.col(l).iter().sum::<f64>() - 1.0).abs().max(-lowest)
        });
        let unit_error = |k: usize| {
            let deviation = |(i, &v): (usize, &f64)| (v - if i == k { 1.0 } else { 0.0 }).abs();
            h.col(anchors[k]).iter().enumerate().map(deviation).fold(0.0, f64::max)
        };
        stage("singular values and kappa of W");
        let sigma = singular_values(&w.clone().into()).ok_or(TheoryError::SingularValues { rows, cols: rank })?;
        Ok(Self {
            rows,
            cols,
            rank,
            gamma: (0..rank).map(|k| dot(w.col(k), w.col(k)).sqrt()).fold(0.0, f64::max),
            delta: noise.largest_square.sqrt(),
            noise: noise.square.sqrt(),
            rho: noise.rho(cols),
            d,
            d_prime: d_prime(d, rank),
            kappa: kappa(w),
            sigma_max: sigma.first().copied().unwrap_or(0.0),
            sigma_min: if rows < rank { 0.0 } else { sigma.last().copied().unwrap_or(0.0) },
            separability_error: (0..rank).map(unit_error).fold(0.0, f64::max),
            simplex_error,
            largest_column: columns.max(0.0, |l| x.squared_norm(l)).sqrt(),
        })
    }
}

/// `V = X - W H`, of which only two sums are kept.
struct Noise {
    square: f64,
    largest_square: f64,
}

impl Noise {
    fn of(x: &DataMatrix, w: &DenseMatrix, h: &DenseMatrix) -> Self {
        let parts = Shards::new(x.cols()).map(|columns| {
            let mut v = vec![0.0; x.rows()];
            let mut part = Self { square: 0.0, largest_square: 0.0 };
            for l in columns {
                x.residual(l, w, h.col(l), &mut v);
                let square = dot(&v, &v);
                part = part.and(Self { square, largest_square: square });
            }
            part
        });
        parts.into_iter().fold(Self { square: 0.0, largest_square: 0.0 }, Self::and) // in shard order
    }

    fn and(self, other: Self) -> Self {
        Self { square: self.square + other.square, largest_square: self.largest_square.max(other.largest_square) }
    }

    fn rho(&self, cols: usize) -> f64 {
        if self.square > 0.0 { (cols as f64 * (self.largest_square / self.square)).max(1.0) } else { 1.0 }
    }
}

/// The largest norm that a column of the simplex can have if its entries are at most `d` (lemma:dH_relation).
pub(super) fn d_prime(d: f64, rank: usize) -> f64 {
    let square = |largest: f64| 2.0 * (largest - 0.5).powi(2) + 0.5;
    square(d).max(square(1.0 / rank as f64)).sqrt()
}

/// `kappa(W)` (def:alpha): K simplex least-squares problems, each of one column on the others.
pub(super) fn kappa(w: &DenseMatrix) -> f64 {
    let distance = |k: usize| {
        let others: Vec<usize> = (0..w.cols()).filter(|&j| j != k).collect();
        let column = DataMatrix::from(w.select(&[k]));
        squared_residual(&column, &w.select(&others), Constraint::Simplex, DEFAULT_TOLERANCE).max(0.0).sqrt()
    };
    if w.cols() < 2 {
        return f64::INFINITY; // the hull of no points is nowhere
    }
    (0..w.cols()).into_par_iter().map(distance).reduce(|| f64::INFINITY, f64::min)
}
