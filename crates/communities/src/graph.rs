//! An undirected graph: a symmetric sparse adjacency matrix without diagonal, the names of its nodes, and what became of
//! its file.
//!
//! ```text
//! A(i,j) = A(j,i) = 1 where i and j are joined (or the sum of the weights), A(i,i) = 0
//! ```
//!
//! Nodes are ordered by name (whole numbers by value, then words), so the order of the edges in a file changes nothing.
//! Built by counting twice, `O(nodes + edges)` time; memory `24` bytes an edge, and as much again while it is built.
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

use crate::Error;
use crate::names::Names;
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
    /// Whether weights count.
    pub weighted: bool,
    /// Whether the file says that edges have a direction, which was dropped.
    pub directed: bool,
    /// Whether the file has weights that were not asked for.
    pub weights_ignored: bool,
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
        self.names.len()
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
        if record.directed {
            notes.push(
                "the file's edges have a direction, which was dropped: i to j and j to i are the same edge".into(),
            );
        }
        if record.self_loops > 0 {
            notes.push(format!("{} left out", counted(record.self_loops, "self-loop was", "self-loops were")));
        }
        if record.merged > 0 {
            let how = if record.weighted { "their weights were added" } else { "each pair counts once" };
            let lines = counted(record.merged, "edge is", "edges are");
            notes.push(format!("{lines} listed more than once (in either direction): {how}"));
        }
        if record.weights_ignored {
            notes.push("the file has weights (or a third column), which were not used; `weighted` takes them".into());
        }
        if record.isolated > 0 {
            notes.push(format!("{} no edge", counted(record.isolated as u64, "node has", "nodes have")));
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

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Edges as they come, until the graph is built.
#[derive(Debug)]
pub struct EdgeSet {
    /// Names of the nodes so far.
    pub names: Names,
    sources: Vec<u32>,
    targets: Vec<u32>,
    /// Empty unless weights count.
    weights: Vec<f64>,
    /// What is known about the file.
    pub record: Record,
}

impl EdgeSet {
    /// No edges yet; `weighted` says whether their weights count.
    pub fn new(weighted: bool) -> Self {
        let record = Record { weighted, ..Default::default() };
        Self { names: Names::default(), sources: Vec::new(), targets: Vec::new(), weights: Vec::new(), record }
    }

    /// One more edge. The weight is positive and finite, and counts only if weights do.
    pub fn add(&mut self, source: &str, target: &str, weight: f64) {
        let (source, target) = (self.names.index(source), self.names.index(target));
        self.add_indices(source, target, weight);
    }

    /// One more edge between nodes whose names were given before.
    pub fn add_indices(&mut self, source: u32, target: u32, weight: f64) {
        self.record.listed += 1;
        if source == target {
            self.record.self_loops += 1;
            return;
        }
        self.sources.push(source);
        self.targets.push(target);
        if self.record.weighted {
            self.weights.push(weight);
        }
    }

    /// Bytes that the edges take now, and once more while they become a graph.
    pub(crate) fn bytes_needed(&self) -> u64 {
        (72 * self.sources.len() + self.names.bytes_needed()) as u64
    }

    /// The graph. Fails without an edge.
    pub fn build(self, file: &str, format: &str) -> Result<Graph, Error> {
        let Self { names, sources, targets, weights, mut record } = self;
        if sources.is_empty() {
            return Err(Error::NoEdges { file: file.into(), self_loops: record.self_loops });
        }
        let (order, names) = names.sorted();
        let place = |nodes: Vec<u32>| nodes.into_iter().map(|node| order[node as usize]).collect::<Vec<u32>>();
        let pairs = Pairs { starts: Vec::new(), others: place(targets), weights };
        let rows = pairs.by_row(place(sources), names.len());
        let (adjacency, merged) = rows.sorted().merged(record.weighted);
        record.format = format.into();
        record.merged = merged;
        let mut graph = Graph { adjacency, names, record };
        let parts = graph.components();
        let mut sizes = vec![0; parts.iter().max().map_or(0, |&last| last as usize + 1)];
        parts.iter().for_each(|&part| sizes[part as usize] += 1);
        graph.record.components = sizes.len();
        graph.record.largest_component = sizes.iter().copied().max().unwrap_or(0);
        graph.record.isolated = (0..graph.nodes()).filter(|&i| graph.adjacency.col(i).0.is_empty()).count();
        Ok(graph)
    }
}

/// Nodes with ids, which edges name, and perhaps with labels, which are their names if every node has one of its own.
pub(crate) struct NamedNodes {
    pub edges: EdgeSet,
    labels: Vec<Option<String>>,
    letters: usize,
}

impl NamedNodes {
    pub fn new(weighted: bool) -> Self {
        Self { edges: EdgeSet::new(weighted), labels: Vec::new(), letters: 0 }
    }

    fn index(&mut self, id: &str) -> u32 {
        let index = self.edges.names.index(id);
        self.labels.resize(self.edges.names.len(), None);
        index
    }

    /// A node; what is said again replaces what was said.
    pub fn node(&mut self, id: &str, label: Option<String>) {
        let index = self.index(id) as usize;
        self.letters += label.as_ref().map_or(0, String::len);
        self.labels[index] = label.or(self.labels[index].take());
    }

    /// An edge, and a weight if it has one; 0 is no edge.
    pub fn edge(&mut self, source: &str, target: &str, weight: Option<f64>) {
        let (source, target) = (self.index(source), self.index(target));
        let weighted = self.edges.record.weighted;
        self.edges.record.weights_ignored |= !weighted && weight.is_some_and(|weight| weight != 1.0);
        if !weighted || weight != Some(0.0) {
            self.edges.add_indices(source, target, weight.unwrap_or(1.0));
        }
    }

    pub fn bytes_needed(&self) -> u64 {
        self.edges.bytes_needed() + (self.letters + 64 * self.labels.len()) as u64
    }

    pub fn build(mut self, file: &str, format: &str) -> Result<Graph, Error> {
        let mut labels = Names::default();
        let given = self.labels.iter().filter_map(|label| label.as_deref()).filter(|label| !label.is_empty());
        given.for_each(|label| _ = labels.index(label));
        if labels.len() == self.labels.len() {
            self.edges.names = labels; // in the same order
        }
        self.edges.build(file, format)
    }
}

/// Both directions of every edge, by rows once `starts` is there.
struct Pairs {
    starts: Vec<usize>,
    others: Vec<u32>,
    weights: Vec<f64>,
}

impl Pairs {
    /// Puts every edge into the row of its source and that of its target.
    fn by_row(self, sources: Vec<u32>, nodes: usize) -> Self {
        let mut starts = vec![0usize; nodes + 1];
        sources.iter().chain(&self.others).for_each(|&i| starts[i as usize + 1] += 1);
        (0..nodes).for_each(|i| starts[i + 1] += starts[i]);
        let mut next = starts.clone();
        let mut others = vec![0; 2 * sources.len()];
        let mut weights = vec![0.0; 2 * self.weights.len()];
        for (e, (&source, &target)) in sources.iter().zip(&self.others).enumerate() {
            for (from, to) in [(source, target), (target, source)] {
                let place = next[from as usize];
                next[from as usize] += 1;
                others[place] = to;
                if let Some(weight) = self.weights.get(e) {
                    weights[place] = *weight;
                }
            }
        }
        Self { starts, others, weights }
    }

    /// The same rows, each sorted: going through the rows in order and writing into the columns sorts them, and the matrix
    /// is its own transpose.
    fn sorted(self) -> Self {
        let mut next = self.starts.clone();
        let (mut others, mut weights) = (vec![0; self.others.len()], vec![0.0; self.weights.len()]);
        for i in 0..self.starts.len() - 1 {
            for p in self.starts[i]..self.starts[i + 1] {
                let place = &mut next[self.others[p] as usize];
                others[*place] = i as u32;
                if let Some(weight) = self.weights.get(p) {
                    weights[*place] = *weight;
                }
                *place += 1;
            }
        }
        Self { starts: self.starts, others, weights }
    }

    /// Repeated neighbours become one; gives how many edges were.
    fn merged(mut self, weighted: bool) -> (SparseMatrix, u64) {
        let (mut kept, mut run) = (0, Vec::new());
        for i in 0..self.starts.len() - 1 {
            let (mut p, end) = (self.starts[i], self.starts[i + 1]);
            self.starts[i] = kept;
            while p < end {
                let other = self.others[p];
                let same = self.others[p..end].iter().take_while(|&&o| o == other).count();
                if weighted {
                    run.clear();
                    run.extend_from_slice(&self.weights[p..p + same]);
                    run.sort_unstable_by(f64::total_cmp); // the order of the lines must not change the sum
                    self.weights[kept] = run.iter().sum();
                }
                self.others[kept] = other;
                kept += 1;
                p += same;
            }
        }
        let merged = (self.others.len() - kept) as u64 / 2;
        if let Some(last) = self.starts.last_mut() {
            *last = kept;
        }
        self.others.truncate(kept);
        let values = if weighted { self.weights.into_iter().take(kept).collect() } else { vec![1.0; kept] };
        let nodes = self.starts.len() - 1;
        let matrix = SparseMatrix::from_compressed(nodes, self.starts, self.others, values);
        (matrix.expect("rows are sorted and indices in range"), merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// The same graph from a map, the slow way.
    #[test]
    fn merging_is_that_of_a_map_in_any_order() {
        let lines: Vec<(u32, u32, f64)> =
            (0..400u32).map(|i| (i * i % 23, i * 7 % 19, 1.0 + f64::from(i % 5) / 3.0)).collect();
        for weighted in [false, true] {
            let build = |lines: &[(u32, u32, f64)]| {
                let mut edges = EdgeSet::new(weighted);
                lines.iter().for_each(|(i, j, w)| edges.add(&i.to_string(), &j.to_string(), *w));
                edges.build("x", "edge list").unwrap()
            };
            let graph = build(&lines);
            let mut map: BTreeMap<(u32, u32), f64> = BTreeMap::new();
            for &(i, j, w) in lines.iter().filter(|(i, j, _)| i != j) {
                let sum = map.entry((i.min(j), i.max(j))).or_insert(0.0);
                *sum = if weighted { *sum + w } else { 1.0 };
            }
            assert_eq!(graph.edges(), map.len());
            let place = |i: u32| graph.names.iter().position(|name| *name == i.to_string()).unwrap();
            for (&(i, j), &w) in &map {
                for (i, j) in [(i, j), (j, i)] {
                    let (others, weights) = graph.adjacency.col(place(i));
                    let p = others.binary_search(&(place(j) as u32)).expect("the edge is there");
                    assert!((weights[p] - w).abs() < 1e-12);
                }
            }
            assert_eq!(graph.record.merged + graph.record.self_loops + map.len() as u64, 400);
            let reversed: Vec<_> = lines.iter().rev().map(|&(i, j, w)| (j, i, w)).collect();
            assert_eq!(build(&reversed).adjacency, graph.adjacency);
        }
    }

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
