//! Readers and writers convert as a conversion in memory does, in pieces of any size.
//!
//! Input: four bytes for each of the two encodings, one for each half of the policy, three for the sizes of pieces, two for
//! the length of the input, then the input.

use std::io::{self, Read, Write};

use charpipe::{ErrorAction, TranscodeOptions, TranscodeReader, TranscodeWriter};

use super::cases::choose_case;
use super::conversion::choose_error_policy;
use super::params::FuzzInput;

/// A reader that returns a few bytes at a time.
struct PieceReader<'a> {
    rest: &'a [u8],
    len: usize,
}

impl Read for PieceReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.len.min(buffer.len());
        self.rest.take(len as u64).read(buffer).inspect(|read| self.rest = &self.rest[*read..])
    }
}

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let (from, to) = (&choose_case(&mut bytes).encoding, &choose_case(&mut bytes).encoding);
    let mut options = TranscodeOptions::new(from.clone(), to.clone());
    choose_error_policy(&mut options, &mut bytes);
    let [read_len, request_len, write_len] = bytes.array().map(|byte: u8| 1 + usize::from(byte));
    let content = bytes.with_ascii_prefix();
    if options.build().is_err() {
        return;
    }
    let expected = options.transcode(&content);
    let context = || format!("{from} {to}: {read_len} {request_len} {write_len}");

    let source = PieceReader { rest: &content, len: read_len };
    let mut reader = TranscodeReader::new(source, &options).expect("valid options");
    let read = read_all(&mut reader, request_len);
    assert_eq!(read.is_ok(), expected.is_ok(), "{}: {:?}", context(), read.err());
    if let (Ok(read), Ok(expected)) = (&read, &expected) {
        assert_eq!(read, expected, "read: {}", context());
    }

    let mut writer = TranscodeWriter::new(Vec::new(), &options).expect("valid options");
    let written = content.chunks(write_len).try_for_each(|piece| writer.write_all(piece));
    let written = written.and_then(|()| writer.finish());
    assert_eq!(written.is_ok(), expected.is_ok(), "{}: {:?}", context(), written.err());
    if let (Ok(written), Ok(expected)) = (&written, &expected) {
        assert_eq!(written, expected, "written: {}", context());
    }

    let is_plain = from.to_string() == from.encoding().name();
    if is_plain && options.error_policy.malformed != ErrorAction::Stop {
        check_decode_reader(from.encoding(), &content, read_len, request_len);
    }
}

/// A `DecodeReader` of an encoding returns what `Encoding::decode` does.
fn check_decode_reader(
    encoding: &'static charpipe::Encoding,
    content: &[u8],
    read_len: usize,
    request_len: usize,
) {
    let (expected, had_errors) = encoding.decode(content);
    let source = PieceReader { rest: content, len: read_len };
    let mut reader = charpipe::DecodeReader::new(source).with_encoding(encoding);
    let text = read_all(&mut reader, request_len).expect("malformed sequences are replaced");
    // A byte order mark of another encoding takes precedence over the given one.
    if reader.encoding() == Some(encoding) {
        assert_eq!(String::from_utf8_lossy(&text), expected, "{encoding:?}");
        assert_eq!(reader.error_counts().errors() > 0, had_errors, "{encoding:?}");
    }
}

fn read_all(reader: &mut impl Read, request_len: usize) -> io::Result<Vec<u8>> {
    let (mut output, mut buffer) = (Vec::new(), vec![0; request_len]);
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok(output),
            len => output.extend_from_slice(&buffer[..len]),
        }
    }
}
