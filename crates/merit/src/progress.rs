//! Watching a run: its stages, the numbers of every iteration, and why it ended. The library itself never prints.
//!
//! ```
//! use merit::progress::{Progress, Stage, Stages};
//! use std::ops::ControlFlow;
//! let mut seen = 0;
//! let mut watch = |_: &Progress| { seen += 1; ControlFlow::Continue(()) };
//! let mut stages = Stages::new(&mut watch, None);
//! let sum = stages.run(Stage::new("add", "adding up"), |stages| {
//!     (1..=10).take_while(|&i| stages.step(i).is_continue()).sum::<usize>()
//! });
//! assert_eq!((sum, stages.seconds()[0].0, stages.cut_short()), (55, "add", None));
//! drop(stages);
//! assert_eq!(seen, 10);
//! ```

pub use merit_linalg::interrupt::Interrupt;

use crate::Error;
use crate::checkpoint::Keeper;
use merit_linalg::ranks::{self, Ranks};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

crate::choices! {
    /// Why a run ended.
    #[non_exhaustive]
    pub enum StopReason {
        /// The duality gap fell to `gap_tolerance`.
        GapReached = "gap-reached",
        /// A step changed the objective by no more than `objective_tolerance`.
        ObjectiveSettled = "objective-settled",
        /// Every column fits within `residual_tolerance`.
        ResidualsReached = "residuals-reached",
        /// All the steps that were asked for were taken.
        #[default]
        IterationLimit = "iteration-limit",
        /// `time_limit` has passed.
        TimeLimit = "time-limit",
        /// An observer asked for the end (Ctrl-C is one).
        Interrupted = "interrupted",
    }
}

/// Why work ends, where several processes do it: each may have another clock, and not all hear of Ctrl-C.
pub(crate) fn agreed(ranks: &dyn Ranks, stop: Option<StopReason>) -> Option<StopReason> {
    let mut place = [stop.map_or(0, |stop| 1 + stop as u64)];
    ranks.max(&mut place);
    StopReason::ALL.get(place[0].wrapping_sub(1) as usize).copied()
}

/// A part of the work, for those who watch.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// One word, under which its seconds are written down.
    pub name: &'static str,
    /// What is done, in a few words; empty where that is nothing to talk about.
    pub title: Cow<'static, str>,
    /// Steps that it takes at most, where observers see each.
    pub steps: Option<usize>,
    /// Whether the work has a result already: ended in this stage, it gives that.
    pub has_result: bool,
}

impl Stage {
    /// A stage that does not count its steps.
    pub fn new(name: &'static str, title: impl Into<Cow<'static, str>>) -> Self {
        Self { name, title: title.into(), steps: None, has_result: false }
    }

    /// The same for a stage before which there is a result.
    pub fn with_result(self) -> Self {
        Self { has_result: true, ..self }
    }

    /// A stage of which observers see every step.
    pub fn counted(name: &'static str, title: impl Into<Cow<'static, str>>, steps: usize) -> Self {
        Self { steps: Some(steps), ..Self::new(name, title) }
    }
}

/// The stages of one piece of work: tells the observer of each, and keeps its seconds and why the work was cut short. Where several
/// processes do it, all pass through the same stages, and agree at the end of each whether they go on.
pub struct Stages<'o> {
    observer: &'o mut dyn Observer,
    clock: Instant,
    stage_clock: Instant,
    time_limit: Option<Duration>,
    seconds: Vec<(&'static str, f64)>,
    cut_short: Option<StopReason>,
    ranks: &'static dyn Ranks,
}

impl<'o> Stages<'o> {
    /// Nothing is done yet; the time limit is for all stages together.
    pub fn new(observer: &'o mut dyn Observer, time_limit: Option<Duration>) -> Self {
        let clock = Instant::now();
        let (seconds, cut_short, ranks) = (Vec::new(), None, ranks::here());
        Self { observer, clock, stage_clock: clock, time_limit, seconds, cut_short, ranks }
    }

    /// Does the work of a stage. Stages of the same name add their seconds.
    pub fn run<T>(&mut self, stage: Stage, work: impl FnOnce(&mut Self) -> T) -> T {
        self.observer.stage(&stage);
        let clock = Instant::now();
        self.stage_clock = clock;
        let result = work(self);
        self.cut_short = agreed(self.ranks, self.cut_short);
        let seconds = clock.elapsed().as_secs_f64();
        match self.seconds.iter_mut().find(|(name, _)| *name == stage.name) {
            Some((_, total)) => *total += seconds,
            None => self.seconds.push((stage.name, seconds)),
        }
        result
    }

    /// After a step of a method that has no `C`: whether it may go on.
    pub fn step(&mut self, steps: usize) -> ControlFlow<()> {
        let asked = self.observer.iteration(&Progress::of_step(steps, self.stage_clock.elapsed()));
        if asked.is_break() {
            self.cut(StopReason::Interrupted);
        } else if self.time_limit.is_some_and(|limit| self.clock.elapsed() >= limit) {
            self.cut(StopReason::TimeLimit);
        }
        if self.cut_short.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Does the work of a stage that is of use only as a whole. It is to end early when its flag is raised; then there is no
    /// result. What follows a run that was cut short is not asked to end: it makes something of what there is.
    ///
    /// ```
    /// use merit::progress::{Interrupt, Observer, Progress, Stage, Stages};
    /// use std::ops::ControlFlow;
    /// struct Button(Interrupt);
    /// impl Observer for Button {
    ///     fn iteration(&mut self, _: &Progress) -> ControlFlow<()> { ControlFlow::Continue(()) }
    ///     fn interrupt(&self) -> Interrupt { self.0.clone() }
    /// }
    /// let mut button = Button(Interrupt::new());
    /// button.0.ask();
    /// let mut stages = Stages::new(&mut button, None);
    /// let sum = stages.whole(Stage::new("add", "adding up"), |end| (0..10).take_while(|_| !end.asked()).sum::<usize>());
    /// assert_eq!(sum, Err(merit::Error::Interrupted));
    /// ```
    pub fn whole<T>(&mut self, stage: Stage, work: impl FnOnce(&Interrupt) -> T) -> Result<T, Error> {
        self.run(stage, |stages| stages.part(work))
    }

    /// The same, within a stage.
    pub fn part<T>(&mut self, work: impl FnOnce(&Interrupt) -> T) -> Result<T, Error> {
        let interrupt = self.interrupt();
        let result = work(&interrupt);
        if self.ranks.any(interrupt.asked()) {
            self.cut(StopReason::Interrupted);
            return Err(Error::Interrupted);
        }
        Ok(result)
    }

    /// The flag of this part of the work: that of the observer, unless it was raised for an earlier part.
    pub fn interrupt(&self) -> Interrupt {
        if self.interrupted() { Interrupt::never() } else { self.observer.interrupt() }
    }

    /// Whether somebody ended a part of the work.
    pub fn interrupted(&self) -> bool {
        self.cut_short == Some(StopReason::Interrupted)
    }

    /// Notes why a run ended, if that was before its time.
    pub fn ended(&mut self, stop: StopReason) {
        if matches!(stop, StopReason::Interrupted | StopReason::TimeLimit) {
            self.cut(stop);
        }
    }

    fn cut(&mut self, stop: StopReason) {
        self.cut_short.get_or_insert(stop);
    }

    /// What is left of the time, where that is limited.
    pub fn time_left(&self) -> Option<Duration> {
        self.time_limit.map(|limit| {
            let mut elapsed = [self.clock.elapsed().as_nanos() as u64];
            self.ranks.max(&mut elapsed);
            limit.saturating_sub(Duration::from_nanos(elapsed[0]))
        })
    }

    /// Why the work ends before its time, if it does.
    pub fn cut_short(&self) -> Option<StopReason> {
        self.cut_short
    }

    /// Seconds of each stage so far, by name.
    pub fn seconds(&self) -> &[(&'static str, f64)] {
        &self.seconds
    }

    /// Who watches.
    pub fn observer(&mut self) -> &mut dyn Observer {
        self.observer
    }
}

/// The numbers of one iterate `C`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
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
    /// use merit::progress::Progress;
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

    /// A new part of the work begins; the [solver](crate::solver) itself has only one.
    fn stage(&mut self, _stage: &Stage) {}

    /// The flag that ends work between iterations, and work that has none.
    fn interrupt(&self) -> Interrupt {
        Interrupt::never()
    }

    /// Where the state of long runs is kept, if anywhere.
    fn keeper(&mut self) -> Option<&mut dyn Keeper> {
        None
    }

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

    fn stage(&mut self, stage: &Stage) {
        self.0.stage(stage);
        self.1.stage(stage);
    }

    fn interrupt(&self) -> Interrupt {
        self.0.interrupt().or(self.1.interrupt())
    }

    fn keeper(&mut self) -> Option<&mut dyn Keeper> {
        match self.0.keeper() {
            Some(keeper) => Some(keeper),
            None => self.1.keeper(),
        }
    }

    fn wants_objective(&self) -> bool {
        self.0.wants_objective() || self.1.wants_objective()
    }
}

/// Keeps the numbers of every feasible iterate.
///
/// ```
/// use merit::progress::Trace;
/// use merit::solver::{Settings, Start, solve};
/// use merit::{DataMatrix, DenseMatrix};
/// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5, 0.0, 1.0]));
/// let mut trace = Trace::default();
/// solve(&x, Start::Zero, &Settings { iterations: 5, ..Default::default() }.at(0.0)?, &mut trace);
/// assert_eq!(trace.rows.len(), 5);
/// assert!(trace.rows.iter().all(|row| row.gap.unwrap() >= 0.0 && row.objective.is_some()));
/// # Ok::<(), merit::settings::SettingError>(())
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
