//! From a run to the data of its page.

use super::Outcome;
use merit_report::Table;
use merit_report::chart::{HeatMap, Name, ScatterLabel, Ternary, heat_map, ternary};
use merit_report::page::{Page, Section, figure, figures, paragraph, table};

/// Points that a plot shows at most.
const SHOWN: usize = 1500;

/// The page of `merit communities`.
pub fn of_run(outcome: &Outcome) -> String {
    let (graph, found) = (&outcome.graph, &outcome.found);
    let rank = found.pure.len();
    let lead = paragraph(&format!(
        "{} nodes, {} edges, {rank} communities; {} nodes were searched for pure ones.",
        graph.nodes(),
        graph.edges(),
        found.kept.len()
    )) + &outcome.notes.iter().map(|note| paragraph(note)).collect::<String>();
    let totals = found.sizes();
    let rows = totals.iter().zip(&found.pure).enumerate().map(|(k, (size, &node))| {
        let members = (0..graph.nodes()).filter(|&i| found.dominant(i).0 == k).count();
        vec![k.to_string(), format!("{size:.1}"), members.to_string(), graph.names[node].clone()]
    });
    let sizes = Table {
        caption: "Size is the sum of all shares in a community; members are nodes whose largest share it has.".into(),
        columns: ["community", "size", "members", "pure node"].map(String::from).to_vec(),
        rows: rows.collect(),
        highlight: None,
    };
    let connections = heat_map(&HeatMap {
        name: Name { id: "connections".into(), description: "How communities connect".into() },
        x_name: "community".into(),
        y_name: "community".into(),
        value_name: "B".into(),
        column_word: "community".into(),
        rows: (0..rank).map(|k| k.to_string()).collect(),
        columns: (0..rank).collect(),
        values: (0..rank * rank).map(|c| found.b.get(c / rank, c % rank)).collect(),
        ordered: true,
        ..HeatMap::default()
    });
    let mut charts = vec![figure("How communities connect", &connections, "B = V(pure,:) diag(theta) V(pure,:)'.")];
    if rank == 3 {
        charts.push(shares_of_three(outcome));
    }
    Page {
        title: outcome.args.input.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned()),
        eyebrow: "merit communities".into(),
        lead,
        sections: vec![
            Section::new("communities", "Communities", table("sizes", &sizes)),
            Section::new("charts", "Connections and shares", figures(&charts)),
        ],
        footer: vec![format!("merit {}", env!("CARGO_PKG_VERSION"))],
        ..Page::default()
    }
    .html()
}

/// The nodes in the triangle of three communities; of many, every so many-th.
fn shares_of_three(outcome: &Outcome) -> String {
    let (graph, found) = (&outcome.graph, &outcome.found);
    let shares = |i: usize| [0, 1, 2].map(|k| found.memberships.get(i, k));
    let tip = |i: usize| format!("{}\n{:.2}, {:.2}, {:.2}", graph.names[i], shares(i)[0], shares(i)[1], shares(i)[2]);
    let step = graph.nodes().div_ceil(SHOWN);
    let drawn = ternary(&Ternary {
        name: Name { id: "shares".into(), description: "Shares of the nodes in three communities".into() },
        corners: [0, 1, 2].map(|k| format!("community {k}")),
        points: (0..graph.nodes()).step_by(step).map(|i| (shares(i), tip(i))).collect(),
        point_name: "node".into(),
        anchors: found
            .pure
            .iter()
            .map(|&i| (shares(i), ScatterLabel { label: graph.names[i].clone(), tip: tip(i) }))
            .collect(),
        anchor_name: "pure node".into(),
    });
    let caption = match step {
        1 => "Every node.".to_string(),
        _ => format!("A sample: every {step}th of the {} nodes.", graph.nodes()),
    };
    figure("Shares", &drawn, &caption)
}
