//! What the generators promise: simplex weights, exact anchors, the noise asked for, the same bits on any thread count.

use merit::synthetic::{Dirichlet, MidpointNoise, Midpoints, Synthetic, SyntheticError};
use merit_linalg::DenseMatrix;

fn product(data: &Synthetic) -> DenseMatrix {
    let (w, h) = (&data.w, &data.h);
    DenseMatrix::from_fn(w.rows(), h.cols(), |m, l| (0..w.cols()).map(|k| w.get(m, k) * h.get(k, l)).sum())
}

/// Squared norms of the signal `W H` and of `X - W H`.
fn energies(data: &Synthetic) -> (f64, f64) {
    let signal = product(data);
    let difference = |(x, y): (&f64, &f64)| (x - y).powi(2);
    let noise = data.x.values().iter().zip(signal.values()).map(difference).sum();
    (signal.values().iter().map(|v| v * v).sum(), noise)
}

fn assert_truth(data: &Synthetic) {
    for l in 0..data.h.cols() {
        assert!((data.h.col(l).iter().sum::<f64>() - 1.0).abs() < 1e-14);
        assert!(data.h.col(l).iter().all(|&h| h >= 0.0));
    }
    for (k, &l) in data.anchors.iter().enumerate() {
        assert!(data.h.col(l).iter().enumerate().all(|(j, &h)| h == f64::from(u8::from(j == k))));
    }
    let (signal, noise) = energies(data);
    assert!((data.signal / signal - 1.0).abs() < 1e-12);
    assert!((data.noise - noise).abs() <= 1e-10 * noise + 1e-28 * signal, "{} {noise}", data.noise);
}

#[test]
fn dirichlet_data_are_what_they_say() {
    for (concentration, normalize_w) in [(1.0, false), (0.3, true), (4.0, false), (1e-3, false)] {
        let settings = Dirichlet { concentration, normalize_w, seed: 7, ..Dirichlet::new(30, 2000, 6) };
        let data = settings.generate().unwrap();
        assert_truth(&data);
        assert!((data.achieved_snr_db() - 10.0).abs() < 0.1, "{}", data.achieved_snr_db()); // 60,000 normals: +-0.025
        let (lowest, highest) = data.w.values().iter().fold((1.0, 0.0), |(a, b): (f64, f64), &w| (a.min(w), b.max(w)));
        assert!(lowest > 0.0 && highest < 1.0);
        if normalize_w {
            (0..6).for_each(|k| assert!((data.w.col(k).iter().sum::<f64>() - 1.0).abs() < 1e-14));
        }
    }
}

#[test]
fn variants_of_dirichlet_are_what_they_say() {
    let plain = Dirichlet { seed: 3, concentration: 0.3, ..Dirichlet::new(20, 500, 8) };
    let capped = Dirichlet { largest_weight: 0.8, ..plain.clone() }.generate().unwrap();
    assert_truth(&capped);
    let largest = |data: &Synthetic| {
        let mixed = (0..data.h.cols()).filter(|l| !data.anchors.contains(l));
        mixed.flat_map(|l| data.h.col(l).to_vec()).fold(0.0, f64::max)
    };
    assert!(largest(&capped) <= 0.8 && largest(&plain.generate().unwrap()) > 0.9);

    let even = plain.generate().unwrap();
    let uneven = Dirichlet { norm_range: 10.0, ..plain.clone() }.generate().unwrap();
    assert_truth(&uneven);
    let factors: Vec<f64> = (0..8).map(|k| uneven.w.get(0, k) / even.w.get(0, k)).collect();
    assert!(factors.iter().all(|f| (1.0..10.0).contains(f)));
    assert!(factors.iter().any(|&f| f > 3.0) && factors.iter().any(|&f| f < 3.0), "{factors:?}");

    let close = Dirichlet { towards_mean: 0.75, ..plain.clone() }.generate().unwrap();
    let apart = |data: &Synthetic| data.w.get(5, 1) - data.w.get(5, 6);
    assert!((apart(&close) / apart(&even) - 0.25).abs() < 1e-12);

    for wrong in [
        Dirichlet { largest_weight: 0.2, ..plain.clone() }, // nothing below 2/K
        Dirichlet { largest_weight: 0.8, concentration: 0.01, ..plain.clone() },
        Dirichlet { norm_range: 0.5, ..plain.clone() },
        Dirichlet { towards_mean: 1.0, ..plain.clone() },
        Dirichlet { towards_mean: f64::NAN, ..plain },
    ] {
        assert!(wrong.generate().is_err(), "{wrong:?}");
    }
}

#[test]
fn dirichlet_moments_follow_the_concentration() {
    for concentration in [0.2, 1.0, 3.0] {
        let data = Dirichlet { concentration, ..Dirichlet::new(1, 40_000, 4) }.generate().unwrap();
        let second = data.h.values().iter().map(|h| h * h).sum::<f64>() / 160_000.0;
        let expected = (concentration + 1.0) / (4.0 * (4.0 * concentration + 1.0));
        assert!((second / expected - 1.0).abs() < 0.02, "{concentration}: {second} against {expected}");
    }
}

#[test]
fn without_noise_the_anchors_are_the_columns_of_w() {
    let data = Dirichlet { snr_db: f64::INFINITY, ..Dirichlet::new(8, 50, 50) }.generate().unwrap();
    let mut places = data.anchors.clone();
    places.sort_unstable();
    assert_eq!(places, (0..50).collect::<Vec<_>>());
    assert_ne!(places, data.anchors);
    assert_eq!(data.x.select(&data.anchors), data.w);
    assert_eq!((data.noise, data.achieved_snr_db()), (0.0, f64::INFINITY));
}

#[test]
fn midpoints_hold_every_pair_once() {
    let data = Midpoints { snr_db: 15.0, seed: 3, ..Midpoints::new(20, 7) }.generate().unwrap();
    assert_truth(&data);
    assert!((data.achieved_snr_db() - 15.0).abs() < 1e-12);
    assert_eq!(data.x.select(&data.anchors), data.w); // outward noise leaves the anchors alone
    let pair = |l: usize| (0..7).filter(|&k| data.h.get(k, l) == 0.5).collect::<Vec<_>>();
    let mut pairs: Vec<_> = (0..28).map(pair).filter(|pair| !pair.is_empty()).collect();
    pairs.sort();
    pairs.dedup();
    assert!(pairs.len() == 21 && pairs.iter().all(|pair| pair.len() == 2));
    let signal = product(&data);
    let mean: Vec<f64> = (0..20).map(|m| (0..7).map(|k| data.w.get(m, k)).sum::<f64>() / 7.0).collect();
    let ratio = |l: usize| {
        let noise = (0..20).map(|m| (data.x.get(m, l) - signal.get(m, l)) * (signal.get(m, l) - mean[m])).sum::<f64>();
        noise / (0..20).map(|m| (signal.get(m, l) - mean[m]).powi(2)).sum::<f64>()
    };
    let ratios: Vec<f64> = (0..28).filter(|l| !data.anchors.contains(l)).map(ratio).collect();
    assert!(ratios.iter().all(|r| (r / ratios[0] - 1.0).abs() < 1e-10) && ratios[0] > 0.0);
}

#[test]
fn midpoints_with_gaussian_noise() {
    let settings = Midpoints { noise: MidpointNoise::Gaussian, snr_db: 5.0, ..Midpoints::new(50, 20) };
    let data = settings.generate().unwrap();
    assert_truth(&data);
    assert!((data.achieved_snr_db() - 5.0).abs() < 0.3);
    assert_ne!(data.x.select(&data.anchors), data.w);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Dirichlet::new(7, 1000, 5).generate().unwrap())
    };
    assert_eq!(on(1), on(5));
}

#[test]
fn seeds_differ_and_repeat() {
    let seeded = |seed| Dirichlet { seed, ..Dirichlet::new(4, 60, 3) }.generate().unwrap();
    assert_eq!(seeded(1), seeded(1));
    assert_ne!(seeded(1).w, seeded(2).w);
}

#[test]
fn what_cannot_be_made_is_refused() {
    let base = Dirichlet::new(5, 10, 3);
    let refused = |settings: Dirichlet| settings.generate().unwrap_err();
    assert_eq!(refused(Dirichlet { rows: 0, ..base.clone() }), SyntheticError::NoRows);
    assert_eq!(refused(Dirichlet { rank: 0, ..base.clone() }).to_string(), "`rank` must be at least 1, but is 0");
    assert_eq!(
        refused(Dirichlet { rank: 11, ..base.clone() }),
        SyntheticError::RankAboveColumns { rank: 11, cols: 10 }
    );
    assert!(matches!(refused(Dirichlet { snr_db: f64::NAN, ..base.clone() }), SyntheticError::Snr(_)));
    assert_eq!(refused(Dirichlet { concentration: -1.0, ..base.clone() }), SyntheticError::Concentration(-1.0));
    assert!(matches!(refused(Dirichlet { cols: usize::MAX / 8, ..base }), SyntheticError::TooLarge { .. }));
    let outward = Midpoints::new(5, 2).generate().unwrap_err();
    assert_eq!(outward.to_string(), "`rank` must be at least 3 for outward noise, but is 2");
    assert!(Midpoints { snr_db: f64::INFINITY, ..Midpoints::new(5, 2) }.generate().is_ok());
}
