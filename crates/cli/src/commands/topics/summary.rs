//! What a run says: its record, and the same in a few lines for people.

use super::{Outcome, Record, notes};
use crate::record::{CorpusInput, RunRecord, SearchRecord, TopicsDetails, TopicsSettings};
use crate::terminal::{bytes, table};
use merit_dataset::shown::{shown, shown_path};
use merit_topics::corpus::Limit;

/// `run.json`.
pub fn record(outcome: &Outcome) -> Record {
    let Outcome { args, corpus, model, quality, .. } = outcome;
    let (asked, topics) = (&args.flags.settings, model.topics.rows());
    let mut used = asked.clone();
    used.topics = Some(topics);
    used.minimum_documents = Some(Limit::Count(model.minimum_documents));
    used.lda.alpha = Some(asked.lda.alpha(topics));
    let search = SearchRecord::resolved(model.search.as_ref(), &mut used.search, asked.method.name(), model.stop);
    // Words that were given may have replaced what the search found.
    let search = SearchRecord { anchors: model.anchors.clone(), scores: model.scores.clone(), ..search };
    let details = TopicsDetails {
        input: CorpusInput {
            path: outcome.input.display().to_string(),
            documents: corpus.counts.rows(),
            words: corpus.vocabulary.len(),
            stored_values: corpus.counts.nnz(),
            labels: corpus.labels.is_some(),
        },
        reading: corpus.facts.clone(),
        tokens: args.tokens.settings.clone(),
        settings: TopicsSettings { topics_given: asked.topics, reading: args.reading.settings.clone(), model: used },
        topics,
        words: model.words.len(),
        searched_words: model.searched_words,
        topics_estimate: model.topics_estimate.clone(),
        anchor_words: model.anchors.iter().map(|&n| outcome.word(n).to_string()).collect(),
        sizes: quality.sizes.clone(),
        coherence: quality.coherence,
        coherence_of_topics: quality.coherences.clone(),
        similarity_count: quality.similarity_count,
        clustering_accuracy: quality.clustering_accuracy,
        clustering_runs: quality.clustering_accuracy.map(|_| quality.clustering_runs),
    };
    let mut notes = notes(corpus, model);
    notes.extend(args.flags.unused_note(asked.method.name()));
    RunRecord::new(details, search, asked.search.solver.kernel, notes)
}

/// The summary for people.
pub fn in_words(outcome: &Outcome, record: &Record) -> String {
    let Outcome { corpus, model, quality, .. } = outcome;
    let mut text = format!(
        "{}: {} documents, {} words, {} topics\n\n",
        shown_path(outcome.input),
        corpus.counts.rows(),
        model.words.len(),
        model.topics.rows()
    );
    let mut rows = vec![["topic", "size", "coherence", "anchor", "words"].map(String::from).to_vec()];
    for (k, top) in quality.top.iter().enumerate() {
        let words: Vec<_> = top.iter().take(8).map(|&n| shown(outcome.word(n))).collect();
        let anchor = model.anchors.get(k).map_or("-".into(), |&n| shown(outcome.word(n)));
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
    if let Some(gap) = record.search.gap {
        text += &format!(", gap {gap:.3e}");
    }
    let total = record.total_seconds();
    text += &format!("\n{total:.1} s, peak memory {}\n", record.peak_rss_bytes.map_or("unknown".into(), bytes));
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
