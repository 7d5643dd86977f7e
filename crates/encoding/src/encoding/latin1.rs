//! ISO-8859-1 and US-ASCII: each byte is the code point of the same value.

use super::{Encoding, FnFactory};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, Replacements, State};
use crate::conversion_error::{ErrorClass, Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::{ByteSet, SplitRule};
use crate::error_handler::{CharacterCode, FewBytes, replace_malformed, replace_unmappable};
use charpipe_kernel as kernel;
use charpipe_kernel::ascii_set::AsciiByteSet;
use charpipe_kernel::utf8_replace::{Replaced, replace_in_blocks};

/// Seven-bit ASCII (ANSI X3.4-1986).
pub static US_ASCII: Encoding = Encoding::new(
    "US-ASCII",
    "seven bits (ANSI X3.4-1986)",
    &FnFactory {
        decoder: |_| Box::new(IdentityCodec::new(0x80)),
        encoder: |_| Box::new(IdentityCodec::new(0x80)),
        split_rule: |_| SplitRule::any_byte(ByteSet::from_bytes(b"\n")),
    },
);

/// Latin alphabet No. 1, with the C1 controls at 80 to 9F.
pub static ISO_8859_1: Encoding = Encoding::new(
    "ISO-8859-1",
    "Latin alphabet No. 1 with C1 controls (ISO/IEC 8859-1)",
    &FnFactory {
        decoder: |_| Box::new(IdentityCodec::new(LATIN1_LIMIT)),
        encoder: |_| Box::new(IdentityCodec::new(LATIN1_LIMIT)),
        split_rule: |_| SplitRule::any_byte(ByteSet::from_bytes(b"\n")),
    },
);

/// The limit of an encoding in which every byte is a code point.
const LATIN1_LIMIT: u32 = 0x100;

/// The number of characters converted one by one before the kernel is tried. Between adjacent
/// errors no kernel makes progress.
const SCALAR_LIMIT: usize = 4;

/// The length of mixed text, in bytes, below which a kernel takes longer than to decode one character after
/// another.
const SHORT_LEN: usize = 96;

/// The length in bytes from which on the kernel of ISO-8859-1 alone is faster, also for ASCII, than one
/// that copies leading ASCII first.
const LONG_LEN: usize = 256;

/// The codec of an encoding whose bytes below `limit` are the code points of the same value.
pub(super) struct IdentityCodec {
    limit: u32,
}

impl IdentityCodec {
    pub(super) const fn new(limit: u32) -> IdentityCodec {
        IdentityCodec { limit }
    }

    /// Decodes a prefix with kernels; returns the number of bytes read and written.
    fn decode_run(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let is_latin1 = self.limit == LATIN1_LIMIT;
        if is_latin1 && src.len() >= LONG_LEN {
            return kernel::latin1::decode(src, dst);
        }
        let ascii = kernel::ascii::copy(src, dst);
        let (src, dst) = (&src[ascii..], &mut dst[ascii..]);
        let (read, written) = match is_latin1 {
            true if src.len() < SHORT_LEN => decode_latin1_stepwise(src, dst),
            true => kernel::latin1::decode(src, dst),
            false => (0, 0),
        };
        (ascii + read, ascii + written)
    }

    /// Encodes a prefix with kernels; returns the number of bytes read and written.
    fn encode_run(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        let ascii = kernel::ascii::copy(src.as_bytes(), dst);
        let (read, written) = match self.limit {
            LATIN1_LIMIT => kernel::latin1::encode(&src[ascii..], &mut dst[ascii..]),
            _ => (0, 0),
        };
        (ascii + read, ascii + written)
    }
}

/// Decodes bytes of ISO-8859-1 while both buffers have space: up to eight ASCII characters, and another one
/// after them, at a time. Returns the numbers of bytes read and written.
fn decode_latin1_stepwise(src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    const STEP_LEN: usize = size_of::<u64>();
    let (mut read, mut written) = (0, 0);
    while let (Some(bytes), Some(output)) = (
        src[read..].first_chunk::<STEP_LEN>(),
        dst[written..].first_chunk_mut::<{ STEP_LEN + 1 }>(),
    ) {
        output[..STEP_LEN].copy_from_slice(bytes);
        let high_bits = u64::from_le_bytes(*bytes) & 0x8080_8080_8080_8080;
        let ascii = high_bits.trailing_zeros() as usize / 8;
        read += ascii;
        written += ascii;
        if let Some(byte) = bytes.get(ascii) {
            output[ascii] = 0xC0 | byte >> 6;
            output[ascii + 1] = 0x80 | byte & 0x3F;
            read += 1;
            written += 2;
        }
    }
    (read, written)
}

impl Checkpoint for IdentityCodec {
    fn max_lookahead(&self) -> usize {
        4
    }
}

impl DecodeStage for IdentityCodec {
    #[inline(always)]
    fn decode(&mut self, src: &[u8], dst: &mut [u8], _end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            for _ in 0..SCALAR_LIMIT {
                let Some(&byte) = src.get(read) else {
                    return Progress::input_empty(read, written);
                };
                if u32::from(byte) >= self.limit {
                    let error = Malformed::new(1, MalformedReason::InvalidLeadByte, State::INITIAL);
                    return Progress::error(read, written, error);
                }
                match (byte, &mut dst[written..]) {
                    (..0x80, [only, ..]) => {
                        *only = byte;
                        written += 1;
                    }
                    (0x80.., [first, second, ..]) => {
                        (*first, *second) = (0xC0 | byte >> 6, 0x80 | byte & 0x3F);
                        written += 2;
                    }
                    _ => return Progress::output_full(read, written),
                }
                read += 1;
            }
            let (run_read, run_written) = self.decode_run(&src[read..], &mut dst[written..]);
            read += run_read;
            written += run_written;
        }
    }

    fn repeat_count(&self, src: &[u8], _error: Malformed) -> usize {
        src.first().map_or(1, |byte| kernel::count::run_length(src, *byte))
    }

    fn decode_replacing(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        let limit = self.limit;
        let (mut read, mut written) = (0, 0);
        if limit == 0x80 {
            (read, written) = errors.replace_non_ascii(src, dst, &AsciiByteSet::FULL);
        }
        let (src, dst) = (&src[read..], &mut dst[written..]);
        let rest = replace_malformed(src, dst, errors, |&[byte]: &[u8; 1], space| {
            if u32::from(byte) >= limit {
                return Some(Err((1, MalformedReason::InvalidLeadByte)));
            }
            Some(Ok((1, char::from(byte).encode_utf8(space).len())))
        });
        (read + rest.0, written + rest.1)
    }
}

impl EncodeStage for IdentityCodec {
    #[inline(always)]
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            for _ in 0..SCALAR_LIMIT {
                let Some(character) = src[read..].chars().next() else {
                    return Progress::input_empty(read, written);
                };
                if u32::from(character) >= self.limit {
                    return Progress::error(read, written, Unmappable::new(character));
                }
                if written == dst.len() {
                    return Progress::output_full(read, written);
                }
                dst[written] = u32::from(character) as u8;
                written += 1;
                read += character.len_utf8();
            }
            let (run_read, run_written) = self.encode_run(&src[read..], &mut dst[written..]);
            read += run_read;
            written += run_written;
        }
    }

    fn encode_unvalidated(&mut self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        match self.limit {
            LATIN1_LIMIT => kernel::latin1::encode_unvalidated(src, dst),
            _ => {
                let ascii = kernel::ascii::copy(src, dst);
                (ascii, ascii)
            }
        }
    }

    fn encode_replacing(
        &mut self,
        src: &str,
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        let Some(replacement) = errors.constant(ErrorClass::Unmappable) else {
            let limit = self.limit;
            return replace_unmappable(src, dst, errors, |character, _| {
                match u32::from(character) {
                    value if value < limit => CharacterCode::Bytes([value as u8, 0, 0, 0], 1),
                    _ => CharacterCode::None,
                }
            });
        };
        let done = encode_blocks(src, dst, self.limit, replacement);
        errors.add_replaced(ErrorClass::Unmappable, done)
    }
}

/// Encodes blocks with a replacement for each character from `limit` on.
fn encode_blocks(src: &str, dst: &mut [u8], limit: u32, replacement: FewBytes) -> Replaced {
    // The last lead byte of a character below the limit.
    let last_lead = if limit == LATIN1_LIMIT { 0xC3 } else { 0x7F };
    replace_in_blocks(src.as_bytes(), dst, |window, to| {
        replace_block(window, to, replacement, last_lead)
    })
}

/// The number of bytes among which the characters of a block begin.
const BLOCK: usize = 64;

/// The number of bytes that a character may extend beyond a block.
const LOOKAHEAD: usize = 3;

/// The output space for a block: one replacement for each byte, and one store after them.
const MAX_OUTPUT: usize = (BLOCK + 1) * size_of::<u64>();

/// Encodes the characters that begin in a block of UTF-8, with a replacement for those whose lead byte is
/// above `last_lead`.
#[inline]
fn replace_block(
    src: &[u8; BLOCK + LOOKAHEAD],
    dst: &mut [u8; MAX_OUTPUT],
    replacement: FewBytes,
    last_lead: u8,
) -> Replaced {
    let (mut read, mut written, mut errors) = (0, 0, 0);
    while read < BLOCK {
        let lead = src[read];
        let space = dst[written.min(MAX_OUTPUT - size_of::<u64>())..].first_chunk_mut();
        if lead <= 0x7F.max(last_lead) {
            let (byte, len) = match lead {
                ..0x80 => (lead, 1),
                _ => (lead << 6 | src[read + 1] & 0x3F, 2),
            };
            if let Some(space) = space {
                *space = u64::from(byte).to_le_bytes();
            }
            read += len;
            written += 1;
            continue;
        }
        if let Some(space) = space {
            *space = replacement.bytes;
        }
        written += replacement.len;
        errors += 1;
        // Branches, because a computed length delays the load of the next byte.
        match lead {
            ..=0xDF => read += 2,
            0xE0..=0xEF => read += 3,
            _ => read += 4,
        }
    }
    Replaced { read, written, errors }
}

#[cfg(test)]
mod tests {
    use super::*;
    use charpipe_test_support as testing;

    #[test]
    fn replaced_characters_are_those_that_are_unmappable() {
        let characters = ['a', '\u{7F}', '\u{80}', '\u{FF}', '\u{100}', '\u{7FF}', '€', '😀'];
        for number in 0..400 {
            let mut random = testing::random(number);
            let known = 2 + random.below(characters.len() - 1);
            let text: String = (0..200).map(|_| characters[random.below(known)]).collect();
            for (limit, len) in [(0x80, 0), (0x80, 8), (LATIN1_LIMIT, 1), (LATIN1_LIMIT, 3)] {
                let replacement = FewBytes { bytes: *b"REPLACED", len };
                let mut dst = vec![0; 8 * text.len()];
                let done = encode_blocks(&text, &mut dst, limit, replacement);
                let (mut expected, mut errors) = (Vec::new(), 0);
                for character in text[..done.read].chars() {
                    match u32::from(character) < limit {
                        true => expected.push(u32::from(character) as u8),
                        false => {
                            expected.extend_from_slice(&replacement.bytes[..len]);
                            errors += 1;
                        }
                    }
                }
                assert_eq!(dst[..done.written], expected, "{number} {limit:X}");
                assert_eq!(done.errors, errors, "{number} {limit:X}");
            }
        }
    }
}
