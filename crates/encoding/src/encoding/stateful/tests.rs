//! Shift sequences of decoders and encoders, and their errors.

use crate::codec::{ErrorHandler, ReplacementCache, State, Status};
use crate::conversion_error::{ActionTaken, ErrorClass, MalformedReason, Unmappable};
use crate::encoding::testing::{
    assert_decodes, assert_round_trips, decode, decode_every_way, encode, encode_every_way,
};
use crate::encoding::{EncodingOptions, for_label};

/// Label, text, bytes, in both directions.
const ROUND_TRIP: &[(&str, &str, &[u8])] = &[
    ("ISO-2022-JP", "\u{3042}\n\u{3044}A", b"\x1B$B$\"\x1B(B\n\x1B$B$$\x1B(BA"),
    ("ISO-2022-JP", "a\u{A5}b\u{203E}", b"a\x1B(J\\\x1B(Bb\x1B(J~\x1B(B"),
    ("ISO-2022-JP-2", "\u{E9}\u{A0}\n\u{A0}", b"\x1B$(D+1\x1B.A\x1BN \x1B(B\n\x1B.A\x1BN "),
    ("ISO-2022-JP-2", "\u{AC00}x", b"\x1B$(C0!\x1B(Bx"),
    ("ISO-2022-JP-3", "\u{304B}\u{309A}\u{304B}", b"\x1B$(O$w\x1B$B$+\x1B(B"),
    ("ISO-2022-JP-2004", "\u{304B}\u{309A}\u{304B}", b"\x1B$(Q$w\x1B$B$+\x1B(B"),
    ("ISO-2022-JP-2004", "\u{4FF1}\u{20089}", b"\x1B$(Q.!\x1B$(P!!\x1B(B"),
    // uconv -t JIS7 and JIS8.
    ("JIS7", "a\u{FF71}a", b"a\x0E1\x0Fa"),
    ("JIS7", "\u{3042}\u{FF71}\u{3042}", b"\x1B$B$\"\x0E1\x0F$\"\x1B(B"),
    ("JIS7", "\u{3042}\u{FF71}a", b"\x1B$B$\"\x0E1\x0F\x1B(Ba"),
    ("JIS7", "\u{FF71}\n\u{FF71}", b"\x0E1\x0F\n\x0E1\x0F"),
    ("JIS7", "\u{FF71}\u{E9}\u{FF71}", b"\x0E1\x1B.A\x1BNi1\x0F"),
    ("JIS7", "\u{203E}\u{FF71}~", b"\x1B(J~\x0E1\x0F\x1B(B~"),
    ("JIS7", "\u{FF71}\u{A5}", b"\x0E1\x0F\x1B(J\\\x1B(B"),
    ("JIS8", "a\u{FF71}\u{FF9F}\n\u{FF61}", b"a\xB1\xDF\n\xA1"),
    ("JIS8", "\u{203E}\u{FF71}~", b"\x1B(J~\xB1\x1B(B~"),
    ("JIS8", "\u{3042}\u{FF71}\u{3042}", b"\x1B$B$\"\x1B(B\xB1\x1B$B$\"\x1B(B"),
    // Java's x-ISO-2022-CN-CNS.
    ("ISO-2022-CN-CNS", "\u{4E2D}\u{6587}a", b"\x1B$)G\x0EDcEF\x0Fa"),
    ("ISO-2022-CN-CNS", "\u{4EA4}\n\u{4EA4}", b"\x1B$)G\x0EG(\x0F\n\x1B$)G\x0EG(\x0F"),
    ("ISO-2022-CN-CNS", "\u{4E28}", b"\x1B$+I\x1BO!!"),
    ("ISO-2022-KR", "\u{AC00}A\n\u{AC00}", b"\x1B$)C\x0E0!\x0FA\n\x0E0!\x0F"),
    ("ISO-2022-KR", "A", b"\x1B$)CA"),
    ("ISO-2022-KR", "", b""),
    (
        "ISO-2022-CN",
        "\u{4F60}\u{597D}\n\u{4EA4}\u{63DB}\nA\u{4F60}B",
        b"\x1B$)A\x0EDc:C\x0F\n\x1B$)A\x0E=;\x1B$)G_P\x0F\nA\x1B$)A\x0EDc\x0FB",
    ),
    ("ISO-2022-CN", "\u{4F60}\u{4E42}\u{4F60}", b"\x1B$)A\x0EDc\x1B$*H\x1BN!!Dc\x0F"),
    ("ISO-2022-CN-EXT", "\u{20086}A", b"\x1B$+J\x1BO!!A"),
    // The example of RFC 1843, section 2.
    (
        "HZ",
        "The next sentence is in GB.\u{5DF1}\u{6240}\u{4E0D}\u{6B32}\u{FF0C}\u{52FF}\u{65BD}\u{65BC}\u{4EBA}\u{3002}Bye.",
        b"The next sentence is in GB.~{<:Ky2;S{#,NpJ)l6HK!#~}Bye.",
    ),
    ("HZ", "a~\u{5DF1}~", b"a~~~{<:~}~~"),
    ("IBM1390", "A\u{304B}\u{309A}\u{304B}a", b"\xC1\x0E\xEC\xB5\x44\x86\x0F\x62"),
    ("IBM939", "A\u{4E00}\u{3042}\nB", b"\xC1\x0E\x45\x41\x44\x81\x0F\x25\xC2"),
];

#[test]
fn seven_bit_encodings_reject_bytes_from_80() {
    let names = crate::encoding::ALL.iter().map(|charset| charset.name());
    let of_iso_2022 = names.filter(|name| name.contains("ISO-2022"));
    for name in of_iso_2022.chain(["HZ", "UTF-7", "UTF-7-IMAP", "UTF-5", "US-ASCII", "DIN_66003"]) {
        let bytes = Vec::from_iter(0x80..=0xFF);
        let (text, errors) = decode(name, &bytes);
        assert_eq!((text, errors.len()), ("\u{FFFD}".repeat(0x80), 0x80), "{name}");
        for byte in [0x80, 0xA1, 0xFF] {
            let (text, errors) = decode_every_way(name, &[byte]);
            assert_eq!((&text[..], errors.len()), ("\u{FFFD}", 1), "{name} {byte:02X}");
        }
    }
    for text in ["\u{80}", "\u{FF}"] {
        assert_eq!(encode_every_way("HZ", text).1.len(), 1, "{text:?}");
    }
}

#[test]
fn encodes_with_fewest_shifts_and_round_trips() {
    assert_round_trips(ROUND_TRIP);
}

/// Label, bytes, text: sequences that encoders do not write.
const REDUNDANT: &[(&str, &[u8], &str)] = &[
    ("ISO-2022-JP", b"\x1B$B\x1B(B\x1B$B\x1B$B$\"\x1B(B\x1B(Bx", "\u{3042}x"),
    ("ISO-2022-JP", b"\x1B$@$\"\x1B$B$$", "\u{3042}\u{3044}"),
    ("ISO-2022-JP", b"\x1B$B$\" \n$$", "\u{3042} \n\u{3044}"),
    ("JIS7", b"\x1B(I1\x1B(B\x1B(H\\", "\u{FF71}\u{A5}"),
    ("JIS7", b"\x1B$B$\"\x0E\x0E1\x0F\x0F$\"", "\u{3042}\u{FF71}\u{3042}"),
    // A designation between SO and SI, and the end of a line.
    ("JIS7", b"\x1B$B\x0E1\x1B(B1\x0F1", "\u{FF71}\u{FF71}1"),
    ("JIS7", b"\x0E1\n1", "\u{FF71}\n1"),
    ("JIS8", b"\x1B(I1\x1B$A0!\xB1", "\u{FF71}\u{554A}\u{FF71}"),
    ("ISO-2022-CN-CNS", b"\x1B$)A\x0E=;\x1B$)E=;", "\u{4EA4}\u{4EA4}"),
    ("ISO-2022-KR", b"\x0F\x0E\x0E0!\x0F\x0F", "\u{AC00}"),
    ("ISO-2022-CN", b"\x1B$)A\x1B$)G\x0E_P\x1B$)A=;", "\u{63DB}\u{4EA4}"),
    ("HZ", b"~{~}~{<:\n<:", "\u{5DF1}\n<:"),
    ("HZ", b"a~\nb", "ab"),
    ("IBM939", b"\x0F\x0E\x0E\x45\x41\x0F\x0F\xC1", "\u{4E00}A"),
    ("whatwg:ISO-2022-JP", b"\x1B(I1\x1B(J\\", "\u{FF71}\u{A5}"),
    ("whatwg:ISO-2022-JP", b"\x1B(Ba\x1B(B", "a"),
];

#[test]
fn line_feed_in_a_long_ascii_run_resets_designations() {
    let run = "Long enough for the whole table. ".repeat(30);
    // The header, and the code of a character on a new line and again on the same line.
    for (label, header, character, code, again) in [
        ("ISO-2022-CN", "", "\u{4F60}", "\x1B$)A\x0EDc\x0F", "\x0EDc\x0F"),
        ("ISO-2022-JP-2", "", "\u{A0}", "\x1B.A\x1BN ", "\x1BN "),
        ("ISO-2022-JP", "", "\u{3042}", "\x1B$B$\"\x1B(B", "\x1B$B$\"\x1B(B"),
        ("ISO-2022-KR", "\x1B$)C", "\u{AC00}", "\x0E0!\x0F", "\x0E0!\x0F"),
        ("HZ", "", "~\u{5DF1}", "~~~{<:~}", "~~~{<:~}"),
    ] {
        for (text, bytes) in [
            (
                format!("{run}{character}{run}\n{run}{character}\n\n{run}\n{character}x"),
                format!("{header}{run}{code}{run}\n{run}{code}\n\n{run}\n{code}x"),
            ),
            (
                format!("{run}{character}{run}\n{character}{run}{character}\n{run}"),
                format!("{header}{run}{code}{run}\n{code}{run}{again}\n{run}"),
            ),
        ] {
            assert_eq!(encode(label, &text), (bytes.into_bytes(), vec![]), "{label}");
        }
    }
}

#[test]
fn redundant_and_adjacent_sequences_are_accepted() {
    for (label, bytes, text) in REDUNDANT {
        assert_decodes(label, bytes, text, &[]);
    }
}

/// Label, bytes, text, errors.
type StatefulCase =
    (&'static str, &'static [u8], &'static str, &'static [(usize, usize, MalformedReason)]);

const ERRORS: &[StatefulCase] = &[
    ("ISO-2022-JP", b"a\x1B$Cb", "a\u{FFFD}$Cb", &[(1, 1, MalformedReason::UnknownEscapeSequence)]),
    ("ISO-2022-JP", b"\x1B(I", "\u{FFFD}(I", &[(0, 1, MalformedReason::UnknownEscapeSequence)]),
    ("ISO-2022-JP", b"a\x1B$", "a\u{FFFD}", &[(1, 2, MalformedReason::Truncated)]),
    ("ISO-2022-JP", b"\x1B$B$", "\u{FFFD}", &[(3, 1, MalformedReason::Truncated)]),
    (
        "ISO-2022-JP",
        b"\x1B$B$\n$\"",
        "\u{FFFD}\n\u{3042}",
        &[(3, 1, MalformedReason::MissingTrailByte)],
    ),
    ("ISO-2022-JP", b"\x1B$B$\x1B(BA", "\u{FFFD}A", &[(3, 1, MalformedReason::MissingTrailByte)]),
    ("ISO-2022-JP", b"\x1B$B\"/$\"", "\u{FFFD}\u{3042}", &[(3, 2, MalformedReason::Unassigned)]),
    ("ISO-2022-JP", b"a\xA4b", "a\u{FFFD}b", &[(1, 1, MalformedReason::InvalidLeadByte)]),
    ("JIS7", b"\x0E\xB1", "\u{FFFD}", &[(1, 1, MalformedReason::InvalidLeadByte)]),
    ("JIS7", b"\x0E`", "\u{FFFD}", &[(1, 1, MalformedReason::InvalidLeadByte)]),
    (
        "JIS8",
        b"\x0E\xA0",
        "\u{FFFD}\u{FFFD}",
        &[(0, 1, MalformedReason::InvalidLeadByte), (1, 1, MalformedReason::InvalidLeadByte)],
    ),
    (
        "JIS8",
        b"\x1B$B$\xB1$",
        "\u{FFFD}\u{FFFD}",
        &[(3, 2, MalformedReason::Unassigned), (5, 1, MalformedReason::Truncated)],
    ),
    ("ISO-2022-CN", b"\x0Ea", "\u{FFFD}a", &[(0, 1, MalformedReason::EmptyShift)]),
    ("ISO-2022-CN", b"\x1BN!!", "\u{FFFD}!!", &[(0, 2, MalformedReason::EmptyShift)]),
    // A designation ends at the end of its line (RFC 1922).
    ("ISO-2022-CN", b"\x1B$)A\n\x0E=;", "\n\u{FFFD}=;", &[(5, 1, MalformedReason::EmptyShift)]),
    ("ISO-2022-CN", b"\x1B$*H\x1BN\n", "\u{FFFD}\n", &[(4, 2, MalformedReason::EmptyShift)]),
    ("ISO-2022-JP-2", b"\x1B.A\x1BN", "\u{FFFD}", &[(3, 2, MalformedReason::Truncated)]),
    ("HZ", b"a~xb", "a\u{FFFD}xb", &[(1, 1, MalformedReason::UnknownEscapeSequence)]),
    ("HZ", b"a~", "a\u{FFFD}", &[(1, 1, MalformedReason::Truncated)]),
    // Encoding Standard, section 12.2.1: ESC without a valid sequence is an error, and the bytes
    // after it are text.
    ("whatwg:ISO-2022-JP", b"\x1B$", "\u{FFFD}$", &[(0, 1, MalformedReason::Truncated)]),
    (
        "whatwg:ISO-2022-JP",
        b"\x1B(C",
        "\u{FFFD}(C",
        &[(0, 1, MalformedReason::UnknownEscapeSequence)],
    ),
    (
        "whatwg:ISO-2022-JP",
        b"\x1B$B\x1B$",
        "\u{FFFD}\u{FFFD}",
        &[(3, 1, MalformedReason::Truncated), (4, 1, MalformedReason::Truncated)],
    ),
    // The second of two adjacent sequences is an error but takes effect; so does a third.
    (
        "whatwg:ISO-2022-JP",
        b"\x1B(B\x1B$B\x1B(Ja\\",
        "\u{FFFD}\u{FFFD}a\u{A5}",
        &[(3, 3, MalformedReason::ConsecutiveEscapes), (6, 3, MalformedReason::ConsecutiveEscapes)],
    ),
    (
        "whatwg:ISO-2022-JP",
        b"\x1B(B\xFF\x1B(B",
        "\u{FFFD}",
        &[(3, 1, MalformedReason::InvalidLeadByte)],
    ),
    // SO and SI are invalid, and so are control characters in double-byte sets.
    (
        "whatwg:ISO-2022-JP",
        b"\x0Ea\x0F",
        "\u{FFFD}a\u{FFFD}",
        &[(0, 1, MalformedReason::InvalidLeadByte), (2, 1, MalformedReason::InvalidLeadByte)],
    ),
    (
        "whatwg:ISO-2022-JP",
        b"\x1B$B\n$\"",
        "\u{FFFD}\u{3042}",
        &[(3, 1, MalformedReason::InvalidLeadByte)],
    ),
    (
        "whatwg:ISO-2022-JP",
        b"\x1B$B$\n$\"",
        "\u{FFFD}\u{3042}",
        &[(3, 2, MalformedReason::Unassigned)],
    ),
    (
        "whatwg:ISO-2022-JP",
        b"\x1B$B$\x1B(BA",
        "\u{FFFD}A",
        &[(3, 1, MalformedReason::MissingTrailByte)],
    ),
    (
        "whatwg:ISO-2022-JP",
        b"\x1B(I1 ",
        "\u{FF71}\u{FFFD}",
        &[(4, 1, MalformedReason::InvalidLeadByte)],
    ),
];

#[test]
fn text_after_unknown_sequences_and_broken_pairs_still_decodes() {
    for (label, bytes, text, errors) in ERRORS {
        assert_decodes(label, bytes, text, errors);
    }
}

#[test]
fn character_that_starts_a_sequence_is_unmappable() {
    for (label, characters) in [
        ("ISO-2022-JP", "\u{1B}"),
        ("ISO-2022-KR", "\u{E}\u{F}\u{1B}"),
        ("ISO-2022-CN-EXT", "\u{E}\u{F}\u{1B}"),
        ("whatwg:ISO-2022-JP", "\u{E}\u{F}\u{1B}"),
        ("IBM939", "\u{E}\u{F}"),
    ] {
        let refused: Vec<(usize, char)> = characters.char_indices().collect();
        assert_eq!(encode_every_way(label, characters).1, refused, "{label}");
    }
}

#[test]
fn unmappable_character_writes_no_shift() {
    let encoded = encode_every_way("ISO-2022-JP", "\u{3042}\u{AC00}\u{3042}");
    assert_eq!(encoded, (b"\x1B$B$\"$\"\x1B(B".to_vec(), vec![(3, '\u{AC00}')]));
}

#[test]
fn whatwg_encodes_half_width_katakana_as_full_width() {
    let encoded = encode_every_way("whatwg:ISO-2022-JP", "\u{FF71}\u{FF61}\u{FF9F}");
    assert_eq!(encoded, (b"\x1B$B%\"!#!,\x1B(B".to_vec(), vec![]));
}

#[test]
fn whatwg_keeps_ascii_in_roman() {
    let encoded = encode_every_way("whatwg:ISO-2022-JP", "\u{A5}a \u{203E}\\");
    assert_eq!(encoded, (b"\x1B(J\\a ~\x1B(B\\".to_vec(), vec![]));
}

#[test]
fn sequence_waits_for_output_space_with_its_character() {
    let mut encoder = for_label("ISO-2022-JP").unwrap().encoder(&EncodingOptions::default());
    for (state, text, len) in
        [(State::INITIAL, "\u{3042}", 5), (State::new(2), "", 3), (State::new(2), "A", 4)]
    {
        for output in 0..len {
            encoder.restore_state(state);
            let progress = encoder.encode(text, &mut vec![0; output], true);
            assert_eq!((progress.read, progress.written), (0, 0), "{text:?} {output}");
            assert_eq!(
                (progress.status, encoder.save_state()),
                (Status::OutputFull, state),
                "{text:?} {output}"
            );
        }
        encoder.restore_state(state);
        let progress = encoder.encode(text, &mut vec![0; len], true);
        assert_eq!((progress.read, progress.written), (text.len(), len));
    }
}

/// Replaces all errors with `?`, and counts them.
#[derive(Default)]
struct QuestionMarks {
    count: usize,
    cache: Option<Box<ReplacementCache>>,
}

impl ErrorHandler for QuestionMarks {
    fn on_malformed(&mut self, _: &[u8], _: MalformedReason) -> Option<ActionTaken> {
        Some(ActionTaken::Replaced)
    }

    fn on_unmappable(&mut self, _: Unmappable) -> Option<ActionTaken> {
        None
    }

    fn replacement(&self) -> &'static str {
        "?"
    }

    fn default_replacement(&self) -> &'static str {
        "?"
    }

    fn is_constant(&self) -> bool {
        true
    }

    fn add_count(&mut self, _: ErrorClass, _: ActionTaken, count: usize) {
        self.count += count;
    }

    fn cache(&mut self) -> &mut Option<Box<ReplacementCache>> {
        &mut self.cache
    }
}

#[test]
fn character_between_two_sequences_after_an_error_is_valid() {
    let mut decoder = for_label("whatwg:ISO-2022-JP").unwrap().decoder(&Default::default());
    // Enough text for the table with which pairs are decoded between errors.
    let long = [&b"\x1B$B"[..], &b"F|".repeat(70_000), b"\x1B(B"].concat();
    let mut text = vec![0; 2 * long.len()];
    assert_eq!(decoder.decode(&long, &mut text, false).written, 210_000);
    // Encoding Standard, ISO-2022-JP decoder: a lead byte sets the output flag, without which an escape is an error.
    for (input, expected, errors) in [
        (&b"\xFF\x1B$BF|\x1B(Bbcdefghijklmnop"[..], "?日bcdefghijklmnop", 1),
        (b"\xFF\x1B$B\x1B(Bbcdefghijklmnop", "??bcdefghijklmnop", 2),
    ] {
        let mut handler = QuestionMarks::default();
        decoder.restore_state(State::INITIAL);
        let progress = decoder.decode_with_handler(input, &mut text, true, &mut handler);
        assert_eq!((progress.read, progress.status), (input.len(), Status::InputEmpty));
        assert_eq!(std::str::from_utf8(&text[..progress.written]), Ok(expected));
        assert_eq!(handler.count, errors);
    }
}

#[test]
fn sets_that_an_encoding_does_not_have_decode_as_the_first() {
    // A caller may restore the state of another encoding, and codecs never panic.
    for (label, bytes) in [("ISO-2022-JP", b"AB"), ("ISO-2022-KR", b"AB"), ("IBM939", b"\xC1\xC2")]
    {
        let mut decoder = for_label(label).unwrap().decoder(&EncodingOptions::default());
        decoder.restore_state(State::new(0xFF));
        let mut text = [0; 64];
        let progress = decoder.decode(bytes, &mut text, true);
        assert_eq!(&text[..progress.written], b"AB", "{label}");
    }
}
