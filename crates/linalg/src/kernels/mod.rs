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

#![warn(clippy::undocumented_unsafe_blocks)]

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod coarse;
mod panel_rows;
mod points;
mod portable;
mod proof;
mod sparse_points;
#[cfg(test)]
mod tests;
mod tile;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use coarse::{CoarseBias, CoarseKernel, CoarsePoints, CoarseTile};
pub use panel_rows::{PANEL, PanelRow, Term};
pub use points::{Bias, Points};
pub use proof::Rejection;
pub use sparse_points::{SparsePoints, WIDTH, Wide};

use std::ops::Range;

/// Largest number of points whose scores are folded into one minimum.
pub const GROUP: usize = 128;

/// The smallest such number; it divides the others, and every panel divides it.
const LEAST_GROUP: usize = 32;

/// Points whose scores are folded into one minimum. A group that may hold the winner is looked at again, which costs as much
/// as its share of the points; folding across lanes costs a little for each group, which shows only where points are short.
fn group_of(rows: usize) -> usize {
    match rows {
        ..16 => GROUP,
        16..40 => 2 * LEAST_GROUP,
        _ => LEAST_GROUP,
    }
}

/// A way to run the inner loop on this machine. Holding one proves that the machine has its instructions, and that they gave
/// the results of plain Rust when they were tried.
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
    #[cfg(test)]
    Faulty(tests::faulty::Faulty),
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
            #[cfg(test)]
            Backend::Faulty($backend) => $call,
        }
    };
}

impl Kernel {
    /// Every kernel that runs on this machine and gives the portable one's results, the fastest first.
    pub fn available() -> Vec<Self> {
        proof::of_this_machine().kernels.clone()
    }

    /// The fastest of them.
    pub fn best() -> Self {
        proof::of_this_machine().kernels[0]
    }

    /// The kernels that this machine has the instructions for, but that gave other results and are not used.
    pub fn rejected() -> &'static [Rejection] {
        &proof::of_this_machine().rejected
    }

    /// Every kernel that this machine has the instructions for, the fastest first and the portable one last.
    fn found() -> Vec<Self> {
        let kernels = [
            #[cfg(target_arch = "x86_64")]
            x86_64::Avx512::new().map(Backend::Avx512),
            #[cfg(target_arch = "x86_64")]
            x86_64::Avx2::new().map(Backend::Avx2),
            #[cfg(target_arch = "aarch64")]
            aarch64::Neon::new().map(Backend::Neon),
            Some(Backend::Portable(portable::Portable::new())),
        ];
        kernels.into_iter().flatten().map(Self).collect()
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
        if rows == 0 {
            return; // queries without coordinates take no room, however many they are
        }
        tiles.resize(points::size((queries.len() / rows).div_ceil(width), points::size(width, rows)), 0.0);
        for (q, query) in queries.chunks_exact(rows).enumerate() {
            points::write(&mut tiles[q / width * width * rows..], width, q % width, query);
        }
    }

    /// For each group `g` in `groups` and each query `q` of the tile, `min_n <x_n, r_q> + b_n` over the points of that
    /// group, to `minima[q * stride + g]`. A score that is NaN is not the least; infinity where no score is less.
    pub fn minima(
        self,
        points: &Points,
        bias: &Bias,
        groups: Range<usize>,
        tile: &[f32],
        minima: &mut [f32],
        stride: usize,
    ) {
        self.check(points, bias);
        assert!(groups.end <= points.groups() && groups.end <= stride, "groups behind the last");
        assert_eq!(tile.len(), points::size(self.tile(), points.rows()));
        assert!(minima.len() >= points::size(self.tile(), stride), "no room for the minima");
        // SAFETY: the lengths have just been checked, with sizes that cannot wrap.
        dispatch!(self, backend => unsafe { backend.minima(points, bias, groups, tile, minima, stride) });
    }

    /// For each query `q` of the tile, which points of `groups` have `<x_n, r_q> + b_n` at most `limit`: a bit for each point,
    /// 32 to a word, to `places[q * stride + word]`. No NaN is at most anything, nor is anything at most a NaN.
    #[allow(clippy::too_many_arguments)] // two of them are what `minima` has not: a limit, and words instead of numbers
    pub fn places(
        self,
        points: &Points,
        bias: &Bias,
        groups: Range<usize>,
        tile: &[f32],
        limit: f32,
        places: &mut [u32],
        stride: usize,
    ) {
        self.check(points, bias);
        let words = points.groups() * (points.group_size() / 32);
        assert!(groups.end <= points.groups() && words <= stride, "groups behind the last");
        assert_eq!(tile.len(), points::size(self.tile(), points.rows()));
        assert!(places.len() >= points::size(self.tile(), stride), "no room for the places");
        // SAFETY: the lengths have just been checked, with sizes that cannot wrap.
        dispatch!(self, backend => unsafe { backend.places(points, bias, groups, tile, limit, places, stride) });
    }

    /// The scores `<x_n, r> + b_n` of the points of one group, to the front of `scores`.
    #[inline]
    pub fn scores(self, points: &Points, bias: &Bias, group: usize, query: &[f32], scores: &mut [f32; GROUP]) {
        self.check(points, bias);
        assert!(group < points.groups(), "a group behind the last");
        assert_eq!(query.len(), points.rows());
        // SAFETY: the lengths have just been checked.
        dispatch!(self, backend => unsafe { backend.scores(points, bias, group, query, scores) });
    }

    /// Bit `i` says whether score `i` is at most `limit`; no NaN is, and nothing is at most a NaN.
    #[inline]
    pub fn at_most(self, scores: &[f32; GROUP], limit: f32) -> u128 {
        dispatch!(self, backend => backend.at_most(scores, limit))
    }

    /// Adds to `sums[n]` the products of sparse point `n` with the queries of a tile, see [`SparsePoints::fill_tile`].
    pub fn add_products(self, points: &SparsePoints, tile: &[Wide], sums: &mut [Wide]) {
        assert_eq!((tile.len(), sums.len()), (points.used(), points.count()));
        for block in 0..points.blocks() {
            // SAFETY: the length of the tile has just been checked.
            dispatch!(self, backend => unsafe { backend.add_products(points, block, tile, sums) });
        }
    }

    /// For each query the least of `sums[n] + bias[n]`, which a NaN never is; infinity where there is none.
    pub fn least_scores(self, sums: &[Wide], bias: &[f32]) -> Wide {
        dispatch!(self, backend => backend.least_scores(sums, bias))
    }

    /// The points `n` with `sums[n] + bias[n]` at most the limit of some query, in order, and a bit for each query for which it
    /// is. No NaN is at most anything, nor is anything at most a NaN.
    pub fn scores_within(self, sums: &[Wide], bias: &[f32], limits: &Wide, found: &mut Vec<(u32, u32)>) {
        found.clear();
        dispatch!(self, backend => backend.scores_within(sums, bias, limits, found));
    }

    /// Adds to `sums` the rows of a panel that the terms name, each times its weight, in the order of the terms.
    ///
    /// ```
    /// use merit_linalg::kernels::{Kernel, PANEL, PanelRow, Term};
    /// let rows = [PanelRow([1.0; PANEL]), PanelRow([2.0; PANEL])];
    /// let mut sums = PanelRow([0.5; PANEL]);
    /// Kernel::best().add_rows(&rows, &[Term { row: 1, weight: 3.0 }, Term { row: 0, weight: -1.0 }], &mut sums);
    /// assert_eq!(sums, PanelRow([5.5; PANEL]));
    /// ```
    #[inline]
    pub fn add_rows(self, rows: &[PanelRow], terms: &[Term], sums: &mut PanelRow) {
        dispatch!(self, backend => backend.add_rows(rows, terms, sums));
    }

    #[inline]
    fn check(self, points: &Points, bias: &Bias) {
        assert_eq!(points.kernel(), self, "points packed for another kernel");
        assert!(points.fits(bias), "a bias of other points");
    }
}

/// The position of the smallest number (the first of equal ones), which a NaN never is; 0 where all are NaN, or infinite.
#[inline]
pub fn least(values: &[f32]) -> usize {
    let smaller = |a: f32, b: f32| if b < a { b } else { a };
    if values.len() < 16 {
        let first = (0, f32::INFINITY);
        return values.iter().enumerate().fold(first, |best, (i, &v)| if v < best.1 { (i, v) } else { best }).0;
    }
    let mut lanes = [f32::INFINITY; 16];
    let (chunks, tail) = values.as_chunks::<16>();
    for chunk in chunks {
        lanes = std::array::from_fn(|i| smaller(lanes[i], chunk[i]));
    }
    let eight: [f32; 8] = std::array::from_fn(|i| smaller(lanes[i], lanes[i + 8]));
    let four: [f32; 4] = std::array::from_fn(|i| smaller(eight[i], eight[i + 4]));
    let two = [smaller(four[0], four[2]), smaller(four[1], four[3])];
    let least = tail.iter().copied().fold(smaller(two[0], two[1]), smaller);
    // Whole chunks first: a comparison of sixteen is one or two instructions.
    for (i, chunk) in chunks.iter().enumerate() {
        let places = (0..16).fold(0u32, |places, k| places | u32::from(chunk[k] == least) << k);
        if places != 0 {
            return 16 * i + places.trailing_zeros() as usize;
        }
    }
    let first = 16 * chunks.len();
    values[first..].iter().position(|&value| value == least).map_or(0, |i| first + i)
}
