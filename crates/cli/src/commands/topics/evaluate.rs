//! `merit evaluate topics`: the usual measures for topics of any tool, on your own corpus.

use super::in_windows;
use crate::ExitCode;
use crate::args::{EvaluateTopicsArgs, MeasuredWords};
use crate::failure::Failure;
use crate::progress::while_working;
use crate::terminal::{print, print_json, table};
use merit::metrics::top_words;
use merit_dataset::shown::shown_path;
use merit_dataset::{ReadOptions, read as read_matrix};
use merit_topics::coherence::Together;
use merit_topics::corpus;
use merit_topics::likelihood::rows_to_one;
use merit_topics::quality::{AgainstLabels, MEASURED_WORDS, Quality, diversity, main_topics};
use merit_topics::relevance::{marginal, telling_words};
use serde_json::json;
use std::collections::HashMap;

pub fn evaluate(args: &EvaluateTopicsArgs) -> Result<ExitCode, Failure> {
    let mut topics = read_matrix(&args.topics, &ReadOptions::default())?.matrix.into_dense();
    let words = corpus::word_list(&args.words)?;
    if words.len() != topics.cols() {
        return Err(Failure::data(format!(
            "`{}` has {} words, but `{}` has {} columns",
            shown_path(&args.words),
            words.len(),
            shown_path(&args.topics),
            topics.cols()
        ))
        .hint("the matrix is topics x words, and the file has one word per line"));
    }
    if let Some(bad) = topics.values().iter().find(|v| !v.is_finite() || **v < 0.0) {
        return Err(Failure::data(format!("`{}` holds {bad}, but weights are not negative", shown_path(&args.topics))));
    }
    rows_to_one(&mut topics);
    let options = args.reading.settings.options(args.tokens.settings.tokens()?);
    let reading = format!("reading {}", args.input.display());
    let corpus = while_working(args.json, reading, || corpus::read(&args.input, &options))?;
    let even = vec![1.0 / topics.rows().max(1) as f64; topics.rows()];
    let shown = match args.measure {
        MeasuredWords::Heaviest => top_words(&topics, MEASURED_WORDS),
        MeasuredWords::Telling => telling_words(&topics, &marginal(&topics, &even), MEASURED_WORDS),
    };
    let number: HashMap<&str, usize> =
        corpus.vocabulary.iter().enumerate().map(|(n, word)| (word.as_str(), n)).collect();
    let (mut known, mut unknown): (Vec<Vec<usize>>, usize) = (Vec::new(), 0);
    for list in &shown {
        let found: Vec<usize> = list.iter().filter_map(|&n| number.get(words[n].as_str()).copied()).collect();
        unknown += list.len() - found.len();
        known.push(found);
    }
    let together = Together::in_documents(&corpus.counts, &known);
    let names: Vec<Vec<&str>> =
        known.iter().map(|list| list.iter().map(|&n| corpus.vocabulary[n].as_str()).collect()).collect();
    let windows = while_working(args.json, "counting words in windows".into(), || {
        in_windows(&args.input, &options, &corpus, &names)
    });
    let c_v_by = if windows.is_some() { "windows" } else { "documents" };
    let (npmi, umass) = (together.npmi(), together.umass());
    let c_v = windows.unwrap_or(together).c_v();
    let labels = match &args.document_topics {
        Some(path) => Some(against_labels(path, &corpus, topics.rows())?),
        None => None,
    };
    let different = diversity(&shown);
    if args.json {
        let value = json!({
            "npmi": Quality::mean(&npmi), "npmi_of_topics": npmi,
            "c_v": Quality::mean(&c_v), "c_v_of_topics": c_v, "c_v_by": c_v_by,
            "umass": Quality::mean(&umass), "umass_of_topics": umass,
            "diversity": different,
            "accuracy": labels.map(|l| l.accuracy), "nmi": labels.map(|l| l.nmi),
            "unknown_words": unknown,
        });
        print_json(&(serde_json::to_string_pretty(&value).expect("only string keys") + "\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let row = |name: &str, value: f64| vec![name.to_string(), format!("{value:.4}")];
    let mut rows = vec![
        row("NPMI", Quality::mean(&npmi)),
        row(&format!("c_v, by {c_v_by}"), Quality::mean(&c_v)),
        row("UMass", Quality::mean(&umass)),
        row("diversity", different),
    ];
    if let Some(labels) = labels {
        rows.extend([row("accuracy", labels.accuracy), row("NMI", labels.nmi)]);
    }
    print(&table(&rows))?;
    if unknown > 0 {
        crate::progress::say(&format!("note: {unknown} of the words measured are not in the corpus and were left out"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The main topics of a file of shares against the labels of the corpus.
fn against_labels(
    path: &std::path::Path,
    corpus: &merit_topics::Corpus,
    topics: usize,
) -> Result<AgainstLabels, Failure> {
    let Some(labels) = corpus.label_numbers() else {
        return Err(Failure::usage("`--document-topics` is to be compared with labels, but the corpus has none")
            .hint("name the field of the labels with `--label-field NAME`"));
    };
    let shares = read_matrix(path, &ReadOptions::default())?.matrix.into_dense();
    if (shares.rows(), shares.cols()) != (labels.len(), topics) {
        return Err(Failure::data(format!(
            "`{}` is {} x {}, but there are {} documents and {topics} topics",
            shown_path(path),
            shares.rows(),
            shares.cols(),
            labels.len()
        )));
    }
    Ok(AgainstLabels::of(&main_topics(&shares.transposed()), &labels))
}
