//! W and H: what the components look like, and who is made of what.

use super::{column_word, component_name, row_word};
use crate::chart::{
    HeatMap, Name, Point, Scatter, ScatterGroup, ScatterLabel, ScatterPoint, Series, SmallMultiples, Ternary, Width,
    heat_map, scatter, small_multiples, ternary,
};
use crate::model::{Matrix, Report};
use crate::page::{Section, figure, figures, paragraph};
use crate::projection::{Projection, principal};
use crate::sampling::{bins, dominant, evenly, peak};
use crate::text::{number, percent, plural, plural_word, shorten, size};

/// Most components that get a panel each; more of them make a heat map.
const PANELS: usize = 12;
/// Points over all panels.
const PANEL_POINTS: usize = 900;
/// Cells of a heat map, and its rows.
const CELLS: usize = 2700;
const HEAT_ROWS: usize = 60;
/// Points of a scatter plot.
const POINTS: usize = 400;
/// Anchors of a scatter plot.
const ANCHORS: usize = 100;
/// Columns of H that the principal directions are computed from.
const PROJECTED: usize = 20_000;

pub(super) fn section(report: &Report) -> Option<Section> {
    let mut body = String::new();
    for (name, matrix) in [("W", &report.w), ("H", &report.h)] {
        if !matrix.values.is_empty() && !matrix.is_drawable() {
            let text = format!(
                "{name} is said to be {} by {} but holds {} values; it is not drawn.",
                matrix.rows,
                matrix.columns,
                matrix.values.len()
            );
            body.push_str(&paragraph(&text));
        }
    }
    let mut charts = Vec::new();
    if report.w.is_drawable() {
        charts.push(if report.w.columns <= PANELS { w_panels(report) } else { w_heat_map(report) });
    }
    if report.h.is_drawable() {
        if report.h.rows == 3 {
            charts.push(h_ternary(report));
        } else {
            charts.push(h_heat_map(report));
        }
        match principal(&report.w, &report.h, PROJECTED) {
            Some(projection) => charts.push(h_projection(report, &projection)),
            None if report.h.rows <= 2 => {
                body.push_str(&paragraph("With one or two components the samples lie on a line, so there is no projection onto a plane to show."));
            }
            None => {}
        }
    }
    if charts.is_empty() && body.is_empty() {
        return None;
    }
    Some(Section::new("factors", "Factors", body + &figures(&charts)))
}

/// The entry of largest magnitude of each of at most `limit` runs of rows of W's column k: (row, value).
fn peaks_of_column(w: &Matrix, k: usize, limit: usize) -> Vec<(usize, f64)> {
    let column = w.column(k);
    bins(column.len(), limit)
        .filter_map(|(a, b)| peak(a, b, |i| Some(column[i].abs())))
        .map(|i| (i, column[i]))
        .collect()
}

fn w_panels(report: &Report) -> String {
    let (w, word) = (&report.w, row_word(report));
    let limit = (PANEL_POINTS / w.columns).clamp(60, 240);
    let panels = (0..w.columns)
        .map(|k| Series {
            name: component_name(report, k),
            points: peaks_of_column(w, k, limit)
                .into_iter()
                .map(|(i, v)| Point { x: i as f64, y: v, tip: format!("{word} {i}\n{}", number(v)) })
                .collect(),
        })
        .collect();
    let chart = SmallMultiples {
        name: Name::new(
            "chart-w",
            format!("The {} columns of W over {}, one panel each.", w.columns, plural(w.rows, word)),
        ),
        x_name: word.to_string(),
        y_name: "entry of W".into(),
        panels,
    };
    figure("The columns of W", &small_multiples(&chart), &w_caption(report, limit, "All panels share their scales."))
}

/// How many columns of a heat map to draw: all of them if that is at most half as many again as there is room for.
fn heat_columns(rows: usize, columns: usize) -> usize {
    let room = (CELLS / rows).clamp(30, 240);
    if columns <= room * 3 / 2 { columns } else { room }
}

fn w_heat_map(report: &Report) -> String {
    let (w, word) = (&report.w, row_word(report));
    let rows = w.columns.min(HEAT_ROWS);
    let limit = heat_columns(rows, w.rows);
    let runs: Vec<(usize, usize)> = bins(w.rows, limit).collect();
    let mut values = Vec::with_capacity(rows * runs.len());
    for k in 0..rows {
        let column = w.column(k);
        values
            .extend(runs.iter().map(|(a, b)| peak(*a, *b, |i| Some(column[i].abs())).map_or(f64::NAN, |i| column[i])));
    }
    let map = HeatMap {
        name: Name::new("chart-w", format!("Heat map of W: {rows} components over {}.", plural(w.rows, word))),
        x_name: if runs.len() < w.rows { format!("{word}, in runs") } else { word.to_string() },
        y_name: "component".into(),
        value_name: "entry of W".into(),
        column_word: if runs.len() < w.rows { format!("run of {} from", plural_word(word)) } else { word.to_string() },
        rows: (0..rows).map(|k| component_name(report, k)).collect(),
        columns: runs.iter().map(|(a, _)| *a).collect(),
        values,
        cap: None,
        ordered: true,
        blocks: Vec::new(),
    };
    let more = if rows < w.columns {
        format!("The first {rows} of {} components are drawn.", w.columns)
    } else {
        String::new()
    };
    figure("The columns of W", &heat_map(&map), &w_caption(report, limit, &more))
}

fn w_caption(report: &Report, limit: usize, more: &str) -> String {
    let word = row_word(report);
    let mut caption = format!("Each component is the {} picked as its anchor.", column_word(report));
    if report.w.rows > limit {
        caption.push_str(&format!(
            " Of {}, cut into {limit} equal runs, the entry of largest magnitude in each run is drawn.",
            plural(report.w.rows, word)
        ));
    }
    if !more.is_empty() {
        caption.push(' ');
        caption.push_str(more);
    }
    caption
}

/// "; 500 of 1,000,000 columns, evenly spread" or nothing.
fn sampled(shown: usize, of: usize, word: &str) -> String {
    if shown < of {
        format!(" {} of {} are drawn, evenly spread.", size(shown), plural(of, word))
    } else {
        String::new()
    }
}

/// "0.6 of component 4, 0.3 of 1, 0.05 of 7": the three largest weights.
fn weights_tip(report: &Report, j: usize) -> String {
    let column = report.h.column(j);
    let mut order: Vec<usize> = (0..column.len()).filter(|k| column[*k].is_finite()).collect();
    order.sort_by(|a, b| column[*b].total_cmp(&column[*a]).then(a.cmp(b)));
    order.truncate(3);
    let parts: Vec<String> = order
        .into_iter()
        .enumerate()
        .map(|(i, k)| {
            format!("{} of {}{k}", crate::text::significant(column[k], 3), if i == 0 { "component " } else { "" })
        })
        .collect();
    format!("{} {j}\n{}", column_word(report), parts.join(", "))
}

fn anchor_tip(report: &Report, k: usize) -> (String, String) {
    let word = column_word(report);
    match report.anchors.get(k) {
        Some(a) => {
            let label = a.label.as_deref().map_or(String::new(), |l| format!("\n{l}"));
            (a.index.to_string(), format!("anchor of component {k}\n{word} {}{label}", a.index))
        }
        None => (k.to_string(), format!("component {k}")),
    }
}

fn h_ternary(report: &Report) -> String {
    let (h, word) = (&report.h, column_word(report));
    let shown = evenly(h.columns, POINTS);
    let weights = |j: usize| [h.at(0, j), h.at(1, j), h.at(2, j)];
    let rescaled = shown.iter().any(|j| (weights(*j).iter().sum::<f64>() - 1.0).abs() > 1e-6);
    let anchors = (0..3).map(|k| {
        let (label, tip) = anchor_tip(report, k);
        (std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 }), ScatterLabel { label, tip })
    });
    let mut caption = format!(
        "Each {word} as a mixture of the three anchors: the nearer a corner, the more of that anchor it holds. The numbers along a side are shares of the corner toward which they rise."
    );
    if rescaled {
        caption.push_str(" Weights were scaled to sum to 1; columns without positive weight are left out.");
    }
    caption.push_str(&sampled(shown.len(), h.columns, word));
    let plot = Ternary {
        name: Name::new(
            "chart-h-ternary",
            format!("Ternary plot of H: {} as mixtures of three components.", plural(h.columns, word)),
        ),
        corners: std::array::from_fn(|k| shorten(&component_name(report, k), if k == 0 { 60 } else { 30 })),
        points: shown.iter().map(|j| (weights(*j), weights_tip(report, *j))).collect(),
        attributes: Vec::new(),
        point_name: word.to_string(),
        anchors: anchors.collect(),
        anchor_name: "anchor, with its index".into(),
    };
    figure("The columns of H as mixtures", &ternary(&plot), &caption)
}

fn h_heat_map(report: &Report) -> String {
    let (h, word) = (&report.h, column_word(report));
    let rows = h.rows.min(HEAT_ROWS);
    let shown = evenly(h.columns, heat_columns(rows, h.columns));
    // By dominant component, then by its weight, so that each block fades from pure to mixed.
    let mut order: Vec<(usize, f64, usize)> = shown
        .iter()
        .map(|&j| {
            let k = dominant(&h.column(j)[..rows]);
            (k.unwrap_or(rows), k.map_or(0.0, |k| h.at(k, j)), j)
        })
        .collect();
    order.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    let mut values = Vec::with_capacity(rows * order.len());
    for k in 0..rows {
        values.extend(order.iter().map(|(_, _, j)| h.at(k, *j)));
    }
    // With many components most weights are small, and a few pure columns would leave the rest of the map pale.
    let mut largest: Vec<f64> = order.iter().map(|o| o.1).collect();
    largest.sort_by(f64::total_cmp);
    let cap = largest.get(largest.len() * 9 / 10).copied().filter(|cap| 2.0 * cap < largest[largest.len() - 1]);
    let mut blocks: Vec<(usize, usize, String)> = Vec::new();
    for (place, (k, _, _)) in order.iter().enumerate().filter(|(_, o)| o.0 < rows) {
        match blocks.last_mut() {
            Some(block) if block.2 == k.to_string() => block.1 = place + 1,
            _ => blocks.push((place, place + 1, k.to_string())),
        }
    }
    let mut caption = format!(
        "The weights of every component in each {word}, sorted by dominant component (numbers above) and by its weight."
    );
    caption.push_str(&sampled(shown.len(), h.columns, word));
    if rows < h.rows {
        caption.push_str(&format!(" The first {rows} of {} components are drawn.", h.rows));
    }
    let map = HeatMap {
        name: Name::new(
            "chart-h-heat-map",
            format!("Heat map of H: weights of {rows} components in {}.", plural(shown.len(), word)),
        ),
        x_name: format!("{}, sorted by dominant component", plural_word(word)),
        y_name: "component".into(),
        value_name: "weight in H".into(),
        column_word: word.to_string(),
        rows: (0..rows).map(|k| component_name(report, k)).collect(),
        columns: order.iter().map(|o| o.2).collect(),
        values,
        cap,
        ordered: false,
        blocks,
    };
    figure("The columns of H", &heat_map(&map), &caption)
}

fn h_projection(report: &Report, projection: &Projection) -> String {
    let (h, word) = (&report.h, column_word(report));
    let shown = evenly(h.columns, POINTS);
    let by_component = h.rows <= 6;
    let mut groups: Vec<ScatterGroup> = if by_component {
        (0..h.rows).map(|k| ScatterGroup { name: format!("mostly {k}"), ..ScatterGroup::default() }).collect()
    } else {
        vec![ScatterGroup { name: word.to_string(), ..ScatterGroup::default() }]
    };
    for &j in &shown {
        let (x, y) = projection.place(h.column(j));
        let group = if by_component { dominant(h.column(j)).unwrap_or(0) } else { 0 };
        groups[group].points.push(Point { x, y, tip: weights_tip(report, j) });
    }
    let corner = |k: usize| -> Vec<f64> { (0..h.rows).map(|i| if i == k { 1.0 } else { 0.0 }).collect() };
    let drawn = h.rows.min(ANCHORS);
    let anchors = (0..drawn)
        .map(|k| {
            let (x, y) = projection.place(&corner(k));
            let (label, tip) = anchor_tip(report, k);
            ScatterPoint { point: Point { x, y, tip }, label }
        })
        .collect();
    let mut caption = format!(
        "The fitted {} W H, seen along the two directions in which they vary most ({} and {} of the variance). Anchors span the cloud; in a projection some may lie inside it.",
        plural_word(word),
        percent(projection.shares[0]),
        percent(projection.shares[1])
    );
    caption.push_str(&sampled(shown.len(), h.columns, word));
    if drawn < h.rows {
        caption.push_str(&format!(" The first {drawn} of {} anchors are drawn.", h.rows));
    }
    let plot = Scatter {
        name: Name::new(
            "chart-projection",
            format!(
                "{} projected onto two principal directions, with {}.",
                plural(shown.len(), word),
                plural(drawn, "anchor")
            ),
        ),
        width: if h.rows == 3 { Width::Half } else { Width::Full },
        x_name: "first principal direction".into(),
        y_name: "second principal direction".into(),
        groups,
        anchors,
        anchor_name: "anchor, with its index".into(),
        simplex: false,
    };
    figure("The samples in the plane", &scatter(&plot), &caption)
}
