//! Anchors, topics and documents of a corpus.
//!
//! ```text
//! X = U' barP (2K x N)  ->  K anchors  ->  their topics  ->  main topics of documents  ->  p(word | topic)  ->  proportions of documents
//! ```
//!
//! **Anchors.** Rare words make extreme points that mean little, so an anchor must be in some number of documents. Several limits are tried
//! ([`crate::anchors::limits`]), each with SPA, and judged by whether their topics sort the two halves of every document alike ([`crate::contest`]). Then the method
//! asked for searches among the words of the best limit. MERIT's anchors are judged in the same way and taken unless SPA's are better. Words that
//! always appear together are copies of each other as columns of `X` and are merged first. Words that the caller gives as anchors replace the anchors nearest to
//! them; words that are forbidden are never anchors, but stay in the vocabulary.
//!
//! **MERIT** starts from SPA's anchors (`C_init` by simplex least squares) at step `floor(sqrt(N) / ||X - X C_init||_F) - 1` with the paper's
//! settings ([`merit::search::Settings::of_eigenvectors`]). Among frequent words SPA's anchors are usually within its gap already; where it was made to go on (lambda from 1e-7 to what SPA leaves
//! a word, gaps down to a tenth of that), it kept SPA's anchors or found some that sort halves less alike.
//!
//! **Topics** are the words of the documents that the anchors draw ([`crate::recovery`]), on request refined by EM; proportions are by likelihood ([`crate::likelihood`]). Topics are
//! numbered by size.
//!
//! Time: the search, `O(K N^2)` per step among the words that may be anchors, and `O(K nnz)` per step of EM; memory `O(nnz + K (N + D))`. Reference: Nguyen, Fu, Wu (Section
//! VI-B); Arora et al., ICML 2013.

use crate::Error;
use crate::anchoring::{Space, Words, find};
use crate::anchors::{AnchorWords, keep, limits};
use crate::contest::{Contest, Tried};
use crate::cooccurrence::informative_words;
use crate::documents::{Loose, loose, sizes};
use crate::lda;
use crate::likelihood::{Refinement, mean_log_likelihood, proportions, rough_proportions};
use crate::number_of_topics::{self, Estimate};
use crate::quality::shown_words;
use crate::recovery::{topics_of_anchors, words_of_documents};
use crate::settings::{HowMany, Method, Own, Settings};
use crate::sweep::{Sweep, sweep};
use merit::progress::{Observer, Stage, Stages, StopReason};
use merit::search::Search;
use merit::settings::Declared;
use merit::{DenseMatrix, SparseMatrix};

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
    /// What the method ranked by, one number per anchor; MERIT's are row norms.
    pub scores: Vec<f64>,
    /// `p(word | topic)`, topics x `words`; rows sum to 1. The largest topic first.
    pub topics: DenseMatrix,
    /// How much the words speak for the topics, by the anchors alone and in units of tf-idf; rows sum to 1. None for LDA and for topics that were refined.
    pub anchored: Option<DenseMatrix>,
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
    model.finish(&counts, &mut stages, &mut notes);
    if model.stop == Some(StopReason::Interrupted) {
        notes.push("interrupted: these are the topics found so far".into());
    }
    Ok(Model { words, topics_estimate, sweep, notes, seconds: stages.seconds().to_vec(), ..model })
}

/// The topics of other anchors, without a search: each of the words `given` takes the place of the nearest anchor of `before`, a model of these `counts`; the other
/// anchors stay. Words are numbered as `before.words`. Meaningless after an interrupt.
pub fn with_anchors(
    counts: &SparseMatrix,
    settings: &Settings,
    before: &Model,
    given: &[usize],
    observer: &mut dyn Observer,
) -> Result<Model, Error> {
    let topics = before.anchors.len();
    if topics == 0 {
        return Err(Error::NoAnchors);
    }
    if given.len() > topics {
        return Err(Error::ManyAnchors { anchors: given.len(), topics });
    }
    let counts = counts.select(&before.words);
    let (mut stages, mut notes) = (Stages::new(observer, None), Vec::new());
    let space = Space::of(&counts, topics, &mut stages)?;
    let (mut anchors, mut scores) = (before.anchors.clone(), before.scores.clone());
    let mut taken = vec![false; topics];
    given.iter().for_each(|&word| keep(&space.x, word, &mut anchors, &mut taken, &mut scores));
    let was_given = |anchor| before.anchors.iter().zip(&before.given).any(|(other, given)| *given && other == anchor);
    let given = anchors.iter().zip(&taken).map(|(anchor, taken)| *taken || was_given(anchor)).collect();
    let anchored = stages.whole(Stage::new("topics", "topics"), |interrupt| {
        topics_of_anchors(&space.together, &counts, &anchors, interrupt)
    })?;
    let found = of_anchored(anchored, &counts, settings, &mut stages, &mut notes);
    let mut model = Model {
        words: before.words.clone(),
        anchors,
        given,
        scores,
        sweep: before.sweep.clone(),
        searched_words: before.searched_words,
        minimum_documents: before.minimum_documents,
        ..found
    };
    model.finish(&counts, &mut stages, &mut notes);
    if stages.interrupted() {
        return Err(merit::Error::Interrupted.into());
    }
    Ok(Model { notes, seconds: stages.seconds().to_vec(), ..model })
}

impl Model {
    /// Of topics and shares that are known, and nothing else.
    pub fn of(topics: DenseMatrix, documents: DenseMatrix) -> Self {
        Self {
            words: Vec::new(),
            search: None,
            anchors: Vec::new(),
            given: Vec::new(),
            scores: Vec::new(),
            topics,
            documents,
            anchored: None,
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

    /// Numbers the topics by size, and measures what follows from that; `counts` are the counts of its words.
    fn finish(&mut self, counts: &SparseMatrix, stages: &mut Stages, notes: &mut Vec<String>) {
        if self.order_by_size() && !self.anchors.is_empty() && !stages.interrupted() {
            // Sums over topics run in their order: a document must get the same bits from the topics as they are written.
            self.documents = proportions_of_documents(&self.topics, counts, stages, notes);
        }
        self.log_likelihood = mean_log_likelihood(&self.topics, &self.documents, counts);
        notes.extend(loose(counts, &self.documents, &shown_words(self)).iter().map(Loose::statement));
    }

    /// Numbers the topics by their part of the documents, the largest first; whether that changes anything.
    fn order_by_size(&mut self) -> bool {
        let sizes = sizes(&self.documents);
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(a.cmp(&b)));
        if order.is_sorted() {
            return false;
        }
        let rows =
            |matrix: &DenseMatrix| DenseMatrix::from_fn(matrix.rows(), matrix.cols(), |k, n| matrix.get(order[k], n));
        (self.topics, self.documents) = (rows(&self.topics), rows(&self.documents));
        self.anchored = self.anchored.as_ref().map(rows);
        if !self.anchors.is_empty() {
            self.anchors = order.iter().map(|&k| self.anchors[k]).collect();
            self.given = order.iter().map(|&k| self.given[k]).collect();
            self.scores = order.iter().map(|&k| self.scores[k]).collect();
        }
        true
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

/// The number that was given; otherwise the number of given anchors; otherwise the one from the spectrum.
fn number_of_topics(
    counts: &SparseMatrix,
    settings: &Settings,
    chosen: &AnchorWords,
    stages: &mut Stages,
    notes: &mut Vec<String>,
) -> Result<Number, Error> {
    let alone = |topics| Number { topics, topics_estimate: None, sweep: None };
    let numbers = match &settings.topics {
        Some(HowMany::Exactly(topics)) => return Ok(alone(*topics)),
        Some(HowMany::BestOf(numbers)) => numbers,
        None if !chosen.given.is_empty() => return Ok(alone(chosen.given.len())),
        None => {
            let stage = Stage::new("count", "estimating the number of topics");
            let estimate = stages.whole(stage, |interrupt| number_of_topics::estimate(counts, interrupt))?;
            notes.push(estimate.statement());
            return Ok(Number { topics: estimate.topics, topics_estimate: Some(estimate), sweep: None });
        }
    };
    let sweep = sweep(counts, numbers, settings, stages)?;
    notes.push(sweep.statement());
    Ok(Number { topics: sweep.recommended, topics_estimate: None, sweep: Some(sweep) })
}

fn by_sampling(counts: &SparseMatrix, topics: usize, settings: &Settings, stages: &mut Stages) -> Result<Model, Error> {
    let stage = Stage::counted("search", "sampling", settings.lda.sweeps());
    let interrupt = stages.interrupt();
    let fit = stages.run(stage, |stages| lda::fit(counts, topics, &settings.lda, settings.search.seed, stages))?;
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
    let mut contest = Contest::new(&space, among.counts);
    let choice = limits.len() > 1 || method == merit::Method::Merit;
    for &limit in limits.iter().filter(|_| choice) {
        contest.enter(&find(&space.x, among, topics, limit, merit::Method::Spa, settings, stages)?, stages)?;
    }
    let limit = contest.best().map_or(limits[0], |best| best.minimum_documents);
    let mut found = find(&space.x, among, topics, limit, method, settings, stages)?;
    let spa = contest.best().cloned();
    if let (Some(spa), true) = (&spa, stages.interrupted()) {
        notes.push("SPA's anchors are used: there was no time to judge others".into());
        (found.anchors, found.given, found.scores) = (spa.anchors.clone(), spa.given.clone(), spa.scores.clone());
    } else if choice && method != merit::Method::Spa {
        contest.enter(&found, stages)?;
        if let Some(spa) = spa.filter(|spa| method == merit::Method::Merit && contest.last_is_worse_than(spa)) {
            notes.push(
                "SPA's anchors are used: their topics sort the halves of documents more alike than MERIT's".into(),
            );
            (found.anchors, found.given, found.scores) = (spa.anchors, spa.given, spa.scores);
        }
    }
    notes.extend(found.search.notes.iter().cloned());
    let tried = contest.table(&found.anchors);
    let known = contest.topics(&found.anchors);
    let counts = among.counts;
    let anchored = match known {
        Some(topics) => topics,
        None => stages.whole(Stage::new("topics", "topics"), |interrupt| {
            topics_of_anchors(&space.together, counts, &found.anchors, interrupt)
        })?,
    };
    let found_topics = of_anchored(anchored, counts, settings, stages, notes);
    Ok(Model {
        anchors: found.anchors,
        given: found.given,
        scores: found.scores,
        tried,
        stop: stages.cut_short().or(found.search.stop),
        searched_words: found.searched_words,
        minimum_documents: found.minimum_documents,
        search: Some(found.search),
        ..found_topics
    })
}

/// Topics and documents by how much the words speak for the anchors, refined if that is asked for.
fn of_anchored(
    anchored: DenseMatrix,
    counts: &SparseMatrix,
    settings: &Settings,
    stages: &mut Stages,
    notes: &mut Vec<String>,
) -> Model {
    let mut words = words_of_documents(counts, &anchored, &proportions_of_documents(&anchored, counts, stages, notes));
    let mut refinements = 0;
    if settings.refine > 0 && !stages.interrupted() {
        let interrupt = stages.interrupt();
        let mut model = Refinement::new(counts, words);
        let stage = Stage::counted("refine", "refining the topics", settings.refine).with_result();
        stages.run(stage, |stages| {
            model.run(settings.refine, &interrupt, &mut |step| {
                refinements = step;
                stages.step(step)
            });
        });
        if interrupt.asked() {
            stages.ended(StopReason::Interrupted);
        }
        words = model.topics;
    }
    let documents = proportions_of_documents(&words, counts, stages, notes);
    Model { anchored: (refinements == 0).then_some(anchored), refinements, ..Model::of(words, documents) }
}

/// What documents are made of; only roughly after an interrupt.
fn proportions_of_documents(
    topics: &DenseMatrix,
    counts: &SparseMatrix,
    stages: &mut Stages,
    notes: &mut Vec<String>,
) -> DenseMatrix {
    if !stages.interrupted() {
        let interrupt = stages.interrupt();
        let stage = Stage::new("documents", "proportions of the documents").with_result();
        let documents = stages.run(stage, |_| proportions(topics, counts, &interrupt));
        if !interrupt.asked() {
            return documents;
        }
        stages.ended(StopReason::Interrupted);
    }
    let note = "interrupted: the proportions of the documents are rough";
    if !notes.iter().any(|other| other == note) {
        notes.push(note.into());
    }
    rough_proportions(topics, counts)
}
