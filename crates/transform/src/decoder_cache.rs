//! Decoders of encodings that a text names.

use charpipe_encoding::codec::{Checkpoint, DecodeStage, Progress, State, Status};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_encoding::encoding;

/// Decoders, each created when it is first needed. That is the only time at which a codec with this cache
/// allocates within a call.
#[allow(missing_debug_implementations, reason = "as the decoders")]
pub struct DecoderCache {
    decoders: Vec<Option<Box<dyn DecodeStage>>>,
}

impl DecoderCache {
    /// Creates a cache without decoders.
    #[allow(clippy::new_without_default, reason = "there is one way to create it")]
    pub fn new() -> DecoderCache {
        DecoderCache { decoders: encoding::ALL.iter().map(|_| None).collect() }
    }

    /// Returns the decoder of the encoding at this index in the list of all.
    pub fn get(&mut self, slot: u16) -> &mut dyn DecodeStage {
        let slot = usize::from(slot).min(self.decoders.len() - 1);
        let create = || {
            let decoder = encoding::network_order_decoder(encoding::ALL[slot]);
            match encoding::ALL[slot].name() {
                "whatwg:ISO-2022-JP" => Box::new(SkipRepeatedEscapes(decoder)),
                _ => decoder,
            }
        };
        &mut **self.decoders[slot].get_or_insert_with(create)
    }
}

/// Skips an escape sequence directly after another one, which the Encoding Standard refuses: joined
/// encoded-words have that between them, and some mail programs write it within one.
struct SkipRepeatedEscapes(Box<dyn DecodeStage>);

impl Checkpoint for SkipRepeatedEscapes {
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

impl DecodeStage for SkipRepeatedEscapes {
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
                status => return Progress { read, written, status },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use charpipe_encoding::encoding::EncodingOptions;

    #[test]
    fn repeated_escape_sequences_are_skipped_wherever_the_input_is_cut() {
        let iso_2022_jp = encoding::for_label("whatwg:iso-2022-jp").unwrap();
        let src = b"\x1B$B$\"\x1B(B\x1B$B$$\x1B(B\x1B(Ja";
        for cut in 0..=src.len() {
            let mut decoder = SkipRepeatedEscapes(iso_2022_jp.decoder(&EncodingOptions::default()));
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
