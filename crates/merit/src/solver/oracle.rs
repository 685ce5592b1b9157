//! The linear minimization oracle: for every column `l`, the vertex `e_j` with
//!
//! ```text
//! j = argmin_n  g(n,l),   g(n,l) = <x_n, r_l> + b_n            where C(n,l) = 0
//!                         g(n,l) = <x_n, r_l> + lambda y(n,l)  at the nonzeros of c_l   (larger than b_n says)
//! ```
//!
//! ties to the smallest `n`. [`scalar_search`] does just that in `f64` and defines the result. [`Screen`] finds the
//! same `j` faster: over the hull's vertices and the rows in use where that pays ([`Hull`](super::hull::Hull)), by `f32` scores, or `f64` ones
//! from products of columns, with a rigorous error bound, deciding in `f64` among the few that the bound leaves open. docs/src/design/search.md has the argument.

use super::Problem;
use super::fast_search::{FastSearch, Frame, PointSet};
use super::gram_search::{self, GramSearch};
use super::panels::{PanelSearch, PanelsOf, PassedRound, best_over_panels};
use super::residuals::Residuals;
use super::search_kind::{Scores, SearchKind, Searched};
use super::settings::{KernelChoice, Pruning, Settings};
use super::softmax::RowSoftmax;
use super::sparse_search::SparseSearch;
use crate::progress::Interrupt;
use merit_linalg::columns::place_of;
use merit_linalg::kernels::{CoarseKernel, Kernel, WIDTH};
use merit_linalg::ranks::sum_small;
use merit_linalg::shards::{SHARD, Shards};
use merit_linalg::{DataMatrix, SparseColumns};
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;
use std::time::{Duration, Instant};

pub(super) struct Oracle<'a> {
    X: &'a DataMatrix,
    /// The columns that are here.
    columns: Shards,
    screen: Option<Screen<'a>>,
    /// `j_l` of these.
    vertices: Vec<u32>,
    pairs: u64,
    /// `max ||x_n||`.
    reach: f64,
}

/// How the search is made faster than by [`scalar_search`].
enum Screen<'a> {
    Dense(Box<FastSearch<'a>>),
    /// Dense columns, of which only some can be packed at a time, and the best of each column so far.
    Panels(Box<PanelSearch<'a>>),
    Sparse(Box<SparseSearch<'a>>),
    Gram(Box<GramSearch<'a>>),
}

/// Stands for a column whose search over the candidates did not settle it.
const UNSETTLED: u32 = u32::MAX;

/// One column's view of the problem.
pub(super) struct Query<'a> {
    pub(super) X: &'a DataMatrix,
    pub(super) C: &'a SparseColumns,
    pub(super) y: &'a RowSoftmax,
    /// `r_l`.
    pub(super) r: &'a [f64],
    /// The nonzeros of `c_l`.
    pub(super) support: (&'a [u32], &'a [f64]),
}

impl Query<'_> {
    /// Where row `n` is among the nonzeros of `c_l`, and so carries a penalty.
    pub(super) fn place(&self, n: usize) -> Option<usize> {
        place_of(n as u32, self.support.0)
    }

    /// `<g_l, c_l> - g_j` except for the regularizer's part of the first, with `<X'r, c> = <r, X c> = <r, r + x_l>`.
    fn gap(&self, l: usize, square: f64, winner: &Winner) -> f64 {
        square + self.X.dot(l, self.r) - winner.score
    }
}

impl<'a> Oracle<'a> {
    pub(super) fn new(problem: Problem<'a>, settings: &Settings, interrupt: &Interrupt) -> Self {
        let Problem { X, columns, room } = problem;
        let kernel = match settings.kernel {
            KernelChoice::Scalar => None,
            KernelChoice::Fastest => Some(Kernel::best()),
            KernelChoice::Use(kernel) => Some(kernel),
        };
        let Some(kernel) = kernel else { return Self::of(X, columns, None) };
        if let DataMatrix::Dense(x) = X {
            let here = columns.columns().len();
            let by_panels = |search| Self::of(X, columns, Some(Screen::Panels(Box::new(search))));
            if X.is_shared() {
                return by_panels(PanelSearch::new(PassedRound::new(x, Frame::of(X)), X, kernel, here));
            }
            if let Some(room) = room {
                return by_panels(PanelSearch::new(PanelsOf::new(x, Frame::of(X), room.panel()), X, kernel, here));
            }
        }
        if settings.pruning == Pruning::Measured
            && gram_search::pays(X, settings.iterations, columns.ranks().count())
            && let Some(oracle) = Self::with_gram(X, columns, kernel, interrupt)
        {
            return oracle;
        }
        Self::with_first_look(X, columns, kernel, kernel.coarse(X.rows()), settings, interrupt)
    }

    /// Through `X'X`, if it can be made.
    pub(super) fn with_gram(X: &'a DataMatrix, columns: Shards, kernel: Kernel, interrupt: &Interrupt) -> Option<Self> {
        let gram = GramSearch::new(X, kernel, interrupt);
        // One process that was asked to end must not search another way than the others do.
        if columns.ranks().any(gram.is_none()) {
            return None;
        }
        gram.map(|gram| Self::of(X, columns, Some(Screen::Gram(Box::new(gram)))))
    }

    /// The same, where dense data are looked at as bytes first.
    pub(super) fn with_first_look(
        X: &'a DataMatrix,
        columns: Shards,
        kernel: Kernel,
        coarse: Option<CoarseKernel>,
        settings: &Settings,
        interrupt: &Interrupt,
    ) -> Self {
        let screen = match X {
            DataMatrix::Sparse(x) => Screen::Sparse(Box::new(SparseSearch::new(x, kernel))),
            _ => Screen::Dense(Box::new(FastSearch::new(X, kernel, coarse, settings, interrupt))),
        };
        Self::of(X, columns, Some(screen))
    }

    fn of(X: &'a DataMatrix, columns: Shards, screen: Option<Screen<'a>>) -> Self {
        let reach = X.shards().max(0.0, |l| X.squared_norm(l)).sqrt();
        Self { X, columns, screen, vertices: vec![0; columns.columns().len()], pairs: 0, reach }
    }

    /// Ready for a run that starts from `C`.
    pub(super) fn start(&mut self, C: &SparseColumns) {
        match &mut self.screen {
            Some(Screen::Dense(fast)) => fast.start(C),
            Some(Screen::Panels(search)) => search.start(),
            _ => (),
        }
    }

    /// `j_l` of the last search, for the columns that are here.
    pub(super) fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// How it searches with these residuals, and how often it looked at bytes first in this run.
    pub(super) fn kind(&self, R: &Residuals) -> SearchKind {
        let (columns, scores, byte_searches) = match &self.screen {
            None => (Searched::All, Scores::F64, 0),
            Some(Screen::Sparse(_)) => (Searched::Sparse, Scores::F32, 0),
            Some(Screen::Gram(_)) => (Searched::Gram, Scores::F64, 0),
            // What processes pass to each other is all columns, as if one had them.
            Some(Screen::Panels(search)) => {
                let columns = if self.X.is_shared() { Searched::All } else { Searched::Panels };
                (columns, Scores::F32, search.byte_searches())
            }
            Some(Screen::Dense(fast)) => {
                let columns = if fast.candidates.is_some() { Searched::Hull } else { Searched::All };
                (columns, Scores::F32, fast.byte_searches())
            }
        };
        SearchKind { columns, scores, byte_searches, stored_residuals: R.is_stored() }
    }

    /// Columns that the search runs over, and pairs of columns whose products it computed last.
    pub(super) fn effort(&self) -> (usize, u64) {
        let candidates = match &self.screen {
            Some(Screen::Dense(fast)) => fast.candidates.as_ref(),
            _ => None,
        };
        (candidates.map_or(self.X.cols(), PointSet::count), self.pairs)
    }

    /// Finds every `j_l`; gives the duality gap `sum_l <g_l, c_l - e_j>`, unless somebody asked for the end and it takes long.
    pub(super) fn best_vertices(
        &mut self,
        R: &Residuals,
        C: &SparseColumns,
        y: &RowSoftmax,
        interrupt: &Interrupt,
    ) -> Option<f64> {
        let (X, N, columns) = (self.X, self.X.cols(), self.columns);
        let patience = Patience { interrupt, since: Instant::now() };
        let largest = columns.max(0.0, |l| R.square(l)).sqrt();
        let units = Units::for_terms_below(largest * largest + 2.0 * self.reach * largest + y.largest());
        let step = Step { X, columns, R, C, y, units, patience: &patience };
        let (fit, unsettled) = match &mut self.screen {
            None => (search_all(&step, &mut self.vertices), 0),
            Some(Screen::Sparse(sparse)) => {
                sparse.prepare(largest, y);
                (sparse_search(&step, sparse, &mut self.vertices), 0)
            }
            Some(Screen::Gram(gram)) => {
                gram.prepare(y);
                (search_through_gram(&step, gram, &mut self.vertices), 0)
            }
            Some(Screen::Panels(search)) => {
                best_over_panels(&step, search, largest);
                (settled(&step, &search.winners, &mut self.vertices), 0)
            }
            Some(Screen::Dense(fast)) => {
                fast.prepare(largest, y, columns.ranks());
                screened_search(&step, fast, &mut self.vertices)
            }
        };
        let ranks = columns.ranks();
        if ranks.any(patience.is_over()) {
            return None; // some vertices are of the last search, or none
        }
        let (fit, unsettled) = (ranks.total(fit), ranks.total(unsettled as i128) as usize);
        self.pairs = N as u64 * (self.effort().0 + unsettled) as u64;
        if let Some(Screen::Dense(fast)) = &mut self.screen
            && ranks.any(fast.candidates.is_some())
        {
            fast.join(all_vertices(&self.vertices, columns).iter().copied());
        }
        Some(units.value(fit) + y.slope())
    }
}

/// The vertices of all columns, from those of the columns that are here.
fn all_vertices(here: &[u32], columns: Shards) -> Cow<'_, [u32]> {
    if columns.are_all() {
        return here.into();
    }
    let mut all = vec![0; columns.cols()];
    all[columns.columns()].copy_from_slice(here);
    sum_small(columns.ranks(), &mut all);
    all.into()
}

/// What all columns of one search share.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) X: &'a DataMatrix,
    pub(super) columns: Shards,
    pub(super) R: &'a Residuals<'a>,
    pub(super) C: &'a SparseColumns,
    pub(super) y: &'a RowSoftmax,
    units: Units,
    pub(super) patience: &'a Patience<'a>,
}

/// A search that ends soon is completed: its gap is worth more than the wait.
pub(super) struct Patience<'a> {
    interrupt: &'a Interrupt,
    since: Instant,
}

impl Patience<'_> {
    pub(super) fn is_over(&self) -> bool {
        self.interrupt.asked() && self.since.elapsed() > Duration::from_millis(300)
    }
}

/// The gap is a sum over columns, most of them searched first and some later: as integers they add up to the same bits in
/// any order. A unit is `2^-100` of the largest term there can be, so that nothing of a sum's 53 bits is lost.
#[derive(Clone, Copy)]
struct Units(f64);

impl Units {
    fn for_terms_below(bound: f64) -> Self {
        // Units below 2^-1000 would have an inverse beyond all numbers; such terms are as good as zero.
        Self(if bound > 0.0 { 2f64.powi((100 - bound.log2().ceil() as i32).min(1000)) } else { 1.0 })
    }

    fn of(self, term: f64) -> i128 {
        (term * self.0) as i128
    }

    fn value(self, sum: i128) -> f64 {
        sum as f64 / self.0
    }
}

/// Every column by the slow twin; gives the gap except for the regularizer's slope.
fn search_all(step: &Step, vertices: &mut [u32]) -> i128 {
    let Step { X, columns, R, C, y, units, patience } = *step;
    let scratch = || (vec![0.0; X.rows()], y.bias().to_vec());
    let sums = columns.fill(vertices, scratch, |range, vertices, (column, bias)| {
        let mut sum = 0;
        for (vertex, l) in vertices.iter_mut().zip(range) {
            if patience.is_over() {
                break;
            }
            let query = Query { X, C, y, r: R.column(l, C, column), support: C.col(l) };
            let winner = scalar_search(&query, bias);
            *vertex = winner.index as u32;
            sum += units.of(query.gap(l, R.square(l), &winner));
        }
        sum
    });
    sums.into_iter().sum()
}

/// Every column over all sparse columns, some at a time; gives the gap except for the regularizer's slope.
fn sparse_search(step: &Step, sparse: &SparseSearch, vertices: &mut [u32]) -> i128 {
    let Step { X, columns, R, C, y, units, patience } = *step;
    let scratch = || (vec![0.0; X.rows()], sparse.scratch());
    let sums = columns.fill(vertices, scratch, |range, vertices, (column, scratch)| {
        let mut sum = 0;
        for (first, vertices) in range.step_by(WIDTH).zip(vertices.chunks_mut(WIDTH)) {
            if patience.is_over() {
                break;
            }
            sparse.look(first..first + vertices.len(), R, C, y, column, scratch);
            for (q, vertex) in vertices.iter_mut().enumerate() {
                let l = first + q;
                let query = Query { X, C, y, r: R.column(l, C, column), support: C.col(l) };
                let winner = sparse.decide(&query, R.square(l), q, scratch);
                *vertex = winner.index as u32;
                sum += units.of(query.gap(l, R.square(l), &winner));
            }
        }
        sum
    });
    sums.into_iter().sum()
}

/// Every column over all columns, through their products; gives the gap except for the regularizer's slope.
fn search_through_gram(step: &Step, gram: &GramSearch, vertices: &mut [u32]) -> i128 {
    let Step { X, columns, R, C, y, units, patience } = *step;
    let scratch = || (vec![0.0; X.rows()], gram_search::Scratch::default());
    let sums = columns.fill(vertices, scratch, |range, vertices, (column, scratch)| {
        let mut sum = 0;
        if patience.is_over() {
            return sum;
        }
        gram.look(range.clone(), R, C, y, scratch);
        for (q, (vertex, l)) in vertices.iter_mut().zip(range).enumerate() {
            let query = Query { X, C, y, r: R.column(l, C, column), support: C.col(l) };
            let winner = gram.decide(&query, R.square(l), q, scratch);
            *vertex = winner.index as u32;
            sum += units.of(query.gap(l, R.square(l), &winner));
        }
        sum
    });
    sums.into_iter().sum()
}

/// Every column over the candidates, and the few that those do not settle over all columns. Gives the gap except for the
/// regularizer's slope, and how many these few are.
fn screened_search(step: &Step, fast: &FastSearch, vertices: &mut [u32]) -> (i128, usize) {
    let Step { X, columns, R, C, y, units, patience } = *step;
    let first = fast.candidates.as_ref().unwrap_or(&fast.all);
    let sums = columns.fill(
        vertices,
        || (fast.scratch(first), Vec::new()),
        |range, vertices, (scratch, computed)| {
            let mut sum = 0;
            if patience.is_over() {
                return sum;
            }
            let residuals = R.columns(range.clone(), C, computed);
            fast.group_minima(first, &residuals, scratch);
            C.warm(range.start / SHARD);
            for (i, (vertex, l)) in vertices.iter_mut().zip(range).enumerate() {
                let (query, square) = (Query { X, C, y, r: residuals[i], support: C.col(l) }, R.square(l));
                *vertex = UNSETTLED;
                if let Some(winner) = fast.search(first, &query, square, i, scratch, Winner::none()) {
                    *vertex = winner.index as u32;
                    sum += units.of(query.gap(l, square, &winner));
                }
            }
            sum
        },
    );
    let mut sum: i128 = sums.into_iter().sum();
    if fast.candidates.is_none() {
        return (sum, 0);
    }
    let start = columns.columns().start;
    let unsettled = |range: Range<usize>| range.filter(|&l| vertices[l - start] == UNSETTLED).collect::<Vec<_>>();
    let rest: Vec<usize> = columns.map(unsettled).concat();
    let chunk = rest.len().div_ceil(16).next_multiple_of(fast.tile()).clamp(1, SHARD);
    let found: Vec<Vec<(u32, i128)>> = rest
        .par_chunks(chunk)
        .map_init(
            || (fast.scratch(&fast.all), Vec::new()),
            |(scratch, computed), columns| {
                if patience.is_over() {
                    return Vec::new();
                }
                let residuals = R.columns(columns.iter().copied(), C, computed);
                fast.group_minima(&fast.all, &residuals, scratch);
                let search = |(i, &l): (usize, &usize)| {
                    let (query, square) = (Query { X, C, y, r: residuals[i], support: C.col(l) }, R.square(l));
                    let winner = fast.search(&fast.all, &query, square, i, scratch, Winner::none());
                    let winner = winner.expect("a search over all columns settles");
                    (winner.index as u32, units.of(query.gap(l, square, &winner)))
                };
                columns.iter().enumerate().map(search).collect()
            },
        )
        .collect();
    for (&l, (vertex, term)) in rest.iter().zip(found.into_iter().flatten()) {
        vertices[l - start] = vertex;
        sum += term;
    }
    (sum, rest.len())
}

/// Takes over what was found for every column; gives the gap except for the regularizer's slope.
fn settled(step: &Step, winners: &[Winner], vertices: &mut [u32]) -> i128 {
    let Step { X, columns, R, C, y, units, patience } = *step;
    let start = columns.columns().start;
    let sums = columns.fill(
        vertices,
        || vec![0.0; X.rows()],
        |range, vertices, column| {
            let mut sum = 0;
            if patience.is_over() {
                return sum;
            }
            for (vertex, l) in vertices.iter_mut().zip(range) {
                let winner = &winners[l - start];
                let query = Query { X, C, y, r: R.column(l, C, column), support: C.col(l) };
                *vertex = winner.index as u32;
                sum += units.of(query.gap(l, R.square(l), winner));
            }
            sum
        },
    );
    sums.into_iter().sum()
}

/// The slow twin: every score in `f64`. `bias` is a copy of `y.bias()`, and is one again afterwards.
fn scalar_search(query: &Query, bias: &mut [f64]) -> Winner {
    for (&n, &c) in query.support.0.iter().zip(query.support.1) {
        bias[n as usize] = query.y.weight(query.C, n as usize, c);
    }
    let mut winner = Winner::none();
    for (n, bias) in bias.iter().enumerate() {
        winner.offer(query.X.dot(n, query.r) + bias, n);
    }
    for &n in query.support.0 {
        bias[n as usize] = query.y.bias()[n as usize];
    }
    winner
}

/// The best score so far; of equal ones the smaller index.
#[derive(Clone, Copy)]
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
