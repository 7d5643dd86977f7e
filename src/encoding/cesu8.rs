//! CESU-8 (UTR #26) and Java's modified UTF-8: UTF-16 units, each in the form that UTF-8 gives to
//! its value.
//!
//! A character above U+FFFF is a surrogate pair of 3 bytes each, and there is no form of 4
//! bytes. Modified UTF-8 (java.io.DataInput) has U+0000 as C0 80, so that no byte is 00.

use super::{BomHandling, Encoding, EncodingOptions, FnFactory};
use crate::codec::{Checkpoint, Decoder, Encoder, Progress, State, Status};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::kernel;

mod sequence;
mod utf8_runs;

#[cfg(test)]
mod tests;

use sequence::{Sequence, read_sequence};

/// UTF-8 over UTF-16.
pub static CESU_8: Encoding = Encoding {
    name: "CESU-8",
    description: "UTF-16 units in 1 to 3 bytes each (UTR #26)",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| Box::new(Cesu8Codec { nul: NulEncoding::SingleByte }),
        encoder: |_: &EncodingOptions| Box::new(Cesu8Codec { nul: NulEncoding::SingleByte }),
    },
    ucs4: None,
};

/// The same without the byte 00.
pub static MUTF_8: Encoding = Encoding {
    name: "MUTF-8",
    description: "UTF-16 units in 1 to 3 bytes each, NUL as C0 80 (java.io.DataInput)",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| Box::new(Cesu8Codec { nul: NulEncoding::Overlong }),
        encoder: |_: &EncodingOptions| Box::new(Cesu8Codec { nul: NulEncoding::Overlong }),
    },
    ucs4: None,
};

/// How U+0000 is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NulEncoding {
    /// 00.
    SingleByte,
    /// C0 80.
    Overlong,
}

/// U+0000 where no byte may be 00.
const OVERLONG_NUL: [u8; 2] = [0xC0, 0x80];

/// Characters that go one by one, and the ASCII between them, before a block is tried again.
const SCALAR_LIMIT: usize = 8;

/// Both halves: neither remembers anything.
struct Cesu8Codec {
    nul: NulEncoding,
}

impl Checkpoint for Cesu8Codec {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        6
    }
}

impl Cesu8Codec {
    /// How many bytes at the start of this UTF-8 make the characters that stay as they are.
    fn utf8_prefix_len(&self, text: &[u8]) -> usize {
        let blocks = utf8_runs::shared_prefix_blocks(text, self.nul);
        let least = u8::from(self.nul == NulEncoding::Overlong);
        let rest = &text[blocks..];
        let differs = |byte: &u8| !(least..0xF0).contains(byte);
        blocks + rest.iter().position(differs).unwrap_or(rest.len())
    }

    /// The bytes of one character, and how many they are.
    fn encode_char(&self, character: char) -> ([u8; 6], usize) {
        let mut form = [0; 6];
        if character == '\0' && self.nul == NulEncoding::Overlong {
            form[..2].copy_from_slice(&OVERLONG_NUL);
            return (form, 2);
        }
        let mut units = [0; 2];
        if let &mut [high, low] = character.encode_utf16(&mut units) {
            form[..3].copy_from_slice(&encode_unit(high));
            form[3..].copy_from_slice(&encode_unit(low));
            return (form, 6);
        }
        let len = character.encode_utf8(&mut form).len();
        (form, len)
    }
}

impl Decoder for Cesu8Codec {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let same = utf8_runs::copy_shared(&src[read..], &mut dst[written..], self.nul);
            read += same;
            written += same;
            for _ in 0..SCALAR_LIMIT {
                if self.nul == NulEncoding::SingleByte && src.get(read).is_some_and(u8::is_ascii) {
                    let ascii = kernel::ascii::copy(&src[read..], &mut dst[written..]);
                    read += ascii;
                    written += ascii;
                }
                let (character, len) = match decode_one(&src[read..], self.nul, end) {
                    Ok(sequence) => sequence,
                    Err(stop) => return Progress { read, written, status: stop },
                };
                if dst.len() - written < character.len_utf8() {
                    return Progress::output_full(read, written);
                }
                written += character.encode_utf8(&mut dst[written..]).len();
                read += len;
            }
        }
    }
}

/// The character at the start of the source and its bytes, or why there is none.
fn decode_one(src: &[u8], nul: NulEncoding, end: bool) -> Result<(char, usize), Status<Malformed>> {
    let (len, reason) = match read_sequence(src, nul) {
        Sequence::Character(character, len) => return Ok((character, len)),
        Sequence::Incomplete if !end || src.is_empty() => return Err(Status::InputEmpty),
        Sequence::Incomplete => (src.len(), MalformedReason::Truncated),
        Sequence::Malformed(len, why) => (len, why),
    };
    Err(Status::Error(Malformed::new(len, reason, State::INITIAL)))
}

/// The form of 3 bytes that UTF-8 has for the values from 0800 on.
fn encode_unit(unit: u16) -> [u8; 3] {
    let six_bits = |shift: u32| 0x80 | (unit >> shift & 0x3F) as u8;
    [0xE0 | (unit >> 12) as u8, six_bits(6), six_bits(0)]
}

impl Encoder for Cesu8Codec {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            let fits = read + src[read..].floor_char_boundary(dst.len() - written);
            let same = self.utf8_prefix_len(&src.as_bytes()[read..fits]);
            dst[written..written + same].copy_from_slice(&src.as_bytes()[read..read + same]);
            read += same;
            written += same;
            let Some(character) = src[read..].chars().next() else {
                return Progress::input_empty(read, written);
            };
            let (form, len) = self.encode_char(character);
            let Some(space) = dst[written..].get_mut(..len) else {
                return Progress::output_full(read, written);
            };
            space.copy_from_slice(&form[..len]);
            written += len;
            read += character.len_utf8();
        }
    }
}
