//! Several processes that share one problem, by MPI: `mpirun -n 4 merit factor X.npy ...`
//!
//! This crate is all that knows of MPI. It gives the rest an implementation of [`Ranks`], and without its feature `mpi` it
//! knows only how to find out that it would be needed. MPI is called through a page of C, compiled by the `mpicc` of the
//! machine: constants and types differ between implementations, and their header is where they are known.
//!
//! ```
//! // Nobody started this test as one of several processes.
//! assert!(merit_mpi::Session::start().unwrap().is_none());
//! ```

#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(feature = "mpi")]
mod world;

use merit_linalg::ranks::Ranks;
use std::time::Duration;

/// The processes that were started together, from their first exchange to their last.
///
/// Dropped, it waits for all of them; in a panic it ends them.
#[derive(Debug)]
pub struct Session {
    ranks: &'static dyn Ranks,
}

/// Why processes that were started together cannot work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// This program was built without MPI.
    NotBuilt,
    /// This MPI does not let threads take turns.
    Threads,
}

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotBuilt => {
                "this is one of several processes that MPI started, but this program was built without MPI"
            }
            Self::Threads => "this MPI does not let threads take turns (MPI_THREAD_SERIALIZED)",
        })
    }
}

impl std::error::Error for StartError {}

impl Session {
    /// Joins the processes that were started together; `None` where this one was started alone.
    pub fn start() -> Result<Option<Self>, StartError> {
        if !was_started_with_others(|name| std::env::var(name).ok()) {
            return Ok(None);
        }
        #[cfg(feature = "mpi")]
        return world::World::start().map(|ranks| Some(Self { ranks }));
        #[cfg(not(feature = "mpi"))]
        Err(StartError::NotBuilt)
    }

    /// How they exchange.
    pub fn ranks(&self) -> &'static dyn Ranks {
        self.ranks
    }

    /// Waits until all processes have come here, and says whether they have within that time.
    pub fn all_come(&self, within: Duration) -> bool {
        #[cfg(feature = "mpi")]
        return world::wait(Some(within));
        #[cfg(not(feature = "mpi"))]
        unreachable!("there is no session of {within:?} without MPI")
    }

    /// Ends all processes, wherever they are.
    pub fn abort(self, code: u8) -> ! {
        #[cfg(feature = "mpi")]
        world::abort(code);
        std::process::exit(code.into())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        #[cfg(feature = "mpi")]
        match std::thread::panicking() {
            true => world::abort(101),
            false => world::finish(),
        }
    }
}

/// Whether the starter of processes left a sign of more than one: Open MPI's `mpirun`; MPICH's, Intel's and SLURM's by PMI;
/// MVAPICH's; and by PMIx, which does not say how many there are.
fn was_started_with_others(variable: impl Fn(&str) -> Option<String>) -> bool {
    let counts = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"];
    match counts.iter().find_map(|name| variable(name)?.parse::<usize>().ok()) {
        Some(count) => count > 1,
        None => variable("PMIX_RANK").is_some(),
    }
}

/// Which of the processes that were started together this one is, as far as their starter has said.
pub fn started_rank() -> usize {
    let ranks = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK"];
    ranks.iter().find_map(|name| std::env::var(name).ok()?.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::was_started_with_others;

    #[test]
    fn the_signs_of_starters_are_known() {
        let with = |set: &'static [(&str, &str)]| {
            was_started_with_others(|name| set.iter().find(|(set, _)| *set == name).map(|(_, value)| value.to_string()))
        };
        assert!(!with(&[]));
        assert!(!with(&[("OMPI_COMM_WORLD_SIZE", "1"), ("PMIX_RANK", "0")]));
        assert!(with(&[("OMPI_COMM_WORLD_SIZE", "4"), ("PMIX_RANK", "0")]));
        assert!(with(&[("PMI_SIZE", "2")]));
        assert!(with(&[("PMIX_RANK", "0")]));
    }
}
