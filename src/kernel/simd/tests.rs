//! Every level holds to the arrays, on numbers at random and on the ones at the edges.

use super::portable::Portable;
use super::*;

/// Pairs of vectors: numbers at random (xorshift), and among them the octets where signs change.
fn pairs() -> impl Iterator<Item = [[u8; WIDTH]; 2]> {
    const EDGES: [u8; 8] = [0, 1, 0x7F, 0x80, 0x81, 0xFE, 0xFF, 0x40];
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut octet = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let (choice, octet) = ((seed >> 40) as usize, (seed >> 24) as u8);
        if choice.is_multiple_of(4) { EDGES[choice / 4 % 8] } else { octet }
    };
    (0..500).map(move |_| [[(); WIDTH]; 2].map(|vector| vector.map(|()| octet())))
}

/// The answers of all operations to two vectors.
struct Everything([[u8; WIDTH]; 2]);

impl Loop for Everything {
    type Answer = Vec<(&'static str, [u8; WIDTH])>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Self::Answer {
        let [a, b] = self.0.map(|bytes| s.load(&bytes));
        let below = |bytes, limit: u8| s.and(bytes, s.splat8(limit));
        // Within the limits of what is promised.
        let indexes = s.and(b, s.splat8(0x8F));
        let (octets_a, octets_b) = (s.and(a, s.splat16(0xFF)), s.and(b, s.splat16(0xFF)));
        let (units_a, units_b) = (s.and(a, s.splat32(0xFFFF)), s.and(b, s.splat32(0xFFFF)));
        let mask = s.splat32(s.mask8(a));
        let answers = [
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
            ("sub_to_nought8", s.sub_to_nought8(a, b)),
            ("equal8", s.equal8(below(a, 3), below(b, 3))),
            ("equal16", s.equal16(below(a, 1), below(b, 1))),
            ("equal32", s.equal32(below(a, 1), below(b, 1))),
            ("greater_signed8", s.greater_signed8(a, b)),
            ("max8", s.max8(a, b)),
            ("min16", s.min16(a, b)),
            ("up16", s.up16::<6>(a)),
            ("down16", s.down16::<11>(a)),
            ("up32", s.up32::<18>(a)),
            ("down32", s.down32::<2>(a)),
            ("mul_low16", s.mul_low16(a, b)),
            ("mul_high16", s.mul_high16(a, b)),
            ("mul_add8", s.mul_add8(below(a, 0x7F), b)),
            ("mul_add16", s.mul_add16(a, s.down16::<1>(b))),
            ("select", s.select(a, b, s.splat8(7))),
            ("mask8", mask),
            ("shuffle8", s.shuffle8(a, indexes)),
            ("window", s.window::<5>(a, b)),
            ("zip_low8", s.zip_low8(a, b)),
            ("zip_high8", s.zip_high8(a, b)),
            ("zip_low16", s.zip_low16(a, b)),
            ("zip_high16", s.zip_high16(a, b)),
            ("pack16", s.pack16(octets_a, octets_b)),
            ("pack32", s.pack32(units_a, units_b)),
        ];
        let stored = answers.map(|(name, answer)| {
            let mut octets = [0; WIDTH];
            s.store(answer, &mut octets);
            (name, octets)
        });
        stored.to_vec()
    }
}

#[test]
fn every_level_gives_the_answers_of_arrays() {
    for pair in pairs() {
        let plain = Level::Portable(Portable).run(Everything(pair));
        for level in Level::all() {
            assert_eq!(level.run(Everything(pair)), plain, "{level:?} of {pair:X?}");
        }
    }
}

#[test]
fn arrays_give_the_answers_that_the_names_say() {
    let up: [u8; WIDTH] = std::array::from_fn(|lane| lane as u8);
    let high = up.map(|octet| octet | 0x80);
    let s = Portable;
    let units = |bytes: [u8; WIDTH]| {
        bytes.as_chunks().0.iter().map(|c| u16::from_le_bytes(*c)).collect::<Vec<_>>()
    };
    assert_eq!(s.mask8(high), 0xFFFF);
    assert_eq!(s.mask8(s.select(up.map(|octet| octet << 5), high, up)), 0xF0F0);
    assert_eq!(
        s.shuffle8(high, [15, 0, 0x80, 7, 0xFF, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2])[..6],
        [0x8F, 0x80, 0, 0x87, 0, 0x83]
    );
    assert_eq!(s.window::<3>(up, high)[..], [&up[3..], &high[..3]].concat());
    assert_eq!(s.zip_low8(up, high)[..4], [0, 0x80, 1, 0x81]);
    assert_eq!(s.zip_high16(up, high)[..8], [8, 9, 0x88, 0x89, 10, 11, 0x8A, 0x8B]);
    assert_eq!(s.pack16(s.splat16(0x41), s.splat16(0x42))[6..10], *b"AABB");
    assert_eq!(s.pack32(s.splat32(0x4142), s.splat32(0x4344))[6..10], *b"BADC");
    assert_eq!(units(s.mul_add8(s.splat8(200), s.splat16(0xFF_02))), [200; 8]);
    assert_eq!(units(s.mul_high16(s.splat16(0x8000), s.splat16(6))), [3; 8]);
    assert_eq!(s.mul_add16(s.splat32(0xFFFF_0003), s.splat32(0x0002_0005)), s.splat32(13));
    assert_eq!(s.greater_signed8(s.splat8(0), s.splat8(0x80)), [0xFF; WIDTH]);
    assert_eq!(s.and_not(s.splat8(0x3C), s.splat8(0x0F)), [0x30; WIDTH]);
}
