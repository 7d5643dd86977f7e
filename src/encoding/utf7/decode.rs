//! The decoder of UTF-7 and of its mailbox form.

use super::alphabet::{AsciiBitSet, Utf7Alphabet};
use crate::codec::{Checkpoint, Decoder, Progress, State, Status};
use crate::conversion_error::{Malformed, MalformedReason};
use crate::kernel::ascii_set::AsciiByteSet;
use crate::kernel::utf7::decode::{Utf7DecodeConfig, decode};

/// What tells one form, or one option, from another.
pub(super) struct Utf7DecoderConfig {
    /// The byte that begins a run.
    pub shift: u8,
    pub alphabet: &'static Utf7Alphabet,
    /// Bytes that stand for themselves outside a run.
    pub direct_bytes: [bool; 256],
    /// Characters that must not be in base64.
    pub forbidden_in_base64: AsciiBitSet,
    /// Whether six or more bits may pad a run, if they are zero.
    pub allow_zero_padding: bool,
    /// Whether there is but one way to write a text: a run needs its `-`, and no run stands
    /// directly after another.
    pub canonical_only: bool,
}

impl Utf7DecoderConfig {
    /// What the kernel has to know of them.
    fn kernel_config(&self) -> Utf7DecodeConfig {
        Utf7DecodeConfig {
            shift: self.shift,
            direct: AsciiByteSet::new(|byte| self.direct_bytes[usize::from(byte)]),
            alphabet: self.alphabet.kernel_alphabet(),
            ascii_in_run: self.forbidden_in_base64 == AsciiBitSet::EMPTY,
            canonical_only: self.canonical_only,
        }
    }
}

/// Where the reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Utf7DecoderState {
    /// Outside a run.
    Direct,
    /// Directly after the `-` of a run, where another run is refused.
    AfterRun,
    /// After the invalid end of a run: its `-` may follow, and no second error is found.
    AfterInvalidRun,
    /// In a run.
    InRun(BitsTaken),
}

/// Stands in the state's bits for a run, above the bits taken.
const IN_RUN: u64 = 8;

impl Utf7DecoderState {
    fn to_state(self) -> State {
        State::new(match self {
            Utf7DecoderState::Direct => State::INITIAL.bits(),
            Utf7DecoderState::AfterRun => 1,
            Utf7DecoderState::AfterInvalidRun => 2,
            Utf7DecoderState::InRun(taken) => IN_RUN + taken.bits(),
        })
    }

    fn from_state(state: State) -> Utf7DecoderState {
        match state.bits() {
            0 => Utf7DecoderState::Direct,
            1 => Utf7DecoderState::AfterRun,
            2 => Utf7DecoderState::AfterInvalidRun,
            bits => Utf7DecoderState::InRun(BitsTaken::new(bits.saturating_sub(IN_RUN))),
        }
    }
}

/// Both forms' decoder.
pub(super) struct Utf7Decoder {
    config: Utf7DecoderConfig,
    kernel_config: Utf7DecodeConfig,
    state: Utf7DecoderState,
}

impl Utf7Decoder {
    pub(super) fn new(config: Utf7DecoderConfig) -> Utf7Decoder {
        Utf7Decoder {
            kernel_config: config.kernel_config(),
            config,
            state: Utf7DecoderState::Direct,
        }
    }
}

impl Checkpoint for Utf7Decoder {
    fn save_state(&self) -> State {
        self.state.to_state()
    }

    fn restore_state(&mut self, at: State) {
        self.state = Utf7DecoderState::from_state(at);
    }

    fn max_lookahead(&self) -> usize {
        MAX_CHAR_LEN
    }
}

impl Decoder for Utf7Decoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let mut text = DecodeBuffers { src, dst, end, read: 0, written: 0, next_kernel_try: 0 };
        let before = self.state;
        loop {
            text.run_kernel(&self.config, &self.kernel_config, &mut self.state);
            let step = match self.state {
                Utf7DecoderState::Direct => self.config.direct(&mut text),
                Utf7DecoderState::AfterRun => self.config.decode_after_run(&text),
                Utf7DecoderState::AfterInvalidRun => {
                    self.config.decode_after_invalid_run(&mut text)
                }
                Utf7DecoderState::InRun(taken) => self.config.decode_run(&mut text, taken),
            };
            match step {
                Ok(phase) => self.state = phase,
                Err(stop) => {
                    // A phase that takes no byte is passed through again by the next call.
                    if (text.read, text.written) == (0, 0) {
                        self.state = before;
                    }
                    return Progress { read: text.read, written: text.written, status: stop };
                }
            }
        }
    }
}

/// The phase after one step, or why there was none.
type StepResult = Result<Utf7DecoderState, Status<Malformed>>;

fn malformed(len: usize, reason: MalformedReason, then: Utf7DecoderState) -> Status<Malformed> {
    Status::Error(Malformed::new(len, reason, then.to_state()))
}

/// An error in a unit, the last byte of which may carry bits of the next one.
fn malformed_unit(unit: BitRange, reason: MalformedReason) -> Status<Malformed> {
    let then = Utf7DecoderState::InRun(unit.bits_taken).to_state();
    Status::Error(Malformed::new(unit.bytes, reason, then).with_resume_len(unit.consumed))
}

impl Utf7DecoderConfig {
    fn direct(&self, text: &mut DecodeBuffers) -> StepResult {
        text.copy_while(&self.direct_bytes);
        match *text.remaining() {
            [] => Err(Status::InputEmpty),
            [byte, ..] if self.direct_bytes[usize::from(byte)] => Err(Status::OutputFull),
            [byte, ..] if byte != self.shift => {
                Err(malformed(1, MalformedReason::InvalidLeadByte, Utf7DecoderState::Direct))
            }
            [_] if text.end => {
                Err(malformed(1, MalformedReason::Truncated, Utf7DecoderState::Direct))
            }
            [_] => Err(Status::InputEmpty),
            [_, b'-', ..] => {
                text.write_char(char::from(self.shift))?;
                text.read += 2;
                Ok(Utf7DecoderState::Direct)
            }
            [_, byte, ..] if self.alphabet.value(byte).is_none() => {
                Err(malformed(1, MalformedReason::EmptyShift, Utf7DecoderState::Direct))
            }
            _ => {
                text.read += 1;
                Ok(Utf7DecoderState::InRun(BitsTaken::NONE))
            }
        }
    }

    fn decode_after_run(&self, text: &DecodeBuffers) -> StepResult {
        match *text.remaining() {
            [] => Err(Status::InputEmpty),
            [byte] if byte == self.shift && !text.end => Err(Status::InputEmpty),
            [byte, digit, ..] if byte == self.shift && self.alphabet.value(digit).is_some() => Err(
                malformed(1, MalformedReason::NullShift, Utf7DecoderState::InRun(BitsTaken::NONE)),
            ),
            _ => Ok(Utf7DecoderState::Direct),
        }
    }

    fn decode_after_invalid_run(&self, text: &mut DecodeBuffers) -> StepResult {
        match text.remaining() {
            [] => Err(Status::InputEmpty),
            [b'-', ..] => Ok(self.consume_hyphen(text)),
            _ => Ok(Utf7DecoderState::Direct),
        }
    }

    /// Takes the `-` of a run.
    fn consume_hyphen(&self, text: &mut DecodeBuffers) -> Utf7DecoderState {
        text.read += 1;
        if self.canonical_only { Utf7DecoderState::AfterRun } else { Utf7DecoderState::Direct }
    }

    fn decode_run(&self, text: &mut DecodeBuffers, taken: BitsTaken) -> StepResult {
        let ahead = BitLookahead::new(text.remaining(), taken, self.alphabet);
        match ahead.next_item(taken) {
            RunItem::Character(character, unit)
                if self.forbidden_in_base64.contains(character.into()) =>
            {
                Err(malformed_unit(unit, MalformedReason::EncodedAscii))
            }
            RunItem::Character(character, extent) => {
                text.write_char(character)?;
                text.read += extent.consumed;
                Ok(Utf7DecoderState::InRun(extent.bits_taken))
            }
            RunItem::UnpairedSurrogate(unit) => {
                Err(malformed_unit(unit, MalformedReason::UnpairedSurrogate))
            }
            // More bytes of the run may follow.
            _ if ahead.bytes == text.remaining().len() && !text.end => Err(Status::InputEmpty),
            RunItem::IncompletePair => {
                Err(text.malformed_run_end(&ahead, MalformedReason::UnpairedSurrogate))
            }
            RunItem::Incomplete if ahead.bytes == 0 => self.end_run(text),
            RunItem::Incomplete
                if ahead.is_zero() && (ahead.is_padding() || self.allow_zero_padding) =>
            {
                text.read += ahead.bytes;
                Ok(Utf7DecoderState::InRun(BitsTaken::NONE))
            }
            RunItem::Incomplete if ahead.is_padding() => {
                Err(text.malformed_run_end(&ahead, MalformedReason::NonZeroPadding))
            }
            RunItem::Incomplete => {
                Err(text.malformed_run_end(&ahead, MalformedReason::IncompleteCodeUnit))
            }
        }
    }

    /// What ends a run, all bytes of which are read.
    fn end_run(&self, text: &mut DecodeBuffers) -> StepResult {
        match text.remaining() {
            [b'-', ..] => Ok(self.consume_hyphen(text)),
            _ if !self.canonical_only => Ok(Utf7DecoderState::Direct),
            [] => Err(malformed(0, MalformedReason::Truncated, Utf7DecoderState::Direct)),
            _ => Err(malformed(0, MalformedReason::MissingShiftOut, Utf7DecoderState::Direct)),
        }
    }
}

/// Both buffers of a call, and how far it has come.
struct DecodeBuffers<'a> {
    src: &'a [u8],
    dst: &'a mut [u8],
    end: bool,
    read: usize,
    written: usize,
    /// Where the kernel is worth another try.
    next_kernel_try: usize,
}

/// Bytes that a kernel must have come for it to be worth a try at once.
const MIN_KERNEL_PROGRESS: usize = 16;

impl<'a> DecodeBuffers<'a> {
    fn remaining(&self) -> &'a [u8] {
        &self.src[self.read..]
    }

    /// Goes as far as the kernel does.
    fn run_kernel(
        &mut self,
        config: &Utf7DecoderConfig,
        form: &Utf7DecodeConfig,
        phase: &mut Utf7DecoderState,
    ) {
        if self.read < self.next_kernel_try {
            return;
        }
        let in_run = match (*phase, self.remaining().first()) {
            (Utf7DecoderState::Direct, Some(&byte)) => {
                if !config.direct_bytes[usize::from(byte)] && byte != config.shift {
                    return;
                }
                false
            }
            (Utf7DecoderState::InRun(BitsTaken::NONE), _) => true,
            _ => return,
        };
        let reached = decode(form, in_run, self.remaining(), &mut self.dst[self.written..]);
        self.read += reached.read;
        self.written += reached.written;
        // Errors come in crowds.
        if reached.read < MIN_KERNEL_PROGRESS {
            self.next_kernel_try = self.read + MIN_KERNEL_PROGRESS;
        }
        *phase = match reached.run {
            Some(bits) => Utf7DecoderState::InRun(BitsTaken::new(bits.into())),
            None => Utf7DecoderState::Direct,
        };
    }

    fn copy_while(&mut self, direct: &[bool; 256]) {
        let (src, dst) = (self.remaining(), &mut self.dst[self.written..]);
        let near = &src[..src.len().min(dst.len())];
        let run = near.iter().position(|byte| !direct[usize::from(*byte)]).unwrap_or(near.len());
        dst[..run].copy_from_slice(&near[..run]);
        self.read += run;
        self.written += run;
    }

    fn write_char(&mut self, character: char) -> Result<(), Status<Malformed>> {
        let space = &mut self.dst[self.written..];
        if space.len() < character.len_utf8() {
            return Err(Status::OutputFull);
        }
        self.written += character.encode_utf8(space).len();
        Ok(())
    }

    /// The bytes that are left of a run, as one error.
    fn malformed_run_end(
        &self,
        ahead: &BitLookahead,
        reason: MalformedReason,
    ) -> Status<Malformed> {
        let cut = ahead.bytes == self.remaining().len();
        malformed(
            ahead.bytes,
            if cut { MalformedReason::Truncated } else { reason },
            Utf7DecoderState::AfterInvalidRun,
        )
    }
}

/// The most bytes that carry bits of one character: of a surrogate pair.
const MAX_CHAR_LEN: usize = 6;

/// Bits that [`LONGEST`] bytes hold.
const MAX_CHAR_BITS: usize = 6 * MAX_CHAR_LEN;

/// How many bits of the next unread byte have been taken: 0, 2 or 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BitsTaken(usize);

/// A stretch of bits that begins where the reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BitRange {
    /// Bytes that carry its bits.
    bytes: usize,
    /// Those of them that carry no other bits after it.
    consumed: usize,
    /// Where the reader stands after it.
    bits_taken: BitsTaken,
}

impl BitsTaken {
    const NONE: BitsTaken = BitsTaken(0);

    /// From a number that [`bits`](Taken::bits) gave.
    const fn new(bits: u64) -> BitsTaken {
        BitsTaken((bits % 6) as usize)
    }

    const fn bits(self) -> u64 {
        self.0 as u64
    }

    /// What a number of 16-bit units takes up from here.
    const fn bit_range(self, units: usize) -> BitRange {
        let end = self.0 + 16 * units;
        BitRange { bytes: end.div_ceil(6), consumed: end / 6, bits_taken: BitsTaken(end % 6) }
    }
}

/// The next bytes of a run, no more than make one character.
#[derive(Debug, Clone, Copy)]
struct BitLookahead {
    /// How many they are, at most [`LONGEST`].
    bytes: usize,
    /// Their bits after those taken, uppermost first.
    bits: u64,
    /// How many bits that is.
    len: usize,
}

/// What the next bits of a run are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunItem {
    /// A whole character, and its extent.
    Character(char, BitRange),
    /// Half of a surrogate pair, the other half of which does not stand beside it.
    UnpairedSurrogate(BitRange),
    /// The first half of a pair, and less than a unit after it.
    IncompletePair,
    /// Less than a unit.
    Incomplete,
}

impl BitLookahead {
    /// The bytes of `alphabet` at the start of `src`, of the first of which some bits are taken.
    fn new(src: &[u8], taken: BitsTaken, alphabet: &Utf7Alphabet) -> BitLookahead {
        let values = src.iter().take(MAX_CHAR_LEN).map_while(|byte| alphabet.value(*byte));
        let (mut bytes, mut bits) = (0, 0);
        for value in values {
            bytes += 1;
            bits |= value << (MAX_CHAR_BITS - 6 * bytes);
        }
        let len = (6 * bytes).saturating_sub(taken.0);
        BitLookahead { bytes, bits: bits << (u64::BITS as usize - MAX_CHAR_BITS + taken.0), len }
    }

    /// What comes next.
    fn next_item(&self, taken: BitsTaken) -> RunItem {
        let Some(first) = self.code_unit(0) else { return RunItem::Incomplete };
        match (first, self.code_unit(1)) {
            (0xD800..=0xDBFF, None) => RunItem::IncompletePair,
            (0xD800..=0xDBFF, Some(second @ 0xDC00..=0xDFFF)) => {
                let value = 0x1_0000 + ((first & 0x3FF) << 10 | second & 0x3FF);
                RunItem::from_value(value, taken.bit_range(2))
            }
            _ => RunItem::from_value(first, taken.bit_range(1)),
        }
    }

    /// Whether less than a unit is there and of that no bit is set.
    fn is_zero(&self) -> bool {
        self.len < 16 && self.bits == 0
    }

    /// Whether the bits that are there are no more than pad a run to a whole byte.
    fn is_padding(&self) -> bool {
        self.len < 6
    }

    fn code_unit(&self, index: usize) -> Option<u32> {
        let shift = u64::BITS as usize - 16 * (index + 1);
        (self.len >= 16 * (index + 1)).then_some((self.bits >> shift) as u32 & 0xFFFF)
    }
}

impl RunItem {
    fn from_value(value: u32, extent: BitRange) -> RunItem {
        match char::from_u32(value) {
            Some(character) => RunItem::Character(character, extent),
            None => RunItem::UnpairedSurrogate(extent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::utf7::alphabet::BASE64;

    #[test]
    fn three_code_units_span_eight_base64_digits() {
        let mut taken = BitsTaken::NONE;
        for (bits, bytes, used_up, then) in [(0, 3, 2, 4), (4, 4, 3, 2), (2, 3, 3, 0)] {
            assert_eq!(taken, BitsTaken(bits));
            let extent = taken.bit_range(1);
            assert_eq!(extent, BitRange { bytes, consumed: used_up, bits_taken: BitsTaken(then) });
            taken = extent.bits_taken;
        }
    }

    #[test]
    fn six_bytes_hold_a_surrogate_pair_at_any_offset() {
        // U+10FFFF is DBFF DFFF; the bits before it are those of a unit before.
        for (src, taken) in [(b"2//f/8", 0), (b"Db/9//", 4), (b"Nv/3/8", 2)] {
            let taken = BitsTaken(taken);
            let next = BitLookahead::new(src, taken, &BASE64).next_item(taken);
            assert!(
                matches!(next, RunItem::Character('\u{10FFFF}', extent) if extent.bytes <= MAX_CHAR_LEN),
                "{src:?} {next:?}"
            );
        }
    }
}
