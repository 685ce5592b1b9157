//! GraphML and GEXF: nodes and edges as XML elements, of which only those and the weights are read.
//!
//! ```text
//! <graph edgedefault="undirected"> <node id="n0"/> <edge source="n0" target="n1"><data key="d0">2.5</data></edge> </graph>
//! ```
//!
//! The weight of an edge is the `<data>` whose `<key for="edge" attr.name="weight">` says so, and 1 where there is none. A
//! node's name is the `<data>` whose key is called `name` or `label`, if every node has a different one, otherwise its `id`. In GEXF both are
//! attributes, `<node id="0" label="ann"/>` and `<edge source="0" target="1" weight="2.5"/>`.

use crate::edge_set::EdgeSet;
use crate::error::{Error, Fault};
use crate::graph::Graph;
use crate::read::ReadOptions;
use merit_dataset::limits;
use merit_dataset::strings::Interned;
use merit_dataset::text::{line_of, read_to_string};
use quick_xml::Reader;
use quick_xml::escape::{EscapeError, unescape};
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

/// Bytes of a node beside its id and name, and of an edge, until the graph is built.
const MEMORY_OF: (usize, usize) = (160, 96);
/// Elements within each other. Graphs in nodes of graphs come to a few; each costs memory.
const DEEPEST: usize = 1000;

/// Reads the graph in `path`.
pub(crate) fn read(path: &Path, options: &ReadOptions) -> Result<Graph, Error> {
    let text = read_to_string(path)?;
    let mut document = Document { options: options.clone(), available: limits::memory(), ..Default::default() };
    let mut reader = Reader::from_str(&text);
    if let Err(fault) = document.take_all(&mut reader) {
        // The reader knows where what it cannot read begins; what it reads ends where it stands.
        let place = match reader.error_position() {
            0 => reader.buffer_position(),
            start => start,
        };
        let before = &text.as_bytes()[..text.len().min(place as usize)];
        return Err(Error::Line { at: path.into(), line: line_of(before), fault });
    }
    drop(text);
    let file = path.display().to_string();
    if !document.seen_graph {
        return Err(Error::NotAGraph { file, reason: "it has no <graph> element".into() });
    }
    document.build(&file)
}

/// What was read so far.
#[derive(Default)]
struct Document {
    options: ReadOptions,
    /// Bytes of memory.
    available: u64,
    seen_graph: bool,
    gexf: bool,
    directed: bool,
    weight_keys: HashSet<String>,
    name_keys: HashSet<String>,
    /// Ids of the nodes.
    nodes: Interned,
    /// The names that a `<data>` gave.
    names: Interned,
    /// The name of each node, if it has one.
    name_of: Vec<Option<u32>>,
    edges: Vec<(u32, u32, f64)>,
    open: Open,
    data_key: String,
    /// Text since the last tag.
    text: String,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Open {
    #[default]
    Nothing,
    Node(u32),
    Edge(usize),
}

impl Document {
    fn take_all(&mut self, reader: &mut Reader<&[u8]>) -> Result<(), Fault> {
        let mut within = Vec::new();
        loop {
            match reader.read_event().map_err(|error| Fault::Xml(error.to_string()))? {
                Event::Start(tag) => {
                    self.start(&tag, false)?;
                    self.check_memory()?;
                    if within.len() == DEEPEST {
                        return Err(Fault::Deep(DEEPEST));
                    }
                    within.push(tag);
                }
                Event::Empty(tag) => {
                    self.start(&tag, true)?;
                    self.check_memory()?;
                }
                Event::End(tag) => {
                    self.end(tag.local_name().as_ref())?;
                    within.pop();
                }
                Event::Text(text) => self.text.push_str(&text),
                Event::CData(text) => self.text.push_str(&text),
                Event::GeneralRef(entity) => self.text.push_str(&written_out(&format!("&{};", &*entity))?),
                Event::DocType(declarations) if declarations.contains("<!ENTITY") => return Err(Fault::Declarations),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
                Event::Eof => {
                    let open = within.last().map(|tag: &BytesStart| tag.name().as_ref().to_string());
                    return open.map_or(Ok(()), |tag| Err(Fault::Ends(tag)));
                }
            }
        }
    }

    /// An opening tag, which closes itself if it is `empty`. A prefix, that of a namespace, changes nothing.
    fn start(&mut self, tag: &BytesStart, empty: bool) -> Result<(), Fault> {
        self.text.clear();
        match tag.local_name().as_ref() {
            "gexf" => self.gexf = true,
            "graph" => {
                self.seen_graph = true;
                let kind = attribute(tag, "edgedefault")?.or(attribute(tag, "defaultedgetype")?);
                self.directed |= kind.as_deref() == Some("directed");
            }
            "key" => {
                let (kind, name) = (attribute(tag, "for")?.unwrap_or_default(), attribute(tag, "attr.name")?);
                let id = attribute(tag, "id")?.ok_or(Fault::NoAttribute { tag: "key", attribute: "id" })?;
                match name.unwrap_or_default().to_ascii_lowercase().as_str() {
                    "weight" if kind != "node" => _ = self.weight_keys.insert(id.into()),
                    "name" | "label" if kind != "edge" => _ = self.name_keys.insert(id.into()),
                    _ => {}
                }
            }
            "node" => {
                let id = attribute(tag, "id")?.ok_or(Fault::NoAttribute { tag: "node", attribute: "id" })?;
                let node = self.node(&id);
                if let Some(label) = attribute(tag, "label")? {
                    self.name_of[node as usize] = Some(self.names.number(&label));
                }
                self.open = if empty { Open::Nothing } else { Open::Node(node) };
            }
            "edge" => {
                let end = |name| attribute(tag, name)?.ok_or(Fault::NoAttribute { tag: "edge", attribute: name });
                let (source, target) = (end("source")?, end("target")?);
                self.directed |= attribute(tag, "directed")?.as_deref() == Some("true");
                self.directed |= attribute(tag, "type")?.as_deref() == Some("directed");
                let given = attribute(tag, "weight")?.map_or(Ok(1.0), |text| self.options.weight(text.trim()))?;
                let (source, target) = (self.node(&source), self.node(&target));
                self.edges.push((source, target, given));
                self.open = if empty { Open::Nothing } else { Open::Edge(self.edges.len() - 1) };
            }
            "data" => self.data_key = attribute(tag, "key")?.unwrap_or_default().into(),
            _ => {}
        }
        Ok(())
    }

    fn check_memory(&self) -> Result<(), Fault> {
        let (nodes, names) = (self.nodes.len(), self.nodes.bytes() + self.names.bytes());
        let needed = (MEMORY_OF.0 * nodes + 2 * names + MEMORY_OF.1 * self.edges.len()) as u64;
        let available = self.available;
        if needed > available { Err(Fault::Memory { needed, available }) } else { Ok(()) }
    }

    fn end(&mut self, name: &str) -> Result<(), Fault> {
        match (name, self.open) {
            ("node" | "edge", _) => self.open = Open::Nothing,
            ("data", Open::Edge(edge)) if self.weight_keys.contains(&self.data_key) => {
                self.edges[edge].2 = self.options.weight(self.text.trim())?;
            }
            ("data", Open::Node(node)) if self.name_keys.contains(&self.data_key) => {
                self.name_of[node as usize] = Some(self.names.number(self.text.trim()));
            }
            _ => {}
        }
        self.text.clear();
        Ok(())
    }

    fn node(&mut self, id: &str) -> u32 {
        let node = self.nodes.number(id);
        self.name_of.resize(self.nodes.len(), None);
        node
    }

    fn build(self, file: &str) -> Result<Graph, Error> {
        // Each has one, not an empty one, and no two the same.
        let mut given: Vec<u32> = self.name_of.iter().flatten().copied().collect();
        given.sort_unstable();
        given.dedup();
        let named = given.len() == self.nodes.len() && given.iter().all(|&name| !self.names[name as usize].is_empty());
        let mut edges = EdgeSet::of(&self.options);
        let name = |(node, name): (usize, &Option<u32>)| match name.filter(|_| named) {
            Some(name) => &self.names[name as usize],
            None => &self.nodes[node],
        };
        let indices: Vec<u32> = self.name_of.iter().enumerate().map(|node| edges.names.index(name(node))).collect();
        for &(source, target, weight) in &self.edges {
            edges.add_indices(indices[source as usize], indices[target as usize], weight);
        }
        edges.record.directed = self.directed;
        edges.build(file, if self.gexf { "GEXF" } else { "GraphML" })
    }
}

/// The value of the first attribute of this name, if there is one.
fn attribute<'a>(tag: &'a BytesStart, name: &str) -> Result<Option<Cow<'a, str>>, Fault> {
    // Without the check for repeated ones, which would compare all pairs.
    for attribute in tag.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| Fault::Xml(error.to_string()))?;
        if attribute.key.as_ref() == name {
            return Ok(Some(match attribute.value {
                Cow::Borrowed(text) => written_out(text)?,
                Cow::Owned(text) => written_out(&text)?.into_owned().into(),
            }));
        }
    }
    Ok(None)
}

/// Text with its entities and numbers of characters written out.
fn written_out(text: &str) -> Result<Cow<'_, str>, Fault> {
    unescape(text).map_err(|error| match error {
        EscapeError::UnrecognizedEntity(_, entity) => Fault::Entity(entity),
        other => Fault::Xml(other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &str = "<key id='w' for='edge' attr.name='weight'/><key id='l' for='node' attr.name='label'/>";

    fn graph(text: &str) -> Result<Graph, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.graphml");
        std::fs::write(&path, text).unwrap();
        read(&path, &ReadOptions::default())
    }

    /// The message, without the folder.
    fn said(found: Result<Graph, Error>) -> String {
        let text = found.unwrap_err().to_string();
        let (before, after) = text.split_once('`').unwrap();
        format!("{before}`{}", &after[after.find("x.graphml").unwrap()..])
    }

    fn within(inner: &str) -> Result<Graph, Error> {
        graph(&format!("<graphml>{KEYS}<graph edgedefault=\"undirected\">\n{inner}</graph></graphml>"))
    }

    #[track_caller]
    fn refuses(inner: &str, message: &str) {
        assert_eq!(said(within(inner)), message);
    }

    #[test]
    fn weights_and_names_may_be_character_data() {
        let nodes = "<node id='a'><data key='l'><![CDATA[A & <B>]]></data></node>\
                     <node id='b'><data key='l'>B &amp;<!-- no -->&#x2265; &#33;</data></node>";
        let found = within(&format!("{nodes}<edge source='a' target='b'><data key='w'> <![CDATA[2.5]]></data></edge>"));
        let found = found.unwrap();
        assert_eq!(found.names, ["A & <B>", "B &\u{2265} !"]);
        assert_eq!(found.adjacency.col(0).1, [2.5]);
    }

    #[test]
    fn entities_are_decoded_or_refused() {
        let found = within("<edge source=\"a'&quot;\" target='&lt;&#98;\"'/><node id='alone'/>").unwrap();
        assert_eq!(found.names, ["<b\"", "a'\"", "alone"]);
        let known = "but only &amp;, &lt;, &gt;, &quot;, &apos; and numbers of characters are known";
        refuses(
            "<edge source='&eacute;' target='b'/>",
            &format!("line 2 of `x.graphml` has the entity `&eacute;`, {known}"),
        );
        refuses(
            "<node id='a'>\n<data key='l'>&uuml;</data></node>",
            &format!("line 3 of `x.graphml` has the entity `&uuml;`, {known}"),
        );
        assert!(within("<edge source='a & b' target='b'/>").is_err());
        assert!(within("<edge source='&#xd800;' target='b'/>").is_err());
    }

    #[test]
    fn entities_of_the_file_are_not_expanded() {
        let levels: String =
            (1..30).map(|level| format!("<!ENTITY a{level} \"{}\">", format!("&a{};", level - 1).repeat(10))).collect();
        let bomb = format!("<!DOCTYPE graphml [<!ENTITY a0 \"ha\">{levels}]><graphml>&a29;</graphml>");
        let message =
            "line 1 of `x.graphml` declares entities of its own, which are not expanded; write out what they stand for";
        assert_eq!(said(graph(&bomb)), message);
        let plain = "<?xml version='1.0'?><!DOCTYPE graphml SYSTEM 'graphml.dtd'><?what ever?><graphml><graph>\
                     <edge source='a' target='b'/></graph></graphml>";
        assert_eq!(graph(plain).unwrap().edges(), 1);
    }

    #[test]
    fn prefixes_comments_and_what_is_not_a_plain_edge() {
        let found = graph(
            "\u{feff}<!-- <edge source='no' target='no'/> -->\n<g:graphml xmlns:g='http://graphml.graphdrawing.org/xmlns'>\
             <g:graph edgedefault='directed'>\
             <g:node id='a'><g:port name='north'/><g:graph><g:node id='a::b'/><g:edge source='a::b' target='c'/></g:graph></g:node>\
             <g:hyperedge><g:endpoint node='a'/><g:endpoint node='c'/></g:hyperedge>\
             <g:edge source='a' target='c' sourceport='north'/></g:graph></g:graphml>",
        )
        .unwrap();
        assert_eq!(found.names, ["a", "a::b", "c"]);
        assert_eq!((found.edges(), found.record.directed), (2, true));
    }

    #[test]
    fn what_is_cut_short_or_crossed_is_refused() {
        let cut = format!("<graphml>{KEYS}\n<graph>\n<edge source='a' target='b'/>\n");
        assert_eq!(said(graph(&cut)), "line 4 of `x.graphml` ends within <graph>");
        assert!(said(graph(&(cut + "<edge source='a"))).starts_with("line 4 of `x.graphml` is not well-formed XML: "));
        assert!(said(within("<node id='a'></edge>")).starts_with("line 2 of `x.graphml` is not well-formed XML: "));
        refuses("<edge source='a'/>", "line 2 of `x.graphml` has a <edge> without `target`");
        refuses(
            "<edge source='a' target='b'><data key='w'>much</data></edge>",
            "line 2 of `x.graphml` has the weight `much`, which is not a number; `unweighted` leaves weights out",
        );
        assert_eq!(said(graph("<html></html>")), "`x.graphml` is not a graph: it has no <graph> element");
    }

    /// Takes almost no time; quadratic in its length, it would take a minute.
    #[test]
    fn a_million_bytes_of_entities() {
        let name = "&amp;".repeat(200_000);
        let found =
            within(&format!("<node id='b'><data key='l'>{name}</data></node><edge source='{name}' target='b'/>"));
        assert_eq!(found.unwrap().names, ["&".repeat(200_000), "b".into()]);
    }
}
