//! Whoever ends a run keeps what it has found by then, whatever stage it is in.

use merit::factor::{Factorization, Settings, factor_from};
use merit::progress::{Interrupt, Observer, Progress, Stage, StopReason};
use merit::synthetic::Dirichlet;
use merit::{DataMatrix, Error, Method};
use std::ops::ControlFlow;

/// Raises its flag when a stage begins.
struct Impatient {
    stage: &'static str,
    flag: Interrupt,
}

impl Observer for Impatient {
    fn iteration(&mut self, _: &Progress) -> ControlFlow<()> {
        if self.flag.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn stage(&mut self, stage: &Stage) {
        if stage.name == self.stage {
            self.flag.ask();
        }
    }

    fn interrupt(&self) -> Interrupt {
        self.flag.clone()
    }
}

fn run(method: Method, stage: &'static str) -> Result<Factorization, Error> {
    let x: DataMatrix = Dirichlet { snr_db: 12.0, seed: 3, ..Dirichlet::new(20, 600, 8) }.generate().unwrap().x.into();
    let settings = Settings { method, rank: Some(8), ..Default::default() };
    factor_from(&x, &settings, None, &mut Impatient { stage, flag: Interrupt::new() })
}

/// Everything that a run gives is there and makes sense.
#[track_caller]
fn is_whole(found: &Factorization) {
    assert_eq!(found.search.stop, Some(StopReason::Interrupted));
    assert_eq!((found.anchors().len(), found.w.cols(), found.h.h.cols()), (8, 8, 600));
    for l in 0..600 {
        let weights = found.h.h.col(l);
        assert!(weights.iter().all(|&h| (0.0..=1.0).contains(&h)) && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    assert!(found.rae() > 0.5 && found.rae() <= 1.0, "{}", found.rae());
}

#[test]
fn before_the_first_step_there_are_the_anchors_of_spa() {
    let found = run(Method::Merit, "solve").unwrap();
    is_whole(&found);
    // A step that has begun may end within some tenths of a second.
    let without = found.notes.contains(&"there was no time for a step of MERIT: the anchors are SPA's".to_string());
    assert_eq!(found.search.solution.is_none(), without);
    let found = run(Method::Exact, "solve").unwrap();
    is_whole(&found);
    assert_eq!(found.search.solution.unwrap().iterations, 0);
    assert!(matches!(run(Method::Merit, "spa"), Err(Error::Interrupted)), "nothing is known by then");
}

#[test]
fn after_the_search_it_is_kept() {
    for (method, stage) in [
        (Method::Merit, "refit"),
        (Method::Merit, "certificate"),
        (Method::Merit, "factors"),
        (Method::Exact, "factors"),
    ] {
        let found = run(method, stage).unwrap();
        is_whole(&found);
        assert!(found.search.solution.is_some(), "{method:?}, {stage}");
    }
}

#[test]
fn weights_in_a_rush_are_close_and_counted() {
    let found = run(Method::Spa, "factors").unwrap();
    is_whole(&found);
    let calm = run(Method::Spa, "none").unwrap();
    assert_eq!(calm.h.unconverged, 0);
    assert!(found.h.unconverged > 0 && found.h.squared_residual >= calm.h.squared_residual);
    assert!(found.notes.iter().any(|note| note.ends_with("they are guesses, because the run was interrupted")));
    assert!(found.rae() > calm.rae() - 0.1, "{} against {}", found.rae(), calm.rae());
}
