//! Text to codes of one byte and two, by table.

use super::ascii_runs;
use super::units::{self, FEW, GROUP, Units, boundary};
use crate::kernel::simd::{self, Loop, Simd, WIDTH};

/// The bytes of a code, the first lowest. Nought is none.
pub type Code = u32;

/// Characters up to U+FFFF.
pub const SHORT: usize = 0x1_0000;

/// What text is encoded to.
#[derive(Debug, Clone, Copy)]
pub struct Codes<'a> {
    /// The code of each character up to U+FFFF.
    pub table: &'a [Code; SHORT],
    /// Whether ASCII is encoded as itself.
    pub ascii: bool,
}

impl Codes<'_> {
    /// Encodes characters at the front of `src` while `dst` has room to spare and each has a code of
    /// one byte or two. Says how many bytes it has read and written.
    pub fn encode(self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        simd::run(Encode { codes: self, src: src.as_bytes(), dst })
    }

    /// The code of a unit.
    #[inline(always)]
    fn slot(self, unit: u16) -> Code {
        self.table[usize::from(unit)]
    }

    /// Writes the codes of these units side by side: how many bytes, if each has one.
    #[inline(always)]
    fn put(self, units: &[u16; GROUP], room: &mut [u8; 2 * GROUP]) -> Option<usize> {
        let (mut at, mut all) = (0, true);
        for unit in units {
            let code = self.slot(*unit);
            room[at..at + 2].copy_from_slice(&(code as u16).to_le_bytes());
            at += length(code);
            all &= is_short(code);
        }
        all.then_some(at)
    }

    /// Writes the codes of units up to one that has none: units, and bytes.
    #[inline(always)]
    fn each(self, units: &[u16], dst: &mut [u8]) -> (usize, usize) {
        let (mut taken, mut written) = (0, 0);
        for unit in units {
            let (code, len) = (self.slot(*unit), length(self.slot(*unit)));
            if !is_short(code) {
                break;
            }
            let Some(room) = dst.get_mut(written..written + len) else { break };
            room.copy_from_slice(&code.to_le_bytes()[..len]);
            taken += 1;
            written += len;
        }
        (taken, written)
    }
}

/// Whether a code has one byte or two.
#[inline(always)]
fn is_short(code: Code) -> bool {
    code.wrapping_sub(1) < 0xFFFF
}

/// The bytes of a short code.
#[inline(always)]
fn length(code: Code) -> usize {
    1 + usize::from(code > 0xFF)
}

struct Encode<'a> {
    codes: Codes<'a>,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Loop for Encode<'_> {
    type Answer = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let Encode { codes, src, dst } = self;
        let (mut read, mut written, mut vectors) = (0, 0, FEW);
        let mut units = Units::new();
        loop {
            if codes.ascii {
                let run = ascii_runs(simd, &src[read..], &mut dst[written..], None);
                read += run;
                written += run;
            }
            let most = (dst.len() - written) / (2 * WIDTH);
            let taken = units.take(simd, &src[read..], vectors.min(most));
            let mut good = 0;
            for group in units.groups() {
                let room = dst[written..].first_chunk_mut();
                let Some(room) = room else { break };
                let Some(put) = codes.put(group, room) else { break };
                good += GROUP;
                written += put;
            }
            let all = units.all();
            if taken == 0 || good < all.len() {
                let (more, put) = codes.each(&all[good..], &mut dst[written..]);
                let read = boundary(src, read) + units::length(&all[..good + more]);
                return (read, written + put);
            }
            // The last group was filled up with the first unit.
            written -= (good - all.len()) * length(codes.slot(all[0]));
            read += taken;
            vectors = (2 * vectors).min(units::MOST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::Level;

    /// ASCII but for `#`, and a few more of each length; `!` has a code of three bytes.
    fn code(character: char) -> Option<Code> {
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

    fn table() -> Box<[Code; 0x1_0000]> {
        let of = |value| char::from_u32(value).and_then(code).unwrap_or(0);
        let all: Box<[Code]> = (0..0x1_0000).map(of).collect();
        all.try_into().unwrap()
    }

    /// The bytes of the longest front that has codes: bytes read, and those written.
    fn plain(text: &str) -> (usize, Vec<u8>) {
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
    fn encoding_agrees_with_the_plain_loop() {
        let table = table();
        let samples = ["plain", "é", "жя", "中", "日가", " "];
        let odd_ones = ["#", "!", "語", "\n", "😀", "\0"];
        for before in 0..120 {
            let front: String = (0..before).map(|at| samples[at * 5 % 7 % 6]).collect();
            let text = front + odd_ones[before % 6] + &"x中".repeat(60);
            for level in Level::all() {
                for start in text.char_indices().map(|(at, _)| at).take(16) {
                    let text = &text[start..];
                    let (most, bytes) = plain(text);
                    for room in [0, 31, 32, 33, 100, 4000] {
                        let codes = Codes { table: &table, ascii: false };
                        let mut dst = vec![0x55; room];
                        let src = text.as_bytes();
                        let (read, written) = level.run(Encode { codes, src, dst: &mut dst });
                        let (same, end) = plain(&text[..read]);
                        assert_eq!((same, &dst[..written]), (read, &end[..]), "{level:?} {before}");
                        assert!(bytes.starts_with(&dst[..written]));
                        let stops = most - read < 2 * WIDTH || text.len() - read < 2 * WIDTH;
                        assert!(stops || room - written < 2 * WIDTH, "{level:?} {before} is early");
                    }
                }
            }
        }
    }

    #[test]
    fn ascii_that_is_itself_is_copied_with_what_the_table_lacks() {
        let table = table();
        let text = "#\0!".repeat(100);
        let codes = Codes { table: &table, ascii: true };
        let mut dst = [0; 1000];
        let (read, written) = codes.encode(&text, &mut dst);
        assert_eq!((read, &dst[..written]), (256, &text.as_bytes()[..256]));
    }
}
