//! The page of `merit communities`: from a run to its data.

use super::{Outcome, Record};
use crate::commands::page_parts::{file_name, method_title, of_record, settings, threads};
use merit::DenseMatrix;
use merit_communities::number_of_communities::Estimate;
use merit_communities::roles::Role;
use merit_report::communities::{CommunitiesReport, render};
use merit_report::layout::Links;
use merit_report::{Matrix, RunFacts, Setting};
use std::borrow::Cow;

/// The page of `merit communities`.
pub fn of_run(outcome: &Outcome, record: &Record) -> String {
    let Outcome { args, graph, found, .. } = outcome;
    let origin = match &found.estimate {
        None => "given",
        Some(estimate) if estimate.clear => "estimated, clear",
        Some(_) => "estimated, not clear",
    };
    let score = |name: &str, value: f64, meaning: &str| (name.to_string(), value, meaning.to_string());
    let scores = outcome.scores.as_ref().map(|scores| {
        vec![
            score("AMI", scores.ami, "the dominant communities against the true ones"),
            score("Overlapping NMI", scores.nmi, "the sets of members against the true ones"),
            score("SRC", scores.src, "rank correlation of shares with the true ones"),
        ]
    });
    render(&CommunitiesReport {
        run: RunFacts {
            input: file_name(&args.input),
            method: method_title(args.flags.settings.method(), &args.flags.settings.search).into(),
            settings: rows(outcome, record),
            ..of_record(record, found.search.as_ref().map_or(&[], |search| &search.trace))
        },
        names: Cow::Borrowed(&graph.names),
        links: links(outcome),
        kept: found.kept.len(),
        shares: lent(&found.memberships),
        dominant: found.dominant().into_iter().map(Option::unwrap_or_default).collect(),
        known: found.known(),
        mixedness: found.mixedness(),
        pure: found.pure.clone(),
        b: lent(&found.b),
        points: if found.pure.len() == 2 { lent(&found.spectrum.vectors) } else { Matrix::default() },
        threshold: args.flags.settings.threshold,
        roles: outcome.roles.iter().map(|role| role.map(role_on_page)).collect(),
        stability: found.stability.as_ref().map(|stability| (stability.repeats, stability.found_again.clone())),
        quality: Some((record.details.quality.modularity, record.details.quality.coverage)),
        witnesses: found.estimate.as_ref().map(witnesses).unwrap_or_default(),
        sweep: found
            .estimate
            .iter()
            .flat_map(|guess| &guess.sweep)
            .map(|trial| (trial.communities, trial.gain))
            .collect(),
        count_origin: origin.into(),
        scores: scores.unwrap_or_default(),
    })
}

/// Who says how many communities there are.
fn witnesses(estimate: &Estimate) -> Vec<(String, usize, String)> {
    let held_out = estimate
        .held_out
        .map(|number| ("held-out edges", number, "which number makes edges likely that it has not seen"));
    let bethe = ("Bethe-Hessian", estimate.bethe_hessian, "eigenvalues that noise does not have");
    let gap = ("eigengap", estimate.eigengap, "the widest gap between eigenvalues, beside later ones");
    let all = held_out.into_iter().chain([bethe, gap]);
    all.map(|(name, number, looks_at)| (name.to_string(), number, looks_at.to_string())).collect()
}

fn role_on_page(role: Role) -> merit_report::communities::Role {
    match role {
        Role::Core => merit_report::communities::Role::Core,
        Role::Member => merit_report::communities::Role::Member,
        Role::Bridge => merit_report::communities::Role::Bridge,
    }
}

fn lent(matrix: &DenseMatrix) -> Matrix<'_> {
    Matrix::new(matrix.rows(), matrix.cols(), matrix.values())
}

/// The graph itself, not a copy: it may be most of the memory.
fn links<'a>(outcome: &'a Outcome) -> Links<'a> {
    let (starts, targets, weights) = outcome.graph.adjacency.compressed();
    let weights = if outcome.graph.record.weighted || outcome.graph.record.cocitation { weights } else { &[] };
    Links { starts: starts.into(), targets: targets.into(), weights: weights.into() }
}

/// The settings, and what the eigenvectors were like.
fn rows(outcome: &Outcome, record: &Record) -> Vec<Setting> {
    let (used, spectrum) = (&record.details.settings, &outcome.found.spectrum);
    let method = used.detection.method().name();
    let of = |name: &str, value: String, meaning: &str| Setting { name: name.into(), value, meaning: meaning.into() };
    let worst = spectrum.residuals.iter().fold(0.0_f64, |top, residual| top.max(*residual));
    let found = vec![
        of("eigenvalues", super::numbers(&spectrum.values, 2), "The largest ones"),
        of("residual", format!("{worst:.1e}"), "Of the worst eigenvector"),
    ];
    [settings(&used.detection, method), settings(&used.reading, method), found, vec![threads()]].concat()
}
