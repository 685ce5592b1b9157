//! Text files, plain or compressed, and what their names say: how each reader of text opens, numbers and decodes lines.
//!
//! A file is unpacked where its name ends in `.gz`; a byte order mark at the start of the file or of a line is no text; that of
//! UTF-16 says how the file is to be read.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("words.txt");
//! use merit_dataset::text::{Lines, extension};
//! std::fs::write(&path, "\u{feff}one\r\ntwo")?;
//! let mut lines = Lines::open(&path)?;
//! assert_eq!(lines.next()?, Some("one\r\n"));
//! assert_eq!(lines.next()?, Some("two"));
//! assert_eq!(lines.next()?, None);
//! assert_eq!(lines.number(), 2);
//! assert_eq!(extension("Edges.CSV.gz".as_ref()).as_deref(), Some("csv"));
//! # Ok(())
//! # }
//! ```

use crate::Place;
use crate::encoding::{Encoding, Transcoded};
use crate::limits::{self, Bytes, Swollen, Unpacked};
use flate2::read::MultiGzDecoder;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::time::SystemTime;

/// Bytes read at once.
const BUFFER: usize = 1 << 18;

/// U+FEFF in UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Why the bytes or the text of a file cannot be read. Lines count from 1.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the fields are the values of the message above them
#[non_exhaustive]
pub enum FileError {
    #[error("{at} does not exist")]
    NotFound { at: Place },
    #[error("{at} is a folder, but a file is expected")]
    Folder { at: Place },
    #[error("{at} cannot be read: {source}")]
    Io { at: Place, source: io::Error },
    #[error("{at} is not as expected: it ends too early")]
    CutShort { at: Place },
    #[error("{at} is not as expected: its data are damaged")]
    Damaged { at: Place },
    #[error("line {line} of {at} is not UTF-8 text; is the file perhaps compressed or binary?")]
    NotUtf8 { at: Place, line: u64 },
    #[error("{at} is a pipe or a device, but a regular file is expected")]
    NotRegular { at: Place },
    #[error("{at} changed while it was read")]
    Changed { at: Place },
    #[error("line {line} of {at} is longer than {}, the most that is read", Bytes(*most))]
    LongLine { at: Place, line: u64, most: u64 },
    #[error("{at} unpacks to {} or more from only {}; if that is meant, unpack it first", Bytes(*unpacked), Bytes(*packed))]
    Swollen { at: Place, packed: u64, unpacked: u64 },
    #[error("{at} needs {} of memory, but only {} are available", Bytes(*needed), Bytes(*available))]
    TooLittleMemory { at: Place, needed: u64, available: u64 },
}

impl FileError {
    /// Of a file that cannot be opened, or not be read to its end: damaged contents are distinguished from a failing disk.
    pub fn of(at: Place, source: io::Error) -> Self {
        let cause = source.get_ref().and_then(|cause| cause.downcast_ref());
        if let Some(&Swollen { packed, unpacked }) = cause {
            return Self::Swollen { at, packed, unpacked };
        }
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { at },
            io::ErrorKind::IsADirectory => Self::Folder { at },
            io::ErrorKind::UnexpectedEof => Self::CutShort { at },
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => Self::Damaged { at },
            _ => Self::Io { at, source },
        }
    }
}

/// The bytes of the file `path` as they are.
pub fn open_raw(path: &Path) -> Result<File, FileError> {
    if path.is_dir() {
        return Err(FileError::Folder { at: path.into() });
    }
    File::open(path).map_err(|source| FileError::of(path.into(), source))
}

/// The bytes of the file `path` if it is a regular file: a pipe would block, and gives its bytes only once.
pub fn open_regular(path: &Path) -> Result<File, FileError> {
    let at = || Place::from(path);
    let facts = fs::metadata(path).map_err(|source| FileError::of(at(), source))?;
    if facts.is_dir() {
        return Err(FileError::Folder { at: at() });
    }
    if !facts.is_file() {
        return Err(FileError::NotRegular { at: at() });
    }
    open_raw(path)
}

/// All bytes of the regular file `path`, if `available` bytes of memory have room for `times` as many.
pub fn read_regular(path: &Path, available: u64, times: u64) -> Result<Vec<u8>, FileError> {
    let file = open_regular(path)?;
    let failed = |source| FileError::of(path.into(), source);
    let (length, most) = (file.metadata().map_err(failed)?.len(), available / times.max(1));
    let mut bytes = Vec::with_capacity(length.min(most) as usize);
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?; // it may have grown since
    if bytes.len() as u64 > most {
        let needed = length.max(bytes.len() as u64).saturating_mul(times);
        return Err(FileError::TooLittleMemory { at: path.into(), needed, available });
    }
    Ok(bytes)
}

/// What tells that a file has changed: its length and the time of its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    /// Of a file that is open.
    pub fn of(file: &File) -> io::Result<Self> {
        file.metadata().map(Self::from)
    }

    /// Of what is called `path` now; `None` unless that is a regular file.
    pub fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().filter(fs::Metadata::is_file).map(Self::from)
    }

    /// Bytes of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl From<fs::Metadata> for Stamp {
    fn from(facts: fs::Metadata) -> Self {
        Self { bytes: facts.len(), modified: facts.modified().ok() }
    }
}

/// Whether a path stands for the standard input. A file of that name is `./-`.
pub fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The text of the file `path`, unpacked, without a byte order mark.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>, FileError> {
    open_file(open_raw(path)?, path, None)
}

/// The same from an encoding that is known; `-` is the standard input.
pub fn open_as(path: &Path, encoding: Option<Encoding>) -> Result<Box<dyn BufRead>, FileError> {
    if is_standard_input(path) {
        return unmarked(io::stdin(), encoding).map_err(|source| FileError::of(path.into(), source));
    }
    open_file(open_raw(path)?, path, encoding)
}

/// The text of a file that is open and called `path`.
fn open_file(file: File, path: &Path, encoding: Option<Encoding>) -> Result<Box<dyn BufRead>, FileError> {
    let text = if is_packed(path) {
        unmarked(Unpacked::new(file, MultiGzDecoder::new), encoding)
    } else {
        unmarked(file, encoding)
    };
    text.map_err(|source| FileError::of(path.into(), source))
}

/// What follows a byte order mark, if there is one, as UTF-8 where it is known to be something else.
fn unmarked(mut source: impl Read + 'static, encoding: Option<Encoding>) -> io::Result<Box<dyn BufRead>> {
    if let Some(encoding) = encoding {
        return Ok(Box::new(BufReader::with_capacity(BUFFER, Transcoded::new(source, encoding))));
    }
    let mut start = Vec::new();
    source.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut start)?;
    if start == BYTE_ORDER_MARK {
        start.clear();
    }
    if is_utf16(&start) {
        let source = Transcoded::new(Cursor::new(start).chain(source), Encoding::UTF_16);
        return Ok(Box::new(BufReader::with_capacity(BUFFER, source)));
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER, Cursor::new(start).chain(source))))
}

/// Whether bytes begin with the mark of UTF-16, of either order.
pub fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF])
}

/// The whole text of the file `path`.
pub fn read_to_string(path: &Path) -> Result<String, FileError> {
    String::from_utf8(read_to_end(path, open(path)?)?).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        FileError::NotUtf8 { at: path.into(), line: line_of(before) }
    })
}

/// All bytes of a text that is open and called `path`.
pub fn read_to_end(path: &Path, source: impl Read) -> Result<Vec<u8>, FileError> {
    let (mut bytes, available) = (Vec::new(), limits::memory());
    let most = available / 4; // what is made of it takes more than the text
    let text = source.take(most.saturating_add(1)).read_to_end(&mut bytes);
    text.map_err(|source| FileError::of(path.into(), source))?;
    if bytes.len() as u64 > most {
        return Err(FileError::TooLittleMemory { at: path.into(), needed: 4 * bytes.len() as u64, available });
    }
    Ok(bytes)
}

/// The number of the line that follows this text, from 1.
pub fn line_of(before: &[u8]) -> u64 {
    before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1
}

/// Whether a name says that the file is compressed.
pub fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
}

/// The extension in lower case; of `x.txt.gz` it is `txt`.
pub fn extension(path: &Path) -> Option<String> {
    let name = if is_packed(path) { path.file_stem().map(Path::new)? } else { path };
    name.extension().map(|extension| extension.to_string_lossy().to_lowercase())
}

/// The lines of a file, one at a time.
pub struct Lines {
    at: Place,
    reader: Box<dyn BufRead>,
    line: Vec<u8>,
    number: u64,
    /// Bytes of all lines so far.
    passed: u64,
    /// Bytes of a line.
    most: u64,
}

impl Lines {
    /// Before the first line of `path`.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Self::of(open_raw(path)?, path)
    }

    /// Before the first line of a text that is called `path`.
    pub fn from_reader(reader: Box<dyn BufRead>, path: &Path) -> Self {
        Self { at: path.into(), reader, line: Vec::new(), number: 0, passed: 0, most: limits::longest_line() }
    }

    /// Before the first line of a file that is open and called `path`.
    pub(crate) fn of(file: File, path: &Path) -> Result<Self, FileError> {
        Ok(Self::from_reader(open_file(file, path, None)?, path))
    }

    /// Goes to the next line; `false` after the last.
    pub fn advance(&mut self) -> Result<bool, FileError> {
        self.line.clear();
        let read = (&mut self.reader).take(self.most + 1).read_until(b'\n', &mut self.line);
        let read = read.map_err(|source| FileError::of(self.at.clone(), source))?;
        self.number += u64::from(read > 0);
        self.passed += read as u64;
        if read as u64 > self.most {
            return Err(FileError::LongLine { at: self.at.clone(), line: self.number, most: self.most });
        }
        Ok(read > 0)
    }

    /// The current line as it is, with its end.
    pub fn bytes(&self) -> &[u8] {
        // Files that were joined have such marks in the middle too.
        self.line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.line)
    }

    /// The current line, with its end.
    pub fn text(&self) -> Result<&str, FileError> {
        str::from_utf8(self.bytes()).map_err(|_| FileError::NotUtf8 { at: self.at.clone(), line: self.number })
    }

    /// The next line, with its end; `None` after the last.
    #[allow(clippy::should_implement_trait)] // it lends the line, which no iterator does
    pub fn next(&mut self) -> Result<Option<&str>, FileError> {
        if self.advance()? { self.text().map(Some) } else { Ok(None) }
    }

    /// The number of the current line, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Bytes of the text up to the end of the current line.
    pub(crate) fn passed(&self) -> u64 {
        self.passed
    }

    /// The file, as messages call it.
    pub fn at(&self) -> &Place {
        &self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    #[test]
    fn extensions_are_those_of_the_text() {
        let of = |name: &str| extension(Path::new(name));
        assert_eq!(of("a/x.TXT").as_deref(), Some("txt"));
        assert_eq!(of("x.mtx.GZ").as_deref(), Some("mtx"));
        assert_eq!((of("x.gz"), of("x"), of("a.b/x")), (None, None, None));
    }

    #[test]
    fn marks_are_no_text_even_in_compressed_parts_of_a_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.txt.gz");
        // Every byte is a gzip member of its own, so that reads are short.
        let packed = "\u{feff}a\n\u{feff}b".bytes().flat_map(|byte| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&[byte]).unwrap();
            encoder.finish().unwrap()
        });
        std::fs::write(&path, packed.collect::<Vec<_>>()).unwrap();
        let mut lines = Lines::open(&path).unwrap();
        assert_eq!(lines.next().unwrap(), Some("a\n"));
        assert!(lines.advance().unwrap() && lines.bytes() == b"b");
        assert_eq!(lines.next().unwrap(), None);
    }

    #[test]
    fn what_cannot_be_read_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            read_to_string(&path).unwrap_err()
        };
        assert!(matches!(of("x.txt", b"a\nb\xff"), FileError::NotUtf8 { line: 2, .. }));
        assert!(matches!(of("x.gz", b"no gzip at all"), FileError::Damaged { .. }));
        assert!(matches!(of("y.gz", b"\x1f\x8b\x08\x00"), FileError::CutShort { .. }));
        assert!(matches!(open(folder.path()).err(), Some(FileError::Folder { .. })));
        assert!(matches!(open(&folder.path().join("none")).err(), Some(FileError::NotFound { .. })));
    }
}
