//! Data with known anchors.

use crate::errors::{failed, wrong};
use crate::matrices::{Parts, parts, rows_of_columns};
use crate::threads::pool;
use merit::synthetic::{Dirichlet, MidpointNoise, Midpoints, Synthetic, SyntheticError};
use merit_communities::mmsb::Mmsb;
use numpy::PyArray2;
use pyo3::prelude::*;

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(make_dirichlet, module)?)?;
    module.add_function(wrap_pyfunction!(make_midpoints, module)?)?;
    module.add_function(wrap_pyfunction!(make_mmsb, module)?)
}

type Array<'py> = Bound<'py, PyArray2<f64>>;
/// `X`, `W` and `H` with their columns as rows, the anchors, and the columns that are not mixtures.
type Made<'py> = (Array<'py>, Array<'py>, Array<'py>, Vec<usize>, Vec<usize>);

fn made<'py>(py: Python<'py>, drawn: Result<Synthetic, SyntheticError>) -> PyResult<Made<'py>> {
    let Synthetic { x, w, h, anchors, outliers, .. } = drawn.map_err(|error| wrong(error.to_string()))?;
    Ok((rows_of_columns(py, x)?, rows_of_columns(py, w)?, rows_of_columns(py, h)?, anchors, outliers))
}

#[pyfunction]
fn make_dirichlet(
    py: Python<'_>,
    size: (usize, usize, usize),
    snr_db: f64,
    concentration: f64,
    outliers: usize,
    seed: u64,
) -> PyResult<Made<'_>> {
    let (samples, features, rank) = size;
    let model = Dirichlet { snr_db, concentration, outliers, seed, ..Dirichlet::new(features, samples, rank) };
    let pool = pool(1)?;
    made(py, py.detach(|| pool.install(|| model.generate())))
}

#[pyfunction]
fn make_midpoints(
    py: Python<'_>,
    features: usize,
    rank: usize,
    snr_db: f64,
    outward: bool,
    seed: u64,
) -> PyResult<Made<'_>> {
    let noise = if outward { MidpointNoise::Outward } else { MidpointNoise::Gaussian };
    let model = Midpoints { snr_db, noise, seed, ..Midpoints::new(features, rank) };
    let pool = pool(1)?;
    made(py, py.detach(|| pool.install(|| model.generate())))
}

/// Adjacency (symmetric parts), shares (communities as rows), `B`, pure nodes.
type Network<'py> = (Parts<'py>, Array<'py>, Array<'py>, Vec<usize>);

#[pyfunction]
fn make_mmsb(
    py: Python<'_>,
    nodes: usize,
    communities: usize,
    mean_degree: f64,
    concentration: f64,
    between: f64,
    seed: u64,
) -> PyResult<Network<'_>> {
    let model = Mmsb { mean_degree, concentration, between, seed, ..Mmsb::new(nodes, communities) };
    let pool = pool(1)?;
    let drawn = py.detach(|| pool.install(|| model.generate())).map_err(|error| wrong(error.to_string()))?;
    let graph = drawn.graph().map_err(|error| failed(error.to_string()))?;
    let adjacency = parts(py, &graph.adjacency);
    Ok((adjacency, rows_of_columns(py, drawn.theta)?, rows_of_columns(py, drawn.b)?, drawn.pure))
}
