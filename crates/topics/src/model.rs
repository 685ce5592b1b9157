//! Anchors, topics and documents of a corpus.
//!
//! ```text
//! X = U' barP (2K x N)  ->  K anchors  ->  W = P(:, anchors)
//! H = argmin_{H >= 0} ||P - W H||_F, rows scaled to sum 1     theta_d = argmin_{theta >= 0} ||counts(d,:)' - H' theta||
//! ```
//!
//! MERIT starts from SPA's anchors (`C_init` by simplex least squares) at step `floor(sqrt(N) / ||X - X C_init||_F) - 1` with
//! lambda = 5e-7, mu = 1e-5, and stops at a gap of 0.25 or after 100 steps: the paper's recipe (the authors leave out the 1/2
//! of the objective, so their lambda is 1e-6 and their gap 0.5). Running on to smaller gaps makes topics worse: the early stop is part
//! of the method.
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
use crate::count::{self, Estimate};
use crate::lda;
use crate::weights::Basis;
use merit::least_squares::{Constraint, DEFAULT_TOLERANCE, solve};
use merit::methods::{fast_anchor, fast_gradient, xray};
use merit::preprocess::{Prepared, Preprocessing, distinct_columns};
use merit::selection::{Selection, largest_rows};
use merit::solver::{self, Observer, Progress, Settings, Solution, Start, Trace};
use merit::{DataMatrix, DenseMatrix, SparseColumns, SparseMatrix, Stage, spa};
use std::time::Instant;

/// How anchors, or topics, are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// The convex problem, from SPA's start.
    Merit,
    /// Successive projection.
    Spa,
    /// Extreme rays.
    Xray,
    /// Farthest points.
    FastAnchor,
    /// The convex problem with two `N x N` matrices.
    FastGradient(fast_gradient::Options),
    /// Latent Dirichlet allocation; has no anchors.
    Lda(lda::Options),
}

/// What to look for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Number of topics, `K`; estimated if left out.
    pub topics: Option<usize>,
    /// How.
    pub method: Method,
    /// MERIT's settings; its start is SPA's.
    pub solver: Settings,
    /// Whether MERIT takes one more step after the gap is reached, as the authors' program does.
    pub step_after_stop: bool,
    /// Words closer than this part of the largest norm count as one in the search for anchors.
    pub merge_duplicates: Option<f64>,
    /// Documents that a word must be in to become an anchor; `None` for [`usual_minimum`].
    pub minimum_documents: Option<usize>,
    /// Words that are anchors, by their column.
    pub anchors: Vec<usize>,
    /// Words that are not, by their column.
    pub forbidden: Vec<usize>,
    /// Seed of FastAnchor's projection.
    pub seed: u64,
}

impl Default for Request {
    /// MERIT with the paper's settings, among frequent words, copies merged.
    fn default() -> Self {
        let solver = Settings { regularization: 5e-7, gap_tolerance: Some(0.25), ..Default::default() };
        Self {
            topics: None,
            method: Method::Merit,
            solver,
            step_after_stop: false,
            merge_duplicates: Some(1e-10),
            minimum_documents: None,
            anchors: Vec::new(),
            forbidden: Vec::new(),
            seed: 0,
        }
    }
}

/// Topics, and what the documents are made of.
#[derive(Debug)]
pub struct Model {
    /// The words that take part, by their column of the counts: those in some documents but not in all.
    pub words: Vec<usize>,
    /// The anchor of each topic, as a place in `words`; empty for LDA.
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
    /// MERIT's result over the words that it saw.
    pub solution: Option<Solution>,
    /// MERIT's path to it.
    pub trace: Vec<Progress>,
    /// Words that the search for anchors saw, after merging and leaving out.
    pub searched_words: usize,
    /// Documents that an anchor had to be in.
    pub minimum_documents: usize,
    /// Whether the caller ended it early.
    pub interrupted: bool,
    /// What the user should know.
    pub notes: Vec<String>,
    /// Seconds of each stage.
    pub seconds: Vec<(&'static str, f64)>,
}

/// Topics of `counts` (documents x words, whole numbers). `observer` sees MERIT's stages and iterations and may end it.
///
/// Fails when no word tells documents apart, or when there are fewer different words than topics.
pub fn fit(counts: &SparseMatrix, request: &Request, observer: &mut dyn Observer) -> Result<Model, Error> {
    check_counts(counts)?;
    let words = informative_words(counts);
    if words.is_empty() {
        return Err(Error::NothingInformative { words: counts.cols(), documents: counts.rows() });
    }
    let counts = counts.select(&words);
    let mut job = Job { request, observer, seconds: Vec::new(), notes: Vec::new(), interrupted: false };
    observer_stage(&mut job, Stage::Prepare);
    let together = job.timed("cooccurrence", |_| Cooccurrence::of(&counts));
    let mut topics_estimate = None;
    let topics = match request.topics {
        Some(topics) => topics,
        None if !request.anchors.is_empty() => request.anchors.len(),
        None => {
            let estimate = job.estimate_topics(&counts);
            let topics = estimate.topics;
            topics_estimate = Some(estimate);
            topics
        }
    };
    if topics > words.len() {
        return Err(Error::FewWords { topics, words: words.len() });
    }
    if request.anchors.len() > topics {
        return Err(Error::ManyAnchors { anchors: request.anchors.len(), topics });
    }
    let found = match request.method {
        Method::Lda(options) => job.lda(&counts, topics, &options),
        _ => job.by_anchors(&counts, &words, &together, topics)?,
    };
    drop(together);
    let documents = job.timed("documents", |_| document_weights(&found.topics, &counts));
    let Job { seconds, mut notes, interrupted, .. } = job;
    if interrupted {
        notes.push("interrupted: the topics are what had been found by then".into());
    }
    let Found { anchors, given, scores, topics, mixtures, solution, trace, searched_words, minimum_documents } = found;
    Ok(Model {
        words,
        anchors,
        given,
        scores,
        topics,
        documents,
        mixtures,
        topics_estimate,
        solution,
        trace,
        searched_words,
        minimum_documents,
        interrupted,
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
    let basis = Basis::of(&topics.transposed());
    basis.weights(project_documents(basis.q(), counts.transposed()))
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

struct Job<'r> {
    request: &'r Request,
    observer: &'r mut dyn Observer,
    seconds: Vec<(&'static str, f64)>,
    notes: Vec<String>,
    interrupted: bool,
}

/// What a method gives.
struct Found {
    anchors: Vec<usize>,
    given: Vec<bool>,
    scores: Vec<f64>,
    topics: DenseMatrix,
    mixtures: Option<DenseMatrix>,
    solution: Option<Solution>,
    trace: Vec<Progress>,
    searched_words: usize,
    minimum_documents: usize,
}

fn observer_stage(job: &mut Job, stage: Stage) {
    job.observer.stage(&stage);
}

impl Job<'_> {
    fn timed<T>(&mut self, name: &'static str, work: impl FnOnce(&mut Self) -> T) -> T {
        let clock = Instant::now();
        let result = work(self);
        self.seconds.push((name, clock.elapsed().as_secs_f64()));
        result
    }

    fn estimate_topics(&mut self, counts: &SparseMatrix) -> Estimate {
        self.timed("count", |job| {
            let estimate = count::estimate(counts);
            job.notes.push(estimate.statement());
            estimate
        })
    }

    fn lda(&mut self, counts: &SparseMatrix, topics: usize, options: &lda::Options) -> Found {
        let observer = &mut *self.observer;
        let clock = Instant::now();
        observer.stage(&Stage::Sample);
        let fit = lda::fit(counts, topics, options, &mut |done| {
            observer.iteration(&Progress::of_step(done, clock.elapsed()))
        });
        self.seconds.push(("search", clock.elapsed().as_secs_f64()));
        self.interrupted = fit.interrupted;
        Found {
            anchors: Vec::new(),
            given: Vec::new(),
            scores: Vec::new(),
            topics: fit.topics,
            mixtures: Some(fit.documents),
            solution: None,
            trace: Vec::new(),
            searched_words: counts.cols(),
            minimum_documents: 1,
        }
    }

    fn by_anchors(
        &mut self,
        counts: &SparseMatrix,
        words: &[usize],
        together: &Cooccurrence,
        topics: usize,
    ) -> Result<Found, Error> {
        let dim = (2 * topics).min(together.words());
        let x = self.timed("reduce", |_| together.reduced(dim).ok_or(Error::NoConvergence))?;
        let x = DataMatrix::from(x);
        let place = |word: &usize| words.binary_search(word).ok();
        let forbidden: Vec<usize> = self.request.forbidden.iter().filter_map(place).collect();
        let mut open: Vec<usize> = (0..x.cols()).collect();
        open.retain(|n| !forbidden.contains(n));
        let frequency: Vec<usize> = open.iter().map(|&n| counts.col(n).0.len()).collect();
        let minimum_documents =
            self.request.minimum_documents.unwrap_or_else(|| usual_minimum(&frequency, counts.rows(), topics));
        let frequent = open.iter().zip(&frequency).filter(|(_, documents)| **documents >= minimum_documents);
        let allowed: Vec<usize> = frequent.map(|(&n, _)| n).collect();
        let searched = x.select(&allowed);
        let steps = Preprocessing { merge_duplicates: self.request.merge_duplicates, ..Default::default() };
        let prepared = match allowed.is_empty() {
            true => return Err(Error::FewAnchors { topics, words: 0, minimum_documents }),
            false => Prepared::of(&searched, &steps).map_err(merit::Error::from)?,
        };
        let problem = prepared.problem();
        let distinct = distinct_columns(problem, topics);
        if topics > distinct {
            return Err(Error::FewAnchors { topics, words: distinct, minimum_documents });
        }
        let searched_words = problem.cols();
        let (selection, solution, trace) = self.timed("search", |job| job.search(problem, topics))?;
        let mut anchors: Vec<usize> = selection.anchors.iter().map(|&i| allowed[prepared.original(i)]).collect();
        let mut scores = selection.scores;
        let mut given = vec![false; anchors.len()];
        for word in self.request.anchors.iter().filter_map(place) {
            keep(&x, word, &mut anchors, &mut given, &mut scores);
        }
        self.observer.stage(&Stage::Factors);
        let topics = self.timed("topics", |_| topic_words(together, &anchors));
        let empty = (0..topics.rows()).filter(|&k| (0..topics.cols()).all(|n| topics.get(k, n) == 0.0)).count();
        if empty > 0 {
            self.notes.push(format!("{empty} topics have no words of their own: try fewer topics"));
        }
        Ok(Found { anchors, given, scores, topics, mixtures: None, solution, trace, searched_words, minimum_documents })
    }

    /// Anchors among the columns of `x`.
    fn search(&mut self, x: &DataMatrix, topics: usize) -> Result<(Selection, Option<Solution>, Vec<Progress>), Error> {
        let of = |selection| Ok((selection, None, Vec::new()));
        if self.request.method == Method::Spa {
            self.observer.stage(&Stage::Spa);
        }
        match self.request.method {
            Method::Merit => self.merit(x, topics),
            Method::Spa => of(spa::select(x, topics)),
            Method::Xray => of(xray::select(x, topics, xray::Criterion::Max)),
            Method::FastAnchor => {
                // The columns of barP sum to 1 already; those of X, which have signs, must not be scaled again.
                let options = fast_anchor::Options { scale: false, seed: self.request.seed, ..Default::default() };
                of(fast_anchor::select(x, topics, &options))
            }
            Method::FastGradient(options) => {
                let observer = &mut *self.observer;
                observer.stage(&Stage::Search(merit::Method::FastGradient(options)));
                let clock = Instant::now();
                let found = fast_gradient::select(x, topics, &options, &mut |done| {
                    observer.iteration(&Progress::of_step(done, clock.elapsed()))
                })?;
                self.interrupted = found.interrupted;
                of(found.selection)
            }
            Method::Lda(_) => of(Selection::default()),
        }
    }

    fn merit(&mut self, x: &DataMatrix, topics: usize) -> Result<(Selection, Option<Solution>, Vec<Progress>), Error> {
        let anchors = spa::spa(x, topics);
        let fit = solve(x, &x.dense_columns(&anchors), Constraint::Simplex, DEFAULT_TOLERANCE);
        let start = SparseColumns::from_columns(x.cols(), |l, entries| {
            entries.extend(anchors.iter().zip(fit.h.col(l)).map(|(&n, &value)| (n as u32, value)));
        });
        let steps = (x.cols() as f64 / fit.squared_residual).sqrt().floor();
        drop(fit);
        // Where SPA's anchors explain everything, any step would spoil it: then the smallest steps that there are.
        let first = if steps.is_finite() { (steps as usize).clamp(1, 1_000_000_000) - 1 } else { 1_000_000_000 };
        let given = &self.request.solver;
        let settings = Settings { start_iteration: Some(given.start_iteration.unwrap_or(first)), ..given.clone() };
        let regularization = settings.regularization;
        let checked = settings.clone().check().map_err(merit::Error::from)?;
        self.observer.stage(&Stage::Solve { run: 1, of: 1, regularization });
        let mut trace = Trace::default();
        let mut watch = (&mut trace, &mut *self.observer);
        let mut workspace = solver::Workspace::new(x);
        let mut solution = workspace.solve(Start::Columns(start), &checked, &mut watch);
        self.interrupted = solution.stop == solver::StopReason::Interrupted;
        if self.request.step_after_stop && solution.stop == solver::StopReason::GapReached {
            let (stop, taken) = (solution.stop, solution.iterations);
            let last = Settings {
                iterations: 1,
                gap_tolerance: None,
                start_iteration: Some(solution.start_iteration + taken),
                ..settings
            };
            let last = last.check().map_err(merit::Error::from)?;
            solution = workspace.solve(Start::Columns(solution.c), &last, &mut ());
            (solution.stop, solution.iterations) = (stop, taken + 1);
        }
        let norms = solution.c.row_inf_norms();
        let anchors = largest_rows(&norms, topics, |_| true);
        let scores = anchors.iter().map(|&n| norms[n]).collect();
        Ok((Selection { anchors, scores }, Some(solution), trace.rows))
    }
}

/// `H` with rows that sum to 1: `min ||P - P(:, anchors) H||_F` over `H >= 0`.
fn topic_words(together: &Cooccurrence, anchors: &[usize]) -> DenseMatrix {
    let basis = Basis::of(&together.columns(anchors));
    let mut h = basis.weights(together.projected(basis.q()));
    for k in 0..h.rows() {
        let sum: f64 = (0..h.cols()).map(|n| h.get(k, n)).sum();
        if sum > 0.0 {
            (0..h.cols()).for_each(|n| h.col_mut(n)[k] /= sum);
        }
    }
    h
}
