//! The numbers behind an LDAvis page, by the rules of `pyLDAvis.prepare`.
//!
//! ```text
//! n_k = tokens of topic k        frequency of a word = sum_k n_k p(w|k), as the model implies it
//! saliency(w) = p(w) KL( p(k|w) | p(k) )
//! ```
//!
//! Topics are listed largest first. `O(K N log N)` time for each position of the slider. Reference: Sievert and Shirley,
//! *LDAvis*, 2014; saliency: Chuang, Manning, Heer, *Termite*, 2012.

use crate::Corpus;
use crate::model::Model;
use crate::relevance::{Relevance, marginal};
use crate::topic_map::positions;
use merit::DenseMatrix;
use std::collections::BTreeSet;

/// Words of a topic that the page shows.
pub const SHOWN: usize = 30;
/// Positions of its slider, less one.
pub const SLIDER_STEPS: usize = 100;

/// What the page shows.
#[derive(Clone, Debug)]
pub struct Ldavis {
    /// The topics of the model, the largest first.
    pub order: Vec<usize>,
    /// Their part of the tokens, in that order.
    pub sizes: Vec<f64>,
    /// Where they are on the map, in that order.
    pub positions: Vec<(f64, f64)>,
    /// The most salient words, then for every topic all words that some position of the slider shows.
    pub words: Vec<ListedWord>,
    /// How these words divide among the topics, by the alphabet.
    pub parts: Vec<WordPart>,
}

/// A word in the list of a topic, or among the most salient ones.
#[derive(Clone, Debug)]
pub struct ListedWord {
    /// As a place in the model's words.
    pub word: usize,
    /// The topic as a place in `order`; `None` for the salient words.
    pub topic: Option<usize>,
    /// Tokens within the topic, or in all.
    pub frequency: f64,
    /// Tokens in all.
    pub total: f64,
    /// `ln p(w|k)`; of salient words their rank from the last.
    pub log_probability: f64,
    /// `ln p(w|k)/p(w)`; of salient words the same rank.
    pub log_lift: f64,
}

/// The part of a word's tokens that a topic has.
#[derive(Clone, Debug)]
pub struct WordPart {
    /// As a place in the model's words.
    pub word: usize,
    /// As a place in `order`.
    pub topic: usize,
    /// The topic's tokens, rounded, over all tokens of the word.
    pub part: f64,
}

impl Ldavis {
    /// Of a model and the corpus that it was fitted to.
    pub fn of(corpus: &Corpus, model: &Model) -> Self {
        let topics = &model.topics;
        let tokens = topic_tokens(corpus, model);
        let all = tokens.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let sizes: Vec<f64> = tokens.iter().map(|count| count / all).collect();
        let marginal = marginal(topics, &sizes);
        let mut order: Vec<usize> = (0..topics.rows()).collect();
        order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(a.cmp(&b)));

        let salient = salient(topics, &sizes, &marginal);
        let by_saliency = salient.iter().enumerate().map(|(i, &word)| {
            let (count, rank) = ((all * marginal[word]).floor(), (salient.len() - i) as f64);
            ListedWord { word, topic: None, frequency: count, total: count, log_probability: rank, log_lift: rank }
        });
        let mut words: Vec<ListedWord> = by_saliency.collect();
        for (place, &k) in order.iter().enumerate() {
            let relevant = Relevance::of(topics, &marginal, k).best(SHOWN, SLIDER_STEPS);
            words.extend(relevant.into_iter().map(|(word, log_probability, log_lift)| ListedWord {
                word,
                topic: Some(place),
                frequency: tokens[k] * topics.get(k, word),
                total: all * marginal[word],
                log_probability,
                log_lift,
            }));
        }
        let mut used: Vec<usize> = words.iter().map(|w| w.word).collect::<BTreeSet<_>>().into_iter().collect();
        used.sort_by_key(|&n| &corpus.vocabulary[model.words[n]]);
        let positions = positions(topics);
        Self {
            parts: parts(&used, &order, topics, &tokens),
            sizes: order.iter().map(|&k| sizes[k]).collect(),
            positions: order.iter().map(|&k| positions.get(k).copied().unwrap_or_default()).collect(),
            words,
            order,
        }
    }
}

/// Tokens of each topic: documents' lengths divided by their shares; a document without shares is even.
fn topic_tokens(corpus: &Corpus, model: &Model) -> Vec<f64> {
    let mut lengths = vec![0.0; corpus.counts.rows()];
    for &n in &model.words {
        let (documents, counts) = corpus.counts.col(n);
        documents.iter().zip(counts).for_each(|(&d, count)| lengths[d as usize] += count);
    }
    let shares = &model.documents;
    let mut tokens = vec![0.0; shares.rows()];
    for (d, length) in lengths.iter().enumerate() {
        let empty = shares.col(d).iter().all(|share| *share == 0.0);
        let part = |share: f64| if empty { 1.0 / shares.rows() as f64 } else { share };
        tokens.iter_mut().zip(shares.col(d)).for_each(|(sum, share)| *sum += length * part(*share));
    }
    tokens
}

/// The words that tell most about the topic of a token, most first.
fn salient(topics: &DenseMatrix, sizes: &[f64], marginal: &[f64]) -> Vec<usize> {
    let saliency = |n: usize| {
        let sum: f64 = topics.col(n).iter().sum();
        let part = |(p, size): (&f64, &f64)| {
            let given = p / sum;
            if given > 0.0 && *size > 0.0 { given * (given / size).ln() } else { 0.0 }
        };
        if sum > 0.0 { marginal[n] * topics.col(n).iter().zip(sizes).map(part).sum::<f64>() } else { 0.0 }
    };
    let mut words: Vec<(f64, usize)> = (0..topics.cols()).map(|n| (saliency(n), n)).collect();
    words.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    words.into_iter().take(SHOWN).map(|(_, n)| n).collect()
}

/// For every word and topic with half a token or more: the rounded tokens over all tokens of the word.
fn parts(words: &[usize], order: &[usize], topics: &DenseMatrix, tokens: &[f64]) -> Vec<WordPart> {
    let mut parts = Vec::new();
    for &word in words {
        let count = |k: usize| tokens[k] * topics.get(k, word);
        let all: f64 = (0..tokens.len()).map(count).sum();
        let heard = order.iter().enumerate().filter(|(_, k)| count(**k) >= 0.5);
        parts.extend(heard.map(|(topic, &k)| WordPart { word, topic, part: count(k).round() / all }));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::corpus::{Texts, Tokens};
    use crate::model::fit;

    #[test]
    fn tokens_are_kept_and_the_largest_topic_is_first() {
        let mut texts = Texts::new(Tokens { minimum_length: 3, ..Default::default() });
        for i in 0..30 {
            let text = if i % 3 == 0 { "river water boat" } else { "bread flour oven" };
            texts.add(&i.to_string(), text, None);
            texts.add("mixed", "water bread sun", None);
        }
        let corpus = texts.finish().unwrap();
        let model = fit(
            &corpus.counts,
            &Settings { topics: Some(2.into()), ..Default::default() },
            &Default::default(),
            &mut (),
        )
        .unwrap();
        let tokens: f64 = topic_tokens(&corpus, &model).iter().sum();
        assert!((tokens - 180.0).abs() < 1e-9, "60 documents of three words, but {tokens}");
        let found = Ldavis::of(&corpus, &model);
        assert!(found.sizes[0] >= found.sizes[1] && (found.sizes[0] + found.sizes[1] - 1.0).abs() < 1e-12);
        let salient = found.words.iter().filter(|w| w.topic.is_none()).count();
        assert_eq!(salient, model.words.len(), "fewer words than the page would show");
        for own in found.parts.chunk_by(|a, b| a.word == b.word) {
            let sum: f64 = own.iter().map(|part| part.part).sum();
            assert!((sum - 1.0).abs() < 0.1, "a word's parts sum to {sum}");
        }
    }
}
