//! Matrices that stay in their file: .npy files larger than memory.
//!
//! Values that the file has as this machine has them (`float64`, the samples one after the other) are mapped where they are. Others are
//! written into a scratch file first, which takes `8 M N` bytes of disk.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("x.npy");
//! use merit_dataset::{ReadOptions, mapped::Stored, write_npy};
//! use merit_linalg::DenseMatrix;
//! write_npy(&path, &DenseMatrix::from_columns(2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))?;
//! let options = ReadOptions::default();
//! let stored = Stored::of(&path, &options)?.expect("an .npy file");
//! assert_eq!((stored.rows, stored.cols), (2, 3));
//! let (x, unchanged) = stored.map(folder.path())?;
//! assert_eq!(x.matrix.stored_col(2)[..], [5.0, 6.0]);
//! unchanged.check()?;
//! # Ok(())
//! # }
//! ```

use crate::dense::Layout;
use crate::element::Kind;
use crate::input::Input;
use crate::npy::{Header, check_length};
use crate::read::check;
use crate::text::{Stamp, extension, is_packed};
use crate::{Dataset, FileError, Place, ReadError, ReadOptions};
use merit_linalg::mapped;
use merit_linalg::shards::Shards;
use std::fs::File;
use std::path::Path;

/// A matrix in an .npy file, of which only the header was read.
pub struct Stored<'a> {
    input: Input<'a>,
    header: Header,
    layout: Layout,
    /// `M`.
    pub rows: usize,
    /// `N`.
    pub cols: usize,
}

impl<'a> Stored<'a> {
    /// The matrix of an .npy file; `None` for other formats, which cannot be mapped.
    pub fn of(path: &'a Path, options: &'a ReadOptions) -> Result<Option<Self>, ReadError> {
        if extension(path).as_deref() != Some("npy") || is_packed(path) {
            return Ok(None);
        }
        let input = Input::new(path, options)?;
        if input.bytes == 0 {
            return Err(ReadError::Empty { at: input.at });
        }
        let header = Header::read(&input, &mut input.open()?)?;
        let layout = header.layout(&input)?;
        check_length(&input, layout.bytes(), input.bytes.saturating_sub(header.size))?;
        let (rows, cols) = (layout.rows(), layout.cols());
        Ok(Some(Self { input, header, layout, rows, cols }))
    }

    /// Whether the file itself can be mapped, and no scratch file is needed.
    pub fn is_in_place(&self) -> bool {
        self.layout.is_copied() && self.layout.element.is_native(Kind::F64) && mapped::can_begin_at(self.header.size)
    }

    /// The data set, mapped; a scratch file is made in `folder` if one is needed. All values are looked at once, as reading does.
    pub fn map(self, folder: &Path) -> Result<(Dataset, Unchanged), ReadError> {
        let Self { input, header, layout, rows, cols } = &self;
        let matrix = if self.is_in_place() {
            mapped::open(input.file(), header.size, *rows, *cols).map_err(|error| input.io(error))?
        } else {
            let scratch = mapped::scratch(folder, *rows, *cols);
            let mut matrix = scratch.map_err(|error| FileError::of(folder.into(), error))?;
            layout.fill(input, header.size, Shards::new(*cols), matrix.values_mut())?;
            matrix.frozen()
        };
        input.check_unchanged()?;
        let matrix = matrix.into();
        check(&matrix, input)?;
        let (labels, rounded) = (None, input.rounded());
        let description = header.description(layout);
        let file = input.file().try_clone().map_err(|error| input.io(error))?;
        let unchanged = Unchanged { file, stamp: input.stamp(), at: input.at.clone() };
        Ok((Dataset { matrix, labels, rounded, description, maybe_transposed: false }, unchanged))
    }
}

/// A file that must be at the end what it was at the beginning.
pub struct Unchanged {
    file: File,
    stamp: Stamp,
    at: Place,
}

impl Unchanged {
    /// Fails when the file is not as it was.
    pub fn check(&self) -> Result<(), ReadError> {
        let at = || self.at.clone();
        let now = Stamp::of(&self.file).map_err(|source| FileError::of(at(), source))?;
        if now == self.stamp { Ok(()) } else { Err(FileError::Changed { at: at() }.into()) }
    }
}
