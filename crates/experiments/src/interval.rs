//! 95 % confidence intervals of what trials give.
//!
//! | what | interval | formula |
//! |---|---|---|
//! | a rate, `s` successes of `n` | Wilson | `(p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)`, `z` = 1.96 |
//! | a mean of `n` numbers | Student | `m +- t_{n-1} s / sqrt(n)`, `s^2` with `n - 1` below |
//!
//! Wilson's interval stays inside `[0, 1]` and has a width at 0 and `n` successes. Student's supposes that the mean is
//! about normal; it needs two trials. References: Wilson, J. Am. Stat. Assoc. 22, 1927; Abramowitz and Stegun, 26.7.
//!
//! ```
//! use merit_experiments::interval::{mean, rate};
//! let all = rate(50, 50).unwrap();
//! assert_eq!((all.mean, all.high), (1.0, 1.0));
//! assert!((all.low - 0.9287).abs() < 1e-4);
//! assert!(mean(&[3.0]).unwrap().bounds().is_none()); // one trial has no spread
//! ```

/// The 97.5 % point of the normal distribution.
const NORMAL: f64 = 1.959_963_984_540_054;

/// An estimate over trials, with its 95 % interval where there is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Trials behind it.
    pub trials: usize,
    /// The mean.
    pub mean: f64,
    /// Lower end; equal to the mean for a single number.
    pub low: f64,
    /// Upper end; equal to the mean for a single number.
    pub high: f64,
    has_bounds: bool,
}

impl Estimate {
    /// Both ends of the interval; `None` when one number leaves them open.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        self.has_bounds.then_some((self.low, self.high))
    }
}

/// Wilson's interval of a success rate; `None` without trials.
pub fn rate(successes: usize, trials: usize) -> Option<Estimate> {
    if trials == 0 {
        return None;
    }
    let n = trials as f64;
    let p = successes as f64 / n;
    let z2 = NORMAL * NORMAL;
    let center = p + z2 / (2.0 * n);
    let half = NORMAL * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    // At the ends the formula gives 0 and 1 up to rounding.
    let low = if successes == 0 { 0.0 } else { ((center - half) / scale).max(0.0) };
    let high = if successes == trials { 1.0 } else { ((center + half) / scale).min(1.0) };
    Some(Estimate { trials, mean: p, low, high, has_bounds: true })
}

/// Student's interval of a mean; `None` without numbers, and without bounds for a single one.
pub fn mean(values: &[f64]) -> Option<Estimate> {
    if values.is_empty() {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() == 1 {
        return Some(Estimate { trials: 1, mean, low: mean, high: mean, has_bounds: false });
    }
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = student_quantile(values.len() - 1) * (variance / n).sqrt();
    Some(Estimate { trials: values.len(), mean, low: mean - half, high: mean + half, has_bounds: true })
}

/// The 97.5 % point of Student's distribution with `freedom` degrees of freedom (at least 1), by bisection.
pub fn student_quantile(freedom: usize) -> f64 {
    let (mut low, mut high) = (NORMAL, 13.0); // the normal's, and more than the 12.71 of one degree
    while high - low > 1e-13 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if central_probability(middle, freedom) < 0.95 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// `P(-t < T < t)` for a whole number of degrees of freedom, where it is a finite sum: with `theta = atan(t / sqrt(nu))`,
///
/// ```text
/// nu odd:  2/pi (theta + sin cos (1 + 2/3 cos^2 + (2 4)/(3 5) cos^4 + ... up to cos^(nu-3)))
/// nu even: sin (1 + 1/2 cos^2 + (1 3)/(2 4) cos^4 + ... up to cos^(nu-2))
/// ```
fn central_probability(t: f64, freedom: usize) -> f64 {
    let theta = (t / (freedom as f64).sqrt()).atan();
    let (sin, cos) = theta.sin_cos();
    let odd = freedom % 2 == 1;
    let terms = if odd { (freedom - 1) / 2 } else { freedom / 2 };
    let (mut term, mut sum) = (1.0, 0.0);
    for i in 0..terms {
        sum += term;
        let i = i as f64;
        term *= cos * cos * if odd { (2.0 * i + 2.0) / (2.0 * i + 3.0) } else { (2.0 * i + 1.0) / (2.0 * i + 2.0) };
    }
    if odd { (theta + sin * cos * sum) * std::f64::consts::FRAC_2_PI } else { sin * sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_quantiles_are_those_of_the_tables() {
        let table =
            [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (29, 2.045), (49, 2.010), (99, 1.984)];
        for (freedom, expected) in table {
            let found = student_quantile(freedom);
            assert!((found - expected).abs() < 5e-4, "{freedom}: {found}, not {expected}");
        }
        assert!((student_quantile(100_000) - NORMAL).abs() < 1e-4);
    }

    #[test]
    fn wilson_intervals_are_those_of_the_literature() {
        // Newcombe, Statistics in Medicine 17, 1998, table I, method 3.
        for (successes, trials, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let found = rate(successes, trials).unwrap();
            assert!((found.low - low).abs() < 6e-5 && (found.high - high).abs() < 6e-5, "{found:?}");
        }
        assert_eq!(rate(0, 0), None);
    }

    #[test]
    fn the_interval_of_a_mean() {
        let found = mean(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let half = 2.776_445 * (2.5f64 / 5.0).sqrt();
        assert!((found.mean - 3.0).abs() < 1e-15 && (found.high - 3.0 - half).abs() < 1e-6);
        assert_eq!(found.bounds(), Some((found.low, found.high)));
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[2.0, 2.0]).unwrap().bounds(), Some((2.0, 2.0)));
    }
}
