//! Latent Dirichlet allocation by collapsed Gibbs sampling: the standard model of topics, to measure against.
//!
//! ```text
//! p(z_i = k | all other z)  ~  (n(d,k) + alpha) (n(k,w) + beta) / (n(k) + N beta)        token i: word w of document d
//! topics(k,w)    = mean over samples of (n(k,w) + beta) / (n(k) + N beta)
//! documents(k,d) = mean over samples of (n(d,k) + alpha) / (n(d) + K alpha)
//! ```
//!
//! A sweep visits every token once: `O(tokens K)` time, in loops without branches over `K` neighboring numbers; `8` bytes per token
//! and `16 K (N + D)` for counts and sums. Samples are taken after `burn_in` sweeps, `lag` sweeps apart. One thread: each
//! token sees the others as they are, so a seed gives one result. Left to itself, `alpha` is estimated during the burn-in. Reference: Griffiths and
//! Steyvers, PNAS 101, 2004; Minka, *Estimating a Dirichlet distribution*, 2000.
//!
//! ```
//! use merit::{SparseMatrix, progress::Stages};
//! use merit_topics::lda::{Options, fit};
//! // Documents 0 and 1 use words 0 and 1, documents 2 and 3 words 2 and 3.
//! let places = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (2, 3), (3, 2), (3, 3)];
//! let counts = SparseMatrix::from_triplets(4, 4, places.map(|(d, w)| (d, w, 20.0)).to_vec());
//! let options = Options { alpha: Some(0.1), ..Default::default() };
//! let found = fit(&counts, 2, &options, 0, &mut Stages::new(&mut (), None))?;
//! let heavy = if found.topics.get(0, 0) > 0.4 { 0 } else { 1 };
//! assert!(found.topics.get(heavy, 1) > 0.4 && found.topics.get(1 - heavy, 2) > 0.4);
//! # Ok::<(), merit_topics::Error>(())
//! ```

use crate::Error;
use merit::checkpoint::{Keeper, Kept, State};
use merit::progress::{Interrupt, Stages};
use merit::settings::Declaration;
use merit::{DenseMatrix, SparseMatrix};
use merit_dataset::limits;
use merit_linalg::numbers::Pieces;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::{Duration, Instant};

const LDA: &[&str] = &["lda"];
/// Sweeps from one step of the estimate of alpha to the next.
const ESTIMATE_EVERY: usize = 5;
/// The least alpha that is believed.
const LEAST_ALPHA: f64 = 1e-3;

merit::settings! {
    /// What can be set.
    pub struct Options {
        /// How evenly lda's documents mix topics; auto is estimated during the burn-in
        alpha: Option<f64> = None, Declaration::new("ALPHA").positive().or("auto").of(LDA);
        /// How evenly lda's topics mix words
        beta: f64 = 0.1, Declaration::new("BETA").positive().of(LDA);
        /// Sweeps of lda before its first sample
        burn_in: usize = 200, Declaration::new("N").of(LDA);
        /// Samples of lda that are averaged, 10 sweeps apart
        samples: usize = 10, Declaration::new("N").at_least_one().of(LDA);
        /// Sweeps of lda from one sample to the next
        lag: usize = 10, Declaration::new("N").at_least_one().of(LDA).untyped();
    }
}

impl Options {
    /// `alpha` of the first sweeps, for this many topics: all of them together weigh as much as one word.
    fn first_alpha(&self, topics: usize) -> f64 {
        self.alpha.unwrap_or(1.0 / topics as f64)
    }

    /// Sweeps in all.
    pub fn sweeps(&self) -> usize {
        let between = (self.samples.max(1) - 1).saturating_mul(self.lag.max(1));
        self.burn_in.saturating_add(between).saturating_add(1)
    }
}

/// Topics and documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// `K x N`; rows sum to 1.
    pub topics: DenseMatrix,
    /// `K x D`; columns sum to 1.
    pub documents: DenseMatrix,
    /// Sweeps done.
    pub sweeps: usize,
    /// Tokens of a sweep.
    pub tokens: usize,
    /// Samples that were averaged.
    pub samples: usize,
    /// `alpha` of the samples.
    pub alpha: f64,
}

/// Samples topics of `counts` (documents x words). The observer sees every sweep and may end it; its flag ends it within a sweep,
/// where nothing is kept.
///
/// Fails when there is no memory for a topic of every token: counts are small numbers in a file, whatever they say.
pub fn fit(
    counts: &SparseMatrix,
    topics: usize,
    options: &Options,
    seed: u64,
    stages: &mut Stages,
) -> Result<Fit, Error> {
    check_memory(counts, topics, limits::memory())?;
    let (interrupt, clock) = (stages.interrupt(), Instant::now());
    let mut sampler = Sampler::new(counts, topics, options, seed);
    let (sweeps, lag) = (options.sweeps(), options.lag.max(1));
    let mut means =
        Means { topics: vec![0.0; topics * counts.cols()], documents: vec![0.0; topics * counts.rows()], samples: 0 };
    let keeper = stages.observer().keeper();
    // What is kept is a state between two sweeps, so with a keeper a sweep is completed before it ends.
    let within_sweep = if keeper.is_some() { Interrupt::never() } else { interrupt.clone() };
    let which = || format!("LDA of {} x {} with {topics} topics", counts.rows(), counts.cols());
    let kept = keeper.and_then(|keeper| keeper.begin(&which()));
    let (mut done, spent_before) = kept.and_then(|kept| sampler.resume(&mut means, &kept)).unwrap_or((0, 0.0));
    let mut ended = false;
    while done < sweeps && !ended {
        sampler.sweep(&within_sweep);
        let whole = !within_sweep.asked();
        done += usize::from(whole);
        if options.alpha.is_none() && done <= options.burn_in && done > 0 && done.is_multiple_of(ESTIMATE_EVERY) {
            sampler.estimate_alpha();
        }
        ended = !whole || stages.step(done).is_break() || interrupt.asked();
        let due = whole && done > options.burn_in && (done - options.burn_in - 1).is_multiple_of(lag);
        if due {
            means.add(&sampler);
        }
        if let Some(keeper) = stages.observer().keeper() {
            let spent = spent_before + clock.elapsed().as_secs_f64();
            let result = done == sweeps && keeper.wants_result(Duration::from_secs_f64(spent));
            if ended || keeper.is_due() || result {
                sampler.keep(&means, done, spent, keeper);
            }
        }
    }
    if means.samples == 0 {
        means.add(&sampler); // ended before the first sample
    }
    let scale = 1.0 / means.samples.max(1) as f64;
    let scaled = |values: Vec<f64>| values.into_iter().map(|v| v * scale).collect();
    Ok(Fit {
        topics: DenseMatrix::from_columns(topics, scaled(means.topics)),
        documents: DenseMatrix::from_columns(topics, scaled(means.documents)),
        sweeps: done,
        tokens: sampler.words.len(),
        samples: means.samples,
        alpha: sampler.alpha,
    })
}

/// Fails when the tokens and the tables do not fit.
fn check_memory(counts: &SparseMatrix, topics: usize, available: u64) -> Result<(), Error> {
    let tokens = counts.values().iter().fold(0u128, |sum, &count| sum.saturating_add(count as u128));
    let tables = topics as u128 * (counts.rows() + counts.cols()) as u128;
    let needed = tokens.saturating_mul(8).saturating_add(16 * tables).saturating_add(12 * counts.nnz() as u128);
    if needed <= available.into() {
        return Ok(());
    }
    Err(Error::TooManyTokens { tokens, needed: u64::try_from(needed).unwrap_or(u64::MAX), available })
}

/// Sums over samples; a column per word, and a column per document.
struct Means {
    topics: Vec<f64>,
    documents: Vec<f64>,
    samples: usize,
}

impl Means {
    fn add(&mut self, s: &Sampler) {
        self.samples += 1;
        for (sum, counts) in self.topics.chunks_exact_mut(s.topics).zip(s.by_word.chunks_exact(s.topics)) {
            for k in 0..s.topics {
                sum[k] += (counts[k] + s.beta) * s.inverse[k];
            }
        }
        for (sum, counts) in self.documents.chunks_exact_mut(s.topics).zip(s.by_document.chunks_exact(s.topics)) {
            let all = counts.iter().sum::<f64>() + s.topics as f64 * s.alpha;
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += (count + s.alpha) / all);
        }
    }
}

/// The topic of every token, and the counts that follow from it. Counts are floats that hold whole numbers: the products
/// then need no conversion.
struct Sampler {
    topics: usize,
    alpha: f64,
    beta: f64,
    /// `N beta`.
    beta_sum: f64,
    /// Word of each token, document after document.
    words: Vec<u32>,
    /// Topic of each token.
    assigned: Vec<u32>,
    /// Where each document's tokens end.
    ends: Vec<usize>,
    /// `n(k,w)`, the topics of a word side by side.
    by_word: Vec<f64>,
    /// `n(d,k)`, the topics of a document side by side.
    by_document: Vec<f64>,
    /// `n(k)`.
    totals: Vec<f64>,
    /// `1 / (n(k) + N beta)`.
    inverse: Vec<f64>,
    rng: ChaCha8Rng,
}

impl Sampler {
    fn new(counts: &SparseMatrix, topics: usize, options: &Options, seed: u64) -> Self {
        let by_document = counts.transposed();
        let tokens = counts.values().iter().map(|&count| count as usize).sum();
        let (mut words, mut ends) = (Vec::with_capacity(tokens), Vec::with_capacity(counts.rows()));
        for d in 0..by_document.cols() {
            let (list, times) = by_document.col(d);
            list.iter().zip(times).for_each(|(&w, &n)| words.extend(std::iter::repeat_n(w, n as usize)));
            ends.push(words.len());
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let assigned: Vec<u32> = words.iter().map(|_| rng.random_range(0..topics as u32)).collect();
        let mut sampler = Self {
            topics,
            alpha: options.first_alpha(topics),
            beta: options.beta,
            beta_sum: options.beta * counts.cols() as f64,
            by_word: vec![0.0; topics * counts.cols()],
            by_document: vec![0.0; topics * counts.rows()],
            totals: vec![0.0; topics],
            inverse: vec![0.0; topics],
            words,
            assigned,
            ends,
            rng,
        };
        sampler.count();
        sampler
    }

    fn keep(&self, means: &Means, done: usize, spent: f64, keeper: &mut dyn Keeper) {
        let place = self.rng.get_word_pos();
        let counts = [done as u64, means.samples as u64, place as u64, (place >> 64) as u64];
        let numbers = [self.alpha, spent];
        let state = State::default()
            .counts("counts", &counts)
            .values("numbers", &numbers)
            .with("assigned", Pieces::U32(vec![&self.assigned]))
            .values("topics", &means.topics)
            .values("documents", &means.documents);
        keeper.keep(&state);
    }

    /// Goes on from a state that was kept; gives the sweeps done and the seconds spent. Nothing if that is of other data.
    fn resume(&mut self, means: &mut Means, kept: &Kept) -> Option<(usize, f64)> {
        let &[done, samples, low, high] = &kept.counts("counts", 4)?[..] else { return None };
        let &[alpha, spent] = &kept.values("numbers", 2)?[..] else { return None };
        let assigned = kept.indices("assigned")?;
        let fits = assigned.len() == self.words.len() && assigned.iter().all(|&k| (k as usize) < self.topics);
        let of_topics = kept.values("topics", means.topics.len()).filter(|_| fits)?;
        let of_documents = kept.values("documents", means.documents.len())?;
        (means.topics, means.documents, means.samples) = (of_topics, of_documents, samples as usize);
        (self.alpha, self.assigned) = (alpha, assigned);
        self.rng.set_word_pos(u128::from(low) | u128::from(high) << 64);
        self.count();
        Some((done as usize, spent.clamp(0.0, 1e12)))
    }

    /// The counts that follow from the topics of all tokens.
    fn count(&mut self) {
        let topics = self.topics;
        [&mut self.by_word, &mut self.by_document, &mut self.totals].into_iter().for_each(|counts| counts.fill(0.0));
        let mut token = 0;
        for (d, &end) in self.ends.iter().enumerate() {
            while token < end {
                let (w, k) = (self.words[token] as usize, self.assigned[token] as usize);
                self.by_word[w * topics + k] += 1.0;
                self.by_document[d * topics + k] += 1.0;
                self.totals[k] += 1.0;
                token += 1;
            }
        }
        for k in 0..topics {
            self.inverse[k] = 1.0 / (self.totals[k] + self.beta_sum);
        }
    }

    /// One step of Minka's fixed point for an `alpha` that is the same for all topics:
    ///
    /// ```text
    /// alpha <- alpha sum_{d,k} (psi(n(d,k) + alpha) - psi(alpha)) / ( K sum_d (psi(n(d) + K alpha) - psi(K alpha)) )
    /// ```
    ///
    /// Counts are whole numbers, so differences of psi are sums of `1/(alpha + i)`, which are looked up.
    fn estimate_alpha(&mut self) {
        let longest =
            self.by_document.chunks_exact(self.topics).map(|counts| counts.iter().sum::<f64>() as usize).max();
        let differences = |start: f64| {
            let mut sums = vec![0.0];
            for i in 0..longest.unwrap_or(0) {
                sums.push(sums[i] + 1.0 / (start + i as f64));
            }
            sums
        };
        let (one, all) = (differences(self.alpha), differences(self.alpha * self.topics as f64));
        let (mut above, mut below) = (0.0, 0.0);
        for counts in self.by_document.chunks_exact(self.topics) {
            above += counts.iter().map(|&count| one[count as usize]).sum::<f64>();
            below += all[counts.iter().sum::<f64>() as usize];
        }
        let next = self.alpha * above / (self.topics as f64 * below);
        if next.is_finite() {
            self.alpha = next.clamp(LEAST_ALPHA, 50.0 / self.topics as f64);
        }
    }

    /// Every token once; documents that are left at an interrupt stay as they are.
    fn sweep(&mut self, interrupt: &Interrupt) {
        let (topics, alpha, beta, beta_sum) = (self.topics, self.alpha, self.beta, self.beta_sum);
        let (totals, inverse) = (&mut self.totals[..topics], &mut self.inverse[..topics]);
        let mut parts = vec![0.0; topics];
        let mut token = 0;
        for (in_document, &end) in self.by_document.chunks_exact_mut(topics).zip(&self.ends) {
            if interrupt.asked() {
                break;
            }
            for (&word, assigned) in self.words[token..end].iter().zip(&mut self.assigned[token..end]) {
                let of_word = &mut self.by_word[word as usize * topics..][..topics];
                let old = *assigned as usize;
                for k in 0..topics {
                    parts[k] = (in_document[k] + alpha) * (of_word[k] + beta) * inverse[k];
                }
                // The token itself does not count. Nothing is stored before the draw: most tokens stay where they are.
                let inverse_without = 1.0 / (totals[old] - 1.0 + beta_sum);
                parts[old] = (in_document[old] - 1.0 + alpha) * (of_word[old] - 1.0 + beta) * inverse_without;
                let sum = running_sums(&mut parts);
                let drawn = self.rng.random::<f64>() * sum;
                // How many running sums lie at or below the draw; the last only by rounding.
                let new = parts.iter().filter(|part| **part <= drawn).count().min(topics - 1);
                if new == old {
                    continue;
                }
                in_document[old] -= 1.0;
                in_document[new] += 1.0;
                of_word[old] -= 1.0;
                of_word[new] += 1.0;
                totals[old] -= 1.0;
                totals[new] += 1.0;
                inverse[old] = inverse_without;
                inverse[new] = 1.0 / (totals[new] + beta_sum);
                *assigned = new as u32;
            }
            token = end;
        }
    }
}

/// Replaces `values` by their running sums, in pairs, so that additions wait for each other half as long. Returns the last.
fn running_sums(values: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    let (pairs, rest) = values.as_chunks_mut::<2>();
    for [a, b] in pairs {
        let both = *a + *b;
        *a += sum;
        sum += both;
        *b = sum;
    }
    for value in rest {
        sum += *value;
        *value = sum;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_do_not_fit_are_refused_before_they_are_written_out() {
        let of = |count: f64| SparseMatrix::from_triplets(2, 2, vec![(0, 0, count), (1, 1, 1.0)]);
        let told = check_memory(&of(5e8), 2, 1 << 30).unwrap_err().to_string();
        let expected = "lda holds every one of the 500000001 words of the documents, which needs 4.0 GB of memory, \
                        but only 1.1 GB are available";
        assert_eq!(told, expected);
        assert!(check_memory(&of(1e6), 2, 1 << 30).is_ok());
        for count in [u64::MAX as f64, 1e300] {
            let found = fit(&of(count), 2, &Options::default(), 0, &mut Stages::new(&mut (), None));
            assert!(matches!(found, Err(Error::TooManyTokens { .. })));
        }
    }

    #[test]
    fn running_sums_are_those_of_one_after_the_other() {
        for count in 1..12 {
            let values: Vec<f64> = (0..count).map(|i| ((i * 7919) % 13) as f64 / 8.0).collect(); // exact in any order
            let expected: Vec<f64> = (0..count).map(|i| values[..=i].iter().sum()).collect();
            let mut found = values;
            assert_eq!((running_sums(&mut found), &found), (expected[count - 1], &expected));
        }
    }
}
