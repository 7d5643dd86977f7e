//! Tables of bytes by byte, in vectors.

use crate::kernel::simd::{Simd, WIDTH};

/// A byte for each byte below 80.
pub type HalfTable = [[u8; WIDTH]; 8];

/// The rows of a table.
pub fn half_table(value_of: impl Fn(u8) -> u8) -> HalfTable {
    std::array::from_fn(|row| std::array::from_fn(|column| value_of((row * WIDTH + column) as u8)))
}

/// What the table has for each byte; its highest bit does not count.
///
/// All rows are looked up, and of each two that differ in one bit of their number one is taken.
#[inline(always)]
pub fn lookup128<S: Simd>(simd: S, table: &HalfTable, bytes: S::Bytes) -> S::Bytes {
    let column = simd.and(bytes, simd.splat8(0x0F));
    // Moved up, bits 6, 5 and 4 are the ones that count.
    let high = simd.add8(bytes, bytes);
    let middle = simd.add8(high, high);
    let low = simd.add8(middle, middle);
    let [a, b, c, d, e, f, g, h] = table;
    let first = lookup_two_rows(simd, [a, b], low, column);
    let second = lookup_two_rows(simd, [c, d], low, column);
    let third = lookup_two_rows(simd, [e, f], low, column);
    let fourth = lookup_two_rows(simd, [g, h], low, column);
    let near = simd.select(middle, second, first);
    let far = simd.select(middle, fourth, third);
    simd.select(high, far, near)
}

/// What two rows have in a column: the second one where `which` has its highest bit.
#[inline(always)]
fn lookup_two_rows<S: Simd>(
    simd: S,
    rows: [&[u8; WIDTH]; 2],
    which: S::Bytes,
    column: S::Bytes,
) -> S::Bytes {
    let [first, second] = rows;
    let first = simd.shuffle8(simd.load(first), column);
    simd.select(which, simd.shuffle8(simd.load(second), column), first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::{Kernel, Level};

    struct LookupKernel<'a>(&'a HalfTable, [u8; WIDTH]);

    impl Kernel for LookupKernel<'_> {
        type Output = [u8; WIDTH];

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> [u8; WIDTH] {
            let mut found = [0; WIDTH];
            simd.store(lookup128(simd, self.0, simd.load(&self.1)), &mut found);
            found
        }
    }

    #[test]
    fn every_byte_finds_its_own_entry() {
        let of = |byte: u8| byte.wrapping_mul(0x35) ^ 0xC3;
        let table = half_table(of);
        for level in Level::all() {
            for first in 0..=0xFF_u8 {
                let bytes = std::array::from_fn(|lane| first.wrapping_add(17 * lane as u8));
                let found = level.run(LookupKernel(&table, bytes));
                assert_eq!(found, bytes.map(|byte| of(byte & 0x7F)), "{level:?} {bytes:X?}");
            }
        }
    }
}
