//! The automatic choice of lambda at work: several runs, one set of anchors.

use super::{Initial, Settings, Solved, run_solver, solve_stage, spa_stage};
use crate::Error;
use crate::automatic::{Candidate, Source, SpaFit, choose, prune, refit, spread};
use crate::preprocess::square;
use crate::progress::{Interrupt, Stage, Stages};
use crate::selection::largest_rows;
use crate::solver::{self, Start, Workspace};
use merit_linalg::DataMatrix;

/// What the rule found.
pub(super) struct Automatic {
    pub(super) candidates: Vec<Candidate>,
    pub(super) anchors: Vec<usize>,
    /// The best run of the solver, and its lambda; none if there was no time for one.
    pub(super) best: Option<(Solved, f64)>,
    /// Steps of all runs.
    pub(super) steps: usize,
    /// `R0`.
    spa_residual: f64,
    /// Why SPA's and MERIT's anchors were not pruned.
    unpruned: Option<String>,
}

/// SPA, runs at multiples of its residual per column, and what pruning makes of SPA's and the first run's anchors.
///
/// The runs after the first start from where the one before ended: a third of the steps then does as well as all of them
/// from `C = 0`.
pub(super) fn search(
    workspace: &mut Workspace,
    rank: usize,
    settings: &Settings,
    initial: Initial,
    eligible: &dyn Fn(usize) -> bool,
    stages: &mut Stages,
) -> Result<Automatic, Error> {
    let x = workspace.data();
    let fit = stages.whole(spa_stage(), |interrupt| SpaFit::of(x, rank, interrupt))?;
    let mut candidates = vec![Candidate::new(Source::Spa, fit.anchors.clone(), fit.squared_residual)];
    let mut best: Option<(Solved, f64)> = None;
    let mut taken = 0;
    let (all, multiples) = (&settings.solver, settings.regularization.multiples());
    let shorter = solver::Settings {
        iterations: all.iterations.div_ceil(3),
        start_iteration: Some(all.iterations / 5),
        ..all.clone()
    };
    let mut next = Some((stages.part(|interrupt| initial.start(x, rank, interrupt))?, all));
    for (i, &multiple) in multiples.iter().enumerate() {
        if stages.cut_short().is_some() {
            break;
        }
        let lambda = multiple * fit.unit();
        let (start, steps) = next.take().expect("every run leaves a start for the next");
        let which =
            if multiples.len() > 1 { format!(" (run {} of {})", i + 1, multiples.len()) } else { String::new() };
        let stage = solve_stage(settings, lambda, &which);
        let run = stages.run(stage, |stages| run_solver(workspace, start, lambda, steps, stages))?;
        taken += run.solution.iterations;
        let set = largest_rows(&run.solution.c.row_inf_norms(), rank, eligible);
        let Ok(residual) = stages.whole(refit_stage(), |interrupt| refit(x, &set, interrupt)) else { break };
        let better = candidates[1..].iter().all(|c| residual < c.squared_residual);
        candidates.push(Candidate {
            regularization: Some(lambda),
            multiple: Some(multiple),
            ..Candidate::new(Source::Merit, set, residual)
        });
        let is_last = i + 1 == multiples.len();
        if better {
            next = (!is_last).then(|| (Start::Columns(run.solution.c.clone()), &shorter));
            best = Some((run, lambda));
        } else {
            next = Some((Start::Columns(run.solution.c), &shorter));
        }
    }
    let prunes = union_to_prune(x, &candidates, rank);
    if let (None, Ok(union)) = (stages.cut_short(), &prunes) {
        let union = union.clone();
        let pruned = stages.whole(refit_stage(), |interrupt| pruned(x, union, &candidates, rank, interrupt));
        candidates.extend(pruned.ok().flatten()); // interrupted, it is left out
    }
    let chosen = choose(&candidates, square(x));
    candidates[chosen].chosen = true;
    let anchors = candidates[chosen].anchors.clone();
    let (spa_residual, unpruned) = (fit.squared_residual, prunes.err());
    Ok(Automatic { candidates, anchors, best, steps: taken, spa_residual, unpruned })
}

fn refit_stage() -> Stage {
    Stage::new("refit", "")
}

/// Columns that are pruned at most: each is a least squares problem on all others, once and again.
const MOST_PRUNED: usize = 500;

fn sorted(mut set: Vec<usize>) -> Vec<usize> {
    set.sort_unstable();
    set.dedup();
    set
}

/// SPA's and the first run's anchors together, or why they are too many to choose from.
fn union_to_prune(x: &DataMatrix, candidates: &[Candidate], rank: usize) -> Result<Vec<usize>, String> {
    let union = sorted(candidates.iter().take(2).flat_map(|candidate| candidate.anchors.iter().copied()).collect());
    let (rows, many) = (x.rows(), union.len());
    if many > rank && rank > rows + 1 {
        return Err(format!("{rank} anchors are more than a simplex in {rows} dimensions has corners"));
    }
    if many > MOST_PRUNED.max(rank) {
        return Err(format!("they are {many} columns, and at most {MOST_PRUNED} are compared"));
    }
    Ok(union)
}

/// `K` of the anchors that SPA and the first run found, unless that is a set that we have. (The other runs' anchors do harm
/// here: where noise points outward, they are midpoints far from the hull of the rest.)
fn pruned(
    x: &DataMatrix,
    union: Vec<usize>,
    candidates: &[Candidate],
    rank: usize,
    interrupt: &Interrupt,
) -> Option<Candidate> {
    let set = prune(x, union, rank, interrupt);
    let new = candidates.iter().all(|candidate| sorted(candidate.anchors.clone()) != set);
    new.then(|| Candidate::new(Source::Pruned, set.clone(), refit(x, &set, interrupt)))
}

impl Automatic {
    /// What the user should know about the choice.
    pub(super) fn notes(&self, rank: usize, x: &DataMatrix) -> Vec<String> {
        let mut notes = Vec::new();
        let from = self.candidates.iter().find(|candidate| candidate.chosen).map(|candidate| candidate.source);
        let whose = match from {
            Some(Source::Spa) => Some("SPA's: they explain"),
            Some(Source::Pruned) => Some("chosen among SPA's and MERIT's: together they explain"),
            Some(Source::Merit) | None => None,
        };
        if let Some(whose) = whose {
            notes.push(format!(
                "the anchors are {whose} the data better than MERIT's (C, gap and row norms are those of the best MERIT run)"
            ));
        }
        if let Some(why) = &self.unpruned {
            notes.push(format!("no set was chosen among SPA's and MERIT's anchors together: {why}"));
        }
        let spread = spread(x);
        if self.spa_residual >= spread {
            notes.push(format!(
                "SPA's {rank} anchors explain less than the mean column does ({:.3e} against {spread:.3e} of squared residual): \
                 columns that do not sum to one are not what automatic regularization is for; give `regularization` a small number",
                self.spa_residual
            ));
        }
        notes
    }
}
