"""The exact solver beside Frank-Wolfe, on the same data in one run: passes and steps, CPU time of each, peak memory, distance.

    python3 benchmarks/exact.py target/release/merit [COLS] [GAP]

Both distances are from the lower bound of the exact solver, on the objective without smoothing. Needs nothing but Python.
"""
import csv
import json
import resource
import subprocess
import sys
import tempfile

merit, cols, gap = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "10000", sys.argv[3] if len(sys.argv) > 3 else "0.01"


def run(folder, *options):
    """The record of a run of `merit factor`, and the CPU seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [merit, "factor", f"{folder}/data/X.npy", "--rank", "40", "--quiet", "--force", "--output", f"{folder}/run", *options]
    subprocess.run(command, check=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    with open(f"{folder}/run/run.json") as file:
        return json.load(file), seconds


with tempfile.TemporaryDirectory() as folder:
    make = [merit, "generate", "dirichlet", "--rows", "50", "--cols", cols, "--rank", "40", "--snr", "12"]
    subprocess.run([*make, "--output", f"{folder}/data", "--quiet"], check=True)
    _, spa = run(folder, "--method", "spa")
    exact, seconds = run(folder, "--method", "exact", "--gap", gap)
    with open(f"{folder}/run/bounds.csv") as file:
        bounds = [(int(row["pass"]), float(row["upper"]), float(row["lower"])) for row in csv.DictReader(file) if row["upper"]]
    first = lambda part: next((n for n, upper, lower in bounds if upper - lower <= part * upper), None)
    lower, passes = exact["lower_bound"], exact["iterations"]
    a_pass, peak = (seconds - spa) / passes, exact["peak_rss_bytes"]
    print(f"exact: 10 % after {first(0.1)} passes, 1 % after {first(0.01)}, 0.1 % after {first(0.001)}")
    print(f"exact: {passes} passes, {a_pass:.4f} s of CPU each, peak {peak / 1e6:.1f} MB, within {exact['relative_gap']:.2%}")
    unit = ["--regularization", str(exact["regularization"]), "--certificate"]
    for steps in (100, 400, 1600):
        walk, seconds = run(folder, *unit, "off", "--iterations", str(steps))
        a_step = (seconds - spa) / steps
        above, own = 1 - lower / walk["objective"], walk["gap"] / walk["objective"]
        print(f"Frank-Wolfe: {steps} steps, {a_step:.4f} s each, peak {walk['peak_rss_bytes'] / 1e6:.1f} MB, "
              f"{above:.2%} above the bound (its own gap: {own:.2%})")
        if above > float(gap):
            print(f"Frank-Wolfe did not get within {float(gap):.2%} in {steps} steps")
        print(f"a pass is {a_pass / a_step:.2f} steps, the memory {peak / walk['peak_rss_bytes']:.2f} times")
