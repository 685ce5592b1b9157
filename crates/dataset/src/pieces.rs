//! A large text file, read and parsed by all threads: in pieces of whole lines, some at a time.
//!
//! This is for files that are as expected. A parser that finds something else in a piece returns `None`, and the file is read again line by line
//! by a reader that knows every case and says what is wrong, and where.

use crate::limits;
use memchr::memchr;
use rayon::prelude::*;
use std::fs::File;
use std::io;

/// Bytes of a piece.
const PIECE: u64 = 2 << 20;

/// Pieces that are parsed before their results are taken. Not as many as threads, so that memory does not depend on the machine.
const BATCH: usize = 8;

/// Bytes that are read at once to complete the last line of a piece.
const TAIL: usize = 1 << 16;

/// The lines of a file from some byte on.
#[derive(Debug)]
pub struct Pieces<'a> {
    file: &'a File,
    /// Where the first line begins, and the end of the file.
    first: u64,
    end: u64,
    size: u64,
    /// Bytes of a line.
    most: u64,
}

/// What a thread works with: the text of a piece, and what it makes of it.
#[derive(Debug, Default)]
pub struct Slot<T> {
    text: Vec<u8>,
    /// What was made of the piece.
    pub found: T,
    failed: bool,
}

impl<'a> Pieces<'a> {
    /// Those of a file with `end` bytes, whose lines begin at byte `first`; `None` where that is not worth it.
    pub fn of(file: &'a File, first: u64, end: u64) -> Option<Self> {
        (end.saturating_sub(first) >= PIECE / 8).then(|| Self::with_size(file, first, end, PIECE))
    }

    /// The same with pieces of about `size` bytes.
    #[doc(hidden)] // for tests
    pub fn with_size(file: &'a File, first: u64, end: u64, size: u64) -> Self {
        Self { file, first, end, size, most: limits::longest_line() }
    }

    /// Number of pieces.
    pub fn count(&self) -> usize {
        self.end.saturating_sub(self.first).div_ceil(self.size) as usize
    }

    /// The lines that begin in the first piece; `None` where they cannot be read.
    pub fn first_text(&self) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        self.read(0, &mut text).ok()?;
        Some(text)
    }

    /// The lines that begin in a piece, whole.
    fn read(&self, piece: usize, text: &mut Vec<u8>) -> io::Result<()> {
        let start = self.first + piece as u64 * self.size;
        let end = (start + self.size).min(self.end);
        // The byte before says whether a line begins here.
        let from = if piece > 0 { start - 1 } else { start };
        text.resize((end - from) as usize, 0);
        read_exact_at(self.file, text, from)?;
        if piece > 0 {
            let begun = memchr(b'\n', text).map_or(text.len(), |place| place + 1);
            text.drain(..begun);
        }
        let mut place = end;
        while place < self.end && text.last().is_some_and(|&byte| byte != b'\n') {
            let (length, more) = (text.len(), TAIL.min((self.end - place) as usize));
            if length as u64 > self.most + self.size {
                return Err(io::Error::other("a line is too long"));
            }
            text.resize(length + more, 0);
            read_exact_at(self.file, &mut text[length..], place)?;
            place += more as u64;
            if let Some(line_end) = memchr(b'\n', &text[length..]) {
                text.truncate(length + line_end + 1);
            }
        }
        Ok(())
    }

    /// Parses all pieces, those of a batch at the same time, and hands over what was made of each batch, in order; the first number is that
    /// of its first piece. `None` where some piece gave `None`, or could not be read.
    pub fn parse<T: Default + Send>(
        &self,
        parse: impl Fn(usize, &[u8], &mut T) -> Option<()> + Sync,
        mut take: impl FnMut(usize, &mut [Slot<T>]) -> Option<()>,
    ) -> Option<()> {
        let mut slots: Vec<Slot<T>> = Vec::new();
        slots.resize_with(BATCH.min(self.count()), Default::default);
        for first in (0..self.count()).step_by(BATCH) {
            let batch = BATCH.min(self.count() - first);
            slots[..batch].par_iter_mut().enumerate().for_each(|(i, Slot { text, found, failed })| {
                let parsed = self.read(first + i, text).ok().and_then(|()| parse(first + i, text, found));
                *failed |= parsed.is_none();
            });
            if slots.iter().any(|slot| slot.failed) {
                return None;
            }
            take(first, &mut slots[..batch])?;
        }
        Some(())
    }
}

/// The lines of a piece without their ends, `\n` or `\r\n`; blank ones are left out.
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let end = memchr(b'\n', rest).unwrap_or(rest.len());
            let line = &rest[..end];
            rest = &rest[(end + 1).min(rest.len())..];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !line.is_empty() {
                return Some(line);
            }
        }
        None
    })
}

/// A checksum of a piece, by which a later reading can tell whether it is the same. Four sums side by side, at the speed of memory.
pub(crate) fn checksum(text: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let (blocks, tail) = text.as_chunks::<32>();
    let mut sums = [FACTOR, 1, 2, text.len() as u64];
    for block in blocks {
        let words = block.as_chunks::<8>().0;
        sums = std::array::from_fn(|i| (sums[i] ^ u64::from_le_bytes(words[i])).wrapping_mul(FACTOR).rotate_left(29));
    }
    let words = sums.into_iter().chain(tail.iter().map(|&byte| byte.into()));
    words.fold(0, |sum, word| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29))
}

/// All of `bytes` from byte `place` on, wherever the file stands.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, place)
}

/// All of `bytes` from byte `place` on.
#[cfg(windows)]
pub(crate) fn read_exact_at(file: &File, mut bytes: &mut [u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, place)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => (bytes, place) = (&mut bytes[count..], place + count as u64),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However a file is cut, its lines come once each, in order.
    #[test]
    fn lines_are_those_of_the_file_whatever_the_size_of_a_piece() {
        for text in ["a\nbb\n\nccc\r\nd", "\n\n", "one line", "x\n", "0123456789\n0123456789\nab\n\nc\n", ""] {
            let path = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(path.path(), text).unwrap();
            let file = File::open(path.path()).unwrap();
            for first in [0, text.find('\n').map_or(0, |end| end + 1)] {
                let expected: Vec<&str> = text[first..].lines().filter(|line| !line.is_empty()).collect();
                for size in 1..=text.len() as u64 + 2 {
                    let pieces = Pieces::with_size(&file, first as u64, text.len() as u64, size);
                    let mut found = Vec::new();
                    let parse = |_: usize, text: &[u8], to: &mut Vec<String>| {
                        to.clear();
                        to.extend(lines(text).map(|line| String::from_utf8(line.to_vec()).unwrap()));
                        Some(())
                    };
                    let take = |_: usize, slots: &mut [Slot<Vec<String>>]| {
                        slots.iter().for_each(|slot| found.extend(slot.found.clone()));
                        Some(())
                    };
                    pieces.parse(parse, take).unwrap();
                    assert_eq!(found, expected, "{text:?} from {first} in pieces of {size}");
                }
            }
        }
    }
}
