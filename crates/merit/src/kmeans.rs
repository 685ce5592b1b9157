//! k-means: points into `k` clusters around their means.
//!
//! ```text
//! minimize  sum_l ||p_l - m_c(l)||^2     over clusters c(l) in 0..k and means m_0, ..., m_{k-1}
//! ```
//!
//! Lloyd's algorithm (assign each point to the nearest mean, take means anew) until no point moves, from k-means++ starts;
//! the best of several. An empty cluster gets the point that is farthest from its mean. `O(N k D)` time per step, `O(N + k D)`
//! memory. The same seed gives the same clusters for any number of threads; ties go to the smaller index.
//!
//! Reference: Lloyd, IEEE Trans. Inf. Theory 28, 1982; Arthur and Vassilvitskii, SODA 2007.
//!
//! ```
//! use merit::DenseMatrix;
//! use merit::kmeans::KMeans;
//! let points = DenseMatrix::from_columns(1, vec![0.0, 10.0, 1.0, 11.0]);
//! let found = KMeans::new(2).cluster(&points);
//! assert!(found.labels[0] == found.labels[2] && found.labels[1] == found.labels[3] && found.labels[0] != found.labels[1]);
//! assert_eq!(found.squared_distance, 1.0);
//! ```

use merit_linalg::DenseMatrix;
use merit_linalg::interrupt::Interrupt;
use merit_linalg::shards::Shards;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KMeans {
    /// Number of clusters, `k`.
    pub clusters: usize,
    /// Starts, of which the best counts.
    pub restarts: usize,
    /// Steps of one start at most.
    pub iterations: usize,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// Clusters of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// The cluster of every point, from 0.
    pub labels: Vec<usize>,
    /// The means, a column each.
    pub means: DenseMatrix,
    /// Sum of squared distances of the points to their means.
    pub squared_distance: f64,
}

impl KMeans {
    /// `clusters` clusters, the best of 10 starts of at most 300 steps, seed 0.
    pub fn new(clusters: usize) -> Self {
        Self { clusters, restarts: 10, iterations: 300, seed: 0 }
    }

    /// Clusters the columns of `points`. With more clusters than points, some stay empty (their means are copies of points).
    pub fn cluster(&self, points: &DenseMatrix) -> Clusters {
        self.cluster_until(&Interrupt::never(), points)
    }

    /// [`cluster`](Self::cluster), but with what there is once somebody asked for the end: fewer starts, and fewer steps.
    pub fn cluster_until(&self, interrupt: &Interrupt, points: &DenseMatrix) -> Clusters {
        assert!(self.clusters > 0, "there must be at least one cluster");
        let run = |restart: usize| {
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
            rng.set_stream(restart as u64); // how much one start draws does not change the next
            self.lloyd(interrupt, points, start(points, self.clusters, &mut rng, interrupt))
        };
        let better = |a: Clusters, b: Clusters| if b.squared_distance < a.squared_distance { b } else { a };
        let more = (1..self.restarts.max(1)).take_while(|_| !interrupt.asked());
        more.fold(run(0), |best, restart| better(best, run(restart)))
    }

    fn lloyd(&self, interrupt: &Interrupt, points: &DenseMatrix, mut means: DenseMatrix) -> Clusters {
        let columns = Shards::new(points.cols());
        let mut nearest = vec![(0, 0.0); points.cols()];
        columns.update(&mut nearest, |l, _| nearest_mean(points.col(l), &means));
        for _ in (0..self.iterations).take_while(|_| !interrupt.asked()) {
            means = means_of(points, &mut nearest, self.clusters, means);
            let before: Vec<usize> = nearest.iter().map(|n| n.0).collect();
            columns.update(&mut nearest, |l, _| nearest_mean(points.col(l), &means));
            if before.iter().zip(&nearest).all(|(before, now)| *before == now.0) {
                break;
            }
        }
        let squared_distance = columns.sum(|l| nearest[l].1);
        Clusters { labels: nearest.iter().map(|n| n.0).collect(), means, squared_distance }
    }
}

/// k-means++: the first mean is any point, each further one a point drawn in proportion to its squared distance.
fn start(points: &DenseMatrix, clusters: usize, rng: &mut ChaCha8Rng, interrupt: &Interrupt) -> DenseMatrix {
    let count = points.cols();
    if count == 0 {
        return DenseMatrix::zeros(points.rows(), clusters);
    }
    let columns = Shards::new(count);
    let mut chosen = vec![rng.random_range(0..count)];
    let mut distances = vec![f64::INFINITY; count];
    while chosen.len() < clusters {
        if interrupt.asked() {
            chosen.resize(clusters, 0);
            break;
        }
        let last = points.col(chosen[chosen.len() - 1]);
        columns.update(&mut distances, |l, distance| distance.min(squared_distance(points.col(l), last)));
        let mut left = rng.random::<f64>() * columns.sum(|l| distances[l]);
        let drawn = distances.iter().position(|&d| {
            left -= d;
            d > 0.0 && left <= 0.0
        });
        // Rounding may leave a little over: the last point with a distance; where all are copies, the first.
        chosen.push(drawn.or(distances.iter().rposition(|&d| d > 0.0)).unwrap_or(0));
    }
    points.select(&chosen)
}

/// Means of the clusters; an empty one takes the farthest point from a cluster that has several, if there is one.
fn means_of(points: &DenseMatrix, nearest: &mut [(usize, f64)], clusters: usize, old: DenseMatrix) -> DenseMatrix {
    let dim = points.rows();
    let mut sizes = vec![0_usize; clusters];
    nearest.iter().for_each(|&(c, _)| sizes[c] += 1);
    for c in 0..clusters {
        let free = |l: &usize| sizes[nearest[*l].0] > 1 && nearest[*l].1 > 0.0;
        let farther = |a: usize, b: usize| if nearest[b].1 > nearest[a].1 { b } else { a };
        let farthest = if sizes[c] == 0 { (0..nearest.len()).filter(free).reduce(farther) } else { None };
        if let Some(l) = farthest {
            sizes[nearest[l].0] -= 1;
            (sizes[c], nearest[l]) = (1, (c, 0.0));
        }
    }
    let sums = Shards::new(points.cols()).sum_vectors(clusters * dim, |l, sum| {
        sum[nearest[l].0 * dim..][..dim].iter_mut().zip(points.col(l)).for_each(|(s, v)| *s += v);
    });
    DenseMatrix::from_fn(
        dim,
        clusters,
        |m, c| {
            if sizes[c] == 0 { old.get(m, c) } else { sums[c * dim + m] / sizes[c] as f64 }
        },
    )
}

fn nearest_mean(point: &[f64], means: &DenseMatrix) -> (usize, f64) {
    let distance = |c: usize| (c, squared_distance(point, means.col(c)));
    (1..means.cols()).map(distance).fold(distance(0), |best, other| if other.1 < best.1 { other } else { best })
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(seed: u64, dim: usize, count: usize) -> DenseMatrix {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        DenseMatrix::from_fn(dim, count, |_, _| rng.random())
    }

    /// The least sum over all ways to put the points into `k` clusters.
    fn brute_force(points: &DenseMatrix, k: usize) -> f64 {
        let ways = k.pow(points.cols() as u32);
        let cost = |mut way: usize| {
            let labels: Vec<usize> = (0..points.cols()).map(|_| (way % k, way /= k).0).collect();
            let of_cluster = |c: usize| {
                let members: Vec<usize> = (0..points.cols()).filter(|&l| labels[l] == c).collect();
                let mean: Vec<f64> = (0..points.rows())
                    .map(|m| members.iter().map(|&l| points.get(m, l)).sum::<f64>() / members.len() as f64)
                    .collect();
                members.iter().map(|&l| squared_distance(points.col(l), &mean)).sum::<f64>()
            };
            (0..k).map(of_cluster).sum::<f64>()
        };
        (0..ways).map(cost).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn many_starts_find_the_best_of_all_partitions() {
        for seed in 0..20 {
            let points = points(seed, 2, 8);
            let found = KMeans { restarts: 50, ..KMeans::new(3) }.cluster(&points);
            let best = brute_force(&points, 3);
            assert!((found.squared_distance - best).abs() < 1e-12, "{} against {best}", found.squared_distance);
        }
    }

    #[test]
    fn the_same_bits_for_any_number_of_threads() {
        let points = points(1, 5, 1000);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| KMeans { restarts: 3, ..KMeans::new(7) }.cluster(&points))
        };
        assert_eq!(with(1), with(4));
    }

    #[test]
    fn a_result_is_a_fixed_point_of_its_own_definition() {
        let points = points(2, 3, 300);
        let found = KMeans::new(6).cluster(&points);
        for (l, &label) in found.labels.iter().enumerate() {
            assert_eq!(nearest_mean(points.col(l), &found.means).0, label);
        }
        for c in 0..6 {
            let members: Vec<usize> = (0..300).filter(|&l| found.labels[l] == c).collect();
            for m in 0..3 {
                let mean = members.iter().map(|&l| points.get(m, l)).sum::<f64>() / members.len() as f64;
                assert!((found.means.get(m, c) - mean).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn copies_and_too_many_clusters_are_no_trouble() {
        let same = DenseMatrix::from_columns(2, vec![1.0; 10]);
        assert_eq!(KMeans::new(3).cluster(&same).squared_distance, 0.0);
        assert_eq!(KMeans::new(9).cluster(&points(3, 2, 4)).squared_distance, 0.0);
        assert_eq!(KMeans::new(2).cluster(&DenseMatrix::zeros(3, 0)).labels, [0; 0]);
    }
}
