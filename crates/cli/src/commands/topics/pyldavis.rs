//! The data of a pyLDAvis page: what `PreparedData.to_json` writes there, by the same rules.
//!
//! | key | what |
//! |---|---|
//! | `mdsDat` | the topics in the plane, largest first, and their part of the tokens in percent |
//! | `tinfo` | the most salient words, then for every topic all words that some position of the slider shows |
//! | `token.table` | how these words divide among the topics |
//! | `R`, `lambda.step`, `plot.opts`, `topic.order` | words shown, step of the slider, names of the axes, our topics from 1 |
//!
//! A word's frequency is the one that the model implies, `sum_k n_k p(w|k)` with `n_k` the tokens of topic `k`.
//! Reference: Sievert and Shirley, *LDAvis*, 2014.

use super::plane::places;
use super::quality::shares;
use super::relevance::{Relevance, marginal};
use merit::DenseMatrix;
use merit_topics::Corpus;
use merit_topics::model::Model;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Words of a topic that the page shows.
const SHOWN: usize = 30;
/// Positions of its slider, less one.
const STEPS: usize = 100;

/// The columns of `tinfo`.
#[derive(Default)]
struct Words {
    term: Vec<String>,
    frequency: Vec<f64>,
    total: Vec<f64>,
    category: Vec<String>,
    log_probability: Vec<f64>,
    log_lift: Vec<f64>,
}

pub fn json_text(corpus: &Corpus, model: &Model) -> String {
    let topics = &model.topics;
    let vocabulary: Vec<&str> = model.words.iter().map(|&n| corpus.vocabulary[n].as_str()).collect();
    let tokens = topic_tokens(corpus, model);
    let all = tokens.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let sizes: Vec<f64> = tokens.iter().map(|count| count / all).collect();
    let marginal = marginal(topics, &sizes);
    let mut order: Vec<usize> = (0..topics.rows()).collect();
    order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(a.cmp(&b)));

    let mut info = Words::default();
    let mut used: BTreeSet<usize> = BTreeSet::new();
    let salient = salient(topics, &sizes, &marginal);
    for (i, &n) in salient.iter().enumerate() {
        let (count, rank) = ((all * marginal[n]).floor(), (salient.len() - i) as f64);
        info.add(vocabulary[n], count, count, "Default".into(), rank, rank);
        used.insert(n);
    }
    for (place, &k) in order.iter().enumerate() {
        for (n, log_p, log_lift) in Relevance::of(topics, &marginal, k).best(SHOWN, STEPS) {
            let count = tokens[k] * topics.get(k, n);
            info.add(
                vocabulary[n],
                count,
                all * marginal[n],
                format!("Topic{}", place + 1),
                four(log_p),
                four(log_lift),
            );
            used.insert(n);
        }
    }
    let places = places(topics);
    let along =
        |axis: fn(&(f64, f64)) -> f64| -> Vec<f64> { order.iter().map(|&k| places.get(k).map_or(0.0, axis)).collect() };
    let value = json!({
        "mdsDat": {
            "x": along(|place| place.0),
            "y": along(|place| place.1),
            "topics": (1..=order.len()).collect::<Vec<_>>(),
            "cluster": vec![1; order.len()],
            "Freq": order.iter().map(|&k| 100.0 * sizes[k]).collect::<Vec<_>>(),
        },
        "tinfo": {
            "Term": info.term,
            "Freq": info.frequency,
            "Total": info.total,
            "Category": info.category,
            "logprob": info.log_probability,
            "loglift": info.log_lift,
        },
        "token.table": token_table(&used, &order, &vocabulary, topics, &tokens),
        "R": SHOWN.min(vocabulary.len()),
        "lambda.step": 1.0 / STEPS as f64,
        "plot.opts": { "xlab": "PC1", "ylab": "PC2" },
        "topic.order": order.iter().map(|k| k + 1).collect::<Vec<_>>(),
    });
    serde_json::to_string(&value).expect("only string keys") + "\n"
}

impl Words {
    fn add(&mut self, term: &str, frequency: f64, total: f64, category: String, log_probability: f64, log_lift: f64) {
        self.term.push(term.into());
        self.frequency.push(frequency);
        self.total.push(total);
        self.category.push(category);
        self.log_probability.push(log_probability);
        self.log_lift.push(log_lift);
    }
}

/// Tokens of each topic: documents' lengths divided by their shares; a document without shares is even.
fn topic_tokens(corpus: &Corpus, model: &Model) -> Vec<f64> {
    let mut lengths = vec![0.0; corpus.counts.rows()];
    for &n in &model.words {
        let (documents, counts) = corpus.counts.col(n);
        documents.iter().zip(counts).for_each(|(&d, count)| lengths[d as usize] += count);
    }
    let shares = shares(&model.documents);
    let mut tokens = vec![0.0; shares.rows()];
    for (d, length) in lengths.iter().enumerate() {
        let empty = shares.col(d).iter().all(|share| *share == 0.0);
        let part = |share: f64| if empty { 1.0 / shares.rows() as f64 } else { share };
        tokens.iter_mut().zip(shares.col(d)).for_each(|(sum, share)| *sum += length * part(*share));
    }
    tokens
}

/// The words that tell most about the topic of a token: `p(w) KL(p(k|w) | p(k))`, most first.
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
fn token_table(
    used: &BTreeSet<usize>,
    order: &[usize],
    vocabulary: &[&str],
    topics: &DenseMatrix,
    tokens: &[f64],
) -> Value {
    let mut words: Vec<usize> = used.iter().copied().collect();
    words.sort_by_key(|&n| vocabulary[n]);
    let (mut topic, mut frequency, mut term) = (Vec::new(), Vec::new(), Vec::new());
    for n in words {
        let count = |k: usize| tokens[k] * topics.get(k, n);
        let all: f64 = (0..tokens.len()).map(count).sum();
        for (place, &k) in order.iter().enumerate().filter(|(_, k)| count(**k) >= 0.5) {
            topic.push(place + 1);
            frequency.push(count(k).round() / all);
            term.push(vocabulary[n]);
        }
    }
    json!({ "Topic": topic, "Freq": frequency, "Term": term })
}

/// With four decimals.
fn four(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
