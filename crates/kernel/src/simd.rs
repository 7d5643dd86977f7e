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

/// Defines the operations of `Simd` with [`Halves`] for vectors of 32 bytes.
macro_rules! as_halves {
    () => {
        #[inline(always)]
        fn double(self) -> Halves<Self> {
            Halves(self)
        }
        #[inline(always)]
        fn join(self, halves: [Self::Bytes; 2]) -> [Self::Bytes; 2] {
            halves
        }
        #[inline(always)]
        fn split(self, bytes: [Self::Bytes; 2]) -> [Self::Bytes; 2] {
            bytes
        }
        #[inline(always)]
        fn widen16(self, bytes: Self::Bytes) -> [Self::Bytes; 2] {
            let zero = self.splat8(0);
            [self.zip_low16(bytes, zero), self.zip_high16(bytes, zero)]
        }
    };
}

mod arrays;
#[cfg(avx512)]
mod avx512;
mod halves;
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
use halves::Halves;
#[cfg(test)]
pub use level::Level;
pub use level::{level_names, run, select_level};
pub use wide::{WIDE_WIDTH, WideSimd, zip_wide, zip_wide_half};

/// The number of bytes in a vector.
pub const WIDTH: usize = 16;

/// The number of bytes in a vector of two halves.
pub const DOUBLE_WIDTH: usize = 2 * WIDTH;

/// Operations on the lanes of vectors, which move bytes within 16 bytes only. Lanes of 16 and 32 bits
/// are little-endian on every processor.
///
/// Lanes are unsigned and operations wrap unless stated otherwise. A vector of 32 bytes has two halves
/// of 16: "the first 8 bytes" are those of each half.
pub trait Lanes: Copy {
    /// A vector.
    type Bytes: Copy;
    /// An array of as many bytes.
    type Array;

    /// Loads a vector.
    fn load(self, from: &Self::Array) -> Self::Bytes;
    /// Stores a vector.
    fn store(self, bytes: Self::Bytes, to: &mut Self::Array);

    /// Returns `value` in all lanes of 8 bits.
    fn splat8(self, value: u8) -> Self::Bytes;
    /// Returns `value` in all lanes of 16 bits.
    fn splat16(self, value: u16) -> Self::Bytes;
    /// Returns `value` in all lanes of 32 bits.
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
    /// Returns whether none of these bits are set.
    fn are_clear(self, a: Self::Bytes, bits: Self::Bytes) -> bool;

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

/// Operations on vectors of 16 bytes, and on vectors of 32 bytes that have two such halves.
pub trait Simd: Lanes<Array = [u8; WIDTH]> {
    /// The level of vectors of 32 bytes.
    type Double: Lanes<Array = [u8; DOUBLE_WIDTH]>;

    /// Returns the level of vectors of 32 bytes.
    fn double(self) -> Self::Double;
    /// Returns a vector of these halves.
    fn join(self, halves: [Self::Bytes; 2]) -> DoubleBytes<Self>;
    /// Returns the halves of a vector.
    fn split(self, bytes: DoubleBytes<Self>) -> [Self::Bytes; 2];
    /// Widens 16-bit lanes to 32 bits.
    fn widen16(self, bytes: Self::Bytes) -> DoubleBytes<Self>;
}

/// A vector of 32 bytes.
pub type DoubleBytes<S> = <<S as Simd>::Double as Lanes>::Bytes;

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
        (0..500)
            .step_by(testing::stride(51))
            .map(move |_| [[(); WIDTH]; 2].map(|vector| vector.map(|()| byte())))
    }

    /// Returns the results of all operations on two vectors.
    #[inline(always)]
    fn all_operations<L: Lanes>(l: L, [a, b]: [L::Bytes; 2]) -> Vec<(&'static str, L::Bytes)> {
        let below = |bytes, limit: u8| l.and(bytes, l.splat8(limit));
        // Operands within the preconditions.
        let indexes = l.and(b, l.splat8(0x8F));
        let (bytes_a, bytes_b) = (l.and(a, l.splat16(0xFF)), l.and(b, l.splat16(0xFF)));
        let (units_a, units_b) = (l.and(a, l.splat32(0xFFFF)), l.and(b, l.splat32(0xFFFF)));
        let mask = l.splat32(l.movemask8(a));
        vec![
            ("splat8", l.splat8(0xA5)),
            ("splat16", l.splat16(0xA55B)),
            ("splat32", l.splat32(0xA55B_0117)),
            ("and", l.and(a, b)),
            ("or", l.or(a, b)),
            ("and_not", l.and_not(a, b)),
            ("add8", l.add8(a, b)),
            ("add16", l.add16(a, b)),
            ("add32", l.add32(a, b)),
            ("sub8", l.sub8(a, b)),
            ("saturating_sub8", l.saturating_sub8(a, b)),
            ("eq8", l.eq8(below(a, 3), below(b, 3))),
            ("eq16", l.eq16(below(a, 1), below(b, 1))),
            ("eq32", l.eq32(below(a, 1), below(b, 1))),
            ("gt_i8", l.gt_i8(a, b)),
            ("max8", l.max8(a, b)),
            ("min16", l.min16(a, b)),
            ("shl16", l.shl16::<6>(a)),
            ("shr16", l.shr16::<11>(a)),
            ("shl32", l.shl32::<18>(a)),
            ("shr32", l.shr32::<2>(a)),
            ("mul_low16", l.mul_low16(a, b)),
            ("mul_high16", l.mul_high16(a, b)),
            ("mul_add_pairs8", l.mul_add_pairs8(below(a, 0x7F), b)),
            ("mul_add_pairs16", l.mul_add_pairs16(a, l.shr16::<1>(b))),
            ("select", l.select(a, b, l.splat8(7))),
            ("movemask8", mask),
            ("are_clear", l.splat8(l.are_clear(below(a, 1), below(b, 1)).into())),
            ("are_clear of none", l.splat8(l.are_clear(l.and_not(a, b), b).into())),
            ("shuffle8", l.shuffle8(a, indexes)),
            ("concat_bytes", l.concat_bytes::<5>(a, b)),
            ("zip_low8", l.zip_low8(a, b)),
            ("zip_high8", l.zip_high8(a, b)),
            ("zip_low16", l.zip_low16(a, b)),
            ("zip_high16", l.zip_high16(a, b)),
            ("narrow16", l.narrow16(bytes_a, bytes_b)),
            ("narrow32", l.narrow32(units_a, units_b)),
        ]
    }

    struct AllOperations([[u8; WIDTH]; 2]);

    impl Kernel for AllOperations {
        type Output = Vec<(&'static str, [u8; WIDTH])>;

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            let results = all_operations(s, self.0.map(|bytes| s.load(&bytes)));
            let stored = results.into_iter().map(|(name, result)| {
                let mut bytes = [0; WIDTH];
                s.store(result, &mut bytes);
                (name, bytes)
            });
            stored.collect()
        }
    }

    /// Returns the results with vectors of 32 bytes.
    struct AllDoubleOperations([[u8; DOUBLE_WIDTH]; 2]);

    impl Kernel for AllDoubleOperations {
        type Output = Vec<(&'static str, [u8; DOUBLE_WIDTH])>;

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            let d = s.double();
            let [a, b] = self.0.map(|bytes| d.load(&bytes));
            let [low, high] = s.split(a);
            let mut results = all_operations(d, [a, b]);
            results.push(("widen16", s.widen16(low)));
            results.push(("halves swapped", s.join([high, low])));
            let stored = results.into_iter().map(|(name, result)| {
                let mut bytes = [0; DOUBLE_WIDTH];
                d.store(result, &mut bytes);
                (name, bytes)
            });
            stored.collect()
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
    fn double_vectors_of_every_level_agree_with_halves() {
        let pairs: Vec<_> = vector_pairs().collect();
        for two in pairs.windows(2) {
            let pair = [0, 1].map(|operand| {
                let halves = [two[0][operand], two[1][operand]];
                *halves.as_flattened().first_chunk().unwrap()
            });
            let expected = AllDoubleOperations(pair).run(Portable);
            assert_eq!(expected.last().unwrap().1[WIDTH..], two[0][0]);
            for level in Level::all() {
                let results = level.run(AllDoubleOperations(pair));
                assert_eq!(results, expected, "{level:?} of {pair:X?}");
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
