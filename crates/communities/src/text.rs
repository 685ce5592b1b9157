//! Lines of a text file, perhaps compressed, one at a time: what edge lists and truths have in common.

use crate::Error;
use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// How the fields of a line are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    Comma,
    Semicolon,
    Tab,
    Blanks,
}

impl Separator {
    /// What a first line suggests.
    pub fn of(line: &str) -> Self {
        match line {
            _ if line.contains(',') => Self::Comma,
            _ if line.contains('\t') => Self::Tab,
            _ if line.contains(';') => Self::Semicolon,
            _ => Self::Blanks,
        }
    }

    /// The next field and what follows it; `None` at the end of the line.
    pub fn next<'a>(self, rest: &mut Option<&'a str>) -> Option<&'a str> {
        let text = (*rest)?;
        let (field, after) = match self {
            Self::Blanks => {
                let text = text.trim_start();
                if text.is_empty() {
                    *rest = None;
                    return None;
                }
                text.split_once(|c: char| c.is_ascii_whitespace()).map_or((text, None), |(a, b)| (a, Some(b)))
            }
            _ => {
                let mark = match self {
                    Self::Comma => ',',
                    Self::Semicolon => ';',
                    _ => '\t',
                };
                let quoted = text.trim_start().strip_prefix('"').filter(|_| self != Self::Tab);
                match quoted.and_then(|inner| inner.split_once('"')) {
                    Some((field, after)) => {
                        *rest = after.split_once(mark).map(|(_, after)| after);
                        return Some(field);
                    }
                    None => text.split_once(mark).map_or((text, None), |(a, b)| (a, Some(b))),
                }
            }
        };
        *rest = after;
        Some(field.trim())
    }
}

/// The text in `path`, unpacked where its name ends in .gz.
pub(crate) fn open(path: &Path) -> Result<Box<dyn BufRead>, Error> {
    let file = path.display().to_string();
    if path.is_dir() {
        return Err(Error::NotAGraph { file, reason: "it is a folder, but a file is expected".into() });
    }
    let source = match File::open(path) {
        Ok(source) => BufReader::with_capacity(1 << 20, source),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Error::NotFound { file }),
        Err(source) => return Err(Error::Io { file, source }),
    };
    Ok(if extension(path).as_deref() == Some("gz") {
        Box::new(BufReader::with_capacity(1 << 20, MultiGzDecoder::new(source)))
    } else {
        Box::new(source)
    })
}

/// A text file that is read line by line.
pub(crate) struct Lines {
    file: String,
    reader: Box<dyn BufRead>,
    buffer: Vec<u8>,
    /// Number of the current line, from 1.
    pub number: u64,
}

impl Lines {
    pub fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self { file: path.display().to_string(), reader: open(path)?, buffer: Vec::new(), number: 0 })
    }

    /// The next line, trimmed; blank ones and comments are handed out too. `None` at the end.
    pub fn next(&mut self) -> Result<Option<&str>, Error> {
        self.buffer.clear();
        let read = self.reader.read_until(b'\n', &mut self.buffer);
        let read = read.map_err(|source| Error::Io { file: self.file.clone(), source })?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let (file, line) = (&self.file, self.number);
        match std::str::from_utf8(&self.buffer) {
            Ok(text) => Ok(Some(text.trim_start_matches('\u{feff}').trim_matches([' ', '\r', '\n']))),
            Err(_) => {
                let reason = "is not UTF-8 text; is the file perhaps compressed or binary?".into();
                Err(Error::Line { file: file.clone(), line, reason })
            }
        }
    }

    /// What is wrong with the current line as an edge.
    pub fn edge_error(&self, reason: impl Into<String>) -> Error {
        Error::Edge { file: self.file.clone(), line: self.number, reason: reason.into() }
    }

    pub fn file(&self) -> &str {
        &self.file
    }
}

/// Whether a line says nothing.
pub(crate) fn is_comment(line: &str) -> bool {
    line.is_empty() || line.starts_with(['#', '%'])
}

pub(crate) fn extension(path: &Path) -> Option<String> {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(separator: Separator, line: &str) -> Vec<&str> {
        let mut rest = Some(line);
        std::iter::from_fn(|| separator.next(&mut rest)).collect()
    }

    #[test]
    fn fields_of_every_kind_of_line() {
        assert_eq!(fields(Separator::Blanks, "  a \t b   3 "), ["a", "b", "3"]);
        assert_eq!(fields(Separator::Tab, "New York\tBoston\t1"), ["New York", "Boston", "1"]);
        assert_eq!(fields(Separator::Comma, "\"Doe, Jane\", x ,2"), ["Doe, Jane", "x", "2"]);
        assert_eq!(fields(Separator::Comma, "a,,b"), ["a", "", "b"]);
        assert_eq!(Separator::of("a b,c"), Separator::Comma);
        assert_eq!(Separator::of("a b\tc"), Separator::Tab);
    }
}
