//! Data with a known truth, `X = W H + V`: the two designs of the paper's synthetic experiments.
//!
//! | design | `W` (M x K) | `H` (K x N) | noise `V` |
//! |---|---|---|---|
//! | [`Dirichlet`] | uniform on (0, 1), and variants of it | `[I, Dirichlet]` | Gaussian |
//! | [`Midpoints`] | uniform, columns scaled to sum 1 | `[I, midpoints of all pairs]` | outward, or Gaussian |
//!
//! Columns come in random order. The noise has `||V||_F^2 = ||W H||_F^2 / 10^(SNR/10)`: in expectation for Gaussian
//! noise, exactly for outward noise (`V = 0` on the anchors and in proportion to `W h_l - mean(W)` on the midpoints, which
//! pushes them out of the hull).
//!
//! Every block of columns draws from its own ChaCha stream, so the blocks are made in parallel and a seed gives the same
//! bits for any number of threads. Time `O(M K N)`; memory `8 (M + K) N` bytes, which is `X` and `H`.
//!
//! ```
//! use merit::synthetic::Dirichlet;
//! let data = Dirichlet { snr_db: f64::INFINITY, ..Dirichlet::new(5, 100, 3) }.generate()?;
//! assert_eq!((data.x.rows(), data.x.cols(), data.h.rows()), (5, 100, 3));
//! assert_eq!(data.x.col(data.anchors[2]), data.w.col(2)); // without noise an anchor is a column of W
//! # Ok::<(), merit::synthetic::SyntheticError>(())
//! ```

use merit_linalg::DenseMatrix;
use merit_linalg::shards::{SHARD, Shards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, Gamma, StandardNormal};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashMap;

/// `X = W H + V` together with the truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Synthetic {
    /// The data, `M x N`.
    pub x: DenseMatrix,
    /// The true factor, `M x K`.
    pub w: DenseMatrix,
    /// The true weights, `K x N`, in the order of the columns of `x`: `8 K N` bytes.
    pub h: DenseMatrix,
    /// `anchors[k]` is the column of `x` that is column `k` of `w`, up to noise.
    pub anchors: Vec<usize>,
    /// Columns that are not mixtures; their columns of `h` are zero.
    pub outliers: Vec<usize>,
    /// `||W H||_F^2`.
    pub signal: f64,
    /// `||V||_F^2`, as drawn.
    pub noise: f64,
}

impl Synthetic {
    /// `10 log10(||W H||_F^2 / ||V||_F^2)` of the noise that was drawn; infinite without noise.
    pub fn achieved_snr_db(&self) -> f64 {
        10.0 * (self.signal / self.noise).log10()
    }
}

/// Why data cannot be generated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntheticError {
    /// No rows.
    #[error("`rows` must be at least 1, but is 0")]
    NoRows,
    /// Too few anchors.
    #[error("`rank` must be at least {least}{why}, but is {rank}")]
    RankTooSmall {
        /// The rank asked for.
        rank: usize,
        /// The least possible.
        least: usize,
        /// What asks for it, with a leading space, or nothing.
        why: &'static str,
    },
    /// More anchors than columns.
    #[error("`rank` must be at most `cols`, but {rank} anchors do not fit into {cols} columns")]
    RankAboveColumns {
        /// The rank asked for.
        rank: usize,
        /// The number of columns.
        cols: usize,
    },
    /// More outliers than columns that are not anchors.
    #[error("`outliers` must be at most {}, but is {outliers}: {rank} of {cols} columns are anchors", cols - rank)]
    Outliers {
        /// The number asked for.
        outliers: usize,
        /// The number of anchors.
        rank: usize,
        /// The number of columns.
        cols: usize,
    },
    /// Not a signal-to-noise ratio.
    #[error("`snr_db` must be a number or infinity, but is {0}")]
    Snr(f64),
    /// Not a Dirichlet parameter.
    #[error("`concentration` must be positive and finite, but is {0}")]
    Concentration(f64),
    /// Weights so uneven that hardly a column stays below the cap.
    #[error("`concentration` must be at least 0.05 with `largest_weight` {largest_weight}, but is {concentration}")]
    CappedConcentration {
        /// The parameter asked for.
        concentration: f64,
        /// The cap asked for.
        largest_weight: f64,
    },
    /// A number outside its range.
    #[error("`{name}` must be between {low} and {high}, but is {found}")]
    OutOfRange {
        /// Which number.
        name: &'static str,
        /// The least possible.
        low: f64,
        /// The largest possible.
        high: f64,
        /// The value given.
        found: f64,
    },
    /// More entries than can be counted.
    #[error("{rows} x {cols} entries (rank {rank}) are more than fit into memory")]
    TooLarge {
        /// Rows of `x`.
        rows: usize,
        /// Columns of `x`.
        cols: usize,
        /// Columns of `w`.
        rank: usize,
    },
}

/// `H = [I, Dirichlet(concentration)]`, Gaussian noise, columns in random order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dirichlet {
    /// `M`, at least 1.
    pub rows: usize,
    /// `N`, at least `rank`.
    pub cols: usize,
    /// `K`, at least 1.
    pub rank: usize,
    /// Signal-to-noise ratio in decibel; infinity for no noise.
    pub snr_db: f64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Parameter of the Dirichlet distribution: 1 is uniform, below 1 favors few components.
    pub concentration: f64,
    /// Whether the columns of `W` are scaled to sum 1.
    pub normalize_w: bool,
    /// Mixed columns with a weight above this are drawn again; 1 keeps all. Below 1 no mixture is nearly pure.
    pub largest_weight: f64,
    /// Columns of `W` are multiplied by a factor uniform on (1, `norm_range`); 1 leaves them alone.
    pub norm_range: f64,
    /// Columns of `W` are moved this part of the way to their mean, before any scaling: 0 leaves them, near 1 they are nearly
    /// the same and `W` is ill-conditioned.
    pub towards_mean: f64,
    /// So many columns are not mixtures but drawn uniformly from (0, 1), as the columns of `W` are before they are moved or scaled.
    pub outliers: usize,
}

impl Default for Dirichlet {
    /// `(M, N, K) = (50, 200, 40)`, the size of the paper's figure 4; the rest as [`Dirichlet::new`].
    fn default() -> Self {
        Self::new(50, 200, 40)
    }
}

impl Dirichlet {
    /// The given size, with 10 dB, seed 0, concentration 1 and `W` as drawn.
    pub fn new(rows: usize, cols: usize, rank: usize) -> Self {
        Self {
            rows,
            cols,
            rank,
            snr_db: 10.0,
            seed: 0,
            concentration: 1.0,
            normalize_w: false,
            largest_weight: 1.0,
            norm_range: 1.0,
            towards_mean: 0.0,
            outliers: 0,
        }
    }

    /// Whether data can be generated, and if not, why.
    ///
    /// ```
    /// use merit::synthetic::Dirichlet;
    /// let error = Dirichlet::new(5, 10, 20).check().unwrap_err();
    /// assert_eq!(error.to_string(), "`rank` must be at most `cols`, but 20 anchors do not fit into 10 columns");
    /// ```
    pub fn check(&self) -> Result<(), SyntheticError> {
        let Self { rows, cols, rank, snr_db, concentration, outliers, .. } = *self;
        check_size(rows, cols, rank, snr_db)?;
        if outliers > cols - rank {
            return Err(SyntheticError::Outliers { outliers, rank, cols });
        }
        if !(concentration > 0.0 && concentration.is_finite()) {
            return Err(SyntheticError::Concentration(concentration));
        }
        let Self { largest_weight, norm_range, towards_mean, .. } = *self;
        // Drawing again must come to an end: mixtures within the cap may not be too rare.
        let least = (2.0 / rank as f64).min(1.0);
        if largest_weight < 1.0 && concentration < 0.05 {
            return Err(SyntheticError::CappedConcentration { concentration, largest_weight });
        }
        for (name, found, low, high) in [
            ("largest_weight", largest_weight, least, 1.0),
            ("norm_range", norm_range, 1.0, 1e12),
            ("towards_mean", towards_mean, 0.0, 1.0 - 1e-12),
        ] {
            if !(low..=high).contains(&found) {
                return Err(SyntheticError::OutOfRange { name, low, high, found });
            }
        }
        Ok(())
    }

    /// Draws the data.
    pub fn generate(&self) -> Result<Synthetic, SyntheticError> {
        self.check()?;
        let mut w = uniform(self.rows, self.rank, self.seed);
        if self.towards_mean > 0.0 {
            move_towards_mean(&mut w, self.towards_mean);
        }
        if self.normalize_w {
            scale_to_sum_one(&mut w);
        }
        if self.norm_range > 1.0 {
            let mut rng = stream(self.seed, Stream::Norms);
            for k in 0..self.rank {
                let factor = 1.0 + (self.norm_range - 1.0) * rng.sample::<f64, _>(rand::distr::Open01);
                w.col_mut(k).iter_mut().for_each(|v| *v *= factor);
            }
        }
        // The Dirichlet columns are independent and alike: random places for the anchors are a random permutation of all.
        let mut anchors = distinct(self.cols, self.rank + self.outliers, &mut stream(self.seed, Stream::Places));
        let outliers = anchors.split_off(self.rank);
        let weights = Weights::new(self.concentration);
        let mut h = DenseMatrix::zeros(self.rank, self.cols);
        h.values_mut().par_chunks_mut(self.rank * SHARD).enumerate().for_each(|(s, block)| {
            let mut rng = stream(self.seed, Stream::Weights(s));
            for column in block.chunks_exact_mut(self.rank) {
                weights.fill(column, &mut rng);
                while column.iter().any(|&weight| weight > self.largest_weight) {
                    weights.fill(column, &mut rng);
                }
            }
        });
        for (k, &l) in anchors.iter().enumerate() {
            h.col_mut(l).fill(0.0);
            h.col_mut(l)[k] = 1.0;
        }
        outliers.iter().for_each(|&l| h.col_mut(l).fill(0.0));
        let mut x = product(&w, &h);
        let signal = squared_norm(&x);
        let noise = add_gaussian(&mut x, signal, self.snr_db, self.seed);
        let mut rng = stream(self.seed, Stream::Outliers);
        for &l in &outliers {
            x.col_mut(l).iter_mut().for_each(|v| *v = rng.sample(rand::distr::Open01));
        }
        Ok(Synthetic { x, w, h, anchors, outliers, signal, noise })
    }
}

/// The noise of [`Midpoints`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MidpointNoise {
    /// None on the anchors, away from `mean(W)` on the midpoints: what the paper's figures 2 and 3 were made with.
    Outward,
    /// Gaussian on all columns, as the paper's text says.
    Gaussian,
}

/// `H = [I, (e_i + e_j)/2 for all pairs]`, so `N = K + K(K-1)/2`; columns of `W` sum to 1; columns in random order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Midpoints {
    /// `M`, at least 1.
    pub rows: usize,
    /// `K`, at least 1 (3 for outward noise: the midpoint of two is their mean, and nothing pushes it outward).
    pub rank: usize,
    /// Signal-to-noise ratio in decibel; infinity for no noise.
    pub snr_db: f64,
    /// What kind of noise.
    pub noise: MidpointNoise,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Default for Midpoints {
    /// `(M, N, K) = (50, 55, 10)`, the size of the paper's figure 3; the rest as [`Midpoints::new`].
    fn default() -> Self {
        Self::new(50, 10)
    }
}

impl Midpoints {
    /// The given size, with outward noise at 10 dB and seed 0.
    pub fn new(rows: usize, rank: usize) -> Self {
        Self { rows, rank, snr_db: 10.0, noise: MidpointNoise::Outward, seed: 0 }
    }

    /// `N = K + K(K-1)/2`.
    pub fn cols(&self) -> usize {
        self.rank.saturating_mul(self.rank.saturating_add(1)) / 2
    }

    /// Whether data can be generated, and if not, why.
    pub fn check(&self) -> Result<(), SyntheticError> {
        check_size(self.rows, self.cols(), self.rank, self.snr_db)?;
        if self.noise == MidpointNoise::Outward && self.snr_db < f64::INFINITY && self.rank < 3 {
            return Err(SyntheticError::RankTooSmall { rank: self.rank, least: 3, why: " for outward noise" });
        }
        Ok(())
    }

    /// Draws the data.
    ///
    /// ```
    /// use merit::synthetic::Midpoints;
    /// let data = Midpoints::new(50, 10).generate()?;
    /// assert_eq!(data.x.cols(), 55);
    /// assert!((data.achieved_snr_db() - 10.0).abs() < 1e-9);
    /// # Ok::<(), merit::synthetic::SyntheticError>(())
    /// ```
    pub fn generate(&self) -> Result<Synthetic, SyntheticError> {
        self.check()?;
        let (rows, cols, rank) = (self.rows, self.cols(), self.rank);
        let mut w = uniform(rows, rank, self.seed);
        scale_to_sum_one(&mut w);
        let place = distinct(cols, cols, &mut stream(self.seed, Stream::Places));
        let (anchors, midpoints) = (place[..rank].to_vec(), &place[rank..]);
        let mut h = DenseMatrix::zeros(rank, cols);
        anchors.iter().enumerate().for_each(|(k, &l)| h.col_mut(l)[k] = 1.0);
        let pairs = (0..rank).flat_map(|i| (i + 1..rank).map(move |j| (i, j)));
        for ((i, j), &l) in pairs.zip(midpoints) {
            (h.col_mut(l)[i], h.col_mut(l)[j]) = (0.5, 0.5);
        }
        let mut x = product(&w, &h);
        let signal = squared_norm(&x);
        let noise = match self.noise {
            MidpointNoise::Gaussian => add_gaussian(&mut x, signal, self.snr_db, self.seed),
            MidpointNoise::Outward => push_outward(&mut x, &w, midpoints, noise_energy(signal, self.snr_db)),
        };
        Ok(Synthetic { x, w, h, anchors, outliers: Vec::new(), signal, noise })
    }
}

fn check_size(rows: usize, cols: usize, rank: usize, snr_db: f64) -> Result<(), SyntheticError> {
    if rows == 0 {
        return Err(SyntheticError::NoRows);
    }
    if rank == 0 {
        return Err(SyntheticError::RankTooSmall { rank, least: 1, why: "" });
    }
    if rank > cols {
        return Err(SyntheticError::RankAboveColumns { rank, cols });
    }
    if snr_db.is_nan() || snr_db == f64::NEG_INFINITY {
        return Err(SyntheticError::Snr(snr_db));
    }
    let bytes = rows.checked_add(rank).and_then(|sum| sum.checked_mul(cols)).and_then(|entries| entries.checked_mul(8));
    match bytes {
        Some(bytes) if bytes <= isize::MAX as usize => Ok(()),
        _ => Err(SyntheticError::TooLarge { rows, cols, rank }),
    }
}

/// What a stream of random numbers is for; blocks of columns have their own.
#[derive(Clone, Copy)]
enum Stream {
    W,
    Places,
    Norms,
    Outliers,
    Weights(usize),
    Noise(usize),
}

fn stream(seed: u64, purpose: Stream) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(match purpose {
        Stream::W => 0,
        Stream::Places => 1,
        Stream::Norms => u64::MAX,
        Stream::Outliers => u64::MAX - 1,
        Stream::Weights(block) => 2 + 2 * block as u64,
        Stream::Noise(block) => 3 + 2 * block as u64,
    });
    rng
}

/// `W` with entries uniform on (0, 1).
fn uniform(rows: usize, cols: usize, seed: u64) -> DenseMatrix {
    let mut rng = stream(seed, Stream::W);
    DenseMatrix::from_fn(rows, cols, |_, _| rng.sample(rand::distr::Open01))
}

fn scale_to_sum_one(w: &mut DenseMatrix) {
    for k in 0..w.cols() {
        let sum: f64 = w.col(k).iter().sum();
        w.col_mut(k).iter_mut().for_each(|v| *v /= sum);
    }
}

/// `w_k <- (1 - part) w_k + part mean(W)`.
fn move_towards_mean(w: &mut DenseMatrix, part: f64) {
    let mean = mean_column(w);
    for k in 0..w.cols() {
        w.col_mut(k).iter_mut().zip(&mean).for_each(|(v, mean)| *v += part * (mean - *v));
    }
}

fn mean_column(w: &DenseMatrix) -> Vec<f64> {
    (0..w.rows()).map(|m| (0..w.cols()).map(|k| w.get(m, k)).sum::<f64>() / w.cols() as f64).collect()
}

/// `count` different numbers below `end` in random order, each such list equally likely: the first `count` swaps of a
/// shuffle, of which only the places touched are stored.
fn distinct(end: usize, count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut moved: HashMap<usize, usize> = HashMap::new();
    let mut pick = |i: usize| {
        let j = rng.random_range(i as u64..end as u64) as usize;
        let here = moved.get(&i).copied().unwrap_or(i);
        if i == j { here } else { moved.insert(j, here).unwrap_or(j) }
    };
    (0..count).map(&mut pick).collect()
}

/// Dirichlet weights as Gamma variables divided by their sum.
enum Weights {
    Uniform,
    Gamma(Gamma<f64>),
    /// Below 1 a Gamma variable can underflow; `Gamma(a) = Gamma(a + 1) U^(1/a)` is taken in logarithms.
    Logarithms(Gamma<f64>, f64),
}

impl Weights {
    fn new(concentration: f64) -> Self {
        let gamma = |shape| Gamma::new(shape, 1.0).expect("a checked concentration is positive and finite");
        if concentration == 1.0 {
            Self::Uniform
        } else if concentration > 1.0 {
            Self::Gamma(gamma(concentration))
        } else {
            Self::Logarithms(gamma(concentration + 1.0), concentration)
        }
    }

    fn fill(&self, column: &mut [f64], rng: &mut ChaCha8Rng) {
        match self {
            Self::Uniform => column.iter_mut().for_each(|v| *v = Exp1.sample(rng)),
            Self::Gamma(gamma) => column.iter_mut().for_each(|v| *v = gamma.sample(rng)),
            Self::Logarithms(gamma, concentration) => {
                for v in column.iter_mut() {
                    let minus_log_uniform: f64 = Exp1.sample(rng);
                    *v = gamma.sample(rng).ln() - minus_log_uniform / concentration;
                }
                let largest = column.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
                column.iter_mut().for_each(|v| *v = (*v - largest).exp());
            }
        }
        let sum: f64 = column.iter().sum();
        column.iter_mut().for_each(|v| *v /= sum);
    }
}

/// `W H`, column by column.
fn product(w: &DenseMatrix, h: &DenseMatrix) -> DenseMatrix {
    let mut x = DenseMatrix::zeros(w.rows(), h.cols());
    x.values_mut().par_chunks_mut(w.rows() * SHARD).enumerate().for_each(|(s, block)| {
        for (i, column) in block.chunks_exact_mut(w.rows()).enumerate() {
            for (k, &weight) in h.col(s * SHARD + i).iter().enumerate().filter(|&(_, &weight)| weight != 0.0) {
                column.iter_mut().zip(w.col(k)).for_each(|(x, w)| *x += weight * w);
            }
        }
    });
    x
}

fn squared_norm(x: &DenseMatrix) -> f64 {
    Shards::new(x.cols()).sum(|l| x.col(l).iter().map(|v| v * v).sum())
}

/// `||V||_F^2` for a signal of this energy.
fn noise_energy(signal: f64, snr_db: f64) -> f64 {
    signal / 10f64.powf(snr_db / 10.0)
}

/// Adds independent Gaussian noise of `sigma^2 = ||WH||_F^2 / (M N 10^(SNR/10))`; returns its squared norm.
fn add_gaussian(x: &mut DenseMatrix, signal: f64, snr_db: f64, seed: u64) -> f64 {
    let (rows, cols) = (x.rows(), x.cols());
    let sigma = (noise_energy(signal, snr_db) / (rows as f64 * cols as f64)).sqrt();
    if sigma == 0.0 {
        return 0.0;
    }
    let blocks = x.values_mut().par_chunks_mut(rows * SHARD).enumerate();
    let norms: Vec<f64> = blocks
        .map(|(s, block)| {
            let mut rng = stream(seed, Stream::Noise(s));
            let mut sum = 0.0;
            for value in block {
                let normal: f64 = StandardNormal.sample(&mut rng);
                let noise = sigma * normal;
                *value += noise;
                sum += noise * noise;
            }
            sum
        })
        .collect();
    norms.into_iter().sum() // in shard order
}

/// Adds to the midpoints what they differ from `mean(W)`, scaled to `energy`; returns the squared norm of that.
fn push_outward(x: &mut DenseMatrix, w: &DenseMatrix, midpoints: &[usize], energy: f64) -> f64 {
    let mean = mean_column(w);
    let from_mean = |column: &[f64]| column.iter().zip(&mean).map(|(x, mean)| (x - mean).powi(2)).sum::<f64>();
    let unscaled: f64 = midpoints.iter().map(|&l| from_mean(x.col(l))).sum();
    if energy == 0.0 || unscaled == 0.0 {
        return 0.0; // one row: all columns sum to 1, so all are the same
    }
    let factor = (energy / unscaled).sqrt();
    for &l in midpoints {
        x.col_mut(l).iter_mut().zip(&mean).for_each(|(x, mean)| *x += factor * (*x - mean));
    }
    factor * factor * unscaled
}
