use std::collections::{HashMap, HashSet};

use crate::conversion_error::MalformedReason::{
    InvalidLeadByte, MissingTrailByte, Overlong, Truncated, UnpairedSurrogate,
};
use crate::encoding::testing::{
    Decoded, Error, decode, decode_every_way, encode, encode_every_way,
};

/// Bytes that both encodings decode alike, text with U+FFFD for each error, the errors.
const DECODING: &[(&[u8], &str, &[Error])] = &[
    (b"", "", &[]),
    (b"A\x7F\xC2\x80\xDF\xBF", "A\u{7F}\u{80}\u{7FF}", &[]),
    (b"\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80", "\u{800}\u{D7FF}\u{E000}", &[]),
    (b"\xEF\xBB\xBF\xEF\xBF\xBE\xEF\xBF\xBF", "\u{FEFF}\u{FFFE}\u{FFFF}", &[]),
    // UTR #26, section 2.1: U+10400 is D801 DC00.
    (b"\xED\xA0\x81\xED\xB0\x80", "\u{10400}", &[]),
    (b"\xED\xA0\x80\xED\xB0\x80\xED\xAF\xBF\xED\xBF\xBF", "\u{10000}\u{10FFFF}", &[]),
    // The form of 4 bytes.
    (
        b"\xF0\x90\x90\x80",
        "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
        &[
            (0, 1, InvalidLeadByte),
            (1, 1, InvalidLeadByte),
            (2, 1, InvalidLeadByte),
            (3, 1, InvalidLeadByte),
        ],
    ),
    (b"\xF0A", "\u{FFFD}A", &[(0, 1, InvalidLeadByte)]),
    (b"\xFF", "\u{FFFD}", &[(0, 1, InvalidLeadByte)]),
    (b"\x80A", "\u{FFFD}A", &[(0, 1, InvalidLeadByte)]),
    // Lone surrogates.
    (b"\xED\xB0\x80A", "\u{FFFD}A", &[(0, 3, UnpairedSurrogate)]),
    (b"\xED\xA0\x80A", "\u{FFFD}A", &[(0, 3, UnpairedSurrogate)]),
    (b"\xED\xA0\x80\xED\x9F\xBF", "\u{FFFD}\u{D7FF}", &[(0, 3, UnpairedSurrogate)]),
    (b"\xED\xA0\x80\xED\xA0\x80\xED\xB0\x80", "\u{FFFD}\u{10000}", &[(0, 3, UnpairedSurrogate)]),
    (
        b"\xED\xA0\x80\xEDA",
        "\u{FFFD}\u{FFFD}A",
        &[(0, 3, UnpairedSurrogate), (3, 1, MissingTrailByte)],
    ),
    (
        b"\xED\xA0\x80\xED\xB0A",
        "\u{FFFD}\u{FFFD}A",
        &[(0, 3, UnpairedSurrogate), (3, 2, MissingTrailByte)],
    ),
    // Overlong forms, and leads without what they call for.
    (b"\xC1\x81", "\u{FFFD}\u{FFFD}", &[(0, 1, Overlong), (1, 1, InvalidLeadByte)]),
    (
        b"\xE0\x80\x80",
        "\u{FFFD}\u{FFFD}\u{FFFD}",
        &[(0, 1, Overlong), (1, 1, InvalidLeadByte), (2, 1, InvalidLeadByte)],
    ),
    (b"\xC3A", "\u{FFFD}A", &[(0, 1, MissingTrailByte)]),
    (b"\xE1A", "\u{FFFD}A", &[(0, 1, MissingTrailByte)]),
    (b"\xE1\x80A", "\u{FFFD}A", &[(0, 2, MissingTrailByte)]),
    // Input that ends inside a character: all that is there of it.
    (b"A\xC3", "A\u{FFFD}", &[(1, 1, Truncated)]),
    (b"\xE1\x80", "\u{FFFD}", &[(0, 2, Truncated)]),
    (b"\xED\xA0", "\u{FFFD}", &[(0, 2, Truncated)]),
    (b"\xED\xA0\x80", "\u{FFFD}", &[(0, 3, Truncated)]),
    (b"\xED\xA0\x80\xED", "\u{FFFD}", &[(0, 4, Truncated)]),
    (b"\xED\xA0\x80\xED\xB0", "\u{FFFD}", &[(0, 5, Truncated)]),
    (b"\xED\xA0\x80\xED\xA0", "\u{FFFD}\u{FFFD}", &[(0, 3, UnpairedSurrogate), (3, 2, Truncated)]),
    (b"\xED\xA0\x80\xC3", "\u{FFFD}\u{FFFD}", &[(0, 3, UnpairedSurrogate), (3, 1, Truncated)]),
];

/// What the two encodings have different.
const NUL: &[(&str, &[u8], &str, &[Error])] = &[
    ("CESU-8", b"a\0b", "a\0b", &[]),
    ("CESU-8", b"\xC0\x80", "\u{FFFD}\u{FFFD}", &[(0, 1, Overlong), (1, 1, InvalidLeadByte)]),
    ("CESU-8", b"\xC0", "\u{FFFD}", &[(0, 1, Overlong)]),
    ("MUTF-8", b"a\xC0\x80b", "a\0b", &[]),
    ("MUTF-8", b"a\0b", "a\u{FFFD}b", &[(1, 1, InvalidLeadByte)]),
    ("MUTF-8", b"\xC0\x81", "\u{FFFD}\u{FFFD}", &[(0, 1, Overlong), (1, 1, InvalidLeadByte)]),
    ("MUTF-8", b"\xC0A", "\u{FFFD}A", &[(0, 1, MissingTrailByte)]),
    ("MUTF-8", b"\xC0", "\u{FFFD}", &[(0, 1, Truncated)]),
];

#[test]
fn decodes_per_spec_at_every_split_and_buffer_size() {
    for (bytes, text, errors) in DECODING {
        for name in ["CESU-8", "MUTF-8"] {
            let decoded = decode_every_way(name, bytes);
            assert_eq!(decoded, ((*text).to_owned(), errors.to_vec()), "{name} {bytes:02X?}");
        }
    }
    for (name, bytes, text, failures) in NUL {
        let decoded = decode_every_way(name, bytes);
        assert_eq!(decoded, ((*text).to_owned(), failures.to_vec()), "{name} {bytes:02X?}");
    }
}

#[test]
fn encodes_per_spec_at_every_split_and_buffer_size() {
    for (name, text, bytes) in [
        ("CESU-8", "", b"".as_slice()),
        ("CESU-8", "a\0b", b"a\0b"),
        ("MUTF-8", "a\0b", b"a\xC0\x80b"),
        ("MUTF-8", "\0\0", b"\xC0\x80\xC0\x80"),
        ("CESU-8", "\u{10400}", b"\xED\xA0\x81\xED\xB0\x80"),
        ("MUTF-8", "é\u{10FFFF}€", b"\xC3\xA9\xED\xAF\xBF\xED\xBF\xBF\xE2\x82\xAC"),
    ] {
        assert_eq!(encode_every_way(name, text), (bytes.to_vec(), vec![]), "{name} {text:?}");
    }
}

/// All forms of one unit, and all that one of them begins with.
struct Cesu8Reference {
    units: HashMap<Vec<u8>, u16>,
    prefixes: HashSet<Vec<u8>>,
}

impl Cesu8Reference {
    /// The table of RFC 3629 section 3, up to FFFF and with the surrogates in it.
    fn new(modified: bool) -> Cesu8Reference {
        let (mut units, mut beginnings) = (HashMap::new(), HashSet::new());
        for unit in 0..=u16::MAX {
            let [low, middle, high] = [unit & 0x3F, unit >> 6 & 0x3F, unit >> 12].map(|b| b as u8);
            let form = match unit {
                0 if modified => vec![0xC0, 0x80],
                0..=0x7F => vec![unit as u8],
                0x80..=0x7FF => vec![0xC0 | (unit >> 6) as u8, 0x80 | low],
                _ => vec![0xE0 | high, 0x80 | middle, 0x80 | low],
            };
            beginnings.extend((1..form.len()).map(|len| form[..len].to_vec()));
            units.insert(form, unit);
        }
        Cesu8Reference { units, prefixes: beginnings }
    }

    fn read_unit(&self, src: &[u8]) -> Option<(u16, usize)> {
        (1..=3.min(src.len())).find_map(|len| self.units.get(&src[..len]).map(|unit| (*unit, len)))
    }

    /// Whether more bytes could make a low surrogate of these.
    fn could_start_low_surrogate(&self, src: &[u8]) -> bool {
        matches!(src, [] | [0xED] | [0xED, 0xB0..=0xBF])
    }

    /// Decodes by looking forms up; says text, and the position of each error and whether it is a cut.
    fn decode(&self, src: &[u8]) -> (String, Vec<(usize, usize, bool)>) {
        let (mut text, mut errors, mut at) = (String::new(), Vec::new(), 0);
        while at < src.len() {
            let rest = &src[at..];
            let (len, cut) = match self.read_unit(rest) {
                Some((unit @ 0xD800..=0xDBFF, 3)) => match self.read_unit(&rest[3..]) {
                    Some((low @ 0xDC00..=0xDFFF, 3)) => {
                        text.push_str(&String::from_utf16(&[unit, low]).unwrap());
                        at += 6;
                        continue;
                    }
                    _ if self.could_start_low_surrogate(&rest[3..]) => (rest.len(), true),
                    _ => (3, false),
                },
                Some((0xDC00..=0xDFFF, _)) => (3, false),
                Some((unit, len)) => {
                    text.push_str(&String::from_utf16(&[unit]).unwrap());
                    at += len;
                    continue;
                }
                None if self.prefixes.contains(rest) => (rest.len(), true),
                None => {
                    let longest = (1..=rest.len().min(2)).rev();
                    let mut longest = longest.filter(|len| self.prefixes.contains(&rest[..*len]));
                    (longest.next().unwrap_or(1), false)
                }
            };
            text.push('\u{FFFD}');
            errors.push((at, len, cut));
            at += len;
        }
        (text, errors)
    }
}

fn strip_reasons((text, errors): Decoded) -> (String, Vec<(usize, usize, bool)>) {
    (text, errors.into_iter().map(|(at, len, reason)| (at, len, reason == Truncated)).collect())
}

/// All words of `len` letters.
fn all_sequences(letters: &[u8], len: u32) -> impl Iterator<Item = Vec<u8>> + '_ {
    (0..letters.len().pow(len)).map(move |number| {
        (0..len).map(|digit| letters[number / letters.len().pow(digit) % letters.len()]).collect()
    })
}

#[test]
fn short_inputs_match_reference_table() {
    let all: Vec<u8> = (0..=0xFF).collect();
    let edge_bytes = [0x00, 0x41, 0x80, 0x9F, 0xA0, 0xB0, 0xC0, 0xC1, 0xC2, 0xE0, 0xED, 0xEF, 0xF0];
    let pairs = [0x41, 0x80, 0xA0, 0xBF, 0xED];
    for name in ["CESU-8", "MUTF-8"] {
        let reference = Cesu8Reference::new(name == "MUTF-8");
        let inputs = all_sequences(&all, 2).chain(all_sequences(&edge_bytes, 4));
        for bytes in inputs.chain(all_sequences(&pairs, 6)) {
            let decoded = strip_reasons(decode(name, &bytes));
            assert_eq!(decoded, reference.decode(&bytes), "{name} {bytes:02X?}");
        }
    }
}

#[test]
fn errors_and_pairs_are_found_anywhere_in_long_runs() {
    let odd: &[&[u8]] = &[
        b"",
        b"\0",
        b"\xC0\x80",
        b"\xED\x9F\xBF",
        b"\xED\xA0\x80",
        b"\xED\xA0\x81\xED\xB0\x80",
        b"\xF0\x90\x90\x80",
        b"\xE2\x82",
        b"\x80",
    ];
    for name in ["CESU-8", "MUTF-8"] {
        let reference = Cesu8Reference::new(name == "MUTF-8");
        for (before, after) in (0..140).chain(1000..1060).flat_map(|len| [(len, 0), (len, 70)]) {
            for (odd, letters) in odd.iter().flat_map(|odd| [(odd, "a€é"), (odd, "a")]) {
                let run = |len: usize| letters.bytes().cycle().take(len);
                let bytes: Vec<u8> =
                    run(before).chain(odd.iter().copied()).chain(run(after)).collect();
                let decoded = strip_reasons(decode(name, &bytes));
                assert_eq!(decoded, reference.decode(&bytes), "{name} {before} {odd:02X?} {after}");
            }
        }
    }
    let long = "a€é".repeat(12).into_bytes();
    let raw_bytes =
        [&long, b"\xED\xA0\x81\xED\xB0\x80".as_slice(), &long, b"\xE2A", &long].concat();
    let (text, errors) = decode_every_way("CESU-8", &raw_bytes);
    let run = "a€é".repeat(12);
    assert_eq!(text, format!("{run}\u{10400}{run}\u{FFFD}A{run}"));
    assert_eq!(errors, [(150, 1, MissingTrailByte)]);
    assert_eq!(encode_every_way("CESU-8", &format!("{run}\u{10400}{run}")).0, raw_bytes[..150]);
}

#[test]
fn every_scalar_value_round_trips() {
    let all: String = ('\0'..=char::MAX).collect();
    for name in ["CESU-8", "MUTF-8"] {
        let (bytes, errors) = encode(name, &all);
        assert!(errors.is_empty());
        assert_eq!(bytes.contains(&0), name == "CESU-8");
        assert!(decode(name, &bytes) == (all.clone(), vec![]), "{name}");
    }
}
