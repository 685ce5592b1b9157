//! What a factorization will take, before anybody starts it: time by a model whose constants are measured here and now, memory by
//! counting.
//!
//! [`Speed::measure`] factors small synthetic matrices of the same height as the real one and fits, for each stage, `a N^2 + b N` to its
//! seconds. [`Plan::of`] evaluates that at the real size, on one machine or on several that work together (ranks):
//!
//! | | each rank holds | each rank sends, per step |
//! |---|---|---|
//! | replicated | all of `X` and of its packed copy, its share of the rest | `28 N` bytes: counts, maxima and sums of the rows of `C` |
//! | ring | its share of everything, numbers of all rows (`64 N`) and pieces of `X` that pass by | that, and `X` twice, `16 M N` |
//!
//! ```
//! use merit::plan::{Plan, Size, Speed, Stage};
//! let size = Size { rows: 50, cols: 100_000, rank: 20, iterations: 100, certificate: false, ..Default::default() };
//! let solve = Stage { name: "solve", per_pair: 2e-8, per_column: 1e-5 };
//! let speed = Speed { stages: vec![solve], columns: (2000, 4000), seconds: 1.0 };
//! let plan = Plan::of(&size, &speed);
//! assert_eq!(plan.seconds, 201.0);
//! assert!(plan.memory < 20 * 50 * 100_000 + 1000 * 100_000); // nothing is N x N
//! ```

use crate::Error;
use crate::factor::{Settings, factor};
pub use crate::memory::Sharing;
use crate::memory::{needed_bytes_of_dense, needed_bytes_of_rank};
use crate::precision::Precision;
use crate::progress::{Interrupt, Observer, Progress};
use crate::solver::Pruning;
use crate::synthetic::Dirichlet;
use std::ops::ControlFlow;
use std::time::Instant;

/// What is to be factored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// `M`.
    pub rows: usize,
    /// `N`.
    pub cols: usize,
    /// `K`.
    pub rank: usize,
    /// Steps of a run.
    pub iterations: usize,
    /// Whether there is to be a certificate.
    pub certificate: bool,
    /// How `X` is stored.
    pub precision: Precision,
}

impl Size {
    /// Bytes of `X`.
    pub(crate) fn x_bytes(&self) -> u64 {
        let each = match self.precision {
            Precision::F64 => 8,
            Precision::F32 => 4,
        };
        (each * self.rows as u64).saturating_mul(self.cols as u64)
    }
}

/// Seconds of one stage: `per_pair N^2 + per_column N`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// As in [`Factorization::seconds`](crate::Factorization).
    pub name: &'static str,
    /// Of every pair of columns.
    pub per_pair: f64,
    /// Of every column.
    pub per_column: f64,
}

impl Stage {
    /// Through two measurements; what grows less than linearly counts as linear.
    fn through(name: &'static str, (small, large): (usize, usize), (early, late): (f64, f64)) -> Self {
        let (small, large) = (small as f64, large as f64);
        let slope = (late / large - early / small) / (large - small);
        let per_pair = if slope > 0.0 { slope } else { 0.0 };
        Self { name, per_pair, per_column: (late / large - per_pair * large).max(0.0) }
    }

    /// Seconds for this many columns.
    pub fn seconds(&self, cols: usize) -> f64 {
        let cols = cols as f64;
        self.per_pair * cols * cols + self.per_column * cols
    }
}

/// Of every stage, by its name.
pub type Seconds = Vec<(&'static str, f64)>;

/// How fast this machine is, for matrices of some height and with some settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    /// Every stage.
    pub stages: Vec<Stage>,
    /// Columns of the two matrices that were measured.
    pub columns: (usize, usize),
    /// What measuring took.
    pub seconds: f64,
}

/// Columns of the first matrix that is measured, and at most of the last.
const FIRST: usize = 1000;
const LAST: usize = 32_000;
/// The last two sizes count once the larger one takes so many seconds.
const ENOUGH: f64 = 1.5;
/// Noise of the matrices, in dB.
const SNR: f64 = 20.0;

impl Speed {
    /// Measures matrices of this height, twice as many columns each time, until one takes a second or more, or is as large as the
    /// real one.
    pub fn measure(size: &Size, settings: &Settings, interrupt: &Interrupt) -> Result<Self, Error> {
        let clock = Instant::now();
        let least = (2 * size.rank).max(200);
        let largest = size.cols.min(LAST).max(least);
        let mut cols = FIRST.clamp(least.min(largest), largest);
        let mut before = Self::of_one(size, (cols / 2).max(size.rank + 1), settings, interrupt)?;
        loop {
            let now = Self::of_one(size, cols, settings, interrupt)?;
            let total: f64 = now.1.iter().map(|(_, seconds)| seconds).sum();
            if total >= ENOUGH || cols >= largest {
                let columns = (before.0, cols);
                let early =
                    |name| before.1.iter().find(|(other, _)| *other == name).map_or(0.0, |(_, seconds)| *seconds);
                let stage = |&(name, late): &(&'static str, f64)| Stage::through(name, columns, (early(name), late));
                let stages = now.1.iter().map(stage).collect();
                return Ok(Self { stages, columns, seconds: clock.elapsed().as_secs_f64() });
            }
            before = now;
            cols = (2 * cols).min(largest);
        }
    }

    /// Seconds of the stages for so many columns, the mean of two.
    fn of_one(size: &Size, cols: usize, settings: &Settings, interrupt: &Interrupt) -> Result<(usize, Seconds), Error> {
        let rank = size.rank.min(cols / 2).max(1);
        let data = Dirichlet { snr_db: SNR, ..Dirichlet::new(size.rows, cols, rank) }.generate();
        let x = data.map_err(|_| Error::Rank { rank, cols })?.x.into();
        let mut settings = Settings { rank: Some(rank), ..settings.clone() };
        if size.cols > size.rows && cols <= size.rows {
            // These few would be searched through their products, which would not fit for all; their hull has too many dimensions.
            settings.search.solver.pruning = Pruning::Never;
        }
        let mut means = Seconds::new();
        for _ in 0..2 {
            let seconds = factor(&x, &settings, &mut Watch(interrupt.clone()))?.seconds;
            if interrupt.asked() {
                return Err(Error::Interrupted);
            }
            match means.is_empty() {
                true => means = seconds,
                false => means.iter_mut().zip(seconds).for_each(|(mean, now)| mean.1 = 0.5 * (mean.1 + now.1)),
            }
        }
        Ok((cols, means))
    }
}

/// Sees nothing, but ends when asked to.
struct Watch(Interrupt);

impl Observer for Watch {
    fn iteration(&mut self, _: &Progress) -> ControlFlow<()> {
        if self.0.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn interrupt(&self) -> Interrupt {
        self.0.clone()
    }
}

/// What it takes on one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Bytes at the peak, `X` included.
    pub memory: u64,
    /// Seconds in all.
    pub seconds: f64,
    /// Seconds of every stage.
    pub stages: Seconds,
}

impl Plan {
    /// By the model.
    pub fn of(size: &Size, speed: &Speed) -> Self {
        let stages: Vec<_> = speed.stages.iter().map(|stage| (stage.name, stage.seconds(size.cols))).collect();
        let seconds = stages.iter().map(|(_, seconds)| seconds).sum();
        Self { memory: bytes(size), seconds, stages }
    }
}

/// Bytes of the program itself and of the threads' scratch.
const FIXED: u64 = 12_000_000;

/// Bytes of a certificate for each column, beside two numbers for each of its rows: what was measured on data of 50 rows or more. Noisy
/// data of fewer rows took up to four times that.
const CERTIFICATE: u64 = 4000;

/// Bytes of `X` and all that is made beside it.
pub(crate) fn bytes(size: &Size) -> u64 {
    let search = needed_bytes_of_dense(size.rows, size.cols, size.precision, size.rank, size.iterations);
    size.x_bytes().saturating_add(search).saturating_add(certificate(size)).saturating_add(FIXED)
}

/// Bytes of a certificate, if there is to be one; every rank makes all of it.
fn certificate(size: &Size) -> u64 {
    if size.certificate { (16 * size.rows as u64 + CERTIFICATE).saturating_mul(size.cols as u64) } else { 0 }
}

/// Between ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// Seconds until a message arrives, however small.
    pub latency: f64,
    /// Bytes per second.
    pub bandwidth: f64,
}

impl Default for Network {
    /// Ethernet of 10 Gbit/s, as slow clusters have it.
    fn default() -> Self {
        Self { latency: 5e-5, bandwidth: 1.1e9 }
    }
}

/// What it takes on several machines like this one.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedPlan {
    /// How.
    pub sharing: Sharing,
    /// Bytes at the peak of each rank.
    pub memory: u64,
    /// Seconds in all.
    pub seconds: f64,
    /// Seconds of these that messages take.
    pub messages: f64,
    /// Bytes that each rank sends, per step.
    pub sent: u64,
}

impl SharedPlan {
    /// By the model: work is shared evenly, messages are not hidden behind work, and what [`Stage`]s other than the runs take stays.
    pub fn of(size: &Size, speed: &Speed, network: &Network, ranks: usize, sharing: Sharing) -> Self {
        let (rows, cols, ranks) = (size.rows as u64, size.cols as u64, ranks.max(1) as u64);
        let memory = needed_bytes_of_rank(size, ranks as usize, sharing);
        let memory = memory + if sharing == Sharing::Replicated { certificate(size) } else { 0 };
        let passed = (16 * rows).saturating_mul(cols); // for the search, and again for the step
        let row_facts = 28 * cols * u64::from(ranks > 1); // shared and added up in a ring, each piece twice
        let sent = 2 * row_facts * (ranks - 1) / ranks
            + match sharing {
                Sharing::Replicated => 0,
                Sharing::Ring => passed / ranks * (ranks - 1), // each gets what the others have, and sends it on
            };
        let waits = match sharing {
            _ if ranks == 1 => 0.0,
            Sharing::Replicated => 2.0 * (ranks as f64).log2().ceil(),
            Sharing::Ring => 2.0 * (ranks as f64).log2().ceil() + ranks as f64,
        };
        let steps = size.iterations as f64;
        let messages = steps * (sent as f64 / network.bandwidth + waits * network.latency);
        let shared = Plan::of(size, speed).seconds / ranks as f64;
        Self { sharing, memory: memory + FIXED, seconds: shared + messages, messages, sent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_go_through_what_was_measured() {
        let stage = Stage::through("solve", (1000, 2000), (1.5, 5.0));
        assert_eq!((stage.per_pair, stage.per_column), (1e-6, 5e-4));
        assert_eq!((stage.seconds(1000), stage.seconds(2000)), (1.5, 5.0));
        // A start that costs the same for any size is not mistaken for a saving in large ones.
        let stage = Stage::through("spa", (1000, 2000), (2.0, 2.0));
        assert_eq!((stage.per_pair, stage.per_column), (0.0, 1e-3));
    }

    #[test]
    fn single_precision_takes_a_good_third() {
        let size = |precision| Size { rows: 50, cols: 1_000_000, rank: 20, precision, ..Default::default() };
        let (double, single) = (bytes(&size(Precision::F64)), bytes(&size(Precision::F32)));
        assert_eq!(double - single, 12 * 50 * 1_000_000); // half of X, and all residuals
    }

    #[test]
    fn ranks_share_memory_and_work() {
        let size =
            Size { rows: 50, cols: 1_000_000, rank: 20, iterations: 100, certificate: false, ..Default::default() };
        let solve = Stage { name: "solve", per_pair: 2e-8, per_column: 0.0 };
        let speed = Speed { stages: vec![solve], columns: (1, 2), seconds: 0.0 };
        let of = |ranks, sharing| SharedPlan::of(&size, &speed, &Network::default(), ranks, sharing);
        let (one, many) = (of(1, Sharing::Replicated), of(16, Sharing::Replicated));
        assert_eq!((one.messages, one.sent, one.seconds), (0.0, 0, 20_000.0));
        assert_eq!(one.memory, Plan::of(&size, &speed).memory);
        assert!(many.seconds > 1250.0 && many.seconds < 1300.0 && many.memory < one.memory);
        let ring = of(16, Sharing::Ring);
        assert!(ring.memory * 5 < one.memory && ring.sent > many.sent && ring.seconds > many.seconds);
    }
}
