//! The iterate `C`: an `N x N` matrix of sparse columns, of which a step changes every column a little.
//!
//! A Frank-Wolfe step scales each column and raises one of its entries, so a column gains at most one nonzero a step.
//! Entries are a `u32` row and an `f64` value, 12 bytes, kept in the order in which they came. The columns of a
//! [shard](crate::shards) share one pair of vectors with a little room behind each column (`ROOM`); a shard whose
//! columns have grown out of it is laid out again. Nothing is allocated between those moments, and nothing is `N x N`.
//!
//! Where several processes share the columns, each has those of its own shards ([`SparseColumns::share`]), and what is known
//! of rows (counts and maxima) is that of all of them.
//!
//! ```
//! use merit_linalg::SparseColumns;
//! let mut c = SparseColumns::zeros(4);
//! c.step_towards(&[1, 1, 2, 2], 1.0, None);
//! c.step_towards(&[0, 1, 2, 1], 0.25, None);
//! assert_eq!(c.col(0), (&[1, 0][..], &[0.75, 0.25][..]));
//! assert_eq!(c.row_inf_norms(), [0.25, 1.0, 1.0, 0.0]);
//! assert_eq!(c.row_two_norms(), [0.25, (0.75_f64 * 0.75 + 1.0 + 0.25 * 0.25).sqrt(), (1.0_f64 + 0.75 * 0.75).sqrt(), 0.0]);
//! assert_eq!((c.nnz(), c.nonempty_rows()), (6, 3));
//! ```

use crate::memory;
use crate::ranks::{Ranks, exchange_atomics, sum_small};
use crate::shards::{SHARD, Shards, batches};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Free places behind each column when its shard is laid out.
const ROOM: usize = 3;

/// A square sparse matrix made for Frank-Wolfe steps.
#[derive(Debug)]
pub struct SparseColumns {
    columns: Shards,
    /// Those that are here.
    shards: Vec<ShardColumns>,
    /// Nonzeros in each row, of the columns that are here.
    row_counts: Vec<AtomicU32>,
    /// The same of all columns; empty where all are here.
    all_row_counts: Vec<u32>,
    /// Bits of the largest entry of each row: nonnegative numbers are ordered as their bits are.
    row_maxima: Vec<AtomicU64>,
}

/// The columns of one shard. Column `i` fills `starts[i]..starts[i] + lens[i]`; its room ends at `starts[i + 1]`.
#[derive(Clone, Debug)]
struct ShardColumns {
    starts: Vec<u32>,
    lens: Vec<u32>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Clone for SparseColumns {
    fn clone(&self) -> Self {
        let row_counts = self.row_counts.iter().map(|count| AtomicU32::new(count.load(Relaxed))).collect();
        let row_maxima = self.row_maxima.iter().map(|bits| AtomicU64::new(bits.load(Relaxed))).collect();
        let (columns, shards, all_row_counts) = (self.columns, self.shards.clone(), self.all_row_counts.clone());
        Self { columns, shards, row_counts, all_row_counts, row_maxima }
    }
}

impl SparseColumns {
    /// `C = 0`.
    pub fn zeros(cols: usize) -> Self {
        Self::zeros_of(Shards::new(cols))
    }

    /// The same of the columns that are here.
    pub fn zeros_of(columns: Shards) -> Self {
        let cols = columns.cols();
        let shards = columns.here().map(|s| ShardColumns::empty(columns.range(s).len())).collect();
        let row_counts = memory::list(cols, |_| AtomicU32::new(0));
        let all_row_counts = if columns.are_all() { Vec::new() } else { vec![0; cols] };
        let row_maxima = memory::list(cols, |_| AtomicU64::new(0));
        Self { columns, shards, row_counts, all_row_counts, row_maxima }
    }

    /// The columns that `columns` has here, of a matrix that every process has, or that they share already.
    pub fn share(self, columns: Shards) -> Self {
        assert_eq!(self.cols(), columns.cols());
        if columns.are_all() || !self.columns.are_all() {
            return self;
        }
        let all_row_counts = self.row_counts.iter().map(|count| count.load(Relaxed)).collect();
        let shards = self.shards.into_iter().skip(columns.here().start).take(columns.here().len()).collect();
        let row_counts: Vec<AtomicU32> = (0..columns.cols()).map(|_| AtomicU32::new(0)).collect();
        let shared = Self { columns, shards, row_counts, all_row_counts, row_maxima: self.row_maxima };
        for l in columns.columns() {
            shared.col(l).0.iter().for_each(|&n| _ = shared.row_counts[n as usize].fetch_add(1, Relaxed));
        }
        shared
    }

    /// All columns, which every process then has.
    pub fn whole(self) -> Self {
        self.collected(true)
    }

    /// All columns, which the first process then has; the others have what they had.
    pub fn on_first(self) -> Self {
        let is_first = self.columns.ranks().rank() == 0;
        self.collected(is_first)
    }

    /// All columns, where they are wanted.
    fn collected(mut self, wanted: bool) -> Self {
        if self.columns.are_all() {
            return self;
        }
        let (columns, ranks) = (self.columns, self.columns.ranks());
        let mut shards = Vec::with_capacity(if wanted { columns.count() } else { 0 });
        for rank in 0..ranks.count() {
            for batch in batches(columns.of_rank(rank)) {
                let mine = match rank == ranks.rank() {
                    true => &mut self.shards[batch.start - columns.here().start..][..batch.len()],
                    false => &mut [],
                };
                let widths: Vec<usize> = batch.map(|s| columns.range(s).len()).collect();
                let received = ShardColumns::broadcast(mine, &widths, rank, ranks);
                if wanted {
                    shards.extend(received);
                    mine.iter_mut().for_each(|mine| *mine = ShardColumns::empty(0)); // its memory is needed
                }
            }
        }
        if !wanted {
            return self;
        }
        let row_counts = self.all_row_counts.into_iter().map(AtomicU32::new).collect();
        let (columns, row_maxima) = (Shards::new(columns.cols()), self.row_maxima);
        Self { columns, shards, row_counts, all_row_counts: Vec::new(), row_maxima }
    }

    /// Some columns, which every process then has; rows are in their order if they are so here.
    pub fn gathered(&self, range: Range<usize>) -> SomeColumns {
        let (columns, ranks) = (self.columns, self.columns.ranks());
        let wanted = range.start / SHARD..range.end.div_ceil(SHARD);
        let mut shards = Vec::with_capacity(wanted.len());
        for rank in 0..ranks.count() {
            let there = columns.of_rank(rank);
            let common = there.start.max(wanted.start)..there.end.min(wanted.end);
            if common.is_empty() {
                continue;
            }
            let mine = match rank == ranks.rank() {
                true => &self.shards[common.start - columns.here().start..][..common.len()],
                false => &[],
            };
            let widths: Vec<usize> = common.map(|s| columns.range(s).len()).collect();
            shards.extend(ShardColumns::broadcast(mine, &widths, rank, ranks));
        }
        SomeColumns { first: wanted.start, shards }
    }

    /// Column by column: `fill(l, entries)` pushes the `(row, value)` of column `l`; zeros are left out.
    pub fn from_columns(cols: usize, fill: impl Fn(usize, &mut Vec<(u32, f64)>) + Sync) -> Self {
        Self::from_shards(Shards::new(cols), fill)
    }

    /// The same where each process fills the columns that are here.
    pub fn from_shards(columns: Shards, fill: impl Fn(usize, &mut Vec<(u32, f64)>) + Sync) -> Self {
        let mut matrix = Self::zeros_of(columns);
        let counts = &matrix.row_counts;
        matrix.shards.par_iter_mut().zip(columns.here().into_par_iter()).for_each(|(shard, s)| {
            *shard = ShardColumns::filled(columns.range(s), &fill);
            shard.indices.iter().for_each(|&n| _ = counts[n as usize].fetch_add(1, Relaxed));
        });
        matrix.count_rows();
        matrix.measure_rows();
        matrix
    }

    /// Number of columns (and rows), `N`.
    #[inline]
    pub fn cols(&self) -> usize {
        self.columns.cols()
    }

    /// Which columns are here.
    pub fn columns(&self) -> Shards {
        self.columns
    }

    /// Rows and values of column `l`, which is here, in the order in which they came.
    #[inline]
    pub fn col(&self, l: usize) -> (&[u32], &[f64]) {
        self.shards[l / SHARD - self.columns.here().start].col(l % SHARD)
    }

    /// Number of nonzeros.
    pub fn nnz(&self) -> usize {
        let of_columns =
            |shards: &[ShardColumns]| shards.iter().flat_map(|shard| &shard.lens).map(|&len| len as usize).sum();
        match &self.all_row_counts[..] {
            [] => of_columns(&self.shards),
            rows => rows.iter().map(|&count| count as usize).sum(),
        }
    }

    /// Reads through the values of the columns of shard `s`, one in each line of a cache, so that looking at some of them in another order
    /// does not wait for memory.
    pub fn warm(&self, s: usize) {
        let values = self.shards[s - self.columns.here().start].values.iter().step_by(8);
        std::hint::black_box(values.fold(0, |sum, value| sum ^ value.to_bits()));
    }

    /// Number of nonzeros in row `n`.
    #[inline]
    pub fn row_count(&self, n: usize) -> u32 {
        match &self.all_row_counts[..] {
            [] => self.row_counts[n].load(Relaxed),
            all => all[n],
        }
    }

    /// Number of rows with a nonzero.
    pub fn nonempty_rows(&self) -> usize {
        (0..self.cols()).filter(|&n| self.row_count(n) > 0).count()
    }

    /// `||C(n,:)||_inf`, the largest entry of row `n`; entries are nonnegative.
    #[inline]
    pub fn row_max(&self, n: usize) -> f64 {
        f64::from_bits(self.row_maxima[n].load(Relaxed))
    }

    /// The same of any row: a loop that asks for many reads the place of the numbers once.
    #[inline]
    pub fn row_maxima(&self) -> impl Fn(usize) -> f64 + Copy {
        let maxima = &self.row_maxima[..];
        move |n| f64::from_bits(maxima[n].load(Relaxed))
    }

    /// `||C(n,:)||_inf` for every row.
    pub fn row_inf_norms(&self) -> Vec<f64> {
        (0..self.cols()).map(|n| self.row_max(n)).collect()
    }

    /// `||C(n,:)||_2` for every row; squares are added in the order of the columns, from one process to the next.
    pub fn row_two_norms(&self) -> Vec<f64> {
        let (mut norms, ranks) = (vec![0.0; self.cols()], self.columns.ranks());
        for rank in 0..ranks.count() {
            if rank == ranks.rank() {
                for l in self.columns.columns() {
                    let (rows, values) = self.col(l);
                    rows.iter().zip(values).for_each(|(&n, &value)| norms[n as usize] += value * value);
                }
            }
            ranks.broadcast_values(rank, &mut norms);
        }
        norms.iter_mut().for_each(|norm| *norm = norm.sqrt());
        norms
    }

    /// `c_l <- (1 - gamma) c_l + gamma e_j` with `j = vertices[l]`, for the columns that move: all, or where `moving` says so. Both have
    /// an element for each column that is here.
    pub fn step_towards(&mut self, vertices: &[u32], gamma: f64, moving: Option<&[bool]>) {
        assert_eq!(vertices.len(), self.columns.columns().len());
        // Scaling keeps the order of numbers, so where all columns move, the maximum of a row is the scaled one or an entry
        // that this step raises.
        let keep = if gamma >= 1.0 { 0.0 } else { 1.0 - gamma };
        self.row_maxima.par_iter_mut().with_min_len(4096).for_each(|bits| {
            *bits.get_mut() = (f64::from_bits(*bits.get_mut()) * keep).to_bits();
        });
        let (counts, maxima) = (&self.row_counts, &self.row_maxima);
        self.shards.par_iter_mut().enumerate().for_each(|(s, shard)| {
            for i in 0..shard.lens.len() {
                let place = s * SHARD + i;
                if moving.is_none_or(|moving| moving[place]) {
                    let raised = shard.step(i, vertices[place], gamma, counts);
                    raise(&maxima[vertices[place] as usize], raised);
                }
            }
        });
        match moving {
            Some(_) => self.measure_rows(),
            None => self.exchange_maxima(),
        }
        self.count_rows();
    }

    /// Nonzeros in each row of all columns, from those of the columns that are here.
    fn count_rows(&mut self) {
        self.all_row_counts.iter_mut().zip(&self.row_counts).for_each(|(all, here)| *all = here.load(Relaxed));
        sum_small(self.columns.ranks(), &mut self.all_row_counts);
    }

    /// Row maxima of all columns, from those of the columns that are here.
    fn exchange_maxima(&mut self) {
        let ranks = self.columns.ranks();
        if !self.columns.are_all() {
            exchange_atomics(&mut self.row_maxima, |maxima| ranks.max(maxima));
        }
    }

    /// Puts the rows of every column in order, in place.
    pub fn sort_rows(&mut self) {
        self.shards.par_iter_mut().for_each(|shard| {
            let mut entries = Vec::new();
            for i in 0..shard.lens.len() {
                let range = shard.starts[i] as usize..(shard.starts[i] + shard.lens[i]) as usize;
                let (rows, values) = (&mut shard.indices[range.clone()], &mut shard.values[range]);
                if !rows.is_sorted() {
                    entries.clear();
                    entries.extend(rows.iter().copied().zip(values.iter().copied()));
                    entries.sort_unstable_by_key(|&(row, _)| row); // a row comes once
                    entries.iter().enumerate().for_each(|(p, &entry)| (rows[p], values[p]) = entry);
                }
            }
        });
    }

    /// Finds all row maxima anew.
    fn measure_rows(&mut self) {
        self.row_maxima.iter_mut().for_each(|bits| *bits.get_mut() = 0);
        let maxima = &self.row_maxima;
        self.shards.par_iter().for_each(|shard| {
            for i in 0..shard.lens.len() {
                let (rows, values) = shard.col(i);
                rows.iter().zip(values).for_each(|(&n, &value)| raise(&maxima[n as usize], value));
            }
        });
        self.exchange_maxima();
    }
}

/// Where a row is among the rows of a column, eight of which are compared at once.
#[inline]
pub fn place_of(row: u32, rows: &[u32]) -> Option<usize> {
    let (chunks, tail) = rows.as_chunks::<8>();
    for (i, chunk) in chunks.iter().enumerate() {
        let places = (0..8).fold(0u32, |places, k| places | u32::from(chunk[k] == row) << k);
        if places != 0 {
            return Some(8 * i + places.trailing_zeros() as usize);
        }
    }
    tail.iter().position(|&n| n == row).map(|k| 8 * chunks.len() + k)
}

/// Raises a maximum; the order in which columns arrive does not matter.
fn raise(maximum: &AtomicU64, value: f64) {
    if maximum.load(Relaxed) < value.to_bits() {
        maximum.fetch_max(value.to_bits(), Relaxed);
    }
}

/// Some columns of a `C` that several processes share.
#[derive(Debug)]
pub struct SomeColumns {
    /// The number of the first shard.
    first: usize,
    shards: Vec<ShardColumns>,
}

impl SomeColumns {
    /// Rows and values of column `l`, which is one of these.
    pub fn col(&self, l: usize) -> (&[u32], &[f64]) {
        self.shards[l / SHARD - self.first].col(l % SHARD)
    }
}

impl ShardColumns {
    /// Column by column; zeros are left out.
    fn filled(range: Range<usize>, fill: &impl Fn(usize, &mut Vec<(u32, f64)>)) -> Self {
        let (mut shard, mut entries) = (Self::empty(range.len()), Vec::new());
        for (i, l) in range.enumerate() {
            entries.clear();
            fill(l, &mut entries);
            entries.retain(|&(_, value)| value != 0.0);
            shard.lens[i] = entries.len() as u32;
            shard.indices.extend(entries.iter().map(|&(n, _)| n));
            shard.values.extend(entries.iter().map(|&(_, value)| value));
            shard.starts[i + 1] = shard.indices.len() as u32;
        }
        shard
    }

    fn empty(len: usize) -> Self {
        Self { starts: vec![0; len + 1], lens: vec![0; len], indices: Vec::new(), values: Vec::new() }
    }

    /// The shards that rank `from` has, of so many columns each; the others have none of them.
    fn broadcast(mine: &[Self], widths: &[usize], from: usize, ranks: &dyn Ranks) -> Vec<Self> {
        let mut lens: Vec<u8> = mine.iter().flat_map(|shard| &shard.lens).flat_map(|len| len.to_le_bytes()).collect();
        lens.resize(4 * widths.iter().sum::<usize>(), 0);
        ranks.broadcast(from, &mut lens);
        let mut lens = lens.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let lens: Vec<Vec<u32>> = widths.iter().map(|&width| lens.by_ref().take(width).collect()).collect();
        let columns = || mine.iter().flat_map(|shard| (0..shard.lens.len()).map(|i| shard.col(i)));
        let count = lens.iter().flatten().map(|&len| len as usize).sum::<usize>();
        let mut bytes: Vec<u8> = Vec::with_capacity(12 * count);
        bytes.extend(columns().flat_map(|(rows, _)| rows).flat_map(|row| row.to_le_bytes()));
        bytes.extend(columns().flat_map(|(_, values)| values).flat_map(|value| value.to_le_bytes()));
        bytes.resize(12 * count, 0);
        ranks.broadcast(from, &mut bytes);
        let (rows, values) = bytes.split_at(4 * count);
        let mut rows = rows.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let mut values = values.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
        let shard = |lens: Vec<u32>| {
            let mut starts = vec![0; lens.len() + 1];
            lens.iter().enumerate().for_each(|(i, len)| starts[i + 1] = starts[i] + len);
            let count = starts[lens.len()] as usize;
            let (indices, values) = (rows.by_ref().take(count).collect(), values.by_ref().take(count).collect());
            Self { starts, lens, indices, values }
        };
        lens.into_iter().map(shard).collect()
    }

    #[inline]
    fn col(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i] as usize..(self.starts[i] + self.lens[i]) as usize;
        (&self.indices[range.clone()], &self.values[range])
    }

    /// Gives the entry in row `j` after the step.
    fn step(&mut self, i: usize, j: u32, gamma: f64, counts: &[AtomicU32]) -> f64 {
        let start = self.starts[i] as usize;
        let range = start..start + self.lens[i] as usize;
        if gamma >= 1.0 {
            self.indices[range].iter().for_each(|&n| _ = counts[n as usize].fetch_sub(1, Relaxed));
            self.lens[i] = 0;
            self.push(i, j, 1.0, counts);
            return 1.0;
        }
        self.values[range.clone()].iter_mut().for_each(|value| *value *= 1.0 - gamma);
        match place_of(j, &self.indices[range]) {
            Some(p) => {
                self.values[start + p] += gamma;
                self.values[start + p]
            }
            None => {
                self.push(i, j, gamma, counts);
                gamma
            }
        }
    }

    fn push(&mut self, i: usize, j: u32, value: f64, counts: &[AtomicU32]) {
        if self.starts[i] + self.lens[i] == self.starts[i + 1] {
            self.make_room();
        }
        let place = (self.starts[i] + self.lens[i]) as usize;
        (self.indices[place], self.values[place]) = (j, value);
        self.lens[i] += 1;
        counts[j as usize].fetch_add(1, Relaxed);
    }

    /// Lays the shard out again with [`ROOM`] places behind every column.
    fn make_room(&mut self) {
        let total = self.lens.iter().map(|&len| len as usize + ROOM).sum();
        let (mut indices, mut values) = (Vec::with_capacity(total), Vec::with_capacity(total));
        let mut starts = Vec::with_capacity(self.starts.len());
        for i in 0..self.lens.len() {
            starts.push(indices.len() as u32);
            let (rows, entries) = self.col(i);
            indices.extend_from_slice(rows);
            values.extend_from_slice(entries);
            indices.resize(indices.len() + ROOM, 0);
            values.resize(values.len() + ROOM, 0.0);
        }
        starts.push(indices.len() as u32);
        *self = Self { starts, lens: std::mem::take(&mut self.lens), indices, values };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_found_wherever_it_is() {
        for len in 0..40 {
            let rows: Vec<u32> = (0..len).map(|i| 3 * i + 1).collect();
            (0..len).for_each(|i| assert_eq!(place_of(3 * i + 1, &rows), Some(i as usize)));
            assert_eq!(place_of(0, &rows), None);
        }
    }

    /// Maxima that follow the steps are those found anew, with all columns moving and with some.
    #[test]
    fn row_maxima_follow_the_steps() {
        let cols = 250;
        let mut c = SparseColumns::zeros(cols);
        for t in 0..40u32 {
            let vertices: Vec<u32> = (0..cols as u32).map(|l| (l * l + t * 7 + l * t) % 31).collect();
            let some: Vec<bool> = (0..cols as u32).map(|l| t == 0 || (l + t) % 3 > 0).collect();
            c.step_towards(&vertices, 2.0 / (f64::from(t) + 2.0), (t % 4 == 3).then_some(&some[..]));
            let followed = c.row_inf_norms();
            c.measure_rows();
            assert_eq!(followed, c.row_inf_norms(), "step {t}");
        }
        let before = c.clone();
        c.sort_rows();
        for l in 0..cols {
            let ((rows, values), (old_rows, old_values)) = (c.col(l), before.col(l));
            assert!(rows.is_sorted());
            let place = |row: &u32| old_rows.iter().position(|old| old == row).unwrap();
            assert!(rows.iter().zip(values).all(|(row, value)| old_values[place(row)] == *value));
        }
    }
}
