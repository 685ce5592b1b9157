//! Ending work early: one flag that every loop asks which can last a second.
//!
//! Work that is asked to end returns at once with whatever it has, which is of no use by itself. Who gave the flag looks at it
//! afterwards and takes the result only if nobody asked (`merit::progress::Stages::whole` does that for the library). So
//! the flag goes down and no error comes back up through every loop.
//!
//! ```
//! use merit_linalg::interrupt::Interrupt;
//! let interrupt = Interrupt::new();
//! let sum = (0..10).take_while(|_| !interrupt.asked()).sum::<usize>();
//! assert!(sum == 45 && !interrupt.asked());
//! interrupt.clone().ask(); // from a handler of signals, another thread, a button
//! assert!(interrupt.asked());
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that says that work should end; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Option<Arc<AtomicBool>>);

impl Interrupt {
    /// A flag that nobody has raised yet.
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// For work that nobody ends.
    pub const fn never() -> Self {
        Self(None)
    }

    /// This flag, or the other where nobody can raise this one.
    pub fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }

    /// Asks for the end.
    pub fn ask(&self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Whether somebody has asked.
    pub fn asked(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
