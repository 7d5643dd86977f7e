//! ISO-8859-1: octets 00 to FF, each its own code point; and the engine of all charsets whose
//! octets are the first code points.

use super::{Charset, Made, Mark, Settings};
use crate::codec::{Decoder, Encoder, Progress, Resume, State};
use crate::fault::{Malformed, Unmappable, Why};
use crate::kernel;

/// Latin alphabet No. 1, with the C1 controls at 80 to 9F.
pub static ISO_8859_1: Charset = Charset {
    name: "ISO-8859-1",
    about: "Latin alphabet No. 1 with C1 controls (ISO/IEC 8859-1)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Direct::new(0x100)),
        encoder: |_: &Settings| Box::new(Direct::new(0x100)),
    },
    wide: None,
};

/// A charset whose octets below `limit` are the code points of the same value.
pub(super) struct Direct {
    limit: u32,
}

impl Direct {
    pub(super) const fn new(limit: u32) -> Direct {
        Direct { limit }
    }
}

impl Resume for Direct {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        4
    }
}

impl Decoder for Direct {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], _end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let ascii = kernel::ascii::copy(&src[read..], &mut dst[written..]);
            read += ascii;
            written += ascii;
            let Some(&byte) = src.get(read) else { return Progress::input(read, written) };
            if u32::from(byte) >= self.limit {
                let fault = Malformed::new(1, Why::Stray, State::START);
                return Progress::fault(read, written, fault);
            }
            let character = char::from(byte);
            if dst.len() - written < character.len_utf8() {
                return Progress::output(read, written);
            }
            written += character.encode_utf8(&mut dst[written..]).len();
            read += 1;
        }
    }
}

impl Encoder for Direct {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let bytes = src.as_bytes();
        let (mut read, mut written) = (0, 0);
        loop {
            let ascii = kernel::ascii::copy(&bytes[read..], &mut dst[written..]);
            read += ascii;
            written += ascii;
            let Some(character) = src[read..].chars().next() else {
                return Progress::input(read, written);
            };
            if u32::from(character) >= self.limit {
                return Progress::fault(read, written, Unmappable::new(character));
            }
            if written == dst.len() {
                return Progress::output(read, written);
            }
            dst[written] = u32::from(character) as u8;
            written += 1;
            read += character.len_utf8();
        }
    }
}
