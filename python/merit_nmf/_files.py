"""Files in and out."""

from __future__ import annotations

import os
import warnings
from typing import Any, NamedTuple

from . import _merit
from ._matrices import csc
from ._settings import given


class Matrix(NamedTuple):
    """A matrix of a file, its rows as rows."""

    #: Array, or ``scipy.sparse.csc_array``.
    X: Any
    #: Names of the columns, or ``None``.
    labels: list[str] | None


class Corpus(NamedTuple):
    """Counted documents of a file."""

    #: Documents x words, ``scipy.sparse.csc_array``.
    counts: Any
    vocabulary: list[str]
    #: Names of the documents.
    names: list[str]
    labels: list[str] | None


class Graph(NamedTuple):
    """A graph of a file."""

    #: Symmetric ``scipy.sparse.csc_array``.
    adjacency: Any
    #: Names of the nodes.
    nodes: list[str]


def read(path: str | os.PathLike[str], kind: str = "matrix", **options: Any) -> Any:
    """Reads a file as the command line does.

    ``kind="matrix"`` (what ``merit factor`` reads: .npy, .npz, .csv, .tsv, .mtx, .mat) gives a :class:`Matrix`, its option is
    ``variable``. ``kind="corpus"`` (``merit topics``: folders of texts, .jsonl, .csv, UCI, lda-c, counts) gives a
    :class:`Corpus`, its options are how texts become words (``stop_words``, ``min_df``, ...). ``kind="graph"`` (``merit
    communities``: edge lists, .mtx, .graphml, ...) gives a :class:`Graph`, its options are ``unweighted``, ``directed``
    and ``variable``.

    >>> import os, tempfile, numpy as np
    >>> from merit_nmf import read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x.npy")
    ...     np.save(path, np.eye(2))
    ...     read(path).X.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    name = os.fspath(path)
    if kind == "matrix":
        dense, sparse, labels, notes, _ = _merit.read_matrix(name, options.pop("variable", None))
        _no_more(options, kind)
        _warn(notes)
        if sparse is not None:
            return Matrix(csc(*sparse), labels)
        assert dense is not None
        return Matrix(dense.T, labels)
    if kind == "corpus":
        shape, parts, vocabulary, names, labels = _merit.read_corpus(name, given("tokens", {}, options))
        return Corpus(csc(shape, parts), vocabulary, names, labels)
    if kind == "graph":
        parts, nodes, notes = _merit.read_graph(name, given("edges", {}, options))
        _warn(notes)
        return Graph(csc((len(nodes), len(nodes)), parts), nodes)
    raise ValueError(f'`kind` must be "matrix", "corpus" or "graph", but is {kind!r}')


def _no_more(options: dict[str, Any], kind: str) -> None:
    if options:
        raise TypeError(f"read(kind={kind!r}) has no option `{next(iter(options))}`")


def _warn(notes: list[str]) -> None:
    for note in notes:
        warnings.warn(note, UserWarning, stacklevel=3)


def report(result: Any, path: str | os.PathLike[str], *data: Any) -> None:
    """Writes the page of a fitted model or of a :class:`Solution`: one file, which opens without a network."""
    if not hasattr(result, "report"):
        raise TypeError(f"a {type(result).__name__} has no page: give a fitted model, or what `solve` found")
    result.report(path, *data)
