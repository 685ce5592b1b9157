//! `summary.csv`: every number over its trials, with its 95 % interval, beside the paper's.
//!
//! ```text
//! experiment,dataset,setting,method,metric,trials,mean,low,high,paper
//! ```
//!
//! | metric | of | interval |
//! |---|---|---|
//! | `success_rate` | anchors exactly right | Wilson |
//! | `mrsa_radians`, `mrsa` | the angle, in radians and in the paper's unit | Student |
//! | `rae` | `1 - ||X - WH|| / ||X||` | Student |
//! | `rank_right`, `clear` | the estimate of `K` right; called clear | Wilson |
//! | `right_if_clear`, `right_if_unclear` | right among those called clear, and among the others | Wilson |
//! | `coherence`, `similarity_count`, `clustering_accuracy` | topics | Student |
//! | `src`, `src_kept` | memberships against the truth, over all nodes and over the kept ones | Student |
//! | `outliers_called`, `false_alarms` | part of the outliers, and of the true anchors, among the anchors that are called suspected outliers | Student |
//! | `peak_gb` | peak memory in 10^9 bytes | Student |
//! | `refused_gb` | memory that a method would have needed, where it was not run for that | Student |
//!
//! A single trial gives no Student interval: `low` and `high` are empty then.

use crate::experiment::Experiment;
use crate::interval::{Estimate, mean, rate};
use crate::method::{Method, Outcome};
use crate::paper;
use crate::record::Record;
use std::collections::BTreeMap;

/// The first line of `summary.csv`.
pub const HEAD: &str = "experiment,dataset,setting,method,metric,trials,mean,low,high,paper";

/// One line of the summary.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Which experiment.
    pub experiment: &'static str,
    /// Which data; `all` for all of them together.
    pub dataset: String,
    /// Which setting.
    pub setting: String,
    /// Which method.
    pub method: Method,
    /// Which number.
    pub metric: &'static str,
    /// Its mean and interval.
    pub estimate: Estimate,
    /// What the paper prints there.
    pub paper: Option<f64>,
    /// `N`, where the data decide it.
    pub columns: Option<f64>,
}

/// The summary of `records`, in the order of the experiments: cases, methods, metrics.
pub fn summarize<'r>(experiments: &[Experiment], records: impl Iterator<Item = &'r Record>) -> Vec<Row> {
    let mut groups: BTreeMap<[&str; 4], Vec<&Record>> = BTreeMap::new();
    for record in records {
        let key = &record.key;
        groups.entry([&key.experiment, &key.dataset, &key.setting, &key.method]).or_default().push(record);
    }
    // In the order of trials, so that sums are the same however the trials came in.
    groups.values_mut().for_each(|group| group.sort_by_key(|record| record.key.trial));
    let mut rows = Vec::new();
    for experiment in experiments {
        let mut ranks: Vec<&Record> = Vec::new();
        for case in &experiment.cases {
            for &method in &case.methods {
                let name = method.name();
                let Some(group) = groups.get(&[experiment.name, case.dataset, &case.setting, &name]) else { continue };
                rows.extend(of_group(experiment, case.dataset, &case.setting, method, group));
                if method == Method::Rank {
                    ranks.extend(group);
                }
            }
        }
        if !ranks.is_empty() {
            rows.extend(of_group(experiment, "all", "all", Method::Rank, &ranks));
        }
    }
    rows
}

fn of_group(experiment: &Experiment, dataset: &str, setting: &str, method: Method, group: &[&Record]) -> Vec<Row> {
    let row = |&metric: &&'static str| {
        let estimate = estimate(metric, group)?;
        let paper = paper::value(experiment.name, dataset, setting, &method.name(), metric);
        let (dataset, setting) = (dataset.to_string(), setting.to_string());
        let columns = group.iter().find_map(|record| record.outcome.columns);
        Some(Row { experiment: experiment.name, dataset, setting, method, metric, estimate, paper, columns })
    };
    experiment.metrics.iter().filter_map(row).collect()
}

/// The estimate of one metric; `None` where the records do not have it.
fn estimate(metric: &str, group: &[&Record]) -> Option<Estimate> {
    let values =
        |of: fn(&Outcome) -> Option<f64>| -> Vec<f64> { group.iter().filter_map(|r| of(&r.outcome)).collect() };
    let share = |values: &[f64]| rate(values.iter().filter(|&&value| value == 1.0).count(), values.len());
    let scaled = |values: Vec<f64>, factor: f64| mean(&values.iter().map(|v| factor * v).collect::<Vec<_>>());
    match metric {
        "success_rate" => share(&values(|o| o.success)),
        "mrsa_radians" => mean(&values(|o| o.mrsa_radians)),
        "mrsa" => scaled(values(|o| o.mrsa_radians), paper::MRSA_UNIT),
        "rae" => mean(&values(|o| o.rae)),
        "rank_right" => share(&values(|o| o.rank_right)),
        "clear" => share(&values(|o| o.clear)),
        "right_if_clear" => share(&values(|o| o.rank_right.filter(|_| o.clear == Some(1.0)))),
        "right_if_unclear" => share(&values(|o| o.rank_right.filter(|_| o.clear == Some(0.0)))),
        "coherence" => mean(&values(|o| o.coherence)),
        "similarity_count" => mean(&values(|o| o.similarity_count)),
        "clustering_accuracy" => mean(&values(|o| o.clustering_accuracy)),
        "src" => mean(&values(|o| o.src)),
        "outliers_called" => mean(&values(|o| o.outliers_called)),
        "false_alarms" => mean(&values(|o| o.false_alarms)),
        "src_kept" => mean(&values(|o| o.src_kept)),
        "peak_gb" => scaled(values(|o| o.peak_rss_bytes), 1e-9),
        "refused_gb" => scaled(values(|o| o.refused_bytes), 1e-9),
        _ => None,
    }
}

/// The whole file.
pub fn csv(rows: &[Row]) -> String {
    let mut text = format!("{HEAD}\n");
    for Row { experiment, dataset, setting, method, metric, estimate, paper, .. } in rows {
        let open = String::new;
        let (low, high) = estimate.bounds().map_or((open(), open()), |(low, high)| (low.to_string(), high.to_string()));
        let paper = paper.map_or(open(), |paper| paper.to_string());
        let (method, trials, mean) = (method.name(), estimate.trials, estimate.mean);
        text += &format!("{experiment},{dataset},{setting},{method},{metric},{trials},{mean},{low},{high},{paper}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment;

    fn records() -> Vec<Record> {
        let line = |trial: usize, method: &str, values: &str| {
            Record::parse(&format!("auto,square,16,{trial},7,{method},{values}")).unwrap()
        };
        vec![
            line(0, "SPA", "1,0.5,0.9,,,,,,,,,,,,,"),
            line(1, "SPA", "0,0.7,0.8,,,,,,,,,,,,,"),
            line(0, "K estimate", ",,,10,1,1,,,,,,,,,,"),
            line(1, "K estimate", ",,,9,0,0,,,,,,,,,,"),
            line(2, "K estimate", ",,,10,1,0,,,,,,,,,,"),
        ]
    }

    #[test]
    fn rates_are_over_the_trials_they_speak_of() {
        let rows = summarize(&experiment::all(), records().iter());
        let find = |dataset: &str, metric: &str| {
            let row = rows.iter().find(|row| row.dataset == dataset && row.metric == metric).unwrap();
            (row.estimate.trials, row.estimate.mean)
        };
        assert_eq!(find("square", "success_rate"), (2, 0.5));
        assert_eq!(find("square", "rank_right"), (3, 2.0 / 3.0));
        assert_eq!(find("square", "clear"), (3, 1.0 / 3.0));
        assert_eq!(find("all", "right_if_clear"), (1, 1.0));
        assert_eq!(find("all", "right_if_unclear"), (2, 0.5));
    }

    #[test]
    fn the_file_has_the_columns_that_others_rely_on() {
        let text = csv(&summarize(&experiment::all(), records().iter()));
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("experiment,dataset,setting,method,metric,trials,mean,low,high,paper"));
        assert!(lines.all(|line| line.split(',').count() == 10));
        assert!(!text.contains("NaN"));
        let one = Record::parse("table1,dirichlet,40,0,7,SPA,1,0.5,0.75,,,,,,,,,,,,,").unwrap();
        let text = csv(&summarize(&experiment::all(), [one].iter()));
        assert!(text.contains("\ntable1,dirichlet,40,SPA,rae,1,0.75,,,0.7686\n"), "{text}");
    }
}
