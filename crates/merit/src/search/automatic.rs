//! The automatic choice of lambda at work: several runs, one set of anchors.

use super::signal::signal;
use super::{Initial, Settings, Solved, run_solver, solve_stage, spa_stage};
use crate::Error;
use crate::automatic::{Candidate, Fitted, Regularization, Source, SpaFit, choose, prune, spread};
use crate::preprocess::square;
use crate::progress::{Interrupt, Stage, Stages, StopReason};
use crate::selection::{Ranking, largest_rows};
use crate::solver::{self, FeasibleColumns, Start, Workspace};
use crate::spa;
use crate::words::counted;
use merit_linalg::DataMatrix;

/// What the rule found.
pub(super) struct Automatic {
    pub(super) candidates: Vec<Candidate>,
    pub(super) anchors: Vec<usize>,
    /// The run at `u`, and its lambda; none if there was no time for one.
    pub(super) run: Option<(Solved, f64)>,
    /// By which the rows were ranked, over the runs whose rows the anchors are; empty without a run.
    pub(super) row_norms: Vec<f64>,
    /// Which norms these are.
    pub(super) ranking: Ranking,
    /// Steps of all runs; those in fewer dimensions count for less.
    pub(super) steps: usize,
    /// `R0`.
    spa_residual: f64,
    /// Why SPA's and MERIT's anchors were not pruned.
    unpruned: Option<String>,
    /// Dimensions in which the anchors were searched, where these are not all.
    searched_in: Option<usize>,
}

/// The anchors, searched where the columns vary beyond noise if that is clear, else among the columns as they are. `C` is that of
/// the columns as they are.
pub(super) fn search(
    workspace: &mut Workspace,
    rank: usize,
    settings: &Settings,
    initial: Initial,
    eligible: &dyn Fn(usize) -> bool,
    stages: &mut Stages,
) -> Result<Automatic, Error> {
    let x = workspace.data();
    let mut denoised = None;
    if settings.regularization == Regularization::Auto && !stages.interrupted() {
        denoised = stages.whole(spa_stage(), |_| signal(x, rank))?;
    }
    let Some(y) = denoised else {
        let first = First::of(workspace, rank, settings, initial, "", stages)?;
        return compare(workspace, first, rank, settings, eligible, stages);
    };
    let first = First::of(workspace, rank, settings, initial.clone(), "", stages)?;
    if stages.cut_short().is_some() {
        return compare(workspace, first, rank, settings, eligible, stages);
    }
    let mut inner = Workspace::new(&y);
    let among = format!(" in {}", counted(y.rows(), "dimension", "dimensions"));
    let found = First::of(&mut inner, rank, settings, initial, &among, stages)
        .and_then(|first| compare(&mut inner, first, rank, settings, eligible, stages));
    match found {
        Err(Error::Interrupted) => compare(workspace, first, rank, settings, eligible, stages),
        found => {
            let found = found?;
            let steps = first.steps() + found.steps * y.rows() / x.rows();
            let spa_residual = first.spa.candidate.squared_residual;
            let searched_in = Some(y.rows());
            Ok(Automatic { run: first.run, steps, spa_residual, searched_in, ..found })
        }
    }
}

/// SPA, and a run at its residual per column.
struct First {
    spa: Fitted,
    /// The run and its lambda; none if there was no time for one.
    run: Option<(Solved, f64)>,
}

impl First {
    fn of(
        workspace: &mut Workspace,
        rank: usize,
        settings: &Settings,
        initial: Initial,
        among: &str,
        stages: &mut Stages,
    ) -> Result<Self, Error> {
        let x = workspace.data();
        let spa = stages.whole(spa_stage(), |interrupt| {
            let anchors = spa::select(x, rank, interrupt).anchors;
            Fitted::of(x, Source::Spa, anchors, interrupt)
        })?;
        let start = stages.part(|interrupt| initial.start(x, rank, interrupt))?;
        if stages.cut_short().is_some() {
            return Ok(Self { spa, run: None });
        }
        let lambda = SpaFit::known(&spa).unit();
        let stage = solve_stage(settings, lambda, among).with_result();
        let run = stages.run(stage, |stages| run_solver(workspace, start, lambda, &settings.solver, stages));
        let run = match run {
            Err(Error::Interrupted) => {
                stages.ended(StopReason::Interrupted); // before its first step: SPA's anchors are what there is
                None
            }
            run => Some((run?, lambda)),
        };
        Ok(Self { spa, run })
    }

    fn steps(&self) -> usize {
        self.run.as_ref().map_or(0, |(run, _)| run.solution.iterations)
    }
}

/// More runs where the first one's rankings of the rows disagree, and what pruning makes of SPA's and its anchors.
fn compare(
    workspace: &mut Workspace,
    first: First,
    rank: usize,
    settings: &Settings,
    eligible: &dyn Fn(usize) -> bool,
    stages: &mut Stages,
) -> Result<Automatic, Error> {
    let (x, mut steps) = (workspace.data(), first.steps());
    let First { spa, run: found } = first;
    let spa_residual = spa.candidate.squared_residual;
    let mut sets = vec![spa];
    let ranking = settings.regularization.ranking();
    let (mut row_norms, mut pooled_norms) = (Vec::new(), None);
    if let Some((run, lambda)) = &found {
        let lambda = *lambda;
        row_norms = ranking.norms(&run.solution.c);
        let mut add = |source: Source, ranking: Ranking, anchors: &[usize], stages: &mut Stages| {
            let anchors = anchors.to_vec();
            let fitted = stages.whole(refit_stage(), |interrupt| Fitted::of(x, source, anchors, interrupt));
            sets.extend(fitted.ok().map(|set| match source {
                Source::Merit => set.ranked(ranking).at(lambda, 1.0),
                _ => set.ranked(ranking),
            })); // interrupted, it is left out
        };
        let ranked = largest_rows(&row_norms, rank, eligible);
        add(Source::Merit, ranking, &ranked, stages);
        if !settings.regularization.further_multiples().is_empty() {
            let by_maximum = largest_rows(&Ranking::Maximum.norms(&run.solution.c), rank, eligible);
            add(Source::Merit, Ranking::Maximum, &by_maximum, stages);
            if sorted(by_maximum) != sorted(ranked) {
                let more = pooled(workspace, &run.solution.c, &row_norms, lambda, settings, stages)?;
                (pooled_norms, steps) = (more.0, steps + more.1);
            }
            if let Some(norms) = &pooled_norms {
                add(Source::Pooled, Ranking::TwoNorm, &largest_rows(norms, rank, eligible), stages);
            }
        }
    }
    let prunes = union_to_prune(x, &sets, rank);
    if let (None, Ok(union)) = (stages.cut_short(), &prunes) {
        let union = union.clone();
        let pruned = stages.whole(refit_stage(), |interrupt| pruned(x, union, &sets, rank, interrupt));
        sets.extend(pruned.ok().flatten());
    }
    let chosen = choose(&sets, square(x));
    let mut candidates: Vec<Candidate> = sets.into_iter().map(|set| set.candidate).collect();
    candidates[chosen].chosen = true;
    if let (Source::Pooled, Some(norms)) = (candidates[chosen].source, pooled_norms) {
        row_norms = norms;
    }
    let anchors = candidates[chosen].anchors.clone();
    let (unpruned, searched_in) = (prunes.err(), None);
    Ok(Automatic { candidates, anchors, run: found, row_norms, ranking, steps, spa_residual, unpruned, searched_in })
}

/// The 2-norms of the rows of all runs together, `[C_1, C_(1/2), C_(1/4)]`, or none if the time is not enough; and the steps of the
/// further runs.
///
/// A run starts from where the one before ended: a third of the steps then does as well as all of them from `C = 0`.
fn pooled(
    workspace: &mut Workspace,
    first: &FeasibleColumns,
    norms: &[f64],
    unit: f64,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<(Option<Vec<f64>>, usize), Error> {
    let (all, multiples) = (&settings.solver, settings.regularization.further_multiples());
    let shorter = solver::Settings {
        iterations: all.iterations.div_ceil(3),
        start_iteration: Some(all.iterations / 5),
        ..all.clone()
    };
    let mut squares: Vec<f64> = norms.iter().map(|norm| norm * norm).collect();
    let (mut start, mut steps) = (first.clone(), 0);
    for (i, &multiple) in multiples.iter().enumerate() {
        if stages.cut_short().is_some() {
            return Ok((None, steps));
        }
        let lambda = multiple * unit;
        let stage =
            solve_stage(settings, lambda, &format!(" (run {} of {})", i + 2, multiples.len() + 1)).with_result();
        let from = Start::Columns(start);
        let run = match stages.run(stage, |stages| run_solver(workspace, from, lambda, &shorter, stages)) {
            Err(Error::Interrupted) => {
                stages.ended(StopReason::Interrupted);
                return Ok((None, steps));
            }
            run => run?,
        };
        let norms = Ranking::TwoNorm.norms(&run.solution.c);
        squares.iter_mut().zip(norms).for_each(|(sum, norm)| *sum += norm * norm);
        (start, steps) = (run.solution.c, steps + run.solution.iterations);
    }
    squares.iter_mut().for_each(|sum| *sum = sum.sqrt());
    Ok((stages.cut_short().is_none().then_some(squares), steps))
}

fn refit_stage() -> Stage {
    Stage::new("refit", "").with_result()
}

/// Columns that are pruned at most: each is a least squares problem on all others, once and again.
const MOST_PRUNED: usize = 500;

fn sorted(mut set: Vec<usize>) -> Vec<usize> {
    set.sort_unstable();
    set.dedup();
    set
}

/// SPA's and the first run's anchors together, or why they are too many to choose from.
fn union_to_prune(x: &DataMatrix, sets: &[Fitted], rank: usize) -> Result<Vec<usize>, String> {
    let union = sorted(sets.iter().take(2).flat_map(|set| set.candidate.anchors.iter().copied()).collect());
    let (rows, many) = (x.rows(), union.len());
    if many > rank && rank > rows + 1 {
        return Err(format!("{rank} anchors are more than the corners of a simplex in {rows} dimensions"));
    }
    if many > MOST_PRUNED.max(rank) {
        return Err(format!("they are {many} columns, and at most {MOST_PRUNED} are compared"));
    }
    Ok(union)
}

/// `K` of the anchors that SPA and the first run found, unless that is a set that we have. (The other runs' anchors do harm
/// here: where noise points outward, they are midpoints far from the hull of the rest.)
fn pruned(x: &DataMatrix, union: Vec<usize>, sets: &[Fitted], rank: usize, interrupt: &Interrupt) -> Option<Fitted> {
    let set = match x.is_shared() {
        false => prune(x, union, rank, interrupt),
        true => {
            // All processes compare the few columns.
            let few = x.dense_columns(&union).into();
            let kept = prune(&few, (0..union.len()).collect(), rank, interrupt);
            kept.into_iter().map(|i| union[i]).collect()
        }
    };
    let new = sets.iter().all(|other| sorted(other.candidate.anchors.clone()) != set);
    new.then(|| Fitted::of(x, Source::Pruned, set, interrupt))
}

impl Automatic {
    /// What the user should know about the choice.
    pub(super) fn notes(&self, rank: usize, x: &DataMatrix) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(dim) = self.searched_in {
            notes.push(format!(
                "the columns vary beyond noise in {}: anchors and row norms are of a search there, with less noise; C and its \
                 bounds are of all {} rows",
                counted(dim, "dimension", "dimensions"),
                x.rows()
            ));
        }
        let from = self.candidates.iter().find(|candidate| candidate.chosen).map(|candidate| candidate.source);
        if self.run.is_none() {
            notes.push("there was no time for a step of MERIT: the anchors are SPA's".to_string());
        }
        let whose = match from {
            Some(Source::Spa) if self.run.is_some() => Some("SPA's: they explain"),
            Some(Source::Pruned) => Some("chosen among SPA's and MERIT's: together they explain"),
            _ => None,
        };
        if let Some(whose) = whose {
            notes.push(format!(
                "the anchors are {whose} the data better than MERIT's (C, gap and row norms are those of the MERIT run)"
            ));
        }
        if let Some(why) = &self.unpruned {
            notes.push(format!("no set was chosen among SPA's and MERIT's anchors together: {why}"));
        }
        let spread = spread(x);
        if self.spa_residual >= spread && spread > 0.0 {
            notes.push(format!(
                "SPA's {} less than the mean column does ({:.3e} against {spread:.3e} of squared residual): columns that do \
                 not sum to one are not what automatic regularization is for; give `regularization` a small number",
                counted(rank, "anchor explains", "anchors explain"),
                self.spa_residual
            ));
        }
        notes
    }
}
