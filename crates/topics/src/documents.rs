//! What documents are made of: shares of topics, and the documents that are typical of one.
//!
//! `O(K D)` time for `D` documents.

use crate::quality::{MEASURED_WORDS, main_topics};
use merit::shares::largest;
use merit::{DenseMatrix, SparseMatrix};
use std::collections::HashSet;

/// Part of all documents that each topic has; the parts sum to 1, unless no document has a share.
pub fn sizes(shares: &DenseMatrix) -> Vec<f64> {
    let mut sizes = vec![0.0; shares.rows()];
    (0..shares.cols()).for_each(|d| sizes.iter_mut().zip(shares.col(d)).for_each(|(size, share)| *size += share));
    let sum: f64 = sizes.iter().sum();
    if sum > 0.0 {
        sizes.iter_mut().for_each(|size| *size /= sum);
    }
    sizes
}

/// The documents that are topic `k` most purely, at most `most`, the best first; `lengths` are their words.
///
/// Longer documents come before shorter ones of the same share, because a purely typical document of two words says little:
/// the score is the share times the square root of the topic's words.
pub fn typical(shares: &DenseMatrix, lengths: &[f64], k: usize, most: usize) -> Vec<usize> {
    let score = |d: usize| shares.get(k, d) * (shares.get(k, d) * lengths[d]).sqrt();
    let mut documents: Vec<(f64, usize)> =
        (0..shares.cols()).filter(|&d| shares.get(k, d) > 0.0).map(|d| (score(d), d)).collect();
    let compare = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if most < documents.len() {
        documents.select_nth_unstable_by(most, compare);
        documents.truncate(most);
    }
    documents.sort_by(compare);
    documents.into_iter().map(|(_, d)| d).collect()
}

/// How mixed a document is: the entropy of its shares over that of even ones, from 0 (one topic) to 1.
///
/// ```
/// assert_eq!(merit_topics::documents::mixedness(&[0.5, 0.5]), 1.0);
/// assert_eq!(merit_topics::documents::mixedness(&[0.0, 1.0, 0.0]), 0.0);
/// ```
pub fn mixedness(shares: &[f64]) -> f64 {
    let entropy: f64 = shares.iter().filter(|share| **share > 0.0).map(|share| -share * share.ln()).sum();
    if shares.len() > 1 { entropy / (shares.len() as f64).ln() } else { 0.0 }
}

/// Words of every document, by `counts` (documents x words).
pub fn lengths(counts: &SparseMatrix) -> Vec<f64> {
    let mut lengths = vec![0.0; counts.rows()];
    for n in 0..counts.cols() {
        let (documents, times) = counts.col(n);
        documents.iter().zip(times).for_each(|(&d, count)| lengths[d as usize] += count);
    }
    lengths
}

/// Number of documents in which each topic is the largest; of equal shares the first counts, without shares none.
///
/// ```
/// use merit::DenseMatrix;
/// let shares = DenseMatrix::from_columns(2, vec![0.2, 0.8, 0.5, 0.5, 0.0, 0.0]);
/// assert_eq!(merit_topics::documents::leads(&shares), [1, 1]);
/// ```
pub fn leads(shares: &DenseMatrix) -> Vec<usize> {
    let mut leads = vec![0; shares.rows()];
    for d in 0..shares.cols() {
        if let Some((k, _)) = largest(shares.col(d).iter().copied()).filter(|(_, share)| *share > 0.0) {
            leads[k] += 1;
        }
    }
    leads
}

/// A topic that swallows documents of other kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct Loose {
    /// The topic.
    pub topic: usize,
    /// Documents of which it is the main topic, over those of an average topic.
    pub size: f64,
    /// Part of them that have one of its words or more.
    pub described: f64,
}

/// A topic as large as this many average ones is suspected, if no more than this part of its documents have a word that is shown for it.
const LOOSE: (f64, f64) = (3.0, 2.0 / 3.0);
/// What every such statement says.
const TOLD: &str = "times the documents of an average topic";

impl Loose {
    /// Whether a note is such a statement.
    pub fn is_told_by(note: &str) -> bool {
        note.contains(TOLD)
    }

    /// In words.
    pub fn statement(&self) -> String {
        format!(
            "topic {} has {:.1} {TOLD}, and only {:.0} % of them have one of its first {MEASURED_WORDS} words: it may hold several stories, which more `topics` \
             might tell apart",
            self.topic,
            self.size,
            100.0 * self.described
        )
    }
}

/// Topics that hold many documents which have none of the words that are `shown` first for them; `counts` is documents x words, `shares` topics x documents.
///
/// Shares, their entropy, and how alike the documents of a topic are do not reveal such topics (docs/src/explanation/topics.md).
pub fn loose(counts: &SparseMatrix, shares: &DenseMatrix, shown: &[Vec<usize>]) -> Vec<Loose> {
    let (main, topics) = (main_topics(shares), shares.rows());
    let leads = leads(shares);
    let documents: usize = leads.iter().sum();
    let judged = |k: usize| {
        let words = shown[k].iter().take(MEASURED_WORDS);
        let with = words.flat_map(|&n| counts.col(n).0).filter(|&&d| main[d as usize] == Some(k));
        let described = with.collect::<HashSet<_>>().len() as f64 / leads[k].max(1) as f64;
        let size = (leads[k] * topics) as f64 / documents as f64;
        (size >= LOOSE.0 && described < LOOSE.1).then_some(Loose { topic: k, size, described })
    };
    (0..topics).filter_map(judged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight topics: seven of ten documents, and one of 90, of which a third have its words.
    #[test]
    fn a_topic_whose_words_its_documents_lack_is_told() {
        let topic = |d: usize| if d < 70 { 1 + d / 10 } else { 0 };
        let shares = DenseMatrix::from_fn(8, 160, |k, d| f64::from(u8::from(topic(d) == k)));
        let words = |part: usize| {
            let word = |d: usize| if topic(d) > 0 || d % 3 < part { 2 * topic(d) + d % 2 } else { 16 };
            SparseMatrix::from_triplets(160, 17, (0..160).map(|d| (d as u32, word(d) as u32, 1.0)).collect())
        };
        let shown: Vec<Vec<usize>> = (0..8).map(|k| vec![2 * k, 2 * k + 1]).collect();
        let found = loose(&words(1), &shares, &shown);
        assert_eq!(found, [Loose { topic: 0, size: 4.5, described: 1.0 / 3.0 }]);
        let told = found[0].statement();
        assert!(
            told.starts_with(
                "topic 0 has 4.5 times the documents of an average topic, and only 33 % of them have one of"
            ),
            "{told}"
        );
        assert!(Loose::is_told_by(&told));
        assert_eq!(loose(&words(2), &shares, &shown), [], "two thirds are enough");
        assert_eq!(loose(&words(1), &DenseMatrix::zeros(8, 160), &shown), [], "no document has a topic");
    }

    #[test]
    fn long_documents_of_one_topic_are_typical() {
        // Documents: short and pure, long and pure, long and half, of the other topic.
        let shares = DenseMatrix::from_columns(2, vec![1.0, 0.0, 1.0, 0.0, 0.5, 0.5, 0.0, 1.0]);
        let lengths = [1.0, 9.0, 12.0, 5.0];
        assert_eq!(typical(&shares, &lengths, 0, 9), [1, 2, 0]);
        assert_eq!(typical(&shares, &lengths, 0, 2), [1, 2]);
        assert_eq!(sizes(&shares), [2.5 / 4.0, 1.5 / 4.0]);
    }
}
