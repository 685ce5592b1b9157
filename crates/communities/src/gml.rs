//! GML, as igraph, networkx and Gephi write it: nested lists of keys and values, of which nodes, edges and weights are read.
//!
//! ```text
//! graph [ directed 0  node [ id 1 label "ann" ]  node [ id 2 label "bob" ]  edge [ source 1 target 2 value 2.5 ] ]
//! ```
//!
//! A node's name is its `label` (or `name`), if every node has a different one, otherwise its `id`.

use crate::Error;
use crate::edge_set::NamedNodes;
use crate::error::Fault;
use crate::graph::Graph;
use crate::read::ReadOptions;
use merit_dataset::limits::Room;
use merit_dataset::text::{line_of, read_to_string};
use std::path::Path;

/// Reads the graph in `path`.
pub(crate) fn read(path: &Path, options: &ReadOptions) -> Result<Graph, Error> {
    let text = read_to_string(path)?;
    let room = Room::of(path);
    let file = path.display().to_string();
    let mut tokens = Tokens { text: &text, at: 0 };
    let mut nodes = NamedNodes::of(options);
    let (mut seen_graph, mut within) = (false, Vec::new());
    let mut element = Element::default();
    while let Some(key) = tokens.next() {
        let fail = |tokens: &Tokens, fault: Fault| {
            let line = line_of(&text.as_bytes()[..tokens.at.min(text.len())]);
            Err(Error::Line { at: path.into(), line, fault })
        };
        if key == "]" {
            match within.pop() {
                None => return fail(&tokens, Fault::Brackets),
                Some("node") if within.last() == Some(&"graph") => {
                    let Some(id) = element.id.take() else { return fail(&tokens, Fault::NoKey("node", "id")) };
                    nodes.node(&id, element.label.take());
                }
                Some("edge") if within.last() == Some(&"graph") => {
                    let (Some(source), Some(target)) = (element.source.take(), element.target.take()) else {
                        return fail(&tokens, Fault::NoKey("edge", "source and target"));
                    };
                    let number = element.weight.take().map(|text| options.weight(&text)).transpose();
                    match number {
                        Ok(number) => nodes.edge(&source, &target, number),
                        Err(fault) => return fail(&tokens, fault),
                    }
                    room.check(nodes.bytes_needed())?;
                }
                Some(_) => {}
            }
            element = Element::default();
            continue;
        }
        let Some(value) = tokens.next() else { return fail(&tokens, Fault::Brackets) };
        if value == "[" {
            seen_graph |= key == "graph";
            within.push(key);
            continue;
        }
        let value = value.trim_matches('"');
        let depth = within.len();
        match (within.last().copied(), key) {
            (Some("graph"), "directed") => nodes.edges.record.directed |= value == "1",
            (Some("node"), "id") if depth == 2 => element.id = Some(value.into()),
            (Some("node"), "label" | "name") if depth == 2 => element.label = Some(unescaped(value)),
            (Some("edge"), "source") => element.source = Some(value.into()),
            (Some("edge"), "target") => element.target = Some(value.into()),
            (Some("edge"), "weight" | "value") => element.weight = Some(value.into()),
            _ => {}
        }
    }
    if !seen_graph || !within.is_empty() {
        let reason = if seen_graph { "a bracket is not closed" } else { "it has no `graph [`" };
        return Err(Error::NotAGraph { file, reason: reason.into() });
    }
    nodes.build(&file, "GML")
}

#[derive(Default)]
struct Element {
    id: Option<String>,
    label: Option<String>,
    source: Option<String>,
    target: Option<String>,
    weight: Option<String>,
}

/// GML writes `&`, quotes and what is not ASCII as entities.
fn unescaped(text: &str) -> String {
    quick_xml::escape::unescape(text).map_or_else(|_| text.to_string(), |text| text.into_owned())
}

/// Words, brackets and texts in quotes, which they keep.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let rest = &self.text[self.at..];
            let start = rest.len() - rest.trim_start().len();
            let rest = &rest[start..];
            let first = rest.chars().next()?;
            let length = match first {
                '#' => {
                    self.at += start + rest.find('\n').unwrap_or(rest.len());
                    continue;
                }
                '[' | ']' => 1,
                '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
                _ => rest.find(|c: char| c.is_whitespace() || "[]".contains(c)).unwrap_or(rest.len()),
            };
            self.at += start + length;
            return Some(&rest[..length]);
        }
    }
}
