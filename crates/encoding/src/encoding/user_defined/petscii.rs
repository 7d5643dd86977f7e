//! PETSCII, the encoding of the Commodore 64 and 128: L2/19-025, with control codes.
//!
//! A machine displays one of two sets, which the control codes 0E and 8E select for the whole screen; the unshifted one is
//! that after power-on. Text in files does not say which; each is an encoding. Carriage return ends a line.

use std::sync::LazyLock;

use super::{MappingFactory, UserMapping};
use crate::encoding::Encoding;

/// The primary set: capital letters and graphics.
pub static PETSCII_UNSHIFTED: Encoding = Encoding::new(
    "PETSCII-UNSHIFTED",
    "Commodore 64: capital letters and graphics (L2/19-025)",
    &MappingFactory(unshifted as fn() -> &'static UserMapping),
);

/// The alternate set: small and capital letters, and some graphics.
pub static PETSCII_SHIFTED: Encoding = Encoding::new(
    "PETSCII-SHIFTED",
    "Commodore 64: small and capital letters (L2/19-025)",
    &MappingFactory(shifted as fn() -> &'static UserMapping),
);

fn unshifted() -> &'static UserMapping {
    static MAPPING: LazyLock<UserMapping> =
        LazyLock::new(|| UserMapping::built_in(include_bytes!("petscii_unshifted.charmap")));
    &MAPPING
}

fn shifted() -> &'static UserMapping {
    static MAPPING: LazyLock<UserMapping> =
        LazyLock::new(|| UserMapping::built_in(include_bytes!("petscii_shifted.charmap")));
    &MAPPING
}

#[cfg(test)]
mod tests {
    use crate::encoding::testing::{assert_decodes, assert_round_trips, encode_every_way};

    /// The bytes that the keyboard of a Commodore 64 writes.
    #[test]
    fn letters_depend_on_the_set() {
        assert_round_trips(&[
            ("PETSCII-UNSHIFTED", "HELLO, £1\r", b"HELLO, \x5C1\x0D"),
            ("PETSCII-SHIFTED", "Hello, £1\r", b"\xC8\x45\x4C\x4C\x4F, \x5C1\x0D"),
            ("PETSCII-UNSHIFTED", "♠♥♣♦π↑←", b"\xC1\xD3\xD8\xDA\xDE\x5E\x5F"),
            ("PETSCII-UNSHIFTED", "\u{1FB72}\u{1FB8C}◥◤", b"\xC2\xDC\xDF\xA9"),
            ("PETSCII-SHIFTED", "\u{1FB96}\u{1FB98}\u{1FB99}✓", b"\xDE\xDF\xA9\xBA"),
        ]);
    }

    /// Appendix C of the programmer's reference guide.
    #[test]
    fn codes_with_the_same_character_decode() {
        assert_decodes("PETSCII-UNSHIFTED", b"\x61\x73\x7E\xFF\xE1\xFE", "♠♥ππ▌▘", &[]);
        assert_decodes("PETSCII-SHIFTED", b"\x68\x49\xE0", "Hi\u{A0}", &[]);
        let (bytes, errors) = encode_every_way("PETSCII-UNSHIFTED", "aA~");
        assert_eq!((&bytes[..], errors), (&b"A"[..], vec![(0, 'a'), (2, '~')]));
    }

    #[test]
    fn control_codes_are_control_characters() {
        assert_round_trips(&[("PETSCII-SHIFTED", "\u{5}\u{E}\u{8E}\u{9F}", b"\x05\x0E\x8E\x9F")]);
    }
}
