//! XRAY: the extreme rays of the cone that the columns span, one by one.
//!
//! With anchors `A` taken, `R = X - X(:,A) H` is the residual of nonnegative least squares. A column `x_i` that is not
//! explained (`r_i != 0`) points out of the cone of `A`, and the column that lies farthest that way is an extreme ray,
//!
//! ```text
//! j = argmax_j  <r_i, x_j> / <p, x_j>        (p > 0: the ray through x_j is cut by the plane <p, x> = 1)
//! max:     i = argmax_i ||r_i||
//! dist:    i = argmax_i || max(0, X' r_i) ||
//! greedy:  j = argmax_j || max(0, R' x_j) ||^2 / ||x_j||^2    (what x_j alone takes off ||R||^2; need not be extreme)
//! ```
//!
//! Where the maximum ties, a whole face of the cone attains it, and mixtures of its rays with it: the longest of the `x_j /
//! <p, x_j>` is a ray. `p` is the vector of ones; where a nonzero column has no positive sum (negative entries), the sum of
//! the unit columns. A column that is not on the positive side of that either is taken only to fill up. `H` is solved
//! exactly, by active sets ([`least_squares`](crate::least_squares)). The score is the maximum by which `j` was chosen.
//!
//! `max` costs `O(M N K)` an anchor, `dist` and `greedy` `O(M N^2)`; memory `O(K N)`: residuals are made when needed, and the
//! `N x N` products only in blocks. Reference: Kumar, Sindhwani, Kambadur, ICML 2013.
//!
//! ```
//! use merit::{DataMatrix, DenseMatrix, methods::xray::{Criterion, select}, progress::Interrupt};
//! let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![5.0, 5.0, 0.1, 2.0, 3.0, 0.0]));
//! for criterion in [Criterion::Max, Criterion::Dist] {
//!     let mut anchors = select(&x, 2, criterion, &Interrupt::never()).anchors;
//!     anchors.sort();
//!     assert_eq!(anchors, [1, 2]); // however long the mixture is
//! }
//! ```

use super::fill_up;
use crate::least_squares::{Constraint, DEFAULT_TOLERANCE, solve_until};
use crate::selection::Selection;
use crate::settings::Declaration;
use merit_linalg::dense::dot;
use merit_linalg::interrupt::Interrupt;
use merit_linalg::products::transposed_times;
use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, DenseMatrix};
use rayon::prelude::*;
use std::ops::Range;

/// Columns of single precision that are looked at together in double precision.
const PART: usize = 512;

crate::choices! {
    /// How the next ray is chosen.
    pub enum Criterion {
        /// Away from the column with the largest residual.
        #[default]
        Max = "max",
        /// Away from the column whose residual has the largest products with all columns.
        Dist = "dist",
        /// The column that by itself reduces the residual most.
        Greedy = "greedy",
    }
}

crate::settings! {
    /// What can be set.
    pub struct Options {
        /// Which ray xray takes next
        #[serde(rename = "xray_criterion")]
        criterion: Criterion = Criterion::Max, Declaration::new("NAME").named("xray_criterion").of(&["xray"]);
    }
}

/// Squared residuals this far below the largest squared norm are rounding: everything is explained.
const EXPLAINED: f64 = 1e-18;
/// Maxima that differ relatively by less count as equal.
const TIE: f64 = 1e-12;
/// A column must have at least this cosine with `p`.
const POSITIVE: f64 = 1e-9;

/// `rank` columns, in the order in which they were taken; fewer only if fewer distinct nonzero columns exist, or once somebody
/// asked for the end.
pub fn select(x: &DataMatrix, rank: usize, criterion: Criterion, interrupt: &Interrupt) -> Selection {
    let largest = Shards::new(x.cols()).max(0.0, |l| x.stored_col(l).iter().fold(0.0, |top, v| top.max(v.abs())));
    let mut selection = if largest > 0.0 && !(SMALL..LARGE).contains(&largest) {
        // Products are squared, so fourth powers must be numbers. A power of two rounds nothing.
        let scale = 2f64.powi(-largest.log2() as i32);
        let mut scaled = x.clone();
        (0..x.cols()).for_each(|l| scaled.scale(l, scale));
        let mut selection = rays(&scaled, rank, criterion, interrupt);
        let unit = if criterion == Criterion::Greedy { scale * scale } else { scale };
        selection.scores.iter_mut().for_each(|score| *score /= unit);
        selection
    } else {
        rays(x, rank, criterion, interrupt)
    };
    fill_up(x, &mut selection, rank, |_| true, interrupt);
    selection
}

/// Sizes of the largest entry between which all is well.
const SMALL: f64 = 1e-60;
const LARGE: f64 = 1e60;

fn rays(x: &DataMatrix, rank: usize, criterion: Criterion, interrupt: &Interrupt) -> Selection {
    let columns = Shards::new(x.cols());
    let heights = heights(x);
    let largest = columns.max(0.0, |l| x.squared_norm(l));
    let mut selection = Selection::default();
    let mut residual = Residual { x, columns: Vec::new(), h: DenseMatrix::zeros(0, x.cols()) };
    while selection.anchors.len() < rank && !interrupt.asked() {
        let mut squares = vec![0.0; x.cols()];
        columns.fill(&mut squares, Vec::new, |range, out, r: &mut Vec<f64>| {
            for (out, l) in out.iter_mut().zip(range) {
                residual.column(l, r);
                *out = dot(r, r);
            }
        });
        let Some((worst, square)) = columns.argmax(|l| squares[l]) else { break };
        if square <= EXPLAINED * largest {
            break;
        }
        let open = |j: usize| heights[j] > 0.0 && !selection.anchors.contains(&j);
        let away_from = |i: usize| {
            let mut r = Vec::new();
            residual.column(i, &mut r);
            let reach = |j: usize| if open(j) { x.dot(j, &r) / heights[j] } else { f64::NEG_INFINITY };
            let (_, best) = columns.argmax(reach).filter(|(_, best)| *best > 0.0)?;
            let tied = |j: usize| reach(j) >= best * (1.0 - TIE);
            let length = |j: usize| if tied(j) { x.squared_norm(j).sqrt() / heights[j] } else { f64::NEG_INFINITY };
            columns.argmax(length).map(|(j, _)| (j, best))
        };
        let best = match criterion {
            Criterion::Max => away_from(worst),
            Criterion::Dist => {
                let reach = residual.positive_products(Side::Residuals, interrupt);
                columns.argmax(|i| reach[i]).and_then(|(i, _)| away_from(i))
            }
            Criterion::Greedy => {
                let gain = residual.positive_products(Side::Columns, interrupt);
                columns.argmax(|j| if open(j) { gain[j] / x.squared_norm(j) } else { f64::NEG_INFINITY })
            }
        };
        // Nothing on the outer side: the columns that are not explained cannot be anchors themselves.
        let Some((anchor, score)) = best.filter(|&(_, score)| score > 0.0) else { break };
        selection.push(anchor, score);
        residual.columns.push(anchor);
        let w = x.dense_columns(&residual.columns);
        residual.h = solve_until(interrupt, x, &w, Constraint::Nonnegative, DEFAULT_TOLERANCE).h;
    }
    selection
}

/// `<p, x_l>`, or 0 where it is not positive.
fn heights(x: &DataMatrix) -> Vec<f64> {
    let columns = Shards::new(x.cols());
    // A square that has lost its digits is not a norm.
    let norm = |l: usize| Some(x.squared_norm(l)).filter(|&square| square >= f64::MIN_POSITIVE).map_or(0.0, f64::sqrt);
    let along = |p: &[f64]| {
        let length = dot(p, p).sqrt();
        let mut heights = vec![0.0; x.cols()];
        columns.update(&mut heights, |l, _| {
            let height = x.dot(l, p);
            if norm(l) > 0.0 && height > POSITIVE * length * norm(l) { height } else { 0.0 }
        });
        heights
    };
    let heights = along(&vec![1.0; x.rows()]);
    if (0..x.cols()).all(|l| heights[l] > 0.0 || norm(l) == 0.0) {
        return heights;
    }
    along(&columns.sum_vectors(x.rows(), |l, sum| {
        if norm(l) > 0.0 {
            x.add_to(l, 1.0 / norm(l), sum);
        }
    }))
}

/// `R = X - X(:, columns) H`, of which columns are made when needed.
struct Residual<'a> {
    x: &'a DataMatrix,
    columns: Vec<usize>,
    h: DenseMatrix,
}

/// Which side of `R' X` is summed over: the other one.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Residuals,
    Columns,
}

/// Shards whose partial sums are held at a time.
const BATCH: usize = 16;

impl Residual<'_> {
    fn column(&self, l: usize, out: &mut Vec<f64>) {
        out.resize(self.x.rows(), 0.0);
        self.x.residual_from(l, &self.columns, self.h.col(l), out);
    }

    /// For every residual column (or every column of `X`) the squared norm of its positive products with the others.
    fn positive_products(&self, side: Side, interrupt: &Interrupt) -> Vec<f64> {
        let columns = Shards::new(self.x.cols());
        let mut total = vec![0.0; if side == Side::Columns { self.x.cols() } else { 0 }];
        for first in (0..columns.count()).step_by(BATCH) {
            if interrupt.asked() {
                return vec![0.0; self.x.cols()];
            }
            let batch = (first..columns.count().min(first + BATCH)).into_par_iter();
            let parts: Vec<Vec<f64>> = batch.map(|s| self.shard_products(columns.range(s), side)).collect();
            for part in parts {
                match side {
                    Side::Residuals => total.extend(part),
                    Side::Columns => total.iter_mut().zip(part).for_each(|(t, v)| *t += v), // in shard order
                }
            }
        }
        total
    }

    fn shard_products(&self, range: Range<usize>, side: Side) -> Vec<f64> {
        let (cols, width) = (self.x.cols(), range.len());
        let (mut residuals, mut column) = (Vec::with_capacity(width * self.x.rows()), Vec::new());
        for l in range {
            self.column(l, &mut column);
            residuals.extend_from_slice(&column);
        }
        let mut products = vec![0.0; cols * width]; // X' R, a residual per column
        match self.x {
            DataMatrix::Dense(x) => transposed_times(x, &residuals, &mut products),
            DataMatrix::Single(x) => {
                for first in (0..cols).step_by(PART) {
                    let part = x.part(0..x.rows(), first..cols.min(first + PART));
                    let mut of_part = vec![0.0; part.cols() * width];
                    transposed_times(&part, &residuals, &mut of_part);
                    for (out, part) in products.chunks_exact_mut(cols).zip(of_part.chunks_exact(part.cols())) {
                        out[first..first + part.len()].copy_from_slice(part);
                    }
                }
            }
            DataMatrix::Sparse(_) => {
                for (out, r) in products.chunks_exact_mut(cols).zip(residuals.chunks_exact(self.x.rows())) {
                    out.iter_mut().enumerate().for_each(|(j, out)| *out = self.x.dot(j, r));
                }
            }
        }
        let square = |v: &f64| v.max(0.0).powi(2);
        let rows = products.chunks_exact(cols);
        match side {
            Side::Residuals => rows.map(|row| row.iter().map(square).sum()).collect(),
            Side::Columns => {
                let mut sums = vec![0.0; cols];
                rows.for_each(|row| sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += square(v)));
                sums
            }
        }
    }
}
