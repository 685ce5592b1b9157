//! Table I: success rate, MRSA and RAE over `K`, `(M, N) = (80, 200)`, 10 dB.

use crate::experiment::{Case, Design, Experiment};
use crate::method::Method;
use merit::synthetic::Dirichlet;

/// The recipe.
pub fn experiment() -> Experiment {
    let methods = [Method::SPA, Method::FAST_GRADIENT, Method::MERIT, Method::ZERO, Method::AUTO, Method::NORM_RATIO];
    let case = |rank: usize| {
        let design = Dirichlet { snr_db: 10.0, ..Dirichlet::new(80, 200, rank) };
        Case::new("dirichlet", rank as f64, Design::Dirichlet(design), &methods)
    };
    Experiment {
        name: "table1",
        title: "Table I: success rate, MRSA and RAE over K",
        recipe: "M = 80, N = 200; W uniform on (0, 1); H = [I, Dirichlet(1)]; Gaussian noise at 10 dB. MRSA in radians and in \
                 the paper's unit (radians x 106.3); RAE with H on the simplex.",
        claims: &[],
        revision: 1,
        trials: 50,
        cases: [40, 50, 60, 70].map(case).into(),
        metrics: &["success_rate", "mrsa", "mrsa_radians", "rae"],
        panels: Vec::new(),
        setting_name: "K",
    }
}
