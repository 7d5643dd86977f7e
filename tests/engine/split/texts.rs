//! Characters and random texts.

use charpipe::internals::codec::{EncodeStage, State, Status};
use charpipe::internals::encoding::{ALL, Encoding, EncodingOptions, OptionValues};

use charpipe_test_support::XorShift;

/// Characters that encoders treat specially, alone or with those before and after them, and characters whose
/// code units contain 0A.
const SPECIAL: &str = "\u{A0}¥©éêÊÄñæ\u{152}\u{300}\u{301}\u{303}\u{304}\u{309}\u{30C}\u{323}\u{2E5}\u{2E9}\u{254}\
    \u{28C}\u{25A}ăơư\u{401}\u{416}\u{430}\u{5D0}\u{5E9}\u{5C1}\u{5B0}\u{5BC}\u{627}\u{644}\u{64B}\u{E01}\u{E33}\
    \u{905}\u{915}\u{93C}\u{94D}\u{937}\u{99A}\u{A02}\u{A15}\u{A41}\u{A70}\u{AA0}\u{B95}\u{B9F}\u{BB0}\u{BB7}\u{BB8}\
    \u{BBE}\u{BC0}\u{BC6}\u{BC7}\u{BC8}\u{BCD}\u{BD7}\u{200C}\u{200D}\u{2028}\u{203E}\u{20AC}\u{304B}\u{304D}\u{309A}\
    \u{30AB}\u{30BB}\u{31F7}\u{4E00}\u{4E0A}\u{4E2D}\u{6587}\u{65E5}\u{9FA5}\u{AC00}\u{D55C}\u{E000}\u{E5E5}\u{F600}\
    \u{F8F8}\u{FEFF}\u{FF71}\u{FF9E}\u{FFE5}\u{FFFD}\u{85}\u{10000}\u{1F600}\u{20000}\u{2000B}\u{10FFFF}";

/// Returns ASCII, the special characters, and one character of each block of 256.
pub fn characters() -> Vec<char> {
    let ascii = (0..0x80).map(char::from);
    let blocks = (1..0x100_u32).filter_map(|block| char::from_u32(block << 8 | 0x42));
    let mut all: Vec<char> = ascii.chain(SPECIAL.chars()).chain(blocks).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns those of the characters that an encoding has.
pub fn encodable(encoder: &mut dyn EncodeStage, characters: &[char]) -> Vec<char> {
    let is_encodable = |character: &char| {
        encoder.restore_state(State::INITIAL);
        let mut buffer = [0; 4];
        let progress = encoder.encode(character.encode_utf8(&mut buffer), &mut [0; 64], true);
        matches!(progress.status, Status::InputEmpty)
    };
    characters.iter().copied().filter(is_encodable).collect()
}

/// Returns a random text of some of the characters in lines.
pub fn random_text(rng: &mut XorShift, characters: &[char], len: usize) -> String {
    let few: Vec<char> = (0..8).map(|_| characters[rng.below(characters.len())]).collect();
    let character = |rng: &mut XorShift| match rng.below(8) {
        0 => '\n',
        1..=5 => few[rng.below(few.len())],
        _ => characters[rng.below(characters.len())],
    };
    (0..len).map(|_| character(rng)).collect()
}

/// Each encoding, without options and with each value of each of its options.
pub fn encodings_with_options() -> Vec<(&'static Encoding, EncodingOptions)> {
    let mut all = Vec::new();
    for encoding in ALL {
        all.push((*encoding, EncodingOptions::default()));
        for key in encoding.options {
            let texts: Vec<String> = match key.values {
                OptionValues::Choice(words) => {
                    words.iter().map(|word| format!("{}={word}", key.name)).collect()
                }
                OptionValues::Flag => vec![key.name.to_owned()],
                OptionValues::Integer(low, _) => vec![format!("{}={low}", key.name)],
                OptionValues::Encoding => Vec::new(),
            };
            for text in texts {
                all.push((*encoding, EncodingOptions::parse(&text, encoding.options).unwrap()));
            }
        }
    }
    all
}

/// Calls a function for each item on all cores, and returns what it returns.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let run = || {
        let mut results = Vec::new();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            results.push(work(item));
        }
        results
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        handles.into_iter().flat_map(|handle| handle.join().unwrap()).collect()
    })
}
