//! Between passes, column by column: both bounds, and the step of `P` and `p`.
//!
//! ```text
//! theta_l = rho (p_l + min(0, min_n E_nl)),  Z = -rho P:  a = sum_l theta_l - <y_l, z_l>,  b = ||Z||^2
//! P <- P + a (rho I + B B')^-1 (Y - B(D - E) - rho P);    p <- p + a kappa (1 - 1'D + 1'E) / R
//! ```

use super::pass::kept;
use super::problem::Problem;
use super::rows::{Row, Rows};
use merit_linalg::dense::dot;
use merit_linalg::products::transposed_times;
use merit_linalg::{DataMatrix, DenseMatrix};
use rayon::prelude::*;

/// Columns that one thread works on together.
const BLOCK: usize = 1024;

/// How the step is taken.
pub(super) struct Sweep<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) rows: &'a Rows,
    pub(super) rho: f64,
    pub(super) kappa: f64,
    /// `a`.
    pub(super) relaxation: f64,
    /// `(rho I + B B')^-1`.
    pub(super) inverse: &'a DenseMatrix,
    pub(super) drop: f64,
    /// Whether `F` is computed.
    pub(super) with_fit: bool,
}

/// What is known about `D`, `E`, `P` and `p` before the step.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// `a` and `b` of the lower bound, and the sum of the magnitudes of the terms of `a`.
    pub(super) linear: f64,
    pub(super) square: f64,
    pub(super) magnitude: f64,
    /// `1/2 ||X - XC||_F^2` with `C = D`, columns divided by their sums; where it was asked for.
    pub(super) fit: f64,
    /// The sums of the columns of `D`.
    pub(super) columns: Vec<f64>,
}

impl Sums {
    /// Whether every column of `D` has something to be divided by.
    pub(super) fn is_feasible(&self) -> bool {
        self.columns.iter().all(|&sum| sum > 0.0)
    }

    /// `max over s <= limit of s a - s^2 b / 2`, less what rounding may have added; never below zero, as `F` is not.
    pub(super) fn lower_bound(&self, limit: f64) -> f64 {
        let best = if self.square > 0.0 { self.linear / self.square } else { f64::INFINITY };
        let scale = best.min(limit);
        if scale.is_nan() || scale <= 0.0 || !scale.is_finite() {
            return 0.0;
        }
        let terms = self.columns.len() as f64 + 64.0;
        let rounding = terms * f64::EPSILON * (self.magnitude + self.square * scale);
        let bound = scale * (self.linear - 0.5 * scale * self.square - rounding);
        if bound > 0.0 { bound } else { 0.0 }
    }
}

/// The entries of some columns: `starts`, then rows, `D - E` and `D`.
#[derive(Default)]
struct Block {
    starts: Vec<u32>,
    rows: Vec<u32>,
    differences: Vec<f64>,
    d: Vec<f64>,
    /// `min(0, min_n E_nl)`.
    least: Vec<f64>,
}

impl Block {
    fn gather(&mut self, rows: &Rows, first: usize, count: usize, drop: f64) {
        let (from, to) = (first as u32, (first + count) as u32);
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        self.least.clear();
        self.least.resize(count, 0.0);
        let all = rows.shards.iter().flat_map(|shard| shard.rows()).enumerate();
        let parts = all.map(|(n, row)| (n as u32, row.within(from, to))).filter(|(_, row)| !row.columns.is_empty());
        let parts: Vec<(u32, Row)> = parts.collect();
        for (_, row) in &parts {
            row.columns.iter().for_each(|&l| self.starts[(l - from) as usize + 1] += 1);
        }
        for i in 0..count {
            self.starts[i + 1] += self.starts[i];
        }
        let total = self.starts[count] as usize;
        self.rows.resize(total, 0);
        self.differences.resize(total, 0.0);
        self.d.resize(total, 0.0);
        let mut next = self.starts.clone();
        for (n, row) in parts {
            for ((&l, &d), &e) in row.columns.iter().zip(row.d).zip(row.e) {
                let i = (l - from) as usize;
                let place = next[i] as usize;
                next[i] += 1;
                (self.rows[place], self.differences[place], self.d[place]) = (n, d - kept(e, drop), d);
                self.least[i] = self.least[i].min(e);
            }
        }
    }
}

/// Working space of one worker.
#[derive(Default)]
struct Scratch {
    block: Block,
    y: Vec<f64>,
    sum: Vec<f64>,
    fit: Vec<f64>,
    /// `Y - B(D - E) - rho P`, and the inverse times it.
    gradient: Vec<f64>,
    step: Vec<f64>,
}

/// `sum <- sum + X w`, over these rows of the dictionary.
fn combine(problem: &Problem, rows: &[u32], w: &[f64], sum: &mut [f64]) {
    let column = |row: u32| problem.column(row as usize);
    match problem.X() {
        DataMatrix::Dense(X) => combine_dense(|row| X.col(column(row)), rows, w, sum),
        DataMatrix::Single(X) => combine_dense(|row| X.col(column(row)), rows, w, sum),
        sparse => rows.iter().zip(w).for_each(|(&row, &w)| sparse.add_to(column(row), w, sum)),
    }
}

/// Four columns at a time: what is in the sum comes and goes once for them.
fn combine_dense<'a, T: Copy + Into<f64> + 'a>(
    column: impl Fn(u32) -> &'a [T],
    rows: &[u32],
    w: &[f64],
    sum: &mut [f64],
) {
    let ((rows, last_rows), (w, last_w)) = (rows.as_chunks::<4>(), w.as_chunks::<4>());
    let M = sum.len();
    for (rows, w) in rows.iter().zip(w) {
        let [x0, x1, x2, x3] = rows.map(|row| &column(row)[..M]);
        for (m, sum) in sum.iter_mut().enumerate() {
            *sum += (w[0] * x0[m].into() + w[1] * x1[m].into()) + (w[2] * x2[m].into() + w[3] * x3[m].into());
        }
    }
    for (&row, &w) in last_rows.iter().zip(last_w) {
        sum.iter_mut().zip(column(row)).for_each(|(sum, &x)| *sum += w * x.into());
    }
}

/// `||X d / sum(d) - x||^2` from `X d`: the residual is `(X d - sum(d) c) / sum(d) - y`.
fn fit_square(center: &[f64], of_d: f64, fit: &[f64], y: &[f64]) -> f64 {
    let terms = fit.iter().zip(center.iter().zip(y));
    terms.map(|(fit, (c, y))| ((fit - c * of_d) / of_d - y).powi(2)).sum()
}

impl Sweep<'_> {
    /// Takes the step; gives what was known before it.
    pub(super) fn run(&self, P: &mut DenseMatrix, p: &mut [f64]) -> Sums {
        let (M, N) = (P.rows(), P.cols());
        let mut columns = vec![0.0; N];
        let blocks = P.values_mut().par_chunks_mut(BLOCK * M).zip(p.par_chunks_mut(BLOCK));
        let blocks = blocks.zip(columns.par_chunks_mut(BLOCK)).enumerate();
        let parts: Vec<Sums> = blocks
            .map_init(Scratch::default, |scratch, (s, ((P, p), sums))| self.block(s * BLOCK, P, p, sums, scratch))
            .collect();
        let mut total = Sums { columns, ..Sums::default() };
        for part in parts {
            total.linear += part.linear;
            total.square += part.square;
            total.magnitude += part.magnitude;
            total.fit += part.fit;
        }
        total
    }

    fn block(&self, first: usize, P: &mut [f64], p: &mut [f64], sums: &mut [f64], scratch: &mut Scratch) -> Sums {
        let (problem, rho) = (self.problem, self.rho);
        let (M, R) = (problem.X().rows(), problem.rows() as f64);
        let Scratch { block, y, sum, fit, gradient, step } = scratch;
        block.gather(self.rows, first, p.len(), self.drop);
        for part in [&mut *y, &mut *sum, &mut *fit] {
            part.resize(M, 0.0);
        }
        gradient.resize(P.len(), 0.0);
        step.resize(P.len(), 0.0);
        let mut total = Sums::default();
        for (i, (P, gradient)) in P.chunks_exact(M).zip(gradient.chunks_exact_mut(M)).enumerate() {
            problem.centered(first + i, y);
            sum.fill(0.0);
            fit.fill(0.0);
            let places = block.starts[i] as usize..block.starts[i + 1] as usize;
            let (w, d) = (&block.differences[places.clone()], &block.d[places.clone()]);
            let (of_sum, of_d) = (w.iter().sum::<f64>(), d.iter().sum::<f64>());
            let rows = &block.rows[places];
            combine(problem, rows, w, sum);
            if self.with_fit {
                combine(problem, rows, d, fit);
                total.fit += 0.5 * fit_square(problem.center(), of_d, fit, y);
            }
            for (m, g) in gradient.iter_mut().enumerate() {
                *g = y[m] - (sum[m] - problem.center()[m] * of_sum) - rho * P[m]; // B w = X w - c sum(w)
            }
            sums[i] = of_d;
            let theta = rho * (p[i] + block.least[i]);
            let product = rho * dot(y, P);
            total.linear += theta + product;
            total.magnitude += theta.abs() + M as f64 * rho * dot(y, y).sqrt() * dot(P, P).sqrt();
            total.square += rho * rho * dot(P, P);
            p[i] += self.relaxation * self.kappa * (1.0 - of_sum) / R;
        }
        transposed_times(self.inverse, &gradient[..P.len()], &mut step[..P.len()]); // the inverse is symmetric
        P.iter_mut().zip(step).for_each(|(P, step)| *P += self.relaxation * *step);
        total
    }
}
