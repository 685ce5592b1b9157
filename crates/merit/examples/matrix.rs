//! A matrix to its anchors, factors and certificate:
//!
//! ```console
//! $ cargo run --release --example matrix
//! ```

use merit::synthetic::Dirichlet;
use merit::{DataMatrix, Error, Merit};

fn main() -> Result<(), Error> {
    // 60 columns that are noisy mixtures of 4 of them; your own: DenseMatrix::from_column_major(rows, cols, values)?.into()
    let data = Dirichlet { snr_db: 30.0, seed: 1, ..Dirichlet::new(20, 60, 4) }.generate().expect("the sizes fit");
    let x = DataMatrix::from(data.x);

    let run = Merit::new(4).iterations(200).fit(&x)?;
    println!("anchors {:?} (the true ones: {:?})", run.anchors(), data.anchors);
    println!("W is {} x {}, H is {} x {}", run.w.rows(), run.w.cols(), run.h.h.rows(), run.h.h.cols());
    println!("W H explains {:.1} % of X", 100.0 * run.rae());
    let solution = run.search.solution.as_ref().expect("MERIT has one");
    println!("objective {:.3}, at most {:.3} above the optimum", solution.objective, run.gap().unwrap_or(f64::NAN));
    Ok(())
}
