//! The graph as a drawing: all of it, or the nodes with the most edges.

use super::polygon_position::{corner_order, position};
use super::{CommunitiesReport, colours};
use crate::chart::{Name, Network, NetworkNode, network};
use crate::layout::{Links, layout};
use crate::page::{Section, figure, figures};
use crate::sampling::evenly;
use crate::text::{escape, plural, shorten, size};

/// Graphs of up to so many nodes are drawn whole, of larger ones so many nodes.
const WHOLE: usize = 3000;
const CORE: usize = 1200;
/// Links drawn.
const LINKS: usize = 9000;
/// Up to so many nodes are drawn with their names.
const NAMED: usize = 80;

pub(super) fn section(report: &CommunitiesReport) -> Option<Section> {
    let chosen = chosen(report);
    let links = within(report, &chosen);
    // Nodes without a link say nothing in a drawing of links; pure nodes are shown all the same.
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
                "The graph: {} and {}, coloured by community.",
                plural(nodes.len(), "node"),
                plural(shown.len(), "link")
            ),
        ),
        nodes: dots(report, &nodes, &links),
        links: shown.clone(),
    });
    let mut caption = String::from(
        "Linked nodes draw near, all others push apart. A node's colour is the mixture of its communities' colours, its size \
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
                " {} left out, for want of an edge.",
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
    let body = figures(&[figure("Who is linked with whom", &format!("{}{chart}", legend(report)), &caption)]);
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
    let steps = (200_000 / nodes.len()).clamp(120, 400);
    let positions = layout(links, &begin, steps);
    let most = (0..nodes.len()).map(|a| links.of(a).len()).max().unwrap_or(1).max(1) as f64;
    let base = (2.0 + 42.0 / (nodes.len() as f64).sqrt()).min(11.0);
    let named = nodes.len() <= NAMED;
    let dot = |(a, &i): (usize, &usize)| {
        let anchor = report.pure.contains(&i);
        NetworkNode {
            position: positions[a],
            radius: base * (0.6 + 0.7 * (links.of(a).len() as f64 / most).sqrt()) + if anchor { 1.5 } else { 0.0 },
            colour: colours::mixture(report.shares_of(i)),
            tip: format!("{}\n{}", report.tip(i), plural(report.degree(i), "edge")),
            label: if named || anchor { shorten(&report.names[i], 24) } else { String::new() },
            anchor,
            number: i,
        }
    };
    nodes.iter().enumerate().map(dot).collect()
}

/// The colours of the communities, as a list.
fn legend(report: &CommunitiesReport) -> String {
    let item = |k: usize| {
        format!("<li><span class=\"key {}\"></span>{}</li>", colours::class(k), escape(&report.community(k, 24)))
    };
    format!("<ul class=\"community-legend\">{}</ul>", (0..report.count()).map(item).collect::<String>())
}
