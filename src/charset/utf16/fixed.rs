//! Codecs whose byte order the label fixes. They remember nothing, and a mark is a character.

use std::marker::PhantomData;

use super::decode::{decode, repeats};
use super::encode::encode;
use super::order::Order;
use crate::codec::{Decoder, Encoder, Progress, Resume, State};
use crate::fault::{Malformed, Unmappable};

/// Both halves, for units of the order `O`, with surrogate pairs if `PAIRS`.
pub struct Fixed<O, const PAIRS: bool>(PhantomData<O>);

impl<O, const PAIRS: bool> Fixed<O, PAIRS> {
    pub const fn new() -> Self {
        Fixed(PhantomData)
    }
}

impl<O: Order, const PAIRS: bool> Resume for Fixed<O, PAIRS> {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        4
    }
}

impl<O: Order, const PAIRS: bool> Decoder for Fixed<O, PAIRS> {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        decode::<O, PAIRS>(src, dst, end, State::START)
    }

    fn repeats(&self, src: &[u8], _fault: Malformed) -> usize {
        repeats::<O, PAIRS>(src)
    }
}

impl<O: Order, const PAIRS: bool> Encoder for Fixed<O, PAIRS> {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        encode::<O, PAIRS>(src, dst)
    }
}
