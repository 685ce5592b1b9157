//! The folder of a run of `merit topics`, and the numbers that describe it.

use crate::args::TopicsFitArgs;
use crate::failure::Failure;
use crate::output::csv_field;
use merit::metrics::{clustering_accuracy, coherence, similarity_count, top_words};
use merit::{DataMatrix, DenseMatrix};
use merit_dataset::{OutputFolder, WriteError, write_npy, write_npz_csc};
use merit_linalg::memory::peak_rss_bytes;
use merit_topics::Corpus;
use merit_topics::corpus::StopWords;
use merit_topics::model::Model;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

/// Words of a topic that the metrics look at, as in the paper.
pub const TOP_WORDS: usize = 20;
/// Runs of k-means whose accuracies are averaged.
const CLUSTERINGS: u64 = 10;

/// How good the topics are.
pub struct Quality {
    /// The heaviest words of each topic, as places in the model's words.
    pub top: Vec<Vec<usize>>,
    /// Coherence of each topic.
    pub coherences: Vec<f64>,
    /// Their mean.
    pub coherence: f64,
    /// Top words that topics share.
    pub similarity_count: usize,
    /// With labels only.
    pub clustering_accuracy: Option<f64>,
    /// Part of the documents' weights that each topic has.
    pub sizes: Vec<f64>,
}

impl Quality {
    pub fn of(corpus: &Corpus, model: &Model, seed: u64) -> Self {
        let counts = corpus.counts.select(&model.words);
        let top = top_words(&model.topics, TOP_WORDS);
        let weights = &model.documents;
        let accuracy = |labels: &Vec<String>| {
            let known: Vec<&String> = labels.iter().collect::<BTreeSet<_>>().into_iter().collect();
            let labels: Vec<usize> = labels.iter().map(|label| known.binary_search(&label).unwrap_or(0)).collect();
            let runs = (0..CLUSTERINGS).map(|run| clustering_accuracy(weights, &labels, seed.wrapping_add(run)));
            runs.sum::<f64>() / CLUSTERINGS as f64
        };
        Self {
            coherences: top.iter().map(|words| coherence(&counts, std::slice::from_ref(words))).collect(),
            coherence: coherence(&counts, &top),
            similarity_count: similarity_count(&top),
            clustering_accuracy: corpus.labels.as_ref().map(accuracy),
            sizes: sizes(&shares(weights)),
            top,
        }
    }

    /// The word at place `n` of the model's.
    pub fn word<'c>(&self, corpus: &'c Corpus, model: &Model, n: usize) -> &'c str {
        &corpus.vocabulary[model.words[n]]
    }
}

/// Weights that sum to 1 for every document; documents without weights have none.
pub fn shares(weights: &DenseMatrix) -> DenseMatrix {
    let mut shares = weights.clone();
    for d in 0..shares.cols() {
        let column = shares.col_mut(d);
        let sum: f64 = column.iter().sum();
        if sum > 0.0 {
            column.iter_mut().for_each(|v| *v /= sum);
        }
    }
    shares
}

fn sizes(shares: &DenseMatrix) -> Vec<f64> {
    let mut sizes = vec![0.0; shares.rows()];
    (0..shares.cols()).for_each(|d| sizes.iter_mut().zip(shares.col(d)).for_each(|(size, share)| *size += share));
    let sum: f64 = sizes.iter().sum();
    if sum > 0.0 {
        sizes.iter_mut().for_each(|size| *size /= sum);
    }
    sizes
}

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

/// What `pyLDAvis.prepare` takes as keyword arguments; rows of distributions sum to 1, documents without words are even.
pub fn pyldavis(corpus: &Corpus, model: &Model) -> String {
    let counts = corpus.counts.select(&model.words);
    let topics: Vec<Vec<f64>> = (0..model.topics.rows())
        .map(|k| {
            let row: Vec<f64> = (0..model.topics.cols()).map(|n| model.topics.get(k, n)).collect();
            even_if_empty(row)
        })
        .collect();
    let shares = shares(&model.documents);
    let documents: Vec<Vec<f64>> = (0..shares.cols()).map(|d| even_if_empty(shares.col(d).to_vec())).collect();
    let by_document = counts.transposed();
    let lengths: Vec<f64> = (0..by_document.cols()).map(|d| by_document.col(d).1.iter().sum()).collect();
    let frequencies: Vec<f64> = (0..counts.cols()).map(|n| counts.col(n).1.iter().sum()).collect();
    let vocabulary: Vec<&str> = model.words.iter().map(|&n| corpus.vocabulary[n].as_str()).collect();
    let value = json!({
        "topic_term_dists": topics,
        "doc_topic_dists": documents,
        "doc_lengths": lengths,
        "vocab": vocabulary,
        "term_frequency": frequencies,
    });
    serde_json::to_string(&value).expect("only string keys") + "\n"
}

fn even_if_empty(mut row: Vec<f64>) -> Vec<f64> {
    let (sum, even) = (row.iter().sum::<f64>(), 1.0 / row.len().max(1) as f64);
    row.iter_mut().for_each(|v| *v = if sum > 0.0 { *v / sum } else { even });
    row
}

/// `run.json`.
pub fn summary(
    args: &TopicsFitArgs,
    corpus: &Corpus,
    model: &Model,
    quality: &Quality,
    notes: &[String],
    seconds: &[(String, f64)],
) -> String {
    let solution = model.solution.as_ref();
    let mut by_stage: serde_json::Map<String, Value> =
        seconds.iter().map(|(name, seconds)| (name.clone(), json!(seconds))).collect();
    by_stage.insert("total".into(), json!(seconds.iter().map(|(_, seconds)| seconds).sum::<f64>()));
    let words: Vec<&str> = model.anchors.iter().map(|&n| quality.word(corpus, model, n)).collect();
    let value = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "command": std::env::args().collect::<Vec<_>>(),
        "input": {
            "path": args.input,
            "documents": corpus.counts.rows(),
            "words": corpus.vocabulary.len(),
            "stored_values": corpus.counts.nnz(),
            "labels": corpus.labels.is_some(),
        },
        "reading": corpus.facts,
        "tokens": {
            "min_length": args.min_length,
            "stop_words": args.stop_words,
            "stem": args.stem,
            "ngrams": args.ngrams,
            "min_df": args.min_df,
            "max_df": args.max_df,
            "max_vocabulary": args.max_vocabulary,
        },
        "settings": {
            "method": args.method.to_string(),
            "topics_given": args.topics,
            "text_field": args.text_field,
            "label_field": args.label_field,
            "documents": args.documents.to_string(),
            "variable": args.variable,
            "trial": args.trial,
            "anchors": args.anchors,
            "forbid": args.forbid,
            "merge_duplicates": args.merge_duplicates.to_string(),
            "regularization": args.regularization,
            "smoothing": args.smoothing,
            "iterations": args.iterations,
            "gap_tolerance": args.gap_tolerance,
            "start_iteration": solution.map(|s| s.start_iteration),
            "minimum_documents": args.minimum_documents,
            "gradient_steps": args.gradient_steps,
            "alpha": args.alpha.unwrap_or(50.0 / model.topics.rows() as f64),
            "beta": args.beta,
            "burn_in": args.burn_in,
            "samples": args.samples,
            "seed": args.seed,
        },
        "topics": model.topics.rows(),
        "words": model.words.len(),
        "searched_words": model.searched_words,
        "rank_estimate": model.rank_estimate,
        "anchors": model.anchors,
        "anchor_words": words,
        "scores": model.scores,
        "sizes": quality.sizes,
        "coherence": quality.coherence,
        "coherence_of_topics": quality.coherences,
        "similarity_count": quality.similarity_count,
        "clustering_accuracy": quality.clustering_accuracy,
        "stop_reason": solution.map(|s| s.stop),
        "iterations": solution.map(|s| s.iterations),
        "objective": solution.map(|s| s.objective),
        "gap": solution.and_then(|s| s.gap),
        "nnz": solution.map(|s| s.c.nnz()),
        "nonempty_rows": solution.map(|s| s.c.nonempty_rows()),
        "notes": notes,
        "threads": rayon::current_num_threads(),
        "seconds": by_stage,
        "peak_rss_bytes": peak_rss_bytes(),
    });
    serde_json::to_string_pretty(&value).expect("only string keys") + "\n"
}

/// Every entry stored.
pub fn dense(matrix: DataMatrix) -> DenseMatrix {
    match matrix {
        DataMatrix::Dense(matrix) => matrix,
        DataMatrix::Sparse(matrix) => matrix.to_dense(),
    }
}
