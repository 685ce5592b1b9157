"""Synthetic data with known anchors, a sample per row as in scikit-learn."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _merit
from ._matrices import csc

__all__ = ["Mixtures", "Network", "make_dirichlet", "make_midpoints", "make_mmsb"]


class Mixtures(NamedTuple):
    """Samples that are mixtures: ``X = weights @ components`` and noise."""

    #: (n_samples, n_features)
    X: NDArray[np.float64]
    #: (n_components, n_features)
    components: NDArray[np.float64]
    #: (n_samples, n_components); rows sum to 1.
    weights: NDArray[np.float64]
    #: The samples that are pure.
    anchors: NDArray[np.intp]
    #: The samples that are no mixtures.
    outliers: NDArray[np.intp]


class Network(NamedTuple):
    """A graph whose nodes belong to several communities."""

    #: Symmetric ``scipy.sparse.csc_array`` of zeros and ones.
    adjacency: Any
    #: (n_nodes, n_communities); rows sum to 1.
    memberships: NDArray[np.float64]
    #: How communities connect.
    B: NDArray[np.float64]
    #: A pure node of each community.
    pure_nodes: NDArray[np.intp]


def make_dirichlet(
    n_samples: int = 300,
    n_features: int = 30,
    n_components: int = 5,
    *,
    snr_db: float = math.inf,
    concentration: float = 1.0,
    outliers: int = 0,
    random_state: int = 0,
) -> Mixtures:
    """Mixtures whose weights are drawn from a Dirichlet distribution, with one pure sample for each component.

    ``outliers`` samples are no mixtures, but as far out as the pure ones; their weights are zero.

    >>> from merit_nmf.datasets import make_dirichlet
    >>> data = make_dirichlet(100, 10, 3, snr_db=20, random_state=0)
    >>> data.X.shape, data.weights[data.anchors].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    ((100, 10), True)
    """
    made = _merit.make_dirichlet((n_samples, n_features, n_components), snr_db, concentration, outliers, random_state)
    return _mixtures(made)


def make_midpoints(
    n_features: int = 50, n_components: int = 10, *, snr_db: float = 10.0, noise: str = "outward", random_state: int = 0
) -> Mixtures:
    """The pure samples and the midpoints of all pairs, hard for greedy methods; ``noise`` is outward or gaussian.

    >>> from merit_nmf.datasets import make_midpoints
    >>> make_midpoints(20, 4).X.shape
    (10, 20)
    """
    if noise not in ("outward", "gaussian"):
        raise ValueError(f'`noise` must be "outward" or "gaussian", but is {noise!r}')
    return _mixtures(_merit.make_midpoints(n_features, n_components, snr_db, noise == "outward", random_state))


def make_mmsb(
    n_nodes: int = 1000,
    n_communities: int = 3,
    *,
    mean_degree: float = 40.0,
    concentration: float = 0.3,
    between: float = 0.02,
    random_state: int = 0,
) -> Network:
    """A graph of the mixed-membership stochastic block model.

    >>> from merit_nmf.datasets import make_mmsb
    >>> make_mmsb(200, 2, random_state=0).memberships.shape
    (200, 2)
    """
    parts, memberships, b, pure = _merit.make_mmsb(
        n_nodes, n_communities, mean_degree, concentration, between, random_state
    )
    return Network(csc((n_nodes, n_nodes), parts), memberships.T, b.T, np.asarray(pure, dtype=np.intp))


def _mixtures(made: tuple[Any, Any, Any, list[int], list[int]]) -> Mixtures:
    x, w, h, anchors, outliers = made
    return Mixtures(x, w, h, np.asarray(anchors, dtype=np.intp), np.asarray(outliers, dtype=np.intp))
