//! Errors of which only the number is wanted: as many of each sort as are met one by one, and the
//! same output, in blocks of any size.

use std::collections::BTreeMap;

use charpipe::Error;
use charpipe::ErrorEvent;
use charpipe::ErrorReporter;
use charpipe::{BomPolicy, TranscodeOptions};

use crate::conversion::driver::{conversion_options, feed_files};
use crate::conversion::inputs;
use charpipe_test_support::sample_stride;

const TARGETS: [&str; 8] =
    ["UTF-8", "US-ASCII", "KOI8-R", "UTF-16LE", "UTF-7", "TCVN5712-1", "ISO-2022-JP", "SJIS"];
/// One of this number of targets is tried with each input by default, and all with `CHARPIPE_TEST_EXHAUSTIVE=1`.
const SAMPLE_STRIDE: usize = 13;

const BUFFER_SIZES: [usize; 5] = [64 * 1024, 64, 7, 3, 1];

/// Takes the first errors one by one, with their positions, and counts the others.
#[derive(Default, Debug, PartialEq, Eq)]
struct ErrorCounts {
    single_limit: usize,
    first: Vec<ErrorEvent>,
    others: BTreeMap<String, u64>,
}

impl ErrorReporter for ErrorCounts {
    fn wants_position(&self) -> bool {
        self.first.len() < self.single_limit
    }

    fn error(&mut self, error: &ErrorEvent) {
        if self.wants_position() {
            self.first.push(*error);
        } else {
            self.repeated_error(error, 1);
        }
    }

    fn counts_only(&self) -> bool {
        !self.wants_position()
    }

    fn repeated_error(&mut self, error: &ErrorEvent, count: u64) {
        assert!(count > 0);
        *self.others.entry(format!("{:?} {:?}", error.class(), error.action_taken)).or_default() +=
            count;
    }
}

/// The output of files, the reported errors, and the error that ended the run.
fn run_counting(
    options: &TranscodeOptions,
    singly: usize,
    files: &[&[u8]],
) -> (Vec<u8>, ErrorCounts, Option<ErrorEvent>) {
    let (mut output, mut counts) =
        (Vec::new(), ErrorCounts { single_limit: singly, ..ErrorCounts::default() });
    let last = match feed_files(options, files, &mut output, &mut counts) {
        Ok(()) => None,
        Err(Error::Conversion(stopped)) => Some(stopped.event),
        Err(other) => panic!("{other}"),
    };
    (output, counts, last)
}

fn assert_counts_match_reports(mut options: TranscodeOptions, files: &[&[u8]]) {
    for singly in [0, 3] {
        options.fast_paths = false;
        let expected = run_counting(&options, singly, files);
        options.fast_paths = true;
        for block in BUFFER_SIZES {
            options.buffer_size = block;
            let same = run_counting(&options, singly, files) == expected;
            let (from, to) = (options.from.encoding.name(), options.to.encoding.name());
            let start = files[0][..files[0].len().min(80)].escape_ascii();
            assert!(same, "{from} to {to}, {:?}, block {block}: {start}", options.error_policy);
        }
    }
}

fn check_bulk_counts(policy: &str) {
    check_bulk_counts_with(policy, policy);
}

fn check_bulk_counts_with(invalid: &str, unmappable: &str) {
    for from in ["UTF-8", "US-ASCII", "UTF-16LE", "UTF-7", "EUC-JP", "ISO-2022-JP", "UCS-4"] {
        let inputs = inputs::inputs(from);
        let small = inputs.iter().filter(|input| input.len() < 3000).step_by(29);
        let large = inputs.iter().filter(|input| input.len() >= 3000).take(1);
        for (number, input) in small.chain(large).enumerate() {
            let stride = sample_stride(SAMPLE_STRIDE);
            for to in TARGETS.into_iter().skip(number % stride).step_by(stride) {
                let options = conversion_options(from, to, invalid, unmappable);
                assert_counts_match_reports(options, &[input, b"\xFF"]);
            }
        }
    }
}

#[test]
fn skipped_errors_are_counted_as_reported() {
    check_bulk_counts("skip");
}

#[test]
fn replaced_errors_are_counted_as_reported() {
    check_bulk_counts("replace");
}

#[test]
fn errors_with_long_replacements_are_counted_as_reported() {
    check_bulk_counts("replace=[something that is longer than a character and any small buffer]");
}

#[test]
fn escaped_errors_are_counted_as_reported() {
    check_bulk_counts("backslash");
}

#[test]
fn transliterated_errors_are_counted_as_reported() {
    check_bulk_counts("translit");
}

#[test]
fn errors_in_chains_are_counted_as_reported() {
    let text = "aé€ ж\u{301}\r\nb\n=41 &amp; \u{1E9E}".repeat(8);
    let malformed = [&b"a\xFF".repeat(20)[..], b"\xE2\x82\xED\xA0\x80", b"a\xFF=G\n"].concat();
    let input = [text.as_bytes(), &malformed, text.as_bytes(), &malformed].concat();
    let mut number = 0;
    for from in [
        "utf-8/qp",
        "utf-8/crlf",
        "utf-8/nfc",
        "windows-1253/qp",
        "utf-16le",
        "utf-8/base64",
        "us-ascii/html",
    ] {
        for to in [
            "utf-8/crlf",
            "utf-8/base64",
            "utf-8/nfd",
            "latin1/qp",
            "us-ascii/crlf/hex",
            "utf-16le/nfc",
            "koi8-r/html",
        ] {
            for policy in ["skip", "replace", "replace=é", "backslash", "translit", "keep-text"] {
                let malformed = if policy == "translit" { "replace" } else { policy };
                let unmappable = if policy == "keep-text" { "skip" } else { policy };
                let options = conversion_options(from, to, malformed, unmappable);
                number += 1;
                if number % sample_stride(5) == 0 && options.clone().build().is_ok() {
                    assert_counts_match_reports(options.clone(), &[&input, b"\xFF"]);
                    let mut stop = options;
                    stop.error_policy.unmappable = "stop".parse().unwrap();
                    assert_counts_match_reports(stop, &[&input, b"\xFF"]);
                }
            }
        }
    }
}

/// Takes errors one by one, and counts characters that are converted as the policy says.
#[derive(Default, Debug, PartialEq, Eq)]
struct ErrorList {
    counts_conversions: bool,
    errors: Vec<ErrorEvent>,
    converted: u64,
}

impl ErrorReporter for ErrorList {
    fn wants_position(&self) -> bool {
        true
    }

    fn error(&mut self, error: &ErrorEvent) {
        if error.action_taken.is_error() {
            self.errors.push(*error);
        } else {
            self.converted += 1;
        }
    }

    fn counts_conversions_only(&self) -> bool {
        self.counts_conversions
    }

    fn repeated_error(&mut self, error: &ErrorEvent, count: u64) {
        assert!(!error.action_taken.is_error(), "{error:?}");
        self.converted += count;
    }
}

#[test]
fn counting_conversions_does_not_change_errors() {
    let text = "aé€\nя\u{301}½ \n中\u{2033}é".repeat(40);
    let input = [text.as_bytes(), b"\xE2\x82\n", text.as_bytes(), b"\xFF"].concat();
    for to in ["US-ASCII", "KOI8-R", "TCVN5712-1", "ISO-2022-JP", "SJIS", "CP037"] {
        for unmappable in ["translit", "xml", "percent"] {
            for invalid in ["stop", "skip", "replace", "xml"] {
                for bom in [BomPolicy::Keep, BomPolicy::Strip] {
                    let mut options = conversion_options("UTF-8", to, invalid, unmappable);
                    options.bom = bom;
                    let run = |options: &TranscodeOptions, counts_conversions| {
                        let mut output = Vec::new();
                        let mut errors = ErrorList { counts_conversions, ..ErrorList::default() };
                        let ended =
                            feed_files(options, &[&input, &input], &mut output, &mut errors);
                        (output, errors.errors, errors.converted, ended.is_ok())
                    };
                    options.fast_paths = false;
                    let expected = run(&options, false);
                    assert!(expected.2 > 0 && !expected.1.is_empty());
                    for (fast, block) in [true, false]
                        .into_iter()
                        .flat_map(|fast| BUFFER_SIZES.map(|block| (fast, block)))
                    {
                        (options.fast_paths, options.buffer_size) = (fast, block);
                        assert!(
                            run(&options, true) == expected,
                            "{to} {unmappable} {invalid} {block}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn kept_bytes_are_counted_as_they_are_reported() {
    for from in ["UTF-8", "US-ASCII", "UTF-16LE", "UTF-7", "EUC-JP"] {
        for input in inputs::inputs(from).iter().filter(|input| input.len() < 3000).step_by(29) {
            for to in ["UTF-8", "US-ASCII", "KOI8-R", "TCVN5712-1", "SJIS", "EUC-JISX0213"] {
                assert_counts_match_reports(
                    conversion_options(from, to, "keep", "skip"),
                    &[input, b"\xFF"],
                );
                assert_counts_match_reports(
                    conversion_options(from, to, "keep", "xml"),
                    &[input, b"\xFF"],
                );
            }
        }
    }
}

#[test]
fn bytes_kept_as_text_are_counted_as_they_are_reported() {
    check_bulk_counts_with("keep-text", "replace");
}

#[test]
fn stopping_error_after_bulk_errors_has_its_position() {
    check_bulk_counts_with("skip", "stop");
    check_bulk_counts_with("stop", "replace");
    let unmappable = "é\n中é a\n".repeat(40) + "a中é";
    let invalid = b"\xFF\na\xFF\xE2\x82".repeat(40);
    for to in TARGETS {
        let corrupted = [unmappable.as_bytes(), b"\xFF\n", unmappable.as_bytes()].concat();
        assert_counts_match_reports(
            conversion_options("UTF-8", to, "stop", "skip"),
            &[&corrupted, b"a"],
        );
        assert_counts_match_reports(
            conversion_options("UTF-8", to, "stop", "translit"),
            &[b"a", &corrupted],
        );
        let corrupted = [&invalid, unmappable.as_bytes(), &invalid].concat();
        assert_counts_match_reports(
            conversion_options("UTF-8", to, "skip", "stop"),
            &[&corrupted, b"a"],
        );
        assert_counts_match_reports(
            conversion_options("UTF-8", to, "backslash", "stop"),
            &[b"a", &corrupted],
        );
    }
    let beyond = b"\xFF\xFF\xFF\xFF\x7F\0\0\0".repeat(9);
    assert_counts_match_reports(conversion_options("UCS-4", "UTF-8", "skip", "stop"), &[&beyond]);
}

#[test]
fn unmappable_transliteration_is_counted_once() {
    for to in ["DIN_66003", "ISO-2022-KR"] {
        let text = "\u{2225}a\u{2225}\u{2225}\u{2216}中\u{2216}b".repeat(30);
        assert_counts_match_reports(
            conversion_options("UTF-8", to, "stop", "translit"),
            &[text.as_bytes()],
        );
        assert_counts_match_reports(
            conversion_options("UTF-8", to, "skip", "translit"),
            &[text.as_bytes()],
        );
    }
}

/// An encoding, units of it, and targets.
type ErrorRuns = (&'static str, &'static [&'static [u8]], &'static [&'static str]);

/// Runs of errors that codecs handle in bulk, and what is at their ends.
const ERROR_RUNS: [ErrorRuns; 10] = [
    ("UTF-8", &[b"\xFF", b"a\xFF", b"\xE2\x82", b"\xC3\xA9"], &["UTF-8", "UTF-16LE"]),
    ("UTF-16LE", &[b"\x00\xD8", b"\x01\xDC", b"a\x00", b"\x00\xD8\x01\xDC"], &["UTF-8"]),
    ("UTF-16BE", &[b"\xD8\x00", b"\xDC\x01", b"\x00a", b"\xD8\x00\xDC\x01"], &["UTF-8"]),
    ("UTF-16", &[b"\xFE\xFF", b"\xFF\xFE", b"\xD8\x00", b"\x00\xD8"], &["UTF-8"]),
    ("UCS-2", &[b"\x00\xD8", b"\x01\xDC", b"a\x00"], &["UTF-8"]),
    ("US-ASCII", &[b"\xFF", b"\x80", b"a"], &["UTF-8"]),
    // Half a pair, the last digit of which carries bits of the next unit.
    ("UTF-7", &[b"+2AAAQQ-", b"+2ADYAABB-", b"a"], &["UTF-8", "US-ASCII"]),
    ("EUC-JP", &[b"\xFF", b"\xA4", b"\xA4\xA2", b"\x8F", b"a"], &["UTF-8", "KOI8-R"]),
    ("TCVN5712-1", &[b"\xB0", b"a", b"\xFF"], &["US-ASCII"]),
    (
        "UTF-8",
        &["ж".as_bytes(), "aж".as_bytes(), "é".as_bytes(), "か゚".as_bytes(), "😀中".as_bytes()],
        &["ISO-8859-1", "US-ASCII", "KOI8-R", "GB2312", "EUC-JISX0213", "UCS-2", "UTF-7"],
    ),
];

#[test]
fn error_runs_are_counted_whatever_follows() {
    for (from, units, targets) in ERROR_RUNS {
        for (first, second) in units.iter().flat_map(|a| units.iter().map(move |b| (a, b))) {
            for times in [1, 12] {
                let input = [first.repeat(times), second.repeat(2), first.repeat(3)].concat();
                for (to, policy) in targets.iter().flat_map(|to| {
                    ["skip", "replace", "replace=<long replacement>", "xml"]
                        .map(|policy| (to, policy))
                }) {
                    assert_counts_match_reports(
                        conversion_options(from, to, "replace", policy),
                        &[&input],
                    );
                    assert_counts_match_reports(
                        conversion_options(from, to, policy, "skip"),
                        &[&input],
                    );
                }
            }
        }
    }
}

#[test]
fn bom_is_stripped_before_bulk_errors_but_not_after() {
    for bom in [BomPolicy::Strip, BomPolicy::Add] {
        for policy in ["skip", "replace"] {
            for to in ["UTF-8", "UTF-16", "UTF-16LE"] {
                let mut options = conversion_options("UTF-8", to, policy, policy);
                options.bom = bom;
                let (marked, corrupted) = (&b"\xEF\xBB\xBFa\xFF\xFF"[..], b"\xFF\xEF\xBB\xBFa\xFF");
                assert_counts_match_reports(options.clone(), &[marked, corrupted]);
                assert_counts_match_reports(options, &[corrupted, marked]);
            }
        }
    }
}

/// Pieces of header lines, with errors of all kinds.
const HEADER_PIECES: [&[u8]; 12] = [
    b"=?utf-8?b?//8AAP/C?=",
    b"=?utf-8?q?a=FF=0A\x01=E2=80=A8=E2=82?=",
    b"=?utf-8?q?=82=E2?= ",
    b"=?utf-8?q?=FF=FFb\xFFa=F0=9F=92?=\r\n ",
    b"=?utf-8*en?b?8J-SPv8?= ",
    b"=?utf-16be?b?2AAACgBh3AAAAA==?= ",
    b"=?gb18030?q?=81=30=81a=FF=81?=",
    b"=?iso-2022-jp?q?=1B$B=FF=0E$\"=1B(B=80?= ",
    b"\xFF\xC3\xA9\xE2\x82",
    b"\nTo: \"\\\xFF\" (\xFF\\\xFF) <\xFF",
    b"\r\n\xFF\xFF: \xFF\xFF",
    b"\nSubject: a =?nope?q?a\xFF?= ",
];

#[test]
fn errors_of_encoded_words_are_counted_as_reported() {
    for (first, second) in HEADER_PIECES.iter().zip(HEADER_PIECES.iter().cycle().skip(5)) {
        let input = [*first, first, second, first, b"\n", second, second].concat();
        for (policy, unmappable) in [("skip", "skip"), ("replace", "stop"), ("backslash", "skip")] {
            for from in ["RFC2047", "RFC2047:strict"] {
                assert_counts_match_reports(
                    conversion_options(from, "UTF-8", policy, unmappable),
                    &[&input],
                );
            }
        }
        assert_counts_match_reports(
            conversion_options("RFC2047", "KOI8-R", "replace", "xml"),
            &[&input],
        );
    }
}

#[test]
fn characters_forbidden_in_headers_are_counted_as_reported() {
    let pieces = ["é", "éa", "a é", "a\n é", "\né", "Received: é", "To: é@é, é <é> (é)", "я"];
    for (first, second) in pieces.iter().zip(pieces.iter().cycle().skip(3)) {
        for field in ["Received: ", "To: é@"] {
            let input = [field, &first.repeat(3), second, first, "\nDate: é", second].concat();
            for to in ["RFC2047", "RFC2047:charset=iso-8859-1,strict"] {
                for policy in ["skip", "replace", "xml", "replace==?é a", "replace=ä "] {
                    for invalid in ["stop", policy] {
                        let options = conversion_options("UTF-8", to, invalid, policy);
                        if options.build().is_ok() {
                            let chain = options.clone().via("nfc".parse().unwrap());
                            for options in [options, chain] {
                                assert_counts_match_reports(options, &[input.as_bytes()]);
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn malformed_units_and_characters_of_the_same_value_have_their_own_replacements() {
    // U+00E9, and a value above U+10FFFF with the bytes of E9 in reverse.
    let input = b"\xE9\0\0\0\0\0\0\xE9".repeat(40);
    for policy in ["percent", "c", "xml"] {
        let options = conversion_options("UTF-32LE", "US-ASCII", policy, policy);
        assert_counts_match_reports(options, &[&input]);
    }
}
