//! All processes that MPI started, behind safe functions.

use crate::StartError;
use merit_linalg::ranks::Ranks;
use std::ffi::{c_int, c_long};
use std::time::Duration;

mod calls {
    use std::ffi::{c_int, c_long};

    unsafe extern "C" {
        pub safe fn merit_mpi_start() -> c_int;
        pub safe fn merit_mpi_rank() -> c_int;
        pub safe fn merit_mpi_count() -> c_int;
        pub fn merit_mpi_sum(values: *mut u64, count: c_int);
        pub fn merit_mpi_max(values: *mut u64, count: c_int);
        pub fn merit_mpi_broadcast(bytes: *mut u8, count: c_int, from: c_int);
        pub safe fn merit_mpi_wait(milliseconds: c_long) -> c_int;
        pub safe fn merit_mpi_finish();
        pub safe fn merit_mpi_abort(code: c_int);
    }
}

/// MPI counts in 31 bits.
const PIECE: usize = 1 << 24;

#[derive(Debug)]
pub(crate) struct World {
    rank: usize,
    count: usize,
}

impl World {
    pub(crate) fn start() -> Result<&'static dyn Ranks, StartError> {
        if calls::merit_mpi_start() == 0 {
            return Err(StartError::Threads);
        }
        let (rank, count) = (calls::merit_mpi_rank() as usize, calls::merit_mpi_count() as usize);
        Ok(Box::leak(Box::new(Self { rank, count }))) // as long as the process
    }
}

impl Ranks for World {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn sum(&self, values: &mut [u64]) {
        for piece in values.chunks_mut(PIECE) {
            // SAFETY: the pointer and the count are those of the piece, which nobody else uses until the call returns.
            unsafe { calls::merit_mpi_sum(piece.as_mut_ptr(), piece.len() as c_int) };
        }
    }

    fn max(&self, values: &mut [u64]) {
        for piece in values.chunks_mut(PIECE) {
            // SAFETY: as above.
            unsafe { calls::merit_mpi_max(piece.as_mut_ptr(), piece.len() as c_int) };
        }
    }

    fn broadcast(&self, from: usize, bytes: &mut [u8]) {
        for piece in bytes.chunks_mut(PIECE) {
            // SAFETY: as above.
            unsafe { calls::merit_mpi_broadcast(piece.as_mut_ptr(), piece.len() as c_int, from as c_int) };
        }
    }
}

/// Waits for all processes, at most so long; whether they came.
pub(crate) fn wait(within: Option<Duration>) -> bool {
    calls::merit_mpi_wait(within.map_or(-1, |time| time.as_millis() as c_long)) != 0
}

pub(crate) fn finish() {
    wait(None);
    calls::merit_mpi_finish();
}

pub(crate) fn abort(code: u8) {
    calls::merit_mpi_abort(c_int::from(code));
}
