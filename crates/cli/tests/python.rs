//! As a new user would: files made with NumPy and SciPy, results opened with them.
//!
//! Runs when the environment variable `MERIT_PYTHON` names an interpreter with NumPy and SciPy; with `CI=true` it must.

mod support;

use std::path::Path;
use std::process::Command;
use support::*;

#[test]
fn files_of_numpy_and_scipy_there_and_back() {
    let Ok(python) = std::env::var("MERIT_PYTHON") else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI, but MERIT_PYTHON names no Python interpreter");
        println!("skipped: MERIT_PYTHON does not name a Python interpreter with NumPy and SciPy");
        return;
    };
    let sandbox = Sandbox::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/new_user.py");
    let run = |what: &str, runs: &[&str]| {
        let output = Command::new(&python).arg(&script).arg(what).arg(sandbox.path("")).args(runs).output().unwrap();
        assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
    };
    run("make", &[]);
    for format in ["npy", "csv", "npz"] {
        let summary = sandbox.factor(&format!("x.{format}"), "--rank 6", format);
        assert_eq!(summary["input"]["sparse"], format == "npz");
    }
    run("check", &["npy", "csv", "npz"]);
}
