//! Metrics, one function each.

use crate::errors::wrong;
use crate::matrices::{Columns, Matrix};
use crate::watching::{Watch, whole};
use merit::DenseMatrix;
use merit::metrics;
use pyo3::prelude::*;

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(anchors_right, module)?)?;
    module.add_function(wrap_pyfunction!(mrsa, module)?)?;
    module.add_function(wrap_pyfunction!(rae, module)?)?;
    module.add_function(wrap_pyfunction!(spearman, module)?)?;
    module.add_function(wrap_pyfunction!(src, module)?)?;
    module.add_function(wrap_pyfunction!(coherence, module)?)?;
    module.add_function(wrap_pyfunction!(similarity_count, module)?)?;
    module.add_function(wrap_pyfunction!(clustering_accuracy, module)?)
}

#[pyfunction]
fn anchors_right(found: Vec<usize>, truth: Vec<usize>) -> usize {
    metrics::anchors_right(&found, &truth)
}

/// Matrices of the same shape, an item per row.
fn pair(found: &Matrix<'_>, truth: &Matrix<'_>, columns: Columns) -> PyResult<(DenseMatrix, DenseMatrix)> {
    let (found, truth) = (found.data(columns)?.into_dense(), truth.data(columns)?.into_dense());
    let shape = |matrix: &DenseMatrix| (matrix.cols(), matrix.rows());
    if shape(&found) != shape(&truth) {
        let text = format!("the shapes differ: {:?} and {:?}", shape(&found), shape(&truth));
        return Err(wrong(text));
    }
    Ok((found, truth))
}

/// Mean angle in radians; components are rows.
#[pyfunction]
fn mrsa(found: Matrix<'_>, truth: Matrix<'_>) -> PyResult<f64> {
    let (found, truth) = pair(&found, &truth, Columns::Rows)?;
    Ok(metrics::mrsa_radians(&found, &truth, metrics::MeanRemoval::MeanColumn))
}

/// `1 - ||X - weights components|| / ||X||`, samples as rows.
#[pyfunction]
fn rae(py: Python<'_>, watch: Watch, x: Matrix<'_>, weights: Matrix<'_>, components: Matrix<'_>) -> PyResult<f64> {
    let x = x.data(Columns::Rows)?;
    let (h, w) = (weights.data(Columns::Rows)?.into_dense(), components.data(Columns::Rows)?.into_dense());
    if (x.rows(), x.cols(), w.cols()) != (w.rows(), h.cols(), h.rows()) {
        return Err(wrong(format!(
            "the shapes do not fit: X {} x {}, weights {} x {}, components {} x {}",
            x.cols(),
            x.rows(),
            h.cols(),
            h.rows(),
            w.cols(),
            w.rows()
        )));
    }
    whole(watch.run(py, |_| metrics::rae(&x, &w, &h)))
}

#[pyfunction]
fn spearman(x: Vec<f64>, y: Vec<f64>) -> PyResult<f64> {
    if x.len() != y.len() {
        return Err(wrong(format!("{} and {} values cannot be compared", x.len(), y.len())));
    }
    Ok(metrics::spearman(&x, &y))
}

/// Shares of communities, a node per row.
#[pyfunction]
fn src(found: Matrix<'_>, truth: Matrix<'_>) -> PyResult<f64> {
    let (found, truth) = pair(&found, &truth, Columns::Columns)?;
    Ok(metrics::src(&found, &truth))
}

/// Counts, documents as rows, and word numbers for each topic.
#[pyfunction]
fn coherence(counts: Matrix<'_>, topics: Vec<Vec<usize>>) -> PyResult<f64> {
    let counts = counts.data(Columns::Columns)?.into_sparse();
    if let Some(word) = topics.iter().flatten().find(|&&word| word >= counts.cols()) {
        return Err(wrong(format!("word {word}, but there are only {}", counts.cols())));
    }
    Ok(metrics::coherence(&counts, &topics))
}

#[pyfunction]
fn similarity_count(topics: Vec<Vec<usize>>) -> usize {
    metrics::similarity_count(&topics)
}

/// Weights, a document per row, and a label each.
#[pyfunction]
fn clustering_accuracy(
    py: Python<'_>,
    watch: Watch,
    weights: Matrix<'_>,
    labels: Vec<usize>,
    seed: u64,
) -> PyResult<f64> {
    let weights = weights.data(Columns::Rows)?.into_dense();
    if weights.cols() != labels.len() {
        return Err(wrong(format!("{} documents, but {} labels", weights.cols(), labels.len())));
    }
    whole(watch.run(py, |observer| metrics::clustering_accuracy_until(&observer.interrupt(), &weights, &labels, seed)))
}
