//! The automatic choice of lambda at work: several runs, one set of anchors.

use super::search::Solved;
use super::start::First;
use super::{Error, Job, Stage};
use crate::automatic::{Candidate, Regularization, Source, SpaFit, choose, prune, refit, spread};
use crate::preprocess::square;
use crate::selection::largest_rows;
use crate::solver::{Settings, Start, Workspace};
use merit_linalg::DataMatrix;

/// What the rule found.
pub(super) struct Automatic {
    pub(super) candidates: Vec<Candidate>,
    pub(super) anchors: Vec<usize>,
    /// The best run of the solver, and its lambda; none if there was no time for one.
    pub(super) best: Option<(Solved, f64)>,
    /// `R0`.
    spa_residual: f64,
}

impl Job<'_> {
    /// SPA, runs at multiples of its residual per column, and what pruning makes of SPA's and the first run's anchors.
    ///
    /// The runs after the first start from where the one before ended: a third of the steps then does as well as all of them
    /// from `C = 0`.
    pub(super) fn automatic(
        &mut self,
        workspace: &mut Workspace,
        rank: usize,
        rule: Regularization,
        first: First,
        eligible: impl Fn(usize) -> bool,
    ) -> Result<Automatic, Error> {
        let x = workspace.data();
        let fit = self.timed(Stage::Spa, |_| SpaFit::of(x, rank));
        let mut candidates = vec![Candidate::new(Source::Spa, fit.anchors.clone(), fit.squared_residual)];
        let mut best: Option<(Solved, f64)> = None;
        let (all, multiples) = (&self.request.solver, rule.multiples());
        let shorter = Settings {
            iterations: all.iterations.div_ceil(3),
            start_iteration: Some(all.iterations / 5),
            ..all.clone()
        };
        let mut next = Some((first.start(x, rank), all.clone()));
        for (i, &multiple) in multiples.iter().enumerate() {
            if self.cut_short.is_some() {
                break;
            }
            let regularization = multiple * fit.unit();
            let (start, settings) = next.take().expect("every run leaves a start for the next");
            let settings = Settings { regularization, ..settings };
            let stage = Stage::Solve { run: i + 1, of: multiples.len(), regularization };
            let run = self.timed(stage, |job| job.run_solver(workspace, start, settings))?;
            let set = largest_rows(&run.0.c.row_inf_norms(), rank, &eligible);
            let residual = self.timed(Stage::Refit, |_| refit(x, &set));
            let better = candidates[1..].iter().all(|c| residual < c.squared_residual);
            candidates.push(Candidate {
                regularization: Some(regularization),
                multiple: Some(multiple),
                ..Candidate::new(Source::Merit, set, residual)
            });
            let is_last = i + 1 == multiples.len();
            if better {
                next = (!is_last).then(|| (Start::Columns(run.0.c.clone()), shorter.clone()));
                best = Some((run, regularization));
            } else {
                next = Some((Start::Columns(run.0.c), shorter.clone()));
            }
        }
        if self.cut_short.is_none() {
            candidates.extend(self.timed(Stage::Refit, |_| pruned(x, &candidates, rank)));
        }
        let chosen = choose(&candidates, square(x));
        candidates[chosen].chosen = true;
        let anchors = candidates[chosen].anchors.clone();
        Ok(Automatic { candidates, anchors, best, spa_residual: fit.squared_residual })
    }
}

/// `K` of the anchors that SPA and the first run found, unless that is a set that we have. (The other runs' anchors do harm
/// here: where noise points outward, they are midpoints far from the hull of the rest.)
fn pruned(x: &DataMatrix, candidates: &[Candidate], rank: usize) -> Option<Candidate> {
    let sorted = |mut set: Vec<usize>| {
        set.sort_unstable();
        set.dedup();
        set
    };
    let union = candidates[..2].iter().flat_map(|candidate| candidate.anchors.iter().copied()).collect();
    let set = prune(x, sorted(union), rank);
    let new = candidates.iter().all(|candidate| sorted(candidate.anchors.clone()) != set);
    new.then(|| Candidate::new(Source::Pruned, set.clone(), refit(x, &set)))
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
        let spread = spread(x);
        if self.spa_residual >= spread {
            notes.push(format!(
                "SPA's {rank} anchors explain less than the mean column does ({:.3e} against {spread:.3e} of squared residual): \
                 columns that do not sum to one are not what automatic regularization is for; give --regularization a small \
                 number",
                self.spa_residual
            ));
        }
        notes
    }
}
