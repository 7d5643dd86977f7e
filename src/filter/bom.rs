//! The byte order mark at the start of a text.

use std::convert::Infallible;

use crate::codec::Surface;
use crate::codec::{Filter, Progress, Resume, State};
use crate::fault::Malformed;

/// The byte order mark as text.
pub(crate) const MARK: &str = "\u{FEFF}";

const BOM: &[u8] = MARK.as_bytes();

/// After the start, text is copied unchanged.
pub(crate) const PAST: State = State::new(1);

/// A filter that has added a mark is at the start of a later file, whose own mark is dropped.
pub(crate) const NEXT_FILE: State = State::new(2);

/// Adds or strips a mark. Only the first three bytes matter, so it serves text and RFC 2044's
/// longer form alike.
pub(crate) enum Opening {
    Strip(State),
    Add(State),
}

impl Opening {
    pub(crate) const STRIP: Opening = Opening::Strip(State::START);
    pub(crate) const ADD: Opening = Opening::Add(State::START);

    fn state_mut(&mut self) -> &mut State {
        match self {
            Opening::Strip(state) | Opening::Add(state) => state,
        }
    }

    fn pass<F>(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<F> {
        let (mut read, mut written) = (0, 0);
        if self.state() != PAST && !src.is_empty() {
            let marked = src.starts_with(BOM);
            if !marked && BOM.starts_with(src) && !end {
                return Progress::input(0, 0);
            }
            match self {
                Opening::Strip(_) | Opening::Add(NEXT_FILE) if marked => read = BOM.len(),
                Opening::Add(State::START) if !marked => {
                    let Some(room) = dst.get_mut(..BOM.len()) else {
                        return Progress::output(0, 0);
                    };
                    room.copy_from_slice(BOM);
                    written = BOM.len();
                }
                _ => {}
            }
            *self.state_mut() = PAST;
        }
        let mut count = (src.len() - read).min(dst.len() - written);
        // Whole characters only.
        while count > 0 && src.get(read + count).is_some_and(|octet| octet & 0xC0 == 0x80) {
            count -= 1;
        }
        dst[written..written + count].copy_from_slice(&src[read..read + count]);
        let (read, written) = (read + count, written + count);
        if read < src.len() {
            Progress::output(read, written)
        } else {
            Progress::input(read, written)
        }
    }
}

impl Resume for Opening {
    fn state(&self) -> State {
        match self {
            Opening::Strip(state) | Opening::Add(state) => *state,
        }
    }

    fn resume(&mut self, at: State) {
        *self.state_mut() = at;
    }

    fn window(&self) -> usize {
        8
    }
}

impl Filter for Opening {
    fn filter(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Infallible> {
        self.pass(src.as_bytes(), dst, end)
    }
}

impl Surface for Opening {
    fn convert(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        self.pass(src, dst, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(mut mark: Opening, text: &str) -> String {
        let mut room = [0; 64];
        let progress = mark.filter(text, &mut room, true);
        assert_eq!(progress.read, text.len());
        String::from_utf8(room[..progress.written].to_vec()).unwrap()
    }

    #[test]
    fn strip_removes_exactly_one_mark_from_the_start() {
        for (text, expected) in [
            ("", ""),
            ("a", "a"),
            ("\u{FEFF}a", "a"),
            ("\u{FEFF}\u{FEFF}", "\u{FEFF}"),
            ("a\u{FEFF}", "a\u{FEFF}"),
        ] {
            assert_eq!(run(Opening::STRIP, text), expected);
        }
    }

    #[test]
    fn add_drops_the_mark_of_a_later_file() {
        for (text, expected) in [("a", "a"), ("\u{FEFF}a", "a"), ("\u{FEFF}\u{FEFF}", "\u{FEFF}")] {
            assert_eq!(run(Opening::Add(NEXT_FILE), text), expected);
        }
    }

    #[test]
    fn half_a_character_in_a_small_room_is_no_reason_to_panic() {
        let mut strip = Opening::STRIP;
        let progress: Progress<Infallible> = strip.pass(b"\x80\x80\x80", &mut [0; 2], false);
        assert_eq!(progress, Progress::output(0, 0));
    }

    #[test]
    fn add_makes_sure_of_one_mark_but_marks_no_empty_text() {
        for (text, expected) in [("", ""), ("a", "\u{FEFF}a"), ("\u{FEFF}a", "\u{FEFF}a")] {
            assert_eq!(run(Opening::ADD, text), expected);
        }
    }
}
