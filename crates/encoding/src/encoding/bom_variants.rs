//! Variants of other encodings with a byte order mark.
//!
//! The decoder drops one BOM at the start if there is one, and the encoder writes one before the
//! first character. `UTF-16` and `UTF-32` do so themselves, in little-endian order.

use super::utf8::UTF_8;
use super::utf16::UTF_16BE;
use super::utf32::UTF_32BE;
use super::{BomHandling, CodecFactory, Encoding, EncodingOptions};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, State, Status};
use crate::conversion_error::{Malformed, Unmappable};
use crate::encoding::split_rule::{SplitRule, SplitTarget};

/// The encodings in the order of the manual.
pub const ALL: &[&Encoding] = &[&UTF_8_SIG, &UTF_16BE_BOM, &UTF_32BE_BOM];

static UTF_8_SIG: Encoding = bom_prefixed(
    "UTF-8-SIG",
    "UTF-8 with a byte order mark: one is consumed if present, and one is written",
    &BomPrefixedFactory { inner: &UTF_8, bom: b"\xEF\xBB\xBF" },
);

static UTF_16BE_BOM: Encoding = bom_prefixed(
    "UTF-16BE-BOM",
    "UTF-16BE with a byte order mark: one is consumed if present, and one is written",
    &BomPrefixedFactory { inner: &UTF_16BE, bom: b"\xFE\xFF" },
);

static UTF_32BE_BOM: Encoding = bom_prefixed(
    "UTF-32BE-BOM",
    "UTF-32BE with a byte order mark: one is consumed if present, and one is written",
    &BomPrefixedFactory { inner: &UTF_32BE, bom: b"\0\0\xFE\xFF" },
);

const fn bom_prefixed(
    name: &'static str,
    description: &'static str,
    codecs: &'static BomPrefixedFactory,
) -> Encoding {
    Encoding {
        bom_handling: BomHandling::DetectAndWrite,
        ..Encoding::new(name, description, codecs)
    }
}

/// An encoding with stateless codecs, and U+FEFF in it.
#[derive(Debug)]
struct BomPrefixedFactory {
    inner: &'static Encoding,
    bom: &'static [u8],
}

impl CodecFactory for BomPrefixedFactory {
    fn decoder(&self, options: &EncodingOptions) -> Box<dyn DecodeStage> {
        let inner = self.inner.decoder(options);
        Box::new(BomPrefixedCodec { inner, bom: self.bom, state: State::INITIAL })
    }

    fn encoder(&self, options: &EncodingOptions) -> Box<dyn EncodeStage> {
        let inner = self.inner.encoder(options);
        Box::new(BomPrefixedCodec { inner, bom: self.bom, state: State::INITIAL })
    }

    fn split_rule(&self, options: &EncodingOptions) -> SplitRule {
        let target = SplitTarget::AfterLineFeed { header: true };
        self.inner.factory.split_rule(options).with_target(target)
    }
}

/// The state after the start.
const AFTER_START: State = State::new(1);

/// A codec of the encoding, and its BOM.
struct BomPrefixedCodec<T: ?Sized> {
    bom: &'static [u8],
    state: State,
    inner: Box<T>,
}

impl<T: Checkpoint + ?Sized> Checkpoint for BomPrefixedCodec<T> {
    fn save_state(&self) -> State {
        self.state
    }

    fn restore_state(&mut self, at: State) {
        self.state = at;
    }

    fn max_lookahead(&self) -> usize {
        self.bom.len() + self.inner.max_lookahead()
    }
}

impl<T: ?Sized> BomPrefixedCodec<T> {
    /// Returns the length of the BOM at the start of `src`; zero after the start.
    fn bom_len(&self, src: &[u8]) -> usize {
        if self.state == State::INITIAL && src.starts_with(self.bom) { self.bom.len() } else { 0 }
    }
}

impl DecodeStage for BomPrefixedCodec<dyn DecodeStage> {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        if self.state == State::INITIAL && !end && self.bom.starts_with(src) && src != self.bom {
            return Progress::input_empty(0, 0);
        }
        let bom_len = self.bom_len(src);
        let progress = self.inner.decode(&src[bom_len..], dst, end);
        let read = bom_len + progress.read;
        if read > 0 {
            self.state = AFTER_START;
        }
        let status = match progress.status {
            Status::Error(error) => Status::Error(Malformed { resume_state: AFTER_START, ..error }),
            status => status,
        };
        Progress { read, status, ..progress }
    }

    fn repeat_count(&self, src: &[u8], error: Malformed) -> usize {
        self.inner.repeat_count(&src[self.bom_len(src)..], error)
    }
}

impl EncodeStage for BomPrefixedCodec<dyn EncodeStage> {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        if self.state != State::INITIAL {
            return self.inner.encode(src, dst, end);
        }
        // The BOM is written only before a character, so it needs output space for both.
        let (bom, text) = dst.split_at_mut(dst.len().min(self.bom.len()));
        let progress = self.inner.encode(src, text, end);
        if progress.written == 0 {
            return progress;
        }
        bom.copy_from_slice(self.bom);
        self.state = AFTER_START;
        Progress { written: bom.len() + progress.written, ..progress }
    }

    fn encode_unvalidated(&mut self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        if self.state == State::INITIAL {
            return (0, 0);
        }
        self.inner.encode_unvalidated(src, dst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(encoding: &Encoding, text: &str) -> Vec<u8> {
        let mut space = [0; 16];
        let progress = encoding.encoder(&EncodingOptions::default()).encode(text, &mut space, true);
        space[..progress.written].to_vec()
    }

    #[test]
    fn bom_is_u_feff_in_the_inner_encoding() {
        for (bare, signed) in
            [(&UTF_8, &UTF_8_SIG), (&UTF_16BE, &UTF_16BE_BOM), (&UTF_32BE, &UTF_32BE_BOM)]
        {
            assert_eq!(encode(signed, "a"), encode(bare, "\u{FEFF}a"));
            assert_eq!(encode(signed, ""), b"");
        }
    }
}
