//! What is examined: every charset, as it is and with each value of each of its options.

use std::fmt;

use charpipe::charset::{ALL, Charset, Settings, Values};

/// A charset with settings.
#[derive(Clone)]
pub struct Subject {
    pub charset: &'static Charset,
    pub settings: Settings,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.charset.name, self.settings)
    }
}

/// Every charset of the registry, each followed by its variants. `CHARSET=name` in the
/// environment leaves only the one of that name.
pub fn subjects() -> Vec<Subject> {
    let only = std::env::var("CHARSET").ok();
    let wanted = |charset: &&&Charset| match &only {
        Some(name) => charset.names().any(|known| known.eq_ignore_ascii_case(name)),
        None => true,
    };
    ALL.iter().filter(wanted).flat_map(|charset| variants(charset)).collect()
}

/// A charset without options, with each value of each option alone, and with the last value of
/// all its options at once.
pub fn variants(charset: &'static Charset) -> Vec<Subject> {
    let mut texts = vec![String::new()];
    let mut together = Vec::new();
    for key in charset.options {
        let given: Vec<_> =
            values(key.values).iter().map(|value| format!("{}={value}", key.name)).collect();
        together.extend(given.last().cloned());
        texts.extend(given);
    }
    if together.len() > 1 {
        texts.push(together.join(","));
    }
    let subject = |text: &String| Subject {
        charset,
        settings: Settings::parse(text, charset.options)
            .unwrap_or_else(|bad| panic!("{}:{text} is refused: {bad}", charset.name)),
    };
    texts.iter().map(subject).collect()
}

/// The values that are tried: all words, both sides of a flag, and of numbers the least, one near
/// it and one halfway.
fn values(values: Values) -> Vec<String> {
    match values {
        Values::Words(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        Values::Flag => vec!["no".to_owned(), "yes".to_owned()],
        Values::Charset => vec!["utf-8".to_owned(), "iso-8859-1".to_owned()],
        Values::Number(low, high) => {
            let near = low.saturating_add(7).min(high);
            [low, near, low + (high - low) / 2].iter().map(u32::to_string).collect()
        }
    }
}
