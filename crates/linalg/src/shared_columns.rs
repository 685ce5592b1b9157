//! Columns of a dense matrix that several processes share, where a process needs those of others.
//!
//! Every process makes the same calls in the same order, as for all [exchanges](crate::ranks). Nobody ever holds more than what is
//! asked for: columns come in pieces, each of which all processes get from the one that has it.

use crate::DenseMatrix;
use crate::shards::{SHARD, Shards};
use std::ops::Range;

/// Bytes of a piece at least (less is not worth a message and the packing) and at most.
const LEAST_PIECE: usize = 2 << 20;
const LARGEST_PIECE: usize = 32 << 20;

/// A piece is this part of what a process has, if that is between the two.
const PART: usize = 8;

impl DenseMatrix {
    /// The columns `which`, in that order, which every process then has.
    ///
    /// ```
    /// use merit_linalg::DenseMatrix;
    /// let x = DenseMatrix::from_columns(1, vec![1.0, 2.0, 3.0]);
    /// assert_eq!(x.select_everywhere(&[2, 0]).values(), [3.0, 1.0]);
    /// ```
    pub fn select_everywhere(&self, which: &[usize]) -> Self {
        let (columns, rows) = (self.shards(), self.rows());
        if columns.are_all() {
            return self.select(which);
        }
        // Of each column one process has the bits.
        let mut bits = vec![0; rows * which.len()];
        for (bits, &l) in bits.chunks_exact_mut(rows.max(1)).zip(which) {
            if columns.columns().contains(&l) {
                bits.iter_mut().zip(self.col(l)).for_each(|(bits, value)| *bits = value.to_bits());
            }
        }
        columns.ranks().sum(&mut bits);
        Self::from_parts(rows, which.len(), bits.into_iter().map(f64::from_bits).collect())
    }

    /// The columns of a range, which every process then has.
    pub fn gathered(&self, range: Range<usize>) -> Self {
        let values = gathered(self.shards(), self.rows(), self.values(), range.clone());
        Self::from_parts(self.rows(), range.len(), values)
    }

    /// All columns in pieces, in order: hands over the number of the first column of each, and the piece.
    pub fn for_each_piece(&self, mut visit: impl FnMut(usize, Self)) {
        pieces(self.shards(), self.rows()).for_each(|range| visit(range.start, self.gathered(range)));
    }

    /// The columns `which`, in that order, of which each process has its part.
    pub(crate) fn redistributed(&self, which: &[usize]) -> Self {
        let (rows, columns) = (self.rows(), Shards::shared(which.len(), self.shards().ranks()));
        let wanted = &which[columns.columns()];
        let mut values = vec![0.0; rows * wanted.len()];
        self.for_each_piece(|first, piece| {
            for (to, &l) in values.chunks_exact_mut(rows.max(1)).zip(wanted) {
                if (first..first + piece.cols()).contains(&l) {
                    to.copy_from_slice(piece.col(l - first));
                }
            }
        });
        Self::shared(rows, columns, values)
    }
}

/// The values of a range of columns, `rows` each, which every process then has; `here` are those of the columns that are here.
pub fn gathered(columns: Shards, rows: usize, here: &[f64], range: Range<usize>) -> Vec<f64> {
    let mut values = vec![0.0; rows * range.len()];
    for rank in 0..columns.ranks().count() {
        let there = columns.columns_of(rank);
        let common = there.start.max(range.start)..there.end.min(range.end);
        if common.is_empty() {
            continue;
        }
        let part = &mut values[(common.start - range.start) * rows..][..common.len() * rows];
        if columns.columns().contains(&common.start) {
            part.copy_from_slice(&here[(common.start - columns.columns().start) * rows..][..part.len()]);
        }
        columns.ranks().broadcast_values(rank, part);
    }
    values
}

/// Columns of a piece, where so many processes share a matrix of this size.
pub fn piece_columns(rows: usize, cols: usize, ranks: usize) -> usize {
    let bytes_of_shard = (8 * rows * SHARD).max(1);
    let (least, most) = ((LEAST_PIECE / bytes_of_shard).max(1), (LARGEST_PIECE / bytes_of_shard).max(1));
    let share = cols.div_ceil(SHARD).div_ceil(ranks);
    (share / PART).clamp(least, most).min(share.max(1)) * SHARD
}

/// The columns of every process in turn, some at a time.
fn pieces(columns: Shards, rows: usize) -> impl Iterator<Item = Range<usize>> {
    let step = piece_columns(rows, columns.cols(), columns.ranks().count()) / SHARD;
    (0..columns.ranks().count()).flat_map(move |rank| {
        let shards = columns.of_rank(rank);
        shards
            .clone()
            .step_by(step)
            .map(move |first| columns.range(first).start..columns.range((first + step).min(shards.end) - 1).end)
    })
}
