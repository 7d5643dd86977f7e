//! The same result whatever the pieces and whatever the room.

use super::{Stage, open, pour};

/// Good and bad octets of each charset, with every kind of fault and with an unfinished end.
const INPUTS: &[(&str, &[u8])] = &[
    ("FSS-UTF", b"Az\xC3\xA9\xE2\x82\xAC\xF0\x9F\x92\xA9\xF4\x90\x80\x80\xED\xA0\x80\xF8\x88\x80\x80\x80!"),
    ("FSS-UTF", b"\xFC\x84\x80\x80\x80\x80\xFD\xBF\xBF\xBF\xBF\xBF\xFC\x83\xC0\xAF\xFE\xE0\x9F\xF8\x90 \xFD\xBF\xBF\xBF\xBF"),
    ("UTF-1", b"ab\xA0\xE9\x9F\xA1\x21\xF5\xFF\xF6\x21\x21\xFB\xFF\xFF\xFC\x21\x21\x21\x21\xFC\x21\x39\x6E\x6C"),
    ("UTF-1", b"\xA0\x41\xFE\xFF\xF7/\x9F\xA1 \xFD\xFF\xFF\xFF\xFF\xFD\xBD\x2B\xB9\x40\xF7\x30\x30\xFC\x22\x22\x22"),
    ("UTF-32", b"\xFF\xFE\0\0A\0\0\0\xFF\xFE\0\0\0\xD8\0\0\0\0\x11\0\x0D\xF6\x01\0AB"),
    ("UTF-32", b"\0\0\xFE\xFF\0\0\0A\0\0\xFE\xFF\xFF\xFE\0\0\0\0\xDF\xFF\0\x01\xF6\x0D\0\0\0"),
    ("UTF-32", b"\0\0\xD8\0\xFF\xFE\0\0\0\xD8\0\0\0\0\xFE\xFFA\0\0\0B"),
    ("UTF-32", b"\0\xD8\0\0\0\0\xFE\xFF"),
    ("UTF-32BE", b"\0\0\xFE\xFF\0\0\0A\0\x11\0\0\0\0\xD8\0\0\x10\xFF\xFF\0\0"),
    ("UTF-32LE", b"\xFF\xFE\0\0A\0\0\0\0\0\x11\0\0\xD8\0\0\xFF\xFF\x10\0\0"),
    ("UCS-4", b"\0\0\xFE\xFF\0\x11\0\0\x7F\xFF\xFF\xFF\x80\0\0\0\0\0\xDB\xFF\0\0\0A\0"),
    ("UCS-4LE", b"\0\0\x11\0\xFF\xFF\xFF\x7F\0\0\0\x80\xFF\xDB\0\0A\0\0\0\0"),
    ("UTF-5", b"K1I262J91IEG0TBFFH10000.kK1\n1I0\rK1\r\nVFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFK1\r\n"),
    ("UTF-5", b"G0000000000000000000000000000000G00000000000000000000000000000000000K1\n"),
    ("UTF-5", b"V1234567890123456789012345678901234567890\r"),
    ("UTF-5", b"V1234567890123456789012345678901234567890"),
    ("UTF-5:eol=reject", b"K1\r\nK2\n"),
    ("UTF-5:eol=skip", b"M5\r\nE5\rK1\nH\n\n"),
    ("UTF-5:eol=keep,dns", b"K1.K2\r\nK3..\n"),
    ("UTF-5:case=fold,overlong,ucs4", b"k1i262nfffffffg0041g00000d800o0000000h1\n"),
];

/// Text and beyond for the encoders, in 1 to 6 octets.
const VALUES: &[u8] =
    b"ab\0\r\n.\xC2\xA0\xC3\xA9\xC4\x80\xE4\x80\x95\xE4\x80\x96\xE2\x82\xAC\xEF\xBB\xBF\
    \xF0\xB8\xB8\xAD\xF0\xB8\xB8\xAE\xF4\x8F\xBF\xBFthe end";
const WIDE_VALUES: &[u8] =
    b"\xF4\x90\x80\x80\xF8\x88\x80\x80\x80a\xFC\x84\x80\x80\x80\x80\xFD\xBF\xBF\xBF\xBF\xBF\xC3";

const LABELS: &[&str] = &[
    "FSS-UTF",
    "UTF-1",
    "UTF-32",
    "UTF-32BE",
    "UTF-32LE",
    "UCS-4",
    "UCS-4BE",
    "UCS-4LE",
    "UTF-5",
    "UTF-5:ucs4,wrap=8",
    "UTF-5:ucs4,wrap=11,eol=keep,dns",
];

/// Cuts the input in two at every place, into single octets, and with empty pieces, and runs it
/// with every room.
fn holds_in_pieces(name: &str, fresh: &dyn Fn() -> Stage, input: &[u8]) {
    let whole = pour(fresh(), &[input], 1 << 12);
    let single: Vec<&[u8]> = input.chunks(1).chain([&input[..0]]).collect();
    for room in (0..=64).chain([200]) {
        assert_eq!(pour(fresh(), &[input], room), whole, "{name} room {room}");
        assert_eq!(pour(fresh(), &single, room), whole, "{name} room {room}");
    }
    for cut in 0..=input.len() {
        let (head, tail) = input.split_at(cut);
        for room in [fresh().resume().window(), 17, 64] {
            let seen = pour(fresh(), &[head, &[], tail], room);
            assert_eq!(seen, whole, "{name} cut {cut} room {room}");
        }
    }
}

#[test]
fn a_decoder_gives_the_same_whatever_the_pieces_and_the_room() {
    for (label, input) in INPUTS {
        let (charset, settings) = open(label);
        let fresh = || Stage::ToText((charset.decoder)(&settings));
        holds_in_pieces(label, &fresh, input);
        // Every beginning of the input is an input too: it ends inside everything there is.
        for end in 0..input.len() {
            let whole = pour(fresh(), &[&input[..end]], 1 << 12);
            let single: Vec<&[u8]> = input[..end].chunks(1).chain([&input[..0]]).collect();
            assert_eq!(pour(fresh(), &single, 64), whole, "{label} up to {end}");
        }
        if let Some(wide) = &charset.wide {
            let fresh = || Stage::ThirtyOneBits((wide.decoder)(&settings));
            holds_in_pieces(label, &fresh, input);
        }
    }
}

#[test]
fn an_encoder_gives_the_same_whatever_the_pieces_and_the_room() {
    for label in LABELS {
        let (charset, settings) = open(label);
        let fresh = || Stage::FromText((charset.encoder)(&settings));
        holds_in_pieces(label, &fresh, VALUES);
        if let Some(wide) = &charset.wide {
            let fresh = || Stage::ThirtyOneBits((wide.encoder)(&settings));
            holds_in_pieces(label, &fresh, &[VALUES, WIDE_VALUES].concat());
        }
    }
}

#[test]
fn a_state_put_back_gives_the_same_rest() {
    for (label, input) in INPUTS {
        let (charset, settings) = open(label);
        for cut in 0..=input.len() {
            let mut first = (charset.decoder)(&settings);
            let mut dst = [0; 512];
            let read = first.decode(&input[..cut], &mut dst, false).read;
            let mut second = (charset.decoder)(&settings);
            second.resume(first.state());
            let rest = &[&input[read..]];
            assert_eq!(
                pour(Stage::ToText(first), rest, 64),
                pour(Stage::ToText(second), rest, 64),
                "{label} {cut}"
            );
        }
    }
}
