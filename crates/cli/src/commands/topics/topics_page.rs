//! The page of `merit topics`: what the model says, in the form that the page wants.

use super::{EXCERPT, Outcome, Record};
use crate::commands::page_parts::{file_name, method_title, of_record, settings, threads};
use merit::metrics::top_words;
use merit_report::RunFacts;
use merit_report::topics::{Document, Label, Number, Period, Topic, TopicsReport, Tried, Word, render};
use merit_topics::corpus::{Source, Wanted, excerpts};
use merit_topics::documents::{leads, lengths, typical};
use merit_topics::quality::{Quality, main_topics};
use merit_topics::relevance::{Relevance, marginal};
use merit_topics::{contest, sweep, times, topic_map};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Words that the page carries in all; each topic has its part.
const WORDS: usize = 7_500;
/// Words of a topic at least and at most.
const WORDS_OF_TOPIC: (usize, usize) = (120, 400);
/// Words that an open card shows: for each position of the slider they are exactly the most relevant of the whole vocabulary.
const SHOWN: usize = 30;
/// Words that describe a topic.
const TELLING: usize = 10;
/// Positions of the slider, less one.
const SLIDER_STEPS: usize = 20;
/// Documents that the page carries in all, and those of a topic at least and at most.
const DOCUMENTS: (usize, usize, usize) = (500, 10, 50);
/// Topics of a document that its bar shows.
const PARTS: usize = 4;

pub fn of(outcome: &Outcome, record: &Record) -> String {
    let Outcome { args, corpus, model, quality, .. } = outcome;
    let count = model.topics.rows();
    let marginal = marginal(&model.topics, &quality.sizes);
    let lengths = lengths(&corpus.counts);
    let most = (DOCUMENTS.0 / count.max(1)).clamp(DOCUMENTS.1, DOCUMENTS.2);
    let typical: Vec<Vec<usize>> = (0..count).map(|k| typical(&model.documents, &lengths, k, most)).collect();
    let carried: Vec<usize> = typical.iter().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let listed_at: BTreeMap<usize, usize> = carried.iter().enumerate().map(|(i, &d)| (d, i)).collect();
    let tops = top_words(&model.topics, (WORDS / count.max(1)).clamp(WORDS_OF_TOPIC.0, WORDS_OF_TOPIC.1));
    let leads = leads(&model.documents);
    let topic = |k: usize| Topic {
        name: outcome.name(k).map(String::from),
        anchor: model.anchors.get(k).map(|&n| outcome.word(n).to_string()),
        size: quality.sizes[k],
        coherence: quality.npmi[k],
        leads: leads[k],
        telling: quality.shown[k].iter().take(TELLING).map(|&n| outcome.word(n).to_string()).collect(),
        words: words(outcome, &marginal, &tops[k], k),
        documents: typical[k].iter().map(|d| listed_at[d]).collect(),
    };
    let mut notes = record.notes.clone();
    let (used, method) = (&record.details.settings, args.flags.settings.method);
    let rows = [
        settings(&used.model, method.name()),
        settings(&record.details.tokens, method.name()),
        settings(&used.reading, method.name()),
        vec![threads()],
    ];
    let report = TopicsReport {
        documents: corpus.counts.rows(),
        words: model.words.len(),
        searched_words: model.searched_words,
        topics: (0..count).map(topic).collect(),
        npmi: Quality::mean(&quality.npmi),
        c_v: Quality::mean(&quality.c_v),
        diversity: quality.diversity,
        against_labels: quality.labels.map(|labels| (labels.accuracy, labels.nmi)),
        tried: model.tried.iter().map(tried).collect(),
        labels: labels(outcome),
        numbers: model
            .sweep
            .iter()
            .flat_map(|sweep| sweep.rows.iter().map(|row| number(row, sweep.recommended)))
            .collect(),
        periods: outcome.over_time().map_or_else(Vec::new, |found| found.periods.into_iter().map(period).collect()),
        positions: topic_map::positions(&model.topics),
        together: topic_map::cosines(&model.documents),
        listed: listed(outcome, &carried, &mut notes),
        run: RunFacts {
            input: file_name(outcome.input),
            method: method_title(method, &args.flags.settings.search).into(),
            notes,
            settings: rows.concat(),
            ..of_record(record, model.search.as_ref().map_or(&[], |search| &search.trace))
        },
    };
    render(&report)
}

/// A row of the table of what was tried.
fn tried(tried: &contest::Tried) -> Tried {
    Tried {
        method: tried.method.clone(),
        minimum_documents: tried.minimum_documents,
        words: tried.words,
        agreement: tried.agreement,
        anchors_shared: tried.anchors_shared,
        chosen: tried.chosen,
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

/// A number of topics that was tried.
fn number(row: &sweep::Row, taken: usize) -> Number {
    Number {
        topics: row.topics,
        agreement: row.agreement,
        completion: row.completion,
        npmi: row.npmi,
        diversity: row.diversity,
        stability: row.stability,
        taken: row.topics == taken,
    }
}

fn period(found: times::Period) -> Period {
    Period { name: found.name, documents: found.documents, shares: found.shares }
}

/// The main topics of the documents of each label.
fn labels(outcome: &Outcome) -> Vec<Label> {
    let Some(labels) = &outcome.corpus.labels else { return Vec::new() };
    let topics = outcome.model.topics.rows();
    let mut table: BTreeMap<&str, (usize, Vec<f64>)> = BTreeMap::new();
    for (label, main) in labels.iter().zip(main_topics(&outcome.model.documents)) {
        let (documents, counts) = table.entry(label).or_insert_with(|| (0, vec![0.0; topics]));
        *documents += 1;
        if let Some(k) = main {
            counts[k] += 1.0;
        }
    }
    let label = |(name, (documents, counts)): (&str, (usize, Vec<f64>))| Label {
        name: name.to_string(),
        documents,
        main: counts.into_iter().map(|count| count / documents as f64).collect(),
    };
    table.into_iter().map(label).collect()
}

/// The documents `carried`, each with the passage that has the most of its main topic's words: these texts, and no others, are read a second time.
fn listed(outcome: &Outcome, carried: &[usize], notes: &mut Vec<String>) -> Vec<Document> {
    let shares = &outcome.model.documents;
    let (corpus, reading) = (&outcome.corpus, &outcome.args.reading.settings);
    let source = Source { label: None, name: None, ..reading.source() };
    let main = main_topics(shares);
    let words_of = |k: usize| outcome.quality.shown[k].iter().map(|&n| outcome.word(n)).collect::<HashSet<&str>>();
    let telling: Vec<HashSet<&str>> = (0..shares.rows()).map(words_of).collect();
    let want = |&d: &usize| Wanted {
        number: corpus.number(d),
        name: corpus.names.get(d),
        words: main[d].map_or_else(HashSet::new, |k| telling[k].clone()),
    };
    let wanted: Vec<Wanted> = carried.iter().map(want).collect();
    let splitter = corpus.tokens.as_ref().and_then(|tokens| tokens.splitter().ok());
    let mut texts = match (splitter, &reading.trial) {
        (Some(splitter), None) if outcome.args.input.is_some() => {
            excerpts(outcome.input, &source, corpus.stamp, &wanted, &splitter, EXCERPT).unwrap_or_else(|error| {
                notes.push(format!("no excerpts of documents, because they could not be read again: {error}"));
                BTreeMap::new()
            })
        }
        _ => BTreeMap::new(), // counts; texts of a trial, or of a program, which kept none
    };
    let document = |&d: &usize| {
        let mut parts: Vec<(usize, f64)> =
            shares.col(d).iter().copied().enumerate().filter(|(_, p)| *p > 0.0).collect();
        parts.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        parts.truncate(PARTS);
        Document {
            name: corpus.names.get(d).into_owned(),
            shares: parts,
            excerpt: texts.remove(&corpus.number(d)).unwrap_or_default(),
        }
    };
    carried.iter().map(document).collect()
}
