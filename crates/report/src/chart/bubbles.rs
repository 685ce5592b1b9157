//! Circles in the plane, area for size: a map whose distances mean something, so both axes have one scale.
//!
//! ```
//! use merit_report::chart::{Bubble, BubbleMap, Point, bubble_map};
//! let bubble = |x, size| Bubble { point: Point { x, y: 0.0, tip: "one\n2 %".into() }, size, ..Bubble::default() };
//! let svg = bubble_map(&BubbleMap { bubbles: vec![bubble(0.0, 1.0), bubble(1.0, 4.0)], ..BubbleMap::default() });
//! assert!(svg.contains("data-count=\"2\""));
//! ```

use super::frame::{Area, Drawing, Labels, Name, Width, text, text_width};
use super::line::Point;
use super::mark;
use crate::text::px;

/// Part of the plot that all circles together cover, at most.
const COVERED: f64 = 0.12;
/// Radii in pixels: the largest allowed, and the smallest that a hand can point at.
const RADII: (f64, f64) = (38.0, 3.5);
/// The largest circle of the legend, which has one line.
const KEY_RADIUS: f64 = 11.0;

/// One circle.
#[derive(Debug, Clone, Default)]
pub struct Bubble {
    /// Where, and what to say about it.
    pub point: Point,
    /// Its area, in any unit.
    pub size: f64,
    /// Written in or beside it if there is room.
    pub label: String,
    /// Id of the element on the page that it leads to; none if empty.
    pub target: String,
}

/// The map.
#[derive(Debug, Clone, Default)]
pub struct BubbleMap {
    /// Id and description.
    pub name: Name,
    /// Name of the horizontal direction.
    pub x_name: String,
    /// Name of the vertical direction.
    pub y_name: String,
    /// Sizes that the legend may show, rising, each with its words; it takes the two largest that fit.
    pub legend: Vec<(f64, String)>,
    /// The circles.
    pub bubbles: Vec<Bubble>,
}

/// The map as SVG; the largest circles come first, so that small ones lie on top.
pub fn bubble_map(map: &BubbleMap) -> String {
    let height = 480.0;
    let mut drawing = Drawing::new(Width::Half, height);
    let area = Area { left: 4.0, right: Width::Half.pixels() - 4.0, top: 30.0, bottom: height - 28.0 };
    let mut shown: Vec<&Bubble> =
        map.bubbles.iter().filter(|b| b.point.x.is_finite() && b.point.y.is_finite() && b.size >= 0.0).collect();
    shown.sort_by(|a, b| b.size.total_cmp(&a.size));
    let largest = shown.first().map_or(1.0, |b| b.size).max(f64::MIN_POSITIVE);
    let sum: f64 = shown.iter().map(|b| b.size / largest).sum();
    let room = (area.right - area.left) * (area.bottom - area.top);
    let reach = (COVERED * room / (std::f64::consts::PI * sum.max(1.0))).sqrt().min(RADII.0);
    let radius = |size: f64| (reach * (size / largest).sqrt()).max(RADII.1);
    let positions = positions(&shown, Area { top: area.top + 6.0, ..area }, reach + 14.0);
    axes(&mut drawing, map, area);
    key(&mut drawing, &map.legend, radius);
    for (bubble, (x, y)) in shown.iter().zip(&positions) {
        let target =
            if bubble.target.is_empty() { String::new() } else { format!(" data-target=\"{}\"", bubble.target) };
        drawing.add_mark(format!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}{target}/>",
            px(*x),
            px(*y),
            px(radius(bubble.size)),
            mark("bubble", &bubble.point.tip)
        ));
    }
    let mut labels = Labels::default();
    let inside = |b: &Bubble| text_width(&b.label, 13.0) + 4.0 < 2.0 * radius(b.size);
    for (bubble, (x, y)) in shown.iter().zip(&positions).filter(|(b, _)| !inside(b)) {
        let r = radius(bubble.size).min(7.0); // a label may lie on the rim of a circle, but not on its middle
        labels.block([x - r, y - r, x + r, y + r]);
    }
    for (bubble, &(x, y)) in shown.iter().zip(&positions) {
        let (r, side) = (radius(bubble.size), text_width(&bubble.label, 13.0) / 2.0 + 4.0);
        let around = [
            (x, y - r - 5.0),
            (x + r + side, y + 4.0),
            (x - r - side, y + 4.0),
            (x, y + r + 13.0),
            (x + r + side, y - 9.0),
            (x - r - side, y - 9.0),
            (x + r + side, y + 16.0),
            (x - r - side, y + 16.0),
        ];
        let middle = [(x, y + 4.0)];
        let place = if inside(bubble) { labels.place(&bubble.label, &middle, area) } else { None };
        if let Some((lx, ly)) = place.or_else(|| labels.place(&bubble.label, &around, area)) {
            drawing.add(text(lx, ly, "label middle", &bubble.label));
        }
    }
    drawing.finish(&map.name)
}

/// Pixels of the points: one scale for both directions, all circles inside.
fn positions(shown: &[&Bubble], area: Area, margin: f64) -> Vec<(f64, f64)> {
    let range = |of: fn(&Bubble) -> f64| {
        let (low, high) =
            shown.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), b| (l.min(of(b)), h.max(of(b))));
        if low <= high { (low, high) } else { (0.0, 0.0) }
    };
    let (x, y) = (range(|b| b.point.x), range(|b| b.point.y));
    let (width, height) = (area.right - area.left - 2.0 * margin, area.bottom - area.top - 2.0 * margin);
    let part = |(low, high): (f64, f64), room: f64| if high > low { room / (high - low) } else { f64::INFINITY };
    let scale = part(x, width).min(part(y, height));
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let middle = ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
    let place = |b: &&Bubble| {
        let (dx, dy) = (b.point.x - (x.0 + x.1) / 2.0, b.point.y - (y.0 + y.1) / 2.0);
        (middle.0 + scale * dx, middle.1 - scale * dy)
    };
    shown.iter().map(place).collect()
}

fn axes(drawing: &mut Drawing, map: &BubbleMap, area: Area) {
    let (x, y) = ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
    let (left, right, top, bottom) = (px(area.left), px(area.right), px(area.top), px(area.bottom));
    drawing.add(format!(
        "<path class=\"grid\" d=\"M{left} {top}H{right}V{bottom}H{left}zM{left} {}H{right}M{} {top}V{bottom}\"/>",
        px(y),
        px(x)
    ));
    drawing.add(text(area.left, 16.0, "name", &format!("↕ {}", map.y_name)));
    drawing.add(text(area.left, area.bottom + 20.0, "name", &format!("↔ {}", map.x_name)));
}

/// Circles of known size at the upper right.
fn key(drawing: &mut Drawing, legend: &[(f64, String)], radius: impl Fn(f64) -> f64) {
    let mut x = Width::Half.pixels() - 4.0;
    for (size, words) in legend.iter().rev().filter(|(size, _)| radius(*size) <= KEY_RADIUS).take(2) {
        x -= text_width(words, 11.0);
        drawing.add(text(x, 17.0, "tick", words));
        let r = radius(*size);
        x -= r + 6.0;
        drawing.add(format!("<circle class=\"bubble-key\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>", px(x), px(13.0), px(r)));
        x -= r + 14.0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::occurrences;
    use super::*;

    fn bubble(x: f64, y: f64, size: f64) -> Bubble {
        let point = Point { x, y, tip: format!("<{size}>") };
        Bubble { point, size, label: format!("name {size}"), target: "topic-1".into() }
    }

    #[test]
    fn areas_follow_sizes_and_odd_values_are_left_out() {
        let bubbles =
            vec![bubble(0.0, 0.0, 1.0), bubble(3.0, 1.0, 4.0), bubble(f64::NAN, 0.0, 1.0), bubble(1.0, 1.0, f64::NAN)];
        let svg = bubble_map(&BubbleMap { bubbles, ..BubbleMap::default() });
        assert!(svg.contains("data-count=\"2\"") && !svg.contains("NaN"));
        assert_eq!(occurrences(&svg, "data-target=\"topic-1\""), 2);
        let radii: Vec<f64> =
            svg.split(" r=\"").skip(1).map(|s| s.split('"').next().unwrap().parse().unwrap()).collect();
        assert!((radii[0] / radii[1] - 2.0).abs() < 0.01, "four times the size is twice the radius: {radii:?}");
    }

    #[test]
    fn all_circles_lie_inside_whatever_the_shape_of_the_cloud() {
        for points in
            [vec![(0.0, 0.0)], vec![(0.0, 0.0), (5.0, 0.0)], vec![(0.0, 1.0), (0.0, -9.0), (1e-3, 4.0)], vec![]]
        {
            let bubbles = points.iter().map(|&(x, y)| bubble(x, y, 0.5)).collect();
            let svg = bubble_map(&BubbleMap { bubbles, ..BubbleMap::default() });
            assert_eq!(occurrences(&svg, "class=\"mark bubble\""), points.len());
            for circle in svg.split("<circle ").skip(1) {
                let value = |key: &str| -> f64 {
                    circle.split(&format!("{key}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
                };
                let (x, y, r) = (value("cx"), value("cy"), value(" r"));
                assert!(x - r >= 0.0 && x + r <= 460.0 && y - r >= 30.0 && y + r <= 452.0, "{circle}");
            }
        }
    }
}
