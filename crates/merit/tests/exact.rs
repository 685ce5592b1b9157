//! The exact solver against an independent one, and what must hold on any data.

#![allow(non_snake_case)]

mod support;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};
use merit::exact::{ExactSolution, Settings, Start, State, Workspace, objective};
use merit::progress::{Interrupt, Observer, Progress, StopReason};
use merit::search::SpaStart;
use merit::solver::{FeasibleColumns, KernelChoice};
use merit::synthetic::Dirichlet;
use merit::{DataMatrix, DenseMatrix, SparseColumns, SparseMatrix};
use merit_linalg::kernels::Kernel;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use support::random;

fn solve(x: &DataMatrix, lambda: f64, start: Start, settings: &Settings) -> ExactSolution {
    Workspace::new(x).solve(lambda, start, settings, &mut (), &Interrupt::never()).expect("nobody asks for the end")
}

fn to_gap(gap: f64, passes: usize) -> Settings {
    Settings { gap, passes }
}

/// Minimizes `F` with Clarabel: the variables are `C`, column after column, then the row maxima `t`.
fn clarabel(x: &DenseMatrix, lambda: f64) -> (f64, SparseColumns) {
    let (M, N) = (x.rows(), x.cols());
    // min 1/2 ||R||^2 + lambda sum_n t_n  over C (by columns), t and R, where
    // sum_n C(n,l) = 1;  X C - R = X;  C >= 0;  t_n - C(n,l) >= 0
    let (fits, signs, bounds) = (N, N + M * N, N + M * N + N * N);
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for (l, n) in (0..N * N).map(|variable| (variable / N, variable % N)) {
        rows.push(l);
        values.push(1.0);
        rows.extend((0..M).map(|m| fits + l * M + m));
        values.extend_from_slice(x.col(n));
        rows.extend([signs + l * N + n, bounds + l * N + n]);
        values.extend([-1.0, 1.0]);
        starts.push(rows.len());
    }
    for n in 0..N {
        rows.extend((0..N).map(|l| bounds + l * N + n));
        values.extend(vec![-1.0; N]);
        starts.push(rows.len());
    }
    for residual in 0..M * N {
        rows.push(fits + residual);
        values.push(-1.0);
        starts.push(rows.len());
    }
    let (variables, conditions) = (N * N + N + M * N, bounds + N * N);
    let constraints = CscMatrix::new(conditions, variables, starts, rows, values);
    let (first, all) = (N * N + N, M * N);
    let mut starts = vec![0; first];
    starts.extend(0..=all);
    let quadratic = CscMatrix::new(variables, variables, starts, (first..variables).collect(), vec![1.0; all]);
    let linear: Vec<f64> = (0..variables).map(|v| if (N * N..first).contains(&v) { lambda } else { 0.0 }).collect();
    let mut right = vec![1.0; N];
    right.extend_from_slice(x.values());
    right.resize(conditions, 0.0);
    let cones = [ZeroConeT(N + M * N), NonnegativeConeT(2 * N * N)];
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-9)
        .tol_gap_rel(1e-9)
        .tol_feas(1e-9)
        .max_iter(60)
        .build()
        .unwrap();
    let mut solver = DefaultSolver::new(&quadratic, &linear, &constraints, &right, &cones, settings).unwrap();
    solver.solve();
    assert!(matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved));
    let C = SparseColumns::from_columns(N, |l, entries| {
        entries.extend((0..N).map(|n| (n as u32, solver.solution.x[l * N + n].max(0.0))));
    });
    (solver.solution.obj_val, C)
}

#[test]
fn the_optimum_is_that_of_an_independent_solver() {
    for (seed, rows, cols, rank, snr, multiple) in [
        (1, 6, 30, 4, 12.0, 1.0),
        (2, 10, 36, 5, 10.0, 1.0),
        (3, 40, 24, 4, 15.0, 0.25),
        (4, 4, 30, 3, 20.0, 4.0),
        (5, 12, 60, 6, 12.0, 1.0),
    ] {
        let data = Dirichlet { snr_db: snr, seed, ..Dirichlet::new(rows, cols, rank) }.generate().unwrap();
        let x = DataMatrix::from(data.x.clone());
        let lambda = multiple * merit::automatic::SpaFit::of(&x, rank, &Interrupt::never()).unit();
        let (optimum, C) = clarabel(&data.x, lambda);
        let found = solve(&x, lambda, Start::Zero, &to_gap(1e-7, 20_000));
        assert_eq!(found.stop, StopReason::GapReached, "seed {seed}: {:.2e}", found.relative_gap());
        let off = (found.objective - optimum) / optimum;
        assert!(off.abs() < 1e-6, "seed {seed}: {} {optimum}", found.objective);
        assert!(found.lower_bound <= optimum * (1.0 + 1e-8), "seed {seed}: {} {optimum}", found.lower_bound);
        let (ours, theirs) = (found.c.row_inf_norms(), C.row_inf_norms());
        let largest = |norms: &[f64]| merit::selection::largest_rows(norms, rank, |_| true);
        assert_eq!(sorted(largest(&ours)), sorted(largest(&theirs)), "seed {seed}");
    }
}

fn sorted(mut set: Vec<usize>) -> Vec<usize> {
    set.sort_unstable();
    set
}

/// A small problem of any kind: copies, zero columns, rank 1, more rows than columns, huge and tiny entries.
fn problem(seed: u64) -> (DataMatrix, f64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (rows, cols) = (rng.random_range(1..9), rng.random_range(1..16));
    let DataMatrix::Dense(mut x) = random(&mut rng, rows, cols) else { panic!("dense data") };
    match seed % 8 {
        1 => (0..cols).for_each(|l| {
            let copy = x.col(l / 2).to_vec();
            x.col_mut(l).copy_from_slice(&copy);
        }),
        2 => x.col_mut(cols / 2).fill(0.0),
        3 => (0..cols).for_each(|l| {
            let first = x.col(0).to_vec();
            x.col_mut(l).iter_mut().zip(first).for_each(|(v, f)| *v = f * (l as f64 + 0.5));
        }),
        4 => x.values_mut().iter_mut().for_each(|v| *v *= 1e40),
        5 => x.values_mut().iter_mut().for_each(|v| *v *= 1e-40),
        6 => x.values_mut().iter_mut().for_each(|v| *v += 1e4),
        _ => {}
    }
    let square: f64 = x.values().iter().map(|v| v * v).sum::<f64>() / cols as f64;
    let lambda = match seed % 5 {
        0 => 0.0,
        i => square * 10f64.powi(i as i32 - 4),
    };
    (x.into(), lambda)
}

#[test]
fn no_feasible_point_is_below_the_bound() {
    for seed in 0..500 {
        let (x, lambda) = problem(seed);
        let rough = solve(&x, lambda, Start::Zero, &to_gap(0.0, 1 + seed as usize % 60));
        let fine = solve(&x, lambda, Start::Zero, &to_gap(1e-9, 3000));
        let best = fine.objective.min(rough.objective);
        // The trace has every bound on the way.
        for bounds in rough.trace.iter().chain(&fine.trace) {
            assert!(bounds.lower <= best, "seed {seed}, pass {}: {} {best}", bounds.pass, bounds.lower);
        }
        assert!(objective(&x, &fine.c, lambda) <= fine.objective * (1.0 + 1e-9), "seed {seed}");
        assert!(FeasibleColumns::new(fine.c.into_inner()).is_ok());
        if seed % 10 == 0 && lambda > 0.0 && seed % 8 != 4 && seed % 8 != 5 {
            let DataMatrix::Dense(x) = &x else { panic!("dense data") };
            let (optimum, _) = clarabel(x, lambda);
            let scale = optimum.abs() + x.values().iter().map(|v| v * v).sum::<f64>();
            assert!(rough.lower_bound <= optimum + 1e-9 * scale, "seed {seed}: {} {optimum}", rough.lower_bound);
        }
    }
}

/// Every kernel, the plain loops, sparse data and any number of threads give the same bits.
#[test]
fn kernels_threads_and_sparse_data_agree() {
    let data = Dirichlet { snr_db: 12.0, seed: 3, ..Dirichlet::new(7, 300, 4) }.generate().unwrap();
    let x = DataMatrix::from(data.x.clone());
    let start = || Start::Columns(SpaStart::of(&x, 4, &Interrupt::never()).columns);
    let run = |x: &DataMatrix, kernel, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut workspace = Workspace::new(x).kernel(kernel);
        let settings = to_gap(0.0, 25);
        let found = pool.install(|| workspace.solve(0.02, start(), &settings, &mut (), &Interrupt::never())).unwrap();
        (found.objective.to_bits(), found.lower_bound.to_bits(), found.trace, bits(&found.c))
    };
    let truth = run(&x, KernelChoice::Scalar, 1);
    for kernel in Kernel::available() {
        assert!(run(&x, KernelChoice::Use(kernel), 1) == truth, "{}", kernel.name());
        assert!(run(&x, KernelChoice::Use(kernel), 3) == truth, "{} on three threads", kernel.name());
    }
    let triplets = (0..300u32).flat_map(|l| (0..7u32).map(move |m| (m, l)));
    let triplets = triplets.map(|(m, l)| (m, l, data.x.get(m as usize, l as usize))).collect();
    let sparse = DataMatrix::from(SparseMatrix::from_triplets(7, 300, triplets));
    let (of_sparse, of_dense) = (run(&sparse, KernelChoice::Fastest, 2), &truth);
    for (found, expected) in [(of_sparse.0, of_dense.0), (of_sparse.1, of_dense.1)] {
        let (found, expected) = (f64::from_bits(found), f64::from_bits(expected));
        assert!((found - expected).abs() < 1e-9 * expected, "{found} {expected}");
    }
}

fn bits(c: &SparseColumns) -> Vec<(Vec<u32>, Vec<u64>)> {
    (0..c.cols()).map(|l| (c.col(l).0.to_vec(), c.col(l).1.iter().map(|v| v.to_bits()).collect())).collect()
}

#[test]
fn a_state_goes_on_at_another_lambda() {
    let data = Dirichlet { snr_db: 12.0, seed: 8, ..Dirichlet::new(10, 120, 5) }.generate().unwrap();
    let x = DataMatrix::from(data.x);
    let unit = merit::automatic::SpaFit::of(&x, 5, &Interrupt::never()).unit();
    let settings = to_gap(1e-3, 1000);
    let mut workspace = Workspace::new(&x);
    let mut state: Option<State> = None;
    let (mut warm, mut cold) = (0, 0);
    for multiple in [1.0, 0.9, 0.8, 0.7] {
        let start = state.take().map_or(Start::Zero, Start::State);
        let found = workspace.solve(multiple * unit, start, &settings, &mut (), &Interrupt::never()).unwrap();
        let alone = solve(&x, multiple * unit, Start::Zero, &settings);
        assert!(found.relative_gap() <= 1e-3 && alone.relative_gap() <= 1e-3);
        assert!(found.objective <= alone.objective * (1.0 + 1.1e-3) && found.lower_bound <= alone.objective);
        (warm, cold) = (warm + found.passes, cold + alone.passes);
        state = found.state;
    }
    assert!(warm < cold, "{warm} {cold}");
}

#[test]
fn observers_and_the_flag_end_it() {
    let data = Dirichlet { snr_db: 12.0, seed: 9, ..Dirichlet::new(10, 200, 5) }.generate().unwrap();
    let x = DataMatrix::from(data.x);
    let start = || Start::Columns(SpaStart::of(&x, 5, &Interrupt::never()).columns);
    let mut three = |p: &Progress| if p.iteration == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let mut workspace = Workspace::new(&x);
    let found = workspace.solve(0.05, start(), &Settings::default(), &mut three, &Interrupt::never()).unwrap();
    assert_eq!((found.stop, found.passes), (StopReason::Interrupted, 3));
    struct Button(Interrupt);
    impl Observer for Button {
        fn iteration(&mut self, progress: &Progress) -> ControlFlow<()> {
            if progress.iteration == 2 {
                self.0.ask(); // the pass that follows ends at once
            }
            ControlFlow::Continue(())
        }
    }
    let button = Interrupt::new();
    let found = workspace.solve(0.05, start(), &Settings::default(), &mut Button(button.clone()), &button).unwrap();
    assert_eq!((found.stop, found.passes), (StopReason::Interrupted, 2));
    assert!(workspace.solve(0.05, Start::Zero, &Settings::default(), &mut (), &button).is_none());
    let limits = to_gap(0.0, 5);
    assert_eq!(
        workspace.solve(0.05, start(), &limits, &mut (), &Interrupt::never()).unwrap().stop,
        StopReason::IterationLimit
    );
}
