//! Where a point lies against the hull of the extreme points: Wolfe's min-norm-point method.

use super::{GROUP, MARGIN, Simplex, Verdict, WOLFE_STEP, Work};
use merit_linalg::dense::dot;
use merit_linalg::kernels::least;

/// Wolfe's method for the point of `conv(E) - z` nearest to the origin.
#[derive(Default)]
pub(super) struct Wolfe {
    /// Positions in `E`, their points less `z` one after the other, weights, and products of the points: row `i` holds those
    /// with the points up to `i`, in a place for `d + 1`.
    atoms: Vec<usize>,
    vectors: Vec<f64>,
    weights: Vec<f64>,
    products: Vec<f64>,
    factor: Vec<f64>,
    goal: Vec<f64>,
    query: Vec<f32>,
}

impl Wolfe {
    /// Where `z` lies, beginning from the corners of a simplex that nearly holds it.
    pub(super) fn locate(&mut self, work: &Work, z: &[f64], nearest: Option<&Simplex>, spent: &mut u64) -> Verdict {
        let d = z.len();
        self.atoms.clear();
        self.vectors.clear();
        self.weights.clear();
        self.products.clear();
        self.products.resize((d + 1) * (d + 1), 0.0);
        let mut p: Vec<f64> = z.iter().map(|z| -z).collect(); // towards the center, if there is nothing better
        if let Some(simplex) = nearest {
            simplex.atoms.iter().for_each(|&atom| self.push(work, atom, z, 1.0 / (d + 1) as f64));
            if !self.minimize(d) {
                return Verdict::Unclear;
            }
            self.nearest_point(&mut p);
        }
        for _ in 0..12 * d + 30 {
            *spent += (d * work.extremes.len() + d * d * d) as u64 + WOLFE_STEP;
            if self.atoms.len() == d + 1 {
                let corners: Vec<&[f64]> = self.atoms.iter().map(|&atom| work.corner(atom)).collect();
                let simplex = Simplex::of(&corners, &self.atoms);
                return match simplex.filter(|simplex| simplex.depth(z, f64::NEG_INFINITY) >= MARGIN) {
                    Some(simplex) => Verdict::InsideNew(simplex),
                    None => Verdict::Unclear,
                };
            }
            let j = self.extreme(work, &p);
            if self.atoms.contains(&j) {
                // The least point is where we are: outside if clearly away from it, else on a face.
                return if dot(&p, &p) > 1e-20 { Verdict::Outside(p) } else { Verdict::Unclear };
            }
            let first = self.atoms.is_empty();
            self.push(work, j, z, if first { 1.0 } else { 0.0 });
            let last = &self.vectors[self.vectors.len() - d..];
            if !first && dot(&p, last) > 1e-12 * dot(&p, &p).sqrt() {
                return Verdict::Outside(p);
            }
            if !self.minimize(d) {
                return Verdict::Unclear;
            }
            self.nearest_point(&mut p);
        }
        Verdict::Unclear
    }

    fn push(&mut self, work: &Work, atom: usize, z: &[f64], weight: f64) {
        let point = work.corner(atom);
        let start = self.vectors.len();
        self.vectors.extend(point.iter().zip(z).map(|(e, z)| e - z));
        let vector = &self.vectors[start..];
        let row = &mut self.products[self.atoms.len() * (z.len() + 1)..];
        for (product, other) in row.iter_mut().zip(self.vectors.chunks_exact(z.len())) {
            *product = 1.0 + dot(vector, other);
        }
        self.atoms.push(atom);
        self.weights.push(weight);
    }

    /// `sum_i w_i v_i`.
    fn nearest_point(&self, p: &mut [f64]) {
        p.fill(0.0);
        for (weight, vector) in self.weights.iter().zip(self.vectors.chunks_exact(p.len())) {
            p.iter_mut().zip(vector).for_each(|(p, v)| *p += weight * v);
        }
    }

    /// The position in `E` of (nearly) the least `<p, e>`.
    fn extreme(&mut self, work: &Work, p: &[f64]) -> usize {
        let kernel = work.cloud.kernel;
        let norm = dot(p, p).sqrt();
        self.query.clear();
        self.query.extend(p.iter().map(|v| if norm > 0.0 { (v / norm) as f32 } else { 0.0 }));
        let (mut best, mut at) = (f32::INFINITY, 0);
        let size = work.packed.group_size();
        for group in 0..work.packed.groups() {
            let mut scores = [0.0; GROUP];
            kernel.scores(&work.packed, &work.bias, group, &self.query, &mut scores);
            let i = least(&scores[..size]);
            if scores[i] < best {
                (best, at) = (scores[i], group * size + i);
            }
        }
        at
    }

    /// Moves the weights to the least-norm point of the atoms' hull; atoms without weight leave. False if that fails.
    fn minimize(&mut self, d: usize) -> bool {
        loop {
            if !self.aim(d + 1) {
                return false;
            }
            if self.goal.iter().all(|&weight| weight > 1e-13) {
                std::mem::swap(&mut self.weights, &mut self.goal);
                return true;
            }
            // As far towards the goal as weights stay nonnegative.
            let steps = self.weights.iter().zip(&self.goal).filter(|(w, g)| g < w).map(|(w, g)| w / (w - g));
            let step = steps.fold(1.0, f64::min);
            for (weight, goal) in self.weights.iter_mut().zip(&self.goal) {
                *weight += step * (goal - *weight);
            }
            let smallest = self.weights.iter().copied().fold(f64::INFINITY, f64::min).max(1e-13);
            for i in (0..self.atoms.len()).rev().filter(|&i| self.weights[i] <= smallest).collect::<Vec<_>>() {
                self.remove(i, d);
            }
            if self.atoms.is_empty() {
                return false;
            }
        }
    }

    fn remove(&mut self, i: usize, d: usize) {
        self.atoms.remove(i);
        self.weights.remove(i);
        self.vectors.drain(i * d..(i + 1) * d);
        // The rows behind it move up, without column i.
        let width = d + 1;
        for row in i..self.atoms.len() {
            let from = (row + 1) * width;
            self.products.copy_within(from..from + i, row * width);
            self.products.copy_within(from + i + 1..from + row + 2, row * width + i);
        }
    }

    /// The goal: weights, summing to 1, of the least-norm point of the atoms' affine hull, `(G + 11') u = 1` scaled.
    fn aim(&mut self, width: usize) -> bool {
        let n = self.atoms.len();
        let factor = &mut self.factor; // Cholesky's, row after row
        factor.clear();
        factor.resize(n * n, 0.0);
        let u = &mut self.goal;
        u.clear();
        u.resize(n, 1.0);
        for i in 0..n {
            for k in 0..=i {
                let sum: f64 = (0..k).map(|c| factor[i * n + c] * factor[k * n + c]).sum();
                let value = self.products[i * width + k] - sum;
                if i > k {
                    factor[i * n + k] = value / factor[k * n + k];
                } else if value > 1e-14 {
                    factor[i * n + i] = value.sqrt();
                } else {
                    return false;
                }
            }
            let sum: f64 = (0..i).map(|k| factor[i * n + k] * u[k]).sum();
            u[i] = (1.0 - sum) / factor[i * n + i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| factor[k * n + i] * u[k]).sum();
            u[i] = (u[i] - sum) / factor[i * n + i];
        }
        let total: f64 = u.iter().sum();
        u.iter_mut().for_each(|u| *u /= total);
        total > 0.0
    }
}
