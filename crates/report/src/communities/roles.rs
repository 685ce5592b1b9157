//! Cores and bridges: who holds a community together, and who lies between several.

use super::{CommunitiesReport, Role, share};
use crate::model::Table;
use crate::page::{Section, paragraph, table};
use crate::text::{plural, shorten, size};
use std::cmp::Reverse;

/// Cores named of one community.
const CORES: usize = 6;
/// Bridges in the list.
const BRIDGES: usize = 15;

/// Nothing where roles are not known, or there is one community only.
pub(super) fn section(report: &CommunitiesReport) -> Option<Section> {
    if report.roles.is_empty() || report.count() < 2 {
        return None;
    }
    let of = |role: Role| {
        let mut nodes: Vec<usize> = report.known_nodes().filter(|&i| report.roles[i] == Some(role)).collect();
        nodes.sort_by_key(|&i| (Reverse(report.degree(i)), i));
        nodes
    };
    let (cores, bridges) = (of(Role::Core), of(Role::Bridge));
    let body = paragraph(&format!(
        "{} and {}. A core has at least as many edges within its community as members have there on average, and few elsewhere; \
         a bridge belongs to several communities, or has edges to several. memberships.csv says what every node is.",
        plural(cores.len(), "core"),
        plural(bridges.len(), "bridge")
    ));
    Some(Section::new(
        "roles",
        "Cores and bridges",
        body + &core_table(report, &cores) + &bridge_table(report, &bridges),
    ))
}

fn core_table(report: &CommunitiesReport, cores: &[usize]) -> String {
    let mut of = vec![Vec::new(); report.count()];
    cores.iter().for_each(|&i| of[report.dominant[i]].push(i));
    let row = |(k, nodes): (usize, &Vec<usize>)| {
        let names: Vec<String> = nodes.iter().take(CORES).map(|&i| shorten(&report.names[i], 40)).collect();
        let more = if nodes.len() > CORES { ", …" } else { "" };
        vec![report.community(k, 24), size(nodes.len()), names.join(", ") + more]
    };
    table(
        "cores",
        &Table {
            caption: "Cores of each community, those with the most edges first.".into(),
            columns: ["community", "cores", "who"].map(String::from).to_vec(),
            rows: of.iter().enumerate().map(row).collect(),
            highlight: None,
        },
    )
}

fn bridge_table(report: &CommunitiesReport, bridges: &[usize]) -> String {
    if bridges.is_empty() {
        return paragraph("There are no bridges: no node is connected to two communities.");
    }
    // The two largest, as `0: 55 %, 3: 45 %`.
    let largest = |values: Vec<f64>, written: fn(f64) -> String| {
        let mut parts: Vec<(usize, f64)> = values.into_iter().enumerate().filter(|(_, value)| *value > 0.0).collect();
        parts.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let more = if parts.len() > 2 { ", …" } else { "" };
        let words: Vec<String> = parts.iter().take(2).map(|(k, value)| format!("{k}: {}", written(*value))).collect();
        words.join(", ") + more
    };
    let row = |&i: &usize| {
        let mut edges = vec![0.0; report.count()];
        let others = report.links.of(i).iter().map(|&j| j as usize).filter(|&j| report.is_known(j));
        others.for_each(|j| edges[report.dominant[j]] += 1.0);
        vec![
            shorten(&report.names[i], 40),
            size(report.degree(i)),
            largest(report.shares_of(i).collect(), share),
            largest(edges, |count| size(count as usize)),
        ]
    };
    table(
        "bridges",
        &Table {
            caption: if bridges.len() > BRIDGES {
                format!("The {BRIDGES} bridges with the most edges, of {}.", size(bridges.len()))
            } else {
                "Bridges, those with the most edges first.".into()
            },
            columns: ["bridge", "edges", "largest shares", "edges to members of"].map(String::from).to_vec(),
            rows: bridges.iter().take(BRIDGES).map(row).collect(),
            highlight: None,
        },
    )
}
