//! The library as C, Octave and Julia see it: the header compiles, and what comes back is what the Rust library gives.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where cargo puts the shared library that belongs to this test: beside it.
fn libraries() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_path_buf()
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

/// Compiles C with warnings as errors.
fn compile(compiler: &mut Command, source: &Path, result: &Path) {
    let compiled = compiler
        .args(["-Wall", "-Wextra", "-Werror", concat!("-I", env!("CARGO_MANIFEST_DIR"), "/include")])
        .arg(source)
        .arg(format!("-L{}", libraries().display()))
        .args(["-lmerit_capi", "-lm", "-o"])
        .arg(result)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}

/// Runs a program that finds the shared library.
fn output(program: &mut Command) -> Output {
    program.env("LD_LIBRARY_PATH", libraries()).output().unwrap()
}

/// Compiles a C program and runs it.
fn run(source: &Path) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    compile(Command::new("cc").arg("-std=c99"), source, &program);
    output(&mut Command::new(program))
}

/// Whether all of these programs are installed.
fn installed(programs: &[&str]) -> bool {
    programs
        .iter()
        .all(|program| Command::new(program).arg("--version").output().is_ok_and(|version| version.status.success()))
}

#[test]
fn the_example_prints_what_the_library_finds() {
    let output = run(&example("factor.c"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], concat!("Merit ", env!("CARGO_PKG_VERSION"), ": anchors 0 and 2"));
    assert_eq!(
        lines[1..5],
        [
            "column 0 is 1.00 and 0.00 of them",
            "column 1 is 0.50 and 0.50 of them",
            "column 2 is 0.00 and 1.00 of them",
            "column 3 is 0.25 and 0.75 of them",
        ]
    );
}

/// Everything that can go wrong says so with a code and words, and nothing crashes.
const ERRORS: &str = r#"
#include <merit.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int code, int expected, const char *words, merit_run *run) {
    if (code != expected || run || !strstr(merit_last_error(), words)) {
        printf("code %d instead of %d, `%s` instead of `%s`\n", code, expected, merit_last_error(), words);
        failures++;
    }
}

int main(void) {
    double x[] = {1, 0, 0.5, 0.5, 0, 1};
    merit_run *run = NULL;
    expect(merit_factor(NULL, 2, 3, "rank=2", &run), MERIT_BAD_SETTING, "`x` is NULL", run);
    expect(merit_factor(x, 2, 3, "rank=2", NULL), MERIT_BAD_SETTING, "`run` is NULL", NULL);
    expect(merit_factor(x, 0, 3, "rank=2", &run), MERIT_BAD_DATA, "0 x 3", run);
    expect(merit_factor(x, (size_t)-1, 3, "rank=2", &run), MERIT_BAD_SETTING, "more than memory", run);
    expect(merit_factor(x, 2, 3, "rank", &run), MERIT_BAD_SETTING, "`name=value` is expected", run);
    expect(merit_factor(x, 2, 3, "ranks=2", &run), MERIT_BAD_SETTING, "ranks", run);
    expect(merit_factor(x, 2, 3, "iterations=0", &run), MERIT_BAD_SETTING, "iterations", run);
    expect(merit_factor(x, 2, 3, "rank=2; method=\xff", &run), MERIT_BAD_SETTING, "not UTF-8", run);
    expect(merit_factor(x, 2, 3, "rank=7", &run), MERIT_BAD_DATA, "7", run);
    expect(merit_solve(x, 2, 3, -1.0, NULL, &run), MERIT_BAD_SETTING, "regularization", run);
    x[3] = NAN;
    expect(merit_factor(x, 2, 3, "rank=2", &run), MERIT_BAD_DATA, "NaN", run);
    expect(merit_solve(x, 2, 3, 0.1, NULL, &run), MERIT_BAD_DATA, "NaN", run);
    x[3] = 0.5;
    if (merit_solve(x, 2, 3, 0.001, "iterations=50", &run) != MERIT_OK || merit_rank(run) != 0) failures++;
    size_t starts[4], count = merit_c_nonzeros(run);
    uint32_t rows[9];
    double values[9], sum = 0;
    merit_c(run, starts, rows, values);
    for (size_t i = starts[1]; i < starts[2]; i++) sum += values[i];
    if (count > 9 || starts[3] != count || fabs(sum - 1) > 1e-12 || !(merit_gap(run) >= 0)) failures++;
    merit_free(run);
    merit_free(NULL);
    merit_anchors(NULL, NULL);
    if (merit_rank(NULL) != 0 || !isnan(merit_objective(NULL)) || strlen(merit_notes(NULL)) != 0) failures++;
    return failures;
}
"#;

#[test]
fn errors_are_codes_and_words() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("errors.c");
    std::fs::write(&source, ERRORS).unwrap();
    let output = run(&source);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// What the examples print in languages that count from 1.
const COUNTED_FROM_ONE: [&str; 5] = [
    "anchors 1 and 3",
    "column 1 is 1.00 and 0.00 of them",
    "column 2 is 0.50 and 0.50 of them",
    "column 3 is 0.00 and 1.00 of them",
    "column 4 is 0.25 and 0.75 of them",
];

fn check_example(output: &Output) {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..5], COUNTED_FROM_ONE);
    assert!(lines[5].starts_with("objective 0.00") && lines[5].contains(", gap 0.0"), "{}", lines[5]);
}

/// What can go wrong has an identifier and words; anchors are columns of X; notes are warnings.
const OCTAVE: &str = r"
X = [1 0.5 0 0.25; 0 0.5 1 0.75];
calls = {{}, {sparse(X), 2}, {single(X), 2}, {i * X, 2}, {X, 'two'}, {X, 2, 7}, {X, 2.5}, {X, 2, 'ranks=1'}, {X, 7}, {[1 NaN], 1}};
words = {'type', 'full', 'double', 'real', 'K', 'text', '2.5', 'ranks', '7', 'NaN'};
for c = 1:numel(calls)
    try
        merit_factor(calls{c}{:});
        error('test:none', 'call %d does not fail', c);
    catch problem
        expected = 'merit:usage';
        if c > 8, expected = 'merit:data'; end
        assert(problem.identifier, expected);
        assert(! isempty(strfind(problem.message, words{c})), problem.message);
    end
end
[anchors, W, H] = merit_factor(X, 2, 'method=spa');
assert(W, X(:, anchors));
assert(W * H, X, 1e-6);
anchors = merit_factor(X, [], 'method=spa');
[words, identifier] = lastwarn();
assert(identifier, 'merit:note');
";

#[test]
fn octave_calls_it() {
    if !installed(&["octave-cli", "mkoctfile"]) {
        println!("skipped: Merit in Octave: octave-cli or mkoctfile is missing (packages octave and octave-dev)");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    compile(
        Command::new("mkoctfile").arg("--mex").current_dir(&folder),
        &example("merit_factor.c"),
        &folder.path().join("merit_factor.mex"),
    );
    let octave = || {
        let mut program = Command::new("octave-cli");
        program.args(["--norc", "--quiet"]).current_dir(&folder);
        program
    };
    check_example(&output(octave().arg(example("factor.m"))));
    let problems = output(octave().args(["--eval", OCTAVE]));
    assert!(problems.status.success(), "{}", String::from_utf8_lossy(&problems.stderr));
}

#[test]
fn julia_calls_it() {
    if !installed(&["julia"]) {
        println!("not run: the example in Julia, which is not installed");
        return;
    }
    check_example(&output(Command::new("julia").args(["--startup-file=no"]).arg(example("factor.jl"))));
}
