//! `merit reproduce`: the paper's experiments, ours beside the paper's.

use super::use_threads;
use crate::ExitCode;
use crate::args::{ExperimentName, ReproduceArgs, ReproducePointArgs};
use crate::child;
use crate::failure::Failure;
use crate::hints::experiment_hint;
use crate::interrupt::{exit_code, interrupted, keep_finished_results, keep_results};
use crate::program::{self, command};
use crate::progress::{TrialReporter, say};
use crate::terminal::{print, table};
use merit_dataset::shown::shown_path;
use merit_dataset::{check_file, write_file_atomically};
use merit_experiments::experiment::{self, Experiment};
use merit_experiments::memory::Point;
use merit_experiments::runner::{self, End, Event, Hooks, Narrow, Plan};
use merit_experiments::store::Store;
use merit_experiments::summary::{self, Row};
use merit_experiments::{Failure as ExperimentFailure, document};
use std::ffi::OsStr;
use std::path::Path;

impl From<ExperimentFailure> for Failure {
    fn from(failure: ExperimentFailure) -> Self {
        let message = failure.to_string();
        let plain = if failure.is_usage() { Self::usage(message) } else { Self::data(message) };
        match (experiment_hint(&failure), failure) {
            (Some(hint), _) => plain.hint(hint),
            (None, ExperimentFailure::Write(error)) => error.into(),
            (None, _) => plain,
        }
    }
}

pub fn run(args: &ReproduceArgs) -> Result<ExitCode, Failure> {
    let mut experiments = experiment::all();
    let everything = args.experiments.contains(&ExperimentName::All);
    let asked: Vec<String> = args.experiments.iter().map(ToString::to_string).collect();
    experiments.retain(|experiment| everything || asked.iter().any(|name| name == experiment.name));
    if everything && args.data.is_none() {
        let needs_data = |experiment: &Experiment| experiment.cases.iter().any(|case| case.work.needs_data());
        for experiment in experiments.extract_if(.., |experiment| needs_data(experiment)) {
            say(&format!(
                "note: {} is left out because it needs data files: name their folder with `--data DIR`",
                experiment.name
            ));
        }
    }
    let narrow = Narrow { only: args.only.clone(), methods: args.methods.clone() };
    let plan = Plan {
        trials: args.trials,
        trial: args.trial,
        data: args.data.clone(),
        ..Plan::new(experiments, args.seed, &narrow)?
    };
    plan.check_data()?;
    if let Some(path) = &args.report {
        check_file(path)?;
    }
    let mut store = Store::open(&args.output, &plan, args.force)?;
    keep_finished_results("after the trials in progress, or within a second");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.unwrap_or(cores);
    let mut reporter = TrialReporter::new(args.quiet);
    let mut remarks = Vec::new();
    let hooks = Hooks { stop: &interrupted, memory: &|point| peak_of_child(point, args.data.as_deref(), threads) };
    let mut lines = String::new();
    let end = runner::run(&plan, &mut store, threads, &hooks, &mut |event| {
        reporter.tell(event);
        match event {
            Event::Skipped(reason) => remarks.push(format!("Left out: {reason}.")),
            Event::Finished { records, .. } if args.trial.is_some() => {
                records.iter().for_each(|record| lines += &(record.line() + "\n"));
            }
            _ => {}
        }
    })?;
    drop(reporter);
    keep_results("when the summary is written");
    if let End::Stopped { left } = end {
        remarks.push(format!("This run was interrupted with {left} trials left; the same command continues."));
    }
    let all = experiment::all();
    let rows = summary::summarize(&all, store.records());
    write(args, &all, &rows, &remarks)?;
    if !args.quiet {
        if args.trial.is_some() {
            print(&lines)?;
        }
        let ran: Vec<&str> = plan.experiments.iter().map(|experiment| experiment.name).collect();
        print_tables(&all, &rows, &ran)?;
        print(&format!("written  {}\n", shown_path(&args.output)))?;
        args.report.iter().try_for_each(|path| print(&format!("report   {}\n", shown_path(path))))?;
    }
    if let End::Stopped { left } = end {
        say(&format!("interrupted: {left} trials are left; the same command continues where this one stopped"));
        return Ok(ExitCode::from(exit_code()));
    }
    Ok(ExitCode::SUCCESS)
}

fn write(args: &ReproduceArgs, all: &[Experiment], rows: &[Row], remarks: &[String]) -> Result<(), Failure> {
    let file = |name: &str| args.output.join(name);
    write_file_atomically(&file("summary.csv"), summary::csv(rows).as_bytes())?;
    write_file_atomically(&file("summary.md"), document::markdown(all, rows, remarks).as_bytes())?;
    for (name, svg) in document::figure_files(all, rows) {
        write_file_atomically(&file(&name), svg.as_bytes())?;
    }
    if let Some(path) = &args.report {
        let command = command().join(" ");
        let footer = vec![format!("merit {}", env!("CARGO_PKG_VERSION")), command];
        write_file_atomically(path, document::page(all, rows, remarks, footer).as_bytes())?;
    }
    Ok(())
}

fn print_tables(all: &[Experiment], rows: &[Row], ran: &[&str]) -> Result<(), Failure> {
    for experiment in all.iter().filter(|experiment| ran.contains(&experiment.name)) {
        let own: Vec<&Row> = rows.iter().filter(|row| row.experiment == experiment.name).collect();
        for result in document::tables(experiment, &own) {
            let lines: Vec<Vec<String>> = std::iter::once(result.columns).chain(result.rows).collect();
            print(&format!("{}: {}\n{}\n", experiment.title, result.caption, table(&lines)))?;
        }
    }
    Ok(())
}

/// Starts this program again for one point, and reads what it prints.
fn peak_of_child(point: &Point, data: Option<&Path>, threads: usize) -> Result<u64, ExperimentFailure> {
    let failed = ExperimentFailure::Child;
    let Point { experiment, dataset, setting, trial, seed, method } = point;
    let data = data.into_iter().flat_map(|folder| [OsStr::new("--data"), folder.as_os_str()]);
    let mut point = program::again().map_err(|error| failed(format!("this program cannot be found: {error}")))?;
    point
        .arg("reproduce-point")
        .args(["--experiment", experiment, "--dataset", dataset, "--setting", setting])
        .args(["--trial", &trial.to_string(), "--seed", &seed.to_string(), "--method", method.key()])
        .args(["--threads", &threads.to_string()])
        .args(data);
    let output =
        child::output(&mut point).map_err(|error| failed(format!("this program cannot be started again: {error}")))?;
    let said = String::from_utf8_lossy(&output.stdout);
    match said.trim().parse() {
        Ok(peak) if output.status.success() => Ok(peak),
        _ => {
            let words = String::from_utf8_lossy(&output.stderr);
            let reason = words.lines().next().unwrap_or_default().trim_start_matches("error: ");
            let ended = output.status.to_string();
            Err(failed(if reason.is_empty() { format!("its process ended ({ended})") } else { reason.to_string() }))
        }
    }
}

/// The child's part.
pub fn point(args: &ReproducePointArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let method = merit_experiments::method::named(&args.method)
        .ok_or_else(|| Failure::usage(format!("there is no method `{}`", args.method)))?;
    let point = Point {
        experiment: args.experiment.clone(),
        dataset: args.dataset.clone(),
        setting: args.setting.clone(),
        trial: args.trial,
        seed: args.seed,
        method,
    };
    let peak = point.measure(args.data.as_deref())?;
    print(&format!("{peak}\n"))?;
    Ok(ExitCode::SUCCESS)
}
