//! The paper's trials: some documents of a corpus in a .mat file, without the words that they do not use.
//!
//! The corpus holds `fea` (documents x words, counts) and `gnd` (a label a document); a trial file holds `sampleIdx`, the
//! documents to keep, and `zeroIdx`, the words to drop, both from 1. Reference: the corpora as prepared by Cai.

use crate::{Corpus, Error};
use merit_dataset::{ReadError, ReadOptions, read};
use std::path::Path;

/// The counts and labels of a .mat file; labels only if there is a variable `gnd`.
pub fn read_mat(path: &Path, variable: &str, labels: Option<&str>) -> Result<Corpus, Error> {
    let counts = read(path, &options(variable))?.matrix.into_sparse();
    let labels = match read(path, &options(labels.unwrap_or("gnd"))) {
        Ok(found) => Some(found.matrix.stored_values().map(|label| label.to_string()).collect::<Vec<_>>()),
        Err(ReadError::UnknownVariable { .. }) if labels.is_none() => None,
        Err(error) => return Err(error.into()),
    };
    if let Some(labels) = labels.as_ref().filter(|labels| labels.len() != counts.rows()) {
        return Err(Error::LabelCount { path: path.into(), labels: labels.len(), documents: counts.rows() });
    }
    Ok(Corpus { labels, ..Corpus::of_counts(counts, None) })
}

/// The part of `corpus` that a trial file keeps.
pub fn select(corpus: &Corpus, trial: &Path) -> Result<Corpus, Error> {
    let documents = indices(trial, "sampleIdx", corpus.counts.rows())?;
    let dropped = indices(trial, "zeroIdx", corpus.counts.cols())?;
    let mut kept = vec![true; corpus.counts.cols()];
    dropped.iter().for_each(|&n| kept[n] = false);
    let words: Vec<usize> = (0..kept.len()).filter(|&n| kept[n]).collect();
    let by_document = corpus.counts.select(&words).transposed().select(&documents);
    let pick = |list: &Vec<String>| documents.iter().map(|&d| list[d].clone()).collect();
    Ok(Corpus {
        counts: by_document.transposed(),
        vocabulary: words.iter().map(|&n| corpus.vocabulary[n].clone()).collect(),
        labels: corpus.labels.as_ref().map(pick),
        names: documents.iter().map(|&d| corpus.names.get(d)).collect(),
        ..Corpus::default()
    })
}

fn options(variable: &str) -> ReadOptions {
    ReadOptions { variable: Some(variable.to_string()), ..Default::default() }
}

/// Numbers from 1 as indices from 0, each below `count`; none where the variable is empty.
fn indices(path: &Path, variable: &str, count: usize) -> Result<Vec<usize>, Error> {
    let values = match read(path, &options(variable)) {
        Ok(found) => found.matrix.stored_values().collect(),
        Err(ReadError::NoValues { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let index = |&value: &f64| {
        let fits = value >= 1.0 && value <= count as f64 && value.fract() == 0.0;
        if fits {
            Ok(value as usize - 1)
        } else {
            Err(Error::TrialIndex { path: path.into(), variable: variable.into(), value, count })
        }
    };
    values.iter().map(index).collect()
}
