//! Numbers as text, separated by commas (.csv) or tabs (.tsv).
//!
//! The first line may name the columns and the first column may name the rows. They are taken for names when they are not
//! numbers: a first line in which no field after the first is a number, and a first column whose first field under that
//! line is not one. An empty corner, as pandas writes it, says that both are names.
//!
//! The file is read twice: to count its lines, then to put each number where it belongs, so that memory holds the matrix
//! and no second copy. Both readings are of the same open file and must give the same bytes. A large file without quotes is read in
//! [pieces](crate::pieces) by all threads; one with anything unexpected in it, line by line as every small one.

use crate::limits::RecordLimit;
use crate::pieces::{self, Pieces, Slot};
use crate::text::BYTE_ORDER_MARK;
use crate::{Dataset, ReadError, Samples, dense::scatter, input, input::Input};
use csv::ByteRecord;
use flate2::Crc;
use memchr::{memchr_iter, memchr2};
use merit_linalg::DenseMatrix;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufReader, Read};

/// Values that are collected before they are written out as columns.
const TILE: usize = 1 << 15;

/// What the first lines say.
struct Head {
    names: Option<ByteRecord>,
    named_rows: bool,
    /// Fields of a line.
    fields: usize,
}

impl Head {
    fn cols(&self) -> usize {
        self.fields - usize::from(self.named_rows)
    }
}

/// What the first pass finds.
struct Outline {
    head: Head,
    rows: usize,
    bytes: Summed,
}

pub(crate) fn read(input: &Input, delimiter: u8) -> Result<Dataset, ReadError> {
    if let Some(pieces) = Pieces::of(input.file(), 0, input.bytes)
        && let Some(dataset) = read_pieces(input, delimiter, &pieces)?
    {
        return Ok(dataset);
    }
    read_lines(input, delimiter)
}

/// What the lines of a piece are, as numbers.
#[derive(Default)]
struct Parsed {
    values: Vec<f64>,
    names: Vec<String>,
    rounded: u64,
}

/// The same by all threads, if the file is as expected: no quotes, no lone `\r`, numbers where numbers belong.
fn read_pieces(input: &Input, delimiter: u8, pieces: &Pieces) -> Result<Option<Dataset>, ReadError> {
    let head = head(&mut Records::open(input, delimiter)?)?;
    let (cols, skipped) = (head.cols(), usize::from(head.names.is_some()));
    let mut outlines = Vec::with_capacity(pieces.count());
    let counted = pieces.parse(
        |piece, text, found| {
            *found = (count(text, piece == 0)?, pieces::checksum(text));
            Some(())
        },
        |_, slots: &mut [Slot<(usize, u64)>]| {
            outlines.extend(slots.iter().map(|slot| slot.found));
            Some(())
        },
    );
    let lines: usize = outlines.iter().map(|&(lines, _)| lines).sum();
    if counted.is_none() || lines <= skipped {
        return Ok(None);
    }
    let (rows, cols) = input.sizes(&[(lines - skipped) as u64, cols as u64])?;
    let mut values = input.zeros(rows as u128 * cols as u128)?;
    let (mut top, mut names, mut rounded) = (0, Vec::new(), 0);
    let with_names = head.named_rows && input.samples == Samples::Rows;
    let parse = |piece: usize, text: &[u8], found: &mut Parsed| {
        let (lines, sum) = outlines[piece];
        found.values.clear();
        found.names.clear();
        found.rounded = 0;
        // The names stand in the first line with anything in it.
        let first = outlines[..piece].iter().all(|&(lines, _)| lines == 0);
        let skipped = if first { skipped.min(lines) } else { 0 };
        for line in pieces::lines(text).skip(skipped) {
            parse_line(line, delimiter, &head, with_names, found)?;
        }
        (found.values.len() == (lines - skipped) * cols && pieces::checksum(text) == sum).then_some(())
    };
    let take = |_: usize, slots: &mut [Slot<Parsed>]| {
        for Slot { found, .. } in slots.iter_mut() {
            names.append(&mut found.names);
            rounded += found.rounded;
        }
        let from = top;
        top += slots.iter().map(|slot| slot.found.values.len()).sum::<usize>() / cols;
        match input.samples {
            Samples::Rows => {
                let mut rest = &mut values[from * cols..];
                let mut parts = Vec::with_capacity(slots.len());
                for Slot { found, .. } in slots.iter() {
                    let (part, after) = rest.split_at_mut(found.values.len());
                    parts.push((part, &found.values));
                    rest = after;
                }
                parts.into_par_iter().for_each(|(to, from)| to.copy_from_slice(from));
            }
            // Eight columns at a time: a cache line of each row.
            Samples::Columns => values.par_chunks_mut(8 * rows).enumerate().for_each(|(block, columns)| {
                let mut row = from;
                for Slot { found, .. } in slots.iter() {
                    for line in found.values.chunks_exact(cols) {
                        for (column, &value) in columns.chunks_exact_mut(rows).zip(&line[8 * block..]) {
                            column[row] = value;
                        }
                        row += 1;
                    }
                }
            }),
        }
        Some(())
    };
    if pieces.parse(parse, take).is_none() || top != rows {
        return Ok(None);
    }
    input.count_rounded(rounded);
    Ok(Some(dataset(input, &head, rows, values, names)))
}

/// The lines of a piece that are not blank; `None` where only the other reader knows where they end.
fn count(text: &[u8], first: bool) -> Option<usize> {
    if first && text.starts_with(BYTE_ORDER_MARK) {
        return None;
    }
    let mut lines = 0;
    for line in pieces::lines(text) {
        if memchr2(b'\r', b'"', line).is_some() {
            return None;
        }
        lines += 1;
    }
    Some(lines)
}

fn parse_line(line: &[u8], delimiter: u8, head: &Head, with_names: bool, found: &mut Parsed) -> Option<()> {
    let (mut start, mut fields) = (0, 0);
    for end in memchr_iter(delimiter, line).chain([line.len()]) {
        let field = &line[start..end];
        (start, fields) = (end + 1, fields + 1);
        if fields == 1 && head.named_rows {
            if with_names {
                found.names.push(text(field));
            }
            continue;
        }
        let (value, rounded) = input::number(str::from_utf8(field).ok()?.trim())?;
        found.values.push(value);
        found.rounded += u64::from(rounded);
    }
    (fields == head.fields).then_some(())
}

fn dataset(input: &Input, head: &Head, rows: usize, values: Vec<f64>, row_names: Vec<String>) -> Dataset {
    let (length, labels) = match input.samples {
        Samples::Columns => (rows, head.names.as_ref().map(|names| column_names(names, head.cols()))),
        Samples::Rows => (head.cols(), head.named_rows.then_some(row_names)),
    };
    let matrix = DenseMatrix::from_columns(length, values).into();
    Dataset {
        matrix,
        labels,
        rounded: input.rounded(),
        description: "text".to_string(),
        maybe_transposed: (head.named_rows || head.names.is_some())
            && input.samples == Samples::Columns
            && rows > head.cols(),
    }
}

/// The matrix, line by line.
fn read_lines(input: &Input, delimiter: u8) -> Result<Dataset, ReadError> {
    let outline = outline(input, delimiter)?;
    let head = &outline.head;
    let mut row_names = Vec::new();
    let (rows, cols) = input.sizes(&[outline.rows as u64, head.cols() as u64])?;
    let mut values = input.zeros(rows as u128 * cols as u128)?;
    let mut tile = Vec::with_capacity(TILE.max(cols).min(values.len()));
    let (mut top, mut seen) = (0, 0);
    let mut records = Records::open(input, delimiter)?;
    if head.names.is_some() {
        records.next()?;
    }
    while records.next()? {
        if seen == rows || records.record.len() != head.fields {
            return Err(input.changed());
        }
        seen += 1;
        if head.named_rows && input.samples == Samples::Rows {
            row_names.push(text(&records.record[0]));
        }
        for field in usize::from(head.named_rows)..records.record.len() {
            tile.push(records.number(field)?);
        }
        if tile.len() + cols > TILE.max(cols) || seen == rows {
            match input.samples {
                Samples::Columns => scatter(&tile, cols, &mut values, rows, top),
                Samples::Rows => values[top * cols..seen * cols].copy_from_slice(&tile),
            }
            top = seen;
            tile.clear();
        }
    }
    if seen < rows || records.bytes() != outline.bytes {
        return Err(input.changed());
    }
    Ok(dataset(input, head, rows, values, row_names))
}

/// Names and sizes; fails unless all lines have as many fields as the first.
fn outline(input: &Input, delimiter: u8) -> Result<Outline, ReadError> {
    let mut records = Records::open(input, delimiter)?;
    let head = head(&mut records)?;
    let mut rows = 1;
    while records.next()? {
        if records.record.len() != head.fields {
            return Err(records.ragged(records.record.len(), head.fields));
        }
        rows += 1;
    }
    Ok(Outline { head, rows, bytes: records.bytes() })
}

/// What the first line or two say; the records then stand at the first with numbers.
fn head(records: &mut Records) -> Result<Head, ReadError> {
    records.next()?;
    let first = records.record.clone();
    let corner_is_empty = first.len() > 1 && first[0].trim_ascii().is_empty();
    let mut after_corner = first.iter().skip(usize::from(first.len() > 1));
    let is_header = after_corner.all(|field| !field.trim_ascii().is_empty() && number(field).is_none());
    let names = (corner_is_empty || is_header).then_some(first);
    if let Some(names) = &names
        && !records.next()?
    {
        return Err(ReadError::NoValues { at: records.input.at.clone(), rows: 0, cols: names.len() as u64 });
    }
    let fields = records.record.len();
    let named_rows = corner_is_empty || (fields > 1 && number(&records.record[0]).is_none());
    if let Some(names) = &names {
        // R's `write.table` leaves the corner out.
        let corner_left_out = named_rows && names.len() + 1 == fields;
        if names.len() != fields && !corner_left_out {
            return Err(records.ragged(fields, names.len()));
        }
    }
    Ok(Head { names, named_rows, fields })
}

/// The last `count` fields of the first line.
fn column_names(header: &ByteRecord, count: usize) -> Vec<String> {
    header.iter().skip(header.len().saturating_sub(count)).map(text).collect()
}

fn text(field: &[u8]) -> String {
    String::from_utf8_lossy(field).trim().to_string()
}

fn number(field: &[u8]) -> Option<f64> {
    str::from_utf8(field).ok()?.trim().parse().ok()
}

/// How many bytes a reading gave, and their checksum.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Summed {
    count: u64,
    sum: u32,
}

/// A file of which the checksum is taken while it is read.
struct Summing {
    file: File,
    count: u64,
    crc: Crc,
}

impl Read for Summing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.count += count as u64;
        self.crc.update(&buffer[..count]);
        Ok(count)
    }
}

/// The lines of a file, one at a time.
struct Records<'a> {
    input: &'a Input<'a>,
    reader: csv::Reader<RecordLimit<Summing>>,
    record: ByteRecord,
}

impl<'a> Records<'a> {
    fn open(input: &'a Input<'a>, delimiter: u8) -> Result<Self, ReadError> {
        let mut builder = csv::ReaderBuilder::new();
        builder.delimiter(delimiter).has_headers(false).flexible(true).buffer_capacity(1 << 16);
        let file = Summing { file: input.open()?, count: 0, crc: Crc::new() };
        Ok(Self { input, reader: builder.from_reader(RecordLimit::new(file)), record: ByteRecord::new() })
    }

    /// Goes to the next line that is not blank; `false` after the last.
    fn next(&mut self) -> Result<bool, ReadError> {
        let line = self.reader.position().line();
        self.reader.get_mut().begin();
        self.reader.read_byte_record(&mut self.record).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => self.reader.get_ref().error(self.input.at.clone(), line, error).into(),
            other => self.input.malformed(format!("{other:?}")),
        })
    }

    /// What was read so far.
    fn bytes(&self) -> Summed {
        let source = self.reader.get_ref().source();
        Summed { count: source.count, sum: source.crc.sum() }
    }

    /// The line that the record begins in. Counted here, because the `csv` crate gives the line of the blanks before it.
    fn line(&self) -> u64 {
        let start = self.record.position().map_or(0, csv::Position::byte);
        let bytes = self.input.open().map(|file| BufReader::new(file).bytes().map_while(Result::ok));
        let before = (0u64..).zip(bytes.into_iter().flatten());
        let before = before.take_while(|&(place, byte)| place < start || matches!(byte, b'\r' | b'\n'));
        1 + before.filter(|&(_, byte)| byte == b'\n').count() as u64
    }

    fn ragged(&self, found: usize, expected: usize) -> ReadError {
        self.input.line(self.line(), None, format!("has {found} fields, but {expected} are expected as in the first"))
    }

    fn number(&self, field: usize) -> Result<f64, ReadError> {
        let raw = &self.record[field];
        let value = str::from_utf8(raw).ok().and_then(|text| self.input.number(text.trim()));
        value.ok_or_else(|| {
            let found = match text(raw) {
                text if text.is_empty() => "is empty".to_string(),
                text => format!("is `{}`", shortened(&text)),
            };
            self.input.line(self.line(), Some(field + 1), format!("{found}, but a number is expected"))
        })
    }
}

/// At most 40 characters of a text, on one line.
fn shortened(text: &str) -> String {
    let start: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() { format!("{start}…") } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadOptions;
    use proptest::prelude::*;

    /// A table as people write them: with and without names, blanks, line ends of both kinds, blank lines, and sometimes with what
    /// only the slow reader knows.
    fn table(rows: usize, cols: usize, seed: u64) -> String {
        let pick = |i: usize, many: u64| {
            ((seed ^ (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33)
                % many
        };
        let (named, headed, end) = (pick(1, 2) == 0, pick(2, 2) == 0, ["\n", "\r\n"][pick(3, 2) as usize]);
        let mut text = String::new();
        if headed {
            let names: Vec<String> = (0..cols + usize::from(named)).map(|i| format!("name {i}")).collect();
            text += &(names.join(",") + end);
        }
        for row in 0..rows {
            let mut fields = if named { vec![format!("row {row}")] } else { Vec::new() };
            for col in 0..cols {
                let i = 10 + row * cols + col;
                fields.push(match pick(i, 400) {
                    0 => "oops".into(),
                    1 => "\"1.5\"".into(),
                    2..40 => format!(" {} ", pick(i + 7, 1000)),
                    40..50 => "9007199254740993".into(),
                    _ => format!("{}e-{}", pick(i + 7, 1_000_000), pick(i, 9)),
                });
            }
            if pick(5 + row, 300) == 0 {
                fields.pop();
            }
            text += &(fields.join(",") + end);
            if pick(6 + row, 9) == 0 {
                text += end;
            }
        }
        if pick(4, 2) == 0 { text.trim_end().to_string() } else { text }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]
        /// In pieces of any size a table gives what it gives line by line; with anything wrong in it, nothing.
        #[test]
        fn pieces_give_what_lines_give(rows in 1usize..30, cols in 1usize..20, seed: u64, size in 1u64..400) {
            let file = tempfile::NamedTempFile::new().unwrap();
            let text = table(rows, cols, seed);
            std::fs::write(file.path(), &text).unwrap();
            for samples in [Samples::Columns, Samples::Rows] {
                let options = ReadOptions { samples, ..Default::default() };
                let input = Input::new(file.path(), &options).unwrap();
                let pieces = Pieces::with_size(input.file(), 0, input.bytes, size);
                let fast = read_pieces(&input, b',', &pieces);
                let lines = read_lines(&Input::new(file.path(), &options).unwrap(), b',');
                match (fast, lines) {
                    (Ok(Some(fast)), Ok(slow)) => prop_assert_eq!(fast, slow),
                    (Ok(Some(_)), Err(error)) => prop_assert!(false, "accepted: {error}"),
                    (Ok(None) | Err(_), Ok(_)) => prop_assert!(text.contains('"'), "not accepted"),
                    (Ok(None) | Err(_), Err(_)) => {}
                }
            }
        }
    }
}
