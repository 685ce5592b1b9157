//! How near found communities come to true ones, by the measures that people use.
//!
//! ```text
//! AMI    (I - E[I]) / ((H(X) + H(Y)) / 2 - E[I])     of two labelings; 0 for chance, 1 for equal
//! omega  (observed - expected) / (1 - expected)      pairs that share as many communities in both covers, above chance
//! F1     mean over communities of the best F1 with one of the other cover, both ways
//! ```
//!
//! References: Vinh, Epps, Bailey, J. Mach. Learn. Res. 11, 2010; Collins, Dent, Multivariate Behav. Res. 23, 1988; Yang, Leskovec, WSDM 2013.
//! AMI takes `O(nodes + sum of min(sizes))`, omega `O(S^2)` for `S` different sets of communities that nodes have, F1 `O(sizes)`.

use std::collections::HashMap;

/// Adjusted mutual information of two labelings of the same nodes.
///
/// ```
/// use merit_communities::agreement::ami;
/// assert!((ami(&[0, 0, 1, 1, 2, 2], &[1, 1, 0, 0, 2, 2]) - 1.0).abs() < 1e-12);
/// assert!((ami(&[0, 0, 1, 1], &[0, 1, 0, 1]) + 0.5).abs() < 1e-12); // worse than chance
/// ```
pub fn ami(x: &[usize], y: &[usize]) -> f64 {
    assert_eq!(x.len(), y.len(), "both label the same nodes");
    let n = x.len();
    let mut both: HashMap<(usize, usize), usize> = HashMap::new();
    x.iter().zip(y).for_each(|(&a, &b)| *both.entry((a, b)).or_default() += 1);
    let sizes = |labels: &[usize]| {
        let mut sizes: HashMap<usize, usize> = HashMap::new();
        labels.iter().for_each(|&label| *sizes.entry(label).or_default() += 1);
        sizes
    };
    let (of_x, of_y) = (sizes(x), sizes(y));
    if of_x.len() == of_y.len() && (of_x.len() <= 1 || of_x.len() == n) {
        return 1.0;
    }
    let total = n as f64;
    let entropy = |sizes: &HashMap<usize, usize>| -> f64 {
        let mut sizes: Vec<usize> = sizes.values().copied().collect();
        sizes.sort_unstable(); // the order of a hash map must not change the sum
        sizes.iter().map(|&size| size as f64 / total).map(|p| -p * p.ln()).sum()
    };
    let mut pairs: Vec<_> = both.iter().map(|(&(a, b), &count)| (count, of_x[&a], of_y[&b])).collect();
    pairs.sort_unstable();
    let information: f64 = pairs
        .iter()
        .map(|&(count, a, b)| count as f64 / total * (count as f64 * total / (a as f64 * b as f64)).ln())
        .sum();
    let expected = expected_information(&of_x, &of_y, n);
    let mean = (entropy(&of_x) + entropy(&of_y)) / 2.0;
    let (up, down) = (information - expected, mean - expected);
    if down.abs() < f64::EPSILON { up / f64::EPSILON.copysign(down) } else { up / down }
}

/// Of two labelings with these sizes, drawn at random.
fn expected_information(x: &HashMap<usize, usize>, y: &HashMap<usize, usize>, n: usize) -> f64 {
    let mut logs = vec![0.0; n + 1]; // of factorials
    (1..=n).for_each(|i| logs[i] = logs[i - 1] + (i as f64).ln());
    // Equal sizes give equal terms.
    let counted = |sizes: &HashMap<usize, usize>| {
        let mut counts: std::collections::BTreeMap<usize, usize> = Default::default();
        sizes.values().for_each(|&size| *counts.entry(size).or_default() += 1);
        counts
    };
    let (x, y, total) = (counted(x), counted(y), n as f64);
    let mut sum = 0.0;
    for (&a, &times_a) in &x {
        for (&b, &times_b) in &y {
            let fixed = logs[a] + logs[b] + logs[n - a] + logs[n - b] - logs[n];
            let terms = ((a + b).saturating_sub(n).max(1)..=a.min(b)).map(|both| {
                let count = both as f64;
                let weight = fixed - logs[both] - logs[a - both] - logs[b - both] - logs[n + both - a - b];
                count / total * (total * count / (a as f64 * b as f64)).ln() * weight.exp()
            });
            sum += (times_a * times_b) as f64 * terms.sum::<f64>();
        }
    }
    sum
}

/// Sets of communities that nodes have in both covers, beyond which omega is not computed.
const MOST_SETS: usize = 4000;

/// The omega index of two covers of `nodes` nodes; `None` where nodes have too many different sets of communities.
///
/// ```
/// use merit_communities::agreement::omega;
/// let cover = [vec![0, 1, 2], vec![2, 3, 4]];
/// assert_eq!(omega(&cover, &cover, 5), Some(1.0));
/// ```
pub fn omega(x: &[Vec<usize>], y: &[Vec<usize>], nodes: usize) -> Option<f64> {
    let sets = |cover: &[Vec<usize>]| {
        let mut of_node = vec![Vec::new(); nodes];
        cover.iter().enumerate().for_each(|(k, members)| members.iter().for_each(|&i| of_node[i].push(k as u32)));
        of_node
    };
    let mut kinds: HashMap<(Vec<u32>, Vec<u32>), usize> = HashMap::new();
    for kind in sets(x).into_iter().zip(sets(y)) {
        *kinds.entry(kind).or_default() += 1;
        if kinds.len() > MOST_SETS {
            return None;
        }
    }
    let kinds: Vec<_> = kinds.into_iter().collect();
    let shared = |a: &[u32], b: &[u32]| a.iter().filter(|k| b.contains(k)).count();
    let (mut in_x, mut in_y): (HashMap<usize, u64>, HashMap<usize, u64>) = Default::default();
    let (mut agree, mut pairs) = (0u64, 0u64);
    for (at, ((xa, ya), count)) in kinds.iter().enumerate() {
        for ((xb, yb), other) in &kinds[at..] {
            let here = if std::ptr::eq(xa, xb) { count * (count - 1) / 2 } else { count * other } as u64;
            let (a, b) = (shared(xa, xb), shared(ya, yb));
            *in_x.entry(a).or_default() += here;
            *in_y.entry(b).or_default() += here;
            agree += if a == b { here } else { 0 };
            pairs += here;
        }
    }
    let total = pairs.max(1) as f64;
    let mut by_chance: Vec<(usize, f64)> =
        in_x.iter().map(|(j, a)| (*j, *a as f64 * in_y.get(j).copied().unwrap_or(0) as f64)).collect();
    by_chance.sort_unstable_by_key(|term| term.0);
    let expected = by_chance.iter().map(|term| term.1).sum::<f64>() / (total * total);
    let observed = agree as f64 / total;
    Some(if expected >= 1.0 { 1.0 } else { (observed - expected) / (1.0 - expected) })
}

/// The mean F1 of the best pairs, both ways; 0 where a cover is empty.
///
/// ```
/// use merit_communities::agreement::f1;
/// assert_eq!(f1(&[vec![0, 1], vec![2, 3]], &[vec![2, 3], vec![0, 1]], 4), 1.0);
/// assert_eq!(f1(&[vec![0, 1, 2, 3]], &[vec![0, 1], vec![2, 3]], 4), 2.0 / 3.0);
/// ```
pub fn f1(x: &[Vec<usize>], y: &[Vec<usize>], nodes: usize) -> f64 {
    let one_way = |from: &[Vec<usize>], to: &[Vec<usize>]| {
        let mut of_node: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        to.iter().enumerate().for_each(|(j, members)| members.iter().for_each(|&i| of_node[i].push(j)));
        let (mut meet, mut sum, mut count) = (vec![0usize; to.len()], 0.0, 0);
        for members in from.iter().filter(|members| !members.is_empty()) {
            meet.fill(0);
            members.iter().for_each(|&i| of_node[i].iter().for_each(|&j| meet[j] += 1));
            let of = |(j, both): (usize, &usize)| 2.0 * *both as f64 / (members.len() + to[j].len()).max(1) as f64;
            sum += meet.iter().enumerate().map(of).fold(0.0, f64::max);
            count += 1;
        }
        if count == 0 { 0.0 } else { sum / f64::from(count) }
    };
    (one_way(x, y) + one_way(y, x)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of scikit-learn 1.9 (`adjusted_mutual_info_score`).
    #[test]
    fn ami_is_that_of_scikit_learn() {
        let x = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2];
        let y = [0, 0, 1, 1, 1, 2, 2, 2, 2, 0];
        assert!((ami(&x, &y) - AMI_OF_TEN).abs() < 1e-9, "{}", ami(&x, &y));
        assert_eq!(ami(&[0; 5], &[3; 5]), 1.0);
        assert!(ami(&[0; 4], &[0, 1, 0, 1]).abs() < 1e-9);
    }

    const AMI_OF_TEN: f64 = 0.237_288_777_701;

    /// All pairs one by one.
    #[test]
    fn omega_is_that_of_all_pairs() {
        let x = vec![vec![0, 1, 2, 3], vec![3, 4, 5], vec![0, 5, 6]];
        let y = vec![vec![0, 1, 2], vec![2, 3, 4, 5], vec![6, 7], vec![0, 5, 6]];
        let shared = |cover: &[Vec<usize>], i: usize, j: usize| {
            cover.iter().filter(|members| members.contains(&i) && members.contains(&j)).count()
        };
        let (mut agree, mut pairs, mut in_x, mut in_y) = (0.0, 0.0, [0.0; 5], [0.0; 5]);
        for i in 0..8 {
            for j in 0..i {
                let (a, b) = (shared(&x, i, j), shared(&y, i, j));
                agree += f64::from(u8::from(a == b));
                (in_x[a], in_y[b], pairs) = (in_x[a] + 1.0, in_y[b] + 1.0, pairs + 1.0);
            }
        }
        let expected: f64 = in_x.iter().zip(&in_y).map(|(a, b)| a * b).sum::<f64>() / (pairs * pairs);
        let naive = (agree / pairs - expected) / (1.0 - expected);
        assert!((omega(&x, &y, 8).unwrap() - naive).abs() < 1e-12);
    }
}
