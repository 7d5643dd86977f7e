//! CESU-8 (UTR #26) and Java's modified UTF-8: UTF-16 code units, each in the UTF-8 form of its
//! value.
//!
//! A character above U+FFFF is a surrogate pair of 3 bytes each, without forms of 4 bytes.
//! Modified UTF-8 (java.io.DataInput) writes U+0000 as C0 80, so that no byte is 00.
//!
//! A malformed sequence is the longest prefix of a well-formed form of one code unit, or else a
//! single byte, as in UTF-8. An unpaired surrogate has 3 bytes.

use super::{Encoding, FnFactory};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, State, Status};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::SplitRule;
use charpipe_kernel as kernel;

/// CESU-8.
pub static CESU_8: Encoding = Encoding::new(
    "CESU-8",
    "UTF-16 units in 1 to 3 bytes each (UTR #26)",
    &FnFactory {
        decoder: |_| Box::new(Cesu8Codec { nul: NulEncoding::SingleByte }),
        encoder: |_| Box::new(Cesu8Codec { nul: NulEncoding::SingleByte }),
        split_rule: |_| SplitRule::AFTER_LINE_FEED,
    },
);

/// Modified UTF-8, without the byte 00.
pub static MUTF_8: Encoding = Encoding::new(
    "MUTF-8",
    "UTF-16 units in 1 to 3 bytes each, NUL as C0 80 (java.io.DataInput)",
    &FnFactory {
        decoder: |_| Box::new(Cesu8Codec { nul: NulEncoding::Overlong }),
        encoder: |_| Box::new(Cesu8Codec { nul: NulEncoding::Overlong }),
        split_rule: |_| SplitRule::AFTER_LINE_FEED,
    },
);

/// The form of U+0000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NulEncoding {
    /// 00.
    SingleByte,
    /// C0 80.
    Overlong,
}

/// U+0000 in modified UTF-8.
const OVERLONG_NUL: [u8; 2] = [0xC0, 0x80];

/// The number of characters, and runs of ASCII between them, converted one by one before a block is
/// tried again.
const SCALAR_LIMIT: usize = 8;

/// The decoder and the encoder, both stateless.
struct Cesu8Codec {
    nul: NulEncoding,
}

impl Checkpoint for Cesu8Codec {
    fn max_lookahead(&self) -> usize {
        6
    }
}

impl Cesu8Codec {
    /// Returns the length of the prefix of UTF-8 text that is the same in this encoding.
    fn utf8_prefix_len(&self, text: &[u8]) -> usize {
        let blocks = shared_prefix_blocks(text, self.nul);
        let least = u8::from(self.nul == NulEncoding::Overlong);
        let rest = &text[blocks..];
        let differs = |byte: &u8| !(least..0xF0).contains(byte);
        blocks + rest.iter().position(differs).unwrap_or(rest.len())
    }

    /// Returns the bytes of one character, and their number.
    fn encode_char(&self, character: char) -> ([u8; 6], usize) {
        let mut bytes = [0; 6];
        if character == '\0' && self.nul == NulEncoding::Overlong {
            bytes[..2].copy_from_slice(&OVERLONG_NUL);
            return (bytes, 2);
        }
        let mut code_units = [0; 2];
        if let &mut [high, low] = character.encode_utf16(&mut code_units) {
            bytes[..3].copy_from_slice(&encode_unit(high));
            bytes[3..].copy_from_slice(&encode_unit(low));
            return (bytes, 6);
        }
        let len = character.encode_utf8(&mut bytes).len();
        (bytes, len)
    }
}

impl DecodeStage for Cesu8Codec {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let shared_len = copy_shared(&src[read..], &mut dst[written..], self.nul);
            read += shared_len;
            written += shared_len;
            for _ in 0..SCALAR_LIMIT {
                if self.nul == NulEncoding::SingleByte && src.get(read).is_some_and(u8::is_ascii) {
                    let ascii = kernel::ascii::copy(&src[read..], &mut dst[written..]);
                    read += ascii;
                    written += ascii;
                }
                let (character, len) = match decode_one(&src[read..], self.nul, end) {
                    Ok(sequence) => sequence,
                    Err(status) => return Progress { read, written, status },
                };
                if dst.len() - written < character.len_utf8() {
                    return Progress::output_full(read, written);
                }
                written += character.encode_utf8(&mut dst[written..]).len();
                read += len;
            }
        }
    }
}

/// Returns the character at the start of the source and its length in bytes, or the status.
fn decode_one(src: &[u8], nul: NulEncoding, end: bool) -> Result<(char, usize), Status<Malformed>> {
    let (len, reason) = match read_sequence(src, nul) {
        Sequence::Character(character, len) => return Ok((character, len)),
        Sequence::Incomplete if !end || src.is_empty() => return Err(Status::InputEmpty),
        Sequence::Incomplete => (src.len(), MalformedReason::Truncated),
        Sequence::Malformed(len, reason) => (len, reason),
    };
    Err(Status::Error(Malformed::new(len, reason, State::INITIAL)))
}

/// Returns the form of 3 bytes of a code unit from 0800 on.
fn encode_unit(unit: u16) -> [u8; 3] {
    let six_bits = |shift: u32| 0x80 | (unit >> shift & 0x3F) as u8;
    [0xE0 | (unit >> 12) as u8, six_bits(6), six_bits(0)]
}

impl EncodeStage for Cesu8Codec {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            let end = read + kernel::utf8::floor_char_boundary(&src[read..], dst.len() - written);
            let shared_len = self.utf8_prefix_len(&src.as_bytes()[read..end]);
            dst[written..written + shared_len]
                .copy_from_slice(&src.as_bytes()[read..read + shared_len]);
            read += shared_len;
            written += shared_len;
            let Some(character) = src[read..].chars().next() else {
                return Progress::input_empty(read, written);
            };
            let (bytes, len) = self.encode_char(character);
            let Some(space) = dst[written..].get_mut(..len) else {
                return Progress::output_full(read, written);
            };
            space.copy_from_slice(&bytes[..len]);
            written += len;
            read += character.len_utf8();
        }
    }
}

/// The result of reading the start of the source.
enum Sequence {
    /// A character, and its length in bytes.
    Character(char, usize),
    /// No input, or the start of a character.
    Incomplete,
    /// The length of a malformed sequence, and the reason.
    Malformed(usize, MalformedReason),
}

/// The result of reading one code unit.
enum UnitForm {
    Unit(u16, usize),
    Incomplete,
    Malformed(usize, MalformedReason),
}

/// Reads one character from at most 6 bytes.
fn read_sequence(src: &[u8], nul: NulEncoding) -> Sequence {
    let (unit, len) = match read_unit(src, nul) {
        UnitForm::Unit(unit, len) => (unit, len),
        UnitForm::Incomplete => return Sequence::Incomplete,
        UnitForm::Malformed(len, reason) => return Sequence::Malformed(len, reason),
    };
    match char::from_u32(u32::from(unit)) {
        Some(character) => Sequence::Character(character, len),
        None if unit < 0xDC00 => read_pair(unit, &src[len..], nul),
        None => Sequence::Malformed(3, MalformedReason::UnpairedSurrogate),
    }
}

/// Reads the low surrogate after a high one.
fn read_pair(high: u16, next: &[u8], nul: NulEncoding) -> Sequence {
    let low_begins = match next {
        [] | [0xED] => return Sequence::Incomplete,
        [0xED, second, ..] => *second >= 0xB0,
        _ => false,
    };
    match read_unit(next, nul) {
        UnitForm::Incomplete if low_begins => Sequence::Incomplete,
        UnitForm::Unit(low, _) if low_begins => {
            let bits = |unit: u16| u32::from(unit & 0x3FF);
            char::from_u32(0x1_0000 + (bits(high) << 10 | bits(low)))
                .map_or(Sequence::Incomplete, |character| Sequence::Character(character, 6))
        }
        _ => Sequence::Malformed(3, MalformedReason::UnpairedSurrogate),
    }
}

fn read_unit(src: &[u8], nul: NulEncoding) -> UnitForm {
    let bits = |trail: u8| u16::from(trail & 0x3F);
    match *src {
        [byte @ 0x00..=0x7F, ..] if byte != 0 || nul == NulEncoding::SingleByte => {
            UnitForm::Unit(u16::from(byte), 1)
        }
        [lead @ 0xC2..=0xDF, second, ..] if is_trail_byte(second) => {
            UnitForm::Unit(u16::from(lead & 0x1F) << 6 | bits(second), 2)
        }
        [lead @ 0xE0..=0xEF, second, third, ..]
            if is_trail_byte(second)
                && is_trail_byte(third)
                && (lead != 0xE0 || second >= 0xA0) =>
        {
            UnitForm::Unit(u16::from(lead & 0x0F) << 12 | bits(second) << 6 | bits(third), 3)
        }
        [first, second, ..] if [first, second] == OVERLONG_NUL && nul == NulEncoding::Overlong => {
            UnitForm::Unit(0, 2)
        }
        [lead, ref trails @ ..] => malformed_unit(lead, trails, nul),
        [] => UnitForm::Incomplete,
    }
}

/// Returns the result for a lead byte without its trail bytes.
fn malformed_unit(lead: u8, trails: &[u8], nul: NulEncoding) -> UnitForm {
    match (lead, trails) {
        (0xC0, []) if nul == NulEncoding::Overlong => UnitForm::Incomplete,
        (0xC0, [second, ..]) if nul == NulEncoding::Overlong && !is_trail_byte(*second) => {
            UnitForm::Malformed(1, MalformedReason::MissingTrailByte)
        }
        (0xC0..=0xC1, _) | (0xE0, [0x80..=0x9F, ..]) => {
            UnitForm::Malformed(1, MalformedReason::Overlong)
        }
        // Lead bytes of 4 bytes and more are invalid: their values are surrogate pairs.
        (0x00..=0xBF | 0xF0..=0xFF, _) => UnitForm::Malformed(1, MalformedReason::InvalidLeadByte),
        (_, [second, ..]) if !is_trail_byte(*second) => {
            UnitForm::Malformed(1, MalformedReason::MissingTrailByte)
        }
        (_, [_, _, ..]) => UnitForm::Malformed(2, MalformedReason::MissingTrailByte),
        _ => UnitForm::Incomplete,
    }
}

fn is_trail_byte(byte: u8) -> bool {
    (0x80..=0xBF).contains(&byte)
}

/// The number of bytes that are tested together.
const BLOCK_LEN: usize = 32;

/// The number of bytes that are validated before they are copied, so that they are still in the
/// cache.
const MAX_RUN: usize = 1024;

/// The number of bytes that are validated before a block is tried.
const PROBE_LEN: usize = 16;

/// Copies blocks that are well-formed and the same in UTF-8, as many as fit; returns their length
/// in bytes. Only surrogates, forms of 4 bytes and, in modified UTF-8, the byte 00 differ.
fn copy_shared(src: &[u8], dst: &mut [u8], nul: NulEncoding) -> usize {
    let mut copied = 0;
    while starts_well_formed(&src[copied..]) {
        let max = MAX_RUN.min(src.len() - copied).min(dst.len() - copied);
        let run = &src[copied..copied + shared_prefix_blocks(&src[copied..copied + max], nul)];
        if run.is_empty() {
            break;
        }
        let valid = kernel::utf8::valid_prefix_len(run);
        dst[copied..copied + valid].copy_from_slice(&run[..valid]);
        copied += valid;
    }
    copied
}

/// Returns whether the first few bytes are well-formed.
///
/// Errors are often adjacent, and each starts a new call. Without this test a file of errors only
/// took four times as long.
fn starts_well_formed(src: &[u8]) -> bool {
    match std::str::from_utf8(&src[..src.len().min(PROBE_LEN)]) {
        Ok(few) => !few.is_empty(),
        Err(error) => error.error_len().is_none(),
    }
}

/// Returns the length of the whole blocks at the start of `src` in which no byte begins a form that
/// differs from UTF-8. `src` may be malformed.
fn shared_prefix_blocks(src: &[u8], nul: NulEncoding) -> usize {
    let differs = |byte: u8, next: u8| {
        (byte >= 0xF0)
            | (byte == 0xED) & (next >= 0xA0)
            | (byte == 0) & (nul == NulEncoding::Overlong)
    };
    let mut run = 0;
    // One more byte is read, for the byte after an ED.
    while let Some(block) = src[run..].first_chunk::<{ BLOCK_LEN + 1 }>() {
        if (0..BLOCK_LEN).fold(false, |any, at| any | differs(block[at], block[at + 1])) {
            break;
        }
        run += BLOCK_LEN;
    }
    run
}

#[cfg(test)]
mod tests {
    use crate::conversion_error::MalformedReason::{
        InvalidLeadByte, MissingTrailByte, Overlong, Truncated, UnpairedSurrogate,
    };
    use crate::encoding::testing::{
        Decoded, Error, assert_decodes, decode, decode_every_way, encode, encode_every_way,
    };
    use std::collections::{HashMap, HashSet};

    /// Bytes that both encodings decode to the same text, text with U+FFFD for each error, the
    /// errors.
    const DECODING: &[(&[u8], &str, &[Error])] = &[
        (b"", "", &[]),
        (b"A\x7F\xC2\x80\xDF\xBF", "A\u{7F}\u{80}\u{7FF}", &[]),
        (b"\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80", "\u{800}\u{D7FF}\u{E000}", &[]),
        (b"\xEF\xBB\xBF\xEF\xBF\xBE\xEF\xBF\xBF", "\u{FEFF}\u{FFFE}\u{FFFF}", &[]),
        // UTR #26, section 2.1: U+10400 is D801 DC00.
        (b"\xED\xA0\x81\xED\xB0\x80", "\u{10400}", &[]),
        (b"\xED\xA0\x80\xED\xB0\x80\xED\xAF\xBF\xED\xBF\xBF", "\u{10000}\u{10FFFF}", &[]),
        // The form of 4 bytes.
        (
            b"\xF0\x90\x90\x80",
            "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
            &[
                (0, 1, InvalidLeadByte),
                (1, 1, InvalidLeadByte),
                (2, 1, InvalidLeadByte),
                (3, 1, InvalidLeadByte),
            ],
        ),
        (b"\xF0A", "\u{FFFD}A", &[(0, 1, InvalidLeadByte)]),
        (b"\xFF", "\u{FFFD}", &[(0, 1, InvalidLeadByte)]),
        (b"\x80A", "\u{FFFD}A", &[(0, 1, InvalidLeadByte)]),
        // Lone surrogates.
        (b"\xED\xB0\x80A", "\u{FFFD}A", &[(0, 3, UnpairedSurrogate)]),
        (b"\xED\xA0\x80A", "\u{FFFD}A", &[(0, 3, UnpairedSurrogate)]),
        (b"\xED\xA0\x80\xED\x9F\xBF", "\u{FFFD}\u{D7FF}", &[(0, 3, UnpairedSurrogate)]),
        (
            b"\xED\xA0\x80\xED\xA0\x80\xED\xB0\x80",
            "\u{FFFD}\u{10000}",
            &[(0, 3, UnpairedSurrogate)],
        ),
        (
            b"\xED\xA0\x80\xEDA",
            "\u{FFFD}\u{FFFD}A",
            &[(0, 3, UnpairedSurrogate), (3, 1, MissingTrailByte)],
        ),
        (
            b"\xED\xA0\x80\xED\xB0A",
            "\u{FFFD}\u{FFFD}A",
            &[(0, 3, UnpairedSurrogate), (3, 2, MissingTrailByte)],
        ),
        // Overlong forms, and lead bytes without their trail bytes.
        (b"\xC1\x81", "\u{FFFD}\u{FFFD}", &[(0, 1, Overlong), (1, 1, InvalidLeadByte)]),
        (
            b"\xE0\x80\x80",
            "\u{FFFD}\u{FFFD}\u{FFFD}",
            &[(0, 1, Overlong), (1, 1, InvalidLeadByte), (2, 1, InvalidLeadByte)],
        ),
        (b"\xC3A", "\u{FFFD}A", &[(0, 1, MissingTrailByte)]),
        (b"\xE1A", "\u{FFFD}A", &[(0, 1, MissingTrailByte)]),
        (b"\xE1\x80A", "\u{FFFD}A", &[(0, 2, MissingTrailByte)]),
        // Input that ends inside a character: one error of all remaining bytes.
        (b"A\xC3", "A\u{FFFD}", &[(1, 1, Truncated)]),
        (b"\xE1\x80", "\u{FFFD}", &[(0, 2, Truncated)]),
        (b"\xED\xA0", "\u{FFFD}", &[(0, 2, Truncated)]),
        (b"\xED\xA0\x80", "\u{FFFD}", &[(0, 3, Truncated)]),
        (b"\xED\xA0\x80\xED", "\u{FFFD}", &[(0, 4, Truncated)]),
        (b"\xED\xA0\x80\xED\xB0", "\u{FFFD}", &[(0, 5, Truncated)]),
        (
            b"\xED\xA0\x80\xED\xA0",
            "\u{FFFD}\u{FFFD}",
            &[(0, 3, UnpairedSurrogate), (3, 2, Truncated)],
        ),
        (b"\xED\xA0\x80\xC3", "\u{FFFD}\u{FFFD}", &[(0, 3, UnpairedSurrogate), (3, 1, Truncated)]),
    ];

    /// U+0000, in which the two encodings differ.
    const NUL: &[(&str, &[u8], &str, &[Error])] = &[
        ("CESU-8", b"a\0b", "a\0b", &[]),
        ("CESU-8", b"\xC0\x80", "\u{FFFD}\u{FFFD}", &[(0, 1, Overlong), (1, 1, InvalidLeadByte)]),
        ("CESU-8", b"\xC0", "\u{FFFD}", &[(0, 1, Overlong)]),
        ("MUTF-8", b"a\xC0\x80b", "a\0b", &[]),
        ("MUTF-8", b"a\0b", "a\u{FFFD}b", &[(1, 1, InvalidLeadByte)]),
        ("MUTF-8", b"\xC0\x81", "\u{FFFD}\u{FFFD}", &[(0, 1, Overlong), (1, 1, InvalidLeadByte)]),
        ("MUTF-8", b"\xC0A", "\u{FFFD}A", &[(0, 1, MissingTrailByte)]),
        ("MUTF-8", b"\xC0", "\u{FFFD}", &[(0, 1, Truncated)]),
    ];

    #[test]
    fn decodes_per_spec_at_every_split_and_buffer_size() {
        for (bytes, text, errors) in DECODING {
            for name in ["CESU-8", "MUTF-8"] {
                assert_decodes(name, bytes, text, errors);
            }
        }
        for (name, bytes, text, failures) in NUL {
            let decoded = decode_every_way(name, bytes);
            assert_eq!(decoded, ((*text).to_owned(), failures.to_vec()), "{name} {bytes:02X?}");
        }
    }

    #[test]
    fn encodes_per_spec_at_every_split_and_buffer_size() {
        for (name, text, bytes) in [
            ("CESU-8", "", b"".as_slice()),
            ("CESU-8", "a\0b", b"a\0b"),
            ("MUTF-8", "a\0b", b"a\xC0\x80b"),
            ("MUTF-8", "\0\0", b"\xC0\x80\xC0\x80"),
            ("CESU-8", "\u{10400}", b"\xED\xA0\x81\xED\xB0\x80"),
            ("MUTF-8", "é\u{10FFFF}€", b"\xC3\xA9\xED\xAF\xBF\xED\xBF\xBF\xE2\x82\xAC"),
        ] {
            assert_eq!(encode_every_way(name, text), (bytes.to_vec(), vec![]), "{name} {text:?}");
        }
    }

    /// All forms of one code unit, and all their prefixes.
    struct Cesu8Reference {
        units: HashMap<Vec<u8>, u16>,
        prefixes: HashSet<Vec<u8>>,
    }

    impl Cesu8Reference {
        /// Builds the table of RFC 3629 section 3, up to FFFF and with surrogates.
        fn new(modified: bool) -> Cesu8Reference {
            let (mut units, mut beginnings) = (HashMap::new(), HashSet::new());
            for unit in 0..=u16::MAX {
                let [low, middle, high] =
                    [unit & 0x3F, unit >> 6 & 0x3F, unit >> 12].map(|b| b as u8);
                let form = match unit {
                    0 if modified => vec![0xC0, 0x80],
                    0..=0x7F => vec![unit as u8],
                    0x80..=0x7FF => vec![0xC0 | (unit >> 6) as u8, 0x80 | low],
                    _ => vec![0xE0 | high, 0x80 | middle, 0x80 | low],
                };
                beginnings.extend((1..form.len()).map(|len| form[..len].to_vec()));
                units.insert(form, unit);
            }
            Cesu8Reference { units, prefixes: beginnings }
        }

        fn read_unit(&self, src: &[u8]) -> Option<(u16, usize)> {
            (1..=3.min(src.len()))
                .find_map(|len| self.units.get(&src[..len]).map(|unit| (*unit, len)))
        }

        /// Returns whether more bytes could complete a low surrogate.
        fn could_start_low_surrogate(&self, src: &[u8]) -> bool {
            matches!(src, [] | [0xED] | [0xED, 0xB0..=0xBF])
        }

        /// Decodes by looking forms up; returns the text, and for each error its position, length
        /// and whether it is truncated.
        fn decode(&self, src: &[u8]) -> (String, Vec<(usize, usize, bool)>) {
            let (mut text, mut errors, mut at) = (String::new(), Vec::new(), 0);
            while at < src.len() {
                let rest = &src[at..];
                let (len, cut) = match self.read_unit(rest) {
                    Some((unit @ 0xD800..=0xDBFF, 3)) => match self.read_unit(&rest[3..]) {
                        Some((low @ 0xDC00..=0xDFFF, 3)) => {
                            text.push_str(&String::from_utf16(&[unit, low]).unwrap());
                            at += 6;
                            continue;
                        }
                        _ if self.could_start_low_surrogate(&rest[3..]) => (rest.len(), true),
                        _ => (3, false),
                    },
                    Some((0xDC00..=0xDFFF, _)) => (3, false),
                    Some((unit, len)) => {
                        text.push_str(&String::from_utf16(&[unit]).unwrap());
                        at += len;
                        continue;
                    }
                    None if self.prefixes.contains(rest) => (rest.len(), true),
                    None => {
                        let longest = (1..=rest.len().min(2)).rev();
                        let mut longest =
                            longest.filter(|len| self.prefixes.contains(&rest[..*len]));
                        (longest.next().unwrap_or(1), false)
                    }
                };
                text.push('\u{FFFD}');
                errors.push((at, len, cut));
                at += len;
            }
            (text, errors)
        }
    }

    fn strip_reasons((text, errors): Decoded) -> (String, Vec<(usize, usize, bool)>) {
        (text, errors.into_iter().map(|(at, len, reason)| (at, len, reason == Truncated)).collect())
    }

    fn all_sequences(letters: &[u8], len: u32) -> impl Iterator<Item = Vec<u8>> + '_ {
        (0..letters.len().pow(len)).map(move |number| {
            (0..len)
                .map(|digit| letters[number / letters.len().pow(digit) % letters.len()])
                .collect()
        })
    }

    #[test]
    fn short_inputs_match_reference_table() {
        let all: Vec<u8> = (0..=0xFF).collect();
        let edge_bytes =
            [0x00, 0x41, 0x80, 0x9F, 0xA0, 0xB0, 0xC0, 0xC1, 0xC2, 0xE0, 0xED, 0xEF, 0xF0];
        let pairs = [0x41, 0x80, 0xA0, 0xBF, 0xED];
        for name in ["CESU-8", "MUTF-8"] {
            let reference = Cesu8Reference::new(name == "MUTF-8");
            let inputs = all_sequences(&all, 2).chain(all_sequences(&edge_bytes, 4));
            for bytes in inputs.chain(all_sequences(&pairs, 6)) {
                let decoded = strip_reasons(decode(name, &bytes));
                assert_eq!(decoded, reference.decode(&bytes), "{name} {bytes:02X?}");
            }
        }
    }

    #[test]
    fn errors_and_pairs_are_found_anywhere_in_long_runs() {
        let odd: &[&[u8]] = &[
            b"",
            b"\0",
            b"\xC0\x80",
            b"\xED\x9F\xBF",
            b"\xED\xA0\x80",
            b"\xED\xA0\x81\xED\xB0\x80",
            b"\xF0\x90\x90\x80",
            b"\xE2\x82",
            b"\x80",
        ];
        for name in ["CESU-8", "MUTF-8"] {
            let reference = Cesu8Reference::new(name == "MUTF-8");
            for (before, after) in (0..140).chain(1000..1060).flat_map(|len| [(len, 0), (len, 70)])
            {
                for (odd, letters) in odd.iter().flat_map(|odd| [(odd, "a€é"), (odd, "a")]) {
                    let run = |len: usize| letters.bytes().cycle().take(len);
                    let bytes: Vec<u8> =
                        run(before).chain(odd.iter().copied()).chain(run(after)).collect();
                    let decoded = strip_reasons(decode(name, &bytes));
                    assert_eq!(
                        decoded,
                        reference.decode(&bytes),
                        "{name} {before} {odd:02X?} {after}"
                    );
                }
            }
        }
        let long = "a€é".repeat(12).into_bytes();
        let raw_bytes =
            [&long, b"\xED\xA0\x81\xED\xB0\x80".as_slice(), &long, b"\xE2A", &long].concat();
        let (text, errors) = decode_every_way("CESU-8", &raw_bytes);
        let run = "a€é".repeat(12);
        assert_eq!(text, format!("{run}\u{10400}{run}\u{FFFD}A{run}"));
        assert_eq!(errors, [(150, 1, MissingTrailByte)]);
        assert_eq!(encode_every_way("CESU-8", &format!("{run}\u{10400}{run}")).0, raw_bytes[..150]);
    }

    #[test]
    fn every_scalar_value_round_trips() {
        let all: String = ('\0'..=char::MAX).collect();
        for name in ["CESU-8", "MUTF-8"] {
            let (bytes, errors) = encode(name, &all);
            assert!(errors.is_empty());
            assert_eq!(bytes.contains(&0), name == "CESU-8");
            assert!(decode(name, &bytes) == (all.clone(), vec![]), "{name}");
        }
    }
}
