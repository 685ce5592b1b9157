//! Single precision is a way of storing, not of computing: results are those of the rounded matrix in double precision, bit by bit.

mod support;

use merit::automatic::Regularization;
use merit::factor::{Factorization, Settings, factor};
use merit::precision::Precision;
use merit::preprocess::{Normalize, Reduce};
use merit::solver::{KernelChoice, Pruning, Start, StoredResiduals, solve};
use merit::synthetic::Dirichlet;
use merit::{DataMatrix, DenseMatrix, Error, Method, SingleMatrix, SparseMatrix, search, solver};
use merit_linalg::kernels::Kernel;
use merit_linalg::numbers::fingerprint;
use merit_linalg::single::Unfit;
use proptest::prelude::*;
use support::{awkward, bits};

/// A matrix in single precision and the same numbers in double precision.
fn both(x: &DenseMatrix) -> (DataMatrix, DataMatrix) {
    let single = SingleMatrix::rounded(x).unwrap();
    (single.to_dense().into(), single.into())
}

fn mixtures(rows: usize, cols: usize, rank: usize, seed: u64) -> DenseMatrix {
    Dirichlet { snr_db: 18.0, seed, ..Dirichlet::new(rows, cols, rank) }.generate().unwrap().x
}

/// All that was found, in words that differ if one bit does.
fn found(run: &Factorization) -> String {
    let gap = run.gap().map(f64::to_bits);
    let h: Vec<u64> = run.h.h.values().iter().map(|value| value.to_bits()).collect();
    let bound = run.search.certificate.as_ref().map(|known| known.lower_bound.to_bits());
    let lambda = run.search.solution.as_ref().map(|solution| solution.objective.to_bits());
    format!("{:?} {gap:?} {bound:?} {lambda:?} {:?} {:?} {h:?}", run.anchors(), run.c(), run.rank_estimate)
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Both sides compute residuals; double precision would store them, and round otherwise.
fn settings(method: Method, regularization: Regularization) -> Settings {
    let solver = solver::Settings { iterations: 30, stored_residuals: StoredResiduals::Never, ..Default::default() };
    let search = search::Settings { regularization, solver, ..Default::default() };
    Settings { rank: Some(5), method, search, ..Default::default() }
}

fn check(name: &str, x: &DenseMatrix, settings: &Settings) {
    let (double, single) = both(x);
    let twin = found(&factor(&double, settings, &mut ()).unwrap());
    for threads in [1, 3] {
        let run = with_threads(threads, || factor(&single, settings, &mut ()).unwrap());
        assert!(found(&run) == twin, "{name}, {threads} threads");
    }
    let asked = Settings { precision: Precision::F32, ..settings.clone() };
    assert!(found(&factor(&x.clone().into(), &asked, &mut ()).unwrap()) == twin, "{name}, rounded on the way");
}

#[test]
fn every_method_finds_what_it_finds_in_double_precision() {
    let x = mixtures(12, 300, 5, 1);
    for method in Method::ALL {
        check(method.name(), &x, &settings(method, Regularization::Value(0.05)));
    }
}

#[test]
fn automatic_choices_are_those_of_double_precision() {
    let (wide, low) = (mixtures(30, 400, 5, 2), mixtures(6, 2500, 5, 3));
    for (name, x) in [("30 rows", &wide), ("6 rows, with a hull", &low)] {
        let automatic = settings(Method::Merit, Regularization::default());
        check(name, x, &automatic);
        check(name, x, &Settings { rank: None, ..automatic.clone() });
    }
    let tall = mixtures(300, 80, 5, 4);
    check("tall", &tall, &settings(Method::Merit, Regularization::default()));
}

#[test]
fn so_is_preprocessing() {
    let mut x = mixtures(12, 200, 5, 5);
    let copy = x.col(3).to_vec();
    x.col_mut(17).copy_from_slice(&copy);
    x.col_mut(40).fill(0.0);
    let plain = settings(Method::Merit, Regularization::Value(0.05));
    check("copies", &x, &Settings { merge_duplicates: Some(0.0), ..plain.clone() });
    check("near copies", &x, &Settings { merge_duplicates: Some(0.01), ..plain.clone() });
    check("pca", &x, &Settings { reduce: Reduce(Some(6)), ..plain.clone() });
    // Scaled columns are rounded once more: what is stored is the matrix that counts.
    let normalized = |normalize| Settings { normalize, ..plain.clone() };
    let run = factor(&both(&x).1, &normalized(Normalize::L1), &mut ()).unwrap();
    let scaled = DenseMatrix::from_column_fn(x.rows(), x.cols(), |l, out| {
        let column: Vec<f64> = x.col(l).iter().map(|&v| f64::from(v as f32)).collect();
        let sum: f64 = column.iter().map(|v| v.abs()).sum();
        let factor = if sum > 0.0 { 1.0 / sum } else { 0.0 };
        out.iter_mut().zip(column).for_each(|(out, v)| *out = f64::from((v * factor) as f32));
    });
    let twin = factor(&scaled.into(), &normalized(Normalize::None), &mut ()).unwrap();
    assert!(found(&run) == found(&twin));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    /// Every kernel, with and without the hull, makes the choices of plain loops over double precision.
    #[test]
    fn every_kernel_gives_the_bits_of_double_precision(seed: u64, strength in 0usize..4, size in 0usize..3) {
        let mut x = awkward(seed);
        let largest = x.values().iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let scale = [1.0, 1e30, 1e-30][size] / if largest > 0.0 { largest } else { 1.0 };
        x.values_mut().iter_mut().for_each(|v| *v *= scale);
        let square = x.values().iter().map(|v| v * v).sum::<f64>() / x.cols() as f64;
        let lambda = [0.0, 1e-6, 1e-2, 1.0][strength] * square;
        let (double, single) = both(&x);
        let run = |x: &DataMatrix, kernel, pruning| {
            let stored_residuals = StoredResiduals::Never;
            let settings =
                solver::Settings { iterations: 25, kernel, pruning, stored_residuals, ..Default::default() };
            solve(x, Start::Zero, &settings.at(lambda).unwrap(), &mut ())
        };
        let twin = run(&double, KernelChoice::Scalar, Pruning::Never);
        let kernels = Kernel::available().into_iter().map(KernelChoice::Use).chain([KernelChoice::Scalar]);
        for kernel in kernels {
            for pruning in [Pruning::Never, Pruning::Always] {
                let solution = run(&single, kernel, pruning);
                prop_assert!(bits(&solution.c) == bits(&twin.c), "{} {pruning:?}", kernel.name());
                prop_assert_eq!(solution.gap.unwrap().to_bits(), twin.gap.unwrap().to_bits());
            }
        }
    }
}

#[test]
fn residuals_are_not_stored_unless_asked_for() {
    let (double, single) = both(&mixtures(12, 300, 5, 6));
    let run = |x: &DataMatrix, stored_residuals| {
        let settings = solver::Settings { iterations: 20, stored_residuals, ..Default::default() };
        solve(x, Start::Zero, &settings.at(0.05).unwrap(), &mut ())
    };
    assert!(!run(&single, StoredResiduals::Measured).search.unwrap().stored_residuals);
    let (stored, twin) = (run(&single, StoredResiduals::Always), run(&double, StoredResiduals::Always));
    assert_eq!((bits(&stored.c), stored.gap), (bits(&twin.c), twin.gap));
}

#[test]
fn data_that_single_precision_cannot_hold_are_refused() {
    let asked = Settings { precision: Precision::F32, ..settings(Method::Spa, Regularization::default()) };
    let with = |change: fn(&mut DenseMatrix)| {
        let mut x = mixtures(6, 50, 5, 7);
        change(&mut x);
        factor(&x.into(), &asked, &mut ()).map(|run| run.anchors().len())
    };
    let large = with(|x| x.col_mut(9)[2] = -3.5e38).unwrap_err();
    assert_eq!(large, Error::Single(Unfit::TooLarge { row: 2, column: 9, value: -3.5e38 }));
    assert!(large.to_string().contains("-3.5e38 in row 2 of column 9 is beyond single precision"), "{large}");
    let small = with(|x| x.col_mut(9).fill(1e-39)).unwrap_err();
    assert_eq!(small, Error::Single(Unfit::TooSmall { column: 9, value: 1e-39 }));
    // A small number beside larger ones is rounded like any other, and what is a number of single precision stays.
    assert_eq!(with(|x| x.col_mut(9)[2] = 1e-50), Ok(5));
    assert_eq!(with(|x| x.col_mut(9).fill(f64::from(f32::from_bits(3)))), Ok(5));
}

#[test]
fn sparse_data_stay_as_they_are() {
    let x = DataMatrix::from(mixtures(6, 50, 5, 8).to_sparse());
    let run = |precision| {
        let settings = Settings { precision, ..settings(Method::Merit, Regularization::Value(0.05)) };
        factor(&x, &settings, &mut ()).unwrap()
    };
    let (double, single) = (run(Precision::F64), run(Precision::F32));
    assert_eq!(found(&double), found(&single));
    assert!(single.notes.iter().any(|note| note.contains("sparse data keep double precision")), "{:?}", single.notes);
    assert!(!double.notes.iter().any(|note| note.contains("precision")));
    let empty: DataMatrix = SparseMatrix::from_triplets(2, 2, vec![(0, 0, 0.1)]).into();
    assert_eq!(fingerprint(&Precision::F32.of(&empty).unwrap()), fingerprint(&empty));
}

#[test]
fn memory_is_planned_for_what_is_stored() {
    let (double, single) = both(&DenseMatrix::zeros(100, 1000));
    let bytes = |x: &DataMatrix| merit::memory::needed_bytes(x, 10, 25);
    assert_eq!(bytes(&double) - bytes(&single), 8 * 100 * 1000);
}
