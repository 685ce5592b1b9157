//! The solver against a naive twin, and properties that must hold on any data.

#![allow(non_snake_case)]

mod support;

use merit::precision::Precision;
use merit::progress::{Progress, StopReason, Trace};
use merit::solver::{
    CheckedSettings, Fault, FeasibleColumns, KernelChoice, Pruning, Scores, SearchKind, Searched, Settings, Solution,
    Start, StoredResiduals, Workspace, solve,
};
use merit::synthetic::Dirichlet;
use merit::{DataMatrix, DenseMatrix, SparseColumns, SparseMatrix};
use merit_linalg::kernels::Kernel;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use std::time::Duration;
use support::{Naive, awkward, awkward_of, bits, dense, largest_difference, random, shared_by, thin};

fn steps(iterations: usize) -> Settings {
    Settings { iterations, ..Default::default() }
}

fn at(lambda: f64, settings: Settings) -> CheckedSettings {
    settings.at(lambda).unwrap()
}

fn run(x: &DataMatrix, lambda: f64, settings: Settings) -> Solution {
    solve(x, Start::Zero, &at(lambda, settings), &mut ())
}

fn sample(seed: u64, rows: usize, cols: usize) -> DataMatrix {
    random(&mut ChaCha8Rng::seed_from_u64(seed), rows, cols)
}

fn as_dense(x: &DataMatrix) -> &DenseMatrix {
    let DataMatrix::Dense(x) = x else { panic!("dense data") };
    x
}

#[test]
fn iterates_objective_and_gap_are_those_of_the_naive_twin() {
    for (seed, lambda, mu) in [(1, 0.2, 1e-5), (2, 0.0, 1e-5), (3, 1.0, 0.1), (4, 0.05, 1e-12), (5, 100.0, 1e-3)] {
        let x = sample(seed, 6, 40);
        let mut naive = Naive { X: as_dense(&x), C: DenseMatrix::zeros(40, 40), lambda, mu };
        for T in 1..=25 {
            naive.step(T - 1);
            let solution = run(&x, lambda, Settings { smoothing: mu, ..steps(T) });
            assert!(largest_difference(&dense(&solution.c), &naive.C) < 1e-12, "seed {seed} step {T}");
            assert!((solution.objective - naive.objective()).abs() <= 1e-10 * naive.objective());
        }
        let solution = run(&x, lambda, Settings { smoothing: mu, ..steps(25) });
        let gap = naive.step(25);
        assert!((solution.gap.unwrap() - gap).abs() <= 1e-9 * gap, "seed {seed}: {:?} {gap}", solution.gap);
        assert_eq!(solution.stop, StopReason::IterationLimit);
    }
}

#[test]
fn the_gradient_is_the_slope_of_the_objective() {
    let x = sample(9, 4, 12);
    let mut naive = Naive { X: as_dense(&x), C: DenseMatrix::zeros(12, 12), lambda: 0.3, mu: 0.05 };
    (0..6).for_each(|t| _ = naive.step(t));
    let y = naive.softmax();
    for (n, l) in [(0, 0), (3, 7), (11, 2), (5, 5)] {
        let g = naive.gradient(&y, l)[n];
        let mut moved = Naive { C: naive.C.clone(), ..naive };
        moved.C.col_mut(l)[n] += 1e-6;
        let above = moved.objective();
        moved.C.col_mut(l)[n] -= 2e-6;
        let slope = (above - moved.objective()) / 2e-6;
        assert!((slope - g).abs() < 1e-6 * (1.0 + g.abs()), "({n}, {l}): {slope} {g}");
    }
}

#[test]
fn the_gap_bounds_the_distance_to_a_better_point() {
    let x = sample(11, 5, 60);
    let short = run(&x, 0.1, steps(10));
    let long = run(&x, 0.1, steps(2000));
    assert!(short.objective - long.objective <= short.gap.unwrap());
    assert!(long.gap.unwrap() < short.gap.unwrap());
}

#[test]
fn sparse_and_dense_data_give_the_same_solution() {
    let mut x = as_dense(&sample(21, 9, 70)).clone();
    x.values_mut().iter_mut().for_each(|v| *v = if *v < 0.6 { 0.0 } else { *v });
    let entries = (0..70).flat_map(|l| (0..9).map(move |m| (m, l)));
    let triplets = entries.map(|(m, l)| (m as u32, l as u32, x.get(m, l))).filter(|t| t.2 != 0.0).collect();
    let sparse = DataMatrix::from(SparseMatrix::from_triplets(9, 70, triplets));
    let (a, b) = (run(&x.into(), 0.05, steps(60)), run(&sparse, 0.05, steps(60)));
    assert!(largest_difference(&dense(&a.c), &dense(&b.c)) < 1e-9);
    assert!((a.gap.unwrap() - b.gap.unwrap()).abs() < 1e-9);
}

#[test]
fn every_stop_rule_ends_the_run_and_is_named() {
    let x = sample(31, 3, 50);
    let stop = |lambda: f64, s: Settings| run(&x, lambda, s).stop;
    assert_eq!(stop(0.1, steps(7)), StopReason::IterationLimit);
    assert_eq!(stop(0.1, Settings { gap_tolerance: Some(1e9), ..steps(7) }), StopReason::GapReached);
    assert_eq!(stop(0.1, Settings { objective_tolerance: Some(1e-2), ..steps(10_000) }), StopReason::ObjectiveSettled);
    assert_eq!(stop(0.0, Settings { residual_tolerance: Some(0.1), ..steps(10_000) }), StopReason::ResidualsReached);
    assert_eq!(stop(0.1, Settings { time_limit: Some(Duration::ZERO), ..steps(7) }), StopReason::TimeLimit);
    let mut seen = 0;
    let mut observer = |progress: &Progress| {
        seen += 1;
        if progress.iteration == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let solution = solve(&x, Start::Zero, &at(0.1, steps(7)), &mut observer);
    assert_eq!((solution.stop, solution.iterations, seen), (StopReason::Interrupted, 3, 4));
}

/// The authors' program tests the gap of the iterate before its last step.
#[test]
fn one_step_more_after_the_gap_is_reached() {
    let x = sample(33, 3, 50);
    let until = Settings { gap_tolerance: Some(1.0), ..steps(10_000) };
    let plain = run(&x, 0.1, until.clone());
    let more = run(&x, 0.1, Settings { step_after_gap: true, ..until });
    assert_eq!((more.stop, more.iterations), (StopReason::GapReached, plain.iterations + 1));
    let twin = run(&x, 0.1, steps(plain.iterations + 1));
    assert!(bits(&more.c) == bits(&twin.c) && more.gap == twin.gap);
}

/// A gap is a certificate for feasible points only.
#[test]
fn an_infeasible_start_cannot_be_made() {
    let half = SparseColumns::from_columns(5, |l, entries| entries.push((l as u32, 0.5)));
    assert_eq!(FeasibleColumns::new(half).unwrap_err().fault, Fault::Sum(0.5));
}

#[test]
fn a_column_that_fits_stops_moving() {
    let x = sample(32, 3, 50);
    let tolerance = 0.05;
    let solution = run(&x, 0.0, Settings { residual_tolerance: Some(tolerance), ..steps(10_000) });
    let naive = Naive { X: as_dense(&x), C: dense(&solution.c), lambda: 0.0, mu: 1e-5 };
    for l in 0..50 {
        let norm = naive.residual(l).iter().map(|r| r * r).sum::<f64>().sqrt();
        assert!(norm <= tolerance * (1.0 + 1e-12), "column {l}: {norm}");
    }
}

#[test]
fn a_warm_start_goes_on_where_the_first_run_stopped() {
    let x = sample(41, 5, 80);
    let whole = run(&x, 0.1, steps(30));
    let half = run(&x, 0.1, steps(12)).c;
    let rest = at(0.1, Settings { start_iteration: Some(12), ..steps(18) });
    let resumed = solve(&x, Start::Columns(half), &rest, &mut ());
    assert!(largest_difference(&dense(&whole.c), &dense(&resumed.c)) < 1e-12);
    let identity = SparseColumns::from_columns(80, |l, entries| entries.push((l as u32, 1.0)));
    let started = solve(&x, Start::Columns(FeasibleColumns::new(identity).unwrap()), &at(0.0, steps(1)), &mut ());
    assert_eq!(started.start_iteration, 1_000_000, "an exact fit asks for infinitely small steps");
}

#[test]
fn every_iterate_is_feasible_and_sparse() {
    let x = sample(51, 8, 150);
    let mut trace = Trace::default();
    let solution = solve(&x, Start::Zero, &at(0.2, steps(40)), &mut trace);
    assert_eq!(trace.rows.len(), 40);
    for row in &trace.rows {
        assert!(row.gap.unwrap() >= -1e-9 && row.nnz <= row.iteration * 150 && row.nonempty_rows <= 150);
    }
    for l in 0..150 {
        let (_, values) = solution.c.col(l);
        assert!((values.iter().sum::<f64>() - 1.0).abs() < 1e-12 && values.iter().all(|&v| v > 0.0));
    }
}

#[test]
fn permuted_columns_give_permuted_iterates() {
    let x = as_dense(&sample(61, 6, 90)).clone();
    let order: Vec<usize> = (0..90).map(|l| (l * 37 + 11) % 90).collect();
    let (a, b) = (run(&x.clone().into(), 0.1, steps(30)), run(&x.select(&order).into(), 0.1, steps(30)));
    let (a, b) = (dense(&a.c), dense(&b.c));
    let permuted = DenseMatrix::from_fn(90, 90, |n, l| a.get(order[n], order[l]));
    assert!(largest_difference(&permuted, &b) < 1e-12);
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let x = sample(71, 10, 1000);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let solution = run(&x, 0.3, steps(30));
            (bits(&solution.c), solution.gap.unwrap().to_bits(), solution.objective.to_bits())
        })
    };
    let one = on(1);
    for threads in [2, 3, 7] {
        assert!(on(threads) == one, "{threads} threads");
    }
}

#[test]
fn searching_the_hull_alone_gives_the_bits_of_the_scalar_twin() {
    for (rows, rank, noise, lambda) in
        [(3, 3, 30.0, 0.0), (4, 4, 25.0, 0.02), (4, 4, 15.0, 1.0), (5, 3, 20.0, 1e-4), (6, 2, f64::INFINITY, 0.1)]
    {
        let model = Dirichlet { snr_db: noise, seed: rows as u64, ..Dirichlet::new(rows, 2500, rank) };
        let x = DataMatrix::from(model.generate().unwrap().x);
        let mut trace = Trace::default();
        let pruned = solve(&x, Start::Zero, &at(lambda, steps(30)), &mut trace);
        let twin = run(&x, lambda, Settings { kernel: KernelChoice::Scalar, ..steps(30) });
        assert!(bits(&pruned.c) == bits(&twin.c), "{rows} rows, lambda {lambda}");
        let last = trace.rows.last().unwrap();
        println!("{rows} rows, lambda {lambda}: {} candidates, {} pairs a column", last.candidates, last.pairs / 2500);
        assert!(last.candidates < 2500 && last.pairs < 2500 * 2500, "{rows} rows: the hull was not used");
    }
}

#[test]
fn runs_that_share_a_workspace_are_runs_of_their_own() {
    let data = Dirichlet { snr_db: 25.0, seed: 5, ..Dirichlet::new(4, 2500, 4) }.generate().unwrap();
    let x = DataMatrix::from(data.x);
    let mut workspace = Workspace::new(&x);
    let settings = |lambda| at(lambda, Settings { pruning: Pruning::Always, ..steps(30) });
    for lambda in [1.0, 1e-3, 0.0] {
        let shared = workspace.solve(Start::Zero, &settings(lambda), &mut ());
        let (mut alone, mut both) = (Trace::default(), Trace::default());
        let own = solve(&x, Start::Zero, &settings(lambda), &mut alone);
        assert_eq!((bits(&shared.c), shared.gap), (bits(&own.c), own.gap), "lambda {lambda}");
        // ... and do not inherit the rows that an earlier run has used.
        workspace.solve(Start::Columns(shared.c), &settings(lambda), &mut ());
        workspace.solve(Start::Zero, &settings(lambda), &mut both);
        let candidates = |trace: &Trace| trace.rows.iter().map(|row| row.candidates).collect::<Vec<_>>();
        assert_eq!(candidates(&both), candidates(&alone));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Every kernel makes the choices of the scalar `f64` twin: the same bits of C after 25 steps.
    #[test]
    fn every_kernel_gives_the_bits_of_the_scalar_twin(seed: u64, strength in 0usize..5) {
        let x = awkward(seed);
        let square = x.values().iter().map(|v| v * v).sum::<f64>() / x.cols() as f64;
        let lambda = [0.0, 1e-6, 1e-2, 1.0, 1e3][strength] * square;
        let x = DataMatrix::from(x);
        for stored_residuals in [StoredResiduals::Always, StoredResiduals::Never] {
            let with = |kernel, pruning| run(&x, lambda, Settings { kernel, pruning, stored_residuals, ..steps(25) });
            let twin = with(KernelChoice::Scalar, Pruning::Never);
            for kernel in Kernel::available() {
                for pruning in [Pruning::Never, Pruning::Always] {
                    let solution = with(KernelChoice::Use(kernel), pruning);
                    prop_assert!(bits(&solution.c) == bits(&twin.c), "{} {pruning:?}", kernel.name());
                    prop_assert_eq!(solution.gap.unwrap().to_bits(), twin.gap.unwrap().to_bits());
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// So it is for sparse data, whose residuals are stored (few rows) or not (many, over several blocks of the kernels).
    #[test]
    fn every_kernel_gives_the_bits_of_the_scalar_twin_on_sparse_data(seed: u64, strength in 0usize..5, apart in 0usize..3) {
        let x = awkward(seed);
        let square = x.values().iter().map(|v| v * v).sum::<f64>() / x.cols() as f64;
        let lambda = [0.0, 1e-6, 1e-2, 1.0, 1e3][strength] * square;
        let x = thin(&x, [0, 20, 500][apart]);
        let with = |kernel| run(&x, lambda, Settings { kernel, ..steps(25) });
        let twin = with(KernelChoice::Scalar);
        for kernel in Kernel::available() {
            let solution = with(KernelChoice::Use(kernel));
            prop_assert!(bits(&solution.c) == bits(&twin.c), "{}", kernel.name());
            prop_assert_eq!(solution.gap.unwrap().to_bits(), twin.gap.unwrap().to_bits());
        }
    }
}

#[test]
fn a_run_says_how_it_searched() {
    let data = Dirichlet { snr_db: 25.0, seed: 6, ..Dirichlet::new(4, 300, 4) }.generate().unwrap();
    let dense = DataMatrix::from(data.x);
    let diagonal =
        |size: u32| SparseMatrix::from_triplets(size as usize, size as usize, (0..size).map(|n| (n, n, 1.0)).collect());
    let (few, many) = (DataMatrix::from(diagonal(12)), DataMatrix::from(diagonal(13)));
    let tall = sample(8, 300, 40);
    let portable = KernelChoice::Use(*Kernel::available().last().unwrap()); // it has no look at bytes
    for (x, kernel, pruning, columns, scores, stored_residuals) in [
        (&dense, portable, Pruning::Never, Searched::All, Scores::F32, true),
        (&dense, portable, Pruning::Always, Searched::Hull, Scores::F32, true),
        (&dense, KernelChoice::Scalar, Pruning::Always, Searched::All, Scores::F64, true),
        (&few, portable, Pruning::Never, Searched::Sparse, Scores::F32, true),
        (&many, portable, Pruning::Never, Searched::Sparse, Scores::F32, false),
        (&tall, portable, Pruning::Measured, Searched::Gram, Scores::F64, true),
        (&tall, portable, Pruning::Never, Searched::All, Scores::F32, true),
    ] {
        let found = run(x, 0.1, Settings { kernel, pruning, ..steps(10) });
        let kind = SearchKind { columns, scores, byte_searches: 0, stored_residuals };
        assert_eq!(found.search, Some(kind));
    }
    let bytes = run(&sample(3, 50, 700), 0.1, steps(20)).search.unwrap().byte_searches;
    assert_eq!(bytes > 0, Kernel::best().coarse(50).is_some(), "{bytes} searches");
}

/// Residuals that are computed from `C` differ from those that followed the steps by rounding alone.
#[test]
fn residuals_need_not_be_stored() {
    let x = sample(8, 20, 400);
    let with = |stored_residuals| {
        let settings = Settings { stored_residuals, residual_tolerance: Some(0.02), ..steps(60) };
        run(&x, 0.05, settings)
    };
    let (stored, computed) = (with(StoredResiduals::Always), with(StoredResiduals::Never));
    assert!(stored.search.unwrap().stored_residuals && !computed.search.unwrap().stored_residuals);
    assert_eq!(with(StoredResiduals::Measured).gap, stored.gap);
    assert_eq!(stored.iterations, computed.iterations);
    assert!((stored.objective / computed.objective - 1.0).abs() < 1e-9);
    assert!((stored.gap.unwrap() / computed.gap.unwrap() - 1.0).abs() < 1e-6);
}

/// `factor` searches tall data through `X'X`, where that is no larger than the residuals, and finds what the scalar twin finds.
#[test]
fn where_rows_outnumber_columns_their_products_are_searched() {
    let data = Dirichlet { snr_db: 25.0, seed: 7, ..Dirichlet::new(300, 90, 5) }.generate().unwrap();
    let x = DataMatrix::from(data.x);
    let regularization = merit::automatic::Regularization::Value(0.05);
    let found = |kernel, iterations| {
        let solver = Settings { kernel, ..steps(iterations) };
        let search = merit::search::Settings { regularization, solver, ..Default::default() };
        let settings = merit::factor::Settings { rank: Some(5), search, ..Default::default() };
        merit::factor(&x, &settings, &mut ()).unwrap()
    };
    let (fast, twin) = (found(KernelChoice::Fastest, 100), found(KernelChoice::Scalar, 100));
    assert!(merit::metrics::success(fast.anchors(), &data.anchors));
    let solution = |found: &merit::Factorization| {
        let solution = found.search.solution.as_ref().unwrap();
        (bits(&solution.c), solution.gap, solution.objective)
    };
    assert_eq!(solution(&fast), solution(&twin));
    let columns = |found: merit::Factorization| found.search.solution.unwrap().search.unwrap().columns;
    assert_eq!((columns(fast), columns(twin)), (Searched::Gram, Searched::All));
    assert_eq!(columns(found(KernelChoice::Fastest, 3)), Searched::All, "three steps do not pay for the products");
    let single = run(&Precision::F32.take(x.clone()).unwrap(), 0.05, steps(100));
    assert_eq!(single.search.unwrap().columns, Searched::All, "up to twice as much as the data take");
    let wide = run(&sample(5, 300, 301), 0.05, steps(20));
    assert_eq!(wide.search.unwrap().columns, Searched::All, "more than the residuals take");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Through `X'X` too every kernel makes the choices of the scalar twin: dense and sparse, from zero and from a warm start, with columns
    /// that stop moving, and with a large common offset.
    #[test]
    fn products_of_columns_give_the_bits_of_the_scalar_twin(seed: u64, strength in 0usize..5, offset in 0usize..3) {
        let mut x = awkward_of(seed, 160..320, 1..150);
        let largest = x.values().iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        x.values_mut().iter_mut().for_each(|v| *v += [0.0, 1e4, 1e10][offset] * largest);
        let square = x.values().iter().map(|v| v * v).sum::<f64>() / x.cols() as f64;
        let lambda = [0.0, 1e-6, 1e-2, 1.0, 1e3][strength] * square;
        let few = DenseMatrix::from_fn(x.rows(), x.cols(), |m, l| if (m * 7 + l * l) % 3 == 0 { x.get(m, l) } else { 0.0 });
        let tolerance = Some(0.3 * square.sqrt());
        for x in [DataMatrix::from(x), thin(&few, 0), thin(&few, 40)] {
            let start = run(&x, lambda, Settings { kernel: KernelChoice::Scalar, ..steps(4) }).c;
            let with = |kernel, warm: bool| {
                let residual_tolerance = if warm { tolerance } else { None };
                let settings = at(lambda, Settings { kernel, residual_tolerance, ..steps(25) });
                let start = if warm { Start::Columns(start.clone()) } else { Start::Zero };
                solve(&x, start, &settings, &mut ())
            };
            for warm in [false, true] {
                let twin = with(KernelChoice::Scalar, warm);
                for kernel in Kernel::available() {
                    let solution = with(KernelChoice::Use(kernel), warm);
                    prop_assert!(bits(&solution.c) == bits(&twin.c), "{} {}", kernel.name(), warm);
                    prop_assert_eq!(solution.gap.map(f64::to_bits), twin.gap.map(f64::to_bits));
                    if matches!(x, DataMatrix::Dense(_)) {
                        prop_assert_eq!(solution.search.unwrap().columns, Searched::Gram);
                    }
                }
            }
        }
    }
}

/// The number of a step may be anything: a huge one means tiny steps.
#[test]
fn huge_step_numbers_do_not_wrap() {
    let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5, 0.0, 1.0]));
    for start in [usize::MAX, usize::MAX - 1, 1 << 53] {
        let settings = Settings { start_iteration: Some(start), iterations: 5, ..Default::default() };
        let solution = solve(&x, Start::Zero, &settings.at(1e-3).unwrap(), &mut ());
        assert_eq!((solution.iterations, solution.start_iteration), (5, start));
        assert!(solution.objective.is_finite());
    }
}

/// All that a run says, in bits, but for its seconds.
fn said(solution: &Solution, trace: &Trace) -> (Vec<(u32, u64)>, Vec<String>) {
    let row = |row: &Progress| {
        let mut row = row.clone();
        row.elapsed = Duration::ZERO;
        format!("{row:?}")
    };
    let end = format!("{:?} {:?} {:?}", solution.stop, solution.objective.to_bits(), solution.gap.map(f64::to_bits));
    (bits(&solution.c.clone().into_inner().whole()), trace.rows.iter().map(row).chain([end]).collect())
}

#[test]
fn several_processes_find_what_one_finds() {
    let dense =
        Dirichlet { rows: 6, cols: 700, rank: 4, snr_db: 30.0, seed: 5, ..Default::default() }.generate().unwrap().x;
    let sparse = DataMatrix::Sparse(sample(3, 8, 400).into_sparse());
    let single = Precision::F32.take(sample(6, 7, 500)).unwrap();
    let tall = sample(5, 600, 120); // of which two processes have use for the products of columns, but not three
    let data = [dense.into(), sample(7, 9, 97), single, sparse, thin(as_dense(&sample(3, 8, 400)), 40), tall];
    for (i, x) in data.iter().enumerate() {
        let plain = steps(12);
        let kinds = [
            Settings { pruning: Pruning::Always, ..plain.clone() },
            Settings { kernel: KernelChoice::Scalar, residual_tolerance: Some(0.05), ..steps(6) },
            Settings { objective_tolerance: Some(1e-3), ..plain.clone() },
            Settings { stored_residuals: StoredResiduals::Never, residual_tolerance: Some(0.05), ..plain },
        ];
        for (lambda, settings) in [0.2, 0.0, 1.0, 0.2].into_iter().zip(kinds) {
            let settings = at(lambda, settings);
            let run = |workspace: &mut Workspace| {
                let mut trace = Trace::default();
                let first = workspace.solve(Start::Zero, &settings, &mut trace);
                let first = (said(&first, &trace), first.c);
                let mut trace = Trace::default();
                let again = workspace.solve(Start::Columns(first.1), &settings, &mut trace);
                (first.0, said(&again, &trace))
            };
            let one = run(&mut Workspace::new(x));
            for (count, threads) in [(2, 1), (3, 2), (9, 1)] {
                for found in shared_by(count, threads, |ranks| run(&mut Workspace::shared(x, ranks))) {
                    assert!(found == one, "data {i} at {lambda}, {count} processes of {threads} threads");
                }
            }
        }
    }
}

#[test]
fn one_process_that_is_asked_to_end_ends_all() {
    let x = sample(4, 5, 300);
    let settings = at(0.1, steps(1000));
    let found = shared_by(3, 1, |ranks| {
        let mut watch = |progress: &Progress| {
            let asked = ranks.rank() == 1 && progress.iteration == 7;
            if asked { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let solution = Workspace::shared(&x, ranks).solve(Start::Zero, &settings, &mut watch);
        (solution.iterations, solution.stop)
    });
    assert_eq!(found, [(7, StopReason::Interrupted); 3]);
}
