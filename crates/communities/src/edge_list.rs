//! Edge lists as text: two names per line, perhaps a weight, perhaps compressed.
//!
//! ```text
//! # comments begin with # or %          separators: comma, tab, semicolon or blanks, as the first line has them
//! ann  bob                              names are any text; whole numbers are names too
//! bob  cat  2.5                         a third field is a weight, if every line has a number there
//! "New York",bob                        quoted as in CSV: separators and line breaks within are letters, `""` is a quote
//! ```
//!
//! A first line that names columns (`Source,Target,Type,Weight`) is not an edge, and says where the weights are; if it names none, there are none.

use crate::edge_set::EdgeSet;
use crate::error::{Error, Fault};
use crate::graph::Graph;
use crate::plain_edges;
use crate::read::ReadOptions;
use crate::settings::Directed;
use crate::text::{Record, Records, Row, Separator};
use merit_dataset::limits::Room;
use merit_dataset::shown::shown;
use std::path::Path;

/// Heads of columns that distinguish a first line from an edge.
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

/// Names of a column of weights; the first is enough to distinguish a first line from an edge.
const WEIGHTS: [&str; 4] = ["weight", "weights", "value", "count"];

/// Reads the edges of `path`.
pub(crate) fn read(path: &Path, options: &ReadOptions) -> Result<Graph, Error> {
    match plain_edges::read(path, options) {
        Some(edges) => edges.build(&path.display().to_string(), FORMAT),
        None => read_lines(path, options),
    }
}

/// What the format is called.
const FORMAT: &str = "edge list";

/// The same line by line: every list that can be read, and what is wrong with the others.
pub(crate) fn read_lines(path: &Path, options: &ReadOptions) -> Result<Graph, Error> {
    let mut records = Records::open(path)?;
    let (mut edges, room) = (EdgeSet::of(options), Room::of(path));
    let (mut first, mut column) = (true, Column::Third { filled: None });
    // No comment need say that edges have a direction where that is asked for.
    edges.record.directed = options.directed == Directed::Cocitation;
    while let Some(row) = records.next()? {
        let record = match row {
            Row::Comment(line) => {
                let line = line.to_ascii_lowercase();
                edges.record.directed |= line.contains("directed graph") && !line.contains("undirected");
                continue;
            }
            Row::Record(record) => record,
        };
        if let Some(named) = first.then(|| head(record)).flatten() {
            (first, column) = (false, named);
            if let Column::Other(reason) = &column {
                edges.forget_weights(reason.clone());
            }
            continue;
        }
        if first && record.line.contains('\0') {
            return Err(records.error(Fault::Binary));
        }
        first = false;
        let (source, target, text) = match fields(record, column.between()) {
            Ok(fields) => fields,
            Err(fault) => return Err(records.error(fault)),
        };
        let (number, no_weights) = match (&mut column, text.map(weight)) {
            (_, number) if options.unweighted => (number.map_or(1.0, |number| number.unwrap_or(0.0)), None),
            (Column::Other(_), _) => (1.0, None),
            (Column::Named { .. }, Some(Ok(number))) => (number, None),
            (Column::Named { .. }, Some(Err(fault))) => return Err(records.error(fault)),
            (Column::Named { between }, None) => return Err(records.error(Fault::NoWeight(*between + 3))),
            (Column::Third { filled }, number) => {
                let is_filled = *filled.get_or_insert(number.is_some());
                match (number, is_filled) {
                    (None, false) => (1.0, None),
                    (Some(Ok(number)), true) => (number, None),
                    (Some(Err(_)), true) => (1.0, Some(format!("has `{}` there", piece(text.unwrap_or_default())))),
                    (Some(_), false) => (1.0, Some("is the first that has one".to_string())),
                    (None, true) => (1.0, Some("has none".to_string())),
                }
            }
        };
        edges.add(source, target, number);
        if let Some(what) = no_weights {
            let reason = format!("line {} {what}", records.number());
            edges.forget_weights(reason.clone());
            column = Column::Other(reason);
        }
        room.check(edges.bytes_needed())?;
    }
    edges.build(&records.at().file, FORMAT)
}

/// Where the weights of a list stand.
enum Column {
    /// A first line says so, with this many columns between them and the nodes.
    Named { between: usize },
    /// In the third column, if every line has a number there; whether the lines so far have something.
    Third { filled: Option<bool> },
    /// Nowhere, for this reason.
    Other(String),
}

impl Column {
    fn between(&self) -> usize {
        if let Self::Named { between } = self { *between } else { 0 }
    }
}

/// The nodes of an edge, and what stands where weights do, with this many others `between`.
fn fields<'a>(record: Record<'a>, between: usize) -> Result<(&'a str, &'a str, Option<&'a str>), Fault> {
    let mut fields = record.fields();
    let (source, target) = (fields.next(), fields.next());
    let (Some(source), Some(target)) = (source, target) else {
        return Err(Fault::OneField(piece(record.line)));
    };
    if source.is_empty() || target.is_empty() {
        return Err(Fault::EmptyName(piece(record.line)));
    }
    Ok((source, target, fields.nth(between).filter(|text| !text.is_empty())))
}

/// The weight that a text says.
pub(crate) fn weight(text: &str) -> Result<f64, Fault> {
    match text.parse::<f64>() {
        Ok(weight) if weight.is_finite() && weight >= 0.0 => Ok(weight),
        Ok(weight) => Err(Fault::WeightRange(weight)),
        Err(_) => Err(Fault::WeightText(piece(text))),
    }
}

/// If a record names columns: where the weights stand.
fn head(record: Record) -> Option<Column> {
    let names: Vec<String> = record.fields().map(str::to_ascii_lowercase).collect();
    let ends = names.len() >= 2 && names[..2].iter().all(|name| HEADS.contains(&name.as_str()));
    let is_weight = |name: &String| name == WEIGHTS[0] || ends && WEIGHTS.contains(&name.as_str());
    match names.iter().skip(2).position(is_weight) {
        Some(between) => Some(Column::Named { between }),
        None if ends && names.len() > 2 => Some(Column::Other(format!("it is called `{}`", piece(&names[2])))),
        None => ends.then_some(Column::Third { filled: None }),
    }
}

/// Whether a line without quotes names the columns of the nodes and says nothing about weights.
pub(crate) fn head_is_plain(line: &str, separator: Separator) -> bool {
    matches!(head(Record::plain(line, separator)), Some(Column::Third { .. }))
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
        read(&path, &ReadOptions::default())
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

    #[test]
    fn a_third_column_is_weights_if_it_can_be() {
        for (text, weighted, ignored, words) in [
            ("a b 2\nb c 1\n", true, false, "which count"),
            ("a b 1\nb c 1\n", false, false, ""),
            ("a b\nb c\n", false, false, ""),
            ("source,target,weight\na,b,2\nb,c,3\n", true, false, "which count"),
            ("from,to,when,count\na,b,monday,2\nb,c,,3\n", true, false, "which count"),
            ("source,target,id\na,b,17\nb,c,18\n", false, true, "weights: it is called `id`"),
            ("a b 2\nb c -1\nc d 3\n", false, true, "weights: line 2 has `-1` there"),
            ("a b 2\nb c friend\n", false, true, "weights: line 2 has `friend` there"),
            ("a b 2\nb c\n", false, true, "weights: line 2 has none"),
            ("a b\nb c 2\n", false, true, "weights: line 2 is the first that has one"),
        ] {
            let found = graph(text).unwrap();
            assert_eq!((found.record.weighted, found.record.weights_ignored), (weighted, ignored), "{text}");
            let said = found.notes().iter().any(|note| note.contains(words));
            assert!(said || words.is_empty() && found.notes().is_empty(), "{text}: {:?}", found.notes());
            assert!(weighted || found.adjacency.values().iter().all(|weight| *weight == 1.0), "{text}");
        }
        let error = graph("from,to,weight\na,b,2\nb,c,-1\n").unwrap_err().to_string();
        assert!(error.contains("has the weight -1, but weights must be finite and not negative"), "{error}");
    }
}
