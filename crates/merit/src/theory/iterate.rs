//! What the returned `C` determines: its support, its rows, and how well `H C` is `H`.
//!
//! A step of Frank-Wolfe of size below 1 removes no entry of `C`, and the step of size 1 comes first. So the support of the returned
//! `C` holds the supports of all iterates before it: if it lies inside the anchors, it did so **during the whole run**.

use super::{Evidence, Quantities, RunFacts};
use merit_linalg::SparseColumns;
use merit_linalg::dense::dot;
use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, DenseMatrix};
use serde::Serialize;

/// Facts about a `C`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Iterate {
    /// Nonzeros of `C` in rows that are not anchors: 0 if `supp(C)` lies inside the anchors, at the end and during the run.
    pub entries_outside: usize,
    /// Columns that have such a nonzero.
    pub columns_outside: usize,
    /// The smallest `||C(n, :)||_inf` of an anchor.
    pub smallest_anchor_norm: f64,
    /// The largest `||C(n, :)||_inf` of a row that is not an anchor.
    pub largest_other_norm: f64,
    /// `omega = max_l ||H c_l - h_l||` (lem:alpha).
    pub omega: f64,
    /// `max_l ||x_l - X c_l||`.
    pub residual: f64,
    /// `eta` of Theorem 2: what the stopping rule leaves above `2 delta`, or what the returned `C` does; at least 0.
    pub eta: f64,
    /// An upper bound on `nu` (eq:wiredcond), whose minimum runs over all iterates: from `C = 0` and from the returned `C`.
    pub nu: f64,
    /// `psi` of Theorem 4: the smallest difference of two different entries of an anchor's row; 0 if all rows are constant.
    pub psi: f64,
    /// Anchors whose row of `C` is not constant.
    pub varying_rows: usize,
    /// `t_init`.
    pub start_iteration: usize,
    /// `T`, the number of the last iterate.
    pub last_iteration: usize,
    /// `xi` of Proposition 1: the smallest distance of a `D` that is not an integer to the integers; 0 if all are integers.
    /// None for a start from `C = 0`, about which the proposition says nothing.
    pub xi: Option<f64>,
}

impl Iterate {
    pub(super) fn of(evidence: &Evidence, run: &RunFacts, quantities: &Quantities) -> Self {
        let Evidence { x, w, h, anchors, .. } = *evidence;
        let C = run.c;
        let mut anchor_of = vec![None; x.cols()];
        anchors.iter().enumerate().for_each(|(k, &n)| anchor_of[n] = Some(k));
        let columns = Shards::new(x.cols());
        let outside = |l: usize| C.col(l).0.iter().filter(|&&n| anchor_of[n as usize].is_none()).count();
        let entries_outside: usize = columns.map(|range| range.map(outside).sum::<usize>()).into_iter().sum();
        let columns_outside = columns.map(|range| range.filter(|&l| outside(l) > 0).count()).into_iter().sum();
        let residual = |l: usize| residual_norm(x, C, l);
        let mut residuals = vec![0.0; x.cols()];
        columns.update(&mut residuals, |l, _| residual(l));
        let largest_residual = columns.max(0.0, |l| residuals[l]);
        let last_iteration = run.start_iteration.saturating_add(run.iterations);

        let termination = run.residual_tolerance.unwrap_or(largest_residual);
        let gram = DenseMatrix::from_fn(w.cols(), w.cols(), |i, j| dot(w.col(i), w.col(j)));
        let at_end =
            |l: usize| if residuals[l] >= termination { second_gap(&gram, &error(h, C, l)) } else { f64::INFINITY };
        let at_start = |l: usize| {
            let moves = run.initial.is_none() && x.squared_norm(l).sqrt() > termination;
            if moves {
                second_gap(&gram, h.col(l).iter().map(|v| -v).collect::<Vec<_>>().as_slice())
            } else {
                f64::INFINITY
            }
        };
        let nu = -columns.max(f64::NEG_INFINITY, |l| -at_start(l).min(at_end(l)));

        let rows = anchor_rows(C, &anchor_of, anchors.len());
        // Equal values reached on different ways differ by rounding, which walks at random; different ones differ by at
        // least 2/(T (T + 1)) from a cold start.
        let rounding = 4.0 * f64::EPSILON * (last_iteration as f64 + 1.0).sqrt();
        let gaps: Vec<f64> = rows.into_iter().filter_map(|row| smallest_gap(row, rounding)).collect();
        let others = (0..x.cols()).filter(|&n| anchor_of[n].is_none());
        Self {
            entries_outside,
            columns_outside,
            smallest_anchor_norm: anchors.iter().map(|&n| C.row_max(n)).fold(f64::INFINITY, f64::min),
            largest_other_norm: others.map(|n| C.row_max(n)).fold(0.0, f64::max),
            omega: columns.max(0.0, |l| norm(&error(h, C, l))),
            residual: largest_residual,
            eta: (termination - 2.0 * quantities.delta).max(0.0),
            nu,
            varying_rows: gaps.len(),
            psi: gaps.into_iter().reduce(f64::min).unwrap_or(0.0),
            start_iteration: run.start_iteration,
            last_iteration,
            xi: run.initial.map(|initial| xi(initial, &anchor_of, anchors.len(), run.start_iteration)),
        }
    }
}

fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

/// `||x_l - X c_l||`.
fn residual_norm(x: &DataMatrix, C: &SparseColumns, l: usize) -> f64 {
    let mut r = vec![0.0; x.rows()];
    x.add_to(l, -1.0, &mut r);
    let (rows, values) = C.col(l);
    rows.iter().zip(values).for_each(|(&n, &value)| x.add_to(n as usize, value, &mut r));
    norm(&r)
}

/// `H c_l - h_l`.
fn error(h: &DenseMatrix, C: &SparseColumns, l: usize) -> Vec<f64> {
    let mut e: Vec<f64> = h.col(l).iter().map(|v| -v).collect();
    let (rows, values) = C.col(l);
    for (&n, &value) in rows.iter().zip(values) {
        e.iter_mut().zip(h.col(n as usize)).for_each(|(e, h)| *e += value * h);
    }
    e
}

/// The distance of the smallest to the second smallest entry of `W'W u / ||u||` (eq:wiredcond); infinite where there is no second,
/// or no `u`.
fn second_gap(gram: &DenseMatrix, u: &[f64]) -> f64 {
    let length = norm(u);
    if length == 0.0 || u.len() < 2 {
        return f64::INFINITY;
    }
    let (mut first, mut second) = (f64::INFINITY, f64::INFINITY);
    for k in 0..u.len() {
        let q = dot(gram.col(k), u) / length;
        (first, second) = if q < first { (q, first) } else { (first, second.min(q)) };
    }
    second - first
}

/// The entries of each anchor's row of `C`, one 0 for all that are not stored.
fn anchor_rows(C: &SparseColumns, anchor_of: &[Option<usize>], count: usize) -> Vec<Vec<f64>> {
    let mut rows = vec![Vec::new(); count];
    for l in 0..C.cols() {
        let (indices, values) = C.col(l);
        for (&n, &value) in indices.iter().zip(values) {
            if let Some(k) = anchor_of[n as usize] {
                rows[k].push(value);
            }
        }
    }
    rows.iter_mut().filter(|row| row.len() < C.cols()).for_each(|row| row.push(0.0));
    rows
}

/// The smallest difference above `rounding` of two numbers; none if all are the same.
fn smallest_gap(mut values: Vec<f64>, rounding: f64) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.windows(2).map(|w| w[1] - w[0]).filter(|&gap| gap > rounding).reduce(f64::min)
}

/// `xi` (proposition:row_is_not_constant). `D = t(t+1)/2 |c_i - c_j|` is as far from the integers as the fractions of `t(t+1)/2 c_i`
/// and `t(t+1)/2 c_j` are from each other on a circle of length 1, so sorting a row replaces all its pairs.
fn xi(initial: &SparseColumns, anchor_of: &[Option<usize>], count: usize, t: usize) -> f64 {
    let scale = 0.5 * t as f64 * (t as f64 + 1.0);
    let rounding = 4.0 * f64::EPSILON * scale.max(1.0);
    let around = |row: Vec<f64>| {
        let mut fractions: Vec<f64> = row.iter().map(|c| (scale * c).rem_euclid(1.0)).collect();
        fractions.sort_unstable_by(f64::total_cmp);
        fractions.extend(fractions.first().map(|first| first + 1.0));
        smallest_gap(fractions, rounding).filter(|&gap| gap < 1.0 - rounding)
    };
    anchor_rows(initial, anchor_of, count).into_iter().filter_map(around).reduce(f64::min).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn columns(rows: &[Vec<f64>]) -> SparseColumns {
        SparseColumns::from_columns(rows[0].len(), |l, entries| {
            entries.extend(rows.iter().enumerate().map(|(n, row)| (n as u32, row[l])));
        })
    }

    /// The definition: over all rows and pairs, the smallest distance of a `D` that is not an integer to the integers.
    fn naive_xi(rows: &[Vec<f64>], t: usize) -> f64 {
        let scale = (t * (t + 1)) as f64 / 2.0;
        let pairs = rows.iter().flat_map(|row| row.iter().flat_map(move |a| row.iter().map(move |b| (a - b).abs())));
        let distances = pairs.map(|difference| scale * difference).map(|d| (d - d.round()).abs());
        distances.filter(|&d| d > 1e-12).reduce(f64::min).unwrap_or(0.0)
    }

    proptest! {
        #[test]
        fn sorting_a_circle_gives_what_all_pairs_give(
            rows in proptest::collection::vec(proptest::collection::vec(prop_oneof![0.0..1.0f64, Just(0.0), Just(0.5)], 5), 1..4),
            t in 1usize..9,
        ) {
            let anchor_of: Vec<Option<usize>> = (0..5).map(|n| (n < rows.len()).then_some(n)).collect();
            let found = xi(&columns(&rows), &anchor_of, rows.len(), t);
            prop_assert!((found - naive_xi(&rows, t)).abs() < 1e-12, "{found} against {}", naive_xi(&rows, t));
        }
    }

    #[test]
    fn integers_give_no_xi() {
        // t = 3: D = 6 |c_i - c_j| is 3 or 0.
        let rows = vec![vec![0.5, 0.0, 0.5]];
        assert_eq!(xi(&columns(&rows), &[Some(0), None, None], 1, 3), 0.0);
        // t = 4: D = 10 * 0.25 = 2.5.
        let rows = vec![vec![0.25, 0.0, 0.25]];
        assert_eq!(xi(&columns(&rows), &[Some(0), None, None], 1, 4), 0.5);
    }

    #[test]
    fn gaps_of_the_second_smallest() {
        let identity = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.0, 1.0]);
        assert!((second_gap(&identity, &[3.0, -4.0]) - 7.0 / 5.0).abs() < 1e-15); // 3/5 and -4/5
        assert_eq!(second_gap(&identity, &[0.0, 0.0]), f64::INFINITY);
        let gap = smallest_gap(vec![0.5, 0.0, 0.5 + 2e-16, 0.75], 1e-14).unwrap();
        assert!((gap - 0.25).abs() < 1e-15, "{gap}");
        assert_eq!(smallest_gap(vec![0.5, 0.5 + 2e-16], 1e-14), None);
    }
}
