//! One half of an encoding, with bytes on both sides, so that one driver serves all of them.

use std::fmt;

use crate::cases::{EncodingCase, encoding_cases};
pub use crate::codec_driver::{ErrorReason, TestCodec};

/// Which half of an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodecKind {
    Decoder,
    Encoder,
    WideDecoder,
    WideEncoder,
}

pub const DECODERS: &[CodecKind] = &[CodecKind::Decoder, CodecKind::WideDecoder];
pub const ENCODERS: &[CodecKind] = &[CodecKind::Encoder, CodecKind::WideEncoder];
pub const ALL_KINDS: &[CodecKind] =
    &[CodecKind::Decoder, CodecKind::WideDecoder, CodecKind::Encoder, CodecKind::WideEncoder];

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
