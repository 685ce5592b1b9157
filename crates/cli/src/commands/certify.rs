//! `merit certify`: the paper's theorems, checked on a run.

use super::factor::Record;
use super::theory::{initial, origin_in_words, rows, solver_weights, without_skipped};
use super::use_threads;
use crate::ExitCode;
use crate::args::CertifyArgs;
use crate::failure::Failure;
use crate::progress::{say, working};
use crate::record::{MatrixInput, Truth};
use crate::terminal::{print, print_json, table};
use merit::least_squares::{Constraint, DEFAULT_TOLERANCE, solve};
use merit::precision::Precision;
use merit::preprocess::{Normalize, Prepared, Preprocessing, square};
use merit::solver::FeasibleColumns;
use merit::theory::{Certificate, Evidence, Origin, RunFacts, certify};
use merit::{DataMatrix, DenseMatrix, Method, SparseColumns};
use merit_dataset::shown::{shown, shown_path};
use merit_dataset::{ReadOptions, Samples, read};
use serde_json::json;
use std::path::{Path, PathBuf};

pub fn run(args: &CertifyArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let mut sign = None;
    let mut talk = |line: &str| {
        if !args.quiet {
            say(line);
        }
        sign = working(args.quiet, line.to_string()); // until the next
    };
    let run = Record::read(&args.run)?;
    let (found, settings) = (run.search.anchors.clone(), &run.details.settings.factor);
    let steps = preprocessing(&run, args)?;
    let input = input(args, &run)?;
    talk(&format!("reading {}", input.display()));
    let x = read_input(&input, args, &run)?;
    let prepared = Prepared::of(&x, &steps)
        .map_err(|error| Failure::data(format!("`{}`, prepared as the run was: {error}", input.display())))?;
    let prepared = without_skipped(prepared, &run.details.preprocessing);
    check_anchors(&found, &prepared, &input, args)?;

    let mut model = match &args.truth {
        Some(folder) => Model::of_truth(folder, &prepared, &steps)?,
        None => Model::of_run(args, &run, &found, &prepared)?,
    };
    let c = read_c(args, &prepared, &run)?;
    let start = match &c {
        Some(_) => initial(settings, &prepared, found.len())?,
        None => None,
    };
    let facts = c.as_ref().map(|c| RunFacts {
        c,
        initial: start.as_ref(),
        start_iteration: run.search.start_iteration.unwrap_or(0),
        iterations: run.search.steps(),
        residual_tolerance: settings.search.solver.residual_tolerance,
    });
    let evidence = Evidence {
        regularization: run.search.regularization,
        relative_gap: run.search.relative_gap,
        smoothing: settings.search.solver.smoothing,
        run: facts,
        ..Evidence::new(prepared.problem(), &model.w, &model.h, &model.anchors, model.origin)
    };
    let certificate = certify(&evidence, &mut |stage| talk(stage)).map_err(|error| Failure::data(error.to_string()))?;
    drop(sign);
    if args.truth.is_some() && certificate.quantities.noise.powi(2) >= square(prepared.problem()) {
        model.notes.push("the true W H explains nothing of the matrix: is this the truth of another one?".to_string());
    }
    if args.json {
        print_json(&in_json(args, &certificate, &model))?;
    } else {
        print(&in_words(args, &certificate, &model))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The steps that `run.json` says were taken before the solver.
fn preprocessing(run: &Record, args: &CertifyArgs) -> Result<Preprocessing, Failure> {
    let record = &run.details.preprocessing;
    if record.reduced_rows.is_some() && args.truth.is_some() {
        return Err(Failure::usage(
            "`--truth` cannot be compared with a run whose rows were reduced (`--reduce`): the true W has other rows",
        )
        .hint("leave out `--truth`, or factor without `--reduce`"));
    }
    Ok(Preprocessing {
        normalize: record.normalize,
        drop_zero_columns: record.zero_columns_dropped,
        merge_duplicates: record.merge_tolerance,
        reduce: record.reduced_rows,
    })
}

/// Where `X` is: as typed, as recorded, or beside the truth.
fn input(args: &CertifyArgs, run: &Record) -> Result<PathBuf, Failure> {
    if let Some(path) = &args.input {
        return Ok(path.clone());
    }
    let recorded = PathBuf::from(&run.details.input.path);
    if recorded.is_file() {
        return Ok(recorded);
    }
    let beside = args.truth.as_ref().map(|folder| folder.join("X.npy"));
    beside.filter(|path| path.is_file()).ok_or_else(|| {
        let what = format!("the matrix of the run, `{}`, is not there (seen from this folder)", recorded.display());
        Failure::data(what).hint("name it with `--input FILE`")
    })
}

fn read_input(path: &Path, args: &CertifyArgs, run: &Record) -> Result<DataMatrix, Failure> {
    let of_truth = args.truth.as_ref().is_some_and(|folder| folder.join("X.npy") == path);
    let mut options = run.details.settings.reading.options();
    if of_truth {
        options.samples = Samples::Columns;
    }
    options.single_precision = run.details.settings.factor.precision == Precision::F32;
    let x = read(path, &options)?.matrix;
    let MatrixInput { rows, cols, .. } = run.details.input;
    if (rows, cols) != (x.rows(), x.cols()) {
        return Err(Failure::data(format!(
            "`{}` is {} x {}, but the matrix of `{}` was {rows} x {cols}",
            path.display(),
            x.rows(),
            x.cols(),
            args.run.display()
        ))
        .hint("name the matrix of the run with `--input FILE`"));
    }
    Ok(x)
}

/// Fails unless the anchors' columns are what the run wrote as `W.npy`.
fn check_anchors(found: &[usize], prepared: &Prepared, input: &Path, args: &CertifyArgs) -> Result<(), Failure> {
    let path = args.run.join("W.npy");
    let w = read(&path, &ReadOptions::default())?.matrix.into_dense();
    let wrong = |what: String| {
        Err(Failure::data(format!("`{}` is not the matrix of `{}`: {what}", input.display(), args.run.display()))
            .hint("name the matrix of the run with `--input FILE`"))
    };
    let cols = prepared.full.cols();
    if let Some(anchor) = found.iter().find(|&&anchor| anchor >= cols) {
        return wrong(format!("it has no column {anchor}"));
    }
    if (w.rows(), w.cols()) != (prepared.full.rows(), found.len()) {
        return wrong(format!("`W.npy` is {} x {}", w.rows(), w.cols()));
    }
    let columns = prepared.full.dense_columns(found);
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    match (0..found.len()).find(|&k| !w.col(k).iter().zip(columns.col(k)).all(near)) {
        Some(k) => wrong(format!("its column {} differs from column {k} of `W.npy`", found[k])),
        None => Ok(()),
    }
}

/// `W`, `H` and anchors, numbered as the solver saw them.
struct Model {
    w: DenseMatrix,
    h: DenseMatrix,
    anchors: Vec<usize>,
    origin: Origin,
    notes: Vec<String>,
}

impl Model {
    fn of_run(args: &CertifyArgs, run: &Record, found: &[usize], prepared: &Prepared) -> Result<Self, Failure> {
        let x = prepared.problem();
        let anchors = positions(found, prepared)?;
        let w = x.dense_columns(&anchors);
        let mut notes = Vec::new();
        let h = if run.details.settings.factor.weights == Constraint::Nonnegative {
            notes.push("the run's weights do not sum to 1, so H was solved again on the simplex".to_string());
            solve(x, &w, Constraint::Simplex, DEFAULT_TOLERANCE).h
        } else {
            let h = read(&args.run.join("H.npy"), &ReadOptions::default())?.matrix.into_dense();
            check_weights(&h, found.len(), prepared, &args.run)?;
            solver_weights(&h, prepared)
        };
        Ok(Self { w, h, anchors, origin: Origin::PlugIn, notes })
    }

    fn of_truth(folder: &Path, prepared: &Prepared, steps: &Preprocessing) -> Result<Self, Failure> {
        let Truth { anchors } = Truth::read(folder)?;
        let matrix =
            |name: &str| Ok::<_, Failure>(read(&folder.join(name), &ReadOptions::default())?.matrix.into_dense());
        let (mut w, mut h) = (matrix("W.npy")?, matrix("H.npy")?);
        check_weights(&h, anchors.len(), prepared, folder)?;
        if (w.rows(), w.cols()) != (prepared.full.rows(), anchors.len()) {
            let (found, rows) = (format!("{} x {}", w.rows(), w.cols()), prepared.full.rows());
            return Err(Failure::data(format!(
                "`{}` is {found}, but {rows} x {} is expected",
                folder.join("W.npy").display(),
                anchors.len()
            )));
        }
        let mut notes = Vec::new();
        if steps.normalize == Normalize::L1 {
            normalize(&mut w, &mut h).ok_or_else(|| {
                Failure::data(
                    "the true W has entries below 0 or a column of zeros, so W H has no columns that sum to 1",
                )
                .hint("leave out `--truth`, or factor without `--normalize l1`")
            })?;
            notes.push("the true W and H were scaled as the run's columns were, to sum to 1".to_string());
        }
        Ok(Self {
            w,
            h: solver_weights(&h, prepared),
            anchors: positions(&anchors, prepared)?,
            origin: Origin::Truth,
            notes,
        })
    }
}

fn check_weights(h: &DenseMatrix, rank: usize, prepared: &Prepared, folder: &Path) -> Result<(), Failure> {
    let cols = prepared.full.cols();
    if (h.rows(), h.cols()) == (rank, cols) {
        return Ok(());
    }
    Err(Failure::data(format!(
        "`{}` is {} x {}, but {rank} x {cols} is expected: the folders belong to different data",
        folder.join("H.npy").display(),
        h.rows(),
        h.cols()
    )))
}

/// `W D` and the `H` with columns summing to 1 that makes `W D H` the columns of the old `W H`, scaled to sum 1.
fn normalize(w: &mut DenseMatrix, h: &mut DenseMatrix) -> Option<()> {
    let sums: Vec<f64> = (0..w.cols()).map(|k| w.col(k).iter().sum()).collect();
    if w.values().iter().any(|&v| v < 0.0) || sums.iter().any(|&sum| sum <= 0.0) {
        return None;
    }
    for (k, sum) in sums.iter().enumerate() {
        w.col_mut(k).iter_mut().for_each(|v| *v /= sum);
    }
    for l in 0..h.cols() {
        let column = h.col_mut(l);
        column.iter_mut().zip(&sums).for_each(|(h, sum)| *h *= sum);
        let total: f64 = column.iter().sum();
        if total > 0.0 {
            column.iter_mut().for_each(|h| *h /= total);
        }
    }
    Some(())
}

fn positions(anchors: &[usize], prepared: &Prepared) -> Result<Vec<usize>, Failure> {
    let cols = prepared.full.cols();
    let position = |&n: &usize| {
        let known = (n < cols).then(|| prepared.position(n)).flatten();
        known.map(|position| position as usize).ok_or_else(|| {
            Failure::data(format!(
                "anchor {n} is not among the columns that the solver saw (of {cols}, some were merged)"
            ))
            .hint("factor without `--merge-duplicates`")
        })
    };
    anchors.iter().map(position).collect()
}

fn read_c(args: &CertifyArgs, prepared: &Prepared, run: &Record) -> Result<Option<SparseColumns>, Failure> {
    let path = args.run.join("C.npz");
    if run.search.iterations.is_none() || run.details.settings.factor.method == Method::Exact {
        return Ok(None); // SPA has no C, and the theorems know the steps of Frank-Wolfe alone
    }
    let c = super::factor::read_initial(&path)?;
    let cols = prepared.full.cols();
    if (c.rows(), c.cols()) != (cols, cols) {
        return Err(Failure::data(format!(
            "`{}` is {} x {}, but X has {cols} columns",
            path.display(),
            c.rows(),
            c.cols()
        )));
    }
    let columns = FeasibleColumns::new(prepared.columns.columns_of(&c));
    let columns = columns.map_err(|error| Failure::data(format!("`{}` is not feasible: {error}", path.display())))?;
    Ok(Some(columns.into_inner()))
}

fn in_json(args: &CertifyArgs, certificate: &Certificate, model: &Model) -> String {
    let mut value = json!(certificate);
    value["run"] = json!(args.run);
    value["truth"] = json!(args.truth);
    value["summary"] = json!(certificate.in_words());
    value["notes"] = json!(model.notes);
    serde_json::to_string_pretty(&value).expect("only string keys") + "\n"
}

fn in_words(args: &CertifyArgs, certificate: &Certificate, model: &Model) -> String {
    let mut text = format!("{}\n\n", certificate.in_words());
    // One column of words: the table right-aligns all except the first.
    let line = |row: Vec<String>| [vec![format!("{}: {}", row[0], row[1])], row[2..].to_vec()].concat();
    text += &table(&rows(certificate).into_iter().map(line).collect::<Vec<_>>());
    text.push('\n');
    for condition in &certificate.conditions {
        if let Some(remark) = &condition.remark {
            text += &format!("{}: {remark}\n", condition.source);
        }
    }
    model.notes.iter().for_each(|note| text += &format!("note: {}\n", shown(note)));
    if certificate.iterate.is_none() {
        text += &format!(
            "`{}` has no C of Frank-Wolfe, so what is said about a run of MERIT is left out\n",
            shown_path(&args.run)
        );
    }
    let q = &certificate.quantities;
    text += &format!(
        "gamma {:.4e}, delta {:.4e}, ||V|| {:.4e}, rho {:.4}, d(H) {:.6}, kappa(W) {:.4e}, sigma(W) {:.4e} to {:.4e}\n",
        q.gamma, q.delta, q.noise, q.rho, q.d, q.kappa, q.sigma_min, q.sigma_max
    );
    text += &format!("({}; lambda as in 1/2 ||X - XC||^2 + lambda Phi(C))\n", origin_in_words(certificate.origin));
    text
}
