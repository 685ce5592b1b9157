//! What a node, a document or a column that is a mixture of `K` parts is most, and how mixed it is.
//!
//! ```text
//! mixedness(theta) = - sum_k theta_k ln theta_k / ln K       0 for a pure one, 1 for equal shares
//! ```
//!
//! `O(K)` time.

/// The largest share and where it is; of equal ones the first. `None` without shares.
///
/// ```
/// assert_eq!(merit::shares::largest([0.2, 0.4, 0.4]), Some((1, 0.4)));
/// ```
pub fn largest(shares: impl IntoIterator<Item = f64>) -> Option<(usize, f64)> {
    shares.into_iter().enumerate().reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// The entropy of shares that sum to 1 over that of equal ones, from 0 (pure) to 1; 0 for fewer than two.
///
/// ```
/// assert_eq!(merit::shares::mixedness([0.0, 1.0, 0.0]), 0.0);
/// assert_eq!(merit::shares::mixedness([0.5, 0.5]), 1.0);
/// ```
pub fn mixedness(shares: impl IntoIterator<Item = f64>) -> f64 {
    let (mut count, mut entropy) = (0_usize, 0.0);
    for share in shares {
        count += 1;
        if share > 0.0 {
            entropy -= share * share.ln();
        }
    }
    if count < 2 { 0.0 } else { (entropy / (count as f64).ln()).clamp(0.0, 1.0) }
}
