//! The iterate `C`: an `N x N` matrix of sparse columns, of which a step changes every column a little.
//!
//! A Frank-Wolfe step scales each column and raises one of its entries, so a column gains at most one nonzero a step.
//! Entries are a `u32` row and an `f64` value, 12 bytes, kept in the order in which they came. The columns of a
//! [shard](crate::shards) share one pair of vectors with a little room behind each column (`ROOM`); a shard whose
//! columns have grown out of it is laid out again. Nothing is allocated between those moments, and nothing is `N x N`.
//!
//! ```
//! use merit_linalg::SparseColumns;
//! let mut c = SparseColumns::zeros(4);
//! c.step_towards(&[1, 1, 2, 2], 1.0, |_| true);
//! c.step_towards(&[0, 1, 2, 1], 0.25, |_| true);
//! assert_eq!(c.col(0), (&[1, 0][..], &[0.75, 0.25][..]));
//! assert_eq!(c.row_inf_norms(), [0.25, 1.0, 1.0, 0.0]);
//! assert_eq!((c.nnz(), c.nonempty_rows()), (6, 3));
//! ```

use crate::shards::{SHARD, Shards};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Free places behind each column when its shard is laid out.
const ROOM: usize = 4;

/// A square sparse matrix made for Frank-Wolfe steps.
#[derive(Debug)]
pub struct SparseColumns {
    cols: usize,
    shards: Vec<ShardColumns>,
    /// Nonzeros in each row.
    row_counts: Vec<AtomicU32>,
}

/// The columns of one shard. Column `i` fills `starts[i]..starts[i] + lens[i]`; its room ends at `starts[i + 1]`.
#[derive(Clone, Debug)]
struct ShardColumns {
    starts: Vec<u32>,
    lens: Vec<u32>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl SparseColumns {
    /// `C = 0`.
    pub fn zeros(cols: usize) -> Self {
        let ranges = Shards::new(cols);
        let shards = (0..ranges.count())
            .map(|s| {
                let len = ranges.range(s).len();
                ShardColumns { starts: vec![0; len + 1], lens: vec![0; len], indices: Vec::new(), values: Vec::new() }
            })
            .collect();
        Self { cols, shards, row_counts: (0..cols).map(|_| AtomicU32::new(0)).collect() }
    }

    /// Column by column: `fill(l, entries)` pushes the `(row, value)` of column `l`; zeros are left out.
    pub fn from_columns(cols: usize, fill: impl Fn(usize, &mut Vec<(u32, f64)>) + Sync) -> Self {
        let mut matrix = Self::zeros(cols);
        let counts = &matrix.row_counts;
        matrix.shards.par_iter_mut().enumerate().for_each(|(s, shard)| {
            let mut entries = Vec::new();
            for i in 0..shard.lens.len() {
                entries.clear();
                fill(s * SHARD + i, &mut entries);
                entries.retain(|&(_, value)| value != 0.0);
                shard.lens[i] = entries.len() as u32;
                for &(n, value) in &entries {
                    shard.indices.push(n);
                    shard.values.push(value);
                    counts[n as usize].fetch_add(1, Relaxed);
                }
                shard.starts[i + 1] = shard.indices.len() as u32;
            }
        });
        matrix
    }

    /// Number of columns (and rows), `N`.
    #[inline]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Rows and values of column `l`, in the order in which they came.
    #[inline]
    pub fn col(&self, l: usize) -> (&[u32], &[f64]) {
        self.shards[l / SHARD].col(l % SHARD)
    }

    /// Number of nonzeros.
    pub fn nnz(&self) -> usize {
        self.shards.iter().flat_map(|shard| &shard.lens).map(|&len| len as usize).sum()
    }

    /// Number of nonzeros in row `n`.
    #[inline]
    pub fn row_count(&self, n: usize) -> u32 {
        self.row_counts[n].load(Relaxed)
    }

    /// Number of rows with a nonzero.
    pub fn nonempty_rows(&self) -> usize {
        self.row_counts.iter().filter(|count| count.load(Relaxed) > 0).count()
    }

    /// `||C(n,:)||_inf` for every row; entries are nonnegative.
    pub fn row_inf_norms(&self) -> Vec<f64> {
        let norms: Vec<AtomicU64> = (0..self.cols).map(|_| AtomicU64::new(0)).collect();
        self.row_maxima(&norms);
        norms.into_iter().map(|bits| f64::from_bits(bits.into_inner())).collect()
    }

    /// Raises `maxima[n]` (the bits of a nonnegative `f64`, which are ordered as the number is) to the largest entry of
    /// row `n`. A maximum does not depend on the order in which columns arrive.
    pub fn row_maxima(&self, maxima: &[AtomicU64]) {
        self.shards.par_iter().for_each(|shard| {
            for i in 0..shard.lens.len() {
                let (rows, values) = shard.col(i);
                for (&n, value) in rows.iter().zip(values) {
                    let (place, bits) = (&maxima[n as usize], value.to_bits());
                    if place.load(Relaxed) < bits {
                        place.fetch_max(bits, Relaxed);
                    }
                }
            }
        });
    }

    /// `c_l <- (1 - gamma) c_l + gamma e_j` with `j = vertices[l]`, for the columns that `moves`.
    pub fn step_towards(&mut self, vertices: &[u32], gamma: f64, moves: impl Fn(usize) -> bool + Sync) {
        assert_eq!(vertices.len(), self.cols);
        let counts = &self.row_counts;
        self.shards.par_iter_mut().enumerate().for_each(|(s, shard)| {
            for i in 0..shard.lens.len() {
                let l = s * SHARD + i;
                if moves(l) {
                    shard.step(i, vertices[l], gamma, counts);
                }
            }
        });
    }
}

impl ShardColumns {
    #[inline]
    fn col(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i] as usize..(self.starts[i] + self.lens[i]) as usize;
        (&self.indices[range.clone()], &self.values[range])
    }

    fn step(&mut self, i: usize, j: u32, gamma: f64, counts: &[AtomicU32]) {
        let start = self.starts[i] as usize;
        let range = start..start + self.lens[i] as usize;
        if gamma >= 1.0 {
            self.indices[range].iter().for_each(|&n| _ = counts[n as usize].fetch_sub(1, Relaxed));
            self.lens[i] = 0;
            return self.push(i, j, 1.0, counts);
        }
        self.values[range.clone()].iter_mut().for_each(|value| *value *= 1.0 - gamma);
        match self.indices[range].iter().position(|&n| n == j) {
            Some(p) => self.values[start + p] += gamma,
            None => self.push(i, j, gamma, counts),
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
