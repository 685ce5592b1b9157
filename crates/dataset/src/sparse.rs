//! Sparse matrices from triplets or compressed columns, in `28 nnz` bytes.

use crate::{ReadError, Samples, input::Input, limits::most_lines};
use merit_linalg::SparseMatrix;

/// Entries `(row, column, value)` in any order, as three vectors.
pub(crate) struct Triplets {
    pub rows: Vec<u32>,
    pub cols: Vec<u32>,
    pub values: Vec<f64>,
}

/// Fails when there is no room for the matrix and, beside it, its entries as triplets or its transpose, and when nearly all
/// of its rows or columns would be empty: a claim of a few bytes must not take gigabytes.
pub(crate) fn room_for_sparse(input: &Input, rows: usize, cols: usize, nnz: u128) -> Result<(), ReadError> {
    input.room_for(nnz.saturating_mul(28).saturating_add((rows.max(cols) as u128 + 1) * 16))?;
    let most = most_lines(nnz);
    if rows.max(cols) as u128 <= most {
        return Ok(());
    }
    let (at, entries, most) = (input.at.clone(), nnz as u64, most as u64); // both below the rows or columns
    Err(ReadError::Implausible { at, rows, cols, entries, most })
}

impl Triplets {
    pub fn with_capacity(count: usize) -> Self {
        Self { rows: Vec::with_capacity(count), cols: Vec::with_capacity(count), values: Vec::with_capacity(count) }
    }

    pub fn push(&mut self, row: u32, col: u32, value: f64) {
        self.rows.push(row);
        self.cols.push(col);
        self.values.push(value);
    }

    /// The matrix of a `rows x cols` file, transposed when its rows are the samples. Values at the same place are added.
    pub fn assemble(self, input: &Input, rows: usize, cols: usize) -> Result<SparseMatrix, ReadError> {
        check_indices(input, &self.rows, rows)?;
        check_indices(input, &self.cols, cols)?;
        if self.rows.len() != self.values.len() || self.cols.len() != self.values.len() {
            let (m, l, values) = (self.rows.len(), self.cols.len(), self.values.len());
            return Err(input.malformed(format!("{m} row indices and {l} column indices for {values} values")));
        }
        let (rows, cols, major, minor) = match input.samples {
            Samples::Columns => (rows, cols, self.cols, self.rows),
            Samples::Rows => (cols, rows, self.rows, self.cols),
        };
        let mut starts = vec![0usize; cols + 1];
        major.iter().for_each(|&l| starts[l as usize + 1] += 1);
        for l in 0..cols {
            starts[l + 1] += starts[l];
        }
        let mut next = starts.clone();
        let (mut indices, mut values) = (vec![0; minor.len()], vec![0.0; minor.len()]);
        for ((&l, m), value) in major.iter().zip(minor).zip(self.values) {
            let place = &mut next[l as usize];
            (indices[*place], values[*place]) = (m, value);
            *place += 1;
        }
        compressed(input, rows, starts, indices, values)
    }
}

/// The matrix of compressed columns whose rows come in any order. Values at the same place are added.
pub(crate) fn compressed(
    input: &Input,
    rows: usize,
    mut starts: Vec<usize>,
    mut indices: Vec<u32>,
    mut values: Vec<f64>,
) -> Result<SparseMatrix, ReadError> {
    check_starts(input, &starts, indices.len())?;
    check_indices(input, &indices, rows)?;
    if indices.len() != values.len() {
        return Err(input.malformed(format!("{} indices for {} values", indices.len(), values.len())));
    }
    let mut column: Vec<(u32, f64)> = Vec::new();
    let (mut kept, mut start) = (0, 0);
    for end in &mut starts[1..] {
        if kept < start || indices[start..*end].windows(2).any(|pair| pair[0] >= pair[1]) {
            column.clear();
            column.extend(indices[start..*end].iter().copied().zip(values[start..*end].iter().copied()));
            column.sort_by_key(|&(m, _)| m); // stable: equal places are added in the order of the file
            column.dedup_by(|next, first| {
                first.0 == next.0 && {
                    first.1 += next.1;
                    true
                }
            });
            for &(m, value) in &column {
                (indices[kept], values[kept]) = (m, value);
                kept += 1;
            }
        } else {
            kept += *end - start;
        }
        start = *end;
        *end = kept;
    }
    indices.truncate(kept);
    values.truncate(kept);
    SparseMatrix::from_compressed(rows, starts, indices, values).map_err(|error| input.malformed(error.to_string()))
}

/// Fails unless `starts` rises from 0 to `nnz`.
fn check_starts(input: &Input, starts: &[usize], nnz: usize) -> Result<(), ReadError> {
    let (first, last) = (starts.first().copied().unwrap_or(0), starts.last().copied().unwrap_or(0));
    if first != 0 || last != nnz {
        return Err(input.malformed(format!("its pointers run from {first} to {last}, but it holds {nnz} entries")));
    }
    match starts.windows(2).position(|pair| pair[0] > pair[1]) {
        Some(l) => Err(input.malformed(format!("pointer {} is smaller than pointer {l}", l + 1))),
        None => Ok(()),
    }
}

/// Fails unless every index is less than `count`.
fn check_indices(input: &Input, indices: &[u32], count: usize) -> Result<(), ReadError> {
    match indices.iter().find(|&&index| index as usize >= count) {
        Some(index) => Err(input.malformed(format!("an entry has index {index}, but there are only {count}, from 0"))),
        None => Ok(()),
    }
}

/// A number as the whole number it must be.
pub(crate) fn whole(value: f64) -> Option<u64> {
    (value as u64 as f64 == value).then_some(value as u64)
}

/// A number as an index.
pub(crate) fn index(value: f64) -> Option<u32> {
    (value as u32 as f64 == value).then_some(value as u32)
}
