//! Which words describe a topic: relevance, as in LDAvis.
//!
//! ```text
//! relevance(w, k) = lambda ln p(w|k) + (1 - lambda) ln( p(w|k) / p(w) ),   p(w) = sum_k size(k) p(w|k)
//! ```
//!
//! `O(N)` for a topic and a lambda. Reference: Sievert and Shirley, *LDAvis*, 2014.

use merit::DenseMatrix;
use std::collections::BTreeSet;

/// `p(w)` of every word, by the model: topics weighted by `sizes`, which sum to 1.
pub fn marginal(topics: &DenseMatrix, sizes: &[f64]) -> Vec<f64> {
    (0..topics.cols()).map(|n| topics.col(n).iter().zip(sizes).map(|(p, size)| p * size).sum()).collect()
}

/// The logarithms that relevance is made of, for the words that a topic has.
#[derive(Clone, Debug)]
pub struct Relevance {
    words: Vec<usize>,
    /// `ln p(w|k)` and `ln p(w|k)/p(w)`.
    logs: Vec<(f64, f64)>,
}

impl Relevance {
    /// Of topic `k`; words without weight have no relevance.
    pub fn of(topics: &DenseMatrix, marginal: &[f64], k: usize) -> Self {
        let words: Vec<usize> = (0..topics.cols()).filter(|&n| topics.get(k, n) > 0.0).collect();
        // A topic that no document has is missing in p(w), which may then be 0.
        let lift = |n: usize, p: f64| (p / marginal[n].max(f64::MIN_POSITIVE)).ln();
        let logs = words.iter().map(|&n| (topics.get(k, n).ln(), lift(n, topics.get(k, n)))).collect();
        Self { words, logs }
    }

    /// All words that are among the `count` most relevant for some lambda = 0, 1/steps, ..., 1: word, `ln p`, `ln lift`.
    pub fn best(&self, count: usize, steps: usize) -> Vec<(usize, f64, f64)> {
        let mut chosen = BTreeSet::new();
        let mut order: Vec<usize> = (0..self.words.len()).collect();
        for step in 0..=steps {
            let lambda = step as f64 / steps as f64;
            let relevance = |i: usize| lambda * self.logs[i].0 + (1.0 - lambda) * self.logs[i].1;
            let compare = |a: &usize, b: &usize| relevance(*b).total_cmp(&relevance(*a)).then(a.cmp(b));
            if count < order.len() {
                order.select_nth_unstable_by(count, compare);
            }
            chosen.extend(order.iter().take(count).copied());
        }
        chosen.into_iter().map(|i| (self.words[i], self.logs[i].0, self.logs[i].1)).collect()
    }
}

/// Lambda of the words that are shown and that name a topic: where readers judged topics best (Sievert and Shirley 2014).
pub const TELLING: f64 = 0.6;

/// The `count` most telling words of every topic, the most relevant at [`TELLING`] first.
pub fn telling_words(topics: &DenseMatrix, marginal: &[f64], count: usize) -> Vec<Vec<usize>> {
    let of_topic = |k: usize| {
        let relevance = Relevance::of(topics, marginal, k);
        let score = |i: &usize| TELLING * relevance.logs[*i].0 + (1.0 - TELLING) * relevance.logs[*i].1;
        let compare = |a: &usize, b: &usize| score(b).total_cmp(&score(a)).then(a.cmp(b));
        let mut order: Vec<usize> = (0..relevance.words.len()).collect();
        if count > 0 && count < order.len() {
            order.select_nth_unstable_by(count - 1, compare);
        }
        order.truncate(count);
        order.sort_unstable_by(compare);
        order.into_iter().map(|i| relevance.words[i]).collect()
    };
    (0..topics.rows()).map(of_topic).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against sorting by the formula, word by word.
    #[test]
    fn the_best_are_those_that_sorting_gives() {
        let topics = DenseMatrix::from_fn(3, 40, |k, n| ((k + 1) * (n + 3) * 7919 % 101) as f64 / 2000.0);
        let sizes = [0.5, 0.3, 0.2];
        let marginal = marginal(&topics, &sizes);
        for k in 0..3 {
            let mut expected = BTreeSet::new();
            for step in 0..=20 {
                let lambda = f64::from(step) / 20.0;
                let relevance = |n: usize| {
                    let (p, q) = (topics.get(k, n), (0..3).map(|j| sizes[j] * topics.get(j, n)).sum::<f64>());
                    lambda * p.ln() + (1.0 - lambda) * (p / q).ln()
                };
                let mut words: Vec<usize> = (0..40).filter(|&n| topics.get(k, n) > 0.0).collect();
                words.sort_by(|&a, &b| relevance(b).total_cmp(&relevance(a)).then(a.cmp(&b)));
                expected.extend(words.into_iter().take(5));
            }
            let found: BTreeSet<usize> = Relevance::of(&topics, &marginal, k).best(5, 20).iter().map(|w| w.0).collect();
            assert_eq!(found, expected, "topic {k}");
            assert!(found.len() > 5, "the order depends on lambda");
        }
    }
}
