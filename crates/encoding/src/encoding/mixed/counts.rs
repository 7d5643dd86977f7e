//! What a decoder of mixed encodings has decoded as what.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::EncodingList;

/// The number of bits of a position in the input, after which it wraps.
pub(super) const POSITION_BITS: u32 = 43;

/// What is decoded with one encoding.
///
/// ```
/// let spec: charpipe::EncodingSpec = "utf-8,windows-1252:per=line".parse()?;
/// assert_eq!(spec.encoding().name(), "UTF-8,CP1252");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MixedUnit {
    /// Bytes that are malformed in the first encoding.
    Run,
    /// A line.
    Line,
}

/// How the lines or runs of a file in mixed encodings were decoded.
///
/// An `ErrorReporter` receives it at the end of each file:
///
/// ```
/// use charpipe::{ErrorEvent, ErrorReporter, TranscodeOptions};
/// use charpipe_encoding::MixedCounts;
///
/// struct Report(String);
///
/// impl ErrorReporter for Report {
///     fn wants_position(&self) -> bool {
///         false
///     }
///     fn error(&mut self, _: &ErrorEvent) {}
///     fn decoded_mixed(&mut self, counts: &MixedCounts) {
///         self.0 = counts.to_string();
///     }
/// }
///
/// let options = TranscodeOptions::from_labels("utf-8,windows-1252:per=line", "utf-8")?;
/// let (mut transcoder, mut text, mut report) = (options.build()?, Vec::new(), Report(String::new()));
/// transcoder.process_reader(&mut &b"caf\xC3\xA9\ncaf\xE9\n"[..], &mut text, &mut report)?;
/// transcoder.finish_input(&mut text, &mut report)?;
/// assert_eq!(text, "café\ncafé\n".as_bytes());
/// assert_eq!(report.0, "1 line as UTF-8, 1 as CP1252 (first: line 2)");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MixedCounts {
    /// What is counted.
    pub unit: MixedUnit,
    /// The counts of each encoding, in the order of the list. Runs of the first one are not counted.
    pub encodings: Vec<MixedCount>,
    /// The counts of lines that are valid in no encoding.
    pub invalid: MixedCount,
}

/// How often one encoding of a list was used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct MixedCount {
    /// The name of the encoding with its options.
    pub encoding: String,
    /// The number of lines or runs.
    pub count: u64,
    /// The number of lines with runs.
    pub lines: u64,
    /// The first line that was decoded with this encoding, from 1.
    pub first_line: Option<u64>,
}

impl MixedCount {
    /// Adds a line or run in line `line`.
    fn add(&mut self, line: u64, is_new_line: bool) {
        self.count += 1;
        self.lines += u64::from(is_new_line);
        self.first_line.get_or_insert(line);
    }

    fn reset(&mut self) {
        (self.count, self.lines, self.first_line) = (0, 0, None);
    }
}

impl MixedCounts {
    /// Returns whether anything was not valid in the first encoding.
    ///
    /// ```
    /// # fn example(counts: &charpipe_encoding::MixedCounts) {
    /// if counts.is_mixed() {
    ///     println!("{counts}");
    /// }
    /// # }
    /// ```
    pub fn is_mixed(&self) -> bool {
        let others = self.encodings.iter().skip(1).chain([&self.invalid]);
        others.into_iter().any(|known| known.count > 0)
    }
}

impl fmt::Display for MixedCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count| if count == 1 { "" } else { "s" };
        let Some((first, others)) = self.encodings.split_first() else { return Ok(()) };
        let used = || others.iter().filter(|known| known.count > 0);
        let fmt_first_line = |f: &mut fmt::Formatter<'_>, known: &MixedCount| match known.first_line
        {
            Some(line) => write!(f, " (first: line {line})"),
            None => Ok(()),
        };
        if self.unit == MixedUnit::Run {
            for known in used() {
                let MixedCount { encoding, count, lines, .. } = known;
                write!(f, "{count} run{} in {lines} line{}", plural(*count), plural(*lines))?;
                write!(f, " as {encoding}")?;
                fmt_first_line(f, known)?;
                f.write_str(", ")?;
            }
            let rest = if used().next().is_some() { "the rest" } else { "all" };
            return write!(f, "{rest} as {}", first.encoding);
        }
        write!(f, "{} line{} as {}", first.count, plural(first.count), first.encoding)?;
        for known in used() {
            write!(f, ", {} as {}", known.count, known.encoding)?;
            fmt_first_line(f, known)?;
        }
        if self.invalid.count > 0 {
            write!(f, ", {} invalid", self.invalid.count)?;
            fmt_first_line(f, &self.invalid)?;
        }
        Ok(())
    }
}

/// Counts what is decoded. A part of the input may be decoded several times, for example to find the
/// position of an error; it is counted once, by its position.
#[derive(Debug)]
pub(super) struct Counter {
    counts: MixedCounts,
    /// The number of lines before `counted_up_to`.
    lines: u64,
    /// The last line in which a run was counted, for each encoding.
    last_lines: Vec<u64>,
    /// The position up to which the input has been counted.
    counted_up_to: u64,
}

impl Counter {
    pub fn new(list: &EncodingList, unit: MixedUnit) -> Counter {
        let count = |label| MixedCount { encoding: label, ..MixedCount::default() };
        let encodings = list.members.iter().map(|member| count(member.label())).collect();
        Counter {
            counts: MixedCounts { unit, encodings, invalid: MixedCount::default() },
            lines: 0,
            last_lines: vec![0; list.members.len()],
            counted_up_to: 0,
        }
    }

    /// Returns whether the input from `position` on has not been counted. Up to `end` it has then.
    fn advance(&mut self, position: u64, end: u64) -> bool {
        let distance = position.wrapping_sub(self.counted_up_to) & ((1 << POSITION_BITS) - 1);
        let is_new = distance < 1 << (POSITION_BITS - 1);
        if is_new {
            self.counted_up_to = end;
        }
        is_new
    }

    /// Counts `count` lines of `len` bytes in the first encoding.
    pub fn add_lines(&mut self, position: u64, len: usize, count: impl FnOnce() -> u64) {
        if len > 0 && self.advance(position, position + len as u64) {
            let count = count();
            self.lines += count;
            self.counts.encodings[0].count += count;
        }
    }

    /// Counts a line in an encoding, or in none.
    pub fn add_line(&mut self, position: u64, member: Option<usize>) {
        if self.advance(position, position + 1) {
            self.lines += 1;
            let known = match member {
                Some(member) => &mut self.counts.encodings[member],
                None => &mut self.counts.invalid,
            };
            known.add(self.lines, true);
        }
    }

    /// Counts the line feeds of `len` bytes outside runs.
    pub fn add_line_feeds(&mut self, position: u64, len: usize, count: impl FnOnce() -> u64) {
        if len > 0 && self.advance(position, position + len as u64) {
            self.lines += count();
        }
    }

    pub fn add_run(&mut self, position: u64, member: usize) {
        if self.advance(position, position + 1) {
            let line = self.lines + 1;
            let last_line = std::mem::replace(&mut self.last_lines[member], line);
            self.counts.encodings[member].add(line, line != last_line);
        }
    }

    /// Returns the counts, and starts again.
    fn take(&mut self) -> MixedCounts {
        let counts = self.counts.clone();
        self.counts.encodings.iter_mut().for_each(MixedCount::reset);
        self.counts.invalid.reset();
        self.last_lines.fill(0);
        (self.lines, self.counted_up_to) = (0, 0);
        counts
    }
}

/// The counter of a decoder of mixed encodings, which counts during its calls. Its caller takes the counts
/// between them.
#[derive(Debug, Clone)]
pub struct SharedCounter(Arc<Mutex<Counter>>);

impl SharedCounter {
    pub(super) fn new(list: &EncodingList, unit: MixedUnit) -> SharedCounter {
        SharedCounter(Arc::new(Mutex::new(Counter::new(list, unit))))
    }

    /// Returns how often each encoding of the list was used since the last call.
    pub fn take(&self) -> MixedCounts {
        self.lock().take()
    }

    /// Exchanges the counter for that of the decoder, at the start and the end of a call.
    pub(super) fn swap(&self, counter: &mut Counter) {
        std::mem::swap(&mut *self.lock(), counter);
    }

    fn lock(&self) -> MutexGuard<'_, Counter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
