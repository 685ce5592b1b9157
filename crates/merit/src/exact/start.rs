//! The first `D`, `E`, `P` and `p`.

use super::problem::Problem;
use super::rows::{RowShard, Rows};
use super::{Start, State};
use merit_linalg::dense::dot;
use merit_linalg::shards::SHARD;
use merit_linalg::{DenseMatrix, SparseColumns};
use rayon::prelude::*;

/// Entries of a column that may be positive in the first pass, about.
const POSITIVE: usize = 60;
/// Rows at least by which that is judged.
const SAMPLE: usize = 256;

pub(super) fn state(problem: &Problem, start: Start, rho: f64) -> State {
    let (M, N, R) = (problem.X().rows(), problem.X().cols(), problem.rows());
    match start {
        Start::Zero => {
            State { rows: Rows::zeros(R), P: DenseMatrix::zeros(M, N), p: vec![0.0; N], rho, relaxation: 1.0 }
        }
        Start::State(mut state) => {
            assert_eq!((state.P.rows(), state.P.cols()), (M, N), "a state of other data");
            if state.rho != rho {
                // The dual itself, rho U, stays as it is.
                let factor = state.rho / rho;
                state.P.values_mut().iter_mut().for_each(|v| *v *= factor);
                state.p.iter_mut().for_each(|v| *v *= factor);
                state.rows.shards.iter_mut().for_each(|shard: &mut RowShard| shard.scale_e(factor));
                state.rho = rho;
            }
            state
        }
        Start::Columns(C) => of_columns(problem, &C, rho),
    }
}

/// `D = C`; `P = -Z / rho` with its residual `Z = XC - X`; `p = theta / rho` with `theta_l` the mean score `<b_n, z_l>` of the
/// column's nonzeros, or lower, so that about [`POSITIVE`] of all scores are below it.
fn of_columns(problem: &Problem, C: &SparseColumns, rho: f64) -> State {
    let (X, R) = (problem.X(), problem.rows());
    let (M, N) = (X.rows(), X.cols());
    let places: Option<Vec<u32>> = problem.rows.as_ref().map(|rows| {
        let mut places = vec![u32::MAX; N];
        rows.iter().enumerate().for_each(|(i, &n)| places[n as usize] = i as u32);
        places
    });
    let place = |n: u32| match &places {
        None => Some(n as usize),
        Some(places) => Some(places[n as usize] as usize).filter(|&i| i < R),
    };
    let rows = Rows::of_columns(C, R, place);
    let samples = SAMPLE.max(R / 32).min(R);
    let mut sample = DenseMatrix::zeros(M, samples);
    for i in 0..samples {
        problem.centered(problem.column(i * R / samples), sample.col_mut(i));
    }
    let below = (POSITIVE * samples / R).min(samples - 1);
    let (mut P, mut p) = (DenseMatrix::zeros(M, N), vec![0.0; N]);
    let shards = P.values_mut().par_chunks_mut(SHARD * M).zip(p.par_chunks_mut(SHARD)).enumerate();
    shards.for_each_init(Vec::new, |scores: &mut Vec<f64>, (s, (P, p))| {
        let mut y = vec![0.0; M];
        for (i, (z, p)) in P.chunks_exact_mut(M).zip(p).enumerate() {
            let l = s * SHARD + i;
            let (indices, values) = C.col(l);
            indices.iter().zip(values).for_each(|(&n, &value)| X.add_to(n as usize, value, z));
            X.add_to(l, -1.0, z);
            problem.centered(l, &mut y);
            y.iter_mut().zip(&*z).for_each(|(y, z)| *y += z); // B c
            scores.clear();
            scores.extend((0..samples).map(|n| dot(sample.col(n), z)));
            let (_, &mut score, _) = scores.select_nth_unstable_by(below, f64::total_cmp);
            *p = dot(&y, z).min(score) / rho;
            z.iter_mut().for_each(|z| *z /= -rho);
        }
    });
    State { rows, P, p, rho, relaxation: 1.0 }
}
