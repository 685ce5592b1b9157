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

/// Coordinates of a block: what of a tile fits into the first cache of a core, and into the second. Between them as many as
/// give points [`WORTH`] entries in the mean.
const BLOCKS: Range<usize> = 256..4096;
const WORTH: usize = 32;

/// Stands for the place of a row that no point has.
const NOWHERE: u32 = u32::MAX;

/// The columns of a sparse matrix as `f32`, block after block: about `8 nnz` bytes.
#[derive(Debug)]
pub struct SparsePoints {
    rows: usize,
    count: usize,
    /// The place in a tile of every row that some point has, [`NOWHERE`] for the others; how many have one.
    places: Vec<u32>,
    used: usize,
    /// Where the visits of each block end.
    blocks: Vec<usize>,
    visits: Vec<Visit>,
    /// The place of each is below `used`, which the kernels rely on.
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
        let mut places = vec![NOWHERE; rows];
        order.iter().enumerate().for_each(|(place, &row)| places[row as usize] = place as u32);

        // Every column in the order of the tile.
        let mut sorted: Vec<Entry> = indices
            .iter()
            .zip(values)
            .map(|(&row, &value)| Entry { place: places[row as usize], value: (value * scale) as f32 })
            .collect();
        (0..count).for_each(|n| sorted[starts[n]..starts[n + 1]].sort_unstable_by_key(|entry| entry.place));

        let (blocks, visits, entries) = (Vec::new(), Vec::new(), Vec::with_capacity(indices.len()));
        let mut points = Self { rows, count, places, used: order.len(), blocks, visits, entries };
        let (mut next, mut end) = (starts[..count].to_vec(), 0);
        while end < order.len() {
            let begin = end;
            let mut within = 0;
            while end < order.len()
                && (end - begin < BLOCKS.start || end - begin < BLOCKS.end && within < WORTH * count)
            {
                within += entries_of_row[order[end] as usize];
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

    /// Writes `values` times `scale`, a number for each row, as query `q` of a tile that holds zeros there.
    pub fn write_query(&self, q: usize, values: &[f64], scale: f64, tile: &mut [f32]) {
        assert!(q < WIDTH && values.len() == self.rows && tile.len() == self.tile_size());
        for (&value, &place) in values.iter().zip(&self.places) {
            if value != 0.0 && place != NOWHERE {
                tile[place as usize * WIDTH + q] = (value * scale) as f32;
            }
        }
    }

    /// Numbers of a tile.
    pub fn tile_size(&self) -> usize {
        points::size(self.used, WIDTH)
    }

    /// Number of points.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Coordinates of a point.
    pub fn rows(&self) -> usize {
        self.rows
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
