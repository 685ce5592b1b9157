//! Files made by NumPy and SciPy, read here; files written here, read by them.
//!
//! Runs when the environment variable `MERIT_PYTHON` names an interpreter with NumPy and SciPy; with `CI=true` it must.

use merit_dataset::{ReadOptions, Samples, read, write_npy, write_npz_csc};
use merit_linalg::{DataMatrix, DenseMatrix};
use std::path::Path;
use std::process::Command;

const ROWS: usize = 37;

#[test]
fn agrees_with_numpy_and_scipy() {
    let Ok(python) = std::env::var("MERIT_PYTHON") else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI, but MERIT_PYTHON names no Python interpreter");
        println!("skipped: MERIT_PYTHON does not name a Python interpreter with NumPy and SciPy");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/make_files.py");
    let folder = tempfile::tempdir().unwrap();
    let run = |argument: &[&str]| {
        let status = Command::new(&python).arg(&script).arg(folder.path()).args(argument).status().unwrap();
        assert!(status.success(), "{python} {argument:?}: {status}");
    };
    run(&[]);
    let expected = std::fs::read(folder.path().join("expected.f64")).unwrap();
    let expected = expected.as_chunks().0.iter().map(|&raw| f64::from_le_bytes(raw)).collect();
    let expected = DenseMatrix::from_columns(ROWS, expected);
    let mut seen = 0;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "f64") {
            continue;
        }
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let columns = read(&path, &ReadOptions::default()).unwrap_or_else(|error| panic!("{file}: {error}"));
        let rows = read(&path, &ReadOptions { samples: Samples::Rows, ..Default::default() }).unwrap();
        let sparse = ["cs", "coo", "sparse"].iter().any(|start| file.starts_with(start));
        assert_eq!(matches!(columns.matrix, DataMatrix::Sparse(_)), sparse, "{file}: {}", columns.description);
        assert_eq!(columns.matrix.into_dense(), expected, "{file}: {}", columns.description);
        assert_eq!(rows.matrix.into_dense(), expected.transposed(), "{file}: {}", rows.description);
        seen += 1;
    }
    assert!(seen > 80, "only {seen} files");

    write_npy(&folder.path().join("out.npy"), &expected).unwrap();
    let nnz = expected.values().iter().filter(|&&value| value != 0.0).count();
    write_npz_csc(&folder.path().join("out.npz"), ROWS, expected.cols(), nnz, |l, entries| {
        entries.extend((0..).zip(expected.col(l).iter().copied()).filter(|entry| entry.1 != 0.0));
    })
    .unwrap();
    run(&["check"]);
}
