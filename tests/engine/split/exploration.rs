//! The configurations that decoders and encoders can be in: a state, and the input that is still unread.
//!
//! A codec that is in the same configuration at two positions converts the same input in the same way
//! after both (clause 7 of the contract). So a sequence that leads every configuration to a single one with
//! nothing unread separates what follows from what precedes it: a synchronizing sequence of an
//! automaton. Configurations are explored from the initial one, with malformed input too; errors resume where
//! they say.

use std::collections::{HashSet, VecDeque};

use charpipe::internals::codec::{DecodeStage, EncodeStage, State, Status};

/// The numbers of configurations from which every symbol is tried, and from which some are.
fn limits() -> (usize, usize) {
    if charpipe_test_support::is_exhaustive() { (2_000, 20_000) } else { (150, 600) }
}

/// The output space of one call.
const SPACE: usize = 256;

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

/// A decoder that reads bytes or code units. Whether the last one was `remembered` is part of the
/// configuration.
pub struct DecoderAutomaton {
    pub decoder: Box<dyn DecodeStage>,
    pub remembered: Option<u8>,
}

/// An encoder.
pub struct EncoderAutomaton(pub Box<dyn EncodeStage>);

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

/// Decodes from a state, with U+FFFD for each error; returns the state, the number of bytes read and the text.
pub fn decode(
    decoder: &mut dyn DecodeStage,
    state: State,
    bytes: &[u8],
    end: bool,
) -> (State, usize, Vec<u8>) {
    decoder.restore_state(state);
    let (mut read, mut text, mut buffer) = (0, Vec::new(), [0; SPACE]);
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

/// Encodes from a state, without the characters that are unmappable; returns the state, the number of bytes
/// read and the bytes.
pub fn encode(
    encoder: &mut dyn EncodeStage,
    state: State,
    text: &str,
    end: bool,
) -> (State, usize, Vec<u8>) {
    encoder.restore_state(state);
    let (mut read, mut bytes, mut buffer) = (0, Vec::new(), [0; SPACE]);
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

/// A symbol that leads each configuration to a single one with nothing unread.
pub struct Synchronizing<S> {
    pub symbol: S,
    pub target: Configuration<S>,
    /// Whether the output of the symbol always ends with a line feed.
    pub ends_with_line_feed: bool,
}

/// Explores an automaton from some configurations with these symbols. From all but the first configurations
/// only those are tried for which `is_sample` returns true. Configurations for which `is_excluded` returns
/// true are not followed by a synchronizing symbol.
pub fn explore<A: Automaton>(
    automaton: &mut A,
    start: Vec<Configuration<A::Symbol>>,
    symbols: &[A::Symbol],
    is_sample: impl Fn(&A::Symbol) -> bool,
    is_excluded: impl Fn(&Configuration<A::Symbol>) -> bool,
) -> Vec<Synchronizing<A::Symbol>> {
    let (full, max) = limits();
    let mut known: HashSet<_> = HashSet::new();
    let mut queue = VecDeque::new();
    for from in start {
        if known.insert(from.clone()) {
            queue.push_back(from);
        }
    }
    // The target of each symbol that is synchronizing so far.
    let mut targets: Vec<Option<Synchronizing<A::Symbol>>> = Vec::new();
    let mut explored = 0;
    while let Some(from) = queue.pop_front() {
        let (is_first, excluded) = (targets.is_empty(), is_excluded(&from));
        assert!(!(is_first && excluded), "the first configuration is the initial one");
        for (index, symbol) in symbols.iter().enumerate() {
            let expands = explored < full || is_sample(symbol);
            if !expands && targets[index].is_none() {
                continue;
            }
            let (target, output) = automaton.step(&from, symbol);
            let ends_with_line_feed = output.ends_with(b"\n");
            if is_first {
                let candidate = Synchronizing {
                    symbol: symbol.clone(),
                    target: target.clone(),
                    ends_with_line_feed,
                };
                targets.push(Some(candidate).filter(|_| target.unread.is_empty()));
            } else if !excluded {
                let candidate = &mut targets[index];
                match candidate {
                    Some(known) if known.target == target => {
                        known.ends_with_line_feed &= ends_with_line_feed;
                    }
                    _ => *candidate = None,
                }
            }
            if expands && known.len() < max && known.insert(target.clone()) {
                queue.push_back(target);
            }
        }
        explored += 1;
    }
    targets.into_iter().flatten().collect()
}

/// Returns the configurations on the way of these symbols.
pub fn walk<A: Automaton>(
    automaton: &mut A,
    from: Configuration<A::Symbol>,
    symbols: &[A::Symbol],
) -> Vec<Configuration<A::Symbol>> {
    let mut way = vec![from];
    for symbol in symbols {
        let (next, _) = automaton.step(&way[way.len() - 1], symbol);
        way.push(next);
    }
    way
}
