//! Spectra of the materials, and the table of what is known about each.

use super::{UnmixReport, material};
use crate::chart::{LineChart, Name, Point, Series, SmallMultiples, Stretch, Width, line_chart, small_multiples};
use crate::colors::rgb;
use crate::model::Table;
use crate::page::{Section, figure, figures, table};
use crate::text::{number, percent, shorten, size};

/// Lines that can be distinguished in one chart.
const TOGETHER: usize = 6;
/// Bands that are drawn, at most; more cannot be seen.
const POINTS: usize = 400;

/// The colors of lines are those of the materials.
pub(super) fn style(count: usize) -> String {
    let rule = |k: usize| {
        let [red, green, blue] = rgb(k);
        format!(".chart .s{k} {{ --c: rgb({red}, {green}, {blue}); }}\n")
    };
    (0..count.min(TOGETHER)).map(rule).collect()
}

pub(super) fn section(report: &UnmixReport) -> Section {
    let series: Vec<Series> = (0..report.count()).map(|k| series(report, k)).collect();
    let name = Name::new("chart-spectra", format!("Spectra of {} materials over {}", report.count(), report.axis));
    let (x_name, y_name) = (report.axis.clone(), "value".to_string());
    let chart = if series.len() <= TOGETHER {
        let y_stretch = Stretch::Linear;
        line_chart(&LineChart { name, width: Width::Full, x_name, y_name, y_stretch, series })
    } else {
        small_multiples(&SmallMultiples { name, x_name, y_name, panels: series })
    };
    let caption = "The spectrum of each material. Lines are broken where bands are left out.";
    let body = figures(&[figure("Spectra of the materials", &chart, caption)]) + &facts(report);
    Section::new("spectra", "What the materials look like", body)
}

fn series(report: &UnmixReport, k: usize) -> Series {
    let every = report.positions.len().div_ceil(POINTS).max(1);
    let mut points = Vec::new();
    for (b, &x) in report.positions.iter().enumerate() {
        if report.gaps.get(b) == Some(&true) {
            points.push(Point { x: f64::NAN, y: f64::NAN, tip: String::new() });
        }
        if b % every == 0 {
            let y = report.spectra.at(b, k);
            points.push(Point {
                x,
                y,
                tip: format!("{}\n{} {}: {}", material(k), shorten(&report.axis, 30), x, number(y)),
            });
        }
    }
    // From left to right, where bands are not.
    let sorted = report.positions.windows(2).all(|pair| pair[0] <= pair[1]);
    if !sorted {
        points.retain(|point| point.x.is_finite());
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    Series { name: material(k), points }
}

fn facts(report: &UnmixReport) -> String {
    let row = |(k, facts): (usize, &super::Material)| {
        let known = facts.averaged > 0;
        vec![
            material(k),
            facts.place.clone(),
            if known { size(facts.averaged) } else { String::new() },
            if known { percent(facts.purity) } else { String::new() },
            percent(facts.mean),
            percent(facts.dominant),
        ]
    };
    table(
        "materials",
        &Table {
            caption: "Pixels averaged: how many of the purest pixels a spectrum is the mean of, and how much of the material they have.".into(),
            columns: ["material", "pure pixel", "pixels averaged", "their purity", "share of the image", "largest in"]
                .map(String::from)
                .to_vec(),
            rows: report.materials.iter().enumerate().map(row).collect(),
            ..Table::default()
        },
    )
}
