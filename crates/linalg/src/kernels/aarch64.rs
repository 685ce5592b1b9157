//! NEON: 4 lanes, 32 registers.

// NEON belongs to the baseline of this architecture, so its instructions are safe to call there.
#![allow(unused_unsafe)]

use super::panel_rows::add_rows;
use super::tile::{self, Vector, backend};
use super::{Bias, GROUP, PanelRow, Points, SparsePoints, Term, WIDTH, Wide};
use std::arch::aarch64::*;
use std::ops::Range;

// SAFETY: loads and stores of four numbers, which need no alignment.
unsafe impl Vector for float32x4_t {
    const LANES: usize = 4;
    const F64_SUMS: usize = 32;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { vld1q_f32(from) }
    }
    #[inline(always)]
    unsafe fn splat(from: *const f32) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { vld1q_dup_f32(from) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, sum: Self) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { vfmaq_f32(sum, self, factor) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        // Not `vminq_f32`, which keeps a NaN of either side.
        // SAFETY: as the trait asks of the caller.
        unsafe { vbslq_f32(vcltq_f32(self, other), self, other) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as the trait asks of the caller.
        unsafe { vst1q_f32(to, self) }
    }
    #[inline(always)]
    unsafe fn reduce_min(self) -> f32 {
        // SAFETY: as the trait asks of the caller.
        unsafe { vminvq_f32(self) }
    }
    #[inline(always)]
    unsafe fn at_most(self, limit: Self) -> u32 {
        // SAFETY: as the trait asks of the caller.
        unsafe { vaddvq_u32(vandq_u32(vcleq_f32(self, limit), vld1q_u32([1, 2, 4, 8].as_ptr()))) }
    }
}

backend!(
    /// 8 points x 12 queries in 24 of 32 registers.
    Neon, "neon", float32x4_t, tile 12, "neon"
);

impl Neon {
    /// `Some` where the machine has NEON.
    pub(super) fn new() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self(()))
    }
}
