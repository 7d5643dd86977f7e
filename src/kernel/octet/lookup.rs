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
    let row = |row: usize| simd.shuffle8(simd.load(&table[row]), column);
    // Moved up, bits 6, 5 and 4 are the ones that count.
    let high = simd.add8(octets, octets);
    let middle = simd.add8(high, high);
    let low = simd.add8(middle, middle);
    let two = |first| simd.select(low, row(first + 1), row(first));
    let four = |first| simd.select(middle, two(first + 2), two(first));
    simd.select(high, four(4), four(0))
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
