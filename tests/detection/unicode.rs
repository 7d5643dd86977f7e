//! UTF-16 and UTF-32 without a byte order mark, with characters above U+FFFF and with several scripts.

use charpipe::internals::detect::{Confidence, Content, detect};

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

/// Texts that mix scripts.
const MIXED: [&str; 9] = [
    "foo=бар;baz=値\n",
    "Hello, мир! 你好 γειά σου\n",
    "日本語 한국어 English Русский\n",
    "Name: Αλέξανδρος / Александр / 亚历山大\n",
    "café, кафе, καφές, קפה, مقهى\n",
    "Москва (Moscow), 東京 (Tokyo), Αθήνα (Athens)\r\n",
    "1. Ελληνικά\n2. עברית\n3. العربية\n4. ไทย\n",
    "α-частица и β-распад\n",
    "Price: 100 € = 7.500 ₽ = ¥800, 价格\n",
];

#[test]
fn text_that_mixes_scripts_is_text() {
    for text in MIXED {
        for encoding in ENCODINGS {
            for count in [1, 200] {
                let detection = detect(&encode(&text.repeat(count), encoding));
                let best = detection.best().map(|best| (best.encoding.name(), best.confidence));
                assert_eq!(best, Some((encoding, Confidence::Likely)), "{text:?}");
            }
        }
    }
}

#[test]
fn titles_in_utf_32_are_text() {
    for text in ["你好", "日本語のテキストです", "한국어", "Привет", "ไทย", "😀😃😄"]
    {
        for encoding in ["UTF-32LE", "UTF-32BE"] {
            let detection = detect(&encode(text, encoding));
            assert_eq!(detection.best().map(|best| best.encoding.name()), Some(encoding), "{text}");
        }
    }
}

/// The number at an index.
type Number = fn(u32) -> u32;

#[test]
fn numbers_are_not_utf_16_or_utf_32() {
    let rows: [(&str, Number); 5] = [
        ("offsets", |index| 1000 + 24 * index),
        ("indexes", |index| index),
        ("triangles", |index| 300 + index / 3 + index % 3 * 17),
        ("samples", |index| index.wrapping_mul(index).wrapping_mul(7919) % 3000),
        ("colors", |index| 0x80 + index % 9 + ((100 + index % 5) << 8)),
    ];
    for (name, number) in rows {
        let numbers = || (0..1000).map(number);
        let wide: Vec<u8> = numbers().flat_map(u32::to_le_bytes).collect();
        let narrow: Vec<u8> = numbers().flat_map(|number| (number as u16).to_be_bytes()).collect();
        for bytes in [wide, narrow] {
            let detection = detect(&bytes);
            let best = detection.best().map(|best| best.encoding.name());
            assert!(best.is_none_or(|name| !ENCODINGS.contains(&name)), "{name}: {best:?}");
        }
    }
}
