//! How bytes become text. UTF-8, and UTF-16 by its mark, unless the user says otherwise; bytes that are neither may be Windows-1252, which is
//! Latin-1 with quotation marks and dashes.
//!
//! ```
//! use merit_dataset::encoding::{Encoding, How, decoded};
//! assert_eq!(decoded("Käse".as_bytes(), None), ("Käse".into(), How::AsItIs));
//! assert_eq!(decoded(b"K\xe4se", None), ("Käse".into(), How::Western));
//! assert_eq!(decoded(b"K\xffse", None), ("K\u{fffd}se".into(), How::Replaced));
//! let cyrillic = Encoding::named("windows-1251").unwrap();
//! assert_eq!(decoded(b"\xf1\xfb\xf0", Some(cyrillic)), ("сыр".into(), How::AsItIs));
//! assert_eq!(Encoding::named("latin-1").unwrap().name(), "windows-1252");
//! ```

use crate::text::is_utf16;
use encoding_rs::{CoderResult, Decoder, UTF_8, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;
use std::io::{self, Read};

/// Bytes that are turned into UTF-8 at once.
const BUFFER: usize = 1 << 15;

/// A way to write letters as bytes: one of the web's, by any of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

impl Encoding {
    /// UTF-16, whose mark says which byte of a pair comes first; without it the smaller one does.
    pub const UTF_16: Self = Self(UTF_16LE);

    /// By its name, in any case: `utf-8`, `utf-16`, `latin-1`, `windows-1252`, `shift_jis`, `gbk`, `koi8-r`, ...
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        let name = name.strip_prefix("latin-").map_or(name.clone(), |number| format!("latin{number}"));
        encoding_rs::Encoding::for_label_no_replacement(name.as_bytes()).map(Self)
    }

    /// Its name, in lower case.
    pub fn name(self) -> String {
        self.0.name().to_lowercase()
    }
}

/// How well bytes could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// They are what they should be.
    AsItIs,
    /// They are not UTF-8, but make sense as Windows-1252, and were read so.
    Western,
    /// Some make no sense and were replaced.
    Replaced,
}

/// The text of some bytes, without a byte order mark; by default UTF-8, UTF-16 with its mark, or Windows-1252 where nothing else is plausible.
pub fn decoded(bytes: &[u8], encoding: Option<Encoding>) -> (Cow<'_, str>, How) {
    let encoding = encoding.map_or(if is_utf16(bytes) { UTF_16LE } else { UTF_8 }, |encoding| encoding.0);
    let (text, used, replaced) = encoding.decode(bytes);
    match replaced {
        false => (text, How::AsItIs),
        true if used == UTF_8 && is_western(bytes) => (WINDOWS_1252.decode(bytes).0, How::Western),
        true => (text, How::Replaced),
    }
}

/// Whether bytes that are not UTF-8 are plausible in Windows-1252: no letter of UTF-8 in them, and only bytes that western languages use.
fn is_western(bytes: &[u8]) -> bool {
    let usual = |byte: u8| match byte {
        0x80 | 0x85 | 0x91..=0x94 | 0x96 | 0x97 | 0x99 | 0x8C | 0x9C => true, // euro, ellipsis, quotation marks, dashes, TM, oe
        0xA0..=0xA3 | 0xA7..=0xAB | 0xAE | 0xB0 | 0xB4 | 0xB7 | 0xBA | 0xBB | 0xBF => true,
        0xC0..=0xCF | 0xD1..=0xD6 | 0xD8..=0xDC | 0xDF..=0xEF | 0xF1..=0xF6 | 0xF8..=0xFC => true,
        other => other.is_ascii(),
    };
    bytes.iter().all(|byte| usual(*byte)) && bytes.utf8_chunks().all(|chunk| chunk.valid().is_ascii())
}

/// Bytes of an encoding as UTF-8; what is not of it is replaced.
pub(crate) struct Transcoded<R> {
    source: R,
    decoder: Decoder,
    raw: Vec<u8>,
    /// Bytes of `raw` that are read and not decoded yet: from, to.
    waiting: (usize, usize),
    ready: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read> Transcoded<R> {
    pub fn new(source: R, encoding: Encoding) -> Self {
        let (decoder, raw) = (encoding.0.new_decoder(), vec![0; BUFFER]);
        Self { source, decoder, raw, waiting: (0, 0), ready: Vec::new(), given: 0, ended: false }
    }
}

impl<R: Read> Read for Transcoded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.ready.len() && !self.ended {
            let last = if self.waiting.0 == self.waiting.1 {
                self.waiting = (0, self.source.read(&mut self.raw)?);
                self.waiting.1 == 0
            } else {
                false
            };
            self.ready.resize(3 * BUFFER, 0);
            let waiting = &self.raw[self.waiting.0..self.waiting.1];
            let (result, read, written, _) = self.decoder.decode_to_utf8(waiting, &mut self.ready, last);
            self.waiting.0 += read;
            self.ready.truncate(written);
            self.given = 0;
            self.ended = last && result == CoderResult::InputEmpty;
        }
        let count = out.len().min(self.ready.len() - self.given);
        out[..count].copy_from_slice(&self.ready[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A byte at a time, so that letters of several bytes come in parts.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(out.len()).min(1);
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn streams_are_decoded_as_whole_texts_are() {
        for (name, bytes) in [
            ("shift_jis", &b"\x93\x8c\x8b\x9e, abc\n\x93"[..]),
            ("utf-16", b"\xfe\xff\x00a\xd8\x01\xdc\x00\x00"),
            ("utf-16", b"a\x00\xe4\x00"),
            ("latin-1", b"K\xe4se \x80"),
            ("gb18030", b"\xd6\xd0\xb9\xfa"),
            ("utf-8", b"\xef\xbb\xbfa\xff"),
            ("utf-8", b""),
        ] {
            let encoding = Encoding::named(name).unwrap();
            let whole = decoded(bytes, Some(encoding)).0;
            let long: Vec<u8> =
                bytes.iter().copied().cycle().take(bytes.len() * if name == "latin-1" { 20_000 } else { 1 }).collect();
            let mut text = String::new();
            Transcoded::new(&long[..], encoding).read_to_string(&mut text).unwrap();
            assert_eq!(text, whole.repeat(long.len() / bytes.len().max(1)), "{name}");
            let mut text = String::new();
            Transcoded::new(Drops(bytes), encoding).read_to_string(&mut text).unwrap();
            assert_eq!(text, whole, "{name} in drops");
        }
        assert!(Encoding::named("klingon").is_none());
    }

    #[test]
    fn only_plausible_bytes_are_taken_for_western_letters() {
        let how = |bytes: &[u8]| decoded(bytes, None).1;
        assert_eq!(how(b"d\x92\xe9t\xe9 \x96 \xabgar\xe7on\xbb"), How::Western);
        assert_eq!(how(b"caf\xc3\xa9 and caf\xe9"), How::Replaced, "UTF-8 with a broken letter");
        assert_eq!(how(b"\x81\x8d\x00"), How::Replaced);
        assert_eq!(how(b"plain"), How::AsItIs);
    }
}
