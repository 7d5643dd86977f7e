//! Drives one codec through one input, in chunks and with little output space, and records what it
//! does. Used by the contract and by the fuzz targets.
#![allow(dead_code, reason = "each user needs a part of it")]

use charpipe::internals::codec::{
    ByteTransform, Checkpoint, DecodeStage, EncodeStage, Progress, State, Status, TextTransform,
};
use charpipe::internals::conversion_error::{Malformed, MalformedReason, Unmappable};

/// A codec of any kind, with bytes on both sides.
pub enum TestCodec {
    Decoder(Box<dyn DecodeStage>),
    Encoder(Box<dyn EncodeStage>),
    Transform(Box<dyn ByteTransform>),
    TextTransform(Box<dyn TextTransform>),
}

/// An error of any kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodecError {
    pub len: usize,
    pub reason: ErrorReason,
    pub next: usize,
    pub resume_state: State,
}

/// The reason of a [`CodecError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorReason {
    Malformed(MalformedReason),
    Unmappable(char),
}

impl TestCodec {
    /// Makes one call. The source of a codec that reads text must be whole characters.
    pub fn call(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<CodecError> {
        match self {
            TestCodec::Decoder(decoder) => map_error(decoder.decode(src, dst, end), malformed),
            TestCodec::Transform(transform) => {
                map_error(transform.transform_bytes(src, dst, end), malformed)
            }
            TestCodec::TextTransform(transform) => {
                map_error(transform.transform_text(whole_characters(src), dst, end), malformed)
            }
            TestCodec::Encoder(encoder) => {
                let text = whole_characters(src);
                let progress = encoder.encode(text, dst, end);
                let state = encoder.save_state();
                map_error(progress, |error| unmappable(error, state))
            }
        }
    }

    fn checkpoint(&self) -> &dyn Checkpoint {
        match self {
            TestCodec::Decoder(decoder) => &**decoder,
            TestCodec::Encoder(encoder) => &**encoder,
            TestCodec::Transform(transform) => &**transform,
            TestCodec::TextTransform(transform) => &**transform,
        }
    }

    pub fn state(&self) -> State {
        self.checkpoint().save_state()
    }

    pub fn max_lookahead(&self) -> usize {
        self.checkpoint().max_lookahead()
    }

    pub fn restore_state(&mut self, state: State) {
        match self {
            TestCodec::Decoder(decoder) => decoder.restore_state(state),
            TestCodec::Encoder(encoder) => encoder.restore_state(state),
            TestCodec::Transform(transform) => transform.restore_state(state),
            TestCodec::TextTransform(transform) => transform.restore_state(state),
        }
    }

    /// Returns whether the codec reads text.
    pub fn reads_text(&self) -> bool {
        matches!(self, TestCodec::Encoder(_) | TestCodec::TextTransform(_))
    }

    /// Returns whether an input may be cut at `at`: text only between characters.
    pub fn may_cut(&self, input: &[u8], at: usize) -> bool {
        let is_inside = input.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
        !(is_inside && self.reads_text())
    }
}

pub fn whole_characters(src: &[u8]) -> &str {
    std::str::from_utf8(src).expect("only whole characters are read")
}

pub fn map_error<E>(progress: Progress<E>, map: impl Fn(E) -> CodecError) -> Progress<CodecError> {
    let status = match progress.status {
        Status::InputEmpty => Status::InputEmpty,
        Status::OutputFull => Status::OutputFull,
        Status::Error(error) => Status::Error(map(error)),
    };
    Progress { read: progress.read, written: progress.written, status }
}

pub fn malformed(error: Malformed) -> CodecError {
    let Malformed { len, reason, resume_len, resume_state } = error;
    CodecError { len, reason: ErrorReason::Malformed(reason), next: resume_len, resume_state }
}

/// An encoder resumes after the character, in its present state.
pub fn unmappable(error: Unmappable, resume_state: State) -> CodecError {
    let len = error.character.len_utf8();
    CodecError { len, reason: ErrorReason::Unmappable(error.character), next: len, resume_state }
}

/// How an input is passed to a codec.
#[derive(Debug, Clone)]
pub struct Chunking {
    /// The numbers of bytes of the input that are visible, one after the other, before all of it and the end
    /// are. The same number twice is an empty chunk.
    pub cuts: Vec<usize>,
    pub output_space: OutputSpace,
}

/// How much output space each call has.
#[derive(Debug, Clone, Copy)]
pub enum OutputSpace {
    /// More than the whole result needs.
    Ample,
    /// Always this number of bytes.
    Fixed(usize),
    /// This number of bytes, and the lookahead of the codec after a call without progress.
    FixedUnlessStuck(usize),
    /// 0, 1, 2 … up to the lookahead of the codec, repeated.
    Growing,
}

impl OutputSpace {
    fn at(self, turn: usize, is_stuck: bool, max_lookahead: usize, ample: usize) -> usize {
        match self {
            OutputSpace::Ample => ample,
            OutputSpace::Fixed(space) => space,
            OutputSpace::FixedUnlessStuck(space) if is_stuck => space.max(max_lookahead),
            OutputSpace::FixedUnlessStuck(space) => space,
            OutputSpace::Growing => turn % (max_lookahead + 1),
        }
    }

    fn largest(self, max_lookahead: usize, ample: usize) -> usize {
        [false, true]
            .map(|is_stuck| self.at(max_lookahead, is_stuck, max_lookahead, ample))
            .into_iter()
            .fold(0, usize::max)
    }
}

/// The whole input at once, with all the space that it may need.
pub fn single_chunk() -> Chunking {
    Chunking { cuts: Vec::new(), output_space: OutputSpace::Ample }
}

/// The arguments and results of one call.
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

/// The whole result of an input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    pub out: Vec<u8>,
    pub errors: Vec<FoundError>,
}

/// An error and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundError {
    /// Bytes of input before the error.
    pub input_offset: usize,
    /// Bytes of output before it.
    pub output_offset: usize,
    pub len: usize,
    /// Bytes from the first byte of the error to where the codec resumes.
    pub next: usize,
    pub reason: ErrorReason,
}

/// Checks each call; may call the codec itself if it restores the state.
pub type CallObserver<'a> = dyn FnMut(&mut TestCodec, &CodecCall) -> Result<(), String> + 'a;

/// Returns how many times the thread has allocated memory so far.
pub type AllocationCounter = fn() -> usize;

/// Passes `input` to a codec from its present state, resumes after each error as it says, until
/// the codec has seen the end.
pub fn drive(
    codec: &mut TestCodec,
    input: &[u8],
    chunking: &Chunking,
    allocations: AllocationCounter,
    observe: &mut CallObserver,
) -> Result<Transcript, String> {
    let max_lookahead = codec.max_lookahead();
    let ample = 16 * input.len() + 64;
    let mut dst = vec![0xAA; chunking.output_space.largest(max_lookahead, ample)];
    let mut cuts = chunking.cuts.iter().copied();
    let mut seen = cuts.next();
    let (mut at, mut is_stuck) = (0, false);
    let mut transcript = Transcript::default();
    for turn in 0..max_calls(input, chunking, max_lookahead) {
        let space = chunking.output_space.at(turn, is_stuck, max_lookahead, ample);
        let src =
            input.get(at..seen.unwrap_or(input.len())).ok_or("read past the end of the input")?;
        let call = one_call(codec, src, &mut dst[..space], seen.is_none(), allocations);
        observe(codec, &call)?;
        transcript.out.extend_from_slice(call.out);
        let Progress { read, written, status } = call.progress;
        is_stuck = (read, written) == (0, 0) && status == Status::OutputFull;
        at += read;
        match status {
            Status::InputEmpty if seen.is_none() => return Ok(transcript),
            Status::InputEmpty => seen = cuts.next(),
            Status::OutputFull => {}
            Status::Error(CodecError { len, reason, next, resume_state }) => {
                let output_offset = transcript.out.len();
                let found = FoundError { input_offset: at, output_offset, len, next, reason };
                transcript.errors.push(found);
                at += next;
                codec.restore_state(resume_state);
            }
        }
    }
    Err(format!("does not end; {at} of {} bytes are read", input.len()))
}

/// Makes one call and records it.
pub fn one_call<'a>(
    codec: &mut TestCodec,
    src: &'a [u8],
    dst: &'a mut [u8],
    end: bool,
    allocations: AllocationCounter,
) -> CodecCall<'a> {
    let before = codec.state();
    let space = dst.len();
    let count = allocations();
    let progress = codec.call(src, dst, end);
    let allocations = allocations() - count;
    let after = codec.state();
    let out = &dst[..progress.written];
    CodecCall { before, src, end, space, progress, out, after, allocations }
}

/// A call with enough space reads, writes, finds an error or needs input, which bounds the calls.
fn max_calls(input: &[u8], chunking: &Chunking, max_lookahead: usize) -> usize {
    let with_space = 66 * (input.len() + 1) + chunking.cuts.len();
    match chunking.output_space {
        OutputSpace::Growing => with_space * (max_lookahead + 1),
        OutputSpace::FixedUnlessStuck(_) => 3 * (with_space + 66),
        OutputSpace::Ample | OutputSpace::Fixed(_) => with_space,
    }
}
