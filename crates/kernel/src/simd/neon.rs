//! The operations on AArch64 with Neon.

#![allow(unsafe_code)]
#![allow(clippy::undocumented_unsafe_blocks, reason = "the reason for all blocks is at the type")]

use std::arch::aarch64::*;
use std::arch::is_aarch64_feature_detected;

use super::{Halves, Lanes, Simd, WIDTH};

/// The level of Neon on little-endian processors.
///
/// SAFETY, for every block of this file: a value of this type exists only after `new` has checked
/// that the processor supports Neon. Loads and stores access arrays of 16 bytes and need no
/// alignment.
#[derive(Debug, Clone, Copy)]
pub struct Neon(());

impl Neon {
    /// Returns the level if the processor supports it.
    #[inline]
    pub fn new() -> Option<Neon> {
        let has = cfg!(target_endian = "little") && is_aarch64_feature_detected!("neon");
        has.then_some(Neon(()))
    }

    /// Returns the level without the check.
    ///
    /// # Safety
    ///
    /// The processor must support the level: `new` has returned it before.
    #[inline(always)]
    pub unsafe fn new_unchecked() -> Self {
        Neon(())
    }
}

#[inline(always)]
fn to16(bytes: uint8x16_t) -> uint16x8_t {
    unsafe { vreinterpretq_u16_u8(bytes) }
}

#[inline(always)]
fn from16(lanes: uint16x8_t) -> uint8x16_t {
    unsafe { vreinterpretq_u8_u16(lanes) }
}

#[inline(always)]
fn to32(bytes: uint8x16_t) -> uint32x4_t {
    unsafe { vreinterpretq_u32_u8(bytes) }
}

#[inline(always)]
fn from32(lanes: uint32x4_t) -> uint8x16_t {
    unsafe { vreinterpretq_u8_u32(lanes) }
}

impl Simd for Neon {
    type Double = Halves<Neon>;

    as_halves! {}
}

impl Lanes for Neon {
    type Bytes = uint8x16_t;
    type Array = [u8; WIDTH];

    #[inline(always)]
    fn load(self, from: &[u8; WIDTH]) -> uint8x16_t {
        unsafe { vld1q_u8(from.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, bytes: uint8x16_t, to: &mut [u8; WIDTH]) {
        unsafe { vst1q_u8(to.as_mut_ptr(), bytes) }
    }

    #[inline(always)]
    fn splat8(self, value: u8) -> uint8x16_t {
        unsafe { vdupq_n_u8(value) }
    }
    #[inline(always)]
    fn splat16(self, value: u16) -> uint8x16_t {
        unsafe { vreinterpretq_u8_u16(vdupq_n_u16(value)) }
    }
    #[inline(always)]
    fn splat32(self, value: u32) -> uint8x16_t {
        unsafe { vreinterpretq_u8_u32(vdupq_n_u32(value)) }
    }
    #[inline(always)]
    fn mul_high16(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        let (a, b) = (to16(a), to16(b));
        unsafe {
            let low = vmull_u16(vget_low_u16(a), vget_low_u16(b));
            let high = vmull_high_u16(a, b);
            from16(vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high)))
        }
    }
    #[inline(always)]
    fn mul_add_pairs8(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        unsafe {
            let b = vreinterpretq_s8_u8(b);
            let widened = |half| vreinterpretq_s16_u16(vmovl_u8(half));
            let low = vmulq_s16(widened(vget_low_u8(a)), vmovl_s8(vget_low_s8(b)));
            let high = vmulq_s16(widened(vget_high_u8(a)), vmovl_high_s8(b));
            vreinterpretq_u8_s16(vpaddq_s16(low, high))
        }
    }
    #[inline(always)]
    fn mul_add_pairs16(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        unsafe {
            let (a, b) = (vreinterpretq_s16_u8(a), vreinterpretq_s16_u8(b));
            let low = vmull_s16(vget_low_s16(a), vget_low_s16(b));
            vreinterpretq_u8_s32(vpaddq_s32(low, vmull_high_s16(a, b)))
        }
    }
    #[inline(always)]
    fn movemask8(self, a: uint8x16_t) -> u32 {
        const LANE_BITS: [u8; WIDTH] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        unsafe {
            let high = vcltzq_s8(vreinterpretq_s8_u8(a));
            let bits = vandq_u8(high, self.load(&LANE_BITS));
            let half = |half| u32::from(vaddv_u8(half));
            half(vget_low_u8(bits)) | half(vget_high_u8(bits)) << 8
        }
    }
    #[inline(always)]
    fn are_clear(self, a: uint8x16_t, bits: uint8x16_t) -> bool {
        unsafe { vmaxvq_u8(vandq_u8(a, bits)) == 0 }
    }

    intrinsics! { (uint8x16_t) -> uint8x16_t;
        and(a, b) = vandq_u8(a, b);
        or(a, b) = vorrq_u8(a, b);
        and_not(a, b) = vbicq_u8(a, b);
        add8(a, b) = vaddq_u8(a, b);
        add16(a, b) = from16(vaddq_u16(to16(a), to16(b)));
        add32(a, b) = from32(vaddq_u32(to32(a), to32(b)));
        sub8(a, b) = vsubq_u8(a, b);
        saturating_sub8(a, b) = vqsubq_u8(a, b);
        eq8(a, b) = vceqq_u8(a, b);
        eq16(a, b) = from16(vceqq_u16(to16(a), to16(b)));
        eq32(a, b) = from32(vceqq_u32(to32(a), to32(b)));
        gt_i8(a, b) = vcgtq_s8(vreinterpretq_s8_u8(a), vreinterpretq_s8_u8(b));
        max8(a, b) = vmaxq_u8(a, b);
        min16(a, b) = from16(vminq_u16(to16(a), to16(b)));
        shl16<N: i32>(a) = from16(vshlq_n_u16::<N>(to16(a)));
        shr16<N: i32>(a) = from16(vshrq_n_u16::<N>(to16(a)));
        shl32<N: i32>(a) = from32(vshlq_n_u32::<N>(to32(a)));
        shr32<N: i32>(a) = from32(vshrq_n_u32::<N>(to32(a)));
        mul_low16(a, b) = from16(vmulq_u16(to16(a), to16(b)));
        select(mask, yes, no) = vbslq_u8(vcltzq_s8(vreinterpretq_s8_u8(mask)), yes, no);
        shuffle8(a, indexes) = vqtbl1q_u8(a, indexes);
        concat_bytes<N: i32>(a, b) = vextq_u8::<N>(a, b);
        zip_low8(a, b) = vzip1q_u8(a, b);
        zip_high8(a, b) = vzip2q_u8(a, b);
        zip_low16(a, b) = from16(vzip1q_u16(to16(a), to16(b)));
        zip_high16(a, b) = from16(vzip2q_u16(to16(a), to16(b)));
        narrow16(a, b) = vuzp1q_u8(a, b);
        narrow32(a, b) = from16(vuzp1q_u16(to16(a), to16(b)));
    }
}
