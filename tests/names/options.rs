//! Options of charsets: each is printed as it can be read, and no other is taken.

use charpipe::charset::{ALL, Settings};

#[path = "../contract/subject.rs"]
mod subject;

#[test]
fn every_setting_is_printed_as_it_can_be_read() {
    for subject in subject::subjects() {
        let printed = subject.settings.to_string();
        let text = printed.strip_prefix(':').unwrap_or(&printed);
        let read = Settings::parse(text, subject.charset.options);
        assert_eq!(read.as_ref(), Ok(&subject.settings), "{subject}");
        let shouted = Settings::parse(&text.to_uppercase(), subject.charset.options);
        assert_eq!(shouted.as_ref(), Ok(&subject.settings), "{subject} in capitals");
    }
}

#[test]
fn an_option_that_a_charset_does_not_have_or_that_comes_twice_is_refused() {
    for charset in ALL {
        assert!(Settings::parse("no-such-option=1", charset.options).is_err(), "{}", charset.name);
    }
    for subject in subject::subjects().iter().filter(|subject| !subject.settings.is_empty()) {
        let text = subject.settings.to_string();
        let twice = format!("{},{}", &text[1..], &text[1..]);
        assert!(Settings::parse(&twice, subject.charset.options).is_err(), "{subject}");
    }
}
