//! ISCII (IS 13194:1991): nine scripts of India with the same codes, as in ICU.
//!
//! ASCII is as it is. A byte from A1 on is a letter of the current script, at the same offset in the
//! block of Unicode for each script. EF and a byte, the attribute code (ATR), selects the script;
//! every line begins in the script of the encoding. EF 30 to EF 3F, attributes of display, are
//! skipped. Some pairs of bytes are one character: a letter and a nukta (E9), two dandas (EA). Two
//! halants (E8) are a halant and ZWNJ, a halant and a nukta are a halant and ZWJ. In Gurmukhi A2 is
//! a tippi after a letter that has one, and a bindi after others.
//!
//! It differs from ICU's as follows:
//!
//! - The encoder selects a script only when it changes. Between two characters whose bytes would
//!   be a pair it repeats the code of the script, so that they are decoded as they were. Only a tippi
//!   after a letter that has a bindi is decoded as a bindi.
//! - A danda (EA) is decoded in every script, as in the standard; ICU has it in Devanagari only. The
//!   encoder writes it in Devanagari.
//! - The invisible consonant (INV, D9) is ZWJ, also before a halant, where ICU has a space.
//! - The addak of Gurmukhi, for which ICU writes the consonant twice, is unmappable, and C0 E9 is a
//!   letter with a nukta.
//!
//! A malformed sequence is a byte without a character in the script, or EF or F0 with the byte after
//! it if that is not a code.

use super::{Encoding, FnFactory};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::{SplitRule, SplitTarget};
use charpipe_kernel as kernel;

/// The encodings, one for each script that a line begins in.
pub static ALL: &[&Encoding] = &[
    &ISCII_DEV, &ISCII_BNG, &ISCII_GUR, &ISCII_GUJ, &ISCII_ORI, &ISCII_TML, &ISCII_TLG, &ISCII_KND,
    &ISCII_MLM,
];

macro_rules! encodings {
    ($($encoding:ident = $script:literal, $name:literal, $description:literal;)*) => {
        $(
            static $encoding: Encoding = Encoding::new(
                $name,
                concat!("Indian scripts, at first ", $description, " (IS 13194:1991)"),
                &FnFactory {
                    decoder: |_| Box::new(IsciiCodec::new($script)),
                    encoder: |_| Box::new(IsciiCodec::new($script)), split_rule: |_| SplitRule::AFTER_LINE_FEED.with_target(SplitTarget::AfterLineFeed { header: false }),
},
            );
        )*
    };
}

encodings! {
    ISCII_DEV = 0, "ISCII-DEV", "Devanagari";
    ISCII_BNG = 1, "ISCII-BNG", "Bengali";
    ISCII_GUR = 2, "ISCII-GUR", "Gurmukhi";
    ISCII_GUJ = 3, "ISCII-GUJ", "Gujarati";
    ISCII_ORI = 4, "ISCII-ORI", "Oriya";
    ISCII_TML = 5, "ISCII-TML", "Tamil";
    ISCII_TLG = 6, "ISCII-TLG", "Telugu";
    ISCII_KND = 7, "ISCII-KND", "Kannada";
    ISCII_MLM = 8, "ISCII-MLM", "Malayalam";
}

/// A script.
struct IsciiScript {
    /// The byte after EF that selects it.
    code: u8,
    /// The bytes of [`OFFSETS`] that are not characters.
    missing: &'static [u8],
    /// The bytes that are another character with a nukta.
    with_nukta: &'static [u8],
}

/// The scripts, in the order of their blocks in Unicode, each of 128 characters from U+0900 on.
static SCRIPTS: [IsciiScript; 9] = [
    IsciiScript {
        code: 0x42,
        missing: b"",
        with_nukta: b"\xA1\xA6\xA7\xAA\xB3\xB4\xB5\xBA\xBF\xC0\xC9\xDB\xDC\xDF\xEA",
    },
    IsciiScript {
        code: 0x43,
        missing: b"\xAB\xAE\xAF\xB2\xC7\xD0\xD2\xD3\xD4\xE0\xE3\xE4\xE7",
        with_nukta: b"\xA6\xA7\xAA\xBF\xC0\xDB\xDC\xDF",
    },
    IsciiScript {
        code: 0x4B,
        missing: b"\xAA\xAB\xAE\xAF\xB2\xC7\xCE\xD0\xD3\xD6\xDF\xE0\xE3\xE4\xE7",
        with_nukta: b"\xB4\xB5\xBA\xBF\xC9",
    },
    IsciiScript {
        code: 0x4A,
        missing: b"\xAB\xAF\xC7\xCE\xD0\xD3\xE0\xE4\xE9",
        with_nukta: b"\xA1\xAA\xDF",
    },
    IsciiScript {
        code: 0x47,
        missing: b"\xAB\xAE\xAF\xB2\xC7\xD0\xD3\xE0\xE3\xE4\xE7",
        with_nukta: b"\xA6\xA7\xAA\xC0",
    },
    IsciiScript {
        code: 0x44,
        missing:
            b"\xA1\xAA\xAE\xB2\xB4\xB5\xB6\xB9\xBB\xBE\xBF\xC0\xC3\xC4\xC5\xC9\xCA\xCB\xCE\xD5\
                   \xDF\xE3\xE7\xE9",
        with_nukta: b"",
    },
    IsciiScript {
        code: 0x45,
        missing: b"\xA1\xAE\xB2\xC7\xCE\xD3\xE3\xE7\xE9",
        with_nukta: b"\xA6\xA7\xAA\xDF",
    },
    IsciiScript {
        code: 0x48,
        missing: b"\xA1\xAE\xB2\xC7\xCE\xD0\xD3\xE3\xE7\xE9",
        with_nukta: b"\xA6\xA7\xAA\xDF",
    },
    IsciiScript {
        code: 0x49,
        missing: b"\xA1\xAE\xB2\xC7\xCE\xE3\xE7\xE9",
        with_nukta: b"\xA6\xA7\xAA",
    },
];

/// The code of Assamese, which has the letters of Bengali.
const ASSAMESE: u8 = 0x46;
/// The code of the script of the encoding.
const DEFAULT_SCRIPT: u8 = 0x40;

const DEVANAGARI: u8 = 0;
const BENGALI: u8 = 1;
const GURMUKHI: u8 = 2;

const FIRST_BLOCK: u32 = 0x900;
const BLOCK_LEN: u32 = 0x80;

/// The offsets within the block of the bytes from A0 on, or zero.
const OFFSETS: [u8; 96] = [
    0x00, 0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0E, 0x0F, 0x10, 0x0D, 0x12,
    0x13, 0x14, 0x11, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x21,
    0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x2F, 0x5F, 0x30,
    0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x00, 0x3E, 0x3F, 0x40, 0x41, 0x42, 0x43,
    0x46, 0x47, 0x48, 0x45, 0x4A, 0x4B, 0x4C, 0x49, 0x4D, 0x3C, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x00, 0x00, 0x00, 0x00, 0x00,
];

/// Bytes and the offset of the character that they are with a nukta.
const NUKTA_OFFSETS: [(u8, u8); 15] = [
    (0xA1, 0x50),
    (0xA6, 0x0C),
    (0xA7, 0x61),
    (0xAA, 0x60),
    (0xB3, 0x58),
    (0xB4, 0x59),
    (0xB5, 0x5A),
    (0xBA, 0x5B),
    (0xBF, 0x5C),
    (0xC0, 0x5D),
    (0xC9, 0x5E),
    (0xDB, 0x62),
    (0xDC, 0x63),
    (0xDF, 0x44),
    (0xEA, 0x3D),
];

/// The letters of Gurmukhi that have a tippi.
const TIPPI_LETTERS: &[u8] =
    b"\xA4\xA6\xB3\xB4\xB5\xB6\xB7\xB8\xB9\xBA\xBB\xBC\xBD\xBE\xBF\xC0\xC1\xC2\
    \xC3\xC4\xC5\xC6\xC8\xC9\xCA\xCB\xCC\xCD\xCF\xD4\xD5\xD7\xD8\xDB\xDD\xDE";

/// The bytes after F0, in Devanagari, and their characters.
const EXTENSIONS: [(u8, char); 2] = [(0xB8, '\u{952}'), (0xBF, '\u{970}')];

const BINDI: u8 = 0xA2;
const HALANT: u8 = 0xE8;
const NUKTA: u8 = 0xE9;
const DANDA: u8 = 0xEA;
const INVISIBLE: u8 = 0xD9;
const ATTRIBUTE: u8 = 0xEF;
const EXTENSION: u8 = 0xF0;
const SHORT_A: (u8, u8) = (0xA4, 0xE0);

const ZWNJ: char = '\u{200C}';
const ZWJ: char = '\u{200D}';
const TIPPI: char = '\u{A70}';
const BINDI_CHARACTER: char = '\u{A02}';

fn in_block(script: u8, offset: u8) -> char {
    let code = FIRST_BLOCK + BLOCK_LEN * u32::from(script) + u32::from(offset);
    char::from_u32(code).unwrap_or_default()
}

fn single(script: u8, byte: u8) -> Option<char> {
    match byte {
        0x00..=0xA0 => return Some(char::from(byte)),
        INVISIBLE => return Some(ZWJ),
        DANDA => return Some('\u{964}'),
        _ => {}
    }
    let offset = OFFSETS[usize::from(byte - 0xA0)];
    let is_missing = SCRIPTS[usize::from(script)].missing.contains(&byte);
    (offset > 0 && !is_missing).then(|| in_block(script, offset))
}

/// Returns the character or the two characters of a pair of bytes.
fn pair(script: u8, first: u8, second: u8) -> Option<(char, Option<char>)> {
    match (first, second) {
        (HALANT, HALANT) => Some((single(script, HALANT)?, Some(ZWNJ))),
        (HALANT, NUKTA) => Some((single(script, HALANT)?, Some(ZWJ))),
        (DANDA, DANDA) => Some(('\u{965}', None)),
        SHORT_A if script == DEVANAGARI => Some(('\u{904}', None)),
        (_, NUKTA) if SCRIPTS[usize::from(script)].with_nukta.contains(&first) => {
            let (_, offset) = NUKTA_OFFSETS.iter().find(|(byte, _)| *byte == first)?;
            Some((in_block(script, *offset), None))
        }
        _ => None,
    }
}

fn may_begin_pair(byte: u8) -> bool {
    matches!(byte, HALANT | DANDA | 0xA4) || NUKTA_OFFSETS.iter().any(|(first, _)| *first == byte)
}

/// The decoder and the encoder.
struct IsciiCodec {
    default_script: u8,
    modes: IsciiModes,
}

/// The state of a codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct IsciiModes {
    script: u8,
    /// The byte before, if it was a character by itself, or else zero.
    last: u8,
}

impl IsciiCodec {
    const fn new(default_script: u8) -> IsciiCodec {
        IsciiCodec { default_script, modes: IsciiModes { script: default_script, last: 0 } }
    }

    fn is_plain(&self) -> bool {
        self.modes == IsciiModes { script: self.default_script, last: 0 }
    }

    /// Returns the modes after a character of one byte.
    fn after(&self, script: u8, byte: u8) -> IsciiModes {
        match byte {
            b'\n' | b'\r' => IsciiModes { script: self.default_script, last: 0 },
            0x00..=0xA0 => IsciiModes { script, last: 0 },
            _ => IsciiModes { script, last: byte },
        }
    }

    /// Reads the item at the start of `src`, which is not empty.
    fn read_item(&self, src: &[u8], end: bool) -> IsciiItem {
        let IsciiModes { script, last } = self.modes;
        let next = src.get(1).copied();
        let malformed = |len, reason| IsciiItem::Malformed { len, reason };
        match (src[0], next) {
            (ATTRIBUTE | EXTENSION, None) if !end => IsciiItem::Incomplete,
            (ATTRIBUTE | EXTENSION, None) => malformed(1, MalformedReason::Truncated),
            (ATTRIBUTE, Some(0x30..=0x3F)) => {
                IsciiItem::Text { text: ['\0'; 2], count: 0, len: 2, modes: self.modes }
            }
            (ATTRIBUTE, Some(code)) => match self.script_of(code) {
                Some(script) => IsciiItem::Text {
                    text: ['\0'; 2],
                    count: 0,
                    len: 2,
                    modes: IsciiModes { script, last: 0 },
                },
                None if matches!(code, 0x21..=0x7E) => malformed(2, MalformedReason::Unassigned),
                None => malformed(1, MalformedReason::MissingTrailByte),
            },
            (EXTENSION, Some(byte)) => {
                let found = EXTENSIONS.iter().find(|(code, _)| *code == byte);
                match found.filter(|_| script == DEVANAGARI) {
                    Some((_, character)) => IsciiItem::Text {
                        text: [*character, '\0'],
                        count: 1,
                        len: 2,
                        modes: IsciiModes { script, last: 0 },
                    },
                    None if byte >= 0xA1 => malformed(2, MalformedReason::Unassigned),
                    None => malformed(1, MalformedReason::MissingTrailByte),
                }
            }
            (first, None) if !end && may_begin_pair(first) => IsciiItem::Incomplete,
            (first, next) => {
                if let Some((one, two)) = next.and_then(|second| pair(script, first, second)) {
                    return IsciiItem::Text {
                        text: [one, two.unwrap_or_default()],
                        count: 1 + usize::from(two.is_some()),
                        len: 2,
                        modes: IsciiModes { script, last: 0 },
                    };
                }
                let is_tippi =
                    script == GURMUKHI && first == BINDI && TIPPI_LETTERS.contains(&last);
                let character = if is_tippi { Some(TIPPI) } else { single(script, first) };
                match character {
                    Some(character) => IsciiItem::Text {
                        text: [character, '\0'],
                        count: 1,
                        len: 1,
                        modes: self.after(script, first),
                    },
                    None => malformed(1, MalformedReason::Unassigned),
                }
            }
        }
    }

    /// Returns the script that a byte after EF selects.
    fn script_of(&self, code: u8) -> Option<u8> {
        match code {
            DEFAULT_SCRIPT => Some(self.default_script),
            ASSAMESE => Some(BENGALI),
            _ => (0..).zip(&SCRIPTS).find(|(_, script)| script.code == code).map(|(at, _)| at),
        }
    }

    /// Returns the bytes of a character, their number, and the modes after them.
    fn encode_char(&self, character: char) -> Option<([u8; 4], usize, IsciiModes)> {
        let IsciiModes { script: current, last } = self.modes;
        let (script, first, second) = match character {
            '\0'..='\u{A0}' => (current, character as u8, None),
            ZWJ if last == HALANT => {
                return Some(([NUKTA, 0, 0, 0], 1, IsciiModes { script: current, last: 0 }));
            }
            ZWNJ if last == HALANT => {
                return Some(([HALANT, 0, 0, 0], 1, IsciiModes { script: current, last: 0 }));
            }
            ZWJ => (current, INVISIBLE, None),
            '\u{964}' => (DEVANAGARI, DANDA, None),
            '\u{965}' => (DEVANAGARI, DANDA, Some(DANDA)),
            '\u{904}' => (DEVANAGARI, SHORT_A.0, Some(SHORT_A.1)),
            TIPPI => (GURMUKHI, BINDI, None),
            '\u{900}'..='\u{D7F}' => in_script(character)?,
            _ => return None,
        };
        // A character would be decoded otherwise after the byte before.
        let joins = pair(script, last, first).is_some()
            || character == BINDI_CHARACTER && TIPPI_LETTERS.contains(&last);
        let mut bytes = [0; 4];
        let mut len = 0;
        let mut push = |byte| {
            bytes[len] = byte;
            len += 1;
        };
        if script != current || joins {
            push(ATTRIBUTE);
            push(SCRIPTS[usize::from(script)].code);
        }
        push(first);
        if let Some(second) = second {
            push(second);
            return Some((bytes, len, IsciiModes { script, last: 0 }));
        }
        Some((bytes, len, self.after(script, first)))
    }
}

/// Returns the script of a character of its block, and its bytes.
fn in_script(character: char) -> Option<(u8, u8, Option<u8>)> {
    let code = u32::from(character) - FIRST_BLOCK;
    let (script, offset) = ((code / BLOCK_LEN) as u8, (code % BLOCK_LEN) as u8);
    let byte = (0xA0..=0xFF).zip(OFFSETS).find(|(_, known)| *known == offset && offset > 0);
    if let Some((byte, _)) = byte.filter(|(byte, _)| single(script, *byte) == Some(character)) {
        return Some((script, byte, None));
    }
    let extension = EXTENSIONS.iter().find(|(_, known)| *known == character);
    if let Some((byte, _)) = extension {
        return Some((DEVANAGARI, EXTENSION, Some(*byte)));
    }
    let (byte, _) = NUKTA_OFFSETS.iter().find(|(_, known)| *known == offset)?;
    let has_nukta = SCRIPTS[usize::from(script)].with_nukta.contains(byte);
    has_nukta.then_some((script, *byte, Some(NUKTA)))
}

/// The item at the start of the source.
enum IsciiItem {
    /// `count` characters of `len` bytes, and the modes after them.
    Text {
        text: [char; 2],
        count: usize,
        len: usize,
        modes: IsciiModes,
    },
    Incomplete,
    Malformed {
        len: usize,
        reason: MalformedReason,
    },
}

impl Checkpoint for IsciiCodec {
    fn save_state(&self) -> State {
        let script = self.modes.script ^ self.default_script;
        State::new(u64::from(script) | u64::from(self.modes.last) << 8)
    }

    fn restore_state(&mut self, state: State) {
        let script = state.bits() as u8 ^ self.default_script;
        self.modes = IsciiModes { script, last: (state.bits() >> 8) as u8 };
    }

    fn max_lookahead(&self) -> usize {
        8
    }
}

impl DecodeStage for IsciiCodec {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            if self.is_plain() {
                let run = kernel::ascii::copy(&src[read..], &mut dst[written..]);
                read += run;
                written += run;
            }
            if read == src.len() {
                return Progress::input_empty(read, written);
            }
            match self.read_item(&src[read..], end) {
                IsciiItem::Text { text, count, len, modes } => {
                    let characters = &text[..count];
                    let needed: usize = characters.iter().map(|found| found.len_utf8()).sum();
                    if dst.len() - written < needed {
                        return Progress::output_full(read, written);
                    }
                    for character in characters {
                        written += character.encode_utf8(&mut dst[written..]).len();
                    }
                    read += len;
                    self.modes = modes;
                }
                IsciiItem::Incomplete => return Progress::input_empty(read, written),
                IsciiItem::Malformed { len, reason } => {
                    let mut resumed = IsciiCodec { ..*self };
                    resumed.modes.last = 0;
                    let error = Malformed::new(len, reason, resumed.save_state());
                    return Progress::error(read, written, error);
                }
            }
        }
    }
}

impl EncodeStage for IsciiCodec {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            if self.is_plain() {
                let run = kernel::ascii::copy(&src.as_bytes()[read..], &mut dst[written..]);
                read += run;
                written += run;
            }
            let Some(character) = src[read..].chars().next() else {
                return Progress::input_empty(read, written);
            };
            let Some((bytes, len, modes)) = self.encode_char(character) else {
                return Progress::error(read, written, Unmappable::new(character));
            };
            let Some(space) = dst[written..].get_mut(..len) else {
                return Progress::output_full(read, written);
            };
            space.copy_from_slice(&bytes[..len]);
            read += character.len_utf8();
            written += len;
            self.modes = modes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SCRIPTS;
    use crate::conversion_error::MalformedReason::{MissingTrailByte, Truncated, Unassigned};
    use crate::encoding::testing::{
        Error, assert_decodes, assert_round_trips, decode, encode, encode_every_way,
    };

    /// Label, text, bytes, which ICU decodes to the same text.
    const ROUND_TRIP: &[(&str, &str, &[u8])] = &[
        ("ISCII-DEV", "\u{92D}\u{93E}\u{930}\u{924}", b"\xCB\xDA\xCF\xC2"),
        ("ISCII-DEV", "a\u{915} \u{916}\n", b"a\xB3 \xB4\n"),
        // Another script, up to the end of the line.
        ("ISCII-DEV", "\u{995}a\u{995}\n\u{915}", b"\xEF\x43\xB3a\xB3\n\xB3"),
        ("ISCII-BNG", "\u{995}\u{915}\u{995}", b"\xB3\xEF\x42\xB3\xEF\x43\xB3"),
        ("ISCII-TML", "\u{B95}\u{BCD}\u{200C}", b"\xB3\xE8\xE8"),
        ("ISCII-MLM", "\u{D4D}\u{200D}\u{D15}", b"\xE8\xE9\xB3"),
        // Letters with nukta, and a letter and a nukta.
        ("ISCII-DEV", "\u{958}\u{92F}\u{93C}\u{95F}", b"\xB3\xE9\xCD\xE9\xCE"),
        ("ISCII-DEV", "\u{915}\u{93C}", b"\xB3\xEF\x42\xE9"),
        ("ISCII-DEV", "\u{950}\u{904}\u{93D}", b"\xA1\xE9\xA4\xE0\xEA\xE9"),
        ("ISCII-DEV", "\u{964}\u{965}", b"\xEA\xEF\x42\xEA\xEA"),
        ("ISCII-DEV", "\u{964}\u{964}", b"\xEA\xEF\x42\xEA"),
        ("ISCII-DEV", "\u{952}\u{970}", b"\xF0\xB8\xF0\xBF"),
        ("ISCII-DEV", "a\u{200D}\u{A0}\u{85}", b"a\xD9\xA0\x85"),
        // Bindi and tippi.
        ("ISCII-GUR", "\u{A15}\u{A70}\u{A05}\u{A3E}\u{A02}", b"\xB3\xA2\xA4\xDA\xA2"),
    ];

    #[test]
    fn round_trips_at_every_split_and_buffer_size() {
        assert_round_trips(ROUND_TRIP);
    }

    #[test]
    fn decodes_what_the_encoder_does_not_write() {
        let cases: &[(&str, &[u8], &str, &[Error])] = &[
            ("ISCII-DEV", b"\xEF\x46\xB3\xEF\x40\xB3", "\u{995}\u{915}", &[]),
            // Attributes of display.
            ("ISCII-DEV", b"\xEF\x30\xB3\xEF\x3F", "\u{915}", &[]),
            ("ISCII-BNG", b"\xB3\xEA\xEA\xEA", "\u{995}\u{965}\u{964}", &[]),
            ("ISCII-BNG", b"\xAB\xB3", "\u{FFFD}\u{995}", &[(0, 1, Unassigned)]),
            ("ISCII-DEV", b"\xEF\x41\xB3", "\u{FFFD}\u{915}", &[(0, 2, Unassigned)]),
            ("ISCII-DEV", b"\xEF\xB3", "\u{FFFD}\u{915}", &[(0, 1, MissingTrailByte)]),
            ("ISCII-DEV", b"\xF0\xB9a", "\u{FFFD}a", &[(0, 2, Unassigned)]),
            ("ISCII-DEV", b"\xF0a", "\u{FFFD}a", &[(0, 1, MissingTrailByte)]),
            ("ISCII-BNG", b"\xF0\xB8", "\u{FFFD}", &[(0, 2, Unassigned)]),
            (
                "ISCII-DEV",
                b"\xEB\xFF",
                "\u{FFFD}\u{FFFD}",
                &[(0, 1, Unassigned), (1, 1, Unassigned)],
            ),
            ("ISCII-DEV", b"\xEF", "\u{FFFD}", &[(0, 1, Truncated)]),
            ("ISCII-DEV", b"\xB3\xF0", "\u{915}\u{FFFD}", &[(1, 1, Truncated)]),
        ];
        for (label, bytes, text, errors) in cases {
            assert_decodes(label, bytes, text, errors);
        }
    }

    #[test]
    fn every_pair_of_mappable_characters_round_trips() {
        let block = |script: u32| (0x900 + 0x80 * script..).take(0x80).filter_map(char::from_u32);
        for script in 0..SCRIPTS.len() as u32 {
            let mut text: String = block(script).chain("\u{964}\u{965}\u{200D}".chars()).collect();
            let (_, unmappable) = encode("ISCII-DEV", &text);
            text.retain(|character| {
                !unmappable.iter().any(|(_, unmappable)| *unmappable == character)
            });
            assert!(text.chars().count() > 50, "{script}: {text}");
            for first in text.chars() {
                for second in text.chars() {
                    let text = format!("{first}{second}");
                    // A tippi that is not after its letters.
                    if text.contains('\u{A70}') {
                        continue;
                    }
                    let (bytes, errors) = encode("ISCII-DEV", &text);
                    assert_eq!(errors, []);
                    assert_eq!(decode("ISCII-DEV", &bytes), (text, vec![]), "{bytes:02X?}");
                }
            }
        }
    }

    #[test]
    fn other_characters_are_unmappable() {
        let (bytes, errors) = encode_every_way("ISCII-DEV", "é\u{A71}\u{200C}\u{915}中");
        assert_eq!(bytes, b"\xB3");
        let characters: Vec<char> = errors.iter().map(|(_, character)| *character).collect();
        assert_eq!(characters, ['é', '\u{A71}', '\u{200C}', '中']);
    }
}
