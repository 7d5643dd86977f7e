//! What a user may do about an input that was not in the encoding that was given or assumed, found in a
//! sample of its bytes after the conversion.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use charpipe_detect::{Confidence, Content, Detector};
use charpipe_encoding::conversion_error::{ActionTaken, ErrorEvent, ErrorKind, StageLabel};
use charpipe_encoding::encoding::{self, Encoding};
use charpipe_transcode::options::{EncodingSpec, TranscodeOptions};

use super::sniff;

/// The length of a sample, in bytes.
pub const SAMPLE_LEN: usize = 32 * 1024;

/// The maximum length of the ASCII text before the first other character of a line in a sample, in bytes.
const MAX_LINE_START_LEN: usize = 1024;

/// The maximum number of characters before and after a character that may be composed with it.
const MAX_COMPOSED_LEN: usize = 8;

/// Standards, and the Windows code pages that add characters to them at 80–9F and are often given their
/// names. Not all other characters of ISO-8859-2, 5, 6, 7, 8 and 13 are the same.
const WINDOWS_VARIANTS: [(&str, &str); 12] = [
    ("ISO-8859-1", "windows-1252"),
    ("ISO-8859-2", "windows-1250"),
    ("ISO-8859-4", "windows-1257"),
    ("ISO-8859-5", "windows-1251"),
    ("ISO-8859-6", "windows-1256"),
    ("ISO-8859-7", "windows-1253"),
    ("ISO-8859-8", "windows-1255"),
    ("ISO-8859-9", "windows-1254"),
    ("ISO-8859-11", "windows-874"),
    ("ISO-8859-13", "windows-1257"),
    ("ISO-8859-15", "windows-1252"),
    ("TIS-620", "windows-874"),
];

/// The bytes of an input from an offset on.
#[derive(Debug, Clone, Copy)]
pub struct InputSample<'a> {
    pub start: u64,
    pub bytes: &'a [u8],
}

impl<'a> InputSample<'a> {
    /// Returns the bytes before `offset` and those from there on, if it is in the sample.
    fn split_at(&self, offset: u64) -> Option<(&'a [u8], &'a [u8])> {
        let index = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.bytes.split_at_checked(index).filter(|(_, rest)| !rest.is_empty())
    }
}

/// The start of the text of an input that is not ASCII, from which a check derives advice. It is the same however the input
/// is divided into blocks.
#[derive(Debug, Default)]
pub struct TextSample {
    bytes: Vec<u8>,
    is_started: bool,
}

impl TextSample {
    /// Adds the next bytes of the input.
    pub fn feed(&mut self, mut block: &[u8]) {
        if !self.is_started {
            // A sample begins with a line. Text before it shows nothing.
            let (ascii, rest) = block.split_at(charpipe_kernel::ascii::prefix_len(block));
            let line = memchr::memrchr(b'\n', ascii).map(|end| end + 1);
            if line.is_some() {
                self.bytes.clear();
            }
            let far = ascii.len().saturating_sub(MAX_LINE_START_LEN);
            self.bytes.extend_from_slice(&ascii[far.max(line.unwrap_or(0))..]);
            let excess = self.bytes.len().saturating_sub(MAX_LINE_START_LEN);
            self.bytes.drain(..excess);
            (block, self.is_started) = (rest, !rest.is_empty());
        }
        let space = SAMPLE_LEN - self.bytes.len();
        self.bytes.extend_from_slice(&block[..block.len().min(space)]);
    }

    /// Returns the advice for malformed input that was assumed to be UTF-8, if another encoding is at least
    /// likely.
    pub fn advice(&self) -> Option<String> {
        let found = sniff::likely_encoding(&mut &*self.bytes)?;
        let (summary, label) = (found.summary(), &found.encoding);
        Some(format!(
            "UTF-8 was assumed; {summary}: use --encoding {label}, or 'charpipe fix --from {label}'"
        ))
    }
}

/// Collects what advice depends on.
#[derive(Debug)]
pub struct Advisor {
    from: EncodingSpec,
    to: EncodingSpec,
    has_steps: bool,
    /// Whether the input encoding was not given.
    pub assumes_utf8: bool,
    /// Whether an error has stopped the conversion.
    has_stopped: bool,
    /// The offset of the first malformed sequence.
    malformed: Option<u64>,
    /// The first unmappable character that other characters may be composed with, and its offset.
    uncomposed: Option<(char, u64)>,
}

impl Advisor {
    pub fn new(options: &TranscodeOptions) -> Advisor {
        Advisor {
            from: options.from.clone(),
            to: options.to.clone(),
            has_steps: !options.via.is_empty(),
            assumes_utf8: false,
            has_stopped: false,
            malformed: None,
            uncomposed: None,
        }
    }

    /// Prepares for the next file.
    pub fn begin_file(&mut self) {
        (self.malformed, self.uncomposed, self.has_stopped) = (None, None, false);
    }

    /// Sets the encodings of the file.
    pub fn set_encodings(&mut self, options: &TranscodeOptions) {
        (self.from, self.to) = (options.from.clone(), options.to.clone());
    }

    /// Notes an error.
    pub fn error(&mut self, error: &ErrorEvent) {
        let (Some(position), StageLabel::Main) = (error.position, error.stage) else { return };
        self.has_stopped |= error.action_taken == ActionTaken::Stopped;
        match error.kind {
            ErrorKind::Malformed { .. } if self.assumes_utf8 => {
                self.malformed.get_or_insert(position.offset);
            }
            ErrorKind::Unmappable(character) if !self.has_steps && may_compose(character) => {
                self.uncomposed.get_or_insert((character, position.offset));
            }
            _ => {}
        }
    }

    /// Returns the offset of the sample that is needed, if any advice is possible.
    pub fn wanted_sample(&self) -> Option<u64> {
        match (self.malformed, self.uncomposed) {
            (Some(offset), _) | (None, Some((_, offset))) => {
                // A multiple of the size of any code unit, unless the sample is the start of the file.
                let before = SAMPLE_LEN as u64 / 2;
                Some(offset.saturating_sub(before) / 4 * 4)
            }
            (None, None) => (self.reads_java() || self.windows_variant().is_some()).then_some(0),
        }
    }

    /// Returns the advice, a line each.
    pub fn advice(&self, sample: InputSample<'_>) -> Vec<String> {
        let of_error = match (self.malformed, self.uncomposed) {
            (Some(offset), _) => assumption_advice(sample, offset, self.has_stopped),
            (None, Some((character, offset))) => self.composition_advice(sample, character, offset),
            (None, None) => None,
        };
        let of_bytes = self.windows_advice(sample.bytes).or_else(|| self.java_advice(sample));
        of_error.into_iter().chain(of_bytes).collect()
    }

    /// Returns the label of the Windows code page that text in the input encoding may be in.
    fn windows_variant(&self) -> Option<&'static str> {
        let name = self.from.encoding.name();
        let variants = WINDOWS_VARIANTS.iter().filter(|_| !self.from.has_byte_transforms());
        variants.copied().find(|(standard, _)| *standard == name).map(|(_, variant)| variant)
    }

    fn windows_advice(&self, bytes: &[u8]) -> Option<String> {
        let label = self.windows_variant()?;
        // Most texts contain none.
        if !has_c1_byte(bytes) {
            return None;
        }
        let mut occurs = [false; 0x20];
        for byte in bytes.iter().filter(|byte| matches!(byte, 0x80..=0x9F)) {
            occurs[usize::from(byte & 0x1F)] = true;
        }
        let variant = Encoding::lookup(label).ok()?;
        let controls =
            (0x80..=0x9F).zip(occurs).filter_map(|(byte, occurs)| occurs.then_some(byte));
        let mut evidence = None;
        for byte in controls {
            let bytes = [byte];
            let (text, had_errors) = variant.decode(&bytes);
            if had_errors {
                return None;
            }
            if evidence.is_none() && text.chars().all(is_typographic) {
                evidence = Some((byte, text.into_owned()));
            }
        }
        let (byte, text) = evidence?;
        let standard = self.from.encoding.name();
        Some(format!(
            "bytes such as {byte:02X} are control characters in {standard}; in {label} it is {text}: \
             for text of Windows use -f {label}"
        ))
    }

    /// Returns whether the input encoding is JAVA, whose bytes are those of ISO-8859-1 beside escapes.
    fn reads_java(&self) -> bool {
        self.from.encoding.name() == "JAVA" && !self.from.has_byte_transforms()
    }

    /// Returns advice for UTF-8 that is read as ISO-8859-1.
    fn java_advice(&self, sample: InputSample<'_>) -> Option<String> {
        let is_continuation = |byte: &u8| matches!(byte, 0x80..=0xBF);
        // The sample may start inside a character.
        let skipped = match sample.start {
            0 => 0,
            _ => sample.bytes.iter().take(3).take_while(|byte| is_continuation(byte)).count(),
        };
        let bytes = &sample.bytes[skipped..];
        let first = bytes.iter().find(|byte| !byte.is_ascii()).filter(|_| self.reads_java())?;
        // The sample may end inside a character, too.
        let is_utf8 = std::str::from_utf8(bytes)
            .map_or_else(|error| error.error_len().is_none() && error.valid_up_to() > 0, |_| true);
        is_utf8.then(|| {
            format!(
                "bytes such as {first:02X} are ISO-8859-1 in JAVA, and here UTF-8: for escapes in UTF-8 use \
                 -f utf-8/java:unicode"
            )
        })
    }

    /// Returns advice for a character that can be encoded if it is composed with those around it.
    fn composition_advice(
        &self,
        sample: InputSample<'_>,
        character: char,
        offset: u64,
    ) -> Option<String> {
        let (before, after) = sample.split_at(offset)?;
        let decode = |bytes: &[u8]| self.from.encoding.decode(bytes).0.into_owned();
        let mut text: Vec<char> = decode(before).chars().rev().take(MAX_COMPOSED_LEN).collect();
        text.reverse();
        let is_starter = |character: &char| canonical_combining_class(*character) == 0;
        let start = text.iter().rposition(is_starter).unwrap_or(0);
        text.drain(..start);
        let len_before = text.len();
        text.extend(decode(after).chars().take(MAX_COMPOSED_LEN));
        if text.get(len_before) != Some(&character) {
            return None;
        }
        // What can be encoded now includes the character, if the rest is not longer than before.
        let composed: Vec<char> = text.iter().copied().nfc().collect();
        let rest: Vec<char> = text[len_before + 1..].iter().copied().nfc().collect();
        let len = composed.len().checked_sub(rest.len())?;
        let composed: String = composed[..len.max(1)].iter().collect();
        let is_composed = len < len_before + 1 || rest.len() < text.len() - len_before - 1;
        let is_mappable = !self.to.encoding.encode(&composed).1;
        (is_composed && is_mappable)
            .then(|| format!("{composed} is written as several characters; use --normalize nfc"))
    }
}

/// Returns whether a character may be composed with others: a combining mark or a conjoining jamo.
fn may_compose(character: char) -> bool {
    canonical_combining_class(character) != 0 || matches!(character, '\u{1100}'..='\u{11FF}')
}

/// Returns whether a character is a letter, a quotation mark, a dash or a euro sign.
fn is_typographic(character: char) -> bool {
    character.is_alphabetic()
        || matches!(character, '\u{2013}' | '\u{2014}' | '\u{2018}'..='\u{201E}' | '€')
}

/// Returns advice for a malformed sequence at `offset` in an input that was assumed to be UTF-8. There is
/// none if it is UTF-8 and an error action was chosen.
fn assumption_advice(sample: InputSample<'_>, offset: u64, has_stopped: bool) -> Option<String> {
    let generic = "UTF-8 was assumed; use -f ENCODING, or -f detect to detect it".to_owned();
    if sample.split_at(offset).is_none() {
        return Some(generic);
    }
    // The start of the sample may be inside a character, the start of a line hardly.
    let line_start = memchr::memchr(b'\n', sample.bytes).map_or(0, |end| end + 1);
    let skipped =
        if sample.start == 0 || memchr::memchr(0, sample.bytes).is_some() { 0 } else { line_start };
    let mut detector = Detector::new();
    detector.feed(&sample.bytes[skipped..]);
    let is_whole = sample.start == 0 && sample.bytes.len() < SAMPLE_LEN;
    let found = if is_whole { detector.finish() } else { detector.finish_truncated() };
    if found.content == Content::Binary {
        return Some("UTF-8 was assumed; the input seems to be binary".to_owned());
    }
    let best = found.candidates.first().filter(|best| best.confidence >= Confidence::Likely);
    Some(match best.map(|best| (EncodingSpec::from(best.source_encoding()), best.confidence)) {
        Some((spec, _)) if encoding::is_utf8(spec.encoding) => {
            return has_stopped.then(|| {
                "UTF-8 was assumed, and is likely; --on-error replace converts the rest".to_owned()
            });
        }
        Some((spec, confidence)) => {
            format!("UTF-8 was assumed; {spec} is {confidence}: use -f {spec}")
        }
        None => generic,
    })
}
/// Returns whether there is a byte from 80 to 9F. Eight bytes at a time: the sample of every file is examined.
fn has_c1_byte(bytes: &[u8]) -> bool {
    let is_c1 = |byte: &u8| byte & 0xE0 == 0x80;
    let words = bytes.chunks_exact(8);
    let rest = words.remainder();
    let has_c1 = |word: &[u8]| {
        // A zero byte for each byte of C1.
        let word = u64::from_ne_bytes(word.try_into().expect("eight bytes"));
        let other_bits = (word ^ 0x8080_8080_8080_8080) & 0xE0E0_E0E0_E0E0_E0E0;
        other_bits.wrapping_sub(0x0101_0101_0101_0101) & !other_bits & 0x8080_8080_8080_8080 != 0
    };
    words.clone().any(has_c1) || rest.iter().any(is_c1)
}

#[cfg(test)]
mod tests {
    use charpipe_encoding::conversion_error::{Excerpt, MalformedReason, Position};

    use super::*;

    #[test]
    fn sample_of_text_begins_with_a_line_whatever_the_blocks() {
        let text = [&b"ASCII\n"[..], &b"a".repeat(70), b"\xE9\nb\xE9"].concat();
        let line = [&b"a".repeat(2 * MAX_LINE_START_LEN)[..], b"\xE9 long line"].concat();
        for (text, expected) in [(&text, &text[6..]), (&line, &line[MAX_LINE_START_LEN..])] {
            for block_len in [1, 2, 6, 7, 75, 80, 1000, text.len()] {
                let mut sample = TextSample::default();
                text.chunks(block_len).for_each(|block| sample.feed(block));
                assert_eq!(sample.bytes, expected, "{block_len}");
            }
        }
    }

    #[test]
    fn only_the_end_of_a_longer_input_may_be_inside_a_character() {
        // C3 begins a character of UTF-8, and nothing else is outside ASCII.
        let advice = |bytes: &[u8]| {
            let offset = bytes.len() as u64 - 1;
            assumption_advice(InputSample { start: 0, bytes }, offset, true).unwrap()
        };
        assert!(advice(b"caf\xC3").contains("-f detect"));
        let part = [&b"text ".repeat(SAMPLE_LEN)[..SAMPLE_LEN - 1], b"\xC3"].concat();
        assert!(advice(&part).contains("is likely"));
    }

    #[test]
    fn likely_utf_8_needs_advice_only_if_an_error_has_stopped_the_conversion() {
        let bytes = b"caf\xC3\xA9 caf\xE9 \xC3\xA9\xC3\xA9 na\xC3\xAFve stra\xC3\x9Fe\n";
        let advice = "UTF-8 was assumed, and is likely; --on-error replace converts the rest";
        for (action_taken, expected) in
            [(ActionTaken::Replaced, &[][..]), (ActionTaken::Stopped, &[advice])]
        {
            let options = TranscodeOptions::from_labels("utf-8", "utf-8").unwrap();
            let mut advisor = Advisor::new(&options);
            advisor.assumes_utf8 = true;
            let kind = ErrorKind::Malformed { len: 1, reason: MalformedReason::MissingTrailByte };
            let position = Position { offset: 9, line: 1, column: 9 };
            let (excerpt, stage) = (Excerpt::default(), StageLabel::Main);
            advisor.error(&ErrorEvent::new(kind, action_taken, Some(position), excerpt, stage));
            assert_eq!(advisor.wanted_sample(), Some(0));
            assert_eq!(advisor.advice(InputSample { start: 0, bytes }), expected);
        }
    }

    #[test]
    fn c1_bytes_are_found_at_every_offset() {
        for len in 0..40 {
            for at in 0..len {
                for byte in 0..=u8::MAX {
                    let mut bytes = vec![0xA0; len];
                    bytes[at] = byte;
                    assert_eq!(has_c1_byte(&bytes), (0x80..0xA0).contains(&byte), "{byte:02X}");
                }
            }
        }
    }
}
