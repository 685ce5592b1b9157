//! A backend with a fault, to see that it is found out.

use crate::kernels::panel_rows::add_rows;
use crate::kernels::portable::Lanes;
use crate::kernels::tile::{self, Vector, backend};
use crate::kernels::{Bias, GROUP, PanelRow, Points, SparsePoints, Term, WIDTH, Wide};
use std::ops::Range;

#[derive(Clone, Copy)]
struct Swapped(Lanes);

// SAFETY: loads and stores are those of `Lanes`.
unsafe impl Vector for Swapped {
    const LANES: usize = Lanes::LANES;
    const F64_SUMS: usize = Lanes::F64_SUMS;

    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as the trait asks of the caller.
        Self(unsafe { Lanes::load(from) })
    }
    unsafe fn splat(from: *const f32) -> Self {
        // SAFETY: as the trait asks of the caller.
        Self(unsafe { Lanes::splat(from) })
    }
    unsafe fn mul_add(self, factor: Self, sum: Self) -> Self {
        // SAFETY: as the trait asks of the caller.
        Self(unsafe { self.0.mul_add(factor.0, sum.0) })
    }
    /// The fault: a NaN in `self` stays.
    unsafe fn min(self, other: Self) -> Self {
        // SAFETY: as the trait asks of the caller.
        Self(unsafe { other.0.min(self.0) })
    }
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as the trait asks of the caller.
        unsafe { self.0.store(to) }
    }
    unsafe fn reduce_min(self) -> f32 {
        // SAFETY: as the trait asks of the caller.
        unsafe { self.0.reduce_min() }
    }
    unsafe fn at_most(self, limit: Self) -> u32 {
        // SAFETY: as the trait asks of the caller.
        unsafe { self.0.at_most(limit.0) }
    }
}

backend!(
    /// The portable kernel, except for the order of a minimum.
    Faulty, "faulty", Swapped, tile 3
);

impl Faulty {
    pub(in crate::kernels) fn new() -> Self {
        Self(())
    }
}
