//! `merit factor`: a file to anchors, factors, certificate and page.

use super::plan::OF_MPI;
use super::run_outputs::Results;
use super::shared_results::SharedResults;
use super::{checkpoint, factor_folder, factor_page, out_of_core, theory, use_threads};
use crate::ExitCode;
use crate::args::{FactorArgs, MatrixReading, SamplesAre};
use crate::failure::Failure;
use crate::hints::typed;
use crate::progress::{Reporter, say, while_working};
use crate::ranks::{is_first, together};
use crate::record::{FactorDetails, FactorSettings, FactorsRecord, MatrixInput, RunRecord, SearchRecord};
use crate::terminal::bytes;
use merit::automatic::Regularization;
use merit::factor::{Factorization, Init, Settings, factor_from, factor_within};
use merit::memory::{Sharing, needed_bytes, needed_bytes_of_rank};
use merit::methods::fast_gradient;
use merit::plan::Size;
use merit::precision::Precision;
use merit::search::Certified;
use merit::settings::Declared;
use merit::words::counted;
use merit::{DataMatrix, Error, Method, SparseMatrix};
use merit_dataset::shown::{shown, shown_path};
use merit_dataset::{Dataset, ReadOptions, check_shared, read, read_share, shape};
use merit_linalg::memory::{available_bytes, peak_rss_bytes};
use merit_linalg::numbers::fingerprint_with;
use merit_linalg::ranks::here;
use std::path::Path;
use std::time::Instant;

/// What `run.json` of `merit factor` is.
pub type Record = RunRecord<FactorDetails>;

pub fn run(args: &FactorArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let settings = &args.flags.settings;
    let mut inputs = vec![args.input.as_path()];
    if let Init::File(path) = &settings.init {
        inputs.push(path);
    }
    let Read { dataset, files, initial, seconds } = together(read_inputs(args, &inputs))?;
    let x = &dataset.matrix;
    if x.is_shared() {
        check_shared(&dataset, &args.input, &args.reading.settings.options())?;
    }
    // What several processes share, all of them look at.
    let known = (x.is_shared() && args.checkpoint.checkpoint.is_some()).then(|| fingerprint_with(x, initial.as_ref()));
    let data = || known.unwrap_or_else(|| fingerprint_with(x, initial.as_ref()));
    let checkpoint = together(args.checkpoint.open("factor", data, settings))?;
    let mut reporter = Reporter::new(args.outputs.quiet, dataset.matrix.cols()).keeping(checkpoint);
    let run = match &files {
        None => factor_from(&dataset.matrix, settings, initial.as_ref(), &mut reporter),
        Some(files) => factor_within(&dataset.matrix, settings, initial.as_ref(), &files.room, &mut reporter),
    };
    let checkpoint = reporter.into_checkpoint();
    if let Some(code) = checkpoint::ended_by_system(checkpoint.as_ref()) {
        return Ok(code);
    }
    let run = run.map_err(|error| failure(error, args))?;
    files.as_ref().map_or(Ok(()), out_of_core::Files::check_unchanged)?;

    let record =
        record(args, &dataset, files.as_ref(), &run).with_seconds(&[("read", seconds)]).with_seconds(&run.seconds);
    let record = record.with_peak_of_others(largest_peak());
    let shared = SharedResults::of(&run);
    if let Some(shared) = shared.as_ref().filter(|_| !is_first()) {
        shared.hand_over();
    }
    let results = Results {
        folder: &|folder| factor_folder::write_arrays(folder, &run, shared.as_ref(), dataset.labels.as_deref()),
        extra: None,
        page: &|record| {
            let theory = theory::section(args, &dataset.matrix, &run);
            factor_page::of_run(record, settings.search.regularization, &run, dataset.labels.as_deref(), vec![theory])
        },
        words: &|record| in_words(args, &dataset, &run, record),
        width: 10,
    };
    let code = args.outputs.finish(&inputs, record, &results)?;
    Ok(checkpoint::after(checkpoint, code, run.search.stop))
}

/// What the run is about.
struct Read {
    dataset: Dataset,
    /// What of it is not in memory.
    files: Option<out_of_core::Files>,
    /// The `C` to start from, where that is a file.
    initial: Option<SparseMatrix>,
    seconds: f64,
}

fn read_inputs(args: &FactorArgs, inputs: &[&Path]) -> Result<Read, Failure> {
    args.outputs.check(inputs)?;
    let clock = Instant::now();
    let single_precision = args.flags.settings.precision == Precision::F32;
    let options = ReadOptions { single_precision, ..args.reading.settings.options() };
    let (dataset, files) = match sharing(args, &options)? {
        Sharing::Replicated => out_of_core::open(args, &options)?,
        Sharing::Ring => {
            let reading = format!("reading {}", args.input.display());
            (while_working(args.outputs.quiet, reading, || read_share(&args.input, &options, here()))?, None)
        }
    };
    let seconds = clock.elapsed().as_secs_f64();
    check_rank(args, &dataset)?;
    if files.is_none() {
        check_memory(args, &dataset.matrix)?;
    }
    let initial = match &args.flags.settings.init {
        Init::File(path) => Some(read_initial(path)?),
        Init::Zero | Init::Spa => None,
    };
    Ok(Read { dataset, files, initial, seconds })
}

/// Whether each of several processes gets all of the matrix: where it fits.
fn sharing(args: &FactorArgs, options: &ReadOptions) -> Result<Sharing, Failure> {
    let Some(most) = args.memory_per_rank else { return Ok(Sharing::Replicated) };
    let ranks = here().count();
    if ranks == 1 {
        return Err(Failure::usage("`--memory-per-rank` is for several processes, but this one works alone")
            .hint("leave it out, or start a program that was built with MPI as `mpirun -n 4 merit factor ...`"));
    }
    let settings = &args.flags.settings;
    let Some(shape) = shape(&args.input, options)? else {
        return Ok(Sharing::Replicated); // what does not fit is refused once its size is known
    };
    let bytes_of = |sharing| FIXED + needed_bytes_of_rank(&size(shape, settings), ranks, sharing);
    let replicated = bytes_of(Sharing::Replicated);
    if replicated <= most {
        return Ok(Sharing::Replicated);
    }
    if settings.precision == Precision::F32 {
        return Err(out_of_core::single_does_not_fit(
            "--memory-per-rank",
            "the memory of every process",
            replicated,
            most,
        ));
    }
    let needed = bytes_of(Sharing::Ring);
    if needed > most && !args.outputs.quiet {
        let (needed, most) = (bytes(needed), bytes(most));
        say(&format!("note: each of {ranks} processes needs about {needed}, more than `--memory-per-rank {most}`"));
    }
    Ok(Sharing::Ring)
}

fn size((rows, cols): (usize, usize), settings: &Settings) -> Size {
    let (rank, iterations) = (settings.rank.unwrap_or(0), settings.search.solver.iterations);
    Size { rows, cols, rank, iterations, certificate: false, precision: settings.precision }
}

/// Bytes of the program itself, of the threads' scratch, and of MPI.
const FIXED: u64 = 12_000_000 + OF_MPI;

fn too_much_for_a_rank((rows, cols): (usize, usize), needed: u64, most: u64) -> Failure {
    let (ranks, needed, most) = (here().count(), bytes(needed), bytes(most));
    Failure::data(format!(
        "factoring {rows} x {cols} needs about {needed} in each of {ranks} processes, but `--memory-per-rank` is {most}"
    ))
}

/// The peak of the process that used most memory so far.
fn largest_peak() -> Option<u64> {
    let mut peak = [peak_rss_bytes().unwrap_or(0)];
    here().max(&mut peak);
    Some(peak[0]).filter(|&bytes| bytes > 0)
}

fn record(args: &FactorArgs, dataset: &Dataset, files: Option<&out_of_core::Files>, run: &Factorization) -> Record {
    let asked = &args.flags.settings;
    let mut notes = dataset.notes();
    notes.extend(files.map(|files| files.note.clone()));
    notes.extend(args.flags.unused_note(asked.method.name()));
    let input = MatrixInput::of(args.input.display().to_string(), &dataset.matrix, dataset.description.clone());
    let mut record = record_of(input, args.reading.settings.clone(), asked, run, notes);
    record.details.settings.memory = args.memory;
    record
}

/// The record of a run; what the library has to say comes before other `notes`.
pub fn record_of(
    input: MatrixInput,
    reading: MatrixReading,
    asked: &Settings,
    run: &Factorization,
    notes: Vec<String>,
) -> Record {
    let mut used = asked.clone();
    used.rank = Some(run.anchors().len());
    let search = SearchRecord::resolved(Some(&run.search), &mut used.search, asked.method.name(), run.search.stop);
    let details = FactorDetails {
        input,
        settings: FactorSettings { rank_given: asked.rank, memory: None, reading, factor: used },
        preprocessing: run.preprocessing.clone(),
        rank: run.anchors().len(),
        rank_estimate: run.rank_estimate.clone(),
        regularization_rule: run.search.solution.as_ref().and_then(|_| asked.text("regularization")),
        factors: FactorsRecord {
            weights: asked.weights,
            squared_residual: run.h.squared_residual,
            rae: run.rae(),
            violation: run.h.violation,
            tolerance: run.h.tolerance,
            unconverged_columns: run.h.unconverged,
        },
        support: run.support.clone(),
        path: run.path.clone(),
    };
    let notes = run.notes.iter().map(|note| typed(note)).chain(notes).collect();
    RunRecord::new(details, search, asked.search.solver.kernel, notes)
}

/// The `C` of a file.
pub(super) fn read_initial(path: &Path) -> Result<SparseMatrix, Failure> {
    Ok(read(path, &ReadOptions::default())?.matrix.into_sparse())
}

fn check_rank(args: &FactorArgs, dataset: &Dataset) -> Result<(), Failure> {
    let (rows, cols) = (dataset.matrix.rows(), dataset.matrix.cols());
    match args.flags.settings.rank {
        Some(rank) if rank > cols => {
            let (samples, other) = match args.reading.settings.samples {
                SamplesAre::Columns => ("columns", "rows"),
                SamplesAre::Rows => ("rows", "columns"),
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
    let settings = &args.flags.settings;
    let (rank, iterations) = (settings.rank.unwrap_or(0), settings.search.solver.iterations);
    let needed = match x.is_shared() {
        false => needed_bytes(x, rank, iterations),
        true => {
            let size = size((x.rows(), x.cols()), settings);
            needed_bytes_of_rank(&size, here().count(), Sharing::Ring).saturating_sub(8 * x.stored_count() as u64)
        }
    };
    let there = out_of_core::bytes_of_data(x);
    if let Some(most) = args.memory_per_rank.filter(|&most| !x.is_shared() && needed + there > most) {
        return Err(too_much_for_a_rank((x.rows(), x.cols()), needed + there, most)
            .hint("of a dense .npy each process can read its own part; other formats every process reads whole"));
    }
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
            let given = args.flags.settings.rank.is_some();
            let typed = if given { format!("`--rank {rank}`") } else { format!("rank {rank}") };
            Failure::usage(format!(
                "{typed}, but only {}",
                counted(
                    distinct,
                    &format!("column of `{input}` is nonzero and not a copy of another"),
                    &format!("columns of `{input}` are nonzero and different from each other")
                )
            ))
            .hint(format!("give `--rank {distinct}` or less"))
        }
        Error::InitialShape { .. } | Error::InitialInfeasible(_) => Failure::data(error.to_string())
            .hint("`--init` takes the C.npz of a run on the same data; or start from `--init spa`"),
        Error::Preprocess(merit::preprocess::PreprocessError::TooManyDimensions { rows, cols, .. }) => {
            Failure::usage(error.to_string()).hint(format!("`--reduce pca:{}` is the most", rows.min(cols)))
        }
        Error::Scale(_) => Failure::data(format!("`{input}`: {error}")).hint("divide the matrix by its largest entry"),
        Error::FastGradient(fast_gradient::Error::Memory { .. }) => Failure::data(format!("`{input}`: {error}"))
            .hint("`--method merit` needs no N x N matrix; or use fewer columns"),
        Error::Shared(_) => Failure::usage(format!("`{input}`: {error}"))
            .hint("leave out `--memory-per-rank`, or raise it until all of the matrix fits; or leave out what needs all of it"),
        Error::ExactMemory { .. } => Failure::data(format!("`{input}`: {error}"))
            .hint("`--method merit` takes less; or reduce the rows with `--reduce pca:DIM`"),
        Error::OutOfCore { .. } => {
            Failure::usage(typed(&format!("`{input}`: {error}"))).hint("leave it out, or give more `--memory`")
        }
        Error::FewEligible { eligible, .. } => Failure::usage(format!("`{input}`: {error}")).hint(match eligible {
            0 => "give a smaller `--minimum-nonzeros`".to_string(),
            _ => format!("give `--rank {eligible}` or less, or a smaller `--minimum-nonzeros`"),
        }),
        Error::Interrupted => Failure::interrupted(),
        Error::Settings(_) => Failure::usage(error.to_string()),
        _ => Failure::data(format!("`{input}`: {error}")),
    }
}

/// How far `C` is from the optimum.
pub(super) fn certificate(known: &Certified) -> String {
    if known.lower_bound <= 0.0 {
        let (objective, passes) = (known.objective, known.passes);
        return format!(
            "at least 0, where C has {objective:.6e} (without smoothing): that bound says nothing ({passes} passes)"
        );
    }
    format!(
        "at least {:.6e}, where C has {:.6e} (both without smoothing): no other C is better by more than {:.2} % ({} passes)",
        known.lower_bound,
        known.objective,
        100.0 * known.relative_gap(),
        known.passes
    )
}

/// The summary for people.
fn in_words(args: &FactorArgs, dataset: &Dataset, run: &Factorization, record: &Record) -> String {
    let (rows, cols, search) = (dataset.matrix.rows(), dataset.matrix.cols(), &record.search);
    let mut lines = vec![format!(
        "{}: {rows} x {cols}, {}{}",
        shown_path(&args.input),
        counted(search.anchors.len(), "anchor", "anchors"),
        match &run.rank_estimate {
            None => "",
            Some(estimate) if estimate.clear => " (estimated, clear)",
            Some(_) => " (estimated, NOT clear)",
        }
    )];
    let label = |&l: &usize| match dataset.labels.as_ref().map(|labels| &labels[l]) {
        Some(label) => format!("{l} ({})", shown(label)),
        None => l.to_string(),
    };
    let anchors: Vec<String> = search.anchors.iter().take(20).map(label).collect();
    let more = if search.anchors.len() > 20 { ", ..." } else { "" };
    lines.push(format!("anchors    {}{more}", anchors.join(", ")));
    if let (Some(objective), Some(lambda)) = (search.objective, search.regularization) {
        let rule = match args.flags.settings.search.regularization {
            Regularization::Value(_) => String::new(),
            _ => format!(" ({})", record.details.regularization_rule.as_deref().unwrap_or_default()),
        };
        lines.push(format!("lambda     {lambda:.6e}{rule}"));
        let stop = search.stop_reason.unwrap_or_default();
        lines.push(format!("stopped    {stop} after {}", counted(search.steps(), "iteration", "iterations")));
        lines.push(format!("objective  {objective:.6e}"));
        if let Some(gap) = search.gap {
            let whose = if search.lower_bound.is_some() { "Frank-Wolfe's own bound: " } else { "" };
            let meaning = if gap < objective {
                let part = 100.0 * gap / objective;
                format!("the objective is at most this far ({part:.2} % of it) above the optimum")
            } else {
                "no less than the objective, so it says nothing yet; more --iterations make it smaller".to_string()
            };
            if run.search.method != Method::Exact {
                lines.push(format!("gap        {gap:.6e}: {whose}{meaning}"));
            }
        }
        lines.extend(run.search.certificate.as_ref().map(|known| format!("optimum    {}", certificate(known))));
    }
    if let (Some(found), Some(stop)) = (&search.fast_gradient, search.stop_reason) {
        lines.push(format!("stopped    {stop} after {}", counted(found.steps, "step", "steps")));
        lines.push(format!("objective  {:.6e} with diagonal weight (mu) {:.6e}", found.objective, found.mu));
    }
    lines.push(format!("fit        RAE {:.6} (1 - ||X - WH|| / ||X||)", run.rae()));
    let peak = record.peak_rss_bytes.map_or(String::new(), |peak| {
        let square = 8 * (cols as u64).saturating_mul(cols as u64);
        format!(", peak memory {} (one N x N matrix: {})", bytes(peak), bytes(square))
    });
    lines.push(format!("took       {:.2} s{peak}", record.total_seconds()));
    lines.join("\n") + "\n"
}
