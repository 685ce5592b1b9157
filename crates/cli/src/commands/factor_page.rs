//! The page of `merit factor`: from a run to its data.

use super::factor::Record;
use super::page_parts::{certificate, file_name, of_record, settings, stages, threads, trace_point};
use super::path_section;
use merit::DenseMatrix;
use merit::automatic::{Regularization, Source};
use merit::factor::Factorization;
use merit::rank::RankEstimate;
use merit::selection::Ranking;
use merit_report as report;
use std::path::Path;

/// The page of `merit factor`, with more sections at its end.
pub fn of_run(
    record: &Record,
    rule: Regularization,
    run: &Factorization,
    labels: Option<&[String]>,
    extra: Vec<report::Section>,
) -> String {
    let (used, method) = (&record.details.settings, run.search.method.name());
    let rows = [settings(&used.factor, method), settings(&used.reading, method), vec![threads()]].concat();
    let whole = of_result(run, labels);
    let input = &record.details.input.path;
    let facts = report::RunFacts {
        input: input.clone(),
        method: whole.run.method.clone(),
        settings: rows,
        certificate: whole.run.certificate.clone(),
        ..of_record(record, &run.search.trace)
    };
    let report = report::Report {
        title: file_name(Path::new(input)),
        run: facts,
        regularization: regularization(rule, run),
        extra: run.path.iter().map(path_section::of).chain(extra).collect(),
        ..whole
    };
    report::render(&report)
}

/// Lambda and how it was found.
pub fn regularization(rule: Regularization, run: &Factorization) -> Option<report::Regularization> {
    run.search.regularization.map(|value| report::Regularization { value, how: how(rule, run) })
}

/// Everything that the run itself says.
pub fn of_result<'a>(run: &'a Factorization, labels: Option<&[String]>) -> report::Report<'a> {
    let search = &run.search;
    let shared = |matrix: &'a DenseMatrix| report::Matrix::new(matrix.rows(), matrix.cols(), matrix.values());
    let solution = search.solution.as_ref();
    let method = match solution {
        Some(_) if chosen_source(run) == Some(Source::Spa) => "SPA, preferred by the automatic rule to MERIT,",
        _ => search.method.title(),
    };
    let anchor = |(&index, &users): (&usize, &usize)| report::Anchor {
        index,
        support: Some(users),
        suspected_outlier: run.support.suspected_outliers.contains(&index),
        label: labels.map(|labels| labels[index].clone()),
        row_norm: search.row_norms.get(index).copied().unwrap_or(f64::NAN),
    };
    let candidate = |candidate: &merit::automatic::Candidate| report::Candidate {
        rule: match (candidate.source, candidate.ranking) {
            (Source::Merit, Some(Ranking::Maximum)) => "MERIT at u, rows by maximum",
            (Source::Merit, _) => "MERIT at u, rows by 2-norm",
            (Source::Pooled, _) => "MERIT at u, u/2 and u/4 together, rows by 2-norm",
            (Source::Pruned, _) => "the first two, pruned",
            (Source::Spa, _) => "SPA",
        }
        .into(),
        regularization: candidate.regularization,
        anchors: shared_with_chosen(&candidate.anchors, &search.anchors),
        refit_residual: Some(candidate.squared_residual),
        chosen: candidate.chosen,
    };
    report::Report {
        run: report::RunFacts {
            method: method.into(),
            stop_reason: search.stop.map_or(String::new(), |stop| stop.to_string()),
            iterations: solution.map_or(0, |solution| solution.iterations),
            objective: solution.map(|solution| solution.objective),
            gap: run.gap(),
            notes: run.notes.clone(),
            trace: search.trace.iter().map(trace_point).collect(),
            certificate: search.certificate.as_ref().map(certificate),
            seconds: stages(&run.seconds),
            ..Default::default()
        },
        rows: run.w.rows(),
        columns: run.columns.original_cols(),
        rank: rank(search.anchors.len(), run.rank_estimate.as_ref()),
        anchors: search.anchors.iter().zip(&run.support.columns).map(anchor).collect(),
        row_norms: (&search.row_norms[..]).into(),
        ranking: match search.ranking {
            Some(Ranking::TwoNorm) => report::Ranking::TwoNorm,
            _ => report::Ranking::Maximum,
        },
        candidates: search.candidates.iter().map(candidate).collect(),
        w: shared(&run.w),
        h: shared(&run.h.h),
        ..Default::default()
    }
}

/// Where an automatic rule took the anchors from.
fn chosen_source(run: &Factorization) -> Option<Source> {
    run.search.candidates.iter().find(|candidate| candidate.chosen).map(|candidate| candidate.source)
}

/// How lambda was found.
fn how(rule: Regularization, run: &Factorization) -> String {
    let unit = "u is SPA's squared residual per column that is not an anchor";
    let rule = match rule {
        Regularization::Auto => {
            format!(
                "auto: a run at u, and where its rows rank differently by 2-norm and by maximum, two more at u/2 and u/4; {unit}"
            )
        }
        Regularization::AutoFast => format!("auto-fast: one run at u; {unit}"),
        Regularization::Paper => "the paper's rule, from SPA's residual".into(),
        Regularization::Value(_) => "given".into(),
    };
    rule + match chosen_source(run) {
        Some(Source::Spa) => "; SPA's anchors fit better still, so they were taken",
        Some(Source::Pruned) => "; the best of SPA's and MERIT's anchors together fit better still, so they were taken",
        Some(Source::Pooled) => "; the rankings differed, so the rows of all three runs were ranked together",
        Some(Source::Merit) | None => "",
    }
}

fn shared_with_chosen(anchors: &[usize], chosen: &[usize]) -> String {
    let shared = anchors.iter().filter(|anchor| chosen.contains(anchor)).count();
    if shared == chosen.len() { "the chosen set".into() } else { format!("{shared} of {} shared", chosen.len()) }
}

fn rank(value: usize, estimate: Option<&RankEstimate>) -> report::Rank {
    let Some(estimate) = estimate else {
        return report::Rank { value, origin: report::RankOrigin::Given, explanation: String::new() };
    };
    let origin = if estimate.clear { report::RankOrigin::EstimatedClear } else { report::RankOrigin::EstimatedUnclear };
    let spectrum = match (estimate.from_singular_values, estimate.singular_gap) {
        (Some(k), Some(gap)) => format!("The singular values sink into noise after {k} (gap {gap:.1} spacings)"),
        (Some(k), None) => format!("The data have numerical rank {k}"),
        (None, _) => "The singular values were not computed (too many rows and columns)".into(),
    };
    let norms = match (estimate.from_row_norms, estimate.drop_ratio) {
        (Some(k), Some(ratio)) => {
            format!("; the row norms drop most after {k} ({ratio:.1} times the next largest drop)")
        }
        _ => String::new(),
    };
    let explanation = format!("{spectrum}{norms}.");
    report::Rank { value, origin, explanation }
}
