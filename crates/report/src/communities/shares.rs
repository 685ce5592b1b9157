//! Who belongs where: bars of shares, and mixtures in the plane.

use super::CommunitiesReport;
use super::polygon_position::{corner_order, position};
use crate::chart::{
    Name, Point, Polygon, Scatter, ScatterGroup, ScatterLabel, ScatterPoint, StackedBar, StackedBars, Ternary, Width,
    polygon, scatter, stacked_bars, ternary,
};
use crate::colors;
use crate::page::{Section, figure, figures};
use crate::sampling::evenly;
use crate::text::{plural, shorten, significant, size};

/// Bars, and points, at most.
const BARS: usize = 300;
const POINTS: usize = 1200;
/// Bins of the histogram.
const BINS: usize = 20;

pub(super) fn section(report: &CommunitiesReport) -> Section {
    let mut charts = vec![bars(report)];
    charts.extend(mixtures(report));
    if report.count() > 1 {
        charts.push(histogram(report));
    }
    Section::new("shares", "Who belongs where", figures(&charts))
}

/// "; a sample" in words, or nothing.
fn sampled(shown: usize, all: usize) -> String {
    if shown < all {
        format!(" {} of {} are drawn, evenly spread.", plural(shown, "node"), size(all))
    } else {
        String::new()
    }
}

/// Nodes by their largest share's community, in it from pure to mixed.
fn bars(report: &CommunitiesReport) -> String {
    let CommunitiesReport { mixedness, dominant, .. } = report;
    let mut order: Vec<usize> = report.known_nodes().collect();
    let n = order.len();
    order.sort_by(|&i, &j| (dominant[i].cmp(&dominant[j])).then(mixedness[i].total_cmp(&mixedness[j])).then(i.cmp(&j)));
    let shown: Vec<usize> = evenly(n, BARS).into_iter().map(|place| order[place]).collect();
    let mut by_mixedness: Vec<usize> = (0..shown.len()).collect();
    by_mixedness.sort_by(|&a, &b| mixedness[shown[a]].total_cmp(&mixedness[shown[b]]).then(a.cmp(&b)));
    let mut other = vec![0; shown.len()];
    by_mixedness.iter().enumerate().for_each(|(place, &bar)| other[bar] = place);
    let bar = |(bar, &i): (usize, &usize)| StackedBar {
        // The largest first, so that the bars of a block stand on its color; the others in their order.
        parts: std::iter::once(dominant[i])
            .chain((0..report.count()).filter(|&k| k != dominant[i]))
            .map(|k| (colors::class(k), report.shares.at(i, k)))
            .collect(),
        tip: format!("{}\nmixedness {}", report.tip(i), significant(mixedness[i], 2)),
        label: shorten(&report.names[i], 12),
        other_place: Some(other[bar]),
        number: Some(i),
    };
    let mut blocks: Vec<(usize, usize, String, String)> = Vec::new();
    for (place, &i) in shown.iter().enumerate() {
        let (name, class) = (report.community(dominant[i], 24), colors::class(dominant[i]));
        match blocks.last_mut().filter(|block| block.2 == name) {
            Some(block) => block.1 = place + 1,
            None => blocks.push((place, place + 1, name, class)),
        }
    }
    let chart = stacked_bars(&StackedBars {
        name: Name::new("chart-shares", format!("Shares of {} as stacked bars.", plural(shown.len(), "node"))),
        width: Width::Full,
        x_name: "nodes, from pure to mixed".into(),
        y_name: "share".into(),
        bars: shown.iter().enumerate().map(bar).collect(),
        edges: Vec::new(),
        blocks,
    });
    let tools = "<div class=\"order-tools\" hidden><span id=\"order-label\">Order</span>\
                 <span role=\"group\" aria-labelledby=\"order-label\"><button type=\"button\" aria-pressed=\"true\" \
                 data-order=\"community\">by community</button><button type=\"button\" aria-pressed=\"false\" \
                 data-order=\"mixedness\">by mixedness</button></span></div>";
    let caption = format!(
        "A bar is a node, its parts the shares, from pure on the left to mixed on the right, within each community or over all.{}",
        sampled(shown.len(), n)
    );
    figure("Shares, from pure to mixed", &format!("{tools}{chart}"), &caption)
}

/// Nodes that a plot shows: an even sample, pure nodes apart.
fn points(report: &CommunitiesReport) -> Vec<usize> {
    let known: Vec<usize> = report.known_nodes().collect();
    evenly(known.len(), POINTS).into_iter().map(|at| known[at]).filter(|i| !report.pure.contains(i)).collect()
}

/// A point's own color, and the number by which scripts find it.
fn attributes(report: &CommunitiesReport, i: usize) -> String {
    format!("style=\"--c:{}\" data-n=\"{i}\"", report.color(i))
}

fn mixtures(report: &CommunitiesReport) -> Option<String> {
    let shown = points(report);
    let sample = sampled(shown.len() + report.pure.len(), report.known_nodes().count());
    let color = "A point's color is the mixture of its communities'.";
    match report.count() {
        0 | 1 => None,
        2 => eigenvectors(report, &shown, &format!("{color}{sample}")),
        3 => {
            let weights = |i: usize| [0, 1, 2].map(|k| report.shares.at(i, k));
            let anchor = |&i: &usize| (weights(i), ScatterLabel { label: String::new(), tip: report.tip(i) });
            let chart = ternary(&Ternary {
                name: Name::new(
                    "chart-mixtures",
                    format!("{} as mixtures of three communities.", plural(report.nodes(), "node")),
                ),
                corners: [0, 1, 2].map(|k| report.community(k, 20)),
                points: shown.iter().map(|&i| (weights(i), report.tip(i))).collect(),
                attributes: shown.iter().map(|&i| attributes(report, i)).collect(),
                point_name: "node".into(),
                anchors: report.pure.iter().map(anchor).collect(),
                anchor_name: "pure node".into(),
            });
            let caption = format!("A node in a corner belongs to that community alone. {color}{sample}");
            Some(figure("Mixtures of three", &chart, &caption))
        }
        // More corners have no room for their names.
        4..=24 => Some(in_polygon(report, &shown, &format!("{color}{sample}"))),
        _ => None,
    }
}

/// Two communities: the eigenvectors themselves are a plane.
fn eigenvectors(report: &CommunitiesReport, shown: &[usize], remarks: &str) -> Option<String> {
    if !report.points.is_drawable() || report.points.rows != report.nodes() || report.points.columns < 2 {
        return None;
    }
    let point = |i: usize| Point { x: report.points.at(i, 0), y: report.points.at(i, 1), tip: report.tip(i) };
    let anchor = |&i: &usize| ScatterPoint { point: point(i), label: shorten(&report.names[i], 20) };
    let chart = scatter(&Scatter {
        name: Name::new(
            "chart-mixtures",
            format!("{} by the two leading eigenvectors.", plural(report.nodes(), "node")),
        ),
        width: Width::Full,
        x_name: "first eigenvector".into(),
        y_name: "second eigenvector".into(),
        groups: vec![ScatterGroup {
            name: "node".into(),
            points: shown.iter().map(|&i| point(i)).collect(),
            attributes: shown.iter().map(|&i| attributes(report, i)).collect(),
        }],
        anchors: report.pure.iter().map(anchor).collect(),
        anchor_name: "pure node".into(),
        simplex: false,
    });
    let caption = format!(
        "Nodes by the two leading eigenvectors. Pure nodes are extreme, mixed ones lie between their directions, nodes with few edges near 0. {remarks}"
    );
    Some(figure("The nodes as points", &chart, &caption))
}

fn in_polygon(report: &CommunitiesReport, shown: &[usize], remarks: &str) -> String {
    let order = corner_order(report);
    let point = |i: usize| {
        let (x, y) = position(report, &order, i)?;
        Some(Point { x, y, tip: report.tip(i) })
    };
    let chart = polygon(&Polygon {
        name: Name::new(
            "chart-mixtures",
            format!("{} as mixtures of {} communities, in a polygon.", plural(report.nodes(), "node"), order.len()),
        ),
        corners: order.iter().map(|&k| (report.community(k, 22), colors::class(k))).collect(),
        points: shown.iter().filter_map(|&i| Some((point(i)?, attributes(report, i)))).collect(),
        anchors: report
            .pure
            .iter()
            .filter_map(|&i| Some(ScatterPoint { point: point(i)?, label: String::new() }))
            .collect(),
    });
    let caption = format!(
        "Each node at the mean of the corners, weighted by its shares: pure nodes (diamonds) in the corners, others between. \
         Communities that connect much are neighbors. In the middle different mixtures can share a place. {remarks}"
    );
    figure("Mixtures in the plane", &chart, &caption)
}

/// How many nodes are how mixed.
fn histogram(report: &CommunitiesReport) -> String {
    let count = report.count();
    let mut bins = vec![vec![0_usize; count]; BINS];
    for i in report.known_nodes() {
        let bin = ((report.mixedness[i] * BINS as f64) as usize).min(BINS - 1);
        bins[bin][report.dominant[i]] += 1;
    }
    let edge = |bin: usize| significant(bin as f64 / BINS as f64, 2);
    let bar = |(bin, counts): (usize, &Vec<usize>)| StackedBar {
        parts: counts.iter().enumerate().map(|(k, &c)| (colors::class(k), c as f64)).collect(),
        tip: format!("mixedness {} to {}\n{}", edge(bin), edge(bin + 1), plural(counts.iter().sum(), "node")),
        ..StackedBar::default()
    };
    let width = if count == 3 { Width::Half } else { Width::Full };
    let chart = stacked_bars(&StackedBars {
        name: Name::new("chart-mixedness", format!("How many of {} are how mixed.", plural(report.nodes(), "node"))),
        width,
        x_name: "mixedness".into(),
        y_name: "nodes".into(),
        bars: bins.iter().enumerate().map(bar).collect(),
        edges: (0..=BINS).step_by(4).map(|bin| (bin, edge(bin))).collect(),
        blocks: Vec::new(),
    });
    let caption = "Mixedness is the entropy of the shares over that of equal ones: 0 for a pure node, 1 for one that belongs \
                   to all communities equally. Colors: the community of the largest share.";
    figure("How mixed the nodes are", &chart, caption)
}
