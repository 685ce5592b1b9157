//! Dense values from a stream into columns.
//!
//! A file lists its values in lines: rows in C order, columns in Fortran order. When a line is a column of the matrix it
//! is copied as it comes. When it is a row, a tile of a few lines that fits the cache is read and its columns are written
//! out, so that memory holds the matrix and one tile, never a second copy. The same holds for a matrix in single precision.

use crate::pieces::read_exact_at;
use crate::{ReadError, element::Element, element::Kind, input::Input};
use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, DenseMatrix, SingleMatrix};
use rayon::prelude::*;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

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

/// What a matrix holds: numbers of double or of single precision.
trait Held: bytemuck::Pod + Default + PartialEq + Send + Sync {
    const KIND: Kind;
    /// Whether there is such a number for this one, or nearly.
    fn fits(value: f64) -> bool;
    fn of(value: f64) -> Self;
    fn is_finite(self) -> bool;
}

impl Held for f64 {
    const KIND: Kind = Kind::F64;

    fn fits(_: f64) -> bool {
        true
    }

    fn of(value: f64) -> Self {
        value
    }

    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

impl Held for f32 {
    const KIND: Kind = Kind::F32;

    /// Of what is too small it may still be that the rest of its column is not: whoever looks at whole columns decides.
    fn fits(value: f64) -> bool {
        let held = value as f32;
        held.is_normal() || f64::from(held) == value || value.is_nan()
    }

    fn of(value: f64) -> Self {
        value as f32
    }

    fn is_finite(self) -> bool {
        self.is_finite()
    }
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
    /// the file. Only a whole matrix is held in single precision.
    pub fn read_at(&self, input: &Input, start: u64, columns: Shards) -> Result<DataMatrix, ReadError> {
        let count = self.rows() as u128 * columns.columns().len() as u128;
        if input.single_precision && columns.are_all() {
            let mut values: Vec<f32> = input.zeros(count)?;
            if let Some(rounded) = self.fetch(input, start, columns, &mut values)? {
                input.count_rounded(rounded);
                let matrix = SingleMatrix::from_column_values(self.rows(), self.cols(), values);
                return Ok(matrix.expect("as many values as lines and their length say").into());
            }
        }
        let mut values = input.zeros(count)?;
        self.fill(input, start, columns, &mut values)?;
        Ok(DenseMatrix::shared(self.rows(), columns, values).into())
    }

    /// The same into a place that is as large as these columns.
    pub fn fill(&self, input: &Input, start: u64, columns: Shards, values: &mut [f64]) -> Result<(), ReadError> {
        let rounded = self.fetch(input, start, columns, values)?;
        input.count_rounded(rounded.expect("a number of the file is one of double precision"));
        Ok(())
    }

    /// The same for either precision; gives how many numbers were rounded to double precision, or nothing where one of them cannot be a `T`.
    fn fetch<T: Held>(
        &self,
        input: &Input,
        start: u64,
        columns: Shards,
        values: &mut [T],
    ) -> Result<Option<u64>, ReadError> {
        let here = columns.columns();
        if values.is_empty() {
            return Ok(Some(0));
        }
        let (element, size, file, unfit) = (self.element, self.element.size(), input.file(), AtomicBool::new(false));
        let (bad, nonzero) = (AtomicBool::new(false), AtomicBool::new(false));
        let look = |values: &[T]| {
            if !values.iter().fold(true, |finite, value| finite & value.is_finite()) {
                bad.store(true, Ordering::Relaxed);
            }
            if !nonzero.load(Ordering::Relaxed) && values.iter().any(|&value| value != T::of(0.0)) {
                nonzero.store(true, Ordering::Relaxed);
            }
        };
        let fetch = |place: usize, (bytes, decoded): &mut (Vec<u8>, Vec<f64>), values: &mut [T]| {
            let place = start + (place * size) as u64;
            if element.is_native(T::KIND) {
                read_exact_at(file, bytemuck::cast_slice_mut(values), place)?;
                look(values);
                return Ok(0);
            }
            bytes.resize(values.len() * size, 0);
            read_exact_at(file, bytes, place)?;
            decoded.resize(values.len(), 0.0);
            element.decode(bytes, decoded);
            if !decoded.iter().fold(true, |fit, &value| fit & T::fits(value)) {
                unfit.store(true, Ordering::Relaxed);
            }
            values.iter_mut().zip(decoded).for_each(|(to, from)| *to = T::of(*from));
            look(values);
            Ok(element.rounded(bytes))
        };
        let rounded: io::Result<u64> = if self.is_copied() {
            let pieces = values.par_chunks_mut(TILE).enumerate();
            let first = here.start * self.rows();
            pieces.map_init(Default::default, |room, (piece, values)| fetch(first + piece * TILE, room, values)).sum()
        } else {
            // A thread has some columns to itself: of every line that cuts through them it reads a segment.
            let width = SEGMENT.min(here.len());
            let height = (TILE / width).clamp(1, self.lines);
            let blocks = values.par_chunks_mut(width * self.lines).enumerate();
            let room = || (Default::default(), vec![T::of(0.0); height * width]);
            blocks
                .map_init(room, |(room, tile), (block, columns)| {
                    let (width, mut rounded) = (columns.len() / self.lines, 0);
                    for top in (0..self.lines).step_by(height) {
                        let tile = &mut tile[..height.min(self.lines - top) * width];
                        for (line, values) in (top..).zip(tile.chunks_exact_mut(width)) {
                            rounded += fetch(line * self.length + here.start + block * SEGMENT, room, values)?;
                        }
                        scatter(tile, width, columns, self.lines, top);
                    }
                    Ok(rounded)
                })
                .sum()
        };
        let rounded = rounded.map_err(|error| input.io(error))?;
        input.set_checked(!bad.into_inner() && nonzero.into_inner());
        Ok((!unfit.into_inner()).then_some(rounded))
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
pub(crate) fn scatter<T: Copy>(tile: &[T], width: usize, columns: &mut [T], rows: usize, top: usize) {
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
