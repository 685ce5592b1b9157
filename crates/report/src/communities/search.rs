//! A search for nodes: shares, nodes with similar shares, neighbors.

use super::CommunitiesReport;
use crate::page::{Section, paragraph};
use crate::text::{escape, json_string, shorten, size};
use std::cmp::Reverse;

/// Bytes of the page that the search may take.
const BYTES: usize = 1_500_000;
/// Neighbors of a node that the page knows.
const NEIGHBOURS: usize = 12;
/// Nodes offered to begin with, beside the pure ones.
const OFFERED: usize = 5;

pub(super) fn section(report: &CommunitiesReport) -> Section {
    let known = known(report);
    let mut body = paragraph(&format!(
        "Type a name, or click a node in a chart: its shares, the nodes with the most similar shares, and its neighbors; its marks in \
         the charts are ringed.{}",
        if known.len() < report.nodes() {
            format!(
                " The page knows the {} nodes with the most edges, of {}; memberships.csv in the run folder has all.",
                size(known.len()),
                size(report.nodes())
            )
        } else {
            String::new()
        }
    ));
    body += "<div id=\"node-tools\" hidden><div class=\"node-line\"><label for=\"node-search\">Find a node</label>\
             <input type=\"search\" id=\"node-search\" autocomplete=\"off\" spellcheck=\"false\" aria-controls=\"node-matches\">\
             <div id=\"node-matches\" role=\"group\" aria-label=\"Matching nodes\"></div></div>";
    body += &offers(report);
    body += "<div id=\"node-panel\" role=\"region\" aria-label=\"The node\" aria-live=\"polite\" hidden></div></div>\
             <noscript><p>The search needs scripts; memberships.csv in the run folder has all shares.</p></noscript>";
    body += &format!("<div id=\"nodes-data\" hidden>{}</div>", data(report, &known));
    Section::new("nodes", "Look up a node", body)
}

/// The nodes that the search knows, those with the most edges (and the pure ones) first, as many as there is room for.
fn known(report: &CommunitiesReport) -> Vec<usize> {
    let mut order: Vec<usize> = (0..report.nodes()).collect();
    order.sort_by_key(|&i| (!report.pure.contains(&i), Reverse(report.degree(i)), i));
    let mut bytes = 0;
    let mut room = |&i: &usize| {
        bytes += report.names[i].len() + 4 * report.count() + 6 * report.degree(i).min(NEIGHBOURS) + 16;
        bytes <= BYTES
    };
    let count = order.iter().take_while(|i| room(i)).count();
    order.truncate(count);
    order
}

/// Pure nodes, and nodes with many edges that are mixed most.
fn offers(report: &CommunitiesReport) -> String {
    let button = |&i: &usize| {
        format!("<button type=\"button\" data-node=\"{i}\">{}</button>", escape(&shorten(&report.names[i], 24)))
    };
    let mut offered = format!(
        "<p class=\"offers\"><span>Pure nodes</span>{}</p>",
        report.pure.iter().take(20).map(button).collect::<String>()
    );
    if report.count() > 1 {
        let mut hubs: Vec<usize> = (0..report.nodes()).filter(|i| !report.pure.contains(i)).collect();
        hubs.sort_by_key(|&i| (Reverse(report.degree(i)), i));
        hubs.truncate((hubs.len() / 4).clamp(OFFERED, 400));
        hubs.sort_by(|&i, &j| report.mixedness[j].total_cmp(&report.mixedness[i]).then(i.cmp(&j)));
        let mixed: String = hubs.iter().take(OFFERED).map(button).collect();
        if !mixed.is_empty() {
            offered += &format!("<p class=\"offers\"><span>Mixed, with many edges</span>{mixed}</p>");
        }
    }
    offered
}

/// What the script reads, safe as the text of an element: for each node its number, name, shares in thousandths, edges, and the index of its neighbors in this list.
fn data(report: &CommunitiesReport, known: &[usize]) -> String {
    let mut index = vec![None; report.nodes()];
    known.iter().enumerate().for_each(|(at, &i)| index[i] = Some(at));
    let joined = |items: Vec<String>| items.join(",");
    let shares =
        known.iter().flat_map(|&i| report.shares_of(i)).map(|share| ((1000.0 * share).round() as i64).to_string());
    let neighbors = |&i: &usize| {
        let mut all: Vec<(f64, usize)> = report
            .links
            .of(i)
            .iter()
            .enumerate()
            .filter_map(|(nth, &j)| Some((report.links.weight(i, nth), index[j as usize]?)))
            .collect();
        // The strongest links first, then the nodes with the most edges, which come first in the list.
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        format!("[{}]", joined(all.iter().take(NEIGHBOURS).map(|(_, index)| index.to_string()).collect()))
    };
    let communities = (0..report.count()).map(|k| json_string(&report.community(k, 24)));
    format!(
        "{{\"communities\":[{}],\"number\":[{}],\"name\":[{}],\"edges\":[{}],\"share\":[{}],\"near\":[{}]}}",
        joined(communities.collect()),
        joined(known.iter().map(usize::to_string).collect()),
        joined(known.iter().map(|&i| json_string(&report.names[i])).collect()),
        joined(known.iter().map(|&i| report.degree(i).to_string()).collect()),
        joined(shares.collect()),
        joined(known.iter().map(neighbors).collect()),
    )
}
