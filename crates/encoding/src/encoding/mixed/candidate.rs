//! An encoding of a list, and whether a line or a run is valid in it.

use crate::codec::{DecodeStage, EncodeStage, State, Status};
use crate::encoding;
use charpipe_kernel::utf8;

use super::Member;

/// The size of the buffers for text and for bytes, in bytes.
const SCRATCH_LEN: usize = 1024;

/// The size of the buffer for one character, in bytes. It has space for the lookahead of any codec.
const CHARACTER_LEN: usize = 64;

/// The codecs of an encoding of a list.
pub(super) struct MixedCandidate {
    pub decoder: Box<dyn DecodeStage>,
    /// The encoder that checks whether the text can be encoded as the same bytes.
    encoder: Option<Box<dyn EncodeStage>>,
    is_utf8: bool,
    /// Whether it can be decoded from the end of any malformed sequence on, and has characters of several
    /// bytes. In other encodings few sequences are malformed even if the text is in another one.
    counts_malformed: bool,
    /// Whether each byte is valid, in an encoding in which every character is a byte.
    bytes: Option<Box<[MixedValidity; 256]>>,
}

/// Whether bytes are valid in an encoding. Several parts are as valid as the last of these for any of
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MixedValidity {
    Valid,
    /// They are valid, but the text would be encoded as other bytes.
    Irreversible,
    Invalid,
}

/// The extent of a run in an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunExtent {
    /// Its length in bytes.
    Complete(usize),
    /// The encoding is not valid after this number of bytes.
    InvalidAfter(usize),
    /// More input is needed.
    NeedsMore,
}

/// The input from which an extent is determined.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub bytes: &'a [u8],
    /// Whether no input follows.
    pub is_end: bool,
    /// Whether no more than these bytes may be examined.
    pub is_full: bool,
}

/// What the start of bytes is in an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstCharacter {
    Valid,
    Invalid,
    Incomplete,
}

/// The buffers of [`MixedCandidate::validity`].
pub(super) struct Scratch {
    text: Box<[u8]>,
    bytes: Box<[u8]>,
}

impl Scratch {
    pub fn new() -> Scratch {
        Scratch { text: vec![0; SCRATCH_LEN].into(), bytes: vec![0; SCRATCH_LEN].into() }
    }
}

impl MixedCandidate {
    /// Returns the codecs of an encoding. With `is_reversible` it is valid only for what it encodes as
    /// the same bytes again.
    pub fn new(member: &Member, is_reversible: bool) -> MixedCandidate {
        let is_utf8 = encoding::is_utf8(member.encoding);
        let mut candidate = MixedCandidate {
            decoder: member.decoder(),
            // UTF-8 has one representation of each text.
            encoder: (is_reversible && !is_utf8).then(|| member.encoder()),
            is_utf8,
            counts_malformed: member.has_independent_lines(),
            bytes: None,
        };
        if member.single_byte_count().is_some() {
            let scratch = &mut Scratch::new();
            let bytes =
                std::array::from_fn(|byte| candidate.validity(&[byte as u8], true, scratch));
            candidate.bytes = Some(Box::new(bytes));
            candidate.counts_malformed = false;
        }
        candidate
    }

    pub fn is_utf8(&self) -> bool {
        self.is_utf8
    }

    /// Puts the decoder in its initial state.
    pub fn reset(&mut self) {
        self.decoder.restore_state(State::INITIAL);
    }

    /// Returns whether `bytes` are valid. With `end` they are all of a line or run; a line feed at their
    /// end must leave the initial state.
    pub fn validity(&mut self, bytes: &[u8], end: bool, scratch: &mut Scratch) -> MixedValidity {
        if self.is_utf8 && self.encoder.is_none() {
            return match utf8::validate(bytes) {
                (_, None) => MixedValidity::Valid,
                (_, Some(None)) if !end => MixedValidity::Valid,
                _ => MixedValidity::Invalid,
            };
        }
        if let Some(validity) = &self.bytes {
            let of_byte = |byte: &u8| validity[usize::from(*byte)];
            return bytes.iter().map(of_byte).max().unwrap_or(MixedValidity::Valid);
        }
        let Scratch { text, bytes: encoded } = scratch;
        self.decoder.restore_state(State::INITIAL);
        if let Some(encoder) = &mut self.encoder {
            encoder.restore_state(State::INITIAL);
        }
        let (mut read, mut text_len, mut compared_len) = (0, 0, 0);
        let mut is_reversible = true;
        loop {
            let progress = self.decoder.decode(&bytes[read..], &mut text[text_len..], end);
            read += progress.read;
            text_len += progress.written;
            let is_done = match progress.status {
                Status::InputEmpty => true,
                Status::OutputFull => false,
                Status::Error(_) => return MixedValidity::Invalid,
            };
            let Some(encoder) = self.encoder.as_mut().filter(|_| is_reversible) else {
                text_len = 0;
                if is_done {
                    break;
                }
                continue;
            };
            loop {
                let unread = std::str::from_utf8(&text[..text_len]).unwrap_or_default();
                let progress = encoder.encode(unread, encoded, end && is_done);
                let encoded = &encoded[..progress.written];
                is_reversible &= bytes[compared_len..].starts_with(encoded)
                    && !matches!(progress.status, Status::Error(_));
                compared_len += encoded.len();
                text.copy_within(progress.read..text_len, 0);
                text_len -= progress.read;
                if !is_reversible || progress.status == Status::InputEmpty {
                    break;
                }
            }
            if is_done {
                break;
            }
        }
        let is_initial = self.decoder.save_state() == State::INITIAL;
        if end && bytes.ends_with(b"\n") && !is_initial {
            return MixedValidity::Invalid;
        }
        let is_whole = !end || self.encoder.is_none() || compared_len == bytes.len();
        if is_reversible && is_whole { MixedValidity::Valid } else { MixedValidity::Irreversible }
    }

    /// Returns the number of malformed sequences in a line. If this is not the first encoding, the result
    /// is `None` if what is between them would be encoded as other bytes, or if the number says little.
    pub fn malformed_count(
        &mut self,
        line: &[u8],
        end: bool,
        is_first: bool,
        scratch: &mut Scratch,
    ) -> Option<usize> {
        if !is_first && !self.counts_malformed {
            return None;
        }
        let (mut start, mut state, mut count) = (0, State::INITIAL, 0);
        loop {
            let mut at = start;
            self.decoder.restore_state(state);
            let error = loop {
                let progress = self.decoder.decode(&line[at..], &mut scratch.text, end);
                at += progress.read;
                match progress.status {
                    Status::InputEmpty => break None,
                    Status::OutputFull => {}
                    Status::Error(error) => break Some(error),
                }
            };
            let valid = &line[start..at];
            if !is_first && self.validity(valid, true, scratch) != MixedValidity::Valid {
                return None;
            }
            let Some(error) = error else { return Some(count) };
            count += 1;
            start = at + error.resume_len;
            state = error.resume_state;
        }
    }

    /// Returns the extent of a run at the start of `view`, which ends where `first` is valid again.
    pub fn run_extent(&mut self, view: View<'_>, first: &mut MixedCandidate) -> RunExtent {
        let View { bytes, is_end, is_full } = view;
        if let Some(validity) = &self.bytes {
            return single_byte_run_extent(validity, view, first);
        }
        let mut buffer = [0; CHARACTER_LEN];
        self.reset();
        // The end of the last whole character, and of what the decoder has read.
        let (mut whole_len, mut read) = (0, 0);
        loop {
            let rest = &bytes[read..];
            let step = (1..=rest.len()).find_map(|len| {
                let progress = self.decoder.decode(&rest[..len], &mut buffer, false);
                let is_error = matches!(progress.status, Status::Error(_));
                (is_error || progress.read > 0).then_some((progress.read, is_error))
            });
            match step {
                Some((_, true)) => return RunExtent::InvalidAfter(whole_len),
                Some((len, false)) => read += len,
                None if is_full && whole_len > 0 => return RunExtent::Complete(whole_len),
                None if is_full => return RunExtent::InvalidAfter(0),
                None if !is_end => return RunExtent::NeedsMore,
                None => {
                    let progress = self.decoder.decode(rest, &mut buffer, true);
                    return match progress.status {
                        Status::Error(_) => RunExtent::InvalidAfter(whole_len),
                        _ => RunExtent::Complete(bytes.len()),
                    };
                }
            }
            if self.decoder.save_state() != State::INITIAL {
                continue;
            }
            whole_len = read;
            if let Some(extent) = first.end_of_run(view, whole_len) {
                return extent;
            }
        }
    }

    /// Returns the extent of a run if it ends after whole characters of `len` bytes, because this first
    /// encoding is valid there, or if that is not known.
    fn end_of_run(&mut self, view: View<'_>, len: usize) -> Option<RunExtent> {
        let after = match view.bytes.get(len) {
            Some(0..=0x7F) => FirstCharacter::Valid,
            Some(_) => self.first_character(&view.bytes[len..], view.is_end),
            None if view.is_end => FirstCharacter::Valid,
            None => FirstCharacter::Incomplete,
        };
        match after {
            FirstCharacter::Valid => Some(RunExtent::Complete(len)),
            FirstCharacter::Incomplete if view.is_full => Some(RunExtent::Complete(len)),
            FirstCharacter::Incomplete => Some(RunExtent::NeedsMore),
            FirstCharacter::Invalid => None,
        }
    }

    /// Returns whether `bytes`, which are not empty, start with a whole character.
    fn first_character(&mut self, bytes: &[u8], end: bool) -> FirstCharacter {
        let start = &bytes[..bytes.len().min(CHARACTER_LEN)];
        let end = end && start.len() == bytes.len();
        if self.is_utf8 {
            return match std::str::from_utf8(&start[..start.len().min(4)]) {
                Ok(_) => FirstCharacter::Valid,
                Err(error) if error.valid_up_to() > 0 => FirstCharacter::Valid,
                Err(error) if error.error_len().is_some() || end => FirstCharacter::Invalid,
                Err(_) => FirstCharacter::Incomplete,
            };
        }
        self.reset();
        let progress = self.decoder.decode(start, &mut [0; CHARACTER_LEN], end);
        self.reset();
        match progress.status {
            _ if progress.read > 0 || progress.written > 0 => FirstCharacter::Valid,
            Status::Error(_) => FirstCharacter::Invalid,
            _ => FirstCharacter::Incomplete,
        }
    }
}

/// Returns what [`MixedCandidate::run_extent`] does for an encoding in which every character is a byte.
fn single_byte_run_extent(
    validity: &[MixedValidity; 256],
    view: View<'_>,
    first: &mut MixedCandidate,
) -> RunExtent {
    for (index, byte) in view.bytes.iter().enumerate() {
        if validity[usize::from(*byte)] == MixedValidity::Invalid {
            return RunExtent::InvalidAfter(index);
        }
        if let Some(extent) = first.end_of_run(view, index + 1) {
            return extent;
        }
    }
    RunExtent::NeedsMore
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::{ALL, EncodingOptions};

    fn members() -> impl Iterator<Item = Member> {
        ALL.iter().map(|encoding| Member { encoding, options: EncodingOptions::default() })
    }

    /// No encoder may write a pair of characters as other bytes than each of them.
    #[test]
    fn single_bytes_that_are_reversible_are_reversible_together() {
        let mut count = 0;
        for member in members().filter(|member| member.single_byte_count().is_some()) {
            let candidate = MixedCandidate::new(&member, true);
            let validity = candidate.bytes.expect("it has one byte for each character");
            let is_valid = |byte: &u8| validity[usize::from(*byte)] == MixedValidity::Valid;
            let bytes: Vec<u8> = (0..=0xFF).filter(is_valid).collect();
            let pairs = bytes.iter().flat_map(|one| bytes.iter().flat_map(move |two| [*one, *two]));
            let pairs: Vec<u8> = pairs.collect();
            let mut whole = MixedCandidate::new(&member, true);
            whole.bytes = None;
            let result = whole.validity(&pairs, true, &mut Scratch::new());
            assert_eq!(result, MixedValidity::Valid, "{}", member.label());
            count += 1;
        }
        assert!(count > 100, "{count}");
    }

    /// Otherwise several lines could not be decoded at once.
    #[test]
    fn line_feed_leaves_the_initial_state() {
        for member in members().filter(Member::has_independent_lines) {
            let (mut decoder, mut text) = (member.decoder(), [0; 256]);
            for lead in 0..=0xFF {
                for trail in 0..=0xFF {
                    decoder.restore_state(State::INITIAL);
                    let src = [lead, trail, b'\n'];
                    let progress = decoder.decode(&src, &mut text, false);
                    if matches!(progress.status, Status::Error(_)) {
                        continue;
                    }
                    let name = member.label();
                    assert_eq!(progress.read, src.len(), "{name} {src:X?}");
                    assert_eq!(decoder.save_state(), State::INITIAL, "{name} {src:X?}");
                }
            }
        }
    }
}
