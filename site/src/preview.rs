//! Previews: what a sample of a file is as text, and after a conversion.

use charpipe::{ErrorAction, TranscodeOptions};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::conversion::Conversion;
use crate::errors::{ErrorEntry, ErrorLog};
use crate::options::ConversionOptions;

/// The number of errors of which the position is determined.
const MAX_ENTRIES: usize = 500;

/// Characters that are not for interchange (The Unicode Standard, section 23.7). One that the text does not contain marks
/// malformed sequences.
const NONCHARACTERS: std::ops::RangeInclusive<char> = '\u{FDD0}'..='\u{FDEF}';

/// A sample as text.
#[wasm_bindgen(getter_with_clone)]
#[derive(Debug, Clone)]
pub struct DecodedSample {
    /// The text. Each malformed sequence is one marker.
    pub text: String,
    /// The character that marks a malformed sequence and occurs nowhere else; empty if the text contains all.
    pub marker: String,
    /// The first errors; that with index n belongs to marker n.
    pub errors: Vec<ErrorEntry>,
    /// The number of all errors.
    pub error_count: f64,
}

/// A converted sample.
#[wasm_bindgen(getter_with_clone)]
#[derive(Debug, Clone)]
pub struct ConvertedSample {
    /// The output.
    pub output: Vec<u8>,
    /// The text that the output is.
    pub text: String,
    /// The first errors of the conversion.
    pub errors: Vec<ErrorEntry>,
    /// The number of malformed sequences and of characters that were lost.
    pub error_count: f64,
    /// The number of characters that were written as a transliteration or an escape.
    pub rewritten_count: f64,
    /// The message of the error that stopped the conversion.
    pub stopped: Option<String>,
}

/// Decodes a sample: the whole file or its beginning, which may end inside a character.
///
/// # Errors
///
/// Returns the message if the encoding or a transform after it is unknown.
#[wasm_bindgen]
pub fn decode_sample(bytes: &[u8], from: &str, is_whole: bool) -> Result<DecodedSample, JsError> {
    decode(bytes, from, is_whole).map_err(|message| JsError::new(&message))
}

/// Converts a sample, and decodes the output again.
///
/// # Errors
///
/// Returns the message if an option is invalid.
#[wasm_bindgen]
pub fn convert_sample(
    bytes: &[u8],
    options: &ConversionOptions,
    is_whole: bool,
) -> Result<ConvertedSample, JsError> {
    convert(bytes, options, is_whole).map_err(|message| JsError::new(&message))
}

fn decode(bytes: &[u8], from: &str, is_whole: bool) -> Result<DecodedSample, String> {
    let options =
        TranscodeOptions::from_labels(from, "UTF-8").map_err(|error| error.to_string())?;
    let decode_with = |action: ErrorAction| {
        let options = options.clone().on_malformed(action.clone()).on_unmappable(action);
        let name = options.from.encoding().name();
        let mut log = ErrorLog::new(MAX_ENTRIES, (name, "UTF-8"));
        let mut text = Vec::new();
        let mut transcoder = options.build().map_err(|error| error.to_string())?;
        transcoder
            .process_reader(&mut &*bytes, &mut text, &mut log)
            .and_then(|()| match is_whole {
                true => transcoder.finish_input(&mut text, &mut log),
                false => Ok(()),
            })
            .and_then(|()| transcoder.finish(&mut text, &mut log))
            .map_err(|error| error.to_string())?;
        let text = String::from_utf8(text).map_err(|error| error.to_string())?;
        Ok::<_, String>((text, log))
    };
    let (plain, log) = decode_with(ErrorAction::Replace(Some(String::new())))?;
    let marker = NONCHARACTERS.into_iter().find(|marker| !plain.contains(*marker));
    let (text, log) = match marker {
        Some(marker) if log.error_count > 0 => {
            decode_with(ErrorAction::Replace(Some(marker.to_string())))?
        }
        _ => (plain, log),
    };
    Ok(DecodedSample {
        text,
        marker: marker.map(String::from).unwrap_or_default(),
        errors: log.entries,
        error_count: log.error_count as f64,
    })
}

fn convert(
    bytes: &[u8],
    options: &ConversionOptions,
    is_whole: bool,
) -> Result<ConvertedSample, String> {
    let mut conversion = Conversion::with_max_entries(options, MAX_ENTRIES)?;
    let mut output = conversion.process(bytes);
    if is_whole && conversion.stopped().is_none() {
        output.extend(conversion.finish());
    }
    let to = if options.to.is_empty() { "UTF-8" } else { &options.to };
    // Output that stopped, or that of a beginning, may end inside a character.
    let is_complete = is_whole && conversion.stopped().is_none();
    let text = decode(&output, to, is_complete)?.text;
    Ok(ConvertedSample {
        text,
        errors: conversion.errors(),
        error_count: conversion.error_count(),
        rewritten_count: conversion.rewritten_count(),
        stopped: conversion.stopped(),
        output,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_malformed_sequence_is_a_marker_with_its_error() {
        let sample = decode(b"a\xE9b\nc\xFF\xFFd", "utf-8", true).unwrap();
        assert_eq!(sample.text, "a\u{FDD0}b\nc\u{FDD0}\u{FDD0}d");
        assert_eq!(sample.marker, "\u{FDD0}");
        let positions: Vec<_> =
            sample.errors.iter().map(|it| (it.offset, it.line, &*it.what)).collect();
        assert_eq!(positions, [(1.0, 1.0, "E9"), (5.0, 2.0, "FF"), (6.0, 2.0, "FF")]);
    }

    #[test]
    fn the_marker_does_not_occur_in_the_text() {
        let sample = decode(b"\xEF\xB7\x90\xFF\xEF\xB7\x91", "utf-8", true).unwrap();
        assert_eq!((&*sample.text, &*sample.marker), ("\u{FDD0}\u{FDD2}\u{FDD1}", "\u{FDD2}"));
    }

    #[test]
    fn the_incomplete_character_at_the_end_of_a_beginning_is_not_an_error() {
        let sample = |is_whole| decode(b"caf\xC3", "utf-8", is_whole).unwrap();
        assert_eq!((&*sample(false).text, sample(false).error_count), ("caf", 0.0));
        assert_eq!((&*sample(true).text, sample(true).error_count), ("caf\u{FDD0}", 1.0));
    }

    #[test]
    fn transforms_of_the_source_are_decoded() {
        assert_eq!(decode(b"caf=E9", "latin1/qp", true).unwrap().text, "café");
        assert!(decode(b"", "latin1/nothing", true).is_err());
    }

    #[test]
    fn the_output_is_decoded_again() {
        let options = ConversionOptions {
            from: "utf-8".into(),
            to: "latin1/crlf/base64".into(),
            ..ConversionOptions::default()
        };
        let sample = convert("é\n".as_bytes(), &options, true).unwrap();
        assert_eq!((&*sample.output, &*sample.text), (&b"6Q0K\n"[..], "é\n"));
    }

    #[test]
    fn a_conversion_that_stops_has_the_text_before_the_error() {
        let options = ConversionOptions { to: "latin1".into(), ..ConversionOptions::default() };
        let sample = convert("10 € é".as_bytes(), &options, true).unwrap();
        assert_eq!(sample.text, "10 ");
        assert_eq!(
            sample.stopped.as_deref(),
            Some("1:4: byte 3: U+20AC cannot be encoded in ISO-8859-1")
        );
    }
}
