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
    /// Cholesky's factor of `products`, in the same places, with the inverses of its diagonal; the first `factored` rows are right.
    factor: Vec<f64>,
    factored: usize,
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
        self.factor.resize((d + 1) * (d + 1), 0.0);
        self.factored = 0;
        let mut p: Vec<f64> = z.iter().map(|z| -z).collect(); // towards the center, if there is nothing better
        if let Some(simplex) = nearest {
            // Corners whose opposite face has `z` behind it would leave first.
            let near = simplex.atoms.iter().zip(simplex.faces.chunks_exact(d + 1));
            let near = near.filter(|(_, face)| dot(&face[..d], z) + face[d] > 0.0);
            near.for_each(|(&atom, _)| self.push(work, atom, z, 1.0));
            let share = 1.0 / self.atoms.len() as f64;
            self.weights.fill(share);
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
        let mut scores = [f32::INFINITY; GROUP];
        for group in 0..work.packed.groups() {
            kernel.scores(&work.packed, &work.bias, group, &self.query, &mut scores);
            if kernel.at_most(&scores, best.next_down()) != 0 {
                let i = least(&scores[..size]);
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
        self.factored = self.factored.min(i);
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
        for i in self.factored..n {
            let (above, row) = self.factor.split_at_mut(i * width);
            let products = &self.products[i * width..][..=i];
            for (k, other) in above.chunks_exact(width).enumerate() {
                row[k] = (products[k] - product(&row[..k], other)) * other[k];
            }
            let value = products[i] - product(&row[..i], &row[..i]);
            if value <= 1e-14 || value.is_nan() {
                return false;
            }
            row[i] = 1.0 / value.sqrt();
            self.factored = i + 1;
        }
        let u = &mut self.goal;
        u.clear();
        for (i, row) in self.factor.chunks_exact(width).take(n).enumerate() {
            u.push((1.0 - product(u, row)) * row[i]);
        }
        for (i, row) in self.factor.chunks_exact(width).take(n).enumerate().rev() {
            u[i] *= row[i];
            let goal = u[i];
            u.iter_mut().zip(&row[..i]).for_each(|(u, factor)| *u -= factor * goal);
        }
        let total: f64 = u.iter().sum();
        u.iter_mut().for_each(|u| *u /= total);
        total > 0.0
    }
}

/// `<a, b>` over the length of the shorter one: a few numbers.
fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
