//! Peak memory of a method, measured in a process of its own.
//!
//! The maximum resident set belongs to a process as a whole and never falls, so each point of figures 4b, 6 and 7 starts the
//! program again: the child makes or reads the data, runs one method and reports its own peak. Who starts the child is the
//! caller's affair.

use crate::communities::Network;
use crate::experiment::{self, Work};
use crate::method::{Lambda, Method, STEPS};
use crate::topics::{Data, TopicData};
use crate::{Failure, topics};
use merit::automatic::SpaFit;
use merit::methods::fast_gradient;
use merit::progress::{Interrupt, Stages};
use merit::solver::{Settings, Start, solve};
use merit::synthetic::Dirichlet;
use merit::{DataMatrix, selection};
use merit_linalg::memory::peak_rss_bytes;
use std::path::Path;

/// Steps of FastGradient: its arrays are all there after the first, and more would only take longer.
pub const FAST_GRADIENT_STEPS: usize = 5;

/// A size of `dirichlet` data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// `M`.
    pub rows: usize,
    /// `N`.
    pub cols: usize,
    /// `K`.
    pub rank: usize,
    /// Noise.
    pub snr_db: f64,
}

/// The data of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Subject {
    /// Made.
    Dirichlet(Size),
    /// The documents of a trial.
    Topics {
        /// Which corpus.
        data: TopicData,
        /// `K`.
        topics: usize,
    },
    /// A network.
    Communities(Network),
}

/// One point: what the child is asked to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Which experiment.
    pub experiment: String,
    /// Which of its data sets.
    pub dataset: String,
    /// Which of its settings.
    pub setting: String,
    /// Which trial, from 0.
    pub trial: usize,
    /// The seed of the data.
    pub seed: u64,
    /// Who runs.
    pub method: Method,
}

impl Subject {
    /// `M` and `N` of the matrix whose anchors are looked for.
    pub fn shape(&self, trial: usize, data: &Data) -> Result<(usize, usize), Failure> {
        match *self {
            Self::Dirichlet(size) => Ok((size.rows, size.cols)),
            Self::Topics { data: which, topics } => Ok((2 * topics, data.trial(which, topics, trial, 0)?.words())),
            Self::Communities(network) => Ok(network.read(data.folder(), 0)?.shape()),
        }
    }

    fn measure(&self, point: &Point, data: &Data) -> Result<(), Failure> {
        match *self {
            Self::Dirichlet(size) => size.run(point.method, point.seed),
            Self::Topics { data: which, topics } => {
                let trial = data.trial(which, topics, point.trial, point.seed)?;
                trial.run_for_memory(point.method)
            }
            Self::Communities(network) => network.read(data.folder(), point.seed)?.run_for_memory(point.method),
        }
    }
}

/// A lower bound on the memory that `method` needs for `rows` and `cols`, in bytes.
pub fn bytes_needed(method: Method, (rows, cols): (usize, usize)) -> u64 {
    match method {
        Method::FAST_GRADIENT => fast_gradient::needed_bytes(rows, cols, rayon::current_num_threads()),
        _ => 8 * cols as u64 * 3 * rows as u64, // X, residuals and the packed copy
    }
}

impl Size {
    fn run(&self, method: Method, seed: u64) -> Result<(), Failure> {
        let Size { rows, cols, rank, snr_db } = *self;
        let model = Dirichlet { snr_db, seed, ..Dirichlet::new(rows, cols, rank) };
        let x = DataMatrix::from(model.generate()?.x); // the truth is dropped before the method starts
        match method {
            Method::Merit(Lambda::Paper(part)) => {
                let lambda = if part == 0.0 { 0.0 } else { part * SpaFit::of(&x, rank, &Interrupt::never()).paper() };
                let settings = Settings { iterations: STEPS, ..Default::default() };
                let settings = settings.at(lambda).map_err(merit::Error::from)?;
                let solution = solve(&x, Start::Zero, &settings, &mut ());
                selection::largest_rows(&solution.c.row_inf_norms(), rank, |_| true);
            }
            Method::FAST_GRADIENT => {
                let options = fast_gradient::Options { steps: FAST_GRADIENT_STEPS };
                fast_gradient::select(&x, rank, &options, seed, &mut Stages::new(&mut (), None))?;
            }
            Method::SPA => drop(merit::spa::spa(&x, rank)),
            other => return Err(Failure::Child(format!("the memory of {} is not measured", other.name()))),
        }
        Ok(())
    }
}

impl Point {
    /// Does the work here and gives the peak of this process; for the child.
    pub fn measure(&self, data: Option<&Path>) -> Result<u64, Failure> {
        let missing = || Failure::Child(format!("{} has no point {} {}", self.experiment, self.dataset, self.setting));
        let experiment = experiment::named(&self.experiment).ok_or_else(missing)?;
        let here = |case: &&experiment::Case| case.dataset == self.dataset && case.setting == self.setting;
        let case = experiment.cases.iter().find(here).ok_or_else(missing)?;
        let Work::Memory(subject) = &case.work else { return Err(missing()) };
        subject.measure(self, &topics::Data::new(data.unwrap_or(Path::new(""))))?;
        peak_rss_bytes()
            .ok_or_else(|| Failure::Child("this system does not report the peak memory of a process".into()))
    }
}
