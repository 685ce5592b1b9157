//! `merit compare`: several methods on the same data, each in a process of its own so that its peak memory is its own.

use super::factor::Record;
use crate::ExitCode;
use crate::args::{CompareArgs, ComparedMethod};
use crate::child;
use crate::csv::csv_field;
use crate::failure::{DATA, Failure};
use crate::interrupt::{exit_code, interrupted, keep_results};
use crate::output_folder::check_not_input;
use crate::program;
use crate::progress::{say, while_working};
use crate::record;
use crate::terminal::{bytes, print, print_json, table};
use merit::methods::fast_gradient::needed_bytes;
use merit::metrics::{MeanRemoval, anchors_right, mrsa_radians, success};
use merit::progress::StopReason;
use merit::{DataMatrix, DenseMatrix, Method};
use merit_dataset::shown::shown;
use merit_dataset::{ReadOptions, check_file, read, write_file_atomically};
use merit_linalg::memory::available_bytes;
use serde_json::{Value, json};

/// Columns up to which FastGradient belongs to the methods that are run when none are named.
const GRADIENT_COLUMNS: usize = 5_000;

pub fn run(args: &CompareArgs) -> Result<ExitCode, Failure> {
    if let Some(path) = &args.output {
        check_not_input(path, &[&args.input])?;
        check_file(path)?;
    }
    let reading = format!("reading {}", args.input.display());
    let x = while_working(args.quiet, reading, || read(&args.input, &args.reading.settings.options()))?.matrix;
    if args.rank > x.cols() {
        let (input, rank, cols) = (args.input.display(), args.rank, x.cols());
        return Err(Failure::usage(format!("`--rank {rank}`, but `{input}` has only {cols} samples")));
    }
    let truth = args.truth.is_some().then(|| Truth::read(args, &x)).transpose()?;
    keep_results("with the methods that are done");
    let mut results = Vec::new();
    for method in methods(args, &x) {
        if interrupted() {
            break;
        }
        if !args.quiet {
            say(&format!("running {}", method.name));
        }
        let running = format!("running {}", method.name);
        results.push(while_working(args.quiet, running, || Outcome::of(&method, args, &x, truth.as_ref()))?);
    }
    let printed = if args.json {
        print_json(&(serde_json::to_string_pretty(&report(args, &results)).expect("only string keys") + "\n"))
    } else {
        print(&in_words(&results, truth.as_ref()))
    };
    if let Some(path) = &args.output {
        write_file_atomically(path, csv(&results).as_bytes())?;
    }
    printed?; // the file is written, whatever becomes of the words
    let none = results.iter().all(|result| result.found.is_err());
    Ok(ExitCode::from(if interrupted() {
        exit_code()
    } else if none {
        DATA
    } else {
        0
    }))
}

/// Those that were named, or all that fit.
fn methods(args: &CompareArgs, x: &DataMatrix) -> Vec<ComparedMethod> {
    if !args.methods.is_empty() {
        return args.methods.clone();
    }
    let needed = needed_bytes(x.rows(), x.cols(), args.threads.unwrap_or_else(rayon::current_num_threads));
    let available = available_bytes();
    let reason = if x.cols() > GRADIENT_COLUMNS {
        Some(format!("{} columns are more than {GRADIENT_COLUMNS}", x.cols()))
    } else {
        available
            .filter(|&available| needed > available)
            .map(|available| format!("it needs {}, but only {} is free", bytes(needed), bytes(available)))
    };
    if let Some(reason) = &reason {
        say(&format!("note: fast-gradient is left out: {reason}; name it in `--methods` to run it anyway"));
    }
    let fits = |method: &ComparedMethod| method.method != Method::FastGradient || reason.is_none();
    ComparedMethod::defaults().filter(fits).collect()
}

/// What is known of the data.
struct Truth {
    anchors: Vec<usize>,
    w: DenseMatrix,
}

impl Truth {
    fn read(args: &CompareArgs, x: &DataMatrix) -> Result<Self, Failure> {
        let folder = args.truth.as_deref().expect("asked for only with a truth");
        let anchors = record::Truth::read(folder)?.anchors;
        let w = read(&folder.join("W.npy"), &ReadOptions::default())?.matrix.into_dense();
        if w.rows() != x.rows() || anchors.iter().any(|&l| l >= x.cols()) {
            return Err(Failure::data(format!(
                "`{}` is {} x {}, but the truth in `{}` is about {} rows and column {}: they belong to different data",
                args.input.display(),
                x.rows(),
                x.cols(),
                folder.display(),
                w.rows(),
                anchors.iter().max().unwrap_or(&0)
            )));
        }
        Ok(Self { anchors, w })
    }
}

/// A method's result, or why there is none.
struct Outcome {
    name: &'static str,
    found: Result<Found, String>,
}

struct Found {
    anchors: Vec<usize>,
    rae: f64,
    seconds: f64,
    peak: Option<u64>,
    stop: Option<StopReason>,
    truth: Option<AgainstTruth>,
}

struct AgainstTruth {
    success: bool,
    right: usize,
    mrsa: f64,
}

impl Outcome {
    fn of(method: &ComparedMethod, args: &CompareArgs, x: &DataMatrix, truth: Option<&Truth>) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::data(format!("merit cannot be started again: {error}"));
        let mut child = program::again().map_err(failed)?;
        child.arg("factor").arg(&args.input).args(["--json", "--quiet", "--method", method.method.name()]);
        if method.method == Method::Merit {
            child.args(["--certificate", "off"]); // the seconds of the search are what counts
        }
        child.args(method.options).args(["--rank", &args.rank.to_string(), "--seed", &args.seed.to_string()]);
        let reading = &args.reading.settings;
        child.args(["--samples", reading.samples.name()]);
        if let Some(threads) = args.threads {
            child.args(["--threads", &threads.to_string()]);
        }
        if let Some(variable) = &reading.variable {
            child.args(["--variable", variable]);
        }
        let output = child::output(&mut child).map_err(failed)?;
        let written = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string());
        let found = match written.and_then(Record::from_value) {
            Ok(run) => Ok(Found::of(run, x, truth)),
            Err(_) => {
                let said = String::from_utf8_lossy(&output.stderr);
                let line = said.lines().find_map(|line| line.strip_prefix("error: ")).map(String::from);
                Err(line.unwrap_or_else(|| format!("it ended with {}", output.status)))
            }
        };
        Ok(Self { name: method.name, found })
    }
}

impl Found {
    fn of(run: Record, x: &DataMatrix, truth: Option<&Truth>) -> Self {
        let anchors = &run.search.anchors;
        let against = |truth: &Truth| AgainstTruth {
            success: success(anchors, &truth.anchors),
            right: anchors_right(anchors, &truth.anchors),
            mrsa: mrsa_radians(&x.dense_columns(anchors), &truth.w, MeanRemoval::MeanColumn),
        };
        Self {
            truth: truth.map(against),
            rae: run.details.factors.rae,
            seconds: run.total_seconds() - run.seconds_of("read"),
            peak: run.peak_rss_bytes,
            stop: run.search.stop_reason,
            anchors: run.search.anchors,
        }
    }
}

/// Anchors that both found; nothing where one of them failed.
fn shared(a: &Outcome, b: &Outcome) -> Option<usize> {
    a.found.as_ref().ok().zip(b.found.as_ref().ok()).map(|(a, b)| anchors_right(&a.anchors, &b.anchors))
}

fn report(args: &CompareArgs, results: &[Outcome]) -> Value {
    let row = |result: &Outcome| match &result.found {
        Err(error) => json!({ "method": result.name, "error": error }),
        Ok(found) => {
            let mut row = json!({
                "method": result.name,
                "anchors": found.anchors,
                "shared_with_first": shared(result, &results[0]),
                "rae": found.rae,
                "seconds": found.seconds,
                "peak_rss_bytes": found.peak,
                "stop_reason": found.stop,
            });
            if let Some(truth) = &found.truth {
                row["success"] = json!(truth.success);
                row["anchors_right"] = json!(truth.right);
                row["mrsa_radians"] = json!(truth.mrsa);
            }
            row
        }
    };
    let agreement: Vec<Vec<Option<usize>>> =
        results.iter().map(|a| results.iter().map(|b| shared(a, b)).collect()).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "input": args.input.to_string_lossy(),
        "rank": args.rank,
        "seed": args.seed,
        "methods": results.iter().map(row).collect::<Vec<_>>(),
        "agreement": agreement,
    })
}

fn in_words(results: &[Outcome], truth: Option<&Truth>) -> String {
    let Some(first) = results.first() else { return String::new() };
    let mut head = vec!["method".to_string(), "anchors".into(), format!("as {}", first.name)];
    head.extend(["RAE", "seconds", "peak memory"].map(String::from));
    if truth.is_some() {
        head.extend(["success", "right", "MRSA"].map(String::from));
    }
    let mut rows = vec![head];
    let mut errors = String::new();
    for result in results {
        let Ok(found) = &result.found else {
            rows.push(vec![result.name.to_string(), "failed".into()]);
            continue;
        };
        let mut row = vec![result.name.to_string(), found.anchors.len().to_string()];
        row.push(shared(result, first).map_or("-".into(), |count| count.to_string()));
        row.push(format!("{:.6}", found.rae));
        row.push(format!("{:.3}", found.seconds));
        row.push(found.peak.map_or("-".into(), bytes));
        if let (Some(against), Some(truth)) = (&found.truth, truth) {
            row.push(if against.success { "yes" } else { "no" }.into());
            row.push(format!("{} of {}", against.right, truth.anchors.len()));
            row.push(format!("{:.4}", against.mrsa));
        }
        rows.push(row);
    }
    for result in results {
        if let Err(error) = &result.found {
            errors += &format!("{} failed: {}\n", result.name, shown(error));
        }
    }
    let mut text = table(&rows) + &errors;
    if results.len() > 2 {
        let mut pairs = vec![vec!["anchors shared".to_string()]];
        pairs[0].extend(results.iter().map(|result| result.name.to_string()));
        for a in results {
            let cells = results.iter().map(|b| shared(a, b).map_or("-".into(), |count| count.to_string()));
            pairs.push(std::iter::once(a.name.to_string()).chain(cells).collect());
        }
        text += &format!("\n{}", table(&pairs));
    }
    text
}

fn csv(results: &[Outcome]) -> String {
    let mut text =
        "method,anchors,shared_with_first,rae,seconds,peak_rss_bytes,success,anchors_right,mrsa_radians,error\n"
            .to_string();
    let cell = |value: Option<String>| value.unwrap_or_default();
    for result in results {
        match &result.found {
            Err(error) => text += &format!("{},,,,,,,,,{}\n", result.name, csv_field(error)),
            Ok(found) => {
                let list: Vec<String> = found.anchors.iter().map(usize::to_string).collect();
                let against = found.truth.as_ref();
                text += &format!(
                    "{},{},{},{},{},{},{},{},{},\n",
                    result.name,
                    list.join(" "),
                    cell(shared(result, &results[0]).map(|count| count.to_string())),
                    found.rae,
                    found.seconds,
                    cell(found.peak.map(|peak| peak.to_string())),
                    cell(against.map(|truth| truth.success.to_string())),
                    cell(against.map(|truth| truth.right.to_string())),
                    cell(against.map(|truth| truth.mrsa.to_string())),
                );
            }
        }
    }
    text
}
