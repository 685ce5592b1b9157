"""``CommunityDetector``: graphs to overlapping communities."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _merit
from ._estimator import PathLike
from ._html import HtmlSummary, summary_of_communities
from ._matrices import checked
from ._saving import Saved
from ._settings import given
from ._watching import Callback, watching


@dataclass(frozen=True)
class Edges:
    """What the compiled part asks for."""

    names: list[str]
    sources: NDArray[np.uint32]
    targets: NDArray[np.uint32]
    weights: NDArray[np.float64] | None
    have_direction: bool | None


class CommunityDetector(HtmlSummary, Saved, BaseEstimator):
    """Overlapping communities of a graph: the share of each node in each of them.

    ``fit`` takes an adjacency matrix (scipy.sparse or dense), a graph of networkx or igraph, a frame of edges (the first two
    columns are nodes, a third one weights), or an iterable of pairs (or triples with a weight) of nodes.

    Parameters
    ----------
    n_communities : int, optional
        Number of communities (K); ``None`` estimates it.
    method : str, optional
        How pure nodes are found: an anchor method as in :class:`SeparableNMF`, or spoc, geonmf; ``None`` is spa, or merit as published.
    operator : str, optional
        Whose eigenvectors: adjacency, normalized, regularized[:TAU]; ``None`` takes what explains the edges best.
    energy : float, default=0.99
        Fraction of the eigenvectors' energy that the nodes searched for pure ones carry together.
    memberships : str, optional
        How shares are found: inverse (as published), simplex, floored (SPOC's); ``None`` is the method's own.
    refinement : int, default=20
        Maximum number of steps that refine the shares by the likelihood of the edges; 0 is none.
    threshold : float, default=0.5
        A node is a member where it has at least this fraction of its largest share.
    stability : int, default=0
        How often to search again without a tenth of the edges, to see which communities come back.
    published : bool, default=False
        Do as the authors' program does: MERIT on the adjacency matrix of the whole graph, its largest rows, no refinement.
    unweighted : bool, default=False
        Ignore the weights of edges: each linked pair counts once. Else weights count where some are not 1.
    directed : str, default="symmetrized"
        Directed edges: symmetrized (ignore the direction), or cocitation (join those who link, or are linked, alike).
    regularization, smoothing, max_iter, tol, objective_tolerance, residual_tolerance, time_limit, start_iteration, kernel
        The search for pure nodes, as in :class:`SeparableNMF`; here the defaults are the paper's for graphs.
    certificate, gap, passes, xray_criterion, projection, minimum_nonzeros, gradient_steps
        Of the other methods, as in :class:`SeparableNMF`.
    random_state : int, default=0
        Seed of the random numbers.
    n_jobs, verbose, callback, checkpoint, checkpoint_every, settings
        As in :class:`SeparableNMF`.

    Attributes
    ----------
    memberships_ : frame or array of shape (n_nodes, n_communities)
        The shares; rows sum to 1. A pandas frame, indexed by the nodes, where pandas is installed. The largest community is first.
    nodes_ : list
        The nodes, in the order of the rows.
    known_ : array of shape (n_nodes,)
        False where the graph says nothing about a node (it has no edge, or lies in a part too small for a community): its row is the mean of the
        others and says nothing.
    labels_ : array of shape (n_nodes,)
        The community of the largest share of each node; -1 where nothing is known.
    roles_ : list
        What each node is to its community: core (many edges within it, few elsewhere), bridge (connected to several), member, or
        ``None`` where nothing is known.
    stability_ : array of shape (n_communities,) or None
        How much of each community was found again without a tenth of the edges, if ``stability`` asked for it.
    pure_nodes_ : list
        A node for each community that belongs to it alone.
    B_ : array of shape (n_communities, n_communities)
        How communities connect.
    n_communities_, gap_, objective_, regularization_, stop_reason_, n_iter_, trace_, notes_, record_
        As in :class:`SeparableNMF`.

    Examples
    --------
    Two groups of friends, and one who knows both:

    >>> from itertools import combinations
    >>> from merit_nmf import CommunityDetector
    >>> edges = [*combinations("abcd", 2), *combinations("wxyz", 2), ("d", "m"), ("c", "m"), ("w", "m"), ("x", "m")]
    >>> found = CommunityDetector(n_communities=2).fit(edges)
    >>> sorted("".join(sorted(group)) for group in found.communities())
    ['abcdm', 'mwxyz']
    """

    def __init__(
        self,
        n_communities: int | None = None,
        *,
        method: str | None = None,
        operator: str | None = None,
        energy: float = 0.99,
        memberships: str | None = None,
        refinement: int = 20,
        threshold: float = 0.5,
        stability: int = 0,
        published: bool = False,
        unweighted: bool = False,
        directed: str = "symmetrized",
        regularization: float | str = 5e-7,
        smoothing: float = 1e-5,
        max_iter: int = 120,
        tol: float | None = 0.25,
        objective_tolerance: float | None = None,
        residual_tolerance: float | None = None,
        time_limit: float | None = None,
        start_iteration: int | None = None,
        kernel: str = "auto",
        certificate: int | str = "off",
        gap: float = 1e-3,
        passes: int = 500,
        xray_criterion: str = "max",
        projection: int | None = 1000,
        minimum_nonzeros: int = 1,
        gradient_steps: int = 150,
        random_state: int = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float = 60.0,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.n_communities = n_communities
        self.method = method
        self.operator = operator
        self.energy = energy
        self.memberships = memberships
        self.refinement = refinement
        self.threshold = threshold
        self.stability = stability
        self.published = published
        self.unweighted = unweighted
        self.directed = directed
        self.regularization = regularization
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.tol = tol
        self.objective_tolerance = objective_tolerance
        self.residual_tolerance = residual_tolerance
        self.time_limit = time_limit
        self.start_iteration = start_iteration
        self.kernel = kernel
        self.certificate = certificate
        self.gap = gap
        self.passes = passes
        self.xray_criterion = xray_criterion
        self.projection = projection
        self.minimum_nonzeros = minimum_nonzeros
        self.gradient_steps = gradient_steps
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.settings = settings

    def fit(self, X: Any, y: object = None) -> CommunityDetector:
        """Finds the communities of a graph. Returns the model itself."""
        nodes, edges = _edges(X, self.unweighted)
        reading = given("edges", self.get_params(deep=False))
        settings = given("communities", self.get_params(deep=False), self.settings)
        with watching(self.n_jobs, self.verbose, self.callback, self.checkpoint, self.checkpoint_every) as watch:
            run, raised = _merit.communities(watch, edges, reading, settings)
        if run is None:
            assert raised is not None
            raise raised
        self._take(run, nodes)
        if raised is not None:
            raise raised
        return self

    def fit_predict(self, X: Any, y: object = None) -> NDArray[np.intp]:
        """``fit``, and then ``labels_``."""
        return self.fit(X).labels_

    def communities(self, threshold: float | None = None) -> list[set[Any]]:
        """Overlapping sets, one for each community: the nodes that have at least this part of their largest share in it.

        ``None`` is the parameter ``threshold`` of the model; 1 gives sets that do not overlap, except for ties. Nodes about which nothing is known are in
        none.
        """
        check_is_fitted(self, "memberships_")
        threshold = self.threshold if threshold is None else threshold
        shares = np.asarray(self.memberships_)
        members = (shares >= threshold * shares.max(axis=1, keepdims=True)) & (shares > 0) & self.known_[:, None]
        return [{self.nodes_[node] for node in np.flatnonzero(column)} for column in members.T]

    def to_cdlib(self, graph: Any, threshold: float | None = None) -> Any:
        """The same sets as a ``cdlib.NodeClustering`` of ``graph``; cdlib must be installed."""
        from cdlib import NodeClustering

        groups = [sorted(group, key=str) for group in self.communities(threshold)]
        return NodeClustering(groups, graph, "merit", method_parameters=self.get_params(), overlap=True)

    def report(self, path: PathLike) -> None:
        """Writes a self-contained page with charts, the same as ``merit communities --report``."""
        check_is_fitted(self, "memberships_")
        with watching(self.n_jobs, 0, None) as watch:
            page = self._fitted_run().page(watch)
        _merit.write_file(os.fspath(path), page.encode())

    def _take(self, run: Any, nodes: dict[str, Any]) -> None:
        record = json.loads(run.json)
        self._run, self.record_ = run, record
        self.nodes_ = [nodes[name] for name in run.names()]
        self.memberships_ = _frame(np.ascontiguousarray(run.memberships().T), self.nodes_)
        self.known_ = np.ones(len(self.nodes_), dtype=bool)
        self.known_[run.unknown()] = False
        self.labels_ = np.where(self.known_, np.asarray(self.memberships_).argmax(axis=1), -1)
        self.roles_ = run.roles()
        stability = record["stability"]
        self.stability_ = None if stability is None else np.array(stability["found_again"])
        self.pure_nodes_ = [nodes[name] for name in record["pure_nodes"]]
        self.B_, self.n_communities_ = run.b().T, len(self.pure_nodes_)
        self.regularization_, self.gap_ = record["regularization"], record["gap"]
        self.objective_, self.stop_reason_ = record["objective"], record["stop_reason"]
        self.n_iter_, self.trace_, self.notes_ = int(record["iterations"] or 1), run.trace(), record["notes"]

    def _restored(self) -> None:
        self.nodes_ = [tuple(node) if isinstance(node, list) else node for node in self.nodes_]
        self.memberships_ = _frame(self.memberships_, self.nodes_)

    def _summary_html(self) -> str:
        return summary_of_communities(self)


def _frame(shares: NDArray[np.float64], nodes: list[Any]) -> Any:
    try:
        import pandas
    except ImportError:
        return shares
    return pandas.DataFrame(shares, index=pandas.Index(nodes, name="node", tupleize_cols=False))


def _edges(X: Any, unweighted: bool) -> tuple[dict[str, Any], Edges]:
    """Nodes by their names, and the edges between them."""
    networkx, igraph = sys.modules.get("networkx"), sys.modules.get("igraph")
    if networkx is not None and isinstance(X, networkx.Graph):
        return _listed(X.edges(data=True), unweighted, list(X.nodes()), X.is_directed())
    if igraph is not None and isinstance(X, igraph.Graph):
        names = X.vs["name"] if "name" in X.vs.attributes() else list(range(X.vcount()))
        weights = X.es["weight"] if "weight" in X.es.attributes() else [1.0] * X.ecount()
        pairs = ((names[a], names[b], weight) for (a, b), weight in zip(X.get_edgelist(), weights))
        return _listed(pairs, unweighted, names, X.is_directed())
    if hasattr(X, "columns") and len(X.columns) in (2, 3):
        columns = [list(X[name]) for name in X.columns]
        return _listed(zip(*columns), unweighted, [], None)
    if hasattr(X, "tocoo") or getattr(X, "ndim", 0) == 2:
        return _of_matrix(X)
    return _listed(X, unweighted, [], None)


def _listed(items: Any, unweighted: bool, nodes: list[Any], have_direction: bool | None) -> tuple[dict[str, Any], Edges]:
    numbers: dict[Any, int] = {}
    for node in nodes:
        numbers.setdefault(node, len(numbers))
    sources, targets, weights = [], [], []
    for place, edge in enumerate(items):
        try:
            source, target, *rest = edge
        except TypeError:
            raise ValueError(f"edge {place} is {edge!r}, but a pair of nodes is expected") from None
        if len(rest) > 1:
            raise ValueError(f"edge {place} is {edge!r}, but a pair of nodes, and perhaps a weight, is expected")
        sources.append(numbers.setdefault(source, len(numbers)))
        targets.append(numbers.setdefault(target, len(numbers)))
        weights.append(1.0 if unweighted or not rest else _weight(rest[0], place))
    return _named(list(numbers), sources, targets, weights, have_direction)


def _weight(value: Any, place: int) -> float:
    """A number, or the ``weight`` of an edge's attributes."""
    if isinstance(value, Mapping):
        value = value.get("weight", 1.0)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"edge {place} has the weight {value!r}, which is not a number; unweighted=True leaves it out") from None


def _of_matrix(X: Any) -> tuple[dict[str, Any], Edges]:
    matrix = checked(X)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"an adjacency matrix is square, but this one is {matrix.shape}; give edges as a list of pairs")
    from scipy.sparse import coo_array

    entries = coo_array(matrix)
    have_direction = bool(abs(entries - entries.T).sum() != 0)
    rows, columns, values = entries.coords[0], entries.coords[1], entries.data
    kept = values != 0
    if not have_direction:  # else each entry is an edge
        kept &= rows <= columns
    nodes = list(getattr(X, "index", range(matrix.shape[0])))
    return _named(nodes, rows[kept], columns[kept], values[kept], have_direction)


def _named(nodes: list[Any], sources: Any, targets: Any, weights: Any, have_direction: bool | None) -> tuple[dict[str, Any], Edges]:
    names = [str(node) for node in nodes]
    by_name = dict(zip(names, nodes))
    if len(by_name) < len(nodes):
        raise ValueError("two nodes have the same name, because they differ in type only: 1 and '1'")
    return by_name, Edges(
        names,
        np.ascontiguousarray(sources, dtype=np.uint32),
        np.ascontiguousarray(targets, dtype=np.uint32),
        np.ascontiguousarray(weights, dtype=np.float64),
        have_direction,
    )
