//! The numbers of a dense matrix, `f64` or `f32`: its own, in memory or in a scratch file, or those of someone who lends them, so that data
//! which are in memory already are not there twice.

use crate::mapped::Region;
use std::any::Any;
use std::ops::{Deref, Range};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

/// Numbers to read; to write to them they must be our own.
pub(crate) enum Values<T> {
    Own(Vec<T>),
    Lent(Lent<T>),
    Scratch(Scratch<T>),
}

/// Our own numbers in a mapped file, which is mapped as long as this lives: nobody else writes to them or reads them.
pub(crate) struct Scratch<T> {
    values: *mut [T],
    region: Arc<Region>,
}

// SAFETY: the pointer is to numbers that we alone have, as if we had a `Box` of them.
unsafe impl<T: Send> Send for Scratch<T> {}
// SAFETY: as above; through a shared `Scratch` they are only read.
unsafe impl<T: Sync> Sync for Scratch<T> {}

impl<T: Copy> Clone for Values<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Lent(lent) => Self::Lent(lent.clone()),
            Self::Own(_) | Self::Scratch(_) => Self::Own(self.to_vec()),
        }
    }
}

/// Numbers of an owner, which lives as long as this does and which nobody can change meanwhile: that would take `&mut`, and we
/// hold a share.
pub(crate) struct Lent<T> {
    values: *const [T],
    _owner: Arc<dyn Any + Send + Sync>,
}

// SAFETY: the pointer is a shared borrow of the owner, which is itself `Send + Sync`.
unsafe impl<T: Sync> Send for Lent<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Lent<T> {}
// Only read, so a panic leaves nothing half-changed.
impl<T> UnwindSafe for Lent<T> {}
impl<T> RefUnwindSafe for Lent<T> {}

impl<T> Clone for Lent<T> {
    fn clone(&self) -> Self {
        Self { values: self.values, _owner: self._owner.clone() }
    }
}

impl Values<f64> {
    /// Those of a region that nobody else writes to or reads.
    pub(crate) fn scratch(region: Arc<Region>) -> Self {
        Self::Scratch(Scratch { values: region.values(), region })
    }
}

impl<T: Copy + 'static> Values<T> {
    pub(crate) fn lent<O: AsRef<[T]> + Any + Send + Sync>(owner: Arc<O>) -> Self {
        let values: *const [T] = O::as_ref(&owner);
        Self::Lent(Lent { values, _owner: owner })
    }

    /// Only to be read from now on, so that parts of a scratch file need no copy.
    pub(crate) fn frozen(self) -> Self {
        match self {
            Self::Scratch(Scratch { values, region }) => Self::Lent(Lent { values, _owner: region }),
            values => values,
        }
    }

    /// To write to; what was lent is copied first.
    pub(crate) fn own(&mut self) -> &mut [T] {
        if let Self::Lent(_) = self {
            *self = Self::Own(self.to_vec());
        }
        match self {
            Self::Own(values) => values,
            // SAFETY: we alone have the region's values, and `self` is borrowed for as long as the slice.
            Self::Scratch(scratch) => unsafe { &mut *scratch.values },
            Self::Lent(_) => unreachable!("it was just copied"),
        }
    }

    /// Some of them, which stay with their owner if they are lent.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        match self {
            Self::Lent(lent) => {
                let values: *const [T] = &self[range];
                Self::Lent(Lent { values, _owner: lent._owner.clone() })
            }
            Self::Own(_) | Self::Scratch(_) => Self::Own(self[range].to_vec()),
        }
    }

    pub(crate) fn into_vec(self) -> Vec<T> {
        match self {
            Self::Own(values) => values,
            Self::Lent(_) | Self::Scratch(_) => self.to_vec(),
        }
    }
}

impl<T> Deref for Values<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Self::Own(values) => values,
            // SAFETY: the slice was borrowed from the owner, in a place that does not move (behind an `Arc`); the owner is alive and
            // only shared while `self` is, so the borrow could have lasted until now.
            Self::Lent(lent) => unsafe { &*lent.values },
            // SAFETY: mapped as long as `self` lives, and written to only through `&mut self`.
            Self::Scratch(scratch) => unsafe { &*scratch.values },
        }
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Values<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.deref().fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Values<T> {
    fn eq(&self, other: &Self) -> bool {
        self.deref() == other.deref()
    }
}
