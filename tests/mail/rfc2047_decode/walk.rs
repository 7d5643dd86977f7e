//! The contract of a codec, held in every single call: each split in two, small pieces, and space
//! down to the least that any step needs.

use charpipe::EncodingSpec;
use charpipe::internals::codec::{DecodeStage, Progress, State, Status};
use charpipe::internals::conversion_error::MalformedReason;

use crate::rfc2047_decode::reference;
use charpipe_test_support::{XorShift, sample_count};

/// Output space that the decoder requires, in bytes.
const SPACE: usize = 1024;

/// Less than that, for one call after the other.
const SMALL_SPACES: [usize; 6] = [0, 1, 2, 3, 5, 8];

/// The result of a walk: the text with U+FFFD for errors; offset, length and reason of each error.
type Walked = (String, Vec<(usize, usize, MalformedReason)>);

fn decoder(encoding: &EncodingSpec) -> Box<dyn DecodeStage> {
    encoding.encoding.decoder(&encoding.options)
}

/// One call by a codec that knows nothing but the state, and what the contract says of it.
fn call(
    encoding: &EncodingSpec,
    state: State,
    src: &[u8],
    dst: &mut [u8],
    end: bool,
) -> (Progress<charpipe::internals::conversion_error::Malformed>, State) {
    let mut codec = decoder(encoding);
    codec.restore_state(state);
    assert_eq!(codec.save_state(), state, "a state is put back whole");
    let progress = codec.decode(src, dst, end);
    let idle = (progress.read, progress.written) == (0, 0);
    assert!(std::str::from_utf8(&dst[..progress.written]).is_ok(), "whole characters");
    assert!(!idle || codec.save_state() == state, "the state moves alone");
    match progress.status {
        Status::InputEmpty => {
            let left = src.len() - progress.read;
            assert!(left <= if end { 0 } else { codec.max_lookahead() }, "{left} bytes left");
        }
        Status::OutputFull => assert!(!idle || dst.len() < SPACE, "no progress"),
        Status::Error(error) => {
            assert!(progress.read + error.len.max(error.resume_len) <= src.len());
            let after = codec.save_state();
            let again = codec.decode(&src[progress.read..], &mut dst.to_vec(), end);
            assert_eq!(again, Progress::error(0, 0, error), "the error is reported again");
            assert_eq!(codec.save_state(), after);
        }
    }
    (progress, codec.save_state())
}

/// Shows the source up to each cut, then all of it. Each call has the next of the spaces, or as much
/// as the decoder requires after a call without progress.
fn walk(encoding: &EncodingSpec, src: &[u8], cuts: &[usize], spaces: &[usize]) -> Walked {
    let (mut text, mut errors) = (String::new(), Vec::new());
    let mut spaces = spaces.iter().cycle();
    let (mut state, mut at, mut is_stuck) = (State::INITIAL, 0, false);
    for &cut in cuts.iter().chain([&src.len()]) {
        let end = cut == src.len();
        loop {
            let space = spaces.next().unwrap();
            let mut dst = vec![0; if is_stuck { *space.max(&SPACE) } else { *space }];
            let (progress, after) = call(encoding, state, &src[at..cut], &mut dst, end);
            (state, at) = (after, at + progress.read);
            text.push_str(std::str::from_utf8(&dst[..progress.written]).unwrap());
            is_stuck = progress == Progress::output_full(0, 0);
            match progress.status {
                Status::InputEmpty => break,
                Status::OutputFull => {}
                Status::Error(error) => {
                    errors.push((at, error.len, error.reason));
                    text.push('\u{FFFD}');
                    (at, state) = (at + error.resume_len, error.resume_state);
                }
            }
        }
    }
    (text, errors)
}

/// Walks every way, and gives what each way gave.
pub fn every_way(from: &str, src: &[u8]) -> Walked {
    let encoding: EncodingSpec = from.parse().unwrap();
    let whole = walk(&encoding, src, &[], &[4 * src.len() + SPACE]);
    let bytewise = Vec::from_iter(0..=src.len());
    let halves = bytewise.iter().map(|cut| (std::slice::from_ref(cut), &[SPACE][..]));
    let spaces = [&[SPACE][..], &[SPACE + 1], &[64 * 1024], &SMALL_SPACES];
    let bytewise = spaces.map(|spaces| (&bytewise[..], spaces));
    let whole_input = [&[SPACE][..], &SMALL_SPACES].map(|spaces| (&[][..], spaces));
    for (cuts, spaces) in halves.chain(bytewise).chain(whole_input) {
        let walked = walk(&encoding, src, cuts, spaces);
        assert_eq!(walked, whole, "{from} {:?} {cuts:?} {spaces:?}", String::from_utf8_lossy(src));
    }
    whole
}

#[test]
fn anything_is_the_same_in_pieces_of_any_size() {
    let mut random = XorShift::new(822);
    for round in 0..sample_count(1500, 3) {
        let input = reference::input(&mut random, round);
        for from in ["rfc2047", "rfc2047:strict"] {
            every_way(from, &input);
        }
    }
}

#[test]
fn charsets_with_states_are_the_same_in_pieces_of_any_size() {
    let mut random = XorShift::new(1468);
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
    for _ in 0..sample_count(1500, 3) {
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
