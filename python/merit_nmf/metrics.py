"""How good is a result? Functions of what was found and what is true. Components, samples and nodes are rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _merit
from ._matrices import as_core, checked
from ._watching import watching

__all__ = [
    "anchors_right",
    "clustering_accuracy",
    "coherence",
    "mrsa",
    "rae",
    "similarity_count",
    "spearman",
    "src",
    "success",
]


def anchors_right(found: ArrayLike, truth: ArrayLike) -> int:
    """Number of true anchors among the found ones.

    >>> from merit_nmf.metrics import anchors_right
    >>> anchors_right([4, 9, 1], [9, 4, 2])
    2
    """
    return int(_merit.anchors_right(_indices(found), _indices(truth)))


def success(found: ArrayLike, truth: ArrayLike) -> bool:
    """Whether the found anchors are the true ones, in any order.

    >>> from merit_nmf.metrics import success
    >>> success([7, 3], [3, 7])
    True
    """
    return set(_indices(found)) == set(_indices(truth))


def mrsa(found: ArrayLike, truth: ArrayLike) -> float:
    """Mean angle in radians between found and true components (rows) less their mean, matched at best; 0 is perfect.

    >>> from merit_nmf.metrics import mrsa
    >>> mrsa([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    0.0
    """
    return float(_merit.mrsa(as_core(checked(found)), as_core(checked(truth))))


def rae(X: ArrayLike, weights: ArrayLike, components: ArrayLike) -> float:
    """``1 - ||X - weights @ components|| / ||X||``: 1 is a perfect fit.

    >>> from merit_nmf.metrics import rae
    >>> round(rae([[3.0, 4.0]], [[3.0]], [[1.0, 0.0]]), 12)
    0.2
    """
    with watching(None, 0, None) as watch:
        return float(_merit.rae(watch, as_core(checked(X)), as_core(checked(weights)), as_core(checked(components))))


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Correlation of the ranks; ties share theirs.

    >>> from merit_nmf.metrics import spearman
    >>> spearman([1, 2, 3], [10, 100, 1000])
    1.0
    """
    return float(_merit.spearman(_numbers(x), _numbers(y)))


def src(found: ArrayLike, truth: ArrayLike) -> float:
    """Mean rank correlation of found and true memberships (nodes x communities), communities matched at best.

    >>> from merit_nmf.metrics import src
    >>> src([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], [[0.1, 0.9], [0.4, 0.6], [1.0, 0.0]])
    1.0
    """
    return float(_merit.src(as_core(checked(found)), as_core(checked(truth))))


def coherence(counts: ArrayLike, topics: Sequence[Sequence[int]]) -> float:
    """Mean coherence (Mimno et al. 2011) of topics, given as lists of word numbers, in counts of documents x words.

    >>> from merit_nmf.metrics import coherence
    >>> round(coherence([[3, 0], [1, 2]], [[0, 1]]), 6)
    -1.366394
    """
    return float(_merit.coherence(as_core(checked(counts)), [_indices(words) for words in topics]))


def similarity_count(topics: Sequence[Sequence[int]]) -> int:
    """Words that two topics share, summed over all pairs of topics; 0 when topics are distinct.

    >>> from merit_nmf.metrics import similarity_count
    >>> similarity_count([[4, 1, 2], [1, 7, 4], [1, 9, 8]])
    4
    """
    return int(_merit.similarity_count([_indices(words) for words in topics]))


def clustering_accuracy(weights: ArrayLike, labels: Sequence[Any], *, random_state: int = 0) -> float:
    """Part of the documents (rows of ``weights``) whose k-means cluster is matched to their label.

    >>> from merit_nmf.metrics import clustering_accuracy
    >>> clustering_accuracy([[5.0, 0.1], [0.0, 2.0], [0.3, 0.0], [0.1, 4.0]], ["a", "b", "a", "b"])
    1.0
    """
    _, numbers = np.unique(np.asarray(labels), return_inverse=True)
    with watching(None, 0, None) as watch:
        matrix = as_core(checked(weights))
        return float(_merit.clustering_accuracy(watch, matrix, [int(n) for n in numbers], random_state))


def _indices(values: ArrayLike) -> list[int]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and not np.issubdtype(array.dtype, np.integer)) or (array < 0).any():
        raise ValueError("indices are whole numbers from 0, in one dimension")
    return [int(value) for value in array]


def _numbers(values: ArrayLike) -> list[float]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError("finite numbers in one dimension are expected")
    return [float(value) for value in array]
