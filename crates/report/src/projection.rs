//! A plane in which the columns of `W H` are spread most: two principal directions.

use crate::model::Matrix;
use crate::sampling::{evenly, peak};

/// Two directions in which the columns of `W H` vary most, applied to weights: sample h is drawn at
/// `(axes[0] . (h - mean), axes[1] . (h - mean))`.
#[derive(Debug, Clone)]
pub struct Projection {
    /// `W' v / |v|` for the two directions v.
    pub axes: [Vec<f64>; 2],
    /// Mean of the columns of H that were looked at.
    pub mean: Vec<f64>,
    /// Share of the variance along each direction.
    pub shares: [f64; 2],
}

impl Projection {
    /// Where a sample with these weights is drawn.
    pub fn place(&self, h: &[f64]) -> (f64, f64) {
        let along = |axis: &[f64]| axis.iter().zip(h).zip(&self.mean).map(|((a, h), m)| a * (h - m)).sum::<f64>();
        (along(&self.axes[0]), along(&self.axes[1]))
    }
}

/// Principal directions of `W H`, from at most `limit` columns of H. With S = cov(H) and G = W'W, the directions are
/// `v = W u` where `S G u = theta u`; S G is self-adjoint in the inner product of G, so power iteration with
/// G-orthogonal deflation finds them at O(K^2) a step. `None` when fewer than two directions carry variance.
pub fn principal(w: &Matrix, h: &Matrix, limit: usize) -> Option<Projection> {
    let k = h.rows;
    if k < 2 || w.columns != k || !w.is_drawable() || !h.is_drawable() {
        return None;
    }
    let columns: Vec<usize> =
        evenly(h.columns, limit).into_iter().filter(|j| h.column(*j).iter().all(|v| v.is_finite())).collect();
    let n = columns.len().max(1) as f64;
    let mut mean = vec![0.0; k];
    for &j in &columns {
        mean.iter_mut().zip(h.column(j)).for_each(|(m, v)| *m += v / n);
    }
    let mut covariance = vec![0.0; k * k];
    let mut centered = vec![0.0; k];
    for &j in &columns {
        centered.iter_mut().zip(h.column(j)).zip(&mean).for_each(|((c, v), m)| *c = v - m);
        add_outer(&mut covariance, &centered, 1.0 / n);
    }
    let mut gram = vec![0.0; k * k];
    let mut row = vec![0.0; k];
    // Thousands of rows settle two directions; millions would only take time.
    for i in evenly(w.rows, 4000) {
        (0..k).for_each(|j| row[j] = w.at(i, j));
        if row.iter().all(|v| v.is_finite()) {
            add_outer(&mut gram, &row, 1.0);
        }
    }
    let total: f64 = (0..k).map(|i| dot(&covariance[i * k..(i + 1) * k], &gram[i * k..(i + 1) * k])).sum();
    if !total.is_finite() || total <= 0.0 {
        return None;
    }
    let (first, theta_1) = leading(&covariance, &gram, None, total)?;
    let (second, theta_2) = leading(&covariance, &gram, Some(&first), total)?;
    // Below the accuracy of the first direction, the second is its rounding error.
    if theta_2 <= 1e-8 * theta_1 {
        return None;
    }
    let axes = [first, second].map(|u| oriented(times(&gram, &u)));
    Some(Projection { axes, mean, shares: [theta_1 / total, theta_2 / total] })
}

/// Leading u of S G, of unit length in G, G-orthogonal to `away_from`; with its theta.
fn leading(covariance: &[f64], gram: &[f64], away_from: Option<&[f64]>, total: f64) -> Option<(Vec<f64>, f64)> {
    let k = covariance.len().isqrt();
    // A start without symmetry: orthogonal to nothing in particular.
    let mut u: Vec<f64> = (0..k).map(|i| 1.0 / (1.0 + i as f64) * if i % 2 == 0 { 1.0 } else { -0.7 }).collect();
    let mut theta = 0.0;
    for _ in 0..1000 {
        let mut gu = times(gram, &u);
        if let Some(a) = away_from {
            let overlap = dot(a, &gu);
            u.iter_mut().zip(a).for_each(|(u, a)| *u -= overlap * a);
            gu = times(gram, &u);
        }
        let length = dot(&u, &gu).max(0.0).sqrt();
        if !length.is_finite() || length == 0.0 {
            return None;
        }
        u.iter_mut().for_each(|v| *v /= length);
        gu.iter_mut().for_each(|v| *v /= length);
        let next = times(covariance, &gu);
        let now = dot(&next, &gu);
        // Below 1e-9 of the variance there is only rounding, and iterating on it would find the first direction again.
        let settled = (now - theta).abs() <= 1e-10 * now.abs() || now <= 1e-9 * total;
        theta = now;
        if settled {
            break;
        }
        u = next;
    }
    // `u` may be one unnormalized step ahead: normalize what is returned.
    if let Some(a) = away_from {
        let overlap = dot(a, &times(gram, &u));
        u.iter_mut().zip(a).for_each(|(u, a)| *u -= overlap * a);
    }
    let length = dot(&u, &times(gram, &u)).max(0.0).sqrt();
    if !length.is_finite() || length == 0.0 {
        return None;
    }
    u.iter_mut().for_each(|v| *v /= length);
    Some((u, theta))
}

/// The axis with the sign that makes its entry of largest magnitude positive: the same picture on every machine.
fn oriented(mut axis: Vec<f64>) -> Vec<f64> {
    let largest = peak(0, axis.len(), |i| Some(axis[i].abs())).map_or(1.0, |i| axis[i]);
    if largest < 0.0 {
        axis.iter_mut().for_each(|v| *v = -*v);
    }
    axis
}

fn add_outer(matrix: &mut [f64], v: &[f64], weight: f64) {
    for (row, a) in matrix.chunks_exact_mut(v.len()).zip(v) {
        row.iter_mut().zip(v).for_each(|(m, b)| *m += weight * a * b);
    }
}

fn times(matrix: &[f64], v: &[f64]) -> Vec<f64> {
    matrix.chunks_exact(v.len()).map(|row| dot(row, v)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_directions_of_known_data() {
        // W = diag(1, 5, 2): weights e_k at equal shares, so the second component spreads most.
        let w = Matrix::new(3, 3, vec![1.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 2.0]);
        let h = Matrix::new(3, 6, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].concat().repeat(2));
        let p = principal(&w, &h, 1000).unwrap();
        assert!((p.shares.iter().sum::<f64>() - 1.0).abs() < 1e-8, "three corners span a plane: {:?}", p.shares);
        assert!(p.shares[0] > p.shares[1]);
        // An orthonormal projection of a plane keeps distances: |w_0 - w_1| = sqrt(26).
        let (a, b) = (p.place(&[1.0, 0.0, 0.0]), p.place(&[0.0, 1.0, 0.0]));
        let distance = ((a.0 - b.0).powi(2) + (a.1 - b.1).powi(2)).sqrt();
        assert!((distance - 26f64.sqrt()).abs() < 1e-4, "{distance}");
    }

    #[test]
    fn no_plane_no_projection() {
        let w = Matrix::new(2, 2, vec![1.0, 0.0, 0.0, 1.0]);
        let line = Matrix::new(2, 3, vec![1.0, 0.0, 0.5, 0.5, 0.0, 1.0]);
        assert!(principal(&w, &line, 100).is_none());
        let constant = Matrix::new(2, 2, vec![0.5, 0.5, 0.5, 0.5]);
        assert!(principal(&w, &constant, 100).is_none());
        assert!(principal(&Matrix::default(), &Matrix::default(), 100).is_none());
    }
}
