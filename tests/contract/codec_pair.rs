//! One half of an encoding, with bytes on both sides, so that one driver serves all of them.

use std::fmt;

use charpipe::codec::{ByteTransform, Checkpoint, Decoder, Encoder, Progress, State, Status};
use charpipe::conversion_error::{Malformed, MalformedReason, Unmappable};

use crate::allocation;
use crate::cases::{EncodingCase, encoding_cases};

/// Which half of an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodecKind {
    Decoder,
    /// A decoder that is ready for a large input, if that makes a difference.
    Prepared,
    Encoder,
    WideDecoder,
    WideEncoder,
}

use CodecKind::*;

pub const DECODERS: &[CodecKind] = &[Decoder, Prepared, WideDecoder];
pub const ENCODERS: &[CodecKind] = &[Encoder, WideEncoder];
pub const ALL_KINDS: &[CodecKind] = &[Decoder, Prepared, WideDecoder, Encoder, WideEncoder];

/// An encoding with options, and which half of it.
#[derive(Clone)]
pub struct CodecCase {
    pub case: EncodingCase,
    pub kind: CodecKind,
}

impl fmt::Display for CodecCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.case, self.kind)
    }
}

/// Every stage of these parts.
pub fn codec_cases(parts: &[CodecKind]) -> Vec<CodecCase> {
    let of = |subject: EncodingCase| {
        parts.iter().map(move |part| CodecCase { case: subject.clone(), kind: *part })
    };
    encoding_cases().into_iter().flat_map(of).filter(|stage| stage.create().is_some()).collect()
}

impl CodecCase {
    /// A new codec, unless the encoding with these options has no such half.
    pub fn create(&self) -> Option<TestCodec> {
        let EncodingCase { encoding, options } = &self.case;
        let wide = encoding.ucs4.as_ref().filter(|wide| (wide.is_enabled)(options));
        Some(match self.kind {
            Decoder => TestCodec::Decoder(encoding.decoder(options)),
            Prepared => TestCodec::Decoder(prepared_decoder(encoding.decoder(options))?),
            Encoder => TestCodec::Encoder(encoding.encoder(options)),
            WideDecoder => TestCodec::WideCodec((wide?.decoder)(options)),
            WideEncoder => TestCodec::WideCodec((wide?.encoder)(options)),
        })
    }

    /// The same encoding with the same options, another half.
    pub fn with_kind(&self, part: CodecKind) -> CodecCase {
        CodecCase { kind: part, ..self.clone() }
    }
}

/// A decoder made ready, unless it is ready as it is: what makes it so asks for memory.
fn prepared_decoder(mut decoder: Box<dyn Decoder>) -> Option<Box<dyn Decoder>> {
    let asked = allocation::count();
    decoder.prepare_for_large_input();
    (allocation::count() > asked).then_some(decoder)
}

/// A codec of any kind.
pub enum TestCodec {
    Decoder(Box<dyn Decoder>),
    Encoder(Box<dyn Encoder>),
    WideCodec(Box<dyn ByteTransform>),
}

/// An error of any kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodecError {
    pub len: usize,
    pub reason: ErrorReason,
    pub next: usize,
    pub resume_state: State,
}

/// What an [`Offence`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorReason {
    Malformed(MalformedReason),
    Unmappable(char),
}

impl TestCodec {
    /// One call. The source of an encoder must be whole characters.
    pub fn call(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<CodecError> {
        match self {
            TestCodec::Decoder(decoder) => map_error(decoder.decode(src, dst, end), malformed),
            TestCodec::WideCodec(surface) => {
                map_error(surface.transform_bytes(src, dst, end), malformed)
            }
            TestCodec::Encoder(encoder) => {
                let text = std::str::from_utf8(src).expect("only whole characters are read");
                let progress = encoder.encode(text, dst, end);
                let then = encoder.save_state();
                map_error(progress, |unmappable| self::unmappable(unmappable, then))
            }
        }
    }

    fn memory(&self) -> &dyn Checkpoint {
        match self {
            TestCodec::Decoder(decoder) => &**decoder,
            TestCodec::Encoder(encoder) => &**encoder,
            TestCodec::WideCodec(surface) => &**surface,
        }
    }

    pub fn state(&self) -> State {
        self.memory().save_state()
    }

    pub fn window(&self) -> usize {
        self.memory().max_lookahead()
    }

    pub fn resume(&mut self, at: State) {
        match self {
            TestCodec::Decoder(decoder) => decoder.restore_state(at),
            TestCodec::Encoder(encoder) => encoder.restore_state(at),
            TestCodec::WideCodec(surface) => surface.restore_state(at),
        }
    }
}

fn map_error<F>(progress: Progress<F>, name: impl Fn(F) -> CodecError) -> Progress<CodecError> {
    let stop = match progress.status {
        Status::InputEmpty => Status::InputEmpty,
        Status::OutputFull => Status::OutputFull,
        Status::Error(error) => Status::Error(name(error)),
    };
    Progress { read: progress.read, written: progress.written, status: stop }
}

fn malformed(error: Malformed) -> CodecError {
    let Malformed { len, reason: why, resume_len: next, resume_state: then } = error;
    CodecError { len, reason: ErrorReason::Malformed(why), next, resume_state: then }
}

/// An encoder goes on after the character, in the state that it is in.
fn unmappable(error: Unmappable, then: State) -> CodecError {
    let len = error.character.len_utf8();
    CodecError {
        len,
        reason: ErrorReason::Unmappable(error.character),
        next: len,
        resume_state: then,
    }
}
