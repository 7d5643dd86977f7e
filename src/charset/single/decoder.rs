//! Octets to text.

use super::table::{Code, Kind, Table};
use crate::codec::{Decoder, Progress, Resume, State};
use crate::fault::{Malformed, Why};
use crate::kernel::octet::{self, Forms};

/// Decodes one octet after another, and two where the first is an accent.
#[derive(Debug)]
pub struct Octets {
    table: Table,
    ascii: bool,
    forms: Box<Forms>,
}

/// What stands first.
enum First {
    /// A character of so many octets.
    Character(char, usize),
    /// An accent, and nothing behind it yet.
    Unfinished,
    /// Something else.
    Bad(Why),
}

impl Octets {
    /// A decoder for this table.
    pub fn new(table: Table) -> Octets {
        let mut forms = Box::new([0; 0x100]);
        for (octet, form) in (0..=0xFF).zip(forms.iter_mut()) {
            *form = table.character(octet).map_or(0, packed);
        }
        Octets { table, ascii: table.holds_ascii(), forms }
    }

    fn first(&self, src: &[u8], end: bool) -> First {
        if let Some(character) = self.table.character(src[0]) {
            return First::Character(character, 1);
        }
        let accented = accented(&self.table, src[0]);
        match src.get(1) {
            _ if accented.is_empty() => First::Bad(Why::Stray),
            None if end => First::Bad(Why::Truncated),
            None => First::Unfinished,
            Some(letter) => match accented.iter().find(|code| code.bytes()[1] == *letter) {
                Some(code) => First::Character(code.character(), 2),
                None => First::Bad(Why::Continuation),
            },
        }
    }
}

/// The UTF-8 form of a character up to U+FFFF, with its length.
fn packed(character: char) -> u32 {
    let mut form = [0; 4];
    let len = character.encode_utf8(&mut form).len();
    u32::from_le_bytes(form) | (len as u32) << 24
}

/// The codes of a table that begin with this accent.
fn accented(table: &Table, accent: u8) -> &'static [Code] {
    let (_, codes) = table.parted();
    let start = codes.partition_point(|code| code.bytes()[0] < accent);
    let end = codes.partition_point(|code| code.bytes()[0] <= accent);
    let codes = &codes[start..end];
    if codes.first().is_some_and(|code| code.kind == Kind::Accented) { codes } else { &[] }
}

impl Resume for Octets {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        4
    }
}

impl Decoder for Octets {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let done = octet::decode(&src[read..], &mut dst[written..], &self.forms, self.ascii);
            read += done.0;
            written += done.1;
            // The bulk stops for little room, few octets or an odd one: step past it.
            for _ in 0..octet::STEP {
                if read == src.len() {
                    break;
                }
                let (character, len) = match self.first(&src[read..], end) {
                    First::Character(character, len) => (character, len),
                    First::Unfinished => return Progress::input(read, written),
                    First::Bad(why) => {
                        let fault = Malformed::new(1, why, State::START);
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
        Progress::input(read, written)
    }
}
