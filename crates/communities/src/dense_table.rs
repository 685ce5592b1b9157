//! A dense adjacency matrix as a table of numbers: as many lines as fields, perhaps with names above and before.
//!
//! ```text
//! 0,1,1,0          ,ann,bob,cat,dan         ann,bob,cat,dan
//! 1,0,0,1          ann,0,1,1,0              0,1,1,0
//! ...              ...                      ...
//! ```
//!
//! An edge list has two or three fields per line, or a few more (a type, a time), but not as many as it has lines. Such tables have four
//! columns at least: with three numbers per line, lines are edges with a weight.

use crate::edge_list::weight;
use crate::edge_set::EdgeSet;
use crate::error::Error;
use crate::graph::Graph;
use crate::read::ReadOptions;
use crate::text::{Records, Row};
use merit_dataset::limits::Room;
use std::path::Path;

/// Fewest nodes.
const LEAST: usize = 4;

/// The graph, if the file is such a table.
pub(crate) fn read(path: &Path, options: &ReadOptions) -> Result<Option<Graph>, Error> {
    if !path.is_file() {
        return Ok(None); // a pipe gives its lines only once
    }
    let Some(head) = head(path)? else { return Ok(None) };
    let file = path.display().to_string();
    let (mut records, room) = (Records::open(path)?, Room::of(path));
    let mut edges = EdgeSet::of(options);
    let names: Vec<String> = head.names.unwrap_or_else(|| (0..head.nodes).map(|i| i.to_string()).collect());
    let places: Vec<u32> = names.iter().map(|name| edges.names.index(name)).collect();
    if edges.names.len() < names.len() {
        return Err(Error::NotAGraph { file, reason: "two of its nodes have the same name".into() });
    }
    let (mut row, mut skip, mut values) = (0, head.is_named, Vec::new());
    while let Some(next) = records.next()? {
        let Row::Record(record) = next else { continue };
        if std::mem::take(&mut skip) {
            continue;
        }
        let mut fault = None;
        for (column, text) in record.fields().skip(usize::from(head.has_first)).enumerate() {
            match weight(text) {
                Ok(value) if value > 0.0 => values.push((row, column, value)),
                Ok(_) => {}
                Err(wrong) => fault = fault.or(Some(wrong)),
            }
        }
        if let Some(fault) = fault {
            return Err(Error::Line { at: path.into(), line: records.number(), fault });
        }
        room.check(96 * values.len() as u64)?;
        row += 1;
    }
    // Both directions of an edge are one, unless they differ.
    let symmetric = {
        let mut turned: Vec<_> = values.iter().map(|&(i, j, v)| (j, i, v)).collect();
        turned.sort_unstable_by_key(|&(i, j, _)| (i, j));
        turned == values
    };
    for &(i, j, value) in values.iter().filter(|(i, j, _)| !symmetric || i <= j) {
        edges.add_indices(places[i], places[j], value);
    }
    edges.record.directed = !symmetric;
    edges.build(&file, "dense table").map(Some)
}

/// What the lines of a table are.
struct Head {
    nodes: usize,
    /// Whether the first line holds names.
    is_named: bool,
    /// Whether every line begins with one.
    has_first: bool,
    names: Option<Vec<String>>,
}

/// `None` if the file is not a table of numbers with as many lines as fields.
fn head(path: &Path) -> Result<Option<Head>, Error> {
    let mut records = Records::open(path)?;
    let (mut first, mut width, mut lines) = (None, 0, 0);
    let (mut named_lines, mut plain_lines) = (0, 0);
    while let Ok(Some(next)) = records.next() {
        let Row::Record(record) = next else { continue };
        let mut count = 0;
        let mut numbers = 0;
        let mut first_is_number = false;
        for (at, text) in record.fields().enumerate() {
            let is_number = text.parse::<f64>().is_ok();
            first_is_number |= at == 0 && is_number;
            (count, numbers) = (count + 1, numbers + usize::from(is_number));
        }
        if first.is_none() {
            if count < LEAST {
                return Ok(None);
            }
            first = Some((numbers == count, record.fields().map(String::from).collect::<Vec<_>>()));
            (width, lines) = (count, 1);
            continue;
        }
        lines += 1;
        named_lines += usize::from(!first_is_number && numbers + 1 == count);
        plain_lines += usize::from(numbers == count);
        let fits = count == width || count == width + 1;
        if !fits || lines > width + 1 {
            return Ok(None);
        }
    }
    let Some((first_is_numbers, fields)) = first else { return Ok(None) };
    let found = |nodes: usize, is_named: bool, has_first: bool, names: Option<Vec<String>>| {
        Some(Head { nodes, is_named, has_first, names }).filter(|head| head.nodes >= LEAST)
    };
    let later = lines - 1;
    Ok(match first_is_numbers {
        true if lines == width && plain_lines == later => found(width, false, false, None),
        // Names above: with a corner, or one field fewer than the lines have, or with no names before.
        false if named_lines == later && later == width - 1 => found(later, true, true, Some(fields[1..].to_vec())),
        false if named_lines == later && later == width => found(later, true, true, Some(fields)),
        false if plain_lines == later && later == width => found(later, true, false, Some(fields)),
        // Numbers as names: a corner that is empty, and each line begins with its name.
        false if plain_lines == later && later == width - 1 && fields[0].is_empty() => {
            found(later, true, true, Some(fields[1..].to_vec()))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(text: &str) -> Option<Graph> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        std::fs::write(&path, text).unwrap();
        read(&path, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn tables_with_and_without_names_are_graphs() {
        let rows = ["0,1,1,0", "1,0,0,2.5", "1,0,0,0", "0,2.5,0,0"];
        let before = ["ann", "bob", "cat", "dan"].iter().zip(rows).map(|(name, row)| format!("{name},{row}\n"));
        let before: String = before.collect();
        let plain = rows.map(|row| row.to_string() + "\n").concat();
        for (text, names) in [
            (plain.clone(), ["0", "1", "2", "3"]),
            (format!(",ann,bob,cat,dan\n{before}"), ["ann", "bob", "cat", "dan"]),
            (format!("ann,bob,cat,dan\n{plain}"), ["ann", "bob", "cat", "dan"]),
            (format!(",5,6,7,8\n5,{}\n6,{}\n7,{}\n8,{}\n", rows[0], rows[1], rows[2], rows[3]), ["5", "6", "7", "8"]),
        ] {
            let found = graph(&text).unwrap_or_else(|| panic!("no table: {text}"));
            assert_eq!(found.names, names);
            assert_eq!((found.edges(), found.record.directed), (3, false), "{text}");
            assert_eq!(found.adjacency.col(1).1, [1.0, 2.5]);
        }
    }

    #[test]
    fn edges_are_no_table() {
        for text in [
            "a b\nb c\n",
            "1 2 1\n2 3 1\n3 1 1\n",
            "1,2,0.5,2001\n2,3,0.5,2002\n3,1,1,2003\n",
            "Source,Target,Type,Weight\na,b,Undirected,1\n",
        ] {
            assert!(graph(text).is_none(), "{text}");
        }
    }
}
