//! Graphs and truths that claim much, unpack to much or do not end: refused with both numbers.

use flate2::{Compression, write::GzEncoder};
use merit_communities::graph::EdgeSet;
use merit_communities::read::{ReadOptions, read};
use merit_communities::truth::Truth;
use std::fs;
use std::io::Write;

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn claims_bombs_and_endless_lines_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let wide = b"%%MatrixMarket matrix coordinate pattern symmetric\n9000000 9000000 1\n2 1\n".to_vec();
    let wider = b"%%MatrixMarket matrix coordinate pattern symmetric\n300000000 300000000 1\n2 1\n".to_vec();
    let edges = b"<edge source='a' target='b'/>\n".repeat(4_000_000);
    let marked = [b"<graphml><graph>", &edges[..], b"</graph></graphml>"].concat();
    let long = [&b"a b\n"[..], &vec![b'a'; 68_000_000]].concat();
    let swollen = "or more from only ";
    let files = [
        ("x.mtx", wide, "it has 9000000 nodes and 2 entries, but with so few entries at most 1000004 nodes are read"),
        (
            "x.mtx",
            wider,
            "is 300000000 x 300000000 with 2 entries, but with so few entries at most 10000004 rows and columns",
        ),
        ("x.graphml.gz", packed(&marked), swollen),
        ("x.txt.gz", packed(&b"1 2\n".repeat(25_000_000)), swollen),
        ("x.txt", long, "line 2 of `x.txt` is longer than 67.1 MB, the most that is read"),
    ];
    for (name, bytes, expected) in files {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let error = read(&path, &ReadOptions::default()).map(drop).unwrap_err().to_string();
        let said = error.replace(&format!("{}/", folder.path().display()), "");
        assert!(said.contains(expected), "{said}");
        fs::remove_file(path).unwrap();
    }
}

/// The table of a truth has a place for every node and every community: a megabyte of text can ask for a terabyte.
#[test]
fn a_truth_that_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let count = 400_000;
    let mut edges = EdgeSet::new(false);
    (0..count).for_each(|i| edges.add(&format!("n{i}"), &format!("n{}", i + 1), 1.0));
    let graph = edges.build("x", "edge list").unwrap();
    let path = folder.path().join("truth.txt");
    fs::write(&path, (0..count).map(|i| format!("n{i} c{i}\n")).collect::<String>()).unwrap();
    let error = Truth::read(&path, &graph).unwrap_err().to_string();
    assert!(error.contains("truth.txt` needs 2.6 TB of memory, but only "), "{error}");
}

/// A line of separators alone names nothing.
#[test]
fn a_truth_of_empty_fields_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut edges = EdgeSet::new(false);
    edges.add("a", "b", 1.0);
    let graph = edges.build("x", "edge list").unwrap();
    let path = folder.path().join("truth.txt");
    fs::write(&path, ",,\n").unwrap();
    let error = Truth::read(&path, &graph).unwrap_err().to_string();
    assert!(error.ends_with("truth.txt` is not a graph: it has no lines with communities"), "{error}");
}

/// A pipe is not opened to see whether it can be: that would take its first lines.
#[test]
#[cfg(unix)]
fn a_truth_in_a_pipe_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("truth.txt");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let mut edges = EdgeSet::new(false);
    edges.add("a", "b", 1.0);
    let graph = edges.build("x", "edge list").unwrap();
    Truth::check(&path).unwrap();
    let writer = path.clone();
    std::thread::spawn(move || fs::write(writer, "a red 1\nb blue 1\n"));
    assert_eq!(Truth::read(&path, &graph).unwrap().communities, ["blue", "red"]);
}
