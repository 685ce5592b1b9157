//! Edge lists as text: two names a line, perhaps a weight, perhaps compressed.
//!
//! ```text
//! # comments begin with # or %          separators: comma, tab, semicolon or blanks, as the first line has them
//! ann  bob                              names are any text; whole numbers are names too
//! bob  cat  2.5                         a third field is a weight, if weights are asked for
//! "New York",bob                        quoted as in CSV: separators and line breaks within are letters, `""` is a quote
//! ```
//!
//! A first line that names columns (`Source,Target,Type,Weight`) is no edge, and says where the weights stand.

use crate::error::{Error, Fault};
use crate::graph::{EdgeSet, Graph};
use crate::text::{Record, Records, Row};
use merit_dataset::limits::Room;
use merit_dataset::shown::shown;
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
    let mut records = Records::open(path)?;
    let (mut edges, room) = (EdgeSet::new(weighted), Room::of(path));
    let (mut first, mut between) = (true, 0);
    while let Some(row) = records.next()? {
        let record = match row {
            Row::Comment(line) => {
                let line = line.to_ascii_lowercase();
                edges.record.directed |= line.contains("directed graph") && !line.contains("undirected");
                continue;
            }
            Row::Record(record) => record,
        };
        if let Some(others) = first.then(|| head(record)).flatten() {
            (first, between) = (false, others);
            continue;
        }
        match fields(record, between, weighted) {
            Ok(Fields { source, target, weight, has_weight }) => {
                edges.record.weights_ignored |= has_weight && !weighted;
                if weight > 0.0 {
                    edges.add(source, target, weight);
                } else {
                    [source, target].iter().for_each(|name| _ = edges.names.index(name)); // no edge, but nodes
                }
                room.check(edges.bytes_needed())?;
            }
            Err(_) if first && record.line.contains('\0') => return Err(records.error(Fault::Binary)),
            Err(fault) => return Err(records.error(fault)),
        }
        first = false;
    }
    edges.build(&records.at().file, "edge list")
}

struct Fields<'a> {
    source: &'a str,
    target: &'a str,
    weight: f64,
    /// Whether there is a field where weights stand.
    has_weight: bool,
}

/// The fields of an edge, with so many others `between` its nodes and its weight.
fn fields(record: Record, between: usize, weighted: bool) -> Result<Fields, Fault> {
    let mut fields = record.fields();
    let (source, target) = (fields.next(), fields.next());
    let (Some(source), Some(target)) = (source, target) else {
        return Err(Fault::OneField(piece(record.line)));
    };
    if source.is_empty() || target.is_empty() {
        return Err(Fault::EmptyName(piece(record.line)));
    }
    let text = fields.nth(between).filter(|text| !text.is_empty());
    let weight = match (weighted, text) {
        (false, _) => 1.0,
        (true, None) => return Err(Fault::NoWeight(between + 3)),
        (true, Some(text)) => weight(text)?,
    };
    Ok(Fields { source, target, weight, has_weight: text.is_some() })
}

/// The weight that a text says.
pub(crate) fn weight(text: &str) -> Result<f64, Fault> {
    match text.parse::<f64>() {
        Ok(weight) if weight.is_finite() && weight >= 0.0 => Ok(weight),
        Ok(weight) => Err(Fault::WeightRange(weight)),
        Err(_) => Err(Fault::WeightText(piece(text))),
    }
}

/// If a record names columns: how many stand between the nodes and the weights.
fn head(record: Record) -> Option<usize> {
    let names: Vec<String> = record.fields().map(str::to_ascii_lowercase).collect();
    let weights = names.iter().skip(2).position(|name| name == "weight");
    let ends = names.len() >= 2 && names[..2].iter().all(|name| HEADS.contains(&name.as_str()));
    weights.or(ends.then_some(0))
}

/// A piece of a line as messages show it.
fn piece(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    shown(&short).into_owned() + if text.chars().count() > 40 { "..." } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(text: &str) -> Result<Graph, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        std::fs::write(&path, text).unwrap();
        read(&path, false)
    }

    #[test]
    fn nodes_that_differ_within_their_quotes_are_different() {
        let found = graph("\"Source\",\"Target\"\n\"a \"\"b\"\" c\",z\n\"a \"\"x\"\" c\",z\n").unwrap();
        assert_eq!(found.names, ["a \"b\" c", "a \"x\" c", "z"]);
        assert_eq!(found.edges(), 2);
    }

    #[test]
    fn an_open_quote_is_no_name() {
        let error = graph("a,b\nb,\"c\nc,d\n").unwrap_err().to_string();
        assert!(
            error.starts_with("line 2 of `") && error.ends_with("x.csv` opens a quote that is not closed"),
            "{error}"
        );
    }
}
