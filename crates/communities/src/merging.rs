//! Groups of a [partition](mod@crate::partition), joined one pair at a time: the two that cost the degree-corrected block model ([`moves`](crate::moves)) least.
//!
//! ```text
//! L = sum_kl f(m_kl) - 2 sum_k f(m_k),   f(x) = x log x                m_kl: weight between k and l (within k twice),   m_k = sum_l m_kl
//! cost(k,l) = L before - L after = own(k,l) + sum_o term(k,l,o),   term(k,l,o) = 2 (f(m_ko) + f(m_lo) - f(m_ko + m_lo))
//! ```
//!
//! Costs of all pairs are kept. A join changes two terms of each into one, and none where a group has no edge to the two that are joined. `O(K^3)` for all
//! numbers of groups from `K` down to 1, and 1000 groups of counted edges take a few seconds of one core. All threads share the rows; they change no bit.

use crate::x_log_x::XLogX;
use merit_linalg::SparseMatrix;
use merit_linalg::interrupt::Interrupt;
use rayon::prelude::*;

/// Groups that are joined one pair at a time.
pub struct Merging {
    /// Weight between groups (twice within one); rows of groups that are gone are not looked at.
    between: Vec<f64>,
    /// `f` of each of these weights, which every cost needs.
    logs: Vec<f64>,
    sums: Vec<f64>,
    /// What joining a pair costs the likelihood, by the smaller number.
    costs: Vec<f64>,
    /// The least cost of each group with a later one, and the first of those that have it.
    least: Vec<Option<(f64, usize)>>,
    alive: Vec<usize>,
    count: usize,
    /// The group that each group has become part of.
    into: Vec<usize>,
    f: XLogX,
}

/// The weight from a group to the two that are joined, and to both: each with its `f`.
#[derive(Clone, Copy, Default)]
struct ToPair([(f64, f64); 3]);

impl Merging {
    /// All groups of a partition. Meaningless after an interrupt.
    pub fn new(adjacency: &SparseMatrix, group: &[usize], groups: usize, interrupt: &Interrupt) -> Self {
        let mut between = vec![0.0; groups * groups];
        for (i, &k) in group.iter().enumerate() {
            let (others, weights) = adjacency.col(i);
            others.iter().zip(weights).for_each(|(&j, weight)| between[k * groups + group[j as usize]] += weight);
        }
        let f = XLogX::of_edges(adjacency);
        let mut merging = Self {
            logs: between.iter().map(|&weight| f.at(weight)).collect(),
            sums: between.chunks(groups.max(1)).map(|row| row.iter().sum()).collect(),
            between,
            costs: vec![0.0; groups * groups],
            least: vec![None; groups],
            alive: (0..groups).collect(),
            count: groups,
            into: (0..groups).collect(),
            f,
        };
        merging.each_row(|this, k, row| {
            let near = this.near(k);
            (k + 1..groups).take_while(|_| !interrupt.asked()).for_each(|l| row[l] = this.cost(k, l, &near));
        });
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

    /// Groups with an edge to `k`.
    fn near(&self, k: usize) -> Vec<usize> {
        self.alive.iter().copied().filter(|&o| self.weight(k, o) > 0.0).collect()
    }

    /// What one other group adds to the cost of joining two, whose weights to it, with `f`, are these.
    fn term(&self, (a, log_a): (f64, f64), (b, log_b): (f64, f64)) -> f64 {
        if a > 0.0 && b > 0.0 { 2.0 * (log_a + log_b - self.f.at(a + b)) } else { 0.0 }
    }

    /// The likelihood before joining two groups, less that after it; `near` is one of the two.
    fn cost(&self, k: usize, l: usize, near: &[usize]) -> f64 {
        let to = |k: usize, o: usize| (self.weight(k, o), self.logs[k * self.count + o]);
        let others = near.iter().filter(|&&o| o != k && o != l);
        others.map(|&o| self.term(to(k, o), to(l, o))).sum::<f64>() + self.own_cost(k, l)
    }

    fn own_cost(&self, k: usize, l: usize) -> f64 {
        let (kk, ll, kl) = (self.weight(k, k), self.weight(l, l), self.weight(k, l));
        let (a, b, f) = (self.sums[k], self.sums[l], |x: f64| self.f.at(x));
        f(kk) + f(ll) + 2.0 * f(kl) - f(kk + ll + 2.0 * kl) - 2.0 * (f(a) + f(b) - f(a + b))
    }

    /// Joins the pair that costs least, if there are two groups.
    pub fn join(&mut self) {
        let mut best: Option<(f64, usize, usize)> = None;
        for (k, (cost, l)) in self.alive.iter().filter_map(|&k| Some((k, self.least[k]?))) {
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, k, l));
            }
        }
        let Some((_, keep, gone)) = best else { return };
        let mut to = vec![ToPair::default(); self.count];
        for &o in &self.alive {
            let (a, b) = (self.weight(o, keep), self.weight(o, gone));
            to[o] = ToPair([a, b, a + b].map(|weight| (weight, self.f.at(weight))));
        }
        self.alive.retain(|&o| o != gone);
        self.into.iter_mut().filter(|into| **into == gone).for_each(|into| *into = keep);
        self.sums[keep] += self.sums[gone];
        // What lay between them lies within now, seen from both ends.
        let within =
            (self.weight(keep, keep) + self.weight(gone, keep)) + (self.weight(keep, gone) + self.weight(gone, gone));
        for &o in &self.alive {
            let (weight, log) = if o == keep { (within, self.f.at(within)) } else { to[o].0[2] };
            for place in [keep * self.count + o, o * self.count + keep] {
                (self.between[place], self.logs[place]) = (weight, log);
            }
        }
        let near = self.near(keep);
        self.each_row(|this, k, row| {
            let later = &this.alive[this.alive.partition_point(|&l| l <= k)..];
            let ToPair([first, second, both]) = to[k];
            for &l in later {
                if k == keep || l == keep {
                    row[l] = this.cost(k, l, &near);
                } else if both.0 > 0.0 && to[l].0[2].0 > 0.0 {
                    let ToPair([other_first, other_second, other_both]) = to[l];
                    row[l] -= this.term(first, other_first) + this.term(second, other_second);
                    row[l] += this.term(both, other_both);
                }
            }
        });
    }

    /// Changes the costs of every group that is left, on all threads, and finds the least.
    fn each_row(&mut self, change: impl Fn(&Self, usize, &mut [f64]) + Sync) {
        let (mut costs, mut least) = (std::mem::take(&mut self.costs), std::mem::take(&mut self.least));
        costs.par_chunks_mut(self.count.max(1)).zip(&mut least).enumerate().for_each(|(k, (row, least))| {
            if let Ok(at) = self.alive.binary_search(&k) {
                change(self, k, row);
                *least = None;
                for &l in &self.alive[at + 1..] {
                    if least.is_none_or(|(cost, _)| row[l] < cost) {
                        *least = Some((row[l], l));
                    }
                }
            }
        });
        (self.costs, self.least) = (costs, least);
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

    /// The cheapest pair and its cost are those that trying all pairs from scratch finds.
    #[test]
    fn merging_agrees_with_the_slow_twin() {
        let graph = Mmsb { mean_degree: 9.0, seed: 3, ..Mmsb::new(90, 3) }.generate().unwrap().graph().unwrap();
        let mut group: Vec<usize> = (0..90).map(|i| i % 9).collect();
        let f = |x: f64| x * x.ln();
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
        let mut merging = Merging::new(&graph.adjacency, &group, 9, &Interrupt::never());
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
