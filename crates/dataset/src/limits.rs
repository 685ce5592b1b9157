//! How much a file may take before it is refused. Small files can claim, or unpack to, more than any machine has, so
//! every limit is stated here, and every refusal names what was found and what is allowed.
//!
//! | what | at most |
//! |---|---|
//! | memory for what is read | three quarters of what is there: the machine, `ulimit` and control groups |
//! | a line of text, or a record of a table | 64 MiB, or a sixteenth of that memory |
//! | bytes that a compressed file unpacks to | 32 MiB and 100 times its size |
//! | rows or columns of a sparse matrix | ten million and twice its entries |
//!
//! Short texts by the million are held in one piece, [`strings`](crate::strings).

use crate::{Place, text::FileError};
use merit_linalg::memory::available_bytes;
use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;

/// Bytes of a line.
const LONGEST_LINE: u64 = 64 << 20;
/// Bytes that any compressed file may unpack to.
const UNPACKED: u64 = 32 << 20;
/// Times its own size that it may unpack to beside that. Deflate reaches 1032; data that are worth reading stay below 50.
const RATIO: u64 = 100;
/// Rows or columns that a sparse matrix may have beside twice its entries. Each costs 16 bytes while it is read.
const EMPTY_LINES: u128 = 10_000_000;

/// Bytes of memory that reading may take: three quarters of what is there now.
pub fn memory() -> u64 {
    available_bytes().map_or(u64::MAX, |bytes| bytes / 4 * 3)
}

/// Bytes of a line, or of a record of a table.
pub fn longest_line() -> u64 {
    LONGEST_LINE.min(memory() / 16)
}

/// Bytes that `packed` compressed bytes may unpack to.
pub(crate) fn most_unpacked(packed: u64) -> u64 {
    packed.saturating_mul(RATIO).saturating_add(UNPACKED)
}

/// Rows or columns of a sparse matrix with this many entries.
pub(crate) fn most_lines(entries: u128) -> u128 {
    entries.saturating_mul(2).saturating_add(EMPTY_LINES)
}

/// The memory that the contents of one file may fill.
pub struct Room {
    at: Place,
    available: u64,
}

impl Room {
    /// For the contents of `path`.
    pub fn of(path: &Path) -> Self {
        Self { at: path.into(), available: memory() }
    }

    /// Fails when `needed` bytes are more than there is.
    pub fn check(&self, needed: u64) -> Result<(), FileError> {
        if needed <= self.available {
            return Ok(());
        }
        Err(FileError::TooLittleMemory { at: self.at.clone(), needed, available: self.available })
    }
}

/// A stream of records, of which none may be too long.
pub struct RecordLimit<R> {
    source: R,
    taken: u64,
    most: u64,
}

impl<R: Read> RecordLimit<R> {
    /// Of records as long as lines may be.
    pub fn new(source: R) -> Self {
        Self { source, taken: 0, most: longest_line() }
    }

    /// A new record begins.
    pub fn begin(&mut self) {
        self.taken = 0;
    }

    /// The error for a failed read of the record that began in `line`.
    pub fn error(&self, at: Place, line: u64, source: io::Error) -> FileError {
        match self.taken > self.most {
            true => FileError::LongLine { at, line, most: self.most },
            false => FileError::of(at, source),
        }
    }

    /// What the records come from.
    pub fn source(&self) -> &R {
        &self.source
    }
}

impl<R: Read> Read for RecordLimit<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken > self.most {
            return Err(io::Error::other("the record is too long"));
        }
        let count = self.source.read(buffer)?;
        self.taken += count as u64;
        Ok(count)
    }
}

/// Counts the bytes that were read from a compressed file.
pub(crate) struct Packed<R> {
    source: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for Packed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.count.set(self.count.get() + count as u64);
        Ok(count)
    }
}

/// What a compressed stream unpacks to; fails when that is out of proportion.
pub(crate) struct Unpacked<R> {
    source: R,
    packed: Rc<Cell<u64>>,
    unpacked: u64,
}

impl<R: Read> Unpacked<R> {
    /// `unpack` makes the decoder of a stream.
    pub fn new<S: Read>(source: S, unpack: impl FnOnce(Packed<S>) -> R) -> Self {
        let packed = Rc::new(Cell::new(0));
        Self { source: unpack(Packed { source, count: packed.clone() }), packed, unpacked: 0 }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.unpacked += count as u64;
        let (packed, unpacked) = (self.packed.get(), self.unpacked);
        if unpacked > most_unpacked(packed) {
            return Err(io::Error::other(Swollen { packed, unpacked }));
        }
        Ok(count)
    }
}

/// A compressed file that unpacks to far more than files do.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("it unpacks to {} or more from only {}", Bytes(*unpacked), Bytes(*packed))]
pub(crate) struct Swollen {
    pub packed: u64,
    pub unpacked: u64,
}

/// A number of bytes as people read it: `1.5 GB`.
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
        if self.0 < 1000 {
            return write!(f, "{} bytes", self.0);
        }
        let power = (self.0.ilog10() / 3) as usize;
        write!(f, "{:.1} {}", self.0 as f64 / 1000f64.powi(power as i32), UNITS[power - 1])
    }
}
