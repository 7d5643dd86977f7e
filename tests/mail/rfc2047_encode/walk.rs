//! Takes the encoder through a text, in one piece or in many ways.
//!
//! Each call is made by a fresh encoder that is put into the noted state, so that nothing can be
//! remembered elsewhere.

use charpipe::EncodingSpec;
use charpipe::internals::codec::{Progress, State, Status};

/// The output, without errors, and the errors with their offsets in the text.
pub type Encoded = (String, Vec<(usize, char)>);

/// Output space that is enough for every step of the encoder.
const ENOUGH: usize = 256;

/// Encodes a text that has no error.
pub fn encode(label: &str, text: &str) -> String {
    let (written, errors) = walk(label, text, &[], ENOUGH);
    assert_eq!(errors, [], "{text:?}");
    written
}

/// Encodes in every split into two, character by character, and in little space, and insists on the
/// same result.
pub fn encode_every_way(label: &str, text: &str) -> Encoded {
    let whole = walk(label, text, &[], 1 << 16);
    let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    for cut in &cuts {
        let cuts = std::slice::from_ref(cut);
        assert_eq!(walk(label, text, cuts, ENOUGH), whole, "{text:?} {cuts:?}");
    }
    for space in [160, 161, 163, 167, 176, ENOUGH] {
        assert_eq!(walk(label, text, &[], space), whole, "{text:?} {space}");
        assert_eq!(walk(label, text, &cuts, space), whole, "{text:?} {space}");
    }
    whole
}

/// Shows the text up to each of the cuts, then all of it, with so much space a call.
pub fn walk(label: &str, text: &str, cuts: &[usize], space: usize) -> Encoded {
    let encoding: EncodingSpec = label.parse().unwrap();
    let mut encoder = encoding.encoding.encoder(&encoding.options);
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let mut dst = vec![0; space];
    let (mut state, mut at) = (State::INITIAL, 0);
    for &cut in cuts.iter().chain([&text.len()]) {
        let end = cut == text.len();
        loop {
            encoder.restore_state(state);
            let Progress { read, written, status: stop } =
                encoder.encode(&text[at..cut], &mut dst, end);
            state = encoder.save_state();
            at += read;
            out.extend_from_slice(&dst[..written]);
            match stop {
                Status::InputEmpty => {
                    break assert!(cut - at <= if end { 0 } else { encoder.max_lookahead() });
                }
                Status::OutputFull => assert!(read + written > 0, "no progress: {text:?} {space}"),
                Status::Error(error) => {
                    assert!(text[at..].starts_with(error.character), "{text:?} {at}");
                    errors.push((at, error.character));
                    at += error.character.len_utf8();
                }
            }
        }
    }
    let flushed = encoder.encode("", &mut dst, true);
    assert_eq!(flushed, Progress::input_empty(0, 0), "nothing is held back");
    (String::from_utf8(out).unwrap(), errors)
}
