//! Anchors, topics and documents of a corpus.
//!
//! ```text
//! X = U' barP (2K x N)  ->  K anchors  ->  W = P(:, anchors)
//! H = argmin_{H >= 0} ||P - W H||_F, rows scaled to sum 1     theta_d = argmin_{theta >= 0} ||counts(d,:)' - H' theta||
//! ```
//!
//! MERIT starts from SPA's anchors (`C_init` by simplex least squares) at step `floor(sqrt(N) / ||X - X C_init||_F) - 1` with
//! the paper's settings ([`merit::search::Settings::of_eigenvectors`]). Running on to smaller gaps makes topics worse: the early
//! stop is part of the method.
//!
//! Rare words make extreme points that mean little: an anchor must be in `minimum_documents` of the documents, by default a
//! tenth of those that a topic has on average ([`usual_minimum`]). The paper's recipe has no such limit. Words that
//! always appear together are copies of each other as columns of `X`. Merged first (`merge_duplicates`), they give anchors that
//! do not depend on rounding. Words that the caller gives as anchors replace the anchors nearest to them; words that are
//! forbidden are never anchors, but stay in the vocabulary.
//!
//! Time: that of the solver, `O(K N^2)` a step; memory `O(nnz + K N)`. Reference: Nguyen, Fu, Wu (Section VI-B); Arora et al., ICML 2013.

use crate::Error;
use crate::anchors::{keep, usual_minimum};
use crate::cooccurrence::{Cooccurrence, informative_words, project_documents};
use crate::lda;
use crate::number_of_topics::{self, Estimate};
use crate::settings::{AnchorWords, Method, Own, Settings, Switch};
use crate::weights::Basis;
use merit::preprocess::{Prepared, Preprocessing, distinct_columns};
use merit::progress::{Interrupt, Observer, Stage, Stages, StopReason};
use merit::search::{Initial, Question, Search, SpaStart, search};
use merit::settings::Declared;
use merit::solver::Workspace;
use merit::{DataMatrix, DenseMatrix, SparseMatrix};

/// Words closer than this part of the largest norm are copies of each other.
const COPIES: f64 = 1e-10;

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
    /// Topics x `words`; rows sum to 1.
    pub topics: DenseMatrix,
    /// Topics x documents, nonnegative; a document without known words has zeros.
    pub documents: DenseMatrix,
    /// LDA's own mixtures, which sum to 1.
    pub mixtures: Option<DenseMatrix>,
    /// The estimate of `K`, if it was left out.
    pub topics_estimate: Option<Estimate>,
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
    let (topics, topics_estimate) = number_of_topics(&counts, settings, chosen, &mut stages, &mut notes)?;
    if topics > words.len() {
        return Err(Error::FewWords { topics, words: words.len() });
    }
    if chosen.given.len() > topics {
        return Err(Error::ManyAnchors { anchors: chosen.given.len(), topics });
    }
    let found = match settings.method {
        Method::Own(Own::Lda) => by_sampling(&counts, topics, settings, &mut stages)?,
        Method::Anchors(method) => {
            let among = Words { counts: &counts, columns: &words, chosen };
            by_anchors(&among, topics, method, settings, &mut stages, &mut notes)?
        }
    };
    let stage = Stage::new("documents", "weights of the documents");
    let documents = stages.whole(stage, |interrupt| weights_until(interrupt, &found.topics, &counts))?;
    if found.stop == Some(StopReason::Interrupted) {
        notes.push("interrupted: the topics are what had been found by then".into());
    }
    let seconds = stages.seconds().to_vec();
    let Found { search, anchors, given, scores, topics, mixtures, stop, searched_words, minimum_documents } = found;
    Ok(Model {
        words,
        search,
        anchors,
        given,
        scores,
        topics,
        documents,
        mixtures,
        topics_estimate,
        searched_words,
        minimum_documents,
        stop,
        notes,
        seconds,
    })
}

/// Nonnegative weights (topics x documents) of `counts` (documents x words) on `topics` (topics x words).
///
/// Each document is solved by itself: alone it gets the bits that it has among others.
///
/// ```
/// use merit::{DenseMatrix, SparseMatrix};
/// let topics = DenseMatrix::from_columns(2, vec![0.5, 0.0, 0.5, 0.0, 0.0, 1.0]);
/// let counts = SparseMatrix::from_triplets(1, 3, vec![(0, 0, 4.0), (0, 1, 4.0)]);
/// let weights = merit_topics::model::document_weights(&topics, &counts);
/// assert!((weights.get(0, 0) - 8.0).abs() < 1e-12 && weights.get(1, 0) == 0.0);
/// ```
pub fn document_weights(topics: &DenseMatrix, counts: &SparseMatrix) -> DenseMatrix {
    weights_until(&Interrupt::never(), topics, counts)
}

fn weights_until(interrupt: &Interrupt, topics: &DenseMatrix, counts: &SparseMatrix) -> DenseMatrix {
    let basis = Basis::of(&topics.transposed());
    basis.weights(project_documents(basis.q(), counts.transposed()), interrupt)
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

/// What a method gives.
struct Found {
    search: Option<Search>,
    anchors: Vec<usize>,
    given: Vec<bool>,
    scores: Vec<f64>,
    topics: DenseMatrix,
    mixtures: Option<DenseMatrix>,
    stop: Option<StopReason>,
    searched_words: usize,
    minimum_documents: usize,
}

/// The words that take part, and what the caller wants of them.
struct Words<'a> {
    counts: &'a SparseMatrix,
    /// The column of the caller's counts for each.
    columns: &'a [usize],
    chosen: &'a AnchorWords,
}

impl Words<'_> {
    /// Those of the caller's columns that take part, by their number here.
    fn places(&self, columns: &[usize]) -> Vec<usize> {
        columns.iter().filter_map(|column| self.columns.binary_search(column).ok()).collect()
    }

    /// Which may be anchors: not forbidden, and in enough documents; and how many are enough.
    fn allowed(&self, topics: usize, settings: &Settings) -> (Vec<usize>, usize) {
        let forbidden = self.places(&self.chosen.forbidden);
        let mut open: Vec<usize> = (0..self.counts.cols()).collect();
        open.retain(|n| !forbidden.contains(n));
        let documents = self.counts.rows();
        let frequency: Vec<usize> = open.iter().map(|&n| self.counts.col(n).0.len()).collect();
        let minimum = match settings.minimum_documents {
            Some(limit) => (limit.of(documents).ceil() as usize).max(1),
            None => usual_minimum(&frequency, documents, topics),
        };
        let frequent = open.iter().zip(&frequency).filter(|(_, documents)| **documents >= minimum);
        (frequent.map(|(&n, _)| n).collect(), minimum)
    }
}

fn number_of_topics(
    counts: &SparseMatrix,
    settings: &Settings,
    chosen: &AnchorWords,
    stages: &mut Stages,
    notes: &mut Vec<String>,
) -> Result<(usize, Option<Estimate>), Error> {
    Ok(match settings.topics {
        Some(topics) => (topics, None),
        None if !chosen.given.is_empty() => (chosen.given.len(), None),
        None => {
            let stage = Stage::new("count", "estimating the number of topics");
            let estimate = stages.whole(stage, |interrupt| number_of_topics::estimate(counts, interrupt))?;
            notes.push(estimate.statement());
            (estimate.topics, Some(estimate))
        }
    })
}

fn by_sampling(counts: &SparseMatrix, topics: usize, settings: &Settings, stages: &mut Stages) -> Result<Found, Error> {
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
    Ok(Found {
        search: None,
        anchors: Vec::new(),
        given: Vec::new(),
        scores: Vec::new(),
        topics: fit.topics,
        mixtures: Some(fit.documents),
        stop: stages.cut_short(),
        searched_words: counts.cols(),
        minimum_documents: 1,
    })
}

fn by_anchors(
    among: &Words,
    topics: usize,
    method: merit::Method,
    settings: &Settings,
    stages: &mut Stages,
    notes: &mut Vec<String>,
) -> Result<Found, Error> {
    let stage = Stage::new("cooccurrence", "counting words that appear together");
    let together = stages.whole(stage, |_| Cooccurrence::of(among.counts))?;
    let dim = (2 * topics).min(together.words());
    let stage = Stage::new("reduce", "reducing the co-occurrences");
    let x = stages.whole(stage, |interrupt| together.reduced(dim, interrupt))?.ok_or(Error::NoConvergence)?;
    let x = DataMatrix::from(x);
    let (allowed, minimum_documents) = among.allowed(topics, settings);
    if allowed.is_empty() {
        return Err(Error::FewAnchors { topics, words: 0, minimum_documents });
    }
    let searched = x.select(&allowed);
    let merge_duplicates = (settings.merge_duplicates == Switch::On).then_some(COPIES);
    let steps = Preprocessing { merge_duplicates, ..Default::default() };
    let prepared = Prepared::of(&searched, &steps).map_err(merit::Error::from)?;
    let distinct = distinct_columns(prepared.problem(), topics);
    if topics > distinct {
        return Err(Error::FewAnchors { topics, words: distinct, minimum_documents });
    }
    let found = find(prepared.problem(), topics, method, settings, stages)?;
    let found = found.numbered(x.cols(), |i| allowed[prepared.original(i)]);
    let (mut anchors, mut scores) = (found.anchors.clone(), found.scores.clone());
    let mut given = vec![false; anchors.len()];
    for word in among.places(&among.chosen.given) {
        keep(&x, word, &mut anchors, &mut given, &mut scores);
    }
    let topics =
        stages.whole(Stage::new("topics", "topics"), |interrupt| topic_words(&together, &anchors, interrupt))?;
    let empty = (0..topics.rows()).filter(|&k| (0..topics.cols()).all(|n| topics.get(k, n) == 0.0)).count();
    if empty > 0 {
        notes.push(format!("{empty} topics have no words of their own: try fewer topics"));
    }
    notes.extend(found.notes.iter().cloned());
    let (stop, searched_words) = (found.stop, prepared.kept());
    let search = Some(found);
    Ok(Found { search, anchors, given, scores, topics, mixtures: None, stop, searched_words, minimum_documents })
}

/// Anchors among the columns of `x`.
fn find(
    x: &DataMatrix,
    topics: usize,
    method: merit::Method,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Search, Error> {
    let mut settings = settings.search.clone();
    let mut question = Question::of(topics);
    if method == merit::Method::Merit {
        let start = stages.whole(Stage::new("spa", "SPA"), |interrupt| SpaStart::of(x, topics, interrupt))?;
        settings.solver.start_iteration.get_or_insert(first_step(x.cols(), &start));
        question.initial = Initial::Columns(start.columns);
    }
    Ok(search(&mut Workspace::new(x), method, question, &settings, stages)?)
}

/// `floor(sqrt(N) / ||X - X C_init||_F) - 1`.
fn first_step(cols: usize, start: &SpaStart) -> usize {
    const LAST: usize = 1_000_000_000;
    let steps = (cols as f64 / start.squared_residual).sqrt().floor();
    // Where SPA's anchors explain everything, any step would spoil it: then the smallest steps that there are.
    if steps.is_finite() { (steps as usize).clamp(1, LAST) - 1 } else { LAST }
}

/// `H` with rows that sum to 1: `min ||P - P(:, anchors) H||_F` over `H >= 0`.
fn topic_words(together: &Cooccurrence, anchors: &[usize], interrupt: &Interrupt) -> DenseMatrix {
    let basis = Basis::of(&together.columns(anchors));
    let mut h = basis.weights(together.projected(basis.q()), interrupt);
    for k in 0..h.rows() {
        let sum: f64 = (0..h.cols()).map(|n| h.get(k, n)).sum();
        if sum > 0.0 {
            (0..h.cols()).for_each(|n| h.col_mut(n)[k] /= sum);
        }
    }
    h
}
