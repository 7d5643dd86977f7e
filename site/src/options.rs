//! The options of a conversion, as the form of the page has them.

use charpipe::internals::transcode::ChainStep;
use charpipe::{BomPolicy, EncodingSpec, Error, ErrorAction, TranscodeOptions};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

/// The options of a conversion. Each is written as for the command; an empty text is the default.
#[wasm_bindgen(getter_with_clone)]
#[derive(Debug, Clone, Default)]
pub struct ConversionOptions {
    /// The encoding of the input, as for `--from`.
    pub from: String,
    /// The encoding of the output, as for `--to`.
    pub to: String,
    /// The steps between them, separated by white space, each as for `--via`.
    pub via: String,
    /// The line endings of the output, as for `--newline`.
    pub newline: String,
    /// What to do with a byte order mark, as for `--bom`.
    pub bom: String,
    /// What to do with malformed sequences, as for `--on-invalid`.
    pub on_invalid: String,
    /// What to do with unmappable characters, as for `--on-unmappable`.
    pub on_unmappable: String,
}

#[wasm_bindgen]
impl ConversionOptions {
    /// Returns the default options: UTF-8 to UTF-8, stopping at the first error.
    #[wasm_bindgen(constructor)]
    pub fn new() -> ConversionOptions {
        ConversionOptions::default()
    }

    /// Checks the options.
    ///
    /// # Errors
    ///
    /// Returns what is wrong, and in which field, as in `from: unknown encoding`.
    pub fn check(&self) -> Result<(), JsError> {
        self.transcode_options()
            .and_then(|options| {
                options.build().map(drop).map_err(|error| in_field("on_unmappable", &error))
            })
            .map_err(|message| JsError::new(&message))
    }
}

impl ConversionOptions {
    /// Returns the options of the library, or the message for invalid ones.
    pub(crate) fn transcode_options(&self) -> Result<TranscodeOptions, String> {
        let from: EncodingSpec =
            or_utf8(&self.from).parse().map_err(|error| in_field("from", &error))?;
        let to: EncodingSpec = or_utf8(&self.to).parse().map_err(|error| in_field("to", &error))?;
        let mut options = TranscodeOptions::new(from, to);
        let in_via = |error: Error| in_field("via", &error);
        for step in self.via.split_whitespace() {
            options = options.via(step.parse::<ChainStep>().map_err(in_via)?);
        }
        if !self.newline.is_empty() {
            options = options.via(self.newline.parse::<ChainStep>().map_err(in_via)?);
        }
        if !self.bom.is_empty() {
            let policy =
                self.bom.parse::<BomPolicy>().map_err(|reason| format!("bom: {reason}"))?;
            options = options.bom(policy);
        }
        if let Some(action) = error_action("on_invalid", &self.on_invalid)? {
            options = options.on_malformed(action);
        }
        if let Some(action) = error_action("on_unmappable", &self.on_unmappable)? {
            options = options.on_unmappable(action);
        }
        Ok(options)
    }
}

fn in_field(field: &str, error: &Error) -> String {
    format!("{field}: {error}")
}

fn or_utf8(label: &str) -> &str {
    if label.is_empty() { "UTF-8" } else { label }
}

fn error_action(field: &str, name: &str) -> Result<Option<ErrorAction>, String> {
    if name.is_empty() {
        return Ok(None);
    }
    name.parse().map(Some).map_err(|error| format!("{field}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_begin_with_the_field() {
        let message = |options: ConversionOptions| options.transcode_options().unwrap_err();
        let default = ConversionOptions::default;
        for (options, field) in [
            (ConversionOptions { from: "nothing".into(), ..default() }, "from: "),
            (ConversionOptions { to: "nothing".into(), ..default() }, "to: "),
            (ConversionOptions { via: "nfc nothing".into(), ..default() }, "via: "),
            (ConversionOptions { bom: "nothing".into(), ..default() }, "bom: "),
            (ConversionOptions { on_invalid: "nothing".into(), ..default() }, "on_invalid: "),
            (ConversionOptions { on_unmappable: "nothing".into(), ..default() }, "on_unmappable: "),
        ] {
            let message = message(options);
            assert!(message.starts_with(field), "{message}");
        }
    }

    #[test]
    fn line_endings_follow_the_steps() {
        let options = ConversionOptions {
            via: "html:decode nfc".into(),
            newline: "crlf".into(),
            ..ConversionOptions::default()
        };
        let output = options.transcode_options().unwrap().transcode(b"e&#x301;&#10;").unwrap();
        assert_eq!(output, "é\r\n".as_bytes());
    }
}
