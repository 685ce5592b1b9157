//! The metrics against values from `scripts/metrics_reference.py` (NumPy 2.4.6, SciPy 1.17.1, scikit-learn 1.9.1).
//!
//! Tolerance 1e-14: a few roundings of numbers near 1; the arccosine of the reference is far from its bad end.

use merit::kmeans::KMeans;
use merit::metrics::{
    MeanRemoval, anchors_right, clustering_accuracy, coherence, mrsa_radians, paper_mrsa, rae, scaled_mrsa,
    similarity_count, spearman, src, success, top_words,
};
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
    // Table I of the paper at K = 40, SPA and MERIT: 54.7824 and 54.7292 for .5155 and .5144 radians, which have four digits.
    assert!((paper_mrsa(0.5155) - 54.7824).abs() < 0.05 && (paper_mrsa(0.5144) - 54.7292).abs() < 0.06);
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

#[test]
fn rank_correlation_equals_the_reference() {
    let x = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
    let y = [2.0, 7.0, 1.0, 8.0, 2.0, 8.0, 1.0, 8.0];
    assert_near(spearman(&x, &y), 0.19885368120992467);
    assert_near(spearman(&y, &x), 0.19885368120992467);
    assert_near(spearman(&x, &y.map(|y| -y)), -0.19885368120992467);
    assert_eq!(spearman(&x, &x.map(f64::exp)), 1.0);
    assert_near(src(&w_found(), &w_true()), 0.9333333333333332);
    assert_near(src(&w_found().select(&[0, 1]), &w_true()), 0.8999999999999999);
    assert_near(src(&w_true(), &w_found().select(&[0, 1])), 0.8999999999999999);
}

#[test]
fn rank_correlation_at_its_ends() {
    assert_eq!((spearman(&[], &[]), spearman(&[1.0], &[2.0])), (0.0, 0.0));
    assert_eq!(spearman(&[2.0, 2.0, 2.0], &[1.0, 2.0, 3.0]), 0.0);
    assert_eq!(spearman(&[f64::INFINITY, 0.0, f64::NEG_INFINITY], &[3.0, 2.0, 1.0]), 1.0);
    assert_eq!(spearman(&[0.0, -0.0, 1.0], &[-0.0, 0.0, 1.0]), 1.0); // the two zeros are one value
    let flat = DenseMatrix::from_columns(4, vec![0.25; 4]);
    assert_eq!(src(&flat, &w_true()), 0.0);
}

fn topics() -> DenseMatrix {
    DenseMatrix::from_fn(3, 9, |k, w| (((3 * k + 2) * (w + 1)) % 7) as f64)
}

fn counts() -> SparseMatrix {
    let entries = (0..12u32).flat_map(|d| (0..9u32).map(move |w| (d, w, f64::from((5 * d + 7 * w + d * w) % 4 % 3))));
    SparseMatrix::from_triplets(12, 9, entries.collect()) // the zeros are stored: they are not documents
}

#[test]
fn topics_equal_the_reference() {
    let words = top_words(&topics(), 4);
    assert_eq!(words, [[2, 5, 1, 8], [3, 0, 7, 4], [5, 4, 3, 2]]);
    assert_near(coherence(&counts(), &words), -5.516882230535003);
    assert_eq!(similarity_count(&words), 4); // 2 and 5, then 3 and 4
}

#[test]
fn topics_at_their_ends() {
    assert_eq!(top_words(&topics(), 100)[0].len(), 9);
    assert_eq!(top_words(&topics(), 0), [[0; 0]; 3]);
    assert_eq!((coherence(&counts(), &[]), coherence(&counts(), &[vec![3]])), (0.0, 0.0));
    assert_eq!((similarity_count(&[]), similarity_count(&[vec![1, 1, 2], vec![1, 1]])), (0, 1));
    let nowhere = SparseMatrix::from_triplets(2, 2, vec![(0, 1, 1.0)]); // word 0 is in no document
    assert_near(coherence(&nowhere, &[vec![0, 1]]), 2.0 * 0.01_f64.ln());
}

#[test]
fn clustering_equals_the_reference() {
    let weight = |k: usize, l: usize| f64::from(l % 3 == k) + 0.7 * ((7 * l + 3 * k) as f64).sin().abs();
    let weights = DenseMatrix::from_fn(3, 60, weight);
    let labels: Vec<usize> = (0..60).map(|l| if l % 8 == 5 { (l + 1) % 3 } else { l % 3 }).collect();
    for seed in 0..5 {
        assert_near(clustering_accuracy(&weights, &labels, seed), 0.8833333333333333);
    }
    let unit =
        DenseMatrix::from_fn(3, 60, |k, l| weight(k, l) / (0..3).map(|k| weight(k, l).powi(2)).sum::<f64>().sqrt());
    let found = KMeans::new(3).cluster(&unit);
    assert!((found.squared_distance - 1.335756962416402).abs() < 1e-12, "{}", found.squared_distance);
}

#[test]
fn clustering_takes_any_labels_and_any_scale() {
    let weights = DenseMatrix::from_columns(2, vec![1e-200, 0.0, 0.0, 1e200, 3.0, 0.0, 0.0, 0.0]);
    let accuracy = clustering_accuracy(&weights, &[1000, 5, 1000, 5], 0);
    assert!((0.75..=1.0).contains(&accuracy), "{accuracy}"); // the zero document may be on either side
    assert_eq!(clustering_accuracy(&DenseMatrix::zeros(2, 0), &[], 0), 0.0);
    assert_eq!(clustering_accuracy(&weights, &[7; 4], 3), 1.0);
}
