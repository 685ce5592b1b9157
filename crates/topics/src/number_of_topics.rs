//! How many topics? The eigenvalues of the documents' similarities that stand out.
//!
//! ```text
//! A(d,e) = cosine of the tf-idf vectors of documents d and e      S = diag(A 1)^(-1/2) A diag(A 1)^(-1/2)
//! 1 = theta_1 >= theta_2 >= ...  eigenvalues of S                 K = 1 + #{ k >= 2 : theta_k > 1.55 line(k) }
//! ```
//!
//! where `line` is the straight line through the second half of the first 31 eigenvalues (of the first 121 if none of those stands out). Documents in `K` groups without a common word have `K`
//! eigenvalues 1; groups that share words keep `K` large ones. The answer is *clear* when the last one counted is 3 times the line and the next one at
//! most 1.2 times; otherwise it is a guess, and says so. On 300 trial files of the paper (TDT2 and Reuters with 3 to 10 classes, 25 of each;
//! `tests/number_of_topics.rs`) it was right for 68 and off by at most one for 196, and called none of them clear. The largest gap was right for
//! 59 (142 within one), and the two witnesses of [`merit::rank`] on the co-occurrences gave 9 for three topics without a common word.
//!
//! `A` is applied, never formed: `O(nnz)` for a product, some hundreds of them; memory `12 nnz` and 100 vectors of the shorter side. Reference: U. von
//! Luxburg, *A tutorial on spectral clustering*, Stat. Comput. 17, 2007.
//!
//! ```
//! use merit::{SparseMatrix, progress::Interrupt};
//! // 36 documents in three groups, each with two of the three words of its group.
//! let word = |d: u32, i: u32| (d, 3 * (d % 3) + (d / 3 + i) % 3, 1.0);
//! let counts = SparseMatrix::from_triplets(36, 9, (0..36).flat_map(|d| [word(d, 0), word(d, 1)]).collect());
//! let estimate = merit_topics::number_of_topics::estimate(&counts, &Interrupt::never());
//! assert!(estimate.topics == 3 && estimate.clear);
//! ```

use crate::cooccurrence::tf_idf;
use merit::{DenseMatrix, SparseMatrix};
use merit_linalg::eigen::{Settings, Which, leading_eigenpairs_until};
use merit_linalg::interrupt::Interrupt;
use serde::{Deserialize, Serialize};

/// Eigenvalues that are looked at: more, if none of the first ones stands out, because then all may belong to topics.
const LOOKED_AT: [usize; 2] = [31, 121];
/// How far above the line an eigenvalue must be to be counted.
const STANDS_OUT: f64 = 1.55;
/// For a clear answer, the last one counted must be this many times the line, and the next one at most that many.
const CLEAR: (f64, f64) = (3.0, 1.2);
/// Eigenvalues below are rounding.
const NOTHING: f64 = 1e-9;

/// The estimate, with what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The number to use.
    pub topics: usize,
    /// Whether the eigenvalues fall off sharply after it. Otherwise the number is a guess.
    pub clear: bool,
    /// The last eigenvalue counted, and the one after it, over the line through the tail; none without a tail.
    pub beside_the_tail: Option<(f64, f64)>,
    /// The leading eigenvalues.
    pub eigenvalues: Vec<f64>,
}

impl Estimate {
    /// Of eigenvalues, largest first.
    ///
    /// ```
    /// let estimate = merit_topics::number_of_topics::Estimate::of(&[1.0, 0.6, 0.5, 0.11, 0.1, 0.09, 0.08, 0.07]);
    /// assert_eq!((estimate.topics, estimate.clear), (3, true));
    /// ```
    pub fn of(eigenvalues: &[f64]) -> Self {
        let line = Line::through(eigenvalues, eigenvalues.len() / 2);
        let above = |k: usize| eigenvalues[k] / line.at(k).max(NOTHING);
        let counted = (1..eigenvalues.len()).take_while(|&k| eigenvalues[k] > NOTHING && above(k) > STANDS_OUT).count();
        // One topic is not an answer: a user who asks has at least two in mind.
        let topics = (1 + counted).max(2).min(eigenvalues.len().max(1));
        let beside_the_tail = (topics < eigenvalues.len()).then(|| (above(topics - 1), above(topics)));
        let clear = beside_the_tail.is_some_and(|(last, next)| last >= CLEAR.0 && next <= CLEAR.1);
        Self { topics, clear, beside_the_tail, eigenvalues: eigenvalues.to_vec() }
    }

    /// Whether any eigenvalue except the first stands out from the tail.
    fn stands_out(&self) -> bool {
        self.beside_the_tail.is_none_or(|(last, _)| last > STANDS_OUT)
    }

    /// In words.
    pub fn statement(&self) -> String {
        let topics = self.topics;
        let why = self.beside_the_tail.map_or(String::new(), |(last, next)| {
            format!(": in the spectrum of the documents' similarities number {topics} is {last:.1} times the trend of the tail, the next one {next:.1} times")
        });
        if !self.stands_out() {
            return format!(
                "{topics} topics, which is not an estimate: none of the first {} eigenvalues of the documents' similarities stands out, so there may be one topic or \
                 a great many; say how many with `topics`",
                self.eigenvalues.len()
            );
        }
        match self.clear {
            true => format!("{topics} topics (estimated, clear){why}"),
            false => format!(
                "{topics} topics (estimated, a guess){why}; texts rarely say how many topics they have: on news with known classes this rule is \
                 right for one corpus in four and within one for two in three, so try some numbers with `topics`"
            ),
        }
    }
}

/// A straight line over places.
struct Line {
    start: f64,
    slope: f64,
}

impl Line {
    /// The least squares line of `values` from place `from` on.
    fn through(values: &[f64], from: usize) -> Self {
        let tail = &values[from..];
        let n = tail.len().max(1) as f64;
        let (x, y) = (from as f64 + (n - 1.0) / 2.0, tail.iter().sum::<f64>() / n);
        let (mut xx, mut xy) = (0.0, 0.0);
        for (i, value) in tail.iter().enumerate() {
            let dx = (from + i) as f64 - x;
            xx += dx * dx;
            xy += dx * (value - y);
        }
        let slope = if xx > 0.0 { xy / xx } else { 0.0 };
        Self { start: y - slope * x, slope }
    }

    fn at(&self, place: usize) -> f64 {
        self.start + self.slope * place as f64
    }
}

/// The estimate for counts (documents x words) in which every word is in some documents but not in all; meaningless after an interrupt.
pub fn estimate(counts: &SparseMatrix, interrupt: &Interrupt) -> Estimate {
    let by_document = similarity_factor(counts);
    let by_word = by_document.transposed();
    let shorter_is_documents = counts.rows() <= counts.cols();
    let (first, second) = if shorter_is_documents { (&by_word, &by_document) } else { (&by_document, &by_word) };
    let spectrum = |count: usize| {
        // A ratio needs few digits.
        let settings = Settings { count, which: Which::Largest, tolerance: 1e-6, restarts: 30 };
        let pairs = leading_eigenpairs_until(interrupt, first.rows(), &settings, |v, out| {
            let mut between = DenseMatrix::zeros(first.cols(), v.cols());
            first.transposed_times(v, &mut between);
            second.transposed_times(&between, out);
        });
        Estimate::of(&pairs.values)
    };
    let estimate = spectrum(LOOKED_AT[0]);
    if estimate.stands_out() || first.rows() <= LOOKED_AT[1] { estimate } else { spectrum(LOOKED_AT[1]) }
}

/// `G'` (words x documents) with `G G' = S`: unit tf-idf vectors, divided by the roots of the documents' degrees.
fn similarity_factor(counts: &SparseMatrix) -> SparseMatrix {
    let mut by_document = tf_idf(counts).transposed();
    let documents = by_document.cols();
    for d in 0..documents {
        let (_, values) = by_document.col_mut(d);
        let norm = values.iter().map(|v| v * v).sum::<f64>().sqrt();
        values.iter_mut().for_each(|v| *v /= norm.max(f64::MIN_POSITIVE));
    }
    let mut sums = vec![0.0; by_document.rows()];
    for d in 0..documents {
        let (words, values) = by_document.col(d);
        words.iter().zip(values).for_each(|(&n, v)| sums[n as usize] += v);
    }
    for d in 0..documents {
        let degree = by_document.dot(d, &sums);
        let (_, values) = by_document.col_mut(d);
        values.iter_mut().for_each(|v| *v /= degree.sqrt().max(f64::MIN_POSITIVE));
    }
    by_document
}

#[cfg(test)]
mod tests {
    use super::*;
    use merit_linalg::dense::dot;

    /// Against the matrix S written out, document by document.
    #[test]
    fn the_implicit_similarities_are_those_written_out() {
        let triplets =
            (0..40u32).flat_map(|d| (0..5).map(move |i| (d, (d * 7 + i * i * 3) % 23, f64::from(1 + i % 2))));
        let counts = SparseMatrix::from_triplets(40, 23, triplets.collect());
        let f = tf_idf(&counts).to_dense().transposed();
        let norm = |d: usize| dot(f.col(d), f.col(d)).sqrt();
        let cosine = |d: usize, e: usize| dot(f.col(d), f.col(e)) / (norm(d) * norm(e));
        let degree: Vec<f64> = (0..40).map(|d| (0..40).map(|e| cosine(d, e)).sum()).collect();
        let g = similarity_factor(&counts).to_dense();
        for d in 0..40 {
            for e in 0..40 {
                let expected = cosine(d, e) / (degree[d] * degree[e]).sqrt();
                assert!((dot(g.col(d), g.col(e)) - expected).abs() < 1e-12, "{d} {e}");
            }
        }
        assert!((estimate(&counts, &Interrupt::never()).eigenvalues[0] - 1.0).abs() < 1e-6, "S has the eigenvalue 1");
    }

    #[test]
    fn few_eigenvalues_give_an_answer_too() {
        for (values, topics) in
            [(&[][..], 1), (&[1.0], 1), (&[1.0, 0.2], 2), (&[1.0, 0.5, 0.5], 2), (&[1.0, 1.0, 1.0, 0.0, 0.0, 0.0], 3)]
        {
            assert_eq!(Estimate::of(values).topics, topics);
        }
    }
}
