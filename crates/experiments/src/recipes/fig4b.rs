//! Figure 4b: peak memory over `N`, `(M, K) = (50, 40)`, 10 dB, each point in a process of its own.

use crate::experiment::{Case, Experiment, Panel, Work};
use crate::memory::{Size, Subject};
use crate::method::Method;
use merit_report::chart::Stretch;

/// The columns, `N`.
const COLUMNS: [usize; 5] = [1000, 2000, 4000, 7000, 10_000];

/// The recipe.
pub fn experiment() -> Experiment {
    let case = |&cols: &usize| Case {
        dataset: "dirichlet",
        setting: cols.to_string(),
        x: cols as f64,
        work: Work::Memory(Subject::Dirichlet(Size { rows: 50, cols, rank: 40, snr_db: 10.0 })),
        methods: vec![Method::FAST_GRADIENT, Method::MERIT],
    };
    Experiment {
        name: "fig4b",
        title: "Figure 4b: peak memory",
        recipe: "M = 50, K = 40, 10 dB, Dirichlet data; the largest resident set of a process that makes the data and runs one \
                 method: MERIT for its 100 steps, FastGradient for 5 of its 150 (its memory does not grow after the first). The whole process counts: program, data and result. GB are 10^9 bytes.",
        claims: &["N = 10,000: FastGradient close to 5 GB, MERIT under 0.1 GB."],
        revision: 1,
        trials: 3,
        cases: COLUMNS.iter().map(case).collect(),
        metrics: &["peak_gb"],
        panels: vec![Panel {
            title: "",
            dataset: "dirichlet",
            metric: "peak_gb",
            x_name: "N",
            y_name: "peak memory (GB)",
            x_stretch: Stretch::Log,
            y_stretch: Stretch::Log,
        }],
        setting_name: "N",
    }
}
