//! Topics and documents by likelihood: how well do topics explain the words of documents, and what are documents made of?
//!
//! ```text
//! L = sum over documents d and words w of  n(d,w) ln( sum_k theta(k,d) p(w|k) )
//! r(d,w)     = n(d,w) / sum_k theta(k,d) p(w|k)
//! theta(k,d) ~ theta(k,d) sum_w r(d,w) p(w|k) + alpha            alpha = 1/K: all topics together weigh as much as one word
//! p(w|k)     ~ p(w|k) sum_d r(d,w) theta(k,d) + beta             beta = 0.01
//! ```
//!
//! One step of EM costs `O(nnz K)` time. Documents are worked on side by side, then words side by side, each sum by one thread in a
//! fixed order: the same bits for any number of threads. Memory: the counts by documents and by words, `16 nnz` bytes for `r` and where it goes, and
//! `theta` twice. Reference: Hofmann, *Probabilistic latent semantic indexing*, 1999; Asuncion et al., *On smoothing and inference for
//! topic models*, 2009.
//!
//! ```
//! use merit::{DenseMatrix, SparseMatrix, progress::Interrupt};
//! use merit_topics::likelihood::proportions;
//! let topics = DenseMatrix::from_columns(2, vec![0.5, 0.0, 0.5, 0.0, 0.0, 1.0]); // two topics, three words
//! let counts = SparseMatrix::from_triplets(2, 3, vec![(0, 0, 4.0), (0, 1, 4.0), (1, 0, 3.0), (1, 2, 3.0)]);
//! let shares = proportions(&topics, &counts, &Interrupt::never());
//! assert!((shares.get(0, 0) - 8.5 / 9.0).abs() < 1e-4 && (shares.get(0, 1) - 0.5).abs() < 1e-4);
//! ```

use merit::progress::Interrupt;
use merit::{DenseMatrix, SparseMatrix};
use merit_linalg::dense::dot;
use merit_linalg::shards::Shards;
use std::ops::ControlFlow;

/// Weight of a word that a topic does not have, in words of the corpus.
pub const WORDS_PRIOR: f64 = 0.01;
/// Steps for one document at most.
const STEPS: usize = 200;
/// Products of a word and a topic that there is time for after an interrupt.
const HASTE: usize = 100_000_000;
/// Proportions that change by less, all together, are settled.
const SETTLED: f64 = 1e-6;

/// `alpha`: all topics together weigh as much as one word of a document.
pub fn document_prior(topics: usize) -> f64 {
    1.0 / topics.max(1) as f64
}

/// Proportions (topics x documents) of `counts` (documents x words) on `topics` (topics x words); they sum to one. A document
/// without a word that some topic has gets zeros. Meaningless after an interrupt.
///
/// Each document is solved separately: alone it gets the same bits as among others.
pub fn proportions(topics: &DenseMatrix, counts: &SparseMatrix, interrupt: &Interrupt) -> DenseMatrix {
    proportions_within(STEPS, topics, counts, interrupt)
}

/// The same in so few steps that it takes less than a second, whatever the counts: for users who have interrupted a run.
pub(crate) fn rough_proportions(topics: &DenseMatrix, counts: &SparseMatrix) -> DenseMatrix {
    let step = counts.nnz().saturating_mul(topics.rows()).max(1);
    proportions_within((HASTE / step).clamp(1, STEPS), topics, counts, &Interrupt::never())
}

/// The same, in at most this many steps.
pub(crate) fn proportions_within(
    steps: usize,
    topics: &DenseMatrix,
    counts: &SparseMatrix,
    interrupt: &Interrupt,
) -> DenseMatrix {
    let by_document = counts.transposed();
    let count = topics.rows();
    DenseMatrix::from_column_fn(count, by_document.cols(), |d, theta| {
        let (words, times) = by_document.col(d);
        let known = |n: &u32| topics.col(*n as usize).iter().any(|p| *p > 0.0);
        if interrupt.asked() || !words.iter().any(known) {
            return;
        }
        theta.fill(1.0 / count as f64);
        let mut next = vec![0.0; count];
        for _ in 0..steps {
            improved(topics, words, times, theta, &mut next, |_, _| {});
            let change: f64 = theta.iter().zip(&next).map(|(a, b)| (a - b).abs()).sum();
            theta.copy_from_slice(&next);
            if change < SETTLED {
                break;
            }
        }
    })
}

/// One step for one document; `ratio(i, r)` gets `n / p` of its `i`th word.
fn improved(
    topics: &DenseMatrix,
    words: &[u32],
    times: &[f64],
    theta: &[f64],
    next: &mut [f64],
    mut ratio: impl FnMut(usize, f64),
) {
    next.fill(0.0);
    for (i, (&n, &count)) in words.iter().zip(times).enumerate() {
        let of_word = topics.col(n as usize);
        let p = dot(of_word, theta);
        let r = if p > 0.0 { count / p } else { 0.0 };
        ratio(i, r);
        next.iter_mut().zip(of_word).for_each(|(sum, p)| *sum += r * p);
    }
    let prior = document_prior(theta.len());
    next.iter_mut().zip(theta).for_each(|(sum, theta)| *sum = *sum * theta + prior);
    let sum: f64 = next.iter().sum();
    next.iter_mut().for_each(|part| *part /= sum);
}

/// Mean logarithm of the probability of a word of `counts`, by topics and proportions.
pub fn mean_log_likelihood(topics: &DenseMatrix, documents: &DenseMatrix, counts: &SparseMatrix) -> f64 {
    let sums = Shards::new(counts.cols()).map(|words| {
        let mut sums = (0.0, 0.0);
        for n in words {
            let (list, times) = counts.col(n);
            for (&d, &count) in list.iter().zip(times) {
                let p = dot(topics.col(n), documents.col(d as usize));
                sums.0 += count * p.max(f64::MIN_POSITIVE).ln();
                sums.1 += count;
            }
        }
        sums
    });
    let (sum, words) = sums.into_iter().fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
    if words > 0.0 { sum / words } else { 0.0 }
}

/// EM on some counts: topics and proportions that get better with every step.
pub struct Refinement<'c> {
    /// Documents x words.
    by_word: &'c SparseMatrix,
    /// Words x documents.
    by_document: SparseMatrix,
    /// Where each entry of `by_word` is in `by_document`.
    place: Vec<usize>,
    /// `n / p` of every entry, in the order of `by_document`.
    ratios: Vec<f64>,
    /// Topics x words.
    pub topics: DenseMatrix,
    /// Topics x documents.
    pub documents: DenseMatrix,
}

impl<'c> Refinement<'c> {
    /// From these topics, and documents that have all of them alike.
    pub fn new(counts: &'c SparseMatrix, topics: DenseMatrix) -> Self {
        let by_document = counts.transposed();
        let mut next = by_document.compressed().0.to_vec();
        let mut place = Vec::with_capacity(counts.nnz());
        for n in 0..counts.cols() {
            for &d in counts.col(n).0 {
                place.push(next[d as usize]);
                next[d as usize] += 1;
            }
        }
        let even = 1.0 / topics.rows().max(1) as f64;
        let documents = DenseMatrix::from_fn(topics.rows(), counts.rows(), |_, _| even);
        Self { by_word: counts, place, ratios: vec![0.0; by_document.nnz()], by_document, topics, documents }
    }

    /// Takes at most this many steps; `watch` gets the steps done after each and may end it. A step that is cut short by the flag
    /// changes nothing.
    pub fn run(&mut self, steps: usize, interrupt: &Interrupt, watch: &mut dyn FnMut(usize) -> ControlFlow<()>) {
        for step in 1..=steps {
            if !self.step(interrupt) || watch(step).is_break() {
                return;
            }
        }
    }

    /// One step; whether it was completed.
    fn step(&mut self, interrupt: &Interrupt) -> bool {
        let (topics, documents) = (&self.topics, &self.documents);
        let (starts, by_document) = (self.by_document.compressed().0, &self.by_document);
        let shards = Shards::new(by_document.cols());
        // Every shard of documents has its own stretch of ratios.
        let made = shards.map(|range| {
            let first = starts[range.start];
            let mut ratios = vec![0.0; starts[range.end] - first];
            let mut next = vec![0.0; topics.rows() * range.len()];
            for (d, next) in range.zip(next.chunks_exact_mut(topics.rows())) {
                if interrupt.asked() {
                    break;
                }
                let (words, times) = by_document.col(d);
                let start = starts[d] - first;
                improved(topics, words, times, documents.col(d), next, |i, r| ratios[start + i] = r);
            }
            (ratios, next)
        });
        let (mut at, mut column) = (0, 0);
        let mut proportions = DenseMatrix::zeros(topics.rows(), by_document.cols());
        for (ratios, next) in made {
            self.ratios[at..at + ratios.len()].copy_from_slice(&ratios);
            proportions.values_mut()[column..column + next.len()].copy_from_slice(&next);
            (at, column) = (at + ratios.len(), column + next.len());
        }
        let (by_word, place, ratios) = (self.by_word, &self.place, &self.ratios);
        let word_starts = by_word.compressed().0;
        let mut words = DenseMatrix::from_column_fn(topics.rows(), by_word.cols(), |n, sums| {
            if interrupt.asked() {
                return;
            }
            for (i, &d) in by_word.col(n).0.iter().enumerate() {
                let r = ratios[place[word_starts[n] + i]];
                sums.iter_mut().zip(documents.col(d as usize)).for_each(|(sum, theta)| *sum += r * theta);
            }
            sums.iter_mut().zip(topics.col(n)).for_each(|(sum, p)| *sum = *sum * p + WORDS_PRIOR);
        });
        if interrupt.asked() {
            return false;
        }
        rows_to_one(&mut words);
        (self.topics, self.documents) = (words, proportions);
        true
    }
}

/// Scales the rows so that they sum to one; rows of zeros stay.
pub fn rows_to_one(topics: &mut DenseMatrix) {
    let sums = Shards::new(topics.cols()).sum_vectors(topics.rows(), |n, sums| {
        sums.iter_mut().zip(topics.col(n)).for_each(|(sum, p)| *sum += p);
    });
    for n in 0..topics.cols() {
        let column = topics.col_mut(n).iter_mut().zip(&sums);
        column.filter(|(_, sum)| **sum > 0.0).for_each(|(p, sum)| *p /= sum);
    }
}

/// The words of every document in two halves, by a fixed rule: word tokens of a document go to the one and to the other in turn.
///
/// ```
/// use merit::SparseMatrix;
/// let counts = SparseMatrix::from_triplets(1, 3, vec![(0, 0, 3.0), (0, 1, 1.0), (0, 2, 1.0)]);
/// let (first, second) = merit_topics::likelihood::halves(&counts);
/// assert_eq!((first.values(), second.values()), (&[2.0, 0.0, 1.0][..], &[1.0, 1.0, 0.0][..]));
/// ```
pub fn halves(counts: &SparseMatrix) -> (SparseMatrix, SparseMatrix) {
    let (mut first, mut second) = (counts.clone(), counts.clone());
    let mut taken = vec![false; counts.rows()]; // whether the next token of a document goes to the second half
    for n in 0..counts.cols() {
        let (documents, times) = counts.col(n);
        for (i, (&d, &count)) in documents.iter().zip(times).enumerate() {
            let turn = &mut taken[d as usize];
            let more = if *turn { (count / 2.0).floor() } else { (count / 2.0).ceil() };
            first.col_mut(n).1[i] = more;
            second.col_mut(n).1[i] = count - more;
            *turn ^= count % 2.0 == 1.0;
        }
    }
    (first, second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts() -> SparseMatrix {
        let entry = |d: u32, w: u32| (d, w, f64::from((d * 7 + w * 5) % 4));
        let all = (0..40).flat_map(|d| (0..15).map(move |w| entry(d, w)));
        SparseMatrix::from_triplets(40, 15, all.filter(|e| e.2 > 0.0).collect())
    }

    fn start() -> DenseMatrix {
        let mut topics = DenseMatrix::from_fn(3, 15, |k, n| 1.0 + ((k * 11 + n * 3) % 7) as f64);
        rows_to_one(&mut topics);
        topics
    }

    /// Word by word, as the formulas stand.
    #[test]
    fn a_step_is_what_the_formulas_say() {
        let (counts, topics) = (counts(), start());
        let mut found = Refinement::new(&counts, topics.clone());
        found.run(1, &Interrupt::never(), &mut |_| ControlFlow::Continue(()));
        let dense = counts.to_dense();
        let (third, prior) = (1.0 / 3.0, document_prior(3));
        let r = |d: usize, n: usize| dense.get(d, n) / (0..3).map(|k| third * topics.get(k, n)).sum::<f64>();
        for d in 0..40 {
            let part = |k: usize| third * (0..15).map(|n| r(d, n) * topics.get(k, n)).sum::<f64>() + prior;
            let sum = part(0) + part(1) + part(2);
            (0..3).for_each(|k| assert!((found.documents.get(k, d) - part(k) / sum).abs() < 1e-12));
        }
        for k in 0..3 {
            let part = |n: usize| topics.get(k, n) * (0..40).map(|d| r(d, n) * third).sum::<f64>() + WORDS_PRIOR;
            let sum: f64 = (0..15).map(part).sum();
            (0..15).for_each(|n| assert!((found.topics.get(k, n) - part(n) / sum).abs() < 1e-12));
        }
    }

    #[test]
    fn steps_raise_the_likelihood_and_the_bits_do_not_depend_on_the_threads() {
        let counts = counts();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut model = Refinement::new(&counts, start());
                let mut path = Vec::new();
                for _ in 0..10 {
                    model.run(1, &Interrupt::never(), &mut |_| ControlFlow::Continue(()));
                    path.push(mean_log_likelihood(&model.topics, &model.documents, &counts));
                }
                (path, model.topics, model.documents)
            })
        };
        let found = on(1);
        assert!(found.0.last() > found.0.first());
        assert!(found == on(3));
    }

    #[test]
    fn halves_are_the_whole() {
        let counts = counts();
        let (first, second) = halves(&counts);
        let sums = |m: &SparseMatrix| m.values().iter().sum::<f64>();
        assert_eq!(sums(&first) + sums(&second), sums(&counts));
        let by_document = [first.transposed(), second.transposed()];
        for d in 0..40 {
            let [a, b] = by_document.each_ref().map(|half| half.col(d).1.iter().sum::<f64>());
            assert!((a - b).abs() <= 1.0, "document {d}: {a} and {b}");
        }
    }
}
