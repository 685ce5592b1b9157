//! NumPy's .npy: a magic number, a header that is a Python dictionary, then the values.
//!
//! `\x93NUMPY`, version, length of the header, `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.

use crate::{Dataset, ReadError, Samples, dense::Layout, element::Element, element::Kind, input::Input};
use merit_linalg::shards::Shards;
use std::io::Read;

/// Longest header taken for one: those of real matrices have 128 bytes.
const LONGEST_HEADER: u64 = 1 << 16;

/// What comes before the values.
pub(crate) struct Header {
    /// The type as NumPy writes it, `<f8`; `None` for records with fields.
    pub descr: Option<String>,
    pub fortran_order: bool,
    pub shape: Vec<u64>,
    /// Bytes up to the first value.
    pub size: u64,
}

/// Reads a whole .npy file.
pub(crate) fn read(input: &Input) -> Result<Dataset, ReadError> {
    read_columns(input, Shards::new)
}

/// Rows and columns of the matrix in a .npy file.
pub(crate) fn shape(input: &Input) -> Result<(usize, usize), ReadError> {
    let layout = Header::read(input, &mut input.open()?)?.layout(input)?;
    Ok((layout.rows(), layout.cols()))
}

/// Reads of a .npy file the columns that are to be here.
pub(crate) fn read_columns(input: &Input, columns: impl Fn(usize) -> Shards) -> Result<Dataset, ReadError> {
    let mut file = input.open()?;
    let header = Header::read(input, &mut file)?;
    let layout = header.layout(input)?;
    check_length(input, layout.bytes(), input.bytes.saturating_sub(header.size))?;
    let matrix = layout.read_at(input, header.size, columns(layout.cols()))?;
    Ok(Dataset {
        matrix,
        labels: None,
        rounded: input.rounded(),
        description: header.description(&layout),
        maybe_transposed: false,
    })
}

/// Fails unless the `found` bytes after the header are as many as `expected`.
pub(crate) fn check_length(input: &Input, expected: u128, found: u64) -> Result<(), ReadError> {
    let (at, expected) = (input.at.clone(), u64::try_from(expected).unwrap_or(u64::MAX));
    match found.checked_sub(expected) {
        None => Err(ReadError::Truncated { at, found, expected }),
        Some(0) => Ok(()),
        Some(extra) => Err(ReadError::Trailing { at, extra, expected }),
    }
}

impl Header {
    pub fn read(input: &Input, stream: &mut dyn Read) -> Result<Self, ReadError> {
        let mut start = [0; 8];
        let enough = stream.read_exact(&mut start);
        if enough.is_err() || start[..6] != *b"\x93NUMPY" {
            return Err(input.malformed("it does not begin with \\x93NUMPY, as .npy files do"));
        }
        let (length, prefix) = match start[6] {
            1 => (u64::from(u16::from_le_bytes(bytes(input, stream)?)), 10),
            2 | 3 => (u64::from(u32::from_le_bytes(bytes(input, stream)?)), 12),
            version => return Err(input.malformed(format!("version {version} of .npy, but 1, 2 or 3 is expected"))),
        };
        if length > LONGEST_HEADER {
            return Err(
                input.malformed(format!("its header has {length} bytes, but at most {LONGEST_HEADER} are expected"))
            );
        }
        let mut text = vec![0; length as usize];
        stream.read_exact(&mut text).map_err(|error| input.io(error))?;
        let text = String::from_utf8_lossy(&text);
        let mut header = Dictionary { rest: &text }
            .header()
            .ok_or_else(|| input.malformed(format!("its header is `{}`", text.trim_end().escape_debug())))?;
        header.size = prefix + length;
        Ok(header)
    }

    /// The type of the values; fails unless they are real numbers.
    pub fn element(&self, input: &Input) -> Result<Element, ReadError> {
        let refused = |found: &str| Err(ReadError::NotReal { at: input.at.clone(), found: found.to_string() });
        let Some(descr) = &self.descr else {
            return refused("records with named fields");
        };
        let mut characters = descr.chars();
        let big_endian = characters.next() == Some('>');
        let kind = match characters.as_str() {
            "b1" => Kind::Bool,
            "i1" => Kind::I8,
            "i2" => Kind::I16,
            "i4" => Kind::I32,
            "i8" => Kind::I64,
            "u1" => Kind::U8,
            "u2" => Kind::U16,
            "u4" => Kind::U32,
            "u8" => Kind::U64,
            "f2" => Kind::F16,
            "f4" => Kind::F32,
            "f8" => Kind::F64,
            "c8" => return refused("complex64 values"),
            "c16" => return refused("complex128 values"),
            "c32" => return refused("complex256 values"),
            "f12" | "f16" => return refused("long double values"),
            other => {
                return match other.chars().next() {
                    Some('O') => refused("Python objects"),
                    Some('S' | 'U' | 'a') => refused("text"),
                    Some('M' | 'm') => refused("dates or durations"),
                    Some('V') => refused("raw bytes"),
                    _ => refused(&format!("values of the unknown type `{}`", descr.escape_debug())),
                };
            }
        };
        Ok(Element { kind, big_endian })
    }

    /// Where the values go; fails unless they are a matrix of real numbers.
    pub fn layout(&self, input: &Input) -> Result<Layout, ReadError> {
        let element = self.element(input)?;
        let (rows, cols) = input.sizes(&self.shape)?;
        let (lines, length) = if self.fortran_order { (cols, rows) } else { (rows, cols) };
        Ok(Layout { element, lines, length, lines_are_rows: self.fortran_order == (input.samples == Samples::Rows) })
    }

    pub fn description(&self, layout: &Layout) -> String {
        format!("{}, {} order", layout.element.name(), if self.fortran_order { "Fortran" } else { "C" })
    }
}

fn bytes<const N: usize>(input: &Input, stream: &mut dyn Read) -> Result<[u8; N], ReadError> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes).map_err(|error| input.io(error))?;
    Ok(bytes)
}

/// The few things of Python's notation that a header uses.
struct Dictionary<'a> {
    rest: &'a str,
}

impl<'a> Dictionary<'a> {
    fn header(mut self) -> Option<Header> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        self.eat("{")?;
        while self.eat("}").is_none() {
            let key = self.string()?;
            self.eat(":")?;
            match key {
                "descr" if self.rest.trim_start().starts_with('[') => {
                    descr = Some(None);
                    self.skip_list()?;
                }
                "descr" => descr = Some(Some(self.string()?.to_string())),
                "fortran_order" if self.eat("True").is_some() => fortran_order = Some(true),
                "fortran_order" => {
                    self.eat("False")?;
                    fortran_order = Some(false);
                }
                "shape" => shape = Some(self.tuple()?),
                _ => return None,
            }
            if self.eat(",").is_none() {
                self.eat("}")?;
                break;
            }
        }
        let finished = self.rest.trim().is_empty();
        finished.then_some(Header { descr: descr?, fortran_order: fortran_order?, shape: shape?, size: 0 })
    }

    fn eat(&mut self, token: &str) -> Option<()> {
        self.rest = self.rest.trim_start().strip_prefix(token)?;
        Some(())
    }

    fn string(&mut self) -> Option<&'a str> {
        let quote = if self.eat("'").is_some() { '\'' } else { self.eat("\"").map(|()| '"')? };
        let (text, rest) = self.rest.split_once(quote)?;
        self.rest = rest;
        Some(text)
    }

    fn tuple(&mut self) -> Option<Vec<u64>> {
        self.eat("(")?;
        let (inside, rest) = self.rest.split_once(')')?;
        self.rest = rest;
        let inside = inside.trim();
        let sizes = inside.strip_suffix(',').unwrap_or(inside);
        if sizes.is_empty() {
            return Some(Vec::new());
        }
        sizes.split(',').map(|size| size.trim().trim_end_matches('L').parse().ok()).collect() // 3L: Python 2
    }

    fn skip_list(&mut self) -> Option<()> {
        let mut depth = 0;
        for (place, character) in self.rest.char_indices() {
            depth += i32::from(character == '[') - i32::from(character == ']');
            if character == ']' && depth == 0 {
                self.rest = &self.rest[place + 1..];
                return Some(());
            }
        }
        None
    }
}
