//! Tables of octets by octet, in vectors.

use crate::kernel::simd::{Simd, WIDTH};

/// An octet for each octet below 80.
pub type Half = [[u8; WIDTH]; 8];

/// The rows of a table.
pub fn half(of: impl Fn(u8) -> u8) -> Half {
    std::array::from_fn(|row| std::array::from_fn(|column| of((row * WIDTH + column) as u8)))
}

/// What the table has for each octet; its highest bit does not count.
///
/// All rows are looked up, and of each two that differ in one bit of their number one is taken.
#[inline(always)]
pub fn look_up<S: Simd>(simd: S, table: &Half, octets: S::Bytes) -> S::Bytes {
    let column = simd.and(octets, simd.splat8(0x0F));
    // Moved up, bits 6, 5 and 4 are the ones that count.
    let high = simd.add8(octets, octets);
    let middle = simd.add8(high, high);
    let low = simd.add8(middle, middle);
    let [a, b, c, d, e, f, g, h] = table;
    let first = two(simd, [a, b], low, column);
    let second = two(simd, [c, d], low, column);
    let third = two(simd, [e, f], low, column);
    let fourth = two(simd, [g, h], low, column);
    let near = simd.select(middle, second, first);
    let far = simd.select(middle, fourth, third);
    simd.select(high, far, near)
}

/// What two rows have in a column: the second one where `which` has its highest bit.
#[inline(always)]
fn two<S: Simd>(simd: S, rows: [&[u8; WIDTH]; 2], which: S::Bytes, column: S::Bytes) -> S::Bytes {
    let [first, second] = rows;
    let first = simd.shuffle8(simd.load(first), column);
    simd.select(which, simd.shuffle8(simd.load(second), column), first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::{Level, Loop};

    struct Each<'a>(&'a Half, [u8; WIDTH]);

    impl Loop for Each<'_> {
        type Answer = [u8; WIDTH];

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> [u8; WIDTH] {
            let mut found = [0; WIDTH];
            simd.store(look_up(simd, self.0, simd.load(&self.1)), &mut found);
            found
        }
    }

    #[test]
    fn each_octet_finds_its_own() {
        let of = |octet: u8| octet.wrapping_mul(0x35) ^ 0xC3;
        let table = half(of);
        for level in Level::all() {
            for first in 0..=0xFF_u8 {
                let octets = std::array::from_fn(|lane| first.wrapping_add(17 * lane as u8));
                let found = level.run(Each(&table, octets));
                assert_eq!(found, octets.map(|octet| of(octet & 0x7F)), "{level:?} {octets:X?}");
            }
        }
    }
}
