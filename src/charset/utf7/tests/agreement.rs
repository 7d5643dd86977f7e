//! The codecs against their slow twins.

use super::driver::{decode, decode_every_way, decoder, encode, encoder};
use super::twin::{MAILBOX, PLAIN};

/// Calls `each` with every row of `symbols` up to a length.
fn every_row<T: Copy>(symbols: &[T], longest: usize, each: &mut dyn FnMut(&[T])) {
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
fn the_decoder_agrees_with_its_twin_on_all_short_inputs() {
    for (form, symbols) in
        [(PLAIN, b"+-AQo2/\\~\x80\xC3 ".as_slice()), (MAILBOX, b"&-AQo2,/!\x80\xC3 ")]
    {
        let mut decoder = decoder(form.charset, "");
        every_row(symbols, 5, &mut |src| {
            let expected = form.decode(src);
            assert_eq!(decode(&mut *decoder, src, &[], 64), expected, "{src:?}");
            if src.len() <= 4 {
                assert_eq!(decode_every_way(&mut *decoder, src, 6), expected, "{src:?}");
            }
        });
    }
}

#[test]
fn the_decoder_agrees_with_its_twin_on_runs_of_all_kinds_and_their_ends() {
    let units = [0x41, 0xE9, 0x263A, 0xDBFF, 0xDC00];
    for form in [PLAIN, MAILBOX] {
        let mut decoder = decoder(form.charset, "");
        every_row(&units, 4, &mut |units| {
            let run = form.base64(units);
            for extra in ["", "A", "B", "3A", "AAA"] {
                for end in ["", "-", "-.", ".", "-+-", "-&-", "-+AOk", "-&AOk-", "\u{80}"] {
                    let src = format!("{}{run}{extra}{end}", char::from(form.shift)).into_bytes();
                    let decoded = match units.len() {
                        0..=2 => decode_every_way(&mut *decoder, &src, 6),
                        _ => decode(&mut *decoder, &src, &[src.len() / 2], 64),
                    };
                    assert_eq!(decoded, form.decode(&src), "{:?}", String::from_utf8_lossy(&src));
                }
            }
            // A bit set in the padding.
            let mut src = [&[form.shift], run.as_bytes(), b"-"].concat();
            let last = src.len() - 2;
            if let Some(digit) = form.digit(src[last]).filter(|_| units.len() % 3 != 0) {
                src[last] = form.digits.as_bytes()[digit | 1];
                assert_eq!(decode(&mut *decoder, &src, &[], 64), form.decode(&src), "{src:?}");
            }
        });
    }
}

#[test]
fn long_runs_agree_with_the_twin_wherever_the_odd_character_stands() {
    for form in [PLAIN, MAILBOX] {
        let mut decoder = decoder(form.charset, "");
        for odd in [0x41, 0xE9, 0xD83D, 0xDE00] {
            for index in 0..20 {
                let mut units = [0x263A; 20];
                units[index] = odd;
                let src = format!("{}{}-", char::from(form.shift), form.base64(&units));
                let expected = form.decode(src.as_bytes());
                for room in 6..40 {
                    let decoded = decode(&mut *decoder, src.as_bytes(), &[index], room);
                    assert_eq!(decoded, expected, "{src} room {room}");
                }
            }
        }
    }
}

#[test]
fn the_encoder_agrees_with_its_twin_on_all_short_texts() {
    for form in [PLAIN, MAILBOX] {
        let mut encoder = encoder(form.charset, "");
        every_row(
            &['a', '-', '+', '/', '.', '&', '~', '\n', '\u{E9}', '\u{1F600}'],
            5,
            &mut |row| {
                let text: String = row.iter().collect();
                let cut = text.floor_char_boundary(text.len() / 2);
                let encoded = encode(&mut *encoder, &text, cut, 6);
                assert_eq!(String::from_utf8(encoded).unwrap(), form.encode(&text), "{text:?}");
            },
        );
    }
}

#[test]
fn long_texts_agree_with_the_twin_wherever_the_odd_character_stands() {
    for form in [PLAIN, MAILBOX] {
        let mut encoder = encoder(form.charset, "");
        for odd in ['a', '+', '&', '.', '~', '\u{E9}', '\u{FFFF}', '\u{1F600}'] {
            for index in 0..20 {
                let mut characters = ['\u{263A}'; 20];
                characters[index] = odd;
                let text: String = characters.iter().collect();
                let cut = text.floor_char_boundary(3 * index);
                for room in 6..40 {
                    let encoded = encode(&mut *encoder, &text, cut, room);
                    assert_eq!(String::from_utf8(encoded).unwrap(), form.encode(&text), "{room}");
                }
            }
        }
    }
}
