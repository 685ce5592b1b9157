//! Texts to topics:
//!
//! ```console
//! $ cargo run --release -p merit-topics --example topics
//! ```

use merit::metrics::top_words;
use merit_topics::corpus::{StopWords, Texts, Tokens};
use merit_topics::model::fit;
use merit_topics::{AnchorWords, Error, Settings};

/// What is talked about at the river, in the bakery and in court.
const WORDS: [&str; 3] = [
    "river boat harbor fishing water net village",
    "bread flour oven baker water salt dough",
    "court judge jury lawyer verdict trial law",
];

/// A text about one of the three, with a word of another now and then.
fn text(i: usize) -> String {
    let words: Vec<Vec<&str>> = WORDS.iter().map(|list| list.split(' ').collect()).collect();
    let own = (0..5).map(|n| words[i % 3][(i / 3 + n * n) % 7]);
    let other = words[(i / 5) % 3][(i / 7) % 7];
    own.chain([other]).collect::<Vec<_>>().join(" ")
}

fn main() -> Result<(), Error> {
    let mut texts = Texts::new(Tokens { stop_words: StopWords::named("en")?, ..Default::default() });
    (0..60).for_each(|i| texts.add(&format!("text {i}"), &text(i), None));
    let corpus = texts.finish()?;
    let settings = Settings { topics: Some(3.into()), ..Default::default() };
    let model = fit(&corpus.counts, &settings, &AnchorWords::default(), &mut ())?;
    let word = |n: usize| corpus.vocabulary[model.words[n]].as_str();
    for (k, top) in top_words(&model.topics, 5).into_iter().enumerate() {
        let words: Vec<&str> = top.into_iter().map(word).collect();
        println!("topic {k}, anchor `{}`: {}", word(model.anchors[k]), words.join(", "));
    }
    Ok(())
}
