//! LMBCS, the Lotus Multi-Byte Character Set of Notes and 1-2-3, as in ICU.
//!
//! ASCII from 20 to 7F, NUL, tab, LF, CR and 19 (a mark of 1-2-3) are as they are. Any other character
//! has a group byte below 20, and then one or two bytes of the code page of the group. The code page of
//! one group, the optimization group, is written without the group byte: group 1, IBM850, in `LMBCS-1`,
//! which Notes uses, and another in the others, as files of 1-2-3 say in their header.
//!
//! - A byte below 80 after the group byte of a single-byte code page is one of the [`EXCEPTIONS`].
//! - A byte of one of the double-byte code pages that is a character alone has the group byte twice.
//! - Group 0F has the control characters, from 20 to 3F those below U+0020.
//! - Group 14 has two bytes of UTF-16; F6 and a byte are a unit whose low byte is zero.
//!
//! The decoder accepts every code of a character, also with the group byte of the optimization group.
//! The code pages are those of charpipe that are the same as ICU's, apart from private use characters.
//!
//! The encoder depends on the character alone: it takes the optimization group, then the single-byte
//! groups, the exceptions, the double-byte groups, and group 14, in the order of their numbers. ICU
//! prefers the groups of the characters before. Only characters from U+F600 to U+F6FF that no code page
//! has are unmappable, since group 14 has no codes for them.

use std::ops::RangeInclusive;
use std::sync::{LazyLock, Mutex, OnceLock};

use super::multi_byte::encode_table::TableSource;
use super::multi_byte::lazy_encode_table::LazyEncodeTable;
use super::multi_byte::mapping::{self, MappingError, MultiByteMapping};
use super::{Encoding, FnFactory, constants, shared};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::{SplitPoints, SplitRule};

macro_rules! encodings {
    ($($encoding:ident = $group:literal, $name:literal, $code_page:literal;)*) => {
        /// The encodings, one for each optimization group.
        pub static ALL: &[&Encoding] = &[$(&$encoding),*];

        $(
            static $encoding: Encoding = Encoding::new(
                $name,
                concat!("Strings of Lotus, optimized for ", $code_page),
                &FnFactory {
                    decoder: |_| Box::new(LmbcsDecoder { tables: &TABLES, group: $group }),
                    encoder: |_| Box::new(LmbcsEncoder::new($group)),
                    split_rule: |_| split_rule(),
                },
            );
        )*
    };
}

const fn split_rule() -> SplitRule {
    let reason = "a code can contain any byte";
    SplitRule::new(SplitPoints::None { reason })
}

encodings! {
    LMBCS_1 = 0x01, "LMBCS-1", "code page 850, as in Notes";
    LMBCS_2 = 0x02, "LMBCS-2", "code page 851 (Greek)";
    LMBCS_3 = 0x03, "LMBCS-3", "code page 1255 (Hebrew)";
    LMBCS_4 = 0x04, "LMBCS-4", "code page 1256 (Arabic)";
    LMBCS_5 = 0x05, "LMBCS-5", "code page 1251 (Cyrillic)";
    LMBCS_6 = 0x06, "LMBCS-6", "code page 852 (Central European languages)";
    LMBCS_8 = 0x08, "LMBCS-8", "code page 1254 (Turkish)";
    LMBCS_11 = 0x0B, "LMBCS-11", "code page 874 (Thai)";
    LMBCS_16 = 0x10, "LMBCS-16", "code page 932 (Japanese)";
    LMBCS_17 = 0x11, "LMBCS-17", "code page 949 (Korean)";
    LMBCS_18 = 0x12, "LMBCS-18", "code page 950 (traditional Chinese)";
    LMBCS_19 = 0x13, "LMBCS-19", "code page 936 (simplified Chinese)";
}

/// The groups of single-byte code pages.
static SINGLE_BYTE_GROUPS: [(u8, &Encoding); 8] = [
    (0x01, constants::IBM850),
    (0x02, constants::IBM_851_P100_1995),
    (0x03, constants::IBM_9447_P100_2002),
    (0x04, constants::IBM9448),
    (0x05, constants::IBM5347),
    (0x06, constants::IBM852),
    (0x08, constants::WHATWG_WINDOWS_1254),
    (0x0B, constants::WHATWG_WINDOWS_874),
];

macro_rules! code_page {
    ($trie:literal, $trail_index:ident) => {
        MultiByteMapping::with_ascii(
            include_bytes!(concat!("multi_byte/data/", $trie, ".trie")),
            &mapping::$trail_index,
        )
    };
}

/// The first group of a double-byte code page.
const FIRST_DOUBLE_BYTE_GROUP: u8 = 0x10;

/// The code pages of the groups from [`FIRST_DOUBLE_BYTE_GROUP`] on.
static DOUBLE_BYTE_CODE_PAGES: [MultiByteMapping; 4] = [
    code_page!("cp932", SHIFT_JIS),
    code_page!("libiconv-cp949", UHC),
    code_page!("cp950", BIG5),
    code_page!("cp936", GBK),
];

/// The group of Big5, which has more private use characters than the code page of charpipe: C6A1 to
/// C8FE in order are U+F6B1 to U+F848.
const BIG5_GROUP: u8 = 0x12;
const BIG5_PRIVATE_USE: RangeInclusive<u32> = 0xF6B1..=0xF848;
/// The number of trail bytes in Big5, and those of them that precede A1.
const BIG5_COLUMNS: u32 = 157;
const BIG5_LOW_COLUMNS: u32 = 63;

/// A group and the characters of the bytes from 0 on after it; NUL for none.
#[rustfmt::skip]
const EXCEPTIONS: [(u8, &str); 3] = [
    (
        0x01,
        "\0\u{263A}\u{263B}\u{2665}\u{2666}\u{2663}\u{2660}\u{2022}\u{25D8}\u{25CB}\u{25D9}\u{2642}\u{2640}\u{266A}\u{266B}\u{263C}\
         \u{25BA}\u{25C4}\u{2195}\u{203C}\u{B6}\u{A7}\u{25AC}\u{21A8}\u{2191}\u{2193}\u{2192}\u{2190}\u{221F}\u{2194}\u{25B2}\u{25BC}\
         \u{A8}~\u{2DA}^`\u{B4}\u{201C}'\u{2026}\u{2013}\u{2014}\u{2018}\u{2019}\0\u{2039}\u{203A}\
         \u{A8}~\u{2DA}^`\u{B4}\u{201E}\u{201A}\u{201D}\u{2017}\0\u{A0}\0\0\0\0\
         \u{152}\u{153}\u{178}\u{2D9}\u{2DA}\0\u{255E}\u{255F}\u{258C}\u{2590}\u{25CA}\u{2318}\u{F8FF}\u{F8FE}\u{2126}\0\
         \u{2568}\u{2564}\u{2565}\u{2559}\u{2558}\u{2552}\u{2553}\u{256B}\u{256A}\u{2561}\u{2562}\u{2556}\u{2555}\u{255C}\u{255B}\u{2567}\
         \u{133}\u{132}\u{FB01}\u{FB02}\u{149}\u{140}\u{13F}\u{AF}\u{2D8}\u{2DD}\u{2DB}\u{2C7}~^\0\0\
         \u{2020}\u{2021}\u{126}\u{127}\u{166}\u{167}\u{2122}\u{2113}\u{14A}\u{14B}\u{138}\0\u{F8FB}\u{2310}\u{20A4}\u{20A7}",
    ),
    (
        0x02,
        "\0\u{37A}\u{385}\u{3AA}\u{3AB}\u{2015}\u{384}\u{2BC}\u{2BD}\u{203E}\0\0\0\0\u{F862}\u{F863}\
         \u{F864}\u{F865}\u{21D5}\u{215E}\u{215D}\u{215C}\u{215B}\u{F867}\u{21D1}\u{21D3}\u{21D2}\u{21D0}\u{F868}\u{21D4}\u{F869}\u{F89F}\
         \u{F89E}\u{F89D}\u{F89C}\u{F89B}\u{F89A}\u{F899}\u{F898}\u{F897}\u{F896}\u{F895}\u{F894}\u{F893}\u{F892}\u{F891}\u{F890}\u{F88F}\
         \u{F88E}\u{F88D}\u{F88C}\u{F88B}\u{F88A}\u{F889}\u{F888}\u{F887}\u{F886}\u{F885}\u{F884}\u{F883}\u{F882}\u{F881}\u{F880}\u{F866}\
         \u{2220}\u{2207}\u{F87F}\u{F87E}\u{F87D}\u{F87C}\u{F87B}\u{F87A}\u{F879}\u{F878}\u{F877}\u{F876}\u{F875}\u{F874}\u{F873}\u{F872}\
         \u{2202}\u{2135}\u{2111}\u{211C}\u{F871}\u{F870}\u{F86F}\u{F86E}\u{F86D}\u{F86C}\u{F86B}\u{220B}\u{2208}\u{2209}\u{2286}\u{2287}\
         \u{2297}\u{2295}\u{2713}\u{22C0}\u{2201}\u{222B}\u{2200}\u{2203}\u{F86A}\u{2032}\u{2033}\u{221E}\u{221D}\u{3C6}\u{222A}\u{2229}\
         \u{2261}\u{2245}\u{2265}\u{2264}\u{2320}\u{2321}\u{2260}\u{2248}\u{2044}\u{2219}\u{2030}\u{221A}\u{207F}\u{2205}\u{2282}\u{2283}",
    ),
    (
        0x06,
        "\0\u{101}\u{108}\u{109}\u{10A}\u{10B}\u{112}\u{113}\u{116}\u{117}\u{11C}\u{11D}\u{120}\u{121}\u{122}\u{123}\
         \u{124}\u{125}\u{128}\u{129}\u{12A}\u{12B}\u{12E}\u{12F}\u{134}\u{135}\u{136}\u{137}\u{13B}\u{13C}\u{145}\u{146}\
         \u{14C}\u{14D}\u{156}\u{157}\u{15C}\u{15D}\u{168}\u{169}\u{16A}\u{16B}\u{16C}\u{16D}\u{172}\u{173}\u{100}",
    ),
];

const CONTROL_GROUP: u8 = 0x0F;
const UNICODE_GROUP: u8 = 0x14;
/// The first byte of a unit of UTF-16 whose low byte is zero.
const ZERO_LOW_BYTE: u8 = 0xF6;

/// Returns whether a byte, or the character with this number, represents itself.
fn represents_itself(byte: u8) -> bool {
    matches!(byte, 0x20..=0x7F | b'\0' | b'\t' | b'\n' | b'\r' | 0x19)
}

/// The mapping of a double-byte group.
fn code_page(group: u8) -> Option<&'static MultiByteMapping> {
    DOUBLE_BYTE_CODE_PAGES.get(usize::from(group.checked_sub(FIRST_DOUBLE_BYTE_GROUP)?))
}

/// Returns the private use character of a code of Big5 that the code page does not have.
fn big5_private_use(lead: u8, trail: u8) -> Option<char> {
    let column = match trail {
        0x40..=0x7E => u32::from(trail - 0x40),
        0xA1..=0xFE => u32::from(trail - 0xA1) + BIG5_LOW_COLUMNS,
        _ => return None,
    };
    let index = u32::from(lead.checked_sub(0xC6)?) * BIG5_COLUMNS + column;
    let code = BIG5_PRIVATE_USE.start() + index.checked_sub(BIG5_LOW_COLUMNS)?;
    BIG5_PRIVATE_USE.contains(&code).then(|| char::from_u32(code)).flatten()
}

/// Returns the code of Big5 that [`big5_private_use`] decodes.
fn big5_private_use_code(code: u32) -> [u8; 2] {
    let index = code - BIG5_PRIVATE_USE.start() + BIG5_LOW_COLUMNS;
    let column = (index % BIG5_COLUMNS) as u8;
    let low_columns = BIG5_LOW_COLUMNS as u8;
    let trail = if column < low_columns { 0x40 + column } else { 0xA1 + (column - low_columns) };
    [0xC6 + (index / BIG5_COLUMNS) as u8, trail]
}

/// The characters of the single-byte groups by group and byte, with the exceptions.
struct LmbcsTables([[Option<char>; 0x100]; FIRST_DOUBLE_BYTE_GROUP as usize]);

static TABLES: LazyLock<Box<LmbcsTables>> = LazyLock::new(|| {
    let mut tables = Box::new(LmbcsTables([[None; 0x100]; FIRST_DOUBLE_BYTE_GROUP as usize]));
    for (group, encoding) in SINGLE_BYTE_GROUPS {
        for byte in 0x80..=0xFF {
            tables.0[usize::from(group)][usize::from(byte)] = encoding.single_byte_char(byte);
        }
    }
    for (group, characters) in EXCEPTIONS {
        for (byte, character) in characters.chars().enumerate() {
            tables.0[usize::from(group)][byte] = Some(character).filter(|known| *known != '\0');
        }
    }
    tables
});

impl LmbcsTables {
    /// Returns whether this is the group of a single-byte code page.
    fn is_single_byte(&self, group: u8) -> bool {
        SINGLE_BYTE_GROUPS.iter().any(|(known, _)| *known == group)
    }

    fn character(&self, group: u8, byte: u8) -> Option<char> {
        self.0[usize::from(group)][usize::from(byte)]
    }

    /// Returns the characters with their groups and bytes in the order of the encoder: the bytes from 80
    /// on of the optimization group come first, those of all groups next, and then the exceptions.
    fn in_order(&self, optimization_group: u8) -> impl Iterator<Item = (char, u8, u8)> + '_ {
        let groups = SINGLE_BYTE_GROUPS.map(|(group, _)| group);
        let is_optimized = move |group: &u8| *group == optimization_group;
        let optimized = groups.into_iter().filter(is_optimized);
        let high = optimized.chain(groups).map(|group| (group, 0x80..=0xFF));
        let all = high.chain(groups.map(|group| (group, 0x00..=0x7F)));
        all.flat_map(move |(group, bytes)| {
            bytes.filter_map(move |byte| Some((self.character(group, byte)?, group, byte)))
        })
    }
}

/// The codes of the characters of plane 0: the bytes, the first one lowest, and their number in the
/// highest byte; zero for none.
type Codes = [u32; 0x1_0000];

/// The item at the start of the source.
enum LmbcsItem {
    Text { character: char, len: usize },
    Incomplete,
    Malformed { len: usize, reason: MalformedReason },
}

impl LmbcsItem {
    fn malformed(len: usize, reason: MalformedReason) -> LmbcsItem {
        LmbcsItem::Malformed { len, reason }
    }

    /// Returns this item with `len` bytes before it.
    fn after(self, before: usize) -> LmbcsItem {
        match self {
            LmbcsItem::Text { character, len } => LmbcsItem::Text { character, len: before + len },
            LmbcsItem::Incomplete => LmbcsItem::Incomplete,
            // The first byte cannot be a trail byte, and may be a character.
            LmbcsItem::Malformed { len: 1, reason: MalformedReason::InvalidLeadByte } => {
                LmbcsItem::malformed(before, MalformedReason::MissingTrailByte)
            }
            LmbcsItem::Malformed { len, reason } => {
                LmbcsItem::Malformed { len: before + len, reason }
            }
        }
    }
}

struct LmbcsDecoder {
    tables: &'static LmbcsTables,
    /// The optimization group.
    group: u8,
}

impl LmbcsDecoder {
    /// Reads one character of `src`, which is not empty.
    fn read_item(&self, src: &[u8]) -> LmbcsItem {
        let rest = &src[1..];
        match src[0] {
            byte if represents_itself(byte) => {
                LmbcsItem::Text { character: char::from(byte), len: 1 }
            }
            0x80..=0xFF => self.read_code(self.group, src),
            CONTROL_GROUP => match rest {
                [] => LmbcsItem::Incomplete,
                [byte @ 0x20..=0x3F, ..] => {
                    LmbcsItem::Text { character: char::from(byte - 0x20), len: 2 }
                }
                [byte @ 0x80..=0x9F, ..] => {
                    LmbcsItem::Text { character: char::from(*byte), len: 2 }
                }
                _ => LmbcsItem::malformed(1, MalformedReason::MissingTrailByte),
            },
            UNICODE_GROUP => read_utf16(src),
            group if self.tables.is_single_byte(group) || code_page(group).is_some() => {
                match rest {
                    [] => LmbcsItem::Incomplete,
                    [byte, rest @ ..] if *byte == group && code_page(group).is_some() => match rest
                    {
                        [] => LmbcsItem::Incomplete,
                        _ => read_single(group, rest).after(2),
                    },
                    _ => match self.read_code(group, rest).after(1) {
                        // A single byte must have the group byte twice.
                        LmbcsItem::Text { len: 2, .. } if code_page(group).is_some() => {
                            LmbcsItem::malformed(2, MalformedReason::Unassigned)
                        }
                        item => item,
                    },
                }
            }
            _ => LmbcsItem::malformed(1, MalformedReason::InvalidLeadByte),
        }
    }

    /// Reads the code after a group byte.
    fn read_code(&self, group: u8, src: &[u8]) -> LmbcsItem {
        let Some(mapping) = code_page(group) else {
            return match self.tables.character(group, src[0]) {
                Some(character) => LmbcsItem::Text { character, len: 1 },
                None => LmbcsItem::malformed(1, MalformedReason::InvalidLeadByte),
            };
        };
        if src[0] < 0x80 {
            return LmbcsItem::malformed(1, MalformedReason::InvalidLeadByte);
        }
        match mapping.decode_one(src) {
            Ok(code) => LmbcsItem::Text { character: code.chars.first, len: code.len },
            Err(MappingError::Incomplete) => LmbcsItem::Incomplete,
            Err(MappingError::Malformed(len, reason)) => {
                let private_use = src.get(1).filter(|_| group == BIG5_GROUP);
                match private_use.and_then(|trail| big5_private_use(src[0], *trail)) {
                    Some(character) => LmbcsItem::Text { character, len: 2 },
                    None => LmbcsItem::malformed(len, reason),
                }
            }
        }
    }
}

/// Reads a character of one byte of a double-byte group.
fn read_single(group: u8, src: &[u8]) -> LmbcsItem {
    let decoded = code_page(group).map(|mapping| mapping.decode_one(&src[..1]));
    match decoded {
        Some(Ok(code)) if src[0] >= 0x80 => LmbcsItem::Text { character: code.chars.first, len: 1 },
        _ => LmbcsItem::malformed(1, MalformedReason::InvalidLeadByte),
    }
}

/// Reads a unit of UTF-16 after the byte of its group, or two that are a pair.
fn read_utf16(src: &[u8]) -> LmbcsItem {
    let unit = |at: usize| match src.get(at..at + 3) {
        Some([_, ZERO_LOW_BYTE, high]) => Some(u16::from_be_bytes([*high, 0])),
        Some([_, high, low]) => Some(u16::from_be_bytes([*high, *low])),
        _ => None,
    };
    let Some(first) = unit(0) else { return LmbcsItem::Incomplete };
    if let Some(character) = char::from_u32(first.into()) {
        return LmbcsItem::Text { character, len: 3 };
    }
    let unpaired = LmbcsItem::malformed(3, MalformedReason::UnpairedSurrogate);
    let is_lead = matches!(first, 0xD800..=0xDBFF);
    match (src.get(3), unit(3)) {
        (Some(&UNICODE_GROUP) | None, None) if is_lead => LmbcsItem::Incomplete,
        (Some(&UNICODE_GROUP), Some(second)) if is_lead => {
            match char::decode_utf16([first, second]).next() {
                Some(Ok(character)) => LmbcsItem::Text { character, len: 6 },
                _ => unpaired,
            }
        }
        _ => unpaired,
    }
}

impl Checkpoint for LmbcsDecoder {
    fn max_lookahead(&self) -> usize {
        MAX_LEN
    }
}

/// The maximum length of a character in bytes: two surrogates.
const MAX_LEN: usize = 6;

impl DecodeStage for LmbcsDecoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let rest = &src[read..];
            let error = match self.read_item(rest) {
                LmbcsItem::Text { character, len } => {
                    let Some(space) = dst[written..].get_mut(..character.len_utf8()) else {
                        return Progress::output_full(read, written);
                    };
                    character.encode_utf8(space);
                    written += character.len_utf8();
                    read += len;
                    continue;
                }
                LmbcsItem::Incomplete if !end => return Progress::input_empty(read, written),
                LmbcsItem::Incomplete => {
                    Malformed::new(truncated_len(rest), MalformedReason::Truncated, State::INITIAL)
                }
                LmbcsItem::Malformed { len, reason } => Malformed::new(len, reason, State::INITIAL),
            };
            return Progress::error(read, written, error);
        }
        Progress::input_empty(read, written)
    }
}

/// Returns the length of the malformed sequence of a code that is cut off at the end of the input. A
/// lead surrogate is one without the start of the next unit.
fn truncated_len(rest: &[u8]) -> usize {
    rest.len().min(3)
}

/// The maximum length of a code of a code page with its group.
const MAX_CODE_LEN: u8 = 3;

/// In the highest byte of an entry: the character has no code in a code page.
const NO_CODE: u8 = 0xFF;

/// The codes of all characters, by optimization group.
static CODES: [OnceLock<Box<Codes>>; MAX_GROUP as usize + 1] =
    [const { OnceLock::new() }; MAX_GROUP as usize + 1];

/// The codes of a few characters, until all are known.
static PARTIAL_CODES: [Mutex<Option<PartialCodes>>; MAX_GROUP as usize + 1] =
    [const { Mutex::new(None) }; MAX_GROUP as usize + 1];

/// The last optimization group.
const MAX_GROUP: u8 = FIRST_DOUBLE_BYTE_GROUP + DOUBLE_BYTE_CODE_PAGES.len() as u8 - 1;

struct LmbcsEncoder {
    /// The codes of all characters, which all encoders share.
    complete: &'static OnceLock<Box<Codes>>,
    /// Those of a few characters, unless all are known.
    partial: &'static Mutex<Option<PartialCodes>>,
}

impl LmbcsEncoder {
    fn new(group: u8) -> LmbcsEncoder {
        let complete = &CODES[usize::from(group)];
        let partial = &PARTIAL_CODES[usize::from(group)];
        let mut codes = shared::lock(partial);
        if complete.get().is_none() {
            codes.get_or_insert_with(|| PartialCodes::new(group));
        }
        LmbcsEncoder { complete, partial }
    }

    /// Returns the bytes of a character and their number, unless it has no code.
    fn encode_char(&mut self, character: char) -> Option<([u8; MAX_LEN], usize)> {
        let mut bytes = [0; MAX_LEN];
        if let [code @ .., len @ 1..=MAX_CODE_LEN] = self.code(character).to_le_bytes() {
            bytes[..code.len()].copy_from_slice(&code);
            return Some((bytes, len.into()));
        }
        let mut units = [0; 2];
        let units = character.encode_utf16(&mut units);
        for (unit, code) in units.iter().zip(bytes.chunks_exact_mut(3)) {
            let [high, low] = match unit.to_be_bytes() {
                [ZERO_LOW_BYTE, _] => return None,
                [high, 0] => [ZERO_LOW_BYTE, high],
                code => code,
            };
            code.copy_from_slice(&[UNICODE_GROUP, high, low]);
        }
        Some((bytes, 3 * units.len()))
    }

    /// Returns the entry of a character in [`Codes`], or zero.
    #[inline]
    fn code(&mut self, character: char) -> u32 {
        let index = u32::from(character) as usize;
        match self.complete.get() {
            Some(codes) => codes.get(index).copied().unwrap_or_default(),
            None => self.search(character),
        }
    }

    #[cold]
    fn search(&mut self, character: char) -> u32 {
        let index = u32::from(character) as usize;
        if index >= 0x1_0000 {
            return 0;
        }
        let mut partial = shared::lock(self.partial);
        if let Some(code) = partial.as_mut().and_then(|partial| partial.code(character)) {
            return code;
        }
        let take = || partial.take().expect("it is taken only here, and shared then").complete();
        self.complete.get_or_init(take)[index]
    }
}

/// The codes of the characters of a text.
struct PartialCodes {
    /// The optimization group.
    group: u8,
    tables: &'static LmbcsTables,
    codes: Box<Codes>,
    /// The codes of the double-byte groups, each with its group above it; those of the optimization
    /// group come first.
    double_bytes: LazyEncodeTable,
}

impl PartialCodes {
    fn new(group: u8) -> PartialCodes {
        let codes = vec![0; 0x1_0000].into_boxed_slice();
        let others = (FIRST_DOUBLE_BYTE_GROUP..).take(DOUBLE_BYTE_CODE_PAGES.len());
        let groups = [group].into_iter().chain(others.filter(|other| *other != group));
        let sources = groups.filter_map(|group| {
            let tag = u32::from(group) << 16;
            Some(TableSource::without_one_way(code_page(group)?, tag))
        });
        PartialCodes {
            group,
            tables: &TABLES,
            codes: codes.try_into().expect("the length is that of the array"),
            double_bytes: LazyEncodeTable::new(sources.collect(), Box::default()),
        }
    }

    /// Returns the entry of a character of plane 0, or `None` if it is one of too many.
    fn code(&mut self, character: char) -> Option<u32> {
        let index = u32::from(character) as usize;
        if self.codes[index] == 0 {
            let single_byte = match character {
                '\0'..='\u{9F}' => None,
                _ => self.tables.in_order(self.group).find(|(other, ..)| *other == character),
            };
            let single_byte = single_byte.map(|(_, group, byte)| (group, byte));
            self.codes[index] = self.find_entry(character, single_byte)?;
        }
        Some(self.codes[index])
    }

    /// Returns the codes of all characters. Does not allocate.
    fn complete(mut self) -> Box<Codes> {
        self.double_bytes.complete();
        for (character, group, byte) in self.tables.in_order(self.group) {
            self.add_entry(character, Some((group, byte)));
        }
        ('\0'..='\u{FFFF}').for_each(|character| self.add_entry(character, None));
        self.codes
    }

    /// Adds the entry of a character unless it is known.
    fn add_entry(&mut self, character: char, single_byte: Option<(u8, u8)>) {
        let index = u32::from(character) as usize;
        if self.codes[index] == 0 {
            self.codes[index] = self.find_entry(character, single_byte).unwrap_or_default();
        }
    }

    /// Returns the entry of a character of plane 0 from its first code in a single-byte group; `None` if
    /// it is one of too many.
    fn find_entry(&mut self, character: char, single_byte: Option<(u8, u8)>) -> Option<u32> {
        let entry = |code: &[u8]| {
            let mut bytes = [0, 0, 0, code.len() as u8];
            bytes[..code.len()].copy_from_slice(code);
            u32::from_le_bytes(bytes)
        };
        if let byte @ 0..=0x9F = u32::from(character) {
            return Some(match byte as u8 {
                byte if represents_itself(byte) => entry(&[byte]),
                byte @ 0x00..=0x1F => entry(&[CONTROL_GROUP, byte + 0x20]),
                byte => entry(&[CONTROL_GROUP, byte]),
            });
        }
        let double_byte = double_byte_code(character, self.double_bytes.try_single(character)?);
        Some(match (single_byte, double_byte) {
            (_, Some(code)) if code[0] == self.group => {
                let group_len = code.iter().take_while(|byte| **byte == self.group).count();
                entry(&code[group_len..])
            }
            (Some((group, byte)), _) if group == self.group && byte >= 0x80 => entry(&[byte]),
            (Some((group, byte)), _) => entry(&[group, byte]),
            (None, Some(code)) => entry(&code),
            (None, None) => u32::from_le_bytes([0, 0, 0, NO_CODE]),
        })
    }
}

/// Returns the code of a character in a double-byte group, with the group, from its entry in the table.
fn double_byte_code(character: char, entry: u32) -> Option<[u8; 3]> {
    match entry.to_le_bytes() {
        [0, ..] if BIG5_PRIVATE_USE.contains(&u32::from(character)) => {
            let [lead, trail] = big5_private_use_code(character.into());
            Some([BIG5_GROUP, lead, trail])
        }
        [0, ..] => None,
        [single, 0, group, _] => Some([group, group, single]),
        [lead, trail, group, _] => Some([group, lead, trail]),
    }
}

impl Checkpoint for LmbcsEncoder {
    fn max_lookahead(&self) -> usize {
        MAX_LEN
    }
}

impl EncodeStage for LmbcsEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        for character in src.chars() {
            let Some((bytes, len)) = self.encode_char(character) else {
                return Progress::error(read, written, Unmappable::new(character));
            };
            let Some(space) = dst[written..].get_mut(..len) else {
                return Progress::output_full(read, written);
            };
            space.copy_from_slice(&bytes[..len]);
            written += len;
            read += character.len_utf8();
        }
        Progress::input_empty(read, written)
    }
}

#[cfg(test)]
mod tests {
    use super::PartialCodes;
    use crate::conversion_error::MalformedReason::{
        InvalidLeadByte, MissingTrailByte, Truncated, Unassigned, UnpairedSurrogate,
    };
    use crate::encoding::testing::{Error, assert_decodes, assert_round_trips, decode, encode};

    /// Label, text, bytes. uconv writes and reads the same, with the converter of this name.
    const ROUND_TRIP: &[(&str, &str, &[u8])] = &[
        ("LMBCS-1", "a~\u{7F}\0\t\r\n\u{19}", b"a~\x7F\0\t\r\n\x19"),
        ("LMBCS-1", "caf\u{E9}", b"caf\x82"),
        ("LMBCS-1", "\u{1}\u{1F}\u{80}\u{9F}", b"\x0F\x21\x0F\x3F\x0F\x80\x0F\x9F"),
        ("LMBCS-1", "\u{3B1}", b"\x02\xD6"),
        ("LMBCS-1", "\u{5D0}", b"\x03\xE0"),
        ("LMBCS-1", "\u{633}", b"\x04\xD3"),
        ("LMBCS-1", "\u{436}", b"\x05\xE6"),
        ("LMBCS-1", "\u{10D}", b"\x06\x9F"),
        ("LMBCS-1", "\u{E01}", b"\x0B\xA1"),
        ("LMBCS-1", "\u{203C}\u{215B}", b"\x01\x13\x02\x16"),
        ("LMBCS-1", "\u{65E5}", b"\x10\x93\xFA"),
        ("LMBCS-1", "\u{FF71}", b"\x10\x10\xB1"),
        ("LMBCS-1", "\u{D55C}", b"\x11\xC7\xD1"),
        ("LMBCS-1", "\u{1F00}\u{1F01}", b"\x14\xF6\x1F\x14\x1F\x01"),
        ("LMBCS-1", "\u{1F600}", b"\x14\xD8\x3D\x14\xF6\xDE"),
        ("LMBCS-1", "\u{F6B1}", b"\x12\xC6\xA1"),
        ("LMBCS-5", "\u{436}\u{E9}", b"\xE6\x01\x82"),
        ("LMBCS-16", "\u{65E5}\u{FF71}\u{D55C}", b"\x93\xFA\xB1\x11\xC7\xD1"),
        ("LMBCS-18", "\u{F848}", b"\xC8\xFE"),
    ];

    #[test]
    fn codes_of_a_few_characters_equal_those_of_all() {
        for group in [0x01, 0x05, 0x10, 0x12] {
            let all = PartialCodes::new(group).complete();
            let characters: Vec<char> =
                ('\0'..'\u{180}').chain(('\u{180}'..='\u{FFFF}').step_by(61)).collect();
            for few in characters.chunks(60) {
                let mut partial = PartialCodes::new(group);
                for character in few {
                    let code = partial.code(*character);
                    assert_eq!(code, Some(all[*character as usize]), "{group} {character:?}");
                }
            }
        }
    }

    #[test]
    fn characters_of_every_group_round_trip() {
        assert_round_trips(ROUND_TRIP);
    }

    #[test]
    fn decodes_what_the_encoder_does_not_write() {
        let cases: &[(&str, &[u8], &str, &[Error])] = &[
            // The byte of the optimization group, and codes of characters that have another one.
            ("LMBCS-1", b"\x01\x82\x06\x82", "\u{E9}\u{E9}", &[]),
            ("LMBCS-16", b"\x10\x93\xFA\x10\x10\xB1", "\u{65E5}\u{FF71}", &[]),
            ("LMBCS-1", b"\x14\x00\x41\x0F\x20\x01\x20", "A\0\u{A8}", &[]),
            (
                "LMBCS-1",
                b"\x07\x15a",
                "\u{FFFD}\u{FFFD}a",
                &[(0, 1, InvalidLeadByte), (1, 1, InvalidLeadByte)],
            ),
            ("LMBCS-1", b"\x03A", "\u{FFFD}A", &[(0, 1, MissingTrailByte)]),
            ("LMBCS-1", b"\x0FA", "\u{FFFD}A", &[(0, 1, MissingTrailByte)]),
            ("LMBCS-1", b"\x10\xB1A", "\u{FFFD}A", &[(0, 2, Unassigned)]),
            ("LMBCS-1", b"\x10A", "\u{FFFD}A", &[(0, 1, MissingTrailByte)]),
            ("LMBCS-1", b"\x10\x93\x20", "\u{FFFD} ", &[(0, 2, MissingTrailByte)]),
            ("LMBCS-1", b"\x10\x10A", "\u{FFFD}A", &[(0, 2, MissingTrailByte)]),
            ("LMBCS-1", b"\x12\xC8\xFF", "\u{FFFD}", &[(0, 3, Unassigned)]),
            ("LMBCS-1", b"\x14\xDC\x00a", "\u{FFFD}a", &[(0, 3, UnpairedSurrogate)]),
            ("LMBCS-1", b"\x14\xD8\x3Da", "\u{FFFD}a", &[(0, 3, UnpairedSurrogate)]),
            (
                "LMBCS-1",
                b"\x14\xD8\x3D\x14\x20\xAD",
                "\u{FFFD}\u{20AD}",
                &[(0, 3, UnpairedSurrogate)],
            ),
            ("LMBCS-1", b"\x14\xD8\x3D", "\u{FFFD}", &[(0, 3, Truncated)]),
            (
                "LMBCS-1",
                b"\x14\xD8\x3D\x14",
                "\u{FFFD}\u{FFFD}",
                &[(0, 3, Truncated), (3, 1, Truncated)],
            ),
            ("LMBCS-1", b"\x05", "\u{FFFD}", &[(0, 1, Truncated)]),
            ("LMBCS-1", b"\x10\x93", "\u{FFFD}", &[(0, 2, Truncated)]),
            ("LMBCS-16", b"\x93", "\u{FFFD}", &[(0, 1, Truncated)]),
        ];
        for (label, bytes, text, errors) in cases {
            assert_decodes(label, bytes, text, errors);
        }
    }

    #[test]
    fn every_character_round_trips_but_for_those_without_a_code() {
        for label in ["LMBCS-1", "LMBCS-6", "LMBCS-17", "LMBCS-18"] {
            let text: String = ('\0'..='\u{1_1000}').collect();
            let (bytes, unmappable) = encode(label, &text);
            assert!(unmappable.iter().all(|(_, it)| matches!(it, '\u{F600}'..='\u{F6FF}')));
            let missing: Vec<char> =
                unmappable.into_iter().map(|(_, character)| character).collect();
            let encoded: String =
                text.chars().filter(|it| missing.binary_search(it).is_err()).collect();
            assert!(decode(label, &bytes) == (encoded, vec![]), "{label}");
        }
    }
}
