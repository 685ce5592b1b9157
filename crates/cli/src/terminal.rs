//! Words for people: printing to stdout, quietly when the reader has gone, sizes and tables.

use crate::failure::Failure;
use merit_dataset::shown::{json_shown, laid_out, shown};
use std::io::{self, IsTerminal, Write};

/// Prints words to stdout. A reader that has left (`| head`) is not an error; a disk that is full is one.
pub fn print(text: &str) -> Result<(), Failure> {
    to_stdout(&laid_out(text))
}

/// Prints JSON to stdout.
pub fn print_json(text: &str) -> Result<(), Failure> {
    print(&json_shown(text))
}

/// Prints data for programs to stdout: byte for byte, unless a person is looking.
pub fn print_data(text: &str) -> Result<(), Failure> {
    if io::stdout().is_terminal() { print(text) } else { to_stdout(text) }
}

fn to_stdout(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    printed(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// Whether what was printed has arrived, or has no reader.
pub fn printed(outcome: io::Result<()>) -> Result<(), Failure> {
    match outcome {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::data(format!("the results cannot be printed: {error}")))
        }
        _ => Ok(()),
    }
}

/// Bytes for people.
pub fn bytes(count: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{count} bytes") } else { format!("{value:.1} {}", units[unit]) }
}

/// A table with columns as wide as their widest cell; the first column to the left, numbers to the right.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &Vec<String>, c: usize| row.get(c).map_or(String::new(), |text| shown(text).into_owned());
    let width = |c: usize| rows.iter().map(|row| cell(row, c).chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = (0..columns).map(|c| {
            let (text, width) = (cell(row, c), widths[c]);
            if c == 0 { format!("{text:<width$}") } else { format!("{text:>width$}") }
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_readable() {
        assert_eq!(
            (bytes(12), bytes(1500), bytes(75_000_000_000)),
            ("12 bytes".into(), "1.5 kB".into(), "75.0 GB".into())
        );
    }

    #[test]
    fn json_keeps_its_values() {
        let value = serde_json::json!({ "k\u{9b}": "a\u{1b}\u{7f}\u{202e}\u{e0041}\n\"" });
        let text = serde_json::to_string_pretty(&value).unwrap();
        let safe = json_shown(&text);
        assert_eq!(laid_out(&safe), safe, "nothing is left to escape");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
    }
}
