//! Which words may be anchors, and which must.
//!
//! The extreme points of the co-occurrences are rare words: a word of few documents keeps little company, and all of it in one place.
//! As anchors they make topics of a single story; but a limit that is too high loses the small topics. No one limit suits all corpora, so several are
//! tried ([`limits`]) and the one whose topics sort the halves of documents most alike is taken ([`crate::contest`]). Reference: Arora et
//! al., ICML 2013, who ask for a number of documents too.

use merit::DataMatrix;
use merit_linalg::dense::dot;

/// Words a topic among which anchors are looked for, at least.
const CHOICE: usize = 10;
/// Limits that are tried: parts of the documents that a topic has on average.
const PARTS: [f64; 6] = [0.05, 0.1, 0.2, 0.3, 0.45, 0.6];

/// Documents that an anchor must be in, the limits worth trying: parts from 0.05 to 0.6 of those that a topic has on average, as far as each leaves
/// `CHOICE` words a topic. Where none does, [`usual_minimum`] alone.
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
/// leaves `CHOICE` words a topic.
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
