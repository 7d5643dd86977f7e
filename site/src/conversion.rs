//! A conversion of a file in chunks.

use charpipe::{Error, Transcoder};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::errors::{ErrorEntry, ErrorLog};
use crate::options::ConversionOptions;

/// The number of errors of which the position is determined.
const MAX_ENTRIES: usize = 200;

/// A conversion. After [`stopped`](Conversion::stopped) has returned a message, it cannot be used again.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Conversion {
    transcoder: Transcoder,
    log: ErrorLog,
    stopped: Option<String>,
}

#[wasm_bindgen]
impl Conversion {
    /// Returns a conversion of a new file.
    ///
    /// # Errors
    ///
    /// Returns the message if the options are invalid.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &ConversionOptions) -> Result<Conversion, JsError> {
        Conversion::with_max_entries(options, MAX_ENTRIES).map_err(|message| JsError::new(&message))
    }

    /// Converts the next bytes, and returns the output that they allow: everything before an error that stops the
    /// conversion.
    pub fn process(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut output = Vec::with_capacity(bytes.len() + bytes.len() / 2 + 64);
        let result = self.transcoder.process_reader(&mut &*bytes, &mut output, &mut self.log);
        self.note(result);
        output
    }

    /// Ends the file, and returns the rest of the output.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut output = Vec::new();
        let result = self
            .transcoder
            .finish_input(&mut output, &mut self.log)
            .and_then(|()| self.transcoder.finish(&mut output, &mut self.log));
        self.note(result);
        output
    }

    /// Returns the message of the error that stopped the conversion, with its position.
    #[wasm_bindgen(getter)]
    pub fn stopped(&self) -> Option<String> {
        self.stopped.clone()
    }

    /// Returns the first errors.
    #[wasm_bindgen(getter)]
    pub fn errors(&self) -> Vec<ErrorEntry> {
        self.log.entries.clone()
    }

    /// Returns the number of malformed sequences and of characters that were lost.
    #[wasm_bindgen(getter)]
    pub fn error_count(&self) -> f64 {
        self.log.error_count as f64
    }

    /// Returns the number of characters that were written as a transliteration or an escape.
    #[wasm_bindgen(getter)]
    pub fn rewritten_count(&self) -> f64 {
        self.log.rewritten_count as f64
    }
}

impl Conversion {
    pub(crate) fn with_max_entries(
        options: &ConversionOptions,
        max_entries: usize,
    ) -> Result<Conversion, String> {
        let options = options.transcode_options()?;
        let names = (options.from.encoding().name(), options.to.encoding().name());
        let transcoder = options.build().map_err(|error| error.to_string())?;
        Ok(Conversion { transcoder, log: ErrorLog::new(max_entries, names), stopped: None })
    }

    fn note(&mut self, result: Result<(), Error>) {
        if let Err(error) = result {
            self.stopped = Some(error.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(from: &str, to: &str) -> ConversionOptions {
        ConversionOptions { from: from.into(), to: to.into(), ..ConversionOptions::default() }
    }

    fn convert(options: &ConversionOptions, chunks: &[&[u8]]) -> (Vec<u8>, Conversion) {
        let mut conversion = Conversion::with_max_entries(options, 2).unwrap();
        let mut output = Vec::new();
        for chunk in chunks {
            output.extend(conversion.process(chunk));
        }
        if conversion.stopped.is_none() {
            output.extend(conversion.finish());
        }
        (output, conversion)
    }

    #[test]
    fn a_character_may_be_in_two_chunks() {
        let (output, conversion) =
            convert(&options("shift_jis", "utf-8"), &[b"\x93", b"\xFA\x96\x7B"]);
        assert_eq!((&*output, conversion.stopped), ("日本".as_bytes(), None));
    }

    #[test]
    fn output_before_an_error_that_stops_is_returned() {
        let (output, conversion) = convert(&options("utf-8", "utf-8"), &[b"one\ntwo \xE9 three"]);
        assert_eq!(output, b"one\ntwo ");
        let expected =
            "2:5: byte 8: invalid UTF-8 sequence E9 (followed by 20; continuation byte expected)";
        assert_eq!(conversion.stopped.as_deref(), Some(expected));
    }

    #[test]
    fn errors_after_the_first_ones_are_only_counted() {
        let replace =
            ConversionOptions { on_invalid: "replace".into(), ..options("utf-8", "utf-8") };
        let (output, conversion) = convert(&replace, &[b"a\xFFb\n\xE9c\xFE\xFD", b"\xFF"]);
        assert_eq!(output, "a\u{FFFD}b\n\u{FFFD}c\u{FFFD}\u{FFFD}\u{FFFD}".as_bytes());
        assert_eq!((conversion.log.error_count, conversion.log.entries.len()), (5, 2));
        let second = &conversion.log.entries[1];
        assert_eq!(
            (second.offset, second.line, second.column, &*second.what),
            (4.0, 2.0, 1.0, "E9")
        );
        assert!(second.is_malformed);
    }

    #[test]
    fn escaped_characters_are_not_errors() {
        let escape =
            ConversionOptions { on_unmappable: "xml".into(), ..options("utf-8", "us-ascii") };
        let (output, conversion) = convert(&escape, &["10 €".as_bytes()]);
        assert_eq!(output, b"10 &#8364;");
        assert_eq!((conversion.log.error_count, conversion.log.rewritten_count), (0, 1));
    }
}
