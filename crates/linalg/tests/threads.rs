//! The same bits for any number of threads, and whatever faer's own setting of threads is.

use faer::{Par, set_global_parallelism};
use merit_linalg::decompositions::{
    largest_singular_value, leading_left_vectors, principal_axes, project, singular_values, triangular_factor,
};
use merit_linalg::eigen::{DENSE_SIDE, Eigenpairs, Settings, Which, leading_eigenpairs};
use merit_linalg::products::{times_transposed, times_transposed_into, transposed_times};
use merit_linalg::{DataMatrix, DenseMatrix, SparseMatrix};

/// Runs `f` on pools of 1, 2, 3 and 5 threads and compares all bits it returns.
fn same_bits(what: &str, f: impl Fn() -> Vec<f64> + Sync) {
    let on = |threads: usize| {
        set_global_parallelism(if threads == 2 { Par::Seq } else { Par::rayon(threads) });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| f().into_iter().map(f64::to_bits).collect::<Vec<u64>>())
    };
    let alone = on(1);
    assert!(!alone.is_empty(), "{what} gives nothing");
    for threads in [2, 3, 5] {
        assert!(on(threads) == alone, "{what} differs on {threads} threads");
    }
}

/// Noise in [0, 1) that no sum rounds away.
fn noise(m: usize, l: usize) -> f64 {
    let mut z = (m as u64 * 1_000_003 + l as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

fn dense(rows: usize, cols: usize) -> DenseMatrix {
    DenseMatrix::from_fn(rows, cols, noise)
}

fn sparse(rows: usize, cols: usize) -> SparseMatrix {
    let place = move |l: usize, i: usize| (noise(l, i) * rows as f64) as u32;
    let entries = (0..cols).flat_map(|l| (0..6).map(move |i| (place(l, i), l as u32, 1.0 + noise(i, l))));
    SparseMatrix::from_triplets(rows, cols, entries.collect())
}

fn both(rows: usize, cols: usize) -> [(String, DataMatrix); 2] {
    let size = |kind: &str| format!("{kind} {rows} x {cols}");
    [(size("dense"), dense(rows, cols).into()), (size("sparse"), sparse(rows, cols).into())]
}

#[test]
fn singular_values_and_triangles() {
    // Within one block of rows, several blocks, more blocks than a batch; tall and wide.
    for (rows, cols) in [(400, 600), (600, 400), (30, 9_000), (9_000, 30), (3, 40_000)] {
        for (name, x) in both(rows, cols) {
            same_bits(&format!("singular_values, {name}"), || singular_values(&x).unwrap());
            same_bits(&format!("largest_singular_value, {name}"), || vec![largest_singular_value(&x)]);
            if rows >= cols {
                same_bits(&format!("triangular_factor, {name}"), || triangular_factor(&x).into_values());
            }
        }
    }
}

#[test]
fn leading_left_vectors_by_every_path() {
    // By X X' in slabs and in tiles, then by X'X.
    for (rows, cols) in [(400, 600), (40, 9_000), (700, 300), (2_100, 150)] {
        for (name, x) in both(rows, cols) {
            same_bits(&format!("leading_left_vectors, {name}"), || leading_left_vectors(&x, 10).unwrap().into_values());
        }
    }
    let implicit = DataMatrix::from(sparse(2_050, 2_300)); // both sides are large
    same_bits("leading_left_vectors, implicit", || leading_left_vectors(&implicit, 2).unwrap().into_values());
}

#[test]
fn axes_and_coordinates() {
    for (rows, cols) in [(4, 3_000), (150, 900)] {
        let x = DataMatrix::from(dense(rows, cols));
        let center: Vec<f64> = (0..rows).map(|m| noise(m, 7)).collect();
        same_bits(&format!("principal_axes, {rows} x {cols}"), || principal_axes(&x, &center).unwrap().into_values());
        for (name, x) in both(rows, cols) {
            same_bits(&format!("project, {name}"), || project(&dense(rows, 3), &x).into_values());
        }
    }
}

#[test]
fn eigenpairs_of_small_and_large_operators() {
    let listed = |pairs: Eigenpairs| [pairs.values, pairs.residuals, pairs.vectors.into_values()].concat();
    for n in [DENSE_SIDE, 5_000] {
        let half = sparse(n, n);
        let entries = (0..n).flat_map(|l| {
            let (rows, values) = half.col(l);
            rows.iter().zip(values).flat_map(move |(&m, &v)| [(m, l as u32, v), (l as u32, m, v)]).collect::<Vec<_>>()
        });
        let a = SparseMatrix::from_triplets(n, n, entries.collect());
        for (count, which) in [(3, Which::Largest), (12, Which::Magnitude)] {
            let settings = Settings { which, restarts: 4, ..Settings::new(count) };
            same_bits(&format!("{count} eigenpairs of {n}"), || {
                listed(leading_eigenpairs(n, &settings, |v, out| a.transposed_times(v, out)))
            });
        }
    }
}

#[test]
fn products() {
    let (a, b) = (dense(20, 700), dense(700, 700));
    same_bits("times_transposed", || times_transposed(&a, &b).into_values());
    same_bits("times_transposed_into", || {
        let mut out = dense(20, 700);
        times_transposed_into(&a, &b, &mut out);
        out.into_values()
    });
    same_bits("transposed_times", || {
        let mut out = vec![0.0; 700 * 20];
        transposed_times(&b, a.transposed().values(), &mut out);
        out
    });
    let (x, b) = (sparse(90, 2_500), dense(90, 5));
    same_bits("SparseMatrix::transposed_times", || {
        let mut out = DenseMatrix::zeros(2_500, 5);
        x.transposed_times(&b, &mut out);
        out.into_values()
    });
}
