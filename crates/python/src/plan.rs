//! `merit::plan`.

use crate::errors::of_merit;
use crate::settings::{Given, with};
use crate::watching::{Watch, whole};
use merit::factor::Settings;
use merit::plan::{Network, Plan, SharedPlan, Sharing, Size, Speed};
use pyo3::prelude::*;

/// Bytes and seconds of a factorization; on several machines, those of each and of all, replicated and in a ring.
type Planned = (u64, f64, Vec<(&'static str, f64)>, Vec<(u64, f64)>);

/// What factoring `rows` x `cols` takes.
#[pyfunction]
pub fn plan(
    py: Python<'_>,
    watch: Watch,
    rows: usize,
    cols: usize,
    ranks: Option<usize>,
    settings: Given,
) -> PyResult<Planned> {
    let settings: Settings = with(&settings)?;
    let (rank, solver) = (settings.rank.unwrap_or(1), &settings.search.solver);
    if rank > cols || rows == 0 {
        return Err(of_merit(merit::Error::Rank { rank, cols }, "samples"));
    }
    let certificate = settings.search.certificate.is_made(cols);
    let precision = settings.precision;
    let size = Size { rows, cols, rank, iterations: solver.iterations, certificate, precision };
    let speed = whole(watch.run(py, |observer| Speed::measure(&size, &settings, &observer.interrupt())))?;
    let speed = speed.map_err(|error| of_merit(error, "samples"))?;
    let Plan { memory, seconds, stages } = Plan::of(&size, &speed);
    let of_ranks = |ranks, sharing| {
        let plan = SharedPlan::of(&size, &speed, &Network::default(), ranks, sharing);
        (plan.memory, plan.seconds)
    };
    let ways = Sharing::ways(precision);
    let shared = ranks.map_or(Vec::new(), |ranks| ways.iter().map(|&sharing| of_ranks(ranks, sharing)).collect());
    Ok((memory, seconds, stages, shared))
}
