//! Text of header lines in which nothing has to be looked at.

use super::simd::{self, Loop, Simd, WIDTH};

/// Octets that are looked at together.
const STEP: usize = 4 * WIDTH;

/// How many bytes at the front of `src` are ASCII and stand before the first `=?`. A `=` at the
/// end may begin one.
pub fn plain(src: &[u8]) -> usize {
    simd::run(Plain(src))
}

/// The same, byte by byte.
#[inline(always)]
fn few_plain(src: &[u8]) -> usize {
    let is_odd = |at: &usize| match src[*at] {
        b'=' => src.get(at + 1).is_none_or(|behind| *behind == b'?'),
        octet => !octet.is_ascii(),
    };
    (0..src.len()).find(is_odd).unwrap_or(src.len())
}

struct Plain<'a>(&'a [u8]);

impl Loop for Plain<'_> {
    type Answer = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let (equals, question) = (simd.splat8(b'='), simd.splat8(b'?'));
        let odd = |octets: &[u8; WIDTH], behind: &[u8; WIDTH]| {
            let (octets, behind) = (simd.load(octets), simd.load(behind));
            simd.or(octets, simd.and(simd.equal8(octets, equals), simd.equal8(behind, question)))
        };
        let mut at = 0;
        // One octet more than a step, since each is seen with the one behind it.
        while let Some(near) = self.0[at..].first_chunk::<{ STEP + 1 }>() {
            let (octets, behind) = (near[..STEP].as_chunks().0, near[1..].as_chunks().0);
            let [a, b, c, d] = std::array::from_fn(|index| odd(&octets[index], &behind[index]));
            if simd.mask8(simd.or(simd.or(a, b), simd.or(c, d))) != 0 {
                let [a, b, c, d] = [a, b, c, d].map(|odd| u64::from(simd.mask8(odd)));
                let all = a | b << WIDTH | c << (2 * WIDTH) | d << (3 * WIDTH);
                return at + all.trailing_zeros() as usize;
            }
            at += STEP;
        }
        at + few_plain(&self.0[at..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::Level;

    /// A loop that knows nothing of vectors, nor of ends.
    fn plainly(src: &[u8]) -> usize {
        let mut octets = src.iter().peekable();
        let mut count = 0;
        while let Some(octet) = octets.next() {
            let begins = *octet == b'=' && matches!(octets.peek(), None | Some(b'?'));
            if *octet > 0x7F || begins {
                break;
            }
            count += 1;
        }
        count
    }

    #[test]
    fn plain_text_ends_where_a_plain_loop_ends_it_at_every_length_and_alignment() {
        for odd in [&b"=?"[..], b"=", b"?", b"==?", b"\x80", b"\xFF=?", b"=\xBD"] {
            for len in 0..200 {
                for place in 0..=len {
                    for start in [0, 1, 7, 15] {
                        let mut bytes = vec![b'a'; start + len];
                        let from = start + place.min(len);
                        let near = odd.len().min(bytes.len() - from);
                        bytes[from..from + near].copy_from_slice(&odd[..near]);
                        let src = &bytes[start..];
                        let expected = plainly(src);
                        assert_eq!(plain(src), expected, "{len} {place} {start} {odd:?}");
                        for level in Level::all() {
                            assert_eq!(level.run(Plain(src)), expected, "{level:?} {len} {place}");
                        }
                    }
                }
            }
        }
    }
}
