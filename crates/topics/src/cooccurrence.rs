//! Which words appear together: the co-occurrence matrix `P` of a corpus, applied but never formed.
//!
//! ```text
//! F(d,n) = (1 + ln tf(d,n)) ln(D / df(n))     tf-idf of word n in document d
//! P      = F'F / D                            N x N, symmetric
//! barP   = P with every column divided by its sum
//! X      = U' barP                            U: the leading left singular vectors of barP
//! ```
//!
//! `P v = F'(F v) / D` costs two products with a sparse matrix, so `X` costs a few dozen of them: `O(nnz)` time each, `24 nnz`
//! bytes for `F` by words and by documents, and `8 N dim` for `X`. All sums run in a fixed order: the same bits for any
//! number of threads.
//!
//! A word in every document has `ln(D / df) = 0` and says nothing; with words that never appear it is left out
//! ([`informative_words`]). Reference: Arora et al., ICML 2013; Fu et al., IEEE Trans. Pattern Anal. 41, 2019.
//!
//! ```
//! use merit::SparseMatrix;
//! use merit_topics::cooccurrence::{Cooccurrence, informative_words};
//! // Three documents, three words; word 2 is everywhere.
//! let counts = SparseMatrix::from_triplets(3, 3, vec![(0, 0, 2.0), (1, 0, 1.0), (2, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (2, 2, 4.0)]);
//! assert_eq!(informative_words(&counts), [0, 1]);
//! let words = Cooccurrence::of(&counts.select(&[0, 1]));
//! assert_eq!(words.times(&[0.0, 1.0])[0], 0.0); // words 0 and 1 never meet
//! ```

use merit::{DenseMatrix, SparseMatrix};
use merit_linalg::decompositions::project;
use merit_linalg::eigen::{Settings, leading_eigenpairs_until};
use merit_linalg::interrupt::Interrupt;

/// The words that tell documents apart: in at least one document, but not in all of them.
pub fn informative_words(counts: &SparseMatrix) -> Vec<usize> {
    let documents = |n: usize| counts.col(n).1.iter().filter(|count| **count > 0.0).count();
    (0..counts.cols()).filter(|&n| (1..counts.rows()).contains(&documents(n))).collect()
}

/// `(1 + ln tf) ln(D / df)` of counts (documents x words); the same places, documents are not normalized.
pub fn tf_idf(counts: &SparseMatrix) -> SparseMatrix {
    let mut weights = counts.clone();
    let documents = counts.rows() as f64;
    for n in 0..counts.cols() {
        let (_, values) = weights.col_mut(n);
        let df = values.iter().filter(|count| **count > 0.0).count() as f64;
        let idf = (documents / df).ln();
        values.iter_mut().for_each(|v| *v = if *v > 0.0 { (1.0 + v.ln()) * idf } else { 0.0 });
    }
    weights
}

/// Residual of an eigenvector, beside the largest eigenvalue, up to which it is taken.
const ACCURATE: f64 = 1e-10;

/// `P` of a corpus, as the products with it.
pub struct Cooccurrence {
    /// `F`, documents x words: a column per word.
    by_word: SparseMatrix,
    /// `F'`: a column per document.
    by_document: SparseMatrix,
    /// Sums of the columns of `P`.
    sums: Vec<f64>,
}

impl Cooccurrence {
    /// Of counts (documents x words) without words that are in every document or in none.
    pub fn of(counts: &SparseMatrix) -> Self {
        let by_word = tf_idf(counts);
        let by_document = by_word.transposed();
        let mut words = Self { by_word, by_document, sums: Vec::new() };
        words.sums = words.times(&vec![1.0; counts.cols()]); // P is symmetric
        words
    }

    /// Number of words, `N`.
    pub fn words(&self) -> usize {
        self.by_word.cols()
    }

    /// `P v`.
    pub fn times(&self, v: &[f64]) -> Vec<f64> {
        self.times_columns(&DenseMatrix::from_columns(self.words(), v.to_vec())).values().to_vec()
    }

    /// `P V` for a few columns `V`.
    pub fn times_columns(&self, v: &DenseMatrix) -> DenseMatrix {
        let mut by_document = DenseMatrix::zeros(self.by_word.rows(), v.cols());
        self.by_document.transposed_times(v, &mut by_document);
        let mut out = DenseMatrix::zeros(self.words(), v.cols());
        self.by_word.transposed_times(&by_document, &mut out);
        let documents = self.by_word.rows() as f64;
        out.values_mut().iter_mut().for_each(|value| *value /= documents);
        out
    }

    /// The columns `which` of `P`.
    pub fn columns(&self, which: &[usize]) -> DenseMatrix {
        let mut units = DenseMatrix::zeros(self.words(), which.len());
        which.iter().enumerate().for_each(|(k, &n)| units.col_mut(k)[n] = 1.0);
        self.times_columns(&units)
    }

    /// `barP barP' V`, whose leading eigenvectors are the left singular vectors of `barP`.
    fn gram_times(&self, v: &DenseMatrix) -> DenseMatrix {
        let mut w = self.times_columns(v); // barP' v = S^-1 P v, and barP w = P S^-1 w
        for c in 0..w.cols() {
            w.col_mut(c).iter_mut().zip(&self.sums).for_each(|(value, sum)| *value /= sum * sum);
        }
        self.times_columns(&w)
    }

    /// `X = U' barP` (`dim x N`) with `U` the `dim` leading left singular vectors; `None` if they do not converge.
    ///
    /// `dim` must not be larger than the number of words. Meaningless after an interrupt.
    pub fn reduced(&self, dim: usize, interrupt: &Interrupt) -> Option<DenseMatrix> {
        let pairs = leading_eigenpairs_until(interrupt, self.words(), &Settings::new(dim), |v, out| {
            out.values_mut().copy_from_slice(self.gram_times(v).values());
        });
        let scale = pairs.values.first().copied().unwrap_or(0.0);
        if !pairs.residuals.iter().all(|residual| *residual <= ACCURATE * scale) {
            return None;
        }
        let products = self.times_columns(&pairs.vectors); // P U; the transposed of U' P
        Some(DenseMatrix::from_column_fn(dim, self.words(), |n, column| {
            column.iter_mut().enumerate().for_each(|(k, x)| *x = products.get(n, k) / self.sums[n]);
        }))
    }

    /// `Q' P` for a thin `Q` (`N x K`).
    pub fn projected(&self, q: &DenseMatrix) -> DenseMatrix {
        self.times_columns(q).transposed()
    }
}

/// `Q' x_d` for every document, `counts` as words x documents.
pub(crate) fn project_documents(q: &DenseMatrix, documents: SparseMatrix) -> DenseMatrix {
    project(q, &documents.into())
}
