//! Numbers as text, separated by commas (.csv) or tabs (.tsv).
//!
//! The first line may name the columns and the first column may name the rows. They are taken for names when they are not
//! numbers: a first line in which no field after the first is a number, and a first column whose first field under that
//! line is not one. An empty corner, as pandas writes it, says that both are names.
//!
//! The file is read twice: to count its lines, then to put each number where it belongs, so that memory holds the matrix
//! and no second copy. Both readings are of the same open file and must give the same bytes.

use crate::limits::RecordLimit;
use crate::{Dataset, ReadError, Samples, dense::scatter, input::Input};
use csv::ByteRecord;
use flate2::Crc;
use merit_linalg::DenseMatrix;
use std::fs::File;
use std::io::{self, BufReader, Read};

/// Values that are collected before they are written out as columns.
const TILE: usize = 1 << 15;

/// What the first pass finds.
struct Outline {
    header: Option<ByteRecord>,
    named_rows: bool,
    rows: usize,
    cols: usize,
    bytes: Summed,
}

pub(crate) fn read(input: &Input, delimiter: u8) -> Result<Dataset, ReadError> {
    let outline = outline(input, delimiter)?;
    let mut row_names = Vec::new();
    let (rows, cols) = input.sizes(&[outline.rows as u64, outline.cols as u64])?;
    let mut values = input.zeros(rows as u128 * cols as u128)?;
    let mut tile = Vec::with_capacity(TILE.max(cols).min(values.len()));
    let (mut top, mut seen) = (0, 0);
    let mut records = Records::open(input, delimiter)?;
    if outline.header.is_some() {
        records.next()?;
    }
    while records.next()? {
        if seen == rows || records.record.len() != cols + usize::from(outline.named_rows) {
            return Err(input.changed());
        }
        seen += 1;
        if outline.named_rows && input.samples == Samples::Rows {
            row_names.push(text(&records.record[0]));
        }
        for field in usize::from(outline.named_rows)..records.record.len() {
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
    let (length, labels) = match input.samples {
        Samples::Columns => (rows, outline.header.map(|header| column_names(&header, cols))),
        Samples::Rows => (cols, outline.named_rows.then_some(row_names)),
    };
    let matrix = DenseMatrix::from_columns(length, values).into();
    Ok(Dataset { matrix, labels, rounded: input.rounded(), description: "text".to_string() })
}

/// Names and sizes; fails unless all lines have as many fields as the first.
fn outline(input: &Input, delimiter: u8) -> Result<Outline, ReadError> {
    let mut records = Records::open(input, delimiter)?;
    records.next()?;
    let first = records.record.clone();
    let corner_is_empty = first.len() > 1 && first[0].trim_ascii().is_empty();
    let mut after_corner = first.iter().skip(usize::from(first.len() > 1));
    let is_header = after_corner.all(|field| !field.trim_ascii().is_empty() && number(field).is_none());
    let header = (corner_is_empty || is_header).then_some(first);
    if let Some(header) = &header
        && !records.next()?
    {
        return Err(ReadError::NoValues { at: input.at.clone(), rows: 0, cols: header.len() as u64 });
    }
    let fields = records.record.len();
    let named_rows = corner_is_empty || (fields > 1 && number(&records.record[0]).is_none());
    if let Some(header) = &header {
        // R's `write.table` leaves the corner out.
        let corner_left_out = named_rows && header.len() + 1 == fields;
        if header.len() != fields && !corner_left_out {
            return Err(records.ragged(fields, header.len()));
        }
    }
    let mut rows = 1;
    while records.next()? {
        if records.record.len() != fields {
            return Err(records.ragged(records.record.len(), fields));
        }
        rows += 1;
    }
    Ok(Outline { header, named_rows, rows, cols: fields - usize::from(named_rows), bytes: records.bytes() })
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

    /// The line that the record begins in. Counted afresh: the `csv` crate gives that of the blank lines before it.
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
