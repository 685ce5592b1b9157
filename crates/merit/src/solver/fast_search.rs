//! The fast search: `f32` scores with a rigorous bound, decided in `f64`.

use super::first_look::{self, CoarseSet, FirstLook};
use super::hull::{Cloud, Hull};
use super::oracle::{Patience, Query, Winner};
use super::panels::Panel;
use super::settings::{Pruning, Settings};
use super::softmax::RowSoftmax;
use crate::progress::Interrupt;
use merit_linalg::dense::dot;
use merit_linalg::kernels::{Bias, CoarseKernel, CoarseTile, GROUP, Kernel, Points, least};
use merit_linalg::ranks::Ranks;
use merit_linalg::shards::{SHARD, Shards};
use merit_linalg::{DataMatrix, SparseColumns};

/// Bytes of packed points that stay in a core's cache.
pub(crate) const CACHE_BYTES: usize = 256 * 1024;

/// Packed columns of `X` and this iteration's bias for each.
pub(super) struct PointSet {
    points: Points,
    bias: Bias,
    /// The column of the first point, where the others follow in order.
    first: usize,
    /// The column of each point, where they do not.
    columns: Option<Vec<u32>>,
    /// The same points and biases for a first look, where that pays.
    coarse: Option<CoarseSet>,
}

impl PointSet {
    pub(super) fn count(&self) -> usize {
        self.points.count()
    }

    fn column(&self, point: usize) -> usize {
        self.columns.as_ref().map_or(self.first + point, |columns| columns[point] as usize)
    }

    fn take_bias(&mut self, y: &RowSoftmax, scale: f64) {
        let (first, columns) = (self.first, self.columns.as_ref());
        let column = |point: usize| columns.map_or(first + point, |columns| columns[point] as usize);
        let bias = |point: usize| (y.bias()[column(point)] * scale) as f32;
        self.points.refill_bias(&mut self.bias, (0..self.points.count()).map(bias));
        if let Some((points, biases)) = &mut self.coarse {
            points.refill_bias(biases, (0..points.count()).map(bias));
        }
    }
}

/// All columns as `f32` points, centered on the mean column (which changes no argmin) and scaled by powers of two, and where
/// it pays the few of them that can be chosen.
pub(super) struct FastSearch<'a> {
    X: &'a DataMatrix,
    /// The number of its first column: 0 unless this is a [`Panel`].
    first: usize,
    kernel: Kernel,
    center: Vec<f64>,
    pub(super) all: PointSet,
    pub(super) candidates: Option<PointSet>,
    hull: Option<Hull>,
    is_candidate: Vec<bool>,
    /// How many of the candidates are the hull's; the others are rows that this run has used.
    of_hull: usize,
    /// Points are `(x - center) * point_scale`, queries `r * query_scale`, biases `b * point_scale * query_scale`.
    point_scale: f64,
    query_scale: f64,
    /// `max ||x - center||` and `max ||x|| + ||center||`.
    radius: f64,
    reach: f64,
    largest_bias: f64,
    /// The first row with the smallest bias.
    least_biased: usize,
    first_look: FirstLook,
}

/// Groups that are opened one by one, each after a search for the least: the first may hold penalized points only, and say little about
/// the others.
const ONE_BY_ONE: usize = 4;

/// Working space of one worker.
pub(super) struct Scratch {
    queries: Vec<f32>,
    tiles: Vec<f32>,
    /// For each query of a shard the least score in each group, and infinity up to a multiple of 16 groups.
    minima: Vec<f32>,
    /// Numbers of one query among them.
    stride: usize,
    /// Scores of one group; places that no group of the set reaches stay at infinity.
    scores: [f32; GROUP],
    /// Points that may win, with their `f32` scores.
    open: Vec<(u32, f32)>,
    /// Groups that may hold the winner, with their minima.
    waiting: Vec<(usize, f32)>,
    /// After a first look: queries as bytes, and what rounding took from each query of the shard.
    coarse_tiles: Vec<CoarseTile>,
    lost: Vec<f64>,
}

impl<'a> FastSearch<'a> {
    pub(super) fn new(
        X: &'a DataMatrix,
        kernel: Kernel,
        first_look: Option<CoarseKernel>,
        settings: &Settings,
        interrupt: &Interrupt,
    ) -> Self {
        let (M, N) = (X.rows(), X.cols());
        let Frame { center, radius, reach, point_scale } = Frame::of(X);
        let points = pack(X, kernel, &center, point_scale);
        let first_look = FirstLook::of(X, first_look, &center, point_scale);
        let mut coarse = first_look.empty(M);
        if let Some((coarse, _)) = &mut coarse {
            (0..N).for_each(|n| coarse.push(scaled(&X.column(n), &center, point_scale)));
        }
        let all = PointSet { bias: points.pack_bias((0..N).map(|_| 0.0)), points, first: 0, columns: None, coarse };
        let cloud = Cloud { packed: &all.points, kernel, X, center: &center, scale: point_scale };
        let hull = hull_of(&cloud, settings.pruning, settings.iterations, interrupt);
        let mut screen = Self {
            X,
            first: 0,
            kernel,
            center,
            all,
            candidates: None,
            hull: None,
            is_candidate: Vec::new(),
            of_hull: 0,
            point_scale,
            query_scale: 1.0,
            radius,
            reach,
            largest_bias: 0.0,
            least_biased: 0,
            first_look,
        };
        if let Some(mut hull) = hull {
            let points = Points::empty(kernel, M);
            let (bias, coarse) = (points.pack_bias(std::iter::empty()), screen.first_look.empty(M));
            screen.candidates = Some(PointSet { bias, points, first: 0, columns: Some(Vec::new()), coarse });
            screen.is_candidate = vec![false; N];
            screen.join(std::mem::take(&mut hull.candidates).into_iter());
            screen.of_hull = screen.candidates.as_ref().map_or(0, PointSet::count);
            screen.hull = Some(hull);
        }
        screen
    }

    /// The columns of a panel, all of them; of no use once patience is over.
    pub(super) fn of_panel(panel: &Panel<'a>, kernel: Kernel, first_look: FirstLook, patience: &Patience) -> Self {
        let Panel { first, columns: X, frame } = *panel;
        let &Frame { ref center, radius, reach, point_scale } = frame;
        let points = Points::pack(kernel, X.rows(), X.cols(), |n, point| {
            if !patience.is_over() {
                write_point(&X.column(n), center, point_scale, point);
            }
        });
        let bias = points.pack_bias((0..X.cols()).map(|_| 0.0));
        let mut coarse = first_look.empty(X.rows());
        if let Some((coarse, _)) = &mut coarse {
            (0..X.cols()).for_each(|n| coarse.push(scaled(&X.column(n), center, point_scale)));
        }
        Self {
            X,
            first,
            kernel,
            center: center.clone(),
            all: PointSet { bias, points, first, columns: None, coarse },
            candidates: None,
            hull: None,
            is_candidate: Vec::new(),
            of_hull: 0,
            point_scale,
            query_scale: 1.0,
            radius,
            reach,
            largest_bias: 0.0,
            least_biased: first,
            first_look,
        }
    }

    /// Ready for a run that starts from `C`: the candidates are those of the hull and the rows in use.
    pub(super) fn start(&mut self, C: &SparseColumns) {
        if let Some(PointSet { points, columns: Some(columns), coarse, .. }) = &mut self.candidates {
            columns.drain(self.of_hull..).for_each(|n| self.is_candidate[n as usize] = false);
            points.truncate(self.of_hull);
            coarse.iter_mut().for_each(|(points, _)| points.truncate(self.of_hull));
        }
        self.first_look.start();
        self.join((0..C.cols() as u32).filter(|&n| C.row_count(n as usize) > 0));
    }

    /// Iterations of this run that looked at bytes first.
    pub(super) fn byte_searches(&self) -> usize {
        self.first_look.taken
    }

    /// What its searches counted, and how many points a group has.
    pub(super) fn into_first_look(self) -> (FirstLook, usize) {
        (self.first_look, self.all.points.group_size())
    }

    pub(super) fn tile(&self) -> usize {
        self.kernel.tile()
    }

    /// Rows that are in use from now on become candidates: their bias is smaller than that of an empty row.
    pub(super) fn join(&mut self, rows: impl Iterator<Item = u32>) {
        let Some(PointSet { points, columns: Some(columns), coarse, .. }) = &mut self.candidates else { return };
        let mut point = vec![0.0; self.X.rows()];
        for n in rows {
            if !std::mem::replace(&mut self.is_candidate[n as usize], true) {
                let x = self.X.column(n as usize);
                write_point(&x, &self.center, self.point_scale, &mut point);
                points.push(&point);
                columns.push(n);
                if let Some((points, _)) = coarse {
                    points.push(scaled(&x, &self.center, self.point_scale));
                }
            }
        }
    }

    /// Takes over this iteration's bias, and the scale of its residuals.
    pub(super) fn prepare(&mut self, largest_residual: f64, y: &RowSoftmax, ranks: &dyn Ranks) {
        let searched = self.candidates.as_ref().unwrap_or(&self.all);
        self.first_look.learn(&searched.points, ranks);
        let (columns, bias) = (Shards::new(self.X.cols()), &y.bias()[self.first..]);
        self.largest_bias = columns.max(0.0, |n| bias[n]);
        self.least_biased = self.first + columns.argmax(|n| -bias[n]).map_or(0, |(n, _)| n);
        self.query_scale = power_of_two_below(largest_residual.max(self.largest_bias * self.point_scale));
        let scale = self.point_scale * self.query_scale;
        self.all.take_bias(y, scale);
        if let Some(candidates) = &mut self.candidates {
            candidates.take_bias(y, scale);
        }
    }

    pub(super) fn scratch(&self, set: &PointSet) -> Scratch {
        let coarse = self.coarse(set);
        let (tile, groups) = match (coarse, self.first_look.kernel) {
            (Some((points, _)), Some(kernel)) => (kernel.tile(), points.groups()),
            _ => (self.kernel.tile(), set.points.groups()),
        };
        let stride = groups.next_multiple_of(16); // all of which `least` looks at by the same few instructions
        Scratch {
            queries: vec![0.0; self.X.rows() * SHARD],
            tiles: Vec::new(),
            minima: vec![f32::INFINITY; SHARD.next_multiple_of(tile) * stride],
            stride,
            scores: [f32::INFINITY; GROUP],
            open: Vec::new(),
            waiting: Vec::new(),
            coarse_tiles: coarse.map_or(Vec::new(), |(points, _)| {
                (0..SHARD.div_ceil(tile)).map(|_| CoarseTile::empty(points)).collect()
            }),
            lost: vec![0.0; SHARD],
        }
    }

    /// The points for a first look, where this iteration takes one.
    fn coarse<'s>(&self, set: &'s PointSet) -> Option<&'s CoarseSet> {
        set.coarse.as_ref().filter(|_| self.first_look.pays())
    }

    /// The least `f32` score of each group of the set, or nearly, for the residuals of at most a shard of columns.
    pub(super) fn group_minima(&self, set: &PointSet, residuals: &[&[f64]], scratch: &mut Scratch) {
        let (M, groups, tile) = (set.points.rows(), set.points.groups(), self.kernel.tile());
        let count = residuals.len();
        for (query, &r) in scratch.queries.chunks_exact_mut(M).zip(residuals) {
            query.iter_mut().zip(r).for_each(|(q, r)| *q = (r * self.query_scale) as f32);
        }
        if let (Some(coarse), Some(kernel)) = (self.coarse(set), self.first_look.kernel) {
            let Scratch { queries, coarse_tiles, minima, stride, lost, .. } = scratch;
            return first_look::look(coarse, kernel, &queries[..count * M], coarse_tiles, (minima, *stride), lost);
        }
        self.kernel.pack_tiles(M, &scratch.queries[..count * M], &mut scratch.tiles);
        // Points of some groups stay in the cache while all queries of the shard pass over them.
        let block = (CACHE_BYTES / (4 * M * set.points.group_size())).max(1);
        for first in (0..groups).step_by(block) {
            let range = first..(first + block).min(groups);
            let minima = scratch.minima.chunks_mut(tile * scratch.stride);
            for (queries, minima) in scratch.tiles.chunks_exact(M * tile).zip(minima) {
                self.kernel.minima(&set.points, &set.bias, range.clone(), queries, minima, scratch.stride);
            }
        }
    }

    /// The argmin over all columns, and what was found `so_far` elsewhere, for query `i` of those whose minima are in `scratch`; `None`
    /// where a column outside the set may be it.
    ///
    /// Every `f32` score lies within `error` of the (centered, scaled) `f64` score without penalty. A point without penalty
    /// and `f32` score `s` therefore beats every point above `s + 2 error`, and so does a penalized point whose true score is
    /// `s - error`. Groups are opened from the least minimum upwards until all that remain lie above that limit; usually
    /// that is one group, two when the least point carries a penalty. After a first look minima are not of `f32` scores, but none of these
    /// lies lower by more than `slack`.
    pub(super) fn search(
        &self,
        set: &PointSet,
        query: &Query,
        square: f64,
        i: usize,
        scratch: &mut Scratch,
        so_far: Winner,
    ) -> Option<Winner> {
        let product = |n: usize| self.X.dot(n - self.first, query.r);
        let (bias, mut winner) = (query.y.bias(), so_far);
        if square == 0.0 && query.place(self.least_biased).is_none() {
            // Every score is its bias, and none is below this one.
            let n = self.least_biased;
            winner.offer(product(n) + bias[n], n);
            return Some(winner);
        }
        let pruned = set.columns.is_some();
        if pruned && !self.candidates_suffice(query.r, square) {
            return None;
        }
        let (M, coarse) = (set.points.rows(), self.coarse(set));
        let minima = &mut scratch.minima[i * scratch.stride..][..scratch.stride];
        let single = &scratch.queries[i * M..][..M];
        let scores = &mut scratch.scores;
        let scale = self.point_scale * self.query_scale;
        let error = self.error_bound(square.sqrt());
        // The bytes' own error, the roundings of their way to `f32`, which are fewer than those of `error`, and `error` itself.
        let slack = coarse
            .map_or(0.0, |(points, _)| points.error(square.sqrt() * self.query_scale, scratch.lost[i]) + 2.0 * error);
        // Above which no score of a point can be the least, given the true score of another.
        let limit_of = |score: f64| (score - dot(&self.center, query.r)) * scale + 2.0 * error;
        let mut limit = if winner.score < f64::INFINITY { limit_of(winner.score) } else { f64::INFINITY };
        let mut least_penalized = f64::INFINITY; // of the scores that penalized points would have without penalty
        let (waiting, mut opened) = (&mut scratch.waiting, 0);
        scratch.open.clear();
        waiting.clear();
        waiting.push(take(minima, least(minima)));
        while let Some(&(g, mut minimum)) = waiting.get(opened)
            && f64::from(minimum) <= limit + slack
            && minimum < f32::INFINITY
        {
            self.kernel.scores(&set.points, &set.bias, g, single, scores);
            if coarse.is_some() {
                minimum = scores[least(&scores[..set.points.group_size()])];
            }
            let first = g * set.points.group_size();
            // The group's least points first: unless they carry penalties, nothing above them by two errors matters.
            let (mut seen, mut above) = (0, f32::NEG_INFINITY);
            let mut next = round_up(limit.min(f64::from(minimum) + 2.0 * error));
            while above < next {
                let mut places = self.kernel.at_most(scores, next) & !seen;
                seen |= places;
                while places != 0 {
                    let point = places.trailing_zeros() as usize;
                    places &= places - 1;
                    let (n, score) = (set.column(first + point), scores[point]);
                    if let Some(place) = query.place(n) {
                        let product = product(n);
                        let score = product + query.y.weight(query.C, n, query.support.1[place]);
                        winner.offer(score, n);
                        least_penalized = least_penalized.min(product + bias[n]);
                        limit = limit.min(limit_of(score));
                    } else {
                        scratch.open.push((n as u32, score));
                        limit = limit.min(f64::from(score) + 2.0 * error);
                    }
                }
                (above, next) = (next, round_up(limit));
            }
            opened += 1;
            if opened < ONE_BY_ONE {
                waiting.push(take(minima, least(minima)));
            } else if opened == ONE_BY_ONE {
                // The limit hardly moves from here on.
                take_below(minima, round_up(limit + slack), waiting);
                waiting[opened..].sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
            }
        }
        if coarse.is_some() {
            self.first_look.count(opened);
        }
        for &(n, _) in scratch.open.iter().filter(|&&(_, score)| f64::from(score) <= limit) {
            let n = n as usize;
            winner.offer(product(n) + bias[n], n);
        }
        // A column inside the hull scores above some candidate without its penalty: it cannot win if none of those is below.
        (!pruned || least_penalized >= winner.score).then_some(winner)
    }

    /// Whether a column inside the hull loses by more than the rounding error of `f64` scores, for this residual.
    fn candidates_suffice(&self, r: &[f64], square: f64) -> bool {
        let Some(hull) = &self.hull else { return true };
        let norm = square.sqrt();
        let within = match &hull.axes {
            None => norm,
            Some(axes) => (0..axes.cols()).map(|k| dot(axes.col(k), r).powi(2)).sum::<f64>().sqrt() * (1.0 - 1e-12),
        };
        let terms = self.X.rows() as f64 + 8.0;
        let rounding = 2f64.powi(-52) * terms * (self.reach * norm + self.largest_bias);
        hull.margin * within - 2.0 * hull.off_plane * norm > 2.0 * rounding
    }

    /// How far an `f32` score may be from the `f64` score, in scaled units.
    ///
    /// Rounding `x`, `r`, `b` and `M + 1` fused steps to `f32` costs at most `(M + 4) 2^-24 (||x - center|| ||r|| + b)`; the
    /// `f64` scores themselves, and the product with the center, `(M + 4) 2^-53` of their own magnitudes; and numbers too small
    /// for `f32` half a unit of 2^-149 each. Eight instead of four, and 2^-52, leave room for the rounding of this bound.
    fn error_bound(&self, r_norm: f64) -> f64 {
        let terms = self.X.rows() as f64 + 8.0;
        let scale = self.point_scale * self.query_scale;
        let single = 2f64.powi(-24) * (self.radius * r_norm + self.largest_bias) * scale;
        let double = 2f64.powi(-52) * (self.reach * r_norm + self.largest_bias) * scale;
        terms * (single + double + 2f64.powi(-149) * 4.0)
    }
}

/// Where the data lie and how large they are.
pub(super) struct Frame {
    center: Vec<f64>,
    radius: f64,
    reach: f64,
    point_scale: f64,
}

impl Frame {
    /// Whether searches over these columns begin with a look at bytes.
    pub(super) fn first_look(&self, X: &DataMatrix, kernel: Kernel) -> FirstLook {
        FirstLook::of(X, kernel.coarse(X.rows()), &self.center, self.point_scale)
    }

    pub(super) fn of(X: &DataMatrix) -> Self {
        let (M, N) = (X.rows(), X.cols());
        let columns = X.shards();
        let mut center = columns.sum_vectors(M, |l, sum| X.add_to(l, 1.0, sum));
        center.iter_mut().for_each(|c| *c /= N as f64);
        let distance = |l: usize| X.column(l).iter().zip(&center).map(|(x, c)| (x - c) * (x - c)).sum::<f64>();
        let radius = columns.max(0.0, distance).sqrt();
        let reach = columns.max(0.0, |l| X.squared_norm(l)).sqrt() + dot(&center, &center).sqrt();
        Self { point_scale: power_of_two_below(radius), center, radius, reach }
    }
}

fn pack(X: &DataMatrix, kernel: Kernel, center: &[f64], scale: f64) -> Points {
    Points::pack(kernel, X.rows(), X.cols(), |n, point| write_point(&X.column(n), center, scale, point))
}

fn hull_of(cloud: &Cloud, pruning: Pruning, iterations: usize, interrupt: &Interrupt) -> Option<Hull> {
    match pruning {
        Pruning::Never => None,
        Pruning::Measured => Hull::of(cloud, iterations, false, interrupt),
        Pruning::Always => Hull::of(cloud, iterations, true, interrupt),
    }
}

/// The columns that are not known to be mixtures of these, in order, and how far a mixture may be from being one; `None` where
/// `passes` over all columns are cheaper than to find out.
pub(crate) fn hull_columns(
    X: &DataMatrix,
    kernel: Kernel,
    pruning: Pruning,
    passes: usize,
    interrupt: &Interrupt,
) -> Option<(Vec<u32>, f64)> {
    if pruning == Pruning::Never || pruning == Pruning::Measured && !Hull::may_pay(X) {
        return None;
    }
    let Frame { center, point_scale, .. } = Frame::of(X);
    let packed = pack(X, kernel, &center, point_scale);
    let cloud = Cloud { packed: &packed, kernel, X, center: &center, scale: point_scale };
    let Hull { mut candidates, off_plane, .. } = hull_of(&cloud, pruning, passes, interrupt)?;
    candidates.sort_unstable();
    Some((candidates, 2.0 * off_plane))
}

fn write_point(x: &[f64], center: &[f64], scale: f64, point: &mut [f32]) {
    point.iter_mut().zip(scaled(x, center, scale)).for_each(|(p, x)| *p = x as f32);
}

pub(super) fn scaled(x: &[f64], center: &[f64], scale: f64) -> impl Iterator<Item = f64> {
    x.iter().zip(center).map(move |(x, c)| (x - c) * scale)
}

/// A group and its minimum, which becomes infinity.
fn take(minima: &mut [f32], group: usize) -> (usize, f32) {
    (group, std::mem::replace(&mut minima[group], f32::INFINITY))
}

/// The same for all groups whose minimum is at most `limit`.
fn take_below(minima: &mut [f32], limit: f32, taken: &mut Vec<(usize, f32)>) {
    for (chunk, values) in minima.chunks(16).enumerate() {
        // Whole chunks first, a comparison of which is one or two instructions.
        if values.iter().fold(false, |hit, &value| hit | (value <= limit)) {
            let below = (chunk * 16..).zip(values).filter(|&(_, &value)| value <= limit);
            taken.extend(below.map(|(group, &value)| (group, value)));
        }
    }
}

/// A finite `f32` that is not below `limit`, so that comparing with it leaves nothing out (behind the last point there is
/// infinity).
fn round_up(limit: f64) -> f32 {
    (limit as f32).next_up().min(f32::MAX)
}

/// The power of two that brings `size` into `(1/2, 1]`; 1 for 0. At most 2^500, for two of them are multiplied: what is still
/// too small for `f32` then is within the error bound.
pub(crate) fn power_of_two_below(size: f64) -> f64 {
    if size > 0.0 { 2f64.powi((-(size.log2().ceil() as i32)).min(500)) } else { 1.0 }
}
