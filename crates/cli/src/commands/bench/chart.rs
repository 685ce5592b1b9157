//! Time and memory against the number of columns, as a drawing of its own.

use merit_report::chart::{
    IntervalChart, IntervalPanel, IntervalPoint, IntervalSeries, Name, Stretch, interval_chart, standalone,
};
use serde_json::Value;

/// Where the runs of each method are, and its style.
const METHODS: [(&str, &str, usize); 3] =
    [("Merit", "run", 0), ("NumPy", "numpy", 3), ("FastGradient", "fast_gradient", 4)];

/// The drawing of these runs, one for each number of columns.
pub fn draw(runs: &[Value]) -> String {
    let first = &runs.first().map_or(Value::Null, |run| run["run"]["rows"].clone());
    let name = Name::new(
        "bench-figure",
        format!("Seconds per iteration and peak memory against the number of columns, {first} rows, beside baselines"),
    );
    let panels = vec![
        panel("time per iteration", "seconds", runs, &|key, value| match key {
            "run" => Some(value["seconds"].as_f64()? / value["iterations"].as_f64()?),
            _ => value["seconds_per_iteration"].as_f64(),
        }),
        panel("peak memory of the process", "MB", runs, &|_, value| Some(value["peak_rss_bytes"].as_f64()? / 1e6)),
    ];
    standalone(&interval_chart(&IntervalChart { name, panels }))
}

fn panel(title: &str, unit: &str, runs: &[Value], number: &dyn Fn(&str, &Value) -> Option<f64>) -> IntervalPanel {
    let series = METHODS.map(|(name, key, style)| {
        let point = |run: &Value| {
            let (x, y) = (run["run"]["cols"].as_f64()?, number(key, &run[key])?);
            Some(IntervalPoint { x, y, interval: None, tip: format!("{name}, {x} columns\n{y:.4} {unit}") })
        };
        let points = runs.iter().filter_map(point).collect();
        IntervalSeries { name: name.into(), style, points, ..Default::default() }
    });
    IntervalPanel {
        title: title.into(),
        x_name: "columns (N)".into(),
        y_name: unit.into(),
        x_stretch: Stretch::Log,
        y_stretch: Stretch::Log,
        series: series.into_iter().filter(|series| !series.points.is_empty()).collect(),
    }
}
