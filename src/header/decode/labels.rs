//! The charsets that a word may name, and a decoder for each that has been met.

use crate::charset::{self, Charset, Settings};
use crate::codec::Decoder;

/// The place in [`charset::ALL`] of the charset that a word calls so: what mail programs mean by the
/// name, or, strictly, what it says.
pub(super) fn named(label: &[u8], strict: bool) -> Option<u16> {
    let label = std::str::from_utf8(label).ok()?;
    let said = if strict { charset::find(label) } else { None };
    let said = said.filter(|charset| charset::is_in_mail(charset));
    said.or_else(|| charset::mail(label)).and_then(charset::place)
}

/// Decoders, each made when a word first asks for its charset. That is the one time at which the
/// decoder of headers allocates within a call; it keeps them for all words that follow.
pub(super) struct Decoders {
    made: Vec<Option<Box<dyn Decoder>>>,
}

impl Decoders {
    pub fn new() -> Decoders {
        Decoders { made: charset::ALL.iter().map(|_| None).collect() }
    }

    /// The decoder of the charset at this place in the list of all.
    pub fn get(&mut self, slot: u16) -> &mut dyn Decoder {
        let slot = usize::from(slot).min(self.made.len() - 1);
        let make = || charset::ALL[slot].decoder(&Settings::default());
        &mut **self.made[slot].get_or_insert_with(make)
    }
}

/// The charset at this place in the list of all.
pub(super) fn charset(slot: u16) -> &'static Charset {
    charset::ALL[usize::from(slot).min(charset::ALL.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(label: &str, strict: bool) -> Option<&'static str> {
        named(label.as_bytes(), strict).map(|slot| charset(slot).name)
    }

    #[test]
    fn every_charset_is_found_under_its_own_name() {
        for known in charset::ALL.iter().filter(|known| !known.name.contains(':')) {
            let found = name(known.name, true);
            assert!(found == Some(known.name) || !charset::is_in_mail(known), "{}", known.name);
            assert_eq!(name(known.name, false).is_some(), found.is_some(), "{}", known.name);
        }
    }

    #[test]
    fn mail_means_more_by_a_name_than_it_says() {
        for (label, said, meant) in [
            ("iso-8859-1", "ISO-8859-1", "whatwg:windows-1252"),
            ("ISO-8859-9", "ISO-8859-9", "whatwg:windows-1254"),
            ("gb2312", "EUC-CN", "whatwg:GBK"),
            ("ks_c_5601-1987", "whatwg:EUC-KR", "whatwg:EUC-KR"),
            ("utf8", "UTF-8", "UTF-8"),
            ("koi8_r", "KOI8-R", "KOI8-R"),
        ] {
            assert_eq!((name(label, true), name(label, false)), (Some(said), Some(meant)));
        }
        assert_eq!(name("x-sjis", false), Some("whatwg:Shift_JIS"));
        assert_eq!(name("cp1250", false), Some("whatwg:windows-1250"));
    }

    #[test]
    fn what_is_no_charset_has_no_decoder() {
        for label in ["", "-", "rfc2047", "no-such", "utf-5", "utf-7-imap", "\u{212A}oi8-r"] {
            assert_eq!((name(label, true), name(label, false)), (None, None), "{label}");
        }
        assert_eq!(named(&[b'8'; 100_000], false), None);
        assert_eq!(named(b"utf-8\xFF", false), None);
    }
}
