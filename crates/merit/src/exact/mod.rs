//! The optimum itself, with a lower bound at every step.
//!
//! ```text
//! minimize F(C) = 1/2 ||X - X C||_F^2 + lambda * sum_n max_l C(n,l)   over C >= 0, columns summing to 1
//! ```
//!
//! This is the problem of the [solver](crate::solver) without smoothing. Where Frank-Wolfe comes near to the optimum like 1/steps and
//! knows little about the distance, this method (ADMM on `C = D`) reaches it, and every pass gives a `C` with `F(C)` and a number
//! that `F` cannot go below.
//!
//! The dual variable of ADMM is `N x N`, but it is `B'P + 1p' + E` with `E` sparse, and `D` is sparse too: memory is `16 M N`
//! beside `X` and 20 bytes per nonzero (some 200 per column in the first passes, 40 later). A pass computes all `N^2` products of columns of `X` and `P`, at the speed
//! of a Frank-Wolfe step. docs/src/design/exact.md has the derivation.
//!
//! ```
//! use merit::exact::{Settings, Start, Workspace};
//! use merit::progress::Interrupt;
//! use merit::{DataMatrix, DenseMatrix};
//!
//! // Two pure columns and their mixture.
//! let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5, 0.0, 1.0]));
//! let settings = Settings { gap: 1e-6, ..Default::default() };
//! let found = Workspace::new(&x).solve(0.01, Start::Zero, &settings, &mut (), &Interrupt::never()).unwrap();
//! assert!((found.objective - 0.01995).abs() < 1e-6); // 2 lambda - lambda^2 / 2: nearly lambda for each pure column
//! assert!(found.lower_bound <= 0.01995 && found.relative_gap() <= 1e-6);
//! # Ok::<(), merit::settings::SettingError>(())
//! ```

#![allow(non_snake_case)] // X, C, D, E, P as in docs/src/design/exact.md

mod memory;
mod pass;
mod problem;
mod resume;
mod rows;
mod start;
mod sweep;
#[cfg(test)]
mod tests;

pub use memory::needed_bytes;
pub(crate) use memory::{check as check_memory, dwarfs};

use crate::progress::{Interrupt, Observer, Progress, StopReason};
use crate::settings::Declaration;
use crate::solver::{FeasibleColumns, KernelChoice, Pruning, hull_columns};
use merit_linalg::kernels::Kernel;
use merit_linalg::{DataMatrix, DenseMatrix, SparseColumns};
use pass::Pass;
use problem::Problem;
use resume::Run;
use rows::{Feasible, Rows, row_maxima};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use sweep::Sweep;

/// Only this method uses them.
const EXACT: &[&str] = &["exact"];

crate::settings! {
    /// When the exact solver stops.
    pub struct Settings {
        /// Stop when the objective is at most this fraction above the optimum
        gap: f64 = 1e-3, Declaration::new("PART").within(0.0, 1.0, "a number from 0 to 1").of(EXACT);
        /// Maximum number of passes over all pairs of columns
        passes: usize = 500, Declaration::new("PASSES").at_least_one().of(EXACT);
    }
}

/// Steps without over-relaxation, and what it is then.
const PLAIN_STEPS: usize = 5;
const RELAXATION: f64 = 1.7;
/// `kappa` is one for so many rows.
const KAPPA_ROWS: f64 = 250.0;
/// `F` of what a pass gives is computed after so many, and at the end.
const FIT_PASSES: usize = 4;
/// Passes that the hull of the columns must pay for, where more are allowed.
const USUAL_PASSES: usize = 80;
/// Passes after which progress is looked at, and the part of the gap that may be left by then.
const STALL_PASSES: usize = 20;
const STALL_GAP: f64 = 0.75;

/// Where it starts.
#[derive(Debug)]
pub enum Start {
    /// `C = 0`.
    Zero,
    /// A feasible `C`, of SPA's refit or of Frank-Wolfe.
    Columns(FeasibleColumns),
    /// Where another run on the same `X` ended, at this lambda or another.
    State(State),
}

/// All that the method knows between two passes.
#[derive(Clone, Debug)]
pub struct State {
    rows: Rows,
    P: DenseMatrix,
    p: Vec<f64>,
    rho: f64,
    relaxation: f64,
}

/// Both bounds after a pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Passes so far.
    pub pass: usize,
    /// The least `F(C)` so far, if there was a feasible `C`.
    pub upper: Option<f64>,
    /// The largest lower bound on `F` so far.
    pub lower: f64,
}

/// What was found, and what is known about it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ExactSolution {
    /// The best feasible `C`.
    pub c: FeasibleColumns,
    /// `F(C)`: without smoothing.
    pub objective: f64,
    /// No feasible `C` has an `F` below this.
    pub lower_bound: f64,
    /// Passes made.
    pub passes: usize,
    /// Why it ended.
    pub stop: StopReason,
    /// Both bounds, a line for each pass.
    pub trace: Vec<Bounds>,
    /// For a start at another lambda; none if it was interrupted before the first pass.
    pub state: Option<State>,
}

impl ExactSolution {
    /// Where it starts, if there was no time for more.
    fn given(c: FeasibleColumns, X: &DataMatrix, lambda: f64) -> Self {
        let (objective, stop) = (objective(X, &c, lambda), StopReason::Interrupted);
        Self { c, objective, lower_bound: 0.0, passes: 0, stop, trace: Vec::new(), state: None }
    }

    /// `(F(C) - lower bound) / F(C)`: what part of `F(C)` there may be to gain.
    pub fn relative_gap(&self) -> f64 {
        relative_gap(self.objective, self.lower_bound)
    }
}

/// `(objective - lower bound) / objective`; 0 where the objective is.
pub fn relative_gap(objective: f64, lower_bound: f64) -> f64 {
    if objective > 0.0 { ((objective - lower_bound) / objective).max(0.0) } else { 0.0 }
}

/// `F(C)`: the objective without smoothing.
pub fn objective(X: &DataMatrix, c: &SparseColumns, lambda: f64) -> f64 {
    let columns = merit_linalg::shards::Shards::new(X.cols());
    let squares = columns.map(|range| {
        let mut r = vec![0.0; X.rows()];
        range.fold(0.0, |sum, l| {
            r.fill(0.0);
            let (rows, values) = c.col(l);
            rows.iter().zip(values).for_each(|(&n, &value)| X.add_to(n as usize, value, &mut r));
            X.add_to(l, -1.0, &mut r);
            sum + merit_linalg::dense::dot(&r, &r)
        })
    });
    0.5 * squares.iter().sum::<f64>() + lambda * columns.sum(|n| c.row_max(n))
}

/// What several runs on the same `X` share.
pub struct Workspace<'a> {
    X: &'a DataMatrix,
    kernel: KernelChoice,
    pruning: Pruning,
    time_limit: Option<Duration>,
    problem: Option<Problem<'a>>,
}

impl<'a> Workspace<'a> {
    /// Nothing is made before the first run.
    pub fn new(X: &'a DataMatrix) -> Self {
        Self { X, kernel: KernelChoice::Fastest, pruning: Pruning::Measured, time_limit: None, problem: None }
    }

    /// With this kernel; the result is the same.
    pub fn kernel(mut self, kernel: KernelChoice) -> Self {
        self.kernel = kernel;
        self
    }

    /// Whether columns inside the convex hull are left out of the rows of `C`: they are mixtures of others, and the optimum
    /// needs none of them.
    pub fn pruning(mut self, pruning: Pruning) -> Self {
        self.pruning = pruning;
        self
    }

    /// Runs end after this time.
    pub fn time_limit(mut self, limit: Option<Duration>) -> Self {
        self.time_limit = limit;
        self
    }

    /// `X`.
    pub fn data(&self) -> &'a DataMatrix {
        self.X
    }

    /// Solves at `lambda`. Observers see every pass and may end it; with the flag it ends within a pass. There is no solution
    /// if it ends before there is a feasible `C`.
    pub fn solve(
        &mut self,
        lambda: f64,
        start: Start,
        settings: &Settings,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Option<ExactSolution> {
        let kernel = match self.kernel {
            KernelChoice::Scalar => None,
            KernelChoice::Fastest => Some(Kernel::best()),
            KernelChoice::Use(kernel) => Some(kernel),
        };
        let mut limits =
            Limits { settings, time_limit: self.time_limit, clock: Instant::now(), before: Duration::ZERO };
        if self.problem.is_none() {
            let passes = settings.passes.min(USUAL_PASSES);
            let hull = match self.X {
                DataMatrix::Sparse(_) => None,
                x => hull_columns(x, portable(), self.pruning, passes, interrupt),
            };
            if interrupt.asked() {
                let Start::Columns(c) = start else { return None };
                return Some(ExactSolution::given(c, self.X, lambda));
            }
            let (rows, off) = hull.map_or((None, 0.0), |(rows, off)| (Some(rows), off));
            self.problem = Some(Problem::new(self.X, rows, off));
        }
        let problem = self.problem.as_ref().expect("it has just been made");
        // From inside the thread pool, which costs to enter.
        rayon::join(|| admm(problem, lambda, start, kernel, &mut limits, observer, interrupt), || ()).0
    }
}

/// The kernel that finds the hull: which columns that leaves is part of the result, which is the same on every machine.
fn portable() -> Kernel {
    *Kernel::available().last().expect("the portable kernel runs everywhere")
}

/// When to stop.
struct Limits<'a> {
    settings: &'a Settings,
    time_limit: Option<Duration>,
    clock: Instant,
    /// Time that earlier processes spent on this run.
    before: Duration,
}

impl Limits<'_> {
    fn elapsed(&self) -> Duration {
        self.before + self.clock.elapsed()
    }

    /// The goal first, then the caller, then limits.
    fn verdict(&self, bounds: &Bounds, asked: ControlFlow<()>) -> Option<StopReason> {
        let upper = bounds.upper?;
        if relative_gap(upper, bounds.lower) <= self.settings.gap {
            Some(StopReason::GapReached)
        } else if asked.is_break() {
            Some(StopReason::Interrupted)
        } else if bounds.pass >= self.settings.passes {
            Some(StopReason::IterationLimit)
        } else if self.time_limit.is_some_and(|limit| self.elapsed() >= limit) {
            Some(StopReason::TimeLimit)
        } else {
            None
        }
    }
}

/// The best feasible point so far.
#[derive(Debug)]
enum Best {
    Given(FeasibleColumns),
    Found(Feasible),
}

fn admm(
    problem: &Problem,
    lambda: f64,
    start: Start,
    kernel: Option<Kernel>,
    limits: &mut Limits,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Option<ExactSolution> {
    let (N, R) = (problem.X().cols(), problem.rows());
    let rho = problem.rho(lambda);
    if lambda == 0.0 {
        return Some(identity(start::state(problem, Start::Zero, rho)));
    }
    let drop = (0.01 * limits.settings.gap).clamp(1e-9, 1e-5);
    let inverse = problem.inverse(rho);
    let mut given = match &start {
        Start::Columns(C) => Some((objective(problem.original(), C, lambda), Best::Given(C.clone()))),
        _ => None,
    };
    let resumed = Run::resumed(problem, rho, lambda, &mut given, observer);
    let mut is_warm = resumed.is_some() || matches!(start, Start::State(_));
    let mut run =
        resumed.unwrap_or_else(|| Run::new(start::state(problem, start, rho), given, (R as f64 / KAPPA_ROWS).max(1.0)));
    limits.before = run.elapsed();
    // What is kept is a state between two passes, so with a keeper a pass is completed before it ends.
    let keeps = observer.keeper().is_some();
    let within_pass = if keeps { Interrupt::never() } else { interrupt.clone() };
    let mut most = None; // the largest sum of a row in the last pass; none before the first
    let stop = loop {
        if let Some(stop) = run.ended {
            break stop; // in an earlier process
        }
        if !is_warm {
            let Run { state, best, bounds, kappa, trace, .. } = &mut run;
            let relaxation = if bounds.pass < PLAIN_STEPS { 1.0 } else { RELAXATION };
            state.relaxation = relaxation;
            let with_fit =
                bounds.pass > 0 && bounds.pass.is_multiple_of(FIT_PASSES) || bounds.pass >= limits.settings.passes;
            let (rows, kappa_now) = (&state.rows, *kappa);
            let sweep = Sweep { problem, rows, rho, kappa: kappa_now, relaxation, inverse: &inverse, drop, with_fit };
            let sums = sweep.run(&mut state.P, &mut state.p);
            if let Some(most) = most {
                let limit = if most > 0.0 { lambda / (rho * most) } else { f64::INFINITY };
                let upper = bounds.upper;
                let bound = sums.lower_bound(limit) - perturbed(problem.perturbation, upper);
                bounds.lower = bounds.lower.max(bound);
                if with_fit && sums.is_feasible() {
                    let value = sums.fit + lambda * row_maxima(&state.rows, &sums.columns);
                    if best.as_ref().is_none_or(|best| value < best.0) {
                        *best = Some((value, Best::Found(Feasible::of(&state.rows, &sums.columns))));
                        bounds.upper = Some(value);
                    }
                }
            }
            if bounds.pass > 0 {
                trace.push(*bounds);
            }
            let (nnz, nonempty_rows) = state.rows.count();
            let progress = Progress {
                objective: bounds.upper,
                gap: bounds.upper.map(|upper| upper - bounds.lower),
                nnz,
                nonempty_rows,
                moving_columns: N,
                candidates: R,
                pairs: R as u64 * N as u64,
                ..Progress::of_step(bounds.pass, limits.elapsed())
            };
            let asked = observer.iteration(&progress);
            let interrupted = (keeps && interrupt.asked()).then_some(StopReason::Interrupted);
            let stop = limits.verdict(bounds, asked).or(interrupted);
            *kappa = slower_if_stalled(*kappa, trace);
            if keeps {
                run.passes.push(progress);
            }
            run.keep(stop, observer);
            if let Some(stop) = stop {
                break stop;
            }
        }
        is_warm = false;
        let State { rows, P, p, relaxation, .. } = &mut run.state;
        let pass = Pass { problem, P, p, tau: lambda / rho, relaxation: *relaxation, drop };
        most = pass.run(rows, kernel, &within_pass);
        if most.is_none() {
            break StopReason::Interrupted;
        }
        run.bounds.pass += 1;
    };
    let Run { state, best, bounds, trace, .. } = run;
    let (objective, c) = best?;
    let c = match c {
        Best::Given(c) => c,
        Best::Found(found) => FeasibleColumns::known(found.columns(N, |i| problem.column(i) as u32)),
    };
    let (lower_bound, passes) = (bounds.lower.min(objective), bounds.pass);
    Some(ExactSolution { c, objective, lower_bound, passes, stop, trace, state: Some(state) })
}

/// The optimum without a penalty: every column explains itself, and `F` is zero.
fn identity(state: State) -> ExactSolution {
    let c = SparseColumns::from_columns(state.p.len(), |l, entries| entries.push((l as u32, 1.0)));
    let (c, stop, trace) = (FeasibleColumns::known(c), StopReason::GapReached, Vec::new());
    ExactSolution { c, objective: 0.0, lower_bound: 0.0, passes: 0, stop, trace, state: Some(state) }
}

/// What `F*` may differ by where residuals differ by `size` in the Frobenius norm: `r` becomes `r + size` at most.
fn perturbed(size: f64, upper: Option<f64>) -> f64 {
    if size == 0.0 { 0.0 } else { size * (2.0 * upper.unwrap_or(f64::INFINITY)).sqrt() + 0.5 * size * size }
}

/// Half of `kappa`, but at least 1, where the gap has hardly changed for some passes.
fn slower_if_stalled(kappa: f64, trace: &[Bounds]) -> f64 {
    let gap = |bounds: &Bounds| bounds.upper.map(|upper| upper - bounds.lower);
    match trace {
        [.., last] if last.pass.is_multiple_of(STALL_PASSES) && trace.len() > STALL_PASSES => {
            let before = &trace[trace.len() - 1 - STALL_PASSES];
            let stalled = gap(last).zip(gap(before)).is_none_or(|(now, then)| now > STALL_GAP * then);
            if stalled { (kappa / 2.0).max(1.0) } else { kappa }
        }
        _ => kappa,
    }
}
