//! Choosing lambda without the truth: rules that give the same anchors for `X` times any constant.
//!
//! ```text
//! A0 = SPA(X, K);  R0 = ||X - X(:,A0) H0||_F^2 (simplex least squares);  u = R0 / (N - K)
//! A  = the K largest rows of MERIT's C at lambda = u, by their 2-norm;  B = the same by their maximum
//! where A and B differ:  Q = the K rows with the largest 2-norm in [C_1, C_(1/2), C_(1/4)], the runs at u, u/2 and u/4
//!                        take Q, but A if it is clearly better;  else A
//! take A0 instead if it is clearly better
//! P  = A0 and A together, from which the column nearest to the hull of the others leaves until K are left
//! take P instead if it is clearly better
//! ```
//!
//! *Clearly better*: of the columns that are in neither set, it leaves less than 0.99 of the squared residual (simplex least
//! squares). A column that is in a set costs that set nothing, however noisy it is; without that advantage the true anchors have the
//! smallest residual far more often.
//!
//! All of this in `K - 1` dimensions where just so many stand out of the noise (`search/signal.rs`).
//!
//! With one run (`auto-fast`) `A` is `B`, by maximum, and the columns are as they are.
//!
//! There is no `P` where `K > M + 1` (more corners than a simplex has) or where the two have more than 500 columns together.
//!
//! Why `u`: using itself pays for a column while `lambda < ||r_l||^2`, and `u` is what `||r_l||^2` is on average. The paper's
//! rule, `||X - X(:,A0) H0||_F / K` (half of it in our convention), grows with the scale of `X` where the fit grows with its
//! square, so it suits one scale only.

use crate::least_squares::{Constraint, DEFAULT_TOLERANCE, solve_until, squared_residual_until, squared_residuals};
use crate::progress::Interrupt;
use crate::selection::Ranking;
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
    /// One run, two more where its rankings of the rows disagree; checked against SPA.
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
    /// What the rows of the run at `u` are ranked by. Alone, the 2-norm loses on some data what it wins on others.
    pub(crate) fn ranking(self) -> Ranking {
        if self == Self::Auto { Ranking::TwoNorm } else { Ranking::Maximum }
    }

    /// Multiples of the unit `u` that are tried after `u` itself, where that run leaves a doubt.
    pub(crate) fn further_multiples(self) -> &'static [f64] {
        match self {
            Self::Auto => &[0.5, 0.25],
            Self::AutoFast | Self::Paper | Self::Value(_) => &[],
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
                rule.ok_or_else(|| serde::de::Error::custom(format!("`{word}` is not a rule for lambda")))
            }
        }
    }
}

/// What is to replace a set must leave less than this part of what it leaves.
const MARGIN: f64 = 0.99;
/// Refit residuals below this part of `||X||_F^2` are rounding error, and equal.
const ROUNDING: f64 = 1e-24;

crate::choices! {
    /// Where a set of anchors comes from.
    pub enum Source {
        /// SPA.
        Spa = "spa",
        /// MERIT at some regularization.
        #[default]
        Merit = "merit",
        /// The rows of several runs of MERIT together.
        Pooled = "pooled",
        /// SPA's set and that of MERIT at `u` together, [pruned](prune).
        Pruned = "pruned",
    }
}

/// One set of anchors that was considered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Who found it.
    pub source: Source,
    /// What the rows of `C` were ranked by; none for sources that rank no rows.
    pub ranking: Option<Ranking>,
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

/// A candidate, and what it leaves of every column: `8 N` bytes.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The set.
    pub candidate: Candidate,
    left: Vec<f64>,
}

impl Fitted {
    /// Fits all columns by these; of no use once somebody asked for the end.
    pub fn of(x: &DataMatrix, source: Source, anchors: Vec<usize>, interrupt: &Interrupt) -> Self {
        let w = x.dense_columns(&anchors);
        let left = squared_residuals(interrupt, x, &w, Constraint::Simplex, DEFAULT_TOLERANCE);
        let squared_residual = left.iter().sum();
        let (ranking, regularization, multiple) = Default::default();
        let candidate =
            Candidate { source, ranking, regularization, multiple, anchors, squared_residual, chosen: false };
        Self { candidate, left }
    }

    /// The same, its rows ranked so.
    pub(crate) fn ranked(mut self, ranking: Ranking) -> Self {
        self.candidate.ranking = Some(ranking);
        self
    }

    /// The same, of a run at this lambda, which is so many `u`.
    pub(crate) fn at(mut self, lambda: f64, multiple: f64) -> Self {
        (self.candidate.regularization, self.candidate.multiple) = (Some(lambda), Some(multiple));
        self
    }

    /// Whether it leaves clearly less of the columns that are in neither set. `square` is `||X||_F^2`.
    pub fn is_clearly_better(&self, other: &Self, square: f64) -> bool {
        let mut in_one = vec![false; self.left.len()];
        for &anchor in self.candidate.anchors.iter().chain(&other.candidate.anchors) {
            in_one[anchor] = true;
        }
        let left = |fitted: &Self| {
            let all = Shards::new(in_one.len()).sum(|l| if in_one[l] { 0.0 } else { fitted.left[l] });
            all.max(ROUNDING * square)
        };
        left(self) < MARGIN * left(other)
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

    /// SPA's set, which has been fitted.
    pub fn known(spa: &Fitted) -> Self {
        let Candidate { anchors, squared_residual, .. } = &spa.candidate;
        Self { anchors: anchors.clone(), squared_residual: *squared_residual, columns: spa.left.len() }
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

/// The position of the set to take, by the rule above; with no set from MERIT it is SPA's.
///
/// `square` is `||X||_F^2`. Of MERIT there are the sets by 2-norm and by maximum if there may be more runs, else that by maximum.
pub fn choose(sets: &[Fitted], square: f64) -> usize {
    let find = |source: Source, ranking: Option<Ranking>| {
        sets.iter().position(|set| set.candidate.source == source && set.candidate.ranking == ranking)
    };
    let better = |new: Option<usize>, old: usize| {
        new.filter(|&new| sets[new].is_clearly_better(&sets[old], square)).unwrap_or(old)
    };
    let spa = find(Source::Spa, None);
    let by = |ranking: Ranking| find(Source::Merit, Some(ranking));
    let Some(merit) = by(Ranking::TwoNorm).or_else(|| by(Ranking::Maximum)) else {
        return spa.expect("there is a set");
    };
    let pooled = find(Source::Pooled, Some(Ranking::TwoNorm));
    let base = pooled.map_or(merit, |pooled| better(Some(merit), pooled));
    better(find(Source::Pruned, None), better(spa, base))
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
    let columns = x.shards();
    let mut mean = columns.sum_vectors(x.rows(), |l, sum| x.add_to(l, 1.0, sum));
    mean.iter_mut().for_each(|m| *m /= x.cols() as f64);
    let constant = merit_linalg::dense::dot(&mean, &mean);
    match x {
        DataMatrix::Dense(_) | DataMatrix::Single(_) => {
            columns.sum(|l| x.column(l).iter().zip(&mean).map(|(x, m)| (x - m) * (x - m)).sum::<f64>())
        }
        DataMatrix::Sparse(_) => columns.sum(|l| x.squared_norm(l) - 2.0 * x.dot(l, &mean) + constant),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::least_squares::squared_residual;
    use crate::synthetic::Dirichlet;

    /// A set that leaves this of each of three columns, none of which it has.
    fn fitted(source: Source, ranking: Option<Ranking>, left: [f64; 3]) -> Fitted {
        let x = DataMatrix::from(merit_linalg::DenseMatrix::zeros(1, 3));
        let mut set = Fitted::of(&x, source, vec![], &Interrupt::never());
        (set.candidate.ranking, set.left) = (ranking, left.to_vec());
        set
    }

    #[test]
    fn what_replaces_a_set_must_be_better_by_one_percent() {
        let two = Some(Ranking::TwoNorm);
        let of = |spa: f64, pruned: f64| {
            let (spa, merit) =
                (fitted(Source::Spa, None, [spa, 0.0, 0.0]), fitted(Source::Merit, two, [1.0, 0.0, 0.0]));
            choose(&[spa, merit, fitted(Source::Pruned, None, [pruned, 0.0, 0.0])], 10.0)
        };
        assert_eq!((of(0.9, 0.88), of(0.9, 0.895), of(0.9, 0.95)), (2, 0, 0));
        assert_eq!((of(0.98, 2.0), of(0.995, 2.0), of(2.0, 0.995)), (0, 1, 1));
        let of =
            |merit: f64| choose(&[fitted(Source::Merit, two, [merit; 3]), fitted(Source::Pooled, two, [1.0; 3])], 10.0);
        assert_eq!((of(0.9), of(0.995), of(2.0)), (0, 1, 1));
        let rounding = [fitted(Source::Spa, None, [1e-30; 3]), fitted(Source::Merit, two, [5e-30; 3])];
        assert_eq!(choose(&rounding, 1.0), 1, "rounding error decides nothing");
    }

    #[test]
    fn columns_of_either_set_do_not_count() {
        let (mut a, mut b) = (fitted(Source::Spa, None, [0.0, 9.0, 1.0]), fitted(Source::Merit, None, [5.0, 0.0, 0.9]));
        (a.candidate.anchors, b.candidate.anchors) = (vec![0], vec![1]);
        assert!(b.is_clearly_better(&a, 10.0) && !a.is_clearly_better(&b, 10.0));
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
}
