//! Figure 7: peak memory over the number of nodes, each point in a process of its own.

use super::memory_panel;
use crate::communities::Network;
use crate::experiment::{Case, Experiment, Work};
use crate::memory::Subject;
use crate::method::Method;

/// The recipe.
pub fn experiment() -> Experiment {
    let case = |(i, network): (usize, Network)| Case {
        dataset: network.folder(),
        setting: network.name(),
        x: i as f64,
        work: Work::Memory(Subject::Communities(network)),
        methods: vec![Method::FAST_GRADIENT, Method::MERIT, Method::ZERO],
    };
    let panel = |title, dataset| memory_panel(title, dataset, "kept nodes, N");
    Experiment {
        name: "fig7",
        title: "Figure 7: peak memory on networks",
        recipe: "The largest resident set of a process that reads the edges and goes all the way to memberships with one method; N is the number \
                 of kept nodes. FastGradient on their adjacency matrix, for one step (its memory does not grow after the first). The whole process \
                 counts. GB are 10^9 bytes. Where FastGradient does not fit into the free memory it is not run, and a cross stands at what its \
                 arrays alone would need.",
        claims: &["N = 6,500: FastGradient over 2 GB, MERIT and MERIT(0) under 0.3 GB."],
        revision: 1,
        trials: 1,
        cases: Network::ALL.into_iter().enumerate().map(case).collect(),
        metrics: &["peak_gb", "refused_gb"],
        panels: vec![panel("DBLP", "dblp"), panel("MAG", "mag")],
        setting_name: "network",
    }
}
