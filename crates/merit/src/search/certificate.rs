//! How far a run's `C` is from the optimum: a lower bound, from passes of the [exact](crate::exact) solver after Frank-Wolfe.
//!
//! The bound is on `F`, the objective without smoothing, whose value at `C` is given beside it. Frank-Wolfe's own gap is about
//! the smoothed objective and says far less.

use super::Settings;
use crate::Error;
use crate::exact::{self, Bounds, Start, relative_gap};
use crate::memory::gigabytes;
use crate::progress::{Progress, Stage, Stages, StopReason};
use crate::settings::{Declaration, Value};
use crate::solver::{FeasibleColumns, Workspace};
use merit_linalg::DataMatrix;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::OsStr;
use std::ops::ControlFlow;

/// What is spent on a lower bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Certificate {
    /// A quarter as many passes as Frank-Wolfe took steps, or fewer where more would hardly change the bound; none where it
    /// would take much memory: for more than 20,000 columns, and for sparse data far smaller than a dense matrix.
    #[default]
    Auto,
    /// Nothing.
    Off,
    /// So many passes at most.
    Passes(usize),
}

/// The first passes hold some 200 nonzeros per column, about 4 kB: as much as the whole run where columns are short. So nobody
/// gets more than 80 MB of that unasked.
const AUTO_COLUMNS: usize = 20_000;

impl Certificate {
    /// Passes for a `C` that took `steps` steps to find.
    pub(super) fn passes(self, steps: usize, x: &DataMatrix) -> usize {
        match self {
            Self::Auto if x.cols() <= AUTO_COLUMNS && !exact::dwarfs(x) && !x.is_shared() => steps.div_ceil(4),
            Self::Auto | Self::Off => 0,
            Self::Passes(passes) => passes,
        }
    }

    /// Whether there is one for a dense matrix of `cols` columns.
    pub fn is_made(self, cols: usize) -> bool {
        self != Self::Off && (self != Self::Auto || cols <= AUTO_COLUMNS)
    }

    /// Why there is none, where one might be expected.
    pub(super) fn left_out(self, x: &DataMatrix) -> Option<String> {
        match self {
            Self::Off => None,
            Self::Passes(_) => exact::check_memory(x).err().map(|error| format!("no lower bound on the optimum: {error}")),
            Self::Auto if x.is_shared() => {
                Some("no lower bound on the optimum: it takes all of the matrix, and each process has its own columns".into())
            }
            Self::Auto if exact::dwarfs(x) => Some(format!(
                "for sparse data of {} x {} no lower bound on the optimum is computed unless asked for: it takes about {}, for \
                 dense matrices; `certificate = 25` asks for 25 passes",
                x.rows(),
                x.cols(),
                gigabytes(exact::needed_bytes(x))
            )),
            Self::Auto => (x.cols() > AUTO_COLUMNS).then(|| {
                format!(
                    "with more than {AUTO_COLUMNS} columns no lower bound on the optimum is computed unless asked for: it \
                     takes about 4 kB per column; `certificate = 25` asks for 25 passes"
                )
            }),
        }
    }
}

impl Value for Certificate {
    fn parse(text: &OsStr, declaration: &Declaration) -> Option<Self> {
        match text.to_str()? {
            "auto" => Some(Self::Auto),
            "off" => Some(Self::Off),
            _ => usize::parse(text, declaration).map(Self::Passes),
        }
    }

    fn show(&self, declaration: &Declaration) -> String {
        match self {
            Self::Auto => "auto".into(),
            Self::Off => "off".into(),
            Self::Passes(passes) => passes.show(declaration),
        }
    }

    fn is_in_range(&self, declaration: &Declaration) -> bool {
        !matches!(self, Self::Passes(passes) if !passes.is_in_range(declaration))
    }

    fn expected(_: &Declaration) -> String {
        "auto, off, or a number of passes, at least 1".to_string()
    }
}

impl Serialize for Certificate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Passes(passes) => serializer.serialize_u64(*passes as u64),
            word => serializer.serialize_str(&word.show(&Declaration::new(""))),
        }
    }
}

impl<'de> Deserialize<'de> for Certificate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(usize),
            Word(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(passes) => Ok(Self::Passes(passes)),
            Written::Word(word) if word == "auto" => Ok(Self::Auto),
            Written::Word(word) if word == "off" => Ok(Self::Off),
            Written::Word(word) => Err(serde::de::Error::custom(format!("`{word}` is not a certificate"))),
        }
    }
}

/// What is known about how far a `C` is from the optimum of `F`, the problem without smoothing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Certified {
    /// `F(C)`.
    pub objective: f64,
    /// No feasible `C` has an `F` below this.
    pub lower_bound: f64,
    /// Passes that it took.
    pub passes: usize,
    /// How both bounds closed: `upper` is the least `F` known, of `C` or of the passes.
    pub trace: Vec<Bounds>,
}

impl Certified {
    /// `(F(C) - lower bound) / F(C)`.
    pub fn relative_gap(&self) -> f64 {
        relative_gap(self.objective, self.lower_bound)
    }
}

/// Bounds that are this much closer to each other than `F(C)` is to the lower one will not change the certificate any more.
const SETTLED: f64 = 0.1;

/// Passes from `C` that bound the optimum at `lambda`, for a `C` that took `steps` steps to find. Cut short, it gives what
/// there is by then.
pub(super) fn certify(
    workspace: &Workspace,
    c: &FeasibleColumns,
    lambda: f64,
    steps: usize,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Certified, Error> {
    let x = workspace.data();
    let passes = settings.certificate.passes(steps, x);
    let stage = Stage::counted("certificate", "bounding the optimum", passes).with_result();
    exact::check_memory(x)?;
    stages.run(stage, |stages| {
        let c = c.clone().whole();
        let objective = exact::objective(x, &c, lambda);
        let mut exact = exact::Workspace::new(x).kernel(settings.solver.kernel).time_limit(stages.time_left());
        let interrupt = stages.interrupt();
        let is_auto = settings.certificate == Certificate::Auto;
        let enough = |progress: &Progress| {
            let (upper, gap) = (progress.objective.unwrap_or(f64::INFINITY), progress.gap.unwrap_or(f64::INFINITY));
            is_auto && gap <= SETTLED * (objective - (upper - gap))
        };
        let mut settled = false;
        let mut watch = |progress: &Progress| {
            settled |= enough(progress);
            if settled { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let limits = exact::Settings { gap: 0.0, passes };
        let observers = &mut (&mut watch, stages.observer());
        let found = exact.solve(lambda, Start::Columns(c), &limits, observers, &interrupt);
        let found = found.ok_or(Error::Interrupted)?;
        if found.stop == StopReason::Interrupted && !settled {
            stages.ended(StopReason::Interrupted);
        }
        let mut trace = found.trace;
        trace.iter_mut().for_each(|bounds| bounds.upper = bounds.upper.map(|upper| upper.min(objective)));
        Ok(Certified { objective, lower_bound: found.lower_bound.min(objective), passes: found.passes, trace })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use merit_linalg::{DenseMatrix, SparseMatrix};

    fn diagonal(size: u32) -> SparseMatrix {
        SparseMatrix::from_triplets(size as usize, size as usize, (0..size).map(|n| (n, n, 1.0)).collect())
    }

    #[test]
    fn sparse_data_get_no_dense_matrices_unasked() {
        let (small, large): (DataMatrix, DataMatrix) = (diagonal(12).into(), diagonal(13).into());
        assert_eq!((Certificate::Auto.passes(100, &small), Certificate::Auto.left_out(&small)), (25, None));
        assert_eq!(Certificate::Auto.passes(100, &large), 0, "8 N^2 is more than eight times 12 N");
        let note = Certificate::Auto.left_out(&large).unwrap();
        assert!(note.starts_with("for sparse data of 13 x 13 no lower bound"), "{note}");
        assert_eq!((Certificate::Passes(3).passes(100, &large), Certificate::Passes(3).left_out(&large)), (3, None));
        assert_eq!((Certificate::Off.passes(100, &large), Certificate::Off.left_out(&large)), (0, None));
        let dense: DataMatrix = diagonal(13).to_dense().into();
        assert_eq!((Certificate::Auto.passes(100, &dense), Certificate::Auto.left_out(&dense)), (25, None));
        let wide: DataMatrix = DenseMatrix::zeros(1, AUTO_COLUMNS + 1).into();
        assert!(Certificate::Auto.passes(100, &wide) == 0 && Certificate::Auto.left_out(&wide).is_some());
    }
}
