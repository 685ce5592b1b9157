//! The small problem behind every column: a convex quadratic over `h >= 0`, or over the simplex.
//!
//! ```text
//! min_h  1/2 (h - c)' A (h - c) + g' (h - c)     A: K x K, positive definite;  g: the gradient at c
//! ```
//!
//! Written around a point `c` with its gradient, so that a solution can be refined: started again from there with a
//! gradient computed without the Gram matrix, the step is small and so is its rounding error. From scratch, `c = 0`.
//!
//! **Block pivoting** guesses which `h_k` are positive, solves the linear system for those, and moves all that came out
//! with the wrong sign to the other side at once: three to six small systems from the unconstrained solution on. It can
//! cycle; when it stops making progress, **Lawson and Hanson's** method takes over, which goes from one feasible point to
//! a strictly better one and so cannot. Both end on the same conditions. (Kim and Park, SIAM J. Sci. Comput. 33, 2011;
//! Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23.)
//!
//! Each system costs `P^3 / 6 + P K` multiplications for `P` positive entries; memory is `K^2` numbers per thread.

use super::Constraint;

/// The matrix `A`, factorized once: what all columns share.
pub(super) struct Quadratic {
    constraint: Constraint,
    size: usize,
    a: Vec<f64>,
    inverse: Vec<f64>,
    inverse_times_ones: Vec<f64>,
    /// Smallest pivot of the factorization of `A`, divided by its diagonal entry: 1 for orthogonal columns, 0 for
    /// dependent ones.
    pub smallest_pivot: f64,
}

/// Buffers for one column at a time. After [`Quadratic::minimize`], `h` holds the solution.
pub(super) struct Workspace {
    pub h: Vec<f64>,
    pub center: Vec<f64>,
    pub gradient: Vec<f64>,
    stationary: Vec<f64>,
    slope: Vec<f64>,
    level: f64,
    positive: Vec<bool>,
    blocked: Vec<bool>,
    passive: Vec<usize>,
    factor: Factor,
    step: Vec<f64>,
    ones: Vec<f64>,
}

/// What counts as zero: a slope in absolute terms, an entry of `h` relative to the largest one.
#[derive(Clone, Copy)]
pub(super) struct Zero {
    pub slope: f64,
    pub entry: f64,
}

impl Workspace {
    pub fn new(size: usize) -> Self {
        let zeros = || vec![0.0; size];
        Self {
            h: zeros(),
            center: zeros(),
            gradient: zeros(),
            stationary: zeros(),
            slope: zeros(),
            level: 0.0,
            positive: vec![false; size],
            blocked: vec![false; size],
            passive: Vec::with_capacity(size),
            factor: Factor::new(size),
            step: zeros(),
            ones: zeros(),
        }
    }
}

impl Quadratic {
    /// `a` is symmetric, `size x size`, positive definite up to rounding.
    pub fn new(constraint: Constraint, size: usize, a: Vec<f64>) -> Self {
        let mut factor = Factor::new(size);
        let everything: Vec<usize> = (0..size).collect();
        let smallest_pivot = factor.factorize(&a, size, &everything);
        let mut inverse = vec![0.0; size * size];
        let mut inverse_times_ones = vec![0.0; size];
        for (k, column) in inverse.chunks_exact_mut(size.max(1)).enumerate() {
            column[k] = 1.0;
            factor.solve(column);
            inverse_times_ones.iter_mut().zip(&*column).for_each(|(sum, v)| *sum += v);
        }
        Self { constraint, size, a, inverse, inverse_times_ones, smallest_pivot }
    }

    /// Column `k` of `A`.
    pub fn column(&self, k: usize) -> &[f64] {
        &self.a[k * self.size..][..self.size]
    }

    /// Puts the minimizer into `work.h`, given `work.center` (zero, or feasible) and `work.gradient` there. `false` when
    /// rounding kept the method from ending; `work.h` is feasible all the same.
    pub fn minimize(&self, work: &mut Workspace, zero: Zero) -> bool {
        if self.size == 0 {
            return true;
        }
        if work.center.iter().any(|&c| c != 0.0) {
            work.positive.iter_mut().zip(&work.center).for_each(|(p, &c)| *p = c > 0.0);
        } else {
            self.guess(work);
        }
        let solved = self.block_pivoting(work, zero);
        if solved {
            work.h.copy_from_slice(&work.stationary);
        }
        let solved = solved || self.lawson_hanson(work, zero);
        work.h.iter_mut().for_each(|h| *h = h.max(0.0)); // what was within `zero.entry` of 0
        if self.constraint == Constraint::Simplex {
            let sum: f64 = work.h.iter().sum();
            work.h.iter_mut().for_each(|h| *h /= sum);
        }
        solved
    }

    /// Puts a guess into `work.h`, from `center = 0`: the minimizer without `h >= 0`, with what is negative set to zero.
    pub fn estimate(&self, work: &mut Workspace) {
        self.guess(work);
        for ((h, &step), &positive) in work.h.iter_mut().zip(&work.step).zip(&work.positive) {
            *h = if positive { step.max(0.0) } else { 0.0 };
        }
        if self.constraint == Constraint::Simplex {
            let sum: f64 = work.h.iter().sum();
            if sum > 0.0 {
                work.h.iter_mut().for_each(|h| *h /= sum);
            } else {
                work.h.iter_mut().zip(&work.positive).for_each(|(h, &positive)| *h = f64::from(u8::from(positive)));
            }
        }
    }

    /// First guess of the positive entries: those of the minimizer without `h >= 0`. The explicit inverse is accurate
    /// enough for a guess, and its product with a vector has no chain of dependent divisions.
    fn guess(&self, work: &mut Workspace) {
        let step = &mut work.step[..self.size];
        step.fill(0.0);
        add_columns(&self.inverse, self.size, work.gradient.iter().map(|g| -g).enumerate(), step);
        if self.constraint == Constraint::Simplex {
            let ones = &self.inverse_times_ones;
            let level = (1.0 - step.iter().sum::<f64>()) / ones.iter().sum::<f64>();
            step.iter_mut().zip(ones).for_each(|(s, v)| *s += level * v);
        }
        let largest = work.step[..self.size].iter().fold(0.0, |a: f64, &b| a.max(b));
        work.positive.iter_mut().zip(&work.step).for_each(|(p, &s)| *p = s > 0.0 && s >= 1e-12 * largest);
        self.keep_one(work, 0);
    }

    /// On the simplex some entry must be positive; `k` if no other is.
    fn keep_one(&self, work: &mut Workspace, k: usize) {
        if self.constraint == Constraint::Simplex && !work.positive.iter().any(|&p| p) {
            work.positive[k] = true;
        }
    }

    fn block_pivoting(&self, work: &mut Workspace, zero: Zero) -> bool {
        let (mut fewest, mut patience) = (self.size + 1, 3);
        loop {
            self.stationary_point(work);
            let largest = largest(&work.stationary);
            let entry = zero.entry * work.stationary[largest].abs();
            let mut wrong = 0;
            for k in 0..self.size {
                let flip = if work.positive[k] {
                    work.stationary[k] < -entry
                } else {
                    work.slope[k] - work.level < -zero.slope
                };
                work.positive[k] ^= flip;
                wrong += usize::from(flip);
            }
            if wrong == 0 {
                return true;
            }
            self.keep_one(work, largest);
            if wrong < fewest {
                (fewest, patience) = (wrong, 3);
            } else if patience > 0 {
                patience -= 1;
            } else {
                return false;
            }
        }
    }

    fn lawson_hanson(&self, work: &mut Workspace, zero: Zero) -> bool {
        work.h.fill(0.0);
        work.positive.fill(false);
        work.blocked.fill(false);
        let first = largest(&work.stationary);
        self.keep_one(work, first);
        work.h[first] = f64::from(u8::from(work.positive[first]));
        let mut entered = None;
        for _ in 0..20 * self.size + 100 {
            self.stationary_point(work);
            if let Some(k) = entered.take()
                && work.stationary[k] <= 0.0
            {
                // Its slope was negative by rounding only: leave it out until something else has moved.
                (work.positive[k], work.blocked[k]) = (false, true);
                self.stationary_point(work);
            }
            let mut fraction = 1.0;
            for &k in &work.passive {
                if work.stationary[k] <= 0.0 {
                    fraction = f64::min(fraction, work.h[k] / (work.h[k] - work.stationary[k]));
                }
            }
            let complete = fraction >= 1.0;
            for &k in &work.passive {
                let target = work.stationary[k];
                let h = if complete { target } else { work.h[k] + fraction * (target - work.h[k]) };
                let leaves = target <= 0.0 && h <= f64::EPSILON * work.h[k];
                work.h[k] = if leaves { 0.0 } else { h };
                work.positive[k] = !leaves;
            }
            if !complete {
                work.blocked.fill(false);
                continue;
            }
            let candidates = (0..self.size).filter(|&k| !work.positive[k] && !work.blocked[k]);
            let Some(k) = candidates.min_by(|&i, &j| work.slope[i].total_cmp(&work.slope[j])) else { return true };
            if work.slope[k] - work.level >= -zero.slope {
                return true;
            }
            work.positive[k] = true;
            entered = Some(k);
        }
        false
    }

    /// The minimizer with `h_k = 0` outside the positive set and free inside: `work.stationary`, its gradient in
    /// `work.slope`, and the value `work.level` that the gradient has on the whole positive set (0 without the sum).
    fn stationary_point(&self, work: &mut Workspace) {
        let Workspace { passive, factor, step, ones, stationary, center, gradient, slope, positive, .. } = work;
        passive.clear();
        passive.extend((0..self.size).filter(|&k| positive[k]));
        let size = passive.len();
        factor.factorize(&self.a, self.size, passive);
        let (step, ones) = (&mut step[..size], &mut ones[..size]);
        step.iter_mut().zip(&*passive).for_each(|(s, &k)| *s = -gradient[k]);
        for j in (0..self.size).filter(|&j| !positive[j] && center[j] != 0.0) {
            let column = self.column(j); // entry j goes to zero: a step of -c_j
            step.iter_mut().zip(&*passive).for_each(|(s, &k)| *s += center[j] * column[k]);
        }
        work.level = 0.0;
        match self.constraint {
            Constraint::Nonnegative => factor.solve(step),
            Constraint::Simplex => {
                // A constant in the gradient only moves the level; taken out, it cannot drown the differences.
                let constant = step[0];
                step.iter_mut().for_each(|s| *s -= constant);
                ones.fill(1.0);
                factor.solve_two(step, ones);
                let sum = 1.0 - passive.iter().map(|&k| center[k]).sum::<f64>();
                let level = (sum - step.iter().sum::<f64>()) / ones.iter().sum::<f64>();
                step.iter_mut().zip(&*ones).for_each(|(s, v)| *s += level * v);
                work.level = level - constant;
            }
        }
        stationary.fill(0.0);
        passive.iter().zip(&*step).for_each(|(&k, s)| stationary[k] = center[k] + s);
        slope.copy_from_slice(gradient);
        let moved = (0..self.size).map(|k| (k, stationary[k] - center[k])).filter(|&(_, step)| step != 0.0);
        add_columns(&self.a, self.size, moved, slope);
    }
}

/// Index of the largest entry, the first of several.
fn largest(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |best, k| if values[k] > values[best] { k } else { best })
}

/// `out += sum_k factor_k column_k` for the columns of a matrix stored by columns, four at a time.
pub(super) fn add_columns(
    matrix: &[f64],
    rows: usize,
    mut factors: impl Iterator<Item = (usize, f64)>,
    out: &mut [f64],
) {
    let out = &mut out[..rows];
    let column = |k: usize| &matrix[k * rows..][..rows];
    while let Some((i, a)) = factors.next() {
        let (j, b) = factors.next().unwrap_or((i, 0.0));
        let (k, c) = factors.next().unwrap_or((i, 0.0));
        let (l, d) = factors.next().unwrap_or((i, 0.0));
        let (i, j, k, l) = (column(i), column(j), column(k), column(l));
        for m in 0..rows {
            out[m] += (a * i[m] + b * j[m]) + (c * k[m] + d * l[m]);
        }
    }
}

/// `L D L'` of a principal submatrix; `L` is kept by columns.
struct Factor {
    size: usize,
    lower: Vec<f64>,
    pivots: Vec<f64>,
    reciprocals: Vec<f64>,
}

impl Factor {
    fn new(size: usize) -> Self {
        Self { size: 0, lower: vec![0.0; size * size], pivots: vec![0.0; size], reciprocals: vec![0.0; size] }
    }

    /// Factorizes the rows and columns `which` of `a`; returns the smallest ratio of a pivot to its diagonal entry.
    fn factorize(&mut self, a: &[f64], stride: usize, which: &[usize]) -> f64 {
        let size = which.len();
        self.size = size;
        let mut smallest = 1.0;
        for (j, &column) in which.iter().enumerate() {
            let (before, rest) = self.lower.split_at_mut(j * size);
            let current = &mut rest[j..size];
            let source = &a[column * stride..][..stride];
            current.iter_mut().zip(&which[j..]).for_each(|(value, &row)| *value = source[row]);
            let diagonal = current[0];
            let known = before.chunks_exact(size).zip(&self.pivots).map(|(l, pivot)| (&l[j..], l[j] * pivot));
            subtract_columns(known, current);
            // A pivot lost to rounding must not turn the rest into infinities.
            let pivot = current[0].max(f64::EPSILON * diagonal).max(f64::MIN_POSITIVE);
            smallest = f64::min(smallest, current[0] / diagonal);
            let reciprocal = 1.0 / pivot;
            (self.pivots[j], self.reciprocals[j]) = (pivot, reciprocal);
            current.iter_mut().for_each(|value| *value *= reciprocal);
        }
        smallest
    }

    fn column(&self, j: usize) -> &[f64] {
        &self.lower[j * self.size..][j + 1..self.size]
    }

    /// `u <- (L D L')^-1 u`.
    fn solve(&self, u: &mut [f64]) {
        for j in 0..self.size {
            let (head, tail) = u.split_at_mut(j + 1);
            tail.iter_mut().zip(self.column(j)).for_each(|(t, l)| *t -= head[j] * l);
        }
        u.iter_mut().zip(&self.reciprocals).for_each(|(u, reciprocal)| *u *= reciprocal);
        for j in (0..self.size).rev() {
            let (head, tail) = u.split_at_mut(j + 1);
            head[j] -= tail.iter().zip(self.column(j)).map(|(t, l)| t * l).sum::<f64>();
        }
    }

    /// The same for two right-hand sides in one pass over `L`.
    fn solve_two(&self, u: &mut [f64], v: &mut [f64]) {
        for j in 0..self.size {
            let ((a, u), (b, v)) = (u.split_at_mut(j + 1), v.split_at_mut(j + 1));
            for ((u, v), l) in u.iter_mut().zip(v).zip(self.column(j)) {
                *u -= a[j] * l;
                *v -= b[j] * l;
            }
        }
        for ((u, v), reciprocal) in u.iter_mut().zip(&mut *v).zip(&self.reciprocals) {
            *u *= reciprocal;
            *v *= reciprocal;
        }
        for j in (0..self.size).rev() {
            let ((a, u), (b, v)) = (u.split_at_mut(j + 1), v.split_at_mut(j + 1));
            let (mut s, mut t) = (0.0, 0.0);
            for ((u, v), l) in u.iter().zip(&*v).zip(self.column(j)) {
                s += u * l;
                t += v * l;
            }
            a[j] -= s;
            b[j] -= t;
        }
    }
}

/// `out -= sum factor column`, four at a time.
fn subtract_columns<'a>(mut columns: impl Iterator<Item = (&'a [f64], f64)>, out: &mut [f64]) {
    let rows = out.len();
    while let Some((i, a)) = columns.next() {
        let (j, b) = columns.next().unwrap_or((i, 0.0));
        let (k, c) = columns.next().unwrap_or((i, 0.0));
        let (l, d) = columns.next().unwrap_or((i, 0.0));
        let (i, j, k, l) = (&i[..rows], &j[..rows], &k[..rows], &l[..rows]);
        for m in 0..rows {
            out[m] -= (a * i[m] + b * j[m]) + (c * k[m] + d * l[m]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pseudo-random number in (-1, 1) from a counter.
    fn noise(i: usize) -> f64 {
        ((i as f64 * 12.9898).sin() * 43758.5453).fract()
    }

    #[test]
    fn lawson_hanson_ends_where_block_pivoting_does() {
        for size in 1..30 {
            for constraint in [Constraint::Simplex, Constraint::Nonnegative] {
                let w: Vec<f64> = (0..2 * size * size).map(|i| noise(i + size)).collect();
                let column = |k: usize| &w[2 * size * k..][..2 * size];
                let entry = |p: usize| column(p / size).iter().zip(column(p % size)).map(|(a, b)| a * b).sum();
                let quadratic = Quadratic::new(constraint, size, (0..size * size).map(entry).collect());
                let zero = Zero { slope: 1e-13, entry: 1e-15 };
                let mut work = Workspace::new(size);
                (0..size).for_each(|k| work.gradient[k] = noise(1000 * size + k));
                assert!(quadratic.minimize(&mut work, zero));
                let expected = work.h.clone();
                assert!(quadratic.lawson_hanson(&mut work, zero));
                for (a, b) in work.h.iter().zip(&expected) {
                    assert!((a - b).abs() < 1e-10, "{constraint:?}, {size}: {:?} against {expected:?}", work.h);
                }
            }
        }
    }
}
