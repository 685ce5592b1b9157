//! Do the words of a topic belong together? The measures that people use, as gensim defines them.
//!
//! ```text
//! P(a), P(a,b): part of the documents, or of the windows of 110 words that slide over them, with a, with both;  e = 1e-12
//! npmi(a,b) = ln( (P(a,b) + e) / (P(a) P(b)) ) / -ln( P(a,b) + e )
//! NPMI  = mean of npmi over all pairs of words of a topic                                                          from -1 to 1
//! UMass = mean over pairs of ln( (P(a,b) + e) / P(b) ), b before a                                                 0 is best
//! c_v   = mean over words a of the cosine between ( npmi(a,b) )_b and ( sum over all words c of npmi(c,b) )_b      from 0 to 1
//! ```
//!
//! Time: one pass over the texts for windows, otherwise `O(T^2)` merges of document lists, for `T` words of each topic. Reference: Röder, Both,
//! Hinneburg, *Exploring the space of topic coherence measures*, WSDM 2015; Mimno et al., EMNLP 2011. Checked against
//! `scripts/coherence_reference.py`; gensim forgets a word that a window has twice when the first of them leaves it, and has a little less c_v then.

use crate::corpus::Splitter;
use merit::SparseMatrix;
use merit::metrics::common;
use std::collections::HashMap;

/// Words of a window, as in the paper.
pub const WINDOW: usize = 110;
/// Added to probabilities of pairs, so that words that never meet have a logarithm.
const NEVER: f64 = 1e-12;

/// How often the words of every topic are in the same windows.
#[derive(Clone, Debug, PartialEq)]
pub struct Together {
    windows: f64,
    topics: Vec<Pairs>,
}

#[derive(Clone, Debug, PartialEq)]
struct Pairs {
    words: usize,
    /// Windows with both, words x words; on the diagonal those with the word.
    both: Vec<f64>,
}

impl Together {
    /// In documents, by `counts` (documents x words); topics are lists of words, by their columns.
    pub fn in_documents(counts: &SparseMatrix, topics: &[Vec<usize>]) -> Self {
        let list = |&n: &usize| {
            let (documents, times) = counts.col(n);
            documents.iter().zip(times).filter(|(_, count)| **count > 0.0).map(|(&d, _)| d).collect::<Vec<u32>>()
        };
        let of_topic = |words: &Vec<usize>| {
            let lists: Vec<Vec<u32>> = words.iter().map(list).collect();
            Pairs::of(words.len(), |i, j| common(&lists[i], &lists[j]) as f64)
        };
        Self { windows: counts.rows() as f64, topics: topics.iter().map(of_topic).collect() }
    }

    /// The value of every topic, by a measure of [`Pairs`].
    fn each(&self, value: impl Fn(&Pairs, f64) -> f64) -> Vec<f64> {
        self.topics.iter().map(|pairs| value(pairs, self.windows)).collect()
    }

    /// NPMI of every topic.
    pub fn npmi(&self) -> Vec<f64> {
        self.each(|pairs, windows| pairs.mean_of_pairs(|i, j| pairs.npmi(i, j, windows)))
    }

    /// UMass of every topic; words are in the order of their weight.
    pub fn umass(&self) -> Vec<f64> {
        self.each(|pairs, windows| {
            pairs.mean_of_pairs(|i, j| {
                let before = pairs.at(j, j) / windows;
                if before > 0.0 { ((pairs.at(i, j) / windows + NEVER) / before).ln() } else { NEVER.ln() }
            })
        })
    }

    /// c_v of every topic.
    pub fn c_v(&self) -> Vec<f64> {
        self.each(|pairs, windows| {
            let count = pairs.words;
            let npmi: Vec<f64> = (0..count * count).map(|at| pairs.npmi(at / count, at % count, windows)).collect();
            let sum: Vec<f64> = (0..count).map(|j| (0..count).map(|i| npmi[i * count + j]).sum()).collect();
            let cosine = |i: usize| cosine(&npmi[i * count..(i + 1) * count], &sum);
            (0..count).map(cosine).sum::<f64>() / count.max(1) as f64
        })
    }
}

impl Pairs {
    fn of(words: usize, both: impl Fn(usize, usize) -> f64) -> Self {
        Self { words, both: (0..words * words).map(|at| both(at / words, at % words)).collect() }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.both[i * self.words + j]
    }

    fn npmi(&self, i: usize, j: usize, windows: f64) -> f64 {
        let both = self.at(i, j) / windows + NEVER;
        let apart = self.at(i, i) / windows * self.at(j, j) / windows;
        // A word that is nowhere tells nothing; words that are in every window are always together.
        if apart == 0.0 || both >= 1.0 { 0.0 } else { (both / apart).ln() / -both.ln() }
    }

    /// Over all `j < i`; a topic of one word has none, and 0.
    fn mean_of_pairs(&self, value: impl Fn(usize, usize) -> f64) -> f64 {
        let pairs = (self.words * self.words.saturating_sub(1) / 2).max(1);
        (0..self.words).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| value(i, j)).sum::<f64>() / pairs as f64
    }
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let norms = (product(a, a) * product(b, b)).sqrt();
    if norms > 0.0 { product(a, b) / norms } else { 0.0 }
}

/// Counts words of topics in windows that slide over texts. A text without any of these words is not counted, as in gensim.
///
/// ```
/// use merit_topics::coherence::Windows;
/// let mut windows = Windows::new(&[vec!["sea", "boat"]], 2);
/// windows.add(["the", "boat", "sea", "and"]); // the boat, boat sea, sea and
/// windows.add(["of", "something", "else"]);
/// assert!((windows.finish().npmi()[0] - (0.75_f64).ln() / (3.0_f64).ln()).abs() < 1e-9);
/// ```
pub struct Windows {
    size: usize,
    /// Number of each word of a topic.
    numbers: HashMap<String, usize>,
    /// Topics, and the place in each, that it has.
    words: Vec<Vec<(usize, usize)>>,
    together: Together,
}

impl Windows {
    /// Of `size` words, for these topics.
    pub fn new<S: AsRef<str>>(topics: &[Vec<S>], size: usize) -> Self {
        let (mut numbers, mut places) = (HashMap::new(), Vec::new());
        for (k, words) in topics.iter().enumerate() {
            for (i, word) in words.iter().enumerate() {
                let number = *numbers.entry(word.as_ref().to_string()).or_insert(places.len());
                if number == places.len() {
                    places.push(Vec::new());
                }
                places[number].push((k, i));
            }
        }
        let topics = topics.iter().map(|words| Pairs::of(words.len(), |_, _| 0.0)).collect();
        Self { size: size.max(1), numbers, words: places, together: Together { windows: 0.0, topics } }
    }

    /// Counts the words of one text, given in their order.
    pub fn add<S: AsRef<str>>(&mut self, text: impl IntoIterator<Item = S>) {
        let (mut length, mut met) = (0usize, Vec::new());
        for word in text {
            if let Some(&n) = self.numbers.get(word.as_ref()) {
                met.push((n, length));
            }
            length += 1;
        }
        self.add_places(length, met);
    }

    /// Counts the words of one text, as `splitter` cuts it; n-grams take no place of their own.
    pub fn add_text(&mut self, splitter: &Splitter, text: &str) {
        let (mut length, mut met) = (0usize, Vec::new());
        splitter.words(text, &mut |word| {
            let joined = splitter.repeats_words() && word.contains(' ');
            if let Some(&n) = self.numbers.get(word) {
                met.push((n, if joined { length.saturating_sub(1) } else { length }));
            }
            length += usize::from(!joined);
        });
        self.add_places(length, met);
    }

    /// The same for a text of `length` words, of which `met` are the words of topics with their places.
    fn add_places(&mut self, length: usize, mut met: Vec<(usize, usize)>) {
        if met.is_empty() {
            return;
        }
        let last = length.saturating_sub(self.size); // the first place of the last window
        self.together.windows += (last + 1) as f64;
        met.sort_unstable();
        let spans: Vec<(usize, Vec<(usize, usize)>)> = met
            .chunk_by(|a, b| a.0 == b.0)
            .map(|own| (own[0].0, spans(own.iter().map(|(_, place)| *place), self.size, last)))
            .collect();
        for (i, (a, first)) in spans.iter().enumerate() {
            for (b, second) in &spans[i..] {
                let windows = overlap(first, second) as f64;
                for &(k, x) in &self.words[*a] {
                    for &(_, y) in self.words[*b].iter().filter(|place| place.0 == k) {
                        let pairs = &mut self.together.topics[k];
                        pairs.both[x * pairs.words + y] += windows;
                        if x != y {
                            pairs.both[y * pairs.words + x] += windows;
                        }
                    }
                }
            }
        }
    }

    /// What was counted.
    pub fn finish(self) -> Together {
        self.together
    }
}

/// The windows, by their first places from 0 to `last`, that have one of the rising `places`, as ranges that do not touch.
fn spans(places: impl Iterator<Item = usize>, size: usize, last: usize) -> Vec<(usize, usize)> {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for place in places {
        let (start, end) = ((place + 1).saturating_sub(size), place.min(last));
        match spans.last_mut() {
            Some(before) if start <= before.1 + 1 => before.1 = end.max(before.1),
            _ => spans.push((start, end)),
        }
    }
    spans
}

/// Numbers that two lists of ranges have in common.
fn overlap(a: &[(usize, usize)], b: &[(usize, usize)]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (start, end) = (a[i].0.max(b[j].0), a[i].1.min(b[j].1));
        count += (end + 1).saturating_sub(start);
        if a[i].1 < b[j].1 { i += 1 } else { j += 1 }
    }
    count
}
