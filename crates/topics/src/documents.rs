//! What documents are made of: shares of topics, and the documents that are typical of one.
//!
//! `O(K D)` time for `D` documents.

use crate::cooccurrence::tf_idf;
use merit::shares::largest;
use merit::{DenseMatrix, SparseMatrix};

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
/// Longer documents come before shorter ones of the same share, for a purely typical document of two words tells little:
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

/// A topic that swallows documents of many kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct Loose {
    /// The topic.
    pub topic: usize,
    /// Documents of which it is the main topic, over those of an average topic.
    pub size: f64,
    /// Mean cosine of two of them (tf-idf), over that of any two documents.
    pub likeness: f64,
}

/// A topic of so many average ones, whose documents are at most so much more alike than any two are, is suspected.
const LOOSE: (f64, f64) = (3.0, 2.0);

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
            "topic {} has {:.1} {TOLD}, and they are hardly more alike than any two documents ({:.1} times): it may hold several \
             stories, which more `topics` might tell apart",
            self.topic, self.size, self.likeness
        )
    }
}

/// Topics that hold many documents which are hardly alike; `counts` is documents x words, `shares` topics x documents. Takes `O(nnz)` time and memory, and a row of
/// words for each topic.
///
/// Shares and their entropy do not tell such topics: over six labelled corpora the correlation of the number of labels within a topic with the mean entropy went from -.34 to
/// .65, with this likeness from -.76 to .30.
pub fn loose(counts: &SparseMatrix, shares: &DenseMatrix) -> Vec<Loose> {
    let by_document = tf_idf(counts).transposed();
    let (topics, words) = (shares.rows(), by_document.rows());
    // Sums of unit vectors, of each topic and of all: the mean cosine of n of them is (|sum|^2 - n) / (n (n - 1)).
    let (mut sums, mut all) = (vec![vec![0.0; words]; topics], vec![0.0; words]);
    let mut leads = vec![0.0; topics];
    for d in 0..by_document.cols() {
        let (own, values) = by_document.col(d);
        let norm = values.iter().map(|v| v * v).sum::<f64>().sqrt();
        let main = largest(shares.col(d).iter().copied()).filter(|(_, share)| *share > 0.0 && norm > 0.0);
        let Some((k, _)) = main else { continue };
        leads[k] += 1.0;
        for (&n, value) in own.iter().zip(values) {
            sums[k][n as usize] += value / norm;
            all[n as usize] += value / norm;
        }
    }
    let documents: f64 = leads.iter().sum();
    let cosine = |sum: &[f64], n: f64| (sum.iter().map(|v| v * v).sum::<f64>() - n) / (n * (n - 1.0));
    let usual = cosine(&all, documents);
    let judged = |k: usize| {
        let (size, likeness) = (leads[k] * topics as f64 / documents, cosine(&sums[k], leads[k]) / usual);
        (size >= LOOSE.0 && likeness <= LOOSE.1).then_some(Loose { topic: k, size, likeness })
    };
    (0..topics).filter_map(judged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight topics: seven of ten documents with five words of their own, and one of 90 documents, each with a word of its kind (of 45) and words of all.
    #[test]
    fn a_topic_of_unlike_documents_is_told() {
        let (mut triplets, mut shares) = (Vec::new(), DenseMatrix::zeros(8, 160));
        for d in 0..160u32 {
            let k = if d < 70 { 1 + d / 10 } else { 0 };
            shares.col_mut(d as usize)[k as usize] = 1.0;
            (0..5)
                .for_each(|i| triplets.push((d, if k > 0 { 5 * k + i } else { 40 + (d * 7 + i * i * 11) % 80 }, 1.0)));
        }
        let counts = SparseMatrix::from_triplets(160, 120, triplets);
        let found = loose(&counts, &shares);
        assert_eq!(found.iter().map(|one| one.topic).collect::<Vec<_>>(), [0], "{found:?}");
        assert!((found[0].size - 4.5).abs() < 1e-12 && found[0].likeness < 2.0, "{found:?}");
        // The same documents with a word that they share are alike.
        let mut triplets = (0..160u32)
            .flat_map(|d| (0..3).map(move |i| (d, if d < 70 { 3 * (d / 10) + i } else { 30 + i }, 1.0)))
            .collect::<Vec<_>>();
        triplets.push((0, 40, 1.0));
        assert_eq!(loose(&SparseMatrix::from_triplets(160, 41, triplets), &shares), []);
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
