//! The page of `merit factor`: from a run to its data.

use super::factor_folder::Summary;
use super::page_parts::{file_name, stages, trace_point};
use super::theory;
use crate::args::{FactorArgs, MethodName, init_name};
use merit::automatic::{Regularization, Source};
use merit::rank::RankEstimate;
use merit::solver::StopReason;
use merit::{DenseMatrix, Run};
use merit_dataset::Dataset;
use merit_report as report;

/// What a run without the solver has no use for.
const SOLVER_SETTINGS: [&str; 9] = [
    "regularization",
    "smoothing",
    "iterations",
    "gap-tolerance",
    "objective-tolerance",
    "residual-tolerance",
    "time-limit",
    "init",
    "start-iteration",
];

/// The page of `merit factor`.
pub fn of_run(args: &FactorArgs, dataset: &Dataset, run: &Run, summary: &Summary) -> String {
    let setting = |name: &str, value: String, meaning: &str| report::Setting {
        name: name.into(),
        value,
        meaning: meaning.into(),
    };
    let off = |value: Option<f64>| value.map_or("off".to_string(), |value| value.to_string());
    let mut settings = vec![
        setting("method", args.method.to_string(), "how anchors are found"),
        setting("rank", args.rank.map_or("estimated".into(), |rank| rank.to_string()), "number of anchors (K)"),
        setting("regularization", args.regularization.typed.clone(), "weight of row sparsity (lambda)"),
        setting("smoothing", format!("{:e}", args.smoothing), "sharpness of the smooth row maximum (mu)"),
        setting("iterations", args.iterations.to_string(), "Frank-Wolfe steps at most"),
        setting("gap-tolerance", off(args.gap_tolerance), "stop when the duality gap is at most this"),
        setting("objective-tolerance", off(args.objective_tolerance), "stop when the objective changes by less"),
        setting("residual-tolerance", off(args.residual_tolerance), "columns that fit this well stop moving"),
        setting("time-limit", off(args.time_limit), "seconds of solving at most"),
        setting("init", init_name(&args.init), "where C starts"),
        setting(
            "start-iteration",
            run.solution.as_ref().map_or("none".into(), |solution| solution.start_iteration.to_string()),
            "number of the first step (t_init)",
        ),
        setting("samples", args.samples.to_string(), "what a sample is in the file"),
        setting("normalize", args.normalize.to_string(), "scaling of the columns"),
        setting("zero-columns", args.zero_columns.to_string(), "what zero columns become"),
        setting(
            "reduce",
            args.reduce.0.map_or("none".into(), |dim| format!("pca:{dim}")),
            "rows kept before the solver",
        ),
        setting("merge-duplicates", off(args.merge_duplicates), "tolerance for merging equal columns"),
        setting("weights", args.weights.to_string(), "what H must satisfy"),
        setting("threads", rayon::current_num_threads().to_string(), "the result does not depend on them"),
        setting(
            "kernel",
            args.kernel.name().to_string(),
            "instructions of the search; the result does not depend on them",
        ),
    ];
    match args.method {
        MethodName::Merit | MethodName::Spa | MethodName::NormRatio => {}
        MethodName::Xray => {
            settings.push(setting("xray-criterion", args.xray_criterion.to_string(), "which ray is taken next"));
        }
        MethodName::FastAnchor => {
            let projection = args.projection.0.map_or("none".into(), |dim| dim.to_string());
            settings.push(setting("projection", projection, "dimension of the random projection"));
            let minimum = args.minimum_documents.to_string();
            settings.push(setting("minimum-documents", minimum, "nonzeros that an anchor must have"));
            settings.push(setting("seed", args.seed.to_string(), "seed of the projection"));
        }
        MethodName::FastGradient => {
            settings.push(setting("gradient-steps", args.gradient_steps.to_string(), "steps at most"));
            settings.push(setting("seed", args.seed.to_string(), "seed of the diagonal weights"));
        }
    }
    if run.solution.is_none() {
        settings.retain(|setting| !SOLVER_SETTINGS.contains(&setting.name.as_str()));
    }
    let report = report::Report {
        title: file_name(&args.input),
        input: args.input.display().to_string(),
        settings,
        seconds: stages(summary.seconds()),
        peak_rss_bytes: summary.peak_rss_bytes,
        command: Some(std::env::args().collect::<Vec<_>>().join(" ")),
        regularization: run
            .regularization
            .map(|value| report::Regularization { value, how: how(args.regularization.rule, run) }),
        extra: vec![theory::section(args, run)],
        ..of_result(run, dataset.labels.as_deref())
    };
    report::render(&report)
}

/// Everything that the run itself tells.
pub fn of_result<'a>(run: &'a Run, labels: Option<&[String]>) -> report::Report<'a> {
    let full = &run.prepared.full;
    let solution = run.solution.as_ref();
    let shared = |matrix: &'a DenseMatrix| report::Matrix::new(matrix.rows(), matrix.cols(), matrix.values());
    report::Report {
        rows: full.rows(),
        columns: full.cols(),
        rank: rank(run.anchors.len(), run.rank_estimate.as_ref()),
        method: match solution {
            Some(_) if chosen_source(run) == Some(Source::Spa) => "SPA, preferred by the automatic rule to MERIT,",
            Some(_) => "MERIT",
            None => run.method.title(),
        }
        .into(),
        stop_reason: run.stop.map_or(String::new(), |stop| stop.to_string()),
        stop_explanation: run.stop.and_then(explanation),
        iterations: solution.map_or(run.fast_gradient.as_ref().map_or(0, |found| found.steps), |s| s.iterations),
        objective: solution.map(|s| s.objective),
        gap: solution.and_then(|s| s.gap),
        notes: run.notes.clone(),
        anchors: run
            .anchors
            .iter()
            .map(|&index| report::Anchor {
                index,
                label: labels.map(|labels| labels[index].clone()),
                row_norm: run.row_norms.get(index).copied().unwrap_or(f64::NAN),
            })
            .collect(),
        row_norms: (&run.row_norms[..]).into(),
        trace: run.trace.iter().map(trace_point).collect(),
        candidates: run
            .candidates
            .iter()
            .map(|candidate| report::Candidate {
                rule: match candidate.multiple {
                    Some(1.0) => "MERIT, lambda = u".into(),
                    Some(multiple) => format!("MERIT, lambda = u/{}", 1.0 / multiple),
                    None if candidate.source == Source::Pruned => "the first two, pruned".into(),
                    None => "SPA".into(),
                },
                regularization: candidate.regularization,
                anchors: shared_with_chosen(&candidate.anchors, &run.anchors),
                refit_residual: Some(candidate.squared_residual),
                chosen: candidate.chosen,
            })
            .collect(),
        w: shared(&run.w),
        h: shared(&run.h.h),
        version: env!("CARGO_PKG_VERSION").into(),
        ..Default::default()
    }
}

/// Where an automatic rule took the anchors from.
fn chosen_source(run: &Run) -> Option<Source> {
    run.candidates.iter().find(|candidate| candidate.chosen).map(|candidate| candidate.source)
}

/// How lambda was found.
pub fn how(rule: Regularization, run: &Run) -> String {
    let unit = "u is SPA's squared residual per column that is no anchor";
    let rule = match rule {
        Regularization::Auto => {
            format!("auto: the run whose anchors fit the data best, of those at u, u/2 and u/4; {unit}")
        }
        Regularization::AutoFast => format!("auto-fast: one run at u; {unit}"),
        Regularization::Paper => "the paper's rule, from SPA's residual".into(),
        Regularization::Value(_) => "given".into(),
    };
    rule + match chosen_source(run) {
        Some(Source::Spa) => "; SPA's anchors fit better still, so they were taken",
        Some(Source::Pruned) => "; the best of SPA's and MERIT's anchors together fit better still, so they were taken",
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
    let explanation = format!(
        "{spectrum}; the row norms drop most after {} ({:.1} times the next largest drop).",
        estimate.from_row_norms, estimate.drop_ratio
    );
    report::Rank { value, origin, explanation }
}

fn explanation(stop: StopReason) -> Option<String> {
    let text = match stop {
        StopReason::GapReached => "The duality gap fell to the tolerance asked for.",
        StopReason::ObjectiveSettled => "The objective hardly changed any more.",
        StopReason::ResidualsReached => "Every column fits within the residual tolerance.",
        StopReason::IterationLimit => return None, // the words say it
        StopReason::TimeLimit => "The time limit was reached; the result is the last iterate.",
        StopReason::Interrupted => "The run was interrupted; the result is the last iterate.",
    };
    Some(text.into())
}
