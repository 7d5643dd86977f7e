//! The portable operations on arrays; in tests, the reference implementation of the other levels.
//!
//! On x86-64, where only processors without SSE4.1 need them, they are functions: inlined into a kernel, the compiler
//! builds their vectors byte by byte, which takes thousands of instructions and is slower. On WebAssembly they are
//! functions because what is downloaded is smaller.

use super::{AsArrays, Halves, Lanes, Simd, WIDTH};

/// The portable level.
#[derive(Debug, Clone, Copy)]
pub struct Portable;

/// A vector of 16 bytes.
type ByteVector = [u8; WIDTH];

/// Applies a function to each two bytes.
#[cfg_attr(any(target_arch = "x86_64", target_arch = "wasm32"), inline(never))]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "wasm32")), inline(always))]
pub fn lanes8<const N: usize>(a: [u8; N], b: [u8; N], each: impl Fn(u8, u8) -> u8) -> [u8; N] {
    std::array::from_fn(|lane| each(a[lane], b[lane]))
}

/// Applies a function to each two 16-bit lanes.
#[cfg_attr(any(target_arch = "x86_64", target_arch = "wasm32"), inline(never))]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "wasm32")), inline(always))]
pub fn lanes16<const N: usize>(a: [u8; N], b: [u8; N], each: impl Fn(u16, u16) -> u16) -> [u8; N] {
    let mut out = [0; N];
    let pairs = a.as_arrays().0.iter().zip(b.as_arrays().0);
    for (out, (a, b)) in out.as_arrays_mut().0.iter_mut().zip(pairs) {
        *out = each(u16::from_le_bytes(*a), u16::from_le_bytes(*b)).to_le_bytes();
    }
    out
}

/// Applies a function to each two 32-bit lanes.
#[cfg_attr(any(target_arch = "x86_64", target_arch = "wasm32"), inline(never))]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "wasm32")), inline(always))]
pub fn lanes32<const N: usize>(a: [u8; N], b: [u8; N], each: impl Fn(u32, u32) -> u32) -> [u8; N] {
    let mut out = [0; N];
    let pairs = a.as_arrays().0.iter().zip(b.as_arrays().0);
    for (out, (a, b)) in out.as_arrays_mut().0.iter_mut().zip(pairs) {
        *out = each(u32::from_le_bytes(*a), u32::from_le_bytes(*b)).to_le_bytes();
    }
    out
}

/// Multiplies as [`Lanes::mul_add_pairs8`].
#[inline(always)]
pub fn mul_add_pairs8<const N: usize>(a: [u8; N], b: [u8; N]) -> [u8; N] {
    let product = |a: u8, b: u8| i16::from(a).wrapping_mul(i16::from(b as i8));
    lanes16(a, b, |a, b| {
        let ([a, next_a], [b, next_b]) = (a.to_le_bytes(), b.to_le_bytes());
        product(a, b).wrapping_add(product(next_a, next_b)) as u16
    })
}

/// Multiplies as [`Lanes::mul_add_pairs16`].
#[inline(always)]
pub fn mul_add_pairs16<const N: usize>(a: [u8; N], b: [u8; N]) -> [u8; N] {
    let halves = |a: u32| [a as i16, (a >> 16) as i16].map(i32::from);
    lanes32(a, b, |a, b| {
        let ([a, next_a], [b, next_b]) = (halves(a), halves(b));
        (a * b).wrapping_add(next_a * next_b) as u32
    })
}

/// Interleaves chunks of `N` bytes of both, from the index `from` on.
#[cfg_attr(any(target_arch = "x86_64", target_arch = "wasm32"), inline(never))]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "wasm32")), inline(always))]
fn zip_chunks<const N: usize>(a: ByteVector, b: ByteVector, from: usize) -> ByteVector {
    std::array::from_fn(|lane| {
        let (pair, within) = (lane / (2 * N), lane % (2 * N));
        let source = if within < N { a } else { b };
        source[from + pair * N + within % N]
    })
}

/// Returns those of the 32 bytes of `a` and `b` that have these indexes.
#[cfg_attr(any(target_arch = "x86_64", target_arch = "wasm32"), inline(never))]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "wasm32")), inline(always))]
fn pick_bytes(a: ByteVector, b: ByteVector, index_of: impl Fn(usize) -> usize) -> ByteVector {
    std::array::from_fn(|lane| {
        let index = index_of(lane);
        if index < WIDTH { a[index] } else { b[index - WIDTH] }
    })
}

impl Simd for Portable {
    type Double = Halves<Portable>;

    as_halves! {}
}

impl Lanes for Portable {
    type Bytes = ByteVector;
    type Array = [u8; WIDTH];

    #[inline(always)]
    fn load(self, from: &[u8; WIDTH]) -> ByteVector {
        *from
    }
    #[inline(always)]
    fn store(self, bytes: ByteVector, to: &mut [u8; WIDTH]) {
        *to = bytes;
    }

    #[inline(always)]
    fn splat8(self, value: u8) -> ByteVector {
        [value; WIDTH]
    }
    #[inline(always)]
    fn splat16(self, value: u16) -> ByteVector {
        std::array::from_fn(|lane| value.to_le_bytes()[lane % 2])
    }
    #[inline(always)]
    fn splat32(self, value: u32) -> ByteVector {
        std::array::from_fn(|lane| value.to_le_bytes()[lane % 4])
    }

    #[cfg_attr(any(target_arch = "x86_64", target_arch = "wasm32"), inline(never))]
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "wasm32")), inline(always))]
    fn select(self, mask: ByteVector, yes: ByteVector, no: ByteVector) -> ByteVector {
        std::array::from_fn(|lane| if mask[lane] >= 0x80 { yes[lane] } else { no[lane] })
    }
    #[cfg_attr(any(target_arch = "x86_64", target_arch = "wasm32"), inline(never))]
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "wasm32")), inline(always))]
    fn movemask8(self, a: ByteVector) -> u32 {
        // One multiplication moves the high bits of a half into its highest byte.
        let halves = a.as_arrays::<8>().0.iter().map(|half| {
            let high = u64::from_le_bytes(*half) >> 7 & 0x0101_0101_0101_0101;
            (high.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
        });
        halves.rev().fold(0, |mask, half| mask << 8 | half)
    }
    #[inline(always)]
    fn are_clear(self, a: ByteVector, bits: ByteVector) -> bool {
        u128::from_ne_bytes(a) & u128::from_ne_bytes(bits) == 0
    }

    #[cfg_attr(any(target_arch = "x86_64", target_arch = "wasm32"), inline(never))]
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "wasm32")), inline(always))]
    fn shuffle8(self, a: ByteVector, indexes: ByteVector) -> ByteVector {
        indexes.map(|index| if index < 0x80 { a[usize::from(index) % WIDTH] } else { 0 })
    }
    #[inline(always)]
    fn concat_bytes<const N: i32>(self, a: ByteVector, b: ByteVector) -> ByteVector {
        pick_bytes(a, b, |lane| lane + N as usize)
    }

    operations! { (ByteVector) -> ByteVector;
        and(a, b) = lanes8(a, b, |a, b| a & b);
        or(a, b) = lanes8(a, b, |a, b| a | b);
        and_not(a, b) = lanes8(a, b, |a, b| a & !b);
        add8(a, b) = lanes8(a, b, u8::wrapping_add);
        add16(a, b) = lanes16(a, b, u16::wrapping_add);
        add32(a, b) = lanes32(a, b, u32::wrapping_add);
        sub8(a, b) = lanes8(a, b, u8::wrapping_sub);
        saturating_sub8(a, b) = lanes8(a, b, u8::saturating_sub);
        eq8(a, b) = lanes8(a, b, |a, b| if a == b { u8::MAX } else { 0 });
        eq16(a, b) = lanes16(a, b, |a, b| if a == b { u16::MAX } else { 0 });
        eq32(a, b) = lanes32(a, b, |a, b| if a == b { u32::MAX } else { 0 });
        gt_i8(a, b) = lanes8(a, b, |a, b| if (a as i8) > b as i8 { u8::MAX } else { 0 });
        max8(a, b) = lanes8(a, b, Ord::max);
        min16(a, b) = lanes16(a, b, Ord::min);
        shl16<N: i32>(a) = lanes16(a, a, |a, _| a << N);
        shr16<N: i32>(a) = lanes16(a, a, |a, _| a >> N);
        shl32<N: i32>(a) = lanes32(a, a, |a, _| a << N);
        shr32<N: i32>(a) = lanes32(a, a, |a, _| a >> N);
        mul_low16(a, b) = lanes16(a, b, u16::wrapping_mul);
        mul_high16(a, b) = lanes16(a, b, |a, b| ((u32::from(a) * u32::from(b)) >> 16) as u16);
        mul_add_pairs8(a, b) = mul_add_pairs8(a, b);
        mul_add_pairs16(a, b) = mul_add_pairs16(a, b);
        zip_low8(a, b) = zip_chunks::<1>(a, b, 0);
        zip_high8(a, b) = zip_chunks::<1>(a, b, 8);
        zip_low16(a, b) = zip_chunks::<2>(a, b, 0);
        zip_high16(a, b) = zip_chunks::<2>(a, b, 8);
        narrow16(a, b) = pick_bytes(a, b, |lane| 2 * lane);
        narrow32(a, b) = pick_bytes(a, b, |lane| 4 * (lane / 2) + lane % 2);
    }
}
