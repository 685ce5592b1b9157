#!/usr/bin/env python3
"""Writes the reference pages of the documentation from what the program says of itself.

    scripts/reference.py MERIT            writes docs/src/reference/commands.md and run-json.md
    scripts/reference.py MERIT --check    fails where they are not what MERIT and docs/run.schema.json say now

Commands and settings come from `MERIT COMMAND --help`, which comes from the one declaration of each setting; the keys of run.json come
from docs/run.schema.json, which a test of the command line compares with that declaration.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs/src/reference"
MADE = "<!-- made by scripts/reference.py; do not edit -->\n"


def cell(text):
    """Text for a cell of a table: what looks like a placeholder must not become HTML."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;").replace("*", "\\*")


def code(text):
    return "`" + text.replace("|", "\\|") + "`"


def help_of(merit, words):
    environment = dict(os.environ, COLUMNS="140")
    done = subprocess.run([merit, *words, "--help"], capture_output=True, text=True, env=environment, check=True)
    return done.stdout


def sections(text):
    """The help cut at its headings: a list of (heading, lines); what stands before the first has the heading ''."""
    found = [("", [])]
    for line in text.splitlines():
        heading = re.fullmatch(r"(Arguments|Options|Commands|Examples):", line)
        if heading:
            found.append((heading[1], []))
        elif found[-1][0] and line and not line.startswith(" "):
            found.append(("", [line]))  # a paragraph after the lists
        else:
            found[-1][1].append(line)
    return found


def entries(lines):
    """The items of a list, each a (name, explanation): an item begins less indented than its explanation goes on."""
    items = []
    for line in lines:
        head = re.match(r"( {2,6})((?:-\w, )?--[\w-]+(?: <[^>]+>)?|<[^>]+>(?:\.\.\.)?|\[[A-Z]+\]|[a-z-]+)(?:\s{2,}(.*))?$", line)
        if head and (line.startswith("  ") and len(head[1]) <= 6):
            items.append([head[2], [head[3] or ""]])
        elif items:
            items[-1][1].append(line.strip())
    return [(name, re.sub(r"\s+", " ", " ".join(words)).strip()) for name, words in items]


def take(pattern, text):
    """The first group of the pattern, and the text without the match."""
    found = re.search(pattern, text)
    return (found[1], (text[: found.start()] + text[found.end() :]).strip()) if found else ("", text)


def options(lines):
    rows = ["| option | what it does | default |", "|---|---|---|"]
    for name, words in entries(lines):
        if name in ("-h, --help", "-V, --version"):
            continue
        default, words = take(r"\[default: ([^\]]*(?:\[[^\]]*\][^\]]*)?)\]", words)
        alias, words = take(r"\[alias: ([^\]]*)\]", words)
        values, words = take(r"\[possible values: ([^\]]*)\]", words)
        if values:
            words += f": {values}"
        if alias:
            words += f" (also {alias})"
        rows.append(f"| {code(name)} | {cell(words)} | {cell(default)} |")
    return rows if len(rows) > 2 else []


def command(merit, words, level):
    """The lines of a command, and of those below it."""
    parts = sections(help_of(merit, words))
    title, below, out = " ".join(["merit", *words]), [], []
    about = [line for line in parts[0][1] if line.strip()]
    usage = [line.strip().removeprefix("Usage: ") for line in about if "merit" in line and (line.startswith("Usage:") or line.startswith("   "))]
    words_before = [line for line in about if not line.startswith(("Usage:", "   "))]
    out += [f"{'#' * level} {title}", "", " ".join(words_before) + ".", ""]
    out += ["Usage: " + "; ".join(code(line) for line in usage), ""]
    for heading, lines in parts[1:]:
        if heading == "Commands":
            below = [name for name, _ in entries(lines) if name != "help"]
        elif heading == "Arguments":
            out += ["| argument | what it is |", "|---|---|"]
            out += [f"| {code(name)} | {cell(text)} |" for name, text in entries(lines)] + [""]
        elif heading == "Options":
            rows = options(lines)
            out += rows + [""] if rows else []
        elif heading == "Examples":
            out += ["Examples:", ""] + [f"- {code(line.strip())}" for line in lines if line.strip()] + [""]
        else:
            text = " ".join(line.strip() for line in lines if line.strip())
            out += [cell(text), ""] if text else []
    for name in below:
        out += command(merit, [*words, name], level + 1 if words else 2)
    return out


def commands_page(merit):
    top = help_of(merit, [])
    lines = [MADE, "# Commands and settings", ""]
    lines += ["Every command with every option, as `merit COMMAND --help` shows them. A setting has the same name in Python"]
    lines += ["and in `run.json`, with underscores.", "", "| command | what it does |", "|---|---|"]
    names = []
    for heading, body in sections(top):
        if heading == "Commands":
            for name, text in entries(body):
                if name != "help":
                    names.append(name)
                    lines.append(f"| [`{name}`](#merit-{name}) | {cell(text)} |")
    lines.append("")
    for name in names:
        lines += command(merit, [name], 2)
    return "\n".join(lines).rstrip() + "\n"


def kind(schema):
    """What values a schema allows, in words."""
    if "const" in schema:
        return f"always `{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value).strip(chr(34))}`" for value in schema["enum"])
    if "anyOf" in schema or "oneOf" in schema:
        return " or ".join(dict.fromkeys(kind(one) for one in schema.get("anyOf") or schema["oneOf"]))
    if "$ref" in schema:
        return "see " + schema["$ref"].rsplit("/", 1)[-1]
    types = schema.get("type", "object")
    types = types if isinstance(types, list) else [types]
    words = {"array": "list", "null": "null", "boolean": "true or false", "string": "text", "integer": "whole number"}
    said = [words.get(one, one) for one in types]
    if "array" in types and schema.get("items"):
        said[types.index("array")] = f"list ({kind(schema['items'])})"
    return " or ".join(said)


def keys(schema, prefix=""):
    """Rows for the keys of an object, and of the objects within."""
    rows = []
    for name, one in schema.get("properties", {}).items():
        rows.append(f"| `{prefix}{name}` | {cell(kind(one))} | {cell(one.get('description', ''))} |")
        for inner, mark in [(one, "."), (one.get("items", {}), "[].")] + [(other, ".") for other in one.get("anyOf", [])]:
            rows += keys(inner, f"{prefix}{name}{mark}") if isinstance(inner, dict) else []
    for part in schema.get("allOf", []):
        rows += keys(part, prefix) if "$ref" not in part else []
    return rows


def record_page():
    schema = json.loads((ROOT / "docs/run.schema.json").read_text(encoding="utf-8"))
    lines = [MADE, "# run.json", "", schema["description"], ""]
    lines += ["The schema is `docs/run.schema.json` (JSON Schema 2020-12). A record of a run has the keys of the first two"]
    lines += ["tables and those of its command; settings of the search are under `settings`, beside the command's own."]
    titles = {"run": "Every record", "search": "What the search left", "search_settings": "Settings of the search"}
    for name, part in schema["$defs"].items():
        lines += ["", f"## {titles.get(name, 'merit ' + name)}", ""]
        if "description" in part:
            lines += [part["description"] + ".", ""]
        lines += ["| key | value | meaning |", "|---|---|---|"] + keys(part)
    return "\n".join(lines).rstrip() + "\n"


def main():
    arguments = [word for word in sys.argv[1:] if word != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    pages = {"commands.md": commands_page(arguments[0]), "run-json.md": record_page()}
    stale = [name for name, text in pages.items() if not (PAGES / name).is_file() or (PAGES / name).read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        for name in stale:
            print(f"docs/src/reference/{name} is not what the program says now; run `scripts/reference.py MERIT`")
        sys.exit(1 if stale else 0)
    for name in stale:
        (PAGES / name).write_text(pages[name], encoding="utf-8")
        print(f"written: docs/src/reference/{name}")


main()
