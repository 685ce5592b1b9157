//! The row softmax `y(n,l) = exp(C(n,l)/mu) / sum_i exp(C(n,i)/mu)` and the regularizer `Phi_mu`, in `O(nnz(C) + N)`.
//!
//! With mu = 1e-5, `exp(1/mu)` overflows: the row maximum `m_n` is subtracted first. Zeros belong to the row too, so
//!
//! ```text
//! s_n = sum over nonzeros exp((C(n,i) - m_n)/mu) + (N - nonzeros) exp(-m_n/mu),   1 <= s_n <= N
//! ```
//!
//! and all columns with `C(n,l) = 0` share one number, `b_n = lambda exp(-m_n/mu) / s_n`: `lambda/N` for an empty row, next
//! to nothing for a row in use.
//!
//! Rows are reduced over columns, which many threads do at once. Maxima do not depend on the order; sums do, so the
//! terms (all between 0 and 1) are added as integers, in units of `2^-q` with `q = 62 - log2 N`: exact, in any order, also where
//! several processes have some of the columns each.

use merit_linalg::SparseColumns;
use merit_linalg::memory;
use merit_linalg::ranks::exchange_atomics;
use merit_linalg::shards::Shards;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub(super) struct RowSoftmax {
    lambda: f64,
    mu: f64,
    /// Units of the integer sums: `2^q`.
    units: f64,
    /// While summing, `sum exp((C(n,i) - m_n)/mu)` over the nonzeros in units; afterwards the bits of `s_n`.
    sums: Vec<AtomicU64>,
    /// `sum C(n,i) exp((C(n,i) - m_n)/mu)`, in units.
    moments: Vec<AtomicU64>,
    /// `b_n`.
    bias: Vec<f64>,
}

impl RowSoftmax {
    pub(super) fn new(N: usize, lambda: f64, mu: f64) -> Self {
        let rows = if lambda > 0.0 { N } else { 0 };
        let zeros = || memory::list(rows, |_| AtomicU64::new(0));
        let units = 2f64.powi(62 - (usize::BITS - N.leading_zeros()) as i32);
        Self { lambda, mu, units, sums: zeros(), moments: zeros(), bias: memory::zeros(N) }
    }

    /// `y` of this `C`.
    pub(super) fn update(&mut self, C: &SparseColumns) {
        if self.lambda == 0.0 {
            return;
        }
        let columns = C.columns();
        let sums = self.sums.par_iter_mut().zip(&mut self.moments).with_min_len(4096);
        sums.for_each(|(sum, moment)| (*sum.get_mut(), *moment.get_mut()) = (0, 0));
        let least = -(2.0 * self.units).ln() * self.mu; // what lies further below the maximum is less than half a unit
        let row_max = C.row_maxima();
        columns.for_each(|l| {
            let (row_max, least) = (row_max, least); // in registers: the sums are not known to lie elsewhere
            let (rows, values) = C.col(l);
            for (&n, &value) in rows.iter().zip(values) {
                let below = value - row_max(n as usize);
                if below >= least {
                    let term = self.exp(below) * self.units;
                    self.sums[n as usize].fetch_add((term + 0.5) as u64, Relaxed);
                    self.moments[n as usize].fetch_add((value * term + 0.5) as u64, Relaxed);
                }
            }
        });
        if !columns.are_all() {
            exchange_atomics(&mut self.sums, |sums| columns.ranks().sum(sums));
            exchange_atomics(&mut self.moments, |moments| columns.ranks().sum(moments));
        }
        let mut bias = std::mem::take(&mut self.bias);
        let row = |n: usize| {
            let zero = self.exp(-C.row_max(n));
            let zeros = C.cols() - C.row_count(n) as usize;
            let total = self.sums[n].load(Relaxed) as f64 / self.units + zeros as f64 * zero;
            self.sums[n].store(total.to_bits(), Relaxed);
            self.lambda * zero / total
        };
        Shards::new(C.cols()).update(&mut bias, |n, _| row(n));
        self.bias = bias;
    }

    /// `lambda y(n,l)` where `C(n,l) = 0`.
    pub(super) fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// No `lambda y(n,l)` is larger.
    pub(super) fn largest(&self) -> f64 {
        self.lambda
    }

    /// `lambda y(n,l)` where `C(n,l) = value > 0`, for the `C` of the last update.
    pub(super) fn weight(&self, C: &SparseColumns, n: usize, value: f64) -> f64 {
        if self.lambda == 0.0 {
            return 0.0;
        }
        self.lambda * self.exp(value - C.row_max(n)) / self.total(n)
    }

    /// `lambda sum_{n,l} y(n,l) C(n,l)`: the regularizer's part of `sum_l <g_l, c_l>`.
    pub(super) fn slope(&self) -> f64 {
        if self.lambda == 0.0 {
            return 0.0;
        }
        let moment = |n: usize| self.moments[n].load(Relaxed) as f64 / self.units / self.total(n);
        self.lambda * Shards::new(self.bias.len()).sum(moment)
    }

    /// `lambda Phi_mu(C)`, for the `C` of the last update.
    pub(super) fn penalty(&self, C: &SparseColumns) -> f64 {
        if self.lambda == 0.0 {
            return 0.0;
        }
        let N = self.bias.len();
        let row = |n: usize| C.row_max(n) + self.mu * (self.total(n) / N as f64).ln();
        self.lambda * Shards::new(N).sum(row)
    }

    fn total(&self, n: usize) -> f64 {
        f64::from_bits(self.sums[n].load(Relaxed))
    }

    /// `exp(x/mu)` for `x <= 0`; the shortcut skips what is 0 in any case.
    fn exp(&self, x: f64) -> f64 {
        if x < -746.0 * self.mu { 0.0 } else { (x / self.mu).exp() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(C: &SparseColumns) -> Vec<Vec<f64>> {
        let mut rows = vec![vec![0.0; C.cols()]; C.cols()];
        let columns = (0..C.cols()).map(|l| (l, C.col(l)));
        columns.for_each(|(l, (indices, values))| {
            indices.iter().zip(values).for_each(|(&n, &value)| rows[n as usize][l] = value);
        });
        rows
    }

    #[test]
    fn agrees_with_the_definition_for_wide_and_narrow_smoothing() {
        let N = 7;
        let mut C = SparseColumns::zeros(N);
        for (t, shift) in [0u32, 3, 5, 1].into_iter().enumerate() {
            let vertices: Vec<u32> = (0..N as u32).map(|l| (l * l + shift) % 5).collect();
            C.step_towards(&vertices, 2.0 / (t as f64 + 2.0), None);
        }
        for mu in [10.0, 1.0, 1e-2, 1e-5, 1e-12] {
            let mut y = RowSoftmax::new(N, 0.3, mu);
            y.update(&C);
            let (mut phi, mut slope) = (0.0, 0.0);
            for (n, row) in dense(&C).iter().enumerate() {
                let max = row.iter().copied().fold(0.0, f64::max);
                let total: f64 = row.iter().map(|c| ((c - max) / mu).exp()).sum();
                phi += max + mu * (total / N as f64).ln();
                assert!((y.bias()[n] - 0.3 * (-max / mu).exp() / total).abs() < 1e-15);
                for c in row.iter().filter(|c| **c > 0.0) {
                    slope += 0.3 * c * ((c - max) / mu).exp() / total;
                    assert!((y.weight(&C, n, *c) - 0.3 * ((c - max) / mu).exp() / total).abs() < 1e-15, "mu {mu}");
                }
            }
            assert!((y.slope() - slope).abs() < 1e-14, "mu {mu}: {} {slope}", y.slope());
            assert!((y.penalty(&C) - 0.3 * phi).abs() < 1e-12 * (1.0 + mu), "mu {mu}: {} {}", y.penalty(&C), 0.3 * phi);
        }
    }

    #[test]
    fn an_empty_row_weighs_lambda_over_n() {
        let (mut y, C) = (RowSoftmax::new(4, 2.0, 1e-5), SparseColumns::zeros(4));
        y.update(&C);
        assert_eq!(y.bias(), [0.5; 4]);
        assert_eq!(y.penalty(&C), 0.0);
    }
}
