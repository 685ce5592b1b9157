"""What a person with NumPy and SciPy does: `make` writes a matrix in three formats, `check` opens the results.

    python new_user.py make FOLDER
    python new_user.py check FOLDER RUN...
"""

import json
import pathlib
import sys

import numpy as np
import scipy.sparse

ROWS, COLS, RANK = 30, 200, 6


def make(folder):
    rng = np.random.default_rng(0)
    w = rng.random((ROWS, RANK)) * (rng.random((ROWS, RANK)) < 0.6)  # sparse enough to be worth storing so
    h = np.hstack([np.eye(RANK), rng.dirichlet(np.ones(RANK), COLS - RANK).T])
    order = rng.permutation(COLS)
    x = (w @ h)[:, order]
    np.save(folder / "x.npy", x)
    np.savetxt(folder / "x.csv", x, delimiter=",")
    scipy.sparse.save_npz(folder / "x.npz", scipy.sparse.csr_matrix(x))
    truth = sorted(int(np.flatnonzero(order == k)[0]) for k in range(RANK))
    (folder / "truth.json").write_text(json.dumps(truth))


def check(folder, run):
    x, truth = np.load(folder / "x.npy"), json.loads((folder / "truth.json").read_text())
    summary = json.loads((run / "run.json").read_text())
    anchors = summary["anchors"]
    assert sorted(anchors) == truth, (run, anchors, truth)
    c = scipy.sparse.load_npz(run / "C.npz")
    assert c.format == "csc" and c.shape == (COLS, COLS) and c.nnz == summary["nnz"], c
    assert np.abs(c.sum(axis=0) - 1).max() < 1e-12 and c.min() >= 0
    w, h = np.load(run / "W.npy"), np.load(run / "H.npy")
    assert w.dtype == h.dtype == np.float64 and w.shape == (ROWS, RANK) and h.shape == (RANK, COLS)
    np.testing.assert_allclose(w, x[:, anchors], rtol=1e-12)
    np.testing.assert_allclose(h.sum(axis=0), 1, atol=1e-9)
    np.testing.assert_allclose(w @ h, x, atol=1e-6)
    trace = np.genfromtxt(run / "trace.csv", delimiter=",", names=True)
    assert trace["gap"][-1] == summary["gap"] and trace["nnz"][-1] == summary["nnz"]


if __name__ == "__main__":
    what, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if what == "make":
        make(folder)
    else:
        for run in sys.argv[3:]:
            check(folder, folder / run)
