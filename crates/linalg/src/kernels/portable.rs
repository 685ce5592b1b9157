//! Eight lanes in plain Rust: runs everywhere, and the compiler vectorizes it as far as it can.

use super::panel_rows::add_rows;
use super::tile::{self, Vector, backend};
use super::{Bias, GROUP, PanelRow, Points, SparsePoints, Term, WIDTH, Wide};
use std::ops::Range;

#[derive(Clone, Copy)]
pub(super) struct Lanes(pub(super) [f32; 8]);

// SAFETY: loads and stores of `[f32; 8]`, aligned as `f32`.
unsafe impl Vector for Lanes {
    const LANES: usize = 8;
    const F64_SUMS: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for eight numbers at `from`.
        Self(unsafe { *from.cast() })
    }
    #[inline(always)]
    unsafe fn splat(from: *const f32) -> Self {
        // SAFETY: the caller vouches for one number at `from`.
        Self([unsafe { *from }; 8])
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, sum: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] * factor.0[i] + sum.0[i]))
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| if self.0[i] < other.0[i] { self.0[i] } else { other.0[i] }))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for room for eight numbers at `to`.
        unsafe { *to.cast() = self.0 }
    }
    #[inline(always)]
    unsafe fn reduce_min(self) -> f32 {
        self.0.into_iter().fold(f32::INFINITY, f32::min)
    }
    #[inline(always)]
    unsafe fn at_most(self, limit: Self) -> u32 {
        (0..8).fold(0, |bits, i| bits | u32::from(self.0[i] <= limit.0[i]) << i)
    }
}

backend!(
    /// Plain Rust: no special instructions needed.
    Portable, "portable", Lanes, tile 2
);

impl Portable {
    pub(super) fn new() -> Self {
        Self(())
    }
}
