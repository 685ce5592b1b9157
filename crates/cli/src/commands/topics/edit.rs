//! `merit topics edit`: topics of a finished run merged, named and anchored by hand, without a new search.
//!
//! The counts are read again, for the topics of other anchors, the measures and the page; they must be those of the run.

use super::{Outcome, Record, in_words, measure_windows, run_folder, summary, topics_page};
use crate::ExitCode;
use crate::args::{OutputArgs, TopicsEditArgs, TopicsFitArgs};
use crate::commands::run_outputs::Results;
use crate::commands::use_threads;
use crate::failure::Failure;
use crate::progress::{Reporter, while_working};
use crate::record::TopicsDetails;
use crate::runs::untyped;
use merit::DenseMatrix;
use merit::progress::Interrupt;
use merit_dataset::shown::shown_path;
use merit_dataset::text::is_standard_input;
use merit_dataset::{ReadOptions, read as read_matrix};
use merit_topics::corpus::{self, Limit};
use merit_topics::edit::{Before, Edited, edited};
use merit_topics::model::Model;
use merit_topics::quality::Quality;
use merit_topics::{Corpus, Error};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

pub fn run(args: &TopicsEditArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let edits = args.edits();
    let mut record = Record::read(&args.run)?;
    edits.check(record.details.topics, &record.details.edits).map_err(Error::from)?;
    let fit = as_typed(args, &record.details);
    let input = PathBuf::from(&record.details.input.path);
    fit.outputs.check(&[&input])?;
    let files = Files::read(args, &record)?;
    let corpus =
        while_working(args.quiet, format!("reading {}", shown_path(&input)), || files.corpus(&input, &fit, args))?;
    let (model, shown) = files.model(&corpus, &record, &input)?;
    let before =
        Before { model: &model, shown: &shown, names: &record.details.topic_names, history: &record.details.edits };
    let mut reporter = Reporter::new(args.quiet, corpus.counts.cols());
    let found = edited(&before, &corpus, &edits, &record.details.settings.model, &mut reporter)?;
    drop(reporter);

    let Edited { model, shown, names } = found;
    let labels = corpus.label_numbers();
    let (quality, c_v_by) = while_working(args.quiet, "measuring the topics".into(), || {
        let mut quality = Quality::of_shown(&corpus.counts, labels.as_deref(), &model, shown);
        let options = fit.reading.settings.options(files.tokens.clone());
        let c_v_by = measure_windows(&input, &options, &corpus, &model, &mut quality);
        (quality, c_v_by)
    });
    let corpus = corpus.into();
    let outcome = Outcome { args: &fit, input: &input, corpus, model, quality, c_v_by, names };
    summary::edited(&mut record, &outcome, &edits);
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

/// What would be typed to run it again, except for the outputs: those of the edit. A page in the folder is made again.
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
        checkpoint: Default::default(),
        outputs,
        reading: untyped(details.settings.reading.clone()),
        tokens: untyped(details.tokens.clone()),
        flags: untyped(details.settings.model.clone()),
        threads: args.threads,
        pyldavis: None,
    }
}

/// The topics as they were, from the files of the run.
struct Files {
    vocabulary: Vec<String>,
    topics: DenseMatrix,
    documents: DenseMatrix,
    tokens: corpus::Tokens,
}

impl Files {
    fn read(args: &TopicsEditArgs, record: &Record) -> Result<Self, Failure> {
        let (vocabulary, topics) = run_folder::topics(&args.run)?;
        let file = args.run.join("document_topics.npy");
        let documents = read_matrix(&file, &ReadOptions::default())?.matrix.into_dense().transposed();
        if documents.rows() != topics.rows() || topics.rows() != record.details.topics {
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

    /// The model of the run, and the words of its topics that are shown, if the corpus is what it was.
    fn model(&self, corpus: &Corpus, record: &Record, input: &Path) -> Result<(Model, Vec<Vec<usize>>), Failure> {
        let (details, search) = (&record.details, &record.search);
        let numbered = |words: &[String]| -> HashMap<String, usize> {
            words.iter().cloned().enumerate().map(|(n, word)| (word, n)).collect()
        };
        let (columns, places) = (numbered(&corpus.vocabulary), numbered(&self.vocabulary));
        let words: Option<Vec<usize>> = self.vocabulary.iter().map(|word| columns.get(word).copied()).collect();
        let same = corpus.counts.rows() == self.documents.cols() && corpus.counts.nnz() == details.input.stored_values;
        let words = words.filter(|_| same).ok_or_else(|| {
            Failure::data(format!("`{}` is not what it was when the topics were found", shown_path(input)))
                .hint("make the run again with `merit topics`")
        })?;
        let mut model = Model::of(self.topics.clone(), self.documents.clone());
        model.words = words;
        let settings = &details.settings.model;
        if [search.anchors.len(), search.scores.len(), details.anchor_words.len()] == [details.topics; 3] {
            (model.anchors, model.scores) = (search.anchors.clone(), search.scores.clone());
            let given =
                |word: &String| settings.anchors.iter().any(|one| one.trim().to_lowercase() == word.to_lowercase());
            model.given = details.anchor_words.iter().map(given).collect();
        }
        (model.tried, model.sweep) = (details.tried.clone(), details.sweep.clone());
        (model.refinements, model.searched_words) = (details.refinements, details.searched_words);
        if let Some(Limit::Count(documents)) = settings.minimum_documents {
            model.minimum_documents = documents;
        }
        let shown = |list: &Vec<String>| list.iter().filter_map(|word| places.get(word).copied()).collect();
        Ok((model, details.top_words.iter().map(shown).collect()))
    }
}
