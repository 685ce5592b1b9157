//! Reductions over columns: the one place where columns meet.
//!
//! The columns `0..N` are cut into shards of [`SHARD`] columns. Shards are worked on in parallel; their partial results
//! are combined **in shard order**, so a run gives the same bits for any number of threads. The cut depends on `N`
//! alone. Where several processes share the columns ([`Shards::shared`]), each owns whole shards: loops run over its own, and
//! reductions exchange partial results, here and nowhere else.
//!
//! ```
//! use merit_linalg::shards::Shards;
//! let columns = Shards::new(1000);
//! assert_eq!(columns.sum(|l| l as f64), 499_500.0);
//! assert_eq!(columns.argmax(|l| -(l as f64 - 7.0).abs()), Some((7, 0.0)));
//! ```

use crate::ranks::{Alone, Ranks};
use rayon::prelude::*;
use std::ops::Range;

/// Columns of one shard.
pub const SHARD: usize = 96;

/// The columns `0..N`, cut into shards: those of this process.
#[derive(Clone, Copy, Debug)]
pub struct Shards {
    cols: usize,
    /// The shards of this process.
    first: usize,
    end: usize,
    ranks: &'static dyn Ranks,
}

impl Shards {
    /// The shards of `cols` columns, all of them here.
    pub fn new(cols: usize) -> Self {
        Self { cols, first: 0, end: cols.div_ceil(SHARD), ranks: &Alone }
    }

    /// The same where each of several processes has about as many of them.
    pub fn shared(cols: usize, ranks: &'static dyn Ranks) -> Self {
        let Range { start: first, end } = Self { ranks, ..Self::new(cols) }.of_rank(ranks.rank());
        Self { cols, first, end, ranks }
    }

    /// The shards that a rank has.
    pub fn of_rank(&self, rank: usize) -> Range<usize> {
        let count = self.count() as u128;
        let until = |rank: usize| (count * rank as u128 / self.ranks.count() as u128) as usize;
        until(rank)..until(rank + 1)
    }

    /// The columns that a rank has.
    pub fn columns_of(&self, rank: usize) -> Range<usize> {
        let Range { start, end } = self.of_rank(rank);
        (start * SHARD).min(self.cols)..(end * SHARD).min(self.cols)
    }

    /// The columns of shard `s`.
    pub fn range(&self, s: usize) -> Range<usize> {
        s * SHARD..((s + 1) * SHARD).min(self.cols)
    }

    /// Number of shards, of all processes.
    pub fn count(&self) -> usize {
        self.cols.div_ceil(SHARD)
    }

    /// `N`: the columns of all processes.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The shards here.
    pub fn here(&self) -> Range<usize> {
        self.first..self.end
    }

    /// The columns here.
    pub fn columns(&self) -> Range<usize> {
        (self.first * SHARD).min(self.cols)..(self.end * SHARD).min(self.cols)
    }

    /// The processes that share the columns.
    pub fn ranks(&self) -> &'static dyn Ranks {
        self.ranks
    }

    /// Whether all columns are here.
    pub fn are_all(&self) -> bool {
        self.ranks.count() == 1
    }

    /// What `f` makes of the columns of each shard that is here, in shard order.
    pub fn map<T: Send>(&self, f: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
        self.here().into_par_iter().map(|s| f(self.range(s))).collect()
    }

    /// Runs `f` on every column that is here, in parallel and in no order.
    pub fn for_each(&self, f: impl Fn(usize) + Sync) {
        self.here().into_par_iter().for_each(|s| self.range(s).for_each(&f));
    }

    /// Sum over the columns of all processes.
    pub fn sum(&self, f: impl Fn(usize) -> f64 + Sync) -> f64 {
        let sums = self.map(|range| range.map(&f).sum::<f64>());
        self.everywhere(self.count(), self.first, sums).into_iter().sum()
    }

    /// `count` numbers, of which `mine`, from the number `first` on, are of this process.
    fn everywhere(&self, count: usize, first: usize, mine: Vec<f64>) -> Vec<f64> {
        if self.are_all() {
            return mine;
        }
        let mut bits = vec![0; count];
        bits[first..][..mine.len()].iter_mut().zip(mine).for_each(|(bits, value)| *bits = value.to_bits());
        self.ranks.sum(&mut bits);
        bits.into_iter().map(f64::from_bits).collect()
    }

    /// Fills one value for each column that is here, shard by shard; gives what `f` returns for each shard. `f` may use scratch
    /// space that `scratch` makes once per worker.
    pub fn fill<T: Send, S, R: Send>(
        &self,
        out: &mut [T],
        scratch: impl Fn() -> S + Sync + Send,
        f: impl Fn(Range<usize>, &mut [T], &mut S) -> R + Sync,
    ) -> Vec<R> {
        assert_eq!(out.len(), self.columns().len());
        let shards = out.par_chunks_mut(SHARD).enumerate();
        shards.map_init(scratch, |scratch, (s, out)| f(self.range(self.first + s), out, scratch)).collect()
    }

    /// Replaces one value for each column that is here by `f(column, value)`.
    pub fn update<T: Copy + Send>(&self, values: &mut [T], f: impl Fn(usize, T) -> T + Sync) {
        assert_eq!(values.len(), self.columns().len());
        values.par_chunks_mut(SHARD).enumerate().for_each(|(s, values)| {
            values.iter_mut().zip(self.range(self.first + s)).for_each(|(value, l)| *value = f(l, *value));
        });
    }

    /// Sum of vectors over the columns of all processes: `f(l, total)` adds what column `l` has to give. Several processes take
    /// turns, each of which goes on with the sum of those before it.
    pub fn sum_vectors(&self, len: usize, f: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
        let (mut total, ranks) = (vec![0.0; len], self.ranks);
        for rank in 0..ranks.count() {
            if rank == ranks.rank() {
                add_parts(&mut total, self.here(), |s, sum| self.range(s).for_each(|l| f(l, sum)));
            }
            ranks.broadcast_values(rank, &mut total);
        }
        total
    }

    /// One number for each column of all processes, of which `mine` are those of the columns here.
    pub fn all_values(&self, mine: Vec<f64>) -> Vec<f64> {
        assert_eq!(mine.len(), self.columns().len());
        self.everywhere(self.cols, self.columns().start, mine)
    }

    /// One number for each shard of all processes, of which `mine` are those of the shards here.
    pub fn all_shard_values(&self, mine: Vec<f64>) -> Vec<f64> {
        assert_eq!(mine.len(), self.here().len());
        self.everywhere(self.count(), self.first, mine)
    }

    /// `f(l)` of one column, by the process that has it.
    pub fn value_of(&self, l: usize, f: impl Fn(usize) -> f64) -> f64 {
        let mut bits = [if self.columns().contains(&l) { f(l).to_bits() } else { 0 }];
        self.ranks.sum(&mut bits);
        f64::from_bits(bits[0])
    }

    /// The columns of all processes of which `f` says so, in order.
    pub fn find(&self, f: impl Fn(usize) -> bool + Sync) -> Vec<usize> {
        let here = self.map(|range| range.filter(|&l| f(l)).collect::<Vec<_>>()).concat();
        if self.are_all() {
            return here;
        }
        let mut counts = vec![0; self.ranks.count()];
        counts[self.ranks.rank()] = here.len() as u64;
        self.ranks.sum(&mut counts);
        let before: u64 = counts[..self.ranks.rank()].iter().sum();
        let mut all = vec![0; counts.iter().sum::<u64>() as usize];
        all[before as usize..].iter_mut().zip(here).for_each(|(place, l)| *place = l as u64);
        self.ranks.sum(&mut all);
        all.into_iter().map(|l| l as usize).collect()
    }

    /// Largest value over the columns of all processes, at least `floor`.
    pub fn max(&self, floor: f64, f: impl Fn(usize) -> f64 + Sync) -> f64 {
        let here = self.map(|range| range.map(&f).fold(floor, f64::max)).into_iter().fold(floor, f64::max);
        let ranks = self.ranks;
        self.everywhere(ranks.count(), ranks.rank(), vec![here]).into_iter().fold(floor, f64::max)
    }

    /// The column with the largest value (the first of several) and that value, of all processes; `None` without columns.
    pub fn argmax(&self, f: impl Fn(usize) -> f64 + Sync) -> Option<(usize, f64)> {
        let larger = |a: (usize, f64), b: (usize, f64)| if b.1 > a.1 { b } else { a };
        let here = self.map(|range| range.map(|l| (l, f(l))).reduce(larger)).into_iter().flatten().reduce(larger);
        if self.are_all() {
            return here;
        }
        let (rank, mut all) = (self.ranks.rank(), vec![0; 3 * self.ranks.count()]);
        if let Some((l, value)) = here {
            all[3 * rank..][..3].copy_from_slice(&[1, l as u64, value.to_bits()]);
        }
        self.ranks.sum(&mut all);
        let found = all.as_chunks::<3>().0.iter().filter(|[there, ..]| *there > 0);
        found.map(|&[_, l, bits]| (l as usize, f64::from_bits(bits))).reduce(larger)
    }
}

/// Shards whose columns are sent at a time: a message each would take longer than what is in it.
const BATCH: usize = 64;

/// These shards, some at a time, as they are sent from one process to others.
pub fn batches(shards: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    shards.clone().step_by(BATCH).map(move |first| first..(first + BATCH).min(shards.end))
}

/// Sum of `count` vectors, made side by side and added in their order: `f(i, part)` writes part `i`, which holds zeros.
pub(crate) fn sum_of_parts(count: usize, len: usize, f: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
    let mut total = vec![0.0; len];
    add_parts(&mut total, 0..count, f);
    total
}

/// Adds these parts to a sum, in their order.
pub(crate) fn add_parts(total: &mut [f64], parts: Range<usize>, f: impl Fn(usize, &mut [f64]) + Sync) {
    // A few at a time, so that the parts stay small (64 of them, or 32 MB); they are added one by one in their order, so
    // how many come at a time changes nothing.
    let len = total.len();
    let batch = (4_000_000 / len.max(1)).clamp(2, 64);
    for first in parts.clone().step_by(batch) {
        let made = |i: usize| {
            let mut part = vec![0.0; len];
            f(i, &mut part);
            part
        };
        let parts: Vec<Vec<f64>> = (first..parts.end.min(first + batch)).into_par_iter().map(made).collect();
        for part in parts {
            total.iter_mut().zip(part).for_each(|(t, v)| *t += v);
        }
    }
}
