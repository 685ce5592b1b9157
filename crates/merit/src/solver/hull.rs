//! Which columns can ever be chosen: the vertices of the convex hull of `X`, and a few that could not be told apart.
//!
//! An empty row `n` has the largest bias there is, `lambda / N`. If `x_n` lies strictly inside a simplex of other columns,
//! one of its corners has a smaller product with any residual, and a bias that is not larger: `n` cannot win. So the search
//! runs over the hull's vertices and the rows in use. DESIGN.md has the argument with its margins.
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

use crate::progress::Interrupt;
use merit_linalg::DenseMatrix;
use merit_linalg::decompositions::principal_axes;
use merit_linalg::dense::dot;
use merit_linalg::kernels::{Bias, GROUP, Kernel, Points, least};
use rayon::prelude::*;

/// Distance from the faces of a simplex that a dropped point has at least, in units of the data's radius.
const MARGIN: f64 = 1e-11;
/// Rounding error allowed in the faces of a simplex.
const FACE_ERROR: f64 = 1e-12;
/// Spread below which a direction counts as empty.
const NULL_SPREAD: f64 = 1e-13;
/// Simplices remembered.
const MEMORY: usize = 48;
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

/// Columns as points in `d` dimensions, of radius about 1, centred.
pub(super) struct Cloud<'a> {
    /// `M`-dimensional packed points, in the same units.
    pub(super) packed: &'a Points,
    pub(super) kernel: Kernel,
    pub(super) X: &'a DenseMatrix,
    pub(super) center: &'a [f64],
    pub(super) scale: f64,
}

impl Hull {
    /// The hull of the columns, or `None` where a search over all columns is cheaper for a run of so many `iterations`.
    /// With `always` the only reason for `None` is that all columns are equal.
    /// It is `None`, too, once somebody asked for the end.
    pub(super) fn of(cloud: &Cloud, iterations: usize, always: bool, interrupt: &Interrupt) -> Option<Self> {
        let (M, N) = (cloud.X.rows(), cloud.X.cols());
        if !always && (M > MOST_DIMENSIONS || N < 8 * SAMPLE) {
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
    /// `M x d`, and all columns in those coordinates, `d x N`.
    axes: DenseMatrix,
    points: DenseMatrix,
    off_plane: f64,
    /// `E`: columns, packed, with a zero bias.
    extremes: Vec<u32>,
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
        // <axis, x - center> as a difference of two products would cancel: the column is centred first, in pieces.
        let coordinates = |axes: &DenseMatrix| {
            DenseMatrix::from_column_fn(axes.cols(), N, |l, z| {
                let x = cloud.X.col(l);
                for (k, z) in z.iter_mut().enumerate() {
                    let terms = axes.col(k).iter().zip(x.iter().zip(cloud.center));
                    *z = terms.map(|(a, (x, c))| a * ((x - c) * cloud.scale)).sum();
                }
            })
        };
        let all = coordinates(&axes);
        let spread = |k: usize| (0..N).map(|l| all.get(k, l).abs()).fold(0.0, f64::max);
        let spreads: Vec<f64> = (0..M).map(spread).collect();
        let kept: Vec<usize> = (0..M).filter(|&k| spreads[k] > NULL_SPREAD).collect();
        let off_plane = spreads.iter().filter(|&&s| s <= NULL_SPREAD).map(|s| s * s).sum::<f64>().sqrt();
        if kept.is_empty() {
            return None; // all columns are one point
        }
        let (axes, points) = if kept.len() < M {
            let axes = axes.select(&kept);
            let points = coordinates(&axes);
            (axes, points)
        } else {
            (axes, all)
        };
        let packed = Points::empty(cloud.kernel, points.rows());
        Some(Self {
            cloud,
            axes,
            off_plane,
            extremes: Vec::new(),
            bias: packed.pack_bias(std::iter::empty()),
            packed,
            is_extreme: vec![false; N],
            kept: Vec::new(),
            simplices: Vec::new(),
            no_bias: cloud.packed.pack_bias((0..N).map(|_| 0.0)),
            spent: 0,
            dropped: 0,
            points,
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
        let point: Vec<f32> = self.points.col(n as usize).iter().map(|&z| z as f32).collect();
        self.packed.push(&point);
        self.extremes.push(n);
        true
    }

    fn refresh_bias(&mut self) {
        self.packed.refill_bias(&mut self.bias, self.extremes.iter().map(|_| 0.0));
    }

    /// Extreme points along the axes and some fixed directions between them.
    fn seed_extremes(&mut self) {
        let d = self.points.rows();
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
                    // Another point of this round may have brought one that holds this point's neighbours too.
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
        let (z, d) = (self.points.col(n as usize), self.points.rows() as u64);
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
        candidates.sort_unstable_by(|&a, &b| {
            let (a, b) = (self.points.col(a as usize), self.points.col(b as usize));
            a.iter()
                .zip(b)
                .map(|(a, b)| (a * 1e6).round().total_cmp(&(b * 1e6).round()))
                .find(|o| o.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let whole = self.axes.cols() == self.cloud.X.rows();
        Hull {
            candidates,
            margin: (MARGIN - 2.0 * FACE_ERROR) / self.cloud.scale,
            off_plane: self.off_plane / self.cloud.scale,
            axes: (!whole).then_some(self.axes),
        }
    }
}

/// `d + 1` corners as the `d + 1` half-spaces `<normal, z> + offset >= 0` whose intersection they span.
struct Simplex {
    /// Unit normals and offsets, face after face.
    faces: Vec<f64>,
    d: usize,
    /// How many points it held lately.
    uses: usize,
    /// Its corners, as positions in `E`.
    atoms: Vec<usize>,
}

impl Simplex {
    /// The least distance of `z` from a face, negative outside; not computed further once it is below `enough`.
    fn depth(&self, z: &[f64], enough: f64) -> f64 {
        let mut depth = f64::INFINITY;
        for face in self.faces.chunks_exact(self.d + 1) {
            depth = depth.min(face[..self.d].iter().zip(z).fold(face[self.d], |sum, (a, z)| sum + a * z));
            if depth <= enough {
                break;
            }
        }
        depth
    }

    /// The simplex of these corners; `None` if its faces cannot be computed to [`FACE_ERROR`].
    fn of(corners: &[&[f64]], atoms: &[usize]) -> Option<Self> {
        let d = corners.len() - 1;
        let size = d + 1;
        // Barycentric coordinates are the inverse of the corners with a row of ones: row i is face i's normal and offset.
        let mut a = vec![0.0; size * 2 * size];
        for i in 0..size {
            for (k, corner) in corners.iter().enumerate() {
                a[i * 2 * size + k] = if i < d { corner[i] } else { 1.0 };
            }
            a[i * 2 * size + size + i] = 1.0;
        }
        for i in 0..size {
            let pivot = (i..size).max_by(|&p, &q| a[p * 2 * size + i].abs().total_cmp(&a[q * 2 * size + i].abs()))?;
            if a[pivot * 2 * size + i].abs() < 1e-12 {
                return None;
            }
            if pivot != i {
                (0..2 * size).for_each(|c| a.swap(i * 2 * size + c, pivot * 2 * size + c));
            }
            let inverse = 1.0 / a[i * 2 * size + i];
            a[i * 2 * size..][..2 * size].iter_mut().for_each(|v| *v *= inverse);
            for row in (0..size).filter(|&row| row != i) {
                let factor = a[row * 2 * size + i];
                if factor != 0.0 {
                    (0..2 * size).for_each(|c| a[row * 2 * size + c] -= factor * a[i * 2 * size + c]);
                }
            }
        }
        let mut faces = Vec::with_capacity(size * size);
        for i in 0..size {
            let row = &a[i * 2 * size + size..][..size];
            let norm = dot(&row[..d], &row[..d]).sqrt();
            faces.extend(row.iter().map(|v| v / norm));
        }
        let simplex = Self { faces, d, uses: 0, atoms: atoms.to_vec() };
        simplex.is_accurate(corners).then_some(simplex)
    }

    /// Every corner lies on the faces that it should, and clearly off the one opposite.
    fn is_accurate(&self, corners: &[&[f64]]) -> bool {
        self.faces.chunks_exact(self.d + 1).enumerate().all(|(i, face)| {
            corners.iter().enumerate().all(|(k, corner)| {
                let distance = dot(&face[..self.d], corner) + face[self.d];
                if i == k { distance > 1e3 * FACE_ERROR * (self.d + 1) as f64 } else { distance.abs() <= FACE_ERROR }
            })
        })
    }
}

/// Wolfe's method for the point of `conv(E) - z` nearest to the origin.
#[derive(Default)]
struct Wolfe {
    /// Positions in `E`, their points less `z` one after the other, weights, and products of the points: row `i` holds those
    /// with the points up to `i`, in a place for `d + 1`.
    atoms: Vec<usize>,
    vectors: Vec<f64>,
    weights: Vec<f64>,
    products: Vec<f64>,
    factor: Vec<f64>,
    goal: Vec<f64>,
    query: Vec<f32>,
}

impl Wolfe {
    /// Where `z` lies, beginning from the corners of a simplex that nearly holds it.
    fn locate(&mut self, work: &Work, z: &[f64], nearest: Option<&Simplex>, spent: &mut u64) -> Verdict {
        let d = z.len();
        self.atoms.clear();
        self.vectors.clear();
        self.weights.clear();
        self.products.clear();
        self.products.resize((d + 1) * (d + 1), 0.0);
        let mut p: Vec<f64> = z.iter().map(|z| -z).collect(); // towards the centre, if there is nothing better
        if let Some(simplex) = nearest {
            simplex.atoms.iter().for_each(|&atom| self.push(work, atom, z, 1.0 / (d + 1) as f64));
            if !self.minimize(d) {
                return Verdict::Unclear;
            }
            self.nearest_point(&mut p);
        }
        for _ in 0..12 * d + 30 {
            *spent += (d * work.extremes.len() + d * d * d) as u64 + WOLFE_STEP;
            if self.atoms.len() == d + 1 {
                let corners: Vec<&[f64]> =
                    self.atoms.iter().map(|&atom| work.points.col(work.extremes[atom] as usize)).collect();
                let simplex = Simplex::of(&corners, &self.atoms);
                return match simplex.filter(|simplex| simplex.depth(z, f64::NEG_INFINITY) >= MARGIN) {
                    Some(simplex) => Verdict::InsideNew(simplex),
                    None => Verdict::Unclear,
                };
            }
            let j = self.extreme(work, &p);
            if self.atoms.contains(&j) {
                // The least point is where we are: outside if clearly away from it, else on a face.
                return if dot(&p, &p) > 1e-20 { Verdict::Outside(p) } else { Verdict::Unclear };
            }
            let first = self.atoms.is_empty();
            self.push(work, j, z, if first { 1.0 } else { 0.0 });
            let last = &self.vectors[self.vectors.len() - d..];
            if !first && dot(&p, last) > 1e-12 * dot(&p, &p).sqrt() {
                return Verdict::Outside(p);
            }
            if !self.minimize(d) {
                return Verdict::Unclear;
            }
            self.nearest_point(&mut p);
        }
        Verdict::Unclear
    }

    fn push(&mut self, work: &Work, atom: usize, z: &[f64], weight: f64) {
        let point = work.points.col(work.extremes[atom] as usize);
        let start = self.vectors.len();
        self.vectors.extend(point.iter().zip(z).map(|(e, z)| e - z));
        let vector = &self.vectors[start..];
        let row = &mut self.products[self.atoms.len() * (z.len() + 1)..];
        for (product, other) in row.iter_mut().zip(self.vectors.chunks_exact(z.len())) {
            *product = 1.0 + dot(vector, other);
        }
        self.atoms.push(atom);
        self.weights.push(weight);
    }

    /// `sum_i w_i v_i`.
    fn nearest_point(&self, p: &mut [f64]) {
        p.fill(0.0);
        for (weight, vector) in self.weights.iter().zip(self.vectors.chunks_exact(p.len())) {
            p.iter_mut().zip(vector).for_each(|(p, v)| *p += weight * v);
        }
    }

    /// The position in `E` of (nearly) the least `<p, e>`.
    fn extreme(&mut self, work: &Work, p: &[f64]) -> usize {
        let kernel = work.cloud.kernel;
        let norm = dot(p, p).sqrt();
        self.query.clear();
        self.query.extend(p.iter().map(|v| if norm > 0.0 { (v / norm) as f32 } else { 0.0 }));
        let (mut best, mut at) = (f32::INFINITY, 0);
        let size = work.packed.group_size();
        for group in 0..work.packed.groups() {
            let mut scores = [0.0; GROUP];
            kernel.scores(&work.packed, &work.bias, group, &self.query, &mut scores);
            let i = least(&scores[..size]);
            if scores[i] < best {
                (best, at) = (scores[i], group * size + i);
            }
        }
        at
    }

    /// Moves the weights to the least-norm point of the atoms' hull; atoms without weight leave. False if that fails.
    fn minimize(&mut self, d: usize) -> bool {
        loop {
            if !self.aim(d + 1) {
                return false;
            }
            if self.goal.iter().all(|&weight| weight > 1e-13) {
                std::mem::swap(&mut self.weights, &mut self.goal);
                return true;
            }
            // As far towards the goal as weights stay nonnegative.
            let steps = self.weights.iter().zip(&self.goal).filter(|(w, g)| g < w).map(|(w, g)| w / (w - g));
            let step = steps.fold(1.0, f64::min);
            for (weight, goal) in self.weights.iter_mut().zip(&self.goal) {
                *weight += step * (goal - *weight);
            }
            let smallest = self.weights.iter().copied().fold(f64::INFINITY, f64::min).max(1e-13);
            for i in (0..self.atoms.len()).rev().filter(|&i| self.weights[i] <= smallest).collect::<Vec<_>>() {
                self.remove(i, d);
            }
            if self.atoms.is_empty() {
                return false;
            }
        }
    }

    fn remove(&mut self, i: usize, d: usize) {
        self.atoms.remove(i);
        self.weights.remove(i);
        self.vectors.drain(i * d..(i + 1) * d);
        // The rows behind it move up, without column i.
        let width = d + 1;
        for row in i..self.atoms.len() {
            let from = (row + 1) * width;
            self.products.copy_within(from..from + i, row * width);
            self.products.copy_within(from + i + 1..from + row + 2, row * width + i);
        }
    }

    /// The goal: weights, summing to 1, of the least-norm point of the atoms' affine hull, `(G + 11') u = 1` scaled.
    fn aim(&mut self, width: usize) -> bool {
        let n = self.atoms.len();
        let factor = &mut self.factor; // Cholesky's, row after row
        factor.clear();
        factor.resize(n * n, 0.0);
        let u = &mut self.goal;
        u.clear();
        u.resize(n, 1.0);
        for i in 0..n {
            for k in 0..=i {
                let sum: f64 = (0..k).map(|c| factor[i * n + c] * factor[k * n + c]).sum();
                let value = self.products[i * width + k] - sum;
                if i > k {
                    factor[i * n + k] = value / factor[k * n + k];
                } else if value > 1e-14 {
                    factor[i * n + i] = value.sqrt();
                } else {
                    return false;
                }
            }
            let sum: f64 = (0..i).map(|k| factor[i * n + k] * u[k]).sum();
            u[i] = (1.0 - sum) / factor[i * n + i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| factor[k * n + i] * u[k]).sum();
            u[i] = (u[i] - sum) / factor[i * n + i];
        }
        let total: f64 = u.iter().sum();
        u.iter_mut().for_each(|u| *u /= total);
        total > 0.0
    }
}
