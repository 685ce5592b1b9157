//! One module for each figure or table of the paper, and one for what this project adds.
//!
//! Table II and figure 6 need data files; communities (figure 7, table IV) are not here: a recipe for them is one more module and one
//! more [`Work`](crate::experiment::Work).

pub mod auto;
pub mod fig2;
pub mod fig3;
pub mod fig4a;
pub mod fig4b;
pub mod fig5;
pub mod fig6;
pub mod table1;
pub mod table2;

use crate::experiment::{Case, Design};
use crate::method::Method;
use merit::synthetic::{Dirichlet, MidpointNoise, Midpoints};

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
