//! The inner loop of every Frank-Wolfe step: `min_n <x_n, r> + b_n` in `f32`, with no block of scores in memory.
//!
//! Points are packed into panels ([`Points`]), residuals ("queries") into tiles ([`Kernel::pack_tiles`]). A tile of
//! accumulators starts from the bias `b`, takes one fused multiply-add per coordinate, and is folded into a running
//! minimum that stays in registers. What is stored is one number for each query and group of points: enough to know
//! which few groups can hold the winner, and those are looked at again by [`Kernel::scores`].
//!
//! The loops are written once (`tile.rs`) over the handful of vector instructions in `portable.rs`, `x86_64.rs` and
//! `aarch64.rs`. All `unsafe` of the project is in this folder.
//!
//! ```
//! use merit_linalg::kernels::{Kernel, Points};
//! let kernel = Kernel::best();
//! let points = Points::pack(kernel, 2, 3, |n, point| point.copy_from_slice(&[n as f32, 1.0]));
//! let bias = points.pack_bias([0.5, 0.5, 0.0].into_iter());
//! let mut scores = [0.0; 128];
//! kernel.scores(&points, &bias, 0, &[-1.0, 2.0], &mut scores);
//! assert_eq!(scores[..3], [2.5, 1.5, 0.0]);
//! ```

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod portable;
mod tile;
#[cfg(target_arch = "x86_64")]
mod x86_64;

/// Largest number of points whose scores are folded into one minimum.
pub const GROUP: usize = 128;

/// Points whose scores are folded into one minimum. A group that may hold the winner is looked at again, which costs as much
/// as its share of the points; folding across lanes costs a little for each group, which shows only where points are short.
fn group_of(rows: usize) -> usize {
    match rows {
        ..16 => GROUP,
        16..40 => 64,
        _ => 32,
    }
}

/// A way to run the inner loop on this machine. Holding one proves that the machine has its instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Backend);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backend {
    Portable(portable::Portable),
    #[cfg(target_arch = "x86_64")]
    Avx2(x86_64::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(x86_64::Avx512),
    #[cfg(target_arch = "aarch64")]
    Neon(aarch64::Neon),
}

/// Calls the same function of whichever backend it is.
macro_rules! dispatch {
    ($kernel:expr, $backend:ident => $call:expr) => {
        match $kernel.0 {
            Backend::Portable($backend) => $call,
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2($backend) => $call,
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512($backend) => $call,
            #[cfg(target_arch = "aarch64")]
            Backend::Neon($backend) => $call,
        }
    };
}

impl Kernel {
    /// Every kernel that runs on this machine, the fastest first.
    pub fn available() -> Vec<Self> {
        let kernels = [
            #[cfg(target_arch = "x86_64")]
            x86_64::Avx512::new().map(Backend::Avx512),
            #[cfg(target_arch = "x86_64")]
            x86_64::Avx2::new().map(Backend::Avx2),
            #[cfg(target_arch = "aarch64")]
            aarch64::Neon::new().map(Backend::Neon),
            Some(Backend::Portable(portable::Portable)),
        ];
        kernels.into_iter().flatten().map(Self).collect()
    }

    /// The fastest kernel of this machine.
    pub fn best() -> Self {
        Self::available()[0]
    }

    /// `avx512`, `avx2`, `neon` or `portable`.
    pub fn name(self) -> &'static str {
        dispatch!(self, backend => backend.name())
    }

    /// Points of one panel.
    pub fn panel(self) -> usize {
        dispatch!(self, backend => backend.panel())
    }

    /// Queries of one tile.
    pub fn tile(self) -> usize {
        dispatch!(self, backend => backend.tile())
    }

    /// Packs queries (each of `rows` numbers, one after the other) into tiles: within a tile coordinate by coordinate, so
    /// that the inner loop reads on. Places behind the last query are zeros.
    pub fn pack_tiles(self, rows: usize, queries: &[f32], tiles: &mut Vec<f32>) {
        let width = self.tile();
        tiles.clear();
        tiles.resize((queries.len() / rows).next_multiple_of(width) * rows, 0.0);
        for (q, query) in queries.chunks_exact(rows).enumerate() {
            let tile = &mut tiles[q / width * width * rows..];
            query.iter().enumerate().for_each(|(m, &value)| tile[m * width + q % width] = value);
        }
    }

    /// For each group `g` in `groups` and each query `q` of the tile, `min_n <x_n, r_q> + b_n` over the points of that
    /// group, to `minima[q * stride + g]`.
    pub fn minima(
        self,
        points: &Points,
        bias: &Bias,
        groups: std::ops::Range<usize>,
        tile: &[f32],
        minima: &mut [f32],
        stride: usize,
    ) {
        self.check(points, bias, groups.end);
        assert_eq!(tile.len(), points.rows * self.tile());
        assert!(groups.end <= stride && minima.len() >= self.tile() * stride);
        dispatch!(self, backend => backend.minima(points, bias, groups, tile, minima, stride));
    }

    /// The scores `<x_n, r> + b_n` of the points of one group, to the front of `scores`.
    #[inline]
    pub fn scores(self, points: &Points, bias: &Bias, group: usize, query: &[f32], scores: &mut [f32; GROUP]) {
        self.check(points, bias, group + 1);
        assert_eq!(query.len(), points.rows);
        dispatch!(self, backend => backend.scores(points, bias, group, query, scores));
    }

    /// Bit `i` says whether score `i` is at most `limit`.
    #[inline]
    pub fn at_most(self, scores: &[f32; GROUP], limit: f32) -> u128 {
        dispatch!(self, backend => backend.at_most(scores, limit))
    }

    #[inline]
    fn check(self, points: &Points, bias: &Bias, groups: usize) {
        assert_eq!(points.kernel, self, "points packed for another kernel");
        assert!(groups <= points.groups() && bias.0.len() == points.groups() * points.group);
    }
}

/// The position of the smallest number (the first of equal ones); 0 where all are infinite.
#[inline]
pub fn least(values: &[f32]) -> usize {
    let smaller = |a: f32, b: f32| if b < a { b } else { a };
    let mut lanes = [f32::INFINITY; 16];
    let (chunks, tail) = values.as_chunks::<16>();
    for chunk in chunks {
        lanes = std::array::from_fn(|i| smaller(lanes[i], chunk[i]));
    }
    let least = lanes.iter().chain(tail).copied().fold(f32::INFINITY, smaller);
    // Whole chunks first: a comparison of sixteen is one or two instructions.
    let chunk = chunks.iter().position(|chunk| chunk.iter().fold(false, |hit, &v| hit | (v == least)));
    let first = chunk.unwrap_or(chunks.len()) * 16;
    values[first..].iter().position(|&value| value == least).map_or(0, |i| first + i)
}

/// Points in the layout of a kernel: panel after panel, within a panel coordinate after coordinate. `4 M N` bytes.
#[derive(Debug)]
pub struct Points {
    kernel: Kernel,
    rows: usize,
    count: usize,
    group: usize,
    values: Vec<f32>,
}

/// One number for each packed point; places behind the last point hold infinity and never win.
#[derive(Debug)]
pub struct Bias(Vec<f32>);

impl Points {
    /// Packs `count` points of `rows` coordinates; `fill(n, point)` writes point `n`.
    pub fn pack(kernel: Kernel, rows: usize, count: usize, fill: impl Fn(usize, &mut [f32]) + Sync) -> Self {
        use rayon::prelude::*;
        let (width, group) = (kernel.panel(), group_of(rows));
        let mut values = vec![0.0; count.next_multiple_of(group) * rows];
        values.par_chunks_mut((group * rows).max(1)).enumerate().for_each(|(g, out)| {
            let mut point = vec![0.0; rows];
            for i in 0..group.min(count - g * group) {
                fill(g * group + i, &mut point);
                let panel = &mut out[i / width * width * rows..];
                point.iter().enumerate().for_each(|(m, &value)| panel[m * width + i % width] = value);
            }
        });
        Self { kernel, rows, count, group, values }
    }

    /// No points yet; [`push`](Self::push) adds them.
    pub fn empty(kernel: Kernel, rows: usize) -> Self {
        Self { kernel, rows, count: 0, group: group_of(rows), values: Vec::new() }
    }

    /// Adds a point at the end.
    pub fn push(&mut self, point: &[f32]) {
        assert_eq!(point.len(), self.rows);
        let (width, n) = (self.kernel.panel(), self.count);
        self.count += 1;
        self.values.resize(self.groups() * self.group * self.rows, 0.0);
        let panel = &mut self.values[n / width * width * self.rows..];
        point.iter().enumerate().for_each(|(m, &value)| panel[m * width + n % width] = value);
    }

    /// Keeps the first `count` points.
    pub fn truncate(&mut self, count: usize) {
        self.count = self.count.min(count);
        self.values.truncate(self.groups() * self.group * self.rows);
    }

    /// A bias for every point.
    pub fn pack_bias(&self, values: impl Iterator<Item = f32>) -> Bias {
        let mut bias = Bias(Vec::with_capacity(self.groups() * self.group));
        self.refill_bias(&mut bias, values);
        bias
    }

    /// The same, into a bias that is there already.
    pub fn refill_bias(&self, bias: &mut Bias, values: impl Iterator<Item = f32>) {
        bias.0.clear();
        bias.0.extend(values.take(self.count));
        assert_eq!(bias.0.len(), self.count);
        bias.0.resize(self.groups() * self.group, f32::INFINITY);
    }

    /// Number of points.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Points of one group, at most [`GROUP`].
    #[inline]
    pub fn group_size(&self) -> usize {
        self.group
    }

    /// Number of groups; the last may be partly empty.
    #[inline]
    pub fn groups(&self) -> usize {
        self.count.div_ceil(self.group)
    }

    /// Coordinates of a point.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    #[inline]
    fn group(&self, g: usize) -> &[f32] {
        &self.values[g * self.group * self.rows..][..self.group * self.rows]
    }
}

impl Bias {
    #[inline]
    fn group(&self, g: usize, size: usize) -> &[f32] {
        &self.0[g * size..][..size]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(seed: u64, i: usize) -> f32 {
        let mut z = (seed ^ (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z >> 40) as f32 / (1u64 << 24) as f32) - 0.5
    }

    /// Every kernel against four naive lines, for lengths around the panel, tile and group sizes.
    fn agrees_with_naive(rows: usize, count: usize, seed: u64) {
        for kernel in Kernel::available() {
            let coordinate = |n: usize, m: usize| value(seed, n * rows + m);
            let points = Points::pack(kernel, rows, count, |n, p| (0..rows).for_each(|m| p[m] = coordinate(n, m)));
            let bias = points.pack_bias((0..count).map(|n| value(seed + 1, n)));
            let queries: Vec<f32> = (0..kernel.tile() * rows).map(|i| value(seed + 2, i)).collect();
            let mut tile = Vec::new();
            kernel.pack_tiles(rows, &queries, &mut tile);
            let groups = points.groups();
            let mut minima = vec![0.0; kernel.tile() * groups];
            kernel.minima(&points, &bias, 0..groups, &tile, &mut minima, groups);
            for q in 0..kernel.tile() {
                let query = &queries[q * rows..][..rows];
                for g in 0..groups {
                    let mut scores = [0.0; GROUP];
                    kernel.scores(&points, &bias, g, query, &mut scores);
                    let naive = |n: usize| {
                        let sum = f64::from(value(seed + 1, n));
                        (0..rows).fold(sum, |s, m| s + f64::from(coordinate(n, m)) * f64::from(query[m]))
                    };
                    let tolerance = 1e-6 * (rows as f64 + 1.0);
                    let mut least = f64::INFINITY;
                    for (i, &score) in scores[..points.group_size()].iter().enumerate() {
                        let n = g * points.group_size() + i;
                        if n < count {
                            assert!((f64::from(score) - naive(n)).abs() <= tolerance, "{} point {n}", kernel.name());
                            least = least.min(naive(n));
                        } else {
                            assert_eq!(score, f32::INFINITY);
                        }
                    }
                    let found = f64::from(minima[q * groups + g]);
                    assert!(
                        (found - least).abs() <= tolerance,
                        "{} group {g} query {q}: {found} {least}",
                        kernel.name()
                    );
                }
            }
        }
    }

    #[test]
    fn every_kernel_tells_the_scores_below_a_limit() {
        let mut scores: [f32; GROUP] = std::array::from_fn(|i| value(7, i));
        scores[127] = f32::INFINITY;
        for kernel in Kernel::available() {
            for limit in [f32::NEG_INFINITY, -0.2, scores[31], 0.3, f32::MAX] {
                let places = kernel.at_most(&scores, limit);
                for (i, &score) in scores.iter().enumerate() {
                    assert_eq!(places >> i & 1 == 1, score <= limit, "{} score {i}", kernel.name());
                }
            }
        }
    }

    #[test]
    fn every_kernel_at_the_edges_of_panels_and_groups() {
        for rows in [1, 2, 3, 7, 8, 50] {
            for count in [1, 15, 16, 17, 31, 32, 33, 127, 128, 129, 300] {
                agrees_with_naive(rows, count, 42);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn every_kernel_on_random_shapes(rows in 1usize..130, count in 1usize..400, seed: u64) {
            agrees_with_naive(rows, count, seed >> 2);
        }
    }
}
