//! From a text to its words.
//!
//! Word boundaries by Unicode's rules or dictionaries, lower case, a trailing `'s` removed, and with French or Italian stop words a leading
//! `l'`, `d'`, `dell'`, ...; then short words, words without a letter and stop words are left out; then, if asked for, stems; then neighbors are
//! joined to phrases or n-grams.
//!
//! ```
//! use merit_topics::corpus::{StopWords, Tokens};
//! let tokens = Tokens { stop_words: StopWords::named("en")?, ..Default::default() };
//! let mut words = Vec::new();
//! tokens.splitter()?.words("The boats on the Seine, in 1998: Zoë's boat!", &mut |word| words.push(word.to_string()));
//! assert_eq!(words, ["boats", "seine", "zoë", "boat"]);
//! # Ok::<(), merit_topics::Error>(())
//! ```

use super::words::{each_word, fewest_letters};
use super::{Phrases, StopWords};
use crate::Error;
use frostem::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};

/// A number of documents, or a part of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Limit {
    /// This many.
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
    /// Longest run of neighbors that counts as a word too; 1 for single words.
    pub ngrams: usize,
    /// Whether words that belong together are joined.
    pub phrases: Phrases,
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
            phrases: Phrases::None,
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
        let elisions = match self.stop_words.name() {
            "fr" => "l d j n s c m t qu jusqu lorsqu puisqu quoiqu",
            "it" => "l un d c dell all nell sull dall quell quest",
            _ => "",
        };
        Ok(Splitter {
            minimum_length: self.minimum_length,
            stop_words: self.stop_words.clone(),
            elisions: elisions.split_whitespace().collect(),
            stemmer,
            ngrams: self.ngrams.max(1),
            phrases: self.phrases.clone(),
        })
    }
}

/// Cuts texts into words.
pub struct Splitter {
    minimum_length: usize,
    stop_words: StopWords,
    /// What is written before an apostrophe and is not part of the word.
    elisions: Vec<&'static str>,
    stemmer: Option<Stemmer>,
    ngrams: usize,
    phrases: Phrases,
}

/// A word of a text.
pub(super) enum Found<'w> {
    /// One that is kept, and whether the word before it is its neighbor and was kept too.
    Word(&'w str, bool),
    /// A stop word.
    Stop,
}

impl Splitter {
    /// Hands every word of `text` to `visit`, in order; phrases in place of their words, n-grams after the word that completes them. Returns how many
    /// stop words were left out.
    pub fn words(&self, text: &str, visit: &mut dyn FnMut(&str)) -> u64 {
        let mut last: Vec<String> = Vec::new();
        let (mut joined, mut stop_words) = (String::new(), 0);
        self.each(text, &mut |found| {
            let Found::Word(word, follows) = found else {
                stop_words += 1;
                return;
            };
            if let Phrases::Known(phrases) = &self.phrases {
                // `last` is the word before, which may be the first of a phrase.
                match last.pop() {
                    Some(before) if follows => {
                        joined.clear();
                        joined.extend([&before, " ", word]);
                        if phrases.contains(&joined) {
                            return visit(&joined);
                        }
                        visit(&before);
                    }
                    Some(before) => visit(&before),
                    None => {}
                }
                last.push(word.to_string());
                return;
            }
            visit(word);
            if self.ngrams > 1 {
                last.push(word.to_string());
                let start = last.len().saturating_sub(self.ngrams);
                last.drain(..start);
                (2..=last.len()).for_each(|n| visit(&last[last.len() - n..].join(" ")));
            }
        });
        if let (Phrases::Known(_), Some(word)) = (&self.phrases, last.pop()) {
            visit(&word);
        }
        stop_words
    }

    /// Whether words are handed over a second time, within n-grams.
    pub(crate) fn repeats_words(&self) -> bool {
        self.ngrams > 1
    }

    /// Every single word.
    pub(super) fn each(&self, text: &str, visit: &mut dyn FnMut(Found)) {
        let mut kept = false;
        each_word(text, &mut |word, follows| {
            let normal = self.normal(word);
            match &normal {
                Normal::Word(word) => visit(Found::Word(word, follows && kept)),
                Normal::Stop => visit(Found::Stop),
                Normal::Short => {}
            }
            kept = matches!(normal, Normal::Word(_));
        });
    }

    /// A word of a text as it is counted.
    pub(super) fn normal(&self, word: &str) -> Normal {
        let mut word = word.to_lowercase().replace('\u{2019}', "'");
        if word.ends_with("'s") {
            word.truncate(word.len() - 2);
        }
        if let Some((before, _)) = word.split_once('\'').filter(|(before, _)| self.elisions.contains(before)) {
            word.drain(..before.len() + 1);
        }
        if self.stop_words.contains(&word) {
            return Normal::Stop;
        }
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        if letters == 0 || word.chars().count() < fewest_letters(&word, self.minimum_length) {
            return Normal::Short;
        }
        Normal::Word(self.stemmer.as_ref().map(|stemmer| stemmer.stem(&word).to_string()).unwrap_or(word))
    }
}

/// What a word of a text is.
pub(super) enum Normal {
    /// One that is kept, as it is counted.
    Word(String),
    /// A stop word.
    Stop,
    /// Too short, or without a letter.
    Short,
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
