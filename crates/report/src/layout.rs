//! A graph in the plane: linked nodes draw near, all nodes push each other away.
//!
//! ```text
//! force on i = sum_{j != i} (d_i + 1)(d_j + 1) (p_i - p_j) / |p_i - p_j|^2      all others push
//!            - sum_{j ~ i} w_ij (p_i - p_j)                                      neighbors pull
//!            - g (d_i + 1) p_i / |p_i|                                            and everything to the middle
//! ```
//!
//! with the degrees `d`, so that hubs get room. The pushes of far groups of nodes are taken together (Barnes and Hut
//! 1986), a node's step is the shorter the more its force swings, and the whole moves as fast as it swings little
//! (M. Jacomy et al., "ForceAtlas2", PLOS ONE 2014). One thread, no random numbers: the same drawing every time.
//! Time `O(steps (n log n + edges))`, memory `O(n)`.
//!
//! ```
//! use merit_report::layout::{Links, layout};
//! // Two triangles and an edge between them.
//! let pairs = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)];
//! let positions = layout(&Links::of_pairs(6, &pairs), &[], 200);
//! let apart = |i: usize, j: usize| (positions[i].0 - positions[j].0).hypot(positions[i].1 - positions[j].1);
//! assert!(apart(0, 1) < apart(0, 4));
//! ```

use std::borrow::Cow;

/// Groups of nodes that look smaller than this (width over distance) push as one.
const OPENING: f64 = 1.0;
/// Pull to the middle.
const GRAVITY: f64 = 1.0;
/// Levels of the tree; nodes that are still together share their leaf.
const DEPTH: usize = 40;

/// The neighbors of every node: those of `i` are `targets[starts[i]..starts[i + 1]]`, each edge listed at both ends.
#[derive(Debug, Clone, Default)]
pub struct Links<'a> {
    /// One more than there are nodes.
    pub starts: Cow<'a, [usize]>,
    /// Neighbors, node after node.
    pub targets: Cow<'a, [u32]>,
    /// Their weights; empty if all are equal.
    pub weights: Cow<'a, [f64]>,
}

impl Links<'_> {
    /// The links of `nodes` nodes, each pair given once.
    pub fn of_pairs(nodes: usize, pairs: &[(u32, u32)]) -> Links<'static> {
        let mut both: Vec<(u32, u32)> = pairs.iter().flat_map(|&(i, j)| [(i, j), (j, i)]).collect();
        both.sort_unstable();
        let starts = (0..=nodes).map(|i| both.partition_point(|pair| (pair.0 as usize) < i)).collect();
        Links { starts, targets: both.into_iter().map(|pair| pair.1).collect(), weights: Cow::default() }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The neighbors of node `i`.
    pub fn of(&self, i: usize) -> &[u32] {
        &self.targets[self.starts[i]..self.starts[i + 1]]
    }

    /// The weight of the `nth` link of node `i`.
    pub fn weight(&self, i: usize, nth: usize) -> f64 {
        self.weights.get(self.starts[i] + nth).copied().unwrap_or(1.0)
    }
}

/// Where the nodes go, around the origin. `begin` says where they start; nodes without a place there start on a spiral.
pub fn layout(links: &Links, begin: &[(f64, f64)], steps: usize) -> Vec<(f64, f64)> {
    let n = links.nodes();
    let mut positions: Vec<(f64, f64)> = (0..n).map(|i| started(begin.get(i).copied(), i, n)).collect();
    let masses: Vec<f64> = (0..n).map(|i| links.of(i).len() as f64 + 1.0).collect();
    let mean_weight = if links.weights.is_empty() {
        1.0
    } else {
        (links.weights.iter().sum::<f64>() / links.weights.len() as f64).max(f64::MIN_POSITIVE)
    };
    let mut before = vec![(0.0, 0.0); n];
    let mut speed: f64 = 1.0;
    for _ in 0..steps {
        let tree = Tree::over(&positions, &masses);
        let forces: Vec<(f64, f64)> =
            (0..n).map(|i| force(i, links, &positions, &masses, mean_weight, &tree)).collect();
        let length = |(x, y): (f64, f64)| x.hypot(y);
        let swing = |i: usize| length((forces[i].0 - before[i].0, forces[i].1 - before[i].1));
        let (mut swings, mut progress) = (0.0, 0.0);
        for i in 0..n {
            swings += masses[i] * swing(i);
            progress += masses[i] * length((forces[i].0 + before[i].0, forces[i].1 + before[i].1)) / 2.0;
        }
        let wanted = progress / f64::max(swings, 1e-12);
        speed = wanted.min(1.5 * speed).max(1e-3);
        for i in 0..n {
            let (x, y) = forces[i];
            // No step is longer than 10, whatever the force.
            let step = (speed / (1.0 + (speed * swing(i)).sqrt())).min(10.0 / length(forces[i]).max(1e-12));
            positions[i] = (positions[i].0 + step * x, positions[i].1 + step * y);
        }
        before = forces;
    }
    lying_flat(positions)
}

/// The drawing turned about its middle, so that it is wider than high.
fn lying_flat(mut positions: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let n = positions.len().max(1) as f64;
    let middle = positions.iter().fold((0.0, 0.0), |m, p| (m.0 + p.0 / n, m.1 + p.1 / n));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in &mut positions {
        (*x, *y) = (*x - middle.0, *y - middle.1);
        (xx, xy, yy) = (xx + *x * *x, xy + *x * *y, yy + *y * *y);
    }
    let (sin, cos) = (0.5 * f64::atan2(2.0 * xy, xx - yy)).sin_cos();
    positions.into_iter().map(|(x, y)| (cos * x + sin * y, cos * y - sin * x)).collect()
}

/// A node's first place, a little off what was asked for, so that no two are at the same.
fn started(place: Option<(f64, f64)>, i: usize, n: usize) -> (f64, f64) {
    let around = |radius: f64| {
        let angle = i as f64 * 2.399_963_229_728_653; // the golden angle: neighbors in number are far apart
        (radius * angle.cos(), radius * angle.sin())
    };
    let spread = (i as f64 + 0.5).sqrt();
    match place.filter(|(x, y)| x.is_finite() && y.is_finite()) {
        Some((x, y)) => {
            let (dx, dy) = around(0.05 * spread);
            (x * (n as f64).sqrt() + dx, y * (n as f64).sqrt() + dy)
        }
        None => around(spread),
    }
}

fn force(
    i: usize,
    links: &Links,
    positions: &[(f64, f64)],
    masses: &[f64],
    mean_weight: f64,
    tree: &Tree,
) -> (f64, f64) {
    let (x, y) = positions[i];
    let (mut fx, mut fy) = tree.push(i, positions, masses, OPENING);
    for (nth, &j) in links.of(i).iter().enumerate() {
        let weight = links.weight(i, nth) / mean_weight;
        let (jx, jy) = positions[j as usize];
        fx -= weight * (x - jx);
        fy -= weight * (y - jy);
    }
    let far = x.hypot(y).max(1e-9);
    (fx - GRAVITY * masses[i] * x / far, fy - GRAVITY * masses[i] * y / far)
}

/// The push of `(mass at q)` on `(mass at p)`.
fn pushed(p: (f64, f64), q: (f64, f64), masses: f64) -> (f64, f64) {
    let (dx, dy) = (p.0 - q.0, p.1 - q.1);
    let scale = masses / (dx * dx + dy * dy).max(1e-4);
    (scale * dx, scale * dy)
}

/// A quadtree; its cells lie one after the other, children after their parent.
struct Tree {
    cells: Vec<Cell>,
    /// Nodes in the order of the leaves.
    order: Vec<u32>,
}

struct Cell {
    mass: f64,
    middle: (f64, f64),
    width: f64,
    /// The nodes within: a range of `order`.
    nodes: (usize, usize),
    /// One past the last cell within this one; the next cell when this one pushes as a whole.
    end: usize,
    leaf: bool,
}

impl Tree {
    fn over(positions: &[(f64, f64)], masses: &[f64]) -> Tree {
        let far = positions.iter().fold(1e-9, |far: f64, (x, y)| far.max(x.abs()).max(y.abs()));
        let mut tree = Tree { cells: Vec::new(), order: (0..positions.len() as u32).collect() };
        if !positions.is_empty() {
            tree.split((0, positions.len()), (-far, -far), 2.0 * far, DEPTH, positions, masses);
        }
        tree
    }

    /// Adds the cell of these nodes, whose lower left corner is `corner`, and the cells within.
    fn split(
        &mut self,
        nodes: (usize, usize),
        corner: (f64, f64),
        width: f64,
        depth: usize,
        positions: &[(f64, f64)],
        masses: &[f64],
    ) {
        let here = self.cells.len();
        let within = &mut self.order[nodes.0..nodes.1];
        let (mut mass, mut middle) = (0.0, (0.0, 0.0));
        for &i in within.iter() {
            let (i, m) = (i as usize, masses[i as usize]);
            mass += m;
            middle = (middle.0 + m * positions[i].0, middle.1 + m * positions[i].1);
        }
        let leaf = within.len() <= 4 || depth == 0;
        self.cells.push(Cell { mass, middle: (middle.0 / mass, middle.1 / mass), width, nodes, end: 0, leaf });
        if !leaf {
            let half = width / 2.0;
            let right = |i: u32| positions[i as usize].0 >= corner.0 + half;
            let upper = |i: u32| positions[i as usize].1 >= corner.1 + half;
            // By quarter, and by number within each: the order of sums depends on the positions alone.
            within.sort_unstable_by_key(|&i| (right(i), upper(i), i));
            let mut first = nodes.0;
            for quarter in [(false, false), (false, true), (true, false), (true, true)] {
                let count = self.order[first..nodes.1].iter().take_while(|&&i| (right(i), upper(i)) == quarter).count();
                if count > 0 {
                    let x = if quarter.0 { corner.0 + half } else { corner.0 };
                    let y = if quarter.1 { corner.1 + half } else { corner.1 };
                    self.split((first, first + count), (x, y), half, depth - 1, positions, masses);
                }
                first += count;
            }
        }
        self.cells[here].end = self.cells.len();
    }

    /// What all other nodes push node `i`; cells wider than `opening` times their distance are looked into.
    fn push(&self, i: usize, positions: &[(f64, f64)], masses: &[f64], opening: f64) -> (f64, f64) {
        let (p, mut sum, mut at) = (positions[i], (0.0, 0.0), 0);
        let mut add = |(x, y): (f64, f64)| sum = (sum.0 + x, sum.1 + y);
        while let Some(cell) = self.cells.get(at) {
            let distance = (p.0 - cell.middle.0).hypot(p.1 - cell.middle.1);
            if cell.width < opening * distance {
                add(pushed(p, cell.middle, masses[i] * cell.mass));
                at = cell.end;
            } else if cell.leaf {
                let others = self.order[cell.nodes.0..cell.nodes.1].iter().map(|&j| j as usize).filter(|&j| j != i);
                others.for_each(|j| add(pushed(p, positions[j], masses[i] * masses[j])));
                at = cell.end;
            } else {
                at += 1;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scattered(n: usize) -> Vec<(f64, f64)> {
        (0..n).map(|i| ((i * 7919 % 1009) as f64 / 50.0 - 10.0, (i * 104_729 % 997) as f64 / 49.0 - 10.0)).collect()
    }

    /// The definition: a sum over all pairs.
    fn naive(i: usize, positions: &[(f64, f64)], masses: &[f64]) -> (f64, f64) {
        let others = (0..positions.len()).filter(|&j| j != i);
        others
            .map(|j| pushed(positions[i], positions[j], masses[i] * masses[j]))
            .fold((0.0, 0.0), |s, f| (s.0 + f.0, s.1 + f.1))
    }

    #[test]
    fn the_tree_pushes_as_all_pairs_do() {
        let positions = scattered(500);
        let masses: Vec<f64> = (0..500).map(|i| 1.0 + (i % 7) as f64).collect();
        let tree = Tree::over(&positions, &masses);
        let (mut apart, mut whole) = (0.0, 0.0);
        for i in 0..500 {
            let (x, y) = naive(i, &positions, &masses);
            let exact = tree.push(i, &positions, &masses, 0.0);
            assert!((exact.0 - x).hypot(exact.1 - y) < 1e-9 * (1.0 + x.hypot(y)), "{i}: {exact:?} {x} {y}");
            let near = tree.push(i, &positions, &masses, OPENING);
            apart += (near.0 - x).hypot(near.1 - y);
            whole += x.hypot(y);
        }
        assert!(apart < 0.05 * whole, "{apart} of {whole}");
    }

    #[test]
    fn nodes_at_one_place_do_no_harm() {
        let positions = layout(&Links::of_pairs(6, &[(0, 1), (2, 3)]), &[(0.0, 0.0); 6], 50);
        assert!(positions.iter().all(|(x, y)| x.is_finite() && y.is_finite()));
        let tree = Tree::over(&[(1.0, 1.0); 9], &[1.0; 9]);
        assert_eq!(tree.push(0, &[(1.0, 1.0); 9], &[1.0; 9], OPENING), (0.0, 0.0));
        assert!(layout(&Links::default(), &[], 10).is_empty());
    }

    #[test]
    fn the_longer_side_lies_flat() {
        let tilted: Vec<(f64, f64)> = (0..50).map(|i| (5.0 + 0.1 * (i % 3) as f64, 2.0 + i as f64)).collect();
        let flat = lying_flat(tilted.clone());
        let spread = |of: fn(&(f64, f64)) -> f64| flat.iter().map(of).map(|v| v * v).sum::<f64>();
        assert!(spread(|p| p.0) > 100.0 * spread(|p| p.1));
        let apart = |p: &[(f64, f64)]| (p[0].0 - p[49].0).hypot(p[0].1 - p[49].1);
        assert!((apart(&flat) - apart(&tilted)).abs() < 1e-9, "turned, not stretched");
    }

    #[test]
    fn weights_pull() {
        let mut chain = Links::of_pairs(3, &[(0, 1), (1, 2)]);
        chain.weights = vec![9.0, 9.0, 1.0, 1.0].into(); // 0-1 is strong, 1-2 is weak
        let positions = layout(&chain, &[], 300);
        let apart = |i: usize, j: usize| (positions[i].0 - positions[j].0).hypot(positions[i].1 - positions[j].1);
        assert!(apart(0, 1) < 0.7 * apart(1, 2), "{} {}", apart(0, 1), apart(1, 2));
    }
}
