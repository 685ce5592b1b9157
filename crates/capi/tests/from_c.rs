//! The library as C sees it: the header compiles, and what comes back is what the Rust library gives.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where cargo puts the shared library that belongs to this test: beside it.
fn libraries() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_path_buf()
}

/// Compiles a C program with warnings as errors, and runs it.
fn run(source: &Path) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let compiled = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(include)
        .arg(source)
        .arg("-L")
        .arg(libraries())
        .args(["-lmerit_capi", "-lm", "-o"])
        .arg(&program)
        .output()
        .expect("cc, which also links Rust programs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    Command::new(&program).env("LD_LIBRARY_PATH", libraries()).output().unwrap()
}

#[test]
fn the_example_prints_what_the_library_finds() {
    let output = run(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/factor.c"));
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
