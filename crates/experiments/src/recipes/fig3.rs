//! Figure 3: MRSA and RAE over SNR on the data of figure 2 (the same trials have the same data).

use super::midpoint_cases;
use crate::experiment::{Experiment, Panel};
use crate::method::Method;
use merit_report::chart::Stretch;

/// The recipe.
pub fn experiment() -> Experiment {
    let panel = |title, dataset, metric, y_name| Panel {
        title,
        dataset,
        metric,
        x_name: "SNR (dB)",
        y_name,
        x_stretch: Stretch::Linear,
        y_stretch: Stretch::Linear,
    };
    let (mrsa, rae) = ("MRSA (the paper's unit)", "RAE");
    Experiment {
        name: "fig3",
        title: "Figure 3: MRSA and RAE on midpoints",
        recipe: "The data of figure 2. MRSA: mean angle between the selected columns and W, both less their mean column, best \
                 assignment; in radians, and in the paper's unit (radians x 106.3). RAE: 1 - ||X - WH|| / ||X|| with H on the \
                 simplex. The figure prints no numbers.",
        claims: &["The convex methods lead SPA as in figure 2."],
        revision: 1,
        trials: 50,
        cases: midpoint_cases(8..=25, &[Method::SPA, Method::FAST_GRADIENT, Method::MERIT, Method::HALF, Method::AUTO]),
        metrics: &["mrsa", "mrsa_radians", "rae"],
        panels: vec![
            panel("Outward noise, MRSA", "midpoints-outward", "mrsa", mrsa),
            panel("Outward noise, RAE", "midpoints-outward", "rae", rae),
            panel("Gaussian noise, MRSA", "midpoints-gaussian", "mrsa", mrsa),
            panel("Gaussian noise, RAE", "midpoints-gaussian", "rae", rae),
        ],
        setting_name: "SNR (dB)",
    }
}
