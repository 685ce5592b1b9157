//! The constrained least squares against slow twins, its optimality conditions as properties, and degenerate `W`.

use merit::least_squares::{Constraint, DEFAULT_TOLERANCE, for_each_column, solve, squared_residual};
use merit_linalg::{DataMatrix, DenseMatrix, SparseMatrix};
use proptest::prelude::*;
use std::sync::Mutex;

const BOTH: [Constraint; 2] = [Constraint::Simplex, Constraint::Nonnegative];

fn residual(x: &[f64], w: &DenseMatrix, h: &[f64]) -> Vec<f64> {
    (0..x.len()).map(|m| x[m] - (0..h.len()).map(|k| w.get(m, k) * h[k]).sum::<f64>()).collect()
}

fn squared(r: &[f64]) -> f64 {
    r.iter().map(|r| r * r).sum()
}

/// Deviation from the optimality conditions, in the coordinates of the caller.
fn violation(x: &[f64], w: &DenseMatrix, h: &[f64], constraint: Constraint) -> f64 {
    let r = residual(x, w, h);
    let g: Vec<f64> = (0..h.len()).map(|k| -w.col(k).iter().zip(&r).map(|(a, b)| a * b).sum::<f64>()).collect();
    let norm = |k: usize| squared(w.col(k)).sqrt();
    let largest = (0..h.len()).map(norm).fold(0.0, f64::max);
    let (lowest, fitted) = match constraint {
        Constraint::Simplex => (g.iter().copied().fold(f64::INFINITY, f64::min), largest),
        Constraint::Nonnegative => (0.0, (0..h.len()).map(|k| norm(k) * h[k]).sum::<f64>()),
    };
    let scale = largest * (squared(x).sqrt() + fitted);
    let deviation = |k: usize| if h[k] > 0.0 { (g[k] - lowest).abs() } else { lowest - g[k] };
    (0..h.len()).map(deviation).fold(0.0, f64::max) / scale.max(f64::MIN_POSITIVE)
}

/// Checks every column of `solve`, and that what it says about itself is so.
fn assert_solved(x: &DenseMatrix, w: &DenseMatrix, constraint: Constraint) -> DenseMatrix {
    let data = DataMatrix::from(x.clone());
    let fit = solve(&data, w, constraint, DEFAULT_TOLERANCE);
    assert_eq!(fit.unconverged, 0, "{constraint:?}: violation {}", fit.violation);
    assert!(fit.violation <= fit.tolerance);
    let (mut total, mut size) = (0.0, 0.0);
    for l in 0..x.cols() {
        let h = fit.h.col(l);
        assert!(h.iter().all(|&h| h >= 0.0 && h.is_finite()), "{h:?}");
        if constraint == Constraint::Simplex {
            assert!((h.iter().sum::<f64>() - 1.0).abs() < 1e-14, "{h:?}");
        }
        let found = violation(x.col(l), w, h, constraint);
        assert!(found < 2e-12, "{constraint:?}, column {l}: {found:e} with {h:?}");
        total += squared(&residual(x.col(l), w, h));
        let fitted: f64 = (0..w.cols()).map(|k| h[k] * squared(w.col(k)).sqrt()).sum();
        size += squared(x.col(l)) + fitted * fitted;
    }
    let size = size + squared(w.values());
    let rounding = 1e-14 * (total * size).sqrt() + 1e-28 * size; // r^2 with an error of 1e-14 in r
    assert!((fit.squared_residual - total).abs() <= rounding, "{} {total}", fit.squared_residual);
    assert_eq!(squared_residual(&data, w, constraint, DEFAULT_TOLERANCE), fit.squared_residual);
    fit.h
}

/// Slow twin: the best of all `2^K` supports, each by Gaussian elimination on its conditions.
fn exhaustive(x: &[f64], w: &DenseMatrix, constraint: Constraint) -> f64 {
    let size = w.cols();
    let mut best = if constraint == Constraint::Simplex { f64::INFINITY } else { squared(x) };
    for support in 1..1usize << size {
        let which: Vec<usize> = (0..size).filter(|k| support >> k & 1 == 1).collect();
        let n = which.len();
        let sum = usize::from(constraint == Constraint::Simplex);
        let mut a = vec![vec![0.0; n + sum + 1]; n + sum];
        for (i, &k) in which.iter().enumerate() {
            for (j, &o) in which.iter().enumerate() {
                a[i][j] = w.col(k).iter().zip(w.col(o)).map(|(a, b)| a * b).sum();
            }
            a[i][n + sum] = w.col(k).iter().zip(x).map(|(a, b)| a * b).sum();
            if sum == 1 {
                (a[i][n], a[n][i], a[n][n + 1]) = (1.0, 1.0, 1.0);
            }
        }
        let Some(solution) = eliminate(a) else { continue };
        if solution[..n].iter().all(|&h| h >= 0.0) {
            let mut h = vec![0.0; size];
            which.iter().zip(&solution).for_each(|(&k, &v)| h[k] = v);
            best = f64::min(best, squared(&residual(x, w, &h)));
        }
    }
    best
}

fn eliminate(mut a: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = a.len();
    for j in 0..n {
        let p = (j..n).max_by(|&p, &q| a[p][j].abs().total_cmp(&a[q][j].abs()))?;
        a.swap(j, p);
        if a[j][j].abs() < 1e-11 {
            return None;
        }
        for i in (0..n).filter(|&i| i != j) {
            let factor = a[i][j] / a[j][j];
            (j..=n).for_each(|c| a[i][c] -= factor * a[j][c]);
        }
    }
    Some((0..n).map(|j| a[j][n] / a[j][j]).collect())
}

/// Slow twin: projected gradient until the step is below 1e-15.
fn projected_gradient(x: &[f64], w: &DenseMatrix, constraint: Constraint) -> Vec<f64> {
    let size = w.cols();
    let lipschitz = squared(w.values());
    let mut h = vec![1.0 / size as f64; size];
    for _ in 0..1_000_000 {
        let r = residual(x, w, &h);
        let step = |k: usize| h[k] + w.col(k).iter().zip(&r).map(|(a, b)| a * b).sum::<f64>() / lipschitz;
        let mut next: Vec<f64> = (0..size).map(step).collect();
        let threshold = if constraint == Constraint::Simplex { simplex_threshold(&next) } else { 0.0 };
        next.iter_mut().for_each(|v| *v = (*v - threshold).max(0.0));
        let moved = next.iter().zip(&h).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        h = next;
        if moved < 1e-15 {
            break;
        }
    }
    h
}

fn simplex_threshold(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut threshold) = (0.0, 0.0);
    for (i, v) in sorted.iter().enumerate() {
        sum += v;
        if v - (sum - 1.0) / (i + 1) as f64 > 0.0 {
            threshold = (sum - 1.0) / (i + 1) as f64;
        }
    }
    threshold
}

/// A pseudo-random number in (0, 1) from two counters.
fn noise(i: usize, j: usize) -> f64 {
    ((i as f64 * 12.9898 + j as f64 * 78.233 + 0.5).sin() * 43758.5453).fract().abs()
}

fn random(rows: usize, cols: usize, seed: usize) -> DenseMatrix {
    DenseMatrix::from_fn(rows, cols, |m, l| noise(m + 1000 * seed, l))
}

fn matrix(rows: usize, cols: usize) -> impl Strategy<Value = DenseMatrix> {
    // Few distinct values, so that zeros, duplicates and ties are common.
    let entry = prop_oneof![2 => (-3i32..4).prop_map(f64::from), 3 => -1.0..1.0f64];
    proptest::collection::vec(entry, rows * cols).prop_map(move |v| DenseMatrix::from_columns(rows, v))
}

fn problem() -> impl Strategy<Value = (DenseMatrix, DenseMatrix)> {
    (1usize..7, 1usize..7).prop_flat_map(|(rows, size)| (matrix(rows, 5), matrix(rows, size)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_support_is_better((x, w) in problem()) {
        for constraint in BOTH {
            let h = assert_solved(&x, &w, constraint);
            for l in 0..x.cols() {
                let (best, ours) = (exhaustive(x.col(l), &w, constraint), squared(&residual(x.col(l), &w, h.col(l))));
                prop_assert!(ours <= best + 1e-9 * (1.0 + squared(x.col(l))), "{constraint:?}: {ours} against {best}");
            }
        }
    }

    #[test]
    fn scales_do_not_matter((x, w) in problem(), a in -440i32..440, b in -440i32..440) {
        let scaled = |matrix: &DenseMatrix, e: i32| {
            let factor = 2f64.powi(e);
            DenseMatrix::from_fn(matrix.rows(), matrix.cols(), |m, l| matrix.get(m, l) * factor)
        };
        let solved = |e: i32, f: i32, constraint| solve(&scaled(&x, e).into(), &scaled(&w, f), constraint, 1e-12);
        let (plain, same) = (solved(0, 0, Constraint::Simplex), solved(a, a, Constraint::Simplex));
        prop_assert_eq!(&same.h, &plain.h);
        // Numbers below 2^-1022 have fewer digits: there each of the 5 columns may be rounded by half of the last one.
        let last_digits = 5.0 * f64::from_bits(1);
        prop_assert!((same.squared_residual - plain.squared_residual * 2f64.powi(2 * a)).abs() <= last_digits);
        let (plain, other) = (solved(0, 0, Constraint::Nonnegative), solved(a, b, Constraint::Nonnegative));
        prop_assert_eq!(other.h, scaled(&plain.h, a - b));
        prop_assert_eq!(solved(a, b, Constraint::Simplex).unconverged, 0);
    }
}

#[test]
fn agrees_with_projected_gradient() {
    let (x, w) = (random(12, 6, 1), random(12, 9, 2));
    for constraint in BOTH {
        let h = assert_solved(&x, &w, constraint);
        for l in 0..x.cols() {
            let expected = projected_gradient(x.col(l), &w, constraint);
            for (a, b) in h.col(l).iter().zip(&expected) {
                assert!((a - b).abs() < 1e-9, "{constraint:?}, column {l}: {:?} against {expected:?}", h.col(l));
            }
        }
    }
}

#[test]
fn exact_mixtures_come_back() {
    let w = random(30, 12, 3);
    let truth = DenseMatrix::from_fn(12, 50, |k, l| if (k + l) % 3 == 0 { 0.25 } else { 0.0 });
    let x = DenseMatrix::from_fn(30, 50, |m, l| (0..12).map(|k| w.get(m, k) * truth.get(k, l)).sum());
    for constraint in BOTH {
        let h = assert_solved(&x, &w, constraint);
        let off = h.values().iter().zip(truth.values()).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!(off < 1e-12, "{constraint:?}: {off:e}");
        let left = squared_residual(&x.clone().into(), &w, constraint, 1e-12);
        assert!(left < 1e-28 * squared(x.values()), "{left:e}"); // no cancellation of ||X||^2
    }
}

#[test]
fn larger_problems_meet_the_conditions() {
    for (rows, size) in [(50, 40), (20, 60), (210, 200), (3, 30)] {
        let (x, w) = (random(rows, 20, 4), random(rows, size, 5));
        BOTH.iter().for_each(|&constraint| drop(assert_solved(&x, &w, constraint)));
    }
}

#[test]
fn a_common_offset_is_harmless_on_the_simplex() {
    let (x, w) = (random(10, 30, 6), random(10, 5, 7));
    let offset = |a: &DenseMatrix| DenseMatrix::from_fn(a.rows(), a.cols(), |m, l| a.get(m, l) + 1e6);
    let fit = |x: DenseMatrix, w: &DenseMatrix| solve(&x.into(), w, Constraint::Simplex, 1e-12).h;
    let (near, far) = (fit(x.clone(), &w), fit(offset(&x), &offset(&w)));
    let off = near.values().iter().zip(far.values()).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    assert!(off < 1e-8, "{off:e}"); // 1e6 costs six digits of the data; the Gram matrix would have cost twelve
}

#[test]
fn degenerate_w() {
    let x = random(6, 40, 8);
    let base = random(6, 4, 9);
    let duplicated = base.select(&[0, 1, 1, 2, 3, 3, 3]);
    let with_zeros = DenseMatrix::from_fn(6, 5, |m, k| if k % 2 == 0 { 0.0 } else { base.get(m, k) });
    let all_zero = DenseMatrix::zeros(6, 3);
    let all_equal = base.select(&[2, 2, 2]);
    let nearly = DenseMatrix::from_fn(6, 4, |m, k| base.get(m, 0) + 1e-9 * base.get(m, k));
    let opposing = DenseMatrix::from_fn(6, 4, |m, k| if k < 2 { base.get(m, k) } else { -base.get(m, k - 2) });
    let wide_range = DenseMatrix::from_fn(6, 4, |m, k| base.get(m, k) * 10f64.powi(-40 * k as i32));
    let single = base.select(&[1]);
    for w in [duplicated, with_zeros, all_zero, all_equal, nearly, opposing, wide_range, single] {
        for constraint in BOTH {
            assert_solved(&x, &w, constraint);
        }
    }
}

#[test]
fn duplicates_share_their_weight() {
    let w = random(6, 3, 10);
    let x = random(6, 40, 11);
    for constraint in BOTH {
        let (single, double) =
            (assert_solved(&x, &w, constraint), assert_solved(&x, &w.select(&[0, 1, 2, 2]), constraint));
        for l in 0..x.cols() {
            let (a, b) = (single.col(l), double.col(l));
            assert!((a[2] - (b[2] + b[3])).abs() < 1e-9 && (b[2] - b[3]).abs() < 1e-3, "{constraint:?}: {a:?} {b:?}");
        }
    }
}

#[test]
fn ill_conditioned_w_still_fits() {
    // Columns t^k on [0, 1]: condition 1e5 for 8 columns, and 1e10 for the Gram matrix.
    let w = DenseMatrix::from_fn(40, 8, |m, k| (m as f64 / 39.0).powi(k as i32));
    let truth = [0.1, 0.2, 0.05, 0.15, 0.1, 0.1, 0.2, 0.1];
    let x = DenseMatrix::from_fn(40, 1, |m, _| (0..8).map(|k| w.get(m, k) * truth[k]).sum());
    for constraint in BOTH {
        let h = assert_solved(&x, &w, constraint);
        let off = h.values().iter().zip(truth).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!(off < 1e-7, "{constraint:?}: {off:e}"); // rounding of g, 1e-17, over the smallest eigenvalue
    }
}

#[test]
fn zero_and_non_finite_columns() {
    let w = random(3, 2, 12);
    let x =
        DenseMatrix::from_columns(3, vec![0.0, 0.0, 0.0, 1.0, f64::NAN, 0.0, f64::INFINITY, 0.0, 1.0, 0.5, 0.5, 0.5]);
    let fit = solve(&x.into(), &w, Constraint::Nonnegative, 1e-12);
    assert_eq!(fit.h.col(0), [0.0, 0.0]);
    assert_eq!((fit.unconverged, fit.violation), (2, f64::INFINITY));
    let none = solve(&random(3, 4, 13).into(), &DenseMatrix::zeros(3, 0), Constraint::Nonnegative, 1e-12);
    assert!((none.squared_residual - squared(random(3, 4, 13).values())).abs() < 1e-14);
}

#[test]
fn a_zero_column_keeps_the_scale_of_a_small_w() {
    let w = DenseMatrix::from_columns(1, vec![2f64.powi(-450)]);
    let fit = solve(&DenseMatrix::zeros(1, 1).into(), &w, Constraint::Simplex, 1e-12);
    assert_eq!(fit.squared_residual, 2f64.powi(-900));
}

#[test]
fn sparse_data_give_the_same_weights() {
    let triplets = (0..300).map(|i| ((i * 7 % 40) as u32, (i % 25) as u32, noise(i, 14))).collect();
    let sparse = SparseMatrix::from_triplets(40, 25, triplets);
    let (dense, w) = (sparse.to_dense(), random(40, 6, 15));
    for constraint in BOTH {
        let expected = assert_solved(&dense, &w, constraint);
        let fit = solve(&sparse.clone().into(), &w, constraint, 1e-12);
        let total = squared_residual(&dense.clone().into(), &w, constraint, 1e-12);
        assert!(fit.unconverged == 0 && (fit.squared_residual / total - 1.0).abs() < 1e-13);
        let off = fit.h.values().iter().zip(expected.values()).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        assert!(off < 1e-13, "{constraint:?}: {off:e}");
    }
}

#[test]
fn columns_one_by_one_are_those_of_solve() {
    for w in [random(8, 5, 16), random(8, 5, 16).select(&[0, 1, 2, 3, 4, 4])] {
        let x = random(8, 250, 17);
        for constraint in BOTH {
            let expected = assert_solved(&x, &w, constraint);
            let seen = Mutex::new(DenseMatrix::zeros(w.cols(), 250));
            let visit = |l: usize, h: &[f64]| seen.lock().unwrap().col_mut(l).copy_from_slice(h);
            assert_eq!(for_each_column(&x.clone().into(), &w, constraint, 1e-12, visit), 0);
            let seen = seen.into_inner().unwrap();
            let off = seen.values().iter().zip(expected.values()).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(off < 1e-9, "{constraint:?}: {off:e}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (x, w) = (DataMatrix::from(random(9, 700, 18)), random(9, 7, 19));
    for constraint in BOTH {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| solve(&x, &w, constraint, 1e-12))
        };
        assert_eq!(on(1), on(5));
    }
}
