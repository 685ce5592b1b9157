//! What a run says: its record, and the same in a few lines for people.

use super::{Outcome, Record, notes};
use crate::hints::typed;
use crate::record::{CorpusInput, RunRecord, SearchRecord, TopicsDetails, TopicsQuality, TopicsSettings};
use crate::terminal::{bytes, table};
use merit::words::counted;
use merit_dataset::shown::{shown, shown_path};
use merit_topics::HowMany;
use merit_topics::corpus::Limit;
use merit_topics::documents::Loose;
use merit_topics::edit::Edits;
use merit_topics::quality::Quality;
use merit_topics::sweep::{Row, Sweep};

/// `run.json`.
pub fn record(outcome: &Outcome) -> Record {
    let Outcome { args, corpus, model, quality, .. } = outcome;
    let (asked, topics) = (&args.flags.settings, model.topics.rows());
    let mut used = asked.clone();
    used.topics = Some(topics.into());
    used.minimum_documents = Some(Limit::Count(model.minimum_documents));
    used.lda.alpha = model.alpha.or(asked.lda.alpha);
    let search = SearchRecord::resolved(model.search.as_ref(), &mut used.search, asked.method.name(), model.stop);
    // Words that were given may have replaced what the search found.
    let search = SearchRecord { anchors: model.anchors.clone(), scores: model.scores.clone(), ..search };
    let mut tokens = args.tokens.settings.clone();
    if let Some(found) = &corpus.tokens {
        tokens.stop_words = found.stop_words.name().into();
    }
    let details = TopicsDetails {
        input: CorpusInput {
            path: outcome.input.display().to_string(),
            documents: corpus.counts.rows(),
            words: corpus.vocabulary.len(),
            stored_values: corpus.counts.nnz(),
            labels: corpus.labels.is_some(),
        },
        reading: corpus.facts.clone(),
        tokens,
        settings: TopicsSettings {
            topics_given: asked.topics.as_ref().and_then(HowMany::exactly),
            reading: args.reading.settings.clone(),
            model: used,
        },
        topics,
        words: model.words.len(),
        searched_words: model.searched_words,
        topics_estimate: model.topics_estimate.clone(),
        sweep: model.sweep.clone(),
        anchor_words: anchor_words(outcome),
        top_words: top_words(outcome),
        topic_names: outcome.names.clone(),
        edits: Vec::new(),
        sizes: quality.sizes.clone(),
        tried: model.tried.clone(),
        refinements: model.refinements,
        log_likelihood: model.log_likelihood,
        quality: quality_record(quality, outcome.c_v_by),
    };
    let encoding = args.reading.settings.encoding.map_or("UTF-8".into(), String::from);
    let mut notes = notes(corpus, model, &args.tokens.settings.stop_words, &encoding);
    notes.extend(args.flags.unused_note(asked.method.name()));
    RunRecord::new(details, search, asked.search.solver.kernel, notes)
}

fn anchor_words(outcome: &Outcome) -> Vec<String> {
    outcome.model.anchors.iter().map(|&n| outcome.word(n).to_string()).collect()
}

fn top_words(outcome: &Outcome) -> Vec<Vec<String>> {
    let words = |list: &Vec<usize>| list.iter().map(|&n| outcome.word(n).to_string()).collect();
    outcome.quality.shown.iter().map(words).collect()
}

/// How the note about edits begins.
const EDITED: &str = "the topics were edited by hand: ";

/// The record of a run after an edit: what it was, except for the topics themselves.
pub fn edited(record: &mut Record, outcome: &Outcome, edits: &Edits) {
    let (details, model) = (&mut record.details, &outcome.model);
    details.topics = model.topics.rows();
    (details.anchor_words, details.top_words) = (anchor_words(outcome), top_words(outcome));
    details.topic_names = outcome.names.clone();
    details.edits.extend(edits.in_words());
    details.sizes = outcome.quality.sizes.clone();
    details.quality = quality_record(&outcome.quality, outcome.c_v_by);
    (details.refinements, details.log_likelihood) = (model.refinements, model.log_likelihood);
    details.tried = model.tried.clone();
    let given = details.anchor_words.iter().zip(&model.given).filter(|(_, given)| **given);
    details.settings.model.anchors = given.map(|(word, _)| word.clone()).collect();
    (record.search.anchors, record.search.scores) = (model.anchors.clone(), model.scores.clone());
    let note = format!("{EDITED}{}", details.edits.join("; "));
    record.notes.retain(|note| !note.starts_with(EDITED) && !Loose::is_told_by(note));
    record.notes.extend(model.notes.iter().map(|note| typed(note)));
    record.notes.push(note);
}

fn quality_record(quality: &Quality, c_v_by: &str) -> TopicsQuality {
    TopicsQuality {
        npmi: Quality::mean(&quality.npmi),
        npmi_of_topics: quality.npmi.clone(),
        c_v: Quality::mean(&quality.c_v),
        c_v_of_topics: quality.c_v.clone(),
        c_v_by: c_v_by.into(),
        umass: Quality::mean(&quality.umass),
        umass_of_topics: quality.umass.clone(),
        diversity: quality.diversity,
        accuracy: quality.labels.map(|labels| labels.accuracy),
        nmi: quality.labels.map(|labels| labels.nmi),
    }
}

/// The summary for people.
pub fn in_words(outcome: &Outcome, record: &Record) -> String {
    let Outcome { corpus, model, quality, .. } = outcome;
    let mut text = format!(
        "{}: {}, {}, {}\n\n",
        shown_path(outcome.input),
        counted(corpus.counts.rows(), "document", "documents"),
        counted(model.words.len(), "word", "words"),
        counted(model.topics.rows(), "topic", "topics")
    );
    let mut rows = vec![["topic", "size", "NPMI", "anchor", "words"].map(String::from).to_vec()];
    for (k, top) in quality.shown.iter().enumerate() {
        let words: Vec<_> = top.iter().take(8).map(|&n| shown(outcome.word(n))).collect();
        let name = outcome.name(k).map_or(String::new(), |name| format!("{}: ", shown(name)));
        let anchor = model.anchors.get(k).map_or("-".into(), |&n| shown(outcome.word(n)));
        let size = format!("{:.1} %", 100.0 * quality.sizes[k]);
        rows.push(vec![
            k.to_string(),
            size,
            format!("{:.2}", quality.npmi[k]),
            anchor.to_string(),
            name + &words.join(" "),
        ]);
    }
    if let Some(sweep) = &model.sweep {
        text += &sweep_table(sweep);
    }
    text += &left_aligned(&rows);
    text.push('\n');
    if let Some(chosen) = model.tried.iter().find(|tried| tried.chosen) {
        let limits = model.tried.iter().filter(|tried| tried.method == "spa").count();
        let best = if limits > 1 { format!("the best of {limits} limits: ") } else { String::new() };
        text += &format!(
            "anchors are in {} or more ({best}halves of documents agree by {:.2})\n",
            counted(model.minimum_documents, "document", "documents"),
            chosen.agreement
        );
    }
    let measures = &record.details.quality;
    text += &format!(
        "coherence: NPMI {:.3}, c_v {:.3}; diversity {:.2}\n",
        measures.npmi, measures.c_v, measures.diversity
    );
    if let Some(labels) = quality.labels {
        text += &format!("main topics against labels: accuracy {:.3}, NMI {:.3}\n", labels.accuracy, labels.nmi);
    }
    let total = record.total_seconds();
    text += &format!("{total:.1} s, peak memory {}\n", record.peak_rss_bytes.map_or("unknown".into(), bytes));
    text
}

/// The numbers of topics that were tried.
fn sweep_table(sweep: &Sweep) -> String {
    let heads = ["topics", "agreement", "completion", "NPMI", "diversity", "stability", ""].map(String::from).to_vec();
    let row = |row: &Row| {
        vec![
            row.topics.to_string(),
            format!("{:.2}", row.agreement),
            format!("{:.3}", row.completion),
            format!("{:.3}", row.npmi),
            format!("{:.2}", row.diversity),
            format!("{:.2}", row.stability),
            if row.topics == sweep.recommended { "taken" } else { "" }.to_string(),
        ]
    };
    table(&std::iter::once(heads).chain(sweep.rows.iter().map(row)).collect::<Vec<_>>()) + "\n"
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
