//! What is examined: every encoding, as it is and with each value of each of its options.

use std::fmt;

use charpipe::encoding::{ALL, Encoding, EncodingOptions, OptionValues};

/// An encoding with options.
#[derive(Clone)]
pub struct EncodingCase {
    pub encoding: &'static Encoding,
    pub options: EncodingOptions,
}

impl fmt::Display for EncodingCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.encoding.name, self.options)
    }
}

/// Every encoding of the registry, each followed by its variants. `ENCODING=name` in the
/// environment leaves only the one of that name.
pub fn encoding_cases() -> Vec<EncodingCase> {
    let only = std::env::var("ENCODING").ok();
    let wanted = |encoding: &&&Encoding| match &only {
        Some(name) => encoding.names().any(|known| known.eq_ignore_ascii_case(name)),
        None => true,
    };
    ALL.iter().filter(wanted).flat_map(|encoding| variants(encoding)).collect()
}

/// An encoding without options, with each value of each option alone, and with the last value of
/// all its options at once.
pub fn variants(encoding: &'static Encoding) -> Vec<EncodingCase> {
    let mut texts = vec![String::new()];
    let mut together = Vec::new();
    for key in encoding.options {
        let given: Vec<_> =
            values(key.values).iter().map(|value| format!("{}={value}", key.name)).collect();
        together.extend(given.last().cloned());
        texts.extend(given);
    }
    if together.len() > 1 {
        texts.push(together.join(","));
    }
    let subject = |text: &String| EncodingCase {
        encoding,
        options: EncodingOptions::parse(text, encoding.options)
            .unwrap_or_else(|invalid| panic!("{}:{text} is refused: {invalid}", encoding.name)),
    };
    texts.iter().map(subject).collect()
}

/// The values that are tried: all words, both sides of a flag, and of numbers the least, one near
/// it and one halfway.
fn values(values: OptionValues) -> Vec<String> {
    match values {
        OptionValues::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        OptionValues::Flag => vec!["no".to_owned(), "yes".to_owned()],
        OptionValues::Encoding => vec!["utf-8".to_owned(), "iso-8859-1".to_owned()],
        OptionValues::Integer(low, high) => {
            let near = low.saturating_add(7).min(high);
            [low, near, low + (high - low) / 2].iter().map(u32::to_string).collect()
        }
    }
}
