//! One module for each figure or table of the paper, and one for what this project adds.
//!
//! Table II and figure 6 need the texts, table IV and figure 7 the networks; what is not in the data folder is named and left out.

pub mod auto;
pub mod fig2;
pub mod fig3;
pub mod fig4a;
pub mod fig4b;
pub mod fig5;
pub mod fig6;
pub mod fig7;
pub mod outliers;
pub mod table1;
pub mod table2;
pub mod table4;

use crate::experiment::{Case, Design, Panel};
use crate::method::Method;
use merit::synthetic::{Dirichlet, MidpointNoise, Midpoints};
use merit_report::chart::Stretch;

/// Cases of the midpoint data of figures 2 and 3, `(M, N, K) = (50, 55, 10)`, at whole SNRs, with both kinds of noise.
fn midpoint_cases(snrs: impl Iterator<Item = i32> + Clone, methods: &[Method]) -> Vec<Case> {
    let noises = [("midpoints-outward", MidpointNoise::Outward), ("midpoints-gaussian", MidpointNoise::Gaussian)];
    let cases = noises.into_iter().flat_map(|(dataset, noise)| {
        snrs.clone().map(move |snr| {
            let design = Midpoints { snr_db: f64::from(snr), noise, ..Midpoints::new(50, 10) };
            Case::new(dataset, f64::from(snr), Design::Midpoints(design), methods)
        })
    });
    cases.collect()
}

/// Cases of the Dirichlet data of figures 4a and 5, `(M, N, K) = (50, 200, 40)`, at these SNRs.
fn dirichlet_cases(dataset: &'static str, snrs: &[i32], methods: &[Method]) -> Vec<Case> {
    let case = |&snr: &i32| {
        let design = Dirichlet { snr_db: f64::from(snr), ..Dirichlet::new(50, 200, 40) };
        Case::new(dataset, f64::from(snr), Design::Dirichlet(design), methods)
    };
    snrs.iter().map(case).collect()
}

/// Peak memory over `N`, which `x_name` explains: a panel of figures 6 and 7.
fn memory_panel(title: &'static str, dataset: &'static str, x_name: &'static str) -> Panel {
    Panel {
        title,
        dataset,
        metric: "peak_gb",
        x_name,
        y_name: "peak memory (GB)",
        x_stretch: Stretch::Linear,
        y_stretch: Stretch::Log,
    }
}
