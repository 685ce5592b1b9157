//! From counts to anchor words: the space of co-occurrences, and a search in it among the words that may be anchors.

use crate::Error;
use crate::anchors::{AnchorWords, keep};
use crate::cooccurrence::Cooccurrence;
use crate::settings::{Settings, Switch};
use merit::preprocess::{Prepared, Preprocessing, distinct_columns};
use merit::progress::{Stage, Stages};
use merit::search::{self, Initial, Question, Search, SpaStart, search};
use merit::solver::Workspace;
use merit::{DataMatrix, Method, SparseMatrix};

/// Words closer than this part of the largest norm are copies of each other.
const COPIES: f64 = 1e-10;

/// The words that take part, and what the caller wants of them.
pub(crate) struct Words<'a> {
    pub counts: &'a SparseMatrix,
    /// The column of the caller's counts for each.
    pub columns: &'a [usize],
    pub chosen: &'a AnchorWords,
}

impl Words<'_> {
    /// Those of the caller's columns that take part, by their number here.
    fn places(&self, columns: &[usize]) -> Vec<usize> {
        columns.iter().filter_map(|column| self.columns.binary_search(column).ok()).collect()
    }

    /// Those that are not forbidden, with the number of documents that each is in.
    pub fn open(&self) -> Vec<(usize, usize)> {
        let forbidden = self.places(&self.chosen.forbidden);
        let open = (0..self.counts.cols()).filter(|n| !forbidden.contains(n));
        open.map(|n| (n, self.counts.col(n).0.len())).collect()
    }
}

/// `P` and `X = U' barP`, whose columns are words.
pub(crate) struct Space {
    pub together: Cooccurrence,
    pub x: DataMatrix,
}

impl Space {
    /// For this many topics.
    pub fn of(counts: &SparseMatrix, topics: usize, stages: &mut Stages) -> Result<Self, Error> {
        let stage = Stage::new("cooccurrence", "counting words that appear together");
        let together = stages.whole(stage, |_| Cooccurrence::of(counts))?;
        let dim = (2 * topics).min(together.words());
        let stage = Stage::new("reduce", "reducing the co-occurrences");
        let x = stages.whole(stage, |interrupt| together.reduced(dim, interrupt))?.ok_or(Error::NoConvergence)?;
        Ok(Self { together, x: DataMatrix::from(x) })
    }
}

/// Anchors of a search, numbered as all words are.
#[derive(Debug)]
pub(crate) struct Anchored {
    pub search: Search,
    pub anchors: Vec<usize>,
    pub given: Vec<bool>,
    pub scores: Vec<f64>,
    /// Words that the search saw, after merging and leaving out.
    pub searched_words: usize,
    pub minimum_documents: usize,
}

/// `topics` anchors among the words in `minimum_documents` documents or more, by `method`.
pub(crate) fn find(
    x: &DataMatrix,
    words: &Words,
    topics: usize,
    minimum_documents: usize,
    method: Method,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Anchored, Error> {
    let open = words.open().into_iter().filter(|(_, documents)| *documents >= minimum_documents);
    let allowed: Vec<usize> = open.map(|(n, _)| n).collect();
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
    let found = by_method(prepared.problem(), topics, method, &settings.search, stages)?;
    let found = found.numbered(x.cols(), |i| allowed[prepared.original(i)]);
    let (mut anchors, mut scores) = (found.anchors.clone(), found.scores.clone());
    let mut given = vec![false; anchors.len()];
    for word in words.places(&words.chosen.given) {
        keep(x, word, &mut anchors, &mut given, &mut scores);
    }
    Ok(Anchored { search: found, anchors, given, scores, searched_words: prepared.kept(), minimum_documents })
}

/// Anchors among the columns of `x`.
fn by_method(
    x: &DataMatrix,
    topics: usize,
    method: Method,
    settings: &search::Settings,
    stages: &mut Stages,
) -> Result<Search, Error> {
    let mut settings = settings.clone();
    let mut question = Question::of(topics);
    if method == Method::Merit {
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
