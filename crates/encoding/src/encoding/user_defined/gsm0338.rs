//! The alphabet of short messages: 3GPP TS 23.038, section 6.2.1.

use std::sync::LazyLock;

use super::{MappingFactory, UserMapping};
use crate::encoding::Encoding;

/// The default alphabet with its extension table, unpacked: a septet in each byte.
pub static GSM0338: Encoding = Encoding::new(
    "GSM0338",
    "Short messages, a septet in each byte (3GPP TS 23.038)",
    &MappingFactory(mapping as fn() -> &'static UserMapping),
);

pub(super) fn mapping() -> &'static UserMapping {
    static MAPPING: LazyLock<UserMapping> =
        LazyLock::new(|| UserMapping::built_in(include_bytes!("gsm0338.charmap")));
    &MAPPING
}

#[cfg(test)]
mod tests {
    use crate::encoding::testing::{assert_decodes, assert_round_trips, encode_every_way};

    /// Characters of both tables in 3GPP TS 23.038.
    #[test]
    fn extension_table_follows_an_escape() {
        assert_round_trips(&[
            ("GSM0338", "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ", b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A"),
            ("GSM0338", "¤¡AZÄÖÑÜ§¿azäöñüà", b"\x24\x40AZ\x5B\x5C\x5D\x5E\x5F\x60az\x7B\x7C\x7D\x7E\x7F"),
            ("GSM0338", "€[]{}\\|^~\x0C", b"\x1B\x65\x1B\x3C\x1B\x3E\x1B\x28\x1B\x29\x1B\x2F\x1B\x40\x1B\x14\x1B\x3D\x1B\x0A"),
        ]);
    }

    #[test]
    fn unknown_extension_is_a_space_and_the_character() {
        assert_decodes("GSM0338", b"a\x1Bb\x1B\x1B\x1B", "a b  ", &[]);
        assert_eq!(encode_every_way("GSM0338", "aç` "), (b"a ".to_vec(), vec![(1, 'ç'), (3, '`')]));
    }
}
