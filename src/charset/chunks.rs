//! Runs a codec over the same input in every split and every room, for the tests of the charsets.
//!
//! Each call is made by a fresh codec that is put into the noted state, so that nothing can be
//! remembered elsewhere. A fault becomes U+FFFD, or nothing where an encoder meets it.

use super::{ALL, Charset, Settings};
use crate::codec::{Progress, State, Stop};
use crate::fault::Why;

/// Text, and the faults on the way: offset, length and reason.
pub type Decoded = (String, Vec<(usize, usize, Why)>);

/// Octets, and the characters that have none, with their offsets in the text.
pub type Encoded = (Vec<u8>, Vec<(usize, char)>);

/// The charset that prints this name.
fn charset(name: &str) -> &'static Charset {
    let found = ALL.iter().find(|charset| charset.name == name);
    found.unwrap_or_else(|| panic!("{name} is not registered"))
}

/// Decodes in one piece.
pub fn decode(name: &str, src: &[u8]) -> Decoded {
    decode_in(name, src, &[], 4 * src.len() + 64)
}

/// Encodes in one piece.
pub fn encode(name: &str, src: &str) -> Encoded {
    encode_in(name, src, &[], 6 * src.len() + 64)
}

/// Decodes in every split into two, octet by octet, and in every room from the window to 64.
pub fn decode_every_way(name: &str, src: &[u8]) -> Decoded {
    let whole = decode(name, src);
    for (cuts, room) in ways(src.len(), (charset(name).decoder)(&Settings::default()).window()) {
        assert_eq!(decode_in(name, src, &cuts, room), whole, "{name} {src:02X?} {cuts:?} {room}");
    }
    whole
}

/// Encodes in every split into two, character by character, and in every room from the window to
/// 64.
pub fn encode_every_way(name: &str, src: &str) -> Encoded {
    let whole = encode(name, src);
    for (cuts, room) in ways(src.len(), (charset(name).encoder)(&Settings::default()).window()) {
        let cuts: Vec<_> = cuts.into_iter().filter(|cut| src.is_char_boundary(*cut)).collect();
        assert_eq!(encode_in(name, src, &cuts, room), whole, "{name} {src:?} {cuts:?} {room}");
    }
    whole
}

fn ways(len: usize, window: usize) -> Vec<(Vec<usize>, usize)> {
    assert!(window <= 64);
    let mut ways: Vec<(Vec<usize>, usize)> = (0..=len).map(|cut| (vec![cut], 64)).collect();
    ways.extend((window..=64).map(|room| (Vec::new(), room)));
    ways.extend((window..=64).map(|room| ((0..=len).collect(), room)));
    ways
}

fn decode_in(name: &str, src: &[u8], cuts: &[usize], room: usize) -> Decoded {
    let (mut text, mut faults) = (String::new(), Vec::new());
    let charset = charset(name);
    let mut dst = vec![0; room];
    let mut state = State::START;
    let mut at = 0;
    for &cut in cuts.iter().chain([&src.len()]) {
        loop {
            let mut codec = (charset.decoder)(&Settings::default());
            codec.resume(state);
            let rest = &src[at.min(cut)..cut];
            let progress = codec.decode(rest, &mut dst, cut == src.len());
            if progress.read + progress.written == 0 {
                assert_eq!(codec.state(), state, "the state moves with bytes only");
            }
            check(&progress, rest.len(), cut == src.len(), codec.window());
            state = codec.state();
            at += progress.read;
            text.push_str(std::str::from_utf8(&dst[..progress.written]).unwrap());
            match progress.stop {
                Stop::Input => break,
                Stop::Output => {}
                Stop::Fault(fault) => {
                    faults.push((at, fault.len, fault.why));
                    text.push('\u{FFFD}');
                    at += fault.next;
                    state = fault.then;
                }
            }
        }
    }
    (text, faults)
}

fn encode_in(name: &str, src: &str, cuts: &[usize], room: usize) -> Encoded {
    let (mut octets, mut faults) = (Vec::new(), Vec::new());
    let charset = charset(name);
    let mut dst = vec![0; room];
    let mut state = State::START;
    let mut at = 0;
    for &cut in cuts.iter().chain([&src.len()]) {
        loop {
            let mut codec = (charset.encoder)(&Settings::default());
            codec.resume(state);
            let rest = &src[at.min(cut)..cut];
            let progress = codec.encode(rest, &mut dst, cut == src.len());
            check(&progress, rest.len(), cut == src.len(), codec.window());
            state = codec.state();
            at += progress.read;
            octets.extend_from_slice(&dst[..progress.written]);
            match progress.stop {
                Stop::Input => break,
                Stop::Output => {}
                Stop::Fault(fault) => {
                    faults.push((at, fault.character));
                    at += fault.character.len_utf8();
                }
            }
        }
    }
    (octets, faults)
}

/// The clauses of the contract that one call can break.
fn check<F>(progress: &Progress<F>, len: usize, end: bool, window: usize) {
    let left = len - progress.read;
    match progress.stop {
        Stop::Input if end => assert_eq!(left, 0, "nothing is left at the end"),
        Stop::Input => assert!(left <= window, "{left} octets are left for want of input"),
        Stop::Output => assert!(progress.read + progress.written > 0, "no progress"),
        Stop::Fault(_) => {}
    }
}
