//! Units do not matter: `X` times a constant has the same anchors.

mod support;

use merit_linalg::DenseMatrix;
use support::*;

fn scaled(x: &DenseMatrix, factor: f64) -> DenseMatrix {
    DenseMatrix::from_columns(x.rows(), x.values().iter().map(|value| factor * value).collect())
}

#[test]
fn regularization_scales_with_the_square() {
    let sandbox = Sandbox::new();
    let data = synthetic(50, 200, 40, 12.0, 5);
    let expected = sandbox.npy("x.npy", &data.x).factor("x.npy", "--rank 40 --regularization 0.14", "one");
    assert_eq!(anchors(&expected), sorted(data.anchors));
    for (name, factor, lambda) in [("large", 1e6, "0.14e12"), ("small", 1e-6, "0.14e-12")] {
        sandbox.npy("x.npy", &scaled(&data.x, factor));
        let run = sandbox.factor("x.npy", &format!("--rank 40 --regularization {lambda}"), name);
        assert_eq!(anchors(&run), anchors(&expected), "{factor:e}");
        let objective = run["objective"].as_f64().unwrap() / (factor * factor);
        assert!((objective / expected["objective"].as_f64().unwrap() - 1.0).abs() < 1e-6, "{factor:e}: {objective}");
    }
}

#[test]
fn automatic_rules_are_scale_free() {
    let sandbox = Sandbox::new();
    for (rule, seed) in [("auto", 1), ("auto", 2), ("auto-fast", 3)] {
        let x = synthetic(30, 150, 15, 10.0, seed).x; // noisy: the anchors are not all found, but the same ones are
        let options = format!("--rank 15 --regularization {rule}");
        let expected = anchors(&sandbox.npy("x.npy", &x).factor("x.npy", &options, &format!("{seed}")));
        for (i, factor) in [1e-6, 1e-3, 7.0, 1e6].into_iter().enumerate() {
            let run = sandbox.npy("x.npy", &scaled(&x, factor)).factor("x.npy", &options, &format!("{seed}-{i}"));
            assert_eq!(anchors(&run), expected, "{rule}, seed {seed}, times {factor:e}");
        }
    }
}

#[test]
fn the_estimated_rank_is_scale_free() {
    let sandbox = Sandbox::new();
    let x = synthetic(50, 200, 10, 20.0, 7).x;
    let estimates: Vec<_> = [1.0, 1e-6, 1e6]
        .iter()
        .enumerate()
        .map(|(i, &factor)| {
            let run = sandbox.npy("x.npy", &scaled(&x, factor)).factor("x.npy", "", &format!("{i}"));
            (run["rank"].clone(), run["rank_estimate"]["clear"].clone(), anchors(&run))
        })
        .collect();
    assert_eq!((&estimates[0].0, &estimates[0].1), (&10.into(), &true.into()));
    assert!(estimates.iter().all(|estimate| estimate == &estimates[0]), "{estimates:?}");
}
