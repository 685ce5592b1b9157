//! A certificate as a table, and as a section of a page.

use super::factor::read_initial;
use crate::args::FactorArgs;
use crate::failure::Failure;
use merit::factor::{Factorization, Init, Settings};
use merit::least_squares::{Constraint, DEFAULT_TOLERANCE, solve};
use merit::preprocess::{self, Prepared};
use merit::progress::Interrupt;
use merit::search::{Initial, SpaStart};
use merit::theory::{Certificate, Evidence, Origin, RunFacts, certify};
use merit::{DataMatrix, DenseMatrix, Method, SparseColumns};
use merit_report as report;

/// Multiply-adds that a page may spend on the theory: about half a second.
const PAGE_LIMIT: f64 = 5e8;

/// What the numbers rest on.
pub fn origin_in_words(origin: Origin) -> &'static str {
    match origin {
        Origin::Truth => "from the true W, H and anchors",
        Origin::PlugIn => "plug-in estimate: W = X(:,anchors), and what W H leaves of X is called noise",
    }
}

/// One line per condition: where it is stated, what it asks for, found, bound, verdict.
pub fn rows(certificate: &Certificate) -> Vec<Vec<String>> {
    let heads = ["condition", "what", "value", "", "bound", "verdict"];
    let mut rows = vec![heads.map(String::from).to_vec()];
    rows.extend(certificate.conditions.iter().map(|condition| {
        vec![
            condition.source.to_string(),
            condition.formula.to_string(),
            number(condition.value),
            condition.relation.sign().to_string(),
            number(condition.bound),
            if condition.holds { "holds" } else { "does not hold" }.to_string(),
        ]
    }));
    rows
}

/// Four digits; counts as they are.
pub fn number(value: f64) -> String {
    match value {
        _ if value == f64::NEG_INFINITY => "none".into(),
        _ if value.is_infinite() => "infinite".into(),
        _ if value.fract() == 0.0 && value.abs() < 1e9 => format!("{value:.0}"),
        _ if (1e-3..1e4).contains(&value.abs()) => format!("{value:.4}"),
        _ => format!("{value:.3e}"),
    }
}

/// The `C` that a run started from, as the solver saw it; none for `C = 0`.
pub fn initial(settings: &Settings, prepared: &Prepared, rank: usize) -> Result<Option<SparseColumns>, Failure> {
    let given = match &settings.init {
        Init::File(path) => Some(read_initial(path)?),
        Init::Zero | Init::Spa => None,
    };
    let initial = settings.initial(prepared, given.as_ref()).map_err(|error| Failure::data(error.to_string()))?;
    Ok(match initial {
        Initial::Zero => None,
        Initial::Spa => Some(SpaStart::of(prepared.problem(), rank, &Interrupt::never()).columns.into_inner()),
        Initial::Columns(c) => Some(c.into_inner()),
    })
}

/// The columns of `H` that the solver saw.
pub fn solver_weights(h: &DenseMatrix, prepared: &Prepared) -> DenseMatrix {
    h.select(&(0..prepared.kept()).map(|i| prepared.original(i)).collect::<Vec<_>>())
}

/// The section "Theory" of a run's page, or the reason why it is empty.
pub fn section(args: &FactorArgs, x: &DataMatrix, run: &Factorization) -> report::Section {
    let hint = match &args.outputs.output {
        Some(folder) => format!("`merit certify {}` computes it.", folder.display()),
        None => "With `--output DIR`, `merit certify DIR` computes it.".into(),
    };
    shown(plug_in(&args.flags.settings, x, run, &hint))
}

/// The same for a run without a command.
pub fn section_of(settings: &Settings, x: &DataMatrix, run: &Factorization) -> report::Section {
    shown(plug_in(settings, x, run, "`certify` computes it."))
}

fn shown(certificate: Result<Certificate, String>) -> report::Section {
    let body = match certificate {
        Ok(certificate) => body(&certificate),
        Err(reason) => report::page::paragraph(&reason),
    };
    report::Section::new("theory", "Theory", body)
}

fn body(certificate: &Certificate) -> String {
    let all = rows(certificate);
    let remark = |condition: &merit::theory::Condition| {
        condition.remark.as_ref().map(|remark| format!("{}: {remark}", condition.source))
    };
    let remarks: Vec<String> = certificate.conditions.iter().filter_map(remark).collect();
    let table = report::Table {
        caption: format!(
            "The conditions of the paper's theorems ({}). They are sufficient, not necessary. {}.",
            origin_in_words(certificate.origin),
            remarks.join(". ")
        ),
        columns: all[0].clone(),
        rows: all[1..].to_vec(),
        highlight: None,
    };
    report::page::paragraph(&certificate.in_words()) + &report::page::table("theory-table", &table)
}

/// The anchors, numbered as the solver saw the columns.
fn anchors(run: &Factorization) -> Result<Vec<usize>, String> {
    let place = |&n: &usize| run.columns.position(n).map(|position| position as usize);
    let anchors: Option<Vec<usize>> = run.anchors().iter().map(place).collect();
    anchors.ok_or("Left out: an anchor is not among the columns that the solver saw.".to_string())
}

/// The certificate of a run as it stands in memory; an error is the reason why there is none.
fn plug_in(settings: &Settings, x: &DataMatrix, run: &Factorization, hint: &str) -> Result<Certificate, String> {
    if run.search.interrupted() {
        return Err(format!("Left out because the run was interrupted. {hint}"));
    }
    let anchors = anchors(run)?;
    let nnz = run.search.solution.as_ref().map_or(0, |solution| solution.c.nnz());
    let (rows, cols) = (run.preprocessing.rows as f64, run.preprocessing.cols as f64);
    let rank = anchors.len() as f64;
    let mut cost = cols * rank * (rows + rank) + nnz as f64 * rows + (rows + rank) * rank.powi(3);
    if settings.init != Init::Zero || settings.weights != Constraint::Simplex {
        cost += cols * rank * (rows + rank * rank); // SPA's start, or weights that sum to 1
    }
    if settings.reduce.0.is_some() {
        cost += cols * rows * x.rows() as f64; // the reduction once more
    }
    if cost > PAGE_LIMIT {
        return Err(format!(
            "Left out because it would take about {cost:.0e} multiplications (a page spends {PAGE_LIMIT:.0e}). {hint}"
        ));
    }
    of_run(settings, x, run)
}

/// The certificate of a run of these settings on `x`, at whatever cost.
pub fn of_run(settings: &Settings, x: &DataMatrix, run: &Factorization) -> Result<Certificate, String> {
    let anchors = anchors(run)?;
    let prepared = Prepared::of(x, &settings.preprocessing()).map_err(|error| format!("Left out: {error}."))?;
    let prepared = without_skipped(prepared, &run.preprocessing);
    let problem = prepared.problem();
    let w = problem.dense_columns(&anchors);
    let h = match settings.weights {
        Constraint::Simplex => solver_weights(&run.h.h, &prepared),
        Constraint::Nonnegative => solve(problem, &w, Constraint::Simplex, DEFAULT_TOLERANCE).h,
    };
    let initial = initial(settings, &prepared, anchors.len()).map_err(|_| "Left out: the file of --init is gone.")?;
    let of_steps = run.search.solution.as_ref().filter(|_| run.search.method == Method::Merit);
    let facts = of_steps.map(|solution| RunFacts {
        c: &solution.c,
        initial: initial.as_ref(),
        start_iteration: solution.start_iteration,
        iterations: solution.iterations,
        residual_tolerance: settings.search.solver.residual_tolerance,
    });
    let evidence = Evidence {
        regularization: run.search.regularization,
        relative_gap: run.search.certificate.as_ref().map(|known| known.relative_gap()),
        smoothing: settings.search.solver.smoothing,
        run: facts,
        ..Evidence::new(problem, &w, &h, &anchors, Origin::PlugIn)
    };
    certify(&evidence, &mut |_| ()).map_err(|error| format!("Left out: {error}."))
}

/// The problem without the columns that the run skipped.
pub fn without_skipped<'a>(prepared: Prepared<'a>, record: &preprocess::Record) -> Prepared<'a> {
    if record.skipped_columns.is_empty() { prepared } else { prepared.without(&record.skipped_columns) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        let shown: Vec<String> =
            [0.0, 12.0, 0.25, 1e-7, 12345.6, f64::INFINITY, f64::NEG_INFINITY].into_iter().map(number).collect();
        assert_eq!(shown, ["0", "12", "0.2500", "1.000e-7", "1.235e4", "infinite", "none"]);
    }
}
