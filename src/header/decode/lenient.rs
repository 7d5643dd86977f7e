//! A decoder that takes what mail programs write and browsers refuse.

use crate::codec::{Checkpoint, Decoder, Progress, State, Status};
use crate::conversion_error::{Malformed, MalformedReason};

/// Passes over a shift sequence directly after another one: words that are read as one text have
/// that between them, and some programs write it within one.
pub(super) struct Lenient(pub Box<dyn Decoder>);

impl Checkpoint for Lenient {
    fn save_state(&self) -> State {
        self.0.save_state()
    }

    fn restore_state(&mut self, at: State) {
        self.0.restore_state(at);
    }

    fn max_lookahead(&self) -> usize {
        self.0.max_lookahead()
    }
}

impl Decoder for Lenient {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let progress = self.0.decode(&src[read..], &mut dst[written..], end);
            read += progress.read;
            written += progress.written;
            match progress.status {
                Status::Error(error) if error.reason == MalformedReason::ConsecutiveEscapes => {
                    read += error.resume_len;
                    self.0.restore_state(error.resume_state);
                }
                stop => return Progress { read, written, status: stop },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::{self, EncodingOptions};

    #[test]
    fn sequences_may_stand_after_each_other_wherever_the_input_is_cut() {
        let charset = encoding::for_label("whatwg:iso-2022-jp").unwrap();
        let src = b"\x1B$B$\"\x1B(B\x1B$B$$\x1B(B\x1B(Ja";
        for cut in 0..=src.len() {
            let mut decoder = Lenient(charset.decoder(&EncodingOptions::default()));
            let mut dst = [0; 64];
            let first = decoder.decode(&src[..cut], &mut dst, false);
            let second = decoder.decode(&src[first.read..], &mut dst[first.written..], true);
            assert_eq!(
                (first.status, second.status),
                (Status::InputEmpty, Status::InputEmpty),
                "{cut}"
            );
            assert_eq!(&dst[..first.written + second.written], "あいa".as_bytes(), "{cut}");
        }
    }
}
