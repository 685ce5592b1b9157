//! Pixels in the first two components, and the simplex of the pure ones.

use super::{UnmixReport, material};
use crate::chart::{Name, Point, Scatter, ScatterGroup, ScatterPoint, Width, scatter};
use crate::page::{Section, figure, figures};
use crate::text::size;

pub(super) fn section(report: &UnmixReport) -> Option<Section> {
    if report.points.is_empty() || report.count() < 2 {
        return None;
    }
    let point = |x: f64, y: f64, tip: String| Point { x, y, tip };
    let points = report.points.iter().map(|&(x, y, k)| point(x, y, format!("mostly {}", material(k)))).collect();
    let attributes =
        report.points.iter().map(|(_, _, k)| format!("data-c style=\"--c: {}\"", crate::colors::hex_of(*k))).collect();
    let corner = |(k, &(x, y)): (usize, &(f64, f64))| ScatterPoint {
        point: point(x, y, format!("pure pixel of {}", material(k))),
        label: (k + 1).to_string(),
    };
    let plot = Scatter {
        name: Name::new("chart-components", "Pixels in their first two principal components, with the pure pixels"),
        width: Width::Full,
        x_name: "first principal component".into(),
        y_name: "second".into(),
        groups: vec![ScatterGroup { name: "pixel".into(), points, attributes }],
        anchors: report.corners.iter().enumerate().map(corner).collect(),
        anchor_name: "pure pixel".into(),
        simplex: true,
    };
    let caption = format!(
        "{} pixels, in the colors of the material with the largest share. Lines join the pure pixels: mixtures lie between them.",
        size(report.points.len())
    );
    let body = figures(&[figure("Pixels as mixtures", &scatter(&plot), &caption)]);
    Some(Section::new("components", "The pixels as points", body))
}
