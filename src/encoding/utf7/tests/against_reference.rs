//! The codecs against their reference implementations.

use super::reference::{REFERENCE_IMAP, REFERENCE_UTF_7};
use crate::encoding::testing::{decode, decode_every_way, encode, encode_every_way};

/// Calls `each` with every row of `symbols` up to a length.
fn for_each_sequence<T: Copy>(symbols: &[T], longest: usize, each: &mut dyn FnMut(&[T])) {
    fn extend<T: Copy>(row: &mut Vec<T>, from: (&[T], usize), each: &mut dyn FnMut(&[T])) {
        each(row);
        if row.len() < from.1 {
            for symbol in from.0 {
                row.push(*symbol);
                extend(row, from, each);
                row.pop();
            }
        }
    }
    extend(&mut Vec::new(), (symbols, longest), each);
}

#[test]
fn decoder_matches_reference_on_all_short_inputs() {
    for (form, symbols) in [
        (REFERENCE_UTF_7, b"+-AQo2/\\~\x80\xC3 ".as_slice()),
        (REFERENCE_IMAP, b"&-AQo2,/!\x80\xC3 "),
    ] {
        for_each_sequence(symbols, 5, &mut |src| {
            let walk = if src.len() <= 3 { decode_every_way } else { decode };
            assert_eq!(walk(form.label, src), form.decode(src), "{src:?}");
        });
    }
}

#[test]
fn decoder_matches_reference_on_runs_and_their_ends() {
    let units = [0x41, 0xE9, 0x263A, 0xDBFF, 0xDC00];
    for form in [REFERENCE_UTF_7, REFERENCE_IMAP] {
        for_each_sequence(&units, 4, &mut |units| {
            let run = form.encode_base64(units);
            for extra in ["", "A", "B", "3A", "AAA"] {
                for end in ["", "-", "-.", ".", "-+-", "-&-", "-+AOk", "-&AOk-", "\u{80}"] {
                    let src = format!("{}{run}{extra}{end}", char::from(form.shift)).into_bytes();
                    let walk = if units.len() <= 2 { decode_every_way } else { decode };
                    let decoded = walk(form.label, &src);
                    assert_eq!(decoded, form.decode(&src), "{:?}", String::from_utf8_lossy(&src));
                }
            }
            // A bit set in the padding.
            let mut src = [&[form.shift], run.as_bytes(), b"-"].concat();
            let last = src.len() - 2;
            if let Some(digit) = form.digit_value(src[last]).filter(|_| units.len() % 3 != 0) {
                src[last] = form.digits.as_bytes()[digit | 1];
                assert_eq!(decode(form.label, &src), form.decode(&src), "{src:?}");
            }
        });
    }
}

#[test]
fn long_runs_match_reference_at_every_position() {
    for form in [REFERENCE_UTF_7, REFERENCE_IMAP] {
        for odd in [0x41, 0xE9, 0xD83D, 0xDE00] {
            for index in 0..20 {
                let mut units = [0x263A; 20];
                units[index] = odd;
                let src = format!("{}{}-", char::from(form.shift), form.encode_base64(&units));
                let decoded = decode_every_way(form.label, src.as_bytes());
                assert_eq!(decoded, form.decode(src.as_bytes()), "{src}");
            }
        }
    }
}

#[test]
fn encoder_matches_reference_on_all_short_texts() {
    for form in [REFERENCE_UTF_7, REFERENCE_IMAP] {
        for_each_sequence(
            &['a', '-', '+', '/', '.', '&', '~', '\n', '\u{E9}', '\u{1F600}'],
            5,
            &mut |row| {
                let text: String = row.iter().collect();
                let walk = if row.len() <= 3 { encode_every_way } else { encode };
                let encoded = walk(form.label, &text).0;
                assert_eq!(encoded, form.encode(&text).as_bytes(), "{text:?}");
            },
        );
    }
}

#[test]
fn long_texts_match_reference_at_every_position() {
    for form in [REFERENCE_UTF_7, REFERENCE_IMAP] {
        for odd in ['a', '+', '&', '.', '~', '\u{E9}', '\u{FFFF}', '\u{1F600}'] {
            for index in 0..20 {
                let mut characters = ['\u{263A}'; 20];
                characters[index] = odd;
                let text: String = characters.iter().collect();
                let encoded = encode_every_way(form.label, &text).0;
                assert_eq!(encoded, form.encode(&text).as_bytes(), "{text:?}");
            }
        }
    }
}

/// Numbers by chance, the same ones each time: each below what is requested.
fn random_numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut number = seed;
    move |below| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (number >> 33) as usize % below
    }
}

#[test]
fn decoder_matches_reference_on_long_inputs() {
    const UNITS: [&[u16]; 6] = [
        &[0x416, 0xE9, 0x7FF],
        &[0x4E2D, 0x263A, 0xFFFF],
        &[0xD83D, 0xDE00],
        &[0xD83D, 0xDE00, 0xD83D, 0xDE00, 0x2D, 0x41],
        &[0xD800, 0xDFFF, 0x416],
        &[0x41, 0x22, 0x416],
    ];
    const OTHERS: [&str; 12] =
        ["", "-", " ", "+", "&", "+-", "&-", "A", "word and word", "\u{7F}", "-+", "/"];
    for form in [REFERENCE_UTF_7, REFERENCE_IMAP] {
        for seed in 0..300 {
            let mut below = random_numbers(seed);
            // Most inputs are good for the most part, so that loops have some way to go.
            let (sorts, others) = if seed % 3 == 0 { (6, OTHERS.len()) } else { (3, 3) };
            let mut src = String::new();
            while src.len() < 400 {
                let sort = UNITS[below(sorts)];
                let longest = [2, 8, 40][below(3)];
                let units: Vec<u16> =
                    sort.iter().copied().cycle().take(1 + below(longest)).collect();
                let end = if below(20) < 19 { "-" } else { "" };
                src += &format!("{}{}{end}", char::from(form.shift), form.encode_base64(&units));
                src += OTHERS[below(others)];
                src += &"direct ".repeat(below(6));
            }
            assert_eq!(decode(form.label, src.as_bytes()), form.decode(src.as_bytes()), "{src}");
        }
    }
}

#[test]
fn encoder_matches_reference_on_long_texts() {
    const SORTS: [&str; 9] =
        ["aA9/", "-", "+", "&", "~\"=\0", "éж\u{7FF}", "中☺\u{FFFF}", "😀", "é中😀+\""];
    for form in [REFERENCE_UTF_7, REFERENCE_IMAP] {
        for seed in 0..300 {
            let mut below = random_numbers(seed);
            let mut text = String::new();
            while text.len() < 400 {
                let sort: Vec<char> = SORTS[below(SORTS.len())].chars().collect();
                for _ in 0..=below([2, 8, 40][seed as usize % 3]) {
                    text.push(sort[below(sort.len())]);
                }
                text += ["", " ", "word"][below(3)];
            }
            let encoded = encode(form.label, &text).0;
            assert_eq!(encoded, form.encode(&text).as_bytes(), "{text:?}");
        }
    }
}
