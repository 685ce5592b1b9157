//! What Merit is measured against, on the same data, each in a process of its own.

use crate::args::{BaselineName, BenchArgs};
use crate::child;
use crate::failure::Failure;
use crate::program;
use crate::progress::{say, while_working};
use merit::DataMatrix;
use merit::progress::Trace;
use merit::solver::{KernelChoice, Settings, Start, solve};
use merit_dataset::output::Unfinished;
use merit_dataset::{write_file_atomically, write_npy};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// The baseline's source goes with the program.
const NUMPY_BASELINE: &str = include_str!("merit_numpy.py");

/// Steps of FastGradient that are timed; its memory does not grow after the first.
const GRADIENT_STEPS: usize = 5;

/// Seconds per iteration, and peak memory where it is a process of its own, of each baseline that was asked for and ran.
#[derive(Default)]
pub struct Baselines {
    pub numpy: Option<Value>,
    pub fast_gradient: Option<Value>,
    pub scalar: Option<Value>,
}

impl Baselines {
    pub fn measure(args: &BenchArgs, x: &DataMatrix) -> Result<Self, Failure> {
        let wanted = |name: BaselineName| args.compare.contains(&name);
        let scalar = wanted(BaselineName::Scalar).then(|| scalar(args, x));
        let DataMatrix::Dense(x) = x else { return Ok(Self { scalar, ..Self::default() }) };
        if !wanted(BaselineName::Numpy) && !wanted(BaselineName::FastGradient) {
            return Ok(Self { scalar, ..Self::default() });
        }
        let folder = std::env::temp_dir().join("merit-bench");
        let folder = Unfinished::folder(&folder, &folder)?; // it never gets its name: all of it goes away at the end
        let (script, data) = (folder.path().join("merit_numpy.py"), folder.path().join("X.npy"));
        write_file_atomically(&script, NUMPY_BASELINE.as_bytes())?;
        write_npy(&data, x)?;
        Ok(Self {
            scalar,
            numpy: wanted(BaselineName::Numpy).then(|| numpy(args, &script, &data)).flatten(),
            fast_gradient: wanted(BaselineName::FastGradient).then(|| fast_gradient(&data, x.cols())).flatten(),
        })
    }
}

/// Steps of the same solver by the plain loops that define its result; the first, which starts threads, is not counted.
fn scalar(args: &BenchArgs, x: &DataMatrix) -> Value {
    let what = format!("the scalar kernel, {} steps", args.baseline_iterations);
    say(&what);
    let settings =
        Settings { kernel: KernelChoice::Scalar, iterations: args.baseline_iterations + 1, ..Default::default() };
    let settings = settings.at(args.regularization).expect("the flags have been checked");
    let mut trace = Trace::default();
    while_working(false, what, || solve(x, Start::Zero, &settings, &mut trace));
    let (first, last) = (&trace.rows[0], &trace.rows[trace.rows.len() - 1]);
    let steps = (last.iteration - first.iteration).max(1);
    let seconds = (last.elapsed - first.elapsed).as_secs_f64() / steps as f64;
    json!({ "seconds_per_iteration": seconds, "iterations": steps })
}

/// A few steps of FastGradient, by this program.
fn fast_gradient(data: &Path, cols: usize) -> Option<Value> {
    say(&format!("FastGradient, {GRADIENT_STEPS} steps"));
    let mut factor = program::again().ok()?;
    factor
        .arg("factor")
        .arg(data)
        .args(["--method", "fast-gradient", "--rank", &2.min(cols).to_string(), "--json", "--quiet"])
        .args(["--gradient-steps", &GRADIENT_STEPS.to_string()])
        .args(["--threads", &rayon::current_num_threads().to_string()]);
    let output = child::output(&mut factor);
    let output = output.inspect_err(|error| say(&format!("skipped: FastGradient cannot be run: {error}"))).ok()?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or("it failed").to_string();
        say(&format!("skipped: FastGradient ({reason})"));
        return None;
    }
    let run: Value = serde_json::from_slice(&output.stdout).ok()?;
    let seconds = run["seconds"]["search"].as_f64()?;
    Some(json!({
        "seconds_per_iteration": seconds / GRADIENT_STEPS as f64,
        "iterations": GRADIENT_STEPS,
        "peak_rss_bytes": run["peak_rss_bytes"],
    }))
}

/// The NumPy baseline at the better of one thread and all, and its better block size.
fn numpy(args: &BenchArgs, script: &Path, data: &Path) -> Option<Value> {
    let threads = rayon::current_num_threads();
    let mut best: Option<Value> = None;
    for threads in [1, threads].into_iter().take(if threads > 1 { 2 } else { 1 }) {
        say(&format!("NumPy on {threads} threads"));
        let mut python = Command::new(&args.python);
        python
            .arg(script)
            .arg(data)
            .arg(args.regularization.to_string())
            .arg(args.baseline_iterations.to_string())
            .arg("64,256")
            .envs(
                ["OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"].map(|name| (name, threads.to_string())),
            );
        let output = child::output(&mut python);
        let output = match output {
            Ok(output) if output.status.success() => output,
            Ok(output) => {
                let reason = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("it failed").to_string();
                say(&format!(
                    "skipped: the NumPy baseline ({reason}); name a Python with NumPy and SciPy with --python"
                ));
                best = None;
                break;
            }
            Err(error) => {
                say(&format!("skipped: the NumPy baseline, `{}` cannot be run: {error}", args.python.display()));
                break;
            }
        };
        let value: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        for (block, seconds) in value["seconds"].as_object().into_iter().flatten() {
            let better = best.as_ref().is_none_or(|b| seconds.as_f64() < b["seconds_per_iteration"].as_f64());
            if better {
                best = Some(json!({
                    "seconds_per_iteration": seconds,
                    "block": block,
                    "threads": threads,
                    "iterations": args.baseline_iterations,
                    "numpy": value["numpy"],
                    "peak_rss_bytes": value["peak_rss_bytes"],
                }));
            }
        }
    }
    best
}
