//! Which topics are near each other: by their words (the map), and by their documents (the heat map).

use super::{TopicsReport, name_of, percentage};
use crate::chart::{Bubble, BubbleMap, HeatMap, Name, Point, bubble_map, heat_map};
use crate::page::{Section, figure, figures};
use crate::text::{escape, plural, shorten};

/// Letters of a name on the map and beside the heat map.
const LETTERS: usize = 18;
/// Topics that the list beside the map shows without scrolling.
const FITTING: usize = 13;

/// The topics in the plane.
pub(super) fn map(report: &TopicsReport) -> Option<Section> {
    if report.positions.len() < 2 || report.positions.len() != report.topics.len() {
        return None;
    }
    let bubble = |(k, &(x, y)): (usize, &(f64, f64))| {
        let topic = &report.topics[k];
        let leads = plural(topic.leads, "document");
        let tip =
            format!("{k}: {}\n{} of the corpus, largest in {leads}", name_of(report, k, 3), percentage(topic.size));
        let label = format!("{k} {}", shorten(&name_of(report, k, 1), LETTERS));
        Bubble { point: Point { x, y, tip }, size: topic.size, label, target: format!("topic-{k}") }
    };
    let sizes = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
    let chart = bubble_map(&BubbleMap {
        name: Name::new(
            "chart-map",
            "The topics in the plane: near topics use similar words, larger circles are larger topics.",
        ),
        x_name: "first direction".into(),
        y_name: "second direction".into(),
        legend: sizes.map(|size| (size, format!("{} %", 100.0 * size))).to_vec(),
        bubbles: report.positions.iter().enumerate().map(bubble).collect(),
    });
    let caption = "Each circle is a topic, with its number and its most relevant word; its area is its part of the corpus. Topics that use similar \
                   words lie near each other: distances are square roots of Jensen-Shannon divergences, put into the plane by classical scaling, so some are cut short. \
                   A click, or Enter on the circle that the arrow keys reached, opens the topic.";
    let body = format!(
        "<div class=\"atlas\">{}{}</div>",
        figure("Which topics use similar words", &chart, caption),
        ranking(report)
    );
    Some(Section::new("map", "Map", body))
}

/// All topics, the largest first, each a link to its card.
fn ranking(report: &TopicsReport) -> String {
    let mut order: Vec<usize> = (0..report.topics.len()).collect();
    order.sort_by(|&a, &b| report.topics[b].size.total_cmp(&report.topics[a].size).then(a.cmp(&b)));
    let largest = order.first().map_or(1.0, |&k| report.topics[k].size).max(f64::MIN_POSITIVE);
    let row = |&k: &usize| {
        format!(
            "<li><a href=\"#topic-{k}\"><span class=\"number\">{k}</span><span class=\"title\">{}</span><span class=\"size\">{}</span>\
             <span class=\"bar\" style=\"--p:{:.1}%\"></span></a></li>",
            escape(&name_of(report, k, 3)),
            percentage(report.topics[k].size),
            100.0 * report.topics[k].size / largest
        )
    };
    let rows: String = order.iter().map(row).collect();
    let (long, hint) = match order.len() {
        count if count > FITTING => (" long", format!("<p class=\"hint\">Scroll for all {count}.</p>")),
        _ => ("", String::new()),
    };
    let title = format!("The {} topics, the largest first", order.len());
    format!("<div class=\"ranking{long}\"><h3>{title}</h3><ol>{rows}</ol>{hint}</div>")
}

/// How often two topics are in the same documents.
pub(super) fn together(report: &TopicsReport) -> Option<Section> {
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
        column_word: "with topic".into(),
        rows: (0..k).map(|i| format!("{i} {}", name_of(report, i, 1))).collect(),
        columns: (0..k).collect(),
        values,
        cap: None,
        ordered: true,
        blocks: Vec::new(),
    });
    let caption = "Cosine between the weights that two topics have in the documents: 0 if they never share one, 1 if they always come in the same proportion.";
    let figure = figure("Co-occurrence of topics", &chart, caption);
    Some(Section::new("together", "Topics in the same documents", figures(&[figure])))
}
