//! From data to anchors, factors and certificate: what is written, and that it is the same however it is asked for.

#![allow(non_snake_case)] // C, W, H as in the paper

mod support;

use serde_json::{Value, json};
use std::fs;
use std::io::Read;
use std::process::Stdio;
use support::*;

const DATA: &str = "generate dirichlet --rows 20 --cols 120 --rank 5 --snr 40 --seed 3 --output data --quiet";

#[test]
fn outliers_are_drawn_and_suspected() {
    let sandbox = Sandbox::new();
    sandbox.ok("generate dirichlet --rows 50 --rank 10 --snr 30 --outliers 2 --output data --quiet");
    let outliers = numbers(&sandbox.json("data/truth.json"), "outlier_columns");
    assert_eq!(outliers.len(), 2);
    let run = sandbox.factor("data/X.npy", "--rank 12 --method spa", "run");
    assert_eq!(sorted(numbers(&run["support"], "suspected_outliers")), sorted(outliers));
}

#[test]
fn generate_factor_evaluate() {
    let sandbox = Sandbox::new();
    let made = sandbox.ok("generate dirichlet --rows 20 --cols 120 --rank 5 --snr 40 --seed 3 --output data");
    assert_eq!((made.stdout.as_str(), made.stderr.as_str()), ("data: 20 x 120, 5 anchors\n", ""));
    let truth = sandbox.json("data/truth.json");
    assert_eq!(
        (&truth["seed"], &truth["rows"], &truth["cols"], &truth["rank"]),
        (&3.into(), &20.into(), &120.into(), &5.into())
    );

    let outcome = sandbox.ok("factor data/X.npy --rank 5 --output run --report page.html");
    let words = &outcome.stdout;
    for start in [
        "data/X.npy: 20 x 120, 5 anchors\n",
        "anchors ",
        "lambda ",
        "stopped    iteration-limit after 100 iterations\n",
    ] {
        assert!(words.contains(start), "{start:?} is missing in\n{words}");
    }
    assert!(words.ends_with("written    run\nreport     page.html\n"), "{words}");
    assert!(sandbox.text("page.html").starts_with("<!DOCTYPE html>"));

    let measured = sandbox.ok("evaluate run --truth data --json");
    let measured: Value = serde_json::from_str(&measured.stdout).unwrap();
    assert_eq!((&measured["success"], &measured["anchors_right"]), (&Value::Bool(true), &5.into()));
    assert!(measured["mrsa_radians"].as_f64().unwrap() < 0.3 && measured["rae"].as_f64().unwrap() > 0.85, "{measured}");
    let scaled = measured["mrsa_radians"].as_f64().unwrap() * 100.0 / std::f64::consts::PI;
    assert!((measured["mrsa_scaled"].as_f64().unwrap() - scaled).abs() < 1e-12);
    let words = sandbox.ok("evaluate run --truth data").stdout;
    assert!(words.contains("anchors right    5 of 5 (5 found)\n"), "{words}");
}

#[test]
fn the_run_folder() {
    let sandbox = Sandbox::new();
    sandbox.ok(DATA);
    let run = sandbox.factor("data/X.npy", "--rank 5 --threads 2", "run");
    let mut files: Vec<_> = fs::read_dir(sandbox.path("run")).unwrap().map(|f| f.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["C.npz", "H.npy", "W.npy", "anchors.csv", "bounds.csv", "run.json", "trace.csv"]);

    for key in [
        "version",
        "command",
        "settings",
        "input",
        "preprocessing",
        "rank_estimate",
        "stop_reason",
        "iterations",
        "objective",
        "gap",
        "nnz",
        "nonempty_rows",
        "anchors",
        "row_norms_sorted",
        "seconds",
        "peak_rss_bytes",
        "candidates",
    ] {
        assert!(run.get(key).is_some(), "run.json has no `{key}`");
    }
    let command: Vec<&str> = run["command"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(command[1..], ["factor", "data/X.npy", "--rank", "5", "--threads", "2", "--output", "run", "--quiet"]);
    assert_eq!((&run["stop_reason"], &run["iterations"]), (&"iteration-limit".into(), &100.into()));
    assert_eq!((&run["input"]["rows"], &run["input"]["cols"]), (&20.into(), &120.into()));
    let settings = &run["settings"];
    assert_eq!(
        (&settings["smoothing"], &settings["start_iteration"], &settings["init"]),
        (&1e-5.into(), &0.into(), &"zero".into())
    );
    assert!(settings["regularization"].as_f64().unwrap() > 0.0, "the value that auto came to");
    assert!(run["seconds"]["solve"].as_f64().unwrap() > 0.0 && run["peak_rss_bytes"].as_u64() > Some(1_000_000));
    let chosen: Vec<&Value> = run["candidates"].as_array().unwrap().iter().filter(|c| c["chosen"] == true).collect();
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0]["anchors"], run["anchors"]);
    let norms: Vec<f64> = run["row_norms_sorted"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    assert_eq!(norms.len(), 120);
    assert!(norms.is_sorted_by(|a, b| a >= b));

    let (X, C) = (sandbox.matrix("data/X.npy"), sandbox.matrix("run/C.npz"));
    let (W, H) = (sandbox.matrix("run/W.npy"), sandbox.matrix("run/H.npy"));
    assert_eq!((C.rows(), C.cols(), W.rows(), W.cols(), H.rows(), H.cols()), (120, 120, 20, 5, 5, 120));
    for l in 0..120 {
        assert!(
            (C.col(l).iter().sum::<f64>() - 1.0).abs() < 1e-12 && C.col(l).iter().all(|&c| c >= 0.0),
            "column {l} of C"
        );
        assert!(
            (H.col(l).iter().sum::<f64>() - 1.0).abs() < 1e-9 && H.col(l).iter().all(|&h| h >= 0.0),
            "column {l} of H"
        );
    }
    let nnz = C.values().iter().filter(|&&value| value != 0.0).count();
    assert_eq!(run["nnz"], nnz);

    let table = sandbox.text("run/anchors.csv");
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("index,label,row_norm,support,suspected_outlier"));
    assert_eq!((&run["ranking"], &run["support"]["suspected_outliers"]), (&"two-norm".into(), &json!([])));
    for (k, (line, anchor)) in lines.zip(numbers(&run, "anchors")).enumerate() {
        assert_eq!(W.col(k), X.col(anchor), "column {k} of W");
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!((fields[0], fields[1]), (anchor.to_string().as_str(), ""));
        assert_eq!(fields[2].parse().ok(), run["row_norms_sorted"][k].as_f64(), "{line}");
        let users = (0..120).filter(|l| !numbers(&run, "anchors").contains(l) && H.get(k, *l) >= 0.4).count();
        assert_eq!((fields[3], fields[4]), (users.to_string().as_str(), "false"));
    }

    let trace = sandbox.text("run/trace.csv");
    let lines: Vec<&str> = trace.lines().collect();
    assert!(lines[0].starts_with("iteration,step,objective,gap,nnz,nonempty_rows,seconds"), "{}", lines[0]);
    assert_eq!(lines.len(), 1 + 100, "a line for every feasible iterate");
    let last: Vec<&str> = lines[100].split(',').collect();
    assert_eq!(last[0], "100");
    assert_eq!((last[2].parse().ok(), last[3].parse().ok()), (run["objective"].as_f64(), run["gap"].as_f64()));
    assert_eq!((last[4].parse().ok(), last[5].parse().ok()), (run["nnz"].as_u64(), run["nonempty_rows"].as_u64()));
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let sandbox = Sandbox::new();
    sandbox.ok("generate dirichlet --rows 30 --cols 700 --rank 8 --snr 12 --output data");
    for options in ["--rank 8", "--rank 8 --regularization 0.2 --kernel scalar", "--reduce pca:12 --normalize l1"] {
        let key: String = options.chars().filter(char::is_ascii_alphanumeric).collect();
        let mut first: Option<Vec<Vec<u8>>> = None;
        for (i, how) in ["--threads 1", "--threads 2", "--threads 3", "--threads 7", "--threads 2 --report page.html"]
            .iter()
            .enumerate()
        {
            let folder = format!("{key}-{i}");
            sandbox.factor("data/X.npy", &format!("{options} {how}"), &folder);
            let files = ["C.npz", "W.npy", "H.npy", "anchors.csv"]
                .map(|name| sandbox.bytes(&format!("{folder}/{name}")))
                .to_vec();
            assert!(first.get_or_insert_with(|| files.clone()) == &files, "{options} {how}");
        }
    }
}

#[test]
fn json_goes_to_stdout_and_talk_to_stderr() {
    let sandbox = Sandbox::new();
    sandbox.ok(DATA);
    let outcome = sandbox.ok("factor data/X.npy --rank 5 --json --output run");
    let printed: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(outcome.stdout, sandbox.text("run/run.json"));
    assert_eq!(printed["anchors"].as_array().unwrap().len(), 5);
    assert!(outcome.stderr.contains("solving at regularization"), "{}", outcome.stderr);

    let outcome = sandbox.ok("factor data/X.npy --rank 5 --json --quiet");
    assert_eq!(outcome.stderr, "");
    serde_json::from_str::<Value>(&outcome.stdout).unwrap();
    let outcome = sandbox.ok("factor data/X.npy --rank 5 --quiet --output quiet --report quiet.html");
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("", ""));
    let before = sandbox.listing();
    sandbox.ok("factor data/X.npy --rank 5");
    assert_eq!(sandbox.listing(), before, "without --output nothing is written");
}

#[test]
fn the_page_may_live_in_the_run_folder() {
    let sandbox = Sandbox::new();
    sandbox.ok(DATA);
    sandbox.ok("factor data/X.npy --rank 5 --output run --report run/page.html");
    assert!(sandbox.path("run/page.html").is_file() && sandbox.path("run/run.json").is_file());
    sandbox.ok("factor data/X.npy --rank 5 --output ./deep/er/run --report deep/er/run/pages/page.html");
    assert!(sandbox.path("deep/er/run/pages/page.html").is_file());
    assert!(!sandbox.listing().iter().any(|name| name.contains("partial")));
}

#[test]
fn a_reader_that_has_left_is_no_panic() {
    let sandbox = Sandbox::new();
    sandbox.ok(DATA);
    for line in
        ["factor data/X.npy --rank 5 --json --output run --force", "--help", "factor --help", "completions bash", "man"]
    {
        let mut child = sandbox.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let status = child.wait().unwrap();
        assert!(!stderr.contains("panicked"), "{line}: {stderr}");
        assert!(status.code().is_some_and(|code| code <= 2), "{line}: {status}");
    }
    assert!(sandbox.path("run/run.json").is_file(), "the results are written all the same");
    // And when no one reads the progress.
    let mut child = sandbox
        .command("factor data/X.npy --rank 5 --output deaf")
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    assert!(child.wait().unwrap().success());
    assert!(sandbox.path("deaf/run.json").is_file());
}

#[test]
fn demo_compares_three_methods() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.ok("demo --cols 400 --rank 20 --report page.html");
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    let heads: Vec<&str> = lines[0].split("  ").map(str::trim).filter(|head| !head.is_empty()).collect();
    assert_eq!(heads, ["method", "anchors right", "MRSA", "RAE", "gap", "seconds", "peak memory"]);
    for (line, name) in lines[1..4].iter().zip(["SPA ", "MERIT(0) ", "MERIT "]) {
        assert!(line.starts_with(name) && line.contains(" of 20 "), "{line}");
    }
    assert!(lines[3].contains("20 of 20"), "{}", outcome.stdout);
    assert!(sandbox.text("page.html").contains("MERIT(0)"));
    assert_eq!(sandbox.listing(), ["page.html"]);
}
