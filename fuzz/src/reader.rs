//! Bytes as a file, and what must hold of whatever is read from it. Errors are fine, if people see them as one line.

use merit_communities::graph::EdgeSet;
use merit_communities::settings::Directed;
use merit_communities::truth::Truth;
use merit_communities::{Graph, read as graphs};
use merit_dataset::shown::shown;
use merit_dataset::{ReadOptions, Samples, read};
use merit_linalg::SparseMatrix;
use merit_topics::corpus;
use merit_unmix::read as images;
use merit_unmix::truth::Truth as TrueImage;
use std::cell::OnceCell;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Bytes that reading a matrix may take.
const MEMORY: u64 = 64 << 20;

thread_local! {
    static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
}

/// A file with these contents, in memory where there is such a folder: a target writes thousands a second.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let in_memory = Path::new("/dev/shm");
    let create = || if in_memory.is_dir() { tempfile::tempdir_in(in_memory) } else { tempfile::tempdir() };
    let path = FOLDER.with(|folder| folder.get_or_init(|| create().expect("a folder can be made")).path().join(name));
    std::fs::write(&path, bytes).expect("a small file can be written");
    path
}

fn one_line(error: &impl Display) {
    let text = error.to_string();
    let line = shown(&text);
    assert!(!line.is_empty() && !line.contains(char::is_control), "a message is one line, but this is {line:?}");
}

/// A matrix is finite, has entries and a label for each sample, whichever way it is read.
pub fn matrix(name: &str, bytes: &[u8]) {
    let path = file(name, bytes);
    for samples in [Samples::Columns, Samples::Rows] {
        let options = ReadOptions { samples, memory_limit: Some(MEMORY), ..Default::default() };
        match read(&path, &options) {
            Ok(found) => {
                assert!(found.matrix.rows() > 0 && found.matrix.cols() > 0);
                assert!(found.matrix.stored_values().all(f64::is_finite));
                assert!(found.labels.is_none_or(|labels| labels.len() == found.matrix.cols()));
            }
            Err(error) => one_line(&error),
        }
    }
}

/// A corpus has a name for every document and a word for every column; its counts are finite.
pub fn corpus(name: &str, bytes: &[u8]) {
    let path = file(name, bytes);
    match corpus::read(&path, &corpus::ReadOptions::default()) {
        Ok(found) => {
            assert_eq!(found.names.len(), found.counts.rows());
            assert_eq!(found.vocabulary.len(), found.counts.cols());
            assert!(found.labels.is_none_or(|labels| labels.len() == found.counts.rows()));
            assert!(found.counts.values().iter().all(|value| value.is_finite() && *value >= 0.0));
        }
        Err(error) => one_line(&error),
    }
}

/// A graph is symmetric, without loops, with positive weights and a name of its own for every node.
pub fn graph(name: &str, bytes: &[u8]) {
    let path = file(name, bytes);
    for (unweighted, directed) in [(false, Directed::Symmetrized), (true, Directed::Symmetrized), (false, Directed::Cocitation)] {
        match graphs::read(&path, &graphs::ReadOptions { unweighted, directed, ..Default::default() }) {
            Ok(found) => check_graph(&found),
            Err(error) => one_line(&error),
        }
    }
}

fn check_graph(graph: &Graph) {
    let adjacency: &SparseMatrix = &graph.adjacency;
    assert_eq!((adjacency.rows(), adjacency.cols()), (graph.names.len(), graph.names.len()));
    assert!(adjacency.transposed() == *adjacency, "the adjacency matrix is symmetric");
    assert!(adjacency.values().iter().all(|weight| *weight > 0.0 && weight.is_finite()));
    assert!((0..adjacency.cols()).all(|l| !adjacency.col(l).0.contains(&(l as u32))), "no node is its own neighbor");
    let mut names: Vec<&String> = graph.names.iter().collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), graph.names.len(), "two nodes have one name");
}

/// A header beside some data.
pub fn envi(header: &[u8]) {
    file("x.img", &[7; 4096]);
    image("x.hdr", header);
}

/// An image has every pixel once, counted or left out, and those that count are finite; a truth fits it.
pub fn image(name: &str, bytes: &[u8]) {
    let path = file(name, bytes);
    match images::read(&path, None, &Default::default()) {
        Ok(cube) => {
            let mut seen = 0;
            for lines in cube.blocks() {
                let block = cube.block(lines.clone()).expect("what the header promises is there");
                assert_eq!(block.pixels.len() + block.left_out.total(), lines.len() * cube.samples);
                assert!(block.spectra.values().iter().all(|value| value.is_finite()));
                assert_eq!(block.spectra.rows(), cube.used.len());
                seen += lines.len();
            }
            assert_eq!(seen, cube.lines);
            if let Err(error) = TrueImage::read(&path, &cube) {
                one_line(&error);
            }
        }
        Err(error) => one_line(&error),
    }
}

/// Shares are nonnegative, and each node's sum to 1 or to 0.
pub fn truth(bytes: &[u8]) {
    let mut edges = EdgeSet::new(false);
    for (a, b) in [("ann", "bob"), ("bob", "cat"), ("1", "2"), ("2", "ann")] {
        edges.add(a, b, 1.0);
    }
    let graph = edges.build("example", "edge list").expect("this is a graph");
    match Truth::read(&file("truth.txt", bytes), &graph) {
        Ok(found) => {
            assert_eq!((found.shares.rows(), found.shares.cols()), (graph.nodes(), found.communities.len()));
            assert!(found.shares.values().iter().all(|share| share.is_finite() && *share >= 0.0));
        }
        Err(error) => one_line(&error),
    }
}

/// The settings that `certify` and `topics apply` take from a `run.json`.
pub fn record(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) else { return };
    _ = serde_json::from_value::<merit::factor::Settings>(value.clone());
    _ = serde_json::from_value::<merit_topics::Settings>(value.clone());
    _ = serde_json::from_value::<merit_topics::settings::Reading>(value.clone());
    _ = serde_json::from_value::<merit_communities::Settings>(value.clone());
    _ = serde_json::from_value::<merit_unmix::Settings>(value);
}
