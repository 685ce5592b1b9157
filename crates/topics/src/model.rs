//! Anchors, topics and documents of a corpus.
//!
//! ```text
//! X = U' barP (2K x N)  ->  K anchors  ->  p(topic | word)  ->  p(word | topic)  ->  a few steps of EM  ->  proportions of documents
//! ```
//!
//! **Anchors.** Rare words make extreme points that mean little, so an anchor must be in some number of documents. Several limits are tried
//! ([`crate::anchors::limits`]), each with SPA, and judged by *document completion*: topics and proportions from one half of every
//! document's words, and the likelihood of the other half. Then the method asked for searches among the words of the best limit. MERIT's anchors are
//! judged in the same way and taken unless SPA's are better. Words that always appear together are copies of each other as
//! columns of `X` and are merged first. Words that the caller gives as anchors replace the anchors nearest to them; words that are forbidden are never anchors,
//! but stay in the vocabulary.
//!
//! **MERIT** starts from SPA's anchors (`C_init` by simplex least squares) at step `floor(sqrt(N) / ||X - X C_init||_F) - 1`. Unless told otherwise, with `f` = half of
//! `||X - X C_init||_F^2` it takes `lambda = f / N` and stops at a gap of `f / 10`.
//!
//! **Topics** are `p(topic | word)` by [`crate::recovery`], turned round by Bayes' rule, and refined by [`crate::likelihood`]. They are numbered by size.
//!
//! Time: that of the search, `O(K N^2)` a step among the words that may be anchors, and `O(K nnz)` a step of EM; memory `O(nnz + K (N + D))`. Reference: Nguyen, Fu, Wu (Section
//! VI-B); Arora et al., ICML 2013; document completion: Wallach et al., *Evaluation methods for topic models*, ICML 2009.

use crate::Error;
use crate::anchoring::{Anchored, Space, Words, find};
use crate::anchors::limits;
use crate::cooccurrence::informative_words;
use crate::documents::sizes;
use crate::lda;
use crate::likelihood::{Refinement, halves, mean_log_likelihood, proportions};
use crate::number_of_topics::{self, Estimate};
use crate::recovery::{topics_of_words, words_of_topics};
use crate::settings::{AnchorWords, HowMany, Method, Own, Settings};
use crate::sweep::{Sweep, sweep, usual_numbers};
use merit::progress::{Interrupt, Observer, Stage, Stages, StopReason};
use merit::search::Search;
use merit::settings::Declared;
use merit::{DataMatrix, DenseMatrix, SparseMatrix};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Steps of EM on the first halves before the second halves are looked at.
const TRIAL_STEPS: usize = 5;

/// Topics, and what the documents are made of.
#[derive(Debug)]
#[non_exhaustive]
pub struct Model {
    /// The words that take part, by their column of the counts: those in some documents but not in all.
    pub words: Vec<usize>,
    /// The search for anchors, numbered as `words`; none for LDA.
    pub search: Option<Search>,
    /// The anchor of each topic, numbered as `words`; empty for LDA.
    pub anchors: Vec<usize>,
    /// Which of them the caller gave.
    pub given: Vec<bool>,
    /// What the method went by, an anchor each; MERIT's are row norms.
    pub scores: Vec<f64>,
    /// `p(word | topic)`, topics x `words`; rows sum to 1. The largest topic first.
    pub topics: DenseMatrix,
    /// Proportions, topics x documents: columns sum to 1; a document without known words has zeros.
    pub documents: DenseMatrix,
    /// Anchor sets that were compared, where there was a choice.
    pub tried: Vec<Tried>,
    /// Steps of EM, or sweeps of LDA, that were taken.
    pub refinements: usize,
    /// Mean logarithm of the probability of a word, by topics and proportions.
    pub log_likelihood: f64,
    /// LDA's alpha as used.
    pub alpha: Option<f64>,
    /// The estimate of `K` from the spectrum, if it was left out.
    pub topics_estimate: Option<Estimate>,
    /// The numbers of topics that were tried, if there were several.
    pub sweep: Option<Sweep>,
    /// Words that the search for anchors saw, after merging and leaving out.
    pub searched_words: usize,
    /// Documents that an anchor had to be in.
    pub minimum_documents: usize,
    /// Why it ended, for methods that take steps.
    pub stop: Option<StopReason>,
    /// What the user should know.
    pub notes: Vec<String>,
    /// Seconds of each stage.
    pub seconds: Vec<(&'static str, f64)>,
}

/// Anchors that were tried, and how well their topics told words that they had not seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// Who found them.
    pub method: String,
    /// Documents that an anchor had to be in.
    pub minimum_documents: usize,
    /// Words that are in so many.
    pub words: usize,
    /// Mean logarithm of the probability of a word in the second halves of the documents, topics and proportions being from the first
    /// halves; the larger, the better.
    pub completion: f64,
    /// Anchors that the chosen set has too.
    pub anchors_shared: usize,
    /// Whether they were taken.
    pub chosen: bool,
}

/// Topics of `counts` (documents x words, whole numbers). `observer` sees stages and iterations and may end it.
///
/// Fails when no word tells documents apart, or when there are fewer different words than topics.
pub fn fit(
    counts: &SparseMatrix,
    settings: &Settings,
    chosen: &AnchorWords,
    observer: &mut dyn Observer,
) -> Result<Model, Error> {
    settings.check_ranges().map_err(merit::Error::from)?;
    check_counts(counts)?;
    let words = informative_words(counts);
    if words.is_empty() {
        return Err(Error::NothingInformative { words: counts.cols(), documents: counts.rows() });
    }
    let counts = counts.select(&words);
    let mut stages = Stages::new(observer, settings.search.solver.time_limit);
    let mut notes = Vec::new();
    let Number { topics, topics_estimate, sweep } =
        number_of_topics(&counts, settings, chosen, &mut stages, &mut notes)?;
    if topics > words.len() {
        return Err(Error::FewWords { topics, words: words.len() });
    }
    if chosen.given.len() > topics {
        return Err(Error::ManyAnchors { anchors: chosen.given.len(), topics });
    }
    let mut model = match settings.method {
        Method::Own(Own::Lda) => by_sampling(&counts, topics, settings, &mut stages)?,
        Method::Anchors(method) => {
            let among = Words { counts: &counts, columns: &words, chosen };
            by_anchors(&among, topics, method, settings, &mut stages, &mut notes)?
        }
    };
    model.log_likelihood = mean_log_likelihood(&model.topics, &model.documents, &counts);
    if model.stop == Some(StopReason::Interrupted) {
        notes.push("interrupted: the topics are what had been found by then".into());
    }
    model.order_by_size();
    Ok(Model { words, topics_estimate, sweep, notes, seconds: stages.seconds().to_vec(), ..model })
}

impl Model {
    fn of(topics: DenseMatrix, documents: DenseMatrix) -> Self {
        Self {
            words: Vec::new(),
            search: None,
            anchors: Vec::new(),
            given: Vec::new(),
            scores: Vec::new(),
            topics,
            documents,
            tried: Vec::new(),
            refinements: 0,
            log_likelihood: 0.0,
            alpha: None,
            topics_estimate: None,
            sweep: None,
            searched_words: 0,
            minimum_documents: 1,
            stop: None,
            notes: Vec::new(),
            seconds: Vec::new(),
        }
    }

    /// Numbers the topics by their part of the documents, the largest first.
    fn order_by_size(&mut self) {
        let sizes = sizes(&self.documents);
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(a.cmp(&b)));
        let rows = |matrix: &DenseMatrix| {
            DenseMatrix::from_fn(matrix.rows(), matrix.cols(), |k, n| matrix.get(order[k], n))
        };
        (self.topics, self.documents) = (rows(&self.topics), rows(&self.documents));
        if !self.anchors.is_empty() {
            self.anchors = order.iter().map(|&k| self.anchors[k]).collect();
            self.given = order.iter().map(|&k| self.given[k]).collect();
            self.scores = order.iter().map(|&k| self.scores[k]).collect();
        }
    }
}

fn check_counts(counts: &SparseMatrix) -> Result<(), Error> {
    for word in 0..counts.cols() {
        let (documents, values) = counts.col(word);
        if let Some(i) = values.iter().position(|v| *v < 0.0 || v.fract() != 0.0) {
            return Err(Error::NotACount { document: documents[i] as usize, word, value: values[i] });
        }
    }
    Ok(())
}

/// How many topics, and why.
struct Number {
    topics: usize,
    topics_estimate: Option<Estimate>,
    sweep: Option<Sweep>,
}

/// The number that was given; else of anchors that were given; else what a clear spectrum says; else the best of several.
fn number_of_topics(
    counts: &SparseMatrix,
    settings: &Settings,
    chosen: &AnchorWords,
    stages: &mut Stages,
    notes: &mut Vec<String>,
) -> Result<Number, Error> {
    let alone = |topics| Number { topics, topics_estimate: None, sweep: None };
    let (numbers, topics_estimate) = match &settings.topics {
        Some(HowMany::Exactly(topics)) => return Ok(alone(*topics)),
        Some(HowMany::BestOf(numbers)) => (numbers.clone(), None),
        None if !chosen.given.is_empty() => return Ok(alone(chosen.given.len())),
        None => {
            let stage = Stage::new("count", "estimating the number of topics");
            let estimate = stages.whole(stage, |interrupt| number_of_topics::estimate(counts, interrupt))?;
            let mut numbers = usual_numbers(counts.rows(), counts.cols());
            if estimate.clear || numbers.len() < 2 {
                notes.push(estimate.statement());
                return Ok(Number { topics: estimate.topics, topics_estimate: Some(estimate), sweep: None });
            }
            numbers.push(estimate.topics);
            numbers.sort_unstable();
            numbers.dedup();
            (numbers, Some(estimate))
        }
    };
    let sweep = sweep(counts, &numbers, settings, stages)?;
    notes.push(sweep.statement());
    Ok(Number { topics: sweep.recommended, topics_estimate, sweep: Some(sweep) })
}

fn by_sampling(counts: &SparseMatrix, topics: usize, settings: &Settings, stages: &mut Stages) -> Result<Model, Error> {
    let stage = Stage::counted("search", "sampling", settings.lda.sweeps());
    let interrupt = stages.interrupt();
    let fit = stages.run(stage, |stages| {
        lda::fit(counts, topics, &settings.lda, settings.search.seed, &interrupt, &mut |sweeps| stages.step(sweeps))
    })?;
    if interrupt.asked() {
        stages.ended(StopReason::Interrupted);
        if fit.sweeps == 0 {
            return Err(merit::Error::Interrupted.into()); // the topics are as they were drawn
        }
    }
    let mut documents = fit.documents;
    let by_document = counts.transposed();
    (0..documents.cols()).filter(|&d| by_document.col(d).0.is_empty()).for_each(|d| documents.col_mut(d).fill(0.0));
    Ok(Model {
        refinements: fit.sweeps,
        alpha: Some(fit.alpha),
        stop: stages.cut_short(),
        searched_words: counts.cols(),
        ..Model::of(fit.topics, documents)
    })
}

fn by_anchors(
    among: &Words,
    topics: usize,
    method: merit::Method,
    settings: &Settings,
    stages: &mut Stages,
    notes: &mut Vec<String>,
) -> Result<Model, Error> {
    let space = Space::of(among.counts, topics, stages)?;
    let frequency: Vec<usize> = among.open().into_iter().map(|(_, documents)| documents).collect();
    let limits = match settings.minimum_documents {
        Some(limit) => vec![(limit.of(among.counts.rows()).ceil() as usize).max(1)],
        None => limits(&frequency, among.counts.rows(), topics),
    };
    let mut contest = Contest::new(&space.x, among.counts);
    let choice = limits.len() > 1 || method == merit::Method::Merit;
    for &limit in limits.iter().filter(|_| choice) {
        contest.enter(&find(&space.x, among, topics, limit, merit::Method::Spa, settings, stages)?, stages)?;
    }
    let limit = contest.best().map_or(limits[0], |best| best.minimum_documents);
    let mut found = find(&space.x, among, topics, limit, method, settings, stages)?;
    if choice && found.stop() != Some(StopReason::Interrupted) && method != merit::Method::Spa {
        let spa = contest.best().cloned();
        contest.enter(&found, stages)?;
        if let Some(spa) = spa.filter(|spa| method == merit::Method::Merit && contest.last_is_worse_than(spa)) {
            notes.push("SPA's anchors are used: they tell unseen words better than MERIT's".into());
            (found.anchors, found.given, found.scores) = (spa.anchors, spa.given, spa.scores);
        }
    }
    notes.extend(found.search.notes.iter().cloned());
    let tried = contest.table(&found.anchors);
    let of_words = match contest.of_words(&found.anchors) {
        Some(of_words) => of_words,
        None => stages.whole(Stage::new("topics", "topics"), |interrupt| {
            topics_of_words(&space.x, &found.anchors, interrupt)
        })?,
    };
    let mut model = Refinement::new(among.counts, words_of_topics(of_words, among.counts));
    let (interrupt, mut refinements) = (stages.interrupt(), 0);
    stages.run(Stage::counted("refine", "refining the topics", settings.refine), |stages| {
        model.run(settings.refine, &interrupt, &mut |step| {
            refinements = step;
            stages.step(step)
        });
    });
    if interrupt.asked() {
        stages.ended(StopReason::Interrupted);
    }
    let words = model.topics;
    let stage = Stage::new("documents", "proportions of the documents");
    let documents = stages.whole(stage, |interrupt| proportions(&words, among.counts, interrupt))?;
    Ok(Model {
        anchors: found.anchors,
        given: found.given,
        scores: found.scores,
        tried,
        refinements,
        stop: stages.cut_short().or(found.search.stop),
        searched_words: found.searched_words,
        minimum_documents: found.minimum_documents,
        search: Some(found.search),
        ..Model::of(words, documents)
    })
}

/// Anchor sets that compete, by document completion.
struct Contest<'a> {
    x: &'a DataMatrix,
    counts: &'a SparseMatrix,
    halves: Option<(SparseMatrix, SparseMatrix)>,
    entered: Vec<Entry>,
    best: Option<usize>,
    /// `p(topic | word)` of the best.
    of_words: Option<DenseMatrix>,
}

#[derive(Clone)]
struct Entry {
    method: &'static str,
    minimum_documents: usize,
    words: usize,
    anchors: Vec<usize>,
    given: Vec<bool>,
    scores: Vec<f64>,
    completion: f64,
}

impl<'a> Contest<'a> {
    fn new(x: &'a DataMatrix, counts: &'a SparseMatrix) -> Self {
        Self { x, counts, halves: None, entered: Vec::new(), best: None, of_words: None }
    }

    /// Judges anchors.
    fn enter(&mut self, found: &Anchored, stages: &mut Stages) -> Result<(), Error> {
        let known = self.entered.iter().find(|other| shared(&other.anchors, &found.anchors) == found.anchors.len());
        let known = known.map(|other| other.completion);
        let completion = match known {
            Some(completion) => completion,
            None => {
                let halves = self.halves.get_or_insert_with(|| halves(self.counts));
                let title = format!("trying anchors in {} documents or more", found.minimum_documents);
                let (completion, of_words) = stages.whole(Stage::new("limits", title), |interrupt| {
                    completion(self.x, &found.anchors, halves, interrupt)
                })?;
                if self.best().is_none_or(|best| completion > best.completion) {
                    (self.best, self.of_words) = (Some(self.entered.len()), Some(of_words));
                }
                completion
            }
        };
        self.entered.push(Entry {
            method: found.search.method.name(),
            minimum_documents: found.minimum_documents,
            words: found.searched_words,
            anchors: found.anchors.clone(),
            given: found.given.clone(),
            scores: found.scores.clone(),
            completion,
        });
        Ok(())
    }

    fn best(&self) -> Option<&Entry> {
        self.best.map(|best| &self.entered[best])
    }

    fn last_is_worse_than(&self, other: &Entry) -> bool {
        self.entered.last().is_some_and(|last| last.completion < other.completion)
    }

    /// `p(topic | word)` for these anchors, in their order, if it is known.
    fn of_words(&mut self, anchors: &[usize]) -> Option<DenseMatrix> {
        let best = &self.entered[self.best?].anchors;
        let place = |anchor: &usize| best.iter().position(|other| other == anchor);
        let order: Vec<usize> = anchors.iter().map(place).collect::<Option<_>>()?;
        let found = self.of_words.take()?;
        Some(DenseMatrix::from_fn(order.len(), found.cols(), |k, n| found.get(order[k], n)))
    }

    /// What was tried, beside the anchors that were taken.
    fn table(&self, taken: &[usize]) -> Vec<Tried> {
        let row = |entry: &Entry| {
            let anchors_shared = shared(&entry.anchors, taken);
            Tried {
                method: entry.method.into(),
                minimum_documents: entry.minimum_documents,
                words: entry.words,
                completion: entry.completion,
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

/// How well topics of these anchors, fitted to the first halves of the documents, tell the second halves; and `p(topic | word)`. Of no use
/// once somebody asked for the end.
fn completion(
    x: &DataMatrix,
    anchors: &[usize],
    (first, second): &(SparseMatrix, SparseMatrix),
    interrupt: &Interrupt,
) -> (f64, DenseMatrix) {
    let of_words = topics_of_words(x, anchors, interrupt);
    let mut model = Refinement::new(first, words_of_topics(of_words.clone(), first));
    model.run(TRIAL_STEPS, interrupt, &mut |_| ControlFlow::Continue(()));
    (mean_log_likelihood(&model.topics, &model.documents, second), of_words)
}
