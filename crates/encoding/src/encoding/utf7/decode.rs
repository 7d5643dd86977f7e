//! The decoder of UTF-7 and of its variant for IMAP.

use super::alphabet::{AsciiBitSet, Utf7Alphabet};
use crate::codec::{Checkpoint, DecodeStage, Progress, Replacements, State, Status};
use crate::conversion_error::{Malformed, MalformedReason};
use crate::error_handler::replace_malformed;
use charpipe_kernel::ascii_set::AsciiByteSet;
use charpipe_kernel::utf7::{Utf7DecodeConfig, decode};

/// The variant and the options.
pub(super) struct Utf7DecoderConfig {
    /// The byte that begins a run.
    pub shift: u8,
    pub alphabet: &'static Utf7Alphabet,
    /// Bytes that represent themselves outside a run.
    pub direct_bytes: [bool; 256],
    /// Characters that are invalid in base64.
    pub forbidden_in_base64: AsciiBitSet,
    /// Whether six or more zero bits may pad a run.
    pub allow_zero_padding: bool,
    /// Whether only the canonical form of a text is valid: each run ends with `-`, and no run is
    /// adjacent to another one.
    pub canonical_only: bool,
}

/// What all codecs of a variant with the same options share.
pub(super) struct Utf7DecoderTables {
    config: Utf7DecoderConfig,
    kernel_config: Utf7DecodeConfig,
}

impl From<Utf7DecoderConfig> for Utf7DecoderTables {
    fn from(config: Utf7DecoderConfig) -> Utf7DecoderTables {
        Utf7DecoderTables { kernel_config: config.kernel_config(), config }
    }
}

impl Utf7DecoderConfig {
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

/// The state between two steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Utf7DecoderState {
    /// Outside a run.
    Direct,
    /// Directly after the `-` of a run, where another run may be invalid.
    AfterRun,
    /// After the malformed end of a run, where `-` is not a second error.
    AfterInvalidRun,
    /// In a run.
    InRun(BitsTaken),
}

/// Flags a run in the bits of a state, above the number of bits taken.
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

/// The decoder of both variants.
pub(super) struct Utf7Decoder {
    tables: &'static Utf7DecoderTables,
    state: Utf7DecoderState,
}

impl Utf7Decoder {
    pub(super) fn new(tables: &'static Utf7DecoderTables) -> Utf7Decoder {
        Utf7Decoder { tables, state: Utf7DecoderState::Direct }
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

impl DecodeStage for Utf7Decoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let mut buffers = DecodeBuffers { src, dst, end, read: 0, written: 0, next_kernel_try: 0 };
        let before = self.state;
        let Utf7DecoderTables { config, kernel_config } = self.tables;
        loop {
            buffers.run_kernel(config, kernel_config, &mut self.state);
            let step = match self.state {
                Utf7DecoderState::Direct => config.direct(&mut buffers),
                Utf7DecoderState::AfterRun => config.decode_after_run(&buffers),
                Utf7DecoderState::AfterInvalidRun => config.decode_after_invalid_run(&mut buffers),
                Utf7DecoderState::InRun(taken) => config.decode_run(&mut buffers, taken),
            };
            match step {
                Ok(state) => self.state = state,
                Err(status) => {
                    // The next call repeats a transition that consumed no bytes.
                    if (buffers.read, buffers.written) == (0, 0) {
                        self.state = before;
                    }
                    return Progress { read: buffers.read, written: buffers.written, status };
                }
            }
        }
    }

    fn decode_replacing(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        if self.state != Utf7DecoderState::Direct {
            return (0, 0);
        }
        let Utf7DecoderTables { config, kernel_config } = self.tables;
        let (read, written) = errors.replace_non_ascii(src, dst, &kernel_config.direct);
        let (src, dst) = (&src[read..], &mut dst[written..]);
        let rest = replace_malformed(src, dst, errors, |&[byte]: &[u8; 1], space| {
            if config.direct_bytes[usize::from(byte)] {
                space[0] = byte;
                return Some(Ok((1, 1)));
            }
            (byte != config.shift).then_some(Err((1, MalformedReason::InvalidLeadByte)))
        });
        (read + rest.0, written + rest.1)
    }
}

/// The state after one step, or the status of the call.
type StepResult = Result<Utf7DecoderState, Status<Malformed>>;

fn malformed(
    len: usize,
    reason: MalformedReason,
    resume_state: Utf7DecoderState,
) -> Status<Malformed> {
    Status::Error(Malformed::new(len, reason, resume_state.to_state()))
}

/// Returns the error of a code unit, whose last byte may contain bits of the next one.
fn malformed_unit(range: BitRange, reason: MalformedReason) -> Status<Malformed> {
    let resume_state = Utf7DecoderState::InRun(range.bits_taken).to_state();
    Status::Error(Malformed::new(range.bytes, reason, resume_state).with_resume_len(range.consumed))
}

impl Utf7DecoderConfig {
    fn direct(&self, buffers: &mut DecodeBuffers) -> StepResult {
        buffers.copy_while(&self.direct_bytes);
        match *buffers.remaining() {
            [] => Err(Status::InputEmpty),
            [byte, ..] if self.direct_bytes[usize::from(byte)] => Err(Status::OutputFull),
            [byte, ..] if byte != self.shift => {
                Err(malformed(1, MalformedReason::InvalidLeadByte, Utf7DecoderState::Direct))
            }
            [_] if buffers.end => {
                Err(malformed(1, MalformedReason::Truncated, Utf7DecoderState::Direct))
            }
            [_] => Err(Status::InputEmpty),
            [_, b'-', ..] => {
                buffers.write_char(char::from(self.shift))?;
                buffers.read += 2;
                Ok(Utf7DecoderState::Direct)
            }
            [_, byte, ..] if self.alphabet.value(byte).is_none() => {
                Err(malformed(1, MalformedReason::EmptyShift, Utf7DecoderState::Direct))
            }
            _ => {
                buffers.read += 1;
                Ok(Utf7DecoderState::InRun(BitsTaken::NONE))
            }
        }
    }

    fn decode_after_run(&self, buffers: &DecodeBuffers) -> StepResult {
        match *buffers.remaining() {
            [] => Err(Status::InputEmpty),
            [byte] if byte == self.shift && !buffers.end => Err(Status::InputEmpty),
            [byte, digit, ..] if byte == self.shift && self.alphabet.value(digit).is_some() => Err(
                malformed(1, MalformedReason::NullShift, Utf7DecoderState::InRun(BitsTaken::NONE)),
            ),
            _ => Ok(Utf7DecoderState::Direct),
        }
    }

    fn decode_after_invalid_run(&self, buffers: &mut DecodeBuffers) -> StepResult {
        match buffers.remaining() {
            [] => Err(Status::InputEmpty),
            [b'-', ..] => Ok(self.consume_hyphen(buffers)),
            _ => Ok(Utf7DecoderState::Direct),
        }
    }

    /// Consumes the `-` of a run.
    fn consume_hyphen(&self, buffers: &mut DecodeBuffers) -> Utf7DecoderState {
        buffers.read += 1;
        if self.canonical_only { Utf7DecoderState::AfterRun } else { Utf7DecoderState::Direct }
    }

    fn decode_run(&self, buffers: &mut DecodeBuffers, bits_taken: BitsTaken) -> StepResult {
        let lookahead = BitLookahead::new(buffers.remaining(), bits_taken, self.alphabet);
        match lookahead.next_item(bits_taken) {
            RunItem::Character(character, range)
                if self.forbidden_in_base64.contains(character.into()) =>
            {
                Err(malformed_unit(range, MalformedReason::EncodedAscii))
            }
            RunItem::Character(character, range) => {
                buffers.write_char(character)?;
                buffers.read += range.consumed;
                Ok(Utf7DecoderState::InRun(range.bits_taken))
            }
            RunItem::UnpairedSurrogate(range) => {
                Err(malformed_unit(range, MalformedReason::UnpairedSurrogate))
            }
            // More bytes of the run may follow.
            _ if lookahead.bytes == buffers.remaining().len() && !buffers.end => {
                Err(Status::InputEmpty)
            }
            RunItem::IncompletePair => {
                Err(buffers.malformed_run_end(&lookahead, MalformedReason::UnpairedSurrogate))
            }
            RunItem::Incomplete if lookahead.bytes == 0 => self.end_run(buffers),
            RunItem::Incomplete
                if lookahead.is_zero() && (lookahead.is_padding() || self.allow_zero_padding) =>
            {
                buffers.read += lookahead.bytes;
                Ok(Utf7DecoderState::InRun(BitsTaken::NONE))
            }
            RunItem::Incomplete if lookahead.is_padding() => {
                Err(buffers.malformed_run_end(&lookahead, MalformedReason::NonZeroPadding))
            }
            RunItem::Incomplete => {
                Err(buffers.malformed_run_end(&lookahead, MalformedReason::IncompleteCodeUnit))
            }
        }
    }

    /// Ends a run after its last byte.
    fn end_run(&self, buffers: &mut DecodeBuffers) -> StepResult {
        match buffers.remaining() {
            [b'-', ..] => Ok(self.consume_hyphen(buffers)),
            _ if !self.canonical_only => Ok(Utf7DecoderState::Direct),
            [] => Err(malformed(0, MalformedReason::Truncated, Utf7DecoderState::Direct)),
            _ => Err(malformed(0, MalformedReason::MissingShiftOut, Utf7DecoderState::Direct)),
        }
    }
}

/// The buffers of a call, and the number of bytes read and written.
struct DecodeBuffers<'a> {
    src: &'a [u8],
    dst: &'a mut [u8],
    end: bool,
    read: usize,
    written: usize,
    /// The position from which the kernel is tried again.
    next_kernel_try: usize,
}

/// The number of bytes that the kernel must have read to be tried again at once.
const MIN_KERNEL_PROGRESS: usize = 16;

impl<'a> DecodeBuffers<'a> {
    fn remaining(&self) -> &'a [u8] {
        &self.src[self.read..]
    }

    /// Runs the kernel, unless it would make no progress.
    fn run_kernel(
        &mut self,
        config: &Utf7DecoderConfig,
        kernel_config: &Utf7DecodeConfig,
        state: &mut Utf7DecoderState,
    ) {
        if self.read < self.next_kernel_try {
            return;
        }
        let in_run = match (*state, self.remaining().first()) {
            (Utf7DecoderState::Direct, Some(&byte)) => {
                if !config.direct_bytes[usize::from(byte)] && byte != config.shift {
                    return;
                }
                false
            }
            (Utf7DecoderState::InRun(BitsTaken::NONE), _) => true,
            _ => return,
        };
        let progress =
            decode(kernel_config, in_run, self.remaining(), &mut self.dst[self.written..]);
        self.read += progress.read;
        self.written += progress.written;
        // Errors are often adjacent.
        if progress.read < MIN_KERNEL_PROGRESS {
            self.next_kernel_try = self.read + MIN_KERNEL_PROGRESS;
        }
        *state = match progress.run {
            Some(bits) => Utf7DecoderState::InRun(BitsTaken::new(bits.into())),
            None => Utf7DecoderState::Direct,
        };
    }

    fn copy_while(&mut self, direct: &[bool; 256]) {
        let (src, dst) = (self.remaining(), &mut self.dst[self.written..]);
        let limited = &src[..src.len().min(dst.len())];
        let run =
            limited.iter().position(|byte| !direct[usize::from(*byte)]).unwrap_or(limited.len());
        dst[..run].copy_from_slice(&limited[..run]);
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

    /// Returns the error of the remaining bytes of a run.
    fn malformed_run_end(
        &self,
        ahead: &BitLookahead,
        reason: MalformedReason,
    ) -> Status<Malformed> {
        let is_truncated = ahead.bytes == self.remaining().len();
        malformed(
            ahead.bytes,
            if is_truncated { MalformedReason::Truncated } else { reason },
            Utf7DecoderState::AfterInvalidRun,
        )
    }
}

/// The maximum number of bytes that contain bits of one character, a surrogate pair.
const MAX_CHAR_LEN: usize = 6;

/// The number of bits in [`MAX_CHAR_LEN`] bytes.
const MAX_CHAR_BITS: usize = 6 * MAX_CHAR_LEN;

/// The number of bits that have been taken from the next unread byte: 0, 2 or 4.
///
/// Code units of 16 bits and base64 digits of 6 bits align only at every third code unit, so a byte
/// may contain the end of one code unit and the start of the next. Such a byte is left unread until
/// its last bits are taken. The number of bits taken is the whole state of a decoder in a run, and
/// an error begins at the first byte that contains a bit of the malformed code unit.
///
/// | bits taken | bytes of the next unit | of these used up | bits taken then |
/// |-----------:|-----------------------:|-----------------:|----------------:|
/// |          0 |                      3 |                2 |               4 |
/// |          4 |                      4 |                3 |               2 |
/// |          2 |                      3 |                3 |               0 |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BitsTaken(usize);

/// A range of bits that begins at the current position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BitRange {
    /// The number of bytes that contain its bits.
    bytes: usize,
    /// The number of those bytes that contain no bits after it.
    consumed: usize,
    /// The bits taken after it.
    bits_taken: BitsTaken,
}

impl BitsTaken {
    const NONE: BitsTaken = BitsTaken(0);

    /// Returns the value of a number from [`bits`](BitsTaken::bits).
    const fn new(bits: u64) -> BitsTaken {
        BitsTaken((bits % 6) as usize)
    }

    const fn bits(self) -> u64 {
        self.0 as u64
    }

    /// Returns the range of a number of code units.
    const fn bit_range(self, units: usize) -> BitRange {
        let end = self.0 + 16 * units;
        BitRange { bytes: end.div_ceil(6), consumed: end / 6, bits_taken: BitsTaken(end % 6) }
    }
}

/// The next bytes of a run, up to the length of one character.
#[derive(Debug, Clone, Copy)]
struct BitLookahead {
    /// The number of bytes, at most [`MAX_CHAR_LEN`].
    bytes: usize,
    /// Their bits after those taken, left-aligned.
    bits: u64,
    /// The number of bits.
    len: usize,
}

/// The next item of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunItem {
    /// A whole character, and its bits.
    Character(char, BitRange),
    /// A surrogate without its other half.
    UnpairedSurrogate(BitRange),
    /// A high surrogate, and less than a code unit after it.
    IncompletePair,
    /// Less than a code unit.
    Incomplete,
}

impl BitLookahead {
    /// Reads the bytes of `alphabet` at the start of `src`; `taken` bits of the first one are
    /// taken.
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

    /// Returns whether less than a code unit is left and all its bits are zero.
    fn is_zero(&self) -> bool {
        self.len < 16 && self.bits == 0
    }

    /// Returns whether the bits only pad the run to a whole byte.
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
        // U+10FFFF is DBFF DFFF; the bits before it belong to an earlier code unit.
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
