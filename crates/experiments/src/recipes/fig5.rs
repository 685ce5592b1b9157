//! Figure 5: how lambda and mu matter, `(M, N, K) = (50, 200, 40)`: success rate over SNR, a curve for each value.
//!
//! The paper does not print its grids; these cover what its recipe chooses (an authors' lambda of about 0.3 at 10 dB) by a
//! factor of ten and more on both sides. All values of a grid run on the same data.

use super::dirichlet_cases;
use crate::experiment::{Experiment, Panel};
use crate::method::{Lambda, Method};

/// Authors' lambda, at mu = 1e-5.
const LAMBDAS: [f64; 6] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0];
/// mu, at the authors' lambda = 0.1.
const SMOOTHINGS: [f64; 6] = [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2];
const SNRS: [i32; 6] = [6, 8, 10, 12, 14, 16];

/// The recipe.
pub fn experiment() -> Experiment {
    let lambdas = LAMBDAS.map(|lambda| Method::Merit(Lambda::Value(lambda)));
    let smoothings = SMOOTHINGS.map(|mu| Method::Merit(Lambda::Smoothing(mu)));
    let mut cases = dirichlet_cases("lambda-grid", &SNRS, &lambdas);
    cases.extend(dirichlet_cases("mu-grid", &SNRS, &smoothings));
    Experiment {
        name: "fig5",
        title: "Figure 5: sensitivity to lambda and mu",
        recipe: "M = 50, N = 200, K = 40; Dirichlet data. Lambda in the authors' convention (halved for our objective) from 0.01 \
                 to 3 at mu = 1e-5; mu from 1e-7 to 1e-2 at lambda = 0.1. The paper does not print its grids; these are ours.",
        claims: &["At lower SNRs a larger lambda works better; mu hardly matters."],
        revision: 1,
        trials: 30,
        cases,
        metrics: &["success_rate"],
        panels: vec![
            Panel::success("Lambda (authors'), mu = 1e-5", "lambda-grid"),
            Panel::success("Mu, lambda = 0.1", "mu-grid"),
        ],
        setting_name: "SNR (dB)",
    }
}
