//! The loop of the text transforms that copy most of their input: runs are copied, and the items
//! between them converted one at a time.

use std::fmt;

use charpipe_encoding::codec::{Checkpoint, Progress, State, TextTransform};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_kernel::bulk_copy;
use charpipe_kernel::utf8::floor_char_boundary_of_bytes;

/// What a transform does between runs of text that are copied unchanged.
pub(super) trait ItemFormat: Send + Sync {
    /// The maximum length of an item in the input and in the output, in bytes.
    const MAX_LEN: usize;

    /// Returns the length of the run at the start of `src` that is copied unchanged. `src` may end
    /// inside a character.
    fn plain_len(&self, src: &[u8], state: u64) -> usize;

    /// Converts the item at the start of `src`, which is not empty, to the start of `dst`. `end`
    /// means that nothing follows `src`. The state is zero in a call, unless a call before has set
    /// it, and becomes the state after the item.
    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, state: &mut u64) -> Item;
}

/// The result of converting one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// `read` bytes were converted to `written` bytes.
    Converted { read: usize, written: usize },
    /// The output buffer is too small.
    OutputFull,
    /// The item is incomplete. Not returned at the end of the input.
    NeedMore,
    /// A malformed sequence.
    Malformed { len: usize, reason: MalformedReason },
}

impl Item {
    /// Returns the first `len` bytes of `src` converted to `text`.
    pub fn text(len: usize, text: &str, dst: &mut [u8]) -> Item {
        match dst.get_mut(..text.len()) {
            Some(to) => {
                to.copy_from_slice(text.as_bytes());
                Item::Converted { read: len, written: text.len() }
            }
            None => Item::OutputFull,
        }
    }

    /// Returns the first `len` bytes of `src` converted to the text in the first `text_len` bytes of an array.
    pub fn bytes(len: usize, text: [u8; 8], text_len: usize, dst: &mut [u8]) -> Item {
        if let Some(to) = dst.first_chunk_mut() {
            *to = text;
        } else if let Some(to) = dst.get_mut(..text_len) {
            to.copy_from_slice(&text[..text_len]);
        } else {
            return Item::OutputFull;
        }
        Item::Converted { read: len, written: text_len }
    }

    /// Returns `len` bytes converted to a character.
    pub fn char(len: usize, character: char, dst: &mut [u8]) -> Item {
        Item::text(len, character.encode_utf8(&mut [0; 4]), dst)
    }

    /// Returns the first `len` bytes of `src` unchanged.
    pub fn unchanged(len: usize, src: &str, dst: &mut [u8]) -> Item {
        Item::text(len, &src[..len], dst)
    }
}

/// The text that an item is converted to, of up to `N` bytes.
pub(super) struct ItemText<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> ItemText<N> {
    pub fn new() -> ItemText<N> {
        ItemText { bytes: [0; N], len: 0 }
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    pub fn push(&mut self, text: &[u8]) {
        self.bytes[self.len..self.len + text.len()].copy_from_slice(text);
        self.len += text.len();
    }

    /// Returns `read` bytes converted to this text.
    pub fn item(&self, read: usize, dst: &mut [u8]) -> Item {
        let Some(to) = dst.get_mut(..self.len) else { return Item::OutputFull };
        to.copy_from_slice(self.as_bytes());
        Item::Converted { read, written: self.len }
    }
}

impl<const N: usize> fmt::Write for ItemText<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

/// A codec that copies runs and converts items.
pub(super) struct ItemTransform<F> {
    format: F,
    state: u64,
}

impl<F: ItemFormat> ItemTransform<F> {
    pub fn new(format: F) -> ItemTransform<F> {
        ItemTransform { format, state: State::INITIAL.bits() }
    }
}

impl<F: ItemFormat> Checkpoint for ItemTransform<F> {
    fn save_state(&self) -> State {
        State::new(self.state)
    }

    fn restore_state(&mut self, at: State) {
        self.state = at.bits();
    }

    fn max_lookahead(&self) -> usize {
        F::MAX_LEN
    }
}

impl<F: ItemFormat> TextTransform for ItemTransform<F> {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let rest = &src.as_bytes()[read..];
            let output = &mut dst[written..];
            let window = &rest[..rest.len().min(output.len())];
            let mut run = self.format.plain_len(window, self.state);
            let is_full = run == window.len()
                && run < rest.len()
                // An item that writes nothing needs no space.
                && !(output.is_empty() && self.format.plain_len(&rest[..1], self.state) == 0);
            if is_full {
                run = floor_char_boundary_of_bytes(rest, run);
            }
            if run > 0 {
                bulk_copy::copy(&rest[..run], output);
                (read, written) = (read + run, written + run);
                self.state = State::INITIAL.bits();
            }
            if is_full {
                return Progress::output_full(read, written);
            }
            if read == src.len() {
                break;
            }
            let mut next_state = self.state;
            let item =
                self.format.convert_item(&src[read..], &mut dst[written..], end, &mut next_state);
            match item {
                Item::Converted { read: item_read, written: item_written } => {
                    (read, written) = (read + item_read, written + item_written);
                    self.state = next_state;
                }
                Item::OutputFull => return Progress::output_full(read, written),
                Item::NeedMore => break,
                Item::Malformed { len, reason } => {
                    let error = Malformed::new(len, reason, State::new(next_state));
                    return Progress::error(read, written, error);
                }
            }
        }
        Progress::input_empty(read, written)
    }
}
