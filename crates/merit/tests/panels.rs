//! Dense columns that come some at a time: the same bits as all at once.

mod support;

use merit::progress::{Interrupt, Progress, StopReason};
use merit::solver::{
    KernelChoice, Pruning, Room, Searched, Settings, Solution, Start, StoredResiduals, Workspace, solve,
};
use merit::{DataMatrix, DenseMatrix};
use merit_linalg::kernels::Kernel;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use support::{awkward, bits, random, shared_by};

fn within(x: &DataMatrix, room: &Room, lambda: f64, settings: Settings) -> Solution {
    Workspace::new(x).within(Some(room)).solve(Start::Zero, &settings.at(lambda).unwrap(), &mut ())
}

fn steps(iterations: usize) -> Settings {
    Settings { iterations, ..Default::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Ties within a panel and across panels, zero columns, any scale, panels of one column and of all of them.
    #[test]
    fn panels_of_any_width_give_the_bits_of_the_scalar_twin(seed: u64, strength in 0usize..5, width in 1usize..220) {
        let x = awkward(seed);
        let square = x.values().iter().map(|v| v * v).sum::<f64>() / x.cols() as f64;
        let lambda = [0.0, 1e-6, 1e-2, 1.0, 1e3][strength] * square;
        let x = DataMatrix::from(x);
        let scalar = Settings { kernel: KernelChoice::Scalar, pruning: Pruning::Never, ..steps(25) };
        let twin = solve(&x, Start::Zero, &scalar.at(lambda).unwrap(), &mut ());
        let room = Room::new(width, Some(DenseMatrix::zeros(x.rows(), x.cols())));
        for kernel in Kernel::available() {
            let found = within(&x, &room, lambda, Settings { kernel: KernelChoice::Use(kernel), ..steps(25) });
            prop_assert!(bits(&found.c) == bits(&twin.c), "{} by {width}", kernel.name());
            prop_assert_eq!(found.gap.unwrap().to_bits(), twin.gap.unwrap().to_bits());
            prop_assert_eq!(found.objective.to_bits(), twin.objective.to_bits());
        }
    }
}

fn sample() -> DataMatrix {
    random(&mut ChaCha8Rng::seed_from_u64(4), 12, 500)
}

#[test]
fn several_runs_several_threads_and_several_processes_agree() {
    let x = sample();
    let settings = steps(12).at(0.1).unwrap();
    let plain = solve(&x, Start::Zero, &settings, &mut ());
    let room = Room::new(70, Some(DenseMatrix::zeros(12, 500)));
    let mut workspace = Workspace::new(&x).within(Some(&room));
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| workspace.solve(Start::Zero, &settings, &mut ()));
        assert_eq!((bits(&found.c), found.gap), (bits(&plain.c), plain.gap));
        assert_eq!(found.search.unwrap().columns, Searched::Panels);
    }
    let shared = shared_by(3, 1, |ranks| {
        let room = Room::new(70, None);
        let found = Workspace::shared(&x, ranks).within(Some(&room)).solve(Start::Zero, &settings, &mut ());
        (found.gap, found.objective)
    });
    assert!(shared.iter().all(|found| *found == (plain.gap, plain.objective)));
}

#[test]
fn residuals_may_be_computed_for_every_panel() {
    let x = sample();
    let settings = Settings { stored_residuals: StoredResiduals::Never, ..steps(12) };
    let plain = solve(&x, Start::Zero, &settings.clone().at(0.1).unwrap(), &mut ());
    let found = within(&x, &Room::new(70, None), 0.1, settings);
    assert_eq!((bits(&found.c), found.gap), (bits(&plain.c), plain.gap));
    let search = found.search.unwrap();
    assert!(search.columns == Searched::Panels && !search.stored_residuals);
}

#[test]
fn a_search_by_panels_can_be_ended() {
    let x = sample();
    let settings = steps(1000).at(0.1).unwrap();
    let room = Room::new(40, None);
    let interrupt = Interrupt::new();
    let asked = interrupt.clone();
    let mut ends = |progress: &Progress| {
        if progress.iteration == 5 {
            asked.ask();
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    let found = Workspace::new(&x).within(Some(&room)).solve_until(&interrupt, Start::Zero, &settings, &mut ends);
    let found = found.expect("five steps");
    assert_eq!((found.stop, found.iterations), (StopReason::Interrupted, 5));
}
