//! The folder of a run of `merit topics`: tables, matrices and words.

use super::Outcome;
use crate::csv::{csv_field, trace_csv};
use crate::failure::Failure;
use crate::output_folder::OutputFolder;
use merit::DenseMatrix;
use merit::shares::largest;
use merit_dataset::strings::Names;
use merit_dataset::{ReadOptions, read as read_matrix, write_npy, write_npz_csc};
use merit_topics::corpus::{Phrases, StopWords, Tokens};
use merit_topics::documents::mixedness;
use merit_topics::settings::TokenSettings;
use merit_topics::times::OverTime;
use std::fs;
use std::path::Path;

/// Everything but `run.json`.
pub fn write(folder: &OutputFolder, outcome: &Outcome) -> Result<(), Failure> {
    let Outcome { corpus, model, .. } = outcome;
    let topics = &model.topics;
    let nonzeros = topics.values().iter().filter(|v| **v != 0.0).count();
    folder.put("topic_words.npz", |path| {
        write_npz_csc(path, topics.rows(), topics.cols(), nonzeros, |n, entries| {
            let column = topics.col(n).iter().enumerate().filter(|(_, v)| **v != 0.0);
            entries.extend(column.map(|(k, &v)| (k as u32, v)));
        })
    })?;
    folder.put("document_topics.npy", |path| write_npy(path, &model.documents.transposed()))?;
    let vocabulary: String = model.words.iter().map(|&n| format!("{}\n", corpus.vocabulary[n])).collect();
    let documents = document_csv(&corpus.names, corpus.labels.as_deref(), &model.documents);
    let mut files =
        vec![("topics.csv", topics_csv(outcome)), ("document_topics.csv", documents), ("vocabulary.txt", vocabulary)];
    if let Some(found) = outcome.over_time() {
        files.push(("topics_over_time.csv", over_time_csv(&found, model.topics.rows())));
    }
    if let Some(search) = model.search.as_ref().filter(|search| !search.trace.is_empty()) {
        files.push(("trace.csv", trace_csv(&search.trace)));
    }
    for (name, text) in files {
        folder.write(name, &text)?;
    }
    Ok(())
}

/// The stop words and phrases that were used, so that new texts are cut in the same way.
pub fn write_words(folder: &OutputFolder, tokens: Option<&Tokens>) -> Result<(), Failure> {
    let Some(tokens) = tokens else { return Ok(()) };
    let text = |list: Vec<&str>| list.into_iter().map(|word| format!("{word}\n")).collect::<String>();
    folder.write("stop_words.txt", &text(tokens.stop_words.sorted()))?;
    match &tokens.phrases {
        Phrases::Known(_) => folder.write("phrases.txt", &text(tokens.phrases.sorted())),
        _ => Ok(()),
    }
}

fn topics_csv(outcome: &Outcome) -> String {
    let Outcome { model, quality, .. } = outcome;
    let most = quality.shown.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::from("topic,anchor,given,score,size,npmi,c_v,umass,name");
    (1..=most).for_each(|i| text += &format!(",word_{i},p_{i}"));
    text.push('\n');
    for (k, top) in quality.shown.iter().enumerate() {
        let anchor = model.anchors.get(k).map_or(String::new(), |&n| csv_field(outcome.word(n)));
        let given = model.given.get(k).copied().unwrap_or(false);
        let score = model.scores.get(k).map_or(String::new(), f64::to_string);
        let measures = [quality.sizes[k], quality.npmi[k], quality.c_v[k], quality.umass[k]];
        text += &format!("{k},{anchor},{given},{score}");
        measures.iter().for_each(|value| text += &format!(",{value}"));
        text += &format!(",{}", csv_field(outcome.name(k).unwrap_or_default()));
        for &n in top {
            text += &format!(",{},{}", csv_field(outcome.word(n)), model.topics.get(k, n));
        }
        text.push('\n');
    }
    text
}

/// One line per period: its documents, and their mean shares; nothing where there are none.
fn over_time_csv(found: &OverTime, topics: usize) -> String {
    let mut text = String::from("time,documents");
    (0..topics).for_each(|k| text += &format!(",topic_{k}"));
    text.push('\n');
    for period in &found.periods {
        text += &format!("{},{}", period.name, period.documents);
        (0..topics).for_each(|k| text += &period.shares.get(k).map_or(",".into(), |share| format!(",{share}")));
        text.push('\n');
    }
    text
}

/// The words and topics of a run folder.
pub fn topics(run: &Path) -> Result<(Vec<String>, DenseMatrix), Failure> {
    let kept = fs::read_to_string(run.join("vocabulary.txt")).map_err(|_| not_topics(run))?;
    let vocabulary: Vec<String> = kept.lines().map(String::from).collect();
    let topics = read_matrix(&run.join("topic_words.npz"), &ReadOptions::default())?.matrix.into_dense();
    if topics.cols() != vocabulary.len() {
        return Err(not_topics(run));
    }
    Ok((vocabulary, topics))
}

/// How the texts of a run became words.
pub fn tokens(run: &Path, settings: &TokenSettings) -> Tokens {
    let list = |name: &str| fs::read_to_string(run.join(name)).ok();
    let words = list("stop_words.txt").unwrap_or_default();
    let stop_words = StopWords::of(&settings.stop_words.to_string_lossy(), words.lines().map(String::from));
    let phrases = match list("phrases.txt") {
        Some(list) => Phrases::of(list.lines().map(String::from)),
        None => Phrases::None,
    };
    settings.with(stop_words, phrases)
}

/// The error for a folder that is something else.
pub fn not_topics(run: &Path) -> Failure {
    Failure::data(format!("`{}` is not a run of `merit topics`", run.display()))
        .hint("make one with `merit topics INPUT --output DIR`")
}

/// One line per document: its main topic, the share of that, how mixed it is (entropy of the shares over that of even ones), and all
/// shares; `shares` is topics x documents. A document without a known word has no main topic.
pub fn document_csv(names: &Names, labels: Option<&[String]>, shares: &DenseMatrix) -> String {
    let mut text = String::from(if labels.is_some() { "document,label" } else { "document" });
    text += ",main_topic,share,entropy";
    (0..shares.rows()).for_each(|k| text += &format!(",topic_{k}"));
    text.push('\n');
    for (d, name) in names.iter().enumerate() {
        text += &csv_field(&name);
        if let Some(labels) = labels {
            text += &format!(",{}", csv_field(&labels[d]));
        }
        let parts = shares.col(d);
        match largest(parts.iter().copied()).filter(|(_, share)| *share > 0.0) {
            Some((main, share)) => text += &format!(",{main},{share},{}", mixedness(parts)),
            None => text += ",,0,0",
        }
        parts.iter().for_each(|share| text += &format!(",{share}"));
        text.push('\n');
    }
    text
}
