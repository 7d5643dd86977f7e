//! Vectors of 16 and of 64 bytes, and the choice of the SIMD level at run time.
//!
//! A kernel implements [`Kernel`] and is written once, over [`Simd`]. It is compiled for every
//! `Level` of the target architecture, and the best level that the processor supports is chosen
//! at run time, so that `-C target-cpu` is not needed. Unsafe code for vector instructions is in
//! this module only: a value of a type that implements `Simd` is the proof that the processor
//! supports it.
//!
//! A kernel may also be written over [`WideSimd`], for vectors of 64 bytes with AVX-512. Otherwise a
//! processor with AVX-512 runs it with AVX2.
//!
//! Everything that a kernel calls must be `#[inline(always)]`, closures included. Other functions
//! are compiled without the instructions of the level, and are many times slower.

/// Defines operations on vectors of a type, with results of another or the same one.
macro_rules! operations {
    (($vector:ty) -> $result:ty;
    $($name:ident $(<$count:ident: $bits:ty>)? ($($operand:ident),*) = $value:expr;)*) => {$(
        #[inline(always)]
        fn $name $(<const $count: $bits>)? (self, $($operand: $vector),*) -> $result {
            $value
        }
    )*};
}

/// Defines operations that are instructions of the processor.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! intrinsics {
    (($vector:ty) -> $result:ty;
    $($name:ident $(<$count:ident: $bits:ty>)? ($($operand:ident),*) = $value:expr;)*) => {
        // SAFETY: a value of the level's type exists only if the processor supports the instructions.
        operations! { ($vector) -> $result;
            $($name $(<$count: $bits>)? ($($operand),*) = unsafe { $value };)*
        }
    };
}

mod arrays;
#[cfg(avx512)]
mod avx512;
mod level;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(test)]
mod portable_wide;
mod wide;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use arrays::{AsArrays, as_arrays};
#[cfg(test)]
pub use level::Level;
pub use level::{level_names, run, select_level};
pub use wide::{WIDE_WIDTH, WideSimd, zip_wide, zip_wide_half};

/// The number of bytes in a vector.
pub const WIDTH: usize = 16;

/// Operations on vectors of 16 bytes. Lanes of 16 and 32 bits are little-endian on every processor.
///
/// Lanes are unsigned and operations wrap unless stated otherwise.
pub trait Simd: Copy {
    /// A vector of 16 bytes.
    type Bytes: Copy;

    /// Loads 16 bytes.
    fn load(self, from: &[u8; WIDTH]) -> Self::Bytes;
    /// Stores 16 bytes.
    fn store(self, bytes: Self::Bytes, to: &mut [u8; WIDTH]);

    /// Returns `value` in all 16 lanes.
    fn splat8(self, value: u8) -> Self::Bytes;
    /// Returns `value` in all 8 lanes.
    fn splat16(self, value: u16) -> Self::Bytes;
    /// Returns `value` in all 4 lanes.
    fn splat32(self, value: u32) -> Self::Bytes;

    /// Returns the bits that are set in both.
    fn and(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Returns the bits that are set in either.
    fn or(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Returns the bits of `a` that are not set in `b`.
    fn and_not(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// Adds bytes.
    fn add8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Adds 16-bit lanes.
    fn add16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Adds 32-bit lanes.
    fn add32(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Subtracts bytes.
    fn sub8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Subtracts bytes, with zero for negative results.
    fn saturating_sub8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// Returns a mask of the bytes that are equal.
    fn eq8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Returns a mask of the 16-bit lanes that are equal.
    fn eq16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Returns a mask of the 32-bit lanes that are equal.
    fn eq32(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Returns a mask of the bytes of `a` that are greater, as signed numbers.
    fn gt_i8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Returns the greater of each two bytes.
    fn max8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Returns the lesser of each two 16-bit lanes.
    fn min16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// Shifts 16-bit lanes left by `N` bits, 1 to 15.
    fn shl16<const N: i32>(self, a: Self::Bytes) -> Self::Bytes;
    /// Shifts 16-bit lanes right by `N` bits, 1 to 15.
    fn shr16<const N: i32>(self, a: Self::Bytes) -> Self::Bytes;
    /// Shifts 32-bit lanes left by `N` bits, 1 to 31.
    fn shl32<const N: i32>(self, a: Self::Bytes) -> Self::Bytes;
    /// Shifts 32-bit lanes right by `N` bits, 1 to 31.
    fn shr32<const N: i32>(self, a: Self::Bytes) -> Self::Bytes;

    /// Returns the low halves of the products of 16-bit lanes.
    fn mul_low16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Returns the high halves of the products of 16-bit lanes.
    fn mul_high16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Multiplies bytes of `a` by signed bytes of `b`, and adds adjacent products as 16 bits.
    /// The sums must fit into 16 signed bits.
    fn mul_add_pairs8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Multiplies signed 16-bit lanes, and adds adjacent products as 32 bits.
    fn mul_add_pairs16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// Returns the bytes of `yes` where the highest bit of `mask` is set, else those of `no`.
    fn select(self, mask: Self::Bytes, yes: Self::Bytes, no: Self::Bytes) -> Self::Bytes;
    /// Returns the highest bit of each byte, the first byte lowest.
    fn movemask8(self, a: Self::Bytes) -> u32;

    /// Returns for each index from 0 to 15 that byte of `a`, and zero for an index from 0x80 to
    /// 0xFF.
    fn shuffle8(self, a: Self::Bytes, indexes: Self::Bytes) -> Self::Bytes;
    /// Returns 16 bytes of the 32 of `a` and `b`, from index `N` on, 1 to 15.
    fn concat_bytes<const N: i32>(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Interleaves the first 8 bytes of both.
    fn zip_low8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Interleaves the last 8 bytes of both.
    fn zip_high8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Interleaves the first four 16-bit lanes of both.
    fn zip_low16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Interleaves the last four 16-bit lanes of both.
    fn zip_high16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Narrows 16-bit lanes to bytes. Their values must be below 0x100.
    fn narrow16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Narrows 32-bit lanes to 16 bits. Their values must be below 0x1_0000.
    fn narrow32(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
}

/// A loop that is independent of the SIMD level.
pub trait Kernel: Sized {
    /// The result, usually the numbers of bytes read and written.
    type Output;

    /// Whether `run_wide` is faster than `run`.
    #[cfg_attr(not(avx512), allow(dead_code, reason = "only AVX-512 has these vectors"))]
    const HAS_WIDE: bool = false;

    /// Runs the kernel. Must be `#[inline(always)]`, like everything that it calls.
    fn run<S: Simd>(self, simd: S) -> Self::Output;

    /// Runs the kernel with vectors of 64 bytes, if [`HAS_WIDE`](Self::HAS_WIDE). Must be
    /// `#[inline(always)]`, too.
    #[cfg_attr(not(avx512), allow(dead_code, reason = "only AVX-512 has these vectors"))]
    #[inline(always)]
    fn run_wide<W: WideSimd>(self, wide: W) -> Self::Output {
        self.run(wide.narrow())
    }
}

#[cfg(test)]
mod tests {
    use super::portable::Portable;
    use super::*;
    use crate::testing;

    /// Returns pairs of vectors with pseudorandom bytes and bytes at the limits of
    /// signed numbers.
    fn vector_pairs() -> impl Iterator<Item = [[u8; WIDTH]; 2]> {
        const EDGES: [u8; 8] = [0, 1, 0x7F, 0x80, 0x81, 0xFE, 0xFF, 0x40];
        let mut random = testing::random(0);
        let mut byte =
            move || if random.below(4) == 0 { random.one(&EDGES) } else { random.byte() };
        (0..500).map(move |_| [[(); WIDTH]; 2].map(|vector| vector.map(|()| byte())))
    }

    /// Returns the results of all operations on two vectors.
    struct AllOperations([[u8; WIDTH]; 2]);

    impl Kernel for AllOperations {
        type Output = Vec<(&'static str, [u8; WIDTH])>;

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            let [a, b] = self.0.map(|bytes| s.load(&bytes));
            let below = |bytes, limit: u8| s.and(bytes, s.splat8(limit));
            // Operands within the preconditions.
            let indexes = s.and(b, s.splat8(0x8F));
            let (bytes_a, bytes_b) = (s.and(a, s.splat16(0xFF)), s.and(b, s.splat16(0xFF)));
            let (units_a, units_b) = (s.and(a, s.splat32(0xFFFF)), s.and(b, s.splat32(0xFFFF)));
            let mask = s.splat32(s.movemask8(a));
            let results = [
                ("splat8", s.splat8(0xA5)),
                ("splat16", s.splat16(0xA55B)),
                ("splat32", s.splat32(0xA55B_0117)),
                ("and", s.and(a, b)),
                ("or", s.or(a, b)),
                ("and_not", s.and_not(a, b)),
                ("add8", s.add8(a, b)),
                ("add16", s.add16(a, b)),
                ("add32", s.add32(a, b)),
                ("sub8", s.sub8(a, b)),
                ("saturating_sub8", s.saturating_sub8(a, b)),
                ("eq8", s.eq8(below(a, 3), below(b, 3))),
                ("eq16", s.eq16(below(a, 1), below(b, 1))),
                ("eq32", s.eq32(below(a, 1), below(b, 1))),
                ("gt_i8", s.gt_i8(a, b)),
                ("max8", s.max8(a, b)),
                ("min16", s.min16(a, b)),
                ("shl16", s.shl16::<6>(a)),
                ("shr16", s.shr16::<11>(a)),
                ("shl32", s.shl32::<18>(a)),
                ("shr32", s.shr32::<2>(a)),
                ("mul_low16", s.mul_low16(a, b)),
                ("mul_high16", s.mul_high16(a, b)),
                ("mul_add_pairs8", s.mul_add_pairs8(below(a, 0x7F), b)),
                ("mul_add_pairs16", s.mul_add_pairs16(a, s.shr16::<1>(b))),
                ("select", s.select(a, b, s.splat8(7))),
                ("movemask8", mask),
                ("shuffle8", s.shuffle8(a, indexes)),
                ("concat_bytes", s.concat_bytes::<5>(a, b)),
                ("zip_low8", s.zip_low8(a, b)),
                ("zip_high8", s.zip_high8(a, b)),
                ("zip_low16", s.zip_low16(a, b)),
                ("zip_high16", s.zip_high16(a, b)),
                ("narrow16", s.narrow16(bytes_a, bytes_b)),
                ("narrow32", s.narrow32(units_a, units_b)),
            ];
            let stored = results.map(|(name, result)| {
                let mut bytes = [0; WIDTH];
                s.store(result, &mut bytes);
                (name, bytes)
            });
            stored.to_vec()
        }
    }

    #[test]
    fn every_level_agrees_with_portable() {
        for pair in vector_pairs() {
            let expected = AllOperations(pair).run(Portable);
            for level in Level::all() {
                assert_eq!(level.run(AllOperations(pair)), expected, "{level:?} of {pair:X?}");
            }
        }
    }

    #[test]
    fn portable_operations_match_their_names() {
        let up: [u8; WIDTH] = std::array::from_fn(|lane| lane as u8);
        let high = up.map(|byte| byte | 0x80);
        let s = Portable;
        let units = |bytes: [u8; WIDTH]| {
            bytes.as_arrays().0.iter().map(|c| u16::from_le_bytes(*c)).collect::<Vec<_>>()
        };
        assert_eq!(s.movemask8(high), 0xFFFF);
        assert_eq!(s.movemask8(s.select(up.map(|byte| byte << 5), high, up)), 0xF0F0);
        assert_eq!(
            s.shuffle8(high, [15, 0, 0x80, 7, 0xFF, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2])[..6],
            [0x8F, 0x80, 0, 0x87, 0, 0x83]
        );
        assert_eq!(s.concat_bytes::<3>(up, high)[..], [&up[3..], &high[..3]].concat());
        assert_eq!(s.zip_low8(up, high)[..4], [0, 0x80, 1, 0x81]);
        assert_eq!(s.zip_high16(up, high)[..8], [8, 9, 0x88, 0x89, 10, 11, 0x8A, 0x8B]);
        assert_eq!(s.narrow16(s.splat16(0x41), s.splat16(0x42))[6..10], *b"AABB");
        assert_eq!(s.narrow32(s.splat32(0x4142), s.splat32(0x4344))[6..10], *b"BADC");
        assert_eq!(units(s.mul_add_pairs8(s.splat8(200), s.splat16(0xFF_02))), [200; 8]);
        assert_eq!(units(s.mul_high16(s.splat16(0x8000), s.splat16(6))), [3; 8]);
        assert_eq!(
            s.mul_add_pairs16(s.splat32(0xFFFF_0003), s.splat32(0x0002_0005)),
            s.splat32(13)
        );
        assert_eq!(s.gt_i8(s.splat8(0), s.splat8(0x80)), [0xFF; WIDTH]);
        assert_eq!(s.and_not(s.splat8(0x3C), s.splat8(0x0F)), [0x30; WIDTH]);
    }
}
