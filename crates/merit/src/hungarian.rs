//! Minimum-cost assignment: which of the found columns is which of the true ones?
//!
//! ```text
//! min_p  sum_i cost(i, p(i))    over injective p: rows -> columns
//! ```
//!
//! Shortest augmenting paths with potentials, a row at a time: `O(rows^2 cols)` time, `O(cols)` memory besides the costs.
//! (Kuhn 1955; Jonker and Volgenant, Computing 38, 1987.)
//!
//! ```
//! use merit::hungarian::assign;
//! use merit_linalg::DenseMatrix;
//! // The cheapest entry (row 0, column 0) is left out: taking it would force the dearest.
//! let cost = DenseMatrix::from_columns(2, vec![1.0, 2.0, 2.0, 9.0]);
//! assert_eq!(assign(&cost), [1, 0]);
//! ```

use merit_linalg::DenseMatrix;

/// For every row the column assigned to it, all different and with the least total cost.
///
/// Needs at least as many columns as rows, and finite costs. Among several cheapest assignments the result is one of
/// them, always the same.
pub fn assign(cost: &DenseMatrix) -> Vec<usize> {
    let (rows, cols) = (cost.rows(), cost.cols());
    assert!(rows <= cols, "{rows} rows cannot be assigned to {cols} columns, each once");
    assert!(cost.values().iter().all(|c| c.is_finite()), "costs must be finite");
    let mut row_potential = vec![0.0; rows];
    let mut col_potential = vec![0.0; cols];
    let mut row_of: Vec<Option<usize>> = vec![None; cols];
    for start in 0..rows {
        // Dijkstra over columns, on the reduced costs cost(i, j) - row_potential(i) - col_potential(j) >= 0.
        let mut distance = vec![f64::INFINITY; cols];
        let mut previous: Vec<Option<usize>> = vec![None; cols];
        let mut done = vec![false; cols];
        let (mut row, mut here, mut length) = (start, None, 0.0);
        let end = loop {
            for j in (0..cols).filter(|&j| !done[j]) {
                let through = length + (cost.get(row, j) - row_potential[row] - col_potential[j]);
                if through < distance[j] {
                    (distance[j], previous[j]) = (through, here);
                }
            }
            let open = (0..cols).filter(|&j| !done[j]);
            let nearest = open.min_by(|&i, &j| distance[i].total_cmp(&distance[j])).expect("rows <= cols");
            (done[nearest], length) = (true, distance[nearest]);
            match row_of[nearest] {
                Some(next) => (row, here) = (next, Some(nearest)),
                None => break nearest,
            }
        };
        row_potential[start] += length;
        for j in (0..cols).filter(|&j| done[j]) {
            col_potential[j] -= length - distance[j];
            if let Some(i) = row_of[j] {
                row_potential[i] += length - distance[j];
            }
        }
        let mut j = end;
        while let Some(before) = previous[j] {
            row_of[j] = row_of[before];
            j = before;
        }
        row_of[j] = Some(start);
    }
    let mut assigned = vec![0; rows];
    row_of.iter().enumerate().for_each(|(j, row)| {
        if let Some(i) = row {
            assigned[*i] = j;
        }
    });
    assigned
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least total over all assignments of the rows from `row` on.
    fn brute_force(cost: &DenseMatrix, row: usize, taken: &mut Vec<bool>) -> f64 {
        if row == cost.rows() {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for j in 0..cost.cols() {
            if !taken[j] {
                taken[j] = true;
                best = best.min(cost.get(row, j) + brute_force(cost, row + 1, taken));
                taken[j] = false;
            }
        }
        best
    }

    fn costs() -> impl Strategy<Value = DenseMatrix> {
        (1usize..6, 0usize..3).prop_flat_map(|(rows, more)| {
            let entry = prop_oneof![(-3i32..4).prop_map(f64::from), -5.0..5.0f64];
            proptest::collection::vec(entry, rows * (rows + more)).prop_map(move |v| DenseMatrix::from_columns(rows, v))
        })
    }

    proptest! {
        #[test]
        fn costs_as_little_as_the_best_of_all(cost in costs()) {
            let found = assign(&cost);
            let mut sorted = found.clone();
            sorted.sort_unstable();
            sorted.dedup();
            prop_assert_eq!(sorted.len(), cost.rows());
            let total: f64 = found.iter().enumerate().map(|(i, &j)| cost.get(i, j)).sum();
            let best = brute_force(&cost, 0, &mut vec![false; cost.cols()]);
            prop_assert!((total - best).abs() < 1e-12, "{total} against {best}");
        }
    }

    #[test]
    fn a_hidden_permutation_is_found() {
        let size = 300;
        let cost = DenseMatrix::from_fn(size, size, |i, j| if (7 * i + 3) % size == j { 0.0 } else { 1.0 });
        assert_eq!(assign(&cost), (0..size).map(|i| (7 * i + 3) % size).collect::<Vec<_>>());
    }
}
