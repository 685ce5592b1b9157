//! The processes that share the columns of one problem.
//!
//! Usually there is one, and everything here does nothing. Where a program was started several times to work together, each
//! process is a *rank*: all run the same program on the same data, each looks after its own [shards](crate::shards) of
//! columns, and what they find is exchanged through [`Ranks`]. Exchanged numbers are integers, or bits of which one rank has
//! those that are not zero, so that neither the number of ranks nor the order in which they arrive changes a bit.
//!
//! Every rank makes the same calls in the same order. Who decides by a clock or a signal therefore asks [`Ranks::any`] first.
//!
//! ```
//! use merit_linalg::ranks;
//! let (ranks, mut values) = (ranks::here(), [1, 2]);
//! ranks.sum(&mut values);
//! assert!(ranks.count() == 1 && values == [1, 2]);
//! ```

use std::fmt::Debug;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::AtomicU64;
use std::sync::{PoisonError, RwLock};

/// A way to exchange numbers between the processes that work on one problem.
pub trait Ranks: Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Which one this process is, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn count(&self) -> usize;

    /// Replaces each value by its sum over the ranks, modulo `2^64`.
    fn sum(&self, values: &mut [u64]);

    /// Replaces each value by the largest of all ranks.
    fn max(&self, values: &mut [u64]);

    /// Gives every rank the bytes of rank `from`.
    fn broadcast(&self, from: usize, bytes: &mut [u8]);

    /// Gives every rank the numbers of rank `from`.
    fn broadcast_values(&self, from: usize, values: &mut [f64]) {
        if self.count() == 1 {
            return;
        }
        let mut bytes = Vec::with_capacity(8 * PIECE.min(values.len()));
        for values in values.chunks_mut(PIECE) {
            bytes.clear();
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            self.broadcast(from, &mut bytes);
            let received = bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
            values.iter_mut().zip(received).for_each(|(value, new)| *value = new);
        }
    }

    /// Whether any rank says so.
    fn any(&self, here: bool) -> bool {
        let mut said = [u64::from(here)];
        self.max(&mut said);
        said[0] > 0
    }

    /// The sum of a number over the ranks.
    fn total(&self, here: i128) -> i128 {
        const PART: u128 = u32::MAX as u128;
        let mut parts: [u64; 4] = std::array::from_fn(|i| (here as u128 >> (32 * i) & PART) as u64);
        self.sum(&mut parts);
        let join = |sum: u128, i: usize| sum.wrapping_add(u128::from(parts[i]) << (32 * i));
        (0..4).fold(0, join) as i128
    }
}

/// The one process that there usually is.
#[derive(Debug)]
pub struct Alone;

impl Ranks for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn count(&self) -> usize {
        1
    }

    fn sum(&self, _: &mut [u64]) {}

    fn max(&self, _: &mut [u64]) {}

    fn broadcast(&self, _: usize, _: &mut [u8]) {}
}

static HERE: RwLock<&'static dyn Ranks> = RwLock::new(&Alone);

/// Those that this process works with.
pub fn here() -> &'static dyn Ranks {
    *HERE.read().unwrap_or_else(PoisonError::into_inner)
}

/// From now on this process works with others, or alone.
pub fn work_with(ranks: &'static dyn Ranks) {
    *HERE.write().unwrap_or_else(PoisonError::into_inner) = ranks;
}

/// What the first process asks of the others, in three words. It asks and they answer until it asks no more: so it decides alone what it
/// needs next, and an error of its own is the end of the asking.
pub fn asked_by_first(ranks: &dyn Ranks, words: [u64; 3]) -> [u64; 3] {
    let mut bytes = words.map(u64::to_le_bytes).concat();
    ranks.broadcast(0, &mut bytes);
    let mut words = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
    std::array::from_fn(|_| words.next().unwrap_or(0))
}

/// Numbers that are exchanged at a time: 2 MB.
const PIECE: usize = 1 << 18;

/// Replaces each number by what `exchange` makes of it, some at a time.
pub fn exchange_atomics(values: &mut [AtomicU64], exchange: impl Fn(&mut [u64])) {
    let mut piece = Vec::new();
    for values in values.chunks_mut(PIECE) {
        piece.clear();
        piece.extend(values.iter_mut().map(|value| *value.get_mut()));
        exchange(&mut piece);
        values.iter_mut().zip(&piece).for_each(|(value, &new)| *value.get_mut() = new);
    }
}

/// Sums numbers below `2^32` whose sums are so as well, two at a time.
pub fn sum_small(ranks: &dyn Ranks, values: &mut [u32]) {
    let mut piece = Vec::new();
    for values in values.chunks_mut(2 * PIECE) {
        piece.clear();
        let pair = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32;
        piece.extend(values.chunks(2).map(pair));
        ranks.sum(&mut piece);
        for (values, &sums) in values.chunks_mut(2).zip(&piece) {
            values[0] = sums as u32;
            values.iter_mut().skip(1).for_each(|value| *value = (sums >> 32) as u32);
        }
    }
}
