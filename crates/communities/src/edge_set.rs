//! Edges as they come, in any order and either direction, until they are a graph.

use crate::Error;
use crate::cocitation::cocitation;
use crate::graph::{Graph, Record};
use crate::names::Names;
use crate::read::ReadOptions;
use crate::settings::Directed;
use merit_linalg::SparseMatrix;
use rayon::prelude::*;

/// Edges as they come, until the graph is built.
#[derive(Debug)]
pub struct EdgeSet {
    /// Names of the nodes so far.
    pub names: Names,
    sources: Vec<u32>,
    targets: Vec<u32>,
    /// Whether weights count, where there are any.
    weighted: bool,
    /// Empty until the first weight that is not 1.
    weights: Vec<f64>,
    /// What directed edges stand for.
    pub(crate) directed: Directed,
    /// What is known about the file.
    pub record: Record,
}

/// Weights that are numbers like others: their products and sums stay within the range of floating point.
const WEIGHTS: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

impl EdgeSet {
    /// No edges yet; `weighted` says whether their weights count, where some are not 1.
    pub fn new(weighted: bool) -> Self {
        Self {
            names: Names::default(),
            sources: Vec::new(),
            targets: Vec::new(),
            weighted,
            weights: Vec::new(),
            directed: Directed::default(),
            record: Record::default(),
        }
    }

    /// No edges yet, of a file that is read with these options.
    pub fn of(options: &ReadOptions) -> Self {
        Self { directed: options.directed, ..Self::new(!options.unweighted) }
    }

    /// One more edge. The weight is finite and not negative; 0 is not an edge, where weights count.
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
        self.record.weights_ignored |= !self.weighted && weight != 1.0;
        self.sources.push(source);
        self.targets.push(target);
        if self.weighted && (weight != 1.0 || !self.weights.is_empty()) {
            self.weights.resize(self.sources.len() - 1, 1.0);
            self.weights.push(weight);
        }
    }

    /// What was taken for weights is something else: every edge counts once. `reason` says how that can be seen.
    pub(crate) fn forget_weights(&mut self, reason: String) {
        self.weights = Vec::new();
        self.weighted = false;
        self.record.weights_ignored = true;
        self.record.no_weights.get_or_insert(reason);
    }

    /// Bytes that the edges take now, and once more while they become a graph.
    pub(crate) fn bytes_needed(&self) -> u64 {
        (72 * self.sources.len() + self.names.bytes_needed()) as u64
    }

    /// The graph. Fails without an edge.
    pub fn build(mut self, file: &str, format: &str) -> Result<Graph, Error> {
        self.leave_out_zeros();
        if let Some(weight) = self.weights.iter().find(|weight| !WEIGHTS.contains(*weight)) {
            let reason = format!("an edge has the weight {weight:e}, but weights from 1e-100 to 1e100 are expected");
            return Err(Error::NotAGraph { file: file.into(), reason });
        }
        let Self { names, sources, targets, weights, directed, mut record, .. } = self;
        if sources.is_empty() {
            return Err(Error::NoEdges { file: file.into(), self_loops: record.self_loops });
        }
        let (order, names) = names.sorted();
        let place = |nodes: Vec<u32>| nodes.into_par_iter().map(|node| order[node as usize]).collect::<Vec<u32>>();
        let (sources, targets) = (place(sources), place(targets));
        record.format = format.into();
        record.weighted = !weights.is_empty();
        record.cocitation = directed == Directed::Cocitation && record.directed;
        record.direction_missing = directed == Directed::Cocitation && !record.directed;
        let adjacency;
        if record.cocitation {
            (adjacency, record.merged) = cocitation(file, names.len(), &sources, &targets, &weights)?;
        } else {
            let pairs = Pairs { starts: Vec::new(), others: targets, weights };
            (adjacency, record.merged) = pairs.by_row(sources, names.len()).sorted().merged(record.weighted);
        }
        let mut graph = Graph { adjacency, names, record };
        let parts = graph.components();
        let mut sizes = vec![0; parts.iter().max().map_or(0, |&last| last as usize + 1)];
        parts.iter().for_each(|&part| sizes[part as usize] += 1);
        graph.record.components = sizes.len();
        graph.record.largest_component = sizes.iter().copied().max().unwrap_or(0);
        graph.record.isolated = (0..graph.nodes()).filter(|&i| graph.adjacency.col(i).0.is_empty()).count();
        Ok(graph)
    }

    /// An edge with the weight 0 is none; its nodes are.
    fn leave_out_zeros(&mut self) {
        if self.weights.contains(&0.0) {
            let weights = std::mem::take(&mut self.weights);
            let kept = |nodes: &[u32]| {
                nodes.iter().zip(&weights).filter(|(_, weight)| **weight != 0.0).map(|(node, _)| *node).collect()
            };
            (self.sources, self.targets) = (kept(&self.sources), kept(&self.targets));
            self.weights = weights.into_iter().filter(|weight| *weight != 0.0).collect();
        }
    }
}

/// Nodes with ids, which edges name, and perhaps with labels, which are their names if every node has one of its own.
pub(crate) struct NamedNodes {
    pub edges: EdgeSet,
    labels: Vec<Option<String>>,
    letters: usize,
}

impl NamedNodes {
    pub fn of(options: &ReadOptions) -> Self {
        Self { edges: EdgeSet::of(options), labels: Vec::new(), letters: 0 }
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

    /// An edge, and a weight if it has one.
    pub fn edge(&mut self, source: &str, target: &str, weight: Option<f64>) {
        let (source, target) = (self.index(source), self.index(target));
        self.edges.add_indices(source, target, weight.unwrap_or(1.0));
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

/// Some rows: where they start, and their entries.
struct Part<'a> {
    rows: std::ops::Range<usize>,
    starts: &'a [usize],
    others: &'a mut [u32],
    weights: &'a mut [f64],
}

impl Pairs {
    /// Puts every edge into the row of its source and that of its target. Each thread goes through all edges and takes the ends that lie in
    /// its own rows.
    fn by_row(self, sources: Vec<u32>, nodes: usize) -> Self {
        let mut starts = vec![0usize; nodes + 1];
        sources.iter().chain(&self.others).for_each(|&i| starts[i as usize + 1] += 1);
        (0..nodes).for_each(|i| starts[i + 1] += starts[i]);
        let (others, weights) = (vec![0; 2 * sources.len()], vec![0.0; 2 * self.weights.len()]);
        let mut placed = Self { starts, others, weights };
        placed.parts().into_par_iter().for_each(|Part { rows, starts, others, weights }| {
            let mut next = starts.to_vec();
            let base = next[0];
            for (e, (&source, &target)) in sources.iter().zip(&self.others).enumerate() {
                for (from, to) in [(source, target), (target, source)] {
                    if rows.contains(&(from as usize)) {
                        let place = &mut next[from as usize - rows.start];
                        others[*place - base] = to;
                        if let Some(&weight) = self.weights.get(e) {
                            weights[*place - base] = weight;
                        }
                        *place += 1;
                    }
                }
            }
        });
        placed
    }

    /// The same rows, each sorted.
    fn sorted(mut self) -> Self {
        self.parts().into_par_iter().for_each(|Part { starts, others, weights, .. }| {
            let mut row = Vec::new();
            for ends in starts.windows(2) {
                let entries = ends[0] - starts[0]..ends[1] - starts[0];
                if weights.is_empty() {
                    others[entries].sort_unstable();
                    continue;
                }
                row.clear();
                row.extend(others[entries.clone()].iter().copied().zip(weights[entries.clone()].iter().copied()));
                row.sort_by_key(|&(other, _)| other);
                for (place, &(other, weight)) in entries.zip(&row) {
                    (others[place], weights[place]) = (other, weight);
                }
            }
        });
        self
    }

    /// Rows for each thread, with about as many entries.
    fn parts(&mut self) -> Vec<Part<'_>> {
        let (nodes, count) = (self.starts.len() - 1, rayon::current_num_threads().clamp(1, 16));
        let (mut others, mut weights) = (&mut self.others[..], &mut self.weights[..]);
        let mut first = 0;
        let mut part = |number: usize| {
            let entries = self.starts[nodes] / count * number;
            let end = if number == count { nodes } else { self.starts.partition_point(|&start| start < entries) };
            let rows = first..end.clamp(first, nodes);
            first = rows.end;
            let length = self.starts[rows.end] - self.starts[rows.start];
            let of_others = others.split_off_mut(..length).expect("rows end where their entries do");
            let of_weights = weights.split_off_mut(..length).unwrap_or_default(); // none, where edges have none
            Part { starts: &self.starts[rows.start..=rows.end], rows, others: of_others, weights: of_weights }
        };
        (1..=count).map(&mut part).collect()
    }

    /// Repeated neighbors become one; gives how many edges were.
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
    fn weights_that_are_none_are_forgotten() {
        let mut edges = EdgeSet::new(true);
        [("a", "b", 2.0), ("b", "c", 0.0), ("c", "d", 1.0)].iter().for_each(|(i, j, w)| edges.add(i, j, *w));
        edges.forget_weights("line 4 has none".into());
        edges.add("d", "e", 7.0);
        let graph = edges.build("x", "edge list").unwrap();
        assert_eq!((graph.edges(), graph.record.weighted), (4, false));
        assert!(graph.adjacency.values().iter().all(|weight| *weight == 1.0));
    }

    #[test]
    fn weights_of_zero_are_no_edges_and_all_ones_no_weights() {
        let build = |weights: [f64; 3]| {
            let mut edges = EdgeSet::new(true);
            ["ab", "bc", "ab"].iter().zip(weights).for_each(|(pair, w)| edges.add(&pair[..1], &pair[1..], w));
            edges.build("x", "edge list")
        };
        let zero = build([2.0, 0.0, 0.5]).unwrap();
        assert_eq!((zero.edges(), zero.nodes(), zero.record.isolated), (1, 3, 1));
        assert_eq!((zero.adjacency.col(0).1, zero.record.weighted), (&[2.5][..], true));
        let ones = build([1.0; 3]).unwrap();
        assert_eq!((ones.edges(), ones.adjacency.col(0).1, ones.record.weighted), (2, &[1.0][..], false));
        let error = build([1.0, 1e200, 1.0]).unwrap_err().to_string();
        assert!(error.contains("the weight 1e200, but weights from 1e-100 to 1e100 are expected"), "{error}");
    }
}
