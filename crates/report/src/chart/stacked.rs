//! Bars made of parts, side by side: shares, or counts by kind.

use super::frame::{Area, Drawing, Name, Width, text, text_width, y_axis};
use super::mark;
use super::scale::{Scale, Stretch};
use crate::text::{px, shorten};

/// Stacked bars.
#[derive(Debug, Clone, Default)]
pub struct StackedBars {
    /// Id and description.
    pub name: Name,
    /// Half or full width.
    pub width: Width,
    /// Name of the horizontal axis.
    pub x_name: String,
    /// Name of the vertical axis.
    pub y_name: String,
    /// The bars, left to right.
    pub bars: Vec<StackedBar>,
    /// Numbers under the edges between bars: (how many bars lie to the left, what is written there).
    pub edges: Vec<(usize, String)>,
    /// Names above runs of neighboring bars: (first, one past the last, name, class).
    pub blocks: Vec<(usize, usize, String, String)>,
}

/// One bar.
#[derive(Debug, Clone, Default)]
pub struct StackedBar {
    /// Class (its color is `--c`) and height of each part, from below.
    pub parts: Vec<(String, f64)>,
    /// Shown on hover.
    pub tip: String,
    /// Written under the bar, if all bars have room for theirs.
    pub label: String,
    /// Its place from the left in another order, which a script may put the bars into.
    pub other_place: Option<usize>,
    /// Number by which scripts find it.
    pub number: Option<usize>,
}

/// The bars as SVG. Parts that are not positive are skipped.
pub fn stacked_bars(chart: &StackedBars) -> String {
    let count = chart.bars.len().max(1);
    let blocks_room = if chart.blocks.is_empty() { 0.0 } else { 20.0 };
    let top = 28.0 + blocks_room;
    let area = Area { left: 52.0, right: chart.width.pixels() - 6.0, top, bottom: top + 214.0 };
    let mut drawing = Drawing::new(chart.width, area.bottom + 46.0);
    let height = |bar: &StackedBar| bar.parts.iter().map(|part| part.1).filter(|v| *v > 0.0).sum::<f64>();
    let y = Scale::over(chart.bars.iter().map(height).chain([0.0]), Stretch::Linear, area.bottom, area.top).rounded(4);
    drawing.add(y_axis(area, &y, &y.ticks(4), &chart.y_name));
    let pitch = ((area.right - area.left) / count as f64).min(64.0);
    let place = |i: usize| area.left + i as f64 * pitch;
    let labeled = chart.bars.iter().all(|bar| text_width(&bar.label, 11.0) + 2.0 < pitch);
    // Wide bars get a hairline between them; narrow ones overlap a little, so that no background shines through.
    let gap = if pitch > 5.0 { -pitch.min(12.0) * 0.12 } else { 0.2 };
    drawing.add(format!("<g class=\"stack\" style=\"--w:{}px\">", px(pitch + gap)));
    for (i, bar) in chart.bars.iter().enumerate() {
        let other = bar.other_place.map_or(String::new(), |o| format!(" data-other=\"{}\"", px(place(o))));
        let number = bar.number.map_or(String::new(), |n| format!(" data-n=\"{n}\""));
        let label = if labeled && !bar.label.is_empty() {
            text(pitch / 2.0, area.bottom + 15.0, "tick middle", &bar.label)
        } else {
            String::new()
        };
        let mut rects = String::new();
        let mut sum = 0.0;
        for (class, value) in bar.parts.iter().filter(|part| part.1.is_finite() && part.1 > 0.0) {
            let (Some(low), Some(high)) = (y.place(sum), y.place(sum + value)) else { continue };
            sum += value;
            if low - high >= 0.05 {
                // Half a pixel into the part below, so that no background shines through between them.
                let reach = if rects.is_empty() { 0.0 } else { 0.5 };
                rects += &format!("<rect class=\"{class}\" y=\"{}\" height=\"{}\"/>", px(high), px(low - high + reach));
            }
        }
        if rects.is_empty() {
            // Something to point at, where there is nothing to see.
            rects = format!("<rect class=\"none\" y=\"{}\" height=\"1\"/>", px(area.bottom - 1.0));
        }
        drawing.add_mark(format!(
            "<g {} transform=\"translate({} 0)\"{number}{other}>{label}{rects}</g>",
            mark("bar", &bar.tip),
            px(place(i))
        ));
    }
    drawing.add("</g>");
    let end = place(chart.bars.len());
    drawing.add(format!("<path class=\"axis\" d=\"M{} {}H{}\"/>", px(area.left), px(area.bottom), px(end)));
    for (edge, label) in &chart.edges {
        drawing.add(format!("<path class=\"axis\" d=\"M{} {}v5\"/>", px(place(*edge)), px(area.bottom)));
        drawing.add(text(place(*edge), area.bottom + 18.0, "tick middle", label));
    }
    draw_blocks(&mut drawing, chart, place, area.top);
    drawing.add(text((area.left + end) / 2.0, area.bottom + 37.0, "name middle", &chart.x_name));
    drawing.finish(&chart.name)
}

fn draw_blocks(drawing: &mut Drawing, chart: &StackedBars, place: impl Fn(usize) -> f64, top: f64) {
    drawing.add("<g class=\"blocks\">");
    for (first, end, name, class) in &chart.blocks {
        let (left, right) = (place(*first), place(*end));
        drawing.add(format!(
            "<path class=\"bracket {class}\" d=\"M{} {}H{}\"/>",
            px(left + 0.5),
            px(top - 7.0),
            px(right - 1.5)
        ));
        let name = shorten(name, ((right - left) / 6.6) as usize);
        // A name cut to an ellipsis says nothing; its number alone still does.
        let name =
            if name.chars().count() < 4 { name.split([':', '…']).next().unwrap_or("").to_string() } else { name };
        if !name.is_empty() && text_width(&name, 11.0) < right - left {
            drawing.add(text((left + right) / 2.0, top - 12.0, "tick middle", &name));
        }
    }
    drawing.add("</g>");
}

#[cfg(test)]
mod tests {
    use super::super::occurrences;
    use super::*;

    #[test]
    fn parts_stand_on_each_other() {
        let bar = |parts: &[f64]| StackedBar {
            parts: parts.iter().enumerate().map(|(k, v)| (format!("c{k}"), *v)).collect(),
            tip: "<b>".into(),
            ..StackedBar::default()
        };
        let svg = stacked_bars(&StackedBars {
            bars: vec![bar(&[0.25, 0.75]), bar(&[1.0, 0.0]), bar(&[f64::NAN, -1.0])],
            ..StackedBars::default()
        });
        assert!(svg.contains("data-count=\"3\"") && svg.contains("data-tip=\"&lt;b&gt;\""));
        // Of 214 pixels: a quarter below, three quarters above.
        assert_eq!(occurrences(&svg, "<rect class=\"c0\" y=\"188.5\" height=\"53.5\"/>"), 1, "{svg}");
        assert_eq!(occurrences(&svg, "<rect class=\"c1\" y=\"28\" height=\"161\"/>"), 1, "{svg}");
        assert_eq!(occurrences(&svg, "<rect class=\"c"), 3);
    }
}
