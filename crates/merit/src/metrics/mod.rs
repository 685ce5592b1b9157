//! How good is a result? Pure functions of what was found and what is true.
//!
//! | name | formula | best |
//! |---|---|---|
//! | [`anchors_right`], [`success`] | size of found ∩ true; found = true as sets | K, yes |
//! | [`mrsa_radians`] | `1/K min_p sum_k angle(w'_p(k), w'_k)`, `w'` = a column with the mean removed | 0 |
//! | [`scaled_mrsa`], [`paper_mrsa`] | the same, times `100/pi` (from 0 to 100); times 106.3, the paper's unit | 0 |
//! | [`rae`] | `1 - norm_F(X - W H) / norm_F(X)` | 1 |
//! | [`spearman`] | correlation of the ranks | 1 |
//! | [`src`] | `1/K max_p sum_k spearman(found_p(k), true_k)` | 1 |
//! | [`coherence`] | mean over topics of `2 sum_{n<m} log((docs(n, m) + 0.01) / docs(n))` over top words | 0 and above |
//! | [`similarity_count`] | top words that two topics share, summed over pairs of topics | 0 |
//! | [`clustering_accuracy`] | part of the documents whose cluster is matched to their label | 1 |
//!
//! The angles cost `O(M K^2)`, their assignment `O(K^3)`, [`rae`] `O(M K N)` time and `O(M)` memory per thread: `W H` is
//! never held. [`src`] costs `O(K N log N)` and `O(K^2 N)`, [`clustering_accuracy`] ten runs of [`kmeans`](crate::kmeans).
//! Definitions: Gillis and Luce, IEEE Trans. Image Process. 27, 2018 (angles, fit); Mimno et al., EMNLP 2011 (coherence); Cai et al.,
//! IEEE Trans. Knowl. Data Eng. 17, 2005 (clustering). Checked against `scripts/metrics_reference.py`.
//!
//! ```
//! use merit::metrics::{MeanRemoval, mrsa_radians, success};
//! use merit_linalg::DenseMatrix;
//! let truth = DenseMatrix::from_columns(3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
//! let found = truth.select(&[2, 0, 1]); // the order of columns does not count
//! assert_eq!(mrsa_radians(&found, &truth, MeanRemoval::MeanColumn), 0.0);
//! assert!(success(&[7, 3], &[3, 7]));
//! ```

mod angles;
mod clustering;
mod ranks;
mod topics;

pub use angles::{MeanRemoval, PAPER_MRSA, mrsa_radians, paper_mrsa, scaled_mrsa};
pub use clustering::{clustering_accuracy, clustering_accuracy_until};
pub use ranks::{spearman, src};
pub use topics::{coherence, common, similarity_count, top_words};

use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, DenseMatrix};
use std::collections::BTreeSet;

/// Number of true anchors among the found ones, each counted once.
///
/// ```
/// assert_eq!(merit::metrics::anchors_right(&[4, 9, 9, 1], &[9, 4, 2]), 2);
/// ```
pub fn anchors_right(found: &[usize], truth: &[usize]) -> usize {
    set(found).intersection(&set(truth)).count()
}

/// Whether the found anchors are the true ones, in any order. Their mean over trials is the success rate.
pub fn success(found: &[usize], truth: &[usize]) -> bool {
    set(found) == set(truth)
}

fn set(indices: &[usize]) -> BTreeSet<usize> {
    indices.iter().copied().collect()
}

/// A power of two within a factor of two of the largest absolute value; 1 when there is none.
fn power_of_two_below(values: impl Iterator<Item = f64>) -> f64 {
    let largest = values.fold(0.0, |a: f64, b| a.max(b.abs()));
    if largest.is_normal() { f64::from_bits(largest.to_bits() & (0x7ff << 52)) } else { 1.0 }
}

/// Relative approximation error as the paper counts it: `1 - ||X - W H||_F / ||X||_F`, 1 for a perfect fit.
///
/// Column by column, without `W H`. For `X = 0` it is 1 if `W H = 0` too and minus infinity if not.
///
/// ```
/// use merit_linalg::{DataMatrix, DenseMatrix};
/// let w = DenseMatrix::from_columns(2, vec![1.0, 0.0]);
/// let h = DenseMatrix::from_columns(1, vec![3.0]);
/// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![3.0, 4.0]));
/// assert!((merit::metrics::rae(&x, &w, &h) - 0.2).abs() < 1e-15); // 1 - 4/5
/// ```
pub fn rae(x: &DataMatrix, w: &DenseMatrix, h: &DenseMatrix) -> f64 {
    assert_eq!((x.rows(), x.cols(), w.cols()), (w.rows(), h.cols(), h.rows()), "X, W and H do not fit together");
    let scale = 1.0 / power_of_two_below(x.stored_values());
    let sums = Shards::new(x.cols()).map(|columns| {
        let mut residual = vec![0.0; x.rows()];
        let mut sums = (0.0, 0.0);
        for l in columns {
            residual.fill(0.0);
            x.add_to(l, scale, &mut residual);
            sums.1 += residual.iter().map(|v| v * v).sum::<f64>();
            for (k, &weight) in h.col(l).iter().enumerate().filter(|&(_, &weight)| weight != 0.0) {
                let weight = weight * scale;
                residual.iter_mut().zip(w.col(k)).for_each(|(r, v)| *r -= weight * v);
            }
            sums.0 += residual.iter().map(|r| r * r).sum::<f64>();
        }
        sums
    });
    let (left, all) = sums.into_iter().fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d)); // in shard order
    if left == 0.0 { 1.0 } else { 1.0 - (left / all).sqrt() }
}
