//! A mapping file is an error or defines an encoding that decodes and encodes the same in any pieces.
//!
//! Input: one byte for the space, three for the sizes of pieces, then the file, and after a NUL the text.

use charpipe::Encoding;
use charpipe::internals::encoding::EncodingOptions;

use super::driver::{Chunking, TestCodec, drive};
use super::params::FuzzInput;

/// The maximum length of a file in bytes: an encoding is kept until the process ends.
const MAX_FILE_LEN: usize = 1024;

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let chunking = Chunking::from_input(&mut bytes);
    let content = bytes.rest();
    let end = content.iter().position(|byte| *byte == 0).unwrap_or(content.len());
    let (file, sample) = (&content[..end.min(MAX_FILE_LEN)], content.get(end + 1..).unwrap_or(b""));
    let encoding = match Encoding::from_mapping("fuzz.txt", file) {
        Ok(encoding) => encoding,
        Err(error) => {
            let message = error.to_string();
            assert!(!message.chars().any(char::is_control), "{message:?}");
            return;
        }
    };
    let options = EncodingOptions::default();
    let mut decoder = TestCodec::Decoder(encoding.decoder(&options));
    let decoded = drive(&mut decoder, sample, Chunking::WHOLE);
    assert_eq!(drive(&mut decoder, sample, chunking), decoded, "{chunking:?}");
    assert_eq!(drive(&mut decoder, sample, Chunking::bytewise(1)), decoded);
    assert!(std::str::from_utf8(&decoded.out).is_ok(), "{:X?}", decoded.out);

    let text = String::from_utf8_lossy(sample).into_owned();
    let mut encoder = TestCodec::Encoder(encoding.encoder(&options));
    let encoded = drive(&mut encoder, text.as_bytes(), Chunking::WHOLE);
    assert_eq!(drive(&mut encoder, text.as_bytes(), chunking), encoded, "{chunking:?}");
    assert_eq!(drive(&mut encoder, text.as_bytes(), Chunking::bytewise(1)), encoded);
}
