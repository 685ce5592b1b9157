//! Sparse points: the products of every point with [`WIDTH`] dense queries at a time.
//!
//! A tile holds the queries side by side, coordinate after coordinate, so that an entry of a point costs one broadcast and a
//! multiply-add for each vector of queries. Coordinates are cut into blocks, so that what the points meet of a tile stays in a
//! core's cache. Those that most points have come first: few of them make up most of a text. Within a block points with as
//! many entries follow each other, which makes the loop over them foreseeable.

use super::points;
use crate::SparseMatrix;
use std::ops::Range;

/// Queries of one tile.
pub const WIDTH: usize = 32;

/// A number for each query of a tile, in lines of a cache of their own.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Wide(pub [f32; WIDTH]);

impl Wide {
    /// Zeros.
    pub const ZERO: Self = Self([0.0; WIDTH]);
}

/// Coordinates of a block: what of a tile fits into the first cache of a core, and into the second. Between them as many as
/// give points [`WORTH`] entries in the mean.
const BLOCKS: Range<usize> = 256..4096;
const WORTH: usize = 32;

/// The columns of a sparse matrix as `f32`, block after block: about `8 nnz` bytes.
#[derive(Debug)]
pub struct SparsePoints {
    rows: usize,
    count: usize,
    /// The rows that some point has, in the order of a tile.
    order: Vec<u32>,
    /// The place of each row in that order; of no meaning for rows that no point has.
    places: Vec<u32>,
    /// Where the visits of each block end.
    blocks: Vec<usize>,
    visits: Vec<Visit>,
    /// The place of each lies within a tile, which the kernels rely on.
    entries: Vec<Entry>,
}

/// The entries of one point in one block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    pub(super) point: u32,
    count: u32,
    first: usize,
}

/// A coordinate that is not zero: its place in a tile, and its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) place: u32,
    pub(super) value: f32,
}

impl SparsePoints {
    /// The columns of `x` times `scale`.
    pub fn pack(x: &SparseMatrix, scale: f64) -> Self {
        let (rows, count) = (x.rows(), x.cols());
        let (starts, indices, values) = x.compressed();
        let mut entries_of_row = vec![0_usize; rows];
        indices.iter().for_each(|&row| entries_of_row[row as usize] += 1);
        let mut order: Vec<u32> = (0..rows as u32).filter(|&row| entries_of_row[row as usize] > 0).collect();
        order.sort_by_key(|&row| std::cmp::Reverse(entries_of_row[row as usize])); // stable
        let mut places = vec![0; rows];
        order.iter().enumerate().for_each(|(place, &row)| places[row as usize] = place as u32);

        // Every column in the order of the tile.
        let mut sorted: Vec<Entry> = indices
            .iter()
            .zip(values)
            .map(|(&row, &value)| Entry { place: places[row as usize], value: (value * scale) as f32 })
            .collect();
        (0..count).for_each(|n| sorted[starts[n]..starts[n + 1]].sort_unstable_by_key(|entry| entry.place));

        let (blocks, visits, entries) = (Vec::new(), Vec::new(), Vec::with_capacity(indices.len()));
        let mut points = Self { rows, count, order, places, blocks, visits, entries };
        let (mut next, mut end) = (starts[..count].to_vec(), 0);
        while end < points.order.len() {
            let begin = end;
            let mut within = 0;
            while end < points.order.len()
                && (end - begin < BLOCKS.start || end - begin < BLOCKS.end && within < WORTH * count)
            {
                within += entries_of_row[points.order[end] as usize];
                end += 1;
            }
            let mut found: Vec<(usize, Range<usize>)> = Vec::new();
            for (n, (next, &last)) in next.iter_mut().zip(&starts[1..]).enumerate() {
                let within = sorted[*next..last].partition_point(|entry| (entry.place as usize) < end);
                found.push((n, *next..*next + within));
                *next += within;
            }
            found.retain(|(_, range)| !range.is_empty());
            found.sort_by_key(|(_, range)| range.len().div_ceil(2)); // stable
            for (n, range) in found {
                let first = points.entries.len();
                points.entries.extend_from_slice(&sorted[range.clone()]);
                if range.len() % 2 == 1 {
                    points.entries.push(Entry { value: 0.0, ..sorted[range.start] }); // entries are taken in pairs
                }
                let count = (points.entries.len() - first) as u32;
                points.visits.push(Visit { point: n as u32, count, first });
            }
            points.blocks.push(points.visits.len());
        }
        points
    }

    /// Room for a tile.
    pub fn tile(&self) -> Vec<Wide> {
        vec![Wide::ZERO; self.order.len()]
    }

    /// Lays at most [`WIDTH`] queries, each of as many numbers as points have rows and one after the other, side by side; zeros
    /// behind the last.
    pub fn fill_tile(&self, queries: &[f32], tile: &mut [Wide]) {
        assert!(queries.len() <= points::size(self.rows, WIDTH), "more queries than a tile holds");
        if queries.len() < self.rows * WIDTH {
            tile.fill(Wide::ZERO);
        }
        // Some coordinates of all queries at a time, so that what is written stays in the cache until it is full.
        const PIECE: usize = 64;
        for (order, tile) in self.order.chunks(PIECE).zip(tile.chunks_mut(PIECE)) {
            for (q, query) in queries.chunks_exact(self.rows).enumerate() {
                for (values, &row) in tile.iter_mut().zip(order) {
                    values.0[q] = query[row as usize];
                }
            }
        }
    }

    /// Sets one coordinate of query `q` in a tile that [`fill_tile`](Self::fill_tile) or zeros have filled; for a row that some
    /// point has.
    #[inline]
    pub fn put(&self, tile: &mut [Wide], q: usize, row: u32, value: f32) {
        tile[self.places[row as usize] as usize].0[q] = value;
    }

    /// Number of points.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Coordinates of a point that are not zero for all.
    #[inline]
    pub(super) fn used(&self) -> usize {
        self.order.len()
    }

    /// For each point how many roundings any of its products goes through, at most: that of `x`, of the query, those of the
    /// multiply-adds of every other entry of its block, and two additions for each block.
    pub fn roundings(&self) -> Vec<u32> {
        let (mut longest, mut additions) = (vec![0; self.count], vec![2; self.count]);
        for visit in &self.visits {
            let longest = &mut longest[visit.point as usize];
            *longest = visit.count.div_ceil(2).max(*longest);
            additions[visit.point as usize] += 2;
        }
        longest.into_iter().zip(additions).map(|(longest, additions)| longest + additions).collect()
    }

    /// The visits of each block, and their entries in pairs.
    #[inline]
    pub(super) fn visits(&self, block: usize) -> impl Iterator<Item = (usize, &[[Entry; 2]])> {
        let first = if block == 0 { 0 } else { self.blocks[block - 1] };
        self.visits[first..self.blocks[block]].iter().map(|visit| {
            let entries = &self.entries[visit.first..][..visit.count as usize];
            (visit.point as usize, entries.as_chunks().0)
        })
    }

    /// Number of blocks.
    #[inline]
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }
}
