//! From anchors to topics: `p(topic | word)` by fits on the simplex, then `p(word | topic)` by Bayes' rule.
//!
//! ```text
//! p(. | w) = argmin over c >= 0, sum c = 1 of ||x_w - X(:, anchors) c||          x_w: how often w is with the other words
//! p(w | k) ~ p(k | w) p(w)
//! ```
//!
//! Each word is a problem of size `K x K`: `O(N K^2)` and a small active set each. Reference: Arora et al., *A practical algorithm for topic modeling
//! with provable guarantees*, ICML 2013.

use crate::likelihood::{WORDS_PRIOR, rows_to_one};
use merit::least_squares::{Constraint, DEFAULT_TOLERANCE, solve_until};
use merit::progress::Interrupt;
use merit::{DataMatrix, DenseMatrix, SparseMatrix};

/// `p(topic | word)`, topics x words; columns sum to one. Of no use once somebody asked for the end.
pub fn topics_of_words(x: &DataMatrix, anchors: &[usize], interrupt: &Interrupt) -> DenseMatrix {
    solve_until(interrupt, x, &x.dense_columns(anchors), Constraint::Simplex, DEFAULT_TOLERANCE).h
}

/// `p(word | topic)`, topics x words, by the words of `counts` (documents x words); rows sum to one. No word is impossible: each has the weight of
/// a hundredth of a word of the corpus more.
///
/// ```
/// use merit::{DenseMatrix, SparseMatrix};
/// let of_words = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5]);
/// let counts = SparseMatrix::from_triplets(1, 2, vec![(0, 0, 30.0), (0, 1, 20.0)]);
/// let topics = merit_topics::recovery::words_of_topics(of_words, &counts);
/// assert!((topics.get(0, 0) - 0.75).abs() < 1e-3 && topics.get(1, 0) < 1e-2);
/// ```
pub fn words_of_topics(mut of_words: DenseMatrix, counts: &SparseMatrix) -> DenseMatrix {
    for n in 0..of_words.cols() {
        let times: f64 = counts.col(n).1.iter().sum();
        of_words.col_mut(n).iter_mut().for_each(|p| *p = *p * times + WORDS_PRIOR);
    }
    rows_to_one(&mut of_words);
    of_words
}
