//! The states of codecs as numbers. `TextIOWrapper` keeps one with a position in a file, in 30 bits.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use charpipe::internals::codec::State;

/// The number of bits of a state that is its own number.
const SMALL_BITS: u32 = 28;

/// The states that are not small, in the order in which they were numbered.
#[derive(Default)]
struct LargeStates {
    indices: HashMap<State, usize>,
    states: Vec<State>,
}

fn large_states() -> &'static Mutex<LargeStates> {
    static LARGE_STATES: OnceLock<Mutex<LargeStates>> = OnceLock::new();
    LARGE_STATES.get_or_init(Mutex::default)
}

/// Returns the number of a state: 0 for the initial one, an even number for a small one, an odd number for
/// another one. Numbers are those of the process, and valid for each codec of the same encoding.
pub fn number_of(state: State) -> usize {
    if state.inner() == State::INITIAL && state.bits() >> SMALL_BITS == 0 {
        return 2 * usize::try_from(state.bits()).expect("28 bits");
    }
    let mut large = large_states().lock().unwrap_or_else(PoisonError::into_inner);
    let LargeStates { indices, states } = &mut *large;
    let index = *indices.entry(state).or_insert_with(|| {
        states.push(state);
        states.len() - 1
    });
    2 * index + 1
}

/// Returns the state with a number, or `None` for a number that [`number_of`] has not returned.
pub fn state(number: usize) -> Option<State> {
    if number % 2 == 0 {
        let bits = u64::try_from(number / 2).ok()?;
        return (bits >> SMALL_BITS == 0).then(|| State::new(bits));
    }
    let large = large_states().lock().unwrap_or_else(PoisonError::into_inner);
    large.states.get(number / 2).copied()
}
