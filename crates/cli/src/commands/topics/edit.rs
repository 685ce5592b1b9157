//! `merit topics edit`: topics of a finished run merged and named by hand, without a new search.
//!
//! The counts are read again, for the measures and the page; they must be those of the run.

use super::{Outcome, Record, in_words, measure_windows, run_folder, summary, topics_page};
use crate::ExitCode;
use crate::args::{OutputArgs, TopicsEditArgs, TopicsFitArgs};
use crate::commands::run_outputs::Results;
use crate::commands::use_threads;
use crate::failure::Failure;
use crate::progress::while_working;
use crate::record::TopicsDetails;
use crate::runs::untyped;
use merit::progress::Interrupt;
use merit_dataset::shown::shown_path;
use merit_dataset::text::is_standard_input;
use merit_dataset::{ReadOptions, read as read_matrix};
use merit_topics::Corpus;
use merit_topics::corpus::{self, Limit};
use merit_topics::documents::sizes;
use merit_topics::edit::{Merged, merged};
use merit_topics::model::Model;
use merit_topics::quality::{Quality, SHOWN_WORDS};
use merit_topics::relevance::{marginal, telling_words};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

pub fn run(args: &TopicsEditArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    if args.merge.is_empty() && args.name.is_empty() {
        return Err(Failure::usage("there is nothing to edit")
            .hint("merge topics with `--merge 3,7`, name one with `--name 3=harbor`"));
    }
    let mut record = Record::read(&args.run)?;
    let fit = as_typed(args, &record.details);
    let input = PathBuf::from(&record.details.input.path);
    fit.outputs.check(&[&input])?;
    let before = Before::read(args, &record)?;
    let found = merged(&before.topics, &before.documents, &args.merge)
        .map_err(|error| Failure::usage(error.to_string()).hint("topics.csv lists the topics and their numbers"))?;
    let names = names(args, &record.details, &found)?;
    let corpus =
        while_working(args.quiet, format!("reading {}", shown_path(&input)), || before.corpus(&input, &fit, args))?;

    let Merged { topics, documents, origins } = found;
    let mut model = Model::of(topics, documents);
    model.words = before.words(&corpus, &input)?;
    model.anchors = pick(&record.search.anchors, &origins);
    model.scores = pick(&record.search.scores, &origins);
    model.given = vec![false; model.anchors.len()];
    (model.tried, model.sweep) = (record.details.tried.clone(), record.details.sweep.clone());
    model.minimum_documents = match record.details.settings.model.minimum_documents {
        Some(Limit::Count(documents)) => documents,
        _ => 1,
    };
    model.searched_words = record.details.searched_words;
    let shown = shown(&before, &record.details, &model, &origins);
    let labels = corpus.label_numbers();
    let (quality, c_v_by) = while_working(args.quiet, "measuring the topics".into(), || {
        let mut quality = Quality::of_shown(&corpus.counts, labels.as_deref(), &model, shown);
        let options = fit.reading.settings.options(before.tokens.clone());
        let c_v_by = measure_windows(&input, &options, &corpus, &model, &mut quality);
        (quality, c_v_by)
    });
    let outcome = Outcome { args: &fit, input: &input, corpus, model, quality, c_v_by, names };
    summary::edited(&mut record, &outcome, &args.edits());
    let kept: Vec<String> = record.files.iter().filter(|name| KEPT.contains(&name.as_str())).cloned().collect();
    let results = Results {
        folder: &|folder| {
            for name in &kept {
                let from = args.run.join(name);
                let bytes = fs::read(&from).map_err(|error| unreadable(&from, &error))?;
                folder.put(name, |path| merit_dataset::write_file_atomically(path, &bytes))?;
            }
            run_folder::write(folder, &outcome)
        },
        extra: None,
        page: &|record| topics_page::of(&outcome, record),
        words: &|record| in_words(&outcome, record),
        width: 8,
    };
    fit.outputs.finish(&[&input], record, &results)
}

/// Files that an edit does not change.
const KEPT: [&str; 3] = ["stop_words.txt", "phrases.txt", "trace.csv"];

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::data(format!("`{}` cannot be read: {error}", shown_path(path)))
}

/// What would be typed to run it again, but for the outputs: those of the edit. A page in the folder is made again.
fn as_typed(args: &TopicsEditArgs, details: &TopicsDetails) -> TopicsFitArgs {
    let outputs = OutputArgs {
        output: Some(args.output.clone().unwrap_or_else(|| args.run.clone())),
        force: args.force || args.output.is_none(),
        report: args.report.clone(),
        json: false,
        quiet: args.quiet,
    };
    TopicsFitArgs {
        input: Some(PathBuf::from(&details.input.path)),
        outputs,
        reading: untyped(details.settings.reading.clone()),
        tokens: untyped(details.tokens.clone()),
        flags: untyped(details.settings.model.clone()),
        threads: args.threads,
        pyldavis: None,
    }
}

/// The topics as they were.
struct Before {
    vocabulary: Vec<String>,
    topics: merit::DenseMatrix,
    documents: merit::DenseMatrix,
    tokens: corpus::Tokens,
}

impl Before {
    fn read(args: &TopicsEditArgs, record: &Record) -> Result<Self, Failure> {
        let (vocabulary, topics) = run_folder::topics(&args.run)?;
        let file = args.run.join("document_topics.npy");
        let documents = read_matrix(&file, &ReadOptions::default())?.matrix.into_dense().transposed();
        if documents.rows() != topics.rows() {
            return Err(run_folder::not_topics(&args.run));
        }
        Ok(Self { vocabulary, topics, documents, tokens: run_folder::tokens(&args.run, &record.details.tokens) })
    }

    /// The counts of the run, read again.
    fn corpus(&self, input: &Path, fit: &TopicsFitArgs, args: &TopicsEditArgs) -> Result<Corpus, Failure> {
        if is_standard_input(input) {
            return Err(Failure::data(format!(
                "the texts of `{}` came from the standard input, which is gone",
                shown_path(&args.run)
            ))
            .hint("make the run again from a file"));
        }
        let corpus = corpus::read(input, &fit.reading.settings.options(self.tokens.clone()))?;
        Ok(corpus.without_copies(fit.flags.settings.drop_duplicates, &Interrupt::never()))
    }

    /// The words of the topics among those of the corpus, if it is the one of the run.
    fn words(&self, corpus: &Corpus, input: &Path) -> Result<Vec<usize>, Failure> {
        let numbers: HashMap<&str, usize> =
            corpus.vocabulary.iter().enumerate().map(|(n, word)| (word.as_str(), n)).collect();
        let words: Option<Vec<usize>> =
            self.vocabulary.iter().map(|word| numbers.get(word.as_str()).copied()).collect();
        words.filter(|_| corpus.counts.rows() == self.documents.cols()).ok_or_else(|| {
            Failure::data(format!("`{}` is not what it was when the topics were found", shown_path(input)))
                .hint("make the run again with `merit topics`")
        })
    }
}

/// Of each topic what the largest of its parts had.
fn pick<T: Copy>(list: &[T], origins: &[Vec<usize>]) -> Vec<T> {
    if list.is_empty() { Vec::new() } else { origins.iter().map(|parts| list[parts[0]]).collect() }
}

/// The names that were given now or before, by the new numbers.
fn names(args: &TopicsEditArgs, details: &TopicsDetails, found: &Merged) -> Result<Vec<Option<String>>, Failure> {
    let last = details.topics.saturating_sub(1);
    let place = |topic: usize| found.origins.iter().position(|parts| parts.contains(&topic));
    let known = |parts: &Vec<usize>| parts.iter().find_map(|&k| details.topic_names.get(k).cloned().flatten());
    let mut names: Vec<Option<String>> = found.origins.iter().map(known).collect();
    for (topic, name) in &args.name {
        let place = place(*topic).ok_or_else(|| {
            Failure::usage(format!("`--name {topic}={name}`, but the topics are 0 to {last}"))
                .hint("topics.csv lists the topics and their numbers")
        })?;
        names[place] = Some(name.clone()).filter(|name| !name.is_empty());
    }
    Ok(names)
}

/// The words that are shown: as they were, and of merged topics the most telling.
fn shown(before: &Before, details: &TopicsDetails, model: &Model, origins: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let numbers: HashMap<&str, usize> =
        before.vocabulary.iter().enumerate().map(|(n, word)| (word.as_str(), n)).collect();
    let mut shown = telling_words(&model.topics, &marginal(&model.topics, &sizes(&model.documents)), SHOWN_WORDS);
    for (own, parts) in shown.iter_mut().zip(origins) {
        if let (&[k], true) = (&parts[..], details.top_words.len() == before.topics.rows()) {
            *own = details.top_words[k].iter().filter_map(|word| numbers.get(word.as_str()).copied()).collect();
        }
    }
    shown
}
