//! What several processes found together, each some columns of `H` and `C`, is written by the first: it asks for some columns at a time, and
//! the others hand them over until it asks no more. So nobody ever holds all of it, and an error of the first ends the asking.

use crate::failure::Failure;
use crate::output_folder::OutputFolder;
use merit::factor::Factorization;
use merit::preprocess::ColumnMap;
use merit_dataset::{Columns, write_npy_columns, write_npz_csc_from};
use merit_linalg::SparseColumns;
use merit_linalg::columns::SomeColumns;
use merit_linalg::dense::piece_columns;
use merit_linalg::ranks::{Ranks, asked_by_first};
use std::ops::Range;

/// The results of a run of which each process has its columns. Dropped, the first process asks no more.
pub struct SharedResults<'a> {
    run: &'a Factorization,
    ranks: &'static dyn Ranks,
}

/// What the first process asks for, in numbers.
const NOTHING_MORE: u64 = 0;
const WEIGHTS: u64 = 1;
const COLUMNS: u64 = 2;

impl<'a> SharedResults<'a> {
    /// Of this run; `None` where every process has all of it.
    pub fn of(run: &'a Factorization) -> Option<Self> {
        let columns = run.h.h.shards();
        (!columns.are_all()).then(|| Self { run, ranks: columns.ranks() })
    }

    /// H.npy and C.npz, on the first process.
    pub fn write(&self, folder: &OutputFolder) -> Result<(), Failure> {
        let run = self.run;
        let (rank, cols) = (run.h.h.rows(), run.columns.original_cols());
        let step = piece_columns(rank, cols, self.ranks.count());
        folder.put("H.npy", |path| {
            write_npy_columns(path, rank, cols, |take| {
                (0..cols).step_by(step).try_for_each(|first| {
                    let range = first..(first + step).min(cols);
                    self.ask(WEIGHTS, &range);
                    take(run.h.h.gathered(range).values())
                })
            })
        })?;
        let Some(solution) = &run.search.solution else { return Ok(()) };
        let (c, map) = (&*solution.c, &run.columns);
        let source = Fetched { results: self, c, map, here: c.gathered(0..0) };
        folder.put("C.npz", |path| write_npz_csc_from(path, cols, cols, c.nnz(), source))
    }

    /// Gives the first process what it asks for, until it asks no more.
    pub fn hand_over(&self) {
        loop {
            match asked_by_first(self.ranks, [0; 3]) {
                [WEIGHTS, first, end] => drop(self.run.h.h.gathered(first as usize..end as usize)),
                [COLUMNS, first, end] => {
                    if let Some(solution) = &self.run.search.solution {
                        drop(solution.c.gathered(first as usize..end as usize));
                    }
                }
                _ => return,
            }
        }
    }

    fn ask(&self, what: u64, columns: &Range<usize>) {
        asked_by_first(self.ranks, [what, columns.start as u64, columns.end as u64]);
    }
}

impl Drop for SharedResults<'_> {
    fn drop(&mut self) {
        if self.ranks.rank() == 0 {
            self.ask(NOTHING_MORE, &(0..0));
        }
    }
}

/// The columns of `C`, numbered as those of `X`, some of which have been fetched.
struct Fetched<'a> {
    results: &'a SharedResults<'a>,
    c: &'a SparseColumns,
    map: &'a ColumnMap,
    here: SomeColumns,
}

impl Columns for Fetched<'_> {
    fn fetch(&mut self, columns: Range<usize>) {
        let range = self.map.solver_columns(columns);
        self.results.ask(COLUMNS, &range);
        self.here = self.c.gathered(range);
    }

    fn column(&self, l: usize, entries: &mut Vec<(u32, f64)>) {
        self.map.column_from(|i| self.here.col(i), l, entries);
    }
}
