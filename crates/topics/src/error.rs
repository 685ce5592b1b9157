//! What can go wrong: one line that says what was found and what was expected.

use crate::edit::Refusal;
use merit::words::counted;
use merit_dataset::limits::Bytes;
use merit_dataset::{FileError, ReadError};
use std::path::{Path, PathBuf};

/// Why there are no topics.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the fields are the values of the message above them
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("`{}` is not a corpus: {found}", path.display())]
    UnknownFormat { path: PathBuf, found: String },
    #[error("line {line} of `{}` {reason}", path.display())]
    Line { path: PathBuf, line: u64, reason: String },
    #[error("item {item} of `{}` {reason}", path.display())]
    Item { path: PathBuf, item: u64, reason: String },
    #[error("{} has no {} `{name}`, but {}", place(path, *line), kind(setting), names(found))]
    NoField { path: PathBuf, line: Option<u64>, setting: &'static str, name: String, found: Vec<String> },
    #[error("document {name} of `{}` has the time `{found}`, but a date such as 2024, 2024-05 or 2024-05-17 is expected", path.display())]
    NotATime { path: PathBuf, name: String, found: String },
    #[error("`{}` holds no document", path.display())]
    NoDocuments { path: PathBuf },
    #[error("`{}` has {}, but the counts have {expected}", path.display(), counted(*found, "word", "words"))]
    Vocabulary { path: PathBuf, found: usize, expected: usize },
    #[error("`{}` claims {claimed} {what}, but holds only {entries} counts", path.display())]
    Implausible { path: PathBuf, what: &'static str, claimed: u64, entries: u64 },
    #[error(
        "`{}` has {} for {}",
        path.display(), counted(*labels, "label", "labels"), counted(*documents, "document", "documents")
    )]
    LabelCount { path: PathBuf, labels: usize, documents: usize },
    #[error("`{variable}` of `{}` holds {value}, but whole numbers from 1 to {count} are expected", path.display())]
    TrialIndex { path: PathBuf, variable: String, value: f64, count: usize },
    #[error("document {document} has {value} times word {word}, but counts are whole numbers from 0")]
    NotACount { document: usize, word: usize, value: f64 },
    #[error(
        "lda holds every one of the {tokens} words of the documents, which needs {} of memory, but only {} are available",
        Bytes(*needed), Bytes(*available)
    )]
    TooManyTokens { tokens: u128, needed: u64, available: u64 },
    #[error(
        "no word is left: of {} in {} none passes the limits",
        counted(*words, "word", "words"), counted(*documents, "document", "documents")
    )]
    NoWords { words: usize, documents: usize },
    #[error(
        "no word tells documents apart: each of the {} is in all of the {}, or in none",
        counted(*words, "word", "words"), counted(*documents, "document", "documents")
    )]
    NothingInformative { words: usize, documents: usize },
    #[error("{topics} topics, but only {} can be anchors", counted(*words, "word", "different words"))]
    FewWords { topics: usize, words: usize },
    #[error(
        "{topics} topics, but only {} can be anchors: those in at least {minimum_documents} of the documents",
        counted(*words, "word", "different words")
    )]
    FewAnchors { topics: usize, words: usize, minimum_documents: usize },
    #[error(
        "{} given for {}",
        counted(*anchors, "anchor word was", "anchor words were"), counted(*topics, "topic", "topics")
    )]
    ManyAnchors { anchors: usize, topics: usize },
    #[error("`{setting}` has `{word}`, but the vocabulary of {words} words does not{}", in_its_place(near))]
    UnknownWord { setting: &'static str, word: String, words: usize, near: Vec<String> },
    #[error("`{word}` is both in `anchors` and in `forbid`")]
    GivenAndForbidden { word: String },
    #[error("lda has no anchors, so `anchors` and `forbid` mean nothing to it")]
    NoAnchors,
    #[error("the leading directions of the co-occurrence matrix did not converge")]
    NoConvergence,
    #[error(
        "there is no list of stop words `{0}`: there are auto, en, de, fr, es, it, pt, nl, sv, zh, ja, th, none, or a file"
    )]
    StopWords(String),
    #[error("there is no stemmer `{0}`: there are en, de, fr, es, it, pt, nl, sv, da, no, fi, ru")]
    Stemmer(String),
    #[error("`phrases` join words that belong together, and `ngrams` count all neighbors: one of them is enough")]
    PhrasesAndNgrams,
    #[error(transparent)]
    Edit(#[from] Refusal),
    #[error(transparent)]
    Merit(#[from] merit::Error),
}

/// Names that are listed, and the letters of each.
const LISTED: (usize, usize) = (8, 40);

/// A file, or a line of it.
fn place(path: &Path, line: Option<u64>) -> String {
    line.map_or(format!("`{}`", path.display()), |line| format!("line {line} of `{}`", path.display()))
}

/// What a setting such as `text_field` or `text_column` names.
fn kind(setting: &str) -> &str {
    setting.rsplit('_').next().unwrap_or(setting)
}

/// Some names, each cut where it is long: a table without names has a text in their place.
fn names(found: &[String]) -> String {
    let cut = |name: &String| match name.char_indices().nth(LISTED.1) {
        Some((end, _)) => format!("`{}…`", &name[..end]),
        None => format!("`{name}`"),
    };
    let mut list: Vec<String> = found.iter().take(LISTED.0).map(cut).collect();
    if found.len() > LISTED.0 {
        list.push("…".into());
    }
    if list.is_empty() { "none at all".into() } else { list.join(", ") }
}

/// Words that may have been meant; nothing where there is none.
fn in_its_place(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; near it are {}", names(near)) }
}

impl Error {
    /// The words that may have been meant by one that is not known, for the end of a message.
    pub fn meant(&self) -> String {
        if let Self::UnknownWord { near, .. } = self { in_its_place(near) } else { String::new() }
    }

    /// Whether the command, not the data, is at fault.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::ManyAnchors { .. }
                | Self::FewWords { .. }
                | Self::FewAnchors { .. }
                | Self::UnknownWord { .. }
                | Self::GivenAndForbidden { .. }
                | Self::NoAnchors
                | Self::Edit(_)
                | Self::Merit(merit::Error::Settings(_))
                | Self::StopWords(_)
                | Self::PhrasesAndNgrams
                | Self::Stemmer(_)
        )
    }
}
