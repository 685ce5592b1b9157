//! The data of a pyLDAvis page: what `PreparedData.to_json` writes there.
//!
//! | key | what |
//! |---|---|
//! | `mdsDat` | the topics in the plane, largest first, and their part of the tokens in percent |
//! | `tinfo` | the most salient words, then for every topic all words that some position of the slider shows |
//! | `token.table` | how these words divide among the topics |
//! | `R`, `lambda.step`, `plot.opts`, `topic.order` | words shown, step of the slider, names of the axes, our topics from 1 |

use merit_topics::Corpus;
use merit_topics::ldavis::{Ldavis, ListedWord, SHOWN, SLIDER_STEPS};
use merit_topics::model::Model;
use serde::Serialize;
use serde_json::json;

pub fn json_text(corpus: &Corpus, model: &Model) -> String {
    let Ldavis { order, sizes, positions, words, parts } = Ldavis::of(corpus, model);
    let term = |n: usize| corpus.vocabulary[model.words[n]].as_str();
    let category = |word: &ListedWord| word.topic.map_or("Default".into(), |place| format!("Topic{}", place + 1));
    let value = json!({
        "mdsDat": {
            "x": column(&positions, |position| position.0),
            "y": column(&positions, |position| position.1),
            "topics": (1..=order.len()).collect::<Vec<_>>(),
            "cluster": vec![1; order.len()],
            "Freq": column(&sizes, |size| 100.0 * size),
        },
        "tinfo": {
            "Term": column(&words, |w| term(w.word)),
            "Freq": column(&words, |w| w.frequency),
            "Total": column(&words, |w| w.total),
            "Category": column(&words, category),
            "logprob": column(&words, |w| four_decimals(w.log_probability)),
            "loglift": column(&words, |w| four_decimals(w.log_lift)),
        },
        "token.table": {
            "Topic": column(&parts, |p| p.topic + 1),
            "Freq": column(&parts, |p| p.part),
            "Term": column(&parts, |p| term(p.word)),
        },
        "R": SHOWN.min(model.words.len()),
        "lambda.step": 1.0 / SLIDER_STEPS as f64,
        "plot.opts": { "xlab": "PC1", "ylab": "PC2" },
        "topic.order": column(&order, |k| k + 1),
    });
    serde_json::to_string(&value).expect("only string keys") + "\n"
}

/// One number or text of every row.
fn column<R, V: Serialize>(rows: &[R], value: impl Fn(&R) -> V) -> Vec<V> {
    rows.iter().map(value).collect()
}

fn four_decimals(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
