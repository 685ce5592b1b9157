//! Folders that lead in circles, pipes, claims and files that change: no hang, no wrong excerpt, no gigabytes.

use flate2::{Compression, write::GzEncoder};
use merit_topics::Error;
use merit_topics::corpus::{Limit, ReadOptions, Splitter, Tokens, Wanted, excerpts, read};
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

fn options() -> ReadOptions {
    ReadOptions {
        tokens: Tokens { minimum_df: Limit::Count(1), maximum_df: Limit::Part(1.0), ..Default::default() },
        ..Default::default()
    }
}

fn wanted(number: usize) -> Wanted<'static> {
    Wanted { number, name: number.to_string().into(), ..Default::default() }
}

fn cut() -> Splitter {
    Tokens::default().splitter().unwrap()
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Runs `work` elsewhere, so that a hang is a failure.
fn within_seconds<T: Send + 'static>(seconds: u64, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(Duration::from_secs(seconds)).expect("it hangs")
}

#[test]
fn links_are_not_walked_in_circles() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_path_buf();
    fs::create_dir(path.join("deep")).unwrap();
    fs::write(path.join("a.txt"), "river boat").unwrap();
    fs::write(path.join("deep/b.txt"), "tree forest").unwrap();
    // Two links to the folder itself: 2^40 paths.
    symlink(".", path.join("here")).unwrap();
    symlink("..", path.join("deep/up")).unwrap();
    symlink("a.txt", path.join("same.txt")).unwrap();
    symlink("nowhere.txt", path.join("broken.txt")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("c.txt"), "stone wall").unwrap();
    symlink(elsewhere.path().join("c.txt"), path.join("linked.txt")).unwrap();
    let corpus = within_seconds(20, move || read(&path, &options())).unwrap();
    let names: Vec<_> = corpus.names.iter().collect();
    assert_eq!(names, ["a.txt", "deep/b.txt", "linked.txt"]);
    assert_eq!((corpus.facts.links, corpus.facts.special_files), (3, 1));
}

#[test]
fn pipes_in_a_folder_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_path_buf();
    fs::write(path.join("a.txt"), "river boat").unwrap();
    pipe(&path.join("x.txt"));
    symlink("x.txt", path.join("y.txt")).unwrap();
    symlink("/dev/zero", path.join("z.txt")).unwrap();
    let corpus = within_seconds(20, move || read(&path, &options())).unwrap();
    assert_eq!((corpus.names.len(), corpus.facts.special_files), (1, 3));
}

/// A pipe is read once; a second reading would wait for ever.
#[test]
fn a_pipe_has_no_excerpts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.txt");
    pipe(&path);
    let writer = path.clone();
    std::thread::spawn(move || fs::write(writer, "river boat\ntree forest\n"));
    let error = within_seconds(20, move || {
        let corpus = read(&path, &options()).unwrap();
        assert_eq!((corpus.names.len(), corpus.stamp), (2, None));
        excerpts(&path, &Default::default(), corpus.stamp, &[wanted(0)], &cut(), 10).unwrap_err().to_string()
    });
    assert!(error.ends_with("x.txt` is a pipe or a device, but a regular file is expected"), "{error}");
}

#[test]
fn excerpts_are_those_of_the_file_that_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.txt");
    fs::write(&path, "river boat\ntree forest\n").unwrap();
    let corpus = read(&path, &options()).unwrap();
    assert_eq!(
        excerpts(&path, &Default::default(), corpus.stamp, &[wanted(1)], &cut(), 99).unwrap()[&1],
        "tree forest"
    );
    fs::write(&path, "another text\nriver boat\ntree forest\n").unwrap();
    let error = excerpts(&path, &Default::default(), corpus.stamp, &[wanted(1)], &cut(), 99).unwrap_err().to_string();
    assert!(error.ends_with("x.txt` changed while it was read"), "{error}");
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A kilobyte that unpacks to a hundred megabytes, and lines and records that do not end.
#[test]
fn bombs_and_endless_lines_are_refused_with_both_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let entries = format!("1\n1\n20000000\n{}", "1 1 1\n".repeat(15_000_000));
    let lines = b"sea sun\n".repeat(12_500_000);
    let record = [&b"text\nriver\n\""[..], &vec![b'\n'; 68_000_000]].concat();
    let long = [&b"1 0:1\n"[..], &vec![b'1'; 68_000_000]].concat();
    let swollen = "or more from only ";
    let files = [
        ("docword.x.txt.gz", packed(entries.as_bytes()), swollen),
        ("x.txt.gz", packed(&lines), swollen),
        ("x.jsonl.gz", packed(&lines), "is not JSON"),
        ("x.csv.gz", packed(&record), swollen),
        ("x.ldac.gz", packed(&b"1 0:1\n".repeat(15_000_000)), swollen),
        ("x.csv", record, "line 3 of `x.csv` is longer than 67.1 MB, the most that is read"),
        ("x.txt", long.clone(), "line 2 of `x.txt` is longer than 67.1 MB, the most that is read"),
        ("x.ldac", long, "line 2 of `x.ldac` is longer than 67.1 MB, the most that is read"),
    ];
    for (name, bytes, expected) in files {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let error = read(&path, &options()).map(drop).unwrap_err();
        let said = error.to_string().replace(&format!("{}/", folder.path().display()), "");
        assert!(said.contains(expected), "{said}");
        fs::remove_file(path).unwrap();
    }
}

/// A few bytes that claim documents and words by the million.
#[test]
fn claims_take_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let wide = "%%MatrixMarket matrix coordinate integer general\n2 9000000 2\n1 1 1\n2 5 1\n";
    for (name, text) in [("docword.x.txt", "300000000\n5\n1\n1 1 1\n"), ("x.ldac", "1 300000000:1\n"), ("x.mtx", wide)]
    {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        assert!(matches!(read(&path, &options()), Err(Error::Implausible { .. })), "{name}");
    }
}
