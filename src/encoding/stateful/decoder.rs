//! The decoder of all charsets with shifts.

use super::shifts::ShiftState;
use super::{
    CodedCharset, Conformance, ControlFunction, ESCAPE, GraphicSet, MAX_LOOKAHEAD, NewlineReset,
    StatefulEncoding,
};
use crate::codec::{Checkpoint, Decoder, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason};
use crate::encoding::multi_byte::cells::OneOrTwoChars;
use crate::encoding::multi_byte::mapping::MappingError;
use crate::encoding::multi_byte::pair_table;
use crate::kernel::dbcs::PairTable;

pub struct StatefulDecoder {
    encoding: &'static StatefulEncoding,
    shift_state: ShiftState,
    /// The ASCII bytes that the first set may copy without a look.
    copyable_ascii: [bool; 0x80],
    /// What each byte begins.
    byte_roles: [ByteRole; 256],
    /// Tables of the sets for large inputs, once there are any.
    pair_tables: Box<[Option<PairTable>]>,
}

/// What a byte begins.
#[derive(Clone, Copy)]
enum ByteRole {
    /// No sequence.
    Text,
    /// A sequence of several bytes, or one that does more than the others.
    Sequence,
    /// The sequence that it is by itself, which makes this set the one in use.
    LockingShift(u8),
    /// The same for G1.
    ShiftOut,
}

/// What the next bytes are: so many, this text, and the shifts after it.
struct StatefulStep {
    len: usize,
    chars: Option<OneOrTwoChars>,
    shift_state: ShiftState,
}

impl StatefulDecoder {
    pub fn new(encoding: &'static StatefulEncoding) -> StatefulDecoder {
        let mut opens = [ByteRole::Text; 256];
        for (bytes, act) in encoding.sequences {
            opens[usize::from(bytes[0])] = match (bytes.len(), act) {
                (1, ControlFunction::LockingShift(set)) => ByteRole::LockingShift(*set),
                (1, ControlFunction::ShiftOut) => ByteRole::ShiftOut,
                _ => ByteRole::Sequence,
            };
        }
        let ascii = encoding.charsets[0].mapping.ascii;
        let copied = std::array::from_fn(|byte| {
            let ends = byte == usize::from(b'\n') && encoding.newline_reset != NewlineReset::None;
            ascii && !ends && matches!(opens[byte], ByteRole::Text)
        });
        StatefulDecoder {
            encoding,
            shift_state: ShiftState::default(),
            copyable_ascii: copied,
            byte_roles: opens,
            pair_tables: Box::default(),
        }
    }

    fn charset(&self, number: u8) -> &'static CodedCharset {
        // Every number is that of a set, since the scheme names it.
        self.encoding.charsets.get(usize::from(number)).unwrap_or(&self.encoding.charsets[0])
    }

    /// The set that a byte by itself makes the one in use.
    fn locking_shift(&self, byte: u8) -> Option<u8> {
        match self.byte_roles[usize::from(byte)] {
            ByteRole::LockingShift(set) => Some(set),
            ByteRole::ShiftOut => Some(self.designated(GraphicSet::G1)).filter(|set| *set != 0),
            _ => None,
        }
    }

    /// Decodes what is plain in the set in use, while there is space enough.
    fn decode_run(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let mapping = &self.charset(self.shift_state.active).mapping;
        if let Some(Some(quick)) = self.pair_tables.get(usize::from(self.shift_state.active)) {
            let (read, written) = quick.decode(src, dst);
            if read > 0 {
                return (read, written);
            }
        }
        if !mapping.ascii {
            return mapping.decode_fast(src, dst, false);
        }
        if self.shift_state.active != 0 {
            return (0, 0);
        }
        let plain =
            |byte: &u8| self.copyable_ascii.get(usize::from(*byte)).copied().unwrap_or(false);
        let mut copied = 0;
        // Byte by byte: between shifts there is mostly one word or one space.
        for (byte, space) in src.iter().take_while(|byte| plain(byte)).zip(dst) {
            *space = *byte;
            copied += 1;
        }
        (copied, copied)
    }

    /// What stands at the start of `src`, which is not empty.
    fn decode_one(&self, src: &[u8]) -> Result<StatefulStep, MappingError> {
        if !matches!(self.byte_roles[usize::from(src[0])], ByteRole::Text) {
            return self.decode_sequence(src);
        }
        let control = self.encoding.shared_controls && is_control(src[0]);
        let text = match self.charset(self.shift_state.active) {
            _ if control => return Ok(self.decode_control(src[0])),
            set => {
                set.mapping.decode_one(src).map_err(|error| self.clip_to_next_role(error, src))?
            }
        };
        Ok(StatefulStep {
            len: text.len,
            chars: Some(text.chars),
            shift_state: self.shift_state.after_character(),
        })
    }

    fn decode_control(&self, byte: u8) -> StatefulStep {
        let newline = byte == b'\n';
        let shifts =
            if newline { self.shift_state.after_newline(self.encoding) } else { self.shift_state };
        StatefulStep { len: 1, chars: Some(char::from(byte).into()), shift_state: shifts }
    }

    fn decode_sequence(&self, src: &[u8]) -> Result<StatefulStep, MappingError> {
        // The first byte is looked at first: SO without a set may come by the million.
        let known =
            |(bytes, _): &&(&[u8], ControlFunction)| bytes[0] == src[0] && src.starts_with(bytes);
        let Some((bytes, act)) = self.encoding.sequences.iter().find(known) else {
            let unfinished =
                self.encoding.sequences.iter().any(|(bytes, _)| bytes.starts_with(src));
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
                step.shift_state.active = set;
                step.shift_state.after_escape = self.encoding.conformance == Conformance::Whatwg;
            }
            ControlFunction::Designate(slot, set) => step.shift_state.designate(slot, set),
            ControlFunction::ShiftOut => match self.designated(GraphicSet::G1) {
                0 => return Err(MappingError::Malformed(step.len, MalformedReason::EmptyShift)),
                set => step.shift_state.active = set,
            },
            ControlFunction::SingleShift(slot) => return self.decode_single_shift(slot, step, src),
            ControlFunction::Character(character) => step.chars = Some(character.into()),
            ControlFunction::Reject => {
                return Err(MappingError::Malformed(step.len, MalformedReason::InvalidLeadByte));
            }
            ControlFunction::Ignore => {}
        }
        Ok(step)
    }

    /// What is designated in a slot, or 0.
    fn designated(&self, slot: GraphicSet) -> u8 {
        match self.shift_state.designated(slot) {
            0 if slot == GraphicSet::G1 && !self.encoding.header.is_empty() => 1,
            set => set,
        }
    }

    /// The single shift of `step` with the character after it.
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

    /// An invalid code without a byte after its first that stands for itself: a control character,
    /// which may begin a sequence, or on the web ESC alone.
    fn clip_to_next_role(&self, error: MappingError, src: &[u8]) -> MappingError {
        let itself = |byte: &u8| match self.encoding.conformance {
            Conformance::Lenient => is_control(*byte),
            Conformance::Whatwg => *byte == ESCAPE,
        };
        match error {
            MappingError::Malformed(len, _) if len > 1 && src[1..len].iter().any(itself) => {
                MappingError::Malformed(1, MalformedReason::MissingTrailByte)
            }
            error => error,
        }
    }

    /// What is wrong with `rest`, after which nothing follows if it is unfinished.
    fn malformed(&self, error: MappingError, rest: &[u8]) -> Malformed {
        let escape = self.encoding.conformance == Conformance::Whatwg && rest[0] == ESCAPE;
        let (len, reason) = match error {
            MappingError::Incomplete if escape => (1, MalformedReason::Truncated),
            MappingError::Incomplete => (rest.len(), MalformedReason::Truncated),
            MappingError::Malformed(len, why) => (len, why),
        };
        Malformed::new(len, reason, self.shift_state.after_character().into())
    }
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

impl Decoder for StatefulDecoder {
    fn prepare_for_large_input(&mut self) {
        self.pair_tables = self
            .encoding
            .charsets
            .iter()
            .map(|set| pair_table::build_pair_table(&set.mapping))
            .collect();
    }

    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let (more, put) = self.decode_run(&src[read..], &mut dst[written..]);
            read += more;
            written += put;
            self.shift_state.after_escape &= more == 0;
            let rest = &src[read..];
            let Some(&byte) = rest.first() else { return Progress::input_empty(read, written) };
            if let Some(set) = self.locking_shift(byte) {
                self.shift_state.active = set;
                read += 1;
                continue;
            }
            let step = match self.decode_one(rest) {
                Ok(step) if self.shift_state.after_escape && step.chars.is_none() => {
                    let failure = Malformed::new(
                        step.len,
                        MalformedReason::ConsecutiveEscapes,
                        step.shift_state.into(),
                    );
                    return Progress::error(read, written, failure);
                }
                Ok(step) => step,
                Err(MappingError::Incomplete) if !end => {
                    return Progress::input_empty(read, written);
                }
                Err(error) => return Progress::error(read, written, self.malformed(error, rest)),
            };
            if let Some(text) = step.chars {
                if dst.len() - written < text.len() {
                    return Progress::output_full(read, written);
                }
                text.write_to(&mut dst[written..]);
                written += text.len();
            }
            read += step.len;
            self.shift_state = step.shift_state;
        }
    }
}
