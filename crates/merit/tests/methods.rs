//! The methods besides MERIT: exact on clean data, calm on awkward data, equal to naive twins, the same for any threads.

mod support;

use merit::methods::{fast_anchor, fast_gradient, nfindr, norm_ratio, snpa, spa, sspa, vca, xray};
use merit::progress::{Interrupt, Progress, Stages};
use merit::selection::Selection;
use merit::synthetic::{Dirichlet, Midpoints, Synthetic};
use merit::{DataMatrix, DenseMatrix, SparseMatrix};
use proptest::prelude::*;
use std::ops::ControlFlow;
use support::awkward;
use xray::Criterion;

const ALL: [&str; 10] =
    ["sspa", "vca", "nfindr", "spa", "norm-ratio", "max", "dist", "greedy", "fast-anchor", "fast-gradient"];

fn gradient(x: &DataMatrix, rank: usize, steps: usize) -> fast_gradient::Found {
    let options = fast_gradient::Options { steps };
    fast_gradient::select(x, rank, &options, 5, &mut Stages::new(&mut (), None)).unwrap()
}

fn select(name: &str, x: &DataMatrix, rank: usize) -> Selection {
    match name {
        "spa" => spa::select(x, rank, &Interrupt::never()),
        "sspa" => sspa::select(x, rank, &Interrupt::never()),
        "vca" => vca::select(x, rank, 3, &Interrupt::never()),
        "nfindr" => nfindr::select(x, rank, &Interrupt::never()),
        "norm-ratio" => norm_ratio::select(x, rank),
        "max" => xray::select(x, rank, Criterion::Max, &Interrupt::never()),
        "dist" => xray::select(x, rank, Criterion::Dist, &Interrupt::never()),
        "greedy" => xray::select(x, rank, Criterion::Greedy, &Interrupt::never()),
        "fast-anchor" => fast_anchor::select(x, rank, &fast_anchor::Options::default(), 0, &Interrupt::never()),
        _ => gradient(x, rank, 20).selection,
    }
}

fn sorted(mut list: Vec<usize>) -> Vec<usize> {
    list.sort_unstable();
    list
}

fn dirichlet(rows: usize, cols: usize, rank: usize, snr_db: f64, seed: u64) -> Synthetic {
    Dirichlet { snr_db, seed, ..Dirichlet::new(rows, cols, rank) }.generate().unwrap()
}

fn midpoints(snr_db: f64, seed: u64) -> Synthetic {
    Midpoints { snr_db, seed, ..Midpoints::new(50, 10) }.generate().unwrap()
}

fn sparse(x: &DenseMatrix) -> DataMatrix {
    let entries = (0..x.cols()).flat_map(|l| x.col(l).iter().enumerate().map(move |(m, &v)| (m as u32, l as u32, v)));
    SparseMatrix::from_triplets(x.rows(), x.cols(), entries.filter(|entry| entry.2 != 0.0).collect()).into()
}

#[test]
fn without_noise_the_anchors_are_found_exactly() {
    for seed in 0..4 {
        for data in [dirichlet(30, 150, 8, f64::INFINITY, seed), midpoints(f64::INFINITY, seed)] {
            let (x, truth, rank) = (DataMatrix::from(data.x), sorted(data.anchors.clone()), data.anchors.len());
            for name in ["spa", "sspa", "vca", "nfindr", "max", "dist", "fast-anchor", "fast-gradient"] {
                assert_eq!(sorted(select(name, &x, rank).anchors), truth, "{name}, seed {seed}");
            }
        }
    }
}

#[test]
fn norm_ratio_finds_what_the_specification_says() {
    let right = |seed: &u64| {
        let data = dirichlet(50, 200, 40, 12.0, *seed);
        sorted(norm_ratio::select(&data.x.into(), 40).anchors) == sorted(data.anchors)
    };
    assert_eq!((0..10).filter(right).count(), 10);
}

#[test]
fn awkward_input_gives_different_columns_and_finite_scores() {
    for seed in 0..40 {
        let mut dense = awkward(seed);
        if seed % 3 == 0 {
            let middle = dense.values().iter().sum::<f64>() / dense.values().len() as f64;
            dense.values_mut().iter_mut().for_each(|v| *v -= middle); // negative entries
        }
        let scattered = sparse(&dense);
        let cols = dense.cols();
        let x = DataMatrix::from(dense);
        for rank in [1, 2.min(cols), cols.min(12), if cols <= 40 { cols } else { 1 }] {
            for name in ALL {
                let found = select(name, &x, rank);
                let what = format!("{name}, seed {seed}, rank {rank}");
                assert!(found.anchors.iter().all(|&l| l < cols), "{what}");
                assert!(found.scores.iter().all(|score| score.is_finite() && *score >= 0.0), "{what}: {found:?}");
                assert_eq!(found.scores.len(), found.anchors.len(), "{what}");
                let mut different = sorted(found.anchors.clone());
                different.dedup();
                assert_eq!(different.len(), found.anchors.len(), "{what}");
                assert!(found.anchors.len() <= rank, "{what}");
                select(name, &scattered, rank);
            }
        }
    }
}

#[test]
fn as_many_as_there_are_columns() {
    let data = dirichlet(6, 9, 3, 20.0, 1);
    let x = DataMatrix::from(data.x);
    for name in ALL {
        assert_eq!(sorted(select(name, &x, 9).anchors), (0..9).collect::<Vec<_>>(), "{name}: more anchors than rows");
        assert_eq!(select(name, &x, 1).anchors.len(), 1, "{name}");
    }
}

#[test]
fn zero_columns_and_copies_come_last() {
    let clean = dirichlet(20, 40, 4, f64::INFINITY, 2);
    let mut values = vec![0.0; 20];
    values.extend_from_slice(clean.x.values());
    values.extend_from_slice(clean.x.values()); // columns 41.. are copies
    let x = DataMatrix::from(DenseMatrix::from_columns(20, values));
    let truth = sorted(clean.anchors.iter().map(|l| l + 1).collect());
    for name in ["spa", "max", "dist", "fast-anchor"] {
        let found = sorted(select(name, &x, 4).anchors.into_iter().map(|l| if l > 40 { l - 40 } else { l }).collect());
        assert_eq!(found, truth, "{name}");
    }
    assert_eq!(norm_ratio::select(&x, 81).anchors.last(), Some(&0));
    assert_eq!(gradient(&x, 4, 30).diagonal[0], 0.0);
}

#[test]
fn sparse_and_dense_agree() {
    let mut data = dirichlet(25, 80, 5, 25.0, 3);
    data.x.values_mut().iter_mut().for_each(|v| *v = if *v < 0.3 { 0.0 } else { *v });
    let (thin, x) = (sparse(&data.x), DataMatrix::from(data.x));
    for name in ALL {
        let (a, b) = (select(name, &thin, 5), select(name, &x, 5));
        assert_eq!(a.anchors, b.anchors, "{name}");
        a.scores.iter().zip(&b.scores).for_each(|(a, b)| assert!((a / b - 1.0).abs() < 1e-9, "{name}: {a} {b}"));
    }
}

#[test]
fn fast_gradient_on_a_very_sparse_matrix_is_that_of_its_dense_form() {
    // A graph of four communities.
    let edge = |i: usize, j: usize| {
        let drawn = (i.min(j) * 7919 + i.max(j) * 104_729) % 199;
        i != j && drawn < if i / 30 == j / 30 { 16 } else { 1 }
    };
    let dense = DenseMatrix::from_fn(120, 120, |i, j| f64::from(u8::from(edge(i, j))));
    let thin = sparse(&dense);
    let stored = dense.values().iter().filter(|v| **v != 0.0).count();
    assert!((100..=480).contains(&stored), "{stored} of 14,400: sparse enough for its own way");
    let (a, b) = (gradient(&thin, 4, 60), gradient(&dense.into(), 4, 60));
    assert_eq!((a.selection.anchors, a.restarts), (b.selection.anchors, b.restarts));
    assert!((a.objective / b.objective - 1.0).abs() < 1e-9);
    a.diagonal.iter().zip(&b.diagonal).for_each(|(a, b)| assert!((a - b).abs() < 1e-9, "{a} {b}"));
}

#[test]
fn the_threads_change_nothing() {
    let x = DataMatrix::from(dirichlet(30, 400, 9, 8.0, 4).x);
    let on = |threads: usize, name: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| select(name, &x, 9))
    };
    for name in ALL {
        assert_eq!(on(1, name), on(2, name), "{name}"); // scores too, to the last bit
    }
}

/// XRAY as in its paper, with every residual and product written out.
fn naive_xray(x: &DenseMatrix, rank: usize, criterion: Criterion) -> Vec<usize> {
    use merit::least_squares::{Constraint, solve};
    let (rows, cols) = (x.rows(), x.cols());
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let argmax = |values: Vec<f64>| (0..cols).fold(0, |best, j| if values[j] > values[best] { j } else { best });
    let mut anchors: Vec<usize> = Vec::new();
    while anchors.len() < rank {
        let w = x.select(&anchors);
        let h = solve(&x.clone().into(), &w, Constraint::Nonnegative, 1e-12).h;
        let fit = |m: usize, l: usize| (0..w.cols()).map(|k| w.get(m, k) * h.get(k, l)).sum::<f64>();
        let r = DenseMatrix::from_fn(rows, cols, |m, l| x.get(m, l) - fit(m, l));
        let p = DenseMatrix::from_fn(cols, cols, |i, j| product(r.col(i), x.col(j)));
        let positive = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v.max(0.0).powi(2)).sum::<f64>();
        let away = |i: usize| argmax((0..cols).map(|j| p.get(i, j) / x.col(j).iter().sum::<f64>()).collect());
        anchors.push(match criterion {
            Criterion::Max => away(argmax((0..cols).map(|i| product(r.col(i), r.col(i))).collect())),
            Criterion::Dist => away(argmax((0..cols).map(|i| positive(&mut (0..cols).map(|j| p.get(i, j)))).collect())),
            Criterion::Greedy => {
                let gain = |j: usize| positive(&mut p.col(j).iter().copied()) / product(x.col(j), x.col(j));
                argmax((0..cols).map(gain).collect())
            }
        });
    }
    anchors
}

#[test]
fn xray_equals_its_naive_twin() {
    for seed in 0..5 {
        let mut data = dirichlet(15, 120, 6, 10.0, seed);
        data.x.values_mut().iter_mut().for_each(|v| *v = v.max(0.0));
        let x = DataMatrix::from(data.x.clone());
        for criterion in [Criterion::Max, Criterion::Dist, Criterion::Greedy] {
            let found = xray::select(&x, 6, criterion, &Interrupt::never()).anchors;
            assert_eq!(found, naive_xray(&data.x, 6, criterion), "{criterion:?}, seed {seed}");
        }
    }
}

/// Distance of point `l` from the affine span of `others`, by plain Gram-Schmidt.
fn distance(x: &DenseMatrix, l: usize, others: &[usize]) -> f64 {
    let base = x.col(others[0]);
    let minus = |l: usize| x.col(l).iter().zip(base).map(|(a, b)| a - b).collect::<Vec<f64>>();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let reduce = |mut u: Vec<f64>, basis: &[Vec<f64>]| {
        for d in basis.iter().chain(basis) {
            let along: f64 = d.iter().zip(&u).map(|(d, u)| d * u).sum();
            u.iter_mut().zip(d).for_each(|(u, d)| *u -= along * d);
        }
        u
    };
    let norm = |u: &[f64]| u.iter().map(|u| u * u).sum::<f64>().sqrt();
    for &other in &others[1..] {
        let u = reduce(minus(other), &basis);
        let length = norm(&u);
        basis.push(u.into_iter().map(|u| u / length).collect());
    }
    norm(&reduce(minus(l), &basis))
}

/// More anchors than rows: SPA runs out of directions, SNPA does not. Without noise it is exact.
#[test]
fn snpa_finds_more_anchors_than_there_are_rows() {
    let corners = |k: usize| (0.5 + 0.4 * (k as f64).cos(), 0.5 + 0.4 * (k as f64).sin(), 1.0);
    let mut values: Vec<f64> = (0..6).flat_map(|k| <[f64; 3]>::from(corners(k))).collect(); // a hexagon in the plane z = 1
    for (a, b, c) in [(0, 2, 4), (1, 3, 5), (0, 1, 5), (2, 3, 4)] {
        let mean = |f: fn((f64, f64, f64)) -> f64| [a, b, c].map(|k| f(corners(k))).iter().sum::<f64>() / 3.0;
        values.extend([mean(|p| p.0), mean(|p| p.1), 1.0]);
    }
    let x = DataMatrix::from(DenseMatrix::from_columns(3, values));
    let found = snpa::select(&x, 6, &Interrupt::never());
    let mut anchors = found.anchors.clone();
    anchors.sort();
    assert_eq!(anchors, [0, 1, 2, 3, 4, 5]);
    assert!(found.scores.iter().all(|&score| score > 0.0), "{:?}", found.scores);
    assert!(found.scores.is_sorted_by(|a, b| a >= b), "distances fall: {:?}", found.scores);
}

#[test]
fn fast_anchor_equals_its_naive_twin() {
    for seed in 0..6 {
        let data = dirichlet(12, 90, 5, 8.0, seed);
        let x = data.x;
        let scaled = DenseMatrix::from_fn(12, 90, |m, l| x.get(m, l) / x.col(l).iter().map(|v| v.abs()).sum::<f64>());
        let farthest =
            |score: &dyn Fn(usize) -> f64| (0..90).fold(0, |best, l| if score(l) > score(best) { l } else { best });
        let mut anchors = vec![farthest(&|l| scaled.col(l).iter().map(|v| v * v).sum())];
        while anchors.len() < 5 {
            anchors.push(farthest(&|l| distance(&scaled, l, &anchors)));
        }
        for k in 0..5 {
            let others: Vec<usize> = (0..5).filter(|&j| j != k).map(|j| anchors[j]).collect();
            anchors[k] = farthest(&|l| distance(&scaled, l, &others));
        }
        let found = fast_anchor::select(&x.into(), 5, &fast_anchor::Options::default(), 0, &Interrupt::never());
        assert_eq!(found.anchors, anchors, "seed {seed}");
        let others = &anchors[..4];
        assert!((found.scores[4] / distance(&scaled, anchors[4], others) - 1.0).abs() < 1e-9);
    }
}

#[test]
fn fast_anchor_projects_and_leaves_rare_columns_out() {
    let data = dirichlet(300, 80, 4, f64::INFINITY, 1);
    let truth = sorted(data.anchors);
    let mut x = data.x;
    let with = |x: &DenseMatrix, projection, minimum_nonzeros, seed| {
        fast_anchor::select(
            &sparse(x),
            4,
            &fast_anchor::Options { projection, minimum_nonzeros, ..Default::default() },
            seed,
            &Interrupt::never(),
        )
    };
    let (exact, first, second) = (with(&x, None, 0, 1), with(&x, Some(100), 0, 1), with(&x, Some(100), 0, 2));
    assert_eq!((sorted(first.anchors.clone()), sorted(exact.anchors)), (truth.clone(), truth.clone()));
    assert_ne!(first.scores, second.scores, "the seed matters");
    for (a, b) in first.scores.iter().zip(&exact.scores) {
        assert!((a / b - 1.0).abs() < 0.3, "distances are kept: {a} {b}");
    }
    let rare = (0..80).find(|l| !truth.contains(l)).unwrap();
    x.col_mut(rare)[1..].fill(0.0); // one word of one document: as pure as can be
    assert!(with(&x, None, 1, 0).anchors.contains(&rare));
    assert_eq!(sorted(with(&x, None, 2, 0).anchors), truth);
}

#[test]
fn more_steps_of_fast_gradient_lower_the_objective() {
    let x = DataMatrix::from(midpoints(14.0, 3).x);
    let after = |steps: usize| {
        let found = gradient(&x, 10, steps);
        assert_eq!((found.steps, found.restarts), (steps, 0)); // so mu is the same
        found.objective
    };
    let objectives = [0, 1, 5, 20, 60].map(after);
    assert!(objectives.windows(2).all(|pair| pair[1] < pair[0]), "{objectives:?}");
}

#[test]
fn fast_gradient_with_more_rows_than_columns_is_that_of_the_triangle() {
    let data = dirichlet(200, 60, 6, 15.0, 7);
    let found = gradient(&data.x.clone().into(), 6, 40);
    assert_eq!(sorted(found.selection.anchors), sorted(data.anchors));
    // 60 rows with the same Gram matrix and the same 1-norms are not at hand; zero rows change neither.
    let mut padded = DenseMatrix::zeros(230, 60);
    (0..60).for_each(|l| padded.col_mut(l)[..200].copy_from_slice(data.x.col(l)));
    for (a, b) in gradient(&padded.into(), 6, 40).diagonal.iter().zip(&found.diagonal) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

#[test]
fn fast_gradient_reaches_the_papers_figure_2() {
    for seed in 0..5 {
        let data = midpoints(16.0, seed);
        assert_eq!(sorted(gradient(&data.x.into(), 10, 150).selection.anchors), sorted(data.anchors), "seed {seed}");
    }
}

#[test]
fn fast_gradient_reaches_the_papers_table_1() {
    let right = |seed: &u64| {
        let data = dirichlet(80, 200, 40, 10.0, *seed);
        sorted(gradient(&data.x.into(), 40, 150).selection.anchors) == sorted(data.anchors)
    };
    assert!((0..5).filter(right).count() >= 4);
}

#[test]
fn fast_gradient_stops_when_told() {
    let x = DataMatrix::from(midpoints(12.0, 0).x);
    let mut seen = Vec::new();
    let mut watch = |progress: &Progress| {
        seen.push(progress.iteration);
        if progress.iteration == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = fast_gradient::Options::default();
    let found = fast_gradient::select(&x, 10, &options, 0, &mut Stages::new(&mut watch, None)).unwrap();
    assert_eq!((seen, found.steps), (vec![1, 2, 3], 3));
}

#[test]
fn fast_gradient_refuses_what_does_not_fit() {
    let cols = 3_000_000; // two matrices of 72 TB
    let x = SparseMatrix::from_triplets(1, cols, (0..cols as u32).map(|l| (0, l, 1.0)).collect());
    let error = fast_gradient::select(&x.into(), 2, &Default::default(), 0, &mut Stages::new(&mut (), None));
    let message = error.unwrap_err().to_string();
    let start = "FastGradient needs 14400";
    assert!(message.starts_with(start) && message.contains(" GB for 2 matrices of 3000000 x 3000000"), "{message}");
    assert!(message.contains(", but only ") && message.ends_with(" is free"), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// Permuted columns give permuted anchors, where nothing ties.
    #[test]
    fn permuted_columns_give_permuted_anchors(seed in 0u64..1000, shift in 1usize..59) {
        let data = dirichlet(20, 60, 5, 12.0, seed);
        let order: Vec<usize> = (0..60).map(|l| (l + shift) % 60).collect();
        let turned = DataMatrix::from(data.x.select(&order));
        let x = DataMatrix::from(data.x);
        for name in ["spa", "norm-ratio", "max", "dist", "fast-anchor"] {
            let found: Vec<usize> = select(name, &turned, 5).anchors.into_iter().map(|l| order[l]).collect();
            prop_assert_eq!(found, select(name, &x, 5).anchors, "{}", name);
        }
    }
}
