//! The data elements of a MATLAB v5 file: a tag of type and length, then that many bytes, padded to a multiple of 8.

use crate::element::{Element, Kind};
use crate::{ReadError, input::Input};
use std::io::{self, Read};

pub(crate) const MATRIX: u32 = 14;
pub(crate) const COMPRESSED: u32 = 15;

/// A stream of elements in a byte order, of which `left` bytes belong to the variable.
pub(crate) struct Elements<'a> {
    pub input: &'a Input<'a>,
    pub stream: Box<dyn Read + 'a>,
    pub big_endian: bool,
    pub left: u64,
}

/// The tag of an element; its first bytes are in the tag itself when there are at most four.
pub(crate) struct Tag {
    pub kind: u32,
    pub bytes: u64,
    small: Option<[u8; 4]>,
}

impl Tag {
    /// The tag in 8 bytes.
    pub fn parse(raw: [u8; 8], big_endian: bool) -> Self {
        let [first, second] = [[raw[0], raw[1], raw[2], raw[3]], [raw[4], raw[5], raw[6], raw[7]]];
        let number = |raw| if big_endian { u32::from_be_bytes(raw) } else { u32::from_le_bytes(raw) };
        match number(first) >> 16 {
            0 => Self { kind: number(first), bytes: number(second).into(), small: None },
            bytes => Self { kind: number(first) & 0xffff, bytes: bytes.into(), small: Some(second) },
        }
    }

    /// The numbers it holds, if it holds numbers.
    pub fn element(&self, big_endian: bool) -> Option<Element> {
        let kind = match self.kind {
            1 => Kind::I8,
            2 => Kind::U8,
            3 => Kind::I16,
            4 => Kind::U16,
            5 => Kind::I32,
            6 => Kind::U32,
            7 => Kind::F32,
            9 => Kind::F64,
            12 => Kind::I64,
            13 => Kind::U64,
            _ => return None,
        };
        Some(Element { kind, big_endian })
    }
}

impl Elements<'_> {
    pub fn tag(&mut self) -> Result<Tag, ReadError> {
        let mut raw = [0; 8];
        self.exact(&mut raw)?;
        let tag = Tag::parse(raw, self.big_endian);
        let most = if tag.small.is_some() { 4 } else { self.left };
        if tag.bytes > most {
            return Err(self.input.malformed(format!("it has a part of {} bytes where {most} are left", tag.bytes)));
        }
        Ok(tag)
    }

    /// The numbers of the next element: their type, their count, and the bytes that follow them.
    pub fn numbers(&mut self) -> Result<(Element, usize, Numbers<'_>), ReadError> {
        let tag = self.tag()?;
        let element = tag.element(self.big_endian);
        let element = element
            .ok_or_else(|| self.input.malformed(format!("a part has type {}, which is not a number", tag.kind)))?;
        let count = (tag.bytes / element.size() as u64) as usize;
        let padding = if tag.small.is_some() { 0 } else { tag.bytes.next_multiple_of(8) - tag.bytes };
        self.left = self.left.saturating_sub(if tag.small.is_some() { 0 } else { tag.bytes + padding });
        let numbers = match tag.small {
            Some(raw) => {
                Numbers { small: Some(io::Cursor::new(raw).take(tag.bytes)), stream: &mut self.stream, padding }
            }
            None => Numbers { small: None, stream: &mut self.stream, padding },
        };
        Ok((element, count, numbers))
    }

    /// All bytes of the next element, which has at most `most`.
    pub fn short(&mut self, most: u64) -> Result<Vec<u8>, ReadError> {
        let input = self.input;
        let (element, count, mut numbers) = self.numbers()?;
        let bytes = count * element.size();
        if bytes as u64 > most {
            return Err(
                input.malformed(format!("a part of its header has {bytes} bytes, but at most {most} are expected"))
            );
        }
        let mut raw = vec![0; bytes];
        numbers.read_exact(&mut raw).map_err(|error| input.io(error))?;
        numbers.finish(input)?;
        Ok(raw)
    }

    fn exact(&mut self, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.left = self
            .left
            .checked_sub(buffer.len() as u64)
            .ok_or_else(|| self.input.malformed("its parts are longer than it says"))?;
        self.stream.read_exact(buffer).map_err(|error| self.input.io(error))
    }
}

/// The bytes of one element.
pub(crate) struct Numbers<'a> {
    small: Option<io::Take<io::Cursor<[u8; 4]>>>,
    stream: &'a mut dyn Read,
    padding: u64,
}

impl Read for Numbers<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.small {
            Some(bytes) => bytes.read(buffer),
            None => self.stream.read(buffer),
        }
    }
}

impl Numbers<'_> {
    /// Skips the padding; all numbers must have been read.
    pub fn finish(self, input: &Input) -> Result<(), ReadError> {
        let mut padding = [0; 8];
        let padding = &mut padding[..self.padding as usize];
        self.stream.read_exact(padding).map_err(|error| input.io(error))
    }
}
