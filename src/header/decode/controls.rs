//! Keeps controls that come out of a word from the output.
//!
//! A CR or LF in a word would make two header lines of one, and an escape sequence would reach
//! the terminal. The check is made on the text, after the charset: in UTF-16 a byte 0A is no
//! line feed by itself.

use crate::codec::{Decoder, Progress, Status};
use crate::conversion_error::{Malformed, MalformedReason};

/// Decodes bytes of a word. A control that comes out is an error, unless they may come `raw`.
///
/// Lengths are bytes; the states are those of `decoder`.
pub(super) fn decode(
    decoder: &mut dyn Decoder,
    bytes: &[u8],
    dst: &mut [u8],
    end: bool,
    raw: bool,
) -> Progress<Malformed> {
    let before = decoder.save_state();
    let progress = decoder.decode(bytes, dst, end);
    if raw {
        return progress;
    }
    let Some(at) = first(&dst[..progress.written]) else { return progress };
    if (at, progress.read, bytes.len()) == (0, 1, 1) {
        // Errors come in crowds, and nearly all of these are single bytes.
        let then = decoder.save_state();
        decoder.restore_state(before);
        return Progress::error(
            0,
            0,
            Malformed::new(1, MalformedReason::ControlInEncodedWord, then),
        );
    }
    decoder.restore_state(before);
    // With just so much space the decoder comes as far as the control.
    let mut read = 0;
    if at > 0 {
        read = decoder.decode(bytes, &mut dst[..at], end).read;
    }
    let state = decoder.save_state();
    let len = unit(decoder, &bytes[read..], end);
    let then = decoder.save_state();
    decoder.restore_state(state);
    Progress::error(read, at, Malformed::new(len, MalformedReason::ControlInEncodedWord, then))
}

/// Takes the bytes of the next character, and says how many they are.
fn unit(decoder: &mut dyn Decoder, bytes: &[u8], end: bool) -> usize {
    let before = decoder.save_state();
    let mut character = [0; 64];
    for count in 1..=bytes.len() {
        decoder.restore_state(before);
        let last = end && count == bytes.len();
        let progress = decoder.decode(&bytes[..count], &mut character, last);
        if progress.written > 0 || matches!(progress.status, Status::Error(_)) {
            return progress.read;
        }
    }
    bytes.len()
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
    use crate::codec::State;
    use crate::encoding::{self, EncodingOptions};

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
    fn a_control_is_an_error_of_the_bytes_encoding_it() {
        for (charset, bytes, read, len, text) in [
            ("utf-8", &b"a\nb"[..], 1, 1, "a"),
            ("utf-8", b"\xC2\x85", 0, 2, ""),
            ("utf-16be", b"\0a\0\n\0b", 2, 2, "a"),
            ("utf-16", b"\xFF\xFE\n\0", 0, 4, ""),
            ("utf-7", b"ab+AAo-c", 3, 2, "ab"),
        ] {
            let mut decoder =
                encoding::for_label(charset).unwrap().decoder(&EncodingOptions::default());
            let mut dst = [0; 64];
            let progress = decode(&mut *decoder, bytes, &mut dst, true, false);
            assert_eq!((progress.read, &dst[..progress.written]), (read, text.as_bytes()));
            let Status::Error(error) = progress.status else { panic!("{charset}: no fault") };
            assert_eq!(
                (error.len, error.reason),
                (len, MalformedReason::ControlInEncodedWord),
                "{charset}"
            );
            // Nothing is wrong with what follows.
            decoder.restore_state(error.resume_state);
            let rest = decode(&mut *decoder, &bytes[read + len..], &mut dst, true, false);
            assert_eq!(rest.status, Status::InputEmpty, "{charset}");
            decoder.restore_state(State::INITIAL);
            assert!(
                decode(&mut *decoder, bytes, &mut dst, true, true).status == Status::InputEmpty
            );
        }
    }
}
