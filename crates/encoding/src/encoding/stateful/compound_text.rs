//! Compound Text of X11 (X Consortium Standard "Compound Text Encoding", version 1.1): ISO 2022 with
//! G0 in bytes 21 to 7E and G1 in bytes A0 to FF, for window titles and selections.
//!
//! A text begins with ASCII as G0 and the right half of ISO-8859-1 as G1, so plain ISO-8859-1 is
//! Compound Text. The sets are those of the standard and those that Xlib has in addition: the newer
//! parts of ISO 8859, JIS X 0212, and planes 1 to 7 of CNS 11643. What the standard leaves open, or
//! programs do otherwise:
//!
//! - ESC % G begins a segment in UTF-8 and ESC % @ ends it, as in Xlib. A designation inside one ends
//!   it too, as ICU writes. The designated sets are the same after it as before.
//! - An extended segment (ESC % /) names its encoding. Those that Xlib and Emacs write are decoded; one
//!   of any other encoding is a malformed sequence of the six bytes before the name, and the rest of
//!   it is skipped. A segment may be cut off at the end of the text.
//! - The standard has no control characters but tab and newline. Here all of them represent
//!   themselves, as in ICU, except for ESC, and CSI (9B) before a direction.
//! - Directions (CSI 1 \], CSI 2 \], CSI \]) and the version (ESC # V 0) are skipped: text of Unicode
//!   has its direction from its characters.
//! - An unknown sequence is an error of its first byte.
//! - Sets do not end with a line.
//!
//! The encoder keeps ASCII in G0, and designates as G1 the first set of [`SETS`] that has the
//! character, unless the current one has it. The order is that of Xlib, and ISO-8859-7 and -8 are
//! written in their registered editions of 1987, without the characters that were added later. A
//! character in no set is written in UTF-8. Only ESC is unmappable.

use std::sync::{LazyLock, OnceLock};

use super::{Encoding, EncodingOptions};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, State, Status};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::encoding::multi_byte::cells::OneOrTwoChars;
use crate::encoding::multi_byte::encode_table::TableSource;
use crate::encoding::multi_byte::lazy_encode_table::{
    LazyEncodeTable, Override, SharedEncodeTable,
};
use crate::encoding::multi_byte::mapping::{self, MultiByteMapping};
use crate::encoding::split_rule::SplitRule;
use crate::encoding::{FnFactory, constants, not_utf8};
use charpipe_kernel as kernel;

/// Compound Text.
pub static COMPOUND_TEXT: Encoding = Encoding::new(
    "COMPOUND_TEXT",
    "Compound Text of X11: ISO 2022 with the parts of ISO 8859, sets of East Asia and UTF-8",
    &FnFactory {
        decoder: |_| Box::new(CompoundTextDecoder::new()),
        encoder: |_| Box::new(CompoundTextEncoder::new()),
        split_rule: |_| SplitRule::unsplittable("the designated sets outlive a line"),
    },
);

/// A set, by its escape sequence.
struct CompoundGraphicSet {
    kind: SetKind,
    /// The last byte of the sequence.
    final_byte: u8,
    content: SegmentContent,
}

/// The kinds of sets, which have different sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SetKind {
    /// 94 characters: ESC ( or ESC ).
    Single94,
    /// 96 characters: ESC -.
    Single96,
    /// 94 by 94 characters: ESC $ ( or ESC $ ).
    Double94,
}

/// Where the characters of a set are.
enum SegmentContent {
    Ascii,
    /// The bytes from A0 on of an encoding.
    RightHalf(&'static Encoding),
    Mapping(MultiByteMapping),
}

const fn ascii() -> CompoundGraphicSet {
    CompoundGraphicSet { kind: SetKind::Single94, final_byte: b'B', content: SegmentContent::Ascii }
}

const fn right_half(final_byte: u8, encoding: &'static Encoding) -> CompoundGraphicSet {
    let content = SegmentContent::RightHalf(encoding);
    CompoundGraphicSet { kind: SetKind::Single96, final_byte, content }
}

const fn single(final_byte: u8, mapping: MultiByteMapping) -> CompoundGraphicSet {
    CompoundGraphicSet {
        kind: SetKind::Single94,
        final_byte,
        content: SegmentContent::Mapping(mapping),
    }
}

const fn double(final_byte: u8, mapping: MultiByteMapping) -> CompoundGraphicSet {
    CompoundGraphicSet {
        kind: SetKind::Double94,
        final_byte,
        content: SegmentContent::Mapping(mapping),
    }
}

/// The sets in the order in which the encoder tries them.
static SETS: [CompoundGraphicSet; 29] = [
    ascii(),
    right_half(b'A', constants::ISO_8859_1),
    right_half(b'B', constants::ISO_8859_2),
    right_half(b'C', constants::ISO_8859_3),
    right_half(b'D', constants::ISO_8859_4),
    right_half(b'L', constants::ISO_8859_5),
    right_half(b'G', constants::ISO_8859_6),
    right_half(b'F', constants::ISO_8859_7),
    right_half(b'H', constants::ISO_8859_8),
    right_half(b'M', constants::ISO_8859_9),
    right_half(b'V', constants::ISO_8859_10),
    right_half(b'T', constants::ISO_8859_11),
    right_half(b'Y', constants::ISO_8859_13),
    right_half(b'_', constants::ISO_8859_14),
    right_half(b'b', constants::ISO_8859_15),
    right_half(b'f', constants::ISO_8859_16),
    single(b'I', gl_94!("katakana")),
    double(b'A', gl_94!("gb2312")),
    double(b'B', gl_94!("jisx0208")),
    double(b'D', gl_94!("jisx0212")),
    double(b'C', gl_94!("ksc5601")),
    double(b'G', gl_94!("cns11643-1")),
    double(b'H', gl_94!("cns11643-2")),
    double(b'I', gl_94!("cns11643-3")),
    double(b'J', gl_94!("cns11643-4")),
    double(b'K', gl_94!("cns11643-5")),
    double(b'L', gl_94!("cns11643-6")),
    double(b'M', gl_94!("cns11643-7")),
    CompoundGraphicSet {
        kind: SetKind::Single94,
        final_byte: b'J',
        content: SegmentContent::Mapping(ROMAN),
    },
];

const ROMAN: MultiByteMapping =
    MultiByteMapping::with_ascii(include_bytes!("../multi_byte/data/roman.trie"), &mapping::GL_94);

/// The numbers of the sets at the start.
const ASCII: u8 = 0;
const LATIN_1: u8 = 1;

/// The number of the first set that has a mapping.
const FIRST_MAPPING: usize = 16;

/// The number of the first set that is only decoded.
const DECODE_ONLY: usize = SETS.len() - 1;

/// Characters that the editions of 1987 of two sets do not have.
const LATER_ADDITIONS: [(u8, &[char]); 2] =
    [(b'F', &['\u{20AC}', '\u{20AF}', '\u{37A}']), (b'H', &['\u{200E}', '\u{200F}'])];

/// Single-byte encodings of extended segments: a name as in X Logical Font Descriptions, without regard
/// to case. Combining marks are not composed.
static SINGLE_BYTE_SEGMENTS: [(&[u8], &Encoding); 19] = [
    (b"iso8859-13", constants::ISO_8859_13),
    (b"iso8859-14", constants::ISO_8859_14),
    (b"iso8859-15", constants::ISO_8859_15),
    (b"fcd8859-15", constants::ISO_8859_15),
    (b"iso8859-16", constants::ISO_8859_16),
    (b"koi8-r", constants::KOI8_R),
    (b"koi8-u", constants::KOI8_U),
    (b"armscii-8", constants::ARMSCII_8),
    (b"ibm-cp1133", constants::IBM1133),
    (b"mulelao-1", constants::MULELAO_1),
    (b"viscii1.1-1", constants::VISCII),
    (b"tcvn-5712", constants::TCVN5712_1),
    (b"georgian-academy", constants::GEORGIAN_ACADEMY),
    (b"georgian-ps", constants::GEORGIAN_PS),
    (b"microsoft-cp1250", constants::CP1250),
    (b"microsoft-cp1251", constants::CP1251),
    (b"microsoft-cp1252", constants::CP1252),
    (b"microsoft-cp1255", constants::CP1255),
    (b"microsoft-cp1256", constants::CP1256),
];

/// Multi-byte encodings of extended segments.
static MULTI_BYTE_SEGMENTS: [(&[u8], &Encoding); 4] = [
    (b"big5-0", constants::BIG5),
    (b"big5hkscs-0", constants::BIG5_HKSCS),
    (b"gbk-0", constants::GBK),
    (b"gb18030.2000-0", constants::GB18030),
];

/// The maximum length of the name of an extended segment.
const MAX_NAME_LEN: usize = 24;
/// The length of ESC % / F M L.
const SEGMENT_HEADER_LEN: usize = 6;
/// The end of the name.
const START_OF_TEXT: u8 = 0x02;

const ESC: u8 = 0x1B;
const CSI: u8 = 0x9B;
const BEGIN_UTF8: &[u8] = b"\x1B%G";
const END_UTF8: &[u8] = b"\x1B%@";

/// The maximum number of bytes in which ASCII is copied at once: ESC is looked for before.
const RUN_LEN: usize = 256;

/// The number of characters of a right half.
const HALF_LEN: usize = 0x60;

/// The characters of a right half by byte, from A0 on.
type Half = [Option<char>; HALF_LEN];

/// The characters of the right halves, by the numbers of their sets.
static HALVES: LazyLock<Box<[Half; FIRST_MAPPING]>> = LazyLock::new(|| {
    let mut halves = Box::new([[None; HALF_LEN]; FIRST_MAPPING]);
    for (half, set) in halves.iter_mut().zip(&SETS) {
        if let SegmentContent::RightHalf(encoding) = set.content {
            let later = LATER_ADDITIONS.iter().find(|(byte, _)| *byte == set.final_byte);
            let later = later.map_or(&[][..], |(_, characters)| characters);
            for (byte, known) in (0xA0..=0xFF).zip(half) {
                *known = encoding.single_byte_char(byte).filter(|it| !later.contains(it));
            }
        }
    }
    halves
});

/// How the next bytes are interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CompoundMode {
    Iso2022,
    Utf8,
    /// The given number of bytes are in an encoding of [`SINGLE_BYTE_SEGMENTS`] or, after those, of
    /// [`MULTI_BYTE_SEGMENTS`].
    Segment(u8, u16),
    /// The given number of bytes are skipped.
    Skip(u16),
}

/// The state of a decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CompoundDecoderState {
    g0: u8,
    g1: u8,
    mode: CompoundMode,
}

impl CompoundDecoderState {
    const INITIAL: CompoundDecoderState =
        CompoundDecoderState { g0: ASCII, g1: LATIN_1, mode: CompoundMode::Iso2022 };
}

impl From<CompoundDecoderState> for State {
    fn from(state: CompoundDecoderState) -> State {
        let (mode, segment, rest) = match state.mode {
            CompoundMode::Iso2022 => (0, 0, 0),
            CompoundMode::Utf8 => (1, 0, 0),
            CompoundMode::Segment(segment, rest) => (2, segment, rest),
            CompoundMode::Skip(rest) => (3, 0, rest),
        };
        let [low, high] = rest.to_le_bytes();
        let g1 = state.g1 ^ LATIN_1;
        State::new(u64::from_le_bytes([state.g0, g1, mode, segment, low, high, 0, 0]))
    }
}

impl From<State> for CompoundDecoderState {
    fn from(state: State) -> CompoundDecoderState {
        let [g0, g1, mode, segment, low, high, ..] = state.bits().to_le_bytes();
        let rest = u16::from_le_bytes([low, high]);
        let mode = match mode {
            0 => CompoundMode::Iso2022,
            1 => CompoundMode::Utf8,
            2 => CompoundMode::Segment(segment, rest),
            _ => CompoundMode::Skip(rest),
        };
        CompoundDecoderState { g0, g1: g1 ^ LATIN_1, mode }
    }
}

struct CompoundTextDecoder {
    halves: &'static [Half; FIRST_MAPPING],
    state: CompoundDecoderState,
    /// The decoders of [`MULTI_BYTE_SEGMENTS`], which have no state.
    multi_byte: [Box<dyn DecodeStage>; MULTI_BYTE_SEGMENTS.len()],
}

/// The item at the start of the source.
enum CompoundItem {
    Text { text: OneOrTwoChars, len: usize },
    Control { len: usize, state: CompoundDecoderState },
    Incomplete,
    Malformed { len: usize, reason: MalformedReason, state: CompoundDecoderState },
}

impl CompoundTextDecoder {
    fn new() -> CompoundTextDecoder {
        let options = EncodingOptions::default();
        let multi_byte = MULTI_BYTE_SEGMENTS.each_ref().map(|(_, it)| it.decoder(&options));
        CompoundTextDecoder { halves: &HALVES, state: CompoundDecoderState::INITIAL, multi_byte }
    }

    fn malformed(&self, len: usize, reason: MalformedReason) -> CompoundItem {
        CompoundItem::Malformed { len, reason, state: self.state }
    }

    /// Returns the error of an unknown sequence.
    fn unknown(&self) -> CompoundItem {
        self.malformed(1, MalformedReason::UnknownEscapeSequence)
    }

    /// Reads one character or control sequence of `src`, which is not empty.
    fn read_item(&self, src: &[u8]) -> CompoundItem {
        match src[0] {
            ESC => self.read_escape(src),
            byte if self.state.mode == CompoundMode::Utf8 => self.read_utf8(byte, src),
            CSI => self.read_direction(src),
            byte @ 0x21..=0x7E => self.read_graphic(self.state.g0, byte, src),
            byte @ 0xA0..=0xFF => self.read_graphic(self.state.g1, byte & 0x7F, src),
            byte => CompoundItem::Text { text: char::from(byte).into(), len: 1 },
        }
    }

    fn read_utf8(&self, byte: u8, src: &[u8]) -> CompoundItem {
        if byte.is_ascii() {
            return CompoundItem::Text { text: char::from(byte).into(), len: 1 };
        }
        let first = &src[..src.len().min(4)];
        let (valid, error_len) = match std::str::from_utf8(first) {
            Ok(text) => (text, None),
            Err(error) => {
                let valid = std::str::from_utf8(&first[..error.valid_up_to()]);
                (valid.unwrap_or_default(), error.error_len())
            }
        };
        match (valid.chars().next(), error_len) {
            (Some(character), _) => {
                CompoundItem::Text { text: character.into(), len: character.len_utf8() }
            }
            (None, Some(len)) => self.malformed(len, not_utf8(src)),
            (None, None) => CompoundItem::Incomplete,
        }
    }

    /// Reads a character of a set, whose first byte without its upper bit is `code`.
    fn read_graphic(&self, number: u8, code: u8, src: &[u8]) -> CompoundItem {
        let set = &SETS[usize::from(number)];
        if set.kind != SetKind::Single96 && !matches!(code, 0x21..=0x7E) {
            return self.malformed(1, MalformedReason::InvalidLeadByte);
        }
        let invalid = || self.malformed(1, MalformedReason::InvalidLeadByte);
        if set.kind != SetKind::Double94 {
            let text = match &set.content {
                SegmentContent::Ascii => Some(char::from(code).into()),
                SegmentContent::RightHalf(_) => {
                    let half = &self.halves[usize::from(number)];
                    half[usize::from(code) - 0x20].map(OneOrTwoChars::from)
                }
                SegmentContent::Mapping(mapping) => {
                    mapping.decode_one(&[code]).ok().map(|one| one.chars)
                }
            };
            return text.map_or_else(invalid, |text| CompoundItem::Text { text, len: 1 });
        }
        let Some(&second) = src.get(1) else { return CompoundItem::Incomplete };
        if (second ^ src[0]) & 0x80 != 0 || !matches!(second & 0x7F, 0x21..=0x7E) {
            return self.malformed(1, MalformedReason::MissingTrailByte);
        }
        match &set.content {
            SegmentContent::Mapping(mapping) => match mapping.decode_one(&[code, second & 0x7F]) {
                Ok(decoded) => CompoundItem::Text { text: decoded.chars, len: 2 },
                Err(_) => self.malformed(2, MalformedReason::Unassigned),
            },
            _ => invalid(),
        }
    }

    /// Reads a sequence that begins with CSI, or CSI by itself.
    fn read_direction(&self, src: &[u8]) -> CompoundItem {
        let len = match src[1..] {
            [] | [b'1' | b'2'] => return CompoundItem::Incomplete,
            [b']', ..] => 2,
            [b'1' | b'2', b']', ..] => 3,
            _ => return self.unknown(),
        };
        CompoundItem::Control { len, state: self.state }
    }

    /// Returns the number of bytes at the start of `src` to skip, of `len` in all.
    fn skip(&mut self, len: u16, src: &[u8]) -> usize {
        let skipped = src.len().min(len.into());
        let left = len - skipped as u16;
        self.state.mode = if left == 0 { CompoundMode::Iso2022 } else { CompoundMode::Skip(left) };
        skipped
    }

    /// Reads a sequence that begins with ESC.
    fn read_escape(&self, src: &[u8]) -> CompoundItem {
        let (kind, is_g1, intermediates) = match src[1..] {
            [] | [b'$'] | [b'%'] | [b'#'] | [b'#', 0x20..=0x2F] => return CompoundItem::Incomplete,
            [b'(', ..] => (SetKind::Single94, false, 2),
            [b')', ..] => (SetKind::Single94, true, 2),
            [b'-', ..] => (SetKind::Single96, true, 2),
            [b'$', b'(', ..] => (SetKind::Double94, false, 3),
            [b'$', b')', ..] => (SetKind::Double94, true, 3),
            [b'%', b'G', ..] => {
                return CompoundItem::Control {
                    len: 3,
                    state: CompoundDecoderState { mode: CompoundMode::Utf8, ..self.state },
                };
            }
            [b'%', b'@', ..] => {
                let state = CompoundDecoderState { mode: CompoundMode::Iso2022, ..self.state };
                return CompoundItem::Control { len: 3, state };
            }
            [b'%', b'/', ..] => return self.read_segment(src),
            [b'#', 0x20..=0x2F, b'0' | b'1', ..] => {
                return CompoundItem::Control { len: 4, state: self.state };
            }
            _ => return self.unknown(),
        };
        let Some(final_byte) = src.get(intermediates) else { return CompoundItem::Incomplete };
        let is_this = |set: &CompoundGraphicSet| set.kind == kind && set.final_byte == *final_byte;
        let Some(number) = SETS.iter().position(is_this) else { return self.unknown() };
        let mut state = CompoundDecoderState { mode: CompoundMode::Iso2022, ..self.state };
        *(if is_g1 { &mut state.g1 } else { &mut state.g0 }) = number as u8;
        CompoundItem::Control { len: intermediates + 1, state }
    }

    /// Reads the start of an extended segment, up to its text.
    fn read_segment(&self, src: &[u8]) -> CompoundItem {
        let len = match src[3..] {
            [b'0'..=b'4', high @ 0x80..=0xFF, low @ 0x80..=0xFF, ..] => {
                u16::from(high & 0x7F) << 7 | u16::from(low & 0x7F)
            }
            [] | [b'0'..=b'4'] | [b'0'..=b'4', 0x80..=0xFF] => return CompoundItem::Incomplete,
            _ => return self.unknown(),
        };
        let segment = &src[SEGMENT_HEADER_LEN..];
        let segment = &segment[..segment.len().min(len.into())];
        let name_end =
            segment.iter().take(MAX_NAME_LEN + 1).position(|byte| *byte == START_OF_TEXT);
        let named = |(name, _): &(&[u8], &Encoding)| {
            name_end.is_some_and(|end| segment[..end].eq_ignore_ascii_case(name))
        };
        let mut known = SINGLE_BYTE_SEGMENTS.iter().chain(&MULTI_BYTE_SEGMENTS);
        match (known.position(named), name_end) {
            (Some(number), Some(end)) => {
                let name_len = end + 1;
                let mode = match len - name_len as u16 {
                    0 => CompoundMode::Iso2022,
                    rest => CompoundMode::Segment(number as u8, rest),
                };
                let len = SEGMENT_HEADER_LEN + name_len;
                CompoundItem::Control { len, state: CompoundDecoderState { mode, ..self.state } }
            }
            (_, None) if segment.len() < usize::from(len).min(MAX_NAME_LEN + 1) => {
                CompoundItem::Incomplete
            }
            _ => {
                let mode = if len == 0 { CompoundMode::Iso2022 } else { CompoundMode::Skip(len) };
                CompoundItem::Malformed {
                    len: SEGMENT_HEADER_LEN,
                    reason: MalformedReason::UnknownEscapeSequence,
                    state: CompoundDecoderState { mode, ..self.state },
                }
            }
        }
    }

    /// Returns this state after `read` bytes of an extended segment with `rest` bytes.
    fn after_segment(&self, number: u8, rest: u16, read: usize) -> CompoundDecoderState {
        let mode = match rest.saturating_sub(read as u16) {
            0 => CompoundMode::Iso2022,
            rest => CompoundMode::Segment(number, rest),
        };
        CompoundDecoderState { mode, ..self.state }
    }

    /// Decodes text of an extended segment with `rest` bytes.
    fn decode_segment(
        &mut self,
        (number, rest): (u8, u16),
        src: &[u8],
        dst: &mut [u8],
        end: bool,
    ) -> Progress<Malformed> {
        let is_whole = src.len() >= usize::from(rest);
        let text = &src[..src.len().min(rest.into())];
        let index = usize::from(number);
        let mut progress = match SINGLE_BYTE_SEGMENTS.get(index) {
            Some((_, encoding)) => decode_single_bytes(encoding, text, dst),
            None => {
                let decoder = &mut self.multi_byte[index - SINGLE_BYTE_SEGMENTS.len()];
                decoder.decode(text, dst, end || is_whole)
            }
        };
        self.state = self.after_segment(number, rest, progress.read);
        if let Status::Error(error) = &mut progress.status {
            if let CompoundMode::Segment(number, rest) = self.state.mode {
                error.resume_state = self.after_segment(number, rest, error.resume_len).into();
            }
        }
        progress
    }
}

/// Decodes text of a single-byte encoding.
fn decode_single_bytes(encoding: &Encoding, src: &[u8], dst: &mut [u8]) -> Progress<Malformed> {
    let mut written = 0;
    for (read, byte) in src.iter().enumerate() {
        let Some(character) = encoding.single_byte_char(*byte) else {
            let reason = MalformedReason::InvalidLeadByte;
            return Progress::error(read, written, Malformed::new(1, reason, State::INITIAL));
        };
        let Some(space) = dst[written..].get_mut(..character.len_utf8()) else {
            return Progress::output_full(read, written);
        };
        character.encode_utf8(space);
        written += character.len_utf8();
    }
    Progress::input_empty(src.len(), written)
}

impl Checkpoint for CompoundTextDecoder {
    fn save_state(&self) -> State {
        self.state.into()
    }

    fn restore_state(&mut self, state: State) {
        self.state = state.into();
    }

    fn max_lookahead(&self) -> usize {
        SEGMENT_HEADER_LEN + MAX_NAME_LEN + 2
    }
}

/// Copies ASCII up to ESC, of a limited number of bytes.
fn copy_ascii(src: &[u8], dst: &mut [u8]) -> usize {
    let src = &src[..src.len().min(RUN_LEN)];
    let len = memchr::memchr(ESC, src).unwrap_or(src.len());
    kernel::ascii::copy(&src[..len], dst)
}

impl DecodeStage for CompoundTextDecoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let rest = &src[read..];
            match self.state.mode {
                _ if rest.is_empty() => return Progress::input_empty(read, written),
                CompoundMode::Segment(number, len) => {
                    let progress =
                        self.decode_segment((number, len), rest, &mut dst[written..], end);
                    read += progress.read;
                    written += progress.written;
                    if progress.status != Status::InputEmpty
                        || matches!(self.state.mode, CompoundMode::Segment(..))
                    {
                        return Progress { read, written, status: progress.status };
                    }
                    continue;
                }
                CompoundMode::Skip(len) => {
                    read += self.skip(len, rest);
                    continue;
                }
                CompoundMode::Utf8 => {}
                CompoundMode::Iso2022 if self.state.g0 != ASCII => {}
                CompoundMode::Iso2022 => {
                    let copied = copy_ascii(rest, &mut dst[written..]);
                    read += copied;
                    written += copied;
                    if copied == RUN_LEN {
                        continue;
                    }
                }
            }
            let rest = &src[read..];
            if rest.is_empty() {
                continue;
            }
            let (len, reason, state) = match self.read_item(rest) {
                CompoundItem::Text { text, len } => {
                    let Some(text_len) = text.write_to(&mut dst[written..]) else {
                        return Progress::output_full(read, written);
                    };
                    written += text_len;
                    read += len;
                    continue;
                }
                CompoundItem::Control { len, state } => {
                    read += len;
                    self.state = state;
                    continue;
                }
                CompoundItem::Incomplete if !end => return Progress::input_empty(read, written),
                CompoundItem::Incomplete => (rest.len(), MalformedReason::Truncated, self.state),
                CompoundItem::Malformed { len, reason, state } => (len, reason, state),
            };
            return Progress::error(read, written, Malformed::new(len, reason, state.into()));
        }
    }
}

/// The state of an encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CompoundEncoderState {
    g1: u8,
    is_utf8: bool,
}

struct CompoundTextEncoder {
    halves: &'static [Half; FIRST_MAPPING],
    /// The first code of each character, with the number of its set above it.
    first: &'static SharedEncodeTable,
    /// The codes of each set that has a mapping.
    by_set: &'static [SharedEncodeTable],
    state: CompoundEncoderState,
}

/// The maximum length of a character with the sequences before it.
const MAX_ENCODED_LEN: usize = 16;

/// Bytes to be written together.
#[derive(Default)]
struct CompoundOutput {
    bytes: [u8; MAX_ENCODED_LEN],
    len: usize,
}

impl CompoundOutput {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes[self.len..][..bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    /// Writes the sequence that designates a set as G1.
    fn push_designation(&mut self, number: u8) {
        let set = &SETS[usize::from(number)];
        self.push(match set.kind {
            SetKind::Single94 => b"\x1B)",
            SetKind::Single96 => b"\x1B-",
            SetKind::Double94 => b"\x1B$)",
        });
        self.push(&[set.final_byte]);
    }
}

/// The tables of all encoders.
static FIRST: OnceLock<SharedEncodeTable> = OnceLock::new();
static BY_SET: OnceLock<Box<[SharedEncodeTable]>> = OnceLock::new();

/// Returns the tag of the codes of a set: its number above the code.
fn tag(number: u32) -> u32 {
    number << 16
}

/// Returns the characters of the right halves with their codes and the numbers of their sets above them;
/// the first code of a character is the last.
fn codes_of_halves() -> Box<[(char, Override)]> {
    let codes = HALVES.iter().enumerate().rev().flat_map(|(number, half)| {
        (0x20..).zip(half).filter_map(move |(code, character)| {
            Some(((*character)?, Override::Code(tag(number as u32) | code)))
        })
    });
    codes.collect()
}

impl CompoundTextEncoder {
    fn new() -> CompoundTextEncoder {
        let mappings = || {
            let sets = (0..).zip(&SETS[..DECODE_ONLY]);
            sets.filter_map(|(number, set)| match &set.content {
                SegmentContent::Mapping(mapping) => Some((number, mapping)),
                _ => None,
            })
        };
        let shared =
            |sources, overrides| SharedEncodeTable::new(LazyEncodeTable::new(sources, overrides));
        let first = FIRST.get_or_init(|| {
            let source = |(number, mapping)| TableSource::new(mapping, tag(number));
            shared(mappings().map(source).collect(), codes_of_halves())
        });
        let by_set = BY_SET.get_or_init(|| {
            let source = |mapping| TableSource::new(mapping, 0);
            let tables =
                mappings().map(|(_, mapping)| shared(Box::new([source(mapping)]), Box::default()));
            tables.collect()
        });
        CompoundTextEncoder {
            halves: &HALVES,
            first,
            by_set,
            state: CompoundEncoderState { g1: LATIN_1, is_utf8: false },
        }
    }

    /// Returns the code of a character in a set, in 7-bit bytes with the first one lowest.
    fn code_in(&self, number: u8, character: char) -> Option<u32> {
        let number = usize::from(number);
        let code = match number.checked_sub(FIRST_MAPPING) {
            Some(index) => self.by_set[index].single(character),
            None => {
                let mut half = (0x20..).zip(&self.halves[number]);
                half.find(|(_, known)| **known == Some(character)).map_or(0, |(code, _)| code)
            }
        };
        (code != 0).then_some(code)
    }

    /// Returns the first set that has a character, and its code.
    fn first_code(&self, character: char) -> Option<(u8, u32)> {
        let entry = self.first.single(character);
        (entry != 0).then_some(((entry >> 16) as u8, entry & 0xFFFF))
    }

    /// Returns the bytes of a character that is not ESC, and the state after it.
    fn encode_char(&self, character: char) -> (CompoundOutput, CompoundEncoderState) {
        let mut out = CompoundOutput::default();
        let mut state = self.state;
        let represents_itself = character.is_ascii()
            || matches!(character, '\u{80}'..'\u{A0}') && character != '\u{9B}';
        let code = if represents_itself {
            None
        } else {
            let code = self.code_in(state.g1, character).map(|code| (state.g1, code));
            code.or_else(|| self.first_code(character))
        };
        let is_utf8 = !represents_itself && code.is_none();
        if is_utf8 != state.is_utf8 {
            out.push(if is_utf8 { BEGIN_UTF8 } else { END_UTF8 });
            state.is_utf8 = is_utf8;
        }
        if is_utf8 {
            out.push(character.encode_utf8(&mut [0; 4]).as_bytes());
            return (out, state);
        }
        let Some((set, code)) = code else {
            out.push(&[u32::from(character) as u8]);
            return (out, state);
        };
        if set != state.g1 {
            out.push_designation(set);
            state.g1 = set;
        }
        match code.to_le_bytes() {
            [single, 0, ..] => out.push(&[single | 0x80]),
            [first, second, ..] => out.push(&[first | 0x80, second | 0x80]),
        }
        (out, state)
    }
}

impl Checkpoint for CompoundTextEncoder {
    fn save_state(&self) -> State {
        let bytes = u16::from_le_bytes([self.state.g1 ^ LATIN_1, self.state.is_utf8.into()]);
        State::new(bytes.into())
    }

    fn restore_state(&mut self, state: State) {
        let [g1, is_utf8, ..] = state.bits().to_le_bytes();
        self.state = CompoundEncoderState { g1: g1 ^ LATIN_1, is_utf8: is_utf8 != 0 };
    }

    fn max_lookahead(&self) -> usize {
        MAX_ENCODED_LEN
    }
}

impl EncodeStage for CompoundTextEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            if !self.state.is_utf8 {
                let copied = copy_ascii(&src.as_bytes()[read..], &mut dst[written..]);
                read += copied;
                written += copied;
            }
            let (out, state, len) = match src[read..].chars().next() {
                Some('\u{1B}') => return Progress::error(read, written, Unmappable::new('\u{1B}')),
                Some(character) => {
                    let (out, state) = self.encode_char(character);
                    (out, state, character.len_utf8())
                }
                None if end && self.state.is_utf8 => {
                    let mut out = CompoundOutput::default();
                    out.push(END_UTF8);
                    (out, CompoundEncoderState { is_utf8: false, ..self.state }, 0)
                }
                None => return Progress::input_empty(read, written),
            };
            let Some(space) = dst[written..].get_mut(..out.len) else {
                return Progress::output_full(read, written);
            };
            space.copy_from_slice(&out.bytes[..out.len]);
            written += out.len;
            read += len;
            self.state = state;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::conversion_error::MalformedReason::{
        InvalidLeadByte, MissingTrailByte, Overlong, Truncated, Unassigned, UnknownEscapeSequence,
    };
    use crate::encoding::testing::{
        Error, assert_decodes, assert_round_trip, decode_every_way, encode_every_way,
    };

    /// Text and bytes, in both directions. uconv writes and reads the same bytes for the first group.
    const ROUND_TRIP: &[(&str, &[u8])] = &[
        ("caf\u{E9}\r\n\t\0", b"caf\xE9\r\n\t\0"),
        ("\u{80}\u{85}\u{A0}", b"\x80\x85\xA0"),
        ("\u{105}", b"\x1B-B\xB1"),
        ("\u{41F}\u{440}\u{438}", b"\x1B-L\xBF\xE0\xD8"),
        ("\u{20AC}", b"\x1B-b\xA4"),
        ("\u{E01}", b"\x1B-T\xA1"),
        ("\u{5E9}", b"\x1B-H\xF9"),
        ("\u{633}", b"\x1B-G\xD3"),
        ("\u{3B1}", b"\x1B-F\xE1"),
        ("\u{175}", b"\x1B-_\xF0"),
        ("\u{D55C}", b"\x1B$)C\xC7\xD1"),
        // The set is kept over ASCII, and as long as it has the characters.
        ("\u{41F} \u{41F}", b"\x1B-L\xBF \xBF"),
        ("\u{105}a\u{E9}", b"\x1B-B\xB1a\xE9"),
        ("\u{4E2D}\u{6587}", b"\x1B$)A\xD6\xD0\xCE\xC4"),
        ("\u{6C17}\u{4E2D}", b"\x1B$)B\xB5\xA4\xC3\xE6"),
        ("\u{FF71}", b"\x1B)I\xB1"),
        // What no set has. U+009B is CSI.
        ("\u{1F600}a", b"\x1B%G\xF0\x9F\x98\x80\x1B%@a"),
        ("\u{105}\u{1F600}", b"\x1B-B\xB1\x1B%G\xF0\x9F\x98\x80\x1B%@"),
        ("\u{9B}\u{9B}\u{E9}", b"\x1B%G\xC2\x9B\xC2\x9B\x1B%@\xE9"),
        ("\u{20AF}", b"\x1B%G\xE2\x82\xAF\x1B%@"),
    ];

    #[test]
    fn round_trips_at_every_split_and_buffer_size() {
        for (text, bytes) in ROUND_TRIP {
            assert_round_trip("COMPOUND_TEXT", text, bytes);
        }
    }

    #[test]
    fn decodes_what_the_encoder_does_not_write() {
        let cases: &[(&[u8], &str)] = &[
            // Sets as G0. Space and DEL are in none.
            (b"\x1B$(B$\" \x7F$$\x1B(Ba", "\u{3042} \u{7F}\u{3044}a"),
            (b"\x1B(J\\\x1B(I1\x1B(B", "\u{A5}\u{FF71}"),
            (b"\x1B)B\xE1\x1B)J\xDC", "a\u{A5}"),
            (b"\x1B$)B\xA4\xA2\x1B$(A0!", "\u{3042}\u{554A}"),
            // Directions and the version.
            (b"\x1B# 0\x9B1]a\x9B2]\x1B-H\xF9\x9B]\x9B]", "a\u{5E9}"),
            (b"\x1B#!1a", "a"),
            // A segment in UTF-8 that a designation ends, and one that keeps the sets.
            (b"\x1B%Ga\xC3\xA9\x1B-B\xB1", "a\u{E9}\u{105}"),
            (b"\x1B-B\x1B%G\xC3\xA9\x1B%@\xB1", "\u{E9}\u{105}"),
            (b"\x1B%@\xE9", "\u{E9}"),
            // Extended segments, whose length counts the name and STX.
            (b"\x1B%/1\x80\x89koi8-r\x02\xC1\xC2\xE9", "\u{430}\u{431}\u{E9}"),
            (b"\x1B%/1\x80\x8CISO8859-15\x02\xA4\xA4", "\u{20AC}\u{A4}"),
            (b"\x1B%/2\x80\x8Bbig5-0\x02\xA4\xA4\xA4\xE5\xE9", "\u{4E2D}\u{6587}\u{E9}"),
            (b"\x1B%/1\x80\x87koi8-r\x02\xE9", "\u{E9}"),
            (b"\x1B%/1\x81\x80koi8-r\x02\xC1", "\u{430}"),
            (b"\x1B%/0\x80\x93gb18030.2000-0\x02\x81\x30\x81\x30a", "\u{80}a"),
        ];
        for (bytes, text) in cases {
            assert_decodes("COMPOUND_TEXT", bytes, text, &[]);
        }
    }

    #[test]
    fn errors_are_found_at_every_split() {
        let cases: &[(&[u8], &str, &[Error])] = &[
            (b"a\x1Bxb", "a\u{FFFD}xb", &[(1, 1, UnknownEscapeSequence)]),
            (b"\x1B(Ab", "\u{FFFD}(Ab", &[(0, 1, UnknownEscapeSequence)]),
            (b"\x1B$B", "\u{FFFD}$B", &[(0, 1, UnknownEscapeSequence)]),
            (b"\x9B3]", "\u{FFFD}3]", &[(0, 1, UnknownEscapeSequence)]),
            (b"a\x9B1", "a\u{FFFD}", &[(1, 2, Truncated)]),
            // The rest of an extended segment remains in its encoding.
            (
                b"\x1B%/2\x80\x8Cbig5-0\x02\xA4\xA4\xFF\xA4\xE5\xE9",
                "\u{4E2D}\u{FFFD}\u{6587}\u{E9}",
                &[(15, 1, InvalidLeadByte)],
            ),
            (b"a\x1B$)", "a\u{FFFD}", &[(1, 3, Truncated)]),
            (b"\x1B-C\xA5a", "\u{FFFD}a", &[(3, 1, InvalidLeadByte)]),
            (
                b"\x1B)I\xA0\xFF",
                "\u{FFFD}\u{FFFD}",
                &[(3, 1, InvalidLeadByte), (4, 1, InvalidLeadByte)],
            ),
            (b"\x1B$)B\xA4a", "\u{FFFD}a", &[(4, 1, MissingTrailByte)]),
            (b"\x1B$)B\xA4", "\u{FFFD}", &[(4, 1, Truncated)]),
            (b"\x1B$)B\xA9\xA1a", "\u{FFFD}a", &[(4, 2, Unassigned)]),
            (b"\x1B$(B$\xA2", "\u{FFFD}\u{A2}", &[(4, 1, MissingTrailByte)]),
            (b"\x1B%G\xC0a\xE2\x82", "\u{FFFD}a\u{FFFD}", &[(3, 1, Overlong), (5, 2, Truncated)]),
            (b"\x1B%Ga\xE2\x1B%@\xE9", "a\u{FFFD}\u{E9}", &[(4, 1, MissingTrailByte)]),
            // An unknown encoding, without a name, without its end, and with a wrong length.
            (b"\x1B%/1\x80\x84abc\x02\xE9", "\u{FFFD}\u{E9}", &[(0, 6, UnknownEscapeSequence)]),
            (b"\x1B%/1\x80\x82abc", "\u{FFFD}c", &[(0, 6, UnknownEscapeSequence)]),
            (b"\x1B%/1\x80\x80abc", "\u{FFFD}abc", &[(0, 6, UnknownEscapeSequence)]),
            (b"\x1B%/1\x80\x88koi", "\u{FFFD}", &[(0, 9, Truncated)]),
            (b"\x1B%/1\x80a", "\u{FFFD}%/1\u{80}a", &[(0, 1, UnknownEscapeSequence)]),
            (b"\x1B%/5\x80\x80", "\u{FFFD}%/5\u{80}\u{80}", &[(0, 1, UnknownEscapeSequence)]),
            (b"\x1B%/2\x80\x88big5-0\x02\xA4\xE9", "\u{FFFD}\u{E9}", &[(13, 1, Truncated)]),
        ];
        for (bytes, text, errors) in cases {
            assert_decodes("COMPOUND_TEXT", bytes, text, errors);
        }
        let long_name = [b"\x1B%/1\x80\xC0".as_slice(), &[b'n'; 64], b"\xE9"].concat();
        let (text, errors) = decode_every_way("COMPOUND_TEXT", &long_name);
        assert_eq!((&*text, &*errors), ("\u{FFFD}\u{E9}", &[(0, 6, UnknownEscapeSequence)][..]));
        // No name is longer than 24 characters, so that another one is not a name whatever follows.
        for (len, is_incomplete) in [(24, true), (25, false)] {
            let mut decoder = super::COMPOUND_TEXT.decoder(&Default::default());
            let progress = decoder.decode(&long_name[..6 + len], &mut [0; 99], false);
            assert_eq!(progress.status == super::Status::InputEmpty, is_incomplete, "{len}");
        }
    }

    #[test]
    fn incomplete_character_is_an_error_when_its_segment_has_been_read() {
        let mut decoder = super::COMPOUND_TEXT.decoder(&Default::default());
        let segment = b"\x1B%/2\x80\x88big5-0\x02\xA4";
        let progress = decoder.decode(segment, &mut [0; 9], false);
        let super::Status::Error(error) = progress.status else { panic!("{progress:?}") };
        assert_eq!((progress.read, error.len, error.reason), (13, 1, Truncated));
    }

    #[test]
    fn only_escape_is_unmappable() {
        let (bytes, errors) = encode_every_way("COMPOUND_TEXT", "a\u{1B}\u{1F600}\u{1B}");
        assert_eq!(bytes, b"a\x1B%G\xF0\x9F\x98\x80\x1B%@");
        assert_eq!(errors, [(1, '\u{1B}'), (6, '\u{1B}')]);
    }
}
