//! The run in words and in a few figures.

use super::UnmixReport;
use crate::model::Report;
use crate::page::{self, paragraph};
use crate::run::summary::certificate;
use crate::text::{bytes, number, percent, plural, seconds, significant, size};

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
        "{input} has {} lines of {} samples in {}; its pixels are explained as mixtures of {}.",
        size(report.lines),
        size(report.samples),
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
    if !report.run.stop_reason.is_empty() {
        let reason = report.run.stop_reason.replace(['_', '-'], " ");
        sentences.push(match report.run.iterations {
            0 => format!("The work ended early: {reason}."),
            steps => format!("The solver stopped after {}: {reason}.", plural(steps, "iteration")),
        });
    }
    sentences.push(certificate(solver));
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
    if !report.run.seconds.is_empty() {
        let total: f64 = report.run.seconds.iter().map(|stage| stage.seconds).sum();
        let memory = report
            .run
            .peak_rss_bytes
            .map_or("reading included".into(), |peak| format!("{} of memory", bytes(peak.into())));
        cells.push(("Time", seconds(total), memory));
    }
    cells
}
