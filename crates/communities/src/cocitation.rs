//! Directed edges as undirected ones: who links to the same nodes, or is linked from the same, is joined.
//!
//! ```text
//! U = Do^-1/2 A Di^-1/2 A' Do^-1/2  +  Di^-1/2 A' Do^-1/2 A Di^-1/2          A(i,j): from i to j;  Do, Di: sums of its rows, of its columns
//! ```
//!
//! without its diagonal: pairs with a common target, and pairs with a common source. A node that many link to says little about those who do,
//! and counts less; so do pairs who link to everything. Two pages about one thing need not link to each other, but link, and are linked, alike: where the
//! direction says who cites whom, groups are often of that kind. Reference: V. Satuluri, S. Parthasarathy, EDBT 2011 (with both exponents a half).
//!
//! Time and memory grow with the pairs, at most `sum d^2 / 2` over both kinds of degrees; what would not fit is refused before it is made.

use crate::Error;
use merit_dataset::limits;
use merit_linalg::SparseMatrix;

/// Bytes of a pair, both directions, while the graph is made.
const BYTES: u64 = 48;

/// The matrix of co-citation, and how many edges were listed before. An empty list of weights means 1 each, and repeated edges count once.
pub(crate) fn cocitation(
    file: &str,
    nodes: usize,
    sources: &[u32],
    targets: &[u32],
    weights: &[f64],
) -> Result<(SparseMatrix, u64), Error> {
    // A column holds the targets of a node, each once, whatever the order of the lines.
    let mut arcs: Vec<(u32, u32, f64)> =
        (0..sources.len()).map(|e| (targets[e], sources[e], weights.get(e).copied().unwrap_or(1.0))).collect();
    arcs.sort_by(|a, b| (a.1, a.0).cmp(&(b.1, b.0)).then(a.2.total_cmp(&b.2)));
    if weights.is_empty() {
        arcs.dedup();
    }
    let to = SparseMatrix::from_triplets(nodes, nodes, arcs);
    let merged = (sources.len() - to.nnz()) as u64;
    let from = to.transposed();
    let count = |matrix: &SparseMatrix, i: usize| matrix.col(i).0.len() as u64;
    let pairs: u64 =
        (0..nodes).flat_map(|i| [count(&to, i), count(&from, i)]).map(|d| d * d.saturating_sub(1) / 2).sum();
    let (needed, available) = (BYTES.saturating_mul(pairs), limits::memory());
    if needed > available {
        return Err(Error::ManyPairs { file: file.into(), pairs, needed, available });
    }
    let scale = |matrix: &SparseMatrix, i: usize| {
        let sum: f64 = matrix.col(i).1.iter().sum();
        if sum > 0.0 { 1.0 / sum.sqrt() } else { 0.0 }
    };
    let out: Vec<f64> = (0..nodes).map(|i| scale(&to, i)).collect();
    let into: Vec<f64> = (0..nodes).map(|i| scale(&from, i)).collect();
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    let (mut sums, mut touched) = (vec![0.0; nodes], Vec::new());
    for i in 0..nodes {
        for (there, back, ends, middle) in [(&to, &from, &out, &into), (&from, &to, &into, &out)] {
            let (others, first) = there.col(i);
            for (&m, w) in others.iter().zip(first) {
                let (far, second) = back.col(m as usize);
                for (&j, v) in far.iter().zip(second).filter(|(j, _)| **j as usize != i) {
                    if sums[j as usize] == 0.0 {
                        touched.push(j);
                    }
                    // From both ends the same product: the matrix is symmetric to the last bit.
                    sums[j as usize] += (w * v) * middle[m as usize] * (ends[i] * ends[j as usize]);
                }
            }
        }
        touched.sort_unstable();
        for j in touched.drain(..) {
            rows.push(j);
            values.push(std::mem::take(&mut sums[j as usize]));
        }
        starts.push(rows.len());
    }
    let matrix = SparseMatrix::from_compressed(nodes, starts, rows, values);
    Ok((matrix.expect("rows are sorted and indices in range"), merged))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_dense_matrices_say_the_same() {
        let n = 17;
        let ends: Vec<(u32, u32)> =
            (0..90u32).map(|i| (i * i % 17, i * 5 % 13)).filter(|(source, target)| source != target).collect();
        let weights: Vec<f64> = (0..ends.len()).map(|e| 0.5 + (e % 4) as f64).collect();
        let (sources, targets): (Vec<u32>, Vec<u32>) = ends.iter().copied().unzip();
        for weighted in [false, true] {
            let used = if weighted { &weights[..] } else { &[] };
            let (found, merged) = cocitation("x", n, &sources, &targets, used).unwrap();
            let mut a = vec![vec![0.0; n]; n];
            for (e, &(i, j)) in ends.iter().enumerate() {
                let place = &mut a[i as usize][j as usize];
                *place = if weighted { *place + weights[e] } else { 1.0 };
            }
            let entries = a.iter().flatten().filter(|v| **v > 0.0).count();
            assert_eq!(merged as usize, ends.len() - entries);
            let sqrt = |sum: f64| if sum > 0.0 { sum.sqrt() } else { 1.0 };
            let out: Vec<f64> = a.iter().map(|row| sqrt(row.iter().sum())).collect();
            let into: Vec<f64> = (0..n).map(|j| sqrt(a.iter().map(|row| row[j]).sum())).collect();
            for i in 0..n {
                let column = |j: usize| {
                    let (rows, values) = found.col(i);
                    rows.iter().position(|&row| row as usize == j).map_or(0.0, |at| values[at])
                };
                for j in (0..n).filter(|&j| j != i) {
                    let targets: f64 = (0..n).map(|m| a[i][m] * a[j][m] / into[m]).sum::<f64>() / (out[i] * out[j]);
                    let sources: f64 = (0..n).map(|m| a[m][i] * a[m][j] / out[m]).sum::<f64>() / (into[i] * into[j]);
                    assert!((column(j) - targets - sources).abs() < 1e-12, "{i} {j}");
                }
                assert_eq!(column(i), 0.0);
            }
            assert!(found.transposed() == found);
        }
    }
}
