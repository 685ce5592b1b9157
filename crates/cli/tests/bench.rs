//! `merit bench` runs, and what it writes can be read; how fast it is, is for the benchmark to say.

mod support;

use support::*;

#[test]
fn bench_measures_runs_and_writes_them() {
    let sandbox = Sandbox::new();
    let line =
        "bench --rows 4 --cols 150,2500 --rank 3 --snr 30 --iterations 40 --repeats 1 --no-oracle --output b.json";
    let stdout = sandbox.ok(line).stdout;
    assert_eq!(stdout.lines().count(), 3, "a head and a line a size: {stdout}");
    let runs = sandbox.json("b.json")["runs"].as_array().unwrap().clone();
    assert_eq!(runs.len(), 2);
    for (run, cols) in runs.iter().zip([150, 2500]) {
        let run = &run["run"];
        assert_eq!((run["cols"].as_u64(), run["iterations"].as_u64()), (Some(cols), Some(40)));
        assert!(run["seconds"].as_f64().unwrap() > 0.0 && run["nnz"].as_u64().unwrap() >= cols);
    }
    // Four rows, 2500 columns: the search runs over the hull.
    assert!(runs[1]["run"]["candidates"].as_u64().unwrap() < 2500);
}

#[test]
fn bench_draws_a_chart_beside_fast_gradient() {
    let sandbox = Sandbox::new();
    sandbox.ok(
        "bench --rows 4 --cols 60,120 --rank 3 --iterations 5 --repeats 1 --no-oracle --compare fast-gradient --chart c.svg --output b.json",
    );
    let chart = sandbox.text("c.svg");
    assert!(chart.starts_with("<svg") && chart.contains("FastGradient") && chart.contains("columns (N)"), "{chart}");
    assert!(!chart.contains("NumPy"), "what was not measured is not drawn");
    let runs = sandbox.json("b.json")["runs"].clone();
    assert!(runs[1]["fast_gradient"]["seconds_per_iteration"].as_f64().unwrap() > 0.0);
    assert!(runs[1]["numpy"].is_null());
}

#[test]
fn bench_measures_sparse_data_beside_the_scalar_kernel() {
    let sandbox = Sandbox::new();
    sandbox
        .write("x.mtx", "%%MatrixMarket matrix coordinate real general\n4 5 5\n1 1 1\n2 2 1\n3 3 1\n4 4 1\n1 5 .5\n");
    let line = "bench x.mtx --iterations 5 --baseline-iterations 3 --repeats 1 --no-oracle --compare scalar,numpy --output b.json";
    let head = sandbox.ok(line).stdout;
    assert!(head.starts_with("M") && head.contains("scalar"), "{head}");
    let run = sandbox.json("b.json")["runs"][0].clone();
    assert_eq!((run["scalar"]["iterations"].as_u64(), &run["numpy"]), (Some(3), &serde_json::Value::Null));
    assert!(run["scalar"]["seconds_per_iteration"].as_f64().unwrap() > 0.0);
}

#[test]
fn bench_without_the_baseline_says_so() {
    let sandbox = Sandbox::new();
    let line = "bench --rows 3 --cols 60 --rank 2 --iterations 2 --repeats 1 --no-oracle --compare numpy --python no-such-python";
    let outcome = sandbox.ok(line);
    assert!(
        outcome.stderr.contains("skipped: the NumPy baseline, `no-such-python` cannot be run"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn the_trace_tells_the_effort_of_the_search() {
    let sandbox = Sandbox::new();
    sandbox.npy("x.npy", &synthetic(4, 2500, 3, 30.0, 1).x);
    sandbox.factor("x.npy", "--rank 3 --regularization 0.01 --iterations 40", "run");
    let trace = sandbox.text("run/trace.csv");
    let mut lines = trace.lines();
    let head = lines.next().unwrap();
    assert_eq!(head, "iteration,step,objective,gap,nnz,nonempty_rows,seconds,candidates,pairs");
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let (candidates, pairs): (u64, u64) = (fields[7].parse().unwrap(), fields[8].parse().unwrap());
        assert!(candidates < 2500 && pairs >= 2500 * candidates && pairs < 2500 * 2500, "{line}");
    }
}
