"""The search over sparse columns beside the scalar one (`--kernel scalar`) and the same matrix made dense, in one run.

    python3 benchmarks/sparse.py target/release/merit [ROWS COLS NONZEROS]

CPU seconds of a step: those of a run with some steps, less those of a run with one. Uniform rows, the hardest case: in texts
few words make up most. Without sizes: 5,000 x 2,000 with 710 nonzeros per column, and 100 steps of 20,000 x 20,000 with 100.
Needs NumPy.
"""
import json
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

merit, sizes = sys.argv[1], [int(size) for size in sys.argv[2:5]]


def sparse(rows, cols, nonzeros, seed=0):
    """Random mixtures of 20 random columns, and noise, as SciPy's compressed columns."""
    draw = np.random.default_rng(seed)
    each = nonzeros // 4
    pure = [(np.sort(draw.choice(rows, each, replace=False)), draw.random(each)) for _ in range(20)]
    indptr, indices, data = [0], [], []
    for n in range(cols):
        column = np.zeros(rows)
        for k in [n] if n < 20 else draw.choice(20, 3, replace=False):
            column[pure[k][0]] += draw.random() * pure[k][1]
        column[draw.choice(rows, each, replace=False)] += 0.1 * draw.random(each)
        found = np.flatnonzero(column)
        indices.append(found)
        data.append(column[found] / column.sum())
        indptr.append(indptr[-1] + len(found))
    return np.concatenate(data), np.concatenate(indices), np.array(indptr)


def run(folder, name, steps, *options):
    """CPU and wall seconds of a run, and its record."""
    command = [merit, "factor", f"{folder}/{name}", "--rank", "20", "--regularization", "0.001", "--gap-tolerance", "off", "--quiet",
               "--certificate", "off", "--iterations", str(steps), "--force", "--output", f"{folder}/run", *options]
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
    subprocess.run(command, check=True)
    seconds = time.monotonic() - clock
    with open(f"{folder}/run/run.json") as file:
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, seconds, json.load(file)


def step(folder, name, steps, *options):
    """CPU seconds of one step."""
    one = run(folder, name, 1, *options)[0]
    many, _, record = run(folder, name, steps + 1, *options)
    return (many - one) / steps, record


with tempfile.TemporaryDirectory() as folder:
    for rows, cols, nonzeros in [sizes] if sizes else [[5000, 2000, 710], [20000, 20000, 100]]:
        data, indices, indptr = sparse(rows, cols, nonzeros)
        np.savez(f"{folder}/x.npz", data=data, indices=indices, indptr=indptr, shape=np.array([rows, cols]), format=b"csc")
        print(f"{rows} x {cols}, {len(data) / cols:.0f} nonzeros per column")
        if rows * cols <= 20_000_000:
            x = np.zeros((rows, cols), order="F")
            for l in range(cols):
                part = slice(indptr[l], indptr[l + 1])
                x[indices[part], l] = data[part]
            np.save(f"{folder}/x.npy", x)
            fast, record = step(folder, "x.npz", 40)
            scalar, _ = step(folder, "x.npz", 4, "--kernel", "scalar")
            dense, _ = step(folder, "x.npy", 20)
            print(f"a step: {fast:.3f} s of CPU, scalar {scalar:.3f} ({scalar / fast:.1f} times), dense {dense:.3f} ({dense / fast:.1f} times), "
                  f"peak {record['peak_rss_bytes'] / 1e6:.0f} MB")
        else:
            cpu, seconds, record = run(folder, "x.npz", 100)
            print(f"100 steps and all around them: {cpu:.1f} s of CPU, {seconds:.1f} s, peak {record['peak_rss_bytes'] / 1e6:.0f} MB")
