//! BOCU-1 (UTN #6): each character as the difference from the one before it.
//!
//! The bytes 00 to 20 represent themselves. Every other character is a difference of 1 to 4 bytes
//! from a value near the previous character: the middle of its script. Both directions remember
//! that value only. The byte FF resets it. The decoder accepts a control character in the form of a
//! difference as well, though encoders do not write it so.
//!
//! A malformed sequence is a lead byte with the trail bytes that it has, and decoding resumes in
//! the initial state, because the base of the next difference is not known. The signature FB EE 28
//! at the start is U+FEFF and is kept.

use super::{Encoding, FnFactory};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::{SplitRule, SplitTarget};

/// Binary Ordered Compression for Unicode.
pub static BOCU_1: Encoding = Encoding::new(
    "BOCU-1",
    "Unicode as differences in 1 to 4 bytes (UTN #6)",
    &FnFactory {
        decoder: |_| Box::new(Bocu1Codec::new()),
        encoder: |_| Box::new(Bocu1Codec::new()),
        split_rule: |_| {
            SplitRule::AFTER_LINE_FEED.with_target(SplitTarget::AfterLineFeed { header: false })
        },
    },
);

/// The base of the first difference of a text, and the lowest base.
const INITIAL_PREVIOUS: u32 = 0x40;

/// The space, which is common in text of any script and so does not change the base.
const SPACE: u8 = 0x20;

/// The byte that restores [`INITIAL_PREVIOUS`] and encodes no character.
const RESET: u8 = 0xFF;

/// The scripts that are not in blocks of 128: first and last character, and the base after one of
/// them.
const WIDE_SCRIPTS: [(u32, u32, u32); 3] = [
    // Hiragana: the middle
    (0x3040, 0x309F, 0x3070),
    // CJK Unified Ideographs: the value from which the first of them has a difference of 2 bytes
    (0x4E00, 0x9FA5, 0x7711),
    // Hangul Syllables: the middle
    (0xAC00, 0xD7A3, 0xC1D1),
];

/// The decoder and the encoder.
struct Bocu1Codec {
    /// The base of the next difference.
    previous: u32,
}

impl Bocu1Codec {
    const fn new() -> Bocu1Codec {
        Bocu1Codec { previous: INITIAL_PREVIOUS }
    }

    /// Returns the first character of `src` and its length in bytes, `None` if more input is
    /// needed, or the length of a malformed sequence and the reason.
    fn decode_one(&self, src: &[u8]) -> Result<Option<(char, usize)>, (usize, MalformedReason)> {
        let (code, len) = match *src {
            [] => return Ok(None),
            [byte @ 0x00..=0x20, ..] => (u32::from(byte), 1),
            _ => match decode_diff(src)? {
                None => return Ok(None),
                Some((difference, len)) => {
                    let code = self.previous.checked_add_signed(difference);
                    (code.ok_or((len, MalformedReason::OutOfRange))?, len)
                }
            },
        };
        match char::from_u32(code) {
            Some(character) => Ok(Some((character, len))),
            None if code <= 0xDFFF => Err((len, MalformedReason::Surrogate)),
            None => Err((len, MalformedReason::OutOfRange)),
        }
    }
}

/// Returns the base after `character`, which is not a space.
fn previous_after(character: char) -> u32 {
    match u32::from(character) {
        code @ 0x3000..=0xD7FF => WIDE_SCRIPTS
            .iter()
            .find(|(first, last, _)| (*first..=*last).contains(&code))
            .map_or(middle_of_block(code), |(_, _, middle)| *middle),
        code => middle_of_block(code),
    }
}

fn middle_of_block(code: u32) -> u32 {
    (code & !0x7F) + 0x40
}

impl Checkpoint for Bocu1Codec {
    fn save_state(&self) -> State {
        State::new(u64::from(self.previous - INITIAL_PREVIOUS))
    }

    fn restore_state(&mut self, at: State) {
        self.previous = at.bits() as u32 + INITIAL_PREVIOUS;
    }

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl DecodeStage for Bocu1Codec {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let rest = &src[read..];
            if rest.first() == Some(&RESET) {
                self.previous = INITIAL_PREVIOUS;
                read += 1;
                continue;
            }
            let found = match self.decode_one(rest) {
                Ok(None) if end && !rest.is_empty() => {
                    Err((rest.len(), MalformedReason::Truncated))
                }
                found => found,
            };
            let (character, len) = match found {
                Ok(Some(found)) => found,
                Ok(None) => return Progress::input_empty(read, written),
                Err((len, reason)) => {
                    let error = Malformed::new(len, reason, State::INITIAL);
                    return Progress::error(read, written, error);
                }
            };
            if dst.len() - written < character.len_utf8() {
                return Progress::output_full(read, written);
            }
            written += character.encode_utf8(&mut dst[written..]).len();
            read += len;
            if rest[0] != SPACE {
                self.previous = previous_after(character);
            }
        }
    }
}

impl EncodeStage for Bocu1Codec {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        for character in src.chars() {
            let code = u32::from(character);
            let difference = code as i32 - self.previous as i32;
            let single =
                if code <= 0x20 { Some(code as u8) } else { encode_single_byte_diff(difference) };
            let len = match single {
                Some(byte) => write_bytes(&[byte], &mut dst[written..]),
                None => {
                    let (bytes, len) = encode_diff(difference);
                    write_bytes(&bytes[..len], &mut dst[written..])
                }
            };
            let Some(len) = len else { return Progress::output_full(read, written) };
            written += len;
            read += character.len_utf8();
            if character != char::from(SPACE) {
                self.previous = previous_after(character);
            }
        }
        Progress::input_empty(read, written)
    }
}

/// Writes all of these bytes if `dst` has space for them; returns their number.
fn write_bytes(bytes: &[u8], dst: &mut [u8]) -> Option<usize> {
    dst.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(bytes.len())
}

/// The number of trail bytes: 20 of the control characters, and all bytes from 21 on.
const TRAIL_COUNT: i32 = 243;

/// The control characters that are trail bytes; they have the lowest values. The others and the
/// space are not used, so that lines and fields can be split without decoding.
const CONTROL_TRAILS: [u8; 20] = [
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19,
    0x1C, 0x1D, 0x1E, 0x1F,
];

/// The difference between any other trail byte and its value.
const TRAIL_OFFSET: i32 = 0x21 - CONTROL_TRAILS.len() as i32;

/// Lead bytes with the same number of trail bytes.
struct DiffRange {
    lead_bytes: std::ops::RangeInclusive<u8>,
    trail_len: usize,
    /// The difference of the first lead byte with the lowest trail bytes.
    min_diff: i32,
}

/// The ranges of differences; each begins where the one before it ends.
const RANGES: [DiffRange; 7] = [
    DiffRange { lead_bytes: 0x21..=0x21, trail_len: 3, min_diff: -187_660 - TRAIL_COUNT.pow(3) },
    DiffRange { lead_bytes: 0x22..=0x24, trail_len: 2, min_diff: -187_660 },
    DiffRange { lead_bytes: 0x25..=0x4F, trail_len: 1, min_diff: -10_513 },
    DiffRange { lead_bytes: 0x50..=0xCF, trail_len: 0, min_diff: -64 },
    DiffRange { lead_bytes: 0xD0..=0xFA, trail_len: 1, min_diff: 64 },
    DiffRange { lead_bytes: 0xFB..=0xFD, trail_len: 2, min_diff: 10_513 },
    DiffRange { lead_bytes: 0xFE..=0xFE, trail_len: 3, min_diff: 187_660 },
];

/// The differences of one byte.
const SINGLE_BYTE: &DiffRange = &RANGES[3];

/// The value of each trail byte; negative for other bytes.
const TRAIL_VALUES: [i16; 256] = trail_values();

const fn trail_values() -> [i16; 256] {
    let mut values = [-1; 256];
    let mut value = 0;
    while value < TRAIL_COUNT {
        values[trail_byte(value) as usize] = value as i16;
        value += 1;
    }
    values
}

const fn trail_byte(value: i32) -> u8 {
    if value < CONTROL_TRAILS.len() as i32 {
        CONTROL_TRAILS[value as usize]
    } else {
        (value + TRAIL_OFFSET) as u8
    }
}

/// Decodes the difference at the start of `src`; returns it and its length in bytes, or `None` if
/// it is incomplete.
///
/// # Errors
///
/// The length of a malformed sequence, and the reason.
fn decode_diff(src: &[u8]) -> Result<Option<(i32, usize)>, (usize, MalformedReason)> {
    let Some(&lead) = src.first() else { return Ok(None) };
    if SINGLE_BYTE.lead_bytes.contains(&lead) {
        return Ok(Some((
            i32::from(lead - SINGLE_BYTE.lead_bytes.start()) + SINGLE_BYTE.min_diff,
            1,
        )));
    }
    let Some(range) = RANGES.iter().find(|range| range.lead_bytes.contains(&lead)) else {
        return Err((1, MalformedReason::InvalidLeadByte));
    };
    let mut offset = i32::from(lead - range.lead_bytes.start());
    for at in 1..=range.trail_len {
        let Some(&byte) = src.get(at) else { return Ok(None) };
        let value = i32::from(TRAIL_VALUES[usize::from(byte)]);
        if value < 0 {
            return Err((at, MalformedReason::MissingTrailByte));
        }
        offset = offset * TRAIL_COUNT + value;
    }
    Ok(Some((range.min_diff + offset, 1 + range.trail_len)))
}

/// Returns the byte of a difference, if it has only one.
fn encode_single_byte_diff(difference: i32) -> Option<u8> {
    let step = u8::try_from(difference - SINGLE_BYTE.min_diff).ok()?;
    (step <= SINGLE_BYTE.lead_bytes.end() - SINGLE_BYTE.lead_bytes.start())
        .then(|| SINGLE_BYTE.lead_bytes.start() + step)
}

/// Returns the bytes of a difference between two code points, and their number.
fn encode_diff(difference: i32) -> ([u8; 4], usize) {
    let range = match RANGES.iter().rfind(|range| range.min_diff <= difference) {
        Some(range) => range,
        None => &RANGES[0],
    };
    let mut offset = difference - range.min_diff;
    let mut bytes = [0; 4];
    for at in (1..=range.trail_len).rev() {
        bytes[at] = trail_byte(offset % TRAIL_COUNT);
        offset /= TRAIL_COUNT;
    }
    bytes[0] = range.lead_bytes.start() + offset as u8;
    (bytes, 1 + range.trail_len)
}

#[cfg(test)]
mod tests {
    use crate::conversion_error::MalformedReason::{
        MissingTrailByte, OutOfRange, Surrogate, Truncated,
    };
    use crate::encoding::testing::{Error, assert_decodes, assert_round_trip, decode, encode};

    /// Text and its bytes. The bytes are also what ICU writes.
    const ROUND_TRIP: &[(&str, &[u8])] = &[
        ("", b""),
        ("\0\t\n\r ", b"\0\t\n\r "),
        // UTN #6: the signature.
        ("\u{FEFF}", b"\xFB\xEE\x28"),
        ("\u{FFFE}", b"\xFB\xEF\x34"),
        // The last and the first difference of each length, upwards.
        ("\u{7F}", b"\xCF"),
        ("\u{80}", b"\xD0\x01"),
        ("\u{2950}", b"\xFA\xFF"),
        ("\u{2951}", b"\xFB\x01\x01"),
        ("\u{2DD4B}", b"\xFD\xFF\xFF"),
        ("\u{2DD4C}", b"\xFE\x01\x01\x01"),
        ("\u{10FFFF}", b"\xFE\x19\xB4\x54"),
        // The same for negative differences.
        ("\u{C0}\u{80}", b"\xD0\x4D\x50"),
        ("\u{FF}\u{7F}", b"\xD0\x8C\x4F\xFF"),
        ("\u{2DD4B}\u{80}", b"\xFD\xFF\xFF\x22\x01\x59"),
        ("\u{10FFFF}A", b"\xFE\x19\xB4\x54\x21\xF0\x58\xF9"),
        // A control character resets the base, a space does not.
        ("\u{10FFFF}\nA", b"\xFE\x19\xB4\x54\x0A\x91"),
        ("\u{10FFFF} A", b"\xFE\x19\xB4\x54\x20\x21\xF0\x58\xF9"),
        ("a\ta", b"\xB1\x09\xB1"),
        // Scripts that are wider than a block.
        ("\u{3042}\u{4E00}\u{AC00}\u{3042}", b"\xFB\x11\x59\xEE\xE3\xFB\x16\x87\x24\x91\xEC"),
        ("\u{4E00}\u{9FA5}\u{9FA6}", b"\xFB\x33\xAA\xFA\x83\xFA\x84"),
        ("\u{D7A3}\u{D7A4}\u{FEFF}", b"\xFB\xC4\xAA\xE6\xBE\xF9\x21"),
        ("Hello, \u{4E16}\u{754C}\n", b"\x98\xB5\xBC\xBC\xBF\x7C\x20\xFB\x33\xC0\x4E\x6E\x0A"),
        ("\u{440}\u{443}\u{441} \u{441}", b"\xD3\xF4\x93\x91\x20\x91"),
    ];

    #[test]
    fn round_trips_at_every_split_and_buffer_size() {
        for (text, bytes) in ROUND_TRIP {
            assert_round_trip("BOCU-1", text, bytes);
        }
    }

    /// Bytes, text with U+FFFD for each error, the errors.
    const DECODE_ONLY: &[(&[u8], &str, &[Error])] = &[
        // The reset byte is not a character.
        (b"\xFF", "", &[]),
        (b"\xD3\x65\x90\xFF\x90\xFF", "\u{3B1}\u{3C0}@", &[]),
        // A control character or a space in the form of a difference, which then changes the base.
        (b"\x5A\x91", "\nA", &[]),
        (b"\xD3\x65\x4C\x79\x91", "\u{3B1} A", &[]),
        // Control characters and the space are not trail bytes, and are not lost with an invalid
        // lead byte.
        (b"\xD0\x00A", "\u{FFFD}\0\u{FFFD}", &[(0, 1, MissingTrailByte), (2, 1, Truncated)]),
        (b"\xFB\x41\n\x91", "\u{FFFD}\nA", &[(0, 2, MissingTrailByte)]),
        (b"\xFE\x01\x01 \x91", "\u{FFFD} A", &[(0, 3, MissingTrailByte)]),
        // An error resets the base.
        (b"\xD3\x65\xD0\x20\x91", "\u{3B1}\u{FFFD} A", &[(2, 1, MissingTrailByte)]),
        // Values that are not scalar values: D800, 110000, and negative ones.
        (b"\xFB\xC5\x11\x91", "\u{FFFD}A", &[(0, 3, Surrogate)]),
        (b"\xFE\x19\xB4\x55\x91", "\u{FFFD}A", &[(0, 4, OutOfRange)]),
        (b"\x4F\xFE\x91", "\u{FFFD}A", &[(0, 2, OutOfRange)]),
        (b"\x21\x01\x01\x01\x91", "\u{FFFD}A", &[(0, 4, OutOfRange)]),
        // Input that ends inside a difference.
        (b"\x91\xD0", "A\u{FFFD}", &[(1, 1, Truncated)]),
        (b"\x91\xFB\xEE", "A\u{FFFD}", &[(1, 2, Truncated)]),
        (b"\xFE\x19\xB4", "\u{FFFD}", &[(0, 3, Truncated)]),
    ];

    #[test]
    fn decodes_per_spec_at_every_split_and_buffer_size() {
        for (bytes, text, errors) in DECODE_ONLY {
            assert_decodes("BOCU-1", bytes, text, errors);
        }
    }

    /// Encodes by the text of UTN #6: signed distances, with a case for each length and sign.
    fn reference_encode(text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut previous = 0x40;
        for code in text.chars().map(|character| character as i32) {
            if code <= 0x20 {
                bytes.push(code as u8);
                previous = if code == 0x20 { previous } else { 0x40 };
                continue;
            }
            let (lead, beyond, trails) = match code - previous {
                far @ ..=-187_661 => (0x22, far + 187_660, 3),
                far @ -187_660..=-10_514 => (0x25, far + 10_513, 2),
                far @ -10_513..=-65 => (0x50, far + 64, 1),
                near @ -64..=63 => (0x90, near, 0),
                far @ 64..=10_512 => (0xD0, far - 64, 1),
                far @ 10_513..=187_659 => (0xFB, far - 10_513, 2),
                far => (0xFE, far - 187_660, 3),
            };
            bytes.push((lead + beyond.div_euclid(243_i32.pow(trails))) as u8);
            for position in (0..trails).rev() {
                let value = beyond.div_euclid(243_i32.pow(position)).rem_euclid(243);
                bytes.push(match value {
                    0..=5 => value + 0x01,
                    6..=15 => value - 6 + 0x10,
                    16..=19 => value - 16 + 0x1C,
                    _ => value + 13,
                } as u8);
            }
            previous = match code {
                0x3040..=0x309F => 0x3070,
                0x4E00..=0x9FA5 => 0x4E00 + 10_513,
                0xAC00..=0xD7A3 => (0xAC00 + 0xD7A3) / 2,
                _ => code / 0x80 * 0x80 + 0x40,
            };
        }
        bytes
    }

    #[test]
    fn every_scalar_value_matches_reference_and_round_trips() {
        let upwards: String = ('\0'..=char::MAX).collect();
        let downwards: String = ('\0'..=char::MAX).rev().collect();
        // From each plane to each other one: large differences of both signs.
        let across: String = ('\0'..=char::MAX)
            .step_by(7)
            .zip(('!'..=char::MAX).rev().step_by(11))
            .flat_map(|(low, high)| [low, high])
            .collect();
        for text in [upwards, downwards, across] {
            let bytes = reference_encode(&text);
            assert!(encode("BOCU-1", &text) == (bytes.clone(), vec![]));
            assert!(decode("BOCU-1", &bytes) == (text, vec![]));
        }
    }

    #[test]
    fn encoded_bytes_sort_like_code_points() {
        let mut last = Vec::new();
        for character in ('\0'..=char::MAX).step_by(61) {
            let bytes = encode("BOCU-1", character.encode_utf8(&mut [0; 4])).0;
            assert!(last < bytes, "{character:?}");
            last = bytes;
        }
    }
}
