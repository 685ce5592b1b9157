//! Edge lists as text: two names a line, perhaps a weight, perhaps compressed.
//!
//! ```text
//! # comments begin with # or %          separators: comma, tab, semicolon or blanks, as the first line has them
//! ann  bob                              names are any text; whole numbers are names too
//! bob  cat  2.5                         a third field is a weight, if weights are asked for
//! ```
//!
//! A first line that names columns (`Source,Target,Type,Weight`) is no edge, and says where the weights stand.

use crate::Error;
use crate::graph::{EdgeSet, Graph};
use crate::text::{Lines, Separator, is_comment};
use std::path::Path;

/// Heads of columns that tell a first line from an edge.
const HEADS: [&str; 16] = [
    "source",
    "target",
    "from",
    "to",
    "src",
    "dst",
    "node1",
    "node2",
    "node_1",
    "node_2",
    "fromnodeid",
    "tonodeid",
    "u",
    "v",
    "id_1",
    "id_2",
];

/// Reads the edges of `path`.
pub(crate) fn read(path: &Path, weighted: bool) -> Result<Graph, Error> {
    let mut lines = Lines::open(path)?;
    let mut edges = EdgeSet::new(weighted);
    let (mut separator, mut between) = (None, 0);
    loop {
        let number = lines.number;
        let Some(line) = lines.next()? else { break };
        if is_comment(line) {
            if line.to_ascii_lowercase().contains("directed graph") && !line.to_ascii_lowercase().contains("undirected")
            {
                edges.record.directed = true;
            }
            continue;
        }
        let first = separator.is_none();
        let separator = *separator.get_or_insert_with(|| Separator::of(line));
        if let Some(others) = first.then(|| head(line, separator)).flatten() {
            between = others;
            continue;
        }
        match fields(line, separator, between, weighted) {
            Ok(Fields { source, target, weight, has_weight }) => {
                edges.record.weights_ignored |= has_weight && !weighted;
                if weight > 0.0 {
                    edges.add(source, target, weight);
                } else {
                    [source, target].iter().for_each(|name| _ = edges.names.index(name)); // no edge, but nodes
                }
            }
            Err(reason) => {
                let reason = if first && number == 0 && line.contains('\0') {
                    "holds bytes that no text has; is the file perhaps binary?".into()
                } else {
                    reason
                };
                return Err(lines.edge_error(reason));
            }
        }
    }
    let file = lines.file().to_string();
    edges.build(&file, "edge list")
}

struct Fields<'a> {
    source: &'a str,
    target: &'a str,
    weight: f64,
    /// Whether there is a field where weights stand.
    has_weight: bool,
}

/// The fields of an edge, with so many others `between` its nodes and its weight.
fn fields(line: &str, separator: Separator, between: usize, weighted: bool) -> Result<Fields<'_>, String> {
    let mut rest = Some(line);
    let mut next = || separator.next(&mut rest);
    let (source, target) = (next(), next());
    let (Some(source), Some(target)) = (source, target) else {
        return Err(format!("has 1 field, `{}`, but an edge has two nodes", shown(line)));
    };
    if source.is_empty() || target.is_empty() {
        return Err(format!("has an empty name: `{}`", shown(line)));
    }
    let text = std::iter::from_fn(next).nth(between).filter(|text| !text.is_empty());
    let weight = match (weighted, text) {
        (false, _) => 1.0,
        (true, None) => return Err(format!("has no field {}, but `--weighted` needs a weight", between + 3)),
        (true, Some(text)) => match text.parse::<f64>() {
            Ok(weight) if weight.is_finite() && weight >= 0.0 => weight,
            Ok(weight) => return Err(format!("has the weight {weight}, but weights must be finite and not negative")),
            Err(_) => return Err(format!("has the weight `{}`, which is not a number", shown(text))),
        },
    };
    Ok(Fields { source, target, weight, has_weight: text.is_some() })
}

/// If `line` names columns: how many stand between the nodes and the weights.
fn head(line: &str, separator: Separator) -> Option<usize> {
    let mut rest = Some(line);
    let names: Vec<String> = std::iter::from_fn(|| separator.next(&mut rest)).map(str::to_ascii_lowercase).collect();
    let weights = names.iter().skip(2).position(|name| name == "weight");
    let ends = names.len() >= 2 && names[..2].iter().all(|name| HEADS.contains(&name.as_str()));
    weights.or(ends.then_some(0))
}

/// A piece of a line as messages show it.
fn shown(text: &str) -> String {
    let short: String = text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > 40 { short + "..." } else { short }
}
