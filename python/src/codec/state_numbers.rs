//! The states of codecs as numbers. `TextIOWrapper` keeps one with a position in a file, in 30 bits.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use charpipe::internals::codec::State;

/// The number of bits of a state that is its own number.
const SMALL_BITS: u32 = 28;

/// The numbers of states of all decoders, or of all encoders, of the process.
#[derive(Default)]
pub struct StateNumbers(Mutex<HashMap<String, NumbersOfCodec>>);

pub static DECODER_STATES: LazyLock<StateNumbers> = LazyLock::new(StateNumbers::default);
pub static ENCODER_STATES: LazyLock<StateNumbers> = LazyLock::new(StateNumbers::default);

/// The states that codecs of an encoding had. Others are not restored: they may be none of its states.
#[derive(Default)]
struct NumbersOfCodec {
    numbers: HashMap<State, usize>,
    states: HashMap<usize, State>,
}

impl StateNumbers {
    /// Returns the number of a state of an encoding: 0 for the initial one, an even number for a small one, an
    /// odd number for another one.
    pub fn number_of(&self, encoding: &str, state: State) -> usize {
        if state == State::INITIAL {
            return 0;
        }
        let mut encodings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !encodings.contains_key(encoding) {
            encodings.insert(encoding.to_owned(), NumbersOfCodec::default());
        }
        let Some(NumbersOfCodec { numbers, states }) = encodings.get_mut(encoding) else {
            return 0;
        };
        *numbers.entry(state).or_insert_with(|| {
            let is_small = state.inner() == State::INITIAL && state.bits() >> SMALL_BITS == 0;
            let number = match usize::try_from(state.bits()) {
                Ok(bits) if is_small => 2 * bits,
                _ => 2 * states.len() + 1,
            };
            states.insert(number, state);
            number
        })
    }

    /// Returns the state of an encoding with a number, or `None` for a number that was not returned.
    pub fn state(&self, encoding: &str, number: usize) -> Option<State> {
        if number == 0 {
            return Some(State::INITIAL);
        }
        let encodings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        encodings.get(encoding)?.states.get(&number).copied()
    }
}
