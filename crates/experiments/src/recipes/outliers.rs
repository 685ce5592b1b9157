//! Beyond the paper: columns that are not mixtures.
//!
//! | data set | `(M, N, K)`, noise | mixtures |
//! |---|---|---|
//! | `outliers-k10` | (50, 200, 10), 15 dB | Dirichlet(1) |
//! | `outliers-k8` | (50, 300, 8), 16 dB | Dirichlet(0.3), no weight above 0.8: `capped` of the recipe `auto` |
//! | `outliers-k40` | (50, 200, 40), 12 dB | Dirichlet(1): all weights are small |
//! | `small-clusters` | (50, 80, 10), 20 dB | Dirichlet(0.1): an anchor has seven columns on average, and sometimes two or three |
//!
//! The setting is the number of outliers: columns uniform on (0, 1), as those of `W` are. To the model they are anchors, except that no other column uses
//! them. `K` is the number of true anchors.

use crate::experiment::{Case, Design, Experiment};
use crate::method::Method;
use merit::synthetic::Dirichlet;

const METHODS: [Method; 4] = [Method::SPA, Method::SPA_SUPPORTED, Method::AUTO, Method::AUTO_SUPPORTED];

/// The recipe.
pub fn experiment() -> Experiment {
    let capped = Dirichlet { concentration: 0.3, largest_weight: 0.8, ..Dirichlet::new(50, 300, 8) };
    let data = [
        ("outliers-k10", Dirichlet { snr_db: 15.0, ..Dirichlet::new(50, 200, 10) }),
        ("outliers-k8", Dirichlet { snr_db: 16.0, ..capped }),
        ("outliers-k40", Dirichlet { snr_db: 12.0, ..Dirichlet::new(50, 200, 40) }),
        ("small-clusters", Dirichlet { snr_db: 20.0, concentration: 0.1, ..Dirichlet::new(50, 80, 10) }),
    ];
    let cases = data.into_iter().flat_map(|(dataset, model)| {
        [0, 1, 3, 10].map(|outliers| {
            Case::new(dataset, outliers as f64, Design::Dirichlet(Dirichlet { outliers, ..model.clone() }), &METHODS)
        })
    });
    Experiment {
        name: "outliers",
        title: "Outliers among the columns",
        recipe: "Not in the paper: success rate with columns among the data that are not mixtures, with and without skipping columns that fewer \
                 than 3 others use (`supported`); the part of the outliers among the anchors that are called suspected outliers, and the part of \
                 the true ones (the module `recipes::outliers` says how the data are made).",
        claims: &[],
        revision: 1,
        trials: 100,
        cases: cases.collect(),
        metrics: &["success_rate", "outliers_called", "false_alarms"],
        panels: Vec::new(),
        setting_name: "outliers",
    }
}
