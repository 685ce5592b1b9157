//! `results.csv`: a line for every method on every trial.
//!
//! ```text
//! experiment,dataset,setting,trial,seed,method,success,mrsa_radians,rae,rank,rank_right,clear,peak_rss_bytes,
//!     coherence,similarity_count,clustering_accuracy,columns,refused_bytes,src,src_kept         (one line)
//! table1,dirichlet,40,17,2749106532741093,MERIT,1,0.5138,0.7689,,,,,,,,,,,,,
//! ```
//!
//! Numbers are written so that reading them back gives the same bits; what a method does not give is empty. Names hold
//! no commas, so there is nothing to quote.
//!
//! ```
//! use merit_experiments::record::Record;
//! let line = "table1,dirichlet,40,17,27491,SPA,1,0.5,0.75,,,,,,,,,,,,,";
//! assert_eq!(Record::parse(line).unwrap().line(), line);
//! assert!(Record::parse("table1,dirichlet,40,17,27491,SPA,1,0.5").is_none()); // cut short
//! ```

use crate::method::Outcome;

/// The first line of `results.csv`.
pub fn head() -> String {
    format!("experiment,dataset,setting,trial,seed,method,{}", Outcome::NAMES.join(","))
}

/// One method on one trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// What was done.
    pub key: Key,
    /// The seed of the trial's data.
    pub seed: u64,
    /// What came of it.
    pub outcome: Outcome,
}

/// What a line of `results.csv` is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Which experiment.
    pub experiment: String,
    /// Which data.
    pub dataset: String,
    /// Which setting.
    pub setting: String,
    /// Which trial, from 0.
    pub trial: usize,
    /// Which method, by its name in files.
    pub method: String,
}

impl Record {
    /// The line, without its end.
    pub fn line(&self) -> String {
        let Key { experiment, dataset, setting, trial, method } = &self.key;
        let value = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let values: Vec<String> = self.outcome.values().into_iter().map(value).collect();
        format!("{experiment},{dataset},{setting},{trial},{},{method},{}", self.seed, values.join(","))
    }

    /// The record of a line; `None` if the line is not whole.
    pub fn parse(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split(',').collect();
        let [experiment, dataset, setting, trial, seed, method, values @ ..] = fields.as_slice() else { return None };
        let parse = |field: &&str| match *field {
            "" => Some(None),
            text => text.parse().ok().filter(|value: &f64| value.is_finite()).map(Some),
        };
        let values: Vec<Option<f64>> = values.iter().map(parse).collect::<Option<_>>()?;
        let words = [*experiment, *dataset, *setting, *method];
        if words.iter().any(|word| word.is_empty()) {
            return None;
        }
        let [experiment, dataset, setting, method] = words.map(String::from);
        Some(Self {
            key: Key { experiment, dataset, setting, trial: trial.parse().ok()?, method },
            seed: seed.parse().ok()?,
            outcome: Outcome::of_values(&values)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_read_back_has_the_same_bits() {
        let record = Record {
            key: Key {
                experiment: "fig2".into(),
                dataset: "midpoints-outward".into(),
                setting: "10".into(),
                trial: 3,
                method: "MERIT lambda/2".into(),
            },
            seed: (1 << 53) - 1,
            outcome: Outcome { mrsa_radians: Some(0.1 + 0.2), rae: Some(1.0 / 3.0), ..Default::default() },
        };
        assert_eq!(Record::parse(&record.line()), Some(record.clone()));
        assert_eq!(record.line().split(',').count(), head().split(',').count());
    }

    #[test]
    fn no_part_of_a_line_is_taken_for_a_line() {
        let line =
            "table1,dirichlet,40,17,27491,SPA,1,0.5,0.75,8,1,0,123456,-346.5,2,0.875,5076,1024,0.29,0.39,0.5,0.25";
        assert!(Record::parse(line).is_some());
        // What is cut inside the last number cannot be seen: the missing end of the line shows it.
        let inside = line.rfind(',').unwrap();
        for end in 0..inside {
            assert!(Record::parse(&line[..end]).is_none(), "{}", &line[..end]);
        }
        assert!(Record::parse("table1,dirichlet,40,17,27491,SPA,1,NaN,0.75,,,,,,,,,,,,,").is_none());
    }
}
