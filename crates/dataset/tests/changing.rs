//! Files that change while they are read give the old matrix, the new one, or an error; and what is no file is refused.

mod common;

use common::*;
use merit_dataset::{Dataset, FileError, ReadError, ReadOptions, Samples, read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, thread};

/// Two tables that differ in everything.
fn tables() -> [Vec<u8>; 2] {
    let few: String = (0..4000).map(|i| format!("{i},1,1\n")).collect();
    let many: String = (0..9000).map(|i| format!("name{i},{i}\n")).collect();
    [few.into_bytes(), format!("name,value\n{many}").into_bytes()]
}

fn reads(path: &Path) -> Result<Dataset, ReadError> {
    read(path, &ReadOptions { samples: Samples::Rows, ..Default::default() })
}

/// Reads `path` again and again while `change` changes it, and gives the errors.
fn while_changing(path: &Path, rounds: usize, change: impl Fn(usize) + Sync) -> Vec<ReadError> {
    let expected = tables().map(|bytes| {
        let (_folder, path) = file("x.csv", &bytes);
        reads(&path).unwrap()
    });
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0.. {
                if done.load(Ordering::Relaxed) {
                    return;
                }
                change(round);
            }
        });
        let mut errors = Vec::new();
        for _ in 0..rounds {
            match reads(path) {
                Ok(found) => assert!(expected.contains(&found), "a matrix that no file held"),
                Err(error) => errors.push(error),
            }
        }
        done.store(true, Ordering::Relaxed);
        errors
    })
}

#[test]
fn a_file_that_is_swapped_is_read_from_one_of_the_two() {
    let tables = tables();
    let (folder, path) = file("x.csv", &tables[0]);
    let other = folder.path().join("other");
    let errors = while_changing(&path, 200, |round| {
        fs::write(&other, &tables[round % 2]).unwrap();
        fs::rename(&other, &path).unwrap();
    });
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn a_file_that_is_written_over_gives_no_wrong_matrix() {
    let tables = tables();
    let (_folder, path) = file("x.csv", &tables[0]);
    let errors = while_changing(&path, 200, |round| fs::write(&path, &tables[round % 2]).unwrap());
    for error in errors {
        let known = matches!(error, ReadError::Empty { .. } | ReadError::File(FileError::Changed { .. }));
        assert!(known, "{error}");
    }
}

/// Whatever the format: a file that grew while it was read is refused, even when what was read makes sense.
#[test]
fn a_changed_file_is_told() {
    let text: String = (0..400_000).map(|i| format!("{} 1 {i}\n", i + 1)).collect();
    let text = format!("%%MatrixMarket matrix coordinate real general\n400000 1 400000\n{text}");
    let (_folder, path) = file("x.mtx", text.as_bytes());
    let done = AtomicBool::new(false);
    let error = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                fs::OpenOptions::new().append(true).open(&path).and_then(|mut file| write(&mut file)).unwrap();
            }
        });
        let error = (0..100).find_map(|_| read(&path, &ReadOptions::default()).err());
        done.store(true, Ordering::Relaxed);
        error.unwrap().to_string()
    });
    assert!(error.ends_with("x.mtx` changed while it was read"), "{error}");
}

fn write(file: &mut fs::File) -> std::io::Result<()> {
    std::io::Write::write_all(file, b"%\n")
}

/// A pipe gives its bytes once, and blocks a reader that opens it before there are any.
#[test]
#[cfg(unix)]
fn pipes_and_devices_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for extension in ["npy", "npz", "csv", "tsv", "mtx", "mtx.gz", "mat"] {
        let (pipe, device) =
            (folder.path().join(format!("p.{extension}")), folder.path().join(format!("d.{extension}")));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::os::unix::fs::symlink("/dev/zero", &device).unwrap();
        for path in [pipe, device] {
            let error = read(&path, &ReadOptions::default()).unwrap_err().to_string();
            assert!(error.ends_with("is a pipe or a device, but a regular file is expected"), "{error}");
        }
    }
}

/// 2^53 + 1 is not a number of double precision.
#[test]
fn whole_numbers_that_are_rounded_are_counted() {
    let large = (1i64 << 53) + 1;
    let bytes: Vec<u8> = [1, large, 3, -large].into_iter().flat_map(i64::to_le_bytes).collect();
    let array = npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 2), }", &bytes);
    let market = format!("%%MatrixMarket matrix array integer general\n2 2\n1\n{large}\n3\n-{large}\n");
    let files = [
        ("x.npy", array.clone()),
        ("x.npz", zip(&[("x.npy", array)], true)),
        ("x.mtx", market.into_bytes()),
        ("x.csv", format!("1,{large}\n3,-{large}\n").into_bytes()),
    ];
    for (name, bytes) in files {
        let (_folder, path) = file(name, &bytes);
        for samples in [Samples::Columns, Samples::Rows] {
            let found = read(&path, &ReadOptions { samples, ..Default::default() }).unwrap();
            let note = "2 whole numbers beyond 2^53 were rounded to the nearest number of double precision";
            assert_eq!((found.rounded, found.notes()), (2, vec![note.to_string()]), "{name}");
        }
    }
    let (_folder, path) = file("x.csv", b"9007199254740992,1\n0.1,1e300\n");
    assert_eq!(read(&path, &ReadOptions::default()).unwrap().notes(), Vec::<String>::new());
}
