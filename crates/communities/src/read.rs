//! From a path to a graph, by its extension.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("friends.txt");
//! use merit_communities::read::{ReadOptions, read};
//! std::fs::write(&path, "# who knows whom\nann bob\nbob cat\n")?;
//! let graph = read(&path, &ReadOptions::default())?;
//! assert_eq!((graph.nodes(), graph.edges()), (3, 2));
//! # Ok(())
//! # }
//! ```

use crate::edge_set::EdgeSet;
use crate::error::Fault;
use crate::graph::Graph;
use crate::settings::Directed;
use crate::text::{Records, Row};
use crate::{Error, dense_table, edge_list, gml, graphml, json_graph, pajek};
use merit_dataset::limits::Room;
use merit_dataset::read as read_matrix;
use merit_dataset::text::{Lines, extension, is_packed};
use std::path::Path;

/// How a file is to be understood.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Whether weights are left out: every pair that is joined counts once then.
    pub unweighted: bool,
    /// What directed edges stand for.
    pub directed: Directed,
    /// Which array of an .npz or variable of a .mat; `None` when there is only one.
    pub variable: Option<String>,
}

impl ReadOptions {
    /// The weight that a text says; where weights are left out, it may be anything.
    pub(crate) fn weight(&self, text: &str) -> Result<f64, Fault> {
        edge_list::weight(text).or_else(|fault| if self.unweighted { Ok(1.0) } else { Err(fault) })
    }
}

/// Nodes without an edge that an adjacency matrix may have beside twice its entries.
const ISOLATED: usize = 1_000_000;

/// Formats that are read as they are only.
const UNPACKED: [&str; 3] = ["npz", "npy", "mat"];

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Matrix,
    Xml,
    Json,
    Gml,
    Pajek,
    EdgeList,
}

/// By the extension; where that says nothing, by how the file begins.
fn format(path: &Path) -> Result<Format, Error> {
    Ok(match extension(path).as_deref() {
        Some("mtx" | "npz" | "npy" | "mat") => Format::Matrix,
        Some("graphml" | "xml" | "gexf") => Format::Xml,
        Some("json") => Format::Json,
        Some("gml") => Format::Gml,
        Some("net" | "paj") => Format::Pajek,
        // A pipe gives its lines only once.
        _ if !path.is_file() => Format::EdgeList,
        _ => {
            let mut lines = Lines::open(path)?;
            let mut first = String::new();
            while first.is_empty() && lines.number() < 100 {
                match lines.next() {
                    Ok(Some(line)) if !line.trim_start().starts_with(['#', '%']) => {
                        first = line.trim().to_ascii_lowercase()
                    }
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => break, // the reader says what is wrong
                }
            }
            match first.as_str() {
                text if text.starts_with(['{', '[']) => Format::Json,
                text if text.starts_with("<?xml") || text.starts_with("<graphml") || text.starts_with("<gexf") => {
                    Format::Xml
                }
                text if text.starts_with("graph [") || text == "graph" || text.starts_with("creator \"") => Format::Gml,
                text if text.starts_with("*vertices") => Format::Pajek,
                _ => Format::EdgeList,
            }
        }
    })
}

/// Reads the graph in `path`: .mtx, .npz, .npy and .mat are adjacency matrices, .graphml, .gexf and .xml GraphML or GEXF, .gml GML, .net Pajek, .json
/// node-link JSON, all else an edge list, unless it begins as one of these do, or is a table with as many lines as fields: a dense adjacency matrix.
/// Text is compressed where the name ends in .gz.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Graph, Error> {
    if let Some(inner) = extension(path).filter(|inner| is_packed(path) && UNPACKED.contains(&inner.as_str())) {
        let reason = format!(
            "it is a compressed .{inner}, but only edge lists, .mtx and .graphml are read compressed; unpack it first"
        );
        return Err(Error::NotAGraph { file: path.display().to_string(), reason });
    }
    match format(path)? {
        Format::Matrix => matrix(path, options),
        Format::Xml => graphml::read(path, options),
        Format::Json => json_graph::read(path, options),
        Format::Gml => gml::read(path, options),
        Format::Pajek => pajek::read(path, options),
        Format::EdgeList => match dense_table::read(path, options)? {
            Some(graph) => Ok(graph),
            None => edge_list::read(path, options),
        },
    }
}

/// The names in a list of nodes: the first field of every line.
pub fn node_names(path: &Path) -> Result<Vec<String>, Error> {
    let (mut records, room) = (Records::open(path)?, Room::of(path));
    let (mut names, mut bytes) = (Vec::new(), 0);
    while let Some(row) = records.next()? {
        if let Row::Record(record) = row {
            let name = record.fields().next().filter(|name| !name.is_empty());
            bytes += 4 * name.map_or(0, str::len) as u64 + 128;
            room.check(bytes)?;
            names.extend(name.map(String::from));
        }
    }
    Ok(names)
}

fn matrix(path: &Path, options: &ReadOptions) -> Result<Graph, Error> {
    let file = path.display().to_string();
    let settings = merit_dataset::ReadOptions { variable: options.variable.clone(), ..Default::default() };
    let dataset = read_matrix(path, &settings)?;
    let (rows, cols) = (dataset.matrix.rows(), dataset.matrix.cols());
    if rows != cols {
        let reason = format!("its matrix is {rows} x {cols}, but an adjacency matrix is square");
        return Err(Error::NotAGraph { file, reason });
    }
    let matrix = dataset.matrix.into_sparse();
    let most = 2 * matrix.nnz() + ISOLATED;
    if rows > most {
        let reason = format!(
            "it has {rows} nodes and {} entries, but with so few entries at most {most} nodes are read",
            matrix.nnz()
        );
        return Err(Error::NotAGraph { file, reason });
    }
    let symmetric = matrix.transposed() == matrix;
    let mut edges = EdgeSet::of(options);
    (0..rows).for_each(|i| _ = edges.names.index(&i.to_string()));
    for l in 0..cols {
        let (indices, values) = matrix.col(l);
        for (&m, &value) in indices.iter().zip(values).filter(|(_, value)| **value != 0.0) {
            if value < 0.0 {
                let reason = format!("row {m}, column {l} is {value}, but weights must not be negative");
                return Err(Error::NotAGraph { file, reason });
            }
            // Of a symmetric matrix half the entries are the other half again.
            if !symmetric || m as usize <= l {
                edges.add_indices(m, l as u32, value);
            }
        }
    }
    edges.record.directed = !symmetric;
    edges.build(&file, &dataset.description)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    #[test]
    fn compressed_files_are_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let list = "# who knows whom\nann bob\nbob cat\ncat ann\ncat dan\n";
        let edge = |i: usize, j: usize| format!("<edge source=\"n{i}\" target=\"n{j}\"/>");
        let edges: String = [(0, 1), (1, 2), (2, 0), (2, 3)].map(|(i, j)| edge(i, j)).concat();
        let marked = format!("<graphml><graph edgedefault=\"undirected\">{edges}</graph></graphml>");
        // Long enough for deflate to make it much smaller than it is.
        let entries: String = (2..=400).map(|i| format!("{i} {}\n", i - 1)).collect();
        let matrix = format!("%%MatrixMarket matrix coordinate pattern symmetric\n400 400 399\n{entries}");
        for (name, text) in [("a.txt", list), ("b.graphml", &marked), ("c.mtx", &matrix)] {
            let (plain, packed) = (folder.path().join(name), folder.path().join(format!("{name}.gz")));
            std::fs::write(&plain, text).unwrap();
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(text.as_bytes()).unwrap();
            let bytes = encoder.finish().unwrap();
            std::fs::write(&packed, &bytes).unwrap();
            let (first, second) =
                (read(&plain, &ReadOptions::default()).unwrap(), read(&packed, &ReadOptions::default()).unwrap());
            assert_eq!((&first.names, &first.adjacency), (&second.names, &second.adjacency), "{name}");
            assert_eq!(first.record, second.record, "{name}");
            // Cut short, it is not a graph.
            std::fs::write(&packed, &bytes[..bytes.len() / 2]).unwrap();
            let message = read(&packed, &ReadOptions::default()).unwrap_err().to_string();
            assert!(message.contains(&format!("{name}.gz")), "{message}");
        }
    }
}
