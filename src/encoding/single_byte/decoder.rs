//! Bytes to text.

use super::pairs::{CompositionTable, KeyByte};
use super::table::{MappingKind, SingleByteTable};
use crate::codec::{Checkpoint, Decoder, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason};
use crate::kernel;
use crate::kernel::byte_table::{self, utf8_bytes_of, write_utf8};

/// Decodes one byte after another, and two where the first is an accent.
#[derive(Debug)]
pub struct SingleByteDecoder {
    table: byte_table::DecodeTable,
    accent_pairs: Option<Box<CompositionTable>>,
}

impl SingleByteDecoder {
    /// A decoder for this table.
    pub fn new(table: &SingleByteTable) -> SingleByteDecoder {
        let accented = table.of_kind(MappingKind::Accented);
        let accents = (!accented.is_empty())
            .then(|| Box::new(CompositionTable::new(accented, KeyByte::First)));
        SingleByteDecoder { table: full_table(table), accent_pairs: accents }
    }

    /// Whether what this byte means depends on the next.
    fn is_accent(&self, byte: u8) -> bool {
        self.accent_pairs.as_ref().is_some_and(|accents| accents.contains(byte))
    }

    /// The character of two bytes, of which the first is none alone; or why there is none, or
    /// nothing where the second is not there yet.
    fn decode_accented(&self, src: &[u8], end: bool) -> Result<char, Option<MalformedReason>> {
        let Some(accents) = self.accent_pairs.as_ref().filter(|accents| accents.contains(src[0]))
        else {
            return Err(Some(MalformedReason::InvalidLeadByte));
        };
        match src.get(1) {
            Some(letter) => {
                accents.compose(src[0], *letter).ok_or(Some(MalformedReason::MissingTrailByte))
            }
            None if end => Err(Some(MalformedReason::Truncated)),
            None => Err(None),
        }
    }
}

/// What each byte alone decodes to.
pub fn full_table(table: &SingleByteTable) -> byte_table::DecodeTable {
    let mut forms = Box::new([0; 0x100]);
    for (byte, form) in (0..=0xFF).zip(forms.iter_mut()) {
        *form = table.character(byte).map_or(0, utf8_bytes_of);
    }
    byte_table::DecodeTable::new(forms)
}

impl Checkpoint for SingleByteDecoder {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl Decoder for SingleByteDecoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let done = self.table.decode(&src[read..], &mut dst[written..]);
            read += done.0;
            written += done.1;
            // The bulk stops for little space, few bytes or an odd one: step past it.
            let near = src.len().min(read + byte_table::STEP_LEN);
            while read < near {
                let (mut form, mut len) = (self.table.utf8_bytes(src[read]), 1);
                if form == 0 {
                    form = match self.decode_accented(&src[read..], end) {
                        Ok(character) => utf8_bytes_of(character),
                        Err(None) => return Progress::input_empty(read, written),
                        Err(Some(reason)) => {
                            let error = Malformed::new(1, reason, State::INITIAL);
                            return Progress::error(read, written, error);
                        }
                    };
                    len = 2;
                }
                let Some(put) = write_utf8(form, &mut dst[written..]) else {
                    return Progress::output_full(read, written);
                };
                written += put;
                read += len;
            }
        }
        Progress::input_empty(read, written)
    }

    fn repeat_count(&self, src: &[u8], _error: Malformed) -> usize {
        match src {
            [byte, ..] if !self.is_accent(*byte) => kernel::count::run_length(src, *byte),
            _ => 1,
        }
    }
}
