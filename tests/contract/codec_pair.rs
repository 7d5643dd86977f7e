//! One half of an encoding, with bytes on both sides, so that one driver serves all of them.

use std::fmt;

use charpipe::internals::codec::Decoder;

use crate::allocation;
use crate::cases::{EncodingCase, encoding_cases};
pub use crate::codec_driver::{ErrorReason, TestCodec};

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

pub const DECODERS: &[CodecKind] =
    &[CodecKind::Decoder, CodecKind::Prepared, CodecKind::WideDecoder];
pub const ENCODERS: &[CodecKind] = &[CodecKind::Encoder, CodecKind::WideEncoder];
pub const ALL_KINDS: &[CodecKind] = &[
    CodecKind::Decoder,
    CodecKind::Prepared,
    CodecKind::WideDecoder,
    CodecKind::Encoder,
    CodecKind::WideEncoder,
];

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
            CodecKind::Decoder => TestCodec::Decoder(encoding.decoder(options)),
            CodecKind::Prepared => TestCodec::Decoder(prepared_decoder(encoding.decoder(options))?),
            CodecKind::Encoder => TestCodec::Encoder(encoding.encoder(options)),
            CodecKind::WideDecoder => TestCodec::Transform((wide?.decoder)(options)),
            CodecKind::WideEncoder => TestCodec::Transform((wide?.encoder)(options)),
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
