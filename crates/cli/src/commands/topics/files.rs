//! The folder of a run of `merit topics`: tables, matrices and words.

use super::Quality;
use crate::failure::Failure;
use crate::output::csv_field;
use merit::DenseMatrix;
use merit_dataset::{OutputFolder, WriteError, write_npy, write_npz_csc};
use merit_topics::Corpus;
use merit_topics::corpus::StopWords;
use merit_topics::model::Model;
use std::fs;

/// Everything but `run.json`.
pub fn write(folder: &OutputFolder, corpus: &Corpus, model: &Model, quality: &Quality) -> Result<(), Failure> {
    let topics = &model.topics;
    let nonzeros = topics.values().iter().filter(|v| **v != 0.0).count();
    write_npz_csc(&folder.file("topic_words.npz"), topics.rows(), topics.cols(), nonzeros, |n, entries| {
        let column = topics.col(n).iter().enumerate().filter(|(_, v)| **v != 0.0);
        entries.extend(column.map(|(k, &v)| (k as u32, v)));
    })?;
    write_npy(&folder.file("document_topics.npy"), &model.documents.transposed())?;
    let vocabulary: String = model.words.iter().map(|&n| format!("{}\n", corpus.vocabulary[n])).collect();
    let documents = document_csv(&corpus.names, corpus.labels.as_deref(), &model.documents);
    let mut files = vec![
        ("topics.csv", topics_csv(corpus, model, quality)),
        ("document_topics.csv", documents),
        ("vocabulary.txt", vocabulary),
    ];
    if !model.trace.is_empty() {
        files.push(("trace.csv", trace_csv(model)));
    }
    for (name, text) in files {
        let path = folder.file(name);
        fs::write(&path, text).map_err(|source| WriteError::Io { path, action: "written", source })?;
    }
    Ok(())
}

/// The stop words that were used, so that new texts are cut in the same way.
pub fn write_stop_words(folder: &OutputFolder, words: &StopWords) -> Result<(), Failure> {
    let path = folder.file("stop_words.txt");
    let text: String = words.sorted().into_iter().map(|word| format!("{word}\n")).collect();
    Ok(fs::write(&path, text).map_err(|source| WriteError::Io { path, action: "written", source })?)
}

fn topics_csv(corpus: &Corpus, model: &Model, quality: &Quality) -> String {
    let most = quality.top.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::from("topic,anchor,given,score,size,coherence");
    (1..=most).for_each(|i| text += &format!(",word_{i},weight_{i}"));
    text.push('\n');
    for (k, top) in quality.top.iter().enumerate() {
        let anchor = model.anchors.get(k).map_or(String::new(), |&n| csv_field(quality.word(corpus, model, n)));
        let given = model.given.get(k).copied().unwrap_or(false);
        let score = model.scores.get(k).map_or(String::new(), f64::to_string);
        text += &format!("{k},{anchor},{given},{score},{},{}", quality.sizes[k], quality.coherences[k]);
        for &n in top {
            text += &format!(",{},{}", csv_field(quality.word(corpus, model, n)), model.topics.get(k, n));
        }
        text.push('\n');
    }
    text
}

/// A line a document; `weights` is topics x documents.
pub fn document_csv(names: &[String], labels: Option<&[String]>, weights: &DenseMatrix) -> String {
    let mut text = String::from(if labels.is_some() { "document,label" } else { "document" });
    (0..weights.rows()).for_each(|k| text += &format!(",topic_{k}"));
    text.push('\n');
    for (d, name) in names.iter().enumerate() {
        text += &csv_field(name);
        if let Some(labels) = labels {
            text += &format!(",{}", csv_field(&labels[d]));
        }
        weights.col(d).iter().for_each(|weight| text += &format!(",{weight}"));
        text.push('\n');
    }
    text
}

fn trace_csv(model: &Model) -> String {
    let mut text = String::from("iteration,step,objective,gap,nnz,nonempty_rows,seconds,candidates,pairs\n");
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for row in &model.trace {
        let seconds = row.elapsed.as_secs_f64();
        let (step, objective, gap) = (number(row.step), number(row.objective), number(row.gap));
        let (iteration, nnz, rows) = (row.iteration, row.nnz, row.nonempty_rows);
        text +=
            &format!("{iteration},{step},{objective},{gap},{nnz},{rows},{seconds},{},{}\n", row.candidates, row.pairs);
    }
    text
}
