//! Where the decoder stands in a record: all that it remembers, in one word of state.

use super::bytes::TransferPosition;
use super::gathered::Landing;
use super::position::AddressContext;
use crate::codec::State;

/// What comes next in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Mode {
    /// The front of a record.
    #[default]
    Record,
    /// Text in a record.
    Text,
    /// What stands after a newline, white space or another record.
    Line,
    /// The text of a word.
    Word,
}

/// The rules that a record follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Rules {
    /// A bare value.
    #[default]
    Bare,
    /// An unstructured field.
    Text,
    /// A field of addresses.
    Addresses,
    /// A field without words.
    Verbatim,
}

/// How a word and the next one go together. What is settled stays so, even if an error in the first
/// takes its last bytes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// Each is decoded by itself, and their bytes are joined.
    Bytes,
    /// The base64 itself goes on.
    Text,
    /// They do not: what follows is text.
    Apart,
}

/// Everything that is remembered from one call to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Stand {
    pub mode: Mode,
    pub rules: Rules,
    pub position: AddressContext,
    /// The byte before, or a newline where the body of a field or a bare value begins.
    pub last: u8,
    /// Bytes of the text ahead in which no word is looked for.
    pub left: u32,
    /// Strict: whether a word has ended here.
    pub after_word: bool,
    /// Whether the text of the word is in base64.
    pub base64: bool,
    /// Bytes read of a quantum of base64.
    pub phase: u8,
    /// How the word goes on in the next one.
    pub joint: Option<Joint>,
    /// The position of the word's charset in the list of all.
    pub slot: u16,
    /// The state of the decoder of the word's charset.
    pub inner: State,
}

impl Stand {
    /// Where the next byte of the word begins, if it is looked for at `at`.
    pub fn position(&self, at: usize) -> TransferPosition {
        TransferPosition { at, base64: self.base64, phase: self.phase }
    }

    /// The same with the next byte there, apart from the index.
    pub fn at(self, landing: Landing) -> Stand {
        let Landing { position, joint } = landing;
        Stand { base64: position.base64, phase: position.phase, joint, ..self }
    }

    /// In the text of a word of this charset.
    pub fn in_word(self, base64: bool, slot: u16) -> Stand {
        let inner = State::INITIAL;
        Stand { mode: Mode::Word, base64, phase: 0, joint: None, slot, inner, ..self }
    }

    /// After a word.
    pub fn after_word(self) -> Stand {
        let (mode, rules, position) = (Mode::Text, self.rules, self.position);
        Stand { mode, rules, position, last: b'=', ..Stand::default() }
    }

    pub fn state(&self) -> State {
        let mut word = Packed::default();
        word.put(2, self.mode as u64);
        word.put(2, self.rules as u64);
        word.put(AddressContext::BITS, self.position.bits());
        word.put(8, self.last.into());
        word.put(LEFT_BITS, self.left.into());
        word.put(1, self.after_word.into());
        word.put(1, self.base64.into());
        word.put(2, self.phase.into());
        word.put(2, self.joint.map_or(0, |joint| 1 + joint as u64));
        word.put(SLOT_BITS, self.slot.into());
        State::new(word.bits).with_inner(self.inner)
    }

    /// Whether the text of a word comes next, in this state.
    pub fn is_in_word(state: State) -> bool {
        state.bits() & 0b11 == Mode::Word as u64
    }

    /// The state after a byte of text that is an error by itself, if text comes next and nothing
    /// but the byte has to be remembered. As [`after`](Stand::after), but without unpacking.
    pub fn after_error(state: State, byte: u8) -> Option<State> {
        const LAST: u64 = 0xFF << LAST_AT;
        const FIRST_BITS: u64 = (1 << LAST_AT) - 1;
        const ESCAPED: u64 = AddressContext::ESCAPED << POSITION_AT;
        let bits = state.bits();
        let is_text = bits & 0b11 == Mode::Text as u64;
        let is_plain = bits & !(LAST | FIRST_BITS & !ESCAPED) == 0;
        let then = bits & !LAST | u64::from(byte) << LAST_AT;
        (is_text && is_plain).then(|| State::new(then).with_inner(state.inner()))
    }

    pub fn of(state: State) -> Stand {
        let mut word = Packed { bits: state.bits(), used: 0 };
        Stand {
            mode: [Mode::Record, Mode::Text, Mode::Line, Mode::Word][word.take(2) as usize],
            rules: [Rules::Bare, Rules::Text, Rules::Addresses, Rules::Verbatim]
                [word.take(2) as usize],
            position: AddressContext::of(word.take(AddressContext::BITS)),
            last: word.take(8) as u8,
            left: word.take(LEFT_BITS) as u32,
            after_word: word.take(1) == 1,
            base64: word.take(1) == 1,
            phase: word.take(2) as u8,
            joint: [None, Some(Joint::Bytes), Some(Joint::Text), Some(Joint::Apart)]
                [word.take(2) as usize],
            slot: word.take(SLOT_BITS) as u16,
            inner: state.inner(),
        }
    }
}

/// Where the position stands in the state: after the mode and the rules.
const POSITION_AT: u32 = 2 + 2;

/// Where the byte before stands in the state.
const LAST_AT: u32 = POSITION_AT + AddressContext::BITS;

/// Holds the length of the longest word.
const LEFT_BITS: u32 = 17;

/// Holds the position of a charset in the list of all.
const SLOT_BITS: u32 = 12;

/// Numbers in one word, put in and taken out in the same order.
#[derive(Default)]
struct Packed {
    bits: u64,
    used: u32,
}

impl Packed {
    fn put(&mut self, width: u32, value: u64) {
        self.bits |= value << self.used;
        self.used += width;
    }

    fn take(&mut self, width: u32) -> u64 {
        let value = (self.bits >> self.used) & ((1 << width) - 1);
        self.used += width;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding;

    #[test]
    fn a_state_gives_back_what_it_was_made_from() {
        let mut position = AddressContext::default();
        position.walk(b"((\\");
        let full = Stand {
            mode: Mode::Word,
            rules: Rules::Verbatim,
            position,
            last: 0xFF,
            left: super::super::REACH as u32,
            after_word: true,
            base64: true,
            phase: 2,
            joint: Some(Joint::Text),
            slot: (1 << SLOT_BITS) - 1,
            inner: State::new(u64::MAX),
        };
        let other =
            Stand { mode: Mode::Line, rules: Rules::Addresses, joint: Some(Joint::Bytes), ..full };
        for stand in [full, other, Stand::default()] {
            assert_eq!(Stand::of(stand.state()), stand);
        }
        assert_eq!(Stand::default().state(), State::INITIAL);
        assert!(encoding::ALL.len() < 1 << SLOT_BITS);
    }

    #[test]
    fn an_error_in_plain_text_needs_no_unpacking() {
        let text = Stand { mode: Mode::Text, last: b' ', ..Stand::default() };
        let [mut quoted, mut escaped] = [AddressContext::default(); 2];
        quoted.walk(b"\"");
        escaped.walk(b"(\\");
        let addresses = Stand { rules: Rules::Addresses, ..text };
        for (stand, plain) in [
            (text, true),
            (Stand { rules: Rules::Text, ..text }, true),
            (Stand { rules: Rules::Verbatim, last: 0xFF, ..text }, true),
            (addresses, true),
            (Stand { position: quoted, ..addresses }, true),
            (Stand { position: escaped, ..addresses }, false),
            (Stand { left: 1, ..text }, false),
            (Stand { after_word: true, ..text }, false),
            (Stand { mode: Mode::Line, ..text }, false),
            (Stand::default(), false),
            (text.in_word(true, 0), false),
        ] {
            let then = stand.after(b"\xE9").state();
            let found = Stand::after_error(stand.state(), 0xE9);
            assert_eq!(found, plain.then_some(then), "{stand:?}");
        }
    }
}
