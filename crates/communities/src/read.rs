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

use crate::graph::{EdgeSet, Graph};
use crate::{Error, edge_list, graphml};
use merit_dataset::read as read_matrix;
use merit_dataset::text::{extension, is_packed};
use std::path::Path;

/// How a file is to be understood.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Whether weights count; else every pair that is joined counts once.
    pub weighted: bool,
    /// Which array of an .npz or variable of a .mat; `None` when there is only one.
    pub variable: Option<String>,
}

/// Nodes without an edge that an adjacency matrix may have beside twice its entries.
const ISOLATED: usize = 1_000_000;

/// Formats that are read as they are only.
const UNPACKED: [&str; 3] = ["npz", "npy", "mat"];

/// Reads the graph in `path`: .mtx, .npz, .npy and .mat are adjacency matrices, .graphml and .xml GraphML, all else an edge
/// list. Edge lists, .mtx and GraphML are compressed where the name ends in .gz.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Graph, Error> {
    let extension = extension(path);
    if let Some(inner) = extension.as_deref().filter(|inner| is_packed(path) && UNPACKED.contains(inner)) {
        let reason = format!(
            "it is a compressed .{inner}, but only edge lists, .mtx and .graphml are read compressed; unpack it first"
        );
        return Err(Error::NotAGraph { file: path.display().to_string(), reason });
    }
    match extension.as_deref() {
        Some("mtx" | "npz" | "npy" | "mat") => matrix(path, options),
        Some("graphml" | "xml") => graphml::read(path, options.weighted),
        _ => edge_list::read(path, options.weighted),
    }
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
        let reason = format!("it has {rows} nodes and {} entries, but at most {most} nodes for so few", matrix.nnz());
        return Err(Error::NotAGraph { file, reason });
    }
    let symmetric = matrix.transposed() == matrix;
    let mut edges = EdgeSet::new(options.weighted);
    (0..rows).for_each(|i| _ = edges.names.index(&i.to_string()));
    let mut weights = false;
    for l in 0..cols {
        let (indices, values) = matrix.col(l);
        for (&m, &value) in indices.iter().zip(values).filter(|(_, value)| **value != 0.0) {
            if value < 0.0 {
                let reason = format!("row {m}, column {l} is {value}, but weights must not be negative");
                return Err(Error::NotAGraph { file, reason });
            }
            weights |= value != 1.0;
            // Of a symmetric matrix half the entries are the other half again.
            if !symmetric || m as usize <= l {
                edges.add_indices(m, l as u32, value);
            }
        }
    }
    edges.record.directed = !symmetric;
    edges.record.weights_ignored = weights && !options.weighted;
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
            // Cut short, it is no graph.
            std::fs::write(&packed, &bytes[..bytes.len() / 2]).unwrap();
            let message = read(&packed, &ReadOptions::default()).unwrap_err().to_string();
            assert!(message.contains(&format!("{name}.gz")), "{message}");
        }
    }
}
