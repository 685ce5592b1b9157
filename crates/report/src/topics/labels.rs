//! Which topics the documents of a label have.

use super::TopicsReport;
use crate::chart::{HeatMap, Name, heat_map};
use crate::page::{Section, figure, figures};
use crate::text::plural;

/// Labels that are drawn, those of most documents.
const SHOWN: usize = 40;

/// The documents of a label.
#[derive(Debug, Clone, Default)]
pub struct Label {
    /// The label.
    pub name: String,
    /// How many documents have it.
    pub documents: usize,
    /// The part of them whose main topic each topic is.
    pub main: Vec<f64>,
}

pub(super) fn section(report: &TopicsReport) -> Option<Section> {
    let k = report.topics.len();
    if report.labels.len() < 2 || k < 2 {
        return None;
    }
    let mut labels: Vec<&Label> = report.labels.iter().collect();
    labels.sort_by(|a, b| b.documents.cmp(&a.documents).then(a.name.cmp(&b.name)));
    let all = labels.len();
    labels.truncate(SHOWN);
    let chart = heat_map(&HeatMap {
        name: Name::new("chart-labels", "Which main topics the documents of each label have."),
        x_name: "topic".into(),
        y_name: "label".into(),
        value_name: "part of the label's documents".into(),
        column_word: "topic".into(),
        rows: labels.iter().map(|label| label.name.clone()).collect(),
        columns: (0..k).collect(),
        values: labels.iter().flat_map(|label| label.main.iter().copied()).collect(),
        cap: None,
        ordered: true,
        blocks: Vec::new(),
    });
    let scope =
        if all > SHOWN { format!(" The {SHOWN} labels with the most documents, of {all}.") } else { String::new() };
    let (accuracy, nmi) = report.against_labels.unwrap_or_default();
    let caption = format!(
        "A row is a label, the most frequent first: the part of its documents whose main topic is the one of the column. A dark cell in each row and column would be topics that are the labels; \
         with each topic given the label that suits it best, {:.0} % of {} are right (NMI {nmi:.2}).{scope}",
        100.0 * accuracy,
        plural(report.documents, "document"),
    );
    Some(Section::new(
        "labels",
        "Topics and labels",
        figures(&[figure("Main topics of the documents of each label", &chart, &caption)]),
    ))
}
