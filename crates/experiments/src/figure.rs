//! From the summary to a chart in the paper's layout.

use crate::experiment::{Experiment, Panel};
use crate::method::Method;
use crate::summary::Row;
use merit_report::chart::{IntervalChart, IntervalPanel, IntervalPoint, IntervalSeries, Name, interval_chart};
use merit_report::text::{number, plural};

/// The figure of an experiment; `None` for a table, or without results.
pub(crate) fn draw(experiment: &Experiment, rows: &[&Row]) -> Option<String> {
    let panels: Vec<IntervalPanel> =
        experiment.panels.iter().filter_map(|panel| draw_panel(experiment, panel, rows)).collect();
    if panels.is_empty() {
        return None;
    }
    let name =
        Name::new(&format!("{}-figure", experiment.name), format!("{}. {}", experiment.title, experiment.recipe));
    Some(interval_chart(&IntervalChart { name, panels }))
}

fn draw_panel(experiment: &Experiment, panel: &Panel, rows: &[&Row]) -> Option<IntervalPanel> {
    let shown: Vec<&&Row> =
        rows.iter().filter(|row| row.dataset == panel.dataset && row.metric == panel.metric).collect();
    let place = |row: &Row| {
        if row.columns.is_some() && panel.x_name.contains('N') {
            return row.columns;
        }
        let case = experiment.cases.iter().find(|case| case.dataset == row.dataset && case.setting == row.setting)?;
        Some(case.x)
    };
    let refused: Vec<&&Row> =
        rows.iter().filter(|row| row.dataset == panel.dataset && row.metric == "refused_gb").collect();
    let mut methods: Vec<Method> = Vec::new();
    for row in shown.iter().chain(&refused) {
        if !methods.contains(&row.method) {
            methods.push(row.method);
        }
    }
    // Values of a grid take the styles in order; methods keep theirs everywhere.
    let grid = methods.len() > 1 && methods.iter().all(|method| method.style() == methods[0].style());
    let series = methods.iter().enumerate().map(|(i, &method)| {
        let own = || shown.iter().filter(|row| row.method == method);
        let name = method.name();
        let point = |row: &&&Row| {
            let (mean, trials) = (number(row.estimate.mean), plural(row.estimate.trials, "trial"));
            let interval = row
                .estimate
                .bounds()
                .map_or(String::new(), |(low, high)| format!("\n95 %: {} to {}", number(low), number(high)));
            let tip = format!("{name} at {}\n{}: {mean} ({trials}){interval}", row.setting, panel.y_name);
            Some(IntervalPoint { x: place(row)?, y: row.estimate.mean, interval: row.estimate.bounds(), tip })
        };
        let reference = |row: &&&Row| {
            let y = row.paper?;
            let tip = format!("the paper: {name} at {}\n{}: {}", row.setting, panel.y_name, number(y));
            Some(IntervalPoint { x: place(row)?, y, interval: None, tip })
        };
        let not_run = |row: &&&&Row| {
            let tip = format!("{name} at {}\nnot run: it needs {} GB and more", row.setting, number(row.estimate.mean));
            Some(IntervalPoint { x: place(row)?, y: row.estimate.mean, interval: None, tip })
        };
        let mut points: Vec<IntervalPoint> = own().filter_map(point).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x)); // N does not follow K
        IntervalSeries {
            refused: refused.iter().filter(|row| row.method == method).filter_map(|row| not_run(&row)).collect(),
            style: if grid { i } else { method.style() },
            points,
            references: own().filter_map(reference).collect(),
            name: name.clone(),
        }
    });
    let series: Vec<IntervalSeries> = series.collect();
    (!series.is_empty()).then(|| IntervalPanel {
        title: panel.title.into(),
        x_name: panel.x_name.into(),
        y_name: panel.y_name.into(),
        x_stretch: panel.x_stretch,
        y_stretch: panel.y_stretch,
        series,
    })
}
