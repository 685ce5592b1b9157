//! The true communities, where they are known, and how near the found ones come.
//!
//! Two kinds of file, told apart by their lines: `node community weight` (the weight may be missing), or one community a line, its
//! members separated by tabs, blanks or commas. In the second kind a node's share is equal in all communities that list it.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("truth.txt");
//! use merit_communities::{graph::EdgeSet, truth::Truth};
//! let mut edges = EdgeSet::new(false);
//! edges.add("ann", "bob", 1.0);
//! let graph = edges.build("example", "edge list")?;
//! std::fs::write(&path, "ann red 0.75\nann blue 0.25\nbob blue 1\n")?;
//! let truth = Truth::read(&path, &graph)?;
//! assert_eq!(truth.communities, ["blue", "red"]);
//! assert_eq!(truth.shares.get(0, 1), 0.75);
//! # Ok(())
//! # }
//! ```

use crate::error::{Error, Fault};
use crate::graph::Graph;
use crate::nmi::{cover, overlapping_nmi};
use crate::text::{Records, Row};
use merit::metrics::src;
use merit_dataset::limits::Room;
use merit_linalg::DenseMatrix;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// Bytes of a field until it is a number in a table.
const MEMORY_OF_FIELD: u64 = 128;

/// True shares of the nodes of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// Nodes x communities, in the order of the graph; zero rows where the file says nothing.
    pub shares: DenseMatrix,
    /// Names of the communities.
    pub communities: Vec<String>,
    /// Nodes of the graph that the file does not name.
    pub unnamed: usize,
    /// Nodes that the file names but the graph does not have.
    pub strangers: usize,
}

/// How near found shares come to the truth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// Spearman correlation of memberships over all nodes.
    pub src: f64,
    /// The same over the kept nodes.
    pub src_kept: f64,
    /// Overlapping NMI, a node belonging to communities in which it has at least 1/K.
    pub nmi: f64,
}

impl Truth {
    /// Whether the file can be opened. A pipe is not: it gives its lines only once.
    pub fn check(path: &Path) -> Result<(), Error> {
        if path.is_file() || !path.exists() || path.is_dir() { Records::open(path).map(drop) } else { Ok(()) }
    }

    /// Reads the truth about the nodes of `graph`.
    pub fn read(path: &Path, graph: &Graph) -> Result<Self, Error> {
        let mut records = Records::open(path)?;
        let mut rows: Vec<(u64, Vec<String>)> = Vec::new();
        let (mut fields_read, room) = (0, Room::of(path));
        while let Some(row) = records.next()? {
            if let Row::Record(record) = row {
                fields_read += record.fields().count() as u64 + 1;
                room.check(MEMORY_OF_FIELD * fields_read)?;
                let fields = record.fields().filter(|field| !field.is_empty()).map(str::to_string);
                let fields: Vec<String> = fields.collect();
                // A line of separators says nothing.
                if !fields.is_empty() {
                    rows.push((records.number(), fields));
                }
            }
        }
        let at = records.at();
        if rows.is_empty() {
            return Err(Error::NotAGraph { file: at.file.clone(), reason: "it has no lines with communities".into() });
        }
        let places: HashMap<&str, usize> = graph.names.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
        let mut entries = Entries { places: &places, strangers: BTreeMap::new(), list: Vec::new() };
        if one_node_a_line(&rows, &places) {
            for (line, fields) in &rows {
                let weight = match fields.get(2).map(|text| text.parse::<f64>()) {
                    None => 1.0,
                    // A sum of shares must stay finite too.
                    Some(Ok(weight)) if (0.0..1e200).contains(&weight) => weight,
                    Some(_) => {
                        let fault = Fault::Share(fields[2].clone());
                        return Err(Error::Line { at: at.clone(), line: *line, fault });
                    }
                };
                entries.add(&fields[0], &fields[1], weight);
            }
        } else {
            for (c, (_, members)) in rows.iter().enumerate() {
                let name = format!("{:0width$}", c + 1, width = rows.len().to_string().len());
                members.iter().for_each(|node| entries.add(node, &name, 1.0));
            }
        }
        if entries.list.is_empty() {
            let (first, graph) = (rows[0].1[0].clone(), graph.names[0].clone());
            return Err(Error::OtherNodes { file: at.file.clone(), first, graph });
        }
        // A table of all nodes and communities, and another while it is compared.
        let communities: HashSet<&str> = entries.list.iter().map(|(_, name, _)| name.as_str()).collect();
        room.check((16 * communities.len() as u64).saturating_mul(graph.nodes() as u64))?;
        let equal = rows[0].1.len() != 3 || !one_node_a_line(&rows, &places);
        Ok(entries.truth(graph.nodes(), equal))
    }

    /// Measures found shares (nodes x communities).
    pub fn scores(&self, memberships: &DenseMatrix, kept: &[usize]) -> Scores {
        let rows =
            |matrix: &DenseMatrix| DenseMatrix::from_fn(kept.len(), matrix.cols(), |i, k| matrix.get(kept[i], k));
        let positive = |k: usize| (0..self.shares.rows()).filter(|&i| self.is_member(i, k)).collect();
        let true_cover: Vec<Vec<usize>> = (0..self.shares.cols()).map(positive).collect();
        Scores {
            src: src(memberships, &self.shares),
            src_kept: src(&rows(memberships), &rows(&self.shares)),
            nmi: overlapping_nmi(&cover(memberships), &true_cover, self.shares.rows()),
        }
    }

    /// The same bound for the truth as for what was found.
    fn is_member(&self, i: usize, k: usize) -> bool {
        let total: f64 = (0..self.shares.cols()).map(|k| self.shares.get(i, k)).sum();
        total > 0.0 && self.shares.get(i, k) / total >= (1.0 - 1e-9) / self.shares.cols() as f64
    }
}

struct Entries<'a> {
    places: &'a HashMap<&'a str, usize>,
    strangers: BTreeMap<String, ()>,
    list: Vec<(usize, String, f64)>,
}

impl Entries<'_> {
    fn add(&mut self, node: &str, community: &str, weight: f64) {
        match self.places.get(node) {
            Some(&place) => self.list.push((place, community.to_string(), weight)),
            None => _ = self.strangers.insert(node.to_string(), ()),
        }
    }

    /// The table; with `equal`, rows are scaled to sum 1.
    fn truth(self, nodes: usize, equal: bool) -> Truth {
        let names: BTreeMap<&str, usize> = self.list.iter().map(|(_, name, _)| (name.as_str(), 0)).collect();
        let mut communities: Vec<String> = names.into_keys().map(String::from).collect();
        communities.sort_by_key(|name| (name.parse::<u64>().unwrap_or(u64::MAX), name.clone()));
        let place: HashMap<&str, usize> = communities.iter().enumerate().map(|(k, name)| (name.as_str(), k)).collect();
        let mut shares = DenseMatrix::zeros(nodes, communities.len());
        let mut sums = vec![0.0; nodes];
        for (node, name, weight) in &self.list {
            shares.col_mut(place[name.as_str()])[*node] += weight;
            sums[*node] += weight;
        }
        if equal {
            for k in 0..shares.cols() {
                let scaled = |v: f64, sum: f64| if sum > 0.0 { v / sum } else { 0.0 };
                shares.col_mut(k).iter_mut().zip(&sums).for_each(|(v, sum)| *v = scaled(*v, *sum));
            }
        }
        let unnamed = sums.iter().filter(|sum| **sum == 0.0).count();
        Truth { shares, communities, unnamed, strangers: self.strangers.len() }
    }
}

/// Whether lines are `node community [weight]`: all have as many fields, two or three, and the second and third are not nodes
/// throughout (a list of communities with two or three members each looks the same but for that).
fn one_node_a_line(rows: &[(u64, Vec<String>)], places: &HashMap<&str, usize>) -> bool {
    let width = rows[0].1.len();
    if !(2..=3).contains(&width) || rows.iter().any(|(_, fields)| fields.len() != width) {
        return false;
    }
    let nodes_only = |field: usize| rows.iter().all(|(_, fields)| places.contains_key(fields[field].as_str()));
    match width {
        3 => !(nodes_only(1) && nodes_only(2)),
        _ => {
            let different: HashSet<&str> = rows.iter().map(|(_, fields)| fields[1].as_str()).collect();
            !(nodes_only(1) && 2 * different.len() > rows.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EdgeSet;

    fn truth(text: &str) -> Result<Truth, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("truth.txt");
        std::fs::write(&path, text).unwrap();
        let mut edges = EdgeSet::new(false);
        edges.add("ann", "bob", 1.0);
        Truth::read(&path, &edges.build("example", "edge list").unwrap())
    }

    #[test]
    fn a_line_of_separators_is_no_line() {
        assert!(matches!(truth("# truth\n,\nstranger\n"), Err(Error::OtherNodes { first, .. }) if first == "stranger"));
        assert!(matches!(truth(",\n"), Err(Error::NotAGraph { .. })));
        assert_eq!(truth("ann,x\n,\nbob,y\n").unwrap().communities, ["x", "y"]);
    }

    #[test]
    fn shares_stay_finite() {
        assert!(matches!(truth("ann x 1e308\nann x 1e308\n"), Err(Error::Line { .. })));
    }
}
