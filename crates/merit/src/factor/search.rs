//! The searches for anchors: runs of the solver, the estimate of the rank, and the other methods.

use super::start::First;
use super::{Error, Job, Method, Stage};
use crate::automatic::{SpaFit, spread};
use crate::methods::{fast_anchor, fast_gradient, norm_ratio, xray};
use crate::rank::{RankEstimate, Spectrum, decide};
use crate::selection::Selection;
use crate::solver::{Progress, Settings, Solution, Start, StopReason, Trace, Workspace};
use crate::spa;
use merit_linalg::DataMatrix;
use merit_linalg::decompositions::singular_values;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// What a run of the solver gave, and its path.
pub(super) type Solved = (Solution, Trace);

impl Job<'_> {
    /// The search of a method other than MERIT.
    pub(super) fn search(
        &mut self,
        x: &DataMatrix,
        rank: usize,
    ) -> Result<(Selection, Option<fast_gradient::Found>), Error> {
        let method = self.request.method;
        let stage = if method == Method::Spa { Stage::Spa } else { Stage::Search(method) };
        self.timed(stage, |job| {
            let selection = match method {
                Method::FastGradient(options) => {
                    let found = job.fast_gradient(x, rank, &options)?;
                    return Ok((found.selection.clone(), Some(found)));
                }
                Method::FastAnchor(options) => fast_anchor::select(x, rank, &options),
                Method::Xray(criterion) => xray::select(x, rank, criterion),
                Method::NormRatio => norm_ratio::select(x, rank),
                Method::Spa | Method::Merit => spa::select(x, rank),
            };
            match method {
                Method::FastAnchor(options) if selection.anchors.len() < rank => Err(Error::FewEligible {
                    rank,
                    eligible: selection.anchors.len(),
                    minimum_documents: options.minimum_documents,
                }),
                _ => Ok((selection, None)),
            }
        })
    }

    fn fast_gradient(
        &mut self,
        x: &DataMatrix,
        rank: usize,
        options: &fast_gradient::Options,
    ) -> Result<fast_gradient::Found, Error> {
        let (clock, start) = (self.clock, Instant::now());
        let time_limit = self.request.solver.time_limit;
        let mut cut_short = self.cut_short;
        let found = fast_gradient::select(x, rank, options, &mut |steps| {
            let progress = Progress::of_step(steps, start.elapsed());
            if self.observer.iteration(&progress).is_break() {
                cut_short = Some(StopReason::Interrupted);
            } else if time_limit.is_some_and(|limit| clock.elapsed() >= limit) {
                cut_short = Some(StopReason::TimeLimit);
            }
            if cut_short.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.cut_short = cut_short;
        Ok(found)
    }

    /// One run of the solver at this lambda.
    pub(super) fn solve(
        &mut self,
        workspace: &mut Workspace,
        rank: usize,
        first: First,
        regularization: f64,
    ) -> Result<Solved, Error> {
        let settings = Settings { regularization, ..self.request.solver.clone() };
        self.timed(Stage::Solve { run: 1, of: 1, regularization }, |job| {
            let start = first.start(workspace.data(), rank);
            job.run_solver(workspace, start, settings)
        })
    }

    /// One run of the solver, within what is left of the time.
    pub(super) fn run_solver(
        &mut self,
        workspace: &mut Workspace,
        start: Start,
        settings: Settings,
    ) -> Result<Solved, Error> {
        let left = |limit: Duration| limit.saturating_sub(self.clock.elapsed());
        let time_limit = self.request.solver.time_limit.map(left);
        let settings = Settings { time_limit, ..settings }.check()?;
        let mut trace = Trace::default();
        let solution = workspace.solve(start, &settings, &mut (&mut trace, &mut *self.observer));
        let cut_short = matches!(solution.stop, StopReason::Interrupted | StopReason::TimeLimit);
        self.cut_short = self.cut_short.or(cut_short.then_some(solution.stop));
        Ok((solution, trace))
    }

    /// The two witnesses for `K`: singular values, and the row norms of one run.
    pub(super) fn estimate_rank(&mut self, workspace: &mut Workspace) -> (RankEstimate, Solved) {
        let x = workspace.data();
        let (rows, cols) = (x.rows(), x.cols());
        let spectrum = singular_values(x).map(|s| Spectrum::of(&s, rows, cols));
        let many = rows.min(cols / 2).min(spectrum.map_or(usize::MAX, |s| s.numerical_rank)).max(1);
        let fit = SpaFit::of(x, many);
        let settings = Settings { regularization: fit.unit(), ..self.request.solver.clone() };
        let run = self.run_solver(workspace, Start::Zero, settings).expect("the settings have been checked");
        let mut norms = run.0.c.row_inf_norms();
        norms.sort_unstable_by(|a, b| b.total_cmp(a));
        let explains = fit.squared_residual < spread(x);
        (decide(spectrum, &norms, explains), run)
    }
}
