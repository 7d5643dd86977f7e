//! Decodes header lines with a transcoder, and keeps the errors.

use charpipe::ErrorAction;
use charpipe::ErrorEvent;
use charpipe::ErrorReporter;
use charpipe::TranscodeOptions;

struct Reported(Vec<ErrorEvent>);

impl ErrorReporter for Reported {
    fn wants_position(&self) -> bool {
        true
    }

    fn error(&mut self, error: &ErrorEvent) {
        self.0.push(*error);
    }
}

/// The text in UTF-8 with U+FFFD for each error, and the errors. `from` is `rfc2047` with or
/// without options; `block` is in bytes.
pub fn decoded(from: &str, input: &[u8], block: usize) -> (String, Vec<ErrorEvent>) {
    let mut options = TranscodeOptions::from_labels(from, "utf-8").unwrap();
    options.error_policy.malformed = ErrorAction::Replace(None);
    options.buffer_size = block;
    let (mut output, mut reported) = (Vec::new(), Reported(Vec::new()));
    let mut transcoder = options.build().unwrap();
    let mut rest = input;
    while !rest.is_empty() {
        let space = transcoder.input_buffer();
        let count = space.len().min(rest.len());
        space[..count].copy_from_slice(&rest[..count]);
        transcoder.process(count, &mut output, &mut reported).unwrap();
        rest = &rest[count..];
    }
    transcoder.finish_input(&mut output, &mut reported).unwrap();
    transcoder.finish(&mut output, &mut reported).unwrap();
    (String::from_utf8(output).unwrap(), reported.0)
}

pub fn text(from: &str, input: &[u8], block: usize) -> String {
    decoded(from, input, block).0
}
