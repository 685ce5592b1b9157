//! Mixtures of three: each point in the triangle is a weighted mean of the corners.

use super::frame::{Area, Drawing, Name, Width, legend, text};
use super::scatter::{ScatterGroup, ScatterPoint, dot, draw_anchors, point_keys};
use crate::text::{px, significant};

/// A ternary plot.
#[derive(Debug, Clone, Default)]
pub struct Ternary {
    /// Id and description.
    pub name: Name,
    /// What the corners stand for: top, lower left, lower right.
    pub corners: [String; 3],
    /// Weights (three, nonnegative; scaled here to sum to 1) and what to say about the point.
    pub points: Vec<([f64; 3], String)>,
    /// Further attributes of each point, such as a color of its own (trusted); empty for none.
    pub attributes: Vec<String>,
    /// What an ordinary point is called in the legend.
    pub point_name: String,
    /// The anchors: weights and label, with their tips.
    pub anchors: Vec<([f64; 3], ScatterLabel)>,
    /// What an anchor is called in the legend.
    pub anchor_name: String,
}

/// Label and tip of an anchor.
#[derive(Debug, Clone, Default)]
pub struct ScatterLabel {
    /// Written beside it.
    pub label: String,
    /// Shown on hover.
    pub tip: String,
}

const HEIGHT: f64 = 440.0;
/// Corners of the triangle in pixels: top, lower left, lower right.
const CORNERS: [(f64, f64); 3] = [(230.0, 90.0), (65.0, 376.0), (395.0, 376.0)];

/// The plot as SVG.
pub fn ternary(plot: &Ternary) -> String {
    let mut drawing = Drawing::new(Width::Half, HEIGHT);
    let groups = [ScatterGroup { name: plot.point_name.clone(), ..ScatterGroup::default() }];
    drawing.add(legend(&point_keys(&plot.anchor_name, &groups), 16.0, Width::Half).0);
    draw_grid(&mut drawing);
    let [top, left, right] = CORNERS;
    drawing.add(text(top.0, top.1 - 34.0, "name middle", &plot.corners[0]));
    drawing.add(text(left.0 - 60.0, left.1 + 42.0, "name", &plot.corners[1]));
    drawing.add(text(right.0 + 60.0, right.1 + 42.0, "name end", &plot.corners[2]));
    for (n, (weights, tip)) in plot.points.iter().enumerate() {
        if let Some((x, y)) = place(weights) {
            drawing.add_mark(dot(0, x, y, tip, plot.attributes.get(n)));
        }
    }
    let anchors: Vec<ScatterPoint> = plot
        .anchors
        .iter()
        .map(|(_, a)| ScatterPoint {
            point: super::line::Point { tip: a.tip.clone(), ..Default::default() },
            label: a.label.clone(),
        })
        .collect();
    let positions: Vec<(f64, f64, &ScatterPoint)> = plot
        .anchors
        .iter()
        .zip(&anchors)
        .filter_map(|((weights, _), a)| place(weights).map(|(x, y)| (x, y, a)))
        .collect();
    draw_anchors(&mut drawing, &positions, Area { left: 0.0, right: 460.0, top: 40.0, bottom: HEIGHT });
    drawing.finish(&plot.name)
}

fn draw_grid(drawing: &mut Drawing) {
    let [top, left, right] = CORNERS;
    for i in 1..5 {
        let share = i as f64 / 5.0;
        // Lines of equal weight: of the top corner (horizontal), of the lower left, of the lower right.
        for k in 0..3 {
            let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
            (a[k], a[(k + 1) % 3]) = (share, 1.0 - share);
            (b[k], b[(k + 2) % 3]) = (share, 1.0 - share);
            if let (Some(a), Some(b)) = (place(&a), place(&b)) {
                drawing.add(format!("<path class=\"grid\" d=\"M{} {}L{} {}\"/>", px(a.0), px(a.1), px(b.0), px(b.1)));
            }
        }
        let label = significant(share, 2);
        // Each corner's numbers run along the side that ends in it.
        if let Some((x, y)) = place(&[share, 0.0, 1.0 - share]) {
            drawing.add(text(x + 8.0, y + 4.0, "tick", &label));
        }
        if let Some((x, y)) = place(&[1.0 - share, share, 0.0]) {
            drawing.add(text(x - 8.0, y + 4.0, "tick end", &label));
        }
        if let Some((x, y)) = place(&[0.0, 1.0 - share, share]) {
            drawing.add(text(x, y + 18.0, "tick middle", &label));
        }
    }
    drawing.add(format!(
        "<path class=\"axis\" d=\"M{} {}L{} {}L{} {}z\"/>",
        px(top.0),
        px(top.1),
        px(left.0),
        px(left.1),
        px(right.0),
        px(right.1)
    ));
}

fn place(weights: &[f64; 3]) -> Option<(f64, f64)> {
    let sum: f64 = weights.iter().sum();
    if !sum.is_finite() || sum <= 0.0 || weights.iter().any(|w| *w < -1e-9 * sum) {
        return None;
    }
    let x = weights.iter().zip(CORNERS).map(|(w, c)| w / sum * c.0).sum::<f64>();
    let y = weights.iter().zip(CORNERS).map(|(w, c)| w / sum * c.1).sum::<f64>();
    Some((x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_and_middle_are_where_they_belong() {
        assert_eq!(place(&[1.0, 0.0, 0.0]), Some(CORNERS[0]));
        assert_eq!(place(&[0.0, 0.0, 7.0]), Some(CORNERS[2]));
        assert_eq!(place(&[0.0, 0.0, 0.0]), None);
        assert_eq!(place(&[f64::NAN, 0.0, 1.0]), None);
        assert_eq!(place(&[1.0, -1.0, 1.0]), None);
        let (x, _) = place(&[1.0, 1.0, 1.0]).unwrap();
        assert!((x - 230.0).abs() < 1e-9);
    }

    #[test]
    fn bad_points_are_skipped() {
        let svg = ternary(&Ternary {
            points: vec![([0.2, 0.3, 0.5], "ok".into()), ([f64::INFINITY, 0.0, 0.0], "no".into())],
            anchors: vec![([1.0, 0.0, 0.0], ScatterLabel { label: "4".into(), tip: "4".into() })],
            ..Ternary::default()
        });
        assert!(svg.contains("data-count=\"2\"") && svg.contains("data-anchors=\"1\""));
    }
}
