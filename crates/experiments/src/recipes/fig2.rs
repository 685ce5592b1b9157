//! Figure 2: success rate over SNR on midpoint data, `(M, N, K) = (50, 55, 10)`.
//!
//! The text speaks of Gaussian noise; the published figure was made with noise that pushes the midpoints outward and
//! leaves the anchors alone. Both are run. The text's "100 % at 10 dB" is closer to half of the authors' lambda than to the
//! whole of it; with Gaussian noise SPA does better than MERIT at the paper's lambda.

use super::midpoint_cases;
use crate::experiment::{Experiment, Panel};
use crate::method::Method;

/// The recipe.
pub fn experiment() -> Experiment {
    Experiment {
        name: "fig2",
        title: "Figure 2: success rate on midpoints",
        recipe: "M = 50, N = 55, K = 10; W uniform on (0, 1) with columns scaled to sum to 1; H = [I, midpoints of all pairs]; \
                 SNR 8 to 25 dB. Noise as in the published figure (outward: none on the anchors, away from the mean of W on \
                 the midpoints) and Gaussian, as the text says.",
        claims: &["MERIT reaches 100 % at 10 dB, FastGradient at 16 dB; SPA does not at 20 dB."],
        revision: 1,
        trials: 50,
        cases: midpoint_cases(
            8..=25,
            &[
                Method::SPA,
                Method::FAST_GRADIENT,
                Method::MERIT,
                Method::HALF,
                Method::QUARTER,
                Method::ZERO,
                Method::AUTO,
                Method::NORM_RATIO,
            ],
        ),
        metrics: &["success_rate"],
        panels: vec![
            Panel::success("Outward noise", "midpoints-outward"),
            Panel::success("Gaussian noise", "midpoints-gaussian"),
        ],
        setting_name: "SNR (dB)",
    }
}
