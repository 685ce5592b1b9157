//! Which columns were picked: row norms in place, row norms in order, and the list.

use super::{column_word, or_dash};
use crate::chart::{Cut, Name, Stem, StemPlot, Width, stem_plot};
use crate::model::{RankOrigin, Report, Table};
use crate::page::{Section, figure, figures, folded, table};
use crate::sampling::{bins, largest, peak};
use crate::text::{number, plural, plural_word, size};
use std::collections::HashSet;

/// Up to this many columns each get a stem; beyond, bins do.
const STEMS: usize = 300;
/// Bins when there are more.
const BINS: usize = 240;
/// Anchors drawn and listed.
const ANCHORS: usize = 200;

pub(super) fn section(report: &Report) -> Option<Section> {
    if report.anchors.is_empty() && report.row_norms.is_empty() {
        return None;
    }
    let mut charts = Vec::new();
    if !report.row_norms.is_empty() {
        charts.push(norms_in_place(report));
        charts.push(norms_in_order(report));
    }
    let mut body = figures(&charts);
    if !report.anchors.is_empty() {
        let list = anchor_table(report);
        body.push_str(&if report.anchors.len() > 12 { folded("List of the anchors", &list) } else { list });
    }
    Some(Section::new("anchors", "Anchors", body))
}

fn norms_in_place(report: &Report) -> String {
    let norms = &report.row_norms;
    let word = column_word(report);
    let drawn = &report.anchors[..report.anchors.len().min(ANCHORS)];
    let anchors: HashSet<usize> = report.anchors.iter().map(|a| a.index).collect();
    let mut stems: Vec<Stem> = drawn
        .iter()
        .map(|a| Stem {
            x: a.index as f64,
            y: a.row_norm,
            tip: format!(
                "{word} {}{}\nrow norm {}\nanchor",
                a.index,
                a.label.as_deref().map_or(String::new(), |l| format!(" ({l})")),
                number(a.row_norm)
            ),
            anchor: true,
            label: a.index.to_string(),
        })
        .collect();
    let binned = norms.len() > STEMS;
    let limit = if binned { BINS } else { norms.len() };
    for (first, end) in bins(norms.len(), limit) {
        let Some(n) = peak(first, end, |n| (!anchors.contains(&n)).then_some(norms[n])) else { continue };
        let tip = format!("{word} {n}\nrow norm {}", number(norms[n]));
        let tip = if binned { format!("{tip}\nlargest of {} to {}", size(first), size(end - 1)) } else { tip };
        stems.push(Stem { x: n as f64, y: norms[n], tip, ..Stem::default() });
    }
    let mut caption = format!(
        "Row norms {}: {}. {}",
        report.ranking.symbol(),
        report.ranking.meaning(word),
        if anchors_are_largest(report) {
            format!("The anchors are the {} largest.", size(report.anchors.len()))
        } else {
            "The anchors were not chosen by this order alone: see the notes above.".into()
        }
    );
    if binned {
        caption.push_str(&format!(
            " With {}, every anchor is drawn but of the others only the largest in each of {BINS} equal runs.",
            plural(norms.len(), word)
        ));
    }
    if drawn.len() < report.anchors.len() {
        caption.push_str(&format!(" Of the anchors, the first {ANCHORS} are drawn."));
    }
    if drawn.len() > 24 {
        caption.push_str(" Labels that would overlap are left out; point at a diamond to read its number.");
    }
    let plot = StemPlot {
        name: Name::new(
            "chart-row-norms",
            format!(
                "Stem plot of the row norms of C over {}, with {} marked.",
                plural(norms.len(), word),
                plural(drawn.len(), "anchor")
            ),
        ),
        width: Width::Full,
        x_name: format!("{word} n"),
        y_name: format!("row norm {}", report.ranking.symbol()),
        x_range: (0.0, norms.len().saturating_sub(1) as f64),
        stems,
        anchor_name: "anchor, with its index".into(),
        other_name: if binned {
            format!("largest of the other {} in each run", plural_word(word))
        } else {
            format!("other {word}")
        },
        cut: None,
    };
    figure("Row norms", &stem_plot(&plot), &caption)
}

/// Whether no other column has a larger row norm than an anchor.
fn anchors_are_largest(report: &Report) -> bool {
    let anchors: HashSet<usize> = report.anchors.iter().map(|a| a.index).collect();
    let least = report.anchors.iter().map(|a| a.row_norm).fold(f64::INFINITY, f64::min);
    let others = report.row_norms.iter().enumerate().filter(|(n, _)| !anchors.contains(n));
    others.map(|(_, norm)| *norm).fold(0.0, f64::max) <= least
}

fn norms_in_order(report: &Report) -> String {
    let word = column_word(report);
    let k = report.anchors.len();
    // 4 K of them, at least 20 and at most 200; for a large K, what lies around the cut.
    let (first, end) = if k <= 100 { (0, (4 * k).clamp(20, 200)) } else { (k - 100, k + 100) };
    let order = largest(&report.row_norms, end);
    let end = order.len();
    let first = first.min(end);
    let anchors: HashSet<usize> = report.anchors.iter().map(|a| a.index).collect();
    let stems = order.iter().enumerate().skip(first).map(|(place, (n, v))| Stem {
        x: place as f64 + 1.0,
        y: *v,
        tip: format!(
            "place {}: {word} {n}\nrow norm {}{}",
            place + 1,
            number(*v),
            if anchors.contains(n) { "\nanchor" } else { "" }
        ),
        anchor: anchors.contains(n),
        label: String::new(),
    });
    let stems: Vec<Stem> = stems.collect();
    let around = (k > 0).then(|| (order.get(k - 1), order.get(k)));
    let mut caption = match around {
        Some((Some(last), Some(next))) => format!(
            "Row norms in descending order. At the cut they fall from {} to {}{}.",
            number(last.1),
            number(next.1),
            if next.1 > 0.0 && last.1 / next.1 >= 1.05 {
                format!(", by a factor of {}", crate::text::significant(last.1 / next.1, 2))
            } else {
                String::new()
            }
        ),
        _ => "Row norms in descending order.".into(),
    };
    if end - first < report.row_norms.len() {
        caption.push_str(&format!(" Places {} to {} of {}.", size(first + 1), size(end), size(report.row_norms.len())));
    }
    caption.push_str(match report.rank.origin {
        RankOrigin::Given => " The cut is where the given rank puts it.",
        RankOrigin::EstimatedClear => " The cut was estimated and is clear.",
        RankOrigin::EstimatedUnclear => " The cut was estimated and is not clear.",
    });
    let plot = StemPlot {
        name: Name::new(
            "chart-sorted-norms",
            format!("Row norms in descending order, with a cut after {}.", plural(k, "anchor")),
        ),
        width: Width::Full,
        x_name: "place in descending order".into(),
        y_name: format!("row norm {}", report.ranking.symbol()),
        x_range: (first as f64 + 1.0, end.max(first + 1) as f64),
        stems,
        anchor_name: "anchor".into(),
        other_name: format!("other {word}"),
        cut: (k > 0).then(|| Cut { x: k as f64 + 0.5, label: format!("cut: K = {k}") }),
    };
    figure("Row norms in order", &stem_plot(&plot), &caption)
}

fn anchor_table(report: &Report) -> String {
    let listed = &report.anchors[..report.anchors.len().min(ANCHORS)];
    let labeled = listed.iter().any(|a| a.label.is_some());
    let normed = listed.iter().any(|a| a.row_norm.is_finite());
    let mut columns: Vec<String> = vec!["component".into(), format!("{} (from 0)", column_word(report))];
    let counted = listed.iter().any(|a| a.support.is_some());
    columns.extend(normed.then(|| "row norm".into()));
    columns.extend(counted.then(|| "support".into()));
    columns.extend(labeled.then(|| "label".into()));
    let rows = listed
        .iter()
        .enumerate()
        .map(|(k, a)| {
            let mut row = vec![k.to_string(), a.index.to_string()];
            row.extend(normed.then(|| or_dash(Some(a.row_norm).filter(|v| v.is_finite()))));
            row.extend(counted.then(|| {
                let users = a.support.map_or("–".into(), size);
                if a.suspected_outlier { format!("{users}, suspected outlier") } else { users }
            }));
            row.extend(labeled.then(|| a.label.clone().unwrap_or_default()));
            row
        })
        .collect();
    let mut caption = if listed.len() < report.anchors.len() {
        format!("The first {ANCHORS} of {} anchors. ", size(report.anchors.len()))
    } else {
        String::new()
    };
    if counted {
        caption.push_str(&format!(
            "Support: how many other {} use the anchor with at least twice the average weight (or with half of all). An anchor that almost none uses explains only itself: a suspected outlier.",
            plural_word(column_word(report))
        ));
    }
    table("anchor-table", &Table { caption, columns, rows, highlight: None })
}
