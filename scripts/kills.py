#!/usr/bin/env python3
"""Kills `merit factor` at random moments (kill -9) and resumes it, until it ends: the results must be those of a run that nobody
killed, byte for byte, and no state may be unreadable. Also what keeping the states costs.

    scripts/kills.py target/release/merit [--kills 50] [--seed 0]
"""

import argparse
import pathlib
import random
import subprocess
import tempfile
import time

RESULTS = ["C.npz", "H.npy", "W.npy", "anchors.csv", "bounds.csv"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("merit", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cols", type=int, default=6000)
    args = parser.parse_args()
    merit, rng = args.merit.resolve(), random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        def run(*words, **more):
            return subprocess.Popen([merit, *map(str, words)], cwd=folder, stderr=subprocess.PIPE, text=True, **more)

        run("generate", "dirichlet", "--rows", 20, "--cols", args.cols, "--rank", 8, "--output", "data", "--quiet").wait()
        work = ["factor", "data/X.npy", "--rank", 8, "--quiet", "--force", "--output"]
        clock = time.time()
        assert run(*work, "whole").wait() == 0
        whole = time.time() - clock
        kills = runs = damaged = 0
        while kills < args.kills:
            runs += 1
            for _ in range(1000):
                threads = rng.choice([1, 2, 3])
                child = run(*work, "parts", "--checkpoint", "state", "--checkpoint-every", "0.1s", "--resume", "--threads", threads)
                try:
                    child.wait(timeout=rng.uniform(0.02, 0.9 * whole) if kills < args.kills else None)
                except subprocess.TimeoutExpired:
                    child.kill()
                    kills += 1
                said = child.stderr.read()
                damaged += said.count("damaged")
                if child.wait() == 0:
                    break
                assert child.returncode == -9, (child.returncode, said)
            for name in RESULTS:
                one, other = (pathlib.Path(folder, run, name).read_bytes() for run in ("whole", "parts"))
                assert one == other, f"{name} differs after {kills} kills"
            left = sorted(path.name for path in pathlib.Path(folder).iterdir())
            assert left == ["data", "parts", "whole"], left
        print(f"{kills} kills in {runs} runs of {whole:.1f} s: all results are byte-identical, {damaged} damaged states")


if __name__ == "__main__":
    main()
