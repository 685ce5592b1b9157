//! `D` and `E` of the method: sparse, by rows, one list of places for both.

use crate::checkpoint::{Kept, State};
use merit_linalg::SparseColumns;
use merit_linalg::numbers::Pieces;
use merit_linalg::shards::{SHARD, Shards};
use rayon::prelude::*;
use std::ops::Range;

/// Row after row: columns in order, and what `D` and `E` hold there.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) shards: Vec<RowShard>,
}

/// The rows of a shard.
#[derive(Clone, Debug)]
pub(super) struct RowShard {
    starts: Vec<u32>,
    columns: Vec<u32>,
    d: Vec<f64>,
    e: Vec<f64>,
}

/// One row.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) columns: &'a [u32],
    pub(super) d: &'a [f64],
    pub(super) e: &'a [f64],
}

impl RowShard {
    pub(super) fn empty() -> Self {
        Self { starts: vec![0], columns: Vec::new(), d: Vec::new(), e: Vec::new() }
    }

    /// No rows yet, in the same memory.
    pub(super) fn clear(&mut self) {
        self.starts.truncate(1);
        self.columns.clear();
        self.d.clear();
        self.e.clear();
    }

    /// An entry of the row that is being written; columns come in order.
    #[inline]
    pub(super) fn push(&mut self, l: u32, d: f64, e: f64) {
        self.columns.push(l);
        self.d.push(d);
        self.e.push(e);
    }

    /// The row is complete.
    pub(super) fn end_row(&mut self) {
        self.starts.push(self.columns.len() as u32);
    }

    pub(super) fn row(&self, i: usize) -> Row<'_> {
        let range = self.starts[i] as usize..self.starts[i + 1] as usize;
        Row { columns: &self.columns[range.clone()], d: &self.d[range.clone()], e: &self.e[range] }
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.starts.len() - 1).map(|i| self.row(i))
    }

    /// What follows `e` into other units.
    pub(super) fn scale_e(&mut self, factor: f64) {
        self.e.iter_mut().for_each(|e| *e *= factor);
    }
}

impl Row<'_> {
    /// The part with columns in `from..to`.
    pub(super) fn within(&self, from: u32, to: u32) -> Self {
        let start = self.columns.partition_point(|&l| l < from);
        let range = start..start + self.columns[start..].partition_point(|&l| l < to);
        Self { columns: &self.columns[range.clone()], d: &self.d[range.clone()], e: &self.e[range] }
    }
}

impl Rows {
    /// `D = 0`, `E = 0`.
    pub(super) fn zeros(rows: usize) -> Self {
        let shards = Shards::new(rows);
        let empty = |s: usize| RowShard { starts: vec![0; shards.range(s).len() + 1], ..RowShard::empty() };
        Self { shards: (0..shards.count()).map(empty).collect() }
    }

    /// `D = C` as far as its rows are among `rows` (in which `place` finds them), `E = 0`.
    pub(super) fn of_columns(c: &SparseColumns, rows: usize, place: impl Fn(u32) -> Option<usize> + Sync) -> Self {
        let mut lists: Vec<Vec<(u32, f64)>> = vec![Vec::new(); rows];
        for l in 0..c.cols() {
            let (indices, values) = c.col(l);
            for (&n, &value) in indices.iter().zip(values) {
                if let (Some(row), true) = (place(n), value > 0.0) {
                    lists[row].push((l as u32, value));
                }
            }
        }
        let shards = lists.par_chunks(SHARD).map(|lists| {
            let mut shard = RowShard::empty();
            for list in lists {
                list.iter().for_each(|&(l, value)| shard.push(l, value, 0.0));
                shard.end_row();
            }
            shard
        });
        Self { shards: shards.collect() }
    }

    /// Adds them to a state.
    pub(super) fn in_state<'a>(&'a self, state: State<'a>) -> State<'a> {
        let shards = || self.shards.iter();
        state
            .with("row_starts", Pieces::U32(shards().map(|shard| &shard.starts[..]).collect()))
            .with("row_columns", Pieces::U32(shards().map(|shard| &shard.columns[..]).collect()))
            .with("row_d", Pieces::F64(shards().map(|shard| &shard.d[..]).collect()))
            .with("row_e", Pieces::F64(shards().map(|shard| &shard.e[..]).collect()))
    }

    /// Reads them from one; nothing if they are not `rows` rows of `cols` columns.
    pub(super) fn of_state(kept: &Kept, rows: usize, cols: usize) -> Option<Self> {
        let starts = kept.indices("row_starts")?;
        let (columns, d, e) = (kept.indices("row_columns")?, kept.any_values("row_d")?, kept.any_values("row_e")?);
        let ranges = shard_ranges(&starts, rows)?;
        let all = ranges.last().map_or(0, |(_, entries)| entries.end);
        if [columns.len(), d.len(), e.len()] != [all; 3] || columns.iter().any(|&l| l as usize >= cols) {
            return None;
        }
        let shard = |(of_starts, entries): (Range<usize>, Range<usize>)| RowShard {
            starts: starts[of_starts].to_vec(),
            columns: columns[entries.clone()].to_vec(),
            d: d[entries.clone()].to_vec(),
            e: e[entries].to_vec(),
        };
        Some(Self { shards: ranges.into_iter().map(shard).collect() })
    }

    /// Entries of `D` above zero, and rows that have one.
    pub(super) fn count(&self) -> (usize, usize) {
        let of_row = |row: Row| row.d.iter().filter(|&&d| d > 0.0).count();
        let of_shard = |shard: &RowShard| {
            shard.rows().map(of_row).fold((0, 0), |(all, rows), n| (all + n, rows + usize::from(n > 0)))
        };
        self.shards.par_iter().map(of_shard).reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    }
}

/// For each shard of `rows` rows, where its starts are among all `starts` and its entries among all entries; nothing if they make
/// no sense.
fn shard_ranges(starts: &[u32], rows: usize) -> Option<Vec<(Range<usize>, Range<usize>)>> {
    let shards = Shards::new(rows);
    let (mut first, mut entries, mut ranges) = (0, 0, Vec::new());
    for s in 0..shards.count() {
        let of_starts = first..first + shards.range(s).len() + 1;
        let own = starts.get(of_starts.clone())?;
        if own[0] != 0 || !own.is_sorted() {
            return None;
        }
        let end = entries + own[own.len() - 1] as usize;
        ranges.push((of_starts.clone(), entries..end));
        (first, entries) = (of_starts.end, end);
    }
    (first == starts.len()).then_some(ranges)
}

/// `C = D` with every column divided by its sum, by rows: the feasible point of a pass.
#[derive(Clone, Debug)]
pub(super) struct Feasible {
    shards: Vec<(Vec<u32>, Vec<u32>, Vec<f64>)>,
}

/// `sum_n max_l D(n,l) / sums(l)`.
pub(super) fn row_maxima(rows: &Rows, sums: &[f64]) -> f64 {
    let of_row = |row: Row| row.columns.iter().zip(row.d).fold(0.0_f64, |top, (&l, d)| top.max(d / sums[l as usize]));
    let parts: Vec<f64> = rows.shards.par_iter().map(|shard| shard.rows().map(of_row).sum()).collect();
    parts.into_iter().sum()
}

impl Feasible {
    pub(super) fn of(rows: &Rows, sums: &[f64]) -> Self {
        let of_shard = |shard: &RowShard| {
            let entries = shard.d.iter().filter(|&&d| d > 0.0).count();
            let mut out = (vec![0], Vec::with_capacity(entries), Vec::with_capacity(entries));
            for row in shard.rows() {
                for (&l, &d) in row.columns.iter().zip(row.d).filter(|&(_, &d)| d > 0.0) {
                    out.1.push(l);
                    out.2.push(d / sums[l as usize]);
                }
                out.0.push(out.1.len() as u32);
            }
            out
        };
        Self { shards: rows.shards.par_iter().map(of_shard).collect() }
    }

    /// Adds it to a state.
    pub(super) fn in_state<'a>(&'a self, state: State<'a>) -> State<'a> {
        let shards = || self.shards.iter();
        state
            .with("best_starts", Pieces::U32(shards().map(|shard| &shard.0[..]).collect()))
            .with("best_columns", Pieces::U32(shards().map(|shard| &shard.1[..]).collect()))
            .with("best_values", Pieces::F64(shards().map(|shard| &shard.2[..]).collect()))
    }

    /// Reads it from one.
    pub(super) fn of_state(kept: &Kept, rows: usize, cols: usize) -> Option<Self> {
        let starts = kept.indices("best_starts")?;
        let (columns, values) = (kept.indices("best_columns")?, kept.any_values("best_values")?);
        let ranges = shard_ranges(&starts, rows)?;
        let all = ranges.last().map_or(0, |(_, entries)| entries.end);
        if [columns.len(), values.len()] != [all; 2] || columns.iter().any(|&l| l as usize >= cols) {
            return None;
        }
        let shard = |(of_starts, entries): (Range<usize>, Range<usize>)| {
            (starts[of_starts].to_vec(), columns[entries.clone()].to_vec(), values[entries].to_vec())
        };
        Some(Self { shards: ranges.into_iter().map(shard).collect() })
    }

    /// As columns of an `N x N` matrix, row `i` here being row `original(i)` there.
    pub(super) fn columns(&self, cols: usize, original: impl Fn(usize) -> u32) -> SparseColumns {
        let mut lists: Vec<Vec<(u32, f64)>> = vec![Vec::new(); cols];
        for (s, (starts, columns, values)) in self.shards.iter().enumerate() {
            for (i, ends) in starts.windows(2).enumerate() {
                for place in ends[0] as usize..ends[1] as usize {
                    lists[columns[place] as usize].push((original(s * SHARD + i), values[place]));
                }
            }
        }
        SparseColumns::from_columns(cols, |l, entries| {
            entries.extend_from_slice(&lists[l]);
            entries.sort_unstable_by_key(|&(n, _)| n);
        })
    }
}
