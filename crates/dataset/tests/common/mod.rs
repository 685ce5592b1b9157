//! Small files of every format, made by hand.

#![allow(dead_code)] // each test binary uses some of these

use std::path::PathBuf;
use tempfile::TempDir;

/// A folder that disappears, with one file in it.
pub fn file(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// A .npy file of version 1 with the dictionary given.
pub fn npy(dictionary: &str, values: &[u8]) -> Vec<u8> {
    let length = (dictionary.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], dictionary.as_bytes(), values].concat()
}

/// A float64 .npy file in C order.
pub fn npy_f64(rows: usize, cols: usize, values: &[f64]) -> Vec<u8> {
    let dictionary = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {cols}), }}");
    npy(&dictionary, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
}

/// A zip archive of stored (or, if `deflate`, compressed) members.
pub fn zip(members: &[(&str, Vec<u8>)], deflate: bool) -> Vec<u8> {
    use std::io::Write;
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, contents) in members {
        let mut crc = flate2::Crc::new();
        crc.update(contents);
        let packed = if deflate {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(contents).unwrap();
            encoder.finish().unwrap()
        } else {
            contents.clone()
        };
        let common = [
            &[20, 0, 0, 0, if deflate { 8 } else { 0 }, 0, 0, 0, 0x21, 0][..],
            &crc.sum().to_le_bytes(),
            &(packed.len() as u32).to_le_bytes(),
            &(contents.len() as u32).to_le_bytes(),
            &(name.len() as u16).to_le_bytes(),
            &[0, 0],
        ]
        .concat();
        let start = (archive.len() as u32).to_le_bytes();
        archive.extend([b"PK\x03\x04", &common[..], name.as_bytes(), &packed].concat());
        directory.extend([b"PK\x01\x02\x14\x00", &common[..], &[0; 10], &start, name.as_bytes()].concat());
    }
    let count = (members.len() as u16).to_le_bytes();
    let sizes = [(directory.len() as u32).to_le_bytes(), (archive.len() as u32).to_le_bytes()].concat();
    [&archive[..], &directory, b"PK\x05\x06\0\0\0\0", &count, &count, &sizes, &[0, 0]].concat()
}

/// The members of a SciPy sparse matrix [[0, 2], [3, 0], [0, 4]].
pub fn sparse_members(format: &str) -> Vec<(&'static str, Vec<u8>)> {
    let integers = |values: &[i32]| {
        let dictionary = format!("{{'descr': '<i4', 'fortran_order': False, 'shape': ({},), }}", values.len());
        npy(&dictionary, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
    };
    let numbers = |values: [f64; 3]| {
        npy(
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
            &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>(),
        )
    };
    let (mut members, data) = match format {
        "csr" => (
            vec![("indices.npy", integers(&[1, 0, 1])), ("indptr.npy", integers(&[0, 1, 2, 3]))],
            numbers([2.0, 3.0, 4.0]),
        ),
        "csc" => (
            vec![("indices.npy", integers(&[1, 2, 0])), ("indptr.npy", integers(&[0, 1, 3]))],
            numbers([3.0, 4.0, 2.0]),
        ),
        _ => (vec![("row.npy", integers(&[2, 0, 1])), ("col.npy", integers(&[1, 1, 0]))], numbers([4.0, 2.0, 3.0])),
    };
    members.push(("format.npy", npy("{'descr': '|S3', 'fortran_order': False, 'shape': (), }", format.as_bytes())));
    members.push(("shape.npy", integers(&[3, 2])));
    members.push(("data.npy", data));
    members
}

/// A .mat file of version 5 with these elements.
pub fn mat(elements: &[Vec<u8>]) -> Vec<u8> {
    let mut header = b"MATLAB 5.0 MAT-file".to_vec();
    header.resize(124, b' ');
    header.extend([0, 1, b'I', b'M']);
    header.extend(elements.concat());
    header
}

fn element(kind: u32, bytes: &[u8]) -> Vec<u8> {
    let mut element = [&kind.to_le_bytes()[..], &(bytes.len() as u32).to_le_bytes(), bytes].concat();
    element.resize(element.len().next_multiple_of(8), 0);
    element
}

fn integers(values: &[i32]) -> Vec<u8> {
    element(5, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
}

/// A variable of a .mat file, `class` 6 for doubles.
pub fn mat_variable(name: &str, class: u32, shape: &[i32], values: &[f64]) -> Vec<u8> {
    let flags = element(6, &[class.to_le_bytes(), [0; 4]].concat());
    let values = element(9, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>());
    element(14, &[flags, integers(shape), element(1, name.as_bytes()), values].concat())
}

/// The sparse variable [[0, 2], [3, 0], [0, 4]].
pub fn mat_sparse(name: &str) -> Vec<u8> {
    let flags = element(6, &[5, 0, 0, 0, 3, 0, 0, 0]);
    let values = element(9, &[3.0f64, 2.0, 4.0].iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>());
    let parts =
        [flags, integers(&[3, 2]), element(1, name.as_bytes()), integers(&[1, 0, 2]), integers(&[0, 1, 3]), values];
    element(14, &parts.concat())
}

/// The same variable, compressed.
pub fn mat_compressed(variable: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(variable).unwrap();
    let packed = encoder.finish().unwrap();
    [&15u32.to_le_bytes()[..], &(packed.len() as u32).to_le_bytes(), &packed].concat()
}
