//! Stages that no encoding has, for chains that none makes.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::codec::{ByteTransform, Checkpoint, Encoder, Progress, State, TextTransform};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};

/// Two hexadecimal digits a byte; blanks and line feeds between bytes do not count.
pub struct HexTransform;

impl Checkpoint for HexTransform {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        2
    }
}

impl ByteTransform for HexTransform {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        let digit = |byte: u8| char::from(byte).to_digit(16).map(|value| value as u8);
        let error = |len, reason| Malformed::new(len, reason, State::INITIAL);
        loop {
            match src[read..] {
                [] => return Progress::input_empty(read, written),
                [b' ' | b'\n', ..] => read += 1,
                [one, ..] if digit(one).is_none() => {
                    return Progress::error(
                        read,
                        written,
                        error(1, MalformedReason::InvalidLeadByte),
                    );
                }
                [_] if end => {
                    return Progress::error(read, written, error(1, MalformedReason::Truncated));
                }
                [_] => return Progress::input_empty(read, written),
                [one, two, ..] => match (digit(one), digit(two)) {
                    (Some(_), Some(_)) if written == dst.len() => {
                        return Progress::output_full(read, written);
                    }
                    (Some(high), Some(low)) => {
                        dst[written] = high << 4 | low;
                        (read, written) = (read + 2, written + 1);
                    }
                    _ => {
                        return Progress::error(
                            read,
                            written,
                            error(1, MalformedReason::MissingTrailByte),
                        );
                    }
                },
            }
        }
    }
}

/// Passes text on, and counts the bytes that it was offered.
pub struct CountingTransform(pub Arc<AtomicUsize>);

impl Checkpoint for CountingTransform {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl TextTransform for CountingTransform {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], _: bool) -> Progress<Infallible> {
        self.0.fetch_add(src.len(), Ordering::Relaxed);
        let count = src.floor_char_boundary(dst.len());
        dst[..count].copy_from_slice(&src.as_bytes()[..count]);
        match count == src.len() {
            true => Progress::input_empty(count, count),
            false => Progress::output_full(count, count),
        }
    }
}

/// Writes word by word, so it leaves up to a word unread; has no `#` and nothing above U+00FF.
pub struct WordwiseEncoder;

const MAX_WORD_LEN: usize = 24;

impl Checkpoint for WordwiseEncoder {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        MAX_WORD_LEN
    }
}

impl Encoder for WordwiseEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            let rest = &src[read..];
            let near = &rest[..rest.floor_char_boundary(MAX_WORD_LEN)];
            let len = match near.find(' ') {
                Some(blank) => blank + 1,
                None if end || rest.len() >= MAX_WORD_LEN => rest.len(),
                None => return Progress::input_empty(read, written),
            };
            let word = &rest[..rest.floor_char_boundary(len.min(MAX_WORD_LEN))];
            if word.is_empty() {
                return Progress::input_empty(read, written);
            }
            let is_unmappable =
                |character: &char| *character == '#' || u32::from(*character) > 0xFF;
            if word.chars().count() > dst.len() - written {
                return Progress::output_full(read, written);
            }
            for character in word.chars() {
                if is_unmappable(&character) {
                    return Progress::error(read, written, Unmappable::new(character));
                }
                dst[written] = u32::from(character) as u8;
                (read, written) = (read + character.len_utf8(), written + 1);
            }
        }
    }
}
