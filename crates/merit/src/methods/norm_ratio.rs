//! The trivial baseline: the `K` columns with the largest `||x_l||_2 / ||x_l||_1`.
//!
//! Mixing evens out entries, so pure columns tend to have the larger ratio. It looks at one column at a time and knows
//! nothing of the others: copies of one anchor fill the list, and an anchor with even entries is never found. Where it does
//! well, the data are easy. The score is the ratio (from `1/sqrt(M)` to 1; 0 for a zero column).
//!
//! `O(M N)` time, `O(N)` memory.
//!
//! ```
//! use merit::{DataMatrix, DenseMatrix, methods::norm_ratio};
//! let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![0.5, 0.5, 0.0, 2.0, 3.0, 0.1, 0.0, 0.0]));
//! assert_eq!(norm_ratio::select(&x, 2).anchors, [1, 2]);
//! ```

use crate::selection::Selection;
use merit_linalg::DataMatrix;
use merit_linalg::shards::Shards;

/// The `rank` columns with the largest ratio, largest first.
pub fn select(x: &DataMatrix, rank: usize) -> Selection {
    let mut ratios = vec![0.0; x.cols()];
    Shards::new(x.cols()).update(&mut ratios, |l, _| {
        let sum: f64 = x.stored_col(l).iter().map(|v| v.abs()).sum();
        if sum > 0.0 { x.squared_norm(l).sqrt() / sum } else { 0.0 }
    });
    Selection::largest(&ratios, rank)
}
