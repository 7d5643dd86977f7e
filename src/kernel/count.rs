//! How many bytes are of a kind.

use super::simd::{self, Loop, Simd, WIDTH};

/// Line feeds.
pub fn line_feeds(bytes: &[u8]) -> u64 {
    simd::run(Count(bytes, LineFeeds))
}

/// Characters of UTF-8, or of RFC 2044's longer form: bytes that begin one.
pub fn characters(bytes: &[u8]) -> u64 {
    simd::run(Count(bytes, Leads))
}

/// How many bytes at the front are this one.
pub fn same(bytes: &[u8], byte: u8) -> usize {
    let (chunks, _) = bytes.as_chunks::<WIDTH>();
    let whole = WIDTH * chunks.iter().take_while(|chunk| **chunk == [byte; WIDTH]).count();
    whole + bytes[whole..].iter().take_while(|other| **other == byte).count()
}

/// What is counted.
trait Kind {
    /// All bits of the bytes of this kind.
    fn mark<S: Simd>(s: S, bytes: S::Bytes) -> S::Bytes;

    /// Whether one is.
    fn is(byte: u8) -> bool;
}

struct LineFeeds;

impl Kind for LineFeeds {
    #[inline(always)]
    fn mark<S: Simd>(s: S, bytes: S::Bytes) -> S::Bytes {
        s.equal8(bytes, s.splat8(b'\n'))
    }

    #[inline(always)]
    fn is(byte: u8) -> bool {
        byte == b'\n'
    }
}

struct Leads;

impl Kind for Leads {
    #[inline(always)]
    fn mark<S: Simd>(s: S, bytes: S::Bytes) -> S::Bytes {
        // As numbers with sign continuation bytes are the lowest.
        s.greater_signed8(bytes, s.splat8(0xBF))
    }

    #[inline(always)]
    fn is(byte: u8) -> bool {
        byte & 0xC0 != 0x80
    }
}

/// Vectors that are counted side by side.
const VECTORS: usize = 4;

/// Groups of them until a lane of 8 bits is full.
const GROUPS: usize = u8::MAX as usize;

struct Count<'a, K>(&'a [u8], K);

impl<K: Kind> Loop for Count<'_, K> {
    type Answer = u64;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> u64 {
        let (vectors, _) = self.0.as_chunks::<WIDTH>();
        let (groups, _) = vectors.as_chunks::<VECTORS>();
        let mut count = 0;
        for some in groups.chunks(GROUPS) {
            let nought = s.splat8(0);
            let (mut a, mut b, mut c, mut d) = (nought, nought, nought, nought);
            // A mark is -1.
            for group in some {
                a = s.sub8(a, K::mark(s, s.load(&group[0])));
                b = s.sub8(b, K::mark(s, s.load(&group[1])));
                c = s.sub8(c, K::mark(s, s.load(&group[2])));
                d = s.sub8(d, K::mark(s, s.load(&group[3])));
            }
            count += sum(s, a) + sum(s, b) + sum(s, c) + sum(s, d);
        }
        let rest = &self.0[groups.len() * VECTORS * WIDTH..];
        count + rest.iter().filter(|byte| K::is(**byte)).count() as u64
    }
}

/// The sum of 16 octets.
#[inline(always)]
fn sum<S: Simd>(s: S, octets: S::Bytes) -> u64 {
    let mut lanes = [0; WIDTH];
    s.store(octets, &mut lanes);
    lanes.into_iter().map(u64::from).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::Level;

    #[test]
    fn counts_are_those_of_the_plain_loop_at_every_length_and_alignment() {
        let text = "\n\naé\n€😀\u{80}\n\n\n".repeat(20);
        for start in 0..WIDTH {
            for end in start..text.len().min(start + 200) {
                counts(&text.as_bytes()[start..end]);
            }
        }
    }

    #[test]
    fn a_count_does_not_end_where_a_lane_is_full() {
        counts(&vec![b'\n'; 3 * GROUPS * VECTORS * WIDTH + 77]);
        counts(&vec![b'x'; 2 * GROUPS * VECTORS * WIDTH]);
        counts(&vec![0xBF; 2 * GROUPS * VECTORS * WIDTH]);
    }

    #[test]
    fn the_bytes_that_are_alike_are_counted_to_the_first_other() {
        for count in 0..70 {
            for behind in [&b""[..], b"b", b"baaaaaaaaaaaaaaaaaaaaaaa"] {
                let bytes = [&b"a".repeat(count), behind].concat();
                assert_eq!(same(&bytes, b'a'), count);
            }
        }
    }

    fn counts(bytes: &[u8]) {
        let feeds = bytes.split(|byte| *byte == b'\n').count() as u64 - 1;
        let leads = bytes.iter().filter(|byte| !(0x80..0xC0).contains(*byte)).count() as u64;
        for level in Level::all() {
            assert_eq!(level.run(Count(bytes, LineFeeds)), feeds, "{level:?}");
            assert_eq!(level.run(Count(bytes, Leads)), leads, "{level:?}");
        }
    }
}
