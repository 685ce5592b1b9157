//! Algorithm 1 of the paper (MERIT), and its case without regularization, MERIT(0).
//!
//! ```text
//! minimize f(C) = 1/2 ||X - X C||_F^2 + lambda * Phi_mu(C)   over C >= 0, columns summing to 1
//! Phi_mu(C)     = sum_n mu log( 1/N sum_i exp(C(n,i)/mu) )   (a smooth sum of row maxima)
//! ```
//!
//! The authors' programs leave out the 1/2: **our lambda, objective and gap are half of theirs.**
//!
//! Each iteration costs one product `X' R` (`2 M N^2` operations) with the minimum of every column, and `O(nnz(C) + M N)`
//! besides; for sparse `X`, `2 nnz(X) N`. Memory: `X`, the residuals `R = X C - X` (`8 M N`; only where that is not far more than
//! `X`), a packed `f32` copy of `X` (`4 M N`, sparse 8 bytes per nonzero) or `X'X` (only where that is not larger than residuals may be), and `C`
//! (12 bytes per nonzero). Nothing else is `N x N`.
//!
//! | word | symbol | meaning |
//! |---|---|---|
//! | `regularization` | lambda | weight of the row-sparsity term; not a setting but part of the problem |
//! | `smoothing` | mu | how sharply the row maximum is approximated |
//! | `iterations` | T | steps to take at most |
//! | `start_iteration` | t_init | number of the first step, which sets its size `2 / (t + 2)` |
//! | `residual_tolerance` | eta + 2 delta | a column that fits this well stops moving |
//! | `gap` | | `sum_l <g_l, c_l - e_j>`, at least `f(C) - f*` |
//!
//! ```
//! use merit::solver::{Settings, Start, solve};
//! use merit::{DataMatrix, DenseMatrix};
//!
//! // Two pure columns and their mixture.
//! let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5, 0.0, 1.0]));
//! let settings = Settings::default().at(1e-3)?;
//! let solution = solve(&x, Start::Zero, &settings, &mut ());
//! let norms = solution.c.row_inf_norms();
//! assert!(norms[0] > 0.9 && norms[1] < 0.1 && norms[2] > 0.9);
//! # Ok::<(), merit::settings::SettingError>(())
//! ```

#![allow(non_snake_case)] // X, C, R, N as in the paper

mod fast_search;
mod feasible;
mod first_look;
mod gram_search;
mod hull;
mod oracle;
mod panels;
mod residuals;
mod resume;
mod room;
mod search_kind;
mod settings;
mod shared_state;
mod softmax;
mod sparse_search;
mod stopping;

pub(crate) use fast_search::{CACHE_BYTES, hull_columns, power_of_two_below};
pub use feasible::{Fault, FeasibleColumns, Infeasible};
pub(crate) use gram_search::gram_fits;
pub use merit_linalg::kernels::Kernel;
pub(crate) use residuals::are_stored as residuals_are_stored;
pub use room::Room;
pub use search_kind::{Scores, SearchKind, Searched};
pub use settings::{CheckedSettings, KernelChoice, Pruning, Settings, StoredResiduals};

use crate::progress::{Interrupt, Observer, Progress, StopReason, agreed};
use merit_linalg::DataMatrix;
use merit_linalg::ranks::{self, Ranks};
use merit_linalg::shards::Shards;
use oracle::Oracle;
use resume::Beginning;
use softmax::RowSoftmax;
use std::time::Instant;
use stopping::Stopping;

/// Where the iteration starts.
#[derive(Debug)]
pub enum Start {
    /// `C = 0`: not feasible, but the first step has size 1 and discards it.
    Zero,
    /// A warm start.
    Columns(FeasibleColumns),
}

/// What a run found, and what is known about it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Solution {
    /// The last iterate; the numbers below are about exactly this `C`.
    pub c: FeasibleColumns,
    /// Why the run ended.
    pub stop: StopReason,
    /// Steps taken.
    pub iterations: usize,
    /// The number of the first step, as used.
    pub start_iteration: usize,
    /// `f(C)`.
    pub objective: f64,
    /// The duality gap at `C`: `f(C)` is at most this far above the optimum. `None` only if no step was taken, or if the
    /// search for it was interrupted.
    pub gap: Option<f64>,
    /// How the vertices were found; none for other methods than Frank-Wolfe, and where the run ended in an earlier process.
    pub search: Option<SearchKind>,
}

/// Minimizes `f` over the columns of `X`; every setting has been checked, so this always gives a [`Solution`].
pub fn solve(X: &DataMatrix, start: Start, settings: &CheckedSettings, observer: &mut dyn Observer) -> Solution {
    Workspace::new(X).solve(start, settings, observer)
}

/// What several runs on the same `X` share: its packed columns and the vertices of its hull, made by the first run.
///
/// ```
/// use merit::solver::{Settings, Start, Workspace, solve};
/// use merit::{DataMatrix, DenseMatrix};
/// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5, 0.0, 1.0]));
/// let mut workspace = Workspace::new(&x);
/// for regularization in [0.1, 0.01] {
///     let settings = Settings::default().at(regularization)?;
///     let shared = workspace.solve(Start::Zero, &settings, &mut ());
///     assert_eq!(shared.objective, solve(&x, Start::Zero, &settings, &mut ()).objective); // the same bits
/// }
/// # Ok::<(), merit::settings::SettingError>(())
/// ```
pub struct Workspace<'a> {
    X: &'a DataMatrix,
    columns: Shards,
    oracle: Option<Oracle<'a>>,
    made_for: (KernelChoice, Pruning),
    room: Option<&'a Room>,
}

impl<'a> Workspace<'a> {
    /// Nothing is made before the first run.
    pub fn new(X: &'a DataMatrix) -> Self {
        Self::shared(X, ranks::here())
    }

    /// The same where several processes search: each for its own shards of the columns. All of them give the same solution;
    /// of its `C` each has the columns of those shards.
    pub fn shared(X: &'a DataMatrix, ranks: &'static dyn Ranks) -> Self {
        let columns = if X.is_shared() { X.shards() } else { Shards::shared(X.cols(), ranks) };
        Self { X, columns, oracle: None, made_for: Default::default(), room: None }
    }

    /// With what there is room for.
    pub fn within(self, room: Option<&'a Room>) -> Self {
        Self { room, ..self }
    }

    /// `X`.
    pub fn data(&self) -> &'a DataMatrix {
        self.X
    }

    /// As [`solve`].
    pub fn solve(&mut self, start: Start, settings: &CheckedSettings, observer: &mut dyn Observer) -> Solution {
        let solution = self.solve_until(&Interrupt::never(), start, settings, observer);
        solution.expect("nobody asks for the end before there is a feasible iterate")
    }

    /// As [`solve`], but asked for the end it does not wait for the iteration to complete, where that takes long: with the last
    /// feasible iterate, or with nothing if there is none.
    pub fn solve_until(
        &mut self,
        interrupt: &Interrupt,
        start: Start,
        settings: &CheckedSettings,
        observer: &mut dyn Observer,
    ) -> Option<Solution> {
        let wanted = (settings.kernel, settings.pruning);
        if self.made_for != wanted {
            (self.made_for, self.oracle) = (wanted, None);
        }
        // From inside the thread pool: an iteration has some ten parallel loops, and entering the pool costs more than some.
        let problem = Problem { X: self.X, columns: self.columns, room: self.room };
        let run = || frank_wolfe(problem, &mut self.oracle, start, settings, observer, interrupt);
        let solution = rayon::join(run, || ()).0;
        if interrupt.asked() {
            self.oracle = None; // perhaps without the hull that it should have
        }
        solution
    }
}

/// What a run is about, and where it is.
#[derive(Clone, Copy)]
struct Problem<'a> {
    X: &'a DataMatrix,
    /// The columns that are here.
    columns: Shards,
    room: Option<&'a Room>,
}

fn frank_wolfe<'a>(
    problem: Problem<'a>,
    oracle: &mut Option<Oracle<'a>>,
    start: Start,
    settings: &CheckedSettings,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Option<Solution> {
    let Problem { X, columns, .. } = problem;
    let clock = Instant::now();
    let mut stopping = Stopping::new(settings);
    let (mut C, mut R, mut feasible, t_init, mut record) =
        match resume::begin(problem, start, settings, &mut stopping, observer) {
            Ok(Beginning { C, R, feasible, start_iteration, record }) => (C, R, feasible, start_iteration, record),
            Err(solution) => return Some(*solution), // of an earlier process
        };
    let mut y = RowSoftmax::new(X.cols(), settings.regularization(), settings.smoothing);
    let oracle = oracle.get_or_insert_with(|| Oracle::new(problem, settings, interrupt));
    oracle.start(&C);
    let (mut t, mut step) = record.last_step(); // steps taken: the number of the next, t_init + t, may be beyond usize
    loop {
        if feasible && t > 0 {
            record.keep_if_due(observer, &C, &R);
        }
        y.update(&C); // y(n,l) = exp(C(n,l)/mu) / sum_i exp(C(n,i)/mu)
        let found = oracle.best_vertices(&R, &C, &y, interrupt); // j_l = argmin_n x_n' r_l + lambda y(n,l)
        let Some(gap) = found else {
            if !feasible {
                return None;
            }
            record.keep(observer, &C, &R);
            let objective = R.half_square() + y.penalty(&C);
            let (c, stop, search) = (FeasibleColumns::known(C), StopReason::Interrupted, Some(oracle.kind(&R)));
            return Some(Solution { c, stop, iterations: t, start_iteration: t_init, objective, gap: None, search });
        };
        let (candidates, pairs) = oracle.effort();
        let progress = Progress {
            iteration: t,
            step,
            objective: (feasible && stopping.wants_objective(observer)).then(|| R.half_square() + y.penalty(&C)),
            gap: feasible.then_some(gap),
            nnz: C.nnz(),
            nonempty_rows: C.nonempty_rows(),
            moving_columns: R.moving(settings.residual_tolerance).count(),
            candidates,
            pairs,
            elapsed: record.elapsed_before() + clock.elapsed(),
        };
        if let Some(stop) = agreed(columns.ranks(), stopping.verdict(&progress, observer)) {
            let objective = progress.objective.unwrap_or_else(|| R.half_square() + y.penalty(&C));
            let (gap, start_iteration) = (progress.gap, t_init);
            match stop {
                StopReason::Interrupted | StopReason::TimeLimit => record.keep(observer, &C, &R),
                _ => record.keep_result(observer, &C, progress, (stop, objective)),
            }
            let (c, search) = (FeasibleColumns::known(C), Some(oracle.kind(&R)));
            return Some(Solution { c, stop, iterations: t, start_iteration, objective, gap, search });
        }
        record.add(progress);
        let gamma = if feasible { 2.0 / (t_init as f64 + t as f64 + 2.0) } else { 1.0 };
        let moves = R.moving(if feasible { settings.residual_tolerance } else { None });
        C.step_towards(oracle.vertices(), gamma, moves.flags()); // c_l <- (1 - gamma) c_l + gamma e_j
        R.step_towards(oracle.vertices(), gamma, &moves, &C); // r_l <- (1 - gamma) r_l + gamma (x_j - x_l)
        (t, step, feasible) = (t + 1, Some(gamma), true);
        record.step(gamma);
    }
}
