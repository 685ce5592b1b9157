//! How far Theorem 3 is from a run: by what factor would the noise have to be smaller?
//!
//! With the noise scaled to `s V`, the theorem tells anchors from the rest of an optimal `C` while
//!
//! ```text
//! slack(lambda, s) = 1 - (K + 1) beta - 2 rho (N - K)/(lambda N) ||s V||_F^2 - mu N log N  >=  0
//! beta             = (sqrt(4 rho (1 - K/N) ||s V||_F^2 + 2 lambda K) + 2 s delta) / (kappa (1 - d))
//! ```
//!
//! which falls as `s` grows, so its zero is found by bisection; the best lambda for an `s` by another one.

use super::{Certificate, Evidence, Quantities};
use serde::Serialize;

/// How much less noise Theorem 3 would need to tell the anchors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distance {
    /// The noise would have to be smaller by this factor at the lambda of the run: up to 1 the theorem holds, 0 without noise.
    /// None if no amount of noise is small enough, or there is no lambda.
    pub noise_factor: Option<f64>,
    /// The same for the lambda that is best for the theorem.
    pub noise_factor_best: Option<f64>,
    /// That lambda (at the noise which it tolerates); none without noise, where smaller is better.
    pub best_regularization: Option<f64>,
    /// `mu N log N`: from 1 on, nothing helps but a smaller mu.
    pub smoothing_term: f64,
}

/// The terms of Theorem 3.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// `4 rho (1 - K/N) ||V||_F^2`.
    fit: f64,
    delta: f64,
    rank: f64,
    /// `kappa (1 - d)`.
    room: f64,
    /// `mu N log N`.
    pub smoothing: f64,
}

impl Bounds {
    pub fn of(q: &Quantities, smoothing: f64) -> Self {
        let (rank, cols) = (q.rank as f64, q.cols as f64);
        Self {
            fit: 4.0 * q.rho * (1.0 - rank / cols) * q.noise * q.noise,
            delta: q.delta,
            rank,
            room: if q.d < 1.0 { q.kappa * (1.0 - q.d) } else { 0.0 },
            smoothing: smoothing * cols * cols.ln(),
        }
    }

    /// `beta` with the noise scaled by `s`; infinite where anchors cannot be told apart at all.
    pub fn beta(&self, lambda: f64, s: f64) -> f64 {
        if self.room == 0.0 {
            return f64::INFINITY;
        }
        ((self.fit * s * s + 2.0 * lambda * self.rank).sqrt() + 2.0 * self.delta * s) / self.room
    }

    /// The bound on the other rows (eq:non-pure); infinite for lambda = 0, where the theorem says nothing.
    pub fn others(&self, lambda: f64, s: f64) -> f64 {
        if lambda == 0.0 {
            return f64::INFINITY;
        }
        0.5 * self.fit * s * s / lambda + self.smoothing + self.beta(lambda, s) * self.rank
    }

    fn slack(&self, lambda: f64, s: f64) -> f64 {
        1.0 - self.beta(lambda, s) - self.others(lambda, s)
    }

    /// The lambda of the largest slack: where `(K + 1) K / (room sqrt(a + 2 K lambda)) = a / (2 lambda^2)`, whose left side over
    /// the right rises with lambda.
    fn best_lambda(&self, s: f64) -> f64 {
        let a = self.fit * s * s;
        let rises = |lambda: f64| {
            (self.rank + 1.0) * self.rank / self.room / (a + 2.0 * self.rank * lambda).sqrt()
                > 0.5 * a / lambda / lambda
        };
        zero(|log| rises(log.exp()), -300.0, 300.0).exp()
    }

    /// The factor by which the noise must shrink for `slack(lambda(s), s) >= 0`.
    fn factor(&self, lambda: impl Fn(f64) -> f64) -> Option<f64> {
        if self.smoothing >= 1.0 {
            return None; // and rounding has no say in it
        }
        let fails = |s: f64| {
            let slack = self.slack(lambda(s), s);
            slack.is_nan() || slack < 0.0
        };
        if self.delta == 0.0 {
            return (!fails(1e-100)).then_some(0.0);
        }
        // Below e^-200 of the noise there is none left to speak of.
        if fails((-200.0_f64).exp()) {
            return None;
        }
        Some((-zero(|log| fails(log.exp()), -200.0, 200.0)).exp())
    }
}

/// Where a condition that is false below and true above becomes true.
fn zero(is_above: impl Fn(f64) -> bool, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        (low, high) = if is_above(middle) { (low, middle) } else { (middle, high) };
    }
    low
}

impl Distance {
    pub(super) fn of(evidence: &Evidence, quantities: &Quantities) -> Self {
        let bounds = Bounds::of(quantities, evidence.smoothing);
        let noise_factor_best = bounds.factor(|s| bounds.best_lambda(s));
        let noisy = noise_factor_best.filter(|&factor| factor > 0.0);
        Self {
            noise_factor: evidence.regularization.and_then(|lambda| bounds.factor(|_| lambda)),
            noise_factor_best,
            best_regularization: noisy.map(|factor| bounds.best_lambda(1.0 / factor)),
            smoothing_term: bounds.smoothing,
        }
    }
}

impl Certificate {
    /// How far the theory is from the run, in a sentence or two.
    pub fn in_words(&self) -> String {
        let q = &self.quantities;
        let distance = &self.distance;
        let assumed = ["separability", "simplex", "full-rank", "no-repeated-unit-vectors"];
        let broken = assumed.into_iter().find(|name| self.condition(name).is_some_and(|c| !c.holds));
        let lambda = self.regularization.map_or(String::new(), |lambda| format!("lambda = {}", number(lambda)));
        match (broken, distance.noise_factor, distance.noise_factor_best) {
            (Some(name), ..) => {
                let what = match name {
                    "separability" => "the anchors' columns of H are not unit vectors",
                    "simplex" => "columns of H do not sum to 1",
                    "full-rank" => "W does not have full rank",
                    _ => "a column of H besides the anchors' is a unit vector, so that the anchor has a rival",
                };
                format!("The theorems say nothing here, whatever the noise: {what}.")
            }
            (None, Some(0.0), _) => {
                format!("Without noise, Theorem 3 holds at {lambda}: the anchors are those of every optimal C.")
            }
            (None, Some(factor), _) if factor <= 1.0 => format!(
                "Theorem 3 holds at {lambda}: the anchors are those of every optimal C, and would be with {} times the noise.",
                number(1.0 / factor)
            ),
            (None, Some(factor), _) => {
                format!(
                    "The noise would have to be {} times smaller for Theorem 3 to hold at {lambda}.",
                    number(factor)
                )
            }
            (None, None, Some(factor)) => {
                let here = match self.regularization {
                    Some(_) => format!("At {lambda} Theorem 3 would not hold even without noise. "),
                    None => String::new(),
                };
                let best = distance.best_regularization.map_or("small enough".into(), number);
                if factor == 0.0 {
                    return format!("{here}There is no noise: it holds for every lambda that is small enough.");
                }
                if factor <= 1.0 {
                    return format!("{here}It holds at a better one, up to lambda = {best}.");
                }
                format!(
                    "{here}At the lambda that is best for the theorem ({best}) the noise would have to be {} times smaller.",
                    number(factor)
                )
            }
            (None, None, None) if distance.smoothing_term >= 1.0 => format!(
                "Theorem 3 can hold at no noise level: mu N log N = {} alone is not below 1 (mu would have to be below {}).",
                number(distance.smoothing_term),
                number(self.smoothing / distance.smoothing_term)
            ),
            (None, None, None) => {
                format!("Theorem 3 can hold at no noise level: kappa(W) = {} leaves no room.", number(q.kappa))
            }
        }
    }
}

/// Three digits, for people.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if !(1e-3..1e6).contains(&size) => format!("{value:.2e}"),
        size => format!("{value:.*}", (2.0 - size.log10().floor()).max(0.0) as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds() -> Bounds {
        Bounds { fit: 0.04, delta: 0.1, rank: 3.0, room: 0.5, smoothing: 0.01 }
    }

    #[test]
    fn the_factor_is_where_the_slack_is_zero() {
        let b = bounds();
        let factor = b.factor(|_| 1e-4).unwrap();
        assert!(factor > 1.0 && b.slack(1e-4, 1.0) < 0.0);
        assert!(b.slack(1e-4, 1.0 / factor).abs() < 1e-9);
        assert_eq!(b.factor(|_| 10.0), None); // lambda alone is too much
        assert_eq!(Bounds { smoothing: 1.0, ..b }.factor(|s| b.best_lambda(s)), None);
        assert_eq!(Bounds { room: 0.0, ..b }.factor(|_| 1e-4), None);
    }

    #[test]
    fn no_lambda_of_a_grid_beats_the_best() {
        let b = bounds();
        for s in [1e-6, 1e-3, 0.1, 1.0] {
            let best = b.slack(b.best_lambda(s), s);
            for i in -400..100 {
                assert!(b.slack(10f64.powf(f64::from(i) / 25.0), s) <= best + 1e-9);
            }
        }
        let best = b.factor(|s| b.best_lambda(s)).unwrap();
        let grid = (-400..100).filter_map(|i| b.factor(|_| 10f64.powf(f64::from(i) / 25.0)));
        let grid = grid.fold(f64::INFINITY, f64::min);
        assert!(best <= grid && grid < 1.02 * best, "{best} against {grid}");
    }

    #[test]
    fn numbers_have_three_digits() {
        let shown: Vec<String> = [0.0, 340.2, 3.4567, 0.012345, 1234567.0, 1e-7].into_iter().map(number).collect();
        assert_eq!(shown, ["0", "340", "3.46", "0.0123", "1.23e6", "1.00e-7"]);
    }
}
