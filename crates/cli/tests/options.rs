//! Each way to give the data and each option that changes the result, recorded in `run.json`.

#![allow(non_snake_case)] // X, C, H as in the paper

mod support;

use merit_linalg::DenseMatrix;
use serde_json::{Value, json};
use support::*;

/// 20 x 120 with 5 anchors at 40 dB as `x.npy`, and the anchors.
fn easy() -> (Sandbox, Vec<usize>) {
    let (sandbox, data) = (Sandbox::new(), synthetic(20, 120, 5, 40.0, 3));
    sandbox.npy("x.npy", &data.x);
    (sandbox, sorted(data.anchors))
}

#[test]
fn rows_as_samples_are_columns_of_the_transposed() {
    let (sandbox, right) = easy();
    sandbox.npy("rows.npy", &sandbox.matrix("x.npy").transposed());
    let run = sandbox.factor("x.npy", "--rank 5", "a");
    let turned = sandbox.factor("rows.npy", "--rank 5 --samples rows", "b");
    assert_eq!((anchors(&run), &run["anchors"]), (right, &turned["anchors"]));
    for name in ["C.npz", "W.npy", "H.npy"] {
        assert!(sandbox.bytes(&format!("a/{name}")) == sandbox.bytes(&format!("b/{name}")), "{name}");
    }
}

#[test]
fn names_of_a_csv_reach_the_anchors() {
    let sandbox = Sandbox::new();
    let table = "name,apple,\"fig, dried\",pear\nmonday,3,0,1.5\ntuesday,0,4,2\nfriday,1,1,1\n";
    let run = sandbox.write("x.csv", table).factor("x.csv", "--rank 2", "run");
    assert_eq!(anchors(&run), [0, 1]);
    let mut lines: Vec<String> = sandbox.text("run/anchors.csv").lines().skip(1).map(String::from).collect();
    lines.sort();
    assert!(lines[0].starts_with("0,apple,") && lines[1].starts_with("1,\"fig, dried\","), "{lines:?}");
    assert!(sandbox.ok("factor x.csv --rank 2").stdout.contains("0 (apple)"));
    sandbox.factor("x.csv", "--rank 2 --samples rows", "days");
    assert!(sandbox.text("days/anchors.csv").contains(",monday,"));
}

#[test]
fn every_format_gives_the_same_anchors() {
    let sandbox = Sandbox::new();
    let mut X = synthetic(12, 60, 4, 30.0, 1).x;
    X.values_mut().iter_mut().for_each(|value| *value = if *value < 0.35 { 0.0 } else { *value }); // worth storing sparsely
    let nonzeros: Vec<(usize, usize, f64)> = (0..60)
        .flat_map(|l| (0..12).map(move |m| (m, l)))
        .map(|(m, l)| (m, l, X.get(m, l)))
        .filter(|entry| entry.2 != 0.0)
        .collect();
    let entries: String = nonzeros.iter().map(|(m, l, value)| format!("{} {} {value}\n", m + 1, l + 1)).collect();
    let mtx = format!("%%MatrixMarket matrix coordinate real general\n12 60 {}\n{entries}", nonzeros.len());
    sandbox.npy("x.npy", &X).write("x.csv", csv(&X)).write("x.tsv", csv(&X).replace(',', "\t")).write("x.mtx", mtx);
    merit_dataset::write_npz_csc(&sandbox.path("x.npz"), 12, 60, nonzeros.len(), |l, column| {
        column.extend(nonzeros.iter().filter(|entry| entry.1 == l).map(|&(m, _, value)| (m as u32, value)));
    })
    .unwrap();
    let run = sandbox.factor("x.npy", "--rank 4", "npy");
    assert_eq!(run["input"]["sparse"], false);
    for (format, sparse) in [("csv", false), ("tsv", false), ("mtx", true), ("npz", true)] {
        let other = sandbox.factor(&format!("x.{format}"), "--rank 4", format);
        assert_eq!((&other["anchors"], &other["input"]["sparse"]), (&run["anchors"], &json!(sparse)), "{format}");
        let difference = (other["objective"].as_f64().unwrap() / run["objective"].as_f64().unwrap() - 1.0).abs();
        assert!(difference < 1e-9, "{format}: objective differs by {difference:e}");
    }
}

#[test]
fn a_run_continues_an_earlier_one() {
    let (sandbox, right) = easy();
    let options = "--rank 5 --regularization 0.1";
    sandbox.factor("x.npy", &format!("{options} --iterations 40"), "first");
    let second = sandbox.factor(
        "x.npy",
        &format!("{options} --iterations 60 --init first/C.npz --start-iteration 40"),
        "second",
    );
    let whole = sandbox.factor("x.npy", &format!("{options} --iterations 100"), "whole");
    assert_eq!((&second["start_iteration"], &second["settings"]["init"]), (&json!(40), &json!("first/C.npz")));
    assert_eq!((anchors(&second), anchors(&whole)), (right.clone(), right));
    let (a, b) = (sandbox.matrix("second/C.npz"), sandbox.matrix("whole/C.npz"));
    let difference = a.values().iter().zip(b.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(difference < 1e-12, "C differs by {difference:e}");
    assert!((second["gap"].as_f64().unwrap() / whole["gap"].as_f64().unwrap() - 1.0).abs() < 1e-9);
}

#[test]
fn start_from_spa() {
    let (sandbox, right) = easy();
    let run = sandbox.factor("x.npy", "--rank 5 --init spa --iterations 20", "run");
    assert_eq!((anchors(&run), &run["settings"]["init"]), (right, &json!("spa")));
    assert!(run["start_iteration"].as_u64() > Some(0), "round(1/RMSE)");
    let run = sandbox.factor("x.npy", "--rank 5 --init spa --start-iteration 9 --regularization 0.1", "nine");
    assert_eq!(run["start_iteration"], 9);
}

#[test]
fn preprocessing_is_recorded() {
    let (sandbox, right) = easy();
    let run = sandbox.factor("x.npy", "--rank 5 --reduce pca:10", "pca");
    assert_eq!((anchors(&run), &run["settings"]["reduce"]), (right.clone(), &json!(10)));
    assert_eq!(run["preprocessing"]["reduced_rows"], 10);
    assert_eq!(sandbox.matrix("pca/W.npy").rows(), 20, "W is of the full matrix");

    let positive = sandbox.matrix("x.npy");
    let positive = DenseMatrix::from_fn(20, 120, |m, l| positive.get(m, l).abs());
    let run = sandbox.npy("p.npy", &positive).factor("p.npy", "--rank 5 --normalize l1", "l1");
    assert_eq!((&run["settings"]["normalize"], &run["preprocessing"]["normalize"]), (&json!("l1"), &json!("l1")));
    let W = sandbox.matrix("l1/W.npy");
    (0..5).for_each(|k| assert!((W.col(k).iter().sum::<f64>() - 1.0).abs() < 1e-12));

    let X = sandbox.matrix("x.npy");
    let twice = DenseMatrix::from_columns(20, [X.values(), X.values()].concat());
    let run = sandbox.npy("twice.npy", &twice).factor("twice.npy", "--rank 5 --merge-duplicates 0", "merged");
    assert_eq!((anchors(&run), &run["preprocessing"]["merged_columns"]), (right, &json!(120)));
    let (C, H) = (sandbox.matrix("merged/C.npz"), sandbox.matrix("merged/H.npy"));
    assert_eq!((C.cols(), H.cols()), (240, 240));
    for l in 0..120 {
        assert!(C.col(l) == C.col(l + 120) && H.col(l) == H.col(l + 120), "column {l} and its copy");
    }
}

#[test]
fn spa_alone() {
    let (sandbox, right) = easy();
    let run = sandbox.factor("x.npy", "--rank 5 --method spa --report page.html", "run");
    assert_eq!((anchors(&run), &run["anchors_from"]), (right, &json!("spa")));
    for key in ["stop_reason", "gap", "objective", "iterations", "regularization", "start_iteration"] {
        assert_eq!(run[key], Value::Null, "{key}");
    }
    assert!(!sandbox.path("run/C.npz").exists() && sandbox.path("run/W.npy").exists());
}

#[test]
fn weights_that_need_not_sum_to_one() {
    let (sandbox, _) = easy();
    let mut X = sandbox.matrix("x.npy");
    X.col_mut(7).iter_mut().for_each(|value| *value *= 0.5);
    let run = sandbox.npy("x.npy", &X).factor("x.npy", "--rank 5 --method spa --weights nonnegative", "run");
    assert_eq!(
        (&run["settings"]["weights"], &run["factors"]["weights"]),
        (&json!("nonnegative"), &json!("nonnegative"))
    );
    assert_eq!(run["factors"]["unconverged_columns"], 0);
    let H = sandbox.matrix("run/H.npy");
    assert!(H.values().iter().all(|&value| value >= 0.0) && H.col(7).iter().sum::<f64>() < 0.7);
}

#[test]
fn rules_of_regularization() {
    let (sandbox, right) = easy();
    let runs = ["auto", "auto-fast", "paper", "0.1"].map(|rule| {
        let run = sandbox.factor("x.npy", &format!("--rank 5 --regularization {rule}"), &format!("run-{rule}"));
        assert_eq!((anchors(&run), &run["regularization_rule"]), (right.clone(), &json!(rule)), "{rule}");
        run
    });
    let counts = runs.each_ref().map(|run| run["candidates"].as_array().unwrap().len());
    assert_eq!(counts, [3, 2, 0, 0], "SPA and a run, whose rows are ranked in two ways; SPA and a run; a run");
    for candidate in runs[0]["candidates"].as_array().unwrap() {
        assert!(candidate["squared_residual"].as_f64().unwrap() > 0.0 && candidate["anchors"].is_array());
    }
    let rankings = |run: &Value| -> Vec<Value> {
        run["candidates"].as_array().unwrap().iter().map(|candidate| candidate["ranking"].clone()).collect()
    };
    assert_eq!(rankings(&runs[0]), [json!(null), json!("two-norm"), json!("maximum")]);
    assert_eq!(runs[0]["regularization"], runs[1]["regularization"]);
    // A lambda that is given has one run: the norms shown are those of the C that is written.
    let C = sandbox.matrix("run-0.1/C.npz");
    for line in sandbox.text("run-0.1/anchors.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let anchor: usize = fields[0].parse().unwrap();
        let largest = (0..C.cols()).map(|l| C.get(anchor, l)).fold(0.0, f64::max);
        assert_eq!(fields[2].parse(), Ok(largest), "{line}");
    }
    let ranked: Vec<&Value> = runs.iter().map(|run| &run["ranking"]).collect();
    assert_eq!(ranked, ["two-norm", "maximum", "maximum", "maximum"], "one run ranks by maximum, as the paper does");
    assert_eq!(runs[3]["regularization"], 0.1);
}

#[test]
fn every_reason_to_stop() {
    let (sandbox, _) = easy();
    for (option, reason) in [
        ("--gap-tolerance 2", "gap-reached"),
        ("--objective-tolerance 0.05", "objective-settled"),
        ("--residual-tolerance 100", "residuals-reached"),
        ("--iterations 3", "iteration-limit"),
        ("--time-limit 0", "time-limit"),
    ] {
        let name: String = reason.to_string();
        let run = sandbox.factor("x.npy", &format!("--rank 5 --regularization 0.1 {option}"), &name);
        assert_eq!(run["stop_reason"], reason, "{option}");
        assert!(run["iterations"].as_u64().unwrap() < 100, "{option}");
        assert!(run["gap"].as_f64().is_some() && anchors(&run).len() == 5, "{option}");
        let C = sandbox.matrix(&format!("{name}/C.npz"));
        (0..120).for_each(|l| assert!((C.col(l).iter().sum::<f64>() - 1.0).abs() < 1e-12, "{option}"));
    }
    assert!(sandbox.json("gap-reached/run.json")["gap"].as_f64().unwrap() <= 2.0);
    let outcome = sandbox.ok("factor x.npy --rank 5 --regularization 0.1 --iterations 3 --gap-tolerance 1e-9");
    let warning = "note: stopped (iteration-limit) after 3 iterations with gap ";
    assert!(
        outcome.stderr.contains(warning) && outcome.stderr.contains("the anchors may still change"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_time_limit_holds_for_the_automatic_rules_too() {
    let (sandbox, _) = easy();
    let run = sandbox.factor("x.npy", "--time-limit 0 --iterations 100000", "run");
    assert_eq!(run["stop_reason"], "time-limit");
    assert!(run["seconds"]["total"].as_f64().unwrap() < 5.0);
}

#[test]
fn every_method_by_name_with_its_knobs() {
    let (sandbox, right) = easy();
    for (i, (options, key, value)) in [
        ("--method fast-gradient --gradient-steps 40 --seed 3", "gradient_steps", json!(40)),
        ("--method xray --xray-criterion dist", "xray_criterion", json!("dist")),
        ("--method xray", "xray_criterion", json!("max")),
        ("--method fast-anchor --projection 15 --seed 4", "projection", json!(15)),
        ("--method fast-anchor --projection none --minimum-nonzeros 20", "minimum_nonzeros", json!(20)),
        ("--method norm-ratio", "projection", json!(1000)),
    ]
    .into_iter()
    .enumerate()
    {
        let name = options.split_whitespace().nth(1).unwrap();
        let run = sandbox.factor("x.npy", &format!("--rank 5 {options} --report page{i}.html"), &format!("run{i}"));
        assert_eq!((&run["settings"]["method"], &run["anchors_from"]), (&json!(name), &json!(name)));
        assert_eq!(run["settings"][key], value, "{options}");
        if name != "norm-ratio" {
            assert_eq!(anchors(&run), right, "{options}");
        }
        assert_eq!(run["scores"].as_array().unwrap().len(), 5, "{options}");
        assert!(run["seconds"]["search"].as_f64().is_some() && run["gap"].is_null(), "{options}");
        assert!(!sandbox.path(&format!("run{i}/C.npz")).exists());
        assert_eq!(run["fast_gradient"].is_object(), name == "fast-gradient");
    }
    let first = sandbox.json("run0/run.json");
    assert_eq!((&first["fast_gradient"]["steps"], &first["stop_reason"]), (&json!(40), &json!("iteration-limit")));
    assert!(sandbox.text("page0.html").contains("FastGradient"));
    let other = sandbox.factor("x.npy", "--rank 5 --method fast-gradient --gradient-steps 40 --seed 4", "seed");
    assert_ne!(other["scores"], first["scores"], "the seed is used");
    let greedy = sandbox.factor("x.npy", "--rank 5 --method xray --xray-criterion greedy", "greedy");
    assert_eq!(anchors(&greedy).len(), 5);
    let short = sandbox.factor("x.npy", "--rank 5 --method fast-gradient --time-limit 0", "short");
    assert_eq!((&short["stop_reason"], &short["fast_gradient"]["steps"]), (&json!("time-limit"), &json!(1)));
}

#[test]
fn the_rank_is_estimated_for_other_methods_too() {
    let (sandbox, right) = easy();
    let run = sandbox.factor("x.npy", "--method xray", "run");
    assert_eq!((anchors(&run), &run["rank_estimate"]["rank"]), (right, &json!(5)));
    assert!(run["gap"].is_null() && !sandbox.path("run/C.npz").exists(), "the estimate's C is not the method's");
}

#[test]
fn a_document_cut_that_leaves_too_few() {
    let (sandbox, _) = easy();
    sandbox.refuses(
        "factor x.npy --rank 5 --method fast-anchor --minimum-nonzeros 21 --quiet --output run",
        2,
        "error: `x.npy`: rank 5, but only 0 different columns have at least 21 nonzeros\n\
         hint: give a smaller `--minimum-nonzeros`\n",
    );
}
