//! *Which `K` columns of `X`?* One question, whichever method answers it and whoever asks.
//!
//! ```text
//! X, K, method -> runs of the solver, or the method's own search -> Search: anchors, scores, C, why it ended, what to know
//! ```
//!
//! `factor`, topics and communities differ in what `X` is and in what they do with the columns; this is what they share. The
//! cost is that of the method ([`methods`](crate::methods), [`solver`]).
//!
//! ```
//! use merit::progress::Stages;
//! use merit::search::{Question, Settings, search};
//! use merit::solver::Workspace;
//! use merit::synthetic::Dirichlet;
//! use merit::{Method, metrics::success};
//!
//! let data = Dirichlet { snr_db: 30.0, seed: 1, ..Dirichlet::new(20, 60, 4) }.generate()?;
//! let x = data.x.into();
//! for method in [Method::Merit, Method::Spa] {
//!     let (mut workspace, mut unseen) = (Workspace::new(&x), ());
//!     let stages = &mut Stages::new(&mut unseen, None);
//!     let found = search(&mut workspace, method, Question::of(4), &Settings::default(), stages)?;
//!     assert!(success(&found.anchors, &data.anchors));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod automatic;
mod certificate;
mod rank_estimate;
mod signal;
mod start;

pub use certificate::{Certificate, Certified};
pub use rank_estimate::{Estimated, estimate_rank};
pub use start::{Initial, SpaStart};

use crate::Error;
use crate::automatic::{Candidate, Regularization, SpaFit};
use crate::exact;
use crate::methods::{Method, fast_anchor, fast_gradient, nfindr, norm_ratio, snpa, spa, sspa, vca, xray};
use crate::progress::{Progress, Stage, Stages, StopReason, Trace};
use crate::selection::{Ranking, RowRule, Selection};
use crate::settings::Declaration;
use crate::solver::{self, FeasibleColumns, Solution, Start, Workspace};
use crate::words::counted;
use merit_linalg::DataMatrix;

crate::settings! {
    /// What can be said about the search, besides which method it is.
    pub struct Settings {
        /// Weight of row sparsity (lambda): auto, auto-fast, paper, or a number; 0 is MERIT(0)
        regularization: Regularization = Regularization::Auto, Declaration::new("RULE").nonnegative().of(&["merit", "exact"]);
        /// Passes that bound the optimum from below: auto, off, or at most this many
        certificate: Certificate = Certificate::Auto, Declaration::new("PASSES").at_least_one().of(&["merit"]);
        /// Seed of the random numbers; merit, spa and xray use none
        seed: u64 = 0, Declaration::new("N").of(&["fast-anchor", "fast-gradient", "vca", "lda", "geonmf"]);
        groups {
            /// MERIT's.
            solver: solver::Settings = Default::default();
            /// The exact solver's.
            exact: exact::Settings = Default::default();
            /// XRAY's.
            xray: xray::Options = Default::default();
            /// FastAnchor's.
            fast_anchor: fast_anchor::Options = Default::default();
            /// FastGradient's.
            fast_gradient: fast_gradient::Options = Default::default();
        }
    }
}

impl Settings {
    /// The paper's settings for topics and communities, where `X` comes from eigenvectors: lambda = 5e-7, stop at a gap of
    /// 0.25. (The authors have no 1/2 in the objective: their lambda is 1e-6, their gap 0.5.) FastAnchor must not scale such
    /// columns, which have signs and lie in a hull already.
    pub fn of_eigenvectors(iterations: usize) -> Self {
        Self {
            regularization: Regularization::Value(5e-7),
            certificate: Certificate::Off, // the optimum is near zero there, and C not sparse
            solver: solver::Settings { iterations, gap_tolerance: Some(0.25), ..Default::default() },
            fast_anchor: fast_anchor::Options { scale: false, ..Default::default() },
            ..Default::default()
        }
    }
}

impl Settings {
    /// As they were used: what was left to the search has the value that it took.
    pub fn resolve(&mut self, found: &Search) {
        if let (Some(lambda), Some(solution)) = (found.regularization, &found.solution) {
            self.regularization = Regularization::Value(lambda);
            self.solver.start_iteration = Some(solution.start_iteration);
        }
        self.solver.kernel = self.solver.kernel.as_used();
    }
}

/// What is asked about some `X`.
pub struct Question<'q> {
    /// `K`.
    pub rank: usize,
    /// Where MERIT starts.
    pub initial: Initial,
    /// How MERIT's anchors are read off `C`.
    pub rows: RowRule,
    /// Which columns MERIT may take.
    pub eligible: &'q dyn Fn(usize) -> bool,
    /// What a run that was cut short has left, and its lambda; if there is one, there is no time for another.
    pub cut_run: Option<(Solved, f64)>,
}

impl Question<'static> {
    /// `rank` columns, from `C = 0`, the largest rows, any column.
    pub fn of(rank: usize) -> Self {
        Self { rank, initial: Initial::Zero, rows: RowRule::Largest, eligible: &|_| true, cut_run: None }
    }
}

/// A run of the solver, and its path.
#[derive(Debug)]
pub struct Solved {
    /// Where it ended.
    pub solution: Solution,
    /// The way there.
    pub trace: Vec<Progress>,
}

/// What was found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Search {
    /// How.
    pub method: Method,
    /// `K` different columns: MERIT's by their row norms, largest first, other methods' in the order in which they were taken.
    pub anchors: Vec<usize>,
    /// What the method went by, an anchor each; for MERIT the norm of its row of `C`.
    pub scores: Vec<f64>,
    /// The norm of row `n` of `C` for every column; empty for other methods than MERIT. Where the anchors are the largest rows of
    /// several runs together, of all of them; where the search was in fewer dimensions, of `C` there.
    pub row_norms: Vec<f64>,
    /// Which norm that is.
    pub ranking: Option<Ranking>,
    /// The sets that automatic rules considered.
    pub candidates: Vec<Candidate>,
    /// Lambda of the solution.
    pub regularization: Option<f64>,
    /// MERIT's result.
    pub solution: Option<Solution>,
    /// MERIT's path to it.
    pub trace: Vec<Progress>,
    /// How far `C` is from the optimum, where that was asked for.
    pub certificate: Option<Certified>,
    /// Where FastGradient ended.
    pub fast_gradient: Option<fast_gradient::Found>,
    /// Why it ended, for methods that take steps. Of several runs the best may have been complete when the next was cut short.
    pub stop: Option<StopReason>,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl Search {
    fn of(method: Method, Selection { anchors, scores }: Selection) -> Self {
        Self {
            method,
            anchors,
            scores,
            row_norms: Vec::new(),
            ranking: None,
            candidates: Vec::new(),
            regularization: None,
            solution: None,
            trace: Vec::new(),
            certificate: None,
            fast_gradient: None,
            stop: None,
            notes: Vec::new(),
        }
    }

    /// Whether the caller ended it.
    pub fn interrupted(&self) -> bool {
        self.stop == Some(StopReason::Interrupted)
    }

    /// The row norms, largest first: at least 200 and four for each anchor, if there are so many.
    pub fn largest_row_norms(&self) -> Vec<f64> {
        let mut norms = self.row_norms.clone();
        norms.sort_unstable_by(|a, b| b.total_cmp(a));
        norms.truncate((4 * self.anchors.len()).max(200));
        norms
    }

    /// The same with columns numbered as the caller has them: column `i` here is `original(i)` of `cols`. `C` stays as it is.
    pub fn numbered(mut self, cols: usize, original: impl Fn(usize) -> usize) -> Self {
        self.anchors.iter_mut().for_each(|n| *n = original(*n));
        self.candidates.iter_mut().flat_map(|candidate| &mut candidate.anchors).for_each(|n| *n = original(*n));
        if !self.row_norms.is_empty() {
            let mut norms = vec![0.0; cols];
            self.row_norms.iter().enumerate().for_each(|(i, &norm)| norms[original(i)] = norm);
            self.row_norms = norms;
        }
        self
    }
}

/// Finds the columns, never fewer than asked for. Observers see every stage and iteration and may end it, which leaves what
/// there is.
pub fn search(
    workspace: &mut Workspace,
    method: Method,
    question: Question,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Search, Error> {
    let (x, rank) = (workspace.data(), question.rank);
    let found = match method {
        Method::Merit => merit(workspace, question, settings, stages)?,
        Method::Exact => exact_optimum(workspace, question, settings, stages)?,
        Method::FastGradient => fast_gradient(x, rank, settings, stages)?,
        _ => Search::of(method, direct(x, rank, method, settings, stages)?),
    };
    match found.anchors.len() {
        enough if enough >= rank => Ok(found),
        eligible if method == Method::FastAnchor => {
            Err(Error::FewEligible { rank, eligible, minimum_nonzeros: settings.fast_anchor.minimum_nonzeros })
        }
        distinct => Err(Error::FewDistinct { rank, distinct }),
    }
}

/// The methods that give a selection and nothing else.
fn direct(
    x: &DataMatrix,
    rank: usize,
    method: Method,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Selection, Error> {
    let stage = match method {
        Method::Spa => spa_stage(),
        _ => Stage::new("search", format!("searching with {}", method.title())),
    };
    stages.whole(stage, |interrupt| match method {
        Method::Spa => spa::select(x, rank, interrupt),
        Method::Snpa => snpa::select(x, rank, interrupt),
        Method::Sspa => sspa::select(x, rank, interrupt),
        Method::Vca => vca::select(x, rank, settings.seed, interrupt),
        Method::Nfindr => nfindr::select(x, rank, interrupt),
        Method::Xray => xray::select(x, rank, settings.xray.criterion, interrupt),
        Method::FastAnchor => fast_anchor::select(x, rank, &settings.fast_anchor, settings.seed, interrupt),
        Method::NormRatio => norm_ratio::select(x, rank),
        Method::Merit | Method::Exact | Method::FastGradient => unreachable!("these have more than a selection"),
    })
}

fn fast_gradient(x: &DataMatrix, rank: usize, settings: &Settings, stages: &mut Stages) -> Result<Search, Error> {
    let options = &settings.fast_gradient;
    let stage = Stage::counted("search", "searching with FastGradient", options.steps);
    let interrupt = stages.interrupt();
    let found = stages.run(stage, |stages| {
        let found = fast_gradient::select(x, rank, options, settings.seed, stages);
        if interrupt.asked() {
            stages.ended(StopReason::Interrupted);
        }
        found
    })?;
    if stages.interrupted() && found.steps == 0 {
        return Err(Error::Interrupted);
    }
    let stop = stages.cut_short().unwrap_or(StopReason::IterationLimit);
    let mut search = Search::of(Method::FastGradient, found.selection.clone());
    if found.steps < options.steps {
        search.notes.push(format!("stopped ({stop}) after {} of {} steps", found.steps, options.steps));
    }
    Ok(Search { fast_gradient: Some(found), stop: Some(stop), ..search })
}

fn merit(
    workspace: &mut Workspace,
    question: Question,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Search, Error> {
    let Question { rank, initial, rows, eligible, cut_run } = question;
    let x = workspace.data();
    let mut search = Search::of(Method::Merit, Selection::default());
    let (mut best, cut_at) = cut_run.unzip();
    let mut steps = None;
    let lambda = match settings.regularization {
        _ if cut_at.is_some() => cut_at,
        Regularization::Value(lambda) => Some(lambda),
        Regularization::Paper => Some(stages.whole(spa_stage(), |interrupt| SpaFit::of(x, rank, interrupt))?.paper()),
        Regularization::Auto | Regularization::AutoFast => None,
    };
    match lambda {
        Some(lambda) => {
            search.regularization = Some(lambda);
            if best.is_none() {
                best = Some(stages.run(solve_stage(settings, lambda, ""), |stages| {
                    let start = stages.part(|interrupt| initial.start(x, rank, interrupt))?;
                    run_solver(workspace, start, lambda, &settings.solver, stages)
                })?);
            }
        }
        None => {
            let found = automatic::search(workspace, rank, settings, initial, eligible, stages)?;
            search.notes.extend(found.notes(rank, x));
            steps = Some(found.steps);
            (search.candidates, search.anchors) = (found.candidates, found.anchors);
            if let Some((run, lambda)) = found.run {
                (best, search.regularization) = (Some(run), Some(lambda));
                (search.row_norms, search.ranking) = (found.row_norms, Some(found.ranking));
            }
        }
    }
    if let Some(Solved { solution, trace }) = best {
        if search.row_norms.is_empty() {
            let ranking = search.ranking.insert(Ranking::Maximum);
            search.row_norms = ranking.norms(&solution.c);
        }
        if search.anchors.is_empty() {
            search.anchors = rows.choose(x, &search.row_norms, rank, eligible, &mut search.notes);
        }
        search.notes.extend(gap_not_reached(&solution, settings));
        let steps = steps.unwrap_or(solution.iterations);
        search.notes.extend(settings.certificate.left_out(x));
        search.certificate = bounded(workspace, &solution.c, search.regularization, steps, settings, stages);
        (search.stop, search.trace, search.solution) = (Some(solution.stop), trace, Some(solution));
    }
    search.scores = search.anchors.iter().map(|&n| search.row_norms.get(n).copied().unwrap_or(0.0)).collect();
    search.stop = stages.cut_short().or(search.stop);
    Ok(search)
}

/// A lower bound on the optimum, unless it was not asked for or would say nothing.
fn bounded(
    workspace: &Workspace,
    c: &FeasibleColumns,
    lambda: Option<f64>,
    steps: usize,
    settings: &Settings,
    stages: &mut Stages,
) -> Option<Certified> {
    // Without lambda the optimum is zero, at C = I: every column explains itself.
    let lambda = lambda.filter(|&lambda| lambda > 0.0)?;
    if settings.certificate.passes(steps, workspace.data()) == 0 || stages.cut_short().is_some() {
        return None;
    }
    let known = certificate::certify(workspace, c, lambda, steps, settings, stages).ok();
    known.filter(|known| known.passes > 0)
}

/// The optimum itself; anchors are its rows with the largest 2-norms.
fn exact_optimum(
    workspace: &mut Workspace,
    question: Question,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Search, Error> {
    let Question { rank, initial, rows, eligible, .. } = question;
    let x = workspace.data();
    exact::check_memory(x)?;
    let mut search = Search::of(Method::Exact, Selection::default());
    let lambda = match settings.regularization {
        Regularization::Value(lambda) => lambda,
        rule => {
            let fit = stages.whole(spa_stage(), |interrupt| SpaFit::of(x, rank, interrupt))?;
            if rule == Regularization::Paper { fit.paper() } else { fit.unit() }
        }
    };
    let start = stages.whole(spa_stage(), |interrupt| initial.columns(x, rank, interrupt))?;
    let stage = Stage::counted("solve", format!("solving at regularization {lambda:.4e}"), settings.exact.passes);
    let stage = stage.with_result();
    let (mut trace, interrupt) = (Trace::default(), stages.interrupt());
    let found = stages.run(stage, |stages| {
        let mut exact = exact::Workspace::new(x).kernel(settings.solver.kernel).time_limit(stages.time_left());
        let observers = &mut (&mut trace, stages.observer());
        let found = exact.solve(lambda, exact::Start::Columns(start), &settings.exact, observers, &interrupt);
        stages.ended(found.as_ref().map_or(StopReason::Interrupted, |found| found.stop));
        found.ok_or(Error::Interrupted)
    })?;
    search.regularization = Some(lambda);
    search.row_norms = search.ranking.insert(Ranking::TwoNorm).norms(&found.c);
    search.anchors = rows.choose(x, &search.row_norms, rank, eligible, &mut search.notes);
    search.scores = search.anchors.iter().map(|&n| search.row_norms[n]).collect();
    let (objective, lower_bound, passes) = (found.objective, found.lower_bound, found.passes);
    if found.stop != StopReason::GapReached {
        search.notes.push(format!(
            "stopped ({}) after {passes} passes with the objective at most {:.3} % above the optimum (asked for {:.3} %)",
            found.stop,
            100.0 * found.relative_gap(),
            100.0 * settings.exact.gap
        ));
    }
    search.certificate = Some(Certified { objective, lower_bound, passes, trace: found.trace });
    search.solution = Some(Solution {
        c: found.c,
        stop: found.stop,
        iterations: passes,
        start_iteration: 0,
        objective,
        gap: Some(objective - lower_bound),
        search: None,
    });
    search.trace = trace.rows;
    search.stop = stages.cut_short().or(Some(found.stop));
    Ok(search)
}

fn spa_stage() -> Stage {
    Stage::new("spa", "SPA")
}

fn solve_stage(settings: &Settings, lambda: f64, which: &str) -> Stage {
    Stage::counted("solve", format!("solving at regularization {lambda:.4e}{which}"), settings.solver.iterations)
}

/// One run of the solver, within what is left of the time.
fn run_solver(
    workspace: &mut Workspace,
    start: Start,
    lambda: f64,
    settings: &solver::Settings,
    stages: &mut Stages,
) -> Result<Solved, Error> {
    let settings = solver::Settings { time_limit: stages.time_left(), ..settings.clone() }.at(lambda)?;
    let mut trace = Trace::default();
    let interrupt = stages.interrupt();
    let solution = workspace.solve_until(&interrupt, start, &settings, &mut (&mut trace, stages.observer()));
    let solution = solution.ok_or(Error::Interrupted)?;
    stages.ended(solution.stop);
    Ok(Solved { solution, trace: trace.rows })
}

fn gap_not_reached(solution: &Solution, settings: &Settings) -> Option<String> {
    let (asked, gap) = settings.solver.gap_tolerance.zip(solution.gap)?;
    (solution.stop != StopReason::GapReached).then(|| {
        format!(
            "stopped ({}) after {} with gap {gap:.3e} (asked for {asked:.3e}); the anchors may still change",
            solution.stop,
            counted(solution.iterations, "iteration", "iterations")
        )
    })
}
