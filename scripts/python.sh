#!/usr/bin/env bash
# The Python package: builds wheel and sdist, installs the wheel into an environment of its own, and runs its tests, doctests and
# examples there, and mypy over what users write.
#
#   ./scripts/python.sh
#   ./scripts/python.sh prepare      makes the environment only; where that cannot be done, says why and exits with 75
#
# Needs Rust, python3 and pip; everything else goes into target/test-tools.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
tools=$target/test-tools
venv=$tools/python-venv
python=$venv/bin/python
# What the tests were written with; where a Python is too old for these, pip may choose.
packages=(maturin==1.16.0 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 pandas==3.1.1 polars==2.1.0 networkx==3.6.1 tqdm==4.70.1
    pytest==9.2.0 mypy==2.4.1 joblib==1.6.0)
mkdir -p "$tools"

cannot() { echo "$*" && exit 75; }

installed() { "$python" -c 'import maturin, numpy, scipy, sklearn, pandas, polars, networkx, tqdm, pytest, mypy' 2>/dev/null; }

install() { "$python" -m pip install -q --disable-pip-version-check --retries 5 "$@" >"$tools/python-pip.log" 2>&1; }

if ! installed; then
    command -v python3 >/dev/null || cannot "there is no python3"
    rm -rf "$venv"
    python3 -m venv "$venv" >"$tools/python-venv.log" 2>&1 || {
        rm -rf "$venv"
        # Debian keeps venv in a package of its own.
        [ "$(id -u)" = 0 ] && apt-get install -q -y --no-install-recommends python3-venv >>"$tools/python-venv.log" 2>&1 &&
            python3 -m venv "$venv" >>"$tools/python-venv.log" 2>&1
    } || cannot "python3 cannot make an environment (see $tools/python-venv.log)"
    install --only-binary :all: "${packages[@]}" || install --only-binary :all: "${packages[@]%%==*}" ||
        cannot "the packages cannot be installed (see $tools/python-pip.log)"
fi
[ "${1:-}" != prepare ] || exit 0

wheels=$tools/wheels
# With --sdist the wheel is built from the sdist, unpacked elsewhere: that it can be is tested too. Its files are dated long ago, so what
# an earlier build left in a common folder would be taken for newer.
rm -rf "$wheels"
env -u CARGO_TARGET_DIR "$venv/bin/maturin" build --release --locked --sdist --strip --compression-level 9 --out "$wheels" >"$tools/maturin.log" 2>&1 ||
    { tail -n 40 "$tools/maturin.log" && echo "0 passed, 1 failed" && exit 1; }
wheel=$(ls "$wheels"/*.whl) sdist=$(ls "$wheels"/*.tar.gz)
case $wheel in *-cp310-abi3-*) ;; *) echo "$wheel is not for Python 3.10 and later" && exit 1 ;; esac
size=$(wc -c <"$wheel")
echo "$(basename "$wheel"): $size bytes; $(basename "$sdist"): $(wc -c <"$sdist") bytes"
[ "$size" -lt 8000000 ] || { echo "the wheel has more than 8 MB" && exit 1; }
"$python" -m pip install -q --disable-pip-version-check --no-deps --force-reinstall "$wheel" >"$tools/python-pip.log" 2>&1

# From an empty folder, so that the package is the installed one.
work=$tools/python-work
rm -rf "$work" && mkdir -p "$work" && root=$PWD && cd "$work"
package=$("$python" -c 'import merit_nmf, os; print(os.path.dirname(merit_nmf.__file__))')
case $package in "$venv"/*) ;; *) echo "merit_nmf is not the installed one, but $package" && exit 1 ;; esac
status=0
run() {
    "$@" >"$tools/python.log" 2>&1 || status=1
    sed -E 's/^(=+ )?(([0-9]+) failed, )?([0-9]+) passed.*/COUNT \3 \4/' "$tools/python.log" |
        awk '/^COUNT/ { if (NF == 3) print $3 " passed, " $2 " failed"; else print $2 " passed, 0 failed"; next } { print }' |
        tail -n "${lines:-60}"
}
run "$python" -m pytest -q -p no:cacheprovider -c "$root/pyproject.toml" --rootdir "$root" "$root/python/tests"
run "$python" -m pytest -q -p no:cacheprovider -c /dev/null --rootdir "$package" --doctest-modules "$package" --ignore "$package/__main__.py"
for example in "$root"/python/examples/*.py; do
    echo "example $(basename "$example")"
    if "$python" "$example" >"$tools/example.log" 2>&1; then
        echo "1 passed, 0 failed"
    else
        tail -n 20 "$tools/example.log" && echo "0 passed, 1 failed" && status=1
    fi
done
echo "mypy --strict"
if "$python" -m mypy --strict --config-file "$root/pyproject.toml" "$root/python/examples" "$root/python/merit_nmf"; then
    echo "1 passed, 0 failed"
else
    echo "0 passed, 1 failed" && status=1
fi
exit $status
