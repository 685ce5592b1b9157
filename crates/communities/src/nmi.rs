//! How much two covers (communities that may overlap) say about each other: overlapping normalized mutual information.
//!
//! ```text
//! H(X|Y) = sum_i min_j H*(X_i|Y_j),      NMI = ( (H(X) - H(X|Y)) + (H(Y) - H(Y|X)) ) / 2 / max(H(X), H(Y))
//! ```
//!
//! with `X_i` the indicator of community `i` and `H*(X_i|Y_j) = H(X_i)` unless knowing `Y_j` helps more by agreement than by
//! contradiction. 1 for equal covers, 0 for independent ones. Time `O(sizes + pairs that meet)`. Definition: Lancichinetti, Fortunato, Kertesz, New J.
//! Phys. 11, 2009, with the normalization of McDaid, Greene, Hurley, arXiv 1110.2515; [`lfk_nmi`] has that of the former, `1 - (mean H(X_i|Y) / H(X_i) + mean
//! H(Y_j|X) / H(Y_j)) / 2`.
//!
//! ```
//! use merit_communities::nmi::overlapping_nmi;
//! let cover = vec![vec![0, 1, 2], vec![2, 3, 4]];
//! let swapped = vec![vec![2, 3, 4], vec![0, 1, 2]];
//! assert!((overlapping_nmi(&cover, &swapped, 5) - 1.0).abs() < 1e-12);
//! ```

use merit_linalg::DenseMatrix;

/// The NMI of two covers of `nodes` nodes; communities list different nodes. 0 where a cover says nothing.
pub fn overlapping_nmi(x: &[Vec<usize>], y: &[Vec<usize>], nodes: usize) -> f64 {
    let (hx, hy) = (entropy(x, nodes), entropy(y, nodes));
    let largest = hx.max(hy);
    if largest == 0.0 {
        return 0.0;
    }
    let shared = (hx - conditional(x, y, nodes) + hy - conditional(y, x, nodes)) / 2.0;
    (shared / largest).clamp(0.0, 1.0)
}

/// The same as Lancichinetti, Fortunato and Kertesz divide it: each community by its own entropy. 0 where a cover says nothing.
///
/// ```
/// use merit_communities::nmi::lfk_nmi;
/// let cover = vec![vec![0, 1, 2], vec![2, 3, 4]];
/// assert!((lfk_nmi(&cover, &cover, 5) - 1.0).abs() < 1e-12);
/// ```
pub fn lfk_nmi(x: &[Vec<usize>], y: &[Vec<usize>], nodes: usize) -> f64 {
    let mean = |x: &[Vec<usize>], y: &[Vec<usize>]| {
        let terms: Vec<f64> =
            conditionals(x, y, nodes).filter(|(own, _)| *own > 0.0).map(|(own, given)| given / own).collect();
        if terms.is_empty() { 1.0 } else { terms.iter().sum::<f64>() / terms.len() as f64 }
    };
    (1.0 - (mean(x, y) + mean(y, x)) / 2.0).clamp(0.0, 1.0)
}

/// Communities of a table of shares: a node belongs to those in which it has at least `threshold` of its largest share, so always to its
/// dominant one. Nodes that are not `counted`, or have no shares, belong to none.
pub fn cover(shares: &DenseMatrix, threshold: f64, counted: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let largest = |i: usize| (0..shares.cols()).map(|k| shares.get(i, k)).fold(0.0, f64::max);
    let bounds: Vec<f64> = (0..shares.rows())
        .map(|i| if counted(i) && largest(i) > 0.0 { threshold * (1.0 - 1e-9) * largest(i) } else { f64::INFINITY })
        .collect();
    let is_member = |i: usize, k: usize| shares.get(i, k) >= bounds[i] && shares.get(i, k) > 0.0;
    (0..shares.cols()).map(|k| (0..shares.rows()).filter(|&i| is_member(i, k)).collect()).collect()
}

fn entropy(cover: &[Vec<usize>], nodes: usize) -> f64 {
    let n = nodes as f64;
    cover.iter().map(|c| term(c.len() as f64, n) + term(n - c.len() as f64, n)).sum()
}

/// `-p log p` for `p = count / n`.
fn term(count: f64, n: f64) -> f64 {
    if count <= 0.0 { 0.0 } else { -(count / n) * (count / n).log2() }
}

/// `H(X|Y)`.
fn conditional(x: &[Vec<usize>], y: &[Vec<usize>], nodes: usize) -> f64 {
    conditionals(x, y, nodes).map(|(_, given)| given).sum()
}

/// `H(X_i)` and `H(X_i|Y)` of each community.
fn conditionals<'c>(x: &'c [Vec<usize>], y: &'c [Vec<usize>], nodes: usize) -> impl Iterator<Item = (f64, f64)> + 'c {
    let mut of_node: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    y.iter().enumerate().for_each(|(j, members)| members.iter().for_each(|&i| of_node[i].push(j as u32)));
    let n = nodes as f64;
    let mut meet = vec![0u32; y.len()];
    x.iter().map(move |members| {
        let size = members.len() as f64;
        let own = term(size, n) + term(n - size, n);
        meet.fill(0);
        members.iter().for_each(|&i| of_node[i].iter().for_each(|&j| meet[j as usize] += 1));
        let best = y.iter().zip(&meet).map(|(other, &both)| {
            let (both, b) = (f64::from(both), other.len() as f64);
            let (only_x, only_y) = (size - both, b - both);
            let neither = n - both - only_x - only_y;
            let [d, c, b_, a] = [both, only_x, only_y, neither].map(|count| term(count, n));
            // Only where the two agree more than they contradict does one say something about the other.
            if a + d > b_ + c { a + b_ + c + d - term(b, n) - term(n - b, n) } else { own }
        });
        (own, best.fold(own, f64::min))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: X = {0,1},{2,3}; Y = {0,1},{1,2,3} of 4 nodes.
    #[test]
    fn a_value_by_hand() {
        let h = |p: f64| if p == 0.0 { 0.0 } else { -p * p.log2() };
        let (x, y) = (vec![vec![0, 1], vec![2, 3]], vec![vec![0, 1], vec![1, 2, 3]]);
        let (hx, hy) = (2.0, 1.0 + h(0.75) + h(0.25));
        // {0,1} is known from {0,1}; {2,3} given {0,1} is its complement: no help by agreement; given {1,2,3}: both 2, only y 1, neither 1
        let joint = h(0.5) + h(0.25) + h(0.25);
        let x_given_y = 0.0 + (joint - h(0.75) - h(0.25));
        // {1,2,3} given {2,3}: the same joint, less the entropy 1
        let y_given_x = 0.0 + (joint - 1.0);
        let expected = ((hx - x_given_y) + (hy - y_given_x)) / 2.0 / hx.max(hy);
        assert!((overlapping_nmi(&x, &y, 4) - expected).abs() < 1e-12);
    }

    /// A value from a separate program that follows the definition: the joint distribution of two indicators, pair by pair.
    #[test]
    fn a_value_by_another_program() {
        let members = |inside: &dyn Fn(usize) -> bool| (0..60).filter(|&n| inside(n)).collect::<Vec<usize>>();
        let x: Vec<Vec<usize>> = (0..4).map(|k| members(&|n| (n * n + 3 * k) % 7 < 3)).collect();
        let mut y: Vec<Vec<usize>> = (0..3).map(|k| members(&|n| (5 * n + n / 9 + k) % 5 < 2)).collect();
        y[0] = members(&|n| (n * n % 7 < 3) != (n % 11 == 0));
        let found = overlapping_nmi(&x, &y, 60);
        assert!((found - 0.171_317_444_041_723_55).abs() < 1e-12, "{found}");
    }

    #[test]
    fn covers_that_say_nothing_and_covers_that_contradict() {
        let all = vec![(0..10).collect::<Vec<_>>()];
        let halves = vec![(0..5).collect::<Vec<_>>(), (5..10).collect()];
        let across = vec![vec![0, 2, 4, 6, 8], vec![1, 3, 5, 7, 9]];
        assert_eq!(overlapping_nmi(&all, &all, 10), 0.0);
        assert_eq!(overlapping_nmi(&all, &halves, 10), 0.0);
        assert!(overlapping_nmi(&across, &halves, 10) < 0.05);
        assert!((overlapping_nmi(&halves, &halves, 10) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn shares_become_a_cover() {
        let shares = DenseMatrix::from_columns(4, vec![0.5, 0.9, 0.4, 0.0, 0.5, 0.1, 0.6, 0.0]);
        assert_eq!(cover(&shares, 0.5, |_| true), [vec![0, 1, 2], vec![0, 2]]);
        assert_eq!(cover(&shares, 0.7, |i| i > 0), [vec![1], vec![2]]);
    }
}
