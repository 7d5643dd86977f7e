//! SCSU (UTS #6): one byte for most characters of small alphabets, by windows of 128 characters.
//!
//! In single-byte mode the bytes 80 to FF are the characters of the active window, one of eight that
//! can be moved; control characters are tags, except for NUL, tab, CR and LF. In Unicode mode text is
//! UTF-16BE, with tags in place of the lead bytes E0 to F2.
//!
//! A malformed sequence is a reserved tag, a tag with a reserved window offset, or the bytes of an
//! unpaired surrogate; decoding resumes in the state before it. The two surrogates of a pair may be
//! in different modes and have tags between them, as long as the pair has at most
//! [`MAX_PAIR_LEN`] bytes. The signature 0E FE FF is U+FEFF and is kept.
//!
//! The encoder decides by the next character how to write one: UTS #6 leaves this to encoders. A
//! window to be moved is chosen by the clock algorithm, an approximation of the least recently used
//! one.

use super::{Encoding, FnFactory};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, State, Status};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::SplitRule;

/// The Standard Compression Scheme for Unicode.
pub static SCSU: Encoding = Encoding::new(
    "SCSU",
    "Unicode compressed by windows of 128 characters (UTS #6)",
    &FnFactory {
        decoder: |_| Box::new(ScsuCodec { modes: ScsuModes::INITIAL }),
        encoder: |_| Box::new(ScsuCodec { modes: ScsuModes::INITIAL }),
        split_rule: |_| SplitRule::unsplittable("the mode and the windows outlive a line"),
    },
);

/// The decoder and the encoder.
struct ScsuCodec {
    modes: ScsuModes,
}

/// The number of windows that can be moved.
const WINDOWS: usize = 8;

/// The offsets of the static windows, from which single characters are quoted.
const STATIC_WINDOWS: [u32; WINDOWS] =
    [0x0000, 0x0080, 0x0100, 0x0300, 0x2000, 0x2080, 0x2100, 0x3000];

/// The windows at the start: Latin-1, Latin letters, Cyrillic, Arabic, Devanagari, Hiragana,
/// Katakana, fullwidth forms.
const INITIAL_WINDOWS: [ScsuWindow; WINDOWS] = [
    ScsuWindow(0x01),
    ScsuWindow(0xF9),
    ScsuWindow(0x08),
    ScsuWindow(0x0C),
    ScsuWindow(0x12),
    ScsuWindow(0xFD),
    ScsuWindow(0xFE),
    ScsuWindow(0xA6),
];

/// The offsets of the windows with the index bytes F9 to FF.
const SPECIAL_OFFSETS: [u32; 7] = [0x00C0, 0x0250, 0x0370, 0x0530, 0x3040, 0x30A0, 0xFF60];

/// The first index byte of [`SPECIAL_OFFSETS`].
const FIRST_SPECIAL: u16 = 0xF9;

/// The length of a window in characters.
const WINDOW_LEN: u32 = 0x80;

/// The difference between index bytes from 68 on and the offset.
const GAP: u32 = 0xAC00;

/// The first value of [`ScsuWindow`] for windows above U+FFFF.
const FIRST_EXTENDED: u16 = 0x100;

/// The maximum length in bytes of two surrogates with the tags between them.
const MAX_PAIR_LEN: usize = 16;

// Tags of single-byte mode; those with a window are the first of eight.
const SQ0: u8 = 0x01;
const SDX: u8 = 0x0B;
const SQU: u8 = 0x0E;
const SCU: u8 = 0x0F;
const SC0: u8 = 0x10;
const SD0: u8 = 0x18;

// Tags of Unicode mode.
const UC0: u8 = 0xE0;
const UD0: u8 = 0xE8;
const UQU: u8 = 0xF0;
const UDX: u8 = 0xF1;
const UNICODE_RESERVED: u8 = 0xF2;

/// The position of a window: an index byte, or [`FIRST_EXTENDED`] and the 13 bits of SDX. 14 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ScsuWindow(u16);

impl ScsuWindow {
    /// Returns the window of an index byte, unless that is reserved.
    fn of_index(index: u8) -> Option<ScsuWindow> {
        matches!(index, 0x01..=0xA7 | 0xF9..=0xFF).then_some(ScsuWindow(u16::from(index)))
    }

    /// Returns the window of the two bytes after SDX, and its number.
    fn of_extended(high: u8, low: u8) -> (ScsuWindow, u8) {
        let offset = u16::from_be_bytes([high & 0x1F, low]);
        (ScsuWindow(FIRST_EXTENDED + offset), high >> 5)
    }

    /// Returns the window that an encoder defines for a character, if there is one.
    fn containing(code: u32) -> Option<ScsuWindow> {
        let special = SPECIAL_OFFSETS.iter().zip(FIRST_SPECIAL..);
        for (offset, index) in special {
            if is_within(code, *offset) {
                return Some(ScsuWindow(index));
            }
        }
        match code {
            0x80..=0x33FF => Some(ScsuWindow((code / WINDOW_LEN) as u16)),
            0xE000..=0xFFFF => Some(ScsuWindow(((code - GAP) / WINDOW_LEN) as u16)),
            0x1_0000.. => {
                Some(ScsuWindow(FIRST_EXTENDED + ((code - 0x1_0000) / WINDOW_LEN) as u16))
            }
            _ => None,
        }
    }

    fn offset(self) -> u32 {
        let index = u32::from(self.0);
        match self.0 {
            0x00..=0x67 => index * WINDOW_LEN,
            0x68..FIRST_SPECIAL => index * WINDOW_LEN + GAP,
            FIRST_SPECIAL..FIRST_EXTENDED => SPECIAL_OFFSETS[usize::from(self.0 - FIRST_SPECIAL)],
            _ => 0x1_0000 + (index - u32::from(FIRST_EXTENDED)) * WINDOW_LEN,
        }
    }

    fn contains(self, code: u32) -> bool {
        is_within(code, self.offset())
    }

    /// Returns the byte of a character in this window when it is active.
    fn byte_of(self, code: u32) -> u8 {
        0x80 | (code - self.offset()) as u8
    }
}

fn is_within(code: u32, offset: u32) -> bool {
    code.wrapping_sub(offset) < WINDOW_LEN
}

/// Returns whether single-byte mode has this character as a byte of its own.
fn is_passed(code: u32) -> bool {
    matches!(code, 0x00 | 0x09 | 0x0A | 0x0D | 0x20..=0x7F)
}

/// The state of a codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ScsuModes {
    windows: [ScsuWindow; WINDOWS],
    /// The number of the active window.
    active: u8,
    is_unicode: bool,
    /// The window that the encoder moves next, unless it has been used. Always 0 in a decoder.
    clock: u8,
    /// A bit for each window that the encoder has used since the clock passed it.
    used: u8,
}

impl ScsuModes {
    const INITIAL: ScsuModes =
        ScsuModes { windows: INITIAL_WINDOWS, active: 0, is_unicode: false, clock: 0, used: 0 };

    fn active_window(&self) -> ScsuWindow {
        self.windows[usize::from(self.active)]
    }

    /// Returns these modes with another active window, in single-byte mode.
    fn with_active(self, number: u8) -> ScsuModes {
        ScsuModes { active: number, is_unicode: false, ..self }
    }

    /// Returns these modes with a window moved and active, in single-byte mode.
    fn with_window(mut self, number: u8, window: ScsuWindow) -> ScsuModes {
        self.windows[usize::from(number)] = window;
        self.with_active(number)
    }

    /// Returns the number of a window that contains this character.
    fn number_of(&self, code: u32) -> Option<u8> {
        (0..).zip(&self.windows).find(|(_, window)| window.contains(code)).map(|(number, _)| number)
    }

    /// Records that the encoder uses a window.
    fn use_window(&mut self, number: u8) {
        self.used |= 1 << number;
    }

    /// Returns the number of the window to move, and advances the clock.
    fn next_window(&mut self) -> u8 {
        while self.used >> self.clock & 1 == 1 {
            self.used &= !(1 << self.clock);
            self.clock = (self.clock + 1) % WINDOWS as u8;
        }
        let number = self.clock;
        self.clock = (self.clock + 1) % WINDOWS as u8;
        number
    }

    /// Returns the bits of four windows that differ from those at the start.
    fn window_bits(&self, first: usize) -> u64 {
        let windows = self.windows[first..first + 4].iter().zip(&INITIAL_WINDOWS[first..]);
        windows.fold(0, |bits, (window, initial)| bits << 14 | u64::from(window.0 ^ initial.0))
    }

    fn to_state(self) -> State {
        let flags =
            u64::from(self.active) | u64::from(self.is_unicode) << 3 | u64::from(self.clock) << 4;
        let first = self.window_bits(0) << 8 | flags;
        let second = self.window_bits(4) << 8 | u64::from(self.used);
        State::new(first).with_inner(State::new(second))
    }

    fn of_state(state: State) -> ScsuModes {
        let words = [state.bits(), state.inner().bits()];
        let mut windows = INITIAL_WINDOWS;
        for (number, window) in windows.iter_mut().enumerate() {
            let bits = words[number / 4] >> (8 + 14 * (3 - number % 4));
            window.0 ^= (bits & 0x3FFF) as u16;
        }
        ScsuModes {
            windows,
            active: (words[0] & 7) as u8,
            is_unicode: words[0] >> 3 & 1 == 1,
            clock: (words[0] >> 4 & 7) as u8,
            used: words[1] as u8,
        }
    }
}

/// The item at the start of the source.
enum ScsuItem {
    /// A code point of `len` bytes, which may be a surrogate.
    CodePoint {
        code: u32,
        len: usize,
    },
    /// A tag of `len` bytes, and the modes after it.
    Tag {
        len: usize,
        modes: ScsuModes,
    },
    Incomplete,
    Malformed(usize, MalformedReason),
}

/// Reads one tag or code point.
fn read_item(modes: &ScsuModes, src: &[u8]) -> ScsuItem {
    let Some(&first) = src.first() else { return ScsuItem::Incomplete };
    let second = src.get(1).copied();
    if !modes.is_unicode {
        return match first {
            SQU => unit(src, 1),
            SCU => ScsuItem::Tag { len: 1, modes: ScsuModes { is_unicode: true, ..*modes } },
            SDX => extended(modes, src),
            0x0C => ScsuItem::Malformed(1, MalformedReason::InvalidLeadByte),
            SQ0..=0x08 => match second {
                Some(byte) => ScsuItem::CodePoint {
                    code: quoted(modes, usize::from(first - SQ0), byte),
                    len: 2,
                },
                None => ScsuItem::Incomplete,
            },
            SC0..=0x17 => ScsuItem::Tag { len: 1, modes: modes.with_active(first - SC0) },
            SD0..=0x1F => defined(modes, first - SD0, second),
            0x00..=0x7F => ScsuItem::CodePoint { code: u32::from(first), len: 1 },
            0x80..=0xFF => {
                let code = modes.active_window().offset() + u32::from(first & 0x7F);
                ScsuItem::CodePoint { code, len: 1 }
            }
        };
    }
    match first {
        UC0..UD0 => ScsuItem::Tag { len: 1, modes: modes.with_active(first - UC0) },
        UD0..UQU => defined(modes, first - UD0, second),
        UQU => unit(src, 1),
        UDX => extended(modes, src),
        UNICODE_RESERVED => ScsuItem::Malformed(1, MalformedReason::InvalidLeadByte),
        _ => unit(src, 0),
    }
}

/// Returns the character that a byte after SQn quotes.
fn quoted(modes: &ScsuModes, number: usize, byte: u8) -> u32 {
    match byte {
        0x00..=0x7F => STATIC_WINDOWS[number] + u32::from(byte),
        0x80..=0xFF => modes.windows[number].offset() + u32::from(byte & 0x7F),
    }
}

/// Reads a code unit after a tag of `tag_len` bytes.
fn unit(src: &[u8], tag_len: usize) -> ScsuItem {
    match src[tag_len..] {
        [high, low, ..] => {
            let code = u32::from(u16::from_be_bytes([high, low]));
            ScsuItem::CodePoint { code, len: tag_len + 2 }
        }
        _ => ScsuItem::Incomplete,
    }
}

/// Reads the index byte of SDn or UDn.
fn defined(modes: &ScsuModes, number: u8, index: Option<u8>) -> ScsuItem {
    match index.map(ScsuWindow::of_index) {
        Some(Some(window)) => ScsuItem::Tag { len: 2, modes: modes.with_window(number, window) },
        Some(None) => ScsuItem::Malformed(2, MalformedReason::Unassigned),
        None => ScsuItem::Incomplete,
    }
}

/// Reads SDX or UDX.
fn extended(modes: &ScsuModes, src: &[u8]) -> ScsuItem {
    let [_, high, low, ..] = *src else { return ScsuItem::Incomplete };
    let (window, number) = ScsuWindow::of_extended(high, low);
    ScsuItem::Tag { len: 3, modes: modes.with_window(number, window) }
}

/// The character after a lead surrogate.
enum Pair {
    Character { character: char, len: usize, modes: ScsuModes },
    Incomplete,
    Unpaired,
}

/// Reads the trail surrogate of the lead surrogate at the start of `src`, which has `lead_len` bytes.
fn read_pair(mut modes: ScsuModes, lead: u32, src: &[u8], lead_len: usize, end: bool) -> Pair {
    let limited = &src[..src.len().min(MAX_PAIR_LEN)];
    let mut at = lead_len;
    loop {
        match read_item(&modes, &limited[at..]) {
            ScsuItem::Tag { len, modes: next } => {
                at += len;
                modes = next;
            }
            ScsuItem::CodePoint { code: trail @ 0xDC00..=0xDFFF, len } => {
                let code = 0x1_0000 + ((lead & 0x3FF) << 10 | trail & 0x3FF);
                let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                return Pair::Character { character, len: at + len, modes };
            }
            ScsuItem::Incomplete if !end && limited.len() < MAX_PAIR_LEN => {
                return Pair::Incomplete;
            }
            _ => return Pair::Unpaired,
        }
    }
}

/// The number of bytes that are tested together.
const BLOCK_LEN: usize = 32;

/// Copies bytes that single-byte mode has as characters of ASCII, as many as fit; returns their
/// number.
fn copy_passed(src: &[u8], dst: &mut [u8]) -> usize {
    let max = src.len().min(dst.len());
    let src = &src[..max];
    let is_other = |byte: &u8| !is_passed(u32::from(*byte));
    let mut len = 0;
    while let Some(block) = src[len..].first_chunk::<BLOCK_LEN>() {
        if block.iter().fold(false, |any, byte| any | is_other(byte)) {
            break;
        }
        len += BLOCK_LEN;
    }
    len += src[len..].iter().take(BLOCK_LEN).take_while(|byte| !is_other(byte)).count();
    dst[..len].copy_from_slice(&src[..len]);
    len
}

impl Checkpoint for ScsuCodec {
    fn save_state(&self) -> State {
        self.modes.to_state()
    }

    fn restore_state(&mut self, state: State) {
        self.modes = ScsuModes::of_state(state);
    }

    fn max_lookahead(&self) -> usize {
        MAX_PAIR_LEN
    }
}

impl DecodeStage for ScsuCodec {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            if !self.modes.is_unicode && src.get(read).is_some_and(u8::is_ascii) {
                let len = copy_passed(&src[read..], &mut dst[written..]);
                read += len;
                written += len;
            }
            let rest = &src[read..];
            let (character, len, modes) = match self.read_character(rest, end) {
                Ok(found) => found,
                Err(status) => return Progress { read, written, status },
            };
            if let Some(character) = character {
                let Some(space) = dst[written..].get_mut(..character.len_utf8()) else {
                    return Progress::output_full(read, written);
                };
                written += character.encode_utf8(space).len();
            }
            read += len;
            if let Some(modes) = modes {
                self.modes = modes;
            }
        }
    }
}

impl ScsuCodec {
    /// Returns the character at the start of `src`, or none for a tag, the length in bytes, and the
    /// modes if they change; or else the status.
    #[inline]
    fn read_character(
        &self,
        src: &[u8],
        end: bool,
    ) -> Result<(Option<char>, usize, Option<ScsuModes>), Status<Malformed>> {
        let (len, reason) = match read_item(&self.modes, src) {
            ScsuItem::Tag { len, modes } => return Ok((None, len, Some(modes))),
            ScsuItem::CodePoint { code, len } => match char::from_u32(code) {
                Some(character) => return Ok((Some(character), len, None)),
                None if code < 0xDC00 => match read_pair(self.modes, code, src, len, end) {
                    Pair::Character { character, len, modes } => {
                        return Ok((Some(character), len, Some(modes)));
                    }
                    Pair::Incomplete => return Err(Status::InputEmpty),
                    Pair::Unpaired => (len, MalformedReason::UnpairedSurrogate),
                },
                None => (len, MalformedReason::UnpairedSurrogate),
            },
            ScsuItem::Incomplete if !end || src.is_empty() => return Err(Status::InputEmpty),
            ScsuItem::Incomplete => (src.len(), MalformedReason::Truncated),
            ScsuItem::Malformed(len, reason) => (len, reason),
        };
        Err(Status::Error(Malformed::new(len, reason, self.save_state())))
    }
}

/// The bytes of one character, with the tags before it.
struct ScsuCharacter {
    bytes: [u8; 6],
    len: usize,
}

impl ScsuCharacter {
    fn of(bytes: &[u8]) -> ScsuCharacter {
        let mut encoded = ScsuCharacter { bytes: [0; 6], len: bytes.len() };
        encoded.bytes[..bytes.len()].copy_from_slice(bytes);
        encoded
    }

    /// Returns a tag and the code units of a character. Above U+FFFF there must be no tag.
    fn units(tag: Option<u8>, character: char) -> ScsuCharacter {
        let mut encoded = ScsuCharacter { bytes: [0; 6], len: 0 };
        encoded.extend(tag.as_slice());
        for unit in character.encode_utf16(&mut [0; 2]) {
            encoded.extend(&unit.to_be_bytes());
        }
        encoded
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.bytes[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }
}

impl EncodeStage for ScsuCodec {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            if !self.modes.is_unicode {
                let len = copy_passed(&src.as_bytes()[read..], &mut dst[written..]);
                read += len;
                written += len;
            }
            let mut characters = src[read..].chars();
            let Some(character) = characters.next() else {
                return Progress::input_empty(read, written);
            };
            let next = characters.next().map(u32::from);
            let mut modes = self.modes;
            let encoded = match modes.encode_in_place(character) {
                Some(encoded) => encoded,
                None if next.is_none() && !end => return Progress::input_empty(read, written),
                None if modes.is_unicode => modes.encode_in_unicode_mode(character, next),
                None => modes.encode_in_byte_mode(character, next),
            };
            let Some(space) = dst[written..].get_mut(..encoded.len) else {
                return Progress::output_full(read, written);
            };
            space.copy_from_slice(&encoded.bytes[..encoded.len]);
            read += character.len_utf8();
            written += encoded.len;
            self.modes = modes;
        }
    }
}

impl ScsuModes {
    /// Encodes a character for which the next one does not matter.
    fn encode_in_place(&mut self, character: char) -> Option<ScsuCharacter> {
        let code = u32::from(character);
        if self.is_unicode {
            let is_windowable = code < 0x80 || ScsuWindow::containing(code).is_some();
            return (!is_windowable).then(|| ScsuCharacter::units(None, character));
        }
        match code {
            _ if is_passed(code) => Some(ScsuCharacter::of(&[code as u8])),
            0x00..=0x1F => Some(ScsuCharacter::of(&[SQ0, code as u8])),
            _ if self.active_window().contains(code) => {
                self.use_window(self.active);
                Some(ScsuCharacter::of(&[self.active_window().byte_of(code)]))
            }
            _ => None,
        }
    }

    /// Encodes a character in single-byte mode that is not in the active window.
    fn encode_in_byte_mode(&mut self, character: char, next: Option<u32>) -> ScsuCharacter {
        let code = u32::from(character);
        let next_is_in = |window: ScsuWindow| next.is_some_and(|next| window.contains(next));
        if let Some(number) = self.number_of(code) {
            let byte = self.windows[usize::from(number)].byte_of(code);
            self.use_window(number);
            if next_is_in(self.active_window()) {
                return ScsuCharacter::of(&[SQ0 + number, byte]);
            }
            *self = self.with_active(number);
            return ScsuCharacter::of(&[SC0 + number, byte]);
        }
        let Some(window) = ScsuWindow::containing(code) else {
            let is_like = |next| next >= 0x80 && ScsuWindow::containing(next).is_none();
            self.is_unicode = next.is_some_and(is_like);
            return ScsuCharacter::units(Some(if self.is_unicode { SCU } else { SQU }), character);
        };
        if !next_is_in(window) && code <= 0xFFFF {
            let quoting = (SQ0..).zip(STATIC_WINDOWS).find(|(_, offset)| is_within(code, *offset));
            return match quoting {
                Some((tag, offset)) => ScsuCharacter::of(&[tag, (code - offset) as u8]),
                None => ScsuCharacter::units(Some(SQU), character),
            };
        }
        self.define(SD0, SDX, window, code)
    }

    /// Encodes a character in Unicode mode that single-byte mode may have as one byte.
    fn encode_in_unicode_mode(&mut self, character: char, next: Option<u32>) -> ScsuCharacter {
        let code = u32::from(character);
        let next_is_passed = next.is_none_or(is_passed);
        let next_is_in = |window: ScsuWindow| next.is_some_and(|next| window.contains(next));
        if is_passed(code) {
            let number = next.and_then(|next| self.number_of(next));
            if next_is_passed || number.is_some() {
                let number = number.unwrap_or(self.active);
                *self = self.with_active(number);
                return ScsuCharacter::of(&[UC0 + number, code as u8]);
            }
        } else if let Some(number) = self.number_of(code) {
            let window = self.windows[usize::from(number)];
            if next_is_passed || next_is_in(window) {
                self.use_window(number);
                *self = self.with_active(number);
                return ScsuCharacter::of(&[UC0 + number, window.byte_of(code)]);
            }
        } else if let Some(window) =
            ScsuWindow::containing(code).filter(|window| next_is_in(*window))
        {
            return self.define(UD0, UDX, window, code);
        }
        let is_tag = matches!(code >> 8, 0xE0..=0xF2);
        ScsuCharacter::units(is_tag.then_some(UQU), character)
    }

    /// Moves a window to that of a character, with a tag for windows up to U+FFFF or one for those
    /// above, and encodes the character.
    fn define(
        &mut self,
        tag: u8,
        extended_tag: u8,
        window: ScsuWindow,
        code: u32,
    ) -> ScsuCharacter {
        let number = self.next_window();
        self.use_window(number);
        *self = self.with_window(number, window);
        let mut encoded = match window.0.checked_sub(FIRST_EXTENDED) {
            None => ScsuCharacter::of(&[tag + number, window.0 as u8]),
            Some(offset) => {
                let [high, low] = (u16::from(number) << 13 | offset).to_be_bytes();
                ScsuCharacter::of(&[extended_tag, high, low])
            }
        };
        encoded.extend(&[window.byte_of(code)]);
        encoded
    }
}

#[cfg(test)]
mod tests {
    use super::{STATIC_WINDOWS, ScsuModes, ScsuWindow};
    use crate::conversion_error::MalformedReason::{
        InvalidLeadByte, Truncated, Unassigned, UnpairedSurrogate,
    };
    use crate::encoding::testing::{
        Error, assert_decodes, assert_round_trip, decode, encode, encode_every_way,
    };
    use charpipe_test_support as testing;

    /// The example texts of UTS #6, section 9. The encoder writes the same bytes as the standard for
    /// those with `true`.
    const EXAMPLES: &[(&str, &[u8], bool)] = &[
        // 9.1: German.
        ("\u{D6}l flie\u{DF}t", b"\xD6\x6C\x20\x66\x6C\x69\x65\xDF\x74", true),
        // 9.2: Russian.
        ("\u{41C}\u{43E}\u{441}\u{43A}\u{432}\u{430}", b"\x12\x9C\xBE\xC1\xBA\xB2\xB0", true),
        // 9.4: all features.
        (
            "A\u{DF}\u{401}\u{15F}\u{DF}\u{1DF}\u{F000}\u{10FFFF}\r\n\
             A\u{DF}\u{401}\u{15F}\u{DF}\u{1DF}\u{F000}\u{10FFFF}",
            b"\x41\xDF\x12\x81\x03\x5F\x10\xDF\x1B\x03\xDF\x1C\x88\x80\x0B\xBF\xFF\xFF\x0D\x0A\
              \x41\x10\xDF\x12\x81\x03\x5F\x10\xDF\x13\xDF\x14\x80\x15\xFF",
            false,
        ),
        // Section 8: the signature.
        ("\u{FEFF}A", b"\x0E\xFE\xFFA", true),
    ];

    #[test]
    fn examples_of_the_standard_hold_at_every_split_and_buffer_size() {
        for (text, bytes, is_canonical) in EXAMPLES {
            assert_decodes("SCSU", bytes, text, &[]);
            let encoded = encode_every_way("SCSU", text);
            assert_eq!(encoded.1, []);
            assert_eq!(decode("SCSU", &encoded.0), ((*text).to_owned(), vec![]), "{text:?}");
            if *is_canonical {
                assert_eq!(encoded.0, *bytes, "{text:?}");
            }
        }
    }

    /// Text and the bytes of the encoder: one case for each way to write a character.
    const ENCODED: &[(&str, &[u8])] = &[
        ("\0\t\n\r\x7F", b"\0\t\n\r\x7F"),
        // SQ0: control characters that are tags.
        ("\u{1}\u{1F}", b"\x01\x01\x01\x1F"),
        // SQn and SCn: a character of another window, alone and not alone.
        ("a\u{401}\u{E9}", b"a\x03\x81\xE9"),
        ("a\u{401}\u{402}", b"a\x12\x81\x82"),
        // SQn of a static window.
        ("a\u{2014}b", b"a\x05\x14b"),
        // SQU.
        ("a\u{4E00}b", b"a\x0E\x4E\x00b"),
        ("a\u{1E00}b", b"a\x0E\x1E\x00b"),
        // SDn: windows 0, 1 and so on.
        ("\u{1E00}\u{1E01}", b"\x18\x3C\x80\x81"),
        ("\u{391}\u{392}", b"\x18\xFB\xA1\xA2"),
        // Not a window that has been used since its turn: 0 is that of Latin-1, 1 that of Greek.
        ("\u{E9}\u{391}\u{392}", b"\xE9\x19\xFB\xA1\xA2"),
        ("\u{E9}\u{391}\u{392}\u{1E00}\u{1E01}", b"\xE9\x19\xFB\xA1\xA2\x1A\x3C\x80\x81"),
        // SDX.
        ("\u{10400}", b"\x0B\x00\x08\x80"),
        ("\u{10FFFF}\u{10400}\u{10FFFE}", b"\x0B\x1F\xFF\xFF\x0B\x20\x08\x80\x10\xFE"),
        // SCU, UQU, UCn, UDn, UDX.
        ("\u{4E00}\u{4E01}", b"\x0F\x4E\x00\x4E\x01"),
        ("\u{4E00}\u{4E01}\u{E000}\u{4E02}", b"\x0F\x4E\x00\x4E\x01\xF0\xE0\x00\x4E\x02"),
        ("\u{4E00}\u{4E01}\n\u{4E02}", b"\x0F\x4E\x00\x4E\x01\x00\n\x4E\x02"),
        ("\u{4E00}\u{4E01}ab", b"\x0F\x4E\x00\x4E\x01\xE0ab"),
        ("\u{4E00}\u{4E01}\u{3042}\u{3044}", b"\x0F\x4E\x00\x4E\x01\xE5\x82\x84"),
        ("\u{4E00}\u{4E01}\u{391}\u{392}", b"\x0F\x4E\x00\x4E\x01\xE8\xFB\xA1\xA2"),
        ("\u{4E00}\u{4E01}\u{10400}\u{10401}", b"\x0F\x4E\x00\x4E\x01\xF1\x00\x08\x80\x81"),
        ("\u{4E00}\u{4E01}\u{10400}", b"\x0F\x4E\x00\x4E\x01\xD8\x01\xDC\x00"),
    ];

    #[test]
    fn encodes_each_kind_of_character() {
        for (text, bytes) in ENCODED {
            assert_round_trip("SCSU", text, bytes);
        }
    }

    /// Bytes, text with U+FFFD for each error, the errors.
    const DECODED: &[(&[u8], &str, &[Error])] = &[
        // Quoting from a dynamic window, also of the characters of ASCII.
        (b"\x01\x41\x03\xC1a", "A\u{441}a", &[]),
        // A tag without effect, at the end as well.
        (b"\x12\x10\x0F\xE0a\x12", "a", &[]),
        // Reserved tags and offsets.
        (b"a\x0Cb", "a\u{FFFD}b", &[(1, 1, InvalidLeadByte)]),
        (b"\x0F\x4E\x00\xF2\x4E\x01", "\u{4E00}\u{FFFD}\u{4E01}", &[(3, 1, InvalidLeadByte)]),
        (b"\x18\x00a", "\u{FFFD}a", &[(0, 2, Unassigned)]),
        (b"\x18\xA8a\xE9", "\u{FFFD}a\u{E9}", &[(0, 2, Unassigned)]),
        (b"\x0F\xE8\xF8\x4E\x00", "\u{FFFD}\u{4E00}", &[(1, 2, Unassigned)]),
        // Surrogates: in both modes, with tags between them, and alone.
        (b"\x0E\xD8\x01\x0E\xDC\x00a", "\u{10400}a", &[]),
        (b"\x0F\xD8\x01\xE2\x0E\xDC\x00\x81", "\u{10400}\u{401}", &[]),
        (b"\x0E\xD8\x01\x0F\xDC\x00\x4E\x00", "\u{10400}\u{4E00}", &[]),
        (b"\x0E\xD8\x01a", "\u{FFFD}a", &[(0, 3, UnpairedSurrogate)]),
        (b"\x0F\xDC\x01\xE0a", "\u{FFFD}a", &[(1, 2, UnpairedSurrogate)]),
        (b"\x0F\xD8\x01\xD8\x02\xDC\x00", "\u{FFFD}\u{10800}", &[(1, 2, UnpairedSurrogate)]),
        (
            b"\x0E\xD8\x01\x10\x10\x10\x10\x10\x10\x10\x10\x10\x10\x10\x0E\xDC\x00",
            "\u{FFFD}\u{FFFD}",
            &[(0, 3, UnpairedSurrogate), (14, 3, UnpairedSurrogate)],
        ),
        // Incomplete items.
        (b"a\x0E\x4E", "a\u{FFFD}", &[(1, 2, Truncated)]),
        (b"\x0F\x4E", "\u{FFFD}", &[(1, 1, Truncated)]),
        (b"\x0B\x00", "\u{FFFD}", &[(0, 2, Truncated)]),
        (b"\x01", "\u{FFFD}", &[(0, 1, Truncated)]),
        (
            b"\x0E\xD8\x01\x0E\xDC",
            "\u{FFFD}\u{FFFD}",
            &[(0, 3, UnpairedSurrogate), (3, 2, Truncated)],
        ),
    ];

    #[test]
    fn decodes_per_spec_at_every_split_and_buffer_size() {
        for (bytes, text, errors) in DECODED {
            assert_decodes("SCSU", bytes, text, errors);
        }
    }

    /// Table 3 of the standard, and SDX.
    #[test]
    fn windows_have_the_offsets_of_the_standard() {
        for (index, offset) in [
            (0x01, 0x80),
            (0x67, 0x3380),
            (0x68, 0xE000),
            (0xA7, 0xFF80),
            (0xF9, 0xC0),
            (0xFA, 0x250),
            (0xFB, 0x370),
            (0xFC, 0x530),
            (0xFD, 0x3040),
            (0xFE, 0x30A0),
            (0xFF, 0xFF60),
        ] {
            assert_eq!(ScsuWindow::of_index(index).unwrap().offset(), offset, "{index:02X}");
        }
        for reserved in [0x00, 0xA8, 0xF8] {
            assert_eq!(ScsuWindow::of_index(reserved), None);
        }
        assert_eq!(ScsuWindow::of_extended(0xBF, 0xFF).0.offset(), 0x10_FF80);
        assert_eq!(ScsuWindow::of_extended(0xBF, 0xFF).1, 5);
        let initial: Vec<u32> =
            ScsuModes::INITIAL.windows.iter().map(|window| window.offset()).collect();
        assert_eq!(initial, [0x80, 0xC0, 0x400, 0x600, 0x900, 0x3040, 0x30A0, 0xFF00]);
        assert_eq!(STATIC_WINDOWS, [0, 0x80, 0x100, 0x300, 0x2000, 0x2080, 0x2100, 0x3000]);
    }

    #[test]
    fn every_scalar_value_round_trips_alone_and_in_a_run() {
        let text: String = ('\0'..=char::MAX).collect();
        let (bytes, errors) = encode("SCSU", &text);
        assert_eq!(errors, []);
        assert!(decode("SCSU", &bytes) == (text.clone(), vec![]));
        for character in text.chars().step_by(61) {
            let alone = character.to_string();
            assert_eq!(decode("SCSU", &encode("SCSU", &alone).0), (alone, vec![]));
        }
    }

    #[test]
    fn random_texts_of_several_scripts_round_trip() {
        let starts = [0, 0x80, 0x100, 0x370, 0x400, 0x900, 0x2010, 0x3040, 0x4E00, 0xE000, 0xFF00];
        let astral = [0x1_0400, 0x2_0000, 0x10_FF80];
        let starts = [&starts[..], &astral[..]].concat();
        let mut random = testing::random(6);
        for _ in 0..500 {
            let mut text = String::new();
            for _ in 0..random.below(30) {
                let start = random.one(&starts);
                for _ in 0..random.below(4) {
                    text.extend(char::from_u32(start + random.below(0x60) as u32));
                }
            }
            let (bytes, errors) = encode("SCSU", &text);
            assert_eq!(errors, []);
            assert_eq!(decode("SCSU", &bytes), (text, vec![]), "{bytes:02X?}");
        }
    }
}
