//! Which anchors? Sets of anchors compete: whose topics sort one half of a text's words as they sort the other half?
//!
//! ```text
//! agreement = part of the documents whose main topic is the same by either half of their words
//! kappa     = (agreement - c) / (1 - c),   c = sum_k p1(k) p2(k): what two sortings that know nothing of each other would have
//! ```
//!
//! Limits are judged by agreement, for the same number of topics; numbers of topics ([`crate::sweep`]) by kappa, because fewer topics agree more by chance.
//!
//! Topics that miss a story scatter its texts at random, and topics that cut a story in two toss a coin for each of its texts: either shows as halves that
//! disagree. The likelihood of the other half's words (document completion) sees the first of these only: it always prefers the largest stories cut
//! in pieces. Words of a document go to the halves in turn ([`halves`]). If there are more than 10,000 documents, an even sample is looked at.
//!
//! Time for each set: topics by least squares, and `O(nnz K)` for each of 20 steps. Reference: Cohen, *A coefficient of agreement for nominal scales*, 1960.

use crate::Error;
use crate::anchoring::{Anchored, Space};
use crate::likelihood::{halves, proportions_within};
use crate::quality::main_topics;
use crate::recovery::topics_of_anchors;
use merit::progress::{Interrupt, Stage, Stages};
use merit::words::counted;
use merit::{DenseMatrix, SparseMatrix};
use serde::{Deserialize, Serialize};

/// Documents that are looked at, at most.
const DOCUMENTS: usize = 10_000;
/// Steps towards the proportions of a half, of which only the largest matters.
const STEPS: usize = 20;

/// Anchors that were tried, and how they did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// Who found them.
    pub method: String,
    /// Documents that an anchor had to be in.
    pub minimum_documents: usize,
    /// Words that are in at least that many.
    pub words: usize,
    /// Part of the documents whose halves have the same main topic; 1 is best.
    pub agreement: f64,
    /// Anchors that the chosen set has too.
    pub anchors_shared: usize,
    /// Whether they were taken.
    pub chosen: bool,
}

/// Anchor sets that compete.
pub(crate) struct Contest<'a> {
    space: &'a Space,
    counts: &'a SparseMatrix,
    halves: Option<(SparseMatrix, SparseMatrix)>,
    entered: Vec<Entry>,
    best: Option<usize>,
    /// The topics of the best.
    topics: Option<DenseMatrix>,
}

#[derive(Clone)]
pub(crate) struct Entry {
    method: &'static str,
    pub minimum_documents: usize,
    words: usize,
    pub anchors: Vec<usize>,
    pub given: Vec<bool>,
    pub scores: Vec<f64>,
    pub agreement: f64,
}

impl<'a> Contest<'a> {
    pub fn new(space: &'a Space, counts: &'a SparseMatrix) -> Self {
        Self { space, counts, halves: None, entered: Vec::new(), best: None, topics: None }
    }

    /// Judges anchors.
    pub fn enter(&mut self, found: &Anchored, stages: &mut Stages) -> Result<(), Error> {
        let known = self.entered.iter().find(|other| shared(&other.anchors, &found.anchors) == found.anchors.len());
        let agreement = match known.map(|other| other.agreement) {
            Some(agreement) => agreement,
            None => {
                let (space, counts) = (self.space, self.counts);
                let halves = self
                    .halves
                    .get_or_insert_with(|| halves(&every(counts, counts.rows().div_ceil(DOCUMENTS).max(1), 0)));
                let documents = counted(found.minimum_documents, "document", "documents");
                let title = format!("trying anchors in {documents} or more");
                let (topics, agreement) = stages.whole(Stage::new("limits", title), |interrupt| {
                    let topics = topics_of_anchors(&space.together, counts, &found.anchors, interrupt);
                    let (agreement, _) = agreement(&topics, halves, interrupt);
                    (topics, agreement)
                })?;
                if self.best().is_none_or(|best| agreement > best.agreement) {
                    (self.best, self.topics) = (Some(self.entered.len()), Some(topics));
                }
                agreement
            }
        };
        self.entered.push(Entry {
            method: found.search.method.name(),
            minimum_documents: found.minimum_documents,
            words: found.searched_words,
            anchors: found.anchors.clone(),
            given: found.given.clone(),
            scores: found.scores.clone(),
            agreement,
        });
        Ok(())
    }

    pub fn best(&self) -> Option<&Entry> {
        self.best.map(|best| &self.entered[best])
    }

    pub fn last_is_worse_than(&self, other: &Entry) -> bool {
        self.entered.last().is_some_and(|last| last.agreement < other.agreement)
    }

    /// The topics of these anchors, in their order, if they are known.
    pub fn topics(&mut self, anchors: &[usize]) -> Option<DenseMatrix> {
        let best = &self.entered[self.best?].anchors;
        let place = |anchor: &usize| best.iter().position(|other| other == anchor);
        let order: Vec<usize> = anchors.iter().map(place).collect::<Option<_>>()?;
        let found = self.topics.take()?;
        Some(DenseMatrix::from_fn(order.len(), found.cols(), |k, n| found.get(order[k], n)))
    }

    /// What was tried, beside the anchors that were taken.
    pub fn table(&self, taken: &[usize]) -> Vec<Tried> {
        let row = |entry: &Entry| {
            let anchors_shared = shared(&entry.anchors, taken);
            Tried {
                method: entry.method.into(),
                minimum_documents: entry.minimum_documents,
                words: entry.words,
                agreement: entry.agreement,
                anchors_shared,
                chosen: anchors_shared == taken.len(),
            }
        };
        self.entered.iter().map(row).collect()
    }
}

/// How many anchors two sets have in common.
fn shared(a: &[usize], b: &[usize]) -> usize {
    a.iter().filter(|anchor| b.contains(anchor)).count()
}

/// Every `step`-th document from `first` on.
pub(crate) fn every(counts: &SparseMatrix, step: usize, first: usize) -> SparseMatrix {
    if step == 1 && first == 0 {
        return counts.clone();
    }
    let which: Vec<usize> = (first..counts.rows()).step_by(step).collect();
    counts.transposed().select(&which).transposed()
}

/// How often the main topics of the two halves of a document are the same: agreement and kappa, over the documents that have both. Meaningless after an interrupt.
pub(crate) fn agreement(
    topics: &DenseMatrix,
    (first, second): &(SparseMatrix, SparseMatrix),
    interrupt: &Interrupt,
) -> (f64, f64) {
    let main = |half: &SparseMatrix| main_topics(&proportions_within(STEPS, topics, half, interrupt));
    compared(&main(first), &main(second), topics.rows())
}

/// Agreement and kappa of two sortings into `kinds`; 0 where nothing is sorted, and where chance would do as well.
fn compared(a: &[Option<usize>], b: &[Option<usize>], kinds: usize) -> (f64, f64) {
    let (mut sizes, mut same, mut all) = (vec![[0.0; 2]; kinds], 0.0, 0.0);
    for (a, b) in a.iter().zip(b).filter_map(|(a, b)| a.zip(*b)) {
        sizes[a][0] += 1.0;
        sizes[b][1] += 1.0;
        same += f64::from(a == b);
        all += 1.0;
    }
    if all == 0.0 {
        return (0.0, 0.0);
    }
    let chance = sizes.iter().map(|[a, b]| a * b).sum::<f64>() / (all * all);
    let agreed = same / all;
    (agreed, if chance < 1.0 { (agreed - chance) / (1.0 - chance) } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_is_agreement_beyond_chance() {
        let of = |list: &[usize]| list.iter().map(|&k| Some(k)).collect::<Vec<_>>();
        assert_eq!(compared(&of(&[0, 1, 0, 1]), &of(&[0, 1, 0, 1]), 2), (1.0, 1.0));
        assert_eq!(compared(&of(&[0, 0, 1, 1]), &of(&[0, 1, 0, 1]), 2), (0.5, 0.0));
        assert_eq!(compared(&of(&[0, 0, 0]), &of(&[0, 0, 0]), 2), (1.0, 0.0), "one topic for all says nothing");
        assert_eq!(compared(&[None, Some(1)], &of(&[0, 1]), 2), (1.0, 0.0));
        assert_eq!(compared(&[], &[], 2), (0.0, 0.0));
        // Three of four agree; by chance (3/4)(2/4) + (1/4)(2/4) = 1/2 would.
        assert_eq!(compared(&of(&[0, 0, 0, 1]), &of(&[0, 0, 1, 1]), 2), (0.75, 0.5));
    }
}
