//! What was found in a graph.

use crate::number_of_communities::Estimate;
use crate::operator::Operator;
use crate::stability::Stability;
use merit::DenseMatrix;
use merit::progress::StopReason;
use merit::search::Search;
use merit::shares::{largest, mixedness};
use merit_linalg::eigen::Eigenpairs;
use serde::{Deserialize, Serialize};

/// What was found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Detection {
    /// The estimate of the number of communities, when it was left out.
    pub estimate: Option<Estimate>,
    /// The operators that were tried, and the one that was taken.
    pub operators: Vec<Tried>,
    /// The eigenpairs of the largest part; vectors are zero elsewhere.
    pub spectrum: Eigenpairs,
    /// Nodes that carry the energy, in order; all that were searched for pure ones.
    pub kept: Vec<usize>,
    /// A pure node for each community, in their order.
    pub pure: Vec<usize>,
    /// What the method ranked by: row norms of `C` for MERIT.
    pub scores: Vec<f64>,
    /// Nodes x communities, rows sum to 1.
    pub memberships: DenseMatrix,
    /// Nodes about which the graph says nothing: their rows are the mean of the others, and mean nothing. In order.
    pub unknown: Vec<usize>,
    /// `B`, K x K: the expected edges between two nodes of mean degree in one community each.
    pub b: DenseMatrix,
    /// How often each community came back without some of the edges, if that was asked for.
    pub stability: Option<Stability>,
    /// The search for pure nodes in the largest part, numbered as the solver saw the kept ones; none for GeoNMF.
    pub search: Option<Search>,
    /// Why it ended, for methods that take steps.
    pub stop: Option<StopReason>,
    /// Remarks.
    pub notes: Vec<String>,
    /// Seconds of each stage.
    pub seconds: Vec<(&'static str, f64)>,
}

/// An operator and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The operator, with its number.
    pub operator: Operator,
    /// How well its communities explain the edges, above one community with the same degrees.
    pub explained: f64,
    /// Whether it was taken.
    pub taken: bool,
}

impl Detection {
    /// Total shares of each community, of nodes about which something is known.
    pub fn sizes(&self) -> Vec<f64> {
        let known = self.known();
        let of =
            |k: usize| self.memberships.col(k).iter().zip(&known).filter(|(_, known)| **known).map(|(v, _)| v).sum();
        (0..self.memberships.cols()).map(of).collect()
    }

    /// The shares of a node.
    pub fn shares_of(&self, node: usize) -> impl Iterator<Item = f64> {
        (0..self.memberships.cols()).map(move |k| self.memberships.get(node, k))
    }

    /// Whether the graph says something about each node.
    pub fn known(&self) -> Vec<bool> {
        let mut known = vec![true; self.memberships.rows()];
        self.unknown.iter().for_each(|&i| known[i] = false);
        known
    }

    /// The community of the largest share of each node (of equal ones the first); none where nothing is known.
    pub fn dominant(&self) -> Vec<Option<usize>> {
        dominant(&self.memberships, &self.known())
    }

    /// How mixed each node is: the entropy of its shares over that of equal ones, from 0 (pure) to 1.
    pub fn mixedness(&self) -> Vec<f64> {
        (0..self.memberships.rows()).map(|node| mixedness(self.shares_of(node))).collect()
    }
}

/// The community of the largest share of each node that is known.
pub(crate) fn dominant(shares: &DenseMatrix, known: &[bool]) -> Vec<Option<usize>> {
    let of = |i: usize| largest((0..shares.cols()).map(|k| shares.get(i, k))).map(|(k, _)| k);
    (0..shares.rows()).map(|i| if known[i] { of(i) } else { None }).collect()
}

/// Puts the communities in the order of their sizes.
pub(crate) fn by_size(found: &mut Detection) {
    let sizes = found.sizes();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(a.cmp(&b)));
    found.memberships = found.memberships.select(&order);
    found.pure = order.iter().map(|&k| found.pure[k]).collect();
    if !found.scores.is_empty() {
        found.scores = order.iter().map(|&k| found.scores[k]).collect();
    }
    found.b = DenseMatrix::from_fn(order.len(), order.len(), |a, b| found.b.get(order[a], order[b]));
}
