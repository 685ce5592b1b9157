//! Figure 4a: success rate over SNR on Dirichlet data, `(M, N, K) = (50, 200, 40)`.

use super::dirichlet_cases;
use crate::experiment::{Experiment, Panel};
use crate::method::Method;

const METHODS: [Method; 7] =
    [Method::SPA, Method::FAST_GRADIENT, Method::MERIT, Method::HALF, Method::ZERO, Method::AUTO, Method::NORM_RATIO];

/// The recipe.
pub fn experiment() -> Experiment {
    let snrs: Vec<i32> = (7..=16).collect();
    Experiment {
        name: "fig4a",
        title: "Figure 4a: success rate on Dirichlet mixtures",
        recipe: "M = 50, N = 200, K = 40; W uniform on (0, 1); H = [I, Dirichlet(1)]; Gaussian noise, SNR 7 to 16 dB.",
        claims: &["MERIT and FastGradient lead SPA by a larger gap than in figure 2."],
        revision: 1,
        trials: 50,
        cases: dirichlet_cases("dirichlet", &snrs, &METHODS),
        metrics: &["success_rate"],
        panels: vec![Panel::success("", "dirichlet")],
        setting_name: "SNR (dB)",
    }
}
