//! Encodings that are determined from the input: the labels `auto` and `detect`.

use charpipe::internals::auto::AutoSniffer;
use charpipe::internals::detect::{Content, Detector};

use charpipe::{BomPolicy, EncodingSpec, TranscodeOptions};
use pyo3::prelude::*;

use crate::ConversionError;

/// Returns whether a label is not that of an encoding, but of a way to determine it.
#[pyfunction]
pub fn is_determined_from_input(label: &str) -> bool {
    label.eq_ignore_ascii_case("auto") || label.eq_ignore_ascii_case("detect")
}

/// Returns the options for an input that begins with `bytes`. A byte order mark of UTF-8 is removed, as that
/// of UTF-16 is.
pub fn options_for(
    mut options: TranscodeOptions,
    label: &str,
    bytes: &[u8],
    is_whole: bool,
) -> PyResult<TranscodeOptions> {
    let encoding = match label.eq_ignore_ascii_case("auto") {
        true => auto(bytes, is_whole),
        false => detected(bytes, is_whole),
    };
    options.from = encoding.map_err(ConversionError::new_err)?;
    if options.from.encoding == charpipe::UTF_8 {
        options = options.bom(BomPolicy::Strip);
    }
    Ok(options)
}

fn auto(bytes: &[u8], is_whole: bool) -> Result<EncodingSpec, &'static str> {
    let mut sniffer = AutoSniffer::default();
    sniffer.feed(bytes);
    let error = "cannot determine encoding: no BOM and not valid UTF-8 (use \"detect\")";
    sniffer.finish(!is_whole).encoding.map(EncodingSpec::from).ok_or(error)
}

fn detected(bytes: &[u8], is_whole: bool) -> Result<EncodingSpec, &'static str> {
    let mut detector = Detector::new();
    detector.feed(bytes);
    let found = if is_whole { detector.finish() } else { detector.finish_truncated() };
    match found.content {
        Content::Empty => Ok(charpipe::UTF_8.into()),
        Content::Binary => Err("binary file"),
        _ => {
            let best = found.candidates.first().map(|candidate| candidate.source_encoding().into());
            best.ok_or("encoding could not be detected")
        }
    }
}
