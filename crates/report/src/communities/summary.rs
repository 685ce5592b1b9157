//! The run in words and in a few figures.

use super::CommunitiesReport;
use crate::model::Report;
use crate::page::{self, paragraph};
use crate::run::summary::certificate;
use crate::text::{number, percent, plural, shorten, significant, size};

/// Everything between the title and the first section.
pub(super) fn lead(report: &CommunitiesReport, solver: &Report) -> String {
    format!(
        "<div class=\"lead\">{}{}</div>{}{}",
        paragraph(&what(report)),
        paragraph(&how_good(report, solver)),
        key_figures(report),
        page::notes(&report.run.notes)
    )
}

fn what(report: &CommunitiesReport) -> String {
    let input = if report.run.input.is_empty() { "The graph" } else { &report.run.input };
    let (nodes, edges) = (plural(report.nodes(), "node"), plural(report.edges(), "edge"));
    if !report.is_drawable() {
        return format!("{input} has {nodes} and {edges}; {} found.", plural(report.count(), "community"));
    }
    let sizes = report.sizes();
    let known = report.known_nodes().count().max(1) as f64;
    let share = |n: f64| percent(n / known);
    let named = |k: usize| format!("{} ({})", shorten(&report.names[report.pure[k]], 40), share(sizes[k]));
    let around: Vec<String> = (0..report.count().min(4)).map(named).collect();
    let more = if report.count() > 4 { ", and smaller ones" } else { "" };
    let mut text = match report.count() {
        1 => format!("{input}, {nodes} and {edges}, is one community, around {}.", around[0]),
        count => format!(
            "{input}, {nodes} and {edges}, falls into {} around {}{more}.",
            plural(count, "community"),
            around.join(", ")
        ),
    };
    if let Some((modularity, coverage)) = report.quality.filter(|_| report.count() > 1) {
        let kind = match modularity {
            strong if strong >= 0.5 => "a strong division",
            clear if clear >= 0.3 => "a clear division",
            _ => "a weak division",
        };
        text += &format!(
            " {} of the edges stay within a community (modularity {}, {kind}).",
            percent(coverage),
            significant(modularity, 2)
        );
    }
    if let Some((repeats, parts)) = report.stability.as_ref().filter(|_| report.count() > 1) {
        let stable = parts.iter().filter(|part| **part >= 0.75).count();
        text += &format!(
            " Searched for again {} without a tenth of the edges, {stable} of {} came back by three quarters or more.",
            if *repeats == 1 { "once".to_string() } else { format!("{repeats} times") },
            plural(report.count(), "community"),
        );
    }
    let mixed = report.known_nodes().filter(|&i| report.largest_share(i) < 0.5).count();
    let clear = report.known_nodes().filter(|&i| report.largest_share(i) >= 0.9).count();
    if report.count() > 1 {
        text += &format!(" {} of the nodes belong to one community by nine tenths or more", share(clear as f64));
        text += &match mixed {
            _ if report.count() <= 2 => ".".to_string(), // the larger of two shares is at least a half
            0 => "; each belongs to one by half at least.".to_string(),
            _ => format!("; {} ({}) to none by half.", size(mixed), share(mixed as f64)),
        };
    }
    text
}

fn how_good(report: &CommunitiesReport, solver: &Report) -> String {
    let mut sentences = Vec::new();
    if !report.run.method.is_empty() && report.count() > 1 {
        sentences.push(format!(
            "Each community is named after its pure node, one that belongs to it alone, found by {}.",
            report.run.method
        ));
    }
    if report.kept > 0 && report.count() > 1 {
        sentences.push(if report.kept == report.nodes() {
            "All nodes were searched for pure ones.".to_string()
        } else {
            format!(
                "Pure nodes were searched for among the {} that carry the energy of the leading eigenvectors.",
                plural(report.kept, "node")
            )
        });
    }
    sentences.extend([report.run.ending(), certificate(solver)]);
    let unknown = report.nodes() - report.known_nodes().count();
    if unknown > 0 {
        sentences
            .push(format!("Nothing is known about {}, drawn gray: the graph says nothing.", plural(unknown, "node")));
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(" ")
}

fn key_figures(report: &CommunitiesReport) -> String {
    let n = report.nodes().max(1) as f64;
    let mut cells = vec![
        ("Nodes", size(report.nodes()), format!("{} searched for pure ones", size(report.kept))),
        ("Edges", size(report.edges()), format!("{} a node", significant(2.0 * report.edges() as f64 / n, 3))),
        ("Communities", size(report.count()), report.count_origin.clone()),
    ];
    if report.is_drawable() {
        let known = report.known_nodes().count().max(1) as f64;
        let mean = report.known_nodes().map(|i| report.mixedness[i]).sum::<f64>() / known;
        cells.push(("Mean mixedness", significant(mean, 2), "0 is pure, 1 is evenly mixed".into()));
    }
    for (name, value, meaning) in &report.scores {
        cells.push((name, significant(*value, 3), meaning.clone()));
    }
    if let Some(gap) = report.run.gap.filter(|gap| gap.is_finite()) {
        cells.push(("Duality gap", number(gap.max(0.0)), plural(report.run.iterations, "iteration")));
    }
    cells.extend(report.run.cost());
    page::key_figures(&cells)
}
