//! Pools of threads, one for each size that was asked for: no caller gets what another one set first.

use crate::errors::failed;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The pools of one process. A child of `fork` has the memory of its parent, but none of its threads: it makes pools of its own.
struct Pools {
    process: u32,
    by_size: BTreeMap<usize, Arc<ThreadPool>>,
}

/// Locked by holders of the interpreter lock only, so it is never locked at a `fork` of Python's.
static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// The pool of this many threads.
pub fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let mut known = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if known.as_ref().is_some_and(|pools| pools.process != process) {
        std::mem::forget(known.take()); // its threads do not exist in this process
    }
    let pools = known.get_or_insert_with(|| Pools { process, by_size: BTreeMap::new() });
    if let Some(pool) = pools.by_size.get(&threads) {
        return Ok(pool.clone());
    }
    let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(|n| format!("merit-{n}"));
    let pool = Arc::new(builder.build().map_err(|error| failed(format!("threads cannot be started: {error}")))?);
    pools.by_size.insert(threads, pool.clone());
    Ok(pool)
}

/// Threads that this process may use at once.
#[pyfunction]
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
