//! Estimates with their intervals: a line for each method, whiskers, and hollow markers for numbers of others.
//!
//! One or more panels in one drawing: two side by side, or one above the other where the whiskers would be too close. When all panels show the same series there is one legend for all of them,
//! otherwise each has its own. Markers and whiskers of different series stand a little apart, so that equal values (rates of 0
//! and 1) do not cover each other.

use super::frame::{Area, Drawing, Key, Name, Shape, Width, legend_within, text, x_axis, y_axis_at};
use super::mark;
use super::scale::{Scale, Stretch, is_shown};
use crate::text::px;

/// Series that differ in color, dash and marker.
const STYLES: usize = 8;
/// Pixels between the whiskers of neighboring series.
const DODGE: f64 = 3.0;
/// Pixels between two panels side by side.
const GAP: f64 = 28.0;

/// A place, the interval around it, and what to say about it.
#[derive(Debug, Clone, Default)]
pub struct IntervalPoint {
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Lower and upper end of the whisker.
    pub interval: Option<(f64, f64)>,
    /// Shown on hover; lines separated by `\n`.
    pub tip: String,
}

/// One line.
#[derive(Debug, Clone, Default)]
pub struct IntervalSeries {
    /// As in the legend.
    pub name: String,
    /// Which of eight styles; the same series should have the same style in every chart.
    pub style: usize,
    /// From left to right.
    pub points: Vec<IntervalPoint>,
    /// Numbers from other sources, drawn hollow and not joined.
    pub references: Vec<IntervalPoint>,
    /// What could not be run, where it would have been: crosses.
    pub refused: Vec<IntervalPoint>,
}

/// Two axes and their lines.
#[derive(Debug, Clone)]
pub struct IntervalPanel {
    /// Heading; may be empty.
    pub title: String,
    /// Name of the horizontal axis.
    pub x_name: String,
    /// Name of the vertical axis.
    pub y_name: String,
    /// Linear or logarithmic.
    pub x_stretch: Stretch,
    /// Linear (from 0, or from the data if they are far from 0) or logarithmic.
    pub y_stretch: Stretch,
    /// The lines.
    pub series: Vec<IntervalSeries>,
}

/// A figure of one or more panels.
#[derive(Debug, Clone)]
pub struct IntervalChart {
    /// Id and description.
    pub name: Name,
    /// The panels, two side by side.
    pub panels: Vec<IntervalPanel>,
}

/// The chart as SVG, over the whole width.
///
/// ```
/// use merit_report::chart::{IntervalChart, IntervalPanel, IntervalPoint, IntervalSeries, Name, Stretch, interval_chart};
/// let point = IntervalPoint { x: 10.0, y: 0.9, interval: Some((0.8, 0.95)), tip: "MERIT\n0.9".into() };
/// let panel = IntervalPanel {
///     title: "Success".into(),
///     x_name: "SNR (dB)".into(),
///     y_name: "rate".into(),
///     x_stretch: Stretch::Linear,
///     y_stretch: Stretch::Linear,
///     series: vec![IntervalSeries { name: "MERIT".into(), points: vec![point], ..Default::default() }],
/// };
/// let svg = interval_chart(&IntervalChart { name: Name::new("fig", "Success rates"), panels: vec![panel] });
/// assert!(svg.contains("class=\"whisker s0\"") && svg.contains("data-count=\"1\""));
/// ```
pub fn interval_chart(chart: &IntervalChart) -> String {
    let abreast = if chart.panels.len() > 1 && !chart.panels.iter().any(crowded) { 2 } else { 1 };
    let rows = chart.panels.len().div_ceil(abreast).max(1);
    let shared = chart.panels.windows(2).all(|pair| same_series(&pair[0], &pair[1]));
    let full = Width::Full.pixels();
    let panel_width = (full - GAP * (abreast - 1) as f64) / abreast as f64;
    let (mut top, mut shared_legend) = (4.0, String::new());
    if let Some(panel) = chart.panels.first().filter(|_| shared) {
        let (svg, used) = legend_of(panel, 0.0, 18.0, full);
        (shared_legend, top) = (svg, 4.0 + used + 8.0);
    }
    let own = |panel: &IntervalPanel| if shared { 0.0 } else { legend_of(panel, 0.0, 0.0, panel_width).1 };
    let legend_height = chart.panels.iter().map(own).fold(0.0, f64::max);
    let title_height = if chart.panels.iter().any(|panel| !panel.title.is_empty()) { 20.0 } else { 0.0 };
    let panel_height = title_height + legend_height + 290.0;
    let mut drawing = Drawing::new(Width::Full, top + rows as f64 * panel_height);
    drawing.add(shared_legend);
    for (i, panel) in chart.panels.iter().enumerate() {
        let left = (i % abreast) as f64 * (panel_width + GAP);
        let mut y = top + (i / abreast) as f64 * panel_height;
        if !panel.title.is_empty() {
            drawing.add(text(left + 4.0, y + 14.0, "panel", &panel.title));
        }
        y += title_height;
        if !shared {
            drawing.add(legend_of(panel, left, y + 14.0, left + panel_width).0);
            y += legend_height;
        }
        let area =
            Area { left: left + 58.0, right: left + panel_width - 12.0, top: y + 26.0, bottom: y + 290.0 - 48.0 };
        draw_panel(&mut drawing, panel, area, left + 4.0, y + 14.0);
    }
    drawing.finish(&chart.name)
}

/// Whether whiskers would fill most of half of the width.
fn crowded(panel: &IntervalPanel) -> bool {
    let longest = panel.series.iter().map(|series| series.points.len()).max().unwrap_or(0);
    (longest * panel.series.len()) as f64 * DODGE > 0.4 * (Width::Full.pixels() - GAP)
}

fn same_series(a: &IntervalPanel, b: &IntervalPanel) -> bool {
    let names = |panel: &IntervalPanel| panel.series.iter().map(|s| (s.name.clone(), s.style)).collect::<Vec<_>>();
    names(a) == names(b)
}

fn legend_of(panel: &IntervalPanel, left: f64, y: f64, right: f64) -> (String, f64) {
    let key = |series: &IntervalSeries| (series.style % STYLES, series.name.clone());
    let keys: Vec<(usize, String)> = panel.series.iter().map(key).collect();
    let mut keys: Vec<Key> = keys
        .iter()
        .map(|(style, name)| {
            let style = *style;
            let symbol = move |x: f64, y: f64| {
                let line = format!("<path class=\"line s{style}\" d=\"M{} {}h24\"/>", px(x - 12.0), px(y));
                line + &Shape::of_series(style).draw(x, y, 3.0, &format!("class=\"point s{style}\""))
            };
            Key { symbol: Box::new(symbol), label: name }
        })
        .collect();
    if panel.series.iter().any(|series| !series.references.is_empty()) {
        let symbol = |x: f64, y: f64| Shape::Circle.draw(x, y, 5.0, "class=\"hollow\"");
        keys.push(Key { symbol: Box::new(symbol), label: "the paper's number" });
    }
    if panel.series.iter().any(|series| !series.refused.is_empty()) {
        let symbol = |x: f64, y: f64| cross(x, y, "class=\"cross\"");
        keys.push(Key { symbol: Box::new(symbol), label: "does not fit: not run" });
    }
    legend_within(&keys, left, y, right)
}

/// Two strokes, 8 pixels wide.
fn cross(x: f64, y: f64, attributes: &str) -> String {
    format!("<path {attributes} d=\"M{} {}l8 8m0 -8l-8 8\"/>", px(x - 4.0), px(y - 4.0))
}

fn draw_panel(drawing: &mut Drawing, panel: &IntervalPanel, area: Area, name_x: f64, name_y: f64) {
    let all = || panel.series.iter().flat_map(|s| s.points.iter().chain(&s.references).chain(&s.refused));
    let shown = |p: &&IntervalPoint| is_shown(p.x, panel.x_stretch) && is_shown(p.y, panel.y_stretch);
    let ends = |p: &IntervalPoint| {
        let (low, high) = p.interval.unwrap_or((p.y, p.y));
        [p.y, low, high]
    };
    let margin = DODGE * panel.series.len() as f64 / 2.0 + 8.0;
    let x = Scale::over(all().filter(shown).map(|p| p.x), panel.x_stretch, area.left + margin, area.right - margin);
    let (low, high) = all()
        .filter(shown)
        .flat_map(ends)
        .filter(|y| y.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    // An axis from 0 is honest, but hides everything when all values are far from 0 and close together. What cannot be
    // negative has no whisker below 0.
    let from_zero = panel.y_stretch == Stretch::Linear && !(low > 0.0 && high - low < 0.6 * high);
    let nonnegative = all().filter(shown).all(|p| p.y >= 0.0);
    let floor = if from_zero && nonnegative { 0.0 } else { f64::NEG_INFINITY };
    let values = all().filter(shown).flat_map(ends).map(|y| y.max(floor)).chain(from_zero.then_some(0.0));
    let y = Scale::over(values, panel.y_stretch, area.bottom - 4.0, area.top + 6.0).rounded(5);
    drawing.add(y_axis_at(area, &y, &y.ticks(5), &panel.y_name, name_x, name_y));
    let wanted = if area.right - area.left > 500.0 { 10 } else { 6 };
    drawing.add(x_axis(area, &x, &x.ticks(wanted), &panel.x_name));
    for (i, series) in panel.series.iter().enumerate() {
        let dodge = (i as f64 - (panel.series.len() - 1) as f64 / 2.0) * DODGE;
        draw_series(drawing, series, &x, &y, dodge, floor);
    }
}

fn draw_series(drawing: &mut Drawing, series: &IntervalSeries, x: &Scale, y: &Scale, dodge: f64, floor: f64) {
    let style = series.style % STYLES;
    let place = |p: &IntervalPoint| Some((x.place(p.x)? + dodge, y.place(p.y)?));
    let mut path = String::new();
    for (left, top) in series.points.iter().filter_map(place) {
        path += &format!("{}{} {}", if path.is_empty() { "M" } else { "L" }, px(left), px(top));
    }
    if !path.is_empty() {
        drawing.add(format!("<path class=\"line thin s{style}\" d=\"{path}\"/>"));
    }
    for point in &series.points {
        let Some((left, top)) = place(point) else { continue };
        let ends = point.interval.and_then(|(low, high)| Some((y.place(low.max(floor))?, y.place(high)?)));
        if let Some((low, high)) = ends.filter(|(low, high)| low - high > 0.5) {
            let (l, cap) = (px(left - 2.5), "h5");
            let d = format!("M{l} {}{cap}M{l} {}{cap}M{} {}V{}", px(low), px(high), px(left), px(low), px(high));
            drawing.add(format!("<path class=\"whisker s{style}\" d=\"{d}\"/>"));
        }
        let class = mark(&format!("point s{style}"), &point.tip);
        drawing.add_mark(Shape::of_series(style).draw(left, top, 2.8, &class));
    }
    for point in &series.references {
        let Some((left, top)) = place(point) else { continue };
        let class = mark(&format!("hollow s{style}"), &point.tip);
        drawing.add_mark(Shape::Circle.draw(left, top, 6.0, &class));
    }
    for point in &series.refused {
        let Some((left, top)) = place(point) else { continue };
        drawing.add_mark(cross(left, top, &mark(&format!("cross s{style}"), &point.tip)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::occurrences;
    use super::*;

    fn series(name: &str, style: usize, ys: &[f64]) -> IntervalSeries {
        let point = |(i, &y): (usize, &f64)| IntervalPoint {
            x: i as f64 + 1.0,
            y,
            interval: Some((y - 0.1, y + 0.1)),
            tip: format!("{name} {y}"),
        };
        let points = ys.iter().enumerate().map(point).collect();
        IntervalSeries { name: name.into(), style, points, ..Default::default() }
    }

    fn chart(panels: Vec<Vec<IntervalSeries>>, y_stretch: Stretch) -> String {
        let panel = |series| IntervalPanel {
            title: "a < b".into(),
            x_name: "SNR".into(),
            y_name: "rate".into(),
            x_stretch: Stretch::Log,
            y_stretch,
            series,
        };
        interval_chart(&IntervalChart {
            name: Name::new("f", "rates"),
            panels: panels.into_iter().map(panel).collect(),
        })
    }

    #[test]
    fn a_mark_and_a_whisker_for_every_point() {
        let mut one = series("A", 0, &[0.0, 0.5, f64::NAN, 1.0]);
        one.references.push(IntervalPoint { x: 2.0, y: 0.4, interval: None, tip: "paper".into() });
        one.refused.push(IntervalPoint { x: 4.0, y: 3.0, interval: None, tip: "too large".into() });
        let svg = chart(vec![vec![one, series("B", 9, &[0.2, 0.2])]], Stretch::Linear);
        assert!(svg.contains("data-count=\"7\"") && svg.contains("does not fit: not run"), "{svg}");
        assert_eq!(occurrences(&svg, "data-tip="), 7);
        assert_eq!(occurrences(&svg, "class=\"mark cross"), 1);
        assert_eq!(occurrences(&svg, "class=\"whisker"), 5);
        assert_eq!(occurrences(&svg, "class=\"mark hollow"), 1);
        assert!(svg.contains("the paper&#39;s number") && svg.contains("a &lt; b"));
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn no_whisker_goes_below_what_is_possible() {
        // 0.0 +- 0.1: the lower end is cut at the axis, where the marker is.
        let svg = chart(vec![vec![series("A", 0, &[0.0, 1.0])]], Stretch::Linear);
        assert!(!svg.contains(">−") && svg.contains(">0</text>"), "{svg}");
    }

    #[test]
    fn panels_with_the_same_series_share_a_legend() {
        let legends = |svg: &str| occurrences(svg, "class=\"legend\"");
        let same = chart(vec![vec![series("A", 0, &[0.1])], vec![series("A", 0, &[0.9])]], Stretch::Linear);
        let other = chart(vec![vec![series("A", 0, &[0.1])], vec![series("B", 1, &[0.9])]], Stretch::Linear);
        assert_eq!((legends(&same), legends(&other)), (1, 2));
    }

    #[test]
    fn nothing_to_draw_still_gives_axes() {
        for stretch in [Stretch::Linear, Stretch::Log] {
            let svg = chart(vec![vec![series("A", 0, &[f64::NAN, -1.0])]], stretch);
            assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.contains(">SNR</text>"));
        }
        assert!(chart(Vec::new(), Stretch::Linear).contains("data-count=\"0\""));
    }
}
