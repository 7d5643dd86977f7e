//! Every source with every target, clean and corrupted, with every error policy: the joined ranges are the
//! conversion of the whole, or ranges are refused with the reason.
//!
//! With `CHARPIPE_TEST_EXHAUSTIVE=1` there are 20 files for each pair, and every offset of files of 4 KiB is
//! tried: 172,800 conversions and 3.6 million offsets.

use std::io::Cursor;

use charpipe::internals::codec::EncodeStage;
use charpipe::internals::encoding::{ALL, Encoding, EncodingOptions, lookup_label};
use charpipe::split::RangeTranscoder;
use charpipe::{Error, ErrorAction, TranscodeOptions};

use crate::split::offsets::reference;
use crate::split::parts::{corrupt, encode_file};
use crate::split::ranges::{
    Conversion, Log, RangeCounts, TARGETS, in_ranges, policies, random_offsets, stateful_targets,
};
use crate::split::texts;
use charpipe_test_support::XorShift;

/// Sources of all kinds.
#[rustfmt::skip]
const SOURCES: [&str; 54] = [
    "utf-8", "utf-8-sig", "cesu-8", "utf-16", "utf-16le", "utf-16be", "ucs-2le", "utf-32", "utf-32le",
    "utf-32be", "utf-7", "utf-7-imap", "utf-5", "scsu", "bocu-1", "gb18030", "gbk", "euc-cn", "hz",
    "iso-2022-cn", "iso-2022-cn-ext", "big5", "big5-hkscs", "euc-tw", "shift_jis", "cp932",
    "shift_jisx0213", "euc-jp", "euc-jisx0213", "iso-2022-jp", "iso-2022-jp-2", "iso-2022-jp-3",
    "euc-kr", "cp949", "johab", "iso-2022-kr", "jis_x0208", "ibm037", "ibm1047", "ibm930", "ibm939",
    "ibm933", "ibm935", "ibm937", "ibm1390", "latin1", "cp1252", "cp1251", "cp1258", "tcvn", "koi8-r",
    "ibm437", "iscii-dev", "us-ascii",
];

/// Returns why no ranges are converted from a source to a target.
fn expected_refusal(source: &str, target: &str) -> Option<&'static str> {
    match source {
        "utf-5" => Some("a line feed does not end a character"),
        "scsu" => Some("the mode and the windows outlive a line"),
        "utf-7-imap" | "jis_x0208" if stateful_targets().contains(&target) => {
            Some("the target needs line feeds, which the source does not have")
        }
        _ => None,
    }
}

fn is_exhaustive() -> bool {
    charpipe_test_support::is_exhaustive()
}

/// Returns a transcoder that assumes states only where none are proven.
fn range_transcoder(options: &TranscodeOptions) -> Result<RangeTranscoder, Error> {
    RangeTranscoder::new(options).or_else(|_| RangeTranscoder::assuming_line_starts(options))
}

/// Random texts in an encoding.
struct Texts {
    encoding: &'static Encoding,
    encoder: Box<dyn EncodeStage>,
    encodable: Vec<char>,
}

impl Texts {
    fn new(encoding: &'static Encoding) -> Texts {
        let mut encoder = encoding.encoder(&EncodingOptions::default());
        let encodable = texts::encodable(&mut *encoder, &texts::characters());
        Texts { encoding, encoder, encodable }
    }

    /// Returns an encoded text of `len` characters, in which `errors` bytes are changed.
    fn file(&mut self, rng: &mut XorShift, len: usize, errors: usize) -> Vec<u8> {
        let mut text = texts::random_text(rng, &self.encodable, len);
        if rng.below(3) == 0 && self.encodable.contains(&'\u{FEFF}') {
            text.insert(0, '\u{FEFF}');
        }
        let mut bytes = encode_file(rng, self.encoding, &mut *self.encoder, &text);
        corrupt(rng, &mut bytes, errors);
        bytes
    }
}

/// The cases of a source.
#[derive(Default)]
struct Tally {
    equal: usize,
    refused: usize,
    differences: Vec<String>,
    ranges: RangeCounts,
}

fn check_source(label: &str, seeds: usize) -> Tally {
    let encoding = lookup_label(label).unwrap();
    let (mut texts, mut tally) = (Texts::new(encoding), Tally::default());
    let mut rng = XorShift::new(label.len() as u64 * 131 + 7);
    for target in TARGETS {
        let to = lookup_label(target).unwrap();
        for seed in 0..2 * seeds {
            // Every other file is corrupted.
            let (len, errors) = (50 + rng.below(250), seed % 2 * (1 + rng.below(12)));
            let input = texts.file(&mut rng, len, errors);
            for (malformed, unmappable) in policies() {
                let options = TranscodeOptions::new(encoding, to)
                    .on_malformed(malformed)
                    .on_unmappable(unmappable)
                    .buffer_size(rng.one(&[1, 2, 7, 64, 4096]));
                match range_transcoder(&options) {
                    Ok(transcoder) => {
                        assert_eq!(expected_refusal(label, target), None, "{label} to {target}");
                        check_ranges(&mut rng, &options, transcoder, &input, &mut tally);
                    }
                    Err(error) => {
                        let reason = expected_refusal(label, target).unwrap_or("refused");
                        let message = format!(": cannot be converted in parts: {reason}");
                        assert!(error.to_string().ends_with(&message), "{label} {target}: {error}");
                        tally.refused += 1;
                    }
                }
            }
        }
    }
    tally
}

/// Compares up to nine ranges with the whole.
fn check_ranges(
    rng: &mut XorShift,
    options: &TranscodeOptions,
    transcoder: RangeTranscoder,
    input: &[u8],
    tally: &mut Tally,
) {
    let count = 1 + rng.below(8);
    let offsets = random_offsets(rng, transcoder.points(), input, count);
    let whole = Conversion::whole(options, input, Log::default());
    let (joined, ranges) = in_ranges(transcoder, input, &offsets, false);
    tally.ranges.add(ranges);
    match joined.difference(&whole) {
        None => tally.equal += 1,
        Some(difference) => {
            let case = format!("{options:?}\n{input:02X?} at {offsets:?}");
            tally.differences.push(format!("{case}: {difference}"));
        }
    }
}

/// Panics with the first differences.
fn report(differences: &[String]) {
    let first = differences.iter().take(3).map(|text| &text[..text.len().min(20_000)]);
    let first: Vec<&str> = first.collect();
    assert!(first.is_empty(), "{} different:\n{}", differences.len(), first.join("\n"));
}

#[test]
fn ranges_from_and_to_encodings_of_all_kinds_are_the_whole() {
    let seeds = if is_exhaustive() { 20 } else { 1 };
    let tallies = texts::in_parallel(&SOURCES, |label| check_source(label, seeds));
    let mut all = Tally::default();
    for tally in tallies {
        all.equal += tally.equal;
        all.refused += tally.refused;
        all.ranges.add(tally.ranges);
        all.differences.extend(tally.differences);
    }
    let Tally { equal, refused, differences, ranges } = all;
    println!("{equal} equal, {} different, {refused} refused; {ranges:?}", differences.len());
    report(&differences);
    let pairs = SOURCES.len() * TARGETS.len();
    assert_eq!(equal + refused, pairs * seeds * 2 * policies().len());
    assert!(ranges.reruns > 0);
}

/// The offsets of an encoding, and how many of them were different split points.
#[derive(Default)]
struct Offsets {
    tried: usize,
    split_points: usize,
}

/// Splits a clean file and a corrupted one at every offset into two ranges.
fn check_every_offset(encoding: &'static Encoding, size: usize) -> Result<Offsets, String> {
    let options = TranscodeOptions::new(encoding, lookup_label("utf-8").unwrap())
        .on_malformed(ErrorAction::Replace(None));
    let mut offsets = Offsets::default();
    let Ok(transcoder) = range_transcoder(&options) else { return Ok(offsets) };
    let points = *transcoder.points();
    let mut rng = XorShift::new(encoding.name().len() as u64 * 71 + 9);
    let mut texts = Texts::new(encoding);
    for errors in [0, 1 + size / 256] {
        let mut input = texts.file(&mut rng, size, errors);
        input.truncate(size);
        let whole = Conversion::whole(&options, &input, Log::default());
        let mut last = None;
        for offset in 0..=input.len() {
            let at = offset as u64;
            let found = transcoder.safe_range(&mut Cursor::new(&input), at..at).unwrap().start;
            let expected = reference(&input, &points, offset) as u64;
            if found != expected {
                return Err(format!("{encoding:?} {input:02X?} at {at}: {found}, not {expected}"));
            }
            offsets.tried += 1;
            if last.replace(found) == Some(found) {
                continue;
            }
            offsets.split_points += 1;
            let transcoder = range_transcoder(&options).unwrap();
            let ranges = [0, found, input.len() as u64];
            let (joined, _) = in_ranges(transcoder, &input, &ranges, false);
            if let Some(difference) = joined.difference(&whole) {
                return Err(format!("{encoding:?} {input:02X?} at {found}: {difference}"));
            }
        }
    }
    Ok(offsets)
}

#[test]
fn files_in_every_encoding_are_split_at_every_offset() {
    let size = if is_exhaustive() { 4096 } else { 256 };
    let results = texts::in_parallel(ALL, |encoding| check_every_offset(encoding, size));
    let (mut all, mut differences) = (Offsets::default(), Vec::new());
    for result in results {
        match result {
            Ok(offsets) => {
                all.tried += offsets.tried;
                all.split_points += offsets.split_points;
            }
            Err(difference) => differences.push(difference),
        }
    }
    println!("{} offsets, {} split points", all.tried, all.split_points);
    report(&differences);
    assert!(all.tried > 2 * 400 * size);
}
