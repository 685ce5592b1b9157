//! How many communities? Two witnesses, and whether they agree.
//!
//! ```text
//! eigengap:   k_e maximises  (theta_k - theta_{k+1}) / largest later spacing,   k = 2, 3, ...
//! row norms:  k_d = the largest drop of the sorted row norms of C, after a run with k_e communities
//! ```
//!
//! Clear if the gap is at least twenty times the later spacings, or at least three times and both agree. The row norms are the weaker
//! witness: in a noisy graph every node outside of the hull of the others has a norm near 1. On block models with K = 2 to 6 and 100 edges
//! a node the gap is right in 20 of 20 draws, with ratios from 90 to 450 (`tests/mmsb.rs`); real networks seldom have such a gap, and
//! then the number is a guess and is called one.
//!
//! ```
//! use merit_communities::number_of_communities::from_eigenvalues;
//! let (communities, ratio) = from_eigenvalues(&[30.0, 20.0, 19.0, 6.0, 5.8, 5.7, 5.5, 5.4]);
//! assert_eq!(communities, 3);
//! assert!((ratio - 65.0).abs() < 1e-9); // a gap of 13, later spacings of 0.2 at most
//! ```

use crate::graph::Graph;
use crate::spectrum::{Operator, eigenvalues};
use merit::rank::largest_drop;
use merit_linalg::interrupt::Interrupt;
use serde::{Deserialize, Serialize};

/// Communities that are considered at most.
pub const MOST: usize = 20;

/// Later spacings by which a gap is clear, whatever the row norms say, and if they agree.
const WIDE: f64 = 20.0;
const NARROW: f64 = 3.0;

/// The estimate, with what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The number to use.
    pub communities: usize,
    /// Whether the gap is wide, or both witnesses agree. Else it is a guess.
    pub clear: bool,
    /// The gap after it, over the largest later spacing.
    pub gap_ratio: f64,
    /// What the row norms of the run say; `None` for methods without them.
    pub from_row_norms: Option<usize>,
    /// The leading eigenvalues.
    pub eigenvalues: Vec<f64>,
}

/// The eigengap's answer; [`judge`](Estimate::judge) hears the other witness after a run. Of no use once somebody
/// asked for the end.
pub fn estimate(graph: &Graph, operator: Operator, interrupt: &Interrupt) -> Estimate {
    let eigenvalues = eigenvalues(graph, operator, (MOST + 5).min(graph.nodes()), interrupt);
    let (communities, gap_ratio) = from_eigenvalues(&eigenvalues);
    Estimate { communities, clear: false, gap_ratio, from_row_norms: None, eigenvalues }
}

/// Number of communities and the relative gap after it, from the leading eigenvalues, largest first.
pub fn from_eigenvalues(values: &[f64]) -> (usize, f64) {
    let spacings: Vec<f64> = values.windows(2).map(|pair| pair[0] - pair[1]).collect();
    let mut best = (values.len().clamp(1, 2), 0.0);
    // Three later spacings at least, to measure against.
    for k in 2..=MOST.min(spacings.len().saturating_sub(3)) {
        let later = spacings[k..].iter().copied().fold(0.0, f64::max);
        let ratio = if later > 0.0 { spacings[k - 1] / later } else { 0.0 };
        if ratio > best.1 {
            best = (k, ratio);
        }
    }
    best
}

impl Estimate {
    /// Hears what the row norms of a run with this number say.
    pub fn judge(&mut self, row_norms: &[f64]) {
        let mut norms = row_norms.to_vec();
        norms.sort_unstable_by(|a, b| b.total_cmp(a));
        norms.truncate(4 * MOST);
        self.from_row_norms = (!norms.is_empty()).then(|| largest_drop(&norms).0);
        let agree = self.from_row_norms.is_none_or(|k| k == self.communities);
        self.clear = self.gap_ratio >= WIDE || (self.gap_ratio >= NARROW && agree);
    }

    /// In words.
    pub fn statement(&self) -> String {
        let gap = format!(
            "the eigenvalues have their largest relative gap after {} ({:.1} times the later spacings)",
            self.communities, self.gap_ratio
        );
        let norms = match self.from_row_norms {
            Some(k) => format!("; the row norms drop most after {k}"),
            None => String::new(),
        };
        let verdict = match self.clear {
            true => "clear",
            false => "NOT clear: a guess; give `communities` if you know better",
        };
        format!("{} communities (estimated, {verdict}): {gap}{norms}", self.communities)
    }
}
