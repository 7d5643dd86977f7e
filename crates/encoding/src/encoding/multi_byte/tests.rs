//! Errors, codes of two characters, and the fast paths compared with single steps.

use super::ALL;
use super::mapping::{self, Gb18030Ranges, MappingError, MultiByteMapping, RangeIndex};
use super::run_decoder::RunDecoder;
use crate::codec::{DecodeStage, EncodeStage, Status};
use crate::conversion_error::MalformedReason;
use crate::encoding::testing::{
    assert_decodes, assert_round_trips, decode, encode, encode_every_way,
};
use crate::encoding::{Encoding, EncodingOptions, for_label, stateful};
use charpipe_test_support as testing;

/// Label, bytes, text, errors.
type MultiByteCase =
    (&'static str, &'static [u8], &'static str, &'static [(usize, usize, MalformedReason)]);

const ERRORS: &[MultiByteCase] = &[
    // A lead byte before ASCII.
    ("EUC-KR", b"\xB0\"x", "\u{FFFD}\"x", &[(0, 1, MalformedReason::MissingTrailByte)]),
    ("GB18030", b"\x81\"x", "\u{FFFD}\"x", &[(0, 1, MalformedReason::MissingTrailByte)]),
    ("BIG5", b"a\xA4\n", "a\u{FFFD}\n", &[(1, 1, MalformedReason::MissingTrailByte)]),
    ("SJIS", b"\x81\"", "\u{FFFD}\"", &[(0, 1, MalformedReason::MissingTrailByte)]),
    ("EUC-JP", b"\x8F\xA1<", "\u{FFFD}<", &[(0, 2, MalformedReason::MissingTrailByte)]),
    ("EUC-TW", b"\x8E\xA2\xA1<", "\u{FFFD}<", &[(0, 3, MalformedReason::MissingTrailByte)]),
    // An ASCII trail byte of an unassigned code.
    ("SJIS", b"\x85@", "\u{FFFD}@", &[(0, 1, MalformedReason::Unassigned)]),
    ("whatwg:Shift_JIS", b"\x85@", "\u{FFFD}@", &[(0, 1, MalformedReason::Unassigned)]),
    // Other unassigned pairs.
    ("EUC-KR", b"\xB0\xFFx", "\u{FFFD}x", &[(0, 2, MalformedReason::Unassigned)]),
    ("SJIS", b"\x85\x9Fx", "\u{FFFD}x", &[(0, 2, MalformedReason::Unassigned)]),
    ("EUC-JP", b"\xA9\xA1x", "\u{FFFD}x", &[(0, 2, MalformedReason::Unassigned)]),
    ("EUC-JP", b"\x8F\xA2\xA1x", "\u{FFFD}x", &[(0, 3, MalformedReason::Unassigned)]),
    ("EUC-JP", b"\x8F\xA2\xFFx", "\u{FFFD}x", &[(0, 3, MalformedReason::Unassigned)]),
    ("EUC-KR", b"\xFFx", "\u{FFFD}x", &[(0, 1, MalformedReason::InvalidLeadByte)]),
    // Four bytes with invalid structure, and unassigned four-byte codes.
    ("GB18030", b"\x810\"", "\u{FFFD}0\"", &[(0, 1, MalformedReason::MissingTrailByte)]),
    (
        "GB18030",
        b"\x810\x81\"",
        "\u{FFFD}0\u{FFFD}\"",
        &[(0, 1, MalformedReason::MissingTrailByte), (2, 1, MalformedReason::MissingTrailByte)],
    ),
    ("GB18030", b"\x841\xA50x", "\u{FFFD}x", &[(0, 4, MalformedReason::Unassigned)]),
    ("GB18030", b"\xE32\x9A6x", "\u{FFFD}x", &[(0, 4, MalformedReason::Unassigned)]),
    // Sets without ASCII.
    ("JIS_X0208", b"\x29\x21\x30\x21", "\u{FFFD}\u{4E9C}", &[(0, 2, MalformedReason::Unassigned)]),
    (
        "JIS_X0208",
        b"\x22\x7E\x22\x7F\x30\x21",
        "\u{25EF}\u{FFFD}\u{4E9C}",
        &[(2, 2, MalformedReason::Unassigned)],
    ),
    // Truncated input.
    ("EUC-KR", b"x\xB0", "x\u{FFFD}", &[(1, 1, MalformedReason::Truncated)]),
    ("EUC-JP", b"\x8F\xB0", "\u{FFFD}", &[(0, 2, MalformedReason::Truncated)]),
    ("EUC-TW", b"\x8E\xA2\xA1", "\u{FFFD}", &[(0, 3, MalformedReason::Truncated)]),
    ("GB18030", b"\x810\x81", "\u{FFFD}", &[(0, 3, MalformedReason::Truncated)]),
];

#[test]
fn malformed_sequence_excludes_ascii_and_following_codes() {
    for (label, bytes, text, errors) in ERRORS {
        assert_decodes(label, bytes, text, errors);
    }
}

/// Label, text, bytes: characters with another code together with the next one.
const TWO_CHARACTER_CODES: &[(&str, &str, &[u8])] = &[
    ("EUC-JISX0213", "\u{304B}", b"\xA4\xAB"),
    ("EUC-JISX0213", "\u{304B}\u{309A}", b"\xA4\xF7"),
    ("EUC-JISX0213", "\u{304B}\u{304B}\u{309A}x", b"\xA4\xAB\xA4\xF7x"),
    ("EUC-JISX0213", "\u{2E9}\u{2E5}\u{2E9}", b"\xAB\xE5\xAB\xE4"),
    ("EUC-JISX0213", "\u{2E5}\u{2E9}\u{2E5}", b"\xAB\xE6\xAB\xE0"),
    ("EUC-JISX0213", "\u{254}\u{300}\u{254}\u{301}\u{254}", b"\xAB\xC8\xAB\xC9\xAB\xB8"),
    ("Shift_JISX0213", "\u{304B}\u{309A}\u{304B}", b"\x82\xF5\x82\xA9"),
    ("BIG5HKSCS", "\u{CA}\u{304}\u{CA}\u{30C}\u{CA}", b"\x88\x62\x88\x64\x88\x66"),
    ("BIG5HKSCS", "\u{EA}\u{304}\u{EA}\u{30C}\u{EA}", b"\x88\xA3\x88\xA5\x88\xA7"),
];

#[test]
fn two_character_codes_round_trip() {
    assert_round_trips(TWO_CHARACTER_CODES);
}

#[test]
fn second_character_alone_is_unmappable() {
    let encoded = encode_every_way("EUC-JISX0213", "\u{304B}\u{309A}\u{309A}x");
    assert_eq!(encoded, (b"\xA4\xF7x".to_vec(), vec![(6, '\u{309A}')]));
}

#[test]
fn two_character_code_waits_for_output_space() {
    let encoding = crate::encoding::for_label("EUC-JISX0213").unwrap();
    let mut decoder = encoding.decoder(&EncodingOptions::default());
    for output in 0..6 {
        let progress = decoder.decode(b"\xA4\xF7", &mut vec![0; output], true);
        assert_eq!(
            (progress.read, progress.written, progress.status),
            (0, 0, Status::OutputFull),
            "{output}"
        );
    }
    let progress = decoder.decode(b"\xA4\xF7", &mut [0; 6], true);
    assert_eq!((progress.read, progress.written, progress.status), (2, 6, Status::InputEmpty));
}

#[test]
fn first_character_waits_for_the_next_or_the_end() {
    let encoding = crate::encoding::for_label("EUC-JISX0213").unwrap();
    let mut encoder = encoding.encoder(&EncodingOptions::default());
    let mut dst = [0; 16];
    let progress = encoder.encode("a\u{304B}", &mut dst, false);
    assert_eq!((progress.read, progress.written, progress.status), (1, 1, Status::InputEmpty));
    let progress = encoder.encode("\u{304B}", &mut dst, true);
    assert_eq!((progress.read, progress.written, progress.status), (3, 2, Status::InputEmpty));
}

#[test]
fn only_gb18030_maps_tag_characters() {
    for encoding in ALL {
        let coded = encode(encoding.name(), "\u{E0001}\u{E007F}").1.is_empty();
        let universal = encoding.name().to_ascii_lowercase().contains("gb18030");
        assert_eq!(coded, universal, "{}", encoding.name());
    }
}

/// Returns all pairs of bytes, first adjacent and then surrounded by ASCII.
fn all_byte_pairs() -> Vec<u8> {
    let pairs = || (0..=0xFFFF_u16).map(u16::to_be_bytes);
    pairs().flatten().chain(pairs().flat_map(|[one, two]| [b'a', b'b', one, two, b'c'])).collect()
}

/// Decodes one code at a time, with U+FFFD for each error.
fn decode_stepwise(mapping: &MultiByteMapping, bytes: &[u8]) -> String {
    let (mut text, mut read) = (String::new(), 0);
    while read < bytes.len() {
        match mapping.decode_one(&bytes[read..]) {
            Ok(unit) => {
                text.push(unit.chars.first);
                text.extend(unit.chars.second);
                read += unit.len;
            }
            Err(error) => {
                text.push('\u{FFFD}');
                read += if let MappingError::Malformed(len, _) = error {
                    len
                } else {
                    bytes.len() - read
                };
            }
        }
    }
    text
}

const MAPPINGS: &[(&str, MultiByteMapping)] = &[
    ("EUC-JP", MultiByteMapping::with_ascii(include_bytes!("data/euc-jp.trie"), &mapping::GR_94)),
    ("SJIS", MultiByteMapping::with_ascii(include_bytes!("data/sjis.trie"), &mapping::SHIFT_JIS)),
    (
        "EUC-JISX0213",
        MultiByteMapping::with_ascii(include_bytes!("data/euc-jisx0213.trie"), &mapping::GR_94),
    ),
    ("GBK", MultiByteMapping::with_ascii(include_bytes!("data/gbk.trie"), &mapping::GBK)),
    (
        "BIG5HKSCS",
        MultiByteMapping::with_ascii(include_bytes!("data/big5-hkscs.trie"), &mapping::BIG5),
    ),
    ("JOHAB", MultiByteMapping::with_ascii(include_bytes!("data/johab.trie"), &mapping::JOHAB)),
    (
        "JIS_X0208",
        MultiByteMapping::without_ascii(include_bytes!("data/jisx0208.trie"), &mapping::GL_94),
    ),
];

#[test]
fn fast_loop_decodes_like_single_steps() {
    let bytes = all_byte_pairs();
    for (label, mapping) in MAPPINGS {
        assert!(decode(label, &bytes).0 == decode_stepwise(mapping, &bytes), "{label}");
    }
}

/// Encodes text in pieces, without unmappable characters.
fn encode_pieces(encoder: &mut dyn EncodeStage, pieces: impl Iterator<Item = String>) -> Vec<u8> {
    let (mut out, mut dst) = (Vec::new(), vec![0; 1 << 16]);
    for piece in pieces {
        let mut read = 0;
        loop {
            let progress = encoder.encode(&piece[read..], &mut dst, true);
            out.extend_from_slice(&dst[..progress.written]);
            read += progress.read;
            match progress.status {
                Status::InputEmpty => break,
                Status::OutputFull => {}
                Status::Error(error) => read += error.character.len_utf8(),
            }
        }
    }
    out
}

#[test]
fn fast_loop_encodes_like_single_characters() {
    let text: String = ('\0'..='\u{2FFFF}').collect();
    for encoding in ALL.iter().step_by(3) {
        let mut encoder = encoding.encoder(&EncodingOptions::default());
        let alone = encode_pieces(&mut *encoder, text.chars().map(String::from));
        let whole = encode_pieces(&mut *encoder, std::iter::once(text.clone()));
        assert!(whole == alone, "{}", encoding.name());
    }
}

/// Returns runs of random bytes of one class each: ASCII, lead bytes, 7-bit pairs, all bytes, and
/// shifts.
fn random_bytes() -> Vec<u8> {
    let mut random = testing::random(1);
    let mut bytes = Vec::new();
    while bytes.len() < 12_000 {
        let kind = random.below(6);
        for _ in 0..random.below(30) {
            match kind {
                0 => bytes.push(0x20 + random.below(0x60) as u8),
                1 => bytes.push(0x81 + random.below(0x7E) as u8),
                2 => bytes.extend([0xB0 + random.below(24) as u8, 0xA1]),
                3 => bytes.extend([0x30 + random.below(24) as u8, 0x21]),
                4 => bytes.push(random.byte()),
                _ => {}
            }
        }
        if kind == 5 {
            bytes.extend(random.one(&[&b"\x1B$B"[..], b"\x1B(B", b"\x0E", b"\x0F"]));
        }
    }
    bytes
}

/// Offset, length and reason of each error.
type DecodeErrors = Vec<(usize, usize, MalformedReason)>;

fn decode_all(decoder: &mut dyn DecodeStage, src: &[u8], space: usize) -> (Vec<u8>, DecodeErrors) {
    let (mut out, mut errors, mut read) = (Vec::new(), Vec::new(), 0);
    let mut dst = vec![0; space];
    loop {
        let progress = decoder.decode(&src[read..], &mut dst, true);
        out.extend_from_slice(&dst[..progress.written]);
        read += progress.read;
        match progress.status {
            Status::InputEmpty => return (out, errors),
            Status::OutputFull => assert!(progress.read + progress.written > 0, "no progress"),
            Status::Error(error) => {
                errors.push((read, error.len, error.reason));
                read += error.resume_len;
                decoder.restore_state(error.resume_state);
            }
        }
    }
}

fn all_encodings() -> impl Iterator<Item = &'static Encoding> {
    ALL.iter().chain(stateful::ALL).copied()
}

/// Decodes from windows that are too short for the kernel of runs with single bytes.
fn decode_windows(decoder: &mut dyn DecodeStage, src: &[u8]) -> (Vec<u8>, DecodeErrors) {
    let (mut out, mut errors, mut read) = (Vec::new(), Vec::new(), 0);
    let mut dst = [0; 64];
    while read < src.len() {
        let window = &src[read..src.len().min(read + 24)];
        let progress = decoder.decode(window, &mut dst, read + window.len() == src.len());
        out.extend_from_slice(&dst[..progress.written]);
        read += progress.read;
        match progress.status {
            Status::InputEmpty => {}
            Status::OutputFull => assert!(progress.read + progress.written > 0, "no progress"),
            Status::Error(error) => {
                errors.push((read, error.len, error.reason));
                read += error.resume_len;
                decoder.restore_state(error.resume_state);
            }
        }
    }
    (out, errors)
}

fn new_decoder(encoding: &Encoding) -> Box<dyn DecodeStage> {
    encoding.decoder(&EncodingOptions::default())
}

#[test]
fn long_input_decodes_like_short_windows() {
    let src = random_bytes();
    for encoding in all_encodings() {
        let short = decode_windows(&mut *new_decoder(encoding), &src);
        for output in [16, 61, 1 << 18] {
            let long = decode_all(&mut *new_decoder(encoding), &src, output);
            assert!(long == short, "{} {output}", encoding.name());
        }
    }
}

#[test]
fn every_byte_pair_decodes_like_short_windows() {
    let src: Vec<u8> = (0..=0xFFFF_u16).flat_map(u16::to_be_bytes).collect();
    for encoding in all_encodings() {
        let short = decode_windows(&mut *new_decoder(encoding), &src);
        let long = decode_all(&mut *new_decoder(encoding), &src, 1 << 18);
        assert!(long == short, "{}", encoding.name());
    }
}

/// Mapping, bytes, text: a run of all but the last bytes.
const TABLE_CASES: &[(MultiByteMapping, &[u8], &str)] = &[
    (
        MultiByteMapping::with_ascii(include_bytes!("data/euc-kr.trie"), &mapping::GR_94),
        b"a\xB0\xA1 \xB0\xA1\xB0\xA1\xA5\xC1\xB0\xA1, \xB0\xA1\xB0\xA1\xB0\xA1\n",
        "a\u{AC00} \u{AC00}\u{AC00}\u{391}\u{AC00}, \u{AC00}\u{AC00}\u{AC00}\n",
    ),
    (
        MultiByteMapping::with_ascii(include_bytes!("data/sjis.trie"), &mapping::SHIFT_JIS),
        b"\x5C\x88\x9F\x88\x9F\x7E\x88\x9F\x88\x9F\x88\x9F\x88\x9Fab",
        "\u{A5}\u{4E9C}\u{4E9C}\u{203E}\u{4E9C}\u{4E9C}\u{4E9C}\u{4E9C}ab",
    ),
    (
        MultiByteMapping::with_ascii(include_bytes!("data/sjis.trie"), &mapping::SHIFT_JIS),
        b"\xB1\xB2\x88\x9F\xDDab",
        "\u{FF71}\u{FF72}\u{4E9C}\u{FF9D}ab",
    ),
    (
        MultiByteMapping::without_ascii(include_bytes!("data/jisx0208.trie"), &mapping::GL_94),
        b"\x30\x21\x30\x21\x30\x21\x30\x21\x26\x21\x30\x21\x30\x21\x30\x21",
        "\u{4E9C}\u{4E9C}\u{4E9C}\u{4E9C}\u{391}\u{4E9C}\u{4E9C}\u{4E9C}",
    ),
];

#[test]
fn runs_of_one_and_two_byte_codes_are_decoded() {
    for (mapping, bytes, text) in TABLE_CASES {
        let quick = RunDecoder::new(mapping).expect("it has codes of two bytes");
        let (bytes, text) = (bytes.repeat(50), text.repeat(50));
        let mut dst = vec![0; 4 * bytes.len()];
        let (read, written) = quick.decode(&bytes, &mut dst);
        assert_eq!(dst[..written], text.as_bytes()[..written]);
        assert!(read > 0);
        quick.complete_table();
        let (read, written) = quick.decode(&bytes, &mut dst);
        assert!(bytes.len() - read < 80, "{read} of {}", bytes.len());
        assert_eq!(dst[..written], text.as_bytes()[..written]);
    }
}

#[test]
fn runs_end_before_other_codes() {
    let mapping = MultiByteMapping::with_ascii(include_bytes!("data/euc-jp.trie"), &mapping::GR_94);
    let decoder = RunDecoder::new(&mapping).expect("it has codes of two bytes");
    decoder.complete_table();
    for odd in [&b"\xFF"[..], b"\x80", b"\x8F\xB0\xA1", b"\xB0\x41", b"\xA9\xA1"] {
        for before in 0..12 {
            let bytes = [&b"\xB0\xA1".repeat(before), odd, &b"\xB0\xA1".repeat(60)].concat();
            let (read, written) = decoder.decode(&bytes, &mut [0; 400]);
            assert_eq!((read, written), (2 * before, 3 * before), "{odd:02X?} {before}");
        }
    }
}

#[test]
fn runs_of_four_byte_codes_are_decoded() {
    // GB 18030: U+0080, U+FFFF, U+10000 and U+10FFFF.
    let bytes = b"\x810\x810\x841\xA49a\x900\x810bc\xE32\x9A5".repeat(60);
    let text = "\u{80}\u{FFFF}a\u{10000}bc\u{10FFFF}".repeat(60);
    assert_eq!(decode("GB18030", &bytes), (text, vec![]));
    static INDEX: RangeIndex = RangeIndex::new(include_bytes!("data/gb18030.ranges"));
    let ranges = Gb18030Ranges::new(include_bytes!("data/gb18030.ranges"), &INDEX);
    let (bytes, text) =
        (b"\x810\x810a\x841\xA49\x900\x810\xFF\xFF\xFF\xFF", "\u{80}a\u{FFFF}\u{10000}");
    let mut dst = [0; 99];
    let (read, written) = ranges.decode_run(bytes, &mut dst);
    assert_eq!((read, &dst[..written]), (13, text.as_bytes()));
}

#[test]
fn substitute_of_an_ascii_character_is_encoded() {
    let encoding = for_label("GBK").unwrap();
    for (substitute, code) in [(Some('\u{FFE5}'), Some(b"\xA3\xA4")), (None, None)] {
        let substitutes = [('$', substitute)];
        let mut encoder = encoding.factory.encoder_with_substitutes(&substitutes).unwrap();
        let (mut bytes, text) = ([0; 999], "a".to_owned() + &"$".repeat(99));
        let progress = encoder.encode(&text, &mut bytes, true);
        match code {
            Some(code) => assert_eq!(bytes[1..progress.written], code.repeat(99)),
            None => assert_eq!((progress.read, &bytes[..progress.written]), (1, &b"a"[..])),
        }
    }
}

#[test]
fn codes_of_hkscs_before_a1_are_decoded_but_not_encoded() {
    // Encoding Standard, section 5, index Big5 pointer: entries below pointer (0xA1 - 0x81) × 157 are excluded.
    let mut count = 0;
    for lead in 0x81..0xA1 {
        for trail in (0x40..=0x7E).chain(0xA1..=0xFE) {
            let code = [lead, trail];
            let (text, errors) = decode("whatwg:Big5", &code);
            if errors.is_empty() {
                count += 1;
                assert_ne!(encode("whatwg:Big5", &text).0, code, "{code:02X?} {text:?}");
            }
        }
    }
    assert!(count > 3000, "{count}");
}

#[test]
fn codes_of_nec_for_ibm_extensions_are_decoded_but_not_encoded() {
    // Encoding Standard, section 5, index Shift_JIS pointer: entries with pointers 8272 to 8835 are excluded. These are the
    // first and the last ones that have characters, and the codes of IBM.
    for (decoded, text, encoded) in
        [(b"\xED\x40", "\u{7E8A}", b"\xFA\x5C"), (b"\xEE\xFC", "\u{FF02}", b"\xFA\x57")]
    {
        assert_eq!(decode("whatwg:Shift_JIS", decoded), (text.to_owned(), vec![]));
        assert_eq!(encode("whatwg:Shift_JIS", text).0, encoded);
    }
}

#[test]
fn text_is_encoded_before_it_is_validated() {
    let mapping = MultiByteMapping::with_ascii(include_bytes!("data/euc-jp.trie"), &mapping::GR_94);
    let mut table = super::encode_table(&mapping);
    table.complete();
    // JIS X 0208: rows 38, 60, 7 and 4.
    let (text, codes) = ("日本aя\tあ", b"\xC6\xFC\xCB\xDCa\xA7\xF1\t\xA4\xA2");
    for (malformed, rest) in
        [(&b"\xFF"[..], "a"), (b"\xE6\x97", "b"), (b"\xED\xA0\x80", ""), (b"\x80", "日")]
    {
        let src = [text.as_bytes(), malformed, rest.as_bytes()].concat();
        let mut dst = [0; 64];
        let (read, written) = table.codes().encode_unvalidated(&src, &mut dst);
        assert_eq!((read, &dst[..written]), (text.len(), &codes[..]), "{malformed:02X?}");
    }
    let (read, written) = table.codes().encode_unvalidated(text.as_bytes(), &mut [0; 6]);
    assert_eq!((read, written), (6, 4));
}
