//! Errors, their positions and their order do not depend on how the input is cut into reads, also where
//! transforms of bytes come before the decoder or after the encoder.
//!
//! With transforms of bytes a position is that of the byte in the lines of the file, which the test
//! counts itself.

use charpipe::TranscodeOptions;
use charpipe::internals::conversion_error::{ErrorKind, Position};

use crate::conversion::driver::{
    ConversionOutcome, conversion_options, run_conversion, run_cut_conversion,
};
use charpipe_test_support::XorShift;

/// Sources with transforms of bytes.
const SOURCES: [&str; 21] = [
    "utf-8/base64",
    "utf-8/base64:lenient",
    "utf-8/quoted-printable",
    "utf-8/uuencode",
    "utf-8/hex",
    "utf-8/percent",
    "utf-8/crlf/base64",
    "utf-8/html/base64",
    "utf-8/base64/crlf",
    "utf-8/html/hex/lf",
    "utf-8/base64/html",
    "utf-8/quoted-printable/base64",
    "utf-8/percent/hex",
    "utf-8/base64/html/quoted-printable",
    "utf-16le/base64",
    "utf-16/hex",
    "utf-7/quoted-printable",
    "iso-2022-jp/base64",
    "gb18030/percent",
    "shift_jis/hex",
    "utf-8/java/base64/html/crlf",
];

const TARGETS: [&str; 10] = [
    "utf-8",
    "ascii",
    "latin1",
    "big5-hkscs",
    "iso-2022-jp",
    "euc-jisx0213",
    "ascii/base64",
    "ascii/crlf",
    "latin1/html/quoted-printable",
    "ascii/hex/crlf",
];

const VIAS: [&str; 8] =
    ["", "", "", "nfc", "html:decode", "latin1", "utf-16le/base64", "euc-jisx0213/percent"];

const ACTIONS: [&str; 5] = ["skip", "replace", "replace=?!", "backslash", "stop"];

/// Texts that are encoded as the source to make inputs of it.
const TEXTS: [&str; 16] = [
    "a",
    "bc",
    "é",
    "€",
    "\u{304B}",
    "\u{309A}",
    "\u{1F600}",
    "&amp;",
    "&#xE9;",
    "&bogus",
    "\\u00e9",
    "=",
    "%41",
    "\n",
    "\r\n",
    "e\u{301}",
];

/// Bytes that are inserted anywhere.
const NOISE: [&[u8]; 14] = [
    b"\n", b"\r\n", b"\r", b" ", b"=", b"*", b"\xFF", b"%", b"&", b"=\n", b"Z", b"\\", b"=3D", b"~",
];

/// Returns an input of the source: text in it, with bytes inserted, replaced and dropped.
fn input(random: &mut XorShift, source: &str) -> Vec<u8> {
    let mut options = conversion_options("utf-8", source, "skip", "skip");
    options.fast_paths = random.below(2) == 0;
    let text: String = (0..random.below(12)).map(|_| TEXTS[random.below(TEXTS.len())]).collect();
    let mut bytes = match random.below(6) {
        0 => text.into_bytes(),
        // Malformed bytes of the innermost encoding, in valid transforms.
        1 => {
            let transforms = source.split_once('/').map_or("", |(_, transforms)| transforms);
            let label = format!("latin1/{transforms}");
            let mut raw = text.into_bytes();
            raw.insert(random.below(raw.len() + 1), 0xFF);
            run_conversion(&conversion_options("latin1", &label, "skip", "skip"), &[&raw]).output
        }
        _ => run_conversion(&options, &[text.as_bytes()]).output,
    };
    for _ in 0..random.below(6) {
        let at = random.below(bytes.len() + 1);
        match random.below(4) {
            0 if at < bytes.len() => drop(bytes.remove(at)),
            _ => drop(bytes.splice(at..at, NOISE[random.below(NOISE.len())].iter().copied())),
        }
    }
    bytes
}

/// Returns the position of the byte at `offset` of a file.
fn position_in(file: &[u8], offset: u64) -> Position {
    let before = &file[..offset as usize];
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
    Position { offset, line, column: 1 + (before.len() - start) as u64 }
}

fn random_cuts(random: &mut XorShift, len: usize) -> Vec<usize> {
    let mut cuts: Vec<usize> = (0..random.below(6)).map(|_| random.below(len + 1)).collect();
    cuts.sort_unstable();
    cuts
}

/// Converts with several sizes of buffers and reads. All must agree.
fn run_with_cuts(
    options: &mut TranscodeOptions,
    input: &[u8],
    random: &mut XorShift,
    case: &str,
) -> ConversionOutcome {
    let whole = run_conversion(options, &[input]);
    for buffer_size in [1, 2, 3, 7, 1000] {
        options.buffer_size = buffer_size;
        let outcome = run_conversion(options, &[input]);
        assert_eq!(outcome, whole, "buffers of {buffer_size}: {case}");
    }
    for _ in 0..6 {
        let cuts = random_cuts(random, input.len());
        assert_eq!(run_cut_conversion(options, input, &cuts), whole, "cuts {cuts:?}: {case}");
    }
    whole
}

#[test]
fn character_split_between_reads_is_in_the_line_of_its_first_byte() {
    // RFC 4648: C3 ends with the digit at byte 1 and the first bits of A2 precede the line ending.
    let mut options = conversion_options("utf-8/base64", "ascii", "stop", "skip");
    let outcome =
        run_with_cuts(&mut options, b"w6\nK=", &mut XorShift::new(1), "split by a line ending");
    assert_eq!(outcome.errors[0].kind, ErrorKind::Unmappable('\u{E2}'));
    assert_eq!(outcome.errors[0].position, Some(Position { offset: 1, line: 1, column: 2 }));
}

#[test]
fn positions_through_transforms_of_bytes_do_not_depend_on_cuts() {
    let mut random = XorShift::new(29);
    let mut found = 0;
    for _ in 0..100 {
        let source = SOURCES[random.below(SOURCES.len())];
        let target = TARGETS[random.below(TARGETS.len())];
        let via = VIAS[random.below(VIAS.len())];
        let (malformed, unmappable) = (ACTIONS[random.below(5)], ACTIONS[random.below(5)]);
        let input = input(&mut random, source);
        let mut options = conversion_options(source, target, malformed, unmappable);
        if !via.is_empty() {
            options = options.via(via.parse().unwrap());
        }
        let case = format!(
            "{source} via {via:?} to {target} {malformed} {unmappable} b\"{}\"",
            input.escape_ascii()
        );
        if options.build().is_err() {
            continue;
        }
        let outcome = run_with_cuts(&mut options, &input, &mut random, &case);
        let positions = outcome.errors.iter().map(|error| error.position.unwrap());
        let positions: Vec<Position> = positions.collect();
        for position in &positions {
            assert_eq!(*position, position_in(&input, position.offset), "{case}");
        }
        // Bytes that belong together in the next transform or encoding remain together if bytes between them are
        // malformed. The text that replaces those comes first, and so may errors in other steps after it.
        let is_in_order = malformed == "skip" || malformed == "stop";
        let is_sorted = positions.is_sorted_by_key(|position| position.offset);
        assert!(is_sorted || !is_in_order, "{positions:?} {case}");
        found += positions.len();
    }
    assert!(found > 200, "{found}");
}
