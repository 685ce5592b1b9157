//! How the run went: objective and gap, nonzeros, and the trace itself.

use super::{column_word, or_dash};
use crate::chart::{LineChart, Name, Point, Series, Stretch, Width, line_chart};
use crate::model::{Bounds, Report, Table, TracePoint};
use crate::page::{Section, figure, figures, folded, paragraph, table};
use crate::sampling::evenly;
use crate::text::{count, number, plural, seconds, size};

/// Points drawn of a longer trace.
const POINTS: usize = 120;
/// Rows of the trace table.
const ROWS: usize = 100;

pub(crate) fn section(report: &Report) -> Option<Section> {
    if report.run.trace.is_empty() {
        return None;
    }
    let shown: Vec<&TracePoint> =
        evenly(report.run.trace.len(), POINTS).into_iter().map(|i| &report.run.trace[i]).collect();
    let sampled = if shown.len() < report.run.trace.len() {
        format!(" {} of {} iterations are drawn, evenly spread.", shown.len(), size(report.run.trace.len()))
    } else {
        String::new()
    };
    let charts = [objective_and_gap(&shown, &sampled), nonzeros(report, &shown, &sampled), bounds(report)];
    let charts: Vec<String> = charts.into_iter().flatten().collect();
    let mut body = figures(&charts);
    body.push_str(&search_effort(report).map_or(String::new(), |text| paragraph(&text)));
    body.push_str(&folded("The trace as a table", &trace_table(report)));
    Some(Section::new("convergence", "Convergence", body))
}

/// Over how many columns each step searched, and what that saved.
fn search_effort(report: &Report) -> Option<String> {
    let last = report.run.trace.last()?;
    let (candidates, pairs, columns) = (last.candidates?, last.pairs?, report.columns as u64);
    let all = (columns * columns).max(1);
    let over = if candidates < columns {
        format!(
            "{} of {} columns: the vertices of their convex hull and the rows of C in use; no other can be chosen",
            count(candidates),
            count(columns)
        )
    } else {
        format!("all {} columns", count(columns))
    };
    let share =
        if pairs < all { format!(", {} % of all", number(100.0 * pairs as f64 / all as f64)) } else { String::new() };
    Some(format!(
        "The search for the best column ran over {over}. The last step computed {} products of two columns{share}.",
        count(pairs)
    ))
}

fn objective_and_gap(shown: &[&TracePoint], sampled: &str) -> Option<String> {
    let series = |name: &str, of: fn(&TracePoint) -> Option<f64>| Series {
        name: name.into(),
        points: shown
            .iter()
            .filter_map(|p| {
                let y = of(p)?;
                Some(Point {
                    x: p.iteration as f64,
                    y,
                    tip: format!("iteration {}\n{name} {}", p.iteration, number(y)),
                })
            })
            .collect(),
    };
    let all = [series("objective f(C)", |p| p.objective), series("duality gap", |p| p.gap)];
    let series: Vec<Series> = all.into_iter().filter(|s| !s.points.is_empty()).collect();
    if series.is_empty() {
        return None;
    }
    let left_out = series.iter().flat_map(|s| &s.points).filter(|p| !(p.y.is_finite() && p.y > 0.0)).count();
    let mut caption = String::from("Logarithmic scale. f(C) minus the optimum is at most the gap, at every iteration.");
    if left_out > 0 {
        caption.push_str(&format!(
            " {left_out} values that are zero, negative or not finite have no place on this scale and are left out."
        ));
    }
    caption.push_str(sampled);
    let (y_name, title) = match series.as_slice() {
        [one] => (format!("{}, log scale", one.name), one.name.clone()),
        _ => ("value, log scale".into(), "Objective and gap".into()),
    };
    let chart = LineChart {
        name: Name::new(
            "chart-convergence",
            "Objective and duality gap against the iteration, on a logarithmic scale.",
        ),
        width: Width::Half,
        x_name: "iteration".into(),
        y_name,
        y_stretch: Stretch::Log,
        series,
    };
    Some(figure(&title, &line_chart(&chart), &caption))
}

/// How the bounds on the optimum closed.
fn bounds(report: &Report) -> Option<String> {
    let known = report.run.certificate.as_ref()?;
    let point = |name: &str, pass: usize, y: f64| Point {
        x: pass as f64,
        y,
        tip: format!("pass {pass}\n{name} {}", number(y)),
    };
    let series = |name: &str, of: &dyn Fn(&Bounds) -> Option<f64>| Series {
        name: name.into(),
        points: known.bounds.iter().filter_map(|b| Some(point(name, b.pass, of(b)?))).collect(),
    };
    let last = known.bounds.last()?.pass;
    let own = "F of the returned C";
    let all = [
        Series { name: own.into(), points: vec![point(own, 1, known.objective), point(own, last, known.objective)] },
        series("least F known", &|b| b.upper),
        series("lower bound", &|b| Some(b.lower).filter(|&lower| lower > 0.0)),
    ];
    let chart = LineChart {
        name: Name::new("chart-bounds", "The least objective known and the lower bound against the pass."),
        width: Width::Half,
        x_name: "pass over all pairs of columns".into(),
        y_name: "objective without smoothing".into(),
        y_stretch: Stretch::Linear,
        series: all.into_iter().filter(|series| !series.points.is_empty()).collect(),
    };
    let caption = "The optimum lies between the two lower lines at every pass; they meet there. How far the returned C lies above the \
                   lower bound is what its certificate says.";
    Some(figure("Bounds on the optimum", &line_chart(&chart), caption))
}

fn nonzeros(report: &Report, shown: &[&TracePoint], sampled: &str) -> Option<String> {
    let columns = report.columns.max(1) as f64;
    let points: Vec<Point> = shown
        .iter()
        .filter_map(|p| {
            let nnz = p.nnz?;
            let y = nnz as f64 / columns;
            let rows =
                p.nonempty_rows.map_or(String::new(), |r| format!("\n{} of C in use", plural(r as usize, "row")));
            Some(Point {
                x: p.iteration as f64,
                y,
                tip: format!(
                    "iteration {}\n{} {} per column\n{} in all{rows}",
                    p.iteration,
                    number(y),
                    if y == 1.0 { "nonzero" } else { "nonzeros" },
                    count(nnz)
                ),
            })
        })
        .collect();
    if points.is_empty() {
        return None;
    }
    let word = column_word(report);
    let chart = LineChart {
        name: Name::new("chart-nonzeros", "Nonzeros per column of C against the iteration."),
        width: Width::Half,
        x_name: "iteration".into(),
        y_name: "nonzeros of C per column".into(),
        y_stretch: Stretch::Linear,
        series: vec![Series { name: "nonzeros per column".into(), points }],
    };
    let caption = format!(
        "How many others explain one {word}, on average. A dense C would hold {} in each column; memory follows this line instead.{sampled}",
        size(report.columns)
    );
    Some(figure("Nonzeros", &line_chart(&chart), &caption))
}

fn trace_table(report: &Report) -> String {
    let shown = evenly(report.run.trace.len(), ROWS);
    let caption = if shown.len() < report.run.trace.len() {
        format!(
            "{} of {} iterations, evenly spread; trace.csv holds all of them.",
            shown.len(),
            size(report.run.trace.len())
        )
    } else {
        String::new()
    };
    let whole = |v: Option<u64>| v.map_or("–".into(), count);
    let rows = shown
        .into_iter()
        .map(|i| {
            let p = &report.run.trace[i];
            vec![
                p.iteration.to_string(),
                or_dash(p.objective),
                or_dash(p.gap),
                whole(p.nnz),
                whole(p.nonempty_rows),
                whole(p.candidates),
                whole(p.pairs),
                p.seconds.map_or("–".into(), seconds),
            ]
        })
        .collect();
    let columns = ["iteration", "objective", "gap", "nonzeros", "rows in use", "candidates", "pairs", "time"]
        .map(String::from)
        .to_vec();
    table("trace", &Table { caption, columns, rows, highlight: None })
}
