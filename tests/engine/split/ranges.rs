//! Ranges that are converted by themselves, against the conversion of the whole.

use std::io::Cursor;

use charpipe::internals::codec::{EncodeStage, State};
use charpipe::internals::encoding::{ALL, Encoding, EncodingOptions, lookup_label};
use charpipe::internals::error_policy::ErrorAction;
use charpipe::internals::error_policy::EscapeStyle;
use charpipe::internals::transcode::split::{
    InputRange, RangeResult, RangeTranscoder, SplitPoints, safe_offset,
};
use charpipe::{BomPolicy, Error, ErrorCounts, ErrorEvent, ErrorReporter, TranscodeOptions};

use crate::split::parts::random_file;
use crate::split::texts;
use charpipe_test_support::XorShift;

/// Targets of all kinds.
pub const TARGETS: [&str; 16] = [
    "utf-8",
    "latin1",
    "utf-16",
    "utf-7",
    "iso-2022-kr",
    "iso-2022-jp-2",
    "hz",
    "ibm939",
    "utf-8-sig",
    "bocu-1",
    "big5hkscs",
    "iscii-dev",
    "utf-32be",
    "gb18030",
    "tcvn",
    "us-ascii",
];

/// Returns the targets in which a line feed returns the encoder to one state, so that sources need line feeds.
pub fn stateful_targets() -> &'static [&'static str] {
    &TARGETS[2..12]
}

/// The error policies, for malformed sequences and for characters.
pub fn policies() -> [(ErrorAction, ErrorAction); 5] {
    [
        (ErrorAction::Stop, ErrorAction::Stop),
        (ErrorAction::Skip, ErrorAction::Skip),
        (ErrorAction::Replace(None), ErrorAction::Transliterate),
        (ErrorAction::Replace(Some("\n?".into())), ErrorAction::Replace(Some("?".into()))),
        (ErrorAction::PassThroughText, ErrorAction::Escape(EscapeStyle::Xml)),
    ]
}

/// Keeps the errors, or only their number.
#[derive(Default)]
pub struct Log {
    pub events: Vec<ErrorEvent>,
    pub counts: ErrorCounts,
    pub counts_only: bool,
    /// The number of errors after which only their number is wanted.
    pub limit: Option<usize>,
}

impl ErrorReporter for Log {
    fn wants_position(&self) -> bool {
        !self.counts_only()
    }

    fn counts_only(&self) -> bool {
        self.counts_only || self.limit.is_some_and(|limit| self.events.len() >= limit)
    }

    fn counts_conversions_only(&self) -> bool {
        self.counts_only()
    }

    fn error(&mut self, error: &ErrorEvent) {
        self.events.extend((!self.counts_only()).then_some(*error));
        self.counts.error(error);
    }

    fn repeated_error(&mut self, error: &ErrorEvent, count: u64) {
        self.counts.repeated_error(error, count);
    }
}

/// A conversion: the output, the errors, and whether it was stopped.
#[derive(Default)]
pub struct Conversion {
    pub output: Vec<u8>,
    pub log: Log,
    pub stopped: bool,
    pub lines: u64,
}

impl Conversion {
    pub fn whole(options: &TranscodeOptions, input: &[u8], log: Log) -> Conversion {
        let mut all = Conversion { log, ..Conversion::default() };
        let mut transcoder = options.build().unwrap();
        let Conversion { output, log, .. } = &mut all;
        let result = transcoder
            .process_reader(&mut &*input, output, log)
            .and_then(|()| transcoder.finish_input(output, log))
            .and_then(|()| transcoder.finish(output, log));
        match result {
            Ok(()) => {}
            Err(Error::Conversion(_)) => all.stopped = true,
            Err(error) => panic!("{error}"),
        }
        all
    }

    /// Compares with another conversion of the same input.
    pub fn difference(&self, other: &Conversion) -> Option<String> {
        let counts = |all: &Conversion| (all.log.counts, all.stopped);
        let events = |all: &Conversion| {
            let event = |event: &ErrorEvent| {
                let position = event.position.unwrap();
                (event.kind, event.action_taken, position)
            };
            all.log.events.iter().map(event).collect::<Vec<_>>()
        };
        if self.output != other.output {
            return Some(format!("output {:02X?} {:02X?}", self.output, other.output));
        }
        if counts(self) != counts(other) {
            return Some(format!("{:?} {:?}", counts(self), counts(other)));
        }
        (events(self) != events(other))
            .then(|| format!("errors {:?} {:?}", events(self), events(other)))
    }
}

/// Converts ranges one by one, and those again whose predecessors did not end as they assumed.
struct Joiner<'a> {
    transcoder: RangeTranscoder,
    input: &'a [u8],
    all: Conversion,
    previous: Option<RangeResult>,
    /// Whether each range begins after a line feed if its predecessor ended as assumed.
    starts_lines: bool,
    counts: RangeCounts,
}

/// The number of ranges that were converted, and how many of them again from another state.
#[derive(Debug, Default, Clone, Copy)]
pub struct RangeCounts {
    pub all: usize,
    pub reruns: usize,
}

impl RangeCounts {
    pub fn add(&mut self, other: RangeCounts) {
        self.all += other.all;
        self.reruns += other.reruns;
    }
}

impl Joiner<'_> {
    fn convert(&mut self, start: u64, end: u64) {
        let previous = self.previous.take();
        let mut range = InputRange::new(start..end).first_line(1 + self.all.lines);
        if let Some(previous) = &previous {
            let columns = if self.starts_lines { 1 } else { previous.next_column };
            range = range.first_column(columns);
        }
        if let Some(previous) = previous.filter(|previous| !previous.ends_as_assumed) {
            assert!(self.transcoder.needs_verification());
            assert!(previous.end_state.is_resumable());
            range = range.first_column(previous.next_column).start_state(previous.end_state);
            self.counts.reruns += 1;
        }
        let Conversion { output, log, .. } = &mut self.all;
        let (written, counted) = (output.len(), log.counts);
        let input = &mut Cursor::new(self.input);
        let result = self.transcoder.convert(input, &range, output, log).unwrap();
        assert_eq!(result.output_bytes, (output.len() - written) as u64);
        let errors = result.error_counts.errors() + counted.errors();
        assert_eq!(errors, log.counts.errors());
        let stops = u64::from(result.stopped.is_some());
        assert_eq!(result.malformed + result.unmappable, result.error_counts.errors() + stops);
        assert_eq!(result.bytes.start, start);
        assert!(result.bytes.end == end || result.stopped.is_some());
        assert!(self.transcoder.needs_verification() || result.ends_as_assumed || stops > 0);
        self.counts.all += 1;
        self.all.lines += result.lines;
        self.all.stopped = result.stopped.is_some();
        self.previous = Some(result);
    }
}

/// Converts ranges of an input.
pub fn in_ranges(
    transcoder: RangeTranscoder,
    input: &[u8],
    offsets: &[u64],
    counts_only: bool,
) -> (Conversion, RangeCounts) {
    let log = Log { counts_only, ..Log::default() };
    let all = Conversion { log, ..Conversion::default() };
    let starts_lines = match *transcoder.points() {
        SplitPoints::AfterByte { bytes, line_feeds, .. } => bytes == line_feeds,
        points => matches!(points, SplitPoints::AfterLineFeedUnit { .. }),
    };
    let (previous, counts) = (None, RangeCounts::default());
    let mut joiner = Joiner { transcoder, input, all, previous, starts_lines, counts };
    for range in offsets.windows(2) {
        joiner.convert(range[0], range[1]);
        if joiner.all.stopped {
            break;
        }
    }
    (joiner.all, joiner.counts)
}

/// Returns at most `count` random split points of an input, with the ends.
pub fn random_offsets(
    rng: &mut XorShift,
    points: &SplitPoints,
    input: &[u8],
    count: usize,
) -> Vec<u64> {
    let mut offsets: Vec<u64> =
        (0..count).map(|_| rng.below(input.len() + 1) as u64).chain([0]).collect();
    offsets.sort_unstable();
    let safe = |offset| safe_offset(&mut Cursor::new(input), points, offset).unwrap();
    offsets.into_iter().map(safe).chain([input.len() as u64]).collect()
}

/// The results of one source encoding.
#[derive(Default)]
struct Outcome {
    difference: Option<String>,
    ranges: RangeCounts,
    refusals: Vec<String>,
}

struct Source {
    encoder: Box<dyn EncodeStage>,
    encodable: Vec<char>,
    rng: XorShift,
    assume: bool,
}

impl Source {
    fn new(encoding: &'static Encoding, assume: bool) -> Source {
        let mut encoder = encoding.encoder(&EncodingOptions::default());
        let encodable = texts::encodable(&mut *encoder, &texts::characters());
        let rng = XorShift::new(encoding.name().len() as u64 * 131 + 5);
        Source { encoder, encodable, rng, assume }
    }

    fn file(&mut self, encoding: &'static Encoding) -> Vec<u8> {
        self.encoder.restore_state(State::INITIAL);
        random_file(&mut self.rng, encoding, &mut *self.encoder, &self.encodable)
    }

    fn transcoder(&self, options: &TranscodeOptions) -> Result<RangeTranscoder, Error> {
        match self.assume {
            true => RangeTranscoder::assuming_line_starts(options),
            false => RangeTranscoder::new(options),
        }
    }

    /// Compares random ranges of random files with the whole.
    fn check(
        &mut self,
        encoding: &'static Encoding,
        options: &TranscodeOptions,
        out: &mut Outcome,
    ) {
        let input = self.file(encoding);
        let sizes = [1, 2, 7, 64, 100_000];
        let options = options.clone().buffer_size(sizes[self.rng.below(sizes.len())]);
        let transcoder = match self.transcoder(&options) {
            Ok(transcoder) => transcoder,
            Err(error @ Error::Unsplittable { .. }) => {
                out.refusals.push(error.to_string());
                return;
            }
            // The target does not have a replacement or a byte order mark.
            Err(_) => return,
        };
        let points = *transcoder.points();
        let count = 1 + self.rng.below(6);
        let offsets = random_offsets(&mut self.rng, &points, &input, count);
        let counts_only = self.rng.below(3) == 0;
        let whole = Conversion::whole(&options, &input, Log { counts_only, ..Log::default() });
        let (joined, counts) = in_ranges(transcoder, &input, &offsets, counts_only);
        if counts_only && !whole.stopped {
            let transcoder = self.transcoder(&options).unwrap();
            let (located, _) = in_ranges(transcoder, &input, &offsets, false);
            assert_eq!(joined.lines, located.lines, "{options:?} {input:02X?}");
        }
        out.ranges.add(counts);
        let difference = joined.difference(&whole);
        if let Some(difference) = difference {
            let difference = format!("{options:?}\n{input:02X?} at {offsets:?}: {difference}");
            out.difference.get_or_insert(difference);
        }
    }
}

fn check_encoding(encoding: &'static Encoding, assume: bool, rounds: usize) -> Outcome {
    let mut source = Source::new(encoding, assume);
    let mut out = Outcome::default();
    for label in TARGETS {
        let to = lookup_label(label).unwrap();
        for _ in 0..rounds {
            for (malformed, unmappable) in policies() {
                let bom = [BomPolicy::Default, BomPolicy::Strip, BomPolicy::Add];
                let options = TranscodeOptions::new(encoding, to)
                    .on_malformed(malformed)
                    .on_unmappable(unmappable)
                    .bom(source.rng.one(&bom));
                source.check(encoding, &options, &mut out);
            }
        }
    }
    out
}

/// Panics if there are differences.
fn report(results: &[(&str, Outcome)]) {
    let wrong: Vec<_> = results
        .iter()
        .filter_map(|(name, outcome)| Some(format!("{name}: {}", outcome.difference.as_ref()?)))
        .collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(4)].join("\n"));
}

#[test]
fn joined_ranges_are_the_whole() {
    let results = texts::in_parallel(ALL, |it| (it.name(), check_encoding(it, false, 1)));
    report(&results);
    for (name, outcome) in results.iter().filter(|(name, _)| *name != "UTF-7-IMAP") {
        let rule = lookup_label(name).unwrap().split_rule();
        let is_split = !matches!(rule.source, SplitPoints::None { .. });
        assert_eq!(outcome.ranges.all > 10, is_split, "{name}: {:?}", outcome.ranges);
        assert_eq!(outcome.ranges.reruns, 0, "{name}");
    }
}

#[test]
fn joined_ranges_are_the_whole_after_verification() {
    let encodings: Vec<&Encoding> = ALL
        .iter()
        .copied()
        .filter(|encoding| !encoding.split_rule().unverified_line_feeds.is_empty())
        .collect();
    assert!(encodings.len() > 15);
    let results = texts::in_parallel(&encodings, |it| (it.name(), check_encoding(it, true, 6)));
    report(&results);
    for (name, outcome) in &results {
        assert!(outcome.ranges.all > 500, "{name}: {:?}", outcome.ranges);
    }
    let mut counts = RangeCounts::default();
    results.iter().for_each(|(_, outcome)| counts.add(outcome.ranges));
    assert!(counts.reruns > 200, "{counts:?}");
}

#[test]
fn joined_ranges_are_the_whole_in_chains() {
    let steps = ["big5", "utf-16", "utf-7", "ibm1047", "utf-8-sig", "us-ascii", "utf-32be"];
    let sources =
        ["utf-8", "gb18030", "utf-16", "shift_jis", "ibm037", "utf-7", "koi8-r", "euc-jp"];
    let results = texts::in_parallel(&sources, |label| {
        let encoding = lookup_label(label).unwrap();
        let mut source = Source::new(encoding, false);
        let mut out = Outcome::default();
        for step in steps {
            for to in ["utf-8", "utf-16", "iso-2022-jp", "latin1"] {
                for (malformed, unmappable) in policies() {
                    let options = TranscodeOptions::new(encoding, lookup_label(to).unwrap())
                        .via(step.parse().unwrap())
                        .on_malformed(malformed)
                        .on_unmappable(unmappable);
                    source.check(encoding, &options, &mut out);
                }
            }
        }
        assert!(out.ranges.all > 200, "{label}: {:?}", out.ranges);
        (*label, out)
    });
    report(&results);
}

#[test]
fn ranges_of_empty_and_short_files_are_the_whole() {
    for to in ["utf-8", "utf-16", "iso-2022-kr", "utf-8-sig"] {
        for input in ["", "a", "\n", "a\nb"] {
            let options = TranscodeOptions::from_labels("utf-8", to).unwrap();
            let whole = options.transcode(input.as_bytes()).unwrap();
            let mut transcoder = RangeTranscoder::new(&options).unwrap();
            let mut output = Vec::new();
            let end = input.len() as u64;
            for bytes in (0..end).map(|at| at..at + 1).chain(std::iter::once(end..end)) {
                let cursor = &mut Cursor::new(input);
                let range = InputRange::new(transcoder.safe_range(cursor, bytes).unwrap());
                let reporter = &mut ErrorCounts::default();
                let result = transcoder.convert(cursor, &range, &mut output, reporter).unwrap();
                assert!(result.ends_as_assumed);
            }
            assert_eq!(output, whole, "{input:?} to {to}");
        }
    }
}

#[test]
fn conversions_without_split_points_are_refused() {
    let refusal = |options: Result<TranscodeOptions, Error>| {
        RangeTranscoder::new(&options.unwrap()).unwrap_err().to_string()
    };
    for (chain, expected) in [
        ("iso-2022-jp..utf-8", "ISO-2022-JP: cannot be converted in parts: "),
        ("utf-8/base64..utf-8", "UTF-8/base64: cannot be converted in parts: it has transforms"),
        ("utf-8..utf-8/crlf", "UTF-8/crlf: cannot be converted in parts: it has transforms"),
        ("utf-8..nfc..utf-8", "nfc: cannot be converted in parts: it is a transform"),
        ("utf-8..scsu", "SCSU: cannot be converted in parts: "),
        (
            "utf-8..hz..utf-8",
            "HZ: cannot be converted in parts: it cannot be split after each line",
        ),
        ("utf-8..iso-2022-jp..utf-8", "ISO-2022-JP: cannot be converted in parts: "),
        ("jis_x0208..utf-16", "UTF-16: cannot be converted in parts: the target needs line feeds"),
        ("utf-8,latin1..utf-8", "UTF-8,ISO-8859-1: cannot be converted in parts: a list"),
    ] {
        let message = refusal(TranscodeOptions::from_chain(chain));
        assert!(message.starts_with(expected), "{chain}: {message}");
    }
    let options = || TranscodeOptions::from_labels("rfc2047", "utf-8");
    assert!(refusal(options()).starts_with("RFC2047: cannot be converted in parts: "));
    let latin1 = || TranscodeOptions::from_labels("latin1", "utf-8").unwrap();
    assert!(refusal(Ok(latin1().header_field("subject"))).starts_with("subject: "));
    assert!(refusal(Ok(latin1().fix_declaration(true))).starts_with("declarations: "));
}

#[test]
fn a_file_is_split_at_the_first_split_point_after_each_part() {
    let options = TranscodeOptions::from_labels("latin1", "utf-8").unwrap();
    let transcoder = RangeTranscoder::new(&options).unwrap();
    for line in ["\n", "a\n", "one\n", "a longer line\n"] {
        for lines in 0..12 {
            let text = line.repeat(lines);
            let (size, line_len) = (text.len() as u64, line.len() as u64);
            for count in 1..=14 {
                // The part of each line is that in which it begins.
                let mut ends: Vec<u64> = (1..=count)
                    .map(|index| (size * index / count).next_multiple_of(line_len))
                    .filter(|end| *end > 0 || lines == 0)
                    .collect();
                ends.dedup();
                let mut input = Cursor::new(&text);
                let ranges = transcoder.ranges(&mut input, count).unwrap();
                let ranges: Vec<_> = ranges.map(Result::unwrap).collect();
                let starts = [0].into_iter().chain(ends.iter().copied());
                let expected: Vec<_> =
                    starts.zip(ends.iter().copied()).map(|(start, end)| start..end).collect();
                assert_eq!(ranges, expected, "{lines} × {line:?} in {count} parts");
            }
        }
    }
}
