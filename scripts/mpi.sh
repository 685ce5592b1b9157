#!/usr/bin/env bash
# Real processes, started by mpirun: the same bytes as from one process, one message for an error, and an end for all when one of them
# is killed. Prints how many tests passed and failed.
#
#   scripts/mpi.sh prepare    builds `merit` with MPI; prints why, where that cannot be done
#   scripts/mpi.sh            the tests
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
tools=$target/test-tools
merit=$tools/merit-mpi
work=$tools/mpi
mpirun=(mpirun --oversubscribe --bind-to none)
[ "$(id -u)" = 0 ] && mpirun+=(--allow-run-as-root)

if [ "${1:-}" = prepare ]; then
    command -v mpicc >/dev/null && command -v mpirun >/dev/null || { echo "there is no mpicc or no mpirun" && exit 1; }
    timeout 60 "${mpirun[@]}" -n 2 true >/dev/null 2>&1 || { echo "mpirun cannot start two processes here" && exit 1; }
    mkdir -p "$tools"
    # The program as it is built for a test: what it depends on is there already, with the features that tests have.
    build=(cargo test --release --workspace --test main_job --no-run --quiet)
    "${build[@]}" --features merit-cli/mpi >"$tools/mpi.log" 2>&1 &&
        cp "$target/release/merit" "$merit" || { echo "merit cannot be built with MPI (see $tools/mpi.log)" && exit 1; }
    # What lies in the usual place is built as usual.
    "${build[@]}" >>"$tools/mpi.log" 2>&1
    exit
fi

passed=0 failed=0
rm -rf "$work" && mkdir -p "$work"

ok() { passed=$((passed + 1)); }
wrong() {
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$*"
}

# A run folder without what differs from run to run: times, memory, the command and the number of threads.
plain() {
    local file
    for file in "$1"/*; do
        case $file in
        */run.json) sed -E -e '/"command": \[/,/\]/d' -e '/"seconds": \{/,/\}/d' -e '/"(peak_rss_bytes|threads)"/d' "$file" ;;
        */trace.csv) cut -d, -f7 --complement "$file" ;;
        *) cat "$file" ;;
        esac | sha256sum | sed "s|-|$(basename "$file")|"
    done
}

# same PROCESSES COMMAND OPTION...: the folder of one process is that of so many.
same() {
    local counts=$1 ranks
    shift
    rm -rf "$work"/run-*
    "$merit" "$@" --quiet --threads 1 --output "$work/run-1" || { wrong "$*: one process ended with $?" && return; }
    for ranks in $counts; do
        "${mpirun[@]}" -n $ranks "$merit" "$@" --quiet --threads $((ranks % 2 + 1)) --output "$work/run-$ranks" ||
            { wrong "$*: $ranks processes ended with $?" && continue; }
        if diff <(plain "$work/run-1") <(plain "$work/run-$ranks") >"$work/diff"; then ok; else wrong "$*: $ranks processes differ: $(cat "$work/diff")"; fi
    done
}

# ring PROCESSES FILE OPTION...: the same where each process has its own columns of X only. Bytes are looked at first by a rule that
# counts pieces, so how often may differ.
ring() {
    local counts=$1 ranks file=$2
    shift 2
    rm -rf "$work"/run-*
    "$merit" factor "$file" "$@" --quiet --threads 1 --output "$work/run-1" || { wrong "$*: one process ended with $?" && return; }
    for ranks in $counts; do
        timeout 300 "${mpirun[@]}" -n $ranks "$merit" factor "$file" "$@" --memory-per-rank 1 --quiet --threads $((ranks % 2 + 1)) \
            --output "$work/run-$ranks" || { wrong "ring $*: $ranks processes ended with $?" && continue; }
        if diff <(plain "$work/run-1" | grep -v run.json) <(plain "$work/run-$ranks" | grep -v run.json) >"$work/diff" &&
            diff <(record "$work/run-1") <(record "$work/run-$ranks") >>"$work/diff"; then
            ok
        else
            wrong "ring $*: $ranks processes differ: $(cat "$work/diff")"
        fi
    done
}
record() { sed -E -e '/"command": \[/,/\]/d' -e '/"seconds": \{/,/\}/d' -e '/"(peak_rss_bytes|threads|byte_searches)"/d' "$1/run.json"; }

# ends CODE LINES PATTERN COMMAND...: four processes end with this code, and say this in so many lines of their own.
ends() {
    local code=$1 lines=$2 pattern=$3 status=0 said
    shift 3
    timeout 60 "${mpirun[@]}" -n 4 "$merit" "$@" >"$work/out" 2>"$work/err" || status=$?
    said=$(grep -cE '^(error|hint|interrupted|note): ' "$work/err")
    if [ $status -eq "$code" ] && [ "$said" -eq "$lines" ] && grep -qE "$pattern" "$work/err"; then
        ok
    else
        wrong "$*: ended with $status and $said lines: $(cat "$work/err")"
    fi
}

"$merit" generate dirichlet --rows 12 --cols 700 --rank 4 --snr 25 --seed 3 --quiet --output "$work/small"
"$merit" generate dirichlet --rows 50 --cols 6000 --rank 5 --snr 20 --seed 4 --quiet --output "$work/large"
"$merit" generate dirichlet --rows 600 --cols 2500 --rank 4 --snr 15 --seed 5 --quiet --output "$work/high"
"$merit" generate mmsb --nodes 600 --communities 3 --mean-degree 60 --seed 4 --quiet --output "$work/graph"
small=$work/small/X.npy large=$work/large/X.npy

same "2 3 4" factor "$small" --rank 4 --report "$work/page.html" --force
same "2 3 4" factor "$small" --iterations 40 --minimum-support 3
same "2 3 4" factor "$small" --rank 4 --regularization 0.1 --iterations 30 --init spa --residual-tolerance 0.05 --path
same "2 3" communities "$work/graph/edges.txt" --communities 3 --method merit
awk 'BEGIN { srand(1); for (d = 0; d < 400; d++) { for (i = 0; i < 20; i++) printf "word%d%c ", (i < 15 ? d : d + 1) % 5, 97 + int(12 * rand() * rand()); print "" } }' >"$work/texts.txt"
same "2 3" topics "$work/texts.txt" --topics 5 --method merit

# Each process has its columns of X: data whose columns are no multiple of a shard, with copies and zeros, by rows and by columns.
python3 - "$small" "$work" <<'PY'
import array, sys
def save(name, code, order, shape, values):
    text = f"{{'descr': '<f{array.array(code).itemsize}', 'fortran_order': {order}, 'shape': {shape}, }}"
    text = text.ljust(117) + "\n"
    with open(f"{work}/{name}.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + array.array(code, values).tobytes())
raw, work = open(sys.argv[1], "rb").read(), sys.argv[2]
x = array.array("d", raw[10 + int.from_bytes(raw[8:10], "little") :])
rows, cols = 12, 700
assert len(x) == rows * cols
save("by-rows", "d", False, (rows, cols), [x[l * rows + m] for m in range(rows) for l in range(cols)])
save("samples-in-rows", "f", False, (cols, rows), x)
for l in (5, 300, 650):
    x[l * rows : (l + 1) * rows] = array.array("d", [0.0] * rows)
x[400 * rows : 500 * rows] = x[: 100 * rows]
save("awkward", "d", True, (rows, cols), x)
x[600 * rows + 3] = float("nan")
save("bad", "d", True, (rows, cols), x)
PY
ring "2 3 4" "$small" --rank 4 --regularization 0.1 --iterations 30 --certificate off
ring "2 3 4" "$small" --rank 4 --certificate off
ring "4" "$small" --iterations 40 --certificate off --minimum-support 3
ring "2 3 4" "$work/awkward.npy" --rank 4 --certificate off
ring "3" "$work/awkward.npy" --rank 4 --regularization 0 --iterations 40 --certificate off
ring "2" "$work/by-rows.npy" --rank 4 --regularization paper --init spa --residual-tolerance 0.05 --normalize l1 --certificate off
ring "3" "$work/samples-in-rows.npy" --samples rows --rank 4 --regularization auto-fast --certificate off
ring "2 4" "$small" --rank 4 --method spa --weights nonnegative
ring "2 3 4" "$work/awkward.npy" --rank 4 --reduce pca:6 --certificate off
ring "3" "$work/high/X.npy" --rank 4 --iterations 20 --certificate off
ring "2" "$work/high/X.npy" --rank 4 --reduce pca:30 --iterations 20 --certificate off

# The published results, with their settings; one process is held against them elsewhere.
settings() {
    python3 - "$1" <<'PY'
import json, pathlib, sys
case = pathlib.Path(sys.argv[1])
if (case / "problem.json").exists():
    of = json.loads((case / "problem.json").read_text())
    options = ["--rank", of["K"], "--regularization", of["lam"] / 2, "--smoothing", of["eps"], "--start-iteration", of["iter_start"] - 1]
    options += ["--iterations", 100] + (["--init", case / "C0.npz"] if of["warm"] else [])
else:
    of = json.loads((case / "expected.json").read_text())
    options = ["--rank", len(of["anchors_zero_based"]), "--regularization", of["authors_lambda"] / 2, "--smoothing", of["mu"]]
    options += ["--iterations", of["steps"]]
print(*options)
PY
}
golden=(crates/merit/tests/golden/*/)
if [ -d ../shared/golden ]; then
    golden+=(../shared/golden/communities_*/)
else
    echo "skipped: the published networks with four processes: there is no ../shared/golden"
fi
for case in "${golden[@]}"; do same 4 factor "$case/X.npy" $(settings "$case") --certificate off; done

ends 1 1 'error: .*missing.npy' factor "$work/missing.npy" --rank 3
ends 2 1 '`--rank 9000`' factor "$small" --rank 9000 --output "$work/none"
ends 1 2 'bad.npy.*NaN' factor "$work/bad.npy" --rank 4 --memory-per-rank 1 --quiet
ends 2 2 'needs all of the matrix' factor "$small" --rank 4 --method exact --memory-per-rank 1 --quiet --output "$work/none"
"$merit" factor "$small" --memory-per-rank 1GB 2>"$work/err"
if [ $? -eq 2 ] && grep -q 'works alone' "$work/err"; then ok; else wrong "one process: $(cat "$work/err")"; fi
ends 2 2 '4 processes' generate dirichlet --output "$work/none"
ends 2 2 '4 processes' topics apply "$work/none" "$work/texts.txt"
[ -e "$work/none" ] && wrong "a command that failed left a folder"

# long SIGNAL NAME: sends the second of two processes a signal while they search; sets `status` and `seconds`.
long() {
    local run pids start
    "${mpirun[@]}" -n 2 "$merit" factor "$large" --rank 5 --regularization 0.01 --iterations 100000 --certificate off --threads 1 \
        --output "$work/$2" >"$work/out" 2>"$work/err" &
    run=$!
    for _ in $(seq 300); do
        sleep 0.1
        grep -q 'iteration' "$work/err" && break
    done
    pids=($(pgrep -P $run -f "$merit" | sort -n))
    start=$SECONDS
    kill "-$1" "${pids[-1]}"
    status=0
    wait $run || status=$?
    seconds=$((SECONDS - start))
}

long KILL killed
if [ $status -ne 0 ] && [ $seconds -le 15 ] && [ ! -e "$work/killed" ] && grep -qi 'killed' "$work/err"; then
    ok
else
    wrong "killed: ended with $status after $seconds s: $(cat "$work/err")"
fi
long TERM ended
if [ $status -eq 130 ] && [ $seconds -le 30 ] && grep -q '"stop_reason": "interrupted"' "$work/ended/run.json"; then
    ok
else
    wrong "asked to end: ended with $status after $seconds s: $(cat "$work/err")"
fi

# Killed, and gone on with by another number of processes, or by one; in a ring, by those that have their columns only.
job=(factor "$large" --rank 5 --regularization 0.01 --iterations 60 --certificate off --quiet --threads 1)
state=(--checkpoint "$work/state" --checkpoint-every 0s)
"$merit" "${job[@]}" --output "$work/whole" || wrong "a job ended with $?"
# All but run.json, which counts how the last of the processes searched; and how many columns were looked at, which a ring does not leave out.
results() {
    local file
    for file in "$1"/*; do
        case $file in
        */run.json) ;;
        */trace.csv) cut -d, -f1-6 "$file" ;;
        *) cat "$file" ;;
        esac | sha256sum | sed "s|-|$(basename "$file")|"
    done
}
# resumed BEFORE AFTER OPTION...: so many processes are killed, and so many go on.
resumed() {
    local before=$1 after=$2 run program=("${mpirun[@]}" -n "$2" "$merit")
    shift 2
    rm -rf "$work/resumed" "$work/state"
    "${mpirun[@]}" -n $before "$merit" "${job[@]}" "${state[@]}" "$@" --output "$work/resumed" >"$work/out" 2>"$work/err" &
    run=$!
    for _ in $(seq 600); do
        [ -e "$work/state/run-0000.npz" ] && break
        sleep 0.05
    done
    kill -KILL $(pgrep -P $run -f "$merit" | sort -n | tail -1)
    wait $run
    [ -e "$work/resumed" ] && wrong "a run that was killed left a folder"
    compgen -G "$work/state/run-0000*.npz" >/dev/null || wrong "a run that was killed left no state: $(cat "$work/err")"
    [ $after = 1 ] && program=("$merit") && set --
    "${program[@]}" "${job[@]}" "${state[@]}" --resume "$@" --output "$work/resumed" 2>"$work/err" || wrong "resumed: ended with $?: $(cat "$work/err")"
    if diff <(results "$work/whole") <(results "$work/resumed") && [ ! -e "$work/state" ] && [ ! -s "$work/err" ]; then
        ok
    else
        wrong "a run of $before that $after resumed differs ($*): $(cat "$work/err")"
    fi
}
resumed 2 3
resumed 2 3 --memory-per-rank 1
resumed 4 1 --memory-per-rank 1

printf '%s passed, %s failed\n' $passed $failed
[ $failed -eq 0 ]
