#!/usr/bin/env bash
# Every check there is: format, lints, unit, property, golden, command-line, doc and browser tests, the documentation, some seconds
# of every fuzz target, and what comes in with dependencies.
#
#   ./scripts/test.sh
#   ./scripts/test.sh --quick      for daily work, in a minute or two: format, unit tests, the quickest of the others, a run
#
# What is missing (Python packages, Octave, a browser and its driver) is installed into target/test-tools, or by apt-get where we
# may. What cannot be installed is skipped with its reason; with CI=true that is a failure. The last line counts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
tools=$target/test-tools
log=$tools/log
mkdir -p "$tools"
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
# Property tests draw the same cases each time here; `cargo test` by hand draws new ones.
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-1}

passed=0 failed=0
problems=()

say() { printf '\n== %s\n' "$*"; }

problem() {
    failed=$((failed + 1))
    problems+=("FAILED: $1")
    printf 'FAILED: %s\n' "$1"
}

skip() {
    printf 'skipped: %s\n' "$1"
    if [ "${CI:-}" = true ]; then problem "with CI=true nothing may be skipped: $1"; else problems+=("skipped: $1"); fi
}

# check NAME COMMAND...: a command that must succeed; its failure is counted, and returned to whoever wants to know.
check() {
    local name=$1 start=$SECONDS
    shift
    say "$name"
    if "$@"; then printf '(%s s)\n' $((SECONDS - start)); else problem "$name" && return 1; fi
}

# counted NAME COMMAND...: a command that must succeed and that says how many of its tests passed and failed.
counted() {
    local name=$1 start=$SECONDS good=0 bad=0 status=0
    shift
    say "$name"
    "$@" 2>&1 | tee "$log" || status=$?
    good=$(sum '[0-9]+ passed')
    bad=$(sum '[0-9]+ failed')
    passed=$((passed + good)) failed=$((failed + bad))
    if [ "$bad" -gt 0 ]; then
        problems+=("FAILED: $name ($bad of $((good + bad)))")
    elif [ $status -ne 0 ] || [ "$good" -eq 0 ]; then
        problem "$name"
    fi
    printf '(%s s)\n' $((SECONDS - start))
}

# The sum of the numbers that lines with a count of tests give for $1.
sum() {
    { grep -E '^(test result: .*|[0-9]+ passed, [0-9]+ failed$)' "$log" || true; } |
        { grep -oE "$1" || true; } | awk '{ total += $1 } END { print total + 0 }'
}

updated=
# apt PACKAGE...: installs them, if this user may.
apt() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    if [ -z "$updated" ]; then
        updated=yes
        apt-get update -q >"$tools/apt.log" 2>&1 || true
    fi
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" >>"$tools/apt.log" 2>&1
}

# Octave and its compiler (30 s where most libraries are there already); the tests that need them say so if they are missing.
find_octave() {
    command -v octave-cli >/dev/null && command -v mkoctfile >/dev/null || apt octave octave-dev || true
}

has_numpy() { "$1" -c 'import numpy, scipy.sparse' 2>/dev/null; }

# Sets MERIT_PYTHON to an interpreter with NumPy and SciPy.
find_python() {
    if [ -n "${MERIT_PYTHON:-}" ]; then return 0; fi
    local venv=$tools/venv
    if ! has_numpy "$venv/bin/python"; then
        command -v python3 >/dev/null || apt python3 || true
        command -v python3 >/dev/null || { skip "tests with NumPy and SciPy: there is no python3" && return 0; }
        rm -rf "$venv"
        if ! python3 -m venv "$venv" >"$tools/venv.log" 2>&1; then
            rm -rf "$venv"
            apt python3-venv && python3 -m venv "$venv" >"$tools/venv.log" 2>&1 ||
                { skip "tests with NumPy and SciPy: python3 cannot make an environment (see $tools/venv.log)" && return 0; }
        fi
        "$venv/bin/python" -m pip install -q --disable-pip-version-check --only-binary :all: \
            'numpy==2.2.6; python_version < "3.14"' 'scipy==1.15.3; python_version < "3.14"' \
            'numpy==2.3.5; python_version >= "3.14"' 'scipy==1.16.3; python_version >= "3.14"' >"$tools/pip.log" 2>&1 || true
    fi
    if has_numpy "$venv/bin/python"; then
        export MERIT_PYTHON=$venv/bin/python
    else
        skip "tests with NumPy and SciPy: they cannot be installed (see $tools/pip.log)"
    fi
}

find_chromium() {
    if [ -n "${CHROMIUM:-}" ]; then return 0; fi
    command -v chromium || command -v chromium-browser || command -v google-chrome
} >/dev/null

# Whether pages can be opened; sets MERIT_NODE_MODULES.
find_browser() {
    local folder=$tools/node
    command -v node >/dev/null && command -v npm >/dev/null || apt nodejs npm || true
    command -v node >/dev/null || { skip "browser tests: there is no node" && return 1; }
    find_chromium || apt chromium || true
    find_chromium || { skip "browser tests: there is no Chromium and it cannot be installed" && return 1; }
    if [ -n "${MERIT_NODE_MODULES:-}" ]; then return 0; fi
    if ! cmp -s tests/browser/package.json "$folder/package.json" || [ ! -d "$folder/node_modules/playwright-core" ]; then
        rm -rf "$folder" && mkdir -p "$folder" && cp tests/browser/package.json "$folder/"
        npm install --prefix "$folder" --omit=dev --no-package-lock --no-audit --no-fund >"$tools/npm.log" 2>&1 ||
            { rm -rf "$folder" && skip "browser tests: playwright-core cannot be installed (see $tools/npm.log)" && return 1; }
    fi
    export MERIT_NODE_MODULES=$folder/node_modules
}

# texts TOPICS DOCUMENTS: made-up documents, one JSON object per line. Each has 12 words of its own topic and 4 of another one; the
# words of topic 0 are word0a, word0b, ..., the earlier ones more often.
texts() {
    awk -v topics="$1" -v documents="$2" 'BEGIN {
        seed = 1
        for (d = 0; d < documents; d++) {
            text = ""
            for (i = 0; i < 16; i++) {
                seed = (seed * 16807) % 2147483647
                u = seed / 2147483647
                topic = i < 12 ? d % topics : (d + 1 + int(d / topics) % (topics - 1)) % topics
                text = text " word" topic substr("abcdefghijkl", 1 + int(12 * u * u), 1)
            }
            printf "{\"name\": \"letter <%d>\", \"body\": \"Dear & old%s.\", \"kind\": \"kind <%d>\", \"day\": \"%d-05-17\"}\n",
                d, text, d % topics, 2000 + d % 7
        }
    }'
}

# Pages of real runs and of made-up ones, each beside what a browser should find in it.
make_pages() {
    local merit=$target/release/merit sample=$target/release/examples/sample variant name
    rm -rf "$pages" && mkdir -p "$pages"
    for variant in usual ternary large nasty rank40 bare spa; do
        "$sample" "$pages/sample-$variant.html" "$variant" || return 1
    done
    "$merit" demo --quiet --report "$pages/demo.html" &&
        "$merit" generate dirichlet --rows 30 --cols 300 --rank 3 --snr 20 --quiet --output "$pages/three" &&
        "$merit" factor "$pages/three/X.npy" --rank 3 --quiet --report "$pages/three.html" &&
        "$merit" factor "$pages/three/X.npy" --rank 3 --method spa --quiet --report "$pages/direct.html" &&
        "$merit" generate midpoints --snr 12 --quiet --output "$pages/twenty" &&
        "$merit" factor "$pages/twenty/X.npy" --normalize l1 --quiet --report "$pages/twenty.html" &&
        texts 5 300 >"$pages/five.jsonl" && texts 50 3000 >"$pages/fifty.jsonl" || return 1
    "$merit" topics "$pages/five.jsonl" --topics 5 --text-field body --name-field name --label-field kind --time-field day --quiet --report "$pages/topics-five.html" &&
        "$merit" topics "$pages/fifty.jsonl" --topics 50 --text-field body --name-field name --quiet --report "$pages/topics-fifty.html" &&
        "$merit" topics "$pages/five.jsonl" --topics 2,3 --text-field body --name-field name --quiet --report "$pages/topics-two.html" || return 1
    for name in demo three direct twenty topics-five topics-fifty topics-two; do
        cp "tests/browser/$name.expect.json" "$pages/" || return 1
    done
}

# Every example program, as the tests have built it, and a word that its output must have.
run_examples() {
    local example name word output
    for example in matrix:anchors methods:MERIT observer:interrupted topics:anchor communities:gil; do
        IFS=: read -r name word <<<"$example"
        output=$("$target/release/examples/$name") || return 1
        printf '%s\n' "$output"
        [[ $output == *"$word"* ]] || return 1
    done
}

# Pages of graphs.
make_graph_pages() {
    local merit=$target/release/merit name
    "$merit" communities docs/karate.txt --communities 2 --published --truth docs/karate-clubs.txt --quiet --report "$pages/karate.html" || return 1
    for name in 3 6; do
        "$merit" generate mmsb --nodes $((200 * name)) --communities $name --mean-degree $((20 * name)) --concentration 0.2 \
            --between 0.05 --seed 4 --quiet --output "$pages/mixed-$name" &&
            "$merit" communities "$pages/mixed-$name/edges.txt" --communities $name --method merit --quiet --report "$pages/mixed-$name.html" || return 1
    done
    for name in karate mixed-3 mixed-6; do
        cp "tests/browser/$name.expect.json" "$pages/" || return 1
    done
}

# The page of an image.
make_image_pages() {
    local merit=$target/release/merit
    "$merit" generate cube --lines 41 --samples 51 --bands 60 --endmembers 4 --dead-bands 4 --seed 2 --quiet --output "$pages/scene" &&
        "$merit" unmix "$pages/scene/cube.hdr" --endmembers 4 --truth "$pages/scene" --quiet --report "$pages/unmix.html" &&
        cp tests/browser/unmix.expect.json "$pages/"
}

# tool NAME: whether `cargo NAME` can be run; looks in target/test-tools too, and installs it there if asked with `install`.
tool() {
    PATH=$tools/cargo/bin:$PATH
    command -v "cargo-$1" >/dev/null && return
    [ "${2:-}" = install ] && cargo install "cargo-$1" --locked --quiet --root "$tools/cargo" >"$tools/$1.log" 2>&1
}

# Seconds for each fuzz target at most; there are 17.
fuzz_seconds=${FUZZ_SECONDS:-6}
# The same inputs each time; another number draws others.
fuzz_seed=${FUZZ_SEED:-1}

# Some seconds of every fuzz target, from the seeds in fuzz/corpus; what it finds stays in fuzz/artifacts.
fuzz() {
    local target
    for target in fuzz/fuzz_targets/*.rs; do
        target=$(basename "$target" .rs)
        mkdir -p "$tools/fuzz/$target"
        cargo fuzz run -s none "$target" "$tools/fuzz/$target" "fuzz/corpus/$target" -- \
            -seed="$fuzz_seed" -runs=3000 -max_total_time="$fuzz_seconds" -timeout=20 -rss_limit_mb=2048 >"$tools/fuzz/$target.log" 2>&1 ||
            { tail -n 40 "$tools/fuzz/$target.log" && echo "fuzz target $target failed" && return 1; }
        grep -E '^Done' "$tools/fuzz/$target.log" | sed "s/^Done/$target:/"
    done
}

# The tests outside the libraries that find most for the seconds they take.
quick_tests=(exact golden least_squares methods settings shell options record bad_input round_trips pipeline shapes images page)

# One run of the program that was built for the tests, on data with a known answer.
run_once() {
    local folder status=0
    folder=$(mktemp -d)
    "$target/release/merit" factor docs/juices.csv --samples rows --output "$folder/juices" --report "$folder/juices.html" |
        tee "$folder/printed" && grep -q '^anchors .*orange.*carrot.*apple' "$folder/printed" && [ -s "$folder/juices.html" ] || status=1
    rm -r "$folder"
    return $status
}

quick() {
    # What has changed since the last time is compiled, and nothing else.
    export CARGO_INCREMENTAL=${CARGO_INCREMENTAL:-1}
    check "format" cargo fmt --all --check || true
    counted "unit tests, and the quickest of the others" \
        cargo test --release --workspace --no-fail-fast --lib --bin merit "${quick_tests[@]/#/--test=}"
    check "a run" run_once || true
}

summary() {
    say "summary after $SECONDS s"
    if [ ${#problems[@]} -gt 0 ]; then printf '%s\n' "${problems[@]}"; fi
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

command -v cargo >/dev/null || { echo "error: there is no cargo; install Rust first" >&2 && exit 1; }
case ${1:-} in
    "") ;;
    --quick) quick && summary && exit 0 || exit 1 ;;
    *) echo "error: there is no option $1; type $0 or $0 --quick" >&2 && exit 2 ;;
esac
find_python
find_octave
check "format" cargo fmt --all --check || true
check "lints" cargo clippy --workspace --all-targets --release -- -D warnings || true
check "documentation" env RUSTDOCFLAGS="-D warnings" cargo doc --release --no-deps --workspace --quiet || true
# What was built before is not what is to be tested.
if check "build" cargo test --release --workspace --no-run --quiet; then
    # --show-output, so that a test which skips says why.
    counted "unit, property, golden, command-line and doc tests" \
        cargo test --release --workspace --no-fail-fast -- --show-output
    while read -r reason; do problems+=("$reason"); done < <(grep '^skipped: ' "$log" | sort -u)
    check "examples" run_examples || true
    if reason=$(scripts/python.sh prepare); then
        counted "Python package" scripts/python.sh
    else
        skip "Python package: ${reason:-it cannot be prepared}"
    fi
    if reason=$(scripts/docs.sh prepare); then
        counted "documentation: reference, links, commands, site" scripts/docs.sh
    else
        skip "documentation: ${reason:-it cannot be prepared}"
    fi
    command -v mpicc >/dev/null && command -v mpirun >/dev/null || apt libopenmpi-dev openmpi-bin || true
    if reason=$(scripts/mpi.sh prepare); then
        counted "several processes: MPI" scripts/mpi.sh
    elif [[ $reason == *mpirun* ]]; then
        # Not every machine has an mpirun that may start processes: that says nothing about merit.
        printf 'skipped: several processes: %s\n' "$reason"
        problems+=("skipped: several processes: $reason")
    else
        problem "several processes: $reason"
    fi
    pages=$tools/pages
    if find_browser && check "pages for the browser" make_pages && check "pages of graphs" make_graph_pages && check "pages of images" make_image_pages; then
        for page in "$pages"/*.html; do
            counted "browser: $(basename "$page")" node tests/browser/report.mjs "$page" \
                --expect "${page%.html}.expect.json" --screenshots "$tools/screenshots"
        done
    fi
fi

if ! tool fuzz install; then
    skip "fuzzing: cargo-fuzz cannot be installed (see $tools/fuzz.log)"
elif check "fuzz targets" cargo fuzz build -s none; then
    check "fuzzing" fuzz || true
fi
# It takes many minutes to build, so it is not installed here.
if tool deny; then
    check "licenses, bans and sources of dependencies" cargo deny --all-features check licenses bans sources || true
else
    say "licenses, bans and sources of dependencies: not checked, because there is no cargo-deny (cargo install cargo-deny --locked)"
fi

summary
