//! The run in words and in a few figures.

use super::{column_word, row_word};
use crate::model::{RankOrigin, Report};
use crate::page::{self, paragraph};
use crate::text::{bytes, number, percent, plural, plural_word, seconds, significant, size};

/// Everything between the title and the first section.
pub(super) fn lead(report: &Report) -> String {
    format!(
        "<div class=\"lead\">{}{}</div>{}{}",
        paragraph(&what(report)),
        paragraph(&how_good(report)),
        key_figures(report),
        page::notes(&report.run.notes)
    )
}

/// What was factored, by what, and how K was found.
fn what(report: &Report) -> String {
    let k = report.rank.value;
    let method = if report.run.method.is_empty() { "The method" } else { &report.run.method };
    let input = if report.run.input.is_empty() { "A matrix".to_string() } else { report.run.input.clone() };
    let mut text = format!(
        "{input} holds {} in {}. {method} picked {} as {}; all others are explained as mixtures of {}.",
        plural(report.columns, column_word(report)),
        plural(report.rows, row_word(report)),
        plural(k, column_word(report)),
        if k == 1 { "anchor" } else { "anchors" },
        if k == 1 { "it" } else { "these" },
    );
    text.push_str(match report.rank.origin {
        RankOrigin::Given => " The rank was given.",
        RankOrigin::EstimatedClear => " The rank was estimated, and the estimate is clear.",
        RankOrigin::EstimatedUnclear => {
            " The rank was estimated, but the estimate is not clear: other ranks are about as plausible."
        }
    });
    push_sentence(&mut text, &report.rank.explanation);
    text
}

/// Stop reason, certificate, time and memory.
fn how_good(report: &Report) -> String {
    let mut text = String::new();
    if !report.run.stop_reason.is_empty() {
        let reason = report.run.stop_reason.replace(['_', '-'], " ");
        text.push_str(&format!("The run stopped after {}: {reason}.", plural(report.run.iterations, "iteration")));
    }
    push_sentence(&mut text, report.run.stop_explanation.as_deref().unwrap_or(""));
    push_sentence(&mut text, &bound(report));
    push_sentence(&mut text, &certificate(report));
    let mut cost = Vec::new();
    if !report.run.seconds.is_empty() {
        cost.push(format!("the run took {}", seconds(report.run.total_seconds())));
    }
    if let Some(peak) = report.run.peak_rss_bytes {
        let (n, square) = (size(report.columns), report.square_bytes());
        let beside = if square > 2 * u128::from(peak) {
            format!(", where a dense {n} by {n} matrix of coefficients alone would have needed {}", bytes(square))
        } else {
            format!(
                " (a dense {n} by {n} matrix of coefficients would be {}: at this size, memory is not a concern)",
                bytes(square)
            )
        };
        cost.push(format!("it needed {} of memory at its peak{beside}", bytes(peak.into())));
    }
    if !cost.is_empty() {
        let mut sentence = cost.join("; ");
        sentence[..1].make_ascii_uppercase();
        push_sentence(&mut text, &(sentence + "."));
    }
    text
}

/// What the bound on the optimum guarantees.
fn bound(report: &Report) -> String {
    let Some(known) = &report.run.certificate else { return String::new() };
    if known.lower_bound <= 0.0 {
        return format!(
            "C has the objective {} without smoothing; the lower bound on the optimum is zero, which says nothing.",
            number(known.objective)
        );
    }
    format!(
        "C has the objective {} without smoothing, and a lower bound proves that no C has one below {}: at most {} of it could \
         still be gained. That is about the optimization; whether the model suits the data is another question.",
        number(known.objective),
        number(known.lower_bound),
        percent(known.relative_gap())
    )
}

/// What the gap guarantees.
pub(crate) fn certificate(report: &Report) -> String {
    let (Some(f), Some(gap)) =
        (report.run.objective.filter(|f| f.is_finite()), report.run.gap.filter(|g| g.is_finite()))
    else {
        return match report.run.objective.filter(|f| f.is_finite()) {
            Some(f) => format!(
                "The objective is {}; no duality gap was computed, so nothing is guaranteed about the distance to the optimum.",
                number(f)
            ),
            None if report.run.stop_reason.is_empty() => {
                "This method is direct: it does not minimize an objective, so there is no certificate of optimality."
                    .into()
            }
            None => String::new(),
        };
    };
    let gap = gap.max(0.0);
    let within = format!("The objective f(C) is {} and the duality gap {}", number(f), number(gap));
    if f > 0.0 && gap < f {
        // Enough digits for the two ends to differ.
        let digits = if gap > 0.0 { ((f / gap).log10().ceil() as usize + 2).clamp(4, 15) } else { 4 };
        let end = |x: f64| significant(x, digits);
        format!(
            "{within}: no feasible C can be better by more than {} ({} of f). The optimum lies between {} and {}.",
            number(gap),
            percent(gap / f),
            end(f - gap),
            end(f)
        )
    } else if f > 0.0 {
        format!(
            "{within}: the guarantee that no feasible C is better by more than the gap says little so far, because the gap is as large as f itself and f cannot be negative."
        )
    } else {
        format!("{within}: no feasible C can be better by more than that.")
    }
}

fn key_figures(report: &Report) -> String {
    let mut cells = vec![
        (
            "Samples",
            size(report.columns),
            format!("{} in {}", plural_word(column_word(report)), plural(report.rows, row_word(report))),
        ),
        (
            "Rank",
            size(report.rank.value),
            match report.rank.origin {
                RankOrigin::Given => "given".to_string(),
                RankOrigin::EstimatedClear => "estimated, clear".to_string(),
                RankOrigin::EstimatedUnclear => "estimated, not clear".to_string(),
            },
        ),
    ];
    if let Some(f) = report.run.objective.filter(|f| f.is_finite()) {
        cells.push(("Objective", number(f), plural(report.run.iterations, "iteration")));
    }
    if let Some(known) = &report.run.certificate {
        cells.push(if known.lower_bound > 0.0 {
            let below = format!("at most, above the optimum; lower bound {}", number(known.lower_bound));
            ("Certificate", percent(known.relative_gap()), below)
        } else {
            ("Certificate", "none".to_string(), "the lower bound is zero, which says nothing".to_string())
        });
    }
    if let Some(gap) = report.run.gap.filter(|g| g.is_finite()) {
        let share = report.run.objective.filter(|f| f.is_finite() && *f > 0.0);
        cells.push((
            "Duality gap",
            number(gap.max(0.0)),
            share.map_or(String::new(), |f| format!("{} of f(C)", percent(gap.max(0.0) / f))),
        ));
    }
    if !report.run.seconds.is_empty() {
        let solve = report.run.seconds.iter().find(|s| s.name == "solve").filter(|_| report.run.seconds.len() > 1);
        cells.push((
            "Time",
            seconds(report.run.total_seconds()),
            solve.map_or(String::new(), |s| format!("{} in the solver", seconds(s.seconds))),
        ));
    }
    if let Some(peak) = report.run.peak_rss_bytes {
        cells.push(("Peak memory", bytes(peak.into()), format!("N × N: {}", bytes(report.square_bytes()))));
    }
    page::key_figures(&cells)
}

fn push_sentence(text: &mut String, sentence: &str) {
    if !sentence.is_empty() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(sentence);
    }
}
