//! Entries from 1e-320 to 1e130 side by side: as many anchors as asked for or an error, and nothing that is not a number.

use merit::automatic::Regularization;
use merit::factor::{Init, Settings};
use merit::least_squares::Constraint;
use merit::methods::xray::Criterion;
use merit::preprocess::{Normalize, ZeroColumns};
use merit::{DataMatrix, DenseMatrix, Error, Factorization, Method, SparseMatrix, factor};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::panic::catch_unwind;

/// A number of any size between `10^low` and `10^high`, or zero.
fn number(rng: &mut ChaCha8Rng, (low, high): (f64, f64), negative: bool) -> f64 {
    if rng.random_bool(0.25) {
        return 0.0;
    }
    let size = 10f64.powf(rng.random_range(low..high)) * rng.random_range(1.0..9.0);
    if negative && rng.random_bool(0.5) { -size } else { size }
}

fn matrix(rng: &mut ChaCha8Rng) -> DataMatrix {
    let (rows, cols) = (rng.random_range(1..6), rng.random_range(1..12));
    let ranges = [(-320.0, 128.0), (-320.0, -290.0), (-165.0, -120.0), (-5.0, 5.0), (100.0, 128.0)];
    let negative = rng.random_bool(0.3);
    let mut values = Vec::new();
    for _ in 0..cols {
        let range = ranges[rng.random_range(0..ranges.len())];
        values.extend((0..rows).map(|_| number(rng, range, negative)));
    }
    let dense = DenseMatrix::from_columns(rows, values);
    if rng.random_bool(0.7) {
        return dense.into();
    }
    let entries = (0..rows * cols).map(|i| ((i % rows) as u32, (i / rows) as u32, dense.get(i % rows, i / rows)));
    SparseMatrix::from_triplets(rows, cols, entries.filter(|entry| entry.2 != 0.0).collect()).into()
}

fn one_of<T: Clone>(rng: &mut ChaCha8Rng, choices: &[T]) -> T {
    choices[rng.random_range(0..choices.len())].clone()
}

fn settings(rng: &mut ChaCha8Rng, x: &DataMatrix) -> Settings {
    let mut settings = Settings {
        rank: rng.random_bool(0.9).then(|| rng.random_range(1..=x.cols())),
        method: one_of(rng, &Method::ALL),
        normalize: one_of(rng, &[Normalize::None, Normalize::L1]),
        zero_columns: one_of(rng, &ZeroColumns::ALL),
        merge_duplicates: one_of(rng, &[None, None, Some(0.0), Some(1e-300), Some(1e-9), Some(1.0)]),
        weights: one_of(rng, &Constraint::ALL),
        init: one_of(rng, &[Init::Zero, Init::Spa]),
        ..Default::default()
    };
    if rng.random_bool(0.2) {
        settings.reduce.0 = Some(rng.random_range(1..=x.rows()));
    }
    let rules = [Regularization::Auto, Regularization::AutoFast, Regularization::Paper];
    let search = &mut settings.search;
    search.regularization = match rng.random_bool(0.5) {
        true => one_of(rng, &rules),
        false => Regularization::Value(one_of(rng, &[0.0, 5e-324, 1e-308, 1e-200, 1e-3, 1.0, 1e100, 1e250])),
    };
    search.solver.smoothing = one_of(rng, &[1e-5, 1e-5, 1e-300, 0.9, 1e3, 1e300]);
    search.solver.iterations = one_of(rng, &[1, 3, 40]);
    search.solver.start_iteration = one_of(rng, &[None, None, Some(0), Some(1_000_000)]);
    search.solver.gap_tolerance = one_of(rng, &[None, Some(0.0), Some(1e-300), Some(1e-3)]);
    search.solver.objective_tolerance = one_of(rng, &[None, Some(1e-12)]);
    search.solver.residual_tolerance = one_of(rng, &[None, Some(1e-310), Some(1e-3)]);
    search.xray.criterion = one_of(rng, &Criterion::ALL);
    search.fast_anchor.projection = one_of(rng, &[None, Some(1), Some(3)]);
    search.fast_anchor.minimum_nonzeros = one_of(rng, &[0, 1, 2]);
    search.fast_gradient.steps = one_of(rng, &[1, 20]);
    settings
}

fn check(run: &Factorization, settings: &Settings, case: &str) {
    let mut anchors = run.anchors().to_vec();
    anchors.sort_unstable();
    anchors.dedup();
    let rank = settings.rank.unwrap_or(run.anchors().len());
    assert!(anchors.len() == rank && run.anchors().len() == rank && rank > 0, "{case}: {:?}", run.anchors());
    let finite =
        |name: &str, values: &[f64]| assert!(values.iter().all(|v| v.is_finite()), "{case}: {name} {values:?}");
    finite("W", run.w.values());
    finite("H", run.h.h.values());
    finite("scores", &run.search.scores);
    finite("row norms", &run.search.row_norms);
    finite("fit", &[run.rae(), run.h.squared_residual, run.square]);
    finite("lambda", &run.search.regularization.into_iter().collect::<Vec<_>>());
    let candidates: Vec<f64> = run.search.candidates.iter().map(|candidate| candidate.squared_residual).collect();
    finite("candidates", &candidates);
    if let Some(solution) = &run.search.solution {
        finite("objective", &[solution.objective]);
        finite("gap", &solution.gap.into_iter().collect::<Vec<_>>());
    }
    if let Some(found) = &run.search.fast_gradient {
        finite("FastGradient", &[found.mu, found.objective]);
    }
}

#[test]
fn every_method_and_option_gives_numbers_or_an_error() {
    let (mut good, mut refused) = (0, 0);
    for seed in 0..20_000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let x = matrix(&mut rng);
        let settings = settings(&mut rng, &x);
        let case = format!("seed {seed}: {x:?} with {settings:?}");
        let run = catch_unwind(|| factor(&x, &settings, &mut ()));
        match run.unwrap_or_else(|_| panic!("{case} panics")) {
            Ok(run) => {
                check(&run, &settings, &case);
                good += 1;
            }
            Err(Error::Settings(error)) => panic!("{case}: {error}"),
            Err(_) => refused += 1,
        }
    }
    assert!(good > 8000 && refused > 1000, "{good} {refused}");
}
