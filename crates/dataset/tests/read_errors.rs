//! Every reason not to read a file, word for word.

mod common;

use common::*;
use merit_dataset::{ReadOptions, Samples, read};

/// The error of reading `bytes` as the file `name`, with the folder left out of its text.
fn error_with(name: &str, bytes: &[u8], options: &ReadOptions) -> String {
    let (folder, path) = file(name, bytes);
    let error = read(&path, options).expect_err("must not be read");
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

#[track_caller]
fn refuses(name: &str, bytes: impl AsRef<[u8]>, expected: &str) {
    let text = error_with(name, bytes.as_ref(), &ReadOptions::default());
    assert_eq!(text, expected);
}

fn shaped(shape: &str, descr: &str, bytes: usize) -> Vec<u8> {
    npy(&format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"), &vec![1; bytes])
}

#[test]
fn compressed_matrices() {
    let stored = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let banner = "%%MatrixMarket matrix coordinate real general\n";
    let whole = stored(&format!("{banner}2 2 1\n1 2 5\n"));
    let (_folder, path) = file("x.mtx.gz", &whole);
    assert_eq!(read(&path, &ReadOptions::default()).unwrap().matrix.stored_values().collect::<Vec<_>>(), [5.0]);
    refuses("x.mtx.gz", &whole[..whole.len() - 9], "`x.mtx.gz` is not as expected: it ends too early");
    refuses("x.mtx.gz", "no gzip at all", "`x.mtx.gz` is not as expected: its data are damaged");
    // More entries than so few bytes can hold, however well they are packed.
    let promise = stored(&format!("{banner}9 9 4000000000\n1 1 1\n"));
    let message =
        format!("line 2 of `x.mtx.gz` promises 4000000000 entries, but the file has only {} bytes", promise.len());
    refuses("x.mtx.gz", &promise, &message);
    let expected =
        "`x.csv.gz` has the extension `.gz`, but one of these is expected: .npy, .npz, .csv, .tsv, .mtx, .mat";
    refuses("x.csv.gz", stored("1,2\n"), expected);
}

#[test]
fn paths() {
    let folder = tempfile::tempdir().unwrap();
    let text = |name: &str| {
        let error = read(&folder.path().join(name), &ReadOptions::default()).unwrap_err().to_string();
        error.replace(&format!("{}/", folder.path().display()), "")
    };
    assert_eq!(text("missing.npy"), "`missing.npy` does not exist");
    std::fs::create_dir(folder.path().join("folder.npy")).unwrap();
    assert_eq!(text("folder.npy"), "`folder.npy` is a folder, but a file is expected");
    refuses(
        "x.xlsx",
        "1",
        "`x.xlsx` has the extension `.xlsx`, but one of these is expected: .npy, .npz, .csv, .tsv, .mtx, .mat",
    );
    refuses("x", "1", "`x` has no extension, but one of these is expected: .npy, .npz, .csv, .tsv, .mtx, .mat");
    for extension in ["npy", "npz", "csv", "tsv", "mtx", "mat"] {
        refuses(&format!("x.{extension}"), "", &format!("`x.{extension}` is empty (0 bytes)"));
    }
}

#[test]
fn npy_lengths() {
    let full = npy_f64(2, 3, &[1.0; 6]);
    refuses("x.npy", &full[..full.len() - 5], "`x.npy` is cut short: 43 bytes of values, but its header promises 48");
    let long = [&full[..], b"more"].concat();
    refuses("x.npy", long, "`x.npy` goes on for 4 bytes after the 48 bytes of values that its header promises");
    refuses("x.npy", &full[..30], "`x.npy` is not as expected: it ends too early");
    refuses("x.npy", "text", "`x.npy` is not as expected: it does not begin with \\x93NUMPY, as .npy files do");
    refuses("x.npy", npy("{'descr': 3}", &[]), "`x.npy` is not as expected: its header is `{\\'descr\\': 3}`");
}

#[test]
fn npy_types_and_shapes() {
    let refused = |descr, found: &str| {
        refuses("x.npy", shaped("(1, 1)", descr, 8), &format!("`x.npy` holds {found}, but real numbers are expected"));
    };
    refused("<c16", "complex128 values");
    refused("|O", "Python objects");
    refused("<U3", "text");
    refused("|S8", "text");
    refused("<M8[ns]", "dates or durations");
    refused("<f16", "long double values");
    refused("<q7", "values of the unknown type `<q7`");
    let record =
        npy("{'descr': [('a', '<f8'), ('b', '<i4', (2,))], 'fortran_order': False, 'shape': (1, 1), }", &[0; 16]);
    refuses("x.npy", &record, "`x.npy` holds records with named fields, but real numbers are expected");

    refuses("x.npy", shaped("()", "<f8", 8), "`x.npy` has 0 dimensions, shape (), but a matrix has 2");
    refuses("x.npy", shaped("(3,)", "|u1", 3), "`x.npy` has 1 dimension, shape (3,), but a matrix has 2");
    let cube = shaped("(4, 5, 6)", "|u1", 120);
    refuses("x.npy", &cube, "`x.npy` has 3 dimensions, shape (4, 5, 6), but a matrix has 2");
    refuses("x.npy", shaped("(0, 5)", "<f8", 0), "`x.npy` is 0 x 5: it has no rows");
    refuses("x.npy", shaped("(5, 0)", "<f8", 0), "`x.npy` is 5 x 0: it has no columns");
    let wide = shaped("(2, 5000000000)", "<f8", 0);
    refuses("x.npy", wide, "`x.npy` is 2 x 5000000000, but at most 4294967295 rows and columns can be handled");
}

#[test]
fn values() {
    let holes = npy_f64(2, 3, &[1.0, 2.0, 3.0, 4.0, f64::NAN, f64::INFINITY]);
    let expected = "row 1, column 1 of `x.npy` is NaN, but every value must be finite (2 are not)";
    refuses("x.npy", &holes, expected);
    let rows = ReadOptions { samples: Samples::Rows, ..Default::default() };
    assert_eq!(error_with("x.npy", &holes, &rows), expected);
    refuses("x.csv", "1,-inf\n", "row 0, column 1 of `x.csv` is -inf, but every value must be finite (1 is not)");
    let sparse = "%%MatrixMarket matrix coordinate real general\n5 9 2\n1 2 1\n4 8 nan\n";
    refuses("x.mtx", sparse, "row 3, column 7 of `x.mtx` is NaN, but every value must be finite (1 is not)");
    let zeros = npy_f64(2, 3, &[0.0; 6]);
    refuses("x.npy", zeros, "all 2 x 3 values of `x.npy` are zero, so there is nothing to factor");
    let empty = "%%MatrixMarket matrix coordinate real general\n5 9 0\n";
    refuses("x.mtx", empty, "all 5 x 9 values of `x.mtx` are zero, so there is nothing to factor");
}

#[test]
fn memory() {
    let options = ReadOptions { memory_limit: Some(3000), ..Default::default() };
    let text = error_with("x.npy", &npy_f64(20, 30, &[1.0; 600]), &options);
    assert_eq!(text, "`x.npy` needs 4.8 kB of memory, but only 3.0 kB are available");
    let pointers = "%%MatrixMarket matrix coordinate real general\n2 4000000000 1\n1 1 1\n";
    let text = error_with("x.mtx", pointers.as_bytes(), &options);
    assert_eq!(text, "`x.mtx` needs 64.0 GB of memory, but only 3.0 kB are available");
}

#[test]
fn delimited_text() {
    refuses("x.csv", "1,2\n3\n", "line 2 of `x.csv` has 1 fields, but 2 are expected as in the first");
    refuses("x.csv", "a,b\n1,2,3\n", "line 2 of `x.csv` has 3 fields, but 2 are expected as in the first");
    refuses("x.csv", "a,b\n1,2\n\n3,\n", "line 4, field 2 of `x.csv` is empty, but a number is expected");
    refuses("x.csv", "a,b\r\n\r\n1,\r\n", "line 3, field 2 of `x.csv` is empty, but a number is expected");
    refuses("x.csv", "\"a\nb\",c\n1,2\n3,x", "line 4, field 2 of `x.csv` is `x`, but a number is expected");
    refuses("x.csv", "1,,3\n", "line 1, field 2 of `x.csv` is empty, but a number is expected");
    refuses("x.csv", "1,2\n3,four\n", "line 2, field 2 of `x.csv` is `four`, but a number is expected");
    refuses("x.csv", "1,2,x\n3,4,5\n", "line 1, field 3 of `x.csv` is `x`, but a number is expected");
    refuses("x.tsv", "a\tb\nn\t1,5\n", "line 2, field 2 of `x.tsv` is `1,5`, but a number is expected");
    refuses("x.csv", "a,b\n", "`x.csv` is 0 x 2: it has no rows");
    refuses("x.csv", "\n\n", "`x.csv` is 0 x 0: it has no rows");
}

#[test]
fn matrix_market() {
    let banner = "%%MatrixMarket matrix coordinate real general\n";
    let with = |rest: &str| format!("{banner}{rest}");
    refuses(
        "x.mtx",
        "3 3 1\n",
        "line 1 of `x.mtx` is not a Matrix Market banner, as `%%MatrixMarket matrix coordinate real general`",
    );
    refuses(
        "x.mtx",
        with("% c\n3 3\n"),
        "line 3 of `x.mtx` is not the expected line of sizes: rows, columns and entries",
    );
    refuses("x.mtx", with("3 3 1\n0 1 1\n"), "line 3 of `x.mtx` has row `0`, but a number from 1 to 3 is expected");
    refuses("x.mtx", with("3 3 1\n1 4 1\n"), "line 3 of `x.mtx` has column `4`, but a number from 1 to 3 is expected");
    refuses("x.mtx", with("3 3 1\n1 1\n"), "line 3 of `x.mtx` has 2 fields, but 3 are expected");
    refuses("x.mtx", with("3 3 1\n1 1 x\n"), "line 3 of `x.mtx` has `x`, but a number is expected");
    refuses("x.mtx", with("3 3 2\n1 1 1\n"), "`x.mtx` is not as expected: it ends after 1 entries, but promises 2");
    refuses("x.mtx", with("3 3 1\n1 1 1\n2 2 2\n"), "line 4 of `x.mtx` follows the last of the 1 entries promised");
    refuses("x.mtx", with("3 3 99\n"), "line 2 of `x.mtx` promises 99 entries, but the file has only 53 bytes");
    refuses("x.mtx", with("0 3 0\n"), "`x.mtx` is 0 x 3: it has no rows");
    let complex = "%%MatrixMarket matrix coordinate complex general\n";
    refuses("x.mtx", complex, "`x.mtx` holds complex values, but real numbers are expected");
    let hermitian = "%%MatrixMarket matrix array real hermitian\n";
    refuses("x.mtx", hermitian, "`x.mtx` holds a complex Hermitian matrix, but real numbers are expected");
    let symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
    let upper = format!("{symmetric}3 3 1\n1 2 1\n");
    refuses("x.mtx", upper, "line 3 of `x.mtx` is row 1, column 2, but an entry below the diagonal is expected");
    refuses("x.mtx", format!("{symmetric}3 4 1\n"), "line 2 of `x.mtx` is 3 x 4, but a symmetric matrix is square");
}

#[test]
fn archives() {
    let one = npy_f64(1, 2, &[1.0, 2.0]);
    let two = zip(&[("a.npy", one.clone()), ("b.npy", one.clone())], true);
    refuses("x.npz", &two, "`x.npz` holds 2 matrices, but one is expected: `a`, `b`");
    let options = ReadOptions { variable: Some("c".into()), ..Default::default() };
    assert_eq!(error_with("x.npz", &two, &options), "`x.npz` holds no variable `c`, but `a`, `b`");
    refuses("x.npz", zip(&[("readme.txt", one.clone())], false), "`x.npz` holds no numeric matrix");
    let text = "`x.npz` is not as expected: it is not a zip archive, as .npz files are, or it is cut short";
    refuses("x.npz", &two[..two.len() - 3], text);
    let mut damaged = zip(&[("a.npy", one.clone())], false);
    damaged[110] ^= 1;
    refuses("x.npz", damaged, "`a` in `x.npz` is not as expected: its data are damaged");
    let short = zip(&[("a.npy", one[..one.len() - 1].to_vec())], false);
    refuses("x.npz", short, "`a` in `x.npz` is cut short: 15 bytes of values, but its header promises 16");
    let mut members = sparse_members("csc");
    members[2].1 = npy("{'descr': '|S3', 'fortran_order': False, 'shape': (), }", b"bsr");
    let bsr = zip(&members, false);
    refuses("x.npz", &bsr, "`x.npz` is a SciPy sparse matrix in bsr format, but csc, csr or coo is expected");
}

#[test]
fn matlab() {
    let a = mat_variable("a", 6, &[1, 2], &[1.0, 2.0]);
    let b = mat_compressed(&mat_variable("b", 6, &[2, 1], &[1.0, 2.0]));
    let two = mat(&[a.clone(), b]);
    refuses("x.mat", &two, "`x.mat` holds 2 matrices, but one is expected: `a` (1 x 2), `b` (2 x 1)");
    let options = ReadOptions { variable: Some("c".into()), ..Default::default() };
    let expected = "`x.mat` holds no variable `c`, but `a` (1 x 2), `b` (2 x 1)";
    assert_eq!(error_with("x.mat", &two, &options), expected);
    let hdf5 = "`x.mat` is a MATLAB 7.3 file (HDF5), but only versions 5 to 7 can be read";
    refuses("x.mat", b"\x89HDF\r\n", hdf5);
    refuses("x.mat", [&[b' '; 512][..], b"\x89HDF\r\n"].concat(), hdf5);
    refuses("x.mat", "1 2 3", "`x.mat` is not as expected: it does not begin with the header of a MATLAB 5 file");
    refuses("x.mat", mat(&[mat_variable("t", 4, &[1, 2], &[1.0, 2.0])]), "`x.mat` holds no numeric matrix");
    let complex = mat(&[mat_variable("z", 0x806, &[1, 2], &[1.0, 2.0])]);
    refuses("x.mat", &complex, "`x.mat` holds no numeric matrix");
    let options = ReadOptions { variable: Some("z".into()), ..Default::default() };
    let expected = "`z` in `x.mat` holds complex values, but real numbers are expected";
    assert_eq!(error_with("x.mat", &complex, &options), expected);
    let whole = mat(&[a]);
    let cut = &whole[..whole.len() - 4];
    refuses("x.mat", cut, "`x.mat` is cut short: 68 bytes of values, but its header promises 72");
    let few = mat(&[mat_variable("a", 6, &[2, 2], &[1.0, 2.0])]);
    let sparse = mat(&[mat_sparse("s")]);
    let mut bad = sparse.clone();
    bad[192] = 9; // the first row index
    refuses("x.mat", bad, "`s` in `x.mat` is not as expected: an entry has index 9, but there are only 3, from 0");
    refuses("x.mat", few, "`a` in `x.mat` is cut short: 16 bytes of values, but its header promises 32");
}
