//! From `C` to anchors: the rows with the largest `||C(n,:)||_inf`.
//!
//! ```
//! use merit::selection::largest_rows;
//! assert_eq!(largest_rows(&[0.1, 0.9, 0.3, 0.9], 2, |_| true), [1, 3]);
//! ```

use std::cmp::Reverse;

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
