//! Records of a text file: what edge lists and truths have in common.
//!
//! A record is a line, or more of them where a quoted field holds line breaks. Fields in quotes are as in CSV: separators
//! and line breaks within are letters, and two quotes are one. Lines without a quote, nearly all, are cut where they stand.

use crate::error::{Error, Fault};
use merit_dataset::Place;
use merit_dataset::text::Lines;
use std::path::Path;

/// Bytes after which a quote that is still open is taken for a mistake, before the rest of a large file is read for it.
const LONGEST: usize = 1 << 20;

/// How the fields of a line are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    Comma,
    Semicolon,
    Tab,
    Blanks,
}

impl Separator {
    /// What a first line suggests.
    pub fn of(line: &str) -> Self {
        match line {
            _ if line.contains(',') => Self::Comma,
            _ if line.contains('\t') => Self::Tab,
            _ if line.contains(';') => Self::Semicolon,
            _ => Self::Blanks,
        }
    }

    pub fn mark(self) -> char {
        match self {
            Self::Comma => ',',
            Self::Semicolon => ';',
            Self::Tab => '\t',
            Self::Blanks => ' ',
        }
    }

    /// Whether a letter ends a field.
    fn is(self, letter: char) -> bool {
        letter == self.mark() || (self == Self::Blanks && letter.is_ascii_whitespace())
    }

    /// The next field of a line without quotes and what follows it; `None` at the end of the line.
    pub fn next<'a>(self, rest: &mut Option<&'a str>) -> Option<&'a str> {
        let text = (*rest)?;
        let (field, after) = match self {
            Self::Blanks => {
                let text = text.trim_start();
                if text.is_empty() {
                    *rest = None;
                    return None;
                }
                text.split_once(|c: char| c.is_ascii_whitespace()).map_or((text, None), |(a, b)| (a, Some(b)))
            }
            _ => text.split_once(self.mark()).map_or((text, None), |(a, b)| (a, Some(b))),
        };
        *rest = after;
        Some(field.trim())
    }
}

/// What comes next in a file.
pub(crate) enum Row<'a> {
    /// A comment or a blank line.
    Comment(&'a str),
    Record(Record<'a>),
}

/// The fields of a line, or of some.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a> {
    /// The first line, for messages.
    pub line: &'a str,
    separator: Separator,
    /// The fields, if there are quotes.
    parsed: Option<&'a [String]>,
}

impl<'a> Record<'a> {
    /// Of a line without quotes.
    pub fn plain(line: &'a str, separator: Separator) -> Self {
        Self { line, separator, parsed: None }
    }

    pub fn fields(self) -> impl Iterator<Item = &'a str> {
        let mut plain = if self.parsed.is_none() { Some(self.line) } else { None };
        let mut parsed = self.parsed.unwrap_or_default().iter();
        std::iter::from_fn(move || match plain {
            Some(_) => self.separator.next(&mut plain),
            None => parsed.next().map(String::as_str),
        })
    }
}

/// A text file that is read record by record.
pub(crate) struct Records {
    lines: Lines,
    separator: Option<Separator>,
    first_line: String,
    fields: Vec<String>,
    number: u64,
}

impl Records {
    pub fn open(path: &Path) -> Result<Self, Error> {
        let lines = Lines::open(path)?;
        Ok(Self { lines, separator: None, first_line: String::new(), fields: Vec::new(), number: 0 })
    }

    /// The next record or comment; `None` at the end. The first record says how fields are separated.
    pub fn next(&mut self) -> Result<Option<Row<'_>>, Error> {
        if !self.lines.advance()? {
            return Ok(None);
        }
        self.number = self.lines.number();
        if self.lines.bytes().contains(&b'"') && !is_comment(trimmed(self.lines.text()?)) {
            return self.quoted().map(Some);
        }
        let line = trimmed(self.lines.text()?);
        if is_comment(line) {
            return Ok(Some(Row::Comment(line)));
        }
        let separator = *self.separator.get_or_insert_with(|| Separator::of(line));
        Ok(Some(Row::Record(Record::plain(line, separator))))
    }

    /// The record that begins in the current line, with quotes; it may end in a later one.
    fn quoted(&mut self) -> Result<Row<'_>, Error> {
        let mut text = self.lines.text()?.to_string();
        self.first_line = trimmed(&text).to_string();
        let separator = match self.separator {
            Some(separator) => separator,
            None => self.separator_outside_quotes(&mut text)?,
        };
        let mut fields = Tokenizer::new(separator);
        fields.take(&text);
        while fields.is_open() {
            match self.lines.next()? {
                Some(text) if fields.field.len() < LONGEST => fields.take(text),
                _ => return Err(self.error(Fault::OpenQuote)),
            }
        }
        self.fields = fields.finish();
        Ok(Row::Record(Record { line: &self.first_line, separator, parsed: Some(&self.fields) }))
    }

    /// What separates the fields of the first record, which begins with `text`; what is in quotes says nothing, so lines are
    /// added to it until there is a separator, or all quotes are closed.
    fn separator_outside_quotes(&mut self, text: &mut String) -> Result<Separator, Error> {
        let mut outside = Outside::default();
        outside.take(text);
        let mut seen = 0;
        while outside.within_quotes && Separator::of(&outside.text[seen..]) == Separator::Blanks {
            seen = outside.text.len();
            match self.lines.next()? {
                Some(more) if text.len() < LONGEST => {
                    outside.take(more);
                    text.push_str(more);
                }
                _ => return Err(self.error(Fault::OpenQuote)),
            }
        }
        Ok(*self.separator.insert(Separator::of(&outside.text)))
    }

    /// The line that the record begins in, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// What is wrong with the record as an edge.
    pub fn error(&self, fault: Fault) -> Error {
        Error::Edge { at: self.at().clone(), line: self.number, fault }
    }

    pub fn at(&self) -> &Place {
        self.lines.at()
    }
}

/// A line without its end and the blanks around it; a tab may separate empty fields.
pub(crate) fn trimmed(line: &str) -> &str {
    line.trim_matches([' ', '\r', '\n'])
}

pub(crate) fn is_comment(line: &str) -> bool {
    line.is_empty() || line.starts_with(['#', '%'])
}

/// What is not in quotes, where any separator may stand before those.
#[derive(Default)]
struct Outside {
    text: String,
    within_quotes: bool,
}

impl Outside {
    fn take(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '"' if self.within_quotes => self.within_quotes = false,
                _ if self.within_quotes => {}
                '"' if self.text.ends_with([' ', ',', '\t', ';', '"']) || self.text.is_empty() => {
                    self.within_quotes = true;
                    self.text.push('"'); // keeps its place, so that the second of two opens again
                }
                _ => self.text.push(letter),
            }
        }
    }
}

/// Cuts lines with quotes into fields, letter by letter.
struct Tokenizer {
    separator: Separator,
    fields: Vec<String>,
    field: String,
    /// Length of the field up to its last closing quote: blanks before that belong to it.
    kept: usize,
    place: Within,
}

/// Where in a field the next letter stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// Before all but blanks.
    Start,
    /// In a field without quotes, or after them.
    Plain,
    Quotes,
    /// After a quote within quotes: it ends them, unless it is the first of two.
    SecondQuote,
}

impl Tokenizer {
    fn new(separator: Separator) -> Self {
        Self { separator, fields: Vec::new(), field: String::new(), kept: 0, place: Within::Start }
    }

    fn take(&mut self, text: &str) {
        for letter in text.chars() {
            match (self.place, letter) {
                (Within::Quotes, '"') => (self.place, self.kept) = (Within::SecondQuote, self.field.len()),
                (Within::Quotes, _) => self.field.push(letter),
                (Within::SecondQuote, '"') => {
                    self.field.push('"');
                    self.place = Within::Quotes;
                }
                (Within::Start, '"') => {
                    self.field.clear();
                    self.place = Within::Quotes;
                }
                _ if self.separator.is(letter) => self.end_field(),
                (Within::Start, _) if letter.is_whitespace() => {}
                _ => {
                    self.field.push(letter);
                    self.place = Within::Plain;
                }
            }
        }
    }

    fn end_field(&mut self) {
        let nothing = self.place == Within::Start; // not even quotes
        if !(nothing && self.separator == Separator::Blanks) {
            let end = self.field.trim_end().len().max(self.kept);
            self.field.truncate(end);
            self.fields.push(std::mem::take(&mut self.field));
        }
        (self.kept, self.place) = (0, Within::Start);
    }

    fn is_open(&self) -> bool {
        self.place == Within::Quotes
    }

    fn finish(mut self) -> Vec<String> {
        self.end_field();
        self.fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Result<Vec<(u64, Vec<String>)>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.txt");
        std::fs::write(&path, text).unwrap();
        let (mut records, mut rows) = (Records::open(&path).unwrap(), Vec::new());
        loop {
            let fields = match records.next()? {
                None => return Ok(rows),
                Some(Row::Comment(_)) => continue,
                Some(Row::Record(record)) => record.fields().map(String::from).collect(),
            };
            rows.push((records.number(), fields));
        }
    }

    #[track_caller]
    fn gives(line: &str, fields: &[&str]) {
        assert_eq!(rows(line).unwrap()[0].1, fields, "{line}");
    }

    #[test]
    fn fields_of_every_kind_of_line() {
        gives("  a \t b   3 ", &["a", "b   3"]);
        gives("  a  b   3 \r\n", &["a", "b", "3"]);
        gives("New York\tBoston\t1", &["New York", "Boston", "1"]);
        gives("\"Doe, Jane\", x ,2", &["Doe, Jane", "x", "2"]);
        gives("a,,b", &["a", "", "b"]);
        gives("a,\"b\",", &["a", "b", ""]);
        gives("a b,c", &["a b", "c"]);
        gives("a b\tc", &["a b", "c"]);
        gives("\"a;b, c\";d e", &["a;b, c", "d e"]);
        gives("\"New York\" \"Los Angeles\"  3", &["New York", "Los Angeles", "3"]);
        gives("\"two\nlines\", b", &["two\nlines", "b"]);
        gives("\"say \"\"a, b\"\"\" \"x\"", &["say \"a, b\"", "x"]);
        gives("a, b \"c d", &["a", "b \"c d"]);
        gives("5\" disk\tfloppy", &["5\" disk", "floppy"]);
        gives("\"Heroes\" (2006)\t\" b \" ", &["Heroes (2006)", " b "]);
        gives("\"\",\"\"\"\"", &["", "\""]);
    }

    #[test]
    fn quotes_come_back_as_they_were() {
        let names =
            ["a \"b\" c", "a \"x\" c", "two\nlines\r\n", "\"", "\"\"", ", ;\t", " blank ", "# no comment", "é\"ß"];
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        for mark in [",", "\t", ";", " "] {
            let plain = format!("first{mark}second\n"); // says what separates
            let text: String = names.iter().map(|name| format!("{}{mark}{}\n", quoted(name), quoted("z"))).collect();
            let found = rows(&(plain + &text)).unwrap();
            assert_eq!(found[1..].iter().map(|row| row.1[0].as_str()).collect::<Vec<_>>(), names);
            assert!(found.iter().skip(1).all(|row| row.1.len() == 2 && row.1[1] == "z"));
            // The third name takes three lines.
            assert_eq!(found.iter().map(|row| row.0).collect::<Vec<_>>(), [1, 2, 3, 4, 7, 8, 9, 10, 11, 12]);
        }
    }

    #[test]
    fn a_quote_that_is_not_closed_is_named_by_its_line() {
        for text in ["a,b\n\"c,d\ne,f\n", "a b\n\"c d\n", &format!("a,b\nc,\"d\n{}", "e,f\n".repeat(1 << 19))] {
            let Err(Error::Edge { line, fault, .. }) = rows(text) else { panic!("accepted") };
            assert_eq!((line, matches!(fault, Fault::OpenQuote)), (2, true));
        }
    }
}
