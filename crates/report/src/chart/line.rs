//! Lines over a common axis, and the same as small multiples.

use super::frame::{Area, Drawing, Key, Name, Shape, Width, legend, text, x_axis, y_axis};
use super::mark;
use super::scale::{Scale, Stretch, is_shown};
use crate::text::{px, shorten};

/// A place and what to say about it.
#[derive(Debug, Clone, Default)]
pub struct Point {
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Shown on hover; lines separated by `\n`.
    pub tip: String,
}

/// One line.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// As in the legend.
    pub name: String,
    /// From left to right; the line is broken where a point has no place on the axes.
    pub points: Vec<Point>,
}

/// Lines that share their axes.
#[derive(Debug, Clone)]
pub struct LineChart {
    /// Id and description.
    pub name: Name,
    /// Half or full width.
    pub width: Width,
    /// Name of the horizontal axis.
    pub x_name: String,
    /// Name of the vertical axis.
    pub y_name: String,
    /// Linear or logarithmic.
    pub y_stretch: Stretch,
    /// The lines; more than one get a legend, different dashes and different markers.
    pub series: Vec<Series>,
}

/// The chart as SVG.
pub fn line_chart(chart: &LineChart) -> String {
    let mut drawing = Drawing::new(chart.width, 300.0);
    let mut top = 30.0;
    if chart.series.len() > 1 {
        let keys: Vec<Key> = chart.series.iter().enumerate().map(|(i, series)| series_key(i, &series.name)).collect();
        let (svg, used) = legend(&keys, 36.0, chart.width);
        drawing.add(svg);
        top += used + 4.0;
    }
    let area = Area { left: 58.0, right: chart.width.pixels() - 14.0, top, bottom: 300.0 - 46.0 };
    let points =
        || chart.series.iter().flat_map(|s| &s.points).filter(|p| p.x.is_finite() && is_shown(p.y, chart.y_stretch));
    let x = Scale::over(points().map(|p| p.x), Stretch::Linear, area.left + 8.0, area.right - 8.0);
    let floor = (chart.y_stretch == Stretch::Linear).then_some(0.0);
    let y = Scale::over(points().map(|p| p.y).chain(floor), chart.y_stretch, area.bottom, area.top + 6.0).rounded(5);
    drawing.add(y_axis(area, &y, &y.ticks(5), &chart.y_name));
    drawing.add(x_axis(area, &x, &x.whole_ticks(if chart.width == Width::Half { 5 } else { 10 }), &chart.x_name));
    for (i, series) in chart.series.iter().enumerate() {
        draw_series(&mut drawing, series, i, &x, &y, chart.series.len() > 1);
    }
    drawing.finish(&chart.name)
}

/// The same two axes over and over, one line in each panel.
#[derive(Debug, Clone)]
pub struct SmallMultiples {
    /// Id and description.
    pub name: Name,
    /// Name of the horizontal axes.
    pub x_name: String,
    /// Name of the vertical axes.
    pub y_name: String,
    /// One panel each; the name is the panel's title.
    pub panels: Vec<Series>,
}

/// The panels as one SVG, three side by side, all on the same scales.
pub fn small_multiples(chart: &SmallMultiples) -> String {
    let abreast = chart.panels.len().clamp(1, 3);
    let rows = chart.panels.len().div_ceil(abreast).max(1);
    let (panel_height, head) = (132.0, 26.0);
    let mut drawing = Drawing::new(Width::Full, head + rows as f64 * panel_height + 40.0);
    let points = || chart.panels.iter().flat_map(|s| &s.points).filter(|p| p.x.is_finite() && p.y.is_finite());
    let (left, gap) = (58.0, 22.0);
    let panel_width = (Width::Full.pixels() - left - 14.0 - gap * (abreast - 1) as f64) / abreast as f64;
    drawing.add(text(4.0, 14.0, "name", &chart.y_name));
    for (i, panel) in chart.panels.iter().enumerate() {
        let (row, column) = (i / abreast, i % abreast);
        let l = left + column as f64 * (panel_width + gap);
        let t = head + row as f64 * panel_height;
        let area = Area { left: l, right: l + panel_width, top: t + 24.0, bottom: t + panel_height - 8.0 };
        let x = Scale::over(points().map(|p| p.x), Stretch::Linear, area.left + 5.0, area.right - 5.0);
        let y =
            Scale::over(points().map(|p| p.y).chain([0.0]), Stretch::Linear, area.bottom, area.top + 4.0).rounded(3);
        drawing.add(text(l, t + 16.0, "panel", &shorten(&panel.name, (panel_width / 7.6) as usize)));
        let last_of_its_column = i + abreast >= chart.panels.len();
        for tick in y.ticks(3) {
            if let Some(py) = y.place(tick.value) {
                drawing.add(format!("<path class=\"grid\" d=\"M{} {}H{}\"/>", px(area.left), px(py), px(area.right)));
                if column == 0 {
                    drawing.add(text(area.left - 8.0, py + 4.0, "tick end", &tick.label));
                }
            }
        }
        drawing.add(format!("<path class=\"axis\" d=\"M{} {}H{}\"/>", px(area.left), px(area.bottom), px(area.right)));
        if last_of_its_column {
            for tick in x.whole_ticks(4) {
                if let Some(place) = x.place(tick.value) {
                    drawing.add(format!("<path class=\"axis\" d=\"M{} {}v5\"/>", px(place), px(area.bottom)));
                    drawing.add(text(place, area.bottom + 18.0, "tick middle", &tick.label));
                }
            }
            drawing.add(text((area.left + area.right) / 2.0, area.bottom + 36.0, "name middle", &chart.x_name));
        }
        draw_series(&mut drawing, panel, 0, &x, &y, false);
    }
    drawing.finish(&chart.name)
}

pub(super) fn series_key(i: usize, name: &str) -> Key<'_> {
    let style = i % 6;
    Key {
        symbol: Box::new(move |x, y| {
            let line = format!("<path class=\"line s{style}\" d=\"M{} {}h24\"/>", px(x - 12.0), px(y));
            line + &Shape::of_series(i).draw(x, y, 3.0, &format!("class=\"point s{style}\""))
        }),
        label: name,
    }
}

/// The line, a mark on every point (found by hover and keyboard), and a visible marker on about a dozen of them.
fn draw_series(drawing: &mut Drawing, series: &Series, i: usize, x: &Scale, y: &Scale, markers: bool) {
    let style = i % 6;
    let mut path = String::new();
    let mut broken = true;
    let positions: Vec<Option<(f64, f64)>> =
        series.points.iter().map(|p| Some((x.place(p.x)?, y.place(p.y)?))).collect();
    for place in &positions {
        match place {
            Some((px_, py)) => {
                path.push_str(&format!("{}{} {}", if broken { "M" } else { "L" }, px(*px_), px(*py)));
                broken = false;
            }
            None => broken = true,
        }
    }
    if !path.is_empty() {
        drawing.add(format!("<path class=\"line s{style}\" d=\"{path}\"/>"));
    }
    // A single long line needs no markers; several are distinguished by them.
    let every = match series.points.len() {
        0..=24 => 1,
        n if markers => n.div_ceil(12),
        n => n,
    };
    for (n, (place, point)) in positions.iter().zip(&series.points).enumerate() {
        let Some((px_, py)) = *place else { continue };
        // A lone point between two gaps would be invisible as a line.
        let alone = (n == 0 || positions[n - 1].is_none()) && positions.get(n + 1).is_none_or(|next| next.is_none());
        let class = format!(
            "point s{style}{}",
            if alone || (every < series.points.len() && n % every == i * every / 3 % every) { "" } else { " quiet" }
        );
        drawing.add_mark(Shape::of_series(i).draw(px_, py, 2.6, &mark(&class, &point.tip)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::occurrences;
    use super::*;

    fn chart(ys: &[f64], y_stretch: Stretch) -> String {
        let points = ys.iter().enumerate().map(|(i, y)| Point { x: i as f64, y: *y, tip: format!("{i}") }).collect();
        line_chart(&LineChart {
            name: Name::new("c", "a < b"),
            width: Width::Half,
            x_name: "iteration".into(),
            y_name: "value".into(),
            y_stretch,
            series: vec![Series { name: "s".into(), points }],
        })
    }

    #[test]
    fn one_mark_per_drawable_point() {
        let svg = chart(&[1.0, 0.0, f64::NAN, -3.0, 10.0, f64::INFINITY], Stretch::Log);
        assert_eq!(occurrences(&svg, "data-tip="), 2);
        assert!(svg.contains("data-count=\"2\"") && !svg.contains("NaN") && !svg.contains("inf"));
        assert_eq!(occurrences(&chart(&[1.0, 0.0, f64::NAN, -3.0], Stretch::Linear), "data-tip="), 3);
    }

    #[test]
    fn nothing_to_draw_still_gives_axes() {
        let svg = chart(&[], Stretch::Log);
        assert!(svg.contains("data-count=\"0\"") && svg.contains("iteration") && !svg.contains("NaN"));
        assert!(svg.contains("aria-label=\"a &lt; b\""));
    }
}
