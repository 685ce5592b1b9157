//! From anchors to topics.
//!
//! ```text
//! H = argmin over H >= 0 of ||P - P(:, anchors) H||_F,   rows scaled to sum 1       P: how often words are together, by tf-idf
//! theta_d: proportions of document d on H, by likelihood;   main(d) = argmax theta_d                    [`crate::likelihood`]
//! p(w | k) ~ sum over documents d with main(d) = k of n(d,w) r(k | d,w) + 0.01       r(k | d,w) = theta_d(k) H(k,w) / sum_j theta_d(j) H(j,w)
//! ```
//!
//! If every word is a mixture of anchors, `H(k,w)` is proportional to `p(w | k)`, but in units of tf-idf: `H` knows which topic a word speaks for, not how often the
//! topic uses it. The last line gives that: the words of the documents whose main topic it is, as far as they speak for it. A topic that is no document's main one keeps `H`.
//!
//! Fits of words on the simplex with Bayes' rule (Arora et al., ICML 2013), whole steps of EM from either, and EM on tf-idf weights were tried on labeled corpora; main topics met
//! the labels less often (docs/src/explanation/topics.md).
//!
//! Each word is a problem of size `K x K`: `O(N K^2)` and a small active set each.

use crate::cooccurrence::Cooccurrence;
use crate::likelihood::{WORDS_PRIOR, rows_to_one};
use crate::quality::main_topics;
use crate::weights::Basis;
use merit::progress::Interrupt;
use merit::{DenseMatrix, SparseMatrix};
use merit_linalg::dense::dot;

/// `H` with rows that sum to 1; rows of a topic without words are zeros. Meaningless after an interrupt.
pub(crate) fn weights_of_words(together: &Cooccurrence, anchors: &[usize], interrupt: &Interrupt) -> DenseMatrix {
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

/// `H` in which no word is impossible, as if each topic had its even part of the words of `counts` (documents x words).
pub(crate) fn topics_of_anchors(
    together: &Cooccurrence,
    counts: &SparseMatrix,
    anchors: &[usize],
    interrupt: &Interrupt,
) -> DenseMatrix {
    let mut h = weights_of_words(together, anchors, interrupt);
    let share = counts.values().iter().sum::<f64>() / anchors.len().max(1) as f64;
    h.values_mut().iter_mut().for_each(|p| *p = *p * share + WORDS_PRIOR);
    rows_to_one(&mut h);
    h
}

/// `p(word | topic)`, topics x words: the words of the documents of `counts` (documents x words) whose main topic it is, as far as they speak for it by
/// `start` and by `documents` (topics x documents). A topic without such a document stays as it is in `start`.
///
/// ```
/// use merit::{DenseMatrix, SparseMatrix};
/// let counts = SparseMatrix::from_triplets(2, 2, vec![(0, 0, 4.0), (0, 1, 4.0), (1, 1, 5.0)]);
/// let start = DenseMatrix::from_columns(3, vec![0.9, 0.1, 0.5, 0.1, 0.9, 0.5]);
/// let documents = DenseMatrix::from_columns(3, vec![0.6, 0.4, 0.0, 0.0, 1.0, 0.0]);
/// let topics = merit_topics::recovery::words_of_documents(&counts, &start, &documents);
/// let (a, b) = (4.0 * 0.54 / 0.58, 4.0 * 0.06 / 0.42); // of the first document, which is mainly topic 0
/// assert!((topics.get(0, 0) - (a + 0.01) / (a + b + 0.02)).abs() < 1e-12);
/// assert!((topics.get(1, 1) - 5.01 / 5.02).abs() < 1e-12);
/// assert_eq!(topics.get(2, 0), 0.5);
/// ```
pub fn words_of_documents(counts: &SparseMatrix, start: &DenseMatrix, documents: &DenseMatrix) -> DenseMatrix {
    let main = main_topics(documents);
    let mut leads = vec![false; start.rows()];
    main.iter().flatten().for_each(|&k| leads[k] = true);
    let mut topics = DenseMatrix::from_column_fn(start.rows(), start.cols(), |n, sums| {
        let (list, times) = counts.col(n);
        let of_word = start.col(n);
        for (&d, &count) in list.iter().zip(times) {
            let theta = documents.col(d as usize);
            if let Some(k) = main[d as usize] {
                let all = dot(of_word, theta);
                sums[k] += if all > 0.0 { count * of_word[k] * theta[k] / all } else { 0.0 };
            }
        }
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum = if leads[k] { *sum + WORDS_PRIOR } else { of_word[k] };
        }
    });
    rows_to_one(&mut topics);
    topics
}
