//! Vectors of 16 bytes, and the choice of the instructions that work on them.
//!
//! A kernel is a [`Loop`], written once over [`Simd`]. It is compiled for every [`Level`] there is
//! on a family of processors, and the best one that the processor at hand has is chosen when it
//! runs. So nothing needs `-C target-cpu`, and all that is unsafe about instructions stands in this
//! directory: whoever has a value of a type that is `Simd` has the processor for it.
//!
//! What a loop calls must be `#[inline(always)]` down to the last closure. What is not becomes a
//! function of its own, which is compiled without the level's instructions, and is many times as
//! slow.

mod portable;

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests;

use portable::Portable;

/// Bytes of a vector.
pub const WIDTH: usize = 16;

/// Operations on vectors of 16 bytes. Lanes of 16 and 32 bits are in the order of the bytes, the
/// least significant byte first, whatever the processor.
///
/// Numbers are without sign and wrap round unless it is said otherwise.
pub trait Simd: Copy {
    /// 16 bytes.
    type Bytes: Copy;

    /// Bytes from memory.
    fn load(self, from: &[u8; WIDTH]) -> Self::Bytes;
    /// Bytes to memory.
    fn store(self, bytes: Self::Bytes, to: &mut [u8; WIDTH]);

    /// One value in all 16 lanes.
    fn splat8(self, value: u8) -> Self::Bytes;
    /// One value in all 8 lanes.
    fn splat16(self, value: u16) -> Self::Bytes;
    /// One value in all 4 lanes.
    fn splat32(self, value: u32) -> Self::Bytes;

    /// Bits that are set in both.
    fn and(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Bits that are set in either.
    fn or(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Bits of `a` that are not set in `b`.
    fn and_not(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// Sums of bytes.
    fn add8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Sums of lanes of 16 bits.
    fn add16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Sums of lanes of 32 bits.
    fn add32(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Differences of bytes.
    fn sub8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Differences of bytes, zero where they would be below it.
    fn saturating_sub8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// All bits of the bytes that are equal.
    fn eq8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// All bits of the lanes of 16 bits that are equal.
    fn eq16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// All bits of the lanes of 32 bits that are equal.
    fn eq32(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// All bits of the bytes of `a` that are greater, with sign.
    fn gt_i8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// The greater of two bytes.
    fn max8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// The lesser of two lanes of 16 bits.
    fn min16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// Lanes of 16 bits, moved up by `N` bits, 1 to 15.
    fn shl16<const N: i32>(self, a: Self::Bytes) -> Self::Bytes;
    /// Lanes of 16 bits, moved down by `N` bits, 1 to 15.
    fn shr16<const N: i32>(self, a: Self::Bytes) -> Self::Bytes;
    /// Lanes of 32 bits, moved up by `N` bits, 1 to 31.
    fn shl32<const N: i32>(self, a: Self::Bytes) -> Self::Bytes;
    /// Lanes of 32 bits, moved down by `N` bits, 1 to 31.
    fn shr32<const N: i32>(self, a: Self::Bytes) -> Self::Bytes;

    /// The low half of the products of lanes of 16 bits.
    fn mul_low16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// The high half of the products of lanes of 16 bits.
    fn mul_high16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Bytes of `a` times bytes with sign of `b`, and the sum of each two neighbors as 16 bits.
    /// The sums must fit into 16 bits with sign.
    fn mul_add_pairs8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Lanes of 16 bits with sign, multiplied, and the sum of each two neighbors as 32 bits.
    fn mul_add_pairs16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// The bytes of `yes` where the highest bit of `mask` is set, else those of `no`.
    fn select(self, mask: Self::Bytes, yes: Self::Bytes, no: Self::Bytes) -> Self::Bytes;
    /// The highest bit of each byte, that of the first one lowest.
    fn movemask8(self, a: Self::Bytes) -> u32;

    /// For each lane the byte of `a` with that index, 0 to 15; zero for an index from 80 to FF.
    fn shuffle8(self, a: Self::Bytes, indexes: Self::Bytes) -> Self::Bytes;
    /// 16 bytes of the 32 of `a` and `b`, from the one with the index `N` on, 1 to 15.
    fn concat_bytes<const N: i32>(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// The first 8 bytes of both, in turns.
    fn zip_low8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// The last 8 bytes of both, in turns.
    fn zip_high8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// The first 4 lanes of 16 bits of both, in turns.
    fn zip_low16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// The last 4 lanes of 16 bits of both, in turns.
    fn zip_high16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// 16 lanes of 16 bits as bytes. Their values must be below 0x100.
    fn narrow16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// 8 lanes of 32 bits as 16 bits. Their values must be below 0x1_0000.
    fn narrow32(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
}

/// A kernel, written for no processor.
pub trait Kernel {
    /// What it finds out, mostly how far it came.
    type Output;

    /// Does it. Must be `#[inline(always)]`, as all that it calls.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// A set of instructions that the processor at hand has.
#[derive(Debug, Clone, Copy)]
pub enum Level {
    /// x86-64 with AVX2 and the counting of bits.
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    /// x86-64 with SSE4.1.
    #[cfg(target_arch = "x86_64")]
    Sse41(x86::Sse41),
    /// AArch64.
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon),
    /// Any processor: arrays.
    Portable(Portable),
}

impl Level {
    /// All levels of the processor at hand, the best one first.
    pub fn all() -> impl Iterator<Item = Level> {
        #[cfg(target_arch = "x86_64")]
        let known = [x86::Avx2::new().map(Level::Avx2), x86::Sse41::new().map(Level::Sse41)];
        #[cfg(target_arch = "aarch64")]
        let known = [neon::Neon::new().map(Level::Neon)];
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let known: [Option<Level>; 0] = [];
        known.into_iter().flatten().chain([Level::Portable(Portable)])
    }

    /// Runs a loop with these instructions.
    #[inline]
    pub fn run<L: Kernel>(self, kernel: L) -> L::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(avx2) => avx2.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Level::Sse41(sse41) => sse41.run(kernel),
            #[cfg(target_arch = "aarch64")]
            Level::Neon(neon) => kernel.run(neon),
            Level::Portable(portable) => kernel.run(portable),
        }
    }
}

/// Runs a loop with the best instructions of the processor at hand. To find them takes about a
/// nanosecond.
#[inline]
pub fn run<L: Kernel>(kernel: L) -> L::Output {
    let best = Level::all().next().unwrap_or(Level::Portable(Portable));
    best.run(kernel)
}
