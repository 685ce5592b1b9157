//! How communities connect: B as a heat map, and its strongest ties in words.

use super::{CommunitiesReport, known};
use crate::chart::{Name, SquareMatrix, square_matrix};
use crate::colors;
use crate::model::Table;
use crate::page::{Section, figure, figures, paragraph, table};
use crate::text::{significant, size};

/// Ties in the list.
const TIES: usize = 8;
/// From this part of what they have within, two communities can hardly be distinguished.
const NEARLY_ONE: f64 = 0.8;

pub(super) fn section(report: &CommunitiesReport) -> Option<Section> {
    let (count, b) = (report.count(), &report.b);
    if !b.is_drawable() || b.rows != count || b.columns != count {
        return None;
    }
    let chart = square_matrix(&SquareMatrix {
        name: Name::new("chart-connections", format!("How {count} communities connect, as a heat map.")),
        axis_name: "community".into(),
        value_name: "B".into(),
        items: (0..count).map(|k| (report.community(k, 10), colors::class(k))).collect(),
        values: (0..count * count).map(|c| b.at(c / count, c % count)).collect(),
    });
    let caption = "B(k,l): how many links to expect between two nodes that belong to k alone and to l \
                   alone, and have as many edges as the mean node.";
    let matrix = figure("How communities connect", &chart, caption);
    let beside = format!("<div class=\"half beside\">{}</div>", ties(report));
    Some(Section::new("connections", "Connections", figures(&[matrix, beside])))
}

/// The pairs of different communities that connect most, and how that compares with links within.
fn ties(report: &CommunitiesReport) -> String {
    let (count, b) = (report.count(), &report.b);
    let mut pairs: Vec<(usize, usize, f64)> =
        (0..count).flat_map(|k| (k + 1..count).map(move |l| (k, l))).map(|(k, l)| (k, l, b.at(k, l))).collect();
    if pairs.is_empty() {
        return paragraph("There is only one community.");
    }
    pairs.sort_by(|x, y| y.2.total_cmp(&x.2).then((x.0, x.1).cmp(&(y.0, y.1))));
    let within = (0..count).map(|k| b.at(k, k)).sum::<f64>() / count as f64;
    let between = pairs.iter().map(|pair| pair.2).sum::<f64>() / pairs.len() as f64;
    let mut out = paragraph(&match within / between {
        ratio if between > 0.0 && ratio.is_finite() && ratio >= 1.0 => {
            format!("Within communities B is {} times what it is between them, on average.", significant(ratio, 2))
        }
        ratio if between > 0.0 && ratio.is_finite() && ratio > 0.0 => format!(
            "Between communities B is {} times what it is within them, on average: these are not groups that keep to themselves.",
            significant(1.0 / ratio, 2)
        ),
        _ => "Between communities B is 0: they keep to themselves.".into(),
    });
    // The share of what the two have within: 1 if the border between them is none.
    let relative = |k: usize, l: usize, value: f64| value / (b.at(k, k) * b.at(l, l)).sqrt();
    let row = |&(k, l, value): &(usize, usize, f64)| {
        vec![
            format!("{} and {}", report.community(k, 14), report.community(l, 14)),
            known(value),
            known_short(relative(k, l, value)),
        ]
    };
    let near: Vec<String> = pairs
        .iter()
        .filter(|&&(k, l, value)| relative(k, l, value) >= NEARLY_ONE)
        .map(|(k, l, _)| format!("{k} and {l}"))
        .collect();
    if !near.is_empty() {
        out += &paragraph(&format!(
            "Hard to tell apart, because they connect with each other about as much as within: {}. Fewer communities may be enough.",
            near.join(", ")
        ));
    }
    let positive = pairs.iter().take_while(|pair| pair.2 > 0.0).count();
    if positive == 0 {
        return out;
    }
    let listed = positive.min(TIES);
    let list = Table {
        caption: format!(
            "{} Relative: over the geometric mean of the two communities' own values.",
            if listed < pairs.len() {
                format!("The {listed} strongest of {} pairs.", size(pairs.len()))
            } else {
                "Strongest first.".into()
            }
        ),
        columns: ["between", "B", "relative"].map(String::from).to_vec(),
        rows: pairs[..listed].iter().map(row).collect(),
        highlight: None,
    };
    out += &table("ties", &list);
    out
}

fn known_short(value: f64) -> String {
    if value.is_finite() { significant(value, 2) } else { "–".into() }
}
