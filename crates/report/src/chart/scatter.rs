//! Points in the plane, with anchors on top.

use super::frame::{Area, Drawing, Key, Labels, Name, Shape, Width, legend, text, x_axis, y_axis};
use super::line::Point;
use super::mark;
use super::scale::{Scale, Stretch};
use crate::text::px;

/// A point that has a label of its own.
#[derive(Debug, Clone, Default)]
pub struct ScatterPoint {
    /// Where, and what to say about it.
    pub point: Point,
    /// Written beside it if there is room.
    pub label: String,
}

/// Points of one kind: one shape, one color.
#[derive(Debug, Clone, Default)]
pub struct ScatterGroup {
    /// As in the legend.
    pub name: String,
    /// The points.
    pub points: Vec<Point>,
    /// Further attributes of each point, such as a color of its own (trusted); empty for none.
    pub attributes: Vec<String>,
}

/// A scatter plot.
#[derive(Debug, Clone, Default)]
pub struct Scatter {
    /// Id and description.
    pub name: Name,
    /// Half or full width.
    pub width: Width,
    /// Name of the horizontal axis.
    pub x_name: String,
    /// Name of the vertical axis.
    pub y_name: String,
    /// The ordinary points; up to six groups look different.
    pub groups: Vec<ScatterGroup>,
    /// The anchors.
    pub anchors: Vec<ScatterPoint>,
    /// What an anchor is called in the legend.
    pub anchor_name: String,
    /// Whether every two anchors are joined by a line.
    pub simplex: bool,
}

/// The plot as SVG.
pub fn scatter(plot: &Scatter) -> String {
    let height = 400.0;
    let mut drawing = Drawing::new(plot.width, height);
    let keys = point_keys(&plot.anchor_name, &plot.groups);
    let (svg, used) = legend(&keys, 36.0, plot.width);
    drawing.add(svg);
    let area = Area { left: 58.0, right: plot.width.pixels() - 14.0, top: 34.0 + used, bottom: height - 46.0 };
    let points = || plot.groups.iter().flat_map(|g| &g.points).chain(plot.anchors.iter().map(|a| &a.point));
    let x = Scale::over(points().map(|p| p.x), Stretch::Linear, area.left + 40.0, area.right - 40.0);
    let y = Scale::over(points().map(|p| p.y), Stretch::Linear, area.bottom - 24.0, area.top + 16.0);
    drawing.add(y_axis(area, &y, &y.ticks(5), &plot.y_name));
    drawing.add(x_axis(area, &x, &x.ticks(if plot.width == Width::Half { 5 } else { 9 }), &plot.x_name));
    for (i, group) in plot.groups.iter().enumerate() {
        for (n, point) in group.points.iter().enumerate() {
            if let (Some(px_), Some(py)) = (x.place(point.x), y.place(point.y)) {
                drawing.add_mark(dot(i, px_, py, &point.tip, group.attributes.get(n)));
            }
        }
    }
    let positions: Vec<(f64, f64, &ScatterPoint)> =
        plot.anchors.iter().filter_map(|a| Some((x.place(a.point.x)?, y.place(a.point.y)?, a))).collect();
    if plot.simplex {
        let from = |i: usize| (0..i).map(move |j| (i, j));
        for (i, j) in (0..positions.len()).flat_map(from) {
            let ((x1, y1, _), (x2, y2, _)) = (positions[i], positions[j]);
            drawing.add(format!("<path class=\"edge\" d=\"M{} {}L{} {}\"/>", px(x1), px(y1), px(x2), px(y2)));
        }
    }
    draw_anchors(&mut drawing, &positions, area);
    drawing.finish(&plot.name)
}

pub(super) fn point_keys<'a>(anchor_name: &'a str, groups: &'a [ScatterGroup]) -> Vec<Key<'a>> {
    let mut keys = vec![Key {
        symbol: Box::new(|x, y| Shape::Diamond.draw(x, y, 5.0, "class=\"point anchor\"")),
        label: anchor_name,
    }];
    for (i, group) in groups.iter().enumerate() {
        let class = format!("class=\"point dot s{}\"", i % 6);
        keys.push(Key {
            symbol: Box::new(move |x, y| Shape::of_series(i).draw(x, y, 3.2, &class)),
            label: &group.name,
        });
    }
    keys
}

pub(super) fn dot(group: usize, x: f64, y: f64, tip: &str, attributes: Option<&String>) -> String {
    let (radius, more) = attributes.map_or((2.4, String::new()), |more| (3.0, format!(" {more}")));
    Shape::of_series(group).draw(x, y, radius, &(mark(&format!("point dot s{}", group % 6), tip) + &more))
}

/// Anchors as diamonds, each with its label at the first free place around it.
pub(super) fn draw_anchors(drawing: &mut Drawing, positions: &[(f64, f64, &ScatterPoint)], within: Area) {
    let mut labels = Labels::default();
    for (x, y, _) in positions {
        labels.block([x - 6.0, y - 7.0, x + 6.0, y + 7.0]);
    }
    let n = positions.len().max(1) as f64;
    let center = positions.iter().fold((0.0, 0.0), |c, p| (c.0 + p.0 / n, c.1 + p.1 / n));
    for (x, y, anchor) in positions {
        drawing.add_anchor(Shape::Diamond.draw(*x, *y, 5.0, &mark("point anchor", &anchor.point.tip)));
        let side = super::frame::text_width(&anchor.label, 13.0) / 2.0 + 8.0;
        let mut around = [
            (*x, y - 10.0),
            (x + side, y + 4.0),
            (x - side, y + 4.0),
            (*x, y + 18.0),
            (x + side, y - 8.0),
            (x - side, y - 8.0),
            (x + side, y + 15.0),
            (x - side, y + 15.0),
        ];
        // Outside first: away from the middle, where the cloud is.
        let (dx, dy) = (x - center.0, y - center.1);
        let outward = |p: &(f64, f64)| {
            let (px_, py) = (p.0 - x, p.1 - 4.0 - y);
            (px_ * dx + py * dy) / px_.hypot(py).max(1.0)
        };
        around.sort_by(|a, b| outward(b).total_cmp(&outward(a)));
        if anchor.label.is_empty() {
            continue;
        }
        if let Some((lx, ly)) = labels.place(&anchor.label, &around, within) {
            drawing.add(text(lx, ly, "label middle", &anchor.label));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::occurrences;
    use super::*;

    #[test]
    fn counts_points_and_anchors() {
        let point = |x: f64, y: f64| Point { x, y, tip: "<b>".into() };
        let svg = scatter(&Scatter {
            groups: vec![
                ScatterGroup {
                    name: "a".into(),
                    points: vec![point(0.0, 0.0), point(f64::NAN, 1.0)],
                    ..ScatterGroup::default()
                },
                ScatterGroup { name: "b".into(), points: vec![point(1.0, 2.0)], ..ScatterGroup::default() },
            ],
            anchors: vec![ScatterPoint { point: point(3.0, 3.0), label: "9".into() }],
            ..Scatter::default()
        });
        assert!(svg.contains("data-count=\"3\"") && svg.contains("data-anchors=\"1\""));
        assert_eq!(occurrences(&svg, "data-tip=\"&lt;b&gt;\""), 3);
    }
}
