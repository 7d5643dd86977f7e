//! `replacement` of the Encoding Standard, section 14.1: what browsers decode text in ISO-2022-KR,
//! ISO-2022-CN and HZ with, which attackers use to hide markup.
//!
//! Any input is one error as a whole, reported at its first byte; what follows is read and dropped.
//! The standard has no encoder for it and encodes in UTF-8 instead (section 4.3, output encoding).

use super::{Charset, Made, Mark, Settings, utf8};
use crate::codec::{Decoder, Progress, Resume, State};
use crate::fault::{Malformed, Why};

/// The encoding that decodes nothing.
pub static REPLACEMENT: Charset = Charset {
    name: "whatwg:replacement",
    about: "one error in place of any text; written as UTF-8 (Encoding Standard)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Refusing { state: State::START }),
        encoder: |settings: &Settings| utf8::UTF_8.encoder(settings),
    },
    wide: None,
};

/// The error has been reported.
const REPORTED: State = State::new(1);

struct Refusing {
    state: State,
}

impl Resume for Refusing {
    fn state(&self) -> State {
        self.state
    }

    fn resume(&mut self, at: State) {
        self.state = at;
    }

    fn window(&self) -> usize {
        4
    }
}

impl Decoder for Refusing {
    fn decode(&mut self, src: &[u8], _dst: &mut [u8], _end: bool) -> Progress<Malformed> {
        if self.state == REPORTED || src.is_empty() {
            return Progress::input(src.len(), 0);
        }
        Progress::fault(0, 0, Malformed::new(1, Why::Stray, REPORTED))
    }
}
