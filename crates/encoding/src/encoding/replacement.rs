//! `replacement` of the Encoding Standard, section 14.1: the decoder that browsers use for text in
//! ISO-2022-KR, ISO-2022-CN and HZ, in which attackers hide markup.
//!
//! The input is one error as a whole, reported at its first byte; the rest is read and dropped. The
//! standard has no encoder for it and encodes in UTF-8 instead (section 4.3, output encoding).

use super::{Encoding, FnFactory, utf8};
use crate::codec::{Checkpoint, DecodeStage, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason};
use crate::encoding::split_rule::{ByteSet, SplitRule};

/// The encoding whose decoder rejects all input.
pub static REPLACEMENT: Encoding = Encoding::new(
    "whatwg:replacement",
    "one error in place of any text; written as UTF-8 (Encoding Standard)",
    &FnFactory {
        decoder: |_| Box::new(ReplacementDecoder { error_reported: false }),
        encoder: |options| utf8::UTF_8.encoder(options),
        split_rule: |_| SplitRule::any_byte(ByteSet::EMPTY),
    },
);

/// The state after the error.
const ERROR_REPORTED: State = State::new(1);

struct ReplacementDecoder {
    error_reported: bool,
}

impl Checkpoint for ReplacementDecoder {
    fn save_state(&self) -> State {
        if self.error_reported { ERROR_REPORTED } else { State::INITIAL }
    }

    fn restore_state(&mut self, at: State) {
        self.error_reported = at == ERROR_REPORTED;
    }

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl DecodeStage for ReplacementDecoder {
    fn decode(&mut self, src: &[u8], _dst: &mut [u8], _end: bool) -> Progress<Malformed> {
        if self.error_reported || src.is_empty() {
            return Progress::input_empty(src.len(), 0);
        }
        Progress::error(0, 0, Malformed::new(1, MalformedReason::InvalidLeadByte, ERROR_REPORTED))
    }
}
