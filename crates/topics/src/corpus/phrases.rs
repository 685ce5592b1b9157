//! Words that belong together: "New York" is one word.
//!
//! ```text
//! npmi(a, b) = ln( p(ab) / (p(a) p(b)) ) / -ln p(ab)        1: a and b are always next to each other, 0: as often as chance has it
//! ```
//!
//! Two neighbors are a phrase if they are met [`TIMES`] times or more and their NPMI is [`NPMI`] or more. Neighbors are words with nothing but white space between them, and no
//! word that was left out. A text is read from left to right, and the first pair that fits is joined; phrases are not joined again.
//!
//! Texts are held as numbers of words until all are there: 4 bytes a word, and some 24 for every different pair. Reference: Bouma, *Normalized (pointwise)
//! mutual information in collocation extraction*, 2009.

use merit_dataset::strings::Interned;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How often a phrase must be met.
const TIMES: u32 = 5;
/// How strongly its words must belong together.
const NPMI: f64 = 0.5;
/// What stands between words that are not neighbors.
const GAP: u32 = u32::MAX;

/// Whether neighboring words are joined.
#[derive(Clone, Debug, Default)]
pub enum Phrases {
    /// No.
    #[default]
    None,
    /// Those that belong together in the texts.
    Find,
    /// These, two words with a space between them.
    Known(Arc<HashSet<String>>),
}

impl Phrases {
    /// These phrases.
    pub fn of(list: impl Iterator<Item = String>) -> Self {
        Self::Known(Arc::new(list.collect()))
    }

    /// All that are known, in alphabetical order.
    pub fn sorted(&self) -> Vec<&str> {
        let Self::Known(list) = self else { return Vec::new() };
        let mut list: Vec<&str> = list.iter().map(String::as_str).collect();
        list.sort_unstable();
        list
    }
}

/// Texts as numbers of words.
#[derive(Default)]
pub(super) struct Sequences {
    words: Vec<u32>,
    ends: Vec<usize>,
}

impl Sequences {
    /// One more word of the last text.
    pub fn push(&mut self, word: u32, follows: bool) {
        if !follows {
            self.words.push(GAP);
        }
        self.words.push(word);
    }

    /// The text is complete.
    pub fn end(&mut self) {
        self.ends.push(self.words.len());
    }

    pub fn bytes(&self) -> usize {
        // Pairs: at most one per word, and most are met more than once.
        28 * self.words.len() + size_of_val(&self.ends[..])
    }

    /// The phrases of these texts, as pairs of words.
    pub fn phrases(&self) -> HashSet<(u32, u32)> {
        let (mut single, mut all): (HashMap<u32, u32>, f64) = Default::default();
        let mut pairs: HashMap<(u32, u32), u32> = HashMap::new();
        for text in self.texts() {
            for &word in text.iter().filter(|word| **word != GAP) {
                *single.entry(word).or_default() += 1;
                all += 1.0;
            }
            for pair in text.windows(2).filter(|pair| !pair.contains(&GAP) && pair[0] != pair[1]) {
                *pairs.entry((pair[0], pair[1])).or_default() += 1;
            }
        }
        let belongs = |(&(a, b), &times): (&(u32, u32), &u32)| {
            let part = |times: u32| f64::from(times) / all;
            let together = part(times).ln();
            times >= TIMES && together - (part(single[&a]) * part(single[&b])).ln() >= -NPMI * together
        };
        pairs.iter().filter(|pair| belongs(*pair)).map(|(&pair, _)| pair).collect()
    }

    /// The texts, one after the other.
    pub fn texts(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.words[start..end])
    }
}

/// Hands the words of a text to `visit`, phrases joined.
pub(super) fn join(text: &[u32], phrases: &HashSet<(u32, u32)>, words: &mut Interned, visit: &mut dyn FnMut(u32)) {
    let mut rest = text;
    while let [first, after @ ..] = rest {
        rest = after;
        match after {
            [second, after @ ..] if phrases.contains(&(*first, *second)) => {
                let phrase = format!("{} {}", &words[*first as usize], &words[*second as usize]);
                visit(words.number(&phrase));
                rest = after;
            }
            _ if *first != GAP => visit(*first),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Limit, Texts, Tokens};

    /// New York is met 52 times; any two of the 13 other words are neighbors twice.
    #[test]
    fn neighbors_that_belong_together_are_joined() {
        let tokens = Tokens {
            phrases: Phrases::Find,
            minimum_df: Limit::Count(1),
            maximum_df: Limit::Part(1.0),
            ..Default::default()
        };
        let mut texts = Texts::new(tokens);
        let others =
            "boat river tree stone bread flour oven music dance cloud storm ferry crew".split(' ').collect::<Vec<_>>();
        let mut all = vec!["New, York".to_string()];
        for i in 0..26 {
            let word = |j: usize| others[(i + j * (1 + i % 12)) % 13];
            all.push(format!("New York {} {} {}. {} New York", word(0), word(1), word(2), word(5)));
        }
        all.iter().for_each(|text| texts.add("", text, None));
        let corpus = texts.finish().unwrap();
        let tokens = corpus.tokens.as_ref().unwrap();
        assert_eq!(tokens.phrases.sorted(), ["new york"]);
        assert_eq!(corpus.vocabulary.len(), 13 + 3, "new, york and new york");
        assert_eq!(corpus.facts.tokens, 26 * 6 + 2, "each phrase is one word");
        // What is known cuts new texts in the same way.
        let splitter = tokens.splitter().unwrap();
        for (d, text) in all.iter().enumerate() {
            for (n, word) in corpus.vocabulary.iter().enumerate() {
                let mut times = 0.0;
                splitter.words(text, &mut |found| times += f64::from(u8::from(found == word)));
                let (documents, counts) = corpus.counts.col(n);
                let counted = documents.iter().position(|&other| other as usize == d).map_or(0.0, |i| counts[i]);
                assert_eq!(times, counted, "{word} in {text}");
            }
        }
    }
}
