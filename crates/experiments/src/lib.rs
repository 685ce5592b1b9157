//! The paper's experiments as recipes: what is run, how often, what the paper says, and how sure we are.
//!
//! ```text
//! experiment = cases (data set, setting) x trials -> records -> summary (mean, 95 % interval, the paper's number) -> figures
//! ```
//!
//! A trial's data come from a seed that depends on the experiment's seed, the data set, the setting and the trial alone; a
//! trial runs on one thread, trials run side by side. So `results.csv` is the same for any number of threads, and after
//! any number of interruptions: finished trials are found in the folder and not run again. The time is the trials' own;
//! memory `8 N (3 M + K)` bytes per thread and the records. Reference: T. Nguyen, X. Fu, R. Wu, *Memory-Efficient Convex
//! Optimization for Self-Dictionary Separable Nonnegative Matrix Factorization: A Frank-Wolfe Approach*.
//!
//! | module | what it holds |
//! |---|---|
//! | [`recipes`] | one figure or table each |
//! | [`experiment`] | cases, designs, seeds |
//! | [`method`], [`memory`] | the methods by name; peak memory of one |
//! | [`topics`] | trials on texts |
//! | [`communities`] | trials on networks |
//! | [`runner`], [`store`], [`record`] | trials side by side; the folder; a line of `results.csv` |
//! | [`summary`], [`interval`], [`paper`] | means with intervals, beside the paper's numbers |
//! | [`document`] | `summary.md`, the figures and the page |
//!
//! ```
//! use merit_experiments::{experiment, runner, store::Store, summary};
//! let folder = std::env::temp_dir().join(format!("merit-experiments-{}", std::process::id()));
//! let narrowed = runner::Narrow { only: vec!["40".into()], methods: vec!["spa".into()], ..Default::default() };
//! let plan = runner::Plan::new(vec![experiment::named("table1").unwrap()], 0, &narrowed)?;
//! let mut store = Store::open(&folder, &plan, false)?;
//! let hooks = runner::Hooks { stop: &|| false, memory: &|_| Err(merit_experiments::Failure::Child("not here".into())) };
//! runner::run(&runner::Plan { trials: Some(2), ..plan }, &mut store, 1, &hooks, &mut |_| ())?;
//! let rows = summary::summarize(&experiment::all(), store.records());
//! assert_eq!((rows[0].metric, rows[0].estimate.trials, rows[0].paper), ("success_rate", 2, Some(0.98)));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod communities;
pub mod document;
pub mod experiment;
mod figure;
pub mod interval;
pub mod memory;
pub mod method;
pub mod paper;
pub mod recipes;
pub mod record;
pub mod runner;
pub mod store;
pub mod summary;
pub mod topics;

use merit::synthetic::SyntheticError;
use merit_dataset::WriteError;
use std::io;
use std::path::PathBuf;

/// Why an experiment cannot be run, or not go on.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the fields are the values of the message above them
#[non_exhaustive]
pub enum Failure {
    #[error("{kind} `{found}` is not part of {experiments}: there are {expected}")]
    Unknown { kind: &'static str, found: String, experiments: String, expected: String },
    #[error("nothing is left to run: {0}")]
    Nothing(String),
    #[error("`{}` is not empty and has no `settings.json` of ours, so it is not a folder of `merit reproduce`", path.display())]
    NotOurs { path: PathBuf },
    #[error("another run is writing into `{}`", path.display())]
    InUse { path: PathBuf },
    #[error("`{}` was made with {found}, but this run has {expected}", path.display())]
    OtherSettings { path: PathBuf, found: String, expected: String },
    #[error("line {line} of `{}` is not a result: {text:?}", path.display())]
    Line { path: PathBuf, line: usize, text: String },
    #[error("`{}` cannot be {action}: {source}", path.display())]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Data(#[from] SyntheticError),
    #[error(transparent)]
    Topics(#[from] merit_topics::Error),
    #[error(transparent)]
    Communities(#[from] merit_communities::Error),
    #[error("there is nothing to run: {0}")]
    MissingData(String),
    #[error("{0} needs data files, but no folder of data was given")]
    NoData(String),
    #[error(transparent)]
    Method(#[from] merit::Error),
    #[error(transparent)]
    FastGradient(#[from] merit::methods::fast_gradient::Error),
    #[error("the threads cannot be started: {0}")]
    Threads(String),
    #[error("{0}")]
    Child(String),
}

impl Failure {
    /// Whether the command, not the data, is at fault.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NoData(_)
                | Self::Unknown { .. }
                | Self::Nothing(_)
                | Self::NotOurs { .. }
                | Self::InUse { .. }
                | Self::OtherSettings { .. }
                | Self::Data(_)
        )
    }
}
