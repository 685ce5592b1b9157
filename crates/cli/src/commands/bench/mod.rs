//! `merit bench`: speed and memory, beside baselines measured in the same run.

mod baselines;
mod chart;

use super::use_threads;
use crate::ExitCode;
use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::output_folder::check_not_input;
use crate::progress::{say, while_working};
use crate::terminal::{bytes, print, table};
use baselines::Baselines;
use merit::DataMatrix;
use merit::progress::Trace;
use merit::solver::{Pruning, Settings, Start, solve};
use merit::synthetic::Dirichlet;
use merit_dataset::{ReadOptions, check_file, read, write_file_atomically};
use merit_linalg::kernels::Kernel;
use merit_linalg::memory::{peak_rss_bytes, reset_peak};
use merit_linalg::reference::f32_product_gflops;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Columns of the data on which the oracle is timed, and steps that are timed.
const ORACLE_COLUMNS: usize = 10_000;
const ORACLE_STEPS: usize = 8;

pub fn run(args: &BenchArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let inputs: Vec<&Path> = args.input.iter().map(PathBuf::as_path).collect();
    for path in [&args.output, &args.chart].into_iter().flatten() {
        check_not_input(path, &inputs)?;
        check_file(path)?;
    }
    let problems = problems(args)?; // a file that cannot be read is reported before anything is measured
    let threads = rayon::current_num_threads();
    let oracle = if args.no_oracle { Vec::new() } else { oracle(args)? };
    let mut runs = Vec::new();
    let mut rows = vec![
        [
            "M",
            "N",
            "seconds",
            "iterations/s",
            "candidates",
            "nonzeros/column",
            "peak memory",
            "of one N x N",
            "NumPy",
            "ratio",
            "FastGradient",
            "its memory",
            "scalar",
            "ratio",
        ]
        .map(String::from)
        .to_vec(),
    ];
    for (name, x) in problems {
        let x = x?;
        let result = whole_run(args, &x);
        let baselines = Baselines::measure(args, &x)?;
        rows.push(row(&result, &baselines));
        runs.push(json!({
            "data": name, "run": result.json, "numpy": baselines.numpy, "fast_gradient": baselines.fast_gradient, "scalar": baselines.scalar,
        }));
    }
    let printed = print(&table(&rows));
    if let Some(path) = &args.chart {
        write_file_atomically(path, chart::draw(&runs).as_bytes())?;
    }
    let report = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "date": today(),
        "machine": { "cpu": cpu(), "cores": std::thread::available_parallelism().map_or(0, usize::from) },
        "threads": threads,
        "kernel": Kernel::best().name(),
        "repeats": args.repeats,
        "oracle": oracle,
        "runs": runs,
    });
    if let Some(path) = &args.output {
        let text = serde_json::to_string_pretty(&report).expect("only string keys") + "\n";
        write_file_atomically(path, text.as_bytes())?;
    }
    printed.map(|()| ExitCode::SUCCESS) // the files are written, whatever becomes of the words
}

/// Seconds of each of some iterations in the middle of a dense run, against a large product of `f32` matrices.
fn oracle(args: &BenchArgs) -> Result<Vec<Value>, Failure> {
    let product = || f32_product_gflops(2048, args.repeats.max(3));
    let product = while_working(false, "timing a product of two matrices".into(), product);
    let mut rows = vec![["M", "pairs/ns", "GFLOP/s", "of a large f32 product"].map(String::from).to_vec()];
    let mut values = Vec::new();
    for m in [3, 4, 6, 10, 20, 50] {
        let x = synthetic(m, ORACLE_COLUMNS, m.min(args.rank), args.snr)?;
        let settings = Settings { iterations: 2 + ORACLE_STEPS, pruning: Pruning::Never, ..Default::default() };
        let settings = settings.at(args.regularization).map_err(|error| Failure::usage(error.to_string()))?;
        let mut best = f64::INFINITY;
        for _ in 0..args.repeats {
            let mut trace = Trace::default();
            while_working(false, format!("timing the search at M = {m}"), || {
                solve(&x, Start::Zero, &settings, &mut trace)
            });
            let (first, last) = (&trace.rows[1], &trace.rows[trace.rows.len() - 1]);
            best = best.min((last.elapsed - first.elapsed).as_secs_f64() / (last.iteration - first.iteration) as f64);
        }
        let pairs = (ORACLE_COLUMNS as f64).powi(2) / best / 1e9;
        let gflops = 2.0 * m as f64 * pairs;
        rows.push(vec![
            m.to_string(),
            format!("{pairs:.2}"),
            format!("{gflops:.1}"),
            format!("{:.0} %", 100.0 * gflops / product),
        ]);
        values.push(json!({ "rows": m, "cols": ORACLE_COLUMNS, "pairs_per_ns": pairs, "gflops": gflops, "part_of_product": gflops / product }));
    }
    print(&format!(
        "a whole dense iteration at N = {ORACLE_COLUMNS}, {} kernel, {} threads; a 2048 x 2048 f32 product: {product:.1} GFLOP/s\n",
        Kernel::best().name(),
        rayon::current_num_threads()
    ))?;
    print(&(table(&rows) + "\n"))?;
    Ok(values)
}

type Problem = (String, Result<DataMatrix, Failure>);

fn problems(args: &BenchArgs) -> Result<Box<dyn Iterator<Item = Problem> + '_>, Failure> {
    if let Some(path) = &args.input {
        let reading = format!("reading {}", path.display());
        let x = while_working(false, reading, || read(path, &ReadOptions::default()))?.matrix;
        return Ok(Box::new(std::iter::once((path.display().to_string(), Ok(x)))));
    }
    Ok(Box::new(args.cols.iter().map(|&cols| {
        let name = format!("dirichlet {} x {cols}, K = {}, {} dB, seed 0", args.rows, args.rank, args.snr);
        (name, synthetic(args.rows, cols, args.rank, args.snr))
    })))
}

fn synthetic(rows: usize, cols: usize, rank: usize, snr_db: f64) -> Result<DataMatrix, Failure> {
    let model = Dirichlet { snr_db, seed: 0, ..Dirichlet::new(rows, cols, rank) };
    Ok(model.generate().map_err(|error| Failure::usage(error.to_string()))?.x.into())
}

struct Measured<'a> {
    x: &'a DataMatrix,
    seconds: f64,
    peak: Option<u64>,
    iterations: usize,
    json: Value,
}

/// The best of some whole runs of the solver.
fn whole_run<'a>(args: &BenchArgs, x: &'a DataMatrix) -> Measured<'a> {
    let settings = Settings { iterations: args.iterations, ..Default::default() };
    let settings = settings.at(args.regularization).expect("the flags have been checked");
    let own_peak = reset_peak();
    let mut seconds = f64::INFINITY;
    let mut json = Value::Null;
    for repeat in 0..args.repeats {
        let what = format!("{} x {}: run {} of {}", x.rows(), x.cols(), repeat + 1, args.repeats);
        say(&what);
        let mut trace = Trace::default();
        let clock = Instant::now();
        let solution = while_working(false, what, || solve(x, Start::Zero, &settings, &mut trace));
        seconds = seconds.min(clock.elapsed().as_secs_f64());
        let last = trace.rows.last().expect("a run has iterations");
        json = json!({
            "rows": x.rows(),
            "cols": x.cols(),
            "regularization": args.regularization,
            "iterations": solution.iterations,
            "gap": solution.gap,
            "nnz": solution.c.nnz(),
            "candidates": last.candidates,
            "pairs": last.pairs,
        });
    }
    let peak = peak_rss_bytes().filter(|_| own_peak);
    json["seconds"] = json!(seconds);
    json["peak_rss_bytes"] = json!(peak);
    Measured { x, seconds, peak, iterations: args.iterations, json }
}

fn row(result: &Measured, baselines: &Baselines) -> Vec<String> {
    let (rows, cols) = (result.x.rows(), result.x.cols());
    let each = result.seconds / result.iterations as f64;
    let seconds = |baseline: &Option<Value>| baseline.as_ref()?["seconds_per_iteration"].as_f64();
    let (numpy, fast_gradient) = (seconds(&baselines.numpy), seconds(&baselines.fast_gradient));
    let scalar = seconds(&baselines.scalar);
    let ratio = |seconds: Option<f64>| seconds.map_or("-".into(), |seconds| format!("{:.1} x", seconds / each));
    let shown = |seconds: Option<f64>| seconds.map_or("-".into(), |seconds| format!("{seconds:.3} s/iteration"));
    let memory = baselines.fast_gradient.as_ref().and_then(|value| value["peak_rss_bytes"].as_u64());
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    vec![
        rows.to_string(),
        cols.to_string(),
        format!("{:.3}", result.seconds),
        format!("{:.1}", 1.0 / each),
        number(&result.json["candidates"]).to_string(),
        format!("{:.1}", number(&result.json["nnz"]) / cols as f64),
        result.peak.map_or("-".into(), bytes),
        result.peak.map_or("-".into(), |peak| format!("{:.2} %", 100.0 * peak as f64 / (8.0 * (cols as f64).powi(2)))),
        shown(numpy),
        ratio(numpy),
        shown(fast_gradient),
        memory.map_or("-".into(), bytes),
        shown(scalar),
        ratio(scalar),
    ]
}

fn cpu() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split(':').nth(1).map(|name| name.trim().to_string())
}

/// The date of today (UTC), year-month-day.
fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / 86_400) as i64;
    // Howard Hinnant's civil_from_days: years that begin in March, in eras of 400.
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    format!("{}-{month:02}-{day:02}", year + era * 400 + i64::from(month <= 2))
}
