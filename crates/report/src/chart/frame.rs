//! What all charts share: the SVG element with its accessible name, axes, legend, marker shapes, label placement.

use super::scale::{Scale, Tick};
use crate::text::{escape, px};
use std::fmt::Write;

/// How much of the page's width a chart takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Width {
    /// One of two columns.
    #[default]
    Half,
    /// The whole column of text.
    Full,
}

impl Width {
    pub(crate) fn pixels(self) -> f64 {
        match self {
            Width::Half => 460.0,
            Width::Full => 940.0,
        }
    }

    pub(crate) fn class(self) -> &'static str {
        match self {
            Width::Half => "half",
            Width::Full => "full",
        }
    }
}

/// The name of a chart: for links and tests, and for those who cannot see it.
#[derive(Debug, Clone, Default)]
pub struct Name {
    /// Id of the SVG element.
    pub id: String,
    /// What the chart shows, in a sentence (`aria-label`).
    pub description: String,
}

impl Name {
    /// A name from its two parts.
    pub fn new(id: &str, description: impl Into<String>) -> Name {
        Name { id: id.into(), description: description.into() }
    }
}

/// The plot area inside the drawing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

/// A drawing under construction; counts its marks as they are added.
pub(crate) struct Drawing {
    pub width: Width,
    pub height: f64,
    pub body: String,
    marks: usize,
    anchors: usize,
    axes: bool,
}

impl Drawing {
    pub fn new(width: Width, height: f64) -> Drawing {
        Drawing { width, height, body: String::new(), marks: 0, anchors: 0, axes: true }
    }

    /// A drawing in which positions have no numbers; tests look for none.
    pub fn without_axes(width: Width, height: f64) -> Drawing {
        Drawing { axes: false, ..Drawing::new(width, height) }
    }

    /// Adds SVG that is not a data mark.
    pub fn add(&mut self, svg: impl AsRef<str>) {
        self.body.push_str(svg.as_ref());
    }

    /// Adds the SVG of one data mark; it must carry the class `mark`.
    pub fn add_mark(&mut self, svg: impl AsRef<str>) {
        self.marks += 1;
        self.body.push_str(svg.as_ref());
    }

    /// Adds the SVG of one anchor; it must carry the classes `mark anchor`.
    pub fn add_anchor(&mut self, svg: impl AsRef<str>) {
        self.anchors += 1;
        self.add_mark(svg);
    }

    /// The finished element. `data-count` and `data-anchors` say how many marks it holds; tests count them again.
    pub fn finish(self, name: &Name) -> String {
        let Drawing { width, height, body, marks, anchors, axes } = self;
        format!(
            "<svg id=\"{id}\" class=\"chart {class}\" viewBox=\"0 0 {w} {h}\" role=\"img\" tabindex=\"0\" \
             aria-label=\"{label}\" data-count=\"{marks}\" data-anchors=\"{anchors}\"{axes}>{body}</svg>",
            id = escape(&name.id),
            class = width.class(),
            w = px(width.pixels()),
            h = px(height),
            label = escape(&name.description),
            axes = if axes { "" } else { " data-axes=\"none\"" },
        )
    }
}

/// `<text>` at a place; `class` carries size and anchor ("tick end", "name", ...).
pub(crate) fn text(x: f64, y: f64, class: &str, content: &str) -> String {
    format!("<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>", px(x), px(y), escape(content))
}

/// The horizontal axis: line, ticks, name below.
pub(crate) fn x_axis(area: Area, scale: &Scale, ticks: &[Tick], name: &str) -> String {
    let mut out = format!("<path class=\"axis\" d=\"M{} {}H{}\"/>", px(area.left), px(area.bottom), px(area.right));
    for (x, tick) in placed(scale, ticks, area.left, area.right) {
        let _ = write!(out, "<path class=\"axis\" d=\"M{} {}v5\"/>", px(x), px(area.bottom));
        out.push_str(&text(x, area.bottom + 18.0, "tick middle", &tick.label));
    }
    out.push_str(&text((area.left + area.right) / 2.0, area.bottom + 37.0, "name middle", name));
    out
}

/// The vertical axis: light grid lines, numbers, name above.
pub(crate) fn y_axis(area: Area, scale: &Scale, ticks: &[Tick], name: &str) -> String {
    y_axis_at(area, scale, ticks, name, 4.0, 14.0)
}

/// The same, its name at a place of its own.
pub(crate) fn y_axis_at(area: Area, scale: &Scale, ticks: &[Tick], name: &str, x: f64, top: f64) -> String {
    let mut out = String::new();
    for (y, tick) in placed(scale, ticks, area.top, area.bottom) {
        let _ = write!(out, "<path class=\"grid\" d=\"M{} {}H{}\"/>", px(area.left), px(y), px(area.right));
        out.push_str(&text(area.left - 8.0, y + 4.0, "tick end", &tick.label));
    }
    out.push_str(&text(x, top, "name", name));
    out
}

fn placed<'a>(scale: &'a Scale, ticks: &'a [Tick], low: f64, high: f64) -> impl Iterator<Item = (f64, &'a Tick)> {
    ticks.iter().filter_map(move |tick| {
        let place = scale.place(tick.value)?;
        (place >= low - 0.5 && place <= high + 0.5).then_some((place, tick))
    })
}

/// Markers that differ without color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Round.
    Circle,
    /// A square on its corner; kept for anchors.
    Diamond,
    /// Square.
    Square,
    /// Pointing up.
    Triangle,
    /// Pointing down.
    Nabla,
    /// An x.
    Cross,
    /// A plus.
    Plus,
}

impl Shape {
    /// The shape of series `i`; six of them, then again from the first.
    pub(crate) fn of_series(i: usize) -> Shape {
        [Shape::Circle, Shape::Square, Shape::Triangle, Shape::Cross, Shape::Nabla, Shape::Plus][i % 6]
    }

    /// The element, with its attributes other than geometry.
    pub(crate) fn draw(self, x: f64, y: f64, r: f64, attributes: &str) -> String {
        let attributes = if attributes.is_empty() { String::new() } else { format!(" {attributes}") };
        if self == Shape::Circle {
            return format!("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{attributes}/>", px(x), px(y), px(r));
        }
        let (a, d) = (px(r), px(2.0 * r));
        let path = match self {
            Shape::Diamond => {
                let r = r * 1.25;
                format!("M{} {}l{a} {a}l-{a} {a}l-{a}-{a}z", px(x), px(y - r), a = px(r))
            }
            Shape::Square => format!("M{} {}h{d}v{d}h-{d}z", px(x - r), px(y - r)),
            Shape::Triangle => format!("M{} {}l{a} {d}h-{d}z", px(x), px(y - r)),
            Shape::Nabla => format!("M{} {}l{a}-{d}h-{d}z", px(x), px(y + r)),
            Shape::Cross => format!("M{} {}l{d} {d}m0-{d}l-{d} {d}", px(x - r), px(y - r)),
            Shape::Plus => format!("M{} {}h{d}m-{a}-{a}v{d}", px(x - r), px(y)),
            Shape::Circle => String::new(),
        };
        let open = if matches!(self, Shape::Cross | Shape::Plus) { " data-open=\"\"" } else { "" };
        format!("<path d=\"{path}\"{open}{attributes}/>")
    }
}

/// One entry of a legend: the drawing of its key (about 24 x 12 pixels around the given center) and its words.
pub(crate) struct Key<'a> {
    pub symbol: Box<dyn Fn(f64, f64) -> String + 'a>,
    pub label: &'a str,
}

/// Legend entries from left to right at height `y`, wrapped within the drawing; returns the SVG and the height used.
pub(crate) fn legend(keys: &[Key], y: f64, width: Width) -> (String, f64) {
    legend_within(keys, 0.0, y, width.pixels())
}

/// The same, between `left` and `right`.
pub(crate) fn legend_within(keys: &[Key], left: f64, y: f64, right: f64) -> (String, f64) {
    let start = left + 4.0;
    let (mut out, mut x, mut row) = (String::new(), start, 0.0);
    for key in keys {
        let entry = 30.0 + text_width(key.label, 12.0) + 16.0;
        if x + entry > right && x > start {
            (x, row) = (start, row + 18.0);
        }
        out.push_str(&(key.symbol)(x + 12.0, y + row - 4.0));
        out.push_str(&text(x + 30.0, y + row, "legend", key.label));
        x += entry;
    }
    (out, row + 18.0)
}

/// A guess at the width of text, on the generous side.
pub(crate) fn text_width(content: &str, size: f64) -> f64 {
    content.chars().count() as f64 * size * 0.58
}

/// Places labels so that none covers another: first come, first served.
#[derive(Default)]
pub(crate) struct Labels {
    boxes: Vec<[f64; 4]>,
}

impl Labels {
    /// Keeps labels away from this rectangle (left, top, right, bottom).
    pub fn block(&mut self, rectangle: [f64; 4]) {
        self.boxes.push(rectangle);
    }

    /// The first of the `positions` (center of the text's baseline) at which `content` covers nothing and stays inside
    /// `within`; blocks it.
    pub fn place(&mut self, content: &str, positions: &[(f64, f64)], within: Area) -> Option<(f64, f64)> {
        // Labels are bold.
        let half = text_width(content, 13.0) / 2.0 + 1.0;
        positions.iter().copied().find(|(x, y)| {
            let rectangle @ [l, t, r, b] = [x - half, y - 10.0, x + half, y + 2.0];
            let inside = l >= within.left && r <= within.right && t >= within.top && b <= within.bottom;
            let free = inside && self.is_free(rectangle);
            if free {
                self.boxes.push(rectangle);
            }
            free
        })
    }

    /// Whether nothing has been placed or blocked there.
    pub fn is_free(&self, [l, t, r, b]: [f64; 4]) -> bool {
        self.boxes.iter().all(|[ol, ot, or, ob]| r <= *ol || l >= *or || b <= *ot || t >= *ob)
    }
}
