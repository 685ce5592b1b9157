//! The result for other programs: GraphML and GEXF with shares as attributes of the nodes, and cdlib's JSON.

use super::Outcome;
use crate::args::Export;
use crate::failure::Failure;
use crate::output_folder::OutputFolder;
use merit_communities::nmi::cover;
use serde_json::json;
use std::fmt::Write;

/// Writes what was asked for.
pub fn write(folder: &OutputFolder, outcome: &Outcome) -> Result<(), Failure> {
    for export in &outcome.args.export {
        match export {
            Export::Graphml => folder.write("graph.graphml", &graphml(outcome))?,
            Export::Gexf => folder.write("graph.gexf", &gexf(outcome))?,
            Export::Cdlib => folder.write("cdlib.json", &cdlib(outcome))?,
        }
    }
    Ok(())
}

/// The names of the members of each community.
pub fn members<'o>(outcome: &'o Outcome) -> Vec<Vec<(usize, &'o str)>> {
    let (found, known) = (&outcome.found, outcome.found.known());
    let sets = cover(&found.memberships, outcome.args.flags.settings.threshold, |i| known[i]);
    let named = |set: Vec<usize>| set.into_iter().map(|i| (i, outcome.graph.names[i].as_str())).collect();
    sets.into_iter().map(named).collect()
}

/// Text within an element or an attribute; control characters, which XML does not allow, become spaces.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\t' | '\n' | '\r' => _ = write!(out, "&#{};", u32::from(letter)),
            '\u{fffe}' | '\u{ffff}' => out.push(' '),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

/// Each edge once, with its weight.
fn edges<'o>(outcome: &'o Outcome) -> impl Iterator<Item = (usize, usize, f64)> + 'o {
    let adjacency = &outcome.graph.adjacency;
    (0..adjacency.cols()).flat_map(move |i| {
        let (others, weights) = adjacency.col(i);
        others.iter().zip(weights).map(move |(&j, &weight)| (i, j as usize, weight)).filter(|(i, j, _)| i < j)
    })
}

fn graphml(outcome: &Outcome) -> String {
    let (graph, found) = (&outcome.graph, &outcome.found);
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
         <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n\
         <key id=\"dominant\" for=\"node\" attr.name=\"dominant\" attr.type=\"int\"/>\n\
         <key id=\"role\" for=\"node\" attr.name=\"role\" attr.type=\"string\"/>\n\
         <key id=\"known\" for=\"node\" attr.name=\"known\" attr.type=\"boolean\"/>\n\
         <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n",
    );
    let rank = found.pure.len();
    for k in 0..rank {
        // Writing into a String cannot fail.
        _ = writeln!(out, "<key id=\"s{k}\" for=\"node\" attr.name=\"community_{k}\" attr.type=\"double\"/>");
    }
    out += "<graph edgedefault=\"undirected\">\n";
    let dominant = found.dominant();
    for (i, name) in graph.names.iter().enumerate() {
        _ = write!(out, "<node id=\"n{i}\"><data key=\"name\">{}</data>", escaped(name));
        _ = write!(out, "<data key=\"known\">{}</data>", dominant[i].is_some());
        if let Some(community) = dominant[i] {
            _ = write!(out, "<data key=\"dominant\">{community}</data>");
            outcome.roles[i].iter().for_each(|role| _ = write!(out, "<data key=\"role\">{role}</data>"));
            found.shares_of(i).enumerate().for_each(|(k, share)| _ = write!(out, "<data key=\"s{k}\">{share}</data>"));
        }
        out += "</node>\n";
    }
    for (i, j, weight) in edges(outcome) {
        _ = writeln!(out, "<edge source=\"n{i}\" target=\"n{j}\"><data key=\"weight\">{weight}</data></edge>");
    }
    out + "</graph>\n</graphml>\n"
}

fn gexf(outcome: &Outcome) -> String {
    let (graph, found) = (&outcome.graph, &outcome.found);
    let rank = found.pure.len();
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://gexf.net/1.3\" version=\"1.3\">\n\
         <graph defaultedgetype=\"undirected\">\n<attributes class=\"node\">\n\
         <attribute id=\"dominant\" title=\"dominant\" type=\"integer\"/>\n\
         <attribute id=\"role\" title=\"role\" type=\"string\"/>\n",
    );
    for k in 0..rank {
        _ = writeln!(out, "<attribute id=\"s{k}\" title=\"community_{k}\" type=\"double\"/>");
    }
    out += "</attributes>\n<nodes>\n";
    let dominant = found.dominant();
    for (i, name) in graph.names.iter().enumerate() {
        _ = write!(out, "<node id=\"n{i}\" label=\"{}\">", escaped(name));
        if let Some(community) = dominant[i] {
            _ = write!(out, "<attvalues><attvalue for=\"dominant\" value=\"{community}\"/>");
            outcome.roles[i].iter().for_each(|role| _ = write!(out, "<attvalue for=\"role\" value=\"{role}\"/>"));
            let value = |(k, share): (usize, f64)| _ = write!(out, "<attvalue for=\"s{k}\" value=\"{share}\"/>");
            found.shares_of(i).enumerate().for_each(value);
            out += "</attvalues>";
        }
        out += "</node>\n";
    }
    out += "</nodes>\n<edges>\n";
    for (at, (i, j, weight)) in edges(outcome).enumerate() {
        _ = writeln!(out, "<edge id=\"{at}\" source=\"n{i}\" target=\"n{j}\" weight=\"{weight}\"/>");
    }
    out + "</edges>\n</graph>\n</gexf>\n"
}

/// What `cdlib.readwrite.read_community_json` reads.
fn cdlib(outcome: &Outcome) -> String {
    let sets = members(outcome);
    let count: usize = sets.iter().map(Vec::len).sum();
    let names: Vec<Vec<&str>> = sets.iter().map(|set| set.iter().map(|(_, name)| *name).collect()).collect();
    let known = outcome.found.known().iter().filter(|known| **known).count();
    let document = json!({
        "communities": names,
        "algorithm": "merit",
        "params": {"communities": names.len(), "threshold": outcome.args.flags.settings.threshold},
        "overlap": count > known,
        "coverage": known as f64 / outcome.graph.nodes().max(1) as f64,
    });
    document.to_string() + "\n"
}
