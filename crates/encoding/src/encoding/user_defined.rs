//! Encodings that a mapping file defines, of a user or built-in: [GSM 03.38](gsm0338) and [PETSCII](petscii).
//!
//! A code has one to [`MAX_CODE_LEN`] bytes, and there are no shift states. It decodes to one to [`MAX_TEXT_CHARS`]
//! characters. The decoder follows a trie over the bytes of a code, and takes the longest code; the encoder has the codes of
//! characters in pages, and takes the longest text that has a code.
//!
//! A malformed sequence ends as in the other multi-byte encodings: with the byte that shows the error, but before an ASCII
//! byte after the first byte if ASCII is encoded as itself.

mod code_trie;
pub(super) mod gsm0338;
pub(super) mod gsm0338_packed;
mod mapping_file;
pub(super) mod petscii;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;

use super::{CodecFactory, Encoding, EncodingOptions};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::{ByteSet, SplitPoints, SplitRule, SplitTarget};
use crate::error::Error;
use charpipe_kernel as kernel;

use code_trie::{CodeTrie, TrieEntry};
use mapping_file::{Direction, Mapping};

/// The maximum number of bytes of a code.
const MAX_CODE_LEN: usize = 4;

/// The maximum number of characters of a code.
const MAX_TEXT_CHARS: usize = 4;

/// The length of the longest text of a code in bytes.
const MAX_LOOKAHEAD: usize = 4 * MAX_TEXT_CHARS;

/// The number of code points of a page of the encoder.
const PAGE_LEN: usize = 0x100;

/// Why the mappings of a file are not those of an encoding.
type MappingResult<T> = Result<T, InvalidMapping>;

/// The first error in a mapping file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct InvalidMapping {
    /// The number of the line, from 1.
    line: usize,
    reason: String,
}

impl InvalidMapping {
    fn new(line: usize, reason: impl Into<String>) -> InvalidMapping {
        InvalidMapping { line, reason: reason.into() }
    }
}

impl Encoding {
    /// Returns an encoding that a mapping file defines. `path` is the name of the file in errors; the name of the encoding is
    /// the one in the file, or else that of the file without its extension.
    ///
    /// The format is recognized: a UCM file of ICU, a character set description file of POSIX (charmap), or lines with a code
    /// and a character, such as `0xA4 0x20AC`. Codes have at most four bytes, without shift states, and at most four
    /// characters; the longest code and the longest text are taken. A character is encoded to the first of its codes,
    /// without those that the file marks as only decoded. Like the other encodings, the encoding is kept until the process
    /// ends.
    ///
    /// # Errors
    ///
    /// Returns [`Error::InvalidMapping`] if the file has an error, or defines an encoding of another kind.
    ///
    /// ```
    /// use charpipe::Encoding;
    ///
    /// let encoding = Encoding::from_mapping("machine.txt", b"0x41 0x0041\n0x80 0x20AC # EURO SIGN\n").unwrap();
    /// assert_eq!(encoding.decode(b"A\x80"), ("A€".into(), false));
    /// assert_eq!(encoding.encode("€A"), (b"\x80A"[..].into(), false));
    /// assert_eq!(encoding.name(), "machine");
    /// assert!(Encoding::from_mapping("machine.txt", b"0x80 euro\n").is_err());
    /// ```
    pub fn from_mapping(path: &str, file: &[u8]) -> Result<&'static Encoding, Error> {
        let error = |error: InvalidMapping| Error::InvalidMapping {
            path: path.to_owned(),
            line: error.line,
            reason: error.reason,
        };
        let (name, mapping) = UserMapping::parse(file).map_err(error)?;
        let stem =
            || Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name: &'static str = Box::leak(name.unwrap_or_else(stem).into_boxed_str());
        let mapping: &'static UserMapping = Box::leak(Box::new(mapping));
        let factory = MappingFactory(move || mapping);
        let encoding = Encoding::new(name, "user-defined", Box::leak(Box::new(factory)));
        Ok(Box::leak(Box::new(encoding)))
    }
}

/// The codes of an encoding in both directions.
#[derive(Debug)]
struct UserMapping {
    trie: CodeTrie,
    /// The pages of the characters that are encoded by themselves.
    pages: Vec<Option<Box<[Code; PAGE_LEN]>>>,
    /// The texts of several characters that are encoded, in order.
    sequences: Vec<(Box<str>, Code)>,
    /// The bytes in codes of several bytes.
    long_code_bytes: ByteSet,
    /// Whether bytes below 80 are ASCII, and all ASCII characters are encoded as these.
    is_ascii: bool,
}

/// The bytes of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Code {
    /// The bytes, followed by zeros.
    bytes: [u8; MAX_CODE_LEN],
    /// The number of bytes. Zero means none.
    len: u8,
    /// Whether the character begins a sequence that has a code.
    begins_sequence: bool,
}

impl Code {
    /// Returns the code of one to [`MAX_CODE_LEN`] bytes.
    fn new(code: &[u8]) -> Option<Code> {
        let mut bytes = [0; MAX_CODE_LEN];
        bytes.get_mut(..code.len()).filter(|space| !space.is_empty())?.copy_from_slice(code);
        Some(Code { bytes, len: code.len() as u8, begins_sequence: false })
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl UserMapping {
    /// Returns the name of an encoding in a file, if it has one, and the mappings.
    fn parse(file: &[u8]) -> MappingResult<(Option<String>, UserMapping)> {
        let file = mapping_file::parse(file)?;
        Ok((file.name, UserMapping::new(file.mappings)?))
    }

    /// Returns the mappings of a charmap that is part of the program.
    fn built_in(charmap: &[u8]) -> UserMapping {
        UserMapping::parse(charmap).expect("the charmap is valid, which a test checks").1
    }

    /// Returns the mappings of a file, in the order of its lines.
    fn new(mut mappings: Vec<Mapping>) -> MappingResult<UserMapping> {
        let mut pages: Vec<Option<Box<[Code; PAGE_LEN]>>> = vec![None; 0x11_0000 / PAGE_LEN];
        let mut sequences = Vec::new();
        for mapping in mappings.iter().filter(|mapping| mapping.direction != Direction::Decode) {
            let mut characters = mapping.text.chars();
            let Some(first) = characters.next() else { continue };
            let is_single = characters.next().is_none();
            let value = u32::from(first) as usize;
            let page = pages[value / PAGE_LEN]
                .get_or_insert_with(|| Box::new([Code::default(); PAGE_LEN]));
            let code = &mut page[value % PAGE_LEN];
            match (is_single, code.len) {
                (true, 0) => *code = Code { begins_sequence: code.begins_sequence, ..mapping.code },
                // The first one is encoded.
                (true, _) => {}
                (false, _) => {
                    code.begins_sequence = true;
                    sequences.push((mapping.text.as_str().into(), mapping.code));
                }
            }
        }
        sequences.sort_by(|(one, _): &(Box<str>, Code), (other, _)| one.cmp(other));
        sequences.dedup_by(|(later, _), (first, _)| later == first);
        mappings.retain(|mapping| mapping.direction != Direction::Encode);
        mappings.sort_by_key(|mapping| mapping.code);
        let trie = CodeTrie::new(&mappings)?;
        let mut is_in_long_code = [false; 0x100];
        for code in mappings.iter().map(|mapping| mapping.code).filter(|code| code.len > 1) {
            code.as_slice().iter().for_each(|byte| is_in_long_code[usize::from(*byte)] = true);
        }
        let long_code_bytes = ByteSet::from_fn(|byte| is_in_long_code[usize::from(byte)]);
        let mut mapping = UserMapping { trie, pages, sequences, long_code_bytes, is_ascii: false };
        mapping.is_ascii = (0..0x80).all(|byte| {
            let character = char::from(byte);
            mapping.trie.character(byte) == Some(character)
                && mapping.code(character).as_slice() == [byte]
        });
        Ok(mapping)
    }

    /// Returns the code of a character by itself.
    fn code(&self, character: char) -> &Code {
        const NONE: &Code = &Code { bytes: [0; MAX_CODE_LEN], len: 0, begins_sequence: false };
        let value = u32::from(character) as usize;
        self.pages[value / PAGE_LEN].as_ref().map_or(NONE, |page| &page[value % PAGE_LEN])
    }

    /// Returns a text of several characters that is encoded, with its code.
    fn sequence(&self, text: &str) -> Option<&(Box<str>, Code)> {
        let found = self.sequences.binary_search_by(|(sequence, _)| (**sequence).cmp(text)).ok()?;
        Some(&self.sequences[found])
    }

    /// Returns the code of the longest text at the start of `text`, and the length of the text in bytes.
    fn encode_first(&self, text: &str, end: bool) -> EncodeStep {
        let Some(character) = text.chars().next() else { return EncodeStep::NeedMore };
        let code = *self.code(character);
        let mut step = match code.len {
            0 => EncodeStep::Unmappable(character),
            _ => EncodeStep::Code(code, character.len_utf8()),
        };
        if code.begins_sequence {
            for (end, next) in text.char_indices().take(MAX_TEXT_CHARS).skip(1) {
                let found = self.sequence(&text[..end + next.len_utf8()]);
                step =
                    found.map_or(step, |(sequence, code)| EncodeStep::Code(*code, sequence.len()));
            }
            let next = self.sequences.partition_point(|(sequence, _)| **sequence <= *text);
            let is_prefix = |(sequence, _): &(Box<str>, Code)| sequence.starts_with(text);
            if !end && self.sequences.get(next).is_some_and(is_prefix) {
                return EncodeStep::NeedMore;
            }
        }
        step
    }
}

/// What the start of a text is encoded to.
enum EncodeStep {
    /// The code, and the length of its text in bytes.
    Code(Code, usize),
    /// A character without a code.
    Unmappable(char),
    /// The code depends on text that is not available yet.
    NeedMore,
}

/// Makes the codecs of the mapping that a function returns.
struct MappingFactory<F>(F);

impl<F> fmt::Debug for MappingFactory<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MappingFactory").finish_non_exhaustive()
    }
}

impl<F: Fn() -> &'static UserMapping + Sync> CodecFactory for MappingFactory<F> {
    fn decoder(&self, _: &EncodingOptions) -> Box<dyn DecodeStage> {
        Box::new(UserDefinedCodec((self.0)()))
    }

    fn encoder(&self, _: &EncodingOptions) -> Box<dyn EncodeStage> {
        Box::new(UserDefinedCodec((self.0)()))
    }

    fn split_rule(&self, _: &EncodingOptions) -> SplitRule {
        let UserMapping { trie, sequences, long_code_bytes, is_ascii, .. } = (self.0)();
        let line_feeds = ByteSet::from_fn(|byte| {
            trie.character(byte) == Some('\n') && !long_code_bytes.contains(byte)
        });
        let rule = if *long_code_bytes == ByteSet::EMPTY {
            SplitRule::any_byte(line_feeds)
        } else if *is_ascii && line_feeds != ByteSet::EMPTY {
            SplitRule::after(line_feeds, line_feeds)
        } else {
            // A malformed sequence may end with any byte.
            SplitRule::new(SplitPoints::None { reason: "no byte is always a line feed" })
        };
        if sequences.is_empty() {
            rule
        } else if sequences.iter().any(|(text, _)| text.contains('\n')) {
            rule.with_target(SplitTarget::None {
                reason: "a line feed is encoded with other characters",
            })
        } else {
            rule.with_target(SplitTarget::AfterLineFeed { header: false })
        }
    }

    fn engine(&self) -> Option<&'static str> {
        Some("mapping file")
    }
}

/// The decoder or the encoder, both stateless: an incomplete code or text is left unread.
struct UserDefinedCodec(&'static UserMapping);

impl UserDefinedCodec {
    /// Copies ASCII from the start of `src`, if it is encoded as itself. Returns the number of bytes.
    #[inline]
    fn copy_ascii(&self, src: &[u8], dst: &mut [u8]) -> usize {
        match src.first() {
            Some(byte) if self.0.is_ascii && byte.is_ascii() => kernel::ascii::copy(src, dst),
            _ => 0,
        }
    }

    /// Returns the error of a code that ends with the last byte of `src`, which has no entry.
    fn malformed(&self, src: &[u8]) -> Malformed {
        let is_cut = |byte: &u8| self.0.is_ascii && byte.is_ascii();
        let (len, reason) = match src.iter().skip(1).position(is_cut) {
            _ if src.len() == 1 => (1, MalformedReason::InvalidLeadByte),
            Some(index) => (index + 1, MalformedReason::MissingTrailByte),
            None => (src.len(), MalformedReason::Unassigned),
        };
        Malformed::new(len, reason, State::INITIAL)
    }
}

impl Checkpoint for UserDefinedCodec {
    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl DecodeStage for UserDefinedCodec {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let trie = &self.0.trie;
        let (mut read, mut written) = (0, 0);
        loop {
            let ascii = self.copy_ascii(&src[read..], &mut dst[written..]);
            read += ascii;
            written += ascii;
            let (mut node, mut len) = (0, 0);
            // The longest code so far, and its length.
            let mut longest = (TrieEntry::None, 0);
            let is_incomplete = loop {
                let Some(byte) = src.get(read + len) else { break true };
                len += 1;
                match trie.entry(node, *byte) {
                    TrieEntry::None => break false,
                    TrieEntry::Node(next) => {
                        node = next;
                        let own = trie.own_entry(node);
                        if own != TrieEntry::None {
                            longest = (own, len);
                        }
                    }
                    entry => {
                        longest = (entry, len);
                        break false;
                    }
                }
            };
            if is_incomplete && (len == 0 || !end) {
                return Progress::input_empty(read, written);
            }
            let mut utf8 = [0; 4];
            let text = match longest.0 {
                TrieEntry::Character(character) => &*character.encode_utf8(&mut utf8),
                TrieEntry::Text(text) => text,
                TrieEntry::None | TrieEntry::Node(_) if is_incomplete => {
                    let error = Malformed::new(len, MalformedReason::Truncated, State::INITIAL);
                    return Progress::error(read, written, error);
                }
                TrieEntry::None | TrieEntry::Node(_) => {
                    let error = self.malformed(&src[read..read + len]);
                    return Progress::error(read, written, error);
                }
            };
            let Some(space) = dst[written..].get_mut(..text.len()) else {
                return Progress::output_full(read, written);
            };
            space.copy_from_slice(text.as_bytes());
            written += text.len();
            read += longest.1;
        }
    }
}

impl EncodeStage for UserDefinedCodec {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            if self.0.sequences.is_empty() {
                let ascii = self.copy_ascii(&src.as_bytes()[read..], &mut dst[written..]);
                read += ascii;
                written += ascii;
            }
            match self.0.encode_first(&src[read..], end) {
                EncodeStep::NeedMore => return Progress::input_empty(read, written),
                EncodeStep::Unmappable(character) => {
                    return Progress::error(read, written, Unmappable::new(character));
                }
                EncodeStep::Code(code, len) => {
                    let code = code.as_slice();
                    let Some(space) = dst[written..].get_mut(..code.len()) else {
                        return Progress::output_full(read, written);
                    };
                    space.copy_from_slice(code);
                    written += code.len();
                    read += len;
                }
            }
        }
    }
}
