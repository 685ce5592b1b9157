//! `run.json`: written once, read by other commands, and refused by name and version where it is not ours.

mod support;
mod unmix;

use merit_linalg::DenseMatrix;
use serde_json::{Value, json};
use support::{CHANGED, Sandbox, schema};

fn with_run() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.ok("generate dirichlet --rows 6 --cols 30 --rank 3 --output data --quiet");
    sandbox.ok("factor data/X.npy --rank 3 --output run --quiet");
    sandbox
}

/// Changes the record and gives what `evaluate` says about it.
fn changed(change: impl Fn(&mut Value)) -> String {
    let sandbox = with_run();
    let mut record = sandbox.json("run/run.json");
    record["version"] = json!(CHANGED);
    change(&mut record);
    sandbox.write("run/run.json", record.to_string());
    sandbox.refusal("evaluate run --truth data", 1)
}

const HINT: &str = "hint: give the folder that `merit factor ... --output DIR` wrote\n";

#[test]
fn a_foreign_record_is_refused_by_name_and_version() {
    let said = changed(|record| *record = json!({ "anchors": [0, 1, 2] }));
    assert_eq!(said, format!("error: `run/run.json` is not a record of a run of merit\n{HINT}"));
    let said = changed(|record| record["format_version"] = json!(7));
    let message = format!("is a record of version 7, written by merit {CHANGED}; this merit reads version 1");
    assert_eq!(said, format!("error: `run/run.json` {message}\n{HINT}"));
    let said = changed(|record| record["kind"] = json!("dreams"));
    assert_eq!(said, format!("error: `run/run.json` is of an unknown kind of run, \"dreams\"\n{HINT}"));
    let said = changed(|record| record["anchors"] = json!("none"));
    assert!(said.starts_with("error: `run/run.json` is not as merit wrote it: "), "{said}");
    let said = changed(|record| drop(record.as_object_mut().unwrap().remove("preprocessing")));
    assert!(said.contains("missing field `preprocessing`"), "{said}");
}

/// An edited record is checked for the same ranges as typed flags.
#[test]
fn a_setting_out_of_range_is_refused() {
    for (setting, value, message) in [
        ("smoothing", json!(-1.0), "`smoothing` must be a number greater than 0, but is -1"),
        ("regularization", json!(-0.5), "`regularization` must be"),
        ("iterations", json!(0), "`iterations` must be"),
        ("merge_duplicates", json!(-1.0), "`merge_duplicates` must be"),
    ] {
        let sandbox = with_run();
        let mut record = sandbox.json("run/run.json");
        record["version"] = json!(CHANGED);
        assert!(record["settings"].get(setting).is_some(), "{setting}");
        record["settings"][setting] = value;
        sandbox.write("run/run.json", record.to_string());
        for line in ["certify run --truth data --quiet", "evaluate run --truth data"] {
            let said = sandbox.refusal(line, 1);
            assert!(said.starts_with("error: `run/run.json` is not as merit wrote it: "), "{said}");
            assert!(said.contains(message), "{said}");
        }
    }
}

#[test]
fn factors_that_do_not_match_are_refused() {
    for (file, rows, cols) in [
        ("run/W.npy", 5, 3),
        ("run/W.npy", 6, 2),
        ("run/H.npy", 4, 30),
        ("run/H.npy", 3, 29),
        ("data/W.npy", 7, 3),
        ("data/W.npy", 6, 4),
    ] {
        let sandbox = with_run();
        sandbox.npy(file, &DenseMatrix::from_fn(rows, cols, |_, _| 0.5));
        let said = sandbox.refusal("evaluate run --truth data", 1);
        assert!(
            said.starts_with(&format!("error: `{file}` is {rows} x {cols}, but ")) && said.contains(" is expected: "),
            "{said}"
        );
    }
}

#[test]
fn a_record_of_another_pipeline_is_refused() {
    let sandbox = with_run();
    let graph = "a b\nb c\na c\nc p\np q\nq r\np r\n";
    sandbox.write("g.txt", graph).ok("communities g.txt --communities 2 --output graph --quiet");
    sandbox.refuses(
        "evaluate graph --truth data",
        1,
        &format!("error: `graph/run.json` is of a run of `merit communities`, not of `merit factor`\n{HINT}"),
    );
    let said = sandbox.refusal("certify graph --quiet", 1);
    assert!(said.contains("is of a run of `merit communities`, not of `merit factor`"), "{said}");
    let said = sandbox.refusal("topics apply run g.txt", 1);
    assert!(said.contains("is of a run of `merit factor`, not of `merit topics`"), "{said}");
}

/// What the folder holds and what is printed is the same record, except for the memory used until then.
#[test]
fn the_record_is_printed_as_it_is_written() {
    let sandbox = with_run();
    let printed = sandbox.ok("factor data/X.npy --rank 3 --output again --json --quiet").stdout;
    assert_eq!(printed, sandbox.text("again/run.json"));
    schema::check("stdout", &serde_json::from_str(&printed).unwrap());
}

#[test]
fn the_schema_refuses_what_is_not_a_record() {
    let sandbox = with_run();
    let record = sandbox.json("run/run.json");
    let fails = |change: &dyn Fn(&mut Value)| {
        let mut other = record.clone();
        change(&mut other);
        std::panic::catch_unwind(|| schema::check("changed", &other)).is_err()
    };
    assert!(!fails(&|_| ()));
    assert!(fails(&|record| record["surprise"] = json!(1)), "a key that nobody knows");
    assert!(fails(&|record| record["settings"]["surprise"] = json!(1)));
    assert!(fails(&|record| drop(record.as_object_mut().unwrap().remove("gap"))));
    assert!(fails(&|record| record["stop_reason"] = json!("bored")));
}
