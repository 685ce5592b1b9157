//! What can be asked of a run: how a file is read, how texts become words, how topics are found.

use crate::corpus::{Limit, Phrases, ReadOptions, Source, StopWords, Tokens};
use crate::{Error, lda};
use merit::methods::{Extended, OwnMethod};
use merit::search;
use merit::settings::{Declaration, Value};
use merit_dataset::encoding::Encoding;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::path::PathBuf;

merit::choices! {
    /// Methods without anchors.
    pub enum Own {
        /// Latent Dirichlet allocation.
        #[default]
        Lda = "lda",
    }
}

impl OwnMethod for Own {
    fn title(self) -> &'static str {
        "LDA"
    }
}

/// How topics are found: by anchors, or by LDA.
pub type Method = Extended<Own>;
/// The method that has no anchors, by name.
const LDA_ALONE: &[&str] = &["lda"];
/// Latent Dirichlet allocation.
pub const LDA: Method = Extended::Own(Own::Lda);

merit::choices! {
    /// Yes or no.
    pub enum Switch {
        /// Yes.
        #[default]
        On = "on",
        /// No.
        Off = "off",
    }
}

merit::settings! {
    /// How topics are found: by default MERIT among frequent words, copies merged.
    pub struct Settings {
        /// Number of topics (K), or several to choose from: 5..30, or 5,10,20
        topics: Option<HowMany> = None, Declaration::new("K").or("estimated").short('k');
        /// How topics are found
        method: Method = Method::default(), Declaration::new("NAME");
        /// Words to use as anchors, separated by commas; each replaces the nearest anchor
        anchors: Vec<String> = Vec::new(), Declaration::new("WORD,...").not_of(LDA_ALONE);
        /// Words that must not be anchors, separated by commas
        forbid: Vec<String> = Vec::new(), Declaration::new("WORD,...").not_of(LDA_ALONE);
        /// Search among words that are copies of each other as if they were one
        merge_duplicates: Switch = Switch::On, Declaration::new("on|off").not_of(LDA_ALONE);
        /// Documents an anchor must be in: a number, or a fraction; auto tries several
        minimum_documents: Option<Limit> = None, Declaration::new("LIMIT").or("auto").not_of(LDA_ALONE);
        /// Steps of EM that refine the topics of the anchors by their likelihood
        refine: usize = 0, Declaration::new("STEPS").not_of(LDA_ALONE);
        /// Leave out documents that are copies, or nearly copies, of an earlier one
        drop_duplicates: bool = false, Declaration::new("");
        groups {
            /// How anchors are searched.
            search: search::Settings = search::Settings::of_eigenvectors(100);
            /// LDA's.
            lda: lda::Options = Default::default();
        }
    }
}

merit::choices! {
    /// What the documents are in a matrix of counts.
    pub enum Documents {
        /// One document per row, as in scikit-learn.
        #[default]
        Rows = "rows",
        /// One document per column.
        Columns = "columns",
    }
}

merit::settings! {
    /// How a file is to be understood.
    pub struct Reading {
        /// Field of the texts in .jsonl, or column in .csv and .tsv
        text_field: Option<String> = None, Declaration::new("NAME").or("text").alias("text-column");
        /// Field or column of labels, for the accuracy of main topics; in .mat it is gnd
        label_field: Option<String> = None, Declaration::new("NAME").alias("label-column");
        /// Field or column of the documents' names; none numbers them, or names them after the files of a folder
        name_field: Option<String> = None, Declaration::new("NAME").alias("name-column");
        /// Field or column of dates (2024, 2024-05, 2024-05-17), for topics over time
        time_field: Option<String> = None, Declaration::new("NAME").alias("time-column");
        /// A file with one word per line, for counts; auto is vocab.*.txt beside docword.*.txt
        #[serde(with = "merit::settings::lossy_path")]
        vocabulary: Option<PathBuf> = None, Declaration::new("FILE").or("auto");
        /// What the documents are in a matrix of counts
        documents: Documents = Documents::Rows, Declaration::new("WHAT");
        /// Array of an .npz or variable of a .mat to read; auto takes the only one, or fea in .mat
        variable: Option<String> = None, Declaration::new("NAME").or("auto");
        /// What separates columns: a character, or tab; auto looks at the first line
        separator: Option<Separator> = None, Declaration::new("CHARACTER").or("auto");
        /// Encoding of the texts: utf-8, utf-16, latin-1, gbk, ...; auto is UTF-8, or what is plausible
        encoding: Option<NamedEncoding> = None, Declaration::new("NAME").or("auto");
        /// Documents to keep and words to drop, as in the paper's trials: sampleIdx and zeroIdx
        #[serde(with = "merit::settings::lossy_path")]
        trial: Option<PathBuf> = None, Declaration::new("FILE.mat");
    }
}

merit::settings! {
    /// How texts become words, and which are kept.
    pub struct TokenSettings {
        /// Words left out: auto (by language), en, de, fr, es, it, pt, nl, sv, zh, ja, th, a file, or none
        #[serde(serialize_with = "merit::settings::lossy_path::serialize_one")]
        stop_words: PathBuf = "auto".into(), Declaration::new("LIST");
        /// Reduce words to their stems: en, de, fr, es, it, pt, nl, sv, da, no, fi, ru
        stem: Option<String> = None, Declaration::new("LANGUAGE").or("off");
        /// Letters a word must have; in Chinese, Japanese and Korean 2 are enough
        min_length: usize = 3, Declaration::new("N");
        /// Longest run of neighboring words that also counts as a word
        ngrams: usize = 1, Declaration::new("N").at_least_one();
        /// Join neighboring words that belong together, such as new york
        phrases: bool = false, Declaration::new("");
        /// Documents a word must appear in, at least: a number, or a fraction such as 0.01
        min_df: Limit = Limit::Count(2), Declaration::new("LIMIT");
        /// Documents a word may appear in, at most: a number, or a fraction such as 0.5
        max_df: Limit = Limit::Part(0.9), Declaration::new("LIMIT");
        /// Maximum number of words, keeping those in the most documents
        max_vocabulary: Option<usize> = None, Declaration::new("N").at_least_one().or("all");
    }
}

impl TokenSettings {
    /// The rules themselves; fails where there is no such list of stop words or stemmer.
    pub fn tokens(&self) -> Result<Tokens, Error> {
        if self.phrases && self.ngrams > 1 {
            return Err(Error::PhrasesAndNgrams);
        }
        let phrases = if self.phrases { Phrases::Find } else { Phrases::None };
        let tokens = self.with(StopWords::named(&self.stop_words)?, phrases);
        tokens.splitter()?; // an unknown language is reported before the texts are read
        Ok(tokens)
    }

    /// The rules with stop words and phrases that are known.
    pub fn with(&self, stop_words: StopWords, phrases: Phrases) -> Tokens {
        Tokens {
            minimum_length: self.min_length,
            stop_words,
            stem: self.stem.clone(),
            ngrams: self.ngrams,
            phrases,
            minimum_df: self.min_df,
            maximum_df: self.max_df,
            maximum_vocabulary: self.max_vocabulary,
        }
    }
}

impl Reading {
    /// Where texts, names and labels are.
    pub fn source(&self) -> Source {
        Source {
            text: self.text_field.clone(),
            label: self.label_field.clone(),
            name: self.name_field.clone(),
            time: self.time_field.clone(),
            separator: self.separator.map(|separator| separator.0),
            encoding: self.encoding.map(|encoding| encoding.0),
        }
    }

    /// The options of the reader, with these words.
    pub fn options(&self, tokens: Tokens) -> ReadOptions {
        ReadOptions {
            tokens,
            source: self.source(),
            vocabulary: self.vocabulary.clone(),
            documents_are_columns: self.documents == Documents::Columns,
            variable: self.variable.clone(),
            trial: self.trial.clone(),
        }
    }
}

/// What separates the columns of a table: one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Separator(pub u8);

impl TryFrom<String> for Separator {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_bytes() {
            b"tab" | b"\\t" => Ok(Self(b'\t')),
            &[byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(Self(byte)),
            _ => Err(format!("`{text}` is not a separator")),
        }
    }
}

impl From<Separator> for String {
    fn from(separator: Separator) -> Self {
        if separator.0 == b'\t' { "tab".into() } else { char::from(separator.0).into() }
    }
}

impl Value for Separator {
    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        text.to_str()?.to_string().try_into().ok()
    }

    fn show(&self, _: &Declaration) -> String {
        (*self).into()
    }

    fn expected(_: &Declaration) -> String {
        "one character, or tab".to_string()
    }
}

/// An encoding by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NamedEncoding(pub Encoding);

impl TryFrom<String> for NamedEncoding {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Encoding::named(&name).map(Self).ok_or_else(|| format!("there is no encoding `{name}`"))
    }
}

impl From<NamedEncoding> for String {
    fn from(encoding: NamedEncoding) -> Self {
        encoding.0.name()
    }
}

impl Value for NamedEncoding {
    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        text.to_str()?.to_string().try_into().ok()
    }

    fn show(&self, _: &Declaration) -> String {
        (*self).into()
    }

    fn expected(_: &Declaration) -> String {
        "the name of an encoding, such as utf-8, utf-16, latin-1, windows-1251, shift_jis or gbk".to_string()
    }
}

/// A number of topics, or several to choose from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HowMany {
    /// This many.
    Exactly(usize),
    /// The best of these, rising.
    BestOf(Vec<usize>),
}

impl HowMany {
    /// A range is tried at this many numbers at most, evenly spread.
    const TRIED: usize = 26;
    /// The largest number that is believed.
    const MOST: usize = 100_000;

    /// The number, if it is one.
    pub fn exactly(&self) -> Option<usize> {
        match self {
            Self::Exactly(topics) => Some(*topics),
            Self::BestOf(_) => None,
        }
    }

    fn range(first: usize, last: usize) -> Option<Self> {
        if first == 0 || first > last || last > Self::MOST {
            return None;
        }
        let step = (last - first + 1).div_ceil(Self::TRIED).max(1);
        let mut list: Vec<usize> = (first..=last).step_by(step).collect();
        if list.last() != Some(&last) {
            list.push(last);
        }
        Some(Self::of_list(list))
    }

    fn of_list(mut list: Vec<usize>) -> Self {
        list.sort_unstable();
        list.dedup();
        if let [one] = list[..] { Self::Exactly(one) } else { Self::BestOf(list) }
    }
}

impl From<usize> for HowMany {
    fn from(topics: usize) -> Self {
        Self::Exactly(topics)
    }
}

/// ```
/// use merit::settings::{Declaration, Value};
/// use merit_topics::settings::HowMany;
/// let of = |text: &str| HowMany::parse(text.as_ref(), &Declaration::new("K"));
/// assert_eq!(of("7"), Some(HowMany::Exactly(7)));
/// assert_eq!(of("3..5"), Some(HowMany::BestOf(vec![3, 4, 5])));
/// assert_eq!(of("20,5,10"), Some(HowMany::BestOf(vec![5, 10, 20])));
/// assert!(of("0").is_none() && of("5..3").is_none() && of("some").is_none());
/// ```
impl Value for HowMany {
    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        let text = text.to_str()?;
        if let Some((first, last)) = text.split_once("..") {
            return Self::range(first.trim().parse().ok()?, last.trim_start_matches('=').trim().parse().ok()?);
        }
        let list: Option<Vec<usize>> =
            text.split(',').map(|part| part.trim().parse().ok().filter(|&n| n > 0 && n <= Self::MOST)).collect();
        list.map(Self::of_list)
    }

    fn show(&self, _: &Declaration) -> String {
        match self {
            Self::Exactly(topics) => topics.to_string(),
            Self::BestOf(list) => list.iter().map(usize::to_string).collect::<Vec<_>>().join(","),
        }
    }

    fn is_in_range(&self, _: &Declaration) -> bool {
        match self {
            Self::Exactly(topics) => *topics > 0,
            Self::BestOf(list) => !list.is_empty() && list.iter().all(|topics| *topics > 0),
        }
    }

    fn expected(_: &Declaration) -> String {
        "a whole number from 1, a range (5..30), or a list (5,10,20)".to_string()
    }
}

impl Value for Limit {
    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        let text = text.to_str()?;
        if text.contains('.') {
            return text.parse().ok().filter(|part| (0.0..=1.0).contains(part)).map(Self::Part);
        }
        text.parse().ok().map(Self::Count)
    }

    fn show(&self, _: &Declaration) -> String {
        self.to_string()
    }

    fn is_in_range(&self, _: &Declaration) -> bool {
        !matches!(self, Self::Part(part) if !(0.0..=1.0).contains(part))
    }

    fn expected(_: &Declaration) -> String {
        "a number of documents (2), or a fraction of them from 0.0 to 1.0".to_string()
    }
}
