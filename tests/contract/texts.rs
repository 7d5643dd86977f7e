//! Text to encode: what real text is made of, and every corner that an encoding is known to have.

use std::sync::OnceLock;

use crate::codec_pair::CodecKind;
use crate::rfc2044;
use charpipe_test_support::XorShift;

const TEXTS: &[&str] = &[
    "",
    "A plain line.",
    "two\r\nlines\r\n",
    "\n",
    "\r",
    "caf\u{E9} \u{FF}na\u{EF}ve",
    "\u{391}\u{3B8}\u{3AE}\u{3BD}\u{3B1} 5",
    "\u{65E5}\u{672C}\u{8A9E}\u{3067}\u{3059}\u{3002}",
    "a\u{1F600}b\u{1F1E9}\u{1F1EA}\u{10FFFF}",
    "\0\u{1}\t\u{1B}\u{7F}\u{80}\u{9F}",
    "1+1-2 & \\ ~ +-&-",
    "\u{E9}+\u{E9}-\u{E9}&\u{E9}A\u{E9}\\~",
    "\u{FEFF}marked \u{FEFF} within",
    "\u{FEFF}\u{FEFF}",
    "\u{FFFE}\u{FFFF}\u{FFFD}\u{FDD0}\u{1FFFE}",
    "\u{D7FF}\u{E000}\u{F8FF}\u{10000}\u{7FF}\u{800}",
    "\u{4015}\u{4016}\u{38E2D}\u{38E2E}\u{A0}\u{100}",
    "\u{10000}\u{3042}\u{10FFFD}\u{E9}x\u{5D0}\u{AC00}",
    // Characters that depend on the one before them in ISCII.
    "\u{915}\u{94D}\u{937}\u{94D}\u{930} \u{91C}\u{93C}\u{915}\u{94D}\u{937} \u{A15}\u{A4B}\u{A70}\u{A71}",
];

/// The characters that short strings are made of.
const CHARACTERS: &str = concat!(
    "a-+&\n\r \0\u{E9}\u{3042}\u{1F600}\u{FEFF}",
    "\t,/0AG\\~\u{7F}\u{80}\u{9F}\u{A0}\u{FF}\u{100}\u{7FF}\u{800}",
    "\u{3A9}\u{4E2D}\u{D7FF}\u{E000}\u{FFFD}\u{FFFF}\u{10000}\u{10FFFF}",
);

/// Of the characters above, those that threes are made of.
const FEW_CHARACTERS: usize = 12;

/// The least and the greatest value of each length above U+10FFFF, in each wide encoding.
const WIDE_VALUES: &[u32] = &[
    0x11_0000,
    0x1F_FFFF,
    0x20_0000,
    0xFF_FFFF,
    0x100_0000,
    0x3FF_FFFF,
    0x400_0000,
    0xFFF_FFFF,
    0x1000_0000,
    0x7FFF_FFFF,
];

/// Returns the texts for the encoders of an encoding.
pub fn inputs(part: CodecKind) -> &'static [Vec<u8>] {
    static NARROW: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    static WITH_WIDE: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let bytes = |text: String| text.into_bytes();
    let narrow = || texts().into_iter().chain(strings()).map(bytes);
    match part {
        CodecKind::WideEncoder => {
            WITH_WIDE.get_or_init(|| encode_wide().into_iter().chain(narrow()).collect())
        }
        _ => NARROW.get_or_init(|| narrow().collect()),
    }
}

fn characters() -> Vec<char> {
    CHARACTERS.chars().collect()
}

/// Whole texts, the last of them long.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = TEXTS.iter().map(|text| (*text).to_owned()).collect();
    let characters = characters();
    let mut random = XorShift::new(0x1646);
    let plain = "0123456789 abcdefghijklmnopqrstuvwxyz ".repeat(3);
    texts.push(format!("{plain}\u{E9}{plain}"));
    texts.push((0..300).map(|_| random.one(&characters)).collect());
    texts.push(TEXTS.concat());
    texts
}

/// Short strings: each character, each two, each three of a few, and some at random.
fn strings() -> Vec<String> {
    let characters = characters();
    let few = &characters[..FEW_CHARACTERS];
    let mut strings: Vec<String> = characters.iter().map(char::to_string).collect();
    for one in &characters {
        strings.extend(characters.iter().map(|two| String::from_iter([one, two])));
    }
    for one in few {
        for two in few {
            strings.extend(few.iter().map(|three| String::from_iter([one, two, three])));
        }
    }
    let mut random = XorShift::new(0x2152);
    strings.extend((0..500).map(|_| String::from_iter(random.some(12, &characters))));
    strings
}

/// Texts with values above U+10FFFF in them, in 1 to 6 bytes.
fn encode_wide() -> Vec<Vec<u8>> {
    let mut values: Vec<u32> = characters().into_iter().map(u32::from).collect();
    values.extend(WIDE_VALUES);
    let bytes =
        |values: &[u32]| values.iter().flat_map(|value| rfc2044::byte_ranges(*value)).collect();
    let mut random = XorShift::new(0x2044);
    let mut texts: Vec<Vec<u8>> =
        WIDE_VALUES.iter().map(|value| rfc2044::byte_ranges(*value)).collect();
    texts.extend((0..500).map(|_| bytes(&random.some(8, &values))));
    texts.push(bytes(&random.some(1, WIDE_VALUES).repeat(9)));
    texts.push(bytes(&(0..200).map(|_| random.one(&values)).collect::<Vec<_>>()));
    texts
}
