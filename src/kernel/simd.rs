//! Vectors of 16 octets, and the choice of the instructions that work on them.
//!
//! A kernel is a [`Loop`], written once over [`Simd`]. It is compiled for every [`Level`] there is
//! on a family of processors, and the best one that the processor at hand has is chosen when it
//! runs. So nothing needs `-C target-cpu`, and all that is unsafe about instructions stands in this
//! folder: whoever has a value of a type that is `Simd` has the processor for it.
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

/// Octets of a vector.
pub const WIDTH: usize = 16;

/// Operations on vectors of 16 octets. Lanes of 16 and 32 bits are in the order of the octets, the
/// least significant octet first, whatever the processor.
///
/// Numbers are without sign and wrap round unless it is said otherwise.
pub trait Simd: Copy {
    /// 16 octets.
    type Bytes: Copy;

    /// Octets from memory.
    fn load(self, from: &[u8; WIDTH]) -> Self::Bytes;
    /// Octets to memory.
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

    /// Sums of octets.
    fn add8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Sums of lanes of 16 bits.
    fn add16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Sums of lanes of 32 bits.
    fn add32(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Differences of octets.
    fn sub8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Differences of octets, nought where they would be below it.
    fn sub_to_nought8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// All bits of the octets that are equal.
    fn equal8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// All bits of the lanes of 16 bits that are equal.
    fn equal16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// All bits of the lanes of 32 bits that are equal.
    fn equal32(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// All bits of the octets of `a` that are greater, with sign.
    fn greater_signed8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// The greater of two octets.
    fn max8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// The lesser of two lanes of 16 bits.
    fn min16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// Lanes of 16 bits, moved up by `N` bits, 1 to 15.
    fn up16<const N: i32>(self, a: Self::Bytes) -> Self::Bytes;
    /// Lanes of 16 bits, moved down by `N` bits, 1 to 15.
    fn down16<const N: i32>(self, a: Self::Bytes) -> Self::Bytes;
    /// Lanes of 32 bits, moved up by `N` bits, 1 to 31.
    fn up32<const N: i32>(self, a: Self::Bytes) -> Self::Bytes;
    /// Lanes of 32 bits, moved down by `N` bits, 1 to 31.
    fn down32<const N: i32>(self, a: Self::Bytes) -> Self::Bytes;

    /// The low half of the products of lanes of 16 bits.
    fn mul_low16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// The high half of the products of lanes of 16 bits.
    fn mul_high16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Octets of `a` times octets with sign of `b`, and the sum of each two neighbours as 16 bits.
    /// The sums must fit into 16 bits with sign.
    fn mul_add8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Lanes of 16 bits with sign, multiplied, and the sum of each two neighbours as 32 bits.
    fn mul_add16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// The octets of `yes` where the highest bit of `mask` is set, else those of `no`.
    fn select(self, mask: Self::Bytes, yes: Self::Bytes, no: Self::Bytes) -> Self::Bytes;
    /// The highest bit of each octet, that of the first one lowest.
    fn mask8(self, a: Self::Bytes) -> u32;

    /// For each lane the octet of `a` with that index, 0 to 15; nought for an index from 80 to FF.
    fn shuffle8(self, a: Self::Bytes, indexes: Self::Bytes) -> Self::Bytes;
    /// 16 octets of the 32 of `a` and `b`, from the one with the index `N` on, 1 to 15.
    fn window<const N: i32>(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// The first 8 octets of both, in turns.
    fn zip_low8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// The last 8 octets of both, in turns.
    fn zip_high8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// The first 4 lanes of 16 bits of both, in turns.
    fn zip_low16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// The last 4 lanes of 16 bits of both, in turns.
    fn zip_high16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// 16 lanes of 16 bits as octets. Their values must be below 0x100.
    fn pack16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// 8 lanes of 32 bits as 16 bits. Their values must be below 0x1_0000.
    fn pack32(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
}

/// A kernel, written for no processor.
pub trait Loop {
    /// What it finds out, mostly how far it came.
    type Answer;

    /// Does it. Must be `#[inline(always)]`, as all that it calls.
    fn run<S: Simd>(self, simd: S) -> Self::Answer;
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
    pub fn run<L: Loop>(self, work: L) -> L::Answer {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(avx2) => avx2.run(work),
            #[cfg(target_arch = "x86_64")]
            Level::Sse41(sse41) => sse41.run(work),
            #[cfg(target_arch = "aarch64")]
            Level::Neon(neon) => work.run(neon),
            Level::Portable(portable) => work.run(portable),
        }
    }
}

/// Runs a loop with the best instructions of the processor at hand. To find them takes about a
/// nanosecond.
#[inline]
pub fn run<L: Loop>(work: L) -> L::Answer {
    let best = Level::all().next().unwrap_or(Level::Portable(Portable));
    best.run(work)
}
