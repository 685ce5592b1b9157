//! What documents are made of: shares of topics, and the documents that are typical of one.
//!
//! `O(K D)` time for `D` documents.

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

#[cfg(test)]
mod tests {
    use super::*;

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
