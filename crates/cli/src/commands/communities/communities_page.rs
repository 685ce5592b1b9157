//! The page of `merit communities`: from a run to its data.

use super::Outcome;
use crate::commands::page_parts::{file_name, of_this_process, stages, trace_point};
use merit::DenseMatrix;
use merit_communities::Method;
use merit_report::communities::{CommunitiesReport, render};
use merit_report::layout::Links;
use merit_report::{Matrix, RunFacts, Setting};
use std::borrow::Cow;

/// The page of `merit communities`.
pub fn of_run(outcome: &Outcome) -> String {
    let Outcome { args, graph, found, .. } = outcome;
    let solution = found.solution.as_ref();
    let origin = match &outcome.estimate {
        None => "given",
        Some(estimate) if estimate.clear => "estimated, clear",
        Some(_) => "estimated, not clear",
    };
    let score = |name: &str, value: f64, meaning: &str| (name.to_string(), value, meaning.to_string());
    let scores = outcome.truth.as_ref().map(|(_, scores)| {
        vec![
            score("SRC", scores.src, "rank correlation with the truth, all nodes"),
            score("SRC, kept nodes", scores.src_kept, "of those searched for pure ones"),
            score("Overlapping NMI", scores.nmi, "agreement with the truth"),
        ]
    });
    render(&CommunitiesReport {
        run: RunFacts {
            input: file_name(&args.input),
            method: title(outcome).into(),
            notes: outcome.notes.clone(),
            trace: found.trace.iter().map(trace_point).collect(),
            settings: settings(outcome),
            seconds: stages(&outcome.seconds),
            ..of_this_process()
        },
        names: Cow::Borrowed(&graph.names),
        links: links(outcome),
        kept: found.kept.len(),
        shares: lent(&found.memberships),
        dominant: found.dominant(),
        mixedness: found.mixedness(),
        pure: found.pure.clone(),
        unplaced: found.empty.len(),
        b: lent(&found.b),
        points: if found.pure.len() == 2 { lent(&found.spectrum.vectors) } else { Matrix::default() },
        count_origin: origin.into(),
        scores: scores.unwrap_or_default(),
        stop_reason: found.stop.map_or(String::new(), |stop| stop.to_string()),
        iterations: solution.map_or(0, |solution| solution.iterations),
        objective: solution.map(|solution| solution.objective),
        gap: solution.and_then(|solution| solution.gap),
    })
}

fn lent(matrix: &DenseMatrix) -> Matrix<'_> {
    Matrix::new(matrix.rows(), matrix.cols(), matrix.values())
}

fn title(outcome: &Outcome) -> &'static str {
    match outcome.request.method {
        Method::Merit if outcome.request.solver.regularization == 0.0 => "MERIT(0)",
        Method::Merit => "MERIT",
        Method::Spa => "SPA",
        Method::Spoc => "SPOC",
        Method::GeoNmf => "GeoNMF",
        Method::FastGradient => "FastGradient",
    }
}

/// The graph itself, not a copy: it may be most of the memory.
fn links<'a>(outcome: &'a Outcome) -> Links<'a> {
    let (starts, targets, weights) = outcome.graph.adjacency.compressed();
    let weights = if outcome.args.weighted { weights } else { &[] };
    Links { starts: starts.into(), targets: targets.into(), weights: weights.into() }
}

fn settings(outcome: &Outcome) -> Vec<Setting> {
    let Outcome { args, request, found, .. } = outcome;
    let of = |name: &str, value: String, meaning: &str| Setting { name: name.into(), value, meaning: meaning.into() };
    let worst = found.spectrum.residuals.iter().fold(0.0_f64, |top, residual| top.max(*residual));
    let rule = args.memberships.map_or("the method's own".to_string(), |rule| rule.to_string());
    let mut list = vec![
        of("method", args.method.to_string(), "how pure nodes are found"),
        of(
            "communities",
            found.pure.len().to_string(),
            if args.communities.is_some() { "given (K)" } else { "estimated (K)" },
        ),
        of("operator", args.operator.to_string(), "whose eigenvectors"),
        of("energy", args.energy.to_string(), "part of the eigenvectors' energy that the searched nodes carry"),
        of("memberships", rule, "how shares are found"),
        of("weighted", args.weighted.to_string(), "whether weights count"),
        of("eigenvalues", super::shown(&found.spectrum.values, 2), "the largest ones"),
        of("residual", format!("{worst:.1e}"), "of the worst eigenvector"),
    ];
    match request.method {
        Method::Merit => list.extend([
            of("regularization", format!("{:e}", args.regularization), "weight of row sparsity (lambda)"),
            of("smoothing", format!("{:e}", args.smoothing), "sharpness of the smooth row maximum (mu)"),
            of("gap-tolerance", args.gap_tolerance.to_string(), "stop when the duality gap is at most this"),
            of("iterations", args.iterations.to_string(), "Frank-Wolfe steps at most"),
            of("published", args.published.to_string(), "the authors' order of nodes and stopping"),
        ]),
        Method::FastGradient => list.extend([
            of("gradient-steps", args.gradient_steps.to_string(), "steps"),
            of("seed", args.seed.to_string(), "of the diagonal weights"),
        ]),
        Method::GeoNmf => list.push(of("seed", args.seed.to_string(), "of the clusters")),
        Method::Spa | Method::Spoc => {}
    }
    list
}
