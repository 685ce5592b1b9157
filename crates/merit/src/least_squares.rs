//! Least squares with nonnegative weights, and with weights on the simplex: the `H` that belongs to a `W`.
//!
//! For every column `x_l` of `X` (M x N) and one `W` (M x K)
//!
//! ```text
//! min_h  1/2 ||x_l - W h||^2   over   h >= 0                  (Constraint::Nonnegative)
//!                              or     h >= 0, sum_k h_k = 1   (Constraint::Simplex)
//! ```
//!
//! **When it is solved.** With `g = W'(W h - x)`, `h` is a minimizer exactly when `g_k` equals a common value `nu` where
//! `h_k > 0` and is not below it elsewhere (`nu = 0` without the sum). The *violation* is the largest deviation from
//! that, divided by the size of the numbers that make up `g`,
//!
//! ```text
//! max_k ||w_k|| * (||x|| + sum_k ||w_k|| h_k)
//! ```
//!
//! (on the simplex after moving the origin to the mean of the `w_k`, with `max_k ||w_k||` for the sum). It does not
//! change when `X` and `W` are scaled. Columns are solved to a tolerance on it, not for a number of steps; what did not
//! get there is counted. On the simplex the distance of the objective to its minimum is at most the violation.
//!
//! **How.** All columns share the Gram matrix `W'W`, and each is a small quadratic problem in `W'x_l`, solved by an active
//! set (the module `active_set`). Three things keep it accurate:
//! - everything is scaled by powers of two first, so 1e-150 and 1e150 are as good as 1;
//! - on the simplex the origin moves to the mean of the `w_k`, and `c 11'` is added to the Gram matrix: neither changes the
//!   minimizer, and only columns that are *affinely* dependent remain a difficulty (three corners of a triangle in the
//!   plane do not);
//! - where `W` is nearly dependent, a small `epsilon ||h - h_last||^2` is added and the problem solved again from the last
//!   solution, with gradients from true residuals (the proximal point method). Duplicate columns share their weight (evenly up to a
//!   relative 1e-3 or so).
//!
//! The Gram matrix squares condition numbers: with *opposing* nearly dependent columns (`w_1` close to `-w_2`, of condition
//! above about 1e6) and without the sum, a small violation no longer means a small distance to the minimum.
//!
//! Time `O(M K^2 + N (M K + p K^3))` with `p` about 1 (small systems of half the size, a few each); memory `8 K N` for `H`
//! and `8 (2 M K + 3 K^2)`, and `8 (M + K^2)` a thread.
//!
//! ```
//! use merit::least_squares::{Constraint, DEFAULT_TOLERANCE, solve};
//! use merit_linalg::{DataMatrix, DenseMatrix};
//!
//! let w = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.0, 1.0]);
//! let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![0.25, 0.75, 2.0, -1.0]));
//! let fit = solve(&x, &w, Constraint::Simplex, DEFAULT_TOLERANCE);
//! assert_eq!(fit.h.col(1), [1.0, 0.0]);
//! assert!((fit.h.get(0, 0) - 0.25).abs() < 1e-15 && fit.unconverged == 0);
//! assert!((fit.squared_residual - 2.0).abs() < 1e-14); // (2, -1) to (1, 0)
//! ```

mod active_set;

use active_set::{Quadratic, Workspace, Zero, add_columns};
use merit_linalg::interrupt::Interrupt;
use merit_linalg::shards::{SHARD, Shards};
use merit_linalg::{DataMatrix, DenseMatrix};
use rayon::prelude::*;
use std::ops::Range;

/// Violation up to which a column counts as solved, unless the caller says otherwise.
pub const DEFAULT_TOLERANCE: f64 = 1e-12;

crate::choices! {
    /// What the weights `h` of a column must satisfy.
    pub enum Constraint {
        /// `h >= 0` and `sum_k h_k = 1`.
        #[default]
        Simplex = "simplex",
        /// `h >= 0`.
        Nonnegative = "nonnegative",
    }
}

/// The weights of all columns, with the certificate that they are minimizers.
#[derive(Clone, Debug, PartialEq)]
pub struct LeastSquares {
    /// The weights, `K x N`.
    pub h: DenseMatrix,
    /// `||X - W H||_F^2`, summed from the residual vectors.
    pub squared_residual: f64,
    /// Largest violation of the optimality conditions over the columns, relative to the size of the problem.
    pub violation: f64,
    /// The violation that was asked for.
    pub tolerance: f64,
    /// Number of columns whose violation is above `tolerance`.
    pub unconverged: usize,
}

/// The constrained least-squares weights of every column of `x` on the columns of `w`.
///
/// Without columns in `w` the result is an empty `h`. A column of `x` that is not finite is counted as unconverged.
pub fn solve(x: &DataMatrix, w: &DenseMatrix, constraint: Constraint, tolerance: f64) -> LeastSquares {
    solve_until(&Interrupt::never(), x, w, constraint, tolerance)
}

/// [`solve`], but of no use once somebody asked for the end.
pub fn solve_until(
    interrupt: &Interrupt,
    x: &DataMatrix,
    w: &DenseMatrix,
    constraint: Constraint,
    tolerance: f64,
) -> LeastSquares {
    solve_all(Problem::new(x, w, constraint, tolerance, interrupt), w.cols())
}

/// All `rank` weights of all columns.
fn solve_all(problem: Problem, rank: usize) -> LeastSquares {
    let shards = problem.x.shards();
    let mut h = DenseMatrix::shared(rank, shards, vec![0.0; rank * shards.columns().len()]);
    let tallies: Vec<Tally> = if rank == 0 {
        shards.map(|columns| problem.solve_range(columns, Gradient::FromResidual, |_, _| ()))
    } else {
        let blocks = h.values_mut().par_chunks_mut(rank * SHARD).enumerate();
        let solve = |(s, block): (usize, &mut [f64])| {
            let columns = shards.range(shards.here().start + s);
            let first = columns.start;
            problem.solve_range(columns, Gradient::FromResidual, |l, h| {
                block[(l - first) * h.len()..][..h.len()].copy_from_slice(h);
            })
        };
        blocks.map(solve).collect()
    };
    let total = Tally::total(shards, tallies);
    LeastSquares {
        h,
        squared_residual: total.squared_residual,
        violation: total.violation,
        tolerance: problem.tolerance,
        unconverged: total.unconverged,
    }
}

/// [`solve`], but once `rush` says so, in a fraction of the time: columns that are left then get the weights that least squares
/// without `h >= 0` gives, with what is negative set to zero. Those are counted as unconverged where their violation is.
///
/// ```
/// use merit::least_squares::{Constraint, DEFAULT_TOLERANCE, solve_rushed};
/// use merit_linalg::{DataMatrix, DenseMatrix};
/// let w = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.0, 1.0]);
/// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![0.25, 0.75, 2.0, -1.0]));
/// let fit = solve_rushed(&|| true, &x, &w, Constraint::Simplex, DEFAULT_TOLERANCE);
/// assert!(fit.h.col(1) == [1.0, 0.0] && (fit.h.get(0, 0) - 0.25).abs() < 1e-15);
/// ```
pub fn solve_rushed(
    rush: &(dyn Fn() -> bool + Sync),
    x: &DataMatrix,
    w: &DenseMatrix,
    constraint: Constraint,
    tolerance: f64,
) -> LeastSquares {
    solve_all(Problem { rush, ..Problem::new(x, w, constraint, tolerance, &Interrupt::never()) }, w.cols())
}

/// `min ||X - W H||_F^2`, without holding `H`.
///
/// ```
/// use merit::least_squares::{Constraint, squared_residual};
/// use merit_linalg::{DataMatrix, DenseMatrix};
/// let w = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.0, 1.0]);
/// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![5.0, 7.0, 1.0, -2.0]));
/// assert_eq!(squared_residual(&x, &w, Constraint::Nonnegative, 1e-12), 4.0);
/// ```
pub fn squared_residual(x: &DataMatrix, w: &DenseMatrix, constraint: Constraint, tolerance: f64) -> f64 {
    squared_residual_until(&Interrupt::never(), x, w, constraint, tolerance)
}

/// [`squared_residual`], but of no use once somebody asked for the end.
pub fn squared_residual_until(
    interrupt: &Interrupt,
    x: &DataMatrix,
    w: &DenseMatrix,
    constraint: Constraint,
    tolerance: f64,
) -> f64 {
    let problem = Problem::new(x, w, constraint, tolerance, interrupt);
    let tallies = x.shards().map(|columns| problem.solve_range(columns, Gradient::FromResidual, |_, _| ()));
    Tally::total(x.shards(), tallies).squared_residual
}

/// `||x_l - W h_l||^2` of every column, without holding `H`; of no use once somebody asked for the end.
///
/// ```
/// use merit::least_squares::{Constraint, squared_residuals};
/// use merit::progress::Interrupt;
/// use merit_linalg::{DataMatrix, DenseMatrix};
/// let w = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.0, 1.0]);
/// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![5.0, 7.0, 1.0, -2.0]));
/// assert_eq!(squared_residuals(&Interrupt::never(), &x, &w, Constraint::Nonnegative, 1e-12), [0.0, 4.0]);
/// ```
pub fn squared_residuals(
    interrupt: &Interrupt,
    x: &DataMatrix,
    w: &DenseMatrix,
    constraint: Constraint,
    tolerance: f64,
) -> Vec<f64> {
    let problem = Problem::new(x, w, constraint, tolerance, interrupt);
    let of_shard = |columns: Range<usize>| -> Vec<f64> {
        let mut scratch = Scratch::new(&problem);
        let columns = columns.take_while(|_| !interrupt.asked());
        columns.map(|l| problem.solve_column(l, Gradient::FromResidual, &mut scratch).squared_residual).collect()
    };
    let mut here = x.shards().map(of_shard).concat();
    here.resize(x.shards().columns().len(), 0.0); // where somebody asked for the end
    x.shards().all_values(here)
}

/// Hands `(l, h)` of every column to `visit`, in parallel and in no order; returns the number of columns above
/// `tolerance`.
///
/// For results that are not kept as a dense `K x N`. No residuals are computed, so a sparse column costs `O(nnz K)`
/// besides its active set, however many rows there are; the violation then comes from the Gram matrix.
///
/// ```
/// use merit::least_squares::{Constraint, for_each_column};
/// use merit_linalg::{DataMatrix, DenseMatrix};
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// let w = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.0, 1.0]);
/// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![5.0, 7.0, 1.0, -2.0]));
/// let nonzeros = AtomicUsize::new(0);
/// for_each_column(&x, &w, Constraint::Nonnegative, 1e-12, |_l, h| {
///     nonzeros.fetch_add(h.iter().filter(|&&h| h > 0.0).count(), Ordering::Relaxed);
/// });
/// assert_eq!(nonzeros.into_inner(), 3);
/// ```
pub fn for_each_column(
    x: &DataMatrix,
    w: &DenseMatrix,
    constraint: Constraint,
    tolerance: f64,
    visit: impl Fn(usize, &[f64]) + Sync,
) -> usize {
    let problem = Problem::new(x, w, constraint, tolerance, &Interrupt::never());
    let tallies = x.shards().map(|columns| problem.solve_range(columns, Gradient::FromGram, &visit));
    Tally::total(x.shards(), tallies).unconverged
}

/// How a solution is checked.
#[derive(Clone, Copy, PartialEq)]
enum Gradient {
    /// `W'(W h - x)`, with the residual vector: `O(M K)`.
    FromResidual,
    /// `(W'W) h - W'x`: `O(K^2)`.
    FromGram,
}

/// What some columns add up to.
#[derive(Clone, Copy, Default)]
struct Tally {
    squared_residual: f64,
    violation: f64,
    unconverged: usize,
}

impl Tally {
    /// Of the shards of all processes, in their order.
    fn total(columns: Shards, here: Vec<Self>) -> Self {
        let sum = here.iter().fold(Self::default(), |sum, tally| sum.and(*tally));
        let squares = columns.all_shard_values(here.iter().map(|tally| tally.squared_residual).collect());
        let mut violation = [sum.violation.to_bits()]; // nonnegative numbers are ordered as their bits are
        columns.ranks().max(&mut violation);
        Self {
            squared_residual: squares.into_iter().fold(0.0, |sum, square| sum + square),
            violation: f64::from_bits(violation[0]),
            unconverged: columns.ranks().total(sum.unconverged as i128) as usize,
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            squared_residual: self.squared_residual + other.squared_residual,
            violation: self.violation.max(other.violation),
            unconverged: self.unconverged + other.unconverged,
        }
    }
}

/// Smallest pivot (relative) below which a solution is refined with gradients from residuals.
const REFINE_BELOW: f64 = 1e-4;
/// Smallest pivot below which the Gram matrix is regularized, and by how much of its largest entry.
const REGULARIZE_BELOW: f64 = 1e-7;
const REGULARIZATION: f64 = 1e-12;

/// `X` and `W` with all that the columns share: the scaled and shifted `W`, and its Gram matrix.
struct Problem<'a> {
    x: &'a DataMatrix,
    size: usize,
    constraint: Constraint,
    tolerance: f64,
    w: Vec<f64>,
    /// `W'`, also by columns: a column holds what one row of `X` meets.
    w_transposed: Vec<f64>,
    norms: Vec<f64>,
    largest_norm: f64,
    /// The new origin; empty when it stays where it was.
    origin: Vec<f64>,
    w_times_origin: Vec<f64>,
    gram: Vec<f64>,
    quadratic: Quadratic,
    /// `w_k` was multiplied by `2^-exponents[k]`.
    exponents: Vec<i32>,
    interrupt: Interrupt,
    /// Whether there is time for a guess only.
    rush: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Problem<'a> {
    fn new(x: &'a DataMatrix, w: &DenseMatrix, constraint: Constraint, tolerance: f64, interrupt: &Interrupt) -> Self {
        assert_eq!(x.rows(), w.rows(), "X and W must have the same number of rows");
        let size = w.cols();
        let mut exponents: Vec<i32> = (0..size).map(|k| exponent(w.col(k)).unwrap_or(0)).collect();
        let mut origin = Vec::new();
        if constraint == Constraint::Simplex {
            exponents.fill(exponent(w.values()).unwrap_or(0)); // the sum ties the columns together: one scale for all
        }
        let mut scaled = w.clone();
        for (k, &e) in exponents.iter().enumerate() {
            let factor = PowerOfTwo::new(-e);
            scaled.col_mut(k).iter_mut().for_each(|v| *v = factor.times(*v));
        }
        if constraint == Constraint::Simplex && size > 0 {
            origin = (0..w.rows()).map(|m| (0..size).map(|k| scaled.get(m, k)).sum::<f64>() / size as f64).collect();
            for k in 0..size {
                scaled.col_mut(k).iter_mut().zip(&origin).for_each(|(v, o)| *v -= o);
            }
        }
        let mut gram = vec![0.0; size * size];
        gram.par_chunks_mut(size.max(1)).enumerate().for_each(|(k, column)| {
            column.iter_mut().enumerate().for_each(|(j, value)| *value = product(scaled.col(k), scaled.col(j)));
        });
        let w_times_origin =
            if origin.is_empty() { Vec::new() } else { (0..size).map(|k| product(scaled.col(k), &origin)).collect() };
        let norms: Vec<f64> = (0..size).map(|k| gram[k * size + k].sqrt()).collect();
        Self {
            x,
            size,
            constraint,
            tolerance,
            w_transposed: scaled.transposed().values().to_vec(),
            largest_norm: norms.iter().fold(0.0, |a: f64, &b| a.max(b)),
            norms,
            origin,
            w_times_origin,
            quadratic: quadratic(constraint, size, &gram),
            gram,
            w: scaled.values().to_vec(),
            exponents,
            interrupt: interrupt.clone(),
            rush: &|| false,
        }
    }

    fn solve_range(&self, columns: Range<usize>, check: Gradient, mut visit: impl FnMut(usize, &[f64])) -> Tally {
        let mut scratch = Scratch::new(self);
        let mut total = Tally::default();
        for l in columns {
            if self.interrupt.asked() {
                break;
            }
            let column = self.solve_column(l, check, &mut scratch);
            let violation = if column.violation.is_nan() { f64::INFINITY } else { column.violation };
            let unconverged = usize::from(violation > self.tolerance);
            total = total.and(Tally { violation, unconverged, ..column });
            visit(l, &scratch.best);
        }
        total
    }

    /// Solves for column `l`; the weights are in `scratch.best`.
    fn solve_column(&self, l: usize, check: Gradient, scratch: &mut Scratch) -> Tally {
        let careful = self.quadratic.smallest_pivot < REFINE_BELOW;
        // Where W is nearly dependent, a small violation can hide a large error: refine until rounding stops it.
        let (target, passes) = if careful { (0.0, 8) } else { (self.tolerance, 3) };
        let exponent = self.load(l, scratch);
        let mut best = Tally { violation: f64::INFINITY, ..Tally::default() };
        let tolerance = if careful { 1e-3 * self.tolerance } else { self.tolerance };
        let zero = Zero {
            slope: 0.5 * tolerance * self.scale(scratch.norm, &[]),
            entry: 0.01 * tolerance / self.size.max(1) as f64,
        };
        let rush = (self.rush)();
        for pass in 0..if rush { 1 } else { passes } {
            if rush {
                self.quadratic.estimate(&mut scratch.work);
            } else {
                self.quadratic.minimize(&mut scratch.work, zero);
            }
            let found = self.check(l, exponent, check, scratch);
            let better = pass == 0 || found.violation < best.violation;
            let progress = pass == 0 || found.violation < 0.5 * best.violation;
            if better {
                best = found;
                scratch.best.copy_from_slice(&scratch.work.h);
            }
            if !progress || best.violation <= target {
                break;
            }
            let Workspace { center, h, .. } = &mut scratch.work;
            center.copy_from_slice(h);
        }
        for (h, e) in scratch.best.iter_mut().zip(&self.exponents) {
            *h = match self.constraint {
                Constraint::Simplex => *h,
                Constraint::Nonnegative => PowerOfTwo::new(exponent - e).times(*h),
            };
        }
        best
    }

    /// Scales column `l`, and starts from `h = 0`: the gradient is `-W'x`. Returns the exponent of its scale.
    fn load(&self, l: usize, scratch: &mut Scratch) -> i32 {
        let stored = self.x.stored_col(l);
        let own = exponent(&stored);
        let exponent = match (self.constraint, self.exponents.first()) {
            // Against an x beyond 2^400 max |W|, W h is nothing either way; scaled down, squares stay finite.
            (Constraint::Simplex, Some(&shared)) => own.map_or(shared, |own| shared.max(own - 400)),
            _ => own.unwrap_or(0),
        };
        let factor = PowerOfTwo::new(-exponent);
        let Scratch { work, x, norm, .. } = scratch;
        work.center.fill(0.0);
        work.gradient.fill(0.0);
        match self.x {
            DataMatrix::Dense(_) | DataMatrix::Single(_) => {
                x.iter_mut().zip(&*stored).for_each(|(x, &v)| *x = factor.times(v));
                x.iter_mut().zip(&self.origin).for_each(|(x, o)| *x -= o);
                *norm = product(x, x).sqrt();
                add_columns(&self.w_transposed, self.size, x.iter().map(|v| -v).enumerate(), &mut work.gradient);
            }
            DataMatrix::Sparse(matrix) => {
                let (rows, values) = matrix.col(l);
                let entries = rows.iter().zip(values).map(|(&m, &v)| (m as usize, factor.times(v)));
                add_columns(&self.w_transposed, self.size, entries.clone().map(|(m, v)| (m, -v)), &mut work.gradient);
                work.gradient.iter_mut().zip(&self.w_times_origin).for_each(|(g, o)| *g += o);
                let origin = |m: usize| self.origin.get(m).copied().unwrap_or(0.0);
                let inside: f64 = entries.map(|(m, v)| (v - origin(m)).powi(2) - origin(m).powi(2)).sum();
                *norm = (inside + product(&self.origin, &self.origin)).max(0.0).sqrt();
            }
        }
        exponent
    }

    /// Puts the gradient at `work.h` into `work.gradient`; returns the violation and, from residuals, their square.
    fn check(&self, l: usize, exponent: i32, check: Gradient, scratch: &mut Scratch) -> Tally {
        let Scratch { work, x, residual, gradient_at_zero, norm, .. } = scratch;
        let weights = work.h.iter().copied().enumerate().filter(|&(_, h)| h != 0.0);
        let mut squared_residual = 0.0;
        match check {
            Gradient::FromResidual => {
                match self.x {
                    DataMatrix::Dense(_) | DataMatrix::Single(_) => {
                        residual.iter_mut().zip(&*x).for_each(|(r, x)| *r = -x);
                    }
                    DataMatrix::Sparse(_) => {
                        residual.fill(0.0);
                        self.x.add_to(l, 1.0, residual);
                        let factor = PowerOfTwo::new(-exponent);
                        residual.iter_mut().for_each(|r| *r = -factor.times(*r));
                        residual.iter_mut().zip(&self.origin).for_each(|(r, o)| *r += o);
                    }
                }
                add_columns(&self.w, residual.len(), weights, residual);
                let factor = PowerOfTwo::new(exponent);
                squared_residual = factor.times(factor.times(product(residual, residual)));
                work.gradient.fill(0.0);
                add_columns(&self.w_transposed, self.size, residual.iter().copied().enumerate(), &mut work.gradient);
            }
            Gradient::FromGram => {
                if work.center.iter().all(|&c| c == 0.0) {
                    gradient_at_zero.copy_from_slice(&work.gradient);
                }
                work.gradient.copy_from_slice(gradient_at_zero);
                add_columns(&self.gram, self.size, weights, &mut work.gradient);
            }
        }
        let violation = self.violation(&work.h, &work.gradient, *norm);
        Tally { squared_residual, violation, unconverged: 0 }
    }

    /// Largest deviation from the optimality conditions, relative to the size of the problem.
    fn violation(&self, h: &[f64], gradient: &[f64], norm: f64) -> f64 {
        let lowest = match self.constraint {
            Constraint::Simplex => gradient.iter().fold(f64::INFINITY, |a, &b| a.min(b)),
            Constraint::Nonnegative => 0.0,
        };
        let deviation = |(&h, &g): (&f64, &f64)| if h > 0.0 { (g - lowest).abs() } else { lowest - g };
        let largest = h.iter().zip(gradient).map(deviation).fold(0.0, |a, b| if b.is_nan() { b } else { b.max(a) });
        if largest == 0.0 { 0.0 } else { largest / self.scale(norm, h) }
    }

    /// `max_k ||w_k|| (||x|| + sum_k ||w_k|| h_k)`, with the largest norm for the sum on the simplex.
    fn scale(&self, norm: f64, h: &[f64]) -> f64 {
        let fitted = match self.constraint {
            Constraint::Simplex => self.largest_norm,
            Constraint::Nonnegative => self.norms.iter().zip(h).map(|(norm, h)| norm * h).sum(),
        };
        self.largest_norm * (norm + fitted)
    }
}

/// The Gram matrix made positive definite without moving the minimizer, or (nearly dependent `W`) by hardly anything.
fn quadratic(constraint: Constraint, size: usize, gram: &[f64]) -> Quadratic {
    let mut a = gram.to_vec();
    let diagonal = |a: &[f64]| (0..size).map(|k| a[k * size + k]).fold(0.0, f64::max);
    let largest = if diagonal(gram) > 0.0 { diagonal(gram) } else { 1.0 };
    match constraint {
        Constraint::Simplex => a.iter_mut().for_each(|v| *v += largest),
        // A zero column gets weight zero: any positive diagonal says so.
        Constraint::Nonnegative => {
            (0..size).map(|k| k * size + k).filter(|&p| gram[p] == 0.0).for_each(|p| a[p] = largest);
        }
    }
    let plain = Quadratic::new(constraint, size, a.clone());
    if plain.smallest_pivot >= REGULARIZE_BELOW {
        return plain;
    }
    (0..size).for_each(|k| a[k * size + k] += REGULARIZATION * largest);
    Quadratic::new(constraint, size, a)
}

/// Buffers of one thread.
struct Scratch {
    work: Workspace,
    best: Vec<f64>,
    gradient_at_zero: Vec<f64>,
    x: Vec<f64>,
    norm: f64,
    residual: Vec<f64>,
}

impl Scratch {
    fn new(problem: &Problem) -> Self {
        let (size, rows) = (problem.size, problem.x.rows());
        Self {
            work: Workspace::new(size),
            best: vec![0.0; size],
            gradient_at_zero: vec![0.0; size],
            x: vec![0.0; rows],
            norm: 0.0,
            residual: vec![0.0; rows],
        }
    }
}

/// `<x, y>` in four interleaved sums: a fixed order that the compiler may still run side by side.
fn product(x: &[f64], y: &[f64]) -> f64 {
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<4>(), y.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (x, y) in x.iter().zip(y) {
        (0..4).for_each(|i| sums[i] += x[i] * y[i]);
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// `e` with `2^e <= max |v| < 2^(e+1)`; nothing when all are zero or one is infinite.
fn exponent(values: &[f64]) -> Option<i32> {
    let largest = values.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    (largest > 0.0 && largest.is_finite()).then(|| (largest.to_bits() >> 52) as i32 - 1023)
}

/// `2^e` as two factors, each a normal number even where `2^e` is not.
#[derive(Clone, Copy)]
struct PowerOfTwo(f64, f64);

impl PowerOfTwo {
    fn new(e: i32) -> Self {
        let e = e.clamp(-2044, 2044);
        let power = |e: i32| f64::from_bits(((1023 + e) as u64) << 52);
        Self(power(e / 2), power(e - e / 2))
    }

    fn times(self, value: f64) -> f64 {
        value * self.0 * self.1
    }
}
