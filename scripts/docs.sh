#!/usr/bin/env bash
# The documentation: is the reference what the program says, do all links lead somewhere, does every command on every page run and print
# what the page shows; then the pages as a site with search, target/book/index.html.
#
#   ./scripts/docs.sh
#   ./scripts/docs.sh prepare      installs what is missing only; where that cannot be done, says why and exits with 75
#
# Needs the built program and the Python package (scripts/python.sh installs it). mdBook and the texts of the examples go into
# target/test-tools. MERIT and MERIT_DOCS_PYTHON name another program and Python.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
tools=$target/test-tools
merit=${MERIT:-$target/release/merit}
python=${MERIT_DOCS_PYTHON:-$tools/python-venv/bin/python}
news=$tools/news/lee.txt
mdbook_version=0.5.4
PATH=$tools/cargo/bin:$PATH
mkdir -p "$tools"

cannot() { echo "$*" && exit 75; }

# The Lee corpus, 300 news stories: test data of gensim. Only the archive is fetched, so any processor will do.
fetch_news() {
    local folder=$tools/news
    [ -s "$news" ] && return
    rm -rf "$folder" && mkdir -p "$folder"
    "$python" -m pip download -q --disable-pip-version-check --retries 5 --no-deps --only-binary :all: --python-version 3.11 \
        --platform manylinux_2_28_x86_64 --dest "$folder" gensim==4.4.0 >"$tools/news.log" 2>&1 || return 1
    "$python" - "$folder"/gensim-*.whl "$news" <<'PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel, open(sys.argv[2], "wb") as texts:
    texts.write(wheel.read("gensim/test/test_data/lee_background.cor"))
PYTHON
    rm -f "$folder"/*.whl
}

[ -x "$python" ] || cannot "there is no Python package: run scripts/python.sh first"
if [ "$(mdbook --version 2>/dev/null)" != "mdbook v$mdbook_version" ]; then
    cargo install mdbook --locked --quiet --version $mdbook_version --no-default-features --features search --root "$tools/cargo" >"$tools/mdbook.log" 2>&1 ||
        cannot "mdBook cannot be installed (see $tools/mdbook.log)"
fi
fetch_news || cannot "the texts of the examples cannot be fetched (see $tools/news.log)"
[ "${1:-}" != prepare ] || exit 0

status=0
# step NAME COMMAND...: counts as a test; what follows runs all the same.
step() {
    local name=$1
    shift
    if "$@"; then echo "1 passed, 0 failed" && echo; else echo "$name went wrong" && echo "0 passed, 1 failed" && status=1; fi
}

gallery=$tools/gallery stage=$tools/book
rm -rf "$gallery" "$target/book" && mkdir -p "$gallery"
step "the reference" "$python" scripts/reference.py "$merit" --check
step "links of the sources" "$python" scripts/book.py sources
"$python" scripts/run_docs.py --merit "$merit" --news "$news" --gallery "$gallery" || status=1
"$python" scripts/book.py stage "$stage" "$gallery"
step "the book" mdbook build "$stage" --dest-dir "$target/book"
step "links of the site" "$python" scripts/book.py site "$target/book"
echo "site: $target/book/index.html ($(du -sh "$target/book" | cut -f 1))"
exit $status
