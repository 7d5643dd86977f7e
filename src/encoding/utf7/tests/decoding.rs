//! Every row of the decoder's table: what is accepted, what is an error, and where it lies.

use super::super::UTF_7;
use crate::conversion_error::MalformedReason::{
    EmptyShift, EncodedAscii, IncompleteCodeUnit, InvalidLeadByte, MissingShiftOut, NonZeroPadding,
    NullShift, Truncated, UnpairedSurrogate,
};
use crate::encoding::EncodingOptions;
use crate::encoding::testing::{Error, decode_every_way};

/// Options, bytes, text with U+FFFD in the position of each error, and the errors.
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
            // A pending half and invalid spare bits are one error.
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
