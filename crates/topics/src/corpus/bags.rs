//! Corpora that are counted already: UCI's bag of words, Blei's lda-c, and matrices.

use super::{Corpus, ReadOptions};
use crate::{Error, trial};
use merit::SparseMatrix;
use merit_dataset::encoding::decoded;
use merit_dataset::limits::Room;
use merit_dataset::text::{Lines, extension};
use merit_dataset::{ReadOptions as MatrixOptions, Samples, read as read_matrix};
use std::path::{Path, PathBuf};

/// Empty words, or documents, that a file may claim. Each costs memory, so a broken header is refused, not believed.
const EMPTY_ALLOWED: u64 = 1_000_000;
/// Bytes of an entry: a triplet in a vector that doubles, and the matrix.
const ENTRY: usize = 48;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Uci,
    LdaC,
    Mat,
    Matrix,
}

/// What a path holds, by its name; `None` for texts.
pub(super) fn kind(path: &Path) -> Option<Kind> {
    if path.is_dir() {
        return None;
    }
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    match extension(path)?.as_str() {
        "txt" if name.starts_with("docword") => Some(Kind::Uci),
        "ldac" | "lda-c" | "dat" => Some(Kind::LdaC),
        "mat" => Some(Kind::Mat),
        "npz" | "mtx" | "npy" => Some(Kind::Matrix),
        _ => None,
    }
}

/// Whether a path holds counts and no texts, by its name.
pub fn is_counts(path: &Path) -> bool {
    kind(path).is_some()
}

pub(super) fn read(path: &Path, kind: Kind, options: &ReadOptions) -> Result<Corpus, Error> {
    let mut vocabulary_file = options.vocabulary.clone();
    let mut corpus = match kind {
        Kind::Uci => {
            vocabulary_file = vocabulary_file.or_else(|| beside(path));
            Corpus::of_counts(uci(path)?, None)
        }
        Kind::LdaC => Corpus::of_counts(lda_c(path)?, None),
        Kind::Mat => {
            let variable = options.variable.as_deref().unwrap_or("fea");
            trial::read_mat(path, variable, options.source.label.as_deref())?
        }
        Kind::Matrix => {
            let samples = if options.documents_are_columns { Samples::Rows } else { Samples::Columns };
            let matrix = MatrixOptions { samples, variable: options.variable.clone(), ..Default::default() };
            let counts = read_matrix(path, &matrix)?.matrix.into_sparse();
            check_size(path, counts.rows() as u64, counts.cols() as u64, counts.nnz())?;
            Corpus::of_counts(counts, None)
        }
    };
    if let Some(file) = vocabulary_file {
        let words = word_list(&file)?;
        // lda-c does not list words that no document has: the vocabulary may go on after the last one used.
        if kind == Kind::LdaC && words.len() > corpus.counts.cols() {
            let (rows, by_document) = (corpus.counts.rows(), corpus.counts.transposed());
            let triplets = (0..rows).flat_map(|d| {
                let (list, times) = by_document.col(d);
                list.iter().zip(times).map(move |(&w, &n)| (d as u32, w, n))
            });
            corpus.counts = SparseMatrix::from_triplets(rows, words.len(), triplets.collect());
        }
        if words.len() != corpus.counts.cols() {
            return Err(Error::Vocabulary { path: file, found: words.len(), expected: corpus.counts.cols() });
        }
        corpus.vocabulary = words;
    }
    Ok(corpus)
}

/// One word per line.
pub fn word_list(path: &Path) -> Result<Vec<String>, Error> {
    let (mut lines, mut words) = (Lines::open(path)?, Vec::new());
    while lines.advance()? {
        words.push(decoded(lines.bytes(), None).0.trim().to_string());
    }
    // Blank lines at the end are not words; one in the middle keeps its place, because the others are known by theirs.
    while words.last().is_some_and(String::is_empty) {
        words.pop();
    }
    Ok(words)
}

/// `vocab.NAME.txt` beside `docword.NAME.txt(.gz)`, if it is there.
fn beside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_string_lossy().replacen("docword", "vocab", 1);
    let plain = path.with_file_name(name.strip_suffix(".gz").unwrap_or(&name));
    [path.with_file_name(&name), plain].into_iter().find(|file| file.is_file())
}

/// Whole numbers of a line, separated by white space.
fn numbers(path: &Path, line: u64, text: &str) -> Result<Vec<u64>, Error> {
    let number = |word: &str| {
        let reason = || format!("holds {word:?}, but a whole number is expected");
        word.parse().map_err(|_| Error::Line { path: path.into(), line, reason: reason() })
    };
    text.split_whitespace().map(number).collect()
}

/// Refuses documents and words of which nearly all would be empty.
pub(super) fn check_size(path: &Path, documents: u64, words: u64, entries: usize) -> Result<(), Error> {
    let entries = entries as u64;
    for (what, claimed) in [("documents", documents), ("words", words)] {
        if claimed > (entries + EMPTY_ALLOWED).min(u32::MAX.into()) {
            return Err(Error::Implausible { path: path.into(), what, claimed, entries });
        }
    }
    Ok(())
}

fn uci(path: &Path) -> Result<SparseMatrix, Error> {
    let (bad, room) = (|line: u64, reason: String| Error::Line { path: path.into(), line, reason }, Room::of(path));
    let (mut head, mut triplets, mut lines) = (Vec::new(), Vec::new(), Lines::open(path)?);
    while lines.advance()? {
        let line = lines.number();
        let found = numbers(path, line, lines.text()?)?;
        match (&found[..], &head[..]) {
            ([], _) => {}
            (&[number], [] | [_] | [_, _]) => head.push(number),
            (&[document, word, count], &[documents, words, _]) => {
                let largest = u64::from(u32::MAX);
                if document == 0 || document > documents.min(largest) || word == 0 || word > words.min(largest) {
                    let expected = format!("documents go from 1 to {documents} and words from 1 to {words}");
                    return Err(bad(line, format!("is about document {document} and word {word}, but {expected}")));
                }
                triplets.push((document as u32 - 1, word as u32 - 1, count as f64));
                room.check((ENTRY * triplets.len()) as u64)?;
            }
            (found, [_, _, _]) => {
                return Err(bad(line, format!("has {} numbers, but `document word count` is expected", found.len())));
            }
            _ => {
                return Err(bad(
                    line,
                    "comes before the three lines with the numbers of documents, words and entries".into(),
                ));
            }
        }
    }
    let &[documents, words, entries] = &head[..] else {
        return Err(bad(
            lines.number(),
            "is the last, but the numbers of documents, words and entries are expected first".into(),
        ));
    };
    if triplets.len() as u64 != entries {
        return Err(bad(3, format!("promises {entries} entries, but there are {}", triplets.len())));
    }
    if documents == 0 || words == 0 {
        return Err(Error::NoDocuments { path: path.into() });
    }
    check_size(path, documents, words, triplets.len())?;
    Ok(SparseMatrix::from_triplets(documents as usize, words as usize, triplets))
}

fn lda_c(path: &Path) -> Result<SparseMatrix, Error> {
    let (mut triplets, mut words, mut documents) = (Vec::new(), 0, 0);
    let (mut lines, room) = (Lines::open(path)?, Room::of(path));
    while lines.advance()? {
        let bad = |reason: String| Error::Line { path: path.into(), line: lines.number(), reason };
        let mut fields = lines.text()?.split_whitespace();
        let Some(first) = fields.next() else { continue };
        let promised: usize =
            first.parse().map_err(|_| bad(format!("begins with {first:?}, but a number of words is expected")))?;
        let mut found = 0;
        for field in fields {
            let pair = field
                .split_once(':')
                .and_then(|(word, count)| Some((word.parse::<u32>().ok()?, count.parse::<u32>().ok()?)));
            let (word, count) = pair
                .filter(|pair| pair.0 < u32::MAX)
                .ok_or_else(|| bad(format!("holds {field:?}, but `word:count` is expected")))?;
            triplets.push((documents, word, f64::from(count)));
            words = words.max(word as usize + 1);
            found += 1;
        }
        if found != promised {
            return Err(bad(format!("promises {promised} words, but has {found}")));
        }
        room.check((ENTRY * triplets.len()) as u64)?;
        documents += 1;
    }
    if documents == 0 || words == 0 {
        return Err(Error::NoDocuments { path: path.into() });
    }
    check_size(path, documents.into(), words as u64, triplets.len())?;
    Ok(SparseMatrix::from_triplets(documents as usize, words, triplets))
}
