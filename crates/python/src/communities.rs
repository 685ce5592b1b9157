//! Graphs to communities.

use crate::errors::{of_communities, wrong};
use crate::held::Held;
use crate::matrices::rows_of_columns;
use crate::settings::{Given, with};
use crate::watching::{Checkpoint, Watch, Watched, is_whole, trace_dict, whole};
use merit_cli::runs::CommunitiesRun;
use merit_communities::graph::EdgeSet;
use merit_communities::settings::{Directed, Reading};
use merit_communities::{Graph, Settings, detect};
use merit_linalg::numbers::fingerprint_of_sparse;
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Communities that were found. They cannot be changed.
#[pyclass(frozen, module = "merit_nmf._merit")]
pub struct CommunityRun {
    run: Held<CommunitiesRun>,
    #[pyo3(get)]
    json: String,
}

#[pymethods]
impl CommunityRun {
    /// A community per row: the share of each node.
    fn memberships<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows_of_columns(py, self.run.get().found().memberships.clone())
    }

    /// How communities connect.
    fn b<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows_of_columns(py, self.run.get().found().b.clone())
    }

    /// Nodes about which the graph says nothing, by their place.
    fn unknown(&self) -> Vec<usize> {
        self.run.get().found().unknown.clone()
    }

    /// What each node is to its community; `None` where nothing is known.
    fn roles(&self) -> Vec<Option<&'static str>> {
        self.run.get().roles().into_iter().map(|role| role.map(|role| role.name())).collect()
    }

    /// Names of the nodes, in the order of the shares.
    fn names(&self) -> Vec<String> {
        self.run.get().graph().names.clone()
    }

    fn trace<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let run = self.run.get();
        trace_dict(py, run.found().search.as_ref().map_or(&[], |search| &search.trace))
    }

    /// The page of `merit communities`.
    fn page(&self, py: Python<'_>, watch: Watch) -> PyResult<String> {
        whole(watch.run(py, |_| self.run.get().page()))
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }
}

/// Edges as Python gives them: `merit_nmf._graphs.Edges`.
#[derive(FromPyObject)]
pub struct Edges<'py> {
    /// Names of the nodes, each once.
    names: Vec<String>,
    /// Both ends of each edge, as places in `names`.
    sources: PyReadonlyArray1<'py, u32>,
    targets: PyReadonlyArray1<'py, u32>,
    /// A weight each, where there are any.
    weights: Option<PyReadonlyArray1<'py, f64>>,
    /// Whether they have a direction; `None` if unknown.
    have_direction: Option<bool>,
}

impl Edges<'_> {
    fn graph(&self, reading: &Reading) -> PyResult<Graph> {
        let unusable = |_| wrong("the arrays of edges are not contiguous");
        let (sources, targets) =
            (self.sources.as_slice().map_err(unusable)?, self.targets.as_slice().map_err(unusable)?);
        let weights = self.weights.as_ref().map(|weights| weights.as_slice().map_err(unusable)).transpose()?;
        if sources.len() != targets.len() || weights.is_some_and(|weights| weights.len() != sources.len()) {
            return Err(wrong("edges need two nodes and one weight each"));
        }
        if let Some(weight) = weights.and_then(|weights| weights.iter().find(|w| !(w.is_finite() && **w >= 0.0))) {
            return Err(wrong(format!("the weight {weight}, but weights must be finite and not negative")));
        }
        let mut edges = EdgeSet::of(&reading.options());
        edges.record.directed = self.have_direction.unwrap_or(reading.directed == Directed::Cocitation);
        for (number, name) in self.names.iter().enumerate() {
            if edges.names.index(name) as usize != number {
                return Err(wrong(format!("two nodes are called `{name}`")));
            }
        }
        for (i, (&source, &target)) in sources.iter().zip(targets).enumerate() {
            if source.max(target) as usize >= self.names.len() {
                return Err(wrong(format!("edge {i} names a node that is not there")));
            }
            edges.add_indices(source, target, weights.map_or(1.0, |weights| weights[i]));
        }
        edges.build("graph", "in memory").map_err(of_communities)
    }
}

/// Communities of a graph.
#[pyfunction]
pub fn communities(
    py: Python<'_>,
    watch: Watch,
    edges: Edges<'_>,
    reading: Given,
    settings: Given,
) -> PyResult<(Option<CommunityRun>, Option<PyErr>)> {
    let settings: Settings = with(&settings)?;
    let reading: Reading = with(&reading)?;
    let graph = edges.graph(&reading)?;
    let mut checkpoint = watch.checkpoint("communities", || fingerprint_of_sparse(&graph.adjacency), &settings)?;
    let mut is_done = false;
    let Watched { result, raised } = watch.run_keeping(py, &mut checkpoint, |observer| {
        let found = detect(&graph, &settings, observer)?;
        is_done = is_whole(found.stop);
        let mut run = CommunitiesRun::new(graph, reading, settings, found);
        let json = run.json();
        Ok(CommunityRun { run: Held::new(run), json })
    })?;
    Checkpoint::after(py, checkpoint, is_done && raised.is_none())?;
    match (result, raised) {
        (Ok(run), raised) => Ok((Some(run), raised)),
        (Err(merit_communities::Error::Merit(merit::Error::Interrupted)), Some(error)) => Ok((None, Some(error))),
        (Err(error), _) => Err(of_communities(error)),
    }
}
