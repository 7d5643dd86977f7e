//! The decoder of all encodings with shifts.

use super::{
    CodedCharset, Conformance, ControlFunction, ESCAPE, GraphicSet, Katakana, MAX_LOOKAHEAD,
    NewlineReset, SHIFT_IN, SHIFT_OUT, ShiftState, StatefulEncoding,
};
use crate::codec::{Checkpoint, DecodeStage, Progress, Replacements, State};
use crate::conversion_error::{Malformed, MalformedReason};
use crate::encoding::multi_byte::cells::OneOrTwoChars;
use crate::encoding::multi_byte::mapping::MappingError;
use crate::encoding::multi_byte::run_decoder::RunDecoder;
use crate::encoding::multi_byte::trie::{ROOT, TrieEntry};
use crate::encoding::shared::Registry;
use crate::error_handler::{CharacterSpace, replace_malformed};
use charpipe_kernel::ascii_set::AsciiByteSet;
use charpipe_kernel::byte_table::{self, STEP_LEN};
use charpipe_kernel::utf8_bytes::write_utf8;
use charpipe_kernel::utf8_replace::Replaced;

/// A decoder, which follows the sequences between sets.
pub(super) struct StatefulDecoder {
    encoding: &'static StatefulEncoding,
    tables: &'static DecodeTables,
    shift_state: ShiftState,
}

/// What all decoders of an encoding share.
#[derive(Debug)]
struct DecodeTables {
    /// The sequences, none of which is a prefix of another.
    sequences: Box<[(&'static [u8], ControlFunction)]>,
    /// The role of each byte.
    byte_roles: [ByteRole; 256],
    /// The sequences of up to four bytes that make a set the active one, unless katakana are.
    locking_sequences: Box<[LockingSequence]>,
    /// What decodes runs of each set.
    run_decoders: Box<[CharsetDecoder]>,
    /// What each byte is while a set is active.
    code_roles: Box<[[CodeRole; 256]]>,
    /// Whether all bytes but those of ASCII are errors by themselves while a set is active.
    only_ascii_begins_codes: Box<[bool]>,
    /// The bytes that are copied between SI and SO while G1 is active: those of set 0, if SI and SO
    /// have their usual effects.
    copied_between_shifts: AsciiByteSet,
}

/// The tables of each encoding, by its address.
static DECODE_TABLES: Registry<usize, DecodeTables> = Registry::new();

/// A sequence that makes a set the active one.
#[derive(Debug)]
struct LockingSequence {
    /// The bytes, the first one lowest, and a mask of them.
    word: u32,
    mask: u32,
    len: usize,
    set: u8,
}

impl LockingSequence {
    fn new(bytes: &[u8], set: u8) -> Option<LockingSequence> {
        let (len, mut word) = (bytes.len(), [0; 4]);
        word.get_mut(..len)?.copy_from_slice(bytes);
        let mask = u32::MAX >> (8 * (word.len() - len));
        Some(LockingSequence { word: u32::from_le_bytes(word), mask, len, set })
    }
}

/// What decodes runs of a set.
#[derive(Debug)]
enum CharsetDecoder {
    /// Copies these bytes: all that have no other effect, and with a newline if that has none in
    /// the current state.
    Copy { bytes: AsciiByteSet, newline_too: AsciiByteSet },
    /// Looks up codes of two bytes.
    Pairs(&'static RunDecoder),
    /// Looks up codes of one byte.
    Bytes(Box<byte_table::DecodeTable>),
}

impl CharsetDecoder {
    fn new(
        set: &CodedCharset,
        encoding: &StatefulEncoding,
        byte_roles: &[ByteRole; 256],
    ) -> CharsetDecoder {
        let mapping = &set.mapping;
        if let Some(decoder) = RunDecoder::shared(mapping) {
            return CharsetDecoder::Pairs(decoder);
        }
        let character = |byte: u8| match byte_roles[usize::from(byte)] {
            ByteRole::Text => mapping.decode_one(&[byte]).ok().map(|code| code.chars.first),
            _ => None,
        };
        if mapping.ascii {
            let is_copied = |byte| character(byte) == Some(char::from(byte));
            let resets = encoding.newline_reset != NewlineReset::None;
            let bytes = AsciiByteSet::new(|byte| is_copied(byte) && !(resets && byte == b'\n'));
            return CharsetDecoder::Copy { bytes, newline_too: AsciiByteSet::new(is_copied) };
        }
        CharsetDecoder::Bytes(Box::new(byte_table::DecodeTable::new(character)))
    }
}

/// The role of a byte.
#[derive(Debug, Clone, Copy)]
enum ByteRole {
    /// Does not begin a sequence.
    Text,
    /// Begins a sequence of several bytes, or one with another effect.
    Sequence,
    /// Is a sequence by itself, which makes this set the active one.
    LockingShift(u8),
    /// Is a sequence by itself, which makes G1 the active set.
    ShiftOut,
}

/// What a byte is at the start of a code of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodeRole {
    /// Represents the same character as in ASCII, and changes no state.
    Ascii,
    /// Begins neither a sequence nor a code, and is not ASCII.
    Invalid,
    /// Anything else.
    Other,
}

impl CodeRole {
    fn new(
        byte: u8,
        set: &CodedCharset,
        run_decoder: &CharsetDecoder,
        encoding: &StatefulEncoding,
        byte_role: ByteRole,
    ) -> CodeRole {
        match run_decoder {
            CharsetDecoder::Copy { bytes, .. } if bytes.contains(byte) => CodeRole::Ascii,
            _ if !byte.is_ascii()
                && matches!(byte_role, ByteRole::Text)
                && encoding.katakana.right_half(byte).is_none()
                && set.mapping.trie.entry(ROOT, byte) == TrieEntry::Invalid =>
            {
                CodeRole::Invalid
            }
            _ => CodeRole::Other,
        }
    }
}

/// The result of one step: the number of bytes read, the text, and the state after it.
struct StatefulStep {
    len: usize,
    chars: Option<OneOrTwoChars>,
    shift_state: ShiftState,
}

impl DecodeTables {
    fn new(encoding: &StatefulEncoding) -> DecodeTables {
        let sequences = encoding.sequences();
        let mut byte_roles = [ByteRole::Text; 256];
        for (bytes, function) in &sequences {
            byte_roles[usize::from(bytes[0])] = match (bytes.len(), function) {
                (1, ControlFunction::LockingShift(set)) => ByteRole::LockingShift(*set),
                (1, ControlFunction::ShiftOut) => ByteRole::ShiftOut,
                _ => ByteRole::Sequence,
            };
        }
        let locking_sequences = sequences.iter().filter_map(|(bytes, function)| match function {
            ControlFunction::LockingShift(set) => LockingSequence::new(bytes, *set),
            _ => None,
        });
        let locking_sequences = locking_sequences.collect();
        let run_decoders: Box<[CharsetDecoder]> = encoding
            .charsets
            .iter()
            .map(|set| CharsetDecoder::new(set, encoding, &byte_roles))
            .collect();
        let code_roles = encoding.charsets.iter().zip(&run_decoders).map(|(set, run_decoder)| {
            std::array::from_fn(|byte| {
                CodeRole::new(byte as u8, set, run_decoder, encoding, byte_roles[byte])
            })
        });
        let code_roles: Box<[[CodeRole; 256]]> = code_roles.collect();
        let only_ascii_begins_codes =
            code_roles.iter().map(|roles| roles[0x80..] == [CodeRole::Invalid; 0x80]).collect();
        let role = |shift: &[u8]| byte_roles[usize::from(shift[0])];
        let copied_between_shifts = match (run_decoders.first(), role(SHIFT_IN), role(SHIFT_OUT)) {
            (
                Some(CharsetDecoder::Copy { bytes, .. }),
                ByteRole::LockingShift(0),
                ByteRole::ShiftOut,
            ) => *bytes,
            _ => AsciiByteSet::new(|_| false),
        };
        DecodeTables {
            sequences,
            byte_roles,
            locking_sequences,
            run_decoders,
            code_roles,
            only_ascii_begins_codes,
            copied_between_shifts,
        }
    }
}

impl StatefulDecoder {
    pub(super) fn new(encoding: &'static StatefulEncoding) -> StatefulDecoder {
        let tables = DECODE_TABLES.get_or_init(encoding.key(), || DecodeTables::new(encoding));
        StatefulDecoder { encoding, tables, shift_state: ShiftState::default() }
    }

    fn charset(&self, number: u8) -> &'static CodedCharset {
        // Every number is that of a set, since the encoding defines it.
        self.encoding.charsets.get(usize::from(number)).unwrap_or(&self.encoding.charsets[0])
    }

    /// Returns the set that a byte by itself makes the active one.
    fn locking_shift(&self, byte: u8) -> Option<u8> {
        match self.tables.byte_roles[usize::from(byte)] {
            ByteRole::LockingShift(set) => Some(set),
            ByteRole::ShiftOut => Some(self.designated(GraphicSet::G1)).filter(|set| *set != 0),
            _ => None,
        }
    }

    /// Returns the set that the sequence at the start of `src` makes the active one, and the length of
    /// the sequence, unless more than the active set changes or it may be an error.
    #[inline]
    fn locking_sequence(&self, src: &[u8]) -> Option<(u8, usize)> {
        let is_simple = !self.shift_state.after_escape && self.encoding.katakana == Katakana::None;
        if !is_simple {
            return None;
        }
        let word = match src.first_chunk() {
            Some(bytes) => u32::from_le_bytes(*bytes),
            None => src.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)),
        };
        let sequence = self.tables.locking_sequences.iter().find(|it| word & it.mask == it.word)?;
        Some((sequence.set, sequence.len))
    }

    /// Returns the bytes that the active set has at the same positions as ASCII, if that is a set of such
    /// bytes, and that change no state.
    #[inline]
    fn copied_bytes(&self) -> Option<&AsciiByteSet> {
        let decoder = self.tables.run_decoders.get(usize::from(self.shift_state.active))?;
        let CharsetDecoder::Copy { bytes, newline_too } = decoder else { return None };
        let resets = self.shift_state.is_reset_by_newline(self.encoding);
        Some(if resets { bytes } else { newline_too })
    }

    /// Decodes codes of the active set that a fast path handles, while `dst` has space; returns the
    /// number of bytes read and written.
    fn decode_run(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let active = usize::from(self.shift_state.active);
        let g1 = self.designated(GraphicSet::G1);
        match self.tables.run_decoders.get(active) {
            Some(CharsetDecoder::Copy { .. }) => {
                let copied = self.copied_bytes().map_or(0, |bytes| bytes.copy_prefix(src, dst));
                (copied, copied)
            }
            Some(CharsetDecoder::Pairs(pairs)) => {
                let is_kept = active == usize::from(g1);
                let copied = &self.tables.copied_between_shifts;
                pairs.decode_shifted(src, dst, is_kept.then_some(copied))
            }
            Some(CharsetDecoder::Bytes(table)) => decode_bytes(table, src, dst),
            None => (0, 0),
        }
    }

    /// Decodes a code of two bytes if the active set has it and `src` is long enough for a table. Returns the
    /// numbers of bytes read and written.
    #[inline(always)]
    fn decode_pair(
        &self,
        code: [u8; 2],
        src: &[u8],
        space: &mut CharacterSpace,
    ) -> Option<(usize, usize)> {
        let decoder = self.tables.run_decoders.get(usize::from(self.shift_state.active))?;
        let CharsetDecoder::Pairs(decoder) = decoder else { return None };
        decoder.decode_next(decoder.table_for(src)?, code, space)?.ok()
    }

    /// Decodes the character or sequence at the start of `src`, which is not empty.
    fn decode_one(&self, src: &[u8]) -> Result<StatefulStep, MappingError> {
        if !matches!(self.tables.byte_roles[usize::from(src[0])], ByteRole::Text) {
            return self.decode_sequence(src);
        }
        let is_shared_control = self.encoding.shared_controls && is_control(src[0]);
        if let Some(set) = self.encoding.katakana.right_half(src[0]) {
            let code = self.charset(set).mapping.decode_one(&[src[0] & 0x7F])?;
            let shift_state = self.shift_state.after_character();
            return Ok(StatefulStep { len: 1, chars: Some(code.chars), shift_state });
        }
        let code = match self.charset(self.shift_state.active) {
            _ if is_shared_control => return Ok(self.decode_control(src[0])),
            set => {
                set.mapping.decode_one(src).map_err(|error| self.clip_to_next_role(error, src))?
            }
        };
        Ok(StatefulStep {
            len: code.len,
            chars: Some(code.chars),
            shift_state: self.shift_state.after_character(),
        })
    }

    /// Returns whether each byte that is not ASCII is an error by itself in the current state.
    #[inline]
    fn only_ascii_begins_codes(&self) -> bool {
        let active = usize::from(self.shift_state.active);
        !self.shift_state.after_escape
            && self.tables.only_ascii_begins_codes.get(active) == Some(&true)
    }

    /// Returns what each byte is in the active set.
    #[inline]
    fn code_roles(&self) -> &'static [CodeRole; 256] {
        // Every number is that of a set, since the encoding defines it.
        let code_roles = &self.tables.code_roles;
        code_roles.get(usize::from(self.shift_state.active)).unwrap_or(&code_roles[0])
    }

    fn decode_control(&self, byte: u8) -> StatefulStep {
        let is_newline = byte == b'\n';
        let shift_state = if is_newline {
            self.shift_state.after_newline(self.encoding)
        } else {
            self.shift_state
        };
        StatefulStep { len: 1, chars: Some(char::from(byte).into()), shift_state }
    }

    fn decode_sequence(&self, src: &[u8]) -> Result<StatefulStep, MappingError> {
        // The first byte is compared first: SO without a designated set may come by the million.
        let known =
            |(bytes, _): &&(&[u8], ControlFunction)| bytes[0] == src[0] && src.starts_with(bytes);
        let sequences = &self.tables.sequences;
        let Some((bytes, act)) = sequences.iter().find(known) else {
            let unfinished = sequences.iter().any(|(bytes, _)| bytes.starts_with(src));
            return Err(if unfinished {
                MappingError::Incomplete
            } else {
                MappingError::Malformed(1, MalformedReason::UnknownEscapeSequence)
            });
        };
        let mut step =
            StatefulStep { len: bytes.len(), chars: None, shift_state: self.shift_state };
        match *act {
            ControlFunction::LockingShift(set) => {
                step.shift_state.designate_g0(set, self.encoding.katakana);
                step.shift_state.after_escape = self.encoding.conformance == Conformance::Whatwg;
            }
            ControlFunction::Designate(slot, set) => step.shift_state.designate(slot, set),
            ControlFunction::ShiftOut => match self.designated(GraphicSet::G1) {
                0 => return Err(MappingError::Malformed(step.len, MalformedReason::EmptyShift)),
                set => step.shift_state.active = set,
            },
            ControlFunction::KatakanaShiftOut => {
                if let Katakana::ShiftOut(set) = self.encoding.katakana {
                    step.shift_state.shift_to_katakana(set);
                }
            }
            ControlFunction::KatakanaShiftIn => {
                step.shift_state.leave_katakana(self.encoding.katakana);
            }
            ControlFunction::SingleShift(slot) => return self.decode_single_shift(slot, step, src),
            ControlFunction::Character(character) => step.chars = Some(character.into()),
            ControlFunction::Reject => {
                return Err(MappingError::Malformed(step.len, MalformedReason::InvalidLeadByte));
            }
            ControlFunction::Ignore => {}
        }
        Ok(step)
    }

    /// Returns the set that is designated as `slot`, or 0.
    fn designated(&self, slot: GraphicSet) -> u8 {
        match self.shift_state.designated(slot) {
            0 if slot == GraphicSet::G1 && !self.encoding.header.is_empty() => 1,
            set => set,
        }
    }

    /// Decodes the character after the single shift of `step`.
    fn decode_single_shift(
        &self,
        slot: GraphicSet,
        step: StatefulStep,
        src: &[u8],
    ) -> Result<StatefulStep, MappingError> {
        let rest = &src[step.len..];
        let set = match self.designated(slot) {
            0 => return Err(MappingError::Malformed(step.len, MalformedReason::EmptyShift)),
            _ if rest.is_empty() => return Err(MappingError::Incomplete),
            set => self.charset(set),
        };
        match set.mapping.decode_one(rest).map_err(|error| self.clip_to_next_role(error, rest)) {
            Ok(unit) => {
                Ok(StatefulStep { len: step.len + unit.len, chars: Some(unit.chars), ..step })
            }
            Err(MappingError::Malformed(..)) if is_control(rest[0]) => {
                Err(MappingError::Malformed(step.len, MalformedReason::EmptyShift))
            }
            Err(MappingError::Malformed(len, reason)) => {
                Err(MappingError::Malformed(step.len + len, reason))
            }
            Err(MappingError::Incomplete) => Err(MappingError::Incomplete),
        }
    }

    /// Limits a malformed sequence to its first byte if it includes a byte that is not part of it:
    /// a control character, which may begin a sequence, or ESC in the Encoding Standard.
    fn clip_to_next_role(&self, error: MappingError, src: &[u8]) -> MappingError {
        let is_separate = |byte: &u8| match self.encoding.conformance {
            Conformance::Lenient => is_control(*byte),
            Conformance::Whatwg => *byte == ESCAPE,
        };
        match error {
            MappingError::Malformed(len, _) if len > 1 && src[1..len].iter().any(is_separate) => {
                MappingError::Malformed(1, MalformedReason::MissingTrailByte)
            }
            error => error,
        }
    }

    /// Returns the error at the start of `rest`, which is truncated if the result is incomplete.
    fn malformed(&self, error: MappingError, rest: &[u8]) -> Malformed {
        let is_escape = self.encoding.conformance == Conformance::Whatwg && rest[0] == ESCAPE;
        let (len, reason) = match error {
            MappingError::Incomplete if is_escape => (1, MalformedReason::Truncated),
            MappingError::Incomplete => (rest.len(), MalformedReason::Truncated),
            MappingError::Malformed(len, reason) => (len, reason),
        };
        Malformed::new(len, reason, self.shift_state.after_character().into())
    }
}

/// Decodes codes of one byte, up to one that is unmapped and while `dst` has space; returns the
/// numbers of bytes read and written.
fn decode_bytes(table: &byte_table::DecodeTable, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    // Between shifts there is often one space, which is not worth a call of the kernel.
    for byte in src.iter().take(STEP_LEN) {
        let form = table.utf8_bytes(*byte);
        let len = match form {
            0 => return (read, written),
            form => write_utf8(form, &mut dst[written..]),
        };
        let Some(len) = len else { return (read, written) };
        read += 1;
        written += len;
    }
    let (run_read, run_written) = table.decode(&src[read..], &mut dst[written..]);
    (read + run_read, written + run_written)
}

fn is_control(byte: u8) -> bool {
    byte <= 0x20 || byte == 0x7F
}

impl Checkpoint for StatefulDecoder {
    fn save_state(&self) -> State {
        self.shift_state.into()
    }

    fn restore_state(&mut self, at: State) {
        self.shift_state = at.into();
    }

    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl DecodeStage for StatefulDecoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            if src.get(read).is_some_and(|byte| *byte != ESCAPE) {
                let (run_read, run_written) = self.decode_run(&src[read..], &mut dst[written..]);
                read += run_read;
                written += run_written;
                self.shift_state.after_escape &= run_read == 0;
            }
            let rest = &src[read..];
            let Some(&byte) = rest.first() else { return Progress::input_empty(read, written) };
            if let Some(set) = self.locking_shift(byte) {
                self.shift_state.active = set;
                read += 1;
                continue;
            }
            if let Some((set, len)) = self.locking_sequence(rest) {
                self.shift_state.lock(set, self.encoding.conformance);
                read += len;
                continue;
            }
            let step = match self.decode_one(rest) {
                Ok(step) if self.shift_state.after_escape && step.chars.is_none() => {
                    let error = Malformed::new(
                        step.len,
                        MalformedReason::ConsecutiveEscapes,
                        step.shift_state.into(),
                    );
                    return Progress::error(read, written, error);
                }
                Ok(step) => step,
                Err(MappingError::Incomplete) if !end => {
                    return Progress::input_empty(read, written);
                }
                Err(error) => return Progress::error(read, written, self.malformed(error, rest)),
            };
            if let Some(text) = step.chars {
                let Some(len) = text.write_to(&mut dst[written..]) else {
                    return Progress::output_full(read, written);
                };
                written += len;
            }
            read += step.len;
            self.shift_state = step.shift_state;
        }
    }

    fn decode_replacing(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        loop {
            if let Some(copied) = self.copied_bytes().filter(|_| self.only_ascii_begins_codes()) {
                let done = errors.replace_non_ascii(&src[read..], &mut dst[written..], copied);
                read += done.0;
                written += done.1;
            }
            let part = &src[read..src.len().min(read + STEPWISE_LEN)];
            let done = self.decode_stepwise(part, &mut dst[written..], errors);
            read += done.read;
            written += done.written;
            let has_stopped = part.len() - done.read >= MAX_LOOKAHEAD;
            if has_stopped || done.errors == 0 || part.len() < STEPWISE_LEN {
                return (read, written);
            }
        }
    }
}

/// The number of bytes that are decoded one code after another where errors are frequent, before a kernel is tried.
const STEPWISE_LEN: usize = 64;

impl StatefulDecoder {
    /// Decodes characters, sequences and errors one after another.
    fn decode_stepwise(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> Replaced {
        let mut error_count = 0;
        let mut count = |error| {
            error_count += 1;
            Some(Err(error))
        };
        let (read, written) = replace_malformed(src, dst, errors, |window, space| {
            let window: &[u8; MAX_LOOKAHEAD] = window;
            if let Some(lengths) = self.decode_pair([window[0], window[1]], src, space) {
                self.shift_state.after_escape = false;
                return Some(Ok(lengths));
            }
            // What follows a sequence may be an error because of it.
            let is_certain = !self.shift_state.after_escape;
            match self.code_roles()[usize::from(window[0])] {
                CodeRole::Ascii => {
                    self.shift_state.after_escape = false;
                    space[0] = window[0];
                    return Some(Ok((1, 1)));
                }
                CodeRole::Invalid if is_certain => {
                    return count((1, MalformedReason::InvalidLeadByte));
                }
                _ => {}
            }
            if let Some(set) = self.locking_shift(window[0]) {
                self.shift_state.active = set;
                return Some(Ok((1, 0)));
            }
            if let Some((set, len)) = self.locking_sequence(window) {
                self.shift_state.lock(set, self.encoding.conformance);
                return Some(Ok((len, 0)));
            }
            match self.decode_one(window) {
                Ok(step) if is_certain || step.chars.is_some() => {
                    let written = step.chars.map_or(Some(0), |text| text.write_to(space))?;
                    self.shift_state = step.shift_state;
                    Some(Ok((step.len, written)))
                }
                Err(MappingError::Malformed(len, reason)) if is_certain => count((len, reason)),
                _ => None,
            }
        });
        Replaced { read, written, errors: error_count }
    }
}
