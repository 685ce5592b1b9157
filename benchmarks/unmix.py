"""merit unmix: how many pixels to average, the speed of abundances, and an image that is larger than memory should be.

    python3 benchmarks/unmix.py averaging --merit target/release/merit [--samson FOLDER]
    python3 benchmarks/unmix.py fcls --merit target/release/merit
    python3 benchmarks/unmix.py large --merit target/release/merit [--lines 3163 --samples 3163]

`averaging`: the spectral angle (degrees) from the true spectra with a spectrum of one pixel, of the N/100 and N/50 purest pixels, and of as many as
the default takes, on scenes of `merit generate cube`, and on Samson if FOLDER has it (samson.mat, samson_truth.mat).
`fcls`: seconds of the abundances (sum 1, at least 0) of 10^6 pixels, 10 materials, 200 bands, beside a loop over pixels with scipy.optimize.nnls, the
usual way: a heavy row of ones for the sum. The loop runs on some of the same pixels in the same process, and its time is scaled; its abundances
must be the same to 1e-3 (its row of ones is not exact).
`large`: seconds and peak of memory of a 4 GB image. Files go to a temporary folder and are deleted. Needs numpy and, for `fcls`, scipy.
"""

import argparse
import json
import math
import resource
import subprocess
import tempfile
import time
from pathlib import Path

#: Materials, dB, sharpness, brightness, waves; each with a seed of its own.
SCENES = [
    (3, 20, 3, 0.0, 6),
    (3, 30, 2, 0.1, 12),
    (4, 25, 4, 0.05, 6),
    (4, 30, 6, 0.0, 12),
    (4, 40, 1.5, 0.0, 6),
    (5, 25, 3, 0.15, 6),
    (5, 30, 2, 0.05, 12),
    (5, 40, 4, 0.1, 6),
    (6, 30, 6, 0.05, 12),
    (6, 30, 1.5, 0.0, 6),
    (7, 25, 4, 0.0, 12),
    (7, 40, 3, 0.1, 6),
]


def merit(program, *words):
    return subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout


def angle(program, image, truth, rank, *more):
    out = merit(program, "unmix", image, "--endmembers", rank, "--truth", truth, "--json", "--quiet", *more)
    return json.loads(out)["sad_degrees"]


def averaging(args):
    print("| scene | 1 pixel | N/100 | N/50 | default |\n|---|---|---|---|---|")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        scenes = []
        for number, (rank, snr, sharpness, brightness, waves) in enumerate(SCENES):
            scene = Path(folder) / f"scene{number}"
            words = ["--lines", 80, "--samples", 100, "--bands", 120, "--endmembers", rank, "--snr", snr, "--sharpness", sharpness]
            words += ["--brightness", brightness, "--waves", waves, "--seed", 1000 + number, "--quiet", "--output", scene]
            merit(args.merit, "generate", "cube", *words)
            name = f"{rank} materials, {snr} dB, sharpness {sharpness}, brightness {brightness}, {waves} waves"
            scenes.append((name, scene / "cube.hdr", scene, rank, 8000))
        if args.samson:
            folder = Path(args.samson)
            scenes.append(("Samson", folder / "samson.mat", folder / "samson_truth.mat", 3, 9025))
        for name, image, truth, rank, pixels in scenes:
            options = [["--average", 1], ["--average", pixels // 100], ["--average", pixels // 50], []]
            found = [angle(args.merit, image, truth, rank, *option) for option in options]
            if name != "Samson":
                rows.append(found)
            print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in found) + " |")
    means = [math.exp(sum(math.log(row[i]) for row in rows) / len(rows)) for i in range(4)]
    print("| geometric mean of the made-up scenes | " + " | ".join(f"{value:.2f}" for value in means) + " |")


def fcls(args):
    import numpy as np
    from scipy.optimize import nnls

    with tempfile.TemporaryDirectory() as folder:
        scene = Path(folder) / "scene"
        merit(args.merit, "generate", "cube", "--lines", 1000, "--samples", 1000, "--bands", 200, "--endmembers", 10, "--quiet", "--output", scene)
        run = Path(folder) / "run"
        merit(args.merit, "unmix", scene / "cube.hdr", "--spectra", scene / "endmembers.csv", "--quiet", "--output", run)
        record = json.loads((run / "run.json").read_text())
        ours = record["seconds"]["abundances"]
        single = json.loads(merit(args.merit, "unmix", scene / "cube.hdr", "--spectra", scene / "endmembers.csv", "--threads", 1, "--json", "--quiet"))
        alone = single["seconds"]["abundances"]
        lines = np.fromfile(scene / "cube.img", dtype="<i2", count=3 * 1000 * 200).reshape(3, 200, 1000)
        pixels = lines.transpose(0, 2, 1).reshape(-1, 200) / 10000
        table = (scene / "endmembers.csv").read_text().splitlines()[1:]
        spectra = np.array([[float(value) for value in line.split(",")[1:]] for line in table]).T
        heavy = 1e3 * np.linalg.norm(spectra, axis=0).max()
        system = np.vstack([spectra, np.full((1, 10), heavy)])
        clock = time.perf_counter()
        found = np.array([nnls(system, np.append(pixel, heavy))[0] for pixel in pixels])
        theirs = (time.perf_counter() - clock) / len(pixels) * 1e6
        written = np.fromfile(run / "abundances.img", dtype="<f4", count=3 * 10 * 1000).reshape(3, 10, 1000)
        apart = np.abs(written.transpose(0, 2, 1).reshape(-1, 10) - found).max()
        assert apart < 1e-3, apart
    print(f"10^6 pixels, 10 materials, 200 bands: {ours:.1f} s on {record['threads']} threads (reading and writing included), violation {record['fit']['violation']:.1e}")
    print(f"on one thread: {alone:.1f} s")
    print(f"scipy.optimize.nnls in a loop, one thread: {theirs:.0f} s (from {len(pixels)} pixels); {theirs / ours:.1f} times as long, {apart:.1e} apart at most")


def large(args):
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        scene = Path(folder) / "scene"
        words = ["--lines", args.lines, "--samples", args.samples, "--bands", 200, "--endmembers", 5, "--dead-bands", 10, "--interleave", args.interleave]
        clock = time.perf_counter()
        merit(args.merit, "generate", "cube", *words, "--quiet", "--output", scene)
        print(f"made {(scene / 'cube.img').stat().st_size / 1e9:.2f} GB ({args.interleave}) in {time.perf_counter() - clock:.0f} s")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        words = ["--endmembers", 5, "--output", Path(folder) / "run", "--report", Path(folder) / "page.html", "--json", "--quiet"]
        record = json.loads(merit(args.merit, "unmix", scene / "cube.hdr", *words))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(json.dumps({name: round(seconds, 1) for name, seconds in record["seconds"].items()}))
        cpu = after.ru_utime - before.ru_utime
        page = (Path(folder) / "page.html").stat().st_size
        print(f"user time {cpu:.0f} s, peak memory {record['peak_rss_bytes'] / 1e6:.0f} MB, page {page / 1e6:.1f} MB")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("what", choices=["averaging", "fcls", "large"])
parser.add_argument("--merit", default="merit")
parser.add_argument("--samson")
parser.add_argument("--lines", type=int, default=3163)
parser.add_argument("--samples", type=int, default=3163)
parser.add_argument("--interleave", default="bil")
parser.add_argument("--folder", help="where the large files go; default: the system's folder for temporary files")
arguments = parser.parse_args()
{"averaging": averaging, "fcls": fcls, "large": large}[arguments.what](arguments)
