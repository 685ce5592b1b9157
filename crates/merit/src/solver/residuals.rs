//! The residuals `r_l = X c_l - x_l`.
//!
//! They are stored (`8 M N` bytes) and follow the step, `r <- (1 - gamma) r + gamma (x_j - x_l)`, in `O(M)` a column. Where that is
//! too much ([`are_stored`]) a residual is computed from `c_l` when it is looked at: twice a step, `O(M)` for each nonzero of `c_l`.

use super::Problem;
use super::room::Room;
use super::settings::StoredResiduals;
use merit_linalg::dense::{dot, gathered};
use merit_linalg::shards::{SHARD, Shards};
use merit_linalg::{DataMatrix, DenseMatrix, SparseColumns};
use rayon::prelude::*;
use std::ops::Range;

/// Largest start iteration that the automatic rule gives; an exact fit would ask for infinity.
const LAST_START: f64 = 1e6;

/// Residuals are stored where they take at most as many times the memory of `X`.
pub(super) const LARGEST: usize = 8;

/// Whether the residuals of this `X` are stored. They always are where several processes have some columns of it each: what a residual is
/// made of is not here then.
pub(crate) fn are_stored(X: &DataMatrix, choice: StoredResiduals) -> bool {
    match (choice, X) {
        _ if X.is_shared() => true,
        (StoredResiduals::Always, _) | (StoredResiduals::Measured, DataMatrix::Dense(_)) => true,
        (StoredResiduals::Never, _) | (StoredResiduals::Measured, DataMatrix::Single(_)) => false,
        (StoredResiduals::Measured, DataMatrix::Sparse(x)) => {
            8 * x.rows() as u128 * x.cols() as u128 <= (LARGEST * 12 * x.nnz()) as u128
        }
    }
}

pub(super) struct Residuals<'a> {
    X: &'a DataMatrix,
    /// The columns that are here; all that follows is of these.
    columns: Shards,
    /// `R`, where it is not too large.
    stored: Option<DenseMatrix>,
    /// `||r_l||^2`.
    squares: Vec<f64>,
    /// Steps since they were computed from `C`.
    steps: usize,
    /// Who gets `R` back, where it is not our own.
    room: Option<&'a Room>,
}

impl Drop for Residuals<'_> {
    fn drop(&mut self) {
        if let (Some(room), Some(R)) = (self.room, self.stored.take()) {
            room.give_back(R);
        }
    }
}

/// The columns that a step moves, of those that are here.
pub(super) struct Moving(Option<Vec<bool>>, Shards);

impl Moving {
    /// Whether the column moves that is in this place among those here.
    pub(super) fn contains(&self, place: usize) -> bool {
        self.0.as_ref().is_none_or(|moving| moving[place])
    }

    /// `None` where all move.
    pub(super) fn flags(&self) -> Option<&[bool]> {
        self.0.as_deref()
    }

    /// How many move, of all columns.
    pub(super) fn count(&self) -> usize {
        let here = |moving: &Vec<bool>| moving.iter().filter(|&&moves| moves).count();
        self.0.as_ref().map_or(self.1.cols(), |moving| self.1.ranks().total(here(moving) as i128) as usize)
    }
}

impl<'a> Residuals<'a> {
    /// For this `C`; in the room's matrix, if it has one of that size.
    pub(super) fn of(problem: Problem<'a>, C: &SparseColumns, choice: StoredResiduals) -> Self {
        let Problem { X, room, .. } = problem;
        let columns = C.columns();
        let (first, count) = (columns.columns().start, columns.columns().len());
        let mut residuals = Self { X, columns, stored: None, squares: vec![0.0; count], steps: 0, room: None };
        if are_stored(X, choice) {
            residuals.make_room(room);
            let R = residuals.stored.as_mut().expect("there is room now");
            match X {
                DataMatrix::Dense(shared) if X.is_shared() => compute_passing(shared, C, R),
                _ => R.fill_columns(|i, r| compute(X, C, first + i, r)),
            }
        }
        residuals.measure(C, &Moving(None, columns));
        residuals
    }

    /// As they were stored before, after these steps: `fill` gets their matrix, of the columns that are here, and the number of the first.
    pub(super) fn resumed(
        problem: Problem<'a>,
        steps: usize,
        fill: impl FnOnce(usize, &mut DenseMatrix) -> Option<()>,
    ) -> Option<Self> {
        let Problem { X, columns, room } = problem;
        let squares = vec![0.0; columns.columns().len()];
        let mut residuals = Self { X, columns, stored: None, squares, steps, room: None };
        residuals.make_room(room);
        let R = residuals.stored.as_mut()?;
        fill(columns.columns().start, R)?;
        for_each_column(R, &mut residuals.squares, |_, r, square| *square = dot(r, r));
        Some(residuals)
    }

    /// A matrix for them: the room's, if it has one of that size.
    fn make_room(&mut self, room: Option<&'a Room>) {
        let (rows, count) = (self.X.rows(), self.squares.len());
        let given = room.and_then(|room| room.residuals(rows, count));
        self.room = room.filter(|_| given.is_some());
        self.stored = Some(given.unwrap_or_else(|| DenseMatrix::zeros(rows, count)));
    }

    /// `M`.
    pub(super) fn rows(&self) -> usize {
        self.X.rows()
    }

    /// The stored ones that are here.
    pub(super) fn stored(&self) -> Option<&DenseMatrix> {
        self.stored.as_ref()
    }

    /// The stored ones of some columns, which every process then has.
    pub(super) fn gathered(&self, range: Range<usize>) -> Vec<f64> {
        let here = self.stored.as_ref().map_or(&[][..], DenseMatrix::values);
        gathered(self.columns, self.X.rows(), here, range)
    }

    /// `r_l`; `scratch` (of length M) is used where it is not stored.
    pub(super) fn column<'s>(&'s self, l: usize, C: &SparseColumns, scratch: &'s mut [f64]) -> &'s [f64] {
        match &self.stored {
            Some(R) => R.col(self.place(l)),
            None => {
                compute(self.X, C, l, scratch);
                scratch
            }
        }
    }

    /// `r_l` of some columns; `scratch` is filled where they are not stored.
    pub(super) fn columns<'s>(
        &'s self,
        which: impl ExactSizeIterator<Item = usize> + Clone,
        C: &SparseColumns,
        scratch: &'s mut Vec<f64>,
    ) -> Vec<&'s [f64]> {
        if let Some(R) = &self.stored {
            return which.map(|l| R.col(self.place(l))).collect();
        }
        let M = self.X.rows();
        scratch.resize(M * which.len(), 0.0);
        scratch.chunks_exact_mut(M).zip(which).for_each(|(r, l)| compute(self.X, C, l, r));
        scratch.chunks_exact(M).collect()
    }

    /// Whether they are stored.
    pub(super) fn is_stored(&self) -> bool {
        self.stored.is_some()
    }

    /// `r_l` where residuals are stored.
    pub(super) fn stored_column(&self, l: usize) -> &[f64] {
        self.stored.as_ref().expect("the residuals are stored").col(self.place(l))
    }

    /// Where column `l` is among those that are here.
    fn place(&self, l: usize) -> usize {
        l - self.columns.columns().start
    }

    /// How far `r_l` may be from `X c_l - x_l` with the `c_l` that is stored, in units of `2^-53 max ||x_n||`.
    ///
    /// Computed from `C`, it is a sum of at most `N + 1` columns whose weights sum up to 2: `N + 2` roundings of that. A step shrinks what there was;
    /// it rounds `c_l` twice (sizes up to 1), `r_l` three times (up to 2), and `1 - gamma` once: 10 leaves room.
    pub(super) fn drift(&self) -> f64 {
        2.0 * (self.X.cols() as f64 + 2.0) + 10.0 * self.steps as f64
    }

    /// `||r_l||^2`.
    pub(super) fn square(&self, l: usize) -> f64 {
        self.squares[self.place(l)]
    }

    /// `1/2 ||X - X C||_F^2`.
    pub(super) fn half_square(&self) -> f64 {
        0.5 * self.columns.sum(|l| self.square(l))
    }

    /// The warm start's first step number, `round(1 / RMSE)`.
    pub(super) fn start_iteration(&self) -> usize {
        let rmse = (2.0 * self.half_square() / self.X.cols() as f64).sqrt();
        (1.0 / rmse).round().min(LAST_START) as usize
    }

    /// The columns with `||r_l||` above the tolerance; all of them without one.
    pub(super) fn moving(&self, tolerance: Option<f64>) -> Moving {
        let above = |tolerance: f64| self.squares.iter().map(|square| square.sqrt() > tolerance).collect();
        Moving(tolerance.map(above), self.columns)
    }

    /// `r_l <- (1 - gamma) r_l + gamma (x_j - x_l)` for the columns that move, after `C` has taken the same step.
    pub(super) fn step_towards(&mut self, vertices: &[u32], gamma: f64, moving: &Moving, C: &SparseColumns) {
        let (X, first) = (self.X, self.columns.columns().start);
        let Some(R) = &mut self.stored else { return self.measure(C, moving) };
        self.steps += 1;
        if let DataMatrix::Dense(shared) = X
            && X.is_shared()
        {
            // Each column when the piece passes by that has its vertex.
            return shared.for_each_piece(|start, piece| {
                let vertex = |place: usize| (vertices[place] as usize).checked_sub(start).filter(|&j| j < piece.cols());
                for_each_column(R, &mut self.squares, |place, r, square| {
                    if let Some(j) = vertex(place).filter(|_| moving.contains(place)) {
                        move_towards(r, piece.col(j), shared.col(first + place), gamma);
                        *square = dot(r, r);
                    }
                });
            });
        }
        for_each_column(R, &mut self.squares, |place, r, square| {
            if moving.contains(place) {
                let (l, j) = (first + place, vertices[place] as usize);
                match X {
                    DataMatrix::Dense(X) => move_towards(r, X.col(j), X.col(l), gamma),
                    DataMatrix::Single(X) => move_towards(r, X.col(j), X.col(l), gamma),
                    DataMatrix::Sparse(_) => {
                        r.iter_mut().for_each(|r| *r *= 1.0 - gamma);
                        X.add_to(j, gamma, r);
                        X.add_to(l, -gamma, r);
                    }
                }
                *square = dot(r, r);
            }
        });
    }

    /// `||r_l||^2` of the columns that move; the others are what they were.
    fn measure(&mut self, C: &SparseColumns, moving: &Moving) {
        let mut squares = std::mem::take(&mut self.squares);
        self.columns.fill(
            &mut squares,
            || vec![0.0; self.X.rows()],
            |range, squares, scratch| {
                for (square, l) in squares.iter_mut().zip(range).filter(|&(_, l)| moving.contains(self.place(l))) {
                    let r = self.column(l, C, scratch);
                    *square = dot(r, r);
                }
            },
        );
        self.squares = squares;
    }
}

/// Hands over every residual and its square, in parallel, with its place among those that are here.
fn for_each_column(R: &mut DenseMatrix, squares: &mut [f64], visit: impl Fn(usize, &mut [f64], &mut f64) + Sync) {
    let M = R.rows();
    let shards = R.values_mut().par_chunks_mut(SHARD * M).zip(squares.par_chunks_mut(SHARD));
    shards.enumerate().for_each(|(s, (shard, squares))| {
        let columns = shard.chunks_exact_mut(M).zip(squares).enumerate();
        columns.for_each(|(i, (r, square))| visit(s * SHARD + i, r, square));
    });
}

/// `r <- (1 - gamma) r + gamma (x_j - x_l)`.
fn move_towards<T: Copy + Into<f64>>(r: &mut [f64], x_j: &[T], x_l: &[T], gamma: f64) {
    for (r, (&x_j, &x_l)) in r.iter_mut().zip(x_j.iter().zip(x_l)) {
        *r = (1.0 - gamma) * *r + gamma * (x_j.into() - x_l.into());
    }
}

/// All residuals that are here, of a matrix that several processes share. Terms are added in their order, so a column may have to wait until
/// the pieces of the matrix pass by once more.
fn compute_passing(X: &DenseMatrix, C: &SparseColumns, R: &mut DenseMatrix) {
    let first = C.columns().columns().start;
    R.values_mut().fill(0.0);
    let mut added = vec![0.0; R.cols()]; // terms so far, of each column
    let wait = |added: &[f64]| added.iter().enumerate().any(|(i, &added)| (added as usize) < C.col(first + i).0.len());
    while C.columns().ranks().any(wait(&added)) {
        X.for_each_piece(|start, piece| {
            for_each_column(R, &mut added, |place, r, added| {
                let (rows, values) = C.col(first + place);
                for (&n, &weight) in rows.iter().zip(values).skip(*added as usize) {
                    let Some(n) = (n as usize).checked_sub(start).filter(|&n| n < piece.cols()) else { break };
                    r.iter_mut().zip(piece.col(n)).for_each(|(r, x)| *r += weight * x);
                    *added += 1.0;
                }
            });
        });
    }
    R.fill_columns(|i, r| r.iter_mut().zip(X.col(first + i)).for_each(|(r, x)| *r += -1.0 * x));
}

fn compute(X: &DataMatrix, C: &SparseColumns, l: usize, r: &mut [f64]) {
    r.fill(0.0);
    terms(C, l).for_each(|(n, weight)| X.add_to(n, weight, r));
}

/// The columns of `X` that `r_l` is made of, and their weights, in the order in which they are added.
pub(super) fn terms(C: &SparseColumns, l: usize) -> impl Iterator<Item = (usize, f64)> + Clone {
    let (rows, values) = C.col(l);
    rows.iter().zip(values).map(|(&n, &value)| (n as usize, value)).chain([(l, -1.0)])
}
