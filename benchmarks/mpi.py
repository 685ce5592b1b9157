"""Several processes against one: seconds, CPU seconds, and peak memory of the first process.

    scripts/mpi.sh prepare
    python3 benchmarks/mpi.py target/test-tools/merit-mpi --ranks 2 --rows 50 --cols 20000 --iterations 30

Each process has one thread. Runs alternate, and the least time of each kind counts. `solve` is the search alone, from run.json.
"""

import argparse
import json
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path


def run(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    clock = time.monotonic()
    subprocess.run([*command, "--output", folder], check=True, capture_output=True)
    seconds = time.monotonic() - clock
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    record = json.loads(Path(folder, "run.json").read_text())
    return {
        "seconds": seconds,
        "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "solve": record["seconds"]["solve"],
        "peak": record["peak_rss_bytes"],
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("merit")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rows", type=int, default=50)
    parser.add_argument("--cols", type=int, default=20000)
    parser.add_argument("--rank", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--repeats", type=int, default=2)
    args = parser.parse_args()
    mpirun = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(args.ranks)]
    if os.getuid() == 0:
        mpirun.insert(1, "--allow-run-as-root")
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data"
        shape = ["--rows", str(args.rows), "--cols", str(args.cols), "--rank", str(args.rank)]
        subprocess.run([args.merit, "generate", "dirichlet", *shape, "--snr", "20", "--quiet", "--output", data], check=True)
        options = ["--rank", str(args.rank), "--regularization", "0.1", "--iterations", str(args.iterations)]
        options += ["--certificate", "off", "--threads", "1", "--quiet"]
        one = [args.merit, "factor", f"{data}/X.npy", *options]
        runs = {1: [], args.ranks: []}
        for repeat in range(args.repeats):
            runs[1].append(run(one, f"{folder}/one-{repeat}"))
            runs[args.ranks].append(run([*mpirun, *one], f"{folder}/several-{repeat}"))
            same = [Path(folder, f"{name}-{repeat}", "C.npz").read_bytes() for name in ("one", "several")]
            assert same[0] == same[1], "several processes must find what one finds"
        print(f"M = {args.rows}, N = {args.cols}, {args.iterations} iterations")
        for ranks, found in runs.items():
            least = {name: min(one[name] for one in found) for name in found[0]}
            print(
                f"{ranks} x 1 thread: {least['seconds']:7.2f} s, search {least['solve']:7.2f} s, "
                f"{least['cpu']:7.2f} CPU s, peak of the first {least['peak'] / 1e6:7.1f} MB"
            )
        for name in ("seconds", "solve"):
            ratio = min(one[name] for one in runs[1]) / min(one[name] for one in runs[args.ranks])
            print(f"{name}: {ratio:.2f} times faster")


main()
