//! Counting words as texts come by.

use super::{Corpus, Facts, Splitter, Tokens, Told};
use crate::Error;
use merit::SparseMatrix;
use merit_dataset::strings::{Interned, Names};

/// Counts of the documents so far; the texts themselves are not kept.
pub struct Texts {
    tokens: Tokens,
    splitter: Result<Splitter, Error>,
    /// All words so far.
    words: Interned,
    /// Documents that each word is in.
    df: Vec<u32>,
    /// `(word, count)`, document after document.
    entries: Vec<(u32, u32)>,
    ends: Vec<usize>,
    names: Names,
    /// Empty while no document has one.
    labels: Vec<String>,
    facts: Facts,
}

impl Texts {
    /// Nothing so far.
    pub fn new(tokens: Tokens) -> Self {
        let splitter = tokens.splitter();
        Self {
            tokens,
            splitter,
            words: Interned::default(),
            df: Vec::new(),
            entries: Vec::new(),
            ends: Vec::new(),
            names: Names::default(),
            labels: Vec::new(),
            facts: Facts::default(),
        }
    }

    /// Counts one more document.
    pub fn add(&mut self, name: &str, text: &str, label: Option<&str>) {
        let start = self.entries.len();
        if let Ok(splitter) = &self.splitter {
            let (words, entries, facts) = (&mut self.words, &mut self.entries, &mut self.facts);
            splitter.words(text, &mut |word| {
                facts.tokens += 1;
                entries.push((words.number(word), 1));
            });
            self.df.resize(self.words.len(), 0);
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
        self.names.push(name);
        if let Some(label) = label {
            self.labels.resize(self.ends.len() - 1, String::new());
            self.labels.push(label.to_string());
        }
    }

    /// Number of documents so far.
    pub fn documents(&self) -> usize {
        self.ends.len()
    }

    /// Different words of all documents, added up.
    pub(super) fn entries(&self) -> usize {
        self.entries.len()
    }

    /// Bytes that the counts take now, and once more while they become a matrix.
    pub fn bytes_needed(&self) -> u64 {
        let counts = 3 * size_of_val(&self.entries[..]) + size_of_val(&self.ends[..]);
        let words = self.words.bytes() + self.words.len() * (size_of::<String>() + 24);
        (counts + words + self.names.bytes() + 2 * size_of_val(&self.labels[..])) as u64
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
        facts.different_words = self.words.len();
        let mut words = self.words.sorted();
        words.retain(|&number| (low..=high).contains(&f64::from(self.df[number as usize])));
        if let Some(most) = self.tokens.maximum_vocabulary.filter(|most| *most < words.len()) {
            let mut order: Vec<usize> = (0..words.len()).collect();
            order.sort_by_key(|&i| std::cmp::Reverse(self.df[words[i] as usize])); // stable: then alphabetical
            order.truncate(most);
            order.sort_unstable();
            words = order.into_iter().map(|i| words[i]).collect();
        }
        if words.is_empty() {
            return Err(Error::NoWords { words: facts.different_words, documents });
        }
        let mut labels = self.labels;
        let labelled = !labels.is_empty();
        labels.resize(if labelled { documents } else { 0 }, String::new());
        let mut place = vec![u32::MAX; self.df.len()];
        words.iter().enumerate().for_each(|(i, &number)| place[number as usize] = i as u32);
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
        drop((next, self.entries, self.ends));
        let counts = SparseMatrix::from_compressed(documents, starts, indices, values).expect("columns were counted");
        Ok(Corpus {
            counts,
            vocabulary: words.into_iter().map(|number| self.words[number as usize].to_string()).collect(),
            labels: labelled.then_some(labels),
            names: self.names,
            facts,
            stamp: None,
        })
    }
}
