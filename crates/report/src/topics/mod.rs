//! The page of topics: a map, cards, documents, which topics share documents, and how the solver went.
//!
//! The map and the cards can be read without scripts; with them, a click on a circle or a card opens the topic (more words, typical
//! documents, topics in the same documents), a slider orders words by relevance, a search finds a word in all topics, and the
//! documents of a topic can be paged through,
//!
//! ```text
//! relevance(w, k) = lambda ln p(w|k) + (1 - lambda) ln( p(w|k) / p(w) )        Sievert and Shirley 2014
//! ```
//!
//! over the words and documents that the page carries: as many for each topic as keep the page small, and the captions say how many.
//!
//! ```
//! use merit_report::topics::{Topic, TopicsReport, Word, render};
//! let word = |word: &str, weight| Word { word: word.into(), weight, frequency: 0.1 };
//! let topic = Topic { anchor: Some("river".into()), words: vec![word("river", 0.5), word("<boat>", 0.3)], ..Topic::default() };
//! let html = render(&TopicsReport { topics: vec![topic], ..TopicsReport::default() });
//! assert!(html.contains("&lt;boat&gt;") && html.contains("id=\"topic-0\""));
//! ```

mod cards;
mod choice;
mod data;
mod documents;
mod labels;
mod numbers;
mod relations;
mod times;

pub use labels::Label;
pub use numbers::Number;
pub use times::Period;

use crate::model::{Report, RunFacts};
use crate::page::{Page, footer, key_figures, notes};
use crate::run::{convergence, settings};
use crate::text::{bytes, escape, plural, seconds, significant};

const STYLE: &str = include_str!("../assets/topics.css");
const SCRIPT: &str = include_str!("../assets/topics.js");

/// Lambda of the relevance that orders the words of topics at first: where readers judged topics best (Sievert and Shirley 2014).
const FIRST_ORDER: f64 = 0.6;

/// Everything the page shows.
#[derive(Debug, Clone, Default)]
pub struct TopicsReport {
    /// What the page of every run says.
    pub run: RunFacts,
    /// Number of documents.
    pub documents: usize,
    /// Number of words that take part.
    pub words: usize,
    /// Those among which anchors were looked for.
    pub searched_words: usize,
    /// The topics.
    pub topics: Vec<Topic>,
    /// Mean NPMI of the topics.
    pub npmi: f64,
    /// Mean c_v of the topics.
    pub c_v: f64,
    /// Different words among the first ten of all topics, over their number.
    pub diversity: f64,
    /// Accuracy and NMI of main topics, with labels only.
    pub against_labels: Option<(f64, f64)>,
    /// Anchor sets that were compared.
    pub tried: Vec<Tried>,
    /// The main topics of the documents of each label, where there are labels.
    pub labels: Vec<Label>,
    /// Numbers of topics that were tried, rising.
    pub numbers: Vec<Number>,
    /// Topics over time, where documents have dates.
    pub periods: Vec<Period>,
    /// Where each topic is on the map; empty for no map.
    pub positions: Vec<(f64, f64)>,
    /// How much topics share documents, topics x topics; empty for no such section.
    pub together: Vec<f64>,
    /// The documents that the page carries.
    pub listed: Vec<Document>,
}

/// One topic.
#[derive(Debug, Clone, Default)]
pub struct Topic {
    /// The name that a person gave it.
    pub name: Option<String>,
    /// Its anchor word, if it has one.
    pub anchor: Option<String>,
    /// Part of the corpus that it makes up.
    pub size: f64,
    /// Its coherence, as NPMI.
    pub coherence: f64,
    /// Documents in which no other topic is larger.
    pub leads: usize,
    /// The words that describe it best, the best first; they name it.
    pub telling: Vec<String>,
    /// Its words on the page, heaviest first.
    pub words: Vec<Word>,
    /// Its most typical documents, by their index in [`TopicsReport::listed`].
    pub documents: Vec<usize>,
}

/// Anchors that were tried.
#[derive(Debug, Clone, Default)]
pub struct Tried {
    /// Who found them.
    pub method: String,
    /// Documents that an anchor had to be in.
    pub minimum_documents: usize,
    /// Words that are in at least that many.
    pub words: usize,
    /// Part of the documents whose halves have the same main topic.
    pub agreement: f64,
    /// Anchors that the chosen set has too.
    pub anchors_shared: usize,
    /// Whether they were taken.
    pub chosen: bool,
}

/// A word of a topic.
#[derive(Debug, Clone, Default)]
pub struct Word {
    /// The word.
    pub word: String,
    /// `p(w|k)`.
    pub weight: f64,
    /// `p(w)`.
    pub frequency: f64,
}

impl Word {
    /// Its relevance: frequent words at `lambda` 1, exclusive ones at 0.
    fn relevance(&self, lambda: f64) -> f64 {
        let frequency = self.frequency.max(f64::MIN_POSITIVE);
        lambda * self.weight.ln() + (1.0 - lambda) * (self.weight / frequency).ln()
    }
}

/// A document.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// Its name.
    pub name: String,
    /// Its largest topics with the part that each makes up.
    pub shares: Vec<(usize, f64)>,
    /// A passage of it; empty where there were no texts.
    pub excerpt: String,
}

/// The page.
pub fn render(report: &TopicsReport) -> String {
    let solver = Report {
        columns: report.searched_words,
        column_name: "word".into(),
        run: report.run.clone(),
        ..Report::default()
    };
    let sections = [
        relations::map(report),
        cards::section(report),
        times::section(report),
        labels::section(report),
        documents::section(report),
        relations::together(report),
        numbers::section(report),
        choice::section(report),
        convergence::section(&solver).filter(|_| report.run.trace.len() > 1), // one dot is not a chart
        settings(&solver),
    ];
    Page {
        title: if report.run.input.is_empty() { "Topics".into() } else { report.run.input.clone() },
        eyebrow: format!("Merit {} · topics", report.run.version),
        lead: lead(report),
        sections: sections.into_iter().flatten().collect(),
        footer: footer(report.run.command.as_deref(), &report.run.version),
        style: STYLE.into(),
        script: SCRIPT.into(),
    }
    .html()
}

fn lead(report: &TopicsReport) -> String {
    let html = format!(
        "<p class=\"lead\"><strong>{}</strong> in {} of {}, found by {}.</p>",
        escape(&plural(report.topics.len(), "topic")),
        escape(&plural(report.documents, "document")),
        escape(&plural(report.words, "word")),
        escape(if report.run.method.is_empty() { "Merit" } else { &report.run.method })
    );
    let mut facts = vec![
        ("coherence (NPMI)", significant(report.npmi, 2), "from −1 to 1; words of a topic in the same documents"),
        ("c_v", significant(report.c_v, 2), "from 0 to 1; how similar the company they keep is"),
        ("diversity", significant(report.diversity, 2), "1 if topics share none of their first words"),
    ];
    if let Some((accuracy, nmi)) = report.against_labels {
        facts.push(("accuracy", significant(accuracy, 3), "main topics matched to the labels"));
        facts.push(("NMI", significant(nmi, 3), "what main topics say about the labels"));
    }
    facts.push(("time", seconds(report.run.total_seconds()), "reading included"));
    if let Some(peak) = report.run.peak_rss_bytes {
        facts.push(("peak memory", bytes(peak.into()), "of the whole process"));
    }
    format!("{html}{}{}", key_figures(&facts), notes(&report.run.notes))
}

/// The `count` words of a topic that its card shows at first.
fn first_words(topic: &Topic, count: usize) -> Vec<&Word> {
    let mut words: Vec<&Word> = topic.words.iter().filter(|word| word.weight > 0.0).collect();
    words.sort_by(|a, b| b.relevance(FIRST_ORDER).total_cmp(&a.relevance(FIRST_ORDER)));
    words.truncate(count);
    words
}

/// The name of a topic: given by a person, or its `count` most telling words.
fn name_of(report: &TopicsReport, k: usize, count: usize) -> String {
    let words = &report.topics[k].telling;
    if let Some(name) = &report.topics[k].name {
        return name.clone();
    }
    if words.is_empty() { "(no words)".into() } else { words[..count.min(words.len())].join(" · ") }
}

impl Document {
    /// Its name; a number alone would read as a rank.
    fn title(&self) -> String {
        let number = !self.name.is_empty() && self.name.bytes().all(|byte| byte.is_ascii_digit());
        if number { format!("document {}", self.name) } else { self.name.clone() }
    }
}

/// A part of a whole, with as many decimals as a reader wants.
fn percentage(part: f64) -> String {
    match 100.0 * part {
        0.0 => "0 %".into(),
        p if p < 0.1 => "< 0.1 %".into(),
        p if p < 9.95 => format!("{p:.1} %"),
        p => format!("{p:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(words: &[(&str, f64, f64)]) -> Topic {
        let word = |&(word, weight, frequency): &(&str, f64, f64)| Word { word: word.into(), weight, frequency };
        Topic { words: words.iter().map(word).collect(), size: 0.5, ..Topic::default() }
    }

    #[test]
    fn cards_begin_with_the_most_relevant_words_and_not_the_heaviest() {
        let words =
            [("also", 0.3, 0.3), ("river", 0.2, 0.01), ("boat", 0.1, 0.01), ("new", 0.05, 0.05), ("zero", 0.0, 0.1)];
        let topic = topic(&words);
        let first: Vec<&str> = first_words(&topic, 3).into_iter().map(|word| word.word.as_str()).collect();
        assert_eq!(first, ["river", "boat", "also"]);
    }

    #[test]
    fn names_are_the_telling_words() {
        let telling = ["river", "boat", "fish"].map(String::from).to_vec();
        let report =
            TopicsReport { topics: vec![Topic { telling, ..topic(&[]) }, topic(&[])], ..TopicsReport::default() };
        assert_eq!(
            (name_of(&report, 0, 2).as_str(), name_of(&report, 0, 9).as_str()),
            ("river · boat", "river · boat · fish")
        );
        assert_eq!(name_of(&report, 1, 3), "(no words)");
    }

    #[test]
    fn one_topic_without_documents_makes_a_page_without_map_and_list() {
        let html =
            render(&TopicsReport { topics: vec![topic(&[])], positions: vec![(0.0, 0.0)], ..TopicsReport::default() });
        assert!(html.contains("id=\"topic-0\"") && html.contains("No document has this topic."));
        assert!(!html.contains("id=\"chart-map\"") && !html.contains("id=\"documents\"") && !html.contains("NaN"));
    }

    #[test]
    fn the_page_says_how_much_of_the_corpus_it_carries() {
        let listed = vec![Document { name: "7".into(), shares: vec![(0, 1.0)], excerpt: "<b>".into() }];
        let topics = vec![Topic { documents: vec![0], ..topic(&[("river", 0.2, 0.01)]) }];
        let html =
            render(&TopicsReport { topics, listed, documents: 100_000, words: 30_000, ..TopicsReport::default() });
        assert!(html.contains("carries 1 of 100,000 documents") && html.contains("over 1 of 30,000 words"));
        assert!(html.contains("<strong>document 7</strong>") && html.contains("&lt;b&gt;") && !html.contains("<b>"));
    }

    #[test]
    fn parts_read_well() {
        let cases = [(0.0, "0 %"), (0.0004, "< 0.1 %"), (0.0123, "1.2 %"), (0.0999, "10 %"), (1.0, "100 %")];
        cases.iter().for_each(|(part, text)| assert_eq!(percentage(*part), *text));
    }
}
