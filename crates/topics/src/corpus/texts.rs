//! Counts words as texts come in.

use super::language::recognized;
use super::phrases::{Sequences, join};
use super::tokens::Found;
use super::{Corpus, Facts, Phrases, Splitter, StopWords, Text, Tokens, Told};
use crate::Error;
use merit::SparseMatrix;
use merit_dataset::strings::{Interned, Names};

/// Bytes of text, and texts, that are looked at to recognize the language.
const SAMPLE: (usize, usize) = (1 << 20, 10_000);

/// A text that waits until the language is known.
struct Waiting {
    name: String,
    text: String,
    label: Option<String>,
    time: Option<String>,
}

/// Counts of the documents so far; the texts themselves are not kept, except for the first million bytes or ten thousand texts while the language is to be found out.
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
    /// Likewise.
    times: Vec<String>,
    facts: Facts,
    /// Texts that are not counted yet, and their bytes; none once the stop words are known.
    waiting: Option<(Vec<Waiting>, usize)>,
    /// The words in their order, where phrases are to be found among them; then nothing is counted before the end.
    sequences: Option<Sequences>,
}

impl Texts {
    /// Nothing so far.
    pub fn new(tokens: Tokens) -> Self {
        let splitter = tokens.splitter();
        let waiting = tokens.stop_words.is_auto().then(Default::default);
        let sequences = matches!(tokens.phrases, Phrases::Find).then(Sequences::default);
        Self {
            waiting,
            sequences,
            tokens,
            splitter,
            words: Interned::default(),
            df: Vec::new(),
            entries: Vec::new(),
            ends: Vec::new(),
            names: Names::default(),
            labels: Vec::new(),
            times: Vec::new(),
            facts: Facts::default(),
        }
    }

    /// Counts one more document.
    pub fn add(&mut self, name: &str, text: &str, label: Option<&str>) {
        self.take(Text { name, text, label, time: None });
    }

    /// Counts one more document, with all that is known of it.
    pub fn take(&mut self, found: Text) {
        let Some((waiting, bytes)) = &mut self.waiting else { return self.count(found) };
        *bytes += found.text.len();
        let own = |part: Option<&str>| part.map(String::from);
        let (label, time) = (own(found.label), own(found.time));
        waiting.push(Waiting { name: found.name.into(), text: found.text.into(), label, time });
        if *bytes >= SAMPLE.0 || waiting.len() >= SAMPLE.1 {
            self.settle();
        }
    }

    /// Finds out the language of the texts so far, and counts them.
    fn settle(&mut self) {
        let Some((waiting, _)) = self.waiting.take() else { return };
        self.tokens.stop_words = StopWords::none();
        if let Some(found) = recognized(waiting.iter().map(|one| one.text.as_str())) {
            self.tokens.stop_words = found.language.stop_words();
            self.facts.language = Some(found.language.name.into());
            self.facts.other_languages = found.others;
        }
        if self.splitter.is_ok() {
            self.splitter = self.tokens.splitter();
        }
        for one in waiting {
            let (label, time) = (one.label.as_deref(), one.time.as_deref());
            self.count(Text { name: &one.name, text: &one.text, label, time });
        }
    }

    fn count(&mut self, Text { name, text, label, time }: Text) {
        let start = self.entries.len();
        if let Ok(splitter) = &self.splitter {
            let (words, facts) = (&mut self.words, &mut self.facts);
            match &mut self.sequences {
                Some(sequences) => {
                    splitter.each(text, &mut |found| match found {
                        Found::Word(word, follows) => sequences.push(words.number(word), follows),
                        Found::Stop => facts.stop_words += 1,
                    });
                    sequences.end();
                }
                None => {
                    let entries = &mut self.entries;
                    facts.stop_words += splitter.words(text, &mut |word| entries.push((words.number(word), 1)));
                }
            }
        }
        self.tally(start);
        self.names.push(name);
        for (list, part) in [(&mut self.labels, label), (&mut self.times, time)] {
            if let Some(part) = part {
                list.resize(self.ends.len() - 1, String::new());
                list.push(part.to_string());
            }
        }
    }

    /// Puts the words of one document, which begin at `start`, together.
    fn tally(&mut self, start: usize) {
        self.df.resize(self.words.len(), 0);
        self.facts.tokens += (self.entries.len() - start) as u64;
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
    }

    /// Finds the phrases, and counts the texts with them.
    fn join(&mut self) {
        let Some(sequences) = self.sequences.take() else { return };
        let pairs = sequences.phrases();
        let name = |&(a, b): &(u32, u32)| format!("{} {}", &self.words[a as usize], &self.words[b as usize]);
        self.tokens.phrases = Phrases::of(pairs.iter().map(name));
        self.ends.clear();
        for text in sequences.texts() {
            let start = self.entries.len();
            join(text, &pairs, &mut self.words, &mut |word| self.entries.push((word, 1)));
            self.tally(start);
        }
    }

    /// Number of documents so far.
    pub fn documents(&self) -> usize {
        self.ends.len() + self.waiting.as_ref().map_or(0, |(waiting, _)| waiting.len())
    }

    /// Different words of all documents, added up.
    pub(super) fn entries(&self) -> usize {
        self.entries.len()
    }

    /// Bytes that the counts take now, and once more while they become a matrix.
    pub fn bytes_needed(&self) -> u64 {
        let counts = 3 * size_of_val(&self.entries[..]) + size_of_val(&self.ends[..]);
        let words = self.words.bytes() + self.words.len() * (size_of::<String>() + 24);
        let held =
            self.waiting.as_ref().map_or(0, |(_, bytes)| *bytes) + self.sequences.as_ref().map_or(0, Sequences::bytes);
        (counts
            + words
            + held
            + self.names.bytes()
            + 2 * size_of_val(&self.labels[..])
            + 2 * size_of_val(&self.times[..])) as u64
    }

    /// Notes what the reader met.
    pub fn told(&mut self, told: &Told) {
        self.facts.not_utf8 = told.not_utf8;
        self.facts.western = told.western;
        self.facts.binary_files = told.binary_files;
        self.facts.other_files = told.other_files;
        self.facts.links = told.links;
        self.facts.special_files = told.special_files;
    }

    /// The counts of the words that pass the limits, which are put in alphabetical order.
    pub fn finish(mut self) -> Result<Corpus, Error> {
        self.settle();
        self.join();
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
        let complete = |mut list: Vec<String>| {
            let known = !list.is_empty();
            list.resize(documents, String::new());
            known.then_some(list)
        };
        let (labels, times) = (complete(self.labels), complete(self.times));
        let mut place = vec![u32::MAX; self.df.len()];
        words.iter().enumerate().for_each(|(i, &number)| place[number as usize] = i as u32);
        // By counting, so that only the entries and the matrix are held.
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
            labels,
            times,
            numbers: None,
            names: self.names,
            facts,
            tokens: Some(self.tokens),
            stamp: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Limit;

    /// Sentences about two things, in four languages: function words, and words that tell something.
    const LANGUAGES: [(&str, [&str; 2], [&str; 2]); 4] = [
        (
            "en",
            [
                "The ferry to the harbor is late, and that is what the captain of it said with a sigh for the crew.",
                "For the bread there is an oven, and the baker of it says that with flour it is to be kneaded.",
            ],
            ["captain crew ferry harbor late sigh", "baker bread flour kneaded oven"],
        ),
        (
            "de",
            [
                "Die Fähre ist nicht im Hafen, und der Kapitän ist mit der Mannschaft von Bord, was das auch heißt.",
                "Das Brot ist mit dem Mehl von der Mühle, und die Bäckerin hat es nicht in den Ofen geschoben.",
            ],
            ["bord fähre hafen heißt kapitän mannschaft", "brot bäckerin geschoben mehl mühle ofen"],
        ),
        (
            "fr",
            [
                "Les marins du ferry sont dans l'île pour une tempête, et le capitaine est des plus tristes, qu'il dit que oui.",
                "Pour une miche, les boulangers pétrissent la farine dans l'huile, et le four est chaud, que des braises du bois.",
            ],
            [
                "capitaine dit ferry marins oui tempête tristes île",
                "boulangers braises chaud farine four huile miche pétrissent bois",
            ],
        ),
        (
            "es",
            [
                "El capitán del barco espera en los muelles por una tormenta, con las velas rotas, y dice que no zarpa.",
                "Con el horno y una masa del molino, los panaderos hacen las hogazas por la noche, que son tiernas.",
            ],
            [
                "barco capitán dice espera muelles rotas tormenta velas zarpa",
                "hogazas horno masa molino noche panaderos tiernas",
            ],
        ),
    ];

    #[test]
    fn function_words_of_the_language_are_left_out() {
        for (code, sentences, expected) in LANGUAGES {
            let counted = |stop_words: &str| {
                let mut texts = Texts::new(Tokens {
                    stop_words: StopWords::named(stop_words).unwrap(),
                    minimum_df: Limit::Count(1),
                    ..Default::default()
                });
                (0..20).for_each(|i| texts.add("", sentences[i % 2], None));
                texts.finish().unwrap()
            };
            let (found, named, plain) = (counted("auto"), counted(code), counted("none"));
            let mut words: Vec<&str> = expected.iter().flat_map(|list| list.split(' ')).collect();
            words.sort_unstable();
            assert_eq!(found.vocabulary, words, "{code}");
            assert!(found.vocabulary == named.vocabulary && found.counts == named.counts, "{code}");
            assert_eq!(found.tokens.unwrap().stop_words.name(), code);
            assert!(plain.vocabulary.len() > found.vocabulary.len() && plain.facts.stop_words == 0);
            assert_eq!(found.facts.stop_words, named.facts.stop_words);
            assert!(found.facts.language.is_some() && named.facts.language.is_none());
        }
    }

    /// The sample ends in the middle of the corpus: what comes before and after it is cut in the same way.
    #[test]
    fn texts_after_the_sample_are_counted_too() {
        let mut texts = Texts::new(Tokens { stop_words: StopWords::auto(), ..Default::default() });
        let long = format!("{} harbor", LANGUAGES[0].1[0]).repeat(4_000);
        for i in 0..6 {
            texts.add(&i.to_string(), if i % 2 == 0 { &long } else { LANGUAGES[0].1[1] }, Some("x"));
        }
        assert_eq!(texts.documents(), 6);
        let corpus = texts.finish().unwrap();
        assert_eq!(corpus.names.iter().collect::<Vec<_>>(), ["0", "1", "2", "3", "4", "5"]);
        assert!(corpus.counts.rows() == 6 && corpus.labels.unwrap().len() == 6);
        assert!(!corpus.vocabulary.iter().any(|word| word == "the"));
    }
}
