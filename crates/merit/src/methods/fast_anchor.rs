//! FastAnchor: points of the simplex that lie farthest from the affine span of those before, then a clean-up.
//!
//! The columns are scaled to `||x_l||_1 = 1` (`scale`), so that separable data lie in the convex hull of the anchors. Then
//!
//! ```text
//! s_1 = farthest from the origin;  s_2 = farthest from s_1;  s_k = farthest from aff(s_1, ..., s_{k-1})
//! clean-up, for k = 1, ..., K:  s_k <- the point farthest from aff(the other s_j)
//! ```
//!
//! Before that, where columns have more than `projection` entries in the mean (for dense data, rows), all points are multiplied by a
//! random `D x M` matrix of `+-1/sqrt(D)`, which keeps distances up to a few percent; shorter ones would only grow by that. Columns with fewer nonzeros than `minimum_nonzeros` (rare words, whose
//! estimates are mostly noise) cannot be anchors. The score is the distance to the affine span of the other anchors at its turn in the clean-up (to the
//! origin for `K = 1`), of the scaled and projected points.
//!
//! The clean-up costs no more than the search: the squared distance to `aff(others)` is that to `aff(all)` plus the square of
//! one coordinate. `O(M N K + M K^3)` time (with `D` for `M`, after a projection of `O(D nnz)`); memory a copy of `X`, or
//! `D (M + N)`. Reference: Arora, Ge, Moitra 2012; Arora et al. 2013 (FastAnchorWords).
//!
//! ```
//! use merit::{DataMatrix, DenseMatrix, methods::fast_anchor::{Options, select}, progress::Interrupt};
//! let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![0.5, 0.5, 0.0, 2.0, 3.0, 0.0]));
//! assert_eq!(select(&x, 2, &Options::default(), 0, &Interrupt::never()).anchors, [1, 2]);
//! ```

use super::{Stream, fill_up, stream};
use crate::selection::Selection;
use crate::settings::Declaration;
use merit_linalg::decompositions::project;
use merit_linalg::dense::dot;
use merit_linalg::interrupt::Interrupt;
use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, DenseMatrix};
use rand::RngExt;

const FAST_ANCHOR: &[&str] = &["fast-anchor"];

crate::settings! {
    /// What can be set.
    pub struct Options {
        /// Dimension to which fast-anchor projects at random columns with more entries, or none
        projection: Option<usize> = Some(1000), Declaration::new("none|DIM").at_least_one().of(FAST_ANCHOR);
        /// Nonzeros that a column must have to be an anchor of fast-anchor
        minimum_nonzeros: usize = 1, Declaration::new("N").of(FAST_ANCHOR);
        /// Whether fast-anchor scales the columns
        ///
        /// Not where they lie in a hull already, as after a reduction of scaled columns.
        #[serde(rename = "fast_anchor_scale")]
        scale: bool = true, Declaration::new("").named("fast_anchor_scale").of(FAST_ANCHOR).untyped();
    }
}

/// Squared distances this far below the first are what rounding leaves: no direction is left.
const EXHAUSTED: f64 = 1e-13;
/// The clean-up replaces an anchor only by a point whose squared distance is larger by this part.
const CLEARLY: f64 = 1e-9;

/// `rank` columns, `seed` being that of the projection; fewer only if fewer distinct nonzero columns are eligible, or once
/// somebody asked for the end.
pub fn select(x: &DataMatrix, rank: usize, options: &Options, seed: u64, interrupt: &Interrupt) -> Selection {
    let eligible = eligible(x, options.minimum_nonzeros);
    let points = Points { x: points(x, options, seed), eligible: &eligible };
    let mut selection = points.search(rank, interrupt);
    points.clean_up(&mut selection, interrupt);
    fill_up(x, &mut selection, rank, |l| eligible[l], interrupt);
    selection
}

/// For every column whether it is nonzero and has enough nonzeros to become an anchor.
pub fn eligible(x: &DataMatrix, minimum_nonzeros: usize) -> Vec<bool> {
    let enough = |l: usize| x.stored_col(l).iter().filter(|v| **v != 0.0).count() >= minimum_nonzeros.max(1);
    let mut eligible = vec![false; x.cols()];
    Shards::new(x.cols()).update(&mut eligible, |l, _| enough(l));
    eligible
}

/// The columns scaled to 1-norm 1, projected if they have many entries.
fn points(x: &DataMatrix, options: &Options, seed: u64) -> DataMatrix {
    let sum = |l: usize| x.stored_col(l).iter().map(|v| v.abs()).sum::<f64>();
    let mut points = match options.projection {
        Some(dim) if dim > 0 && dim.saturating_mul(x.cols()) < x.stored_count() => {
            let scale = 1.0 / (dim as f64).sqrt();
            let signs = DenseMatrix::from_column_fn(x.rows(), dim, |k, column| {
                let mut rng = stream(seed, Stream::Projection(k));
                column.iter_mut().for_each(|v| *v = if rng.random::<bool>() { scale } else { -scale });
            });
            project(&signs, x).into()
        }
        _ if !x.is_sparse() => x.clone().into_dense().into(), // scaled columns are not rounded to single precision again
        _ => x.clone(),
    };
    let scaled = (0..x.cols()).filter(|&l| options.scale && sum(l) > 0.0);
    scaled.for_each(|l| points.divide(l, sum(l)));
    points
}

struct Points<'a> {
    x: DataMatrix,
    eligible: &'a [bool],
}

/// An affine span: a point and orthonormal directions.
struct Affine {
    base: Vec<f64>,
    directions: Vec<Vec<f64>>,
}

impl Affine {
    fn at(base: Vec<f64>) -> Self {
        Self { base, directions: Vec::new() }
    }

    /// The part of `point - base` outside the span, scaled to norm 1; none when the point lies in it.
    fn new_direction(&self, point: &[f64]) -> Option<Vec<f64>> {
        let mut u: Vec<f64> = point.iter().zip(&self.base).map(|(x, b)| x - b).collect();
        let before = dot(&u, &u);
        for _ in 0..2 {
            // twice is enough for orthogonality to rounding
            for d in &self.directions {
                let along = dot(d, &u);
                u.iter_mut().zip(d).for_each(|(u, d)| *u -= along * d);
            }
        }
        let after = dot(&u, &u);
        (after > EXHAUSTED * before).then(|| {
            let scale = 1.0 / after.sqrt();
            u.iter_mut().for_each(|u| *u *= scale);
            u
        })
    }
}

impl Points<'_> {
    fn point(&self, l: usize) -> Vec<f64> {
        let mut point = vec![0.0; self.x.rows()];
        self.x.add_to(l, 1.0, &mut point);
        point
    }

    /// The eligible column with the largest value.
    fn farthest(&self, squares: &[f64]) -> Option<(usize, f64)> {
        let of = |l: usize| if self.eligible[l] { squares[l] } else { f64::NEG_INFINITY };
        Shards::new(self.x.cols()).argmax(of).filter(|(_, square)| *square >= 0.0)
    }

    /// `||x_l - base||^2` for all columns.
    fn squares_from(&self, base: &[f64]) -> Vec<f64> {
        let constant = dot(base, base);
        let mut squares = vec![0.0; self.x.cols()];
        Shards::new(self.x.cols())
            .update(&mut squares, |l, _| (self.x.squared_norm(l) - 2.0 * self.x.dot(l, base) + constant).max(0.0));
        squares
    }

    /// Adds `sign <x_l - base, direction>^2` to every square.
    fn add_coordinate(&self, squares: &mut [f64], base: &[f64], direction: &[f64], sign: f64) {
        let offset = dot(base, direction);
        Shards::new(self.x.cols()).update(squares, |l, square| {
            let along = self.x.dot(l, direction) - offset;
            (square + sign * along * along).max(0.0)
        });
    }

    fn search(&self, rank: usize, interrupt: &Interrupt) -> Selection {
        let mut selection = Selection::default();
        let origin = self.squares_from(&vec![0.0; self.x.rows()]);
        let Some((first, square)) = self.farthest(&origin).filter(|(_, square)| rank > 0 && *square > 0.0) else {
            return selection;
        };
        selection.push(first, square.sqrt());
        let mut span = Affine::at(self.point(first));
        let mut squares = self.squares_from(&span.base);
        let scale = square;
        while selection.anchors.len() < rank && !interrupt.asked() {
            let Some((anchor, square)) = self.farthest(&squares).filter(|(_, s)| *s > EXHAUSTED * scale) else { break };
            let Some(direction) = span.new_direction(&self.point(anchor)) else { break };
            selection.push(anchor, square.sqrt());
            self.add_coordinate(&mut squares, &span.base, &direction, -1.0);
            span.directions.push(direction);
        }
        selection
    }

    /// Replaces each anchor by the point farthest from the affine span of the others.
    fn clean_up(&self, selection: &mut Selection, interrupt: &Interrupt) {
        let count = selection.anchors.len();
        if count < 2 {
            return;
        }
        let mut to_all: Option<Vec<f64>> = None;
        for k in (0..count).take_while(|_| !interrupt.asked()) {
            let mut others = selection.anchors.iter().enumerate().filter(|&(j, _)| j != k).map(|(_, &a)| self.point(a));
            let mut span = Affine::at(others.next().expect("there are two anchors"));
            others.for_each(|point| span.directions.extend(span.new_direction(&point)));
            let current = selection.anchors[k];
            let Some(own) = span.new_direction(&self.point(current)) else { continue };
            let mut squares = match to_all.take() {
                Some(mut squares) => {
                    self.add_coordinate(&mut squares, &span.base, &own, 1.0);
                    squares
                }
                None => {
                    let mut squares = self.squares_from(&span.base);
                    span.directions.iter().for_each(|d| self.add_coordinate(&mut squares, &span.base, d, -1.0));
                    squares
                }
            };
            let better = self.farthest(&squares).filter(|&(_, square)| square > (1.0 + CLEARLY) * squares[current]);
            let (anchor, square) = better.unwrap_or((current, squares[current]));
            (selection.anchors[k], selection.scores[k]) = (anchor, square.sqrt());
            if let Some(direction) = span.new_direction(&self.point(anchor)) {
                self.add_coordinate(&mut squares, &span.base, &direction, -1.0);
                to_all = Some(squares);
            }
        }
    }
}
