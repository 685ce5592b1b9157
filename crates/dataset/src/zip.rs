//! The members of a zip archive, as far as .npz files use it: stored or deflated, with 64-bit sizes.
//!
//! Every size is compared with the length of the file before it is used, and every checksum with what was read.

use crate::{ReadError, input::Input};
use flate2::{Crc, bufread::DeflateDecoder};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// Bytes of the record that ends an archive, without its comment.
const END: u64 = 22;

pub(crate) struct Archive {
    file: File,
    pub members: Vec<Member>,
}

#[derive(Clone)]
pub(crate) struct Member {
    pub name: String,
    /// Bytes of its contents.
    pub size: u64,
    /// Bytes it takes in the file.
    pub packed: u64,
    encrypted: bool,
    method: u16,
    crc: u32,
    offset: u64,
}

impl Archive {
    pub fn open(input: &Input) -> Result<Self, ReadError> {
        let mut file = input.open()?;
        let members = Self::directory(input, &mut file)
            .map_err(|error| input.io(error))?
            .ok_or_else(|| input.malformed("it is not a zip archive, as .npz files are, or it is cut short"))?;
        Ok(Self { file, members })
    }

    /// The members by the directory at the end of the file; `None` if that makes no sense.
    fn directory(input: &Input, file: &mut File) -> io::Result<Option<Vec<Member>>> {
        let tail_start = input.bytes.saturating_sub(END + u64::from(u16::MAX));
        let tail = bytes_at(file, tail_start, input.bytes - tail_start)?;
        let Some(end) = (0..tail.len().saturating_sub(END as usize - 1)).rev().find(|&place| {
            tail[place..].starts_with(b"PK\x05\x06")
                && u16_at(&tail, place + 20)
                    .is_some_and(|comment| place + END as usize + comment as usize == tail.len())
        }) else {
            return Ok(None);
        };
        let short = (u16_at(&tail, end + 10), u32_at(&tail, end + 12), u32_at(&tail, end + 16));
        let (Some(count), Some(size), Some(start)) = short else { return Ok(None) };
        let (mut size, mut start) = (u64::from(size), u64::from(start));
        if count == u16::MAX || size == u64::from(u32::MAX) || start == u64::from(u32::MAX) {
            let locator = end.checked_sub(20).filter(|&place| tail[place..].starts_with(b"PK\x06\x07"));
            let Some(place) = locator.and_then(|locator| u64_at(&tail, locator + 8)) else { return Ok(None) };
            if place.checked_add(56).is_none_or(|end| end > input.bytes) {
                return Ok(None);
            }
            let record = bytes_at(file, place, 56)?;
            let (Some(long_size), Some(long_start)) = (u64_at(&record, 40), u64_at(&record, 48)) else {
                return Ok(None);
            };
            (size, start) = (long_size, long_start);
        }
        if start.checked_add(size).is_none_or(|end| end > input.bytes) {
            return Ok(None);
        }
        let directory = bytes_at(file, start, size)?;
        let mut rest = &directory[..];
        let mut members = Vec::new();
        while !rest.is_empty() {
            let Some((member, after)) = Member::parse(rest) else { return Ok(None) };
            members.push(member);
            rest = after;
        }
        Ok(Some(members))
    }

    /// Where the contents of a member begin.
    pub fn start(&mut self, input: &Input, member: &Member) -> Result<u64, ReadError> {
        if member.encrypted {
            return Err(input.malformed("it is encrypted"));
        }
        let fixed = bytes_at(&mut self.file, member.offset, 30).map_err(|error| input.io(error))?;
        let (Some(name), Some(extra), true) =
            (u16_at(&fixed, 26), u16_at(&fixed, 28), fixed.starts_with(b"PK\x03\x04"))
        else {
            return Err(input.malformed("the archive's directory points to a wrong place"));
        };
        let start = member.offset.saturating_add(30 + u64::from(name) + u64::from(extra));
        if start.checked_add(member.packed).is_none_or(|end| end > input.bytes) {
            return Err(input.malformed("it reaches beyond the end of the file"));
        }
        Ok(start)
    }

    /// The contents of a member.
    pub fn stream<'a>(&'a mut self, input: &Input, member: &Member) -> Result<Contents<'a>, ReadError> {
        let start = self.start(input, member)?;
        self.file.seek(SeekFrom::Start(start)).map_err(|error| input.io(error))?;
        let packed = BufReader::with_capacity(1 << 16, (&self.file).take(member.packed));
        let source: Box<dyn Read> = match member.method {
            0 if member.size == member.packed => Box::new(packed),
            0 => return Err(input.malformed("the archive gives two sizes for it")),
            8 => {
                input.check_unpacked(member.packed, member.size)?;
                Box::new(DeflateDecoder::new(packed))
            }
            method => return Err(input.malformed(format!("zip method {method}, but 0 or 8 (deflate) is expected"))),
        };
        Ok(Contents { source, crc: Crc::new(), expected_crc: member.crc, left: member.size })
    }
}

impl Member {
    /// Whether its contents are in the file as they are.
    pub fn is_stored(&self) -> bool {
        self.method == 0
    }

    /// The first member in a directory, and the directory after it.
    fn parse(directory: &[u8]) -> Option<(Self, &[u8])> {
        directory.strip_prefix(b"PK\x01\x02")?;
        let [name, extra, comment] = [28, 30, 32].map(|place| u16_at(directory, place).map(usize::from));
        let (name, extra, comment) = (name?, extra?, comment?);
        let extra_start = 46 + name;
        let comment_start = extra_start + extra;
        let mut member = Self {
            name: String::from_utf8_lossy(directory.get(46..extra_start)?).into_owned(),
            size: u32_at(directory, 24)?.into(),
            packed: u32_at(directory, 20)?.into(),
            encrypted: u16_at(directory, 8)? & 1 == 1,
            method: u16_at(directory, 10)?,
            crc: u32_at(directory, 16)?,
            offset: u32_at(directory, 42)?.into(),
        };
        member.widen(directory.get(extra_start..comment_start)?);
        Some((member, directory.get(comment_start + comment..)?))
    }

    /// Takes the sizes that do not fit 32 bits from the extra field with number 1.
    fn widen(&mut self, mut extra: &[u8]) {
        while let (Some(id), Some(length)) = (u16_at(extra, 0), u16_at(extra, 2)) {
            let Some(mut body) = extra.get(4..4 + length as usize) else { return };
            extra = &extra[4 + length as usize..];
            if id == 1 {
                for field in [&mut self.size, &mut self.packed, &mut self.offset] {
                    if *field == u64::from(u32::MAX)
                        && let Some(wide) = u64_at(body, 0)
                    {
                        (*field, body) = (wide, &body[8..]);
                    }
                }
            }
        }
    }
}

/// The bytes of a member, never more than the archive says; the last of them fail when the checksum is wrong.
pub(crate) struct Contents<'a> {
    source: Box<dyn Read + 'a>,
    crc: Crc,
    expected_crc: u32,
    left: u64,
}

impl Read for Contents<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let count = self.source.read(&mut buffer[..most])?;
        self.crc.update(&buffer[..count]);
        self.left -= count as u64;
        if count > 0 && self.left == 0 && self.crc.sum() != self.expected_crc {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(count)
    }
}

fn bytes_at(file: &mut File, start: u64, count: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; count as usize];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn u16_at(bytes: &[u8], place: usize) -> Option<u16> {
    bytes.get(place..)?.first_chunk().map(|&raw| u16::from_le_bytes(raw))
}

fn u32_at(bytes: &[u8], place: usize) -> Option<u32> {
    bytes.get(place..)?.first_chunk().map(|&raw| u32::from_le_bytes(raw))
}

fn u64_at(bytes: &[u8], place: usize) -> Option<u64> {
    bytes.get(place..)?.first_chunk().map(|&raw| u64::from_le_bytes(raw))
}
