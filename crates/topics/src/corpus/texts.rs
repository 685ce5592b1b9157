//! Counting words as texts come by.

use super::{Corpus, Facts, Splitter, Tokens, Told};
use crate::Error;
use merit::SparseMatrix;
use std::collections::HashMap;

/// Counts of the documents so far; the texts themselves are not kept.
pub struct Texts {
    tokens: Tokens,
    splitter: Result<Splitter, Error>,
    /// Number of each word, in the order in which they came.
    numbers: HashMap<Box<str>, u32>,
    /// Documents that each word is in.
    df: Vec<u32>,
    /// `(word, count)`, document after document.
    entries: Vec<(u32, u32)>,
    ends: Vec<usize>,
    names: Vec<String>,
    labels: Vec<String>,
    labelled: bool,
    facts: Facts,
}

impl Texts {
    /// Nothing so far.
    pub fn new(tokens: Tokens) -> Self {
        let splitter = tokens.splitter();
        Self {
            tokens,
            splitter,
            numbers: HashMap::new(),
            df: Vec::new(),
            entries: Vec::new(),
            ends: Vec::new(),
            names: Vec::new(),
            labels: Vec::new(),
            labelled: false,
            facts: Facts::default(),
        }
    }

    /// Counts one more document.
    pub fn add(&mut self, name: &str, text: &str, label: Option<&str>) {
        let start = self.entries.len();
        if let Ok(splitter) = &self.splitter {
            let (numbers, df, entries, facts) = (&mut self.numbers, &mut self.df, &mut self.entries, &mut self.facts);
            splitter.words(text, &mut |word| {
                facts.tokens += 1;
                let number = match numbers.get(word) {
                    Some(&number) => number,
                    None => {
                        df.push(0);
                        let number = numbers.len() as u32;
                        numbers.insert(word.into(), number);
                        number
                    }
                };
                entries.push((number, 1));
            });
        }
        let own = &mut self.entries[start..];
        own.sort_unstable();
        let mut kept = start;
        for i in start..self.entries.len() {
            if kept > start && self.entries[kept - 1].0 == self.entries[i].0 {
                self.entries[kept - 1].1 += 1;
            } else {
                self.entries[kept] = self.entries[i];
                self.df[self.entries[kept].0 as usize] += 1;
                kept += 1;
            }
        }
        self.entries.truncate(kept);
        self.ends.push(kept);
        self.names.push(name.to_string());
        self.labels.push(label.unwrap_or_default().to_string());
        self.labelled |= label.is_some();
    }

    /// Number of documents so far.
    pub fn documents(&self) -> usize {
        self.ends.len()
    }

    /// Bytes that the counts take now, and once more while they become a matrix.
    pub fn bytes_needed(&self) -> u64 {
        let counts = 3 * size_of_val(&self.entries[..]) + size_of_val(&self.ends[..]);
        let words = 2 * self.numbers.len() * (size_of::<(Box<str>, u32)>() + 16);
        (counts + words + 2 * size_of::<String>() * self.names.len()) as u64
    }

    /// Notes what the reader met.
    pub fn told(&mut self, told: &Told) {
        self.facts.not_utf8 = told.not_utf8;
        self.facts.binary_files = told.binary_files;
        self.facts.other_files = told.other_files;
        self.facts.links = told.links;
        self.facts.special_files = told.special_files;
    }

    /// The counts of the words that pass the limits, which are put in alphabetical order.
    pub fn finish(self) -> Result<Corpus, Error> {
        self.splitter?;
        let documents = self.ends.len();
        let (low, high) = (self.tokens.minimum_df.of(documents), self.tokens.maximum_df.of(documents));
        let mut facts = self.facts;
        facts.different_words = self.numbers.len();
        let mut words: Vec<(Box<str>, u32)> = self.numbers.into_iter().collect();
        words.retain(|(_, number)| (low..=high).contains(&f64::from(self.df[*number as usize])));
        words.sort_unstable();
        if let Some(most) = self.tokens.maximum_vocabulary.filter(|most| *most < words.len()) {
            words.sort_by_key(|(_, number)| std::cmp::Reverse(self.df[*number as usize])); // stable: then alphabetical
            words.truncate(most);
            words.sort_unstable();
        }
        if words.is_empty() {
            return Err(Error::NoWords { words: facts.different_words, documents });
        }
        let mut place = vec![u32::MAX; self.df.len()];
        words.iter().enumerate().for_each(|(i, (_, number))| place[*number as usize] = i as u32);
        // By counting, so that nothing besides the entries and the matrix is held.
        let mut starts = vec![0usize; words.len() + 1];
        let known = |&(word, _): &&(u32, u32)| place[*word as usize] != u32::MAX;
        self.entries.iter().filter(known).for_each(|&(word, _)| starts[place[word as usize] as usize + 1] += 1);
        for n in 0..words.len() {
            starts[n + 1] += starts[n];
        }
        let (mut indices, mut values) = (vec![0u32; starts[words.len()]], vec![0.0; starts[words.len()]]);
        let (mut next, mut entry) = (starts.clone(), 0);
        for (d, &end) in self.ends.iter().enumerate() {
            for &(word, count) in &self.entries[entry..end] {
                let word = place[word as usize];
                if word != u32::MAX {
                    let at = &mut next[word as usize];
                    (indices[*at], values[*at]) = (d as u32, f64::from(count));
                    *at += 1;
                }
            }
            entry = end;
        }
        let counts = SparseMatrix::from_compressed(documents, starts, indices, values).expect("columns were counted");
        Ok(Corpus {
            counts,
            vocabulary: words.into_iter().map(|(word, _)| word.into_string()).collect(),
            labels: self.labelled.then_some(self.labels),
            names: self.names,
            facts,
            stamp: None,
        })
    }
}
