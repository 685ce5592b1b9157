//! Lists of numbers in an .npz, as [`write_npz_lists`](crate::write_npz_lists) writes them: checked once, then read where they are
//! needed, so that nobody has to hold what is large.

use crate::pieces::read_exact_at;
use crate::text::FileError;
use crate::{Place, ReadError, ReadOptions, input::Input, npz};
use merit_linalg::numbers::Numbers;
use std::fs::File;
use std::ops::Range;
use std::path::Path;

/// The lists of an .npz, by name.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lists.npz");
/// use merit_dataset::{NpzLists, write_npz_lists};
/// use merit_linalg::numbers::{Numbers, Pieces};
/// write_npz_lists(&path, &[("rows", Pieces::U32(vec![&[1, 2], &[3]]))])?;
/// let lists = NpzLists::open(&path)?;
/// assert_eq!((lists.names().collect::<Vec<_>>(), lists.count("rows")), (vec!["rows"], Some(3)));
/// assert_eq!(lists.read("rows", 1..3)?, Some(Numbers::U32(vec![2, 3])));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct NpzLists {
    file: File,
    at: Place,
    lists: Vec<List>,
}

/// Where a list is.
#[derive(Debug)]
pub(crate) struct List {
    pub name: String,
    pub kind: Kind,
    /// Its first byte in the file.
    pub start: u64,
    pub count: usize,
}

/// What its numbers are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    U8,
    U32,
    U64,
    F64,
}

impl Kind {
    /// By the name that NumPy has for it.
    pub fn of(descr: &str) -> Option<Self> {
        Some(match descr {
            "|u1" => Self::U8,
            "<u4" => Self::U32,
            "<u8" => Self::U64,
            "<f8" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes of a number.
    pub fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U32 => 4,
            Self::U64 | Self::F64 => 8,
        }
    }
}

impl NpzLists {
    /// Reads all of the file once; fails where a checksum is wrong.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let options = ReadOptions::default();
        let input = Input::new(path, &options)?;
        let lists = npz::lists(&input)?;
        Ok(Self { file: input.open()?, at: input.at, lists })
    }

    /// Their names, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.lists.iter().map(|list| &list.name[..])
    }

    /// How many numbers a list has.
    pub fn count(&self, name: &str) -> Option<usize> {
        Some(self.list(name)?.count)
    }

    fn list(&self, name: &str) -> Option<&List> {
        self.lists.iter().find(|list| list.name == name)
    }

    /// Numbers of a list; nothing if there is no such list, or if it is shorter.
    pub fn read(&self, name: &str, range: Range<usize>) -> Result<Option<Numbers>, ReadError> {
        let Some(list) = self.list(name).filter(|list| range.start <= range.end && range.end <= list.count) else {
            return Ok(None);
        };
        let size = list.kind.size();
        let mut bytes = vec![0; range.len() * size];
        read_exact_at(&self.file, &mut bytes, list.start + (range.start * size) as u64)
            .map_err(|source| FileError::of(self.at.clone(), source))?;
        fn decoded<T, const SIZE: usize>(bytes: &[u8], number: impl Fn([u8; SIZE]) -> T) -> Vec<T> {
            bytes.as_chunks().0.iter().map(|&raw| number(raw)).collect()
        }
        Ok(Some(match list.kind {
            Kind::U8 => Numbers::U8(bytes),
            Kind::U32 => Numbers::U32(decoded(&bytes, u32::from_le_bytes)),
            Kind::U64 => Numbers::U64(decoded(&bytes, u64::from_le_bytes)),
            Kind::F64 => Numbers::F64(decoded(&bytes, f64::from_le_bytes)),
        }))
    }
}
