//! `merit topics`: texts or counts to topics, and `merit topics apply`: the topics of new texts.

use super::topics_files::{self, Quality};
use super::{Outputs, topics_page, use_threads};
use crate::args::{
    SamplesName, SwitchName, TopicMethodName, TopicsApplyArgs, TopicsArgs, TopicsCommand, TopicsFitArgs,
};
use crate::failure::Failure;
use crate::output::{bytes, print, table};
use crate::progress::{Reporter, catch_interrupts, say};
use merit::methods::fast_gradient;
use merit::solver::Settings;
use merit_dataset::{OutputFolder, ReadOptions, check_file, read as read_matrix, write_file_atomically, write_npy};
use merit_linalg::memory::peak_rss_bytes;
use merit_topics::corpus::{self, Source, StopWords, Tokens, for_each_text};
use merit_topics::model::{self, Method, Model, Request, document_weights};
use merit_topics::{Corpus, Error, lda};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Letters of a document that the page shows.
const EXCERPT: usize = 200;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let told = if error.is_usage() { Self::usage(error.to_string()) } else { Self::data(error.to_string()) };
        match error.hint() {
            Some(hint) => told.hint(hint),
            None => told,
        }
    }
}

pub fn run(args: &TopicsArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        Some(TopicsCommand::Apply(args)) => apply(args),
        None => fit(&args.fit),
    }
}

fn fit(args: &TopicsFitArgs) -> Result<ExitCode, Failure> {
    let input = args.input.as_deref().expect("the command line asks for it");
    use_threads(args.threads)?;
    Outputs::new(&args.output, args.force, &args.report).check()?;
    if let Some(path) = &args.pyldavis {
        check_file(path)?;
    }
    let clock = Instant::now();
    let options = read_options(args)?;
    let corpus = corpus::read(input, &options)?;
    let mut seconds = vec![("read".to_string(), clock.elapsed().as_secs_f64())];
    let request = request(args, &corpus)?;
    catch_interrupts();
    let steps = match args.method {
        TopicMethodName::FastGradient => args.gradient_steps,
        _ => args.iterations,
    };
    let mut reporter = Reporter::new(args.quiet, corpus.counts.cols(), steps);
    let model = model::fit(&corpus.counts, &request, &mut reporter)?;
    drop(reporter);
    seconds.extend(model.seconds.iter().map(|&(name, seconds)| (name.to_string(), seconds)));

    let clock = Instant::now();
    let quality = Quality::of(&corpus, &model, args.seed);
    seconds.push(("metrics".into(), clock.elapsed().as_secs_f64()));
    let clock = Instant::now();
    let folder = args.output.as_deref().map(|path| OutputFolder::create(path, args.force)).transpose()?;
    if let Some(folder) = &folder {
        topics_files::write(folder, &corpus, &model, &quality)?;
        topics_files::write_stop_words(folder, &options.tokens.stop_words)?;
    }
    if let Some(path) = &args.pyldavis {
        write_file_atomically(path, topics_files::pyldavis(&corpus, &model).as_bytes())?;
    }
    let notes = notes(&corpus, &model);
    if let Some(path) = &args.report {
        let page = topics_page::of(args, &corpus, &model, &quality, &notes, &seconds);
        let inside = folder.as_ref().and_then(|folder| {
            Some(folder.file(Outputs::new(&args.output, args.force, &args.report).page_in_folder()?))
        });
        write_file_atomically(inside.as_deref().unwrap_or(path), page.as_bytes())?;
    }
    seconds.push(("write".into(), clock.elapsed().as_secs_f64()));
    let json = topics_files::summary(args, &corpus, &model, &quality, &notes, &seconds);
    if let Some(folder) = folder {
        std::fs::write(folder.file("run.json"), &json)
            .map_err(|error| Failure::data(format!("`run.json` cannot be written: {error}")))?;
        folder.commit()?;
    }
    if args.json {
        print(&json);
    }
    if !args.quiet {
        notes.iter().for_each(|note| say(&format!("note: {note}")));
        if !args.json {
            print(&in_words(args, &corpus, &model, &quality, &seconds));
        }
    }
    Ok(ExitCode::from(if model.interrupted { 130 } else { 0 }))
}

fn read_options(args: &TopicsFitArgs) -> Result<corpus::ReadOptions, Failure> {
    let tokens = Tokens {
        minimum_length: args.min_length,
        stop_words: StopWords::named(&args.stop_words)?,
        stem: args.stem.clone(),
        ngrams: args.ngrams,
        minimum_df: args.min_df,
        maximum_df: args.max_df,
        maximum_vocabulary: args.max_vocabulary,
        excerpt: if args.report.is_some() { EXCERPT } else { 0 },
    };
    tokens.splitter()?; // a language that is not there is told before the texts are read
    Ok(corpus::ReadOptions {
        tokens,
        source: Source { text: args.text_field.clone(), label: args.label_field.clone() },
        vocabulary: args.vocabulary.clone(),
        documents_are_columns: args.documents == SamplesName::Columns,
        variable: args.variable.clone(),
        trial: args.trial.clone(),
    })
}

fn request(args: &TopicsFitArgs, corpus: &Corpus) -> Result<Request, Failure> {
    let number: HashMap<&str, usize> =
        corpus.vocabulary.iter().enumerate().map(|(n, word)| (word.as_str(), n)).collect();
    let words = |option: &str, list: &[String]| -> Result<Vec<usize>, Failure> {
        let find = |word: &String| {
            number.get(word.trim()).or_else(|| number.get(word.trim().to_lowercase().as_str())).copied().ok_or_else(|| {
                Failure::usage(format!("`{option} {word}`, but the vocabulary of {} words does not have it", number.len()))
                    .hint("rare, frequent, short and stop words are left out: see `--min-df`, `--max-df`, `--min-length`, `--stop-words`")
            })
        };
        list.iter().map(find).collect()
    };
    let method = match args.method {
        TopicMethodName::Merit => Method::Merit,
        TopicMethodName::Spa => Method::Spa,
        TopicMethodName::Xray => Method::Xray,
        TopicMethodName::FastAnchor => {
            let minimum_documents = (args.minimum_documents.of(corpus.counts.rows()).ceil() as usize).max(1);
            Method::FastAnchor { minimum_documents }
        }
        TopicMethodName::FastGradient => {
            Method::FastGradient(fast_gradient::Options { steps: args.gradient_steps, seed: args.seed })
        }
        TopicMethodName::Lda => Method::Lda(lda::Options {
            alpha: args.alpha,
            beta: args.beta,
            burn_in: args.burn_in,
            samples: args.samples,
            seed: args.seed,
            ..Default::default()
        }),
    };
    let (anchors, forbidden) = (words("--anchors", &args.anchors)?, words("--forbid", &args.forbid)?);
    if args.method == TopicMethodName::Lda && !(anchors.is_empty() && forbidden.is_empty()) {
        return Err(Failure::usage("`--method lda` has no anchors, so `--anchors` and `--forbid` mean nothing to it"));
    }
    if let Some(both) = args.anchors.iter().find(|word| args.forbid.contains(word)) {
        return Err(Failure::usage(format!("`{both}` is both in `--anchors` and in `--forbid`")));
    }
    let defaults = Request::default();
    Ok(Request {
        topics: args.topics,
        method,
        solver: Settings {
            regularization: args.regularization,
            smoothing: args.smoothing,
            iterations: args.iterations,
            gap_tolerance: Some(args.gap_tolerance),
            ..Settings::default()
        },
        merge_duplicates: defaults.merge_duplicates.filter(|_| args.merge_duplicates == SwitchName::On),
        anchors,
        forbidden,
        seed: args.seed,
        ..defaults
    })
}

/// What the user should know.
fn notes(corpus: &Corpus, model: &Model) -> Vec<String> {
    let facts = &corpus.facts;
    let mut notes = Vec::new();
    let mut tell = |count: usize, text: &str| {
        if count > 0 {
            notes.push(format!("{count} {text}"));
        }
    };
    tell(facts.not_utf8, "documents held bytes that are not UTF-8; these were replaced");
    tell(facts.binary_files, "files hold binary data and were left out");
    tell(facts.other_files, "files are not .txt and were left out");
    tell(facts.empty_documents, "documents have no word of the vocabulary: their weights are 0");
    tell(corpus.vocabulary.len() - model.words.len(), "words are in every document, or in none, and were left out");
    notes.extend(model.notes.iter().cloned());
    notes
}

/// The summary for people.
fn in_words(
    args: &TopicsFitArgs,
    corpus: &Corpus,
    model: &Model,
    quality: &Quality,
    seconds: &[(String, f64)],
) -> String {
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
        let words: Vec<&str> = top.iter().take(8).map(|&n| quality.word(corpus, model, n)).collect();
        let anchor = model.anchors.get(k).map_or("-", |&n| quality.word(corpus, model, n));
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
    let total: f64 = seconds.iter().map(|(_, seconds)| seconds).sum();
    text += &format!("\n{total:.1} s, peak memory {}\n", peak_rss_bytes().map_or("unknown".into(), bytes));
    for (what, path) in [("written", &args.output), ("report ", &args.report), ("pyLDAvis", &args.pyldavis)] {
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

/// The weights of new texts: their words counted as the run's were, and fitted to its topics.
fn apply(args: &TopicsApplyArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    args.output.as_deref().map(check_file).transpose()?;
    let not_topics = || {
        Failure::data(format!("`{}` is not a run of `merit topics`", args.run.display()))
            .hint("make one with `merit topics INPUT --output DIR`")
    };
    let run: Value = super::evaluate::json_file(&args.run, "run.json").map_err(|_| not_topics())?;
    let tokens = &run["tokens"];
    let kept = std::fs::read_to_string(args.run.join("vocabulary.txt")).map_err(|_| not_topics())?;
    let vocabulary: HashMap<&str, u32> = kept.lines().enumerate().map(|(n, word)| (word, n as u32)).collect();
    let topics = topics_files::dense(read_matrix(&args.run.join("topic_words.npz"), &ReadOptions::default())?.matrix);
    if topics.cols() != kept.lines().count() || !tokens.is_object() {
        return Err(not_topics());
    }
    let stop_words = match std::fs::read_to_string(args.run.join("stop_words.txt")) {
        Ok(list) => StopWords::of("run", list.lines().map(String::from)),
        Err(_) => StopWords::none(),
    };
    let whole = |key: &str, default: u64| tokens[key].as_u64().unwrap_or(default) as usize;
    let tokens = Tokens {
        minimum_length: whole("min_length", 3),
        stop_words,
        stem: tokens["stem"].as_str().map(String::from),
        ngrams: whole("ngrams", 1),
        ..Default::default()
    };
    let text = args.text_field.clone().or_else(|| run["settings"]["text_field"].as_str().map(String::from));
    let splitter = tokens.splitter()?;
    if !args.input.exists() {
        return Err(Error::NotFound { path: args.input.clone() }.into());
    }
    let (mut triplets, mut names, mut unknown) = (Vec::new(), Vec::new(), 0usize);
    let told = for_each_text(&args.input, &Source { text, label: None }, &mut |name, text, _| {
        let (document, before) = (names.len() as u32, triplets.len());
        splitter.words(text, &mut |word| {
            if let Some(&n) = vocabulary.get(word) {
                triplets.push((document, n, 1.0));
            }
        });
        unknown += usize::from(triplets.len() == before);
        names.push(name.to_string());
    })?;
    if names.is_empty() {
        return Err(Error::NoDocuments { path: args.input.clone() }.into());
    }
    let counts = merit::SparseMatrix::from_triplets(names.len(), topics.cols(), triplets);
    let weights = document_weights(&topics, &counts);
    let by_document = weights.transposed();
    match &args.output {
        Some(path) if path.extension().is_some_and(|extension| extension == "npy") => write_npy(path, &by_document)?,
        Some(path) => write_file_atomically(path, topics_files::document_csv(&names, None, &weights).as_bytes())?,
        None => print(&topics_files::document_csv(&names, None, &weights)),
    }
    if !args.quiet {
        if unknown > 0 {
            say(&format!(
                "note: {unknown} of {} documents have no word that the topics know: their weights are 0",
                names.len()
            ));
        }
        if told.not_utf8 > 0 {
            say(&format!("note: {} documents held bytes that are not UTF-8; these were replaced", told.not_utf8));
        }
    }
    Ok(ExitCode::SUCCESS)
}
