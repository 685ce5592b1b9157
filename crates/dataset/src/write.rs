//! Results as files that NumPy and SciPy read: dense matrices as .npy, sparse ones as `scipy.sparse.save_npz` writes them.
//!
//! The same matrix always gives the same bytes.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("W.npy");
//! use merit_dataset::{ReadOptions, read, write_npy};
//! let w = merit_linalg::DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5]);
//! write_npy(&path, &w)?;
//! assert_eq!(read(&path, &ReadOptions::default())?.matrix, w.into());
//! # Ok(())
//! # }
//! ```

use crate::WriteError;
use crate::output::write_file;
use flate2::Crc;
use merit_linalg::DenseMatrix;
use merit_linalg::numbers::{Fetch, Pieces};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

/// Writes `matrix` as float64 in Fortran order, the order it is stored in.
pub fn write_npy(path: &Path, matrix: &DenseMatrix) -> Result<(), WriteError> {
    write_npy_columns(path, matrix.rows(), matrix.cols(), |take| take(matrix.values()))
}

/// The same of a matrix that comes in pieces: `pieces(take)` hands over the values of some columns after the other.
pub fn write_npy_columns(
    path: &Path,
    rows: usize,
    cols: usize,
    pieces: impl FnOnce(&mut dyn FnMut(&[f64]) -> io::Result<()>) -> io::Result<()>,
) -> Result<(), WriteError> {
    write_file(path, |file| {
        let mut file = BufWriter::with_capacity(1 << 16, file);
        file.write_all(&npy_header("<f8", true, &format!("({rows}, {cols})")))?;
        let mut bytes = [0; 1 << 13];
        pieces(&mut |values| {
            for values in values.chunks(bytes.len() / 8) {
                bytes.as_chunks_mut().0.iter_mut().zip(values).for_each(|(raw, value)| *raw = value.to_le_bytes());
                file.write_all(&bytes[..values.len() * 8])?;
            }
            Ok(())
        })?;
        file.flush()
    })
}

/// The columns of a sparse matrix, for who writes it.
pub trait Columns: Sync {
    /// These columns are asked for next: a time to fetch them from elsewhere.
    fn fetch(&mut self, _columns: Range<usize>) {}

    /// Fills `entries`, which comes empty, with the rows and values of column `l`, in rising order.
    fn column(&self, l: usize, entries: &mut Vec<(u32, f64)>);
}

impl<F: Fn(usize, &mut Vec<(u32, f64)>) + Sync> Columns for F {
    fn column(&self, l: usize, entries: &mut Vec<(u32, f64)>) {
        self(l, entries);
    }
}

/// Some columns, as bytes.
#[derive(Default)]
struct Part {
    entries: Vec<(u32, f64)>,
    bytes: Vec<u8>,
    lengths: Vec<u32>,
}

/// Columns that a thread turns into bytes at a time, and how many times that before they are written.
const COLUMNS: usize = 256;
const PARTS: usize = 16;

/// Writes a sparse matrix as SciPy's csc format, readable with `scipy.sparse.load_npz`.
///
/// `column(l, entries)` fills `entries`, which comes empty, with the rows and values of column `l` in rising order. It is
/// asked twice for each column, so that nothing of size `nnz` is kept.
pub fn write_npz_csc(
    path: &Path,
    rows: usize,
    cols: usize,
    nnz: usize,
    column: impl Fn(usize, &mut Vec<(u32, f64)>) + Sync,
) -> Result<(), WriteError> {
    write_npz_csc_from(path, rows, cols, nnz, column)
}

/// The same from [`Columns`], which are asked for in order, and twice.
pub fn write_npz_csc_from(
    path: &Path,
    rows: usize,
    cols: usize,
    nnz: usize,
    mut source: impl Columns,
) -> Result<(), WriteError> {
    type Bytes<'a> = &'a (dyn Fn((u32, f64), &mut Vec<u8>) + Sync);
    let mut columns = |bytes_of: Bytes, take: &mut dyn FnMut(&Part) -> io::Result<()>| -> io::Result<()> {
        let mut parts: Vec<Part> = (0..PARTS).map(|_| Part::default()).collect();
        for first in (0..cols).step_by(PARTS * COLUMNS) {
            source.fetch(first..(first + PARTS * COLUMNS).min(cols));
            let source = &source;
            parts.par_iter_mut().enumerate().for_each(|(i, Part { entries, bytes, lengths })| {
                bytes.clear();
                lengths.clear();
                let start = first + i * COLUMNS;
                for l in start..(start + COLUMNS).min(cols) {
                    entries.clear();
                    source.column(l, entries);
                    lengths.push(entries.len() as u32);
                    entries.iter().for_each(|&entry| bytes_of(entry, bytes));
                }
            });
            parts.iter().try_for_each(&mut *take)?;
        }
        Ok(())
    };
    let (mut lengths, mut whole) = (Vec::new(), false);
    let count_of = |lengths: &[u32]| lengths.iter().map(|&length| length as usize).sum::<usize>();
    let written = write_file(path, |file| {
        let mut archive = ArchiveWriter::new(file);
        let wide = rows.max(cols).max(nnz) > i32::MAX as usize;
        let (descr, size) = if wide { ("<i8", 8) } else { ("<i4", 4) };
        let mut member = archive.member("indices.npy", &npy_header(descr, false, &format!("({nnz},)")), nnz * size)?;
        let index = |(m, _): (u32, f64), bytes: &mut Vec<u8>| {
            bytes.extend_from_slice(&i64::from(m).to_le_bytes()[..size]);
        };
        columns(&index, &mut |part| {
            lengths.extend_from_slice(&part.lengths);
            member.write(&part.bytes)
        })?;
        member.finish()?;
        whole = true;
        if count_of(&lengths) != nnz {
            return Err(io::ErrorKind::InvalidInput.into()); // reported below
        }
        let count = cols + 1;
        let mut member =
            archive.member("indptr.npy", &npy_header(descr, false, &format!("({count},)")), count * size)?;
        let (mut end, mut bytes) = (0u64, Vec::new());
        member.write(&end.to_le_bytes()[..size])?;
        for lengths in lengths.chunks(PARTS * COLUMNS) {
            for &length in lengths {
                end += u64::from(length);
                bytes.extend_from_slice(&end.to_le_bytes()[..size]);
            }
            member.write(&bytes)?;
            bytes.clear();
        }
        member.finish()?;
        let mut member = archive.member("format.npy", &npy_header("|S3", false, "()"), 3)?;
        member.write(b"csc")?;
        member.finish()?;
        let mut member = archive.member("shape.npy", &npy_header("<i8", false, "(2,)"), 16)?;
        member.write(&(rows as u64).to_le_bytes())?;
        member.write(&(cols as u64).to_le_bytes())?;
        member.finish()?;
        let mut member = archive.member("data.npy", &npy_header("<f8", false, &format!("({nnz},)")), nnz * 8)?;
        let value = |(_, value): (u32, f64), bytes: &mut Vec<u8>| bytes.extend_from_slice(&value.to_le_bytes());
        columns(&value, &mut |part| member.write(&part.bytes))?;
        member.finish()?;
        archive.finish()
    });
    let found = count_of(&lengths);
    match whole && found != nnz {
        true => Err(WriteError::WrongCount { path: path.into(), promised: nnz, found }),
        false => written,
    }
}

/// Writes lists of numbers as an .npz that `numpy.load` reads, a member for each name.
pub fn write_npz_lists(path: &Path, lists: &[(&str, Pieces)]) -> Result<(), WriteError> {
    write_file(path, |file| {
        let mut archive = ArchiveWriter::new(file);
        for (name, list) in lists {
            let name = format!("{name}.npy");
            match list {
                Pieces::U8(pieces) => archive.list(&name, "|u1", list.count(), &*each(pieces), |v| [v])?,
                Pieces::U32(pieces) => archive.list(&name, "<u4", list.count(), &*each(pieces), u32::to_le_bytes)?,
                Pieces::U64(pieces) => archive.list(&name, "<u8", list.count(), &*each(pieces), u64::to_le_bytes)?,
                Pieces::F64(pieces) => archive.list(&name, "<f8", list.count(), &*each(pieces), f64::to_le_bytes)?,
                Pieces::FetchedU32(of) => archive.list(&name, "<u4", of.count, &*of.fetch, u32::to_le_bytes)?,
                Pieces::FetchedF64(of) => archive.list(&name, "<f8", of.count, &*of.fetch, f64::to_le_bytes)?,
            }
        }
        archive.finish()
    })
}

/// Hands over one piece after the other.
fn each<'a, T>(pieces: &'a [&'a [T]]) -> Box<Fetch<'a, T>> {
    Box::new(|take| pieces.iter().try_for_each(|piece| take(piece)))
}

/// The bytes before the values, padded so that they begin at a multiple of 64.
fn npy_header(descr: &str, fortran_order: bool, shape: &str) -> Vec<u8> {
    let order = if fortran_order { "True" } else { "False" };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    text.extend(std::iter::repeat_n(' ', length - text.len() - 1));
    text.push('\n');
    [b"\x93NUMPY\x01\x00", &(length as u16).to_le_bytes()[..], text.as_bytes()].concat()
}

/// A zip archive of uncompressed members, all dated 1 January 1980, with 64-bit sizes.
struct ArchiveWriter<'f> {
    file: BufWriter<&'f mut File>,
    directory: Vec<u8>,
    members: u64,
    place: u64,
}

/// A member being written. Its checksum is put into its header at the end.
struct MemberWriter<'a, 'f> {
    archive: &'a mut ArchiveWriter<'f>,
    name: &'a str,
    start: u64,
    size: u64,
    crc: Crc,
}

impl<'f> ArchiveWriter<'f> {
    fn new(file: &'f mut File) -> Self {
        Self { file: BufWriter::with_capacity(1 << 16, file), directory: Vec::new(), members: 0, place: 0 }
    }

    /// Begins a member of `header` and `bytes` more.
    fn member<'a>(&'a mut self, name: &'a str, header: &[u8], bytes: usize) -> io::Result<MemberWriter<'a, 'f>> {
        let (start, size) = (self.place, (header.len() + bytes) as u64);
        let local = [
            b"PK\x03\x04",
            &fixed_fields(0, u32::MAX, u32::MAX, name)[..],
            &20u16.to_le_bytes(), // bytes of the extra field
            name.as_bytes(),
            &[1, 0, 16, 0],
            &size.to_le_bytes(),
            &size.to_le_bytes(),
        ]
        .concat();
        self.file.write_all(&local)?;
        self.place += local.len() as u64 + size;
        let mut member = MemberWriter { archive: self, name, start, size, crc: Crc::new() };
        member.write(header)?;
        Ok(member)
    }

    /// A member that holds one list of so many numbers, `SIZE` bytes each.
    fn list<T: Copy, const SIZE: usize>(
        &mut self,
        name: &str,
        descr: &str,
        count: usize,
        fetch: &Fetch<T>,
        bytes_of: impl Fn(T) -> [u8; SIZE],
    ) -> io::Result<()> {
        let mut member = self.member(name, &npy_header(descr, false, &format!("({count},)")), count * SIZE)?;
        let (mut bytes, mut left) = (Vec::with_capacity(1 << 16), count);
        fetch(&mut |piece| {
            left = left.checked_sub(piece.len()).ok_or(io::ErrorKind::InvalidInput)?;
            for part in piece.chunks((1 << 16) / SIZE) {
                if bytes.len() + part.len() * SIZE > 1 << 16 {
                    member.write(&bytes)?;
                    bytes.clear();
                }
                part.iter().for_each(|&value| bytes.extend_from_slice(&bytes_of(value)));
            }
            Ok(())
        })?;
        if left > 0 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        member.write(&bytes)?;
        member.finish()
    }

    fn finish(mut self) -> io::Result<()> {
        let (start, size, count) = (self.place, self.directory.len() as u64, self.members);
        self.file.write_all(&self.directory)?;
        let end = start + size;
        let long = [&44u64.to_le_bytes()[..], &[45, 3, 45, 0], &[0; 8]].concat(); // its size, versions, disks
        let long_fields = [count, count, size, start].map(u64::to_le_bytes).concat();
        let locator = [&[0; 4], &end.to_le_bytes()[..], &1u32.to_le_bytes()].concat();
        let short = [&[0; 4], &[0xff; 12][..], &[0; 2]].concat(); // all counts and sizes: see the long record
        let records = [b"PK\x06\x06", &long[..], &long_fields, b"PK\x06\x07", &locator, b"PK\x05\x06", &short].concat();
        self.file.write_all(&records)?;
        self.file.flush()
    }
}

impl MemberWriter<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.crc.update(bytes);
        self.archive.file.write_all(bytes)
    }

    fn finish(self) -> io::Result<()> {
        let Self { archive, name, start, size, crc } = self;
        archive.file.seek(SeekFrom::Start(start + 14))?;
        archive.file.write_all(&crc.sum().to_le_bytes())?;
        archive.file.seek(SeekFrom::Start(archive.place))?;
        archive.members += 1;
        archive.directory.extend_from_slice(b"PK\x01\x02\x2d\x03"); // made by version 4.5 on Unix
        archive.directory.extend_from_slice(&fixed_fields(crc.sum(), u32::MAX, u32::MAX, name));
        archive.directory.extend_from_slice(&28u16.to_le_bytes()); // bytes of the extra field
        archive.directory.extend_from_slice(&[0; 6]); // no comment, disk 0, binary
        archive.directory.extend_from_slice(&(0o600u32 << 16).to_le_bytes());
        archive.directory.extend_from_slice(&u32::MAX.to_le_bytes());
        archive.directory.extend_from_slice(name.as_bytes());
        archive.directory.extend_from_slice(&[1, 0, 24, 0]);
        [size, size, start].iter().for_each(|wide| archive.directory.extend_from_slice(&wide.to_le_bytes()));
        Ok(())
    }
}

/// What both headers of a member have in common, from the version needed to the length of the name.
fn fixed_fields(crc: u32, packed: u32, size: u32, name: &str) -> Vec<u8> {
    let date = 0x0021u16; // 1980-01-01
    [
        &[45, 0, 0, 0, 0, 0, 0, 0][..], // version 4.5, no flags, stored, midnight
        &date.to_le_bytes(),
        &crc.to_le_bytes(),
        &packed.to_le_bytes(),
        &size.to_le_bytes(),
        &(name.len() as u16).to_le_bytes(),
    ]
    .concat()
}
