//! Options of encodings: each is printed as it can be read, and no other is taken.

use charpipe::internals::encoding::{ALL, EncodingOptions};

use crate::cases;

#[test]
fn printed_options_parse_to_the_same_value() {
    for subject in cases::encoding_cases() {
        let printed = subject.options.to_string();
        let text = printed.strip_prefix(':').unwrap_or(&printed);
        let read = EncodingOptions::parse(text, subject.encoding.options);
        assert_eq!(read.as_ref(), Ok(&subject.options), "{subject}");
        let shouted = EncodingOptions::parse(&text.to_uppercase(), subject.encoding.options);
        assert_eq!(shouted.as_ref(), Ok(&subject.options), "{subject} in capitals");
    }
}

#[test]
fn unknown_and_repeated_encoding_options_are_rejected() {
    for encoding in ALL {
        assert!(
            EncodingOptions::parse("no-such-option=1", encoding.options).is_err(),
            "{}",
            encoding.name()
        );
    }
    for subject in cases::encoding_cases().iter().filter(|subject| !subject.options.is_empty()) {
        let text = subject.options.to_string();
        let twice = format!("{},{}", &text[1..], &text[1..]);
        assert!(EncodingOptions::parse(&twice, subject.encoding.options).is_err(), "{subject}");
    }
}
