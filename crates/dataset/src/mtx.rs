//! Matrix Market: a banner, comments, a line of sizes, then one entry per line, counted from 1; perhaps
//! compressed (.mtx.gz).
//!
//! `%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric|skew-symmetric`

use crate::sparse::{Triplets, room_for_sparse};
use crate::{Dataset, ReadError, Samples, input::Input, text};
use merit_linalg::{DataMatrix, DenseMatrix};
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

pub(crate) fn read(input: &Input) -> Result<Dataset, ReadError> {
    let mut lines = Entries::open(input)?;
    let banner = lines.banner()?;
    let description = format!("Matrix Market {}", banner.join(" "));
    let [layout, field, symmetry] = banner.each_ref().map(String::as_str);
    let pattern = match field {
        "real" | "double" | "integer" => false,
        "pattern" => true,
        "complex" => {
            return Err(ReadError::NotReal { at: input.at.clone(), found: "complex values".to_string() });
        }
        other => return Err(lines.error(format!("has `{other}`, but real, integer or pattern is expected"))),
    };
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" => Symmetry::Skew,
        "hermitian" => {
            return Err(ReadError::NotReal { at: input.at.clone(), found: "a complex Hermitian matrix".to_string() });
        }
        other => {
            return Err(lines.error(format!("has `{other}`, but general, symmetric or skew-symmetric is expected")));
        }
    };
    let matrix = match layout {
        "coordinate" => coordinate(&mut lines, pattern, symmetry)?,
        "array" if pattern => return Err(lines.error("has `array pattern`, but a pattern needs coordinates")),
        "array" => array(&mut lines, symmetry)?,
        other => return Err(lines.error(format!("has `{other}`, but coordinate or array is expected"))),
    };
    Ok(Dataset { matrix, labels: None, rounded: input.rounded(), description })
}

fn coordinate(lines: &mut Entries, pattern: bool, symmetry: Symmetry) -> Result<DataMatrix, ReadError> {
    let input = lines.input;
    let [rows, cols, count] = lines.sizes("rows, columns and entries")?;
    let (rows, cols) = lines.shape(rows, cols, symmetry)?;
    if count > input.text_bytes() / 4 {
        return Err(lines.error(format!("promises {count} entries, but the file has only {} bytes", input.bytes)));
    }
    let most = u128::from(count) * if symmetry == Symmetry::General { 1 } else { 2 };
    room_for_sparse(input, rows, cols, most)?;
    // Compressed entries are believed as they come.
    let first = if text::is_packed(input.path) { most.min(1 << 16) } else { most };
    let mut entries = Triplets::with_capacity(first as usize);
    for seen in 0..count {
        lines.entry(seen, count, if pattern { 2 } else { 3 })?;
        let (row, col) = (lines.index(0, rows, "row")?, lines.index(1, cols, "column")?);
        let value = if pattern { 1.0 } else { lines.value(2)? };
        if symmetry != Symmetry::General && (row < col || (symmetry == Symmetry::Skew && row == col)) {
            let (row, col) = (row + 1, col + 1);
            return Err(lines.error(format!("is row {row}, column {col}, but an entry below the diagonal is expected")));
        }
        entries.push(row, col, value);
        match symmetry {
            Symmetry::Symmetric if row != col => entries.push(col, row, value),
            Symmetry::Skew => entries.push(col, row, -value),
            _ => {}
        }
    }
    lines.end(count)?;
    Ok(entries.assemble(input, rows, cols)?.into())
}

fn array(lines: &mut Entries, symmetry: Symmetry) -> Result<DataMatrix, ReadError> {
    let input = lines.input;
    let [rows, cols] = lines.sizes("rows and columns")?;
    let (rows, cols) = lines.shape(rows, cols, symmetry)?;
    let (n, all) = (rows as u128, rows as u128 * cols as u128);
    let count = match symmetry {
        Symmetry::General => all,
        Symmetry::Symmetric => n * (n + 1) / 2,
        Symmetry::Skew => n * (n - 1) / 2,
    };
    if count > u128::from(input.text_bytes() / 2) {
        return Err(lines.error(format!("promises {count} values, but the file has only {} bytes", input.bytes)));
    }
    let mut values = input.zeros(all)?;
    let transposed = input.samples == Samples::Rows;
    let place = |row: usize, col: usize| if transposed { row * cols + col } else { col * rows + row };
    let mut seen = 0;
    for col in 0..cols {
        let first = match symmetry {
            Symmetry::General => 0,
            Symmetry::Symmetric => col,
            Symmetry::Skew => col + 1,
        };
        for row in first..rows {
            lines.entry(seen, count as u64, 1)?;
            let value = lines.value(0)?;
            values[place(row, col)] = value;
            match symmetry {
                Symmetry::Symmetric => values[place(col, row)] = value,
                Symmetry::Skew => values[place(col, row)] = -value,
                Symmetry::General => {}
            }
            seen += 1;
        }
    }
    lines.end(seen)?;
    Ok(DenseMatrix::from_columns(if transposed { cols } else { rows }, values).into())
}

/// The lines of a file that are neither blank nor comments, one at a time.
struct Entries<'a> {
    input: &'a Input<'a>,
    lines: text::Lines,
    ended: bool,
    /// The first fields of the line; none is left out when there are at most four.
    fields: [Range<usize>; 4],
    count: usize,
}

impl<'a> Entries<'a> {
    fn open(input: &'a Input<'a>) -> Result<Self, ReadError> {
        Ok(Self { input, lines: input.lines()?, ended: false, fields: [const { 0..0 }; 4], count: 0 })
    }

    fn error(&self, reason: impl Into<String>) -> ReadError {
        // What is missing at the end is missed in the line after the last.
        self.input.line(self.lines.number() + u64::from(self.ended), None, reason)
    }

    fn advance(&mut self) -> Result<bool, ReadError> {
        self.ended = !self.lines.advance()?;
        Ok(!self.ended)
    }

    /// Goes to the next line with fields; `false` after the last.
    fn next(&mut self) -> Result<bool, ReadError> {
        while self.advance()? {
            let text = self.lines.bytes();
            if text.first() == Some(&b'%') {
                continue;
            }
            self.count = 0;
            let mut place = 0;
            for field in text.split(u8::is_ascii_whitespace) {
                if !field.is_empty() {
                    if let Some(range) = self.fields.get_mut(self.count) {
                        *range = place..place + field.len();
                    }
                    self.count += 1;
                }
                place += field.len() + 1;
            }
            if self.count > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Layout, kind of numbers and symmetry, in lower case.
    fn banner(&mut self) -> Result<[String; 3], ReadError> {
        self.advance()?;
        let line = String::from_utf8_lossy(self.lines.bytes()).to_lowercase();
        let words: Vec<_> = line.split_whitespace().collect();
        match words[..] {
            ["%%matrixmarket", "matrix", layout, field, symmetry] => Ok([layout, field, symmetry].map(str::to_string)),
            _ => Err(self.error("is not a Matrix Market banner, as `%%MatrixMarket matrix coordinate real general`")),
        }
    }

    /// The line of sizes.
    fn sizes<const K: usize>(&mut self, what: &str) -> Result<[u64; K], ReadError> {
        let there = self.next()?;
        let mut sizes = [0; K];
        for (field, size) in sizes.iter_mut().enumerate() {
            match self.field(field).and_then(|text| text.parse().ok()) {
                Some(value) if there && self.count == K => *size = value,
                _ => return Err(self.error(format!("is not the expected line of sizes: {what}"))),
            }
        }
        Ok(sizes)
    }

    fn shape(&self, rows: u64, cols: u64, symmetry: Symmetry) -> Result<(usize, usize), ReadError> {
        if symmetry != Symmetry::General && rows != cols {
            return Err(self.error(format!("is {rows} x {cols}, but a symmetric matrix is square")));
        }
        self.input.sizes(&[rows, cols])
    }

    /// Goes to the next entry, after `seen` of `count`.
    fn entry(&mut self, seen: u64, count: u64, fields: usize) -> Result<(), ReadError> {
        if !self.next()? {
            return Err(self.input.malformed(format!("it ends after {seen} entries, but promises {count}")));
        }
        if self.count != fields {
            return Err(self.error(format!("has {} fields, but {fields} are expected", self.count)));
        }
        Ok(())
    }

    /// Fails if another entry follows.
    fn end(&mut self, count: u64) -> Result<(), ReadError> {
        if self.next()? { Err(self.error(format!("follows the last of the {count} entries promised"))) } else { Ok(()) }
    }

    fn field(&self, field: usize) -> Option<&str> {
        if field < self.count { str::from_utf8(self.lines.bytes().get(self.fields[field].clone())?).ok() } else { None }
    }

    /// A row or column, made to count from 0.
    fn index(&self, field: usize, count: usize, what: &str) -> Result<u32, ReadError> {
        match self.field(field).and_then(|text| text.parse::<u32>().ok()) {
            Some(index) if index > 0 && index as usize <= count => Ok(index - 1),
            _ => {
                let found = self.field(field).unwrap_or("?").escape_debug();
                Err(self.error(format!("has {what} `{found}`, but a number from 1 to {count} is expected")))
            }
        }
    }

    fn value(&self, field: usize) -> Result<f64, ReadError> {
        self.field(field).and_then(|text| self.input.number(text)).ok_or_else(|| {
            let found = self.field(field).unwrap_or("?").escape_debug();
            self.error(format!("has `{found}`, but a number is expected"))
        })
    }
}
