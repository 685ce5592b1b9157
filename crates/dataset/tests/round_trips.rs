//! What is written is read back, and what other programs may write is understood.

mod common;

use common::*;
use merit_dataset::{Dataset, ReadOptions, Samples, read, write_npy, write_npz_csc};
use merit_linalg::{DataMatrix, DenseMatrix, SparseMatrix};
use proptest::prelude::*;

#[track_caller]
fn reads(name: &str, bytes: impl AsRef<[u8]>) -> Dataset {
    let (_folder, path) = file(name, bytes.as_ref());
    read(&path, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn reads_rows(name: &str, bytes: impl AsRef<[u8]>) -> Dataset {
    let (_folder, path) = file(name, bytes.as_ref());
    let options = ReadOptions { samples: Samples::Rows, ..Default::default() };
    read(&path, &options).unwrap_or_else(|error| panic!("{error}"))
}

fn labels(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|name| name.to_string()).collect())
}

fn dense(rows: usize, values: &[f64]) -> DataMatrix {
    DenseMatrix::from_columns(rows, values.to_vec()).into()
}

/// [[0, 2], [3, 0], [0, 4]]
fn sparse() -> SparseMatrix {
    SparseMatrix::from_triplets(3, 2, vec![(1, 0, 3.0), (0, 1, 2.0), (2, 1, 4.0)])
}

#[test]
fn npy_versions_and_orders() {
    let x = dense(2, &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let first = npy_f64(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(
        reads("x.NPY", &first),
        Dataset {
            matrix: x.clone(),
            labels: None,
            rounded: 0,
            description: "float64, C order".into(),
            maybe_transposed: false
        }
    );
    for version in [2, 3] {
        let header = [b"\x93NUMPY", &[version, 0][..], &first[8..10], &[0, 0]].concat();
        assert_eq!(reads("x.npy", [&header[..], &first[10..]].concat()).matrix, x);
    }
    let columns =
        npy("{'shape': (2L, 3L), 'fortran_order': True, 'descr': '>i2'}", &[0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6]);
    assert_eq!(reads("x.npy", &columns).matrix, x);
    assert_eq!(reads_rows("x.npy", &columns).matrix, dense(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    assert_eq!(reads("x.npy", &columns).description, "int16, Fortran order");
}

#[test]
fn names_in_text() {
    let x = dense(2, &[1.0, 3.0, 2.0, 4.0]);
    let with_names = reads("x.csv", "day,a,b\nmon,1,2\ntue,3,4\n");
    assert_eq!((with_names.matrix, with_names.labels), (x.clone(), labels(&["a", "b"])));
    let rows = reads_rows("x.csv", "day,a,b\nmon,1,2\ntue,3,4\n");
    assert_eq!((rows.matrix, rows.labels), (dense(2, &[1.0, 2.0, 3.0, 4.0]), labels(&["mon", "tue"])));
    let pandas = reads_rows("x.csv", ",0,1\r\n0,1,2\r\n1,3,4\r\n");
    assert_eq!((pandas.matrix.rows(), pandas.labels), (2, labels(&["0", "1"])));
    let r = reads("x.tsv", "a\tb\nr1\t1\t2\nr2\t3\t4");
    assert_eq!((r.matrix, r.labels), (x.clone(), labels(&["a", "b"])));
    let only_rows = reads("x.csv", "p, 1,2\nq,3, 4\n");
    assert_eq!((only_rows.matrix, only_rows.labels), (x.clone(), None));
    let byte_order_mark = reads("x.csv", "\u{feff}1,2\n\n3,4\n");
    assert_eq!((byte_order_mark.matrix, byte_order_mark.labels), (x, None));
    let one_column = reads("x.csv", "size\n1\n2\n");
    assert_eq!((one_column.matrix, one_column.labels), (dense(2, &[1.0, 2.0]), labels(&["size"])));
}

#[test]
fn matrix_market_symmetries() {
    let entries = |kind: &str, rest: &str| reads("x.mtx", format!("%%MatrixMarket matrix {kind}\n%\n{rest}")).matrix;
    assert_eq!(entries("coordinate real general", "3 2 3\n1 2 2\n3 2 4\n2 1 3\n"), sparse().into());
    assert_eq!(entries("coordinate integer general", "3 2 4\n1 2 2\n3 2 1\n3 2 3\n2 1 3\n"), sparse().into());
    let pattern = SparseMatrix::from_triplets(2, 2, vec![(0, 1, 1.0), (1, 0, 1.0), (1, 1, 1.0)]);
    assert_eq!(entries("coordinate pattern symmetric", "2 2 2\n2 1\n2 2\n"), pattern.into());
    let skew = SparseMatrix::from_triplets(2, 2, vec![(0, 1, -5.0), (1, 0, 5.0)]);
    assert_eq!(entries("coordinate real skew-symmetric", "2 2 1\n2 1 5\n"), skew.into());
    assert_eq!(entries("array real general", "2 2\n1\n2\n3\n4\n"), dense(2, &[1.0, 2.0, 3.0, 4.0]));
    assert_eq!(entries("array real symmetric", "2 2\n1\n2\n4\n"), dense(2, &[1.0, 2.0, 2.0, 4.0]));
    assert_eq!(entries("array integer skew-symmetric", "2 2\n3\n"), dense(2, &[0.0, 3.0, -3.0, 0.0]));
    let rows = reads_rows("x.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n");
    assert_eq!(rows.matrix, dense(3, &[1.0, 3.0, 5.0, 2.0, 4.0, 6.0]));
}

#[test]
fn sparse_archives_and_variables() {
    for format in ["csc", "csr", "coo"] {
        for deflate in [false, true] {
            let bytes = zip(&sparse_members(format), deflate);
            assert_eq!(reads("x.npz", &bytes).matrix, sparse().into(), "{format}");
            assert_eq!(reads_rows("x.npz", &bytes).matrix, sparse().transposed().into(), "{format}");
        }
    }
    for variable in [mat_sparse("s"), mat_compressed(&mat_sparse("s"))] {
        assert_eq!(reads("x.mat", mat(std::slice::from_ref(&variable))).matrix, sparse().into());
        assert_eq!(reads_rows("x.mat", mat(&[variable])).matrix, sparse().transposed().into());
    }
}

#[test]
fn unsorted_and_repeated_entries() {
    let mut members = sparse_members("csc");
    let integers = |values: &[i32]| {
        let dictionary = format!("{{'descr': '<i4', 'fortran_order': False, 'shape': ({},), }}", values.len());
        npy(&dictionary, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
    };
    members[0].1 = integers(&[2, 0, 2]); // values 3, 4, 2
    members[1].1 = integers(&[0, 0, 3]);
    let expected = SparseMatrix::from_triplets(3, 2, vec![(0, 1, 4.0), (2, 1, 5.0)]);
    assert_eq!(reads("x.npz", zip(&members, false)).matrix, expected.into());
}

#[test]
fn same_matrix_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str| {
        let path = folder.path().join(name);
        write_npz_csc(&path, 3, 2, 3, |l, entries| {
            let x = sparse();
            let (rows, values) = x.col(l);
            entries.extend(rows.iter().copied().zip(values.iter().copied()));
        })
        .unwrap();
        (std::fs::read(&path).unwrap(), read(&path, &ReadOptions::default()).unwrap().matrix)
    };
    let (first, matrix) = write("a.npz");
    assert_eq!(matrix, sparse().into());
    assert_eq!(first, write("b.npz").0);
    let error = write_npz_csc(&folder.path().join("c.npz"), 3, 2, 4, |_, entries| entries.push((0, 1.0))).unwrap_err();
    assert!(error.to_string().ends_with("c.npz` was promised 4 entries, but its columns hold 2"), "{error}");
}

/// Long and short lines on both sides of the tile of the transposing reader.
#[test]
fn transposed_while_read() {
    for (rows, cols) in [(1, 9), (9, 1), (33, 5000), (40, 4096), (5000, 33), (70_000, 3), (3, 140_000)] {
        let x = DenseMatrix::from_fn(rows, cols, |m, l| (m * cols + l + 1) as f64);
        let by_rows = npy_f64(rows, cols, x.transposed().values());
        assert_eq!(reads("x.npy", &by_rows).matrix, DataMatrix::from(x.clone()), "{rows} x {cols}");
        let member = zip(&[("x.npy", by_rows)], rows * cols < 200_000);
        assert_eq!(reads("x.npz", &member).matrix, DataMatrix::from(x.clone()), "{rows} x {cols}");
        let variable = mat(&[mat_variable("x", 6, &[rows as i32, cols as i32], x.values())]);
        assert_eq!(reads_rows("x.mat", variable).matrix, DataMatrix::from(x.transposed()), "{rows} x {cols}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn dense_round_trip(rows in 1..40usize, cols in 1..40usize, seed in any::<u32>()) {
        let value = |m: usize, l: usize| f64::from((m as u32 * 7919 + l as u32 * 104_729) ^ seed).sqrt() - 3.0;
        let x = DenseMatrix::from_fn(rows, cols, value);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.npy");
        write_npy(&path, &x).unwrap();
        prop_assert_eq!(read(&path, &ReadOptions::default()).unwrap().matrix, DataMatrix::from(x.clone()));
        let rows = ReadOptions { samples: Samples::Rows, ..Default::default() };
        prop_assert_eq!(read(&path, &rows).unwrap().matrix, DataMatrix::from(x.transposed()));
    }
}

/// The published data beside the project, when they are there.
#[test]
fn published_data() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    for (name, variable, rows, cols, entries) in [
        ("tdt2/TDT2.mat", "fea", 9394, 36771, 1_224_135),
        ("reuters/Reuters21578.mat", "fea", 8293, 18933, 389_455),
        ("samson/samson.mat", "V", 156, 9025, 156 * 9025),
    ] {
        let path = data.join(name);
        if !path.exists() {
            println!("skipped: {name} is not in a `shared/data` folder beside the project");
            continue;
        }
        let options = ReadOptions { variable: Some(variable.into()), ..Default::default() };
        let x = read(&path, &options).unwrap_or_else(|error| panic!("{error}")).matrix;
        assert_eq!((x.rows(), x.cols(), x.stored_count()), (rows, cols, entries), "{name}");
    }
}

#[test]
fn a_table_whose_rows_may_be_the_samples_says_so() {
    let table = b"name,a,b\nfirst,1,2\nsecond,3,4\nthird,5,6\n";
    let (_folder, path) = file("x.csv", table);
    let found = read(&path, &ReadOptions::default()).unwrap();
    let note = "each of the 2 columns of this table is taken for a sample; if its 3 rows are the samples, `samples = rows` says so";
    assert_eq!(found.notes(), [note]);
    let found = read(&path, &ReadOptions { samples: Samples::Rows, ..Default::default() }).unwrap();
    assert!(found.notes().is_empty() && found.matrix.cols() == 3);
    for plain in [&b"1,2\n3,4\n5,6\n"[..], b"a,b,c\n1,2,3\n4,5,6\n"] {
        assert!(reads("x.csv", plain).notes().is_empty());
    }
}
