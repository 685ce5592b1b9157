"""DBLP1 beside MERIT in NumPy: few dimensions and many vertices, M = 6 and N = 6437.

    python3 benchmarks/dblp1.py target/release/merit DBLP1_adjacency.txt [BASELINE.py]

The columns that `merit communities --published` searches: leading eigenvectors of the adjacency matrix, of the nodes that
carry 99 % of their energy. BASELINE.py has `merit_chunked(X, lam, max_iters, block)` of the problem without the 1/2; by
default it is the program that `merit bench --compare numpy` runs. CPU seconds on one thread each, which other work on the
machine hardly changes, and wall time of `merit bench` on all threads. Merit's CPU time is that of the command with all
steps, less that with one. Needs NumPy and SciPy.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh

merit, edges = sys.argv[1:3]
STEPS, LAMBDA, COMMUNITIES = 104, 5e-7, 6
OWN = Path(__file__).parent.parent / "crates/cli/src/commands/bench/merit_numpy.py"
CALLS = {
    None: f"import merit_numpy; merit_numpy.merit(X, {LAMBDA}, STEPS, block=BLOCK)",
    "given": f"import baseline; baseline.merit_chunked(X, {2 * LAMBDA}, max_iters=STEPS, block=BLOCK)",
}


def columns():
    """The K leading eigenvectors of the graph without loops, as columns, of the nodes with 99 % of their energy."""
    pairs = np.loadtxt(edges, dtype=np.int64)[:, :2]
    size = pairs.max() + 1
    A = sp.coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(size, size)).tocsr()
    A = ((A + A.T) > 0).astype(float)
    A.setdiag(0)
    A.eliminate_zeros()
    _, V = eigsh(A, k=COMMUNITIES, which="LA", v0=np.ones(size))
    energy = (V * V).sum(1)
    order = np.argsort(-energy, kind="stable")
    kept = np.searchsorted(np.cumsum(energy[order]), 0.99 * energy.sum()) + 1
    return np.asfortranarray(V[order[:kept]].T)


def cpu_seconds(command, **environment):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, env=os.environ | environment, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def of_numpy(folder, steps, block, given):
    call = CALLS["given" if given else None].replace("STEPS", str(steps)).replace("BLOCK", str(block))
    code = f"import numpy, sys; sys.path.insert(0, {folder!r}); X = numpy.load({folder + '/X.npy'!r}); {call}"
    return cpu_seconds([sys.executable, "-c", code], OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1", OMP_NUM_THREADS="1")


def of_merit(folder, steps):
    return cpu_seconds([merit, "factor", f"{folder}/X.npy", "--rank", str(COMMUNITIES), "--regularization", str(LAMBDA), "--iterations",
                        str(steps), "--gap-tolerance", "off", "--certificate", "off", "--threads", "1", "--quiet", "--force",
                        "--output", f"{folder}/run"])


with tempfile.TemporaryDirectory() as folder:
    X = columns()
    np.save(f"{folder}/X.npy", X)
    (Path(folder) / "merit_numpy.py").write_text(OWN.read_text())
    given = len(sys.argv) > 3
    if given:
        (Path(folder) / "baseline.py").write_text(Path(sys.argv[3]).read_text())
    print(f"M = {X.shape[0]}, N = {X.shape[1]}, {STEPS} steps")
    fast = min(of_merit(folder, STEPS) for _ in range(3)) - min(of_merit(folder, 1) for _ in range(3))
    slow = min((of_numpy(folder, 24, block, given) - of_numpy(folder, 4, block, given)) / 20 for block in (64, 256)) * STEPS
    of_merit(folder, STEPS)
    with open(f"{folder}/run/run.json") as file:
        kind = json.load(file).get("search_kind")
    print(f"one thread, CPU: Merit {fast:.3f} s, NumPy {slow:.2f} s: {slow / fast:.1f} times; the search: {kind}")
    bench = [merit, "bench", f"{folder}/X.npy", "--no-oracle", "--regularization", str(LAMBDA), "--iterations", str(STEPS)]
    subprocess.run([*bench, "--compare", "numpy", "--python", sys.executable], check=True)
