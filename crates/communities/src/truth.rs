//! The true communities, where they are known, and how near the found ones come.
//!
//! Two kinds of file, distinguished by their lines ([`Layout`]): `node community weight` (the weight may be missing, and the first line
//! may name the columns), or one community per line, its members separated by tabs, blanks or commas. In the second kind a node's share is
//! equal in all communities that list it. Names of communities may be numbers that are nodes too, as in `0 0 1`.
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

use crate::agreement::{ami, f1, omega};
use crate::detect::Detection;
use crate::error::{Error, Fault};
use crate::graph::Graph;
use crate::nmi::{cover, lfk_nmi, overlapping_nmi};
use crate::text::{Records, Row};
use merit::metrics::src;
use merit::shares::largest;
use merit_dataset::limits::Room;
use merit_linalg::DenseMatrix;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// Bytes of a field until it is a number in a table.
const MEMORY_OF_FIELD: u64 = 128;

/// Names of columns: of nodes, then of communities.
const HEADS: [&[&str]; 2] = [
    &["node", "nodes", "id", "name", "vertex", "member", "user", "label"],
    &["community", "communities", "group", "cluster", "class", "circle", "label", "module", "section", "club"],
];

/// What the lines of a truth are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `node community weight`, or without the weight.
    NodeALine,
    /// The members of a community.
    CommunityALine,
}

/// True shares of the nodes of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// Nodes x communities, in the order of the graph; zero rows where the file says nothing.
    pub shares: DenseMatrix,
    /// Names of the communities.
    pub communities: Vec<String>,
    /// How the lines were understood.
    pub layout: Layout,
    /// Nodes of the graph that the file does not name.
    pub unnamed: usize,
    /// Nodes that the file names but the graph does not have.
    pub strangers: usize,
}

/// How near found shares come to the truth. Measures of sets look at the nodes that the truth names.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Spearman correlation of memberships over all nodes. With another number of communities than the truth has it says little.
    pub src: f64,
    /// The same over the kept nodes.
    pub src_kept: f64,
    /// Overlapping NMI of the sets, normalized by the larger entropy.
    pub nmi: f64,
    /// Overlapping NMI of the sets as Lancichinetti, Fortunato and Kertesz normalize it.
    pub nmi_lfk: f64,
    /// Omega index of the sets; none where it would take too long.
    pub omega: Option<f64>,
    /// Mean F1 of the sets.
    pub f1: f64,
    /// Adjusted mutual information of the dominant communities.
    pub ami: f64,
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
        if rows.first().is_some_and(|(_, fields)| is_head(fields)) {
            rows.remove(0);
        }
        if rows.is_empty() {
            return Err(Error::NotAGraph { file: at.file.clone(), reason: "it has no lines with communities".into() });
        }
        let places: HashMap<&str, usize> = graph.names.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
        let mut entries = Entries { places: &places, strangers: BTreeMap::new(), list: Vec::new() };
        let layout = layout(&rows, &places);
        if layout == Layout::NodeALine {
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
        let equal = rows[0].1.len() != 3 || layout == Layout::CommunityALine;
        Ok(entries.truth(graph.nodes(), equal, layout))
    }

    /// Measures what was found; a node belongs to the communities in which it has `threshold` of its largest share.
    pub fn scores(&self, found: &Detection, threshold: f64) -> Scores {
        let (shares, known, kept) = (&found.memberships, found.known(), &found.kept);
        let rows =
            |matrix: &DenseMatrix| DenseMatrix::from_fn(kept.len(), matrix.cols(), |i, k| matrix.get(kept[i], k));
        let true_share = |i: usize| largest((0..self.shares.cols()).map(|k| self.shares.get(i, k)));
        let named: Vec<bool> =
            (0..shares.rows()).map(|i| true_share(i).is_some_and(|(_, share)| share > 0.0)).collect();
        let (ours, theirs) =
            (cover(shares, threshold, |i| known[i] && named[i]), cover(&self.shares, threshold, |i| named[i]));
        // Numbered by the nodes that count.
        let mut place = vec![0; named.len()];
        let mut count = 0;
        for i in (0..named.len()).filter(|&i| named[i]) {
            (place[i], count) = (count, count + 1);
        }
        let numbered = |cover: Vec<Vec<usize>>| -> Vec<Vec<usize>> {
            cover.iter().map(|members| members.iter().map(|&i| place[i]).collect()).collect()
        };
        let (ours, theirs) = (numbered(ours), numbered(theirs));
        let dominant = found.dominant();
        let labels: (Vec<usize>, Vec<usize>) = (0..named.len())
            .filter(|&i| named[i])
            .map(|i| (dominant[i].unwrap_or(shares.cols()), true_share(i).map_or(0, |(k, _)| k)))
            .unzip();
        Scores {
            src: src(shares, &self.shares),
            src_kept: src(&rows(shares), &rows(&self.shares)),
            nmi: overlapping_nmi(&ours, &theirs, count),
            nmi_lfk: lfk_nmi(&ours, &theirs, count),
            omega: omega(&ours, &theirs, count),
            f1: f1(&ours, &theirs, count),
            ami: ami(&labels.0, &labels.1),
        }
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
    fn truth(self, nodes: usize, equal: bool, layout: Layout) -> Truth {
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
        Truth { shares, communities, layout, unnamed, strangers: self.strangers.len() }
    }
}

/// Whether a line names columns.
fn is_head(fields: &[String]) -> bool {
    let is = |field: usize| fields.get(field).is_some_and(|name| HEADS[field].contains(&name.to_lowercase().as_str()));
    is(0) && is(1)
}

/// `node community [weight]` if all lines have as many fields, two or three, and they cannot be members: some of them are not nodes,
/// or a line has a name twice, or there are half as many communities as nodes at most, or all weights are equal.
/// Communities of two or three members each have none of that: every member is a node, and nearly all are different.
fn layout(rows: &[(u64, Vec<String>)], places: &HashMap<&str, usize>) -> Layout {
    let width = rows[0].1.len();
    if !(2..=3).contains(&width) || rows.iter().any(|(_, fields)| fields.len() != width) {
        return Layout::CommunityALine;
    }
    let nodes_only = |field: usize| rows.iter().all(|(_, fields)| places.contains_key(fields[field].as_str()));
    let different = |field: usize| rows.iter().map(|(_, fields)| &fields[field]).collect::<HashSet<_>>().len();
    let repeated = rows.iter().any(|(_, fields)| fields[0] == fields[1] || fields.get(2) == Some(&fields[1]));
    let is_table = !(1..width).all(nodes_only)
        || repeated
        || 2 * different(1) <= different(0)
        || (width == 3 && rows.len() > 1 && different(2) == 1);
    if is_table { Layout::NodeALine } else { Layout::CommunityALine }
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

    /// Whole numbers are names of nodes, of communities and weights alike.
    #[test]
    fn numbers_everywhere_are_no_trouble() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("truth.txt");
        let mut edges = EdgeSet::new(false);
        (0..12).for_each(|i| edges.add(&i.to_string(), &((i + 1) % 12).to_string(), 1.0));
        let graph = edges.build("example", "edge list").unwrap();
        let layout = |text: String| {
            std::fs::write(&path, text).unwrap();
            let truth = Truth::read(&path, &graph).unwrap();
            (truth.layout, truth.communities.len())
        };
        let lines = |line: &dyn Fn(usize) -> String| (0..12).map(line).collect::<String>();
        assert_eq!(layout(lines(&|i| format!("{i} {} 1\n", i / 6))), (Layout::NodeALine, 2)); // `0 0 1`
        assert_eq!(layout(lines(&|i| format!("{i} {} 1\n", 6 + i / 6))), (Layout::NodeALine, 2));
        assert_eq!(layout(lines(&|i| format!("{i} {}\n", i / 4))), (Layout::NodeALine, 3));
        assert_eq!(
            layout("node,community,weight\n".to_string() + &lines(&|i| format!("{i},{},1\n", i % 3))),
            (Layout::NodeALine, 3)
        );
        assert_eq!(layout("0 1 2\n3 4 5\n6 7 8\n9 10 11\n".into()), (Layout::CommunityALine, 4));
        assert_eq!(layout("0 1\n2 3\n4 5\n6 7\n8 9\n10 11\n".into()), (Layout::CommunityALine, 6));
    }

    #[test]
    fn a_head_is_no_community() {
        for head in ["node,community,weight", "Node\tCluster", "id group"] {
            let separator = head.chars().find(|letter| !letter.is_alphabetic()).unwrap();
            let text = format!("{head}\nann{separator}x\nbob{separator}y\n");
            assert_eq!(truth(&text).unwrap().communities, ["x", "y"], "{head}");
        }
    }

    #[test]
    fn shares_stay_finite() {
        assert!(matches!(truth("ann x 1e308\nann x 1e308\n"), Err(Error::Line { .. })));
    }
}
