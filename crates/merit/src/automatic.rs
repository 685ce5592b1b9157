//! Choosing lambda without the truth: rules that give the same anchors for `X` times any constant.
//!
//! ```text
//! A0 = SPA(X, K);  R0 = ||X - X(:,A0) H0||_F^2 (simplex least squares);  u = R0 / (N - K)
//! A_c = anchors of MERIT at lambda = c u, for c in {1, 1/2, 1/4};  rho(A) = ||X - X(:,A) H_A||_F^2
//! take the A_c with the smallest rho; but take A0 if rho(A0) < 0.99 rho of it
//! P   = A0 and A_1 together, from which the column nearest to the hull of the others leaves until K are left
//! take P instead if rho(P) < 0.99 rho of what was taken
//! ```
//!
//! There is no `P` where `K > M + 1` (more corners than a simplex has) or where the two have more than 500 columns together.
//!
//! Why `u`: using itself pays for a column while `lambda < ||r_l||^2`, and `u` is what `||r_l||^2` is on average. The paper's
//! rule, `||X - X(:,A0) H0||_F / K` (half of it in our convention), grows with the scale of `X` where the fit grows with its
//! square, so it suits one scale only.

use crate::least_squares::{Constraint, DEFAULT_TOLERANCE, solve_until, squared_residual_until};
use crate::progress::Interrupt;
use crate::settings::{Declaration, Value};
use crate::spa;
use merit_linalg::DataMatrix;
use merit_linalg::shards::Shards;
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::OsStr;

/// How lambda is found. In files it is the word or the number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Regularization {
    /// The best of three runs by refit residual, checked against SPA.
    #[default]
    Auto,
    /// One run, checked against SPA.
    AutoFast,
    /// The paper's rule, from SPA's residual; not scale-free.
    Paper,
    /// This number; 0 is MERIT(0).
    Value(f64),
}

impl Regularization {
    /// Multiples of the unit `u` that are tried.
    pub(crate) fn multiples(self) -> &'static [f64] {
        match self {
            Self::Auto => &[1.0, 0.5, 0.25],
            Self::AutoFast => &[1.0],
            Self::Paper | Self::Value(_) => &[],
        }
    }
}

/// The rules that have a word.
const RULES: [(&str, Regularization); 3] =
    [("auto", Regularization::Auto), ("auto-fast", Regularization::AutoFast), ("paper", Regularization::Paper)];

impl Value for Regularization {
    fn parse(text: &OsStr, declaration: &Declaration) -> Option<Self> {
        let word = RULES.iter().find(|(word, _)| text == *word);
        word.map(|(_, rule)| *rule).or_else(|| f64::parse(text, declaration).map(Self::Value))
    }

    fn show(&self, declaration: &Declaration) -> String {
        match self {
            Self::Value(lambda) => lambda.show(declaration),
            rule => RULES.iter().find(|(_, other)| rule == other).expect("every rule has a word").0.to_string(),
        }
    }

    fn is_in_range(&self, declaration: &Declaration) -> bool {
        !matches!(self, Self::Value(lambda) if !lambda.is_in_range(declaration))
    }

    fn expected(_: &Declaration) -> String {
        "auto, auto-fast, paper, or a number that is at least 0".to_string()
    }
}

impl Serialize for Regularization {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(lambda) => serializer.serialize_f64(*lambda),
            rule => serializer.serialize_str(&rule.show(&Declaration::new(""))),
        }
    }
}

impl<'de> Deserialize<'de> for Regularization {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Word(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(lambda) => Ok(Self::Value(lambda)),
            Written::Word(word) => {
                let rule = RULES.iter().find(|(name, _)| *name == word).map(|(_, rule)| *rule);
                rule.ok_or_else(|| serde::de::Error::custom(format!("`{word}` is no rule for lambda")))
            }
        }
    }
}

/// What is to replace the best set of MERIT must be clearly better.
const MARGIN: f64 = 0.99;
/// Refit residuals below this part of `||X||_F^2` are rounding error, and equal.
const ROUNDING: f64 = 1e-24;

/// Where a set of anchors comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// SPA.
    Spa,
    /// MERIT at some regularization.
    Merit,
    /// SPA's set and that of MERIT at `u` together, [pruned](prune).
    Pruned,
}

/// One set of anchors that was considered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Who found it.
    pub source: Source,
    /// Lambda of that run; none for other sources.
    pub regularization: Option<f64>,
    /// Lambda as a multiple of the unit `u`.
    pub multiple: Option<f64>,
    /// Its anchors.
    pub anchors: Vec<usize>,
    /// `||X - X(:,A) H||_F^2` with `H` on the simplex.
    pub squared_residual: f64,
    /// Whether the run's result is this one.
    pub chosen: bool,
}

impl Candidate {
    /// A set and its refit, not chosen.
    pub fn new(source: Source, anchors: Vec<usize>, squared_residual: f64) -> Self {
        Self { source, regularization: None, multiple: None, anchors, squared_residual, chosen: false }
    }
}

/// What SPA gives the rules: its anchors and how well they fit.
#[derive(Clone, Debug)]
pub struct SpaFit {
    /// SPA's anchors, `A0`.
    pub anchors: Vec<usize>,
    /// `R0`.
    pub squared_residual: f64,
    columns: usize,
}

impl SpaFit {
    /// SPA with `rank` anchors and its refit; of no use once somebody asked for the end.
    pub fn of(x: &DataMatrix, rank: usize, interrupt: &Interrupt) -> Self {
        let anchors = spa::select(x, rank, interrupt).anchors;
        Self { squared_residual: refit(x, &anchors, interrupt), anchors, columns: x.cols() }
    }

    /// The unit of lambda, `R0 / (N - K)`.
    pub fn unit(&self) -> f64 {
        self.squared_residual / (self.columns.saturating_sub(self.anchors.len()).max(1)) as f64
    }

    /// The paper's lambda, in our convention: half of `sqrt(R0) / K`.
    pub fn paper(&self) -> f64 {
        0.5 * self.squared_residual.sqrt() / self.anchors.len() as f64
    }
}

/// `rho(A)`: how well these columns explain all; of no use once somebody asked for the end.
pub fn refit(x: &DataMatrix, anchors: &[usize], interrupt: &Interrupt) -> f64 {
    squared_residual_until(interrupt, x, &x.dense_columns(anchors), Constraint::Simplex, DEFAULT_TOLERANCE)
}

/// The position of the candidate to take: the best of MERIT's (the first of equals), unless SPA's is clearly better, or the
/// pruned set clearly better than either.
///
/// `square` is `||X||_F^2`. With no candidate from MERIT it is SPA's.
pub fn choose(candidates: &[Candidate], square: f64) -> usize {
    let rho = |i: usize| candidates[i].squared_residual.max(ROUNDING * square);
    let from = |source: Source| (0..candidates.len()).filter(move |&i| candidates[i].source == source);
    let best = |source: Source| from(source).reduce(|a, b| if rho(b) < rho(a) { b } else { a });
    let clearly = |new: Option<usize>, old: usize| new.filter(|&new| rho(new) < MARGIN * rho(old)).unwrap_or(old);
    let Some(merit) = best(Source::Merit) else {
        return best(Source::Spa).expect("there is a candidate");
    };
    clearly(best(Source::Pruned), clearly(best(Source::Spa), merit))
}

/// `rank` of these columns: again and again the one nearest to the hull of the others leaves.
///
/// A mixture lies within the noise of that hull, an anchor stands out of it. One small least squares problem a column, and
/// after a removal one for each column that had leant on the one removed; nothing depends on `N`. Once somebody asked for the
/// end, the columns that are left are of no use.
///
/// ```
/// use merit::{DataMatrix, DenseMatrix, automatic::prune, progress::Interrupt};
/// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![2.0, 0.0, 1.0, 1.1, 0.0, 2.0, 0.1, 0.1]));
/// assert_eq!(prune(&x, vec![0, 1, 2, 3], 3, &Interrupt::never()), [0, 2, 3]);
/// ```
pub fn prune(x: &DataMatrix, mut columns: Vec<usize>, rank: usize, interrupt: &Interrupt) -> Vec<usize> {
    let stand_out = |columns: &[usize], i: usize| {
        let others: Vec<usize> = columns.iter().copied().filter(|&n| n != columns[i]).collect();
        let (column, others_of_x) = (x.select(&[columns[i]]), x.dense_columns(&others));
        let fit = solve_until(interrupt, &column, &others_of_x, Constraint::Simplex, DEFAULT_TOLERANCE);
        let leans_on: Vec<usize> =
            others.iter().zip(fit.h.col(0)).filter(|(_, w)| **w > 0.0).map(|(&n, _)| n).collect();
        (fit.squared_residual, leans_on)
    };
    let mut known: Vec<Option<(f64, Vec<usize>)>> = vec![None; columns.len()];
    while columns.len() > rank.max(1) && !interrupt.asked() {
        let missing = known.par_iter_mut().enumerate().filter(|(_, known)| known.is_none());
        missing.filter(|_| !interrupt.asked()).for_each(|(i, known)| *known = Some(stand_out(&columns, i)));
        let distance = |i: usize| known[i].as_ref().map_or(0.0, |known| known.0);
        let nearest = (0..columns.len()).reduce(|a, b| if distance(b) < distance(a) { b } else { a });
        let removed = nearest.expect("there are columns");
        let gone = columns.remove(removed);
        known.remove(removed);
        for known in &mut known {
            known.take_if(|(_, leans_on)| leans_on.contains(&gone));
        }
    }
    columns
}

/// `||X - mean column||_F^2`: what one column for all would leave.
pub fn spread(x: &DataMatrix) -> f64 {
    let columns = Shards::new(x.cols());
    let mut mean = columns.sum_vectors(x.rows(), |l, sum| x.add_to(l, 1.0, sum));
    mean.iter_mut().for_each(|m| *m /= x.cols() as f64);
    let constant = merit_linalg::dense::dot(&mean, &mean);
    match x {
        DataMatrix::Dense(x) => {
            columns.sum(|l| x.col(l).iter().zip(&mean).map(|(x, m)| (x - m) * (x - m)).sum::<f64>())
        }
        DataMatrix::Sparse(_) => columns.sum(|l| x.squared_norm(l) - 2.0 * x.dot(l, &mean) + constant),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::least_squares::squared_residual;
    use crate::synthetic::Dirichlet;

    fn candidate(source: Source, squared_residual: f64) -> Candidate {
        Candidate::new(source, vec![], squared_residual)
    }

    #[test]
    fn a_pruned_set_needs_one_percent_to_win() {
        let of = |pruned: f64| {
            let (spa, merit) = (candidate(Source::Spa, 0.9), candidate(Source::Merit, 1.0));
            choose(&[spa, merit, candidate(Source::Pruned, pruned)], 10.0)
        };
        assert_eq!((of(0.88), of(0.895), of(0.95)), (2, 0, 0));
    }

    /// The slow twin computes every distance anew after every removal.
    #[test]
    fn pruning_remembers_only_what_is_still_true() {
        let twin = |x: &DataMatrix, mut columns: Vec<usize>, rank: usize| {
            while columns.len() > rank {
                let distance = |i: usize| {
                    let mut others = columns.clone();
                    let column = others.remove(i);
                    let others = x.dense_columns(&others);
                    squared_residual(&x.select(&[column]), &others, Constraint::Simplex, DEFAULT_TOLERANCE)
                };
                let nearest = (0..columns.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap();
                columns.remove(nearest);
            }
            columns
        };
        for seed in 0..10 {
            let data = Dirichlet { snr_db: 15.0, seed, ..Dirichlet::new(6, 24, 5) }.generate().unwrap();
            let x = DataMatrix::from(data.x);
            let all: Vec<usize> = (0..24).collect();
            assert_eq!(prune(&x, all.clone(), 5, &Interrupt::never()), twin(&x, all, 5), "seed {seed}");
        }
    }

    #[test]
    fn spa_needs_one_percent_to_win() {
        let of = |spa: f64| {
            choose(&[candidate(Source::Spa, spa), candidate(Source::Merit, 1.0), candidate(Source::Merit, 1.0)], 10.0)
        };
        assert_eq!((of(0.98), of(0.995), of(2.0)), (0, 1, 1));
        assert_eq!(
            choose(&[candidate(Source::Spa, 1e-30), candidate(Source::Merit, 5e-30)], 1.0),
            1,
            "rounding error decides nothing"
        );
        assert_eq!(choose(&[candidate(Source::Merit, 2.0), candidate(Source::Merit, 1.0)], 1.0), 1);
    }
}
