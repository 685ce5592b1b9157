//! Dense values from a stream into columns.
//!
//! A file lists its values in lines: rows in C order, columns in Fortran order. When a line is a column of the matrix it
//! is copied as it comes. When it is a row, a tile of a few lines that fits the cache is read and its columns are written
//! out, so that memory holds the matrix and one tile, never a second copy.

use crate::{ReadError, element::Element, input::Input};
use merit_linalg::DenseMatrix;
use std::io::{self, Read, Seek, SeekFrom};

/// Values of a tile: 1 MiB as `f64`.
const TILE: usize = 1 << 17;
/// Values of a line that are read at once when the others can be skipped.
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
        self.fill(input, self.length, &mut |_, bytes| stream.read_exact(bytes))
    }

    /// The matrix, from a file whose values begin at byte `start`.
    pub fn read_at<F: Read + Seek>(&self, input: &Input, file: &mut F, start: u64) -> Result<DenseMatrix, ReadError> {
        self.fill(input, self.length.min(SEGMENT), &mut |place, bytes| {
            file.seek(SeekFrom::Start(start + place))?;
            file.read_exact(bytes)
        })
    }

    /// Reads in pieces of lines of `width` values; `fetch` gives the bytes from a place on.
    fn fill(
        &self,
        input: &Input,
        width: usize,
        fetch: &mut dyn FnMut(u64, &mut [u8]) -> io::Result<()>,
    ) -> Result<DenseMatrix, ReadError> {
        let mut values = input.zeros(self.lines as u128 * self.length as u128)?;
        let filled = if !self.lines_are_rows || self.lines == 1 || self.length == 1 {
            self.copy(input, &mut values, fetch)
        } else {
            self.transpose(input, &mut values, width, fetch)
        };
        filled.map_err(|error| input.io(error))?;
        Ok(DenseMatrix::from_columns(if self.lines_are_rows { self.lines } else { self.length }, values))
    }

    fn copy(
        &self,
        input: &Input,
        values: &mut [f64],
        fetch: &mut dyn FnMut(u64, &mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let size = self.element.size();
        let mut bytes = vec![0; TILE.min(values.len()) * size];
        for (piece, values) in values.chunks_mut(TILE).enumerate() {
            let bytes = &mut bytes[..values.len() * size];
            fetch((piece * TILE * size) as u64, bytes)?;
            input.decode(self.element, bytes, values);
        }
        Ok(())
    }

    fn transpose(
        &self,
        input: &Input,
        values: &mut [f64],
        width: usize,
        fetch: &mut dyn FnMut(u64, &mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let size = self.element.size();
        // Of lines that are too long for the tile and cannot be cut, still up to 8: a cache line of each column.
        let height = (TILE / width).max(self.lines.div_ceil(8).min(8)).min(self.lines);
        let mut bytes = vec![0; height * width * size];
        let mut tile = vec![0.0; height * width];
        for top in (0..self.lines).step_by(height) {
            let height = height.min(self.lines - top);
            for left in (0..self.length).step_by(width) {
                let width = width.min(self.length - left);
                let bytes = &mut bytes[..height * width * size];
                if width == self.length {
                    fetch((top * width * size) as u64, bytes)?;
                } else {
                    for (line, bytes) in bytes.chunks_mut(width * size).enumerate() {
                        fetch((((top + line) * self.length + left) * size) as u64, bytes)?;
                    }
                }
                let tile = &mut tile[..height * width];
                input.decode(self.element, bytes, tile);
                scatter(tile, width, &mut values[left * self.lines..], self.lines, top);
            }
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
