//! The options of encodings and transforms that the tests of codecs use.
#![allow(dead_code, reason = "each user needs a part of it")]

use charpipe::internals::encoding::{Encoding, EncodingOptions, OptionSpec, OptionValues};

/// Returns no options, each value of each option alone, and the last value of all options at once.
pub fn option_variants(encoding: &'static Encoding) -> Vec<EncodingOptions> {
    variants_of(encoding.name(), encoding.options)
}

/// Returns the same for an encoding or a transform with these options.
pub fn variants_of(name: &str, options: &'static [OptionSpec]) -> Vec<EncodingOptions> {
    let mut texts = vec![String::new()];
    let mut together = Vec::new();
    for option in options {
        let values = sample_values(option.values);
        let given: Vec<_> = values.iter().map(|value| format!("{}={value}", option.name)).collect();
        together.extend(given.last().cloned());
        texts.extend(given);
    }
    if together.len() > 1 {
        texts.push(together.join(","));
    }
    let parse = |text: &String| {
        EncodingOptions::parse(text, options)
            .unwrap_or_else(|error| panic!("{name}:{text} is rejected: {error}"))
    };
    texts.iter().map(parse).collect()
}

/// Returns the values of an option to test: all choices, both values of a flag, and of integers the
/// least, one near it and one halfway.
fn sample_values(values: OptionValues) -> Vec<String> {
    match values {
        OptionValues::Choice(choices) => {
            choices.iter().map(|choice| (*choice).to_owned()).collect()
        }
        OptionValues::Flag => vec!["no".to_owned(), "yes".to_owned()],
        OptionValues::Encoding => vec!["utf-8".to_owned(), "iso-8859-1".to_owned()],
        OptionValues::Integer(low, high) => {
            let near = low.saturating_add(7).min(high);
            [low, near, low + (high - low) / 2].iter().map(u32::to_string).collect()
        }
    }
}
