//! The page of topics: cards, a map, which topics share documents, and how the solver went.
//!
//! The cards can be read without scripts; with them, a click opens a card (more words, typical documents), a slider orders
//! words by relevance, and a search finds a word in all topics,
//!
//! ```text
//! relevance(w, k) = lambda ln p(w|k) + (1 - lambda) ln( p(w|k) / p(w) )        Sievert and Shirley 2014
//! ```
//!
//! over the words that the page carries: as many for each topic as keep the page small, and the caption says how many.
//!
//! ```
//! use merit_report::topics::{Topic, TopicsReport, Word, render};
//! let word = |word: &str, weight| Word { word: word.into(), weight, frequency: 0.1 };
//! let topic = Topic { anchor: Some("river".into()), words: vec![word("river", 0.5), word("<boat>", 0.3)], ..Topic::default() };
//! let html = render(&TopicsReport { topics: vec![topic], ..TopicsReport::default() });
//! assert!(html.contains("&lt;boat&gt;") && html.contains("id=\"topic-0\""));
//! ```

use crate::chart::{HeatMap, Name, Point, Scatter, ScatterPoint, Width, heat_map, scatter};
use crate::model::{Report, Setting, Stage, Table, TracePoint};
use crate::page::{Page, Section, figure, figures, paragraph, table};
use crate::run::{convergence, settings};
use crate::text::{bytes, escape, number, plural, seconds, shorten, significant, size};

const STYLE: &str = include_str!("assets/topics.css");
const SCRIPT: &str = include_str!("assets/topics.js");

/// Words on a closed card.
const CARD_WORDS: usize = 10;

/// Everything the page shows.
#[derive(Debug, Clone, Default)]
pub struct TopicsReport {
    /// Name of the input, as the user typed it.
    pub input: String,
    /// The method in words a reader knows.
    pub method: String,
    /// Number of documents.
    pub documents: usize,
    /// Number of words that take part.
    pub words: usize,
    /// The topics.
    pub topics: Vec<Topic>,
    /// Mean coherence.
    pub coherence: f64,
    /// Top words that topics share.
    pub similarity_count: usize,
    /// With labels only.
    pub clustering_accuracy: Option<f64>,
    /// Where each topic is on the map; empty for no map.
    pub places: Vec<(f64, f64)>,
    /// How much topics share documents, topics x topics; empty for no such section.
    pub together: Vec<f64>,
    /// Warnings and remarks.
    pub notes: Vec<String>,
    /// What the solver's observers saw.
    pub trace: Vec<TracePoint>,
    /// Every setting as used.
    pub settings: Vec<Setting>,
    /// Time per stage.
    pub seconds: Vec<Stage>,
    /// The process's largest resident set.
    pub peak_rss_bytes: Option<u64>,
    /// Version of the program.
    pub version: String,
    /// The command line.
    pub command: Option<String>,
}

/// One topic.
#[derive(Debug, Clone, Default)]
pub struct Topic {
    /// Its anchor word, if it has one.
    pub anchor: Option<String>,
    /// Part of the corpus that it makes up.
    pub size: f64,
    /// Its coherence.
    pub coherence: f64,
    /// Its words on the page, heaviest first.
    pub words: Vec<Word>,
    /// Its most typical documents.
    pub documents: Vec<Document>,
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

/// A document of a topic.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// Its name.
    pub name: String,
    /// Part of it that is this topic.
    pub share: f64,
    /// Its beginning; empty where there were no texts.
    pub excerpt: String,
}

/// The page.
pub fn render(report: &TopicsReport) -> String {
    let solver = Report {
        columns: report.words,
        column_name: "word".into(),
        trace: report.trace.clone(),
        settings: report.settings.clone(),
        seconds: report.seconds.clone(),
        ..Report::default()
    };
    let sections = [
        cards(report),
        map(report),
        together(report),
        overview(report),
        convergence::section(&solver),
        settings(&solver),
    ];
    let command = report.command.iter().map(|command| format!("$ {command}"));
    Page {
        title: if report.input.is_empty() { "Topics".into() } else { report.input.clone() },
        eyebrow: format!("Merit {} · topics", report.version),
        lead: lead(report),
        sections: sections.into_iter().flatten().collect(),
        footer: command.chain((!report.version.is_empty()).then(|| format!("merit {}", report.version))).collect(),
        style: STYLE.into(),
        script: SCRIPT.into(),
    }
    .html()
}

fn lead(report: &TopicsReport) -> String {
    let mut html = format!(
        "<p class=\"lead\"><strong>{}</strong> in {} of {}, found by {}.</p>",
        escape(&plural(report.topics.len(), "topic")),
        escape(&plural(report.documents, "document")),
        escape(&plural(report.words, "word")),
        escape(if report.method.is_empty() { "Merit" } else { &report.method })
    );
    let mut facts = vec![
        ("coherence", number(report.coherence), "closer to 0 is better"),
        ("similarity count", size(report.similarity_count), "top words that topics share"),
    ];
    if let Some(accuracy) = report.clustering_accuracy {
        facts.push(("clustering accuracy", significant(accuracy, 3), "against the labels"));
    }
    let total: f64 = report.seconds.iter().map(|stage| stage.seconds).sum();
    facts.push(("time", seconds(total), "reading included"));
    if let Some(peak) = report.peak_rss_bytes {
        facts.push(("peak memory", bytes(peak.into()), "of the whole process"));
    }
    html += "<dl class=\"figures-of-merit\">";
    for (name, value, meaning) in facts {
        html += &format!("<div><dt>{name}</dt><dd>{}<small>{meaning}</small></dd></div>", escape(&value));
    }
    html += "</dl>";
    if !report.notes.is_empty() {
        let items: String = report.notes.iter().map(|note| format!("<li>{}</li>", escape(note))).collect();
        html += &format!("<div class=\"notes\"><h2>To know</h2><ul>{items}</ul></div>");
    }
    html
}

/// What a topic is called.
fn name_of(report: &TopicsReport, k: usize) -> String {
    let topic = &report.topics[k];
    let first = || topic.words.first().map(|word| word.word.clone());
    topic.anchor.clone().or_else(first).unwrap_or_else(|| "(empty)".into())
}

fn cards(report: &TopicsReport) -> Option<Section> {
    if report.topics.is_empty() {
        return None;
    }
    let kind =
        if report.topics.iter().any(|topic| topic.anchor.is_some()) { "its anchor word" } else { "its heaviest word" };
    let carried = report.topics.iter().map(|topic| topic.words.len()).max().unwrap_or(0);
    let mut body = paragraph(&format!(
        "A topic is named by {kind}; bars are the weights of its words. Click a name for more words and typical documents. The page \
         carries up to {carried} words of each topic, which the search and the slider go by."
    ));
    body += "<div class=\"topic-tools\" hidden><label>Find a word <input type=\"search\" id=\"word-search\" autocomplete=\"off\"></label>\
             <label>Relevance: exclusive <input type=\"range\" id=\"relevance\" min=\"0\" max=\"1\" step=\"0.05\" value=\"1\"> heavy</label>\
             <output id=\"relevance-value\" for=\"relevance\">1.00</output><output id=\"word-found\" for=\"word-search\"></output></div>";
    body += "<div class=\"topic-cards\">";
    (0..report.topics.len()).for_each(|k| body += &card(report, k));
    body += &format!("</div><div id=\"topics-data\" hidden>{}</div>", escape(&data(report)));
    Some(Section::new("topics", "Topics", body))
}

fn card(report: &TopicsReport, k: usize) -> String {
    let topic = &report.topics[k];
    let largest = topic.words.first().map_or(1.0, |word| word.weight).max(f64::MIN_POSITIVE);
    let bar = |word: &Word| {
        format!(
            "<li><span class=\"word\">{}</span><span class=\"bar\" style=\"--p:{:.1}%\"></span><span class=\"value\">{}</span></li>",
            escape(&word.word),
            100.0 * word.weight / largest,
            escape(&significant(word.weight, 3))
        )
    };
    let bars: String = topic.words.iter().take(CARD_WORDS).map(bar).collect();
    let document = |document: &Document| {
        let excerpt =
            if document.excerpt.is_empty() { String::new() } else { format!(": {}", escape(&document.excerpt)) };
        let share = significant(100.0 * document.share, 3);
        format!("<li><strong>{}</strong> <span class=\"share\">{share} %</span>{excerpt}</li>", escape(&document.name))
    };
    let documents: String = topic.documents.iter().map(document).collect();
    format!(
        "<article class=\"topic-card\" id=\"topic-{k}\" data-topic=\"{k}\"><h3><button type=\"button\" class=\"topic-open\" \
         aria-expanded=\"false\" aria-controls=\"topic-{k}-more\"><span class=\"number\">{k}</span>{}</button></h3>\
         <p class=\"facts\">{} % of the corpus, coherence {}</p><ol class=\"bars\">{bars}</ol>\
         <div class=\"more\" id=\"topic-{k}-more\" hidden><h4>Typical documents</h4><ol>{documents}</ol></div></article>",
        escape(&name_of(report, k)),
        significant(100.0 * topic.size, 3),
        number(topic.coherence),
    )
}

/// What the script reads.
fn data(report: &TopicsReport) -> String {
    let word = |word: &Word| format!("[{},{:.3e},{:.3e}]", quoted(&word.word), word.weight, word.frequency.max(1e-300));
    let topic = |topic: &Topic| {
        let words: Vec<String> = topic.words.iter().filter(|w| w.weight > 0.0).map(word).collect();
        format!("{{\"words\":[{}]}}", words.join(","))
    };
    format!("{{\"topics\":[{}]}}", report.topics.iter().map(topic).collect::<Vec<_>>().join(","))
}

/// A string in JSON.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out + "\""
}

fn map(report: &TopicsReport) -> Option<Section> {
    if report.places.len() < 2 || report.places.len() != report.topics.len() {
        return None;
    }
    let anchors = report.places.iter().enumerate().map(|(k, &(x, y))| ScatterPoint {
        point: Point {
            x,
            y,
            tip: format!(
                "topic {k}: {}\n{} % of the corpus",
                name_of(report, k),
                significant(100.0 * report.topics[k].size, 3)
            ),
        },
        label: shorten(&name_of(report, k), 18),
    });
    let chart = scatter(&Scatter {
        name: Name::new("chart-map", "The topics in the plane: near topics use similar words."),
        width: Width::Full,
        x_name: "first coordinate".into(),
        y_name: "second coordinate".into(),
        groups: Vec::new(),
        anchors: anchors.collect(),
        anchor_name: "topic".into(),
    });
    let caption = "Distances are square roots of Jensen-Shannon divergences between the topics' words, put into the plane by classical scaling; \
                   what the plane cannot hold is lost.";
    Some(Section::new("map", "Map", figures(&[figure("Which topics use similar words", &chart, caption)])))
}

fn together(report: &TopicsReport) -> Option<Section> {
    let k = report.topics.len();
    if k < 2 || report.together.len() != k * k {
        return None;
    }
    let mut values = report.together.clone();
    (0..k).for_each(|i| values[i * k + i] = f64::NAN); // a topic is always with itself
    let chart = heat_map(&HeatMap {
        name: Name::new("chart-together", "How much two topics appear in the same documents."),
        x_name: "topic".into(),
        y_name: "topic".into(),
        value_name: "cosine".into(),
        column_word: "topic".into(),
        rows: (0..k).map(|i| format!("{i}: {}", name_of(report, i))).collect(),
        columns: (0..k).collect(),
        values,
        cap: None,
        ordered: true,
        blocks: Vec::new(),
    });
    let caption = "Cosine between the weights that two topics have in the documents: 0 if they never share one.";
    Some(Section::new(
        "together",
        "Topics in the same documents",
        figures(&[figure("Co-occurrence of topics", &chart, caption)]),
    ))
}

fn overview(report: &TopicsReport) -> Option<Section> {
    let row = |k: usize| {
        let topic = &report.topics[k];
        let words: Vec<&str> = topic.words.iter().take(8).map(|word| word.word.as_str()).collect();
        vec![
            k.to_string(),
            name_of(report, k),
            format!("{:.1} %", 100.0 * topic.size),
            number(topic.coherence),
            words.join(" "),
        ]
    };
    let columns = ["topic", "name", "size", "coherence", "words"].map(String::from).to_vec();
    let rows: Vec<Vec<String>> = (0..report.topics.len()).map(row).collect();
    (!rows.is_empty()).then(|| {
        Section::new("overview", "All topics", table("all-topics", &Table { columns, rows, ..Table::default() }))
    })
}
