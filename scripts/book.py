#!/usr/bin/env python3
"""The documentation as a book: what mdBook reads, and whether all links lead somewhere.

    scripts/book.py sources                 checks the links of all Markdown files of the repository
    scripts/book.py stage FOLDER GALLERY    writes docs/ to FOLDER as mdBook needs it, and in gallery/ of it the pages of GALLERY
    scripts/book.py site FOLDER             checks the links of the pages that mdBook made

A page of docs/src that only says `This page is [FILE](path).` becomes that file of the repository, and links between pages follow.
`{{#include path}}` becomes the file. Links to files that are not pages (source code) become plain text. Nothing here needs a network:
links to other sites are not followed.
"""

import html.parser
import os
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "docs/src"
SHOWN_ALONE = ROOT / "python/README.md"  # the page of the Python package on PyPI
STANDS_FOR = re.compile(r"This page is \[[^\]]*\]\(([^)]*)\)\.\n")
LINK = re.compile(r"(?P<mark>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
BLOCK = re.compile(r"(?ms)^```.*?^```$")


def outside_code(text, change):
    """The text with `change` applied to all of it that is not a block of code."""
    parts, last = [], 0
    for code in BLOCK.finditer(text):
        parts += [change(text[last : code.start()]), code[0]]
        last = code.end()
    return "".join(parts) + change(text[last:])


def anchor(heading):
    """The id that a heading gets, as mdBook and GitHub make it."""
    text = LINK.sub(lambda link: link["text"], heading).replace("`", "").replace("*", "")
    return "".join(c for c in text.strip().lower().replace(" ", "-") if c.isalnum() or c in "-_")


def anchors(text):
    seen, found = {}, set()
    for heading in re.findall(r"(?m)^#+ (.*)$", BLOCK.sub("", text)):
        name = anchor(heading)
        count = seen.get(name, 0)
        seen[name] = count + 1
        found.add(f"{name}-{count}" if count else name)
    return found


def is_elsewhere(target):
    return bool(urlsplit(target).scheme)


def stand_ins():
    """The files of the repository that are pages of the book, and the pages they are."""
    found = {}
    for page in SOURCE.rglob("*.md"):
        stands = STANDS_FOR.fullmatch(page.read_text(encoding="utf-8"))
        if stands:
            found[(page.parent / stands[1]).resolve()] = page
    return found


def check_sources():
    """Every link of every Markdown file: is its file there, and in it the heading?"""
    wrong, checked = [], 0
    files = [*ROOT.glob("*.md"), SHOWN_ALONE, *SOURCE.rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
    stands = {page: file for file, page in stand_ins().items()}
    for file in files:
        text = file.read_text(encoding="utf-8")
        links = []
        outside_code(text, lambda part: links.extend(LINK.finditer(part)) or part)
        for link in links:
            target = link["target"]
            if is_elsewhere(target):
                continue
            checked += 1
            if file == SHOWN_ALONE:
                wrong.append(f"{file.relative_to(ROOT)}: {target} leads nowhere on the page of the package, which has this file alone")
                continue
            path, _, fragment = target.partition("#")
            place = (file.parent / unquote(path)).resolve() if path else file
            if place.parent == SOURCE / "gallery" and place.suffix == ".html":
                continue  # made when the book is built; the site is checked for it
            if not place.exists():
                wrong.append(f"{file.relative_to(ROOT)}: {target} is not there")
            elif fragment and place.suffix == ".md" and fragment not in anchors(stands.get(place, place).read_text(encoding="utf-8")):
                wrong.append(f"{file.relative_to(ROOT)}: {target}: no such heading")
    listed = {(SOURCE / link["target"]).resolve() for link in LINK.finditer((SOURCE / "SUMMARY.md").read_text(encoding="utf-8"))}
    wrong += [f"{page.relative_to(ROOT)} is not in SUMMARY.md" for page in SOURCE.rglob("*.md") if page not in listed and page.name != "SUMMARY.md"]
    return checked, wrong


def staged(page, pages):
    """The text of a page as mdBook gets it."""
    text = page.read_text(encoding="utf-8")
    stands = STANDS_FOR.fullmatch(text)
    home = page
    if stands:
        home = (page.parent / stands[1]).resolve()
        text = home.read_text(encoding="utf-8")
    include = re.compile(r"\{\{#include ([^}]+)\}\}\n")
    text = include.sub(lambda found: (home.parent / found[1]).resolve().read_text(encoding="utf-8"), text)

    def follow(link):
        target = link["target"]
        if is_elsewhere(target) or target.startswith("#"):
            return link[0]
        path, mark, fragment = target.partition("#")
        place = (home.parent / unquote(path)).resolve()
        place = pages.get(place, place)
        if not place.is_relative_to(SOURCE) or place.name == "SUMMARY.md":
            return link["text"]
        if place.name == "README.md":
            place = place.with_name("index.html")  # mdBook's name for it
        return f"{link['mark']}[{link['text']}]({os.path.relpath(place, page.parent)}{mark}{fragment})"

    return outside_code(text, lambda part: LINK.sub(follow, part))


def stage(folder, gallery):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    pages = stand_ins()
    for page in (page for page in SOURCE.rglob("*.md") if page.name != "SUMMARY.md"):
        (folder / "src" / page.relative_to(SOURCE)).write_text(staged(page, pages), encoding="utf-8")
    for page in gallery.glob("*.html"):
        shutil.copy(page, folder / "src/gallery")


class Names(html.parser.HTMLParser):
    """The links and ids of a page."""

    def __init__(self):
        super().__init__()
        self.links, self.ids = [], set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def check_site(folder):
    """Every link of every page: does it lead to a file of the site, and to an id in it?"""
    pages = {}
    for path in folder.rglob("*.html"):
        # Pages of the gallery are files of their own; that they load nothing is tested elsewhere.
        if path.relative_to(folder).parts[0] != "gallery" or path.name == "index.html":
            pages[path] = Names()
            pages[path].feed(path.read_text(encoding="utf-8"))
    wrong, checked = [], 0
    for path, names in pages.items():
        for target in names.links:
            if is_elsewhere(target) or path.name in ("404.html", "toc.html"):
                continue
            checked += 1
            where, _, fragment = target.partition("#")
            place = (path.parent / unquote(where.partition("?")[0])).resolve() if where else path
            if not place.exists():
                wrong.append(f"{path.relative_to(folder)}: {target} is not there")
            elif fragment and place in pages and unquote(fragment) not in pages[place].ids:
                wrong.append(f"{path.relative_to(folder)}: {target}: no such heading")
    return checked, wrong


def main():
    match sys.argv[1:]:
        case ["sources"]:
            checked, wrong = check_sources()
        case ["stage", folder, gallery]:
            return stage(Path(folder), Path(gallery))
        case ["site", folder]:
            checked, wrong = check_site(Path(folder).resolve())
        case _:
            sys.exit(__doc__)
    for one in wrong:
        print(f"FAILED: {one}")
    print(f"{checked - len(wrong)} links lead somewhere, {len(wrong)} do not")
    sys.exit(1 if wrong or not checked else 0)


main()
