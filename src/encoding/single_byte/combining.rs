//! Bytes to text where a letter and the mark after it make one character.

use super::decoder::full_table;
use super::pairs::{CompositionTable, KeyByte};
use super::table::{ExtraMapping, MappingKind, SingleByteTable};
use crate::codec::{Checkpoint, Decoder, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason};
use crate::kernel::byte_table::{self, utf8_bytes_of, write_utf8};

/// Decodes letters, looking at what follows them.
#[derive(Debug)]
pub struct CombiningDecoder {
    table: byte_table::DecodeTable,
    combining_pairs: Box<CompositionTable>,
    /// Bytes with which a mark makes something.
    is_base_letter: [bool; 0x100],
    /// The codes of a letter and two marks.
    three_byte_mappings: Vec<ExtraMapping>,
}

/// What the bytes at the start are together.
enum CombiningMatch {
    /// This character, of so many bytes.
    Combined(char, usize),
    /// The first one stands alone.
    Single,
    /// More has to be seen.
    NeedMore,
}

/// Bytes that are looked at together for marks.
const CHUNK_LEN: usize = byte_table::STEP_LEN;

/// Runs that are looked at before any is decoded, at the most. A call begins with one and doubles them:
/// an error may stand anywhere in them, and the call that follows looks at the rest again.
const MAX_CHUNKS: usize = 64;

impl CombiningDecoder {
    /// A decoder for this table.
    pub fn new(table: &SingleByteTable) -> CombiningDecoder {
        let codes = table.of_kind(MappingKind::Composed);
        let mut letters = [false; 0x100];
        for code in codes {
            letters[usize::from(code.bytes()[0])] = true;
        }
        let marks = Box::new(CompositionTable::new(codes, KeyByte::Second));
        let longer = codes.iter().copied().filter(|code| code.bytes().len() == 3).collect();
        CombiningDecoder {
            table: full_table(table),
            combining_pairs: marks,
            is_base_letter: letters,
            three_byte_mappings: longer,
        }
    }

    /// What a letter and what follows it are together.
    fn match_next(&self, src: &[u8], end: bool) -> CombiningMatch {
        let Some(mark) = src.get(1) else {
            let open = !end && self.is_base_letter[usize::from(src[0])];
            return if open { CombiningMatch::NeedMore } else { CombiningMatch::Single };
        };
        match self.combining_pairs.compose(*mark, src[0]) {
            None => CombiningMatch::Single,
            Some(character) => self.match_combining(src, character, end),
        }
    }

    /// The same where letter and mark are a character, and another mark may follow.
    fn match_combining(&self, src: &[u8], character: char, end: bool) -> CombiningMatch {
        let begins = |code: &&ExtraMapping| src.starts_with(&code.bytes()[..2]);
        let mut longer = self.three_byte_mappings.iter().filter(begins).peekable();
        match src.get(2) {
            None if !end && longer.peek().is_some() => CombiningMatch::NeedMore,
            mark => match longer.find(|code| code.bytes().last() == mark) {
                Some(code) => CombiningMatch::Combined(code.character(), 3),
                None => CombiningMatch::Combined(character, 2),
            },
        }
    }

    /// Decodes bytes after each of which no mark stands, so many runs at the most. How many bytes it
    /// has read and written.
    fn decode_run(&self, src: &[u8], dst: &mut [u8], runs: usize) -> (usize, usize) {
        let near = &src[..src.len().min(runs * CHUNK_LEN + 1)];
        if near.first().is_none_or(|first| self.table.utf8_bytes(*first) == 0) {
            return (0, 0);
        }
        let (after, _) = near.get(1..).unwrap_or_default().as_chunks::<CHUNK_LEN>();
        let unmarked = |bytes: &&[u8; CHUNK_LEN]| {
            !bytes.iter().fold(false, |any, byte| any | self.combining_pairs.contains(*byte))
        };
        let plain = after.iter().take_while(unmarked).count() * CHUNK_LEN;
        if plain == 0 { (0, 0) } else { self.table.decode(&near[..plain], dst) }
    }
}

impl Checkpoint for CombiningDecoder {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl Decoder for CombiningDecoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written, mut runs) = (0, 0, 1);
        while read < src.len() {
            let run = self.decode_run(&src[read..], &mut dst[written..], runs);
            read += run.0;
            written += run.1;
            runs = MAX_CHUNKS.min(2 * runs);
            let near = src.len().min(read + CHUNK_LEN);
            while read < near {
                let (form, len) = match self.match_next(&src[read..], end) {
                    CombiningMatch::Combined(character, len) => (utf8_bytes_of(character), len),
                    CombiningMatch::Single => (self.table.utf8_bytes(src[read]), 1),
                    CombiningMatch::NeedMore => return Progress::input_empty(read, written),
                };
                if form == 0 {
                    let error = Malformed::new(1, MalformedReason::InvalidLeadByte, State::INITIAL);
                    return Progress::error(read, written, error);
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
}

#[cfg(test)]
mod tests {
    use crate::encoding::testing::decode_every_way;

    #[test]
    fn letter_waits_for_combining_marks_at_every_split() {
        for (encoding, bytes, text) in [
            ("TCVN5712-1", &b"a\xB0b\xA9\xB0"[..], "\u{E0}b\u{1EA7}"),
            ("TCVN5712-1", b"a", "a"),
            ("CP1255", b"\xF9\xCC\xD1\xF9\xCCa", "\u{FB2C}\u{FB49}a"),
        ] {
            let decoded = decode_every_way(encoding, bytes);
            assert_eq!(decoded, (text.to_owned(), vec![]), "{encoding} {bytes:02X?}");
        }
    }
}
