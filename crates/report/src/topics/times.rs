//! Topics over time.

use super::{TopicsReport, name_of, percentage};
use crate::chart::{Name, Point, Series, SmallMultiples, small_multiples};
use crate::page::{Section, figure, figures};
use crate::text::plural;

/// Topics that are drawn, the largest.
const SHOWN: usize = 24;

/// A day, a month or a year.
#[derive(Debug, Clone, Default)]
pub struct Period {
    /// What it is called.
    pub name: String,
    /// Its documents.
    pub documents: usize,
    /// Their mean shares of the topics; empty without documents.
    pub shares: Vec<f64>,
}

pub(super) fn section(report: &TopicsReport) -> Option<Section> {
    let periods = &report.periods;
    let (first, last) = (periods.first()?, periods.last()?);
    if periods.len() < 2 {
        return None;
    }
    // Years are numbers of their own; days and months are counted from the first.
    let year: Option<usize> = first.name.parse().ok();
    let x_name = match (year, first.name.len()) {
        (Some(_), _) => "year".to_string(),
        (None, 7) => format!("months since {}", first.name),
        _ => format!("days since {}", first.name),
    };
    let panel = |k: usize| {
        let point = |(i, period): (usize, &Period)| {
            let share = period.shares.get(k).copied().unwrap_or(f64::NAN);
            let tip = format!("{}\n{} of {}", period.name, percentage(share), plural(period.documents, "document"));
            Point { x: (year.unwrap_or(0) + i) as f64, y: 100.0 * share, tip }
        };
        let name = format!("{k} {}", name_of(report, k, 2));
        Series { name, points: periods.iter().enumerate().map(point).collect() }
    };
    let shown = report.topics.len().min(SHOWN);
    let chart = small_multiples(&SmallMultiples {
        name: Name::new("chart-times", "The share of each topic in the documents of a time."),
        x_name,
        y_name: "share in %".into(),
        panels: (0..shown).map(panel).collect(),
    });
    let scope = if shown < report.topics.len() { format!(" The {shown} largest topics.") } else { String::new() };
    let caption = format!(
        "The mean share of a topic in the documents of each {}, from {} to {}; a gap where there are none.{scope} topics_over_time.csv has all.",
        match first.name.len() {
            4 => "year",
            7 => "month",
            _ => "day",
        },
        first.name,
        last.name
    );
    Some(Section::new("times", "Topics over time", figures(&[figure("Shares over time", &chart, &caption)])))
}
