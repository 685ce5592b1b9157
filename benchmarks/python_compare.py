"""Merit, scikit-learn's NMF and nimfa's SepNmf on the same data, each in a process of its own.

    python benchmarks/python_compare.py [--samples 2000,10000] [--features 50] [--components 10] [--snr 20] [--table]

Tells seconds of the fit (CPU and wall), the peak memory of the process, how many of the known anchors were found (NMF has none: its parts
are matched to the true ones by their angle, which is told for all), and the fit. What is not installed is left out, with a note. nimfa 1.4 wants
NumPy < 2.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from importlib.util import find_spec

METHODS = ["merit", "merit-spa", "sklearn-nmf", "nimfa-spa", "nimfa-xray"]


def measure(method: str, samples: int, features: int, components: int, snr: float) -> dict[str, object]:
    """Runs one method; everything that it needs is imported before the clock starts."""
    import numpy as np

    from merit_nmf.datasets import make_dirichlet
    from merit_nmf.metrics import anchors_right, mrsa

    data = make_dirichlet(samples, features, components, snr_db=snr, random_state=0)
    X = np.maximum(data.X, 0.0)  # NMF and nimfa take no negative numbers, which noise may make
    run = {
        "merit": lambda: by_merit(X, components, "merit"),
        "merit-spa": lambda: by_merit(X, components, "spa"),
        "sklearn-nmf": lambda: by_nmf(X, components),
        "nimfa-spa": lambda: by_nimfa(X, components, "spa"),
        "nimfa-xray": lambda: by_nimfa(X, components, "xray"),
    }[method]
    if method == "sklearn-nmf":
        import sklearn.decomposition  # noqa: F401
    elif method.startswith("nimfa"):
        import nimfa  # noqa: F401
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    anchors, parts, weights = run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fit = 1 - np.linalg.norm(X - weights @ parts) / np.linalg.norm(X)
    return {
        "method": method,
        "samples": samples,
        "wall_seconds": round(wall, 3),
        "cpu_seconds": round(cpu, 3),
        "peak_mb": round(peak / 1024, 1),
        "added_mb": round((peak - before) / 1024, 1),
        "anchors_right": None if anchors is None else f"{anchors_right(anchors, data.anchors)} of {components}",
        "angle": round(mrsa(parts, data.components), 4),
        "fit": round(float(fit), 4),
    }


def by_merit(X, components, method):
    from merit_nmf import SeparableNMF

    model = SeparableNMF(components, method=method)
    weights = model.fit_transform(X)
    return model.anchor_indices_, model.components_, weights


def by_nmf(X, components):
    from sklearn.decomposition import NMF

    model = NMF(components, init="nndsvda", max_iter=500)
    weights = model.fit_transform(X)
    return None, model.components_, weights


def by_nimfa(X, components, selection):
    import nimfa
    import numpy as np

    model = nimfa.SepNmf(X.T, rank=components, selection=selection)
    fitted = model()
    parts, weights = np.asarray(fitted.basis()).T, np.asarray(fitted.coef()).T
    # SepNmf names no columns: those that are equal to its basis are meant.
    unit = X / X.sum(axis=1, keepdims=True)
    wanted = parts / parts.sum(axis=1, keepdims=True)
    anchors = [int(np.argmin(((unit - part) ** 2).sum(axis=1))) for part in wanted]
    return anchors, parts, weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", default="2000,10000")
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--components", type=int, default=10)
    parser.add_argument("--snr", type=float, default=20.0)
    parser.add_argument("--seconds", type=float, default=300, help="for each run at most")
    parser.add_argument("--table", action="store_true", help="a table in Markdown instead of JSON lines")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(measure(args.one, int(args.samples), args.features, args.components, args.snr)))
        return
    rows = []
    for samples in args.samples.split(","):
        for method in METHODS:
            if method.startswith("nimfa") and find_spec("nimfa") is None:
                print(f"left out: {method}, because nimfa is not installed", file=sys.stderr)
                continue
            command = [sys.executable, __file__, "--one", method, "--samples", samples, "--features", str(args.features)]
            command += ["--components", str(args.components), "--snr", str(args.snr)]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=args.seconds)
            except subprocess.TimeoutExpired:
                print(f"left out: {method} on {samples} samples takes more than {args.seconds:g} s", file=sys.stderr)
                continue
            if done.returncode != 0:
                print(f"left out: {method} on {samples} samples: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
                continue
            rows.append(json.loads(done.stdout))
            if not args.table:
                print(json.dumps(rows[-1]), flush=True)
    if args.table and rows:
        print("| " + " | ".join(rows[0]) + " |\n|" + "---|" * len(rows[0]))
        for row in rows:
            print("| " + " | ".join("-" if value is None else str(value) for value in row.values()) + " |")


if __name__ == "__main__":
    main()
