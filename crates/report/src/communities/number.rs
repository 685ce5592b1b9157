//! How many communities: who says what.

use super::CommunitiesReport;
use crate::chart::{LineChart, Name, Point, Series, Stretch, Width, line_chart};
use crate::model::Table;
use crate::page::{Section, figure, figures, paragraph, table};

/// Nothing where the number was given.
pub(super) fn section(report: &CommunitiesReport) -> Option<Section> {
    if report.witnesses.is_empty() {
        return None;
    }
    let agree = report.witnesses.iter().filter(|witness| witness.1 == report.count()).count();
    let mut body = paragraph(&format!(
        "The number of communities was not given. {} of {} ways to count say {}.",
        agree,
        report.witnesses.len(),
        report.count()
    ));
    body += &table(
        "witnesses",
        &Table {
            caption: "Ways to count. Of three the one in the middle is taken, of two the first.".into(),
            columns: ["by", "communities", "what it looks at"].map(String::from).to_vec(),
            rows: report.witnesses.iter().map(|w| vec![w.0.clone(), w.1.to_string(), w.2.clone()]).collect(),
            highlight: None,
        },
    );
    if report.sweep.len() > 2 {
        let point =
            |&(k, gain): &(usize, f64)| Point { x: k as f64, y: gain, tip: format!("{k} communities\n{gain:.4}") };
        let points = report.sweep.iter().map(point).collect();
        let chart = line_chart(&LineChart {
            name: Name::new(
                "chart-number",
                format!("How well {} numbers of communities explain unseen edges.", report.sweep.len()),
            ),
            width: Width::Half,
            x_name: "communities".into(),
            y_name: "log-likelihood of an unseen edge".into(),
            y_stretch: Stretch::Linear,
            series: vec![Series { name: String::new(), points }],
        });
        body += &figures(&[figure(
            "Edges that were not seen",
            &chart,
            "A tenth of the edges was put aside; communities were fitted to the others, and those put aside show how good the fit is: \
             higher is better, 0 is what degrees alone say.",
        )]);
    }
    Some(Section::new("number", "How many?", body))
}
