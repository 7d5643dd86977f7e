//! The charsets of the Encoding Standard are decoded as encoding_rs decodes them, with U+FFFD for
//! what is no character.
//!
//! Input: one byte for the encoding, two for the length of the input, then the input.

use charpipe::plan::Plan;
use encoding_rs::*;

use super::bytes::Bytes;
use super::run::run;

/// Every encoding of the standard but `replacement` and `x-user-defined`, which are for browsers
/// alone.
const ENCODINGS: &[&Encoding] = &[
    UTF_8,
    IBM866,
    ISO_8859_2,
    ISO_8859_3,
    ISO_8859_4,
    ISO_8859_5,
    ISO_8859_6,
    ISO_8859_7,
    ISO_8859_8,
    ISO_8859_8_I,
    ISO_8859_10,
    ISO_8859_13,
    ISO_8859_14,
    ISO_8859_15,
    ISO_8859_16,
    KOI8_R,
    KOI8_U,
    MACINTOSH,
    WINDOWS_874,
    WINDOWS_1250,
    WINDOWS_1251,
    WINDOWS_1252,
    WINDOWS_1253,
    WINDOWS_1254,
    WINDOWS_1255,
    WINDOWS_1256,
    WINDOWS_1257,
    WINDOWS_1258,
    X_MAC_CYRILLIC,
    GBK,
    GB18030,
    BIG5,
    EUC_JP,
    SHIFT_JIS,
    EUC_KR,
    UTF_16BE,
    UTF_16LE,
    ISO_2022_JP,
];

pub fn holds(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let encoding = bytes.one(ENCODINGS);
    let content = bytes.stretched();
    let label = format!("whatwg:{}", encoding.name());
    let from = label.parse().expect("an encoding of the standard");
    let mut plan = Plan::new(from, "utf-8".parse().expect("a label"));
    plan.policy.invalid = "replace".parse().expect("a word of the vocabulary");
    let ours = run(&plan, &content).expect("UTF-8 can express U+FFFD");
    let (theirs, _) = encoding.decode_without_bom_handling(&content);
    assert_eq!(String::from_utf8_lossy(&ours.out), theirs, "{label}");
}
