//! `merit factor`: a file to anchors, factors, certificate and page.

use super::factor_folder::{self, Summary};
use super::{factor_page, samples, use_threads};
use crate::args::{FactorArgs, InitArg, MethodName, SamplesName, WeightsName, ZeroName};
use crate::failure::Failure;
use crate::progress::Reporter;
use crate::terminal::bytes;
use merit::automatic::Regularization;
use merit::least_squares::Constraint;
use merit::memory::needed_bytes;
use merit::methods::{fast_anchor, fast_gradient};
use merit::solver::{Settings, StopReason};
use merit::{DataMatrix, Error, Initial, Method, Request, Run, SparseMatrix, ZeroColumns, factor};
use merit_dataset::{Dataset, ReadOptions, read};
use merit_linalg::memory::available_bytes;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

pub fn run(args: &FactorArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    args.outputs.check()?;
    let clock = Instant::now();
    let options = ReadOptions { samples: samples(args.samples), variable: args.variable.clone(), memory_limit: None };
    let dataset = read(&args.input, &options)?;
    let read_seconds = clock.elapsed().as_secs_f64();
    check_rank(args, &dataset)?;
    check_memory(args, &dataset.matrix)?;
    let request = request(args)?;

    let steps = if args.method == MethodName::FastGradient { args.gradient_steps } else { args.iterations };
    let mut reporter = Reporter::new(args.outputs.quiet, dataset.matrix.cols(), steps);
    let run = factor(&dataset.matrix, &request, &mut reporter).map_err(|error| failure(error, args))?;
    drop(reporter);

    let clock = Instant::now();
    let folder = args.outputs.folder()?;
    if let Some(folder) = &folder {
        factor_folder::write_arrays(folder, &run, dataset.labels.as_deref())?;
    }
    let mut summary = Summary::new(args, &dataset, &run, read_seconds);
    args.outputs.write_page(folder.as_ref(), || factor_page::of_run(args, &dataset, &run, &summary))?;
    summary.add_seconds("write", clock.elapsed().as_secs_f64());
    args.outputs.finish(folder, &summary.json(), &run.notes, || in_words(args, &dataset, &run, &summary))?;
    Ok(ExitCode::from(if run.stop == Some(StopReason::Interrupted) { 130 } else { 0 }))
}

/// What the flags ask for.
fn request(args: &FactorArgs) -> Result<Request, Failure> {
    let initial = match &args.init {
        InitArg::Zero => Initial::Zero,
        InitArg::Spa => Initial::Spa,
        InitArg::File(path) => Initial::Columns(read_initial(path)?),
    };
    Ok(Request {
        method: method(args),
        rank: args.rank,
        regularization: args.regularization.rule,
        solver: Settings {
            smoothing: args.smoothing,
            iterations: args.iterations,
            gap_tolerance: args.gap_tolerance,
            objective_tolerance: args.objective_tolerance,
            residual_tolerance: args.residual_tolerance,
            time_limit: args.time_limit.map(|seconds| Duration::from_secs_f64(seconds.min(1e15))),
            start_iteration: args.start_iteration.0,
            kernel: args.kernel.0,
            ..Settings::default()
        },
        initial,
        normalize: args.normalize.into(),
        zero_columns: match args.zero_columns {
            ZeroName::Auto => ZeroColumns::Auto,
            ZeroName::Drop => ZeroColumns::Drop,
            ZeroName::Keep => ZeroColumns::Keep,
        },
        merge_duplicates: args.merge_duplicates,
        reduce: args.reduce.0,
        weights: match args.weights {
            WeightsName::Simplex => Constraint::Simplex,
            WeightsName::Nonnegative => Constraint::Nonnegative,
        },
    })
}

/// The method with its knobs.
fn method(args: &FactorArgs) -> Method {
    match args.method {
        MethodName::Merit => Method::Merit,
        MethodName::Spa => Method::Spa,
        MethodName::FastGradient => {
            Method::FastGradient(fast_gradient::Options { steps: args.gradient_steps, seed: args.seed })
        }
        MethodName::Xray => Method::Xray(args.xray_criterion.into()),
        MethodName::FastAnchor => Method::FastAnchor(fast_anchor::Options {
            projection: args.projection.0,
            minimum_documents: args.minimum_documents,
            seed: args.seed,
            ..Default::default()
        }),
        MethodName::NormRatio => Method::NormRatio,
    }
}

pub(super) fn read_initial(path: &Path) -> Result<SparseMatrix, Failure> {
    Ok(read(path, &ReadOptions::default())?.matrix.into_sparse())
}

fn check_rank(args: &FactorArgs, dataset: &Dataset) -> Result<(), Failure> {
    let (rows, cols) = (dataset.matrix.rows(), dataset.matrix.cols());
    match args.rank {
        Some(rank) if rank > cols => {
            let (samples, other) = match args.samples {
                SamplesName::Columns => ("columns", "rows"),
                SamplesName::Rows => ("rows", "columns"),
            };
            let failure =
                Failure::usage(format!("`--rank {rank}`, but `{}` has only {cols} {samples}", args.input.display()));
            Err(if rank <= rows {
                failure.hint(format!("if the samples are its {rows} {other}, say `--samples {other}`"))
            } else {
                failure
            })
        }
        _ => Ok(()),
    }
}

/// Fails before the work if it would not fit.
fn check_memory(args: &FactorArgs, x: &DataMatrix) -> Result<(), Failure> {
    let needed = needed_bytes(x, args.rank.unwrap_or(0), args.iterations);
    match available_bytes() {
        Some(available) if needed > available => Err(Failure::data(format!(
            "factoring {} x {} needs about {} more memory, but only {} are available",
            x.rows(),
            x.cols(),
            bytes(needed),
            bytes(available)
        ))
        .hint(
            "reduce the rows with `--reduce pca:DIM`, merge copies with `--merge-duplicates 0`, or use fewer columns",
        )),
        _ => Ok(()),
    }
}

fn failure(error: Error, args: &FactorArgs) -> Failure {
    let input = args.input.display();
    match error {
        Error::FewDistinct { rank, distinct } => {
            let typed = if args.rank.is_some() { format!("`--rank {rank}`") } else { format!("rank {rank}") };
            Failure::usage(format!(
                "{typed}, but only {distinct} columns of `{input}` are nonzero and different from each other"
            ))
            .hint(format!("give `--rank {distinct}` or less"))
        }
        Error::InitialShape { .. } | Error::InitialInfeasible { .. } => Failure::data(error.to_string())
            .hint("`--init` takes the C.npz of a run on the same data; or start from `--init spa`"),
        Error::Preprocess(merit::preprocess::PreprocessError::TooManyDimensions { rows, cols, .. }) => {
            Failure::usage(error.to_string()).hint(format!("`--reduce pca:{}` is the most", rows.min(cols)))
        }
        Error::Scale(_) => Failure::data(format!("`{input}`: {error}")).hint("divide the matrix by its largest entry"),
        Error::FastGradient(fast_gradient::Error::Memory { .. }) => Failure::data(format!("`{input}`: {error}"))
            .hint("`--method merit` needs no N x N matrix; or use fewer columns"),
        Error::FewEligible { eligible, .. } => Failure::usage(format!("`{input}`: {error}")).hint(match eligible {
            0 => "give a smaller `--minimum-documents`".to_string(),
            _ => format!("give `--rank {eligible}` or less, or a smaller `--minimum-documents`"),
        }),
        Error::Settings(_) => Failure::usage(error.to_string()),
        _ => Failure::data(format!("`{input}`: {error}")),
    }
}

/// The summary for people.
fn in_words(args: &FactorArgs, dataset: &Dataset, run: &Run, summary: &Summary) -> String {
    let (rows, cols) = (dataset.matrix.rows(), dataset.matrix.cols());
    let mut lines = vec![format!(
        "{}: {rows} x {cols}, {} anchors{}",
        args.input.display(),
        run.anchors.len(),
        match &run.rank_estimate {
            None => "",
            Some(estimate) if estimate.clear => " (estimated, clear)",
            Some(_) => " (estimated, NOT clear)",
        }
    )];
    let label = |&l: &usize| match dataset.labels.as_ref().map(|labels| &labels[l]) {
        Some(label) => format!("{l} ({label})"),
        None => l.to_string(),
    };
    let shown: Vec<String> = run.anchors.iter().take(20).map(label).collect();
    let more = if run.anchors.len() > 20 { ", ..." } else { "" };
    lines.push(format!("anchors    {}{more}", shown.join(", ")));
    if let (Some(solution), Some(lambda)) = (&run.solution, run.regularization) {
        let rule = match args.regularization.rule {
            Regularization::Value(_) => String::new(),
            _ => format!(" ({})", args.regularization.typed),
        };
        lines.push(format!("lambda     {lambda:.6e}{rule}"));
        let stop = run.stop.unwrap_or(solution.stop);
        lines.push(format!("stopped    {stop} after {} iterations", solution.iterations));
        lines.push(format!("objective  {:.6e}", solution.objective));
        if let Some(gap) = solution.gap {
            let meaning = if gap < solution.objective {
                let part = 100.0 * gap / solution.objective;
                format!("the objective is at most this far ({part:.2} % of it) above the optimum")
            } else {
                "no less than the objective, so it tells nothing yet; more --iterations make it smaller".to_string()
            };
            lines.push(format!("gap        {gap:.6e}: {meaning}"));
        }
    }
    if let (Some(found), Some(stop)) = (&run.fast_gradient, run.stop) {
        lines.push(format!("stopped    {stop} after {} steps", found.steps));
        lines.push(format!("objective  {:.6e} with diagonal weight (mu) {:.6e}", found.objective, found.mu));
    }
    lines.push(format!("fit        RAE {:.6} (1 - ||X - WH|| / ||X||)", run.rae()));
    let peak = summary.peak_rss_bytes.map_or(String::new(), |peak| {
        let square = 8 * (cols as u64).saturating_mul(cols as u64);
        format!(", peak memory {} (one N x N matrix: {})", bytes(peak), bytes(square))
    });
    lines.push(format!("took       {:.2} s{peak}", summary.total_seconds()));
    if let Some(path) = &args.outputs.output {
        lines.push(format!("written    {}", path.display()));
    }
    if let Some(path) = &args.outputs.report {
        lines.push(format!("report     {}", path.display()));
    }
    lines.join("\n") + "\n"
}
