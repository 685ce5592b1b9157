//! The beginnings of a few documents, read when they are wanted: the corpus itself is never held as text.
//!
//! As many files of a folder as are wanted, or one pass over a file; memory is that of the excerpts.

use super::bags::is_counts;
use super::sources::{MEMORY_OF_TEXT, Source, for_each_text};
use crate::Error;
use merit_dataset::encoding::decoded;
use merit_dataset::limits;
use merit_dataset::text::{FileError, Stamp, read_regular};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// The first `letters` letters of the documents `wanted` (number and name) of `path`; none where documents are counts.
///
/// A file must be the one that was read, by its `stamp`; fails for a pipe, which gives its texts only once.
///
/// ```
/// use merit_dataset::text::Stamp;
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("lines.txt");
/// std::fs::write(&path, "one\ntwo   words\nthree\n").unwrap();
/// let found = merit_topics::corpus::excerpts(&path, &Default::default(), Stamp::at(&path), &[(1, "1".into())], 5)?;
/// assert_eq!(found.into_iter().collect::<Vec<_>>(), [(1, "two w…".to_string())]);
/// # Ok::<(), merit_topics::Error>(())
/// ```
pub fn excerpts(
    path: &Path,
    source: &Source,
    stamp: Option<Stamp>,
    wanted: &[(usize, Cow<str>)],
    letters: usize,
) -> Result<BTreeMap<usize, String>, Error> {
    let mut found = BTreeMap::new();
    if is_counts(path) {
        return Ok(found);
    }
    if path.is_dir() {
        let available = limits::memory();
        for (document, name) in wanted {
            let file = path.join(&**name);
            let bytes = read_regular(&file, available, MEMORY_OF_TEXT)?;
            found.insert(*document, beginning(&decoded(&bytes, source.encoding).0, letters));
        }
        return Ok(found);
    }
    match Stamp::at(path) {
        None => return Err(FileError::NotRegular { at: path.into() }.into()),
        now if now != stamp => return Err(FileError::Changed { at: path.into() }.into()),
        _ => {}
    }
    let wanted: std::collections::HashSet<usize> = wanted.iter().map(|(document, _)| *document).collect();
    let mut document = 0;
    for_each_text(path, source, &mut |next| {
        if wanted.contains(&document) {
            found.insert(document, beginning(next.text, letters));
        }
        document += 1;
        Ok(())
    })?;
    Ok(found)
}

/// The first `limit` letters with runs of white space as one space.
fn beginning(text: &str, limit: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        if length > 0 {
            out.push(' ');
        }
        for c in word.chars().filter(|c| !c.is_control()) {
            out.push(c);
            length += 1;
            if length >= limit {
                out.push('…');
                return out;
            }
        }
        length += 1;
    }
    out
}
