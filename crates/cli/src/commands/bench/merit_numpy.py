"""MERIT in plain NumPy and SciPy: what one would write without Merit, in the fastest way we know.

Blocks of columns: one matrix product and one argmin a block, a sparse C, never an N x N array. Same problem and same
numbers as Merit's (objective with the 1/2), so it also serves as an independent check.

    python merit_numpy.py X.npy REGULARIZATION ITERATIONS BLOCK[,BLOCK...]

prints one JSON line: seconds per iteration for each block size, and the duality gap at the end.
"""

import json
import resource
import sys
import time

import numpy as np
import scipy.sparse as sp


def row_softmax(C, mu):
    """Weights of a zero entry of each row, and of every stored entry."""
    N = C.shape[0]
    top = np.zeros(N)
    np.maximum.at(top, C.indices, C.data)
    stored = np.exp((C.data - top[C.indices]) / mu)
    zero = np.exp(-top / mu)
    count = np.bincount(C.indices, minlength=N)
    total = np.bincount(C.indices, weights=stored, minlength=N) + (N - count) * zero
    return zero / total, stored / total[C.indices]


def merit(X, regularization, iterations, mu=1e-5, block=256):
    """C after so many steps from C = 0, and the gap before the last of them."""
    X = np.ascontiguousarray(X, dtype=np.float64)
    M, N = X.shape
    XT = np.ascontiguousarray(X.T)
    RT = -XT  # row l is r_l = X c_l - x_l
    C = sp.csc_matrix((N, N))
    scores = np.empty((block, N))
    best = np.empty(N, dtype=np.int64)
    gap = np.inf
    for t in range(iterations):
        gamma = 2.0 / (t + 2.0)
        zero, stored = row_softmax(C, mu)
        bias, extra = regularization * zero, regularization * (stored - zero[C.indices])
        gap = 0.0
        for first in range(0, N, block):
            last = min(first + block, N)
            g = scores[: last - first]
            np.dot(RT[first:last], X, out=g)
            g += bias
            begin, end = C.indptr[first], C.indptr[last]
            column = np.repeat(np.arange(last - first), np.diff(C.indptr[first : last + 1]))
            row = C.indices[begin:end]
            g[column, row] += extra[begin:end]
            j = g.argmin(axis=1)
            best[first:last] = j
            gap += C.data[begin:end] @ g[column, row] - g[np.arange(last - first), j].sum()
        vertices = sp.csc_matrix((np.ones(N), best, np.arange(N + 1)), shape=(N, N))
        C = vertices if gamma == 1.0 else (1.0 - gamma) * C + gamma * vertices
        RT *= 1.0 - gamma
        RT += gamma * (XT[best] - XT)
    return C, gap


def main():
    X = np.load(sys.argv[1])
    regularization, iterations = float(sys.argv[2]), int(sys.argv[3])
    seconds, gap = {}, None
    for block in map(int, sys.argv[4].split(",")):
        clock = time.perf_counter()
        _, gap = merit(X, regularization, iterations, block=block)
        seconds[block] = (time.perf_counter() - clock) / iterations
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # kilobytes on Linux
    print(json.dumps({"seconds": seconds, "gap": gap, "numpy": np.__version__, "peak_rss_bytes": peak}))


if __name__ == "__main__":
    main()
