//! UTF-16 and UTF-32 without a byte order mark, with characters above U+FFFF.

use charpipe::detect::{Content, detect};

use crate::facts::encode;

const ENCODINGS: [&str; 4] = ["UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"];

/// Texts in scripts above U+FFFF. The Deseret and Gothic ones are transliterated sentences.
const TEXTS: [&str; 7] = [
    "𐐜 𐐺𐐲𐑅 𐐻𐐭 𐑄 𐐻𐐵𐑌 𐑊𐐨𐑂𐑆 𐐯𐑂𐑉𐐨 𐑋𐐫𐑉𐑌𐐮𐑍",
    "𐌰𐍄𐍄𐌰 𐌿𐌽𐍃𐌰𐍂 𐌸𐌿 𐌹𐌽 𐌷𐌹𐌼𐌹𐌽𐌰𐌼",
    "𞤀𞤣𞤤𞤢𞤥 𞤨𞤵𞤤𞤢𞤪 𞤲𞤣𞤭𞤴𞤢𞤥",
    "𓂀𓃀𓅓𓆑𓇋𓈖𓉐𓊪𓋴𓎡𓏏",
    "😀😃🎉 👍🏽👨‍👩‍👧 ❤️🔥🔥🚀🌍",
    "See you at eight 👋🏽 bring cake 🎂🎂",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙𝟚𝟛 𝕞𝕒𝕥𝕙",
];

#[test]
fn characters_above_u_ffff_are_text() {
    for text in TEXTS {
        for encoding in ENCODINGS {
            for repeated in [text.to_owned(), format!("{text}\n").repeat(400)] {
                let detection = detect(&encode(&repeated, encoding));
                assert_eq!(detection.content, Content::Text, "{encoding} {text}");
                assert_eq!(detection.candidates[0].encoding.name(), encoding, "{text}");
            }
        }
    }
}
