//! The encoder of all charsets with shifts.

use super::shifts::ShiftState;
use super::{
    Conformance, ControlFunction, Designation, GraphicSet, MAX_LOOKAHEAD, NewlineReset, SHIFT_OUT,
    StatefulEncoding,
};
use crate::codec::{Checkpoint, Encoder, Progress, State};
use crate::conversion_error::Unmappable;
use crate::encoding::multi_byte::encode_table::{CodeBytes, EncodeStep, MultiByteEncodeTable};
use crate::encoding::multi_byte::encode_table_builder;
use crate::encoding::multi_byte::fast_encode::FastEncoder;
use crate::encoding::multi_byte::text;

pub struct StatefulEncoder {
    encoding: &'static StatefulEncoding,
    table: MultiByteEncodeTable,
    fast_encoder: FastEncoder,
    shift_state: ShiftState,
}

/// The mark of the codes of a set: its number and one, above the code.
fn tag(set: usize) -> CodeBytes {
    (set as CodeBytes + 1) << 16
}

/// The bytes of a code, without its mark.
fn code_bytes(code: CodeBytes) -> ([u8; 2], usize) {
    let [first, second, ..] = code.to_le_bytes();
    ([first, second], if second == 0 { 1 } else { 2 })
}

impl StatefulEncoder {
    pub fn new(encoding: &'static StatefulEncoding) -> StatefulEncoder {
        let mut table = MultiByteEncodeTable::new();
        let encoded = || {
            let sets = encoding.charsets.iter().enumerate();
            sets.filter(|(_, set)| !matches!(set.designation, Designation::DecodeOnly))
        };
        encoded().for_each(|(number, set)| {
            encode_table_builder::add_mapping(&mut table, &set.mapping, tag(number))
        });
        encoded().for_each(|(number, set)| {
            encode_table_builder::apply_one_way(&mut table, &set.mapping, tag(number))
        });
        let firsts = encoding.sequences.iter().map(|(sequence, _)| char::from(sequence[0]));
        firsts.for_each(|first| table.insert(first, 0));
        for (sequence, act) in encoding.sequences {
            if let (ControlFunction::Character(character), [first, second]) = (act, sequence) {
                let code = u16::from_le_bytes([*first, *second]);
                table.insert(*character, tag(0) | CodeBytes::from(code));
            }
        }
        for (half, full) in ('\u{FF61}'..).zip(encoding.katakana_replacements.chars()) {
            table.insert(half, table.single(full));
        }
        let newline = encoding.newline_reset != NewlineReset::None;
        let runs = FastEncoder::new(&table, |character| newline && character == '\n');
        StatefulEncoder { encoding, table, fast_encoder: runs, shift_state: ShiftState::default() }
    }

    /// Encodes characters of the set in use, while there is space enough.
    fn encode_run(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        if !self.shift_state.header_written && !self.encoding.header.is_empty() {
            return (0, 0);
        }
        let wanted = tag(self.shift_state.active.into());
        self.fast_encoder.encode(&self.table, wanted, src.as_bytes(), dst)
    }

    /// The code of the first character of `text`, or of the first two.
    fn next_code(&self, text: &str, end: bool) -> EncodeStep {
        match text::char_at(text, 0).map(|(character, len)| (self.table.single(character), len)) {
            None | Some((0, _)) => self.table.encode_first(text, end),
            Some((code, len)) => EncodeStep::Code(code, len),
        }
    }

    /// The error of a character without a code. The Encoding Standard, section 12.2.2, has U+FFFD as
    /// the code point of one that begins a sequence.
    fn unmappable(&self, character: char) -> Unmappable {
        match (self.encoding.conformance, character) {
            (Conformance::Whatwg, '\u{0E}' | '\u{0F}' | '\u{1B}') => {
                Unmappable::without_escape(character)
            }
            _ => Unmappable::new(character),
        }
    }

    /// What leads to a set, and the shifts after it.
    fn shift_to(&self, set: u8, out: &mut EncodedBytes) -> ShiftState {
        let mut shifts = self.shift_state;
        if !shifts.header_written && !self.encoding.header.is_empty() {
            out.push(self.encoding.header);
            shifts.header_written = true;
            shifts.designate(GraphicSet::G1, 1);
        }
        match self.encoding.charsets[usize::from(set)].designation {
            Designation::Locking(sequence) => {
                if shifts.active != set {
                    out.push(sequence);
                    shifts.active = set;
                }
            }
            Designation::ShiftOut(designation) => {
                if shifts.designated(GraphicSet::G1) != set {
                    out.push(designation);
                    shifts.designate(GraphicSet::G1, set);
                }
                if shifts.active != set {
                    out.push(SHIFT_OUT);
                    shifts.active = set;
                }
            }
            Designation::SingleShift(slot, designation, shift) => {
                if shifts.designated(slot) != set {
                    out.push(designation);
                    shifts.designate(slot, set);
                }
                out.push(shift);
            }
            Designation::DecodeOnly => {}
        }
        shifts
    }

    /// Whether the set in use has a byte of ASCII too, and there is no need to leave it.
    fn in_active_set(&self, set: u8, byte: u8) -> bool {
        let current = &self.encoding.charsets[usize::from(self.shift_state.active)].mapping;
        self.encoding.conformance == Conformance::Whatwg
            && (set, current.ascii) == (0, true)
            && current.decode_one(&[byte]).is_ok_and(|unit| unit.chars == char::from(byte).into())
    }

    /// The bytes of a code, with what leads to its set, and the shifts after it.
    fn encode_code(&self, code: CodeBytes, character: char) -> (EncodedBytes, ShiftState) {
        let mut out = EncodedBytes::default();
        let (bytes, count) = code_bytes(code);
        let set = (code >> 16) as u8 - 1;
        let set = if self.in_active_set(set, bytes[0]) { self.shift_state.active } else { set };
        let mut shifts = self.shift_to(set, &mut out);
        out.push(&bytes[..count]);
        if character == '\n' {
            shifts = shifts.after_newline(self.encoding);
        }
        (out, shifts)
    }

    /// What leads back to the set of the beginning.
    fn reset_sequence(&self) -> (EncodedBytes, ShiftState) {
        let mut out = EncodedBytes::default();
        let shifts = if self.shift_state.active == 0 {
            self.shift_state
        } else {
            self.shift_to(0, &mut out)
        };
        (out, shifts)
    }
}

/// Bytes to be written all or none, the first lowest.
#[derive(Default)]
struct EncodedBytes {
    bytes: u128,
    len: usize,
}

impl EncodedBytes {
    fn push(&mut self, more: &[u8]) {
        for byte in more {
            self.bytes |= u128::from(*byte) << ((8 * self.len) & 0x7F);
            self.len += 1;
        }
    }

    /// Copies all to the front of `dst` if they fit there.
    fn copy_to(&self, dst: &mut [u8]) -> bool {
        let bytes = self.bytes.to_le_bytes();
        if let Some(space) = dst.first_chunk_mut() {
            *space = bytes;
            return true;
        }
        let fits = dst.get_mut(..self.len);
        fits.map(|output| output.copy_from_slice(&bytes[..self.len])).is_some()
    }
}

impl Checkpoint for StatefulEncoder {
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

impl Encoder for StatefulEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            let (more, put) = self.encode_run(&src[read..], &mut dst[written..]);
            read += more;
            written += put;
            let rest = &src[read..];
            let (out, shifts, len) = match (rest.chars().next(), self.next_code(rest, end)) {
                (Some(character), EncodeStep::Unmappable) => {
                    return Progress::error(read, written, self.unmappable(character));
                }
                (Some(character), EncodeStep::Code(code, len)) => {
                    let (out, shifts) = self.encode_code(code, character);
                    (out, shifts, len)
                }
                (None, _) if end && self.shift_state.active != 0 => {
                    let (out, shifts) = self.reset_sequence();
                    (out, shifts, 0)
                }
                _ => return Progress::input_empty(read, written),
            };
            if !out.copy_to(&mut dst[written..]) {
                return Progress::output_full(read, written);
            }
            written += out.len;
            read += len;
            self.shift_state = shifts;
        }
    }
}
