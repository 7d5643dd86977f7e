//! Codecs whose byte order is said by a mark, U+FEFF, at the very start.

use super::decode::{decode, repeats};
use super::encode::encode;
use super::order::{Big, Little};
use crate::codec::{Decoder, Encoder, Progress, Resume, State};
use crate::fault::{Malformed, Unmappable};

/// The first octets are behind, and the order is little-endian. A mark is a character from now on.
const LITTLE: State = State::new(1);

/// The same, and the order is big-endian.
const BIG: State = State::new(2);

/// A decoder that obeys the mark and drops it.
pub struct MarkObeyed<const PAIRS: bool> {
    state: State,
    /// The order where there is no mark.
    unmarked: State,
}

impl<const PAIRS: bool> MarkObeyed<PAIRS> {
    /// Little-endian without a mark.
    pub const fn new() -> Self {
        MarkObeyed { state: State::START, unmarked: LITTLE }
    }

    /// Big-endian without a mark.
    pub const fn big_endian() -> Self {
        MarkObeyed { state: State::START, unmarked: BIG }
    }

    /// The octets of the mark, and the order from there on.
    fn order(&self, src: &[u8]) -> (usize, State) {
        match (self.state, src) {
            (State::START, [0xFE, 0xFF, ..]) => (2, BIG),
            (State::START, [0xFF, 0xFE, ..]) => (2, LITTLE),
            (State::START, _) => (0, self.unmarked),
            (settled, _) => (0, settled),
        }
    }
}

impl<const PAIRS: bool> Resume for MarkObeyed<PAIRS> {
    fn state(&self) -> State {
        self.state
    }

    fn resume(&mut self, at: State) {
        self.state = at;
    }

    fn window(&self) -> usize {
        4
    }
}

impl<const PAIRS: bool> Decoder for MarkObeyed<PAIRS> {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mark, order) = self.order(src);
        let units = &src[mark..];
        let rest = match order {
            BIG => decode::<Big, PAIRS>(units, dst, end, BIG),
            _ => decode::<Little, PAIRS>(units, dst, end, LITTLE),
        };
        let read = mark + rest.read;
        // One octet that waits for its second may yet be half a mark.
        if read > 0 {
            self.state = order;
        }
        Progress { read, ..rest }
    }

    fn repeats(&self, src: &[u8], _fault: Malformed) -> usize {
        match self.order(src) {
            (_, BIG) => repeats::<Big, PAIRS>(src),
            _ => repeats::<Little, PAIRS>(src),
        }
    }
}

/// An encoder that writes a little-endian mark in front of the first character.
pub struct MarkWritten<const PAIRS: bool> {
    state: State,
}

const MARK: [u8; 2] = [0xFF, 0xFE];

impl<const PAIRS: bool> MarkWritten<PAIRS> {
    pub const fn new() -> Self {
        MarkWritten { state: State::START }
    }
}

impl<const PAIRS: bool> Resume for MarkWritten<PAIRS> {
    fn state(&self) -> State {
        self.state
    }

    fn resume(&mut self, at: State) {
        self.state = at;
    }

    fn window(&self) -> usize {
        MARK.len() + 4
    }
}

impl<const PAIRS: bool> Encoder for MarkWritten<PAIRS> {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        if self.state != State::START {
            return encode::<Little, PAIRS>(src, dst);
        }
        // The mark stands only where a character follows, so it waits for room for both.
        let (mark, units) = dst.split_at_mut(dst.len().min(MARK.len()));
        let rest = encode::<Little, PAIRS>(src, units);
        if rest.written == 0 {
            return rest;
        }
        mark.copy_from_slice(&MARK);
        self.state = LITTLE;
        Progress { written: MARK.len() + rest.written, ..rest }
    }
}
