//! From pure nodes to everyone's shares: `V ~ Theta V(pure,:)`, rows of `Theta` nonnegative with sum 1.
//!
//! | rule | `Theta(i,:)` | whose |
//! |---|---|---|
//! | [`Rule::Inverse`] | `V(i,:) V(pure,:)^-1 diag(phi(pure))`, entries below 1e-12 to 0, scaled to sum 1; `phi` is 1 for the adjacency matrix, otherwise see [`operator`](crate::operator) | behind the paper's numbers |
//! | [`Rule::Simplex`] | `argmin norm(V(i,:) - theta V(pure,:))` over the simplex | the paper's text |
//! | [`Rule::Floored`] | the same with entries below 2^-52 raised to it: nodes that are nearly nowhere are evenly everywhere | SPOC, as the paper ran it |
//!
//! SPOC's paper (Panov et al. 2018) projects `V(i,:) V(pure,:)^-1` onto the simplex instead; that gives .2680, .1635, .3274 on DBLP1, 2, 4,
//! where the paper has .2996, .2126, .3479 and `Floored` .2992, .2114, .3477. These are not equal to the last digit because shares between
//! 2^-52 and 1e-12 are rounding errors of the eigenvectors: those of another program give .2996, .2126, .3487.
//!
//! With the other rules, rows that end up empty, or belong to nodes that the eigenvectors do not see, get the mean of the others. `O(n K^2)`.
//!
//! ```
//! use merit::progress::Interrupt;
//! use merit_communities::memberships::{Rule, memberships};
//! use merit_linalg::DenseMatrix;
//! let v = DenseMatrix::from_columns(3, vec![2.0, 0.0, 1.0, 0.0, 4.0, 1.0]);
//! let found = memberships(&v, &[0, 1], None, Rule::Inverse, &Interrupt::never()).unwrap();
//! assert_eq!((found.theta.get(2, 0), found.theta.get(2, 1)), (0.5 / 0.75, 0.25 / 0.75));
//! ```

use merit::least_squares::{Constraint, DEFAULT_TOLERANCE, solve_until};
use merit::progress::Interrupt;
use merit_linalg::small_dense::inverse;
use merit_linalg::{DataMatrix, DenseMatrix};

merit::choices! {
    /// How shares are found.
    pub enum Rule {
        /// A K x K solve, clipped.
        #[default]
        Inverse = "inverse",
        /// Least squares with shares on the simplex.
        Simplex = "simplex",
        /// A K x K solve, with a least share.
        Floored = "floored",
    }
}

/// Shares of all nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Memberships {
    /// Nodes x communities; rows sum to 1.
    pub theta: DenseMatrix,
    /// Nodes that got the mean of the others.
    pub empty: Vec<usize>,
}

/// The shares of all nodes, where node `i` has the length `phi(i)` (1 without). `None` when the rows of the pure nodes are dependent and the rule needs their inverse. Meaningless after an interrupt.
pub fn memberships(
    vectors: &DenseMatrix,
    pure: &[usize],
    phi: Option<&[f64]>,
    rule: Rule,
    interrupt: &Interrupt,
) -> Option<Memberships> {
    let (n, rank) = (vectors.rows(), pure.len());
    assert_eq!(rank, vectors.cols(), "as many pure nodes as eigenvectors");
    let points = vectors.transposed(); // K x n, a node per column
    let corners = points.select(pure);
    let seen = |i: usize| points.col(i).iter().any(|&v| v != 0.0);
    let shares = match rule {
        Rule::Simplex => {
            let x = DataMatrix::from(points.clone());
            solve_until(interrupt, &x, &corners, Constraint::Simplex, DEFAULT_TOLERANCE).h
        }
        Rule::Inverse | Rule::Floored => {
            let inverse = inverse(&corners)?;
            DenseMatrix::from_column_fn(rank, n, |i, out| {
                inverse.times(points.col(i), out);
                match rule {
                    Rule::Floored => out.iter_mut().for_each(|v| *v = v.max(f64::EPSILON)),
                    _ => out.iter_mut().filter(|v| **v < 1e-12).for_each(|v| *v = 0.0),
                }
                if let Some(phi) = phi {
                    out.iter_mut().zip(pure).for_each(|(v, &p)| *v *= phi[p]);
                }
            })
        }
    };
    Some(normalized(shares, |i| rule == Rule::Floored || seen(i)))
}

/// Scales the columns of `shares` (communities x nodes) to sum 1; nodes that are not `seen`, or have nothing, get the mean.
pub(crate) fn normalized(mut shares: DenseMatrix, seen: impl Fn(usize) -> bool) -> Memberships {
    let (rank, n) = (shares.rows(), shares.cols());
    let (mut empty, mut mean) = (Vec::new(), vec![0.0; rank]);
    for i in 0..n {
        let sum: f64 = shares.col(i).iter().sum();
        if sum > 0.0 && sum.is_finite() && seen(i) {
            let column = shares.col_mut(i);
            column.iter_mut().for_each(|v| *v /= sum);
            mean.iter_mut().zip(&*column).for_each(|(mean, v)| *mean += v);
        } else {
            empty.push(i);
        }
    }
    let others = (n - empty.len()) as f64;
    let fallback = 1.0 / rank as f64;
    mean.iter_mut().for_each(|v| *v = if others > 0.0 { *v / others } else { fallback });
    empty.iter().for_each(|&i| shares.col_mut(i).copy_from_slice(&mean));
    Memberships { theta: shares.transposed(), empty }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_without_a_point_get_the_mean() {
        let v = DenseMatrix::from_columns(4, vec![1.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0]);
        for (rule, empty) in [(Rule::Inverse, vec![2, 3]), (Rule::Simplex, vec![2]), (Rule::Floored, vec![])] {
            let found = memberships(&v, &[0, 1], None, rule, &Interrupt::never()).unwrap();
            assert_eq!(found.empty, empty, "{rule:?}");
            assert_eq!((found.theta.get(2, 0), found.theta.get(2, 1)), (0.5, 0.5), "{rule:?}");
        }
    }
}
