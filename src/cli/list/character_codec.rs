//! Converts one character at a time, each as if it were the whole text.

use charpipe_encoding::codec::{DecodeStage, EncodeStage, State, Status};
use charpipe_encoding::encoding::{Encoding, EncodingOptions};

/// More than the bytes of any character with its shift sequences.
const MAX_LEN: usize = 64;

/// What a byte sequence at the start of a text is decoded as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecodedCharacter {
    Text(String),
    /// It needs more bytes, or only changes the state.
    Incomplete,
    Malformed,
}

/// The codecs of an encoding without options.
pub struct CharacterCodec {
    decoder: Box<dyn DecodeStage>,
    encoder: Box<dyn EncodeStage>,
}

impl CharacterCodec {
    pub fn new(encoding: &Encoding) -> CharacterCodec {
        let options = EncodingOptions::default();
        CharacterCodec {
            decoder: encoding.factory.decoder(&options),
            encoder: encoding.factory.encoder(&options),
        }
    }

    /// Encodes a text of a few characters. Returns `None` if one is unmappable.
    pub fn encode(&mut self, text: &str) -> Option<Vec<u8>> {
        self.encoder.restore_state(State::INITIAL);
        let mut buffer = [0; MAX_LEN];
        let (mut read, mut written) = (0, 0);
        loop {
            let progress = self.encoder.encode(&text[read..], &mut buffer[written..], true);
            read += progress.read;
            written += progress.written;
            match progress.status {
                Status::InputEmpty => return Some(buffer[..written].to_vec()),
                Status::Error(_) => return None,
                Status::OutputFull if progress.read + progress.written == 0 => return None,
                Status::OutputFull => {}
            }
        }
    }

    /// Decodes bytes at the start of a text; `end` if they are the whole text.
    pub fn decode(&mut self, bytes: &[u8], end: bool) -> DecodedCharacter {
        self.decoder.restore_state(State::INITIAL);
        let mut buffer = [0; 2 * MAX_LEN];
        let (mut read, mut written) = (0, 0);
        loop {
            let progress = self.decoder.decode(&bytes[read..], &mut buffer[written..], end);
            read += progress.read;
            written += progress.written;
            match progress.status {
                Status::InputEmpty if written == 0 => return DecodedCharacter::Incomplete,
                Status::InputEmpty => {
                    let text = String::from_utf8_lossy(&buffer[..written]);
                    return DecodedCharacter::Text(text.into_owned());
                }
                Status::Error(_) => return DecodedCharacter::Malformed,
                Status::OutputFull if progress.read + progress.written == 0 => {
                    return DecodedCharacter::Incomplete;
                }
                Status::OutputFull => {}
            }
        }
    }
}
