//! The main job as one call: `X` to anchors, factors and certificate.

mod automatic;
mod request;
mod search;
mod start;

pub use request::{Error, Initial, Method, Request, Stage, ZeroColumns};
pub use start::spa_start;

use crate::automatic::{Candidate, Regularization, SpaFit};
use crate::least_squares::{self, DEFAULT_TOLERANCE, LeastSquares};
use crate::methods::fast_gradient;
use crate::preprocess::{Prepared, Preprocessing, distinct_columns, square};
use crate::rank::RankEstimate;
use crate::selection::{Selection, largest_rows};
use crate::solver::{Observer, Progress, Settings, Solution, StopReason, Trace, Workspace};
use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, DenseMatrix};
use start::initial_columns;
use std::time::Instant;

/// What a run found.
#[derive(Debug)]
pub struct Run<'a> {
    /// How they were found.
    pub method: Method,
    /// The anchors, numbered as the columns of `X`: largest row norm first (other methods' in the order taken).
    pub anchors: Vec<usize>,
    /// What the [method](crate::methods) went by, an anchor each; empty for MERIT.
    pub scores: Vec<f64>,
    /// Where FastGradient ended; its columns are those that it saw.
    pub fast_gradient: Option<fast_gradient::Found>,
    /// `||C(n,:)||_inf` for every column of `X`; empty for other methods than MERIT.
    pub row_norms: Vec<f64>,
    /// The estimate of `K`, when it was left out.
    pub rank_estimate: Option<RankEstimate>,
    /// The sets that automatic rules considered.
    pub candidates: Vec<Candidate>,
    /// Lambda of the solution.
    pub regularization: Option<f64>,
    /// The solver's result, over the columns that it saw; none for other methods.
    pub solution: Option<Solution>,
    /// Why the work as a whole ended: of several runs the best may have been complete when the next was cut short.
    pub stop: Option<StopReason>,
    /// The solver's path to it.
    pub trace: Vec<Progress>,
    /// `W = X(:, anchors)`, scaled as asked for.
    pub w: DenseMatrix,
    /// `H` and how well it solves its problem.
    pub h: LeastSquares,
    /// `||X||_F^2` of the matrix that `W H` stands for.
    pub square: f64,
    /// The matrix that was factored and what was done to it.
    pub prepared: Prepared<'a>,
    /// What the user should know.
    pub notes: Vec<String>,
    /// Seconds of each stage, by [`Stage::name`].
    pub seconds: Vec<(&'static str, f64)>,
}

impl Run<'_> {
    /// `1 - ||X - W H||_F / ||X||_F`.
    pub fn rae(&self) -> f64 {
        1.0 - (self.h.squared_residual / self.square).sqrt()
    }

    /// Column `l` of `C`, both numbered as the columns of `X`, rows rising; empty for a zero column that was kept out.
    pub fn c_column(&self, l: usize, entries: &mut Vec<(u32, f64)>) {
        entries.clear();
        if let Some(solution) = &self.solution {
            self.prepared.column_of(&solution.c, l, entries);
        }
    }
}

/// Finds anchors and factors of `x` as asked. `observer` sees every stage and iteration, and may end the run, which then
/// gives what there is.
///
/// ```
/// use merit::automatic::Regularization;
/// use merit::solver::StopReason;
/// use merit::{DataMatrix, DenseMatrix, Request, factor};
/// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5, 0.0, 1.0]));
/// let request = Request { rank: Some(2), regularization: Regularization::Value(1e-3), ..Default::default() };
/// let run = factor(&x, &request, &mut ())?;
/// assert_eq!(run.anchors.len(), 2);
/// assert!((run.h.h.get(0, 1) - 0.5).abs() < 1e-12);
/// assert_eq!(run.solution.as_ref().unwrap().stop, StopReason::IterationLimit);
/// # Ok::<(), merit::Error>(())
/// ```
pub fn factor<'a>(x: &'a DataMatrix, request: &Request, observer: &mut dyn Observer) -> Result<Run<'a>, Error> {
    check(x, request)?;
    // On one thread of the pool: what one stage has freed, the next one gets (allocators keep memory by thread).
    rayon::join(|| run_stages(x, request, observer), || ()).0
}

fn run_stages<'a>(x: &'a DataMatrix, request: &Request, observer: &mut dyn Observer) -> Result<Run<'a>, Error> {
    let mut job = Job { request, observer, clock: Instant::now(), seconds: Vec::new(), cut_short: None };
    let prepared = job.timed(Stage::Prepare, |_| {
        let by_number = matches!(request.regularization, Regularization::Value(_)) && request.method == Method::Merit;
        let steps = Preprocessing {
            normalize: request.normalize,
            drop_zero_columns: match request.zero_columns {
                ZeroColumns::Auto => !by_number,
                ZeroColumns::Drop => true,
                ZeroColumns::Keep => false,
            },
            merge_duplicates: request.merge_duplicates,
            reduce: request.reduce,
        };
        Prepared::of(x, &steps)
    })?;
    let problem = prepared.problem();
    let mut workspace = Workspace::new(problem); // all runs of the solver share the hull
    let initial = initial_columns(&request.initial, &prepared)?;
    let mut notes = Vec::new();
    let mut best: Option<(Solution, Trace)> = None;

    let mut rank_estimate = None;
    let rank = match request.rank {
        Some(rank) => rank,
        None => {
            let (estimate, run) = job.timed(Stage::Rank, |job| job.estimate_rank(&mut workspace));
            if job.cut_short.is_some() {
                best = Some(run); // there will be no other
            }
            let rank = estimate.rank;
            rank_estimate = Some(estimate);
            rank
        }
    };
    let distinct = distinct_columns(problem, rank + 1) - usize::from(job.has_zero_column(&prepared));
    if rank > distinct {
        return Err(Error::FewDistinct { rank, distinct });
    }
    let eligible = |n: usize| request.zero_columns == ZeroColumns::Keep || problem.squared_norm(n) > 0.0;

    let mut candidates = Vec::new();
    let mut anchors = Vec::new();
    let mut scores = Vec::new();
    let mut found = None;
    let mut regularization = None;
    match (request.method, request.regularization) {
        (method, _) if method != Method::Merit => {
            best = None; // of the rank's estimate, which is not this method's
            (Selection { anchors, scores }, found) = job.search(problem, rank)?;
        }
        (_, Regularization::Value(lambda)) => {
            if best.is_none() {
                best = Some(job.solve(&mut workspace, rank, initial, lambda)?);
            }
            regularization = Some(lambda);
        }
        (_, Regularization::Paper) => {
            let lambda = job.timed(Stage::Spa, |_| SpaFit::of(problem, rank)).paper();
            if best.is_none() {
                best = Some(job.solve(&mut workspace, rank, initial, lambda)?);
            }
            regularization = Some(lambda);
        }
        (_, rule) => {
            let automatic = job.automatic(&mut workspace, rank, rule, initial, eligible)?;
            notes.extend(automatic.notes(rank, problem));
            (candidates, anchors) = (automatic.candidates, automatic.anchors);
            if let Some((run, lambda)) = automatic.best {
                (best, regularization) = (Some(run), Some(lambda));
            }
        }
    }

    drop(workspace);
    let norms = best.as_ref().map(|(solution, _)| solution.c.row_inf_norms()).unwrap_or_default();
    if anchors.is_empty() {
        anchors = largest_rows(&norms, rank, eligible);
    }
    let mut row_norms = vec![0.0; if norms.is_empty() { 0 } else { x.cols() }];
    norms.iter().enumerate().for_each(|(i, &norm)| row_norms[prepared.original(i)] = norm);
    anchors.iter_mut().for_each(|n| *n = prepared.original(*n));
    for candidate in &mut candidates {
        candidate.anchors.iter_mut().for_each(|n| *n = prepared.original(*n));
    }

    let (w, h) = job.timed(Stage::Factors, |_| {
        let w = prepared.full.dense_columns(&anchors);
        let h = least_squares::solve(&prepared.full, &w, request.weights, DEFAULT_TOLERANCE);
        (w, h)
    });
    if let Some((solution, _)) = &best {
        let asked = request.solver.gap_tolerance.zip(solution.gap).filter(|_| solution.stop != StopReason::GapReached);
        if let Some((asked, gap)) = asked {
            notes.push(format!(
                "stopped ({}) after {} iterations with gap {gap:.3e} (asked for {asked:.3e}); the anchors may still change",
                solution.stop, solution.iterations
            ));
        }
    }
    describe(&mut notes, x, &prepared, request, &h, rank_estimate.as_ref());
    let square = square(&prepared.full);
    let finished = found.as_ref().map(|_| StopReason::IterationLimit);
    let stop = job.cut_short.or(best.as_ref().map(|(solution, _)| solution.stop)).or(finished);
    let (solution, trace) = best.map(|(solution, trace)| (Some(solution), trace.rows)).unwrap_or_default();
    let seconds = job.seconds;
    Ok(Run {
        method: request.method,
        anchors,
        scores,
        fast_gradient: found,
        row_norms,
        rank_estimate,
        candidates,
        regularization,
        solution,
        stop,
        trace,
        w,
        h,
        square,
        prepared,
        notes,
        seconds,
    })
}

/// What every part of a run shares.
struct Job<'r> {
    request: &'r Request,
    observer: &'r mut dyn Observer,
    clock: Instant,
    seconds: Vec<(&'static str, f64)>,
    /// Why a run of the solver ended before its time, if one did.
    cut_short: Option<StopReason>,
}

impl Job<'_> {
    fn timed<T>(&mut self, stage: Stage, work: impl FnOnce(&mut Self) -> T) -> T {
        self.observer.stage(&stage);
        let clock = Instant::now();
        let result = work(self);
        let seconds = clock.elapsed().as_secs_f64();
        match self.seconds.iter_mut().find(|(name, _)| *name == stage.name()) {
            Some((_, total)) => *total += seconds,
            None => self.seconds.push((stage.name(), seconds)),
        }
        result
    }

    fn has_zero_column(&self, prepared: &Prepared) -> bool {
        self.request.zero_columns != ZeroColumns::Keep
            && prepared.record.zero_columns > 0
            && !prepared.record.zero_columns_dropped
    }
}

fn check(x: &DataMatrix, request: &Request) -> Result<(), Error> {
    let (rows, cols) = (x.rows(), x.cols());
    if rows == 0 || cols == 0 {
        return Err(Error::Empty { rows, cols });
    }
    if let Some(rank) = request.rank.filter(|&rank| rank == 0 || rank > cols) {
        return Err(Error::Rank { rank, cols });
    }
    let columns = Shards::new(cols);
    let bad = |l: usize| x.stored_col(l).iter().copied().find(|v| !v.is_finite());
    let found = columns.map(|mut range| range.find_map(|l| bad(l).map(|value| (l, value))));
    if let Some((column, value)) = found.into_iter().flatten().next() {
        return Err(Error::NotFinite { column, value });
    }
    let largest = columns.max(0.0, |l| x.stored_col(l).iter().fold(0.0, |top, v| top.max(v.abs())));
    if largest > 0.0 && !(1e-130..1e130).contains(&largest) {
        return Err(Error::Scale(largest));
    }
    let lambda = if let Regularization::Value(lambda) = request.regularization { lambda } else { 0.0 };
    Settings { regularization: lambda, ..request.solver.clone() }.check()?;
    Ok(())
}

/// Says what a user would ask about.
fn describe(
    notes: &mut Vec<String>,
    x: &DataMatrix,
    prepared: &Prepared,
    request: &Request,
    h: &LeastSquares,
    estimate: Option<&RankEstimate>,
) {
    let record = &prepared.record;
    if record.zero_columns > 0 {
        let first: Vec<String> = record.first_zero_columns.iter().take(5).map(usize::to_string).collect();
        let more = if record.zero_columns > first.len() { ", ..." } else { "" };
        let done = match (record.zero_columns_dropped, request.zero_columns) {
            (true, _) => "kept out of the problem; their columns of H are the best weights for a zero column",
            (false, ZeroColumns::Keep) => "treated like any other column, as asked",
            (false, _) => {
                "part of the problem as it was given, but never anchors (leave them out with --zero-columns drop)"
            }
        };
        notes.push(format!("{} zero columns ({}{more}): {done}", record.zero_columns, first.join(", ")));
    }
    if record.merged_columns > 0 {
        notes.push(format!("{} columns were merged into an earlier, (nearly) equal one", record.merged_columns));
    }
    if let (Some(rows), Some(energy)) = (record.reduced_rows, record.reduced_energy) {
        notes.push(format!(
            "reduced to {rows} dimensions, which hold {:.4} % of the squared entries; W and H are those of the full matrix",
            100.0 * energy
        ));
    }
    if x.has_negative() {
        notes.push("the matrix has negative entries, so W may have them too".to_string());
    }
    if h.unconverged > 0 {
        notes.push(format!(
            "{} columns of H reached only a violation of {:.1e} (asked for {:.1e})",
            h.unconverged, h.violation, h.tolerance
        ));
    }
    if let Some(estimate) = estimate.filter(|estimate| !estimate.clear) {
        notes.push(format!(
            "there is no clear gap that would give the rank: {} is a guess; give --rank if you know better",
            estimate.rank
        ));
    }
}
