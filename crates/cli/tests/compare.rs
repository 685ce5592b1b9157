//! `merit compare`: every method on the same data, side by side.

mod support;

use serde_json::{Value, json};
use support::*;

/// `data` with 5 anchors among 60 columns, as `generate` writes it.
fn generated() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.ok("generate dirichlet --rows 20 --cols 60 --rank 5 --snr 40 --seed 3 --output data --quiet");
    sandbox
}

fn compared(sandbox: &Sandbox, options: &str) -> Value {
    let outcome = sandbox.ok(&format!("compare data/X.npy --rank 5 --json --quiet {options}"));
    serde_json::from_str(&outcome.stdout).unwrap()
}

#[test]
fn a_row_a_method_and_a_table_of_pairs() {
    let sandbox = generated();
    let text = sandbox.ok("compare data/X.npy --rank 5 --truth data --output table.csv --quiet").stdout;
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let names = [
        "merit",
        "exact",
        "spa",
        "snpa",
        "sspa",
        "vca",
        "nfindr",
        "xray",
        "fast-anchor",
        "norm-ratio",
        "fast-gradient",
    ];
    assert_eq!(
        lines[0],
        ["method", "anchors", "as", "merit", "RAE", "seconds", "peak", "memory", "success", "right", "MRSA"]
    );
    for (line, name) in lines[1..].iter().zip(names) {
        assert_eq!(line[..2], [name, "5"], "{text}");
    }
    assert!(lines[1].contains(&"yes") && text.contains("5 of 5"), "{text}");
    assert!(lines[13].starts_with(&["anchors", "shared", "merit", "exact", "spa"]), "{text}");
    let csv = sandbox.text("table.csv");
    assert_eq!(csv.lines().count(), 12);
    assert!(csv.starts_with("method,anchors,shared_with_first,rae,") && csv.contains("\nspa,"), "{csv}");
}

#[test]
fn json_agrees_with_factor_and_evaluate() {
    let sandbox = generated();
    let report = compared(&sandbox, "--truth data --methods spa,merit-0,norm-ratio --threads 1");
    let single = sandbox.factor("data/X.npy", "--rank 5 --method spa", "run");
    let measured: Value = serde_json::from_str(&sandbox.ok("evaluate run --truth data --json").stdout).unwrap();
    let spa = &report["methods"][0];
    assert_eq!((&spa["anchors"], &spa["method"]), (&single["anchors"], &json!("spa")));
    for key in ["success", "anchors_right", "mrsa_radians"] {
        assert_eq!(spa[key], measured[key], "{key}");
    }
    assert!((spa["rae"].as_f64().unwrap() - measured["rae"].as_f64().unwrap()).abs() < 1e-12);
    assert!(spa["peak_rss_bytes"].as_u64() > Some(100_000) && spa["seconds"].as_f64().is_some());
    assert_eq!(report["methods"][1]["stop_reason"], "iteration-limit", "merit-0 is a run of the solver");
    let agreement = &report["agreement"];
    for i in 0..3 {
        assert_eq!(agreement[i][i], 5);
        (0..3).for_each(|j| assert_eq!(agreement[i][j], agreement[j][i]));
        assert_eq!(report["methods"][i]["shared_with_first"], agreement[i][0]);
    }
}

#[test]
fn rules_of_regularization_are_methods_too() {
    let report = compared(&generated(), "--methods merit,merit-paper,merit-auto-fast,xray-dist,xray-greedy");
    let names: Vec<&str> =
        report["methods"].as_array().unwrap().iter().map(|m| m["method"].as_str().unwrap()).collect();
    assert_eq!(names, ["merit", "merit-paper", "merit-auto-fast", "xray-dist", "xray-greedy"]);
    assert!(report["methods"][0].get("success").is_none(), "no truth was given");
}

#[test]
fn rows_as_samples() {
    let sandbox = generated();
    sandbox.npy("rows.npy", &sandbox.matrix("data/X.npy").transposed());
    let line = "compare rows.npy --rank 5 --samples rows --methods spa --truth data --json --quiet";
    let turned: Value = serde_json::from_str(&sandbox.ok(line).stdout).unwrap();
    assert_eq!(turned["methods"][0], {
        let mut row = compared(&sandbox, "--truth data --methods spa")["methods"][0].clone();
        row["seconds"] = turned["methods"][0]["seconds"].clone();
        row["peak_rss_bytes"] = turned["methods"][0]["peak_rss_bytes"].clone();
        row
    });
}

#[test]
fn methods_that_fail_have_their_errors() {
    let sandbox = Sandbox::new();
    sandbox.npy("same.npy", &merit_linalg::DenseMatrix::from_columns(2, vec![1.0, 0.0, 1.0, 0.0, 1.0, 2.0]));
    let outcome = sandbox.run("compare same.npy --rank 3 --methods spa,xray --quiet");
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    for name in ["spa", "xray"] {
        let error = format!("{name} failed: `--rank 3`, but only 2 columns of `same.npy` are nonzero and different");
        assert!(outcome.stdout.contains(&error), "{}", outcome.stdout);
    }
}

#[test]
fn fast_gradient_is_left_out_where_it_would_take_long() {
    let sandbox = Sandbox::new();
    sandbox.ok("generate dirichlet --rows 3 --cols 5200 --rank 3 --snr 30 --output data --quiet");
    let outcome = sandbox.ok("compare data/X.npy --rank 3 --quiet");
    assert!(outcome.stderr.contains("note: fast-gradient is left out: 5200 columns are more than 5000"));
    assert!(!outcome.stdout.contains("fast-gradient") && outcome.stdout.contains("\nfast-anchor "));
}

#[test]
fn what_cannot_be_compared() {
    let sandbox = generated();
    let refusal = sandbox.refusal("compare data/X.npy --rank 5 --methods spa,magic", 2);
    assert!(
        refusal.contains("'magic'")
            && refusal.contains("expected some of merit, exact, spa, snpa, sspa, vca, nfindr, xray"),
        "{refusal}"
    );
    sandbox.refuses("compare data/X.npy --rank 61", 2, "error: `--rank 61`, but `data/X.npy` has only 60 samples\n");
    sandbox.refusal("compare data/X.npy", 2);
    sandbox.refusal("compare missing.npy --rank 5", 1);
    sandbox.refusal("compare data/X.npy --rank 5 --truth nowhere", 1);
    let wrong = sandbox.refusal("compare data/X.npy --rank 5 --samples rows --truth data", 1);
    assert!(wrong.contains("they belong to different data"), "{wrong}");
}
