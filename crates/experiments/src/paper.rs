//! The paper's numbers, transcribed: tables I, II and IV, figure 7's memory, and what the text says about the figures.
//!
//! The figures themselves print no numbers; a value that the text gives only as a bound ("less than 0.1 GB") is a claim of
//! its experiment, not a number here.

use std::collections::BTreeMap;
use std::sync::OnceLock;

const NUMBERS: &str = include_str!("paper.csv");

/// Radians times this are the unit of the paper's MRSA. The paper says "normalized to [0, 100]", but its numbers are not
/// 100/pi times the radians of its own recipe; this factor was found by running the authors' program.
pub const MRSA_UNIT: f64 = 106.3;

/// What the paper has at this place, if it prints a number there.
///
/// ```
/// assert_eq!(merit_experiments::paper::value("table1", "dirichlet", "60", "SPA", "success_rate"), Some(0.42));
/// assert_eq!(merit_experiments::paper::value("table1", "dirichlet", "60", "MERIT auto", "success_rate"), None);
/// ```
pub fn value(experiment: &str, dataset: &str, setting: &str, method: &str, metric: &str) -> Option<f64> {
    static TABLE: OnceLock<BTreeMap<&'static str, f64>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let entry = |line: &'static str| {
            let (place, value) = line.rsplit_once(',')?;
            Some((place, value.parse().ok()?))
        };
        NUMBERS.lines().skip(1).filter_map(entry).collect()
    });
    table.get(format!("{experiment},{dataset},{setting},{method},{metric}").as_str()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment;

    #[test]
    fn every_number_belongs_to_a_recipe() {
        let experiments = experiment::all();
        for line in NUMBERS.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let [name, dataset, setting, _, metric, value] = fields[..] else { panic!("{line}") };
            assert!(value.parse::<f64>().is_ok(), "{line}");
            let experiment = experiments.iter().find(|e| e.name == name).unwrap_or_else(|| panic!("{line}"));
            assert!(experiment.metrics.contains(&metric), "{line}");
            assert!(experiment.cases.iter().any(|c| c.dataset == dataset && c.setting == setting), "{line}");
        }
        assert_eq!(NUMBERS.lines().count(), 1 + 36 + 3 + 336 + 35 + 6);
    }
}
