//! A first look at all points in bytes: for each query and group a number that is close to the least score there, with a bound on
//! how close, at a fraction of what `f32` costs.
//!
//! Coordinates of points are rounded to multiples of one step and kept as bytes, those of a query to multiples of its own. A
//! product of the two is a sum of whole numbers, which has no rounding, so that with `x = s u + d` and `r = t v + e`
//!
//! ```text
//! |<x, r> - s t <u, v>|  =  |<d, r> + <s u, e>|  <=  ||d|| ||r|| + ||s u|| ||e||,
//! ```
//!
//! where all four norms are known. The points of a group lie in the same lane of successive vectors, so that minima need no folding
//! across lanes: what is stored are the minima of as many groups as a vector has lanes.

use super::tile::Vector;
use super::{Kernel, LEAST_GROUP, group_of, points::size, proof};
use std::ops::Range;

/// Coordinates are whole numbers within this many steps of a point. As bytes they are shifted by [`SHIFT`], for the instructions
/// multiply unsigned by signed ones.
const LEVELS: f64 = 127.0;
const SHIFT: i32 = 128;

/// Most rows: sums of products of bytes then stay below 2^31.
const MOST_ROWS: usize = 1 << 15;

/// Coordinates that one instruction multiplies and adds up.
const QUAD: usize = 4;

/// A way to multiply bytes on this machine, tried against plain Rust before it is given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoarseKernel(pub(super) Backend);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backend {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Vnni(super::x86_64::Vnni),
}

/// The vector instructions of one instruction set.
///
/// # Safety
/// `load` reads `4 LANES` bytes at its pointer, `splat` four and `start` one number, without alignment but that of the type. A caller
/// vouches for them, and for the machine having the instruction set.
pub(super) unsafe trait ByteVector: Copy {
    /// Lanes of four bytes, or of one sum.
    const LANES: usize;
    /// As many lanes of `f32`.
    type Floats: Vector;
    unsafe fn load(from: *const u8) -> Self;
    unsafe fn splat(from: *const i8) -> Self;
    unsafe fn start(from: *const i32) -> Self;
    /// Adds to the sums the four products in each lane, of unsigned bytes with signed ones.
    unsafe fn add_products(self, points: Self, queries: Self) -> Self;
    /// The sums, rounded to `f32`.
    unsafe fn floats(self) -> Self::Floats;
}

impl CoarseKernel {
    /// Every one that runs on this machine and gives the results of plain Rust, the fastest first.
    pub fn available() -> Vec<Self> {
        proof::of_this_machine().coarse.clone()
    }

    /// Every one that this machine has the instructions for; the portable one is the last.
    pub(super) fn found() -> Vec<Self> {
        let backends = [
            #[cfg(target_arch = "x86_64")]
            super::x86_64::Vnni::new().map(Backend::Vnni),
            Some(Backend::Portable),
        ];
        backends.into_iter().flatten().map(Self).collect()
    }

    /// What the instruction set is called.
    pub fn name(self) -> &'static str {
        match self.0 {
            Backend::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Backend::Vnni(_) => "avx512vnni",
        }
    }

    /// Vector instructions for one vector of points and a query, of which `f32` has as many as rows and one or two more.
    pub fn cost(self, rows: usize) -> usize {
        rows.div_ceil(QUAD) + 3
    }

    /// Queries of one tile.
    pub fn tile(self) -> usize {
        match self.0 {
            Backend::Portable => PORTABLE_TILE,
            #[cfg(target_arch = "x86_64")]
            Backend::Vnni(_) => super::x86_64::Vnni::TILE,
        }
    }

    /// Groups whose minima are stored at once.
    pub fn lanes(self) -> usize {
        match self.0 {
            Backend::Portable => PORTABLE_LANES,
            #[cfg(target_arch = "x86_64")]
            Backend::Vnni(_) => <super::x86_64::Vnni as HasLanes>::LANES,
        }
    }

    /// For each group in some blocks of [`lanes`](Self::lanes) groups and each query `q` of the tile the least `s t <u_n, v_q> + b_n`, to
    /// `minima[q * stride + group]`.
    pub fn minima(
        self,
        points: &CoarsePoints,
        bias: &CoarseBias,
        blocks: Range<usize>,
        tile: &CoarseTile,
        minima: &mut [f32],
        stride: usize,
    ) {
        assert_eq!((points.kernel, tile.kernel, tile.quads), (self, self, points.quads), "made for another kernel");
        assert!(bias.0.len() == points.places(), "a bias of other points");
        assert!(blocks.end <= points.blocks() && points.groups() <= stride, "groups behind the last");
        assert!(minima.len() >= size(self.tile(), stride), "no room for the minima");
        // SAFETY: the lengths have just been checked; points and tiles have those that their making gave them.
        unsafe {
            match self.0 {
                Backend::Portable => {
                    coarse_minima::<Lanes, PORTABLE_TILE>(points, bias, blocks, tile, minima, stride);
                }
                #[cfg(target_arch = "x86_64")]
                Backend::Vnni(vnni) => vnni.minima(points, bias, blocks, tile, minima, stride),
            }
        }
    }
}

impl Kernel {
    /// How this kernel takes a first look at points of so many rows; `None` where that would take three quarters of the time that
    /// it may save, or more.
    pub fn coarse(self, rows: usize) -> Option<CoarseKernel> {
        let coarse = CoarseKernel::available().into_iter().find(|coarse| match coarse.0 {
            Backend::Portable => false,
            #[cfg(target_arch = "x86_64")]
            Backend::Vnni(_) => self.name() == "avx512",
        })?;
        (rows <= MOST_ROWS && 4 * coarse.cost(rows) <= 3 * rows).then_some(coarse)
    }
}

/// Points as bytes: `M N` of them.
#[derive(Debug)]
pub struct CoarsePoints {
    kernel: CoarseKernel,
    rows: usize,
    quads: usize,
    group: usize,
    count: usize,
    /// Four coordinates of the first points of `lanes` groups, the next four of these, ...; then of the second points.
    values: Vec<u8>,
    step: f64,
    error: f64,
    norm: f64,
}

/// One number for each point; places without a point hold infinity and never win.
#[derive(Debug)]
pub struct CoarseBias(Vec<f32>);

impl CoarsePoints {
    /// No points yet, of `rows` coordinates that are at most `largest`.
    pub fn empty(kernel: CoarseKernel, rows: usize, largest: f64) -> Self {
        let (quads, group) = (rows.div_ceil(QUAD), group_of(rows));
        let step = if largest > 0.0 { largest / LEVELS } else { 1.0 };
        Self { kernel, rows, quads, group, count: 0, values: Vec::new(), step, error: 0.0, norm: 0.0 }
    }

    /// Adds a point at the end.
    pub fn push(&mut self, point: impl Iterator<Item = f64>) {
        let (n, lanes) = (self.count, self.kernel.lanes());
        let blocks = (n + 1).div_ceil(lanes * self.group);
        self.values.resize(size(size(blocks * self.group, self.quads), lanes * QUAD), SHIFT as u8);
        self.count = n + 1;
        let (vector, lane) = self.place(n);
        // Adding and subtracting this rounds numbers below 2^51 to whole ones.
        const WHOLE: f64 = 6_755_399_441_055_744.0;
        let inverse = 1.0 / self.step;
        let (mut error, mut norm, mut rows) = (0.0, 0.0, 0);
        for (m, x) in point.enumerate().take(self.rows) {
            let level = ((x * inverse + WHOLE) - WHOLE).clamp(-LEVELS, LEVELS);
            let rounded = level * self.step;
            (error, norm, rows) = (error + (x - rounded).powi(2), norm + rounded.powi(2), m + 1);
            self.values[((vector * self.quads + m / QUAD) * lanes + lane) * QUAD + m % QUAD] =
                (level as i32 + SHIFT) as u8;
        }
        assert_eq!(rows, self.rows);
        // The sums of squares have as many roundings as terms.
        let safe = 1.0 + (self.rows as f64 + 8.0) * f64::EPSILON;
        (self.error, self.norm) = (self.error.max(error.sqrt() * safe), self.norm.max(norm.sqrt() * safe));
    }

    /// Keeps the first `count` points.
    pub fn truncate(&mut self, count: usize) {
        self.count = self.count.min(count);
    }

    /// A bias for every point.
    pub fn refill_bias(&self, bias: &mut CoarseBias, values: impl Iterator<Item = f32>) {
        bias.0.clear();
        bias.0.resize(self.places(), f32::INFINITY);
        let lanes = self.kernel.lanes();
        for (n, value) in values.take(self.count).enumerate() {
            let (vector, lane) = self.place(n);
            bias.0[vector * lanes + lane] = value;
        }
    }

    /// How far `s t <u, v>` may be from `<x, r>` for a query of this norm whose roundings have norm `query_error`.
    pub fn error(&self, query_norm: f64, query_error: f64) -> f64 {
        (self.error * query_norm + self.norm * query_error) * (1.0 + 1e-9)
    }

    /// Coordinates of a point.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of points.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Points of one group, those of [`Points`](super::Points) of as many rows.
    pub fn group_size(&self) -> usize {
        self.group
    }

    /// Number of groups, with the empty ones that fill the last block.
    pub fn groups(&self) -> usize {
        self.blocks() * self.kernel.lanes()
    }

    /// Number of blocks of [`CoarseKernel::lanes`] groups.
    pub fn blocks(&self) -> usize {
        self.count.div_ceil(self.group * self.kernel.lanes())
    }

    /// Bytes of a block.
    pub fn block_bytes(&self) -> usize {
        self.group * self.quads * QUAD * self.kernel.lanes()
    }

    /// The vector and the lane of point `n`.
    #[inline]
    fn place(&self, n: usize) -> (usize, usize) {
        let (lanes, group) = (self.kernel.lanes(), self.group);
        let (block, lane) = (n / group / lanes, n / group % lanes);
        (block * group + n % group, lane)
    }

    fn places(&self) -> usize {
        self.groups() * self.group
    }
}

impl CoarseBias {
    /// Of no points.
    pub fn empty() -> Self {
        Self(Vec::new())
    }
}

/// Queries as bytes, for one call of [`CoarseKernel::minima`].
#[derive(Debug)]
pub struct CoarseTile {
    kernel: CoarseKernel,
    quads: usize,
    /// Four coordinates of each query, the next four of each, ...
    values: Vec<i8>,
    /// What undoes the shift of the points.
    starts: Vec<i32>,
    /// `s t` for each query.
    scales: Vec<f32>,
    levels: Vec<f32>,
}

impl CoarseTile {
    /// A tile of queries that are zero.
    pub fn empty(points: &CoarsePoints) -> Self {
        let (kernel, quads) = (points.kernel, points.quads);
        let queries = kernel.tile();
        let (values, starts, scales) = (vec![0; size(quads * QUAD, queries)], vec![0; queries], vec![0.0; queries]);
        Self { kernel, quads, values, starts, scales, levels: vec![0.0; points.rows] }
    }

    /// Puts a query at a place of the tile; gives a bound on the norm of what rounding took from it.
    pub fn set(&mut self, place: usize, points: &CoarsePoints, query: &[f32]) -> f64 {
        assert!(place < self.kernel.tile() && query.len() == points.rows && self.levels.len() == points.rows);
        let mut lanes = [0f32; 8];
        let (chunks, tail) = query.as_chunks::<8>();
        for chunk in chunks {
            lanes = std::array::from_fn(|i| if chunk[i].abs() > lanes[i] { chunk[i].abs() } else { lanes[i] });
        }
        let largest = lanes.iter().chain(tail).fold(0f32, |most, r| most.max(r.abs()));
        let step = largest / LEVELS as f32;
        let inverse = if step > 0.0 && (1.0 / step).is_finite() { 1.0 / step } else { 0.0 };
        // Adding and subtracting this rounds numbers below 2^22 to whole ones, in every lane of a vector at once.
        const WHOLE: f32 = 12_582_912.0;
        let mut errors = [0f32; 8];
        for (level, r) in self.levels.iter_mut().zip(query) {
            *level = (r * inverse + WHOLE) - WHOLE;
        }
        let (levels, last) = self.levels.as_chunks::<8>();
        for (level, r) in levels.iter().zip(chunks) {
            errors = std::array::from_fn(|i| errors[i] + (r[i] - level[i] * step) * (r[i] - level[i] * step));
        }
        let error: f32 = errors.iter().sum::<f32>()
            + last.iter().zip(tail).map(|(level, r)| (r - level * step) * (r - level * step)).sum::<f32>();
        let (width, mut sum) = (self.kernel.tile() * QUAD, 0);
        for (m, &level) in self.levels.iter().enumerate() {
            let level = level as i32;
            sum += level;
            self.values[m / QUAD * width + place * QUAD + m % QUAD] = level as i8;
        }
        self.starts[place] = -SHIFT * sum;
        self.scales[place] = (points.step * f64::from(step)) as f32;
        // Each difference may be off by two roundings of numbers no larger than the largest, the sum by one for each term.
        let (rows, largest) = (query.len() as f64, f64::from(largest));
        f64::from(error).sqrt() * (1.0 + rows * 2f64.powi(-22)) + rows.sqrt() * largest * 2f64.powi(-22) + rows * 1e-40
    }
}

/// See [`CoarseKernel::minima`].
///
/// # Safety
/// The machine must have the instructions of `V`, whose lanes are those of the points; the tile is of `Q` queries with as many quads as
/// the points, `blocks` lies within points and bias, and `minima` has room for `Q` strides.
#[inline(always)]
pub(super) unsafe fn coarse_minima<V: ByteVector, const Q: usize>(
    points: &CoarsePoints,
    bias: &CoarseBias,
    blocks: Range<usize>,
    tile: &CoarseTile,
    minima: &mut [f32],
    stride: usize,
) {
    const { assert!(LEAST_GROUP.is_multiple_of(2) && V::LANES == <V::Floats as Vector>::LANES) };
    let (quads, group, vector) = (points.quads, points.group, V::LANES * QUAD);
    for block in blocks {
        let mut x = points.values[block * group * quads * vector..][..group * quads * vector].as_ptr();
        let mut b = bias.0[block * group * V::LANES..][..group * V::LANES].as_ptr();
        // SAFETY: `x` and `b` walk once through a block, whose lengths the two lines above have; `values`, `starts` and `scales` have
        // the lengths of `CoarseTile::empty`, for `Q` queries; the caller vouches for the minima and the instructions.
        unsafe {
            let mut best = [V::Floats::splat(&f32::INFINITY); Q];
            for _ in 0..group / 2 {
                let mut sums: [[V; 2]; Q] = std::array::from_fn(|q| [V::start(tile.starts.as_ptr().add(q)); 2]);
                let (mut low, mut high, mut queries) = (x, x.add(quads * vector), tile.values.as_ptr());
                for _ in 0..quads {
                    let (p0, p1) = (V::load(low), V::load(high));
                    for (q, sum) in sums.iter_mut().enumerate() {
                        let factors = V::splat(queries.add(q * QUAD));
                        sum[0] = sum[0].add_products(p0, factors);
                        sum[1] = sum[1].add_products(p1, factors);
                    }
                    (low, high, queries) = (low.add(vector), high.add(vector), queries.add(Q * QUAD));
                }
                let (b0, b1) = (V::Floats::load(b), V::Floats::load(b.add(V::LANES)));
                for q in 0..Q {
                    let scale = V::Floats::splat(tile.scales.as_ptr().add(q));
                    let (s0, s1) = (sums[q][0].floats().mul_add(scale, b0), sums[q][1].floats().mul_add(scale, b1));
                    best[q] = s1.min(s0.min(best[q]));
                }
                (x, b) = (x.add(2 * quads * vector), b.add(2 * V::LANES));
            }
            for (q, best) in best.into_iter().enumerate() {
                best.store(minima[q * stride + block * V::LANES..][..V::LANES].as_mut_ptr());
            }
        }
    }
}

/// The lanes of a backend, where its vectors are not to be seen.
pub(super) trait HasLanes {
    const LANES: usize;
}

const PORTABLE_LANES: usize = 8;
const PORTABLE_TILE: usize = 2;

/// Plain Rust.
#[derive(Clone, Copy)]
union Lanes {
    unsigned: [[u8; QUAD]; PORTABLE_LANES],
    signed: [[i8; QUAD]; PORTABLE_LANES],
    sums: [i32; PORTABLE_LANES],
}

// SAFETY: reads of as many bytes as the lanes have; every bit pattern is a number of each type of the union.
unsafe impl ByteVector for Lanes {
    const LANES: usize = PORTABLE_LANES;
    type Floats = super::portable::Lanes;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: as the trait asks of the caller; bytes need no alignment.
        Self { unsigned: unsafe { *from.cast() } }
    }
    #[inline(always)]
    unsafe fn splat(from: *const i8) -> Self {
        // SAFETY: as the trait asks of the caller; bytes need no alignment.
        Self { signed: [unsafe { *from.cast() }; PORTABLE_LANES] }
    }
    #[inline(always)]
    unsafe fn start(from: *const i32) -> Self {
        // SAFETY: as the trait asks of the caller.
        Self { sums: [unsafe { *from }; PORTABLE_LANES] }
    }
    #[inline(always)]
    unsafe fn add_products(self, points: Self, queries: Self) -> Self {
        // SAFETY: all bits are numbers of each type.
        let (sums, points, queries) = unsafe { (self.sums, points.unsigned, queries.signed) };
        let products = |i: usize| (0..QUAD).map(|k| i32::from(points[i][k]) * i32::from(queries[i][k])).sum::<i32>();
        Self { sums: std::array::from_fn(|i| sums[i] + products(i)) }
    }
    #[inline(always)]
    unsafe fn floats(self) -> Self::Floats {
        // SAFETY: all bits are numbers of each type.
        super::portable::Lanes(unsafe { self.sums }.map(|sum| sum as f32))
    }
}
