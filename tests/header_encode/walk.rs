//! Takes the encoder through a text, in one piece or in many ways.
//!
//! Each call is made by a fresh encoder that is put into the noted state, so that nothing can be
//! remembered elsewhere.

use charpipe::codec::{Progress, State, Stop};
use charpipe::plan::Encoding;

/// What came out, with nothing for a fault, and the faults with their offsets in the text.
pub type Encoded = (String, Vec<(usize, char)>);

/// Room that every step of the encoder finds enough.
const ENOUGH: usize = 256;

/// Encodes a text that has no fault.
pub fn encode(label: &str, text: &str) -> String {
    let (written, faults) = walk(label, text, &[], ENOUGH);
    assert_eq!(faults, [], "{text:?}");
    written
}

/// Encodes in every split into two, character by character, and in little room, and insists on the
/// same result.
pub fn encode_every_way(label: &str, text: &str) -> Encoded {
    let whole = walk(label, text, &[], 1 << 16);
    let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    for cut in &cuts {
        let cuts = std::slice::from_ref(cut);
        assert_eq!(walk(label, text, cuts, ENOUGH), whole, "{text:?} {cuts:?}");
    }
    for room in [160, 161, 163, 167, 176, ENOUGH] {
        assert_eq!(walk(label, text, &[], room), whole, "{text:?} {room}");
        assert_eq!(walk(label, text, &cuts, room), whole, "{text:?} {room}");
    }
    whole
}

/// Shows the text up to each of the cuts, then all of it, with so much room a call.
pub fn walk(label: &str, text: &str, cuts: &[usize], room: usize) -> Encoded {
    let encoding: Encoding = label.parse().unwrap();
    let mut encoder = encoding.charset.encoder(&encoding.settings);
    let (mut out, mut faults) = (Vec::new(), Vec::new());
    let mut dst = vec![0; room];
    let (mut state, mut at) = (State::START, 0);
    for &cut in cuts.iter().chain([&text.len()]) {
        let end = cut == text.len();
        loop {
            encoder.resume(state);
            let Progress { read, written, stop } = encoder.encode(&text[at..cut], &mut dst, end);
            state = encoder.state();
            at += read;
            out.extend_from_slice(&dst[..written]);
            match stop {
                Stop::Input => break assert!(cut - at <= if end { 0 } else { encoder.window() }),
                Stop::Output => assert!(read + written > 0, "no progress: {text:?} {room}"),
                Stop::Fault(fault) => {
                    assert!(text[at..].starts_with(fault.character), "{text:?} {at}");
                    faults.push((at, fault.character));
                    at += fault.character.len_utf8();
                }
            }
        }
    }
    let flushed = encoder.encode("", &mut dst, true);
    assert_eq!(flushed, Progress::input(0, 0), "nothing is held back");
    (String::from_utf8(out).unwrap(), faults)
}
