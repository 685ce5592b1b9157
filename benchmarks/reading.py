"""Files as fast as they can be read: merit beside polars, pandas and `cat`, on the same files in the same run.

    python3 benchmarks/reading.py target/release/merit        (needs numpy, polars and pandas; makes 1 GB in a temporary folder)

Merit's seconds are those of run.json ("read"), which include checking every number and, for the edges, building the graph.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas
import polars


def best(action, times=3):
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return min(taken)


def merit(*arguments, times=3):
    def read():
        command = [str(Path(sys.argv[1]).resolve()), *map(str, arguments), "--output", "run", "--force", "--quiet"]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
        return json.loads((folder / "run" / "run.json").read_text())["seconds"]["read"]

    return min(read() for _ in range(times))


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    rng = np.random.default_rng(0)
    X = rng.random((50, 500_000))
    np.save(folder / "fortran.npy", np.asfortranarray(X))
    np.save(folder / "c.npy", X)
    with open(folder / "x.csv", "w") as file:
        for row in X.T:
            file.write(",".join(map(repr, row.tolist())) + "\n")
    np.savetxt(folder / "edges.txt", rng.integers(0, 1_000_000, size=(10_000_000, 2)), fmt="%d")
    csv = folder / "x.csv"
    print(f"CSV, {csv.stat().st_size / 1e6:.0f} MB: polars {best(lambda: polars.read_csv(csv, has_header=False)):.2f} s,", end=" ")
    print(f"pandas {best(lambda: pandas.read_csv(csv, header=None)):.2f} s,", end=" ")
    factor = ["--rank", 5, "--method", "spa"]
    print(f"merit {merit('factor', csv, '--samples', 'rows', *factor):.2f} s (samples are rows), {merit('factor', csv, *factor):.2f} s (columns)")
    for order in ["fortran", "c"]:
        path = folder / f"{order}.npy"
        cat = best(lambda: subprocess.run(f"cat {path} > /dev/null", shell=True, check=True))
        print(f".npy, 200 MB, {order} order: cat {cat:.3f} s, numpy.load {best(lambda: np.load(path)):.3f} s, merit {merit('factor', path, *factor):.3f} s")
    print(f"10 million edges: merit {merit('communities', folder / 'edges.txt', '--communities', 2, '--method', 'spa', times=1):.2f} s")
