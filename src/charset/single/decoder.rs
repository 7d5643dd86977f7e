//! Octets to text.

use super::pairs::{Key, Pairs};
use super::table::{Kind, Table};
use crate::codec::{Decoder, Progress, Resume, State};
use crate::fault::{Malformed, Why};
use crate::kernel;
use crate::kernel::octet::{self, form_of, write};

/// Decodes one octet after another, and two where the first is an accent.
#[derive(Debug)]
pub struct Octets {
    table: octet::Table,
    accents: Option<Box<Pairs>>,
}

impl Octets {
    /// A decoder for this table.
    pub fn new(table: &Table) -> Octets {
        let accented = table.joined(Kind::Accented);
        let accents = (!accented.is_empty()).then(|| Box::new(Pairs::new(accented, Key::First)));
        Octets { table: whole(table), accents }
    }

    /// Whether what this octet means depends on the next.
    fn is_accent(&self, octet: u8) -> bool {
        self.accents.as_ref().is_some_and(|accents| accents.has(octet))
    }

    /// The character of two octets, of which the first is none alone; or why there is none, or
    /// nothing where the second is not there yet.
    fn accented(&self, src: &[u8], end: bool) -> Result<char, Option<Why>> {
        let Some(accents) = self.accents.as_ref().filter(|accents| accents.has(src[0])) else {
            return Err(Some(Why::Stray));
        };
        match src.get(1) {
            Some(letter) => accents.find(src[0], *letter).ok_or(Some(Why::Continuation)),
            None if end => Err(Some(Why::Truncated)),
            None => Err(None),
        }
    }
}

/// What each octet alone decodes to.
pub fn whole(table: &Table) -> octet::Table {
    let mut forms = Box::new([0; 0x100]);
    for (octet, form) in (0..=0xFF).zip(forms.iter_mut()) {
        *form = table.character(octet).map_or(0, form_of);
    }
    octet::Table::new(forms)
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
            let done = self.table.decode(&src[read..], &mut dst[written..]);
            read += done.0;
            written += done.1;
            // The bulk stops for little room, few octets or an odd one: step past it.
            let near = src.len().min(read + octet::STEP);
            while read < near {
                let (mut form, mut len) = (self.table.form(src[read]), 1);
                if form == 0 {
                    form = match self.accented(&src[read..], end) {
                        Ok(character) => form_of(character),
                        Err(None) => return Progress::input(read, written),
                        Err(Some(why)) => {
                            let fault = Malformed::new(1, why, State::START);
                            return Progress::fault(read, written, fault);
                        }
                    };
                    len = 2;
                }
                let Some(put) = write(form, &mut dst[written..]) else {
                    return Progress::output(read, written);
                };
                written += put;
                read += len;
            }
        }
        Progress::input(read, written)
    }

    fn repeats(&self, src: &[u8], _fault: Malformed) -> usize {
        match src {
            [octet, ..] if !self.is_accent(*octet) => kernel::count::same(src, *octet),
            _ => 1,
        }
    }
}
