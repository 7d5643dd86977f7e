//! CESU-8 (UTR #26) and Java's modified UTF-8: UTF-16 units, each in the form that UTF-8 gives to
//! its value.
//!
//! A character above U+FFFF is a surrogate pair of 3 octets each, and there is no form of 4
//! octets. Modified UTF-8 (java.io.DataInput) has U+0000 as C0 80, so that no octet is 00.

use super::{Charset, Made, Mark, Settings};
use crate::codec::{Decoder, Encoder, Progress, Resume, State, Stop};
use crate::fault::{Malformed, Unmappable, Why};
use crate::kernel;

mod same;
mod sequence;

#[cfg(test)]
mod tests;

use sequence::{Sequence, sequence};

/// UTF-8 over UTF-16.
pub static CESU_8: Charset = Charset {
    name: "CESU-8",
    about: "UTF-16 units in 1 to 3 octets each (UTR #26)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Cesu8 { nul: Nul::Octet }),
        encoder: |_: &Settings| Box::new(Cesu8 { nul: Nul::Octet }),
    },
    wide: None,
};

/// The same without the octet 00.
pub static MUTF_8: Charset = Charset {
    name: "MUTF-8",
    about: "UTF-16 units in 1 to 3 octets each, NUL as C0 80 (java.io.DataInput)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Cesu8 { nul: Nul::Pair }),
        encoder: |_: &Settings| Box::new(Cesu8 { nul: Nul::Pair }),
    },
    wide: None,
};

/// How U+0000 is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nul {
    /// 00.
    Octet,
    /// C0 80.
    Pair,
}

/// U+0000 where no octet may be 00.
const NUL_PAIR: [u8; 2] = [0xC0, 0x80];

/// Characters that go one by one, and the ASCII between them, before a block is tried again.
const SINGLES: usize = 8;

/// Both halves: neither remembers anything.
struct Cesu8 {
    nul: Nul,
}

impl Resume for Cesu8 {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        6
    }
}

impl Cesu8 {
    /// How many bytes at the front of this UTF-8 make the characters that stay as they are.
    fn same(&self, text: &[u8]) -> usize {
        let blocks = same::blocks(text, self.nul);
        let least = u8::from(self.nul == Nul::Pair);
        let rest = &text[blocks..];
        let differs = |byte: &u8| !(least..0xF0).contains(byte);
        blocks + rest.iter().position(differs).unwrap_or(rest.len())
    }

    /// The octets of one character, and how many they are.
    fn form(&self, character: char) -> ([u8; 6], usize) {
        let mut form = [0; 6];
        if character == '\0' && self.nul == Nul::Pair {
            form[..2].copy_from_slice(&NUL_PAIR);
            return (form, 2);
        }
        let mut units = [0; 2];
        if let &mut [high, low] = character.encode_utf16(&mut units) {
            form[..3].copy_from_slice(&three_octets(high));
            form[3..].copy_from_slice(&three_octets(low));
            return (form, 6);
        }
        let len = character.encode_utf8(&mut form).len();
        (form, len)
    }
}

impl Decoder for Cesu8 {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let same = same::copy(&src[read..], &mut dst[written..], self.nul);
            read += same;
            written += same;
            for _ in 0..SINGLES {
                if self.nul == Nul::Octet && src.get(read).is_some_and(u8::is_ascii) {
                    let ascii = kernel::ascii::copy(&src[read..], &mut dst[written..]);
                    read += ascii;
                    written += ascii;
                }
                let (character, len) = match first(&src[read..], self.nul, end) {
                    Ok(sequence) => sequence,
                    Err(stop) => return Progress { read, written, stop },
                };
                if dst.len() - written < character.len_utf8() {
                    return Progress::output(read, written);
                }
                written += character.encode_utf8(&mut dst[written..]).len();
                read += len;
            }
        }
    }
}

/// The character at the front of the source and its octets, or why there is none.
fn first(src: &[u8], nul: Nul, end: bool) -> Result<(char, usize), Stop<Malformed>> {
    let (len, why) = match sequence(src, nul) {
        Sequence::Character(character, len) => return Ok((character, len)),
        Sequence::Unfinished if !end || src.is_empty() => return Err(Stop::Input),
        Sequence::Unfinished => (src.len(), Why::Truncated),
        Sequence::IllFormed(len, why) => (len, why),
    };
    Err(Stop::Fault(Malformed::new(len, why, State::START)))
}

/// The form of 3 octets that UTF-8 has for the values from 0800 on.
fn three_octets(unit: u16) -> [u8; 3] {
    let six_bits = |shift: u32| 0x80 | (unit >> shift & 0x3F) as u8;
    [0xE0 | (unit >> 12) as u8, six_bits(6), six_bits(0)]
}

impl Encoder for Cesu8 {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            let fits = read + src[read..].floor_char_boundary(dst.len() - written);
            let same = self.same(&src.as_bytes()[read..fits]);
            dst[written..written + same].copy_from_slice(&src.as_bytes()[read..read + same]);
            read += same;
            written += same;
            let Some(character) = src[read..].chars().next() else {
                return Progress::input(read, written);
            };
            let (form, len) = self.form(character);
            let Some(room) = dst[written..].get_mut(..len) else {
                return Progress::output(read, written);
            };
            room.copy_from_slice(&form[..len]);
            written += len;
            read += character.len_utf8();
        }
    }
}
