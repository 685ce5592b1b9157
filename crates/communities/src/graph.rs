//! An undirected graph: a symmetric sparse adjacency matrix without diagonal, the names of its nodes, and what became of
//! its file.
//!
//! ```text
//! A(i,j) = A(j,i) = 1 where i and j are joined (or the sum of the weights), A(i,i) = 0
//! ```
//!
//! Nodes are ordered by name (whole numbers by value, then words), so the order of the edges in a file changes nothing.
//! Built by counting twice, `O(nodes + edges)` time; memory `24` bytes per edge, and as much again while it is built.
//!
//! ```
//! use merit_communities::graph::EdgeSet;
//! let mut edges = EdgeSet::new(false);
//! edges.add("bob", "ann", 1.0);
//! edges.add("ann", "bob", 1.0); // the same edge
//! edges.add("ann", "ann", 1.0); // no edge at all
//! edges.add("ann", "cat", 1.0);
//! let graph = edges.build("example", "edge list").unwrap();
//! assert_eq!(graph.names, ["ann", "bob", "cat"]);
//! assert_eq!((graph.edges(), graph.record.merged, graph.record.self_loops), (2, 1, 1));
//! assert_eq!(graph.adjacency.col(0), (&[1, 2][..], &[1.0, 1.0][..]));
//! ```

pub use crate::edge_set::EdgeSet;
use crate::names::Names;
use merit::words::counted;
use merit_linalg::SparseMatrix;
use serde::{Deserialize, Serialize};

/// A graph to look for communities in.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Symmetric, with an empty diagonal and positive entries.
    pub adjacency: SparseMatrix,
    /// Names of the nodes, in the order of the matrix.
    pub names: Vec<String>,
    /// What the file held and what was made of it.
    pub record: Record,
}

/// From the file to the graph, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// How the file was read.
    pub format: String,
    /// Edges as listed, before anything was merged or left out.
    pub listed: u64,
    /// Edges from a node to itself, left out.
    pub self_loops: u64,
    /// Edges that were listed before, in either direction.
    pub merged: u64,
    /// Whether there are weights, and they count.
    pub weighted: bool,
    /// Whether the file says that edges have a direction.
    pub directed: bool,
    /// Whether pairs are joined that link, or are linked, alike; otherwise a direction was dropped.
    pub cocitation: bool,
    /// Whether that was asked for, but edges have no direction.
    pub direction_missing: bool,
    /// Whether the file has weights, or what may be some, that were not used.
    pub weights_ignored: bool,
    /// How it can be seen that a third column holds no weights.
    pub no_weights: Option<String>,
    /// Nodes without an edge.
    pub isolated: usize,
    /// Connected parts, isolated nodes included.
    pub components: usize,
    /// Nodes of the largest part.
    pub largest_component: usize,
}

impl Graph {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.adjacency.cols()
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.adjacency.nnz() / 2
    }

    /// Sum of the weights at every node.
    pub fn degrees(&self) -> Vec<f64> {
        crate::spectrum::degrees(&self.adjacency)
    }

    /// The connected part of every node, numbered by the first node of each.
    pub fn components(&self) -> Vec<u32> {
        let mut part = vec![u32::MAX; self.nodes()];
        let (mut count, mut open) = (0, Vec::new());
        for first in 0..self.nodes() {
            if part[first] != u32::MAX {
                continue;
            }
            part[first] = count;
            open.push(first as u32);
            while let Some(i) = open.pop() {
                for &j in self.adjacency.col(i as usize).0 {
                    if part[j as usize] == u32::MAX {
                        part[j as usize] = count;
                        open.push(j);
                    }
                }
            }
            count += 1;
        }
        part
    }

    /// The same with these nodes too, which have no edges if they are new.
    ///
    /// ```
    /// use merit_communities::graph::EdgeSet;
    /// let mut edges = EdgeSet::new(false);
    /// edges.add("ann", "cat", 1.0);
    /// let graph = edges.build("example", "edge list")?.with_nodes(["bob".to_string(), "cat".to_string()]);
    /// assert_eq!((graph.names.join(" "), graph.record.isolated), ("ann bob cat".to_string(), 1));
    /// assert_eq!(graph.adjacency.col(0).0, [2]);
    /// # Ok::<(), merit_communities::Error>(())
    /// ```
    pub fn with_nodes(self, names: impl IntoIterator<Item = String>) -> Self {
        let mut all = Names::default();
        self.names.iter().for_each(|name| _ = all.index(name));
        names.into_iter().for_each(|name| _ = all.index(&name));
        let old = self.names.len();
        let (order, names) = all.sorted();
        // Those that were there keep their order.
        let mut column_of = vec![usize::MAX; names.len()];
        (0..old).for_each(|i| column_of[order[i] as usize] = i);
        let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for &column in &column_of {
            if column != usize::MAX {
                let (others, weights) = self.adjacency.col(column);
                rows.extend(others.iter().map(|&j| order[j as usize]));
                values.extend_from_slice(weights);
            }
            starts.push(rows.len());
        }
        let new = names.len() - old;
        let adjacency = SparseMatrix::from_compressed(names.len(), starts, rows, values);
        let adjacency = adjacency.expect("rows are sorted and indices in range");
        let record =
            Record { isolated: self.record.isolated + new, components: self.record.components + new, ..self.record };
        Self { adjacency, names, record }
    }

    /// What a reader should know about how the file was understood, a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let (record, mut notes) = (&self.record, Vec::new());
        if record.cocitation {
            notes.push(
                "edges have a direction: nodes that link to the same ones, or are linked from them, are joined \
                 (co-citation)"
                    .into(),
            );
        } else if record.directed {
            notes.push(
                "the file's edges have a direction, which was dropped: i to j and j to i are the same edge; \
                 `directed = cocitation` uses it"
                    .into(),
            );
        }
        if record.direction_missing {
            notes.push("edges have no direction, so `directed = cocitation` changes nothing".into());
        }
        if record.self_loops > 0 {
            notes.push(format!("{} left out", counted(record.self_loops as usize, "self-loop was", "self-loops were")));
        }
        if record.merged > 0 {
            let how = if record.weighted { "their weights were added" } else { "each pair counts once" };
            let lines = counted(record.merged as usize, "edge is", "edges are");
            notes.push(format!("{lines} listed more than once (in either direction): {how}"));
        }
        if let Some(reason) = &record.no_weights {
            notes.push(format!("the third column was not taken for weights: {reason}"));
        } else if record.weights_ignored {
            notes.push("the edges have weights, which were left out: each pair counts once".into());
        } else if record.weighted && !record.cocitation {
            notes.push("the edges have weights, which count; `unweighted` leaves them out".into());
        }
        if record.isolated > 0 {
            notes.push(format!("{} no edge", counted(record.isolated, "node has", "nodes have")));
        }
        if record.components > 1 {
            notes.push(format!(
                "the graph is not connected: {} parts, the largest with {} of {} nodes",
                record.components,
                record.largest_component,
                self.nodes()
            ));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted() {
        let mut edges = EdgeSet::new(false);
        [("a", "b"), ("c", "d"), ("d", "e")].iter().for_each(|(i, j)| edges.add(i, j, 1.0));
        edges.names.index("alone");
        let graph = edges.build("x", "edge list").unwrap();
        let record = &graph.record;
        assert_eq!((record.components, record.largest_component, record.isolated), (3, 3, 1));
        assert!(graph.notes().iter().any(|note| note.contains("not connected: 3 parts")));
    }
}
