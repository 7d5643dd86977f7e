//! The encoder of all encodings that are nothing but a mapping.

use super::decoder::MAX_LOOKAHEAD;
use super::encode_table::{CodeBytes, EncodeStep, MultiByteEncodeTable};
use super::encode_table_builder;
use super::gb18030_ranges::Gb18030Ranges;
use super::mapping::MultiByteMapping;
use super::text;
use crate::codec::{Checkpoint, Encoder, Progress, State};
use crate::conversion_error::Unmappable;
use crate::kernel::dbcs::DbcsEncodeTable;

/// Bytes of text that go one character at a time where runs end.
const CHUNK_LEN: usize = 16;

/// Remembers nothing: a character that may mean another code with the next stays unread.
pub struct MultiByteEncoder {
    table: MultiByteEncodeTable,
    gb18030_ranges: Option<Gb18030Ranges>,
    /// Whether ASCII is encoded as itself.
    is_ascii_superset: bool,
    /// Whether NUL is. Its code cannot stand in the table, where 0 is none.
    encodes_nul: bool,
}

impl MultiByteEncoder {
    pub fn new(mapping: &MultiByteMapping) -> MultiByteEncoder {
        let mut table = MultiByteEncodeTable::new();
        encode_table_builder::add_mapping(&mut table, mapping, 0);
        encode_table_builder::apply_one_way(&mut table, mapping, 0);
        let itself = |byte: u8| table.single(char::from(byte)) == CodeBytes::from(byte);
        let straight = mapping.ascii && (1..0x80).all(itself);
        let linear = mapping.gb18030_ranges.filter(|linear| linear.is_encodable);
        MultiByteEncoder {
            table,
            is_ascii_superset: straight,
            gb18030_ranges: linear,
            encodes_nul: mapping.ascii,
        }
    }

    /// Encodes what needs no look at what follows, while there is space enough.
    fn encode_run(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        loop {
            let codes = DbcsEncodeTable {
                entries: self.table.bmp_codes(),
                is_ascii_compatible: self.is_ascii_superset,
            };
            let (more, put) = codes.encode(&src[read..], &mut dst[written..]);
            read += more;
            written += put;
            let (more, put) = self.encode_scalar_run(&src[read..], &mut dst[written..]);
            if more == 0 {
                return (read, written);
            }
            read += more;
            written += put;
        }
    }

    /// Encodes some characters, up to one that has to be looked at closely.
    fn encode_scalar_run(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        while read < CHUNK_LEN
            && let Some(space) = dst[written..].first_chunk_mut::<4>()
            && let Some((character, len)) = text::char_at(src, read)
        {
            let code = self.table.single(character);
            if code == 0 {
                break;
            }
            *space = code.to_le_bytes();
            written += encode_table_builder::code_len(code);
            read += len;
        }
        (read, written)
    }

    /// What the first character or two of `text` are encoded to.
    fn encode_one(&self, text: &str, end: bool) -> MultiByteStep {
        let Some(character) = text.chars().next() else { return MultiByteStep::NeedMore };
        if character == '\0' && self.encodes_nul {
            return MultiByteStep::Bytes([0; 4], 1, 1);
        }
        match self.table.encode_first(text, end) {
            EncodeStep::NeedMore => MultiByteStep::NeedMore,
            EncodeStep::Code(code, len) => {
                MultiByteStep::Bytes(code.to_le_bytes(), encode_table_builder::code_len(code), len)
            }
            EncodeStep::Unmappable => {
                match self.gb18030_ranges.and_then(|linear| linear.encode_char(character)) {
                    Some(code) => MultiByteStep::Bytes(code, 4, character.len_utf8()),
                    None => MultiByteStep::Unmappable(character),
                }
            }
        }
    }
}

/// What comes next.
enum MultiByteStep {
    /// These bytes, so many of them, for so many bytes of text.
    Bytes([u8; 4], usize, usize),
    /// A character without a code.
    Unmappable(char),
    /// What the text that is not there yet decides.
    NeedMore,
}

impl Checkpoint for MultiByteEncoder {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl Encoder for MultiByteEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            let (more, put) = self.encode_run(&src[read..], &mut dst[written..]);
            read += more;
            written += put;
            match self.encode_one(&src[read..], end) {
                MultiByteStep::NeedMore => return Progress::input_empty(read, written),
                MultiByteStep::Unmappable(character) => {
                    return Progress::error(read, written, Unmappable::new(character));
                }
                MultiByteStep::Bytes(_, count, _) if dst.len() - written < count => {
                    return Progress::output_full(read, written);
                }
                MultiByteStep::Bytes(bytes, count, len) => {
                    dst[written..written + count].copy_from_slice(&bytes[..count]);
                    written += count;
                    read += len;
                }
            }
        }
    }

    fn unmappable_prefix(&self, src: &str, most: usize) -> (usize, usize) {
        let (mut count, mut read) = (0, 0);
        while count < most
            && let MultiByteStep::Unmappable(character) = self.encode_one(&src[read..], false)
        {
            count += 1;
            read += character.len_utf8();
        }
        (count, read)
    }
}
