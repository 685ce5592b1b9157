//! Matrix Market: a banner, comments, a line of sizes, then one entry per line, counted from 1; perhaps
//! compressed (.mtx.gz).
//!
//! `%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric|skew-symmetric`

use crate::pieces::{self, Pieces, Slot, read_exact_at};
use crate::sparse::{Triplets, room_for_sparse};
use crate::{Dataset, ReadError, Samples, input, input::Input, text};
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
    Ok(Dataset { matrix, labels: None, rounded: input.rounded(), description, maybe_transposed: false })
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
    if let Some(pieces) = lines.pieces()
        && let Some(entries) = in_pieces(input, &pieces, &Promise { rows, cols, count, pattern, symmetry })
    {
        return Ok(entries.assemble(input, rows, cols)?.into());
    }
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
        entries.push_with_mirror(row, col, value, symmetry);
    }
    lines.end(count)?;
    Ok(entries.assemble(input, rows, cols)?.into())
}

/// What the head of a file says about its entries.
struct Promise {
    rows: usize,
    cols: usize,
    count: u64,
    pattern: bool,
    symmetry: Symmetry,
}

/// The entries of a large file, by all threads; `None` where they are not as promised, for the other reader says what is wrong.
fn in_pieces(input: &Input, pieces: &Pieces, promise: &Promise) -> Option<Triplets> {
    let &Promise { rows, cols, count, pattern, symmetry } = promise;
    let times = if symmetry == Symmetry::General { 1 } else { 2 };
    let mut entries = Triplets::with_capacity(times * usize::try_from(count).ok()?);
    let (mut seen, mut rounded) = (0, 0);
    type Found = (Vec<(u32, u32, f64)>, u64);
    let parse = |_: usize, text: &[u8], (found, rounded): &mut Found| {
        found.clear();
        *rounded = 0;
        for line in pieces::lines(text).filter(|line| line[0] != b'%') {
            let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
            let Some(row) = fields.next() else { continue };
            let (row, col) = (index(row, rows)?, index(fields.next()?, cols)?);
            let value = if pattern { None } else { Some(fields.next()?) };
            let (value, is_rounded) =
                value.map_or(Some((1.0, false)), |text| input::number(str::from_utf8(text).ok()?))?;
            let is_below = row > col || row == col && symmetry != Symmetry::Skew;
            if fields.next().is_some() || symmetry != Symmetry::General && !is_below {
                return None;
            }
            found.push((row, col, value));
            *rounded += u64::from(is_rounded);
        }
        Some(())
    };
    let take = |_: usize, slots: &mut [Slot<Found>]| {
        for Slot { found: (found, is_rounded), .. } in slots.iter() {
            (seen, rounded) = (seen + found.len() as u64, rounded + is_rounded);
            if seen > count {
                return None;
            }
            found.iter().for_each(|&(row, col, value)| entries.push_with_mirror(row, col, value, symmetry));
        }
        Some(())
    };
    pieces.parse(parse, take)?;
    if seen < count {
        return None;
    }
    input.count_rounded(rounded);
    Some(entries)
}

/// A row or column from its digits, made to count from 0.
fn index(digits: &[u8], count: usize) -> Option<u32> {
    if digits.len() > 10 {
        return None;
    }
    let value = digits
        .iter()
        .try_fold(0u64, |value, digit| digit.is_ascii_digit().then(|| 10 * value + u64::from(digit - b'0')))?;
    (value > 0 && value <= count as u64).then(|| (value - 1) as u32)
}

impl Triplets {
    /// Adds an entry, and the one that symmetry gives.
    fn push_with_mirror(&mut self, row: u32, col: u32, value: f64, symmetry: Symmetry) {
        self.push(row, col, value);
        match symmetry {
            Symmetry::Symmetric if row != col => self.push(col, row, value),
            Symmetry::Skew => self.push(col, row, -value),
            _ => {}
        }
    }
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

    /// What follows the current line, if that is much and the file is plain text.
    fn pieces(&self) -> Option<Pieces<'a>> {
        let mut start = [0; 2];
        read_exact_at(self.input.file(), &mut start, 0).ok()?;
        let plain = start == *b"%%" && !text::is_packed(self.input.path); // no mark before the banner
        plain.then(|| Pieces::of(self.input.file(), self.lines.passed(), self.input.bytes))?
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadOptions;

    /// In pieces of any size a file gives what it gives line by line, or nothing where it is not as promised.
    #[test]
    fn pieces_give_what_lines_give() {
        for (kind, body, good) in [
            ("real general", "3 4 3\n1 1 2.5\n% between\n\n 3   4\t-1e3 \n2 2 9007199254740993\n", true),
            ("pattern symmetric", "4 4 3\n1 1\n4 2\r\n3 3", true),
            ("integer skew-symmetric", "4 4 2\n2 1 7\n4 3 -2\n", true),
            ("real symmetric", "4 4 1\n2 3 1\n", false),
            ("real general", "3 4 2\n1 1 2.5\n", false),
            ("real general", "3 4 1\n1 1 2.5\n1 2 2\n", false),
            ("real general", "3 4 1\n0 1 2.5\n", false),
            ("real general", "3 4 1\n1 5 2.5\n", false),
            ("real general", "3 4 1\n1 2 x\n", false),
            ("real general", "3 4 1\n1 2 3 4\n", false),
            ("pattern general", "3 4 1\n1 2 3\n", false),
        ] {
            let file = tempfile::Builder::new().suffix(".mtx").tempfile().unwrap();
            let text = format!("%%MatrixMarket matrix coordinate {kind}\n% a comment\n{body}");
            std::fs::write(file.path(), &text).unwrap();
            let options = ReadOptions::default();
            let input = Input::new(file.path(), &options).unwrap();
            let expected = read(&input);
            assert_eq!(expected.is_ok(), good, "{text}");
            for size in 1..text.len() as u64 {
                let mut lines = Entries::open(&input).unwrap();
                lines.banner().unwrap();
                let [rows, cols, count] = lines.sizes("").unwrap();
                let (rows, cols) = (rows as usize, cols as usize);
                let symmetry = match kind {
                    kind if kind.ends_with("skew-symmetric") => Symmetry::Skew,
                    kind if kind.ends_with("symmetric") => Symmetry::Symmetric,
                    _ => Symmetry::General,
                };
                let promise = Promise { rows, cols, count, pattern: kind.starts_with("pattern"), symmetry };
                let pieces = Pieces::with_size(input.file(), lines.lines.passed(), input.bytes, size);
                let found = in_pieces(&input, &pieces, &promise);
                assert_eq!(found.is_some(), good, "{text} in pieces of {size}");
                if let (Some(found), Ok(expected)) = (found, &expected) {
                    let found = DataMatrix::from(found.assemble(&input, rows, cols).unwrap());
                    assert_eq!(found, expected.matrix, "{text}");
                }
            }
        }
    }
}
