//! Where a mixture lies in the plane: the corners are communities, and those that connect much are neighbors.

use super::CommunitiesReport;
use crate::chart::Polygon;

/// The communities around the polygon: from the first on, always the one not yet placed that connects most with the last.
pub(super) fn corner_order(report: &CommunitiesReport) -> Vec<usize> {
    let count = report.count();
    let between = |k: usize, l: usize| if report.b.is_drawable() { report.b.at(k, l) } else { 0.0 };
    let mut order = vec![0];
    while order.len() < count {
        let last = order[order.len() - 1];
        let free = (0..count).filter(|k| !order.contains(k));
        let Some(next) = free.reduce(|a, b| if between(last, b) > between(last, a) { b } else { a }) else { break };
        order.push(next);
    }
    order
}

/// The position of node `i` within the unit circle; `None` for shares that are none.
pub(super) fn position(report: &CommunitiesReport, order: &[usize], i: usize) -> Option<(f64, f64)> {
    let weights: Vec<f64> = order.iter().map(|&k| report.shares.at(i, k).max(0.0)).collect();
    match weights.len() {
        // Two corners lie side by side, not one above the other.
        2 => Polygon::place(&weights).map(|(x, y)| (y, x)),
        _ => Polygon::place(&weights),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;

    #[test]
    fn communities_that_connect_are_neighbors() {
        let mut b = vec![0.0; 16];
        for (k, l, value) in [(0, 2, 0.9), (2, 1, 0.8), (1, 3, 0.7), (0, 1, 0.2)] {
            (b[4 * k + l], b[4 * l + k]) = (value, value);
        }
        let report = CommunitiesReport {
            b: Matrix::new(4, 4, b),
            shares: Matrix::new(1, 4, vec![0.0, 0.0, 1.0, 0.0]),
            ..CommunitiesReport::default()
        };
        assert_eq!(corner_order(&report), [0, 2, 1, 3]);
        let (x, y) = position(&report, &corner_order(&report), 0).unwrap();
        assert!((x - 1.0).abs() < 1e-12 && y.abs() < 1e-12, "the second corner of four: {x} {y}");
    }
}
