//! Which columns can ever be chosen: the vertices of the convex hull of `X`, and a few that could not be told apart.
//!
//! An empty row `n` has the largest bias there is, `lambda / N`. If `x_n` lies strictly inside a simplex of other columns,
//! one of its corners has a smaller product with any residual, and a bias that is not larger: `n` cannot win. So the search
//! runs over the hull's vertices and the rows in use. docs/src/design/search.md has the argument with its margins.
//!
//! A point is dropped only on a certificate: `d + 1` columns around it (`d` the dimension of the data), whose simplex contains it with
//! a distance of at least [`MARGIN`] from every face. Everything else (which directions are tried, in which order, in which
//! precision) decides only how many candidates remain, never what is found.
//!
//! ```text
//! E = extreme points of some directions
//! for n in a scattered order:
//!   inside a simplex seen before             -> drop n
//!   min-norm point of conv(E) - x_n (Wolfe): a simplex of E around x_n  -> drop n, remember the simplex
//!                                            a separating direction     -> add the extreme point along it to E, try n again
//!                                            unclear                    -> keep n
//! ```

mod simplex;
mod wolfe;

use crate::progress::Interrupt;
use merit_linalg::decompositions::principal_axes;
use merit_linalg::kernels::{Bias, GROUP, Kernel, Points, least};
use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, DenseMatrix};
use rayon::prelude::*;
use simplex::Simplex;
use wolfe::Wolfe;

/// Distance from the faces of a simplex that a dropped point has at least, in units of the data's radius.
const MARGIN: f64 = 1e-11;
/// Rounding error allowed in the faces of a simplex.
const FACE_ERROR: f64 = 1e-12;
/// Spread below which a direction counts as empty.
const NULL_SPREAD: f64 = 1e-13;
/// Simplices remembered.
const MEMORY: usize = 96;
/// More dimensions than this are never worth the trial.
const MOST_DIMENSIONS: usize = 24;
/// Points tested before the first estimate of the share of vertices.
const SAMPLE: usize = 256;
/// Multiply-adds that a step of Wolfe's method costs beside its own (measured).
const WOLFE_STEP: u64 = 4000;

/// The columns that can be chosen while their rows are empty.
pub(super) struct Hull {
    /// Columns, in no particular order.
    pub(super) candidates: Vec<u32>,
    /// Every other column keeps this distance from the faces of a simplex of candidates, in the units of the data.
    pub(super) margin: f64,
    /// Largest part of a column outside the directions that the hull was computed in.
    pub(super) off_plane: f64,
    /// The directions of the data, `M x d`, where `d < M`.
    pub(super) axes: Option<DenseMatrix>,
}

/// Columns as points in `d` dimensions, of radius about 1, centered.
pub(super) struct Cloud<'a> {
    /// `M`-dimensional packed points, in the same units.
    pub(super) packed: &'a Points,
    pub(super) kernel: Kernel,
    pub(super) X: &'a DataMatrix,
    pub(super) center: &'a [f64],
    pub(super) scale: f64,
}

impl Cloud<'_> {
    /// Column `l` along these axes. `<axis, x - center>` as a difference of two products would cancel: it is centered first, in pieces.
    fn coordinates(&self, axes: &DenseMatrix, l: usize) -> Vec<f64> {
        let x = self.X.column(l);
        let along = |k: usize| {
            let terms = axes.col(k).iter().zip(x.iter().zip(self.center));
            terms.map(|(a, (x, c))| a * ((x - c) * self.scale)).sum()
        };
        (0..axes.cols()).map(along).collect()
    }
}

impl Hull {
    /// Whether it is worth the trial at all.
    pub(super) fn may_pay(X: &DataMatrix) -> bool {
        X.rows() <= MOST_DIMENSIONS && X.cols() >= 8 * SAMPLE
    }

    /// The hull of the columns, or `None` where a search over all columns is cheaper for a run of so many `iterations`.
    /// With `always` the only reason for `None` is that all columns are equal.
    /// It is `None`, too, once somebody asked for the end.
    pub(super) fn of(cloud: &Cloud, iterations: usize, always: bool, interrupt: &Interrupt) -> Option<Self> {
        let N = cloud.X.cols();
        if !always && !Self::may_pay(cloud.X) {
            return None;
        }
        let mut work = Work::new(cloud)?;
        work.seed_extremes();
        // A scattered order: the golden ratio of N, made coprime to it.
        let stride = (0.618_033_988_75 * N as f64) as usize | 1;
        let stride = (stride..).find(|&stride| gcd(stride, N) == 1)?;
        let mut order = (0..N).map(|i| ((i as u128 * stride as u128) % N as u128) as u32);
        let (mut tested, mut again, mut batch) = (0usize, Vec::new(), 96);
        loop {
            let mut points: Vec<u32> = std::mem::take(&mut again);
            let fresh: Vec<u32> = order.by_ref().take(batch).collect();
            tested += fresh.len();
            points.extend(fresh.into_iter().filter(|&n| !work.in_extremes(n)));
            if points.is_empty() && tested >= N {
                break;
            }
            again = work.round(&points, interrupt);
            if interrupt.asked() {
                return None;
            }
            // Rounds grow while there is little to learn.
            batch = if again.len() * 8 < batch { (batch * 2).min(8192) } else { (batch / 2).max(96) };
            let settled = tested - again.len();
            if !always && settled >= SAMPLE && !work.pays(settled, iterations) {
                return None;
            }
        }
        Some(work.finish())
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What is known while the columns are sorted into candidates and others.
struct Work<'a> {
    cloud: &'a Cloud<'a>,
    /// `M x d`.
    axes: DenseMatrix,
    off_plane: f64,
    /// `E`: columns, their coordinates one after the other, and packed, with a zero bias.
    extremes: Vec<u32>,
    corners: Vec<f64>,
    packed: Points,
    bias: Bias,
    is_extreme: Vec<bool>,
    kept: Vec<u32>,
    simplices: Vec<Simplex>,
    no_bias: Bias,
    /// Multiply-adds spent on tests, and tests that dropped a point.
    spent: u64,
    dropped: usize,
}

enum Verdict {
    Inside(usize),
    InsideNew(Simplex),
    Outside(Vec<f64>),
    Unclear,
}

impl<'a> Work<'a> {
    fn new(cloud: &'a Cloud<'a>) -> Option<Self> {
        let (M, N) = (cloud.X.rows(), cloud.X.cols());
        let axes = principal_axes(cloud.X, cloud.center)?;
        let farthest = Shards::new(N).map(|range| {
            let mut most = vec![0.0; M];
            for z in range.map(|l| cloud.coordinates(&axes, l)) {
                most.iter_mut().zip(z).for_each(|(most, z)| *most = f64::max(*most, z.abs()));
            }
            most
        });
        let spreads: Vec<f64> = (0..M).map(|k| farthest.iter().map(|most| most[k]).fold(0.0, f64::max)).collect();
        let kept: Vec<usize> = (0..M).filter(|&k| spreads[k] > NULL_SPREAD).collect();
        let off_plane = spreads.iter().filter(|&&s| s <= NULL_SPREAD).map(|s| s * s).sum::<f64>().sqrt();
        if kept.is_empty() {
            return None; // all columns are one point
        }
        let axes = if kept.len() < M { axes.select(&kept) } else { axes };
        let packed = Points::empty(cloud.kernel, axes.cols());
        Some(Self {
            cloud,
            axes,
            off_plane,
            extremes: Vec::new(),
            corners: Vec::new(),
            bias: packed.pack_bias(std::iter::empty()),
            packed,
            is_extreme: vec![false; N],
            kept: Vec::new(),
            simplices: Vec::new(),
            no_bias: cloud.packed.pack_bias((0..N).map(|_| 0.0)),
            spent: 0,
            dropped: 0,
        })
    }

    fn in_extremes(&self, n: u32) -> bool {
        self.is_extreme[n as usize]
    }

    /// Adds a column to `E`; false if it is there already.
    fn add(&mut self, n: u32) -> bool {
        if std::mem::replace(&mut self.is_extreme[n as usize], true) {
            return false;
        }
        let z = self.cloud.coordinates(&self.axes, n as usize);
        self.packed.push(&z.iter().map(|&z| z as f32).collect::<Vec<_>>());
        self.extremes.push(n);
        self.corners.extend(z);
        true
    }

    /// Coordinates of a point of `E`.
    fn corner(&self, place: usize) -> &[f64] {
        let d = self.axes.cols();
        &self.corners[place * d..][..d]
    }

    fn refresh_bias(&mut self) {
        self.packed.refill_bias(&mut self.bias, self.extremes.iter().map(|_| 0.0));
    }

    /// Extreme points along the axes and some fixed directions between them.
    fn seed_extremes(&mut self) {
        let d = self.axes.cols();
        let mut directions: Vec<Vec<f64>> = Vec::new();
        for k in 0..d {
            for sign in [1.0, -1.0] {
                directions.push((0..d).map(|i| if i == k { sign } else { 0.0 }).collect());
            }
        }
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        while directions.len() < 96 {
            directions.push((0..d).map(|_| uniform()).collect());
        }
        for n in self.extreme_points(&directions) {
            self.add(n);
        }
        self.refresh_bias();
    }

    /// For each direction `p` the column with (nearly) the least `<p, z>`.
    fn extreme_points(&self, directions: &[Vec<f64>]) -> Vec<u32> {
        let (cloud, M) = (self.cloud, self.cloud.X.rows());
        let (kernel, groups) = (cloud.kernel, cloud.packed.groups());
        let found: Vec<Vec<u32>> = directions
            .par_chunks(kernel.tile())
            .map(|directions| {
                let queries: Vec<f32> = directions
                    .iter()
                    .flat_map(|p| (0..M).map(|m| (0..p.len()).map(|k| self.axes.get(m, k) * p[k]).sum::<f64>() as f32))
                    .collect();
                let (mut tile, mut minima) = (Vec::new(), vec![0.0; kernel.tile() * groups]);
                kernel.pack_tiles(M, &queries, &mut tile);
                kernel.minima(cloud.packed, &self.no_bias, 0..groups, &tile, &mut minima, groups);
                let best = |q: usize| {
                    let group = least(&minima[q * groups..][..groups]);
                    let mut scores = [0.0; GROUP];
                    kernel.scores(cloud.packed, &self.no_bias, group, &queries[q * M..][..M], &mut scores);
                    let size = cloud.packed.group_size();
                    (group * size + least(&scores[..size])) as u32
                };
                (0..directions.len()).map(best).collect()
            })
            .collect();
        found.concat()
    }

    /// Tests some points; gives those to be tested again with more of `E`.
    fn round(&mut self, points: &[u32], interrupt: &Interrupt) -> Vec<u32> {
        let chunk = points.len().div_ceil(64).max(8);
        let shared = &*self;
        let test = |n: u32, wolfe: &mut Wolfe| match interrupt.asked() {
            true => (Verdict::Unclear, 0),
            false => shared.test(n, wolfe),
        };
        let verdicts: Vec<Vec<(Verdict, u64)>> = points
            .par_chunks(chunk)
            .map_init(Wolfe::default, |wolfe, points| points.iter().map(|&n| test(n, wolfe)).collect())
            .collect();
        let (mut outside, mut directions) = (Vec::new(), Vec::new());
        let mut hits = vec![0usize; self.simplices.len()];
        for (&n, (verdict, spent)) in points.iter().zip(verdicts.into_iter().flatten()) {
            self.spent += spent;
            match verdict {
                Verdict::Inside(simplex) => {
                    hits[simplex] += 1;
                    self.dropped += 1;
                }
                Verdict::InsideNew(simplex) => {
                    // Another point of this round may have brought one that holds this point's neighbors too.
                    self.dropped += 1;
                    hits.push(1);
                    self.simplices.push(simplex);
                }
                Verdict::Outside(direction) => {
                    outside.push(n);
                    directions.push(direction);
                }
                Verdict::Unclear => self.kept.push(n),
            }
        }
        self.remember(hits);
        let mut again = Vec::new();
        let found = self.extreme_points(&directions);
        let fresh: Vec<bool> = found.iter().map(|&j| !self.is_extreme[j as usize]).collect();
        found.iter().for_each(|&j| _ = self.add(j));
        self.refresh_bias();
        for (n, fresh) in outside.into_iter().zip(fresh) {
            match (self.in_extremes(n), fresh) {
                (true, _) => {}
                (false, true) => again.push(n),
                (false, false) => self.kept.push(n), // the direction leads nowhere new: too close to call
            }
        }
        again
    }

    /// Keeps the simplices that hold most points, the best first.
    fn remember(&mut self, hits: Vec<usize>) {
        for (simplex, hits) in self.simplices.iter_mut().zip(hits) {
            simplex.uses = simplex.uses / 2 + hits;
        }
        self.simplices.sort_by_key(|simplex| std::cmp::Reverse(simplex.uses));
        self.simplices.truncate(MEMORY);
    }

    fn test(&self, n: u32, wolfe: &mut Wolfe) -> (Verdict, u64) {
        let (z, d) = (&self.cloud.coordinates(&self.axes, n as usize)[..], self.axes.cols() as u64);
        let (mut spent, mut nearest) = (0, (f64::NEG_INFINITY, None));
        for (i, simplex) in self.simplices.iter().enumerate() {
            spent += 2 * d;
            let depth = simplex.depth(z, nearest.0);
            if depth >= MARGIN {
                return (Verdict::Inside(i), spent);
            }
            if depth > nearest.0 {
                nearest = (depth, Some(simplex));
            }
        }
        let verdict = wolfe.locate(self, z, nearest.1, &mut spent);
        (verdict, spent)
    }

    /// Whether going on is cheaper than searching all columns in every iteration.
    ///
    /// Counted in multiply-adds: a search over all costs `M N` a query and iteration, at the full speed of the machine; a test costs
    /// what was spent on average, at about a fifth of it (measured: one query at a time). Vertices, and a little overhead, are searched either way.
    fn pays(&self, settled: usize, iterations: usize) -> bool {
        let (M, N) = (self.cloud.X.rows() as f64, self.cloud.X.cols() as f64);
        let share = 1.0 - (self.dropped as f64 / settled as f64);
        let test = (5.0 * self.spent as f64 + 2.0 * N * M * self.extremes.len() as f64) / settled as f64;
        let saved = iterations as f64 * ((1.0 - share) * N * M - 1500.0);
        let rest = 1.0 - settled as f64 / N; // what was spent is spent
        rest * test < saved && share < 0.7
    }

    fn finish(self) -> Hull {
        let mut candidates = self.extremes;
        candidates.extend(self.kept);
        // Near-equal columns side by side: they tie, and then open one group instead of several.
        let places = DenseMatrix::from_column_fn(self.axes.cols(), candidates.len(), |i, place| {
            let z = self.cloud.coordinates(&self.axes, candidates[i] as usize);
            place.iter_mut().zip(z).for_each(|(place, z)| *place = (z * 1e6).round());
        });
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by(|&a, &b| {
            let mut places = places.col(a).iter().zip(places.col(b)).map(|(a, b)| a.total_cmp(b));
            places.find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        candidates = order.into_iter().map(|i| candidates[i]).collect();
        let whole = self.axes.cols() == self.cloud.X.rows();
        Hull {
            candidates,
            margin: (MARGIN - 2.0 * FACE_ERROR) / self.cloud.scale,
            off_plane: self.off_plane / self.cloud.scale,
            axes: (!whole).then_some(self.axes),
        }
    }
}
