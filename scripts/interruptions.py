#!/usr/bin/env python3
"""Ctrl-C at random moments in every long command, in numbers, by hand.

    ./scripts/interruptions.py [MOMENTS [WORD]]

Runs the built program (target/release/merit) in a scratch folder: each command MOMENTS times (40), each time interrupted at
a random moment of its run, or of its first twelve seconds if it is longer; with WORD only the commands that hold it. A run goes wrong when it is not back
within a second (measured as processor time too, for a busy machine), ends with another code than 130 (or by the signal, in
its first tenth of a second), says that something panicked, leaves something half-written, or says that it wrote nothing when
its search had begun. Fails if one does; says how many left results.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "target", "release", "merit")
RUN = "--output run --report page.html"
MATRIX = "factor data/X.npy " + RUN
TOPICS = "topics texts.txt " + RUN
GRAPH = "communities graph/edges.txt " + RUN
COMMANDS = [
    MATRIX + " --rank 30 --iterations 100000",
    MATRIX + " --iterations 100000",
    MATRIX + " --rank 30 --regularization 0.3 --iterations 100000",
    MATRIX + " --rank 30 --regularization paper --iterations 100000",
    MATRIX + " --rank 30 --reduce pca:40 --iterations 100000",
    MATRIX + " --rank 30 --merge-duplicates 0.001 --iterations 100000",
    MATRIX + " --rank 2000 --method spa",
    MATRIX + " --rank 2000 --method snpa",
    MATRIX + " --rank 500 --method xray",
    MATRIX + " --rank 300 --method xray --xray-criterion greedy",
    MATRIX + " --rank 2000 --method fast-anchor",
    MATRIX + " --rank 2000 --method norm-ratio",
    MATRIX + " --rank 30 --method exact --gap 0 --passes 100000",
    MATRIX + " --rank 30 --path",
    MATRIX + " --rank 20 --method fast-gradient --gradient-steps 1000000",
    TOPICS + " --topics 40 --iterations 1000000 --gap-tolerance off",
    TOPICS + " --iterations 1000000 --gap-tolerance off",
    TOPICS + " --topics 40 --method lda --burn-in 1000000",
    TOPICS + " --topics 400 --method xray",
    "topics apply topics many.txt --output weights.csv",
    GRAPH + " --communities 150",
    GRAPH + " --communities 12 --iterations 1000000 --gap-tolerance off",
    GRAPH,
    "generate dirichlet --rows 500 --cols 150000 --rank 20 --output run",
    "generate mmsb --nodes 60000 --communities 12 --output run",
    "compare data/X.npy --rank 300 --output table.csv",
    "certify big --truth data",
    "evaluate big --truth data",
    "demo --cols 60000 --rows 100 --report page.html",
    "bench --cols 30000 --rows 60 --repeats 100 --no-oracle --output bench.json",
    "reproduce table1 --trials 1000000 --output run --report page.html",
]
LONGEST = 12.0
OUTPUTS = ["page.html", "table.csv", "bench.json", "weights.csv"]


def prepare():
    def merit(line):
        subprocess.run([PROGRAM, *line.split()], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    merit("generate dirichlet --rows 60 --cols 20000 --rank 30 --snr 10 --output data --quiet")
    merit("generate mmsb --nodes 20000 --communities 12 --output graph --quiet")
    merit("factor data/X.npy --rank 30 --regularization 0.3 --iterations 20 --output big --quiet")
    draw = random.Random(1)
    words = [f"w{i}" + "abcdefgh"[i % 8] for i in range(6000)]
    lines = [" ".join(draw.choices(words, k=60)) + "\n" for _ in range(6000)]
    with open("texts.txt", "w") as file:
        file.writelines(lines)
    with open("many.txt", "w") as file:
        file.writelines(lines * 20)
    merit("topics texts.txt --topics 40 --method spa --output topics --quiet")


def clear():
    subprocess.run(["rm", "-rf", "run", *OUTPUTS], check=True)


def length(line):
    """Seconds that the command takes if nobody ends it, at most LONGEST."""
    clear()
    clock = time.monotonic()
    child = subprocess.Popen([PROGRAM, *line.split()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        child.wait(LONGEST)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    return time.monotonic() - clock


def wrong(line, moment):
    """Seconds and processor seconds until it was back, what went wrong (a text, empty if nothing did), and whether it left
    results."""
    clear()
    # Whoever starts this in the background has Ctrl-C ignored until the program asks for it.
    heard = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    child = subprocess.Popen([PROGRAM, *line.split()], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=heard)
    os.set_blocking(child.stderr.fileno(), False)
    time.sleep(moment)
    if child.poll() is not None:
        return None, None, "", False
    ticks = os.sysconf("SC_CLK_TCK")

    def processor():
        with open(f"/proc/{child.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / ticks

    before, clock = processor(), time.monotonic()
    child.send_signal(signal.SIGINT)
    _, status, usage = os.wait4(child.pid, 0)
    seconds, used = time.monotonic() - clock, usage.ru_utime + usage.ru_stime - before
    code = child.returncode = os.waitstatus_to_exitcode(status)
    said = (child.stderr.read() or b"").decode(errors="replace")
    kept = any(os.path.exists(name) for name in ["run", *OUTPUTS])
    if code == 0 and seconds < 0.02:
        return None, None, "", False  # it had printed its last line
    if code != 130 and not (code == -signal.SIGINT and moment < 0.1):
        return seconds, used, f"exit {code}: {said[-300:]}", kept
    if "panicked" in said:
        return seconds, used, said[-300:], kept
    left = [name for name in os.listdir(".") if "partial" in name and "generate" not in line]
    if left:
        return seconds, used, f"{left} is left", kept
    if os.path.isdir("run"):
        names = os.listdir("run")
        if not {"run.json", "results.csv", "truth.json", "settings.json"} & set(names):
            return seconds, used, f"half a folder: {names}", kept
        if "run.json" in names:
            with open("run/run.json") as file:
                json.load(file)
    if os.path.exists("page.html"):
        with open("page.html") as file:
            if not file.read().rstrip().endswith("</html>"):
                return seconds, used, "half a page", kept
    if "SPA\nsolving at" in said and "--output run" in line and "paper" not in line and not kept:
        return seconds, used, f"nothing is left of {said[-300:]}", kept
    if seconds > 1.0 and used > 1.0:
        return seconds, used, f"back after {seconds:.2f} s ({used:.2f} s of the processor)", kept
    return seconds, used, "", kept


def main():
    moments = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    chosen = [line for line in COMMANDS if len(sys.argv) < 3 or sys.argv[2] in line]
    draw, runs, faults = random.Random(1), 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        prepare()
        for line in chosen:
            slowest, busiest, late, left, bad = 0.0, 0.0, 0, 0, []
            end = length(line)
            for _ in range(moments):
                moment = draw.uniform(0.0, end)
                seconds, used, what, kept = wrong(line, moment)
                if seconds is None:
                    late += 1
                    continue
                left += kept
                runs, slowest, busiest = runs + 1, max(slowest, seconds), max(busiest, used)
                if what:
                    bad.append(f"  at {moment:.2f} s: {what}")
            faults += len(bad)
            done = f", {left} left results" + (f", {late} were done before" if late else "")
            print(f"{slowest:5.2f} s, {busiest:5.2f} s of the processor: {line}{done}", *bad, sep="\n", flush=True)
        os.chdir("/")
    print(f"{runs} interruptions, {faults} went wrong")
    sys.exit(1 if faults else 0)


main()
