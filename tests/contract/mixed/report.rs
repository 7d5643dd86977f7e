//! What was decoded as what, and the positions of errors, in whole conversions.

use charpipe::internals::encoding::MixedCounts;
use charpipe::{ErrorAction, ErrorEvent, ErrorReporter, Position, TranscodeOptions};

use crate::mixed::inputs::{LISTS, long_inputs, short_inputs};

/// Records errors and counts.
#[derive(Debug, Default, PartialEq, Eq)]
struct Recorder {
    errors: Vec<Position>,
    counts: Vec<String>,
    counts_only: bool,
}

impl ErrorReporter for Recorder {
    fn wants_position(&self) -> bool {
        !self.counts_only
    }

    fn counts_only(&self) -> bool {
        self.counts_only
    }

    fn error(&mut self, error: &ErrorEvent) {
        self.errors.extend(error.position);
    }

    fn decoded_mixed(&mut self, counts: &MixedCounts) {
        self.counts.push(counts.to_string());
    }
}

/// Converts files and returns the output and what was recorded.
fn convert(options: &TranscodeOptions, files: &[&[u8]], counts_only: bool) -> (Vec<u8>, Recorder) {
    let mut transcoder = options.build().unwrap();
    let mut output = Vec::new();
    let mut recorder = Recorder { counts_only, ..Recorder::default() };
    for file in files {
        transcoder.process_reader(&mut &file[..], &mut output, &mut recorder).unwrap();
        transcoder.finish_input(&mut output, &mut recorder).unwrap();
    }
    transcoder.finish(&mut output, &mut recorder).unwrap();
    (output, recorder)
}

fn options(from: &str, to: &str) -> TranscodeOptions {
    let options = TranscodeOptions::from_labels(from, to).unwrap();
    options.on_malformed(ErrorAction::Replace(None)).on_unmappable(ErrorAction::Replace(None))
}

#[test]
fn lines_and_runs_are_counted() {
    for (from, input, expected) in [
        ("utf-8,windows-1252", &b""[..], "all as UTF-8"),
        ("utf-8,windows-1252", b"a\n\xC3\xA9", "all as UTF-8"),
        (
            "utf-8,windows-1252",
            b"a\n\xE9 \xE9\xE9\n\xC3\xA9\n\xE9",
            "3 runs in 2 lines as CP1252 (first: line 2), the rest as UTF-8",
        ),
        (
            "utf-8,windows-1252,latin1",
            b"\xE9\n\x81\n",
            "1 run in 1 line as CP1252 (first: line 1), 1 run in 1 line as ISO-8859-1 (first: line 2), \
             the rest as UTF-8",
        ),
        ("utf-8,windows-1252:per=line", b"", "0 lines as UTF-8"),
        ("utf-8,windows-1252:per=line", b"a\n\nb", "3 lines as UTF-8"),
        (
            "utf-8,windows-1252:per=line",
            b"a\n\xE9 \xE9\n\xC3\xA9\n\xE9",
            "2 lines as UTF-8, 2 as CP1252 (first: line 2)",
        ),
        (
            "utf-8,windows-1252:per=line",
            b"\xE9\n\x81\na\n\x81",
            "1 line as UTF-8, 1 as CP1252 (first: line 1), 2 invalid (first: line 2)",
        ),
        (
            "utf-7:close=always,latin1:per=line",
            b"+AOk-\n\xE9\n",
            "1 line as UTF-7:close=always, 1 as ISO-8859-1 (first: line 2)",
        ),
        (
            "utf-8,windows-1252:per=line/qp",
            b"a=E9=\nb\n=C3=A9\n",
            "1 line as UTF-8, 1 as CP1252 (first: line 1)",
        ),
    ] {
        for to in ["utf-8", "utf-16", "us-ascii", "utf-8/base64"] {
            for buffer_size in [1, 2, 7, 64, 1 << 17] {
                let options = options(from, to).buffer_size(buffer_size);
                // The counts of a file do not depend on those before it.
                let (_, recorder) = convert(&options, &[input, b"\xE9", input], false);
                let counts = [&recorder.counts[0], &recorder.counts[2]];
                assert_eq!(counts, [expected; 2], "{from} {to} {input:X?} {buffer_size}");
            }
        }
    }
}

/// Positions are found by replay, which must not depend on the buffers, and must not count anything
/// again.
#[test]
fn conversion_does_not_depend_on_the_buffers() {
    for (seed, from) in (1..).zip(LISTS).step_by(2) {
        let mut inputs = long_inputs(1, seed);
        inputs.extend(short_inputs(10, seed));
        for input in &inputs {
            for to in ["utf-8", "us-ascii"] {
                let files: [&[u8]; 2] = [input, b"caf\xE9\n"];
                let whole = convert(&options(from, to), &files, false);
                for buffer_size in [if input.len() < 100 { 1 } else { 17 }, 50, 5000] {
                    let options = options(from, to).buffer_size(buffer_size);
                    let parts = convert(&options, &files, false);
                    assert_eq!(parts, whole, "{from} {to} {input:X?} {buffer_size}");
                }
                let (output, recorder) = convert(&options(from, to), &files, true);
                assert_eq!((&output, &recorder.counts), (&whole.0, &whole.1.counts), "{from} {to}");
            }
        }
    }
}

/// The positions of unmappable characters in what was decoded from each encoding.
#[test]
fn positions_are_those_of_the_file() {
    let positions = |from: &str, input: &[u8]| {
        let (_, recorder) = convert(&options(from, "us-ascii"), &[input], false);
        recorder.errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let input = b"\xC3\xA9 \xE9\n\xE9\xE9\x81 \xE2\x82\xAC";
    assert_eq!(
        positions("utf-8,windows-1252", input),
        ["1:1: byte 0", "1:3: byte 3", "2:1: byte 5", "2:2: byte 6", "2:4: byte 9",],
    );
    assert_eq!(
        positions("utf-8,windows-1252:per=line", input),
        ["1:1: byte 0", "1:2: byte 1", "1:4: byte 3", "2:1: byte 5", "2:2: byte 6", "2:4: byte 9",],
    );
}
