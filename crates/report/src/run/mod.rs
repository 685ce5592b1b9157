//! The sections of a run's page, in reading order.

mod anchors;
pub(crate) mod convergence;
mod factors;
pub(crate) mod summary;

use crate::model::{Report, Table};
use crate::page::{Page, Section, footer, paragraph, table};
use crate::text::{number, seconds};

/// The page of a run.
pub fn render(report: &Report) -> String {
    let mut sections = Vec::new();
    if let Some(comparison) = &report.comparison {
        sections.push(Section::new("comparison", "Methods side by side", table("comparison-table", comparison)));
    }
    sections.extend(anchors::section(report));
    sections.extend(convergence::section(report));
    sections.extend(factors::section(report));
    sections.extend(report.extra.iter().cloned());
    sections.extend(regularization(report));
    sections.extend(settings(report));
    Page {
        title: if report.title.is_empty() { title_of(report) } else { report.title.clone() },
        eyebrow: format!("Merit{}: separable nonnegative matrix factorization", spaced(&report.run.version)),
        lead: summary::lead(report),
        sections,
        footer: footer(report.run.command.as_deref(), &report.run.version),
        ..Page::default()
    }
    .html()
}

fn title_of(report: &Report) -> String {
    if report.run.input.is_empty() { "A Merit run".into() } else { report.run.input.clone() }
}

fn spaced(version: &str) -> String {
    if version.is_empty() { String::new() } else { format!(" {version}") }
}

/// What one row of X is called.
fn row_word<'a>(report: &'a Report) -> &'a str {
    if report.row_name.is_empty() { "row" } else { &report.row_name }
}

/// What one column of X is called.
fn column_word<'a>(report: &'a Report) -> &'a str {
    if report.column_name.is_empty() { "column" } else { &report.column_name }
}

/// The name of component k: its anchor's label, else its anchor's index.
fn component_name(report: &Report, k: usize) -> String {
    match report.anchors.get(k) {
        Some(anchor) => match &anchor.label {
            Some(label) if !label.is_empty() => format!("{k}: {label}"),
            _ => format!("{k}: {} {}", column_word(report), anchor.index),
        },
        None => k.to_string(),
    }
}

/// A number, or a dash where it was not computed.
fn or_dash(value: Option<f64>) -> String {
    value.map_or("–".into(), number)
}

fn regularization(report: &Report) -> Option<Section> {
    let used = report.regularization.as_ref();
    if used.is_none() && report.candidates.is_empty() {
        return None;
    }
    let mut body = used.map_or(String::new(), |r| {
        let how = if r.how.is_empty() { String::new() } else { format!(" ({})", r.how) };
        paragraph(&format!("The weight of the row-sparsity term was {}{how}.", number(r.value)))
    });
    if !report.candidates.is_empty() {
        let row = |c: &crate::Candidate| {
            vec![
                c.rule.clone(),
                or_dash(c.regularization),
                c.anchors.clone(),
                or_dash(c.refit_residual),
                if c.chosen { "chosen".into() } else { String::new() },
            ]
        };
        body.push_str(&table(
            "candidates",
            &Table {
                caption: "What was tried. Refit residual: the squared residual of the data when they are fitted again by that candidate's anchors alone.".into(),
                columns: ["rule", "regularization", "anchors", "refit residual", ""].map(String::from).to_vec(),
                rows: report.candidates.iter().map(row).collect(),
                highlight: report.candidates.iter().position(|c| c.chosen),
            },
        ));
    }
    Some(Section::new("regularization", "Regularization", body))
}

pub(crate) fn settings(report: &Report) -> Option<Section> {
    let mut body = String::new();
    if !report.run.settings.is_empty() {
        body.push_str(&table(
            "settings",
            &Table {
                columns: ["setting", "value", "meaning"].map(String::from).to_vec(),
                rows: report
                    .run
                    .settings
                    .iter()
                    .map(|s| vec![s.name.clone(), s.value.clone(), s.meaning.clone()])
                    .collect(),
                ..Table::default()
            },
        ));
    }
    if !report.run.seconds.is_empty() {
        let total = report.run.total_seconds();
        let share =
            |s: f64| if total > 0.0 && s.is_finite() { format!("{:.0} %", 100.0 * s / total) } else { "–".into() };
        let mut rows: Vec<Vec<String>> =
            report.run.seconds.iter().map(|s| vec![s.name.clone(), seconds(s.seconds), share(s.seconds)]).collect();
        rows.push(vec!["total".into(), seconds(total), String::new()]);
        body.push_str("<h3 class=\"after\">Where the time went</h3>");
        let highlight = Some(rows.len() - 1);
        let columns = ["stage", "time", "share"].map(String::from).to_vec();
        body.push_str(&table("stages", &Table { columns, rows, highlight, ..Table::default() }));
    }
    (!body.is_empty()).then(|| Section::new("how", "Settings and time", body))
}
