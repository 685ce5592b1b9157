//! The file being read: its name for messages, its length, and how much memory its matrix may take.

use crate::text::{self, FileError};
use crate::{Place, ReadError, ReadOptions, Samples};
use merit_linalg::memory;
use std::{fs, io, path::Path};

/// Deflate makes no text smaller than this part of it.
const MOST_PACKED: u64 = 1032;

/// A file to read, or a part of one.
#[derive(Clone)]
pub(crate) struct Input<'a> {
    pub path: &'a Path,
    pub at: Place,
    pub bytes: u64,
    pub samples: Samples,
    pub variable: Option<&'a str>,
    available: Option<u64>,
}

impl<'a> Input<'a> {
    pub fn new(path: &'a Path, options: &'a ReadOptions) -> Result<Self, ReadError> {
        let at = Place::from(path);
        let facts = fs::metadata(path).map_err(|source| FileError::of(at.clone(), source))?;
        if facts.is_dir() {
            return Err(FileError::Folder { at }.into());
        }
        let available = options.memory_limit.or_else(memory::available_bytes);
        let variable = options.variable.as_deref();
        Ok(Self { path, at, bytes: facts.len(), samples: options.samples, variable, available })
    }

    /// The same input, with messages about `part`.
    pub fn part(&self, part: &str) -> Self {
        Self { at: Place { part: Some(part.to_string()), ..self.at.clone() }, ..self.clone() }
    }

    pub fn open(&self) -> Result<fs::File, ReadError> {
        Ok(text::open_raw(self.path)?)
    }

    /// Bytes that the text may have at most.
    pub fn text_bytes(&self) -> u64 {
        if text::is_packed(self.path) { self.bytes.saturating_mul(MOST_PACKED) } else { self.bytes }
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
        let available = self.available.unwrap_or(u64::MAX).min(isize::MAX as u64);
        if needed <= available as u128 {
            return Ok(());
        }
        let needed = u64::try_from(needed).unwrap_or(u64::MAX);
        Err(ReadError::TooLittleMemory { at: self.at.clone(), needed, available: Some(available) })
    }

    /// `count` zeros, if there is room for them.
    pub fn zeros(&self, count: u128) -> Result<Vec<f64>, ReadError> {
        let needed = count.saturating_mul(8);
        self.room_for(needed)?;
        let (count, needed) = (count as usize, needed as u64); // both fit: there is room
        // Asked first in a way that can fail; `vec!` then takes pages that the system has zeroed already.
        if Vec::<f64>::new().try_reserve_exact(count).is_err() {
            return Err(ReadError::TooLittleMemory { at: self.at.clone(), needed, available: None });
        }
        Ok(vec![0.0; count])
    }
}
