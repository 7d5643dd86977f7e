//! BOCU-1 (UTN #6): each character as its distance from the one before it.
//!
//! The bytes 00 to 20 are themselves. All else is a difference from a value near the character
//! before, the middle of its script so to speak, in 1 to 4 bytes. Both directions remember that
//! value and nothing more. The byte FF puts it back to the start. A decoder takes a control for a
//! difference as well, though no encoder writes one so.
//!
//! An ill-formed sequence is a lead with the trails that it has, and decoding goes on as at the
//! start of a text: what the next difference is counted from has been lost. FB EE 28 at the start,
//! the signature, is U+FEFF and is kept.

use super::{BomHandling, Encoding, EncodingOptions, FnFactory};
use crate::codec::{Checkpoint, Decoder, Encoder, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};

mod diff;

#[cfg(test)]
mod tests;

/// Binary ordered compression for Unicode.
pub static BOCU_1: Encoding = Encoding {
    name: "BOCU-1",
    description: "Unicode as differences in 1 to 4 bytes (UTN #6)",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| Box::new(Bocu1Codec::new()),
        encoder: |_: &EncodingOptions| Box::new(Bocu1Codec::new()),
    },
    ucs4: None,
};

/// What the first difference of a text is counted from, and the least value there is.
const INITIAL_PREVIOUS: u32 = 0x40;

/// Stands between words of any script, so that it leaves what the next difference is counted from.
const SPACE: u8 = 0x20;

/// Puts [`AT_START`] back; no character.
const RESET: u8 = 0xFF;

/// Scripts that are not in blocks of 128: first and last character, and what the difference after
/// one of them is counted from.
const WIDE_SCRIPTS: [(u32, u32, u32); 3] = [
    // Hiragana
    (0x3040, 0x309F, 0x3070),
    // CJK Unified Ideographs: the value that reaches the first of them in 2 bytes
    (0x4E00, 0x9FA5, 0x7711),
    // Hangul Syllables: the middle
    (0xAC00, 0xD7A3, 0xC1D1),
];

/// Both halves.
struct Bocu1Codec {
    /// What the next difference is counted from.
    previous: u32,
}

impl Bocu1Codec {
    const fn new() -> Bocu1Codec {
        Bocu1Codec { previous: INITIAL_PREVIOUS }
    }

    /// What the first bytes are, and how many; none are no character yet.
    fn decode_one(&self, src: &[u8]) -> Result<Option<(char, usize)>, (usize, MalformedReason)> {
        let (code, len) = match *src {
            [] => return Ok(None),
            [byte @ 0x00..=0x20, ..] => (u32::from(byte), 1),
            _ => match diff::decode(src)? {
                None => return Ok(None),
                Some((difference, len)) => {
                    let code = self.previous.checked_add_signed(difference);
                    (code.ok_or((len, MalformedReason::OutOfRange))?, len)
                }
            },
        };
        match char::from_u32(code) {
            Some(character) => Ok(Some((character, len))),
            None if code <= 0xDFFF => Err((len, MalformedReason::Surrogate)),
            None => Err((len, MalformedReason::OutOfRange)),
        }
    }
}

/// What the difference after `character` is counted from, unless that is a space.
fn previous_after(character: char) -> u32 {
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

impl Checkpoint for Bocu1Codec {
    fn save_state(&self) -> State {
        State::new(u64::from(self.previous - INITIAL_PREVIOUS))
    }

    fn restore_state(&mut self, at: State) {
        self.previous = at.bits() as u32 + INITIAL_PREVIOUS;
    }

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl Decoder for Bocu1Codec {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let rest = &src[read..];
            if rest.first() == Some(&RESET) {
                self.previous = INITIAL_PREVIOUS;
                read += 1;
                continue;
            }
            let found = match self.decode_one(rest) {
                Ok(None) if end && !rest.is_empty() => {
                    Err((rest.len(), MalformedReason::Truncated))
                }
                found => found,
            };
            let (character, len) = match found {
                Ok(Some(found)) => found,
                Ok(None) => return Progress::input_empty(read, written),
                Err((len, reason)) => {
                    let error = Malformed::new(len, reason, State::INITIAL);
                    return Progress::error(read, written, error);
                }
            };
            if dst.len() - written < character.len_utf8() {
                return Progress::output_full(read, written);
            }
            written += character.encode_utf8(&mut dst[written..]).len();
            read += len;
            if rest[0] != SPACE {
                self.previous = previous_after(character);
            }
        }
    }
}

impl Encoder for Bocu1Codec {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        for character in src.chars() {
            let code = u32::from(character);
            let difference = code as i32 - self.previous as i32;
            let single =
                if code <= 0x20 { Some(code as u8) } else { diff::encode_single_byte(difference) };
            let len = match single {
                Some(byte) => write_bytes(&[byte], &mut dst[written..]),
                None => {
                    let (bytes, len) = diff::encode(difference);
                    write_bytes(&bytes[..len], &mut dst[written..])
                }
            };
            let Some(len) = len else { return Progress::output_full(read, written) };
            written += len;
            read += character.len_utf8();
            if character != char::from(SPACE) {
                self.previous = previous_after(character);
            }
        }
        Progress::input_empty(read, written)
    }
}

/// Writes all of these bytes, if there is space; says how many.
fn write_bytes(bytes: &[u8], dst: &mut [u8]) -> Option<usize> {
    dst.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(bytes.len())
}
