//! The operations on x86-64: SSE4.1, and the same instructions in the VEX encoding of AVX2, which
//! saves copies between registers.
//!
//! AVX2 has vectors of 32 bytes, too, and shuffles within each 16 of them.

#![allow(unsafe_code)]
#![allow(clippy::undocumented_unsafe_blocks, reason = "the reason for all blocks is at the type")]

use std::arch::x86_64::*;

use super::{DOUBLE_WIDTH, Halves, Kernel, Lanes, Simd, WIDTH};

/// The level of SSE4.1, or of AVX2 if `AVX2`.
///
/// SAFETY, for every block of this file: a value of this type exists only after `new` has checked
/// that the processor supports every instruction used here. Loads and stores access arrays
/// of the size of the vector and need no alignment.
#[derive(Debug, Clone, Copy)]
pub struct X86<const AVX2: bool>(());

/// x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT.
pub type Avx2 = X86<true>;

/// x86-64 with SSE4.1.
pub type Sse41 = X86<false>;

impl<const AVX2: bool> X86<AVX2> {
    /// Returns the level without the check.
    ///
    /// # Safety
    ///
    /// The processor must support the level: `new` has returned it before.
    #[inline(always)]
    pub unsafe fn new_unchecked() -> Self {
        X86(())
    }
}

impl Avx2 {
    /// Returns the level if the processor supports it.
    #[inline]
    pub fn new() -> Option<Avx2> {
        let counts = is_x86_feature_detected!("lzcnt") && is_x86_feature_detected!("popcnt");
        let bits = is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2");
        (is_x86_feature_detected!("avx2") && bits && counts).then_some(X86(()))
    }

    /// Runs a kernel, compiled with these instructions.
    #[inline]
    pub fn run<L: Kernel>(self, kernel: L) -> L::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn call<L: Kernel>(simd: Avx2, kernel: L) -> L::Output {
            kernel.run(simd)
        }
        unsafe { call(self, kernel) }
    }
}

impl Sse41 {
    /// Returns the level if the processor supports it.
    #[inline]
    pub fn new() -> Option<Sse41> {
        is_x86_feature_detected!("sse4.1").then_some(X86(()))
    }

    /// Runs a kernel, compiled with these instructions.
    #[inline]
    pub fn run<L: Kernel>(self, kernel: L) -> L::Output {
        #[target_feature(enable = "sse4.1")]
        unsafe fn call<L: Kernel>(simd: Sse41, kernel: L) -> L::Output {
            kernel.run(simd)
        }
        unsafe { call(self, kernel) }
    }
}

impl Simd for Sse41 {
    type Double = Halves<Sse41>;

    as_halves! {}
}

impl Simd for Avx2 {
    type Double = Avx2Double;

    #[inline(always)]
    fn double(self) -> Avx2Double {
        Avx2Double(self)
    }
    #[inline(always)]
    fn join(self, [low, high]: [__m128i; 2]) -> __m256i {
        unsafe { _mm256_set_m128i(high, low) }
    }
    #[inline(always)]
    fn split(self, bytes: __m256i) -> [__m128i; 2] {
        unsafe { [_mm256_castsi256_si128(bytes), _mm256_extracti128_si256::<1>(bytes)] }
    }
    #[inline(always)]
    fn widen16(self, bytes: __m128i) -> __m256i {
        unsafe { _mm256_cvtepu16_epi32(bytes) }
    }
}

impl<const AVX2: bool> Lanes for X86<AVX2> {
    type Bytes = __m128i;
    type Array = [u8; WIDTH];

    #[inline(always)]
    fn load(self, from: &[u8; WIDTH]) -> __m128i {
        unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store(self, bytes: __m128i, to: &mut [u8; WIDTH]) {
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), bytes) }
    }

    #[inline(always)]
    fn splat8(self, value: u8) -> __m128i {
        unsafe { _mm_set1_epi8(value as i8) }
    }
    #[inline(always)]
    fn splat16(self, value: u16) -> __m128i {
        unsafe { _mm_set1_epi16(value as i16) }
    }
    #[inline(always)]
    fn splat32(self, value: u32) -> __m128i {
        unsafe { _mm_set1_epi32(value as i32) }
    }

    intrinsics! { (__m128i) -> __m128i;
        and(a, b) = _mm_and_si128(a, b);
        or(a, b) = _mm_or_si128(a, b);
        and_not(a, b) = _mm_andnot_si128(b, a);
        add8(a, b) = _mm_add_epi8(a, b);
        add16(a, b) = _mm_add_epi16(a, b);
        add32(a, b) = _mm_add_epi32(a, b);
        sub8(a, b) = _mm_sub_epi8(a, b);
        saturating_sub8(a, b) = _mm_subs_epu8(a, b);
        eq8(a, b) = _mm_cmpeq_epi8(a, b);
        eq16(a, b) = _mm_cmpeq_epi16(a, b);
        eq32(a, b) = _mm_cmpeq_epi32(a, b);
        gt_i8(a, b) = _mm_cmpgt_epi8(a, b);
        max8(a, b) = _mm_max_epu8(a, b);
        min16(a, b) = _mm_min_epu16(a, b);
        shl16<N: i32>(a) = _mm_slli_epi16::<N>(a);
        shr16<N: i32>(a) = _mm_srli_epi16::<N>(a);
        shl32<N: i32>(a) = _mm_slli_epi32::<N>(a);
        shr32<N: i32>(a) = _mm_srli_epi32::<N>(a);
        mul_low16(a, b) = _mm_mullo_epi16(a, b);
        mul_high16(a, b) = _mm_mulhi_epu16(a, b);
        mul_add_pairs8(a, b) = _mm_maddubs_epi16(a, b);
        mul_add_pairs16(a, b) = _mm_madd_epi16(a, b);
        select(mask, yes, no) = _mm_blendv_epi8(no, yes, mask);
        shuffle8(a, indexes) = _mm_shuffle_epi8(a, indexes);
        concat_bytes<N: i32>(a, b) = _mm_alignr_epi8::<N>(b, a);
        zip_low8(a, b) = _mm_unpacklo_epi8(a, b);
        zip_high8(a, b) = _mm_unpackhi_epi8(a, b);
        zip_low16(a, b) = _mm_unpacklo_epi16(a, b);
        zip_high16(a, b) = _mm_unpackhi_epi16(a, b);
        narrow16(a, b) = _mm_packus_epi16(a, b);
        narrow32(a, b) = _mm_packus_epi32(a, b);
    }

    intrinsics! { (__m128i) -> u32;
        movemask8(a) = _mm_movemask_epi8(a) as u32;
    }

    intrinsics! { (__m128i) -> bool;
        are_clear(a, bits) = _mm_testz_si128(a, bits) != 0;
    }
}

/// The level of AVX2 with vectors of 32 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Avx2Double(Avx2);

impl Lanes for Avx2Double {
    type Bytes = __m256i;
    type Array = [u8; DOUBLE_WIDTH];

    #[inline(always)]
    fn load(self, from: &[u8; DOUBLE_WIDTH]) -> __m256i {
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store(self, bytes: __m256i, to: &mut [u8; DOUBLE_WIDTH]) {
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), bytes) }
    }

    #[inline(always)]
    fn splat8(self, value: u8) -> __m256i {
        unsafe { _mm256_set1_epi8(value as i8) }
    }
    #[inline(always)]
    fn splat16(self, value: u16) -> __m256i {
        unsafe { _mm256_set1_epi16(value as i16) }
    }
    #[inline(always)]
    fn splat32(self, value: u32) -> __m256i {
        unsafe { _mm256_set1_epi32(value as i32) }
    }

    intrinsics! { (__m256i) -> __m256i;
        and(a, b) = _mm256_and_si256(a, b);
        or(a, b) = _mm256_or_si256(a, b);
        and_not(a, b) = _mm256_andnot_si256(b, a);
        add8(a, b) = _mm256_add_epi8(a, b);
        add16(a, b) = _mm256_add_epi16(a, b);
        add32(a, b) = _mm256_add_epi32(a, b);
        sub8(a, b) = _mm256_sub_epi8(a, b);
        saturating_sub8(a, b) = _mm256_subs_epu8(a, b);
        eq8(a, b) = _mm256_cmpeq_epi8(a, b);
        eq16(a, b) = _mm256_cmpeq_epi16(a, b);
        eq32(a, b) = _mm256_cmpeq_epi32(a, b);
        gt_i8(a, b) = _mm256_cmpgt_epi8(a, b);
        max8(a, b) = _mm256_max_epu8(a, b);
        min16(a, b) = _mm256_min_epu16(a, b);
        shl16<N: i32>(a) = _mm256_slli_epi16::<N>(a);
        shr16<N: i32>(a) = _mm256_srli_epi16::<N>(a);
        shl32<N: i32>(a) = _mm256_slli_epi32::<N>(a);
        shr32<N: i32>(a) = _mm256_srli_epi32::<N>(a);
        mul_low16(a, b) = _mm256_mullo_epi16(a, b);
        mul_high16(a, b) = _mm256_mulhi_epu16(a, b);
        mul_add_pairs8(a, b) = _mm256_maddubs_epi16(a, b);
        mul_add_pairs16(a, b) = _mm256_madd_epi16(a, b);
        select(mask, yes, no) = _mm256_blendv_epi8(no, yes, mask);
        shuffle8(a, indexes) = _mm256_shuffle_epi8(a, indexes);
        concat_bytes<N: i32>(a, b) = _mm256_alignr_epi8::<N>(b, a);
        zip_low8(a, b) = _mm256_unpacklo_epi8(a, b);
        zip_high8(a, b) = _mm256_unpackhi_epi8(a, b);
        zip_low16(a, b) = _mm256_unpacklo_epi16(a, b);
        zip_high16(a, b) = _mm256_unpackhi_epi16(a, b);
        narrow16(a, b) = _mm256_packus_epi16(a, b);
        narrow32(a, b) = _mm256_packus_epi32(a, b);
    }

    intrinsics! { (__m256i) -> u32;
        movemask8(a) = _mm256_movemask_epi8(a) as u32;
    }

    intrinsics! { (__m256i) -> bool;
        are_clear(a, bits) = _mm256_testz_si256(a, bits) != 0;
    }
}
