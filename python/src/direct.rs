//! Decoding to UTF-8 without a transcoder.

use std::cell::RefCell;
use std::io::Write;

use charpipe::internals::codec::{DecodeStage, State, Status};
use charpipe::internals::encoding::EncodingOptions;
use charpipe::{Encoding, Error};

/// The number of bytes that are decoded at a time.
const STEP: usize = 64 * 1024;

/// A decoder for many inputs.
pub struct DirectDecoder {
    encoding: &'static Encoding,
    decoder: Box<dyn DecodeStage>,
}

impl DirectDecoder {
    pub fn new(encoding: &'static Encoding) -> DirectDecoder {
        DirectDecoder { encoding, decoder: encoding.decoder(&EncodingOptions::default()) }
    }

    /// Returns a decoder if there is one for a conversion: strict and to UTF-8.
    pub fn for_labels(from: &str, to: &str, errors: &str) -> Option<DirectDecoder> {
        let is_utf8 = to.eq_ignore_ascii_case("utf-8") || to.eq_ignore_ascii_case("utf8");
        let encoding =
            (is_utf8 && errors == "strict").then(|| Encoding::for_label(from.as_bytes())).flatten();
        encoding.map(DirectDecoder::new)
    }

    /// Decodes a short `input` to the end of `output`.
    pub fn decode(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<(), Error> {
        self.decoder.restore_state(State::INITIAL);
        let minimum = self.decoder.max_lookahead().max(64);
        let (mut read, mut len) = (0, output.len());
        loop {
            let capacity = len + minimum + 3 * (input.len() - read);
            output.try_reserve(capacity - output.len()).map_err(|error| Error::Io(error.into()))?;
            output.resize(capacity, 0);
            let progress = self.decoder.decode(&input[read..], &mut output[len..], true);
            read += progress.read;
            len += progress.written;
            match progress.status {
                Status::InputEmpty => {
                    output.truncate(len);
                    return Ok(());
                }
                Status::OutputFull => {}
                Status::Error(_) => {
                    output.truncate(len);
                    return Err(self.error(input));
                }
            }
        }
    }

    /// Estimates the length of a long `input` in UTF-8. Codes of two bytes become three bytes, and what those of one byte
    /// become depends on the script.
    pub fn estimate_len(&mut self, input: &[u8]) -> usize {
        let two_bytes = input.len() + input.len() / 2 + 64;
        if input.len() < 16 * STEP {
            return two_bytes;
        }
        self.decoder.restore_state(State::INITIAL);
        let mut buffer = vec![0; 4 * STEP];
        let sample = self.decoder.decode(&input[..STEP], &mut buffer, false);
        let scaled = input.len() / sample.read.max(1) * sample.written;
        two_bytes.max(scaled + scaled / 16)
    }

    /// Decodes a long `input` to `output`.
    pub fn decode_to(&mut self, input: &[u8], output: &mut impl Write) -> Result<(), Error> {
        self.decoder.restore_state(State::INITIAL);
        let mut buffer = vec![0; STEP.max(self.decoder.max_lookahead())];
        let mut read = 0;
        loop {
            let progress = self.decoder.decode(&input[read..], &mut buffer, true);
            read += progress.read;
            output.write_all(&buffer[..progress.written]).map_err(Error::Io)?;
            match progress.status {
                Status::InputEmpty => return Ok(()),
                Status::OutputFull => {}
                Status::Error(_) => return Err(self.error(input)),
            }
        }
    }

    /// Returns the first error of an input, with its position.
    fn error(&self, input: &[u8]) -> Error {
        match self.encoding.decode_strict(input) {
            Err(error) => Error::Conversion(Box::new(error)),
            Ok(_) => unreachable!("the same decoder decoded the same input without an error"),
        }
    }
}

/// The decoder of the last short input of a thread, with its labels, and the output.
struct LastDecoder {
    from: String,
    to: String,
    decoder: DirectDecoder,
    output: Vec<u8>,
}

/// Decodes a short input and passes the result to `use_output`. Returns `None` for a conversion that needs a
/// transcoder.
pub fn decode_short<T>(
    input: &[u8],
    from: &str,
    to: &str,
    errors: &str,
    use_output: impl FnOnce(&[u8]) -> T,
) -> Option<Result<T, Error>> {
    thread_local! {
        static LAST: RefCell<Option<LastDecoder>> = const { RefCell::new(None) };
    }
    if errors != "strict" {
        return None;
    }
    LAST.with_borrow_mut(|last| {
        let is_last = last.as_ref().is_some_and(|last| last.from == from && last.to == to);
        if !is_last {
            let decoder = DirectDecoder::for_labels(from, to, errors)?;
            let (from, to) = (from.to_owned(), to.to_owned());
            *last = Some(LastDecoder { from, to, decoder, output: Vec::new() });
        }
        let LastDecoder { decoder, output, .. } = last.as_mut()?;
        output.clear();
        Some(decoder.decode(input, output).map(|()| use_output(output)))
    })
}
