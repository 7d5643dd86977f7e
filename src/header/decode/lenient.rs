//! A decoder that takes what mail programs write and browsers refuse.

use crate::codec::{Decoder, Progress, Resume, State, Stop};
use crate::fault::{Malformed, Why};

/// Passes over a shift sequence directly behind another one: words that are read as one text have
/// that between them, and some programs write it within one.
pub(super) struct Lenient(pub Box<dyn Decoder>);

impl Resume for Lenient {
    fn state(&self) -> State {
        self.0.state()
    }

    fn resume(&mut self, at: State) {
        self.0.resume(at);
    }

    fn window(&self) -> usize {
        self.0.window()
    }
}

impl Decoder for Lenient {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let progress = self.0.decode(&src[read..], &mut dst[written..], end);
            read += progress.read;
            written += progress.written;
            match progress.stop {
                Stop::Fault(fault) if fault.why == Why::Doubled => {
                    read += fault.next;
                    self.0.resume(fault.then);
                }
                stop => return Progress { read, written, stop },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset::{self, Settings};

    #[test]
    fn sequences_may_stand_behind_each_other_wherever_the_input_is_cut() {
        let charset = charset::find("whatwg:iso-2022-jp").unwrap();
        let src = b"\x1B$B$\"\x1B(B\x1B$B$$\x1B(B\x1B(Ja";
        for cut in 0..=src.len() {
            let mut decoder = Lenient(charset.decoder(&Settings::default()));
            let mut dst = [0; 64];
            let first = decoder.decode(&src[..cut], &mut dst, false);
            let second = decoder.decode(&src[first.read..], &mut dst[first.written..], true);
            assert_eq!((first.stop, second.stop), (Stop::Input, Stop::Input), "{cut}");
            assert_eq!(&dst[..first.written + second.written], "あいa".as_bytes(), "{cut}");
        }
    }
}
