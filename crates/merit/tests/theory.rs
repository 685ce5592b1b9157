//! The theory's numbers: by hand on tiny data, against slow twins on random data, and as they should be on data with and
//! without noise.

#![allow(non_snake_case)] // X, W, H, V, C as in the paper

mod support;

use merit::synthetic::{Dirichlet, Synthetic};
use merit::theory::{Certificate, Evidence, Origin, RunFacts, TheoryError, certify};
use merit::{DataMatrix, DenseMatrix, Merit, SparseColumns};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[track_caller]
fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{value} against {expected}");
}

fn times(W: &DenseMatrix, H: &DenseMatrix) -> DenseMatrix {
    DenseMatrix::from_fn(W.rows(), H.cols(), |m, l| (0..W.cols()).map(|k| W.get(m, k) * H.get(k, l)).sum())
}

fn certified(evidence: &Evidence) -> Certificate {
    certify(evidence, &mut |_| ()).unwrap()
}

fn identity(size: usize) -> DenseMatrix {
    DenseMatrix::from_fn(size, size, |i, j| f64::from(i == j))
}

/// `W = I`, two pure columns, two mixtures, and noise of length 0.01 and 0.02 on the mixtures.
fn by_hand() -> (DataMatrix, DenseMatrix, DenseMatrix) {
    let (W, H) = (identity(2), DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.0, 1.0, 0.5, 0.5, 0.8, 0.2]));
    let mut X = times(&W, &H);
    X.col_mut(2)[0] += 0.01;
    X.col_mut(3)[1] -= 0.02;
    (X.into(), W, H)
}

#[test]
fn the_quantities_by_hand() {
    let (X, W, H) = by_hand();
    let certificate =
        certified(&Evidence { regularization: Some(1e-4), ..Evidence::new(&X, &W, &H, &[0, 1], Origin::Truth) });
    let q = &certificate.quantities;
    assert_eq!((q.rows, q.cols, q.rank), (2, 4, 2));
    near(q.gamma, 1.0);
    near(q.delta, 0.02);
    near(q.noise, 0.0005_f64.sqrt());
    near(q.rho, 3.2); // 4 * 0.0004 / 0.0005
    near(q.d, 0.8);
    near(q.d_prime, 0.68_f64.sqrt()); // 2 * 0.3^2 + 1/2
    near(q.kappa, 2.0_f64.sqrt());
    near(q.sigma_max, 1.0);
    near(q.sigma_min, 1.0);
    assert_eq!(q.separability_error, 0.0);
    near(q.simplex_error, 0.0);

    // 4 rho (1 - K/N) ||V||^2 = 4 * 3.2 * 1/2 * 0.0005 = 0.0032, and 2 lambda K = 0.0004.
    let beta = (0.0036_f64.sqrt() + 0.04) / (2.0_f64.sqrt() * 0.2);
    let condition = |name: &str| certificate.condition(name).unwrap();
    near(condition("theorem-3-beta").value, beta);
    near(condition("theorem-3-separation").value, 1.0 - beta);
    // 2 rho (N - K)/(lambda N) ||V||^2 = 3.2 * 0.0005 / 0.0001 = 16.
    near(condition("theorem-3-separation").bound, 16.0 + 1e-5 * 4.0 * 4.0_f64.ln() + 2.0 * beta);
    assert!(!condition("theorem-3-separation").holds && condition("theorem-3-beta").holds);
    assert!(!condition("theorem-1-noise").holds);
    assert_eq!(certificate.regularization_authors, Some(2e-4));
    assert!(certificate.condition("theorem-4-noise").is_none(), "there was no run");
}

/// `C(anchors, :) = H`: rows 1, 0, .5, .8 and 0, 1, .5, .2.
fn ideal(H: &DenseMatrix, anchors: &[usize]) -> SparseColumns {
    SparseColumns::from_columns(H.cols(), |l, entries| {
        entries.extend(anchors.iter().zip(H.col(l)).map(|(&n, &value)| (n as u32, value)));
    })
}

#[test]
fn the_iterate_by_hand() {
    let (X, W, H) = by_hand();
    let C = ideal(&H, &[0, 1]);
    let run = RunFacts { c: &C, initial: Some(&C), start_iteration: 4, iterations: 6, residual_tolerance: None };
    let evidence =
        Evidence { regularization: Some(100.0), run: Some(run), ..Evidence::new(&X, &W, &H, &[0, 1], Origin::Truth) };
    let certificate = certified(&evidence);
    let c = certificate.iterate.as_ref().unwrap();
    assert_eq!((c.entries_outside, c.columns_outside, c.omega), (0, 0, 0.0));
    assert_eq!((c.smallest_anchor_norm, c.largest_other_norm, c.varying_rows), (1.0, 0.0, 2));
    near(c.residual, 0.02);
    near(c.psi, 0.2);
    assert_eq!((c.last_iteration, c.eta), (10, 0.0)); // the residual is below 2 delta
    // t(t+1)/2 = 10: D is 10 times 0.2, 0.3, 0.5, ... = all integers.
    assert_eq!(c.xi, Some(0.0));
    // upsilon = (100/4 - 0 - (0.68 + 2 sqrt(0.68) + 5)/2) / 4
    let upsilon = (25.0 - (5.68 + 2.0 * 0.68_f64.sqrt()) / 2.0) / 4.0;
    let condition = |name: &str| certificate.condition(name).unwrap();
    near(condition("theorem-4-noise").bound, (1.0 + upsilon).sqrt() - 1.0);
    for name in
        ["theorem-4-noise", "theorem-4-support", "theorem-4-varying-row", "lemma-1-omega", "observed-separation"]
    {
        assert!(condition(name).holds, "{name}");
    }
    near(condition("lemma-1-omega").bound, 2.0_f64.sqrt());
    assert!(!condition("proposition-1-start").holds && !condition("theorem-2-noise").holds);

    // One step more: t(t+1)/2 = 15, and 15 * 0.5 = 7.5 is not an integer (15 * 0.2 = 3 and 15 * 0.3 = 4.5 neither).
    let run = RunFacts { start_iteration: 5, ..run };
    let certificate = certified(&Evidence { run: Some(run), ..evidence });
    near(certificate.iterate.as_ref().unwrap().xi.unwrap(), 0.5);
    assert!(certificate.condition("proposition-1-start").unwrap().holds);
}

#[test]
fn theorem_2_by_hand() {
    // No noise, C = 0 except for one step: c_l = e_0 for all. Columns 1 to 3 do not fit.
    let (W, H) = (identity(2), DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.0, 1.0, 0.5, 0.5, 0.8, 0.2]));
    let X = DataMatrix::from(times(&W, &H));
    let C = SparseColumns::from_columns(4, |_, entries| entries.push((0, 1.0)));
    let run = RunFacts { c: &C, initial: None, start_iteration: 0, iterations: 1, residual_tolerance: Some(0.1) };
    let evidence = Evidence { run: Some(run), ..Evidence::new(&X, &W, &H, &[0, 1], Origin::Truth) };
    let certificate = certified(&evidence);
    let c = certificate.iterate.as_ref().unwrap();
    near(c.eta, 0.1);
    near(c.residual, 2.0_f64.sqrt()); // e_1 against e_0
    near(c.omega, 2.0_f64.sqrt());
    // At C = 0, q of (0.5, 0.5) is (-0.5, -0.5)/norm: two equal smallest entries, so there is no gap.
    assert_eq!(c.nu, 0.0);
    assert!(!certificate.condition("theorem-2-gap").unwrap().holds);
    assert_eq!(c.xi, None);

    // From a warm start only the returned C counts: (1, -1)/sqrt(2) has the gap sqrt(2), for every column that moves.
    let run = RunFacts { initial: Some(&C), ..run };
    let certificate = certified(&Evidence { run: Some(run), ..evidence });
    near(certificate.iterate.as_ref().unwrap().nu, 2.0_f64.sqrt());
    let room = 2.0_f64.sqrt() * 0.1 * 0.2 / 4.0;
    near(certificate.condition("theorem-2-noise").unwrap().bound, (1.0 + room).sqrt() - 1.0);
    assert!(certificate.condition("theorem-2-noise").unwrap().holds);
}

/// The distance of `x` to the hull of the columns of `W`, by many steps of projected gradient.
fn naive_distance(x: &[f64], W: &DenseMatrix) -> f64 {
    let K = W.cols();
    let step = 1.0 / W.values().iter().map(|v| v * v).sum::<f64>();
    let mut theta = vec![1.0 / K as f64; K];
    let residual = |theta: &[f64]| -> Vec<f64> {
        (0..W.rows()).map(|m| (0..K).map(|k| W.get(m, k) * theta[k]).sum::<f64>() - x[m]).collect()
    };
    for _ in 0..20_000 {
        let r = residual(&theta);
        for (k, value) in theta.iter_mut().enumerate() {
            *value -= step * W.col(k).iter().zip(&r).map(|(w, r)| w * r).sum::<f64>();
        }
        // Projection onto the simplex: the shift that makes the positive parts sum to 1, by bisection.
        let (mut low, mut high) = (-10.0, 10.0);
        for _ in 0..100 {
            let shift = 0.5 * (low + high);
            let sum: f64 = theta.iter().map(|v| (v - shift).max(0.0)).sum();
            (low, high) = if sum > 1.0 { (shift, high) } else { (low, shift) };
        }
        theta.iter_mut().for_each(|v| *v = (*v - low).max(0.0));
    }
    residual(&theta).iter().map(|r| r * r).sum::<f64>().sqrt()
}

#[test]
fn kappa_equals_its_slow_twin() {
    for seed in 0..6 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (M, K) = (3 + seed as usize, 4);
        let W = DenseMatrix::from_fn(M, K, |_, _| rng.random());
        let H = identity(K);
        let X = DataMatrix::from(W.clone());
        let found = certified(&Evidence::new(&X, &W, &H, &[0, 1, 2, 3], Origin::Truth)).quantities.kappa;
        let others = |k: usize| W.select(&(0..K).filter(|&j| j != k).collect::<Vec<_>>());
        let naive = (0..K).map(|k| naive_distance(W.col(k), &others(k))).fold(f64::INFINITY, f64::min);
        assert!((found - naive).abs() < 1e-6, "{found} against {naive}");
    }
    let W = identity(3);
    let X = DataMatrix::from(W.clone());
    near(certified(&Evidence::new(&X, &W, &W, &[0, 1, 2], Origin::Truth)).quantities.kappa, 1.5_f64.sqrt());
}

#[test]
fn kappa_of_a_point_inside_and_of_a_point_alone() {
    let W = DenseMatrix::from_columns(2, vec![0.0, 0.0, 2.0, 0.0, 1.0, 0.0]);
    let (X, H) = (DataMatrix::from(W.clone()), identity(3));
    let certificate = certified(&Evidence::new(&X, &W, &H, &[0, 1, 2], Origin::Truth));
    assert!(certificate.quantities.kappa < 1e-6 && certificate.quantities.sigma_min < 1e-15);
    assert!(!certificate.condition("full-rank").unwrap().holds);
    let (one, h) = (W.select(&[1]), DenseMatrix::from_columns(1, vec![1.0]));
    let X = DataMatrix::from(one.clone());
    let certificate =
        certified(&Evidence { regularization: Some(1e-3), ..Evidence::new(&X, &one, &h, &[0], Origin::Truth) });
    assert_eq!(certificate.quantities.kappa, f64::INFINITY);
    assert_eq!(certificate.condition("theorem-3-beta").unwrap().value, 0.0);
}

fn data(snr_db: f64, seed: u64) -> Synthetic {
    Dirichlet { snr_db, seed, ..Dirichlet::new(12, 150, 4) }.generate().unwrap()
}

/// A run at this lambda, checked against the truth.
fn of_run(data: &Synthetic, lambda: f64) -> Certificate {
    of_run_until(data, lambda, None)
}

/// The same, with columns that stop at a residual.
fn of_run_until(data: &Synthetic, lambda: f64, residual_tolerance: Option<f64>) -> Certificate {
    let X = DataMatrix::from(data.x.clone());
    let mut merit = Merit::new(4).regularization(lambda);
    merit.settings().search.solver.residual_tolerance = residual_tolerance;
    let run = merit.fit(&X).unwrap();
    let solution = run.search.solution.as_ref().unwrap();
    let facts = RunFacts {
        c: &solution.c,
        initial: None,
        start_iteration: solution.start_iteration,
        iterations: solution.iterations,
        residual_tolerance,
    };
    certified(&Evidence {
        regularization: Some(lambda),
        run: Some(facts),
        ..Evidence::new(&X, &data.w, &data.h, &data.anchors, Origin::Truth)
    })
}

#[test]
fn without_noise_the_theorems_hold_and_the_run_keeps_their_promise() {
    let data = data(f64::INFINITY, 1);
    // A column that fits must stop, as the proof of Theorem 1 says: its gradient is zero, and any index as good as an anchor.
    assert!(of_run(&data, 0.0).iterate.unwrap().entries_outside > 0);
    let unregularized = of_run_until(&data, 0.0, Some(1e-6));
    for name in [
        "separability",
        "simplex",
        "full-rank",
        "no-repeated-unit-vectors",
        "theorem-1-noise",
        "theorem-2-gap",
        "theorem-2-noise",
        "theorem-4-support",
        "theorem-4-varying-row",
        "lemma-1-omega",
        "observed-separation",
    ] {
        assert!(unregularized.condition(name).unwrap().holds, "{name}: {unregularized:#?}");
    }
    let lambda = 1e-9;
    let certificate = of_run(&data, lambda);
    assert!(certificate.condition("theorem-3-separation").unwrap().holds, "{certificate:#?}");
    assert!(certificate.distance.noise_factor.unwrap() < 1e-6);
    let words = certificate.in_words();
    assert!(words.starts_with("Theorem 3 holds") || words.starts_with("Without noise"), "{words}");
    // Theorem 4 asks for a lambda that Theorem 3 does not allow.
    assert!(!certificate.condition("theorem-4-noise").unwrap().holds);
}

#[test]
fn with_noise_they_do_not() {
    let certificate = of_run(&data(15.0, 2), 0.1);
    for name in ["theorem-1-noise", "theorem-2-noise", "theorem-3-separation", "theorem-4-noise"] {
        assert!(!certificate.condition(name).unwrap().holds, "{name}");
    }
    assert!(certificate.condition("separability").unwrap().holds);
    assert!(certificate.distance.noise_factor_best.unwrap() > 10.0, "{:?}", certificate.distance);
    assert!(certificate.in_words().contains("times smaller"), "{}", certificate.in_words());
}

#[test]
fn the_noise_that_the_distance_names_is_the_noise_that_holds() {
    let data = data(20.0, 3);
    let Y = times(&data.w, &data.h);
    let lambda = 1e-6;
    let at = |scale: f64| {
        let X = DataMatrix::from(DenseMatrix::from_fn(12, 150, |m, l| {
            Y.get(m, l) + scale * (data.x.get(m, l) - Y.get(m, l))
        }));
        certified(&Evidence {
            regularization: Some(lambda),
            ..Evidence::new(&X, &data.w, &data.h, &data.anchors, Origin::Truth)
        })
    };
    let factor = at(1.0).distance.noise_factor.unwrap();
    assert!(factor > 1.0);
    assert!(at(0.999 / factor).condition("theorem-3-separation").unwrap().holds);
    assert!(!at(1.001 / factor).condition("theorem-3-separation").unwrap().holds);
}

#[test]
fn the_iterate_equals_its_slow_twin() {
    let data = data(12.0, 4);
    let (X, W, H) = (&data.x, &data.w, &data.h);
    let certificate = of_run(&data, 0.05);
    let (q, found) = (&certificate.quantities, certificate.iterate.as_ref().unwrap());

    let V: Vec<Vec<f64>> = (0..150)
        .map(|l| (0..12).map(|m| X.get(m, l) - (0..4).map(|k| W.get(m, k) * H.get(k, l)).sum::<f64>()).collect())
        .collect();
    let square = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>();
    near(q.noise, V.iter().map(|v| square(v)).sum::<f64>().sqrt());
    near(q.delta, V.iter().map(|v| square(v)).fold(0.0, f64::max).sqrt());

    let matrix = DataMatrix::from(X.clone());
    let C = support::dense(&Merit::new(4).regularization(0.05).fit(&matrix).unwrap().search.solution.unwrap().c);
    let is_anchor = |n: usize| data.anchors.contains(&n);
    let outside = (0..150).filter(|&n| !is_anchor(n)).map(|n| (0..150).filter(|&l| C.get(n, l) > 0.0).count());
    assert_eq!(found.entries_outside, outside.sum::<usize>());
    assert!(found.entries_outside > 0, "noise should leave something to count");
    let XC = times(X, &C);
    let residual = |l: usize| square(&(0..12).map(|m| XC.get(m, l) - X.get(m, l)).collect::<Vec<_>>()).sqrt();
    let worst = (0..150).fold(0, |best, l| if residual(l) > residual(best) { l } else { best });
    near(found.residual, residual(worst));
    near(found.eta, (residual(worst) - 2.0 * q.delta).max(0.0));
    let HC = times(H, &C);
    let error = |l: usize| (0..4).map(|k| HC.get(k, l) - H.get(k, l)).collect::<Vec<f64>>();
    near(found.omega, (0..150).map(|l| square(&error(l)).sqrt()).fold(0.0, f64::max));
    let gap = |u: Vec<f64>| {
        let Wu: Vec<f64> = (0..12).map(|m| (0..4).map(|k| W.get(m, k) * u[k]).sum()).collect();
        let mut q: Vec<f64> = (0..4).map(|k| (0..12).map(|m| W.get(m, k) * Wu[m]).sum::<f64>()).collect();
        q.sort_by(f64::total_cmp);
        (q[1] - q[0]) / square(&u).sqrt()
    };
    let starts = (0..150).filter(|&l| square(X.col(l)).sqrt() > residual(worst));
    let at_start = starts.map(|l| gap(H.col(l).iter().map(|v| -v).collect())).fold(f64::INFINITY, f64::min);
    assert!((found.nu - at_start.min(gap(error(worst)))).abs() < 1e-10);
    let mut psi = f64::INFINITY;
    for &n in &data.anchors {
        for (i, j) in (0..150).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let difference = (C.get(n, i) - C.get(n, j)).abs();
            psi = if difference > 1e-12 { psi.min(difference) } else { psi };
        }
    }
    near(found.psi, psi);
    assert!(psi >= 2.0 / (100.0 * 101.0) - 1e-12, "different entries differ by at least 2/(T (T + 1))");
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let data = Dirichlet { snr_db: 10.0, seed: 5, ..Dirichlet::new(9, 700, 5) }.generate().unwrap();
    let X = DataMatrix::from(data.x.clone());
    let C = ideal(&data.h, &data.anchors);
    let run = RunFacts { c: &C, initial: Some(&C), start_iteration: 7, iterations: 3, residual_tolerance: None };
    let evidence = Evidence {
        regularization: Some(0.1),
        run: Some(run),
        ..Evidence::new(&X, &data.w, &data.h, &data.anchors, Origin::Truth)
    };
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| serde_json::to_string(&certified(&evidence)).unwrap())
    };
    assert_eq!(with(1), with(5));
}

#[test]
fn evidence_that_does_not_fit() {
    let (X, W, H) = by_hand();
    let fails = |evidence: Evidence| certify(&evidence, &mut |_| ()).unwrap_err();
    let plain = Evidence::new(&X, &W, &H, &[0, 1], Origin::PlugIn);
    let three = identity(3);
    assert_eq!(fails(Evidence { w: &three, ..plain }).to_string(), "rows of W against rows of X: found 3, expected 2");
    assert_eq!(fails(Evidence { anchors: &[0, 4], ..plain }), TheoryError::Anchor { anchor: 4, cols: 4 });
    assert_eq!(fails(Evidence { anchors: &[0, 0], ..plain }), TheoryError::Anchor { anchor: 0, cols: 4 });
    let mut bad = H.clone();
    bad.col_mut(1)[0] = f64::NAN;
    assert_eq!(fails(Evidence { h: &bad, ..plain }), TheoryError::NotFinite("H"));
}

#[test]
fn a_rival_of_an_anchor_is_named() {
    let W = identity(2);
    let H = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
    let X = DataMatrix::from(H.clone());
    let certificate =
        certified(&Evidence { regularization: Some(1e-6), ..Evidence::new(&X, &W, &H, &[0, 1], Origin::Truth) });
    assert_eq!((certificate.quantities.d, certificate.distance.noise_factor), (1.0, None));
    assert!(!certificate.condition("no-repeated-unit-vectors").unwrap().holds);
    assert!(certificate.in_words().contains("rival"), "{}", certificate.in_words());
}
