//! A run that a Python object holds.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Results behind a lock, because building a page takes their parts for a while.
pub struct Held<R>(Mutex<R>);

impl<R> Held<R> {
    pub fn new(run: R) -> Self {
        Self(Mutex::new(run))
    }

    pub fn get(&self) -> MutexGuard<'_, R> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
