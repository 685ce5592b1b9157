//! Graphs with a known truth: the mixed-membership stochastic block model.
//!
//! ```text
//! theta_i ~ Dirichlet(concentration), one node of each community pure
//! pairs i < j are joined with probability 1 - exp(-w_i w_j theta_i' B theta_j),   B = scale (within 1, between `between`)
//! w_i = 1, or a power law: P(w > x) = x^-1.5 up to sqrt(nodes)
//! ```
//!
//! For sparse graphs that is `theta_i' B theta_j` itself; in this form the edges are points of a Poisson process, so they are drawn one by
//! one: `O(nodes K + edges log nodes)`, never a look at all pairs. The scale gives the mean degree asked for.
//!
//! **What can be found.** With `d` the mean degree, `b` the part between communities and `alpha` the concentration, the eigenvalues that carry the
//! communities are those of the mean, `d rho (1 - b) / (1 + (K-1) b)` with `rho = 1 / (1 + K alpha)`, while noise alone has
//! eigenvalues up to about `2 sqrt(d)`. Their ratio to `sqrt(d)` is the [`signal`](Mmsb::signal): up to 1 the eigenvectors know nothing of the
//! communities. Above it, shares are as good as a node's few edges allow. SRC over all nodes, K = 5, a million edges:
//!
//! | nodes | degree | alpha | b | signal | SPOC | everyone else's shares known |
//! |---|---|---|---|---|---|---|
//! | 100,000 | 20 | 1 | 0 | 0.75 | .01 | .55 |
//! | 100,000 | 20 | 0.3 | 0.1 | 1.15 | .33 | .65 |
//! | 100,000 | 20 | 0.2 | 0 | 2.2 | .73 | .80 |
//! | 10,000 | 200 | 0.3 | 0.02 | 5.1 | .91 | .92 |
//!
//! So with 20 edges per node no method reaches .9, not even one that knows all other nodes' shares and `B`.
//! Reference: E. Airoldi, D. Blei, S. Fienberg, E. Xing, J. Mach. Learn. Res. 9, 2008.
//!
//! ```
//! use merit_communities::mmsb::Mmsb;
//! let drawn = Mmsb { mean_degree: 12.0, seed: 1, ..Mmsb::new(500, 3) }.generate()?;
//! assert!((drawn.edges.len() as f64 / 3000.0 - 1.0).abs() < 0.1); // 500 * 12 / 2
//! assert_eq!(drawn.theta.get(drawn.pure[2], 2), 1.0);
//! # Ok::<(), merit_communities::Error>(())
//! ```

use crate::Error;
use crate::graph::{EdgeSet, Graph};
use merit_linalg::DenseMatrix;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, Poisson};
use serde::Serialize;

merit::choices! {
    /// How active nodes are.
    pub enum Degrees {
        /// All alike.
        #[default]
        Equal = "equal",
        /// A few hubs, and many with few edges.
        PowerLaw = "power-law",
    }
}

/// Of the weights, as of the degrees: 1.5 of their tail is 2.5 of their density.
const POWER: f64 = 1.5;

/// Parameters of the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mmsb {
    /// Number of nodes.
    pub nodes: usize,
    /// K.
    pub communities: usize,
    /// Of the Dirichlet distribution: small is purer.
    pub concentration: f64,
    /// Edges per node, on average.
    pub mean_degree: f64,
    /// How much communities connect, as a fraction of how much they connect within.
    pub between: f64,
    /// How active nodes are.
    pub degrees: Degrees,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// A drawn graph and its truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// Pairs `i < j`, sorted.
    pub edges: Vec<(u32, u32)>,
    /// Nodes x communities.
    pub theta: DenseMatrix,
    /// K x K.
    pub b: DenseMatrix,
    /// The node of each community that is pure for certain.
    pub pure: Vec<usize>,
}

impl Drawn {
    /// The graph, with nodes called by their numbers; nodes without an edge are in it too.
    pub fn graph(&self) -> Result<Graph, Error> {
        let mut edges = EdgeSet::new(false);
        (0..self.theta.rows()).for_each(|i| _ = edges.names.index(&i.to_string()));
        self.edges.iter().for_each(|&(i, j)| edges.add_indices(i, j, 1.0));
        edges.build("generated", "generated")
    }
}

impl Mmsb {
    /// Concentration 0.3, mean degree 40, a fiftieth between communities, seed 0: communities that can be found.
    pub fn new(nodes: usize, communities: usize) -> Self {
        Self {
            nodes,
            communities,
            concentration: 0.3,
            mean_degree: 40.0,
            between: 0.02,
            degrees: Degrees::Equal,
            seed: 0,
        }
    }

    /// How far the communities' eigenvalues are above what noise hides: at most 1 is hopeless, from about 5 shares are good.
    ///
    /// ```
    /// use merit_communities::mmsb::Mmsb;
    /// assert!(Mmsb::new(1000, 3).signal() > 3.0);
    /// assert!(Mmsb { mean_degree: 20.0, concentration: 1.0, between: 0.0, ..Mmsb::new(100_000, 5) }.signal() < 1.0);
    /// ```
    pub fn signal(&self) -> f64 {
        let rank = self.communities as f64;
        let rho = 1.0 / (1.0 + rank * self.concentration);
        self.mean_degree.sqrt() * rho * (1.0 - self.between) / (1.0 + (rank - 1.0) * self.between)
    }

    /// Fails if there is no such model.
    pub fn check(&self) -> Result<(), Error> {
        let fail = |name, expected: String, found: f64| Err(Error::OutOfRange { name, expected, found });
        let positive = |v: f64| v.is_finite() && v > 0.0;
        if !(2..=u32::MAX as usize / 2).contains(&self.nodes) {
            return fail("the number of nodes", "from 2 to 2^31".into(), self.nodes as f64);
        }
        if !(1..=self.nodes).contains(&self.communities) {
            let expected = format!("from 1 to the {} nodes", self.nodes);
            return fail("the number of communities", expected, self.communities as f64);
        }
        if !positive(self.concentration) {
            return fail("the concentration", "a finite number above 0".into(), self.concentration);
        }
        if !(positive(self.mean_degree) && self.mean_degree < self.nodes as f64 / 2.0) {
            let expected = format!("above 0 and below half of the {} nodes", self.nodes);
            return fail("the mean degree", expected, self.mean_degree);
        }
        if !(self.between >= 0.0 && self.between <= 1.0) {
            return fail("the part between communities", "from 0 to 1".into(), self.between);
        }
        Ok(())
    }

    /// Draws a graph.
    pub fn generate(&self) -> Result<Drawn, Error> {
        self.check()?;
        let (n, rank) = (self.nodes, self.communities);
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let gamma = Gamma::new(self.concentration, 1.0).expect("the concentration is positive");
        let pure: Vec<usize> = (0..rank).map(|k| k * n / rank).collect();
        let mut shares = DenseMatrix::zeros(rank, n);
        for i in 0..n {
            let column = shares.col_mut(i);
            column.iter_mut().for_each(|v| *v = gamma.sample(&mut rng));
            let sum: f64 = column.iter().sum();
            if sum > 0.0 {
                column.iter_mut().for_each(|v| *v /= sum);
            } else {
                column[rng.random_range(0..rank)] = 1.0; // a concentration so small that all underflow: pure
            }
        }
        for (k, &i) in pure.iter().enumerate() {
            shares.col_mut(i).fill(0.0);
            shares.col_mut(i)[k] = 1.0;
        }
        let theta = shares.transposed();
        let mut parts = theta.clone();
        if self.degrees == Degrees::PowerLaw {
            let most = (n as f64).sqrt();
            let weights: Vec<f64> = (0..n).map(|_| (1.0 - rng.random::<f64>()).powf(-1.0 / POWER).min(most)).collect();
            parts.values_mut().chunks_mut(n).for_each(|c| c.iter_mut().zip(&weights).for_each(|(v, w)| *v *= w));
        }
        let sizes: Vec<f64> = (0..rank).map(|k| parts.col(k).iter().sum()).collect();
        let plain = |a: usize, b: usize| if a == b { 1.0 } else { self.between };
        let pairs: f64 = (0..rank).map(|a| (0..rank).map(|b| sizes[a] * plain(a, b) * sizes[b]).sum::<f64>()).sum();
        let scale = n as f64 * self.mean_degree / pairs;
        let b = DenseMatrix::from_fn(rank, rank, |k, l| scale * plain(k, l));
        let edges = self.draw_edges(&parts, &sizes, &b, &mut rng);
        Ok(Drawn { edges, theta, b, pure })
    }

    /// Points of the Poisson process, each pair once.
    fn draw_edges(&self, parts: &DenseMatrix, sizes: &[f64], b: &DenseMatrix, rng: &mut ChaCha8Rng) -> Vec<(u32, u32)> {
        let rank = sizes.len();
        let kinds = running((0..rank * rank).map(|c| sizes[c / rank] * b.get(c / rank, c % rank) * sizes[c % rank]));
        let members: Vec<Vec<f64>> = (0..rank).map(|k| running(parts.col(k).iter().copied())).collect();
        let expected = kinds.last().copied().unwrap_or(0.0) / 2.0;
        let count = Poisson::new(expected).map_or(0, |poisson| poisson.sample(rng) as usize);
        let mut edges = Vec::with_capacity(count);
        for _ in 0..count {
            let kind = place(&kinds, rng.random());
            let i = place(&members[kind / rank], rng.random()) as u32;
            let j = place(&members[kind % rank], rng.random()) as u32;
            if i != j {
                edges.push((i.min(j), i.max(j)));
            }
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// Running sums.
fn running(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    values
        .map(|v| {
            sum += v;
            sum
        })
        .collect()
}

/// The place whose part of the whole holds `u` in [0, 1).
fn place(sums: &[f64], u: f64) -> usize {
    let target = u * sums.last().copied().unwrap_or(0.0);
    sums.partition_point(|&sum| sum <= target).min(sums.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_as_frequent_as_the_model_says() {
        // 300 graphs on 30 nodes: each pair's frequency against 1 - exp(-theta' B theta), by a chi-square-like sum.
        let model = Mmsb { mean_degree: 6.0, concentration: 0.5, ..Mmsb::new(30, 3) };
        let first = model.generate().unwrap();
        let mut counts = vec![0u32; 900];
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let sizes: Vec<f64> = (0..3).map(|k| first.theta.col(k).iter().sum()).collect();
        for _ in 0..300 {
            for (i, j) in model.draw_edges(&first.theta, &sizes, &first.b, &mut rng) {
                counts[i as usize * 30 + j as usize] += 1;
            }
        }
        let (mut sum, mut pairs) = (0.0, 0.0);
        for i in 0..30 {
            for j in i + 1..30 {
                let rate: f64 = (0..3)
                    .map(|a| {
                        (0..3).map(|b| first.theta.get(i, a) * first.b.get(a, b) * first.theta.get(j, b)).sum::<f64>()
                    })
                    .sum();
                let p = 1.0 - (-rate).exp();
                sum += (f64::from(counts[i * 30 + j]) - 300.0 * p).powi(2) / (300.0 * p * (1.0 - p));
                pairs += 1.0;
            }
        }
        // Mean 1 per pair, standard deviation about sqrt(2 / pairs) = 0.07 of it.
        assert!((sum / pairs - 1.0_f64).abs() < 0.3, "{}", sum / pairs);
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        for wrong in [
            Mmsb::new(1, 1),
            Mmsb::new(10, 11),
            Mmsb { concentration: 0.0, ..Mmsb::new(100, 2) },
            Mmsb { mean_degree: f64::NAN, ..Mmsb::new(100, 2) },
            Mmsb { between: 1.5, ..Mmsb::new(100, 2) },
        ] {
            assert!(wrong.generate().is_err(), "{wrong:?}");
        }
    }
}
