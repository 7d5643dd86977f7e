//! The rules of header fields: in which of them words may stand.
//!
//! The decoder's reason: another program will parse what it writes, so it must not make syntax
//! where there was none. The encoder's: a word where no reader looks for one is never decoded.

use super::visits;

/// Where words may stand in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Anywhere: an unstructured field, one that is not known, or a bare value.
    Text,
    /// In phrases and comments: a field of addresses (RFC 2047, section 5, rules 2 and 3).
    Addresses,
    /// Nowhere: a field that machines read (RFC 2047, section 5).
    Verbatim,
}

/// Bytes of a field name that are looked at. No name below is longer; the colon comes after.
pub const LONGEST: usize = 32;

/// The fields whose bodies are lists of addresses, in lower case (RFC 5322, sections 3.6.2, 3.6.3
/// and 3.6.6; RFC 5321 for Return-Path; RFC 8098 and usage for the others).
const ADDRESSES: [&str; 22] = [
    "apparently-to",
    "bcc",
    "cc",
    "delivered-to",
    "disposition-notification-to",
    "envelope-to",
    "errors-to",
    "from",
    "mail-copies-to",
    "mail-followup-to",
    "mail-reply-to",
    "reply-to",
    "resent-bcc",
    "resent-cc",
    "resent-from",
    "resent-reply-to",
    "resent-sender",
    "resent-to",
    "return-path",
    "return-receipt-to",
    "sender",
    "to",
];

/// The fields that machines read, in lower case (RFC 5322, sections 3.6.1, 3.6.4, 3.6.6 and 3.6.7;
/// RFC 2045, section 4; RFC 6376, RFC 8601 and RFC 8617).
const VERBATIM: [&str; 16] = [
    "arc-authentication-results",
    "arc-message-signature",
    "arc-seal",
    "authentication-results",
    "date",
    "dkim-signature",
    "domainkey-signature",
    "in-reply-to",
    "message-id",
    "mime-version",
    "original-message-id",
    "received",
    "references",
    "resent-date",
    "resent-message-id",
    "x-google-dkim-signature",
];

/// The fields of RFC 2045 begin so, in lower case.
const CONTENT: &str = "content-";

/// What [`classify`] says of the front of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Front {
    /// It begins with the name of a field, of so many bytes with the colon.
    Named(Field, usize),
    /// It is a bare value, or begins with a name that no rule is for.
    Bare,
    /// More of it must be seen.
    Unfinished,
}

/// Looks at the start of a record. `end` says that nothing follows `record`.
///
/// A name is one or more printable ASCII characters but the colon, and a colon after them
/// (RFC 5322, section 2.2).
pub fn classify(record: &[u8], end: bool) -> Front {
    let near = &record[..record.len().min(LONGEST + 1)];
    let length = near.iter().take_while(|byte| matches!(byte, b'!'..=b'9' | b';'..=b'~')).count();
    visits::note(length + 1);
    match near.get(length) {
        Some(b':') if length > 0 => Front::Named(rules(&near[..length]), length + 1),
        None if near.len() <= LONGEST && !end => Front::Unfinished,
        _ => Front::Bare,
    }
}

/// The rules of the field with this name.
fn rules(name: &[u8]) -> Field {
    let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    if is_content(name) || VERBATIM.iter().any(|known| is(known)) {
        Field::Verbatim
    } else if ADDRESSES.iter().any(|known| is(known)) {
        Field::Addresses
    } else {
        Field::Text
    }
}

fn is_content(name: &[u8]) -> bool {
    let front = name.get(..CONTENT.len());
    front.is_some_and(|front| front.eq_ignore_ascii_case(CONTENT.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_rules_in_any_case() {
        for (record, field) in [
            ("Subject: x", Field::Text),
            ("X-Thing:", Field::Text),
            ("From:x", Field::Addresses),
            ("RESENT-to: x", Field::Addresses),
            ("received: from x", Field::Verbatim),
            ("Content-Anything: x", Field::Verbatim),
            ("ARC-Authentication-Results: i=1", Field::Verbatim),
        ] {
            let length = record.find(':').unwrap() + 1;
            for end in [false, true] {
                assert_eq!(classify(record.as_bytes(), end), Front::Named(field, length));
            }
        }
    }

    #[test]
    fn what_is_no_field_name_is_a_bare_value() {
        for record in ["no name", ": x", "From : x", "caf\u{E9}: x", "", "=?utf-8?q?a?="] {
            assert_eq!(classify(record.as_bytes(), true), Front::Bare, "{record}");
        }
        let long = format!("{}:", "n".repeat(LONGEST + 1));
        assert_eq!(classify(long.as_bytes(), false), Front::Bare);
    }

    #[test]
    fn a_front_that_may_still_become_a_name_waits() {
        let longest = "n".repeat(LONGEST);
        for record in ["", "Subj", &longest] {
            assert_eq!(classify(record.as_bytes(), false), Front::Unfinished, "{record}");
            assert_eq!(classify(record.as_bytes(), true), Front::Bare, "{record}");
        }
    }

    #[test]
    fn every_known_name_is_within_what_is_looked_at() {
        let known = ADDRESSES.iter().chain(&VERBATIM);
        assert!(known.clone().all(|name| name.len() <= LONGEST));
        assert!(ADDRESSES.is_sorted() && VERBATIM.is_sorted());
        assert!(known.clone().all(|name| *name == name.to_lowercase()));
    }
}
