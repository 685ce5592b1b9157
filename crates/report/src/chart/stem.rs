//! Stems: one value per index, some of them singled out.

use super::frame::{Area, Drawing, Key, Labels, Name, Shape, Width, legend, text, x_axis, y_axis};
use super::mark;
use super::scale::{Scale, Stretch};
use crate::text::px;

/// One stem.
#[derive(Debug, Clone, Default)]
pub struct Stem {
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Shown on hover.
    pub tip: String,
    /// Whether it is an anchor: a diamond on top instead of a dot.
    pub anchor: bool,
    /// Written above it if there is room; may be empty.
    pub label: String,
}

/// A vertical line between two stems.
#[derive(Debug, Clone, Default)]
pub struct Cut {
    /// Where.
    pub x: f64,
    /// What it means.
    pub label: String,
}

/// Stems on a zero line.
#[derive(Debug, Clone, Default)]
pub struct StemPlot {
    /// Id and description.
    pub name: Name,
    /// Half or full width.
    pub width: Width,
    /// Name of the horizontal axis.
    pub x_name: String,
    /// Name of the vertical axis.
    pub y_name: String,
    /// First and last number of the horizontal axis.
    pub x_range: (f64, f64),
    /// The stems, in any order; anchors are drawn last.
    pub stems: Vec<Stem>,
    /// What an anchor is called in the legend.
    pub anchor_name: String,
    /// What the others are called.
    pub other_name: String,
    /// A line to draw, if any.
    pub cut: Option<Cut>,
}

/// The plot as SVG.
pub fn stem_plot(plot: &StemPlot) -> String {
    let mut drawing = Drawing::new(plot.width, 320.0);
    let keys = [
        Key {
            symbol: Box::new(|x, y| Shape::Diamond.draw(x, y, 4.5, "class=\"point anchor\"")),
            label: &plot.anchor_name,
        },
        Key {
            symbol: Box::new(|x, y| Shape::Circle.draw(x, y, 2.4, "class=\"point other\"")),
            label: &plot.other_name,
        },
    ];
    let (svg, used) = legend(&keys, 36.0, plot.width);
    drawing.add(svg);
    let labeled = plot.stems.iter().filter(|s| s.anchor && !s.label.is_empty()).count();
    let tiers = if labeled == 0 { 1 } else { (labeled / 12 + 1).min(4) };
    let head = 30.0 + used;
    let room = 12.0 + 13.0 * tiers as f64;
    let area = Area { left: 58.0, right: plot.width.pixels() - 14.0, top: head + room, bottom: 320.0 - 46.0 };
    let x = Scale::over([plot.x_range.0, plot.x_range.1], Stretch::Linear, area.left + 10.0, area.right - 10.0);
    let y = Scale::over(plot.stems.iter().map(|s| s.y).chain([0.0]), Stretch::Linear, area.bottom, area.top).rounded(5);
    drawing.add(y_axis(area, &y, &y.ticks(5), &plot.y_name));
    drawing.add(x_axis(area, &x, &x.whole_ticks(if plot.width == Width::Half { 5 } else { 10 }), &plot.x_name));
    let zero = y.place(0.0).unwrap_or(area.bottom);
    let mut labels = Labels::default();
    if let Some(cut) = &plot.cut {
        draw_cut(&mut drawing, cut, &x, area, head + 8.0, &mut labels);
    }
    let mut placed: Vec<(f64, f64, &Stem)> =
        plot.stems.iter().filter_map(|s| Some((x.place(s.x)?, y.place(s.y)?, s))).collect();
    // Anchors last, so that they lie on top; among them from left to right, so that labels are placed in reading order.
    placed.sort_by(|a, b| (a.2.anchor, a.0).partial_cmp(&(b.2.anchor, b.0)).unwrap_or(std::cmp::Ordering::Equal));
    for (px_, py, _) in placed.iter().filter(|p| p.2.anchor) {
        labels.block([px_ - 5.0, py - 6.0, px_ + 5.0, py + 6.0]);
        labels.block([px_ - 1.0, *py, px_ + 1.0, area.bottom]);
    }
    let above = Area { left: area.left - 6.0, right: plot.width.pixels(), top: head, bottom: area.bottom };
    for (px_, py, stem) in placed {
        let line = format!("<path d=\"M{} {}V{}\"/>", px(px_), px(zero), px(py));
        if !stem.anchor {
            let dot = Shape::Circle.draw(px_, py, 1.8, "");
            drawing.add_mark(format!("<g {}>{line}{dot}</g>", mark("stem other", &stem.tip)));
            continue;
        }
        let diamond = Shape::Diamond.draw(px_, py, 4.0, "");
        drawing.add_anchor(format!("<g {}>{line}{diamond}</g>", mark("stem anchor", &stem.tip)));
        let positions: Vec<(f64, f64)> = (0..tiers + 2).map(|tier| (px_, py - 10.0 - 13.0 * tier as f64)).collect();
        if stem.label.is_empty() {
            continue;
        }
        // A leader that would cross a label already there is as bad as a label on a label.
        let positions: Vec<(f64, f64)> = positions
            .into_iter()
            .filter(|(_, ly)| *ly > py - 11.0 || labels.is_free([px_ - 1.0, ly + 2.0, px_ + 1.0, py - 7.0]))
            .collect();
        if let Some((lx, ly)) = labels.place(&stem.label, &positions, above) {
            if ly < py - 11.0 {
                labels.block([px_ - 1.0, ly + 2.0, px_ + 1.0, py - 7.0]);
                drawing.add(format!("<path class=\"leader\" d=\"M{} {}V{}\"/>", px(px_), px(py - 7.0), px(ly + 2.0)));
            }
            drawing.add(text(lx, ly, "label middle", &stem.label));
        }
    }
    drawing.finish(&plot.name)
}

fn draw_cut(drawing: &mut Drawing, cut: &Cut, x: &Scale, area: Area, top: f64, labels: &mut Labels) {
    let Some(place) = x.place(cut.x) else { return };
    drawing.add(format!("<path class=\"cut\" d=\"M{} {}V{}\"/>", px(place), px(top), px(area.bottom)));
    labels.block([place - 2.0, top, place + 2.0, area.bottom]);
    // The label goes to the side with more room.
    let (dx, class) = if place > (area.left + area.right) / 2.0 { (-6.0, "cut-label end") } else { (6.0, "cut-label") };
    drawing.add(text(place + dx, top + 10.0, class, &cut.label));
}

#[cfg(test)]
mod tests {
    use super::super::occurrences;
    use super::*;

    #[test]
    fn anchors_are_another_shape_and_non_finite_stems_are_skipped() {
        let stem = |x: f64, y: f64, anchor| Stem { x, y, tip: "t".into(), anchor, label: "<7>".into() };
        let svg = stem_plot(&StemPlot {
            name: Name::new("s", "stems"),
            x_range: (0.0, 4.0),
            stems: vec![stem(0.0, 0.1, false), stem(1.0, 0.9, true), stem(2.0, f64::NAN, true), stem(3.0, 0.0, false)],
            cut: Some(Cut { x: 1.5, label: "cut".into() }),
            ..StemPlot::default()
        });
        assert!(svg.contains("data-count=\"3\"") && svg.contains("data-anchors=\"1\""));
        assert_eq!(occurrences(&svg, "class=\"mark stem anchor\""), 1);
        assert_eq!(occurrences(&svg, "class=\"mark stem other\""), 2);
        assert!(svg.contains("&lt;7&gt;") && !svg.contains("NaN"));
    }

    #[test]
    fn crowded_labels_are_left_out_rather_than_overprinted() {
        let stems =
            (0..200).map(|i| Stem { x: i as f64, y: 1.0, anchor: true, label: "12345".into(), ..Stem::default() });
        let svg = stem_plot(&StemPlot { x_range: (0.0, 199.0), stems: stems.collect(), ..StemPlot::default() });
        assert!(svg.contains("data-anchors=\"200\""));
        let labels = occurrences(&svg, "class=\"label middle\"");
        assert!((5..120).contains(&labels), "{labels}");
    }
}
