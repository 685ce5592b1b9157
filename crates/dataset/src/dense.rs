//! Dense values from a stream into columns.
//!
//! A file lists its values in lines: rows in C order, columns in Fortran order. When a line is a column of the matrix it
//! is copied as it comes. When it is a row, a tile of a few lines that fits the cache is read and its columns are written
//! out, so that memory holds the matrix and one tile, never a second copy.

use crate::pieces::read_exact_at;
use crate::{ReadError, element::Element, input::Input};
use merit_linalg::DenseMatrix;
use merit_linalg::shards::Shards;
use rayon::prelude::*;
use std::io::{self, Read};

/// Values of a tile: 1 MiB as `f64`.
const TILE: usize = 1 << 17;
/// Values of a line that a thread reads at once, where it has some columns to itself.
const SEGMENT: usize = 4096;

/// A matrix this many times larger than its compressed bytes is unpacked once to see whether it is really there.
pub(crate) const PLAUSIBLE_RATIO: u128 = 32;

/// How the values are laid out in the file, and what its lines are in the matrix.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub element: Element,
    pub lines: usize,
    pub length: usize,
    /// Whether a line of the file is a row of the matrix; otherwise it is a column.
    pub lines_are_rows: bool,
}

impl Layout {
    /// Bytes of all values in the file.
    pub fn bytes(&self) -> u128 {
        self.lines as u128 * self.length as u128 * self.element.size() as u128
    }

    /// Bytes of the matrix.
    pub fn matrix_bytes(&self) -> u128 {
        self.lines as u128 * self.length as u128 * 8
    }

    /// The matrix, from a stream.
    pub fn read(&self, input: &Input, stream: &mut dyn Read) -> Result<DenseMatrix, ReadError> {
        let mut values = input.zeros(self.lines as u128 * self.length as u128)?;
        let filled = if self.is_copied() {
            self.copy(input, &mut values, stream)
        } else {
            self.transpose(input, &mut values, stream)
        };
        filled.map_err(|error| input.io(error))?;
        Ok(self.matrix(values))
    }

    /// Rows of the matrix.
    pub fn rows(&self) -> usize {
        if self.lines_are_rows { self.lines } else { self.length }
    }

    /// Columns of the matrix.
    pub fn cols(&self) -> usize {
        if self.lines_are_rows { self.length } else { self.lines }
    }

    /// The matrix, from a file whose values begin at byte `start`, by all threads: the columns that are to be here, and nothing else of
    /// the file.
    pub fn read_at(&self, input: &Input, start: u64, columns: Shards) -> Result<DenseMatrix, ReadError> {
        let mut values = input.zeros(self.rows() as u128 * columns.columns().len() as u128)?;
        self.fill(input, start, columns, &mut values)?;
        Ok(DenseMatrix::shared(self.rows(), columns, values))
    }

    /// The same into a place that is as large as these columns.
    pub fn fill(&self, input: &Input, start: u64, columns: Shards, values: &mut [f64]) -> Result<(), ReadError> {
        let here = columns.columns();
        if values.is_empty() {
            return Ok(());
        }
        let (element, size, file) = (self.element, self.element.size(), input.file());
        let fetch = |place: usize, bytes: &mut Vec<u8>, values: &mut [f64]| {
            let place = start + (place * size) as u64;
            if element.is_native() {
                read_exact_at(file, bytemuck::cast_slice_mut(values), place)?;
                return Ok(0);
            }
            bytes.resize(values.len() * size, 0);
            read_exact_at(file, bytes, place)?;
            element.decode(bytes, values);
            Ok(element.rounded(bytes))
        };
        let rounded: io::Result<u64> = if self.is_copied() {
            let pieces = values.par_chunks_mut(TILE).enumerate();
            let first = here.start * self.rows();
            pieces.map_init(Vec::new, |bytes, (piece, values)| fetch(first + piece * TILE, bytes, values)).sum()
        } else {
            // A thread has some columns to itself: of every line that cuts through them it reads a segment.
            let width = SEGMENT.min(here.len());
            let height = (TILE / width).clamp(1, self.lines);
            let blocks = values.par_chunks_mut(width * self.lines).enumerate();
            let room = || (Vec::new(), vec![0.0; height * width]);
            blocks
                .map_init(room, |(bytes, tile), (block, columns)| {
                    let (width, mut rounded) = (columns.len() / self.lines, 0);
                    for top in (0..self.lines).step_by(height) {
                        let tile = &mut tile[..height.min(self.lines - top) * width];
                        for (line, values) in (top..).zip(tile.chunks_exact_mut(width)) {
                            rounded += fetch(line * self.length + here.start + block * SEGMENT, bytes, values)?;
                        }
                        scatter(tile, width, columns, self.lines, top);
                    }
                    Ok(rounded)
                })
                .sum()
        };
        input.count_rounded(rounded.map_err(|error| input.io(error))?);
        Ok(())
    }

    fn matrix(&self, values: Vec<f64>) -> DenseMatrix {
        DenseMatrix::from_columns(self.rows(), values)
    }

    /// Whether the file has the values in the order of the matrix.
    pub fn is_copied(&self) -> bool {
        !self.lines_are_rows || self.lines == 1 || self.length == 1
    }

    fn copy(&self, input: &Input, values: &mut [f64], stream: &mut dyn Read) -> io::Result<()> {
        let size = self.element.size();
        let mut bytes = vec![0; TILE.min(values.len()) * size];
        for values in values.chunks_mut(TILE) {
            let bytes = &mut bytes[..values.len() * size];
            stream.read_exact(bytes)?;
            input.decode(self.element, bytes, values);
        }
        Ok(())
    }

    fn transpose(&self, input: &Input, values: &mut [f64], stream: &mut dyn Read) -> io::Result<()> {
        let (size, width) = (self.element.size(), self.length);
        // Of lines that are too long for the tile, still up to 8: a cache line of each column.
        let height = (TILE / width).max(self.lines.div_ceil(8).min(8)).min(self.lines);
        let mut bytes = vec![0; height * width * size];
        let mut tile = vec![0.0; height * width];
        for top in (0..self.lines).step_by(height) {
            let height = height.min(self.lines - top);
            let (bytes, tile) = (&mut bytes[..height * width * size], &mut tile[..height * width]);
            stream.read_exact(bytes)?;
            input.decode(self.element, bytes, tile);
            scatter(tile, width, values, self.lines, top);
        }
        Ok(())
    }
}

/// Writes a tile, given by lines of `width`, into as many columns of `rows` values, from row `top` on.
///
/// Eight columns at a time: one cache line of the tile, eight streams of the matrix.
pub(crate) fn scatter(tile: &[f64], width: usize, columns: &mut [f64], rows: usize, top: usize) {
    for left in (0..width).step_by(8) {
        let many = 8.min(width - left);
        for (line, values) in tile.chunks_exact(width).enumerate() {
            for (column, &value) in (left..).zip(&values[left..left + many]) {
                columns[column * rows + top + line] = value;
            }
        }
    }
}

/// `count` numbers from a stream, each turned into a `T`. Grows as they arrive, whatever `count` claims.
pub(crate) fn read_vector<T>(
    input: &Input,
    stream: &mut dyn Read,
    element: Element,
    count: usize,
    mut convert: impl FnMut(f64) -> Result<T, ReadError>,
) -> Result<Vec<T>, ReadError> {
    const PIECE: usize = 8192;
    let mut vector = Vec::new();
    let (mut bytes, mut values) = (vec![0; PIECE.min(count) * element.size()], vec![0.0; PIECE.min(count)]);
    while vector.len() < count {
        let piece = PIECE.min(count - vector.len());
        let (bytes, values) = (&mut bytes[..piece * element.size()], &mut values[..piece]);
        stream.read_exact(bytes).map_err(|error| input.io(error))?;
        input.decode(element, bytes, values);
        if vector.capacity() < vector.len() + piece {
            vector.reserve_exact(vector.len().max(piece).min(count - vector.len()));
        }
        for &mut value in values {
            vector.push(convert(value)?);
        }
    }
    Ok(vector)
}
