//! UTF-8 (RFC 3629): 1 to 4 bytes, shortest form, no surrogates.
//!
//! A malformed sequence is the longest prefix of a well-formed one, or else a single byte (Unicode
//! 15, section 3.9, "maximal subpart").

use super::{Encoding, FnFactory};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, Replacements, State};
use crate::conversion_error::{ErrorClass, Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::SplitRule;
use crate::error_handler::{FewBytes, replace_malformed};
use charpipe_kernel as kernel;
use charpipe_kernel::utf8_replace;

/// UTF-8 of RFC 3629.
pub static UTF_8: Encoding = Encoding::new(
    "UTF-8",
    "Unicode in 1 to 4 bytes (RFC 3629)",
    &FnFactory {
        decoder: |_| Box::new(Utf8Codec),
        encoder: |_| Box::new(Utf8Codec),
        split_rule: |_| SplitRule::AFTER_LINE_FEED,
    },
);

/// The number of bytes converted one by one before the kernel is tried.
const SCALAR_LIMIT: usize = 4;

/// The decoder and the encoder, both stateless.
pub(super) struct Utf8Codec;

impl Checkpoint for Utf8Codec {
    fn max_lookahead(&self) -> usize {
        4
    }
}

impl DecodeStage for Utf8Codec {
    // Inlined: an error that stays in registers costs half as much in the error handler.
    #[inline(always)]
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        // Errors are often adjacent or nearly so, and most of them are single bytes.
        for at in 0..SCALAR_LIMIT.min(src.len()) {
            match (src[at], dst.get_mut(at)) {
                (byte @ ..0x80, Some(space)) => *space = byte,
                (0x80..=0xC1 | 0xF5..=0xFF, _) => {
                    let error = Malformed::new(1, malformed_reason(&src[at..=at]), State::INITIAL);
                    return Progress::error(at, at, error);
                }
                _ => break,
            }
        }
        // Limited to the output space, so that a small buffer does not cost the validation of a
        // whole block.
        let limited = &src[..src.len().min(dst.len())];
        let (valid, end_of_valid) = kernel::utf8::validate(limited);
        kernel::utf8::copy_prefix(limited, dst, valid);
        match end_of_valid {
            None if limited.len() < src.len() => Progress::output_full(valid, valid),
            None => Progress::input_empty(valid, valid),
            Some(Some(len)) => {
                let error =
                    Malformed::new(len, malformed_reason(&limited[valid..]), State::INITIAL);
                Progress::error(valid, valid, error)
            }
            Some(None) if limited.len() < src.len() => Progress::output_full(valid, valid),
            Some(None) if !end => Progress::input_empty(valid, valid),
            Some(None) => truncated(limited.len() - valid, valid),
        }
    }

    fn repeat_count(&self, src: &[u8], _error: Malformed) -> usize {
        match src {
            // Each of these bytes is an error by itself, whatever follows.
            [byte @ (0x80..=0xC1 | 0xF5..=0xFF), ..] => kernel::count::run_length(src, *byte),
            _ => 1,
        }
    }

    fn decode_replacing(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        let Some(FewBytes { bytes, len }) = errors.constant(ErrorClass::Malformed) else {
            return replace_malformed(src, dst, errors, |window: &[u8; 4], space| {
                space[..window.len()].copy_from_slice(window);
                Some(match utf8_replace::sequence_len(*window) {
                    Ok(len) => Ok((len, len)),
                    Err(len) => Err((len, malformed_reason(window))),
                })
            });
        };
        let done = utf8_replace::replace_malformed(src, dst, bytes, len);
        errors.add_replaced(ErrorClass::Malformed, done)
    }
}

fn truncated(len: usize, at: usize) -> Progress<Malformed> {
    Progress::error(at, at, Malformed::new(len, MalformedReason::Truncated, State::INITIAL))
}

/// Returns the reason why the sequence at the start of `at` is malformed.
#[inline]
pub fn malformed_reason(at: &[u8]) -> MalformedReason {
    match (at[0], at.get(1)) {
        (0xC0..=0xC1, _) | (0xE0, Some(0x80..=0x9F)) | (0xF0, Some(0x80..=0x8F)) => {
            MalformedReason::Overlong
        }
        (0xED, Some(0xA0..=0xBF)) => MalformedReason::Surrogate,
        (0xF4, Some(0x90..=0xBF)) | (0xF5..=0xFD, _) => MalformedReason::OutOfRange,
        (0x80..=0xBF | 0xFE..=0xFF, _) => MalformedReason::InvalidLeadByte,
        _ => MalformedReason::MissingTrailByte,
    }
}

impl EncodeStage for Utf8Codec {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let len = kernel::utf8::floor_char_boundary(src, dst.len());
        kernel::bulk_copy::copy(&src.as_bytes()[..len], dst);
        if len < src.len() {
            Progress::output_full(len, len)
        } else {
            Progress::input_empty(len, len)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Status;

    fn first_error(src: &[u8]) -> Option<Malformed> {
        match Utf8Codec.decode(src, &mut [0; 64], true) {
            Progress { read: 0, status: Status::Error(invalid), .. } => Some(invalid),
            _ => None,
        }
    }

    #[test]
    fn repeat_count_matches_consecutive_errors() {
        for byte in 0..=0xFF {
            for (count, after) in [(1, &b"a"[..]), (2, b""), (16, b"\x80"), (40, b"\xC3\xA9")] {
                let src = [&[byte].repeat(count), after].concat();
                let Some(invalid) = first_error(&src) else { continue };
                let times = Utf8Codec.repeat_count(&src, invalid);
                assert!(times > 0);
                let alike = (0..times).all(|index| first_error(&src[index..]) == Some(invalid));
                assert!(alike, "{byte:02X} {count} {after:02X?}: {times}");
                let alone = matches!(byte, 0x80..=0xC1 | 0xF5..);
                assert_eq!(times >= count, alone || count == 1, "{byte:02X} {count}");
            }
        }
    }
}
