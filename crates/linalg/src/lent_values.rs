//! The numbers of a dense matrix: its own, or those of someone who lends them, so that data which are in memory already are not
//! there twice.

use std::any::Any;
use std::ops::{Deref, Range};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

/// Numbers to read; to write to them they must be our own.
#[derive(Clone)]
pub(crate) enum Values {
    Own(Vec<f64>),
    Lent(Lent),
}

/// Numbers of an owner, which lives as long as this does and which nobody can change meanwhile: that would take `&mut`, and we
/// hold a share.
#[derive(Clone)]
pub(crate) struct Lent {
    values: *const [f64],
    _owner: Arc<dyn Any + Send + Sync>,
}

// SAFETY: the pointer is a shared borrow of the owner, which is itself `Send + Sync`.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}
// Only read, so a panic leaves nothing half-changed.
impl UnwindSafe for Lent {}
impl RefUnwindSafe for Lent {}

impl Values {
    pub(crate) fn lent<T: AsRef<[f64]> + Any + Send + Sync>(owner: Arc<T>) -> Self {
        let values: *const [f64] = T::as_ref(&owner);
        Self::Lent(Lent { values, _owner: owner })
    }

    /// To write to; what was lent is copied first.
    pub(crate) fn own(&mut self) -> &mut Vec<f64> {
        if let Self::Lent(_) = self {
            *self = Self::Own(self.to_vec());
        }
        match self {
            Self::Own(values) => values,
            Self::Lent(_) => unreachable!("it was just copied"),
        }
    }

    /// Some of them, which stay with their owner if they are lent.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        match self {
            Self::Lent(lent) => {
                let values: *const [f64] = &self[range];
                Self::Lent(Lent { values, _owner: lent._owner.clone() })
            }
            Self::Own(values) => Self::Own(values[range].to_vec()),
        }
    }

    pub(crate) fn into_vec(self) -> Vec<f64> {
        match self {
            Self::Own(values) => values,
            Self::Lent(_) => self.to_vec(),
        }
    }
}

impl Deref for Values {
    type Target = [f64];

    #[inline]
    fn deref(&self) -> &[f64] {
        match self {
            Self::Own(values) => values,
            // SAFETY: the slice was borrowed from the owner, in a place that does not move (behind an `Arc`); the owner is alive and
            // only shared while `self` is, so the borrow could have lasted until now.
            Self::Lent(lent) => unsafe { &*lent.values },
        }
    }
}

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.deref().fmt(f)
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        self.deref() == other.deref()
    }
}
