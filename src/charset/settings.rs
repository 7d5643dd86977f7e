//! The options of a charset, as in `utf-7:close=always,direct=ascii`.
//!
//! A charset declares its [`Key`]s; text is checked against them once, when a name is resolved, so
//! a codec only ever asks for what it has declared.

use std::fmt;

use super::{Charset, find, is_in_mail, name};

/// An option that a charset knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The name, in lower case with hyphens.
    pub name: &'static str,
    /// What may stand behind the `=`.
    pub values: Values,
    /// One line for the manual.
    pub about: &'static str,
}

/// What an option may be set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// One of these words; the first is what holds where the option is not given.
    Words(&'static [&'static str]),
    /// Nothing, or any of `1 yes on true allow` and `0 no off false`.
    Flag,
    /// A number within these bounds.
    Number(u32, u32),
    /// The name of a charset that mail may be in. It may stand without the key as well.
    Charset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    Word(&'static str),
    Flag(bool),
    Number(u32),
    Charset(&'static Charset),
}

/// The options that were given, checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    given: Vec<(&'static str, Value)>,
}

/// Why an option was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadSetting {
    /// The charset has no such option; the ones that it has.
    Key(String, &'static [Key]),
    /// The option cannot be set to that.
    Value(String, &'static Key),
    /// The option has to be set to something.
    Missing(&'static Key),
    /// The option is given twice.
    Twice(&'static str),
}

impl Settings {
    /// Reads `key=value,…` against the keys of a charset. Keys and words match in any case, and
    /// with or without their hyphens.
    ///
    /// # Errors
    ///
    /// [`BadSetting`] at the first option that the charset does not take so.
    pub fn parse(text: &str, keys: &'static [Key]) -> Result<Settings, BadSetting> {
        let mut settings = Settings::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (key, Some(value)),
                None => (part, None),
            };
            let known = keys.iter().find(|known| name::same(known.name, key));
            let (known, value) = match known {
                Some(known) => (known, value),
                None => (bare(part, key, keys)?, Some(part)),
            };
            if settings.value(known.name).is_some() {
                return Err(BadSetting::Twice(known.name));
            }
            let value =
                known.values.read(value).ok_or_else(|| BadSetting::refusal(value, known))?;
            settings.given.push((known.name, value));
        }
        Ok(settings)
    }

    /// Whether a flag is set.
    pub fn flag(&self, key: &str) -> bool {
        matches!(self.value(key), Some(Value::Flag(true)))
    }

    /// Whether an option of words is set to `word`.
    pub fn is(&self, key: &str, word: &str) -> bool {
        matches!(self.value(key), Some(Value::Word(given)) if given == word)
    }

    /// The number that an option is set to.
    pub fn number(&self, key: &str) -> Option<u32> {
        match self.value(key) {
            Some(Value::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// The charset that an option is set to.
    pub fn charset(&self, key: &str) -> Option<&'static Charset> {
        match self.value(key) {
            Some(Value::Charset(charset)) => Some(charset),
            _ => None,
        }
    }

    /// Sets a flag, whatever was given.
    pub(crate) fn set(&mut self, key: &'static str) {
        self.given.retain(|(name, _)| *name != key);
        self.given.push((key, Value::Flag(true)));
    }

    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    fn value(&self, key: &str) -> Option<Value> {
        self.given.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }
}

/// The key of a value that stands alone: the name of a charset.
fn bare<'a>(part: &str, key: &str, keys: &'static [Key]) -> Result<&'a Key, BadSetting> {
    let takes =
        keys.iter().find(|key| key.values == Values::Charset && mail_charset(part).is_some());
    takes.ok_or_else(|| BadSetting::Key(key.to_owned(), keys))
}

fn mail_charset(name: &str) -> Option<&'static Charset> {
    find(name).filter(|charset| is_in_mail(charset))
}

impl Values {
    fn read(self, text: Option<&str>) -> Option<Value> {
        match (self, text) {
            (Values::Words(words), Some(text)) => {
                words.iter().find(|word| name::same(word, text)).map(|word| Value::Word(word))
            }
            (Values::Flag, None) => Some(Value::Flag(true)),
            (Values::Flag, Some(text)) => match text.to_ascii_lowercase().as_str() {
                "1" | "yes" | "on" | "true" | "allow" => Some(Value::Flag(true)),
                "0" | "no" | "off" | "false" => Some(Value::Flag(false)),
                _ => None,
            },
            (Values::Number(low, high), Some(text)) => {
                text.parse().ok().filter(|number| (low..=high).contains(number)).map(Value::Number)
            }
            (Values::Charset, Some(text)) => mail_charset(text).map(Value::Charset),
            (Values::Words(_) | Values::Number(..) | Values::Charset, None) => None,
        }
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, value)) in self.given.iter().enumerate() {
            let separator = if index == 0 { ":" } else { "," };
            write!(f, "{separator}{key}")?;
            match value {
                Value::Word(word) => write!(f, "={word}")?,
                Value::Flag(true) => {}
                Value::Flag(false) => write!(f, "=no")?,
                Value::Number(number) => write!(f, "={number}")?,
                Value::Charset(charset) => write!(f, "={}", charset.name)?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Values::Words(words) => f.write_str(&words.join("|")),
            Values::Flag => f.write_str("yes|no"),
            Values::Number(low, high) => write!(f, "{low}..{high}"),
            Values::Charset => f.write_str("CHARSET"),
        }
    }
}

impl BadSetting {
    fn refusal(value: Option<&str>, key: &'static Key) -> BadSetting {
        match value {
            Some(value) => BadSetting::Value(value.to_owned(), key),
            None => BadSetting::Missing(key),
        }
    }
}

impl fmt::Display for BadSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadSetting::Key(key, []) => write!(f, "no option {key:?}: it has none"),
            BadSetting::Key(key, keys) => {
                let known: Vec<_> = keys.iter().map(|key| key.name).collect();
                write!(f, "no option {key:?}; it has {}", known.join(", "))
            }
            BadSetting::Value(value, key) => {
                write!(f, "{} cannot be {value:?}; it takes {}", key.name, key.values)
            }
            BadSetting::Missing(key) => {
                write!(f, "{} needs a value; it takes {}", key.name, key.values)
            }
            BadSetting::Twice(key) => write!(f, "{key} is given twice"),
        }
    }
}

impl std::error::Error for BadSetting {}
