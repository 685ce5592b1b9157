//! How many topics? Several numbers are tried, and what can be seen without labels is set side by side.
//!
//! | column | what | better |
//! |---|---|---|
//! | agreement | how often the two halves of a document have the same main topic, beyond chance ([`crate::contest`]) | larger |
//! | completion | mean logarithm of a word's probability in the second halves of documents, proportions being from the first halves | larger |
//! | NPMI, diversity | of the first ten telling words of these topics | larger |
//! | stability | part of these words that topics from the even and from the odd documents share, matched at best | larger |
//!
//! All numbers share the co-occurrences and their reduction to the most directions that any of them needs. A corpus of more than
//! [`DOCUMENTS`] documents is sampled, every n-th document. Time for `K` topics: SPA, least squares and `O(nnz K)` for each of a few steps, for every limit of anchors.
//!
//! **The recommendation** is the number with the largest sum of agreement, NPMI and stability, each scaled to go from 0 to 1 over the numbers that were
//! tried. Texts rarely say how many topics they have: see the table in the documentation for how often this was right.

use crate::Error;
use crate::anchoring::{Space, Words, find};
use crate::anchors::{AnchorWords, limits};
use crate::coherence::Together;
use crate::contest::{agreement, every};
use crate::cooccurrence::informative_words;
use crate::documents::sizes;
use crate::likelihood::{halves, mean_log_likelihood, proportions_within};
use crate::quality::{MEASURED_WORDS, Quality, diversity};
use crate::recovery::{topics_of_anchors, words_of_documents};
use crate::relevance::{marginal, telling_words};
use crate::settings::Settings;
use merit::progress::{Stage, Stages};
use merit::{DataMatrix, DenseMatrix, SparseMatrix, hungarian};
use serde::{Deserialize, Serialize};

/// Documents that are looked at, at most.
pub const DOCUMENTS: usize = 4_000;
/// Steps towards the proportions of a document.
const STEPS: usize = 20;
/// What was tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// A row for each number, rising.
    pub rows: Vec<Row>,
    /// The number to use.
    pub recommended: usize,
    /// Documents that were looked at.
    pub documents: usize,
}

/// One number of topics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The number.
    pub topics: usize,
    /// How often the two halves of a document have the same main topic, beyond chance.
    pub agreement: f64,
    /// Mean logarithm of the probability of a word in the second halves of the documents.
    pub completion: f64,
    /// Mean NPMI.
    pub npmi: f64,
    /// Different words among those of all topics, over their number.
    pub diversity: f64,
    /// Part of the words that topics of the even and the odd documents share.
    pub stability: f64,
}

impl Sweep {
    /// In words, for people.
    pub fn statement(&self) -> String {
        let numbers: Vec<String> = self.rows.iter().map(|row| row.topics.to_string()).collect();
        let Some(best) = self.rows.iter().find(|row| row.topics == self.recommended) else { return String::new() };
        format!(
            "{} topics, of {} tried: agreement {:.2}, NPMI {:.2}, stability {:.2}; texts rarely say how many topics they have, so look at its \
             neighbors too with `topics`",
            self.recommended,
            numbers.join(", "),
            best.agreement,
            best.npmi,
            best.stability
        )
    }
}

/// Tries `numbers` of topics on `counts` (documents x words).
pub(crate) fn sweep(
    counts: &SparseMatrix,
    numbers: &[usize],
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Sweep, Error> {
    let step = counts.rows().div_ceil(DOCUMENTS).max(1);
    let sample = every(counts, step, 0);
    let most = numbers.iter().copied().max().unwrap_or(2);
    let whole = Part::of(&sample, most, stages)?;
    let parts =
        [Part::of(&every(counts, 2 * step, 0), most, stages)?, Part::of(&every(counts, 2 * step, step), most, stages)?];
    let mut rows: Vec<Row> = Vec::new();
    for &topics in numbers {
        if let Some(row) = of_number(topics, &whole, &parts, settings, stages)? {
            rows.push(row);
        }
    }
    if rows.is_empty() {
        return Err(Error::FewWords { topics: numbers.iter().copied().min().unwrap_or(2), words: whole.counts.cols() });
    }
    let recommended = recommended(&rows);
    Ok(Sweep { rows, recommended, documents: sample.rows() })
}

/// The number with the largest sum of scaled measures; the smallest of several.
pub fn recommended(rows: &[Row]) -> usize {
    let scaled = |value: fn(&Row) -> f64| {
        let values: Vec<f64> = rows.iter().map(value).collect();
        let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &v| (low.min(v), high.max(v)));
        values.into_iter().map(|v| if high > low { (v - low) / (high - low) } else { 0.0 }).collect::<Vec<f64>>()
    };
    let all = [scaled(|row| row.agreement), scaled(|row| row.npmi), scaled(|row| row.stability)];
    let score = |i: usize| all.iter().map(|values| values[i]).sum::<f64>();
    let best = (0..rows.len()).max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)));
    best.map_or(2, |i| rows[i].topics)
}

/// Some documents, without the words that tell nothing there.
struct Part {
    counts: SparseMatrix,
    /// The words, by their column in all.
    words: Vec<usize>,
    space: Space,
    halves: (SparseMatrix, SparseMatrix),
}

/// Topics, and what the documents are made of.
struct Found {
    topics: DenseMatrix,
    documents: DenseMatrix,
    agreement: f64,
}

impl Part {
    fn of(counts: &SparseMatrix, most: usize, stages: &mut Stages) -> Result<Self, Error> {
        let words = informative_words(counts);
        if words.is_empty() {
            return Err(Error::NothingInformative { words: counts.cols(), documents: counts.rows() });
        }
        let counts = counts.select(&words);
        let space = Space::of(&counts, most, stages)?;
        Ok(Self { words, space, halves: halves(&counts), counts })
    }

    /// `X` in `2 topics` directions.
    fn x(&self, topics: usize) -> DataMatrix {
        let dim = (2 * topics).min(self.space.x.rows());
        let column = |n: usize| self.space.x.dense_columns(&[n]);
        DenseMatrix::from_column_fn(dim, self.space.x.cols(), |n, out| out.copy_from_slice(&column(n).values()[..dim]))
            .into()
    }

    /// Topics of SPA's anchors among the words in `limit` documents or more; none where there are too few words.
    fn topics(
        &self,
        x: &DataMatrix,
        topics: usize,
        limit: usize,
        settings: &Settings,
        stages: &mut Stages,
    ) -> Result<Option<Found>, Error> {
        let columns: Vec<usize> = (0..self.counts.cols()).collect();
        let chosen = AnchorWords::default();
        let among = Words { counts: &self.counts, columns: &columns, chosen: &chosen };
        let found = match find(x, &among, topics, limit, merit::Method::Spa, settings, stages) {
            Ok(found) => found,
            Err(Error::FewAnchors { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let stage = Stage::new("count", format!("trying {topics} topics"));
        Ok(Some(stages.whole(stage, |interrupt| {
            let topics = topics_of_anchors(&self.space.together, &self.counts, &found.anchors, interrupt);
            let (_, agreement) = agreement(&topics, &self.halves, interrupt);
            let documents = proportions_within(STEPS, &topics, &self.counts, interrupt);
            Found { topics, documents, agreement }
        })?))
    }

    fn limits(&self, topics: usize) -> Vec<usize> {
        let frequency: Vec<usize> = (0..self.counts.cols()).map(|n| self.counts.col(n).0.len()).collect();
        limits(&frequency, self.counts.rows(), topics)
    }
}

fn of_number(
    topics: usize,
    whole: &Part,
    parts: &[Part; 2],
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Option<Row>, Error> {
    let x = whole.x(topics);
    let mut best: Option<(usize, Found)> = None;
    for limit in whole.limits(topics) {
        let Some(found) = whole.topics(&x, topics, limit, settings, stages)? else { continue };
        if best.as_ref().is_none_or(|(_, best)| found.agreement > best.agreement) {
            best = Some((limit, found));
        }
    }
    let Some((limit, found)) = best else { return Ok(None) };
    let shown = telling(&found);
    let together = Together::in_documents(&whole.counts, &shown);
    let (first, second) = &whole.halves;
    let stage = Stage::new("count", format!("trying {topics} topics"));
    let completion = stages.whole(stage, |interrupt| {
        let words = words_of_documents(&whole.counts, &found.topics, &found.documents);
        mean_log_likelihood(&words, &proportions_within(STEPS, &words, first, interrupt), second)
    })?;
    let mut sides: Vec<Vec<Vec<usize>>> = Vec::new();
    for part in parts {
        let limit = (limit * part.counts.rows()).div_ceil(whole.counts.rows().max(1)).max(1);
        let Some(found) = part.topics(&part.x(topics), topics, limit, settings, stages)? else { return Ok(None) };
        let original = |list: Vec<usize>| list.into_iter().map(|n| part.words[n]).collect();
        sides.push(telling(&found).into_iter().map(original).collect());
    }
    Ok(Some(Row {
        topics,
        agreement: found.agreement,
        completion,
        npmi: Quality::mean(&together.npmi()),
        diversity: diversity(&shown),
        stability: shared_words(&sides[0], &sides[1]),
    }))
}

fn telling(found: &Found) -> Vec<Vec<usize>> {
    telling_words(&found.topics, &marginal(&found.topics, &sizes(&found.documents)), MEASURED_WORDS)
}

/// Part of the words that two sets of topics share, topics matched at best.
///
/// ```
/// use merit_topics::sweep::shared_words;
/// assert_eq!(shared_words(&[vec![1, 2], vec![3, 4]], &[vec![4, 9], vec![2, 1]]), 0.75);
/// ```
pub fn shared_words(a: &[Vec<usize>], b: &[Vec<usize>]) -> f64 {
    let shared = |i: usize, j: usize| a[i].iter().filter(|word| b[j].contains(word)).count() as f64;
    let cost = DenseMatrix::from_fn(a.len(), b.len(), |i, j| -shared(i, j));
    let common: f64 = hungarian::assign(&cost).iter().enumerate().map(|(i, &j)| shared(i, j)).sum();
    common / a.iter().map(Vec::len).sum::<usize>().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recommendation_weighs_all_measures_alike() {
        let row = |topics, agreement, npmi, stability| Row { topics, agreement, npmi, stability, ..Row::default() };
        let rows = [row(2, 0.5, 0.3, 0.9), row(5, 0.8, 0.4, 0.8), row(10, 0.82, 0.1, 0.1)];
        assert_eq!(recommended(&rows), 5);
        assert_eq!(recommended(&rows[..1]), 2);
        assert_eq!(recommended(&[]), 2);
    }
}
