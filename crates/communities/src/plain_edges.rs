//! Large edge lists whose nodes are whole numbers, as most large ones are, read by all threads.
//!
//! ```text
//! # comments, perhaps a line of heads
//! 17  4
//! 4   2   2.5      every line with a weight, or none
//! ```
//!
//! Anything else (a word for a name, quotes, a line without its weight) and the list is read [line by line](crate::edge_list), which knows all of that.

use crate::edge_list::{head_is_plain, weight};
use crate::edge_set::EdgeSet;
use crate::read::ReadOptions;
use crate::settings::Directed;
use crate::text::{Separator, is_comment, trimmed};
use merit_dataset::limits::Room;
use merit_dataset::pieces::{Pieces, Slot, lines};
use merit_dataset::text::{Stamp, is_packed, open_regular};
use rayon::prelude::*;
use std::path::Path;

/// Numbers below this times the edges are marked in a table of bits: one byte per edge.
const BITS_AN_EDGE: usize = 8;

/// What a piece holds.
#[derive(Default)]
struct Found {
    edges: Vec<[u32; 2]>,
    weights: Vec<f64>,
    directed: bool,
}

/// The edges of `path`, if it is such a list and large.
pub(crate) fn read(path: &Path, options: &ReadOptions) -> Option<EdgeSet> {
    if is_packed(path) || !path.is_file() {
        return None;
    }
    let file = open_regular(path).ok()?;
    let stamp = Stamp::of(&file).ok()?;
    let pieces = Pieces::of(&file, 0, stamp.bytes())?;
    let edges = read_pieces(&pieces, &Room::of(path), options)?;
    (Stamp::of(&file).ok()? == stamp).then_some(edges)
}

/// What the first line that is no comment says.
struct Outline {
    separator: Separator,
    /// Whether it is a line of heads, and whether lines have weights.
    is_head: bool,
    weighted: bool,
}

fn read_pieces(pieces: &Pieces, room: &Room, options: &ReadOptions) -> Option<EdgeSet> {
    let outline = outline(&pieces.first_text()?)?;
    let (mut all, mut directed) = (Found::default(), options.directed == Directed::Cocitation);
    let parse = |piece: usize, text: &[u8], found: &mut Found| {
        found.edges.clear();
        found.weights.clear();
        found.directed = false;
        parse(text, &outline, piece == 0, found)
    };
    let take = |_: usize, slots: &mut [Slot<Found>]| {
        for Slot { found, .. } in slots.iter() {
            all.edges.extend_from_slice(&found.edges);
            all.weights.extend_from_slice(&found.weights);
            directed |= found.directed;
        }
        room.check(80 * all.edges.len() as u64).ok()
    };
    pieces.parse(parse, take)?;
    let mut edges = EdgeSet::of(options);
    edges.record.directed = directed;
    let numbers = distinct(&all.edges)?;
    numbers.names().for_each(|number| _ = edges.names.index_of_number(number));
    all.edges.par_iter_mut().for_each(|edge| *edge = edge.map(|number| numbers.rank(number)));
    let weights = all.weights.iter().copied().chain(std::iter::repeat(1.0));
    all.edges.iter().zip(weights).for_each(|(&[source, target], weight)| edges.add_indices(source, target, weight));
    Some(edges)
}

/// What the first line that is no comment says; `None` where the text is not such a list.
fn outline(text: &[u8]) -> Option<Outline> {
    let mut records = lines(text).map(|line| str::from_utf8(line).map(trimmed));
    let mut next = || records.find(|line| line.as_ref().is_ok_and(|line| !is_comment(line)) || line.is_err())?.ok();
    let first = next()?;
    if first.contains('"') {
        return None;
    }
    let separator = Separator::of(first);
    let is_head = head_is_plain(first, separator);
    let record = if is_head { next()? } else { first };
    let mut found = Found::default();
    let third = edge(record.as_bytes(), separator, &mut found)?;
    Some(Outline { separator, is_head, weighted: third.is_some() })
}

fn parse(text: &[u8], outline: &Outline, is_first: bool, found: &mut Found) -> Option<()> {
    let mut head = outline.is_head && is_first;
    for line in lines(text) {
        if !line[0].is_ascii_digit() {
            let line = trimmed(str::from_utf8(line).ok()?);
            if is_comment(line) {
                let line = line.to_ascii_lowercase();
                found.directed |= line.contains("directed graph") && !line.contains("undirected");
                continue;
            }
            if std::mem::take(&mut head) {
                continue;
            }
        }
        let third = edge(line, outline.separator, found)?;
        if third.is_some() != outline.weighted {
            return None;
        }
        found.weights.extend(third);
    }
    Some(())
}

/// Adds the edge of a line; gives its weight, if there is one, or `None` where the line is anything else.
fn edge(line: &[u8], separator: Separator, found: &mut Found) -> Option<Option<f64>> {
    let (source, rest) = number(line.trim_ascii_start())?;
    let rest = separated(rest, separator)?;
    let (target, rest) = number(rest)?;
    found.edges.push([source, target]);
    let rest = rest.trim_ascii_end();
    if rest.is_empty() {
        return Some(None);
    }
    let third = separated(rest, separator)?;
    let mut third = Some(str::from_utf8(third).ok()?).filter(|text| !text.contains('"'));
    match separator.next(&mut third) {
        None | Some("") => Some(None),
        Some(text) => weight(text).ok().map(Some),
    }
}

/// What follows a separator and the blanks around it.
fn separated(text: &[u8], separator: Separator) -> Option<&[u8]> {
    let after = text.trim_ascii_start();
    match separator {
        Separator::Blanks => (after.len() < text.len()).then_some(after),
        // A tab is a blank too: of those before the field only the first separates.
        _ => {
            let mark = text.iter().position(|&byte| char::from(byte) == separator.mark())?;
            let only_blanks = text[..mark].iter().all(|byte| *byte == b' ');
            let after = &text[mark + 1..];
            let blanks = after.iter().take_while(|byte| **byte == b' ').count();
            only_blanks.then_some(&after[blanks..])
        }
    }
}

/// A number that its digits give back, and what follows it.
fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    let mut value = 0u64;
    let mut digits = 0;
    while let Some(byte @ b'0'..=b'9') = text.get(digits) {
        value = value * 10 + u64::from(byte - b'0');
        digits += 1;
        if digits > 10 {
            return None;
        }
    }
    let plain = digits > 0 && (text[0] != b'0' || digits == 1);
    Some((u32::try_from(value).ok().filter(|_| plain)?, &text[digits..]))
}

/// The numbers that occur, as bits, and how many there are before each word of these.
struct Numbers {
    words: Vec<u64>,
    before: Vec<u32>,
}

fn distinct(edges: &[[u32; 2]]) -> Option<Numbers> {
    let largest = edges.par_iter().map(|edge| edge[0].max(edge[1])).max()? as usize;
    if largest / 64 > edges.len() * BITS_AN_EDGE / 64 + (1 << 14) {
        return None; // few numbers, far apart
    }
    let mut words = vec![0u64; largest / 64 + 1];
    edges.iter().flatten().for_each(|&number| words[number as usize / 64] |= 1 << (number % 64));
    let mut count = 0;
    let before = words.iter().map(|word| {
        count += word.count_ones();
        count - word.count_ones()
    });
    let before = before.collect();
    Some(Numbers { words, before })
}

impl Numbers {
    /// How many smaller ones occur.
    fn rank(&self, number: u32) -> u32 {
        let (word, bit) = (number as usize / 64, number % 64);
        self.before[word] + (self.words[word] & ((1 << bit) - 1)).count_ones()
    }

    /// All that occur, the smallest first.
    fn names(&self) -> impl Iterator<Item = u64> {
        let bits = |(w, &word): (usize, &u64)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * w as u64 + bit)
        };
        self.words.iter().enumerate().flat_map(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge_list;

    /// Lists of all kinds, in pieces of all sizes: what comes of them is what comes of reading line by line, or nothing.
    #[test]
    fn pieces_give_what_lines_give() {
        let mut plain = 0;
        for (list, is_plain) in [
            ("1 2\n2 3\n3 1\n", true),
            ("# Directed graph: x\n1\t2\n2\t3\n10\t1\n", true),
            ("% undirected graph\n1,2\r\n2 , 3\r\n\r\n3,3\r\n3,2", true),
            ("source,target\n0,2\n2,3\n", true),
            ("5 1 2.5\n1 7 1\n7 5 0\n# end\n", true),
            ("5;1;2\n1; 7 ;1\n", true),
            ("1,2,\n2,3,\n", true),
            ("1 2\n2 3 4\n", false),
            ("1 2 3\n2 3\n", false),
            ("1 2 x\n2 3 y\n", false),
            ("1 2 -1\n2 3 1\n", false),
            ("ann 2\n2 3\n", false),
            ("1 02\n2 3\n", false),
            ("1 \"2\"\n2 3\n", false),
            ("1 4294967296\n2 3\n", false),
            ("1\t\t2\n2\t3\t4\n", false),
            ("source,target,weight\n1,2,3\n2,3,4\n", false),
            ("1 2 3 4\n2 3 4 5\n", true),
            ("1\n2 3\n", false),
            ("1,,2\n", false),
            ("\u{feff}1 2\n", false),
            ("1 4000000000\n", false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("edges.txt");
            std::fs::write(&path, list).unwrap();
            for options in [
                ReadOptions::default(),
                ReadOptions { unweighted: true, ..Default::default() },
                ReadOptions { directed: Directed::Cocitation, ..Default::default() },
            ] {
                let expected = edge_list::read_lines(&path, &options);
                for size in 1..list.len() as u64 + 2 {
                    let file = std::fs::File::open(&path).unwrap();
                    let pieces = Pieces::with_size(&file, 0, list.len() as u64, size);
                    let Some(found) = read_pieces(&pieces, &Room::of(&path), &options) else {
                        assert!(!is_plain || size < list.len() as u64, "{list:?} in pieces of {size}");
                        continue;
                    };
                    plain += 1;
                    assert!(is_plain, "{list:?} in pieces of {size}");
                    let found = found.build(&path.display().to_string(), "edge list");
                    match (&expected, &found) {
                        (Ok(expected), Ok(found)) => {
                            assert_eq!(
                                (&found.names, &found.adjacency),
                                (&expected.names, &expected.adjacency),
                                "{list:?}"
                            );
                            assert_eq!(found.record, expected.record, "{list:?}");
                        }
                        (Err(expected), Err(found)) => assert_eq!(expected.to_string(), found.to_string()),
                        _ => panic!("{list:?}: {expected:?} or {found:?}"),
                    }
                }
            }
        }
        assert!(plain > 300, "{plain}");
    }
}
