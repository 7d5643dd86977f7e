//! Codecs whose byte order is said by a mark, U+FEFF, at the very start.

use super::decode::{decode, repeat_count};
use super::encode::encode;
use super::endian::{BigEndian, LittleEndian};
use crate::codec::{Checkpoint, Decoder, Encoder, Progress, State};
use crate::conversion_error::{Malformed, Unmappable};

/// The first bytes are after, and the order is little-endian. A mark is a character from now on.
const LITTLE_ENDIAN: State = State::new(1);

/// The same, and the order is big-endian.
const BIG_ENDIAN: State = State::new(2);

/// A decoder that obeys the mark and drops it.
pub struct BomDecoder<const PAIRS: bool> {
    state: State,
    /// The order where there is no mark.
    default_order: State,
}

impl<const PAIRS: bool> BomDecoder<PAIRS> {
    /// Little-endian without a mark.
    pub const fn new() -> Self {
        BomDecoder { state: State::INITIAL, default_order: LITTLE_ENDIAN }
    }

    /// Big-endian without a mark.
    pub const fn with_big_endian_default() -> Self {
        BomDecoder { state: State::INITIAL, default_order: BIG_ENDIAN }
    }

    /// The bytes of the mark, and the order from there on.
    fn detect_bom(&self, src: &[u8]) -> (usize, State) {
        match (self.state, src) {
            (State::INITIAL, [0xFE, 0xFF, ..]) => (2, BIG_ENDIAN),
            (State::INITIAL, [0xFF, 0xFE, ..]) => (2, LITTLE_ENDIAN),
            (State::INITIAL, _) => (0, self.default_order),
            (settled, _) => (0, settled),
        }
    }
}

impl<const PAIRS: bool> Checkpoint for BomDecoder<PAIRS> {
    fn save_state(&self) -> State {
        self.state
    }

    fn restore_state(&mut self, at: State) {
        self.state = at;
    }

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl<const PAIRS: bool> Decoder for BomDecoder<PAIRS> {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mark, order) = self.detect_bom(src);
        let units = &src[mark..];
        let rest = match order {
            BIG_ENDIAN => decode::<BigEndian, PAIRS>(units, dst, end, BIG_ENDIAN),
            _ => decode::<LittleEndian, PAIRS>(units, dst, end, LITTLE_ENDIAN),
        };
        let read = mark + rest.read;
        // One byte that waits for its second may yet be half a mark.
        if read > 0 {
            self.state = order;
        }
        Progress { read, ..rest }
    }

    fn repeat_count(&self, src: &[u8], _error: Malformed) -> usize {
        match self.detect_bom(src) {
            (_, BIG_ENDIAN) => repeat_count::<BigEndian, PAIRS>(src),
            _ => repeat_count::<LittleEndian, PAIRS>(src),
        }
    }
}

/// An encoder that writes a little-endian mark before the first character.
pub struct BomEncoder<const PAIRS: bool> {
    state: State,
}

const BOM: [u8; 2] = [0xFF, 0xFE];

impl<const PAIRS: bool> BomEncoder<PAIRS> {
    pub const fn new() -> Self {
        BomEncoder { state: State::INITIAL }
    }
}

impl<const PAIRS: bool> Checkpoint for BomEncoder<PAIRS> {
    fn save_state(&self) -> State {
        self.state
    }

    fn restore_state(&mut self, at: State) {
        self.state = at;
    }

    fn max_lookahead(&self) -> usize {
        BOM.len() + 4
    }
}

impl<const PAIRS: bool> Encoder for BomEncoder<PAIRS> {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        if self.state != State::INITIAL {
            return encode::<LittleEndian, PAIRS>(src, dst);
        }
        // The mark stands only where a character follows, so it waits for space for both.
        let (mark, units) = dst.split_at_mut(dst.len().min(BOM.len()));
        let rest = encode::<LittleEndian, PAIRS>(src, units);
        if rest.written == 0 {
            return rest;
        }
        mark.copy_from_slice(&BOM);
        self.state = LITTLE_ENDIAN;
        Progress { written: BOM.len() + rest.written, ..rest }
    }
}
