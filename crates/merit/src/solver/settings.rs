//! What a run may be told, checked once.

use merit_linalg::kernels::Kernel;
use std::time::Duration;

/// Settings of one run; [`check`](Self::check) makes them usable.
///
/// | name | default | range | paper |
/// |---|---|---|---|
/// | `regularization` | 0 | >= 0 | lambda (half of the authors' value) |
/// | `smoothing` | 1e-5 | > 0 | mu |
/// | `iterations` | 100 | >= 1 | T |
/// | `gap_tolerance` | off | >= 0 | |
/// | `objective_tolerance` | off | >= 0 | relative change of f |
/// | `residual_tolerance` | off | >= 0 | eta + 2 delta |
/// | `time_limit` | off | | |
/// | `start_iteration` | automatic | | t_init |
/// | `kernel` | fastest | | |
/// | `pruning` | measured | | |
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Weight of the row-sparsity term; 0 is MERIT(0).
    pub regularization: f64,
    /// How sharply the smooth row maximum follows the true one.
    pub smoothing: f64,
    /// Steps to take at most.
    pub iterations: usize,
    /// Stop when the duality gap is at most this.
    pub gap_tolerance: Option<f64>,
    /// Stop when a step changes the objective by at most this part of it.
    pub objective_tolerance: Option<f64>,
    /// A column with `||x_l - X c_l||` at most this stops moving; the run stops when all have.
    pub residual_tolerance: Option<f64>,
    /// Stop at the first iteration after this time.
    pub time_limit: Option<Duration>,
    /// Number of the first step. `None`: 0 from a cold start, `round(1 / RMSE)` from a warm one.
    pub start_iteration: Option<usize>,
    /// How the search for the best vertices is run.
    pub kernel: KernelChoice,
    /// Whether columns inside the convex hull are left out of the search.
    pub pruning: Pruning,
}

/// How the argmin behind every step is computed. Every choice gives the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KernelChoice {
    /// The fastest kernel of this machine.
    #[default]
    Fastest,
    /// Plain `f64` loops over all pairs: the slow twin that defines the result.
    Scalar,
    /// One particular kernel.
    Use(Kernel),
}

/// Whether the search leaves out columns that lie inside the convex hull and cannot be chosen. Every choice gives the same
/// bits; it is a matter of speed alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pruning {
    /// Where a sample of the columns says that it pays.
    #[default]
    Measured,
    /// Never: all columns are searched.
    Never,
    /// Always, however little it saves.
    Always,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            regularization: 0.0,
            smoothing: 1e-5,
            iterations: 100,
            gap_tolerance: None,
            objective_tolerance: None,
            residual_tolerance: None,
            time_limit: None,
            start_iteration: None,
            kernel: KernelChoice::Fastest,
            pruning: Pruning::Measured,
        }
    }
}

/// Settings that [`solve`](super::solve) accepts: made by [`Settings::check`] alone.
#[derive(Clone, Debug)]
pub struct CheckedSettings(Settings);

impl std::ops::Deref for CheckedSettings {
    type Target = Settings;
    fn deref(&self) -> &Settings {
        &self.0
    }
}

/// A setting outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// A number outside its range.
    #[error("`{name}` must be {expected}, but is {found}")]
    OutOfRange {
        /// Which setting.
        name: &'static str,
        /// Its range, in words.
        expected: &'static str,
        /// The value given.
        found: f64,
    },
}

impl Settings {
    /// The same settings, known to be in range.
    pub fn check(self) -> Result<CheckedSettings, SettingsError> {
        let check = |name, found: f64, good: bool, expected| {
            if good { Ok(()) } else { Err(SettingsError::OutOfRange { name, expected, found }) }
        };
        let (lambda, mu) = (self.regularization, self.smoothing);
        check("regularization", lambda, lambda.is_finite() && lambda >= 0.0, "a finite number >= 0")?;
        check("smoothing", mu, mu.is_finite() && mu >= 1e-300, "a finite number > 0 (at least 1e-300)")?;
        check("iterations", self.iterations as f64, self.iterations > 0, "at least 1")?;
        for (name, tolerance) in [
            ("gap_tolerance", self.gap_tolerance),
            ("objective_tolerance", self.objective_tolerance),
            ("residual_tolerance", self.residual_tolerance),
        ] {
            let found = tolerance.unwrap_or(0.0);
            check(name, found, found.is_finite() && found >= 0.0, "a finite number >= 0")?;
        }
        Ok(CheckedSettings(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_hold_the_numbers() {
        let wrong = Settings { smoothing: -1e-5, ..Default::default() }.check().unwrap_err();
        assert_eq!(wrong.to_string(), "`smoothing` must be a finite number > 0 (at least 1e-300), but is -0.00001");
        assert!(Settings { smoothing: f64::NAN, ..Default::default() }.check().is_err());
        assert!(Settings { regularization: -1.0, ..Default::default() }.check().is_err());
        assert!(Settings { regularization: f64::INFINITY, ..Default::default() }.check().is_err());
        assert!(Settings { iterations: 0, ..Default::default() }.check().is_err());
        assert!(Settings { gap_tolerance: Some(f64::NAN), ..Default::default() }.check().is_err());
        assert!(Settings::default().check().is_ok());
    }
}
