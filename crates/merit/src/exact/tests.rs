//! The method against plain ADMM with its dense `N x N` dual: the same steps, written as they are defined.

use super::*;
use crate::synthetic::Dirichlet;
use merit_linalg::small_dense::inverse;

/// ADMM for `F` on `C = D`, with a dense scaled dual `U`.
struct Twin<'a> {
    X: &'a DenseMatrix,
    lambda: f64,
    rho: f64,
    D: DenseMatrix,
    U: DenseMatrix,
}

impl Twin<'_> {
    fn step(&mut self, relaxation: f64) {
        let (X, N) = (self.X, self.X.cols());
        let gram = DenseMatrix::from_fn(N, N, |i, j| X.col(i).iter().zip(X.col(j)).map(|(a, b)| a * b).sum());
        let system = DenseMatrix::from_fn(N, N, |i, j| gram.get(i, j) + if i == j { self.rho } else { 0.0 });
        let K = inverse(&system).unwrap();
        let times = |v: &[f64]| {
            let mut out = vec![0.0; N];
            K.times(v, &mut out);
            out
        };
        let ones = times(&vec![1.0; N]);
        let mut V = DenseMatrix::zeros(N, N);
        for l in 0..N {
            // c = argmin 1/2 ||x_l - X c||^2 + rho/2 ||c - d + u||^2 with sum 1
            let target: Vec<f64> =
                (0..N).map(|n| gram.get(n, l) + self.rho * (self.D.get(n, l) - self.U.get(n, l))).collect();
            let free = times(&target);
            let nu = (1.0 - free.iter().sum::<f64>()) / ones.iter().sum::<f64>();
            for n in 0..N {
                let c = free[n] + nu * ones[n];
                V[(n, l)] = relaxation * c + (1.0 - relaxation) * self.D.get(n, l) + self.U.get(n, l);
            }
        }
        for n in 0..N {
            let row: Vec<f64> = (0..N).map(|l| V.get(n, l)).collect();
            let cap = bisected_cap(&row, self.lambda / self.rho);
            for (l, &v) in row.iter().enumerate() {
                let d = v.max(0.0).min(cap);
                self.D[(n, l)] = d;
                self.U[(n, l)] = v - d;
            }
        }
    }
}

/// The cap with `sum (v - cap)_+ = tau`, at least 0, by bisection.
fn bisected_cap(row: &[f64], tau: f64) -> f64 {
    let over = |cap: f64| row.iter().map(|v| (v - cap).max(0.0)).sum::<f64>();
    let (mut low, mut high) = (0.0, row.iter().fold(0.0_f64, |top, &v| top.max(v)));
    if over(0.0) <= tau {
        return 0.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if over(middle) > tau { low = middle } else { high = middle }
    }
    high
}

/// `D` and `U = B'P + 1p' + E` of a state.
fn dense_state(problem: &Problem, state: &State) -> (DenseMatrix, DenseMatrix) {
    let N = problem.X().cols();
    let (mut D, mut U) = (DenseMatrix::zeros(N, N), DenseMatrix::zeros(N, N));
    let mut b = vec![0.0; problem.X().rows()];
    for (n, row) in state.rows.shards.iter().flat_map(|shard| shard.rows()).enumerate() {
        problem.centered(n, &mut b);
        for l in 0..N {
            U[(n, l)] = merit_linalg::dense::dot(&b, state.P.col(l)) + state.p[l];
        }
        for ((&l, &d), &e) in row.columns.iter().zip(row.d).zip(row.e) {
            D[(n, l as usize)] = d;
            U[(n, l as usize)] += e;
        }
    }
    (D, U)
}

fn difference(a: &DenseMatrix, b: &DenseMatrix) -> f64 {
    a.values().iter().zip(b.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn passes_are_the_steps_of_plain_admm() {
    for (seed, rows, cols, lambda) in [(1, 5, 24, 0.05), (2, 3, 18, 1.0), (3, 30, 12, 0.2), (4, 6, 40, 1e-3)] {
        let data = Dirichlet { snr_db: 12.0, seed, ..Dirichlet::new(rows, cols, 3) }.generate().unwrap();
        let x = DataMatrix::from(data.x.clone());
        let problem = Problem::new(&x, None, 0.0);
        let rho = problem.rho(lambda);
        let inverse = problem.inverse(rho);
        let mut twin =
            Twin { X: &data.x, lambda, rho, D: DenseMatrix::zeros(cols, cols), U: DenseMatrix::zeros(cols, cols) };
        let mut state = start::state(&problem, Start::Zero, rho);
        for step in 0..40 {
            let relaxation = if step < 8 { 1.0 } else { 1.7 };
            let (tau, drop) = (lambda / rho, 0.0);
            let sweep = Sweep {
                problem: &problem,
                rows: &state.rows,
                rho,
                kappa: 1.0,
                relaxation,
                inverse: &inverse,
                drop,
                with_fit: true,
            };
            sweep.run(&mut state.P, &mut state.p);
            let pass = Pass { problem: &problem, P: &state.P, p: &state.p, tau, relaxation, drop };
            pass.run(&mut state.rows, Some(Kernel::best()), &Interrupt::never()).unwrap();
            twin.step(relaxation);
            let (D, U) = dense_state(&problem, &state);
            let off = difference(&D, &twin.D).max(difference(&U, &twin.U));
            assert!(off < 1e-9, "seed {seed}, step {step}: {off}");
        }
    }
}

#[test]
fn the_objective_is_that_of_the_definition() {
    let data = Dirichlet { snr_db: 10.0, seed: 5, ..Dirichlet::new(4, 20, 3) }.generate().unwrap();
    let x = DataMatrix::from(data.x.clone());
    let found = Workspace::new(&x).solve(0.1, Start::Zero, &Settings::default(), &mut (), &Interrupt::never()).unwrap();
    let (mut fit, mut maxima) = (0.0, [0.0_f64; 20]);
    for l in 0..20 {
        let (rows, values) = found.c.col(l);
        for m in 0..4 {
            let sum: f64 = rows.iter().zip(values).map(|(&n, c)| c * data.x.get(m, n as usize)).sum();
            fit += 0.5 * (sum - data.x.get(m, l)).powi(2);
        }
        rows.iter().zip(values).for_each(|(&n, &c)| maxima[n as usize] = maxima[n as usize].max(c));
    }
    let F = fit + 0.1 * maxima.iter().sum::<f64>();
    assert!((F - found.objective).abs() < 1e-12 * F && (F - objective(&x, &found.c, 0.1)).abs() < 1e-12 * F);
    assert!(found.lower_bound <= F && found.relative_gap() <= 1e-3);
    assert_eq!(found.stop, StopReason::GapReached);
}
