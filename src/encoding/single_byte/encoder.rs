//! Text to bytes.

use super::table::{ExtraMapping, SingleByteTable};
use crate::codec::{Checkpoint, Encoder, Progress, State};
use crate::conversion_error::Unmappable;
use crate::error_handler;
use crate::kernel::byte_table::{EncodeEntry, EncodeTable, IS_BYTE};
use crate::kernel::byte_table::{STEP_LEN, utf8_bytes, write_utf8};

/// Encodes each character by what the table makes of it.
#[derive(Debug)]
pub struct SingleByteEncoder {
    extra_mappings: &'static [ExtraMapping],
    entries: EncodeTable,
}

/// Of an answer: the number of a code, for those of two bytes and more.
const SEQUENCE_FLAG: EncodeEntry = 0x8000;

impl SingleByteEncoder {
    /// An encoder for this table.
    ///
    /// Where several codes mean the same, that which is only for encoding wins, then the lowest
    /// byte, then the first of the codes.
    pub fn new(table: &SingleByteTable) -> SingleByteEncoder {
        let (only, both) = table.partition();
        let own = (0..=0xFF).rev().filter_map(|byte| {
            table.character(byte).map(|character| (character, IS_BYTE | EncodeEntry::from(byte)))
        });
        let number = |first: usize| {
            move |(index, code): (usize, &ExtraMapping)| {
                (code.character(), entry(first + index, code))
            }
        };
        let joined = both.iter().enumerate().rev().map(number(only.len()));
        let answers =
            EncodeTable::new(joined.chain(own).chain(only.iter().enumerate().map(number(0))));
        SingleByteEncoder { extra_mappings: table.codes(), entries: answers }
    }
}

fn entry(index: usize, code: &ExtraMapping) -> EncodeEntry {
    match code.bytes() {
        [] => 0,
        [byte] => IS_BYTE | EncodeEntry::from(*byte),
        _ => SEQUENCE_FLAG | index as EncodeEntry,
    }
}

impl Checkpoint for SingleByteEncoder {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl Encoder for SingleByteEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let done = self.entries.encode(&src[read..], &mut dst[written..]);
            read += done.0;
            written += done.1;
            // The bulk stops for little space, a short text or an odd character: step past it.
            for character in src[read..].chars().take(STEP_LEN) {
                let form = match self.entries.get(character) {
                    0 => return Progress::error(read, written, Unmappable::new(character)),
                    code if code & SEQUENCE_FLAG != 0 => {
                        self.extra_mappings[usize::from(code & !SEQUENCE_FLAG)].packed_bytes()
                    }
                    byte => utf8_bytes(&[byte as u8]),
                };
                let Some(len) = write_utf8(form, &mut dst[written..]) else {
                    return Progress::output_full(read, written);
                };
                written += len;
                read += character.len_utf8();
            }
        }
        Progress::input_empty(read, written)
    }

    fn unmappable_prefix(&self, src: &str, most: usize) -> (usize, usize) {
        error_handler::count_while(src, most, |character| self.entries.get(character) == 0)
    }
}
