//! Going on where a run was cut off.
//!
//! A piece of work (`factor`, topics, communities) is some long *runs*, one after the other, with quick work between them. The
//! work is deterministic, so it is enough to keep the state of the runs: repeated from the beginning, it finds the result of every run that was
//! completed, goes on within the one that was not, and ends with the same bits as if nothing had happened.
//!
//! Runs find their [`Keeper`] through their [observer](crate::progress::Observer::keeper), and number themselves by the order
//! in which they begin. Where states are kept is the keeper's business; the crate `merit-checkpoint` has one that writes files.
//!
//! ```
//! use merit::checkpoint::{InMemory, Keeper};
//! use merit::progress::{Observer, Progress, StopReason};
//! use merit::solver::{Settings, Start, solve};
//! use merit::{DataMatrix, DenseMatrix};
//! use std::ops::ControlFlow;
//! struct Until { end: usize, keeper: InMemory }
//! impl Observer for Until {
//!     fn iteration(&mut self, progress: &Progress) -> ControlFlow<()> {
//!         if progress.iteration >= self.end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
//!     }
//!     fn keeper(&mut self) -> Option<&mut dyn Keeper> { Some(&mut self.keeper) }
//! }
//! let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5, 0.0, 1.0]));
//! let settings = Settings { iterations: 50, ..Default::default() }.at(1e-3)?;
//! let whole = solve(&x, Start::Zero, &settings, &mut ());
//! let mut watch = Until { end: 20, keeper: InMemory::default() };
//! assert_eq!(solve(&x, Start::Zero, &settings, &mut watch).stop, StopReason::Interrupted);
//! let mut watch = Until { end: usize::MAX, keeper: watch.keeper.again() };
//! let resumed = solve(&x, Start::Zero, &settings, &mut watch);
//! assert_eq!((resumed.objective, resumed.gap, resumed.iterations), (whole.objective, whole.gap, 50));
//! # Ok::<(), merit::settings::SettingError>(())
//! ```

use crate::progress::Progress;
use merit_linalg::numbers::{Numbers, Pieces};
use merit_linalg::shards::Shards;
use merit_linalg::{DenseMatrix, SparseColumns};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// Keeps states of runs.
pub trait Keeper: Send {
    /// A run begins. Gives what was kept of it before, if it is the same run: `what` says which.
    fn begin(&mut self, what: &str) -> Option<Kept>;

    /// Whether the last state of this run was kept so long ago that another is due.
    fn is_due(&self) -> bool;

    /// Whether the result of a run that took so long is worth being kept.
    fn wants_result(&self, spent: Duration) -> bool;

    /// Keeps the state of the run that began last, instead of the one before.
    fn keep(&mut self, state: &State);
}

/// A state to be kept: lists of numbers by name.
#[derive(Clone, Debug, Default)]
pub struct State<'a> {
    lists: Vec<(&'static str, Pieces<'a>)>,
}

impl<'a> State<'a> {
    /// The same with one more list.
    pub fn with(mut self, name: &'static str, list: Pieces<'a>) -> Self {
        self.lists.push((name, list));
        self
    }

    /// The same with values.
    pub fn values(self, name: &'static str, values: &'a [f64]) -> Self {
        self.with(name, Pieces::F64(vec![values]))
    }

    /// The same with counts.
    pub fn counts(self, name: &'static str, counts: &'a [u64]) -> Self {
        self.with(name, Pieces::U64(vec![counts]))
    }

    /// The same with sparse columns, in the order in which their entries came.
    pub fn columns(self, [lengths, rows, values]: [&'static str; 3], c: &'a SparseColumns, counts: &'a [u32]) -> Self {
        let columns = || (0..c.cols()).map(|l| c.col(l));
        self.with(lengths, Pieces::U32(vec![counts]))
            .with(rows, Pieces::U32(columns().map(|column| column.0).collect()))
            .with(values, Pieces::F64(columns().map(|column| column.1).collect()))
    }

    /// All lists.
    pub fn lists(&self) -> &[(&'static str, Pieces<'a>)] {
        &self.lists
    }
}

/// Entries of each column, for [`State::columns`].
pub fn lengths(c: &SparseColumns) -> Vec<u32> {
    (0..c.cols()).map(|l| c.col(l).0.len() as u32).collect()
}

/// Where the lists of a state are that was kept: a file, or memory. Parts of them are read when they are needed.
pub trait Lists: std::fmt::Debug + Send + Sync {
    /// How many numbers a list has.
    fn count(&self, name: &str) -> Option<usize>;

    /// Numbers of a list; nothing if they are not there, or cannot be read.
    fn read(&self, name: &str, range: Range<usize>) -> Option<Numbers>;
}

impl Lists for BTreeMap<String, Numbers> {
    fn count(&self, name: &str) -> Option<usize> {
        Some(self.get(name)?.count())
    }

    fn read(&self, name: &str, range: Range<usize>) -> Option<Numbers> {
        self.get(name)?.part(range)
    }
}

/// A state that was kept.
#[derive(Clone, Debug)]
pub struct Kept {
    lists: Arc<dyn Lists>,
}

/// Numbers that are read at a time.
const PIECE: usize = 1 << 16;

/// A range in pieces.
fn pieces(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(PIECE).map(move |start| start..(start + PIECE).min(range.end))
}

impl Kept {
    /// Of these lists.
    pub fn of(lists: impl Lists + 'static) -> Self {
        Self { lists: Arc::new(lists) }
    }

    /// Values; nothing if there are none, or not `count`.
    pub fn values(&self, name: &str, count: usize) -> Option<Vec<f64>> {
        self.any_values(name).filter(|values| values.len() == count)
    }

    /// The same, however many there are.
    pub fn any_values(&self, name: &str) -> Option<Vec<f64>> {
        self.part(name, 0..self.lists.count(name)?, Numbers::values)
    }

    /// Counts.
    pub fn counts(&self, name: &str, count: usize) -> Option<Vec<u64>> {
        self.part(name, 0..self.lists.count(name)?, Numbers::counts).filter(|counts| counts.len() == count)
    }

    /// Indices.
    pub fn indices(&self, name: &str) -> Option<Vec<u32>> {
        self.part(name, 0..self.lists.count(name)?, Numbers::indices)
    }

    fn part<T>(&self, name: &str, range: Range<usize>, kind: fn(Numbers) -> Option<Vec<T>>) -> Option<Vec<T>> {
        let mut part = Vec::with_capacity(range.len());
        for piece in pieces(range) {
            part.append(&mut kind(self.lists.read(name, piece)?)?);
        }
        Some(part)
    }

    /// A dense matrix.
    pub fn matrix(&self, name: &str, rows: usize, cols: usize) -> Option<DenseMatrix> {
        Some(DenseMatrix::from_columns(rows, self.values(name, rows * cols)?))
    }

    /// Fills a matrix with those columns of a larger one, of `cols` columns, that begin with the column `first`.
    pub fn fill(&self, name: &str, cols: usize, first: usize, matrix: &mut DenseMatrix) -> Option<()> {
        let rows = matrix.rows();
        if self.lists.count(name)? != rows * cols {
            return None;
        }
        let values = matrix.values_mut();
        for (i, values) in values.chunks_mut(PIECE).enumerate() {
            let start = rows * first + i * PIECE;
            values.copy_from_slice(&self.lists.read(name, start..start + values.len())?.values()?);
        }
        Some(())
    }

    /// Those of all sparse columns that are here.
    pub fn columns(&self, [lengths, rows, values]: [&str; 3], columns: Shards) -> Option<KeptColumns> {
        let (cols, here) = (columns.cols(), columns.columns());
        if self.lists.count(lengths)? != cols {
            return None;
        }
        let (mut before, mut end) = (0, 0);
        for piece in pieces(0..cols) {
            let first = piece.start;
            for (i, &length) in self.lists.read(lengths, piece)?.indices()?.iter().enumerate() {
                before += if first + i < here.start { length as usize } else { 0 };
                end += length as usize;
            }
        }
        let starts = starts(&self.part(lengths, here, Numbers::indices)?);
        let range = before..before + starts[starts.len() - 1];
        if [rows, values].iter().any(|name| self.lists.count(name) != Some(end)) {
            return None;
        }
        let rows = self.part(rows, range.clone(), Numbers::indices)?;
        let values = self.part(values, range, Numbers::values)?;
        rows.iter().all(|&n| (n as usize) < cols).then_some(KeptColumns { columns, starts, rows, values })
    }
}

/// Sparse columns that were kept.
#[derive(Debug)]
pub struct KeptColumns {
    columns: Shards,
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl KeptColumns {
    /// The matrix; what is known about its rows is exchanged.
    pub fn into_matrix(self) -> SparseColumns {
        let first = self.columns.columns().start;
        SparseColumns::from_shards(self.columns, |l, entries| {
            let range = self.starts[l - first]..self.starts[l - first + 1];
            entries.extend(self.rows[range.clone()].iter().copied().zip(self.values[range].iter().copied()));
        })
    }
}

/// Where each of some lists starts in one that holds them all, and where that ends.
fn starts(lengths: &[u32]) -> Vec<usize> {
    let ends = lengths.iter().scan(0, |end, &length| {
        *end += length as usize;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// Numbers of one [`Progress`].
const ROW: usize = 10;

/// The rows of a trace as a list of numbers: what there is none of is NaN.
pub(crate) fn rows_as_values(rows: &[Progress]) -> Vec<f64> {
    let of = |row: &Progress| -> [f64; ROW] {
        [
            row.iteration as f64,
            row.step.unwrap_or(f64::NAN),
            row.objective.unwrap_or(f64::NAN),
            row.gap.unwrap_or(f64::NAN),
            row.nnz as f64,
            row.nonempty_rows as f64,
            row.moving_columns as f64,
            row.candidates as f64,
            row.pairs as f64,
            row.elapsed.as_secs_f64(),
        ]
    };
    rows.iter().flat_map(of).collect()
}

/// The same backwards.
pub(crate) fn rows_of_values(values: &[f64]) -> Option<Vec<Progress>> {
    let (rows, []) = values.as_chunks::<ROW>() else { return None };
    let number = |value: f64| (!value.is_nan()).then_some(value);
    let row = |&[iteration, step, objective, gap, nnz, nonempty, moving, candidates, pairs, elapsed]: &[f64; ROW]| {
        Some(Progress {
            step: number(step),
            objective: number(objective),
            gap: number(gap),
            nnz: nnz as usize,
            nonempty_rows: nonempty as usize,
            moving_columns: moving as usize,
            candidates: candidates as usize,
            pairs: pairs as u64,
            ..Progress::of_step(iteration as usize, Duration::try_from_secs_f64(elapsed).ok()?)
        })
    };
    rows.iter().map(row).collect()
}

/// Keeps states in memory and asks for one after every step: for tests, and for work that is only put aside.
#[derive(Clone, Debug, Default)]
pub struct InMemory {
    kept: Vec<(String, Option<Kept>)>,
    begun: usize,
    /// How often a state was kept.
    pub times: usize,
}

impl InMemory {
    /// What was kept, for work that begins again.
    pub fn again(self) -> Self {
        Self { begun: 0, times: 0, ..self }
    }
}

impl Keeper for InMemory {
    fn begin(&mut self, what: &str) -> Option<Kept> {
        self.begun += 1;
        if let Some((before, kept)) = self.kept.get(self.begun - 1) {
            if before == what {
                return kept.clone();
            }
            self.kept.truncate(self.begun - 1);
        }
        self.kept.push((what.to_string(), None));
        None
    }

    fn is_due(&self) -> bool {
        true
    }

    fn wants_result(&self, _: Duration) -> bool {
        true
    }

    fn keep(&mut self, state: &State) {
        self.times += 1;
        let lists = state.lists().iter().map(|(name, list)| (name.to_string(), list.joined()));
        self.kept[self.begun - 1].1 = Some(Kept::of(lists.collect::<BTreeMap<_, _>>()));
    }
}
