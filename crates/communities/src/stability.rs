//! Which communities are found again when some edges are missing.
//!
//! ```text
//! found again (k) = mean over repeats of  max_l |A_k and B_l| / |A_k or B_l|          A: the communities of the largest shares;  B: without a tenth of the edges
//! ```
//!
//! Everything is done again on each thinned graph, with as many communities and the same operator. Above 3/4 a community is stable; at 1/2 or less it falls apart (C. Hennig, Comp.
//! Stat. & Data Analysis 52, 2007). A part of the edges is not part of the truth: a community that is always found again is a fact of the graph, not of the world.

use crate::Error;
use crate::detect::solve;
use crate::detection::{Detection, dominant};
use crate::graph::Graph;
use crate::settings::Settings;
use crate::thinning::thinned;
use merit::progress::{Interrupt, Observer, Progress, Stage, Stages};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// One edge in this many is removed.
const ONE_IN: u64 = 10;

/// How often communities come back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// How often communities were searched for again.
    pub repeats: usize,
    /// Of each community the part that was found again, from 0 to 1.
    pub found_again: Vec<f64>,
}

impl Stability {
    /// One more repeat: communities of all nodes, before and again.
    pub(crate) fn add(&mut self, before: &[Option<usize>], again: &[Option<usize>]) {
        let found = overlaps(before, again, self.found_again.len());
        let done = self.repeats as f64;
        self.found_again.iter_mut().zip(found).for_each(|(mean, part)| *mean = (*mean * done + part) / (done + 1.0));
        self.repeats += 1;
    }
}

/// Once more on graphs without some of the edges, as often as asked for, or until an interrupt.
pub(crate) fn measure(
    graph: &Graph,
    found: &mut Detection,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Option<Stability>, Error> {
    let taken = found.operators.iter().find(|tried| tried.taken).map(|tried| tried.operator);
    let settings = Settings { operator: taken.or(settings.operator), ..settings.clone() };
    let (rank, before) = (found.pure.len(), found.dominant());
    let mut stability = Stability { repeats: 0, found_again: vec![0.0; rank] };
    for repeat in 0..settings.stability {
        if stages.cut_short().is_some() || stages.time_left().is_some_and(|left| left.is_zero()) {
            break;
        }
        let title = format!("once more without a tenth of the edges ({} of {})", repeat + 1, settings.stability);
        let again = stages.whole(Stage::new("stability", title).with_result(), |interrupt| {
            // The first belongs to the held-out edges.
            let (adjacency, _) = thinned(&graph.adjacency, ONE_IN, repeat as u64 + 1);
            let rest = Graph { adjacency, names: Vec::new(), record: graph.record.clone() };
            let mut unseen = Unseen(interrupt.clone());
            solve(&rest, rank, &settings, &mut Stages::new(&mut unseen, None))
        });
        match again {
            Ok(Ok(again)) => stability.add(&before, &dominant(&again.shares, &again.known)),
            Ok(Err(Error::FewPureNodes { .. })) => stability.add(&before, &vec![None; before.len()]),
            Ok(Err(error)) => return Err(error),
            Err(_) => break, // there is a result
        }
    }
    if stability.repeats < settings.stability {
        found.notes.push(format!(
            "it ended early: communities were searched for again {} of {} times",
            stability.repeats, settings.stability
        ));
    }
    Ok((stability.repeats > 0).then_some(stability))
}

/// An observer that ignores everything.
struct Unseen(Interrupt);

impl Observer for Unseen {
    fn iteration(&mut self, _: &Progress) -> ControlFlow<()> {
        if self.0.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn interrupt(&self) -> Interrupt {
        self.0.clone()
    }
}

/// Of each of `count` communities the best overlap with one of the others, by Jaccard's index; 0 for one without members.
fn overlaps(before: &[Option<usize>], again: &[Option<usize>], count: usize) -> Vec<f64> {
    let others = again.iter().flatten().max().map_or(0, |last| last + 1);
    let (mut both, mut of, mut of_others) = (vec![0.0_f64; count * others], vec![0.0; count], vec![0.0; others]);
    for (k, l) in before.iter().zip(again) {
        k.iter().for_each(|k| of[*k] += 1.0);
        l.iter().for_each(|l| of_others[*l] += 1.0);
        if let (Some(k), Some(l)) = (k, l) {
            both[k * others + l] += 1.0;
        }
    }
    let best = |k: usize| {
        let overlap = |l: usize| both[k * others + l] / (of[k] + of_others[l] - both[k * others + l]).max(1.0);
        (0..others).map(overlap).fold(0.0, f64::max)
    };
    (0..count).map(best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_those_of_the_best_pairs() {
        let before = [0, 0, 0, 0, 1, 1, 2, 2].map(Some);
        let mut again = [5, 5, 5, 1, 1, 1, 0, 3].map(Some);
        again[7] = None;
        // 3 of 4; 2 of 3; 1 of 2
        assert_eq!(overlaps(&before, &again, 4), [0.75, 2.0 / 3.0, 0.5, 0.0]);
        let mut stability = Stability { repeats: 0, found_again: vec![0.0; 3] };
        stability.add(&before, &again);
        stability.add(&before, &before);
        let apart = stability.found_again.iter().zip([0.875, 5.0 / 6.0, 0.75]).map(|(a, b)| (a - b).abs());
        assert!(stability.repeats == 2 && apart.fold(0.0, f64::max) < 1e-15, "{stability:?}");
    }
}
