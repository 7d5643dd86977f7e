//! Byte order marks, and the filter that adds or strips one.

use crate::codec::{ByteTransform, Checkpoint, Progress, State, TextTransform};
use crate::conversion_error::Malformed;
use crate::encoding::Encoding;

/// The byte order mark in UTF-8.
pub const BOM: &str = "\u{FEFF}";

/// The bytes of [`BOM`].
pub const UTF8_BOM: &[u8] = BOM.as_bytes();

/// The byte order marks (The Unicode Standard, section 23.8) with the encodings of the text after them.
/// A longer one precedes its own prefix.
pub(crate) static ENCODINGS_BY_BOM: [(&[u8], &Encoding); 5] = [
    (b"\xFF\xFE\0\0", crate::UTF_32LE),
    (b"\0\0\xFE\xFF", crate::UTF_32BE),
    (b"\xFF\xFE", crate::UTF_16LE),
    (b"\xFE\xFF", crate::UTF_16BE),
    (UTF8_BOM, crate::UTF_8),
];

/// The length of the longest character of RFC 2044.
const MAX_CHARACTER_LEN: usize = 6;

/// The state after the start of the text, in which text is copied unchanged.
pub const AFTER_START: State = State::new(1);

/// The state of a filter that has added a BOM, at the start of a later file whose BOM is dropped.
pub const AT_LATER_FILE: State = State::new(2);

/// Adds or strips a BOM. Only the first three bytes matter, so it works on UTF-8 and on the longer form
/// of RFC 2044.
#[allow(missing_debug_implementations, reason = "as the other stages")]
pub enum BomFilter {
    /// Drops U+FEFF at the start.
    Strip(State),
    /// Adds U+FEFF at the start.
    Add(State),
}

impl BomFilter {
    /// A new filter that drops U+FEFF.
    pub const STRIP: BomFilter = BomFilter::Strip(State::INITIAL);
    /// A new filter that adds U+FEFF.
    pub const ADD: BomFilter = BomFilter::Add(State::INITIAL);

    fn state_mut(&mut self) -> &mut State {
        match self {
            BomFilter::Strip(state) | BomFilter::Add(state) => state,
        }
    }

    fn transform<F>(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<F> {
        let (mut read, mut written) = (0, 0);
        if self.save_state() != AFTER_START && !src.is_empty() {
            let has_bom = src.starts_with(UTF8_BOM);
            if !has_bom && UTF8_BOM.starts_with(src) && !end {
                return Progress::input_empty(0, 0);
            }
            match self {
                BomFilter::Strip(_) | BomFilter::Add(AT_LATER_FILE) if has_bom => {
                    read = UTF8_BOM.len()
                }
                BomFilter::Add(State::INITIAL) if !has_bom => {
                    let Some(output) = dst.get_mut(..UTF8_BOM.len()) else {
                        return Progress::output_full(0, 0);
                    };
                    output.copy_from_slice(UTF8_BOM);
                    written = UTF8_BOM.len();
                }
                _ => {}
            }
            *self.state_mut() = AFTER_START;
        }
        let mut count = (src.len() - read).min(dst.len() - written);
        // Copy whole characters only.
        while count > 0 && src.get(read + count).is_some_and(|byte| byte & 0xC0 == 0x80) {
            count -= 1;
        }
        dst[written..written + count].copy_from_slice(&src[read..read + count]);
        let (read, written) = (read + count, written + count);
        if read < src.len() {
            Progress::output_full(read, written)
        } else {
            Progress::input_empty(read, written)
        }
    }
}

impl Checkpoint for BomFilter {
    fn save_state(&self) -> State {
        match self {
            BomFilter::Strip(state) | BomFilter::Add(state) => *state,
        }
    }

    fn restore_state(&mut self, at: State) {
        *self.state_mut() = at;
    }

    fn max_lookahead(&self) -> usize {
        MAX_CHARACTER_LEN
    }
}

impl TextTransform for BomFilter {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        self.transform(src.as_bytes(), dst, end)
    }
}

impl ByteTransform for BomFilter {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        self.transform(src, dst, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(mut bom: BomFilter, text: &str) -> String {
        let mut output = [0; 64];
        let progress = bom.transform_text(text, &mut output, true);
        assert_eq!(progress.read, text.len());
        String::from_utf8(output[..progress.written].to_vec()).unwrap()
    }

    #[test]
    fn strip_removes_exactly_one_bom_from_the_start() {
        for (text, expected) in [
            ("", ""),
            ("a", "a"),
            ("\u{FEFF}a", "a"),
            ("\u{FEFF}\u{FEFF}", "\u{FEFF}"),
            ("a\u{FEFF}", "a\u{FEFF}"),
        ] {
            assert_eq!(run(BomFilter::STRIP, text), expected);
        }
    }

    #[test]
    fn add_drops_the_bom_of_a_later_file() {
        for (text, expected) in [("a", "a"), ("\u{FEFF}a", "a"), ("\u{FEFF}\u{FEFF}", "\u{FEFF}")] {
            assert_eq!(run(BomFilter::Add(AT_LATER_FILE), text), expected);
        }
    }

    #[test]
    fn partial_character_with_small_output_does_not_panic() {
        let mut strip = BomFilter::STRIP;
        let progress: Progress<Malformed> = strip.transform(b"\x80\x80\x80", &mut [0; 2], false);
        assert_eq!(progress, Progress::output_full(0, 0));
    }

    #[test]
    fn output_of_the_lookahead_has_space_for_any_character() {
        for state in [State::INITIAL, AFTER_START, AT_LATER_FILE] {
            for mut bom in [BomFilter::Add(state), BomFilter::Strip(state)] {
                let mut output = vec![0; bom.max_lookahead()];
                let mut read = 0;
                let text = b"\xFC\x84\x80\x80\x80\x80\xFC\x84\x80\x80\x80\x80";
                while read < text.len() {
                    let progress: Progress<Malformed> =
                        bom.transform(&text[read..], &mut output, true);
                    assert!(progress.read + progress.written > 0, "{read}");
                    read += progress.read;
                }
            }
        }
    }

    #[test]
    fn add_ensures_one_bom_except_for_empty_text() {
        for (text, expected) in [("", ""), ("a", "\u{FEFF}a"), ("\u{FEFF}a", "\u{FEFF}a")] {
            assert_eq!(run(BomFilter::ADD, text), expected);
        }
    }
}
