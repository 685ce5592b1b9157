//! How good topics are: coherence of the words that are shown, how much topics differ, and main topics beside labels.
//!
//! ```text
//! NPMI, UMass, c_v   of the 10 words of a topic that are shown first                            [`crate::coherence`]
//! diversity          different words among all these, over their number                        1 is best
//! accuracy           part of the documents whose main topic is matched to their label at best   1 is best
//! NMI                mutual information of main topics and labels, over the mean of their entropies
//! ```
//!
//! The main topic of a document is the one with the largest share, the first of several; documents without a share count as wrong and, in NMI, as a
//! kind of their own.

use crate::coherence::Together;
use crate::documents::sizes;
use crate::model::Model;
use crate::relevance::{marginal, telling_words};
use merit::hungarian;
use merit::shares::largest;
use merit::{DenseMatrix, SparseMatrix};
use std::collections::HashSet;

/// Words of a topic that the measures look at.
pub const MEASURED_WORDS: usize = 10;
/// Words of a topic that are listed.
pub const SHOWN_WORDS: usize = 20;

/// How good the topics are.
#[derive(Clone, Debug)]
pub struct Quality {
    /// The words of each topic that are shown, the most telling first, as places in the model's words.
    pub shown: Vec<Vec<usize>>,
    /// NPMI of each topic, by documents.
    pub npmi: Vec<f64>,
    /// UMass of each topic, by documents.
    pub umass: Vec<f64>,
    /// c_v of each topic: by windows over the texts, or by documents where there are no texts.
    pub c_v: Vec<f64>,
    /// Different words among those measured, over their number.
    pub diversity: f64,
    /// Main topics against labels, where there are labels.
    pub labels: Option<AgainstLabels>,
    /// Part of the corpus that each topic has.
    pub sizes: Vec<f64>,
}

/// Main topics against labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgainstLabels {
    /// Part of the documents whose main topic is matched to their label.
    pub accuracy: f64,
    /// Normalized mutual information.
    pub nmi: f64,
}

impl Quality {
    /// Of the model that was fitted to `counts` (documents x words); `labels` number the documents' true classes.
    pub fn of(counts: &SparseMatrix, labels: Option<&[usize]>, model: &Model) -> Self {
        Self::of_shown(counts, labels, model, shown_words(model))
    }

    /// The same where these words are shown.
    pub fn of_shown(counts: &SparseMatrix, labels: Option<&[usize]>, model: &Model, shown: Vec<Vec<usize>>) -> Self {
        let counts = counts.select(&model.words);
        let sizes = sizes(&model.documents);
        let measured = measured(&shown);
        let together = Together::in_documents(&counts, &measured);
        Self {
            npmi: together.npmi(),
            umass: together.umass(),
            c_v: together.c_v(),
            diversity: diversity(&measured),
            labels: labels.map(|labels| AgainstLabels::of(&main_topics(&model.documents), labels)),
            shown,
            sizes,
        }
    }

    /// The mean over topics.
    pub fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len().max(1) as f64
    }
}

/// The words of every topic that are shown, the most telling first: what a word speaks for is known best by the anchors; how often a topic uses it, by `topics`.
pub fn shown_words(model: &Model) -> Vec<Vec<usize>> {
    let telling = model.anchored.as_ref().unwrap_or(&model.topics);
    telling_words(telling, &marginal(telling, &sizes(&model.documents)), SHOWN_WORDS)
}

/// The words that the measures look at.
pub fn measured(shown: &[Vec<usize>]) -> Vec<Vec<usize>> {
    shown.iter().map(|words| words.iter().copied().take(MEASURED_WORDS).collect()).collect()
}

/// Different words over all words of the topics; without words 0.
///
/// ```
/// assert_eq!(merit_topics::quality::diversity(&[vec![1, 2], vec![2, 3]]), 0.75);
/// ```
pub fn diversity(topics: &[Vec<usize>]) -> f64 {
    let different: HashSet<usize> = topics.iter().flatten().copied().collect();
    different.len() as f64 / topics.iter().map(Vec::len).sum::<usize>().max(1) as f64
}

/// The topic with the largest share of each document (topics x documents); none where there is no share.
pub fn main_topics(documents: &DenseMatrix) -> Vec<Option<usize>> {
    let main = |d| largest(documents.col(d).iter().copied()).filter(|(_, share)| *share > 0.0).map(|(k, _)| k);
    (0..documents.cols()).map(main).collect()
}

impl AgainstLabels {
    /// Of main topics and numbers of labels, one of each per document.
    ///
    /// ```
    /// use merit_topics::quality::AgainstLabels;
    /// let found = AgainstLabels::of(&[Some(1), Some(1), Some(0), Some(0)], &[0, 0, 1, 1]);
    /// assert_eq!((found.accuracy, found.nmi), (1.0, 1.0));
    /// ```
    pub fn of(main: &[Option<usize>], labels: &[usize]) -> Self {
        let topics = main.iter().flatten().max().map_or(0, |k| k + 1);
        let classes = labels.iter().max().map_or(0, |label| label + 1);
        // Documents without a topic are the last row, which is matched to no label.
        let mut table = vec![vec![0.0; classes]; topics + 1];
        main.iter().zip(labels).for_each(|(k, &label)| table[k.unwrap_or(topics)][label] += 1.0);
        let (few, many) = (topics.min(classes), topics.max(classes));
        let at = |i: usize, j: usize| if topics <= classes { table[i][j] } else { table[j][i] };
        let cost = DenseMatrix::from_fn(few, many, |i, j| -at(i, j));
        let right: f64 = hungarian::assign(&cost).iter().enumerate().map(|(i, &j)| at(i, j)).sum();
        let documents = main.len().max(1) as f64;
        Self { accuracy: right / documents, nmi: normalized_information(&table, documents) }
    }
}

/// Mutual information of rows and columns of a table of counts, over the mean of their entropies; 1 where neither says anything.
fn normalized_information(table: &[Vec<f64>], all: f64) -> f64 {
    let rows: Vec<f64> = table.iter().map(|row| row.iter().sum()).collect();
    let columns: Vec<f64> = (0..table[0].len()).map(|j| table.iter().map(|row| row[j]).sum()).collect();
    let entropy =
        |sums: &[f64]| sums.iter().filter(|sum| **sum > 0.0).map(|sum| -sum / all * (sum / all).ln()).sum::<f64>();
    let mut information = 0.0;
    for (row, of_row) in table.iter().zip(&rows) {
        for (count, of_column) in row.iter().zip(&columns).filter(|(count, _)| **count > 0.0) {
            information += count / all * (count * all / (of_row * of_column)).ln();
        }
    }
    let mean = 0.5 * (entropy(&rows) + entropy(&columns));
    if mean > 0.0 { (information / mean).clamp(0.0, 1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, and NMI as scikit-learn 1.9 gives it (`normalized_mutual_info_score([0,0,0,1,1,2], [0,0,1,1,1,2])`).
    #[test]
    fn labels_are_matched_at_best() {
        let main = [0, 0, 1, 1, 1, 2].map(Some);
        let found = AgainstLabels::of(&main, &[0, 0, 0, 1, 1, 2]);
        assert!((found.accuracy - 5.0 / 6.0).abs() < 1e-12);
        assert!((found.nmi - 0.685_331_478_961_586_6).abs() < 1e-12, "{}", found.nmi);
        // More topics than labels, fewer, and a document without a topic.
        assert_eq!(AgainstLabels::of(&[Some(0), Some(1), Some(2)], &[0, 0, 1]).accuracy, 2.0 / 3.0);
        assert_eq!(AgainstLabels::of(&[Some(0), Some(0), Some(0)], &[0, 1, 2]).accuracy, 1.0 / 3.0);
        assert_eq!(AgainstLabels::of(&[None, Some(0)], &[1, 1]).accuracy, 0.5);
        assert_eq!(AgainstLabels::of(&[None, None], &[0, 1]).accuracy, 0.0);
    }
}
