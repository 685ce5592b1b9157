//! What can go wrong with a file: one line that says what was found, where, and what was expected.

use crate::limits::Bytes;
use crate::shown::shown;
use crate::text::FileError;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// The extensions that can be read, as messages list them.
pub const EXTENSIONS: &str = ".npy, .npz, .csv, .tsv, .mtx, .mat";

/// A file, or a named part of it: `` `x.npy` `` or `` `data.npy` in `x.npz` ``.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The path as the caller wrote it.
    pub file: String,
    /// A member of an archive or a variable.
    pub part: Option<String>,
}

impl From<&Path> for Place {
    fn from(path: &Path) -> Self {
        Self { file: path.display().to_string(), part: None }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.part {
            Some(part) => write!(f, "{} in {}", quoted(part), quoted(&self.file)),
            None => write!(f, "{}", quoted(&self.file)),
        }
    }
}

/// A name from a file as messages show it: in backticks, on one line.
pub(crate) fn quoted(name: &str) -> String {
    format!("`{}`", shown(name))
}

/// Why a file gives no data matrix. Rows, columns and indices count from 0 as in the file; lines and fields from 1.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the fields are the numbers of the message above them
#[non_exhaustive]
pub enum ReadError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{at} has {}, but one of these is expected: {EXTENSIONS}", match extension {
        Some(extension) => format!("the extension {}", quoted(&format!(".{extension}"))),
        None => "no extension".to_string(),
    })]
    UnknownFormat { at: Place, extension: Option<String> },
    #[error("{at} is empty (0 bytes)")]
    Empty { at: Place },
    #[error("{at} is cut short: {found} bytes of values, but its header promises {expected}")]
    Truncated { at: Place, found: u64, expected: u64 },
    #[error("{at} goes on for {extra} bytes after the {expected} bytes of values that its header promises")]
    Trailing { at: Place, extra: u64, expected: u64 },
    #[error("{at} is not as expected: {reason}")]
    Malformed { at: Place, reason: String },
    #[error("line {line}{} of {at} {reason}", field.map_or(String::new(), |field| format!(", field {field}")))]
    Line { at: Place, line: u64, field: Option<usize>, reason: String },
    #[error("{at} holds {found}, but real numbers are expected")]
    NotReal { at: Place, found: String },
    #[error("{at} has {}, shape {}, but a matrix has 2", if shape.len() == 1 { "1 dimension".to_string() } else { format!("{} dimensions", shape.len()) }, Tuple(shape))]
    NotTwoDimensional { at: Place, shape: Vec<u64> },
    #[error("{at} is {rows} x {cols}: it has no {}", if *rows == 0 { "rows" } else { "columns" })]
    NoValues { at: Place, rows: u64, cols: u64 },
    #[error("row {row}, column {column} of {at} is {value}, but every value must be finite ({})", match count { 1 => "1 is not".to_string(), _ => format!("{count} are not") })]
    NotFinite { at: Place, row: usize, column: usize, value: f64, count: usize },
    #[error("row {row}, column {column} of {at} is {value:e}, but single precision ends at 3.4e38")]
    BeyondSingle { at: Place, row: usize, column: usize, value: f64 },
    #[error(
        "no value of {sample} {index} of {at} is larger than {value:e}, but single precision loses digits below 1.2e-38"
    )]
    BelowSingle { at: Place, sample: &'static str, index: usize, value: f64 },
    #[error("all {rows} x {cols} values of {at} are zero, so there is nothing to factor")]
    AllZero { at: Place, rows: usize, cols: usize },
    #[error("{at} is {rows} x {cols}, but at most {} rows and columns can be handled", u32::MAX)]
    TooLarge { at: Place, rows: u64, cols: u64 },
    #[error("{at} needs {} of memory, but {}", Bytes(*needed), match available {
        Some(available) => format!("only {} are available", Bytes(*available)),
        None => "the system refuses to give that much".to_string(),
    })]
    TooLittleMemory { at: Place, needed: u64, available: Option<u64> },
    #[error(
        "{at} is {rows} x {cols} with {entries} entries, but with so few entries at most {most} rows and columns are read"
    )]
    Implausible { at: Place, rows: usize, cols: usize, entries: u64, most: u64 },
    #[error("{at} holds {} matrices, but one is expected: {}", names.len(), names.join(", "))]
    SeveralVariables { at: Place, names: Vec<String> },
    #[error("{at} holds no variable {}, but {}", quoted(name), if names.is_empty() { "nothing".to_string() } else { names.join(", ") })]
    UnknownVariable { at: Place, name: String, names: Vec<String> },
    #[error("{at} holds no numeric matrix")]
    NoMatrix { at: Place },
    #[error("{at} is a MATLAB 7.3 file (HDF5), but only versions 5 to 7 can be read")]
    Hdf5 { at: Place },
    #[error("{at} is a SciPy sparse matrix in {format} format, but csc, csr or coo is expected")]
    SparseFormat { at: Place, format: String },
}

/// Why a result could not be written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the fields are the values of the message above them
#[non_exhaustive]
pub enum WriteError {
    #[error("`{}` is a folder, but a file is expected", path.display())]
    NotAFile { path: PathBuf },
    #[error("`{}` does not end in a name", path.display())]
    NoName { path: PathBuf },
    #[error("`{}` cannot be {action}: {source}", path.display())]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error("`{}` was promised {promised} entries, but its columns hold {found}", path.display())]
    WrongCount { path: PathBuf, promised: usize, found: usize },
}

impl WriteError {
    /// The same about a path that people know, for a file that lies hidden until it is whole.
    #[must_use]
    pub fn about(mut self, seen: PathBuf) -> Self {
        let (Self::NotAFile { path } | Self::NoName { path } | Self::Io { path, .. } | Self::WrongCount { path, .. }) =
            &mut self;
        *path = seen;
        self
    }
}

/// A shape as Python writes it.
struct Tuple<'a>(&'a [u64]);

impl fmt::Display for Tuple<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let sizes: Vec<_> = self.0.iter().map(u64::to_string).collect();
        write!(f, "({}{})", sizes.join(", "), if sizes.len() == 1 { "," } else { "" })
    }
}
