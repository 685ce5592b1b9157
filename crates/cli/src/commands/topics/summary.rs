//! What a run says: `run.json`, and the same in a few lines for people.

use super::Outcome;
use crate::terminal::{bytes, table};
use merit::solver::StopReason;
use merit_linalg::memory::peak_rss_bytes;
use serde_json::{Value, json};
use std::path::Path;

/// `run.json`.
pub fn json_text(outcome: &Outcome) -> String {
    let Outcome { args, corpus, model, quality, notes, seconds } = outcome;
    let solution = model.solution.as_ref();
    let mut by_stage: serde_json::Map<String, Value> =
        seconds.iter().map(|(name, seconds)| (name.clone(), json!(seconds))).collect();
    by_stage.insert("total".into(), json!(outcome.total_seconds()));
    let words: Vec<&str> = model.anchors.iter().map(|&n| outcome.word(n)).collect();
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
            "name_field": args.name_field,
            "vocabulary": args.vocabulary,
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
            "minimum_documents": model.minimum_documents,
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
        "topics_estimate": model.topics_estimate,
        "anchors": model.anchors,
        "anchor_words": words,
        "scores": model.scores,
        "sizes": quality.sizes,
        "coherence": quality.coherence,
        "coherence_of_topics": quality.coherences,
        "similarity_count": quality.similarity_count,
        "clustering_accuracy": quality.clustering_accuracy,
        "clustering_runs": quality.clustering_accuracy.map(|_| quality.clustering_runs),
        "stop_reason": solution.map(|s| s.stop).or(model.interrupted.then_some(StopReason::Interrupted)),
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

/// The summary for people.
pub fn in_words(outcome: &Outcome) -> String {
    let Outcome { args, corpus, model, quality, .. } = outcome;
    let input = args.input.as_deref().unwrap_or(Path::new(""));
    let mut text = format!(
        "{}: {} documents, {} words, {} topics\n\n",
        input.display(),
        corpus.counts.rows(),
        model.words.len(),
        model.topics.rows()
    );
    let mut rows = vec![["topic", "size", "coherence", "anchor", "words"].map(String::from).to_vec()];
    for (k, top) in quality.top.iter().enumerate() {
        let words: Vec<&str> = top.iter().take(8).map(|&n| outcome.word(n)).collect();
        let anchor = model.anchors.get(k).map_or("-", |&n| outcome.word(n));
        let size = format!("{:.1} %", 100.0 * quality.sizes[k]);
        rows.push(vec![
            k.to_string(),
            size,
            format!("{:.1}", quality.coherences[k]),
            anchor.to_string(),
            words.join(" "),
        ]);
    }
    text += &left_aligned(&rows);
    text += &format!("\ncoherence {:.1}, similarity count {}", quality.coherence, quality.similarity_count);
    if let Some(accuracy) = quality.clustering_accuracy {
        text += &format!(", clustering accuracy {accuracy:.3}");
    }
    if let Some(gap) = model.solution.as_ref().and_then(|solution| solution.gap) {
        text += &format!(", gap {gap:.3e}");
    }
    let total = outcome.total_seconds();
    text += &format!("\n{total:.1} s, peak memory {}\n", peak_rss_bytes().map_or("unknown".into(), bytes));
    for (what, path) in
        [("written", &args.outputs.output), ("report ", &args.outputs.report), ("pyLDAvis", &args.pyldavis)]
    {
        path.iter().for_each(|path| text += &format!("{what}  {}\n", path.display()));
    }
    text
}

/// The table with its last two columns, which are words, to the left.
fn left_aligned(rows: &[Vec<String>]) -> String {
    let width = rows.iter().map(|row| row[3].chars().count()).max().unwrap_or(0);
    let padded = |row: &Vec<String>| {
        let mut cells = row[..3].to_vec();
        cells.push(format!("{:<width$}  {}", row[3], row[4]));
        cells
    };
    let mut rows: Vec<Vec<String>> = rows.iter().map(padded).collect();
    let longest = rows.iter().map(|row| row[3].chars().count()).max().unwrap_or(0);
    rows.iter_mut().for_each(|row| row[3] = format!("{:<longest$}", row[3]));
    table(&rows)
}
