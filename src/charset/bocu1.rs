//! BOCU-1 (UTN #6): each character as its distance from the one before it.
//!
//! The octets 00 to 20 are themselves. All else is a difference from a value near the character
//! before, the middle of its script so to speak, in 1 to 4 octets. Both directions remember that
//! value and nothing more. The octet FF puts it back to the start. A decoder takes a control for a
//! difference as well, though no encoder writes one so.
//!
//! An ill-formed sequence is a lead with the trails that it has, and decoding goes on as at the
//! start of a text: what the next difference is counted from has been lost. FB EE 28 at the start,
//! the signature, is U+FEFF and is kept.

use super::{Charset, Made, Mark, Settings};
use crate::codec::{Decoder, Encoder, Progress, Resume, State};
use crate::fault::{Malformed, Unmappable, Why};

mod difference;

#[cfg(test)]
mod tests;

/// Binary ordered compression for Unicode.
pub static BOCU_1: Charset = Charset {
    name: "BOCU-1",
    about: "Unicode as differences in 1 to 4 octets (UTN #6)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Bocu1::new()),
        encoder: |_: &Settings| Box::new(Bocu1::new()),
    },
    wide: None,
};

/// What the first difference of a text is counted from, and the least value there is.
const AT_START: u32 = 0x40;

/// Stands between words of any script, so that it leaves what the next difference is counted from.
const SPACE: u8 = 0x20;

/// Puts [`AT_START`] back; no character.
const RESET: u8 = 0xFF;

/// Scripts that are not in blocks of 128: first and last character, and what the difference behind
/// one of them is counted from.
const WIDE_SCRIPTS: [(u32, u32, u32); 3] = [
    // Hiragana
    (0x3040, 0x309F, 0x3070),
    // CJK Unified Ideographs: the value that reaches the first of them in 2 octets
    (0x4E00, 0x9FA5, 0x7711),
    // Hangul Syllables: the middle
    (0xAC00, 0xD7A3, 0xC1D1),
];

/// Both halves.
struct Bocu1 {
    /// What the next difference is counted from.
    previous: u32,
}

impl Bocu1 {
    const fn new() -> Bocu1 {
        Bocu1 { previous: AT_START }
    }

    /// What the first octets are, and how many; none are no character yet.
    fn first(&self, src: &[u8]) -> Result<Option<(char, usize)>, (usize, Why)> {
        let (code, len) = match *src {
            [] => return Ok(None),
            [octet @ 0x00..=0x20, ..] => (u32::from(octet), 1),
            _ => match difference::read(src)? {
                None => return Ok(None),
                Some((difference, len)) => {
                    let code = self.previous.checked_add_signed(difference);
                    (code.ok_or((len, Why::OutOfRange))?, len)
                }
            },
        };
        match char::from_u32(code) {
            Some(character) => Ok(Some((character, len))),
            None if code <= 0xDFFF => Err((len, Why::Surrogate)),
            None => Err((len, Why::OutOfRange)),
        }
    }
}

/// What the difference behind `character` is counted from, unless that is a space.
fn after(character: char) -> u32 {
    match u32::from(character) {
        code @ 0x3000..=0xD7FF => WIDE_SCRIPTS
            .iter()
            .find(|(first, last, _)| (*first..=*last).contains(&code))
            .map_or(middle_of_block(code), |(_, _, middle)| *middle),
        code => middle_of_block(code),
    }
}

fn middle_of_block(code: u32) -> u32 {
    (code & !0x7F) + 0x40
}

impl Resume for Bocu1 {
    fn state(&self) -> State {
        State::new(u64::from(self.previous - AT_START))
    }

    fn resume(&mut self, at: State) {
        self.previous = at.bits() as u32 + AT_START;
    }

    fn window(&self) -> usize {
        4
    }
}

impl Decoder for Bocu1 {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let rest = &src[read..];
            if rest.first() == Some(&RESET) {
                self.previous = AT_START;
                read += 1;
                continue;
            }
            let found = match self.first(rest) {
                Ok(None) if end && !rest.is_empty() => Err((rest.len(), Why::Truncated)),
                found => found,
            };
            let (character, len) = match found {
                Ok(Some(found)) => found,
                Ok(None) => return Progress::input(read, written),
                Err((len, why)) => {
                    let fault = Malformed::new(len, why, State::START);
                    return Progress::fault(read, written, fault);
                }
            };
            if dst.len() - written < character.len_utf8() {
                return Progress::output(read, written);
            }
            written += character.encode_utf8(&mut dst[written..]).len();
            read += len;
            if rest[0] != SPACE {
                self.previous = after(character);
            }
        }
    }
}

impl Encoder for Bocu1 {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        for character in src.chars() {
            let code = u32::from(character);
            let difference = code as i32 - self.previous as i32;
            let single =
                if code <= 0x20 { Some(code as u8) } else { difference::single(difference) };
            let len = match single {
                Some(octet) => put(&[octet], &mut dst[written..]),
                None => {
                    let (octets, len) = difference::form(difference);
                    put(&octets[..len], &mut dst[written..])
                }
            };
            let Some(len) = len else { return Progress::output(read, written) };
            written += len;
            read += character.len_utf8();
            if character != char::from(SPACE) {
                self.previous = after(character);
            }
        }
        Progress::input(read, written)
    }
}

/// Writes all of these octets, if there is room; says how many.
fn put(octets: &[u8], dst: &mut [u8]) -> Option<usize> {
    dst.get_mut(..octets.len())?.copy_from_slice(octets);
    Some(octets.len())
}
