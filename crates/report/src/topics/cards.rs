//! A card for every topic, and the tools above them: search and relevance.

use super::{Document, FIRST_ORDER, TopicsReport, Word, data, first_words, name_of, percentage};
use crate::model::Table;
use crate::page::{Section, folded, paragraph, table};
use crate::text::{escape, plural, significant, size};

/// Words on a closed card: fewer where there are many cards.
const CARD_WORDS: [(usize, usize); 3] = [(12, 10), (24, 8), (usize::MAX, 6)];
/// Typical documents on a card: likewise.
const CARD_DOCUMENTS: [(usize, usize); 2] = [(24, 5), (usize::MAX, 3)];
/// Topics that a card names as being in the same documents, and how often they must be.
const NEIGHBOURS: (usize, f64) = (4, 0.05);

pub(super) fn section(report: &TopicsReport) -> Option<Section> {
    if report.topics.is_empty() {
        return None;
    }
    let anchors = report.topics.iter().any(|topic| topic.anchor.is_some());
    let anchor = if anchors {
        "The anchor word (◆) is a word that, by the model, belongs to this topic alone; it may be a rare one. "
    } else {
        ""
    };
    let mut body = paragraph(&format!(
        "A topic is named by the three words that tell it best: those that appear with its anchor and with no other. Bars are the probabilities of words within the topic. {anchor}Open a card for more words, typical documents, \
         and the topics that come with it. Coherence is NPMI: the larger, the more often its ten most telling words are in the same documents."
    ));
    body += &tools(report);
    body += "<div class=\"topic-cards\">";
    (0..report.topics.len()).for_each(|k| body += &card(report, k));
    body += "</div>";
    body += &folded("All topics as a table", &overview(report));
    body += &format!("<div id=\"topics-data\" hidden>{}</div>", data::json(report));
    Some(Section::new("topics", "Topics", body))
}

fn tools(report: &TopicsReport) -> String {
    let carried = data::dictionary(report).len();
    let words = if carried < report.words {
        format!(
            "The search goes over {} of {} words, the weightiest and most exclusive of each topic; topic_words.npz has all.",
            size(carried),
            size(report.words)
        )
    } else {
        format!("The search goes over all {} words.", size(report.words))
    };
    format!(
        "<div class=\"topic-tools\" hidden>\
         <label class=\"tool\"><span>Find a word</span><input type=\"search\" id=\"word-search\" autocomplete=\"off\" spellcheck=\"false\" aria-describedby=\"word-scope\"></label>\
         <div class=\"tool\"><label for=\"relevance\">Order of words, λ = <output id=\"relevance-value\" for=\"relevance\">{FIRST_ORDER:.2}</output></label>\
         <div class=\"slider\"><span>exclusive</span><input type=\"range\" id=\"relevance\" min=\"0\" max=\"1\" step=\"0.05\" value=\"{FIRST_ORDER}\"><span>heavy</span></div></div>\
         <label class=\"tool\"><span>Order of topics</span><select id=\"topic-order\"><option value=\"size\">largest first</option>\
         <option value=\"coherence\">most coherent first</option></select></label>\
         <div id=\"word-found\" role=\"status\" aria-live=\"polite\"></div></div><p class=\"caption\" id=\"word-scope\">Relevance is λ ln p(w|k) + (1 − λ) ln (p(w|k) / p(w)), as in LDAvis: \
         at 1 the heaviest words of a topic, at 0 those it shares least with others. {}</p>",
        escape(&words)
    )
}

fn card(report: &TopicsReport, k: usize) -> String {
    let topic = &report.topics[k];
    let count = for_topics(&CARD_WORDS, report.topics.len());
    let first = first_words(topic, count);
    let largest = first.iter().map(|word| word.weight).fold(f64::MIN_POSITIVE, f64::max);
    let bar = |word: &Word| {
        let class = if topic.anchor.as_deref() == Some(&word.word) { " class=\"is-anchor\"" } else { "" };
        format!(
            "<li{class}><span class=\"word\">{}</span><span class=\"bar\" style=\"--p:{:.1}%\"></span><span class=\"value\">{}</span></li>",
            escape(&word.word),
            100.0 * word.weight / largest,
            weight(word.weight)
        )
    };
    let bars: String = first.into_iter().map(bar).collect();
    let anchor = topic.anchor.as_ref().map_or(String::new(), |word| {
        format!(
            "<p class=\"anchor-word\"><span aria-hidden=\"true\">◆</span> anchor word <strong>{}</strong></p>",
            escape(word)
        )
    });
    format!(
        "<article class=\"topic-card\" id=\"topic-{k}\" data-topic=\"{k}\" data-words=\"{count}\" data-size=\"{}\" data-coherence=\"{}\"><h3><button type=\"button\" class=\"topic-open\" \
         aria-expanded=\"false\" aria-controls=\"topic-{k}-more\"><span class=\"number\">{k}</span><span class=\"title\">{}</span></button></h3>{anchor}\
         <p class=\"facts\"><span class=\"share\" style=\"--p:{:.1}%\"></span>{} of the corpus · largest in {} · coherence {}</p>\
         <div class=\"inside\"><ol class=\"bars\">{bars}</ol>\
         <div class=\"more\" id=\"topic-{k}-more\" hidden>{}</div></div></article>",
        topic.size,
        topic.coherence,
        escape(&name_of(report, k, 3)),
        100.0 * topic.size,
        percentage(topic.size),
        plural(topic.leads, "document"),
        significant(topic.coherence, 2),
        more(report, k),
    )
}

/// The number that goes with this many topics.
fn for_topics(steps: &[(usize, usize)], topics: usize) -> usize {
    steps.iter().find(|(most, _)| topics <= *most).map_or(0, |(_, count)| *count)
}

/// The weight of a word: most are below a percent.
fn weight(part: f64) -> String {
    if part < 0.0001 { "< 0.01 %".into() } else { format!("{:.2} %", 100.0 * part) }
}

/// What an open card shows in addition to more words.
fn more(report: &TopicsReport, k: usize) -> String {
    let document = |document: &Document| {
        let share = document.shares.iter().find(|(topic, _)| *topic == k).map_or(0.0, |(_, share)| *share);
        let excerpt = if document.excerpt.is_empty() {
            String::new()
        } else {
            format!("<p class=\"excerpt\">{}</p>", escape(&document.excerpt))
        };
        format!(
            "<li><strong>{}</strong> <span class=\"part\">{}</span>{excerpt}</li>",
            escape(&document.title()),
            percentage(share)
        )
    };
    let listed = report.topics[k].documents.iter().filter_map(|&d| report.listed.get(d));
    let documents: String = listed.take(for_topics(&CARD_DOCUMENTS, report.topics.len())).map(document).collect();
    let mut html = if documents.is_empty() {
        "<p class=\"facts\">No document has this topic.</p>".to_string()
    } else {
        format!(
            "<h4>Typical documents</h4><ol class=\"typical\">{documents}</ol>\
             <p><button type=\"button\" class=\"link to-documents\" data-topic=\"{k}\" hidden>More documents of this topic</button></p>"
        )
    };
    let count = report.topics.len();
    let mut others: Vec<(usize, f64)> = (0..count)
        .filter(|&other| other != k)
        .filter_map(|other| Some((other, *report.together.get(k * count + other)?)))
        .filter(|(_, cosine)| *cosine >= NEIGHBOURS.1)
        .collect();
    others.sort_by(|a, b| b.1.total_cmp(&a.1));
    if !others.is_empty() {
        let chip = |(other, cosine): &(usize, f64)| {
            format!(
                "<li><a class=\"chip\" href=\"#topic-{other}\">{other} {} <small>{cosine:.2}</small></a></li>",
                escape(&name_of(report, *other, 1))
            )
        };
        let chips: String = others.iter().take(NEIGHBOURS.0).map(chip).collect();
        html += &format!("<h4>Often in the same documents</h4><ul class=\"chips\">{chips}</ul>");
    }
    html
}

fn overview(report: &TopicsReport) -> String {
    let row = |k: usize| {
        let topic = &report.topics[k];
        let words = &topic.telling[..topic.telling.len().min(8)];
        vec![
            k.to_string(),
            topic.anchor.clone().unwrap_or_else(|| "–".into()),
            format!("{:.1} %", 100.0 * topic.size),
            size(topic.leads),
            significant(topic.coherence, 2),
            words.join(" "),
        ]
    };
    let columns = ["topic", "anchor", "size", "largest in", "coherence", "words"].map(String::from).to_vec();
    table("all-topics", &Table { columns, rows: (0..report.topics.len()).map(row).collect(), ..Table::default() })
}
