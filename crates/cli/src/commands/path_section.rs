//! The section of a page that shows the optimum over a range of lambda.

use merit::exact::relative_gap;
use merit::path::{Path, Step};
use merit_report::Section;
use merit_report::chart::{HeatMap, Name, heat_map};
use merit_report::page::{figure, figures, paragraph};

/// Columns that are drawn at most.
const DRAWN: usize = 120;

/// Which columns are anchors at which lambda.
pub fn of(path: &Path) -> Section {
    let steps = path.steps.len();
    let drawn = &path.columns[..path.columns.len().min(DRAWN)];
    let stays = |times: usize| path.columns.iter().filter(|&&column| path.stays(column) == times).count();
    let named = |multiple: f64| match multiple {
        1.0 => "u".to_string(),
        part if part < 1.0 => format!("u/{}", 1.0 / part),
        times => format!("{times}u"),
    };
    let words = format!(
        "The exact optimum at {steps} values of lambda. {} of the {} columns that are among the largest rows at one of them are so at all of them: these are \
         anchors whatever lambda is. The others are so by the choice of lambda.",
        stays(steps),
        path.columns.len()
    );
    let gap = |step: &Step| {
        let gap = 100.0 * relative_gap(step.objective, step.lower_bound);
        format!("{gap:.2} % at {} ({} passes)", named(step.multiple), step.passes)
    };
    let gaps: Vec<String> = path.steps.iter().map(gap).collect();
    let blocks = (1..=steps).rev().scan(0, |first, times| {
        let end = (*first + stays(times)).min(drawn.len());
        let block = (*first, end, format!("at {times}"));
        *first = end;
        Some(block)
    });
    let map = HeatMap {
        name: Name::new(
            "chart-path",
            format!("Heat map of row norms: {} columns at {steps} values of lambda.", drawn.len()),
        ),
        x_name: "column, by the number of lambdas at which it is among the largest".into(),
        y_name: "lambda".into(),
        value_name: "row norm ‖C(n,:)‖₂".into(),
        column_word: "column".into(),
        rows: path.steps.iter().map(|step| named(step.multiple)).collect(),
        columns: drawn.to_vec(),
        values: path.steps.iter().flat_map(|step| step.row_norms[..drawn.len()].iter().copied()).collect(),
        cap: None,
        ordered: false,
        blocks: blocks.filter(|(first, end, _)| first < end).collect(),
    };
    let mut caption = format!(
        "How much column n is used at each lambda; u is SPA's squared residual per column that is not an anchor. Objectives are at most this far above the optimum: {}.",
        gaps.join(", ")
    );
    if drawn.len() < path.columns.len() {
        caption += &format!(" The first {DRAWN} of {} columns are drawn.", path.columns.len());
    }
    let chart = figure("Anchors over a range of lambda", &heat_map(&map), &caption);
    Section::new("path", "Over a range of lambda", paragraph(&words) + &figures(&[chart]))
}
