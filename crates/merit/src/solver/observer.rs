//! Watching a run: observers see every iteration's numbers and may end it. The solver itself never prints.

use std::ops::ControlFlow;
use std::time::Duration;

/// The numbers of one iterate `C`.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Steps taken so far.
    pub iteration: usize,
    /// Size of the step that led here; `None` at the start.
    pub step: Option<f64>,
    /// `f(C)`, when an observer or a stop rule asks for it and `C` is feasible.
    pub objective: Option<f64>,
    /// The duality gap at `C`; `None` while `C` is not feasible, before the first step from `C = 0`.
    pub gap: Option<f64>,
    /// Nonzeros of `C`.
    pub nnz: usize,
    /// Rows of `C` with a nonzero.
    pub nonempty_rows: usize,
    /// Columns that the residual rule has not stopped.
    pub moving_columns: usize,
    /// Columns over which the best vertices were searched: all, or the vertices of the hull and the rows in use.
    pub candidates: usize,
    /// Products of two columns that the search computed.
    pub pairs: u64,
    /// Time since the start.
    pub elapsed: Duration,
}

impl Progress {
    /// After a step of a method that has no `C` of its own: all else is empty.
    ///
    /// ```
    /// use merit::solver::Progress;
    /// let progress = Progress::of_step(3, std::time::Duration::from_secs(1));
    /// assert!(progress.iteration == 3 && progress.gap.is_none());
    /// ```
    pub fn of_step(iteration: usize, elapsed: Duration) -> Self {
        let (step, objective, gap) = (None, None, None);
        let (nnz, nonempty_rows, moving_columns, candidates, pairs) = (0, 0, 0, 0, 0);
        Self { iteration, step, objective, gap, nnz, nonempty_rows, moving_columns, candidates, pairs, elapsed }
    }
}

/// Sees every [`Progress`], the last included, and may end the run. A closure is an observer, and `()` watches nothing.
pub trait Observer: Send {
    /// One more iterate. [`ControlFlow::Break`] ends the run with this iterate as its result.
    fn iteration(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// A new part of the work begins; only [`factor`](crate::factor) has several.
    fn stage(&mut self, _stage: &crate::Stage) {}

    /// Whether [`Progress::objective`] should be computed, at a cost of `O(M N)` an iteration.
    fn wants_objective(&self) -> bool {
        false
    }
}

impl Observer for () {
    fn iteration(&mut self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&Progress) -> ControlFlow<()> + Send> Observer for F {
    fn iteration(&mut self, progress: &Progress) -> ControlFlow<()> {
        self(progress)
    }
}

/// Both see every iterate; either may end the run.
impl<A: Observer + ?Sized, B: Observer + ?Sized> Observer for (&mut A, &mut B) {
    fn iteration(&mut self, progress: &Progress) -> ControlFlow<()> {
        let (first, second) = (self.0.iteration(progress), self.1.iteration(progress));
        if first.is_break() { first } else { second }
    }

    fn stage(&mut self, stage: &crate::Stage) {
        self.0.stage(stage);
        self.1.stage(stage);
    }

    fn wants_objective(&self) -> bool {
        self.0.wants_objective() || self.1.wants_objective()
    }
}

/// Keeps the numbers of every feasible iterate.
///
/// ```
/// use merit::solver::{Settings, Start, Trace, solve};
/// use merit::{DataMatrix, DenseMatrix};
/// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5, 0.0, 1.0]));
/// let mut trace = Trace::default();
/// solve(&x, Start::Zero, &Settings { iterations: 5, ..Default::default() }.check()?, &mut trace);
/// assert_eq!(trace.rows.len(), 5);
/// assert!(trace.rows.iter().all(|row| row.gap.unwrap() >= 0.0 && row.objective.is_some()));
/// # Ok::<(), merit::solver::SettingsError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// One row for each feasible iterate.
    pub rows: Vec<Progress>,
}

impl Observer for Trace {
    fn iteration(&mut self, progress: &Progress) -> ControlFlow<()> {
        if progress.gap.is_some() {
            self.rows.push(progress.clone());
        }
        ControlFlow::Continue(())
    }

    fn wants_objective(&self) -> bool {
        true
    }
}
