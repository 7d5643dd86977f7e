//! The charsets that a word may name, and a decoder for each that has been met.

use std::sync::LazyLock;

use super::lenient::Lenient;
use crate::codec::Decoder;
use crate::encoding::{self, Encoding};

/// The labels of nearly all words. To look a label up among all names takes half a microsecond, more
/// than the rest of a short word: 100 MB of such took 6.4 seconds of the processor without this list,
/// and take 1.3 with it.
const USUAL: [&str; 16] = [
    "utf-8",
    "iso-8859-1",
    "us-ascii",
    "windows-1252",
    "iso-8859-15",
    "iso-8859-2",
    "windows-1251",
    "koi8-r",
    "iso-2022-jp",
    "gb2312",
    "gbk",
    "gb18030",
    "big5",
    "euc-kr",
    "shift_jis",
    "windows-1250",
];

/// What the usual labels mean and, strictly, say.
static MEANINGS: LazyLock<[[Option<u16>; 2]; USUAL.len()]> =
    LazyLock::new(|| USUAL.map(|label| [false, true].map(|strict| look_up(label, strict))));

fn look_up(label: &str, strict: bool) -> Option<u16> {
    let said = if strict { encoding::for_label(label) } else { None };
    let said = said.filter(|charset| encoding::is_mime_charset(charset));
    said.or_else(|| encoding::for_mime_label(label)).and_then(encoding::index_of)
}

/// The charsets that labels name, with a few labels that were looked up among all names: a mail has
/// few of them, and a crowd of words that mean nothing has them again and again.
pub(super) struct Labels {
    /// Whether a label means what it says, rather than what mail programs mean by it.
    strict: bool,
    known: [Known; Labels::KEPT],
}

/// A label, and the position of its charset in [`charset::ALL`].
#[derive(Clone, Copy)]
struct Known {
    label: [u8; Known::LONGEST],
    len: usize,
    position: Option<u16>,
}

impl Known {
    /// Bytes of a label that is kept.
    const LONGEST: usize = 40;

    /// What the empty label means: nothing.
    const EMPTY: Known = Known { label: [0; Known::LONGEST], len: 0, position: None };
}

impl Labels {
    /// How many labels are kept: each has one position, where it takes that of another.
    const KEPT: usize = 16;

    pub fn new(strict: bool) -> Labels {
        Labels { strict, known: [Known::EMPTY; Labels::KEPT] }
    }

    /// The position in [`charset::ALL`] of the charset that a word calls so.
    pub fn named(&mut self, label: &[u8]) -> Option<u16> {
        let usual = USUAL.iter().position(|usual| label.eq_ignore_ascii_case(usual.as_bytes()));
        if let Some(index) = usual {
            return MEANINGS[index][usize::from(self.strict)];
        }
        let mix = |mixed: usize, byte: &u8| mixed.wrapping_mul(31).wrapping_add(usize::from(*byte));
        let known = &mut self.known[label.iter().fold(0, mix) % Labels::KEPT];
        if known.label[..known.len] == *label {
            return known.position;
        }
        let position =
            std::str::from_utf8(label).ok().and_then(|label| look_up(label, self.strict));
        if let Some(kept) = known.label.get_mut(..label.len()) {
            kept.copy_from_slice(label);
            (known.len, known.position) = (label.len(), position);
        }
        position
    }
}

/// Decoders, each made when a word first asks for its charset. That is the one time at which the
/// decoder of headers allocates within a call; it keeps them for all words that follow.
pub(super) struct Decoders {
    made: Vec<Option<Box<dyn Decoder>>>,
}

impl Decoders {
    pub fn new() -> Decoders {
        Decoders { made: encoding::ALL.iter().map(|_| None).collect() }
    }

    /// The decoder of the charset at this position in the list of all.
    pub fn get(&mut self, slot: u16) -> &mut dyn Decoder {
        let slot = usize::from(slot).min(self.made.len() - 1);
        let make = || {
            let decoder = encoding::mail_decoder(encoding::ALL[slot]);
            match encoding::ALL[slot].name {
                "whatwg:ISO-2022-JP" => Box::new(Lenient(decoder)),
                _ => decoder,
            }
        };
        &mut **self.made[slot].get_or_insert_with(make)
    }
}

/// The charset at this position in the list of all.
pub(super) fn charset(slot: u16) -> &'static Encoding {
    encoding::ALL[usize::from(slot).min(encoding::ALL.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(label: &[u8], strict: bool) -> Option<u16> {
        Labels::new(strict).named(label)
    }

    fn name(label: &str, strict: bool) -> Option<&'static str> {
        named(label.as_bytes(), strict).map(|slot| charset(slot).name)
    }

    #[test]
    fn every_charset_is_found_under_its_own_name() {
        for known in encoding::ALL.iter().filter(|known| !known.name.contains(':')) {
            let found = name(known.name, true);
            assert!(
                found == Some(known.name) || !encoding::is_mime_charset(known),
                "{}",
                known.name
            );
            assert_eq!(name(known.name, false).is_some(), found.is_some(), "{}", known.name);
        }
    }

    #[test]
    fn usual_labels_mean_what_a_search_finds() {
        for label in USUAL {
            for strict in [false, true] {
                let found = look_up(label, strict);
                assert!(found.is_some(), "{label}");
                assert_eq!(named(label.to_uppercase().as_bytes(), strict), found, "{label}");
            }
        }
    }

    #[test]
    fn a_label_means_the_same_when_it_comes_again() {
        for strict in [false, true] {
            let mut labels = Labels::new(strict);
            let long = "8".repeat(Known::LONGEST + 1);
            let all = encoding::ALL.iter().map(|charset| charset.name);
            let all: Vec<_> = all.chain(["", "no-such", "koi8-u/", &long]).collect();
            for label in all.iter().flat_map(|label| [label, label]).chain(all.iter().rev()) {
                assert_eq!(labels.named(label.as_bytes()), look_up(label, strict), "{label:?}");
            }
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
