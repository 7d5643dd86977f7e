//! Encodings that a mapping file defines, of a user or [built-in](gsm0338).
//!
//! A code has one to [`MAX_CODE_LEN`] bytes, and there are no shift states. It decodes to one to [`MAX_TEXT_CHARS`]
//! characters. The decoder follows a trie over the bytes of a code, and takes the longest code; the encoder has the codes of
//! characters in pages, and takes the longest text that has a code.
//!
//! A malformed sequence ends as in the other multi-byte encodings: with the byte that shows the error, but before an ASCII
//! byte after the first byte if ASCII is encoded as itself.

pub(super) mod gsm0338;
mod mapping_file;
#[cfg(test)]
mod tests;

use super::{CodecFactory, Encoding, EncodingOptions};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::{ByteSet, SplitPoints, SplitRule, SplitTarget};
use crate::error::Error;
use charpipe_kernel as kernel;

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
    /// characters; the longest code and the longest text are taken. The first code of a character is the one that it is encoded to, unless the file says that it is only
    /// decoded. Like the other encodings, the encoding is kept until the process ends.
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
        let name = name.unwrap_or_else(|| file_stem(path).to_owned());
        let name: &'static str = Box::leak(name.into_boxed_str());
        let factory = UserDefinedFactory(Box::leak(Box::new(mapping)));
        let encoding = Encoding::new(name, "user-defined", Box::leak(Box::new(factory)));
        Ok(Box::leak(Box::new(encoding)))
    }
}

/// Returns the name of a file without its extension.
fn file_stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The codes of an encoding in both directions.
#[derive(Debug)]
struct UserMapping {
    trie: CodeTrie,
    /// The pages of the characters that are encoded by themselves.
    pages: Vec<Option<Box<[Code; PAGE_LEN]>>>,
    /// The texts of several characters that are encoded, in order.
    sequences: Vec<(Box<str>, Code)>,
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
        let mut mapping = UserMapping { trie, pages, sequences, is_ascii: true };
        let is_ascii = |byte: &u8| {
            mapping.trie.character(*byte) == Some(char::from(*byte))
                && *mapping.code(char::from(*byte)) == Code::new(&[*byte]).unwrap_or_default()
        };
        mapping.is_ascii = (0..0x80).all(|byte| is_ascii(&byte));
        Ok(mapping)
    }

    /// Returns the code of a character by itself.
    fn code(&self, character: char) -> &Code {
        const NONE: &Code = &Code { bytes: [0; MAX_CODE_LEN], len: 0, begins_sequence: false };
        let value = u32::from(character) as usize;
        self.pages[value / PAGE_LEN].as_ref().map_or(NONE, |page| &page[value % PAGE_LEN])
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
            let from = self.sequences.partition_point(|(sequence, _)| {
                sequence.as_bytes() < &text.as_bytes()[..character.len_utf8()]
            });
            for (sequence, code) in &self.sequences[from..] {
                if !sequence.starts_with(character) {
                    break;
                }
                if text.starts_with(&**sequence) {
                    step = EncodeStep::Code(*code, sequence.len());
                } else if !end && sequence.starts_with(text) {
                    return EncodeStep::NeedMore;
                }
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

/// The codes as a trie over their bytes.
///
/// A node is a word with its first and its last byte, the entry of the bytes before it if they are a code, and then an entry
/// for each byte from the first to the last. The upper four bits of an entry are its kind, and the others its value: 0 for no
/// code, 1 and a code point, 2 and the index of a text, 3 and the index of the node of the next byte.
#[derive(Debug)]
struct CodeTrie {
    words: Vec<u32>,
    /// The texts of several characters.
    texts: Vec<Box<str>>,
}

/// The bits of a word that are its value.
const VALUE_BITS: u32 = 0x0FFF_FFFF;

/// What a byte of a code leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TrieEntry {
    None,
    Character(char),
    Text(usize),
    Node(usize),
}

impl CodeTrie {
    /// Returns the trie of mappings in the order of their codes.
    fn new(mappings: &[Mapping]) -> MappingResult<CodeTrie> {
        let mut trie = CodeTrie { words: Vec::new(), texts: Vec::new() };
        trie.add_node(mappings, 0)?;
        Ok(trie)
    }

    /// Adds the node of codes that have `depth` bytes in common, and those after it. Returns its index.
    fn add_node(&mut self, mappings: &[Mapping], depth: usize) -> MappingResult<usize> {
        let node = self.words.len();
        let len = mappings.iter().take_while(|it| usize::from(it.code.len) == depth).count();
        let (own, longer) = mappings.split_at(len);
        let own = self.add_text(own)?;
        let byte = |mapping: &Mapping| mapping.code.bytes[depth];
        let (Some(first), Some(last)) = (longer.first().map(byte), longer.last().map(byte)) else {
            self.words.extend([0x00FF, own]);
            return Ok(node);
        };
        self.words.extend([u32::from_le_bytes([first, last, 0, 0]), own]);
        self.words.resize(node + 3 + usize::from(last - first), 0);
        for group in longer.chunk_by(|one, other| byte(one) == byte(other)) {
            let is_longer = |mapping: &Mapping| usize::from(mapping.code.len) > depth + 1;
            let word = match group.iter().any(is_longer) {
                true => 3 << 28 | self.add_node(group, depth + 1)? as u32,
                false => self.add_text(group)?,
            };
            self.words[node + 2 + usize::from(byte(&group[0]) - first)] = word;
        }
        Ok(node)
    }

    /// Adds the text of the mappings of one code. Returns its entry, 0 if there is none.
    fn add_text(&mut self, mappings: &[Mapping]) -> MappingResult<u32> {
        let Some((first, rest)) = mappings.split_first() else { return Ok(0) };
        if let Some(other) = rest.iter().find(|other| other.text != first.text) {
            let reason = format!("the code has another character in line {}", first.line);
            return Err(InvalidMapping::new(other.line, reason));
        }
        let mut characters = first.text.chars();
        Ok(match (characters.next(), characters.next()) {
            (Some(character), None) => 1 << 28 | u32::from(character),
            _ => {
                self.texts.push(first.text.as_str().into());
                2 << 28 | (self.texts.len() - 1) as u32
            }
        })
    }

    #[inline]
    fn entry(&self, node: usize, byte: u8) -> TrieEntry {
        let [first, last, ..] = self.words[node].to_le_bytes();
        if !(first..=last).contains(&byte) {
            return TrieEntry::None;
        }
        self.entry_at(node + 2 + usize::from(byte - first))
    }

    /// Returns the entry of the bytes before a node.
    fn own_entry(&self, node: usize) -> TrieEntry {
        self.entry_at(node + 1)
    }

    #[inline]
    fn entry_at(&self, at: usize) -> TrieEntry {
        let word = self.words.get(at).copied().unwrap_or(0);
        let value = word & VALUE_BITS;
        match word >> 28 {
            1 => char::from_u32(value).map_or(TrieEntry::None, TrieEntry::Character),
            2 => TrieEntry::Text(value as usize),
            3 => TrieEntry::Node(value as usize),
            _ => TrieEntry::None,
        }
    }

    /// Returns the character of a byte that is a code.
    fn character(&self, byte: u8) -> Option<char> {
        match self.entry(0, byte) {
            TrieEntry::Character(character) => Some(character),
            _ => None,
        }
    }

    /// Returns whether a byte is in a code of several bytes.
    fn is_in_long_code(&self, byte: u8) -> bool {
        self.is_in_nodes(0, byte)
    }

    fn is_in_nodes(&self, node: usize, byte: u8) -> bool {
        (0..=u8::MAX).any(|each| match self.entry(node, each) {
            TrieEntry::None => false,
            TrieEntry::Node(next) => each == byte || self.is_in_nodes(next, byte),
            TrieEntry::Character(_) | TrieEntry::Text(_) => node > 0 && each == byte,
        })
    }
}

/// Makes the codecs of a mapping.
#[derive(Debug)]
struct UserDefinedFactory(&'static UserMapping);

impl CodecFactory for UserDefinedFactory {
    fn decoder(&self, _: &EncodingOptions) -> Box<dyn DecodeStage> {
        Box::new(UserDefinedCodec(self.0))
    }

    fn encoder(&self, _: &EncodingOptions) -> Box<dyn EncodeStage> {
        Box::new(UserDefinedCodec(self.0))
    }

    fn split_rule(&self, _: &EncodingOptions) -> SplitRule {
        let UserMapping { trie, sequences, .. } = self.0;
        let is_line_feed = |byte| trie.character(byte) == Some('\n') && !trie.is_in_long_code(byte);
        let line_feeds = ByteSet::from_fn(is_line_feed);
        let rule = match line_feeds == ByteSet::EMPTY {
            true => SplitRule::new(SplitPoints::None { reason: "no byte is always a line feed" }),
            false => SplitRule::after(line_feeds, line_feeds),
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
        Some("user-defined")
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
                TrieEntry::Text(index) => trie.texts.get(index).map_or("", |text| &**text),
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
