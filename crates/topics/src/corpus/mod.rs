//! Files to counts: texts are read one at a time, counted and forgotten.
//!
//! | path | what it is |
//! |---|---|
//! | a folder | a document for every `.txt` file in it, down to the last level; links to folders are not followed |
//! | `.txt`, `.cor` | one document per line, empty ones too |
//! | `.jsonl` | one document per line: the field `text`, or the one named |
//! | `.json` | a list of such objects, or of texts |
//! | `.csv`, `.tsv`, `.tab` | one document per row: the column `text`, or the one named; `;` and `\|` are recognized by the first line |
//! | `docword.*.txt` | UCI bag of words, with `vocab.*.txt` beside it |
//! | `.ldac` | Blei's lda-c: `count word:times ...` per line |
//! | `.mat` | `fea` (documents x words) and `gnd` (labels), as prepared by Cai |
//! | `.npz`, `.mtx`, `.npy` | counts, documents x words |
//!
//! | `-` | the standard input: JSON lines or a list in JSON if it begins so, a table if its first line names the column of the texts, or a column or separator is given; otherwise one document per line |
//!
//! Texts in files, UCI and lda-c may be compressed (`.gz`). UTF-16 is known by its mark; what is not UTF-8 is taken for Windows-1252 where that is
//! plausible. Other bytes are replaced and counted, never lost.
//! Memory: 8 bytes for every different word of every document, the words themselves, and a name for each document.

mod bags;
mod excerpts;
mod json;
mod language;
mod phrases;
mod sources;
mod stop_words;
mod texts;
mod tokens;
mod words;

pub use bags::{is_counts, word_list};
pub use excerpts::{Wanted, excerpts};
pub use phrases::Phrases;
pub use sources::{Source, Text, Told, for_each_text};
pub use stop_words::StopWords;
pub use texts::Texts;
pub use tokens::{Limit, Splitter, Tokens};

use crate::copies::copies;
use crate::{Error, trial};
use merit::SparseMatrix;
use merit::progress::Interrupt;
use merit_dataset::FileError;
use merit_dataset::limits::Room;
use merit_dataset::strings::Names;
use merit_dataset::text::{Stamp, is_standard_input};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Counted documents.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// Documents x words, a column per word.
    pub counts: SparseMatrix,
    /// The words.
    pub vocabulary: Vec<String>,
    /// One label per document, where the data have them.
    pub labels: Option<Vec<String>>,
    /// One date per document, where the data have them, as it is written there.
    pub times: Option<Vec<String>>,
    /// Where the documents are in the input, from 0, if some were left out.
    pub numbers: Option<Vec<usize>>,
    /// One name per document: a file, the field or column that was asked for, or its number from 0.
    pub names: Names,
    /// What was met on the way.
    pub facts: Facts,
    /// How texts became words, with the stop words and phrases that were found; `None` for counts.
    pub tokens: Option<Tokens>,
    /// The file as it was read; `None` for folders and pipes.
    pub stamp: Option<Stamp>,
}

impl Default for Corpus {
    fn default() -> Self {
        let counts = SparseMatrix::from_triplets(0, 0, Vec::new());
        Self {
            counts,
            vocabulary: Vec::new(),
            labels: None,
            times: None,
            numbers: None,
            names: Names::default(),
            facts: Facts::default(),
            tokens: None,
            stamp: None,
        }
    }
}

/// What was met while reading.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Tokens that were counted.
    pub tokens: u64,
    /// Different words before rare and frequent ones were left out.
    pub different_words: usize,
    /// Documents with bytes that were not UTF-8; these were replaced.
    pub not_utf8: usize,
    /// Documents that are not UTF-8 and were read as Windows-1252.
    #[serde(default)]
    pub western: usize,
    /// The language that was recognized, if its stop words were wanted.
    #[serde(default)]
    pub language: Option<String>,
    /// The part of the documents looked at that are in another one of the known languages.
    #[serde(default)]
    pub other_languages: f64,
    /// Words left out as stop words, each as often as it was met.
    #[serde(default)]
    pub stop_words: u64,
    /// Files left out because they hold binary data.
    pub binary_files: usize,
    /// Files of a folder left out because they are not `.txt`.
    pub other_files: usize,
    /// Documents without a word of the vocabulary.
    pub empty_documents: usize,
    /// Documents with the name of an earlier one.
    pub repeated_names: usize,
    /// Documents that are copies, or nearly copies, of an earlier one.
    #[serde(default)]
    pub copies: usize,
    /// Links in a folder that were not followed: to folders, and to files that are documents already.
    #[serde(default)]
    pub links: usize,
    /// Pipes, devices and broken links of a folder, left out.
    #[serde(default)]
    pub special_files: usize,
}

impl Corpus {
    /// Of a matrix of counts; words without names are called `word0`, `word1`, ...
    pub fn of_counts(counts: SparseMatrix, vocabulary: Option<Vec<String>>) -> Self {
        let vocabulary = vocabulary.unwrap_or_else(|| (0..counts.cols()).map(|n| format!("word{n}")).collect());
        let names = Names::numbers(counts.rows());
        let tokens = counts.values().iter().sum::<f64>().max(0.0) as u64;
        let facts = Facts { tokens, different_words: counts.cols(), ..Default::default() };
        Self { counts, vocabulary, names, facts, ..Default::default() }
    }

    /// The labels as numbers from 0, in their alphabetical order.
    ///
    /// ```
    /// let labels = ["b", "a", "b"].map(String::from).to_vec();
    /// let corpus = merit_topics::Corpus { labels: Some(labels), ..Default::default() };
    /// assert_eq!(corpus.label_numbers(), Some(vec![1, 0, 1]));
    /// ```
    pub fn label_numbers(&self) -> Option<Vec<usize>> {
        let labels = self.labels.as_ref()?;
        let known: Vec<&String> = labels.iter().collect::<BTreeSet<_>>().into_iter().collect();
        Some(labels.iter().map(|label| known.binary_search(&label).expect("each label is known")).collect())
    }

    /// Where a document is in the input.
    pub fn number(&self, document: usize) -> usize {
        self.numbers.as_ref().map_or(document, |numbers| numbers[document])
    }

    /// Counts documents that are copies, or nearly copies, of an earlier one ([`crate::copies`]), and leaves them out if that is wanted. Meaningless after an interrupt.
    ///
    /// ```
    /// use merit::progress::Interrupt;
    /// use merit_topics::corpus::{Texts, Tokens};
    /// let mut texts = Texts::new(Tokens::default());
    /// ["river boat", "bread oven", "river boat", "boat bread"].iter().for_each(|text| texts.add("", text, None));
    /// let corpus = texts.finish()?.without_copies(true, &Interrupt::never());
    /// assert_eq!((corpus.facts.copies, corpus.counts.rows(), corpus.number(2)), (1, 3, 3));
    /// # Ok::<(), merit_topics::Error>(())
    /// ```
    pub fn without_copies(mut self, drop: bool, interrupt: &Interrupt) -> Self {
        let copies = copies(&self.counts, interrupt);
        let kept: Vec<usize> = (0..copies.len()).filter(|&d| copies[d].is_none()).collect();
        self.facts.copies = copies.len() - kept.len();
        if drop && self.facts.copies > 0 {
            let pick = |list: Vec<String>| kept.iter().map(|&d| list[d].clone()).collect();
            self.counts = self.counts.transposed().select(&kept).transposed();
            (self.labels, self.times) = (self.labels.map(pick), self.times.map(pick));
            self.names = kept.iter().map(|&d| self.names.get(d)).collect();
            self.numbers = Some(kept);
        }
        self
    }

    /// Notes documents without a word, and names that more than one document has.
    fn looked_over(mut self) -> Self {
        let mut used = vec![false; self.counts.rows()];
        (0..self.counts.cols()).for_each(|n| self.counts.col(n).0.iter().for_each(|&d| used[d as usize] = true));
        self.facts.empty_documents = used.iter().filter(|used| !**used).count();
        self.facts.repeated_names = self.names.repeated();
        self
    }
}

/// How a path is to be understood.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// How texts become words.
    pub tokens: Tokens,
    /// Where texts and labels are.
    pub source: Source,
    /// A file with one word per line, for counts.
    pub vocabulary: Option<PathBuf>,
    /// Whether counts have a document per column.
    pub documents_are_columns: bool,
    /// Which variable of a .mat or array of an .npz.
    pub variable: Option<String>,
    /// The documents and words of a trial of the paper.
    pub trial: Option<PathBuf>,
}

/// Reads a corpus, whatever it is.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Corpus, Error> {
    let stamp_now = || Stamp::at(path).filter(|_| !is_standard_input(path));
    if !is_standard_input(path) && !path.exists() {
        return Err(FileError::NotFound { at: path.into() }.into());
    }
    let stamp = stamp_now();
    let mut corpus = match bags::kind(path) {
        Some(kind) => bags::read(path, kind, options)?,
        None => {
            let mut texts = Texts::new(options.tokens.clone());
            let room = Room::of(path);
            let told = for_each_text(path, &options.source, &mut |found| {
                texts.take(found);
                bags::check_size(path, texts.documents() as u64, 0, texts.entries())?;
                Ok(room.check(texts.bytes_needed())?)
            })?;
            texts.told(&told);
            if texts.documents() == 0 {
                return Err(Error::NoDocuments { path: path.into() });
            }
            texts.finish()?
        }
    };
    if stamp != stamp_now() {
        return Err(FileError::Changed { at: path.into() }.into());
    }
    corpus.stamp = stamp;
    if let Some(file) = &options.trial {
        corpus = trial::select(&corpus, file)?;
    }
    Ok(corpus.looked_over())
}
