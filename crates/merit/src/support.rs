//! How many columns use an anchor, and what that says about it.
//!
//! ```text
//! column l uses anchor k  if  H(k,l) >= w sum_i H(i,l)  with  w = min(2/K, 1/2)       support(k) = how many do, anchors left out
//! ```
//!
//! An anchor whose row of `H` is nearly its own indicator explains nothing but itself. To the model it is an anchor like any other; to whoever
//! looks at the data it is more often a broken pixel or a stray text: a *suspected outlier*. What an outlier is cannot be
//! told from noise where all weights are small beside it (many anchors, each in every mixture, at a low SNR): then all anchors
//! have about the same support, and nothing is suspected.

use crate::least_squares::{Constraint, DEFAULT_TOLERANCE, solve_until};
use crate::progress::Interrupt;
use crate::spa;
use merit_linalg::{DataMatrix, DenseMatrix};
use serde::{Deserialize, Serialize};

/// Fewer columns than this make an anchor suspect, where the anchors have [`ENOUGH`] on average.
const FEW: usize = 2;
/// With less support than this on average there are too few columns to tell.
const ENOUGH: usize = 5;

/// Who uses the anchors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Support {
    /// The share of a column's weights from which on it uses an anchor.
    pub weight: f64,
    /// How many columns use each anchor, anchors themselves left out.
    pub columns: Vec<usize>,
    /// The anchors that almost no column uses, as columns of `X`.
    pub suspected_outliers: Vec<usize>,
}

impl Support {
    /// Of these anchors, with `h` the weights of all columns on them.
    ///
    /// ```
    /// use merit::DenseMatrix;
    /// use merit::support::Support;
    /// // Two anchors, columns 0 and 1; all others are made of the first.
    /// let h = DenseMatrix::from_fn(2, 12, |k, l| if k == usize::from(l == 1) { 1.0 } else { 0.0 });
    /// let support = Support::of(&h, &[0, 1]);
    /// assert_eq!((support.columns, support.suspected_outliers), (vec![10, 0], vec![1]));
    /// ```
    pub fn of(h: &DenseMatrix, anchors: &[usize]) -> Self {
        let weight = weight_of_use(anchors.len());
        let columns = users(h, anchors, weight);
        let tells = columns.iter().sum::<usize>() >= ENOUGH * columns.len();
        let suspected = anchors.iter().zip(&columns).filter(|&(_, &users)| tells && users < FEW);
        Self { weight, suspected_outliers: suspected.map(|(&anchor, _)| anchor).collect(), columns }
    }
}

/// Twice the average share, at most half.
fn weight_of_use(rank: usize) -> f64 {
    (2.0 / rank as f64).min(0.5)
}

/// For each anchor how many other columns use it.
fn users(h: &DenseMatrix, anchors: &[usize], weight: f64) -> Vec<usize> {
    let mut is_anchor = vec![false; h.cols()];
    anchors.iter().for_each(|&anchor| is_anchor[anchor] = true);
    let mut users = vec![0_u64; anchors.len()];
    for l in h.shards().columns().filter(|&l| !is_anchor[l]) {
        let column = h.col(l);
        let least = weight * column.iter().sum::<f64>();
        users.iter_mut().zip(column).filter(|(_, h)| **h > 0.0 && **h >= least).for_each(|(users, _)| *users += 1);
    }
    h.shards().ranks().sum(&mut users);
    users.into_iter().map(|users| users as usize).collect()
}

/// Columns of `x` that fewer than `least` others use, the anchors among them first: of the anchors, and of as many columns again that
/// stand out. None if all anchors have enough; of no use once somebody asked for the end.
///
/// Alone, the anchors do not tell: where outliers have taken the places of true anchors, columns must lean on the outliers.
/// Beside the columns that stand out next, nobody does.
pub fn unsupported(x: &DataMatrix, anchors: &[usize], least: usize, interrupt: &Interrupt) -> Vec<usize> {
    let rank = anchors.len();
    let many = (rank + rank.max(10)).min(x.rows()).min(x.cols() / 2);
    let mut union = anchors.to_vec();
    let standing_out = spa::select(x, many, interrupt).anchors;
    union.extend(standing_out.into_iter().filter(|column| !anchors.contains(column)));
    let fit = solve_until(interrupt, x, &x.dense_columns(&union), Constraint::Simplex, DEFAULT_TOLERANCE);
    let users = users(&fit.h, &union, weight_of_use(rank));
    let lacks = |k: &usize| users[*k] < least;
    if (0..rank).any(|k| lacks(&k)) { (0..union.len()).filter(lacks).map(|k| union[k]).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Dirichlet;

    #[test]
    fn too_few_columns_tell_nothing() {
        let h = DenseMatrix::from_fn(3, 4, |k, l| if k == l || (k == 0 && l == 3) { 1.0 } else { 0.0 });
        assert_eq!(Support::of(&h, &[0, 1, 2]).suspected_outliers, Vec::<usize>::new());
    }

    #[test]
    fn outliers_that_took_the_places_of_anchors_lack_support_beside_those() {
        let model = Dirichlet { snr_db: 25.0, seed: 3, outliers: 4, ..Dirichlet::new(30, 200, 6) };
        let data = model.generate().unwrap();
        let x = DataMatrix::from(data.x);
        // All four outliers and two true anchors.
        let taken: Vec<usize> = data.outliers.iter().chain(&data.anchors[..2]).copied().collect();
        let lacking = unsupported(&x, &taken, 3, &Interrupt::never());
        assert!(data.outliers.iter().all(|outlier| lacking.contains(outlier)), "{lacking:?}");
        assert!(data.anchors.iter().all(|anchor| !lacking.contains(anchor)), "{lacking:?}");
        assert_eq!(unsupported(&x, &data.anchors, 3, &Interrupt::never()), Vec::<usize>::new());
    }
}
