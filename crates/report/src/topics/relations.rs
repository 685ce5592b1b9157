//! Which topics are near each other: by their words (the map), and by their documents (the heat map).

use super::{TopicsReport, name_of, percentage};
use crate::chart::{Bubble, BubbleMap, HeatMap, Name, Point, bubble_map, heat_map};
use crate::page::{Section, figure, figures};
use crate::text::{plural, shorten};

/// Letters of a name on the map and beside the heat map.
const LETTERS: usize = 18;

/// The topics in the plane.
pub(super) fn map(report: &TopicsReport) -> Option<Section> {
    if report.places.len() < 2 || report.places.len() != report.topics.len() {
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
    let largest = report.topics.iter().map(|topic| topic.size).fold(0.0, f64::max);
    let sizes = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
    let fitting: Vec<f64> = sizes.into_iter().filter(|size| *size <= 1.2 * largest).collect();
    let legend = fitting[fitting.len().saturating_sub(2)..].iter().map(|&size| (size, percentage(size))).collect();
    let chart = bubble_map(&BubbleMap {
        name: Name::new(
            "chart-map",
            "The topics in the plane: near topics use similar words, larger circles are larger topics.",
        ),
        x_name: "first direction".into(),
        y_name: "second direction".into(),
        legend,
        bubbles: report.places.iter().enumerate().map(bubble).collect(),
    });
    let caption = "Each circle is a topic, with its number and its most relevant word; its area is the part of the corpus. Topics that use similar words lie near each \
                   other: distances are square roots of Jensen-Shannon divergences, put into the plane by classical scaling, so some are cut short. A click, or Enter on the \
                   circle that the arrow keys reached, opens the topic.";
    Some(Section::new("map", "Map", figures(&[figure("Which topics use similar words", &chart, caption)])))
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
