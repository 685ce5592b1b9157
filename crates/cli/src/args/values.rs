//! The values of options: names to choose from, and numbers with their bounds.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use merit::Method;
use merit::settings::{Choice, Declaration};
use merit_dataset::{ReadOptions, Samples};
use std::time::Duration;

macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($variant:ident),+ }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        pub enum $name { $($variant),+ }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str(self.to_possible_value().expect("no variant is skipped").get_name())
            }
        }
    };
}

names!(NoiseName { Outward, Gaussian });
names!(BaselineName { Numpy, FastGradient, Scalar });
names!(MeanName { Column, Own });
names!(ExperimentName { Fig2, Fig3, Fig4a, Fig4b, Fig5, Fig6, Fig7, Table1, Table2, Table4, Auto, Outliers, All });

merit::choices! {
    /// What a sample is in a file.
    pub enum SamplesAre {
        /// A column, as the library has it.
        #[default]
        Columns = "columns",
        /// A row, as scikit-learn has it.
        Rows = "rows",
    }
}

merit::settings! {
    /// How a file with a matrix is to be understood.
    pub struct MatrixReading {
        /// What the samples are in the file
        samples: SamplesAre = SamplesAre::Columns, Declaration::new("WHAT");
        /// Array of an .npz or variable of a .mat to read; auto takes the only one
        variable: Option<String> = None, Declaration::new("NAME").or("auto");
    }
}

impl MatrixReading {
    pub fn options(&self) -> ReadOptions {
        let samples = match self.samples {
            SamplesAre::Columns => Samples::Columns,
            SamplesAre::Rows => Samples::Rows,
        };
        ReadOptions { samples, variable: self.variable.clone(), ..Default::default() }
    }
}

/// One of the words of a choice, for flags that are not settings.
pub(super) fn choice<C: Choice + Send + Sync>() -> ValueParser {
    let words = PossibleValuesParser::new(C::ALL.iter().map(|choice| choice.name()));
    let find = |word: String| C::ALL.iter().copied().find(|choice| choice.name() == word).expect("one of the words");
    words.map(find).into()
}

/// A method of `compare`: a name for a method and some of its options.
#[derive(Clone, Copy, Debug)]
pub struct ComparedMethod {
    pub name: &'static str,
    pub method: Method,
    pub options: &'static [&'static str],
}

/// Methods with other options than their own.
const VARIANTS: [ComparedMethod; 5] = {
    const fn of(name: &'static str, method: Method, options: &'static [&'static str]) -> ComparedMethod {
        ComparedMethod { name, method, options }
    }
    [
        of("merit-0", Method::Merit, &["--regularization", "0"]),
        of("merit-paper", Method::Merit, &["--regularization", "paper"]),
        of("merit-auto-fast", Method::Merit, &["--regularization", "auto-fast"]),
        of("xray-dist", Method::Xray, &["--xray-criterion", "dist"]),
        of("xray-greedy", Method::Xray, &["--xray-criterion", "greedy"]),
    ]
};

impl ComparedMethod {
    /// All methods as they are: what is run unless others are named.
    pub fn defaults() -> impl Iterator<Item = Self> {
        Method::ALL.into_iter().map(|method| Self { name: method.name(), method, options: &[] })
    }

    fn all() -> impl Iterator<Item = Self> {
        Self::defaults().chain(VARIANTS)
    }
}

/// What stands below the options of `compare`.
pub(super) fn compared_help() -> String {
    let names: Vec<&str> = ComparedMethod::all().map(|method| method.name).collect();
    format!(
        "Methods: {}.\n\
         Each runs in a process of its own, so that the peak memory is its own; seconds do not include reading the file.",
        names.join(", ")
    )
}

pub(super) fn parse_rank(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&rank| rank > 0).ok_or("the rank is a whole number, at least 1".to_string())
}

pub(super) fn parse_threads(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| (1..=4096).contains(n)).ok_or("expected a whole number from 1 to 4096".to_string())
}

/// A number and its unit, in either case: `8GB` is `8 * 1e9`.
fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (text[..digits].parse::<f64>().ok()?, text[digits..].trim());
    units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)).map(|(_, factor)| number * factor)
}

pub(super) fn parse_time(text: &str) -> Result<Duration, String> {
    let seconds = with_unit(text, &[("", 1.0), ("s", 1.0), ("m", 60.0), ("min", 60.0), ("h", 3600.0)]);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or("expected a time, as 60s, 10min or 2h".to_string())
}

pub(super) fn parse_bytes(text: &str) -> Result<u64, String> {
    let binary = |power| f64::from(1_u32 << 10).powi(power);
    let decimal = [("", 1.0), ("b", 1.0), ("kb", 1e3), ("mb", 1e6), ("gb", 1e9), ("tb", 1e12)];
    let binary = [("kib", binary(1)), ("mib", binary(2)), ("gib", binary(3)), ("tib", binary(4))];
    let bytes = with_unit(text, &[&decimal[..], &binary[..]].concat());
    bytes
        .filter(|&bytes| bytes >= 1.0)
        .map(|bytes| bytes as u64)
        .ok_or("expected a size, as 500MB, 8GB or 1.5GiB".to_string())
}

pub(super) fn parse_iterations(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&n| n > 0).ok_or("expected a whole number, at least 1".to_string())
}

pub(super) fn parse_number(text: &str, good: impl Fn(f64) -> bool, expected: &str) -> Result<f64, String> {
    text.parse().ok().filter(|&x: &f64| x.is_finite() && good(x)).ok_or(format!("expected {expected}"))
}

pub(super) fn parse_nonnegative(text: &str) -> Result<f64, String> {
    parse_number(text, |x| x >= 0.0, "a number, at least 0")
}

pub(super) fn parse_compared(text: &str) -> Result<ComparedMethod, String> {
    let names = || ComparedMethod::all().map(|method| method.name).collect::<Vec<_>>().join(", ");
    ComparedMethod::all().find(|method| method.name == text).ok_or_else(|| format!("expected some of {}", names()))
}
