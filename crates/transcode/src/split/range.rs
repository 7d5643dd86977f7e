//! Conversion of one range of a file.

use std::fmt;
use std::io::{Read, Seek, SeekFrom, Take, Write};
use std::ops::Range;
use std::str::FromStr;

use crate::chain_spec::ChainStep;
use crate::io::ErrorCounts;
use crate::options::{BomPolicy, EncodingSpec, TranscodeOptions};
use crate::split::{ByteSet, SplitPoints, SplitRule, SplitTarget, context, safe_offset};
use crate::transcoder::position::LineColumn;
use crate::transcoder::{ErrorReporter, Transcoder};
use charpipe_encoding::bom::BOM;
use charpipe_encoding::codec::State;
use charpipe_encoding::conversion_error::{ActionTaken, ErrorEvent, ErrorKind};
use charpipe_encoding::encoding::MixedCounts;
use charpipe_encoding::error::{ConversionError, Error};

/// Converts ranges of files, whose outputs joined are the conversion of the whole file, byte for byte.
///
/// The ranges must be separated by [split points](RangeTranscoder::points) of the file, which
/// [`safe_range`](RangeTranscoder::safe_range) finds. The first range writes the byte order mark or the
/// header of the output, if it has one. Positions of errors are those in the whole file, if the
/// range begins after a line feed and its first line is given.
///
/// ```
/// use std::io::Cursor;
/// use charpipe::{ErrorCounts, TranscodeOptions};
/// use charpipe::split::{InputRange, RangeTranscoder};
///
/// let mut input = Cursor::new(b"\x93\xFA\x96\x7B\n\x8C\xEA\nabc\n");
/// let options = TranscodeOptions::from_labels("shift_jis", "utf-16")?;
/// let mut transcoder = RangeTranscoder::new(&options)?;
/// let (mut output, mut first_line) = (Vec::new(), 1);
/// // Three parts of about four bytes.
/// for bytes in [0..4, 4..8, 8..12] {
///     let bytes = transcoder.safe_range(&mut input, bytes)?;
///     let range = InputRange::new(bytes).first_line(first_line);
///     let result = transcoder.convert(&mut input, &range, &mut output, &mut ErrorCounts::default())?;
///     first_line += result.lines;
/// }
/// assert_eq!(output, options.transcode(input.into_inner())?);
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug)]
pub struct RangeTranscoder {
    transcoder: Transcoder,
    points: SplitPoints,
    assumes_line_starts: bool,
}

/// A range of a file to convert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputRange {
    bytes: Range<u64>,
    first_line: u64,
    first_column: u64,
    start_state: Option<RangeState>,
}

/// The result of the conversion of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RangeResult {
    /// The bytes that were converted, as offsets in the file. Shorter than the range if
    /// [`stopped`](RangeResult::stopped) is set.
    pub bytes: Range<u64>,
    /// The number of bytes that were written.
    pub output_bytes: u64,
    /// The number of line feeds in the decoded text. The first line of the next range is as many lines
    /// further on.
    pub lines: u64,
    /// The column in which the next range begins: 1 after a line feed that was decoded. Otherwise exact only
    /// if the reporter wants positions.
    pub next_column: u64,
    /// The number of malformed sequences.
    pub malformed: u64,
    /// The number of unmappable characters, except for those that were transliterated or escaped.
    pub unmappable: u64,
    /// The number of errors by the action taken.
    pub error_counts: ErrorCounts,
    /// The error that stopped the conversion, under the action
    /// [`Stop`](crate::ErrorAction::Stop). The outputs of all later ranges must be dropped.
    pub stopped: Option<Box<ConversionError>>,
    /// The state at the end of the range.
    #[doc(hidden)]
    pub end_state: RangeState,
    /// Whether that is the state in which the conversion of the next range begins. Always true for ranges
    /// between proven split points, and for the last range.
    #[doc(hidden)]
    pub ends_as_assumed: bool,
}

/// The state of a conversion between two ranges: that of the decoder, the encoder and the stages between
/// them.
///
/// It can be written as text and parsed again, for a conversion with the same options in another
/// process.
///
/// ```
/// use charpipe_transcode::split::RangeState;
///
/// let state: RangeState = "3:0,0:0".parse()?;
/// assert_eq!(state.to_string(), "3:0,0:0");
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RangeState {
    stages: Vec<State>,
    has_unread_bytes: bool,
}

impl InputRange {
    /// Returns the range of these bytes of the file, between two split points. Its first line is 1.
    pub fn new(bytes: Range<u64>) -> InputRange {
        InputRange { bytes, first_line: 1, first_column: 1, start_state: None }
    }

    /// Sets the line of the whole file, from 1, in which the range begins.
    #[must_use]
    pub fn first_line(mut self, line: u64) -> InputRange {
        self.first_line = line;
        self
    }

    /// Sets the column in which the range begins, from 1, if it does not begin after a line feed.
    #[must_use]
    pub fn first_column(mut self, column: u64) -> InputRange {
        self.first_column = column;
        self
    }

    /// Sets the state in which the preceding range [ended](RangeResult::end_state).
    #[must_use]
    #[doc(hidden)]
    pub fn start_state(mut self, state: RangeState) -> InputRange {
        self.start_state = Some(state);
        self
    }
}

impl RangeTranscoder {
    /// Returns a transcoder for ranges between proven split points.
    ///
    /// ```
    /// use charpipe::TranscodeOptions;
    /// use charpipe::split::RangeTranscoder;
    ///
    /// let transcoder = |chain| RangeTranscoder::new(&TranscodeOptions::from_chain(chain)?);
    /// assert_eq!(transcoder("ibm1047..big5..utf-16")?.points().to_string(), "after 25");
    /// let error = transcoder("utf-8..nfc..utf-8").unwrap_err().to_string();
    /// assert_eq!(error, "nfc: cannot be converted in parts: it is a transform");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Error::Unsplittable`] if no split points are known for the conversion, and the errors of
    /// [`TranscodeOptions::build`].
    pub fn new(options: &TranscodeOptions) -> Result<RangeTranscoder, Error> {
        RangeTranscoder::with_points(options, split_points(options, false)?, false)
    }

    /// Returns a transcoder that assumes the state in which most lines begin after each line feed. The
    /// result must be verified. For encodings with proven split points it is the same as
    /// [`new`](RangeTranscoder::new).
    ///
    /// A file in ISO-2022-JP and some other encodings has no split points: the state of the decoder is the initial
    /// one after most of the line feeds, but perhaps not after all. This transcoder converts
    /// ranges between line feeds as if it were. The outputs are the conversion of the whole file if each range
    /// [ends as the next one assumes](RangeResult::ends_as_assumed). Otherwise the next one must be converted
    /// again, from the state in which this one [ended](RangeResult::end_state):
    ///
    /// ```
    /// use std::io::Cursor;
    /// use charpipe::{ErrorCounts, TranscodeOptions};
    /// use charpipe::split::{InputRange, RangeTranscoder};
    ///
    /// // The second line begins with two bytes of a character.
    /// let mut input = Cursor::new(b"\x1B$BF|\nK\\\x1B(B\nab\n");
    /// let options = TranscodeOptions::from_labels("iso-2022-jp", "utf-8")?;
    /// assert!(RangeTranscoder::new(&options).is_err());
    /// let mut transcoder = RangeTranscoder::assuming_line_starts(&options)?;
    /// let mut convert = |range: &InputRange| {
    ///     let mut output = Vec::new();
    ///     let result = transcoder.convert(&mut input, range, &mut output, &mut ErrorCounts::default())?;
    ///     Ok::<_, charpipe::Error>((String::from_utf8(output).unwrap(), result))
    /// };
    /// let (text, first) = convert(&InputRange::new(0..6))?;
    /// assert_eq!((text.as_str(), first.ends_as_assumed), ("日\n", false));
    /// assert_eq!(convert(&InputRange::new(6..12))?.0, "K\\\n");
    /// let (text, second) = convert(&InputRange::new(6..12).start_state(first.end_state))?;
    /// assert_eq!((text.as_str(), second.ends_as_assumed), ("本\n", true));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`new`](RangeTranscoder::new).
    #[doc(hidden)]
    pub fn assuming_line_starts(options: &TranscodeOptions) -> Result<RangeTranscoder, Error> {
        let assumes = !options.from.split_rule().unverified_line_feeds.is_empty();
        RangeTranscoder::with_points(options, split_points(options, true)?, assumes)
    }

    fn with_points(
        options: &TranscodeOptions,
        points: SplitPoints,
        assumes_line_starts: bool,
    ) -> Result<RangeTranscoder, Error> {
        let mut transcoder = options.build()?;
        debug_assert!(transcoder.can_resume(), "such options are refused");
        transcoder.always_count_lines();
        Ok(RangeTranscoder { transcoder, points, assumes_line_starts })
    }

    /// Returns where files can be split for this conversion: at line feeds if the encoding has any, so that
    /// the columns of errors are exact.
    #[doc(hidden)]
    pub fn points(&self) -> &SplitPoints {
        &self.points
    }

    /// Returns whether the state at the end of each range must be compared with the one that the next range
    /// assumes.
    #[doc(hidden)]
    pub fn needs_verification(&self) -> bool {
        self.assumes_line_starts
    }

    /// Returns the range between the first [safe offsets](safe_offset) from the ends of a range on.
    ///
    /// ```
    /// use charpipe::split::RangeTranscoder;
    ///
    /// let options = charpipe::TranscodeOptions::from_labels("latin1", "utf-8")?;
    /// let mut input = std::io::Cursor::new(b"one\ntwo\nthree\n");
    /// let range = RangeTranscoder::new(&options)?.safe_range(&mut input, 3..6)?;
    /// assert_eq!(range, 4..8);
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Error::Read`] if reading fails.
    pub fn safe_range(
        &self,
        input: &mut (impl Read + Seek),
        range: Range<u64>,
    ) -> Result<Range<u64>, Error> {
        let mut safe = |offset| safe_offset(input, &self.points, offset).map_err(Error::Read);
        Ok(safe(range.start)?..safe(range.end)?)
    }

    /// Returns the adjacent ranges of a file that is split into `count` parts of about the same size. Parts
    /// without a split point are joined with the next ones. An empty file has one range.
    ///
    /// ```
    /// use charpipe::split::RangeTranscoder;
    ///
    /// let options = charpipe::TranscodeOptions::from_labels("latin1", "utf-8")?;
    /// let transcoder = RangeTranscoder::new(&options)?;
    /// let mut input = std::io::Cursor::new(b"one\ntwo\nthree\n");
    /// let ranges: Result<Vec<_>, _> = transcoder.ranges(&mut input, 3)?.collect();
    /// assert_eq!(ranges?, [0..4, 4..14]);
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Error::Read`] if reading fails, and so does the iterator.
    pub fn ranges<'a, R: Read + Seek>(
        &'a self,
        input: &'a mut R,
        count: u64,
    ) -> Result<impl Iterator<Item = Result<Range<u64>, Error>> + 'a, Error> {
        let count = count.max(1);
        let size = input.seek(SeekFrom::End(0)).map_err(Error::Read)?;
        let mut next = Some(0);
        Ok(std::iter::from_fn(move || {
            let start = next.take()?;
            // The end of the first part that ends after `start`.
            let parts = (u128::from(start) + 1) * u128::from(count);
            let index = parts.div_ceil(u128::from(size.max(1)));
            let index = u64::try_from(index).unwrap_or(count).min(count);
            let end = part_offset(size, index, count);
            let end = match self.safe_range(input, end..end) {
                Ok(range) => range.end,
                Err(error) => return Some(Err(error)),
            };
            // A file that has become shorter has no further ranges.
            next = Some(end).filter(|end| start < *end && *end < size);
            Some(Ok(start..end))
        }))
    }

    /// Converts a range of a file and writes the output.
    ///
    /// The ends of the range must be [split points](RangeTranscoder::points), 0 or the size of the file.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Read`] if reading fails or the file ends within the range, [`Error::Io`] if writing
    /// fails, and [`Error::Unsplittable`] if a preceding range ended in the middle of a character. A
    /// conversion error under the action [`Stop`](crate::ErrorAction::Stop) is part of the result.
    pub fn convert(
        &mut self,
        input: &mut (impl Read + Seek),
        range: &InputRange,
        output: &mut dyn Write,
        reporter: &mut dyn ErrorReporter,
    ) -> Result<RangeResult, Error> {
        let InputRange { bytes: Range { start, end }, first_line, first_column, .. } = *range;
        let size = input.seek(SeekFrom::End(0)).map_err(Error::Read)?;
        // Only the range that contains the last byte ends the output, and the only range of an empty file.
        let is_last = end >= size && (start < end || size == 0);
        let next_states = match end >= size {
            true => None,
            false => Some(self.states_at(input, end)?),
        };
        let states = match &range.start_state {
            Some(state) => self.resumable(state)?,
            None if start == 0 || start >= size => self.transcoder.initial_states(),
            None => self.states_at(input, start)?,
        };
        let at = LineColumn { line: first_line, column: first_column };
        self.transcoder.resume(&states, start, at);
        input.seek(SeekFrom::Start(start)).map_err(Error::Read)?;
        let mut output = CountedWriter { inner: output, count: 0 };
        let mut counter = ErrorCounter::new(reporter);
        let mut input = input.take(end.saturating_sub(start));
        let result = self.process(&mut input, is_last, &mut output, &mut counter);
        let read = end.saturating_sub(start) - input.limit();
        let (result, stopped) = match result {
            Err(Error::Conversion(error)) => (None, Some(error)),
            result => (Some(result?), None),
        };
        let (state, end) = result.unwrap_or((None, self.transcoder.line_column()));
        let converted = match &stopped {
            Some(error) => error.position().map_or(read, |position| position.offset - start),
            None => read,
        };
        Ok(RangeResult {
            bytes: start..start + converted,
            output_bytes: output.count,
            lines: end.line - first_line,
            next_column: end.column,
            malformed: counter.malformed,
            unmappable: counter.unmappable,
            error_counts: counter.counts,
            ends_as_assumed: stopped.is_none() && (next_states.is_none() || state == next_states),
            end_state: RangeState {
                has_unread_bytes: state.is_none(),
                stages: state.unwrap_or_else(|| self.transcoder.states()),
            },
            stopped,
        })
    }

    /// Converts all bytes of `input`, which must not end early. Returns the states of the stages and the position
    /// after them.
    fn process(
        &mut self,
        input: &mut Take<impl Read>,
        is_last: bool,
        output: &mut dyn Write,
        reporter: &mut dyn ErrorReporter,
    ) -> Result<(Option<Vec<State>>, LineColumn), Error> {
        loop {
            match input.read(self.transcoder.input_buffer()) {
                Ok(0) if input.limit() > 0 => {
                    return Err(Error::Read(std::io::ErrorKind::UnexpectedEof.into()));
                }
                Ok(0) => break,
                Ok(len) => self.transcoder.process(len, output, reporter)?,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::Read(error)),
            }
        }
        let (state, end) = (self.transcoder.stage_states(), self.transcoder.line_column());
        if is_last {
            self.transcoder.finish_input(output, reporter)?;
            self.transcoder.finish(output, reporter)?;
        }
        Ok((state, end))
    }

    /// Returns the states of the stages at a split point.
    fn states_at(
        &mut self,
        input: &mut (impl Read + Seek),
        offset: u64,
    ) -> Result<Vec<State>, Error> {
        let context = context(input, &self.points, offset).map_err(Error::Read)?;
        self.transcoder.states_after(&context)
    }

    /// Returns the states of the stages in which a preceding range ended.
    fn resumable(&self, state: &RangeState) -> Result<Vec<State>, Error> {
        let reason = match state {
            RangeState { has_unread_bytes: true, .. } => "it ends in the middle of a character",
            RangeState { stages, .. } if stages.len() != self.transcoder.initial_states().len() => {
                "it is the state of another conversion"
            }
            RangeState { stages, .. } => return Ok(stages.clone()),
        };
        Err(Error::Unsplittable { step: format!("state {state}"), reason })
    }
}

impl RangeState {
    /// Returns whether a range can be converted that begins in this state: no stage has unread bytes.
    /// Otherwise the range must be converted together with the preceding one.
    pub fn is_resumable(&self) -> bool {
        !self.has_unread_bytes
    }
}

/// Writes the state of each stage in hexadecimal, followed by `+` if there are unread bytes.
impl fmt::Display for RangeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, state) in self.stages.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            write!(f, "{separator}{:x}:{:x}", state.bits(), state.inner().bits())?;
        }
        f.write_str(if self.has_unread_bytes { "+" } else { "" })
    }
}

impl FromStr for RangeState {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<RangeState, &'static str> {
        let parse = |stage: &str| {
            let (bits, inner) = stage.split_once(':')?;
            let number = |text: &str| u64::from_str_radix(text, 16).ok();
            Some(State::new(number(bits)?).with_inner(State::new(number(inner)?)))
        };
        let (stages, has_unread_bytes) = match text.strip_suffix('+') {
            Some(stages) => (stages, true),
            None => (text, false),
        };
        let stages = stages.split(',').map(parse).collect::<Option<Vec<_>>>();
        Ok(RangeState { stages: stages.ok_or("not a state of a conversion")?, has_unread_bytes })
    }
}

/// Returns the offset at which part `index` of `count` parts of a file ends.
pub fn part_offset(size: u64, index: u64, count: u64) -> u64 {
    let offset = u128::from(size) * u128::from(index) / u128::from(count.max(1));
    u64::try_from(offset).unwrap_or(size)
}

/// Returns where files can be split for a conversion, at unverified line feeds if `assume_line_starts`.
fn split_points(
    options: &TranscodeOptions,
    assume_line_starts: bool,
) -> Result<SplitPoints, Error> {
    let TranscodeOptions { from, to, via, bom, header_fields, .. } = options;
    if options.headers_only {
        return unsplittable(&"--headers-only", "the headers end where the body begins");
    }
    if let Some(field) = header_fields.first() {
        return unsplittable(field, "the header ends where the body begins");
    }
    if options.fix_declaration {
        return unsplittable(&"declarations", "they are changed at the start of the input only");
    }
    let rule = from.split_rule();
    let mut points = source_points(rule, assume_line_starts);
    let mut apply = |spec: &dyn fmt::Display, target: SplitTarget| {
        points = points.for_target(target);
        match points {
            SplitPoints::None { reason } => unsplittable(spec, reason),
            _ => Ok(()),
        }
    };
    apply(from, SplitTarget::AnyCharacter)?;
    for step in via {
        match step {
            ChainStep::Transform(..) => return unsplittable(step, "it is a transform"),
            ChainStep::Reencode(spec) => {
                apply(spec, spec.split_rule().target)?;
                if let Some(reason) = reason_against_decoding(spec) {
                    return unsplittable(spec, reason);
                }
                apply(spec, SplitTarget::AfterLineFeed { header: false })?;
            }
            ChainStep::Reinterpret { .. } => {
                return unsplittable(step, "its bytes may have other line feeds");
            }
        }
    }
    apply(to, to.split_rule().target)?;
    if matches!(bom, BomPolicy::Add | BomPolicy::Strip) {
        // A filter is past the start of the text after a line feed, but not after all malformed bytes.
        debug_assert!(!BOM.contains('\n'));
        apply(from, SplitTarget::AfterLineFeed { header: true })?;
    }
    Ok(match points.for_target(SplitTarget::AfterLineFeed { header: false }) {
        SplitPoints::None { .. } => points,
        line_feeds => line_feeds,
    })
}

fn unsplittable<T>(step: &dyn fmt::Display, reason: &'static str) -> Result<T, Error> {
    Err(Error::Unsplittable { step: step.to_string(), reason })
}

/// Returns where files can be split by the rule of their encoding.
fn source_points(rule: SplitRule, assume_line_starts: bool) -> SplitPoints {
    let line_feeds = rule.unverified_line_feeds;
    if assume_line_starts && !line_feeds.is_empty() {
        return SplitPoints::AfterByte { bytes: line_feeds, line_feeds, not_after: None };
    }
    rule.source
}

/// Returns why text that is encoded in the middle of a chain cannot be split where it is decoded again.
fn reason_against_decoding(spec: &EncodingSpec) -> Option<&'static str> {
    let needs_line_feeds = |line_feeds: ByteSet| {
        line_feeds.is_empty().then_some("the chain needs line feeds, which it does not have")
    };
    match spec.split_rule().source {
        SplitPoints::AnyByte { line_feeds } => needs_line_feeds(line_feeds),
        SplitPoints::AfterByte { line_feeds, not_after: None, .. } => needs_line_feeds(line_feeds),
        SplitPoints::AfterByte { not_after: Some(_), .. } => {
            Some("it cannot be split after each line feed")
        }
        SplitPoints::AfterLineFeedUnit { .. } => None,
        SplitPoints::None { reason } => Some(reason),
    }
}

/// Counts the bytes that are written.
struct CountedWriter<'a> {
    inner: &'a mut dyn Write,
    count: u64,
}

impl Write for CountedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.count += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// Counts the errors that a reporter receives.
struct ErrorCounter<'a> {
    inner: &'a mut dyn ErrorReporter,
    counts: ErrorCounts,
    malformed: u64,
    unmappable: u64,
}

impl<'a> ErrorCounter<'a> {
    fn new(inner: &'a mut dyn ErrorReporter) -> ErrorCounter<'a> {
        ErrorCounter { inner, counts: ErrorCounts::default(), malformed: 0, unmappable: 0 }
    }

    fn count(&mut self, error: &ErrorEvent, count: u64) {
        self.counts.repeated_error(error, count);
        if error.action_taken.is_error() || error.action_taken == ActionTaken::Stopped {
            match error.kind {
                ErrorKind::Malformed { .. } => self.malformed += count,
                _ => self.unmappable += count,
            }
        }
    }
}

impl ErrorReporter for ErrorCounter<'_> {
    fn wants_position(&self) -> bool {
        self.inner.wants_position()
    }

    fn error(&mut self, error: &ErrorEvent) {
        self.count(error, 1);
        self.inner.error(error);
    }

    fn counts_only(&self) -> bool {
        self.inner.counts_only()
    }

    fn counts_conversions_only(&self) -> bool {
        self.inner.counts_conversions_only()
    }

    fn repeated_error(&mut self, error: &ErrorEvent, count: u64) {
        self.count(error, count);
        self.inner.repeated_error(error, count);
    }

    fn decoded_mixed(&mut self, counts: &MixedCounts) {
        self.inner.decoded_mixed(counts);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::error_policy::ErrorAction;

    /// Converts a file in this many ranges, and returns the output and the number of line feeds.
    fn convert_ranges(options: &TranscodeOptions, file: &[u8], count: u64) -> (Vec<u8>, u64) {
        let mut transcoder = RangeTranscoder::new(options).unwrap();
        let mut input = Cursor::new(file);
        let ranges: Result<Vec<_>, _> = transcoder.ranges(&mut input, count).unwrap().collect();
        let ranges = ranges.unwrap();
        assert!(ranges.len() as u64 <= count);
        let (mut output, mut lines, mut end) = (Vec::new(), 0, 0);
        for range in ranges {
            assert_eq!(range.start, end);
            end = range.end;
            let range = InputRange::new(range).first_line(lines + 1);
            let counts = &mut ErrorCounts::default();
            let before = output.len() as u64;
            let result = transcoder.convert(&mut input, &range, &mut output, counts).unwrap();
            assert_eq!(result.output_bytes, output.len() as u64 - before);
            assert!(result.ends_as_assumed && result.stopped.is_none());
            lines += result.lines;
        }
        assert_eq!(end, file.len() as u64);
        (output, lines)
    }

    #[test]
    fn outputs_of_ranges_joined_are_the_output_of_the_file() {
        let cases: [(&str, &str, &[u8], u64); 6] = [
            ("latin1", "utf-16", b"one\ntwo\n\xE9\n", 3),
            ("shift_jis", "iso-2022-kr", b"\x93\xFA\n\x96\x7B\n\x8C\xEA", 2),
            ("utf-16", "utf-8", b"\xFF\xFEa\0\n\0b\0\n\0\x0A\x0Ac\0", 2),
            ("utf-16", "utf-8", b"\xFE\xFF\0a\0\n\0b\0\n\x0A\0\0c", 2),
            ("utf-8", "utf-8-sig", "a\nb\n\nc".as_bytes(), 3),
            ("utf-8", "utf-16", b"", 0),
        ];
        for (from, to, file, lines) in cases {
            let options = TranscodeOptions::from_labels(from, to).unwrap();
            let whole = options.transcode(file).unwrap();
            for count in 1..=6 {
                let expected = (whole.clone(), lines);
                assert_eq!(convert_ranges(&options, file, count), expected, "{from} {to} {count}");
            }
        }
    }

    #[test]
    fn reporter_that_counts_conversions_only_receives_their_number() {
        #[derive(Default)]
        struct ConversionCounter {
            single: u64,
            repeated: u64,
        }
        impl ErrorReporter for ConversionCounter {
            fn wants_position(&self) -> bool {
                true
            }
            fn error(&mut self, _: &ErrorEvent) {
                self.single += 1;
            }
            fn counts_conversions_only(&self) -> bool {
                true
            }
            fn repeated_error(&mut self, _: &ErrorEvent, count: u64) {
                self.repeated += count;
            }
        }
        let mut options = TranscodeOptions::from_labels("utf-8", "us-ascii").unwrap();
        options.error_policy.unmappable = ErrorAction::ESCAPE_XML;
        let mut transcoder = RangeTranscoder::new(&options).unwrap();
        let (text, mut reporter) = ("é".repeat(1000), ConversionCounter::default());
        let (mut file, mut output) = (Cursor::new(&text), Vec::new());
        let range = InputRange::new(0..text.len() as u64);
        transcoder.convert(&mut file, &range, &mut output, &mut reporter).unwrap();
        assert_eq!(output, "&#233;".repeat(1000).as_bytes());
        assert_eq!((reporter.single, reporter.repeated), (0, 1000));
    }

    #[test]
    fn an_empty_range_at_the_end_writes_nothing() {
        // RFC 1468: the text ends in ASCII.
        let options = TranscodeOptions::from_labels("utf-8", "iso-2022-jp").unwrap();
        let mut transcoder = RangeTranscoder::new(&options).unwrap();
        let (mut output, counts) = (Vec::new(), &mut ErrorCounts::default());
        let mut file = Cursor::new("日");
        let mut convert = |range: &InputRange| {
            transcoder.convert(&mut file, range, &mut output, counts).unwrap().end_state
        };
        let state = convert(&InputRange::new(0..3));
        convert(&InputRange::new(3..3).start_state(state));
        assert_eq!(output, b"\x1B$BF|\x1B(B");
    }

    #[test]
    fn an_empty_file_has_one_range() {
        let options = TranscodeOptions::from_labels("latin1", "utf-8").unwrap();
        let transcoder = RangeTranscoder::new(&options).unwrap();
        let mut input = Cursor::new(b"");
        let ranges: Vec<_> =
            transcoder.ranges(&mut input, 4).unwrap().map(Result::unwrap).collect();
        assert_eq!((ranges.len(), &ranges[0]), (1, &(0..0)));
    }

    #[test]
    fn an_error_that_stops_has_its_position_in_the_file() {
        let options = TranscodeOptions::from_labels("us-ascii", "utf-8").unwrap();
        let mut transcoder = RangeTranscoder::new(&options).unwrap();
        let range = InputRange::new(4..13).first_line(2);
        let (mut output, counts) = (Vec::new(), &mut ErrorCounts::default());
        let mut file = Cursor::new(b"one\ntwo\nab\xFFc\nthree\n");
        let result = transcoder.convert(&mut file, &range, &mut output, counts).unwrap();
        let position = result.stopped.unwrap().position().unwrap();
        assert_eq!((position.offset, position.line, position.column), (10, 3, 3));
        assert_eq!((result.bytes, result.lines, result.next_column), (4..10, 1, 3));
        assert_eq!((result.malformed, result.unmappable), (1, 0));
        assert_eq!(output, b"two\nab");
    }

    #[test]
    fn a_range_that_ends_otherwise_than_assumed_passes_on_its_state() {
        // RFC 1468: the second line begins in JIS X 0208.
        let mut file = Cursor::new(b"\x1B$BF|\nK\\\x1B(B\nab\n");
        let options = TranscodeOptions::from_labels("iso-2022-jp", "utf-8").unwrap();
        let mut transcoder = RangeTranscoder::assuming_line_starts(&options).unwrap();
        assert!(transcoder.needs_verification());
        let mut convert = |range: &InputRange| {
            let (mut output, counts) = (Vec::new(), &mut ErrorCounts::default());
            let result = transcoder.convert(&mut file, range, &mut output, counts).unwrap();
            (String::from_utf8(output).unwrap(), result)
        };
        let (text, first) = convert(&InputRange::new(0..6));
        assert_eq!((text.as_str(), first.ends_as_assumed), ("日\n", false));
        assert!(first.end_state.is_resumable());
        let state: RangeState = first.end_state.to_string().parse().unwrap();
        assert_eq!(state, first.end_state);
        let (text, second) = convert(&InputRange::new(6..12).start_state(state));
        assert_eq!((text.as_str(), second.ends_as_assumed), ("本\n", true));
        let (text, middle) = convert(&InputRange::new(0..4));
        assert!(text.is_empty() && !middle.end_state.is_resumable());
    }

    #[test]
    fn states_are_written_as_they_are_parsed() {
        for text in ["0:0", "1f:0,0:ffffffffffffffff", "2:3,4:5,6:7+"] {
            let state: RangeState = text.parse().unwrap();
            assert_eq!(state.to_string(), text);
            assert_eq!(state.is_resumable(), !text.ends_with('+'));
        }
        for text in ["", "1", "1:g", "1:2,", "+"] {
            text.parse::<RangeState>().unwrap_err();
        }
    }
}
