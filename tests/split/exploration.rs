//! The configurations that decoders and encoders can be in: a state, and the input that is still unread.
//!
//! A codec that is in the same configuration at two positions converts the same input in the same way
//! after both (clause 7 of the contract). So a sequence that leads every configuration to a single one with
//! nothing unread separates what follows from what precedes it: a synchronizing sequence of an
//! automaton. Configurations are explored from the initial one, with malformed input too; errors resume where
//! they say.

use std::collections::{HashSet, VecDeque};

use charpipe::internals::codec::{Decoder, Encoder, State, Status};

/// The number of configurations from which every symbol is tried. After that only samples are.
const FULL: usize = 400;

/// The number of configurations that are explored.
const MAX_CONFIGURATIONS: usize = 5_000;

/// A state, and the input that is still unread.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Configuration<S> {
    pub state: State,
    pub unread: Vec<S>,
    /// The last symbol, if it makes a difference to the rule.
    pub last: Option<S>,
}

impl<S> Configuration<S> {
    pub fn initial() -> Self {
        Configuration { state: State::INITIAL, unread: Vec::new(), last: None }
    }
}

/// A codec that reads symbols: bytes, code units or characters.
pub trait Automaton {
    type Symbol: Clone + Eq + std::hash::Hash + std::fmt::Debug;

    /// Returns the configuration after one more symbol, and the output.
    fn step(
        &mut self,
        from: &Configuration<Self::Symbol>,
        symbol: &Self::Symbol,
    ) -> (Configuration<Self::Symbol>, Vec<u8>);
}

/// A decoder that reads units of a fixed number of bytes.
pub struct DecoderAutomaton {
    pub decoder: Box<dyn Decoder>,
    pub remembered: Option<u8>,
}

/// An encoder.
pub struct EncoderAutomaton(pub Box<dyn Encoder>);

impl Automaton for DecoderAutomaton {
    type Symbol = Vec<u8>;

    fn step(
        &mut self,
        from: &Configuration<Vec<u8>>,
        symbol: &Vec<u8>,
    ) -> (Configuration<Vec<u8>>, Vec<u8>) {
        let mut bytes = from.unread.concat();
        bytes.extend_from_slice(symbol);
        let (state, read, output) = decode(&mut *self.decoder, from.state, &bytes, false);
        let unread = if read == bytes.len() { Vec::new() } else { vec![bytes[read..].to_vec()] };
        let last =
            self.remembered.filter(|byte| symbol.last() == Some(byte)).map(|byte| vec![byte]);
        (Configuration { state, unread, last }, output)
    }
}

impl Automaton for EncoderAutomaton {
    type Symbol = char;

    fn step(
        &mut self,
        from: &Configuration<char>,
        symbol: &char,
    ) -> (Configuration<char>, Vec<u8>) {
        let text: String = from.unread.iter().chain([symbol]).collect();
        let (state, read, output) = encode(&mut *self.0, from.state, &text, false);
        (Configuration { state, unread: text[read..].chars().collect(), last: None }, output)
    }
}

/// Decodes from a state, with `!` for each error; returns the state, the number of bytes read and the text.
pub fn decode(
    decoder: &mut dyn Decoder,
    state: State,
    bytes: &[u8],
    end: bool,
) -> (State, usize, Vec<u8>) {
    decoder.restore_state(state);
    let (mut read, mut text, mut buffer) = (0, Vec::new(), vec![0; 4096]);
    loop {
        let progress = decoder.decode(&bytes[read..], &mut buffer, end);
        read += progress.read;
        text.extend_from_slice(&buffer[..progress.written]);
        match progress.status {
            Status::InputEmpty => return (decoder.save_state(), read, text),
            Status::OutputFull => {}
            Status::Error(error) => {
                text.extend_from_slice("\u{FFFD}".as_bytes());
                read += error.resume_len;
                decoder.restore_state(error.resume_state);
            }
        }
    }
}

/// Encodes from a state, with `?` for each error if the encoder has it; returns the state, the number of bytes
/// read and the bytes.
pub fn encode(
    encoder: &mut dyn Encoder,
    state: State,
    text: &str,
    end: bool,
) -> (State, usize, Vec<u8>) {
    encoder.restore_state(state);
    let (mut read, mut bytes, mut buffer) = (0, Vec::new(), vec![0; 4096]);
    loop {
        let progress = encoder.encode(&text[read..], &mut buffer, end);
        read += progress.read;
        bytes.extend_from_slice(&buffer[..progress.written]);
        match progress.status {
            Status::InputEmpty => return (encoder.save_state(), read, bytes),
            Status::OutputFull => {}
            Status::Error(error) => read += error.character.len_utf8(),
        }
    }
}

/// What an exploration found.
pub struct Exploration<S> {
    /// The configurations that were reached.
    pub configurations: Vec<Configuration<S>>,
    /// The symbols that lead each of them to a single configuration with nothing unread, and that one.
    pub synchronizing: Vec<(S, Configuration<S>)>,
}

/// Explores an automaton from some configurations with these symbols, of which `samples` are used everywhere.
/// Configurations that `is_excluded` holds for must not be followed by a synchronizing symbol.
pub fn explore<A: Automaton>(
    automaton: &mut A,
    start: Vec<Configuration<A::Symbol>>,
    symbols: &[A::Symbol],
    is_sample: impl Fn(&A::Symbol) -> bool,
    is_excluded: impl Fn(&Configuration<A::Symbol>) -> bool,
) -> Exploration<A::Symbol> {
    let mut known: HashSet<_> = start.iter().cloned().collect();
    let mut queue: VecDeque<_> = start.into();
    let mut candidates: Vec<Option<Option<Configuration<A::Symbol>>>> =
        vec![Some(None); symbols.len()];
    let mut configurations = Vec::new();
    while let Some(from) = queue.pop_front() {
        let excluded = is_excluded(&from);
        for (symbol, candidate) in symbols.iter().zip(&mut candidates) {
            let expand = configurations.len() < FULL || is_sample(symbol);
            if !expand && candidate.is_none() {
                continue;
            }
            let (to, _) = automaton.step(&from, symbol);
            if !excluded {
                let agrees = match candidate {
                    Some(Some(known)) => *known == to,
                    Some(None) => to.unread.is_empty(),
                    None => false,
                };
                *candidate = agrees.then(|| Some(to.clone()));
            }
            if expand && known.len() < MAX_CONFIGURATIONS && known.insert(to.clone()) {
                queue.push_back(to);
            }
        }
        configurations.push(from);
    }
    let synchronizing = symbols.iter().zip(candidates);
    let synchronizing =
        synchronizing.filter_map(|(symbol, to)| Some((symbol.clone(), to??))).collect();
    Exploration { configurations, synchronizing }
}
