//! Mixed encodings: text whose lines, or parts of lines, are in different encodings of a list.
//!
//! A list such as `utf-8,windows-1252` is an encoding of its own. Its decoder decodes each unit of the
//! input with the first encoding of the list in which the unit is valid. There are two kinds of units:
//!
//! - **Lines** (`per=line`). A line ends after the byte 0A, or at the end of the input. It is valid in an
//!   encoding if all of it decodes from the initial state without an error, and, if it ends with 0A, the
//!   decoder is in its initial state again. Of a longer line only the first [`WINDOW`] bytes are
//!   examined; a sequence after them that is malformed is an error. If a line is valid in no encoding,
//!   it is decoded with the one in which it has the fewest malformed sequences, and these are errors. Of
//!   the encodings after the first one only multi-byte, stateless supersets of ASCII are used for that: a
//!   few malformed bytes in a single-byte encoding are no evidence for it.
//! - **Runs** (`per=run`). The first encoding decodes the input up to a malformed sequence, where a run
//!   starts. Another encoding decodes whole characters from there. The run ends after the first of
//!   them that is followed by an ASCII byte, by a whole character of the first encoding, or by the end
//!   of the input, or at the last one within [`WINDOW`] bytes. If all of it is valid in the other
//!   encoding, the first encoding continues after it. If each of the other encodings finds a malformed
//!   sequence before the end of the run, the malformed sequence of the first encoding is an error, and
//!   so are those that follow it up to where the last of the others has failed.
//!
//! The second and further encodings decode only what they encode as the same bytes again, so that the
//! conversion can be undone. Other lines and runs are invalid in them, unless the option `lossy` is set.
//!
//! U+FEFF in UTF-8 at the start of the input is decoded as such, whatever follows it, if UTF-8 is in the
//! list. The encoder of a list is that of its first encoding; as the target of a conversion a list is
//! rejected.

use std::sync::{Mutex, PoisonError};

use super::{CodecFactory, Encoding, EncodingOptions, OptionSpec, OptionValues};
use crate::codec::{DecodeStage, EncodeStage, State, Status};
use crate::encoding::split_rule::SplitRule;

mod candidate;
mod counts;
mod decoder;

pub use counts::{MixedCount, MixedCounts, MixedUnit, SharedCounter};

/// The maximum number of bytes from which it is decided how a line or a run is decoded. This is the
/// maximum lookahead of the decoder.
pub const WINDOW: usize = 4096;

/// The maximum number of encodings in a list.
pub const MAX_MEMBERS: usize = 8;

/// The maximum number of different lists in a process. They are kept until it ends.
const MAX_LISTS: usize = 1000;

/// The options of a list.
pub const LIST_OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "per",
        values: OptionValues::Choice(&["auto", "run", "line"]),
        description: "What is decoded with one encoding: a malformed run or a line. auto is run if all \
                      encodings after the first are single-byte supersets of ASCII, else line",
    },
    OptionSpec {
        name: "lossy",
        values: OptionValues::Flag,
        description: "Also decode what would not be encoded as the same bytes again",
    },
];

/// The encodings of a list, which makes the decoder.
#[derive(Debug)]
pub struct EncodingList {
    /// The encodings, in the order in which they are tried.
    pub members: Vec<Member>,
    /// The unit of `per=auto`.
    pub default_unit: MixedUnit,
}

/// An encoding of a list, with its options.
#[derive(Debug)]
pub struct Member {
    /// The encoding.
    pub encoding: &'static Encoding,
    /// Its options.
    pub options: EncodingOptions,
}

impl Member {
    /// Returns the name with the options.
    pub fn label(&self) -> String {
        format!("{}{}", self.encoding.name(), self.options)
    }

    /// Returns a new decoder.
    pub fn decoder(&self) -> Box<dyn DecodeStage> {
        self.encoding.decoder(&self.options)
    }

    fn encoder(&self) -> Box<dyn EncodeStage> {
        self.encoding.encoder(&self.options)
    }

    /// Returns whether the byte 0A is U+000A.
    pub fn decodes_line_feed(&self) -> bool {
        let mut text = [0; 64];
        let decoded = self.decoder().decode(b"\n", &mut text, true);
        decoded.status == Status::InputEmpty && text[..decoded.written] == *b"\n"
    }

    /// Returns whether U+000A is the byte 0A, and leaves no state.
    pub fn encodes_line_feed(&self) -> bool {
        let (mut decoder, mut text, mut bytes) = (self.decoder(), [0; 64], [0; 64]);
        let is_read = decoder.decode(b"\n", &mut text, true).status == Status::InputEmpty;
        let encoded = self.encoder().encode("\n", &mut bytes, true);
        is_read
            && decoder.save_state() == State::INITIAL
            && encoded.status == Status::InputEmpty
            && bytes[..encoded.written] == *b"\n"
    }

    /// Returns whether the decoder is in its initial state after each line feed.
    pub fn has_independent_lines(&self) -> bool {
        self.options.is_empty() && self.encoding.is_ascii_compatible()
    }

    /// Returns whether no byte above 7F occurs.
    pub fn is_seven_bit(&self) -> bool {
        let (mut decoder, mut text) = (self.decoder(), [0; 64]);
        (0x80..=0xFF).all(|byte| {
            decoder.restore_state(State::INITIAL);
            matches!(decoder.decode(&[byte], &mut text, false).status, Status::Error(_))
        })
    }

    /// Returns the number of bytes that are characters by themselves, if all others are malformed.
    pub fn single_byte_count(&self) -> Option<usize> {
        let (mut decoder, mut text) = (self.decoder(), [0; 64]);
        let mut count = 0;
        for byte in 0..=0xFF {
            decoder.restore_state(State::INITIAL);
            let progress = decoder.decode(&[byte], &mut text, false);
            match progress.status {
                Status::Error(_) => {}
                _ if progress.read == 1 && decoder.save_state() == State::INITIAL => count += 1,
                _ => return None,
            }
        }
        Some(count)
    }
}

impl EncodingList {
    /// Returns the name of the encoding that this list is.
    fn name(&self) -> String {
        self.members.iter().map(Member::label).collect::<Vec<_>>().join(",")
    }

    fn unit(&self, options: &EncodingOptions) -> MixedUnit {
        match options {
            _ if options.is_choice("per", "run") => MixedUnit::Run,
            _ if options.is_choice("per", "line") => MixedUnit::Line,
            _ => self.default_unit,
        }
    }

    /// Returns a new decoder, and the counter of what it decodes.
    pub fn counting_decoder(
        &self,
        options: &EncodingOptions,
    ) -> (Box<dyn DecodeStage>, SharedCounter) {
        let (unit, lossy) = (self.unit(options), options.flag("lossy"));
        let (decoder, counter) = decoder::MixedDecoder::new(self, unit, lossy);
        (Box::new(decoder), counter)
    }

    /// Returns this list as an encoding, or `None` if there are too many lists.
    pub fn into_encoding(self) -> Option<&'static Encoding> {
        static LISTS: Mutex<Vec<&'static Encoding>> = Mutex::new(Vec::new());
        let mut lists = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
        let name = self.name();
        if let Some(known) = lists.iter().find(|known| known.name() == name) {
            return Some(known);
        }
        if lists.len() == MAX_LISTS {
            return None;
        }
        let encoding = Encoding {
            options: LIST_OPTIONS,
            ..Encoding::new(
                name.leak(),
                "each line or malformed run in the first encoding in which it is valid",
                Box::leak(Box::new(self)),
            )
        };
        let encoding: &'static Encoding = Box::leak(Box::new(encoding));
        lists.push(encoding);
        Some(encoding)
    }
}

impl CodecFactory for EncodingList {
    fn decoder(&self, options: &EncodingOptions) -> Box<dyn DecodeStage> {
        self.counting_decoder(options).0
    }

    fn encoder(&self, _options: &EncodingOptions) -> Box<dyn EncodeStage> {
        self.members[0].encoder()
    }

    fn split_rule(&self, _options: &EncodingOptions) -> SplitRule {
        SplitRule::unsplittable("a list of encodings")
    }

    fn list(&self) -> Option<&EncodingList> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_feed_is_one_byte_that_is_read_and_written() {
        for (label, expected) in [
            ("UTF-8", true),
            ("Shift_JIS", true),
            ("UTF-16LE", false),
            ("IBM037", false),
            // Encoding Standard: the decoder returns an error for any input, and the encoder is that of UTF-8.
            ("whatwg:replacement", false),
        ] {
            let encoding = Encoding::lookup(label).unwrap();
            let member = Member { encoding, options: EncodingOptions::default() };
            assert_eq!(member.encodes_line_feed(), expected, "{label}");
        }
    }
}
