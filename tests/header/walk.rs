//! The contract of a codec, held in every single call: each split in two, small pieces, and rooms
//! down to the least that any step needs.

use charpipe::codec::{Decoder, Progress, State, Stop};
use charpipe::fault::Why;
use charpipe::plan::Encoding;

use crate::random::Random;
use crate::twin;

/// Room that the decoder says it needs, in bytes.
const ROOM: usize = 1024;

/// What came of a walk: the text with U+FFFD for faults; offset, length and reason of each fault.
type Walked = (String, Vec<(usize, usize, Why)>);

fn decoder(encoding: &Encoding) -> Box<dyn Decoder> {
    encoding.charset.decoder(&encoding.settings)
}

/// One call by a codec that knows nothing but the state, and what the contract says of it.
fn call(
    encoding: &Encoding,
    state: State,
    src: &[u8],
    dst: &mut [u8],
    end: bool,
) -> (Progress<charpipe::fault::Malformed>, State) {
    let mut codec = decoder(encoding);
    codec.resume(state);
    assert_eq!(codec.state(), state, "a state is put back whole");
    let progress = codec.decode(src, dst, end);
    let idle = (progress.read, progress.written) == (0, 0);
    assert!(std::str::from_utf8(&dst[..progress.written]).is_ok(), "whole characters");
    assert!(!idle || codec.state() == state, "the state moves alone");
    match progress.stop {
        Stop::Input => {
            let left = src.len() - progress.read;
            assert!(left <= if end { 0 } else { codec.window() }, "{left} bytes left");
        }
        Stop::Output => assert!(!idle || dst.len() < ROOM, "no progress"),
        Stop::Fault(fault) => {
            assert!(progress.read + fault.len.max(fault.next) <= src.len());
            let after = codec.state();
            let again = codec.decode(&src[progress.read..], &mut dst.to_vec(), end);
            assert_eq!(again, Progress::fault(0, 0, fault), "a fault is met again");
            assert_eq!(codec.state(), after);
        }
    }
    (progress, codec.state())
}

/// Shows the source up to each cut, then all of it, with so much room a call.
fn walk(encoding: &Encoding, src: &[u8], cuts: &[usize], room: usize) -> Walked {
    let (mut text, mut faults) = (String::new(), Vec::new());
    let mut dst = vec![0; room];
    let (mut state, mut at) = (State::START, 0);
    for &cut in cuts.iter().chain([&src.len()]) {
        let end = cut == src.len();
        loop {
            let (progress, after) = call(encoding, state, &src[at..cut], &mut dst, end);
            (state, at) = (after, at + progress.read);
            text.push_str(std::str::from_utf8(&dst[..progress.written]).unwrap());
            match progress.stop {
                Stop::Input => break,
                Stop::Output => {}
                Stop::Fault(fault) => {
                    faults.push((at, fault.len, fault.why));
                    text.push('\u{FFFD}');
                    (at, state) = (at + fault.next, fault.then);
                }
            }
        }
    }
    (text, faults)
}

/// Walks every way, and gives what each way gave.
pub fn every_way(from: &str, src: &[u8]) -> Walked {
    let encoding: Encoding = from.parse().unwrap();
    let whole = walk(&encoding, src, &[], 4 * src.len() + ROOM);
    let bytewise = Vec::from_iter(0..=src.len());
    let halves = bytewise.iter().map(|cut| (std::slice::from_ref(cut), ROOM));
    let rooms = [ROOM, ROOM + 1, 64 * 1024].map(|room| (&bytewise[..], room));
    for (cuts, room) in halves.chain(rooms).chain([(&[][..], ROOM)]) {
        let walked = walk(&encoding, src, cuts, room);
        assert_eq!(walked, whole, "{from} {:?} {cuts:?} {room}", String::from_utf8_lossy(src));
    }
    whole
}

#[test]
fn anything_is_the_same_in_pieces_of_any_size() {
    let mut random = Random::new(822);
    for round in 0..1500 {
        let input = twin::input(&mut random, round);
        for from in ["rfc2047", "rfc2047:strict"] {
            every_way(from, &input);
        }
    }
}

#[test]
fn charsets_with_states_are_the_same_in_pieces_of_any_size() {
    let mut random = Random::new(1468);
    let labels: &[&[u8]] = &[b"utf-7", b"utf-7", b"utf-16", b"utf-32", b"cesu-8", b"bocu-1"];
    let texts: &[&[u8]] = &[
        b"+AOk",
        b"+AOk-",
        b"+AO",
        b"k-",
        b"a",
        b"+",
        b"-",
        b"=FE=FF",
        b"=FF=FE",
        b"=00=41",
        b"=D8",
        b"=3D=DE=00",
        b"=00=00=FE=FF",
        b"=ED=A0=80",
        b"=FB",
        b"=0A",
    ];
    for _ in 0..1500 {
        let mut input = Vec::new();
        let label = random.one(labels);
        for _ in 0..=random.below(4) {
            let text = random.some(4, texts).concat();
            input.extend(
                [b"=?", label, b"?q?", &text, b"?=", random.one::<&[u8]>(&[b" ", b""])].concat(),
            );
        }
        every_way("rfc2047", &input);
    }
}
