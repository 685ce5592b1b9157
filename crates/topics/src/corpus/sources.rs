//! Texts one at a time, from a folder, lines, JSON lines or tables.

use super::json::{self, Field};
use crate::Error;
use merit_dataset::encoding::{Encoding, How, decoded};
use merit_dataset::limits::{self, RecordLimit};
use merit_dataset::text::{self, FileError, Lines, extension};
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Bytes in which a zero reveals a binary file.
const PROBE: usize = 8192;
/// Times the bytes of a text that counting its words may take.
pub(super) const MEMORY_OF_TEXT: u64 = 8;

/// Where texts and labels are in JSON lines and tables.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Field or column of the texts; `text` if left out.
    pub text: Option<String>,
    /// Field or column of the labels, if there are any.
    pub label: Option<String>,
    /// Field or column of the documents' names; if left out, they are numbered from 0.
    pub name: Option<String>,
    /// Field or column of the documents' dates, if they have any.
    pub time: Option<String>,
    /// What separates the columns of a table; the first line shows it if left out.
    pub separator: Option<u8>,
    /// How letters are bytes, where that is known.
    pub encoding: Option<Encoding>,
}

/// The settings that name the fields, in the order of [`Source::fields`], and the columns.
const FIELDS: [&str; 4] = ["text_field", "name_field", "label_field", "time_field"];
const COLUMNS: [&str; 4] = ["text_column", "name_column", "label_column", "time_column"];

impl Source {
    fn text(&self) -> &str {
        self.text.as_deref().unwrap_or("text")
    }

    /// What is asked for: text, name, label and date.
    fn fields(&self) -> [Option<&str>; 4] {
        [Some(self.text()), self.name.as_deref(), self.label.as_deref(), self.time.as_deref()]
    }

    /// The fields of an object, if it has all that are asked for.
    fn complete<'t>(
        &self,
        found: json::Found<'t, 4>,
        path: &Path,
        line: Option<u64>,
    ) -> Result<[Option<Field<'t>>; 4], Error> {
        for ((name, field), setting) in self.fields().into_iter().zip(&found.fields).zip(FIELDS) {
            if let (Some(name), None) = (name, field) {
                let (path, name) = (path.into(), name.into());
                return Err(Error::NoField { path, line, setting, name, found: found.keys });
            }
        }
        Ok(found.fields)
    }
}

/// What the reader met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Documents in which bytes were replaced.
    pub not_utf8: usize,
    /// Documents that are not UTF-8 and were read as Windows-1252.
    pub western: usize,
    /// Files left out as binary.
    pub binary_files: usize,
    /// Files of a folder that are not `.txt`.
    pub other_files: usize,
    /// Links to folders, and to files that are documents already: not followed, because they may lead in circles.
    pub links: usize,
    /// Pipes, devices and links that lead nowhere, left out.
    pub special_files: usize,
}

/// A text, with what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Text<'t> {
    /// What it is called.
    pub name: &'t str,
    /// The text itself.
    pub text: &'t str,
    /// Its class, where texts have one.
    pub label: Option<&'t str>,
    /// Its date, where texts have one.
    pub time: Option<&'t str>,
}

/// Takes a text; an error ends the reading.
type Visit<'a> = &'a mut dyn FnMut(Text) -> Result<(), Error>;

/// How texts lie in a file.
enum Form {
    /// One text per line.
    Lines,
    /// One object per line.
    JsonLines,
    /// A list of objects or texts.
    JsonList,
    /// One text per row, usually with this between the columns.
    Table(u8),
}

/// A text file that is open.
struct Opened<'a> {
    path: &'a Path,
    reader: Box<dyn BufRead>,
    source: &'a Source,
}

/// Hands every text to `visit`, one at a time, in a fixed order. `-` is the standard input.
pub fn for_each_text(path: &Path, source: &Source, visit: Visit) -> Result<Told, Error> {
    let mut told = Told::default();
    if !text::is_standard_input(path) && path.is_dir() {
        folder(path, source, visit, &mut told)?;
        return Ok(told);
    }
    let mut file = Opened { path, reader: text::open_as(path, source.encoding)?, source };
    match form(&mut file)? {
        Form::Lines => lines(file, visit, &mut told)?,
        Form::JsonLines => json_lines(file, visit, &mut told)?,
        Form::JsonList => json_list(file, visit, &mut told)?,
        Form::Table(separator) => table(file, separator, visit, &mut told)?,
    }
    Ok(told)
}

/// By the name of a file; of the standard input by its first letter and what is asked for.
fn form(file: &mut Opened) -> Result<Form, Error> {
    let (path, source) = (file.path, file.source);
    if text::is_standard_input(path) {
        let first = file.first_line()?;
        let start = first.trim_ascii_start().first().copied();
        let named = [&source.text, &source.label, &source.name, &source.time].iter().any(|name| name.is_some());
        let by = source.separator.unwrap_or_else(|| separator(&first, b','));
        let heads = decoded(&first, None).0.into_owned();
        let columns = named
            || source.separator.is_some()
            || heads.split(char::from(by)).any(|head| head.trim().trim_matches('"') == source.text());
        return Ok(match start {
            Some(b'{') => Form::JsonLines,
            Some(b'[') => Form::JsonList,
            _ if columns => Form::Table(b','),
            _ => Form::Lines,
        });
    }
    let found = match extension(path).as_deref() {
        Some("txt" | "cor") => return Ok(Form::Lines),
        Some("jsonl" | "ndjson") => return Ok(Form::JsonLines),
        Some("json") => return Ok(Form::JsonList),
        Some("csv") => return Ok(Form::Table(b',')),
        Some("tsv" | "tab") => return Ok(Form::Table(b'\t')),
        None => "it has no extension".into(),
        Some(other) => format!("the extension `.{other}` is not known"),
    };
    Err(Error::UnknownFormat { path: path.to_path_buf(), found })
}

pub(super) fn failed(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
    |source| FileError::of(path.into(), source).into()
}

fn folder(path: &Path, source: &Source, visit: Visit, told: &mut Told) -> Result<(), Error> {
    let mut files = text_files(path, told)?;
    files.sort();
    let available = limits::memory();
    if files.is_empty() {
        return Err(Error::UnknownFormat {
            path: path.into(),
            found: format!(
                "the folder has no .txt file ({} others)",
                told.other_files + told.links + told.special_files
            ),
        });
    }
    for file in files {
        let bytes = text::read_regular(&file, available, MEMORY_OF_TEXT)?;
        let marked = source.encoding.is_some() || text::is_utf16(&bytes);
        if !marked && bytes.iter().take(PROBE).any(|byte| *byte == 0) {
            told.binary_files += 1;
            continue;
        }
        let name = file.strip_prefix(path).unwrap_or(&file).to_string_lossy();
        let text = told.read(decoded(&bytes, source.encoding));
        visit(Text { name: &name, text: &text, label: None, time: None })?;
    }
    Ok(())
}

/// The .txt files of a folder and of those in it. Only regular files: a pipe would block.
fn text_files(folder: &Path, told: &mut Told) -> Result<Vec<PathBuf>, Error> {
    let (mut files, mut links, mut open) = (Vec::new(), Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).map_err(failed(&folder))? {
            let entry = entry.map_err(failed(&folder))?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(failed(&folder))?);
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_symlink() && path.is_dir() {
                told.links += 1;
            } else if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("txt")) {
                told.other_files += 1;
            } else if kind.is_file() {
                files.push(path);
            } else if kind.is_symlink() && path.is_file() {
                links.push(path);
            } else {
                told.special_files += 1;
            }
        }
    }
    if !links.is_empty() {
        let mut seen: HashSet<PathBuf> = files.iter().filter_map(|file| fs::canonicalize(file).ok()).collect();
        links.sort();
        links.retain(|link| {
            fs::canonicalize(link).is_ok_and(|file| seen.insert(file)) || {
                told.links += 1;
                false
            }
        });
        files.append(&mut links);
    }
    Ok(files)
}

impl Told {
    /// Takes note of how a text could be read.
    fn read<'t>(&mut self, (text, how): (Cow<'t, str>, How)) -> Cow<'t, str> {
        match how {
            How::AsItIs => {}
            How::Western => self.western += 1,
            How::Replaced => self.not_utf8 += 1,
        }
        text
    }
}

impl Opened<'_> {
    /// The beginning of the first line, which is read again after that.
    fn first_line(&mut self) -> Result<Vec<u8>, Error> {
        let mut first = Vec::new();
        self.reader.by_ref().take(PROBE as u64).read_until(b'\n', &mut first).map_err(failed(self.path))?;
        let rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(io::Cursor::new(first.clone()).chain(rest));
        Ok(first)
    }

    /// Every line with its number, from 1, without its end.
    fn each_line(self, mut each: impl FnMut(u64, &[u8]) -> Result<(), Error>) -> Result<(), Error> {
        let mut lines = Lines::from_reader(self.reader, self.path);
        while lines.advance()? {
            let line = lines.bytes();
            if lines.number() == 1 && line.iter().take(PROBE).any(|byte| *byte == 0) {
                return Err(Error::UnknownFormat { path: self.path.into(), found: "it holds binary data".into() });
            }
            each(lines.number(), line.trim_ascii_end())?;
        }
        Ok(())
    }
}

/// The text of a part of a file; what a known encoding could not read was replaced while the file was.
fn decoded_part<'t>(source: &Source, bytes: &'t [u8], told: &mut Told) -> Cow<'t, str> {
    let text = told.read(decoded(bytes, None));
    told.not_utf8 += usize::from(source.encoding.is_some() && text.contains('\u{fffd}'));
    text
}

fn lines(file: Opened, visit: Visit, told: &mut Told) -> Result<(), Error> {
    let source = file.source;
    file.each_line(|number, line| {
        let text = decoded_part(source, line, told);
        visit(Text { name: &(number - 1).to_string(), text: &text, label: None, time: None })
    })
}

fn json_lines(file: Opened, visit: Visit, told: &mut Told) -> Result<(), Error> {
    let (path, source, mut document) = (file.path, file.source, 0);
    file.each_line(|number, line| {
        if line.is_empty() {
            return Ok(());
        }
        let text = decoded_part(source, line, told);
        let bad = |reason: String| Error::Line { path: path.into(), line: number, reason };
        let found = json::fields(&text, source.fields()).map_err(|fault| match fault {
            json::Fault::NotJson(error) => bad(format!("is not JSON: {error}")),
            json::Fault::NotAnObject => bad("is not a JSON object".into()),
        })?;
        // Where the first object lacks a field, the name is wrong; later, the line is.
        let line = (document > 0).then_some(number);
        let fields = source.complete(found, path, line)?;
        visit_fields(fields, document, visit, || bad(format!("has a field `{}` that is not a string", source.text())))?;
        document += 1;
        Ok(())
    })
}

/// A list of objects or of texts, which is held as a whole.
fn json_list(file: Opened, visit: Visit, told: &mut Told) -> Result<(), Error> {
    let Opened { path, reader, source } = file;
    let bytes = text::read_to_end(path, reader)?;
    let text = decoded_part(source, &bytes, told);
    if !text.trim_ascii_start().starts_with('[') {
        return Err(Error::UnknownFormat { path: path.into(), found: "it is not a list in JSON".into() });
    }
    let (mut document, mut failure) = (0, None);
    let read = json::for_each(&text, source.fields(), &mut |item, found| {
        let bad = |reason: String| Error::Item { path: path.into(), item, reason };
        let visited = match found {
            json::Element::Text(text) => {
                visit(Text { name: &document.to_string(), text: &text, label: None, time: None })
            }
            json::Element::Object(found) => source
                .complete(found, path, None)
                .map_err(|error| match error {
                    Error::NoField { name, .. } if document > 0 => bad(format!("has no field `{name}`")),
                    other => other,
                })
                .and_then(|fields| {
                    visit_fields(fields, document, visit, || {
                        bad(format!("has a field `{}` that is not a string", source.text()))
                    })
                }),
            json::Element::Other => Err(bad("is neither an object nor a text".into())),
        };
        document += 1;
        failure = visited.err();
        failure.is_none()
    });
    match (failure, read) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => {
            Err(Error::UnknownFormat { path: path.into(), found: format!("it is not JSON: {error}") })
        }
        (None, Ok(())) => Ok(()),
    }
}

/// Hands over the text, name, label and date of an object.
fn visit_fields(
    [text, name, label, time]: [Option<Field>; 4],
    document: usize,
    visit: Visit,
    not_a_string: impl FnOnce() -> Error,
) -> Result<(), Error> {
    let text = match text {
        Some(Field::Text(text)) => text,
        Some(Field::Null) | None => "".into(),
        Some(Field::Other(_)) => return Err(not_a_string()),
    };
    let [name, label, time] = [name, label, time].map(|field| field.map(Field::into_text));
    let name = name.unwrap_or_else(|| document.to_string());
    visit(Text { name: &name, text: &text, label: label.as_deref(), time: time.as_deref() })
}

/// The rows of a table, none longer than a line may be.
struct Rows<'a> {
    path: &'a Path,
    reader: csv::Reader<RecordLimit<Box<dyn BufRead>>>,
    row: csv::ByteRecord,
}

impl<'a> Rows<'a> {
    fn of(mut file: Opened<'a>, usual: u8) -> Result<Self, Error> {
        let first = file.first_line()?;
        let Opened { path, reader, source } = file;
        let mut builder = csv::ReaderBuilder::new();
        builder.delimiter(source.separator.unwrap_or_else(|| separator(&first, usual))).has_headers(false);
        let reader = builder.from_reader(RecordLimit::new(reader));
        Ok(Self { path, reader, row: csv::ByteRecord::new() })
    }

    /// Goes to the next row; `false` after the last.
    fn advance(&mut self) -> Result<bool, Error> {
        let (path, line) = (self.path, self.reader.position().line());
        self.reader.get_mut().begin();
        self.reader.read_byte_record(&mut self.row).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(source) => self.reader.get_ref().error(path.into(), line, source).into(),
            csv::ErrorKind::UnequalLengths { pos, expected_len, len } => Error::Line {
                path: path.into(),
                line: pos.map_or(line, |pos| pos.line()),
                reason: format!("has {len} fields, but the first has {expected_len}"),
            },
            other => Error::Line { path: path.into(), line, reason: format!("cannot be read: {other:?}") },
        })
    }
}

/// What separates the names in the first line, `start`: what is `usual`, unless it is not there and another is.
fn separator(start: &[u8], usual: u8) -> u8 {
    let mut quoted = false;
    let first: Vec<u8> = start
        .iter()
        .copied()
        .take_while(|byte| *byte != b'\n')
        .filter(|byte| {
            quoted ^= *byte == b'"';
            !quoted
        })
        .collect();
    let times = |separator: u8| first.iter().filter(|byte| **byte == separator).count();
    let others = [b';', b'\t', b',', b'|'];
    if times(usual) > 0 {
        usual
    } else {
        others.into_iter().rev().max_by_key(|&s| times(s)).filter(|&s| times(s) > 0).unwrap_or(usual)
    }
}

fn table(file: Opened, usual: u8, visit: Visit, told: &mut Told) -> Result<(), Error> {
    let (path, source) = (file.path, file.source);
    let mut rows = Rows::of(file, usual)?;
    rows.advance()?;
    let heads: Vec<String> = rows.row.iter().map(|head| decoded(head, None).0.trim().to_string()).collect();
    if heads.iter().any(|head| head.contains('\0')) {
        return Err(Error::UnknownFormat { path: path.into(), found: "it holds binary data".into() });
    }
    let column = |name: &str, setting: &'static str| {
        heads.iter().position(|head| head == name).ok_or_else(|| {
            let (path, name, found) = (path.into(), name.into(), heads.clone());
            Error::NoField { path, line: None, setting, name, found }
        })
    };
    let text = column(source.text(), COLUMNS[0])?;
    let name = source.name.as_deref().map(|name| column(name, COLUMNS[1])).transpose()?;
    let label = source.label.as_deref().map(|name| column(name, COLUMNS[2])).transpose()?;
    let time = source.time.as_deref().map(|name| column(name, COLUMNS[3])).transpose()?;
    let mut document = 0;
    while rows.advance()? {
        let row = &rows.row;
        let told_by = |column: Option<usize>| column.map(|c| decoded(&row[c], None).0.into_owned());
        let name = told_by(name).unwrap_or_else(|| document.to_string());
        let text = decoded_part(source, &row[text], told);
        visit(Text { name: &name, text: &text, label: told_by(label).as_deref(), time: told_by(time).as_deref() })?;
        document += 1;
    }
    Ok(())
}
