//! The examples of the RFCs, the cases of the decoder, and the output of the encoder.

use super::UTF_7;
use crate::conversion_error::MalformedReason::{
    EmptyShift, EncodedAscii, IncompleteCodeUnit, InvalidLeadByte, MissingShiftOut, NonZeroPadding,
    NullShift, Truncated, UnpairedSurrogate,
};
use crate::encoding::EncodingOptions;
use crate::encoding::testing::{Error, decode, decode_every_way, encode, encode_every_way};

#[test]
fn rfc_examples_decode() {
    for (wire, text) in [
        // RFC 1642 and RFC 2152.
        ("A+ImIDkQ.", "A\u{2262}\u{391}."),
        ("Hi Mom +Jjo-!", "Hi Mom \u{263A}!"),
        ("Hi Mom -+Jjo--!", "Hi Mom -\u{263A}-!"),
        ("+ZeVnLIqe-", "\u{65E5}\u{672C}\u{8A9E}"),
        ("Item 3 is +AKM-1.", "Item 3 is \u{A3}1."),
    ] {
        assert_eq!(decode_every_way("UTF-7", wire.as_bytes()), (text.to_owned(), vec![]));
    }
}

#[test]
fn rfc_examples_encode_with_set_o_direct() {
    for (wire, text) in [
        ("A+ImIDkQ.", "A\u{2262}\u{391}."),
        ("Hi Mom -+Jjo--!", "Hi Mom -\u{263A}-!"),
        ("+ZeVnLIqe-", "\u{65E5}\u{672C}\u{8A9E}"),
        ("Item 3 is +AKM-1.", "Item 3 is \u{A3}1."),
    ] {
        assert_eq!(encode_every_way("UTF-7:optional=direct", text).0, wire.as_bytes(), "{wire}");
    }
}

const APPENDIX_A: &str = include_str!("../../../../../tests/data/utf7/rfc1642-appendix-a.utf8");
const WITH_SET_O: &str =
    include_str!("../../../../../tests/data/utf7/rfc1642-appendix-a.set-o.utf7");
const WITHOUT_SET_O: &str =
    include_str!("../../../../../tests/data/utf7/rfc1642-appendix-a.no-set-o.utf7");
const CLOSE_NEEDED: &str =
    include_str!("../../../../../tests/data/utf7/rfc1642-appendix-a.needed.utf7");

#[test]
fn rfc_1642_appendix_a_round_trips() {
    assert_eq!(APPENDIX_A.len(), 1280);
    for (label, wire, len) in [
        ("UTF-7:optional=direct,close=always", WITH_SET_O, 1294),
        ("UTF-7:close=always", WITHOUT_SET_O, 1330),
        ("UTF-7", CLOSE_NEEDED, 1317),
    ] {
        assert_eq!(wire.len(), len);
        assert!(encode_every_way(label, APPENDIX_A).0 == wire.as_bytes(), "{label}");
        let decoded = decode_every_way("UTF-7", wire.as_bytes());
        assert!(decoded == (APPENDIX_A.to_owned(), vec![]), "{label}");
    }
}

#[test]
fn eol_keep_preserves_line_endings_between_mailbox_names() {
    let (text, wire) = ("Entwürfe\r\n台北\n&a\né", &b"Entw&APw-rfe\r\n&U,BTFw-\n&-a\n&AOk-"[..]);
    assert_eq!(encode_every_way("UTF-7-IMAP:eol=keep", text), (wire.to_vec(), vec![]));
    assert_eq!(decode_every_way("UTF-7-IMAP:eol=keep", wire), (text.to_owned(), vec![]));
    // Without the option a line ending is part of the name.
    assert_eq!(encode_every_way("UTF-7-IMAP", "a\nb").0, b"a&AAo-b");
    assert_eq!(decode_every_way("UTF-7-IMAP", b"a\nb").1.len(), 1);
    for malformed in [&b"&AAo-"[..], b"&AOk\n", b"&AOk-&AOk-"] {
        assert_eq!(decode_every_way("UTF-7-IMAP:eol=keep", malformed).1.len(), 1, "{malformed:?}");
    }
    // Each line begins outside a run, so its first run is not adjacent to the last one of the line
    // before.
    assert_eq!(decode_every_way("UTF-7-IMAP:eol=keep", b"&AOk-\n&AOk-").1, []);
}

/// Options, bytes, text with U+FFFD for each error, and the errors.
type Utf7DecodeCase = (&'static str, &'static [u8], &'static str, &'static [Error]);

fn check(name: &str, rows: &[Utf7DecodeCase]) {
    for (options, wire, text, errors) in rows {
        let expected = ((*text).to_owned(), errors.to_vec());
        let decoded = decode_every_way(&format!("{name}:{options}"), wire);
        assert_eq!(decoded, expected, "{options} {:?}", String::from_utf8_lossy(wire));
    }
}

#[test]
fn bytes_outside_a_run_are_literal_or_malformed() {
    let direct = "AZaz09'(),-./:?!\"#$%&*;<=>@[]^_`{|} \t\r\n";
    check("UTF-7", &[("", direct.as_bytes(), direct, &[])]);
    for byte in (0..=8).chain([11, 12]).chain(14..=31).chain([b'\\', b'~', 127]) {
        let wire = [b'a', byte, b'b'];
        let strict = ("a\u{FFFD}b".to_owned(), vec![(1, 1, InvalidLeadByte)]);
        assert_eq!(decode_every_way("UTF-7", &wire), strict, "{byte:02X}");
        assert_eq!(decode_every_way("UTF-7:accept=ascii", &wire).0.as_bytes(), wire);
    }
    for byte in 0x80..=0xFF {
        for label in ["UTF-7", "UTF-7:accept=ascii"] {
            assert_eq!(decode_every_way(label, &[byte]).1, [(0, 1, InvalidLeadByte)], "{byte:02X}");
        }
    }
}

#[test]
fn plus_must_be_followed_by_base64_or_hyphen() {
    check(
        "UTF-7",
        &[
            ("", b"1+-1", "1+1", &[]),
            ("", b"+--", "+-", &[]),
            ("", b"x+<y", "x\u{FFFD}<y", &[(1, 1, EmptyShift)]),
            ("", b"+ ", "\u{FFFD} ", &[(0, 1, EmptyShift)]),
            ("", b"+\x80", "\u{FFFD}\u{FFFD}", &[(0, 1, EmptyShift), (1, 1, InvalidLeadByte)]),
            ("", b"+", "\u{FFFD}", &[(0, 1, Truncated)]),
            ("", b"+-+", "+\u{FFFD}", &[(2, 1, Truncated)]),
        ],
    );
}

#[test]
fn run_ends_at_hyphen_other_byte_or_end_of_input() {
    check(
        "UTF-7",
        &[
            ("", b"+Jjo-", "\u{263A}", &[]),
            ("", b"+Jjo--", "\u{263A}-", &[]),
            ("", b"+Jjo=", "\u{263A}=", &[]),
            ("", b"+Jjo\r\nx", "\u{263A}\r\nx", &[]),
            ("", b"+Jjo", "\u{263A}", &[]),
            ("", b"+JjomOyY8", "\u{263A}\u{263B}\u{263C}", &[]),
            ("", b"+JjomOyY8.", "\u{263A}\u{263B}\u{263C}.", &[]),
            ("", b"+Jjo\\", "\u{263A}\u{FFFD}", &[(4, 1, InvalidLeadByte)]),
            ("accept=ascii", b"+Jjo\\", "\u{263A}\\", &[]),
            ("", b"+AOk-+AOk-", "\u{E9}\u{E9}", &[]),
            ("", b"+AOkAKw-", "\u{E9}+", &[]),
            ("", b"+AOk-+-", "\u{E9}+", &[]),
            ("", b"+/v8-", "\u{FEFF}", &[]),
            ("", b"+2D3eAA-", "\u{1F600}", &[]),
        ],
    );
}

#[test]
fn spare_bits_are_zero_and_fewer_than_six() {
    check(
        "UTF-7",
        &[
            ("", b"a+AOl,b", "a\u{E9}\u{FFFD},b", &[(4, 1, NonZeroPadding)]),
            ("", b"+AOl-b", "\u{E9}\u{FFFD}b", &[(3, 1, NonZeroPadding)]),
            ("", b"+AOl", "\u{E9}\u{FFFD}", &[(3, 1, Truncated)]),
            ("", b"+AEEA-", "A\u{FFFD}", &[(3, 2, IncompleteCodeUnit)]),
            ("", b"+AA-", "\u{FFFD}", &[(1, 2, IncompleteCodeUnit)]),
            ("", b"+A-", "\u{FFFD}", &[(1, 1, IncompleteCodeUnit)]),
            ("", b"a+IK,b", "a\u{FFFD},b", &[(2, 2, IncompleteCodeUnit)]),
            ("", b"+JjoAA", "\u{263A}\u{FFFD}", &[(3, 3, Truncated)]),
            ("", b"x+1", "x\u{FFFD}", &[(2, 1, Truncated)]),
            ("pad", b"+AEEA-", "A", &[]),
            ("pad=1", b"+AA-.", ".", &[]),
            ("pad", b"+A", "", &[]),
            ("pad", b"+B-", "\u{FFFD}", &[(1, 1, IncompleteCodeUnit)]),
            ("pad", b"+AOl-", "\u{E9}\u{FFFD}", &[(3, 1, NonZeroPadding)]),
        ],
    );
}

#[test]
fn unpaired_surrogate_is_malformed_and_next_unit_decodes() {
    check(
        "UTF-7",
        &[
            ("", b"+3AA-x", "\u{FFFD}x", &[(1, 3, UnpairedSurrogate)]),
            ("", b"+JjrYAABB", "\u{263A}\u{FFFD}A", &[(3, 4, UnpairedSurrogate)]),
            ("", b"+JjomO9v/-x", "\u{263A}\u{263B}\u{FFFD}x", &[(6, 3, UnpairedSurrogate)]),
            (
                "",
                b"+2D0-+3gA-",
                "\u{FFFD}\u{FFFD}",
                &[(1, 3, UnpairedSurrogate), (6, 3, UnpairedSurrogate)],
            ),
            ("", b"+2D0", "\u{FFFD}", &[(1, 3, Truncated)]),
            // A pending high surrogate and non-zero padding are one error.
            ("", b"+2D1-", "\u{FFFD}", &[(1, 3, UnpairedSurrogate)]),
            ("", b"+2D0AA.", "\u{FFFD}.", &[(1, 5, UnpairedSurrogate)]),
            ("", b"+2D0AA", "\u{FFFD}", &[(1, 5, Truncated)]),
            ("pad", b"+2D0A-", "\u{FFFD}", &[(1, 4, UnpairedSurrogate)]),
        ],
    );
}

#[test]
fn encoded_ascii_is_rejected_on_request() {
    let script = b"+ADw-script+AD4-";
    let both: &[_] = &[(1, 3, EncodedAscii), (12, 3, EncodedAscii)];
    check(
        "UTF-7",
        &[
            ("", script, "<script>", &[]),
            ("reject=none", script, "<script>", &[]),
            ("reject=d", script, "<script>", &[]),
            ("reject=do", script, "\u{FFFD}script\u{FFFD}", both),
            ("reject=DO", script, "\u{FFFD}script\u{FFFD}", both),
            ("reject=d", b"+AGEA6Q-", "\u{FFFD}\u{E9}", &[(1, 3, EncodedAscii)]),
            ("reject=D", b"+AOkAYQ-", "\u{E9}\u{FFFD}", &[(3, 4, EncodedAscii)]),
            ("reject=do", b"+AFwAfgAgACs-", "\\~ +", &[]),
        ],
    );
}

#[test]
fn mailbox_names_must_be_canonical() {
    check(
        "UTF-7-IMAP",
        &[
            ("", b"+/\\~ &-", "+/\\~ &", &[]),
            ("", b"&AOk-&-", "\u{E9}&", &[]),
            ("", b"&-&AOk-", "&\u{E9}", &[]),
            ("", b"&AOk-a&AOk-", "\u{E9}a\u{E9}", &[]),
            ("", b"&AAA-", "\0", &[]),
            ("", b"&AAkACgB,-", "\t\n\x7F", &[]),
            ("", b"&Jjo!", "\u{263A}\u{FFFD}!", &[(4, 0, MissingShiftOut)]),
            ("", b"&Jjo", "\u{263A}\u{FFFD}", &[(4, 0, Truncated)]),
            ("", b"&Jjp!", "\u{263A}\u{FFFD}!", &[(3, 1, NonZeroPadding)]),
            ("", b"&Jjp", "\u{263A}\u{FFFD}", &[(3, 1, Truncated)]),
            ("", b"&Jjo/-", "\u{263A}\u{FFFD}/-", &[(4, 0, MissingShiftOut)]),
            ("", b"&2D0!", "\u{FFFD}!", &[(1, 3, UnpairedSurrogate)]),
            ("", b"&U,BTFw-&ZeU-", "\u{53F0}\u{5317}\u{FFFD}\u{65E5}", &[(8, 1, NullShift)]),
            ("", b"&AOk-&", "\u{E9}\u{FFFD}", &[(5, 1, Truncated)]),
            ("", b"&AOk-&!", "\u{E9}\u{FFFD}!", &[(5, 1, EmptyShift)]),
            ("", b"&ACY-", "\u{FFFD}", &[(1, 3, EncodedAscii)]),
            ("", b"&AOkAYQ-", "\u{E9}\u{FFFD}", &[(3, 4, EncodedAscii)]),
            ("", b"&!", "\u{FFFD}!", &[(0, 1, EmptyShift)]),
            ("", b"a&", "a\u{FFFD}", &[(1, 1, Truncated)]),
            (
                "",
                b"\t\x7F\xC3",
                "\u{FFFD}\u{FFFD}\u{FFFD}",
                &[(0, 1, InvalidLeadByte), (1, 1, InvalidLeadByte), (2, 1, InvalidLeadByte)],
            ),
        ],
    );
}

#[test]
fn empty_input_and_full_output_are_handled() {
    use crate::codec::{Progress, Status};
    let mut decoder = UTF_7.decoder(&EncodingOptions::default());
    assert_eq!(decoder.decode(b"", &mut [], false), Progress::input_empty(0, 0));
    assert_eq!(decoder.decode(b"a", &mut [], false).status, Status::OutputFull);
    let progress = decoder.decode(b"+Jjo-", &mut [0; 2], true);
    assert_eq!((progress.read, progress.written, progress.status), (1, 0, Status::OutputFull));
}

/// Options, text and bytes.
fn check_encode(name: &str, rows: &[(&str, &str, &str)]) {
    for (options, text, wire) in rows {
        let encoded = encode_every_way(&format!("{name}:{options}"), text).0;
        assert_eq!(String::from_utf8(encoded).unwrap(), *wire, "{options} {text:?}");
    }
}

#[test]
fn a_run_closes_at_the_first_direct_character_and_at_the_end() {
    check_encode(
        "UTF-7",
        &[
            ("", "", ""),
            ("", "A.\t\r\n ", "A.\t\r\n "),
            ("", "\u{E9}", "+AOk-"),
            ("", "\u{E9}.", "+AOk."),
            ("", "\u{E9} \u{E9}", "+AOk +AOk-"),
            ("", "\u{E9}a", "+AOk-a"),
            ("", "\u{E9}/", "+AOk-/"),
            ("", "\u{E9}-", "+AOk--"),
            ("", "\u{E9}\u{E9}\u{E9}.", "+AOkA6QDp."),
            ("close=always", "\u{E9}. \u{E9}", "+AOk-. +AOk-"),
            ("", "\u{263A}!", "+JjoAIQ-"),
            ("optional=direct", "\u{263A}!", "+Jjo!"),
            ("Optional=direct,close=always", "\u{263A}!", "+Jjo-!"),
            ("", "\0\\~\x7F", "+AAAAXAB+AH8-"),
            ("optional=direct", "\\~", "+AFwAfg-"),
            ("", "\u{1F600}", "+2D3eAA-"),
            ("", "\u{FEFF}", "+/v8-"),
        ],
    );
}

#[test]
fn a_plus_is_doubled_outside_a_run_and_stays_inside() {
    check_encode(
        "UTF-7",
        &[
            ("", "1+1", "1+-1"),
            ("", "-+", "-+-"),
            ("", "+-", "+--"),
            ("", "\u{E9}+", "+AOkAKw-"),
            ("", "+\u{E9}", "+-+AOk-"),
            ("", "\u{E9}+a", "+AOkAKw-a"),
        ],
    );
}

#[test]
fn a_mailbox_name_merges_neighbors_and_closes_before_an_ampersand() {
    check_encode(
        "UTF-7-IMAP",
        &[
            ("", "++", "++"),
            ("", "&", "&-"),
            ("", "\u{E9}&", "&AOk-&-"),
            ("", "&\u{E9}", "&-&AOk-"),
            ("", "\u{263A}!", "&Jjo-!"),
            ("", "\u{53F0}\u{5317}\u{65E5}\u{672C}\u{8A9E}", "&U,BTF2XlZyyKng-"),
            ("", "\t\r\n\x7F", "&AAkADQAKAH8-"),
            ("", "\u{FFFE}", "&,,4-"),
            ("", "\0", "&AAA-"),
        ],
    );
}

#[test]
fn second_flush_is_empty_and_full_output_loses_nothing() {
    use crate::codec::{Progress, Status};
    let mut encoder = UTF_7.encoder(&EncodingOptions::default());
    let mut space = [0; 4];
    assert_eq!(encoder.encode("\u{E9}", &mut space, true), Progress::output_full(2, 3));
    assert_eq!(&space[..3], b"+AO");
    assert_eq!(encoder.encode("", &mut space[..1], true).status, Status::OutputFull);
    assert_eq!(encoder.encode("", &mut space[..2], true), Progress::input_empty(0, 2));
    assert_eq!(&space[..2], b"k-");
    assert_eq!(encoder.encode("", &mut space, true), Progress::input_empty(0, 0));
}

#[test]
fn every_scalar_value_round_trips() {
    let all: String = ('\0'..=char::MAX).collect();
    assert_round_trip("UTF-7", "UTF-7", &all);
    assert_round_trip("UTF-7:optional=direct,close=always", "UTF-7", &all);
    assert_round_trip("UTF-7-IMAP", "UTF-7-IMAP", &all);
}

#[test]
fn isolated_characters_use_base64_only_when_required() {
    let few = ('\0'..'\u{800}').chain(('\u{800}'..=char::MAX).step_by(97));
    let apart: String = few.flat_map(|character| [character, 'a']).collect();
    assert_round_trip("UTF-7", "UTF-7:reject=d", &apart);
    assert_round_trip("UTF-7:optional=direct,close=always", "UTF-7:reject=do", &apart);
    assert_round_trip("UTF-7-IMAP", "UTF-7-IMAP", &apart);
}

fn assert_round_trip(out: &str, back: &str, text: &str) {
    let (wire, unmappable) = encode(out, text);
    assert!(wire.is_ascii() && unmappable.is_empty(), "{out}");
    assert!(decode(back, &wire) == (text.to_owned(), vec![]), "{out}");
}
