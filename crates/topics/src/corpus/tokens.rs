//! From a text to its words.
//!
//! Unicode word boundaries (UAX 29), lower case, a trailing `'s` removed; then short words, words without a letter and stop
//! words are left out; then, if asked for, stems; then neighbours joined to n-grams.
//!
//! ```
//! use merit_topics::corpus::{StopWords, Tokens};
//! let tokens = Tokens { stop_words: StopWords::named("en")?, ..Default::default() };
//! let mut words = Vec::new();
//! tokens.splitter()?.words("The boats on the Seine, in 1998: Zoë's boat!", &mut |word| words.push(word.to_string()));
//! assert_eq!(words, ["boats", "seine", "zoë", "boat"]);
//! # Ok::<(), merit_topics::Error>(())
//! ```

use super::StopWords;
use crate::Error;
use frostem::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

/// A number of documents, or a part of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Limit {
    /// So many.
    Count(usize),
    /// This part, from 0 to 1.
    Part(f64),
}

/// As it is typed: `2`, or `0.9`.
impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Part(part) => write!(f, "{part:?}"),
        }
    }
}

impl Limit {
    /// As a number of documents; a part of 0.5 of 5 documents is 2.5.
    pub fn of(self, documents: usize) -> f64 {
        match self {
            Self::Count(count) => count as f64,
            Self::Part(part) => part * documents as f64,
        }
    }
}

/// How texts become words, and which words are kept.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// Letters that a word must have.
    pub minimum_length: usize,
    /// Words that are left out.
    pub stop_words: StopWords,
    /// Language of the stemmer, if words are to be stemmed.
    pub stem: Option<String>,
    /// Longest run of neighbours that counts as a word too; 1 for single words.
    pub ngrams: usize,
    /// Documents that a word must be in.
    pub minimum_df: Limit,
    /// Documents that a word may be in.
    pub maximum_df: Limit,
    /// Words to keep at most: those in most documents.
    pub maximum_vocabulary: Option<usize>,
}

impl Default for Tokens {
    /// Words of 3 letters or more in 2 documents or more, but not in more than 9 of 10; no stop words, stems or n-grams.
    fn default() -> Self {
        Self {
            minimum_length: 3,
            stop_words: StopWords::none(),
            stem: None,
            ngrams: 1,
            minimum_df: Limit::Count(2),
            maximum_df: Limit::Part(0.9),
            maximum_vocabulary: None,
        }
    }
}

impl Tokens {
    /// What cuts texts by these rules; fails when there is no such stemmer.
    pub fn splitter(&self) -> Result<Splitter, Error> {
        let stemmer = self.stem.as_deref().map(stemmer).transpose()?;
        let (minimum_length, stop_words, ngrams) = (self.minimum_length, self.stop_words.clone(), self.ngrams.max(1));
        Ok(Splitter { minimum_length, stop_words, stemmer, ngrams })
    }
}

/// Cuts texts into words.
pub struct Splitter {
    minimum_length: usize,
    stop_words: StopWords,
    stemmer: Option<Stemmer>,
    ngrams: usize,
}

impl Splitter {
    /// Hands every word of `text` to `visit`, in order; n-grams after the word that completes them.
    pub fn words(&self, text: &str, visit: &mut dyn FnMut(&str)) {
        let mut last: Vec<String> = Vec::new();
        for word in text.unicode_words() {
            let lower = word.to_lowercase().replace('\u{2019}', "'");
            let word = lower.strip_suffix("'s").unwrap_or(&lower);
            let letters = word.chars().filter(|c| c.is_alphabetic()).count();
            if letters == 0 || word.chars().count() < self.minimum_length || self.stop_words.contains(word) {
                continue;
            }
            let stem = self.stemmer.as_ref().map(|stemmer| stemmer.stem(word).to_string());
            let word = stem.as_deref().unwrap_or(word);
            visit(word);
            if self.ngrams > 1 {
                last.push(word.to_string());
                let start = last.len().saturating_sub(self.ngrams);
                last.drain(..start);
                (2..=last.len()).for_each(|n| visit(&last[last.len() - n..].join(" ")));
            }
        }
    }
}

fn stemmer(language: &str) -> Result<Stemmer, Error> {
    let algorithm = match language {
        "en" => Algorithm::English,
        "de" => Algorithm::German,
        "fr" => Algorithm::French,
        "es" => Algorithm::Spanish,
        "it" => Algorithm::Italian,
        "pt" => Algorithm::Portuguese,
        "nl" => Algorithm::Dutch,
        "sv" => Algorithm::Swedish,
        "da" => Algorithm::Danish,
        "no" => Algorithm::Norwegian,
        "fi" => Algorithm::Finnish,
        "ru" => Algorithm::Russian,
        other => return Err(Error::Stemmer(other.into())),
    };
    Ok(Stemmer::new(algorithm))
}
