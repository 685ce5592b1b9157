//! How many communities? Three witnesses side by side, of which the middle one is believed.
//!
//! ```text
//! held-out edges  a tenth of the edges is put aside; k = 1, 2, ... communities are fitted to the others, and those who make the
//!                 edges put aside likely, above what degrees alone do, win; of ks within one standard error of the best the smallest
//! Bethe-Hessian   negative eigenvalues of (r^2 - 1) I - r A + D,  r^2 = sum d^2 / sum d - 1: what can be distinguished from noise
//! eigengap        k maximizes (theta_k - theta_{k+1}) / largest later spacing, of the regularized operator; k = 1, 2, ...
//! ```
//!
//! Shares for held-out edges begin at a fine [partition](mod@crate::partition), joined pair by pair, and are refined: all numbers cost about as much as the largest. Groups without shares would not do: nodes in two communities are a
//! group of their own then. All look at the largest connected part; the other parts then have the communities that their edges claim beside it ([`detect`](mod@crate::detect)). Of graphs with more
//! than half a million edges, or fewer than 200, nothing is held out. The number is the middle one of the three, otherwise the Bethe-Hessian's, and is called clear where two
//! witnesses say it. The sweep ends when six numbers in a row did not do better, or at an eighth of the nodes (in small graphs at a half, or 8); the Bethe-Hessian stops counting where its vectors would hold more than 1.6 million numbers, the eigengap at 22. Where edges lead from group to group, both count negative
//! eigenvalues as well (the Bethe-Hessian with `-r`). How often each was right is in
//! `benchmarks/README.md`. References: A. Saade, F. Krzakala, L. Zdeborova, NeurIPS 2014; T. Kawamoto, Y. Kabashima, Sci. Rep. 7, 2017.

use crate::graph::Graph;
use crate::merging::Merging;
use crate::operator::Operator;
use crate::partition::partition;
use crate::parts::Parts;
use crate::refine::refine;
use crate::spectrum::{bethe_hessian, between_groups, by_energy, degrees, leading, row_energies};
use crate::thinning::thinned;
use merit::settings::{Declaration, Value};
use merit::words::counted;
use merit_linalg::eigen::Which;
use merit_linalg::interrupt::Interrupt;
use merit_linalg::{DenseMatrix, SparseMatrix};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::OsStr;

/// Edges up to which some are held out.
const FEW_EDGES: usize = 500_000;
/// Edges below which those held out would be too few to say anything.
const FEWEST_EDGES: usize = 200;
/// One edge in this many is held out.
const ASIDE: u64 = 10;
/// How fine the groups are that are joined; finer where they are too few, coarser where they are too many.
const RESOLUTIONS: [f64; 3] = [4.0, 16.0, 1.0];
/// Numbers in a row that did not do better, after which the sweep ends.
const PATIENCE: usize = 6;
/// Groups at most that are joined pair by pair.
const MOST_GROUPS: usize = 1000;
/// Numbers in the eigenvectors that the Bethe-Hessian may take.
const VECTORS: usize = 1_600_000;
/// Eigenpairs to begin with.
const PAIRS: usize = 16;

/// A number, or numbers to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// This many.
    Exactly(usize),
    /// The best of these.
    Between(usize, usize),
}

impl Value for Number {
    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        let text = text.to_str()?;
        match text.split_once("..") {
            Some((least, most)) => Some(Self::Between(least.parse().ok()?, most.trim_start_matches('=').parse().ok()?)),
            None => text.parse().ok().map(Self::Exactly),
        }
    }

    fn show(&self, _: &Declaration) -> String {
        match self {
            Self::Exactly(number) => number.to_string(),
            Self::Between(least, most) => format!("{least}..{most}"),
        }
    }

    fn is_in_range(&self, _: &Declaration) -> bool {
        match self {
            Self::Exactly(number) => *number >= 1,
            Self::Between(least, most) => *least >= 1 && most >= least,
        }
    }

    fn expected(_: &Declaration) -> String {
        "a whole number, at least 1, a range such as 2..20".to_string()
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Exactly(number) => serializer.serialize_u64(*number as u64),
            Self::Between(..) => serializer.serialize_str(&self.show(&Declaration::new(""))),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(usize),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(number) => Ok(Self::Exactly(number)),
            Written::Text(text) => Self::parse(OsStr::new(&text), &Declaration::new(""))
                .ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not a number of communities"))),
        }
    }
}

/// The estimate, with what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The number to use.
    pub communities: usize,
    /// Whether another witness says the same. Otherwise it is a guess.
    pub clear: bool,
    /// What the held-out edges say; none where there were too many edges, or too few.
    pub held_out: Option<usize>,
    /// What the Bethe-Hessian says.
    pub bethe_hessian: usize,
    /// What the eigengap says.
    pub eigengap: usize,
    /// How likely `k` communities made the held-out edges, above what degrees alone do.
    pub sweep: Vec<Trial>,
    /// The leading eigenvalues.
    pub eigenvalues: Vec<f64>,
}

/// One number of communities, tried on held-out edges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// How many.
    pub communities: usize,
    /// Mean logarithm of the likelihood of an edge.
    pub gain: f64,
    /// Its standard error.
    pub error: f64,
}

/// Hears all witnesses, about numbers in this range. Meaningless after an interrupt.
pub fn estimate(graph: &Graph, least: usize, most: Option<usize>, interrupt: &Interrupt) -> Estimate {
    let parts = Parts::of(graph, graph.record.components.max(1));
    let part = parts.part(0, 1);
    let adjacency = part.adjacency.as_ref();
    let nodes = adjacency.cols();
    let ceiling = (nodes / 8).max((nodes / 2).clamp(1, 8));
    let within = |count: usize| parts.total_beside(count).clamp(least, most.unwrap_or(usize::MAX).max(least));
    let (operator, wanted) = (Operator::Regularized(None), (PAIRS + 9).min(nodes));
    let mut pairs = leading(adjacency, operator, wanted, Which::Largest, interrupt);
    let between = between_groups(adjacency, operator, &pairs.values, interrupt);
    if between {
        pairs = leading(adjacency, operator, wanted, Which::Magnitude, interrupt);
    }
    let sizes: Vec<f64> = pairs.values.iter().map(|value| if between { value.abs() } else { *value }).collect();
    let eigengap = within(from_eigenvalues(&sizes));
    let most_pairs = ceiling.min((VECTORS / nodes.max(1)).max(PAIRS));
    let count = |side: f64| bethe_hessian(adjacency, side, most_pairs, interrupt);
    let counted = count(1.0).max(1) + if between { count(-1.0) } else { 0 };
    let bethe_hessian = within(counted.min(most_pairs.max(1)));
    let highest = most.unwrap_or(usize::MAX).min(ceiling);
    let order = by_energy(&row_energies(&pairs.vectors));
    let sweep = match adjacency.nnz() / 2 {
        FEWEST_EDGES..=FEW_EDGES => held_out(adjacency, least.min(highest), highest, &order, interrupt),
        _ => Vec::new(),
    };
    let held_out = choose(&sweep).map(within);
    let communities = held_out.map_or(bethe_hessian, |held_out| middle([held_out, bethe_hessian, eigengap]));
    let said = [held_out, Some(bethe_hessian), Some(eigengap)];
    let clear = said.iter().filter(|number| **number == Some(communities)).count() > 1;
    Estimate { communities, clear, held_out, bethe_hessian, eigengap, sweep, eigenvalues: pairs.values }
}

fn middle(mut numbers: [usize; 3]) -> usize {
    numbers.sort_unstable();
    numbers[1]
}

/// The least number within a standard error of the best.
fn choose(sweep: &[Trial]) -> Option<usize> {
    let best = sweep.iter().max_by(|a, b| a.gain.total_cmp(&b.gain).then(b.communities.cmp(&a.communities)))?;
    sweep.iter().filter(|trial| trial.gain >= best.gain - best.error).map(|trial| trial.communities).min()
}

/// Number of communities from the leading eigenvalues, largest first: the largest gap, relative to later spacings.
///
/// ```
/// use merit_communities::number_of_communities::from_eigenvalues;
/// assert_eq!(from_eigenvalues(&[30.0, 20.0, 19.0, 6.0, 5.8, 5.7, 5.5, 5.4]), 3);
/// assert_eq!(from_eigenvalues(&[30.0, 6.0, 5.8, 5.7, 5.5, 5.4]), 1);
/// ```
pub fn from_eigenvalues(values: &[f64]) -> usize {
    let spacings: Vec<f64> = values.windows(2).map(|pair| pair[0] - pair[1]).collect();
    let mut best = (1, 0.0);
    // Three later spacings at least, to measure against.
    for k in 1..=spacings.len().saturating_sub(3) {
        let later = spacings[k..].iter().copied().fold(0.0, f64::max);
        let ratio = if later > 0.0 { spacings[k - 1] / later } else { 0.0 };
        if ratio > best.1 {
            best = (k, ratio);
        }
    }
    best.0
}

/// How likely each number of communities makes edges that it has not seen.
fn held_out(adjacency: &SparseMatrix, least: usize, most: usize, order: &[usize], interrupt: &Interrupt) -> Vec<Trial> {
    let (train, aside) = thinned(adjacency, ASIDE, 0);
    let fits = |groups: usize| (least..=MOST_GROUPS).contains(&groups);
    let mut found = RESOLUTIONS.iter().map(|&resolution| partition(&train, order, resolution, interrupt));
    let Some((group, groups)) = found.find(|(_, groups)| fits(*groups)).filter(|_| !aside.is_empty()) else {
        return Vec::new();
    };
    let numbers = std::iter::successors(Some(least.max(1)), |count| Some(count + 1 + count / 8));
    let numbers: Vec<usize> = numbers.take_while(|count| *count <= most.min(groups)).collect();
    // Joined from the finest on; tried from the coarsest.
    let mut merging = Merging::new(&train, &group, groups, interrupt);
    let mut begins = Vec::new();
    for &count in numbers.iter().rev() {
        while merging.groups() > count && !interrupt.asked() {
            merging.join();
        }
        begins.push(merging.numbered());
    }
    let (mut trials, mut best, mut since) = (Vec::new(), f64::NEG_INFINITY, 0);
    for (&count, number) in numbers.iter().zip(begins.iter().rev()) {
        if since == PATIENCE || interrupt.asked() {
            break;
        }
        let begin = DenseMatrix::from_fn(count, train.cols(), |k, i| {
            0.1 / count as f64 + if number[group[i]] == k { 0.9 } else { 0.0 }
        });
        let shares = refine(&train, &begin, None, 10, 1e-4, interrupt).shares;
        let trial = judged(&train, &shares, &aside, count);
        (best, since) = if trial.gain > best { (trial.gain, 0) } else { (best, since + 1) };
        trials.push(trial);
    }
    trials
}

/// The mean logarithm of the likelihood of the edges `aside`, above what degrees alone give. A tenth of it is left to chance: no edge is
/// impossible.
fn judged(adjacency: &SparseMatrix, shares: &DenseMatrix, aside: &[(usize, usize)], count: usize) -> Trial {
    let degrees = degrees(adjacency);
    let mut sums = vec![0.0; count];
    (0..shares.cols()).for_each(|i| sums.iter_mut().zip(shares.col(i)).for_each(|(sum, v)| *sum += degrees[i] * v));
    let total: f64 = degrees.iter().sum();
    let gain = |&(i, j): &(usize, usize)| {
        let shared = shares.col(i).iter().zip(shares.col(j)).zip(&sums);
        let rate: f64 = shared.map(|((a, b), sum)| if *sum > 0.0 { a * b * total / sum } else { 0.0 }).sum();
        (0.9 * rate + 0.1).ln()
    };
    let gains: Vec<f64> = aside.iter().map(gain).collect();
    let n = gains.len() as f64;
    let mean = gains.iter().sum::<f64>() / n;
    let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / n;
    // Between two numbers most of that is the same for both: a third is what their difference has, about.
    Trial { communities: count, gain: mean, error: (variance / n).sqrt() / 3.0 }
}

impl Estimate {
    /// In words.
    pub fn statement(&self) -> String {
        let held_out = self.held_out.map_or(String::new(), |number| format!("held-out edges say {number}, "));
        let verdict = match self.clear {
            true => "clear",
            false => "NOT clear: a guess; give `communities` if you know better",
        };
        format!(
            "{} (estimated, {verdict}): {held_out}the Bethe-Hessian {}, the eigengap {}",
            counted(self.communities, "community", "communities"),
            self.bethe_hessian,
            self.eigengap
        )
    }
}
