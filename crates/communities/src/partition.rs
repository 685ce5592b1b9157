//! A partition of a graph by modularity: where shares may begin. With fewer groups: [`merging`](crate::merging).
//!
//! ```text
//! modularity   sum_c  w_c / m - gamma (d_c / m)^2           w_c: twice the weight within c,  d_c: its degrees,  m: all degrees
//! ```
//!
//! Every node moves to the neighboring group that gains most, until none does; then groups are nodes, and so on (Blondel et al. 2008). Nodes are visited in a given order, and
//! ties go to the group whose first node comes first, so that names and threads change nothing. `gamma` above 1 makes groups smaller. `O(edges)` per pass.

use merit_linalg::SparseMatrix;
use merit_linalg::interrupt::Interrupt;

/// Passes over all nodes of a level at most.
const PASSES: usize = 30;
/// A gain, in parts of the weight of all edges, that is rounding.
const SETTLED: f64 = 1e-12;

/// A graph of groups: neighbors with weights, and the weight of each group within (twice).
struct Level {
    neighbors: Vec<Vec<(usize, f64)>>,
    within: Vec<f64>,
    degrees: Vec<f64>,
}

impl Level {
    /// The nodes themselves, numbered by their place in `order`.
    fn of(adjacency: &SparseMatrix, order: &[usize]) -> Self {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &i)| place[i] = at);
        let neighbors: Vec<Vec<(usize, f64)>> = order
            .iter()
            .map(|&i| {
                let (others, weights) = adjacency.col(i);
                others.iter().zip(weights).map(|(&j, weight)| (place[j as usize], *weight)).collect()
            })
            .collect();
        let degrees = neighbors.iter().map(|list| list.iter().map(|(_, weight)| weight).sum()).collect();
        Self { within: vec![0.0; neighbors.len()], neighbors, degrees }
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
                for &(j, weight) in &self.neighbors[i] {
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
            Self { neighbors: Vec::with_capacity(groups), within: vec![0.0; groups], degrees: vec![0.0; groups] };
        let mut to = vec![0.0; groups];
        for (k, nodes) in members.iter().enumerate() {
            let mut touched = Vec::new();
            for &i in nodes {
                next.within[k] += self.within[i];
                next.degrees[k] += self.degrees[i];
                for &(j, weight) in &self.neighbors[i] {
                    if to[group[j]] == 0.0 {
                        touched.push(group[j]);
                    }
                    to[group[j]] += weight;
                }
            }
            next.within[k] += to[k];
            touched.sort_unstable();
            next.neighbors.push(touched.iter().filter(|&&l| l != k).map(|&l| (l, to[l])).collect());
            touched.into_iter().for_each(|l| to[l] = 0.0);
        }
        next
    }
}

/// The group of every node, and how many there are. `order` has every node once. Meaningless after an interrupt.
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
}
