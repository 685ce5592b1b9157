//! `merit topics`: texts or counts to topics, and `merit topics apply`: the topics of new texts.

mod apply;
mod edit;
mod evaluate;
pub mod pyldavis;
mod run_folder;
pub mod summary;
pub mod topics_page;

pub use evaluate::evaluate;
use summary::in_words;

use super::run_outputs::Results;
use super::{checkpoint, use_threads};
use crate::ExitCode;
use crate::args::{TopicsArgs, TopicsCommand, TopicsFitArgs};
use crate::failure::Failure;
use crate::hints::{topics_failure, typed};
use crate::interrupt::interrupted;
use crate::output_folder::check_not_input;
use crate::progress::{Reporter, while_working};
use crate::ranks::{is_first, only_one, together};
use crate::record::{RunRecord, TopicsDetails};
use merit::progress::Interrupt;
use merit_dataset::check_file;
use merit_dataset::text::is_standard_input;
use merit_linalg::numbers::fingerprint_of_sparse;
use merit_topics::coherence::{Together, WINDOW, Windows};
use merit_topics::corpus::{self, Facts};
use merit_topics::model::{self, Model};
use merit_topics::quality::{Quality, measured};
use merit_topics::times::{OverTime, check_times, over_time};
use merit_topics::{AnchorWords, Corpus, Error};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Letters of a document that the page shows.
const EXCERPT: usize = 180;

/// What `run.json` of `merit topics` is.
pub type Record = RunRecord<TopicsDetails>;

/// Everything a run knows, for the folder, the page and the words.
pub struct Outcome<'a> {
    pub args: &'a TopicsFitArgs,
    pub input: &'a Path,
    pub corpus: Arc<Corpus>,
    pub model: Model,
    pub quality: Quality,
    /// What c_v counted.
    pub c_v_by: &'static str,
    /// Names of the topics, given by a person; none, or one for each.
    pub names: Vec<Option<String>>,
}

impl Outcome<'_> {
    /// A word, by its index among those of the model.
    fn word(&self, n: usize) -> &str {
        &self.corpus.vocabulary[self.model.words[n]]
    }

    /// Shares over time, where documents have dates.
    fn over_time(&self) -> Option<OverTime> {
        over_time(self.corpus.times.as_ref()?, &self.model.documents).ok()
    }

    /// The name that a person gave topic `k`.
    fn name(&self, k: usize) -> Option<&str> {
        self.names.get(k)?.as_deref()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        topics_failure(error)
    }
}

pub fn run(args: &TopicsArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        Some(TopicsCommand::Apply(args)) => only_one().and_then(|()| apply::run(args)),
        Some(TopicsCommand::Edit(args)) => only_one().and_then(|()| edit::run(args)),
        None => fit(&args.fit),
    }
}

/// The texts, and the words that are to be anchors.
fn read_corpus(
    args: &TopicsFitArgs,
    input: &Path,
    inputs: &[&Path],
    options: &corpus::ReadOptions,
) -> Result<(Corpus, AnchorWords), Failure> {
    let settings = &args.flags.settings;
    args.outputs.check(inputs)?;
    if let Some(path) = args.pyldavis.as_ref().filter(|_| is_first()) {
        check_not_input(path, inputs)?;
        check_file(path)?;
    }
    let reading = format!("reading {}", input.display());
    let corpus = while_working(args.outputs.quiet, reading, || corpus::read(input, options))?;
    let corpus = while_working(args.outputs.quiet, "looking for copies".into(), || {
        corpus.without_copies(settings.drop_duplicates, &Interrupt::never()) // Ctrl-C ends at once: there is no result yet
    });
    if let Some(times) = &corpus.times {
        check_times(times, |d| Error::NotATime {
            path: input.into(),
            name: corpus.names.get(d).into_owned(),
            found: times[d].clone(),
        })?;
    }
    let chosen = AnchorWords::find(settings, &corpus.vocabulary)?;
    Ok((corpus, chosen))
}

fn fit(args: &TopicsFitArgs) -> Result<ExitCode, Failure> {
    let input = args.input.as_deref().expect("the command line asks for it");
    let settings = &args.flags.settings;
    use_threads(args.threads)?;
    let reading = &args.reading.settings;
    let given = [&reading.vocabulary, &reading.trial].into_iter().flatten().map(PathBuf::as_path);
    let stop_words = args.tokens.settings.stop_words.as_path(); // or the name of a list, where no file is
    let inputs: Vec<&Path> = [input, stop_words].into_iter().chain(given).collect();
    let clock = Instant::now();
    let options = reading.options(args.tokens.settings.tokens()?);
    let (corpus, chosen) = together(read_corpus(args, input, &inputs, &options))?;
    let read_seconds = clock.elapsed().as_secs_f64();
    let data = || fingerprint_of_sparse(&corpus.counts);
    let checkpoint = together(args.checkpoint.open("topics", data, settings))?;
    let mut reporter = Reporter::new(args.outputs.quiet, corpus.counts.cols()).keeping(checkpoint);
    let model = model::fit(&corpus.counts, settings, &chosen, &mut reporter);
    let checkpoint = reporter.into_checkpoint();
    if let Some(code) = checkpoint::ended_by_system(checkpoint.as_ref()) {
        return Ok(code);
    }
    let model = model?;

    let clock = Instant::now();
    let (quality, c_v_by) = while_working(args.outputs.quiet, "measuring the topics".into(), || {
        let mut quality = Quality::of(&corpus.counts, corpus.label_numbers().as_deref(), &model);
        let c_v_by = measure_windows(input, &options, &corpus, &model, &mut quality);
        (quality, c_v_by)
    });
    let metrics_seconds = clock.elapsed().as_secs_f64();
    let corpus = corpus.into();
    let outcome = Outcome { args, input, corpus, model, quality, c_v_by, names: Vec::new() };
    let mut record = summary::record(&outcome).with_seconds(&[("read", read_seconds)]);
    record = record.with_seconds(&outcome.model.seconds).with_seconds(&[("metrics", metrics_seconds)]);
    let pyldavis = || pyldavis::json_text(&outcome.corpus, &outcome.model);
    let results = Results {
        folder: &|folder| {
            run_folder::write(folder, &outcome)?;
            run_folder::write_words(folder, outcome.corpus.tokens.as_ref())
        },
        extra: args.pyldavis.as_deref().map(|path| ("pyLDAvis", path, &pyldavis as &dyn Fn() -> String)),
        page: &|record| topics_page::of(&outcome, record),
        words: &|record| in_words(&outcome, record),
        width: 8,
    };
    let code = args.outputs.finish(&inputs, record, &results)?;
    Ok(checkpoint::after(checkpoint, code, outcome.model.stop))
}

/// Measures c_v by windows that slide over the texts, which are read again for that; where that is impossible, c_v stays based on documents.
fn measure_windows(
    input: &Path,
    options: &corpus::ReadOptions,
    corpus: &Corpus,
    model: &Model,
    quality: &mut Quality,
) -> &'static str {
    let word = |&n: &usize| corpus.vocabulary[model.words[n]].as_str();
    let topics: Vec<Vec<&str>> =
        measured(&quality.shown).iter().map(|words| words.iter().map(word).collect()).collect();
    match in_windows(input, options, corpus, &topics) {
        Some(together) => {
            quality.c_v = together.c_v();
            "windows"
        }
        None => "documents",
    }
}

/// The words of topics in windows over the texts, where the texts can be read again.
fn in_windows(input: &Path, options: &corpus::ReadOptions, corpus: &Corpus, topics: &[Vec<&str>]) -> Option<Together> {
    let again = corpus.stamp.is_some() || !is_standard_input(input) && input.is_dir();
    if corpus::is_counts(input) || !again || options.trial.is_some() {
        return None;
    }
    let (mut windows, splitter) = (Windows::new(topics, WINDOW), corpus.tokens.as_ref()?.splitter().ok()?);
    let (mut document, mut next) = (0, 0);
    let read = corpus::for_each_text(input, &options.source, &mut |found| {
        document += 1;
        if next >= corpus.counts.rows() || corpus.number(next) + 1 != document {
            return Ok(()); // a copy that was left out
        }
        next += 1;
        if interrupted() {
            return Err(merit::Error::Interrupted.into());
        }
        windows.add_text(&splitter, found.text);
        Ok(())
    });
    read.ok().map(|_| windows.finish())
}

/// Words of texts from which on a language should have been recognized.
const MANY_WORDS: u64 = 1_000;
/// If at least this part of the texts is in other languages, a note says so.
const OTHER_LANGUAGES: f64 = 0.2;

/// Which stop words were left out, if that was to be found out.
fn language_note(facts: &Facts) -> Option<String> {
    let all = facts.tokens + facts.stop_words;
    match &facts.language {
        Some(language) => {
            let part = 100.0 * facts.stop_words as f64 / all.max(1) as f64;
            let others = match facts.other_languages {
                part if part >= OTHER_LANGUAGES => format!(", but {:.0} % of the texts seem to be in others", 100.0 * part),
                _ => String::new(),
            };
            Some(format!(
                "the texts are in {language}{others}: {} stop words ({part:.0} % of all words) were left out; `stop_words = none` keeps them",
                facts.stop_words
            ))
        }
        None if all >= MANY_WORDS => Some(
            "no language was recognized, so no stop words were left out; give a list with `stop_words` if they fill the topics".into(),
        ),
        None => None,
    }
}

/// What the user should know. `asked` are the stop words that were asked for, `encoding` is the encoding of the texts.
fn notes(corpus: &Corpus, model: &Model, asked: &Path, encoding: &str) -> Vec<String> {
    let facts = &corpus.facts;
    let mut notes = Vec::new();
    if asked == Path::new("auto") && corpus.tokens.is_some() {
        notes.extend(language_note(facts).map(|note| typed(&note)));
    }
    let mut tell = |count: usize, one: &str, many: &str, rest: &str| {
        if count > 0 {
            notes.push(format!("{count} {} {rest}", if count == 1 { one } else { many }));
        }
    };
    tell(facts.not_utf8, "document", "documents", &format!("held bytes that are not {encoding}; these were replaced"));
    let rest = typed("not UTF-8, and read as Windows-1252 (Latin-1); if letters are wrong, name the `encoding`");
    tell(facts.western, "document is", "documents are", &rest);
    tell(facts.binary_files, "file holds binary data and was", "files hold binary data and were", "left out");
    tell(facts.other_files, "file is not .txt and was", "files are not .txt and were", "left out");
    let (one, many) = (
        "link leads to a folder or a document read already and was",
        "links lead to folders or documents read already and were",
    );
    tell(facts.links, one, many, "not followed");
    tell(
        facts.special_files,
        "file is a pipe, a device or a broken link and was",
        "files are pipes, devices or broken links and were",
        "left out",
    );
    let rest = match corpus.numbers {
        Some(_) => "of earlier ones and were left out".to_string(),
        None => typed("of earlier ones; `drop_duplicates` leaves them out"),
    };
    tell(facts.copies, "document is a copy, or nearly one,", "documents are copies, or nearly copies,", &rest);
    let rest = "the name of an earlier one; lines are in the order of the input";
    tell(facts.repeated_names, "document has", "documents have", rest);
    let (one, many) =
        ("document has no word of the vocabulary: its", "documents have no word of the vocabulary: their");
    tell(facts.empty_documents, one, many, "shares are 0");
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
