//! Takes one codec through one input, in pieces and with little space, and writes down what it did.

use charpipe::codec::{Progress, State, Status};

use crate::allocation;
use crate::codec_pair::{CodecError, ErrorReason, TestCodec};

/// How an input is handed over.
#[derive(Debug, Clone)]
pub struct Chunking {
    /// How many bytes of the input can be seen, one after the other, before all of it and the end
    /// can be seen. Saying the same number twice hands over an empty piece.
    pub cuts: Vec<usize>,
    pub output_space: OutputSpace,
}

/// How much space each call has.
#[derive(Debug, Clone, Copy)]
pub enum OutputSpace {
    /// More than the whole result needs.
    Ample,
    /// Always this number of bytes.
    Fixed(usize),
    /// 0, 1, 2 … up to the codec's window, and again.
    Growing,
}

impl OutputSpace {
    fn at(self, turn: usize, window: usize, ample: usize) -> usize {
        match self {
            OutputSpace::Ample => ample,
            OutputSpace::Fixed(space) => space,
            OutputSpace::Growing => turn % (window + 1),
        }
    }
}

/// The whole input at once, with all the space that it may need.
pub fn single_chunk() -> Chunking {
    Chunking { cuts: Vec::new(), output_space: OutputSpace::Ample }
}

/// What went into one call and what came out of it.
pub struct CodecCall<'a> {
    pub before: State,
    pub src: &'a [u8],
    pub end: bool,
    pub space: usize,
    pub progress: Progress<CodecError>,
    pub out: &'a [u8],
    pub after: State,
    pub allocations: usize,
}

/// Everything that came of an input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    pub out: Vec<u8>,
    pub errors: Vec<FoundError>,
}

/// An error and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundError {
    /// Bytes of input before the malformed sequence.
    pub input_offset: usize,
    /// Bytes of output before it.
    pub output_offset: usize,
    pub len: usize,
    pub next: usize,
    pub reason: ErrorReason,
}

/// Looks at each call; may call the codec itself if it puts the state back.
pub type CallObserver<'a> = dyn FnMut(&mut TestCodec, &CodecCall) -> Result<(), String> + 'a;

/// Hands `input` over as planned, from the state that the codec is in, going on after each
/// offence as it says, until the codec has seen the end.
pub fn drive(
    half: &mut TestCodec,
    input: &[u8],
    options: &Chunking,
    watch: &mut CallObserver,
) -> Result<Transcript, String> {
    let window = half.window();
    let ample = 16 * input.len() + 64;
    let mut dst = vec![0xAA; options.output_space.at(window, window, ample)];
    let mut cuts = options.cuts.iter().copied();
    let mut seen = cuts.next();
    let mut at = 0;
    let mut transcript = Transcript::default();
    for turn in 0..max_calls(input, options, window) {
        let space = options.output_space.at(turn, window, ample);
        let src = input.get(at..seen.unwrap_or(input.len())).ok_or("read past the end of the input")?;
        let call = one_call(half, src, &mut dst[..space], seen.is_none());
        watch(half, &call)?;
        transcript.out.extend_from_slice(call.out);
        at += call.progress.read;
        match call.progress.status {
            Status::InputEmpty if seen.is_none() => return Ok(transcript),
            Status::InputEmpty => seen = cuts.next(),
            Status::OutputFull => {}
            Status::Error(offence) => {
                let CodecError { len, reason: why, next, resume_state: then } = offence;
                let after = transcript.out.len();
                transcript.errors.push(FoundError {
                    input_offset: at,
                    output_offset: after,
                    len,
                    next,
                    reason: why,
                });
                at += next;
                half.resume(then);
            }
        }
    }
    Err("does not end".to_owned())
}

/// One call, on record.
pub fn one_call<'a>(
    half: &mut TestCodec,
    src: &'a [u8],
    dst: &'a mut [u8],
    end: bool,
) -> CodecCall<'a> {
    let before = half.state();
    let space = dst.len();
    let asked = allocation::count();
    let progress = half.call(src, dst, end);
    let allocations = allocation::count() - asked;
    let after = half.state();
    let out = &dst[..progress.written];
    CodecCall { before, src, end, space: space, progress, out, after, allocations }
}

/// A call with enough space reads, writes, finds error or wants input, so that there is a bound.
fn max_calls(input: &[u8], options: &Chunking, window: usize) -> usize {
    let with_space = 66 * (input.len() + 1) + options.cuts.len();
    match options.output_space {
        OutputSpace::Growing => with_space * (window + 1),
        OutputSpace::Ample | OutputSpace::Fixed(_) => with_space,
    }
}
