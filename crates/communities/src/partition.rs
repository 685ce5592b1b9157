//! A partition of a graph by modularity, and the same with fewer groups: where shares may begin, and how many groups there are.
//!
//! ```text
//! modularity   sum_c  w_c / m - gamma (d_c / m)^2           w_c: twice the weight within c,  d_c: its degrees,  m: all degrees
//! ```
//!
//! Every node moves to the neighboring group that gains most, until none does; then groups are nodes, and so on (Blondel et al. 2008). Nodes are visited in a given order, and
//! ties go to the group whose first node comes first, so that names and threads change nothing. `gamma` above 1 makes groups smaller. `O(edges)` a pass.
//!
//! [`Merging`] then joins, one pair at a time, the two groups that cost the degree-corrected block model ([`moves`](crate::moves)) least, `O(K^3)` for all numbers of groups from `K` down to 1.

use merit_linalg::SparseMatrix;
use merit_linalg::interrupt::Interrupt;
use rayon::prelude::*;

/// Passes over all nodes of a level at most.
const PASSES: usize = 30;
/// A gain, in parts of the weight of all edges, that is rounding.
const SETTLED: f64 = 1e-12;

/// A graph of groups: neighbors with weights, and the weight of each group within (twice).
struct Level {
    neighbours: Vec<Vec<(usize, f64)>>,
    within: Vec<f64>,
    degrees: Vec<f64>,
}

impl Level {
    /// The nodes themselves, numbered by their place in `order`.
    fn of(adjacency: &SparseMatrix, order: &[usize]) -> Self {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &i)| place[i] = at);
        let neighbours: Vec<Vec<(usize, f64)>> = order
            .iter()
            .map(|&i| {
                let (others, weights) = adjacency.col(i);
                others.iter().zip(weights).map(|(&j, weight)| (place[j as usize], *weight)).collect()
            })
            .collect();
        let degrees = neighbours.iter().map(|list| list.iter().map(|(_, weight)| weight).sum()).collect();
        Self { within: vec![0.0; neighbours.len()], neighbours, degrees }
    }

    /// The group of every node after local moves, numbered by first nodes; and whether any moved.
    fn moved(&self, resolution: f64, interrupt: &Interrupt) -> (Vec<usize>, usize) {
        let count = self.degrees.len();
        let total: f64 = self.degrees.iter().sum();
        let mut group: Vec<usize> = (0..count).collect();
        let mut sums = self.degrees.clone();
        let (mut to, mut touched) = (vec![0.0; count], Vec::new());
        for _ in 0..PASSES {
            let mut moves = 0;
            for i in 0..count {
                if interrupt.asked() {
                    break;
                }
                let here = group[i];
                for &(j, weight) in &self.neighbours[i] {
                    let other = group[j];
                    if to[other] == 0.0 {
                        touched.push(other);
                    }
                    to[other] += weight;
                }
                sums[here] -= self.degrees[i];
                let price = resolution * self.degrees[i] / total;
                let gain = |k: usize, to: &[f64]| to[k] - price * sums[k];
                let mut best = (here, gain(here, &to) + SETTLED * total);
                touched.sort_unstable();
                for &k in &touched {
                    let gain = gain(k, &to);
                    if gain > best.1 {
                        best = (k, gain);
                    }
                }
                touched.drain(..).for_each(|k| to[k] = 0.0);
                sums[best.0] += self.degrees[i];
                moves += usize::from(best.0 != here);
                group[i] = best.0;
            }
            if moves == 0 {
                break;
            }
        }
        let mut number = vec![usize::MAX; count];
        let mut groups = 0;
        for k in &mut group {
            if number[*k] == usize::MAX {
                number[*k] = groups;
                groups += 1;
            }
            *k = number[*k];
        }
        (group, groups)
    }

    /// The groups as nodes.
    fn of_groups(&self, group: &[usize], groups: usize) -> Self {
        let mut members = vec![Vec::new(); groups];
        group.iter().enumerate().for_each(|(i, &k)| members[k].push(i));
        let mut next =
            Self { neighbours: Vec::with_capacity(groups), within: vec![0.0; groups], degrees: vec![0.0; groups] };
        let mut to = vec![0.0; groups];
        for (k, nodes) in members.iter().enumerate() {
            let mut touched = Vec::new();
            for &i in nodes {
                next.within[k] += self.within[i];
                next.degrees[k] += self.degrees[i];
                for &(j, weight) in &self.neighbours[i] {
                    if to[group[j]] == 0.0 {
                        touched.push(group[j]);
                    }
                    to[group[j]] += weight;
                }
            }
            next.within[k] += to[k];
            touched.sort_unstable();
            next.neighbours.push(touched.iter().filter(|&&l| l != k).map(|&l| (l, to[l])).collect());
            touched.into_iter().for_each(|l| to[l] = 0.0);
        }
        next
    }
}

/// The group of every node, and how many there are. `order` has every node once. Of no use once somebody asked for the end.
pub fn partition(
    adjacency: &SparseMatrix,
    order: &[usize],
    resolution: f64,
    interrupt: &Interrupt,
) -> (Vec<usize>, usize) {
    let mut level = Level::of(adjacency, order);
    let mut of_place: Vec<usize> = (0..order.len()).collect();
    let mut groups = order.len();
    loop {
        let (group, found) = level.moved(resolution, interrupt);
        if found == groups || interrupt.asked() {
            break;
        }
        of_place.iter_mut().for_each(|k| *k = group[*k]);
        level = level.of_groups(&group, found);
        groups = found;
    }
    let mut of_node = vec![0; order.len()];
    order.iter().zip(of_place).for_each(|(&i, k)| of_node[i] = k);
    (of_node, groups)
}

/// Groups that are joined one pair at a time.
pub struct Merging {
    /// Weight between groups (twice within one); rows of groups that are gone are not looked at.
    between: Vec<f64>,
    /// `w ln w` of each of these weights, which every cost needs.
    logs: Vec<f64>,
    sums: Vec<f64>,
    /// What joining a pair costs the likelihood.
    costs: Vec<f64>,
    alive: Vec<usize>,
    count: usize,
    /// The group that each group has become part of.
    into: Vec<usize>,
}

fn f(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

impl Merging {
    /// All groups of a partition.
    pub fn new(adjacency: &SparseMatrix, group: &[usize], groups: usize) -> Self {
        let mut between = vec![0.0; groups * groups];
        for (i, &k) in group.iter().enumerate() {
            let (others, weights) = adjacency.col(i);
            others.iter().zip(weights).for_each(|(&j, weight)| between[k * groups + group[j as usize]] += weight);
        }
        let sums = between.chunks(groups.max(1)).map(|row| row.iter().sum()).collect();
        let mut merging = Self {
            logs: between.iter().map(|&weight| f(weight)).collect(),
            between,
            sums,
            costs: Vec::new(),
            alive: (0..groups).collect(),
            count: groups,
            into: (0..groups).collect(),
        };
        let mut costs = vec![0.0; groups * groups];
        costs.par_chunks_mut(groups.max(1)).enumerate().for_each(|(k, row)| {
            (k + 1..groups).for_each(|l| row[l] = merging.cost(k, l));
        });
        merging.costs = costs;
        merging
    }

    /// How many groups are left.
    pub fn groups(&self) -> usize {
        self.alive.len()
    }

    /// `m_kl`.
    fn weight(&self, k: usize, l: usize) -> f64 {
        self.between[k * self.count + l]
    }

    /// What one other group adds to the cost of joining `k` and `l`.
    fn term(&self, k: usize, l: usize, other: usize) -> f64 {
        let (a, b) = (self.weight(k, other), self.weight(l, other));
        let logs = |k: usize| self.logs[k * self.count + other];
        if a > 0.0 && b > 0.0 { 2.0 * (logs(k) + logs(l) - f(a + b)) } else { 0.0 }
    }

    /// The likelihood before joining two groups, less that after it.
    fn cost(&self, k: usize, l: usize) -> f64 {
        let others: f64 = self.alive.iter().filter(|&&o| o != k && o != l).map(|&o| self.term(k, l, o)).sum();
        others + self.own_cost(k, l)
    }

    fn own_cost(&self, k: usize, l: usize) -> f64 {
        let (kk, ll, kl) = (self.weight(k, k), self.weight(l, l), self.weight(k, l));
        let (a, b) = (self.sums[k], self.sums[l]);
        f(kk) + f(ll) + 2.0 * f(kl) - f(kk + ll + 2.0 * kl) - 2.0 * (f(a) + f(b) - f(a + b))
    }

    /// Joins the pair that costs least, if there are two groups.
    pub fn join(&mut self) {
        let mut best: Option<(f64, usize, usize)> = None;
        for (at, &k) in self.alive.iter().enumerate() {
            for &l in &self.alive[at + 1..] {
                let cost = self.costs[k * self.count + l];
                if best.is_none_or(|(least, ..)| cost < least) {
                    best = Some((cost, k, l));
                }
            }
        }
        let Some((_, keep, gone)) = best else { return };
        let alive = std::mem::take(&mut self.alive);
        let others: Vec<usize> = alive.iter().copied().filter(|&o| o != keep && o != gone).collect();
        self.change_costs(&others, |this, k, l| -(this.term(k, l, keep) + this.term(k, l, gone)));
        for &o in alive.iter().filter(|&&o| o != gone) {
            self.between[keep * self.count + o] += self.between[gone * self.count + o];
        }
        // What lay between them lies within now, seen from both ends.
        let ends = self.between[keep * self.count + gone] + self.between[gone * self.count + gone];
        self.between[keep * self.count + keep] += ends;
        for &o in &others {
            self.between[o * self.count + keep] = self.between[keep * self.count + o];
            self.logs[o * self.count + keep] = f(self.weight(o, keep));
            self.logs[keep * self.count + o] = f(self.weight(keep, o));
        }
        self.logs[keep * self.count + keep] = f(self.weight(keep, keep));
        self.sums[keep] += self.sums[gone];
        self.into.iter_mut().filter(|into| **into == gone).for_each(|into| *into = keep);
        self.alive = alive.into_iter().filter(|&o| o != gone).collect();
        self.change_costs(&others, |this, k, l| this.term(k, l, keep));
        for &k in &others {
            let (low, high) = (k.min(keep), k.max(keep));
            self.costs[low * self.count + high] = self.cost(low, high);
        }
    }

    /// Adds to the cost of every pair of these groups, on all threads.
    fn change_costs(&mut self, groups: &[usize], change: impl Fn(&Self, usize, usize) -> f64 + Sync) {
        let mut costs = std::mem::take(&mut self.costs);
        costs.par_chunks_mut(self.count.max(1)).enumerate().for_each(|(k, row)| {
            if let Ok(at) = groups.binary_search(&k) {
                groups[at + 1..].iter().for_each(|&l| row[l] += change(self, k, l));
            }
        });
        self.costs = costs;
    }

    /// The groups that are left, numbered from 0, for each of those at the beginning.
    pub fn numbered(&self) -> Vec<usize> {
        self.into.iter().map(|into| self.alive.binary_search(into).expect("what is joined is alive")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mmsb::Mmsb;
    use crate::quality::quality;

    fn some(group: &[usize]) -> Vec<Option<usize>> {
        group.iter().copied().map(Some).collect()
    }

    #[test]
    fn no_single_move_raises_the_modularity() {
        let graph = Mmsb { mean_degree: 10.0, concentration: 0.1, seed: 2, ..Mmsb::new(120, 4) }
            .generate()
            .unwrap()
            .graph()
            .unwrap();
        let order: Vec<usize> = (0..120).collect();
        let (group, groups) = partition(&graph.adjacency, &order, 1.0, &Interrupt::never());
        let found = quality(&graph.adjacency, &some(&group), groups).modularity;
        assert!(found > 0.4, "{found}");
        // Groups are nodes in the end, so only joining them is settled; a pair joined gains nothing.
        for k in 0..groups {
            for l in 0..k {
                let joined: Vec<usize> = group.iter().map(|&g| if g == k { l } else { g }).collect();
                assert!(quality(&graph.adjacency, &some(&joined), groups).modularity <= found + 1e-12, "{k} {l}");
            }
        }
        let (_, more) = partition(&graph.adjacency, &order, 8.0, &Interrupt::never());
        assert!(more > groups, "{more} {groups}");
    }

    /// The cheapest pair and its cost are those that trying all pairs from scratch finds.
    #[test]
    fn merging_agrees_with_the_slow_twin() {
        let graph = Mmsb { mean_degree: 9.0, seed: 3, ..Mmsb::new(90, 3) }.generate().unwrap().graph().unwrap();
        let mut group: Vec<usize> = (0..90).map(|i| i % 9).collect();
        let objective = |group: &[usize]| {
            let mut between = std::collections::BTreeMap::new();
            for (i, &k) in group.iter().enumerate() {
                graph
                    .adjacency
                    .col(i)
                    .0
                    .iter()
                    .for_each(|&j| *between.entry((k, group[j as usize])).or_insert(0.0) += 1.0);
            }
            let mut sums = std::collections::BTreeMap::new();
            between.iter().for_each(|((k, _), weight)| *sums.entry(*k).or_insert(0.0) += weight);
            between.values().map(|m| f(*m)).sum::<f64>() - 2.0 * sums.values().map(|m| f(*m)).sum::<f64>()
        };
        let mut merging = Merging::new(&graph.adjacency, &group, 9);
        let begin = group.clone();
        while merging.groups() > 1 {
            let before = objective(&group);
            let mut labels = group.clone();
            labels.sort_unstable();
            labels.dedup();
            let mut best = (f64::INFINITY, group.clone());
            for (at, &k) in labels.iter().enumerate() {
                for &l in &labels[at + 1..] {
                    let joined: Vec<usize> = group.iter().map(|&g| if g == l { k } else { g }).collect();
                    let cost = before - objective(&joined);
                    if cost < best.0 - 1e-9 {
                        best = (cost, joined);
                    }
                }
            }
            merging.join();
            group = best.1;
            let numbered = merging.numbered();
            let found: Vec<usize> = begin.iter().map(|&k| numbered[k]).collect();
            let same = (0..90).all(|i| (0..90).all(|j| (found[i] == found[j]) == (group[i] == group[j])));
            assert!(same, "{} groups", merging.groups());
        }
    }
}
