//! The encoder of all encodings with shifts.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::{
    Conformance, Designation, GraphicSet, Katakana, MAX_LOOKAHEAD, NewlineReset, SHIFT_IN,
    SHIFT_OUT, ShiftState, StatefulEncoding,
};
use crate::codec::{Checkpoint, EncodeStage, Progress, Replacements, State};
use crate::conversion_error::Unmappable;
use crate::encoding::multi_byte::encode_table::{
    self, CodeBytes, EncodeStep, MultiByteEncodeTable, TableSource,
};
use crate::encoding::multi_byte::fast_encode::FastEncoder;
use crate::encoding::multi_byte::lazy_encode_table::{
    LazyEncodeTable, SharedEncodeTable, TableRef,
};
use crate::encoding::shared::Registry;
use crate::error_handler::{EncoderShift, MAX_CLEAN_CHARACTERS, RunCount};
use charpipe_kernel::ascii_set::AsciiByteSet;

/// An encoder, which shifts to the set of each character.
pub(super) struct StatefulEncoder {
    encoding: &'static StatefulEncoding,
    tables: &'static EncodeTables,
    shift_state: ShiftState,
    /// The last shifts: text often alternates between the same sets.
    last_shifts: [Shift; LAST_SHIFTS],
    /// The shifts to set 0 and back from the last state where they were needed.
    detour: Detour,
}

/// What all encoders of an encoding share.
#[derive(Debug)]
struct EncodeTables {
    /// The codes of the sets that are encoded.
    table: SharedEncodeTable,
    /// Those of ASCII characters in the complete table.
    ascii_codes: OnceLock<AsciiCodes>,
}

/// The tables of each encoding, by its address.
static ENCODE_TABLES: Registry<usize, EncodeTables> = Registry::new();

impl EncodeTables {
    fn new(encoding: &StatefulEncoding) -> EncodeTables {
        let sets = encoding.charsets.iter().enumerate();
        let encoded = sets.filter(|(_, set)| !matches!(set.designation, Designation::DecodeOnly));
        let sources = encoded.map(|(number, set)| TableSource::new(&set.mapping, tag(number)));
        let table = LazyEncodeTable::new(sources.collect(), encoding.overrides());
        EncodeTables { table: SharedEncodeTable::new(table), ascii_codes: OnceLock::new() }
    }
}

/// The codes of ASCII characters.
#[derive(Debug, Clone)]
struct AsciiCodes {
    fast_encoder: FastEncoder,
    /// The characters that set 0 encodes as ASCII, if it is a variant of ASCII: without line feeds, and
    /// with them.
    unchanged: Option<[AsciiByteSet; 2]>,
}

impl AsciiCodes {
    fn new(table: &MultiByteEncodeTable, encoding: &StatefulEncoding) -> AsciiCodes {
        let resets_at_newline = encoding.newline_reset != NewlineReset::None;
        let fast_encoder = FastEncoder::new(|byte| match char::from(byte) {
            '\n' if resets_at_newline => 0,
            character => table.single(character),
        });
        let is_ascii = |byte| table.single(char::from(byte)) == CodeBytes::from(byte) | tag(0);
        let in_line = AsciiByteSet::new(|byte| byte != b'\n' && is_ascii(byte));
        let unchanged = is_ascii(b'a').then(|| [in_line, AsciiByteSet::new(is_ascii)]);
        AsciiCodes { fast_encoder, unchanged }
    }
}

/// Shifts to set 0 and back, or `None` if they do not lead to the same state.
#[derive(Clone, Copy, Default)]
struct Detour {
    from: ShiftState,
    sequences: Option<[EncodedBytes; 2]>,
}

/// The number of shifts that are kept.
const LAST_SHIFTS: usize = 4;

/// The sequences from a state to a set, and the state after them.
#[derive(Clone, Copy, Default)]
struct Shift {
    from: ShiftState,
    set: u8,
    bytes: EncodedBytes,
    to: ShiftState,
}

/// Returns the tag of the codes of a set: its number plus one, above the code.
pub(super) fn tag(set: usize) -> CodeBytes {
    (set as CodeBytes + 1) << 16
}

/// Returns the bytes of a code without its tag, and their number.
fn code_bytes(code: CodeBytes) -> ([u8; 2], usize) {
    let [first, second, ..] = code.to_le_bytes();
    ([first, second], if second == 0 { 1 } else { 2 })
}

impl StatefulEncoder {
    pub(super) fn new(encoding: &'static StatefulEncoding) -> StatefulEncoder {
        let tables = ENCODE_TABLES.get_or_init(encoding.key(), || EncodeTables::new(encoding));
        StatefulEncoder {
            encoding,
            tables,
            shift_state: ShiftState::default(),
            last_shifts: [Shift { set: u8::MAX, ..Shift::default() }; LAST_SHIFTS],
            detour: Detour::default(),
        }
    }

    /// Returns the table with the codes of a text, and those of ASCII characters in it.
    fn prepare(&self, text: &str) -> (TableRef<'static>, Cow<'static, AsciiCodes>) {
        let table = self.tables.table.for_text(text);
        let new = || AsciiCodes::new(table.codes(), self.encoding);
        // Encoders do not have codes of their own: to make one would take longer than to encode a word.
        let ascii_codes = match table.is_complete() {
            true => Cow::Borrowed(self.tables.ascii_codes.get_or_init(new)),
            false => Cow::Owned(new()),
        };
        (table, ascii_codes)
    }

    /// Encodes characters of the active set, while `dst` has space; returns the number of bytes
    /// read and written.
    fn encode_run(
        &self,
        table: &MultiByteEncodeTable,
        ascii_codes: &AsciiCodes,
        src: &str,
        dst: &mut [u8],
    ) -> (usize, usize) {
        if !self.shift_state.header_written && !self.encoding.header.is_empty() {
            return (0, 0);
        }
        let shift_state = self.shift_state;
        let AsciiCodes { fast_encoder, unchanged } = ascii_codes;
        let ascii = unchanged.as_ref().filter(|_| shift_state.active == 0);
        let unchanged = ascii.map(|[in_line, all]| {
            if shift_state.after_newline(self.encoding) == shift_state { all } else { in_line }
        });
        let tag = tag(shift_state.active.into());
        fast_encoder.encode(table, tag, unchanged, src.as_bytes(), dst)
    }

    /// Returns the error of a character without a code. The Encoding Standard, section 12.2.2,
    /// reports U+FFFD for one that begins a sequence.
    fn unmappable(&self, character: char) -> Unmappable {
        match (self.encoding.conformance, character) {
            (Conformance::Whatwg, '\u{0E}' | '\u{0F}' | '\u{1B}') => {
                Unmappable::without_escape(character)
            }
            _ => Unmappable::new(character),
        }
    }

    /// Writes the sequences that select a set; returns the state after them.
    fn shift_to(&self, set: u8, out: &mut EncodedBytes) -> ShiftState {
        let mut shift_state = self.shift_state;
        if !shift_state.header_written && !self.encoding.header.is_empty() {
            out.push(self.encoding.header);
            shift_state.header_written = true;
            shift_state.designate(GraphicSet::G1, 1);
        }
        match self.encoding.charsets[usize::from(set)].designation {
            Designation::Locking(sequence) => {
                if self.encoding.katakana == Katakana::ShiftOut(shift_state.active) {
                    out.push(SHIFT_IN);
                    shift_state.leave_katakana(self.encoding.katakana);
                }
                if shift_state.active != set {
                    out.push(sequence);
                    shift_state.active = set;
                }
            }
            Designation::ShiftOut(designation) => {
                if shift_state.designated(GraphicSet::G1) != set {
                    out.push(designation);
                    shift_state.designate(GraphicSet::G1, set);
                }
                if shift_state.active != set {
                    out.push(SHIFT_OUT);
                    shift_state.active = set;
                }
            }
            Designation::SingleShift(slot, designation, shift) => {
                if shift_state.designated(slot) != set {
                    out.push(designation);
                    shift_state.designate(slot, set);
                }
                out.push(shift);
            }
            Designation::Katakana => match self.encoding.katakana {
                Katakana::ShiftOut(_) if shift_state.active != set => {
                    out.push(SHIFT_OUT);
                    shift_state.shift_to_katakana(set);
                }
                Katakana::RightHalf(_) if !self.is_single_byte_set(shift_state.active) => {
                    return self.shift_to(0, out);
                }
                _ => {}
            },
            Designation::DecodeOnly => {}
        }
        shift_state
    }

    /// Returns whether this set has ASCII or a variant of it.
    fn is_single_byte_set(&self, set: u8) -> bool {
        self.encoding.charsets[usize::from(set)].mapping.ascii
    }

    /// Returns whether the active set has an ASCII byte too, so that it need not be left.
    fn in_active_set(&self, set: u8, byte: u8) -> bool {
        let active = &self.encoding.charsets[usize::from(self.shift_state.active)].mapping;
        self.encoding.conformance == Conformance::Whatwg
            && (set, active.ascii) == (0, true)
            && active.decode_one(&[byte]).is_ok_and(|code| code.chars == char::from(byte).into())
    }

    /// Returns the bytes of a code with the sequences that select its set, and the state after
    /// them.
    #[inline]
    fn encode_code(&mut self, code: CodeBytes, character: char) -> (EncodedBytes, ShiftState) {
        let (mut bytes, count) = code_bytes(code);
        let set = (code >> 16) as u8 - 1;
        if self.encoding.katakana == Katakana::RightHalf(set) {
            bytes[0] |= 0x80;
        }
        let set = if self.in_active_set(set, bytes[0]) { self.shift_state.active } else { set };
        let slot = usize::from(set) % LAST_SHIFTS;
        let shift = &self.last_shifts[slot];
        if (shift.set, shift.from) != (set, self.shift_state) {
            let mut sequences = EncodedBytes::default();
            let to = self.shift_to(set, &mut sequences);
            self.last_shifts[slot] = Shift { from: self.shift_state, set, bytes: sequences, to };
        }
        let Shift { bytes: mut out, to: mut shift_state, .. } = self.last_shifts[slot];
        out.push(&bytes[..count]);
        if character == '\n' {
            shift_state = shift_state.after_newline(self.encoding);
        }
        (out, shift_state)
    }

    /// Returns the bytes of one or two ASCII characters at the start of `text` with shifts to set 0
    /// and back, and the number of the characters, if the next one is in the active set.
    ///
    /// Words are often separated so. The state is the same afterwards.
    #[inline]
    fn encode_detour(
        &mut self,
        table: &MultiByteEncodeTable,
        ascii_codes: &AsciiCodes,
        text: &str,
    ) -> Option<(EncodedBytes, usize)> {
        let active = self.shift_state.active;
        let [first, second, third] = *text.as_bytes().first_chunk()?;
        let len = if second.is_ascii() { 2 } else { 1 };
        if active == 0 || !first.is_ascii() || len == 2 && third.is_ascii() {
            return None;
        }
        let (next, _) = encode_table::char_at(text, len)?;
        let codes = [first, second].map(|byte| ascii_codes.fast_encoder.ascii_code(byte) ^ tag(0));
        let is_single = |code: &CodeBytes| matches!(code, 1..=0xFF);
        if table.single(next) >> 16 != tag(active.into()) >> 16
            || !codes[..len].iter().all(is_single)
        {
            return None;
        }
        if self.detour.from != self.shift_state {
            self.detour = self.find_detour();
        }
        let [mut out, back] = self.detour.sequences?;
        for code in &codes[..len] {
            out.bytes |= u128::from(*code) << (8 * out.len);
            out.len += 1;
        }
        out.bytes |= back.bytes << (8 * out.len);
        out.len += back.len;
        Some((out, len))
    }

    /// Returns the shifts from the state to set 0 and back.
    fn find_detour(&mut self) -> Detour {
        let from = self.shift_state;
        let mut sequences = [EncodedBytes::default(); 2];
        let [out, back] = &mut sequences;
        self.shift_state = self.shift_to(0, out);
        let to = self.shift_to(from.active, back);
        self.shift_state = from;
        // The Encoding Standard does not always leave the active set.
        let is_detour = to == from
            && self.encoding.conformance == Conformance::Lenient
            && out.len + back.len <= MAX_DETOUR_LEN;
        Detour { from, sequences: Some(sequences).filter(|_| is_detour) }
    }

    /// Returns the sequence that selects the initial set, and the state after it.
    fn reset_sequence(&self) -> (EncodedBytes, ShiftState) {
        let mut out = EncodedBytes::default();
        let shift_state = if self.shift_state.active == 0 {
            self.shift_state
        } else {
            self.shift_to(0, &mut out)
        };
        (out, shift_state)
    }
}

/// The maximum length of the shifts of a detour, which are written together with two characters.
const MAX_DETOUR_LEN: usize = 14;

/// Bytes to be written together, the first one lowest.
#[derive(Clone, Copy, Default)]
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

    /// Copies all bytes to the start of `dst`; returns whether they fit.
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

impl EncodeStage for StatefulEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        if src.is_empty() && (!end || self.shift_state.active == 0) {
            return Progress::input_empty(0, 0);
        }
        let (table, ascii_codes) = self.prepare(src);
        let table = table.codes();
        loop {
            let (run_read, run_written) =
                self.encode_run(table, &ascii_codes, &src[read..], &mut dst[written..]);
            read += run_read;
            written += run_written;
            if let Some((out, len)) = self.encode_detour(table, &ascii_codes, &src[read..]) {
                if out.copy_to(&mut dst[written..]) {
                    read += len;
                    written += out.len;
                    continue;
                }
            }
            let (out, shift_state, len) = match encode_table::char_at(src, read) {
                Some((character, len)) => {
                    let (code, len) = match table.single(character) {
                        0 => match table.encode_first(&src[read..], end) {
                            EncodeStep::NeedMore => return Progress::input_empty(read, written),
                            EncodeStep::Code(code, len) => (code, len),
                            EncodeStep::Unmappable => {
                                let error = self.unmappable(character);
                                return Progress::error(read, written, error);
                            }
                        },
                        code => (code, len),
                    };
                    let (out, shift_state) = self.encode_code(code, character);
                    (out, shift_state, len)
                }
                None if end && self.shift_state.active != 0 => {
                    let (out, shift_state) = self.reset_sequence();
                    (out, shift_state, 0)
                }
                None => return Progress::input_empty(read, written),
            };
            if !out.copy_to(&mut dst[written..]) {
                return Progress::output_full(read, written);
            }
            written += out.len;
            read += len;
            self.shift_state = shift_state;
        }
    }

    fn encode_replacing(
        &mut self,
        src: &str,
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        let tables = self.tables.table.complete().zip(errors.shift());
        let Some((table, EncoderShift { before, after })) = tables else { return (0, 0) };
        let (table, before, after) = (table.codes(), before.into(), after.into());
        let (mut read, mut written, mut clean_characters) = (0, 0, 0);
        let mut count = RunCount::default();
        while clean_characters < MAX_CLEAN_CHARACTERS {
            let Some((character, len)) = encode_table::char_at(src, read) else { break };
            let code = table.single(character);
            // Unless it changes the state.
            let is_in_active_set = code >> 16 == tag(self.shift_state.active.into()) >> 16
                && self.shift_state.active != 0;
            if let (true, Some(space)) = (is_in_active_set, dst[written..].first_chunk_mut()) {
                let count;
                (*space, count) = code_bytes(code);
                written += count;
                clean_characters += 1;
            } else if code != 0 {
                let (out, shift_state) = self.encode_code(code, character);
                if !out.copy_to(&mut dst[written..]) {
                    break;
                }
                written += out.len;
                self.shift_state = shift_state;
                clean_characters += 1;
            } else {
                let is_known = table.entry(character.into()) == 0 && self.shift_state == before;
                let error = self.unmappable(character);
                let replaced = match is_known {
                    true => errors.encoded(error, &mut dst[written..]),
                    false => None,
                };
                let Some((len, kind)) = replaced else { break };
                errors.count_in(&mut count, kind);
                written += len;
                self.shift_state = after;
                clean_characters = 0;
            }
            read += len;
        }
        errors.add_run(count);
        (read, written)
    }
}
