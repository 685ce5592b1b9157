//! The page of `merit topics`: what the model says, in the form that the page wants.

use super::{EXCERPT, Outcome};
use crate::args::{TopicMethodName, TopicsFitArgs};
use crate::commands::page_parts::{file_name, of_this_process, stages, trace_point};
use merit::{DenseMatrix, metrics::top_words};
use merit_report::topics::{Document, Topic, TopicsReport, Word, render};
use merit_report::{RunFacts, Setting};
use merit_topics::Corpus;
use merit_topics::corpus::{Source, excerpts};
use merit_topics::documents::{leads, shares, typical};
use merit_topics::model::Model;
use merit_topics::relevance::{Relevance, marginal};
use merit_topics::topic_map;
use std::collections::{BTreeMap, BTreeSet};

/// Words that the page carries in all; each topic has its part.
const WORDS: usize = 7_500;
/// Words of a topic at least and at most.
const WORDS_OF_TOPIC: (usize, usize) = (120, 400);
/// Words that an open card shows: for each position of the slider they are exactly the most relevant of the whole vocabulary.
const SHOWN: usize = 30;
/// Positions of the slider, less one.
const SLIDER_STEPS: usize = 20;
/// Documents that the page carries in all, and those of a topic at least and at most.
const DOCUMENTS: (usize, usize, usize) = (500, 10, 50);
/// Topics of a document that its bar shows.
const PARTS: usize = 4;

pub fn of(outcome: &Outcome) -> String {
    let Outcome { args, corpus, model, quality, .. } = outcome;
    let shares = shares(&model.documents);
    let count = model.topics.rows();
    let marginal = marginal(&model.topics, &quality.sizes);
    let most = (DOCUMENTS.0 / count.max(1)).clamp(DOCUMENTS.1, DOCUMENTS.2);
    let typical: Vec<Vec<usize>> = (0..count).map(|k| typical(&model.documents, &shares, k, most)).collect();
    let carried: Vec<usize> = typical.iter().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let listed_at: BTreeMap<usize, usize> = carried.iter().enumerate().map(|(i, &d)| (d, i)).collect();
    let tops = top_words(&model.topics, (WORDS / count.max(1)).clamp(WORDS_OF_TOPIC.0, WORDS_OF_TOPIC.1));
    let leads = leads(&shares);
    let topic = |k: usize| Topic {
        anchor: model.anchors.get(k).map(|&n| outcome.word(n).to_string()),
        size: quality.sizes[k],
        coherence: quality.coherences[k],
        leads: leads[k],
        words: words(outcome, &marginal, &tops[k], k),
        documents: typical[k].iter().map(|d| listed_at[d]).collect(),
    };
    let mut notes = outcome.notes.clone();
    let report = TopicsReport {
        documents: corpus.counts.rows(),
        words: model.words.len(),
        searched_words: model.searched_words,
        topics: (0..count).map(topic).collect(),
        coherence: quality.coherence,
        similarity_count: quality.similarity_count,
        clustering_accuracy: quality.clustering_accuracy,
        positions: topic_map::positions(&model.topics),
        together: topic_map::cosines(&model.documents),
        listed: listed(args, corpus, &shares, &carried, &mut notes),
        run: RunFacts {
            input: args.input.as_deref().map(file_name).unwrap_or_default(),
            method: title(args.method, args.regularization).into(),
            notes,
            trace: model.trace.iter().map(trace_point).collect(),
            settings: settings(args, model),
            seconds: stages(&outcome.seconds),
            ..of_this_process()
        },
    };
    render(&report)
}

fn title(method: TopicMethodName, regularization: f64) -> &'static str {
    match method {
        TopicMethodName::Merit if regularization == 0.0 => "MERIT(0)",
        TopicMethodName::Merit => "MERIT",
        TopicMethodName::Spa => "SPA",
        TopicMethodName::Xray => "XRAY",
        TopicMethodName::FastAnchor => "FastAnchor",
        TopicMethodName::FastGradient => "FastGradient",
        TopicMethodName::Lda => "LDA",
    }
}

/// The heaviest words of topic `k`, and those that some position of the slider shows.
fn words(outcome: &Outcome, marginal: &[f64], heaviest: &[usize], k: usize) -> Vec<Word> {
    let model = &outcome.model;
    let relevance = Relevance::of(&model.topics, marginal, k);
    let shown = relevance.best(SHOWN, SLIDER_STEPS).into_iter().map(|(n, _, _)| n);
    let mut list: Vec<usize> = shown.chain(heaviest.iter().copied()).collect::<BTreeSet<_>>().into_iter().collect();
    list.retain(|&n| model.topics.get(k, n) > 0.0);
    list.sort_by(|&a, &b| model.topics.get(k, b).total_cmp(&model.topics.get(k, a)).then(a.cmp(&b)));
    let word =
        |&n: &usize| Word { word: outcome.word(n).into(), weight: model.topics.get(k, n), frequency: marginal[n] };
    list.iter().map(word).collect()
}

/// The documents `carried`, with their beginnings: these texts, and no others, are read a second time.
fn listed(
    args: &TopicsFitArgs,
    corpus: &Corpus,
    shares: &DenseMatrix,
    carried: &[usize],
    notes: &mut Vec<String>,
) -> Vec<Document> {
    let source = Source { text: args.text_field.clone(), ..Source::default() };
    let wanted: Vec<(usize, &str)> = carried.iter().map(|&d| (d, corpus.names[d].as_str())).collect();
    let mut texts = match args.input.as_deref().filter(|_| args.trial.is_none()) {
        Some(input) => excerpts(input, &source, &wanted, EXCERPT).unwrap_or_else(|error| {
            notes.push(format!("no excerpts of documents, for they could not be read again: {error}"));
            BTreeMap::new()
        }),
        None => BTreeMap::new(),
    };
    let document = |&d: &usize| {
        let mut parts: Vec<(usize, f64)> =
            shares.col(d).iter().copied().enumerate().filter(|(_, p)| *p > 0.0).collect();
        parts.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        parts.truncate(PARTS);
        Document { name: corpus.names[d].clone(), shares: parts, excerpt: texts.remove(&d).unwrap_or_default() }
    };
    carried.iter().map(document).collect()
}

fn settings(args: &TopicsFitArgs, model: &Model) -> Vec<Setting> {
    let of = |name: &str, value: String, meaning: &str| Setting { name: name.into(), value, meaning: meaning.into() };
    let mut list = vec![
        of("method", args.method.to_string(), "how topics are found"),
        of(
            "topics",
            model.topics.rows().to_string(),
            if args.topics.is_some() { "given" } else { "estimated, or as many as anchors" },
        ),
        of("stop-words", args.stop_words.clone(), "words left out"),
        of("stem", args.stem.clone().unwrap_or_else(|| "off".into()), "words reduced to stems"),
        of("min-length", args.min_length.to_string(), "letters of a word"),
        of("ngrams", args.ngrams.to_string(), "longest run of words that counts as one"),
        of("min-df", args.min_df.to_string(), "documents that a word must be in"),
        of("max-df", args.max_df.to_string(), "documents that a word may be in"),
        of("seed", args.seed.to_string(), "of what is drawn at random"),
    ];
    if args.method == TopicMethodName::Merit {
        list.push(of("regularization", args.regularization.to_string(), "weight of row sparsity (lambda)"));
        list.push(of("smoothing", format!("{:e}", args.smoothing), "sharpness of the row maximum (mu)"));
        list.push(of("gap-tolerance", args.gap_tolerance.to_string(), "stop at this duality gap"));
        list.push(of("iterations", args.iterations.to_string(), "steps at most"));
        list.push(of(
            "minimum-documents",
            model.minimum_documents.to_string(),
            "documents that an anchor had to be in",
        ));
        list.push(of("merge-duplicates", args.merge_duplicates.to_string(), "copies of a word searched as one"));
    }
    list
}
