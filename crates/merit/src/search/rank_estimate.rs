//! `K` from the data: the witnesses are called here, [`rank`](mod@crate::rank) weighs them.

use super::{Settings, Solved, run_solver};
use crate::Error;
use crate::automatic::{SpaFit, spread};
use crate::methods::Method;
use crate::progress::{Stage, Stages};
use crate::rank::{RankEstimate, Spectrum, decide};
use crate::solver::{Start, Workspace};
use merit_linalg::decompositions::singular_values;

/// Anchors that SPA takes at most where the singular values are too many to compute: as many as there may be would be
/// thousands, with a dense column and a weight of every column for each.
const MOST_ANCHORS: usize = 200;

/// The estimate, and the run of the solver behind it.
#[derive(Debug)]
pub struct Estimated {
    /// `K`, and how clear it is.
    pub estimate: RankEstimate,
    /// The run whose row norms were a witness, and its lambda.
    pub run: Option<(Solved, f64)>,
}

/// How many columns of `X` all others are made of.
///
/// MERIT has two witnesses: singular values, and the row norms of one run. For other methods a run of the solver would cost
/// more than all they do themselves, so they have the singular values alone, unless those are too many to compute.
pub fn estimate_rank(
    workspace: &mut Workspace,
    method: Method,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Estimated, Error> {
    stages.run(Stage::counted("rank", "estimating the rank", settings.solver.iterations), |stages| {
        let x = workspace.data();
        let (rows, cols) = (x.rows(), x.cols());
        let spectrum = stages.part(|_| singular_values(x))?.map(|s| Spectrum::of(&s, rows, cols));
        let many = rows.min(cols / 2).min(spectrum.map_or(MOST_ANCHORS, |s| s.numerical_rank)).max(1);
        let fit = stages.part(|interrupt| SpaFit::of(x, many, interrupt))?;
        let explains = fit.squared_residual < spread(x);
        if method != Method::Merit && spectrum.is_some() {
            return Ok(Estimated { estimate: decide(spectrum, None, explains), run: None });
        }
        let lambda = fit.unit();
        let run = run_solver(workspace, Start::Zero, lambda, &settings.solver, stages)?;
        let mut norms = run.solution.c.row_inf_norms();
        norms.sort_unstable_by(|a, b| b.total_cmp(a));
        Ok(Estimated { estimate: decide(spectrum, Some(&norms), explains), run: Some((run, lambda)) })
    })
}
