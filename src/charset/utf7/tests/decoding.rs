//! Every row of the decoder's table: what is accepted, what is a fault, and where it lies.

use super::super::UTF_7;
use crate::charset::Settings;
use crate::charset::walk::{Fault, decode_every_way};
use crate::fault::Why::{
    Leftover, Needless, NullShift, Padding, Shift, Stray, Truncated, Unclosed, Unpaired,
};

/// Options, octets, text with U+FFFD in the place of each fault, and the faults.
type Row = (&'static str, &'static [u8], &'static str, &'static [Fault]);

fn check(name: &str, rows: &[Row]) {
    for (options, wire, text, faults) in rows {
        let expected = ((*text).to_owned(), faults.to_vec());
        let decoded = decode_every_way(&format!("{name}:{options}"), wire);
        assert_eq!(decoded, expected, "{options} {:?}", String::from_utf8_lossy(wire));
    }
}

#[test]
fn octets_outside_a_run_are_themselves_or_refused_one_by_one() {
    let direct = "AZaz09'(),-./:?!\"#$%&*;<=>@[]^_`{|} \t\r\n";
    check("UTF-7", &[("", direct.as_bytes(), direct, &[])]);
    for octet in (0..=8).chain([11, 12]).chain(14..=31).chain([b'\\', b'~', 127]) {
        let wire = [b'a', octet, b'b'];
        let strict = ("a\u{FFFD}b".to_owned(), vec![(1, 1, Stray)]);
        assert_eq!(decode_every_way("UTF-7", &wire), strict, "{octet:02X}");
        assert_eq!(decode_every_way("UTF-7:direct=ascii", &wire).0.as_bytes(), wire);
    }
    for octet in 0x80..=0xFF {
        for label in ["UTF-7", "UTF-7:direct=ascii"] {
            assert_eq!(decode_every_way(label, &[octet]).1, [(0, 1, Stray)], "{octet:02X}");
        }
    }
}

#[test]
fn a_plus_needs_something_to_shift() {
    check(
        "UTF-7",
        &[
            ("", b"1+-1", "1+1", &[]),
            ("", b"+--", "+-", &[]),
            ("", b"x+<y", "x\u{FFFD}<y", &[(1, 1, Shift)]),
            ("", b"+ ", "\u{FFFD} ", &[(0, 1, Shift)]),
            ("", b"+\x80", "\u{FFFD}\u{FFFD}", &[(0, 1, Shift), (1, 1, Stray)]),
            ("", b"+", "\u{FFFD}", &[(0, 1, Truncated)]),
            ("", b"+-+", "+\u{FFFD}", &[(2, 1, Truncated)]),
        ],
    );
}

#[test]
fn a_run_ends_at_a_hyphen_at_any_other_octet_and_with_the_input() {
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
            ("", b"+Jjo\\", "\u{263A}\u{FFFD}", &[(4, 1, Stray)]),
            ("direct=ascii", b"+Jjo\\", "\u{263A}\\", &[]),
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
            ("", b"a+AOl,b", "a\u{E9}\u{FFFD},b", &[(4, 1, Padding)]),
            ("", b"+AOl-b", "\u{E9}\u{FFFD}b", &[(3, 1, Padding)]),
            ("", b"+AOl", "\u{E9}\u{FFFD}", &[(3, 1, Truncated)]),
            ("", b"+AEEA-", "A\u{FFFD}", &[(3, 2, Leftover)]),
            ("", b"+AA-", "\u{FFFD}", &[(1, 2, Leftover)]),
            ("", b"+A-", "\u{FFFD}", &[(1, 1, Leftover)]),
            ("", b"a+IK,b", "a\u{FFFD},b", &[(2, 2, Leftover)]),
            ("", b"+JjoAA", "\u{263A}\u{FFFD}", &[(3, 3, Truncated)]),
            ("", b"x+1", "x\u{FFFD}", &[(2, 1, Truncated)]),
            ("pad", b"+AEEA-", "A", &[]),
            ("pad=1", b"+AA-.", ".", &[]),
            ("pad", b"+A", "", &[]),
            ("pad", b"+B-", "\u{FFFD}", &[(1, 1, Leftover)]),
            ("pad", b"+AOl-", "\u{E9}\u{FFFD}", &[(3, 1, Padding)]),
        ],
    );
}

#[test]
fn half_a_pair_is_refused_and_the_next_unit_read() {
    check(
        "UTF-7",
        &[
            ("", b"+3AA-x", "\u{FFFD}x", &[(1, 3, Unpaired)]),
            ("", b"+JjrYAABB", "\u{263A}\u{FFFD}A", &[(3, 4, Unpaired)]),
            ("", b"+JjomO9v/-x", "\u{263A}\u{263B}\u{FFFD}x", &[(6, 3, Unpaired)]),
            ("", b"+2D0-+3gA-", "\u{FFFD}\u{FFFD}", &[(1, 3, Unpaired), (6, 3, Unpaired)]),
            ("", b"+2D0", "\u{FFFD}", &[(1, 3, Truncated)]),
            // A pending half and bad spare bits are one fault.
            ("", b"+2D1-", "\u{FFFD}", &[(1, 3, Unpaired)]),
            ("", b"+2D0AA.", "\u{FFFD}.", &[(1, 5, Unpaired)]),
            ("", b"+2D0AA", "\u{FFFD}", &[(1, 5, Truncated)]),
            ("pad", b"+2D0A-", "\u{FFFD}", &[(1, 4, Unpaired)]),
        ],
    );
}

#[test]
fn needless_base64_is_refused_on_request() {
    let script = b"+ADw-script+AD4-";
    let both: &[_] = &[(1, 3, Needless), (12, 3, Needless)];
    check(
        "UTF-7",
        &[
            ("", script, "<script>", &[]),
            ("reject=none", script, "<script>", &[]),
            ("reject=d", script, "<script>", &[]),
            ("reject=do", script, "\u{FFFD}script\u{FFFD}", both),
            ("nodirect=DO", script, "\u{FFFD}script\u{FFFD}", both),
            ("reject=d", b"+AGEA6Q-", "\u{FFFD}\u{E9}", &[(1, 3, Needless)]),
            ("nodirect=D", b"+AOkAYQ-", "\u{E9}\u{FFFD}", &[(3, 4, Needless)]),
            ("reject=do", b"+AFwAfgAgACs-", "\\~ +", &[]),
        ],
    );
}

#[test]
fn a_mailbox_name_has_one_spelling() {
    check(
        "UTF-7-IMAP",
        &[
            ("", b"+/\\~ &-", "+/\\~ &", &[]),
            ("", b"&AOk-&-", "\u{E9}&", &[]),
            ("", b"&-&AOk-", "&\u{E9}", &[]),
            ("", b"&AOk-a&AOk-", "\u{E9}a\u{E9}", &[]),
            ("", b"&AAA-", "\0", &[]),
            ("", b"&AAkACgB,-", "\t\n\x7F", &[]),
            ("", b"&Jjo!", "\u{263A}\u{FFFD}!", &[(4, 0, Unclosed)]),
            ("", b"&Jjo", "\u{263A}\u{FFFD}", &[(4, 0, Truncated)]),
            ("", b"&Jjp!", "\u{263A}\u{FFFD}!", &[(3, 1, Padding)]),
            ("", b"&Jjp", "\u{263A}\u{FFFD}", &[(3, 1, Truncated)]),
            ("", b"&Jjo/-", "\u{263A}\u{FFFD}/-", &[(4, 0, Unclosed)]),
            ("", b"&2D0!", "\u{FFFD}!", &[(1, 3, Unpaired)]),
            ("", b"&U,BTFw-&ZeU-", "\u{53F0}\u{5317}\u{FFFD}\u{65E5}", &[(8, 1, NullShift)]),
            ("", b"&AOk-&", "\u{E9}\u{FFFD}", &[(5, 1, Truncated)]),
            ("", b"&AOk-&!", "\u{E9}\u{FFFD}!", &[(5, 1, Shift)]),
            ("", b"&ACY-", "\u{FFFD}", &[(1, 3, Needless)]),
            ("", b"&AOkAYQ-", "\u{E9}\u{FFFD}", &[(3, 4, Needless)]),
            ("", b"&!", "\u{FFFD}!", &[(0, 1, Shift)]),
            ("", b"a&", "a\u{FFFD}", &[(1, 1, Truncated)]),
            (
                "",
                b"\t\x7F\xC3",
                "\u{FFFD}\u{FFFD}\u{FFFD}",
                &[(0, 1, Stray), (1, 1, Stray), (2, 1, Stray)],
            ),
        ],
    );
}

#[test]
fn no_room_and_no_input_do_no_harm() {
    use crate::codec::{Progress, Stop};
    let mut decoder = UTF_7.decoder(&Settings::default());
    assert_eq!(decoder.decode(b"", &mut [], false), Progress::input(0, 0));
    assert_eq!(decoder.decode(b"a", &mut [], false).stop, Stop::Output);
    let progress = decoder.decode(b"+Jjo-", &mut [0; 2], true);
    assert_eq!((progress.read, progress.written, progress.stop), (1, 0, Stop::Output));
}
