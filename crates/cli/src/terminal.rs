//! Words for people: printing to stdout, without a fuss when nobody reads on, sizes and tables.

use crate::failure::Failure;
use std::io::{self, Write};

/// Prints to stdout. A reader that has left (`| head`) is no error; a disk that is full is one.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    printed(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// Whether what was printed has arrived, or nobody waits for it.
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
    let cell = |row: &Vec<String>, c: usize| row.get(c).cloned().unwrap_or_default();
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
}
