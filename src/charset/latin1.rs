//! ISO-8859-1: octets 00 to FF, each its own code point; and the engine of all charsets whose
//! octets are the first code points.

use super::{Charset, Made, Mark, Settings};
use crate::codec::{Decoder, Encoder, Progress, Resume, State};
use crate::fault::{Malformed, Unmappable, Why};
use crate::kernel;
use crate::mend;

/// Latin alphabet No. 1, with the C1 controls at 80 to 9F.
pub static ISO_8859_1: Charset = Charset {
    name: "ISO-8859-1",
    about: "Latin alphabet No. 1 with C1 controls (ISO/IEC 8859-1)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Direct::new(ALL)),
        encoder: |_: &Settings| Box::new(Direct::new(ALL)),
    },
    wide: None,
};

/// The limit that lets all octets be code points.
const ALL: u32 = 0x100;

/// The characters that go one by one before a kernel is tried. Where faults stand side by side, no
/// kernel gets anywhere.
const FEW: usize = 4;

/// A charset whose octets below `limit` are the code points of the same value.
pub(super) struct Direct {
    limit: u32,
}

impl Direct {
    pub(super) const fn new(limit: u32) -> Direct {
        Direct { limit }
    }

    /// Decodes as far as kernels go; octets read and bytes written.
    fn decode_run(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let ascii = kernel::ascii::copy(src, dst);
        let (read, written) = match self.limit {
            ALL => kernel::latin1::decode(&src[ascii..], &mut dst[ascii..]),
            _ => (0, 0),
        };
        (ascii + read, ascii + written)
    }

    /// Encodes as far as kernels go; bytes read and octets written.
    fn encode_run(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        let ascii = kernel::ascii::copy(src.as_bytes(), dst);
        let (read, written) = match self.limit {
            ALL => kernel::latin1::encode(&src[ascii..], &mut dst[ascii..]),
            _ => (0, 0),
        };
        (ascii + read, ascii + written)
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
    #[inline(always)]
    fn decode(&mut self, src: &[u8], dst: &mut [u8], _end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            for _ in 0..FEW {
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
            let (octets, bytes) = self.decode_run(&src[read..], &mut dst[written..]);
            read += octets;
            written += bytes;
        }
    }

    fn repeats(&self, src: &[u8], _fault: Malformed) -> usize {
        src.first().map_or(1, |octet| kernel::count::same(src, *octet))
    }
}

impl Encoder for Direct {
    #[inline(always)]
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            for _ in 0..FEW {
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
            let (bytes, octets) = self.encode_run(&src[read..], &mut dst[written..]);
            read += bytes;
            written += octets;
        }
    }

    fn lacks(&self, src: &str, most: usize) -> (usize, usize) {
        mend::count(src, most, |character| u32::from(character) >= self.limit)
    }
}
