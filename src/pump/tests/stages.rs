//! Stages that no charset has, for chains that none makes.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::codec::{Encoder, Filter, Progress, Resume, State, Surface};
use crate::fault::{Malformed, Unmappable, Why};

/// Two hexadecimal digits a byte; blanks and line feeds between bytes do not count.
pub struct Hex;

impl Resume for Hex {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        2
    }
}

impl Surface for Hex {
    fn convert(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        let digit = |byte: u8| char::from(byte).to_digit(16).map(|value| value as u8);
        let bad = |len, why| Malformed::new(len, why, State::START);
        loop {
            match src[read..] {
                [] => return Progress::input(read, written),
                [b' ' | b'\n', ..] => read += 1,
                [one, ..] if digit(one).is_none() => {
                    return Progress::fault(read, written, bad(1, Why::Stray));
                }
                [_] if end => return Progress::fault(read, written, bad(1, Why::Truncated)),
                [_] => return Progress::input(read, written),
                [one, two, ..] => match (digit(one), digit(two)) {
                    (Some(_), Some(_)) if written == dst.len() => {
                        return Progress::output(read, written);
                    }
                    (Some(high), Some(low)) => {
                        dst[written] = high << 4 | low;
                        (read, written) = (read + 2, written + 1);
                    }
                    _ => return Progress::fault(read, written, bad(1, Why::Continuation)),
                },
            }
        }
    }
}

/// Passes text on, and counts the bytes that it was offered.
pub struct Counting(pub Arc<AtomicUsize>);

impl Resume for Counting {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        4
    }
}

impl Filter for Counting {
    fn filter(&mut self, src: &str, dst: &mut [u8], _: bool) -> Progress<Infallible> {
        self.0.fetch_add(src.len(), Ordering::Relaxed);
        let count = src.floor_char_boundary(dst.len());
        dst[..count].copy_from_slice(&src.as_bytes()[..count]);
        match count == src.len() {
            true => Progress::input(count, count),
            false => Progress::output(count, count),
        }
    }
}

/// Writes word by word, so it leaves up to a word unread; has no `#` and nothing above U+00FF.
pub struct Words;

const WORD: usize = 24;

impl Resume for Words {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        WORD
    }
}

impl Encoder for Words {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            let rest = &src[read..];
            let near = &rest[..rest.floor_char_boundary(WORD)];
            let len = match near.find(' ') {
                Some(blank) => blank + 1,
                None if end || rest.len() >= WORD => rest.len(),
                None => return Progress::input(read, written),
            };
            let word = &rest[..rest.floor_char_boundary(len.min(WORD))];
            if word.is_empty() {
                return Progress::input(read, written);
            }
            let lacks = |character: &char| *character == '#' || u32::from(*character) > 0xFF;
            if word.chars().count() > dst.len() - written {
                return Progress::output(read, written);
            }
            for character in word.chars() {
                if lacks(&character) {
                    return Progress::fault(read, written, Unmappable::new(character));
                }
                dst[written] = u32::from(character) as u8;
                (read, written) = (read + character.len_utf8(), written + 1);
            }
        }
    }
}
