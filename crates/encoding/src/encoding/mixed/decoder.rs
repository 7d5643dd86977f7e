//! The decoder of mixed encodings.

use memchr::{memchr, memrchr};

use crate::bom::{BOM, UTF8_BOM};
use crate::codec::{Checkpoint, DecodeStage, Progress, State, Status};
use crate::conversion_error::{Malformed, MalformedReason};
use charpipe_kernel::count::count_newlines;

use super::candidate::{MixedCandidate, MixedValidity, RunExtent, Scratch, View};
use super::counts::{Counter, POSITION_BITS};
use super::{EncodingList, MixedUnit, SharedCounter, WINDOW};

/// The maximum number of bytes of a line that are decoded at a time. The line feed is searched in them
/// again after each error.
const LINE_PART_LEN: usize = 1024;

/// Decodes each line or run with the first encoding of a list in which it is valid.
pub(super) struct MixedDecoder {
    unit: MixedUnit,
    candidates: Vec<MixedCandidate>,
    /// Whether several lines can be decoded at once with the first encoding.
    decodes_blocks: bool,
    /// Whether UTF-8 is in the list.
    has_utf8: bool,
    scratch: Scratch,
    /// The counter, during a call.
    counter: Counter,
    /// The counter, between calls.
    shared_counter: SharedCounter,
    context: MixedContext,
}

/// What the decoder remembers, except for the state of the encoding in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MixedContext {
    phase: Phase,
    /// Whether the start of the input has been decoded.
    has_started: bool,
    /// Whether the line or run is valid in another encoding, but would not be encoded as the same bytes.
    is_irreversible: bool,
    /// The number of bytes decoded, modulo 2<sup>43</sup>.
    position: u64,
}

/// How the next bytes are decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// They start a line, or continue the text in the first encoding.
    Undecided,
    /// With this encoding to the end of the line, or for this number of bytes of a run.
    Decided { member: usize, remaining: usize },
    /// A line or run in this encoding has been read, and the rest of its text is still to be written.
    Flushing { member: usize },
    /// With the first encoding, of which malformed sequences in this number of bytes are errors.
    Rejected { remaining: usize },
}

impl Phase {
    /// Returns the encoding in use.
    fn member(self) -> usize {
        match self {
            Phase::Decided { member, .. } | Phase::Flushing { member } => member,
            Phase::Undecided | Phase::Rejected { .. } => 0,
        }
    }

    fn to_bits(self) -> u64 {
        let (kind, member, remaining) = match self {
            Phase::Undecided => (0, 0, 0),
            Phase::Decided { member, remaining } => (1, member, remaining),
            Phase::Flushing { member } => (2, member, 0),
            Phase::Rejected { remaining } => (3, 0, remaining),
        };
        kind | (member as u64) << 2 | (remaining as u64) << 6
    }

    fn from_bits(bits: u64) -> Phase {
        let (member, remaining) = ((bits >> 2 & 0xF) as usize, (bits >> 6 & 0x1FFF) as usize);
        match bits & 3 {
            0 => Phase::Undecided,
            1 => Phase::Decided { member, remaining },
            2 => Phase::Flushing { member },
            _ => Phase::Rejected { remaining },
        }
    }
}

impl MixedContext {
    const INITIAL: MixedContext = MixedContext {
        phase: Phase::Undecided,
        has_started: false,
        is_irreversible: false,
        position: 0,
    };

    fn to_bits(self) -> u64 {
        self.phase.to_bits()
            | u64::from(self.has_started) << 19
            | u64::from(self.is_irreversible) << 20
            | self.position << (u64::BITS - POSITION_BITS)
    }

    fn from_bits(bits: u64) -> MixedContext {
        MixedContext {
            phase: Phase::from_bits(bits),
            has_started: bits >> 19 & 1 != 0,
            is_irreversible: bits >> 20 & 1 != 0,
            position: bits >> (u64::BITS - POSITION_BITS),
        }
    }

    /// Notes that `count` bytes have been decoded.
    fn advance(&mut self, count: usize) {
        self.has_started |= count > 0;
        self.position = (self.position + count as u64) & ((1 << POSITION_BITS) - 1);
    }
}

/// The result of a step.
struct MixedStep {
    read: usize,
    written: usize,
    /// Why the call returns; `None` to continue.
    status: Option<Status<Malformed>>,
}

impl MixedStep {
    /// A step that has only decided how to continue.
    const CONTINUE: MixedStep = MixedStep { read: 0, written: 0, status: None };

    const fn stop(read: usize, written: usize, status: Status<Malformed>) -> MixedStep {
        MixedStep { read, written, status: Some(status) }
    }
}

/// How a line is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineDecision {
    member: usize,
    /// Whether it is valid in that encoding.
    is_valid: bool,
}

impl MixedDecoder {
    /// Returns a decoder, and the counter that its caller reads.
    pub fn new(list: &EncodingList, unit: MixedUnit, lossy: bool) -> (MixedDecoder, SharedCounter) {
        let candidates = list.members.iter().enumerate();
        let candidates: Vec<MixedCandidate> = candidates
            .map(|(index, member)| MixedCandidate::new(member, index > 0 && !lossy))
            .collect();
        let shared_counter = SharedCounter::new(list, unit);
        let decoder = MixedDecoder {
            unit,
            decodes_blocks: list.members[0].has_independent_lines(),
            has_utf8: candidates.iter().any(MixedCandidate::is_utf8),
            candidates,
            scratch: Scratch::new(),
            counter: Counter::new(list, unit),
            shared_counter: shared_counter.clone(),
            context: MixedContext::INITIAL,
        };
        (decoder, shared_counter)
    }

    /// Decodes up to the end of a line, a run or the input, an error, or a full output buffer.
    /// `lines_len` is the length of the whole lines at the start of `src`.
    fn step(&mut self, src: &[u8], lines_len: usize, dst: &mut [u8], end: bool) -> MixedStep {
        if !self.context.has_started {
            if let Some(step) = self.decode_bom(src, dst, end) {
                return step;
            }
        }
        match (self.context.phase, self.unit) {
            (Phase::Flushing { member }, _) => self.flush(member, dst),
            (Phase::Decided { member, .. }, MixedUnit::Line) => {
                self.decode_line(member, src, dst, end)
            }
            (Phase::Decided { member, remaining }, MixedUnit::Run) => {
                self.decode_run(member, remaining, src, dst, end)
            }
            (_, MixedUnit::Line) if src.is_empty() => MixedStep::stop(0, 0, Status::InputEmpty),
            (_, MixedUnit::Line) if lines_len > 0 && self.decodes_blocks => {
                self.decode_lines(&src[..lines_len], dst, end && lines_len == src.len())
            }
            (_, MixedUnit::Line) => self.begin_line(src, end),
            (_, MixedUnit::Run) => self.decode_first(src, dst, end),
        }
    }

    /// Decodes a BOM of UTF-8 at the start of the input. Returns `None` if there is none.
    fn decode_bom(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Option<MixedStep> {
        if self.has_utf8 && src.starts_with(UTF8_BOM) {
            let Some(space) = dst.get_mut(..BOM.len()) else {
                return Some(MixedStep::stop(0, 0, Status::OutputFull));
            };
            space.copy_from_slice(UTF8_BOM);
            return Some(MixedStep { read: BOM.len(), written: BOM.len(), status: None });
        }
        let needs_more = self.has_utf8 && UTF8_BOM.starts_with(src) && !end;
        if needs_more || src.is_empty() {
            return Some(MixedStep::stop(0, 0, Status::InputEmpty));
        }
        None
    }

    /// Writes the rest of the text of a line or run that has been read.
    fn flush(&mut self, member: usize, dst: &mut [u8]) -> MixedStep {
        let progress = self.candidates[member].decoder.decode(&[], dst, true);
        let status = match progress.status {
            Status::InputEmpty => {
                self.set_undecided();
                None
            }
            Status::OutputFull => Some(Status::OutputFull),
            Status::Error(error) => {
                let phase = Phase::Undecided;
                Some(Status::Error(self.locate(error, progress.read, phase, State::INITIAL)))
            }
        };
        MixedStep { read: 0, written: progress.written, status }
    }

    /// Prepares for the next line, or for text in the first encoding.
    fn set_undecided(&mut self) {
        self.context.phase = Phase::Undecided;
        self.context.is_irreversible = false;
        self.candidates[0].reset();
    }

    /// Prepares to decode a line or run with this encoding.
    fn set_decided(&mut self, member: usize, remaining: usize) {
        self.context.phase = Phase::Decided { member, remaining };
        self.candidates[member].reset();
    }

    /// Returns an error that is found after `read` bytes, with the state in which to resume.
    fn locate(&self, error: Malformed, read: usize, phase: Phase, inner: State) -> Malformed {
        let mut context = MixedContext { phase, ..self.context };
        context.advance(read + error.resume_len);
        context.is_irreversible &= phase != Phase::Undecided;
        let reason = match error.reason {
            MalformedReason::Truncated => MalformedReason::Truncated,
            _ if self.context.is_irreversible => MalformedReason::Irreversible,
            reason => reason,
        };
        let resume_state = State::new(context.to_bits()).with_inner(inner);
        Malformed { reason, resume_state, ..error }
    }
}

/// Lines.
impl MixedDecoder {
    /// Decodes whole lines with the first encoding. At a line that is not valid in it, or for which there
    /// is not enough output space, decides how to decode that.
    fn decode_lines(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> MixedStep {
        let position = self.context.position;
        let first = &mut self.candidates[0];
        first.reset();
        let progress = first.decoder.decode(src, dst, end);
        let whole_len = match progress.status {
            Status::InputEmpty if progress.read == src.len() => src.len(),
            _ => memrchr(b'\n', &src[..progress.read]).map_or(0, |last| last + 1),
        };
        self.counter.add_lines(position, whole_len, || {
            let is_last_unended = src[whole_len - 1] != b'\n';
            count_newlines(&src[..whole_len]) + u64::from(is_last_unended)
        });
        let Progress { read, written, status } = progress;
        match status {
            Status::InputEmpty if read == src.len() => {
                return MixedStep { read, written, status: None };
            }
            Status::OutputFull if whole_len == read => {
                return MixedStep::stop(read, written, status);
            }
            Status::InputEmpty | Status::OutputFull | Status::Error(_) => {}
        }
        let state = first.decoder.save_state();
        let (line, is_whole) = whole_line(&src[whole_len..]);
        let decision = self.decide_line(line, is_whole);
        self.count_line(position + whole_len as u64, decision);
        if decision.member == 0 {
            self.set_decided(0, 0);
            self.candidates[0].decoder.restore_state(state);
            let is_full = status == Status::OutputFull;
            return MixedStep { read, written, status: is_full.then_some(Status::OutputFull) };
        }
        // Only the lines before this one remain decoded.
        let written = match &mut self.candidates[0] {
            first if first.is_utf8() => whole_len,
            first => {
                first.reset();
                first.decoder.decode(&src[..whole_len], dst, false).written
            }
        };
        self.set_decided(decision.member, 0);
        MixedStep { read: whole_len, written, status: None }
    }

    /// Decides how to decode the line at the start of `src`.
    fn begin_line(&mut self, src: &[u8], end: bool) -> MixedStep {
        let (line, is_whole) = whole_line(src);
        let is_short = line.len() < WINDOW && !line.ends_with(b"\n");
        if is_short && !end {
            return MixedStep::stop(0, 0, Status::InputEmpty);
        }
        let decision = self.decide_line(line, is_whole);
        self.count_line(self.context.position, decision);
        self.set_decided(decision.member, 0);
        MixedStep::CONTINUE
    }

    /// Decides how to decode a line. Changes the states of the decoders.
    fn decide_line(&mut self, line: &[u8], is_whole: bool) -> LineDecision {
        let (mut decision, mut is_irreversible) = (None, false);
        for (member, candidate) in self.candidates.iter_mut().enumerate() {
            match candidate.validity(line, is_whole, &mut self.scratch) {
                MixedValidity::Valid => {
                    decision = Some(member);
                    break;
                }
                MixedValidity::Irreversible => is_irreversible = true,
                MixedValidity::Invalid => {}
            }
        }
        let is_valid = decision.is_some();
        self.context.is_irreversible = is_irreversible && !is_valid;
        let member = match decision {
            Some(member) => member,
            None if is_irreversible => 0,
            None => self.fewest_malformed(line, is_whole),
        };
        LineDecision { member, is_valid }
    }

    /// Returns the encoding in which a line has the fewest malformed sequences, the first one among equal
    /// ones.
    fn fewest_malformed(&mut self, line: &[u8], is_whole: bool) -> usize {
        let scratch = &mut self.scratch;
        let counts = self.candidates.iter_mut().enumerate().filter_map(|(member, candidate)| {
            let count = candidate.malformed_count(line, is_whole, member == 0, scratch)?;
            Some((count, member))
        });
        counts.min().map_or(0, |(_, member)| member)
    }

    fn count_line(&mut self, position: u64, decision: LineDecision) {
        self.counter.add_line(position, decision.is_valid.then_some(decision.member));
    }

    /// Decodes a line or the rest of it.
    fn decode_line(&mut self, member: usize, src: &[u8], dst: &mut [u8], end: bool) -> MixedStep {
        let part = &src[..src.len().min(LINE_PART_LEN)];
        let line_len = memchr(b'\n', part).map(|last| last + 1);
        let line = &part[..line_len.unwrap_or(part.len())];
        let is_last_part = line_len.is_some() || end && part.len() == src.len();
        let decoder = &mut self.candidates[member].decoder;
        let Progress { read, written, status } = decoder.decode(line, dst, is_last_part);
        let status = match status {
            Status::InputEmpty if is_last_part => {
                self.set_undecided();
                None
            }
            Status::InputEmpty if part.len() < src.len() => None,
            Status::InputEmpty => Some(Status::InputEmpty),
            Status::OutputFull => {
                if line_len == Some(read) {
                    self.context.phase = Phase::Flushing { member };
                }
                Some(Status::OutputFull)
            }
            Status::Error(error) => {
                let resumes_in_line = line_len.is_none_or(|len| read + error.resume_len < len);
                let error = match resumes_in_line {
                    true => self.locate(error, read, self.context.phase, error.resume_state),
                    false => self.locate(error, read, Phase::Undecided, State::INITIAL),
                };
                Some(Status::Error(error))
            }
        };
        MixedStep { read, written, status }
    }
}

/// Returns the part of the line at the start of `src` that may be examined, and whether that is all of
/// it if no input follows.
fn whole_line(src: &[u8]) -> (&[u8], bool) {
    let start = &src[..src.len().min(WINDOW)];
    match memchr(b'\n', start) {
        Some(last) => (&start[..=last], true),
        None => (start, start.len() < WINDOW),
    }
}

/// Runs.
impl MixedDecoder {
    /// Decodes with the first encoding up to a malformed sequence, and decides how to decode that.
    fn decode_first(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> MixedStep {
        let decoder = &mut self.candidates[0].decoder;
        let Progress { read, written, status } = decoder.decode(src, dst, end);
        let inner = decoder.save_state();
        let position = self.context.position;
        self.counter.add_line_feeds(position, read, || count_newlines(&src[..read]));
        let rejected = match self.context.phase {
            Phase::Rejected { remaining } => remaining.saturating_sub(read),
            _ => 0,
        };
        if rejected == 0 {
            (self.context.phase, self.context.is_irreversible) = (Phase::Undecided, false);
        } else {
            self.context.phase = Phase::Rejected { remaining: rejected };
        }
        let Status::Error(error) = status else { return MixedStep::stop(read, written, status) };
        if rejected > 0 || error.len == 0 {
            let phase = phase_after_rejected(rejected.saturating_sub(error.resume_len));
            let error = self.locate(error, read, phase, error.resume_state);
            return MixedStep::stop(read, written, Status::Error(error));
        }
        if inner != State::INITIAL {
            self.context.phase = Phase::Flushing { member: 0 };
            return MixedStep { read, written, status: None };
        }
        let status = self.decide_run(&src[read..], end, error, read);
        MixedStep { read, written, status }
    }

    /// Decides how to decode the run at the start of `src`, where the first encoding has found `error`
    /// after `read` bytes of the step.
    fn decide_run(
        &mut self,
        src: &[u8],
        end: bool,
        error: Malformed,
        read: usize,
    ) -> Option<Status<Malformed>> {
        let bytes = &src[..src.len().min(WINDOW)];
        let is_full = bytes.len() == WINDOW;
        let view = View { bytes, is_end: end && !is_full, is_full };
        let (mut rejected, mut is_irreversible) = (error.len, false);
        for member in 1..self.candidates.len() {
            let (first, others) = self.candidates.split_at_mut(1);
            let (first, candidate) = (&mut first[0], &mut others[member - 1]);
            let len = match candidate.run_extent(view, first) {
                RunExtent::NeedsMore => {
                    first.reset();
                    return Some(Status::InputEmpty);
                }
                RunExtent::InvalidAfter(len) => {
                    rejected = rejected.max(len);
                    continue;
                }
                RunExtent::Complete(len) => len,
            };
            if candidate.validity(&bytes[..len], true, &mut self.scratch) == MixedValidity::Valid {
                self.counter.add_run(self.context.position + read as u64, member);
                self.set_decided(member, len);
                return None;
            }
            is_irreversible = true;
            rejected = rejected.max(len);
        }
        self.candidates[0].reset();
        self.context.is_irreversible = is_irreversible;
        let phase = phase_after_rejected(rejected.saturating_sub(error.resume_len));
        let located = self.locate(error, read, phase, error.resume_state);
        self.context.is_irreversible = false;
        Some(Status::Error(located))
    }

    /// Decodes a run or the rest of it.
    fn decode_run(
        &mut self,
        member: usize,
        remaining: usize,
        src: &[u8],
        dst: &mut [u8],
        end: bool,
    ) -> MixedStep {
        let run = &src[..src.len().min(remaining)];
        let is_last_part = run.len() == remaining || end;
        let decoder = &mut self.candidates[member].decoder;
        let Progress { read, written, status } = decoder.decode(run, dst, is_last_part);
        let remaining = remaining - read;
        self.context.phase = Phase::Decided { member, remaining };
        let status = match status {
            Status::InputEmpty if is_last_part => {
                self.set_undecided();
                None
            }
            Status::InputEmpty => Some(Status::InputEmpty),
            Status::OutputFull => {
                if remaining == 0 {
                    self.context.phase = Phase::Flushing { member };
                }
                Some(Status::OutputFull)
            }
            // The run has been examined, so this is not reached.
            Status::Error(error) => {
                let remaining = remaining.saturating_sub(error.resume_len);
                let error = match remaining {
                    0 => self.locate(error, read, Phase::Undecided, State::INITIAL),
                    _ => {
                        let phase = Phase::Decided { member, remaining };
                        self.locate(error, read, phase, error.resume_state)
                    }
                };
                Some(Status::Error(error))
            }
        };
        MixedStep { read, written, status }
    }
}

/// Returns the phase after an error in a run that no encoding can decode.
fn phase_after_rejected(remaining: usize) -> Phase {
    match remaining {
        0 => Phase::Undecided,
        _ => Phase::Rejected { remaining },
    }
}

impl Checkpoint for MixedDecoder {
    fn save_state(&self) -> State {
        let candidate = &self.candidates[self.context.phase.member()];
        State::new(self.context.to_bits()).with_inner(candidate.decoder.save_state())
    }

    fn restore_state(&mut self, state: State) {
        self.context = MixedContext::from_bits(state.bits());
        let member = self.context.phase.member().min(self.candidates.len() - 1);
        self.candidates[member].decoder.restore_state(state.inner());
    }

    fn max_lookahead(&self) -> usize {
        WINDOW
    }
}

impl DecodeStage for MixedDecoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        self.shared_counter.swap(&mut self.counter);
        let progress = self.decode_counted(src, dst, end);
        self.shared_counter.swap(&mut self.counter);
        progress
    }
}

impl MixedDecoder {
    /// Decodes, and counts what is decoded.
    fn decode_counted(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let before = self.save_state();
        let mut lines_end = None;
        let (mut read, mut written) = (0, 0);
        loop {
            let lines_len = match (self.unit, self.context.phase) {
                (MixedUnit::Line, Phase::Undecided) if !end => {
                    let lines_end = lines_end.get_or_insert_with(|| {
                        memrchr(b'\n', &src[read..]).map_or(0, |last| read + last + 1)
                    });
                    lines_end.saturating_sub(read)
                }
                _ => src.len() - read,
            };
            let step = self.step(&src[read..], lines_len, &mut dst[written..], end);
            self.context.advance(step.read);
            (read, written) = (read + step.read, written + step.written);
            if let Some(status) = step.status {
                if (read, written) == (0, 0) {
                    // A decision alone does not count as progress.
                    self.restore_state(before);
                }
                return Progress { read, written, status };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_is_restored_from_its_bits() {
        let phases = [
            Phase::Undecided,
            Phase::Decided { member: 0, remaining: 0 },
            Phase::Decided { member: 15, remaining: WINDOW },
            Phase::Flushing { member: 1 },
            Phase::Flushing { member: 14 },
            Phase::Rejected { remaining: 1 },
            Phase::Rejected { remaining: WINDOW },
        ];
        for phase in phases {
            for (has_started, is_irreversible) in [(false, true), (true, false)] {
                for position in [0, 1, (1 << POSITION_BITS) - 1] {
                    let context = MixedContext { phase, has_started, is_irreversible, position };
                    assert_eq!(MixedContext::from_bits(context.to_bits()), context);
                }
            }
        }
        assert_eq!(State::new(MixedContext::INITIAL.to_bits()), State::INITIAL);
    }
}
