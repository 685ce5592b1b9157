//! The file being read: its name for messages, its length, and how much memory its matrix may take.

use crate::element::Element;
use crate::limits::{self, most_unpacked};
use crate::text::{self, FileError, Stamp};
use crate::{Place, ReadError, ReadOptions, Samples};
use merit_linalg::memory;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Seek};
use std::path::Path;
use std::rc::Rc;

/// Whole numbers up to this one are numbers of `f64`.
const EXACT: u64 = 1 << 53;

/// A file to read, or a part of one.
#[derive(Clone)]
pub(crate) struct Input<'a> {
    pub path: &'a Path,
    pub at: Place,
    pub bytes: u64,
    pub samples: Samples,
    pub variable: Option<&'a str>,
    /// Whether a dense matrix is held in single precision.
    pub single_precision: bool,
    available: u64,
    /// Opened once, so that all is read from the same file even when another takes its name.
    file: Rc<File>,
    stamp: Stamp,
    /// Whole numbers that no `f64` is equal to, so far.
    rounded: Rc<Cell<u64>>,
    /// Whether all values were seen to be finite, and some not to be zero, when they arrived.
    checked: Rc<Cell<bool>>,
}

impl<'a> Input<'a> {
    pub fn new(path: &'a Path, options: &'a ReadOptions) -> Result<Self, ReadError> {
        let at = Place::from(path);
        let file = text::open_regular(path)?;
        let stamp = Stamp::of(&file).map_err(|source| FileError::of(at.clone(), source))?;
        Ok(Self {
            path,
            at,
            bytes: stamp.bytes(),
            samples: options.samples,
            variable: options.variable.as_deref(),
            single_precision: options.single_precision,
            available: options.memory_limit.unwrap_or_else(limits::memory),
            file: Rc::new(file),
            stamp,
            rounded: Rc::default(),
            checked: Rc::default(),
        })
    }

    /// The same input, with messages about `part`.
    pub fn part(&self, part: &str) -> Self {
        Self { at: Place { part: Some(part.to_string()), ..self.at.clone() }, ..self.clone() }
    }

    /// The file, from its first byte. One reader at a time: they share the place in it.
    pub fn open(&self) -> Result<File, ReadError> {
        let file = self.file.try_clone().and_then(|mut file| file.rewind().map(|()| file));
        file.map_err(|error| self.io(error))
    }

    /// Its lines, unpacked.
    pub fn lines(&self) -> Result<text::Lines, ReadError> {
        Ok(text::Lines::of(self.open()?, self.path)?)
    }

    /// Fails when the file is not as it was when it was opened.
    pub fn check_unchanged(&self) -> Result<(), ReadError> {
        let now = Stamp::of(&self.file).map_err(|error| self.io(error))?;
        if now == self.stamp { Ok(()) } else { Err(self.changed()) }
    }

    /// What the file was when it was opened.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    pub fn changed(&self) -> ReadError {
        FileError::Changed { at: self.at.clone() }.into()
    }

    /// The numbers in `bytes`, one for each of `values`; those that had to be rounded are counted.
    pub fn decode(&self, element: Element, bytes: &[u8], values: &mut [f64]) {
        element.decode(bytes, values);
        self.count_rounded(element.rounded(bytes));
    }

    /// The number that a text says; whole ones that had to be rounded are counted.
    pub fn number(&self, text: &str) -> Option<f64> {
        let (value, rounded) = number(text)?;
        self.count_rounded(rounded.into());
        Some(value)
    }

    /// This many more whole numbers had to be rounded.
    pub fn count_rounded(&self, count: u64) {
        self.rounded.set(self.rounded.get() + count);
    }

    /// All values are finite and some are not zero: whoever put them into place has looked, while they were in the cache.
    pub fn set_checked(&self, checked: bool) {
        self.checked.set(checked);
    }

    /// Whether somebody has looked.
    pub fn is_checked(&self) -> bool {
        self.checked.get()
    }

    /// The file, for reading at places.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Whole numbers that had to be rounded.
    pub fn rounded(&self) -> u64 {
        self.rounded.get()
    }

    /// Bytes that the text may have at most.
    pub fn text_bytes(&self) -> u64 {
        if text::is_packed(self.path) { most_unpacked(self.bytes) } else { self.bytes }
    }

    /// Fails when this many compressed bytes may not unpack to this many.
    pub fn check_unpacked(&self, packed: u64, unpacked: u64) -> Result<(), ReadError> {
        if unpacked <= most_unpacked(packed) {
            return Ok(());
        }
        Err(FileError::Swollen { at: self.at.clone(), packed, unpacked }.into())
    }

    /// A failed read.
    pub fn io(&self, source: io::Error) -> ReadError {
        FileError::of(self.at.clone(), source).into()
    }

    pub fn malformed(&self, reason: impl Into<String>) -> ReadError {
        ReadError::Malformed { at: self.at.clone(), reason: reason.into() }
    }

    pub fn line(&self, line: u64, field: Option<usize>, reason: impl Into<String>) -> ReadError {
        ReadError::Line { at: self.at.clone(), line, field, reason: reason.into() }
    }

    /// The two sizes of `shape`, neither 0 nor beyond 32 bits.
    pub fn sizes(&self, shape: &[u64]) -> Result<(usize, usize), ReadError> {
        let at = || self.at.clone();
        let &[rows, cols] = shape else {
            return Err(ReadError::NotTwoDimensional { at: at(), shape: shape.to_vec() });
        };
        if rows == 0 || cols == 0 {
            return Err(ReadError::NoValues { at: at(), rows, cols });
        }
        match (u32::try_from(rows), u32::try_from(cols)) {
            (Ok(rows), Ok(cols)) => Ok((rows as usize, cols as usize)),
            _ => Err(ReadError::TooLarge { at: at(), rows, cols }),
        }
    }

    /// Fails when `needed` bytes are more than there is.
    pub fn room_for(&self, needed: u128) -> Result<(), ReadError> {
        let available = self.available.min(isize::MAX as u64);
        if needed <= available as u128 {
            return Ok(());
        }
        let needed = u64::try_from(needed).unwrap_or(u64::MAX);
        Err(ReadError::TooLittleMemory { at: self.at.clone(), needed, available: Some(available) })
    }

    /// `count` zeros, if there is room for them.
    pub fn zeros<T: Copy + Default>(&self, count: u128) -> Result<Vec<T>, ReadError> {
        let needed = count.saturating_mul(size_of::<T>() as u128);
        self.room_for(needed)?;
        let (count, needed) = (count as usize, needed as u64); // both fit: there is room
        // Asked first in a way that can fail; zeros then are pages that the system has cleared already.
        if Vec::<T>::new().try_reserve_exact(count).is_err() {
            return Err(ReadError::TooLittleMemory { at: self.at.clone(), needed, available: None });
        }
        Ok(memory::zeros(count))
    }
}

/// The number that a text says, and whether it is a whole one that had to be rounded.
pub(crate) fn number(text: &str) -> Option<(f64, bool)> {
    let value: f64 = text.parse().ok()?;
    let rounded = value.abs() >= EXACT as f64 && text.parse::<i128>().is_ok_and(|whole| whole != value as i128);
    Some((value, rounded))
}
