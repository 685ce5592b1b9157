//! The authors' program's results: those of `tests/golden`, and of the published networks in the folder `shared/golden`
//! beside the project, which are skipped where that is absent.
//!
//! Two independent implementations agree with these values to 8e-16, so 1e-9 leaves room for rounding and for nothing else.

#![allow(non_snake_case)]

mod support;

use merit::solver::{FeasibleColumns, KernelChoice, Pruning, Settings, Solution, Start, solve};
use merit::{DenseMatrix, SparseColumns};
use merit_dataset::{ReadOptions, read};
use merit_linalg::kernels::Kernel;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use support::{bits, dense, largest_difference};

/// The problems that this project made, all of them.
fn problems() -> Vec<PathBuf> {
    let cases = cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden"), "p");
    assert_eq!(cases.len(), 5, "{cases:?}");
    cases
}

/// The networks, whose data are not part of the project.
fn networks() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden");
    if !folder.is_dir() {
        println!("skipped: there is no `shared/golden` beside the project");
        return Vec::new();
    }
    cases(&folder, "communities")
}

/// The folders of `folder` whose names begin with `prefix`.
fn cases(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let starts = |name: &OsStr| name.to_string_lossy().starts_with(prefix);
    let mut cases: Vec<PathBuf> = entries.filter(|e| starts(&e.file_name())).map(|e| e.path()).collect();
    cases.sort();
    assert!(!cases.is_empty(), "{folder:?} has no case {prefix}*");
    cases
}

fn matrix(path: &Path) -> DenseMatrix {
    // The reader refuses all-zero matrices and the like; none of these is.
    read(path, &ReadOptions::default()).unwrap().matrix.into_dense()
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn run(case: &Path, problem: &Value, iterations: usize, kernel: KernelChoice, pruning: Pruning) -> Solution {
    let settings = Settings {
        smoothing: problem["eps"].as_f64().unwrap(),
        iterations,
        start_iteration: Some(problem["iter_start"].as_u64().unwrap() as usize - 1),
        kernel,
        pruning,
        ..Default::default()
    };
    let start = if problem["warm"].as_bool().unwrap() {
        let C0 = matrix(&case.join("C0.npz"));
        let columns = SparseColumns::from_columns(C0.cols(), |l, entries| {
            entries.extend(C0.col(l).iter().enumerate().map(|(n, &value)| (n as u32, value)));
        });
        Start::Columns(FeasibleColumns::new(columns).unwrap())
    } else {
        Start::Zero
    };
    let lambda = problem["lam"].as_f64().unwrap() / 2.0; // theirs has no 1/2 in the objective
    solve(&matrix(&case.join("X.npy")).into(), start, &settings.at(lambda).unwrap(), &mut ())
}

#[test]
fn iterates_objective_and_gap_of_the_authors_program() {
    for case in problems() {
        let (problem, result) = (json(&case.join("problem.json")), json(&case.join("result.json")));
        for T in [1, 5, 100] {
            let solution = run(&case, &problem, T, KernelChoice::Fastest, Pruning::Measured);
            let difference = largest_difference(&dense(&solution.c), &matrix(&case.join(format!("C_T{T}.npz"))));
            assert!(difference <= 1e-9, "{case:?} T = {T}: C differs by {difference:e}");
            let expected = &result["per_T"][T.to_string()];
            for (found, name) in [(solution.objective, "obj"), (solution.gap.unwrap(), "gap_at_final_C")] {
                let half = expected[name].as_f64().unwrap() / 2.0;
                assert!((found - half).abs() <= 1e-9 * half.abs(), "{case:?} T = {T}: {name} {found} against {half}");
            }
        }
    }
}

#[test]
fn every_kernel_gives_the_bits_of_the_scalar_twin() {
    for case in problems() {
        let problem = json(&case.join("problem.json"));
        let twin = run(&case, &problem, 100, KernelChoice::Scalar, Pruning::Never);
        for kernel in Kernel::available() {
            for pruning in [Pruning::Never, Pruning::Always] {
                let solution = run(&case, &problem, 100, KernelChoice::Use(kernel), pruning);
                assert!(bits(&solution.c) == bits(&twin.c), "{case:?}: {} {pruning:?}", kernel.name());
            }
        }
    }
}

#[test]
fn anchors_of_the_published_networks() {
    for case in networks() {
        let expected = json(&case.join("expected.json"));
        let settings = Settings {
            smoothing: expected["mu"].as_f64().unwrap(),
            iterations: expected["steps"].as_u64().unwrap() as usize,
            ..Default::default()
        };
        let X = matrix(&case.join("X.npy")).into();
        let settings = settings.at(expected["authors_lambda"].as_f64().unwrap() / 2.0).unwrap();
        let solution = solve(&X, Start::Zero, &settings, &mut ());
        let list = expected["anchors_zero_based"].as_array().unwrap();
        let mut published: Vec<usize> = list.iter().map(|v| v.as_u64().unwrap() as usize).collect();
        let mut found = merit::selection::largest_rows(&solution.c.row_inf_norms(), published.len(), |_| true);
        published.sort();
        found.sort();
        assert_eq!(found, published, "{case:?}");
    }
}

#[test]
fn spa_takes_the_authors_columns() {
    for case in problems() {
        let expected = matrix_of_integers(&case.join("spa.npy"));
        let found = merit::spa::spa(&matrix(&case.join("X.npy")).into(), expected.len());
        let sorted = |mut v: Vec<usize>| {
            v.sort();
            v
        };
        assert_eq!(sorted(found), sorted(expected), "{case:?}");
    }
}

/// A one-dimensional .npy of 64-bit integers, which `read` refuses as it should.
fn matrix_of_integers(path: &Path) -> Vec<usize> {
    let bytes = fs::read(path).unwrap();
    let header = 10 + u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    bytes[header..].chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().unwrap()) as usize).collect()
}
