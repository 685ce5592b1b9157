//! What the tests share: the built binary in a fresh folder, and small files made by hand.

#![allow(dead_code)] // each test binary uses some of these

pub mod schema;

use merit::synthetic::{Dirichlet, Synthetic};
use merit_dataset::{ReadOptions, read, write_npy};
use merit_linalg::{DataMatrix, DenseMatrix};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A fresh folder in which `merit` runs; it disappears with the value.
pub struct Sandbox {
    folder: TempDir,
}

/// What a command said and how it ended.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Every `run.json` that a test makes is checked against the schema in `docs/`, unless the test has changed it on purpose.
impl Drop for Sandbox {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        for name in self.listing().into_iter().filter(|name| name.ends_with("run.json")) {
            // Names that are not UTF-8 are not found again.
            let Some(text) = fs::read(self.path(&name)).ok() else { continue };
            let Ok(record) = serde_json::from_slice::<Value>(&text) else { continue };
            if record["format"] == "merit-run" && record["version"] != CHANGED {
                schema::check(&name, &record);
            }
        }
    }
}

/// The version of a record that a test has changed.
pub const CHANGED: &str = "changed by a test";

impl Sandbox {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), contents).unwrap();
        self
    }

    pub fn npy(&self, name: &str, matrix: &DenseMatrix) -> &Self {
        write_npy(&self.path(name), matrix).unwrap();
        self
    }

    pub fn matrix(&self, name: &str) -> DenseMatrix {
        matrix(&self.path(name))
    }

    /// All names in the folder, hidden ones too, down to the last level.
    pub fn listing(&self) -> Vec<String> {
        fn walk(folder: &Path, prefix: &str, names: &mut Vec<String>) {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
                if entry.file_type().unwrap().is_dir() {
                    walk(&entry.path(), &format!("{name}/"), names);
                }
                names.push(name);
            }
        }
        let mut names = Vec::new();
        walk(self.folder.path(), "", &mut names);
        names.sort();
        names
    }

    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_merit"));
        command.args(line.split_whitespace()).current_dir(self.folder.path()).env("COLUMNS", "140");
        command
    }

    /// Runs `merit` with the words of `line`.
    pub fn run(&self, line: &str) -> Outcome {
        self.command(line).output().unwrap().into()
    }

    /// Runs `merit`, which must succeed.
    #[track_caller]
    pub fn ok(&self, line: &str) -> Outcome {
        let outcome = self.run(line);
        assert_eq!(outcome.code, Some(0), "merit {line}\n{outcome:#?}");
        outcome
    }

    /// Runs `merit factor INPUT OPTIONS --output RUN`, which must succeed; gives `run.json`.
    #[track_caller]
    pub fn factor(&self, input: &str, options: &str, output: &str) -> Value {
        self.ok(&format!("factor {input} {options} --output {output} --quiet"));
        self.json(&format!("{output}/run.json"))
    }

    /// Runs `merit`, which must refuse with this exit code and exactly this on stderr, and leave nothing behind.
    #[track_caller]
    pub fn refuses(&self, line: &str, code: i32, stderr: &str) {
        assert_eq!(self.refusal(line, code), stderr, "merit {line}");
    }

    /// The same, for words that depend on the machine: gives them.
    #[track_caller]
    pub fn refusal(&self, line: &str, code: i32) -> String {
        let before = self.listing();
        let outcome = self.run(line);
        assert_eq!(outcome.code, Some(code), "merit {line}\n{outcome:#?}");
        assert_eq!(outcome.stdout, "", "merit {line}");
        let starts = |start: &str| outcome.stderr.lines().filter(|line| line.starts_with(start)).count();
        assert_eq!(starts("error:"), 1, "merit {line}\n{}", outcome.stderr);
        assert!(starts("hint:") <= 1, "merit {line}\n{}", outcome.stderr);
        assert!(!outcome.stderr.contains("panicked"), "merit {line}\n{}", outcome.stderr);
        assert_eq!(self.listing(), before, "merit {line} leaves something behind");
        outcome.stderr
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A matrix of a file, densely.
pub fn matrix(path: &Path) -> DenseMatrix {
    match read(path, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}")).matrix {
        DataMatrix::Sparse(matrix) => {
            assert!(matrix.cols() <= 2000, "nothing dense of that size");
            matrix.to_dense()
        }
        dense => dense.into_dense(),
    }
}

/// A .npy file of version 1: any type, any shape, any values.
pub fn npy(descr: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let dictionary = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = (dictionary.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], dictionary.as_bytes(), values].concat()
}

/// A float64 .npy file in C order: the rows one after the other.
pub fn npy_f64(rows: usize, cols: usize, values: &[f64]) -> Vec<u8> {
    assert_eq!(rows * cols, values.len());
    npy("<f8", &format!("({rows}, {cols})"), &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
}

/// Comma-separated text of a matrix, as exact as the matrix.
pub fn csv(matrix: &DenseMatrix) -> String {
    let row = |m: usize| (0..matrix.cols()).map(|l| matrix.get(m, l).to_string()).collect::<Vec<_>>().join(",") + "\n";
    (0..matrix.rows()).map(row).collect()
}

/// 4 x 6 with three anchors (columns 0, 2, 5) and mixtures of them, no noise.
pub fn tiny() -> DenseMatrix {
    DenseMatrix::from_columns(
        4,
        [
            [4.0, 0.0, 0.0, 1.0],
            [2.0, 2.0, 0.0, 1.0],
            [0.0, 4.0, 0.0, 1.0],
            [1.0, 1.0, 2.0, 1.0],
            [0.0, 2.0, 2.0, 1.0],
            [0.0, 0.0, 4.0, 1.0],
        ]
        .concat(),
    )
}

/// The words of document `d`: one of three subjects, and a word of another.
pub fn words_of_document(d: usize) -> Vec<&'static str> {
    let topics = [
        ["river", "water", "boat", "bridge", "flood", "fish"],
        ["bread", "flour", "oven", "yeast", "dough", "baker"],
        ["violin", "opera", "concert", "singer", "piano", "stage"],
    ];
    let (own, other) = (topics[d % 3], topics[(d / 5) % 3]);
    (0..4).map(|i| own[(d / 3 + i * 2 + d % 2) % 6]).chain([other[d % 6]]).collect()
}

/// Mixtures of `rank` columns with Gaussian noise.
pub fn synthetic(rows: usize, cols: usize, rank: usize, snr_db: f64, seed: u64) -> Synthetic {
    Dirichlet { snr_db, seed, ..Dirichlet::new(rows, cols, rank) }.generate().unwrap()
}

/// The list `run.json` has under `key`.
pub fn numbers(run: &Value, key: &str) -> Vec<usize> {
    run[key].as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect()
}

/// The anchors of a run, rising.
pub fn anchors(run: &Value) -> Vec<usize> {
    sorted(numbers(run, "anchors"))
}

pub fn sorted(mut list: Vec<usize>) -> Vec<usize> {
    list.sort_unstable();
    list
}

/// The folder `shared/golden` beside the project, or a reason why not.
pub fn golden() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden");
    if !folder.is_dir() {
        println!("skipped: there is no `shared/golden` beside the project");
        return None;
    }
    Some(folder)
}
