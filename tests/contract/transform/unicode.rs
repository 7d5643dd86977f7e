//! Tests of the normalization forms and transliterations, between texts.

#[cfg(feature = "transforms")]
mod idna;
#[cfg(feature = "transforms")]
mod normalization;
#[cfg(all(feature = "transforms", feature = "transliterations"))]
mod scripts;
mod transliteration;

use crate::transform::inputs::Seeds;

/// Inputs of the contract for each transform.
pub const SEEDS: Seeds = &[
    ("nfc", NORMALIZATION_TEXTS),
    ("nfd", NORMALIZATION_TEXTS),
    ("nfkc", NORMALIZATION_TEXTS),
    ("nfkd", NORMALIZATION_TEXTS),
    ("utf8-mac", NORMALIZATION_TEXTS),
    ("latin-ascii", &["Straße “Œuvre” — 3€ Ǽrø a\u{301}\u{323}5\u{338} е\u{301}\n", "ĲSﬁ½…"]),
    ("greek-elot743", GREEK_TEXTS),
    ("cyrillic-iso9", CYRILLIC_TEXTS),
    ("cyrillic-russian", CYRILLIC_TEXTS),
    ("cyrillic-ukrainian", CYRILLIC_TEXTS),
    ("cyrillic-bulgarian", CYRILLIC_TEXTS),
    ("cyrillic-serbian", CYRILLIC_TEXTS),
    ("cyrillic-macedonian", CYRILLIC_TEXTS),
    (
        "kana-hepburn",
        &["がっこうへマッチャ", "しんようキャー、ッーっ", "ん", "おおさかヴァイオリン\n"],
    ),
    ("han-latin", HAN_TEXTS),
    ("hant-hans", HAN_TEXTS),
    ("hans-hant", HAN_TEXTS),
    (
        "hangul-latin",
        &[
            "안녕하세요, 값이 강가 가에 ab아 ㅋㅋㅋ\n",
            "\u{1100}\u{1161}\u{11A8}\u{110B}\u{1175} 에오\u{110B}",
        ],
    ),
    ("hebrew-latin", &["שלום עולם. בְּרֵאשִׁית צ\n", "בּ\u{5B0}\u{5C1} ײַ"]),
    ("arabic-latin", &["مرحبا بالعالم، ١٢٫٥ اَلسَّلَامُ أآ\n", "َآ ئّ ٫٣"]),
    ("devanagari-latin", &["नमस्ते दुनिया संस्कृतम् क़लम ॐ १२३।\n", "अइ आा ंक ा क्ह डाह ॐा"]),
    ("thai-latin", &["สวัสดีชาวโลก เก่า ไทย เป็น ๑๒๓\n", "เ เก โ่ แก้"]),
];

/// Texts that differ between the forms, and that segments can be divided in.
const NORMALIZATION_TEXTS: &[&str] = &[
    "e\u{301}\u{323}\u{1EA5}\u{316}\n",
    "\u{1100}\u{1161}\u{11A8}\u{11A8}\u{AC00}\u{11A8}",
    "\u{212B}\u{2126}\u{2260}=\u{338}\u{F900}\u{2F800}",
    "\u{FDFA}\u{FF76}\u{FF9E}\u{304B}\u{3099}\u{FB01}",
    "\u{9C7}\u{9BE}\u{9C7}\u{300}\u{9BE}\u{1611E}\u{1611E}\u{1611F}",
    "a\u{315}\u{300}\u{5AE}\u{59A}\u{1D165}\u{1D158}\u{E0100}\n",
    "x\u{316}\u{316}\u{316}\u{316}\u{316}\u{316}\u{316}\u{316}\u{316}\u{316}\u{316}\u{316}\u{316}\u{316}\u{316}\u{316}\
     \u{300}\u{300}\u{300}\u{300}\u{300}\u{300}\u{300}\u{300}\u{300}\u{300}\u{300}\u{300}\u{300}\u{300}\u{300}\u{300}",
];

/// Texts with words, characters with several readings, and what spaces are written beside.
const HAN_TEXTS: &[&str] = &[
    "重庆 abc中3天é（中），重要。“沈阳”、𠀀〇\n",
    "頭髮出發，昆崙山，一隻羊，十余年，三斗米，周三，丰采丰 重",
    "头发出发，昆仑山，一只羊，齣戏二出戏，干燥干部 e\u{301}中",
];

/// Texts with digraphs and capitals, at the ends and inside of words.
const GREEK_TEXTS: &[&str] =
    &["Αυτός ο ΑΥΛΌΣ, εύ ευ! Μπάμπης", "ΜΠ ΣΎΜΠΑΝ κομπ ΟΥ Ού Χ ΧΑ άγχος\n"];

/// Texts with capitals of several letters, at the ends and inside of words.
const CYRILLIC_TEXTS: &[&str] = &[
    "Щука ЩУКА Щ ЖЮ Ж. ИЖ-Ж подъезд",
    "Єва має м'яту, Згурський 'ятка’ Їжак\n",
    "България, България! София СОФИЯ",
    "Љубав ЊЕГОШ Џем Ѓорѓи Ќе Ѕвезда",
];
