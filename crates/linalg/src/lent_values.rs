//! The numbers of a dense matrix, `f64` or `f32`: its own, or those of someone who lends them, so that data which are in memory already are not
//! there twice.

use std::any::Any;
use std::ops::Deref;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

/// Numbers to read; to write to them they must be our own.
#[derive(Clone)]
pub(crate) enum Values<T> {
    Own(Vec<T>),
    Lent(Lent<T>),
}

/// Numbers of an owner, which lives as long as this does and which nobody can change meanwhile: that would take `&mut`, and we
/// hold a share.
#[derive(Clone)]
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

impl<T: Copy + 'static> Values<T> {
    pub(crate) fn lent<O: AsRef<[T]> + Any + Send + Sync>(owner: Arc<O>) -> Self {
        let values: *const [T] = O::as_ref(&owner);
        Self::Lent(Lent { values, _owner: owner })
    }

    /// To write to; what was lent is copied first.
    pub(crate) fn own(&mut self) -> &mut Vec<T> {
        if let Self::Lent(_) = self {
            *self = Self::Own(self.to_vec());
        }
        match self {
            Self::Own(values) => values,
            Self::Lent(_) => unreachable!("it was just copied"),
        }
    }

    pub(crate) fn into_vec(self) -> Vec<T> {
        match self {
            Self::Own(values) => values,
            Self::Lent(_) => self.to_vec(),
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
