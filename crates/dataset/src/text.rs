//! Text files, plain or compressed, and what their names say: how each reader of text opens, numbers and decodes lines.
//!
//! A file is unpacked where its name ends in `.gz`; a byte order mark at the start of the file or of a line is no text.
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
use flate2::read::MultiGzDecoder;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// Bytes read at once.
const BUFFER: usize = 1 << 18;

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Why the bytes or the text of a file cannot be had. Lines count from 1.
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
}

impl FileError {
    /// Of a file that cannot be opened, or not be read to its end: damaged contents are told from a failing disk.
    pub fn of(at: Place, source: io::Error) -> Self {
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

/// The text of the file `path`, unpacked, without a byte order mark.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>, FileError> {
    let file = open_raw(path)?;
    let text = if is_packed(path) { unmarked(MultiGzDecoder::new(file)) } else { unmarked(file) };
    text.map_err(|source| FileError::of(path.into(), source))
}

/// What follows a byte order mark, if there is one.
fn unmarked(mut source: impl Read + 'static) -> io::Result<Box<dyn BufRead>> {
    let mut start = Vec::new();
    source.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut start)?;
    if start == BYTE_ORDER_MARK {
        start.clear();
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER, Cursor::new(start).chain(source))))
}

/// The whole text of the file `path`.
pub fn read_to_string(path: &Path) -> Result<String, FileError> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(|source| FileError::of(path.into(), source))?;
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        FileError::NotUtf8 { at: path.into(), line: line_of(before) }
    })
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

/// The text of some bytes, and whether some of them are not UTF-8, which are replaced.
pub fn decoded(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    let text = String::from_utf8_lossy(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes));
    let replaced = matches!(text, Cow::Owned(_));
    (text, replaced)
}

/// The lines of a file, one at a time.
pub struct Lines {
    at: Place,
    reader: Box<dyn BufRead>,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    /// Before the first line of `path`.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Ok(Self { at: path.into(), reader: open(path)?, line: Vec::new(), number: 0 })
    }

    /// Goes to the next line; `false` after the last.
    pub fn advance(&mut self) -> Result<bool, FileError> {
        self.line.clear();
        let read = self.reader.read_until(b'\n', &mut self.line);
        let there = read.map_err(|source| FileError::of(self.at.clone(), source))? > 0;
        self.number += u64::from(there);
        Ok(there)
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
