//! The state of a run that several processes share, as the first of them keeps it: it asks for some columns at a time, and the others
//! hand them over until it asks no more. So nobody ever holds all of `C` or `R`.

use super::residuals::Residuals;
use crate::checkpoint::State;
use merit_linalg::SparseColumns;
use merit_linalg::columns::SomeColumns;
use merit_linalg::dense::piece_columns;
use merit_linalg::numbers::{Fetch, Fetched, Pieces};
use merit_linalg::ranks::{Ranks, asked_by_first};
use std::io;
use std::ops::Range;
use std::rc::Rc;

/// Dropped, the first process asks no more.
pub(super) struct SharedState<'a> {
    C: &'a SparseColumns,
    /// Where they are stored and still needed.
    R: Option<&'a Residuals<'a>>,
    ranks: &'static dyn Ranks,
}

/// What the first process asks for, in numbers.
const NOTHING_MORE: u64 = 0;
const COLUMNS: u64 = 1;
const RESIDUALS: u64 = 2;

impl<'a> SharedState<'a> {
    /// `None` where every process has all of it.
    pub(super) fn of(C: &'a SparseColumns, R: Option<&'a Residuals<'a>>) -> Option<Self> {
        (!C.columns().are_all()).then(|| Self { C, R, ranks: C.columns().ranks() })
    }

    pub(super) fn is_first(&self) -> bool {
        self.ranks.rank() == 0
    }

    /// Gives the first process what it asks for, until it asks no more.
    pub(super) fn hand_over(&self) {
        loop {
            match asked_by_first(self.ranks, [0; 3]) {
                [COLUMNS, first, end] => drop(self.C.gathered(first as usize..end as usize)),
                [RESIDUALS, first, end] => drop(self.R.map(|R| R.gathered(first as usize..end as usize))),
                _ => return,
            }
        }
    }

    /// The same state with `C`, in lists of these names.
    pub(super) fn columns_in<'s>(&'s self, [lengths, rows, values]: [&'static str; 3], state: State<'s>) -> State<'s> {
        let (cols, nnz) = (self.C.cols(), self.C.nnz());
        let length = |(rows, _): (&[u32], &[f64]), all: &mut Vec<u32>| all.push(rows.len() as u32);
        let rows_of = |(rows, _): (&[u32], &[f64]), all: &mut Vec<u32>| all.extend_from_slice(rows);
        let values_of = |(_, values): (&[u32], &[f64]), all: &mut Vec<f64>| all.extend_from_slice(values);
        state
            .with(lengths, Pieces::FetchedU32(Fetched { count: cols, fetch: self.each_column(length) }))
            .with(rows, Pieces::FetchedU32(Fetched { count: nnz, fetch: self.each_column(rows_of) }))
            .with(values, Pieces::FetchedF64(Fetched { count: nnz, fetch: self.each_column(values_of) }))
    }

    /// The same state with `R`.
    pub(super) fn residuals_in<'s>(&'s self, name: &'static str, state: State<'s>) -> State<'s> {
        let (rows, cols) = (self.R.map_or(0, Residuals::rows), self.C.cols());
        let fetch: Rc<Fetch<f64>> = Rc::new(move |take| {
            self.pieces(rows).try_for_each(|range| {
                self.ask(RESIDUALS, &range);
                self.R.map_or(Ok(()), |R| take(&R.gathered(range)))
            })
        });
        state.with(name, Pieces::FetchedF64(Fetched { count: rows * cols, fetch }))
    }

    /// Fetches all columns of `C`: hands over what `add` adds for each of them, some at a time.
    fn each_column<'s, T: 's>(&'s self, add: impl Fn((&[u32], &[f64]), &mut Vec<T>) + 's) -> Rc<Fetch<'s, T>> {
        Rc::new(move |take: &mut dyn FnMut(&[T]) -> io::Result<()>| {
            let mut all = Vec::new();
            self.pieces(3 * self.C.nnz() / (2 * self.C.cols())).try_for_each(|range| {
                self.ask(COLUMNS, &range);
                let some: SomeColumns = self.C.gathered(range.clone());
                all.clear();
                range.for_each(|l| add(some.col(l), &mut all));
                take(&all)
            })
        })
    }

    /// All columns, some at a time, where each takes as much as so many values.
    fn pieces(&self, values: usize) -> impl Iterator<Item = Range<usize>> {
        let cols = self.C.cols();
        let step = piece_columns(values.max(1), cols, self.ranks.count());
        (0..cols).step_by(step).map(move |first| first..(first + step).min(cols))
    }

    fn ask(&self, what: u64, columns: &Range<usize>) {
        asked_by_first(self.ranks, [what, columns.start as u64, columns.end as u64]);
    }
}

impl Drop for SharedState<'_> {
    fn drop(&mut self) {
        if self.is_first() {
            self.ask(NOTHING_MORE, &(0..0));
        }
    }
}
