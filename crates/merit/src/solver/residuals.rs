//! The residuals `r_l = X c_l - x_l`.
//!
//! They are stored (`8 M N` bytes) and follow the step, `r <- (1 - gamma) r + gamma (x_j - x_l)`, in `O(M)` a column. For sparse
//! `X` that might be far larger than the data ([`LARGEST`]); then a residual is computed from `c_l` when it is looked at.

use merit_linalg::dense::dot;
use merit_linalg::shards::{SHARD, Shards};
use merit_linalg::{DataMatrix, DenseMatrix, SparseColumns};
use rayon::prelude::*;

/// Largest start iteration that the automatic rule gives; an exact fit would ask for infinity.
const LAST_START: f64 = 1e6;

/// Residuals are stored where they take at most as many times the memory of `X`.
const LARGEST: usize = 8;

/// Whether the residuals of this `X` are stored.
pub(crate) fn are_stored(X: &DataMatrix) -> bool {
    match X {
        DataMatrix::Dense(_) => true,
        DataMatrix::Sparse(x) => 8 * x.rows() as u128 * x.cols() as u128 <= (LARGEST * 12 * x.nnz()) as u128,
    }
}

pub(super) struct Residuals<'a> {
    X: &'a DataMatrix,
    /// `R`, where it is not too large.
    stored: Option<DenseMatrix>,
    /// `||r_l||^2`.
    squares: Vec<f64>,
}

/// The columns that a step moves.
pub(super) struct Moving(Option<Vec<bool>>, usize);

impl Moving {
    pub(super) fn contains(&self, l: usize) -> bool {
        self.0.as_ref().is_none_or(|moving| moving[l])
    }

    /// `None` where all move.
    pub(super) fn flags(&self) -> Option<&[bool]> {
        self.0.as_deref()
    }

    pub(super) fn count(&self) -> usize {
        self.0.as_ref().map_or(self.1, |moving| moving.iter().filter(|&&moves| moves).count())
    }
}

impl<'a> Residuals<'a> {
    pub(super) fn of(X: &'a DataMatrix, C: &SparseColumns) -> Self {
        let mut residuals = Self { X, stored: None, squares: vec![0.0; X.cols()] };
        if are_stored(X) {
            residuals.stored = Some(DenseMatrix::from_column_fn(X.rows(), X.cols(), |l, r| compute(X, C, l, r)));
        }
        residuals.measure(C);
        residuals
    }

    /// `r_l`; `scratch` (of length M) is used where it is not stored.
    pub(super) fn column<'s>(&'s self, l: usize, C: &SparseColumns, scratch: &'s mut [f64]) -> &'s [f64] {
        match &self.stored {
            Some(R) => R.col(l),
            None => {
                compute(self.X, C, l, scratch);
                scratch
            }
        }
    }

    /// `r_l` where residuals are stored, as they are for dense `X`.
    pub(super) fn stored_column(&self, l: usize) -> &[f64] {
        self.stored.as_ref().expect("the residuals of dense data are stored").col(l)
    }

    /// `||r_l||^2`.
    pub(super) fn square(&self, l: usize) -> f64 {
        self.squares[l]
    }

    /// `1/2 ||X - X C||_F^2`.
    pub(super) fn half_square(&self) -> f64 {
        0.5 * Shards::new(self.X.cols()).sum(|l| self.squares[l])
    }

    /// The warm start's first step number, `round(1 / RMSE)`.
    pub(super) fn start_iteration(&self) -> usize {
        let rmse = (2.0 * self.half_square() / self.X.cols() as f64).sqrt();
        (1.0 / rmse).round().min(LAST_START) as usize
    }

    /// The columns with `||r_l||` above the tolerance; all of them without one.
    pub(super) fn moving(&self, tolerance: Option<f64>) -> Moving {
        let above = |tolerance: f64| self.squares.iter().map(|square| square.sqrt() > tolerance).collect();
        Moving(tolerance.map(above), self.squares.len())
    }

    /// `r_l <- (1 - gamma) r_l + gamma (x_j - x_l)` for the columns that move, after `C` has taken the same step.
    pub(super) fn step_towards(&mut self, vertices: &[u32], gamma: f64, moving: &Moving, C: &SparseColumns) {
        let X = self.X;
        let Some(R) = &mut self.stored else { return self.measure(C) };
        let M = X.rows();
        let shards = R.values_mut().par_chunks_mut(SHARD * M).zip(self.squares.par_chunks_mut(SHARD));
        shards.enumerate().for_each(|(s, (shard, squares))| {
            for (i, (r, square)) in shard.chunks_exact_mut(M).zip(squares).enumerate() {
                let l = s * SHARD + i;
                if moving.contains(l) {
                    let j = vertices[l] as usize;
                    match X {
                        DataMatrix::Dense(X) => {
                            for (r, (x_j, x_l)) in r.iter_mut().zip(X.col(j).iter().zip(X.col(l))) {
                                *r = (1.0 - gamma) * *r + gamma * (x_j - x_l);
                            }
                        }
                        DataMatrix::Sparse(_) => {
                            r.iter_mut().for_each(|r| *r *= 1.0 - gamma);
                            X.add_to(j, gamma, r);
                            X.add_to(l, -gamma, r);
                        }
                    }
                    *square = dot(r, r);
                }
            }
        });
    }

    fn measure(&mut self, C: &SparseColumns) {
        let mut squares = std::mem::take(&mut self.squares);
        Shards::new(self.X.cols()).fill(
            &mut squares,
            || vec![0.0; self.X.rows()],
            |range, squares, scratch| {
                for (square, l) in squares.iter_mut().zip(range) {
                    let r = self.column(l, C, scratch);
                    *square = dot(r, r);
                }
            },
        );
        self.squares = squares;
    }
}

fn compute(X: &DataMatrix, C: &SparseColumns, l: usize, r: &mut [f64]) {
    r.fill(0.0);
    let (rows, values) = C.col(l);
    rows.iter().zip(values).for_each(|(&n, &value)| X.add_to(n as usize, value, r));
    X.add_to(l, -1.0, r);
}
