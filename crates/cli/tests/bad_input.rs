//! What cannot be worked on: one clear message, the right exit code, no panic, and nothing left behind.

#![allow(non_snake_case)] // C, H as in the paper

mod support;

use merit_linalg::DenseMatrix;
use std::fs::{self, File};
use support::*;

const UNFIT: &str = "hint: `--init` takes the C.npz of a run on the same data; or start from `--init spa`\n";

/// A folder with the tiny matrix as `x.npy`.
fn with_tiny() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.npy("x.npy", &tiny());
    sandbox
}

/// `x.npy` holds these bytes: refused as bad data.
#[track_caller]
fn refuses_file(bytes: &[u8], stderr: &str) {
    let sandbox = Sandbox::new();
    sandbox.write("x.npy", bytes).refuses("factor x.npy --rank 2 --output run --report page.html", 1, stderr);
}

/// The option and its value are refused as bad usage.
#[track_caller]
fn refuses_value(option: &str, value: &str, shown: &str, expected: &str) {
    let line = format!("factor x.npy {option} {value} --output run");
    let stderr =
        format!("error: invalid value '{value}' for '{shown}': {expected}\n\nFor more information, try '--help'.\n");
    with_tiny().refuses(&line, 2, &stderr);
}

#[test]
fn paths_that_hold_no_matrix() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("folder.npy")).unwrap();
    sandbox.write("x.xlsx", "1").write("x", "1").write("empty.npy", "").write("empty.csv", "");
    sandbox.refuses("factor missing.npy --output run", 1, "error: `missing.npy` does not exist\n");
    sandbox.refuses("factor folder.npy --output run", 1, "error: `folder.npy` is a folder, but a file is expected\n");
    let formats = "one of these is expected: .npy, .npz, .csv, .tsv, .mtx, .mat\nhint: ";
    let sheet = format!("error: `x.xlsx` has the extension `.xlsx`, but {formats}export the sheet as .csv\n");
    sandbox.refuses("factor x.xlsx --output run", 1, &sheet);
    let unknown =
        format!("error: `x` has no extension, but {formats}save it as one of these, as with `np.save(\"x.npy\", x)`\n");
    sandbox.refuses("factor x --output run", 1, &unknown);
    sandbox.write("semicolons.csv", "juice;sugar;acid\na;1,0;0,5\n").write("gap.csv", "1,2\n3,\n");
    sandbox.refuses(
        "factor semicolons.csv",
        1,
        "error: line 2 of `semicolons.csv` has 3 fields, but 1 are expected as in the first\n\
         hint: fields are separated by commas in .csv, by tabs in .tsv, and numbers have decimal points; save the table that way\n",
    );
    sandbox.refuses(
        "factor gap.csv",
        1,
        "error: line 2, field 2 of `gap.csv` is empty, but a number is expected\n\
         hint: fill the gaps first, or leave out the rows or columns that have them\n",
    );
    for name in ["empty.npy", "empty.csv"] {
        let hint = "hint: was it written or copied completely? make it again";
        let stderr = format!("error: `{name}` is empty (0 bytes)\n{hint}\n");
        sandbox.refuses(&format!("factor {name} --output run"), 1, &stderr);
    }
}

#[test]
fn truncated_npy() {
    let full = npy_f64(2, 3, &[1.0; 6]);
    refuses_file(
        &full[..full.len() - 5],
        "error: `x.npy` is cut short: 43 bytes of values, but its header promises 48\n\
         hint: was it written or copied completely? make it again\n",
    );
    refuses_file(&full[..30], "error: `x.npy` is not as expected: it ends too early\n");
}

#[test]
fn types_that_are_not_real_numbers() {
    refuses_file(
        &npy("<c16", "(2, 2)", &[0; 64]),
        "error: `x.npy` holds complex128 values, but real numbers are expected\nhint: keep the real part, `x.real`\n",
    );
    refuses_file(
        &npy("|O", "(2, 2)", &[0; 64]),
        "error: `x.npy` holds Python objects, but real numbers are expected\n\
         hint: convert it first, as with `x.astype(float)`\n",
    );
}

#[test]
fn arrays_that_are_not_matrices() {
    refuses_file(
        &npy("<f8", "(3,)", &[0; 24]),
        "error: `x.npy` has 1 dimension, shape (3,), but a matrix has 2\n\
         hint: give it 2 dimensions first: `x.reshape(1, -1)` for one row, `x.reshape(-1, 1)` for one column\n",
    );
    refuses_file(
        &npy("<f8", "(1, 2, 3)", &[0; 48]),
        "error: `x.npy` has 3 dimensions, shape (1, 2, 3), but a matrix has 2\n\
         hint: give it 2 dimensions first, as with `x.reshape(-1, 3).T` for one pixel per column\n",
    );
    refuses_file(&npy("<f8", "(0, 3)", &[]), "error: `x.npy` is 0 x 3: it has no rows\n");
    refuses_file(&npy("<f8", "(3, 0)", &[]), "error: `x.npy` is 3 x 0: it has no columns\n");
}

#[test]
fn values_that_are_not_finite() {
    let hint = "hint: fill the gaps first, as with `np.nan_to_num(x)`, or leave these columns out\n";
    for (value, shown) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")] {
        let stderr =
            format!("error: row 1, column 2 of `x.npy` is {shown}, but every value must be finite (1 is not)\n{hint}");
        refuses_file(&npy_f64(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, value]), &stderr);
    }
    let sandbox = Sandbox::new();
    sandbox.write("x.csv", "a,b\n1,2\nnan,inf\n");
    let stderr =
        format!("error: row 1, column 0 of `x.csv` is NaN, but every value must be finite (2 are not)\n{hint}");
    sandbox.refuses("factor x.csv --output run", 1, &stderr);
    sandbox.refuses("factor x.csv --samples rows --output run", 1, &stderr);
}

#[test]
fn entries_whose_squares_overflow() {
    refuses_file(
        &npy_f64(1, 3, &[1e200, 2.0, 3.0]),
        "error: `x.npy`: the largest entry is 1e200: squares would leave the range of floating-point numbers\n\
         hint: divide the matrix by its largest entry\n",
    );
}

#[test]
fn all_zero_matrix() {
    refuses_file(
        &npy_f64(2, 3, &[0.0; 6]),
        "error: all 2 x 3 values of `x.npy` are zero, so there is nothing to factor\n",
    );
}

/// The tiny matrix with zero columns at 1 and 7, so that its anchors are 0, 3 and 6.
fn with_zero_columns() -> DenseMatrix {
    let (x, zero) = (tiny(), [0.0; 4]);
    let columns = [x.col(0), &zero, x.col(1), x.col(2), x.col(3), x.col(4), x.col(5), &zero];
    DenseMatrix::from_columns(4, columns.concat())
}

#[test]
fn zero_columns_are_kept_out_and_noted() {
    let sandbox = Sandbox::new();
    sandbox.npy("x.npy", &with_zero_columns());
    for (i, (options, note)) in [
        ("--rank 3", "kept out of the problem; their columns of H are the best weights for a zero column"),
        ("", "kept out of the problem; their columns of H are the best weights for a zero column"),
        ("--rank 3 --method spa", "kept out of the problem; their columns of H are the best weights for a zero column"),
        (
            "--rank 3 --regularization 0.01",
            "part of the problem as it was given, but never anchors (leave them out with `--zero-columns drop`)",
        ),
        (
            "--rank 3 --regularization 0.01 --zero-columns drop",
            "kept out of the problem; their columns of H are the best weights for a zero column",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let outcome = sandbox.ok(&format!("factor x.npy {options} --output run{i}"));
        let note = format!("2 zero columns (1, 7): {note}");
        assert!(outcome.stderr.contains(&format!("note: {note}\n")), "{options}: {}", outcome.stderr);
        let run = sandbox.json(&format!("run{i}/run.json"));
        assert_eq!(anchors(&run), [0, 3, 6], "{options}");
        assert_eq!(run["notes"][0], note, "{options}");
        assert_eq!(run["preprocessing"]["zero_columns"], 2, "{options}");
        let H = sandbox.matrix(&format!("run{i}/H.npy"));
        assert_eq!((H.rows(), H.cols()), (3, 8));
        for l in 0..8 {
            let (sum, least) = (H.col(l).iter().sum::<f64>(), H.col(l).iter().copied().fold(1.0, f64::min));
            assert!((sum - 1.0).abs() < 1e-9 && least >= 0.0, "{options}: column {l} of H is {:?}", H.col(l));
        }
    }
}

#[test]
fn ranks_out_of_range() {
    refuses_value("--rank", "0", "--rank <K>", "expected a whole number, at least 1, or estimated");
    refuses_value("--rank", "2.5", "--rank <K>", "expected a whole number, at least 1, or estimated");
    let sandbox = with_tiny();
    sandbox.npy("tall.npy", &tiny().transposed());
    sandbox.refuses("factor x.npy --rank 7 --output run", 2, "error: `--rank 7`, but `x.npy` has only 6 columns\n");
    sandbox.refuses(
        "factor tall.npy --rank 5 --output run",
        2,
        "error: `--rank 5`, but `tall.npy` has only 4 columns\n\
         hint: if the samples are its 6 rows, say `--samples rows`\n",
    );
    sandbox.refuses(
        "factor x.npy --rank 5 --samples rows --output run",
        2,
        "error: `--rank 5`, but `x.npy` has only 4 rows\n\
         hint: if the samples are its 6 columns, say `--samples columns`\n",
    );
    sandbox.npy("same.npy", &DenseMatrix::from_columns(2, vec![1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 1.0]));
    for options in ["", "--regularization 0.1", "--method spa", "--merge-duplicates 0"] {
        sandbox.refuses(
            &format!("factor same.npy --rank 3 {options} --output run --quiet"),
            2,
            "error: `--rank 3`, but only 2 columns of `same.npy` are nonzero and different from each other\n\
             hint: give `--rank 2` or less\n",
        );
    }
}

#[test]
fn settings_out_of_range() {
    for value in ["-1", "nan", "inf", "often"] {
        let expected = "expected auto, auto-fast, paper, or a number that is at least 0";
        refuses_value("--regularization", value, "--regularization <RULE>", expected);
    }
    for value in ["0", "-1", "NaN"] {
        refuses_value("--smoothing", value, "--smoothing <MU>", "expected a number greater than 0");
    }
    refuses_value("--iterations", "0", "--iterations <T>", "expected a whole number, at least 1");
    refuses_value("--gap-tolerance", "-1", "--gap-tolerance <GAP>", "expected a number, at least 0, or off");
    refuses_value("--threads", "0", "--threads <N>", "expected a whole number from 1 to 4096");
    let expected = "expected none, or pca:DIM with a whole number DIM, at least 1";
    refuses_value("--reduce", "pca:0", "--reduce <none|pca:DIM>", expected);
    with_tiny().refuses(
        "factor x.npy --rank 2 --reduce pca:9 --output run --quiet",
        2,
        "error: cannot reduce to 9 dimensions: the matrix is 4 x 6\nhint: `--reduce pca:4` is the most\n",
    );
}

#[test]
fn starts_that_do_not_fit() {
    let sandbox = with_tiny();
    let identity = |n: usize| DenseMatrix::from_fn(n, n, |i, j| f64::from(i == j));
    let altered = |entries: &[(usize, f64)]| {
        let mut C = identity(6);
        entries.iter().for_each(|&(row, value)| C.col_mut(1)[row] = value);
        C
    };
    sandbox.npy("small.npy", &identity(5)).npy("short.npy", &altered(&[(1, 0.9)]));
    sandbox.npy("negative.npy", &altered(&[(0, -0.5), (1, 1.5)]));
    for (name, problem) in [
        ("small.npy", "the initial C is 5 x 5, but X has 6 columns: it must be 6 x 6"),
        ("short.npy", "the initial C is not feasible: column 1 sums to 0.9, but must be nonnegative and sum to 1"),
        (
            "negative.npy",
            "the initial C is not feasible: column 1 holds -0.5 in row 0, but must be nonnegative and sum to 1",
        ),
    ] {
        let line = format!("factor x.npy --rank 3 --regularization 0.1 --init {name} --output run --quiet");
        sandbox.refuses(&line, 1, &format!("error: {problem}\n{UNFIT}"));
    }
    let line = "factor x.npy --rank 3 --init missing.npz --output run --quiet";
    sandbox.refuses(line, 1, "error: `missing.npz` does not exist\n");
}

#[test]
fn places_that_cannot_be_written() {
    let sandbox = with_tiny();
    sandbox.write("file", "mine");
    let line = |rest: &str| format!("factor x.npy --rank 3 --quiet {rest}");
    sandbox.refuses(
        &line("--output file"),
        2,
        "error: `file` is a file, but a folder is expected\nhint: choose another name\n",
    );
    let stderr = sandbox.refusal(&line("--output file/run"), 1);
    assert!(stderr.starts_with("error: `file/run` cannot be created: "), "{stderr}");
    let stderr = sandbox.refusal(&line("--output run --report file/page.html"), 1);
    assert!(stderr.starts_with("error: `file/page.html` cannot be created: "), "{stderr}");
    let same = "error: `--output` and `--report` name the same place\nhint: the page is a file of its own\n";
    sandbox.refuses(&line("--output run --report ./run"), 2, same);
    if cfg!(target_os = "linux") {
        let stderr = sandbox.refusal(&line("--output /proc/run"), 1);
        assert!(stderr.starts_with("error: `/proc/run` cannot be created: "), "{stderr}");
        let stderr = sandbox.refusal(&line("--output run --report /proc/page.html"), 1);
        assert!(stderr.starts_with("error: `/proc/page.html` cannot be created: "), "{stderr}");
    }
}

#[test]
fn output_that_exists() {
    let sandbox = with_tiny();
    sandbox.factor("x.npy", "--rank 3", "run");
    let before = sandbox.text("run/run.json");
    sandbox.refuses(
        "factor x.npy --rank 2 --output run",
        2,
        "error: `run` exists already\nhint: choose another name, or replace it with `--force`\n",
    );
    assert_eq!(sandbox.text("run/run.json"), before);
    sandbox.refuses("factor missing.npy --output run --force", 1, "error: `missing.npy` does not exist\n");
    assert_eq!(sandbox.text("run/run.json"), before);
    assert_eq!(sandbox.factor("x.npy", "--rank 2 --force", "run")["rank"], 2);

    fs::create_dir(sandbox.path("photos")).unwrap();
    sandbox.write("photos/holiday.jpg", "precious");
    sandbox.refuses(
        "factor x.npy --rank 2 --output photos --force",
        2,
        "error: `photos` holds no `run.json` or `truth.json` in which merit lists its files, so it is not replaced: it may be someone's data\n\
         hint: choose another name, or remove the folder yourself\n",
    );
    sandbox.refuses(
        "generate dirichlet --output photos --force",
        2,
        "error: `photos` holds no `run.json` or `truth.json` in which merit lists its files, so it is not replaced: it may be someone's data\n\
         hint: choose another name, or remove the folder yourself\n",
    );
    assert_eq!(sandbox.text("photos/holiday.jpg"), "precious");
}

#[test]
fn matrix_that_does_not_fit_in_memory() {
    let (rows, cols) = (100_000u64, 1_000_000u64);
    let sandbox = Sandbox::new();
    let header = npy("<f8", &format!("({rows}, {cols})"), &[]);
    sandbox.write("x.npy", &header);
    // A hole of 800 GB, which takes no room on the disk.
    let file = File::options().write(true).open(sandbox.path("x.npy")).unwrap();
    if let Err(error) = file.set_len(header.len() as u64 + 8 * rows * cols) {
        println!("skipped: no file with holes can be made here: {error}");
        return;
    }
    let stderr = sandbox.refusal("factor x.npy --rank 10 --output run", 1);
    let lines: Vec<&str> = stderr.lines().collect();
    assert!(lines[0].starts_with("error: `x.npy` needs 800.0 GB of memory, but only "), "{stderr}");
    assert!(lines[0].ends_with(" are available"), "{stderr}");
    let hint = "hint: if most values are zero, save it sparse with `scipy.sparse.save_npz`; or use fewer columns";
    assert_eq!(lines[1..], [hint]);
}

#[test]
fn other_commands_refuse_alike() {
    let sandbox = with_tiny();
    sandbox.refuses(
        "generate dirichlet --rows 5 --cols 3 --rank 4 --output data",
        2,
        "error: `rank` must be at most `cols`, but 4 anchors do not fit into 3 columns\n",
    );
    sandbox.refuses("bench nowhere.csv", 1, "error: `nowhere.csv` does not exist\n");
    sandbox.refuses("demo --rank 0 --report page.html", 2, "error: `rank` must be at least 1, but is 0\n");
    sandbox.factor("x.npy", "--rank 3", "run");
    let stderr = sandbox.refusal("evaluate run --truth nowhere", 1);
    assert!(stderr.starts_with("error: `nowhere/truth.json` cannot be read: "), "{stderr}");
    assert!(stderr.ends_with("hint: give the folder that `merit generate ... --output DIR` wrote\n"), "{stderr}");
    sandbox.ok("generate dirichlet --rows 5 --cols 9 --rank 2 --output data");
    sandbox.refuses(
        "evaluate run --truth data",
        1,
        "error: `run/W.npy` is 4 x 3, but 5 x 3 is expected: the folders belong to different data\n",
    );
}

#[test]
fn integers_and_single_precision_are_accepted() {
    let sandbox = Sandbox::new();
    let rows: Vec<f64> = tiny().transposed().values().to_vec();
    let bytes = |of: &dyn Fn(f64) -> Vec<u8>| rows.iter().flat_map(|&value| of(value)).collect::<Vec<u8>>();
    for (descr, values) in [
        ("<f4", bytes(&|value| (value as f32).to_le_bytes().to_vec())),
        (">f8", bytes(&|value| value.to_be_bytes().to_vec())),
        ("<i8", bytes(&|value| (value as i64).to_le_bytes().to_vec())),
        ("|u1", bytes(&|value| vec![value as u8])),
    ] {
        let (name, output) = (format!("{}.npy", &descr[1..]), format!("run-{}", &descr[1..]));
        sandbox.write(&name, npy(descr, "(4, 6)", &values));
        assert_eq!(anchors(&sandbox.factor(&name, "--rank 3", &output)), [0, 2, 5], "{descr}");
        assert_eq!(sandbox.matrix(&format!("{output}/W.npy")).rows(), 4);
    }
}

#[test]
fn negative_entries_are_accepted_with_a_note() {
    let sandbox = Sandbox::new();
    let mut x = tiny();
    x.values_mut().iter_mut().for_each(|value| *value -= 1.0);
    let outcome = sandbox.npy("x.npy", &x).ok("factor x.npy --rank 3 --output run");
    assert!(outcome.stderr.contains("note: the matrix has negative entries, so W may have them too\n"), "{outcome:?}");
    assert_eq!(anchors(&sandbox.json("run/run.json")), [0, 2, 5]);
}

/// Inverses of numbers below 1e-308 are beyond all numbers: once this was a panic, or no anchors and success.
#[test]
fn numbers_next_to_zero_are_no_reason_to_fail() {
    let sandbox = Sandbox::new();
    sandbox.write("x.csv", "1,0,1e-310\n0,1,1e-312\n").write("id.csv", "1,0,0\n0,1,0\n0,0,1\n");
    for method in ["merit", "spa", "xray", "fast-anchor", "norm-ratio", "fast-gradient"] {
        for rule in ["none", "l1"] {
            let options = format!("--rank 2 --method {method} --normalize {rule} --force");
            assert_eq!(anchors(&sandbox.factor("x.csv", &options, "run")).len(), 2, "{options}");
            for name in ["run/W.npy", "run/H.npy"] {
                assert!(sandbox.matrix(name).values().iter().all(|v| v.is_finite()), "{options} {name}");
            }
        }
        let said = sandbox.ok(&format!("factor x.csv --rank 2 --method {method}")).stderr;
        assert!(said.contains("1 zero column (2; the squares of 1 of 1 vanish)"), "{said}");
        let said = sandbox.refusal(&format!("factor x.csv --rank 3 --method {method} --quiet"), 2);
        assert!(said.contains("only 2 columns of `x.csv` are nonzero and different"), "{said}");
    }
    sandbox.factor("id.csv", "--rank 2 --regularization 1e-308 --smoothing 0.9 --force", "run");
}
