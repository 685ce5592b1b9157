"""Matrices on their way into the compiled part: dense ones as they are, sparse ones in their three arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Compressed:
    """The parts of a CSR or CSC matrix."""

    shape: tuple[int, int]
    by_rows: bool
    indptr: NDArray[np.int64]
    indices: NDArray[np.uint32]
    data: NDArray[np.float64]


def as_core(matrix: Any) -> NDArray[np.float64] | NDArray[np.float32] | Compressed:
    """A checked matrix (an array of floats, or CSR or CSC) in the form that the compiled part takes."""
    return matrix if isinstance(matrix, np.ndarray) else compressed(matrix)


def compressed(matrix: Any) -> Compressed:
    """The parts of a CSR or CSC matrix."""
    if max(matrix.shape) >= 2**32:
        raise ValueError(f"sparse matrices have at most 2**32 rows and columns, but this one is {matrix.shape}")
    return Compressed(
        shape=(int(matrix.shape[0]), int(matrix.shape[1])),
        by_rows=matrix.format == "csr",
        indptr=np.ascontiguousarray(matrix.indptr, dtype=np.int64),
        indices=np.ascontiguousarray(matrix.indices).astype(np.uint32),
        data=np.ascontiguousarray(matrix.data, dtype=np.float64),
    )


def checked(matrix: Any, **options: Any) -> Any:
    """A matrix of floats as users may give it: dense or sparse, finite, two-dimensional."""
    from sklearn.utils import check_array

    return check_array(matrix, accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], **options)


def csc(shape: tuple[int, int], parts: tuple[Any, Any, Any]) -> Any:
    """``scipy.sparse.csc_array`` of the three arrays."""
    from scipy.sparse import csc_array

    indptr, indices, data = parts
    if max(len(data), *shape) < 2**31:
        indptr, indices = indptr.astype(np.int32), indices.astype(np.int32)
    return csc_array((data, indices, indptr), shape=shape)
