//! The graph as a drawing: all of it, or the nodes with the most edges.

use super::CommunitiesReport;
use super::polygon_position::{corner_order, position};
use crate::chart::{Name, Network, NetworkNode, network};
use crate::colors;
use crate::layout::{Links, layout};
use crate::page::{Section, figure, figures};
use crate::sampling::evenly;
use crate::text::{escape, plural, shorten, size};

/// Graphs of up to this many nodes are drawn whole; of larger ones, this many nodes are drawn.
const WHOLE: usize = 3000;
const CORE: usize = 1200;
/// Links drawn.
const LINKS: usize = 9000;
/// Up to this many nodes are drawn with their names.
const NAMED: usize = 80;
/// How much wider than high the sheet is.
const SHEET: f64 = 1.6;

pub(super) fn section(report: &CommunitiesReport) -> Option<Section> {
    let chosen = chosen(report);
    let links = within(report, &chosen);
    // Nodes without a link say nothing in a drawing of links; pure nodes are shown anyway.
    let drawn: Vec<usize> =
        (0..chosen.len()).filter(|&a| !links.of(a).is_empty() || report.pure.contains(&chosen[a])).collect();
    if drawn.len() < 2 || links.targets.is_empty() {
        return None;
    }
    let nodes: Vec<usize> = drawn.iter().map(|&a| chosen[a]).collect();
    let links = within(report, &nodes);
    let pairs: Vec<(usize, usize)> = (0..nodes.len())
        .flat_map(|a| links.of(a).iter().map(move |&b| (a, b as usize)))
        .filter(|(a, b)| a < b)
        .collect();
    let shown: Vec<(usize, usize)> = evenly(pairs.len(), LINKS).into_iter().map(|p| pairs[p]).collect();
    let chart = network(&Network {
        name: Name::new(
            "chart-network",
            format!(
                "The graph: {} and {}, colored by community.",
                plural(nodes.len(), "node"),
                plural(shown.len(), "link")
            ),
        ),
        nodes: dots(report, &nodes, &links),
        links: shown.clone(),
    });
    let mut caption = String::from(
        "Linked nodes attract each other, and all others push apart. A node's color is the mixture of its communities' colors, its size \
         grows with its edges; pure nodes are ringed. Distances in such a drawing are hints, not measurements.",
    );
    if nodes.len() < report.nodes() {
        caption += &if report.nodes() > WHOLE {
            format!(
                " Of {} those with the most edges are drawn, {} of them.",
                plural(report.nodes(), "node"),
                size(nodes.len())
            )
        } else {
            format!(
                " {} left out because they have no edge.",
                match report.nodes() - nodes.len() {
                    1 => "1 node is".to_string(),
                    more => format!("{} nodes are", size(more)),
                }
            )
        };
    }
    if shown.len() < pairs.len() {
        caption += &format!(" {} of {} links are drawn, evenly spread.", size(shown.len()), size(pairs.len()));
    }
    let zoom = "<div class=\"zoom-tools\" id=\"zoom-tools\" hidden><span id=\"zoom-label\">Zoom</span>\
                <span role=\"group\" aria-labelledby=\"zoom-label\"><button type=\"button\" data-zoom=\"1.6\">in</button> \
                <button type=\"button\" data-zoom=\"0.625\">out</button> <button type=\"button\" data-zoom=\"reset\">all</button></span>\
                <span>or Ctrl and the wheel; drag to move</span></div>";
    let body = figures(&[figure("Who is linked with whom", &format!("{}{zoom}{chart}", legend(report)), &caption)]);
    Some(Section::new("graph", "The graph", body))
}

/// All nodes, or those with the most edges and the pure ones, in their order.
fn chosen(report: &CommunitiesReport) -> Vec<usize> {
    let n = report.nodes();
    if n <= WHOLE {
        return (0..n).collect();
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| (!report.pure.contains(&i), std::cmp::Reverse(report.degree(i)), i));
    order.truncate(CORE);
    order.sort_unstable();
    order
}

/// The links among these nodes, which are in order, by their index in the list.
fn within(report: &CommunitiesReport, nodes: &[usize]) -> Links<'static> {
    let mut index = vec![u32::MAX; report.nodes()];
    nodes.iter().enumerate().for_each(|(a, &i)| index[i] = a as u32);
    let (mut starts, mut targets, mut weights) = (vec![0], Vec::new(), Vec::new());
    for &i in nodes {
        for (nth, &j) in report.links.of(i).iter().enumerate() {
            if index[j as usize] != u32::MAX {
                targets.push(index[j as usize]);
                weights.push(report.links.weight(i, nth));
            }
        }
        starts.push(targets.len());
    }
    if report.links.weights.is_empty() {
        weights.clear();
    }
    Links { starts: starts.into(), targets: targets.into(), weights: weights.into() }
}

fn dots(report: &CommunitiesReport, nodes: &[usize], links: &Links) -> Vec<NetworkNode> {
    let order = corner_order(report);
    let begin: Vec<(f64, f64)> = nodes.iter().map(|&i| position(report, &order, i).unwrap_or((0.0, 0.0))).collect();
    let positions = part_by_part(links, &begin);
    let most = (0..nodes.len()).map(|a| links.of(a).len()).max().unwrap_or(1).max(1) as f64;
    let base = (2.0 + 42.0 / (nodes.len() as f64).sqrt()).min(11.0);
    let named = nodes.len() <= NAMED;
    let dot = |(a, &i): (usize, &usize)| {
        let anchor = report.pure.contains(&i);
        NetworkNode {
            position: positions[a],
            radius: base * (0.6 + 0.7 * (links.of(a).len() as f64 / most).sqrt()) + if anchor { 1.5 } else { 0.0 },
            color: report.color(i),
            tip: format!("{}\n{}", report.tip(i), plural(report.degree(i), "edge")),
            label: if named || anchor { shorten(&report.names[i], 24) } else { String::new() },
            anchor,
            number: i,
        }
    };
    nodes.iter().enumerate().map(dot).collect()
}

/// Each connected part drawn alone, and the drawings side by side: parts that nothing holds together would drift apart.
fn part_by_part(links: &Links, begin: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let n = links.nodes();
    let mut part = vec![usize::MAX; n];
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for first in 0..n {
        if part[first] != usize::MAX {
            continue;
        }
        let (mut open, mut members) = (vec![first], Vec::new());
        part[first] = parts.len();
        while let Some(i) = open.pop() {
            members.push(i);
            for &j in links.of(i) {
                if part[j as usize] == usize::MAX {
                    part[j as usize] = parts.len();
                    open.push(j as usize);
                }
            }
        }
        members.sort_unstable();
        parts.push(members);
    }
    let drawings = parts.iter().map(|members| {
        let mut place = vec![u32::MAX; if parts.len() == 1 { 0 } else { n }];
        members.iter().enumerate().filter(|_| parts.len() > 1).for_each(|(a, &i)| place[i] = a as u32);
        let steps = (200_000 / n).clamp(120, 400);
        let begin: Vec<(f64, f64)> = members.iter().map(|&i| begin[i]).collect();
        if parts.len() == 1 {
            return layout(links, &begin, steps);
        }
        let (mut starts, mut targets, mut weights) = (vec![0], Vec::new(), Vec::new());
        for &i in members {
            for (nth, &j) in links.of(i).iter().enumerate() {
                targets.push(place[j as usize]);
                weights.push(links.weight(i, nth));
            }
            starts.push(targets.len());
        }
        layout(&Links { starts: starts.into(), targets: targets.into(), weights: weights.into() }, &begin, steps)
    });
    let drawings: Vec<Vec<(f64, f64)>> = drawings.collect();
    let offsets = packed(&drawings);
    let mut positions = vec![(0.0, 0.0); n];
    for ((members, drawing), (x, y)) in parts.iter().zip(&drawings).zip(offsets) {
        members.iter().zip(drawing).for_each(|(&i, place)| positions[i] = (place.0 + x, place.1 + y));
    }
    positions
}

/// How far each drawing is moved, so that they stand in rows, the highest first, and fill a sheet that is wider than high.
fn packed(drawings: &[Vec<(f64, f64)>]) -> Vec<(f64, f64)> {
    if drawings.len() == 1 {
        return vec![(0.0, 0.0)];
    }
    let boxes: Vec<[f64; 4]> = drawings
        .iter()
        .map(|drawing| {
            let start = [f64::MAX, f64::MIN, f64::MAX, f64::MIN];
            drawing.iter().fold(start, |b, p| [b[0].min(p.0), b[1].max(p.0), b[2].min(p.1), b[3].max(p.1)])
        })
        .collect();
    let largest = boxes.iter().map(|b| (b[1] - b[0]).max(b[3] - b[2])).fold(1.0, f64::max);
    let gap = 0.03 * largest + 2.0;
    let sides: Vec<(f64, f64)> = boxes.iter().map(|b| (b[1] - b[0] + gap, b[3] - b[2] + gap)).collect();
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|&a, &b| sides[b].1.total_cmp(&sides[a].1).then(a.cmp(&b)));
    // Rows of many widths are tried; the scale of the sheet is what it is in the tighter direction.
    let widest = sides.iter().map(|side| side.0).fold(0.0, f64::max);
    let tried = (0..24).map(|step| in_rows(&order, &sides, widest * 1.15_f64.powi(step)));
    let scale = |&(_, width, height): &(Vec<(f64, f64)>, f64, f64)| (width / SHEET).max(height);
    let best = tried.min_by(|a, b| scale(a).total_cmp(&scale(b))).expect("24 were tried");
    best.0.iter().zip(&boxes).map(|(corner, b)| (corner.0 - b[0], corner.1 - b[2])).collect()
}

/// The corner of each box where they stand in rows of this width at most, and the width and height of all.
fn in_rows(order: &[usize], sides: &[(f64, f64)], most: f64) -> (Vec<(f64, f64)>, f64, f64) {
    let mut corners = vec![(0.0, 0.0); sides.len()];
    let (mut x, mut y, mut row, mut width) = (0.0, 0.0, 0.0_f64, 0.0_f64);
    for &at in order {
        let (w, h) = sides[at];
        if x > 0.0 && x + w > most {
            (x, y, row) = (0.0, y + row, 0.0);
        }
        corners[at] = (x, y);
        (x, row) = (x + w, row.max(h));
        width = width.max(x);
    }
    (corners, width, y + row)
}

/// The colors of the communities, as a list.
fn legend(report: &CommunitiesReport) -> String {
    let item = |k: usize| {
        format!("<li><span class=\"key {}\"></span>{}</li>", colors::class(k), escape(&report.community(k, 24)))
    };
    format!("<ul class=\"community-legend\">{}</ul>", (0..report.count()).map(item).collect::<String>())
}
