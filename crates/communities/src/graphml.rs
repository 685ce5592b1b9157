//! GraphML: nodes and edges as XML elements, of which only those and the weights are read.
//!
//! ```text
//! <graph edgedefault="undirected"> <node id="n0"/> <edge source="n0" target="n1"><data key="d0">2.5</data></edge> </graph>
//! ```
//!
//! The weight of an edge is the `<data>` whose `<key for="edge" attr.name="weight">` says so, and 1 where there is none. A
//! node's name is the `<data>` whose key is called `name` or `label`, if every node has one of its own, else its `id`.

use crate::Error;
use crate::graph::{EdgeSet, Graph};
use crate::text::open;
use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::Path;

/// Reads the graph in `path`.
pub(crate) fn read(path: &Path, weighted: bool) -> Result<Graph, Error> {
    let file = path.display().to_string();
    let mut text = Vec::new();
    open(path)?.read_to_end(&mut text).map_err(|source| Error::Io { file: file.clone(), source })?;
    let text = String::from_utf8(text)
        .map_err(|_| Error::NotAGraph { file: file.clone(), reason: "its XML is not UTF-8".into() })?;
    let mut document = Document::default();
    let mut tags = Tags { text: &text, place: 0 };
    while let Some(tag) = tags.next().map_err(|reason| tags.error(&file, reason))? {
        document.take(tag, weighted).map_err(|reason| tags.error(&file, reason))?;
    }
    if !document.seen_graph {
        return Err(Error::NotAGraph { file, reason: "it has no <graph> element".into() });
    }
    document.build(&file, weighted)
}

/// What was read so far.
#[derive(Default)]
struct Document {
    seen_graph: bool,
    directed: bool,
    weight_keys: HashSet<String>,
    name_keys: HashSet<String>,
    /// Nodes by id, in the order of the file, with the name that a `<data>` gave.
    nodes: HashMap<String, usize>,
    names: Vec<(String, Option<String>)>,
    edges: Vec<(usize, usize, f64)>,
    has_weights: bool,
    open: Open,
    data_key: String,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Open {
    #[default]
    Nothing,
    Node(usize),
    Edge(usize),
}

impl Document {
    fn take(&mut self, tag: Tag, weighted: bool) -> Result<(), String> {
        let need = |name: &str| tag.attribute(name).ok_or_else(|| format!("has a <{}> without `{name}`", tag.name));
        match (tag.name, tag.closes) {
            ("graph", false) => {
                self.seen_graph = true;
                self.directed |= tag.attribute("edgedefault").as_deref() == Some("directed");
            }
            ("key", false) => {
                let (kind, name) =
                    (tag.attribute("for").unwrap_or_default(), tag.attribute("attr.name").unwrap_or_default());
                let id = need("id")?;
                match name.to_ascii_lowercase().as_str() {
                    "weight" if kind != "node" => _ = self.weight_keys.insert(id),
                    "name" | "label" if kind != "edge" => _ = self.name_keys.insert(id),
                    _ => {}
                }
            }
            ("node", false) => {
                let node = self.node(need("id")?);
                self.open = if tag.empty { Open::Nothing } else { Open::Node(node) };
            }
            ("edge", false) => {
                let (source, target) = (need("source")?, need("target")?);
                self.directed |= tag.attribute("directed").as_deref() == Some("true");
                let (source, target) = (self.node(source), self.node(target));
                self.edges.push((source, target, 1.0));
                self.open = if tag.empty { Open::Nothing } else { Open::Edge(self.edges.len() - 1) };
            }
            ("node" | "edge", true) => self.open = Open::Nothing,
            ("data", false) => self.data_key = tag.attribute("key").unwrap_or_default(),
            ("data", true) => match self.open {
                Open::Edge(edge) if self.weight_keys.contains(&self.data_key) => {
                    self.has_weights = true;
                    if weighted {
                        let text = unescape(tag.text_before.trim());
                        let weight = text
                            .parse::<f64>()
                            .map_err(|_| format!("has the weight `{text}`, which is not a number"))?;
                        if !(weight.is_finite() && weight >= 0.0) {
                            return Err(format!(
                                "has the weight {weight}, but weights must be finite and not negative"
                            ));
                        }
                        self.edges[edge].2 = weight;
                    }
                }
                Open::Node(node) if self.name_keys.contains(&self.data_key) => {
                    self.names[node].1 = Some(unescape(tag.text_before.trim()));
                }
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn node(&mut self, id: String) -> usize {
        let next = self.names.len();
        *self.nodes.entry(id.clone()).or_insert_with(|| {
            self.names.push((id, None));
            next
        })
    }

    fn build(self, file: &str, weighted: bool) -> Result<Graph, Error> {
        let given: HashSet<&str> = self.names.iter().filter_map(|(_, name)| name.as_deref()).collect();
        let all_given = given.len() == self.names.len() && !given.contains("");
        let mut edges = EdgeSet::new(weighted);
        let indices: Vec<u32> = self
            .names
            .iter()
            .map(|(id, name)| edges.names.index(if all_given { name.as_deref().unwrap_or(id) } else { id }))
            .collect();
        for &(source, target, weight) in self.edges.iter().filter(|edge| edge.2 > 0.0) {
            edges.add_indices(indices[source], indices[target], weight);
        }
        edges.record.directed = self.directed;
        edges.record.weights_ignored = self.has_weights && !weighted;
        edges.build(file, "GraphML")
    }
}

/// A tag, and the text between the one before and it.
struct Tag<'a> {
    name: &'a str,
    attributes: &'a str,
    text_before: &'a str,
    closes: bool,
    empty: bool,
}

impl Tag<'_> {
    fn attribute(&self, name: &str) -> Option<String> {
        let mut rest = self.attributes;
        loop {
            let (key, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let (value, after) = after[1..].split_once(quote)?;
            if key.trim() == name {
                return Some(unescape(value));
            }
            rest = after;
        }
    }
}

struct Tags<'a> {
    text: &'a str,
    place: usize,
}

impl<'a> Tags<'a> {
    /// The next tag; comments and declarations are passed over.
    fn next(&mut self) -> Result<Option<Tag<'a>>, String> {
        let start = self.place;
        loop {
            let Some(open) = self.text[self.place..].find('<').map(|p| p + self.place) else { return Ok(None) };
            let rest = &self.text[open..];
            let skip = |end: &str| rest.find(end).map(|p| open + p + end.len()).ok_or("ends within a tag".to_string());
            if rest.starts_with("<!--") {
                self.place = skip("-->")?;
                continue;
            }
            if rest.starts_with("<?") || rest.starts_with("<!") {
                self.place = skip(">")?;
                continue;
            }
            let close = end_of_tag(rest).ok_or("ends within a tag")?;
            self.place = open + close + 1;
            let inner = &rest[1..close];
            let (closes, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
            let (empty, inner) = inner.strip_suffix('/').map_or((false, inner), |inner| (true, inner));
            let name = inner.split(|c: char| c.is_whitespace()).next().unwrap_or("");
            let attributes = &inner[name.len()..];
            let name = name.rsplit(':').next().unwrap_or(name); // a namespace changes nothing
            return Ok(Some(Tag { name, attributes, text_before: &self.text[start..open], closes, empty }));
        }
    }

    fn error(&self, file: &str, reason: String) -> Error {
        let line = self.text[..self.place].matches('\n').count() as u64 + 1;
        Error::Line { file: file.into(), line, reason }
    }
}

/// Place of the `>` that ends a tag; one within quotes does not.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (place, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(place),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// Text with its entities written out.
fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_string();
    }
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let Some((entity, after)) = after.split_once(';') else {
            out.push('&');
            rest = after;
            continue;
        };
        let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
        let meant = match entity {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => match entity.strip_prefix("#x") {
                Some(digits) => number(digits, 16),
                None => entity.strip_prefix('#').and_then(|digits| number(digits, 10)),
            },
        };
        out.push(meant.unwrap_or('\u{fffd}'));
        rest = after;
    }
    out + rest
}
