//! Which words may be anchors, and which must.
//!
//! The extreme points of the co-occurrences are rare words: a word of few documents keeps little company, and all of it in one place.
//! As anchors they make topics of a single story. On the paper's trials (`merit reproduce table2`: `MERIT merged`, without a limit,
//! beside `MERIT frequent`) the limit here halves the words that topics share and raises the clustering accuracy by 0 to .08;
//! the coherence rises on TDT2 and falls on Reuters, whose classes differ much in size. A limit of a third of it, .03 instead of .1,
//! was better on Reuters and worse on TDT2. Reference: Arora et al., ICML 2013, who ask for a number of documents too.

use merit::DataMatrix;
use merit_linalg::dense::dot;

/// Words a topic among which anchors are looked for, at least.
const CHOICE: usize = 10;

/// Documents that an anchor must be in when nothing is said: a tenth of those that a topic has on average, or the largest half,
/// quarter, ... of that which leaves `CHOICE` words a topic.
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
