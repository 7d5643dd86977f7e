//! Every level holds to the arrays, on numbers at random and on the ones at the edges.

use super::portable::Portable;
use super::*;

/// Pairs of vectors: numbers at random (xorshift), and among them the bytes where signs change.
fn vector_pairs() -> impl Iterator<Item = [[u8; WIDTH]; 2]> {
    const EDGES: [u8; 8] = [0, 1, 0x7F, 0x80, 0x81, 0xFE, 0xFF, 0x40];
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut byte = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let (choice, byte) = ((seed >> 40) as usize, (seed >> 24) as u8);
        if choice.is_multiple_of(4) { EDGES[choice / 4 % 8] } else { byte }
    };
    (0..500).map(move |_| [[(); WIDTH]; 2].map(|vector| vector.map(|()| byte())))
}

/// The answers of all operations to two vectors.
struct AllOperations([[u8; WIDTH]; 2]);

impl Kernel for AllOperations {
    type Output = Vec<(&'static str, [u8; WIDTH])>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Self::Output {
        let [a, b] = self.0.map(|bytes| s.load(&bytes));
        let below = |bytes, limit: u8| s.and(bytes, s.splat8(limit));
        // Within the limits of what is promised.
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
        let stored = results.map(|(name, answer)| {
            let mut bytes = [0; WIDTH];
            s.store(answer, &mut bytes);
            (name, bytes)
        });
        stored.to_vec()
    }
}

#[test]
fn every_level_agrees_with_portable() {
    for pair in vector_pairs() {
        let plain = Level::Portable(Portable).run(AllOperations(pair));
        for level in Level::all() {
            assert_eq!(level.run(AllOperations(pair)), plain, "{level:?} of {pair:X?}");
        }
    }
}

#[test]
fn portable_operations_match_their_names() {
    let up: [u8; WIDTH] = std::array::from_fn(|lane| lane as u8);
    let high = up.map(|byte| byte | 0x80);
    let s = Portable;
    let units = |bytes: [u8; WIDTH]| {
        bytes.as_chunks().0.iter().map(|c| u16::from_le_bytes(*c)).collect::<Vec<_>>()
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
    assert_eq!(s.mul_add_pairs16(s.splat32(0xFFFF_0003), s.splat32(0x0002_0005)), s.splat32(13));
    assert_eq!(s.gt_i8(s.splat8(0), s.splat8(0x80)), [0xFF; WIDTH]);
    assert_eq!(s.and_not(s.splat8(0x3C), s.splat8(0x0F)), [0x30; WIDTH]);
}
