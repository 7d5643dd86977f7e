//! CESU-8 (UTR #26) and Java's modified UTF-8: UTF-16 units, each in the form that UTF-8 gives to
//! its value.
//!
//! A character above U+FFFF is a surrogate pair of 3 octets each, and there is no form of 4
//! octets. Modified UTF-8 (java.io.DataInput) has U+0000 as C0 80, so that no octet is 00.

use super::name::{CHARPIPE, IANA, ICU};
use super::{Charset, Mark, Settings};
use crate::codec::{Decoder, Encoder, Progress, Resume, State};
use crate::fault::{Malformed, Unmappable, Why};
use crate::kernel;

mod sequence;

#[cfg(test)]
mod tests;

use sequence::{Sequence, sequence};

/// UTF-8 over UTF-16.
pub static CESU_8: Charset = Charset {
    name: "CESU-8",
    aliases: &[("csCESU-8", IANA), ("ibm-9400", ICU)],
    about: "UTF-16 units in 1 to 3 octets each (UTR #26)",
    options: &[],
    mark: Mark::Character,
    decoder: |_: &Settings| Box::new(Cesu8 { nul: Nul::Octet }),
    encoder: |_: &Settings| Box::new(Cesu8 { nul: Nul::Octet }),
    wide: None,
};

/// The same without the octet 00.
pub static MUTF_8: Charset = Charset {
    name: "MUTF-8",
    aliases: &[("modified-UTF-8", CHARPIPE), ("Java-modified-UTF-8", CHARPIPE)],
    about: "UTF-16 units in 1 to 3 octets each, NUL as C0 80 (java.io.DataInput)",
    options: &[],
    mark: Mark::Character,
    decoder: |_: &Settings| Box::new(Cesu8 { nul: Nul::Pair }),
    encoder: |_: &Settings| Box::new(Cesu8 { nul: Nul::Pair }),
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
    /// Copies the ASCII at the front of `src` that stands for itself; says how many bytes.
    fn copy_ascii(&self, src: &[u8], dst: &mut [u8]) -> usize {
        match self.nul {
            Nul::Octet => kernel::ascii::copy(src, dst),
            Nul::Pair => copy_while(src, dst, |byte| (0x01..=0x7F).contains(&byte)),
        }
    }

    /// Copies the characters at the front of `src` that are the same in UTF-8; says how many bytes.
    fn copy_same(&self, src: &str, dst: &mut [u8]) -> usize {
        let same = src.floor_char_boundary(dst.len());
        let least = u8::from(self.nul == Nul::Pair);
        copy_while(&src.as_bytes()[..same], dst, |byte| (least..0xF0).contains(&byte))
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

/// Copies the bytes at the front of `src` that are `plain`, as many as fit; says how many.
fn copy_while(src: &[u8], dst: &mut [u8], plain: impl Fn(u8) -> bool) -> usize {
    let near = &src[..src.len().min(dst.len())];
    let run = near.iter().position(|&byte| !plain(byte)).unwrap_or(near.len());
    dst[..run].copy_from_slice(&near[..run]);
    run
}

impl Decoder for Cesu8 {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            if src.get(read).is_some_and(u8::is_ascii) {
                let ascii = self.copy_ascii(&src[read..], &mut dst[written..]);
                read += ascii;
                written += ascii;
            }
            let rest = &src[read..];
            let (character, len) = match sequence(rest, self.nul) {
                Sequence::Character(character, len) => (character, len),
                Sequence::Unfinished if !end || rest.is_empty() => {
                    return Progress::input(read, written);
                }
                Sequence::Unfinished => {
                    let fault = Malformed::new(rest.len(), Why::Truncated, State::START);
                    return Progress::fault(read, written, fault);
                }
                Sequence::IllFormed(len, why) => {
                    let fault = Malformed::new(len, why, State::START);
                    return Progress::fault(read, written, fault);
                }
            };
            if dst.len() - written < character.len_utf8() {
                return Progress::output(read, written);
            }
            written += character.encode_utf8(&mut dst[written..]).len();
            read += len;
        }
    }
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
            let same = self.copy_same(&src[read..], &mut dst[written..]);
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
