//! What people read: `summary.md`, the figures as files, and the page.
//!
//! Each experiment becomes tables (a row for each case, a column for each method) with the mean, the 95 % interval and the
//! paper's number, and a figure in the paper's layout.

use crate::experiment::Experiment;
use crate::figure;
use crate::interval::Estimate;
use crate::method::Method;
use crate::summary::Row;
use merit_report::chart::standalone;
use merit_report::page::{Page, Section, figure as page_figure, figures, folded, paragraph, table};
use merit_report::{Table, text::plural};

/// Metrics of the estimate of `K`: columns of one table, because they have one method.
const RANK_METRICS: [&str; 4] = ["rank_right", "clear", "right_if_clear", "right_if_unclear"];

/// How intervals are meant, in a sentence.
const INTERVALS: &str = "Means over the trials with 95 % intervals in brackets: Wilson's for rates, Student's for other means; after \
                         the slash, where there is one, the paper's number.";

/// `summary.md`.
pub fn markdown(experiments: &[Experiment], rows: &[Row], remarks: &[String]) -> String {
    let mut text = format!("# Results beside the paper's\n\n{INTERVALS}\n");
    for remark in remarks {
        text += &format!("\n> {remark}\n");
    }
    for (experiment, rows) in with_results(experiments, rows) {
        text += &format!("\n## {}\n\n{} {}\n", experiment.title, experiment.recipe, trials(&rows));
        for claim in experiment.claims {
            text += &format!("\nThe paper: {claim}\n");
        }
        if !experiment.panels.is_empty() {
            text += &format!("\n![{}]({}.svg)\n", experiment.title, experiment.name);
        }
        for table in tables(experiment, &rows) {
            let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
            text += &format!("\n### {}\n\n{}", table.caption, line(&table.columns));
            text += &format!("|{}\n", " --- |".repeat(table.columns.len()));
            table.rows.iter().for_each(|row| text += &line(row));
        }
    }
    text
}

/// The figures as files: name and contents.
pub fn figure_files(experiments: &[Experiment], rows: &[Row]) -> Vec<(String, String)> {
    let drawn = with_results(experiments, rows);
    let file = |(experiment, rows): &(&Experiment, Vec<&Row>)| {
        let svg = figure::draw(experiment, rows)?;
        Some((format!("{}.svg", experiment.name), standalone(&svg)))
    };
    drawn.iter().filter_map(file).collect()
}

/// The page with all figures and tables.
pub fn page(experiments: &[Experiment], rows: &[Row], remarks: &[String], footer: Vec<String>) -> String {
    let mut lead = paragraph(INTERVALS);
    remarks.iter().for_each(|remark| lead += &paragraph(remark));
    let section = |(experiment, rows): (&Experiment, Vec<&Row>)| {
        let mut body = paragraph(&format!("{} {}", experiment.recipe, trials(&rows)));
        experiment.claims.iter().for_each(|claim| body += &paragraph(&format!("The paper: {claim}")));
        if let Some(svg) = figure::draw(experiment, &rows) {
            let caption = "Whiskers: 95 % intervals. Hollow: the paper's number, where it prints one.";
            body += &figures(&[page_figure(experiment.title, &svg, caption)]);
        }
        for (i, result) in tables(experiment, &rows).iter().enumerate() {
            let html = table(&format!("{}-table-{i}", experiment.name), result);
            // A table is the result where there is no figure, and the figure's numbers where there is one.
            body += &if experiment.panels.is_empty() { html } else { folded(&result.caption, &html) };
        }
        Section::new(experiment.name, experiment.title, body)
    };
    let sections = with_results(experiments, rows).into_iter().map(section).collect();
    Page { title: "Reproducing the paper".into(), eyebrow: "Merit".into(), lead, sections, footer, ..Page::default() }
        .html()
}

/// The experiments that have rows, with them.
fn with_results<'a>(experiments: &'a [Experiment], rows: &'a [Row]) -> Vec<(&'a Experiment, Vec<&'a Row>)> {
    let of = |experiment: &'a Experiment| {
        let own: Vec<&Row> = rows.iter().filter(|row| row.experiment == experiment.name).collect();
        (!own.is_empty()).then_some((experiment, own))
    };
    experiments.iter().filter_map(of).collect()
}

/// How many trials, in words.
fn trials(rows: &[&Row]) -> String {
    // Conditional rates and sums over data sets have other counts, which their tables show.
    let plain = rows.iter().filter(|row| row.dataset != "all" && !row.metric.starts_with("right_if"));
    let counts: Vec<usize> = plain.map(|row| row.estimate.trials).collect();
    match (counts.iter().min(), counts.iter().max()) {
        (Some(low), Some(high)) if low == high => format!("{} per setting.", plural(*low, "trial")),
        (Some(low), Some(high)) => format!("{low} to {} per setting.", plural(*high, "trial")),
        _ => String::new(),
    }
}

/// The tables of an experiment: one per metric and group of data sets with the same methods.
pub fn tables(experiment: &Experiment, rows: &[&Row]) -> Vec<Table> {
    let mut groups: Vec<(Vec<Method>, Vec<&'static str>)> = Vec::new();
    for case in &experiment.cases {
        match groups.iter_mut().find(|(methods, _)| *methods == case.methods) {
            Some((_, datasets)) if datasets.contains(&case.dataset) => {}
            Some((_, datasets)) => datasets.push(case.dataset),
            None => groups.push((case.methods.clone(), vec![case.dataset])),
        }
    }
    let mut tables = Vec::new();
    for metric in experiment.metrics.iter().filter(|metric| !RANK_METRICS.contains(metric)) {
        for (methods, datasets) in &groups {
            let columns = methods.iter().map(|method| (method.name(), *method, *metric)).collect();
            tables.extend(table_of(experiment, rows, datasets, columns, caption(metric).into()));
        }
    }
    if experiment.metrics.contains(&"rank_right") {
        let datasets: Vec<&str> = groups.iter().flat_map(|(_, datasets)| datasets.clone()).chain(["all"]).collect();
        let columns = RANK_METRICS.iter().map(|metric| (caption(metric).to_string(), Method::Rank, *metric)).collect();
        tables.extend(table_of(experiment, rows, &datasets, columns, "The estimate of K".into()));
    }
    tables
}

fn table_of(
    experiment: &Experiment,
    rows: &[&Row],
    datasets: &[&str],
    columns: Vec<(String, Method, &str)>,
    caption: String,
) -> Option<Table> {
    let mut places: Vec<(&str, &str)> = Vec::new();
    for row in rows.iter().filter(|row| datasets.contains(&row.dataset.as_str())) {
        if !places.contains(&(&row.dataset, &row.setting)) {
            places.push((&row.dataset, &row.setting));
        }
    }
    let find = |(dataset, setting): (&str, &str), method: Method, metric: &str| {
        let here = |row: &&&Row| row.dataset == dataset && row.setting == setting;
        rows.iter().filter(here).find(|row| row.method == method && row.metric == metric)
    };
    let columns: Vec<_> = columns
        .into_iter()
        .filter(|(_, method, metric)| places.iter().any(|p| find(*p, *method, metric).is_some()))
        .collect();
    if columns.is_empty() {
        return None;
    }
    let body = places.iter().map(|&place| {
        let cell = |(_, method, metric): &(String, Method, &str)| {
            find(place, *method, metric).map_or("–".into(), |r| cell(r))
        };
        let here = |row: &&&Row| (row.dataset.as_str(), row.setting.as_str()) == place;
        let size = rows.iter().find(here).and_then(|row| row.columns);
        let setting = match size {
            Some(size) if experiment.setting_name != "N" => format!("{} (N = {size})", place.1),
            _ => place.1.to_string(),
        };
        [place.0.to_string(), setting].into_iter().chain(columns.iter().map(cell)).collect()
    });
    let heads = ["data".to_string(), experiment.setting_name.to_string()];
    let caption = if datasets.len() == 1 { format!("{caption} ({})", datasets[0]) } else { caption };
    Some(Table {
        caption,
        rows: body.collect(),
        columns: heads.into_iter().chain(columns.iter().map(|(name, ..)| name.clone())).collect(),
        highlight: None,
    })
}

fn caption(metric: &str) -> &'static str {
    match metric {
        "success_rate" => "Success rate",
        "mrsa" => "MRSA in the paper's unit (radians x 106.3)",
        "mrsa_radians" => "MRSA in radians",
        "rae" => "RAE",
        "outliers_called" => "Outliers called suspected, of those taken for anchors",
        "false_alarms" => "True anchors called suspected outliers",
        "rank_right" => "K right",
        "clear" => "called clear",
        "right_if_clear" => "right if clear",
        "right_if_unclear" => "right if not clear",
        "peak_gb" => "Peak memory in GB",
        "src" => "SRC over all nodes",
        "src_kept" => "SRC over the kept nodes",
        "refused_gb" => "Not run: GB that the arrays alone would need",
        "coherence" => "Coherence",
        "similarity_count" => "Similarity count",
        "clustering_accuracy" => "Clustering accuracy",
        _ => "",
    }
}

/// `0.96 [0.87, 0.99] / 0.98`: ours with its interval, and the paper's.
fn cell(row: &Row) -> String {
    // Digits of ours, and of the paper's.
    let (digits, printed) = match row.metric {
        "mrsa" => (2, 4),
        "mrsa_radians" | "rae" | "src" | "src_kept" => (4, 4),
        "peak_gb" | "refused_gb" => (3, 3),
        "coherence" => (1, 1),
        "clustering_accuracy" => (3, 2),
        _ => (2, 2),
    };
    let Estimate { mean, .. } = row.estimate;
    let interval =
        row.estimate.bounds().map_or(String::new(), |(low, high)| format!(" [{low:.digits$}, {high:.digits$}]"));
    let paper = row.paper.map_or(String::new(), |paper| format!(" / {paper:.printed$}"));
    format!("{mean:.digits$}{interval}{paper}")
}
