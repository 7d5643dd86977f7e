//! Converts CRLF and LF to another line ending.

use super::simd::{self, Kernel, Simd, WIDTH};

/// Which line endings are converted, and to what.
#[derive(Debug, Clone, Copy)]
pub struct LineEndingConversion {
    /// Whether LF alone is a line ending, as CRLF is.
    pub accepts_lf: bool,
    /// The line ending that is written, of up to `MAX_NEWLINE_LEN` bytes.
    pub newline: &'static [u8],
}

/// The maximum length of a line ending.
const MAX_NEWLINE_LEN: usize = 3;

impl LineEndingConversion {
    /// Converts up to a line ending that is not accepted, or to shortly before the end of `src` or
    /// `dst`. Returns the numbers of bytes read and written; at both, a character begins.
    pub fn convert(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        if src.len() < WIDTH {
            return (0, 0);
        }
        let (read, written) = simd::run(LineEndingKernel { conversion: *self, src, dst });
        // Whole characters only.
        let inside = src[..read].iter().rev().take_while(|byte| **byte & 0xC0 == 0x80).count();
        let is_inside = src.get(read).is_some_and(|byte| byte & 0xC0 == 0x80);
        let excess = if is_inside { inside + 1 } else { 0 };
        (read - excess, written - excess)
    }
}

struct LineEndingKernel<'a> {
    conversion: LineEndingConversion,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for LineEndingKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let LineEndingKernel { conversion, src, dst } = self;
        let LineEndingConversion { accepts_lf, newline } = conversion;
        let cr = simd.splat8(b'\r');
        // LF is copied if it is what is written.
        let lf = simd.splat8(if accepts_lf && newline == b"\n" { b'\r' } else { b'\n' });
        let mut padded_newline = [0; MAX_NEWLINE_LEN];
        padded_newline[..newline.len()].copy_from_slice(newline);
        let (mut read, mut written) = (0, 0);
        while let (Some(from), Some(to)) =
            (src[read..].first_chunk::<WIDTH>(), dst[written..].first_chunk_mut::<WIDTH>())
        {
            let bytes = simd.load(from);
            simd.store(bytes, to);
            let found = simd.movemask8(simd.or(simd.eq8(bytes, cr), simd.eq8(bytes, lf)));
            if found == 0 {
                (read, written) = (read + WIDTH, written + WIDTH);
                continue;
            }
            let plain = found.trailing_zeros() as usize;
            (read, written) = (read + plain, written + plain);
            let len = match (src[read], src.get(read + 1)) {
                (b'\r', Some(b'\n')) => 2,
                (b'\n', _) if accepts_lf => 1,
                _ => break,
            };
            let Some(to) = dst[written..].first_chunk_mut() else { break };
            *to = padded_newline;
            (read, written) = (read + len, written + newline.len());
        }
        (read, written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing::stride;

    #[test]
    fn kernel_agrees_with_replacement_of_strings() {
        let long = "a long line of text, é€😀\n\n\r\n".repeat(3);
        for (lf, crlf, times) in [("a\nb\n", "a\r\nb\r\n", 9), (&long, &long, 2)] {
            for text in [lf, crlf, &(lf.repeat(times) + "é"), &crlf.repeat(times)] {
                for newline in
                    [&b"\n"[..], b"\r\n", b"\r", "\u{85}".as_bytes(), "\u{2028}".as_bytes()]
                {
                    for accepts_lf in [false, true] {
                        check(text, LineEndingConversion { accepts_lf, newline });
                    }
                }
            }
        }
    }

    /// Compares what the kernel has converted with a slow conversion of the same part.
    fn check(text: &str, conversion: LineEndingConversion) {
        let newline = std::str::from_utf8(conversion.newline).unwrap();
        for space in (0..4 * text.len()).step_by(stride(31)) {
            let mut dst = vec![0; space];
            let (read, written) = conversion.convert(text.as_bytes(), &mut dst);
            let done = &text[..read];
            let expected = match conversion.accepts_lf {
                true => done.replace("\r\n", "\n").replace('\n', newline),
                false => done.replace("\r\n", newline),
            };
            assert_eq!(std::str::from_utf8(&dst[..written]), Ok(&*expected), "{conversion:?}");
            if !conversion.accepts_lf {
                assert!(!done.replace("\r\n", "").contains('\n'), "{conversion:?}: {done:?}");
            }
            let has_space = space >= 3 * text.len() + WIDTH;
            let is_done = text.len() - read < WIDTH || !conversion.accepts_lf;
            assert!(!has_space || is_done, "{conversion:?}: {read} of {}", text.len());
            for level in Level::all() {
                let mut dst = vec![0; space];
                let src = text.as_bytes();
                let kernel = LineEndingKernel { conversion, src, dst: &mut dst };
                let (own_read, own_written) = level.run(kernel);
                assert!(own_read >= read && own_read < read + 4, "{level:?}");
                assert_eq!(
                    std::str::from_utf8(&dst[..own_written - (own_read - read)]),
                    Ok(&*expected)
                );
            }
        }
    }
}
