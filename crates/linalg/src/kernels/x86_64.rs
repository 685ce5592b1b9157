//! AVX2 with FMA (8 lanes, 16 registers) and AVX-512 (16 lanes, 32 registers), the latter with VNNI for bytes.

use super::coarse::{ByteVector, CoarseBias, CoarsePoints, CoarseTile, HasLanes, coarse_minima};
use super::panel_rows::add_rows;
use super::tile::{self, Vector, backend};
use super::{Bias, GROUP, PanelRow, Points, SparsePoints, Term, WIDTH, Wide};
use std::arch::x86_64::*;
use std::ops::Range;

// SAFETY: loads and stores of eight numbers, which need no alignment.
unsafe impl Vector for __m256 {
    const LANES: usize = 8;
    const F64_SUMS: usize = 32;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm256_loadu_ps(from) }
    }
    #[inline(always)]
    unsafe fn splat(from: *const f32) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm256_set1_ps(*from) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, sum: Self) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm256_fmadd_ps(self, factor, sum) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm256_min_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm256_storeu_ps(to, self) }
    }
    #[inline(always)]
    unsafe fn reduce_min(self) -> f32 {
        // SAFETY: as the trait asks of the caller.
        unsafe {
            let four = _mm_min_ps(_mm256_castps256_ps128(self), _mm256_extractf128_ps::<1>(self));
            let two = _mm_min_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_min_ss(two, _mm_movehdup_ps(two)))
        }
    }
    #[inline(always)]
    unsafe fn at_most(self, limit: Self) -> u32 {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(self, limit)) as u32 }
    }
}

// SAFETY: loads and stores of sixteen numbers, which need no alignment.
unsafe impl Vector for __m512 {
    const LANES: usize = 16;
    const F64_SUMS: usize = 64;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm512_loadu_ps(from) }
    }
    #[inline(always)]
    unsafe fn splat(from: *const f32) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm512_set1_ps(*from) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, sum: Self) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm512_fmadd_ps(self, factor, sum) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm512_min_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm512_storeu_ps(to, self) }
    }
    #[inline(always)]
    unsafe fn reduce_min(self) -> f32 {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm512_reduce_min_ps(self) }
    }
    #[inline(always)]
    unsafe fn at_most(self, limit: Self) -> u32 {
        // SAFETY: as the trait asks of the caller.
        unsafe { u32::from(_mm512_cmp_ps_mask::<_CMP_LE_OQ>(self, limit)) }
    }
}

backend!(
    /// 16 points x 6 queries in 12 of 16 registers.
    Avx2, "avx2", __m256, tile 6, "avx2,fma"
);

backend!(
    /// 32 points x 12 queries in 24 of 32 registers.
    Avx512, "avx512", __m512, tile 12, "avx512f"
);

impl Avx2 {
    /// `Some` where the machine has AVX2 and FMA.
    pub(super) fn new() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
    }
}

impl Avx512 {
    /// `Some` where the machine has AVX-512F.
    pub(super) fn new() -> Option<Self> {
        is_x86_feature_detected!("avx512f").then_some(Self(()))
    }
}

// SAFETY: loads of 64 bytes, which need no alignment.
unsafe impl ByteVector for __m512i {
    const LANES: usize = 16;
    type Floats = __m512;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }
    #[inline(always)]
    unsafe fn splat(from: *const i8) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm512_set1_epi32(from.cast::<i32>().read_unaligned()) }
    }
    #[inline(always)]
    unsafe fn start(from: *const i32) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm512_set1_epi32(*from) }
    }
    #[inline(always)]
    unsafe fn add_products(self, points: Self, queries: Self) -> Self {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm512_dpbusd_epi32(self, points, queries) }
    }
    #[inline(always)]
    unsafe fn floats(self) -> __m512 {
        // SAFETY: as the trait asks of the caller.
        unsafe { _mm512_cvtepi32_ps(self) }
    }
}

/// AVX-512 with VNNI: four products of bytes in each lane by one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernels) struct Vnni(());

impl HasLanes for Vnni {
    const LANES: usize = <__m512i as ByteVector>::LANES;
}

impl Vnni {
    pub(super) const TILE: usize = 12;

    /// `Some` where the machine has AVX-512F with VNNI.
    pub(super) fn new() -> Option<Self> {
        (is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni")).then_some(Self(()))
    }

    /// # Safety
    /// As for [`coarse_minima`], except for the instructions.
    pub(super) unsafe fn minima(
        self,
        points: &CoarsePoints,
        bias: &CoarseBias,
        blocks: Range<usize>,
        tile: &CoarseTile,
        minima: &mut [f32],
        stride: usize,
    ) {
        /// # Safety
        /// As above.
        #[target_feature(enable = "avx512f,avx512vnni")]
        unsafe fn run(
            points: &CoarsePoints,
            bias: &CoarseBias,
            blocks: Range<usize>,
            tile: &CoarseTile,
            minima: &mut [f32],
            stride: usize,
        ) {
            // SAFETY: this function has the instructions; the caller vouches for the rest.
            unsafe { coarse_minima::<__m512i, { Vnni::TILE }>(points, bias, blocks, tile, minima, stride) }
        }
        // SAFETY: `self` exists, so `new` has found the instructions; the caller vouches for the rest.
        unsafe { run(points, bias, blocks, tile, minima, stride) }
    }
}
