//! The values of options: names to choose from, and numbers with their bounds.

use clap::ValueEnum;
use merit::automatic::Regularization;
use merit::methods::xray::Criterion;
use merit::preprocess::Normalize;
use merit::solver::KernelChoice;
use merit_linalg::kernels::Kernel;
use merit_topics::corpus::Limit;
use std::path::PathBuf;
use std::str::FromStr;

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

names!(MethodName { Merit, Spa, FastGradient, Xray, FastAnchor, NormRatio });
names!(TopicMethodName { Merit, Spa, Xray, FastAnchor, FastGradient, Lda });
names!(CommunityMethodName { Merit, Spa, Spoc, Geonmf, FastGradient });
names!(OperatorName { Adjacency, Normalized });
names!(MembershipsName { Inverse, Simplex, Floored });
names!(SwitchName { On, Off });
names!(CriterionName { Max, Dist, Greedy });
names!(NormalizeName { None, L1 });
names!(ZeroName { Auto, Drop, Keep });
names!(WeightsName { Simplex, Nonnegative });
names!(SamplesName { Columns, Rows });
names!(NoiseName { Outward, Gaussian });
names!(BaselineName { Numpy, FastGradient });
names!(MeanName { Column, Own });
names!(ExperimentName { Fig2, Fig3, Fig4a, Fig4b, Fig5, Fig6, Fig7, Table1, Table2, Table4, Auto, All });

impl From<CriterionName> for Criterion {
    fn from(name: CriterionName) -> Self {
        match name {
            CriterionName::Max => Self::Max,
            CriterionName::Dist => Self::Dist,
            CriterionName::Greedy => Self::Greedy,
        }
    }
}

impl From<NormalizeName> for Normalize {
    fn from(name: NormalizeName) -> Self {
        match name {
            NormalizeName::None => Self::None,
            NormalizeName::L1 => Self::L1,
        }
    }
}

/// A method of `compare`: a name for a method and some of its options.
#[derive(Clone, Debug)]
pub struct ComparedMethod {
    pub name: &'static str,
    pub method: MethodName,
    pub options: &'static [&'static str],
}

/// All names; the first six are run unless others are named.
const COMPARED: [ComparedMethod; 11] = {
    const fn of(name: &'static str, method: MethodName, options: &'static [&'static str]) -> ComparedMethod {
        ComparedMethod { name, method, options }
    }
    [
        of("merit", MethodName::Merit, &[]),
        of("spa", MethodName::Spa, &[]),
        of("xray", MethodName::Xray, &[]),
        of("fast-anchor", MethodName::FastAnchor, &[]),
        of("norm-ratio", MethodName::NormRatio, &[]),
        of("fast-gradient", MethodName::FastGradient, &[]),
        of("merit-0", MethodName::Merit, &["--regularization", "0"]),
        of("merit-paper", MethodName::Merit, &["--regularization", "paper"]),
        of("merit-auto-fast", MethodName::Merit, &["--regularization", "auto-fast"]),
        of("xray-dist", MethodName::Xray, &["--xray-criterion", "dist"]),
        of("xray-greedy", MethodName::Xray, &["--xray-criterion", "greedy"]),
    ]
};

impl ComparedMethod {
    pub fn defaults() -> Vec<Self> {
        COMPARED[..6].to_vec()
    }
}

/// `--regularization`, as typed and as understood.
#[derive(Clone, Debug)]
pub struct RegularizationArg {
    pub typed: String,
    pub rule: Regularization,
}

#[derive(Clone, Debug, PartialEq)]
pub enum InitArg {
    Zero,
    Spa,
    File(PathBuf),
}

impl FromStr for InitArg {
    type Err = std::convert::Infallible;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "zero" => Self::Zero,
            "spa" => Self::Spa,
            file => Self::File(file.into()),
        })
    }
}

/// `--init` as it is typed.
pub fn init_name(init: &InitArg) -> String {
    match init {
        InitArg::Zero => "zero".to_string(),
        InitArg::Spa => "spa".to_string(),
        InitArg::File(path) => path.display().to_string(),
    }
}

pub type StartArg = MaybeNumber;
pub type ReduceArg = MaybeNumber;
pub type ProjectionArg = MaybeNumber;

/// A number, or the word that stands for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaybeNumber(pub Option<usize>);

/// `--kernel`, by name.
#[derive(Clone, Copy, Debug)]
pub struct KernelArg(pub KernelChoice);

impl KernelArg {
    pub fn name(self) -> &'static str {
        match self.0 {
            KernelChoice::Fastest => Kernel::best().name(),
            KernelChoice::Scalar => "scalar",
            KernelChoice::Use(kernel) => kernel.name(),
        }
    }
}

pub(super) fn parse_rank(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&rank| rank > 0).ok_or("the rank is a whole number, at least 1".to_string())
}

pub(super) fn parse_communities(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&k| k > 0).ok_or("the number of communities is a whole number, at least 1".to_string())
}

pub(super) fn parse_part(text: &str) -> Result<f64, String> {
    parse_number(text, |x| x > 0.0 && x <= 1.0, "a number above 0, at most 1")
}

pub(super) fn parse_threads(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| (1..=4096).contains(n)).ok_or("expected a whole number from 1 to 4096".to_string())
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

pub(super) fn parse_positive(text: &str) -> Result<f64, String> {
    parse_number(text, |x| x >= 1e-300, "a number greater than 0")
}

pub(super) fn parse_regularization(text: &str) -> Result<RegularizationArg, String> {
    let rule = match text {
        "auto" => Regularization::Auto,
        "auto-fast" => Regularization::AutoFast,
        "paper" => Regularization::Paper,
        number => Regularization::Value(parse_number(
            number,
            |x| x >= 0.0,
            "auto, auto-fast, paper, or a number that is at least 0",
        )?),
    };
    Ok(RegularizationArg { typed: text.to_string(), rule })
}

pub(super) fn parse_start(text: &str) -> Result<StartArg, String> {
    let number = |text: &str| text.parse().map_err(|_| "expected auto, or a whole number".to_string());
    Ok(MaybeNumber(if text == "auto" { None } else { Some(number(text)?) }))
}

pub(super) fn parse_reduce(text: &str) -> Result<ReduceArg, String> {
    let wrong = "expected none, or pca:DIM with a whole number DIM, at least 1".to_string();
    if text == "none" {
        return Ok(MaybeNumber(None));
    }
    let dim = text.strip_prefix("pca:").and_then(|dim| dim.parse().ok()).filter(|&dim| dim > 0).ok_or(wrong)?;
    Ok(MaybeNumber(Some(dim)))
}

pub(super) fn parse_projection(text: &str) -> Result<ProjectionArg, String> {
    let wrong = "expected none, or a whole number, at least 1".to_string();
    let number = |text: &str| text.parse().ok().filter(|&dim| dim > 0).ok_or(wrong);
    Ok(MaybeNumber(if text == "none" { None } else { Some(number(text)?) }))
}

pub(super) fn parse_whole(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a whole number".to_string())
}

pub(super) fn parse_compared(text: &str) -> Result<ComparedMethod, String> {
    let names = || COMPARED.iter().map(|method| method.name).collect::<Vec<_>>().join(", ");
    COMPARED.iter().find(|method| method.name == text).cloned().ok_or_else(|| format!("expected some of {}", names()))
}

pub(super) fn parse_kernel(text: &str) -> Result<KernelArg, String> {
    let available = Kernel::available();
    Ok(KernelArg(match text {
        "auto" => KernelChoice::Fastest,
        "scalar" => KernelChoice::Scalar,
        name => KernelChoice::Use(*available.iter().find(|kernel| kernel.name() == name).ok_or_else(|| {
            let names: Vec<&str> = available.iter().map(|kernel| kernel.name()).collect();
            format!("this machine has auto, scalar, {}", names.join(", "))
        })?),
    }))
}

/// A number of documents, or a part of them: with a point it is a part.
pub(super) fn parse_limit(text: &str) -> Result<Limit, String> {
    let expected = "a number of documents (2), or a part of them from 0.0 to 1.0 is expected";
    if text.contains('.') {
        let part = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
        return part.map(Limit::Part).ok_or_else(|| expected.to_string());
    }
    text.parse().map(Limit::Count).map_err(|_| expected.to_string())
}
