//! `--memory`: a matrix that would take more stays in its file, and all results are the same, byte for byte.

mod support;

use merit_linalg::DenseMatrix;
use support::*;

/// 32 MB, of which a run makes 100 MB and more.
fn data(sandbox: &Sandbox) -> DenseMatrix {
    let x = synthetic(1000, 4000, 4, 20.0, 3).x;
    sandbox.npy("x.npy", &x);
    x
}

/// The results of two runs that must not differ.
#[track_caller]
fn same(sandbox: &Sandbox, one: &str, other: &str) {
    for name in ["anchors.csv", "W.npy", "H.npy", "C.npz"] {
        let of = |run: &str| std::fs::read(sandbox.path(&format!("{run}/{name}"))).ok();
        assert!(of(one) == of(other), "{name} of {one} and {other} differ");
    }
    let (one, other) = (sandbox.json(&format!("{one}/run.json")), sandbox.json(&format!("{other}/run.json")));
    for key in ["anchors", "objective", "gap", "regularization", "factors"] {
        assert_eq!(one[key], other[key], "{key}");
    }
}

#[track_caller]
fn out_of_core_note(run: &serde_json::Value) -> String {
    let notes = run["notes"].as_array().unwrap().iter().filter_map(|note| note.as_str());
    let found: Vec<&str> = notes.filter(|note| note.starts_with("out of core: ")).collect();
    assert_eq!(found.len(), 1, "{:?}", run["notes"]);
    found[0].to_string()
}

const OPTIONS: &str = "--rank 4 --regularization 0.1 --iterations 5 --certificate off";

#[test]
fn results_are_those_of_a_run_in_memory() {
    let sandbox = Sandbox::new();
    data(&sandbox);
    sandbox.factor("x.npy", OPTIONS, "plain");
    for (memory, threads, residuals) in
        [("80MB", 1, "scratch file of 32.0 MB"), ("80MB", 2, "scratch file of 32.0 MB"), ("110MB", 2, "are in memory")]
    {
        let run = format!("run-{memory}-{threads}");
        let said = sandbox.ok(&format!("factor x.npy {OPTIONS} --memory {memory} --threads {threads} --output {run}"));
        same(&sandbox, "plain", &run);
        let record = sandbox.json(&format!("{run}/run.json"));
        let note = out_of_core_note(&record);
        assert!(note.contains("X (32.0 MB) stays in its file") && note.contains(residuals), "{note}");
        assert!(said.stderr.starts_with("note: out of core: "), "it says so beforehand: {}", said.stderr);
        assert_eq!(record["search_kind"]["columns"], "panels");
        assert_eq!(record["settings"]["memory"], memory[..memory.len() - 2].parse::<u64>().unwrap() * 1_000_000);
    }
    // Where all of it fits, nothing is different.
    let record = sandbox.factor("x.npy", &format!("{OPTIONS} --memory 2GiB"), "fits");
    same(&sandbox, "plain", "fits");
    assert_eq!(record["settings"]["memory"], 2u64 << 30);
    assert_ne!(record["search_kind"]["columns"], "panels");
    assert!(!sandbox.listing().iter().any(|name| name.contains("scratch")), "{:?}", sandbox.listing());
}

#[test]
fn the_automatic_lambda_a_warm_start_and_spa_too() {
    let sandbox = Sandbox::new();
    data(&sandbox);
    for (name, options) in [
        ("auto", "--rank 4 --iterations 4 --certificate off --memory 130MB"),
        ("warm", "--rank 4 --regularization 0.1 --init spa --iterations 3 --certificate off --memory 80MB"),
        ("spa", "--rank 4 --method spa --memory 80MB"),
    ] {
        let plain = options.split(" --memory").next().unwrap();
        sandbox.factor("x.npy", plain, &format!("{name}-plain"));
        let record = sandbox.factor("x.npy", options, name);
        same(&sandbox, &format!("{name}-plain"), name);
        out_of_core_note(&record);
    }
}

/// Other layouts than that of the matrix are written into a scratch file first.
#[test]
fn any_layout_of_a_dense_file_will_do() {
    let sandbox = Sandbox::new();
    let x = data(&sandbox);
    let rows: Vec<f64> =
        (0..x.rows()).flat_map(|m| (0..x.cols()).map(move |l| (m, l))).map(|(m, l)| x.get(m, l)).collect();
    sandbox.write("rows.npy", npy_f64(x.rows(), x.cols(), &rows));
    sandbox.write("samples.npy", npy_f64(x.cols(), x.rows(), x.values())); // a sample per row, but not where numbers can begin
    let single: Vec<u8> = x.values().iter().flat_map(|&v| (v as f32).to_le_bytes()).collect();
    sandbox.write("single.npy", npy("<f4", &format!("({}, {})", x.cols(), x.rows()), &single));
    for (input, options) in [("rows.npy", ""), ("samples.npy", "--samples rows"), ("single.npy", "--samples rows")] {
        let options = format!("{OPTIONS} {options}");
        sandbox.factor(input, &options, &format!("{input}-plain"));
        let record = sandbox.factor(input, &format!("{options} --memory 80MB"), &format!("{input}-run"));
        same(&sandbox, &format!("{input}-plain"), &format!("{input}-run"));
        assert!(out_of_core_note(&record).contains("X is first written into a scratch file of 32.0 MB"));
    }
}

#[test]
fn what_would_copy_the_matrix_is_refused() {
    let sandbox = Sandbox::new();
    data(&sandbox);
    for asked in [
        "--normalize l1",
        "--merge-duplicates 0",
        "--reduce pca:3",
        "--minimum-support 2",
        "--path",
        "--certificate 5",
        "--method exact",
        "--kernel scalar",
    ] {
        let options = OPTIONS.replace(" --certificate off", "");
        let said = sandbox.refusal(&format!("factor x.npy {options} {asked} --memory 110MB --output run"), 2);
        let flag = asked.split(' ').next().unwrap();
        assert!(said.contains(&format!("`{flag}")) && said.contains("takes a copy of X or more"), "{asked}: {said}");
        assert!(said.ends_with("hint: leave it out, or give more `--memory`\n"), "{said}");
    }
    let said = sandbox.refusal("factor x.npy --regularization 0.1 --memory 110MB", 2);
    assert!(said.contains("an estimate of `--rank` takes a copy of X or more"), "{said}");
    let said = sandbox.refusal(&format!("factor x.npy {OPTIONS} --memory 80MB --checkpoint states"), 2);
    assert!(said.starts_with("error: `--checkpoint` writes residuals as large as X every time"), "{said}");
}

#[test]
fn too_little_memory_is_said_with_numbers() {
    let sandbox = Sandbox::new();
    let x = data(&sandbox);
    let said = sandbox.refusal(&format!("factor x.npy {OPTIONS} --memory 20MB"), 2);
    assert!(said.starts_with("error: `--memory` is 20.0 MB, but factoring 1000 x 4000 takes "), "{said}");
    assert!(said.contains("even where the matrix stays in its file"), "{said}");
    // Other formats are read; those that do not fit are refused.
    sandbox.write("x.csv", csv(&x.select(&(0..500).collect::<Vec<_>>())));
    sandbox.ok(&format!("factor x.csv {OPTIONS} --memory 80MB --quiet"));
    let said = sandbox.refusal(&format!("factor x.csv {OPTIONS} --memory 6MB"), 2);
    assert!(said.starts_with("error: `--memory` is 6.0 MB, but factoring `x.csv` (1000 x 500) takes about "), "{said}");
    for wrong in ["0", "many", "1XB", "-5MB"] {
        let said = sandbox.run(&format!("factor x.npy --memory={wrong}"));
        assert_eq!(said.code, Some(2), "{wrong}");
        assert!(said.stderr.contains("expected a size, as 500MB, 8GB or 1.5GiB"), "{}", said.stderr);
    }
}

#[test]
fn zero_columns_cannot_be_left_out_of_a_file() {
    let sandbox = Sandbox::new();
    let mut x = data(&sandbox);
    x.col_mut(17).fill(0.0);
    sandbox.npy("x.npy", &x);
    let options = "--rank 4 --iterations 3 --certificate off --memory 130MB";
    let said = sandbox.refusal(&format!("factor x.npy {options} --regularization auto-fast"), 2);
    assert!(said.contains("leaving out zero columns (without `--zero-columns keep` or a number"), "{said}");
    sandbox.factor("x.npy", &format!("{options} --regularization 0.1"), "run");
}

/// Values are looked at once before the work, as reading does.
#[test]
fn bad_values_are_found_where_they_are() {
    let sandbox = Sandbox::new();
    let mut x = data(&sandbox);
    x.col_mut(1234)[567] = f64::NAN;
    sandbox.npy("x.npy", &x);
    let said = sandbox.refusal(&format!("factor x.npy {OPTIONS} --memory 80MB --output run --quiet"), 1);
    let plain = sandbox.refusal(&format!("factor x.npy {OPTIONS} --output run --quiet"), 1);
    assert_eq!(said, plain);
    assert!(said.contains("567") && said.contains("1234"), "{said}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_there_is_and_leaves_no_scratch_file() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    let sandbox = Sandbox::new();
    data(&sandbox);
    let line = "factor x.npy --rank 4 --regularization 0.1 --iterations 1000000 --memory 80MB --output run";
    let mut child = sandbox.command(line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("  gap ") {
        assert!(talk.read_line(&mut said).unwrap() > 0, "merit ended early:\n{said}");
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    talk.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    assert_eq!(sandbox.json("run/run.json")["stop_reason"], "interrupted");
    assert!(!sandbox.listing().iter().any(|name| name.contains("scratch") || name.contains("partial")));
}
