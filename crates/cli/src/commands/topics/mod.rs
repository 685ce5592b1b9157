//! `merit topics`: texts or counts to topics, and `merit topics apply`: the topics of new texts.

mod apply;
mod pyldavis;
mod run_folder;
mod summary;
mod topics_page;

use super::use_threads;
use crate::args::{SamplesName, SwitchName, TopicMethodName, TopicsArgs, TopicsCommand, TopicsFitArgs};
use crate::failure::Failure;
use crate::hints::{topics_hint, typed};
use crate::progress::{Reporter, while_working};
use merit::methods::fast_gradient;
use merit::solver::Settings;
use merit_dataset::{check_file, write_file_atomically};
use merit_topics::corpus::{self, Source, StopWords, Tokens};
use merit_topics::model::{self, Method, Model, Request};
use merit_topics::quality::{self, Clustered, Quality};
use merit_topics::{Corpus, Error, lda};
use std::collections::HashMap;
use std::process::ExitCode;
use std::time::Instant;

/// Letters of a document that the page shows.
const EXCERPT: usize = 180;

/// Everything a run knows, for the folder, the page and the words.
struct Outcome<'a> {
    args: &'a TopicsFitArgs,
    corpus: Corpus,
    model: Model,
    quality: Quality,
    notes: Vec<String>,
    seconds: Vec<(String, f64)>,
}

impl Outcome<'_> {
    /// A word, by its index among those of the model.
    fn word(&self, n: usize) -> &str {
        &self.corpus.vocabulary[self.model.words[n]]
    }

    fn total_seconds(&self) -> f64 {
        self.seconds.iter().map(|(_, seconds)| seconds).sum()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let told = if error.is_usage() { Self::usage(error.to_string()) } else { Self::data(error.to_string()) };
        match topics_hint(&error) {
            Some(hint) => told.hint(hint),
            None => told,
        }
    }
}

pub fn run(args: &TopicsArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        Some(TopicsCommand::Apply(args)) => apply::run(args),
        None => fit(&args.fit),
    }
}

fn fit(args: &TopicsFitArgs) -> Result<ExitCode, Failure> {
    let input = args.input.as_deref().expect("the command line asks for it");
    use_threads(args.threads)?;
    args.outputs.check()?;
    if let Some(path) = &args.pyldavis {
        check_file(path)?;
    }
    let clock = Instant::now();
    let options = read_options(args)?;
    let reading = format!("reading {}", input.display());
    let corpus = while_working(args.outputs.quiet, reading, || corpus::read(input, &options))?;
    let mut seconds = vec![("read".to_string(), clock.elapsed().as_secs_f64())];
    let request = request(args, &corpus)?;
    let steps = match request.method {
        Method::FastGradient(options) => options.steps,
        Method::Lda(options) => options.sweeps(),
        _ => args.iterations,
    };
    let mut reporter = Reporter::new(args.outputs.quiet, corpus.counts.cols(), steps);
    let model = model::fit(&corpus.counts, &request, &mut reporter)?;
    drop(reporter);
    seconds.extend(model.seconds.iter().map(|&(name, seconds)| (name.to_string(), seconds)));

    let clock = Instant::now();
    let runs = quality::usual_clusterings(corpus.counts.rows());
    let clustering = quality::Options { runs, clustered: Clustered::Weights, seed: args.seed };
    let quality = Quality::of(&corpus.counts, corpus.label_numbers().as_deref(), &model, &clustering);
    seconds.push(("metrics".into(), clock.elapsed().as_secs_f64()));
    let clock = Instant::now();
    let notes = notes(&corpus, &model);
    let mut outcome = Outcome { args, corpus, model, quality, notes, seconds };
    let folder = args.outputs.folder()?;
    if let Some(folder) = &folder {
        run_folder::write(folder, &outcome)?;
        run_folder::write_stop_words(folder, &options.tokens.stop_words)?;
    }
    if let Some(path) = &args.pyldavis {
        write_file_atomically(path, pyldavis::json_text(&outcome.corpus, &outcome.model).as_bytes())?;
    }
    args.outputs.write_page(folder.as_ref(), || topics_page::of(&outcome))?;
    outcome.seconds.push(("write".into(), clock.elapsed().as_secs_f64()));
    args.outputs.finish(folder, &summary::json_text(&outcome), &outcome.notes, || summary::in_words(&outcome))?;
    Ok(ExitCode::from(if outcome.model.interrupted { 130 } else { 0 }))
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
    };
    tokens.splitter()?; // a language that is not there is told before the texts are read
    Ok(corpus::ReadOptions {
        tokens,
        source: Source {
            text: args.text_field.clone(),
            label: args.label_field.clone(),
            name: args.name_field.clone(),
        },
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
        TopicMethodName::FastAnchor => Method::FastAnchor,
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
        minimum_documents: args.minimum_documents.map(|limit| (limit.of(corpus.counts.rows()).ceil() as usize).max(1)),
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
    let mut tell = |count: usize, one: &str, many: &str, rest: &str| {
        if count > 0 {
            notes.push(format!("{count} {} {rest}", if count == 1 { one } else { many }));
        }
    };
    tell(facts.not_utf8, "document", "documents", "held bytes that are not UTF-8; these were replaced");
    tell(facts.binary_files, "file holds binary data and was", "files hold binary data and were", "left out");
    tell(facts.other_files, "file is not .txt and was", "files are not .txt and were", "left out");
    let rest = "the name of an earlier one; lines are in the order of the input";
    tell(facts.repeated_names, "document has", "documents have", rest);
    let (one, many) =
        ("document has no word of the vocabulary: its", "documents have no word of the vocabulary: their");
    tell(facts.empty_documents, one, many, "weights are 0");
    let left_out = corpus.vocabulary.len() - model.words.len();
    tell(
        left_out,
        "word is in every document, or in none, and was",
        "words are in every document, or in none, and were",
        "left out",
    );
    notes.extend(model.notes.iter().map(|note| typed(note)));
    notes
}
