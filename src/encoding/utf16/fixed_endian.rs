//! Codecs whose byte order the label fixes. They remember nothing, and a mark is a character.

use std::marker::PhantomData;

use super::decode::{decode, repeat_count};
use super::encode::encode;
use super::endian::Endian;
use crate::codec::{Checkpoint, Decoder, Encoder, Progress, State};
use crate::conversion_error::{Malformed, Unmappable};

/// Both halves, for units of the order `O`, with surrogate pairs if `PAIRS`.
pub struct FixedEndian<O, const PAIRS: bool>(PhantomData<O>);

impl<O, const PAIRS: bool> FixedEndian<O, PAIRS> {
    pub const fn new() -> Self {
        FixedEndian(PhantomData)
    }
}

impl<O: Endian, const PAIRS: bool> Checkpoint for FixedEndian<O, PAIRS> {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl<O: Endian, const PAIRS: bool> Decoder for FixedEndian<O, PAIRS> {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        decode::<O, PAIRS>(src, dst, end, State::INITIAL)
    }

    fn repeat_count(&self, src: &[u8], _error: Malformed) -> usize {
        repeat_count::<O, PAIRS>(src)
    }
}

impl<O: Endian, const PAIRS: bool> Encoder for FixedEndian<O, PAIRS> {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        encode::<O, PAIRS>(src, dst)
    }
}
