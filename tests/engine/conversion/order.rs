//! Errors are reported in the order of their positions, each position once, also where an encoder
//! with lookahead meets a character long after the decoder has met malformed bytes that follow it.

use charpipe::ErrorReporter;
use charpipe::TranscodeOptions;
use charpipe::internals::conversion_error::{ErrorEvent, ErrorKind};
use charpipe::internals::transcode::ChainStep;
use charpipe::internals::transform::Direction;

use crate::conversion::driver::{
    ConversionOutcome, conversion_options, feed_files, run_conversion,
};
use charpipe_test_support::XorShift;

const BUFFER_SIZES: [usize; 5] = [1, 2, 7, 100, 4096];

/// Encodings of the input; the last ones have valid UTF-8 among their malformed sequences.
const SOURCES: [&str; 8] =
    ["utf-8", "rfc2047", "rfc2047:strict", "ascii", "gb18030", "utf-16be", "utf-7", "euc-jp"];

/// Encodings of the output, most of them with lookahead.
const TARGETS: [&str; 8] = [
    "rfc2047",
    "rfc2047:iso-8859-1",
    "rfc2047:iso-8859-1,strict",
    "ascii",
    "iso-8859-1",
    "big5-hkscs",
    "tcvn",
    "iso-2022-jp",
];

const ACTIONS: [&str; 9] =
    ["replace", "replace=é", "replace=?!", "skip", "keep", "backslash", "xml", "translit", "stop"];

/// Pieces of header fields, with malformed bytes and with characters that have no position there.
const PIECES: [&[u8]; 30] = [
    b"Received: ",
    b"Message-ID: <",
    b"From: a <",
    b"To: \"",
    b"Subject: ",
    b"\n",
    b"\r\n",
    b"\n ",
    b" ",
    b"=?utf-8?Q?=E2?=",
    b"=?utf-8?Q?=C3=A9=FF?=",
    b"=?utf-8?B?4pi6/w==?=",
    b"=?utf-8?Q?1+1=?=",
    b"=?iso-2022-jp?B?GyRCJCI=?=",
    b"=?x?=",
    b"> ",
    b"@example.org",
    b"\"",
    b"(",
    "\u{3BB}".as_bytes(),
    "é".as_bytes(),
    "\u{20AC}".as_bytes(),
    "\u{1F600}".as_bytes(),
    b"e\xCC\x81",
    b"\xFF",
    b"\xE2\x82",
    b"\xDF\xBF",
    b"+2D0-",
    b"abc",
    b"+AOk-",
];

fn input(random: &mut XorShift) -> Vec<u8> {
    let front = random.below(5);
    let rest: Vec<&[u8]> = (0..random.below(24)).map(|_| PIECES[random.below(30)]).collect();
    [PIECES[front], &rest.concat()].concat()
}

/// Counts errors, of which it wants to know nothing else.
#[derive(Default)]
struct ErrorCounter(u64);

impl ErrorReporter for ErrorCounter {
    fn wants_position(&self) -> bool {
        false
    }

    fn error(&mut self, _: &ErrorEvent) {
        self.0 += 1;
    }

    fn counts_only(&self) -> bool {
        true
    }

    fn repeated_error(&mut self, _: &ErrorEvent, count: u64) {
        self.0 += count;
    }
}

fn offsets(outcome: &ConversionOutcome) -> Vec<u64> {
    outcome.errors.iter().map(|error| error.position.unwrap().offset).collect()
}

/// Runs with blocks of many sizes: all must agree.
fn run_with_all_buffer_sizes(
    options: &mut TranscodeOptions,
    input: &[u8],
    case: &str,
) -> ConversionOutcome {
    let whole = run_conversion(options, &[input]);
    for fast in [true, false] {
        for block in BUFFER_SIZES {
            (options.buffer_size, options.fast_paths) = (block, fast);
            assert_eq!(
                run_conversion(options, &[input]),
                whole,
                "block {block} fast {fast} {case}"
            );
        }
    }
    whole
}

#[test]
fn errors_are_reported_in_order_of_position() {
    for (input, to, expected) in [
        (&b"Received: \xCE\xBB-\xFF\n"[..], "rfc2047", &[10, 13][..]),
        (b"Received: \xFF\xCE\xBB\xFF\xCE\xBB\n", "rfc2047", &[10, 11, 13, 14]),
        (b"From: <\xCE\xBB\xFF\xCE\xBB@\xFF>\n", "rfc2047", &[7, 9, 10, 13]),
        (b"Subject: \xCE\xBB\xFF\xCE\xBB", "rfc2047:iso-8859-1,strict", &[9, 11, 12]),
    ] {
        let mut options = conversion_options("utf-8", to, "replace", "replace");
        let outcome = run_with_all_buffer_sizes(&mut options, input, to);
        assert_eq!(offsets(&outcome), expected, "{}", input.escape_ascii());
    }
}

#[test]
fn unmappable_replacement_is_not_reported_again() {
    for (from, action) in [("utf-8", "replace=é"), ("euc-jp", "keep"), ("ascii", "replace=é")] {
        for input in [&b"Received: \xFF-\xFF\n"[..], b"Received: \xDF\xBF\n", b"From: <\xFF@a>\n"] {
            let mut options = conversion_options(from, "rfc2047", action, "replace");
            if options.build().is_err() {
                continue;
            }
            let mut count = ErrorCounter::default();
            let outcome = run_with_all_buffer_sizes(&mut options, input, from);
            let mut once = offsets(&outcome);
            once.dedup();
            assert_eq!(offsets(&outcome), once, "{from} {}", input.escape_ascii());
            feed_files(&options, &[input], &mut Vec::new(), &mut count).unwrap();
            assert_eq!(count.0, once.len() as u64, "{from} {}", input.escape_ascii());
        }
    }
}

#[test]
fn malformed_replacement_is_not_reported_again() {
    for (action, step, input, expected) in [
        (r"replace=\z", "json:strict", &b"a\xFFb\xFF\xFFc"[..], &[1, 3, 4][..]),
        (r"replace=\uD800", "java:strict", b"a\xFFb\xFF\xFFc", &[1, 3, 4]),
        // The same sequence of the input is an error.
        (r"replace=\z", "json:strict", br"a\z\z", &[1, 3]),
        (r"replace=\z", "json:strict", b"a\xFF\\z\xFF", &[1, 2, 4]),
        // So is one to which the input adds a character, which is lost.
        ("replace=\\", "json:strict", b"a\xFFzz", &[1, 1]),
        ("backslash", "json:strict", b"a\xFFb", &[1]),
    ] {
        let mut options = conversion_options("utf-8", "utf-16", action, "replace");
        let step = ChainStep::Transform(step.parse().unwrap(), Direction::Decode);
        options = options.via(step);
        let outcome = run_with_all_buffer_sizes(&mut options, input, action);
        assert_eq!(offsets(&outcome), expected, "{action} {}", input.escape_ascii());
        for fast in [true, false] {
            options.fast_paths = fast;
            let mut counter = ErrorCounter::default();
            feed_files(&options, &[&input.repeat(200)], &mut Vec::new(), &mut counter).unwrap();
            let count = 200 * expected.len() as u64;
            assert_eq!(counter.0, count, "{action} {} {fast}", input.escape_ascii());
        }
    }
}

#[test]
fn stop_reports_earlier_errors_and_nothing_later() {
    let input = b"Received: \xFFa\xCE\xBB-\xFF\n";
    let outcome = run_with_all_buffer_sizes(
        &mut conversion_options("utf-8", "rfc2047", "skip", "stop"),
        input,
        "stop",
    );
    assert!(outcome.stopped);
    assert_eq!(offsets(&outcome), [10, 12]);
    assert_eq!(outcome.errors[1].kind, ErrorKind::NotAllowedHere('\u{3BB}'));
    let outcome = run_with_all_buffer_sizes(
        &mut conversion_options("utf-8", "rfc2047", "stop", "skip"),
        input,
        "stop",
    );
    assert_eq!(offsets(&outcome), [10]);
    let input = b"Received: \xCE\xBB-\xFF\n";
    let outcome = run_with_all_buffer_sizes(
        &mut conversion_options("utf-8", "rfc2047", "stop", "skip"),
        input,
        "stop",
    );
    assert_eq!(offsets(&outcome), [10, 13]);
}

#[test]
fn random_header_errors_are_in_order_and_counted_once() {
    let mut random = XorShift::new(2047);
    let mut errors = 0;
    for _ in 0..1000 {
        let input = input(&mut random);
        let (from, to) = (SOURCES[random.below(8)], TARGETS[random.below(TARGETS.len())]);
        let (invalid, unmappable) = (ACTIONS[random.below(9)], ACTIONS[random.below(9)]);
        let mut options = conversion_options(from, to, invalid, unmappable);
        let case = format!("{from} {to} {invalid} {unmappable} {}", input.escape_ascii());
        if options.build().is_err() {
            continue;
        }
        let outcome = run_with_all_buffer_sizes(&mut options, &input, &case);
        let found = offsets(&outcome);
        assert!(found.is_sorted_by(|one, next| one < next), "{found:?} {case}");
        errors += found.len();
        if !outcome.stopped {
            for fast in [true, false] {
                options.fast_paths = fast;
                let mut count = ErrorCounter::default();
                feed_files(&options, &[&input], &mut Vec::new(), &mut count).unwrap();
                assert_eq!(count.0, found.len() as u64, "fast {fast} {case}");
            }
        }
    }
    assert!(errors > 1500, "{errors}");
}
