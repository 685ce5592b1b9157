//! What can go wrong between an image and its materials: one line each.

use merit::words::counted;
use merit_dataset::{FileError, Place, ReadError, WriteError};
use std::path::Path;

/// Why an image, its truth or its materials cannot be obtained. Lines of files and bands count from 1.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the fields are the values of the message above them
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Merit(#[from] merit::Error),
    #[error("{at} {fault}")]
    Header { at: Place, fault: Fault },
    #[error("{at} has no header beside it: {} are not there", tried.join(" and "))]
    NoHeader { at: Place, tried: Vec<String> },
    #[error("{at} has no data beside it: no file {} with one of the endings {}", tried[0], tried[1..].join(", "))]
    NoData { at: Place, tried: Vec<String> },
    #[error("{at} has {found} bytes, but its header says {expected}: {how}")]
    Size { at: Place, found: u64, expected: u128, how: String },
    #[error("{at} is {kind}, which is not read")]
    OtherFormat { at: Place, kind: &'static str },
    #[error("{at} has the shape {found}, but {expected}")]
    Shape { at: Place, found: String, expected: String },
    #[error("{at} holds no image: {reason}")]
    NoImage { at: Place, reason: String },
    #[error("{at} is {lines} x {samples}, but the image is {of_lines} x {of_samples} (lines x samples)")]
    MaskShape { at: Place, lines: usize, samples: usize, of_lines: usize, of_samples: usize },
    #[error("`{item}` names no band: {reason}")]
    Band { item: String, reason: String },
    #[error("no band is left of {bands}")]
    NoBands { bands: usize },
    #[error("no pixel of {pixels} is left: {reasons}")]
    NoPixels { pixels: usize, reasons: String },
    #[error("{endmembers} endmembers, but {limit}")]
    TooMany { endmembers: usize, limit: String },
    #[error(
        "{endmembers} endmembers, but only {} found",
        counted(*found, "pixel with a spectrum of its own was", "pixels with different spectra were")
    )]
    FewPure { endmembers: usize, found: usize },
    #[error("{at} {reason}")]
    Spectra { at: Place, reason: String },
    #[error("{name} must be {expected}, but is {found}")]
    OutOfRange { name: &'static str, expected: &'static str, found: String },
}

impl Error {
    /// About a header.
    pub(crate) fn header(path: &Path, fault: Fault) -> Self {
        Self::Header { at: path.into(), fault }
    }

    /// Whether the command, not the data, is at fault.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::TooMany { .. }
                | Self::FewPure { .. }
                | Self::Band { .. }
                | Self::OutOfRange { .. }
                | Self::Merit(merit::Error::Settings(_))
        )
    }
}

/// What is wrong with a header.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Fault {
    #[error("is no ENVI header: its first line does not start with `ENVI`")]
    NotEnvi,
    #[error("has {0} bytes, but a header has at most {1}")]
    Long(u64, u64),
    #[error("opens a brace for `{0}` that is never closed")]
    Unclosed(String),
    #[error("says `{0}` twice, with different values")]
    Twice(String),
    #[error("has no `{0}`")]
    Missing(&'static str),
    #[error("says `{key} = {found}`, but expected is {expected}")]
    Value { key: &'static str, found: String, expected: &'static str },
    #[error("has {found} values of `{key}`, but {bands} bands")]
    Count { key: &'static str, found: usize, bands: usize },
    #[error("says `data type = {0}`, which is complex; keep the real part or the magnitude")]
    Complex(u64),
    #[error("says `data type = {0}`, but known are 1, 2, 3, 4, 5, 12, 13, 14 and 15")]
    DataType(u64),
    #[error("says `file compression = 1`: the data are packed with gzip, and only unpacked ones are read")]
    Compressed,
    #[error("has `{0}`, and data with gaps between their frames are not read")]
    FrameOffsets(&'static str),
    #[error("is of a spectral library, not of an image")]
    Library,
    #[error("is of an image, not of a spectral library")]
    NoLibrary,
    #[error("is of a mosaic (`file type = {0}`), which has no data of its own")]
    Mosaic(String),
    #[error("says {lines} lines x {samples} samples x {bands} bands, more than can be counted")]
    TooLarge { lines: u64, samples: u64, bands: u64 },
}
