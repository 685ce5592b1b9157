//! Passages of a few documents, read when they are wanted: the corpus itself is never held as text.
//!
//! As many files of a folder as are wanted, or one pass over a file; memory is the size of the excerpts.

use super::bags::is_counts;
use super::sources::{MEMORY_OF_TEXT, Source, for_each_text};
use super::tokens::{Normal, Splitter};
use super::words::each_word;
use crate::Error;
use merit_dataset::encoding::decoded;
use merit_dataset::limits;
use merit_dataset::text::{FileError, Stamp, read_regular};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// A document that a passage is wanted of.
#[derive(Clone, Debug, Default)]
pub struct Wanted<'a> {
    /// Where it is in the input, from 0.
    pub number: usize,
    /// Its name, which is its file in a folder.
    pub name: Cow<'a, str>,
    /// The words that the passage should have, as they are counted.
    pub words: HashSet<&'a str>,
}

/// About `letters` letters of the documents `wanted` of `path`, by their number: where most of their words are, otherwise the beginning. None
/// where documents are counts.
///
/// A file must be the one that was read, by its `stamp`; fails for a pipe, which gives its texts only once.
///
/// ```
/// use merit_dataset::text::Stamp;
/// use merit_topics::corpus::{Tokens, Wanted, excerpts};
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("lines.txt");
/// std::fs::write(&path, "one\ntwo   words that lead to a river and a boat\nthree\n").unwrap();
/// let splitter = Tokens::default().splitter()?;
/// let of = |words: &[&'static str]| {
///     let wanted = Wanted { number: 1, name: "1".into(), words: words.iter().copied().collect() };
///     excerpts(&path, &Default::default(), Stamp::at(&path), &[wanted], &splitter, 16).map(|found| found[&1].clone())
/// };
/// assert_eq!(of(&["boat", "river"])?, "… river and a boat");
/// assert_eq!(of(&["sea"])?, "two words that l…");
/// # Ok::<(), merit_topics::Error>(())
/// ```
pub fn excerpts(
    path: &Path,
    source: &Source,
    stamp: Option<Stamp>,
    wanted: &[Wanted],
    splitter: &Splitter,
    letters: usize,
) -> Result<BTreeMap<usize, String>, Error> {
    let mut found = BTreeMap::new();
    if is_counts(path) {
        return Ok(found);
    }
    if path.is_dir() {
        let available = limits::memory();
        for one in wanted {
            let file = path.join(&*one.name);
            let bytes = read_regular(&file, available, MEMORY_OF_TEXT)?;
            found.insert(one.number, passage(&decoded(&bytes, source.encoding).0, one, splitter, letters));
        }
        return Ok(found);
    }
    match Stamp::at(path) {
        None => return Err(FileError::NotRegular { at: path.into() }.into()),
        now if now != stamp => return Err(FileError::Changed { at: path.into() }.into()),
        _ => {}
    }
    let wanted: BTreeMap<usize, &Wanted> = wanted.iter().map(|one| (one.number, one)).collect();
    let mut document = 0;
    for_each_text(path, source, &mut |next| {
        if let Some(one) = wanted.get(&document) {
            found.insert(document, passage(next.text, one, splitter, letters));
        }
        document += 1;
        Ok(())
    })?;
    Ok(found)
}

/// Where most words of `wanted` are within this many letters, with as much before the first of them as after the last; of equal places the first.
fn passage(text: &str, wanted: &Wanted, splitter: &Splitter, letters: usize) -> String {
    // Places of words in bytes, which is near enough to letters: from, to, and whether it is wanted.
    let mut words: Vec<(usize, usize, bool)> = Vec::new();
    each_word(text, &mut |word, _| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let hit = matches!(splitter.normal(word), Normal::Word(word) if wanted.words.contains(word.as_str()));
        words.push((start, start + word.len(), hit));
    });
    let hits: Vec<usize> = (0..words.len()).filter(|&i| words[i].2).collect();
    let Some(&first) = hits.first() else { return beginning(text, letters) };
    let mut best = (1, first, first);
    let mut from = 0;
    for to in 0..hits.len() {
        while words[hits[to]].1 - words[hits[from]].0 > letters && from < to {
            from += 1;
        }
        if to + 1 - from > best.0 {
            best = (to + 1 - from, hits[from], hits[to]);
        }
    }
    let (_, first, last) = best;
    let room = letters.saturating_sub(words[last].1 - words[first].0) / 2;
    let start = words.iter().find(|word| word.0 + room >= words[first].0).map_or(0, |word| word.0);
    // Near its end a text is shown from further ahead, and from the beginning if that is near.
    let latest = text.len().saturating_sub(letters);
    let start = words.iter().rev().map(|word| word.0).find(|&place| place <= start.min(latest)).unwrap_or(0);
    if words.first().is_none_or(|word| start <= word.0) {
        beginning(text, letters)
    } else {
        format!("… {}", beginning(&text[start..], letters))
    }
}

/// The first `limit` letters with runs of white space as one space.
fn beginning(text: &str, limit: usize) -> String {
    let (mut out, mut length) = (String::new(), 0);
    for word in text.split_whitespace() {
        let gap = (length > 0).then_some(' ');
        for c in gap.into_iter().chain(word.chars().filter(|c| !c.is_control())) {
            if length >= limit {
                out.push('…');
                return out;
            }
            out.push(c);
            length += 1;
        }
    }
    out
}
