//! The fast search over sparse columns: `f32` scores of all columns for some residuals at a time, decided in `f64`.
//!
//! As for dense data every `f32` score lies within a rigorous bound of the `f64` score, so only columns within twice that of
//! the least one can win. Columns are not centered, which would fill them; the bound counts their nonzeros instead of rows.

use super::fast_search::power_of_two_below;
use super::oracle::{Query, Winner};
use super::residuals::{Residuals, terms};
use super::softmax::RowSoftmax;
use merit_linalg::kernels::{Kernel, SparsePoints, WIDTH, Wide};
use merit_linalg::shards::Shards;
use merit_linalg::{SparseColumns, SparseMatrix};
use std::ops::Range;

pub(super) struct SparseSearch<'a> {
    X: &'a SparseMatrix,
    kernel: Kernel,
    points: SparsePoints,
    /// This iteration's bias of every column, scaled.
    bias: Vec<f32>,
    /// Points are `x * point_scale`, queries `r * query_scale`, biases `b * point_scale * query_scale`.
    point_scale: f64,
    query_scale: f64,
    /// `max_n` of `||x_n||` times the roundings that its products meet.
    weighted_reach: f64,
    /// `max ||x_n||`, and the most entries of a column; eight more.
    reach: f64,
    nonzeros: f64,
    /// The first row with the smallest bias.
    least_biased: usize,
}

/// Working space of one worker.
pub(super) struct Scratch {
    /// Residuals as `f32`, one after the other (where they are stored), and side by side.
    queries: Vec<f32>,
    tile: Vec<Wide>,
    /// Rows in which a residual may not be zero.
    touched: Vec<u32>,
    /// Products of all columns with these residuals, side by side.
    scores: Vec<Wide>,
    /// Columns that may win for some residual, and a bit for each.
    found: Vec<(u32, u32)>,
    /// Columns that may win, for each residual.
    open: [Vec<u32>; WIDTH],
}

impl<'a> SparseSearch<'a> {
    pub(super) fn new(X: &'a SparseMatrix, kernel: Kernel) -> Self {
        let columns = Shards::new(X.cols());
        let square = |n: usize| X.col(n).1.iter().map(|v| v * v).sum::<f64>();
        let reach = columns.max(0.0, square).sqrt();
        let point_scale = power_of_two_below(reach);
        let points = SparsePoints::pack(X, point_scale);
        let roundings = points.roundings();
        let terms = |n: usize| f64::from(roundings[n]) + 8.0;
        let nonzeros = columns.max(0.0, |n| X.col(n).0.len() as f64) + 8.0;
        Self {
            weighted_reach: columns.max(0.0, |n| square(n).sqrt() * terms(n)),
            reach,
            nonzeros,
            X,
            kernel,
            points,
            bias: vec![0.0; X.cols()],
            point_scale,
            query_scale: 1.0,
            least_biased: 0,
        }
    }

    pub(super) fn scratch(&self) -> Scratch {
        Scratch {
            queries: Vec::new(),
            tile: self.points.tile(),
            touched: Vec::new(),
            scores: vec![Wide::ZERO; self.X.cols()],
            found: Vec::new(),
            open: Default::default(),
        }
    }

    /// Takes over this iteration's bias, and the scale of its residuals.
    pub(super) fn prepare(&mut self, largest_residual: f64, y: &RowSoftmax) {
        let columns = Shards::new(self.X.cols());
        self.least_biased = columns.argmax(|n| -y.bias()[n]).map_or(0, |(n, _)| n);
        self.query_scale = power_of_two_below(largest_residual.max(y.largest() * self.point_scale));
        let scale = self.point_scale * self.query_scale;
        columns.update(&mut self.bias, |n, _| (y.bias()[n] * scale) as f32);
    }

    /// Finds out which columns may win for the residuals `range`, at most [`WIDTH`] of them.
    pub(super) fn look(
        &self,
        range: Range<usize>,
        R: &Residuals,
        C: &SparseColumns,
        y: &RowSoftmax,
        column: &mut [f64],
        scratch: &mut Scratch,
    ) {
        let scale = self.point_scale * self.query_scale;
        if R.is_stored() {
            self.lay_stored(range.clone(), R, scratch);
        } else {
            self.lay_computed(range.clone(), C, column, scratch);
        }
        let Scratch { tile, scores, found, open, .. } = scratch;
        scores.fill(Wide::ZERO);
        self.kernel.add_products(&self.points, tile, scores);
        for (q, l) in range.clone().enumerate() {
            let (rows, values) = C.col(l);
            for (&n, &c) in rows.iter().zip(values) {
                let n = n as usize;
                scores[n].0[q] += ((y.weight(C, n, c) - y.bias()[n]) * scale) as f32;
            }
        }
        let least = self.kernel.least_scores(scores, &self.bias);
        let mut limits = Wide([f32::NEG_INFINITY; WIDTH]);
        for ((limit, least), l) in limits.0.iter_mut().zip(least.0).zip(range) {
            let error = self.error_bound(R.square(l).sqrt(), y.largest());
            *limit = ((f64::from(least) + 2.0 * error) as f32).next_up();
        }
        self.kernel.scores_within(scores, &self.bias, &limits, found);
        open.iter_mut().for_each(Vec::clear);
        for &(n, mut queries) in &*found {
            while queries != 0 {
                open[queries.trailing_zeros() as usize].push(n);
                queries &= queries - 1;
            }
        }
    }

    /// Lays stored residuals side by side.
    fn lay_stored(&self, range: Range<usize>, R: &Residuals, scratch: &mut Scratch) {
        let Scratch { queries, tile, .. } = scratch;
        queries.clear();
        for l in range {
            queries.extend(R.stored_column(l).iter().map(|r| (r * self.query_scale) as f32));
        }
        self.points.fill_tile(queries, tile);
    }

    /// Computes residuals and lays them side by side: only rows of the columns that they are made of are looked at.
    fn lay_computed(&self, range: Range<usize>, C: &SparseColumns, column: &mut [f64], scratch: &mut Scratch) {
        let Scratch { touched, tile, .. } = scratch;
        tile.fill(Wide::ZERO);
        column.fill(0.0);
        for (q, l) in range.enumerate() {
            let terms = terms(C, l);
            let most = terms.clone().map(|(n, _)| self.X.col(n).0.len()).sum();
            if touched.len() < most {
                touched.resize(most, 0);
            }
            let mut count = 0;
            for (n, weight) in terms {
                let (rows, values) = self.X.col(n);
                for (&m, v) in rows.iter().zip(values) {
                    // Every place is written, and stays if the count goes on: there is no branch to guess.
                    let r = &mut column[m as usize];
                    touched[count] = m;
                    count += usize::from(*r == 0.0);
                    *r += weight * v;
                }
            }
            for &m in &touched[..count] {
                let r = std::mem::take(&mut column[m as usize]);
                if r != 0.0 {
                    self.points.put(tile, q, m, (r * self.query_scale) as f32); // at its first visit
                }
            }
        }
    }

    /// The argmin over all columns for residual `q` of those that were looked at.
    pub(super) fn decide(&self, query: &Query, square: f64, q: usize, scratch: &Scratch) -> Winner {
        let bias = query.y.bias();
        let mut winner = Winner::none();
        if square == 0.0 && query.place(self.least_biased).is_none() {
            // Every score is its bias, and none is below this one.
            winner.offer(self.X.dot(self.least_biased, query.r) + bias[self.least_biased], self.least_biased);
            return winner;
        }
        for &n in &scratch.open[q] {
            let n = n as usize;
            let weight = query.place(n).map_or(bias[n], |place| query.y.weight(query.C, n, query.support.1[place]));
            winner.offer(self.X.dot(n, query.r) + weight, n);
        }
        winner
    }

    /// How far an `f32` score may be from the `f64` score, in scaled units.
    ///
    /// A product costs at most `roundings 2^-24 ||x|| ||r||`; bias and penalty are rounded and added at the end, which costs at
    /// most `4 2^-24` of what they and the product are. The `f64` scores cost `(nnz + 4) 2^-53` of their own magnitudes, and
    /// numbers too small for `f32` half a unit of 2^-149 each. Eight more roundings, and 2^-52, leave room for those of this bound.
    fn error_bound(&self, r_norm: f64, largest_weight: f64) -> f64 {
        let scale = self.point_scale * self.query_scale;
        let single = 2f64.powi(-24) * (self.weighted_reach * r_norm + 8.0 * largest_weight);
        let double = 2f64.powi(-52) * self.nonzeros * (self.reach * r_norm + largest_weight);
        (single + double) * scale + self.nonzeros * 2f64.powi(-149) * 4.0
    }
}
