//! The metrics against values from `scripts/metrics_reference.py` (NumPy 2.4.6, SciPy 1.17.1).
//!
//! Tolerance 1e-14: a few roundings of numbers near 1; the arccosine of the reference is far from its bad end.

use merit::metrics::{MeanRemoval, anchors_right, mrsa_radians, rae, scaled_mrsa, success};
use merit_linalg::{DataMatrix, DenseMatrix, SparseMatrix};
use std::f64::consts::{FRAC_PI_2, PI};

fn rows<const N: usize>(rows: &[[f64; N]]) -> DenseMatrix {
    DenseMatrix::from_fn(rows.len(), N, |m, l| rows[m][l])
}

fn w_true() -> DenseMatrix {
    rows(&[[0.9, 0.1, 0.3], [0.2, 0.8, 0.4], [0.1, 0.3, 0.7], [0.5, 0.6, 0.2]])
}

fn w_found() -> DenseMatrix {
    rows(&[[0.25, 0.85, 0.2], [0.5, 0.25, 0.7], [0.65, 0.05, 0.35], [0.3, 0.45, 0.65]])
}

fn h() -> DenseMatrix {
    rows(&[[0.2, 1.0, 0.0, 0.3, 0.5], [0.3, 0.0, 0.6, 0.3, 0.5], [0.5, 0.0, 0.4, 0.4, 0.0]])
}

fn x() -> DenseMatrix {
    let noise = rows(&[
        [1.0, -2.0, 3.0, 0.0, 1.0],
        [0.0, 1.0, -1.0, 2.0, -2.0],
        [-3.0, 1.0, 0.0, 1.0, 2.0],
        [2.0, 0.0, -1.0, -1.0, 1.0],
    ]);
    let (w, h) = (w_true(), h());
    let signal = |m, l| (0..3).map(|k| w.get(m, k) * h.get(k, l)).sum::<f64>();
    DenseMatrix::from_fn(4, 5, |m, l| signal(m, l) + 0.01 * noise.get(m, l))
}

fn assert_near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-14, "{value} against {expected}");
}

#[test]
fn angles_equal_the_reference() {
    assert_near(mrsa_radians(&w_found(), &w_true(), MeanRemoval::MeanColumn), 0.22645815342219908);
    assert_near(mrsa_radians(&w_found(), &w_true(), MeanRemoval::OwnMean), 0.24059034495903017);
    assert_near(mrsa_radians(&w_found().select(&[0, 1]), &w_true(), MeanRemoval::OwnMean), 0.270274103241689);
    assert_near(mrsa_radians(&w_true(), &w_found().select(&[0, 1]), MeanRemoval::OwnMean), 0.270274103241689);
    assert_near(scaled_mrsa(PI), 100.0);
}

#[test]
fn scale_and_order_do_not_change_the_angles() {
    let moved = w_found().select(&[2, 0, 1]);
    for factor in [1e-150, 1.0, 1e150] {
        let scaled = DenseMatrix::from_fn(4, 3, |m, k| moved.get(m, k) * factor);
        assert_near(mrsa_radians(&scaled, &w_true(), MeanRemoval::MeanColumn), 0.22645815342219908);
    }
    assert_eq!(mrsa_radians(&w_true().select(&[1, 2, 0]), &w_true(), MeanRemoval::OwnMean), 0.0);
}

#[test]
fn a_column_without_direction_is_at_a_right_angle() {
    let flat = DenseMatrix::from_columns(3, vec![0.1, 0.1, 0.1]); // its own mean
    assert_eq!(mrsa_radians(&flat, &w_true().transposed().select(&[0]), MeanRemoval::OwnMean), FRAC_PI_2);
    let single = w_true().select(&[0]); // the mean column of itself
    assert_eq!(mrsa_radians(&single, &single, MeanRemoval::MeanColumn), FRAC_PI_2);
    let opposite = DenseMatrix::from_columns(2, vec![1.0, -1.0]);
    let other = DenseMatrix::from_columns(2, vec![-3.0, 3.0]);
    assert_eq!(mrsa_radians(&opposite, &other, MeanRemoval::OwnMean), PI);
}

#[test]
fn relative_error_equals_the_reference() {
    let dense = DataMatrix::from(x());
    assert_near(rae(&dense, &w_true(), &h()), 0.9666180973615678);
    assert_near(rae(&dense, &w_found().select(&[1, 2, 0]), &h()), 0.927859454916011);
    let triplets = (0..20).map(|i| (i % 4, i / 4, x().get(i as usize % 4, i as usize / 4))).collect();
    assert_near(rae(&SparseMatrix::from_triplets(4, 5, triplets).into(), &w_true(), &h()), 0.9666180973615678);
    let large = DenseMatrix::from_fn(4, 5, |m, l| 1e200 * x().get(m, l));
    let w = DenseMatrix::from_fn(4, 3, |m, k| 1e200 * w_true().get(m, k));
    assert_near(rae(&large.into(), &w, &h()), 0.9666180973615678);
}

#[test]
fn relative_error_at_its_ends() {
    let zero = DataMatrix::from(DenseMatrix::zeros(4, 5));
    assert_eq!(rae(&zero, &w_true(), &h()), f64::NEG_INFINITY);
    assert_eq!(rae(&zero, &w_true(), &DenseMatrix::zeros(3, 5)), 1.0);
    assert_near(rae(&x().into(), &w_true(), &DenseMatrix::zeros(3, 5)), 0.0);
}

#[test]
fn anchors_are_compared_as_sets() {
    assert_eq!(anchors_right(&[3, 1, 2], &[2, 3, 9]), 2);
    assert_eq!(anchors_right(&[3, 3, 3], &[3, 4]), 1);
    assert!(success(&[3, 1], &[1, 3]));
    assert!(!success(&[3, 1, 4], &[1, 3]) && !success(&[3], &[1, 3]));
}
