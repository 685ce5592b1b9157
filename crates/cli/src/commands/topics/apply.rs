//! `merit topics apply`: the weights of new documents. Their words are counted as the run's were, and fitted to its topics.

use super::{Record, run_folder};
use crate::ExitCode;
use crate::args::TopicsApplyArgs;
use crate::commands::use_threads;
use crate::failure::Failure;
use crate::output_folder::check_not_input;
use crate::progress::{say, while_working};
use crate::terminal::print_data;
use merit::progress::Interrupt;
use merit::{DenseMatrix, SparseMatrix};
use merit_dataset::limits::Room;
use merit_dataset::shown::shown_path;
use merit_dataset::strings::Names;
use merit_dataset::text::is_standard_input;
use merit_dataset::{FileError, ReadOptions, check_file, read as read_matrix, write_file_atomically, write_npy};
use merit_topics::Error;
use merit_topics::corpus::{self, Phrases, Source, StopWords, Tokens, Told, for_each_text};
use merit_topics::likelihood::proportions;
use merit_topics::settings::{Documents, Reading, TokenSettings};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

pub fn run(args: &TopicsApplyArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    if let Some(path) = &args.output {
        let given = [&args.vocabulary, &args.trial].into_iter().flatten().map(PathBuf::as_path);
        let inputs: Vec<&Path> = given.chain([args.input.as_path()]).collect();
        check_not_input(path, &inputs)?;
        if path.is_file() && !args.force {
            return Err(Failure::usage(format!("`{}` exists", shown_path(path))).hint("replace it with `--force`"));
        }
        check_file(path)?;
    }
    let model = Model::read(args)?;
    if !is_standard_input(&args.input) && !args.input.exists() {
        return Err(FileError::NotFound { at: args.input.as_path().into() }.into());
    }
    let counted = while_working(args.quiet, format!("reading {}", args.input.display()), || {
        if corpus::is_counts(&args.input) { model.counts(args) } else { model.texts(args) }
    })?;
    let working = "finding the topics of the documents".to_string();
    let weights =
        while_working(args.quiet, working, || proportions(&model.topics, &counted.counts, &Interrupt::never()));
    match &args.output {
        Some(path) if path.extension().is_some_and(|extension| extension == "npy") => {
            write_npy(path, &weights.transposed())?
        }
        Some(path) => write_file_atomically(path, run_folder::document_csv(&counted.names, None, &weights).as_bytes())?,
        None => print_data(&run_folder::document_csv(&counted.names, None, &weights))?,
    }
    if !args.quiet {
        let unknown = counted.without_words();
        let note = |count: usize, text: String| {
            if count > 0 {
                say(&format!("note: {count} {text}"))
            }
        };
        note(
            unknown,
            format!("of {} documents have no word that the topics know: their shares are 0", counted.names.len()),
        );
        note(counted.reading.not_utf8, "documents held bytes that are not UTF-8; these were replaced".into());
        note(counted.reading.western, "documents are not UTF-8 and were read as Windows-1252 (Latin-1)".into());
        note(counted.reading.binary_files, "files hold binary data and were left out".into());
        note(counted.reading.other_files, "files are not .txt and were left out".into());
        note(counted.reading.links, "links lead to folders or documents read already and were not followed".into());
        note(counted.reading.special_files, "files are pipes, devices or broken links and were left out".into());
    }
    Ok(ExitCode::SUCCESS)
}

/// What a run folder says about its topics.
struct Model {
    settings: Reading,
    vocabulary: Vec<String>,
    topics: DenseMatrix,
    tokens: Tokens,
}

/// New documents in the words of the run.
struct Counted {
    counts: SparseMatrix,
    names: Names,
    reading: Told,
}

impl Counted {
    fn without_words(&self) -> usize {
        let by_document = self.counts.transposed();
        (0..by_document.cols()).filter(|&d| by_document.col(d).0.is_empty()).count()
    }
}

impl Model {
    fn read(args: &TopicsApplyArgs) -> Result<Self, Failure> {
        let not_topics = || {
            Failure::data(format!("`{}` is not a run of `merit topics`", args.run.display()))
                .hint("make one with `merit topics INPUT --output DIR`")
        };
        let run = Record::read(&args.run)?;
        let kept = fs::read_to_string(args.run.join("vocabulary.txt")).map_err(|_| not_topics())?;
        let vocabulary: Vec<String> = kept.lines().map(String::from).collect();
        let file = args.run.join("topic_words.npz");
        let topics = read_matrix(&file, &ReadOptions::default())?.matrix.into_dense();
        if topics.cols() != vocabulary.len() {
            return Err(not_topics());
        }
        let TokenSettings { min_length, stem, ngrams, stop_words, .. } = run.details.tokens;
        let list = |name: &str| fs::read_to_string(args.run.join(name)).ok();
        let words = list("stop_words.txt").unwrap_or_default();
        let stop_words = StopWords::of(&stop_words.to_string_lossy(), words.lines().map(String::from));
        let phrases = match list("phrases.txt") {
            Some(list) => Phrases::of(list.lines().map(String::from)),
            None => Phrases::None,
        };
        let tokens = Tokens { minimum_length: min_length, stop_words, stem, ngrams, phrases, ..Default::default() };
        Ok(Self { settings: run.details.settings.reading, vocabulary, topics, tokens })
    }

    fn numbers(&self) -> HashMap<&str, u32> {
        self.vocabulary.iter().enumerate().map(|(n, word)| (word.as_str(), n as u32)).collect()
    }

    fn texts(&self, args: &TopicsApplyArgs) -> Result<Counted, Failure> {
        let own = Reading {
            text_field: args.text_field.clone().or_else(|| self.settings.text_field.clone()),
            name_field: args.name_field.clone(),
            separator: args.separator.or(self.settings.separator),
            encoding: args.encoding.or(self.settings.encoding),
            ..Default::default()
        };
        let source: Source = own.source();
        let (splitter, numbers) = (self.tokens.splitter()?, self.numbers());
        let (mut triplets, mut names, room) = (Vec::new(), Names::default(), Room::of(&args.input));
        let reading = for_each_text(&args.input, &source, &mut |found| {
            let document = names.len() as u32;
            splitter.words(found.text, &mut |word| {
                if let Some(&n) = numbers.get(word) {
                    triplets.push((document, n, 1.0));
                }
            });
            names.push(found.name);
            Ok(room.check(48 * triplets.len() as u64)?) // in a vector that doubles, and as a matrix
        })?;
        if names.is_empty() {
            return Err(Error::NoDocuments { path: args.input.clone() }.into());
        }
        let counts = SparseMatrix::from_triplets(names.len(), self.vocabulary.len(), triplets);
        Ok(Counted { counts, names, reading })
    }

    /// Counts, whose words are found by their names: their order, and words that the run left out, do not matter.
    fn counts(&self, args: &TopicsApplyArgs) -> Result<Counted, Failure> {
        let columns = args.documents.unwrap_or(self.settings.documents) == Documents::Columns;
        let before = || self.settings.vocabulary.clone().filter(|file| file.is_file());
        let options = corpus::ReadOptions {
            vocabulary: args.vocabulary.clone().or_else(before),
            documents_are_columns: columns,
            variable: args.variable.clone().or_else(|| self.settings.variable.clone()),
            trial: args.trial.clone(),
            ..Default::default()
        };
        let corpus = corpus::read(&args.input, &options)?;
        let numbers = self.numbers();
        let mut triplets = Vec::new();
        for (own, word) in corpus.vocabulary.iter().enumerate() {
            if let Some(&n) = numbers.get(word.as_str()) {
                let (documents, values) = corpus.counts.col(own);
                triplets.extend(documents.iter().zip(values).map(|(&d, &count)| (d, n, count)));
            }
        }
        let counts = SparseMatrix::from_triplets(corpus.counts.rows(), self.vocabulary.len(), triplets);
        Ok(Counted { counts, names: corpus.names, reading: Told::default() })
    }
}
