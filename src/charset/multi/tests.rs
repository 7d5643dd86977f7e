//! Faults, codes of two characters, and the fast loops against the single step.

use super::grid::{Grid, Trouble};
use super::{ALL, columns};
use crate::charset::Settings;
use crate::charset::walk::{decode, decode_every_way, encode, encode_every_way};
use crate::codec::{Encoder, Stop};
use crate::fault::Why;

/// Label, bytes, text, faults.
type Case = (&'static str, &'static [u8], &'static str, &'static [(usize, usize, Why)]);

const FAULTS: &[Case] = &[
    // A lead byte before ASCII.
    ("EUC-KR", b"\xB0\"x", "\u{FFFD}\"x", &[(0, 1, Why::Continuation)]),
    ("GB18030", b"\x81\"x", "\u{FFFD}\"x", &[(0, 1, Why::Continuation)]),
    ("BIG5", b"a\xA4\n", "a\u{FFFD}\n", &[(1, 1, Why::Continuation)]),
    ("SJIS", b"\x81\"", "\u{FFFD}\"", &[(0, 1, Why::Continuation)]),
    ("EUC-JP", b"\x8F\xA1<", "\u{FFFD}<", &[(0, 2, Why::Continuation)]),
    ("EUC-TW", b"\x8E\xA2\xA1<", "\u{FFFD}<", &[(0, 3, Why::Continuation)]),
    // A trail byte that is ASCII, of a code that is not assigned.
    ("SJIS", b"\x85@", "\u{FFFD}@", &[(0, 1, Why::Unassigned)]),
    ("whatwg:Shift_JIS", b"\x85@", "\u{FFFD}@", &[(0, 1, Why::Unassigned)]),
    // Any other pair.
    ("EUC-KR", b"\xB0\xFFx", "\u{FFFD}x", &[(0, 2, Why::Unassigned)]),
    ("SJIS", b"\x85\x9Fx", "\u{FFFD}x", &[(0, 2, Why::Unassigned)]),
    ("EUC-JP", b"\xA9\xA1x", "\u{FFFD}x", &[(0, 2, Why::Unassigned)]),
    ("EUC-JP", b"\x8F\xA2\xA1x", "\u{FFFD}x", &[(0, 3, Why::Unassigned)]),
    ("EUC-JP", b"\x8F\xA2\xFFx", "\u{FFFD}x", &[(0, 3, Why::Unassigned)]),
    ("EUC-KR", b"\xFFx", "\u{FFFD}x", &[(0, 1, Why::Stray)]),
    // Four bytes that are none, and four that no character has.
    ("GB18030", b"\x810\"", "\u{FFFD}0\"", &[(0, 1, Why::Continuation)]),
    (
        "GB18030",
        b"\x810\x81\"",
        "\u{FFFD}0\u{FFFD}\"",
        &[(0, 1, Why::Continuation), (2, 1, Why::Continuation)],
    ),
    ("GB18030", b"\x841\xA50x", "\u{FFFD}x", &[(0, 4, Why::Unassigned)]),
    ("GB18030", b"\xE32\x9A6x", "\u{FFFD}x", &[(0, 4, Why::Unassigned)]),
    // Sets without ASCII.
    ("JIS_X0208", b"\x29\x21\x30\x21", "\u{FFFD}\u{4E9C}", &[(0, 2, Why::Unassigned)]),
    (
        "JIS_X0208",
        b"\x22\x7E\x22\x7F\x30\x21",
        "\u{25EF}\u{FFFD}\u{4E9C}",
        &[(2, 2, Why::Unassigned)],
    ),
    // The end.
    ("EUC-KR", b"x\xB0", "x\u{FFFD}", &[(1, 1, Why::Truncated)]),
    ("EUC-JP", b"\x8F\xB0", "\u{FFFD}", &[(0, 2, Why::Truncated)]),
    ("EUC-TW", b"\x8E\xA2\xA1", "\u{FFFD}", &[(0, 3, Why::Truncated)]),
    ("GB18030", b"\x810\x81", "\u{FFFD}", &[(0, 3, Why::Truncated)]),
];

#[test]
fn an_offender_takes_no_ascii_with_it_and_no_more_than_one_code() {
    for (label, bytes, text, faults) in FAULTS {
        let decoded = decode_every_way(label, bytes);
        assert_eq!(decoded, ((*text).to_owned(), faults.to_vec()), "{label} {bytes:02X?}");
    }
}

/// Label, text, bytes: characters that mean another code with the one behind them.
const PAIRS: &[(&str, &str, &[u8])] = &[
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
fn two_characters_with_one_code_are_written_and_read_together() {
    for (label, text, bytes) in PAIRS {
        assert_eq!(encode_every_way(label, text), (bytes.to_vec(), vec![]), "{label} {text:?}");
        let decoded = decode_every_way(label, bytes);
        assert_eq!(decoded, ((*text).to_owned(), vec![]), "{label} {text:?}");
    }
}

#[test]
fn a_second_character_without_its_first_has_no_code() {
    let encoded = encode_every_way("EUC-JISX0213", "\u{304B}\u{309A}\u{309A}x");
    assert_eq!(encoded, (b"\xA4\xF7x".to_vec(), vec![(6, '\u{309A}')]));
}

#[test]
fn both_characters_of_a_code_wait_for_room() {
    let charset = crate::charset::find("EUC-JISX0213").unwrap();
    let mut decoder = charset.decoder(&Settings::default());
    for room in 0..6 {
        let progress = decoder.decode(b"\xA4\xF7", &mut vec![0; room], true);
        assert_eq!(
            (progress.read, progress.written, progress.stop),
            (0, 0, Stop::Output),
            "{room}"
        );
    }
    let progress = decoder.decode(b"\xA4\xF7", &mut [0; 6], true);
    assert_eq!((progress.read, progress.written, progress.stop), (2, 6, Stop::Input));
}

#[test]
fn a_first_character_is_held_back_until_the_next_or_the_end() {
    let charset = crate::charset::find("EUC-JISX0213").unwrap();
    let mut encoder = charset.encoder(&Settings::default());
    let mut dst = [0; 16];
    let progress = encoder.encode("a\u{304B}", &mut dst, false);
    assert_eq!((progress.read, progress.written, progress.stop), (1, 1, Stop::Input));
    let progress = encoder.encode("\u{304B}", &mut dst, true);
    assert_eq!((progress.read, progress.written, progress.stop), (3, 2, Stop::Input));
}

#[test]
fn tag_characters_have_a_code_in_gb18030_alone() {
    for charset in ALL {
        let coded = encode(charset.name, "\u{E0001}\u{E007F}").1.is_empty();
        let universal = charset.name.to_ascii_lowercase().contains("gb18030");
        assert_eq!(coded, universal, "{}", charset.name);
    }
}

/// Pairs of all bytes one behind the other, and each pair with ASCII around it.
fn pairs() -> Vec<u8> {
    let pairs = || (0..=0xFFFF_u16).map(u16::to_be_bytes);
    pairs().flatten().chain(pairs().flat_map(|[one, two]| [b'a', b'b', one, two, b'c'])).collect()
}

/// The text of bytes with U+FFFD for each fault, one code after the other.
fn stepwise(grid: &Grid, bytes: &[u8]) -> String {
    let (mut text, mut read) = (String::new(), 0);
    while read < bytes.len() {
        match grid.unit(&bytes[read..]) {
            Ok(unit) => {
                text.push(unit.text.first);
                text.extend(unit.text.second);
                read += unit.len;
            }
            Err(trouble) => {
                text.push('\u{FFFD}');
                read += if let Trouble::Bad(len, _) = trouble { len } else { bytes.len() - read };
            }
        }
    }
    text
}

const GRIDS: &[(&str, Grid)] = &[
    ("EUC-JP", Grid::with_ascii(include_bytes!("grids/euc-jp.rows"), &columns::RIGHT)),
    ("SJIS", Grid::with_ascii(include_bytes!("grids/sjis.rows"), &columns::SHIFT_JIS)),
    ("EUC-JISX0213", Grid::with_ascii(include_bytes!("grids/euc-jisx0213.rows"), &columns::RIGHT)),
    ("GBK", Grid::with_ascii(include_bytes!("grids/gbk.rows"), &columns::GBK)),
    ("BIG5HKSCS", Grid::with_ascii(include_bytes!("grids/big5-hkscs.rows"), &columns::BIG5)),
    ("JOHAB", Grid::with_ascii(include_bytes!("grids/johab.rows"), &columns::JOHAB)),
    ("JIS_X0208", Grid::bare(include_bytes!("grids/jisx0208.rows"), &columns::LEFT)),
];

#[test]
fn the_loop_decodes_what_single_steps_decode() {
    let bytes = pairs();
    for (label, grid) in GRIDS {
        assert!(decode(label, &bytes).0 == stepwise(grid, &bytes), "{label}");
    }
}

/// What an encoder writes for text, piece by piece, without what it has no code for.
fn written(encoder: &mut dyn Encoder, pieces: impl Iterator<Item = String>) -> Vec<u8> {
    let (mut out, mut dst) = (Vec::new(), vec![0; 1 << 16]);
    for piece in pieces {
        let mut read = 0;
        loop {
            let progress = encoder.encode(&piece[read..], &mut dst, true);
            out.extend_from_slice(&dst[..progress.written]);
            read += progress.read;
            match progress.stop {
                Stop::Input => break,
                Stop::Output => {}
                Stop::Fault(fault) => read += fault.character.len_utf8(),
            }
        }
    }
    out
}

#[test]
fn the_loop_encodes_what_single_characters_are_encoded_to() {
    let text: String = ('\0'..='\u{2FFFF}').collect();
    for charset in ALL.iter().step_by(3) {
        let mut encoder = charset.encoder(&Settings::default());
        let alone = written(&mut *encoder, text.chars().map(String::from));
        let whole = written(&mut *encoder, std::iter::once(text.clone()));
        assert!(whole == alone, "{}", charset.name);
    }
}
