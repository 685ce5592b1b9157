//! How many topics: what was tried, and what was seen.

use super::TopicsReport;
use crate::chart::{LineChart, Name, Point, Series, Stretch, Width, line_chart};
use crate::model::Table;
use crate::page::{Section, figure, figures, table};

/// A number of topics that was tried.
#[derive(Debug, Clone, Default)]
pub struct Number {
    /// The number.
    pub topics: usize,
    /// How often the halves of documents agree, beyond chance.
    pub agreement: f64,
    /// Mean logarithm of the probability of unseen words.
    pub completion: f64,
    /// Mean NPMI.
    pub npmi: f64,
    /// Different words among those of all topics.
    pub diversity: f64,
    /// Words that topics of both halves of the corpus share.
    pub stability: f64,
    /// Whether it is the one that was taken.
    pub taken: bool,
}

pub(super) fn section(report: &TopicsReport) -> Option<Section> {
    if report.numbers.len() < 2 {
        return None;
    }
    let taken = report.numbers.iter().find(|number| number.taken).map_or(0, |number| number.topics);
    let series = |name: &str, value: fn(&Number) -> f64| {
        let point = |number: &Number| {
            let tip = format!("{} topics\n{name} {:.3}", number.topics, value(number));
            Point { x: number.topics as f64, y: value(number), tip }
        };
        Series { name: name.into(), points: report.numbers.iter().map(point).collect() }
    };
    let chart = line_chart(&LineChart {
        name: Name::new("chart-numbers", "What each number of topics that was tried gives."),
        width: Width::Full,
        x_name: "number of topics".into(),
        y_name: "each from 0 to 1".into(),
        y_stretch: Stretch::Linear,
        series: vec![
            series("agreement", |number| number.agreement),
            series("NPMI", |number| number.npmi),
            series("stability", |number| number.stability),
        ],
    });
    let caption = format!(
        "Agreement: how often the two halves of a document have the same main topic, beyond chance. NPMI: how often the first words of a topic are in the same documents. Stability: words that topics \
         of the even and of the odd documents share. The number with the largest sum, each scaled to go from 0 to 1, is taken: {taken}. Texts rarely say how many topics they have."
    );
    let row = |number: &Number| {
        vec![
            number.topics.to_string(),
            format!("{:.2}", number.agreement),
            format!("{:.3}", number.completion),
            format!("{:.3}", number.npmi),
            format!("{:.2}", number.diversity),
            format!("{:.2}", number.stability),
            if number.taken { "taken" } else { "" }.to_string(),
        ]
    };
    let columns =
        ["topics", "agreement", "completion", "NPMI", "diversity", "stability", ""].map(String::from).to_vec();
    let rows = report.numbers.iter().map(row).collect();
    let mut body = figures(&[figure("Numbers of topics that were tried", &chart, &caption)]);
    body += &table("tried-numbers", &Table { columns, rows, ..Table::default() });
    Some(Section::new("numbers", "How many topics", body))
}
