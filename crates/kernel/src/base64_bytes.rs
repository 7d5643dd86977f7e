//! Base64 between bytes and digits, with and without lines.

use super::base64::{AlphabetVectors, BYTES_PER_WIDE_VECTOR, Base64Alphabet};
use super::digit_lines;
use super::simd::{self, Kernel, Simd, WIDE_WIDTH, WIDTH, WideSimd};

/// The number of bytes in a vector of digits.
const VECTOR_BYTES: usize = WIDTH / 4 * 3;

/// The shortest line that [`encode_lines`] writes.
pub const MIN_LINE_LEN: usize = WIDTH;

/// Encodes groups of 12 bytes without lines. Returns the numbers of bytes read and written.
pub fn encode(alphabet: &Base64Alphabet, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    simd::run(EncodeKernel { alphabet, src, dst })
}

/// Encodes whole lines of `line_len` digits, a multiple of 4 and at least [`MIN_LINE_LEN`], each
/// followed by `newline`. Returns the numbers of bytes read and written.
pub fn encode_lines(
    alphabet: &Base64Alphabet,
    src: &[u8],
    dst: &mut [u8],
    line_len: usize,
    newline: &[u8],
) -> (usize, usize) {
    debug_assert!(line_len >= MIN_LINE_LEN && line_len % 4 == 0);
    simd::run(EncodeLinesKernel { alphabet, src, dst, line_len, newline })
}

/// Decodes whole groups of four digits, and skips CR LF and LF between groups. Returns the numbers
/// of bytes read and written.
pub fn decode(alphabet: &Base64Alphabet, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    simd::run(DecodeKernel { alphabet, src, dst })
}

struct EncodeKernel<'a> {
    alphabet: &'a Base64Alphabet,
    src: &'a [u8],
    dst: &'a mut [u8],
}

struct EncodeLinesKernel<'a> {
    alphabet: &'a Base64Alphabet,
    src: &'a [u8],
    dst: &'a mut [u8],
    line_len: usize,
    newline: &'a [u8],
}

struct DecodeKernel<'a> {
    alphabet: &'a Base64Alphabet,
    src: &'a [u8],
    dst: &'a mut [u8],
}

/// Encodes the first 12 of 16 bytes to 16 digits.
#[inline(always)]
fn encode_vector<S: Simd>(
    simd: S,
    alphabet: &AlphabetVectors<S>,
    src: &[u8],
    dst: &mut [u8],
) -> Option<()> {
    let from = src.first_chunk()?;
    let to = dst.first_chunk_mut()?;
    simd.store(alphabet.encode_bytes(simd, simd.load(from)), to);
    Some(())
}

impl Kernel for EncodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let EncodeKernel { alphabet, src, dst } = self;
        let alphabet = alphabet.vectors(simd);
        let (mut read, mut written) = (0, 0);
        while encode_vector(simd, &alphabet, &src[read..], &mut dst[written..]).is_some() {
            read += VECTOR_BYTES;
            written += WIDTH;
        }
        (read, written)
    }

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> (usize, usize) {
        let EncodeKernel { alphabet, src, dst } = self;
        let (mut read, mut written) = (0, 0);
        while let (Some(from), Some(to)) =
            (src[read..].first_chunk(), dst[written..].first_chunk_mut())
        {
            w.store(alphabet.encode_wide(w, w.load(from)), to);
            read += BYTES_PER_WIDE_VECTOR;
            written += WIDE_WIDTH;
        }
        let rest = EncodeKernel { alphabet, src: &src[read..], dst: &mut dst[written..] };
        let (more_read, more_written) = rest.run(w.narrow());
        (read + more_read, written + more_written)
    }
}

impl Kernel for EncodeLinesKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let EncodeLinesKernel { alphabet, src, dst, line_len, newline } = self;
        let alphabet = alphabet.vectors(simd);
        let line_bytes = line_len / 4 * 3;
        // The last vector of a line ends at its last digit, and overlaps the one before.
        let (last_bytes, last_digits) = (line_bytes - VECTOR_BYTES, line_len - WIDTH);
        let (mut read, mut written) = (0, 0);
        while let Some(from) = src[read..].get(..last_bytes + WIDTH) {
            let Some(to) = dst[written..].get_mut(..line_len + newline.len()) else { break };
            let (mut at, mut digits_at) = (0, 0);
            while digits_at < last_digits {
                encode_vector(simd, &alphabet, &from[at..], &mut to[digits_at..]);
                at += VECTOR_BYTES;
                digits_at += WIDTH;
            }
            encode_vector(simd, &alphabet, &from[last_bytes..], &mut to[last_digits..]);
            for (to, from) in to[line_len..].iter_mut().zip(newline) {
                *to = *from;
            }
            read += line_bytes;
            written += line_len + newline.len();
        }
        (read, written)
    }

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> (usize, usize) {
        let EncodeLinesKernel { alphabet, src, dst, line_len, newline } = self;
        let vectors = alphabet.vectors(w.narrow());
        let line_bytes = line_len / 4 * 3;
        let (last_bytes, last_digits) = (line_bytes - VECTOR_BYTES, line_len - WIDTH);
        let (mut read, mut written) = (0, 0);
        while let Some(from) = src[read..].get(..last_bytes + WIDTH) {
            let Some(to) = dst[written..].get_mut(..line_len + newline.len()) else { break };
            let (mut at, mut digits_at) = (0, 0);
            while digits_at + WIDE_WIDTH <= line_len {
                let Some(to) = to[digits_at..].first_chunk_mut() else { break };
                let bytes = w.load_prefix(&from[at..at + BYTES_PER_WIDE_VECTOR]);
                w.store(alphabet.encode_wide(w, bytes), to);
                at += BYTES_PER_WIDE_VECTOR;
                digits_at += WIDE_WIDTH;
            }
            while digits_at < last_digits {
                encode_vector(w.narrow(), &vectors, &from[at..], &mut to[digits_at..]);
                at += VECTOR_BYTES;
                digits_at += WIDTH;
            }
            if digits_at < line_len {
                encode_vector(w.narrow(), &vectors, &from[last_bytes..], &mut to[last_digits..]);
            }
            for (to, from) in to[line_len..].iter_mut().zip(newline) {
                *to = *from;
            }
            read += line_bytes;
            written += line_len + newline.len();
        }
        (read, written)
    }
}

impl Kernel for DecodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let alphabet = self.alphabet.vectors(simd);
        digit_lines::decode::<WIDTH, 4, 3>(
            self.src,
            self.dst,
            #[inline(always)]
            |from: &[u8; WIDTH], to: &mut [u8; WIDTH]| {
                let bytes = simd.load(from);
                simd.store(alphabet.decode_to_bytes(simd, bytes), to);
                u64::from(alphabet.non_digits(simd, bytes))
            },
        )
    }

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> (usize, usize) {
        let DecodeKernel { alphabet, src, dst } = self;
        let (read, written) = digit_lines::decode::<WIDE_WIDTH, 4, 3>(
            src,
            dst,
            #[inline(always)]
            |from: &[u8; WIDE_WIDTH], to: &mut [u8; WIDE_WIDTH]| {
                let (bytes, non_digits) = alphabet.decode_wide(w, w.load(from));
                w.store(bytes, to);
                non_digits
            },
        );
        let rest = DecodeKernel { alphabet, src: &src[read..], dst: &mut dst[written..] };
        let (more_read, more_written) = rest.run(w.narrow());
        (read + more_read, written + more_written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing;
    use crate::testing::stride;

    const DIGITS: [&[u8; 64]; 2] = [
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    ];

    fn alphabets() -> [Base64Alphabet; 2] {
        [Base64Alphabet::with_last_digits(b'+', b'/'), Base64Alphabet::with_last_digits(b'-', b'_')]
    }

    /// Encodes whole groups, with a newline after each line.
    fn reference(digits: &[u8; 64], src: &[u8], line_len: usize, newline: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut column = 0;
        for group in src.chunks_exact(3) {
            let bits = group.iter().fold(0, |bits, byte| bits << 8 | usize::from(*byte));
            out.extend([18, 12, 6, 0].map(|shift| digits[bits >> shift & 63]));
            column += 4;
            if column == line_len {
                out.extend(newline);
                column = 0;
            }
        }
        out
    }

    #[test]
    fn encoding_agrees_with_reference_at_every_length() {
        let mut random = testing::random(0);
        for (alphabet, digits) in alphabets().iter().zip(DIGITS) {
            for len in (0..200).step_by(stride(63)) {
                let src: Vec<u8> = (0..len).map(|_| random.byte()).collect();
                for level in Level::all() {
                    for space in [len, 4 * len, 70] {
                        let mut dst = vec![0; space];
                        let kernel = EncodeKernel { alphabet, src: &src, dst: &mut dst };
                        let (read, written) = level.run(kernel);
                        assert!(read % 12 == 0 && (src.len() - read < 16 || space - written < 16));
                        assert_eq!(dst[..written], reference(digits, &src[..read], 0, b""));
                    }
                    for (line_len, newline) in
                        [(16, &b"\n"[..]), (76, b"\r\n"), (64, b"\n"), (20, b"")]
                    {
                        let mut dst = vec![0; 4 * len];
                        let dst = &mut dst;
                        let kernel =
                            EncodeLinesKernel { alphabet, src: &src, dst, line_len, newline };
                        let (read, written) = level.run(kernel);
                        assert_eq!(read % (line_len / 4 * 3), 0);
                        assert!(src.len() - read < line_len / 4 * 3 + 4);
                        let expected = reference(digits, &src[..read], line_len, newline);
                        assert_eq!(dst[..written], expected, "{level:?} {len} {line_len}");
                    }
                }
            }
        }
    }

    #[test]
    fn decoding_returns_the_encoded_bytes_and_stops_at_other_bytes() {
        let mut random = testing::random(1);
        for (alphabet, digits) in alphabets().iter().zip(DIGITS) {
            for (line_len, newline) in
                [(0, &b""[..]), (76, b"\n"), (64, b"\r\n"), (4, b"\n"), (24, b"\r\n")]
            {
                for groups in (0..70).step_by(stride(27)) {
                    let bytes: Vec<u8> = (0..3 * groups).map(|_| random.byte()).collect();
                    let src = reference(digits, &bytes, line_len, newline);
                    for level in Level::all() {
                        let mut dst = vec![0; bytes.len() + WIDTH];
                        let kernel = DecodeKernel { alphabet, src: &src, dst: &mut dst };
                        let (read, written) = level.run(kernel);
                        assert_eq!(dst[..written], bytes[..written], "{level:?} {line_len}");
                        // A last newline may be unread.
                        let len = reference(digits, &bytes[..written], line_len, newline).len();
                        assert!(read == len || read + newline.len() == len, "{read} of {len}");
                        assert!(src.len() - read < WIDTH + 2, "{level:?} {read} of {}", src.len());
                    }
                    let mut broken = src.clone();
                    broken.extend([b'A'; 20]);
                    let at = random.below(src.len() + 1);
                    broken[at] = random.one(b"=*@[`{ \x80\xFF.,~\x7F");
                    for level in Level::all() {
                        let mut dst = vec![0; bytes.len() + 2 * WIDTH];
                        let kernel = DecodeKernel { alphabet, src: &broken, dst: &mut dst };
                        let (read, written) = level.run(kernel);
                        assert!(read <= at, "{level:?} {line_len}");
                        assert_eq!(dst[..written], bytes[..written], "{level:?} {line_len}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_byte_that_is_not_a_digit_stops_decoding() {
        for (alphabet, digits) in alphabets().iter().zip(DIGITS) {
            for byte in (0..=255).step_by(stride(27)) {
                let src = [[byte; 4], [b'A'; 4], [b'A'; 4], [b'A'; 4]].concat();
                let (read, written) = decode(alphabet, &src, &mut [0; 32]);
                match byte {
                    _ if digits.contains(&byte) => assert_eq!((read, written), (16, 12)),
                    // Newlines, and then four digits at a time.
                    b'\n' => assert_eq!((read, written), (1, 0)),
                    _ => assert_eq!((read, written), (0, 0), "{byte:02X}"),
                }
            }
        }
    }
}
