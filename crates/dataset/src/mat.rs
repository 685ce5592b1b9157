//! MATLAB's .mat, versions 5 to 7: a header of 128 bytes, then one variable after another, each perhaps compressed.
//!
//! A variable is an element of type 14 made of elements: flags and class, sizes, name, then the values column after
//! column, or for a sparse matrix row indices, column pointers and values.

use crate::dense::{Layout, PLAUSIBLE_RATIO, read_vector};
use crate::element::Element;
use crate::mat_element::{COMPRESSED, Elements, MATRIX, Tag};
use crate::npy::check_length;
use crate::sparse::{compressed, index, room_for_sparse};
use crate::{Dataset, ReadError, Samples, error::quoted, input::Input};
use flate2::bufread::ZlibDecoder;
use merit_linalg::DataMatrix;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

const SPARSE: u8 = 5;

/// Where a variable is and what its header says.
struct Variable {
    name: String,
    shape: Vec<u64>,
    class: u8,
    complex: bool,
    /// Of the element in the file, after its tag.
    start: u64,
    bytes: u64,
    compressed: bool,
}

pub(crate) fn read(input: &Input) -> Result<Dataset, ReadError> {
    let mut file = input.open()?;
    let big_endian = byte_order(input, &mut file)?;
    let variables = variables(input, &mut file, big_endian)?;
    let at = || input.at.clone();
    let matrices: Vec<_> = variables.iter().filter(|variable| variable.is_matrix()).collect();
    let names = || matrices.iter().map(|matrix| matrix.label()).collect();
    let chosen = match (input.variable, &matrices[..]) {
        (Some(name), _) => variables
            .iter()
            .find(|variable| variable.name == name)
            .ok_or_else(|| ReadError::UnknownVariable { at: at(), name: name.to_string(), names: names() })?,
        (None, []) => return Err(ReadError::NoMatrix { at: at() }),
        (None, [one]) => one,
        (None, _) => return Err(ReadError::SeveralVariables { at: at(), names: names() }),
    };
    chosen.read(&input.part(&chosen.name), &mut file, big_endian)
}

/// A variable that can be read: its name and the sizes of its axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Its name.
    pub name: String,
    /// Sizes of its axes.
    pub shape: Vec<u64>,
}

/// The full arrays of real numbers.
pub(crate) fn described(input: &Input) -> Result<Vec<Described>, ReadError> {
    let mut file = input.open()?;
    let big_endian = byte_order(input, &mut file)?;
    let variables = variables(input, &mut file, big_endian)?;
    let full = variables.into_iter().filter(|variable| variable.refusal().is_none() && variable.class != SPARSE);
    Ok(full.map(|Variable { name, shape, .. }| Described { name, shape }).collect())
}

/// The variable that the input names, whatever the number of its axes: their sizes, and the numbers as they are stored.
pub(crate) fn raw(input: &Input) -> Result<(Vec<u64>, Element, Vec<u8>), ReadError> {
    let mut file = input.open()?;
    let big_endian = byte_order(input, &mut file)?;
    let mut variables = variables(input, &mut file, big_endian)?;
    let name = input.variable.unwrap_or_default();
    let names = || variables.iter().map(Variable::label).collect();
    let Some(chosen) = variables.iter().position(|variable| variable.name == name) else {
        return Err(ReadError::UnknownVariable { at: input.at.clone(), name: name.to_string(), names: names() });
    };
    let (chosen, input) = (variables.swap_remove(chosen), input.part(name));
    let found = chosen.refusal().or((chosen.class == SPARSE).then_some("a sparse matrix"));
    if let Some(found) = found {
        return Err(ReadError::NotReal { at: input.at.clone(), found: found.to_string() });
    }
    let mut elements = chosen.values(&input, &mut file, big_endian)?;
    let (element, count, numbers) = elements.numbers()?;
    let bytes = count as u64 * element.size() as u64;
    input.room_for(bytes.into())?;
    let mut raw = Vec::new(); // grows with what is there, not with what is promised
    numbers.take(bytes).read_to_end(&mut raw).map_err(|error| input.io(error))?;
    check_length(&input, bytes.into(), raw.len() as u64)?;
    Ok((chosen.shape, element, raw))
}

/// Whether the file is big endian; fails unless it is a .mat of version 5.
fn byte_order(input: &Input, file: &mut File) -> Result<bool, ReadError> {
    let mut start = Vec::new();
    file.take(520).read_to_end(&mut start).map_err(|error| input.io(error))?;
    let hdf5 = |place: usize| start.get(place..).is_some_and(|bytes| bytes.starts_with(b"\x89HDF"));
    if hdf5(0) || hdf5(512) || start.starts_with(b"MATLAB 7.3") {
        return Err(ReadError::Hdf5 { at: input.at.clone() });
    }
    match start.get(124..128) {
        Some([_, 1, b'I', b'M']) => Ok(false),
        Some([1, _, b'M', b'I']) => Ok(true),
        _ => Err(input.malformed("it does not begin with the header of a MATLAB 5 file")),
    }
}

/// The headers of all variables.
fn variables(input: &Input, file: &mut File, big_endian: bool) -> Result<Vec<Variable>, ReadError> {
    let mut variables = Vec::new();
    let mut place = 128;
    while place < input.bytes {
        file.seek(SeekFrom::Start(place)).map_err(|error| input.io(error))?;
        let mut raw = [0; 8];
        file.read_exact(&mut raw).map_err(|error| input.io(error))?;
        let tag = Tag::parse(raw, big_endian);
        let start = place + 8;
        let found = input.bytes.saturating_sub(start);
        if tag.bytes > found {
            let expected = tag.bytes;
            return Err(ReadError::Truncated { at: input.at.clone(), found, expected });
        }
        if let MATRIX | COMPRESSED = tag.kind {
            let mut variable = Variable {
                name: String::new(),
                shape: Vec::new(),
                class: 0,
                complex: false,
                start,
                bytes: tag.bytes,
                compressed: tag.kind == COMPRESSED,
            };
            if tag.bytes > 0 {
                variable.header(input, file, big_endian)?;
                variables.push(variable);
            }
        }
        place = start + tag.bytes;
    }
    Ok(variables)
}

impl Variable {
    /// Full matrices of numbers and sparse ones.
    fn is_matrix(&self) -> bool {
        self.refusal().is_none() && self.shape.len() == 2
    }

    /// What it is, if it is not made of real numbers.
    fn refusal(&self) -> Option<&'static str> {
        match self.class {
            _ if self.complex => Some("complex values"),
            SPARSE..=15 => None,
            1 => Some("a cell array"),
            2 => Some("a structure"),
            3 | 17 => Some("an object"),
            4 => Some("text"),
            16 => Some("a function"),
            _ => Some("values of an unknown class"),
        }
    }

    fn label(&self) -> String {
        let sizes: Vec<_> = self.shape.iter().map(u64::to_string).collect();
        format!("{} ({})", quoted(&self.name), sizes.join(" x "))
    }

    /// Its elements, from the first.
    fn elements<'a>(
        &self,
        input: &'a Input<'a>,
        file: &'a mut File,
        big_endian: bool,
    ) -> Result<Elements<'a>, ReadError> {
        file.seek(SeekFrom::Start(self.start)).map_err(|error| input.io(error))?;
        let raw = BufReader::with_capacity(1 << 16, file.take(self.bytes));
        if !self.compressed {
            return Ok(Elements { input, stream: Box::new(raw), big_endian, left: self.bytes });
        }
        let mut elements = Elements { input, stream: Box::new(ZlibDecoder::new(raw)), big_endian, left: u64::MAX };
        let tag = elements.tag()?;
        if tag.kind != MATRIX {
            return Err(input.malformed(format!("a compressed element of type {}, but a matrix is expected", tag.kind)));
        }
        elements.left = tag.bytes;
        Ok(elements)
    }

    /// Reads flags, sizes and name.
    fn header(&mut self, input: &Input, file: &mut File, big_endian: bool) -> Result<(), ReadError> {
        let mut elements = self.elements(input, file, big_endian)?;
        self.read_header(&mut elements)
    }

    fn read_header(&mut self, elements: &mut Elements) -> Result<(), ReadError> {
        let big_endian = elements.big_endian;
        let number = |raw: &[u8; 4]| if big_endian { u32::from_be_bytes(*raw) } else { u32::from_le_bytes(*raw) };
        let flags = elements.short(8)?;
        let flags = flags.first_chunk().map_or(0, number);
        (self.class, self.complex) = (flags as u8, flags & 0x800 != 0);
        if self.class == 17 {
            return Ok(()); // an object of a class: no sizes
        }
        self.shape = elements.short(256)?.as_chunks().0.iter().map(|raw| number(raw).into()).collect();
        self.name = String::from_utf8_lossy(&elements.short(256)?).into_owned();
        Ok(())
    }

    fn read(&self, input: &Input, file: &mut File, big_endian: bool) -> Result<Dataset, ReadError> {
        if let Some(found) = self.refusal() {
            return Err(ReadError::NotReal { at: input.at.clone(), found: found.to_string() });
        }
        let (rows, cols) = input.sizes(&self.shape)?;
        let (matrix, number) = if self.class == SPARSE {
            self.sparse(input, file, big_endian, rows, cols)?
        } else {
            self.dense(input, file, big_endian, rows, cols)?
        };
        let form = if self.class == SPARSE { "sparse, " } else { "" };
        Ok(Dataset {
            maybe_transposed: false,
            matrix,
            labels: None,
            rounded: input.rounded(),
            description: format!("MATLAB 5, {form}stored as {number}"),
        })
    }

    /// Its elements, from the one after the name.
    fn values<'a>(
        &self,
        input: &'a Input<'a>,
        file: &'a mut File,
        big_endian: bool,
    ) -> Result<Elements<'a>, ReadError> {
        let mut elements = self.elements(input, file, big_endian)?;
        if self.compressed {
            input.check_unpacked(self.bytes, elements.left)?;
        }
        for _ in ["flags", "sizes", "name"] {
            elements.short(256)?;
        }
        Ok(elements)
    }

    fn dense(
        &self,
        input: &Input,
        file: &mut File,
        big_endian: bool,
        rows: usize,
        cols: usize,
    ) -> Result<(DataMatrix, &'static str), ReadError> {
        let needed = rows as u128 * cols as u128 * 8;
        input.room_for(needed)?;
        if needed > PLAUSIBLE_RATIO * u128::from(self.bytes) {
            let mut elements = self.elements(input, file, big_endian)?;
            let found = io::copy(&mut elements.stream, &mut io::sink()).map_err(|error| input.io(error))?;
            if found < elements.left {
                return Err(input.malformed("it ends too early"));
            }
        }
        let mut elements = self.values(input, file, big_endian)?;
        let (element, count, mut numbers) = elements.numbers()?;
        let layout = Layout { element, lines: cols, length: rows, lines_are_rows: input.samples == Samples::Rows };
        check_length(input, layout.bytes(), count as u64 * element.size() as u64)?;
        Ok((layout.read(input, &mut numbers)?.into(), element.name()))
    }

    fn sparse(
        &self,
        input: &Input,
        file: &mut File,
        big_endian: bool,
        rows: usize,
        cols: usize,
    ) -> Result<(DataMatrix, &'static str), ReadError> {
        let mut elements = self.values(input, file, big_endian)?;
        let no_index = |value| input.malformed(format!("it holds {value:?}, which is not an index"));
        let (element, count, mut numbers) = elements.numbers()?;
        room_for_sparse(input, rows, cols, count as u128)?;
        let mut indices = read_vector(input, &mut numbers, element, count, |v| index(v).ok_or_else(|| no_index(v)))?;
        numbers.finish(input)?;
        let (element, count, mut numbers) = elements.numbers()?;
        if count != cols + 1 {
            return Err(input.malformed(format!("{count} pointers, but {} are expected", cols + 1)));
        }
        let pointer = |v| index(v).map(|v| v as usize).ok_or_else(|| no_index(v));
        let starts = read_vector(input, &mut numbers, element, count, pointer)?;
        numbers.finish(input)?;
        let (element, count, mut numbers) = elements.numbers()?;
        room_for_sparse(input, rows, cols, count as u128)?;
        let mut values = read_vector(input, &mut numbers, element, count, Ok)?;
        let nnz = starts[cols]; // room may be left after the last entry
        indices.truncate(nnz);
        values.truncate(nnz);
        let matrix = compressed(input, rows, starts, indices, values)?;
        let matrix = if input.samples == Samples::Rows { matrix.transposed() } else { matrix };
        Ok((matrix.into(), element.name()))
    }
}
