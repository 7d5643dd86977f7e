//! The result of a detection does not depend on how the input is split.

use std::io::Read;

use charpipe::ErrorAction;
use charpipe::TranscodeOptions;
use charpipe::detect::{Detection, Detector};
use charpipe::{TranscodeReader, transcode};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Texts in one script and in several. Each encoding below can encode some of them.
const TEXTS: [&str; 15] = [
    "plain words ",
    "Grüße, naïve café ",
    "Всё это начало ",
    "Ελληνικά κείμενα ",
    "日本語の文。",
    "한국어 문장 ",
    "简体中文",
    "שלום לכולם ",
    "ไทย ",
    "aЖשก",
    "aЖשกβ",
    "\u{E000}\u{E001}\u{E002}",
    "慢獨捡",
    "a+b ~ {x} &c; ",
    "👍🏽 ",
];

const LINE_ENDINGS: [&str; 5] = ["\n", "\r\n", "\r", "", "\u{85}"];

/// Encodings whose detection depends more on the text than on the bytes are listed twice.
const ENCODINGS: [&str; 20] = [
    "UTF-8",
    "UTF-16",
    "UTF-16",
    "UTF-16LE",
    "UTF-16BE",
    "UTF-32",
    "UTF-32",
    "UTF-32LE",
    "UTF-32BE",
    "UTF-7",
    "CP1251",
    "CP1252",
    "KOI8-R",
    "CP10007",
    "EUC-JP",
    "Shift_JIS",
    "GB18030",
    "EUC-KR",
    "ISO-2022-JP",
    "HZ",
];

const BYTE_ORDER_MARKS: [&[u8]; 5] = [b"", b"", b"\xFF\xFE", b"\xFE\xFF", b"\xEF\xBB\xBF"];

/// Bytes that are malformed in some of the encodings, or change the detection of others.
const NOISE: [&[u8]; 7] = [b"", b"", b"", b"\0\xD8", b"\0\0\x11\0", b"\xFF", b"\x1B$B!!\x1B(B\0"];

/// Text lengths around the limits of the detector, and beyond its sample of legacy bytes.
const LENGTHS: [usize; 8] = [3, 100, 4000, 4096, 4200, 9000, 70_000, 300_000];

fn text() -> impl Strategy<Value = String> {
    let line = (vec(select(&TEXTS[..]), 0..3), select(&LINE_ENDINGS[..]));
    (vec(line, 1..3), select(&LENGTHS[..])).prop_map(|(lines, length)| {
        let mut once = String::new();
        for (words, end) in lines {
            once.push_str(&words.concat());
            once.push_str(end);
        }
        let times = length / once.len().max(1) + 1;
        // The end differs from the rest, as in a concatenated file.
        once.repeat(times) + "\r\nthe end\n"
    })
}

/// Generates text in an encoding, with or without a BOM, with noise inserted.
fn input() -> impl Strategy<Value = Vec<u8>> {
    (
        text(),
        select(&ENCODINGS[..]),
        select(&BYTE_ORDER_MARKS[..]),
        select(&NOISE[..]),
        any::<prop::sample::Index>(),
    )
        .prop_map(|(text, encoding, bom, noise, at)| {
            let bytes = encode(&text, encoding);
            let at = at.index(bytes.len() + 1);
            [bom, &bytes[..at], noise, &bytes[at..]].concat()
        })
}

/// Encodes a text without its unmappable characters.
fn encode(text: &str, to: &str) -> Vec<u8> {
    let mut options = TranscodeOptions::from_labels("UTF-8", to).unwrap();
    options.error_policy.unmappable = ErrorAction::Skip;
    let mut bytes = Vec::new();
    TranscodeReader::new(text.as_bytes(), &options).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

fn detect<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Detection {
    let mut detector = Detector::new();
    for piece in pieces {
        detector.feed(piece);
        if detector.is_done() {
            break;
        }
    }
    detector.finish()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_split_gives_the_same_detection(
        bytes in input(),
        cuts in vec(any::<prop::sample::Index>(), 0..12),
        size in select(&[1usize, 2, 3, 7, 4095, 4096, 4097, 16_384, 65_536][..]),
    ) {
        let whole = detect(std::iter::once(&bytes[..]));
        // Small pieces only up to the length at which the detection is final.
        let prefix_len = bytes.len().min(20_000.max(size));
        let pieces = bytes[..prefix_len].chunks(size).chain(std::iter::once(&bytes[prefix_len..]));
        prop_assert_eq!(&detect(pieces), &whole, "pieces of {}", size);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        cuts.push(bytes.len());
        let mut from = 0;
        let pieces = cuts.iter().map(|to| &bytes[std::mem::replace(&mut from, *to)..*to]);
        prop_assert_eq!(&detect(pieces), &whole, "cut at {:?}", cuts);
    }
}

#[test]
fn line_endings_after_4096_mixed_characters_are_counted() {
    let text = "aЖשกaЖשก\n".repeat(2000) + "end\r\n";
    for encoding in ["UTF-16", "UTF-32"] {
        let bytes = transcode("UTF-8", encoding, text.as_bytes()).unwrap();
        for size in [1, 4096, 16_384, 65_536, bytes.len()] {
            let found = detect(bytes.chunks(size));
            assert_eq!(found.line_endings.to_string(), "mixed", "{encoding} in pieces of {size}");
        }
    }
}

#[test]
fn line_endings_after_malformed_bytes_are_counted() {
    let bytes = b"\xFF\xFEa\0\n\0\0\xDCb\0\r\0\n\0";
    for size in 1..=bytes.len() {
        let found = detect(bytes.chunks(size));
        assert_eq!(found.line_endings.to_string(), "mixed", "pieces of {size}");
        assert_eq!(found.best().unwrap().encoding.name(), "UTF-16");
    }
}
