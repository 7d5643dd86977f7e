//! Text to codes of one byte and two, by table.

use super::map_ascii_groups;
use super::utf8_to_utf16::{self, CodeUnits, GROUP_LEN, MIN_CHUNK_VECTORS, char_boundary};
use crate::kernel::simd::{self, Kernel, Simd, WIDTH};

/// The bytes of a code, the first lowest. Zero is none.
pub type CodeBytes = u32;

/// Characters up to U+FFFF.
pub const BMP_LEN: usize = 0x1_0000;

/// What text is encoded to.
#[derive(Debug, Clone, Copy)]
pub struct DbcsEncodeTable<'a> {
    /// The code of each character up to U+FFFF.
    pub entries: &'a [CodeBytes; BMP_LEN],
    /// Whether ASCII is encoded as itself.
    pub is_ascii_compatible: bool,
}

impl DbcsEncodeTable<'_> {
    /// Encodes characters at the start of `src` while `dst` has space to spare and each has a code of
    /// one byte or two. Says how many bytes it has read and written.
    pub fn encode(self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        simd::run(DbcsEncodeKernel { table: self, src: src.as_bytes(), dst })
    }

    /// The code of a unit.
    #[inline(always)]
    fn entry(self, unit: u16) -> CodeBytes {
        self.entries[usize::from(unit)]
    }

    /// Writes the codes of these units side by side: how many bytes, if each has one.
    #[inline(always)]
    fn write_group(
        self,
        units: &[u16; GROUP_LEN],
        output: &mut [u8; 2 * GROUP_LEN],
    ) -> Option<usize> {
        let (mut at, mut all) = (0, true);
        for unit in units {
            let code = self.entry(*unit);
            output[at..at + 2].copy_from_slice(&(code as u16).to_le_bytes());
            at += code_len(code);
            all &= is_one_or_two_bytes(code);
        }
        all.then_some(at)
    }

    /// Writes the codes of units up to one that has none: units, and bytes.
    #[inline(always)]
    fn write_each(self, units: &[u16], dst: &mut [u8]) -> (usize, usize) {
        let (mut taken, mut written) = (0, 0);
        for unit in units {
            let (code, len) = (self.entry(*unit), code_len(self.entry(*unit)));
            if !is_one_or_two_bytes(code) {
                break;
            }
            let Some(output) = dst.get_mut(written..written + len) else { break };
            output.copy_from_slice(&code.to_le_bytes()[..len]);
            taken += 1;
            written += len;
        }
        (taken, written)
    }
}

/// Whether a code has one byte or two.
#[inline(always)]
fn is_one_or_two_bytes(code: CodeBytes) -> bool {
    code.wrapping_sub(1) < 0xFFFF
}

/// The bytes of a short code.
#[inline(always)]
fn code_len(code: CodeBytes) -> usize {
    1 + usize::from(code > 0xFF)
}

struct DbcsEncodeKernel<'a> {
    table: DbcsEncodeTable<'a>,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for DbcsEncodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let DbcsEncodeKernel { table: codes, src, dst } = self;
        let (mut read, mut written, mut vectors) = (0, 0, MIN_CHUNK_VECTORS);
        let mut units = CodeUnits::new();
        loop {
            if codes.is_ascii_compatible {
                let run = map_ascii_groups(simd, &src[read..], &mut dst[written..], None);
                read += run;
                written += run;
            }
            let max_vectors = (dst.len() - written) / (2 * WIDTH);
            let taken = units.decode_chunk(simd, &src[read..], vectors.min(max_vectors));
            let mut good = 0;
            for group in units.groups() {
                let output = dst[written..].first_chunk_mut();
                let Some(output) = output else { break };
                let Some(put) = codes.write_group(group, output) else { break };
                good += GROUP_LEN;
                written += put;
            }
            let all = units.as_slice();
            if taken == 0 || good < all.len() {
                let (more, put) = codes.write_each(&all[good..], &mut dst[written..]);
                let read = char_boundary(src, read) + utf8_to_utf16::utf8_len(&all[..good + more]);
                return (read, written + put);
            }
            // The last group was filled up with the first unit.
            written -= (good - all.len()) * code_len(codes.entry(all[0]));
            read += taken;
            vectors = (2 * vectors).min(utf8_to_utf16::MAX_CHUNK_VECTORS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::Level;

    /// ASCII but for `#`, and a few more of each length; `!` has a code of three bytes.
    fn code(character: char) -> Option<CodeBytes> {
        let value = u32::from(character);
        match character {
            '#' => None,
            '!' => Some(0x40_4141),
            '\u{1}'..='\x7F' => Some(value),
            'é' | 'ж' | '中' | '가' => Some(value << 4 & 0xFFFF | 0x8080),
            'я' | '日' => Some(value & 0xFF | 0x80),
            '語' => Some(0x4321_4142),
            _ => None,
        }
    }

    fn table() -> Box<[CodeBytes; 0x1_0000]> {
        let of = |value| char::from_u32(value).and_then(code).unwrap_or(0);
        let all: Box<[CodeBytes]> = (0..0x1_0000).map(of).collect();
        all.try_into().unwrap()
    }

    /// The bytes of the longest front that has codes: bytes read, and those written.
    fn reference_encode(text: &str) -> (usize, Vec<u8>) {
        let (mut read, mut bytes) = (0, Vec::new());
        for character in text.chars() {
            match code(character) {
                Some(code @ 1..=0xFF) => bytes.push(code as u8),
                Some(code @ 0x100..=0xFFFF) => {
                    bytes.extend((code as u16).to_le_bytes());
                }
                _ => break,
            }
            read += character.len_utf8();
        }
        (read, bytes)
    }

    #[test]
    fn encoding_agrees_with_reference() {
        let table = table();
        let samples = ["plain", "é", "жя", "中", "日가", " "];
        let odd_ones = ["#", "!", "語", "\n", "😀", "\0"];
        for before in 0..120 {
            let front: String = (0..before).map(|at| samples[at * 5 % 7 % 6]).collect();
            let text = front + odd_ones[before % 6] + &"x中".repeat(60);
            for level in Level::all() {
                for start in text.char_indices().map(|(at, _)| at).take(16) {
                    let text = &text[start..];
                    let (max_read, bytes) = reference_encode(text);
                    for output in [0, 31, 32, 33, 100, 4000] {
                        let codes = DbcsEncodeTable { entries: &table, is_ascii_compatible: false };
                        let mut dst = vec![0x55; output];
                        let src = text.as_bytes();
                        let (read, written) =
                            level.run(DbcsEncodeKernel { table: codes, src, dst: &mut dst });
                        let (same, end) = reference_encode(&text[..read]);
                        assert_eq!((same, &dst[..written]), (read, &end[..]), "{level:?} {before}");
                        assert!(bytes.starts_with(&dst[..written]));
                        let stops = max_read - read < 2 * WIDTH || text.len() - read < 2 * WIDTH;
                        assert!(
                            stops || output - written < 2 * WIDTH,
                            "{level:?} {before} is early"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn ascii_missing_from_the_table_is_copied() {
        let table = table();
        let text = "#\0!".repeat(100);
        let codes = DbcsEncodeTable { entries: &table, is_ascii_compatible: true };
        let mut dst = [0; 1000];
        let (read, written) = codes.encode(&text, &mut dst);
        assert_eq!((read, &dst[..written]), (256, &text.as_bytes()[..256]));
    }
}
