//! The run in words and in a few figures.

use super::UnmixReport;
use crate::model::Report;
use crate::page::{self, paragraph};
use crate::run::summary::certificate;
use crate::text::{number, percent, plural, significant, size};

/// Everything between the title and the first section.
pub(super) fn lead(report: &UnmixReport, solver: &Report) -> String {
    format!(
        "<div class=\"lead\">{}{}</div>{}{}",
        paragraph(&what(report)),
        paragraph(&how(report, solver)),
        page::key_figures(&figures(report)),
        page::notes(&report.run.notes)
    )
}

fn what(report: &UnmixReport) -> String {
    let input = if report.run.input.is_empty() { "The image" } else { &report.run.input };
    let mut text = format!(
        "{input} has {} of {} in {}; its pixels are explained as mixtures of {}.",
        plural(report.lines, "line"),
        plural(report.samples, "sample"),
        plural(report.bands.0, "band"),
        plural(report.count(), "material")
    );
    let mut order: Vec<usize> = (0..report.count()).collect();
    order.sort_by(|&a, &b| report.materials[b].mean.total_cmp(&report.materials[a].mean).then(a.cmp(&b)));
    let named = |&k: &usize| format!("material {} ({})", k + 1, percent(report.materials[k].mean));
    let largest: Vec<String> = order.iter().take(3).map(named).collect();
    if report.count() > 1 {
        text += &format!(" Most of it is {}.", largest.join(", then "));
    }
    text
}

fn how(report: &UnmixReport, solver: &Report) -> String {
    let mut sentences = Vec::new();
    if !report.run.method.is_empty() && report.searched > 0 {
        sentences.push(format!(
            "Each material is known by a pixel that has nothing else, found by {} among {}.",
            report.run.method,
            plural(report.searched, "pixel")
        ));
    }
    sentences.extend([report.run.ending(), certificate(solver)]);
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(" ")
}

fn figures<'r>(report: &'r UnmixReport) -> Vec<(&'r str, String, String)> {
    let mut cells = vec![
        (
            "Image",
            format!("{} x {}", report.lines, report.samples),
            format!("{} count", plural(report.pixels, "pixel")),
        ),
        ("Bands", size(report.bands.1), format!("of {}", size(report.bands.0))),
        ("Materials", size(report.count()), report.count_origin.clone()),
        ("Left unexplained", number(report.rmse), "root mean square".into()),
    ];
    for (name, value, meaning) in &report.scores {
        cells.push((name, significant(*value, 3), meaning.clone()));
    }
    cells.extend(report.run.cost());
    cells
}
