//! Finds the next byte of a set that is not copied unchanged.

use super::ascii_set::AsciiByteSet;
use super::simd::{self, AsArrays, Kernel, Simd, WIDTH};

/// A set of bytes, and the fastest search for it.
#[derive(Debug, Clone)]
pub struct SpecialBytes {
    is_special: [bool; 0x100],
    search: Search,
}

#[derive(Debug, Clone, Copy)]
enum Search {
    /// One byte.
    Memchr(u8),
    /// A set of ASCII bytes, and all or no other bytes.
    Vectors { plain_ascii: AsciiByteSet, has_non_ascii: bool },
    /// Any set.
    Scalar,
}

impl SpecialBytes {
    /// Creates the set of the bytes for which `contains` returns true.
    pub fn new(contains: impl Fn(u8) -> bool) -> SpecialBytes {
        let mut is_special = [false; 0x100];
        for byte in 0..=u8::MAX {
            is_special[usize::from(byte)] = contains(byte);
        }
        let mut members = (0..=u8::MAX).filter(|byte| contains(*byte));
        let non_ascii = (0x80..=u8::MAX).filter(|byte| contains(*byte)).count();
        let search = match (members.next(), members.next(), non_ascii) {
            (Some(byte), None, _) => Search::Memchr(byte),
            (_, _, 0 | 0x80) => Search::Vectors {
                plain_ascii: AsciiByteSet::new(|byte| !contains(byte)),
                has_non_ascii: non_ascii > 0,
            },
            _ => Search::Scalar,
        };
        SpecialBytes { is_special, search }
    }

    /// Returns whether the set contains `byte`.
    pub fn contains(&self, byte: u8) -> bool {
        self.is_special[usize::from(byte)]
    }

    /// Returns the number of bytes before the first member.
    pub fn prefix_len(&self, src: &[u8]) -> usize {
        match self.search {
            Search::Memchr(byte) => memchr::memchr(byte, src).unwrap_or(src.len()),
            // A run this short is not worth the dispatch on the SIMD level.
            Search::Vectors { .. } if src.len() < WIDTH || self.contains(src[0]) => {
                self.scalar_prefix_len(src)
            }
            Search::Vectors { plain_ascii, has_non_ascii } => {
                let plain = simd::run(PlainPrefixKernel { plain_ascii, has_non_ascii, src });
                plain + self.scalar_prefix_len(&src[plain..])
            }
            Search::Scalar => self.scalar_prefix_len(src),
        }
    }

    fn scalar_prefix_len(&self, src: &[u8]) -> usize {
        src.iter().position(|byte| self.contains(*byte)).unwrap_or(src.len())
    }
}

/// Counts the bytes before the first special one, or before the last incomplete vector.
struct PlainPrefixKernel<'a> {
    plain_ascii: AsciiByteSet,
    has_non_ascii: bool,
    src: &'a [u8],
}

impl Kernel for PlainPrefixKernel<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let set = self.plain_ascii.vectors(simd);
        let (vectors, _) = self.src.as_arrays::<WIDTH>();
        let ignored = if self.has_non_ascii { 0 } else { u32::MAX };
        for (index, vector) in vectors.iter().enumerate() {
            let bytes = simd.load(vector);
            let special = set.non_members(simd, bytes) & !(simd.movemask8(bytes) & ignored);
            if special != 0 {
                return index * WIDTH + special.trailing_zeros() as usize;
            }
        }
        vectors.len() * WIDTH
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing::stride;

    #[test]
    fn prefix_len_agrees_with_scalar_for_every_byte_and_length() {
        let sets: [fn(u8) -> bool; 5] = [
            |byte| byte == b'&',
            |byte| matches!(byte, b'&' | b'<' | b'\\') || byte < 0x20,
            |byte| matches!(byte, b'"' | b'\\') || !(0x20..0x7F).contains(&byte),
            |byte| byte == 0xEF || byte == 0xE3,
            |_| false,
        ];
        for contains in sets {
            let special = SpecialBytes::new(contains);
            for byte in (0..=u8::MAX).step_by(stride(63)) {
                assert_eq!(special.contains(byte), contains(byte));
                for len in (0..3 * WIDTH).step_by(stride(15)) {
                    for at in (0..=len).step_by(stride(7)) {
                        let mut src = vec![b'a'; len];
                        if let Some(found) = src.get_mut(at) {
                            *found = byte;
                        }
                        let expected = if contains(byte) { at } else { len };
                        assert_eq!(special.prefix_len(&src), expected, "{byte:02X} {len} {at}");
                    }
                }
                let src = [[b'a'; WIDTH], [byte; WIDTH]].concat();
                if let Search::Vectors { plain_ascii, has_non_ascii } = special.search {
                    for level in Level::all() {
                        let kernel = PlainPrefixKernel { plain_ascii, has_non_ascii, src: &src };
                        let expected = if contains(byte) { WIDTH } else { 2 * WIDTH };
                        assert_eq!(level.run(kernel), expected, "{byte:02X} {level:?}");
                    }
                }
            }
        }
    }
}
