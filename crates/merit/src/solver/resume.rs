//! Where a run begins, and what of it is kept on the way: `C`, the residuals as they are (rounding has its history), and the numbers
//! of all steps so far.
//!
//! Where several processes share the columns, the first keeps the state of all, which it [asks for](super::shared_state) some columns at a
//! time. All go on with it, be they as many or not: each reads what is of its own columns.

use super::feasible::FeasibleColumns;
use super::residuals::{Residuals, are_stored};
use super::settings::StoredResiduals;
use super::shared_state::SharedState;
use super::stopping::Stopping;
use super::{CheckedSettings, Problem, Solution, Start};
use crate::checkpoint::{Kept, KeptColumns, State, lengths, rows_as_values, rows_of_values};
use crate::progress::{Observer, Progress, StopReason};
use merit_linalg::SparseColumns;
use merit_linalg::shards::Shards;
use std::time::Duration;

const COLUMNS: [&str; 3] = ["c_lengths", "c_rows", "c_values"];

/// A run before its next step.
pub(super) struct Beginning<'a> {
    pub(super) C: SparseColumns,
    pub(super) R: Residuals<'a>,
    pub(super) feasible: bool,
    pub(super) start_iteration: usize,
    pub(super) record: Record,
}

/// Begins where the run was cut off, or at its start; a run that ended in an earlier process gives its solution.
pub(super) fn begin<'a>(
    problem: Problem<'a>,
    start: Start,
    settings: &CheckedSettings,
    stopping: &mut Stopping,
    observer: &mut dyn Observer,
) -> Result<Beginning<'a>, Box<Solution>> {
    let Problem { X, columns, .. } = problem;
    let which =
        || format!("Frank-Wolfe on {} x {} at regularization {:e}", X.rows(), X.cols(), settings.regularization());
    let kept = observer.keeper().map(|keeper| keeper.begin(&which()));
    let mut record = Record { kept: kept.is_some(), ..Default::default() };
    let found = kept.flatten().and_then(|kept| Found::of(&kept, problem, settings.stored_residuals));
    if let Some(found) = found_by_all(columns, found) {
        let Found { C, R, start_iteration, record, end } = found;
        // Who watches sees it all again. Whether they wanted the end then does not matter now.
        record.rows.iter().for_each(|row| _ = stopping.verdict(row, observer));
        let C = C.into_matrix();
        let Some((stop, objective, gap)) = end else {
            let R = R.unwrap_or_else(|| Residuals::of(problem, &C, settings.stored_residuals));
            return Ok(Beginning { C, R, feasible: true, start_iteration, record });
        };
        let (c, iterations) = (FeasibleColumns::known(C), record.rows.last().map_or(0, |row| row.iteration));
        return Err(Box::new(Solution { c, stop, iterations, start_iteration, objective, gap, search: None }));
    }
    let (C, feasible) = match start {
        Start::Zero => (SparseColumns::zeros_of(columns), false),
        Start::Columns(C) => (C.into_inner(), true),
    };
    let C = C.share(columns);
    let R = Residuals::of(problem, &C, settings.stored_residuals);
    record.start_iteration = settings.start_iteration.unwrap_or_else(|| if feasible { R.start_iteration() } else { 0 });
    Ok(Beginning { C, R, feasible, start_iteration: record.start_iteration, record })
}

/// Why a run ended, its objective and its gap.
type End = (StopReason, f64, Option<f64>);

/// What a process reads of a kept state: of `C` and the residuals, where these are stored and still needed, what is of its own columns.
struct Found<'a> {
    C: KeptColumns,
    R: Option<Residuals<'a>>,
    start_iteration: usize,
    record: Record,
    /// How the run ended, if it did.
    end: Option<End>,
}

impl<'a> Found<'a> {
    /// Nothing if this is no state of a run on this `X`.
    fn of(kept: &Kept, problem: Problem<'a>, choice: StoredResiduals) -> Option<Self> {
        let Problem { X, columns, .. } = problem;
        let C = kept.columns(COLUMNS, columns)?;
        let &[stop, objective, gap, last_step, elapsed] = &kept.values("numbers", 5)?[..] else { return None };
        let &[start_iteration] = &kept.counts("start_iteration", 1)?[..] else { return None };
        let rows = rows_of_values(&kept.any_values("steps")?)?;
        let number = |value: f64| Some(value).filter(|value| !value.is_nan());
        let end = match number(stop) {
            None => None,
            Some(stop) => Some((*StopReason::ALL.get(stop as usize)?, objective, number(gap))),
        };
        let R = match end {
            None if are_stored(X, choice) => {
                Some(Residuals::resumed(problem, rows.len(), |first, R| kept.fill("r", X.cols(), first, R))?)
            }
            _ => None,
        };
        let (start_iteration, elapsed) = (start_iteration as usize, Duration::try_from_secs_f64(elapsed).ok()?);
        let record = Record { kept: true, rows, last_step: number(last_step), start_iteration, elapsed };
        Some(Self { C, R, start_iteration, record, end })
    }
}

/// What was found, if all processes have found the same state: one may have had to take the one before.
fn found_by_all(columns: Shards, found: Option<Found>) -> Option<Found> {
    let which = found.as_ref().map_or(0, |found| 1 + 2 * found.record.rows.len() + usize::from(found.end.is_some()));
    let mut largest = [which as u64];
    columns.ranks().max(&mut largest);
    let differs = columns.ranks().any(which as u64 != largest[0]);
    found.filter(|_| !differs)
}

/// The steps of a run that is kept; of one that is not, nothing.
#[derive(Default)]
pub(super) struct Record {
    kept: bool,
    rows: Vec<Progress>,
    last_step: Option<f64>,
    start_iteration: usize,
    /// Time that earlier processes spent on this run.
    elapsed: Duration,
}

impl Record {
    /// Steps taken before, and the size of the last one.
    pub(super) fn last_step(&self) -> (usize, Option<f64>) {
        (self.rows.len(), self.last_step)
    }

    /// Time that earlier processes spent on this run.
    pub(super) fn elapsed_before(&self) -> Duration {
        self.elapsed
    }

    /// After a search.
    pub(super) fn add(&mut self, progress: Progress) {
        if self.kept {
            self.rows.push(progress);
        }
    }

    /// After a step.
    pub(super) fn step(&mut self, size: f64) {
        self.last_step = Some(size);
    }

    /// Between two steps.
    pub(super) fn keep_if_due(&self, observer: &mut dyn Observer, C: &SparseColumns, R: &Residuals) {
        if self.first_says(C, observer.keeper().is_some_and(|keeper| keeper.is_due())) {
            self.keep(observer, C, R);
        }
    }

    /// The same now, for a run that ends before its time.
    pub(super) fn keep(&self, observer: &mut dyn Observer, C: &SparseColumns, R: &Residuals) {
        self.write(observer, C, Some(R), None);
    }

    /// After the last search.
    pub(super) fn keep_result(
        &mut self,
        observer: &mut dyn Observer,
        C: &SparseColumns,
        last: Progress,
        (stop, objective): (StopReason, f64),
    ) {
        let (gap, spent) = (last.gap, last.elapsed);
        if self.first_says(C, observer.keeper().is_some_and(|keeper| keeper.wants_result(spent))) {
            self.add(last);
            self.write(observer, C, None, Some((stop, objective, gap)));
        }
    }

    /// What the first of several processes says, who looks at its own clock; of a run that is not kept, no.
    fn first_says(&self, C: &SparseColumns, yes: bool) -> bool {
        let ranks = C.columns().ranks();
        self.kept && ranks.any(yes && ranks.rank() == 0)
    }

    fn write(&self, observer: &mut dyn Observer, C: &SparseColumns, R: Option<&Residuals>, end: Option<End>) {
        let Some(keeper) = observer.keeper() else { return };
        let shared = SharedState::of(C, R);
        if let Some(shared) = shared.as_ref().filter(|shared| !shared.is_first()) {
            return shared.hand_over();
        }
        let (stop, objective, gap) = end.map_or((f64::NAN, f64::NAN, f64::NAN), |(stop, objective, gap)| {
            let place = StopReason::ALL.iter().position(|&other| other == stop).expect("it is one of all");
            (place as f64, objective, gap.unwrap_or(f64::NAN))
        });
        let elapsed = self.rows.last().map_or(self.elapsed, |row| row.elapsed);
        let numbers = [stop, objective, gap, self.last_step.unwrap_or(f64::NAN), elapsed.as_secs_f64()];
        let counts;
        let (start_iteration, steps) = ([self.start_iteration as u64], rows_as_values(&self.rows));
        let state = match &shared {
            Some(shared) => shared.columns_in(COLUMNS, State::default()),
            None => {
                counts = lengths(C);
                State::default().columns(COLUMNS, C, &counts)
            }
        };
        let state =
            state.values("numbers", &numbers).counts("start_iteration", &start_iteration).values("steps", &steps);
        keeper.keep(&match (&shared, R.and_then(Residuals::stored)) {
            (_, None) => state,
            (None, Some(R)) => state.values("r", R.values()),
            (Some(shared), Some(_)) => shared.residuals_in("r", state),
        });
    }
}
