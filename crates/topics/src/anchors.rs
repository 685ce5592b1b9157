//! Which words may be anchors, and which must.
//!
//! The extreme points of the co-occurrences are rare words: a word of few documents keeps little company, and all of it in one place.
//! As anchors they make topics of a single story; but a limit that is too high loses the small topics. No one limit suits all corpora, so several are
//! tried ([`limits`]) and the one whose topics sort the halves of documents most alike is taken ([`crate::contest`]). Reference: Arora et
//! al., ICML 2013, who ask for a number of documents too.

use crate::Error;
use crate::settings::{LDA, Settings};
use merit::DataMatrix;
use merit_linalg::dense::dot;
use std::collections::HashMap;

/// Words of the vocabulary that are suggested where one is not in it, at most.
const NEAR_WORDS: usize = 3;

/// Words per topic among which anchors are looked for, at least.
const CHOICE: usize = 10;
/// Limits that are tried: parts of the documents that a topic has on average.
const PARTS: [f64; 6] = [0.05, 0.1, 0.2, 0.3, 0.45, 0.6];

/// Documents that an anchor must be in, the limits worth trying: parts from 0.05 to 0.6 of those that a topic has on average, as far as each leaves
/// `CHOICE` words per topic. Where none does, [`usual_minimum`] alone.
///
/// ```
/// let frequency: Vec<usize> = (1..=400).collect();
/// assert_eq!(merit_topics::anchors::limits(&frequency, 1000, 10), [5, 10, 20, 30, 45, 60]);
/// assert_eq!(merit_topics::anchors::limits(&[5; 300], 4000, 20), [5]);
/// ```
pub fn limits(frequency: &[usize], documents: usize, topics: usize) -> Vec<usize> {
    let average = documents as f64 / topics.max(1) as f64;
    let mut limits: Vec<usize> = PARTS.iter().map(|part| ((part * average).ceil() as usize).max(1)).collect();
    limits.dedup();
    limits.retain(|&limit| frequency.iter().filter(|&&n| n >= limit).count() >= CHOICE * topics);
    if limits.is_empty() { vec![usual_minimum(frequency, documents, topics)] } else { limits }
}

/// The limit of [`crate::published`]: a tenth of the documents that a topic has on average, or the largest half, quarter, ... of that which
/// leaves `CHOICE` words per topic.
///
/// ```
/// let frequency = vec![5; 300];
/// assert_eq!(merit_topics::anchors::usual_minimum(&frequency, 1000, 20), 5); // 1000 / (10 * 20)
/// assert_eq!(merit_topics::anchors::usual_minimum(&frequency, 4000, 20), 5); // 20 would leave nothing
/// ```
pub fn usual_minimum(frequency: &[usize], documents: usize, topics: usize) -> usize {
    let mut minimum = (documents as f64 / (10.0 * topics.max(1) as f64)).ceil() as usize;
    while minimum > 1 && frequency.iter().filter(|&&n| n >= minimum).count() < CHOICE * topics {
        minimum /= 2;
    }
    minimum.max(1)
}

/// The words that the caller wants, or does not want, as anchors: columns of the counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnchorWords {
    /// These are anchors.
    pub given: Vec<usize>,
    /// These are not.
    pub forbidden: Vec<usize>,
}

impl AnchorWords {
    /// The words that the settings name, found in the vocabulary as they are or in lower case.
    pub fn find(settings: &Settings, vocabulary: &[String]) -> Result<Self, Error> {
        let (given, forbidden) = (&settings.anchors, &settings.forbid);
        if settings.method == LDA && !(given.is_empty() && forbidden.is_empty()) {
            return Err(Error::NoAnchors);
        }
        if let Some(word) = given.iter().find(|word| forbidden.contains(word)) {
            return Err(Error::GivenAndForbidden { word: word.clone() });
        }
        let words: Vec<&str> = vocabulary.iter().map(String::as_str).collect();
        Ok(Self { given: places("anchors", given, &words)?, forbidden: places("forbid", forbidden, &words)? })
    }
}

/// Where the words of a setting are in the vocabulary, as they are or in lower case.
pub(crate) fn places(setting: &'static str, list: &[String], vocabulary: &[&str]) -> Result<Vec<usize>, Error> {
    if list.is_empty() {
        return Ok(Vec::new());
    }
    let numbers: HashMap<&str, usize> = vocabulary.iter().enumerate().map(|(n, word)| (*word, n)).collect();
    let place = |word: &String| {
        let known = numbers.get(word.trim()).or_else(|| numbers.get(word.trim().to_lowercase().as_str()));
        known.copied().ok_or_else(|| {
            let near = near_words(&word.trim().to_lowercase(), vocabulary);
            Error::UnknownWord { setting, word: word.clone(), words: numbers.len(), near }
        })
    };
    list.iter().map(place).collect()
}

/// Up to three words of the vocabulary that `word` may have been meant for: a third of its letters changed at most, or a beginning in common that is one of the two words.
/// The nearest first.
fn near_words(word: &str, vocabulary: &[&str]) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let most = (letters.len() / 3).max(1);
    let far = |other: &str| {
        let continued = letters.len() > 2 && (other.starts_with(word) || other.len() > 2 && word.starts_with(other));
        changed_letters(&letters, other, most).or(continued.then_some(most + 1))
    };
    let mut near: Vec<(usize, &str)> = vocabulary.iter().filter_map(|other| Some((far(other)?, *other))).collect();
    near.sort_unstable();
    near.into_iter().take(NEAR_WORDS).map(|(_, word)| word.to_string()).collect()
}

/// Letters to change, add or leave out (Levenshtein's distance), if they are `most` at most.
fn changed_letters(letters: &[char], other: &str, most: usize) -> Option<usize> {
    let mut row: Vec<usize> = (0..=letters.len()).collect();
    for (j, theirs) in other.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], j + 1);
        for (i, ours) in letters.iter().enumerate() {
            let changed = before + usize::from(*ours != theirs);
            before = row[i + 1];
            row[i + 1] = changed.min(before + 1).min(row[i] + 1);
        }
        if row.iter().all(|distance| *distance > most) {
            return None;
        }
    }
    row.last().copied().filter(|distance| *distance <= most)
}

/// Puts `word` among the anchors, in the place of the nearest one that was not given.
pub(crate) fn keep(x: &DataMatrix, word: usize, anchors: &mut [usize], given: &mut [bool], scores: &mut [f64]) {
    let point = x.dense_columns(&[word]);
    let distance = |&k: &usize| {
        let other = x.dense_columns(&[anchors[k]]);
        let difference: Vec<f64> = point.values().iter().zip(other.values()).map(|(a, b)| a - b).collect();
        dot(&difference, &difference)
    };
    let open = (0..anchors.len()).filter(|&k| !given[k]);
    let same = (0..anchors.len()).find(|&k| anchors[k] == word);
    if let Some(k) = same.or_else(|| open.min_by(|a, b| distance(a).total_cmp(&distance(b)))) {
        if anchors[k] != word {
            scores[k] = 0.0;
        }
        (anchors[k], given[k]) = (word, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_those_one_may_have_meant() {
        let words = ["afghan", "bush", "bushfire", "bushfires", "economy", "harbor", "taliban", "talks"];
        let near = |word| near_words(word, &words);
        assert_eq!(near("taleban"), ["taliban"]);
        assert_eq!(near("bushfirs"), ["bushfire", "bushfires", "bush"]);
        assert_eq!((near("econ"), near("harbour")), (vec!["economy".to_string()], vec!["harbor".to_string()]));
        assert_eq!(near("zebra"), Vec::<String>::new());
        assert_eq!(near(""), Vec::<String>::new());
        for (a, b, distance) in
            [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("ä", "ö", 1), ("same", "same", 0)]
        {
            let letters: Vec<char> = a.chars().collect();
            assert_eq!(changed_letters(&letters, b, 9), Some(distance));
            assert_eq!(changed_letters(&letters, b, distance), Some(distance));
            assert!(distance == 0 || changed_letters(&letters, b, distance - 1).is_none());
        }
    }
}
