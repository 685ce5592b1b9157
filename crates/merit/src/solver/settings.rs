//! The settings of a run, checked once.

use crate::settings::{Declaration, Declared, SettingError, Value};
use merit_linalg::kernels::Kernel;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::OsStr;
use std::time::Duration;

/// Only this method uses the settings of the solver.
const MERIT: &[&str] = &["merit"];

crate::settings! {
    /// Settings of one run; [`at`](Self::at) makes them usable.
    pub struct Settings {
        /// Sharpness of the smooth row maximum (mu)
        smoothing: f64 = 1e-5, Declaration::new("MU").positive().of(MERIT);
        /// Maximum number of Frank-Wolfe steps (T)
        iterations: usize = 100, Declaration::new("T").at_least_one().of(MERIT);
        /// Stop when the duality gap is at most this
        gap_tolerance: Option<f64> = None, Declaration::new("GAP").nonnegative().or("off").of(MERIT);
        /// Stop when a step changes the objective by at most this fraction of it
        objective_tolerance: Option<f64> = None, Declaration::new("PART").nonnegative().or("off").of(MERIT);
        /// A column with ||x - Xc|| at most this stops moving (eta + 2 delta)
        ///
        /// The run stops when all have.
        residual_tolerance: Option<f64> = None, Declaration::new("NORM").nonnegative().or("off").of(MERIT);
        /// Stop after this many seconds of searching
        #[serde(with = "crate::settings::seconds")]
        time_limit: Option<Duration> = None,
            Declaration::new("SECONDS").nonnegative().or("off").of(&["merit", "exact", "fast-gradient", "lda"]);
        /// Number of the first step (t_init); auto is 0 from zero, else round(1/RMSE)
        start_iteration: Option<usize> = None, Declaration::new("auto|T").or("auto").of(MERIT);
        /// CPU instructions: auto, scalar, portable, avx2, avx512, neon; the result is the same
        kernel: KernelChoice = KernelChoice::Fastest, Declaration::new("NAME").of(&["merit", "exact"]);
        /// Whether columns inside the convex hull are left out of the search; the result is the same
        pruning: Pruning = Pruning::Measured, Declaration::new("RULE").of(MERIT).untyped();
        /// Whether the residuals XC - X are stored, or computed from C when they are looked at
        ///
        /// A choice of memory against time. Only the last bits of the result differ.
        stored_residuals: StoredResiduals = StoredResiduals::Measured, Declaration::new("RULE").of(MERIT).untyped();
        /// Take one step after the gap is reached, as the authors' program does
        step_after_gap: bool = false, Declaration::new("").of(MERIT).untyped();
    }
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

impl KernelChoice {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fastest => "auto",
            Self::Scalar => "scalar",
            Self::Use(kernel) => kernel.name(),
        }
    }

    /// The one of this name, if this machine has it.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Fastest),
            "scalar" => Some(Self::Scalar),
            _ => Kernel::available().into_iter().find(|kernel| kernel.name() == name).map(Self::Use),
        }
    }

    /// What runs.
    pub fn as_used(self) -> Self {
        if self == Self::Fastest { Self::Use(Kernel::best()) } else { self }
    }
}

impl Value for KernelChoice {
    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        Self::named(text.to_str()?)
    }

    fn show(&self, _: &Declaration) -> String {
        self.name().to_string()
    }

    fn expected(_: &Declaration) -> String {
        let names: Vec<&str> = Kernel::available().iter().map(|kernel| kernel.name()).collect();
        format!("auto, scalar, {} (on this machine)", names.join(", "))
    }
}

impl Serialize for KernelChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A file may come from a machine with other instructions: what is not here is the fastest that is.
impl<'de> Deserialize<'de> for KernelChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::named(&String::deserialize(deserializer)?).unwrap_or_default())
    }
}

crate::choices! {
    /// Whether the search leaves out columns that lie inside the convex hull and cannot be chosen. Every choice gives the same
    /// bits; it is a matter of speed alone.
    pub enum Pruning {
        /// Where a sample of the columns says that it pays.
        #[default]
        Measured = "measured",
        /// Never: all columns are searched.
        Never = "never",
        /// Always, however little it saves.
        Always = "always",
    }
}

crate::choices! {
    /// Whether the residuals `XC - X` are stored (`8 M N` bytes) and follow each step, or are computed from `C`.
    pub enum StoredResiduals {
        /// Stored for dense data in double precision, and for sparse data where they are not far larger than these.
        #[default]
        Measured = "measured",
        /// Stored.
        Always = "always",
        /// Computed when they are looked at: no memory, and no rounding that adds up over the steps.
        Never = "never",
    }
}

/// Settings at some lambda, all in range: what [`solve`](super::solve) accepts. Made by [`Settings::at`] alone.
#[derive(Clone, Debug)]
pub struct CheckedSettings {
    settings: Settings,
    regularization: f64,
}

impl CheckedSettings {
    /// Lambda.
    pub fn regularization(&self) -> f64 {
        self.regularization
    }
}

impl std::ops::Deref for CheckedSettings {
    type Target = Settings;
    fn deref(&self) -> &Settings {
        &self.settings
    }
}

/// Lambda, as every pipeline names it.
pub(crate) const REGULARIZATION: Declaration =
    Declaration::new("LAMBDA").nonnegative().field::<f64>("regularization", "Weight of row sparsity (lambda)");

impl Settings {
    /// These settings at this lambda (0 is MERIT(0)), known to be in range.
    ///
    /// ```
    /// use merit::solver::Settings;
    /// let wrong = Settings { smoothing: -1e-5, ..Default::default() }.at(0.1).unwrap_err();
    /// assert_eq!(wrong.to_string(), "`smoothing` must be a number greater than 0, but is -1e-5");
    /// ```
    pub fn at(self, regularization: f64) -> Result<CheckedSettings, SettingError> {
        REGULARIZATION.check(&regularization)?;
        self.check_ranges()?;
        Ok(CheckedSettings { settings: self, regularization })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_range_is_refused() {
        let good = Settings::default();
        for lambda in [-1.0, f64::INFINITY, f64::NAN] {
            assert!(good.clone().at(lambda).is_err(), "{lambda}");
        }
        for wrong in [
            Settings { smoothing: f64::NAN, ..good.clone() },
            Settings { iterations: 0, ..good.clone() },
            Settings { gap_tolerance: Some(f64::NAN), ..good.clone() },
            Settings { residual_tolerance: Some(-1.0), ..good.clone() },
        ] {
            assert!(wrong.clone().at(0.0).is_err(), "{wrong:?}");
        }
        assert!(good.at(0.0).is_ok());
    }

    #[test]
    fn a_kernel_of_another_machine_is_the_fastest_of_this_one() {
        let read: Settings = serde_json::from_str(r#"{"kernel": "of another machine", "time_limit": 1.5}"#).unwrap();
        assert_eq!((read.kernel, read.time_limit), (KernelChoice::Fastest, Some(Duration::from_millis(1500))));
        let written = serde_json::to_value(&read).unwrap();
        assert_eq!((&written["kernel"], &written["time_limit"]), (&"auto".into(), &1.5.into()));
    }
}
