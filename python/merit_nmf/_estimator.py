"""``SeparableNMF``: the main job, as a transformer of scikit-learn."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _merit
from ._html import HtmlSummary, summary_of_factors
from ._matrices import as_core, checked, compressed
from ._saving import Saved
from ._settings import given
from ._watching import Callback, watching

#: A file name.
PathLike = str | os.PathLike[str]


class SeparableNMF(
    HtmlSummary, Saved, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Separable nonnegative matrix factorization: every sample is a mixture of a few samples of the data, the *anchors*.

    ``X`` has a sample per row, as everywhere in scikit-learn. With ``axis="samples"`` (the default) the anchors are rows of
    ``X`` (pure pixels, pure nodes): ``components_ = X[anchor_indices_]`` and ``X ~ transform(X) @ components_``, where the
    weights of a sample sum to 1. With ``axis="features"`` they are columns of ``X`` (anchor words of a document-term matrix):
    ``X ~ X[:, anchor_indices_] @ components_``.

    Parameters
    ----------
    n_components : int, optional
        Number of anchors (K); ``None`` estimates it, see ``rank_estimate_``.
    method : str, default="merit"
        Finds anchors: merit, exact, spa, fast-gradient, xray, fast-anchor, snpa, norm-ratio.
    regularization : float or str, default="auto"
        Weight of row sparsity (lambda): auto, auto-fast, paper, or a number; 0 is MERIT(0).
    smoothing : float, default=1e-5
        Sharpness of the smooth row maximum (mu).
    max_iter : int, default=100
        Maximum number of Frank-Wolfe steps (T).
    tol : float, optional
        Stop when the duality gap is at most this. Without it there is no such limit and no warning.
    init : str or sparse matrix, default="zero"
        Where to start: zero, spa, or a C (N x N, columns summing to 1): a matrix, or a file with one.
    normalize : str, default="none"
        How to scale first: none, or l1 (absolute values sum to 1). Of samples, or with ``axis="features"`` of features.
    zero_columns : str, default="auto"
        Zero samples (or features): drop, keep, or auto (drop; if lambda is a number, keep but not as anchors).
    reduce : str, default="none"
        Reduce the features (or samples) first: none, or pca:DIM (leading singular directions, not centered).
    merge_duplicates : float, optional
        Merge samples (or features) closer than this fraction of the largest norm; 0 merges equal ones.
    precision : str, default="f64"
        How a dense ``X`` is held: f64, or f32 in half the memory. Arithmetic is in double precision either way; an array of
        float32 is not copied then if its samples (or features) lie one after another.
    weights : str, default="simplex"
        Weights: simplex (they sum to 1), or nonnegative.
    minimum_support : int, optional
        Skip as anchors what fewer than this many others use with twice the average weight: outliers.
    path : bool, default=False
        Also find the exact optimum at 4, 2, 1 and 1/2 times the automatic lambda, and which anchors stay (in ``record_``).
    certificate : int or str, default="auto"
        Passes that bound the optimum from below: auto, off, or at most this many.
    gap : float, default=0.001
        Of ``method="exact"``: stop when the objective is at most this fraction above the optimum.
    passes : int, default=500
        Of ``method="exact"``: maximum number of passes over all pairs.
    objective_tolerance : float, optional
        Stop when a step changes the objective by at most this fraction of it.
    residual_tolerance : float, optional
        A sample (or feature) with a residual at most this stops moving (eta + 2 delta).
    time_limit : float, optional
        Stop after this many seconds of searching.
    start_iteration : int, optional
        Number of the first step (t_init); ``None`` is 0 from zero, else round(1/RMSE).
    kernel : str, default="auto"
        CPU instructions: auto, scalar, portable, avx2, avx512, neon; the result is the same.
    xray_criterion : str, default="max"
        Which ray xray takes next: max, dist, greedy.
    projection : int, default=1000
        Dimension to which fast-anchor projects at random columns with more entries; ``None`` does not.
    minimum_nonzeros : int, default=1
        Nonzeros that an anchor of fast-anchor must have.
    gradient_steps : int, default=150
        Steps of fast-gradient.
    random_state : int, RandomState or None, default=0
        Seed of the random numbers; merit, spa and xray use none. ``None`` is 0: runs can be repeated.
    axis : {"samples", "features"}, default="samples"
        What the anchors are.
    n_jobs : int, optional
        Threads; the result is the same for any number. ``None`` and -1 are all cores.
    verbose : int, default=0
        1 shows a progress bar in terminals and notebooks.
    callback : callable, optional
        Sees a :class:`merit_nmf.Progress` after each iteration; ``True`` ends the run, which keeps what it has.
    checkpoint : path, optional
        Folder in which the state of long runs is kept. A fit that was killed goes on from there when it is called again with the same data
        and settings, and gives the same bits; when it is done, the folder is removed.
    checkpoint_every : float, default=60.0
        Seconds from one state to the next.
    settings : dict, optional
        Further settings by their names, those that have no parameter here.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        The anchors (``axis="samples"``), or the weights of all features on them (``axis="features"``).
    anchor_indices_ : array of shape (n_components,)
        Rows (or columns) of ``X`` that are anchors, the surest first.
    n_components_ : int
        Their number.
    row_norms_ : array
        For MERIT, how much each sample (or feature) serves as an anchor: the norm of its row of C by which they were ranked.
    regularization_ : float or None
        Lambda as used.
    gap_ : float or None
        The duality gap: the objective is at most this far above its minimum.
    objective_ : float or None
        1/2 ||X - XC||^2 + lambda Phi(C). (Without the 1/2, as in the authors' programs, all three would be twice as large.)
    lower_bound_ : float or None
        The certificate: no C has an objective without smoothing below this. ``None`` if there is no certificate.
    relative_gap_ : float or None
        The fraction of that objective that could still be gained: (objective - lower bound) / objective, at most 1, which says nothing.
    stop_reason_ : str or None
        Why the run ended: gap-reached, iteration-limit, time-limit, interrupted, ...
    n_iter_ : int
        Steps taken; 1 for methods that take none.
    trace_ : dict of lists
        The numbers of every iteration, ready for ``pandas.DataFrame(model.trace_)``.
    rank_estimate_ : dict or None
        How ``n_components_`` was estimated, and whether that is clear.
    notes_ : list of str
        What is worth knowing about this run.
    record_ : dict
        The whole record of the run, as ``run.json`` of the command line.
    anchor_names_ : list of str
        Names of the anchors, if the data were a frame.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    Two pure samples and two mixtures of them:

    >>> import numpy as np
    >>> from merit_nmf import SeparableNMF
    >>> X = np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])
    >>> model = SeparableNMF(n_components=2).fit(X)
    >>> sorted(model.anchor_indices_.tolist())
    [0, 2]
    >>> bool(np.allclose(model.transform(X) @ model.components_, X))
    True

    The other way round the anchors are columns; the third one is zero and is not needed:

    >>> sorted(SeparableNMF(n_components=2, axis="features").fit(X).anchor_indices_.tolist())
    [0, 1]
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        method: str = "merit",
        regularization: float | str = "auto",
        smoothing: float = 1e-5,
        max_iter: int = 100,
        tol: float | None = None,
        init: Any = "zero",
        normalize: str = "none",
        zero_columns: str = "auto",
        reduce: str = "none",
        merge_duplicates: float | None = None,
        precision: str = "f64",
        weights: str = "simplex",
        minimum_support: int | None = None,
        path: bool = False,
        certificate: int | str = "auto",
        gap: float = 1e-3,
        passes: int = 500,
        objective_tolerance: float | None = None,
        residual_tolerance: float | None = None,
        time_limit: float | None = None,
        start_iteration: int | None = None,
        kernel: str = "auto",
        xray_criterion: str = "max",
        projection: int | None = 1000,
        minimum_nonzeros: int = 1,
        gradient_steps: int = 150,
        random_state: Any = 0,
        axis: str = "samples",
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callback | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float = 60.0,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.regularization = regularization
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.normalize = normalize
        self.zero_columns = zero_columns
        self.reduce = reduce
        self.merge_duplicates = merge_duplicates
        self.precision = precision
        self.weights = weights
        self.minimum_support = minimum_support
        self.path = path
        self.certificate = certificate
        self.gap = gap
        self.passes = passes
        self.objective_tolerance = objective_tolerance
        self.residual_tolerance = residual_tolerance
        self.time_limit = time_limit
        self.start_iteration = start_iteration
        self.kernel = kernel
        self.xray_criterion = xray_criterion
        self.projection = projection
        self.minimum_nonzeros = minimum_nonzeros
        self.gradient_steps = gradient_steps
        self.random_state = random_state
        self.axis = axis
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.settings = settings

    def fit(self, X: Any, y: object = None) -> SeparableNMF:
        """Finds the anchors of ``X``.

        ``X`` is dense or sparse (CSR, CSC), or a frame; an array of float64 is not copied if its samples lie one after another.
        Ctrl-C ends the search within one iteration; what there is by then stays on the model before ``KeyboardInterrupt``
        is raised. Returns the model itself; ``y`` is ignored.
        """
        names = getattr(X, "index", None)
        X = validate_data(
            self, X, accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], ensure_min_samples=1
        )
        by_samples = self._by_samples()
        if by_samples:
            labels = None if names is None or isinstance(names, _of_plain_numbers()) else [str(name) for name in names]
        else:
            known = getattr(self, "feature_names_in_", None)
            labels = None if known is None else [str(name) for name in known]
        self._check_rank(X.shape[0 if by_samples else 1])
        initial = None if isinstance(self.init, (str, os.PathLike)) else compressed(_columns_of(self.init))
        with watching(self.n_jobs, self.verbose, self.callback, self.checkpoint, self.checkpoint_every) as watch:
            run, raised = _merit.factor(watch, as_core(X), by_samples, self.axis, self._settings(), initial)
        if run is None:
            assert raised is not None
            raise raised
        self._take(run, X, labels)
        if raised is not None:
            raise raised
        self._warn_of_gap()
        return self

    def fit_transform(self, X: Any, y: object = None, **_fit_params: object) -> NDArray[np.float64]:
        """The weights of the samples of ``X``, as ``fit(X).transform(X)`` gives them."""
        self.fit(X)
        if self._by_samples():
            return np.asarray(self._run.h())
        return self.transform(X)

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Weights of samples on ``components_`` by least squares, of shape (n_samples, n_components).

        With ``axis="samples"`` they obey ``weights``; with ``axis="features"`` they are nonnegative.
        """
        check_is_fitted(self, "components_")
        X = validate_data(self, X, accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], reset=False)
        rule = [("weights", self.weights), ("normalize", self.normalize)]
        rule = rule if self._by_samples() else [("weights", "nonnegative")]
        with watching(self.n_jobs, 0, None) as watch:
            return np.asarray(_merit.weights(watch, as_core(X), True, self.components_, rule))

    def inverse_transform(self, X: Any) -> NDArray[np.float64]:
        """Samples with these weights: ``X @ components_``."""
        check_is_fitted(self, "components_")
        weights = checked(X)
        if weights.shape[1] != self.n_components_:
            raise ValueError(f"X has {weights.shape[1]} columns, but the model has {self.n_components_} components")
        return np.asarray(weights @ self.components_)

    def score(self, X: Any, y: object = None) -> float:
        """How well ``X`` is explained: ``1 - ||X - transform(X) @ components_|| / ||X||``, 1 at best."""
        weights = np.asarray(self.transform(X))
        X = validate_data(self, X, accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], reset=False)
        if self.normalize == "l1" and self._by_samples():
            from sklearn.preprocessing import normalize

            X = normalize(X, norm="l1")
        with watching(self.n_jobs, 0, None) as watch:
            return float(_merit.rae(watch, as_core(X), weights, self.components_))

    def report(self, path: PathLike, X: Any | None = None) -> None:
        """Writes a self-contained page with charts, the same as ``merit factor --report``.

        With ``X``, the data of ``fit``, the page also holds them against the conditions of the theorems.
        """
        check_is_fitted(self, "components_")
        data = None if X is None else as_core(checked(X))
        with watching(self.n_jobs, 0, None) as watch:
            page = self._fitted_run().page(watch, self._labels, data, self._by_samples())
        _merit.write_file(os.fspath(path), page.encode())

    def certify(self, X: Any) -> dict[str, Any]:
        """What the paper's theorems say about this run on ``X``, the data of ``fit``: quantities, conditions, verdicts."""
        check_is_fitted(self, "components_")
        with watching(self.n_jobs, 0, None) as watch:
            text = self._fitted_run().certify(watch, as_core(checked(X)), self._by_samples())
        return dict(json.loads(text))

    @property
    def dual_gap_(self) -> float | None:
        """``gap_`` under another name."""
        gap: float | None = self.gap_
        return gap

    @property
    def history_(self) -> dict[str, list[float]]:
        """``trace_`` under another name."""
        trace: dict[str, list[float]] = self.trace_
        return trace

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)

    def _by_samples(self) -> bool:
        if self.axis not in ("samples", "features"):
            raise ValueError(f'`axis` must be "samples" or "features", but is {self.axis!r}')
        return self.axis == "samples"

    def _check_rank(self, count: int) -> None:
        rank = self.n_components
        if rank is not None and isinstance(rank, (int, np.integer)) and not 1 <= rank <= count:
            raise ValueError(f"n_components={rank} must be between 1 and n_{self.axis}={count}")

    def _settings(self) -> list[tuple[str, str]]:
        values = self.get_params(deep=False)
        state = values["random_state"]
        if state is not None and not isinstance(state, (int, np.integer)):
            values["random_state"] = int(check_random_state(state).randint(2**31 - 1))
        if not isinstance(values["init"], (str, os.PathLike)):
            values["init"] = "given"  # any word: the matrix comes along
        return given("factor", values, self.settings)

    def _take(self, run: Any, X: Any, labels: list[str] | None) -> None:
        """What the run says, as attributes."""
        record = json.loads(run.json)
        self._run, self._labels, self.record_ = run, labels, record
        self.anchor_indices_ = np.asarray(record["anchors"], dtype=np.intp)
        self.n_components_ = len(self.anchor_indices_)
        self.row_norms_ = run.row_norms()
        self.regularization_ = record["regularization"]
        self.gap_, self.objective_ = record["gap"], record["objective"]
        self.lower_bound_, self.relative_gap_ = record["lower_bound"], record["relative_gap"]
        self.stop_reason_, self.notes_ = record["stop_reason"], record["notes"]
        steps = record["iterations"] or (record["fast_gradient"] or {}).get("steps")
        self.n_iter_ = int(steps or 1)
        self.trace_, self.rank_estimate_ = run.trace(), record["rank_estimate"]
        if labels is not None:
            self.anchor_names_ = [labels[anchor] for anchor in self.anchor_indices_]
        elif hasattr(self, "anchor_names_"):
            del self.anchor_names_
        if self._by_samples():
            self.components_ = run.w()
            return
        self.components_ = np.ascontiguousarray(run.h().T)
        if self.normalize == "l1":  # H is about scaled features: back to theirs
            self.components_ = self.components_ * np.asarray(abs(X).sum(axis=0), dtype=np.float64).ravel()

    def _warn_of_gap(self) -> None:
        if self.tol is None or self.gap_ is None or self.stop_reason_ in ("gap-reached", "interrupted"):
            return
        far = f"{100 * self.gap_ / self.objective_:.3g} % " if self.objective_ else ""
        words = f"the objective may be up to {far}above its minimum, and the anchors may still change"
        if not self.objective_ or self.gap_ >= self.objective_:
            words = "this is no less than the objective, so it says nothing yet"
        warnings.warn(
            f"stopped ({self.stop_reason_}) after {self.n_iter_} iterations with a duality gap of {self.gap_:.3g}, but "
            f"tol={self.tol:.3g} was asked for: {words}. Raise max_iter (now {self.max_iter}), or tol.",
            ConvergenceWarning,
            stacklevel=3,
        )

    def _summary_html(self) -> str:
        return summary_of_factors(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags


def _of_plain_numbers() -> tuple[type, ...]:
    """Types of an index that says nothing but the number of a row; a list has a method of this name."""
    import sys

    pandas = sys.modules.get("pandas")
    return (pandas.RangeIndex, type([].index)) if pandas is not None else (type([].index),)


def _columns_of(C: Any) -> Any:
    """An initial C as CSC."""
    from scipy.sparse import csc_array

    return csc_array(C, dtype=np.float64)
