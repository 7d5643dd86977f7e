//! The shared driver of codecs, with the chunks that an input chooses and with assertions.

use charpipe::internals::codec::{Progress, State, Status};

use super::codec_driver::{self, CodecCall, CodecError, ErrorReason, OutputSpace};
pub use super::codec_driver::{TestCodec, Transcript};
use super::params::FuzzInput;

/// How an input is passed to a codec: sizes of chunks, repeated, and the output space of each call.
#[derive(Debug, Clone, Copy)]
pub struct Chunking {
    sizes: [u8; 3],
    output_space: Option<usize>,
}

impl Chunking {
    /// The whole input at once, with more space than the result needs.
    pub const WHOLE: Chunking = Chunking { sizes: [0; 3], output_space: None };

    /// Single bytes, with this much space.
    pub const fn bytewise(space: usize) -> Chunking {
        Chunking { sizes: [1; 3], output_space: Some(space) }
    }

    /// Returns what the next bytes choose: a space from 1 to 64, and sizes, of which 0 is an empty chunk.
    pub fn from_input(bytes: &mut FuzzInput<'_>) -> Chunking {
        let space = 1 + bytes.below(64);
        Chunking { sizes: bytes.array(), output_space: Some(space) }
    }

    /// Returns where a codec sees an input cut. All of it comes with the first call after an empty one.
    fn cuts(self, codec: &TestCodec, input: &[u8]) -> Vec<usize> {
        let (mut cuts, mut at) = (Vec::new(), 0);
        let mut sizes = self.sizes.into_iter().cycle();
        while at < input.len() {
            cuts.push(at);
            at = match sizes.next() {
                Some(size) if self.sizes != [0; 3] => (at + usize::from(size)).min(input.len()),
                _ => input.len(),
            };
            while !codec.may_cut(input, at) {
                at += 1;
            }
        }
        cuts
    }
}

/// Passes `input` to a codec in its initial state, in these chunks, and returns the result.
///
/// # Panics
///
/// If a call violates the contract.
pub fn drive(codec: &mut TestCodec, input: &[u8], chunking: Chunking) -> Transcript {
    codec.restore_state(State::INITIAL);
    let cuts = chunking.cuts(codec, input);
    let space = chunking.output_space.unwrap_or(16 * input.len() + 64);
    let output_space = OutputSpace::FixedUnlessStuck(space);
    let chunking = codec_driver::Chunking { cuts, output_space };
    let transcript = codec_driver::drive(codec, input, &chunking, || 0, &mut |codec, call| {
        check_call(codec, call);
        Ok(())
    });
    transcript.unwrap_or_else(|error| panic!("{error}"))
}

/// Checks the clauses of the contract that are about single calls.
fn check_call(codec: &TestCodec, call: &CodecCall<'_>) {
    let Progress { read, written, status } = call.progress;
    let is_idle = (read, written) == (0, 0);
    let may_change = matches!((codec, status), (TestCodec::Encoder(_), Status::Error(_)));
    assert!(!is_idle || may_change || call.after == call.before, "the state moves alone");
    if matches!(codec, TestCodec::Decoder(_) | TestCodec::TextTransform(_)) {
        assert!(std::str::from_utf8(call.out).is_ok(), "UTF-8 in every call");
    }
    let left = call.src.len() - read;
    match status {
        Status::InputEmpty if call.end => assert_eq!(left, 0, "nothing is left at the end"),
        Status::InputEmpty => assert!(left <= codec.max_lookahead(), "{left} bytes left"),
        Status::OutputFull => {
            assert!(
                !is_idle || call.space < codec.max_lookahead(),
                "no progress in {}",
                call.space
            );
        }
        Status::Error(CodecError { len, reason, next, .. }) => {
            assert!(len.max(next) <= left, "the malformed sequence is in the input");
            if let ErrorReason::Unmappable(character) = reason {
                let mut bytes = [0; 4];
                let bytes = character.encode_utf8(&mut bytes).as_bytes();
                assert!(call.src[read..].starts_with(bytes), "the character is in the input");
            }
        }
    }
}
