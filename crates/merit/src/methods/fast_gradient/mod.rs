//! FastGradient: the convex self-dictionary problem with a linear penalty on the diagonal, by Nesterov's method.
//!
//! ```text
//! min  1/2 ||X - X Y||_F^2 + mu p' diag(Y)    over  0 <= Y,  Y(i,i) <= 1,  w_i Y(i,j) <= w_j Y(i,i),   w_i = ||x_i||_1
//! ```
//!
//! The anchors are the `K` columns with the largest `Y(i,i)`, which is their score. After Gillis and Luce, IEEE Trans. Image
//! Process. 27, 2018: `p = 1 + 0.01 (u - 1/2)` with `u` uniform, so that copies of a column do not tie; step
//! `1/sigma_max(X)^2`; momentum that starts again when the objective rises; exact projection of each row; 150 steps. The
//! authors' program has no 1/2 in the objective.
//!
//! The weight `mu` is balanced at SPA's solution `Y_0` (nonnegative least squares on its anchors): the two terms are equal,
//! `mu = 1/2 ||X - X Y_0||_F^2 / p' diag(Y_0)`. There the steps start. Whenever the momentum starts again, `mu` moves towards
//! a trace of `K/2 + 1`: it is multiplied by `trace(Y) / (K/2 + 1)`, but at most doubled or halved. That factor, the start
//! and the momentum's sequence (`theta`, below) are this project's choices where the description leaves them open.
//!
//! **Cost.** A step is two products of an `M x N` with an `N x N` matrix, `X'(X Y - X)` and `X Y`: `4 M N^2` operations, and
//! `O(N^2)` for the projections. With more rows than columns, the `N x N` triangle of a QR decomposition stands for `X`. A sparse `X` (at most a
//! thirtieth not zero) takes `4 nnz N`: half a second per step for an adjacency matrix of 6,437 nodes on two cores.
//! Most rows of `Y` are 0 after a few steps and stay so; these cost their gradient and one pass over it.
//! Two `N x N` matrices are held, `Y` and its last change; the gradient exists only for 32 rows of `Y` a thread. Both are
//! stored **transposed**, so that a row of `Y`, which is what is projected, lies in one piece. The bytes are known before
//! the start ([`needed_bytes`]), and refused if they are not there.
//!
//! ```
//! use merit::methods::fast_gradient::{Options, select};
//! use merit::progress::Stages;
//! use merit::{DataMatrix, DenseMatrix};
//! let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![0.5, 0.5, 0.0, 1.0, 1.0, 0.0]));
//! let found = select(&x, 2, &Options::default(), 0, &mut Stages::new(&mut (), None))?;
//! assert_eq!((found.selection.anchors, found.steps), (vec![1, 2], 150));
//! # Ok::<(), merit::methods::fast_gradient::Error>(())
//! ```

mod data;

use super::row_projection::project;
use super::{Stream, spa, stream};
use crate::checkpoint::{Keeper, Kept, State};
use crate::least_squares::{Constraint, DEFAULT_TOLERANCE, solve_until};
use crate::memory::gigabytes;
use crate::progress::Stages;
use crate::selection::Selection;
use crate::settings::Declaration;
use data::Data;
use merit_linalg::decompositions::largest_singular_value;
use merit_linalg::interrupt::Interrupt;
use merit_linalg::memory::available_bytes;
use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, DenseMatrix};
use rand::RngExt;
use rayon::prelude::*;
use std::time::{Duration, Instant};

crate::settings! {
    /// What can be set.
    pub struct Options {
        /// Steps of fast-gradient
        #[serde(rename = "gradient_steps")]
        steps: usize = 150, Declaration::new("T").at_least_one().named("gradient_steps").of(&["fast-gradient"]);
    }
}

/// The anchors, and where the method stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The columns with the largest `Y(i,i)`, and those.
    pub selection: Selection,
    /// `diag(Y)`, for every column.
    pub diagonal: Vec<f64>,
    /// Steps done.
    pub steps: usize,
    /// How often the momentum started again.
    pub restarts: usize,
    /// The last `mu`.
    pub mu: f64,
    /// The objective, with that `mu`.
    pub objective: f64,
}

/// Why it cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The `N x N` matrices do not fit.
    #[error(
        "FastGradient needs {} for 2 matrices of {cols} x {cols} and its products, but only {} is free",
        gigabytes(*.needed),
        gigabytes(*.available)
    )]
    Memory {
        /// Bytes it needs.
        needed: u64,
        /// Bytes there are.
        available: u64,
        /// `N`.
        cols: usize,
    },
}

/// Rows of `Y` that a thread works on at a time.
const BLOCK: usize = 32;

/// Bytes that [`select`] takes for an `M x N` matrix on this many threads: `Y` and its last change, `X` or its triangle
/// with `X Y` twice and a residual, and the threads' blocks.
///
/// ```
/// let bytes = merit::methods::fast_gradient::needed_bytes(50, 10_000, 2);
/// assert_eq!(bytes / 100_000_000, 16); // 1.6 GB
/// ```
pub fn needed_bytes(rows: usize, cols: usize, threads: usize) -> u64 {
    let (rows, cols, threads) = (rows.min(cols) as u64, cols as u64, threads as u64);
    let squares = cols.saturating_mul(cols).saturating_mul(2);
    let thin = cols.saturating_mul(4 * rows + threads * (BLOCK as u64 + 2));
    squares.saturating_add(thin).saturating_mul(8)
}

/// `rank` columns; `seed` is that of `p`. The observer sees every step and may end the search; its flag ends it within a step, where
/// nothing is kept: some rows of `Y` are then a step ahead of the others. Before the first step there is nothing.
pub fn select(x: &DataMatrix, rank: usize, options: &Options, seed: u64, stages: &mut Stages) -> Result<Found, Error> {
    let cols = x.cols();
    let needed = needed_bytes(x.rows(), cols, rayon::current_num_threads());
    if let Some(available) = available_bytes().filter(|&available| needed > available) {
        return Err(Error::Memory { needed, available, cols });
    }
    let interrupt = stages.interrupt();
    let clock = Instant::now();
    let mut descent = Descent::new(x, rank, seed, &interrupt);
    let mut standing = Standing { objective: descent.objective(), ..Default::default() };
    let keeper = stages.observer().keeper();
    // What is kept is a state between two steps, so with a keeper a step is completed before it ends.
    let within_step = if keeper.is_some() { Interrupt::never() } else { interrupt.clone() };
    let which = || format!("FastGradient on {} x {cols} for {rank}", x.rows());
    if let Some(kept) = keeper.and_then(|keeper| keeper.begin(&which())) {
        standing = descent.resume(&kept).unwrap_or(standing);
    }
    let spent_before = standing.seconds;
    let mut ended = interrupt.asked();
    while standing.steps < options.steps && !ended {
        descent.step(standing.momentum.next(), &within_step);
        if within_step.asked() {
            break;
        }
        standing.steps += 1;
        let last = std::mem::replace(&mut standing.objective, descent.objective());
        if standing.objective > last {
            standing.restarts += 1;
            standing.momentum = Momentum::default();
            descent.mu *= (descent.trace() / (0.5 * rank as f64 + 1.0)).clamp(0.5, 2.0);
            standing.objective = descent.objective();
        }
        ended = stages.step(standing.steps).is_break() || interrupt.asked();
        standing.seconds = spent_before + clock.elapsed().as_secs_f64();
        if let Some(keeper) = stages.observer().keeper() {
            let is_last = standing.steps == options.steps;
            let spent = Duration::from_secs_f64(standing.seconds);
            if ended || keeper.is_due() || is_last && keeper.wants_result(spent) {
                descent.keep(&standing, keeper);
            }
        }
    }
    let diagonal = descent.diagonal();
    let selection = Selection::largest(&diagonal, rank);
    let Standing { steps, restarts, objective, .. } = standing;
    Ok(Found { selection, diagonal, steps, restarts, mu: descent.mu, objective })
}

/// Where the method stands, beside its iterate.
#[derive(Default)]
struct Standing {
    steps: usize,
    restarts: usize,
    objective: f64,
    momentum: Momentum,
    seconds: f64,
}

/// Nesterov's `theta_0 = 1, theta_{k+1} = (1 + sqrt(1 + 4 theta_k^2)) / 2`.
struct Momentum(f64);

impl Default for Momentum {
    fn default() -> Self {
        Self(1.0)
    }
}

impl Momentum {
    /// The part of the last change that is added before the next step, `(theta_k - 1) / theta_{k+1}`; 0 at the start.
    fn next(&mut self) -> f64 {
        let last = self.0;
        self.0 = 0.5 * (1.0 + (1.0 + 4.0 * last * last).sqrt());
        (last - 1.0) / self.0
    }
}

/// The iterate, with everything a step needs.
struct Descent {
    x: Data,
    w: Vec<f64>,
    p: Vec<f64>,
    mu: f64,
    /// `1 / sigma_max(X)^2`.
    step: f64,
    /// `Y'`: column `i` is row `i` of `Y`.
    y: DenseMatrix,
    /// The last change of `Y'`.
    change: DenseMatrix,
    /// `X Y`, and before the last change.
    fitted: DenseMatrix,
    fitted_before: DenseMatrix,
}

impl Descent {
    /// At SPA's solution, with the balanced `mu`.
    fn new(x: &DataMatrix, rank: usize, seed: u64, interrupt: &Interrupt) -> Self {
        let cols = x.cols();
        let mut rng = stream(seed, Stream::Diagonal);
        let p: Vec<f64> = (0..cols).map(|_| 1.0 + 0.01 * (rng.random::<f64>() - 0.5)).collect();
        let mut w = vec![0.0; cols];
        Shards::new(cols).update(&mut w, |l, _| x.stored_col(l).iter().map(|v| v.abs()).sum());
        let sigma = largest_singular_value(x);
        let anchors = spa::select(x, rank, interrupt).anchors;
        let h = solve_until(interrupt, x, &x.dense_columns(&anchors), Constraint::Nonnegative, DEFAULT_TOLERANCE).h;
        let x = Data::new(x);
        let mut y = DenseMatrix::zeros(cols, cols);
        let mut scratch = vec![(0.0, 0.0); cols];
        for (k, &i) in anchors.iter().enumerate() {
            let row = y.col_mut(i);
            row.iter_mut().enumerate().for_each(|(j, value)| *value = h.get(k, j));
            project(row, i, &w, &mut scratch);
        }
        let fitted = x.zeros();
        let mut descent = Self {
            change: DenseMatrix::zeros(cols, cols),
            fitted_before: fitted.clone(),
            step: if sigma > 0.0 { 1.0 / (sigma * sigma) } else { 0.0 },
            mu: 0.0,
            x,
            w,
            p,
            y,
            fitted,
        };
        descent.x.fit(&descent.y, &mut descent.fitted);
        descent.fitted_before.clone_from(&descent.fitted);
        let penalty = descent.penalty();
        descent.mu = if penalty > 0.0 { descent.half_square() / penalty } else { 0.0 };
        descent
    }

    /// `Y <- P(V - step * gradient at V)`, `V = Y + beta * last change`.
    fn step(&mut self, beta: f64, interrupt: &Interrupt) {
        let (cols, step, mu) = (self.y.cols(), self.step, self.mu);
        // X V - X: products are linear, so V needs none of its own.
        let residual = DenseMatrix::from_column_fn(self.fitted.rows(), self.fitted.cols(), |c, out| {
            let (now, before) = (self.fitted.col(c), self.fitted_before.col(c));
            out.iter_mut().enumerate().for_each(|(m, r)| *r = now[m] + beta * (now[m] - before[m]));
            self.x.subtract_from(out, c);
        });
        let (x, w, p) = (&self.x, &self.w, &self.p);
        let blocks = self.y.values_mut().par_chunks_mut(BLOCK * cols);
        blocks.zip(self.change.values_mut().par_chunks_mut(BLOCK * cols)).enumerate().for_each_init(
            || (vec![0.0; BLOCK * cols], vec![(0.0, 0.0); cols]),
            |(gradient, scratch), (s, (y, change))| {
                if interrupt.asked() {
                    return;
                }
                let first = s * BLOCK;
                let gradient = &mut gradient[..y.len()];
                x.gradient(&residual, first, gradient);
                let rows_of = gradient.chunks_exact_mut(cols).zip(y.chunks_exact_mut(cols));
                for (i, ((z, y), change)) in rows_of.zip(change.chunks_exact_mut(cols)).enumerate() {
                    let i = first + i;
                    // Y(i,i) = 0 means that the whole row is 0; most rows are, and stay so: then nothing is read or written.
                    let idle = y[i] == 0.0 && change[i] == 0.0;
                    if idle {
                        z.iter_mut().for_each(|z| *z *= -step);
                    } else {
                        for ((z, y), change) in z.iter_mut().zip(&*y).zip(&*change) {
                            *z = y + beta * change - step * *z;
                        }
                    }
                    z[i] -= step * mu * p[i];
                    let own = project(z, i, w, scratch);
                    if idle && own == 0.0 {
                        continue;
                    }
                    for ((z, y), change) in z.iter().zip(y).zip(change) {
                        *change = z - *y;
                        *y = *z;
                    }
                }
            },
        );
        if interrupt.asked() {
            return;
        }
        std::mem::swap(&mut self.fitted, &mut self.fitted_before);
        self.x.fit(&self.y, &mut self.fitted);
    }

    fn keep(&self, standing: &Standing, keeper: &mut dyn Keeper) {
        let Standing { steps, restarts, objective, momentum, seconds } = standing;
        let numbers = [self.mu, *steps as f64, *restarts as f64, *objective, momentum.0, *seconds];
        let state = State::default()
            .values("numbers", &numbers)
            .values("y", self.y.values())
            .values("change", self.change.values())
            .values("fitted", self.fitted.values())
            .values("fitted_before", self.fitted_before.values());
        keeper.keep(&state);
    }

    /// Goes on from a state that was kept; nothing changes if that is of other data.
    fn resume(&mut self, kept: &Kept) -> Option<Standing> {
        let matrix = |name, like: &DenseMatrix| kept.matrix(name, like.rows(), like.cols());
        let (y, change) = (matrix("y", &self.y)?, matrix("change", &self.change)?);
        let (fitted, before) = (matrix("fitted", &self.fitted)?, matrix("fitted_before", &self.fitted)?);
        let &[mu, steps, restarts, objective, momentum, seconds] = &kept.values("numbers", 6)?[..] else { return None };
        (self.y, self.change, self.fitted, self.fitted_before, self.mu) = (y, change, fitted, before, mu);
        let (steps, restarts, momentum) = (steps as usize, restarts as usize, Momentum(momentum));
        Some(Standing { steps, restarts, objective, momentum, seconds: seconds.clamp(0.0, 1e12) })
    }

    fn objective(&self) -> f64 {
        self.half_square() + self.mu * self.penalty()
    }

    /// `1/2 ||X - X Y||_F^2`.
    fn half_square(&self) -> f64 {
        let of = |c: usize| {
            let mut residual = self.fitted.col(c).to_vec();
            self.x.subtract_from(&mut residual, c);
            residual.iter().map(|r| r * r).sum::<f64>()
        };
        0.5 * Shards::new(self.fitted.cols()).sum(of)
    }

    /// `p' diag(Y)`.
    fn penalty(&self) -> f64 {
        self.diagonal().iter().zip(&self.p).map(|(y, p)| y * p).sum()
    }

    fn trace(&self) -> f64 {
        self.diagonal().iter().sum()
    }

    fn diagonal(&self) -> Vec<f64> {
        (0..self.y.cols()).map(|i| self.y.get(i, i)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Dirichlet;

    /// Row `i` of `X'(X V - X)`, entry by entry.
    fn gradient_row(x: &DenseMatrix, v: &DenseMatrix, i: usize) -> Vec<f64> {
        let (rows, cols) = (x.rows(), x.cols());
        let residual = |m: usize, j: usize| (0..cols).map(|l| x.get(m, l) * v.get(l, j)).sum::<f64>() - x.get(m, j);
        (0..cols).map(|j| (0..rows).map(|m| x.get(m, i) * residual(m, j)).sum()).collect()
    }

    #[test]
    fn steps_are_those_of_the_definition() {
        let data = Dirichlet { snr_db: 12.0, ..Dirichlet::new(7, 40, 4) }.generate().unwrap();
        let x = data.x;
        let mut descent = Descent::new(&x.clone().into(), 4, 3, &Interrupt::never());
        let (mut y, mut last) = (descent.y.transposed(), descent.y.transposed());
        let mut momentum = Momentum::default();
        for _ in 0..8 {
            let beta = momentum.next();
            descent.step(beta, &Interrupt::never());
            let v = DenseMatrix::from_fn(40, 40, |i, j| y.get(i, j) + beta * (y.get(i, j) - last.get(i, j)));
            last.clone_from(&y);
            for i in 0..40 {
                let gradient = gradient_row(&x, &v, i);
                let mut row: Vec<f64> = (0..40).map(|j| v.get(i, j) - descent.step * gradient[j]).collect();
                row[i] -= descent.step * descent.mu * descent.p[i];
                project(&mut row, i, &descent.w, &mut [(0.0, 0.0); 40]);
                (0..40).for_each(|j| y.col_mut(j)[i] = row[j]);
            }
            let difference = |i: usize, j: usize| (descent.y.get(j, i) - y.get(i, j)).abs();
            let largest = (0..1600).map(|n| difference(n / 40, n % 40)).fold(0.0, f64::max);
            assert!(largest < 1e-13, "{largest:e}");
        }
        assert!(y.values().iter().filter(|&&y| y > 0.0).count() > 40, "there is something to compare");
    }

    #[test]
    fn the_two_terms_balance_at_the_start() {
        let data = Dirichlet { snr_db: 12.0, ..Dirichlet::new(7, 40, 4) }.generate().unwrap();
        let descent = Descent::new(&data.x.into(), 4, 3, &Interrupt::never());
        assert!((descent.half_square() / (descent.mu * descent.penalty()) - 1.0).abs() < 1e-12);
        assert!((descent.trace() - 4.0).abs() < 1e-9 && descent.mu > 0.0);
        assert!(descent.p.iter().all(|p| (0.995..=1.005).contains(p)) && descent.p[0] != descent.p[1]);
    }
}
