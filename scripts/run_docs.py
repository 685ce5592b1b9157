#!/usr/bin/env python3
"""Runs the commands and the Python code of the documentation, and compares what they print with what the pages show.

    PYTHON scripts/run_docs.py --merit PROGRAM [--news FILE] [--gallery FOLDER] [PAGE...]

PYTHON has merit_nmf installed. Pages are README.md, CONTRIBUTING.md, python/README.md and everything in docs/src except what is made by a
program. Each page runs from top to bottom in an empty folder of its own, which only has a copy of docs/*.csv and docs/*.txt, as a clone
has. The rules:

- In a `console` block, a line that begins with `$ ` is a command for bash; the lines up to the next one are what it prints (standard
  output). A command without such lines may print anything. It must succeed, unless a comment `# exit N` ends its line.
  `cargo run --release --` is the program that was built for the tests.
- `...` alone on a line stands for any number of lines. Seconds, bytes and numbers below 1e-9 in size may differ; other numbers may
  differ by one unit of the last digit shown, because the last bits of a decomposition depend on the processor.
- The `python` blocks of a page are one program. Lines that begin with `#> ` are what the block prints.
- `rust` blocks must be files of `crates/*/examples` (`{{#include ...}}`), which the tests run. Other blocks (`text`, `json`) are not run.
- The HTML files that the commands of docs/src/gallery/README.md make are kept in the --gallery folder.
- `<!-- not run: REASON -->` before a block leaves it out; all of these are listed at the end. Pages that use `news.txt` are left out, and
  listed, when there is no --news.
"""

import argparse
import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(?m)^(?:<!-- not run: (?P<reason>[^>]*?) -->\n+)?```(?P<language>[a-z]*)[^\n]*\n(?P<body>.*?)^```$", re.S)
# What differs from run to run: times and sizes with their units, and in tables the seconds before a peak memory.
VOLATILE = re.compile(r"\b\d+(?:\.\d+)?(?= ?(?:s|ms|kB|MB|GB|bytes|minutes|seconds)\b|\s+\d+(?:\.\d+)? MB\b)")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def pages():
    made = {"commands.md", "run-json.md"}
    found = [page for page in sorted((ROOT / "docs/src").rglob("*.md")) if page.name not in made]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "python/README.md", *found]


def near(shown, printed):
    """Whether two numbers agree except for the last digit shown."""
    a, b = float(shown), float(printed)
    mantissa, _, exponent = shown.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    whole = "." not in shown and not exponent
    return a == b if whole else abs(a - b) <= 1.001 * unit or max(abs(a), abs(b)) < 1e-9


def alike(shown, printed):
    """Whether two lines say the same; blanks count as one, since columns of tables move with their contents."""
    shown, printed = (re.sub(r"[ \t]+", " ", VOLATILE.sub("#", line.strip())) for line in (shown, printed))
    if NUMBER.sub("0", shown) != NUMBER.sub("0", printed):
        return False
    return all(near(a, b) for a, b in zip(NUMBER.findall(shown), NUMBER.findall(printed)))


def matches(shown, printed):
    """Whether the printed lines are the shown ones, where `...` stands for any lines."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(matches(shown[1:], printed[start:]) for start in range(len(printed) + 1))
    return bool(printed) and alike(shown[0], printed[0]) and matches(shown[1:], printed[1:])


def lines(text):
    return [line.rstrip() for line in text.strip("\n").splitlines()]


class Wrong(Exception):
    """What is not as a page says."""


def run_console(body, folder, environment, place, left_out):
    """The commands of a block; gives the number of those that ran."""
    commands = re.split(r"(?m)^\$ ", body)[1:]
    ran = len(commands)
    if not commands:
        raise Wrong("a console block has no line that begins with `$ `")
    for command in commands:
        command, _, shown = command.partition("\n")
        while command.endswith("\\"):
            more, _, shown = shown.partition("\n")
            command = command[:-1] + more
        command = re.sub(r"^cargo run --release -- ", "merit ", command)
        if command.startswith("./scripts/"):
            left_out.append(f"{place}: {command.split()[0]} runs the tests, and this is one of them")
            ran -= 1
            continue
        expected = re.search(r"# exit (\d+)$", command)
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL
        )
        code = int(expected[1]) if expected else 0
        if done.returncode != code:
            raise Wrong(f"$ {command}\nexits with {done.returncode} instead of {code}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        # Of a command that is to fail, the message is what is shown.
        printed = done.stdout if not code else done.stdout + done.stderr
        if shown.strip() and not matches(lines(shown), lines(printed)):
            raise Wrong(f"$ {command}\nprints\n{printed}\ninstead of\n{shown}")
    return ran


def run_python(body, names, folder):
    shown = [line[3:] for line in body.splitlines() if line.startswith("#> ")]
    printed = io.StringIO()
    before = os.getcwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(body, "the block", "exec"), names)
    except Exception:
        raise Wrong(f"{body}\nfails:\n{traceback.format_exc()}") from None
    finally:
        os.chdir(before)
    if shown and not matches(lines("\n".join(shown)), lines(printed.getvalue())):
        raise Wrong(f"{body}\nprints\n{printed.getvalue()}")
    return 1


def run_page(page, options, left_out):
    """Runs a page in a folder of its own; gives the number of commands and blocks that ran."""
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT)
    blocks = list(BLOCK.finditer(text))
    if text.count("\n```") + text.startswith("```") != 2 * len(blocks):
        raise Wrong("blocks that were not found: is one indented, or not closed?")
    ran, names = 0, {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "docs").mkdir()
        for data in [*(ROOT / "docs").glob("*.csv"), *(ROOT / "docs").glob("*.txt")]:
            shutil.copy(data, folder / "docs")
        if options.news:
            shutil.copy(options.news, folder / "news.txt")
        path = f"{Path(options.merit).resolve().parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = dict(os.environ, PATH=path, NO_COLOR="1")
        for block in blocks:
            language, body = block["language"], block["body"]
            if language not in ("console", "python", "rust"):
                continue
            line = text[: block.start()].count("\n") + 1
            reason = block["reason"]
            if reason is None and "news.txt" in body and not options.news:
                reason = "there is no news.txt"
            if reason is not None:
                left_out.append(f"{name}:{line}: {reason}")
            elif language == "rust":
                if not re.fullmatch(r"\{\{#include [./]*crates/\w+/examples/\w+\.rs\}\}\n", body):
                    raise Wrong(f"line {line}: Rust must be an example of a crate, which the tests run")
                ran += 1
            else:
                try:
                    if language == "console":
                        ran += run_console(body, folder, environment, f"{name}:{line}", left_out)
                    else:
                        ran += run_python(body, names, folder)
                except (Wrong, subprocess.TimeoutExpired) as wrong:
                    raise Wrong(f"line {line}: {wrong}") from None
        if options.gallery and page.parent.name == "gallery":
            for made in folder.glob("*.html"):
                shutil.copy(made, options.gallery)
    return ran


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--merit", required=True)
    parser.add_argument("--news")
    parser.add_argument("--gallery", type=Path)
    parser.add_argument("pages", nargs="*", type=Path)
    options = parser.parse_args()
    passed, failed, left_out = 0, 0, []
    for page in [page.resolve() for page in options.pages] or pages():
        start = time.monotonic()
        try:
            ran = run_page(page, options, left_out)
        except Wrong as wrong:
            failed += 1
            print(f"FAILED: {page.relative_to(ROOT)}, {wrong}")
            continue
        passed += ran
        if ran:
            print(f"{page.relative_to(ROOT)}: {ran} ran ({time.monotonic() - start:.1f} s)")
    for place in left_out:
        print(f"not run: {place}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
