//! Values from the code tables of MARC 21, and texts as pymarc 5.4 decodes them.

use super::super::testing::{
    assert_decodes, assert_round_trips, decode_every_way, encode_every_way,
};
use super::tables;
use crate::conversion_error::MalformedReason;

#[test]
fn marks_precede_their_letter_in_bytes_and_compose_in_text() {
    for label in ["MARC-8", "ANSEL", "ANSEL-GEDCOM"] {
        assert_round_trips(&[
            (label, "é", b"\xE2e"),
            (label, "Dvořák, Antonín\n", b"Dvo\xE9r\xE2ak, Anton\xE2in\n"),
            (label, "ậ", b"\xF2\xE3a"),
            (label, "Łódź ©", b"\xA1\xE2od\xE2z \xC3"),
            (label, "t\u{FE20}s\u{FE21}", b"\xEBt\xECs"),
            (label, "x\u{302}\u{333} \u{301}", b"\xE3\xF5x\xE2 "),
        ]);
    }
}

#[test]
fn letters_and_marks_in_canonical_order_have_the_same_bytes() {
    for (text, bytes) in [("e\u{301}", &b"\xE2e"[..]), ("a\u{323}\u{302}", b"\xF2\xE3a")] {
        assert_eq!(encode_every_way("MARC-8", text), (bytes.to_vec(), vec![]));
    }
    // The bytes have another order, which composition would lose.
    assert_round_trips(&[("MARC-8", "â\u{323}", b"\xE3\xF2a")]);
}

#[test]
fn sets_are_designated_and_the_initial_ones_at_the_end() {
    assert_round_trips(&[
        ("MARC-8", "бойна x", b"\x1B(NBOJNA \x1B(Bx"),
        ("MARC-8", "בדיקה", b"\x1B(2aciwd\x1B(B"),
        ("MARC-8", "H₂O", b"H\x1Bb2\x1BsO"),
        ("MARC-8", "a²", b"a\x1Bp2\x1Bs"),
        ("MARC-8", "人 人", b"\x1B$1!0d\x1B(B \x1B$1!0d\x1B(B"),
        ("MARC-8", "ґà", b"\x1B)Q\xC0\x1B)!E\xE1a"),
        ("MARC-8", "Βλά", b"\x1B(SBn\x22a\x1B(B"),
    ]);
}

#[test]
fn sequences_of_the_specification_are_decoded() {
    assert_decodes("MARC-8", b"\x1B(NBOJNA\x1B(B x", "бойна x", &[]);
    assert_decodes("MARC-8", b"\x1B,NB\x1B)N\xC2\x1B-N\xC2\x1B-!E\xB2", "бббø", &[]);
    assert_decodes("MARC-8", b"\x1Bgabc\x1Bsa", "αβγa", &[]);
    assert_decodes("MARC-8", b"\x1B$1!Ma\x1B$,1!0d\x1B$)1\xA1\xB0\xE4", "睨人人", &[]);
    // The set of a letter may be designated after its marks.
    assert_decodes("MARC-8", b"\xE5\x1B(NI", "ӣ", &[]);
}

#[test]
fn separators_designate_the_initial_sets() {
    assert_decodes("MARC-8", b"\x1B(NB\x1Fab\x1E", "б\u{1F}ab\u{1E}", &[]);
    let encoded = encode_every_way("MARC-8", "б\u{1F}ab");
    assert_eq!(encoded, (b"\x1B(NB\x1B(B\x1Fab".to_vec(), vec![]));
}

#[test]
fn errors_are_marks_without_a_letter_and_unassigned_codes() {
    use MalformedReason::{
        InvalidLeadByte, MissingTrailByte, Truncated, Unassigned, UnknownEscapeSequence,
    };
    for (bytes, text, errors) in [
        (&b"a\xE2\xE3"[..], "a\u{FFFD}", &[(1, 2, Truncated)][..]),
        (b"\xE2\ne", "\u{FFFD}\ne", &[(0, 1, MissingTrailByte)]),
        (b"\xE2\x1B(N\nB", "\u{FFFD}\nб", &[(0, 4, MissingTrailByte)]),
        (b"\xE2\xBB", "\u{FFFD}\u{FFFD}", &[(0, 1, MissingTrailByte), (1, 1, Unassigned)]),
        (
            b"\xE1\xE2\xE2\xE2\xE2\xE2\xE2\xE2e",
            "\u{FFFD}é\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
            &[(0, 1, MissingTrailByte)],
        ),
        (b"\x90\xA0", "\u{FFFD}\u{FFFD}", &[(0, 1, InvalidLeadByte), (1, 1, InvalidLeadByte)]),
        (b"\x1B[m", "\u{FFFD}[m", &[(0, 1, UnknownEscapeSequence)]),
        (b"a\x1B(", "a\u{FFFD}", &[(1, 2, Truncated)]),
        (b"\x1B$1!0\n", "\u{FFFD}\n", &[(3, 2, MissingTrailByte)]),
        (b"\x1B$1zzz!0", "\u{FFFD}\u{FFFD}", &[(3, 3, Unassigned), (6, 2, Truncated)]),
    ] {
        assert_decodes("MARC-8", bytes, text, errors);
    }
}

#[test]
fn marks_without_a_letter_are_unmappable() {
    let encoded = encode_every_way("MARC-8", "\u{301}a\n\u{5B0}ก\u{1B}");
    let errors = vec![(0, '\u{301}'), (4, '\u{5B0}'), (6, 'ก'), (9, '\u{1B}')];
    assert_eq!(encoded, (b"a\n".to_vec(), errors));
}

/// GEDCOM 5.5.1, appendix C.
#[test]
fn gedcom_has_its_own_additions() {
    assert_round_trips(&[("ANSEL-GEDCOM", "Straße □■≠", b"Stra\xCFe \xBE\xBF\xFC=")]);
    assert_decodes("ANSEL-GEDCOM", b"\xC7\xCD\xCE\x1B", "ßeo\u{1B}", &[]);
    assert_round_trips(&[("ANSEL", "Straße €", b"Stra\xC7e \xC8")]);
    assert_eq!(decode_every_way("ANSEL", b"\xCF").1, [(0, 1, MalformedReason::Unassigned)]);
}

#[test]
fn east_asian_codes_are_in_order() {
    let repertoire = tables::marc8();
    let codes: Vec<u32> = (0x21_2020..0x7F_0000)
        .filter(|code| repertoire.east_asian_character(*code).is_some())
        .collect();
    // The number of codes of the Library of Congress, as in pymarc.
    assert_eq!(codes.len(), 15_739);
    let location = |character| repertoire.east_asian_location(character).map(|it| it.code);
    assert_eq!(location('一'), Some(0x21_3021));
    assert_eq!(location('한'), Some(0x6F_5C65));
}
