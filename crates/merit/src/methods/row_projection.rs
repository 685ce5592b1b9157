//! The point nearest to a row `z` of `Y` that keeps the row's constraints: FastGradient's projection.
//!
//! ```text
//! min_y 1/2 ||y - z||^2   over   0 <= y_i <= 1  (its own place),   0 <= y_j <= c_j y_i  (j != i),   c_j = w_j / w_i
//! ```
//!
//! With `t = y_i` given, `y_j = min(max(z_j, 0), c_j t)`. The best `t` is the root of the increasing, concave, piecewise linear
//!
//! ```text
//! phi(t) = t - z_i - sum over { j: z_j > c_j t } of c_j (z_j - c_j t)
//! ```
//!
//! (0 if it is negative, 1 if it is above 1). Newton's method from the left, `t = max(z_i, 0)`, never oversteps a concave
//! function's root and ends after finitely many steps, when no `j` leaves the sum: five or so, `O(N)`. Should that take
//! long, what is left is sorted by `z_j / c_j`, so the whole is never worse than `O(N log N)`. Either way the root is that of
//! its linear piece: exact, up to the rounding of one sum.

/// Newton steps before the rest is sorted.
const NEWTON_STEPS: usize = 16;

/// Replaces `z` by its projection and returns the value at its own `place`, `i`. `scratch` has room for a row.
///
/// A row of a zero column (`w_i = 0`) becomes 0: it can explain nothing.
pub(super) fn project(z: &mut [f64], place: usize, w: &[f64], scratch: &mut [(f64, f64)]) -> f64 {
    let t = if w[place] > 0.0 && !surely_zero(z, place, w) { own_value(z, place, w, scratch) } else { 0.0 };
    if t <= 0.0 {
        z.fill(0.0);
        return 0.0;
    }
    let t_over_w = t / w[place];
    z.iter_mut().zip(w).for_each(|(z, w)| *z = z.max(0.0).min(w * t_over_w));
    z[place] = t;
    t
}

/// Whether `phi(0) >= 0`, so that the root is 0, by more than rounding can change: most rows, in one pass that vectorizes.
fn surely_zero(z: &[f64], place: usize, w: &[f64]) -> bool {
    const LANES: usize = 16;
    let mut sums = [0.0; LANES];
    let (z_lanes, w_lanes) = (z.chunks_exact(LANES), w.chunks_exact(LANES));
    let rest: f64 = z_lanes.remainder().iter().zip(w_lanes.remainder()).map(|(z, w)| w * z.max(0.0)).sum();
    for (z, w) in z_lanes.zip(w_lanes) {
        for ((sum, z), w) in sums.iter_mut().zip(z).zip(w) {
            *sum += w * z.max(0.0);
        }
    }
    z[place] < 0.0 && (sums.iter().sum::<f64>() + rest) * (1.0 + 1e-9) < -z[place] * w[place]
}

/// The `t` of the projection, from 0 to 1.
fn own_value(z: &[f64], place: usize, w: &[f64], scratch: &mut [(f64, f64)]) -> f64 {
    let own = z[place];
    let mut t = own.max(0.0);
    if t >= 1.0 {
        return 1.0;
    }
    let scale = 1.0 / w[place];
    // Every place is written, and stays if the count goes on: there is no branch to guess.
    let mut count = 0;
    let pairs = |range: std::ops::Range<usize>| z[range.clone()].iter().zip(&w[range]);
    for (&z, &w) in pairs(0..place).chain(pairs(place + 1..z.len())) {
        let c = w * scale;
        scratch[count] = (c, z);
        count += usize::from(z > c * t && c > 0.0);
    }
    for step in 0.. {
        let active = &mut scratch[..count];
        if step == NEWTON_STEPS {
            return sorted_root(own, active);
        }
        let (top, bottom) = active.iter().fold((own, 1.0), |(top, bottom), &(c, z)| (top + c * z, bottom + c * c));
        t = top / bottom;
        if t <= 0.0 {
            return 0.0; // only at the first step, which starts at 0: phi(0) >= 0
        }
        if t >= 1.0 {
            return 1.0;
        }
        let before = std::mem::take(&mut count);
        for j in 0..before {
            let (c, z) = active[j];
            active[count] = (c, z);
            count += usize::from(z > c * t);
        }
        if count == before {
            break;
        }
    }
    t
}

/// The root by adding the active places from the largest `z/c` down, until the next no longer belongs to the sum.
fn sorted_root(own: f64, active: &mut [(f64, f64)]) -> f64 {
    active.sort_unstable_by(|a, b| (b.1 / b.0).total_cmp(&(a.1 / a.0)));
    let (mut top, mut bottom) = (own, 1.0);
    for &(c, z) in active.iter() {
        if z * bottom <= c * top {
            break;
        }
        (top, bottom) = (top + c * z, bottom + c * c);
    }
    (top / bottom).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same by bisection on `phi`.
    fn slow(z: &[f64], place: usize, w: &[f64]) -> Vec<f64> {
        let others = || (0..z.len()).filter(|&j| j != place);
        let c = |j: usize| w[j] / w[place];
        let phi = |t: f64| t - z[place] - others().map(|j| c(j) * (z[j] - c(j) * t).max(0.0)).sum::<f64>();
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if phi(middle) < 0.0 { low = middle } else { high = middle }
        }
        let t = if phi(0.0) >= 0.0 { 0.0 } else { high };
        (0..z.len()).map(|j| if j == place { t } else { z[j].max(0.0).min(c(j) * t) }).collect()
    }

    fn fast(z: &[f64], place: usize, w: &[f64]) -> Vec<f64> {
        let mut y = z.to_vec();
        project(&mut y, place, w, &mut vec![(0.0, 0.0); z.len()]);
        y
    }

    fn row() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, usize)> {
        (1usize..40).prop_flat_map(|n| {
            let weight = prop_oneof![4 => 0.01..3.0, 1 => Just(1.0), 1 => Just(0.0)];
            let value = prop_oneof![3 => -1.0..1.5, 1 => Just(0.0), 1 => Just(0.5), 1 => -0.01..0.01];
            (prop::collection::vec(value, n), prop::collection::vec(weight, n), 0..n)
        })
    }

    proptest! {
        #[test]
        fn equals_bisection((z, mut w, place) in row()) {
            w[place] = w[place].max(0.05);
            for (a, b) in fast(&z, place, &w).iter().zip(slow(&z, place, &w)) {
                prop_assert!((a - b).abs() < 1e-12, "{a} {b}");
            }
        }

        #[test]
        fn sorting_gives_newtons_root((z, mut w, place) in row()) {
            w[place] = w[place].max(0.05);
            let c = |j: usize| w[j] / w[place];
            let others = (0..z.len()).filter(|&j| j != place && c(j) > 0.0 && z[j] > 0.0);
            let mut active: Vec<(f64, f64)> = others.map(|j| (c(j), z[j])).collect();
            let newton = fast(&z, place, &w)[place];
            prop_assert!((sorted_root(z[place], &mut active) - newton).abs() < 1e-12);
        }

        /// No feasible point is nearer: `<z - y, v - y> <= 0` for every feasible `v`.
        #[test]
        fn is_the_nearest((z, mut w, place) in row(), other in prop::collection::vec(0.0..1.0, 40)) {
            w[place] = w[place].max(0.05);
            let y = fast(&z, place, &w);
            let limit = |j: usize, t: f64| if j == place { t } else { w[j] / w[place] * t };
            let feasible = |j: usize| y[j] >= 0.0 && y[j] <= limit(j, y[place]) * (1.0 + 1e-15) && y[place] <= 1.0;
            prop_assert!((0..z.len()).all(feasible));
            let v: Vec<f64> = (0..z.len()).map(|j| {
                let part = if j == place { 1.0 } else { other[j] };
                part * limit(j, other[place])
            }).collect();
            let product: f64 = (0..z.len()).map(|j| (z[j] - y[j]) * (v[j] - y[j])).sum();
            prop_assert!(product <= 1e-9, "{product}");
        }
    }

    #[test]
    fn edges() {
        assert_eq!(fast(&[3.0, 0.7], 0, &[1.0, 0.5]), [1.0, 0.5]);
        assert_eq!(fast(&[-1.0, 0.5], 0, &[1.0, 1.0]), [0.0, 0.0]);
        assert_eq!(fast(&[0.4, 0.5], 0, &[0.0, 1.0]), [0.0, 0.0], "a zero column");
        assert_eq!(fast(&[0.4, 0.5], 0, &[1.0, 0.0]), [0.4, 0.0]);
        assert_eq!(fast(&[-7.0], 0, &[1.0]), [0.0]);
    }

    #[test]
    fn places_that_leave_one_by_one_are_sorted() {
        // growing ratios with shrinking weights, so that every Newton step sheds few places
        let n = 60;
        let w: Vec<f64> = (0..n).map(|j| if j == 0 { 1.0 } else { 0.7f64.powi(j) }).collect();
        let z: Vec<f64> = (0..n).map(|j| if j == 0 { -0.05 } else { 0.7f64.powi(j) * 0.9f64.powi(60 - j) }).collect();
        for (a, b) in fast(&z, 0, &w).iter().zip(slow(&z, 0, &w)) {
            assert!((a - b).abs() < 1e-12);
        }
    }
}
