//! Mixtures of many: each point is the weighted mean of the corners of a regular polygon.
//!
//! Three corners determine the weights; with more of them different mixtures can share a place, but what lies near a corner
//! is nearly pure.

use super::frame::{Area, Drawing, Name, Width, text, text_width};
use super::line::Point;
use super::mark;
use super::scatter::{ScatterPoint, draw_anchors};
use crate::text::{px, shorten};
use std::f64::consts::TAU;

/// A polygon of mixtures.
#[derive(Debug, Clone, Default)]
pub struct Polygon {
    /// Id and description.
    pub name: Name,
    /// Names of the corners and the class that carries their color, clockwise from the top.
    pub corners: Vec<(String, String)>,
    /// The points: where (see [`Polygon::place`]), what to say, and further attributes (trusted).
    pub points: Vec<(Point, String)>,
    /// The anchors, on top.
    pub anchors: Vec<ScatterPoint>,
}

const HEIGHT: f64 = 560.0;
const RADIUS: f64 = 222.0;

impl Polygon {
    /// The mean of `corners` corners on the unit circle with these weights; `None` if they are not weights.
    pub fn place(weights: &[f64]) -> Option<(f64, f64)> {
        let sum: f64 = weights.iter().sum();
        if !sum.is_finite() || sum <= 0.0 {
            return None;
        }
        let corner = |k: usize| (TAU * k as f64 / weights.len() as f64).sin_cos();
        let mean = weights.iter().enumerate().fold((0.0, 0.0), |(x, y), (k, w)| {
            let (sin, cos) = corner(k);
            (x + w / sum * sin, y - w / sum * cos)
        });
        (mean.0.is_finite() && mean.1.is_finite()).then_some(mean)
    }
}

/// The polygon as SVG.
pub fn polygon(plot: &Polygon) -> String {
    let mut drawing = Drawing::without_axes(Width::Full, HEIGHT);
    let (middle_x, middle_y) = (Width::Full.pixels() / 2.0, HEIGHT / 2.0);
    let n = plot.corners.len().max(1);
    let corner = |k: usize, radius: f64| {
        let (sin, cos) = (TAU * k as f64 / n as f64).sin_cos();
        (middle_x + radius * sin, middle_y - radius * cos)
    };
    let mut outline = String::new();
    for k in 0..plot.corners.len() {
        let (x, y) = corner(k, RADIUS);
        outline += &format!("{}{} {}", if k == 0 { "M" } else { "L" }, px(x), px(y));
        drawing.add(format!("<path class=\"grid\" d=\"M{} {}L{} {}\"/>", px(middle_x), px(middle_y), px(x), px(y)));
    }
    drawing.add(format!("<path class=\"axis\" d=\"{outline}z\"/>"));
    for (k, (name, class)) in plot.corners.iter().enumerate() {
        let (x, y) = corner(k, RADIUS + 20.0);
        let (sin, cos) = (TAU * k as f64 / n as f64).sin_cos();
        // Beside the corner, where the text does not reach back into the polygon.
        let name = shorten(name, 28);
        let half = text_width(&name, 12.0) / 2.0;
        let shift = if sin.abs() < 0.2 { 0.0 } else { half * sin.signum() };
        let (dot_x, dot_y) = corner(k, RADIUS + 9.0);
        drawing.add(format!("<circle class=\"key {class}\" cx=\"{}\" cy=\"{}\" r=\"5\"/>", px(dot_x), px(dot_y)));
        drawing.add(text(x + shift, y + 4.0 - 3.0 * cos, "name middle", &name));
    }
    let at = |point: &Point| (middle_x + RADIUS * point.x, middle_y + RADIUS * point.y);
    for (point, attributes) in plot.points.iter().filter(|p| p.0.x.is_finite() && p.0.y.is_finite()) {
        let (x, y) = at(point);
        let mark = mark("point dot", &point.tip);
        drawing.add_mark(format!("<circle cx=\"{}\" cy=\"{}\" r=\"3\" {mark} {attributes}/>", px(x), px(y)));
    }
    let positions: Vec<(f64, f64, &ScatterPoint)> = plot
        .anchors
        .iter()
        .filter(|a| a.point.x.is_finite() && a.point.y.is_finite())
        .map(|a| (at(&a.point).0, at(&a.point).1, a))
        .collect();
    let within = Area { left: 0.0, right: Width::Full.pixels(), top: 0.0, bottom: HEIGHT };
    draw_anchors(&mut drawing, &positions, within);
    drawing.finish(&plot.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_and_middle_are_where_they_belong() {
        let near = |(x, y): (f64, f64), (u, v): (f64, f64)| (x - u).hypot(y - v) < 1e-12;
        assert!(near(Polygon::place(&[1.0, 0.0, 0.0, 0.0]).unwrap(), (0.0, -1.0)));
        assert!(near(Polygon::place(&[0.0, 3.0, 0.0, 0.0]).unwrap(), (1.0, 0.0)));
        assert!(near(Polygon::place(&[1.0; 7]).unwrap(), (0.0, 0.0)));
        assert_eq!(Polygon::place(&[0.0, 0.0]), None);
        assert_eq!(Polygon::place(&[f64::NAN, 1.0]), None);
        let svg = polygon(&Polygon {
            corners: vec![("a".into(), "c0".into()); 4],
            points: vec![(Point { x: 0.1, y: 0.2, tip: "<".into() }, "data-n=\"7\"".into()); 3],
            ..Polygon::default()
        });
        assert!(svg.contains("data-count=\"3\"") && svg.contains("data-n=\"7\"") && svg.contains("data-axes=\"none\""));
    }
}
