//! The linear minimisation oracle: for every column `l`, the vertex `e_j` with
//!
//! ```text
//! j = argmin_n  g(n,l),   g(n,l) = <x_n, r_l> + b_n            where C(n,l) = 0
//!                         g(n,l) = <x_n, r_l> + lambda y(n,l)  at the nonzeros of c_l   (larger than b_n says)
//! ```
//!
//! ties to the smallest `n`. [`scalar_search`] does just that in `f64` and defines the result. [`Screen`] finds the
//! same `j` faster: over the hull's vertices and the rows in use where that pays ([`Hull`](super::hull::Hull)), by `f32` scores with a
//! rigorous error bound, deciding in `f64` among the few that the bound leaves open. DESIGN.md has the argument.

use super::residuals::Residuals;
use super::screen::{Answer, PointSet, Screen};
use super::settings::{KernelChoice, Settings};
use super::softmax::RowSoftmax;
use merit_linalg::kernels::Kernel;
use merit_linalg::shards::{SHARD, Shards};
use merit_linalg::{DataMatrix, SparseColumns};
use rayon::prelude::*;

pub(super) struct Oracle<'a> {
    X: &'a DataMatrix,
    screen: Option<Screen<'a>>,
    vertices: Vec<u32>,
    pairs: u64,
}

/// Stands for a column whose search over the candidates did not settle it.
const UNSETTLED: u32 = u32::MAX;

/// One column's view of the problem.
pub(super) struct Query<'a> {
    pub(super) X: &'a DataMatrix,
    pub(super) y: &'a RowSoftmax,
    /// `r_l`.
    pub(super) r: &'a [f64],
    /// The nonzeros of `c_l`.
    pub(super) support: (&'a [u32], &'a [f64]),
}

impl Query<'_> {
    /// `lambda y(n,l)`.
    pub(super) fn bias(&self, n: usize) -> f64 {
        match self.support.0.iter().position(|&row| row as usize == n) {
            Some(p) => self.y.weight(n, self.support.1[p]),
            None => self.y.bias()[n],
        }
    }

    /// `g(n,l)`.
    pub(super) fn score(&self, n: usize) -> f64 {
        self.X.dot(n, self.r) + self.bias(n)
    }
}

impl<'a> Oracle<'a> {
    pub(super) fn new(X: &'a DataMatrix, C: &SparseColumns, settings: &Settings) -> Self {
        let kernel = match settings.kernel {
            KernelChoice::Scalar => None,
            KernelChoice::Fastest => Some(Kernel::best()),
            KernelChoice::Use(kernel) => Some(kernel),
        };
        let screen = match (X, kernel) {
            (DataMatrix::Dense(x), Some(kernel)) => Some(Screen::new(x, C, kernel, settings)),
            _ => None,
        };
        Self { X, screen, vertices: vec![0; X.cols()], pairs: 0 }
    }

    /// `j_l` of the last search.
    pub(super) fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Columns that the search runs over, and pairs of columns whose products it computed last.
    pub(super) fn effort(&self) -> (usize, u64) {
        let candidates = self.screen.as_ref().and_then(|screen| screen.candidates.as_ref());
        (candidates.map_or(self.X.cols(), PointSet::count), self.pairs)
    }

    /// Finds every `j_l`; gives the duality gap `sum_l <g_l, c_l - e_j>`.
    pub(super) fn best_vertices(&mut self, R: &Residuals, C: &SparseColumns, y: &RowSoftmax) -> f64 {
        let (X, N) = (self.X, self.X.cols());
        match &mut self.screen {
            None => {
                search_all(X, R, C, y, &mut self.vertices);
                self.pairs = N as u64 * N as u64;
            }
            Some(screen) => {
                screen.prepare(R, y);
                self.pairs = screened_search(X, screen, R, C, y, &mut self.vertices);
                screen.join(self.vertices.iter().copied());
            }
        }
        // <g_l, c_l> - g_j, summed over l, with <X'r, c> = <r, X c> = <r, r + x_l>
        let vertices = &self.vertices;
        let column = || vec![0.0; X.rows()];
        let fit = Shards::new(N).sum_with(column, |l, column| {
            let query = Query { X, y, r: R.column(l, C, column), support: C.col(l) };
            R.square(l) + X.dot(l, query.r) - query.score(vertices[l] as usize)
        });
        fit + y.slope()
    }
}

/// Every column by the slow twin.
fn search_all(X: &DataMatrix, R: &Residuals, C: &SparseColumns, y: &RowSoftmax, vertices: &mut [u32]) {
    let scratch = || (vec![0.0; X.rows()], y.bias().to_vec());
    Shards::new(X.cols()).fill_and_sum(vertices, scratch, |range, vertices, (column, bias)| {
        for (vertex, l) in vertices.iter_mut().zip(range) {
            *vertex = scalar_search(&Query { X, y, r: R.column(l, C, column), support: C.col(l) }, bias) as u32;
        }
        0.0
    });
}

/// Every column over the candidates, and the few that those do not settle over all columns. Gives the pairs looked at.
fn screened_search(
    X: &DataMatrix,
    screen: &Screen,
    R: &Residuals,
    C: &SparseColumns,
    y: &RowSoftmax,
    vertices: &mut [u32],
) -> u64 {
    let query = |l: usize| Query { X, y, r: R.stored_column(l), support: C.col(l) };
    let first = screen.candidates.as_ref().unwrap_or(&screen.all);
    let columns = Shards::new(X.cols());
    columns.fill_and_sum(
        vertices,
        || screen.scratch(first),
        |range, vertices, scratch| {
            screen.group_minima(first, R, range.clone(), scratch);
            for (i, (vertex, l)) in vertices.iter_mut().zip(range).enumerate() {
                *vertex = match screen.search(first, &query(l), R.square(l), i, scratch) {
                    Answer::Column(j) => j as u32,
                    Answer::Unsettled => UNSETTLED,
                };
            }
            0.0
        },
    );
    let mut pairs = X.cols() as u64 * first.count() as u64;
    if screen.candidates.is_some() {
        let unsettled = |range: std::ops::Range<usize>| range.filter(|&l| vertices[l] == UNSETTLED).collect::<Vec<_>>();
        let rest: Vec<usize> = columns.map(unsettled).concat();
        pairs += rest.len() as u64 * X.cols() as u64;
        let chunk = rest.len().div_ceil(16).next_multiple_of(screen.tile()).clamp(1, SHARD);
        let found: Vec<Vec<u32>> = rest
            .par_chunks(chunk)
            .map_init(
                || screen.scratch(&screen.all),
                |scratch, columns| {
                    screen.group_minima(&screen.all, R, columns.iter().copied(), scratch);
                    let search =
                        |(i, &l): (usize, &usize)| match screen.search(&screen.all, &query(l), R.square(l), i, scratch)
                        {
                            Answer::Column(j) => j as u32,
                            Answer::Unsettled => unreachable!("a search over all columns settles"),
                        };
                    columns.iter().enumerate().map(search).collect()
                },
            )
            .collect();
        rest.into_iter().zip(found.into_iter().flatten()).for_each(|(l, j)| vertices[l] = j);
    }
    pairs
}

/// The slow twin: every score in `f64`. `bias` is a copy of `y.bias()`, and is one again afterwards.
fn scalar_search(query: &Query, bias: &mut [f64]) -> usize {
    for (&n, &c) in query.support.0.iter().zip(query.support.1) {
        bias[n as usize] = query.y.weight(n as usize, c);
    }
    let mut winner = Winner::none();
    for (n, bias) in bias.iter().enumerate() {
        winner.offer(query.X.dot(n, query.r) + bias, n);
    }
    for &n in query.support.0 {
        bias[n as usize] = query.y.bias()[n as usize];
    }
    winner.index
}

/// The best score so far; of equal ones the smaller index.
pub(super) struct Winner {
    pub(super) score: f64,
    pub(super) index: usize,
}

impl Winner {
    pub(super) fn none() -> Self {
        Self { score: f64::INFINITY, index: usize::MAX }
    }

    pub(super) fn offer(&mut self, score: f64, index: usize) {
        if score < self.score || (score == self.score && index < self.index) {
            (self.score, self.index) = (score, index);
        }
    }
}
