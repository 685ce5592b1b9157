//! Reductions over columns: the one place where columns meet.
//!
//! The columns `0..N` are cut into shards of [`SHARD`] columns. Shards are worked on in parallel; their partial results
//! are combined **in shard order**, so a run gives the same bits for any number of threads. The cut depends on `N`
//! alone: when the columns live on several machines, each owns whole shards and the partial results are exchanged here
//! and nowhere else.
//!
//! ```
//! use merit_linalg::shards::Shards;
//! let columns = Shards::new(1000);
//! assert_eq!(columns.sum(|l| l as f64), 499_500.0);
//! assert_eq!(columns.argmax(|l| -(l as f64 - 7.0).abs()), Some((7, 0.0)));
//! ```

use rayon::prelude::*;
use std::ops::Range;

/// Columns of one shard.
pub const SHARD: usize = 96;

/// The columns `0..N`, cut into shards.
#[derive(Clone, Copy, Debug)]
pub struct Shards {
    cols: usize,
}

impl Shards {
    /// The shards of `cols` columns.
    pub fn new(cols: usize) -> Self {
        Self { cols }
    }

    /// The columns of shard `s`.
    pub fn range(&self, s: usize) -> Range<usize> {
        s * SHARD..((s + 1) * SHARD).min(self.cols)
    }

    /// Number of shards.
    pub fn count(&self) -> usize {
        self.cols.div_ceil(SHARD)
    }

    /// What `f` makes of each shard's columns, in shard order.
    pub fn map<T: Send>(&self, f: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
        (0..self.count()).into_par_iter().map(|s| f(self.range(s))).collect()
    }

    /// Runs `f` on every column, in parallel and in no order.
    pub fn for_each(&self, f: impl Fn(usize) + Sync) {
        (0..self.count()).into_par_iter().for_each(|s| self.range(s).for_each(&f));
    }

    /// Sum over the columns.
    pub fn sum(&self, f: impl Fn(usize) -> f64 + Sync) -> f64 {
        self.map(|range| range.map(&f).sum::<f64>()).into_iter().sum()
    }

    /// Fills one value a column, shard by shard; gives what `f` returns for each shard. `f` may use scratch space that
    /// `scratch` makes once per worker.
    pub fn fill<T: Send, S, R: Send>(
        &self,
        out: &mut [T],
        scratch: impl Fn() -> S + Sync + Send,
        f: impl Fn(Range<usize>, &mut [T], &mut S) -> R + Sync,
    ) -> Vec<R> {
        assert_eq!(out.len(), self.cols);
        let shards = out.par_chunks_mut(SHARD).enumerate();
        shards.map_init(scratch, |scratch, (s, out)| f(self.range(s), out, scratch)).collect()
    }

    /// Replaces one value a column by `f(column, value)`.
    pub fn update<T: Copy + Send>(&self, values: &mut [T], f: impl Fn(usize, T) -> T + Sync) {
        assert_eq!(values.len(), self.cols);
        values.par_chunks_mut(SHARD).enumerate().for_each(|(s, values)| {
            values.iter_mut().zip(self.range(s)).for_each(|(value, l)| *value = f(l, *value));
        });
    }

    /// Sum of vectors over the columns: `f(l, total)` adds what column `l` has to give.
    pub fn sum_vectors(&self, len: usize, f: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
        sum_of_parts(self.count(), len, |s, sum| self.range(s).for_each(|l| f(l, sum)))
    }

    /// Largest value over the columns, at least `floor`.
    pub fn max(&self, floor: f64, f: impl Fn(usize) -> f64 + Sync) -> f64 {
        self.map(|range| range.map(&f).fold(floor, f64::max)).into_iter().fold(floor, f64::max)
    }

    /// The column with the largest value (the first of several) and that value; `None` without columns.
    pub fn argmax(&self, f: impl Fn(usize) -> f64 + Sync) -> Option<(usize, f64)> {
        let larger = |a: (usize, f64), b: (usize, f64)| if b.1 > a.1 { b } else { a };
        self.map(|range| range.map(|l| (l, f(l))).reduce(larger)).into_iter().flatten().reduce(larger)
    }
}

/// Sum of `count` vectors, made side by side and added in their order: `f(i, part)` writes part `i`, which holds zeros.
pub(crate) fn sum_of_parts(count: usize, len: usize, f: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
    let mut total = vec![0.0; len];
    // A few at a time, so that the parts stay small (64 of them, or 32 MB); they are added one by one in their order, so
    // how many come at a time changes nothing.
    let batch = (4_000_000 / len.max(1)).clamp(2, 64);
    for first in (0..count).step_by(batch) {
        let made = |i: usize| {
            let mut part = vec![0.0; len];
            f(i, &mut part);
            part
        };
        let parts: Vec<Vec<f64>> = (first..count.min(first + batch)).into_par_iter().map(made).collect();
        for part in parts {
            total.iter_mut().zip(part).for_each(|(t, v)| *t += v);
        }
    }
    total
}
