//! The pipeline: parts, eigenvectors, pure nodes, memberships, refinement.
//!
//! ```text
//! graph -> parts with a number of communities each -> for some operators:  V -> kept nodes -> X = V(kept,:)' -> pure nodes -> shares -> refined
//!       -> the operator whose communities explain the edges best -> Theta (all nodes), B
//! ```
//!
//! | method | pure nodes | memberships by default |
//! |---|---|---|
//! | SPA, MERIT, XRAY, ... | the method on the kept nodes; of MERIT the K largest rows of `C`, unless they repeat a corner (`RowRule`) | inverse, refined |
//! | FastGradient | FastGradient on the adjacency matrix of the kept nodes, as the authors ran it | inverse |
//! | SPOC | SPA on all nodes | floored |
//! | GeoNMF | clusters of the outermost points of `D^-1/2 V Theta^1/2` ([`geonmf`](crate::geonmf)) | its own |
//!
//! The last three, everything `published` and every rule for shares that is asked for by name are recipes: they see the whole graph at once, with
//! one operator (the adjacency matrix by default), and nothing is refined. SPOC's scores on the paper's networks are met by its rule
//! ([`memberships`](mod@crate::memberships)). With MERIT's rule (`memberships: Some(Rule::Inverse)`) it equals the paper's MERIT(0) on DBLP2 and 4.
//! MERIT(0)'s depend on the order of the nodes, and are the paper's with [`Settings::published`].
//!
//! **Why SPA.** On eigenvectors MERIT returned SPA's nodes on 16 of 23 graphs, and differed by one on the others, at 20 times the cost; the
//! refinement takes both to the same shares. So it runs where it is asked for. Its lambda is small and fixed: rows of `V` do not sum to one, so the rules
//! that choose lambda by SPA's residual do not apply. The solver stops early, as the paper's experiments do.
//!
//! **Which operator.** No one is best everywhere: hubs lead the adjacency matrix astray, small dense pieces the others. What can be seen without the truth is how well the communities of the
//! largest shares explain the edges ([`explained`](crate::connections::explained)). Four operators are tried on graphs of up to 300,000
//! edges; larger ones take the second.
//!
//! Communities are numbered by size, largest first, and the solver sees the nodes by energy, so that names and the order of edges
//! do not change what is found, unless nodes tie.

use crate::Error;
use crate::connections::connections;
use crate::detection::by_size;
pub use crate::detection::{Detection, Tried};
use crate::graph::Graph;
use crate::number_of_communities::{Number, estimate};
use crate::one_part::unconverged;
use crate::part_by_part::part_by_part;
use crate::pure_nodes::from_eigenvectors;
use crate::settings::Settings;
use crate::spectrum::spectrum;
use crate::stability;
use merit::DenseMatrix;
use merit::progress::{Observer, Stage, Stages, StopReason};
use merit::search::Search;
use merit::settings::Declared;
use merit_linalg::eigen::Eigenpairs;

/// Finds communities. `observer` sees stages and iterations and may end it.
pub fn detect(graph: &Graph, settings: &Settings, observer: &mut dyn Observer) -> Result<Detection, Error> {
    settings.check_ranges().map_err(merit::Error::from)?;
    let mut stages = Stages::new(observer, settings.search.solver.time_limit);
    let (guess, rank) = match settings.communities {
        Some(Number::Exactly(number)) => (None, number),
        given => {
            let (least, most) = match given {
                Some(Number::Between(least, most)) => (least, Some(most)),
                _ => (1, None),
            };
            let stage = Stage::new("count", "estimating the number of communities");
            let guess = stages.whole(stage, |interrupt| estimate(graph, least, most, interrupt))?;
            let rank = guess.communities;
            (Some(guess), rank)
        }
    };
    if rank > graph.nodes() {
        return Err(Error::TooManyCommunities { communities: rank, nodes: graph.nodes() });
    }
    let mut solved = solve(graph, rank, settings, &mut stages)?;
    if let Some(guess) = &guess {
        solved.notes.insert(0, guess.statement());
    }
    let known: Vec<bool> = solved.known.clone();
    let b = stages.run(Stage::new("connections", ""), |_| connections(&graph.adjacency, &solved.shares, &known));
    let mut found = Detection {
        estimate: guess,
        operators: solved.operators,
        b,
        spectrum: solved.spectrum,
        kept: solved.kept,
        pure: solved.pure,
        scores: solved.scores,
        memberships: solved.shares,
        unknown: (0..graph.nodes()).filter(|&i| !known[i]).collect(),
        stop: match stages.interrupted() {
            true => Some(StopReason::Interrupted),
            false => solved.search.as_ref().and_then(|search| search.stop),
        },
        stability: None,
        search: solved.search,
        notes: solved.notes,
        seconds: Vec::new(),
    };
    by_size(&mut found);
    if settings.stability > 0 {
        found.stability = stability::measure(graph, &mut found, settings, &mut stages)?;
    }
    found.seconds = stages.seconds().to_vec();
    Ok(found)
}

/// Pure nodes and shares, by a recipe or part by part.
pub(crate) fn solve(graph: &Graph, rank: usize, settings: &Settings, stages: &mut Stages) -> Result<Solved, Error> {
    match settings.is_recipe() {
        true => recipe(graph, rank, settings, stages),
        false => part_by_part(graph, rank, settings, stages),
    }
}

/// Pure nodes and shares of all nodes.
pub(crate) struct Solved {
    pub operators: Vec<Tried>,
    pub spectrum: Eigenpairs,
    pub kept: Vec<usize>,
    pub pure: Vec<usize>,
    pub scores: Vec<f64>,
    pub shares: DenseMatrix,
    pub known: Vec<bool>,
    pub search: Option<Search>,
    pub notes: Vec<String>,
}

/// The whole graph at once, as it was published.
fn recipe(graph: &Graph, rank: usize, settings: &Settings, stages: &mut Stages) -> Result<Solved, Error> {
    let operator = settings.operator.unwrap_or_default();
    let stage = Stage::new("eigenvectors", "eigenvectors");
    let pairs = stages.whole(stage, |interrupt| spectrum(graph, operator, rank, interrupt))?;
    let mut notes = unconverged(&pairs, rank);
    let found = from_eigenvectors(&graph.adjacency, pairs, operator, settings, stages)?;
    notes.extend(found.notes);
    let mut known = vec![true; graph.nodes()];
    found.shares.empty.iter().for_each(|&i| known[i] = false);
    Ok(Solved {
        operators: Vec::new(),
        spectrum: found.spectrum,
        kept: found.kept,
        pure: found.pure,
        scores: found.scores,
        shares: found.shares.theta,
        known,
        search: found.search,
        notes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memberships::Rule;
    use crate::mmsb::Mmsb;
    use merit::progress::{Interrupt, Progress};
    use std::ops::ControlFlow;

    /// Ends the work when a stage begins.
    struct EndsAt(&'static str, Interrupt);

    impl Observer for EndsAt {
        fn iteration(&mut self, _: &Progress) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }

        fn stage(&mut self, stage: &Stage) {
            if stage.name == self.0 {
                self.1.ask();
            }
        }

        fn interrupt(&self) -> Interrupt {
            self.1.clone()
        }
    }

    /// From the pure nodes on there are shares, before them nothing.
    #[test]
    fn pure_nodes_are_enough_for_rough_shares() {
        let model = Mmsb { mean_degree: 60.0, concentration: 0.05, seed: 1, ..Mmsb::new(600, 3) };
        let drawn = model.generate().unwrap();
        let graph = drawn.graph().unwrap();
        let ended = |stage, settings: &Settings| detect(&graph, settings, &mut EndsAt(stage, Interrupt::new()));
        for stage in ["eigenvectors", "spa"] {
            let error = ended(stage, &Settings::new(3)).unwrap_err();
            assert!(matches!(error, Error::Merit(merit::Error::Interrupted)), "{stage}: {error}");
        }
        for memberships in [None, Some(Rule::Simplex)] {
            let settings = Settings { memberships, ..Settings::new(3) };
            let found = ended("memberships", &settings).unwrap();
            assert_eq!(found.stop, Some(StopReason::Interrupted));
            assert!(found.notes.iter().any(|note| note.contains("a rough guess")), "{:?}", found.notes);
            let src = merit::metrics::src(&found.memberships, &drawn.theta);
            assert!(src > 0.7, "{src}");
        }
    }
}
