//! Watching a run, and ending it early:
//!
//! ```console
//! $ cargo run --release --example observer
//! ```

use merit::progress::{Observer, Progress, Stage};
use merit::synthetic::Dirichlet;
use merit::{DataMatrix, Error, Merit};
use std::ops::ControlFlow;

/// Prints every tenth iteration and ends the run when the gap is a hundredth of the first one.
#[derive(Default)]
struct Hundredth {
    first: Option<f64>,
}

impl Observer for Hundredth {
    fn stage(&mut self, stage: &Stage) {
        println!("-- {}", stage.title);
    }

    fn iteration(&mut self, progress: &Progress) -> ControlFlow<()> {
        let Some(gap) = progress.gap else { return ControlFlow::Continue(()) };
        if progress.iteration.is_multiple_of(10) {
            println!("{:4}  gap {gap:.4}  {} nonzeros", progress.iteration, progress.nnz);
        }
        let first = *self.first.get_or_insert(gap);
        if gap < 0.01 * first { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn main() -> Result<(), Error> {
    let data = Dirichlet { snr_db: 20.0, ..Dirichlet::new(30, 200, 6) }.generate().expect("the sizes fit");
    let x = DataMatrix::from(data.x);
    let run = Merit::new(6).regularization(0.05).iterations(1000).fit_watched(&x, &mut Hundredth::default())?;
    println!("stopped: {}, gap {:.4}", run.search.stop.expect("MERIT has a reason"), run.gap().unwrap_or(f64::NAN));
    Ok(())
}
