//! Conversion of whole inputs for the unit tests of the transforms.

use super::{Transform, TransformCodecs};
use charpipe_encoding::codec::{ByteTransform, State, Status};
use charpipe_encoding::conversion_error::MalformedReason;
use charpipe_encoding::encoding::EncodingOptions;

/// The offset, the length and the reason of an error.
pub type FoundError = (usize, usize, MalformedReason);

/// Returns what the encoder of a transform between bytes writes.
pub fn encode(transform: &Transform, options: &str, src: impl AsRef<[u8]>) -> String {
    let TransformCodecs::Bytes { encoder, .. } = transform.codecs else {
        panic!("{} is between texts", transform.name);
    };
    let (out, errors) = convert(&mut *encoder(&parse(transform, options)), src.as_ref());
    assert_eq!(errors, []);
    String::from_utf8(out).expect("an encoder that writes ASCII")
}

/// Returns what the decoder of a transform between bytes writes, and the errors.
pub fn decode(
    transform: &Transform,
    options: &str,
    src: impl AsRef<[u8]>,
) -> (Vec<u8>, Vec<FoundError>) {
    let TransformCodecs::Bytes { decoder, .. } = transform.codecs else {
        panic!("{} is between texts", transform.name);
    };
    convert(&mut *decoder(&parse(transform, options)), src.as_ref())
}

fn parse(transform: &Transform, options: &str) -> EncodingOptions {
    EncodingOptions::parse(options, transform.options).expect("options of the transform")
}

fn convert(codec: &mut dyn ByteTransform, src: &[u8]) -> (Vec<u8>, Vec<FoundError>) {
    let (mut at, mut out, mut errors) = (0, Vec::new(), Vec::new());
    let mut dst = vec![0; codec.max_lookahead() + 100];
    codec.restore_state(State::INITIAL);
    loop {
        let progress = codec.transform_bytes(&src[at..], &mut dst, true);
        at += progress.read;
        out.extend_from_slice(&dst[..progress.written]);
        match progress.status {
            Status::InputEmpty => return (out, errors),
            Status::OutputFull => {}
            Status::Error(error) => {
                errors.push((at, error.len, error.reason));
                at += error.resume_len;
                codec.restore_state(error.resume_state);
            }
        }
    }
}
