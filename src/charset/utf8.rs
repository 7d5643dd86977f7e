//! UTF-8 as RFC 3629 defines it: 1 to 4 octets, shortest form, no surrogates.
//!
//! An ill-formed sequence is the longest prefix of a well-formed one, or else a single octet
//! (Unicode 15, section 3.9, "maximal subpart").

use super::{Charset, Made, Mark, Settings};
use crate::codec::{Decoder, Encoder, Progress, Resume, State};
use crate::fault::{Malformed, Unmappable, Why};
use crate::kernel;

/// RFC 3629's UTF-8.
pub static UTF_8: Charset = Charset {
    name: "UTF-8",
    about: "Unicode in 1 to 4 octets (RFC 3629)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Utf8),
        encoder: |_: &Settings| Box::new(Utf8),
    },
    wide: None,
};

/// The bytes that go one by one before a kernel is tried.
const FEW: usize = 4;

/// Both halves: neither remembers anything.
struct Utf8;

impl Resume for Utf8 {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        4
    }
}

impl Decoder for Utf8 {
    // A fault that stays in registers costs half as much (`mend`).
    #[inline(always)]
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        // Faults come in crowds with little in between, and most of them are single bytes.
        for at in 0..FEW.min(src.len()) {
            match (src[at], dst.get_mut(at)) {
                (byte @ ..0x80, Some(room)) => *room = byte,
                (0x80..=0xC1 | 0xF5..=0xFF, _) => {
                    let fault = Malformed::new(1, reason(&src[at..=at]), State::START);
                    return Progress::fault(at, at, fault);
                }
                _ => break,
            }
        }
        // Looking no further than the room goes keeps a small room from costing a whole block.
        let near = &src[..src.len().min(dst.len())];
        let (valid, cut) = kernel::utf8::check(near);
        kernel::utf8::copy(near, dst, valid);
        match cut {
            None if near.len() < src.len() => Progress::output(valid, valid),
            None => Progress::input(valid, valid),
            Some(Some(len)) => {
                let fault = Malformed::new(len, reason(&near[valid..]), State::START);
                Progress::fault(valid, valid, fault)
            }
            Some(None) if near.len() < src.len() => Progress::output(valid, valid),
            Some(None) if !end => Progress::input(valid, valid),
            Some(None) => cut_short(near.len() - valid, valid),
        }
    }

    fn repeats(&self, src: &[u8], _fault: Malformed) -> usize {
        match src {
            // Whatever follows, each of these is a fault by itself.
            [byte @ (0x80..=0xC1 | 0xF5..=0xFF), ..] => kernel::count::same(src, *byte),
            _ => 1,
        }
    }
}

fn cut_short(len: usize, at: usize) -> Progress<Malformed> {
    Progress::fault(at, at, Malformed::new(len, Why::Truncated, State::START))
}

/// Why the sequence that begins here is not UTF-8.
#[inline]
pub(crate) fn reason(at: &[u8]) -> Why {
    match (at[0], at.get(1)) {
        (0xC0..=0xC1, _) | (0xE0, Some(0x80..=0x9F)) | (0xF0, Some(0x80..=0x8F)) => Why::Overlong,
        (0xED, Some(0xA0..=0xBF)) => Why::Surrogate,
        (0xF4, Some(0x90..=0xBF)) | (0xF5..=0xFD, _) => Why::OutOfRange,
        (0x80..=0xBF | 0xFE..=0xFF, _) => Why::Stray,
        _ => Why::Continuation,
    }
}

impl Encoder for Utf8 {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let fits = src.floor_char_boundary(dst.len());
        dst[..fits].copy_from_slice(&src.as_bytes()[..fits]);
        if fits < src.len() { Progress::output(fits, fits) } else { Progress::input(fits, fits) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Stop;

    fn fault(src: &[u8]) -> Option<Malformed> {
        match Utf8.decode(src, &mut [0; 64], true) {
            Progress { read: 0, stop: Stop::Fault(bad), .. } => Some(bad),
            _ => None,
        }
    }

    #[test]
    fn a_fault_stands_as_often_in_a_row_as_is_said() {
        for byte in 0..=0xFF {
            for (count, behind) in [(1, &b"a"[..]), (2, b""), (16, b"\x80"), (40, b"\xC3\xA9")] {
                let src = [&[byte].repeat(count), behind].concat();
                let Some(bad) = fault(&src) else { continue };
                let times = Utf8.repeats(&src, bad);
                assert!(times > 0);
                let alike = (0..times).all(|index| fault(&src[index..]) == Some(bad));
                assert!(alike, "{byte:02X} {count} {behind:02X?}: {times}");
                let alone = matches!(byte, 0x80..=0xC1 | 0xF5..);
                assert_eq!(times >= count, alone || count == 1, "{byte:02X} {count}");
            }
        }
    }
}
