//! The charsets that encoded-words name.
//!
//! Control characters of encoded-words are kept out of the output. A CR or LF would make two header
//! lines of one, and an escape sequence would reach the terminal. The check examines the decoded
//! text: in UTF-16 a byte 0A by itself is not a line feed.

use charpipe_encoding::codec::{DecodeStage, Progress, Status};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_encoding::encoding::{self, Encoding};

/// Returns the index in [`encoding::ALL`] of what a label means in mail or, strictly, by itself.
fn look_up(label: &str, strict: bool) -> Option<u16> {
    let exact = if strict { encoding::for_label(label) } else { None };
    let exact = exact.filter(|charset| encoding::is_mime_charset(charset));
    exact.or_else(|| encoding::for_mime_label(label)).and_then(encoding::index_of)
}

/// The number of labels and their length that a cache keeps. Each label has one slot, which it
/// shares with others. To look a label up among all names takes half a microsecond, more than the rest
/// of a short encoded-word.
const SLOTS: usize = 16;
const MAX_LABEL: usize = 40;

/// Looks labels up, and keeps a few of them: a mail has few different labels.
pub struct LabelCache {
    /// Whether a label means what it says, rather than what mail programs mean by it.
    strict: bool,
    cached: [CachedLabel; SLOTS],
}

/// A label, and the index of its charset in [`encoding::ALL`].
#[derive(Clone, Copy)]
struct CachedLabel {
    label: [u8; MAX_LABEL],
    len: usize,
    slot: Option<u16>,
}

impl LabelCache {
    pub fn new(strict: bool) -> LabelCache {
        let empty = CachedLabel { label: [0; MAX_LABEL], len: 0, slot: None };
        LabelCache { strict, cached: [empty; SLOTS] }
    }

    /// Returns the index in [`encoding::ALL`] of the charset with this label.
    pub fn find(&mut self, label: &[u8]) -> Option<u16> {
        let mix = |mixed: usize, byte: &u8| mixed.wrapping_mul(31).wrapping_add(usize::from(*byte));
        let cached = &mut self.cached[label.iter().fold(0, mix) % SLOTS];
        if cached.label[..cached.len] == *label {
            return cached.slot;
        }
        let slot = std::str::from_utf8(label).ok().and_then(|label| look_up(label, self.strict));
        if let Some(kept) = cached.label.get_mut(..label.len()) {
            kept.copy_from_slice(label);
            (cached.len, cached.slot) = (label.len(), slot);
        }
        slot
    }
}

/// Returns the charset at this index in the list of all.
pub fn charset(slot: u16) -> &'static Encoding {
    encoding::ALL[usize::from(slot).min(encoding::ALL.len() - 1)]
}

/// Decodes bytes of an encoded-word. A control character is an error.
///
/// Lengths count bytes; states are those of `decoder`.
pub fn decode_text(
    decoder: &mut dyn DecodeStage,
    bytes: &[u8],
    dst: &mut [u8],
    end: bool,
) -> Progress<Malformed> {
    let before = decoder.save_state();
    let progress = decoder.decode(bytes, dst, end);
    let Some(at) = find_control(&dst[..progress.written]) else { return progress };
    let error = |len, then| Malformed::new(len, MalformedReason::ControlInEncodedWord, then);
    let read = progress.read;
    let is_itself = matches!(dst[..progress.written], [_] | [0xC2, _] | [0xE2, _, _])
        && bytes[..read] == dst[..progress.written];
    if at == 0 && (read == 1 || is_itself) {
        // Nearly all control characters are single bytes or UTF-8, and pathological input has
        // millions.
        let then = decoder.save_state();
        decoder.restore_state(before);
        return Progress::error(0, 0, error(read, then));
    }
    decoder.restore_state(before);
    // With exactly this much output space the decoder stops at the control character, or before the
    // first byte of a sequence that it does not read by itself.
    let read = decoder.decode(bytes, &mut dst[..at], end).read;
    let state = decoder.save_state();
    let len = next_char_len(decoder, &bytes[read..], end);
    let then = decoder.save_state();
    decoder.restore_state(state);
    Progress::error(read, at, error(len, then))
}

/// Decodes the next character. Returns the number of bytes that it takes.
fn next_char_len(decoder: &mut dyn DecodeStage, bytes: &[u8], end: bool) -> usize {
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

/// Finds the first control character: C0 except TAB, DEL, C1, and the line and paragraph separators
/// U+2028 and U+2029.
pub fn find_control(text: &[u8]) -> Option<usize> {
    // One pass without a branch decides it for nearly all text.
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
    use charpipe_encoding::encoding::EncodingOptions;

    fn find(label: &[u8], strict: bool) -> Option<u16> {
        LabelCache::new(strict).find(label)
    }

    fn name(label: &str, strict: bool) -> Option<&'static str> {
        find(label.as_bytes(), strict).map(|slot| charset(slot).name())
    }

    #[test]
    fn every_charset_is_found_under_its_own_name() {
        for known in encoding::ALL.iter().filter(|known| !known.name().contains(':')) {
            let found = name(known.name(), true);
            assert!(
                found == Some(known.name()) || !encoding::is_mime_charset(known),
                "{}",
                known.name()
            );
            assert_eq!(name(known.name(), false).is_some(), found.is_some(), "{}", known.name());
        }
    }

    #[test]
    fn a_label_means_the_same_when_it_comes_again() {
        for strict in [false, true] {
            let mut labels = LabelCache::new(strict);
            let long = "8".repeat(MAX_LABEL + 1);
            let all = encoding::ALL.iter().map(|charset| charset.name());
            let all: Vec<_> = all.chain(["", "no-such", "koi8-u/", &long]).collect();
            for label in all.iter().flat_map(|label| [label, label]).chain(all.iter().rev()) {
                assert_eq!(labels.find(label.as_bytes()), look_up(label, strict), "{label:?}");
            }
        }
    }

    #[test]
    fn mail_means_more_by_a_name_than_it_says() {
        for (label, said, meant) in [
            ("iso-8859-1", "ISO-8859-1", "whatwg:windows-1252"),
            ("ISO-8859-9", "ISO-8859-9", "whatwg:windows-1254"),
            ("gb2312", "EUC-CN", "whatwg:GBK"),
            ("ks_c_5601-1987", "whatwg:EUC-KR", "whatwg:EUC-KR"),
            ("utf8", "UTF-8", "UTF-8"),
            ("koi8_r", "KOI8-R", "KOI8-R"),
        ] {
            assert_eq!((name(label, true), name(label, false)), (Some(said), Some(meant)));
        }
        assert_eq!(name("x-sjis", false), Some("whatwg:Shift_JIS"));
        assert_eq!(name("cp1250", false), Some("whatwg:windows-1250"));
    }

    #[test]
    fn other_labels_have_no_decoder() {
        for label in ["", "-", "rfc2047", "no-such", "utf-5", "utf-7-imap", "\u{212A}oi8-r"] {
            assert_eq!((name(label, true), name(label, false)), (None, None), "{label}");
        }
        assert_eq!(find(&[b'8'; 100_000], false), None);
        assert_eq!(find(b"utf-8\xFF", false), None);
    }

    #[test]
    fn the_first_control_character_is_found() {
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
            assert_eq!(find_control(text.as_bytes()), at, "{text:?}");
        }
    }

    #[test]
    fn a_control_character_is_an_error_with_its_bytes() {
        for (charset, bytes, read, len, text) in [
            ("utf-8", &b"a\nb"[..], 1, 1, "a"),
            ("utf-8", b"\xC2\x85", 0, 2, ""),
            ("utf-16be", b"\0a\0\n\0b", 2, 2, "a"),
            ("utf-16", b"\xFF\xFE\n\0", 2, 2, ""),
            ("utf-7", b"ab+AAo-c", 3, 2, "ab"),
        ] {
            let mut decoder =
                encoding::for_label(charset).unwrap().decoder(&EncodingOptions::default());
            let mut dst = [0; 64];
            let progress = decode_text(&mut *decoder, bytes, &mut dst, true);
            assert_eq!((progress.read, &dst[..progress.written]), (read, text.as_bytes()));
            let Status::Error(error) = progress.status else { panic!("{charset}: no error") };
            assert_eq!(
                (error.len, error.reason),
                (len, MalformedReason::ControlInEncodedWord),
                "{charset}"
            );
            // Nothing is wrong with what follows.
            decoder.restore_state(error.resume_state);
            let rest = decode_text(&mut *decoder, &bytes[read + len..], &mut dst, true);
            assert_eq!(rest.status, Status::InputEmpty, "{charset}");
        }
    }
}
