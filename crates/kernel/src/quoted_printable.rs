//! Encodes quoted-printable, whole lines at once.

use super::ascii_set::AsciiByteSet;
use super::byte_escapes::{self, Units, is_space};
use super::simd::{self, Kernel, Simd, WIDTH};

/// The maximum length of a line without the `=` of a soft line break.
const MAX_COLUMN: usize = 75;

/// The number of literals in a row that are copied as a vector.
const MIN_LITERALS: usize = 8;

/// The space that is needed to encode a vector.
const ENCODED_SPACE: usize = 3 * WIDTH + 1;

/// Encodes bytes to their units, of which `literals` are those that are the bytes themselves, in lines.
/// Line endings have no units, unless they are escaped. `is_crlf` means that LF and soft line breaks
/// become CR LF. The first byte is at `column`.
///
/// Returns the numbers of bytes read and written, and the column after them. Stops before white space
/// and characters that may be the last ones of a line, before CR without LF, and shortly before the end
/// of a slice.
pub fn encode(
    units: &Units,
    literals: &AsciiByteSet,
    is_crlf: bool,
    column: usize,
    src: &[u8],
    dst: &mut [u8],
) -> (usize, usize, usize) {
    simd::run(EncodeKernel { units, literals, is_crlf, column, src, dst })
}

#[inline(always)]
fn soft_break(is_crlf: bool) -> &'static [u8] {
    if is_crlf { b"=\r\n" } else { b"=\n" }
}

/// Writes a few bytes to the start of `to`.
#[inline(always)]
fn put(bytes: &[u8], to: &mut [u8]) {
    for (to, from) in to.iter_mut().zip(bytes) {
        *to = *from;
    }
}

struct EncodeKernel<'a> {
    units: &'a Units,
    literals: &'a AsciiByteSet,
    is_crlf: bool,
    column: usize,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for EncodeKernel<'_> {
    type Output = (usize, usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize, usize) {
        let EncodeKernel { units, literals, is_crlf, mut column, src, dst } = self;
        let literals = literals.vectors(simd);
        let soft_break = soft_break(is_crlf);
        let (mut read, mut written) = (0, 0);
        while let (Some(from), Some(to)) =
            (src[read..].first_chunk::<WIDTH>(), dst[written..].first_chunk_mut::<ENCODED_SPACE>())
        {
            let bytes = simd.load(from);
            let space = MAX_COLUMN.saturating_sub(column);
            let literal_count = literals.prefix_len(simd, bytes);
            let count = if literal_count >= MIN_LITERALS {
                if let Some(to) = to.first_chunk_mut() {
                    simd.store(bytes, to);
                }
                let count = literal_count.min(space);
                (read, written, column) = (read + count, written + count, column + count);
                count
            } else {
                // As many as fit for certain, or one.
                let count = (space / 3).max(1);
                let (count, len) = match usize::from(units[usize::from(from[0])][3]) {
                    len if len > space => (0, 0),
                    _ => byte_escapes::encode_units(units, from, count, to),
                };
                (read, written, column) = (read + count, written + len, column + len);
                count
            };
            if count > 0 {
                continue;
            }
            if units[usize::from(from[0])][3] == 0 {
                if read > 0 && column > 0 && is_space(src[read - 1]) {
                    break;
                }
                let len = match (from[0], from[1]) {
                    (b'\n', _) => 1,
                    (b'\r', b'\n') => 2,
                    _ => break,
                };
                let newline = if is_crlf { b"\r\n" } else { &from[..len] };
                put(newline, to);
                (read, written, column) = (read + len, written + newline.len(), 0);
                continue;
            }
            // The next byte would be the last one of the line, which it may be if the line ends there.
            if units[usize::from(from[1])][3] == 0 {
                break;
            }
            put(soft_break, to);
            (written, column) = (written + soft_break.len(), 0);
        }
        // Whether it is at the end of a line is not known.
        if read > 0 && column > 0 && is_space(src[read - 1]) {
            (read, written, column) = (read - 1, written - 1, column - 1);
        }
        (read, written, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing::{self, XorShift};

    fn is_literal(byte: u8) -> bool {
        matches!(byte, b' '..=b'~' | b'\t') && byte != b'='
    }

    fn units(is_binary: bool) -> Units {
        std::array::from_fn(|byte| match byte as u8 {
            b'\r' | b'\n' if !is_binary => [0; 4],
            byte if is_literal(byte) => [byte, 0, 0, 1],
            byte => {
                let [first, second, third] = *format!("={byte:02X}").as_bytes() else {
                    return [0; 4];
                };
                [first, second, third, 3]
            }
        })
    }

    fn random_text(random: &mut XorShift) -> Vec<u8> {
        let common = random.one(&[&b"aaab   \n"[..], b"ab \xC3\xA9", b"\xD0\xB8 ", b"a =\n"]);
        let rarity = 1 + random.below(60);
        let unit = |random: &mut XorShift| match random.below(rarity) {
            0 => random.one(&[&b"\n"[..], b"\r\n", b"\r", b"\t", b" \n", b"=", b"\x7F", b"\0"]),
            _ => {
                let at = random.below(common.len());
                &common[at..at + 1]
            }
        };
        (0..random.below(300)).flat_map(|_| unit(random)).copied().collect()
    }

    /// Encodes one byte at a time what does not depend on more than the next byte. Returns the output,
    /// and its length and the column after each byte.
    fn encode_slowly(is_binary: bool, is_crlf: bool, src: &[u8]) -> (Vec<u8>, Vec<(usize, usize)>) {
        let (mut out, mut column, mut ends) = (Vec::new(), 0, Vec::new());
        let is_newline = |byte: u8| !is_binary && matches!(byte, b'\r' | b'\n');
        for (at, &byte) in src.iter().enumerate() {
            let next = src.get(at + 1).copied();
            let unit = match byte {
                b'\r' if !is_binary && next != Some(b'\n') => break,
                b'\r' if !is_binary && is_crlf => vec![],
                b'\n' if !is_binary && is_crlf => b"\r\n".to_vec(),
                byte if is_literal(byte) || is_newline(byte) => vec![byte],
                byte => format!("={byte:02X}").into_bytes(),
            };
            let is_last = next.is_none_or(is_newline);
            if !is_newline(byte) {
                let is_full = column + unit.len() > MAX_COLUMN;
                if is_last && (is_space(byte) || is_full) {
                    break;
                }
                if is_full {
                    out.extend(soft_break(is_crlf));
                    column = 0;
                }
            }
            out.extend(&unit);
            column = if is_newline(byte) { 0 } else { column + unit.len() };
            ends.push((out.len(), column));
        }
        (out, ends)
    }

    const MODES: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

    #[test]
    fn encoder_agrees_with_one_byte_at_a_time() {
        let literals = AsciiByteSet::new(is_literal);
        let mut random = testing::random(7);
        for _ in 0..if cfg!(miri) { 20 } else { 2000 } {
            let src = random_text(&mut random);
            for (is_binary, is_crlf) in MODES {
                let units = units(is_binary);
                let (expected, ends) = encode_slowly(is_binary, is_crlf, &src);
                for level in Level::all() {
                    let mut dst = vec![0; 4 * src.len() + ENCODED_SPACE];
                    let (read, written, column) = level.run(EncodeKernel {
                        units: &units,
                        literals: &literals,
                        is_crlf,
                        column: 0,
                        src: &src,
                        dst: &mut dst,
                    });
                    let label = format!("{level:?} {is_binary} {is_crlf} {}", src.escape_ascii());
                    let end = read.checked_sub(1).map_or((0, 0), |last| ends[last]);
                    // A soft line break may be written before the unit after it.
                    let after_break = (end.0 + soft_break(is_crlf).len(), 0);
                    assert!([end, after_break].contains(&(written, column)), "{label}");
                    assert!(expected.starts_with(&dst[..written]), "{label}");
                    let rest = &src[read..];
                    let is_stop = rest.len() <= WIDTH
                        || rest[..3].iter().any(|byte| matches!(byte, b'\r' | b'\n'));
                    assert!(is_stop, "{label}");
                }
            }
        }
    }

    #[test]
    fn decoder_restores_what_the_encoder_wrote() {
        let literals = AsciiByteSet::new(is_literal);
        let mut random = testing::random(8);
        for _ in 0..if cfg!(miri) { 20 } else { 4000 } {
            let src = random_text(&mut random);
            for (is_binary, is_crlf) in [(false, false), (true, false), (true, true)] {
                let (encoded, _) = encode_slowly(is_binary, is_crlf, &src);
                let mut dst = vec![0; encoded.len() + 2 * WIDTH];
                let (read, written) =
                    byte_escapes::decode_lines(b'=', &literals, &encoded, &mut dst);
                let label = format!("{is_binary} {is_crlf} {}", encoded.escape_ascii());
                assert!(src.starts_with(&dst[..written]), "{label}");
                assert!(encoded[read..].trim_ascii_start().len() < 2 * WIDTH, "{label} {read}");
            }
        }
    }
}
