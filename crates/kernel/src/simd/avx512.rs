//! The operations on 64 bytes with AVX-512.

#![allow(unsafe_code)]
#![allow(clippy::undocumented_unsafe_blocks, reason = "the reason for all blocks is at the type")]

use std::arch::x86_64::*;

use super::x86::Avx2;
use super::{Kernel, WIDE_WIDTH, WIDTH, WideSimd};

/// The level of AVX-512 with the extensions F, BW, DQ, VL, VBMI and VBMI2, and of AVX2: Ice Lake,
/// Zen 4 and their successors, which run vectors of 64 bytes without a lower frequency.
///
/// SAFETY, for every block of this file: a value of this type exists only after `new` has checked
/// that the processor supports every instruction used here. Loads and stores access arrays of 16 and
/// 64 bytes, or with a mask only the bytes of a slice, and need no alignment.
#[derive(Debug, Clone, Copy)]
pub struct Avx512(());

impl Avx512 {
    /// Returns the level if the processor supports it.
    #[inline]
    pub fn new() -> Option<Avx512> {
        let base = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        let more = is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("avx512vl");
        let bytes =
            is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("avx512vbmi2");
        (base && more && bytes && Avx2::new().is_some()).then_some(Avx512(()))
    }

    /// Returns the level without the check.
    ///
    /// # Safety
    ///
    /// The processor must support the level: `new` has returned it before.
    #[inline(always)]
    pub unsafe fn new_unchecked() -> Avx512 {
        Avx512(())
    }

    /// Returns the level of AVX2.
    #[inline(always)]
    pub fn avx2(self) -> Avx2 {
        unsafe { Avx2::new_unchecked() }
    }

    /// Runs a kernel with vectors of 64 bytes, compiled with these instructions.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(
            enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2",
            enable = "avx2,bmi1,bmi2,lzcnt,popcnt"
        )]
        unsafe fn call<K: Kernel>(simd: Avx512, kernel: K) -> K::Output {
            kernel.run_wide(simd)
        }
        unsafe { call(self, kernel) }
    }
}

/// Returns a mask of the first `count` bytes, or of 64 if it is greater.
#[allow(dead_code, reason = "as the operations that use it")]
#[inline(always)]
fn prefix_mask(count: usize) -> u64 {
    if count >= WIDE_WIDTH { u64::MAX } else { (1 << count) - 1 }
}

impl WideSimd for Avx512 {
    type Bytes = __m512i;
    type Narrow = Avx2;

    #[inline(always)]
    fn narrow(self) -> Avx2 {
        self.avx2()
    }

    #[inline(always)]
    fn load(self, from: &[u8; WIDE_WIDTH]) -> __m512i {
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }
    #[inline(always)]
    fn load_prefix(self, from: &[u8]) -> __m512i {
        unsafe { _mm512_maskz_loadu_epi8(prefix_mask(from.len()), from.as_ptr().cast()) }
    }
    #[inline(always)]
    fn load_repeated(self, from: &[u8; WIDTH]) -> __m512i {
        unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(from.as_ptr().cast())) }
    }
    #[inline(always)]
    fn store(self, bytes: __m512i, to: &mut [u8; WIDE_WIDTH]) {
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), bytes) }
    }

    #[inline(always)]
    fn splat8(self, value: u8) -> __m512i {
        unsafe { _mm512_set1_epi8(value as i8) }
    }
    #[inline(always)]
    fn splat16(self, value: u16) -> __m512i {
        unsafe { _mm512_set1_epi16(value as i16) }
    }
    #[inline(always)]
    fn splat32(self, value: u32) -> __m512i {
        unsafe { _mm512_set1_epi32(value as i32) }
    }

    #[inline(always)]
    fn select8(self, mask: u64, yes: __m512i, no: __m512i) -> __m512i {
        unsafe { _mm512_mask_blend_epi8(mask, no, yes) }
    }
    #[inline(always)]
    fn select16(self, mask: u32, yes: __m512i, no: __m512i) -> __m512i {
        unsafe { _mm512_mask_blend_epi16(mask, no, yes) }
    }
    #[inline(always)]
    fn select32(self, mask: u16, yes: __m512i, no: __m512i) -> __m512i {
        unsafe { _mm512_mask_blend_epi32(mask, no, yes) }
    }

    #[inline(always)]
    fn compress8(self, set: u64, a: __m512i) -> __m512i {
        unsafe { _mm512_maskz_compress_epi8(set, a) }
    }

    intrinsics! { (__m512i) -> __m512i;
        and(a, b) = _mm512_and_si512(a, b);
        or(a, b) = _mm512_or_si512(a, b);
        xor(a, b) = _mm512_xor_si512(a, b);
        add8(a, b) = _mm512_add_epi8(a, b);
        add32(a, b) = _mm512_add_epi32(a, b);
        sub8(a, b) = _mm512_sub_epi8(a, b);
        saturating_sub8(a, b) = _mm512_subs_epu8(a, b);
        max8(a, b) = _mm512_max_epu8(a, b);
        shl16<N: u32>(a) = _mm512_slli_epi16::<N>(a);
        shl32<N: u32>(a) = _mm512_slli_epi32::<N>(a);
        shr16<N: u32>(a) = _mm512_srli_epi16::<N>(a);
        shr32<N: u32>(a) = _mm512_srli_epi32::<N>(a);
        mul_add_pairs8(a, b) = _mm512_maddubs_epi16(a, b);
        mul_add_pairs16(a, b) = _mm512_madd_epi16(a, b);
        shuffle8_in_16(a, indexes) = _mm512_shuffle_epi8(a, indexes);
        permute8(a, indexes) = _mm512_permutexvar_epi8(indexes, a);
        permute8_of_2(a, b, indexes) = _mm512_permutex2var_epi8(a, indexes, b);
        concat_last16<N: i32>(a, b) = _mm512_alignr_epi8::<N>(b, _mm512_alignr_epi64::<6>(b, a));
        widen16(a) = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(a));
        upper_half(a) = _mm512_zextsi256_si512(_mm512_extracti64x4_epi64::<1>(a));
        multishift8(shifts, a) = _mm512_multishift_epi64_epi8(shifts, a);
    }

    intrinsics! { (__m512i) -> u64;
        eq8(a, b) = _mm512_cmpeq_epi8_mask(a, b);
        at_least8(a, b) = _mm512_cmpge_epu8_mask(a, b);
        gt_i8(a, b) = _mm512_cmpgt_epi8_mask(a, b);
        test8(a, b) = _mm512_test_epi8_mask(a, b);
        movemask8(a) = _mm512_movepi8_mask(a);
    }

    intrinsics! { (__m512i) -> u32;
        eq16(a, b) = _mm512_cmpeq_epi16_mask(a, b);
        at_least16(a, b) = _mm512_cmpge_epu16_mask(a, b);
    }

    intrinsics! { (__m512i) -> u16;
        eq32(a, b) = _mm512_cmpeq_epi32_mask(a, b);
        at_least32(a, b) = _mm512_cmpge_epu32_mask(a, b);
    }
}
