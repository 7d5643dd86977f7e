//! Keeps controls that come out of a word from the output.
//!
//! A CR or LF in a word would make two header lines of one, and an escape sequence would reach
//! the terminal. The check is made on the text, behind the charset: in UTF-16 an octet 0A is no
//! line feed by itself.

use crate::codec::{Decoder, Progress, Stop};
use crate::fault::{Malformed, Why};

/// Decodes octets of a word. A control that comes out is a fault, unless they may come `raw`.
///
/// Lengths are octets; the states are those of `decoder`.
pub(super) fn decode(
    decoder: &mut dyn Decoder,
    octets: &[u8],
    dst: &mut [u8],
    end: bool,
    raw: bool,
) -> Progress<Malformed> {
    let before = decoder.state();
    let progress = decoder.decode(octets, dst, end);
    if raw {
        return progress;
    }
    let Some(at) = first(&dst[..progress.written]) else { return progress };
    if (at, progress.read, octets.len()) == (0, 1, 1) {
        // Faults come in crowds, and nearly all of these are single octets.
        let then = decoder.state();
        decoder.resume(before);
        return Progress::fault(0, 0, Malformed::new(1, Why::Control, then));
    }
    decoder.resume(before);
    // With just so much room the decoder comes as far as the control.
    let mut read = 0;
    if at > 0 {
        read = decoder.decode(octets, &mut dst[..at], end).read;
    }
    let state = decoder.state();
    let len = unit(decoder, &octets[read..], end);
    let then = decoder.state();
    decoder.resume(state);
    Progress::fault(read, at, Malformed::new(len, Why::Control, then))
}

/// Takes the octets of the next character, and says how many they are.
fn unit(decoder: &mut dyn Decoder, octets: &[u8], end: bool) -> usize {
    let before = decoder.state();
    let mut character = [0; 64];
    for count in 1..=octets.len() {
        decoder.resume(before);
        let last = end && count == octets.len();
        let progress = decoder.decode(&octets[..count], &mut character, last);
        if progress.written > 0 || matches!(progress.stop, Stop::Fault(_)) {
            return progress.read;
        }
    }
    octets.len()
}

/// Where the first control stands: C0 but TAB, DEL, C1, and the separators of lines and
/// paragraphs, U+2028 and U+2029.
pub(super) fn first(text: &[u8]) -> Option<usize> {
    // One pass without a branch settles it for nearly all text.
    let suspect = |byte: &u8| *byte < b' ' || matches!(byte, 0x7F | 0xC2 | 0xE2);
    if !text.iter().fold(false, |any, byte| any | suspect(byte)) {
        return None;
    }
    (0..text.len()).find(|at| match &text[*at..] {
        [byte, ..] if *byte < b' ' => *byte != b'\t',
        [0x7F, ..] | [0xC2, 0x80..=0x9F, ..] | [0xE2, 0x80, 0xA8 | 0xA9, ..] => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset::{self, Settings};
    use crate::codec::State;

    #[test]
    fn the_first_control_is_found_and_nothing_else() {
        for (text, at) in [
            ("a\tb \u{A0}\u{2027}\u{202A}\u{80A8}", None),
            ("", None),
            ("a\0", Some(1)),
            ("\t\n", Some(1)),
            ("\u{7F}", Some(0)),
            ("é\u{80}", Some(2)),
            ("é\u{9F}", Some(2)),
            ("\u{2028}", Some(0)),
            ("€\u{2029}", Some(3)),
            ("\u{1B}[2J", Some(0)),
        ] {
            assert_eq!(first(text.as_bytes()), at, "{text:?}");
        }
    }

    #[test]
    fn a_control_is_a_fault_of_the_octets_that_stand_for_it() {
        for (charset, octets, read, len, text) in [
            ("utf-8", &b"a\nb"[..], 1, 1, "a"),
            ("utf-8", b"\xC2\x85", 0, 2, ""),
            ("utf-16be", b"\0a\0\n\0b", 2, 2, "a"),
            ("utf-16", b"\xFF\xFE\n\0", 0, 4, ""),
            ("utf-7", b"ab+AAo-c", 3, 2, "ab"),
        ] {
            let mut decoder = charset::find(charset).unwrap().decoder(&Settings::default());
            let mut dst = [0; 64];
            let progress = decode(&mut *decoder, octets, &mut dst, true, false);
            assert_eq!((progress.read, &dst[..progress.written]), (read, text.as_bytes()));
            let Stop::Fault(fault) = progress.stop else { panic!("{charset}: no fault") };
            assert_eq!((fault.len, fault.why), (len, Why::Control), "{charset}");
            // Nothing is wrong with what follows.
            decoder.resume(fault.then);
            let rest = decode(&mut *decoder, &octets[read + len..], &mut dst, true, false);
            assert_eq!(rest.stop, Stop::Input, "{charset}");
            decoder.resume(State::START);
            assert!(decode(&mut *decoder, octets, &mut dst, true, true).stop == Stop::Input);
        }
    }
}
