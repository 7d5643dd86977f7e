//! Drives a codec over an input that comes in pieces, into a room of a given size.

use crate::charset::{Charset, Settings};
use crate::codec::{Decoder, Encoder, State, Stop};
use crate::fault::Why;

/// What became of an input: its text, and of each fault the offset, the length and the reason.
#[derive(Debug, PartialEq, Eq, Default)]
pub struct Decoded {
    pub text: String,
    pub faults: Vec<(usize, usize, Why)>,
}

fn settings(charset: &Charset, options: &str) -> Settings {
    Settings::parse(options, charset.options).expect("options of the charset")
}

pub fn decoder(charset: &Charset, options: &str) -> Box<dyn Decoder> {
    (charset.decoder)(&settings(charset, options))
}

pub fn encoder(charset: &Charset, options: &str) -> Box<dyn Encoder> {
    (charset.encoder)(&settings(charset, options))
}

/// Decodes `src`, which ends first at each of the `cuts` and then where it does, and puts U+FFFD
/// in the place of every fault.
pub fn decode(decoder: &mut dyn Decoder, src: &[u8], cuts: &[usize], room: usize) -> Decoded {
    let mut dst = vec![0; room];
    let mut decoded = Decoded::default();
    let mut at = 0;
    decoder.resume(State::START);
    for near in cuts.iter().copied().chain([src.len()]) {
        let end = near == src.len();
        loop {
            let before = decoder.state();
            let progress = decoder.decode(&src[at..near], &mut dst, end);
            let written = std::str::from_utf8(&dst[..progress.written]).expect("valid UTF-8");
            decoded.text.push_str(written);
            at += progress.read;
            let state = decoder.state();
            match progress.stop {
                Stop::Input => {
                    assert!(near - at <= if end { 0 } else { decoder.window() }, "tail");
                    break;
                }
                Stop::Output => assert!(progress.read > 0 || state != before, "progress"),
                Stop::Fault(fault) => {
                    decoded.text.push('\u{FFFD}');
                    decoded.faults.push((at, fault.len, fault.why));
                    assert!(at + fault.len <= near && (fault.next > 0 || fault.then != state));
                    at += fault.next;
                    decoder.resume(fault.then);
                }
            }
        }
        // All that the codec remembers is in the state.
        let state = decoder.state();
        decoder.resume(State::START);
        decoder.resume(state);
    }
    decoded
}

/// Decodes `src` at once, cut at every place, octet by octet, and into every room up to `rooms`:
/// it must come to the same.
pub fn decode_every_way(decoder: &mut dyn Decoder, src: &[u8], rooms: usize) -> Decoded {
    let plain = decode(decoder, src, &[], 64);
    let window = decoder.window();
    for room in window..=rooms {
        for cut in 0..src.len() {
            assert_eq!(decode(decoder, src, &[cut], room), plain, "{src:?} cut {cut} room {room}");
        }
        let all: Vec<usize> = (0..src.len()).flat_map(|cut| [cut, cut]).collect();
        assert_eq!(decode(decoder, src, &all, room), plain, "{src:?} cut everywhere room {room}");
    }
    plain
}

/// Encodes `src`, in two pieces at the character boundary `cut`.
pub fn encode(encoder: &mut dyn Encoder, src: &str, cut: usize, room: usize) -> Vec<u8> {
    let mut dst = vec![0; room];
    let mut encoded = Vec::new();
    encoder.resume(State::START);
    for (piece, end) in [(&src[..cut], false), (&src[cut..], true), ("", true)] {
        let mut at = 0;
        loop {
            let progress = encoder.encode(&piece[at..], &mut dst, end);
            encoded.extend_from_slice(&dst[..progress.written]);
            at += progress.read;
            match progress.stop {
                Stop::Input => break,
                Stop::Output => assert!(progress.written > 0, "progress"),
                Stop::Fault(fault) => panic!("every character is of Unicode: {fault:?}"),
            }
        }
        assert_eq!(at, piece.len(), "an encoder leaves nothing unread");
        let state = encoder.state();
        encoder.resume(State::START);
        encoder.resume(state);
    }
    encoded
}

/// Encodes `src` at once, cut at every character, and into every room up to `rooms`: it must come
/// to the same.
pub fn encode_every_way(encoder: &mut dyn Encoder, src: &str, rooms: usize) -> Vec<u8> {
    let plain = encode(encoder, src, 0, 64);
    for room in encoder.window()..=rooms {
        for (cut, _) in src.char_indices() {
            assert_eq!(encode(encoder, src, cut, room), plain, "{src:?} cut {cut} room {room}");
        }
    }
    plain
}
