//! What a method chose: the anchors, and a score for each.
//!
//! MERIT's way from `C` to anchors is a [`RowRule`]: the rows with the largest `||C(n,:)||_inf`, or others where these repeat a corner. Every other method
//! ([`methods`](crate::methods)) gives a [`Selection`] directly.
//!
//! ```
//! use merit::selection::largest_rows;
//! assert_eq!(largest_rows(&[0.1, 0.9, 0.3, 0.9], 2, |_| true), [1, 3]);
//! ```

pub use crate::row_rule::{Ranking, RowRule};

use std::cmp::Reverse;

/// Anchors in the order in which a method took them, with what it went by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// Different columns of `X`.
    pub anchors: Vec<usize>,
    /// One nonnegative number an anchor; each method says what it means. 0 for anchors that were only filled up with.
    pub scores: Vec<f64>,
}

impl Selection {
    /// The `rank` columns with the largest scores, largest first; of equal ones the smaller index.
    ///
    /// ```
    /// use merit::selection::Selection;
    /// let chosen = Selection::largest(&[0.1, 0.9, 0.3], 2);
    /// assert_eq!((chosen.anchors, chosen.scores), (vec![1, 2], vec![0.9, 0.3]));
    /// ```
    pub fn largest(scores: &[f64], rank: usize) -> Self {
        let anchors = largest_rows(scores, rank, |_| true);
        Self { scores: anchors.iter().map(|&n| scores[n]).collect(), anchors }
    }

    /// One more anchor.
    pub(crate) fn push(&mut self, anchor: usize, score: f64) {
        self.anchors.push(anchor);
        self.scores.push(score);
    }
}

/// The `rank` largest of the eligible norms, largest first; of equal ones the smaller index.
pub fn largest_rows(norms: &[f64], rank: usize, eligible: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..norms.len()).filter(|&n| eligible(n)).collect();
    // Nonnegative numbers are ordered as their bits are.
    let key = |&n: &usize| (Reverse(norms[n].to_bits()), n);
    if rank < rows.len() {
        rows.select_nth_unstable_by_key(rank, key);
        rows.truncate(rank);
    }
    rows.sort_unstable_by_key(key);
    rows
}
