//! `merit::factor` and what belongs to it.

use crate::errors::{of_merit, wrong};
use crate::matrices::{Columns, Compressed, Matrix, Parts, parts, rows_of_columns};
use crate::settings::{Given, with};
use crate::watching::{Checkpoint, Watch, Watched, is_whole, trace_dict, whole};
use merit::factor::{Settings, factor_from};
use merit::least_squares::{DEFAULT_TOLERANCE, solve_until};
use merit::preprocess::{Prepared, Preprocessing};
use merit::progress::Stages;
use merit::search::{Question, search};
use merit::solver::Workspace;
use merit_cli::runs::FactorRun;
use merit_linalg::numbers::fingerprint_with;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What a factorization found. It cannot be changed.
#[pyclass(frozen, module = "merit_nmf._merit")]
pub struct Run {
    run: FactorRun,
    #[pyo3(get)]
    json: String,
}

#[pymethods]
impl Run {
    /// `W`: an anchor per row.
    fn w<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows_of_columns(py, self.run.found.w.clone())
    }

    /// `H`: the weights of a column of the data per row.
    fn h<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows_of_columns(py, self.run.found.h.h.clone())
    }

    /// The parts of `C`, for MERIT.
    fn c<'py>(&self, py: Python<'py>) -> Option<Parts<'py>> {
        Some(parts(py, &self.run.found.c()?))
    }

    fn row_norms<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.run.found.search.row_norms)
    }

    fn trace<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        trace_dict(py, &self.run.found.search.trace)
    }

    /// The page of `merit factor`.
    #[pyo3(signature = (watch, labels, x, columns_are_rows))]
    fn page(
        &self,
        py: Python<'_>,
        watch: Watch,
        labels: Option<Vec<String>>,
        x: Option<Matrix<'_>>,
        columns_are_rows: bool,
    ) -> PyResult<String> {
        let (precision, are) = (self.run.asked().precision, Columns::are_rows(columns_are_rows));
        let x = x.map(|x| x.data_in(precision, are, "columns")).transpose()?;
        let columns = self.run.found.columns.original_cols();
        if labels.as_ref().is_some_and(|labels| labels.len() != columns) {
            return Err(wrong(format!("there must be {columns} labels")));
        }
        whole(watch.run(py, |_| self.run.page(labels.as_deref(), x.as_ref())))
    }

    /// The conditions of the theorems as JSON.
    fn certify(&self, py: Python<'_>, watch: Watch, x: Matrix<'_>, columns_are_rows: bool) -> PyResult<String> {
        let x = x.data_in(self.run.asked().precision, Columns::are_rows(columns_are_rows), "columns")?;
        let certificate = whole(watch.run(py, |_| self.run.certificate(&x)))?.map_err(wrong)?;
        Ok(serde_json::to_string(&certificate).expect("a certificate has only string keys"))
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }
}

/// A run, if there is one, and what was raised on the way, if anything was.
type Outcome = (Option<Run>, Option<PyErr>);

/// Finds anchors and factors. `columns_are_rows`: the columns of the problem are the rows of `x`. `called` is what the caller calls them.
#[pyfunction]
#[pyo3(signature = (watch, x, columns_are_rows, called, settings, initial))]
pub fn factor(
    py: Python<'_>,
    watch: Watch,
    x: Matrix<'_>,
    columns_are_rows: bool,
    called: &str,
    settings: Given,
    initial: Option<Compressed<'_>>,
) -> PyResult<Outcome> {
    let settings: Settings = with(&settings)?;
    let x = x.data_in(settings.precision, Columns::are_rows(columns_are_rows), called)?;
    let initial = initial.map(|c| c.matrix(Columns::Columns)).transpose()?;
    let data = || fingerprint_with(&x, initial.as_ref());
    let mut checkpoint = watch.checkpoint("factor", data, &settings)?;
    let Watched { result, raised } = watch.run_keeping(py, &mut checkpoint, |observer| {
        let found = factor_from(&x, &settings, initial.as_ref(), observer)?;
        let mut run = FactorRun::new("X", &x, settings.clone(), found);
        let json = run.json();
        Ok(Run { run, json })
    })?;
    let is_done = result.as_ref().is_ok_and(|run| is_whole(run.run.found.search.stop)) && raised.is_none();
    Checkpoint::after(py, checkpoint, is_done)?;
    match (result, raised) {
        (Ok(run), raised) => Ok((Some(run), raised)),
        (Err(merit::Error::Interrupted), Some(error)) => Ok((None, Some(error))),
        (Err(error), _) => Err(of_merit(error, called)),
    }
}

/// The anchors of a method alone: no scaling, no factors.
#[pyfunction]
pub fn select<'py>(
    py: Python<'py>,
    watch: Watch,
    x: Matrix<'_>,
    rank: usize,
    settings: Given,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let settings: Settings = with(&settings)?;
    let x = x.data(Columns::Columns)?;
    if rank == 0 || rank > x.cols() {
        return Err(of_merit(merit::Error::Rank { rank, cols: x.cols() }, "columns"));
    }
    let Watched { result, raised } = watch.run(py, |observer| {
        let stages = &mut Stages::new(observer, settings.search.solver.time_limit);
        search(&mut Workspace::new(&x), settings.method, Question::of(rank), &settings.search, stages)
    })?;
    match (result, raised) {
        (_, Some(error)) => Err(error),
        (Ok(found), None) => Ok(PyArray1::from_iter(py, found.anchors.iter().map(|&anchor| anchor as i64))),
        (Err(error), None) => Err(of_merit(error, "columns")),
    }
}

/// Weights of the columns of `x` on the rows of `components`, a row each: least squares as in `factor`, and the same scaling.
#[pyfunction]
pub fn weights<'py>(
    py: Python<'py>,
    watch: Watch,
    x: Matrix<'_>,
    columns_are_rows: bool,
    components: Matrix<'_>,
    settings: Given,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let settings: Settings = with(&settings)?;
    let x = x.data(Columns::are_rows(columns_are_rows))?;
    let w = components.data(Columns::Rows)?.into_dense();
    if w.rows() != x.rows() {
        return Err(wrong(format!("X has {} features, but the components have {}", x.rows(), w.rows())));
    }
    let steps = Preprocessing { normalize: settings.normalize, ..Default::default() };
    let Watched { result, raised } = watch.run(py, |observer| {
        let prepared = Prepared::of(&x, &steps)?;
        let interrupt = observer.interrupt();
        Ok(solve_until(&interrupt, &prepared.full, &w, settings.weights, DEFAULT_TOLERANCE).h)
    })?;
    match (result, raised) {
        (_, Some(error)) => Err(error),
        (Ok(h), None) => rows_of_columns(py, h),
        (Err(error), None) => Err(of_merit(merit::Error::Preprocess(error), "samples")),
    }
}
