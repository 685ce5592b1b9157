//! Automatic regularization and the support of anchors: which sets are weighed, what is skipped, the same for any threads.

use merit::automatic::{Candidate, Regularization, Source};
use merit::factor::Factorization;
use merit::metrics::success;
use merit::selection::Ranking;
use merit::synthetic::{Dirichlet, MidpointNoise, Midpoints};
use merit::{DataMatrix, Merit, Method};
use rayon::ThreadPoolBuilder;

fn sorted(list: &[usize]) -> Vec<usize> {
    let mut list = list.to_vec();
    list.sort_unstable();
    list
}

/// Data near the limit of what can be found, where rankings of rows often differ.
fn hard(seed: u64) -> DataMatrix {
    Dirichlet { snr_db: 9.0, seed, ..Dirichlet::new(20, 90, 8) }.generate().unwrap().x.into()
}

fn set(run: &Factorization, source: Source, ranking: Option<Ranking>) -> Option<&Candidate> {
    run.search.candidates.iter().find(|set| set.source == source && set.ranking == ranking)
}

#[test]
fn more_runs_are_made_where_the_rankings_differ() {
    let (mut differ, mut agree) = (0, 0);
    for seed in 0..12 {
        let run = Merit::new(8).fit(&hard(seed)).unwrap();
        let [by_two_norm, by_maximum] = [Ranking::TwoNorm, Ranking::Maximum]
            .map(|ranking| sorted(&set(&run, Source::Merit, Some(ranking)).unwrap().anchors));
        let pooled = set(&run, Source::Pooled, Some(Ranking::TwoNorm));
        assert_eq!(pooled.is_some(), by_two_norm != by_maximum, "seed {seed}");
        *if pooled.is_some() { &mut differ } else { &mut agree } += 1;
        assert_eq!(run.search.candidates.iter().filter(|set| set.chosen).count(), 1);
        assert_eq!(run.search.ranking, Some(Ranking::TwoNorm));
        // The anchors of MERIT's sets have the largest of the norms that are shown.
        let chosen = run.search.candidates.iter().find(|set| set.chosen).unwrap();
        assert_ne!((chosen.source, chosen.ranking), (Source::Merit, Some(Ranking::Maximum)));
        if matches!(chosen.source, Source::Merit | Source::Pooled) {
            let norms = &run.search.row_norms;
            let least = run.anchors().iter().map(|&n| norms[n]).fold(f64::INFINITY, f64::min);
            assert_eq!(norms.iter().filter(|&&norm| norm > least).count(), 7, "seed {seed}");
            assert_eq!(run.search.scores, run.anchors().iter().map(|&n| norms[n]).collect::<Vec<_>>());
        }
    }
    assert!(differ > 0 && agree > 0, "{differ} and {agree}");
}

/// Ten anchors in fifty dimensions: four fifths of the noise lie where no mixture does.
#[test]
fn noise_is_left_out_where_that_can_be_told() {
    let (mut found, mut without) = (0, 0);
    for seed in 0..10 {
        let data = Midpoints { snr_db: 10.0, noise: MidpointNoise::Gaussian, seed, ..Default::default() };
        let data = data.generate().unwrap();
        let x = DataMatrix::from(data.x);
        let auto = Merit::new(10).fit(&x).unwrap();
        let fast = Merit::new(10).regularization(Regularization::AutoFast).fit(&x).unwrap();
        found += u32::from(success(auto.anchors(), &data.anchors));
        without += u32::from(success(fast.anchors(), &data.anchors));
        let said =
            |run: &Factorization| run.notes.iter().any(|note| note.contains("vary beyond noise in 9 dimensions"));
        assert!(!said(&fast), "seed {seed}");
        if said(&auto) {
            // C is that of all rows: the same run as the one of `auto-fast`.
            let c = |run: &Factorization| run.search.solution.as_ref().unwrap().c.row_inf_norms();
            assert_eq!(c(&auto), c(&fast), "seed {seed}");
        }
    }
    assert!(found >= 9 && found > without, "{found} and {without} of 10");
}

#[test]
fn one_run_and_a_number_rank_by_maximum() {
    let fast = Merit::new(8).regularization(Regularization::AutoFast).fit(&hard(1)).unwrap();
    assert!(set(&fast, Source::Merit, Some(Ranking::TwoNorm)).is_none());
    assert!(set(&fast, Source::Merit, Some(Ranking::Maximum)).is_some());
    assert!(set(&fast, Source::Pooled, Some(Ranking::TwoNorm)).is_none());
    for rule in [Regularization::AutoFast, Regularization::Paper, Regularization::Value(0.05)] {
        let run = Merit::new(8).regularization(rule).fit(&hard(1)).unwrap();
        assert_eq!(run.search.ranking, Some(Ranking::Maximum));
        assert_eq!(run.search.row_norms, run.search.solution.unwrap().c.row_inf_norms());
    }
    assert_eq!(Merit::new(8).method(Method::Spa).fit(&hard(1)).unwrap().search.ranking, None);
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let model = Dirichlet { snr_db: 12.0, seed: 5, outliers: 3, ..Dirichlet::new(20, 300, 6) };
    let x = DataMatrix::from(model.generate().unwrap().x);
    let runs = [1, 3].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| [Merit::new(6), Merit::new(6).minimum_support(3)].map(|merit| merit.fit(&x).unwrap()))
    });
    for (one, three) in runs[0].iter().zip(&runs[1]) {
        assert_eq!(
            (&one.search.candidates, &one.search.row_norms),
            (&three.search.candidates, &three.search.row_norms)
        );
        assert_eq!((&one.support, &one.preprocessing, &one.h.h), (&three.support, &three.preprocessing, &three.h.h));
    }
}

#[test]
fn anchors_that_nobody_uses_are_suspected_and_can_be_skipped() {
    for seed in 0..4 {
        let model = Dirichlet { snr_db: 25.0, seed, outliers: 3, ..Dirichlet::new(30, 200, 6) };
        let data = model.generate().unwrap();
        let x = DataMatrix::from(data.x);
        for method in [Method::Merit, Method::Spa] {
            let plain = Merit::new(6).method(method).fit(&x).unwrap();
            for suspected in &plain.support.suspected_outliers {
                assert!(data.outliers.contains(suspected) && plain.anchors().contains(suspected), "seed {seed}");
            }
            let supported = Merit::new(6).method(method).minimum_support(3).fit(&x).unwrap();
            assert_eq!(sorted(supported.anchors()), sorted(&data.anchors), "{method}, seed {seed}");
            assert_eq!(supported.support.suspected_outliers, Vec::<usize>::new());
            assert!(supported.support.columns.iter().all(|&users| users >= 3));
            let skipped = &supported.preprocessing.skipped_columns;
            assert!(data.anchors.iter().all(|anchor| !skipped.contains(anchor)), "{skipped:?}");
            for l in skipped {
                assert_eq!(supported.c_nonzeros(*l), 0, "a column kept out has no column of C");
            }
            assert_eq!((supported.h.h.rows(), supported.h.h.cols()), (6, 200));
            // With places for them, the outliers are among the anchors, and called what they are.
            let more = Merit::new(9).method(method).fit(&x).unwrap();
            let taken = data.outliers.iter().filter(|outlier| more.anchors().contains(outlier)).count();
            assert!(taken > 0, "{method}, seed {seed}");
            assert!(
                !more.support.suspected_outliers.is_empty() && more.notes.iter().any(|note| note.contains("outlier"))
            );
        }
    }
}

#[test]
fn clean_data_have_no_suspects_and_skipping_changes_nothing() {
    for seed in 0..4 {
        let data = Dirichlet { snr_db: 20.0, seed, ..Dirichlet::new(30, 200, 6) }.generate().unwrap();
        let x = DataMatrix::from(data.x);
        let (plain, supported) = (Merit::new(6).fit(&x).unwrap(), Merit::new(6).minimum_support(3).fit(&x).unwrap());
        assert_eq!(plain.anchors(), supported.anchors());
        assert_eq!(plain.support.suspected_outliers, Vec::<usize>::new());
        assert_eq!(supported.preprocessing.skipped_columns, Vec::<usize>::new());
    }
}
