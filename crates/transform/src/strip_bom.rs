//! Byte order marks at the start of a text.

use super::{Transform, TransformCodecs};
use charpipe_encoding::bom::BomFilter;

/// Drops U+FEFF at the start of the text.
pub static STRIP_BOM: Transform = Transform {
    name: "strip-bom",
    aliases: &[],
    title: "byte order mark",
    description: "Drops a byte order mark, U+FEFF, at the start (The Unicode Standard, section 23.8)",
    options: &[],
    codecs: TransformCodecs::Text { decoder: None, encoder: |_| Box::new(BomFilter::STRIP) },
};

#[cfg(test)]
mod tests {
    use super::super::text_testing::encode_every_way;

    #[test]
    fn only_a_bom_at_the_start_is_dropped() {
        for (text, expected) in [
            ("", ""),
            ("\u{FEFF}", ""),
            ("\u{FEFF}\u{FEFF}é", "\u{FEFF}é"),
            ("é\u{FEFF}", "é\u{FEFF}"),
            ("\u{FF11}", "\u{FF11}"),
        ] {
            assert_eq!(encode_every_way("strip-bom", text), expected, "{text:?}");
        }
    }
}
