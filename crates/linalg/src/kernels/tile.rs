//! The tile loop, written once over a few vector instructions.
//!
//! A panel is two vectors of points, a tile `Q` queries: `2 Q` accumulators, two loads and `Q` broadcasts for `2 Q`
//! fused multiply-adds. `Q` is as large as the register file allows (6 with 16 registers, 12 with 32).

use super::sparse_points::{Entry, SparsePoints, WIDTH, Wide};
use super::{Bias, GROUP, LEAST_GROUP, Points};
use std::ops::Range;

/// The vector instructions of one instruction set.
///
/// # Safety
/// `load` and `store` touch [`LANES`](Self::LANES) numbers at their pointer and `splat` one, wherever it points to in memory (no
/// alignment but that of `f32`). A caller vouches for them, and for the machine having the instruction set.
pub(super) unsafe trait Vector: Copy {
    const LANES: usize;
    /// Sums in `f64` that stay in registers.
    const F64_SUMS: usize;
    unsafe fn load(from: *const f32) -> Self;
    unsafe fn splat(from: *const f32) -> Self;
    /// `self * factor + sum`.
    unsafe fn mul_add(self, factor: Self, sum: Self) -> Self;
    /// `self` where it is less, else `other`: a NaN in `self` gives way to `other`.
    unsafe fn min(self, other: Self) -> Self;
    unsafe fn store(self, to: *mut f32);
    /// The smallest lane, where none is NaN.
    unsafe fn reduce_min(self) -> f32;
    /// Bit `i` says whether lane `i` is at most the same lane of `limit`.
    unsafe fn at_most(self, limit: Self) -> u32;
}

/// See [`Kernel::minima`](super::Kernel::minima).
///
/// # Safety
/// The machine must have the instructions of `V`; `tile` holds `rows * Q` numbers, `groups` lies within the points, whose
/// panels are of `2 V::LANES`, and within the bias.
#[inline(always)]
pub(super) unsafe fn minima<V: Vector, const Q: usize>(
    points: &Points,
    bias: &Bias,
    groups: Range<usize>,
    tile: &[f32],
    minima: &mut [f32],
    stride: usize,
) {
    const { assert!(LEAST_GROUP.is_multiple_of(2 * V::LANES)) };
    let (rows, group, panel) = (points.rows(), points.group_size(), 2 * V::LANES);
    for g in groups {
        let (mut x, mut b) = (points.group(g).as_ptr(), bias.group(g, group).as_ptr());
        // SAFETY: the two slices are a group's `rows * group` coordinates and `group` biases, which is `group / panel` whole
        // panels, and `x`, `b` walk through them once; the caller vouches for `tile` and the instructions.
        let best = unsafe {
            let mut best = [V::splat(&f32::INFINITY); Q];
            for _ in 0..group / panel {
                let sums = panel_scores::<V, Q>(x, b, tile.as_ptr(), rows);
                (x, b) = (x.add(rows * panel), b.add(panel));
                for q in 0..Q {
                    // In this order a NaN score leaves `best` as it is.
                    best[q] = sums[q][1].min(sums[q][0].min(best[q]));
                }
            }
            best.map(|best| best.reduce_min())
        };
        best.iter().enumerate().for_each(|(q, &best)| minima[q * stride + g] = best);
    }
}

/// The scores of a panel of points with all queries of a tile.
///
/// # Safety
/// The machine must have the instructions of `V`; behind `x` and `b` lie a panel of points and its biases, behind `tile`
/// `rows * Q` numbers.
#[inline(always)]
unsafe fn panel_scores<V: Vector, const Q: usize>(
    mut x: *const f32,
    b: *const f32,
    mut tile: *const f32,
    rows: usize,
) -> [[V; 2]; Q] {
    // SAFETY: `x` and `tile` walk through `rows` times a panel's and a tile's width; the caller vouches for these.
    unsafe {
        let mut sums = [[V::load(b), V::load(b.add(V::LANES))]; Q];
        for _ in 0..rows {
            let (x0, x1) = (V::load(x), V::load(x.add(V::LANES)));
            for (q, sum) in sums.iter_mut().enumerate() {
                let factor = V::splat(tile.add(q));
                sum[0] = x0.mul_add(factor, sum[0]);
                sum[1] = x1.mul_add(factor, sum[1]);
            }
            x = x.add(2 * V::LANES);
            tile = tile.add(Q);
        }
        sums
    }
}

/// See [`Kernel::places`](super::Kernel::places).
///
/// # Safety
/// The machine must have the instructions of `V`; `tile` holds `rows * Q` numbers, `groups` lies within the points, whose
/// panels are of `2 V::LANES`, and within the bias.
#[inline(always)]
pub(super) unsafe fn places<V: Vector, const Q: usize>(
    points: &Points,
    bias: &Bias,
    groups: Range<usize>,
    tile: &[f32],
    limit: f32,
    places: &mut [u32],
    stride: usize,
) {
    const { assert!(LEAST_GROUP == 32 && LEAST_GROUP.is_multiple_of(2 * V::LANES)) };
    let (rows, group, panel) = (points.rows(), points.group_size(), 2 * V::LANES);
    for g in groups {
        let (mut x, mut b) = (points.group(g).as_ptr(), bias.group(g, group).as_ptr());
        for word in g * (group / 32)..(g + 1) * (group / 32) {
            let mut bits = [0; Q];
            for first in (0..32).step_by(panel) {
                // SAFETY: as in `minima`; the words of a group take its panels one after the other.
                unsafe {
                    let limit = V::splat(&limit);
                    let sums = panel_scores::<V, Q>(x, b, tile.as_ptr(), rows);
                    (x, b) = (x.add(rows * panel), b.add(panel));
                    for (bits, [low, high]) in bits.iter_mut().zip(sums) {
                        *bits |= (low.at_most(limit) | high.at_most(limit) << V::LANES) << first;
                    }
                }
            }
            bits.iter().enumerate().for_each(|(q, &bits)| places[q * stride + word] = bits);
        }
    }
}

/// See [`Kernel::scores`](super::Kernel::scores).
///
/// # Safety
/// The machine must have the instructions of `V`; `query` holds `rows` numbers, `group` is one of the points, whose panels are
/// of `2 V::LANES`, and of the bias.
#[inline(always)]
pub(super) unsafe fn scores<V: Vector>(
    points: &Points,
    bias: &Bias,
    group: usize,
    query: &[f32],
    scores: &mut [f32; GROUP],
) {
    const { assert!(LEAST_GROUP.is_multiple_of(2 * V::LANES)) };
    let (rows, size, panel) = (points.rows(), points.group_size(), 2 * V::LANES);
    let (x, b, out) = (points.group(group).as_ptr(), bias.group(group, size).as_ptr(), scores.as_mut_ptr());
    let mut first = 0;
    while first < size {
        // Two panels at a time where there are two: four sums that do not wait for each other.
        // SAFETY: as in `minima`: the panels of point `first` begin at coordinate `first * rows`; a group is whole panels, and
        // at most the `GROUP` places of `out`.
        unsafe {
            let (x, b, out) = (x.add(first * rows), b.add(first), out.add(first));
            if first + 2 * panel <= size {
                score_panels::<V, 2>(x, b, query, out);
                first += 2 * panel;
            } else {
                score_panels::<V, 1>(x, b, query, out);
                first += panel;
            }
        }
    }
}

/// # Safety
/// The machine must have the instructions of `V`; behind the pointers lie `P` panels of points, biases and scores.
#[inline(always)]
unsafe fn score_panels<V: Vector, const P: usize>(x: *const f32, b: *const f32, query: &[f32], out: *mut f32) {
    let panel = 2 * V::LANES;
    // SAFETY: panel `p` holds `query.len() * panel` coordinates; the caller vouches for `P` of them.
    unsafe {
        let bias = |p: usize, half: usize| V::load(b.add(p * panel + half * V::LANES));
        let mut sums: [[V; 2]; P] = std::array::from_fn(|p| [bias(p, 0), bias(p, 1)]);
        for (m, r) in query.iter().enumerate() {
            let factor = V::splat(r);
            for (p, sum) in sums.iter_mut().enumerate() {
                let x = x.add((p * query.len() + m) * panel);
                sum[0] = V::load(x).mul_add(factor, sum[0]);
                sum[1] = V::load(x.add(V::LANES)).mul_add(factor, sum[1]);
            }
        }
        for (p, sum) in sums.into_iter().enumerate() {
            sum[0].store(out.add(p * panel));
            sum[1].store(out.add(p * panel + V::LANES));
        }
    }
}

/// See [`Kernel::at_most`](super::Kernel::at_most).
///
/// # Safety
/// The machine must have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn at_most<V: Vector>(scores: &[f32; GROUP], limit: f32) -> u128 {
    const { assert!(GROUP.is_multiple_of(V::LANES)) };
    let mut places = 0;
    for first in (0..GROUP).step_by(V::LANES) {
        // SAFETY: `first + V::LANES <= GROUP`, which the lanes divide; the caller vouches for the instructions.
        let lanes = unsafe { V::load(scores.as_ptr().add(first)).at_most(V::splat(&limit)) };
        places |= u128::from(lanes) << first;
    }
    places
}

/// See [`Kernel::add_products`](super::Kernel::add_products); one block.
///
/// # Safety
/// The machine must have the instructions of `V`; `tile` is one of these points.
#[inline(always)]
pub(super) unsafe fn add_products<V: Vector, const VECTORS: usize>(
    points: &SparsePoints,
    block: usize,
    tile: &[Wide],
    sums: &mut [Wide],
) {
    const { assert!(VECTORS * V::LANES == WIDTH) };
    for (point, pairs) in points.visits(block) {
        let sums = &mut sums[point].0;
        // SAFETY: `sums` has as many places as the vectors; the places of entries lie within a tile, whose length the caller
        // vouches for, as for the instructions.
        unsafe {
            let add = |sum: &mut [V; VECTORS], entry: &Entry| {
                let factor = V::splat(&entry.value);
                let queries = tile.get_unchecked(entry.place as usize).0.as_ptr();
                for (v, sum) in sum.iter_mut().enumerate() {
                    *sum = V::load(queries.add(v * V::LANES)).mul_add(factor, *sum);
                }
            };
            // Two sums of every other entry, which do not wait for each other.
            let (mut even, mut odd) = ([V::splat(&0.0); VECTORS], [V::splat(&0.0); VECTORS]);
            for [first, second] in pairs {
                add(&mut even, first);
                add(&mut odd, second);
            }
            let one = V::splat(&1.0);
            for (v, (even, odd)) in even.into_iter().zip(odd).enumerate() {
                let sum = sums.as_mut_ptr().add(v * V::LANES);
                odd.mul_add(one, even.mul_add(one, V::load(sum))).store(sum);
            }
        }
    }
}

/// See [`Kernel::least_scores`](super::Kernel::least_scores).
///
/// # Safety
/// The machine must have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn least_scores<V: Vector, const VECTORS: usize>(sums: &[Wide], bias: &[f32]) -> Wide {
    const { assert!(VECTORS * V::LANES == WIDTH) };
    let mut out = Wide::ZERO;
    // SAFETY: `VECTORS` vectors are the numbers of a `Wide`; the caller vouches for the instructions.
    unsafe {
        let mut least = [V::splat(&f32::INFINITY); VECTORS];
        for (sums, bias) in sums.iter().zip(bias) {
            let scores: [V; VECTORS] = biased(sums, bias);
            for (least, score) in least.iter_mut().zip(scores) {
                *least = score.min(*least); // in this order a NaN score leaves `least` as it is
            }
        }
        for (v, least) in least.into_iter().enumerate() {
            least.store(out.0.as_mut_ptr().add(v * V::LANES));
        }
    }
    out
}

/// See [`Kernel::scores_within`](super::Kernel::scores_within).
///
/// # Safety
/// The machine must have the instructions of `V`.
#[inline(always)]
pub(super) unsafe fn scores_within<V: Vector, const VECTORS: usize>(
    sums: &[Wide],
    bias: &[f32],
    limits: &Wide,
    found: &mut Vec<(u32, u32)>,
) {
    const { assert!(VECTORS * V::LANES == WIDTH && WIDTH == 32) };
    for (n, (sums, bias)) in sums.iter().zip(bias).enumerate() {
        // SAFETY: as in `least_scores`.
        let queries = unsafe {
            let scores: [V; VECTORS] = biased(sums, bias);
            let mut queries = 0;
            for (v, score) in scores.into_iter().enumerate() {
                let limit = V::load(limits.0.as_ptr().add(v * V::LANES));
                queries |= score.at_most(limit) << (v * V::LANES);
            }
            queries
        };
        if queries != 0 {
            found.push((n as u32, queries));
        }
    }
}

/// `sums + bias`, as vectors.
///
/// # Safety
/// The machine must have the instructions of `V`; `VECTORS` of them are the numbers of a `Wide`.
#[inline(always)]
unsafe fn biased<V: Vector, const VECTORS: usize>(sums: &Wide, bias: &f32) -> [V; VECTORS] {
    // SAFETY: vector `v` is `V::LANES` of the numbers; the caller vouches for the rest.
    unsafe {
        let (one, bias) = (V::splat(&1.0), V::splat(bias));
        std::array::from_fn(|v| V::load(sums.0.as_ptr().add(v * V::LANES)).mul_add(one, bias))
    }
}

/// Defines a backend: a proof of the instruction set, which only its own file can make, and its entry points.
macro_rules! backend {
    ($(#[$doc:meta])* $name:ident, $label:literal, $vector:ty, tile $tile:literal $(, $feature:literal)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::kernels) struct $name(());

        // Without features there is nothing unsafe in calling `run`.
        #[allow(unused_unsafe)]
        impl $name {
            pub(in crate::kernels) fn name(self) -> &'static str {
                $label
            }
            pub(in crate::kernels) fn panel(self) -> usize {
                2 * <$vector as Vector>::LANES
            }
            pub(in crate::kernels) fn tile(self) -> usize {
                $tile
            }
            /// # Safety
            /// Points and bias have the layout of this backend and as many groups, `groups` lies within them, and `tile`
            /// holds a tile of their rows.
            pub(in crate::kernels) unsafe fn minima(
                self, points: &Points, bias: &Bias, groups: Range<usize>, tile: &[f32], minima: &mut [f32], stride: usize,
            ) {
                /// # Safety
                /// As above.
                $(#[target_feature(enable = $feature)])?
                unsafe fn run(
                    points: &Points, bias: &Bias, groups: Range<usize>, tile: &[f32], minima: &mut [f32], stride: usize,
                ) {
                    // SAFETY: this function has the instructions; the caller vouches for the lengths.
                    unsafe { tile::minima::<$vector, $tile>(points, bias, groups, tile, minima, stride) }
                }
                // SAFETY: `self` exists, so `new` has found the instructions; the caller vouches for the lengths.
                unsafe { run(points, bias, groups, tile, minima, stride) }
            }
            /// # Safety
            /// As for `minima`.
            #[allow(clippy::too_many_arguments)] // those of `Kernel::places`
            pub(in crate::kernels) unsafe fn places(
                self, points: &Points, bias: &Bias, groups: Range<usize>, tile: &[f32], limit: f32, places: &mut [u32],
                stride: usize,
            ) {
                /// # Safety
                /// As above.
                $(#[target_feature(enable = $feature)])?
                unsafe fn run(
                    points: &Points, bias: &Bias, groups: Range<usize>, tile: &[f32], limit: f32, places: &mut [u32],
                    stride: usize,
                ) {
                    // SAFETY: this function has the instructions; the caller vouches for the lengths.
                    unsafe { tile::places::<$vector, $tile>(points, bias, groups, tile, limit, places, stride) }
                }
                // SAFETY: `self` exists, so `new` has found the instructions; the caller vouches for the lengths.
                unsafe { run(points, bias, groups, tile, limit, places, stride) }
            }
            /// # Safety
            /// Points and bias have the layout of this backend and as many groups, `group` is one of them, and `query` has
            /// their rows.
            pub(in crate::kernels) unsafe fn scores(
                self, points: &Points, bias: &Bias, group: usize, query: &[f32], scores: &mut [f32; GROUP],
            ) {
                /// # Safety
                /// As above.
                $(#[target_feature(enable = $feature)])?
                unsafe fn run(points: &Points, bias: &Bias, group: usize, query: &[f32], scores: &mut [f32; GROUP]) {
                    // SAFETY: this function has the instructions; the caller vouches for the lengths.
                    unsafe { tile::scores::<$vector>(points, bias, group, query, scores) }
                }
                // SAFETY: `self` exists, so `new` has found the instructions; the caller vouches for the lengths.
                unsafe { run(points, bias, group, query, scores) }
            }
            /// # Safety
            /// `tile` is one of these points.
            pub(in crate::kernels) unsafe fn add_products(
                self, points: &SparsePoints, block: usize, tile: &[Wide], sums: &mut [Wide],
            ) {
                /// # Safety
                /// As above.
                $(#[target_feature(enable = $feature)])?
                unsafe fn run(points: &SparsePoints, block: usize, tile: &[Wide], sums: &mut [Wide]) {
                    const VECTORS: usize = WIDTH / <$vector as Vector>::LANES;
                    // SAFETY: this function has the instructions; the caller vouches for the lengths.
                    unsafe { tile::add_products::<$vector, VECTORS>(points, block, tile, sums) }
                }
                // SAFETY: `self` exists, so `new` has found the instructions; the caller vouches for the lengths.
                unsafe { run(points, block, tile, sums) }
            }
            pub(in crate::kernels) fn least_scores(self, sums: &[Wide], bias: &[f32]) -> Wide {
                $(#[target_feature(enable = $feature)])?
                fn run(sums: &[Wide], bias: &[f32]) -> Wide {
                    const VECTORS: usize = WIDTH / <$vector as Vector>::LANES;
                    // SAFETY: this function has the instructions.
                    unsafe { tile::least_scores::<$vector, VECTORS>(sums, bias) }
                }
                // SAFETY: `self` exists, so `new` has found the instructions on this machine.
                unsafe { run(sums, bias) }
            }
            pub(in crate::kernels) fn scores_within(
                self, sums: &[Wide], bias: &[f32], limits: &Wide, found: &mut Vec<(u32, u32)>,
            ) {
                $(#[target_feature(enable = $feature)])?
                fn run(sums: &[Wide], bias: &[f32], limits: &Wide, found: &mut Vec<(u32, u32)>) {
                    const VECTORS: usize = WIDTH / <$vector as Vector>::LANES;
                    // SAFETY: this function has the instructions.
                    unsafe { tile::scores_within::<$vector, VECTORS>(sums, bias, limits, found) }
                }
                // SAFETY: `self` exists, so `new` has found the instructions on this machine.
                unsafe { run(sums, bias, limits, found) }
            }
            pub(in crate::kernels) fn add_rows(self, rows: &[PanelRow], terms: &[Term], sums: &mut PanelRow) {
                $(#[target_feature(enable = $feature)])?
                fn run(rows: &[PanelRow], terms: &[Term], sums: &mut PanelRow) {
                    add_rows::<{ <$vector as Vector>::F64_SUMS }>(rows, terms, sums)
                }
                // SAFETY: `self` exists, so `new` has found the instructions on this machine.
                unsafe { run(rows, terms, sums) }
            }
            pub(in crate::kernels) fn at_most(self, scores: &[f32; GROUP], limit: f32) -> u128 {
                $(#[target_feature(enable = $feature)])?
                fn run(scores: &[f32; GROUP], limit: f32) -> u128 {
                    // SAFETY: this function has the instructions.
                    unsafe { tile::at_most::<$vector>(scores, limit) }
                }
                // SAFETY: `self` exists, so `new` has found the instructions on this machine.
                unsafe { run(scores, limit) }
            }
        }
    };
}
pub(super) use backend;
