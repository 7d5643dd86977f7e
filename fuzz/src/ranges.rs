//! The outputs and errors of ranges, joined, are those of the whole input.
//!
//! Input: four bytes for each of the two encodings, one for each half of the policy, one for the number of ranges, two for
//! the length of the input, then the input.

use std::io::Cursor;

use charpipe::split::{InputRange, RangeTranscoder};
use charpipe::{ErrorCounts, TranscodeOptions};

use super::cases::choose_case;
use super::conversion::choose_error_policy;
use super::params::FuzzInput;

/// The maximum number of ranges.
const MAX_RANGES: usize = 24;

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let (from, to) = (&choose_case(&mut bytes).encoding, &choose_case(&mut bytes).encoding);
    let mut options = TranscodeOptions::new(from.clone(), to.clone());
    choose_error_policy(&mut options, &mut bytes);
    let count = 1 + bytes.below(MAX_RANGES);
    let content = bytes.with_ascii_prefix();
    let Ok(mut transcoder) = RangeTranscoder::new(&options) else { return };
    let (expected, expected_counts, is_stopped) = convert_whole(&options, &content);
    let mut input = Cursor::new(&content[..]);
    let ranges = transcoder.ranges(&mut input, count as u64).expect("memory can be read");
    let ranges: Vec<_> = ranges.collect::<Result<_, _>>().expect("memory can be read");
    assert_eq!(ranges.first().map(|range| range.start), Some(0), "{ranges:?}");
    assert_eq!(ranges.last().map(|range| range.end), Some(content.len() as u64), "{ranges:?}");
    let (mut output, mut counts, mut first_line) = (Vec::new(), ErrorCounts::default(), 1);
    let mut stopped = false;
    for bytes in &ranges {
        let range = InputRange::new(bytes.clone()).first_line(first_line);
        let result = transcoder.convert(&mut input, &range, &mut output, &mut counts);
        let result = result.unwrap_or_else(|error| panic!("{from} {to} {bytes:?}: {error}"));
        first_line += result.lines;
        if result.stopped.is_some() {
            stopped = true;
            break;
        }
    }
    let context = || format!("{from} {to}: {ranges:?}");
    assert_eq!(stopped, is_stopped, "{}", context());
    assert_eq!(output, expected, "{}", context());
    assert_eq!(counts, expected_counts, "{}", context());
}

/// Returns the output, the errors, and whether one of them has stopped the conversion.
fn convert_whole(options: &TranscodeOptions, content: &[u8]) -> (Vec<u8>, ErrorCounts, bool) {
    let mut transcoder = options.build().expect("a range transcoder has been built");
    let (mut output, mut counts) = (Vec::new(), ErrorCounts::default());
    let mut convert = || {
        transcoder.process_reader(&mut &content[..], &mut output, &mut counts)?;
        transcoder.finish_input(&mut output, &mut counts)?;
        transcoder.finish(&mut output, &mut counts)
    };
    let is_stopped = match convert() {
        Ok(()) => false,
        Err(charpipe::Error::Conversion(_)) => true,
        Err(other) => panic!("{other}"),
    };
    (output, counts, is_stopped)
}
