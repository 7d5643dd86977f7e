//! Checks that a declaration at the start of a file names the encoding of its text.

use std::fmt;

use super::encoding_checker::decoder_stage;
use super::finding::{DeclaredLabel, Finding, FindingKind};
use super::{CheckOptions, DeclarationRule};
use charpipe_encoding::bom::UTF8_BOM;
use charpipe_encoding::codec::{DecodeStage, Status};
use charpipe_encoding::conversion_error::Position;
use charpipe_encoding::encoding::{self, Encoding, EncodingOptions};
use charpipe_transcode::header;
use charpipe_transcode::options::EncodingSpec;
use charpipe_transcode::transcoder::chain::ChainLink;
use charpipe_transcode::transcoder::position::LineColumn;
use charpipe_transcode::transcoder::replay::{SCRATCH_LEN, replay_past, replay_to};
use charpipe_transform::declaration::{self, FoundDeclaration};

/// The number of bytes in which a declaration is searched: in UTF-32 those of
/// [`declaration::MAX_LEN`] characters.
const HEAD_LEN: usize = 4 * declaration::MAX_LEN;

/// The number of bytes that are decoded at a time.
const BLOCK_LEN: usize = 4096;

/// Compares the text of a file with that in the encoding that the file declares. A file is decoded twice
/// only if it declares another encoding, and only from its first character outside ASCII to the first one
/// that differs.
pub(super) struct DeclarationChecker {
    spec: EncodingSpec,
    is_ascii_compatible: bool,
    byte_columns: bool,
    /// The first bytes, until they have been searched.
    head: Vec<u8>,
    /// The declarations of other encodings; none until the head has been searched.
    comparisons: Option<Vec<Comparison>>,
}

impl DeclarationChecker {
    /// Returns none if declarations are not checked. Headers of messages have none, and a list of encodings
    /// has no name.
    pub fn new(options: &CheckOptions) -> Option<DeclarationChecker> {
        let encoding = options.encoding.encoding;
        let is_checked = options.declaration == DeclarationRule::Match
            && !options.headers_only
            && !header::is_header(encoding)
            && encoding.factory.list().is_none();
        is_checked.then(|| DeclarationChecker {
            spec: options.encoding.clone(),
            is_ascii_compatible: options.encoding.is_ascii_compatible(),
            byte_columns: options.byte_columns,
            head: Vec::new(),
            comparisons: None,
        })
    }

    /// Prepares for the next file.
    pub fn reset(&mut self) {
        self.head.clear();
        self.comparisons = None;
    }

    /// Examines the next bytes.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        if self.comparisons.is_none() {
            let (head, rest) = bytes.split_at(bytes.len().min(HEAD_LEN - self.head.len()));
            self.head.extend_from_slice(head);
            bytes = rest;
            if self.head.len() == HEAD_LEN {
                self.search();
            }
        }
        for comparison in self.comparisons.iter_mut().flatten() {
            comparison.feed(bytes, false);
        }
    }

    /// Returns whether the rest of the file decides nothing.
    pub fn is_decided(&self) -> bool {
        let is_decided = |comparison: &Comparison| {
            comparison.is_contradicted() || comparison.expected.is_malformed
        };
        self.comparisons.as_ref().is_some_and(|comparisons| comparisons.iter().all(is_decided))
    }

    /// Ends the file, and returns the findings.
    pub fn finish(&mut self) -> impl Iterator<Item = Finding> {
        if self.comparisons.is_none() {
            self.search();
        }
        let comparisons = self.comparisons.take().unwrap_or_default();
        comparisons.into_iter().filter_map(|mut comparison| {
            comparison.feed(&[], true);
            comparison.is_contradicted().then_some(comparison.finding)
        })
    }

    /// Searches the head for declarations of other encodings.
    fn search(&mut self) {
        let head = std::mem::take(&mut self.head);
        let has_none = self.is_ascii_compatible && declaration::find(&head).next().is_none();
        let mut comparisons = if has_none { Vec::new() } else { self.comparisons(&head) };
        comparisons.iter_mut().for_each(|comparison| comparison.feed(&head, false));
        self.comparisons = Some(comparisons);
    }

    /// Returns a comparison for each declaration of another encoding.
    fn comparisons(&self, head: &[u8]) -> Vec<Comparison> {
        let mut link = ChainLink::new(decoder_stage(&self.spec), HEAD_LEN, 0);
        link.input.spare_mut()[..head.len()].copy_from_slice(head);
        link.input.advance(head.len());
        let start = link.input.position();
        let mut text = vec![0; 4 * HEAD_LEN + link.max_lookahead];
        let mut scratch = vec![0; SCRATCH_LEN.max(link.max_lookahead)];
        let (_, written) = link.call_stage(&mut text, false, None);
        let text = &text[..written];
        let is_other = |found: &FoundDeclaration| {
            let declared = found.encoding(text).filter(|_| !found.label.is_empty())?;
            let label = std::str::from_utf8(&text[found.label.clone()]).ok()?;
            (!is_same(self.spec.encoding, declared, label)).then_some((declared, label.to_owned()))
        };
        let mut comparisons = Vec::new();
        for found in declaration::find(text) {
            let Some((declared, label)) = is_other(&found) else { continue };
            let label_start = replay_to(&mut link, &mut scratch, found.label.start) - start;
            let last = found.label.end - 1;
            let label_end = replay_past(&mut link, &mut scratch, last, 1) - start;
            let before = &text[..found.label.start];
            let byte_column = self.byte_columns.then(|| {
                let line_start = memchr::memrchr(b'\n', before)
                    .map_or(0, |last| replay_past(&mut link, &mut scratch, last, 1) - start);
                (label_start - line_start) as u64 + 1
            });
            let LineColumn { line, column } = LineColumn::START.after(before);
            let finding = Finding {
                position: Position { offset: label_start as u64, line, column },
                byte_column,
                len: label_end.saturating_sub(label_start) as u64,
                kind: FindingKind::WrongDeclaration { label: DeclaredLabel::new(&label) },
                encoding_index: 0,
            };
            comparisons.push(Comparison::new(finding, self, declared));
        }
        comparisons
    }
}

impl fmt::Debug for DeclarationChecker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeclarationChecker").field("spec", &self.spec).finish_non_exhaustive()
    }
}

/// Returns whether a declared name is one of the expected encoding. Names such as UTF-16 do not say the
/// byte order; in HTML they mean UTF-8, because the bytes of the element are ASCII.
fn is_same(expected: &Encoding, declared: &Encoding, label: &str) -> bool {
    let named = encoding::for_label(label);
    let names = [Some(declared.name()), named.map(|named| named.name())];
    names.into_iter().flatten().any(|name| {
        let is_wide = ["UTF-16", "UTF-32", "UCS-2", "UCS-4"].contains(&name);
        name == expected.name()
            || is_wide && expected.name().starts_with(name)
            || name == "UNICODE" && expected.name().starts_with("UTF-16")
    })
}

/// Decodes a file in two encodings until the text differs.
struct Comparison {
    finding: Finding,
    expected: DecodedText,
    declared: DecodedText,
    /// Whether ASCII at the start of the file is the same text in both encodings.
    skips_ascii: bool,
    /// Whether ASCII decides: the bytes of a file in UTF-16 contradict the declaration of ASCII.
    is_ascii_enough: bool,
    has_non_ascii: bool,
    /// Whether the text in the two encodings differs.
    differs: bool,
}

impl Comparison {
    fn new(
        finding: Finding,
        checker: &DeclarationChecker,
        declared: &'static Encoding,
    ) -> Comparison {
        let spec = &checker.spec;
        Comparison {
            finding,
            expected: DecodedText::new(spec.encoding.decoder(&spec.options)),
            declared: DecodedText::new(declared.decoder(&EncodingOptions::default())),
            skips_ascii: checker.is_ascii_compatible && declared.is_ascii_compatible(),
            is_ascii_enough: !checker.is_ascii_compatible,
            has_non_ascii: false,
            differs: false,
        }
    }

    /// Returns whether the bytes contradict the declaration. ASCII is the same in both encodings, or was
    /// meant to be.
    fn is_contradicted(&self) -> bool {
        self.differs && (self.has_non_ascii || self.is_ascii_enough)
    }

    fn feed(&mut self, mut bytes: &[u8], end: bool) {
        if self.skips_ascii && !self.has_non_ascii {
            let ascii_len = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(bytes.len());
            bytes = &bytes[ascii_len..];
        }
        let mut blocks = bytes.chunks(BLOCK_LEN).peekable();
        loop {
            // What the file is not valid in says nothing about the declaration.
            if self.is_contradicted() || self.expected.is_malformed {
                return;
            }
            let block = blocks.next();
            if block.is_none() && !end {
                return;
            }
            let is_last = end && blocks.peek().is_none();
            self.feed_block(block.unwrap_or_default(), is_last);
            if is_last {
                return;
            }
        }
    }

    fn feed_block(&mut self, block: &[u8], end: bool) {
        self.has_non_ascii |= self.expected.feed(block, end);
        if self.differs {
            self.expected.text.clear();
            return;
        }
        self.declared.feed(block, end);
        let (expected, declared) = (&mut self.expected, &mut self.declared);
        let common = expected.text.len().min(declared.text.len());
        self.differs = expected.text[..common] != declared.text[..common];
        expected.text.drain(..common);
        declared.text.drain(..common);
        let is_shorter = declared.text.is_empty() && (declared.is_malformed || end);
        let is_longer = expected.text.is_empty() && !expected.is_malformed && end;
        self.differs |= is_shorter && !expected.text.is_empty();
        self.differs |= is_longer && !declared.text.is_empty();
    }
}

/// The text of a file in an encoding, without a byte order mark, up to the first malformed sequence.
struct DecodedText {
    decoder: Box<dyn DecodeStage>,
    unread: Vec<u8>,
    /// The text that has not been compared.
    text: Vec<u8>,
    buffer: Vec<u8>,
    is_started: bool,
    is_malformed: bool,
}

impl DecodedText {
    fn new(decoder: Box<dyn DecodeStage>) -> DecodedText {
        let buffer = vec![0; BLOCK_LEN.max(decoder.max_lookahead())];
        let (unread, text) = (Vec::new(), Vec::new());
        DecodedText { decoder, unread, text, buffer, is_started: false, is_malformed: false }
    }

    /// Decodes the next bytes. Returns whether their text has a character outside ASCII.
    fn feed(&mut self, bytes: &[u8], end: bool) -> bool {
        if self.is_malformed {
            return false;
        }
        self.unread.extend_from_slice(bytes);
        let (mut read, old_len) = (0, self.text.len());
        loop {
            let progress = self.decoder.decode(&self.unread[read..], &mut self.buffer, end);
            read += progress.read;
            self.text.extend_from_slice(&self.buffer[..progress.written]);
            match progress.status {
                Status::InputEmpty => break,
                Status::OutputFull if (progress.read, progress.written) != (0, 0) => {}
                Status::OutputFull | Status::Error(_) => {
                    self.is_malformed = true;
                    break;
                }
            }
        }
        self.unread.drain(..read);
        let is_ascii = self.text[old_len..].is_ascii();
        if !self.is_started && !self.text.is_empty() {
            // A decoder writes whole characters.
            self.is_started = true;
            if self.text.starts_with(UTF8_BOM) {
                self.text.drain(..UTF8_BOM.len());
            }
        }
        !is_ascii
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;

    /// Returns the labels and positions of the declarations that the bytes contradict, which do not
    /// depend on the size of the buffer.
    fn contradicted(encoding: &str, bytes: &[u8]) -> Vec<(String, u64, u64)> {
        let mut options = CheckOptions::new(encoding.parse::<EncodingSpec>().unwrap());
        options.declaration = DeclarationRule::Match;
        let mut all = None;
        for buffer_size in [1, 7, 1000, 1 << 17] {
            options.buffer_size = buffer_size;
            let findings = check(bytes, &options).unwrap();
            let found = findings.iter().filter_map(|finding| match finding.kind {
                FindingKind::WrongDeclaration { label } => {
                    Some((label.to_string(), finding.position.offset, finding.len))
                }
                _ => None,
            });
            let found: Vec<_> = found.collect();
            assert_eq!(*all.get_or_insert(found.clone()), found, "{encoding} {buffer_size}");
        }
        all.unwrap_or_default()
    }

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn declaration_is_contradicted_by_other_text() {
        let far = format!("# coding: latin-1\n{}é\n", "x\n".repeat(100_000));
        for (encoding, bytes, expected) in [
            ("utf-8", "<?xml encoding='ISO-8859-1'?><a>é</a>".as_bytes(), ("ISO-8859-1", 16, 10)),
            ("utf-8", "<p><meta charset=latin1>é".as_bytes(), ("latin1", 17, 6)),
            ("utf-8", "#!x\n# -*- coding: cp1252 -*-\n#é".as_bytes(), ("cp1252", 18, 6)),
            ("utf-8", "# coding: us-ascii\n# é".as_bytes(), ("us-ascii", 10, 8)),
            ("utf-8", "é\n// vim: fenc=koi8-r".as_bytes(), ("koi8-r", 16, 6)),
            ("utf-8", "<?xml encoding='UTF-16'?><a>é</a>".as_bytes(), ("UTF-16", 16, 6)),
            ("utf-8", "# coding: sjis\n# é".as_bytes(), ("sjis", 10, 4)),
            ("utf-8", "\u{FEFF}# coding: latin-1\n".as_bytes(), ("latin-1", 13, 7)),
            ("utf-8", far.as_bytes(), ("latin-1", 10, 7)),
            ("latin1", b"# coding: utf-8\n# \xE9", ("utf-8", 10, 5)),
            ("latin1", b"# coding: koi8-r\n# \xE9", ("koi8-r", 10, 6)),
            ("windows-1252", b"# coding: latin-9\n# \x80", ("latin-9", 10, 7)),
            ("utf-16le", &utf16("\u{FEFF}<?xml encoding='utf-8'?>"), ("utf-8", 34, 10)),
            ("utf-16le", &utf16("<?xml encoding='utf-16be'?>"), ("utf-16be", 32, 16)),
        ] {
            let (label, offset, len) = expected;
            let expected = [(label.to_owned(), offset, len)];
            assert_eq!(contradicted(encoding, bytes), expected, "{encoding} {label}");
        }
        let both = "<?xml encoding='koi8-r'?><html><meta charset=latin1>é";
        assert_eq!(contradicted("utf-8", both.as_bytes()).len(), 2);
    }

    #[test]
    fn declaration_of_the_same_text_is_right() {
        for (encoding, bytes) in [
            ("utf-8", "".as_bytes()),
            ("utf-8", "é, coding: latin-1".as_bytes()),
            ("utf-8", "# coding: latin-1\n# ASCII\n".as_bytes()),
            ("utf-8", "<?xml encoding='UTF-16'?><a/>".as_bytes()),
            ("utf-8", "<?xml version='1.0'?><a>é</a>".as_bytes()),
            ("utf-8", "<meta charset=utf-16>é".as_bytes()),
            ("utf-8", "# coding: utf8\n# é".as_bytes()),
            ("utf-8", "\u{FEFF}# coding: utf-8\n".as_bytes()),
            ("utf-8", "# coding: utf-8-sig\n# é".as_bytes()),
            ("utf-8", "# coding: nonsense\n# é".as_bytes()),
            // Not UTF-8 before the first character that differs.
            ("utf-8", b"# coding: latin-1\n# \xE9 \xC3\xA9"),
            ("latin1", b"# coding: cp1252\n# \xE9"),
            ("latin1", b"<meta charset=latin1>\x93\xE9"),
            ("windows-1252", b"# coding: latin-1\n# \xE9"),
            ("us-ascii", b"# coding: utf-8\n"),
            ("utf-16le", &utf16("\u{FEFF}<?xml encoding='UTF-16'?><a>é</a>")),
            ("utf-16", &utf16("\u{FEFF}<?xml encoding='UTF-16'?><a>é</a>")),
            ("utf-16le", &utf16("\u{FEFF}<meta charset=utf-16>é")),
            ("iso-2022-jp", b"# coding: utf-8\n"),
            ("rfc2047", b"# coding: latin-1\n\n\xC3\xA9"),
            ("utf-8,windows-1252", b"# coding: utf-8\n# \xE9"),
            ("utf-8/nfc", "# coding: latin-1\n# é".as_bytes()),
        ] {
            assert_eq!(contradicted(encoding, bytes), [], "{encoding} {}", bytes.escape_ascii());
        }
    }

    #[test]
    fn position_has_line_and_columns() {
        let mut options = CheckOptions::new(charpipe_encoding::UTF_8);
        options.declaration = DeclarationRule::Match;
        options.byte_columns = true;
        let findings = check("#!é\n# é coding: latin-1\n".as_bytes(), &options).unwrap();
        let found = findings[0];
        assert_eq!(found.position.to_string(), "2:13: byte 18");
        assert_eq!((found.byte_column, found.len), (Some(14), 7));
    }

    #[test]
    fn binary_file_has_no_other_finding() {
        assert_eq!(contradicted("utf-8", "# coding: latin-1\né\0".as_bytes()), []);
    }

    #[test]
    fn encoding_in_which_the_file_is_valid_decides() {
        let mut options = CheckOptions::new(charpipe_encoding::UTF_8);
        options.declaration = DeclarationRule::Match;
        options.alternatives = vec![charpipe_encoding::ISO_8859_1.into()];
        assert_eq!(check(b"# coding: latin-1\n# \xE9", &options).unwrap(), []);
        let findings = check("# coding: latin-1\n# é".as_bytes(), &options).unwrap();
        assert_eq!((findings.len(), findings[0].encoding_index), (1, 0));
        let findings = check(b"# coding: utf-8\n# \xE9", &options).unwrap();
        assert_eq!((findings.len(), findings[0].encoding_index), (1, 1));
    }
}
