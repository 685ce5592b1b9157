//! Files: every matrix, corpus and graph that the command line reads, and texts that must be written whole or not at all.

use crate::errors::{of_communities, of_reading, of_topics, of_writing};
use crate::matrices::{Parts, parts, rows_of_columns};
use crate::names::in_python;
use crate::settings::{Given, with};
use merit::DataMatrix;
use merit_dataset::{ReadOptions, read, write_file_atomically};
use merit_topics::settings::{Reading, TokenSettings};
use numpy::PyArray2;
use pyo3::prelude::*;
use std::borrow::Cow;
use std::path::PathBuf;

/// A matrix of a file: dense, with its columns as rows; or sparse, shape and parts by columns. Then labels, notes and how it was stored.
type Read<'py> =
    (Option<Bound<'py, PyArray2<f64>>>, Option<((usize, usize), Parts<'py>)>, Option<Vec<String>>, Vec<String>, String);

/// Reads a matrix as the file has it: its rows are rows.
#[pyfunction]
#[pyo3(signature = (path, variable))]
pub fn read_matrix<'py>(py: Python<'py>, path: PathBuf, variable: Option<String>) -> PyResult<Read<'py>> {
    let options = ReadOptions { variable, ..Default::default() };
    let dataset = py.detach(|| read(&path, &options)).map_err(of_reading)?;
    let notes = dataset.notes();
    let (dense, sparse) = match dataset.matrix {
        DataMatrix::Sparse(matrix) => (None, Some(((matrix.rows(), matrix.cols()), parts(py, &matrix)))),
        dense => (Some(rows_of_columns(py, dense.into_dense())?), None),
    };
    Ok((dense, sparse, dataset.labels, notes, dataset.description))
}

/// Writes a file: whole or not at all, never through a link to elsewhere.
#[pyfunction]
pub fn write_file(path: PathBuf, bytes: &[u8]) -> PyResult<()> {
    write_file_atomically(&path, bytes).map_err(of_writing)
}

/// Counts (shape and parts by columns: a word each), vocabulary, names of the documents and labels.
type ReadCorpus<'py> = ((usize, usize), Parts<'py>, Vec<String>, Vec<String>, Option<Vec<String>>);

/// Reads texts or counts as `merit topics` does.
#[pyfunction]
pub fn read_corpus<'py>(py: Python<'py>, path: PathBuf, tokens: Given) -> PyResult<ReadCorpus<'py>> {
    let tokens: TokenSettings = with(&tokens)?;
    let options = Reading::default().options(tokens.tokens().map_err(of_topics)?);
    let corpus = py.detach(|| merit_topics::corpus::read(&path, &options)).map_err(of_topics)?;
    let (counts, names) = (&corpus.counts, corpus.names.iter().map(Cow::into_owned).collect());
    Ok(((counts.rows(), counts.cols()), parts(py, counts), corpus.vocabulary, names, corpus.labels))
}

/// Reads a graph as `merit communities` does: the parts of its adjacency matrix, the names of its nodes, and notes.
#[pyfunction]
pub fn read_graph(py: Python<'_>, path: PathBuf, reading: Given) -> PyResult<(Parts<'_>, Vec<String>, Vec<String>)> {
    let options = with::<merit_communities::settings::Reading>(&reading)?.options();
    let graph = py.detach(|| merit_communities::read::read(&path, &options)).map_err(of_communities)?;
    let notes = graph.notes().iter().map(|note| in_python(note)).collect();
    Ok((parts(py, &graph.adjacency), graph.names, notes))
}
