//! NEON: 4 lanes, 32 registers.

// NEON belongs to the baseline of this architecture, so its instructions are safe to call there.
#![allow(unused_unsafe)]

use super::tile::{self, Vector, backend};
use super::{Bias, GROUP, Points};
use std::arch::aarch64::*;
use std::ops::Range;

impl Vector for float32x4_t {
    const LANES: usize = 4;

    // SAFETY (all): the caller vouches for NEON and the memory behind the pointers.
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        unsafe { vld1q_f32(from) }
    }
    #[inline(always)]
    unsafe fn splat(from: *const f32) -> Self {
        unsafe { vld1q_dup_f32(from) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, sum: Self) -> Self {
        unsafe { vfmaq_f32(sum, self, factor) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        unsafe { vminq_f32(self, other) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { vst1q_f32(to, self) }
    }
    #[inline(always)]
    unsafe fn reduce_min(self) -> f32 {
        unsafe { vminvq_f32(self) }
    }
    #[inline(always)]
    unsafe fn at_most(self, limit: Self) -> u32 {
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
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self)
    }
}
