#!/usr/bin/env bash
# Mutated files and random option sets in numbers, by hand: 4,000 files for each of 14 readers and 10,000 sets of options in
# one process each (cargo-fuzz), then the most telling of these files through the built program.
#
#   ./scripts/hostile.sh [FILES_A_READER [OPTION_SETS [FILES_FOR_THE_PROGRAM]]]
#
# It fails on a panic, an abort, more than 20 seconds, or more memory than 10 times the file and 300 MB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

files=${1:-4000} sets=${2:-10000} through=${3:-40}
target=${CARGO_TARGET_DIR:-$PWD/target}
scratch=$target/test-tools/hostile
PATH=$target/test-tools/cargo/bin:$PATH
command -v cargo-fuzz >/dev/null || { echo "error: there is no cargo-fuzz; install it with \`cargo install cargo-fuzz --locked\`" >&2 && exit 1; }
longest=4096
megabytes=$((300 + 10 * longest / 1000000))

cargo build --release --quiet --workspace
cargo fuzz build -s none
bad=0 total=0
for source in fuzz/fuzz_targets/*.rs; do
    name=$(basename "$source" .rs) runs=$files
    if [ "$name" = options ]; then runs=$sets; fi
    rm -rf "${scratch:?}/$name" && mkdir -p "$scratch/$name"
    if cargo fuzz run -s none "$name" "$scratch/$name" "fuzz/corpus/$name" -- -runs="$runs" -seed=1 -max_len=$longest \
        -timeout=20 -rss_limit_mb=$megabytes >"$scratch/$name.log" 2>&1; then
        echo "$name: $(grep -E '^Done' "$scratch/$name.log"), $(grep -oE 'rss: [0-9]+Mb' "$scratch/$name.log" | tail -n 1)"
        total=$((total + runs))
    else
        bad=$((bad + 1))
        echo "$name FAILED (see $scratch/$name.log)"
    fi
done
echo "$total files and option sets in process, $bad targets failed"

# try NAME COMMAND FILE-NAME: the program on files of a target under the name that tells their format.
try() {
    local name=$1 command=$2 as=$3 file code place seconds
    place=$(mktemp -d)
    for file in $(find "$scratch/$name" -type f | sort | head -n "$through"); do
        cp "$file" "$place/$as"
        code=0 seconds=$SECONDS
        (ulimit -c 0 -t 20 && cd "$place" && eval "'$target/release/merit' $command" >out 2>err) || code=$?
        ran=$((ran + 1))
        if [ $code -gt 2 ] || grep -q 'panicked\|backtrace' "$place/err" || grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$place/out" "$place/err"; then
            wrong=$((wrong + 1))
            echo "exit $code after $((SECONDS - seconds)) s: merit $command on $file"
        fi
    done
    rm -rf "$place"
}

ran=0 wrong=0
for format in npy npz csv mtx mat; do try $format "factor x.$format --iterations 20 --quiet --json" x.$format; done
try texts_jsonl "topics x.jsonl --topics 2 --min-df 1" x.jsonl
try texts_csv "topics x.csv --topics 2 --min-df 1" x.csv
try texts_txt "topics x.txt --topics 2 --min-df 1" x.txt
try docword "topics docword.x.txt --topics 2" docword.x.txt
try ldac "topics x.ldac --topics 2" x.ldac
try edge_list "communities x.txt --communities 2" x.txt
try graphml "communities x.graphml --communities 2" x.graphml
echo "$ran files through the program, $wrong went wrong"
[ "$bad" -eq 0 ] && [ "$wrong" -eq 0 ]
