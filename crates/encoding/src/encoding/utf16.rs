//! UTF-16 (RFC 2781, The Unicode Standard section 3.10), and UCS-2, which has no surrogate pairs.
//!
//! Labels with LE or BE fix the byte order, and U+FEFF is a character there. `UTF-16` obeys one BOM
//! at the start and drops it. Without a BOM it is little-endian, as files of most systems are,
//! though RFC 2781 section 4.3 recommends big-endian; use `UTF-16BE` for that.
//!
//! UCS-2 is the Basic Multilingual Plane in 16-bit code units (ISO/IEC 10646:2003, section 13.1): a
//! code unit in the surrogate range is malformed, and a character above U+FFFF is unmappable.
//! `UCS-2` obeys a BOM at the start but writes none; `UNICODE` is the GNU C library's name of the
//! variant that writes one.
//!
//! A malformed sequence is an unpaired surrogate (2 bytes), or the bytes that are left when the
//! input ends inside a character (1 to 3 bytes).

use super::{BomHandling, CodecFactory, Encoding, EncodingOptions, FnFactory};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, Replacements, State};
use crate::conversion_error::{ErrorClass, Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::{ByteOrder, SplitRule, SplitTarget};
use crate::error_handler::{CharacterCode, FewBytes, replace_malformed, replace_unmappable};
use charpipe_kernel as kernel;
use charpipe_kernel::simd::AsArrays;
use charpipe_kernel::utf8_bytes::TextBuffer;
use charpipe_kernel::utf8_replace::{Replaced, replace_in_blocks};

/// Returns a decoder of an encoding that obeys a BOM, and is big-endian without one.
pub(super) fn network_order_decoder(encoding: &Encoding) -> Option<Box<dyn DecodeStage>> {
    if *encoding == UTF_16 {
        Some(Box::new(BomDecoder::<true>::with_big_endian_default()))
    } else if [&UCS_2, &UNICODE].contains(&encoding) {
        Some(Box::new(BomDecoder::<false>::with_big_endian_default()))
    } else {
        None
    }
}

/// UTF-16 with a BOM.
pub static UTF_16: Encoding = Encoding {
    bom_handling: BomHandling::DetectAndWrite,
    ..Encoding::new(
        "UTF-16",
        "Unicode in 16-bit units with a byte order mark, else little-endian (RFC 2781)",
        &FnFactory {
            decoder: |_| Box::new(BomDecoder::<true>::new()),
            encoder: |_| Box::new(BomEncoder::<true>::new()),
            split_rule: |_| {
                SplitRule::after_unit(2, ByteOrder::Bom)
                    .with_target(SplitTarget::AfterLineFeed { header: true })
            },
        },
    )
};

/// Big-endian UTF-16.
pub static UTF_16BE: Encoding = Encoding::new(
    "UTF-16BE",
    "Unicode in 16-bit units, big-endian (RFC 2781)",
    &FixedEndian::<true, true>,
);

/// Little-endian UTF-16.
pub static UTF_16LE: Encoding = Encoding::new(
    "UTF-16LE",
    "Unicode in 16-bit units, little-endian (RFC 2781)",
    &FixedEndian::<false, true>,
);

/// UCS-2 that obeys a BOM and writes none.
pub static UCS_2: Encoding = Encoding {
    bom_handling: BomHandling::Detect,
    ..Encoding::new(
        "UCS-2",
        "16-bit units without surrogates, little-endian without a byte order mark (ISO/IEC 10646)",
        &FnFactory {
            decoder: |_| Box::new(BomDecoder::<false>::new()),
            encoder: |_| Box::new(FixedEndian::<false, false>),
            split_rule: |_| SplitRule::after_unit(2, ByteOrder::Bom),
        },
    )
};

/// Big-endian UCS-2.
pub static UCS_2BE: Encoding = Encoding::new(
    "UCS-2BE",
    "16-bit units without surrogates, big-endian (ISO/IEC 10646)",
    &FixedEndian::<true, false>,
);

/// Little-endian UCS-2.
pub static UCS_2LE: Encoding = Encoding::new(
    "UCS-2LE",
    "16-bit units without surrogates, little-endian (ISO/IEC 10646)",
    &FixedEndian::<false, false>,
);

/// UCS-2 that obeys a BOM and writes one.
pub static UNICODE: Encoding = Encoding {
    bom_handling: BomHandling::DetectAndWrite,
    ..Encoding::new(
        "UNICODE",
        "16-bit units without surrogates, with a byte order mark (GNU C library)",
        &FnFactory {
            decoder: |_| Box::new(BomDecoder::<false>::new()),
            encoder: |_| Box::new(BomEncoder::<false>::new()),
            split_rule: |_| {
                SplitRule::after_unit(2, ByteOrder::Bom)
                    .with_target(SplitTarget::AfterLineFeed { header: true })
            },
        },
    )
};

/// Returns the code unit of two bytes.
fn unit_from_bytes<const BIG: bool>(bytes: [u8; 2]) -> u16 {
    if BIG { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
}

/// Returns the two bytes of a code unit.
fn unit_to_bytes<const BIG: bool>(unit: u16) -> [u8; 2] {
    if BIG { unit.to_be_bytes() } else { unit.to_le_bytes() }
}

/// The number of characters converted one by one before the kernel is tried.
const SCALAR_LIMIT: usize = 16;

/// The length of the input in bytes from which on the kernel is tried.
const MIN_KERNEL_LEN: usize = 32;

/// Decodes code units that are big-endian if `BIG`, with surrogate pairs if `PAIRS`. Errors resume in state
/// `resume_state`.
#[inline]
fn decode<const BIG: bool, const PAIRS: bool>(
    src: &[u8],
    dst: &mut [u8],
    end: bool,
    resume_state: State,
) -> Progress<Malformed> {
    let (mut read, mut written) = (0, 0);
    loop {
        // The kernel comes second: it makes no progress between adjacent errors.
        for _ in 0..SCALAR_LIMIT {
            if let Some(len) = decode_one_unit::<BIG>(&src[read..], &mut dst[written..]) {
                read += 2;
                written += len;
                continue;
            }
            let (character, len) = match read_first::<BIG, PAIRS>(&src[read..], end) {
                FirstUnit::Character(character, len) => (character, len),
                FirstUnit::Incomplete => return Progress::input_empty(read, written),
                FirstUnit::Malformed(len, reason) => {
                    return Progress::error(
                        read,
                        written,
                        Malformed::new(len, reason, resume_state),
                    );
                }
            };
            if dst.len() - written < character.len_utf8() {
                return Progress::output_full(read, written);
            }
            written += character.encode_utf8(&mut dst[written..]).len();
            read += len;
        }
        // A call in vain takes as long as to decode ten characters.
        if src.len() - read >= MIN_KERNEL_LEN {
            let (run_read, run_written) =
                kernel::utf16::decode(&src[read..], &mut dst[written..], BIG, PAIRS);
            read += run_read;
            written += run_written;
        }
    }
}

/// Decodes one code unit that is not a surrogate, if `dst` has space for any. Returns the number of bytes
/// written.
#[inline]
fn decode_one_unit<const BIG: bool>(src: &[u8], dst: &mut [u8]) -> Option<usize> {
    let unit = unit_from_bytes::<BIG>(*src.first_chunk()?);
    let output = dst.first_chunk_mut::<3>()?;
    let low = |bits: u16| 0x80 | (bits & 0x3F) as u8;
    match unit {
        ..0x80 => {
            output[0] = unit as u8;
            Some(1)
        }
        0x80..0x800 => {
            (output[0], output[1]) = (0xC0 | (unit >> 6) as u8, low(unit));
            Some(2)
        }
        0xD800..=0xDFFF => None,
        _ => {
            *output = [0xE0 | (unit >> 12) as u8, low(unit >> 6), low(unit)];
            Some(3)
        }
    }
}

/// Returns how many times the malformed code unit at the start of `src` is repeated.
fn repeat_count<const BIG: bool, const PAIRS: bool>(src: &[u8]) -> usize {
    let (units, _) = src.as_arrays();
    let Some(&first) = units.first() else { return 1 };
    let count = units.iter().take_while(|unit| **unit == first).count();
    match unit_from_bytes::<BIG>(first) {
        // The code unit after the last of them may complete a pair.
        0xD800..=0xDBFF if PAIRS => count.saturating_sub(1).max(1),
        0xD800..=0xDFFF => count,
        _ => 1,
    }
}

/// The number of code units in a block that is decoded with replacements.
const BLOCK_UNITS: usize = 32;

/// The number of bytes in a block, and of the code unit after it.
const BLOCK_WINDOW: usize = 2 * (BLOCK_UNITS + 1);

/// The output space for a block: one replacement for each code unit, and one store after them.
const MAX_BLOCK_OUTPUT: usize = (BLOCK_UNITS + 1) * size_of::<u64>();

/// Implements [`DecodeStage::decode_replacing`].
fn decode_replacing<const BIG: bool, const PAIRS: bool>(
    src: &[u8],
    dst: &mut [u8],
    errors: &mut Replacements<'_>,
) -> (usize, usize) {
    let Some(replacement) = errors.constant(ErrorClass::Malformed) else {
        return replace_malformed(src, dst, errors, |&[a, b, c, d]: &[u8; 4], space| {
            let unit = |bytes| u32::from(unit_from_bytes::<BIG>(bytes));
            let (first, second) = (unit([a, b]), unit([c, d]));
            let (value, len) = match (first, second) {
                (0xD800..=0xDBFF, 0xDC00..=0xDFFF) if PAIRS => {
                    (0x1_0000 + ((first & 0x3FF) << 10 | second & 0x3FF), 4)
                }
                _ => (first, 2),
            };
            Some(match char::from_u32(value) {
                Some(character) => Ok((len, character.encode_utf8(space).len())),
                None if PAIRS => Err((len, MalformedReason::UnpairedSurrogate)),
                None => Err((len, MalformedReason::Surrogate)),
            })
        });
    };
    let done = replace_surrogates::<BIG, PAIRS>(src, dst, replacement);
    errors.add_replaced(ErrorClass::Malformed, done)
}

/// Decodes blocks with a replacement for each unpaired surrogate.
fn replace_surrogates<const BIG: bool, const PAIRS: bool>(
    src: &[u8],
    dst: &mut [u8],
    replacement: FewBytes,
) -> Replaced {
    replace_in_blocks(src, dst, |window, to| replace_block::<BIG, PAIRS>(window, to, replacement))
}

/// Decodes the characters that begin in a block, with a replacement for each unpaired surrogate.
#[inline]
fn replace_block<const BIG: bool, const PAIRS: bool>(
    src: &[u8; BLOCK_WINDOW],
    dst: &mut [u8; MAX_BLOCK_OUTPUT],
    replacement: FewBytes,
) -> Replaced {
    let unit_at = |at: usize| u32::from(unit_from_bytes::<BIG>([src[at], src[at + 1]]));
    let continuation = |bits: u32| 0x80 | bits & 0x3F;
    let (mut read, mut written, mut errors) = (0, 0, 0);
    while read < 2 * BLOCK_UNITS {
        let unit = unit_at(read);
        let (bytes, len) = match unit {
            ..0x80 => (unit, 1),
            0x80..0x800 => (0xC0 | unit >> 6 | continuation(unit) << 8, 2),
            0xD800..=0xDBFF if PAIRS && matches!(unit_at(read + 2), 0xDC00..=0xDFFF) => {
                let character = 0x1_0000 + ((unit & 0x3FF) << 10 | unit_at(read + 2) & 0x3FF);
                read += 2;
                let first = 0xF0 | character >> 18 | continuation(character >> 12) << 8;
                (first | continuation(character >> 6) << 16 | continuation(character) << 24, 4)
            }
            0xD800..=0xDFFF => (0, 0),
            _ => {
                let first = 0xE0 | unit >> 12 | continuation(unit >> 6) << 8;
                (first | continuation(unit) << 16, 3)
            }
        };
        read += 2;
        let is_error = len == 0;
        if let Some(space) =
            dst[written.min(MAX_BLOCK_OUTPUT - size_of::<u64>())..].first_chunk_mut()
        {
            *space = if is_error { replacement.bytes } else { u64::from(bytes).to_le_bytes() };
        }
        written += if is_error { replacement.len } else { len };
        errors += usize::from(is_error);
    }
    Replaced { read, written, errors }
}

/// The result of reading the start of the source.
enum FirstUnit {
    /// A character, and its length in bytes.
    Character(char, usize),
    /// No input, or the start of a character.
    Incomplete,
    /// The length of a malformed sequence, and the reason.
    Malformed(usize, MalformedReason),
}

#[inline]
fn read_first<const BIG: bool, const PAIRS: bool>(src: &[u8], end: bool) -> FirstUnit {
    let Some(&bytes) = src.first_chunk() else { return incomplete_or_truncated(src, end) };
    let unit = unit_from_bytes::<BIG>(bytes);
    match unit {
        0xD800..=0xDFFF if !PAIRS => FirstUnit::Malformed(2, MalformedReason::Surrogate),
        0xD800..=0xDBFF => match src[2..].first_chunk() {
            None => incomplete_or_truncated(src, end),
            Some(&raw_bytes) => read_pair(unit, unit_from_bytes::<BIG>(raw_bytes)),
        },
        unit => char::from_u32(u32::from(unit))
            .map_or(FirstUnit::Malformed(2, MalformedReason::UnpairedSurrogate), |character| {
                FirstUnit::Character(character, 2)
            }),
    }
}

/// Returns the result for a source that ends before its first character does.
fn incomplete_or_truncated(src: &[u8], end: bool) -> FirstUnit {
    if end && !src.is_empty() {
        FirstUnit::Malformed(src.len(), MalformedReason::Truncated)
    } else {
        FirstUnit::Incomplete
    }
}

fn read_pair(high: u16, next: u16) -> FirstUnit {
    let bits = |unit: u16| u32::from(unit & 0x3FF);
    match char::from_u32(0x1_0000 + (bits(high) << 10 | bits(next))) {
        Some(character) if (0xDC00..=0xDFFF).contains(&next) => FirstUnit::Character(character, 4),
        _ => FirstUnit::Malformed(2, MalformedReason::UnpairedSurrogate),
    }
}

/// Encodes to code units that are big-endian if `BIG`, with surrogate pairs if `PAIRS`.
fn encode<const BIG: bool, const PAIRS: bool>(src: &str, dst: &mut [u8]) -> Progress<Unmappable> {
    let (mut read, mut written) = (0, 0);
    loop {
        let (run_read, run_written) =
            kernel::utf16::encode(&src[read..], &mut dst[written..], BIG, PAIRS);
        read += run_read;
        written += run_written;
        let mut rest = src[read..].chars();
        for _ in 0..SCALAR_LIMIT {
            let Some(character) = rest.next() else { return Progress::input_empty(read, written) };
            if !PAIRS && character > '\u{FFFF}' {
                return Progress::error(read, written, Unmappable::new(character));
            }
            let Some(len) = write_char::<BIG>(character, &mut dst[written..]) else {
                return Progress::output_full(read, written);
            };
            read += character.len_utf8();
            written += len;
        }
    }
}

/// Writes the code units of one character; returns their length in bytes, or `None` if `dst` is too
/// small.
fn write_char<const BIG: bool>(character: char, dst: &mut [u8]) -> Option<usize> {
    let (space, _) = dst.as_arrays_mut::<2>();
    match (&*character.encode_utf16(&mut [0; 2]), space) {
        (&[unit], [only, ..]) => {
            *only = unit_to_bytes::<BIG>(unit);
            Some(2)
        }
        (&[high, low], [first, second, ..]) => {
            *first = unit_to_bytes::<BIG>(high);
            *second = unit_to_bytes::<BIG>(low);
            Some(4)
        }
        _ => None,
    }
}

/// The codec of an encoding in big-endian order if `BIG`, with surrogate pairs if `PAIRS`. It is stateless,
/// and U+FEFF is a character.
#[derive(Debug)]
struct FixedEndian<const BIG: bool, const PAIRS: bool>;

impl<const BIG: bool, const PAIRS: bool> CodecFactory for FixedEndian<BIG, PAIRS> {
    fn decoder(&self, _: &EncodingOptions) -> Box<dyn DecodeStage> {
        Box::new(FixedEndian::<BIG, PAIRS>)
    }

    fn encoder(&self, _: &EncodingOptions) -> Box<dyn EncodeStage> {
        Box::new(FixedEndian::<BIG, PAIRS>)
    }

    fn decode_short(&self, bytes: &[u8]) -> Option<String> {
        let (units, []) = bytes.as_arrays() else { return None };
        if bytes.len() > TextBuffer::MAX_INPUT_LEN {
            return None;
        }
        let mut text = TextBuffer::new();
        for unit in units {
            text.push_unit(unit_from_bytes::<BIG>(*unit))?;
        }
        Some(text.as_str().to_owned())
    }

    fn split_rule(&self, _: &EncodingOptions) -> SplitRule {
        SplitRule::after_unit(2, if BIG { ByteOrder::Big } else { ByteOrder::Little })
    }
}

impl<const BIG: bool, const PAIRS: bool> Checkpoint for FixedEndian<BIG, PAIRS> {
    fn max_lookahead(&self) -> usize {
        4
    }
}

impl<const BIG: bool, const PAIRS: bool> DecodeStage for FixedEndian<BIG, PAIRS> {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        decode::<BIG, PAIRS>(src, dst, end, State::INITIAL)
    }

    fn repeat_count(&self, src: &[u8], _error: Malformed) -> usize {
        repeat_count::<BIG, PAIRS>(src)
    }

    fn decode_replacing(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        decode_replacing::<BIG, PAIRS>(src, dst, errors)
    }
}

impl<const BIG: bool, const PAIRS: bool> EncodeStage for FixedEndian<BIG, PAIRS> {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        encode::<BIG, PAIRS>(src, dst)
    }

    fn encode_replacing(
        &mut self,
        src: &str,
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        replace_unmappable(src, dst, errors, |character, _| {
            match u16::try_from(u32::from(character)) {
                Ok(unit) => {
                    let [a, b] = unit_to_bytes::<BIG>(unit);
                    CharacterCode::Bytes([a, b, 0, 0], 2)
                }
                Err(_) if PAIRS => CharacterCode::Unknown,
                Err(_) => CharacterCode::None,
            }
        })
    }

    fn encode_unvalidated(&mut self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        kernel::utf16::encode_unvalidated(src, dst, BIG, PAIRS)
    }
}

/// The state after the start of little-endian input; U+FEFF is a character.
const LITTLE_ENDIAN: State = State::new(1);

/// The state after the start of big-endian input; U+FEFF is a character.
const BIG_ENDIAN: State = State::new(2);

/// A decoder that obeys a BOM at the start and drops it.
struct BomDecoder<const PAIRS: bool> {
    state: State,
    /// The byte order without a BOM.
    default_order: State,
}

impl<const PAIRS: bool> BomDecoder<PAIRS> {
    /// Returns a decoder that is little-endian without a BOM.
    const fn new() -> Self {
        BomDecoder { state: State::INITIAL, default_order: LITTLE_ENDIAN }
    }

    /// Returns a decoder that is big-endian without a BOM.
    const fn with_big_endian_default() -> Self {
        BomDecoder { state: State::INITIAL, default_order: BIG_ENDIAN }
    }

    /// Returns the length of the BOM at the start of `src`, and the byte order after it.
    fn detect_bom(&self, src: &[u8]) -> (usize, State) {
        match (self.state, src) {
            (State::INITIAL, [0xFE, 0xFF, ..]) => (2, BIG_ENDIAN),
            (State::INITIAL, [0xFF, 0xFE, ..]) => (2, LITTLE_ENDIAN),
            (State::INITIAL, _) => (0, self.default_order),
            (state, _) => (0, state),
        }
    }
}

impl<const PAIRS: bool> Checkpoint for BomDecoder<PAIRS> {
    fn save_state(&self) -> State {
        self.state
    }

    fn restore_state(&mut self, at: State) {
        self.state = at;
    }

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl<const PAIRS: bool> DecodeStage for BomDecoder<PAIRS> {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (bom_len, order) = self.detect_bom(src);
        let code_units = &src[bom_len..];
        let progress = match order {
            BIG_ENDIAN => decode::<true, PAIRS>(code_units, dst, end, BIG_ENDIAN),
            _ => decode::<false, PAIRS>(code_units, dst, end, LITTLE_ENDIAN),
        };
        let read = bom_len + progress.read;
        // A single byte may be the first half of a BOM.
        if read > 0 {
            self.state = order;
        }
        Progress { read, ..progress }
    }

    fn repeat_count(&self, src: &[u8], _error: Malformed) -> usize {
        match self.detect_bom(src) {
            (_, BIG_ENDIAN) => repeat_count::<true, PAIRS>(src),
            _ => repeat_count::<false, PAIRS>(src),
        }
    }

    fn decode_replacing(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        match self.state {
            BIG_ENDIAN => decode_replacing::<true, PAIRS>(src, dst, errors),
            LITTLE_ENDIAN => decode_replacing::<false, PAIRS>(src, dst, errors),
            _ => (0, 0),
        }
    }
}

/// An encoder that writes a little-endian BOM before the first character.
struct BomEncoder<const PAIRS: bool> {
    state: State,
}

const BOM: [u8; 2] = [0xFF, 0xFE];

impl<const PAIRS: bool> BomEncoder<PAIRS> {
    const fn new() -> Self {
        BomEncoder { state: State::INITIAL }
    }
}

impl<const PAIRS: bool> Checkpoint for BomEncoder<PAIRS> {
    fn save_state(&self) -> State {
        self.state
    }

    fn restore_state(&mut self, at: State) {
        self.state = at;
    }

    fn max_lookahead(&self) -> usize {
        BOM.len() + 4
    }
}

impl<const PAIRS: bool> EncodeStage for BomEncoder<PAIRS> {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        if self.state != State::INITIAL {
            return encode::<false, PAIRS>(src, dst);
        }
        // The BOM is written only before a character, so it needs output space for both.
        let (bom, code_units) = dst.split_at_mut(dst.len().min(BOM.len()));
        let progress = encode::<false, PAIRS>(src, code_units);
        if progress.written == 0 {
            return progress;
        }
        bom.copy_from_slice(&BOM);
        self.state = LITTLE_ENDIAN;
        Progress { written: BOM.len() + progress.written, ..progress }
    }

    fn encode_unvalidated(&mut self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        if self.state == State::INITIAL {
            (0, 0)
        } else {
            kernel::utf16::encode_unvalidated(src, dst, false, PAIRS)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FewBytes, replace_surrogates};
    use crate::conversion_error::MalformedReason::{self, Surrogate, Truncated, UnpairedSurrogate};
    use crate::encoding::testing::{
        Error, assert_decodes, decode, decode_every_way, encode, encode_every_way,
    };
    use charpipe_kernel::simd::AsArrays;
    use charpipe_test_support as testing;

    type UnmappableChars = &'static [(usize, char)];

    /// Encoding, bytes, text with U+FFFD for each error, the errors.
    const DECODING: &[(&str, &[u8], &str, &[Error])] = &[
        // RFC 2781 section 4: one BOM at the start, and none elsewhere.
        ("UTF-16", b"\xFE\xFF\x00A", "A", &[]),
        ("UTF-16", b"\xFF\xFEA\x00", "A", &[]),
        ("UTF-16", b"A\x00", "A", &[]),
        ("UTF-16", b"", "", &[]),
        ("UTF-16", b"\xFF\xFE", "", &[]),
        ("UTF-16", b"\xFF\xFE\xFF\xFEA\x00", "\u{FEFF}A", &[]),
        ("UTF-16", b"\xFF\xFE\xFE\xFFA\x00", "\u{FFFE}A", &[]),
        ("UTF-16", b"\xFE\xFF\xFE\xFF\xFF\xFE", "\u{FEFF}\u{FFFE}", &[]),
        ("UTF-16", b"A\x00\xFF\xFE\xFE\xFF", "A\u{FEFF}\u{FFFE}", &[]),
        (
            "UTF-16",
            b"\x00\xDC\xFE\xFF\xFF\xFE",
            "\u{FFFD}\u{FFFE}\u{FEFF}",
            &[(0, 2, UnpairedSurrogate)],
        ),
        ("UTF-16", b"\x00\xD8\xFE\xFFA\x00", "\u{FFFD}\u{FFFE}A", &[(0, 2, UnpairedSurrogate)]),
        ("UTF-16", b"\xFE", "\u{FFFD}", &[(0, 1, Truncated)]),
        ("UTF-16", b"\xFE\xFF\x00", "\u{FFFD}", &[(2, 1, Truncated)]),
        ("UTF-16", b"\xFE\xFF\xD8\x3D\xDE\x00", "\u{1F600}", &[]),
        ("UTF-16BE", b"\xFE\xFF\x00A", "\u{FEFF}A", &[]),
        ("UTF-16BE", b"\xFF\xFE", "\u{FFFE}", &[]),
        ("UTF-16LE", b"\xFF\xFEA\x00", "\u{FEFF}A", &[]),
        ("UTF-16LE", b"\xFF\xFE\x00\x00", "\u{FEFF}\0", &[]),
        ("UTF-16LE", b"\xFE\xFF", "\u{FFFE}", &[]),
        // RFC 3629 section 7, in 16-bit code units.
        ("UTF-16BE", b"\x00A\x22\x62\x03\x91\x00.", "A\u{2262}\u{391}.", &[]),
        ("UTF-16BE", b"\xFE\xFF\xD8\x4C\xDF\xB4", "\u{FEFF}\u{233B4}", &[]),
        // The limits of both surrogate ranges.
        ("UTF-16BE", b"\xD8\x00\xDC\x00\xDB\xFF\xDF\xFF", "\u{10000}\u{10FFFF}", &[]),
        ("UTF-16BE", b"\xD7\xFF\xE0\x00\xFF\xFF", "\u{D7FF}\u{E000}\u{FFFF}", &[]),
        // Unpaired surrogates, and the text after them.
        ("UTF-16BE", b"\xD8\x00\x00A", "\u{FFFD}A", &[(0, 2, UnpairedSurrogate)]),
        ("UTF-16BE", b"\xDC\x00\x00A", "\u{FFFD}A", &[(0, 2, UnpairedSurrogate)]),
        (
            "UTF-16BE",
            b"\xD8\x00\xD8\x00\xDC\x00\xDC\x00",
            "\u{FFFD}\u{10000}\u{FFFD}",
            &[(0, 2, UnpairedSurrogate), (6, 2, UnpairedSurrogate)],
        ),
        ("UTF-16BE", b"\x00A\xDB\xFF\xE0\x00", "A\u{FFFD}\u{E000}", &[(2, 2, UnpairedSurrogate)]),
        // Input that ends inside a character: one error of all remaining bytes.
        ("UTF-16BE", b"\x00", "\u{FFFD}", &[(0, 1, Truncated)]),
        ("UTF-16LE", b"A", "\u{FFFD}", &[(0, 1, Truncated)]),
        ("UTF-16LE", b"A\x00\x3D\xD8", "A\u{FFFD}", &[(2, 2, Truncated)]),
        ("UTF-16LE", b"A\x00\x3D\xD8\x00", "A\u{FFFD}", &[(2, 3, Truncated)]),
        (
            "UTF-16LE",
            b"A\x00\x00\xDE\x00",
            "A\u{FFFD}\u{FFFD}",
            &[(2, 2, UnpairedSurrogate), (4, 1, Truncated)],
        ),
        // UCS-2 without pairs.
        ("UCS-2BE", b"\x00A", "A", &[]),
        (
            "UCS-2BE",
            b"\xD8\x3D\xDE\x00",
            "\u{FFFD}\u{FFFD}",
            &[(0, 2, Surrogate), (2, 2, Surrogate)],
        ),
        ("UCS-2BE", b"\xFE\xFF\xFF\xFF", "\u{FEFF}\u{FFFF}", &[]),
        ("UCS-2LE", b"\x3D\xD8\x00", "\u{FFFD}\u{FFFD}", &[(0, 2, Surrogate), (2, 1, Truncated)]),
        ("UCS-2LE", b"\xFF\xFE", "\u{FEFF}", &[]),
        ("UCS-2", b"\xFE\xFF\x00A\xFE\xFF", "A\u{FEFF}", &[]),
        ("UCS-2", b"\xFF\xFEA\x00", "A", &[]),
        ("UCS-2", b"A\x00\xFF\xFE", "A\u{FEFF}", &[]),
        ("UNICODE", b"\xFE\xFF\x00A", "A", &[]),
        ("UNICODE", b"A\x00", "A", &[]),
    ];

    #[test]
    fn decodes_per_spec_at_every_split_and_buffer_size() {
        for (name, bytes, text, errors) in DECODING {
            assert_decodes(name, bytes, text, errors);
        }
    }

    /// Encoding, text, bytes, unmappable characters and their offsets.
    const ENCODING: &[(&str, &str, &[u8], UnmappableChars)] = &[
        ("UTF-16", "", b"", &[]),
        ("UTF-16", "A", b"\xFF\xFEA\x00", &[]),
        ("UTF-16", "\u{1F600}A", b"\xFF\xFE\x3D\xD8\x00\xDEA\x00", &[]),
        ("UTF-16", "\u{FEFF}A", b"\xFF\xFE\xFF\xFEA\x00", &[]),
        ("UTF-16BE", "", b"", &[]),
        ("UTF-16BE", "A\u{1F600}", b"\x00A\xD8\x3D\xDE\x00", &[]),
        ("UTF-16BE", "\u{FEFF}\u{233B4}", b"\xFE\xFF\xD8\x4C\xDF\xB4", &[]),
        ("UTF-16LE", "\u{10000}\u{10FFFF}", b"\x00\xD8\x00\xDC\xFF\xDB\xFF\xDF", &[]),
        ("UCS-2", "A", b"A\x00", &[]),
        ("UCS-2", "A\u{1F600}B", b"A\x00B\x00", &[(1, '\u{1F600}')]),
        ("UCS-2BE", "\u{FFFF}\u{10000}", b"\xFF\xFF", &[(3, '\u{10000}')]),
        ("UCS-2LE", "\u{FEFF}", b"\xFF\xFE", &[]),
        ("UNICODE", "", b"", &[]),
        ("UNICODE", "A", b"\xFF\xFEA\x00", &[]),
        // The BOM is written with the first encodable character.
        ("UNICODE", "\u{10000}A", b"\xFF\xFEA\x00", &[(0, '\u{10000}')]),
        ("UNICODE", "\u{10000}", b"", &[(0, '\u{10000}')]),
    ];

    #[test]
    fn encodes_per_spec_at_every_split_and_buffer_size() {
        for (name, text, bytes, errors) in ENCODING {
            let encoded = encode_every_way(name, text);
            assert_eq!(encoded, (bytes.to_vec(), errors.to_vec()), "{name} {text:?}");
        }
    }

    /// Decodes complete code units with the standard library.
    fn reference_decode(
        bytes: &[u8],
        order: fn([u8; 2]) -> u16,
    ) -> (String, Vec<(usize, usize, MalformedReason)>) {
        let units = bytes.as_arrays::<2>().0.iter().map(|pair| order(*pair));
        let (mut text, mut errors, mut at) = (String::new(), Vec::new(), 0);
        for found in char::decode_utf16(units) {
            match found {
                Ok(character) => {
                    text.push(character);
                    at += 2 * character.len_utf16();
                }
                Err(_) => {
                    text.push('\u{FFFD}');
                    errors.push((at, 2, UnpairedSurrogate));
                    at += 2;
                }
            }
        }
        (text, errors)
    }

    #[test]
    fn single_units_and_pairs_decode_like_std() {
        // The final letter prevents a truncated high surrogate, which the reference does not
        // detect.
        let mut inputs: Vec<Vec<u8>> = (0..=u16::MAX)
            .map(|unit| [unit, 0x4242].iter().flat_map(|unit| unit.to_be_bytes()).collect())
            .collect();
        for first in (0xD7F0..=0xE010_u16).step_by(13) {
            for second in (0xD7F0..=0xE010_u16).step_by(11) {
                let units = [first, second, 0x4242];
                inputs.push(units.iter().flat_map(|unit| unit.to_be_bytes()).collect());
            }
        }
        for input in &inputs {
            assert_eq!(
                decode("UTF-16BE", input),
                reference_decode(input, u16::from_be_bytes),
                "{input:02X?}"
            );
            let swapped: Vec<u8> = input.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
            assert_eq!(
                decode("UTF-16LE", &swapped),
                reference_decode(&swapped, u16::from_le_bytes)
            );
        }
    }

    #[test]
    fn ascii_runs_convert_at_every_length_and_alignment() {
        for odd in ["\u{7F}", "\u{80}", "\u{20AC}", "\u{1F600}"] {
            for before in 0..40 {
                for after in [0, 1, 15, 16, 17, 33] {
                    let text = format!("{}{odd}{}", "a".repeat(before), "z".repeat(after));
                    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
                    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
                    assert_eq!(encode("UTF-16BE", &text).0, big);
                    assert_eq!(encode("UTF-16LE", &text).0, little);
                    assert_eq!(decode("UTF-16BE", &big).0, text);
                    assert_eq!(decode("UTF-16LE", &little).0, text);
                }
            }
        }
        let mixed = "plain text, ".repeat(3) + "\u{E9}t\u{E9} \u{1F600}" + &"and on ".repeat(4);
        let bytes = encode_every_way("UTF-16", &mixed).0;
        assert_eq!(decode_every_way("UTF-16", &bytes), (mixed, vec![]));
    }

    #[test]
    fn unpaired_surrogates_are_replaced_as_by_std() {
        const UNITS: [u16; 9] = [0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD800, 0xDC00, 0xDBFF, 0xFFFF];
        for number in 0..600 {
            let mut random = testing::random(number);
            let known = 2 + random.below(UNITS.len() - 1);
            let units: Vec<u16> = (0..100).map(|_| UNITS[random.below(known)]).collect();
            let replacement = FewBytes { bytes: *b"REPLACED", len: number as usize % 9 };
            let bytes = |convert: fn(u16) -> [u8; 2]| -> Vec<u8> {
                units.iter().copied().flat_map(convert).collect()
            };
            let (big, little) = (bytes(u16::to_be_bytes), bytes(u16::to_le_bytes));
            let (mut dst, mut second) = ([0; 1000], [0; 1000]);
            let done = replace_surrogates::<true, true>(&big, &mut dst, replacement);
            assert_eq!(replace_surrogates::<false, true>(&little, &mut second, replacement), done);
            assert_eq!(dst[..done.written], second[..done.written]);
            let (mut expected, mut errors) = (Vec::new(), 0);
            for found in char::decode_utf16(units[..done.read / 2].iter().copied()) {
                match found {
                    Ok(character) => {
                        expected.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes())
                    }
                    Err(_) => {
                        expected.extend_from_slice(&replacement.bytes[..replacement.len]);
                        errors += 1;
                    }
                }
            }
            assert_eq!((&dst[..done.written], done.errors), (&expected[..], errors), "{number}");
            let no_pairs = replace_surrogates::<true, false>(&big, &mut dst, replacement);
            let surrogates = units[..no_pairs.read / 2].iter();
            let surrogates = surrogates.filter(|unit| matches!(unit, 0xD800..=0xDFFF)).count();
            assert_eq!(no_pairs.errors, surrogates, "{number}");
        }
    }

    /// Returns texts of `len` characters of all lengths in a pseudorandom order, from texts without
    /// pairs to texts with ever more ASCII.
    fn mixed_texts(len: usize) -> impl Iterator<Item = String> {
        const LETTERS: [char; 8] = [
            '\u{7F}',
            '\u{80}',
            '\u{7FF}',
            '\u{800}',
            '\u{D7FF}',
            '\u{E000}',
            '\u{FFFF}',
            '\u{1F600}',
        ];
        (0..200).map(move |number: usize| {
            let mut random = testing::random(number as u64);
            (0..len).map(|_| *LETTERS.get(random.below(7 + number / 10)).unwrap_or(&'a')).collect()
        })
    }

    #[test]
    fn mixed_texts_of_all_lengths_convert_like_std() {
        for text in (0..120).flat_map(mixed_texts) {
            let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert_eq!(encode("UTF-16BE", &text), (big.clone(), vec![]));
            assert_eq!(encode("UTF-16LE", &text), (little.clone(), vec![]));
            assert_eq!(decode("UTF-16BE", &big), (text.clone(), vec![]));
            assert_eq!(decode("UTF-16LE", &little), (text, vec![]));
        }
        for text in mixed_texts(60).step_by(20) {
            let bytes = encode_every_way("UTF-16LE", &text).0;
            assert_eq!(decode_every_way("UTF-16LE", &bytes), (text, vec![]));
        }
    }

    #[test]
    fn every_scalar_value_round_trips() {
        let all: String = ('\0'..=char::MAX).collect();
        let plane: String = ('\0'..='\u{FFFF}').collect();
        for (name, text) in [
            ("UTF-16", &all),
            ("UTF-16BE", &all),
            ("UTF-16LE", &all),
            ("UCS-2", &plane),
            ("UCS-2BE", &plane),
            ("UCS-2LE", &plane),
            ("UNICODE", &plane),
        ] {
            let (bytes, errors) = encode(name, text);
            assert!(errors.is_empty(), "{name}");
            assert!(decode(name, &bytes) == (text.clone(), vec![]), "{name}");
        }
    }
}
