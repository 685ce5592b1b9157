//! The search through `G = X'X`, where that is no larger than residuals may be: scores as sums of a few of its rows, decided in
//! `f64` as everywhere.
//!
//! ```text
//! <x_n, r_l> = sum_k C(k,l) G(k,n) - G(l,n)       |c_l| + 1 multiply-adds, however many rows X has
//! ```
//!
//! Dense columns are centered: `r_l = sum_k C(k,l) (x_k - m) - (x_l - m) + (sum_k C(k,l) - 1) m`, and `<m, r_l>` is the same for all `n`.

use super::oracle::{Query, Winner};
use super::residuals::{LARGEST, Residuals};
use super::softmax::RowSoftmax;
use crate::progress::Interrupt;
use merit_linalg::gram::Gram;
use merit_linalg::kernels::{Kernel, PANEL, PanelRow, Term};
use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, SparseColumns};
use std::ops::Range;

/// Nonzeros of a column of `C` that are reckoned with.
const NONZEROS: usize = 40;

/// Whether `G` takes at most the memory that residuals may: linear in the data.
pub(crate) fn gram_fits(X: &DataMatrix) -> bool {
    match X {
        DataMatrix::Dense(x) => x.cols() <= x.rows(),
        DataMatrix::Single(_) => false, // it would be up to twice as large as the data
        DataMatrix::Sparse(x) => 8 * x.cols() as u128 * x.cols() as u128 <= (LARGEST * 12 * x.nnz()) as u128,
    }
}

/// Whether making `G` (in every process) and `steps` searches through it take fewer operations than these searches without.
///
/// Counted for a pair of columns, in multiply-adds of dense `f32`: an entry of a sparse column costs 2.5, one of a dense column half where it
/// is a byte first; those of `G` are `f64`, and a sum of them begins and ends.
pub(super) fn pays(X: &DataMatrix, steps: usize, processes: usize) -> bool {
    let (entries, each) = match X {
        DataMatrix::Dense(_) | DataMatrix::Single(_) => (X.rows() as f64, 0.5),
        DataMatrix::Sparse(x) => (x.nnz() as f64 / x.cols() as f64, 2.5),
    };
    let (making, sum) = (2.0 * entries * processes as f64, 2.0 * (steps.min(NONZEROS) + 8) as f64);
    gram_fits(X) && making + steps as f64 * sum < steps as f64 * each * entries
}

pub(super) struct GramSearch<'a> {
    X: &'a DataMatrix,
    kernel: Kernel,
    gram: Gram,
    /// Whether columns are centered.
    centered: bool,
    /// `max ||x - m||`, `||m||`, and `max ||x|| + ||m||`.
    radius: f64,
    middle: f64,
    reach: f64,
    /// The most entries of a column, and a few more.
    entries: f64,
    /// This iteration's bias of every column, in panels; infinity behind the last.
    bias: Vec<PanelRow>,
    /// The first row with the smallest bias.
    least_biased: usize,
}

/// Working space of one worker.
#[derive(Default)]
pub(super) struct Scratch {
    columns: Vec<Column>,
    /// For each column the least score of each panel.
    minima: Vec<f64>,
    /// Columns of `X` that may win.
    open: Vec<u32>,
}

/// What the scores of one column are made of.
#[derive(Default)]
struct Column {
    terms: Vec<Term>,
    /// What the nonzeros of `c_l` cost more than their bias says, by rows.
    penalties: Vec<(u32, f64)>,
    /// No score is further from the `f64` score.
    error: f64,
}

impl<'a> GramSearch<'a> {
    /// Nothing once somebody asked for the end, and where products of columns may leave the range of numbers.
    pub(super) fn new(X: &'a DataMatrix, kernel: Kernel, interrupt: &Interrupt) -> Option<Self> {
        let (M, N) = (X.rows(), X.cols());
        let columns = Shards::new(N);
        let reach = columns.max(0.0, |l| X.squared_norm(l)).sqrt();
        if reach != 0.0 && !(2f64.powi(-400)..2f64.powi(400)).contains(&reach) {
            return None;
        }
        let entries = columns.max(0.0, |l| X.stored_col(l).len() as f64) + 8.0;
        let DataMatrix::Dense(x) = X else {
            let gram = Gram::of(X, None, kernel, interrupt)?;
            return Some(Self::of(X, kernel, gram, [reach, 0.0, reach], entries));
        };
        let mut center = columns.sum_vectors(M, |l, sum| sum.iter_mut().zip(x.col(l)).for_each(|(s, x)| *s += x));
        center.iter_mut().for_each(|m| *m /= N as f64);
        let distance = |l: usize| x.col(l).iter().zip(&center).map(|(x, m)| (x - m) * (x - m)).sum::<f64>();
        let (radius, middle) = (columns.max(0.0, distance).sqrt(), center.iter().map(|m| m * m).sum::<f64>().sqrt());
        let gram = Gram::of(X, Some(&center), kernel, interrupt)?;
        Some(Self::of(X, kernel, gram, [radius, middle, reach + middle], entries))
    }

    fn of(X: &'a DataMatrix, kernel: Kernel, gram: Gram, sizes: [f64; 3], entries: f64) -> Self {
        let [radius, middle, reach] = sizes;
        let bias = vec![PanelRow([f64::INFINITY; PANEL]); gram.panels()];
        let centered = matches!(X, DataMatrix::Dense(_));
        Self { X, kernel, gram, centered, radius, middle, reach, entries, bias, least_biased: 0 }
    }

    /// Takes over this iteration's bias.
    pub(super) fn prepare(&mut self, y: &RowSoftmax) {
        self.least_biased = Shards::new(self.X.cols()).argmax(|n| -y.bias()[n]).map_or(0, |(n, _)| n);
        for (to, from) in self.bias.iter_mut().zip(y.bias().chunks(PANEL)) {
            to.0[..from.len()].copy_from_slice(from);
        }
    }

    /// Finds the least score of each panel for the columns `range`. What a panel has of the rows in use stays in a cache while all of them
    /// pass.
    pub(super) fn look(
        &self,
        range: Range<usize>,
        R: &Residuals,
        C: &SparseColumns,
        y: &RowSoftmax,
        scratch: &mut Scratch,
    ) {
        let (count, panels) = (range.len(), self.gram.panels());
        scratch.columns.resize_with(count, Column::default);
        scratch.minima.resize(count * panels, 0.0);
        scratch.columns.iter_mut().zip(range).for_each(|(column, l)| self.fill(column, l, R, C, y));
        for p in 0..panels {
            for (column, minima) in scratch.columns.iter().zip(scratch.minima.chunks_exact_mut(panels)) {
                minima[p] = self.scores(column, p).least();
            }
        }
    }

    fn fill(&self, column: &mut Column, l: usize, R: &Residuals, C: &SparseColumns, y: &RowSoftmax) {
        let Column { terms, penalties, error } = column;
        let (rows, values) = C.col(l);
        terms.clear();
        terms.extend(rows.iter().zip(values).map(|(&row, &weight)| Term { row, weight }));
        terms.push(Term { row: l as u32, weight: -1.0 });
        let excess = terms.iter().map(|term| term.weight).sum::<f64>();
        if self.centered {
            terms.push(Term { row: self.X.cols() as u32, weight: excess });
        }
        penalties.clear();
        if y.largest() > 0.0 {
            let penalty = |(&n, &c): (&u32, &f64)| (n, y.weight(C, n as usize, c) - y.bias()[n as usize]);
            penalties.extend(rows.iter().zip(values).map(penalty));
            penalties.sort_unstable_by_key(|&(n, _)| n);
        }
        *error = self.error_bound(terms.len() as f64, excess.abs(), R, l, y.largest());
    }

    /// The scores of panel `p`, penalties included.
    #[inline]
    fn scores(&self, column: &Column, p: usize) -> PanelRow {
        let mut scores = self.bias[p];
        self.kernel.add_rows(self.gram.panel(p), &column.terms, &mut scores);
        let first = column.penalties.partition_point(|&(n, _)| (n as usize) < p * PANEL);
        for &(n, penalty) in column.penalties[first..].iter().take_while(|&&(n, _)| (n as usize) < (p + 1) * PANEL) {
            scores.0[n as usize % PANEL] += penalty;
        }
        scores
    }

    /// The argmin over all columns for column `q` of those that were looked at.
    pub(super) fn decide(&self, query: &Query, square: f64, q: usize, scratch: &mut Scratch) -> Winner {
        let bias = query.y.bias();
        let mut winner = Winner::none();
        if square == 0.0 && query.place(self.least_biased).is_none() {
            // Every score is its bias, and none is below this one.
            winner.offer(self.X.dot(self.least_biased, query.r) + bias[self.least_biased], self.least_biased);
            return winner;
        }
        let Scratch { columns, minima, open } = scratch;
        let (column, minima) = (&columns[q], &minima[q * self.gram.panels()..][..self.gram.panels()]);
        let least = minima.iter().copied().fold(f64::INFINITY, f64::min);
        let limit = (least + 2.0 * column.error).next_up();
        open.clear();
        for (p, _) in minima.iter().enumerate().filter(|&(_, &least)| least <= limit) {
            let scores = self.scores(column, p).0;
            let within = (p * PANEL..).zip(scores).filter(|&(_, score)| score <= limit);
            open.extend(within.map(|(n, _)| n as u32));
        }
        for &n in &*open {
            let n = n as usize;
            let weight = query.place(n).map_or(bias[n], |place| query.y.weight(query.C, n, query.support.1[place]));
            winner.offer(self.X.dot(n, query.r) + weight, n);
        }
        winner
    }

    /// How far a score may be from the `f64` score (less `<m, r>`, which is the same for all). In units of 2^-53:
    ///
    /// - entries of `G` are wrong by `entries radius reach`, and their weights sum up to 2 and the excess;
    /// - the sum has `terms` roundings of at most what these products, bias and penalty are; the excess itself as many;
    /// - a residual is `drift` lengths of a column off `X c_l - x_l`;
    /// - the `f64` score has `entries` roundings of its own magnitude.
    ///
    /// Weights of `c_l` sum up to 1 but for rounding; `2^-52`, twice the unit, leaves room for that and for the roundings of this bound.
    fn error_bound(&self, terms: f64, excess: f64, R: &Residuals, l: usize, largest_weight: f64) -> f64 {
        let Self { radius, middle, reach, entries, .. } = *self;
        let largest = 2.0 * radius * radius + excess * radius * middle + 2.0 * largest_weight;
        let products = (2.0 + excess) * entries * radius * reach + (terms + 8.0) * (largest + radius * middle);
        let score = entries * (reach * R.square(l).sqrt() + largest_weight);
        2f64.powi(-52) * (products + R.drift() * radius * reach + score)
    }
}
