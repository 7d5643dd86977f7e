//! The options of an encoding, as in `utf-7:close=always,accept=ascii`.
//!
//! An encoding declares its options as [`OptionSpec`]s. The text is parsed and checked against them
//! once, when a label is resolved.

use std::fmt;

use super::{Encoding, alias, for_label, is_mime_charset};

/// An option of an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionSpec {
    /// The name, in lower case with hyphens.
    pub name: &'static str,
    /// The values that the option accepts.
    pub values: OptionValues,
    /// One line for the manual.
    pub description: &'static str,
}

/// The values that an option accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionValues {
    /// One of these words; the first is the default.
    Choice(&'static [&'static str]),
    /// No value, or one of `1 yes on true allow` and `0 no off false`.
    Flag,
    /// A number within these bounds.
    Integer(u32, u32),
    /// The name of an encoding that mail may use. The key may be omitted.
    Encoding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OptionValue {
    Choice(&'static str),
    Flag(bool),
    Integer(u32),
    Encoding(&'static Encoding),
}

/// Parsed options.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EncodingOptions {
    values: Vec<(&'static str, OptionValue)>,
}

/// Why an option is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionError {
    /// The encoding does not have this option; the options that it has.
    Unknown(String, &'static [OptionSpec]),
    /// The option does not accept this value.
    InvalidValue(String, &'static OptionSpec),
    /// The option requires a value.
    MissingValue(&'static OptionSpec),
    /// The option is given twice.
    Duplicate(&'static str),
}

impl EncodingOptions {
    /// Parses `key=value,…` for an encoding with these options. Keys and words match in any case,
    /// and with or without their hyphens.
    ///
    /// # Errors
    ///
    /// [`OptionError`] for the first invalid option.
    pub fn parse(text: &str, keys: &'static [OptionSpec]) -> Result<EncodingOptions, OptionError> {
        let mut options = EncodingOptions::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (key, Some(value)),
                None => (part, None),
            };
            let known = keys.iter().find(|known| alias::labels_match(known.name, key));
            let (known, value) = match known {
                Some(known) => (known, value),
                None => (key_for_bare_value(part, key, keys)?, Some(part)),
            };
            if options.value(known.name).is_some() {
                return Err(OptionError::Duplicate(known.name));
            }
            let value =
                known.values.parse(value).ok_or_else(|| OptionError::for_value(value, known))?;
            options.values.push((known.name, value));
        }
        Ok(options)
    }

    /// Returns whether a flag is set.
    pub fn flag(&self, key: &str) -> bool {
        matches!(self.value(key), Some(OptionValue::Flag(true)))
    }

    /// Returns whether an option with a choice of words is set to `word`.
    pub fn is_choice(&self, key: &str, word: &str) -> bool {
        matches!(self.value(key), Some(OptionValue::Choice(given)) if given == word)
    }

    /// Returns the number that an option is set to.
    pub fn integer(&self, key: &str) -> Option<u32> {
        match self.value(key) {
            Some(OptionValue::Integer(number)) => Some(number),
            _ => None,
        }
    }

    /// Returns the encoding that an option is set to.
    pub fn encoding(&self, key: &str) -> Option<&'static Encoding> {
        match self.value(key) {
            Some(OptionValue::Encoding(encoding)) => Some(encoding),
            _ => None,
        }
    }

    /// Sets a flag, replacing a given value.
    pub fn enable(&mut self, key: &'static str) {
        self.values.retain(|(name, _)| *name != key);
        self.values.push((key, OptionValue::Flag(true)));
    }

    /// Returns whether no option is set.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    fn value(&self, key: &str) -> Option<OptionValue> {
        self.values.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }
}

/// Returns the option of a value without a key: the name of an encoding.
fn key_for_bare_value<'a>(
    part: &str,
    key: &str,
    keys: &'static [OptionSpec],
) -> Result<&'a OptionSpec, OptionError> {
    let takes = keys
        .iter()
        .find(|key| key.values == OptionValues::Encoding && mime_encoding(part).is_some());
    takes.ok_or_else(|| OptionError::Unknown(key.to_owned(), keys))
}

fn mime_encoding(name: &str) -> Option<&'static Encoding> {
    for_label(name).filter(|encoding| is_mime_charset(encoding))
}

impl OptionValues {
    fn parse(self, text: Option<&str>) -> Option<OptionValue> {
        match (self, text) {
            (OptionValues::Choice(words), Some(text)) => words
                .iter()
                .find(|word| alias::labels_match(word, text))
                .map(|word| OptionValue::Choice(word)),
            (OptionValues::Flag, None) => Some(OptionValue::Flag(true)),
            (OptionValues::Flag, Some(text)) => match text.to_ascii_lowercase().as_str() {
                "1" | "yes" | "on" | "true" | "allow" => Some(OptionValue::Flag(true)),
                "0" | "no" | "off" | "false" => Some(OptionValue::Flag(false)),
                _ => None,
            },
            (OptionValues::Integer(low, high), Some(text)) => text
                .parse()
                .ok()
                .filter(|number| (low..=high).contains(number))
                .map(OptionValue::Integer),
            (OptionValues::Encoding, Some(text)) => mime_encoding(text).map(OptionValue::Encoding),
            (
                OptionValues::Choice(_) | OptionValues::Integer(..) | OptionValues::Encoding,
                None,
            ) => None,
        }
    }
}

impl fmt::Display for EncodingOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, value)) in self.values.iter().enumerate() {
            let separator = if index == 0 { ":" } else { "," };
            write!(f, "{separator}{key}")?;
            match value {
                OptionValue::Choice(word) => write!(f, "={word}")?,
                OptionValue::Flag(true) => {}
                OptionValue::Flag(false) => write!(f, "=no")?,
                OptionValue::Integer(number) => write!(f, "={number}")?,
                OptionValue::Encoding(encoding) => write!(f, "={}", encoding.name())?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for OptionValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValues::Choice(words) => f.write_str(&words.join("|")),
            OptionValues::Flag => f.write_str("yes|no"),
            OptionValues::Integer(low, high) => write!(f, "{low}..{high}"),
            OptionValues::Encoding => f.write_str("ENCODING"),
        }
    }
}

impl OptionError {
    fn for_value(value: Option<&str>, key: &'static OptionSpec) -> OptionError {
        match value {
            Some(value) => OptionError::InvalidValue(value.to_owned(), key),
            None => OptionError::MissingValue(key),
        }
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown(key, []) => write!(f, "no option {key:?} (it has no options)"),
            OptionError::Unknown(key, keys) => {
                let known: Vec<_> = keys.iter().map(|key| key.name).collect();
                write!(f, "no option {key:?} (available: {})", known.join(", "))
            }
            OptionError::InvalidValue(value, key) => {
                write!(f, "option {}: invalid value {value:?} (expected {})", key.name, key.values)
            }
            OptionError::MissingValue(key) => {
                write!(f, "option {} needs a value (expected {})", key.name, key.values)
            }
            OptionError::Duplicate(key) => write!(f, "option {key} is given twice"),
        }
    }
}

impl std::error::Error for OptionError {}
