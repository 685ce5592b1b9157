//! Arrays of any number of axes, read in parts: for what is not a matrix, or is too large to be held as `f64`.
//!
//! Files are read at a place, never mapped: a mapped file that shrinks kills the program, and its pages count as memory.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("x.npy");
//! use merit_dataset::{array, write_npy};
//! # let x = merit_linalg::DenseMatrix::from_columns(2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
//! write_npy(&path, &x)?; // 2 x 3
//! let array = array::npy(&path)?;
//! let mut values = [0.0; 2];
//! array.numbers.read(1, &mut values)?;
//! assert_eq!((array.shape, values), (vec![2, 3], if array.fortran_order { [2.0, 3.0] } else { [3.0, 5.0] }));
//! # Ok(())
//! # }
//! ```

pub use crate::element::{Element, Kind};
pub use crate::mat::Described;

use crate::input::Input;
use crate::npy::{Header, check_length};
use crate::text::{FileError, Stamp, open_regular};
use crate::{Place, ReadError, ReadOptions, mat};
use std::fs::File;
use std::io;
use std::path::Path;

/// Bytes that are decoded at once.
const CHUNK: usize = 1 << 16;

/// An array: the sizes of its axes, which of them is contiguous, and its numbers.
#[derive(Debug)]
pub struct Array {
    /// Sizes of the axes.
    pub shape: Vec<u64>,
    /// Whether the first axis is contiguous, as in MATLAB; otherwise the last one is.
    pub fortran_order: bool,
    /// All its numbers, in that order.
    pub numbers: Numbers,
}

/// Numbers one after the other, in a file or in memory, which can be read from any place.
#[derive(Debug)]
pub struct Numbers {
    element: Element,
    count: u64,
    source: Source,
}

#[derive(Debug)]
enum Source {
    File { file: File, at: Place, offset: u64, stamp: Stamp },
    Memory(Vec<u8>),
}

impl Numbers {
    /// `count` numbers of the file `path`, from its byte `offset` on; fails where it has fewer.
    pub fn of_file(path: &Path, element: Element, offset: u64, count: u64) -> Result<Self, ReadError> {
        let (file, at) = (open_regular(path)?, Place::from(path));
        let stamp = Stamp::of(&file).map_err(|source| FileError::of(at.clone(), source))?;
        let bytes = u128::from(count) * element.size() as u128;
        let found = stamp.bytes().saturating_sub(offset);
        if bytes > u128::from(found) {
            let expected = u64::try_from(bytes).unwrap_or(u64::MAX);
            return Err(ReadError::Truncated { at, found, expected });
        }
        Ok(Self { element, count, source: Source::File { file, at, offset, stamp } })
    }

    /// The numbers in these bytes.
    pub fn of_memory(element: Element, bytes: Vec<u8>) -> Self {
        Self { element, count: (bytes.len() / element.size()) as u64, source: Source::Memory(bytes) }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// What they are stored as.
    pub fn element(&self) -> Element {
        self.element
    }

    /// As many as `values` has room for, from the one at `first` on.
    pub fn read(&self, first: u64, values: &mut [f64]) -> Result<(), ReadError> {
        let size = self.element.size();
        assert!(first + values.len() as u64 <= self.count, "beyond the last number");
        match &self.source {
            Source::Memory(bytes) => {
                self.element.decode(&bytes[first as usize * size..][..values.len() * size], values);
            }
            Source::File { file, at, offset, .. } => {
                let mut bytes = vec![0; CHUNK.min(values.len() * size)];
                let mut place = offset + first * size as u64;
                for part in values.chunks_mut(CHUNK / size) {
                    let bytes = &mut bytes[..part.len() * size];
                    read_at(file, bytes, place).map_err(|source| FileError::of(at.clone(), source))?;
                    self.element.decode(bytes, part);
                    place += bytes.len() as u64;
                }
            }
        }
        Ok(())
    }

    /// Fails when the file is not as it was when it was opened.
    pub fn check_unchanged(&self) -> Result<(), ReadError> {
        let Source::File { file, at, stamp, .. } = &self.source else { return Ok(()) };
        match Stamp::of(file) {
            Ok(now) if now == *stamp => Ok(()),
            Ok(_) => Err(FileError::Changed { at: at.clone() }.into()),
            Err(source) => Err(FileError::of(at.clone(), source).into()),
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, place)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match std::os::windows::fs::FileExt::seek_read(file, &mut bytes[done..], place + done as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => done += count,
        }
    }
    Ok(())
}

/// Sizes of the axes: as many numbers as `u64` can count.
fn total(input: &Input, shape: &[u64]) -> Result<u64, ReadError> {
    let product = shape.iter().try_fold(1_u64, |product, &size| product.checked_mul(size));
    product.ok_or_else(|| input.malformed("its sizes multiply to more than there are numbers"))
}

/// The array of a .npy file, whose numbers stay there.
pub fn npy(path: &Path) -> Result<Array, ReadError> {
    let options = ReadOptions::default();
    let input = Input::new(path, &options)?;
    let header = Header::read(&input, &mut input.open()?)?;
    let (element, count) = (header.element(&input)?, total(&input, &header.shape)?);
    let bytes = u128::from(count) * element.size() as u128;
    check_length(&input, bytes, input.bytes.saturating_sub(header.size))?;
    let numbers = Numbers::of_file(path, element, header.size, count)?;
    Ok(Array { shape: header.shape, fortran_order: header.fortran_order, numbers })
}

/// The variables of a .mat file that are full arrays of real numbers.
pub fn mat_variables(path: &Path) -> Result<Vec<Described>, ReadError> {
    let options = ReadOptions::default();
    mat::described(&Input::new(path, &options)?)
}

/// A variable of a .mat file; its numbers are held as they are stored.
pub fn mat(path: &Path, name: &str) -> Result<Array, ReadError> {
    let options = ReadOptions { variable: Some(name.into()), ..Default::default() };
    let input = Input::new(path, &options)?;
    let (shape, element, bytes) = mat::raw(&input)?;
    let count = total(&input, &shape)?;
    check_length(&input, u128::from(count) * element.size() as u128, bytes.len() as u64)?;
    input.check_unchanged()?;
    Ok(Array { shape, fortran_order: true, numbers: Numbers::of_memory(element, bytes) })
}
