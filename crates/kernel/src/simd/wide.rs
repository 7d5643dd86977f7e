//! Vectors of 64 bytes with a bit mask for the lanes of each operation.

use super::Simd;

/// The number of bytes in a wide vector.
pub const WIDE_WIDTH: usize = 64;

/// Operations on vectors of 64 bytes. Lanes of 16 and 32 bits are little-endian.
///
/// Sets of lanes are integers with a bit for each lane, the first lane lowest: `u64` for bytes,
/// `u32` for 16-bit lanes, `u16` for 32-bit lanes. Lanes are unsigned and operations wrap unless
/// stated otherwise. Shuffles move bytes across the whole vector.
pub trait WideSimd: Copy {
    /// A vector of 64 bytes.
    type Bytes: Copy;
    /// The level of vectors of 16 bytes on the same processor.
    type Narrow: Simd;

    /// Returns the level of vectors of 16 bytes.
    fn narrow(self) -> Self::Narrow;

    /// Loads 64 bytes.
    fn load(self, from: &[u8; WIDE_WIDTH]) -> Self::Bytes;
    /// Loads up to 64 bytes, and zeros after them.
    fn load_prefix(self, from: &[u8]) -> Self::Bytes;
    /// Loads 16 bytes four times.
    fn load_repeated(self, from: &[u8; super::WIDTH]) -> Self::Bytes;
    /// Stores 64 bytes.
    fn store(self, bytes: Self::Bytes, to: &mut [u8; WIDE_WIDTH]);

    /// Returns `value` in all 64 lanes.
    fn splat8(self, value: u8) -> Self::Bytes;
    /// Returns `value` in all 32 lanes.
    fn splat16(self, value: u16) -> Self::Bytes;
    /// Returns `value` in all 16 lanes.
    fn splat32(self, value: u32) -> Self::Bytes;

    /// Returns the bits that are set in both.
    fn and(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Returns the bits that are set in either.
    fn or(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Returns the bits that are set in exactly one.
    fn xor(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// Adds bytes.
    fn add8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Adds 32-bit lanes.
    fn add32(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Subtracts bytes.
    fn sub8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Subtracts bytes, with zero for negative results.
    fn saturating_sub8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Returns the greater of each two bytes.
    fn max8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// Returns the bytes that are equal.
    fn eq8(self, a: Self::Bytes, b: Self::Bytes) -> u64;
    /// Returns the 16-bit lanes that are equal.
    fn eq16(self, a: Self::Bytes, b: Self::Bytes) -> u32;
    /// Returns the 32-bit lanes that are equal.
    fn eq32(self, a: Self::Bytes, b: Self::Bytes) -> u16;
    /// Returns the bytes of `a` that are greater or equal.
    fn at_least8(self, a: Self::Bytes, b: Self::Bytes) -> u64;
    /// Returns the 16-bit lanes of `a` that are greater or equal.
    fn at_least16(self, a: Self::Bytes, b: Self::Bytes) -> u32;
    /// Returns the 32-bit lanes of `a` that are greater or equal.
    fn at_least32(self, a: Self::Bytes, b: Self::Bytes) -> u16;
    /// Returns the bytes of `a` that are greater, as signed numbers.
    fn gt_i8(self, a: Self::Bytes, b: Self::Bytes) -> u64;
    /// Returns the bytes that have a bit set in both.
    fn test8(self, a: Self::Bytes, b: Self::Bytes) -> u64;
    /// Returns the highest bit of each byte.
    fn movemask8(self, a: Self::Bytes) -> u64;

    /// Shifts 16-bit lanes left by `N` bits, 1 to 15.
    fn shl16<const N: u32>(self, a: Self::Bytes) -> Self::Bytes;
    /// Shifts 16-bit lanes right by `N` bits, 1 to 15.
    fn shr16<const N: u32>(self, a: Self::Bytes) -> Self::Bytes;
    /// Shifts 32-bit lanes left by `N` bits, 1 to 31.
    fn shl32<const N: u32>(self, a: Self::Bytes) -> Self::Bytes;
    /// Shifts 32-bit lanes right by `N` bits, 1 to 31.
    fn shr32<const N: u32>(self, a: Self::Bytes) -> Self::Bytes;

    /// Multiplies bytes of `a` by signed bytes of `b`, and adds adjacent products as 16 bits.
    /// The sums must fit into 16 signed bits.
    fn mul_add_pairs8(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Multiplies signed 16-bit lanes, and adds adjacent products as 32 bits.
    fn mul_add_pairs16(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// Returns the bytes of `yes` where the bit of `mask` is set, else those of `no`.
    fn select8(self, mask: u64, yes: Self::Bytes, no: Self::Bytes) -> Self::Bytes;
    /// Returns the 16-bit lanes of `yes` where the bit of `mask` is set, else those of `no`.
    fn select16(self, mask: u32, yes: Self::Bytes, no: Self::Bytes) -> Self::Bytes;
    /// Returns the 32-bit lanes of `yes` where the bit of `mask` is set, else those of `no`.
    fn select32(self, mask: u16, yes: Self::Bytes, no: Self::Bytes) -> Self::Bytes;

    /// Returns for each index from 0 to 15 that byte of the same 16 bytes of `a`, and zero for an
    /// index from 0x80 to 0xFF: [`shuffle8`](crate::simd::Lanes::shuffle8) four times.
    fn shuffle8_in_16(self, a: Self::Bytes, indexes: Self::Bytes) -> Self::Bytes;
    /// Returns for each index that byte of `a`. Only the low 6 bits of an index count.
    fn permute8(self, a: Self::Bytes, indexes: Self::Bytes) -> Self::Bytes;
    /// Returns for each index that byte of the 128 of `a` and `b`. Only the low 7 bits of an index
    /// count.
    fn permute8_of_2(self, a: Self::Bytes, b: Self::Bytes, indexes: Self::Bytes) -> Self::Bytes;
    /// Returns 64 bytes of the last 16 of `a` and the 64 of `b`, from index `N` on, 1 to 15.
    fn concat_last16<const N: i32>(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    /// Moves the bytes whose bits are set to the start, with zeros after them.
    fn compress8(self, set: u64, a: Self::Bytes) -> Self::Bytes;

    /// Widens the first sixteen 16-bit lanes to 32-bit lanes.
    fn widen16(self, a: Self::Bytes) -> Self::Bytes;
    /// Returns the last 32 bytes, with zeros after them.
    fn upper_half(self, a: Self::Bytes) -> Self::Bytes;

    /// Returns for each byte of `shifts` the eight bits that begin at this bit of the same eight
    /// bytes of `a`, as a little-endian number that is rotated. Only the low 6 bits count.
    fn multishift8(self, shifts: Self::Bytes, a: Self::Bytes) -> Self::Bytes;
}

/// Interleaves the first 32 bytes of both, or with `LAST` the last 32.
#[inline(always)]
pub fn zip_wide_half<W: WideSimd, const LAST: bool>(w: W, a: W::Bytes, b: W::Bytes) -> W::Bytes {
    const fn indexes(first: u8) -> [u8; WIDE_WIDTH] {
        let mut indexes = [0; WIDE_WIDTH];
        let mut lane = 0;
        while lane < WIDE_WIDTH {
            indexes[lane] = first + (lane / 2 + lane % 2 * WIDE_WIDTH) as u8;
            lane += 1;
        }
        indexes
    }
    const HALVES: [[u8; WIDE_WIDTH]; 2] = [indexes(0), indexes(WIDE_WIDTH as u8 / 2)];
    w.permute8_of_2(a, b, w.load(&HALVES[LAST as usize]))
}

/// Interleaves the bytes of both.
#[inline(always)]
pub fn zip_wide<W: WideSimd>(w: W, a: W::Bytes, b: W::Bytes) -> [W::Bytes; 2] {
    [zip_wide_half::<W, false>(w, a, b), zip_wide_half::<W, true>(w, a, b)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::portable_wide::PortableWide;
    use crate::simd::{Kernel, Level};
    use crate::testing;

    type WideVector = [u8; WIDE_WIDTH];

    /// Returns the results of all operations on two vectors.
    struct AllOperations([WideVector; 2]);

    impl Kernel for AllOperations {
        type Output = Vec<(&'static str, WideVector)>;

        const HAS_WIDE: bool = true;

        #[inline(always)]
        fn run<S: Simd>(self, _: S) -> Self::Output {
            self.run_wide(PortableWide)
        }

        #[inline(always)]
        fn run_wide<W: WideSimd>(self, w: W) -> Self::Output {
            let [a_bytes, b_bytes] = self.0;
            let [a, b] = self.0.map(|bytes| w.load(&bytes));
            let below = |bytes, limit: u8| w.and(bytes, w.splat8(limit));
            let set = u64::from_le_bytes(*b_bytes.first_chunk().unwrap());
            let len = usize::from(b_bytes[9]);
            let prefix = &a_bytes[..len.min(WIDE_WIDTH)];
            let mask = |set: u64| w.load_prefix(&set.to_le_bytes());
            let results = [
                ("load_prefix", w.load_prefix(prefix)),
                ("load_repeated", w.load_repeated(a_bytes.first_chunk().unwrap())),
                ("splat8", w.splat8(a_bytes[0])),
                ("splat16", w.splat16(0xA55B)),
                ("splat32", w.splat32(0xA55B_0117)),
                ("and", w.and(a, b)),
                ("or", w.or(a, b)),
                ("xor", w.xor(a, b)),
                ("add8", w.add8(a, b)),
                ("add32", w.add32(a, b)),
                ("sub8", w.sub8(a, b)),
                ("saturating_sub8", w.saturating_sub8(a, b)),
                ("max8", w.max8(a, b)),
                ("eq8", mask(w.eq8(below(a, 3), below(b, 3)))),
                ("eq16", mask(w.eq16(below(a, 1), below(b, 1)).into())),
                ("eq32", mask(w.eq32(below(a, 1), below(b, 1)).into())),
                ("at_least8", mask(w.at_least8(a, b))),
                ("at_least16", mask(w.at_least16(a, b).into())),
                ("at_least32", mask(w.at_least32(a, b).into())),
                ("gt_i8", mask(w.gt_i8(a, b))),
                ("test8", mask(w.test8(below(a, 3), below(b, 3)))),
                ("movemask8", mask(w.movemask8(a))),
                ("shl16", w.shl16::<6>(a)),
                ("shr16", w.shr16::<11>(a)),
                ("shl32", w.shl32::<18>(a)),
                ("shr32", w.shr32::<2>(a)),
                ("mul_add_pairs8", w.mul_add_pairs8(below(a, 0x7F), b)),
                ("mul_add_pairs16", w.mul_add_pairs16(a, w.shr16::<1>(b))),
                ("select8", w.select8(set, a, b)),
                ("select16", w.select16(set as u32, a, b)),
                ("select32", w.select32(set as u16, a, b)),
                ("shuffle8_in_16", w.shuffle8_in_16(a, b)),
                ("permute8", w.permute8(a, b)),
                ("permute8_of_2", w.permute8_of_2(a, w.xor(a, b), b)),
                ("concat_last16 5", w.concat_last16::<5>(a, b)),
                ("concat_last16 15", w.concat_last16::<15>(a, b)),
                ("compress8", w.compress8(set, a)),
                ("widen16", w.widen16(a)),
                ("upper_half", w.upper_half(a)),
                ("multishift8", w.multishift8(b, a)),
            ];
            let stored = results.map(|(name, result)| {
                let mut bytes = [0; WIDE_WIDTH];
                w.store(result, &mut bytes);
                (name, bytes)
            });
            stored.to_vec()
        }
    }

    #[test]
    fn every_level_agrees_with_portable() {
        const EDGES: [u8; 8] = [0, 1, 0x7F, 0x80, 0x81, 0xFE, 0xFF, 0x40];
        let mut random = testing::random(1);
        let mut byte =
            move || if random.below(4) == 0 { random.one(&EDGES) } else { random.byte() };
        for _ in 0..if cfg!(miri) { 10 } else { 500 } {
            let pair = [[(); WIDE_WIDTH]; 2].map(|vector| vector.map(|()| byte()));
            let expected = AllOperations(pair).run_wide(PortableWide);
            for level in Level::all() {
                assert_eq!(level.run(AllOperations(pair)), expected, "{level:?} of {pair:X?}");
            }
        }
    }

    #[test]
    fn portable_operations_match_their_names() {
        let w = PortableWide;
        let up: WideVector = std::array::from_fn(|lane| lane as u8);
        let high = up.map(|byte| byte | 0x80);
        assert_eq!(w.load_prefix(&up[1..4])[..5], [1, 2, 3, 0, 0]);
        assert_eq!(w.movemask8(w.select8(0xF0F1, high, up)), 0xF0F1);
        assert_eq!(w.gt_i8(w.splat8(0), high), u64::MAX);
        assert_eq!(w.at_least16(w.splat16(0x0102), up), 1);
        assert_eq!(w.eq32(up, w.load_prefix(&up[..9])), 3);
        assert_eq!(w.test8(up, w.splat8(32)), u64::MAX << 32);
        assert_eq!(w.permute8(high, w.splat8(64 + 5)), w.splat8(0x85));
        assert_eq!(w.permute8_of_2(up, high, w.splat8(64 + 5)), w.splat8(0x85));
        assert_eq!(w.shuffle8_in_16(up, w.splat8(2))[15..17], [2, 18]);
        assert_eq!(w.shuffle8_in_16(up, w.splat8(0x82)), w.splat8(0));
        assert_eq!(w.concat_last16::<15>(up, high)[..3], [63, 0x80, 0x81]);
        assert_eq!(w.compress8(0b1010, up)[..4], [1, 3, 0, 0]);
        assert_eq!(w.widen16(up)[..8], [0, 1, 0, 0, 2, 3, 0, 0]);
        assert_eq!(w.upper_half(up)[..2], [32, 33]);
        assert_eq!(w.multishift8(w.splat8(4), high)[..2], [0x18, 0x18]);
    }
}
