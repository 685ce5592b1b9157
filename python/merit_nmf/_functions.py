"""The paper's orientation: ``X`` is M x N with a sample per *column*, and ``X ~ X C``, ``X ~ W H``."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _merit
from ._estimator import PathLike, _columns_of
from ._html import HtmlSummary, summary_of_solution
from ._matrices import as_core, checked, compressed, csc
from ._settings import given
from ._watching import Callback, watching


@dataclass(frozen=True, eq=False)
class Solution(HtmlSummary):
    """What :func:`solve` found. Samples are columns and are numbered from 0."""

    #: Columns of ``X`` that are anchors, the surest first.
    anchors: NDArray[np.intp]
    #: M x K, ``X[:, anchors]`` (scaled as asked for).
    W: NDArray[np.float64]
    #: K x N, weights.
    H: NDArray[np.float64]
    #: N x N, ``scipy.sparse.csc_array``, columns sum to 1; ``None`` for other methods than merit.
    C: Any
    #: How far the objective can be above its minimum.
    gap: float | None
    objective: float | None
    #: The certificate: no C has an objective without smoothing below this.
    lower_bound: float | None
    #: What part of that objective could still be gained; 1 tells nothing.
    relative_gap: float | None
    #: Lambda as used.
    regularization: float | None
    stop_reason: str | None
    iterations: int | None
    #: Norm of each row of C by which they were ranked; empty for other methods than merit.
    row_norms: NDArray[np.float64]
    #: The numbers of every iteration, ready for ``pandas.DataFrame``.
    trace: dict[str, list[float]]
    notes: list[str]
    #: All of it, as ``run.json`` of the command line.
    record: dict[str, Any]
    _run: Any = field(repr=False)
    _jobs: int | None = field(repr=False, default=None)

    def report(self, path: PathLike, X: Any | None = None) -> None:
        """Writes a self-contained page with charts; with ``X`` it has a section on the theorems too."""
        data = None if X is None else as_core(checked(X))
        with watching(self._jobs, 0, None) as watch:
            page = self._run.page(watch, None, data, False)
        _merit.write_file(os.fspath(path), page.encode())

    def _summary_html(self) -> str:
        return summary_of_solution(self)


def solve(
    X: Any,
    n_components: int | None = None,
    *,
    method: str = "merit",
    init: Any = "zero",
    n_jobs: int | None = None,
    verbose: int = 0,
    callback: Callback | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
    **settings: object,
) -> Solution:
    """Anchors, factors, ``C`` and certificate of ``X``, M x N with a sample per column.

    All settings of :class:`SeparableNMF` are taken by name, with the same defaults. A Fortran-ordered array of float64 is not
    copied, nor is one of float32 with ``precision="f32"``.
    Ctrl-C raises ``KeyboardInterrupt``; to keep what there is, use :class:`SeparableNMF`, or end the run by ``callback``.

    >>> import numpy as np
    >>> from merit_nmf import solve
    >>> X = np.array([[1.0, 0.5, 0.0], [0.0, 0.5, 1.0]])  # the second column is the mean of the others
    >>> found = solve(X, 2, regularization=1e-3)
    >>> found.anchors.tolist(), found.H[:, 1].round(6).tolist()
    ([0, 2], [0.5, 0.5])
    >>> found.C.shape, found.gap >= 0
    ((3, 3), True)
    """
    matrix = checked(X)
    initial = None if isinstance(init, (str, os.PathLike)) else compressed(_columns_of(init))
    values: dict[str, object] = {"n_components": n_components, "method": method}
    values["init"] = init if initial is None else "given"
    chosen = given("factor", values, settings)
    with watching(n_jobs, verbose, callback, checkpoint, checkpoint_every) as watch:
        run, raised = _merit.factor(watch, as_core(matrix), False, "columns", chosen, initial)
    if raised is not None:
        raise raised
    assert run is not None
    record = json.loads(run.json)
    parts, cols = run.c(), matrix.shape[1]
    return Solution(
        anchors=np.asarray(record["anchors"], dtype=np.intp),
        W=run.w().T,
        H=run.h().T,
        C=None if parts is None else csc((cols, cols), parts),
        gap=record["gap"],
        objective=record["objective"],
        lower_bound=record["lower_bound"],
        relative_gap=record["relative_gap"],
        regularization=record["regularization"],
        stop_reason=record["stop_reason"],
        iterations=record["iterations"],
        row_norms=run.row_norms(),
        trace=run.trace(),
        notes=record["notes"],
        record=record,
        _run=run,
        _jobs=n_jobs,
    )


def plan(
    n_samples: int,
    n_features: int,
    n_components: int = 10,
    *,
    ranks: int | None = None,
    n_jobs: int | None = None,
    **settings: object,
) -> dict[str, Any]:
    """What a factorization takes, before anybody waits for it: ``memory_bytes``, ``seconds`` and ``stage_seconds``.

    Memory is counted. Time is extrapolated from small synthetic matrices, which are factored first, in some seconds. With ``ranks``
    machines that work together, ``replicated`` and ``ring`` (which is not built yet) are the bytes of each and the seconds of all.
    The settings of :func:`solve` are taken by name.

    >>> from merit_nmf import plan
    >>> expected = plan(400, 20, 5, max_iter=10)
    >>> expected["memory_bytes"] < 20_000_000, expected["seconds"] > 0
    (True, True)
    """
    chosen = given("factor", {"n_components": n_components}, settings)
    with watching(n_jobs, 0, None) as watch:
        memory, seconds, stages, shared = _merit.plan(watch, n_features, n_samples, ranks, chosen)
    found: dict[str, Any] = {"memory_bytes": memory, "seconds": seconds, "stage_seconds": dict(stages)}
    for name, (memory, seconds) in zip(("replicated", "ring"), shared):
        found[name] = {"memory_bytes": memory, "seconds": seconds}
    return found


def _select(X: Any, n_components: int, method: str, n_jobs: int | None, settings: Mapping[str, object]) -> NDArray[np.intp]:
    chosen = given("factor", {"method": method}, settings)
    with watching(n_jobs, 0, None) as watch:
        anchors = _merit.select(watch, as_core(checked(X)), n_components, chosen)
    return np.asarray(anchors, dtype=np.intp)


def spa(X: Any, n_components: int, *, n_jobs: int | None = None) -> NDArray[np.intp]:
    """Anchors by successive projection (Araujo et al. 2001): columns of ``X``, in the order in which they were taken.

    >>> from merit_nmf import spa
    >>> spa([[2.0, 0.5, 0.0], [0.0, 0.5, 1.0]], 2).tolist()
    [0, 2]
    """
    return _select(X, n_components, "spa", n_jobs, {})


def snpa(X: Any, n_components: int, *, n_jobs: int | None = None) -> NDArray[np.intp]:
    """Anchors by successive nonnegative projection (Gillis 2014), in the order in which they were taken."""
    return _select(X, n_components, "snpa", n_jobs, {})


def sspa(X: Any, n_components: int, *, n_jobs: int | None = None) -> NDArray[np.intp]:
    """Anchors by smoothed successive projection (Nadisic et al. 2023), in the order in which they were taken."""
    return _select(X, n_components, "sspa", n_jobs, {})


def vca(X: Any, n_components: int, *, random_state: int = 0, n_jobs: int | None = None) -> NDArray[np.intp]:
    """Anchors by vertex component analysis (Nascimento and Bioucas-Dias 2005), in the order in which they were taken."""
    return _select(X, n_components, "vca", n_jobs, {"random_state": random_state})


def nfindr(X: Any, n_components: int, *, n_jobs: int | None = None) -> NDArray[np.intp]:
    """Anchors by N-FINDR (Winter 1999): the columns that span the largest simplex."""
    return _select(X, n_components, "nfindr", n_jobs, {})


def xray(
    X: Any, n_components: int, *, xray_criterion: str = "max", n_jobs: int | None = None
) -> NDArray[np.intp]:
    """Anchors by XRAY (Kumar et al. 2013); ``xray_criterion`` is max, dist or greedy."""
    return _select(X, n_components, "xray", n_jobs, {"xray_criterion": xray_criterion})


def fast_anchor(
    X: Any,
    n_components: int,
    *,
    projection: int | None = 1000,
    minimum_nonzeros: int = 1,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> NDArray[np.intp]:
    """Anchors by FastAnchor (Arora et al. 2013)."""
    settings = {"projection": projection, "minimum_nonzeros": minimum_nonzeros, "random_state": random_state}
    return _select(X, n_components, "fast-anchor", n_jobs, settings)


def fast_gradient(
    X: Any,
    n_components: int,
    *,
    gradient_steps: int = 150,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> NDArray[np.intp]:
    """Anchors by FastGradient (Gillis and Luce 2018), which needs N x N matrices."""
    settings = {"gradient_steps": gradient_steps, "random_state": random_state}
    return _select(X, n_components, "fast-gradient", n_jobs, settings)


def norm_ratio(X: Any, n_components: int, *, n_jobs: int | None = None) -> NDArray[np.intp]:
    """Anchors by the ratio of two norms: the cheapest rule there is."""
    return _select(X, n_components, "norm-ratio", n_jobs, {})


def certify(X: Any, solution: Solution) -> dict[str, Any]:
    """What the paper's theorems say about ``solution = solve(X, ...)``: quantities, conditions and verdicts.

    The true anchors are not known, so the found ones stand for them, and what ``W H`` leaves of ``X`` is called noise.

    >>> from merit_nmf import certify, solve
    >>> from merit_nmf.datasets import make_dirichlet
    >>> X = make_dirichlet(60, 10, 3, random_state=0).X.T
    >>> sorted(certify(X, solve(X, 3)))[:3]
    ['conditions', 'distance', 'iterate']
    """
    with watching(solution._jobs, 0, None) as watch:
        return dict(json.loads(solution._run.certify(watch, as_core(checked(X)), False)))
