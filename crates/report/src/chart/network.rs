//! A graph: links as thin lines, nodes as dots on top, some of them ringed and named.

use super::frame::{Area, Drawing, Labels, Name, Width, text, text_width};
use super::mark;
use crate::text::px;
use std::fmt::Write;

/// A drawn graph.
#[derive(Debug, Clone, Default)]
pub struct Network {
    /// Id and description.
    pub name: Name,
    /// The nodes.
    pub nodes: Vec<NetworkNode>,
    /// The links between them.
    pub links: Vec<(usize, usize)>,
}

/// One node of a drawn graph.
#[derive(Debug, Clone, Default)]
pub struct NetworkNode {
    /// Where, in any unit.
    pub position: (f64, f64),
    /// Radius in pixels.
    pub radius: f64,
    /// Its color, as CSS has it; trusted.
    pub color: String,
    /// Shown on hover.
    pub tip: String,
    /// Written beside it, if there is room.
    pub label: String,
    /// Whether it is ringed, drawn on top, and its label first.
    pub anchor: bool,
    /// Number by which scripts find it.
    pub number: usize,
}

const MARGIN: f64 = 26.0;
/// Least and largest height of the drawing.
const HEIGHTS: (f64, f64) = (380.0, 640.0);

/// The graph as SVG. Nodes without a finite position are left out.
pub fn network(plot: &Network) -> String {
    let finite = |node: &&NetworkNode| node.position.0.is_finite() && node.position.1.is_finite();
    let bounds = plot.nodes.iter().filter(finite).fold([f64::MAX, f64::MIN, f64::MAX, f64::MIN], |b, node| {
        let (x, y) = node.position;
        [b[0].min(x), b[1].max(x), b[2].min(y), b[3].max(y)]
    });
    let (across, up) = ((bounds[1] - bounds[0]).max(1e-9), (bounds[3] - bounds[2]).max(1e-9));
    let room = Width::Full.pixels() - 2.0 * MARGIN;
    let height = (room * up / across + 2.0 * MARGIN).clamp(HEIGHTS.0, HEIGHTS.1);
    let scale = (room / across).min((height - 2.0 * MARGIN) / up);
    let at = |node: &NetworkNode| {
        let x = Width::Full.pixels() / 2.0 + scale * (node.position.0 - (bounds[0] + bounds[1]) / 2.0);
        (x, height / 2.0 + scale * (node.position.1 - (bounds[2] + bounds[3]) / 2.0))
    };
    let mut drawing = Drawing::without_axes(Width::Full, height);
    let mut lines = String::new();
    for (a, b) in plot.links.iter().filter_map(|&(i, j)| Some((plot.nodes.get(i)?, plot.nodes.get(j)?))) {
        if finite(&a) && finite(&b) {
            let ((x1, y1), (x2, y2)) = (at(a), at(b));
            // Whole pixels: a link needs no more, and there are many.
            let _ = write!(lines, "M{x1:.0} {y1:.0}L{x2:.0} {y2:.0}");
        }
    }
    let strength = (150.0 / plot.links.len().max(1) as f64).sqrt().clamp(0.08, 0.7);
    drawing.add(format!("<path class=\"links\" style=\"opacity:{strength:.2}\" d=\"{lines}\"/>"));
    let circle = |node: &NetworkNode| {
        let ((x, y), class) = (at(node), if node.anchor { "node anchor" } else { "node" });
        let (r, number, color) = (px(node.radius), node.number, &node.color);
        let mark = mark(class, &node.tip);
        format!("<circle cx=\"{}\" cy=\"{}\" r=\"{r}\" fill=\"{color}\" data-n=\"{number}\" {mark}/>", px(x), px(y))
    };
    let drawn = || plot.nodes.iter().filter(finite);
    drawn().filter(|node| !node.anchor).for_each(|node| drawing.add_mark(circle(node)));
    drawn().filter(|node| node.anchor).for_each(|node| drawing.add_anchor(circle(node)));
    let within = Area { left: 2.0, right: Width::Full.pixels() - 2.0, top: 2.0, bottom: height - 2.0 };
    let mut labels = Labels::default();
    let few = plot.nodes.len() <= 80; // then labels keep off every dot, else off the anchors
    for node in drawn().filter(|node| few || node.anchor) {
        let ((x, y), r) = (at(node), node.radius);
        labels.block([x - r, y - r, x + r, y + r]);
    }
    let mut named: Vec<&NetworkNode> = drawn().filter(|node| !node.label.is_empty()).collect();
    named.sort_by_key(|node| !node.anchor);
    for node in named {
        let ((x, y), r) = (at(node), node.radius);
        let side = text_width(&node.label, 13.0) / 2.0 + r + 4.0;
        let positions = [(x, y - r - 5.0), (x + side, y + 4.0), (x - side, y + 4.0), (x, y + r + 13.0)];
        if let Some((lx, ly)) = labels.place(&node.label, &positions, within) {
            let class = if node.anchor { "label middle" } else { "label quiet middle" };
            drawing.add(text(lx, ly, class, &node.label));
        }
    }
    drawing.finish(&plot.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_fill_the_drawing_and_anchors_come_last() {
        let node = |x: f64, y: f64, anchor| NetworkNode { position: (x, y), anchor, ..NetworkNode::default() };
        let svg = network(&Network {
            nodes: vec![node(0.0, 0.0, true), node(10.0, 5.0, false), node(f64::NAN, 0.0, false)],
            links: vec![(0, 1), (1, 2), (0, 9)],
            ..Network::default()
        });
        assert!(svg.contains("data-count=\"2\" data-anchors=\"1\"") && !svg.contains("NaN"));
        assert!(svg.contains("d=\"M26 26L914 470\""), "{svg}");
        assert!(svg.find("node anchor").unwrap() > svg.find("\"mark node\"").unwrap());
    }
}
