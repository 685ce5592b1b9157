//! The linear minimisation oracle: for every column `l`, the vertex `e_j` with
//!
//! ```text
//! j = argmin_n  g(n,l),   g(n,l) = <x_n, r_l> + b_n            where C(n,l) = 0
//!                         g(n,l) = <x_n, r_l> + lambda y(n,l)  at the nonzeros of c_l   (larger than b_n says)
//! ```
//!
//! ties to the smallest `n`. [`scalar_search`] does just that in `f64` and defines the result. [`Screen`] finds the
//! same `j` faster: `f32` scores with a rigorous error bound leave a handful of candidates open, and those are decided in
//! `f64` by the same function. DESIGN.md has the argument.

use super::residuals::Residuals;
use super::settings::KernelChoice;
use super::softmax::RowSoftmax;
use merit_linalg::dense::dot;
use merit_linalg::kernels::{Bias, GROUP, Kernel, Points};
use merit_linalg::shards::{SHARD, Shards};
use merit_linalg::{DataMatrix, DenseMatrix, SparseColumns};
use std::ops::Range;

pub(super) struct Oracle<'a> {
    X: &'a DataMatrix,
    screen: Option<Screen<'a>>,
    vertices: Vec<u32>,
}

/// One column's view of the problem.
struct Query<'a> {
    X: &'a DataMatrix,
    y: &'a RowSoftmax,
    /// `r_l`.
    r: &'a [f64],
    /// The nonzeros of `c_l`.
    support: (&'a [u32], &'a [f64]),
}

impl Query<'_> {
    /// `lambda y(n,l)`.
    fn bias(&self, n: usize) -> f64 {
        match self.support.0.iter().position(|&row| row as usize == n) {
            Some(p) => self.y.weight(n, self.support.1[p]),
            None => self.y.bias()[n],
        }
    }

    /// `g(n,l)`.
    fn score(&self, n: usize) -> f64 {
        self.X.dot(n, self.r) + self.bias(n)
    }
}

impl<'a> Oracle<'a> {
    pub(super) fn new(X: &'a DataMatrix, kernel: KernelChoice) -> Self {
        let screen = match (X, kernel) {
            (DataMatrix::Sparse(_), _) | (_, KernelChoice::Scalar) => None,
            (DataMatrix::Dense(x), KernelChoice::Fastest) => Some(Screen::new(x, Kernel::best())),
            (DataMatrix::Dense(x), KernelChoice::Use(kernel)) => Some(Screen::new(x, kernel)),
        };
        Self { X, screen, vertices: vec![0; X.cols()] }
    }

    /// `j_l` of the last search.
    pub(super) fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Finds every `j_l`; gives the duality gap `sum_l <g_l, c_l - e_j>`.
    pub(super) fn best_vertices(&mut self, R: &Residuals, C: &SparseColumns, y: &RowSoftmax) -> f64 {
        if let Some(screen) = &mut self.screen {
            screen.prepare(R, y);
        }
        let (X, screen) = (self.X, &self.screen);
        let scratch = || (vec![0.0; X.rows()], screen.as_ref().map(Screen::scratch), y.bias().to_vec());
        Shards::new(X.cols()).fill_and_sum(&mut self.vertices, scratch, |range, vertices, (column, screening, bias)| {
            if let (Some(screen), Some(scratch)) = (screen, screening.as_mut()) {
                screen.group_minima(R, range.clone(), scratch);
            }
            let mut gap = 0.0;
            for (i, l) in range.enumerate() {
                let query = Query { X, y, r: R.column(l, C, column), support: C.col(l) };
                let j = match (screen, screening.as_mut()) {
                    (Some(screen), Some(scratch)) => screen.search(&query, R.square(l), i, scratch),
                    _ => scalar_search(&query, bias),
                };
                // <g_l, c_l> - g_j, with <X'r, c> = <r, X c> = <r, r + x_l>
                let weights: f64 =
                    query.support.0.iter().zip(query.support.1).map(|(&n, &c)| c * y.weight(n as usize, c)).sum();
                gap += R.square(l) + X.dot(l, query.r) + weights - query.score(j);
                vertices[i] = j as u32;
            }
            gap
        })
    }
}

/// The slow twin: every score in `f64`. `bias` is a copy of `y.bias()`, and is one again afterwards.
fn scalar_search(query: &Query, bias: &mut [f64]) -> usize {
    for (&n, &c) in query.support.0.iter().zip(query.support.1) {
        bias[n as usize] = query.y.weight(n as usize, c);
    }
    let mut winner = Winner::none();
    for (n, bias) in bias.iter().enumerate() {
        winner.offer(query.X.dot(n, query.r) + bias, n);
    }
    for &n in query.support.0 {
        bias[n as usize] = query.y.bias()[n as usize];
    }
    winner.index
}

/// `f32` scores of all points, centred on the mean column (which changes no argmin) and scaled by powers of two.
struct Screen<'a> {
    X: &'a DenseMatrix,
    kernel: Kernel,
    center: Vec<f64>,
    points: Points,
    bias: Bias,
    /// Points are `(x - center) * point_scale`, queries `r * query_scale`, biases `b * point_scale * query_scale`.
    point_scale: f64,
    query_scale: f64,
    /// `max ||x - center||` and `max ||x|| + ||center||`.
    radius: f64,
    reach: f64,
    largest_bias: f64,
}

/// Working space of one worker.
struct Scratch {
    queries: Vec<f32>,
    tiles: Vec<f32>,
    /// For each query of a shard the least score in each group.
    minima: Vec<f32>,
    /// Points that may win, with their `f32` scores.
    open: Vec<(u32, f32)>,
}

impl<'a> Screen<'a> {
    fn new(X: &'a DenseMatrix, kernel: Kernel) -> Self {
        let (M, N) = (X.rows(), X.cols());
        let columns = Shards::new(N);
        let mut center = columns.sum_vectors(M, |l, sum| sum.iter_mut().zip(X.col(l)).for_each(|(s, x)| *s += x));
        center.iter_mut().for_each(|c| *c /= N as f64);
        let distance = |l: usize| X.col(l).iter().zip(&center).map(|(x, c)| (x - c) * (x - c)).sum::<f64>();
        let radius = columns.max(0.0, distance).sqrt();
        let reach = columns.max(0.0, |l| dot(X.col(l), X.col(l))).sqrt() + dot(&center, &center).sqrt();
        let point_scale = power_of_two_below(radius);
        let points = Points::pack(kernel, M, N, |n, point| {
            for (p, (x, c)) in point.iter_mut().zip(X.col(n).iter().zip(&center)) {
                *p = ((x - c) * point_scale) as f32;
            }
        });
        let bias = points.pack_bias((0..N).map(|_| 0.0));
        Self { X, kernel, center, points, bias, point_scale, query_scale: 1.0, radius, reach, largest_bias: 0.0 }
    }

    /// Takes over this iteration's bias, and the scale of its residuals.
    fn prepare(&mut self, R: &Residuals, y: &RowSoftmax) {
        let columns = Shards::new(self.X.cols());
        let largest_residual = columns.max(0.0, |l| R.square(l)).sqrt();
        self.largest_bias = columns.max(0.0, |n| y.bias()[n]);
        self.query_scale = power_of_two_below(largest_residual.max(self.largest_bias * self.point_scale));
        let scale = self.point_scale * self.query_scale;
        self.points.refill_bias(&mut self.bias, y.bias().iter().map(|b| (b * scale) as f32));
    }

    fn scratch(&self) -> Scratch {
        Scratch {
            queries: vec![0.0; self.points.rows() * SHARD],
            tiles: Vec::new(),
            minima: vec![0.0; SHARD.next_multiple_of(self.kernel.tile()) * self.points.groups()],
            open: Vec::new(),
        }
    }

    /// The least `f32` score of each group, for all queries of a shard.
    fn group_minima(&self, R: &Residuals, range: Range<usize>, scratch: &mut Scratch) {
        let (M, groups, tile) = (self.points.rows(), self.points.groups(), self.kernel.tile());
        let count = range.len();
        for (query, l) in scratch.queries.chunks_exact_mut(M).zip(range) {
            let r = R.stored_column(l);
            query.iter_mut().zip(r).for_each(|(q, r)| *q = (r * self.query_scale) as f32);
        }
        self.kernel.pack_tiles(M, &scratch.queries[..count * M], &mut scratch.tiles);
        // Points of some groups stay in the cache while all queries of the shard pass over them.
        let block = (CACHE_BYTES / (4 * M * self.points.group_size())).max(1);
        for first in (0..groups).step_by(block) {
            let range = first..(first + block).min(groups);
            for (queries, minima) in scratch.tiles.chunks_exact(M * tile).zip(scratch.minima.chunks_mut(tile * groups))
            {
                self.kernel.minima(&self.points, &self.bias, range.clone(), queries, minima, groups);
            }
        }
    }

    /// The argmin for query `i` of the shard whose minima are in `scratch`.
    ///
    /// Every `f32` score lies within `error` of the (centred, scaled) `f64` score without penalty. A point without penalty
    /// and `f32` score `s` therefore beats every point above `s + 2 error`, and so does a penalised point whose true score is
    /// `s - error`. Groups are opened from the least minimum upwards until all that remain lie above that limit; usually
    /// that is one group, two when the least point carries a penalty.
    fn search(&self, query: &Query, square: f64, i: usize, scratch: &mut Scratch) -> usize {
        let (M, groups) = (self.points.rows(), self.points.groups());
        let minima = &mut scratch.minima[i * groups..][..groups];
        let single = &scratch.queries[i * M..][..M];
        let scale = self.point_scale * self.query_scale;
        let error = self.error_bound(square.sqrt());
        let middle = dot(&self.center, query.r);
        let (mut limit, mut above) = (f64::INFINITY, f32::INFINITY);
        let mut winner = Winner::none();
        scratch.open.clear();
        while let Some(g) = take_least(minima, limit) {
            let mut scores = [0.0; GROUP];
            self.kernel.scores(&self.points, &self.bias, g, single, &mut scores);
            let first = g * self.points.group_size();
            for (n, score) in (first..self.points.count()).zip(&scores[..self.points.group_size()]) {
                let score = *score;
                if score > above {
                    continue;
                }
                if query.support.0.contains(&(n as u32)) {
                    let score = query.score(n);
                    winner.offer(score, n);
                    limit = limit.min((score - middle) * scale + 2.0 * error);
                } else {
                    scratch.open.push((n as u32, score));
                    limit = limit.min(f64::from(score) + 2.0 * error);
                }
                above = round_up(limit);
            }
        }
        for &(n, _) in scratch.open.iter().filter(|&&(_, score)| f64::from(score) <= limit) {
            winner.offer(query.score(n as usize), n as usize);
        }
        winner.index
    }

    /// Half the width within which two `f32` scores may stand in the wrong order.
    ///
    /// Rounding `x`, `r`, `b` and `M + 1` fused steps to `f32` costs at most `(M + 4) 2^-24 (||x - center|| ||r|| + b)`; the
    /// `f64` scores themselves, and the product with the centre, `(M + 4) 2^-53` of their own magnitudes; and numbers too small
    /// for `f32` half a unit of 2^-149 each. Eight instead of four, and 2^-52, leave room for the rounding of this bound.
    fn error_bound(&self, r_norm: f64) -> f64 {
        let terms = self.points.rows() as f64 + 8.0;
        let scale = self.point_scale * self.query_scale;
        let single = 2f64.powi(-24) * (self.radius * r_norm + self.largest_bias) * scale;
        let double = 2f64.powi(-52) * (self.reach * r_norm + self.largest_bias) * scale;
        terms * (single + double + 2f64.powi(-149) * 4.0)
    }
}

/// The group with the least minimum, if that is within the limit; its minimum becomes infinity.
fn take_least(minima: &mut [f32], limit: f64) -> Option<usize> {
    let smaller = |a: f32, b: f32| if b < a { b } else { a };
    let mut lanes = [f32::INFINITY; 16];
    let (chunks, tail) = minima.as_chunks::<16>();
    for chunk in chunks {
        lanes = std::array::from_fn(|i| smaller(lanes[i], chunk[i]));
    }
    let least = lanes.iter().chain(tail).copied().fold(f32::INFINITY, smaller);
    if least == f32::INFINITY || f64::from(least) > limit {
        return None;
    }
    let g = minima.iter().position(|&minimum| minimum == least)?;
    minima[g] = f32::INFINITY;
    Some(g)
}

/// An `f32` that is not below `limit`, so that comparing with it leaves nothing out.
fn round_up(limit: f64) -> f32 {
    (limit as f32).next_up()
}

/// The best score so far; of equal ones the smaller index.
struct Winner {
    score: f64,
    index: usize,
}

impl Winner {
    fn none() -> Self {
        Self { score: f64::INFINITY, index: usize::MAX }
    }

    fn offer(&mut self, score: f64, index: usize) {
        if score < self.score || (score == self.score && index < self.index) {
            (self.score, self.index) = (score, index);
        }
    }
}

/// Bytes of packed points that stay in a core's cache.
const CACHE_BYTES: usize = 256 * 1024;

/// The power of two that brings `size` into `(1/2, 1]`; 1 for 0.
fn power_of_two_below(size: f64) -> f64 {
    if size > 0.0 { 2f64.powi(-(size.log2().ceil() as i32)) } else { 1.0 }
}
