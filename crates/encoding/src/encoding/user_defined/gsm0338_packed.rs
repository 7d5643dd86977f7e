//! Short messages as they are sent: seven-bit codes packed into bytes (3GPP TS 23.038, section 6.1.2).
//!
//! The first septet is in the low bits of the first byte, and each one continues in the bits above it and in the low bits of
//! the next byte: seven bytes have eight septets. The bits after the last septet are zero. If seven are left, they would be
//! `@`, so that carriage return is written, and dropped by the receiver; a text that ends there with carriage return gets
//! another one, and so is received with two (section 6.1.2.3.1, for USSD and cell broadcast). User data of short messages
//! have zeros there, and the number of septets in another field: `padding=zero`. After a user data header the septets
//! begin at a multiple of seven bits, after `fill` bits (3GPP TS 23.040, section 9.2.3.24).
//!
//! A byte has the end of one septet and the start of the next. The decoder reads it with the septets that it completes, and
//! leaves the last byte of the input unread until no other can follow, because it may be padding. An error is thus always in
//! the last byte: bits that are the start of another septet.

use super::gsm0338::mapping;
use super::{TrieEntry, UserMapping};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::SplitRule;
use crate::encoding::{Encoding, EncodingOptions, FnFactory, OptionSpec, OptionValues};

/// The default alphabet with its extension table, packed: eight septets in seven bytes.
pub static GSM0338_PACKED: Encoding = Encoding::new(
    "GSM0338-PACKED",
    "Short messages, eight septets in seven bytes (3GPP TS 23.038)",
    &FnFactory {
        decoder: |options| Box::new(PackedCodec::new(options)),
        encoder: |options| Box::new(PackedCodec::new(options)),
        split_rule: |_| SplitRule::unsplittable("a byte contains parts of two characters"),
    },
)
.with_options(&[
    OptionSpec {
        name: "padding",
        values: OptionValues::Choice(&["cr", "zero"]),
        description: "seven bits after the last septet are a carriage return, as in USSD, or zero, as in the user data of \
                    short messages",
    },
    OptionSpec {
        name: "fill",
        values: OptionValues::Integer(0, 6),
        description: "the number of bits before the first septet, after a user data header",
    },
]);

const SEPTET_BITS: u32 = 7;
const SEPTET_MASK: u32 = 0x7F;
const ESCAPE: u8 = 0x1B;
const CARRIAGE_RETURN: u8 = b'\r';

/// An upper bound of the text of a byte and of the bytes of a character.
const MAX_LOOKAHEAD: usize = 8;

/// The decoder or the encoder.
struct PackedCodec {
    mapping: &'static UserMapping,
    /// The septet that fills seven bits at the end.
    padding: u8,
    /// The number of bits before the first septet.
    fill: u32,
    state: PackedState,
}

/// The state of the decoder or the encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct PackedState {
    /// Whether there was a byte or a character.
    is_started: bool,
    /// The low bits of the next septet or byte.
    bits: u32,
    /// Their number, up to seven.
    count: u32,
    /// Whether the last septet was an escape (decoder) or a carriage return (encoder).
    is_after_mark: bool,
    /// Whether the septets that end in the last byte of the input have been written.
    is_at_spare_bits: bool,
}

impl PackedState {
    fn pack(self) -> State {
        State::new(
            u64::from(self.is_started)
                | u64::from(self.is_after_mark) << 1
                | u64::from(self.is_at_spare_bits) << 2
                | u64::from(self.count) << 8
                | u64::from(self.bits) << 16,
        )
    }

    fn unpack(state: State) -> PackedState {
        let bits = state.bits();
        PackedState {
            is_started: bits & 1 != 0,
            is_after_mark: bits >> 1 & 1 != 0,
            is_at_spare_bits: bits >> 2 & 1 != 0,
            count: (bits >> 8) as u32 & 7,
            bits: (bits >> 16) as u32 & SEPTET_MASK,
        }
    }
}

/// The text of a byte.
#[derive(Default)]
struct ShortOutput {
    bytes: [u8; MAX_LOOKAHEAD],
    len: usize,
}

impl ShortOutput {
    fn push(&mut self, character: char) {
        self.len += character.encode_utf8(&mut self.bytes[self.len..]).len();
    }
}

/// Copies `bytes` to `dst` from `written` on, and returns whether there was enough space.
fn write(bytes: &[u8], dst: &mut [u8], written: &mut usize) -> bool {
    let Some(space) = dst[*written..].get_mut(..bytes.len()) else { return false };
    space.copy_from_slice(bytes);
    *written += bytes.len();
    true
}

impl PackedCodec {
    fn new(options: &EncodingOptions) -> PackedCodec {
        PackedCodec {
            mapping: mapping(),
            padding: if options.is_choice("padding", "zero") { 0 } else { CARRIAGE_RETURN },
            fill: options.integer("fill").unwrap_or(0),
            state: PackedState::default(),
        }
    }

    /// Decodes a septet. An escape before one that is not in the extension table is a space.
    fn decode_septet(&self, septet: u8, state: &mut PackedState, text: &mut ShortOutput) {
        let trie = &self.mapping.trie;
        if std::mem::take(&mut state.is_after_mark) {
            if let TrieEntry::Node(extension) = trie.entry(0, ESCAPE) {
                if let TrieEntry::Character(character) = trie.entry(extension, septet) {
                    return text.push(character);
                }
            }
            text.push(' ');
        }
        match trie.entry(0, septet) {
            TrieEntry::Character(character) => text.push(character),
            _ => state.is_after_mark = true,
        }
    }

    /// Decodes a byte, which may be the last one. The state has the bits that are left then.
    fn decode_byte(&self, byte: u8, is_last: bool, state: &mut PackedState) -> ShortOutput {
        let mut text = ShortOutput::default();
        let mut bits = state.bits | u32::from(byte) << state.count;
        let mut count = state.count + u8::BITS;
        if !std::mem::replace(&mut state.is_started, true) {
            bits >>= self.fill;
            count -= self.fill;
        }
        while count >= SEPTET_BITS {
            let septet = (bits & SEPTET_MASK) as u8;
            bits >>= SEPTET_BITS;
            count -= SEPTET_BITS;
            if !(is_last && count == 0 && septet == self.padding) {
                self.decode_septet(septet, state, &mut text);
            }
        }
        if is_last && std::mem::take(&mut state.is_after_mark) {
            text.push(' ');
        }
        (state.bits, state.count) = (bits, count);
        text
    }

    /// Packs a septet; returns the byte that it completes.
    fn pack_septet(&self, septet: u8, state: &mut PackedState) -> Option<u8> {
        if !std::mem::replace(&mut state.is_started, true) {
            state.count = self.fill;
        }
        state.is_after_mark = septet == CARRIAGE_RETURN;
        state.bits |= u32::from(septet) << state.count;
        state.count += SEPTET_BITS;
        if state.count < u8::BITS {
            return None;
        }
        let byte = state.bits as u8;
        state.bits >>= u8::BITS;
        state.count -= u8::BITS;
        Some(byte)
    }

    /// Returns the last byte, if bits are left.
    fn last_byte(&self) -> Option<u8> {
        let PackedState { is_started, bits, count, is_after_mark, .. } = self.state;
        match count {
            _ if !is_started => None,
            0 if is_after_mark && self.padding == CARRIAGE_RETURN => Some(CARRIAGE_RETURN),
            0 => None,
            1 => Some((bits | u32::from(self.padding) << 1) as u8),
            _ => Some(bits as u8),
        }
    }
}

impl Checkpoint for PackedCodec {
    fn save_state(&self) -> State {
        self.state.pack()
    }

    fn restore_state(&mut self, state: State) {
        self.state = PackedState::unpack(state);
    }

    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl DecodeStage for PackedCodec {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let mut written = 0;
        for (read, byte) in src.iter().enumerate() {
            let is_last = read + 1 == src.len();
            if is_last && !end {
                return Progress::input_empty(read, written);
            }
            let error = Malformed::new(1, MalformedReason::Truncated, State::INITIAL);
            if self.state.is_at_spare_bits {
                return Progress::error(read, written, error);
            }
            let mut state = self.state;
            let text = self.decode_byte(*byte, is_last, &mut state);
            if !write(&text.bytes[..text.len], dst, &mut written) {
                return Progress::output_full(read, written);
            }
            if is_last && state.bits != 0 {
                if text.len > 0 {
                    self.state.is_at_spare_bits = true;
                }
                return Progress::error(read, written, error);
            }
            self.state = if is_last { PackedState::default() } else { state };
        }
        Progress::input_empty(src.len(), written)
    }
}

impl EncodeStage for PackedCodec {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let mut written = 0;
        for (read, character) in src.char_indices() {
            let code = self.mapping.code(character);
            if code.len == 0 {
                return Progress::error(read, written, Unmappable::new(character));
            }
            let mut state = self.state;
            let (mut bytes, mut len) = ([0; 2], 0);
            for septet in code.as_slice() {
                if let Some(byte) = self.pack_septet(*septet, &mut state) {
                    bytes[len] = byte;
                    len += 1;
                }
            }
            if !write(&bytes[..len], dst, &mut written) {
                return Progress::output_full(read, written);
            }
            self.state = state;
        }
        if end {
            if let Some(byte) = self.last_byte() {
                if !write(&[byte], dst, &mut written) {
                    return Progress::output_full(src.len(), written);
                }
                self.state = PackedState::default();
            }
        }
        Progress::input_empty(src.len(), written)
    }
}

#[cfg(test)]
mod tests {
    use crate::conversion_error::MalformedReason;
    use crate::encoding::testing::{
        assert_decodes, assert_round_trip, assert_round_trips, encode_every_way,
    };

    /// The bytes in messages of other programs and in textbooks; each is the whole user data.
    #[test]
    fn septets_are_packed_from_the_low_bits() {
        assert_round_trips(&[
            ("GSM0338-PACKED", "", b""),
            ("GSM0338-PACKED", "hello", b"\xE8\x32\x9B\xFD\x06"),
            ("GSM0338-PACKED", "hellohello", b"\xE8\x32\x9B\xFD\x46\x97\xD9\xEC\x37"),
            ("GSM0338-PACKED", "Hello world", b"\xC8\x32\x9B\xFD\x06\xDD\xDF\x72\x36\x19"),
            ("GSM0338-PACKED", "€", b"\x9B\x32"),
        ]);
    }

    /// 3GPP TS 23.038, section 6.1.2.3.1, for seven and eight characters.
    #[test]
    fn seven_spare_bits_are_a_carriage_return() {
        assert_round_trip("GSM0338-PACKED", "1234567", b"\x31\xD9\x8C\x56\xB3\xDD\x1A");
        assert_round_trip("GSM0338-PACKED", "1234567@", b"\x31\xD9\x8C\x56\xB3\xDD\x00");
        assert_round_trip("GSM0338-PACKED", "12345678", b"\x31\xD9\x8C\x56\xB3\xDD\x70");
        let ends_with_return = (b"\x31\xD9\x8C\x56\xB3\xDD\x1A\x0D".to_vec(), vec![]);
        assert_eq!(encode_every_way("GSM0338-PACKED", "1234567\r"), ends_with_return);
        assert_decodes("GSM0338-PACKED", &ends_with_return.0, "1234567\r\r", &[]);
    }

    /// 3GPP TS 23.038, section 6.1.2.1.1: spare bits are zero.
    #[test]
    fn user_data_ends_with_zeros() {
        let label = "GSM0338-PACKED:padding=zero";
        assert_round_trip(label, "1234567", b"\x31\xD9\x8C\x56\xB3\xDD\x00");
        assert_round_trip(label, "1234567\r", b"\x31\xD9\x8C\x56\xB3\xDD\x1A");
    }

    /// The user data of a concatenated message begin after a header of six bytes with one fill bit.
    #[test]
    fn fill_bits_precede_the_first_septet() {
        assert_round_trip("GSM0338-PACKED:fill=1", "hello", b"\xD0\x65\x36\xFB\x0D");
        assert_round_trip("GSM0338-PACKED:fill=6", "A", b"\x40\x10");
        assert_decodes("GSM0338-PACKED:fill=1", b"\xD1\x65\x36\xFB\x0D", "hello", &[]);
    }

    #[test]
    fn bits_of_another_septet_at_the_end_are_truncated() {
        assert_decodes(
            "GSM0338-PACKED",
            b"\xE8\x32\x9B",
            "hel\u{FFFD}",
            &[(2, 1, MalformedReason::Truncated)],
        );
        assert_decodes(
            "GSM0338-PACKED:fill=3",
            b"\xFF",
            "\u{FFFD}",
            &[(0, 1, MalformedReason::Truncated)],
        );
    }

    #[test]
    fn unknown_extension_is_a_space_and_the_character() {
        // 1B 62 1B, and then a septet that is not there.
        assert_decodes("GSM0338-PACKED", b"\x1B\xF1\x06", " b ", &[]);
        assert_eq!(
            encode_every_way("GSM0338-PACKED", "aç`b"),
            (b"\x61\x31".to_vec(), vec![(1, 'ç'), (3, '`')])
        );
    }
}
