//! The decoder and its reference implementation agree on whatever is made of pieces of header lines.

use crate::rfc2047_decode::driver::text;
use crate::rfc2047_decode::{model, strict_model};
use charpipe_test_support::XorShift;

/// Pieces of inputs.
const PIECES: &[&[u8]] = &[
    b"=?utf-8?q?",
    b"=?UTF-8*en?B?",
    b"=?utf-8?b?",
    b"=?utf8?Q?",
    b"=?iso-8859-1?q?",
    b"=?latin1?b?",
    b"=?utf-16be?q?",
    b"=?utf-16be?b?",
    b"=?no-such?q?",
    b"=?",
    b"=?utf-8?",
    b"?=",
    b"?=",
    b"?=",
    b"?=",
    b"?= ",
    b"?= =?utf-8?b?",
    b"?=\r\n =?utf-8?q?",
    b"?= =?utf-8?b?",
    b"?==?utf-8?q?",
    b"?==?utf-16be?b?",
    b"=C3",
    b"=A9",
    b"=e2=82",
    b"=AC",
    b"=",
    b"_",
    b"?",
    b"=0A",
    b"=00=41",
    b"=D8=3D=DE=00",
    b"=F0=9F",
    b"5Lit5",
    b"paH",
    b"JQ",
    b"5L",
    b"it",
    b"w6k=",
    b"w6k",
    b"4oKs",
    b"Zg==",
    b"Q",
    b"===",
    b"/w",
    b"AEE",
    b"4g",
    b"gqw",
    b" ",
    b" ",
    b"\t",
    b"\r\n ",
    b"\n\t",
    b"\n",
    b"\r\n",
    b"\r",
    b"a",
    b"word",
    b"\xE9",
    b"\xC3\xA9",
    b"\xE2\x82",
    b"\nTo: ",
    b"\nSubject: ",
    b"\nDate: ",
    b"<",
    b">",
    b"@",
    b"\"",
    b"\\",
    b"(",
    b")",
    b":",
    b",",
];

const GAPS: &[&[u8]] = &[b"", b" ", b" ", b"\r\n ", b"\n\t", b" x ", b"@", b"\r "];

const LABELS: &[&[u8]] =
    &[b"=?utf-8?", b"=?utf-8?", b"=?utf-8*de?", b"=?latin1?", b"=?utf-16be?", b"=?none?"];

const BASE64: &[&[u8]] = &[
    b"5Lit5", b"paH", b"JQ", b"5L", b"it", b"w6k=", b"w6k", b"4oKs", b"Zg==", b"Q", b"=", b"/w",
    b"AEE", b"4g", b"gqw", b"-", b" ", b"A", b"8J+YgA", b"8J", b"+Y", b"gA",
];

const Q: &[&[u8]] = &[
    b"=C3",
    b"=A9",
    b"=e2=82",
    b"=AC",
    b"=",
    b"_",
    b"?",
    b"=0A",
    b"=00=41",
    b"=D8=3D=DE=00",
    b"=F0=9F",
    b"a",
    b"\xE2",
    b"\x82\xAC",
    b"\r\n ",
    b"b",
    b"\x1B",
    b"=E4=B8",
];

/// Any pieces one after the other.
fn pieces(random: &mut XorShift) -> Vec<u8> {
    let front: &[u8] = random.one(&[b"", b"", b"To: "]);
    [front, &random.some(12, PIECES).concat()].concat()
}

/// Words in a row.
fn words(random: &mut XorShift) -> Vec<u8> {
    let mut input = random.one::<&[u8]>(&[b"", b"Cc: <a@b> \"", b"To: "]).to_vec();
    for _ in 0..=random.below(5) {
        input.extend(random.one(LABELS));
        let base64 = random.below(3) > 0;
        input.extend(if base64 { b"b?" } else { b"Q?" });
        input.extend(random.some(3, if base64 { BASE64 } else { Q }).concat());
        input.extend(b"?=");
        input.extend(random.one(GAPS));
    }
    input
}

/// An input of either kind.
pub fn input(random: &mut XorShift, round: usize) -> Vec<u8> {
    if round.is_multiple_of(2) { pieces(random) } else { words(random) }
}

#[test]
fn the_reference_agrees_on_any_input() {
    let mut random = XorShift::new(2047);
    for round in 0..rounds() {
        let input = input(&mut random, round);
        let references =
            [("rfc2047", model::decode(&input)), ("rfc2047:strict", strict_model::decode(&input))];
        for (from, expected) in references {
            for block in [64 * 1024, 1 + round % 7] {
                let output = text(from, &input, block);
                let shown = input.escape_ascii();
                assert_eq!(output, expected, "{from} {shown} in blocks of {block}");
            }
        }
    }
}

/// The number of inputs. Use a million after a change of the rules.
fn rounds() -> usize {
    std::env::var("CHARPIPE_ROUNDS").map_or(20_000, |rounds| rounds.parse().unwrap())
}
